/* Documents: which shape a body has, and its entries. */
#include "catalog/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"

#define SHAPES                                                                                          \
    "a catalogue is {\"gpus\": [...]}, {\"data\": {\"gpuTypes\": [...]}}, an array of GraphQL entries " \
    "or a recording of one of them"

/* The text of an error answer: problem+json, REST v1's or GraphQL's; NULL when it is none. */
static const char *error_text(const json_t *body, const char **member)
{
    static const char *const members[] = {"detail", "title", "error", "message"};
    const json_t *first = json_array_get(json_object_get(body, "errors"), 0);

    *member = "errors";
    if (json_is_object(first))
        return json_string_value(json_object_get(first, "message"));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        *member = members[i];
        if (json_is_string(json_object_get(body, members[i])))
            return json_string_value(json_object_get(body, members[i]));
    }
    return NULL;
}

static void not_a_catalogue(struct podsku_decode *decode, const json_t *body, const struct podsku_place *place)
{
    const char *member;
    const char *text = error_text(body, &member);
    struct podsku_place at = {place, member, 0};

    if (text)
        podsku_decode_bad(decode, &at, "not-a-catalogue", "an error answer of the service, not a catalogue: %s", text);
    else if (json_is_object(body))
        podsku_decode_bad(decode, place, "not-a-catalogue",
                          "not a catalogue: the object has neither gpus nor data.gpuTypes");
    else
        podsku_decode_bad(decode, place, "not-a-catalogue", "not a catalogue: %s", podsku_json_kind(body));
    if (!decode->report)
        podsku_error_hint(decode->err, SHAPES);
}

/* GraphQL may answer errors beside data; such data is not to be relied on. */
static bool has_errors(const json_t *body)
{
    return json_array_size(json_object_get(body, "errors")) > 0;
}

/* Members that v2 entries have and GraphQL entries never do. */
static bool looks_like_v2(const json_t *entry)
{
    static const char *const members[] = {"name", "memory", "secure", "community", "price", "maxCount"};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (json_object_get(entry, members[i]))
            return true;
    return false;
}

/* Finds the list of entries and its shape. False: this is no catalogue, and that is reported. */
static bool find_list(struct podsku_decode *decode, const json_t *body, const struct podsku_place *place)
{
    const json_t *data = json_object_get(body, "data");

    decode->list_place = (struct podsku_place){place, "gpus", 0};
    if (json_is_array(body)) {
        decode->bare = true;
        decode->graphql = !looks_like_v2(json_array_get(body, 0));
        decode->list = body;
        return true;
    }
    if (has_errors(body)) {
        not_a_catalogue(decode, body, place);
        return false;
    }
    if (json_object_get(body, "gpus")) {
        decode->list = json_object_get(body, "gpus");
    } else if (json_is_object(data) && json_object_get(data, "gpuTypes")) {
        decode->graphql = true;
        decode->data_place = (struct podsku_place){place, "data", 0};
        decode->list_place = (struct podsku_place){&decode->data_place, "gpuTypes", 0};
        decode->list = json_object_get(data, "gpuTypes");
    } else {
        not_a_catalogue(decode, body, place);
        return false;
    }
    if (!json_is_array(decode->list)) {
        podsku_decode_bad(decode, &decode->list_place, "not-a-catalogue",
                          "%s is %s, where the list of GPU types is expected", decode->list_place.member,
                          podsku_json_kind(decode->list));
        return false;
    }
    /* Who reads live follows the pages; anything else may be one of them. */
    if (!decode->has_query)
        podsku_decode_paging(decode, body, place);
    return true;
}

/* The object that a group's members are in: NULL when it is absent, null or (reported) no object. */
static const json_t *group_of(struct podsku_decode *decode, const json_t *entry, const struct podsku_place *place)
{
    const json_t *group = json_object_get(entry, place->member);

    if (!group || json_is_null(group) || json_is_object(group))
        return group;
    podsku_decode_bad(decode, place, "wrong-type", "%s is %s, where an object is expected", place->member,
                      podsku_json_kind(group));
    return NULL;
}

