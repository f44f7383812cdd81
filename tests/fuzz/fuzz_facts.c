/*
 * Fuzz target of facts files. Corpus: corpus/facts and fixtures/bad/facts-*. Whatever loads is
 * sorted, has each id once, and leaves the built-in table as it is.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct podsku_facts_set *set;
    struct podsku_error err = {0};

    enum podsku_code code = podsku_facts_load((const char *)data, size, "input", &set, &err);
    if (code != PODSKU_OK) {
        require(!set && err.message[0] && err.where[0], "an error says what and where");
        return 0;
    }
    require(podsku_facts_count(set) >= podsku_facts_count(podsku_facts_builtin()), "no row is lost");
    for (size_t i = 0; i < podsku_facts_count(set); i++) {
        const struct podsku_facts *row = podsku_facts_at(set, i);
        require(i == 0 || strcmp(podsku_facts_at(set, i - 1)->id, row->id) < 0, "rows are sorted, each id once");
        require(podsku_facts_find(set, row->id) == row, "every row is found by its id");
        require(row->compute_major >= 0 && row->memory_gb >= 0 && row->nvlink_domain >= 0, "numbers are in range");
    }
    podsku_facts_free(set);
    return 0;
}
