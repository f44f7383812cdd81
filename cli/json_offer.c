#include "cli/json_offer.h"

#include <math.h>
#include <stdio.h>

#include "base/json.h"

bool cli_json_append(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) == 0;
}

json_t *cli_json_number(double number)
{
    if (number < 0)
        return json_null();
    if (number == floor(number) && number < 1e15)
        return json_integer((json_int_t)number);
    return json_real(number);
}

/* 0 is what both the catalogue and the facts use for "unknown" here. */
static json_t *known_integer(int64_t number)
{
    return number > 0 ? json_integer(number) : json_null();
}

static json_t *fraction_json(int numerator, int denominator)
{
    return denominator > 0 ? json_real((double)numerator / denominator) : json_null();
}

json_t *cli_stock_json(enum podsku_stock stock)
{
    return stock == PODSKU_STOCK_UNKNOWN ? json_null() : json_string(podsku_stock_name(stock));
}

json_t *cli_topology_json(const struct podsku_topology *topology)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "link", json_string(podsku_link_name(topology->link))) &&
                 podsku_json_set(object, "evidence", json_string(podsku_evidence_name(topology->evidence))) &&
                 podsku_json_set(object, "link_gbs", cli_json_number(topology->link_gbs)) &&
                 podsku_json_set(object, "nvlink_generation", known_integer(topology->nvlink_generation)) &&
                 podsku_json_set(object, "nvlink_domain", known_integer(topology->nvlink_domain));
    return podsku_json_whole(object, whole);
}

json_t *cli_mig_json(const struct podsku_gpu_type *type)
{
    const struct podsku_slice *slice = type->slice;

    if (!slice)
        return json_null();
    json_t *object = json_object();
    bool whole =
        podsku_json_set(object, "parent", podsku_json_text(slice->parent)) &&
        podsku_json_set(object, "profile", podsku_json_text(slice->profile)) &&
        podsku_json_set(object, "memory_fraction", fraction_json(slice->memory_numerator, slice->memory_denominator)) &&
        podsku_json_set(object, "compute_fraction",
                        fraction_json(slice->compute_numerator, slice->compute_denominator));
    return podsku_json_whole(object, whole);
}

json_t *cli_data_centers_json(const struct podsku_stock_view *view)
{
    if (!view)
        return json_null();
    json_t *array = json_array();
    for (size_t i = 0; i < view->data_center_count; i++) {
        json_t *center = json_object();
        if (!podsku_json_set(center, "id", podsku_json_text(view->data_centers[i].id)) ||
            !podsku_json_set(center, "stock", cli_stock_json(view->data_centers[i].stock))) {
            json_decref(center);
            json_decref(array);
            return NULL;
        }
        if (!cli_json_append(array, center)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *cli_notes_json(const struct podsku_note *notes, size_t count)
{
    json_t *array = json_array();
    struct podsku_buf text = {0};

    for (size_t i = 0; i < count && array; i++) {
        podsku_buf_reset(&text);
        podsku_buf_printf(&text, "%s: %s", notes[i].code, notes[i].message);
        if (podsku_buf_failed(&text) || !cli_json_append(array, podsku_json_text(podsku_buf_text(&text)))) {
            json_decref(array);
            array = NULL;
        }
    }
    podsku_buf_free(&text);
    return array;
}

json_t *cli_source_json(const struct podsku_catalog *catalog)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "source", json_string(podsku_source_name(catalog->source))) &&
                 podsku_json_set(object, "path", podsku_json_text(catalog->path)) &&
                 podsku_json_set(object, "recorded_at", podsku_json_time(catalog->recorded_ms)) &&
                 podsku_json_set(object, "sha256", podsku_json_text(catalog->sha256[0] ? catalog->sha256 : NULL)) &&
                 podsku_json_set(object, "gpu_types", json_integer((json_int_t)catalog->entries));
    return podsku_json_whole(object, whole);
}

static bool set_identity(json_t *object, const struct podsku_offer *offer)
{
    return podsku_json_set(object, "id", podsku_json_text(offer->type->id)) &&
           podsku_json_set(object, "name", podsku_json_text(podsku_gpu_name(offer->type))) &&
           podsku_json_set(object, "cloud", json_string(podsku_cloud_name(offer->cloud))) &&
           podsku_json_set(object, "gpus", json_integer(offer->gpus));
}

static json_t *max_gpus_json(const struct podsku_offer *offer)
{
    int most = offer->type->max_gpus[offer->cloud];

    return most == PODSKU_COUNT_UNKNOWN ? json_null() : json_integer(most);
}

json_t *cli_offer_json(const struct podsku_offer *offer, size_t rank)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "rank", json_integer((json_int_t)rank)) && set_identity(object, offer) &&
                 podsku_json_set(object, "nodes", json_integer(offer->nodes)) &&
                 podsku_json_set(object, "price_per_gpu_hour", podsku_json_money(offer->price_gpu_uusd)) &&
                 podsku_json_set(object, "price_per_hour", podsku_json_money(offer->price_total_uusd)) &&
                 podsku_json_set(object, "price_estimated", json_boolean(offer->price_estimated)) &&
                 podsku_json_set(object, "vram_gb", known_integer(offer->memory_gb)) &&
                 podsku_json_set(object, "total_vram_gb", known_integer(offer->total_memory_gb)) &&
                 podsku_json_set(object, "topology", cli_topology_json(&offer->topology)) &&
                 podsku_json_set(object, "mig", cli_mig_json(offer->type)) &&
                 podsku_json_set(object, "stock", cli_stock_json(offer->stock)) &&
                 podsku_json_set(object, "data_centers", cli_data_centers_json(offer->view)) &&
                 podsku_json_set(object, "max_gpus", max_gpus_json(offer)) &&
                 podsku_json_set(object, "notes", cli_notes_json(offer->notes, offer->note_count));
    return podsku_json_whole(object, whole);
}

json_t *cli_offers_json(const struct podsku_offer *offers, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++) {
        if (!cli_json_append(array, cli_offer_json(&offers[i], i + 1))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *cli_offer_short_json(const struct podsku_offer *offer)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "id", podsku_json_text(offer->type->id)) &&
                 podsku_json_set(object, "cloud", json_string(podsku_cloud_name(offer->cloud))) &&
                 podsku_json_set(object, "gpus", json_integer(offer->gpus)) &&
                 podsku_json_set(object, "price_per_hour", podsku_json_money(offer->price_total_uusd));
    return podsku_json_whole(object, whole);
}

static json_t *reasons_json(const struct podsku_offer *offer)
{
    json_t *array = json_array();

    for (size_t i = 0; i < offer->reason_count; i++) {
        json_t *reason = json_object();
        if (!podsku_json_set(reason, "rule", json_string(podsku_rule_name(offer->reasons[i].rule))) ||
            !podsku_json_set(reason, "message", podsku_json_text(offer->reasons[i].message))) {
            json_decref(reason);
            json_decref(array);
            return NULL;
        }
        if (!cli_json_append(array, reason)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *cli_rejected_json(const struct podsku_offer *offers, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        if (!set_identity(object, &offers[i]) || !podsku_json_set(object, "reasons", reasons_json(&offers[i]))) {
            json_decref(object);
            json_decref(array);
            return NULL;
        }
        if (!cli_json_append(array, object)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}
