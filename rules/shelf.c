#include "rules/shelf.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES_MAX = 1024, SLOTS = 2048, SHELVES_MAX = SLOTS / 4, RANKS_MAX = 32768 };
_Static_assert(SHELVES_MAX + 2 * PODSKU_COUNTS_MAX + 1 < SLOTS, "after a trim, a decision finds free slots");

/* All that rules by choice and the order look at. Numbers only, so that two keys compare as bytes. */
struct shelf_key {
    uint64_t catalog;
    int32_t gpus[PODSKU_COUNTS_MAX];
    int32_t gpus_count, secure, community, nodes, nvlink, tensor, sort, unpriced, mig, manufacturer, min_stock;
    int32_t hash; /* of the others */
};
_Static_assert(sizeof(struct shelf_key) == 8 + 4 * (PODSKU_COUNTS_MAX + 12), "a key has no padding");

struct kept_shelf {
    struct shelf_key key;
    struct shelf shelf;
    struct podsku_offer *offers; /* of a shelf of one cloud and count, in the catalogue's order; else NULL */
};

struct shelves {
    struct kept_shelf *slots[SLOTS]; /* open addressing; NULL: free */
    size_t count, ranks;             /* of shelves; of ranks on all of them */
    struct offer_list list;          /* of the shelf that is being made */
    struct ranking ranking;
};

bool podsku_shelves_suit(const struct podsku_catalog *catalog)
{
    for (size_t i = 0; i < catalog->read_count; i++)
        if (catalog->reads[i].min_cuda || catalog->reads[i].countries)
            return false; /* its stock depends on more of the requirement than a key has */
    return catalog->serial != 0 && catalog->type_count <= TYPES_MAX;
}

static void hash_key(struct shelf_key *key)
{
    const int32_t choices[] = {key->secure, key->community, key->nodes, key->nvlink,       key->tensor,
                               key->sort,   key->unpriced,  key->mig,   key->manufacturer, key->min_stock};
    uint64_t hash = key->catalog;

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        hash = (hash ^ (uint64_t)choices[i]) * UINT64_C(0x9e3779b97f4a7c15);
    for (int32_t i = 0; i < key->gpus_count; i++)
        hash = (hash ^ (uint64_t)key->gpus[i]) * UINT64_C(0x9e3779b97f4a7c15);
    key->hash = (int32_t)(hash >> 33);
}

static struct shelf_key key_of_all(const struct judge *judge)
{
    const struct podsku_requirement *req = judge->req;
    struct shelf_key key = {
        .catalog = judge->catalog->serial,
        .gpus_count = (int32_t)req->gpus_count,
        .secure = req->cloud[PODSKU_SECURE],
        .community = req->cloud[PODSKU_COMMUNITY],
        .nodes = req->nodes,
        .nvlink = req->nvlink,
        .tensor = req->parallelism == PODSKU_TENSOR,
        .sort = req->sort,
        .unpriced = req->allow_unpriced,
        .mig = judge->mig,
        .manufacturer = judge->manufacturer,
        .min_stock = req->min_stock,
    };

    for (size_t i = 0; i < req->gpus_count; i++)
        key.gpus[i] = req->gpus[i];
    return key;
}

static struct shelf_key key_of_one(const struct judge *judge, enum podsku_cloud cloud, int gpus)
{
    struct shelf_key key = key_of_all(judge);

    memset(key.gpus, 0, sizeof key.gpus);
    key.gpus[0] = gpus;
    key.gpus_count = 1;
    key.secure = cloud == PODSKU_SECURE;
    key.community = cloud == PODSKU_COMMUNITY;
    key.nvlink = podsku_requirement_nvlink(judge->req, gpus);
    key.tensor = 0;
    return key;
}

/* The slot of this key, or the free one where it belongs. */
static struct kept_shelf **find(struct shelves *shelves, struct shelf_key *key)
{
    hash_key(key);
    size_t i = (size_t)key->hash % SLOTS;
    while (shelves->slots[i] && memcmp(&shelves->slots[i]->key, key, sizeof *key) != 0)
        i = (i + 1) % SLOTS;
    return &shelves->slots[i];
}

static void drop(struct kept_shelf *kept)
{
    if (!kept)
        return;
    free(kept->offers);
    free(kept->shelf.ranks);
    free(kept);
}

/* Puts up a new shelf; NULL: no memory, also for what was to be on it. Takes it. */
static const struct shelf *put_up(struct shelves *shelves, struct shelf_key *key, struct kept_shelf *kept)
{
    if (!kept)
        return NULL;
    kept->key = *key;
    *find(shelves, key) = kept;
    shelves->count++;
    shelves->ranks += kept->shelf.count;
    return &kept->shelf;
}

