/* podsku watch: reads the live catalogue again and again until a candidate is in stock. */
#include <string.h>

#include "base/json.h"
#include "base/money.h"
#include "cli/command.h"
#include "cli/deploy.h"
#include "cli/json_offer.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/stock.h"
#include "cli/view_pick.h"

/* One reading with its decision. */
struct reading {
    struct podsku_catalog *catalog;
    struct podsku_decision decision;
};

struct watch {
    struct cli *cli;
    struct podsku_requirement req;
    const struct podsku_facts_set *facts;
    struct podsku_client *client;
    struct reading old, now; /* catalog NULL: not read yet */
    int64_t interval_ms, deadline_ms;
    size_t changes; /* of the latest reading */
};

static void reading_free(struct reading *reading)
{
    podsku_decision_free(&reading->decision);
    podsku_catalog_free(reading->catalog);
    memset(reading, 0, sizeof *reading);
}

/* Offers that stock or price alone keep from being candidates are watched, too. */
static bool is_watched(const struct podsku_offer *offer)
{
    for (size_t i = 0; i < offer->reason_count; i++) {
        enum podsku_rule rule = offer->reasons[i].rule;
        if (rule != PODSKU_RULE_STOCK && rule != PODSKU_RULE_PLACEMENT && rule != PODSKU_RULE_PRICE &&
            rule != PODSKU_RULE_TOTAL_PRICE && rule != PODSKU_RULE_UNPRICED)
            return false;
    }
    return true;
}

/* Offers are numbered candidates first; NULL past the last one. */
static const struct podsku_offer *offer_at(const struct reading *reading, size_t index)
{
    const struct podsku_decision *decision = &reading->decision;

    if (!reading->catalog)
        return NULL;
    if (index < decision->candidate_count)
        return &decision->candidates[index];
    index -= decision->candidate_count;
    return decision->rejected && index < decision->rejected_count ? &decision->rejected[index] : NULL;
}

static const struct podsku_offer *same_offer(const struct reading *reading, const struct podsku_offer *wanted)
{
    const struct podsku_offer *offer;

    for (size_t i = 0; (offer = offer_at(reading, i)) != NULL; i++) {
        if (offer->cloud == wanted->cloud && offer->gpus == wanted->gpus &&
            strcmp(offer->type->id, wanted->type->id) == 0)
            return offer;
    }
    return NULL;
}

/* A document of the line and its text, built side by side. */
struct line {
    struct watch *watch;
    json_t *changes;
    struct podsku_buf text;
    char at[PODSKU_TIME_TEXT_SIZE];
    bool failed;
};

static const char *stock_text(enum podsku_stock stock)
{
    const char *word = cli_stock_word(stock);

    return word ? word : "unknown";
}

static void add_change(struct line *line, const struct podsku_offer *offer, const char *field, json_t *old_value,
                       json_t *new_value)
{
    json_t *change = json_object();
    bool ok = podsku_json_set(change, "id", podsku_json_text(offer->type->id));

    ok = ok && podsku_json_set(change, "name", podsku_json_text(offer->type->name));
    ok = ok && podsku_json_set(change, "cloud", json_string(podsku_cloud_name(offer->cloud)));
    ok = ok && podsku_json_set(change, "gpus", json_integer(offer->gpus));
    ok = ok && podsku_json_set(change, "field", json_string(field));
    if (ok)
        ok = podsku_json_set(change, "old", old_value);
    else
        json_decref(old_value);
    if (ok)
        ok = podsku_json_set(change, "new", new_value);
    else
        json_decref(new_value);
    ok = ok && podsku_json_set(change, "price_per_hour", podsku_json_money(offer->price_total_uusd));
    ok = ok && podsku_json_set(change, "data_centers", cli_data_centers_json(offer->view));
    if (ok && json_array_append(line->changes, change) == 0)
        line->watch->changes++;
    else
        line->failed = true;
    json_decref(change);
}

static void put_text(struct line *line, const struct podsku_offer *offer, const char *what, const char *old_text,
                     const char *new_text)
{
    podsku_buf_printf(&line->text, "%s  ", line->at);
    cli_offer_label(&line->text, offer);
    podsku_buf_printf(&line->text, "  %s ", what);
    if (old_text)
        podsku_buf_printf(&line->text, "%s -> ", old_text);
    podsku_buf_puts(&line->text, new_text);
    if (offer->view && offer->view->data_center_count) {
        podsku_buf_puts(&line->text, "  ");
        cli_where(&line->text, offer->view);
    }
    podsku_buf_putc(&line->text, '\n');
}

