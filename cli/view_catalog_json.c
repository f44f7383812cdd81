/* The podsku.catalog/1 documents. */
#include "base/json.h"
#include "cli/json_offer.h"
#include "cli/view_catalog.h"

static json_t *tri_json(enum podsku_tri tri)
{
    return tri == PODSKU_UNKNOWN ? json_null() : json_boolean(tri == PODSKU_YES);
}

static json_t *count_json(int count)
{
    return count == PODSKU_COUNT_UNKNOWN ? json_null() : json_integer(count);
}

static json_t *manufacturer_json(const struct podsku_gpu_type *type)
{
    switch (type->manufacturer) {
    case PODSKU_NVIDIA: return json_string("NVIDIA");
    case PODSKU_AMD: return json_string("AMD");
    case PODSKU_OTHER_MANUFACTURER: return podsku_json_text(type->manufacturer_word);
    case PODSKU_MANUFACTURER_UNKNOWN: break;
    }
    return json_null();
}

static json_t *price_json(const struct podsku_gpu_type *type)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "secure", podsku_json_money(type->price_uusd[PODSKU_SECURE])) &&
                 podsku_json_set(object, "community", podsku_json_money(type->price_uusd[PODSKU_COMMUNITY])) &&
                 podsku_json_set(object, "serverless", podsku_json_money(type->serverless_uusd));
    return podsku_json_whole(object, whole);
}

static json_t *most_json(const struct podsku_gpu_type *type)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "secure", count_json(type->max_gpus[PODSKU_SECURE])) &&
                 podsku_json_set(object, "community", count_json(type->max_gpus[PODSKU_COMMUNITY]));
    return podsku_json_whole(object, whole);
}

static json_t *topology_json(const struct podsku_gpu_type *type, int gpus)
{
    const struct podsku_topology topology = podsku_topology_of(type, gpus, true);
    const struct podsku_facts *facts = type->facts;
    json_t *object = cli_topology_json(&topology);
    const char *confidence = facts && facts->confidence ? podsku_confidence_name(facts->confidence) : NULL;

    bool whole =
        podsku_json_set(object, "confidence", podsku_json_text(confidence)) &&
        podsku_json_set(object, "source", podsku_json_text(facts ? facts->source : NULL)) &&
        podsku_json_set(object, "checked", podsku_json_text(facts ? facts->checked : NULL)) &&
        podsku_json_set(object, "on_runpod", json_string(facts && facts->on_runpod ? "verified" : "not verified"));
    return podsku_json_whole(object, whole);
}

static json_t *type_json(const struct catalog_view *view, const struct podsku_gpu_type *type)
{
    const struct podsku_stock_view *seen = NULL;
    enum podsku_stock stock = cli_view_stock(view, type, &seen);
    int memory_gb = podsku_gpu_memory_gb(type);
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "id", podsku_json_text(type->id)) &&
                 podsku_json_set(object, "name", podsku_json_text(type->name)) &&
                 podsku_json_set(object, "manufacturer", manufacturer_json(type)) &&
                 podsku_json_set(object, "pool", podsku_json_text(type->pool)) &&
                 podsku_json_set(object, "vram_gb", memory_gb > 0 ? json_integer(memory_gb) : json_null()) &&
                 podsku_json_set(object, "secure", tri_json(type->offered[PODSKU_SECURE])) &&
                 podsku_json_set(object, "community", tri_json(type->offered[PODSKU_COMMUNITY])) &&
                 podsku_json_set(object, "price", price_json(type)) &&
                 podsku_json_set(object, "max_gpus", most_json(type)) &&
                 podsku_json_set(object, "stock", cli_stock_json(stock)) &&
                 podsku_json_set(object, "data_centers", cli_data_centers_json(seen)) &&
                 podsku_json_set(object, "topology", topology_json(type, view->req->gpus[0])) &&
                 podsku_json_set(object, "mig", cli_mig_json(type)) &&
                 podsku_json_set(object, "mig_capable", type->facts ? tri_json(type->facts->mig_capable) : json_null());
    return podsku_json_whole(object, whole);
}

json_t *cli_catalog_json(const struct catalog_view *view)
{
    json_t *document = json_object();
    json_t *types = json_array();
    bool ok = types && podsku_json_set(document, "schema", json_string("podsku.catalog/1")) &&
              podsku_json_set(document, "catalog", cli_source_json(view->catalog));

    for (size_t i = 0; ok && i < view->count; i++)
        ok = cli_json_append(types, type_json(view, view->types[i]));
    ok = ok && json_object_set(document, "gpu_types", types) == 0;
    json_decref(types);
    return podsku_json_whole(document, ok);
}
