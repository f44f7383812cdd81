/*
 * The memory behind a catalogue: an arena for strings and small arrays, the growing array of types,
 * and the hash index over their ids. Private to catalog/.
 */
#ifndef PODSKU_CATALOG_STORE_H
#define PODSKU_CATALOG_STORE_H

#include "catalog/arena.h"
#include "catalog/catalog.h"

/* The id of the entry that is no card. */
#define PODSKU_UNKNOWN_ID "unknown"

struct catalog_store {
    struct podsku_arena arena;
    struct podsku_gpu_type *types; /* the catalogue's, writable */
    size_t type_cap;
    uint32_t *slots; /* open addressing: index of a type + 1; 0: free */
    size_t slot_count;
    char *bytes; /* what the catalogue was decoded from; NULL: bundled */
    size_t len;
    size_t body_start, body_end;         /* the body's value within bytes */
    size_t envelope_start, envelope_end; /* the same with the blanks around it */
    char recorded_sha256[65];            /* what the recording says; empty: nothing */
    struct podsku_catalog *merged;       /* catalogues taken by a merge */
    struct podsku_catalog *next_merged;  /* chain of those */
};

/* An empty catalogue with room for `types` types; NULL when there is no memory. */
struct podsku_catalog *podsku_store_new(const struct podsku_facts_set *facts, size_t types);

/* A new serial number, since the content changes. */
void podsku_store_renew(struct podsku_catalog *catalog);

/* The type of this id or NULL. */
struct podsku_gpu_type *podsku_store_find(const struct podsku_catalog *catalog, const char *id);

/* Appends a type whose id is not there yet. False: no memory. Moves the array. */
bool podsku_store_add(struct podsku_catalog *catalog, const struct podsku_gpu_type *type);

/* Sets the catalogue's reads (copied, with their strings). False: no memory. */
bool podsku_store_reads(struct podsku_catalog *catalog, const struct podsku_catalog_query *reads, size_t count);

/*
 * Fills what follows from ids and other types once all are there: manufacturer, facts, slices.
 * False: no memory.
 */
bool podsku_store_finish(struct podsku_catalog *catalog);

/* Of the bundled types as podsku_catalog_encode() has them; a test says what it should be. bundled.c */
extern const char podsku_bundled_sha256[65];

/* Fills sha256 from the bytes that the store's positions are about. catalog.c */
enum podsku_code podsku_catalog_hash_bytes(struct podsku_catalog *catalog, const char *bytes,
                                           struct podsku_error *err) PODSKU_CHECKED;

#endif
