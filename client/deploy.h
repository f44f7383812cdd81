/*
 * Renting exactly the plan, and never losing a pod. The caller (cli/) decides the plan; what happens
 * here is one create per candidate in plan order, each journaled first, settled when its reply leaves
 * it open, compared with what was asked, waited for, verified by the caller's hook, and handed over or
 * terminated and proven gone.
 *
 * Nothing here knows topology; the hook `verify` does.
 */
#ifndef PODSKU_CLIENT_DEPLOY_H
#define PODSKU_CLIENT_DEPLOY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/api.h"
#include "client/gone.h"
#include "client/journal.h"

#define PODSKU_MAX_ATTEMPTS 3                    /* pods actually created: --max-attempts' default */
#define PODSKU_MAX_SENDS 3                       /* of one candidate whose replies are lost */
#define PODSKU_DEPLOY_TIMEOUT_MS INT64_C(900000) /* --timeout's default */
#define PODSKU_CLUSTER_PREMIUM_PERCENT 120       /* seen on cluster bills, of the pods' list price */

/*
 * One candidate of the plan. Everything is borrowed and must outlive the call (and the result). With
 * v1 the hooks and the result may show copies of entries: tell them apart by `tag`, not by address.
 */
struct podsku_plan_entry {
    const char *gpu_id; /* sent as it is */
    const char *name;   /* display name; NULL: gpu_id */
    const char *cloud;  /* "SECURE", "COMMUNITY" */
    int gpus;           /* per machine, at least 1 */
    int nodes;          /* more than 1: a cluster */
    int64_t price_uusd; /* expected, everything per hour; 0: unknown */
    bool estimated;     /* price_uusd holds the cluster premium's estimate */
    const char *stock;  /* as listed: "HIGH", ...; NULL: unknown */
    const void *tag;    /* the caller's */
};

/*
 * What to send. `fields` is an object in the shape of REST v2's CreatePodRequest without gpu, cpu,
 * cloud and dataCenterIds: name, image, templateId, disk, mounts, ports, env, args, registry,
 * startSsh, startJupyter, globalNetworking. The builder puts it into the words of v1 and of clusters.
 * `extra` (--body) is merged over it, already in the words of the API that is used; its env is merged
 * by name. The plan's own fields and the marks are set last, so nothing can replace them.
 */
struct podsku_create_spec {
    enum podsku_api api;             /* PODSKU_API_V2 or PODSKU_API_V1; clusters exist in v2 only */
    const json_t *fields;            /* NULL: none */
    const json_t *extra;             /* NULL: none */
    const char *const *data_centers; /* sent as dataCenterIds when there are any */
    size_t data_center_count;
    const char *min_cuda;     /* "12.8"; NULL: none */
    const char *cluster_type; /* "TRAINING", "SLURM", "RAY", "APPLICATION"; NULL: "TRAINING" */
};

struct podsku_create_marks {
    const char *launch_id; /* never NULL */
    int attempt;
    const char *intent; /* never NULL; "RANDOM" or such in a dry run */
    int64_t expires_s;  /* 0: no expiry */
};

/*
 * The body of one create, pure: what --dry-run shows is what a deploy sends. entries: one, or for v1 a
 * run of them with equal cloud and count (all in v1's id enum). *body is a new reference.
 * PODSKU_REQUEST for a field that this API or a cluster does not have (the hint says what does).
 */
enum podsku_code podsku_create_body(const struct podsku_create_spec *spec, const struct podsku_plan_entry *entries,
                                    size_t entry_count, const struct podsku_create_marks *marks, json_t **body,
                                    struct podsku_error *err) PODSKU_CHECKED;
/* A copy in which every env value but our marks' is "***". New reference; NULL: out of memory. */
json_t *podsku_create_body_masked(const json_t *body);
/* "/pods" or "/clusters". */
const char *podsku_create_path(const struct podsku_plan_entry *entry);

/* True if REST v1's create accepts this id (its enum lacks the slices and newer cards). */
bool podsku_v1_knows_gpu(const char *gpu_id);
/*
 * How many entries, from the first on, one create takes: 1 with v2; with v1 the run of equal clouds
 * and counts. Entries that v1 does not know must have been removed (podsku_deploy skips them itself).
 */
