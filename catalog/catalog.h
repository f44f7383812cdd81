/*
 * The catalogue: GPU types with prices, counts, stock and facts, in one model for both shapes of the
 * service's catalogue (REST v2 and GraphQL), raw or in a recording. What a body does not say is
 * unknown here, too: neither zero nor false.
 */
#ifndef PODSKU_CATALOG_CATALOG_H
#define PODSKU_CATALOG_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "catalog/facts.h"

enum podsku_cloud { PODSKU_SECURE, PODSKU_COMMUNITY, PODSKU_CLOUD_COUNT };

enum podsku_stock {
    PODSKU_STOCK_UNKNOWN,
    PODSKU_STOCK_NONE,
    PODSKU_STOCK_LOW,
    PODSKU_STOCK_MEDIUM,
    PODSKU_STOCK_HIGH,
};

enum podsku_manufacturer {
    PODSKU_MANUFACTURER_UNKNOWN,
    PODSKU_NVIDIA,
    PODSKU_AMD,
    PODSKU_OTHER_MANUFACTURER, /* a word we do not know; `manufacturer_word` has it */
};

#define PODSKU_COUNT_UNKNOWN (-1)

struct podsku_dc_stock {
    const char *id; /* data center id */
    enum podsku_stock stock;
};

struct podsku_cuda {
    int major, minor;
    enum podsku_tri available; /* NO: offered, but full now */
};

/*
 * What one read of the catalogue said about the stock of one type. It belongs to the cloud, the GPU
 * count and the product that were asked for, and to nothing else.
 */
struct podsku_stock_view {
    size_t read; /* index of the catalogue's read */
    enum podsku_stock stock;
    const struct podsku_dc_stock *data_centers; /* NULL with count 0: none listed */
    size_t data_center_count;
    const struct podsku_cuda *cuda; /* NULL: none reported */
    size_t cuda_count;
};

/* A MIG slice sold under its own id: "PARENT MIG 1g.24gb". Fractions as exact ratios; 0/0 unknown. */
struct podsku_slice {
    const char *parent;  /* GPU type id of the parent, need not be in the catalogue */
    const char *profile; /* "1g.24gb" */
    int memory_numerator, memory_denominator;
    int compute_numerator, compute_denominator;
};

struct podsku_gpu_type {
    const char *id;                              /* never NULL; opaque bytes, compared whole */
    const char *name;                            /* display name; NULL: unknown */
    const char *manufacturer_word;               /* as catalogued; NULL: not catalogued */
    enum podsku_manufacturer manufacturer;       /* not catalogued: from the id's first word */
    const char *pool;                            /* serverless pool; NULL: none or unknown */
    int memory_gb;                               /* as catalogued; 0: unknown */
    enum podsku_tri offered[PODSKU_CLOUD_COUNT]; /* the cloud's flag */
    int max_gpus[PODSKU_CLOUD_COUNT];            /* largest machine; 0: not offered; PODSKU_COUNT_UNKNOWN */
    int64_t price_uusd[PODSKU_CLOUD_COUNT];      /* per GPU-hour; 0: unknown */
    int64_t serverless_uusd;                     /* per GPU-hour; 0: unknown */
    const struct podsku_facts *facts;            /* NULL: none. The set's; of slices without a row the catalogue's */
    const struct podsku_slice *slice;            /* NULL: a whole card */
    const struct podsku_stock_view *views;       /* one per read that had availability */
    size_t view_count;
    size_t entry; /* index in the body's list, for JSON paths */
};

enum podsku_source { PODSKU_SOURCE_BUNDLED, PODSKU_SOURCE_FILE, PODSKU_SOURCE_LIVE, PODSKU_SOURCE_GRAPHQL };
enum podsku_product { PODSKU_PRODUCT_POD, PODSKU_PRODUCT_CLUSTER, PODSKU_PRODUCT_SERVERLESS };

