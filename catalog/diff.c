/* What changed between two catalogues. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "catalog/check.h"
#include "catalog/shape.h"

struct differ {
    const struct podsku_catalog *old_catalog, *new_catalog;
    struct podsku_diff *diff;
    size_t cap; /* of changes */
    bool failed;
};

/* Takes both values; equal ones are no change. */
static void compare(struct differ *differ, const struct podsku_gpu_type *old_type,
                    const struct podsku_gpu_type *new_type, const char *field, json_t *old_value, json_t *new_value)
{
    struct podsku_diff *diff = differ->diff;

    if (!old_value || !new_value || differ->failed) {
        differ->failed = true;
        goto drop;
    }
    if (json_equal(old_value, new_value))
        goto drop;
    if (diff->change_count == differ->cap) {
        size_t cap = differ->cap ? differ->cap * 2 : 64;
        struct podsku_change *changes = realloc(diff->changes, cap * sizeof *changes);
        if (!changes) {
            differ->failed = true;
            goto drop;
        }
        diff->changes = changes;
        differ->cap = cap;
    }
    struct podsku_change *change = &diff->changes[diff->change_count++];
    *change = (struct podsku_change){
        .old_type = old_type, .new_type = new_type, .old_value = old_value, .new_value = new_value};
    (void)snprintf(change->field, sizeof change->field, "%s", field);
    return;
drop:
    json_decref(old_value);
    json_decref(new_value);
}

