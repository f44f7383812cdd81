/*
 * A stateful stand-in for the parts of the service that a deploy touches: pods and clusters of REST v2,
 * pods of REST v1. It acts on requests, and lies about them as it is told: replies get lost after (or
 * before) the act, new pods stay hidden from lists and reads, deleted ones linger. It keeps what the
 * invariants need: every create it saw, and what became of every pod.
 *
 * Its time is virtual: a clock whose sleeps only add to an offset, which client and service share (also
 * across processes), so that a settle timeout of 30 s takes no time.
 */
#ifndef TESTS_SWEEP_FAKE_RUNPOD_H
#define TESTS_SWEEP_FAKE_RUNPOD_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "tests/support/https_server.h"

#define FAKE_KEY "rpa_FAKEKEYFAKEKEYFAKEKEY"

/* Virtual time: real time plus what was slept. May live in shared memory. */
struct fake_time {
    _Atomic int64_t slept_ms;
};
struct podsku_clock fake_clock(struct fake_time *time);
int64_t fake_now(struct fake_time *time); /* monotonic, ms */

enum fake_kind { FAKE_CREATE, FAKE_LIST, FAKE_GET, FAKE_DELETE, FAKE_OTHER };

struct fake_pod {
    char id[32], name[128], gpu_id[96], cloud[16], data_center[32], cuda[16];
    int gpus;
    double cost;         /* 0: null in JSON */
    char cluster_id[32]; /* empty: standalone */
    int rank;
    json_t *env;
    int64_t created_wall_ms;
    int64_t visible_ms;  /* in lists and by id from then on */
    int64_t running_ms;  /* PROVISIONING before */
    int64_t ssh_ms;      /* the endpoint is there from then on; 0: never */
    const char *ends_as; /* "ERROR": instead of RUNNING; NULL: RUNNING */
    bool foreign;        /* not made by a create of this test */
    bool v1;
    int64_t deleted_ms;        /* 0: alive */
    int64_t lingers_ms;        /* deleted, and still listed as `lingers_as` until then */
    const char *lingers_as;    /* "RUNNING", "TERMINATED" */
    int64_t unlisted_until_ms; /* in no list of pods before; its cluster is listed */
    bool only_in_cluster;      /* a member that its cluster lists, and no list of pods */
    bool orphaned;             /* its cluster is gone, and it lives: only its own DELETE ends it */
};

/* What happens to one request instead of the usual. */
struct fake_fault {
    enum fake_kind kind;
    int nth;          /* the n-th request of this kind, from 1; 0: every one */
    int last;         /* up to this one; 0: only the n-th (or every one) */
    bool act;         /* it is acted on all the same */
    int status;       /* answer; 0: as usual */
    const char *body; /* with status; NULL: {} */
    const char *headers;
    enum https_fault transport; /* of the answer */
    int64_t hide_ms;            /* CREATE: the new pod is hidden for so long; DELETE: it lingers for so long */
    const char *lingers_as;     /* DELETE; NULL: TERMINATED */
    int twice;        /* CREATE: so many more pods are made of it; LIST: every pod is listed so many more times */
    int64_t delay_ms; /* so much virtual time passes before the answer */
};

struct fake_create {
    char intent[64], launch[80];
    char gpu_id[96];
    int count; /* how often this intent was sent */
    int status;
};

struct fake {
    struct https_server *server;
    struct fake_time *time;
    pthread_mutex_t lock; /* everything below */
    struct fake_pod pods[64];
    size_t pod_count;
    struct fake_create creates[64];
    size_t create_count;
    struct fake_fault faults[32];
    size_t fault_count;
    int seen[FAKE_OTHER + 1];
    /* Types that are refused, as GPU id, status, body. */
    struct {
        const char *gpu_id;
        int status;
        const char *body;
    } refused[16];
    size_t refused_count;
    /* Called with every pod that a create made, before it is seen by anybody. */
    void (*shape)(void *ctx, struct fake_pod *pod);
    /* Asked for every request without a fault of the list; true: *fault holds. */
    bool (*choose)(void *ctx, enum fake_kind kind, struct fake_fault *fault);
    /* Told of every request before (after = false) and after it was acted on, still before the answer. */
    void (*watch)(void *ctx, enum fake_kind kind, bool after);
    /* What is no act on pods, such as a catalogue: the body, freed by the caller, or NULL (404). NULL: none is. */
    char *(*other)(void *ctx, const struct https_request *request, const char **content_type);
    void *ctx;
    int64_t starts_ms; /* from create to RUNNING */
    double price;      /* per GPU-hour of a created pod, when the shape says nothing else */
    bool reject_unknown_fields;
    bool no_cluster_list; /* the list of clusters answers 500 */
    bool leaves_members;  /* a cluster's DELETE ends the cluster, and none of its members */
    int next_id;
};

/* http on loopback. False when it cannot be started. */
bool fake_start(struct fake *fake, struct fake_time *time);
void fake_stop(struct fake *fake);
void fake_fault(struct fake *fake, struct fake_fault fault);
void fake_refuse(struct fake *fake, const char *gpu_id, int status, const char *body);
/* A pod that was there before; marks NULL: none. Borrowed until fake_stop. */
struct fake_pod *fake_add(struct fake *fake, const char *gpu_id, int gpus, const char *launch, const char *intent);
/* Pods that live and carry this launch (NULL: any mark); foreign ones never count. */
size_t fake_alive(struct fake *fake, const char *launch);
size_t fake_alive_foreign(struct fake *fake);
/* Like https_server_count, by kind. */
int fake_seen(struct fake *fake, enum fake_kind kind);

#define FAKE_NO_CAPACITY                                                                                               \
    "{\"detail\":\"There are no longer any instances available with the requested specifications. Please refresh and " \
    "try again.\",\"status\":400,\"title\":\"Bad Request\"}"

#endif
