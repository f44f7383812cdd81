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
