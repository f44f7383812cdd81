/*
 * The linter and the comparison of catalogues: what is odd about a body, and what changed between
 * two. Both produce models; cli/ prints them.
 */
#ifndef PODSKU_CATALOG_CHECK_H
#define PODSKU_CATALOG_CHECK_H

#include "catalog/catalog.h"

struct podsku_finding {
    bool is_error;    /* false: an oddity, one of the known lies */
    char *path;       /* JSON path, "$.gpus[3].price.secure" */
    const char *code; /* a fixed word, see below */
    char *message;
};

/*
 * Codes. Errors: not-json not-a-catalogue paged wrong-type out-of-range missing-id duplicate-id
 * recording-version.
 * Oddities of entries: flag-without-count count-without-flag overall-count price-not-offered
 * placeholder-price suspect-price price-unknown price-rounded float-for-integer memory-unknown
 * memory-differs manufacturer-differs double-blank outer-blank id-prefix duplicate-name name-moved
 * name-changed unknown-entry unknown-word unknown-member missing-member no-facts unknown-profile
 * no-parent stock-not-offered stock-contradiction duplicate-data-center.
 * Oddities of documents: empty stock-without-query source-missing source-differs time-missing
 * query-missing hash-missing hash-unchecked hash-differs.
 */
struct podsku_findings {
    struct podsku_finding *list;
    size_t count;
    size_t errors;
};

/*
 * Checks the bytes of a catalogue file. Content errors are findings, not failures: the function
 * fails only on memory. Every error that podsku_catalog_load() would report is a finding, too.
 */
enum podsku_code podsku_catalog_check(const char *bytes, size_t len, const char *name,
                                      const struct podsku_facts_set *facts, struct podsku_findings *findings,
                                      struct podsku_error *err) PODSKU_CHECKED;
void podsku_findings_free(struct podsku_findings *findings);

struct podsku_change {
    const struct podsku_gpu_type *old_type, *new_type; /* borrowed from the catalogues; both not NULL */
    char field[48];                                    /* "price.secure", "stock", "max_gpus.community", "name", ... */
    json_t *old_value, *new_value;                     /* owned by the list */
};

struct podsku_diff {
    const struct podsku_gpu_type **added, **removed; /* arrays owned, types borrowed */
    size_t added_count, removed_count;
    struct podsku_change *changes;
    size_t change_count;
};

/*
 * Types by id; of those in both, every field, in the new catalogue's order. Stock ("stock",
 * "data_centers", "cuda_versions") is compared only between reads for the same product, cloud, count
 * and filters; when the new catalogue has several reads the fields are "stock.secure.8" and so on.
 * PODSKU_NO_MEMORY is the only failure; *diff is empty then.
 */
enum podsku_code podsku_catalog_diff(const struct podsku_catalog *old_catalog, const struct podsku_catalog *new_catalog,
                                     struct podsku_diff *diff, struct podsku_error *err) PODSKU_CHECKED;
void podsku_diff_free(struct podsku_diff *diff);

#endif
