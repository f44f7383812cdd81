#include "rules/shelf.h"

#include <stdlib.h>
#include <string.h>

/* A shelf is at most as long as the catalogue; the largest decision has 2 x PODSKU_COUNTS_MAX of them. */
enum { TYPES_MAX = 1024, SLOTS = 1024, SHELVES_MAX = SLOTS / 4, OFFERS_MAX = 16384 };
_Static_assert(SHELVES_MAX + 2 * PODSKU_COUNTS_MAX < SLOTS, "a slot is free after every trim");

/* All that rules by choice and the order look at. Numbers only, so that two keys compare as bytes. */
struct shelf_key {
    uint64_t catalog;
    int64_t cloud, gpus, nodes, nvlink, sort, unpriced, mig, manufacturer, min_stock;
};

struct slot {
    struct shelf_key key;
    struct shelf shelf;
    struct podsku_offer *offers; /* those of the shelf, in the catalogue's order */
    bool used;
};

struct shelves {
    struct slot slots[SLOTS]; /* open addressing */
    size_t count, offers;     /* of shelves; of offers on all of them */
    struct offer_list list;   /* of the one that is being made */
    struct ranking ranking;
};

bool podsku_shelves_suit(const struct podsku_catalog *catalog)
{
    return catalog->serial != 0 && catalog->type_count <= TYPES_MAX;
}

static struct shelf_key key_of(const struct judge *judge, enum podsku_cloud cloud, int gpus)
{
    const struct podsku_requirement *req = judge->req;

    return (struct shelf_key){
        .catalog = judge->catalog->serial,
        .cloud = cloud,
        .gpus = gpus,
        .nodes = req->nodes,
        .nvlink = podsku_requirement_nvlink(req, gpus),
        .sort = req->sort,
        .unpriced = req->allow_unpriced,
        .mig = judge->mig,
        .manufacturer = judge->manufacturer,
        .min_stock = req->min_stock,
    };
}

static size_t hash_of(const struct shelf_key *key)
{
    const int64_t numbers[] = {key->cloud,    key->gpus, key->nodes,        key->nvlink,   key->sort,
                               key->unpriced, key->mig,  key->manufacturer, key->min_stock};
    uint64_t hash = key->catalog;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash = (hash ^ (uint64_t)numbers[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 32);
}

/* The slot of this key, or the free one where it belongs. */
static struct slot *find(struct shelves *shelves, const struct shelf_key *key)
{
    size_t i = hash_of(key) % SLOTS;

    while (shelves->slots[i].used && memcmp(&shelves->slots[i].key, key, sizeof *key) != 0)
        i = (i + 1) % SLOTS;
    return &shelves->slots[i];
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

/* Keeps the gathered offers and their order in the slot. */
static bool fill(struct slot *slot, const struct offer_list *list, struct ranking *ranking,
                 const struct podsku_requirement *req)
{
    struct shelf *shelf = &slot->shelf;

    if (list->count == 0)
        return true;
    slot->offers = malloc(list->count * sizeof *slot->offers);
    shelf->ranks = malloc(list->count * sizeof *shelf->ranks);
    if (!slot->offers || !shelf->ranks)
        return false;
    memcpy(slot->offers, list->list, list->count * sizeof *slot->offers);
    if (!podsku_rank_all(ranking, req, slot->offers, list->count))
        return false;
    memcpy(shelf->ranks, ranking->list, list->count * sizeof *shelf->ranks);
    shelf->count = list->count;
    return true;
}

static void empty(struct slot *slot)
{
    free(slot->offers);
    free(slot->shelf.ranks);
    memset(slot, 0, sizeof *slot);
}

const struct shelf *podsku_shelf(struct rules_store *store, const struct judge *judge, enum podsku_cloud cloud,
                                 int gpus)
{
    struct shelf_key key = key_of(judge, cloud, gpus);

    if (!store->shelves)
        store->shelves = calloc(1, sizeof *store->shelves);
    struct shelves *shelves = store->shelves;
    if (!shelves)
        return NULL;
    struct slot *slot = find(shelves, &key);
    if (slot->used)
        return &slot->shelf;
    if (!gather(&shelves->list, judge, cloud, gpus) || !fill(slot, &shelves->list, &shelves->ranking, judge->req)) {
        empty(slot);
        return NULL;
    }
    slot->key = key;
    slot->used = true;
    shelves->count++;
    shelves->offers += slot->shelf.count;
    return &slot->shelf;
}

static void forget(struct shelves *shelves)
{
    for (size_t i = 0; i < SLOTS; i++)
        empty(&shelves->slots[i]);
    shelves->count = shelves->offers = 0;
}

void podsku_shelves_trim(struct rules_store *store)
{
    struct shelves *shelves = store->shelves;

    if (shelves && (shelves->count > SHELVES_MAX || shelves->offers > OFFERS_MAX))
        forget(shelves);
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
