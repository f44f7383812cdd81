/* The lies of single entries. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "catalog/linter.h"

/* What the service puts where it has no price: a round half dollar. */
static const int64_t PLACEHOLDER_UUSD = PODSKU_UUSD_PER_USD / 2;
/* On cards of at least this memory that price is not to be believed. GB. */
enum { SUSPECT_MEMORY_GB = 32 };
/* Data centers of one type that are compared with each other; the service has some dozens. */
enum { DATA_CENTERS_MAX = 1000 };
/* Catalogue and data sheet round differently; beyond this share one of them is about another card. */
static const double MEMORY_TOLERANCE = 0.05;

static const struct podsku_shape_field *field_of(bool graphql, const char *name)
{
    size_t count;
    const struct podsku_shape_field *fields = podsku_shape(graphql, &count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].field, name) == 0)
            return &fields[i];
    return NULL;
}

void podsku_lint_odd(struct podsku_decode *decode, const struct podsku_gpu_type *type, const char *field,
                     const char *code, const char *fmt, ...)
{
    const struct podsku_shape_field *row = field_of(decode->graphql, field);
    struct podsku_place entry = podsku_entry_place(decode, type->entry);
    struct podsku_place group = {&entry, row ? row->group : NULL, 0};
    struct podsku_place place = {group.member ? &group : &entry, row ? row->member : field, 0};
    char message[512];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    podsku_decode_odd(decode, &place, code, "%s", message);
}

/* Is the number there, or null for it? An absent one is "missing-member", another type an error. */
static bool is_there(const struct podsku_decode *decode, const struct podsku_gpu_type *type, const char *field)
{
    const struct podsku_shape_field *row = field_of(decode->graphql, field);
    const json_t *entry = json_array_get(decode->list, type->entry);

    const json_t *value =
        row ? json_object_get(row->group ? json_object_get(entry, row->group) : entry, row->member) : NULL;

    return json_is_number(value) || json_is_null(value);
}

/* "price.secure", in a buffer of the caller. */
static const char *cloud_field(char text[40], const char *prefix, int cloud)
{
    (void)snprintf(text, 40, "%s%s", prefix, podsku_cloud_word((enum podsku_cloud)cloud));
    return text;
}

static bool is_offered(const struct podsku_gpu_type *type, int cloud)
{
    return type->offered[cloud] != PODSKU_NO && type->max_gpus[cloud] != 0;
}

static void lint_price(struct podsku_decode *decode, const struct podsku_gpu_type *type, int cloud)
{
    const char *word = podsku_cloud_word((enum podsku_cloud)cloud);
    char field[40];
    char text[PODSKU_MONEY_TEXT_SIZE];
    int64_t price = type->price_uusd[cloud];

    cloud_field(field, "price.", cloud);
    podsku_money_text(price, text);
    if (is_offered(type, cloud)) {
        if (price == 0 && is_there(decode, type, field))
            podsku_lint_odd(decode, type, field, "price-unknown",
                            "%s: offered in the %s cloud, but the price is unknown", type->id, word);
        else if (price == PLACEHOLDER_UUSD && podsku_gpu_memory_gb(type) >= SUSPECT_MEMORY_GB)
            podsku_lint_odd(decode, type, field, "suspect-price", "%s: %s USD for %d GB looks like the placeholder",
                            type->id, text, podsku_gpu_memory_gb(type));
    } else if (price == PLACEHOLDER_UUSD) {
        podsku_lint_odd(decode, type, field, "placeholder-price",
                        "%s: not offered in the %s cloud, but carries the placeholder %s USD", type->id, word, text);
    } else if (price > 0) {
        podsku_lint_odd(decode, type, field, "price-not-offered", "%s: not offered in the %s cloud, but priced %s USD",
                        type->id, word, text);
    }
}

static void lint_offer(struct podsku_decode *decode, const struct podsku_gpu_type *type, int cloud)
{
    const char *word = podsku_cloud_word((enum podsku_cloud)cloud);
    char field[40];

    if (type->offered[cloud] == PODSKU_YES && type->max_gpus[cloud] == 0)
        podsku_lint_odd(decode, type, cloud_field(field, "max_gpus.", cloud), "flag-without-count",
                        "%s: flagged as offered in the %s cloud, but with a count of 0: not offered", type->id, word);
    if (type->offered[cloud] == PODSKU_NO && type->max_gpus[cloud] > 0)
        podsku_lint_odd(decode, type, cloud_field(field, "", cloud), "count-without-flag",
                        "%s: has a count of %d in the %s cloud, but is not flagged as offered: not offered", type->id,
                        type->max_gpus[cloud], word);
}

/* GraphQL counts of 0 and 0 under an overall maximum; NULL counts are "missing-member". */
static bool has_zero_counts(const struct podsku_decode *decode, const struct podsku_gpu_type *type)
{
    const json_t *entry = json_array_get(decode->list, type->entry);
    const json_t *secure = json_object_get(entry, "maxGpuCountSecureCloud");
    const json_t *community = json_object_get(entry, "maxGpuCountCommunityCloud");

    return decode->graphql && json_is_number(secure) && json_number_value(secure) == 0 && json_is_number(community) &&
           json_number_value(community) == 0 && type->max_gpus[PODSKU_SECURE] > 0;
}

