/*
 * The inside of a set of facts. Private to catalog/.
 */
#ifndef PODSKU_CATALOG_FACTS_SET_H
#define PODSKU_CATALOG_FACTS_SET_H

#include "catalog/arena.h"
#include "catalog/facts.h"

struct podsku_facts_set {
    struct podsku_facts *rows; /* sorted by the bytes of the ids; NULL: the built-in table */
    size_t count;
    struct podsku_arena arena;     /* strings of the facts file */
    struct podsku_facts_set *self; /* writable, for freeing what is handed out as const */
};

/* Frees a set that was allocated, whole or half made. */
void podsku_facts_discard(struct podsku_facts_set *set);

bool podsku_confidence_parse(const char *word, enum podsku_confidence *confidence);

#endif
