/* What the parts of reconcile share; not for others. */
#ifndef PODSKU_CLIENT_RECONCILE_PRIVATE_H
#define PODSKU_CLIENT_RECONCILE_PRIVATE_H

#include "client/reconcile.h"

/* A pod by itself, or a cluster with its members. Owns its strings. */
struct podsku_thing {
    char *id, *name, *gpu_id; /* name, gpu_id: NULL unknown */
    bool cluster;
    bool live;               /* not TERMINATED (a cluster: some member is not) */
    bool env_empty;          /* hidden: its env is {} */
    bool by_name;            /* a cluster without visible members: its marks are those that its name stands for */
    int64_t created_ms;      /* 0: unknown */
    int64_t created_mono_ms; /* 0: unknown */
    struct podsku_marks marks;
};
struct podsku_things {
    struct podsku_thing *list;
    size_t count;
};
void podsku_things_free(struct podsku_things *things);
/* Groups a list of pods: those without our marks are left out. Moves strings out of pods. False: out of memory. */
bool podsku_things_of_pods(struct podsku_pods *pods, struct podsku_things *things);
/*
 * Names clusters as the service does, and adds those without visible members whose name is that of an
 * entry, or "podsku-LAUNCH" (launch_id: NULL, or the launch that was asked for). False: out of memory.
 */
bool podsku_things_of_clusters(const struct podsku_clusters *clusters, const struct podsku_entries *entries,
                               const char *launch_id, struct podsku_things *things);
/*
 * Live pods whose marks cannot be read: any of them may be of any open entry. Copies, since the pods are used
 * on. Clusters are left out: their names are in a list of their own. False: out of memory.
 */
bool podsku_things_hidden(const struct podsku_pods *pods, struct podsku_things *hidden);
/* Whether a hidden one may be this entry's: name, GPU type and time speak for it. */
bool podsku_thing_may_be(const struct podsku_thing *hidden, const struct podsku_entry *entry);
/* Whether it is named "podsku-LAUNCH". */
bool podsku_thing_is_named_after(const struct podsku_thing *thing, const char *launch_id);
/* The live one with this intent, else one that has ended; NULL: none. */
const struct podsku_thing *podsku_thing_by_intent(const struct podsku_things *things, const char *intent);
const struct podsku_thing *podsku_thing_by_id(const struct podsku_things *things, const char *id);
/* More than one live thing carries this thing's intent. */
bool podsku_thing_has_twin(const struct podsku_things *things, const struct podsku_thing *thing);

/* What is done with a thing. Pure. */
struct podsku_reconcile_case {
    const struct podsku_reconcile_options *options;
    const struct podsku_thing *thing;
    const struct podsku_entry *entry; /* of its intent or id; NULL: none */
    bool launch_known;                /* some entry here is of its launch */
    bool running;                     /* another podsku, deploy or reconcile, holds its launch's lock */
    bool twin;
    int64_t now_ms; /* wall clock */
};
struct podsku_reconcile_verdict {
    enum podsku_reconcile_state state;
    bool end;       /* terminate it */
    bool endable;   /* --terminate ends it: end, but for the flag */
    bool unsettled; /* if it is not ended */
    const char *why;
};
struct podsku_reconcile_verdict podsku_reconcile_decide(const struct podsku_reconcile_case *c);

/* ---- reconcile_open.c: what stays open */
struct podsku_scan;
/* Open entries that are this run's business, and pods that no entry stands for, into the result. */
void podsku_scan_count_open(struct podsku_scan *scan);
/* What to do about what is open. */
void podsku_reconcile_hint(const struct podsku_reconcile_result *result, const struct podsku_reconcile_options *options,
                           struct podsku_error *err);

/* ---- reconcile_scan.c */
/* A launch whose lock was asked for: ours until the end, or another's (its deploy runs, or another reconcile). */
struct podsku_scan_launch {
    char *id;
    struct podsku_launch_lock *lock; /* NULL: it runs, or the folder cannot hold locks */
    bool running;
};

struct podsku_scan {
    struct podsku_client *client;
    struct podsku_journal *journal;
    const struct podsku_reconcile_options *options;
    const struct podsku_reconcile_hooks *hooks;
    struct podsku_reconcile_result *result;
    struct podsku_error *err;
    const struct podsku_clock *clock;
    enum podsku_api api;
    int64_t settle_ms;
    /* Why the last list of clusters could not be read: nothing is said about what only it can show. OK: it was. */
    struct podsku_error clusters_err;
    struct podsku_entries entries;
    struct podsku_things things;
    struct podsku_things hidden; /* live, and nobody can say whose: marks without launch and intent */
    struct podsku_scan_launch *launches;
    size_t launch_count;
};
void podsku_scan_say(const struct podsku_scan *scan, const char *fmt, ...) PODSKU_PRINTF(2, 3);
/* A signal arrived: nothing new is begun. */
bool podsku_scan_signalled(const struct podsku_scan *scan);
/* True unless another launch was asked for. */
bool podsku_scan_in_scope(const struct podsku_scan *scan, const char *launch_id);
bool podsku_scan_runs(struct podsku_scan *scan, const char *launch_id);
bool podsku_scan_is_of_api(const struct podsku_scan *scan, const struct podsku_entry *entry);
bool podsku_scan_is_trusted(struct podsku_scan *scan, const struct podsku_entry *entry);
bool podsku_scan_wants_settling(struct podsku_scan *scan, const struct podsku_entry *entry);
bool podsku_scan_is_handed_over(const struct podsku_entry *entry);
/* Some entry is of this launch. */
bool podsku_scan_launch_known(const struct podsku_scan *scan, const char *launch_id);
/* What the last lists show for this entry; NULL: nothing. Borrowed until the next list. */
const struct podsku_thing *podsku_scan_thing_of(const struct podsku_scan *scan, const struct podsku_entry *entry);
/* Into the file and into the entry; a failure is said and kept in scan->err. */
void podsku_scan_journal(struct podsku_scan *scan, struct podsku_entry *entry, enum podsku_entry_state state,
                         const char *pod_id, const char *why);
/* Reads the lists until everything open is found, or a settle timeout has passed. */
enum podsku_code podsku_scan_settle(struct podsku_scan *scan);

#endif
