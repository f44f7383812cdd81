/*
 * Ending pods and proving that they are gone. "Gone" is: DELETE answered 2xx and then GET says 404 or
 * TERMINATED; or GET says 404 and the pod is absent from the list for a whole settle timeout since the
 * create (or since it was last seen). A DELETE's 404 before that is repeated. Members that outlive their
 * cluster (it says 404, they are listed) are ended one by one.
 */
#ifndef PODSKU_CLIENT_GONE_H
#define PODSKU_CLIENT_GONE_H

#include "client/api.h"

#define PODSKU_SETTLE_TIMEOUT_MS 30000 /* --settle-timeout's default */

/* How a wait sees signals. All may be NULL. */
struct podsku_signals {
    /* SIGINT, SIGTERM, SIGHUP received so far. */
    int (*count)(void *ctx);
    /*
     * `seen` signals are being acted on: the client's `interrupted` hook must return false again until
     * there are more, since what follows (settling, terminating) needs the network.
     */
    void (*acknowledge)(void *ctx, int seen);
    void *ctx;
};

struct podsku_gone_request {
    enum podsku_api api;
    const char *id;          /* pod; or cluster: then all its members, too */
    bool cluster;            /* v2 only */
    const char *intent;      /* cluster: members are found by it, too; NULL: by the cluster's id alone */
    int64_t settle_ms;       /* 0: PODSKU_SETTLE_TIMEOUT_MS */
    int64_t created_mono_ms; /* monotonic time of the create; 0: unknown, counts from now */
    int64_t absent_mono_ms;  /* since when GET says 404 and no list shows it, without a break; 0: from now */
    const struct podsku_signals *signals; /* a signal beyond those already counted stops the waiting; NULL: none does */
    /* Progress: "DELETE answered 500, again" and such; NULL: silent. */
    void (*say)(void *ctx, const char *text);
    void *say_ctx;
    /* Not gone: called for each pod that outlived its cluster, and may still run. NULL: nobody asks. */
    void (*left)(void *ctx, const char *pod_id);
    void *left_ctx;
};

struct podsku_gone_result {
    bool gone;        /* proven */
    bool never_there; /* every DELETE and GET said 404 (for `pods terminate`: no such pod) */
    bool unsettled;   /* not gone, and a DELETE that was sent may be at work: nobody knows what still runs */
    char how[512];    /* one sentence: what proved it, or what is missing and why (an error's message, too) */
};

/*
 * Deletes and proves. PODSKU_OK whether or not it could be proven (result->gone says); an error only
 * for what made further tries senseless: PODSKU_AUTH, PODSKU_DENIED, PODSKU_RETIRED, PODSKU_EDGE,
 * PODSKU_BALANCE, PODSKU_REQUEST (podsku_error_is_member()), PODSKU_INTERRUPTED (a signal), PODSKU_NO_MEMORY.
 */
enum podsku_code podsku_prove_gone(struct podsku_client *client, const struct podsku_gone_request *request,
                                   struct podsku_gone_result *result, struct podsku_error *err) PODSKU_CHECKED;

#endif
