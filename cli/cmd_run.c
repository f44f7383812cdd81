/* podsku run: deploys, runs a command over ssh, terminates. The exit status is the command's. */
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/signals.h"
#include "cli/stock.h"

static json_t *command_json(const struct cli_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; list && i < run->command_count; i++) {
        if (json_array_append_new(list, podsku_json_text(run->command[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *run_json(const struct cli_run *run, int status)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "command", command_json(run)) &&
                 podsku_json_set(object, "started", json_boolean(run->started)) &&
                 podsku_json_set(object, "exit_status", run->ended ? json_integer(run->exit_status) : json_null()) &&
                 podsku_json_set(object, "connection_lost", json_boolean(run->lost)) &&
                 podsku_json_set(object, "podsku_exit_status", json_integer(status));
    return podsku_json_whole(object, whole);
}

/* The podsku.deploy/1 document with what became of the command. */
static enum podsku_code report(struct cli_run *run, const struct podsku_deploy_result *result,
                               enum podsku_deploy_end end, int status)
{
    struct cli *cli = run->deploy.cli;
    struct podsku_error err = {0};
    struct podsku_buf text = {0};
    json_t *doc;

    if (!run->report)
        return PODSKU_OK;
    doc = cli_deploy_json(&run->deploy, result, end);
    doc = podsku_json_whole(doc, podsku_json_set(doc, "run", run_json(run, status)));
    if (doc)
        podsku_json_write(&text, doc, true);
    podsku_buf_putc(&text, '\n');
    if (!doc || podsku_buf_failed(&text))
        (void)podsku_error_no_memory(&err);
    else
        (void)!podsku_file_write(run->report, podsku_buf_text(&text), text.len, 0644, &err);
    podsku_buf_free(&text);
    json_decref(doc);
    if (err.code != PODSKU_OK && cli->err.code == PODSKU_OK)
        cli->err = err;
    return err.code;
}

static void say_own_failure(const struct cli *cli, enum podsku_code code)
{
    cli_warn(cli, "podsku itself failed: %s (%d outside of run)", podsku_code_name(code),
             podsku_code_exit_status(code));
}

/* podsku's own failure, with its own code in words: 125 says only that it was podsku. */
static int fail(struct cli_run *run, const struct podsku_deploy_result *result, enum podsku_code code)
{
    struct cli *cli = run->deploy.cli;
    bool interrupted = code == PODSKU_INTERRUPTED;
    int status = interrupted ? podsku_code_exit_status(code) : CLI_RUN_FAILED;
    enum podsku_deploy_end end = result && result->launch_id ? result->end : cli_deploy_end_of(code);

    if (report(run, result && result->launch_id ? result : NULL, end, status) != PODSKU_OK)
        cli_warn(cli, "the report could not be written");
    (void)cli_decided(cli, code);
    if (code == PODSKU_NO_OFFER)
        cli_deploy_say_no_offer(&run->deploy);
    if (run->ended)
        cli_say(cli, "the command had ended with %d", run->exit_status);
    if (!interrupted)
        say_own_failure(cli, code);
    return status;
}

static int rent(struct cli_run *run)
{
    struct cli_deploy *deploy = &run->deploy;
    struct cli *cli = deploy->cli;
    struct podsku_deploy_result result;
    struct podsku_deploy_hooks hooks = {
        .ctx = run,
        .event = cli_deploy_event,
        .signals = cli_signals_hooks(),
        .verify = cli_deploy_verify,
        .use = cli_run_use,
        .more = deploy->stock_wait_ms ? cli_deploy_more : NULL,
    };
    enum podsku_code code = cli_deploy_rent(deploy, &hooks, &result);
    int status;

    cli_progress_clear(cli);
    if (!code)
        code = report(run, &result, result.end, run->exit_status);
    status = code ? fail(run, &result, code) : run->exit_status;
    podsku_deploy_result_free(&result);
    return status;
}

/* What can be wrong with the command's own flags, before anything is rented. */
static enum podsku_code check(struct cli_run *run)
{
    struct cli *cli = run->deploy.cli;
    const char *folder = cli_value(cli, "copy-in");
    struct stat info;
    bool copies = folder || cli_has(cli, "copy-out");

    if (run->command_count == 0) {
        podsku_error_hint(&cli->err, "podsku run REQUIREMENT... POD... -- CMD ARGS...");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "run needs a command after --");
    }
    if (folder && (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))) {
        podsku_error_where(&cli->err, "%s", folder);
        return podsku_error_set(&cli->err, PODSKU_NO_FILE, "--copy-in names no folder");
    }
    if (copies && !cli_child_has("scp") && !cli_child_has("rsync"))
        return podsku_error_set(&cli->err, PODSKU_USAGE, "--copy-in and --copy-out need scp or rsync on this machine");
    return PODSKU_OK;
}

/* What can be read of a command line that is wrong: where the report goes, and the command. */
static void read_words(struct cli_run *run, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = NULL;
        if (strcmp(argv[i], "--") == 0) {
            run->command = (const char *const *)(argv + i + 1);
            run->command_count = (size_t)(argc - i - 1);
            return;
        }
        if (strncmp(argv[i], "--report=", 9) == 0)
            value = argv[i] + 9;
        else if (strcmp(argv[i], "--report") == 0 && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0)
            value = argv[++i];
        if (value && *value)
            run->report = value;
    }
}

int cli_run_refused(struct cli *cli, int argc, char **argv)
{
    struct cli_run run;
    enum podsku_code code = cli->err.code;

    memset(&run, 0, sizeof run);
    run.deploy.cli = cli;
    read_words(&run, argc, argv);
    (void)cli_fail(cli);
    if (report(&run, NULL, cli_deploy_end_of(code), CLI_RUN_FAILED) != PODSKU_OK)
        cli_warn(cli, "the report could not be written");
    say_own_failure(cli, code);
    return CLI_RUN_FAILED;
}

int cli_run_run(struct cli *cli)
{
    struct cli_run run;
    int status = 0;
    enum podsku_code code;

    memset(&run, 0, sizeof run);
    cli_signals_catch();
    code = cli_deploy_prepare(&run.deploy, cli, true);
    run.command = cli_rest(cli, &run.command_count);
    run.report = cli_value(cli, "report");
    if (!code)
        code = check(&run);
    if (!code && !run.deploy.dry_run)
        code = cli_deploy_first_plan(&run.deploy);
    if (!code && !run.deploy.dry_run)
        code = cli_deploy_check_keys(&run.deploy);
    if (!code) {
        cli_deploy_say_plan(&run.deploy);
        cli_deploy_warn_image(&run.deploy);
    }
    if (!code && run.deploy.dry_run) {
        code = cli_deploy_dry_run(&run.deploy);
    } else if (!code) {
        /* Written first, too: a report that cannot be written is better known before anything is rented. */
        code = report(&run, NULL, PODSKU_DEPLOY_PLANNED, 0);
        status = code ? 0 : rent(&run);
    }
    if (code)
        status = fail(&run, NULL, code);
    cli_deploy_free(&run.deploy);
    return status;
}
