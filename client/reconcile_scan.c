/* What the parts of a scan share: the settings, the lists that are read, where outcomes go. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "client/patience.h"
#include "client/reconcile_private.h"

#define FIRST_PAUSE_MS 100
#define SHORT_PAUSE_MS 500
#define LONG_PAUSE_MS 2000
#define SHORT_PHASE_MS 10000

void podsku_scan_say(const struct podsku_scan *scan, const char *fmt, ...)
{
    struct podsku_buf clean = {0};
    char text[768];
    va_list args;

    if (!scan->hooks->say)
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    podsku_text_printable(&clean, text, strlen(text), false);
    scan->hooks->say(scan->hooks->ctx, podsku_buf_text(&clean));
    podsku_buf_free(&clean);
}

bool podsku_scan_in_scope(const struct podsku_scan *scan, const char *launch_id)
{
    return !scan->options->launch_id || strcmp(scan->options->launch_id, launch_id) == 0;
}

/* Whether the launch's deploy runs. If not, its lock is ours until the end: it cannot start meanwhile. */
bool podsku_scan_runs(struct podsku_scan *scan, const char *launch_id)
{
    struct podsku_error failure = {0};

    for (size_t i = 0; i < scan->launch_count; i++)
        if (strcmp(scan->launches[i].id, launch_id) == 0)
            return scan->launches[i].running;
    struct podsku_scan_launch *list = realloc(scan->launches, (scan->launch_count + 1) * sizeof *list);
    if (list)
        scan->launches = list;
    struct podsku_scan_launch launch = {.id = list ? strdup(launch_id) : NULL};
    if (!launch.id) {
        (void)podsku_error_no_memory(scan->err);
        return true; /* touches nothing */
    }
    if (podsku_launch_lock(scan->journal, launch_id, &launch.lock, &failure) == PODSKU_OK) {
        launch.running = launch.lock == NULL;
    } else { /* a folder that cannot be written: looking must do */
        launch.running = podsku_launch_runs(scan->journal, launch_id);
        podsku_scan_say(scan, "launch %s: %s", launch_id, failure.message);
    }
    list[scan->launch_count++] = launch;
    return launch.running;
}

bool podsku_scan_is_of_api(const struct podsku_scan *scan, const struct podsku_entry *entry)
{
    return !entry->api || strcmp(entry->api, podsku_api_name(scan->api)) == 0;
}

/* Only of such entries a list says that there is nothing. */
bool podsku_scan_is_trusted(struct podsku_scan *scan, const struct podsku_entry *entry)
{
    struct podsku_error failure = {0};
    bool same = false;

    return podsku_entry_is_of(entry, scan->client, &same, &failure) == PODSKU_OK && same;
}

bool podsku_scan_wants_settling(struct podsku_scan *scan, const struct podsku_entry *entry)
{
    return podsku_entry_unfinished(entry) && podsku_scan_in_scope(scan, entry->launch_id) &&
           podsku_scan_is_of_api(scan, entry) && podsku_scan_is_trusted(scan, entry) &&
           !podsku_scan_runs(scan, entry->launch_id);
}

void podsku_scan_journal(struct podsku_scan *scan, struct podsku_entry *entry, enum podsku_entry_state state,
                         const char *pod_id, const char *why)
{
    struct podsku_error failure = {0};
    const struct podsku_outcome outcome = {
        .launch_id = entry->launch_id,
        .intent = entry->intent,
        .attempt = entry->attempt,
        .state = state,
        .pod_id = pod_id,
        .why = why,
    };

    char *id = pod_id ? strdup(pod_id) : NULL;
    if (podsku_journal_outcome(scan->journal, &outcome, &failure) == PODSKU_OK) {
        entry->state = state;
        if (id) {
            free(entry->pod_id);
            entry->pod_id = id;
        }
        return;
    }
    free(id);
    podsku_scan_say(scan, "launch %s attempt %d stays open in the journal: %s", entry->launch_id, entry->attempt,
                    failure.message);
    if (scan->err->code == PODSKU_OK)
        *scan->err = failure;
}

/* ------------------------------------------------------------------ looking */

/* A cluster that only its name tells of: its own list of members may say more than the list of pods. */
static void ask_members(struct podsku_scan *scan, struct podsku_thing *thing)
{
    struct podsku_error failure = {0};
    struct podsku_pods members = {0};

    if (podsku_api_cluster_pods(scan->client, thing->id, &members, &failure) != PODSKU_OK)
        return; /* its name is still all that is known */
    for (size_t i = 0; thing->by_name && i < members.count; i++) {
        struct podsku_marks *marks = &members.list[i].marks;
        if (!marks->launch_id || !marks->intent)
            continue;
        free(thing->marks.launch_id);
        free(thing->marks.intent);
        thing->marks = *marks;
        *marks = (struct podsku_marks){0};
        thing->by_name = false;
        if (members.list[i].created_ms) /* as of a cluster whose members are listed */
            thing->created_ms = members.list[i].created_ms;
    }
    podsku_pods_free(&members);
}

/* An unreadable list is kept in scan->clusters_err: what the list of pods shows is looked after all the same. */
static enum podsku_code list_clusters(struct podsku_scan *scan)
{
    struct podsku_clusters clusters = {0};
    enum podsku_code code = podsku_api_list_clusters(scan->client, &clusters, &scan->clusters_err);

