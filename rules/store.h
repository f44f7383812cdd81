/*
 * Private to rules/: the memory of a decision, kept from one decision to the next.
 */
#ifndef PODSKU_RULES_STORE_H
#define PODSKU_RULES_STORE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

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

struct rules_store {
    struct store_chunk *chunks;  /* first of a chain */
    struct store_chunk *current; /* the one that is being filled; NULL: none yet */
    struct offer_list candidates, rejected;
    struct note_list notes;
    unsigned char *parents, *other_parents; /* for two judges at a time */
    size_t parents_cap, other_parents_cap;
    void *ranks; /* of podsku_order() */
    size_t ranks_cap;
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

bool podsku_offers_add(struct offer_list *offers, const struct podsku_offer *offer);
bool podsku_notes_add(struct rules_store *store, const char *code, const char *fmt, ...) PODSKU_PRINTF(3, 4);

/* A copy that lives until the reset; NULL: no memory (never for count > 0 otherwise). */
struct podsku_offer *podsku_store_offers(struct rules_store *store, const struct podsku_offer *offers, size_t count);

#endif
