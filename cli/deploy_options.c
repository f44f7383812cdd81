/*
 * How to rent, from flags: limits, times, marks, the API.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/deploy.h"
#include "cli/stock.h"

#define ATTEMPTS_MOST 1000
#define WINDOW_DEFAULT_MILLIONTHS 1500000
#define MILLION 1000000

static enum podsku_code set_api(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    const char *api = cli_value(cli, "api");
    const char *url = getenv("PODSKU_API_V1_URL");

    deploy->options.spec.api = api && strcmp(api, "v1") == 0 ? PODSKU_API_V1 : PODSKU_API_V2;
    if (deploy->options.spec.api == PODSKU_API_V2)
        return PODSKU_OK;
    if (!url || !*url) {
        podsku_error_hint(&cli->err, "set PODSKU_API_V1_URL to the base of a service that keeps its shape, or leave "
                                     "--api out");
        return podsku_error_set(&cli->err, PODSKU_USAGE,
                                "--api v1 needs a service: Runpod retired its own REST v1 in November 2026");
    }
    if (deploy->req.nodes > 1) {
        podsku_error_hint(&cli->err, "leave --api v1 out");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "REST v1 has no clusters: --nodes needs --api v2");
    }
    cli_say(cli, "note: Runpod retired its own REST v1 in November 2026; this goes to %s", url);
    return PODSKU_OK;
}

static enum podsku_code needs(struct cli *cli, const char *flag, const char *other)
{
    if (!cli_has(cli, flag) || cli_has(cli, other))
        return PODSKU_OK;
    podsku_error_hint(&cli->err, "add --%s", other);
    return podsku_error_set(&cli->err, PODSKU_USAGE, "--%s means nothing without --%s", flag, other);
}

static enum podsku_code set_verify(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    const char *way = cli_value(cli, "verify-via");
    enum podsku_code code = needs(cli, "verify-via", "verify");

    if (!code)
        code = needs(cli, "strict", "verify");
    if (!code)
        code = needs(cli, "show-env", "dry-run");
    if (code)
        return code;
    deploy->options.verify = cli_has(cli, "verify");
    deploy->via_logs = way && strcmp(way, "logs") == 0;
    deploy->strict = cli_has(cli, "strict");
    deploy->dry_run = cli_has(cli, "dry-run");
    deploy->options.need_ssh = deploy->is_run || (deploy->options.verify && !deploy->via_logs);
    deploy->send_ssh = deploy->options.need_ssh || cli_has(cli, "ssh");
    deploy->options.wait = deploy->is_run || deploy->options.verify || cli_has(cli, "wait");
    deploy->options.keep = !deploy->is_run && cli_has(cli, "keep");
    if (deploy->via_logs && deploy->options.spec.api == PODSKU_API_V1)
        return podsku_error_set(&cli->err, PODSKU_USAGE, "REST v1 has no logs: --verify-via logs needs --api v2");
    return PODSKU_OK;
}

/* A duration that must not be nothing. */
static enum podsku_code duration(struct cli *cli, const char *option, int64_t *ms)
{
    enum podsku_code code = cli_duration(cli, option, 0, ms);

    if (code || *ms > 0 || !cli_has(cli, option))
        return code;
    return podsku_error_set(&cli->err, PODSKU_USAGE, "--%s cannot be nothing", option);
}

static enum podsku_code set_times(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    enum podsku_code code = duration(cli, "timeout", &deploy->options.timeout_ms);

    if (!code)
        code = duration(cli, "settle-timeout", &deploy->options.settle_ms);
    if (!code)
        code = duration(cli, "ttl", &deploy->options.ttl_ms);
    if (!code)
        code = duration(cli, "wait-stock", &deploy->stock_wait_ms);
    if (!code)
        code = needs(cli, "interval", "wait-stock");
    return code ? code : cli_interval(cli, &deploy->interval_ms);
}

