#include <string.h>

#include "base/money.h"
#include "rules/fraction.h"
#include "rules/suggest.h"

enum {
    COUNT_STEPS = 16, /* the largest GPU count that is tried by itself */
    NODES_MAX = 250   /* of a cluster, by the REST v2 document of August 2026 */
};

/* Bounds on prices. */

static bool drop_max_price(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->max_price_uusd = PODSKU_UNCAPPED;
    return n == 0 && judge->req->max_price_uusd != PODSKU_UNCAPPED;
}

static bool drop_max_total(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->max_total_uusd = PODSKU_UNCAPPED;
    return n == 0 && judge->req->max_total_uusd != PODSKU_UNCAPPED;
}

static double asked_max_price(const struct podsku_requirement *req)
{
    return (double)req->max_price_uusd;
}

static double asked_max_total(const struct podsku_requirement *req)
{
    return (double)req->max_total_uusd;
}

static double need_price(const struct judge *judge, const struct podsku_offer *offer)
{
    (void)judge;
    return offer->price_gpu_uusd > 0 ? (double)offer->price_gpu_uusd : -1;
}

static double need_total(const struct judge *judge, const struct podsku_offer *offer)
{
    (void)judge;
    return offer->price_total_uusd > 0 ? (double)offer->price_total_uusd : -1;
}

static json_t *to_price(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    return json_real(podsku_money_to_double(best->price_gpu_uusd));
}

static json_t *to_total(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    return json_real(podsku_money_to_double(best->price_total_uusd));
}

/* Bounds on memory and bandwidth. */

static bool drop_min_vram(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->min_vram_gb = -1;
    return n == 0 && judge->req->min_vram_gb >= 0;
}

static bool drop_max_vram(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->max_vram_gb = -1;
    return n == 0 && judge->req->max_vram_gb >= 0;
}

static bool drop_min_total_vram(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->min_total_vram_gb = -1;
    return n == 0 && judge->req->min_total_vram_gb >= 0;
}

static bool drop_min_link(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->min_link_gbs = -1;
    return n == 0 && judge->req->min_link_gbs >= 0;
}

static double asked_min_vram(const struct podsku_requirement *req)
{
    return req->min_vram_gb;
}

static double asked_max_vram(const struct podsku_requirement *req)
{
    return req->max_vram_gb;
}

static double asked_min_total_vram(const struct podsku_requirement *req)
{
    return req->min_total_vram_gb;
}

static double asked_min_link(const struct podsku_requirement *req)
{
    return req->min_link_gbs;
}

static double need_vram(const struct judge *judge, const struct podsku_offer *offer)
{
    (void)judge;
    return offer->memory_gb > 0 ? offer->memory_gb : -1;
}

static double need_total_vram(const struct judge *judge, const struct podsku_offer *offer)
{
    (void)judge;
    return offer->total_memory_gb > 0 ? (double)offer->total_memory_gb : -1;
}

static double need_link(const struct judge *judge, const struct podsku_offer *offer)
{
    (void)judge;
    return offer->topology.link_gbs;
}

static json_t *to_vram(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    return json_integer(best->memory_gb);
}

static json_t *to_total_vram(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    return json_integer(best->total_memory_gb);
}

static json_t *to_link(const struct judge *judge, const struct podsku_offer *best)
{
    double gbs = best->topology.link_gbs;

    (void)judge;
    return gbs == (double)(json_int_t)gbs ? json_integer((json_int_t)gbs) : json_real(gbs);
}

/* Shares of a card: a share of 0 still asks for the right card. */

static bool drop_memory_share(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->memory_fraction = (struct podsku_fraction){0, 1};
    return n == 0 && judge->req->memory_fraction.denominator != 0;
}

static bool drop_compute_share(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->compute_fraction = (struct podsku_fraction){0, 1};
    return n == 0 && judge->req->compute_fraction.denominator != 0;
}

/* Without the flags a slice needs to be allowed again, as for who never asked for a share. */
static bool drop_shares(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    const struct podsku_requirement *req = judge->req;

    loose->memory_fraction = loose->compute_fraction = (struct podsku_fraction){0, 0};
    loose->mig_parent = NULL;
    return n == 0 && (req->memory_fraction.denominator != 0) != (req->compute_fraction.denominator != 0) &&
           !req->mig_parent;
}

static bool drop_memory_fraction(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    return drop_shares(judge, loose, n) && judge->req->memory_fraction.denominator != 0;
}

