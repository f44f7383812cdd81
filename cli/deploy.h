/*
 * What `deploy` and `run` share: from flags to a plan and a request, and everything that is said while
 * the engine of client/deploy.h works. The engine rents; nothing here sends a create.
 */
#ifndef PODSKU_CLI_DEPLOY_H
#define PODSKU_CLI_DEPLOY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "cli/ssh.h"
#include "client/deploy.h"
#include "rules/rules.h"

/* One reading of the catalogue and the plan made of it. --wait-stock makes several, and all stay. */
struct cli_round {
    struct podsku_catalog *catalog;
    struct podsku_decision decision;
    struct podsku_plan_entry *entries; /* tag: the offer */
    size_t entry_count;
    const struct podsku_offer **left_out; /* beyond the price window */
    size_t left_out_count;
    struct cli_round *older;
};

/* What the terminal shows of the attempt at hand. */
struct cli_deploy_talk {
    char line[256];       /* "    +0:41 STARTING   +2:10 RUNNING" */
    int64_t said_mono_ms; /* when a plain progress line was said last */
    int64_t said_spent_uusd;
};

struct cli_deploy {
    struct cli *cli;
    bool is_run, dry_run;
    bool send_ssh; /* startSsh and 22/tcp are sent */
    bool via_logs, strict;
    struct podsku_requirement req;
    bool volume_fixes_place; /* the network volume's data center is in req.data_centers */
    const struct podsku_facts_set *facts;
    struct podsku_client *client;
    struct podsku_journal *journal;
    struct cli_round *round;   /* the latest */
    int64_t window_millionths; /* times the first one's price; 0: no window */
    json_t *fields, *extra;    /* see struct podsku_create_spec */
    char launch_id[65];
    char min_cuda[24];
    struct podsku_deploy_options options;
    struct cli_ssh ssh;
    bool keys_read;
    size_t key_count;
    int64_t stock_wait_ms, stock_deadline_ms; /* --wait-stock; 0: not asked */
    int64_t interval_ms;                      /* between two readings while it waits */
    struct cli_deploy_talk talk;
    bool handed_over;
};

/*
 * From the command line to a plan: every check that can be made before anything is sent. PODSKU_NO_OFFER
 * when nothing satisfies the requirement. Free with cli_deploy_free(), whatever the code.
 */
enum podsku_code cli_deploy_prepare(struct cli_deploy *deploy, struct cli *cli, bool is_run) PODSKU_CHECKED;
void cli_deploy_free(struct cli_deploy *deploy);

/* Says the launch, the caps and the plan; reads the registered ssh keys where a login is needed. */
enum podsku_code cli_deploy_check_keys(struct cli_deploy *deploy) PODSKU_CHECKED;
void cli_deploy_say_plan(const struct cli_deploy *deploy);

/* Why nothing satisfies the requirement: the nearest miss, what to relax. */
void cli_deploy_say_no_offer(const struct cli_deploy *deploy);

/* Parts of prepare; each fills cli->err. */
enum podsku_code cli_deploy_env(struct cli_deploy *deploy, json_t *env) PODSKU_CHECKED;      /* deploy_env.c */
enum podsku_code cli_deploy_fields(struct cli_deploy *deploy) PODSKU_CHECKED;                /* deploy_fields.c */
enum podsku_code cli_deploy_extra(struct cli_deploy *deploy) PODSKU_CHECKED;                 /* deploy_extra.c */
enum podsku_code cli_deploy_options(struct cli_deploy *deploy) PODSKU_CHECKED;               /* deploy_options.c */
enum podsku_code cli_deploy_place(struct cli_deploy *deploy) PODSKU_CHECKED;                 /* deploy_place.c */
enum podsku_code cli_round_new(struct cli_deploy *deploy, bool may_be_empty) PODSKU_CHECKED; /* deploy_plan.c */
void cli_rounds_free(struct cli_round *round);
void cli_deploy_warn_image(const struct cli_deploy *deploy); /* deploy_image.c */

/* The value of a field that will be sent: the body file's, else the flags'. Borrowed; NULL: none. */
const json_t *cli_deploy_field(const struct cli_deploy *deploy, const char *name, const char *v1_name);

/* "cuda12.4.1-devel" and such in an image's name and tag; false when no CUDA version is named there. */
bool cli_image_cuda(const char *image, int *major, int *minor);

/* The hooks (deploy_events.c, deploy_stock.c); ctx is the struct cli_deploy. */
void cli_deploy_event(void *ctx, const struct podsku_deploy_event *event);
enum podsku_code cli_deploy_more(void *ctx, const struct podsku_plan_entry **plan, size_t *count,
                                 struct podsku_error *err);
/* --wait-stock when nothing is in stock to begin with: waits for the first plan. */
enum podsku_code cli_deploy_first_plan(struct cli_deploy *deploy) PODSKU_CHECKED;
enum podsku_verify_answer cli_deploy_verify(void *ctx, const struct podsku_placed *placed, int64_t deadline_mono_ms,
                                            json_t **report, char *detail, size_t detail_size);
enum podsku_code cli_deploy_hand_over(void *ctx, const struct podsku_deploy_result *result, struct podsku_error *err);

/* Views (deploy_view.c). result NULL: nothing was sent, `end` says why. New reference, NULL without memory. */
json_t *cli_deploy_json(const struct cli_deploy *deploy, const struct podsku_deploy_result *result,
                        enum podsku_deploy_end end);
/* How a deploy that sent nothing ended. */
enum podsku_deploy_end cli_deploy_end_of(enum podsku_code code);
/* The line of what was handed over, and the talk after it. */
void cli_deploy_line(const struct cli_deploy *deploy, const struct podsku_deploy_result *result,
                     struct podsku_buf *out);
/* --dry-run: [{"method","url","body"}] of every create that the plan could lead to. */
enum podsku_code cli_deploy_requests(struct cli_deploy *deploy, json_t **requests) PODSKU_CHECKED;
/* The document or the text of a dry run to standard output. */
enum podsku_code cli_deploy_dry_run(struct cli_deploy *deploy) PODSKU_CHECKED;

/* Opens the journal and rents. *result is always filled; free it. */
enum podsku_code cli_deploy_rent(struct cli_deploy *deploy, const struct podsku_deploy_hooks *hooks,
                                 struct podsku_deploy_result *result) PODSKU_CHECKED;

/*
 * The choice that asking for more than 8 GPUs on NVLink leaves: said beside the contradiction.
 */
void cli_say_cluster_choice(const struct cli *cli, const struct podsku_requirement *req);

#endif
