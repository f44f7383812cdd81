/* What was placed against what was asked. Pure: no network, no clock. */
#include <stdio.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "client/deploy_private.h"

/* The service's prices are floats: a relative 1e-6 is equal. */
#define COST_TOLERANCE INT64_C(1000000)

struct asked {
    const struct podsku_deploy_options *options;
    const struct podsku_plan_entry *entries; /* the candidates that the create named */
    size_t entry_count;
};

/* Where findings go: the first wrong one, and the names of all unknown ones. */
struct findings {
    char *why;
    size_t size;
    bool wrong, unknown;
};

static void wrong(struct findings *findings, const char *what, const char *asked, const char *got)
{
    if (findings->wrong)
        return;
    findings->wrong = true;
    (void)snprintf(findings->why, findings->size, "%s: asked for %s, got %s", what, asked, got);
}

static void unknown(struct findings *findings, const char *what)
{
    if (findings->wrong)
        return;
    size_t len = findings->unknown ? strlen(findings->why) : 0;
    if (len < findings->size)
        (void)snprintf(findings->why + len, findings->size - len, "%s%s", len ? ", " : "", what);
    findings->unknown = true;
}

static bool over(int64_t cost_uusd, int64_t cap_uusd)
{
    return cost_uusd > cap_uusd && (cost_uusd - cap_uusd) > cap_uusd / COST_TOLERANCE;
}

static bool names_gpu(const struct asked *asked, const char *gpu_id)
{
    for (size_t i = 0; i < asked->entry_count; i++)
        if (strcmp(asked->entries[i].gpu_id, gpu_id) == 0)
            return true;
    return false;
}

static void judge_gpu(const struct asked *asked, const char *gpu_id, struct findings *findings)
{
    if (!gpu_id)
        unknown(findings, "GPU type");
    else if (!names_gpu(asked, gpu_id))
        wrong(findings, "GPU type", asked->entries[0].gpu_id, gpu_id);
}

static void judge_count(int wanted, int got, const char *what, struct findings *findings)
{
    char wanted_text[16], got_text[16];

    if (got == 0) {
        unknown(findings, what);
    } else if (got != wanted) {
        (void)snprintf(wanted_text, sizeof wanted_text, "%d", wanted);
        (void)snprintf(got_text, sizeof got_text, "%d", got);
        wrong(findings, what, wanted_text, got_text);
    }
}

static void judge_place(const struct podsku_create_spec *spec, const char *data_center, struct findings *findings)
{
    if (spec->data_center_count == 0)
        return;
    if (!data_center) {
        unknown(findings, "data center");
        return;
    }
    for (size_t i = 0; i < spec->data_center_count; i++)
        if (strcmp(spec->data_centers[i], data_center) == 0)
            return;
    wrong(findings, "data center", spec->data_center_count == 1 ? spec->data_centers[0] : "one of those named",
          data_center);
}

static void judge_cuda(const struct podsku_create_spec *spec, const char *cuda, struct findings *findings)
{
    int want_major, want_minor, major, minor;

    /* REST v1's pods do not say it: what an API lacks is never waited for. */
    if (!spec->min_cuda || spec->api == PODSKU_API_V1 || !podsku_text_version(spec->min_cuda, &want_major, &want_minor))
        return;
    if (!cuda || !podsku_text_version(cuda, &major, &minor))
        unknown(findings, "CUDA version");
    else if (major < want_major || (major == want_major && minor < want_minor))
        wrong(findings, "CUDA version", spec->min_cuda, cuda);
}

static void judge_pod(const struct asked *asked, const struct podsku_pod *pod, struct findings *findings)
{
    const struct podsku_create_spec *spec = &asked->options->spec;

    judge_gpu(asked, pod->gpu_id, findings);
    judge_count(asked->entries[0].gpus, pod->gpus, "GPUs", findings);
    if (!pod->cloud)
        unknown(findings, "cloud");
    else if (strcmp(pod->cloud, asked->entries[0].cloud) != 0)
        wrong(findings, "cloud", asked->entries[0].cloud, pod->cloud);
    judge_place(spec, pod->data_center, findings);
    judge_cuda(spec, pod->cuda, findings);
}

