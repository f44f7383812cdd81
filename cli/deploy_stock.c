/*
 * --wait-stock: when everything was refused, the catalogue is read again until something is in stock,
 * and the plan is made anew.
 */
#include "cli/deploy.h"
#include "cli/progress.h"
#include "cli/stock.h"

static bool any_in_stock(const struct cli_deploy *deploy)
{
    for (size_t i = 0; i < deploy->round->entry_count; i++) {
        if (cli_in_stock(&deploy->req, deploy->round->entries[i].tag))
            return true;
    }
    return false;
}

/* One more reading. PODSKU_OK with *found: a plan of which something is in stock. */
static enum podsku_code read_again(struct cli_deploy *deploy, bool *found)
{
    struct cli *cli = deploy->cli;
    int64_t until = podsku_client_until(deploy->client, deploy->stock_deadline_ms);
    enum podsku_code code = cli_round_new(deploy, true);

    (void)podsku_client_until(deploy->client, until);
    *found = false;
    if (code && cli_watch_goes_on(code)) {
        cli_warn(cli, "the catalogue could not be read: %s; trying again", cli->err.message);
        podsku_error_clear(&cli->err);
        return PODSKU_OK;
    }
    if (code)
        return code;
    *found = deploy->round->entry_count > 0 && any_in_stock(deploy);
    if (*found)
        return PODSKU_OK;
    /* A reading without a plan is of no use to anybody. */
    struct cli_round *empty = deploy->round;
    deploy->round = empty->older;
    empty->older = NULL;
    cli_rounds_free(empty);
    return PODSKU_OK;
}

enum podsku_code cli_deploy_more(void *ctx, const struct podsku_plan_entry **plan, size_t *count,
                                 struct podsku_error *err)
{
    struct cli_deploy *deploy = ctx;
    struct cli *cli = deploy->cli;
    bool found = false;
    enum podsku_code code = PODSKU_OK;

    if (deploy->talk.line[0])
        cli_progress_end(cli);
    deploy->talk.line[0] = '\0';
    cli_say(cli, "nothing could be placed: watching the catalogue (--wait-stock)");
    while (!code && !found) {
        code = cli_watch_pause(cli, deploy->client, deploy->interval_ms, deploy->stock_deadline_ms);
        if (!code)
            code = read_again(deploy, &found);
    }
    if (code) {
        *err = cli->err;
        podsku_error_clear(&cli->err);
        if (code == PODSKU_TIMEOUT) {
            /* The wait is over; what is left is that no candidate could be placed. */
            podsku_error_clear(err);
            code = podsku_error_set(err, PODSKU_NO_CAPACITY, "nothing came into stock within --wait-stock");
        }
        return code;
    }
    cli_deploy_say_plan(deploy);
    *plan = deploy->round->entries;
    *count = deploy->round->entry_count;
    return PODSKU_OK;
}

enum podsku_code cli_deploy_first_plan(struct cli_deploy *deploy)
{
    const struct podsku_plan_entry *plan;
    size_t count;
    const struct podsku_clock *clock = podsku_client_clock(deploy->client);
    struct podsku_error err = {0};

    if (deploy->round->entry_count > 0)
        return PODSKU_OK;
    if (!cli_may_come(&deploy->round->decision))
        return podsku_error_set(&deploy->cli->err, PODSKU_NO_OFFER, "no offer satisfies the requirement");
    deploy->stock_deadline_ms = podsku_clock_mono_ms(clock) + deploy->stock_wait_ms;
    /* In an error of its own: the hook empties the command's, which is the engine's to fill. */
    enum podsku_code code = cli_deploy_more(deploy, &plan, &count, &err);
    if (code)
        deploy->cli->err = err;
    return code;
}
