#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/money.h"
#include "client/journal_private.h"

static const char *const state_names[] = {
    [PODSKU_ENTRY_OPEN] = "open", [PODSKU_ENTRY_MADE] = "made",         [PODSKU_ENTRY_HANDED_OVER] = "handed-over",
    [PODSKU_ENTRY_KEPT] = "kept", [PODSKU_ENTRY_NOT_MADE] = "not-made", [PODSKU_ENTRY_GONE] = "gone",
};
#define STATE_COUNT (sizeof state_names / sizeof *state_names)
_Static_assert(STATE_COUNT == PODSKU_ENTRY_GONE + 1, "every state has a name");

const char *podsku_entry_state_name(enum podsku_entry_state state)
{
    return (size_t)state < STATE_COUNT ? state_names[state] : "open";
}

bool podsku_entry_unfinished(const struct podsku_entry *entry)
{
    return entry->state == PODSKU_ENTRY_OPEN || entry->state == PODSKU_ENTRY_MADE;
}

static void entry_clear(struct podsku_entry *entry)
{
    free(entry->launch_id);
    free(entry->intent);
    free(entry->url);
    free(entry->api);
    free(entry->salt);
    free(entry->key_hmac);
    free(entry->name);
    for (size_t i = 0; i < entry->gpu_id_count; i++)
        free(entry->gpu_ids[i]);
    free(entry->gpu_ids);
    free(entry->cloud);
    free(entry->pod_id);
    free(entry->made_gpu_id);
    free(entry->why);
    json_decref(entry->body);
    *entry = (struct podsku_entry){0};
}

void podsku_entries_free(struct podsku_entries *entries)
{
    if (!entries)
        return;
    for (size_t i = 0; i < entries->count; i++)
        entry_clear(&entries->list[i]);
    free(entries->list);
    *entries = (struct podsku_entries){0};
}

struct podsku_entry *podsku_entries_by_intent(const struct podsku_entries *entries, const char *intent)
{
    for (size_t i = 0; intent && i < entries->count; i++)
        if (strcmp(entries->list[i].intent, intent) == 0)
            return &entries->list[i];
    return NULL;
}

struct podsku_entry *podsku_entries_by_pod(const struct podsku_entries *entries, const char *pod_id)
{
    for (size_t i = 0; pod_id && i < entries->count; i++)
        if (entries->list[i].pod_id && strcmp(entries->list[i].pod_id, pod_id) == 0)
            return &entries->list[i];
    return NULL;
}

/* Copies a text member; absent or null leaves *slot as it is. False: out of memory. */
static bool take_text(const json_t *line, const char *key, char **slot)
{
    const char *text = json_string_value(json_object_get(line, key));

    if (!text)
        return true;
    char *copy = strdup(text);
    if (!copy)
        return false;
    free(*slot);
    *slot = copy;
    return true;
}

static int64_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static int small_number_of(const json_t *object, const char *key)
{
    int64_t value = number_of(object, key);

    return value > 0 && value <= 1000000 ? (int)value : 0;
}

static int64_t time_of(const json_t *line)
{
    int64_t ms = 0;
    const char *text = json_string_value(json_object_get(line, "at"));

    return text && podsku_time_parse(text, &ms) ? ms : 0;
}

static bool take_candidate(const json_t *candidate, struct podsku_entry *entry)
{
    const json_t *ids = json_object_get(candidate, "gpu_ids");
    double price = json_number_value(json_object_get(candidate, "price_per_hour"));

    entry->gpus = small_number_of(candidate, "gpus");
    entry->nodes = small_number_of(candidate, "nodes");
    if (!podsku_money_from_double(price, &entry->price_uusd))
        entry->price_uusd = 0;
    if (!take_text(candidate, "cloud", &entry->cloud))
        return false;
    if (json_array_size(ids) == 0)
        return true;
    entry->gpu_ids = calloc(json_array_size(ids), sizeof *entry->gpu_ids);
    if (!entry->gpu_ids)
        return false;
    for (size_t i = 0; i < json_array_size(ids); i++) {
        const char *id = json_string_value(json_array_get(ids, i));
        if (!id)
            continue;
        if (!(entry->gpu_ids[entry->gpu_id_count] = strdup(id)))
            return false;
        entry->gpu_id_count++;
    }
    return true;
}

