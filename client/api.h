/*
 * The service's objects and operations over the transport: pods, clusters, catalogue bytes, data
 * centers, ssh keys. Decoding only, no decisions. Ids are percent-encoded here. Whole lists only: a
 * list that says there is more is followed to its end or is an error (PODSKU_ANSWER), never short.
 */
#ifndef PODSKU_CLIENT_API_H
#define PODSKU_CLIENT_API_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client.h"

enum podsku_pod_status {
    PODSKU_POD_UNKNOWN, /* absent, or a word we do not know: see status_word */
    PODSKU_POD_PROVISIONING,
    PODSKU_POD_STARTING,
    PODSKU_POD_RUNNING,
    PODSKU_POD_EXITED,
    PODSKU_POD_ERROR,
    PODSKU_POD_TERMINATED,
};

/* Names of the env entries that mark what podsku creates. */
#define PODSKU_MARK_LAUNCH "PODSKU_LAUNCH_ID"
#define PODSKU_MARK_ATTEMPT "PODSKU_ATTEMPT"
#define PODSKU_MARK_INTENT "PODSKU_INTENT"
#define PODSKU_MARK_EXPIRES "PODSKU_EXPIRES"

/* The marks in a pod's env; strings NULL, numbers 0 when absent. */
struct podsku_marks {
    char *launch_id;
    int attempt;
    char *intent;
    int64_t expires_s; /* epoch seconds */
};

struct podsku_ssh {
    char *host, *username, *command; /* host NULL: no endpoint yet */
    int port;
};

/* A pod as the API tells it; absent: NULL, 0 or the _known flag. Owns its strings. */
struct podsku_pod {
    char *id; /* never NULL */
    char *name;
    enum podsku_pod_status status; /* v1: desiredStatus, which is what was asked for, not what is */
    char *status_word;
    char *gpu_id;
    int gpus;    /* 0: unknown */
    char *cloud; /* "SECURE", "COMMUNITY" or another word; NULL: unknown */
    char *data_center;
    char *cuda;
    int64_t cost_uusd;     /* per hour, when cost_known; v1: adjustedCostPerHr, which is billed, else costPerHr */
    bool cost_known;       /* false also for 0, which a stopped or a just created pod may show */
    int64_t created_ms;    /* 0: unknown */
    int volume_gb;         /* local volume, which costs while the pod is stopped, too; 0: none or unknown */
    struct podsku_ssh ssh; /* the direct endpoint */
    char *cluster_id;      /* NULL: standalone */
    int cluster_rank;      /* -1: unknown */
    char *cluster_ip;
    struct podsku_marks marks;
    /*
     * The answer shows the marks, or that there are none. False: env is absent, null, no object, or what
     * stands under the marks' names is no mark ("***"): nobody can say whose pod it is.
     */
    bool marks_known;
    bool env_empty; /* env is there, and {} */
};
void podsku_pod_clear(struct podsku_pod *pod); /* frees the members, zeroes the struct */

struct podsku_pods {
    struct podsku_pod *list;
    size_t count;
};
void podsku_pods_free(struct podsku_pods *pods);

struct podsku_cluster {
    char *id, *name, *type, *gpu_id, *data_center;
    int gpus_per_pod, pod_count; /* 0: unknown */
    int64_t created_ms;
};
void podsku_cluster_clear(struct podsku_cluster *cluster);
struct podsku_clusters {
    struct podsku_cluster *list;
    size_t count;
};
void podsku_clusters_free(struct podsku_clusters *clusters);

/*
 * Reads. PODSKU_OK, PODSKU_NOT_FOUND (404 of a named thing), PODSKU_AUTH, PODSKU_BALANCE,
 * PODSKU_DENIED, PODSKU_RETIRED, PODSKU_EDGE, PODSKU_SERVER, PODSKU_ANSWER or a transport error;
 * err->request_id and err->http_status are set where there was an answer.
 */
