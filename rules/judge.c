#include "rules/judge.h"

#include <string.h>

#include "base/money.h"
#include "base/text.h"

/* Allowed parents and their slices: those of the slices on sale, or what --mig-parent matches. */
static void mark_parents(const struct judge *judge, unsigned char *marks)
{
    const struct podsku_catalog *catalog = judge->catalog;
    const char *pattern = judge->req->mig_parent;

    memset(marks, 0, catalog->type_count);
    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &catalog->types[i];
        if (!type->slice) {
            marks[i] = marks[i] || (pattern && podsku_type_matches(type, pattern));
            continue;
        }
        const struct podsku_gpu_type *parent = podsku_catalog_find(catalog, type->slice->parent);
        marks[i] = !pattern || podsku_text_match(pattern, type->slice->parent) ||
                   (parent && podsku_type_matches(parent, pattern));
        if (parent && !pattern)
            marks[parent - catalog->types] = 1;
    }
}

static bool lists_data_centers(const struct podsku_catalog *catalog)
{
    for (size_t i = 0; i < catalog->type_count; i++)
        for (size_t k = 0; k < catalog->types[i].view_count; k++)
            if (catalog->types[i].views[k].data_center_count > 0)
                return true;
    return false;
}

void podsku_judge_prepare(struct judge *judge, const struct podsku_catalog *catalog,
                          const struct podsku_requirement *req, unsigned char *parents)
{
    bool asked[PODSKU_RULE_COUNT];

    memset(judge, 0, sizeof *judge);
    judge->catalog = catalog;
    judge->req = req;
    judge->filter = podsku_requirement_filter(req);
    judge->mig = podsku_requirement_mig(req);
    judge->manufacturer = req->manufacturer != PODSKU_WANT_DEFAULT ? req->manufacturer
                          : req->gpu.count > 0                     ? PODSKU_WANT_ANY
                                                                   : PODSKU_WANT_NVIDIA;
    for (int rule = 0; rule < PODSKU_RULE_COUNT; rule++) {
        asked[rule] = podsku_rule_is_asked((enum podsku_rule)rule, judge);
        if (asked[rule])
            judge->asked[judge->asked_count++] = (enum podsku_rule)rule;
    }
    for (size_t i = 0; i < PODSKU_RULE_COUNT; i++) {
        enum podsku_rule rule = podsku_rule_quick(i);
        if (rule == PODSKU_RULE_QUICK_FINISHED)
            judge->quick_plain = judge->quick_count;
        if (!asked[rule])
            continue;
        const struct rule_row *row = podsku_rule_row(rule);
        judge->quick[judge->quick_count++] = row;
        if (!row->by_choice)
            judge->bounds[judge->bound_count++] = row;
    }
    if (podsku_judge_needs_parents(req)) {
        mark_parents(judge, parents);
        judge->parents = parents;
    }
    judge->lists_data_centers = asked[PODSKU_RULE_PLACEMENT] && lists_data_centers(catalog);
}

/* uusd x count, with the premium of clusters, within what an amount may be. */
static int64_t total_price(int64_t uusd, int64_t count, bool premium)
{
    int64_t total;

    if (!premium && !__builtin_mul_overflow(uusd, count, &total) && total <= PODSKU_UUSD_MAX)
        return total;
    if (premium && podsku_money_scale(uusd, count * 6, 5, &total))
        return total;
    return PODSKU_UUSD_MAX;
}

void podsku_offer_begin(struct podsku_offer *offer, const struct judge *judge, const struct podsku_gpu_type *type,
                        enum podsku_cloud cloud, int gpus)
{
    int nodes = judge->req->nodes;
    int64_t count = (int64_t)gpus * nodes;

    memset(offer, 0, sizeof *offer);
    offer->type = type;
    offer->cloud = cloud;
    offer->gpus = gpus;
    offer->nodes = nodes;
    offer->price_gpu_uusd = type->price_uusd[cloud];
    offer->price_estimated = nodes > 1;
    offer->price_total_uusd = total_price(offer->price_gpu_uusd, count, offer->price_estimated);
    offer->memory_gb = podsku_gpu_memory_gb(type);
    offer->total_memory_gb = offer->memory_gb * count;
}

struct podsku_catalog_filter podsku_requirement_filter(const struct podsku_requirement *req)
{
    struct podsku_catalog_filter filter = {.countries = (const char *const *)req->countries.list,
                                           .country_count = req->countries.count};

    if (req->cuda_major >= 0) {
        filter.cuda_major = req->cuda_major;
        filter.cuda_minor = req->cuda_minor;
    }
    return filter;
}

