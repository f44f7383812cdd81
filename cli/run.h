/*
 * `run`: what happens between "the pod is there" and "the pod is gone".
 */
#ifndef PODSKU_CLI_RUN_H
#define PODSKU_CLI_RUN_H

#include "cli/deploy.h"
#include "cli/remote.h"

#define CLI_RUN_FAILED 125 /* podsku itself failed; CMD's own codes pass through */

/*
 * A command line that is no `run` (cli->err says why): the report, if argv names one, and what podsku's own
 * failure is. Returns the exit status.
 */
int cli_run_refused(struct cli *cli, int argc, char **argv);

struct cli_run {
    struct cli_deploy deploy; /* first: the hooks get it as their ctx */
    const char *report;       /* --report; NULL: none */
    const char *const *command;
    size_t command_count;
    bool spend_ends; /* what ends the use, if anything: --max-spend, not --ttl */
    bool started;    /* CMD was started, as far as this side can tell */
    bool ended;      /* CMD ran to its end: exit_status is its own */
    int exit_status;
    bool lost;       /* the connection went while CMD ran */
    bool lost_early; /* or before it had begun */
    char token[33];  /* of the files that this run leaves in the pod's home */
};

/* The engine's hook `use`: logs in, copies in, runs CMD, copies out. */
enum podsku_code cli_run_use(void *ctx, const struct podsku_deploy_result *result, int64_t deadline_mono_ms,
                             struct podsku_error *err);

/*
 * Parts of it. The folder on the pod that --copy-in fills and CMD starts in; "" (the login's home)
 * without --copy-in. Relative to the home. Borrowed static text.
 */
const char *cli_run_folder(const struct cli_run *run);
/* The pod that CMD runs on: the only one, or rank 0. */
const struct podsku_pod *cli_run_pod(const struct podsku_deploy_result *result);
enum podsku_code cli_run_copy_in(struct cli_run *run, const struct podsku_pod *pod, bool rsync,
                                 int64_t deadline_mono_ms, struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code cli_run_copy_out(struct cli_run *run, const struct podsku_pod *pod, bool rsync,
                                  int64_t deadline_mono_ms, struct podsku_error *err) PODSKU_CHECKED;

/* --ttl or --max-spend was reached `when` ("while ..."): sets err and returns its code. */
enum podsku_code cli_run_over(const struct cli_run *run, const char *when, struct podsku_error *err);

/* The wrapper that runs CMD on the pod and leaves its exit status in a file there. */
void cli_run_script(const struct cli_run *run, struct podsku_buf *out);
/* "export K='V'" lines of the environment that was asked for. */
void cli_run_environment(const struct cli_run *run, struct podsku_buf *out);

#endif
