/*
 * A requirement: what the user needs, from flags or JSON. Values are read once, here, by the list in
 * rules/requirement_fields.h; every error names the flag or the JSON path and what would be right.
 */
#ifndef PODSKU_RULES_REQUIREMENT_H
#define PODSKU_RULES_REQUIREMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "rules/requirement_fields.h"

#define PODSKU_COUNTS_MAX 32 /* different GPU counts in one requirement */
#define PODSKU_UNCAPPED INT64_C(-1)

enum podsku_nvlink_level {
    PODSKU_NVLINK_ANY,
    PODSKU_NVLINK_PREFERRED,
    PODSKU_NVLINK_POSSIBLE,
    PODSKU_NVLINK_REQUIRED,
};
enum podsku_parallelism { PODSKU_PARALLELISM_NONE, PODSKU_TENSOR, PODSKU_PIPELINE, PODSKU_DATA };
enum podsku_mig_mode { PODSKU_MIG_FORBID, PODSKU_MIG_ALLOW, PODSKU_MIG_ONLY };
enum podsku_sort { PODSKU_SORT_PRICE, PODSKU_SORT_VRAM, PODSKU_SORT_PRICE_PER_GB, PODSKU_SORT_LINK };
enum podsku_wanted_manufacturer { PODSKU_WANT_DEFAULT, PODSKU_WANT_NVIDIA, PODSKU_WANT_AMD, PODSKU_WANT_ANY };

/* An exact ratio; denominator 0: not asked. */
struct podsku_fraction {
    int64_t numerator, denominator;
};

/* A list of owned strings. */
struct podsku_words {
    char **list;
    size_t count;
};

struct podsku_requirement {
    int gpus[PODSKU_COUNTS_MAX]; /* ascending, no duplicates; at least one */
    size_t gpus_count;
    int nodes;
    bool nodes_set;                  /* `nodes` was given, even if it was 1 */
    enum podsku_nvlink_level nvlink; /* as asked; see podsku_requirement_nvlink() */
    enum podsku_parallelism parallelism;
    double min_link_gbs;             /* < 0: not asked (0 is a floor that an unknown link fails) */
    double min_vram_gb, max_vram_gb; /* < 0: not asked */
    double min_total_vram_gb;        /* < 0: not asked */
    struct podsku_fraction memory_fraction, compute_fraction;
    char *mig_parent; /* pattern; NULL: not asked */
    bool mig_set;     /* `mig` was given, not implied */
    enum podsku_mig_mode mig;
    bool cloud[PODSKU_CLOUD_COUNT];         /* which clouds are considered */
    int64_t max_price_uusd, max_total_uusd; /* PODSKU_UNCAPPED: none */
    struct podsku_words gpu, exclude;       /* patterns */
    enum podsku_wanted_manufacturer manufacturer;
    enum podsku_arch arch;            /* UNKNOWN: not asked */
    int compute_major, compute_minor; /* -1: not asked */
    int cuda_major, cuda_minor;       /* -1: not asked */
    struct podsku_words data_centers, countries, compliance;
    char *region;                /* upper case as the API spells it; NULL: not asked */
    enum podsku_stock min_stock; /* NONE, LOW, MEDIUM or HIGH */
    double inter_node_gbps;      /* < 0: not asked */
    bool inter_node_flag;        /* it came as a flag, which needs --nodes beside it */
    bool allow_unpriced;
    enum podsku_sort sort;
    int limit; /* 0: none */
};

/* Every field as if nothing was asked: one GPU, one node, secure cloud, stock low, MIG forbidden. */
void podsku_requirement_init(struct podsku_requirement *req);
void podsku_requirement_free(struct podsku_requirement *req);

/*
 * Sets one field from the texts of a flag (its values in order; none for a SWITCH or the bare
 * `--nvlink`). It replaces what the field had. `flag` is without dashes. PODSKU_USAGE on a bad value.
 */
enum podsku_code podsku_requirement_set(struct podsku_requirement *req, const char *flag, const char *const *values,
                                        size_t count, struct podsku_error *err) PODSKU_CHECKED;

/*
 * Sets every field that the JSON object has. `path` is the object's JSON path for errors ("$",
 * "$[3].requirement"), with which err->where ends after "NAME: ". PODSKU_INPUT for anything else
 * than an object of known keys (an unknown key names the near one) with right values.
 */
enum podsku_code podsku_requirement_read(struct podsku_requirement *req, const json_t *object, const char *name,
                                         const char *path, struct podsku_error *err) PODSKU_CHECKED;

/* Normalised, in the shape that podsku_requirement_read() takes: only what differs from the default,
 * plus `gpus`. New reference, NULL without memory. */
json_t *podsku_requirement_encode(const struct podsku_requirement *req);

/* The level that holds for `gpus` GPUs: `required` if parallelism is tensor and gpus > 1. */
enum podsku_nvlink_level podsku_requirement_nvlink(const struct podsku_requirement *req, int gpus);

/* The mode that holds: a fraction (or --mig-parent) implies allow when none was given. */
enum podsku_mig_mode podsku_requirement_mig(const struct podsku_requirement *req);

/* True if data center, country, region or compliance is asked for. */
bool podsku_requirement_has_placement(const struct podsku_requirement *req);

/*
 * What no catalogue could satisfy, said as such: PODSKU_NO_OFFER with the contradiction as message
 * and the way out as hint; PODSKU_USAGE where flags do not go together. catalog may be NULL.
 */
enum podsku_code podsku_requirement_contradiction(const struct podsku_requirement *req,
                                                  const struct podsku_catalog *catalog,
                                                  struct podsku_error *err) PODSKU_CHECKED;

#endif
