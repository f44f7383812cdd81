#include "client/reconcile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/patience.h"
#include "client/reconcile_private.h"

#define REREAD_MS 500
#define ORPHANS_MAX 256 /* a cluster has at most 250 pods */

/* ------------------------------------------------------------------ what is told */

/* endable: --terminate ends it (or tried to). */
static bool report_as(struct podsku_scan *scan, const struct podsku_thing *thing, enum podsku_reconcile_state state,
                      bool unsettled, bool endable, const char *why)
{
    struct podsku_reconcile_result *result = scan->result;
    struct podsku_reconcile_pod *list = realloc(result->list, (result->count + 1) * sizeof *list);

    if (list) {
        result->list = list;
        struct podsku_reconcile_pod *pod = &list[result->count++];
        *pod = (struct podsku_reconcile_pod){
            .id = strdup(thing->id),
            .cluster = thing->cluster,
            .launch_id = strdup(thing->marks.launch_id),
            .attempt = thing->marks.attempt,
            .state = state,
            .unsettled = unsettled,
            .endable = endable,
            .why = strdup(why),
        };
        if (pod->id && pod->launch_id && pod->why)
            return true;
    }
    (void)podsku_error_no_memory(scan->err);
    return false;
}

static bool report(struct podsku_scan *scan, const struct podsku_thing *thing, enum podsku_reconcile_state state,
                   bool unsettled, const char *why)
{
    return report_as(scan, thing, state, unsettled, false, why);
}

