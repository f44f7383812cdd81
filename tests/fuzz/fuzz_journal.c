/* The journal's reader, on any bytes: what was read must be whole, and reading twice gives the same. */
#include <stdlib.h>
#include <string.h>

#include "client/journal_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct podsku_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        const struct podsku_entry *entry = &entries->list[i];
        if (!entry->launch_id || !entry->intent || entry->attempt < 0 || entry->gpus < 0 || entry->price_uusd < 0 ||
            podsku_entries_by_intent(entries, entry->intent) != entry)
            abort();
        for (size_t n = 0; n < entry->gpu_id_count; n++)
            if (!entry->gpu_ids[n])
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct podsku_entries first = {0}, second = {0};
    struct podsku_error err = {0};

    if (podsku_journal_parse((const char *)data, size, &first, &err) != PODSKU_OK ||
        podsku_journal_parse((const char *)data, size, &second, &err) != PODSKU_OK)
        abort();
    check(&first);
    if (first.count != second.count || first.ignored != second.ignored || first.cut != second.cut ||
        first.cut != (size > 0 && data[size - 1] != '\n'))
        abort();
    podsku_entries_free(&first);
    podsku_entries_free(&second);
    return 0;
}
