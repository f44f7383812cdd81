/* The podsku.pick/1 document. */
#include "base/json.h"
#include "cli/json_offer.h"
#include "cli/view_pick.h"

static json_t *gains_json(const struct podsku_suggestion *suggestion)
{
    json_t *array = json_array();

    for (size_t i = 0; i < suggestion->gain_count; i++) {
        if (!cli_json_append(array, cli_offer_short_json(&suggestion->gains[i]))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *suggestions_json(const struct podsku_decision *decision)
{
    json_t *array = json_array();

    for (size_t i = 0; i < decision->suggestion_count; i++) {
        const struct podsku_suggestion *suggestion = &decision->suggestions[i];
        json_t *object = json_object();
        bool whole = podsku_json_set(object, "relax", json_string(suggestion->relax)) &&
                     podsku_json_set(object, "to", json_deep_copy(suggestion->to)) &&
                     podsku_json_set(object, "gains", gains_json(suggestion)) && /* the best of them */
                     podsku_json_set(object, "gains_total", json_integer((json_int_t)suggestion->gain_total));
        object = podsku_json_whole(object, whole);
        if (!cli_json_append(array, object)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *alternatives_json(const struct podsku_decision *decision)
{
    json_t *array = json_array();

    for (size_t i = 0; i < decision->alternative_count; i++) {
        const struct podsku_alternative *way = &decision->alternatives[i];
        json_t *object = json_object();
        bool whole =
            podsku_json_set(object, "approach", json_string(way->approach)) &&
            podsku_json_set(object, "isolates", podsku_json_text(way->isolates)) &&
            podsku_json_set(object, "needs", podsku_json_text(way->needs)) &&
            podsku_json_set(object, "verified", json_boolean(way->verified)) &&
            podsku_json_set(object, "cheapest", way->cheapest ? cli_offer_short_json(way->cheapest) : json_null());
        object = podsku_json_whole(object, whole);
        if (!cli_json_append(array, object)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *notes_json(const struct pick_view *view)
{
    json_t *array = cli_notes_json(view->decision->notes, view->decision->note_count);
    struct podsku_buf text = {0};

    if (!array || !view->contradiction)
        return array;
    podsku_buf_printf(&text, "contradiction: %s", view->contradiction);
    if (podsku_buf_failed(&text) || json_array_insert_new(array, 0, podsku_json_text(podsku_buf_text(&text))) != 0) {
        json_decref(array);
        array = NULL;
    }
    podsku_buf_free(&text);
    return array;
}

/* What verifications found of the types of this catalogue. */
static json_t *observations_json(const struct pick_view *view)
{
    json_t *array = json_array();

    for (size_t i = 0; i < view->observations->count; i++) {
        const struct cli_observation *seen = &view->observations->list[i];
        if (!podsku_catalog_find(view->catalog, seen->gpu))
            continue;
        if (!cli_json_append(array, cli_observation_json(seen))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *cli_pick_json(const struct pick_view *view)
{
    const struct podsku_decision *decision = view->decision;
    json_t *document = json_object();

    bool whole =
        podsku_json_set(document, "schema", json_string("podsku.pick/1")) &&
        podsku_json_set(document, "catalog", cli_source_json(view->catalog)) &&
        podsku_json_set(document, "requirement", podsku_requirement_encode(view->req)) &&
        podsku_json_set(document, "candidates", cli_offers_json(decision->candidates, decision->candidate_count)) &&
        podsku_json_set(document, "rejected", cli_rejected_json(decision->rejected, decision->rejected_count)) &&
        podsku_json_set(document, "suggestions", suggestions_json(decision)) &&
        podsku_json_set(document, "alternatives", alternatives_json(decision)) &&
        podsku_json_set(document, "notes", notes_json(view)) &&
        (!view->observations || podsku_json_set(document, "observations", observations_json(view)));
    return podsku_json_whole(document, whole);
}
