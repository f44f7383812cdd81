/*
 * What is said while the engine works. One line per thing that happened; what lasts is a progress line
 * on a terminal, and elsewhere a plain line when its state changes and every half minute.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/money.h"
#include "cli/deploy.h"
#include "cli/progress.h"
#include "cli/view_pick.h"

#define PLAIN_EVERY_MS 30000
#define PAUSE_WORTH_A_LINE_MS 5000

/* What costs money is said even with --quiet. */
static void say_loud(const struct cli_deploy *deploy, const char *text)
{
    struct cli loud = {.color = deploy->cli->color};

    cli_say(&loud, "%s", text);
}

/* The line of a wait stays on the screen when it is over; other progress vanishes. */
static void end_line(struct cli_deploy *deploy)
{
    if (deploy->talk.line[0])
        cli_progress_end(deploy->cli);
    else
        cli_progress_clear(deploy->cli);
    deploy->talk.line[0] = '\0';
}

/* "2/5 H100 SXM x8 secure: " */
static void put_label(struct podsku_buf *out, const struct podsku_deploy_event *event)
{
    const struct podsku_plan_entry *entry = event->entry;
    const struct podsku_offer *offer = entry ? entry->tag : NULL;

    if (!entry)
        return;
    if (event->placed && event->placed->type_unknown) {
        podsku_buf_printf(out, "type not known yet, x%d: ", entry->gpus);
        return;
    }
    if (event->entry_count)
        podsku_buf_printf(out, "%zu/%zu ", event->entry_number, event->entry_count);
    podsku_buf_printf(out, "%s x%d", entry->name ? entry->name : entry->gpu_id, entry->gpus);
    if (entry->nodes > 1)
        podsku_buf_printf(out, ", %d nodes", entry->nodes);
    if (offer)
        podsku_buf_printf(out, " %s", podsku_cloud_word(offer->cloud));
    podsku_buf_puts(out, ": ");
}

/* ", NVIDIA H200": what it says it is, where that is not the candidate on the label. */
static void put_own_type(struct podsku_buf *out, const struct podsku_deploy_event *event)
{
    const struct podsku_placed *placed = event->placed;
    const char *own = placed ? (placed->cluster.id ? placed->cluster.gpu_id : placed->pod.gpu_id) : NULL;

    if (own && event->entry && strcmp(own, event->entry->gpu_id) != 0)
        podsku_buf_printf(out, ", %s", own);
}

/* "the list of 06:12:03Z said low in US-KS-2" */
static void put_listing(struct podsku_buf *out, const struct cli_deploy *deploy, const struct podsku_offer *offer)
{
    char time[PODSKU_TIME_TEXT_SIZE];
    const char *stock = cli_stock_word(offer->stock);
    int64_t read_ms = deploy->round->catalog->recorded_ms;

    if (!stock || !read_ms)
        return;
    (void)podsku_time_text(read_ms, time);
    podsku_buf_printf(out, "; the list of %s said %s", strchr(time, 'T') ? strchr(time, 'T') + 1 : time, stock);
    if (offer->view && offer->view->data_center_count) {
        podsku_buf_puts(out, " in ");
        cli_where(out, offer->view);
    }
}

/* Every constraint that may be why: "no capacity" is also the answer to data centers that are too narrow. */
static void put_constraints(struct podsku_buf *out, const struct cli_deploy *deploy)
{
    const struct podsku_words *places = &deploy->req.data_centers;

    for (size_t i = 0; i < places->count && i < 6; i++)
        podsku_buf_printf(out, "%s%s", i ? " " : "; only in ", places->list[i]);
    if (places->count > 6)
        podsku_buf_printf(out, " and %zu more", places->count - 6);
    if (deploy->min_cuda[0])
        podsku_buf_printf(out, "; CUDA %s or newer", deploy->min_cuda);
}

