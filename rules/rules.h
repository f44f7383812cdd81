/*
 * The decision: a catalogue and a requirement become ranked candidates, and for every other offer
 * the rules that it fails. Pure: no I/O, no clock; the same input gives the same decision, whatever
 * the order of the catalogue.
 */
#ifndef PODSKU_RULES_RULES_H
#define PODSKU_RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "rules/requirement.h"

/*
 * The rules, in the order in which they are judged. Names are fixed words of the JSON output.
 * X(constant, name, one sentence: passes when, what unknown does)
 * The sentences also make podsku-rules(7) and `podsku help`.
 */
#define PODSKU_RULE_LIST(X)                                                                                        \
    X(CLOUD, "cloud", "the cloud's flag is not false and its count is not 0", "passes, with a note")               \
    X(GPUS, "gpus", "the GPUs asked for are at most the cloud's largest machine", "passes, with a note")           \
    X(UNPRICED, "unpriced", "the price is known and above 0", "fails; --allow-unpriced lets it pass, ranked last") \
    X(NVLINK, "nvlink",                                                                                            \
      "required: NVLink among all GPUs by the board's design; possible: or sold as NVLink with "                   \
      "optional bridges",                                                                                          \
      "fails")                                                                                                     \
    X(LINK_BANDWIDTH, "link-bandwidth",                                                                            \
      "GB/s between any two of the GPUs, both directions together, are at least --min-link-gbs", "fails")          \
    X(VRAM, "vram", "memory per GPU is within --min-vram and --max-vram", "fails")                                 \
    X(TOTAL_VRAM, "total-vram", "memory x GPUs x nodes is at least --min-total-vram", "fails")                     \
    X(MEMORY_FRACTION, "memory-fraction",                                                                          \
      "a MIG slice of an allowed parent with at least that share of its memory, or the whole "                     \
      "parent",                                                                                                    \
      "fails")                                                                                                     \
    X(COMPUTE_FRACTION, "compute-fraction",                                                                        \
      "a MIG slice of an allowed parent with at least that share of its compute slices, or the "                   \
      "whole parent",                                                                                              \
      "fails")                                                                                                     \
    X(MIG, "mig", "forbid: not a MIG slice; only: a MIG slice", "cannot be unknown")                               \
    X(PRICE, "price", "USD per GPU-hour are at most --max-price (without the cluster premium)", "fails")           \
    X(TOTAL_PRICE, "total-price",                                                                                  \
      "USD per hour for everything are at most --max-total (clusters: with 1.2 times the rate, "                   \
      "an estimate)",                                                                                              \
      "fails")                                                                                                     \
    X(GPU, "gpu", "some --gpu pattern matches the id or the name", "cannot be unknown")                            \
    X(EXCLUDE, "exclude", "no --exclude pattern matches the id or the name", "cannot be unknown")                  \
    X(MANUFACTURER, "manufacturer", "nvidia, unless --manufacturer says otherwise or --gpu names types", "fails")  \
    X(ARCH, "arch", "the architecture is the one asked for", "fails")                                              \
    X(COMPUTE_CAPABILITY, "compute-capability",                                                                    \
      "the CUDA compute capability is at least the one asked for (a slice has its parent's)", "fails")             \
    X(CUDA, "cuda", "some listed CUDA version of the hosts is at least --min-cuda",                                \
      "NVIDIA passes, with a note; AMD fails")                                                                     \
    X(PLACEMENT, "placement", "secure cloud, and a wanted data center lists stock for the offer", "fails")         \
    X(STOCK, "stock", "the stock is at least --min-stock", "passes, with a note")                                  \
    X(NODES, "nodes", "several nodes: secure cloud and a type that Instant Clusters offer", "fails")               \
    X(INTER_NODE, "inter-node", "Gbit/s between nodes are at least --inter-node-gbps", "fails")

#define PODSKU_RULE_ENUM(constant, name, passes, unknown) PODSKU_RULE_##constant,
enum podsku_rule { PODSKU_RULE_LIST(PODSKU_RULE_ENUM) PODSKU_RULE_COUNT };
#undef PODSKU_RULE_ENUM

const char *podsku_rule_name(enum podsku_rule rule);
const char *podsku_rule_passes(enum podsku_rule rule);  /* "passes when" sentence */
const char *podsku_rule_unknown(enum podsku_rule rule); /* what unknown does */

enum podsku_link { PODSKU_LINK_UNKNOWN, PODSKU_LINK_NONE, PODSKU_LINK_PCIE, PODSKU_LINK_XGMI, PODSKU_LINK_NVLINK };
const char *podsku_link_name(enum podsku_link link); /* "nvlink", "xgmi", "pcie", "none", "unknown" */

#define PODSKU_GBS_UNKNOWN (-1.0)

/* How max(gpus, 2) GPUs of a type in one machine are linked: the topology of an offer. */
struct podsku_topology {
    enum podsku_link link;
    enum podsku_evidence evidence; /* board or nominal only while the count is within the domain */
    double link_gbs;               /* GB/s between any two, both directions; PODSKU_GBS_UNKNOWN */
    int nvlink_generation;         /* 0: none or unknown */
    int nvlink_domain;             /* 0: unknown */
};

/*
 * possible: nominal evidence counts as NVLink, too (--nvlink possible); otherwise the link and its
 * GB/s are those of PCIe, while `evidence` still says nominal.
 */
