#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/signals.h"

#define TRIES 3         /* to get CMD started */
#define WAITS "waits"   /* what the pod says while CMD has not begun */
#define STATUS_MS 30000 /* to ask for the exit status after a lost connection */

static bool stopped(void *ctx)
{
    (void)ctx;
    return cli_signals_stop();
}

const struct podsku_pod *cli_run_pod(const struct podsku_deploy_result *result)
{
    const struct podsku_placed *placed = &result->placed;

    if (!placed->cluster.id)
        return &placed->pod;
    for (size_t i = 0; i < placed->members.count; i++) {
        if (placed->members.list[i].cluster_rank == 0)
            return &placed->members.list[i];
    }
    return placed->members.count ? &placed->members.list[0] : NULL;
}

static struct cli_remote remote_of(const struct cli_run *run)
{
    return (struct cli_remote){.cli = run->deploy.cli, .client = run->deploy.client, .ssh = run->deploy.ssh};
}

enum podsku_code cli_run_over(const struct cli_run *run, const char *when, struct podsku_error *err)
{
    if (run->spend_ends)
        return podsku_error_set(err, PODSKU_NO_CAPACITY, "--max-spend was reached %s", when);
    return podsku_error_set(err, PODSKU_TIMEOUT, "--ttl was reached %s", when);
}

/* Logs in, leaves the environment there, and learns whether rsync is there. */
static enum podsku_code greet(struct cli_run *run, const struct podsku_pod *pod, int64_t deadline_mono_ms, bool *rsync,
                              struct podsku_error *err)
{
    const struct cli_remote remote = remote_of(run);
    struct podsku_buf command = {0};
    struct podsku_buf environment = {0};
    struct podsku_buf answer = {0};
    int status = 0;
    enum podsku_code code = PODSKU_OK;

    /* The marker is put together over there, so that no shell's echo of the command is taken for it. */
    podsku_buf_printf(&command,
                      "sh -c 'umask 077; cat >\".podsku-%s\" || exit 1; m=%s; "
                      "if command -v rsync >/dev/null 2>&1; then r=rsync; else r=scp; fi; printf \"\\n%%s-%%s\\n\" "
                      "\"$m\" \"$r\"'",
                      run->token, run->token);
    cli_run_environment(run, &environment);
    if (environment.len == 0)
        podsku_buf_putc(&environment, '\n');
    if (podsku_buf_failed(&command) || podsku_buf_failed(&environment))
        code = podsku_error_no_memory(err);
    if (!code)
        code = cli_remote_ask(&remote, pod, podsku_buf_text(&command), &environment, deadline_mono_ms, &answer, &status,
                              err);
    if (!code) {
        char marker[64];
        (void)snprintf(marker, sizeof marker, "%s-rsync", run->token);
        *rsync = strstr(podsku_buf_text(&answer), marker) && cli_child_has("rsync");
        if (status != 0)
            code = podsku_error_set(err, PODSKU_UNVERIFIED,
                                    "logged in, but the home there cannot be written to (status %d)", status);
    }
    podsku_buf_free(&answer);
    podsku_buf_free(&environment);
    podsku_buf_free(&command);
    return code;
}

/* After ssh's 255: did CMD end (it may have said 255 itself), or was the connection lost? */
static enum podsku_code ask_status(struct cli_run *run, const struct podsku_pod *pod, int64_t deadline_mono_ms,
                                   struct podsku_error *err)
{
    const struct cli_remote remote = remote_of(run);
    const struct podsku_clock *clock = podsku_client_clock(run->deploy.client);
    struct podsku_buf command = {0};
    struct podsku_buf answer = {0};
    struct podsku_error why = {0};
    int64_t until_ms = podsku_clock_mono_ms(clock) + STATUS_MS;
    char marker[64];
    const char *at;
    int status;
    enum podsku_code code;

    podsku_buf_printf(&command,
                      "sh -c 'm=%s; printf \"\\n%%s=\" \"$m\"; "
                      "if [ -e \".podsku-%s\" ]; then echo " WAITS "; else cat \".podsku-%s-status\" 2>/dev/null; fi'",
                      run->token, run->token, run->token);
    if (podsku_buf_failed(&command)) {
        podsku_buf_free(&command);
        return podsku_error_no_memory(err);
    }
    code = cli_remote_ask(&remote, pod, podsku_buf_text(&command), NULL,
                          until_ms < deadline_mono_ms ? until_ms : deadline_mono_ms, &answer, &status, &why);
    (void)snprintf(marker, sizeof marker, "%s=", run->token);
    at = code ? NULL : strstr(podsku_buf_text(&answer), marker);
    at = at ? at + strlen(marker) : "";
    if (code == PODSKU_INTERRUPTED || code == PODSKU_NO_MEMORY) {
        *err = why;
    } else if (*at >= '0' && *at <= '9') {
        run->ended = true;
        run->exit_status = (int)strtol(at, NULL, 10) & 0xff;
        code = PODSKU_OK;
    } else if (strncmp(at, WAITS, strlen(WAITS)) == 0) {
        run->started = false;
        run->lost_early = true;
        code = podsku_error_set(err, PODSKU_NETWORK, "the connection to the pod was lost before it began");
    } else {
        run->lost = true;
        podsku_error_hint(err, "what the command was doing is not known; the pod is terminated");
        code = podsku_error_set(err, PODSKU_NETWORK, "the connection to the pod was lost while the command ran");
    }
    podsku_buf_free(&answer);
    podsku_buf_free(&command);
    return code;
}

