/*
 * Private to rules/: shelves. The decisions of a batch ask for the same clouds, counts and levels again
 * and again, and differ in bounds and names. A shelf holds the offers of one cloud and count that pass
 * the rules by choice (struct rule_row), in rank order: a decision goes along the shelves of its clouds
 * and counts, and judges only the rest. Kept with a decision's memory, and bounded.
 */
#ifndef PODSKU_RULES_SHELF_H
#define PODSKU_RULES_SHELF_H

#include "rules/judge.h"
#include "rules/store.h"

struct shelf {
    struct rank *ranks; /* in order, each with its offer on the shelf; NULL: empty */
    size_t count;
};

/* False for a catalogue that is too large, or whose content has no serial number. */
bool podsku_shelves_suit(const struct podsku_catalog *catalog);

/* Forgets shelves when there are too many: before a decision, since its ranks point into them. */
void podsku_shelves_trim(struct rules_store *store);

/*
 * The shelf of a cloud and count under the judge's requirement, made if it is not there. Stays until
 * shelves are trimmed. NULL: no memory.
 */
const struct shelf *podsku_shelf(struct rules_store *store, const struct judge *judge, enum podsku_cloud cloud,
                                 int gpus);

void podsku_shelves_free(struct shelves *shelves);

#endif