static void judge_cluster(const struct asked *asked, const struct podsku_placed *placed, struct findings *findings)
{
    const struct podsku_cluster *cluster = &placed->cluster;

    judge_gpu(asked, cluster->gpu_id, findings);
    judge_count(asked->entries[0].gpus, cluster->gpus_per_pod, "GPUs per node", findings);
    judge_count(asked->entries[0].nodes, cluster->pod_count, "nodes", findings);
    if (placed->members.count > (size_t)asked->entries[0].nodes)
        judge_count(asked->entries[0].nodes, (int)placed->members.count, "members", findings);
    for (size_t i = 0; i < placed->members.count; i++)
        judge_pod(asked, &placed->members.list[i], findings);
    /* A list that lags behind the create is short for a while. */
    if (placed->members.count < (size_t)asked->entries[0].nodes)
        unknown(findings, "members");
}

static void judge_cost(const struct asked *asked, const struct podsku_placed *placed, struct findings *findings)
{
    const struct podsku_deploy_options *options = asked->options;
    const struct podsku_plan_entry *entry = &asked->entries[0];
    char cap_text[PODSKU_MONEY_TEXT_SIZE], cost_text[PODSKU_MONEY_TEXT_SIZE];
    int64_t cap = options->max_total_uusd;
    int64_t gpu_cap;

    /* The cap per GPU is for the catalogue's price, to which a cluster's premium comes. */
    if (options->max_gpu_uusd &&
        podsku_money_scale(options->max_gpu_uusd, (int64_t)entry->gpus * (entry->nodes > 1 ? entry->nodes : 1), 1,
                           &gpu_cap) &&
        (entry->nodes <= 1 || podsku_money_scale(gpu_cap, PODSKU_CLUSTER_PREMIUM_PERCENT, 100, &gpu_cap)) &&
        (!cap || gpu_cap < cap))
        cap = gpu_cap;
    if (!cap)
        return;
    if (!placed->price_uusd)
        unknown(findings, "cost");
    else if (over(placed->price_uusd, cap)) {
        char asked_text[PODSKU_MONEY_TEXT_SIZE + 24], got_text[PODSKU_MONEY_TEXT_SIZE + 8];
        (void)snprintf(asked_text, sizeof asked_text, "at most %s USD/h", podsku_money_text(cap, cap_text));
        (void)snprintf(got_text, sizeof got_text, "%s USD/h", podsku_money_text(placed->price_uusd, cost_text));
        wrong(findings, "cost", asked_text, got_text);
    }
}

enum podsku_fit podsku_judge(const struct podsku_deploy_options *options, const struct podsku_plan_entry *entries,
                             size_t entry_count, const struct podsku_placed *placed, char *why, size_t why_size)
{
    const struct asked asked = {options, entries, entry_count};
    struct findings findings = {.why = why, .size = why_size};

    why[0] = '\0';
    if (placed->cluster.id)
        judge_cluster(&asked, placed, &findings);
    else
        judge_pod(&asked, &placed->pod, &findings);
    judge_cost(&asked, placed, &findings);
    if (findings.wrong)
        return PODSKU_FIT_WRONG;
    return findings.unknown ? PODSKU_FIT_UNKNOWN : PODSKU_FIT;
}

bool podsku_judge_dearer(const struct podsku_placed *placed, char *text, size_t size)
{
    char billed[PODSKU_MONEY_TEXT_SIZE], listed[PODSKU_MONEY_TEXT_SIZE];

    if (!placed->entry || placed->type_unknown || !placed->entry->price_uusd ||
        !over(placed->price_uusd, placed->entry->price_uusd))
        return false;
    (void)snprintf(text, size, "dearer than listed: billed %s USD/h in all, %s %s USD/h",
                   podsku_money_text(placed->price_uusd, billed), placed->entry->estimated ? "estimated" : "listed",
                   podsku_money_text(placed->entry->price_uusd, listed));
    return true;
}

const struct podsku_plan_entry *podsku_judge_entry(const struct podsku_plan_entry *entries, size_t entry_count,
                                                   const struct podsku_placed *placed)
{
    const char *gpu_id = placed->cluster.id ? placed->cluster.gpu_id : placed->pod.gpu_id;

    for (size_t i = 0; gpu_id && i < entry_count; i++)
        if (strcmp(entries[i].gpu_id, gpu_id) == 0)
            return &entries[i];
    return entry_count ? &entries[0] : NULL;
}

void podsku_placed_price(struct podsku_placed *placed)
{
    int64_t sum = 0;

    if (!placed->cluster.id) {
        if (placed->pod.cost_known)
            placed->price_uusd = placed->pod.cost_uusd;
        return;
    }
    if (placed->cluster.pod_count == 0 || placed->members.count < (size_t)placed->cluster.pod_count)
        return;
    for (size_t i = 0; i < placed->members.count; i++) {
        if (!placed->members.list[i].cost_known)
            return;
        sum += placed->members.list[i].cost_uusd;
    }
    placed->price_uusd = sum;
}
