/*
 * The nearest miss: the rejected offer that the requirement comes closest to. Each reason adds how
 * far the offer is from passing it: bounds by their relative shortfall, the rest by fixed amounts.
 */
#include <inttypes.h>
#include <math.h>

#include "rules/fraction.h"
#include "rules/judge.h"

/* From here on, an offer is no miss but something else. */
#define FAR 4.0
#define EACH_REASON 0.05

static double shortfall(double has, double asked)
{
    double larger = has > asked ? has : asked;

    return has > 0 && larger > 0 ? fabs(has - asked) / larger : 1.5;
}

static double nvlink_distance(const struct podsku_offer *offer)
{
    const struct podsku_facts *facts = offer->type->facts;

    if (offer->type->slice || !facts)
        return 2;
    switch (facts->evidence) {
    case PODSKU_EVIDENCE_BOARD: return 0.4;
    case PODSKU_EVIDENCE_NOMINAL: return 0.5;
    case PODSKU_EVIDENCE_CONNECTOR: return 1;
    case PODSKU_EVIDENCE_NONE:
    case PODSKU_EVIDENCE_UNKNOWN: break;
    }
    return 1.5;
}

static double share_distance(int numerator, int denominator, struct podsku_fraction asked)
{
    if (denominator == 0 || asked.denominator == 0)
        return 1.5;
    return shortfall((double)numerator / denominator, (double)asked.numerator / (double)asked.denominator);
}

static double fraction_distance(const struct judge *judge, const struct podsku_offer *offer, bool memory)
{
    const struct podsku_slice *slice = offer->type->slice;

    if (!slice || !judge->parents[offer->type - judge->catalog->types])
        return FAR; /* another card is no part of this one */
    return memory ? share_distance(slice->memory_numerator, slice->memory_denominator, judge->req->memory_fraction)
                  : share_distance(slice->compute_numerator, slice->compute_denominator, judge->req->compute_fraction);
}

static double vram_distance(const struct podsku_requirement *req, const struct podsku_offer *offer)
{
    bool low = req->min_vram_gb >= 0 && offer->memory_gb < req->min_vram_gb;

    return shortfall(offer->memory_gb, low ? req->min_vram_gb : req->max_vram_gb);
}

static double distance_by(const struct judge *judge, const struct podsku_offer *offer, enum podsku_rule rule)
{
    const struct podsku_requirement *req = judge->req;

    switch (rule) {
    case PODSKU_RULE_GPUS: return shortfall(offer->type->max_gpus[offer->cloud], offer->gpus);
    case PODSKU_RULE_NVLINK: return nvlink_distance(offer);
    case PODSKU_RULE_LINK_BANDWIDTH: return shortfall(offer->topology.link_gbs, req->min_link_gbs);
    case PODSKU_RULE_VRAM: return vram_distance(req, offer);
    case PODSKU_RULE_TOTAL_VRAM: return shortfall((double)offer->total_memory_gb, req->min_total_vram_gb);
    case PODSKU_RULE_MEMORY_FRACTION: return fraction_distance(judge, offer, true);
    case PODSKU_RULE_COMPUTE_FRACTION: return fraction_distance(judge, offer, false);
    case PODSKU_RULE_PRICE: return shortfall((double)offer->price_gpu_uusd, (double)req->max_price_uusd);
    case PODSKU_RULE_TOTAL_PRICE: return shortfall((double)offer->price_total_uusd, (double)req->max_total_uusd);
    case PODSKU_RULE_STOCK: return 0.3;
    case PODSKU_RULE_PLACEMENT:
    case PODSKU_RULE_CUDA:
    case PODSKU_RULE_UNPRICED: return 0.8;
    case PODSKU_RULE_COMPUTE_CAPABILITY:
    case PODSKU_RULE_ARCH:
    case PODSKU_RULE_MIG:
    case PODSKU_RULE_MANUFACTURER:
    case PODSKU_RULE_INTER_NODE:
    case PODSKU_RULE_NODES: return 1.5;
    case PODSKU_RULE_CLOUD: return 2;
    case PODSKU_RULE_GPU: /* what was not named, or named as unwanted, is no miss */
    case PODSKU_RULE_EXCLUDE:
    case PODSKU_RULE_COUNT: break;
    }
    return FAR;
}

static double distance_of(const struct judge *judge, const struct podsku_offer *offer)
{
    double distance = 0;

    for (size_t i = 0; i < offer->reason_count; i++)
        distance += EACH_REASON + distance_by(judge, offer, offer->reasons[i].rule);
    return distance;
}

/* 0: unknown, as it is where the offer's cloud does not have it. */
static int64_t price_of(const struct podsku_offer *offer)
{
    return podsku_type_not_offered(offer->type, offer->cloud) ? 0 : offer->price_total_uusd;
}

/* Does a, as far away as b, come before it? The cheaper one, unpriced last; then by id. */
static bool is_cheaper(const struct podsku_offer *a, const struct podsku_offer *b)
{
    int64_t left = price_of(a);
    int64_t right = price_of(b);

    return left == 0 || right == 0 ? left > right : left < right;
}

/* NVLink between some of the cards says more in numbers of pairs than as a rule. */
static char *explain(const struct podsku_offer *miss, struct rules_store *store)
{
    const struct podsku_reason *reason = podsku_offer_chief_reason(miss);
    const struct podsku_facts *facts = miss->type->facts;
    int64_t n = miss->gpus > 2 ? miss->gpus : 2;
    int domain = facts ? facts->nvlink_domain : 0;

    if (reason->rule != PODSKU_RULE_NVLINK || miss->type->slice || domain < 2 || n <= domain ||
        facts->evidence == PODSKU_EVIDENCE_BOARD || facts->arch == PODSKU_ARCH_VOLTA)
        return podsku_store_text(store, reason->message);
    if (domain == 2)
        return podsku_store_printf(store, "bridges join pairs, at best %" PRId64 " of %" PRId64 " pairs",
                                   podsku_pairs_joined(n, domain), n * (n - 1) / 2);
    return podsku_store_printf(store, "bridges join %d cards, at best %" PRId64 " of %" PRId64 " pairs", domain,
                               podsku_pairs_joined(n, domain), n * (n - 1) / 2);
}

bool podsku_find_nearest_miss(const struct judge *judge, struct podsku_decision *decision)
{
    const struct podsku_offer *nearest = NULL;
    double least = FAR;

    for (size_t i = 0; i < decision->rejected_count; i++) {
        const struct podsku_offer *offer = &decision->rejected[i];
        double distance = distance_of(judge, offer);
        if (distance < least || (nearest && distance == least && is_cheaper(offer, nearest))) {
            nearest = offer;
            least = distance;
        }
    }
    if (!nearest)
        return true;
    decision->nearest_miss = nearest;
    decision->nearest_miss_why = explain(nearest, decision->store);
    return decision->nearest_miss_why != NULL;
}
