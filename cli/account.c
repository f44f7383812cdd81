#include "cli/account.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/money.h"
#include "base/text.h"
#include "cli/json_offer.h"
#include "cli/ssh.h"
#include "cli/table.h"
#include "client/journal.h"

#define MS_PER_HOUR INT64_C(3600000)

int64_t cli_pod_spent_uusd(const struct podsku_pod *pod, int64_t now_ms)
{
    bool ended = pod->status == PODSKU_POD_EXITED || pod->status == PODSKU_POD_TERMINATED;
    int64_t spent;

    if (ended || !pod->cost_known || !pod->created_ms || now_ms < pod->created_ms ||
        !podsku_money_scale(pod->cost_uusd, now_ms - pod->created_ms, MS_PER_HOUR, &spent))
        return 0;
    return spent;
}

const char *cli_age_text(int64_t created_ms, int64_t now_ms, char text[CLI_AGE_SIZE])
{
    int64_t seconds = created_ms && now_ms > created_ms ? (now_ms - created_ms) / 1000 : 0;

    if (!created_ms)
        (void)snprintf(text, CLI_AGE_SIZE, "-");
    else if (seconds >= 86400)
        (void)snprintf(text, CLI_AGE_SIZE, "%" PRId64 "d %" PRId64 "h", seconds / 86400, seconds / 3600 % 24);
    else if (seconds >= 3600)
        (void)snprintf(text, CLI_AGE_SIZE, "%" PRId64 "h %" PRId64 "m", seconds / 3600, seconds / 60 % 60);
    else if (seconds >= 60)
        (void)snprintf(text, CLI_AGE_SIZE, "%" PRId64 "m", seconds / 60);
    else
        (void)snprintf(text, CLI_AGE_SIZE, "%" PRId64 "s", seconds);
    return text;
}

static json_t *number_or_null(int64_t number, bool known)
{
    return known ? json_integer(number) : json_null();
}

static json_t *ssh_json(const struct podsku_ssh *ssh)
{
    json_t *object;

    if (!ssh->host)
        return json_null();
    object = json_object();
    bool whole = podsku_json_set(object, "host", podsku_json_text(ssh->host)) &&
                 podsku_json_set(object, "port", json_integer(ssh->port)) &&
                 podsku_json_set(object, "username", podsku_json_text(ssh->username)) &&
                 podsku_json_set(object, "command", podsku_json_text(ssh->command));
    return podsku_json_whole(object, whole);
}

static json_t *pod_json(const struct podsku_pod *pod, int64_t now_ms)
{
    json_t *object = json_object();
    bool aged = pod->created_ms && now_ms >= pod->created_ms;
    bool ok = podsku_json_set(object, "id", podsku_json_text(pod->id));

    ok = ok && podsku_json_set(object, "name", podsku_json_text(pod->name));
    ok = ok && podsku_json_set(object, "status", podsku_json_text(pod->status_word));
    ok = ok && podsku_json_set(object, "gpu", podsku_json_text(pod->gpu_id));
    ok = ok && podsku_json_set(object, "gpus", number_or_null(pod->gpus, pod->gpus > 0));
    ok = ok && podsku_json_set(object, "cloud", podsku_json_text(pod->cloud));
    ok = ok && podsku_json_set(object, "data_center", podsku_json_text(pod->data_center));
    ok = ok && podsku_json_set(object, "price_per_hour", podsku_json_money(pod->cost_known ? pod->cost_uusd : 0));
    ok = ok && podsku_json_set(object, "created_at", podsku_json_time(pod->created_ms));
    ok = ok && podsku_json_set(object, "age_s", number_or_null(aged ? (now_ms - pod->created_ms) / 1000 : 0, aged));
    ok = ok && podsku_json_set(object, "spent_usd", podsku_json_money(cli_pod_spent_uusd(pod, now_ms)));
    ok = ok && podsku_json_set(object, "launch_id", podsku_json_text(pod->marks.launch_id));
    ok = ok && podsku_json_set(object, "attempt", number_or_null(pod->marks.attempt, pod->marks.attempt > 0));
    ok = ok && podsku_json_set(object, "expires_at", podsku_json_time(pod->marks.expires_s * 1000));
    ok = ok && podsku_json_set(object, "cluster", podsku_json_text(pod->cluster_id));
    ok = ok &&
         podsku_json_set(object, "rank", number_or_null(pod->cluster_rank, pod->cluster_id && pod->cluster_rank >= 0));
    ok = ok && podsku_json_set(object, "volume_gb", number_or_null(pod->volume_gb, pod->volume_gb > 0));
    ok = ok && podsku_json_set(object, "ssh", ssh_json(&pod->ssh));
    return podsku_json_whole(object, ok);
}

