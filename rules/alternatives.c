/*
 * Where slices or fractions are asked for, and where nothing fits: what else there is, and what the
 * cheapest whole card with as much memory costs.
 */
#include <math.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "rules/judge.h"

/* Which offer an approach is compared with. */
enum compared { WITH_NOTHING, WITH_CARD, WITH_SLICE };

/*
 * Ways to get a part of a card, nearest to a card of one's own first. `verified`: it can be had on
 * Runpod (seen in the catalogue of August 2026); the others have not been tried there.
 */
static const struct {
    const char *approach, *isolates, *needs;
    bool verified;
    enum compared compared;
} approaches[] = {
    {"smaller-card", "everything: a card of one's own", "nothing: the cheapest whole card with as much memory", true,
     WITH_CARD},
    {"mig-slice", "memory, bandwidth and faults, by hardware",
     "a slice that is sold under its own id; no NVLink and no NCCL across slices", true, WITH_SLICE},
    {"mps", "little: a shared context, a memory limit only if set, one client's fault can end all",
     "a whole card, and the MPS daemon in the container", false, WITH_CARD},
    {"time-slicing", "nothing: one out-of-memory can end all", "a whole card, and processes that take turns", false,
     WITH_CARD},
    {"one-process", "nothing: one out-of-memory ends all",
     "a whole card, and one server that holds all models (serverless: concurrency_modifier)", false, WITH_CARD},
    {"bare-metal", "what you set up: root on the host may cut its own cards",
     "a bare-metal machine by arrangement: pods, serverless and clusters are containers and cannot cut", false,
     WITH_NOTHING},
};
enum { APPROACH_COUNT = sizeof approaches / sizeof approaches[0] };

/*
 * What the comparison keeps of the requirement: where, how many, how joined and how new; not what
 * the cards are called, what they may cost, or their share of another card.
 */
static void loosen(const struct podsku_requirement *from, struct podsku_requirement *req)
{
    *req = *from; /* borrows the strings, never freed */
    req->gpu.count = 0;
    req->manufacturer = req->manufacturer == PODSKU_WANT_DEFAULT ? PODSKU_WANT_NVIDIA : req->manufacturer;
    req->max_price_uusd = req->max_total_uusd = PODSKU_UNCAPPED;
    req->allow_unpriced = false;
    req->limit = 0;
    req->sort = PODSKU_SORT_PRICE; /* the cheapest, in whatever order candidates stand */
    if (req->nvlink == PODSKU_NVLINK_PREFERRED)
        req->nvlink = PODSKU_NVLINK_ANY;
    req->mig_set = true;
}

void podsku_whole_card_requirement(const struct podsku_requirement *req, double memory_gb,
                                   struct podsku_requirement *whole)
{
    loosen(req, whole);
    whole->mig = PODSKU_MIG_FORBID;
    whole->memory_fraction.denominator = whole->compute_fraction.denominator = 0;
    whole->mig_parent = NULL;
    if (memory_gb > whole->min_vram_gb)
        whole->min_vram_gb = memory_gb;
}

struct search {
    const struct podsku_requirement *req;
    struct podsku_offer *best;
    bool found;
};

static void keep_best(void *ctx, const struct podsku_offer *offer)
{
    struct search *search = ctx;

    if (!search->found || podsku_comes_before(search->req, offer, search->best))
        *search->best = *offer;
    search->found = true;
}

/* The best offer of a requirement; false in *found: there is none. */
static bool find_best(const struct judge *judge, const struct podsku_requirement *req, struct rules_store *store,
                      struct podsku_offer *best, bool *found)
{
    struct search search = {req, best, false};
    struct judge other;

    if (podsku_judge_needs_parents(req) &&
        !podsku_grow(&store->other_parents, &store->other_parents_cap, judge->catalog->type_count + 1, 1))
        return false;
    podsku_judge_prepare(&other, judge->catalog, req, store->other_parents);
    podsku_each_passing(&other, keep_best, &search);
    *found = search.found;
    return !search.found || podsku_offer_explain(best, &other, store); /* its notes */
}

/* gpus 0: of any of the counts that are asked for. */
static bool find_card(const struct judge *judge, double memory_gb, int gpus, struct rules_store *store,
                      struct podsku_offer *best, bool *found)
{
    struct podsku_requirement req;

