/*
 * Finding and settling what an interrupted deploy may have left: the account's pods and clusters
 * against the journal and against the marks in their env. Pods without our marks are never touched.
 */
#ifndef PODSKU_CLIENT_RECONCILE_H
#define PODSKU_CLIENT_RECONCILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/api.h"
#include "client/gone.h"
#include "client/journal.h"

#define PODSKU_RECONCILE_YOUNG_MS INT64_C(900000) /* unknown launches younger than this may still deploy */
#define PODSKU_RECONCILE_EARLY_MS INT64_C(300000) /* most that a pod may be older than its intent */

struct podsku_reconcile_options {
    const char *launch_id; /* only this launch, which is over; NULL: all */
    bool expired;          /* pods whose own mark says that their time is over */
    bool terminate;        /* otherwise only reported */
    int64_t settle_ms;     /* 0: PODSKU_SETTLE_TIMEOUT_MS */
};

enum podsku_reconcile_state {
    PODSKU_RECONCILE_KNOWN,      /* ours, and left alone: `why` says why */
    PODSKU_RECONCILE_TERMINATED, /* proven gone */
    PODSKU_RECONCILE_EXPIRED,    /* its time is over, and it was not terminated (no --terminate, or not proven) */
    PODSKU_RECONCILE_AMBIGUOUS,  /* two for one intent: untouched */
    PODSKU_RECONCILE_SKIPPED,    /* another podsku is at work on its launch, or may be */
};
const char *podsku_reconcile_state_name(enum podsku_reconcile_state state);

struct podsku_reconcile_pod {
    char *id; /* of the pod or cluster */
    bool cluster;
    char *launch_id; /* NULL: unknown */
    int attempt;
    enum podsku_reconcile_state state;
    bool unsettled; /* counts for exit 8 */
    bool endable;   /* --terminate ends it, or has tried to */
    char *why;
};

/* An open entry whose pod was not found, and that could not be closed. */
struct podsku_reconcile_entry {
    char *launch_id;
    int attempt;
    char *pod_id; /* NULL: no pod was seen */
    enum podsku_reconcile_left {
        PODSKU_RECONCILE_LEFT_FOREIGN, /* made with another key, URL or API than this run's */
        PODSKU_RECONCILE_LEFT_RUNNING, /* another podsku is at work on its launch */
        PODSKU_RECONCILE_LEFT_UNREAD,  /* no list or read proves anything about it */
    } reason;
    char *why; /* and what to do */
};

struct podsku_reconcile_result {
    size_t open; /* entries (of the launch asked for) that are still open, and pods that are unsettled */
    struct podsku_reconcile_pod *list;
    size_t count;
    struct podsku_reconcile_entry *entries;
    size_t entry_count;
};
void podsku_reconcile_result_free(struct podsku_reconcile_result *result);
/* "podsku.reconcile/1"; new reference, NULL: out of memory. */
json_t *podsku_reconcile_json(const struct podsku_reconcile_result *result);

struct podsku_reconcile_hooks {
    /* One line of progress or a note (journal cut, list unreadable, terminating ...); NULL: silent. */
    void (*say)(void *ctx, const char *text);
    void *ctx;
    struct podsku_signals signals;
};

/*
 * PODSKU_OK: nothing is open. PODSKU_UNSETTLED: something still is (result->open, err). Other codes:
 * it could not be told (journal or list unreadable, AUTH, ...); result holds what was done until then.
 */
enum podsku_code podsku_reconcile(struct podsku_client *client, struct podsku_journal *journal,
                                  const struct podsku_reconcile_options *options,
                                  const struct podsku_reconcile_hooks *hooks, struct podsku_reconcile_result *result,
                                  struct podsku_error *err) PODSKU_CHECKED;

#endif