/* The state that a line names, into *state. False: none that this version knows. */
static bool take_state(const json_t *line, enum podsku_entry_state *state)
{
    const char *name = json_string_value(json_object_get(line, "state"));

    for (size_t i = 0; name && i < STATE_COUNT; i++)
        if (strcmp(name, state_names[i]) == 0) {
            *state = (enum podsku_entry_state)i;
            return true;
        }
    return false;
}

static bool take_intent(const json_t *line, struct podsku_entry *entry)
{
    const char *kind = json_string_value(json_object_get(line, "kind"));
    json_t *body = json_object_get(line, "body");

    entry->attempt = small_number_of(line, "attempt");
    entry->cluster = kind && strcmp(kind, "cluster") == 0;
    entry->expires_s = number_of(line, "expires_s");
    entry->at_ms = number_of(line, "at_ms");
    if (entry->at_ms <= 0)
        entry->at_ms = time_of(line);
    entry->changed_ms = entry->at_ms;
    entry->state = PODSKU_ENTRY_OPEN;
    (void)take_state(line, &entry->state); /* of a pod that was adopted */
    entry->body = json_is_object(body) ? json_incref(body) : NULL;
    return take_text(line, "launch_id", &entry->launch_id) && take_text(line, "intent", &entry->intent) &&
           take_text(line, "url", &entry->url) && take_text(line, "api", &entry->api) &&
           take_text(line, "salt", &entry->salt) && take_text(line, "key_hmac", &entry->key_hmac) &&
           take_text(line, "name", &entry->name) && take_text(line, "pod", &entry->pod_id) &&
           take_text(line, "gpu", &entry->made_gpu_id) && take_candidate(json_object_get(line, "candidate"), entry);
}

/*
 * Another intent line of one intent: its pod was there already when a later run, maybe with another key or
 * URL, adopted it. The newest says whose it is and what became of it. *known: it is one of this entry.
 */
static bool take_again(const json_t *line, struct podsku_entry *entry, bool *known)
{
    const char *launch_id = json_string_value(json_object_get(line, "launch_id"));
    int64_t expires_s = number_of(line, "expires_s");

    /* Adoptions have a state; an intent that is written twice without any is none of ours. */
    *known = launch_id && strcmp(launch_id, entry->launch_id) == 0 && take_state(line, &entry->state);
    if (!*known)
        return true;
    entry->changed_ms = time_of(line);
    entry->settled = false;
    if (expires_s > 0)
        entry->expires_s = expires_s;
    return take_text(line, "url", &entry->url) && take_text(line, "api", &entry->api) &&
           take_text(line, "salt", &entry->salt) && take_text(line, "key_hmac", &entry->key_hmac) &&
           take_text(line, "pod", &entry->pod_id) && take_text(line, "gpu", &entry->made_gpu_id);
}

/* False: out of memory. *known: this version understood the line. */
static bool take_outcome(const json_t *line, struct podsku_entry *entry, bool *known)
{
    *known = take_state(line, &entry->state);
    if (!*known)
        return true;
    entry->settled = json_is_true(json_object_get(line, "settled"));
    entry->changed_ms = time_of(line);
    return take_text(line, "pod", &entry->pod_id) && take_text(line, "gpu", &entry->made_gpu_id) &&
           take_text(line, "why", &entry->why);
}

enum podsku_code podsku_journal_line(const char *bytes, size_t len, json_t **line, struct podsku_error *err)
{
    struct podsku_error why = {0};

    *line = NULL;
    if (len == 0)
        return PODSKU_OK;
    /* A line that no memory was found for is not one to be ignored: it may name a pod. */
    if (podsku_json_read(bytes, len, PODSKU_JOURNAL_FILE, PODSKU_STATE, line, &why) == PODSKU_NO_MEMORY)
        return podsku_error_no_memory(err);
    if (json_is_object(*line) && json_is_string(json_object_get(*line, "type")) &&
        json_is_string(json_object_get(*line, "launch_id")) && json_is_string(json_object_get(*line, "intent")))
        return PODSKU_OK;
    json_decref(*line);
    *line = NULL;
    return PODSKU_OK;
}

