/*
 * Recordings: a body as received, with when, from where and for which query. The body is written
 * last and byte for byte, so that its SHA-256 can be checked without decoding it.
 */
#include <ctype.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "catalog/decode.h"

enum { RECORDING_VERSION = 1 };

static const char *const product_names[] = {
    [PODSKU_PRODUCT_POD] = "POD", [PODSKU_PRODUCT_CLUSTER] = "CLUSTER", [PODSKU_PRODUCT_SERVERLESS] = "SERVERLESS"};

/* "US,EU" -> ["US","EU"] */
static json_t *countries_json(const char *countries)
{
    json_t *list = json_array();

    for (const char *p = countries; p && *p;) {
        size_t len = strcspn(p, ",");
        if (len && json_array_append_new(list, json_stringn(p, len)) != 0) {
            json_decref(list);
            return NULL;
        }
        p += len + (p[len] == ',');
    }
    return list;
}

static json_t *query_json(const struct podsku_catalog_query *query)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "product", json_string(product_names[query->product])) &&
                 podsku_json_set(object, "cloud",
                                 query->has_cloud ? json_string(podsku_cloud_name(query->cloud)) : json_null()) &&
                 podsku_json_set(object, "count", json_integer(query->count)) &&
                 podsku_json_set(object, "min_cuda", podsku_json_text(query->min_cuda)) &&
                 podsku_json_set(object, "countries", countries_json(query->countries));
    return podsku_json_whole(object, whole);
}

static json_t *envelope_json(enum podsku_source source, const char *url, const struct podsku_catalog_query *query,
                             int64_t recorded_ms, const char *sha256)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "podsku_recording", json_integer(RECORDING_VERSION)) &&
                 podsku_json_set(object, "recorded_at", podsku_json_time(recorded_ms)) &&
                 podsku_json_set(object, "source", json_string(source == PODSKU_SOURCE_GRAPHQL ? "graphql" : "v2")) &&
                 podsku_json_set(object, "url", podsku_json_text(url)) &&
                 podsku_json_set(object, "query", query ? query_json(query) : json_null()) &&
                 podsku_json_set(object, "sha256", json_string(sha256));
    return podsku_json_whole(object, whole);
}

enum podsku_code podsku_recording_write(struct podsku_buf *out, const char *body, size_t len, enum podsku_source source,
                                        const char *url, const struct podsku_catalog_query *query, int64_t recorded_ms,
                                        struct podsku_error *err)
{
    char sha256[PODSKU_SHA256_TEXT_SIZE];
    size_t start = out->len;
    json_t *value;

    /* What is no JSON would make the recording unreadable: it is no catalogue answer either. */
    enum podsku_code code = podsku_json_read(body, len, url ? url : "body", PODSKU_ANSWER, &value, err);
    json_decref(value);
    if (code == PODSKU_OK)
        code = podsku_sha256(body, len, sha256, err);
    if (code != PODSKU_OK)
        return code;
    json_t *envelope = envelope_json(source, url, query, recorded_ms, sha256);
    if (!envelope)
        return podsku_error_no_memory(err);
    podsku_json_write(out, envelope, false);
    json_decref(envelope);
    if (podsku_buf_failed(out) || out->len == start)
        return podsku_error_no_memory(err);
    out->data[--out->len] = '\0'; /* the closing brace comes after the body */
    podsku_buf_puts(out, ",\"body\":");
    podsku_buf_append(out, body, len);
    podsku_buf_puts(out, "}\n");
    return podsku_buf_failed(out) ? podsku_error_no_memory(err) : PODSKU_OK;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
        p++;
    return p;
}

/* The end of the string, object, array or word that starts here; the text is valid JSON. */
static const char *skip_value(const char *p, const char *end)
{
    size_t depth = 0;
    bool in_string = false;

    for (; p < end; p++) {
        if (in_string) {
            if (*p == '\\')
                p++;
            else if (*p == '"')
                in_string = false;
        } else if (*p == '"') {
            in_string = true;
        } else if (*p == '{' || *p == '[') {
            depth++;
            continue;
        } else if (depth == 0 && (*p == ',' || *p == '}' || *p == ':')) {
            return p;
        } else if (*p == '}' || *p == ']') {
            depth--;
        }
    }
    return end;
}

bool podsku_recording_slice(const char *bytes, size_t len, struct catalog_store *store)
{
    static const char body_key[] = "\"body\"";
    const char *end = bytes + len;
    const char *p = skip_blanks(bytes, end);

    while (p < end && (*p == '{' || *p == ',')) {
        const char *key = skip_blanks(p + 1, end);
        const char *colon = skip_value(key, end);
        if (colon == end || *colon != ':')
            return false;
        const char *stop = skip_value(colon + 1, end);
        if (strncmp(key, body_key, sizeof body_key - 1) == 0) {
            const char *first = skip_blanks(colon + 1, end);
            const char *last = stop;
            while (last > first && isspace((unsigned char)last[-1]))
                last--;
            store->envelope_start = (size_t)(colon + 1 - bytes);
            store->envelope_end = (size_t)(stop - bytes);
            store->body_start = (size_t)(first - bytes);
            store->body_end = (size_t)(last - bytes);
            return true;
        }
        p = stop;
    }
    return false;
}

