/*
 * Scenarios of evaluate from any line: what is read is judged or decided, and every refusal has a text.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/evaluate.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cli_case item = {0};
    struct podsku_decision decision = {0};
    struct cli_verdict verdict;
    struct podsku_error err = {0};

    memset(&verdict, 0, sizeof verdict);
    enum podsku_code code = cli_case_read(&item, (const char *)data, size, "fuzz", &err);
    if (code == PODSKU_OK)
        code = cli_case_requirement(&item, "fuzz", &err);
    if (code == PODSKU_OK)
        code = podsku_decide(bundled(), &item.req, PODSKU_DECIDE_REASONS, true, &decision, &err);
    if (code == PODSKU_OK && item.expect) {
        must(cli_case_judge(&item, &decision, &verdict, &err) == PODSKU_OK);
        cli_verdict_free(&verdict);
    }
    must(code == PODSKU_OK || (code == PODSKU_INPUT && err.message[0]));
    podsku_decision_free(&decision);
    cli_case_free(&item);
    return 0;
}
