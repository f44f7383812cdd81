#include "catalog/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "catalog/facts_set.h"
#include "catalog/facts_table.h"

static const char *const evidence_names[] = {
    [PODSKU_EVIDENCE_UNKNOWN] = "unknown", [PODSKU_EVIDENCE_NONE] = "none",   [PODSKU_EVIDENCE_CONNECTOR] = "connector",
    [PODSKU_EVIDENCE_NOMINAL] = "nominal", [PODSKU_EVIDENCE_BOARD] = "board",
};

static const char *const arch_names[] = {
    [PODSKU_ARCH_UNKNOWN] = "unknown",     [PODSKU_ARCH_VOLTA] = "volta", [PODSKU_ARCH_TURING] = "turing",
    [PODSKU_ARCH_AMPERE] = "ampere",       [PODSKU_ARCH_ADA] = "ada",     [PODSKU_ARCH_HOPPER] = "hopper",
    [PODSKU_ARCH_BLACKWELL] = "blackwell", [PODSKU_ARCH_CDNA3] = "cdna3",
};
_Static_assert(sizeof arch_names / sizeof *arch_names == PODSKU_ARCH_COUNT, "every architecture has a name");

static const char *const confidence_names[] = {
    [PODSKU_CONFIDENCE_UNKNOWN] = "unknown",   [PODSKU_CONFIDENCE_NOT_VERIFIED] = "not verified",
    [PODSKU_CONFIDENCE_INFERRED] = "inferred", [PODSKU_CONFIDENCE_VENDOR] = "vendor",
    [PODSKU_CONFIDENCE_VERIFIED] = "verified",
};

enum {
    EVIDENCE_COUNT = sizeof evidence_names / sizeof *evidence_names,
    CONFIDENCE_COUNT = sizeof confidence_names / sizeof *confidence_names,
};

const char *podsku_evidence_name(enum podsku_evidence evidence)
{
    return (unsigned)evidence < EVIDENCE_COUNT ? evidence_names[evidence] : "unknown";
}

const char *podsku_arch_name(enum podsku_arch arch)
{
    return (unsigned)arch < PODSKU_ARCH_COUNT ? arch_names[arch] : "unknown";
}

const char *podsku_confidence_name(enum podsku_confidence confidence)
{
    return (unsigned)confidence < CONFIDENCE_COUNT ? confidence_names[confidence] : "unknown";
}

/* The index of the word from `first` on, case ignored; -1 when it is none of them. */
static int parse(const char *const *names, int first, int count, const char *word)
{
    for (int i = first; i < count; i++)
        if (podsku_text_equal_nocase(names[i], word))
            return i;
    return -1;
}

bool podsku_arch_parse(const char *word, enum podsku_arch *arch)
{
    int found = parse(arch_names, PODSKU_ARCH_UNKNOWN + 1, PODSKU_ARCH_COUNT, word);

    if (found >= 0)
        *arch = (enum podsku_arch)found;
    return found >= 0;
}

bool podsku_evidence_parse(const char *word, enum podsku_evidence *evidence)
{
    int found = parse(evidence_names, 0, EVIDENCE_COUNT, word);

    if (found >= 0)
        *evidence = (enum podsku_evidence)found;
    return found >= 0;
}

bool podsku_confidence_parse(const char *word, enum podsku_confidence *confidence)
{
    int found = parse(confidence_names, 0, CONFIDENCE_COUNT, word);

    if (found >= 0)
        *confidence = (enum podsku_confidence)found;
    return found >= 0;
}

const struct podsku_facts_set *podsku_facts_builtin(void)
{
    /* A zeroed set stands for the table itself: nothing is set up, so threads may share it. */
    static const struct podsku_facts_set builtin;

    return &builtin;
}

size_t podsku_facts_count(const struct podsku_facts_set *set)
{
    return set->rows ? set->count : podsku_facts_row_count;
}

const struct podsku_facts *podsku_facts_at(const struct podsku_facts_set *set, size_t index)
{
    return set->rows ? &set->rows[index] : &podsku_facts_rows[index];
}

static int compare_id(const void *id, const void *row)
{
    return strcmp(id, ((const struct podsku_facts *)row)->id);
}

const struct podsku_facts *podsku_facts_find(const struct podsku_facts_set *set, const char *id)
{
    return bsearch(id, podsku_facts_at(set, 0), podsku_facts_count(set), sizeof(struct podsku_facts), compare_id);
}

void podsku_facts_discard(struct podsku_facts_set *set)
{
    podsku_arena_free(&set->arena);
    free(set->rows);
    free(set);
}

void podsku_facts_free(const struct podsku_facts_set *set)
{
    if (set && set->rows)
        podsku_facts_discard(set->self);
}
