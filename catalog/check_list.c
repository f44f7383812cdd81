/* Oddities of the members and of the whole list. */
#include <stdlib.h>
#include <string.h>

#include "catalog/linter.h"

enum { MEMBERS_MAX = 64 }; /* distinct unknown members that are reported */

struct member_count {
    const char *name;
    size_t count;
    size_t first; /* entry */
};

static bool is_known_member(bool graphql, const char *name)
{
    size_t count;
    const struct podsku_shape_field *fields = podsku_shape(graphql, &count);

    for (const char *const *extra = podsku_shape_extras(graphql); *extra; extra++)
        if (strcmp(*extra, name) == 0)
            return true;
    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].group ? fields[i].group : fields[i].member, name) == 0)
            return true;
    return false;
}

static void count_unknown(const struct podsku_decode *decode, size_t entry, struct member_count *members, size_t *used)
{
    const char *name;
    json_t *value;

    json_object_foreach(json_array_get(decode->list, entry), name, value)
    {
        size_t i = 0;
        if (is_known_member(decode->graphql, name))
            continue;
        while (i < *used && strcmp(members[i].name, name) != 0)
            i++;
        if (i == MEMBERS_MAX)
            continue;
        if (i == *used)
            members[(*used)++] = (struct member_count){name, 0, entry};
        members[i].count++;
    }
}

/* Each member once, where it is first: a new field of the service is in every entry. */
static void lint_unknown_members(struct podsku_decode *decode)
{
    struct member_count members[MEMBERS_MAX];
    size_t used = 0;

    for (size_t i = 0; i < json_array_size(decode->list); i++)
        count_unknown(decode, i, members, &used);
    for (size_t i = 0; i < used; i++) {
        struct podsku_place entry = podsku_entry_place(decode, members[i].first);
        struct podsku_place place = {&entry, members[i].name, 0};
        podsku_decode_odd(decode, &place, "unknown-member", "%s is not known here and ignored (in %zu of %zu entries)",
                          members[i].name, members[i].count, json_array_size(decode->list));
    }
}

/* Absent, or null where the service does not write null. */
static bool lacks(const json_t *entry, const struct podsku_shape_field *field)
{
    const json_t *object = field->group ? json_object_get(entry, field->group) : entry;
    const json_t *value = json_object_get(object, field->member);

    return json_is_object(entry) &&
           (!value || (json_is_null(value) && field->kind != PODSKU_FIELD_PRICE && strcmp(field->field, "pool") != 0));
}

static void report_missing(struct podsku_decode *decode, const struct podsku_shape_field *field, size_t index)
{
    struct podsku_place entry = podsku_entry_place(decode, index);
    struct podsku_place group = {&entry, field->group, 0};
    struct podsku_place place = {field->group ? &group : &entry, field->member, 0};

    podsku_decode_odd(decode, &place, "missing-member", "%s%s%s is missing%s: unknown",
                      field->group ? field->group : "", field->group ? "." : "", field->member,
                      index == PODSKU_PLACE_ALL ? " in all entries" : "");
}

static void lint_missing(struct podsku_decode *decode, const struct podsku_shape_field *field)
{
    size_t count = json_array_size(decode->list);
    size_t missing = 0;

    for (size_t i = 0; i < count; i++)
        missing += lacks(json_array_get(decode->list, i), field);
    if (missing == count && count > 1) {
        report_missing(decode, field, PODSKU_PLACE_ALL);
        return;
    }
    for (size_t i = 0; missing && i < count; i++)
        if (lacks(json_array_get(decode->list, i), field))
            report_missing(decode, field, i);
}

void podsku_lint_members(struct podsku_decode *decode)
{
    size_t count;
    const struct podsku_shape_field *fields = podsku_shape(decode->graphql, &count);

    for (size_t i = 0; i < json_array_size(decode->list); i++) {
        struct podsku_place entry = podsku_entry_place(decode, i);
        struct podsku_place place = {&entry, "id", 0};
        const char *id = json_string_value(json_object_get(json_array_get(decode->list, i), "id"));
        if (id && strcmp(id, PODSKU_UNKNOWN_ID) == 0)
            podsku_decode_odd(decode, &place, "unknown-entry", "an entry called \"unknown\" is no card: left out");
    }
    for (size_t i = 0; i < count; i++)
        if (!fields[i].optional)
            lint_missing(decode, &fields[i]);
    lint_unknown_members(decode);
}

