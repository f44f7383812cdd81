/* The linter: everything that is odd about a catalogue file, not only the first thing. */
#include "catalog/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "catalog/linter.h"

struct collector {
    struct podsku_findings *findings;
    size_t cap;
    bool failed; /* no memory */
};

static void collect(void *ctx, bool is_error, const char *path, const char *code, const char *message)
{
    struct collector *collector = ctx;
    struct podsku_findings *findings = collector->findings;

    if (findings->count == collector->cap) {
        size_t cap = collector->cap ? collector->cap * 2 : 64;
        struct podsku_finding *list = realloc(findings->list, cap * sizeof *list);
        if (!list) {
            collector->failed = true;
            return;
        }
        findings->list = list;
        collector->cap = cap;
    }
    struct podsku_finding finding = {
        .is_error = is_error, .path = path ? strdup(path) : NULL, .code = code, .message = strdup(message)};
    if (!finding.path || !finding.message)
        collector->failed = true;
    findings->list[findings->count++] = finding;
    findings->errors += is_error;
}

void podsku_findings_free(struct podsku_findings *findings)
{
    if (!findings)
        return;
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->list[i].path);
        free(findings->list[i].message);
    }
    free(findings->list);
    memset(findings, 0, sizeof *findings);
}

/* A hash that no longer fits is an oddity: a tool has written the body anew, or somebody changed it. */
static enum podsku_code lint_hash(struct podsku_decode *decode, struct podsku_catalog *catalog, const char *bytes,
                                  size_t len, struct podsku_error *err)
{
    struct podsku_place place = {NULL, "sha256", 0};
    struct catalog_store *store = catalog->store;

    if (!store->recorded_sha256[0]) {
        podsku_decode_odd(decode, &place, "hash-missing", "the recording has no SHA-256 of its body");
        return PODSKU_OK;
    }
    if (!podsku_recording_slice(bytes, len, store)) {
        podsku_decode_odd(decode, &place, "hash-unchecked", "the body's bytes could not be found to check the SHA-256");
        return PODSKU_OK;
    }
    enum podsku_code code = podsku_catalog_hash_bytes(catalog, bytes, err);
    if (code == PODSKU_OK && strcmp(catalog->sha256, store->recorded_sha256) != 0)
        podsku_decode_odd(decode, &place, "hash-differs",
                          "the body is not byte for byte what was received: reformatted or changed since");
    return code;
}

static enum podsku_code lint_recording(struct podsku_decode *decode, struct podsku_catalog *catalog, const char *bytes,
                                       size_t len, struct podsku_error *err)
{
    struct podsku_place source_place = {NULL, "source", 0};
    struct podsku_place time_place = {NULL, "recorded_at", 0};
    struct podsku_place query_place = {NULL, "query", 0};
    const char *source = json_string_value(json_object_get(decode->recording, "source"));
    const char *shape = decode->graphql ? "graphql" : "v2";

    if (!source)
        podsku_decode_odd(decode, &source_place, "source-missing", "the recording does not say its source");
    else if (strcmp(source, shape) != 0)
        podsku_decode_odd(decode, &source_place, "source-differs",
                          "the source is called \"%s\", but the body is of shape %s", source, shape);
    if (!catalog->recorded_ms)
        podsku_decode_odd(decode, &time_place, "time-missing", "the recording does not say when it was made");
    if (!decode->has_query)
        podsku_decode_odd(decode, &query_place, "query-missing", "the recording does not say what was asked for");
    return lint_hash(decode, catalog, bytes, len, err);
}

/* Stock in a body that does not say what it was read for. */
static void lint_query(struct podsku_decode *decode, const struct podsku_catalog *catalog)
{
    const struct podsku_place *place = decode->bare ? decode->list_place.up : &decode->list_place;
    bool has_stock = false;

    for (size_t i = 0; i < catalog->type_count && !has_stock; i++)
        has_stock = catalog->types[i].view_count > 0;
    if (catalog->entries == 0)
        podsku_decode_odd(decode, place, "empty", "the list is empty");
    if (!has_stock || (decode->has_query && catalog->reads[0].has_cloud))
        return;
    if (decode->graphql)
        podsku_decode_odd(decode, place, "stock-without-query",
                          "the body does not say for which cloud and GPU count its stock was read: taken as unknown");
    else
        podsku_decode_odd(decode, place, "stock-without-query",
                          "the body does not say for what its stock was read: taken as SECURE, 1 GPU");
}

static enum podsku_code lint(struct podsku_decode *decode, const json_t *root, const struct podsku_facts_set *facts,
                             const char *bytes, size_t len, struct podsku_error *err)
{
    struct podsku_catalog *catalog;
    enum podsku_code code = podsku_decode(decode, root, facts, NULL, &catalog);

    if (!catalog) /* no memory, or an error that is a finding by now */
        return code == PODSKU_NO_MEMORY ? code : PODSKU_OK;
    if (decode->recording)
        code = lint_recording(decode, catalog, bytes, len, err);
    lint_query(decode, catalog);
    podsku_lint_types(decode, catalog);
    podsku_lint_members(decode);
    enum podsku_code list_code = podsku_lint_list(decode, catalog, err);
    podsku_catalog_free(catalog);
    return code != PODSKU_OK ? code : list_code;
}

enum podsku_code podsku_catalog_check(const char *bytes, size_t len, const char *name,
                                      const struct podsku_facts_set *facts, struct podsku_findings *findings,
                                      struct podsku_error *err)
{
    struct collector collector = {.findings = findings};
    struct podsku_decode decode = {
        .name = name, .code_on_bad = PODSKU_INPUT, .err = err, .report = collect, .ctx = &collector};
    struct podsku_error syntax = {0};
    json_t *root;

    memset(findings, 0, sizeof *findings);
    enum podsku_code code = podsku_json_read(bytes, len, name, PODSKU_INPUT, &root, &syntax);
    if (code == PODSKU_OK) {
        code = lint(&decode, root, facts, bytes, len, err);
    } else if (code == PODSKU_INPUT) {
        collect(&collector, true, syntax.where, "not-json", syntax.message);
        code = PODSKU_OK;
    } else {
        *err = syntax;
    }
    json_decref(root);
    if (code == PODSKU_OK && collector.failed)
        code = podsku_error_no_memory(err);
    if (code != PODSKU_OK)
        podsku_findings_free(findings);
    return code;
}
