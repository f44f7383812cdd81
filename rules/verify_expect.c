/* Names of GPU types in an expectation: a name that nothing has is a typing error, not a mismatch. */
#include <string.h>

#include "base/text.h"
#include "rules/judge.h"
#include "rules/near.h"
#include "rules/verify_parts.h"

enum podsku_code podsku_verify_check_patterns(const struct podsku_catalog *catalog,
                                              const struct podsku_requirement *req, struct podsku_error *err)
{
    const struct judge judge = {.catalog = catalog, .req = req};

    return podsku_check_patterns(&judge, err);
}

enum podsku_code podsku_verify_find_type(const struct podsku_catalog *catalog, const char *wanted, const char **id,
                                         const struct podsku_facts **facts, struct podsku_error *err)
{
    const struct podsku_gpu_type *type = podsku_catalog_find(catalog, wanted);
    struct podsku_buf list = {0};

    *facts = podsku_facts_find(catalog->facts, wanted);
    for (size_t i = 0; !*facts && !type && i < podsku_facts_count(catalog->facts); i++) {
        if (podsku_text_equal_nocase(podsku_facts_at(catalog->facts, i)->id, wanted))
            *facts = podsku_facts_at(catalog->facts, i);
    }
    for (size_t i = 0; !*facts && !type && i < catalog->type_count; i++) {
        const struct podsku_gpu_type *row = &catalog->types[i];
        if (podsku_text_equal_nocase(row->id, wanted) || (row->name && podsku_text_equal_nocase(row->name, wanted)))
            type = row;
    }
    if (type && !*facts)
        *facts = type->facts;
    if (type || *facts) {
        *id = type ? type->id : (*facts)->id;
        return PODSKU_OK;
    }
    podsku_put_near(&list, catalog, wanted);
    if (list.len && !podsku_buf_failed(&list))
        podsku_error_hint(err, "near: %s", podsku_buf_text(&list));
    podsku_error_hint(err, "`podsku catalog list` shows all; --facts FILE adds types");
    podsku_buf_free(&list);
    return podsku_error_set(err, PODSKU_USAGE, "\"%.200s\" is no GPU type", wanted);
}

/* Is it a pattern for this card: by the name that nvidia-smi prints, or by an id or a display name of the same card? */
static bool pattern_fits(const struct podsku_catalog *names, const char *pattern, const char *name)
{
    const struct podsku_facts_set *facts = names ? names->facts : podsku_facts_builtin();

    if (podsku_text_match(pattern, name))
        return true;
    for (size_t i = 0; names && i < names->type_count; i++) {
        if (podsku_type_matches(&names->types[i], pattern) && podsku_verify_same_model(names->types[i].id, name))
            return true;
    }
    for (size_t i = 0; i < podsku_facts_count(facts); i++) {
        const char *id = podsku_facts_at(facts, i)->id;
        if (podsku_text_match(pattern, id) && podsku_verify_same_model(id, name))
            return true;
    }
    return false;
}

const char *podsku_verify_pattern_of(const struct podsku_words *patterns, const struct podsku_catalog *names,
                                     const char *name)
{
    for (size_t i = 0; patterns && i < patterns->count; i++) {
        if (pattern_fits(names, patterns->list[i], name))
            return patterns->list[i];
    }
    return NULL;
}
