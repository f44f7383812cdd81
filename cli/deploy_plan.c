/*
 * The plan: candidates in their order, without those beyond the price window. Stock never reorders it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "cli/deploy.h"
#include "cli/placement.h"
#include "cli/view_pick.h"

#define MILLION 1000000

/* Is the offer within the window of the first one's price? An unknown price is only the first one's. */
static bool within(const struct cli_deploy *deploy, const struct podsku_offer *first, const struct podsku_offer *offer)
{
    int64_t limit;

    if (deploy->window_millionths == 0 || offer == first)
        return true;
    if (first->price_total_uusd == 0 || offer->price_total_uusd == 0 ||
        !podsku_money_scale(first->price_total_uusd, deploy->window_millionths, MILLION, &limit))
        return false;
    return offer->price_total_uusd <= limit;
}

static void fill_entry(struct podsku_plan_entry *entry, const struct podsku_offer *offer)
{
    entry->gpu_id = offer->type->id;
    entry->name = offer->type->name;
    entry->cloud = podsku_cloud_name(offer->cloud);
    entry->gpus = offer->gpus;
    entry->nodes = offer->nodes;
    entry->price_uusd = offer->price_total_uusd;
    entry->estimated = offer->price_estimated;
    entry->stock = offer->stock == PODSKU_STOCK_UNKNOWN ? NULL : podsku_stock_name(offer->stock);
    entry->tag = offer;
}

static enum podsku_code plan(struct cli_deploy *deploy, struct cli_round *round)
{
    const struct podsku_offer *offers = round->decision.candidates;
    size_t count = round->decision.candidate_count;

    round->entries = calloc(count + 1, sizeof *round->entries);
    round->left_out = calloc(count + 1, sizeof(const struct podsku_offer *));
    if (!round->entries || !round->left_out)
        return podsku_error_no_memory(&deploy->cli->err);
    for (size_t i = 0; i < count; i++) {
        if (within(deploy, &offers[0], &offers[i]))
            fill_entry(&round->entries[round->entry_count++], &offers[i]);
        else
            round->left_out[round->left_out_count++] = &offers[i];
    }
    return PODSKU_OK;
}

/*
 * Prices may come from a file; where a pod may be placed is asked for at the service that places it.
 * A live catalogue does that by itself (cli_catalog).
 */
static enum podsku_code resolve_place(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    const char *source = cli_value(cli, "catalog");
    bool live = !source || strcmp(source, "live") == 0;

    if (live || deploy->dry_run || !podsku_requirement_has_placement(&deploy->req))
        return PODSKU_OK;
    return cli_resolve_placement(cli, &deploy->req, deploy->facts, deploy->client);
}

enum podsku_code cli_round_new(struct cli_deploy *deploy, bool may_be_empty)
{
    struct cli *cli = deploy->cli;
    struct cli_round *round = calloc(1, sizeof *round);
    enum podsku_code code;

    if (!round)
        return podsku_error_no_memory(&cli->err);
    code = resolve_place(deploy);
    if (!code)
        code = cli_catalog(cli, &deploy->req, deploy->facts, &deploy->client, &round->catalog);
    if (!code)
        code = podsku_decide(round->catalog, &deploy->req, PODSKU_DECIDE_FULL, false, &round->decision, &cli->err);
    if (!code)
        code = plan(deploy, round);
    if (code) {
        cli_rounds_free(round);
        return code;
    }
    round->older = deploy->round;
    deploy->round = round;
    deploy->options.spec.data_centers = (const char *const *)deploy->req.data_centers.list;
    deploy->options.spec.data_center_count = deploy->req.data_centers.count;
    if (round->entry_count == 0 && !may_be_empty)
        return podsku_error_set(&cli->err, PODSKU_NO_OFFER, "no offer satisfies the requirement");
    return PODSKU_OK;
}

void cli_rounds_free(struct cli_round *round)
{
    while (round) {
        struct cli_round *older = round->older;
        free(round->entries);
        free(round->left_out);
        podsku_decision_free(&round->decision);
        podsku_catalog_free(round->catalog);
        free(round);
        round = older;
    }
}

/* Rejected for its price alone. */
static bool only_too_dear(const struct podsku_offer *offer)
{
    for (size_t i = 0; i < offer->reason_count; i++) {
        enum podsku_rule rule = offer->reasons[i].rule;
        if (rule != PODSKU_RULE_PRICE && rule != PODSKU_RULE_TOTAL_PRICE)
            return false;
    }
    return offer->reason_count > 0 && offer->price_gpu_uusd > 0;
}