    podsku_whole_card_requirement(judge->req, memory_gb, &req);
    if (gpus) {
        req.gpus[0] = gpus;
        req.gpus_count = 1;
    }
    return find_best(judge, &req, store, best, found);
}

static bool find_slice(const struct judge *judge, double memory_gb, struct rules_store *store,
                       struct podsku_offer *best, bool *found)
{
    struct podsku_requirement req;

    loosen(judge->req, &req);
    req.mig = PODSKU_MIG_ONLY;
    if (memory_gb > req.min_vram_gb)
        req.min_vram_gb = memory_gb;
    return find_best(judge, &req, store, best, found);
}

/* Memory of the card that a fraction is of: that of the smallest allowed parent. 0: unknown. */
static int parent_memory_gb(const struct judge *judge)
{
    const struct podsku_catalog *catalog = judge->catalog;
    int least = 0;

    for (size_t i = 0; judge->parents && i < catalog->type_count; i++) {
        int memory_gb = podsku_gpu_memory_gb(&catalog->types[i]);
        if (judge->parents[i] && !catalog->types[i].slice && memory_gb > 0 && (least == 0 || memory_gb < least))
            least = memory_gb;
    }
    return least;
}

static bool is_named(const struct podsku_requirement *req, const struct podsku_gpu_type *type)
{
    bool named = req->gpu.count == 0;

    for (size_t i = 0; i < req->gpu.count && !named; i++)
        named = podsku_type_matches(type, req->gpu.list[i]);
    for (size_t i = 0; i < req->exclude.count && named; i++)
        named = !podsku_type_matches(type, req->exclude.list[i]);
    return named;
}

/* Of the smallest card that only the facts know by one of these names; 0: of none. */
static int known_memory_gb(const struct judge *judge)
{
    const struct podsku_words *patterns = &judge->req->gpu;
    int least = 0;

    for (size_t i = 0; i < podsku_facts_count(judge->catalog->facts); i++) {
        const struct podsku_facts *facts = podsku_facts_at(judge->catalog->facts, i);
        for (size_t k = 0; k < patterns->count; k++)
            if (facts->memory_gb > 0 && (least == 0 || facts->memory_gb < least) &&
                podsku_text_match(patterns->list[k], facts->id))
                least = facts->memory_gb;
    }
    return least;
}

/*
 * Memory of the smallest type that --gpu names, or of the smallest slice where only slices are asked for.
 * Types that --mig refuses count only where nothing else is named. 0: none is, or it is unknown.
 */
static int named_memory_gb(const struct judge *judge)
{
    int least[2] = {0, 0}; /* of those that --mig refuses, of the others */

    if (judge->req->gpu.count == 0 && judge->mig != PODSKU_MIG_ONLY)
        return 0;
    for (size_t i = 0; i < judge->catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &judge->catalog->types[i];
        int memory_gb = podsku_gpu_memory_gb(type);
        bool meant = judge->mig == PODSKU_MIG_ALLOW || (judge->mig == PODSKU_MIG_ONLY) == (type->slice != NULL);
        if (memory_gb > 0 && is_named(judge->req, type) && (least[meant] == 0 || memory_gb < least[meant]))
            least[meant] = memory_gb;
    }
    if (least[0] + least[1] == 0)
        return known_memory_gb(judge);
    return least[1] ? least[1] : least[0];
}

/*
 * Memory that a card must have to be compared: that of the first slice that fits; else the share of its
 * parent, and what the smallest of the named types has. 0: nothing says.
 */
static double compared_memory_gb(const struct judge *judge, const struct podsku_decision *decision)
{
    struct podsku_fraction share = judge->req->memory_fraction;
    double named_gb = named_memory_gb(judge);
    double share_gb = 0;

    for (size_t i = 0; i < decision->candidate_count; i++)
        if (decision->candidates[i].type->slice && decision->candidates[i].memory_gb > 0)
            return decision->candidates[i].memory_gb;
    if (share.denominator > 0)
        share_gb = ceil((double)parent_memory_gb(judge) * (double)share.numerator / (double)share.denominator);
    return share_gb > named_gb ? share_gb : named_gb;
}

static bool is_suspect(const struct podsku_offer *card)
{
    for (size_t i = 0; i < card->note_count; i++)
        if (strcmp(card->notes[i].code, "suspect-price") == 0)
            return true;
    return false;
}

