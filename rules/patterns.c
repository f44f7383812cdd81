/*
 * Patterns that match nothing are typing errors: said with near names, before anything is decided.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rules/judge.h"

enum { NEAR_MAX = 3 };

static bool in_facts(const struct podsku_facts_set *facts, const char *pattern)
{
    size_t count = facts ? podsku_facts_count(facts) : 0;

    for (size_t i = 0; i < count; i++)
        if (podsku_text_match(pattern, podsku_facts_at(facts, i)->id))
            return true;
    return false;
}

static bool in_catalog(const struct podsku_catalog *catalog, const char *pattern, bool parents)
{
    if (!podsku_text_is_glob(pattern) && podsku_catalog_find(catalog, pattern))
        return true;
    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &catalog->types[i];
        if (podsku_type_matches(type, pattern) ||
            (parents && type->slice && podsku_text_match(pattern, type->slice->parent)))
            return true;
    }
    return false;
}

/* Takes the n-th word out of a NULL-terminated list. */
static const char *take_word(const char **words, size_t *count, size_t n)
{
    const char *word = words[n];

    memmove(&words[n], &words[n + 1], (*count - n) * sizeof *words);
    (*count)--;
    return word;
}

/* The next name that holds the word, else the one that is spelled nearest; NULL: none. */
static const char *next_near(const char **words, size_t *count, const char *word, const char *holding)
{
    size_t n = 0;

    while (*word && n < *count && !podsku_text_match(holding, words[n]))
        n++;
    if (*word && n < *count)
        return take_word(words, count, n);
    const char *near = podsku_text_nearest(word, words);
    for (n = 0; near && words[n] != near;)
        n++;
    return near ? take_word(words, count, n) : NULL;
}

/* Names (ids where there are none), NULL-terminated; NULL: no memory. */
static const char **list_names(const struct podsku_catalog *catalog, size_t *count)
{
    const char **words = malloc((catalog->type_count + 1) * sizeof *words);

    *count = catalog->type_count;
    for (size_t i = 0; words && i < catalog->type_count; i++)
        words[i] = podsku_gpu_name(&catalog->types[i]);
    if (words)
        words[catalog->type_count] = NULL;
    return words;
}

/* Names that are near the pattern without its wildcards, at most three, quoted. */
static void hint_near(const struct judge *judge, const char *pattern, struct podsku_error *err)
{
    size_t size = strlen(pattern) + 3;
    char *word = calloc(size, 1);
    char *holding = calloc(size, 1);
    struct podsku_buf list = {0};
    size_t count;
    const char **words = list_names(judge->catalog, &count);
    size_t len = 0;

    if (!words || !word || !holding)
        goto out;
    for (const char *c = pattern; *c; c++)
        if (*c != '*' && *c != '?')
            word[len++] = *c;
    (void)snprintf(holding, size, "*%s*", word);
    for (int found = 0; found < NEAR_MAX; found++) {
        const char *near = next_near(words, &count, word, holding);
        if (near)
            podsku_buf_printf(&list, "%s\"%.100s\"", found ? ", " : "", near);
    }
    if (list.len && !podsku_buf_failed(&list))
        podsku_error_hint(err, "near: %s", podsku_buf_text(&list));
out:
    podsku_error_hint(err, "`podsku catalog list` shows all; * and ? are wildcards");
    podsku_buf_free(&list);
    free(words);
    free(word);
    free(holding);
}

static enum podsku_code check(const struct judge *judge, const char *flag, const char *pattern, bool parents,
                              struct podsku_error *err)
{
    if (in_catalog(judge->catalog, pattern, parents) || in_facts(judge->catalog->facts, pattern))
        return PODSKU_OK;
    enum podsku_code code = podsku_error_set(err, PODSKU_USAGE, "%s \"%.200s\" matches no GPU type", flag, pattern);
    hint_near(judge, pattern, err);
    return code;
}

enum podsku_code podsku_check_patterns(const struct judge *judge, struct podsku_error *err)
{
    const struct podsku_requirement *req = judge->req;
    enum podsku_code code = PODSKU_OK;

    for (size_t i = 0; i < req->gpu.count && code == PODSKU_OK; i++)
        code = check(judge, "--gpu", req->gpu.list[i], false, err);
    for (size_t i = 0; i < req->exclude.count && code == PODSKU_OK; i++)
        code = check(judge, "--exclude", req->exclude.list[i], false, err);
    if (req->mig_parent && code == PODSKU_OK)
        code = check(judge, "--mig-parent", req->mig_parent, true, err);
    return code;
}

/* True when the pattern names something that facts know and this catalogue does not sell. */
static bool only_in_facts(const struct judge *judge, const char *pattern)
{
    return !in_catalog(judge->catalog, pattern, false) && in_facts(judge->catalog->facts, pattern);
}

static bool note_parents(const struct judge *judge, struct rules_store *store)
{
    const struct podsku_catalog *catalog = judge->catalog;
    struct podsku_buf list = {.max = 512};
    bool added = true;

    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &catalog->types[i];
        if (judge->parents[i] && !type->slice && list.len < 400)
            podsku_buf_printf(&list, "%s%.60s (%d GB)", list.len ? ", " : "", podsku_gpu_name(type),
                              podsku_gpu_memory_gb(type));
    }
    if (judge->req->mig_parent)
        added = podsku_notes_add(store, "parents", "the card: %s",
                                 list.len ? podsku_buf_text(&list) : "none in this catalogue");
    else
        added = podsku_notes_add(store, "parents", "sold in slices: %s",
                                 list.len ? podsku_buf_text(&list) : "nothing in this catalogue");
    podsku_buf_free(&list);
    return added;
}

bool podsku_note_decision(const struct judge *judge, struct podsku_decision *decision)
{
    const struct podsku_requirement *req = judge->req;
    struct rules_store *store = decision->store;
    bool added = true;

    if (req->parallelism == PODSKU_PIPELINE || req->parallelism == PODSKU_DATA)
        added = podsku_notes_add(store, "parallelism", "%s parallelism tolerates PCIe: the choice is the price's",
                                 req->parallelism == PODSKU_PIPELINE ? "pipeline" : "data");
    for (size_t i = 0; added && i < req->gpu.count; i++)
        if (only_in_facts(judge, req->gpu.list[i]))
            added = podsku_notes_add(store, "not-in-catalogue", "--gpu \"%.200s\" is known, but not in this catalogue",
                                     req->gpu.list[i]);
    if (added && judge->parents)
        added = note_parents(judge, store);
    decision->notes = store->notes.list;
    decision->note_count = store->notes.count;
    return added;
}
