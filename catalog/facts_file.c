/*
 * Facts files: rows laid over the built-in table, field by field. One table of fields drives names,
 * types and bounds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "catalog/decode.h"
#include "catalog/facts_set.h"
#include "catalog/facts_table.h"

enum fact_kind {
    FACT_TEXT,
    FACT_WHOLE,
    FACT_NUMBER,
    FACT_TRI,      /* true, false; "yes", "no", "slice" */
    FACT_VERIFIED, /* true, false; "verified", "not verified" */
    FACT_ARCH,
    FACT_EVIDENCE,
    FACT_CONFIDENCE,
    FACT_CAPABILITY, /* "9.0" or 9.0; "gfx942": not NVIDIA */
    FACT_FABRIC,     /* "xgmi" */
    FACT_DATE,       /* "2026-08", "2026-08-27" */
};

struct fact_field {
    const char *name;
    const char *other_name; /* accepted as well; NULL: none */
    size_t offset;
    enum fact_kind kind;
    int most; /* of numbers */
};

#define AT(field) offsetof(struct podsku_facts, field)
static const struct fact_field fields[] = {
    {"id", NULL, AT(id), FACT_TEXT, 0},
    {"alias_of", NULL, AT(alias_of), FACT_TEXT, 0},
    {"architecture", "arch", AT(arch), FACT_ARCH, 0},
    {"compute_capability", NULL, AT(compute_major), FACT_CAPABILITY, 0},
    {"form_factor", NULL, AT(form_factor), FACT_TEXT, 0},
    {"memory_gb", "vram_gb", AT(memory_gb), FACT_WHOLE, 1000000},
    {"memory_bandwidth_gbs", NULL, AT(memory_bandwidth_gbs), FACT_WHOLE, 1000000},
    {"nvlink_evidence", "evidence", AT(evidence), FACT_EVIDENCE, 0},
    {"nvlink_generation", NULL, AT(nvlink_generation), FACT_WHOLE, 100},
    {"nvlink_links", NULL, AT(nvlink_links), FACT_WHOLE, 1000},
    {"nvlink_gbs_per_gpu", "nvlink_gbs", AT(nvlink_gbs), FACT_NUMBER, 1000000},
    {"nvlink_domain", NULL, AT(nvlink_domain), FACT_WHOLE, 100000},
    {"topo_code", NULL, AT(topo_code), FACT_TEXT, 0},
    {"pcie_gen", "pcie_generation", AT(pcie_generation), FACT_WHOLE, 100},
    {"pcie_lanes", NULL, AT(pcie_lanes), FACT_WHOLE, 64},
    {"pcie_gbs", NULL, AT(pcie_gbs), FACT_NUMBER, 1000000},
    {"pcie_p2p", NULL, AT(pcie_p2p), FACT_TRI, 0},
    {"other_fabric", NULL, AT(xgmi), FACT_FABRIC, 0},
    {"other_fabric_domain", "xgmi_domain", AT(xgmi_domain), FACT_WHOLE, 100000},
    {"other_fabric_pair_gbs", "xgmi_pair_gbs", AT(xgmi_pair_gbs), FACT_NUMBER, 1000000},
    {"mig_capable", NULL, AT(mig_capable), FACT_TRI, 0},
    {"mig_max_instances", NULL, AT(mig_max_instances), FACT_WHOLE, 1000},
    {"tdp_w", NULL, AT(tdp_w), FACT_WHOLE, 1000000},
    {"confidence", NULL, AT(confidence), FACT_CONFIDENCE, 0},
    {"on_runpod", NULL, AT(on_runpod), FACT_VERIFIED, 0},
    {"source", NULL, AT(source), FACT_TEXT, 0},
    {"checked", NULL, AT(checked), FACT_DATE, 0},
    {"notes", NULL, AT(notes), FACT_TEXT, 0},
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

struct facts_file {
    const char *name;
    struct podsku_error *err;
    struct podsku_facts_set *set;
    size_t row; /* for places */
    const char *list_path;
};

static enum podsku_code bad(const struct facts_file *file, const char *member, const char *fmt, ...)
    PODSKU_PRINTF(3, 4);

static enum podsku_code bad(const struct facts_file *file, const char *member, const char *fmt, ...)
{
    char message[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    podsku_error_where(file->err, "%s: %s[%zu]%s%s", file->name, file->list_path, file->row, member ? "." : "",
                       member ? member : "");
    return podsku_error_set(file->err, PODSKU_INPUT, "%s", message);
}

static enum podsku_code wrong(const struct facts_file *file, const char *member, const json_t *value,
                              const char *wanted)
{
    if (json_is_string(value))
        return bad(file, member, "%s is \"%.64s\", where %s is expected", member, json_string_value(value), wanted);
    if (json_is_number(value))
        return bad(file, member, "%s is %.12g, where %s is expected", member, json_number_value(value), wanted);
    return bad(file, member, "%s is %s, where %s is expected", member, podsku_json_kind(value), wanted);
}

static enum podsku_code read_number(const struct facts_file *file, const char *member, const json_t *value,
                                    const struct fact_field *field, void *target)
{
    char wanted[64];
    double number = json_number_value(value);
    bool whole = field->kind == FACT_WHOLE;

    (void)snprintf(wanted, sizeof wanted, "a %snumber of 0 to %d", whole ? "whole " : "", field->most);
    if (!json_is_number(value) || !(number >= 0 && number <= field->most) || (whole && floor(number) != number))
        return wrong(file, member, value, wanted);
    if (whole)
        *(int *)target = (int)number;
    else
        *(double *)target = number;
    return PODSKU_OK;
}

/* True or false, or one of two words for each; false: neither. */
static bool read_yes_no(const json_t *value, const char *yes, const char *no, const char *also_no, bool *is_yes)
{
    const char *text = json_string_value(value);

    *is_yes = json_is_true(value) || (text && podsku_text_equal_nocase(text, yes));
    return *is_yes || json_is_false(value) ||
           (text && (podsku_text_equal_nocase(text, no) || podsku_text_equal_nocase(text, also_no)));
}

static bool is_date(const char *text)
{
    static const char pattern[] = "dddd-dd-dd";
    size_t len = strlen(text);

    if (len != 7 && len != 10)
        return false;
    for (size_t i = 0; i < len; i++)
        if (pattern[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != pattern[i])
            return false;
    return true;
}

static bool read_capability(const json_t *value, struct podsku_facts *facts)
{
    char number[32];
    const char *text = json_string_value(value);

    facts->compute_major = facts->compute_minor = 0;
    if (text && strncmp(text, "gfx", 3) == 0)
        return true;
    if (json_is_number(value)) {
        (void)snprintf(number, sizeof number, "%.1f", json_number_value(value));
        text = number;
    }
    return text && podsku_text_version(text, &facts->compute_major, &facts->compute_minor);
}

static bool read_confidence(const char *text, enum podsku_confidence *confidence)
{
    static const struct {
        const char *word;
        enum podsku_confidence confidence;
    } grades[] = {{"high", PODSKU_CONFIDENCE_VENDOR},
                  {"medium", PODSKU_CONFIDENCE_INFERRED},
                  {"low", PODSKU_CONFIDENCE_NOT_VERIFIED}};

    for (size_t i = 0; i < sizeof grades / sizeof *grades; i++) {
        if (podsku_text_equal_nocase(text, grades[i].word)) {
            *confidence = grades[i].confidence;
            return true;
        }
    }
    return podsku_confidence_parse(text, confidence);
}

/* Words: architecture, evidence, confidence, fabric. */
static enum podsku_code read_word(const struct facts_file *file, const char *member, const json_t *value,
                                  enum fact_kind kind, void *target)
{
    const char *text = json_string_value(value);

    switch (kind) {
    case FACT_ARCH:
        if (text && podsku_arch_parse(text, target))
            return PODSKU_OK;
        return wrong(file, member, value, "volta, turing, ampere, ada, hopper, blackwell or cdna3");
    case FACT_EVIDENCE:
        if (text && podsku_evidence_parse(text, target))
            return PODSKU_OK;
        return wrong(file, member, value, "board, nominal, connector, none or unknown");
    case FACT_CONFIDENCE:
        if (text && read_confidence(text, target))
            return PODSKU_OK;
        return wrong(file, member, value, "verified, vendor, inferred, not verified or unknown");
    default:
        if (!text || !podsku_text_equal_nocase(text, "xgmi"))
            return wrong(file, member, value, "\"xgmi\" or null");
        *(bool *)target = true;
        return PODSKU_OK;
    }
}

/* null: back to unknown. */
static void forget(const struct fact_field *field, struct podsku_facts *facts)
{
    void *target = (char *)facts + field->offset;

    switch (field->kind) {
    case FACT_TEXT:
    case FACT_DATE: *(const char **)target = NULL; break;
    case FACT_WHOLE: *(int *)target = 0; break;
    case FACT_NUMBER: *(double *)target = 0; break;
    case FACT_TRI: *(enum podsku_tri *)target = PODSKU_UNKNOWN; break;
    case FACT_VERIFIED:
    case FACT_FABRIC: *(bool *)target = false; break;
    case FACT_ARCH: *(enum podsku_arch *)target = PODSKU_ARCH_UNKNOWN; break;
    case FACT_EVIDENCE: *(enum podsku_evidence *)target = PODSKU_EVIDENCE_UNKNOWN; break;
    case FACT_CONFIDENCE: *(enum podsku_confidence *)target = PODSKU_CONFIDENCE_UNKNOWN; break;
    case FACT_CAPABILITY: facts->compute_major = facts->compute_minor = 0; break;
    }
}

static enum podsku_code read_fact(const struct facts_file *file, const char *member, const json_t *value,
                                  const struct fact_field *field, struct podsku_facts *facts)
{
    void *target = (char *)facts + field->offset;
    bool yes;

    if (json_is_null(value)) {
        forget(field, facts);
        return PODSKU_OK;
    }
    switch (field->kind) {
    case FACT_TEXT:
    case FACT_DATE:
        if (!json_is_string(value))
            return wrong(file, member, value, "a text");
        if (field->kind == FACT_DATE && !is_date(json_string_value(value)))
            return wrong(file, member, value, "a date like 2026-08 or 2026-08-27");
        *(const char **)target = podsku_arena_text(&file->set->arena, json_string_value(value));
        return *(const char **)target ? PODSKU_OK : podsku_error_no_memory(file->err);
    case FACT_WHOLE:
    case FACT_NUMBER: return read_number(file, member, value, field, target);
    case FACT_TRI:
        if (!read_yes_no(value, "yes", "no", "slice", &yes))
            return wrong(file, member, value, "true, false or null");
        *(enum podsku_tri *)target = yes ? PODSKU_YES : PODSKU_NO;
        return PODSKU_OK;
    case FACT_VERIFIED:
        if (!read_yes_no(value, "verified", "not verified", "no", &yes))
            return wrong(file, member, value, "true, false, \"verified\" or \"not verified\"");
        *(bool *)target = yes;
        return PODSKU_OK;
    case FACT_CAPABILITY:
        return read_capability(value, facts) ? PODSKU_OK : wrong(file, member, value, "a version like \"9.0\"");
    default: return read_word(file, member, value, field->kind, target);
    }
}

static const struct fact_field *field_named(const char *name)
{
    for (size_t i = 0; i < FIELD_COUNT; i++)
        if (strcmp(fields[i].name, name) == 0 || (fields[i].other_name && strcmp(fields[i].other_name, name) == 0))
            return &fields[i];
    return NULL;
}

static enum podsku_code unknown_field(const struct facts_file *file, const char *name)
{
    const char *names[FIELD_COUNT + 1] = {NULL};

    for (size_t i = 0; i < FIELD_COUNT; i++)
        names[i] = fields[i].name;
    const char *near = podsku_text_nearest(name, names);
    if (near)
        podsku_error_hint(file->err, "did you mean %s?", near);
    return bad(file, name, "unknown field \"%s\"", name);
}

/*
 * What a file says is the file's word: unless the row says otherwise, source, date and confidence
 * are no longer those of the table.
 */
static void disown(const struct facts_file *file, struct podsku_facts *facts)
{
    facts->source = podsku_arena_text(&file->set->arena, file->name);
    facts->checked = NULL;
    facts->confidence = PODSKU_CONFIDENCE_NOT_VERIFIED;
    facts->on_runpod = false;
}

static enum podsku_code read_row(struct facts_file *file, json_t *row, struct podsku_facts *facts)
{
    bool seen[FIELD_COUNT] = {false};
    const char *name;
    json_t *value;

    disown(file, facts);
    json_object_foreach(row, name, value)
    {
        const struct fact_field *field = field_named(name);
        if (!field)
            return unknown_field(file, name);
        if (seen[field - fields])
            return bad(file, name, "%s is given twice, also as %s", field->name, field->other_name);
        seen[field - fields] = true;
        if (field->offset == AT(id)) /* found by it already */
            continue;
        enum podsku_code code = read_fact(file, name, value, field, facts);
        if (code != PODSKU_OK)
            return code;
    }
    if (facts->xgmi_domain == 0 || facts->xgmi)
        return file->set->arena.failed ? podsku_error_no_memory(file->err) : PODSKU_OK;
    return bad(file, "other_fabric_domain", "other_fabric_domain without other_fabric");
}

/* A row of the file, ready to be laid over the table. */
struct laid_row {
    struct podsku_facts facts;
    size_t index; /* in the file */
};

static int compare_laid(const void *a, const void *b)
{
    const struct laid_row *left = a;
    const struct laid_row *right = b;
    int order = strcmp(left->facts.id, right->facts.id);

    return order ? order : (left->index > right->index) - (left->index < right->index);
}

static enum podsku_code read_laid(struct facts_file *file, json_t *row, struct laid_row *laid)
{
    const json_t *id = json_object_get(row, "id");

    laid->index = file->row;
    if (!json_is_object(row))
        return bad(file, NULL, "the row is %s, where an object is expected", podsku_json_kind(row));
    if (!json_is_string(id) || json_string_length(id) == 0)
        return bad(file, "id", "the row has no id (a GPU type id)");
    const struct podsku_facts *base = podsku_facts_find(podsku_facts_builtin(), json_string_value(id));
    if (base)
        laid->facts = *base;
    else
        laid->facts.id = podsku_arena_text(&file->set->arena, json_string_value(id));
    return laid->facts.id ? read_row(file, row, &laid->facts) : podsku_error_no_memory(file->err);
}

/* Both lists are sorted; a row of the file takes the place of the table's. */
static void lay_over(struct podsku_facts_set *set, const struct laid_row *laid, size_t count)
{
    size_t i = 0;
    size_t k = 0;

    while (i < podsku_facts_row_count || k < count) {
        int order = i == podsku_facts_row_count ? 1
                    : k == count                ? -1
                                                : strcmp(podsku_facts_rows[i].id, laid[k].facts.id);
        set->rows[set->count++] = order < 0 ? podsku_facts_rows[i] : laid[k].facts;
        i += order <= 0;
        k += order >= 0;
    }
}

static enum podsku_code read_rows(struct facts_file *file, const json_t *list)
{
    size_t count = json_array_size(list);
    struct laid_row *laid = calloc(count + 1, sizeof *laid);
    enum podsku_code code = PODSKU_OK;

    file->set->rows = calloc(podsku_facts_row_count + count, sizeof *file->set->rows);
    if (!laid || !file->set->rows) {
        code = podsku_error_no_memory(file->err);
        goto out;
    }
    for (file->row = 0; code == PODSKU_OK && file->row < count; file->row++) {
        code = read_laid(file, json_array_get(list, file->row), &laid[file->row]);
        if (code != PODSKU_OK)
            goto out;
    }
    qsort(laid, count, sizeof *laid, compare_laid);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(laid[i - 1].facts.id, laid[i].facts.id) == 0) {
            file->row = laid[i].index;
            code = bad(file, "id", "duplicate id \"%s\"", laid[i].facts.id);
            goto out;
        }
    }
    lay_over(file->set, laid, count);
out:
    free(laid);
    return code;
}

/* The list of rows: the document itself or its member "facts". NULL: reported. */
static const json_t *find_rows(struct facts_file *file, json_t *root)
{
    const json_t *list = json_is_object(root) ? json_object_get(root, "facts") : root;

    const char *key;
    json_t *value;

    file->list_path = json_is_object(root) ? "$.facts" : "$";
    json_object_foreach(root, key, value)
    {
        if (!json_is_array(list) || strcmp(key, "facts") == 0)
            continue;
        podsku_error_where(file->err, "%s: $.%s", file->name, key);
        podsku_error_hint(file->err, "beside \"facts\" there is nothing: facts stand in the rows");
        (void)podsku_error_set(file->err, PODSKU_INPUT, "a facts file has no key \"%s\"", key);
        return NULL;
    }
    if (json_is_array(list))
        return list;
    podsku_error_where(file->err, "%s: %s", file->name, list ? file->list_path : "$");
    (void)podsku_error_set(file->err, PODSKU_INPUT, "not a facts file: %s",
                           list ? podsku_json_kind(list) : "the object has no facts");
    podsku_error_hint(file->err,
                      "a facts file is an array of rows like {\"id\": \"NVIDIA H200\", \"nvlink_domain\": 8}, "
                      "or {\"facts\": [...]}");
    return NULL;
}

enum podsku_code podsku_facts_load(const char *bytes, size_t len, const char *name, const struct podsku_facts_set **set,
                                   struct podsku_error *err)
{
    struct facts_file file = {.name = name, .err = err};
    json_t *root;

    *set = NULL;
    enum podsku_code code = podsku_json_read(bytes, len, name, PODSKU_INPUT, &root, err);
    if (code != PODSKU_OK)
        return code;
    const json_t *list = find_rows(&file, root);
    if (!list) {
        code = err->code;
        goto out;
    }
    file.set = calloc(1, sizeof *file.set);
    if (!file.set) {
        code = podsku_error_no_memory(err);
        goto out;
    }
    file.set->self = file.set;
    code = read_rows(&file, list);
    if (code == PODSKU_OK)
        *set = file.set;
    else
        podsku_facts_discard(file.set);
out:
    json_decref(root);
    return code;
}