enum podsku_code podsku_api_list_pods(struct podsku_client *client, enum podsku_api api, bool cluster_pods,
                                      struct podsku_pods *pods, struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_api_get_pod(struct podsku_client *client, enum podsku_api api, const char *id,
                                    struct podsku_pod *pod, struct podsku_error *err) PODSKU_CHECKED;
/* 2xx is OK; 404 is PODSKU_NOT_FOUND. */
enum podsku_code podsku_api_delete_pod(struct podsku_client *client, enum podsku_api api, const char *id,
                                       struct podsku_error *err) PODSKU_CHECKED;
/*
 * action: "start", "stop", "restart", "terminate" (v1: its own routes). Sent once. PODSKU_NO_CAPACITY:
 * the stopped pod's machine has no free GPUs now.
 */
enum podsku_code podsku_api_pod_action(struct podsku_client *client, enum podsku_api api, const char *id,
                                       const char *action, struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_api_list_clusters(struct podsku_client *client, struct podsku_clusters *clusters,
                                          struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_api_get_cluster(struct podsku_client *client, const char *id, struct podsku_cluster *cluster,
                                        struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_api_cluster_pods(struct podsku_client *client, const char *id, struct podsku_pods *pods,
                                         struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_api_delete_cluster(struct podsku_client *client, const char *id,
                                           struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_api_ssh_keys(struct podsku_client *client, size_t *count,
                                     struct podsku_error *err) PODSKU_CHECKED;

/* Catalogue bytes as received, for catalog/ to decode and for recordings. path_out: the URL that was read. */
struct podsku_catalog_request {
    const char *product; /* "POD", "CLUSTER", "SERVERLESS" */
    const char *cloud;   /* "SECURE", "COMMUNITY" */
    int count;
    const char *min_cuda;  /* NULL: none */
    const char *countries; /* comma-separated; NULL: none */
    json_t **value;        /* if not NULL: takes what the bytes say, parsed, for podsku_catalog_load_parsed() */
};
enum podsku_code podsku_api_catalog(struct podsku_client *client, const struct podsku_catalog_request *request,
                                    struct podsku_buf *body, char *url, size_t url_size,
                                    struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_api_graphql_catalog(struct podsku_client *client, int count, struct podsku_buf *body, char *url,
                                            size_t url_size, struct podsku_error *err) PODSKU_CHECKED;

struct podsku_data_center {
    char *id, *name, *region; /* region: NULL unknown */
    char **compliance;
    size_t compliance_count;
};
struct podsku_data_centers {
    struct podsku_data_center *list;
    size_t count;
};
void podsku_data_centers_free(struct podsku_data_centers *centers);
enum podsku_code podsku_api_data_centers(struct podsku_client *client, struct podsku_data_centers *centers,
                                         struct podsku_error *err) PODSKU_CHECKED;

/* What an answer to a create means, and what to do on it: one row of API.md's table each. */
enum podsku_create_answer {
    PODSKU_CREATE_MADE,         /* 2xx with an id */
    PODSKU_CREATE_OPEN,         /* may have created: settle */
    PODSKU_CREATE_NO_CAPACITY,  /* next candidate */
    PODSKU_CREATE_UNRECOGNISED, /* 400 with nothing recognisable: next candidate; a request fault if all say the same */
    PODSKU_CREATE_DENIED,       /* 403 problem+json: next candidate */
    PODSKU_CREATE_CONFLICT,     /* 408, 409: settle, then the same candidate once */
    PODSKU_CREATE_THROTTLED,    /* 429: wait, then the same candidate */
    PODSKU_CREATE_SERVER,       /* 5xx: settle, then the same candidate, 3 sends at most */
    PODSKU_CREATE_NOT_SENT,     /* nothing happened: retry with backoff */
    PODSKU_CREATE_STOP,         /* stop: err says why (REQUEST, AUTH, BALANCE, EDGE, RETIRED) */
};

struct podsku_create_result {
    enum podsku_create_answer answer;
    int http_status;  /* 0: none */
    char detail[512]; /* the service's own words, control bytes removed */
    char request_id[96];
    char **errors; /* every line of errors[], those about missing properties first; owned */
    size_t error_count;
    int64_t wait_ms;               /* THROTTLED: how long; never 0 */
    struct podsku_pod pod;         /* MADE, pods: what the answer says */
    struct podsku_cluster cluster; /* MADE, clusters */
};
void podsku_create_result_clear(struct podsku_create_result *result);

/*
 * Sends one create, exactly once. body is taken as it is. Returns PODSKU_OK whatever the answer means;
 * with PODSKU_CREATE_STOP err is filled with the reason and the function returns that code.
 * PODSKU_INTERRUPTED cannot happen: a create in flight is waited for (bounded by the stall limits).
 */
enum podsku_code podsku_api_create_pod(struct podsku_client *client, enum podsku_api api, const json_t *body,
                                       struct podsku_create_result *result, struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code podsku_api_create_cluster(struct podsku_client *client, const json_t *body,
                                           struct podsku_create_result *result,
                                           struct podsku_error *err) PODSKU_CHECKED;

/* True when the service refused to act on a pod because it is a member of a cluster, which is managed as a whole. */
bool podsku_error_is_member(const struct podsku_error *err);

/*
 * Server-sent events of a pod's log (REST v2). line: borrowed texts, event_id and source "" when the
 * event has none; false ends the stream. last_event_id: resume after that event; NULL: the service's
 * last 100 lines first. A stream that is lost is resumed. PODSKU_OK: line ended it, or the service
 * did; PODSKU_TIMEOUT after timeout_ms (0: none), or what went wrong until then if there was no stream at the end.
 */
enum podsku_code podsku_api_pod_logs(struct podsku_client *client, const char *id, const char *last_event_id,
                                     bool (*line)(void *ctx, const char *event_id, const char *source,
                                                  const char *text),
                                     void *ctx, int64_t timeout_ms, struct podsku_error *err) PODSKU_CHECKED;

#endif