/* A read of Instant Clusters says more about several nodes than one of pods. */
static enum podsku_stock cluster_stock(const struct judge *judge, const struct podsku_offer *offer,
                                       const struct podsku_stock_view **view)
{
    for (size_t i = 0; i < offer->type->view_count; i++) {
        const struct podsku_stock_view *seen = &offer->type->views[i];
        const struct podsku_catalog_query *read = &judge->catalog->reads[seen->read];
        bool counts = seen->stock != PODSKU_STOCK_NONE || podsku_catalog_read_covers(read, &judge->filter);
        bool implied = read->count == offer->gpus || (read->count < offer->gpus && seen->stock == PODSKU_STOCK_NONE) ||
                       (read->count > offer->gpus && seen->stock > PODSKU_STOCK_NONE);
        if (read->product == PODSKU_PRODUCT_CLUSTER && read->has_cloud && read->cloud == offer->cloud && implied &&
            counts && seen->stock != PODSKU_STOCK_UNKNOWN) {
            *view = seen;
            return seen->stock;
        }
    }
    return PODSKU_STOCK_UNKNOWN;
}

void podsku_offer_finish(struct podsku_offer *offer, const struct judge *judge)
{
    const struct podsku_requirement *req = judge->req;

    offer->topology = podsku_topology_of(offer->type, offer->gpus,
                                         podsku_requirement_nvlink(req, offer->gpus) == PODSKU_NVLINK_POSSIBLE);
    if (offer->type->view_count == 0)
        return;
    if (offer->nodes > 1)
        offer->stock = cluster_stock(judge, offer, &offer->view);
    if (offer->stock == PODSKU_STOCK_UNKNOWN)
        offer->stock =
            podsku_catalog_stock(judge->catalog, offer->type, offer->cloud, offer->gpus, &judge->filter, &offer->view);
}

bool podsku_offer_passes(struct podsku_offer *offer, const struct judge *judge)
{
    if (!podsku_offer_meets(offer, judge, judge->quick, judge->quick_plain))
        return false;
    podsku_offer_finish(offer, judge);
    return podsku_offer_meets(offer, judge, judge->quick + judge->quick_plain, judge->quick_count - judge->quick_plain);
}

void podsku_each_passing(const struct judge *judge, podsku_offer_visitor *visit, void *ctx)
{
    const struct podsku_requirement *req = judge->req;

    for (size_t t = 0; t < judge->catalog->type_count; t++) {
        const struct podsku_gpu_type *type = &judge->catalog->types[t];
        for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
            if (!req->cloud[cloud] || podsku_type_not_offered(type, (enum podsku_cloud)cloud))
                continue;
            for (size_t i = 0; i < req->gpus_count; i++) {
                struct podsku_offer offer;
                podsku_offer_begin(&offer, judge, type, (enum podsku_cloud)cloud, req->gpus[i]);
                if (podsku_offer_passes(&offer, judge))
                    visit(ctx, &offer);
            }
        }
    }
}

/* Copies what was gathered behind the offer; notes are for candidates only. */
static bool keep_remarks(struct podsku_offer *offer, struct rules_store *store, const struct podsku_reason *reasons,
                         size_t reason_count, const struct podsku_note *notes, size_t note_count)
{
    if (reason_count) {
        struct podsku_reason *copy = podsku_store_alloc(store, reason_count * sizeof *copy);
        if (!copy)
            return false;
        memcpy(copy, reasons, reason_count * sizeof *copy);
        offer->reasons = copy;
        offer->reason_count = reason_count;
    } else if (note_count) {
        struct podsku_note *copy = podsku_store_alloc(store, note_count * sizeof *copy);
        if (!copy)
            return false;
        memcpy(copy, notes, note_count * sizeof *copy);
        offer->notes = copy;
        offer->note_count = note_count;
    }
    return true;
}

bool podsku_offer_explain(struct podsku_offer *offer, const struct judge *judge, struct rules_store *store)
{
    struct podsku_reason reasons[PODSKU_RULE_COUNT];
    struct podsku_note notes[PODSKU_RULE_COUNT];
    size_t reason_count = 0;
    size_t note_count = 0;
    struct says says;

    for (size_t i = 0; i < judge->asked_count; i++) {
        enum podsku_rule rule = judge->asked[i];
        const struct rule_row *row = podsku_rule_row(rule);
        says.said = false;
        enum podsku_tri verdict = row->judge(judge, offer, &says);
        bool passed = verdict == PODSKU_YES || (verdict == PODSKU_UNKNOWN && row->unknown_passes);
        if (passed && (!says.said || reason_count))
            continue;
        char *text = podsku_store_text(store, says.text);
        if (!text)
            return false;
        if (passed)
            notes[note_count++] = (struct podsku_note){says.brief, text};
        else
            reasons[reason_count++] = (struct podsku_reason){rule, says.brief, text};
    }
    return keep_remarks(offer, store, reasons, reason_count, notes, note_count);
}

bool podsku_offer_is_of(const struct podsku_offer *offer, const struct podsku_requirement *req)
{
    if (!req->cloud[offer->cloud] || offer->nodes != req->nodes)
        return false;
    for (size_t i = 0; i < req->gpus_count; i++)
        if (req->gpus[i] == offer->gpus)
            return true;
    return false;
}