/* ["US","EU"] or "US,EU" -> "US,EU"; NULL: none. */
static const char *read_countries(struct podsku_decode *decode, struct podsku_arena *arena, const json_t *query,
                                  const struct podsku_place *up)
{
    struct podsku_place place = {up, "countries", 0};
    const json_t *list = json_object_get(query, "countries");
    struct podsku_buf joined = {0};
    const char *text = NULL;

    if (json_is_string(list))
        return podsku_decode_text(decode, arena, query, up, "countries");
    if (list && !json_is_null(list) && !json_is_array(list))
        podsku_decode_bad(decode, &place, "wrong-type", "countries is %s, where a list of codes is expected",
                          podsku_json_kind(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct podsku_place at = {&place, NULL, i};
        const json_t *item = json_array_get(list, i);
        if (json_is_string(item))
            podsku_buf_printf(&joined, "%s%s", joined.len ? "," : "", json_string_value(item));
        else
            podsku_decode_bad(decode, &at, "wrong-type", "the country is %s, where a text is expected",
                              podsku_json_kind(item));
    }
    if (podsku_buf_failed(&joined))
        arena->failed = true;
    else if (joined.len)
        text = podsku_arena_text(arena, joined.data);
    podsku_buf_free(&joined);
    return text;
}

/* The index of a text member in words; -1: absent or null; count: a word that is not known. */
static int read_word(struct podsku_decode *decode, struct podsku_arena *arena, const json_t *object,
                     const struct podsku_place *up, const char *member, const char *const *words, int count)
{
    struct podsku_place place = {up, member, 0};
    const char *text = podsku_decode_text(decode, arena, object, up, member);

    if (!text)
        return -1;
    for (int i = 0; i < count; i++)
        if (podsku_text_equal_nocase(text, words[i]))
            return i;
    podsku_decode_odd(decode, &place, "unknown-word", "\"%s\" is no %s known here: the stock is taken as unknown", text,
                      member);
    return count;
}

static void read_query(struct podsku_decode *decode, struct podsku_arena *arena, const json_t *query,
                       const struct podsku_place *place, struct podsku_catalog_query *read)
{
    static const char *const clouds[] = {[PODSKU_SECURE] = "SECURE", [PODSKU_COMMUNITY] = "COMMUNITY"};
    struct podsku_place count_place = {place, "count", 0};

    decode->has_query = true;
    int product = read_word(decode, arena, query, place, "product", product_names, PODSKU_PRODUCT_SERVERLESS + 1);
    int cloud = read_word(decode, arena, query, place, "cloud", clouds, PODSKU_CLOUD_COUNT);
    /* A cloud or product of another name is none of ours: what was read for it says nothing. */
    if (cloud == PODSKU_CLOUD_COUNT || product > PODSKU_PRODUCT_SERVERLESS) {
        read->has_cloud = false;
    } else if (cloud >= 0) {
        read->has_cloud = true;
        read->cloud = (enum podsku_cloud)cloud;
    }
    if (product >= 0 && product <= PODSKU_PRODUCT_SERVERLESS)
        read->product = (enum podsku_product)product;
    read->count = podsku_decode_whole(decode, query, place, "count", 1);
    if (read->count < 1) {
        podsku_decode_bad(decode, &count_place, "out-of-range", "count is %d, where 1 or more is expected",
                          read->count);
        read->count = 1;
    }
    read->min_cuda = podsku_decode_text(decode, arena, query, place, "min_cuda");
    read->countries = read_countries(decode, arena, query, place);
}

static void read_time(struct podsku_decode *decode, struct podsku_catalog *catalog, const json_t *envelope)
{
    struct podsku_place place = {NULL, "recorded_at", 0};
    const char *text = podsku_decode_text(decode, &catalog->store->arena, envelope, NULL, "recorded_at");

    if (text && !podsku_time_parse(text, &catalog->recorded_ms))
        podsku_decode_bad(decode, &place, "wrong-type", "\"%s\" is no RFC 3339 time like 2026-12-01T06:12:03Z", text);
}

static void read_sha256(struct podsku_decode *decode, struct podsku_catalog *catalog, const json_t *envelope)
{
    struct podsku_place place = {NULL, "sha256", 0};
    char *recorded = catalog->store->recorded_sha256;
    const char *text = podsku_decode_text(decode, &catalog->store->arena, envelope, NULL, "sha256");

    if (!text)
        return;
    if (strlen(text) != 64 || strspn(text, "0123456789abcdefABCDEF") != 64) {
        podsku_decode_bad(decode, &place, "wrong-type", "sha256 is no SHA-256 of 64 hexadecimal digits");
        return;
    }
    for (size_t i = 0; i < 64; i++)
        recorded[i] = (char)tolower((unsigned char)text[i]);
}

void podsku_recording_read(struct podsku_decode *decode, const json_t *envelope, struct podsku_catalog *catalog,
                           struct podsku_catalog_query *query)
{
    struct podsku_place version_place = {NULL, "podsku_recording", 0};
    struct podsku_place query_place = {NULL, "query", 0};
    const json_t *version = json_object_get(envelope, "podsku_recording");
    const json_t *asked = json_object_get(envelope, "query");
    struct podsku_arena *arena = &catalog->store->arena;

    if (!json_is_integer(version) || json_integer_value(version) != RECORDING_VERSION)
        podsku_decode_bad(decode, &version_place, "recording-version",
                          "not a recording of version %d, the only one that is known", RECORDING_VERSION);
    catalog->url = podsku_decode_text(decode, arena, envelope, NULL, "url");
    read_time(decode, catalog, envelope);
    read_sha256(decode, catalog, envelope);
    if (json_is_object(asked))
        read_query(decode, arena, asked, &query_place, query);
    else if (asked && !json_is_null(asked))
        podsku_decode_bad(decode, &query_place, "wrong-type", "query is %s, where an object is expected",
                          podsku_json_kind(asked));
}
