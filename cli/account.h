/*
 * What is in the account, as rows and documents: pods and clusters with age, rate and cost so far.
 */
#ifndef PODSKU_CLI_ACCOUNT_H
#define PODSKU_CLI_ACCOUNT_H

#include <jansson.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/ssh.h"
#include "client/api.h"

/* Runpod's list price of a stopped pod's local volume, USD per GB and month (docs.runpod.io/pods/storage, 2026-08). */
#define CLI_STOPPED_DISK_UUSD_GB_MONTH INT64_C(200000)

/* "podsku.pods/1" of these pods; new reference, NULL without memory. */
json_t *cli_pods_json(const struct podsku_pods *pods, int64_t now_ms);
/*
 * "podsku.clusters/1". pods: what is known of their members, for the expiry; with `members` they are those of
 * clusters->list[0], and shown.
 */
json_t *cli_clusters_json(const struct podsku_clusters *clusters, const struct podsku_pods *pods, bool members,
                          int64_t now_ms);
/* A cluster has no marks of its own: the earliest expiry of its members that are ours; 0: none. pods may be NULL. */
int64_t cli_cluster_expires_s(const struct podsku_cluster *cluster, const struct podsku_pods *pods);

enum podsku_code cli_pods_table(struct cli *cli, const struct podsku_pods *pods, int64_t now_ms,
                                struct podsku_buf *out) PODSKU_CHECKED;
/* One pod, a fact a line. */
void cli_pod_page(const struct podsku_pod *pod, int64_t now_ms, struct podsku_buf *out);

/* Rate x age while it runs: what it has cost at most; 0: unknown (stopped, no rate, no age). */
int64_t cli_pod_spent_uusd(const struct podsku_pod *pod, int64_t now_ms);

/* "3d 4h", "2h 10m", "5m", "40s"; "-" when unknown. Returns text. */
#define CLI_AGE_SIZE 24
const char *cli_age_text(int64_t created_ms, int64_t now_ms, char text[CLI_AGE_SIZE]);

/* --api; PODSKU_USAGE for v1 without its URL. */
enum podsku_code cli_api(struct cli *cli, enum podsku_api *api) PODSKU_CHECKED;

/* The journal learns that this pod or cluster is gone, if it knows of it. Failures are said only. */
void cli_journal_gone(struct cli *cli, const struct podsku_client *client, const char *id);

#endif