static void read_field(struct podsku_decode *decode, struct podsku_arena *arena, const json_t *object,
                       const struct podsku_place *place, const struct podsku_shape_field *field,
                       struct podsku_gpu_type *type)
{
    void *target = (char *)type + field->offset;

    switch (field->kind) {
    case PODSKU_FIELD_TEXT:
        *(const char **)target = podsku_decode_text(decode, arena, object, place, field->member);
        break;
    case PODSKU_FIELD_MEMORY: *(int *)target = podsku_decode_whole(decode, object, place, field->member, 0); break;
    case PODSKU_FIELD_FLAG:
        *(enum podsku_tri *)target = podsku_decode_flag(decode, object, place, field->member);
        break;
    case PODSKU_FIELD_COUNT:
        *(int *)target = podsku_decode_whole(decode, object, place, field->member, PODSKU_COUNT_UNKNOWN);
        break;
    case PODSKU_FIELD_PRICE: *(int64_t *)target = podsku_decode_price(decode, object, place, field->member); break;
    }
}

/*
 * GraphQL may lack both per-cloud counts or say 0 for both (MIG types do): then the overall maximum
 * stands for both clouds, and the flags decide. Where that is absent, too, the counts are unknown.
 */
static void apply_overall_count(struct podsku_decode *decode, const json_t *entry, const struct podsku_place *place,
                                struct podsku_gpu_type *type)
{
    int overall = podsku_decode_whole(decode, entry, place, "maxGpuCount", PODSKU_COUNT_UNKNOWN);

    if (type->max_gpus[PODSKU_SECURE] > 0 || type->max_gpus[PODSKU_COMMUNITY] > 0)
        return;
    type->max_gpus[PODSKU_SECURE] = overall;
    type->max_gpus[PODSKU_COMMUNITY] = overall;
}

static void read_fields(struct podsku_decode *decode, struct podsku_arena *arena, const json_t *entry,
                        const struct podsku_place *place, struct podsku_gpu_type *type)
{
    size_t count;
    const struct podsku_shape_field *fields = podsku_shape(decode->graphql, &count);
    struct podsku_place group_place = {place, NULL, 0};
    const json_t *group = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!fields[i].group) {
            read_field(decode, arena, entry, place, &fields[i], type);
            continue;
        }
        /* Fields of one group follow each other: a group of a wrong type is reported once. */
        if (!group_place.member || strcmp(group_place.member, fields[i].group) != 0) {
            group_place.member = fields[i].group;
            group = group_of(decode, entry, &group_place);
        }
        read_field(decode, arena, group, &group_place, &fields[i], type);
    }
    if (decode->graphql)
        apply_overall_count(decode, entry, place, type);
}

/* The entry's id, borrowed from the JSON; NULL (reported) when there is none. */
static const char *entry_id(struct podsku_decode *decode, const json_t *entry, const struct podsku_place *place)
{
    struct podsku_place at = {place, "id", 0};

    if (!json_is_object(entry)) {
        podsku_decode_bad(decode, place, "wrong-type", "the entry is %s, where an object is expected",
                          podsku_json_kind(entry));
        return NULL;
    }
    const json_t *id = json_object_get(entry, "id");
    if (json_is_string(id) && json_string_length(id) > 0)
        return json_string_value(id);
    if (json_is_string(id))
        podsku_decode_bad(decode, &at, "missing-id", "the id is empty");
    else if (!id || json_is_null(id))
        podsku_decode_bad(decode, &at, "missing-id", "the entry has no id");
    else
        podsku_decode_bad(decode, &at, "wrong-type", "id is %s, where a text is expected", podsku_json_kind(id));
    return NULL;
}

