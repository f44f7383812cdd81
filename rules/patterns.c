/*
 * Patterns that match nothing are typing errors: said with near names, before anything is decided.
 */
#include <string.h>

#include "base/text.h"
#include "rules/judge.h"
#include "rules/near.h"

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

/* Names that are near the pattern, quoted. */
static void hint_near(const struct judge *judge, const char *pattern, struct podsku_error *err)
{
    struct podsku_buf list = {0};

    podsku_put_near(&list, judge->catalog, pattern);
    if (list.len && !podsku_buf_failed(&list))
        podsku_error_hint(err, "near: %s", podsku_buf_text(&list));
    podsku_error_hint(err, "`podsku catalog list` shows all; * and ? are wildcards");
    podsku_buf_free(&list);
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

/* The allowed parent with the least id after `last` (NULL: of all); NULL: none is left. */
static const struct podsku_gpu_type *next_parent(const struct judge *judge, const struct podsku_gpu_type *last)
{
    const struct podsku_gpu_type *next = NULL;

    for (size_t i = 0; i < judge->catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &judge->catalog->types[i];
        if (judge->parents[i] && !type->slice && (!last || strcmp(type->id, last->id) > 0) &&
            (!next || strcmp(type->id, next->id) < 0))
            next = type;
    }
    return next;
}

static size_t count_parents(const struct judge *judge)
{
    size_t count = 0;

    for (size_t i = 0; i < judge->catalog->type_count; i++)
        count += judge->parents[i] && !judge->catalog->types[i].slice;
    return count;
}

static bool note_parents(const struct judge *judge, struct rules_store *store)
{
    enum { LISTED_MAX = 12 }; /* what a note has room for */
    struct podsku_buf list = {0};
    size_t count = count_parents(judge);
    const struct podsku_gpu_type *type = NULL;

    for (size_t i = 0; i < count && i < LISTED_MAX; i++) {
        type = next_parent(judge, type);
        podsku_buf_printf(&list, "%s%.60s%s", i ? ", " : "", podsku_gpu_name(type),
                          strlen(podsku_gpu_name(type)) > 60 ? "..." : "");
        if (podsku_gpu_memory_gb(type) > 0)
            podsku_buf_printf(&list, " (%d GB)", podsku_gpu_memory_gb(type));
    }
    if (count > LISTED_MAX)
        podsku_buf_printf(&list, " and %zu more", count - LISTED_MAX);
    bool added = !podsku_buf_failed(&list);
    const char *none = judge->req->mig_parent ? "none in this catalogue" : "nothing in this catalogue";
    if (added)
        added = podsku_notes_add(store, "parents", "%s: %s", judge->req->mig_parent ? "the card" : "sold in slices",
                                 list.len ? podsku_buf_text(&list) : none);
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
            added = podsku_notes_add(store, "not-in-catalogue", "not in this catalogue: --gpu \"%.200s\"",
                                     req->gpu.list[i]);
    if (added && judge->catalog->type_count == 0)
        added = podsku_notes_add(store, "empty-catalogue", "this catalogue has no GPU types");
    if (added && judge->parents)
        added = note_parents(judge, store);
    decision->notes = store->notes.list;
    decision->note_count = store->notes.count;
    return added;
}
