/*
 * What is known of each rule: what judges it, when it is asked, how soon it is tried, how much it tells.
 */
#include "rules/judge.h"

#include <stdarg.h>
#include <stdio.h>

/* Sentences come from the public list; what is judged, and what unknown does, is added here. */
#define NAME(constant, name, passes, unknown) [PODSKU_RULE_##constant] = (name),
#define PASSES(constant, name, passes, unknown) [PODSKU_RULE_##constant] = (passes),
#define UNKNOWN(constant, name, passes, unknown) [PODSKU_RULE_##constant] = (unknown),
static const char *const names[] = {PODSKU_RULE_LIST(NAME)};
static const char *const sentences[] = {PODSKU_RULE_LIST(PASSES)};
static const char *const unknowns[] = {PODSKU_RULE_LIST(UNKNOWN)};

static const struct rule_row rows[] = {
    [PODSKU_RULE_CLOUD] = {podsku_judge_cloud, .unknown_passes = true, .by_choice = true},
    [PODSKU_RULE_GPUS] = {podsku_judge_gpus, .unknown_passes = true, .by_choice = true},
    [PODSKU_RULE_UNPRICED] = {podsku_judge_unpriced, .unknown_passes = false, .by_choice = true},
    [PODSKU_RULE_NVLINK] = {podsku_judge_nvlink, .unknown_passes = false, .by_choice = true},
    [PODSKU_RULE_LINK_BANDWIDTH] = {podsku_judge_link_bandwidth, .unknown_passes = false},
    [PODSKU_RULE_VRAM] = {podsku_judge_vram, .unknown_passes = false},
    [PODSKU_RULE_TOTAL_VRAM] = {podsku_judge_total_vram, .unknown_passes = false},
    [PODSKU_RULE_MEMORY_FRACTION] = {podsku_judge_memory_fraction, .unknown_passes = false},
    [PODSKU_RULE_COMPUTE_FRACTION] = {podsku_judge_compute_fraction, .unknown_passes = false},
    [PODSKU_RULE_MIG] = {podsku_judge_mig, .unknown_passes = false, .by_choice = true},
    [PODSKU_RULE_PRICE] = {podsku_judge_price, .unknown_passes = false},
    [PODSKU_RULE_TOTAL_PRICE] = {podsku_judge_total_price, .unknown_passes = false},
    [PODSKU_RULE_GPU] = {podsku_judge_gpu, .unknown_passes = false},
    [PODSKU_RULE_EXCLUDE] = {podsku_judge_exclude, .unknown_passes = false},
    [PODSKU_RULE_MANUFACTURER] = {podsku_judge_manufacturer, .unknown_passes = false, .by_choice = true},
    [PODSKU_RULE_ARCH] = {podsku_judge_arch, .unknown_passes = false},
    [PODSKU_RULE_COMPUTE_CAPABILITY] = {podsku_judge_compute_capability, .unknown_passes = false},
    [PODSKU_RULE_CUDA] = {podsku_judge_cuda, .unknown_passes = true}, /* AMD: the predicate says no */
    [PODSKU_RULE_PLACEMENT] = {podsku_judge_placement, .unknown_passes = false},
    [PODSKU_RULE_STOCK] = {podsku_judge_stock, .unknown_passes = true, .by_choice = true},
    [PODSKU_RULE_NODES] = {podsku_judge_nodes, .unknown_passes = false, .by_choice = true},
    [PODSKU_RULE_INTER_NODE] = {podsku_judge_inter_node, .unknown_passes = false},
};
_Static_assert(sizeof rows / sizeof rows[0] == PODSKU_RULE_COUNT, "every rule has a predicate");

/* Which reason tells most about an offer: the first of these that it has. */
static const enum podsku_rule chief_first[] = {
    PODSKU_RULE_GPU,
    PODSKU_RULE_EXCLUDE,
    PODSKU_RULE_MIG,
    PODSKU_RULE_NVLINK,
    PODSKU_RULE_LINK_BANDWIDTH,
    PODSKU_RULE_MEMORY_FRACTION,
    PODSKU_RULE_COMPUTE_FRACTION,
    PODSKU_RULE_VRAM,
    PODSKU_RULE_TOTAL_VRAM,
    PODSKU_RULE_MANUFACTURER,
    PODSKU_RULE_ARCH,
    PODSKU_RULE_COMPUTE_CAPABILITY,
    PODSKU_RULE_NODES,
    PODSKU_RULE_INTER_NODE,
    PODSKU_RULE_CLOUD,
    PODSKU_RULE_GPUS,
    PODSKU_RULE_UNPRICED,
    PODSKU_RULE_PRICE,
    PODSKU_RULE_TOTAL_PRICE,
    PODSKU_RULE_CUDA,
    PODSKU_RULE_PLACEMENT,
    PODSKU_RULE_STOCK,
};
_Static_assert(sizeof chief_first / sizeof chief_first[0] == PODSKU_RULE_COUNT, "every rule has a rank");

/*
 * Cheapest first, for when only the verdict counts. From PODSKU_RULE_QUICK_FINISHED on, a rule needs what
 * podsku_offer_finish() fills.
 */
