/*
 * Private to rules/: how each flag of a requirement is loosened.
 */
#ifndef PODSKU_RULES_SUGGEST_H
#define PODSKU_RULES_SUGGEST_H

#include "rules/judge.h"

struct loosening {
    const char *flag;
    /* Makes the n-th loosening of the requirement in `loose`, a copy that owns nothing; false: no more. */
    bool (*step)(const struct judge *judge, struct podsku_requirement *loose, int n);
    /* The flag's value in the loosened requirement; of a bound, the one that `best` needs. */
    json_t *(*to)(const struct judge *judge, const struct podsku_offer *best);
    /* Bounds only: what is asked, and what an offer needs (< 0: unknown). */
    double (*asked)(const struct podsku_requirement *req);
    double (*need)(const struct judge *judge, const struct podsku_offer *offer);
    bool floor;        /* the nearest bound is the highest one */
    bool when_nothing; /* makes sense only when there are no candidates */
    double distance;   /* of a change that is no bound, in the measure of relative changes */
};

extern const struct loosening podsku_loosenings[];
extern const size_t podsku_loosening_count;

#endif
