/* The model as a REST v2 body. Unknown is null; a member that v2 leaves out is left out. */
#include <stdio.h>

#include "base/json.h"
#include "catalog/shape.h"

json_t *podsku_field_json(const struct podsku_gpu_type *type, const struct podsku_shape_field *field)
{
    const void *source = (const char *)type + field->offset;

    switch (field->kind) {
    case PODSKU_FIELD_TEXT: return podsku_json_text(*(const char *const *)source);
    case PODSKU_FIELD_MEMORY: return *(const int *)source ? json_integer(*(const int *)source) : json_null();
    case PODSKU_FIELD_COUNT:
        return *(const int *)source == PODSKU_COUNT_UNKNOWN ? json_null() : json_integer(*(const int *)source);
    case PODSKU_FIELD_PRICE: return podsku_json_money(*(const int64_t *)source);
    case PODSKU_FIELD_FLAG: break;
    }
    switch (*(const enum podsku_tri *)source) {
    case PODSKU_YES: return json_true();
    case PODSKU_NO: return json_false();
    default: return json_null();
    }
}

/* The object that holds the field: the entry, or its group, made on first use. */
static json_t *holder(json_t *entry, const struct podsku_shape_field *field)
{
    json_t *group = field->group ? json_object_get(entry, field->group) : entry;

    if (!group && podsku_json_set(entry, field->group, json_object()))
        group = json_object_get(entry, field->group);
    return group;
}

static bool set_fields(json_t *entry, const struct podsku_gpu_type *type)
{
    size_t count;
    const struct podsku_shape_field *fields = podsku_shape(false, &count);

    for (size_t i = 0; i < count; i++) {
        json_t *value = podsku_field_json(type, &fields[i]);
        if (fields[i].optional && json_is_null(value)) {
            json_decref(value);
            continue;
        }
        if (!podsku_json_set(holder(entry, &fields[i]), fields[i].member, value))
            return false;
    }
    return true;
}

static json_t *stock_json(enum podsku_stock stock)
{
    return stock == PODSKU_STOCK_UNKNOWN ? json_null() : json_string(podsku_stock_name(stock));
}

json_t *podsku_data_centers_json(const struct podsku_stock_view *view, const char *stock_member)
{
    json_t *list = json_array();

    for (size_t i = 0; i < view->data_center_count; i++) {
        json_t *center = json_object();
        bool made = podsku_json_set(center, "id", podsku_json_text(view->data_centers[i].id)) &&
                    podsku_json_set(center, stock_member, stock_json(view->data_centers[i].stock));
        if (!made || json_array_append(list, center) != 0) {
            json_decref(center);
            json_decref(list);
            return NULL;
        }
        json_decref(center);
    }
    return list;
}

json_t *podsku_cuda_json(const struct podsku_stock_view *view)
{
    json_t *list = json_array();
    char text[32];

    for (size_t i = 0; i < view->cuda_count; i++) {
        const struct podsku_cuda *cuda = &view->cuda[i];
        json_t *version = json_object();
        (void)snprintf(text, sizeof text, "%d.%d", cuda->major, cuda->minor);
        json_t *available =
            cuda->available == PODSKU_UNKNOWN ? json_null() : json_boolean(cuda->available == PODSKU_YES);
        bool made =
            podsku_json_set(version, "version", json_string(text)) && podsku_json_set(version, "available", available);
        if (!made || json_array_append(list, version) != 0) {
            json_decref(version);
            json_decref(list);
            return NULL;
        }
        json_decref(version);
    }
    return list;
}

static bool set_view(json_t *entry, const struct podsku_stock_view *view)
{
    return podsku_json_set(entry, "availability", stock_json(view->stock)) &&
           (!view->data_center_count ||
            podsku_json_set(entry, "dataCenters", podsku_data_centers_json(view, "availability"))) &&
           (!view->cuda_count || podsku_json_set(entry, "cudaVersions", podsku_cuda_json(view)));
}

static json_t *entry_json(const struct podsku_catalog *catalog, const struct podsku_gpu_type *type)
{
    json_t *entry = json_object();

    bool whole = podsku_json_set(entry, "id", podsku_json_text(type->id)) && set_fields(entry, type) &&
                 (catalog->read_count != 1 || type->view_count == 0 || set_view(entry, type->views));
    return podsku_json_whole(entry, whole);
}

json_t *podsku_catalog_encode(const struct podsku_catalog *catalog)
{
    json_t *body = json_object();
    json_t *list = json_array();
    bool made = list != NULL;

    for (size_t i = 0; made && i < catalog->type_count; i++)
        made = json_array_append_new(list, entry_json(catalog, &catalog->types[i])) == 0;
    made = podsku_json_set(body, "gpus", list) && made;
    return podsku_json_whole(body, made);
}