static const enum podsku_rule quick_order[] = {
    PODSKU_RULE_CLOUD,
    PODSKU_RULE_GPUS,
    PODSKU_RULE_UNPRICED,
    PODSKU_RULE_MIG,
    PODSKU_RULE_MANUFACTURER,
    PODSKU_RULE_VRAM,
    PODSKU_RULE_TOTAL_VRAM,
    PODSKU_RULE_PRICE,
    PODSKU_RULE_TOTAL_PRICE,
    PODSKU_RULE_NVLINK,
    PODSKU_RULE_ARCH,
    PODSKU_RULE_COMPUTE_CAPABILITY,
    PODSKU_RULE_MEMORY_FRACTION,
    PODSKU_RULE_COMPUTE_FRACTION,
    PODSKU_RULE_LINK_BANDWIDTH,
    PODSKU_RULE_INTER_NODE,
    PODSKU_RULE_NODES,
    PODSKU_RULE_GPU,
    PODSKU_RULE_EXCLUDE,
    PODSKU_RULE_CUDA,
    PODSKU_RULE_PLACEMENT,
    PODSKU_RULE_STOCK,
};
_Static_assert(sizeof quick_order / sizeof quick_order[0] == PODSKU_RULE_COUNT, "every rule has its turn");

static bool asks_nvlink(const struct podsku_requirement *req)
{
    return req->nvlink != PODSKU_NVLINK_ANY || req->parallelism == PODSKU_TENSOR;
}

/* A parent that is named without a share asks for any share of it. */
static bool asks_share(const struct podsku_requirement *req, enum podsku_rule rule)
{
    if (rule == PODSKU_RULE_COMPUTE_FRACTION)
        return req->compute_fraction.denominator != 0;
    return req->memory_fraction.denominator != 0 || (req->mig_parent && req->compute_fraction.denominator == 0);
}

bool podsku_judge_needs_parents(const struct podsku_requirement *req)
{
    return asks_share(req, PODSKU_RULE_MEMORY_FRACTION) || asks_share(req, PODSKU_RULE_COMPUTE_FRACTION);
}

bool podsku_rule_is_asked(enum podsku_rule rule, const struct judge *judge)
{
    const struct podsku_requirement *req = judge->req;

    switch (rule) {
    case PODSKU_RULE_CLOUD:
    case PODSKU_RULE_GPUS:
    case PODSKU_RULE_UNPRICED: return true;
    case PODSKU_RULE_NVLINK: return asks_nvlink(req);
    case PODSKU_RULE_LINK_BANDWIDTH: return req->min_link_gbs >= 0;
    case PODSKU_RULE_VRAM: return req->min_vram_gb >= 0 || req->max_vram_gb >= 0;
    case PODSKU_RULE_TOTAL_VRAM: return req->min_total_vram_gb >= 0;
    case PODSKU_RULE_MEMORY_FRACTION:
    case PODSKU_RULE_COMPUTE_FRACTION: return asks_share(req, rule);
    case PODSKU_RULE_MIG: return judge->mig != PODSKU_MIG_ALLOW;
    case PODSKU_RULE_PRICE: return req->max_price_uusd != PODSKU_UNCAPPED;
    case PODSKU_RULE_TOTAL_PRICE: return req->max_total_uusd != PODSKU_UNCAPPED;
    case PODSKU_RULE_GPU: return req->gpu.count > 0;
    case PODSKU_RULE_EXCLUDE: return req->exclude.count > 0;
    case PODSKU_RULE_MANUFACTURER: return judge->manufacturer != PODSKU_WANT_ANY;
    case PODSKU_RULE_ARCH: return req->arch != PODSKU_ARCH_UNKNOWN;
    case PODSKU_RULE_COMPUTE_CAPABILITY: return req->compute_major >= 0;
    case PODSKU_RULE_CUDA: return req->cuda_major >= 0;
    case PODSKU_RULE_PLACEMENT: return podsku_requirement_has_placement(req);
    case PODSKU_RULE_STOCK: return req->min_stock > PODSKU_STOCK_NONE;
    case PODSKU_RULE_NODES: return req->nodes > 1;
    case PODSKU_RULE_INTER_NODE: return req->inter_node_gbps >= 0;
    case PODSKU_RULE_COUNT: break;
    }
    return false;
}

enum podsku_rule podsku_rule_quick(size_t i)
{
    return quick_order[i];
}

const struct rule_row *podsku_rule_row(enum podsku_rule rule)
{
    return &rows[rule];
}

const char *podsku_rule_name(enum podsku_rule rule)
{
    return names[rule];
}

const char *podsku_rule_passes(enum podsku_rule rule)
{
    return sentences[rule];
}

const char *podsku_rule_unknown(enum podsku_rule rule)
{
    return unknowns[rule];
}

const struct podsku_reason *podsku_offer_chief_reason(const struct podsku_offer *offer)
{
    for (size_t i = 0; i < PODSKU_RULE_COUNT; i++)
        for (size_t k = 0; k < offer->reason_count; k++)
            if (offer->reasons[k].rule == chief_first[i])
                return &offer->reasons[k];
    return NULL;
}

void podsku_say(struct says *says, const char *brief, const char *fmt, ...)
{
    va_list args;

    if (!says || says->said)
        return;
    says->said = true;
    says->brief = brief;
    va_start(args, fmt);
    (void)vsnprintf(says->text, sizeof says->text, fmt, args);
    va_end(args);
}