/* Takes the offers of one cloud and count that pass by choice. */
static bool gather(struct offer_list *list, const struct judge *judge, enum podsku_cloud cloud, int gpus)
{
    const struct podsku_catalog *catalog = judge->catalog;
    struct judge choices = *judge;

    choices.quick_count = choices.quick_plain = 0;
    for (size_t i = 0; i < judge->quick_count; i++) {
        if (judge->quick[i]->by_choice)
            choices.quick[choices.quick_count++] = judge->quick[i];
        if (i < judge->quick_plain)
            choices.quick_plain = choices.quick_count;
    }
    list->count = 0;
    for (size_t i = 0; i < catalog->type_count; i++) {
        struct podsku_offer offer;
        podsku_offer_begin(&offer, judge, &catalog->types[i], cloud, gpus);
        if (podsku_offer_passes(&offer, &choices) && !podsku_offers_add(list, &offer))
            return false;
    }
    return true;
}

/* A shelf with the order that the ranking has; NULL: no memory. */
static struct kept_shelf *keep_ranks(struct kept_shelf *kept, const struct ranking *ranking)
{
    struct shelf *shelf = &kept->shelf;

    if (ranking->count == 0)
        return kept;
    shelf->ranks = malloc(ranking->count * sizeof *shelf->ranks);
    if (!shelf->ranks) {
        drop(kept);
        return NULL;
    }
    memcpy(shelf->ranks, ranking->list, ranking->count * sizeof *shelf->ranks);
    shelf->count = ranking->count;
    return kept;
}

/* A shelf with these offers; NULL: no memory. */
static struct kept_shelf *keep_offers(const struct offer_list *list, struct ranking *ranking,
                                      const struct podsku_requirement *req)
{
    struct kept_shelf *kept = calloc(1, sizeof *kept);

    if (!kept || list->count == 0)
        return kept;
    kept->offers = malloc(list->count * sizeof *kept->offers);
    if (kept->offers) {
        memcpy(kept->offers, list->list, list->count * sizeof *kept->offers);
        if (podsku_rank_all(ranking, req, kept->offers, list->count))
            return keep_ranks(kept, ranking);
    }
    drop(kept);
    return NULL;
}

/* The shelf of one cloud and count; NULL: no memory. */
static const struct shelf *one_shelf(struct shelves *shelves, const struct judge *judge, enum podsku_cloud cloud,
                                     int gpus)
{
    struct shelf_key key = key_of_one(judge, cloud, gpus);
    const struct kept_shelf *known = *find(shelves, &key);

    if (known)
        return &known->shelf;
    if (!gather(&shelves->list, judge, cloud, gpus))
        return NULL;
    return put_up(shelves, &key, keep_offers(&shelves->list, &shelves->ranking, judge->req));
}

/* Merges the shelves of each cloud and count of the requirement into the ranking. */
static bool merge(struct shelves *shelves, const struct judge *judge, struct ranking *ranking)
{
    const struct podsku_requirement *req = judge->req;

    podsku_ranking_reset(ranking);
    for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
        for (size_t i = 0; req->cloud[cloud] && i < req->gpus_count; i++) {
            const struct shelf *shelf = one_shelf(shelves, judge, (enum podsku_cloud)cloud, req->gpus[i]);
            if (!shelf || !podsku_ranking_add_run(ranking, shelf->ranks, shelf->count))
                return false;
        }
    }
    return podsku_ranking_merge(ranking, req->sort);
}

static void forget(struct shelves *shelves)
{
    for (size_t i = 0; i < SLOTS; i++) {
        drop(shelves->slots[i]);
        shelves->slots[i] = NULL;
    }
    shelves->count = shelves->ranks = 0;
}

/* Between decisions only: the ranks of one shelf point to offers on others. */
static void trim(struct shelves *shelves)
{
    if (shelves->count > SHELVES_MAX || shelves->ranks > RANKS_MAX)
        forget(shelves);
}

const struct shelf *podsku_shelf(struct rules_store *store, const struct judge *judge)
{
    const struct podsku_requirement *req = judge->req;
    struct shelf_key key = key_of_all(judge);

    if (!store->shelves)
        store->shelves = calloc(1, sizeof *store->shelves);
    struct shelves *shelves = store->shelves;
    if (!shelves)
        return NULL;
    trim(shelves);
    if (req->gpus_count == 1 && req->cloud[PODSKU_SECURE] != req->cloud[PODSKU_COMMUNITY])
        return one_shelf(shelves, judge, req->cloud[PODSKU_SECURE] ? PODSKU_SECURE : PODSKU_COMMUNITY, req->gpus[0]);
    const struct kept_shelf *known = *find(shelves, &key);
    if (known)
        return &known->shelf;
    if (!merge(shelves, judge, &store->ranking))
        return NULL;
    struct kept_shelf *merged = calloc(1, sizeof *merged);
    return put_up(shelves, &key, merged ? keep_ranks(merged, &store->ranking) : NULL);
}

void podsku_shelves_free(struct shelves *shelves)
{
    if (!shelves)
        return;
    forget(shelves);
    free(shelves->list.list);
    podsku_ranking_free(&shelves->ranking);
    free(shelves);
}
