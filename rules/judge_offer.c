/*
 * Rules about where, how many, and for how much.
 */
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "rules/judge.h"

/* The price that stands where a cloud has none, and from which memory on it cannot be right. */
#define PLACEHOLDER_UUSD INT64_C(500000)
enum { SUSPECT_MEMORY_GB = 32 };

bool podsku_type_not_offered(const struct podsku_gpu_type *type, enum podsku_cloud cloud)
{
    return type->offered[cloud] == PODSKU_NO || type->max_gpus[cloud] == 0;
}

enum podsku_tri podsku_judge_cloud(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    const struct podsku_gpu_type *type = offer->type;
    enum podsku_cloud other = offer->cloud == PODSKU_SECURE ? PODSKU_COMMUNITY : PODSKU_SECURE;
    const char *word = podsku_cloud_word(offer->cloud);

    (void)judge;
    if (podsku_type_not_offered(type, offer->cloud)) {
        if (podsku_type_not_offered(type, other))
            podsku_say(says, "not offered", "not offered in %s cloud", word);
        else
            podsku_say(says, other == PODSKU_COMMUNITY ? "community only" : "secure only",
                       "not offered in %s cloud, only in %s", word, podsku_cloud_word(other));
        return PODSKU_NO;
    }
    if (type->offered[offer->cloud] == PODSKU_YES)
        return PODSKU_YES;
    podsku_say(says, "cloud-unknown", "the catalogue does not say whether %s cloud offers it", word);
    return PODSKU_UNKNOWN;
}

enum podsku_tri podsku_judge_gpus(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    int most = offer->type->max_gpus[offer->cloud];
    const char *word = podsku_cloud_word(offer->cloud);

    (void)judge;
    if (most == 0) /* the cloud rule has said so */
        return PODSKU_YES;
    if (most == PODSKU_COUNT_UNKNOWN) {
        podsku_say(says, "count-unknown", "the catalogue does not say how many one %s machine has", word);
        return PODSKU_UNKNOWN;
    }
    if (offer->gpus <= most)
        return PODSKU_YES;
    podsku_say(says, "machines too small", "the largest %s machine has %d, %d were asked for", word, most, offer->gpus);
    return PODSKU_NO;
}

enum podsku_tri podsku_judge_unpriced(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    char price[PODSKU_MONEY_TEXT_SIZE];

    if (offer->price_gpu_uusd == PLACEHOLDER_UUSD && offer->memory_gb >= SUSPECT_MEMORY_GB && says)
        podsku_say(says, "suspect-price",
                   "%s USD is often a placeholder, and little for %d GB: the billed cost of the created pod decides",
                   podsku_money_text(offer->price_gpu_uusd, price), offer->memory_gb);
    if (offer->price_gpu_uusd > 0)
        return PODSKU_YES;
    if (judge->req->allow_unpriced) {
        podsku_say(says, "unpriced", "the price is unknown: the billed cost of the created pod decides");
        return PODSKU_YES;
    }
    podsku_say(says, "no price", "the price is unknown (--allow-unpriced lets it pass)");
    return PODSKU_UNKNOWN;
}

/* Apart from the predicates, which are called far more often without a listener. */
__attribute__((noinline)) static enum podsku_tri say_over_cap(const struct podsku_offer *offer, int64_t price,
                                                              int64_t cap, const char *of, const char *brief,
                                                              struct says *says)
{
    char asked[PODSKU_MONEY_TEXT_SIZE];
    char costs[PODSKU_MONEY_TEXT_SIZE];

    (void)podsku_money_text(cap, asked);
    if (price == 0)
        podsku_say(says, "no price", "the price is unknown, %s USD/h %s was the cap", asked, of);
    else if (podsku_type_not_offered(offer->type, offer->cloud))
        podsku_say(says, "no price", "no price where it is not offered, %s USD/h %s was the cap", asked, of);
    else
        podsku_say(says, brief, "%s USD/h %s, at most %s was asked for", podsku_money_text(price, costs), of, asked);
    return price == 0 ? PODSKU_UNKNOWN : PODSKU_NO;
}

