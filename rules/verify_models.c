/* GPU types by the names that nvidia-smi prints, and what one of their NVLinks carries. */
#include <string.h>

#include "rules/verify_parts.h"

/* NVLink 2 to 4: 25 GB/s a link and direction; bridges of GA102 cards (compute capability 8.6) 14;
 * NVLink 5: 50. NVIDIA's data sheets, and `nvlink -s` of such cards; August 2026. */
double podsku_verify_link_gbs(const struct podsku_facts *facts)
{
    if (!facts || facts->nvlink_generation == 0)
        return 0;
    if (facts->nvlink_generation >= 5)
        return facts->nvlink_generation == 5 ? 50 : 0;
    return facts->compute_major == 8 && facts->compute_minor == 6 ? 14 : 25;
}

/* The name as nvidia-smi prints it today: blanks single, the maker's name off (drivers before 470
 * do not print it). */
static void plain_name(const char *name, char out[VERIFY_NAME])
{
    size_t len = 0;

    while (*name == ' ')
        name++;
    if (strncmp(name, "NVIDIA ", 7) == 0)
        name += 7;
    for (; *name && len + 1 < VERIFY_NAME; name++) {
        bool blank = *name == ' ';
        if (!blank || (len > 0 && name[1] != ' ' && name[1]))
            out[len++] = *name;
    }
    out[len] = '\0';
}

const struct podsku_facts *podsku_verify_facts_of(const char *name)
{
    const struct podsku_facts_set *set = podsku_facts_builtin();
    const struct podsku_facts *facts = podsku_facts_find(set, name);
    char wanted[VERIFY_NAME];
    char other[VERIFY_NAME];

    plain_name(name, wanted);
    for (size_t i = 0; !facts && i < podsku_facts_count(set); i++) {
        plain_name(podsku_facts_at(set, i)->id, other);
        if (strcmp(wanted, other) == 0)
            facts = podsku_facts_at(set, i);
    }
    return facts;
}

bool podsku_verify_same_model(const char *id, const char *name)
{
    char a[VERIFY_NAME];
    char b[VERIFY_NAME];

    plain_name(id, a);
    plain_name(name, b);
    if (strcmp(a, b) == 0)
        return true;
    const struct podsku_facts *x = podsku_verify_facts_of(id);
    const struct podsku_facts *y = podsku_verify_facts_of(name);
    if (!x || !y)
        return false;
    return strcmp(x->alias_of ? x->alias_of : x->id, y->alias_of ? y->alias_of : y->id) == 0;
}

const struct podsku_facts *podsku_verify_listed_facts(const struct podsku_reading *reading)
{
    const struct verify_list *list = reading->list.all;
    const struct podsku_facts *facts = NULL;

    if (!list->complete || reading->list.conflict)
        return NULL;
    for (int i = 0; i < list->count; i++) {
        const struct podsku_facts *row = list->name[i][0] ? podsku_verify_facts_of(list->name[i]) : NULL;
        if (!row || (facts && row != facts))
            return NULL;
        facts = row;
    }
    return facts;
}
