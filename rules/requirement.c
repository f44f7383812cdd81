#include "rules/requirement.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/money.h"
#include "rules/fields.h"
#include "rules/fraction.h"

void podsku_requirement_init(struct podsku_requirement *req)
{
    memset(req, 0, sizeof *req);
    req->gpus[0] = 1;
    req->gpus_count = 1;
    req->nodes = 1;
    req->min_link_gbs = req->min_vram_gb = req->max_vram_gb = req->min_total_vram_gb = -1;
    req->cloud[PODSKU_SECURE] = true;
    req->max_price_uusd = req->max_total_uusd = PODSKU_UNCAPPED;
    req->compute_major = req->compute_minor = -1;
    req->cuda_major = req->cuda_minor = -1;
    req->min_stock = PODSKU_STOCK_LOW;
    req->inter_node_gbps = -1;
}

void podsku_requirement_free(struct podsku_requirement *req)
{
    if (!req)
        return;
    free(req->mig_parent);
    free(req->region);
    podsku_words_free(&req->gpu);
    podsku_words_free(&req->exclude);
    podsku_words_free(&req->data_centers);
    podsku_words_free(&req->countries);
    podsku_words_free(&req->compliance);
    podsku_requirement_init(req);
}

enum podsku_nvlink_level podsku_requirement_nvlink(const struct podsku_requirement *req, int gpus)
{
    return req->parallelism == PODSKU_TENSOR && gpus > 1 ? PODSKU_NVLINK_REQUIRED : req->nvlink;
}

enum podsku_mig_mode podsku_requirement_mig(const struct podsku_requirement *req)
{
    bool slice_named = req->memory_fraction.denominator || req->compute_fraction.denominator || req->mig_parent;

    return req->mig_set || !slice_named ? req->mig : PODSKU_MIG_ALLOW;
}

bool podsku_requirement_has_placement(const struct podsku_requirement *req)
{
    return req->data_centers.count || req->countries.count || req->region || req->compliance.count;
}

static json_t *encode_words(const struct podsku_words *words)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < words->count; i++) {
        if (json_array_append_new(array, podsku_json_text(words->list[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *encode_counts(const struct podsku_requirement *req)
{
    if (req->gpus_count == 1)
        return json_integer(req->gpus[0]);
    json_t *array = json_array();
    for (size_t i = 0; array && i < req->gpus_count; i++) {
        if (json_array_append_new(array, json_integer(req->gpus[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *encode_number(double number)
{
    bool whole = number < 1e15 && number == (double)(json_int_t)number;

    return whole ? json_integer((json_int_t)number) : json_real(number);
}

static json_t *encode_choice(const struct field *field, const struct podsku_requirement *req)
{
    const char *word;
    size_t len;

    /* What is not the default was chosen, so that some word stands for it. */
    (void)podsku_field_choice(field->choices, podsku_field_chosen(field, req), &word, &len);
    return json_stringn(word, len);
}

static json_t *encode_lower(const char *text)
{
    char word[32];
    size_t len = 0;

    for (; len < sizeof word && text[len]; len++)
        word[len] = (char)(text[len] >= 'A' && text[len] <= 'Z' ? text[len] - 'A' + 'a' : text[len]);
    return json_stringn(word, len);
}

/* True if the field says what an untouched requirement says. */
static bool is_default(const struct field *field, const struct podsku_requirement *req,
                       const struct podsku_requirement *plain)
{
    const struct field_home *home = podsku_field_home(field);
    const void *here = (const char *)req + home->offset;
    const void *there = (const char *)plain + home->offset;

    if (field->kind == PODSKU_FIELD_CHOICE && home->given && *(const bool *)((const char *)req + home->given))
        return false;
    if (home->kept == KEPT_WORD)
        return req->region == NULL;
    if (home->kept == KEPT_CLOUDS)
        return memcmp(here, there, sizeof req->cloud) == 0;
    switch (field->kind) {
    case PODSKU_FIELD_COUNTS: return false;
    case PODSKU_FIELD_NUMBER: return *(const double *)here < 0;
    case PODSKU_FIELD_MONEY: return *(const int64_t *)here == PODSKU_UNCAPPED;
    case PODSKU_FIELD_FRACTION: return ((const struct podsku_fraction *)here)->denominator == 0;
    case PODSKU_FIELD_PATTERN: return *(char *const *)here == NULL;
    case PODSKU_FIELD_PATTERNS:
    case PODSKU_FIELD_WORDS: return ((const struct podsku_words *)here)->count == 0;
    case PODSKU_FIELD_SWITCH: return !*(const bool *)here;
    case PODSKU_FIELD_COUNT:
    case PODSKU_FIELD_VERSION:
    case PODSKU_FIELD_CHOICE:
    case PODSKU_FIELD_NVLINK: break;
    }
    return memcmp(here, there, sizeof(int)) == 0;
}

static json_t *encode_field(const struct field *field, const struct podsku_requirement *req)
{
    const struct field_home *home = podsku_field_home(field);
    const void *here = (const char *)req + home->offset;
    const void *second = (const char *)req + home->second;

    if (home->kept == KEPT_WORD)
        return encode_lower(req->region);
    switch (field->kind) {
    case PODSKU_FIELD_COUNTS: return encode_counts(req);
    case PODSKU_FIELD_COUNT: return json_integer(*(const int *)here);
    case PODSKU_FIELD_NUMBER: return encode_number(*(const double *)here);
    case PODSKU_FIELD_MONEY: return json_real(podsku_money_to_double(*(const int64_t *)here));
    case PODSKU_FIELD_FRACTION: return podsku_fraction_encode(*(const struct podsku_fraction *)here);
    case PODSKU_FIELD_VERSION: return json_sprintf("%d.%d", *(const int *)here, *(const int *)second);
    case PODSKU_FIELD_CHOICE:
    case PODSKU_FIELD_NVLINK: return encode_choice(field, req);
    case PODSKU_FIELD_PATTERN: return podsku_json_text(*(char *const *)here);
    case PODSKU_FIELD_PATTERNS:
    case PODSKU_FIELD_WORDS: return encode_words((const struct podsku_words *)here);
    case PODSKU_FIELD_SWITCH: break;
    }
    return json_true();
}

json_t *podsku_requirement_encode(const struct podsku_requirement *req)
{
    struct podsku_requirement plain;
    json_t *object = json_object();
    char key[FIELD_KEY_SIZE];

    podsku_requirement_init(&plain);
    for (size_t i = 0; object && i < podsku_field_count; i++) {
        const struct field *field = &podsku_fields[i];
        if (is_default(field, req, &plain))
            continue;
        if (!podsku_json_set(object, podsku_field_key(field->flag, key), encode_field(field, req))) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}