static enum podsku_code set_limits(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    int64_t attempts;
    enum podsku_code code = cli_count(cli, "max-attempts", 0, 1, ATTEMPTS_MOST, &attempts);

    if (!code)
        code = cli_money(cli, "max-spend", 0, &deploy->options.max_spend_uusd);
    if (!code && cli_has(cli, "max-spend") && deploy->options.max_spend_uusd == 0)
        code = podsku_error_set(&cli->err, PODSKU_USAGE, "--max-spend 0 would rent nothing");
    deploy->options.max_attempts = (int)attempts;
    if (deploy->req.max_price_uusd != PODSKU_UNCAPPED)
        deploy->options.max_gpu_uusd = deploy->req.max_price_uusd;
    if (deploy->req.max_total_uusd != PODSKU_UNCAPPED)
        deploy->options.max_total_uusd = deploy->req.max_total_uusd;
    return code;
}

/* Without any cap a plan that ends in something ten times as dear is a surprise: 1.5 by default. */
static enum podsku_code set_window(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    const char *text = cli_value(cli, "price-window");
    bool capped = deploy->options.max_gpu_uusd || deploy->options.max_total_uusd;
    double window;

    deploy->window_millionths = capped ? 0 : WINDOW_DEFAULT_MILLIONTHS;
    if (!text)
        return PODSKU_OK;
    if (strcmp(text, "none") == 0) {
        deploy->window_millionths = 0;
        return PODSKU_OK;
    }
    if (podsku_text_number(text, &window) && window >= 1 && window <= 1e6) {
        deploy->window_millionths = (int64_t)(window * MILLION + 0.5);
        return PODSKU_OK;
    }
    podsku_error_hint(&cli->err, "a factor of 1 or more such as 1.5, or none");
    return podsku_error_set(&cli->err, PODSKU_USAGE, "--price-window cannot be \"%s\"", text);
}

static enum podsku_code set_marks(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    const char *given = cli_value(cli, "launch-id");
    enum podsku_code code;

    if (!given) {
        code = podsku_launch_id_new(deploy->launch_id, sizeof deploy->launch_id, &cli->err);
    } else {
        code = podsku_launch_id_check(given, &cli->err);
        if (!code && cli->key && strstr(given, cli->key))
            return podsku_error_set(&cli->err, PODSKU_USAGE, "--launch-id holds the API key");
        (void)snprintf(deploy->launch_id, sizeof deploy->launch_id, "%s", given);
    }
    deploy->options.launch_id = deploy->launch_id;
    deploy->options.launch_id_given = given != NULL;
    return code;
}

static enum podsku_code set_cluster(struct cli_deploy *deploy)
{
    static const struct {
        const char *word, *type;
    } types[] = {
        {"training", "TRAINING"},
        {"slurm", "SLURM"},
        {"ray", "RAY"},
        {"application", "APPLICATION"},
    };
    struct cli *cli = deploy->cli;
    const char *word = cli_value(cli, "cluster-type");

    if (word && deploy->req.nodes < 2) {
        podsku_error_hint(&cli->err, "add --nodes N");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "--cluster-type means nothing without --nodes");
    }
    for (size_t i = 0; word && i < sizeof types / sizeof *types; i++) {
        if (podsku_text_equal_nocase(types[i].word, word))
            deploy->options.spec.cluster_type = types[i].type;
    }
    return PODSKU_OK;
}

enum podsku_code cli_deploy_options(struct cli_deploy *deploy)
{
    static enum podsku_code (*const parts[])(struct cli_deploy *) = {set_api,    set_verify, set_times,  set_limits,
                                                                     set_window, set_marks,  set_cluster};
    enum podsku_code code = PODSKU_OK;

    for (size_t i = 0; !code && i < sizeof parts / sizeof *parts; i++)
        code = parts[i](deploy);
    if (deploy->req.cuda_major >= 0) {
        (void)snprintf(deploy->min_cuda, sizeof deploy->min_cuda, "%d.%d", deploy->req.cuda_major,
                       deploy->req.cuda_minor);
        deploy->options.spec.min_cuda = deploy->min_cuda;
    }
    return code;
}
