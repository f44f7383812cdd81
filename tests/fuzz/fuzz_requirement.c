/*
 * Requirements from any JSON: what is read is written and read again as the same, and decided on the
 * compiled-in catalogue to the same candidates by the short and the long way.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/json.h"
#include "rules/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const struct podsku_catalog *bundled(void)
{
    static struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    if (!catalog)
        must(podsku_catalog_bundled(podsku_facts_builtin(), &catalog, &err) == PODSKU_OK);
    return catalog;
}

static void decide(const struct podsku_requirement *req)
{
    struct podsku_decision full = {0};
    struct podsku_decision count = {0};
    struct podsku_error err = {0};

    if (podsku_requirement_contradiction(req, bundled(), &err) != PODSKU_OK)
        must(err.message[0] && err.hint[0]);
    podsku_error_clear(&err);
    must(podsku_decide(bundled(), req, PODSKU_DECIDE_FULL, true, &full, &err) == PODSKU_OK);
    podsku_error_clear(&err);
    must(podsku_decide(bundled(), req, PODSKU_DECIDE_COUNT, true, &count, &err) == PODSKU_OK);
    must(full.candidate_count == count.candidate_count && full.rejected_count == count.rejected_count);
    for (size_t i = 0; i < full.candidate_count; i++)
        must(full.candidates[i].type == count.candidates[i].type &&
             full.candidates[i].gpus == count.candidates[i].gpus &&
             full.candidates[i].price_total_uusd == count.candidates[i].price_total_uusd);
    podsku_decision_free(&full);
    podsku_decision_free(&count);
}

static void read_again(const struct podsku_requirement *req)
{
    struct podsku_requirement again;
    struct podsku_error err = {0};
    json_t *once = podsku_requirement_encode(req);

    must(once != NULL);
    podsku_requirement_init(&again);
    must(podsku_requirement_read(&again, once, "again", "$", &err) == PODSKU_OK);
    json_t *twice = podsku_requirement_encode(&again);
    must(json_equal(once, twice) == 1);
    json_decref(once);
    json_decref(twice);
    podsku_requirement_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct podsku_requirement req;
    struct podsku_error err = {0};
    json_t *value = NULL;

    if (podsku_json_read((const char *)data, size, "fuzz", PODSKU_INPUT, &value, &err) != PODSKU_OK)
        return 0;
    podsku_requirement_init(&req);
    if (podsku_requirement_read(&req, value, "fuzz", "$", &err) == PODSKU_OK) {
        read_again(&req);
        decide(&req);
    } else {
        must(err.code == PODSKU_INPUT && err.message[0] && err.where[0]);
    }
    podsku_requirement_free(&req);
    json_decref(value);
    return 0;
}
