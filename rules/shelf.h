/*
 * Private to rules/: shelves. The decisions of a batch ask for the same clouds, counts and levels again
 * and again, and differ in bounds and names. A shelf holds the offers that pass the rules by choice
 * (struct rule_row), in rank order: a decision goes along the shelf of its choices, and judges only the
 * rest. There is one for each cloud and count, and what several of them make when merged. Kept with a
 * decision's memory, and bounded.
 */
#ifndef PODSKU_RULES_SHELF_H
#define PODSKU_RULES_SHELF_H

#include "rules/judge.h"
#include "rules/store.h"

struct shelf {
    struct rank *ranks; /* in order; NULL: empty */
    size_t count;
};

/* False for a catalogue that is too large, that was read for some hosts only, or without a serial number. */
bool podsku_shelves_suit(const struct podsku_catalog *catalog);

/*
 * The shelf of the judge's requirement, made if it is not there. Valid until the next call; NULL: no
 * memory. Uses the store's ranking.
 */
const struct shelf *podsku_shelf(struct rules_store *store, const struct judge *judge);

void podsku_shelves_free(struct shelves *shelves);

#endif
