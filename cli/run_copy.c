/*
 * --copy-in and --copy-out by rsync where both sides have it, else by scp.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "cli/run.h"
#include "cli/signals.h"

static bool stopped(void *ctx)
{
    (void)ctx;
    return cli_signals_stop();
}

static enum podsku_code copy(struct cli_run *run, const struct podsku_pod *pod, bool rsync, bool to_pod,
                             const char *source, const char *target, int64_t deadline_mono_ms, struct podsku_error *err)
{
    struct cli_argv argv;
    struct cli_child_result child;
    struct cli_child_request request = {
        .max_output = (size_t)1 << 20, /* these programs say nothing when all is well */
        .deadline_mono_ms = deadline_mono_ms,
        .clock = podsku_client_clock(run->deploy.client),
        .stop = stopped,
    };
    char complaint[256];
    enum podsku_code code =
        cli_ssh_copy(&run->deploy.ssh, &pod->ssh, pod->id, rsync, to_pod, source, target, &argv, err);

    if (code)
        return code;
    request.argv = (const char *const *)argv.list;
    cli_progress(run->deploy.cli, "    copying %s %s the pod", source, to_pod ? "to" : "from");
    code = cli_child_run(&request, &child, err);
    cli_progress_clear(run->deploy.cli);
    cli_argv_free(&argv);
    if (code)
        return code;
    cli_ssh_complaint(&child.errors, complaint, sizeof complaint);
    if (child.end == CLI_CHILD_INTERRUPTED || cli_signals_stop())
        code = podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted while copying");
    else if (child.end == CLI_CHILD_TIMED_OUT)
        code = cli_run_over(run, "while copying", err);
    else if (child.end == CLI_CHILD_NOT_STARTED)
        code = podsku_error_set(err, PODSKU_NETWORK, "%s cannot be started here: %s", rsync ? "rsync" : "scp",
                                strerror(child.status));
    else if (child.end != CLI_CHILD_EXITED || child.status != 0)
        code = podsku_error_set(err, PODSKU_NETWORK, "%s could not copy %s %s the pod: %s", rsync ? "rsync" : "scp",
                                source, to_pod ? "to" : "from", complaint[0] ? complaint : "it does not say why");
    cli_child_free(&child);
    return code;
}

enum podsku_code cli_run_copy_in(struct cli_run *run, const struct podsku_pod *pod, bool rsync,
                                 int64_t deadline_mono_ms, struct podsku_error *err)
{
    const char *folder = cli_value(run->deploy.cli, "copy-in");
    struct podsku_buf source = {0};
    char *path;
    enum podsku_code code;

    if (!folder)
        return PODSKU_OK;
    path = realpath(folder, NULL);
    if (!path)
        return podsku_error_set(err, PODSKU_NO_FILE, "--copy-in %s cannot be read", folder);
    /* rsync copies what is in a folder that ends with a slash; scp makes the target a copy of it. */
    podsku_buf_printf(&source, rsync ? "%s/" : "%s", path);
    if (podsku_buf_failed(&source))
        code = podsku_error_no_memory(err);
    else
        code = copy(run, pod, rsync, true, podsku_buf_text(&source), cli_run_folder(run), deadline_mono_ms, err);
    podsku_buf_free(&source);
    free(path);
    return code;
}

enum podsku_code cli_run_copy_out(struct cli_run *run, const struct podsku_pod *pod, bool rsync,
                                  int64_t deadline_mono_ms, struct podsku_error *err)
{
    size_t count;
    const char *const *paths = cli_values(run->deploy.cli, "copy-out", &count);
    const char *folder = cli_run_folder(run);
    enum podsku_code code = PODSKU_OK;

    for (size_t i = 0; !code && i < count; i++) {
        struct podsku_buf source = {0};
        /* As CMD would name it. */
        if (paths[i][0] != '/' && *folder)
            podsku_buf_printf(&source, "%s/", folder);
        podsku_buf_puts(&source, paths[i]);
        if (podsku_buf_failed(&source))
            code = podsku_error_no_memory(err);
        else
            code = copy(run, pod, rsync, false, podsku_buf_text(&source), ".", deadline_mono_ms, err);
        podsku_buf_free(&source);
    }
    return code;
}