static bool same_text(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static bool same_query(const struct podsku_catalog_query *a, const struct podsku_catalog_query *b)
{
    return a->product == b->product && a->has_cloud == b->has_cloud && a->cloud == b->cloud && a->count == b->count &&
           same_text(a->min_cuda, b->min_cuda) && same_text(a->countries, b->countries);
}

static bool has_views(const struct podsku_catalog *catalog, size_t read)
{
    for (size_t i = 0; i < catalog->type_count; i++)
        for (size_t k = 0; k < catalog->types[i].view_count; k++)
            if (catalog->types[i].views[k].read == read)
                return true;
    return false;
}

/* The view of one read; an empty one when the read has none of this type. */
static struct podsku_stock_view view_of(const struct podsku_gpu_type *type, size_t read)
{
    for (size_t i = 0; i < type->view_count; i++)
        if (type->views[i].read == read)
            return type->views[i];
    return (struct podsku_stock_view){.read = read};
}

static json_t *stock_json(enum podsku_stock stock)
{
    return stock == PODSKU_STOCK_UNKNOWN ? json_null() : json_string(podsku_stock_name(stock));
}

/* Stock of the same query only: what another cloud or count has is no change. */
static void compare_stock(struct differ *differ, size_t old_read, size_t new_read)
{
    const struct podsku_catalog_query *query = &differ->new_catalog->reads[new_read];
    char suffix[24] = "";
    char stock_field[48];
    char centers_field[48];
    char cuda_field[48];

    /* With several reads each has its own stock. */
    if (differ->new_catalog->read_count > 1)
        (void)snprintf(suffix, sizeof suffix, ".%s.%d", podsku_cloud_word(query->cloud), query->count);
    (void)snprintf(stock_field, sizeof stock_field, "stock%s", suffix);
    (void)snprintf(centers_field, sizeof centers_field, "data_centers%s", suffix);
    (void)snprintf(cuda_field, sizeof cuda_field, "cuda_versions%s", suffix);
    for (size_t i = 0; i < differ->new_catalog->type_count; i++) {
        const struct podsku_gpu_type *new_type = &differ->new_catalog->types[i];
        const struct podsku_gpu_type *old_type = podsku_catalog_find(differ->old_catalog, new_type->id);
        if (!old_type)
            continue;
        struct podsku_stock_view before = view_of(old_type, old_read);
        struct podsku_stock_view after = view_of(new_type, new_read);
        compare(differ, old_type, new_type, stock_field, stock_json(before.stock), stock_json(after.stock));
        compare(differ, old_type, new_type, centers_field, podsku_data_centers_json(&before, "stock"),
                podsku_data_centers_json(&after, "stock"));
        compare(differ, old_type, new_type, cuda_field, podsku_cuda_json(&before), podsku_cuda_json(&after));
    }
}

static void compare_reads(struct differ *differ)
{
    for (size_t n = 0; n < differ->new_catalog->read_count; n++) {
        if (!has_views(differ->new_catalog, n))
            continue;
        for (size_t o = 0; o < differ->old_catalog->read_count; o++) {
            if (same_query(&differ->old_catalog->reads[o], &differ->new_catalog->reads[n]) &&
                has_views(differ->old_catalog, o)) {
                compare_stock(differ, o, n);
                break;
            }
        }
    }
}

/* GraphQL has no pools and no serverless prices: their absence is no change. */
static bool has_field(const struct podsku_catalog *catalog, const char *field)
{
    size_t count;
    const struct podsku_shape_field *fields = podsku_shape(catalog->graphql, &count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(fields[i].field, field) == 0)
            return true;
    return false;
}

/* "Nvidia" in one API and "NVIDIA" in the other are one manufacturer. */
static bool same_word(const struct podsku_gpu_type *old_type, const struct podsku_gpu_type *new_type,
                      const struct podsku_shape_field *field)
{
    return field->offset == offsetof(struct podsku_gpu_type, manufacturer_word) && old_type->manufacturer_word &&
           new_type->manufacturer_word &&
           podsku_text_equal_nocase(old_type->manufacturer_word, new_type->manufacturer_word);
}

static void compare_fields(struct differ *differ, const struct podsku_gpu_type *old_type,
                           const struct podsku_gpu_type *new_type)
{
    /* The v2 table has every field, whatever shape the bodies had. */
    size_t count;
    const struct podsku_shape_field *fields = podsku_shape(false, &count);

    for (size_t i = 0; i < count; i++) {
        if (!has_field(differ->old_catalog, fields[i].field) || !has_field(differ->new_catalog, fields[i].field))
            continue;
        if (fields[i].kind == PODSKU_FIELD_TEXT && same_word(old_type, new_type, &fields[i]))
            continue;
        compare(differ, old_type, new_type, fields[i].field, podsku_field_json(old_type, &fields[i]),
                podsku_field_json(new_type, &fields[i]));
    }
}

/* The types of `of` that `in` lacks: an array that is owned, NULL without memory. */
static const struct podsku_gpu_type **lacking(const struct podsku_catalog *of, const struct podsku_catalog *in,
                                              size_t *count)
{
    const struct podsku_gpu_type **list = calloc(of->type_count + 1, sizeof(*list)); /* NOLINT: pointers are meant */

    *count = 0;
    for (size_t i = 0; list && i < of->type_count; i++)
        if (!podsku_catalog_find(in, of->types[i].id))
            list[(*count)++] = &of->types[i];
    return list;
}

enum podsku_code podsku_catalog_diff(const struct podsku_catalog *old_catalog, const struct podsku_catalog *new_catalog,
                                     struct podsku_diff *diff, struct podsku_error *err)
{
    struct differ differ = {.old_catalog = old_catalog, .new_catalog = new_catalog, .diff = diff};

    memset(diff, 0, sizeof *diff);
    diff->added = lacking(new_catalog, old_catalog, &diff->added_count);
    diff->removed = lacking(old_catalog, new_catalog, &diff->removed_count);
    for (size_t i = 0; i < new_catalog->type_count; i++) {
        const struct podsku_gpu_type *new_type = &new_catalog->types[i];
        const struct podsku_gpu_type *old_type = podsku_catalog_find(old_catalog, new_type->id);
        if (old_type)
            compare_fields(&differ, old_type, new_type);
    }
    compare_reads(&differ);
    if (diff->added && diff->removed && !differ.failed)
        return PODSKU_OK;
    podsku_diff_free(diff);
    return podsku_error_no_memory(err);
}

void podsku_diff_free(struct podsku_diff *diff)
{
    if (!diff)
        return;
    for (size_t i = 0; i < diff->change_count; i++) {
        json_decref(diff->changes[i].old_value);
        json_decref(diff->changes[i].new_value);
    }
    free(diff->changes);
    free(diff->added);
    free(diff->removed);
    memset(diff, 0, sizeof *diff);
}