static bool reported(const struct podsku_scan *scan, const char *id)
{
    for (size_t i = 0; i < scan->result->count; i++)
        if (strcmp(scan->result->list[i].id, id) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------ entries without a pod in the list */

/* A cluster that no list shows, by the marks of its members, as far as they can be read. False: out of memory. */
static bool add_cluster(struct podsku_scan *scan, const char *id)
{
    struct podsku_error ignored = {0};
    struct podsku_pods members = {0};
    bool fits = true;

    if (podsku_api_cluster_pods(scan->client, id, &members, &ignored) != PODSKU_OK)
        return true;
    for (size_t i = 0; fits && i < members.count; i++)
        if (!members.list[i].cluster_id)
            fits = (members.list[i].cluster_id = strdup(id)) != NULL;
    fits = fits && podsku_things_of_pods(&members, &scan->things);
    podsku_pods_free(&members);
    return fits;
}

/* GET by id: a list may lack what is there. *alive: it is; *gone: it is certainly not. */
static bool ask_by_id(struct podsku_scan *scan, const struct podsku_entry *entry, bool *alive, bool *gone)
{
    struct podsku_error failure = {0};
    struct podsku_pod pod = {0};
    struct podsku_cluster cluster = {0};
    enum podsku_code code;

    *alive = *gone = false;
    if (entry->cluster) {
        code = podsku_api_get_cluster(scan->client, entry->pod_id, &cluster, &failure);
        *alive = code == PODSKU_OK;
        podsku_cluster_clear(&cluster);
    } else {
        code = podsku_api_get_pod(scan->client, scan->api, entry->pod_id, &pod, &failure);
        *alive = code == PODSKU_OK && pod.status != PODSKU_POD_TERMINATED;
        *gone = code == PODSKU_OK && pod.status == PODSKU_POD_TERMINATED;
    }
    *gone = *gone || code == PODSKU_NOT_FOUND;
    if (*alive) {
        struct podsku_pods one = {.list = &pod, .count = 1};
        if (entry->cluster ? !add_cluster(scan, entry->pod_id) : !podsku_things_of_pods(&one, &scan->things))
            (void)podsku_error_no_memory(scan->err);
    }
    podsku_pod_clear(&pod);
    return *alive || *gone;
}

/* A pod without readable marks, under the launch and attempt that it may be of. */
static void report_hidden(struct podsku_scan *scan, const struct podsku_thing *thing, const char *launch_id,
                          int attempt, const char *why)
{
    struct podsku_thing named = *thing; /* borrows everything */

    if (reported(scan, thing->id))
        return;
    named.marks = (struct podsku_marks){.launch_id = (char *)launch_id, .attempt = attempt};
    (void)report(scan, &named, PODSKU_RECONCILE_AMBIGUOUS, true, why);
}

/* Whether a pod that hides its marks may be this entry's: then no list proves that nothing was created. */
static bool may_be_hidden(struct podsku_scan *scan, const struct podsku_entry *entry)
{
    bool found = false;

    for (size_t i = 0; i < scan->hidden.count; i++) {
        const struct podsku_thing *thing = &scan->hidden.list[i];
        if (!podsku_thing_may_be(thing, entry) || podsku_entries_by_pod(&scan->entries, thing->id))
            continue;
        found = true;
        report_hidden(scan, thing, entry->launch_id, entry->attempt,
                      "it has the name and GPU type of an open entry, and its marks cannot be read: untouched");
    }
    return found;
}

/* A pod that its id finds and no mark: it is the entry's, and it cannot be proven that it still is. */
static void report_unmarked(struct podsku_scan *scan, const struct podsku_entry *entry)
{
    const struct podsku_thing thing = {.id = entry->pod_id,
                                       .cluster = entry->cluster,
                                       .marks = {.launch_id = entry->launch_id, .attempt = entry->attempt}};

    if (podsku_thing_by_id(&scan->things, entry->pod_id))
        return;
    if (!podsku_entry_unfinished(entry) && !scan->options->launch_id && !reported(scan, entry->pod_id))
        (void)report(scan, &thing, PODSKU_RECONCILE_KNOWN, false,
                     "it was handed over, and lives; its marks cannot be read");
    else
        report_hidden(scan, &thing, entry->launch_id, entry->attempt,
                      "it lives, and its marks cannot be read: untouched");
}

/* An entry whose pod no list shows now. */
static void close_absent(struct podsku_scan *scan, struct podsku_entry *entry)
{
    bool alive = false, gone = true;
    int64_t age = podsku_clock_wall_ms(scan->clock) - entry->at_ms;
    bool unread = entry->cluster && scan->clusters_err.code != PODSKU_OK; /* then nothing proves its absence */

    if (!entry->pod_id) {
        if (unread || may_be_hidden(scan, entry))
            return;
        podsku_scan_journal(scan, entry, PODSKU_ENTRY_NOT_MADE, NULL, "not found through a whole settle timeout");
        podsku_scan_say(scan, "launch %s attempt %d: nothing was created: closed", entry->launch_id, entry->attempt);
        return;
    }
    if (!ask_by_id(scan, entry, &alive, &gone))
        return;
    if (alive)
        report_unmarked(scan, entry);
    if (!gone || unread || age < scan->settle_ms)
        return;
    podsku_scan_journal(scan, entry, PODSKU_ENTRY_GONE, NULL, "GET says 404, and no list shows it");
    podsku_scan_say(scan, "launch %s attempt %d: %s is gone: closed", entry->launch_id, entry->attempt, entry->pod_id);
}

/* An entry whose pod stands in the list as TERMINATED. */
static void close_ended(struct podsku_scan *scan, struct podsku_entry *entry, const struct podsku_thing *thing)
{
    char *id = strdup(thing->id);
    bool alive, gone;

    if (!id) {
        (void)podsku_error_no_memory(scan->err);
        return;
    }
    free(entry->pod_id);
    entry->pod_id = id;
    if (ask_by_id(scan, entry, &alive, &gone) && gone)
        podsku_scan_journal(scan, entry, PODSKU_ENTRY_GONE, NULL, "it is TERMINATED");
}

/* Closes what has no live pod. Handed-over pods are looked after, too: their entries would stay for ever. */
static void close_entries(struct podsku_scan *scan)
{
    for (size_t i = 0; i < scan->entries.count && scan->err->code == PODSKU_OK; i++) {
        struct podsku_entry *entry = &scan->entries.list[i];
        const struct podsku_thing *thing = podsku_scan_thing_of(scan, entry);
        bool ours = podsku_scan_wants_settling(scan, entry) ||
                    (podsku_scan_is_handed_over(entry) && podsku_scan_in_scope(scan, entry->launch_id) &&
                     podsku_scan_is_of_api(scan, entry) && podsku_scan_is_trusted(scan, entry) &&
                     !podsku_scan_runs(scan, entry->launch_id));
        if (!ours)
            continue;
        if (!thing)
            close_absent(scan, entry);
        else if (!thing->live)
            close_ended(scan, entry, thing);
    }
}

/* ------------------------------------------------------------------ things */

static void say_from_proof(void *ctx, const char *text)
{
    podsku_scan_say(ctx, "DELETE: %s; again", text);
}

/* Pods that outlived their cluster: they are what may still run. */
struct orphans {
    char *ids[ORPHANS_MAX];
    size_t count;
};

static void note_orphan(void *ctx, const char *pod_id)
{
    struct orphans *orphans = ctx;

    if (orphans->count < ORPHANS_MAX && (orphans->ids[orphans->count] = strdup(pod_id)))
        orphans->count++;
}

/* A cluster that could not be proven gone; or, if it is gone, each of the pods that it left. */
static void report_not_gone(struct podsku_scan *scan, const struct podsku_thing *thing,
                            enum podsku_reconcile_state state, const struct orphans *orphans, const char *how)
{
    if (orphans->count == 0)
        (void)report_as(scan, thing, state, true, true, how);
    for (size_t i = 0; i < orphans->count; i++) {
        const struct podsku_thing pod = {.id = orphans->ids[i], .marks = thing->marks}; /* borrowed */
        (void)report_as(scan, &pod, state, true, true, how);
    }
}

/* Terminates and proves. *how says what proved it, or what is missing; orphans: what is to be freed. */
static bool end(struct podsku_scan *scan, const struct podsku_thing *thing, struct orphans *orphans, char *how,
                size_t how_size)
{
    int64_t now = podsku_clock_mono_ms(scan->clock);
    int64_t age = thing->created_ms ? podsku_clock_wall_ms(scan->clock) - thing->created_ms : 0;
    const struct podsku_gone_request request = {
        .api = scan->api,
        .id = thing->id,
        .cluster = thing->cluster,
        .intent = thing->marks.intent,
        .settle_ms = scan->settle_ms,
        .created_mono_ms = age > 0 && age < now ? now - age : 0,
        .signals = &scan->hooks->signals,
        .say = say_from_proof,
        .say_ctx = scan,
        .left = note_orphan,
        .left_ctx = orphans,
    };
    struct podsku_gone_result gone = {0};
    struct podsku_error failure = {0};

    podsku_scan_say(scan, "terminating %s of launch %s", thing->id, thing->marks.launch_id);
    (void)!podsku_prove_gone(scan->client, &request, &gone, &failure); /* gone.how says it all */
    (void)snprintf(how, how_size, "%s", gone.how);
    return gone.gone;
}

/* An entry that was closed while its pod lives is open after all. */
static struct podsku_entry *entry_of(struct podsku_scan *scan, const struct podsku_thing *thing)
{
    struct podsku_entry *entry = podsku_entries_by_intent(&scan->entries, thing->marks.intent);

    if (!entry)
        entry = podsku_entries_by_pod(&scan->entries, thing->id);
    for (size_t i = 0; !entry && thing->by_name && i < scan->entries.count; i++)
        if (podsku_scan_thing_of(scan, &scan->entries.list[i]) == thing)
            entry = &scan->entries.list[i];
    return entry;
}

/* GET by id, once. True: it says 404 or TERMINATED. */
static bool has_ended(struct podsku_scan *scan, const struct podsku_thing *thing)
{
    struct podsku_error failure = {0};
    struct podsku_pod pod = {0};
    struct podsku_cluster cluster = {0};
    enum podsku_code code;
    bool ended = false;

    if (thing->cluster) {
        code = podsku_api_get_cluster(scan->client, thing->id, &cluster, &failure);
        podsku_cluster_clear(&cluster);
    } else {
        code = podsku_api_get_pod(scan->client, scan->api, thing->id, &pod, &failure);
        ended = code == PODSKU_OK && pod.status == PODSKU_POD_TERMINATED;
        podsku_pod_clear(&pod);
    }
    return ended || code == PODSKU_NOT_FOUND;
}

/*
 * True when what the list shows only lags: the journal closed this very pod as gone, and it stops
 * answering by its id within a settle timeout.
 */
static bool only_lags(struct podsku_scan *scan, const struct podsku_entry *entry, const struct podsku_thing *thing)
{
    int64_t end = podsku_clock_mono_ms(scan->clock) + scan->settle_ms;

    if (!entry || entry->state != PODSKU_ENTRY_GONE || !entry->pod_id || strcmp(entry->pod_id, thing->id) != 0)
        return false;
    while (!has_ended(scan, thing)) {
        if (podsku_clock_mono_ms(scan->clock) >= end || podsku_scan_signalled(scan))
            return false;
        podsku_clock_sleep_ms(scan->clock, REREAD_MS);
    }
    return true;
}

static void handle(struct podsku_scan *scan, const struct podsku_thing *thing)
{
    struct podsku_entry *entry = entry_of(scan, thing);
    char how[640];

    /* v1 and v2 may show the same account. */
    if (reported(scan, thing->id) || only_lags(scan, entry, thing))
        return;
    bool running = podsku_scan_runs(scan, thing->marks.launch_id);
    /* Found for an open entry, or alive although its entry was closed: a pod that is not handed over. */
    if (!running && entry && !podsku_scan_is_handed_over(entry) && entry->state != PODSKU_ENTRY_MADE)
        podsku_scan_journal(scan, entry, PODSKU_ENTRY_MADE, thing->id, "found by reconcile");
    const struct podsku_reconcile_case c = {
        .options = scan->options,
        .thing = thing,
        .entry = entry,
        .launch_known = podsku_scan_launch_known(scan, thing->marks.launch_id),
        .running = running,
        .twin = podsku_thing_has_twin(&scan->things, thing),
        .now_ms = podsku_clock_wall_ms(scan->clock),
    };
    const struct podsku_reconcile_verdict verdict = podsku_reconcile_decide(&c);
    if (!verdict.end || podsku_scan_signalled(scan)) {
        (void)report_as(scan, thing, verdict.state, verdict.unsettled, verdict.endable, verdict.why);
        return;
    }
    struct orphans orphans = {.count = 0};
    bool gone = end(scan, thing, &orphans, how, sizeof how);
    if (!gone)
        report_not_gone(scan, thing, verdict.state, &orphans, how);
    for (size_t i = 0; i < orphans.count; i++)
        free(orphans.ids[i]);
    if (!gone)
        return;
    if (entry)
        podsku_scan_journal(scan, entry, PODSKU_ENTRY_GONE, thing->id, verdict.why);
    (void)report(scan, thing, PODSKU_RECONCILE_TERMINATED, false, verdict.why);
}

/* ------------------------------------------------------------------ the whole */

/* One API's pods against its entries. */
static enum podsku_code scan_api(struct podsku_scan *scan, enum podsku_api api)
{
    scan->api = api;
    enum podsku_code code = podsku_scan_settle(scan);
    if (code != PODSKU_OK)
        return code;
    close_entries(scan);
    for (size_t i = 0; i < scan->things.count && scan->err->code == PODSKU_OK; i++)
        if (scan->things.list[i].live && podsku_scan_in_scope(scan, scan->things.list[i].marks.launch_id))
            handle(scan, &scan->things.list[i]);
    /* Of a launch that no journal here knows, the name is all that a hidden pod has. */
    for (size_t i = 0; scan->options->launch_id && i < scan->hidden.count; i++)
        if (podsku_thing_is_named_after(&scan->hidden.list[i], scan->options->launch_id) &&
            !podsku_entries_by_pod(&scan->entries, scan->hidden.list[i].id))
            report_hidden(scan, &scan->hidden.list[i], scan->options->launch_id, 0,
                          "it has the name of this launch, and its marks cannot be read: untouched");
    if (scan->err->code == PODSKU_OK && scan->clusters_err.code != PODSKU_OK)
        *scan->err = scan->clusters_err;
    return scan->err->code;
}

static bool has_v1_entries(const struct podsku_scan *scan)
{
    for (size_t i = 0; i < scan->entries.count; i++) {
        const struct podsku_entry *entry = &scan->entries.list[i];
        if (entry->api && strcmp(entry->api, podsku_api_name(PODSKU_API_V1)) == 0 &&
            (podsku_entry_unfinished(entry) || podsku_scan_is_handed_over(entry)))
            return true;
    }
    return false;
}

/* v1, if there is one and it may concern this run: by its entries, or for pods that are named by their marks. */
static enum podsku_code scan_v1(struct podsku_scan *scan)
{
    bool needed = has_v1_entries(scan);

    if (!podsku_client_url(scan->client, PODSKU_API_V1) ||
        !(needed || scan->options->launch_id || scan->options->expired))
        return PODSKU_OK;
    enum podsku_code code = scan_api(scan, PODSKU_API_V1);
    if (code == PODSKU_OK || needed || code == PODSKU_INTERRUPTED || code == PODSKU_STATE)
        return code;
    podsku_scan_say(scan, "REST v1 could not be read, and no entry of the journal is of it: %s", scan->err->message);
    podsku_error_clear(scan->err);
    return PODSKU_OK;
}

static void scan_free(struct podsku_scan *scan)
{
    for (size_t i = 0; i < scan->launch_count; i++) {
        podsku_launch_unlock(scan->launches[i].lock);
        free(scan->launches[i].id);
    }
    free(scan->launches);
    podsku_things_free(&scan->things);
    podsku_things_free(&scan->hidden);
    podsku_entries_free(&scan->entries);
}

enum podsku_code podsku_reconcile(struct podsku_client *client, struct podsku_journal *journal_,
                                  const struct podsku_reconcile_options *options,
                                  const struct podsku_reconcile_hooks *hooks, struct podsku_reconcile_result *result,
                                  struct podsku_error *err)
{
    struct podsku_error own = {0};
    struct podsku_scan scan = {
        .client = client,
        .journal = journal_,
        .options = options,
        .hooks = hooks,
        .result = result,
        .err = &own,
        .clock = podsku_client_clock(client),
        .settle_ms = options->settle_ms ? options->settle_ms : PODSKU_SETTLE_TIMEOUT_MS,
    };

    *result = (struct podsku_reconcile_result){0};
    enum podsku_code code = podsku_journal_read(journal_, &scan.entries, &own);
    if (code == PODSKU_OK) {
        if (scan.entries.cut)
            podsku_scan_say(&scan, "the journal's last line was cut: it is dropped");
        if (scan.entries.ignored)
            podsku_scan_say(&scan, "%zu lines of the journal could not be read, and are ignored", scan.entries.ignored);
        code = scan_api(&scan, PODSKU_API_V2);
        if (code == PODSKU_OK)
            code = scan_v1(&scan);
        podsku_scan_count_open(&scan);
    }
    scan_free(&scan);
    if (result->open > 0 && (code == PODSKU_OK || !podsku_error_is_final(code)) && code != PODSKU_INTERRUPTED) {
        struct podsku_error unsettled = {0};
        code = podsku_error_set(&unsettled, PODSKU_UNSETTLED, "%zu still open%s%s", result->open,
                                own.message[0] ? ": " : "", own.message);
        podsku_reconcile_hint(result, options, &unsettled);
        own = unsettled;
    }
    if (code != PODSKU_OK && err->code == PODSKU_OK)
        *err = own;
    return code;
}
