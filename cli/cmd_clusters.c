/* podsku clusters: the verbs of pods, for Instant Clusters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "cli/account.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/signals.h"
#include "cli/table.h"
#include "client/gone.h"

struct clusters {
    struct cli *cli;
    struct podsku_client *client;
    const char *id;
    int64_t settle_ms;
};

static int64_t now_of(const struct clusters *clusters)
{
    return podsku_clock_wall_ms(podsku_client_clock(clusters->client));
}

/* A cluster has no env of its own: its mark is its members', and its name holds the launch id. */
static const char *launch_of(const struct podsku_cluster *cluster, const struct podsku_pods *pods)
{
    for (size_t i = 0; i < pods->count; i++) {
        const struct podsku_pod *pod = &pods->list[i];
        if (pod->marks.launch_id && pod->cluster_id && strcmp(pod->cluster_id, cluster->id) == 0)
            return pod->marks.launch_id;
    }
    return NULL;
}

/* What all members cost an hour; 0 when one of them does not say. */
static int64_t rate_of(const struct podsku_cluster *cluster, const struct podsku_pods *pods)
{
    int64_t sum = 0;
    int counted = 0;

    for (size_t i = 0; i < pods->count; i++) {
        const struct podsku_pod *pod = &pods->list[i];
        if (!pod->cluster_id || strcmp(pod->cluster_id, cluster->id) != 0)
            continue;
        if (!pod->cost_known || pod->cost_uusd > PODSKU_UUSD_MAX - sum)
            return 0;
        sum += pod->cost_uusd;
        counted++;
    }
    return counted == cluster->pod_count ? sum : 0;
}