struct podsku_topology podsku_topology_of(const struct podsku_gpu_type *type, int gpus, bool possible);

/* V100 SXM2: 8 of them form NVIDIA's hybrid cube mesh, boards of 4 link every pair. facts may be NULL. */
bool podsku_is_cube_mesh(const struct podsku_facts *facts);

struct podsku_note {
    const char *code; /* a fixed word: "suspect-price", "stock-unknown", ... */
    char *message;
};

struct podsku_reason {
    enum podsku_rule rule;
    const char *brief; /* what to count it under in a summary: "no NVLink", "community only" */
    char *message;
};

/* One offer, judged. A candidate has no reasons; a rejected one has at least one. */
struct podsku_offer {
    const struct podsku_gpu_type *type; /* borrowed from the catalogue */
    enum podsku_cloud cloud;
    int gpus, nodes;
    int64_t price_gpu_uusd;   /* per GPU-hour as catalogued; 0: unknown */
    int64_t price_total_uusd; /* everything per hour; 0: unknown */
    bool price_estimated;     /* the cluster premium is in it */
    int memory_gb;            /* per GPU; 0: unknown */
    int64_t total_memory_gb;  /* over all GPUs and nodes; 0: unknown */
    struct podsku_topology topology;
    enum podsku_stock stock;
    const struct podsku_stock_view *view; /* where the stock comes from; NULL: unknown */
    const struct podsku_reason *reasons;
    size_t reason_count;
    const struct podsku_note *notes;
    size_t note_count;
};

/* The smallest single change of the requirement that gains candidates. */
struct podsku_suggestion {
    const char *relax;  /* the flag, "--max-price"; or "--gpus --nvlink", the one change of two flags */
    json_t *to;         /* its new value; JSON null: drop the flag; of two flags an object by their keys */
    const char *change; /* the same as one would type it: "--max-price 2.99", "without --gpu" */
    const struct podsku_offer *gains; /* best first, at most PODSKU_GAINS_MAX */
    size_t gain_count;
    size_t gain_total; /* how many there are */
    double distance;   /* how far the change is: relative for bounds; only its order means something */
};

#define PODSKU_GAINS_MAX 16

struct podsku_alternative {
    const char *approach; /* smaller-card mig-slice mps time-slicing one-process bare-metal */
    const char *isolates;
    const char *needs;
    bool verified;
    const struct podsku_offer *cheapest; /* NULL: nothing to compare with */
};

/*
 * The reason that a summary counts a rejected offer under: what the hardware is before what it costs
 * before where it is offered. NULL for a candidate.
 */
const struct podsku_reason *podsku_offer_chief_reason(const struct podsku_offer *offer);

/* What of a requirement narrows the hosts: its CUDA floor and countries, borrowed. */
struct podsku_catalog_filter podsku_requirement_filter(const struct podsku_requirement *req);

/*
 * The cloud rule fails: the cloud's flag is false or its count is 0. Its price is no price then, whatever
 * the catalogue carries.
 */
bool podsku_type_not_offered(const struct podsku_gpu_type *type, enum podsku_cloud cloud);

/*
 * What whole cards are compared by: where, how many, how joined and how new as `req` says, at least
 * memory_gb each, cheapest first; not what they are called, what they may cost, or shares of other
 * cards. *whole borrows the strings of `req`: never free it.
 */
void podsku_whole_card_requirement(const struct podsku_requirement *req, double memory_gb,
                                   struct podsku_requirement *whole);

/* How much work a decision is. */
enum podsku_detail {
    PODSKU_DECIDE_COUNT, /* candidates without notes and the number of rejected offers: stops at a first failing rule */
    PODSKU_DECIDE_REASONS, /* every rule for every offer */
    PODSKU_DECIDE_FULL,    /* and suggestions, alternatives, the nearest miss */
};

struct podsku_decision {
    const struct podsku_offer *candidates; /* ranked; cut at the requirement's limit */
    size_t candidate_count;
    size_t candidate_total;                      /* before the limit */
    const struct podsku_offer *rejected;         /* by catalogue id bytes, then cloud, then count */
    size_t rejected_count;                       /* also with DECIDE_COUNT, where `rejected` is NULL */
    const struct podsku_suggestion *suggestions; /* nearest first */
    size_t suggestion_count;
    const struct podsku_alternative *alternatives;
    size_t alternative_count;
    const struct podsku_offer *nearest_miss; /* one of `rejected`; NULL: none is near */
    const char *nearest_miss_why;            /* "bridges join pairs, at best 4 of 28 pairs"; NULL without a miss */
    const struct podsku_note *notes;         /* about the whole decision */
    size_t note_count;
    struct rules_store *store; /* private: owns everything above */
};

/*
 * Decides. `decision` is zeroed or the result of an earlier call, whose memory is then used again
 * (for batches); free it once with podsku_decision_free(). Fails only on memory (PODSKU_NO_MEMORY)
 * and on --gpu, --exclude and --mig-parent patterns that match nothing in catalogue or facts
 * (PODSKU_USAGE, with near names), the latter unless lenient.
 */
enum podsku_code podsku_decide(const struct podsku_catalog *catalog, const struct podsku_requirement *req,
                               enum podsku_detail detail, bool lenient, struct podsku_decision *decision,
                               struct podsku_error *err) PODSKU_CHECKED;
void podsku_decision_free(struct podsku_decision *decision);

#endif