static bool drop_compute_fraction(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    return drop_shares(judge, loose, n) && judge->req->compute_fraction.denominator != 0;
}

static double as_number(struct podsku_fraction fraction)
{
    return fraction.denominator ? (double)fraction.numerator / (double)fraction.denominator : -1;
}

static double asked_memory_share(const struct podsku_requirement *req)
{
    return as_number(req->memory_fraction);
}

static double asked_compute_share(const struct podsku_requirement *req)
{
    return as_number(req->compute_fraction);
}

static struct podsku_fraction memory_share(const struct podsku_offer *offer)
{
    const struct podsku_slice *slice = offer->type->slice;

    if (slice && slice->memory_denominator == 0)
        return (struct podsku_fraction){0, 0};
    return slice ? podsku_fraction_of(slice->memory_numerator, slice->memory_denominator)
                 : (struct podsku_fraction){1, 1};
}

static struct podsku_fraction compute_share(const struct podsku_offer *offer)
{
    const struct podsku_slice *slice = offer->type->slice;

    if (slice && slice->compute_denominator == 0)
        return (struct podsku_fraction){0, 0};
    return slice ? podsku_fraction_of(slice->compute_numerator, slice->compute_denominator)
                 : (struct podsku_fraction){1, 1};
}

static double need_memory_share(const struct judge *judge, const struct podsku_offer *offer)
{
    (void)judge;
    return as_number(memory_share(offer));
}

static double need_compute_share(const struct judge *judge, const struct podsku_offer *offer)
{
    (void)judge;
    return as_number(compute_share(offer));
}

static json_t *to_memory_share(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    return podsku_fraction_encode(memory_share(best));
}

static json_t *to_compute_share(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    return podsku_fraction_encode(compute_share(best));
}

/* Bounds on software and network. */

static bool drop_capability(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->compute_major = loose->compute_minor = -1;
    return n == 0 && judge->req->compute_major >= 0;
}

static bool drop_cuda(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->cuda_major = loose->cuda_minor = -1;
    return n == 0 && judge->req->cuda_major >= 0;
}

static bool drop_inter_node(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->inter_node_gbps = -1;
    return n == 0 && judge->req->inter_node_gbps >= 0;
}

/* Versions as numbers that compare as versions do, and whose relative changes mean something. */
static double version_number(int major, int minor)
{
    return major + minor / 1000.0;
}

static double asked_capability(const struct podsku_requirement *req)
{
    return version_number(req->compute_major, req->compute_minor);
}

static double asked_cuda(const struct podsku_requirement *req)
{
    return version_number(req->cuda_major, req->cuda_minor);
}

static double asked_inter_node(const struct podsku_requirement *req)
{
    return req->inter_node_gbps;
}

static double need_capability(const struct judge *judge, const struct podsku_offer *offer)
{
    const struct podsku_facts *facts = offer->type->facts;

    (void)judge;
    return facts && facts->compute_major > 0 ? version_number(facts->compute_major, facts->compute_minor) : -1;
}

static double need_cuda(const struct judge *judge, const struct podsku_offer *offer)
{
    int major;
    int minor;

    return podsku_offer_cuda(judge, offer, &major, &minor) ? version_number(major, minor) : -1;
}

static double need_inter_node(const struct judge *judge, const struct podsku_offer *offer)
{
    int gbps = podsku_cluster_gbps(offer->type->id);

    (void)judge;
    return gbps > 0 ? gbps : -1;
}

static json_t *to_capability(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    return json_sprintf("%d.%d", best->type->facts->compute_major, best->type->facts->compute_minor);
}

static json_t *to_cuda(const struct judge *judge, const struct podsku_offer *best)
{
    int major = 0;
    int minor = 0;

    (void)podsku_offer_cuda(judge, best, &major, &minor);
    return json_sprintf("%d.%d", major, minor);
}

static json_t *to_inter_node(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    return json_integer(podsku_cluster_gbps(best->type->id));
}

/* Changes that are no bounds. */

static json_t *to_nothing(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    (void)best;
    return json_null();
}

static bool loosen_nvlink(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    static const enum podsku_nvlink_level levels[] = {PODSKU_NVLINK_POSSIBLE, PODSKU_NVLINK_PREFERRED};
    int first = judge->req->nvlink == PODSKU_NVLINK_POSSIBLE ? 1 : 0;

    if (judge->req->nvlink < PODSKU_NVLINK_POSSIBLE || first + n > 1)
        return false;
    loose->nvlink = levels[first + n];
    return true;
}

