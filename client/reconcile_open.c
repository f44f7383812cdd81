/* What a reconcile leaves open: how much, why, and what settles it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/reconcile_private.h"

/* Whether an open entry stands for this pod: it is counted already. */
static bool is_counted(const struct podsku_scan *scan, const struct podsku_reconcile_pod *pod)
{
    for (size_t i = 0; i < scan->entries.count; i++) {
        const struct podsku_entry *entry = &scan->entries.list[i];
        if (podsku_entry_unfinished(entry) && entry->attempt == pod->attempt &&
            strcmp(entry->launch_id, pod->launch_id) == 0)
            return true;
    }
    return false;
}

/* Whether a pod of the report stands for this entry: that says why. */
static bool is_shown(const struct podsku_reconcile_result *result, const struct podsku_entry *entry)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct podsku_reconcile_pod *pod = &result->list[i];
        if (pod->unsettled && pod->attempt == entry->attempt && strcmp(pod->launch_id, entry->launch_id) == 0)
            return true;
    }
    return false;
}

/* Why nothing here settles this entry, and what does. */
static enum podsku_reconcile_left reason_of(struct podsku_scan *scan, const struct podsku_entry *entry, char *why,
                                            size_t size)
{
    const struct podsku_error *trouble = scan->err->code != PODSKU_OK ? scan->err : &scan->clusters_err;
    struct podsku_error failure = {0};

    if (podsku_entry_origin(entry, scan->client, why, size, &failure) == PODSKU_OK && why[0])
        return PODSKU_RECONCILE_LEFT_FOREIGN;
    if (podsku_scan_runs(scan, entry->launch_id)) {
        (void)snprintf(why, size, "another podsku is settling or deploying this launch: reconcile when that has ended");
        return PODSKU_RECONCILE_LEFT_RUNNING;
    }
    (void)snprintf(why, size, "nothing proves that no pod of it lives%s%.300s: reconcile again",
                   trouble->message[0] ? ": " : "", trouble->message);
    return PODSKU_RECONCILE_LEFT_UNREAD;
}

/* Into the result; it is told by the caller. */
static void leave(struct podsku_scan *scan, const struct podsku_entry *entry)
{
    struct podsku_reconcile_result *result = scan->result;
    struct podsku_reconcile_entry *list = realloc(result->entries, (result->entry_count + 1) * sizeof *list);
    char why[512] = "";

    if (list) {
        result->entries = list;
        struct podsku_reconcile_entry *left = &list[result->entry_count++];
        *left = (struct podsku_reconcile_entry){.attempt = entry->attempt};
        left->reason = reason_of(scan, entry, why, sizeof why);
        left->launch_id = strdup(entry->launch_id);
        left->pod_id = entry->pod_id ? strdup(entry->pod_id) : NULL;
        left->why = strdup(why);
        if (left->launch_id && left->why && (!entry->pod_id || left->pod_id))
            return;
    }
    if (scan->err->code == PODSKU_OK)
        (void)podsku_error_no_memory(scan->err);
}

void podsku_scan_count_open(struct podsku_scan *scan)
{
    size_t open = 0;

    for (size_t i = 0; i < scan->entries.count; i++) {
        const struct podsku_entry *entry = &scan->entries.list[i];
        if (!podsku_entry_unfinished(entry) || !podsku_scan_in_scope(scan, entry->launch_id) ||
            (!scan->options->launch_id && podsku_scan_runs(scan, entry->launch_id)))
            continue;
        open++;
        if (!is_shown(scan->result, entry))
            leave(scan, entry);
    }
    for (size_t i = 0; i < scan->result->count; i++) {
        const struct podsku_reconcile_pod *pod = &scan->result->list[i];
        open += pod->unsettled && !is_counted(scan, pod);
    }
    scan->result->open = open;
}

static const struct podsku_reconcile_pod *unsettled(const struct podsku_reconcile_result *result,
                                                    enum podsku_reconcile_state state, bool endable)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->list[i].unsettled && result->list[i].state == state && result->list[i].endable == endable)
            return &result->list[i];
    return NULL;
}

static bool any_left(const struct podsku_reconcile_result *result, enum podsku_reconcile_left reason)
{
    for (size_t i = 0; i < result->entry_count; i++)
        if (result->entries[i].reason == reason)
            return true;
    return false;
}

void podsku_reconcile_hint(const struct podsku_reconcile_result *result, const struct podsku_reconcile_options *options,
                           struct podsku_error *err)
{
    const struct podsku_reconcile_pod *ambiguous = unsettled(result, PODSKU_RECONCILE_AMBIGUOUS, false);
    const struct podsku_reconcile_pod *unlike = unsettled(result, PODSKU_RECONCILE_KNOWN, false);

    if (ambiguous) /* reconcile never touches it: somebody has to choose */
        podsku_error_hint(err,
                          "reconcile touches none of the ambiguous ones: podsku pods get ID shows one, podsku "
                          "%s terminate ID ends the one that is not wanted, then reconcile again",
                          ambiguous->cluster ? "clusters" : "pods");
    else if (unsettled(result, PODSKU_RECONCILE_KNOWN, true) || unsettled(result, PODSKU_RECONCILE_EXPIRED, true))
        podsku_error_hint(err, options->terminate ? "try again later; podsku pods list --mine shows what lives"
                                                  : "--terminate ends the pods of open entries");
    else if (unlike)
        podsku_error_hint(err,
                          "if launch %s is over: podsku reconcile --launch-id %s --terminate ends what is left of it",
                          unlike->launch_id, unlike->launch_id);
    else if (any_left(result, PODSKU_RECONCILE_LEFT_FOREIGN))
        podsku_error_hint(err, "run podsku reconcile with the key, URL and API that the open entries were made with");
    else if (any_left(result, PODSKU_RECONCILE_LEFT_RUNNING) || unsettled(result, PODSKU_RECONCILE_SKIPPED, false))
        podsku_error_hint(err, "try again when the other podsku has ended");
    else
        podsku_error_hint(err, "try again later; podsku pods list --mine shows what lives");
}
