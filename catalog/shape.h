/*
 * The two shapes of an entry as tables: which member is which field of the model. They drive the
 * decoder, the encoder, the linter and the comparison. Private to catalog/.
 */
#ifndef PODSKU_CATALOG_SHAPE_H
#define PODSKU_CATALOG_SHAPE_H

#include "catalog/catalog.h"

enum podsku_field_kind {
    PODSKU_FIELD_TEXT,   /* const char *, "" and null: unknown */
    PODSKU_FIELD_MEMORY, /* int, GB; 0 and null: unknown */
    PODSKU_FIELD_FLAG,   /* enum podsku_tri */
    PODSKU_FIELD_COUNT,  /* int; null: PODSKU_COUNT_UNKNOWN */
    PODSKU_FIELD_PRICE,  /* int64_t micro-USD; 0 and null: unknown */
};

struct podsku_shape_field {
    const char *field;  /* the model's name for it: "name", "price.secure" */
    const char *group;  /* the member that holds it ("price"); NULL: the entry itself */
    const char *member; /* "secure" */
    size_t offset;      /* of the field in struct podsku_gpu_type */
    enum podsku_field_kind kind;
    bool optional; /* the service leaves it out where it does not apply */
};

/* The fields of a shape. */
const struct podsku_shape_field *podsku_shape(bool graphql, size_t *count);

/* Members of an entry that the decoder reads beside those, NULL-terminated. */
const char *const *podsku_shape_extras(bool graphql);

/* A field's value, null when unknown: new reference or NULL. encode.c */
json_t *podsku_field_json(const struct podsku_gpu_type *type, const struct podsku_shape_field *field);

/* [{"id", stock_member}] and [{"version", "available"}] of a view: new references or NULL. */
json_t *podsku_data_centers_json(const struct podsku_stock_view *view, const char *stock_member);
json_t *podsku_cuda_json(const struct podsku_stock_view *view);

#endif
