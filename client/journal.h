/*
 * The journal: what podsku was about to create and what became of it, so that no pod is left behind
 * that nobody knows of. JSON Lines in the state folder:
 *
 *   journal.jsonl      one line per intent, one per outcome; fsynced before anything is acted on
 *   journal.lock       flock(2) held for the length of one append or compaction
 *   launch-HASH.lock   flock(2) held by a deploy for as long as it runs; its content is the launch id
 *
 * A last line without its newline was cut (a crash, a full disk): it is dropped with a note. Lines
 * that are no JSON, or of a kind that this version does not know, are counted, kept by compaction and
 * otherwise ignored. Env values never reach the journal.
 */
#ifndef PODSKU_CLIENT_JOURNAL_H
#define PODSKU_CLIENT_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/error.h"

struct podsku_client;
struct podsku_journal; /* private */

/* What is known of one intent. Only OPEN and MADE are unfinished. */
enum podsku_entry_state {
    PODSKU_ENTRY_OPEN,        /* a pod may exist, none was seen; also an intent without any outcome */
    PODSKU_ENTRY_MADE,        /* a pod exists (its id is known), not yet handed over */
    PODSKU_ENTRY_HANDED_OVER, /* the user was told of the pod */
    PODSKU_ENTRY_KEPT,        /* as handed over, by --keep after a failure */
    PODSKU_ENTRY_NOT_MADE,    /* closed: nothing was created */
    PODSKU_ENTRY_GONE,        /* closed: created, and proven gone */
};
const char *podsku_entry_state_name(enum podsku_entry_state state); /* "open", "made", "handed-over", ... */

/* One intent with its latest outcome. Owns its strings; numbers are 0 and strings NULL when unknown. */
struct podsku_entry {
    char *launch_id; /* never NULL */
    int attempt;
    char *intent; /* never NULL; unique */
    char *url;    /* base URL of the API */
    char *api;    /* "v2", "v1" */
    char *salt, *key_hmac;
    bool cluster;   /* POST /v2/clusters; pod_id is then the cluster's id */
    char *name;     /* of the pod or cluster, as sent */
    char **gpu_ids; /* one; several with v1 */
    size_t gpu_id_count;
    char *cloud;
    int gpus, nodes;
    int64_t price_uusd; /* listed, everything per hour */
    int64_t expires_s;
    int64_t at_ms;      /* wall clock of the intent */
    int64_t changed_ms; /* wall clock of the latest outcome */
    enum podsku_entry_state state;
    bool settled; /* OPEN: a whole settle timeout found nothing ("assumed not done") */
    char *pod_id;
    char *made_gpu_id; /* what the pod said when it was made, as asked for or not */
    char *why;         /* of the latest outcome */
    json_t *body;      /* as sent, env values masked */
};

struct podsku_entries {
    struct podsku_entry *list; /* in the order of their intents */
    size_t count;
    size_t ignored; /* lines that are no entry of this version */
    bool cut;       /* the last line was cut and dropped */
};
void podsku_entries_free(struct podsku_entries *entries);
/* The entry with this intent, or the one whose pod (or cluster) it is; NULL if none. Borrowed. */
struct podsku_entry *podsku_entries_by_intent(const struct podsku_entries *entries, const char *intent);
struct podsku_entry *podsku_entries_by_pod(const struct podsku_entries *entries, const char *pod_id);
/* OPEN or MADE. */
bool podsku_entry_unfinished(const struct podsku_entry *entry);

/*
 * Opens the journal of a state folder that exists. Nothing is created by opening: a command that only
 * reads works on a read-only disk. clock: borrowed. PODSKU_STATE on failure.
 */
enum podsku_code podsku_journal_open(const char *folder, const struct podsku_clock *clock,
                                     struct podsku_journal **journal, struct podsku_error *err) PODSKU_CHECKED;
void podsku_journal_free(struct podsku_journal *journal);

/* Reads everything; a missing file is an empty journal. Only an unreadable one is an error (PODSKU_STATE). */
enum podsku_code podsku_journal_read(struct podsku_journal *journal, struct podsku_entries *entries,
                                     struct podsku_error *err) PODSKU_CHECKED;

/*
 * Appends an entry whose pod was there already (state, pod_id and made_gpu_id count, too), in one line: a
 * crash cannot leave it open. If the journal knows its intent, the line replaces what it says of state, URL,
 * API and key: from then on it is this client's.
 */
enum podsku_code podsku_journal_adopted(struct podsku_journal *journal, const struct podsku_entry *entry,
                                        struct podsku_error *err) PODSKU_CHECKED;

/*
 * Appends an intent and makes it durable (file, and folder when the file is new), with room reserved
 * for its outcomes. Uses of entry: launch_id ... at_ms (0: now) and body. PODSKU_STATE when it could
 * not be made durable: nothing may be created then.
 */
enum podsku_code podsku_journal_intent(struct podsku_journal *journal, const struct podsku_entry *entry,
                                       struct podsku_error *err) PODSKU_CHECKED;

struct podsku_outcome {
    const char *launch_id, *intent; /* never NULL */
    int attempt;
    enum podsku_entry_state state;
    bool settled;
    const char *pod_id; /* NULL: as before */
    const char *gpu_id; /* of the pod as it was made; NULL: as before */
    int http_status;    /* 0: none */
    const char *why;    /* NULL: none */
};
/* Appends an outcome and makes it durable. */
enum podsku_code podsku_journal_outcome(struct podsku_journal *journal, const struct podsku_outcome *outcome,
                                        struct podsku_error *err) PODSKU_CHECKED;

/*
 * Rewrites the file without entries that were closed more than a week ago, if it is large (1 MiB).
 * Atomic; a failure leaves the old file and is no error of the caller's work: PODSKU_STATE to be told.
 */
enum podsku_code podsku_journal_compact(struct podsku_journal *journal, struct podsku_error *err) PODSKU_CHECKED;

/* True when entry was made with this client's base URL, API and key: only then may its list be trusted. */
enum podsku_code podsku_entry_is_of(const struct podsku_entry *entry, const struct podsku_client *client, bool *same,
                                    struct podsku_error *err) PODSKU_CHECKED;

/* why: with which other base URL, API or key it was made, and what to do about it; "" when with this client's. */
enum podsku_code podsku_entry_origin(const struct podsku_entry *entry, const struct podsku_client *client, char *why,
                                     size_t size, struct podsku_error *err) PODSKU_CHECKED;

/* "This launch's deploy runs." Freed by podsku_launch_unlock(), or by the kernel when the process ends. */
struct podsku_launch_lock;
/* *lock is NULL and the code PODSKU_OK when another process holds it. */
enum podsku_code podsku_launch_lock(struct podsku_journal *journal, const char *launch_id,
                                    struct podsku_launch_lock **lock, struct podsku_error *err) PODSKU_CHECKED;
void podsku_launch_unlock(struct podsku_launch_lock *lock);
/* Asks without taking it; false also where there is no lock file. */
bool podsku_launch_runs(struct podsku_journal *journal, const char *launch_id);

#endif