static enum podsku_code table(struct clusters *clusters, const struct podsku_clusters *found,
                              const struct podsku_pods *pods, struct podsku_buf *out)
{
    static const struct cli_column columns[] = {
        {"CLUSTER", false, false, 0}, {"NAME", false, true, 1}, {"TYPE", false, false, 2},
        {"GPU TYPE", false, true, 0}, {"GPUS", true, false, 0}, {"NODES", true, false, 0},
        {"WHERE", false, false, 3},   {"AGE", true, false, 0},  {"USD/h", true, false, 0},
        {"LAUNCH", false, true, 4},
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct cli *cli = clusters->cli;
    struct cli_table *rows = NULL;
    enum podsku_code code = cli_table_new(columns, COLUMNS, cli->width, &rows, &cli->err);

    for (size_t i = 0; !code && i < found->count; i++) {
        const struct podsku_cluster *cluster = &found->list[i];
        int64_t rate_uusd = rate_of(cluster, pods);
        char gpus[16], nodes[16], age[CLI_AGE_SIZE], money[PODSKU_MONEY_TEXT_SIZE];
        (void)snprintf(gpus, sizeof gpus, "%d", cluster->gpus_per_pod);
        (void)snprintf(nodes, sizeof nodes, "%d", cluster->pod_count);
        const char *const cells[COLUMNS] = {
            cluster->id,
            cluster->name,
            cluster->type,
            cluster->gpu_id,
            cluster->gpus_per_pod ? gpus : NULL,
            cluster->pod_count ? nodes : NULL,
            cluster->data_center,
            cli_age_text(cluster->created_ms, now_of(clusters), age),
            rate_uusd ? podsku_money_text(rate_uusd, money) : NULL,
            launch_of(cluster, pods),
        };
        code = cli_table_row(rows, cells, &cli->err);
    }
    if (!code)
        code = cli_table_print(rows, out, &cli->err);
    cli_table_free(rows);
    return code;
}

static enum podsku_code write_text(struct cli *cli, const struct podsku_buf *out)
{
    if (podsku_buf_failed(out))
        return podsku_error_no_memory(&cli->err);
    return cli_write(cli, podsku_buf_text(out), out->len);
}

static void keep_mine(struct podsku_clusters *found, const struct podsku_pods *pods)
{
    size_t kept = 0;

    for (size_t i = 0; i < found->count; i++) {
        if (launch_of(&found->list[i], pods))
            found->list[kept++] = found->list[i];
        else
            podsku_cluster_clear(&found->list[i]);
    }
    found->count = kept;
}

static enum podsku_code list(struct clusters *clusters)
{
    struct cli *cli = clusters->cli;
    struct podsku_clusters found = {0};
    struct podsku_pods pods = {0};
    struct podsku_buf out = {0};
    enum podsku_code code = podsku_api_list_clusters(clusters->client, &found, &cli->err);

    if (!code && found.count)
        code = podsku_api_list_pods(clusters->client, PODSKU_API_V2, true, &pods, &cli->err);
    if (!code && cli_has(cli, "mine"))
        keep_mine(&found, &pods);
    if (!code && cli->output == CLI_JSON) {
        code = cli_write_json(cli, cli_clusters_json(&found, &pods, false, now_of(clusters)));
    } else if (!code && found.count == 0) {
        cli_say(cli, cli_has(cli, "mine") ? "no cluster that podsku made" : "no clusters");
    } else if (!code) {
        code = table(clusters, &found, &pods, &out);
        if (!code)
            code = write_text(cli, &out);
    }
    podsku_buf_free(&out);
    podsku_pods_free(&pods);
    podsku_clusters_free(&found);
    return code;
}

/* The cluster with its members. */
static enum podsku_code read_one(struct clusters *clusters, struct podsku_cluster *cluster, struct podsku_pods *members)
{
    struct podsku_error *err = &clusters->cli->err;
    enum podsku_code code = podsku_api_get_cluster(clusters->client, clusters->id, cluster, err);

    return code ? code : podsku_api_cluster_pods(clusters->client, clusters->id, members, err);
}

static enum podsku_code show(struct clusters *clusters, struct podsku_cluster *cluster,
                             const struct podsku_pods *members)
{
    struct cli *cli = clusters->cli;
    struct podsku_clusters one = {.list = cluster, .count = 1};
    struct podsku_buf out = {0};
    char time[PODSKU_TIME_TEXT_SIZE];
    enum podsku_code code;

    if (cli->output == CLI_JSON)
        return cli_write_json(cli, cli_clusters_json(&one, members, true, now_of(clusters)));
    code = table(clusters, &one, members, &out);
    int64_t expires_s = cli_cluster_expires_s(cluster, members);
    if (expires_s)
        podsku_buf_printf(&out, "  expires %s\n", podsku_time_text(expires_s * 1000, time));
    for (size_t i = 0; !code && i < members->count; i++) {
        const struct podsku_pod *pod = &members->list[i];
        struct podsku_buf line = {0};
        podsku_buf_printf(&line, "  rank %d  %s  %s  %s  ", pod->cluster_rank, pod->id,
                          pod->status_word ? pod->status_word : "unknown", pod->cluster_ip ? pod->cluster_ip : "-");
        cli_ssh_line(&line, &pod->ssh, NULL);
        podsku_text_printable(&out, podsku_buf_text(&line), line.len, false);
        podsku_buf_putc(&out, '\n');
        podsku_buf_free(&line);
    }
    if (!code)
        code = write_text(cli, &out);
    podsku_buf_free(&out);
    return code;
}

static enum podsku_code get(struct clusters *clusters)
{
    struct podsku_cluster cluster = {0};
    struct podsku_pods members = {0};
    enum podsku_code code = read_one(clusters, &cluster, &members);

    if (!code)
        code = show(clusters, &cluster, &members);
    podsku_pods_free(&members);
    podsku_cluster_clear(&cluster);
    return code;
}

/*
 * The service stops and starts pods, and lets members be managed through their cluster only, which has
 * no such route (OpenAPI document, August 2026). Asking is the only way to know; it is asked once.
 */
static enum podsku_code act(struct clusters *clusters, const char *action)
{
    struct cli *cli = clusters->cli;
    struct podsku_cluster cluster = {0};
    struct podsku_pods members = {0};
    enum podsku_code code = read_one(clusters, &cluster, &members);

    for (size_t i = 0; !code && i < members.count; i++) {
        code = podsku_api_pod_action(clusters->client, PODSKU_API_V2, members.list[i].id, action, &cli->err);
        if (code)
            podsku_error_context(&cli->err, "member %s", members.list[i].id);
    }
    if (code && code != PODSKU_NOT_FOUND)
        podsku_error_hint(&cli->err,
                          "the service manages the members of a cluster through the cluster, and that can "
                          "only be ended: podsku clusters terminate %s",
                          clusters->id);
    podsku_pods_free(&members);
    memset(&members, 0, sizeof members);
    if (!code)
        code = podsku_api_cluster_pods(clusters->client, clusters->id, &members, &cli->err);
    if (!code)
        code = show(clusters, &cluster, &members);
    podsku_pods_free(&members);
    podsku_cluster_clear(&cluster);
    return code;
}

static enum podsku_code stop(struct clusters *clusters)
{
    enum podsku_code code = act(clusters, "stop");

    if (!code)
        cli_say(clusters->cli, "local volumes go on costing while they are stopped: podsku clusters terminate %s",
                clusters->id);
    return code;
}

static enum podsku_code start(struct clusters *clusters)
{
    enum podsku_code code = act(clusters, "start");

    if (!code)
        cli_say(clusters->cli, "nothing was verified by that: podsku verify --cluster %s", clusters->id);
    return code;
}

static void say_gone(void *ctx, const char *text)
{
    const struct clusters *clusters = ctx;

    cli_say(clusters->cli, "    %s", text);
}

static enum podsku_code end(struct clusters *clusters, struct podsku_cluster *cluster)
{
    struct cli *cli = clusters->cli;
    struct podsku_signals signals = cli_signals_hooks();
    struct podsku_gone_result gone = {0};
    struct podsku_clusters one = {.list = cluster, .count = 1};
    struct podsku_pods none = {0};
    const struct podsku_gone_request request = {
        .api = PODSKU_API_V2,
        .id = clusters->id,
        .cluster = true,
        .settle_ms = clusters->settle_ms,
        .signals = &signals,
        .say = say_gone,
        .say_ctx = clusters,
    };
    enum podsku_code code = podsku_prove_gone(clusters->client, &request, &gone, &cli->err);

    code = cli_judge_gone(cli, code, &gone, "clusters", clusters->id);
    if (code)
        return code;
    cli_journal_gone(cli, clusters->client, clusters->id);
    cli_say(cli, "%s is gone: %s", clusters->id, gone.how);
    if (cli->output == CLI_JSON)
        return cli_write_json(cli, cli_clusters_json(&one, &none, true, now_of(clusters)));
    struct podsku_buf out = {0};
    podsku_buf_printf(&out, "%s  TERMINATED\n", clusters->id);
    code = write_text(cli, &out);
    podsku_buf_free(&out);
    return code;
}

/* A cluster that is gone may have left pods behind: the list still has them under its id. */
static enum podsku_code read_orphans(struct clusters *clusters, struct podsku_cluster *cluster,
                                     struct podsku_pods *members)
{
    struct podsku_error failure = {0};
    struct podsku_pods pods = {0};
    bool lives = false;

    podsku_pods_free(members);
    if (podsku_api_list_pods(clusters->client, PODSKU_API_V2, true, &pods, &failure) != PODSKU_OK)
        return PODSKU_NOT_FOUND;
    for (size_t i = 0; i < pods.count; i++) {
        const struct podsku_pod *pod = &pods.list[i];
        lives = lives ||
                (pod->cluster_id && strcmp(pod->cluster_id, clusters->id) == 0 && pod->status != PODSKU_POD_TERMINATED);
    }
    if (!lives) {
        podsku_pods_free(&pods);
        return PODSKU_NOT_FOUND;
    }
    podsku_error_clear(&clusters->cli->err);
    podsku_cluster_clear(cluster);
    *members = pods; /* launch_of() looks at those of this cluster alone */
    cluster->id = strdup(clusters->id);
    return cluster->id ? PODSKU_OK : podsku_error_no_memory(&clusters->cli->err);
}

static enum podsku_code terminate(struct clusters *clusters)
{
    struct cli *cli = clusters->cli;
    struct podsku_cluster cluster = {0};
    struct podsku_pods members = {0};
    enum podsku_code code = read_one(clusters, &cluster, &members);

    if (code == PODSKU_NOT_FOUND)
        code = read_orphans(clusters, &cluster, &members);
    if (!code && !launch_of(&cluster, &members) && !cli_has(cli, "yes")) {
        podsku_error_hint(&cli->err, "if it is the one you mean: podsku clusters terminate %s --yes", clusters->id);
        code = podsku_error_set(&cli->err, PODSKU_USAGE, "%s (%s) was not made by podsku: nothing was done",
                                clusters->id, cluster.name ? cluster.name : "no name");
    } else if (!code) {
        code = end(clusters, &cluster);
    }
    podsku_pods_free(&members);
    podsku_cluster_clear(&cluster);
    return code;
}

int cli_run_clusters(struct cli *cli)
{
    static const struct {
        const char *verb;
        enum podsku_code (*run)(struct clusters *clusters);
    } verbs[] = {{"list", list}, {"get", get}, {"stop", stop}, {"start", start}, {"terminate", terminate}};
    struct clusters clusters = {.cli = cli, .settle_ms = PODSKU_SETTLE_TIMEOUT_MS};
    size_t count;
    const char *const *operands = cli_operands(cli, &count);
    enum podsku_code code = PODSKU_OK;

    cli_signals_catch();
    clusters.id = count ? operands[0] : NULL;
    if (strcmp(cli_verb(cli), "list") != 0 && strcmp(cli_verb(cli), "get") != 0)
        code = cli_duration(cli, "settle-timeout", PODSKU_SETTLE_TIMEOUT_MS, &clusters.settle_ms);
    if (!code)
        code = cli_client(cli, true, &clusters.client);
    for (size_t i = 0; !code && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].verb, cli_verb(cli)) == 0)
            code = verbs[i].run(&clusters);
    }
    podsku_client_free(clusters.client);
    return code ? cli_fail(cli) : 0;
}
