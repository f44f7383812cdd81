/* podsku reconcile: what an interrupted deploy may have left, found and settled. */
#include <string.h>

#include "base/text.h"
#include "cli/account.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "client/deploy.h"
#include "client/reconcile.h"

static void say(void *ctx, const char *text)
{
    const struct cli *cli = ctx;

    cli_progress_clear(cli);
    cli_say(cli, "%s", text);
}

/* "ID  launch X attempt 1  terminated: why" */
static void put_line(struct podsku_buf *out, const struct podsku_reconcile_pod *pod)
{
    struct podsku_buf line = {0};

    podsku_buf_printf(&line, "%s%s  %s  launch %s", pod->cluster ? "cluster " : "", pod->id,
                      podsku_reconcile_state_name(pod->state), pod->launch_id ? pod->launch_id : "unknown");
    if (pod->attempt)
        podsku_buf_printf(&line, " attempt %d", pod->attempt);
    if (pod->why)
        podsku_buf_printf(&line, "  %s", pod->why);
    podsku_text_printable(out, podsku_buf_text(&line), line.len, false);
    podsku_buf_putc(out, '\n');
    if (podsku_buf_failed(&line))
        out->failed = true;
    podsku_buf_free(&line);
}

/* "launch X attempt 1  open: why" */
static void put_entry(struct podsku_buf *out, const struct podsku_reconcile_entry *entry)
{
    struct podsku_buf line = {0};

    podsku_buf_printf(&line, "launch %s attempt %d  open%s%s  %s", entry->launch_id, entry->attempt,
                      entry->pod_id ? "  " : "", entry->pod_id ? entry->pod_id : "", entry->why);
    podsku_text_printable(out, podsku_buf_text(&line), line.len, false);
    podsku_buf_putc(out, '\n');
    if (podsku_buf_failed(&line))
        out->failed = true;
    podsku_buf_free(&line);
}

static enum podsku_code show(struct cli *cli, const struct podsku_reconcile_result *result)
{
    struct podsku_buf out = {0};
    enum podsku_code code;

    if (cli->output == CLI_JSON)
        return cli_write_json(cli, podsku_reconcile_json(result));
    for (size_t i = 0; i < result->count; i++)
        put_line(&out, &result->list[i]);
    for (size_t i = 0; i < result->entry_count; i++)
        put_entry(&out, &result->entries[i]);
    code = podsku_buf_failed(&out) ? podsku_error_no_memory(&cli->err) : cli_write(cli, podsku_buf_text(&out), out.len);
    podsku_buf_free(&out);
    return code;
}

static enum podsku_code read_options(struct cli *cli, struct podsku_reconcile_options *options)
{
    options->launch_id = cli_value(cli, "launch-id");
    options->expired = cli_has(cli, "expired");
    options->terminate = cli_has(cli, "terminate");
    if (options->launch_id && podsku_launch_id_check(options->launch_id, &cli->err) != PODSKU_OK)
        return cli->err.code;
    return cli_duration(cli, "settle-timeout", PODSKU_SETTLE_TIMEOUT_MS, &options->settle_ms);
}

/* What was found is shown whatever came after it. */
static int finish(struct cli *cli, const struct podsku_reconcile_result *result, enum podsku_code code)
{
    struct podsku_error why = cli->err;
    bool decided = code == PODSKU_OK || code == PODSKU_UNSETTLED || result->count + result->entry_count > 0;

    cli_progress_clear(cli);
    if (!decided)
        return cli_fail(cli);
    podsku_error_clear(&cli->err);
    if (show(cli, result) != PODSKU_OK)
        return cli_fail(cli);
    cli->err = why;
    if (code == PODSKU_OK && result->count == 0 && cli_value(cli, "launch-id"))
        cli_say(cli, "nothing is open, and there is no pod of launch %s", cli_value(cli, "launch-id"));
    else if (code == PODSKU_OK)
        cli_say(cli, result->count ? "nothing is open" : "nothing is open, and there is no pod of podsku's");
    return code ? cli_decided(cli, code) : 0;
}

int cli_run_reconcile(struct cli *cli)
{
    struct podsku_reconcile_options options = {0};
    struct podsku_reconcile_result result = {0};
    struct podsku_reconcile_hooks hooks = {.say = say, .ctx = cli, .signals = cli_signals_hooks()};
    struct podsku_client *client = NULL;
    struct podsku_journal *journal = NULL;
    const char *folder;
    int status;
    enum podsku_code code = read_options(cli, &options);

    cli_signals_catch();
    if (!code)
        code = cli_client(cli, true, &client);
    if (!code)
        code = cli_state_dir(cli, &folder);
    if (!code)
        code = podsku_journal_open(folder, podsku_client_clock(client), &journal, &cli->err);
    if (code)
        status = cli_fail(cli);
    else
        status = finish(cli, &result, podsku_reconcile(client, journal, &options, &hooks, &result, &cli->err));
    podsku_reconcile_result_free(&result);
    podsku_journal_free(journal);
    podsku_client_free(client);
    return status;
}