static json_t *pod_list(const struct podsku_pods *pods, int64_t now_ms)
{
    json_t *list = json_array();

    for (size_t i = 0; list && i < pods->count; i++) {
        if (!cli_json_append(list, pod_json(&pods->list[i], now_ms))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

json_t *cli_pods_json(const struct podsku_pods *pods, int64_t now_ms)
{
    json_t *doc = json_object();

    bool whole = podsku_json_set(doc, "schema", json_string("podsku.pods/1")) &&
                 podsku_json_set(doc, "pods", pod_list(pods, now_ms));
    return podsku_json_whole(doc, whole);
}

int64_t cli_cluster_expires_s(const struct podsku_cluster *cluster, const struct podsku_pods *pods)
{
    int64_t expires_s = 0;

    for (size_t i = 0; pods && i < pods->count; i++) {
        const struct podsku_pod *pod = &pods->list[i];
        if (pod->cluster_id && strcmp(pod->cluster_id, cluster->id) == 0 && pod->marks.launch_id &&
            pod->marks.expires_s && (!expires_s || pod->marks.expires_s < expires_s))
            expires_s = pod->marks.expires_s;
    }
    return expires_s;
}

static json_t *cluster_json(const struct podsku_cluster *cluster, const struct podsku_pods *pods, bool members,
                            int64_t now_ms)
{
    json_t *object = json_object();
    bool ok = podsku_json_set(object, "id", podsku_json_text(cluster->id));

    ok = ok && podsku_json_set(object, "name", podsku_json_text(cluster->name));
    ok = ok && podsku_json_set(object, "type", podsku_json_text(cluster->type));
    ok = ok && podsku_json_set(object, "gpu", podsku_json_text(cluster->gpu_id));
    ok = ok && podsku_json_set(object, "gpus", number_or_null(cluster->gpus_per_pod, cluster->gpus_per_pod > 0));
    ok = ok && podsku_json_set(object, "nodes", number_or_null(cluster->pod_count, cluster->pod_count > 0));
    ok = ok && podsku_json_set(object, "data_center", podsku_json_text(cluster->data_center));
    ok = ok && podsku_json_set(object, "created_at", podsku_json_time(cluster->created_ms));
    ok = ok && podsku_json_set(object, "expires_at", podsku_json_time(cli_cluster_expires_s(cluster, pods) * 1000));
    ok = ok && podsku_json_set(object, "pods", members ? pod_list(pods, now_ms) : json_null());
    return podsku_json_whole(object, ok);
}

json_t *cli_clusters_json(const struct podsku_clusters *clusters, const struct podsku_pods *pods, bool members,
                          int64_t now_ms)
{
    json_t *doc = json_object();
    json_t *list = json_array();
    bool ok = list && podsku_json_set(doc, "schema", json_string("podsku.clusters/1"));

    for (size_t i = 0; ok && i < clusters->count; i++)
        ok = cli_json_append(list, cluster_json(&clusters->list[i], pods, members && i == 0, now_ms));
    if (ok)
        return podsku_json_set(doc, "clusters", list) ? doc : NULL;
    json_decref(list);
    json_decref(doc);
    return NULL;
}

/* "12.72" to cents; NULL when unknown. */
static const char *cents(int64_t uusd, bool known, char text[PODSKU_MONEY_TEXT_SIZE])
{
    return known ? podsku_money_text(uusd - uusd % 10000, text) : NULL;
}

enum podsku_code cli_pods_table(struct cli *cli, const struct podsku_pods *pods, int64_t now_ms, struct podsku_buf *out)
{
    static const struct cli_column columns[] = {
        {"POD", false, false, 0},   {"NAME", false, true, 1},   {"GPU TYPE", false, true, 0}, {"GPUS", true, false, 0},
        {"CLOUD", false, false, 2}, {"WHERE", false, false, 3}, {"STATE", false, false, 0},   {"AGE", true, false, 0},
        {"USD/h", true, false, 0},  {"SO FAR", true, false, 0}, {"LAUNCH", false, true, 4},
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct cli_table *table = NULL;
    enum podsku_code code = cli_table_new(columns, COLUMNS, cli->width, &table, &cli->err);

    for (size_t i = 0; !code && i < pods->count; i++) {
        const struct podsku_pod *pod = &pods->list[i];
        char gpus[16], age[CLI_AGE_SIZE], rate[PODSKU_MONEY_TEXT_SIZE], spent[PODSKU_MONEY_TEXT_SIZE];
        int64_t spent_uusd = cli_pod_spent_uusd(pod, now_ms);
        (void)snprintf(gpus, sizeof gpus, "%d", pod->gpus);
        const char *const cells[COLUMNS] = {
            pod->id,
            pod->name,
            pod->gpu_id,
            pod->gpus > 0 ? gpus : NULL,
            pod->cloud,
            pod->data_center,
            pod->status_word,
            cli_age_text(pod->created_ms, now_ms, age),
            cents(pod->cost_uusd, pod->cost_known, rate),
            cents(spent_uusd, spent_uusd > 0, spent),
            pod->marks.launch_id,
        };
        code = cli_table_row(table, cells, &cli->err);
    }
    if (!code)
        code = cli_table_print(table, out, &cli->err);
    cli_table_free(table);
    return code;
}

static void put_fact(struct podsku_buf *out, const char *name, const char *value)
{
    if (!value)
        return;
    podsku_buf_printf(out, "%-12s", name);
    podsku_text_printable(out, value, strlen(value), false);
    podsku_buf_putc(out, '\n');
}

void cli_pod_page(const struct podsku_pod *pod, int64_t now_ms, struct podsku_buf *out)
{
    char text[64], age[CLI_AGE_SIZE], money[PODSKU_MONEY_TEXT_SIZE], time[PODSKU_TIME_TEXT_SIZE];
    struct podsku_buf ssh = {0};
    int64_t spent_uusd = cli_pod_spent_uusd(pod, now_ms);

    put_fact(out, "pod", pod->id);
    put_fact(out, "name", pod->name);
    put_fact(out, "state", pod->status_word ? pod->status_word : "unknown");
    put_fact(out, "GPU type", pod->gpu_id);
    (void)snprintf(text, sizeof text, "%d", pod->gpus);
    put_fact(out, "GPUs", pod->gpus > 0 ? text : NULL);
    put_fact(out, "cloud", pod->cloud);
    put_fact(out, "data center", pod->data_center);
    put_fact(out, "CUDA", pod->cuda);
    put_fact(out, "USD/h", pod->cost_known ? podsku_money_text(pod->cost_uusd, money) : NULL);
    put_fact(out, "age", pod->created_ms ? cli_age_text(pod->created_ms, now_ms, age) : NULL);
    put_fact(out, "USD so far", cents(spent_uusd, spent_uusd > 0, money));
    (void)snprintf(text, sizeof text, "%d GB", pod->volume_gb);
    put_fact(out, "volume", pod->volume_gb > 0 ? text : NULL);
    cli_ssh_line(&ssh, &pod->ssh, NULL);
    put_fact(out, "ssh", ssh.len ? podsku_buf_text(&ssh) : NULL);
    put_fact(out, "cluster", pod->cluster_id);
    put_fact(out, "launch", pod->marks.launch_id);
    put_fact(out, "expires", pod->marks.expires_s ? podsku_time_text(pod->marks.expires_s * 1000, time) : NULL);
    podsku_buf_free(&ssh);
}

enum podsku_code cli_api(struct cli *cli, enum podsku_api *api)
{
    const char *word = cli_value(cli, "api");
    const char *url = getenv("PODSKU_API_V1_URL");

    *api = word && strcmp(word, "v1") == 0 ? PODSKU_API_V1 : PODSKU_API_V2;
    if (*api == PODSKU_API_V2 || (url && *url))
        return PODSKU_OK;
    podsku_error_hint(&cli->err, "set PODSKU_API_V1_URL to the base of a service that keeps its shape, or leave --api "
                                 "out");
    return podsku_error_set(&cli->err, PODSKU_USAGE,
                            "--api v1 needs a service: Runpod retired its own REST v1 in November 2026");
}

static enum podsku_code note_gone(struct cli *cli, const struct podsku_client *client, const char *id)
{
    const char *folder;
    struct podsku_journal *journal = NULL;
    struct podsku_entries entries = {0};
    const struct podsku_entry *entry;
    bool same = false;
    enum podsku_code code = cli_state_dir(cli, &folder);

    if (!code)
        code = podsku_journal_open(folder, podsku_client_clock(client), &journal, &cli->err);
    if (!code)
        code = podsku_journal_read(journal, &entries, &cli->err);
    entry = code ? NULL : podsku_entries_by_pod(&entries, id);
    if (entry && entry->state != PODSKU_ENTRY_GONE && entry->state != PODSKU_ENTRY_NOT_MADE)
        code = podsku_entry_is_of(entry, client, &same, &cli->err);
    if (!code && same) {
        const struct podsku_outcome outcome = {.launch_id = entry->launch_id,
                                               .intent = entry->intent,
                                               .attempt = entry->attempt,
                                               .state = PODSKU_ENTRY_GONE,
                                               .pod_id = id,
                                               .why = "terminated by hand"};
        code = podsku_journal_outcome(journal, &outcome, &cli->err);
    }
    podsku_entries_free(&entries);
    podsku_journal_free(journal);
    return code;
}

void cli_journal_gone(struct cli *cli, const struct podsku_client *client, const char *id)
{
    struct podsku_error before = cli->err;

    podsku_error_clear(&cli->err);
    if (note_gone(cli, client, id) != PODSKU_OK)
        cli_warn(cli, "the journal does not know that %s is gone: %s", id, cli->err.message);
    cli->err = before;
}