struct podsku_place podsku_entry_place(const struct podsku_decode *decode, size_t index)
{
    /* A bare list is the body itself: "$[3]". */
    const struct podsku_place *up = decode->bare ? decode->list_place.up : &decode->list_place;

    return (struct podsku_place){up, NULL, index};
}

/* False: no memory. */
static bool read_entry(struct podsku_decode *decode, struct podsku_catalog *catalog, size_t index, bool *seen_unknown)
{
    struct podsku_arena *arena = &catalog->store->arena;
    struct podsku_place place = podsku_entry_place(decode, index);
    const json_t *entry = json_array_get(decode->list, index);
    struct podsku_place id_place = {&place, "id", 0};

    const char *id = entry_id(decode, entry, &place);
    if (!id)
        return true;
    bool is_unknown = strcmp(id, PODSKU_UNKNOWN_ID) == 0;
    const struct podsku_gpu_type *twin = podsku_store_find(catalog, id);
    if (twin || (is_unknown && *seen_unknown)) {
        podsku_decode_bad(decode, &id_place, "duplicate-id", "duplicate id \"%s\": ids are what to order by", id);
        return true;
    }
    struct podsku_gpu_type type = {.id = podsku_arena_text(arena, id), .entry = index};
    read_fields(decode, arena, entry, &place, &type);
    type.views = podsku_decode_view(decode, arena, entry, &place);
    type.view_count = type.views != NULL;
    *seen_unknown = *seen_unknown || is_unknown;
    return !arena->failed && (is_unknown || podsku_store_add(catalog, &type));
}

static bool read_list(struct podsku_decode *decode, struct podsku_catalog *catalog)
{
    size_t count = json_array_size(decode->list);
    bool seen_unknown = false;

    for (size_t i = 0; i < count && !decode->failed; i++)
        if (!read_entry(decode, catalog, i, &seen_unknown))
            return false;
    catalog->entries = count;
    catalog->graphql = decode->graphql;
    return true;
}

enum podsku_code podsku_decode(struct podsku_decode *decode, const json_t *root, const struct podsku_facts_set *facts,
                               const struct podsku_catalog_query *query, struct podsku_catalog **catalog)
{
    const struct podsku_place *place = NULL;
    const json_t *body = root;
    struct podsku_catalog *made = NULL;
    /* A raw v2 body counts as read for SECURE and 1 GPU (the service's defaults); GraphQL does not say. */
    struct podsku_catalog_query read = {.product = PODSKU_PRODUCT_POD, .cloud = PODSKU_SECURE, .count = 1};

    *catalog = NULL;
    if (json_object_get(root, "podsku_recording")) {
        decode->recording = root;
        decode->body_place = (struct podsku_place){NULL, "body", 0};
        place = &decode->body_place;
        body = json_object_get(root, "body");
    }
    decode->has_query = query && !decode->recording;
    if (!find_list(decode, body, place) || decode->failed)
        return decode->code_on_bad;
    read.has_cloud = !decode->graphql;
    if (query)
        read = *query;
    made = podsku_store_new(facts, json_array_size(decode->list));
    if (!made)
        return podsku_error_no_memory(decode->err);
    if (decode->recording)
        podsku_recording_read(decode, root, made, &read);
    if (!read_list(decode, made) || !podsku_store_reads(made, &read, 1) || !podsku_store_finish(made)) {
        podsku_catalog_free(made);
        return podsku_error_no_memory(decode->err);
    }
    if (decode->failed) {
        podsku_catalog_free(made);
        return decode->code_on_bad;
    }
    *catalog = made;
    return PODSKU_OK;
}

/* Loads from bytes that are taken: they belong to the catalogue or are freed. `root` is what they say. */
static enum podsku_code load_taken(char *bytes, size_t len, const json_t *root, const char *name,
                                   const struct podsku_facts_set *facts, const struct podsku_catalog_query *query,
                                   enum podsku_code code_on_bad, struct podsku_catalog **catalog,
                                   struct podsku_error *err)
{
    struct podsku_decode decode = {.name = name, .code_on_bad = code_on_bad, .err = err};
    enum podsku_code code = podsku_decode(&decode, root, facts, query, catalog);