static enum podsku_code run_command(struct cli_run *run, const struct podsku_pod *pod, int64_t deadline_mono_ms,
                                    struct podsku_error *err)
{
    bool tty = isatty(STDIN_FILENO) == 1;
    struct podsku_buf script = {0};
    struct cli_argv argv = {0};
    struct cli_child_result child;
    struct cli_child_request request = {
        .inherit_input = true,
        .inherit_output = true,
        .deadline_mono_ms = deadline_mono_ms == INT64_MAX ? 0 : deadline_mono_ms,
        .clock = podsku_client_clock(run->deploy.client),
        .stop = stopped,
    };
    enum podsku_code code;

    cli_run_script(run, &script);
    if (podsku_buf_failed(&script))
        code = podsku_error_no_memory(err);
    else
        code = cli_ssh_command(&run->deploy.ssh, &pod->ssh, pod->id, tty ? CLI_SSH_RUN_TTY : CLI_SSH_RUN,
                               podsku_buf_text(&script), &argv, err);
    podsku_buf_free(&script);
    if (code)
        return code;
    request.argv = (const char *const *)argv.list;
    cli_progress_end(run->deploy.cli);
    code = cli_child_run(&request, &child, err);
    cli_argv_free(&argv);
    if (code)
        return code;
    run->started = child.end != CLI_CHILD_NOT_STARTED;
    if (child.end == CLI_CHILD_INTERRUPTED)
        code = podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted while the command ran");
    else if (child.end == CLI_CHILD_TIMED_OUT)
        code = cli_run_over(run, "while the command ran", err);
    else if (child.end == CLI_CHILD_NOT_STARTED)
        code = podsku_error_set(err, PODSKU_NETWORK, "ssh cannot be started here: %s", strerror(child.status));
    else if (child.end != CLI_CHILD_EXITED || child.status == CLI_SSH_FAILED)
        code = cli_signals_stop() ? podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted while the command ran")
                                  : ask_status(run, pod, deadline_mono_ms, err);
    else {
        run->ended = true;
        run->exit_status = child.status;
    }
    cli_child_free(&child);
    return code;
}

/* Whether standard input still has all that a second try would give to CMD; `before`: where it stood. */
static bool input_is_whole(off_t before)
{
    struct stat info;

    if (fstat(STDIN_FILENO, &info) != 0)
        return errno == EBADF;
    return S_ISCHR(info.st_mode) || (S_ISREG(info.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == before);
}

/* A connection that breaks before CMD has begun did no harm: it is tried again. */
static enum podsku_code start_command(struct cli_run *run, const struct podsku_pod *pod, int64_t deadline_mono_ms,
                                      struct podsku_error *err)
{
    off_t before = lseek(STDIN_FILENO, 0, SEEK_CUR);

    for (int tries = 1;; tries++) {
        enum podsku_code code = run_command(run, pod, deadline_mono_ms, err);
        if (code != PODSKU_NETWORK || !run->lost_early || tries == TRIES || !input_is_whole(before))
            return code;
        cli_say(run->deploy.cli, "%s; trying again", err->message);
        podsku_error_clear(err);
        run->lost_early = false;
    }
}

enum podsku_code cli_run_use(void *ctx, const struct podsku_deploy_result *result, int64_t deadline_mono_ms,
                             struct podsku_error *err)
{
    struct cli_run *run = ctx;
    struct cli_deploy *deploy = &run->deploy;
    const struct podsku_pod *pod = cli_run_pod(result);
    const struct podsku_clock *clock = podsku_client_clock(deploy->client);
    int64_t login_ms = deploy->options.timeout_ms ? deploy->options.timeout_ms : PODSKU_DEPLOY_TIMEOUT_MS;
    int64_t login_deadline = podsku_clock_mono_ms(clock) + login_ms;
    bool rsync = false;
    enum podsku_code code;

    if (!pod)
        return podsku_error_set(err, PODSKU_ANSWER, "the cluster has no members to run on");
    run->spend_ends = result->spend_ends;
    if (deploy->talk.line[0])
        cli_progress_end(deploy->cli);
    deploy->talk.line[0] = '\0';
    if (login_deadline > deadline_mono_ms)
        login_deadline = deadline_mono_ms;
    code = podsku_random_hex(16, run->token, sizeof run->token, err);
    if (!code)
        code = greet(run, pod, login_deadline, &rsync, err);
    if (code == PODSKU_UNVERIFIED && podsku_clock_mono_ms(clock) >= deadline_mono_ms) {
        podsku_error_clear(err);
        code = cli_run_over(run, "before anybody could log in", err);
    }
    if (!code)
        code = cli_run_copy_in(run, pod, rsync, deadline_mono_ms == INT64_MAX ? 0 : deadline_mono_ms, err);
    if (!code) {
        cli_say(deploy->cli, "running on %s%s", pod->id, result->placed.cluster.id ? " (rank 0)" : "");
        code = start_command(run, pod, deadline_mono_ms, err);
    }
    if (code && !run->started)
        podsku_error_context(err, "the command never started");
    if (!code)
        code = cli_run_copy_out(run, pod, rsync, deadline_mono_ms == INT64_MAX ? 0 : deadline_mono_ms, err);
    return code;
}