/* What a body was read for. */
struct podsku_catalog_query {
    enum podsku_product product;
    bool has_cloud; /* false: the body does not say (raw GraphQL); its stock is unknown */
    enum podsku_cloud cloud;
    int count;             /* GPUs per pod, 1 or more */
    const char *min_cuda;  /* "12.8"; NULL: none */
    const char *countries; /* comma-separated codes; NULL: none */
};

struct podsku_catalog {
    uint64_t serial; /* no other content of the process has it; 0: none, nothing may be remembered */
    enum podsku_source source;
    const char *path;                    /* of a file; NULL otherwise */
    int64_t recorded_ms;                 /* wall clock; 0: unknown */
    const char *url;                     /* where it was read; NULL: unknown */
    char sha256[65];                     /* of the (first) body's bytes; empty until podsku_catalog_hash() */
    bool graphql;                        /* the (first) body's shape */
    const struct podsku_gpu_type *types; /* in the body's order; without the `unknown` entry */
    size_t type_count;
    const struct podsku_catalog_query *reads; /* at least one */
    size_t read_count;
    size_t entries;                       /* entries of the body, with the `unknown` one */
    const struct podsku_facts_set *facts; /* borrowed */
    struct catalog_store *store;          /* private: the arena that owns every string above */
};

/*
 * Reads a catalogue from bytes (copied): REST v2 body, GraphQL body, bare array of GraphQL entries, or a
 * recording of either, told apart by content. `name` is the file's path or URL for errors. `facts`
 * is borrowed and must outlive the catalogue. `query`: what the body was read for when the bytes do
 * not say themselves (a live read); NULL: as RULES say for raw bodies (v2: SECURE and 1 GPU;
 * GraphQL: nothing). Errors: code_on_bad (PODSKU_INPUT for files, PODSKU_ANSWER for live bodies)
 * with file:line:column for syntax or name plus JSON path ("FILE: $.gpus[3].price") for content. A
 * page of a longer list (nextCursor and the like say so, unless `query` tells of a live read, which
 * follows the pages) and an answer with errors are refused.
 * source is LIVE or GRAPHQL by the body's shape; url is the recording's, else `name` if it is a URL.
 * *catalog is NULL on error; otherwise free it with podsku_catalog_free().
 */
enum podsku_code podsku_catalog_load(const char *bytes, size_t len, const char *name,
                                     const struct podsku_facts_set *facts, const struct podsku_catalog_query *query,
                                     enum podsku_code code_on_bad, struct podsku_catalog **catalog,
                                     struct podsku_error *err) PODSKU_CHECKED;

/* The same from bytes that have been parsed: `root`, which is borrowed, is what they say. */
enum podsku_code podsku_catalog_load_parsed(const char *bytes, size_t len, const json_t *root, const char *name,
                                            const struct podsku_facts_set *facts,
                                            const struct podsku_catalog_query *query, enum podsku_code code_on_bad,
                                            struct podsku_catalog **catalog, struct podsku_error *err) PODSKU_CHECKED;

/* The same from a file ("-": stdin); sets source FILE and path. */
enum podsku_code podsku_catalog_load_file(const char *path, const struct podsku_facts_set *facts,
                                          struct podsku_catalog **catalog, struct podsku_error *err) PODSKU_CHECKED;

/* The 48 types with list prices of August 2026 that are compiled in. */
enum podsku_code podsku_catalog_bundled(const struct podsku_facts_set *facts, struct podsku_catalog **catalog,
                                        struct podsku_error *err) PODSKU_CHECKED;

void podsku_catalog_free(struct podsku_catalog *catalog);

/*
 * Adds the stock of another read of the same catalogue (another cloud, count or product) to
 * `catalog`: for each type of both, other's views. Types only in `other` are added as well. `other`
 * is taken, also on failure: it is freed with `catalog`. Types may move: pointers to them (not to
 * views and texts) are no longer valid.
 */
enum podsku_code podsku_catalog_merge(struct podsku_catalog *catalog, struct podsku_catalog *other,
                                      struct podsku_error *err) PODSKU_CHECKED;