static void put_over_cap(struct podsku_buf *out, const struct podsku_decision *decision)
{
    size_t count = 0;

    for (size_t i = 0; decision->rejected && i < decision->rejected_count; i++) {
        const struct podsku_offer *offer = &decision->rejected[i];
        if (!only_too_dear(offer))
            continue;
        podsku_buf_printf(out, "%s%s", count++ ? ", " : "    over the cap: ", podsku_gpu_name(offer->type));
    }
}

static void say_left_out(const struct cli_deploy *deploy)
{
    const struct cli_round *round = deploy->round;
    bool capped = deploy->options.max_gpu_uusd || deploy->options.max_total_uusd;
    struct podsku_buf text = {0};
    int64_t most = 0;
    char cap[PODSKU_MONEY_TEXT_SIZE];

    for (size_t i = 0; i < round->left_out_count; i++) {
        podsku_buf_printf(&text, "%s%s ", i ? ", " : "", podsku_gpu_name(round->left_out[i]->type));
        cli_offer_price(&text, round->left_out[i]);
        if (round->left_out[i]->price_total_uusd > most)
            most = round->left_out[i]->price_total_uusd;
    }
    if (round->left_out_count == 0)
        return;
    cli_say(deploy->cli, "left out, since %s and they cost more than %g times the first: %s",
            capped ? "a window was given" : "no cap was given", (double)deploy->window_millionths / MILLION,
            podsku_buf_text(&text));
    if (most > 0)
        cli_say(deploy->cli, "to widen: --price-window none (or a larger factor), or a cap: --max-total %s",
                podsku_money_text(most, cap));
    else
        cli_say(deploy->cli, "to widen: --price-window none");
    podsku_buf_free(&text);
}

static void say_launch(const struct cli_deploy *deploy)
{
    const struct podsku_deploy_options *options = &deploy->options;
    struct podsku_buf line = {0};
    char money[PODSKU_MONEY_TEXT_SIZE];
    int most = options->max_attempts ? options->max_attempts : PODSKU_MAX_ATTEMPTS;

    podsku_buf_printf(&line, "launch %s", deploy->launch_id);
    if (options->max_total_uusd)
        podsku_buf_printf(&line, ", cap %s USD/h", podsku_money_text(options->max_total_uusd, money));
    if (options->max_gpu_uusd)
        podsku_buf_printf(&line, ", cap %s USD per GPU-hour", podsku_money_text(options->max_gpu_uusd, money));
    if (options->max_spend_uusd)
        podsku_buf_printf(&line, ", at most %s USD in all", podsku_money_text(options->max_spend_uusd, money));
    podsku_buf_printf(&line, ", at most %d %s%s", most, deploy->req.nodes > 1 ? "cluster" : "pod",
                      most == 1 ? "" : "s");
    if (deploy->keys_read)
        podsku_buf_printf(&line, ", ssh keys registered: %zu", deploy->key_count);
    cli_say(deploy->cli, "%s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

void cli_deploy_say_plan(const struct cli_deploy *deploy)
{
    const struct cli_round *round = deploy->round;
    bool several_counts = deploy->req.gpus_count > 1;
    bool several_clouds = deploy->req.cloud[PODSKU_SECURE] && deploy->req.cloud[PODSKU_COMMUNITY];
    struct podsku_buf line = {0};

    cli_source_heading(&line, round->catalog, &deploy->req);
    cli_say(deploy->cli, "%s", podsku_buf_text(&line));
    say_launch(deploy);
    podsku_buf_reset(&line);
    podsku_buf_puts(&line, "plan:");
    for (size_t i = 0; i < round->entry_count; i++) {
        const struct podsku_offer *offer = round->entries[i].tag;
        podsku_buf_printf(&line, "%s %zu ", i ? "," : "", i + 1);
        if (several_counts)
            podsku_buf_printf(&line, "%dx ", offer->gpus);
        podsku_buf_puts(&line, podsku_gpu_name(offer->type));
        if (several_clouds)
            podsku_buf_printf(&line, " (%s)", podsku_cloud_word(offer->cloud));
        podsku_buf_putc(&line, ' ');
        cli_offer_price(&line, offer);
    }
    put_over_cap(&line, &round->decision);
    cli_say(deploy->cli, "%s", podsku_buf_text(&line));
    say_left_out(deploy);
    podsku_buf_free(&line);
}

static struct pick_view pick_view(const struct cli_deploy *deploy)
{
    return (struct pick_view){
        .cli = deploy->cli,
        .catalog = deploy->round->catalog,
        .req = &deploy->req,
        .decision = &deploy->round->decision,
    };
}

void cli_deploy_say_no_offer(const struct cli_deploy *deploy)
{
    struct pick_view view;

    cli_say_cluster_choice(deploy->cli, &deploy->req);
    if (!deploy->round)
        return;
    view = pick_view(deploy);
    cli_pick_no_offer(&view);
}
