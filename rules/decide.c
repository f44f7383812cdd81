#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rules/judge.h"
#include "rules/shelf.h"

static bool gather(const struct judge *judge, enum podsku_detail detail, struct podsku_decision *decision,
                   const struct podsku_gpu_type *type)
{
    const struct podsku_requirement *req = judge->req;
    struct rules_store *store = decision->store;

    for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
        if (!req->cloud[cloud])
            continue;
        if (detail == PODSKU_DECIDE_COUNT && podsku_type_not_offered(type, (enum podsku_cloud)cloud)) {
            decision->rejected_count += req->gpus_count; /* the cheapest rule of all, for all counts at once */
            continue;
        }
        for (size_t i = 0; i < req->gpus_count; i++) {
            struct podsku_offer offer;
            bool candidate;
            podsku_offer_begin(&offer, judge, type, (enum podsku_cloud)cloud, req->gpus[i]);
            if (detail == PODSKU_DECIDE_COUNT) {
                candidate = podsku_offer_passes(&offer, judge);
            } else {
                podsku_offer_finish(&offer, judge);
                if (!podsku_offer_explain(&offer, judge, store))
                    return false;
                candidate = offer.reason_count == 0;
            }
            decision->rejected_count += !candidate;
            if (candidate && !podsku_offers_add(&store->candidates, &offer))
                return false;
            if (!candidate && detail != PODSKU_DECIDE_COUNT && !podsku_offers_add(&store->rejected, &offer))
                return false;
        }
    }
    return true;
}

/* Candidates in order and cut at the limit, rejected ones by id. */
static bool settle(const struct judge *judge, enum podsku_detail detail, struct podsku_decision *decision)
{
    struct rules_store *store = decision->store;

    if (!podsku_order(&store->ranking, judge->req, store->candidates.list, store->candidates.count))
        return false;
    decision->candidates = store->candidates.list;
    decision->candidate_total = decision->candidate_count = store->candidates.count;
    if (judge->req->limit > 0 && decision->candidate_count > (size_t)judge->req->limit)
        decision->candidate_count = (size_t)judge->req->limit;
    if (detail != PODSKU_DECIDE_COUNT) {
        podsku_order_by_id(store->rejected.list, store->rejected.count);
        decision->rejected = store->rejected.list;
    }
    return true;
}

/* Only the candidates, from a shelf: what most requirements of a batch share has been judged before. */
static bool count_from_shelf(const struct judge *judge, struct podsku_decision *decision)
{
    const struct podsku_requirement *req = judge->req;
    struct offer_list *candidates = &decision->store->candidates;
    const struct shelf *shelf = podsku_shelf(decision->store, judge);
    size_t clouds = (size_t)req->cloud[PODSKU_SECURE] + (size_t)req->cloud[PODSKU_COMMUNITY];
    size_t limit = req->limit > 0 ? (size_t)req->limit : SIZE_MAX;
    size_t passed = 0;

    if (!shelf || !podsku_grow(&candidates->list, &candidates->cap, shelf->count, sizeof *candidates->list))
        return false;
    for (size_t i = 0; i < shelf->count; i++) {
        if (!podsku_offer_meets(shelf->ranks[i].offer, judge, judge->bounds, judge->bound_count))
            continue;
        if (passed++ < limit)
            candidates->list[candidates->count++] = *shelf->ranks[i].offer;
    }
    decision->candidates = candidates->list;
    decision->candidate_count = candidates->count;
    decision->candidate_total = passed;
    decision->rejected_count = judge->catalog->type_count * clouds * req->gpus_count - passed;
    return true;
}

/* The decision, empty, with its memory ready. */
static bool begin(struct podsku_decision *decision, const struct podsku_catalog *catalog,
                  const struct podsku_requirement *req)
{
    struct rules_store *store = decision->store;

    memset(decision, 0, sizeof *decision);
    if (!store)
        store = calloc(1, sizeof *store);
    decision->store = store;
    if (!store)
        return false;
    podsku_store_reset(store);
    return !podsku_judge_needs_parents(req) ||
           podsku_grow(&store->parents, &store->parents_cap, catalog->type_count + 1, 1);
}

static bool decide(const struct judge *judge, enum podsku_detail detail, struct podsku_decision *decision)
{
    const struct podsku_catalog *catalog = judge->catalog;

    if (detail == PODSKU_DECIDE_COUNT && podsku_shelves_suit(catalog))
        return count_from_shelf(judge, decision);
    for (size_t i = 0; i < catalog->type_count; i++)
        if (!gather(judge, detail, decision, &catalog->types[i]))
            return false;
    if (!settle(judge, detail, decision))
        return false;
    if (detail != PODSKU_DECIDE_COUNT && !podsku_note_decision(judge, decision))
        return false;
    if (detail != PODSKU_DECIDE_FULL)
        return true;
    return podsku_suggest(judge, decision) && podsku_list_alternatives(judge, decision) &&
           podsku_find_nearest_miss(judge, decision);
}

enum podsku_code podsku_decide(const struct podsku_catalog *catalog, const struct podsku_requirement *req,
                               enum podsku_detail detail, bool lenient, struct podsku_decision *decision,
                               struct podsku_error *err)
{
    struct judge judge;

    if (!begin(decision, catalog, req))
        return podsku_error_no_memory(err);
    podsku_judge_prepare(&judge, catalog, req, decision->store->parents);
    if (!lenient) {
        enum podsku_code code = podsku_check_patterns(&judge, err);
        if (code != PODSKU_OK)
            return code;
    }
    return decide(&judge, detail, decision) ? PODSKU_OK : podsku_error_no_memory(err);
}

void podsku_decision_free(struct podsku_decision *decision)
{
    if (!decision)
        return;
    podsku_store_free(decision->store);
    memset(decision, 0, sizeof *decision);
}