/* "a whole RTX A5000 (24 GB) costs 0.27 USD/h" beside a slice that fits. */
static bool note_card(struct podsku_offer *slice, const struct podsku_offer *card, struct rules_store *store)
{
    char price[PODSKU_MONEY_TEXT_SIZE];
    const char *name = podsku_gpu_name(card->type);
    struct podsku_note *notes = podsku_store_alloc(store, (slice->note_count + 1) * sizeof *notes);

    const char *doubt = is_suspect(card) ? ", a suspect price" : "";
    (void)podsku_money_text(card->price_total_uusd, price);
    char *text = card->gpus > 1 ? podsku_store_printf(store, "%d whole %.60s (%d GB) cost %s USD/h%s", card->gpus, name,
                                                      card->memory_gb, price, doubt)
                                : podsku_store_printf(store, "a whole %.60s (%d GB) costs %s USD/h%s", name,
                                                      card->memory_gb, price, doubt);
    if (!notes || !text)
        return false;
    if (slice->note_count)
        memcpy(notes, slice->notes, slice->note_count * sizeof *notes);
    notes[slice->note_count] = (struct podsku_note){"whole-card", text};
    slice->notes = notes;
    slice->note_count++;
    return true;
}

/* Slices of one size and count share what they are compared with; there are few sizes. */
enum { SIZES_MAX = 16 };

struct compared_size {
    int memory_gb, gpus;
    bool found;
    struct podsku_offer card;
};

/* NULL in *size without an error: there are too many sizes. False: no memory. */
static bool compare_size(const struct judge *judge, const struct podsku_offer *slice, struct compared_size *sizes,
                         size_t *count, struct rules_store *store, const struct compared_size **size)
{
    *size = NULL;
    for (size_t i = 0; i < *count; i++)
        if (sizes[i].memory_gb == slice->memory_gb && sizes[i].gpus == slice->gpus)
            *size = &sizes[i];
    if (*size || *count == SIZES_MAX)
        return true;
    struct compared_size *added = &sizes[(*count)++];
    added->memory_gb = slice->memory_gb;
    added->gpus = slice->gpus;
    *size = added;
    return find_card(judge, slice->memory_gb, slice->gpus, store, &added->card, &added->found);
}

static bool note_cards(const struct judge *judge, struct podsku_decision *decision)
{
    struct podsku_offer *candidates = decision->store->candidates.list;
    struct compared_size sizes[SIZES_MAX];
    const struct compared_size *size;
    size_t count = 0;

    for (size_t i = 0; i < decision->candidate_count; i++) {
        if (!candidates[i].type->slice || candidates[i].memory_gb == 0)
            continue;
        if (!compare_size(judge, &candidates[i], sizes, &count, decision->store, &size))
            return false;
        if (size && size->found && !note_card(&candidates[i], &size->card, decision->store))
            return false;
    }
    return true;
}

bool podsku_list_alternatives(const struct judge *judge, struct podsku_decision *decision)
{
    struct rules_store *store = decision->store;
    struct podsku_offer found[2];
    bool has_card;
    bool has_slice;

    if (judge->mig == PODSKU_MIG_FORBID && !judge->parents && decision->candidate_total > 0)
        return true;
    if (!note_cards(judge, decision) ||
        !find_card(judge, compared_memory_gb(judge, decision), 0, store, &found[0], &has_card) ||
        !find_slice(judge, named_memory_gb(judge), store, &found[1], &has_slice))
        return false;
    const struct podsku_offer *kept = podsku_store_offers(store, found, 2);
    struct podsku_alternative *list = podsku_store_alloc(store, APPROACH_COUNT * sizeof *list);
    if (!kept || !list)
        return false;
    for (size_t i = 0; i < APPROACH_COUNT; i++) {
        list[i].approach = approaches[i].approach;
        list[i].isolates = approaches[i].isolates;
        list[i].needs = approaches[i].needs;
        list[i].verified = approaches[i].verified;
        list[i].cheapest = approaches[i].compared == WITH_CARD && has_card     ? &kept[0]
                           : approaches[i].compared == WITH_SLICE && has_slice ? &kept[1]
                                                                               : NULL;
    }
    decision->alternatives = list;
    decision->alternative_count = APPROACH_COUNT;
    return true;
}
