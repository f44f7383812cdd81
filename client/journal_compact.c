#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "client/journal_private.h"

/* Closed long enough ago that no list can still show its pod. */
static bool droppable(const struct podsku_entry *entry, int64_t now_ms)
{
    return (entry->state == PODSKU_ENTRY_NOT_MADE || entry->state == PODSKU_ENTRY_GONE) && entry->changed_ms > 0 &&
           now_ms - entry->changed_ms > PODSKU_JOURNAL_KEEP_MS;
}

/* The intents that go, as the keys of an object; NULL: out of memory. New reference. */
static json_t *old_intents(const struct podsku_entries *entries, int64_t now_ms)
{
    json_t *old = json_object();

    for (size_t i = 0; old && i < entries->count; i++)
        if (droppable(&entries->list[i], now_ms) &&
            json_object_set_new(old, entries->list[i].intent, json_true()) != 0) {
            json_decref(old);
            return NULL;
        }
    return old;
}

/* Copies the lines that stay, byte for byte: what a newer version wrote survives an older one. */
static enum podsku_code filter(const char *bytes, size_t len, const json_t *old, struct podsku_buf *kept,
                               struct podsku_error *err)
{
    const char *end;

    for (; len > 0 && (end = memchr(bytes, '\n', len)) != NULL; len -= (size_t)(end - bytes) + 1, bytes = end + 1) {
        json_t *line;
        enum podsku_code code = podsku_journal_line(bytes, (size_t)(end - bytes), &line, err);
        if (code != PODSKU_OK)
            return code;
        const char *intent = json_string_value(json_object_get(line, "intent"));
        if (!intent || !json_object_get(old, intent))
            podsku_buf_append(kept, bytes, (size_t)(end - bytes) + 1);
        json_decref(line);
    }
    return podsku_buf_failed(kept) ? podsku_error_no_memory(err) : PODSKU_OK;
}

static enum podsku_code compact_locked(struct podsku_journal *journal, struct podsku_error *err)
{
    struct podsku_buf bytes = {0};
    struct podsku_buf kept = {.max = PODSKU_JOURNAL_MAX};
    struct podsku_entries entries = {0};
    struct podsku_error write_err = {0};
    json_t *old = NULL;
    enum podsku_code code = podsku_journal_bytes(journal, &bytes, err);

    if (code != PODSKU_OK || bytes.len < PODSKU_JOURNAL_LARGE)
        goto out;
    code = podsku_journal_parse(bytes.data, bytes.len, &entries, err);
    if (code != PODSKU_OK)
        goto out;
    old = old_intents(&entries, podsku_clock_wall_ms(journal->clock));
    code = old ? filter(bytes.data, bytes.len, old, &kept, err) : podsku_error_no_memory(err);
    if (code != PODSKU_OK)
        goto out;
    /* Only when half of it goes: otherwise every deploy would rewrite a journal of living pods. */
    if (kept.len <= bytes.len / 2 &&
        podsku_file_write(journal->path, podsku_buf_text(&kept), kept.len, 0600, &write_err) != PODSKU_OK)
        code = podsku_error_set(err, PODSKU_STATE, "cannot compact the journal: %s", write_err.message);
out:
    json_decref(old);
    podsku_entries_free(&entries);
    podsku_buf_free(&kept);
    podsku_buf_free(&bytes);
    return code;
}

enum podsku_code podsku_journal_compact(struct podsku_journal *journal, struct podsku_error *err)
{
    int lock = -1;
    enum podsku_code code = podsku_journal_take(journal, true, true, &lock, err);

    if (code == PODSKU_OK)
        code = compact_locked(journal, err);
    podsku_journal_drop(lock);
    return code;
}