static void compare(struct line *line, const struct podsku_offer *offer)
{
    const struct podsku_offer *before = same_offer(&line->watch->old, offer);
    char old_price[PODSKU_MONEY_TEXT_SIZE], new_price[PODSKU_MONEY_TEXT_SIZE];

    if (!before || before->stock != offer->stock) {
        add_change(line, offer, "stock", before ? cli_stock_json(before->stock) : json_null(),
                   cli_stock_json(offer->stock));
        put_text(line, offer, "stock", before ? stock_text(before->stock) : NULL, stock_text(offer->stock));
    }
    if (before && before->price_total_uusd != offer->price_total_uusd) {
        add_change(line, offer, "price_per_hour", podsku_json_money(before->price_total_uusd),
                   podsku_json_money(offer->price_total_uusd));
        put_text(line, offer, "USD/h", podsku_money_text(before->price_total_uusd, old_price),
                 podsku_money_text(offer->price_total_uusd, new_price));
    }
}

/* Candidates in stock, best first; with a JSON array (or NULL) of them. Returns how many. */
static size_t in_stock(struct watch *watch, json_t *list, const struct podsku_offer **first)
{
    size_t count = 0;

    *first = NULL;
    for (size_t i = 0; i < watch->now.decision.candidate_count; i++) {
        const struct podsku_offer *offer = &watch->now.decision.candidates[i];
        if (!cli_in_stock(&watch->req, offer))
            continue;
        if (count++ == 0)
            *first = offer;
        if (list && !cli_json_append(list, cli_offer_short_json(offer)))
            return count;
    }
    return count;
}

static enum podsku_code write_json(struct line *line)
{
    struct cli *cli = line->watch->cli;
    const struct podsku_offer *first;
    struct podsku_buf out = {0};
    json_t *doc = json_object();
    json_t *list = json_array();
    bool ok = list && !line->failed;
    enum podsku_code code;

    if (ok)
        (void)in_stock(line->watch, list, &first);
    ok = ok && podsku_json_set(doc, "schema", json_string("podsku.watch/1"));
    ok = ok && podsku_json_set(doc, "at", json_string(line->at));
    ok = ok && json_object_set(doc, "changes", line->changes) == 0;
    ok = ok && json_object_set(doc, "candidates", list) == 0;
    if (ok)
        podsku_json_write(&out, doc, false);
    podsku_buf_putc(&out, '\n');
    code = !ok || podsku_buf_failed(&out) ? podsku_error_no_memory(&cli->err) : cli_write(cli, out.data, out.len);
    podsku_buf_free(&out);
    json_decref(list);
    json_decref(doc);
    return code;
}

/* What changed since the last reading: a line each, or one document in one line. */
static enum podsku_code report(struct watch *watch)
{
    struct cli *cli = watch->cli;
    struct line line = {.watch = watch, .changes = json_array()};
    const struct podsku_offer *offer;
    enum podsku_code code = PODSKU_OK;

    watch->changes = 0;
    if (!line.changes)
        return podsku_error_no_memory(&cli->err);
    (void)podsku_time_text(podsku_clock_wall_ms(podsku_client_clock(watch->client)), line.at);
    for (size_t i = 0; (offer = offer_at(&watch->now, i)) != NULL; i++) {
        if (is_watched(offer))
            compare(&line, offer);
    }
    if (watch->changes && cli->output == CLI_JSON)
        code = write_json(&line);
    else if (line.failed || podsku_buf_failed(&line.text))
        code = podsku_error_no_memory(&cli->err);
    else if (watch->changes)
        code = cli_write(cli, podsku_buf_text(&line.text), line.text.len);
    podsku_buf_free(&line.text);
    json_decref(line.changes);
    return code;
}

/* One reading. A failure that the next one may not have leaves the last reading in place. */
static enum podsku_code read_once(struct watch *watch, bool *read)
{
    struct cli *cli = watch->cli;
    struct reading next = {.catalog = NULL};
    const struct podsku_clock *clock = podsku_client_clock(watch->client);
    int64_t until = podsku_client_until(watch->client, watch->deadline_ms);
    enum podsku_code code = cli_catalog(cli, &watch->req, watch->facts, &watch->client, &next.catalog);