enum podsku_tri podsku_judge_price(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    int64_t price = offer->price_gpu_uusd;
    int64_t cap = judge->req->max_price_uusd;

    if (price > 0 && price <= cap)
        return PODSKU_YES;
    return says ? say_over_cap(offer, price, cap, "per GPU", "over --max-price", says) : PODSKU_NO;
}

enum podsku_tri podsku_judge_total_price(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    int64_t price = offer->price_total_uusd;
    int64_t cap = judge->req->max_total_uusd;

    if (price > 0 && price <= cap)
        return PODSKU_YES;
    return says ? say_over_cap(offer, price, cap, offer->price_estimated ? "in all (an estimate)" : "in all",
                               "over --max-total", says)
                : PODSKU_NO;
}

bool podsku_type_matches(const struct podsku_gpu_type *type, const char *pattern)
{
    return podsku_text_match(pattern, type->id) || (type->name && podsku_text_match(pattern, type->name));
}

enum podsku_tri podsku_judge_gpu(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    const struct podsku_words *patterns = &judge->req->gpu;

    for (size_t i = 0; i < patterns->count; i++)
        if (podsku_type_matches(offer->type, patterns->list[i]))
            return PODSKU_YES;
    if (patterns->count == 1)
        podsku_say(says, "not named", "--gpu \"%.200s\" does not match it", patterns->list[0]);
    else
        podsku_say(says, "not named", "none of the %zu --gpu patterns matches it", patterns->count);
    return PODSKU_NO;
}

enum podsku_tri podsku_judge_exclude(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    const struct podsku_words *patterns = &judge->req->exclude;

    for (size_t i = 0; i < patterns->count; i++) {
        if (podsku_type_matches(offer->type, patterns->list[i])) {
            podsku_say(says, "excluded", "--exclude \"%.200s\" matches it", patterns->list[i]);
            return PODSKU_NO;
        }
    }
    return PODSKU_YES;
}

/* Runpod's documentation of Instant Clusters, August 2026: types and Gbit/s between nodes. */
static const struct {
    const char *id;
    int gbps;
} cluster_types[] = {
    {"NVIDIA B200", 3200},
    {"NVIDIA H200", 3200},
    {"NVIDIA H100 80GB HBM3", 3200},
    {"NVIDIA A100-SXM4-80GB", 1600},
};

int podsku_cluster_gbps(const char *id)
{
    for (size_t i = 0; i < sizeof cluster_types / sizeof cluster_types[0]; i++)
        if (strcmp(cluster_types[i].id, id) == 0)
            return cluster_types[i].gbps;
    return 0;
}

bool podsku_cluster_offers(const struct podsku_catalog *catalog, const struct podsku_gpu_type *type)
{
    return podsku_cluster_gbps(type->id) > 0 || podsku_catalog_cluster_stock(catalog, type);
}

enum podsku_tri podsku_judge_nodes(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    if (offer->cloud != PODSKU_SECURE) {
        podsku_say(says, "no clusters", "Instant Clusters are secure cloud only");
        return PODSKU_NO;
    }
    if (!podsku_cluster_offers(judge->catalog, offer->type)) {
        podsku_say(says, "no clusters",
                   "unknown as an Instant Cluster: those are B200, H200 SXM, H100 SXM and A100 SXM");
        return PODSKU_UNKNOWN;
    }
    podsku_say(says, "price-estimated", "with the premium of 1.2 seen on cluster bills: an estimate");
    return PODSKU_YES;
}

enum podsku_tri podsku_judge_inter_node(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    int gbps = podsku_cluster_gbps(offer->type->id);

    if (gbps == 0) {
        podsku_say(says, "no cluster network", "the bandwidth between nodes is unknown");
        return PODSKU_UNKNOWN;
    }
    if (gbps >= judge->req->inter_node_gbps)
        return PODSKU_YES;
    podsku_say(says, "slower between nodes", "%d Gbit/s between nodes, at least %.10g were asked for", gbps,
               judge->req->inter_node_gbps);
    return PODSKU_NO;
}