size_t podsku_create_run(enum podsku_api api, const struct podsku_plan_entry *entries, size_t count);

/* The random launch id of a deploy without --launch-id: 16 hex digits. */
enum podsku_code podsku_launch_id_new(char *text, size_t size, struct podsku_error *err) PODSKU_CHECKED;
/* 1 to 64 bytes of A-Z a-z 0-9 . _ - (it goes into env and names); PODSKU_USAGE otherwise. */
enum podsku_code podsku_launch_id_check(const char *launch_id, struct podsku_error *err) PODSKU_CHECKED;

struct podsku_deploy_options {
    const char *launch_id; /* never NULL: podsku_launch_id_new() or the user's */
    bool launch_id_given;  /* by the user: a live pod of it is adopted instead of renting a second one */
    struct podsku_create_spec spec;
    int64_t max_gpu_uusd;   /* per GPU-hour, 0: no cap (clusters: without the premium) */
    int64_t max_total_uusd; /* everything per hour, 0: no cap */
    int64_t max_spend_uusd; /* of this run, 0: none */
    int max_attempts;       /* 0: PODSKU_MAX_ATTEMPTS */
    int64_t timeout_ms;     /* wait and verify of one attempt; 0: PODSKU_DEPLOY_TIMEOUT_MS */
    int64_t settle_ms;      /* 0: PODSKU_SETTLE_TIMEOUT_MS */
    int64_t ttl_ms;         /* 0: none; becomes the mark PODSKU_EXPIRES */
    int64_t backoff_ms;     /* first wait after a 5xx or a failed connection; 0: 1000 (a seam for tests) */
    int64_t poll_ms;        /* longest pause between two reads while waiting; 0: 5000 (a seam for tests) */
    bool wait;              /* until RUNNING */
    bool need_ssh;          /* and until every pod has its ssh endpoint */
    bool verify;            /* then the hook; implies wait */
    bool keep;              /* never terminate */
};

/* What was rented: a pod, or a cluster with its members. Owned by the result. */
struct podsku_placed {
    struct podsku_pod pod;         /* id NULL: none (or a cluster) */
    struct podsku_cluster cluster; /* id NULL: none (or a pod) */
    struct podsku_pods members;    /* of the cluster, as last read, by rank */
    int64_t price_uusd;            /* billed, everything per hour; 0: unknown */
    int64_t created_mono_ms;
    int64_t expires_s;                     /* 0: none */
    const struct podsku_plan_entry *entry; /* NULL: an adopted pod that matches none */
    bool type_unknown; /* its create named several types, and nothing has said yet which it is: entry is the first */
};

enum podsku_attempt_outcome {
    PODSKU_ATTEMPT_PENDING, /* only while the deploy runs */
    PODSKU_ATTEMPT_PLACED,
    PODSKU_ATTEMPT_NO_CAPACITY,
    PODSKU_ATTEMPT_DENIED,
    PODSKU_ATTEMPT_REJECTED, /* the request is wrong, or the account (401, 402), the edge, a retired API */
    PODSKU_ATTEMPT_THROTTLED,
    PODSKU_ATTEMPT_SERVER_ERROR, /* 5xx, or no connection */
    PODSKU_ATTEMPT_LOST_REPLY,   /* settled: not found */
    PODSKU_ATTEMPT_ADOPTED,      /* found by settling, or a live pod of this launch id */
    PODSKU_ATTEMPT_MISMATCH,
    PODSKU_ATTEMPT_FAILED, /* ERROR, EXITED, TERMINATED or vanished */
    /* Timeout, unverified, spend, signal, unwritable result, late pod, run's end. Not proven gone: PLACED, ADOPTED. */
    PODSKU_ATTEMPT_TERMINATED,
    PODSKU_ATTEMPT_KEPT, /* --keep after a failure */
};
const char *podsku_attempt_outcome_name(enum podsku_attempt_outcome outcome); /* JSON's words */