/*
 * Fills sha256 if it is empty: of a raw body all its bytes, of a recording the bytes of its body as
 * they are now (the linter compares them with what the recording says), of the bundled one its
 * encoding. Apart from loading, since only JSON shows it.
 */
enum podsku_code podsku_catalog_hash(struct podsku_catalog *catalog, struct podsku_error *err) PODSKU_CHECKED;

/*
 * Did the bytes of a recording's body change since it was made: is its SHA-256 another than the one that
 * the recording says? False for what says none. Fills sha256 as podsku_catalog_hash() does where there
 * is something to compare.
 */
enum podsku_code podsku_catalog_is_altered(struct podsku_catalog *catalog, bool *altered,
                                           struct podsku_error *err) PODSKU_CHECKED;

/* The type of exactly this id, NULL if there is none. Constant time on average. */
const struct podsku_gpu_type *podsku_catalog_find(const struct podsku_catalog *catalog, const char *id);

/* What hosts somebody wants: the CUDA floor, and countries. Zeroed: any host. Borrows its texts. */
struct podsku_catalog_filter {
    int cuda_major, cuda_minor;   /* 0.0: none */
    const char *const *countries; /* codes, case ignored */
    size_t country_count;         /* 0: any country */
};

/*
 * Did the read look at every host that the filter lets in? Then what it found nowhere is nowhere under
 * the filter. A read that was narrower itself says nothing of the hosts that it left out. filter NULL:
 * any host.
 */
bool podsku_catalog_read_covers(const struct podsku_catalog_query *read, const struct podsku_catalog_filter *filter);

/*
 * The stock of a type for a pod of `count` GPUs in `cloud`, from all reads: the read for exactly
 * that; else NONE if some read for fewer says NONE; else a stock level of a read for more; else
 * UNKNOWN. NONE counts only from reads that cover the filter (NULL: any host); a level is a level
 * under any. *view (may be NULL) is the view it comes from or NULL.
 */
enum podsku_stock podsku_catalog_stock(const struct podsku_catalog *catalog, const struct podsku_gpu_type *type,
                                       enum podsku_cloud cloud, int count, const struct podsku_catalog_filter *filter,
                                       const struct podsku_stock_view **view);

/*
 * True when a read of product CLUSTER lists stock for the type: in all, or, where it does not say that,
 * in some data center.
 */
bool podsku_catalog_cluster_stock(const struct podsku_catalog *catalog, const struct podsku_gpu_type *type);

/* Memory of one GPU: the catalogue's, else the facts' nominal size; 0: unknown. GB. */
int podsku_gpu_memory_gb(const struct podsku_gpu_type *type);

/* The name to show: display name, else the id. Never NULL. */
const char *podsku_gpu_name(const struct podsku_gpu_type *type);

/* As a REST v2 body (without stock unless the catalogue has exactly one read): new reference or NULL. */
json_t *podsku_catalog_encode(const struct podsku_catalog *catalog);

/*
 * Appends a recording of body bytes as received: {"podsku_recording":1, ..., "body": <the bytes as they
 * are>}. source is PODSKU_SOURCE_LIVE ("v2") or PODSKU_SOURCE_GRAPHQL ("graphql"). PODSKU_ANSWER when
 * the body is no JSON.
 */
enum podsku_code podsku_recording_write(struct podsku_buf *out, const char *body, size_t len, enum podsku_source source,
                                        const char *url, const struct podsku_catalog_query *query, int64_t recorded_ms,
                                        struct podsku_error *err) PODSKU_CHECKED;

/* "SECURE"/"secure", "HIGH"/"high", NULL-free. podsku_stock_name(UNKNOWN) is "-". */
const char *podsku_cloud_name(enum podsku_cloud cloud);    /* "SECURE" */
const char *podsku_cloud_word(enum podsku_cloud cloud);    /* "secure" */
const char *podsku_stock_name(enum podsku_stock stock);    /* "HIGH" */
const char *podsku_source_name(enum podsku_source source); /* "live", "graphql", "bundled", "file" */

#endif
