/*
 * Private to rules/: the memory of a decision, kept from one decision to the next.
 */
#ifndef PODSKU_RULES_STORE_H
#define PODSKU_RULES_STORE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rules/rules.h"

struct store_chunk;

struct offer_list {
    struct podsku_offer *list;
    size_t count, cap;
};

struct note_list {
    struct podsku_note *list;
    size_t count, cap;
};

/* An offer and what mostly decides where it is ranked. */
struct rank {
    uint64_t key;
    const struct podsku_offer *offer;
};

/* Ranks as runs that are in order, to be merged. ends[i] is where run i ends. */
struct ranking {
    struct rank *list, *spare;
    size_t count, cap, spare_cap;
    size_t *ends;
    size_t run_count, ends_cap;
};

struct shelves; /* rules/shelf.h */

struct rules_store {
    struct store_chunk *chunks;  /* first of a chain */
    struct store_chunk *current; /* the one that is being filled; NULL: none yet */
    struct offer_list candidates, rejected;
    struct note_list notes;
    unsigned char *parents, *other_parents; /* for two judges at a time */
    size_t parents_cap, other_parents_cap;
    struct ranking ranking;
    struct shelves *shelves; /* NULL: none yet; outlive the reset */
    struct podsku_suggestion *suggestions;
    size_t suggestion_count, suggestion_cap;
};

/* Forgets what is inside, keeps the memory; JSON values of suggestions are given back. */
void podsku_store_reset(struct rules_store *store);
void podsku_store_free(struct rules_store *store);

/* Bytes that live until the reset, aligned for anything; NULL: no memory. */
void *podsku_store_alloc(struct rules_store *store, size_t len);
char *podsku_store_text(struct rules_store *store, const char *text);
char *podsku_store_printf(struct rules_store *store, const char *fmt, ...) PODSKU_PRINTF(2, 3);

/* Room for at least `need` elements; *list may move. False: no memory. */
bool podsku_grow(void *list, size_t *cap, size_t need, size_t size);

void podsku_ranking_reset(struct ranking *ranking);
/* Room for `more` ranks behind those in the list. False: no memory. */
bool podsku_ranking_reserve(struct ranking *ranking, size_t more);
void podsku_ranking_free(struct ranking *ranking);

bool podsku_offers_add(struct offer_list *offers, const struct podsku_offer *offer);
bool podsku_notes_add(struct rules_store *store, const char *code, const char *fmt, ...) PODSKU_PRINTF(3, 4);

/* A copy that lives until the reset; NULL: no memory (never for count > 0 otherwise). */
struct podsku_offer *podsku_store_offers(struct rules_store *store, const struct podsku_offer *offers, size_t count);

#endif