    if (code != PODSKU_OK || !*catalog) {
        free(bytes);
        return code;
    }
    struct catalog_store *store = (*catalog)->store;
    store->bytes = bytes;
    store->len = len;
    if (!decode.recording || !podsku_recording_slice(bytes, len, store)) {
        store->body_start = store->envelope_start = 0;
        store->body_end = store->envelope_end = len;
    }
    (*catalog)->source = decode.graphql ? PODSKU_SOURCE_GRAPHQL : PODSKU_SOURCE_LIVE;
    return PODSKU_OK;
}

enum podsku_code podsku_catalog_load_parsed(const char *bytes, size_t len, const json_t *root, const char *name,
                                            const struct podsku_facts_set *facts,
                                            const struct podsku_catalog_query *query, enum podsku_code code_on_bad,
                                            struct podsku_catalog **catalog, struct podsku_error *err)
{
    char *copy = malloc(len + 1);

    *catalog = NULL;
    if (!copy)
        return podsku_error_no_memory(err);
    if (len)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    enum podsku_code code = load_taken(copy, len, root, name, facts, query, code_on_bad, catalog, err);
    if (code != PODSKU_OK || !*catalog || (*catalog)->url || !strstr(name, "://"))
        return code;
    (*catalog)->url = podsku_arena_text(&(*catalog)->store->arena, name);
    if ((*catalog)->url)
        return PODSKU_OK;
    podsku_catalog_free(*catalog);
    *catalog = NULL;
    return podsku_error_no_memory(err);
}

enum podsku_code podsku_catalog_load(const char *bytes, size_t len, const char *name,
                                     const struct podsku_facts_set *facts, const struct podsku_catalog_query *query,
                                     enum podsku_code code_on_bad, struct podsku_catalog **catalog,
                                     struct podsku_error *err)
{
    json_t *root;
    enum podsku_code code = podsku_json_read(bytes, len, name, code_on_bad, &root, err);

    *catalog = NULL;
    if (code == PODSKU_OK)
        code = podsku_catalog_load_parsed(bytes, len, root, name, facts, query, code_on_bad, catalog, err);
    json_decref(root);
    return code;
}

enum podsku_code podsku_catalog_load_file(const char *path, const struct podsku_facts_set *facts,
                                          struct podsku_catalog **catalog, struct podsku_error *err)
{
    struct podsku_buf bytes = {0};
    const char *name = strcmp(path, "-") == 0 ? "stdin" : path;

    *catalog = NULL;
    enum podsku_code code = podsku_file_read(path, PODSKU_FILE_MAX, &bytes, err);
    if (code != PODSKU_OK) {
        podsku_buf_free(&bytes);
        return code;
    }
    podsku_buf_puts(&bytes, ""); /* an empty file has no memory yet */
    size_t len = bytes.len;
    char *taken = podsku_buf_take(&bytes);
    if (!taken)
        return podsku_error_no_memory(err);
    json_t *root;
    code = podsku_json_read(taken, len, name, PODSKU_INPUT, &root, err);
    if (code == PODSKU_OK)
        code = load_taken(taken, len, root, name, facts, NULL, PODSKU_INPUT, catalog, err);
    else
        free(taken);
    json_decref(root);
    if (code != PODSKU_OK || !*catalog)
        return code;
    (*catalog)->source = PODSKU_SOURCE_FILE;
    (*catalog)->path = podsku_arena_text(&(*catalog)->store->arena, path);
    if ((*catalog)->path)
        return PODSKU_OK;
    podsku_catalog_free(*catalog);
    *catalog = NULL;
    return podsku_error_no_memory(err);
}