    if (code != PODSKU_OK) {
        if (code != PODSKU_INTERRUPTED && code != PODSKU_NO_MEMORY)
            return PODSKU_OK;
        *scan->err = scan->clusters_err;
        return code;
    }
    bool fits = podsku_things_of_clusters(&clusters, &scan->entries, scan->options->launch_id, &scan->things);
    podsku_clusters_free(&clusters);
    for (size_t i = 0; fits && i < scan->things.count; i++)
        if (scan->things.list[i].by_name)
            ask_members(scan, &scan->things.list[i]);
    return fits ? PODSKU_OK : podsku_error_no_memory(scan->err);
}

/* Reads everything anew. */
static enum podsku_code look(struct podsku_scan *scan)
{
    struct podsku_pods pods = {0};
    bool v2 = scan->api == PODSKU_API_V2;
    enum podsku_code code = podsku_api_list_pods(scan->client, scan->api, v2, &pods, scan->err);

    podsku_things_free(&scan->things);
    podsku_things_free(&scan->hidden);
    podsku_error_clear(&scan->clusters_err);
    if (code != PODSKU_OK)
        return code;
    bool fits = podsku_things_hidden(&pods, &scan->hidden) && podsku_things_of_pods(&pods, &scan->things);
    podsku_pods_free(&pods);
    if (!fits)
        return podsku_error_no_memory(scan->err);
    return v2 ? list_clusters(scan) : PODSKU_OK;
}

const struct podsku_thing *podsku_scan_thing_of(const struct podsku_scan *scan, const struct podsku_entry *entry)
{
    const struct podsku_thing *thing = podsku_thing_by_intent(&scan->things, entry->intent);

    if (!thing)
        thing = podsku_thing_by_id(&scan->things, entry->pod_id);
    for (size_t i = 0; !thing && entry->cluster && i < scan->things.count; i++)
        if (scan->things.list[i].by_name && entry->name && strcmp(scan->things.list[i].name, entry->name) == 0)
            thing = &scan->things.list[i];
    return thing;
}

bool podsku_scan_is_handed_over(const struct podsku_entry *entry)
{
    return entry->state == PODSKU_ENTRY_HANDED_OVER || entry->state == PODSKU_ENTRY_KEPT;
}

bool podsku_scan_launch_known(const struct podsku_scan *scan, const char *launch_id)
{
    for (size_t i = 0; i < scan->entries.count; i++)
        if (strcmp(scan->entries.list[i].launch_id, launch_id) == 0)
            return true;
    return false;
}

/* Of a launch that no journal here knows: whether a list shows anything. It may be as new as any. */
static bool launch_found(const struct podsku_scan *scan, const char *launch_id)
{
    for (size_t i = 0; i < scan->things.count; i++)
        if (strcmp(scan->things.list[i].marks.launch_id, launch_id) == 0)
            return true;
    return podsku_scan_launch_known(scan, launch_id);
}

static bool all_found(struct podsku_scan *scan)
{
    const char *launch_id = scan->options->launch_id;

    for (size_t i = 0; i < scan->entries.count; i++) {
        const struct podsku_entry *entry = &scan->entries.list[i];
        /* To end what was handed over a moment ago, it must be found first. */
        bool new = launch_id &&strcmp(entry->launch_id, launch_id) == 0 && podsku_scan_is_handed_over(entry) &&
                   podsku_clock_wall_ms(scan->clock) - entry->at_ms < scan->settle_ms;
        const struct podsku_thing *thing = podsku_scan_thing_of(scan, entry);
        /* A cluster's members may be listed later than the cluster: its name alone is not enough to act on. */
        if ((new || podsku_scan_wants_settling(scan, entry)) && (!thing || thing->by_name))
            return false;
    }
    return !launch_id || launch_found(scan, launch_id);
}

bool podsku_scan_signalled(const struct podsku_scan *scan)
{
    return scan->hooks->signals.count && scan->hooks->signals.count(scan->hooks->signals.ctx) > 0;
}

static bool is_signalled(void *ctx)
{
    return podsku_scan_signalled(ctx);
}

/* As a deploy settles: lists until every open entry's pod is found, or a settle timeout has passed. */
enum podsku_code podsku_scan_settle(struct podsku_scan *scan)
{
    int64_t start = podsku_clock_mono_ms(scan->clock);
    int64_t deadline = start + scan->settle_ms;
    int64_t pause = FIRST_PAUSE_MS;
    int64_t patience = podsku_client_patience(scan->client, scan->settle_ms);
    enum podsku_code code;

    while (true) {
        int64_t now = podsku_clock_mono_ms(scan->clock);
        bool last = now >= deadline;
        podsku_error_clear(scan->err);
        code = look(scan);
        bool whole = code == PODSKU_OK && scan->clusters_err.code == PODSKU_OK;
        if (last || podsku_error_is_final(code) || podsku_error_is_final(scan->clusters_err.code) ||
            code == PODSKU_INTERRUPTED || (whole && all_found(scan)))
            break;
        if (podsku_scan_signalled(scan)) {
            code = podsku_error_set(scan->err, PODSKU_INTERRUPTED, "interrupted before everything was settled");
            break;
        }
        now = podsku_clock_mono_ms(scan->clock);
        if (now < deadline)
            podsku_clock_sleep_unless(scan->clock, podsku_client_pause_ms(scan->client, pause, deadline - now),
                                      LONG_PAUSE_MS, is_signalled, scan);
        int64_t longest = now - start >= SHORT_PHASE_MS ? LONG_PAUSE_MS : SHORT_PAUSE_MS;
        pause = pause * 2 < longest ? pause * 2 : longest;
    }
    (void)podsku_client_patience(scan->client, patience);
    return code;
}