/* Room for one more; NULL: out of memory. The new entry is zeroed and not yet counted. */
static struct podsku_entry *grow(struct podsku_entries *entries)
{
    if ((entries->count & (entries->count - 1)) == 0) { /* 0, 1, 2, 4, ...: the list is full */
        size_t room = entries->count ? entries->count * 2 : 1;
        struct podsku_entry *list = realloc(entries->list, room * sizeof *list);
        if (!list)
            return NULL;
        entries->list = list;
    }
    entries->list[entries->count] = (struct podsku_entry){0};
    return &entries->list[entries->count];
}

/* index: intent -> position, so that a long journal is read in linear time. False: out of memory. */
static bool merge_line(const json_t *line, struct podsku_entries *entries, json_t *index)
{
    const char *type = json_string_value(json_object_get(line, "type"));
    const char *intent = json_string_value(json_object_get(line, "intent"));
    const json_t *place = json_object_get(index, intent);

    if (strcmp(type, "intent") == 0 && !place) {
        struct podsku_entry *entry = grow(entries);
        if (!entry || !take_intent(line, entry)) {
            if (entry)
                entry_clear(entry);
            return false;
        }
        return json_object_set_new(index, intent, json_integer((json_int_t)entries->count++)) == 0;
    }
    if ((strcmp(type, "outcome") == 0 || strcmp(type, "intent") == 0) && place) {
        struct podsku_entry *entry = &entries->list[json_integer_value(place)];
        bool known = false;
        if (!(strcmp(type, "intent") == 0 ? take_again : take_outcome)(line, entry, &known))
            return false;
        entries->ignored += !known;
        return true;
    }
    entries->ignored++;
    return true;
}

enum podsku_code podsku_journal_parse(const char *bytes, size_t len, struct podsku_entries *entries,
                                      struct podsku_error *err)
{
    json_t *index = json_object();
    bool fits = index != NULL;

    *entries = (struct podsku_entries){0};
    while (fits && len > 0) {
        const char *end = memchr(bytes, '\n', len);
        if (!end) {
            entries->cut = true;
            break;
        }
        size_t line_len = (size_t)(end - bytes);
        json_t *line;
        fits = podsku_journal_line(bytes, line_len, &line, err) == PODSKU_OK;
        if (line)
            fits = merge_line(line, entries, index);
        else
            entries->ignored += line_len > 0;
        json_decref(line);
        bytes = end + 1;
        len -= line_len + 1;
    }
    json_decref(index);
    if (fits)
        return PODSKU_OK;
    podsku_entries_free(entries);
    return podsku_error_no_memory(err);
}

enum podsku_code podsku_journal_bytes(const struct podsku_journal *journal, struct podsku_buf *bytes,
                                      struct podsku_error *err)
{
    struct podsku_error read_err = {0};
    struct stat info;

    if (stat(journal->path, &info) != 0 && errno == ENOENT)
        return PODSKU_OK;
    if (stat(journal->path, &info) == 0 && !S_ISREG(info.st_mode)) /* reading a pipe would wait for ever */
        return podsku_journal_failed(journal->path, "read", EINVAL, err);
    enum podsku_code code = podsku_file_read(journal->path, PODSKU_JOURNAL_MAX, bytes, &read_err);
    if (code == PODSKU_OK || code == PODSKU_NO_MEMORY)
        return code == PODSKU_OK ? code : podsku_error_no_memory(err);
    podsku_error_where(err, "%s", journal->path);
    podsku_error_hint(err, "it says which pods may exist: repair or move it, then run podsku reconcile --launch-id ID "
                           "for what you started");
    return podsku_error_set(err, PODSKU_STATE, "%s", read_err.message);
}

enum podsku_code podsku_journal_read(struct podsku_journal *journal, struct podsku_entries *entries,
                                     struct podsku_error *err)
{
    struct podsku_buf bytes = {0};
    int lock = -1;

    *entries = (struct podsku_entries){0};
    /* Without the lock (a read-only disk) the worst is a last line seen half-written, which is dropped. */
    enum podsku_code code = podsku_journal_take(journal, false, false, &lock, err);
    if (code == PODSKU_OK)
        code = podsku_journal_bytes(journal, &bytes, err);
    podsku_journal_drop(lock);
    if (code == PODSKU_OK && bytes.len > 0)
        code = podsku_journal_parse(bytes.data, bytes.len, entries, err);
    podsku_buf_free(&bytes);
    return code;
}
