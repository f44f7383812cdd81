#include <stdlib.h>
#include <string.h>

#include "rules/judge.h"

/* Products of a price and a memory size can pass 64 bits. */
__extension__ typedef __int128 wide_int;

/* Which offer, and what of the requirement its rank depends on. */
struct rank {
    const struct podsku_offer *offer;
    enum podsku_sort sort;
    int tier; /* under --nvlink preferred; otherwise 0 */
};

static int compare_int64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Less per GB first; unknown memory last. */
static int compare_price_per_gb(const struct podsku_offer *a, const struct podsku_offer *b)
{
    if (a->total_memory_gb == 0 || b->total_memory_gb == 0)
        return (a->total_memory_gb == 0) - (b->total_memory_gb == 0);
    wide_int left = (wide_int)a->price_total_uusd * b->total_memory_gb;
    wide_int right = (wide_int)b->price_total_uusd * a->total_memory_gb;
    return (left > right) - (left < right);
}

static int compare_key(const struct podsku_offer *a, const struct podsku_offer *b, enum podsku_sort sort)
{
    switch (sort) {
    case PODSKU_SORT_VRAM: return compare_int64(b->total_memory_gb, a->total_memory_gb);
    case PODSKU_SORT_PRICE_PER_GB: return compare_price_per_gb(a, b);
    case PODSKU_SORT_LINK:
        return (b->topology.link_gbs > a->topology.link_gbs) - (b->topology.link_gbs < a->topology.link_gbs);
    case PODSKU_SORT_PRICE: break;
    }
    return 0;
}

/* HIGH, MEDIUM, LOW, unknown, NONE. */
static int stock_rank(enum podsku_stock stock)
{
    static const int ranks[] = {
        [PODSKU_STOCK_HIGH] = 0,    [PODSKU_STOCK_MEDIUM] = 1, [PODSKU_STOCK_LOW] = 2,
        [PODSKU_STOCK_UNKNOWN] = 3, [PODSKU_STOCK_NONE] = 4,
    };

    return ranks[stock];
}

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *one = left;
    const struct rank *other = right;
    const struct podsku_offer *a = one->offer;
    const struct podsku_offer *b = other->offer;
    int order = (a->price_total_uusd == 0) - (b->price_total_uusd == 0);

    if (order == 0)
        order = one->tier - other->tier;
    if (order == 0)
        order = compare_key(a, b, one->sort);
    if (order == 0)
        order = compare_int64(a->price_total_uusd, b->price_total_uusd);
    if (order == 0)
        order = stock_rank(a->stock) - stock_rank(b->stock);
    if (order == 0)
        order = (int)a->cloud - (int)b->cloud;
    if (order == 0)
        order = a->gpus - b->gpus;
    return order ? order : strcmp(a->type->id, b->type->id);
}

static int tier_of(const struct podsku_offer *offer, const struct podsku_requirement *req)
{
    if (podsku_requirement_nvlink(req, offer->gpus) != PODSKU_NVLINK_PREFERRED)
        return 0;
    return offer->topology.evidence == PODSKU_EVIDENCE_BOARD     ? 0
           : offer->topology.evidence == PODSKU_EVIDENCE_NOMINAL ? 1
                                                                 : 2;
}

/* Ranks are sorted, since they are smaller than offers; then the offers are put in their places. */
bool podsku_order(struct rules_store *store, const struct podsku_requirement *req, struct podsku_offer *offers,
                  size_t count)
{
    size_t size = sizeof(struct rank) + sizeof(struct podsku_offer);

    if (count < 2)
        return true;
    if (!podsku_grow(&store->ranks, &store->ranks_cap, count, size))
        return false;
    struct podsku_offer *sorted = store->ranks;
    struct rank *ranks = (void *)(sorted + count);
    for (size_t i = 0; i < count; i++)
        ranks[i] = (struct rank){&offers[i], req->sort, tier_of(&offers[i], req)};
    qsort(ranks, count, sizeof *ranks, compare_ranks);
    for (size_t i = 0; i < count; i++)
        sorted[i] = *ranks[i].offer;
    memcpy(offers, sorted, count * sizeof *offers);
    return true;
}

static int compare_ids(const void *left, const void *right)
{
    const struct podsku_offer *a = left;
    const struct podsku_offer *b = right;
    int order = strcmp(a->type->id, b->type->id);

    if (order == 0)
        order = (int)a->cloud - (int)b->cloud;
    return order ? order : a->gpus - b->gpus;
}

void podsku_order_by_id(struct podsku_offer *offers, size_t count)
{
    if (count > 1)
        qsort(offers, count, sizeof *offers, compare_ids);
}
