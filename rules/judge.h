/*
 * Private to rules/: how one offer is judged. A judge is a requirement made ready for a catalogue: the
 * rules that ask for something, and what they would otherwise work out again for every offer.
 */
#ifndef PODSKU_RULES_JUDGE_H
#define PODSKU_RULES_JUDGE_H

#include "rules/rules.h"
#include "rules/store.h"

struct judge {
    const struct podsku_catalog *catalog;
    const struct podsku_requirement *req;
    enum podsku_mig_mode mig;
    enum podsku_wanted_manufacturer manufacturer; /* never DEFAULT */
    const unsigned char *parents;        /* by type index: an allowed parent, or a slice of one; NULL: not asked */
    struct podsku_catalog_filter filter; /* of the requirement */
    bool lists_data_centers;             /* some type of the catalogue does; only set when placement is asked for */
    enum podsku_rule asked[PODSKU_RULE_COUNT]; /* in the order of the list */
    size_t asked_count;
    const struct rule_row *quick[PODSKU_RULE_COUNT]; /* the same, cheapest first */
    size_t quick_count;
    size_t quick_plain;                               /* the first of them that need no podsku_offer_finish() */
    const struct rule_row *bounds[PODSKU_RULE_COUNT]; /* those of `quick` that are not by choice */
    size_t bound_count;
};

/* What a predicate has to say about its verdict; the first words count. */
struct says {
    const char *brief; /* of a reason; or the code of a note */
    char text[640];
    bool said;
};

void podsku_say(struct says *says, const char *brief, const char *fmt, ...) PODSKU_PRINTF(3, 4);

/*
 * A named pure predicate: YES passes (with a note if something was said), NO fails, UNKNOWN is what
 * the rule's row makes of it. says is NULL when nobody listens.
 */
typedef enum podsku_tri podsku_predicate(const struct judge *judge, const struct podsku_offer *offer,
                                         struct says *says);

struct rule_row {
    podsku_predicate *judge;
    bool unknown_passes;
    bool by_choice; /* looks at no more of the requirement than what shelves are kept by (rules/shelf.h) */
};

const struct rule_row *podsku_rule_row(enum podsku_rule rule);
/* Does the requirement ask for what the rule judges? */
bool podsku_rule_is_asked(enum podsku_rule rule, const struct judge *judge);
/* The i-th rule to be tried when only the verdict counts, cheapest first. */
enum podsku_rule podsku_rule_quick(size_t i);
/* From this one on, rules need what podsku_offer_finish() fills. */
#define PODSKU_RULE_QUICK_FINISHED PODSKU_RULE_STOCK

/* The predicates, by file. */
podsku_predicate podsku_judge_cloud, podsku_judge_gpus, podsku_judge_unpriced, podsku_judge_price,
    podsku_judge_total_price, podsku_judge_gpu, podsku_judge_exclude, podsku_judge_nodes, podsku_judge_inter_node;
podsku_predicate podsku_judge_nvlink, podsku_judge_link_bandwidth, podsku_judge_vram, podsku_judge_total_vram,
    podsku_judge_memory_fraction, podsku_judge_compute_fraction, podsku_judge_mig, podsku_judge_manufacturer,
    podsku_judge_arch, podsku_judge_compute_capability;
podsku_predicate podsku_judge_cuda, podsku_judge_placement, podsku_judge_stock;

/*
 * Makes the judge ready. `parents` is memory of type_count bytes for judge->parents, needed when
 * podsku_judge_needs_parents(). Both are borrowed.
 */
bool podsku_judge_needs_parents(const struct podsku_requirement *req);
void podsku_judge_prepare(struct judge *judge, const struct podsku_catalog *catalog,
                          const struct podsku_requirement *req, unsigned char *parents);

/* Fills what an offer is by itself: prices and memory. */
void podsku_offer_begin(struct podsku_offer *offer, const struct judge *judge, const struct podsku_gpu_type *type,
                        enum podsku_cloud cloud, int gpus);
/* And what takes looking around: topology and stock. */
void podsku_offer_finish(struct podsku_offer *offer, const struct judge *judge);

/* True if every rule passes; stops at the first that does not. Finishes the offer if it passes. */
bool podsku_offer_passes(struct podsku_offer *offer, const struct judge *judge);

/* Calls visit for every offer of the judge's requirement that passes, in the catalogue's order. */
typedef void podsku_offer_visitor(void *ctx, const struct podsku_offer *offer);
void podsku_each_passing(const struct judge *judge, podsku_offer_visitor *visit, void *ctx);

/* Judges a finished offer by every rule, with reasons and (for a candidate) notes. False: no memory. */
bool podsku_offer_explain(struct podsku_offer *offer, const struct judge *judge, struct rules_store *store);

/* Would `req` have made this offer at all: its cloud and count are asked for. */
bool podsku_offer_is_of(const struct podsku_offer *offer, const struct podsku_requirement *req);

/* The highest CUDA version listed for the hosts of the offer; false: none is listed. */
bool podsku_offer_cuda(const struct judge *judge, const struct podsku_offer *offer, int *major, int *minor);

/* Instant Clusters: Gbit/s per node of a type, 0: unknown; true if clusters offer it. */
int podsku_cluster_gbps(const char *id);
bool podsku_cluster_offers(const struct podsku_catalog *catalog, const struct podsku_gpu_type *type);

/* GPU pairs of n that NVLink can join at best in groups of `domain`. */
int64_t podsku_pairs_joined(int64_t n, int64_t domain);

/* True if some pattern matches the type's id or display name. */
bool podsku_type_matches(const struct podsku_gpu_type *type, const char *pattern);

/* True if each of the rules passes; the offer is finished where they need that. */
static inline bool podsku_offer_meets(const struct podsku_offer *offer, const struct judge *judge,
                                      const struct rule_row *const *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum podsku_tri verdict = rules[i]->judge(judge, offer, NULL);
        if (verdict == PODSKU_NO || (verdict == PODSKU_UNKNOWN && !rules[i]->unknown_passes))
            return false;
    }
    return true;
}

/* Orders candidates: sorts `offers` (ranked by the requirement) in place. False: no memory. */
bool podsku_order(struct ranking *ranking, const struct podsku_requirement *req, struct podsku_offer *offers,
                  size_t count);
/* Fills the ranking with the offers' ranks, in order. False: no memory. */
bool podsku_rank_all(struct ranking *ranking, const struct podsku_requirement *req, const struct podsku_offer *offers,
                     size_t count);
/* The same in steps: runs, each in order, are put into the ranking, and then merged. False: no memory. */
bool podsku_ranking_add_run(struct ranking *ranking, const struct rank *ranks, size_t count);
bool podsku_ranking_merge(struct ranking *ranking, enum podsku_sort sort);
/* Would a be ranked before b? */
bool podsku_comes_before(const struct podsku_requirement *req, const struct podsku_offer *a,
                         const struct podsku_offer *b);
/* By id bytes, cloud, count. */
void podsku_order_by_id(struct podsku_offer *offers, size_t count);

/* The parts of a full decision. False: no memory. */
bool podsku_suggest(const struct judge *judge, struct podsku_decision *decision);
bool podsku_list_alternatives(const struct judge *judge, struct podsku_decision *decision);
bool podsku_find_nearest_miss(const struct judge *judge, struct podsku_decision *decision);
bool podsku_note_decision(const struct judge *judge, struct podsku_decision *decision);

/* PODSKU_USAGE when a pattern of the requirement matches nothing in catalogue or facts. */
enum podsku_code podsku_check_patterns(const struct judge *judge, struct podsku_error *err) PODSKU_CHECKED;

#endif
