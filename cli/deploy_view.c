/*
 * The result of a deploy as the podsku.deploy/1 document and as text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/money.h"
#include "base/text.h"
#include "cli/deploy.h"
#include "cli/json_offer.h"
#include "cli/progress.h"
#include "cli/view_pick.h"

/* The last verification: of what was handed over, else of the last attempt that was looked at. */
static json_t *last_report(const struct podsku_deploy_result *result)
{
    json_t *report = result ? result->report : NULL;

    for (size_t i = result ? result->attempt_count : 0; !report && i > 0; i--)
        report = result->attempts[i - 1].report;
    return report ? json_incref(report) : json_null();
}

static json_t *plan_json(const struct cli_round *round)
{
    json_t *list = json_array();

    for (size_t i = 0; list && round && i < round->entry_count; i++) {
        if (!cli_json_append(list, cli_offer_json(round->entries[i].tag, i + 1))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *left_out_json(const struct cli_round *round)
{
    json_t *list = json_array();

    for (size_t i = 0; list && round && i < round->left_out_count; i++) {
        if (!cli_json_append(list, cli_offer_json(round->left_out[i], round->entry_count + i + 1))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* What went wrong, as in podsku.error/1; null when nothing did. */
static json_t *error_json(const struct podsku_error *err)
{
    json_t *object;

    if (err->code == PODSKU_OK)
        return json_null();
    object = json_object();
    bool whole = podsku_json_set(object, "code", json_string(podsku_code_name(err->code))) &&
                 podsku_json_set(object, "message", podsku_json_text(err->message)) &&
                 podsku_json_set(object, "hint", podsku_json_text(err->hint[0] ? err->hint : NULL)) &&
                 podsku_json_set(object, "request_id", podsku_json_text(err->request_id[0] ? err->request_id : NULL));
    return podsku_json_whole(object, whole);
}

json_t *cli_deploy_json(const struct cli_deploy *deploy, const struct podsku_deploy_result *result,
                        enum podsku_deploy_end end)
{
    json_t *doc = json_object();
    bool ok = podsku_json_set(doc, "schema", json_string("podsku.deploy/1"));

    ok = ok && podsku_json_set(doc, "launch_id", podsku_json_text(deploy->launch_id[0] ? deploy->launch_id : NULL));
    ok = ok && podsku_json_set(doc, "api", json_string(podsku_api_name(deploy->options.spec.api)));
    ok = ok && podsku_json_set(doc, "result", json_string(podsku_deploy_end_name(end)));
    ok = ok && podsku_json_set(doc, "pod", result ? podsku_deploy_pod_json(result) : json_null());
    ok = ok && podsku_json_set(doc, "cluster", result ? podsku_deploy_cluster_json(result) : json_null());
    ok = ok && podsku_json_set(doc, "verification", last_report(result));
    ok = ok && podsku_json_set(doc, "spent_usd", json_real(result ? podsku_money_to_double(result->spent_uusd) : 0.0));
    ok = ok && podsku_json_set(doc, "attempts", result ? podsku_deploy_attempts_json(result) : json_array());
    ok = ok && podsku_json_set(doc, "plan", plan_json(deploy->round));
    ok = ok && podsku_json_set(doc, "left_out", left_out_json(deploy->round));
    ok = ok && podsku_json_set(doc, "open", result ? podsku_deploy_open_json(result) : json_array());
    ok = ok &&
         podsku_json_set(doc, "error", error_json(result && !deploy->cli->err.code ? &result->why : &deploy->cli->err));
    return podsku_json_whole(doc, ok);
}

enum podsku_deploy_end cli_deploy_end_of(enum podsku_code code)
{
    switch (code) {
    case PODSKU_NO_CAPACITY: return PODSKU_DEPLOY_NO_CAPACITY;
    case PODSKU_INTERRUPTED: return PODSKU_DEPLOY_INTERRUPTED;
    case PODSKU_TIMEOUT: return PODSKU_DEPLOY_TIMEOUT;
    default: return PODSKU_DEPLOY_FAILED;
    }
}

/* What is known of the hardware or the state, in one word. */
static const char *state_word(const struct cli_deploy *deploy, const struct podsku_deploy_result *result)
{
    /* Why it is kept is known by then. What is handed over while something else stays open is not kept. */
    if (result->code != PODSKU_OK && deploy->cli->err.code != PODSKU_OK)
        return "kept";
    if (deploy->options.verify && result->report)
        return "verified";
    return deploy->options.wait ? "running" : "created";
}

static void put_pod(const struct cli_deploy *deploy, const struct podsku_deploy_result *result, struct podsku_buf *out)
{
    const struct podsku_placed *placed = &result->placed;
    const struct podsku_plan_entry *entry = placed->entry;
    bool cluster = placed->cluster.id != NULL;
    const char *gpu = cluster ? placed->cluster.gpu_id : placed->pod.gpu_id;
    int own_gpus = cluster ? placed->cluster.gpus_per_pod : placed->pod.gpus;
    int gpus = entry && !own_gpus ? entry->gpus : own_gpus;
    const char *name = gpu ? gpu : "unknown type";
    const char *place = cluster ? placed->cluster.data_center : placed->pod.data_center;
    char money[PODSKU_MONEY_TEXT_SIZE];

    /* The candidate that was asked for only where the pod does not say that it is something else. */
    if (entry && !placed->type_unknown && (!gpu || strcmp(gpu, entry->gpu_id) == 0))
        name = entry->name ? entry->name : entry->gpu_id;
    podsku_buf_printf(out, "%s  %s x%d", cluster ? placed->cluster.id : placed->pod.id, name, gpus);
    if (cluster)
        podsku_buf_printf(out, ", %d nodes", placed->cluster.pod_count);
    podsku_buf_printf(out, "  %s  ", place ? place : "-");
    if (placed->price_uusd)
        podsku_buf_printf(out, "%s USD/h", podsku_money_text(placed->price_uusd, money));
    else
        podsku_buf_puts(out, "price unknown");
    podsku_buf_printf(out, "  %s", state_word(deploy, result));
    if (!cluster && placed->pod.ssh.host) {
        podsku_buf_puts(out, "  ");
        cli_ssh_line(out, &placed->pod.ssh, &deploy->ssh);
    }
    podsku_buf_putc(out, '\n');
}

/* "  rank 0  ID  10.65.0.2  ssh ...": who talks to whom. */
static void put_members(const struct cli_deploy *deploy, const struct podsku_placed *placed, struct podsku_buf *out)
{
    for (size_t i = 0; i < placed->members.count; i++) {
        const struct podsku_pod *pod = &placed->members.list[i];
        if (pod->cluster_rank >= 0)
            podsku_buf_printf(out, "  rank %d", pod->cluster_rank);
        else
            podsku_buf_puts(out, "  rank ?");
        podsku_buf_printf(out, "  %s  %s", pod->id, pod->cluster_ip ? pod->cluster_ip : "-");
        if (pod->ssh.host) {
            podsku_buf_puts(out, "  ");
            cli_ssh_line(out, &pod->ssh, &deploy->ssh);
        }
        podsku_buf_putc(out, '\n');
    }
}

/* The service's words may hold anything; a terminal gets none of its control bytes. */
void cli_deploy_line(const struct cli_deploy *deploy, const struct podsku_deploy_result *result, struct podsku_buf *out)
{
    struct podsku_buf raw = {0};

    put_pod(deploy, result, &raw);
    put_members(deploy, &result->placed, &raw);
    podsku_text_printable(out, podsku_buf_text(&raw), raw.len, true);
    if (podsku_buf_failed(&raw))
        out->failed = true;
    podsku_buf_free(&raw);
}

static void say_after(const struct cli_deploy *deploy, const struct podsku_deploy_result *result)
{
    struct cli *cli = deploy->cli;
    bool cluster = result->placed.cluster.id != NULL;
    const char *id = cluster ? result->placed.cluster.id : result->placed.pod.id;
    const struct podsku_pod *first = result->placed.members.count ? &result->placed.members.list[0] : NULL;
    char money[PODSKU_MONEY_TEXT_SIZE], time[PODSKU_TIME_TEXT_SIZE];

    if (first && first->cluster_rank == 0 && first->cluster_ip)
        cli_say(cli, "rank 0 is %s (%s): MASTER_ADDR; the nodes talk over ens1 to ens8, eth0 is the internet",
                first->id, first->cluster_ip);
    if (!deploy->options.verify)
        cli_say(cli, "hardware not looked at: podsku verify --%s %s", cluster ? "cluster" : "pod", id);
    (void)podsku_money_text(result->spent_uusd - result->spent_uusd % 10000, money);
    if (result->placed.expires_s) {
        cli_say(cli,
                "spent so far %s USD; marked as over at %s: podsku reconcile --expired --terminate ends it then, "
                "podsku %s terminate %s now",
                money, podsku_time_text(result->placed.expires_s * 1000, time), cluster ? "clusters" : "pods", id);
        return;
    }
    cli_say(cli, "spent so far %s USD; nothing ends this %s for you: podsku %s terminate %s", money,
            cluster ? "cluster" : "pod", cluster ? "clusters" : "pods", id);
}

/* Flushed to standard output: then, and only then, the user knows of the pod. */
enum podsku_code cli_deploy_hand_over(void *ctx, const struct podsku_deploy_result *result, struct podsku_error *err)
{
    struct cli_deploy *deploy = ctx;
    struct cli *cli = deploy->cli;
    struct podsku_buf out = {0};
    enum podsku_code code;

    cli_progress_end(cli);
    deploy->talk.line[0] = '\0';
    if (cli->output == CLI_JSON) {
        code = cli_write_json(cli, cli_deploy_json(deploy, result, result->end));
    } else {
        cli_deploy_line(deploy, result, &out);
        code = podsku_buf_failed(&out) ? podsku_error_no_memory(&cli->err)
                                       : cli_write(cli, podsku_buf_text(&out), out.len);
    }
    podsku_buf_free(&out);
    if (code) {
        *err = cli->err;
        podsku_error_clear(&cli->err);
        return code;
    }
    deploy->handed_over = true;
    say_after(deploy, result);
    return PODSKU_OK;
}