/* Both counts come from the overall maximum, so that they cannot contradict the flags. */
static bool has_overall_count(const struct podsku_decode *decode, const struct podsku_gpu_type *type)
{
    const json_t *entry = json_array_get(decode->list, type->entry);

    return decode->graphql && !(json_number_value(json_object_get(entry, "maxGpuCountSecureCloud")) > 0) &&
           !(json_number_value(json_object_get(entry, "maxGpuCountCommunityCloud")) > 0);
}

static void lint_memory(struct podsku_decode *decode, const struct podsku_gpu_type *type)
{
    int nominal = type->facts ? type->facts->memory_gb : 0;

    if (type->memory_gb == 0 && is_there(decode, type, "vram_gb"))
        podsku_lint_odd(decode, type, "vram_gb", "memory-unknown", "%s: the memory is not said%s", type->id,
                        nominal ? ": the facts' nominal size is used" : "");
    else if (type->memory_gb && nominal && fabs((double)type->memory_gb - nominal) > nominal * MEMORY_TOLERANCE)
        podsku_lint_odd(decode, type, "vram_gb", "memory-differs", "%s: %d GB, where the facts have %d GB", type->id,
                        type->memory_gb, nominal);
}

static void lint_manufacturer(struct podsku_decode *decode, const struct podsku_gpu_type *type)
{
    const char *word = type->manufacturer_word;

    if (!word)
        return;
    if (type->manufacturer == PODSKU_OTHER_MANUFACTURER)
        podsku_lint_odd(decode, type, "manufacturer", "unknown-word", "%s: \"%s\" is no manufacturer known here",
                        type->id, word);
    else if ((type->manufacturer == PODSKU_AMD && strncmp(type->id, "NVIDIA ", 7) == 0) ||
             (type->manufacturer == PODSKU_NVIDIA && strncmp(type->id, "AMD ", 4) == 0))
        podsku_lint_odd(decode, type, "manufacturer", "manufacturer-differs",
                        "%s: the manufacturer is \"%s\", which the id contradicts", type->id, word);
}

static void lint_id(struct podsku_decode *decode, const struct podsku_gpu_type *type)
{
    size_t len = strlen(type->id);

    if (strstr(type->id, "  "))
        podsku_lint_odd(decode, type, "id", "double-blank", "\"%s\" has a double blank: ids are compared byte for byte",
                        type->id);
    if (type->id[0] == ' ' || type->id[len - 1] == ' ')
        podsku_lint_odd(decode, type, "id", "outer-blank", "\"%s\" has a blank at its start or end", type->id);
}

static void lint_facts(struct podsku_decode *decode, const struct podsku_catalog *catalog,
                       const struct podsku_gpu_type *type)
{
    const struct podsku_slice *slice = type->slice;

    if (!type->facts)
        podsku_lint_odd(decode, type, "id", "no-facts", "%s: no hardware facts: NVLink and architecture are unknown",
                        type->id);
    if (!slice)
        return;
    if (!podsku_mig_profile_find(slice->parent, slice->profile))
        podsku_lint_odd(decode, type, "id", "unknown-profile",
                        "%s: no table has the profile %s of this card: its share of compute is unknown", type->id,
                        slice->profile);
    if (!podsku_catalog_find(catalog, slice->parent))
        podsku_lint_odd(decode, type, "id", "no-parent", "%s: its card is not in this catalogue", type->id);
}

static void lint_stock(struct podsku_decode *decode, const struct podsku_catalog *catalog,
                       const struct podsku_gpu_type *type)
{
    const struct podsku_stock_view *view = type->views;
    const char *member = decode->graphql ? "lowestPrice" : "availability";
    bool listed = false;

    if (!view)
        return;
    for (size_t i = 0; i < view->data_center_count && i < DATA_CENTERS_MAX; i++) {
        listed = listed || view->data_centers[i].stock > PODSKU_STOCK_NONE;
        for (size_t k = 0; k < i; k++) {
            if (strcmp(view->data_centers[i].id, view->data_centers[k].id) != 0)
                continue;
            podsku_lint_odd(decode, type, "dataCenters", "duplicate-data-center", "%s: %s is listed twice", type->id,
                            view->data_centers[i].id);
            break;
        }
    }
    if (view->stock == PODSKU_STOCK_NONE && listed)
        podsku_lint_odd(decode, type, member, "stock-contradiction", "%s: NONE, but data centers list stock", type->id);
    const struct podsku_catalog_query *read = &catalog->reads[view->read];
    if (read->has_cloud && view->stock > PODSKU_STOCK_NONE && !is_offered(type, read->cloud))
        podsku_lint_odd(decode, type, member, "stock-not-offered", "%s: %s in the %s cloud, which does not offer it",
                        type->id, podsku_stock_name(view->stock), podsku_cloud_word(read->cloud));
}

void podsku_lint_types(struct podsku_decode *decode, const struct podsku_catalog *catalog)
{
    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &catalog->types[i];
        lint_id(decode, type);
        lint_manufacturer(decode, type);
        lint_memory(decode, type);
        if (has_zero_counts(decode, type))
            podsku_lint_odd(decode, type, "maxGpuCount", "overall-count",
                            "%s: counts of 0 in both clouds under an overall maximum of %d, which stands for both",
                            type->id, type->max_gpus[PODSKU_SECURE]);
        for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
            if (!has_overall_count(decode, type))
                lint_offer(decode, type, cloud);
            lint_price(decode, type, cloud);
        }
        lint_stock(decode, catalog, type);
        lint_facts(decode, catalog, type);
    }
}