/* A type in an order of its own. */
struct type_ref {
    const struct podsku_gpu_type *type;
};

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct type_ref *)a)->type->id, ((const struct type_ref *)b)->type->id);
}

static int compare_names(const void *a, const void *b)
{
    const struct podsku_gpu_type *left = ((const struct type_ref *)a)->type;
    const struct podsku_gpu_type *right = ((const struct type_ref *)b)->type;
    int order = strcmp(podsku_gpu_name(left), podsku_gpu_name(right));

    return order ? order : (left->entry > right->entry) - (left->entry < right->entry);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Ids that begin with another whole id: who compares only the start confuses them. */
static void lint_prefixes(struct podsku_decode *decode, const struct type_ref *sorted, size_t count,
                          struct type_ref *stack)
{
    size_t depth = 0;

    for (size_t i = 0; i < count; i++) {
        while (depth > 0 && !starts_with(sorted[i].type->id, stack[depth - 1].type->id))
            depth--;
        if (depth > 0)
            podsku_lint_odd(decode, sorted[i].type, "id", "id-prefix",
                            "\"%s\" begins with the id \"%s\": compare whole ids", sorted[i].type->id,
                            stack[depth - 1].type->id);
        stack[depth++] = sorted[i];
    }
}

static void lint_same_names(struct podsku_decode *decode, const struct type_ref *sorted, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(podsku_gpu_name(sorted[i - 1].type), podsku_gpu_name(sorted[i].type)) == 0)
            podsku_lint_odd(decode, sorted[i].type, "name", "duplicate-name", "\"%s\" is the name of %s, too",
                            podsku_gpu_name(sorted[i].type), sorted[i - 1].type->id);
}

/* Against the names of the bundled catalogue, sorted. */
static void lint_moved_names(struct podsku_decode *decode, const struct podsku_catalog *catalog,
                             const struct podsku_catalog *bundled)
{
    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &catalog->types[i];
        const struct podsku_gpu_type *before = podsku_catalog_find(bundled, type->id);
        const struct podsku_gpu_type *owner = NULL;
        if (!type->name || (before && strcmp(before->name, type->name) == 0))
            continue;
        for (size_t k = 0; k < bundled->type_count && !owner; k++)
            if (strcmp(bundled->types[k].name, type->name) == 0)
                owner = &bundled->types[k];
        if (owner)
            podsku_lint_odd(decode, type, "name", "name-moved", "\"%s\" was the name of %s in August 2026", type->name,
                            owner->id);
        else if (before)
            podsku_lint_odd(decode, type, "name", "name-changed", "%s was called \"%s\" in August 2026", type->id,
                            before->name);
    }
}

enum podsku_code podsku_lint_list(struct podsku_decode *decode, const struct podsku_catalog *catalog,
                                  struct podsku_error *err)
{
    size_t count = catalog->type_count;
    struct type_ref *sorted = calloc(count + 1, sizeof *sorted);
    struct type_ref *stack = calloc(count + 1, sizeof *stack);
    struct podsku_catalog *bundled = NULL;
    enum podsku_code code;

    if (!sorted || !stack) {
        code = podsku_error_no_memory(err);
        goto out;
    }
    code = podsku_catalog_bundled(catalog->facts, &bundled, err);
    if (code != PODSKU_OK)
        goto out;
    for (size_t i = 0; i < count; i++)
        sorted[i].type = &catalog->types[i];
    qsort(sorted, count, sizeof *sorted, compare_ids);
    lint_prefixes(decode, sorted, count, stack);
    qsort(sorted, count, sizeof *sorted, compare_names);
    lint_same_names(decode, sorted, count);
    lint_moved_names(decode, catalog, bundled);
out:
    podsku_catalog_free(bundled);
    free(sorted);
    free(stack);
    return code;
}