/* One send (or one adoption). Owns its strings and its report. */
struct podsku_attempt {
    int attempt;
    char intent[40];
    const struct podsku_plan_entry
        *entry; /* of a run of several: the first, or the one that was placed; NULL: see above */
    char *gpu_id, *cloud;
    int gpus;
    enum podsku_attempt_outcome outcome;
    char *pod_id; /* pod or cluster; NULL: none is known */
    char **left;  /* the cluster is gone, and these pods of it may still run */
    size_t left_count;
    bool gone;         /* the pod is proven gone */
    bool type_unknown; /* its create named several types, and nothing has said yet which it is: gpu_id is the first */
    bool open;         /* a pod may exist that nobody has seen */
    int http_status;
    char *detail, *request_id; /* NULL: none */
    const char *listed_stock;  /* borrowed from the plan; NULL: unknown */
    json_t *report;            /* of the hook `verify`; NULL: none */
    int64_t spent_uusd;
};

/* JSON's "result". */
enum podsku_deploy_end {
    PODSKU_DEPLOY_VERIFIED,
    PODSKU_DEPLOY_RUNNING,
    PODSKU_DEPLOY_CREATED,
    PODSKU_DEPLOY_PLANNED, /* --dry-run: the caller's */
    PODSKU_DEPLOY_NO_CAPACITY,
    PODSKU_DEPLOY_DENIED,
    PODSKU_DEPLOY_MISMATCH,
    PODSKU_DEPLOY_UNVERIFIED,
    PODSKU_DEPLOY_TIMEOUT,
    PODSKU_DEPLOY_UNSETTLED,
    PODSKU_DEPLOY_INTERRUPTED,
    PODSKU_DEPLOY_FAILED,
};
const char *podsku_deploy_end_name(enum podsku_deploy_end end);

struct podsku_open_entry {
    char *launch_id;
    int attempt;
    char *intent;
    char *pod_id; /* a pod that could not be proven gone; NULL: none was seen */
};

struct podsku_plan_copy {
    struct podsku_plan_entry *entries;
};

struct podsku_deploy_result {
    char *launch_id;
    enum podsku_api api;
    enum podsku_deploy_end end;
    enum podsku_code code; /* PODSKU_OK when something is handed over (and, with `use`, gone again) */
    bool has_placed;       /* handed over, or kept by --keep, or adopted and left untouched */
    struct podsku_placed placed;
    /* Why the code is not PODSKU_OK, and what settles it. Also while `hand_over` is called: a document needs it. */
    struct podsku_error why;
    bool spend_ends; /* while `use` is called: its deadline is when --max-spend is reached, not the time to live */
    json_t *report;  /* borrowed from the placed attempt; NULL: hardware not looked at */
    struct podsku_attempt *attempts;
    size_t attempt_count;
    struct podsku_open_entry *open; /* of this launch, at the end */
    size_t open_count;
    int64_t spent_uusd;              /* up to now: rate x time of every pod of this run */
    struct podsku_plan_copy *copies; /* private: with v1, the plan without what it does not know */
    size_t copy_count;
};
void podsku_deploy_result_free(struct podsku_deploy_result *result);
/* "podsku.deploy/1"'s parts, new references; NULL: out of memory. */
json_t *podsku_deploy_attempts_json(const struct podsku_deploy_result *result);
json_t *podsku_deploy_open_json(const struct podsku_deploy_result *result);
json_t *podsku_deploy_pod_json(const struct podsku_deploy_result *result);     /* JSON null: no pod */
json_t *podsku_deploy_cluster_json(const struct podsku_deploy_result *result); /* JSON null: no cluster */

enum podsku_event_kind {
    PODSKU_EVENT_NOTE,     /* something worth a line */
    PODSKU_EVENT_WARNING,  /* must be said even with --quiet */
    PODSKU_EVENT_SKIPPED,  /* a candidate that v1 does not know */
    PODSKU_EVENT_SENDING,  /* about to create */
    PODSKU_EVENT_ANSWER,   /* it was not created: no capacity, denied, throttled, ... */
    PODSKU_EVENT_MADE,     /* the id is known: must be said even with --quiet */
    PODSKU_EVENT_ADOPTED,  /* the same, found by a list */
    PODSKU_EVENT_SETTLING, /* progress: elapsed_ms */
    PODSKU_EVENT_WAITING,  /* progress: state, elapsed_ms, spent_uusd */
    PODSKU_EVENT_STATE,    /* the pod's state changed while waiting */
    PODSKU_EVENT_PAUSE,    /* progress: waiting wait_ms before the next send */
    PODSKU_EVENT_TERMINATING,
    PODSKU_EVENT_GONE,     /* proven */
    PODSKU_EVENT_NOT_GONE, /* could not be proven: must be said even with --quiet */
    PODSKU_EVENT_KEPT,     /* --keep, or adopted and untouched: must be said even with --quiet */
    PODSKU_EVENT_LOG,      /* a last log line of a pod that failed */
    PODSKU_EVENT_OPEN,     /* an entry that stays open: must be said even with --quiet */
};

