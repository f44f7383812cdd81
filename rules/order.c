#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "rules/judge.h"

/* Products of a price and a memory size can pass 64 bits. */
__extension__ typedef __int128 wide_int;

enum { BLOCK = 8 };

/* The key has the group above the price. */
#define KEY_PRICE_BITS 60
_Static_assert(PODSKU_UUSD_MAX < (INT64_C(1) << KEY_PRICE_BITS), "a price fits below the group");

static int compare_int64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Less per GB first; unknown memory last. Without a price (of both: they stand together) there is no such key. */
static int compare_price_per_gb(const struct podsku_offer *a, const struct podsku_offer *b)
{
    if (a->price_total_uusd == 0 && b->price_total_uusd == 0)
        return 0;
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

/* What decides within a group. */
static int compare_offers(const struct podsku_offer *a, const struct podsku_offer *b, enum podsku_sort sort)
{
    int order = compare_key(a, b, sort);

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

static bool comes_after(const struct rank *a, const struct rank *b, enum podsku_sort sort)
{
    if (a->key != b->key)
        return a->key > b->key;
    return compare_offers(a->offer, b->offer, sort) > 0;
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
    /* The price decides first within a group, unless something else was asked for. */
    uint64_t price = req->sort == PODSKU_SORT_PRICE ? (uint64_t)offer->price_total_uusd : 0;

    return (struct rank){((uint64_t)group_of(offer, req) << KEY_PRICE_BITS) | price, offer};
}

bool podsku_comes_before(const struct podsku_requirement *req, const struct podsku_offer *a,
                         const struct podsku_offer *b)
{
    struct rank one = rank_of(a, req);
    struct rank other = rank_of(b, req);

    return comes_after(&other, &one, req->sort);
}

static void insertion_sort(struct rank *ranks, size_t count, enum podsku_sort sort)
{
    for (size_t i = 1; i < count; i++) {
        struct rank moved = ranks[i];
        size_t at = i;
        for (; at > 0 && comes_after(&ranks[at - 1], &moved, sort); at--)
            ranks[at] = ranks[at - 1];
        ranks[at] = moved;
    }
}

/* Merges [start, middle) and [middle, end) of `from` into the same places of `to`. */
static void merge_two(const struct rank *from, struct rank *to, size_t start, size_t middle, size_t end,
                      enum podsku_sort sort)
{
    size_t left = start;
    size_t right = middle;

    while (left < middle && right < end)
        to[start++] = comes_after(&from[left], &from[right], sort) ? from[right++] : from[left++];
    memcpy(to + start, from + left, (middle - left) * sizeof *to);
    memcpy(to + start + (middle - left), from + right, (end - right) * sizeof *to);
}

static bool end_run(struct ranking *ranking)
{
    size_t last = ranking->run_count ? ranking->ends[ranking->run_count - 1] : 0;

    if (ranking->count == last)
        return true;
    if (!podsku_grow(&ranking->ends, &ranking->ends_cap, ranking->run_count + 1, sizeof *ranking->ends))
        return false;
    ranking->ends[ranking->run_count++] = ranking->count;
    return true;
}

bool podsku_ranking_add_run(struct ranking *ranking, const struct rank *ranks, size_t count)
{
    if (!podsku_ranking_reserve(ranking, count))
        return false;
    if (count)
        memcpy(ranking->list + ranking->count, ranks, count * sizeof *ranks);
    ranking->count += count;
    return end_run(ranking);
}

bool podsku_ranking_merge(struct ranking *ranking, enum podsku_sort sort)
{
    if (ranking->run_count < 2)
        return true;
    if (!podsku_grow(&ranking->spare, &ranking->spare_cap, ranking->cap, sizeof *ranking->spare))
        return false;
    while (ranking->run_count > 1) {
        size_t *ends = ranking->ends;
        size_t runs = 0;
        size_t start = 0;
        for (size_t i = 0; i < ranking->run_count; i += 2) {
            size_t middle = ends[i];
            size_t end = i + 1 < ranking->run_count ? ends[i + 1] : middle;
            merge_two(ranking->list, ranking->spare, start, middle, end, sort);
            start = ends[runs++] = end;
        }
        ranking->run_count = runs;
        struct rank *merged = ranking->spare;
        size_t merged_cap = ranking->spare_cap;
        ranking->spare = ranking->list;
        ranking->spare_cap = ranking->cap;
        ranking->list = merged;
        ranking->cap = merged_cap;
    }
    return true;
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

bool podsku_rank_all(struct ranking *ranking, const struct podsku_requirement *req, const struct podsku_offer *offers,
                     size_t count)
{
    podsku_ranking_reset(ranking);
    if (!podsku_ranking_reserve(ranking, count))
        return false;
    while (ranking->count < count) {
        struct rank *block = ranking->list + ranking->count;
        size_t in_block = 0;
        for (; in_block < BLOCK && ranking->count < count; in_block++)
            block[in_block] = rank_of(&offers[ranking->count++], req);
        insertion_sort(block, in_block, req->sort);
        if (!end_run(ranking))
            return false;
    }
    return podsku_ranking_merge(ranking, req->sort);
}

bool podsku_order(struct ranking *ranking, const struct podsku_requirement *req, struct podsku_offer *offers,
                  size_t count)
{
    if (count < 2)
        return true;
    if (!podsku_rank_all(ranking, req, offers, count))
        return false;
    put_in_place(offers, ranking->list, count);
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