static json_t *to_nvlink(const struct judge *judge, const struct podsku_offer *best)
{
    (void)best;
    return json_string(judge->req->nvlink == PODSKU_NVLINK_POSSIBLE ? "possible" : "preferred");
}

static bool loosen_parallelism(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->parallelism = PODSKU_PIPELINE;
    return n == 0 && judge->req->parallelism == PODSKU_TENSOR;
}

static json_t *to_parallelism(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    (void)best;
    return json_string("pipeline");
}

static bool loosen_mig(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->mig_set = true;
    loose->mig = PODSKU_MIG_ALLOW;
    return n == 0 && judge->mig != PODSKU_MIG_ALLOW;
}

static json_t *to_mig(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    (void)best;
    return json_string("allow");
}

static bool drop_mig_parent(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->mig_parent = NULL;
    loose->mig_set = true;
    loose->mig = judge->mig;
    return n == 0 && judge->req->mig_parent;
}

static bool loosen_cloud(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->cloud[PODSKU_SECURE] = loose->cloud[PODSKU_COMMUNITY] = true;
    return n == 0 && !(judge->req->cloud[PODSKU_SECURE] && judge->req->cloud[PODSKU_COMMUNITY]);
}

static json_t *to_any(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    (void)best;
    return json_string("any");
}

static bool drop_gpu(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->gpu.count = 0;
    return n == 0 && judge->req->gpu.count > 0;
}

static bool drop_exclude(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->exclude.count = 0;
    return n == 0 && judge->req->exclude.count > 0;
}

static bool loosen_manufacturer(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->manufacturer = PODSKU_WANT_ANY;
    return n == 0 && judge->manufacturer != PODSKU_WANT_ANY;
}

static bool drop_arch(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->arch = PODSKU_ARCH_UNKNOWN;
    return n == 0 && judge->req->arch != PODSKU_ARCH_UNKNOWN;
}

/* Country, region and compliance have become data centers: dropped together. */
static bool drop_placement(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->data_centers.count = loose->countries.count = loose->compliance.count = 0;
    loose->region = NULL;
    return n == 0 && podsku_requirement_has_placement(judge->req);
}

static bool loosen_stock(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    int level = (int)judge->req->min_stock - 1 - n;

    if (level < (int)PODSKU_STOCK_NONE)
        return false;
    loose->min_stock = (enum podsku_stock)level;
    return true;
}

static json_t *to_stock(const struct judge *judge, const struct podsku_offer *best)
{
    static const char *const words[] = {
        [PODSKU_STOCK_NONE] = "none", [PODSKU_STOCK_LOW] = "low", [PODSKU_STOCK_MEDIUM] = "medium"};

    (void)best;
    return json_string(words[judge->req->min_stock]);
}

static bool loosen_unpriced(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->allow_unpriced = true;
    return n == 0 && !judge->req->allow_unpriced;
}

static json_t *to_true(const struct judge *judge, const struct podsku_offer *best)
{
    (void)judge;
    (void)best;
    return json_true();
}

/* Fewer nodes, the most of them before less; no more than the service knows (1 to 250) are tried. */
static bool loosen_nodes(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    int most = judge->req->nodes > NODES_MAX ? NODES_MAX : judge->req->nodes - 1;

    loose->nodes = most - n;
    return loose->nodes >= 1;
}

static json_t *to_nodes(const struct judge *judge, const struct podsku_offer *best)
{
    (void)best;
    return json_integer(judge->req->nodes);
}

/* The largest machine up to `below` that the catalogue knows, so that huge counts take one step. */
static int largest_machine(const struct judge *judge, int below)
{
    int largest = 0;

    for (size_t i = 0; i < judge->catalog->type_count; i++) {
        for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
            int most = judge->catalog->types[i].max_gpus[cloud];
            if (judge->req->cloud[cloud] && most > largest && most < below)
                largest = most;
        }
    }
    return largest;
}

/*
 * The n-th count to try, 0: no more. Fewer GPUs first, the most of them before less: the largest
 * machine, then one by one from 16; then more GPUs, where it is the memory of all that counts.
 */
static int nth_count(const struct judge *judge, int n)
{
    const struct podsku_requirement *req = judge->req;
    int least = req->gpus[0];
    int most = req->gpus[req->gpus_count - 1];
    int below = least > COUNT_STEPS ? COUNT_STEPS : least - 1;
    int large = least > COUNT_STEPS + 1 ? largest_machine(judge, least) : 0;

    if (large > COUNT_STEPS && n-- == 0)
        return large;
    if (n < below)
        return below - n;
    n -= below;
    return req->min_total_vram_gb >= 0 && most + 1 + n <= COUNT_STEPS ? most + 1 + n : 0;
}