struct podsku_deploy_event {
    enum podsku_event_kind kind;
    const char *text;                      /* a whole sentence without attempt and candidate, control bytes removed */
    const struct podsku_plan_entry *entry; /* NULL: none */
    size_t entry_number, entry_count;      /* 1/5 of the plan; 0: none */
    int attempt;                           /* 0: none */
    const char *pod_id;                    /* pod or cluster; NULL: none */
    const struct podsku_placed *placed;    /* as far as known; NULL: none */
    const char *state;                     /* WAITING, STATE: the pod's status word, "ssh" for the endpoint */
    int64_t elapsed_ms;                    /* since the create (SETTLING: since it began; WAITING: of this wait) */
    int64_t wait_ms;
    int64_t spent_uusd; /* of the run so far */
    int http_status;
};

enum podsku_verify_answer {
    PODSKU_VERIFY_MATCH,
    PODSKU_VERIFY_MISMATCH,
    PODSKU_VERIFY_UNVERIFIED, /* no login, no banner, half an answer */
    PODSKU_VERIFY_TIMEOUT,    /* --timeout was reached */
};

struct podsku_deploy_hooks {
    void *ctx;                                                         /* for event, verify, hand_over, use and more */
    void (*event)(void *ctx, const struct podsku_deploy_event *event); /* NULL: silent */
    struct podsku_signals signals;
    /*
     * Looks at the hardware of what was placed, until deadline_mono_ms at the latest; it ends early
     * when a signal arrives. *report: new reference kept per attempt (podsku.verify/1) or NULL;
     * detail: one line on what was found. Needed with options.verify.
     */
    enum podsku_verify_answer (*verify)(void *ctx, const struct podsku_placed *placed, int64_t deadline_mono_ms,
                                        json_t **report, char *detail, size_t detail_size);
    /*
     * Writes and flushes the result to stdout. Anything but PODSKU_OK terminates the pod and becomes
     * the result's code. NULL: nothing is written (tests).
     */
    enum podsku_code (*hand_over)(void *ctx, const struct podsku_deploy_result *result, struct podsku_error *err);
    /*
     * `run`: called instead of hand_over when everything is ready; when it returns, the pod is
     * terminated and proven gone whatever happened (unless options.keep). Its code becomes the
     * result's, unless the pod could not be proven gone; its message says what ended the use. The
     * deadline is the pod's time to live or --max-spend (result->spend_ends), whichever comes first;
     * INT64_MAX: there is none.
     */
    enum podsku_code (*use)(void *ctx, const struct podsku_deploy_result *result, int64_t deadline_mono_ms,
                            struct podsku_error *err);
    /*
     * --wait-stock: called when every candidate was refused and nothing is placed. PODSKU_OK: *plan and
     * *count are a new plan, which like the first must outlive the result. NULL: there is no more.
     */
    enum podsku_code (*more)(void *ctx, const struct podsku_plan_entry **plan, size_t *count, struct podsku_error *err);
};

/*
 * Deploys. *result is always filled (free it), whatever the code; the code is result->code, and err
 * says why when it is not PODSKU_OK. The plan may not be empty. Holds the launch's lock throughout;
 * when another process deploys the same launch id, waits for it (at most timeout_ms, then
 * PODSKU_TIMEOUT).
 */
enum podsku_code podsku_deploy(struct podsku_client *client, struct podsku_journal *journal,
                               const struct podsku_deploy_options *options, const struct podsku_plan_entry *plan,
                               size_t plan_count, const struct podsku_deploy_hooks *hooks,
                               struct podsku_deploy_result *result, struct podsku_error *err) PODSKU_CHECKED;

#endif
