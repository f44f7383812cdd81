#include <stdlib.h>
#include <string.h>

#include "rules/judge.h"

/* Products of a price and a memory size can pass 64 bits. */
__extension__ typedef __int128 wide_int;

enum { INSERTION_MAX = 40 };

/* What most comparisons need, beside the offer itself. */
struct rank {
    const struct podsku_offer *offer;
    int64_t price;
    int group; /* unpriced offers after the others; within, tiers of --nvlink preferred */
    enum podsku_sort sort;
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
    int order = one->group - other->group;

    if (order == 0)
        order = compare_key(a, b, one->sort);
    if (order == 0)
        order = compare_int64(one->price, other->price);
    if (order)
        return order;
    order = stock_rank(a->stock) - stock_rank(b->stock);
    if (order == 0)
        order = (int)a->cloud - (int)b->cloud;
    if (order == 0)
        order = a->gpus - b->gpus;
    return order ? order : strcmp(a->type->id, b->type->id);
}

/* The same as compare_ranks() > 0, without a call where group or price decide. */
static bool comes_after(const struct rank *a, const struct rank *b)
{
    if (a->group != b->group)
        return a->group > b->group;
    if (a->sort == PODSKU_SORT_PRICE && a->price != b->price)
        return a->price > b->price;
    return compare_ranks(a, b) > 0;
}

/* Few ranks are sorted in place: cheaper than calling a comparison back. */
static void sort_ranks(struct rank *ranks, size_t count)
{
    if (count > INSERTION_MAX) {
        qsort(ranks, count, sizeof *ranks, compare_ranks);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct rank moved = ranks[i];
        size_t at = i;
        for (; at > 0 && comes_after(&ranks[at - 1], &moved); at--)
            ranks[at] = ranks[at - 1];
        ranks[at] = moved;
    }
}

static int group_of(const struct podsku_offer *offer, const struct podsku_requirement *req)
{
    enum { UNPRICED = 4, REST = 2, NOMINAL = 1 };
    int group = offer->price_total_uusd == 0 ? UNPRICED : 0;

    if (podsku_requirement_nvlink(req, offer->gpus) != PODSKU_NVLINK_PREFERRED ||
        offer->topology.evidence == PODSKU_EVIDENCE_BOARD)
        return group;
    return group + (offer->topology.evidence == PODSKU_EVIDENCE_NOMINAL ? NOMINAL : REST);
}

static struct rank rank_of(const struct podsku_offer *offer, const struct podsku_requirement *req)
{
    return (struct rank){offer, offer->price_total_uusd, group_of(offer, req), req->sort};
}

bool podsku_comes_before(const struct podsku_requirement *req, const struct podsku_offer *a,
                         const struct podsku_offer *b)
{
    struct rank one = rank_of(a, req);
    struct rank other = rank_of(b, req);

    return compare_ranks(&one, &other) < 0;
}

/* Puts each offer where its rank is, along the cycles of the permutation. */
static void put_in_place(struct podsku_offer *offers, struct rank *ranks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        size_t from = (size_t)(ranks[at].offer - offers);
        if (from == at)
            continue;
        struct podsku_offer first = offers[i];
        while (from != i) {
            offers[at] = offers[from];
            ranks[at].offer = &offers[at];
            at = from;
            from = (size_t)(ranks[at].offer - offers);
        }
        offers[at] = first;
        ranks[at].offer = &offers[at];
    }
}

bool podsku_order(struct rules_store *store, const struct podsku_requirement *req, struct podsku_offer *offers,
                  size_t count)
{
    if (count < 2)
        return true;
    if (!podsku_grow(&store->ranks, &store->ranks_cap, count, sizeof(struct rank)))
        return false;
    struct rank *ranks = store->ranks;
    for (size_t i = 0; i < count; i++)
        ranks[i] = rank_of(&offers[i], req);
    sort_ranks(ranks, count);
    put_in_place(offers, ranks, count);
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