static bool loosen_gpus(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    loose->gpus[0] = nth_count(judge, n);
    loose->gpus_count = 1;
    return loose->gpus[0] > 0;
}

static json_t *to_gpus(const struct judge *judge, const struct podsku_offer *best)
{
    (void)best;
    return json_integer(judge->req->gpus[0]);
}

/* The one change of two flags: fewer cards, joined by bridges instead of a board. */
static bool loosen_gpus_and_nvlink(const struct judge *judge, struct podsku_requirement *loose, int n)
{
    int least = judge->req->gpus[0];
    int count = (least > COUNT_STEPS ? COUNT_STEPS : least - 1) - n;

    if (judge->req->nvlink != PODSKU_NVLINK_REQUIRED || judge->req->parallelism == PODSKU_TENSOR || count < 2)
        return false;
    loose->nvlink = PODSKU_NVLINK_POSSIBLE;
    loose->gpus[0] = count;
    loose->gpus_count = 1;
    return true;
}

static json_t *to_gpus_and_nvlink(const struct judge *judge, const struct podsku_offer *best)
{
    (void)best;
    return json_pack("{s:i, s:s}", "gpus", judge->req->gpus[0], "nvlink", "possible");
}

/* In the order of the flags; the pair of flags comes after both, since it is for when neither helps. */
const struct loosening podsku_loosenings[] = {
    {"--gpus", loosen_gpus, to_gpus, .when_nothing = true},
    {"--nodes", loosen_nodes, to_nodes, .when_nothing = true, .distance = 1.5},
    {"--nvlink", loosen_nvlink, to_nvlink, .distance = 0.2},
    {"--gpus --nvlink", loosen_gpus_and_nvlink, to_gpus_and_nvlink, .when_nothing = true, .distance = 0.2},
    {"--parallelism", loosen_parallelism, to_parallelism, .distance = 1.2},
    {"--min-link-gbs", drop_min_link, to_link, asked_min_link, need_link, .floor = true},
    {"--min-vram", drop_min_vram, to_vram, asked_min_vram, need_vram, .floor = true},
    {"--max-vram", drop_max_vram, to_vram, asked_max_vram, need_vram, .floor = false},
    {"--min-total-vram", drop_min_total_vram, to_total_vram, asked_min_total_vram, need_total_vram, .floor = true},
    {"--memory-fraction", drop_memory_share, to_memory_share, asked_memory_share, need_memory_share, .floor = true},
    {"--compute-fraction", drop_compute_share, to_compute_share, asked_compute_share, need_compute_share,
     .floor = true},
    {"--memory-fraction", drop_memory_fraction, to_nothing, .when_nothing = true, .distance = 1.1},
    {"--compute-fraction", drop_compute_fraction, to_nothing, .when_nothing = true, .distance = 1.1},
    {"--mig-parent", drop_mig_parent, to_nothing, .distance = 1},
    {"--mig", loosen_mig, to_mig, .distance = 0.5},
    {"--cloud", loosen_cloud, to_any, .distance = 0.4},
    {"--max-price", drop_max_price, to_price, asked_max_price, need_price, .floor = false},
    {"--max-total", drop_max_total, to_total, asked_max_total, need_total, .floor = false},
    {"--gpu", drop_gpu, to_nothing, .distance = 1},
    {"--exclude", drop_exclude, to_nothing, .distance = 1},
    {"--manufacturer", loosen_manufacturer, to_any, .distance = 0.9},
    {"--arch", drop_arch, to_nothing, .distance = 0.9},
    {"--min-compute-capability", drop_capability, to_capability, asked_capability, need_capability, .floor = true},
    {"--min-cuda", drop_cuda, to_cuda, asked_cuda, need_cuda, .floor = true},
    {"--data-center", drop_placement, to_nothing, .distance = 0.8},
    {"--min-stock", loosen_stock, to_stock, .distance = 0.3},
    {"--inter-node-gbps", drop_inter_node, to_inter_node, asked_inter_node, need_inter_node, .floor = true},
    {"--allow-unpriced", loosen_unpriced, to_true, .distance = 0.6},
};
const size_t podsku_loosening_count = sizeof podsku_loosenings / sizeof podsku_loosenings[0];
