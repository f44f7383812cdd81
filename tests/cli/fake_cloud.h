/*
 * A stateful stand-in for the service in real time, as the program's own tests need it: catalogue, data
 * centers, registered keys, volumes, pods, clusters, logs. It does what it is told per GPU type.
 */
#ifndef TESTS_CLI_FAKE_CLOUD_H
#define TESTS_CLI_FAKE_CLOUD_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "tests/support/https_server.h"

#define CLOUD_A100 "NVIDIA A100-SXM4-80GB"
#define CLOUD_H100 "NVIDIA H100 80GB HBM3"
#define CLOUD_H200 "NVIDIA H200"
#define CLOUD_B200 "NVIDIA B200"
#define CLOUD_A5000 "NVIDIA RTX A5000"

/* A GPU type: how it is listed, and what a create of it brings. */
struct cloud_type {
    const char *id, *name;
    double price;         /* listed, per GPU-hour */
    const char *stock;    /* "HIGH", "NONE", ... */
    int memory;           /* GB */
    double billed;        /* per GPU-hour of its pods; 0: as listed */
    const char *delivers; /* another id that is placed instead; NULL: itself */
    int refusals;         /* so many creates are refused; -1: all */
    int refusal_status;   /* 0: 400 with the words for no capacity */
    int lost;             /* so many creates are acted on, and then answered 502 */
    int starts_ms;        /* from create to RUNNING */
    const char *ends_as;  /* "ERROR": instead of RUNNING */
    int ssh_port;         /* 0: pods of it get no ssh endpoint */
    const char *log;      /* lines of its pods' log, each ended by \n; NULL: none */
};

struct cloud_pod {
    char id[24], name[128], image[128];
    const struct cloud_type *type; /* what it is */
    int gpus;
    char cloud[16];
    char cluster_id[24];
    int rank, volume_gb;
    json_t *env;
    bool ssh;
    int64_t created_ms;
    const char *status; /* NULL: by its age */
    bool deleted;
};

struct cloud {
    struct https_server *server;
    pthread_mutex_t lock; /* everything below */
    struct cloud_type types[8];
    int type_count;
    struct cloud_pod pods[64];
    int pod_count;
    int keys;                    /* registered ssh keys */
    bool no_balance;             /* creates answer 402 */
    const char *catalog_headers; /* more header lines of catalogue reads; NULL: none */
    int catalog_failures;        /* so many catalogue reads answer 503 */
    int lists_end_at;            /* from this create on, lists of pods answer 500; 0: never */
    bool deaf;                   /* stop, start and DELETE are confirmed, and not obeyed */
    int log_status;              /* logs are answered so; 0: as their type says; -1: they never are */
    int next_id;
    /* What was seen. */
    int creates, catalog_reads, key_reads, lists;
    int acts;             /* stop, start and DELETE */
    char last_body[8192]; /* of the latest create */
};

/* A100 SXM 1.59, H100 SXM 3.29, H200 SXM 4.59, B200 6.79 and RTX A5000 0.27, all in stock. */
bool cloud_start(struct cloud *cloud);
void cloud_stop(struct cloud *cloud);
const char *cloud_url(struct cloud *cloud, char *text, size_t size); /* ".../v2" */

struct cloud_type *cloud_type(struct cloud *cloud, const char *id);
/* Pods that live; `ours`: only with a mark. */
int cloud_alive(struct cloud *cloud, bool ours);
/* The time of every pod with an expiry mark is over. */
void cloud_expire(struct cloud *cloud);
/* A pod that somebody else made. Returns its id. */
const char *cloud_add_foreign(struct cloud *cloud, const char *gpu_id);

#endif
