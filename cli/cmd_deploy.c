/* podsku deploy: rents the first candidate that places, and nothing else. */
#include <string.h>

#include "cli/command.h"
#include "cli/deploy.h"
#include "cli/progress.h"
#include "cli/signals.h"

/* Nothing was sent. Where a decision was reached, its document is shown; else podsku.error/1. */
static int fail_early(struct cli_deploy *deploy, enum podsku_code code)
{
    struct cli *cli = deploy->cli;
    bool decided = deploy->round || code == PODSKU_NO_OFFER;
    struct podsku_error err = cli->err;
    int status;

    if (!decided || cli->output != CLI_JSON) {
        status = cli_fail(cli);
    } else {
        json_t *doc = cli_deploy_json(deploy, NULL, cli_deploy_end_of(code));
        podsku_error_clear(&cli->err);
        (void)!cli_write_json(cli, doc);
        cli->err = err;
        status = cli_decided(cli, code);
    }
    if (code == PODSKU_NO_OFFER)
        cli_deploy_say_no_offer(deploy);
    return status;
}

/* What was not handed over is shown as well: the document, or the line of a pod that was kept. */
static int show_failure(struct cli_deploy *deploy, const struct podsku_deploy_result *result, enum podsku_code code)
{
    struct cli *cli = deploy->cli;
    struct podsku_error err = cli->err;
    struct podsku_buf line = {0};

    if (cli->output == CLI_JSON) {
        json_t *doc = cli_deploy_json(deploy, result, result->end);
        podsku_error_clear(&cli->err);
        (void)!cli_write_json(cli, doc);
    } else if (result->has_placed) {
        cli_deploy_line(deploy, result, &line);
        podsku_error_clear(&cli->err);
        (void)!cli_write(cli, podsku_buf_text(&line), line.len);
    }
    podsku_buf_free(&line);
    cli->err = err;
    return cli_decided(cli, code);
}

static int rent(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    struct podsku_deploy_result result;
    struct podsku_deploy_hooks hooks = {
        .ctx = deploy,
        .event = cli_deploy_event,
        .signals = cli_signals_hooks(),
        .verify = cli_deploy_verify,
        .hand_over = cli_deploy_hand_over,
        .more = deploy->stock_wait_ms ? cli_deploy_more : NULL,
    };
    enum podsku_code code;
    int status = 0;

    /* A reader that closed the pipe never learns of the pod: it must not be left to nobody. */
    cli->closed_stdout_fails = true;
    code = cli_deploy_rent(deploy, &hooks, &result);
    cli_progress_clear(cli);
    if (code && !result.launch_id)
        status = cli_fail(cli); /* not even begun */
    else if (code && !deploy->handed_over)
        status = show_failure(deploy, &result, code);
    else if (code)
        status = cli_decided(cli, code);
    podsku_deploy_result_free(&result);
    return status;
}

int cli_run_deploy(struct cli *cli)
{
    struct cli_deploy deploy;
    int status = 0;
    enum podsku_code code;

    cli_signals_catch();
    code = cli_deploy_prepare(&deploy, cli, false);
    if (!code && !deploy.dry_run)
        code = cli_deploy_first_plan(&deploy);
    if (!code && !deploy.dry_run)
        code = cli_deploy_check_keys(&deploy);
    if (!code) {
        cli_deploy_say_plan(&deploy);
        cli_deploy_warn_image(&deploy);
    }
    if (!code && deploy.dry_run)
        code = cli_deploy_dry_run(&deploy);
    else if (!code)
        status = rent(&deploy);
    if (code)
        status = fail_early(&deploy, code);
    cli_deploy_free(&deploy);
    return status;
}