    (void)podsku_client_until(watch->client, until);
    *read = false;
    if (!code)
        code = podsku_decide(next.catalog, &watch->req, PODSKU_DECIDE_REASONS, false, &next.decision, &cli->err);
    if (code) {
        reading_free(&next);
        /* No reading is left that would come in time. */
        if (cli_watch_goes_on(code) && watch->deadline_ms &&
            podsku_clock_mono_ms(clock) + watch->interval_ms >= watch->deadline_ms) {
            struct podsku_error why = cli->err;
            podsku_error_clear(&cli->err);
            return podsku_error_set(&cli->err, PODSKU_TIMEOUT, "the catalogue could not be read in time: %s",
                                    why.message);
        }
        if (!cli_watch_goes_on(code) || !watch->now.catalog)
            return code;
        cli_warn(cli, "the catalogue could not be read: %s; trying again", cli->err.message);
        podsku_error_clear(&cli->err);
        return PODSKU_OK;
    }
    reading_free(&watch->old);
    watch->old = watch->now;
    watch->now = next;
    *read = true;
    return PODSKU_OK;
}

static void say_found(struct watch *watch, const struct podsku_offer *offer)
{
    struct podsku_buf flags = {0};
    static const char *const without[] = {"limit", "gpu", NULL};

    cli_requirement_flags(&flags, &watch->req, without);
    cli_say(watch->cli, "in stock: %s. next: podsku deploy%s --gpu \"%s\" --image IMAGE", podsku_gpu_name(offer->type),
            podsku_buf_text(&flags), podsku_gpu_name(offer->type));
    podsku_buf_free(&flags);
}

static enum podsku_code watch_on(struct watch *watch)
{
    struct cli *cli = watch->cli;
    const struct podsku_offer *first;

    for (;;) {
        bool read;
        enum podsku_code code = read_once(watch, &read);
        if (!code && read)
            code = report(watch);
        if (code || cli->stdout_closed)
            return code;
        if (read && in_stock(watch, NULL, &first) > 0) {
            say_found(watch, first);
            return PODSKU_OK;
        }
        code = cli_watch_pause(cli, watch->client, watch->interval_ms, watch->deadline_ms);
        if (code)
            return code;
    }
}

/* What is read must be able to change. */
static enum podsku_code check_source(struct watch *watch)
{
    struct cli *cli = watch->cli;
    const char *source = cli_value(cli, "catalog");

    if (!source || strcmp(source, "live") == 0)
        return cli_client(cli, true, &watch->client);
    if (strcmp(source, "graphql") == 0)
        return cli_client(cli, false, &watch->client);
    podsku_error_hint(&cli->err, "use --catalog live (with an API key) or graphql");
    return podsku_error_set(&cli->err, PODSKU_USAGE, "nothing changes in %s: there is nothing to watch", source);
}

static enum podsku_code prepare(struct watch *watch)
{
    struct cli *cli = watch->cli;
    int64_t timeout_ms;
    enum podsku_code code = cli_requirement(cli, &watch->req);

    if (code) {
        podsku_requirement_init(&watch->req);
        return code;
    }
    code = cli_interval(cli, &watch->interval_ms);
    if (!code)
        code = cli_duration(cli, "timeout", 0, &timeout_ms);
    if (!code)
        code = podsku_requirement_contradiction(&watch->req, NULL, &cli->err);
    if (!code)
        code = cli_facts(cli, &watch->facts);
    if (!code)
        code = check_source(watch);
    if (!code && timeout_ms)
        watch->deadline_ms = podsku_clock_mono_ms(podsku_client_clock(watch->client)) + timeout_ms;
    return code;
}

int cli_run_watch(struct cli *cli)
{
    struct watch watch = {.cli = cli};
    int status = 0;
    enum podsku_code code;

    cli_signals_catch();
    podsku_requirement_init(&watch.req);
    code = prepare(&watch);
    if (!code)
        code = watch_on(&watch);
    cli_progress_clear(cli);
    if (code == PODSKU_NO_OFFER)
        cli_say_cluster_choice(cli, &watch.req);
    if (code && watch.now.catalog)
        status = cli_decided(cli, code);
    else if (code)
        status = cli_fail(cli);
    reading_free(&watch.old);
    reading_free(&watch.now);
    podsku_client_free(watch.client);
    podsku_facts_free(watch.facts);
    podsku_requirement_free(&watch.req);
    return status;
}