static void say_answer(struct cli_deploy *deploy, const struct podsku_deploy_event *event)
{
    const struct podsku_offer *offer = event->entry ? event->entry->tag : NULL;
    struct podsku_buf line = {0};

    put_label(&line, event);
    podsku_buf_puts(&line, event->text);
    if (event->http_status) {
        podsku_buf_printf(&line, " (%d", event->http_status);
        if (offer)
            put_listing(&line, deploy, offer);
        put_constraints(&line, deploy);
        podsku_buf_putc(&line, ')');
    }
    cli_say(deploy->cli, "%s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

/* The service's prices are floats: a relative 1e-6 is equal. */
static bool same_price(int64_t listed_uusd, int64_t billed_uusd)
{
    int64_t difference = listed_uusd > billed_uusd ? listed_uusd - billed_uusd : billed_uusd - listed_uusd;

    return listed_uusd > 0 && difference <= listed_uusd / 1000000;
}

static void say_made(struct cli_deploy *deploy, const struct podsku_deploy_event *event)
{
    const struct podsku_placed *placed = event->placed;
    const char *place = placed ? (placed->cluster.id ? placed->cluster.data_center : placed->pod.data_center) : NULL;
    struct podsku_buf line = {0};
    char billed[PODSKU_MONEY_TEXT_SIZE], listed[PODSKU_MONEY_TEXT_SIZE];

    put_label(&line, event);
    podsku_buf_printf(&line, "created %s", event->pod_id ? event->pod_id : "(no id)");
    put_own_type(&line, event);
    if (place)
        podsku_buf_printf(&line, ", %s", place);
    if (placed && placed->price_uusd) {
        podsku_buf_printf(&line, ", %s USD/h", podsku_money_text(placed->price_uusd, billed));
        if (event->entry && !placed->type_unknown && same_price(event->entry->price_uusd, placed->price_uusd))
            podsku_buf_puts(&line, " as listed");
        else if (event->entry && !placed->type_unknown && event->entry->price_uusd)
            podsku_buf_printf(&line, " (%s %s)", event->entry->estimated ? "estimated" : "listed",
                              podsku_money_text(event->entry->price_uusd, listed));
    }
    say_loud(deploy, podsku_buf_text(&line));
    podsku_buf_free(&line);
}

static void say_labelled(struct cli_deploy *deploy, const struct podsku_deploy_event *event, bool loud)
{
    struct podsku_buf line = {0};

    put_label(&line, event);
    podsku_buf_puts(&line, event->text);
    put_own_type(&line, event);
    if (loud)
        say_loud(deploy, podsku_buf_text(&line));
    else
        cli_say(deploy->cli, "%s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

/* "    +0:41 STARTING   +2:10 RUNNING" grows by one state. */
static void add_state(struct cli_deploy *deploy, const struct podsku_deploy_event *event)
{
    char elapsed[CLI_ELAPSED_SIZE];
    size_t len = strlen(deploy->talk.line);

    (void)cli_elapsed_text(event->elapsed_ms, elapsed);
    deploy->talk.said_mono_ms = event->elapsed_ms;
    if (!deploy->cli->progress) {
        cli_say(deploy->cli, "    %s %s", elapsed, event->state ? event->state : "?");
        return;
    }
    if (len + 64 < sizeof deploy->talk.line)
        (void)snprintf(deploy->talk.line + len, sizeof deploy->talk.line - len, "%s%s %.40s", len ? "   " : "    ",
                       elapsed, event->state ? event->state : "?");
    cli_progress(deploy->cli, "%s", deploy->talk.line);
}

static void show_waiting(struct cli_deploy *deploy, const struct podsku_deploy_event *event)
{
    char elapsed[CLI_ELAPSED_SIZE], money[PODSKU_MONEY_TEXT_SIZE];
    int64_t cents_uusd = event->spent_uusd - event->spent_uusd % 10000;

    (void)cli_elapsed_text(event->elapsed_ms, elapsed);
    if (deploy->cli->progress) {
        cli_progress(deploy->cli, "%s   %s  %s USD so far", deploy->talk.line, elapsed,
                     podsku_money_text(cents_uusd, money));
        return;
    }
    if (event->elapsed_ms - deploy->talk.said_mono_ms < PLAIN_EVERY_MS)
        return;
    deploy->talk.said_mono_ms = event->elapsed_ms;
    cli_say(deploy->cli, "    %s %s, %s USD so far", elapsed, event->state ? event->state : "waiting",
            podsku_money_text(cents_uusd, money));
}

static void show_pause(struct cli_deploy *deploy, const struct podsku_deploy_event *event)
{
    int64_t seconds = (event->wait_ms + 999) / 1000;

    if (deploy->cli->progress)
        cli_progress(deploy->cli, "    waiting %" PRId64 " s before the next create", seconds);
    else if (event->wait_ms >= PAUSE_WORTH_A_LINE_MS)
        cli_say(deploy->cli, "    waiting %" PRId64 " s before the next create", seconds);
}

/* What only moves the progress line; true when the event was one of these. */
static bool show_progress(struct cli_deploy *deploy, const struct podsku_deploy_event *event)
{
    char elapsed[CLI_ELAPSED_SIZE];
    struct podsku_buf label = {0};

    switch (event->kind) {
    case PODSKU_EVENT_SENDING:
        put_label(&label, event);
        cli_progress(deploy->cli, "%screating", podsku_buf_text(&label));
        podsku_buf_free(&label);
        return true;
    case PODSKU_EVENT_SETTLING:
        cli_progress(deploy->cli, "    %s looking for a pod that may exist",
                     cli_elapsed_text(event->elapsed_ms, elapsed));
        return true;
    case PODSKU_EVENT_PAUSE: show_pause(deploy, event); return true;
    case PODSKU_EVENT_STATE: add_state(deploy, event); return true;
    case PODSKU_EVENT_WAITING: show_waiting(deploy, event); return true;
    default: return false;
    }
}

void cli_deploy_event(void *ctx, const struct podsku_deploy_event *event)
{
    struct cli_deploy *deploy = ctx;

    if (show_progress(deploy, event))
        return;
    end_line(deploy);
    deploy->talk.said_mono_ms = 0;
    switch (event->kind) {
    case PODSKU_EVENT_ANSWER: say_answer(deploy, event); break;
    case PODSKU_EVENT_MADE: say_made(deploy, event); break;
    case PODSKU_EVENT_ADOPTED: say_labelled(deploy, event, true); break;
    case PODSKU_EVENT_SKIPPED: say_labelled(deploy, event, false); break;
    case PODSKU_EVENT_WARNING:
    case PODSKU_EVENT_NOT_GONE:
    case PODSKU_EVENT_OPEN: cli_warn(deploy->cli, "%s", event->text); break;
    case PODSKU_EVENT_KEPT: say_loud(deploy, event->text); break;
    case PODSKU_EVENT_LOG: cli_say(deploy->cli, "    | %s", event->text); break;
    case PODSKU_EVENT_NOTE:
    case PODSKU_EVENT_TERMINATING:
    case PODSKU_EVENT_GONE: cli_say(deploy->cli, "    %s", event->text); break;
    default: break;
    }
}
