/* podsku pods: list, get, stop, start, terminate; each effect is confirmed by a later read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "cli/account.h"
#include "cli/command.h"
#include "cli/ending.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "client/gone.h"

#define POLL_MS 1000
#define SLICE_MS 200
#define LEAST_READ_MS 5000 /* a read has at least this long: one that has no time says nothing */

struct pods {
    struct cli *cli;
    struct podsku_client *client;
    enum podsku_api api;
    const char *id;
    int64_t settle_ms;
};

static int64_t now_of(const struct pods *pods)
{
    return podsku_clock_wall_ms(podsku_client_clock(pods->client));
}

static enum podsku_code write_text(struct cli *cli, struct podsku_buf *out)
{
    if (podsku_buf_failed(out))
        return podsku_error_no_memory(&cli->err);
    return cli_write(cli, podsku_buf_text(out), out->len);
}

/* The pod as a document or a page. */
static enum podsku_code show_pod(struct pods *pods, struct podsku_pod *pod, bool page)
{
    struct cli *cli = pods->cli;
    struct podsku_pods one = {.list = pod, .count = 1};
    struct podsku_buf out = {0};
    enum podsku_code code;

    if (cli->output == CLI_JSON)
        return cli_write_json(cli, cli_pods_json(&one, now_of(pods)));
    if (page)
        cli_pod_page(pod, now_of(pods), &out);
    else
        podsku_buf_printf(&out, "%s  %s\n", pod->id, pod->status_word ? pod->status_word : "unknown");
    code = write_text(cli, &out);
    podsku_buf_free(&out);
    return code;
}

static void keep_mine(struct podsku_pods *pods)
{
    size_t kept = 0;

    for (size_t i = 0; i < pods->count; i++) {
        if (pods->list[i].marks.launch_id)
            pods->list[kept++] = pods->list[i];
        else
            podsku_pod_clear(&pods->list[i]);
    }
    pods->count = kept;
}

static enum podsku_code list(struct pods *pods)
{
    struct cli *cli = pods->cli;
    struct podsku_pods found = {0};
    struct podsku_buf out = {0};
    /* Members of clusters cost money like any other pod. */
    enum podsku_code code =
        podsku_api_list_pods(pods->client, pods->api, pods->api == PODSKU_API_V2, &found, &cli->err);

    if (!code && cli_has(cli, "mine"))
        keep_mine(&found);
    if (!code && cli->output == CLI_JSON) {
        code = cli_write_json(cli, cli_pods_json(&found, now_of(pods)));
    } else if (!code && found.count == 0) {
        cli_say(cli, cli_has(cli, "mine") ? "no pod that podsku made" : "no pods");
    } else if (!code) {
        code = cli_pods_table(cli, &found, now_of(pods), &out);
        if (!code)
            code = write_text(cli, &out);
        cli_say(cli, "cost so far: rate x age, without disks; podsku pods get ID shows more");
    }
    podsku_buf_free(&out);
    podsku_pods_free(&found);
    return code;
}

/*
 * GET, and for a 404 the list: a new pod may answer 404 by its id and be listed already.
 * PODSKU_NOT_FOUND when neither knows it.
 */
static enum podsku_code find(struct pods *pods, struct podsku_pod *pod)
{
    struct podsku_error *err = &pods->cli->err;
    struct podsku_error missing;
    struct podsku_pods found = {0};
    enum podsku_code code = podsku_api_get_pod(pods->client, pods->api, pods->id, pod, err);

    if (code != PODSKU_NOT_FOUND)
        return code;
    missing = *err;
    podsku_error_clear(err);
    code = podsku_api_list_pods(pods->client, pods->api, pods->api == PODSKU_API_V2, &found, err);
    if (code)
        return code;
    *err = missing;
    for (size_t i = 0; i < found.count; i++) {
        if (strcmp(found.list[i].id, pods->id) != 0)
            continue;
        *pod = found.list[i];
        memset(&found.list[i], 0, sizeof found.list[i]);
        podsku_error_clear(err);
        break;
    }
    podsku_pods_free(&found);
    return err->code;
}

static enum podsku_code get(struct pods *pods)
{
    struct podsku_pod pod = {0};
    enum podsku_code code = find(pods, &pod);

    if (!code)
        code = show_pod(pods, &pod, true);
    podsku_pod_clear(&pod);
    return code;
}

static bool is_stopped(const struct podsku_pod *pod)
{
    return pod->status == PODSKU_POD_EXITED || pod->status == PODSKU_POD_TERMINATED;
}

static bool is_started(const struct podsku_pod *pod)
{
    return pod->status == PODSKU_POD_RUNNING || pod->status == PODSKU_POD_STARTING ||
           pod->status == PODSKU_POD_PROVISIONING;
}

static enum podsku_code read_until(struct pods *pods, bool (*done)(const struct podsku_pod *), int64_t deadline_ms,
                                   struct podsku_pod *pod)
{
    struct cli *cli = pods->cli;
    const struct podsku_clock *clock = podsku_client_clock(pods->client);

    for (;;) {
        enum podsku_code code;
        podsku_pod_clear(pod);
        code = podsku_api_get_pod(pods->client, pods->api, pods->id, pod, &cli->err);
        if (code || done(pod))
            return code;
        if (cli_signals_stop())
            return podsku_error_set(&cli->err, PODSKU_INTERRUPTED, "interrupted");
        int64_t left_ms = deadline_ms - podsku_clock_mono_ms(clock);
        if (left_ms <= 0)
            return podsku_error_set(&cli->err, PODSKU_TIMEOUT, "the request was accepted, but %s is still %s", pods->id,
                                    pod->status_word ? pod->status_word : "in an unknown state");
        cli_progress(cli, "    %s, waiting", pod->status_word ? pod->status_word : "unknown state");
        int64_t end_ms = podsku_clock_mono_ms(clock) + (left_ms < POLL_MS ? left_ms : POLL_MS);
        while (podsku_clock_mono_ms(clock) < end_ms && !cli_signals_stop())
            podsku_clock_sleep_ms(clock, SLICE_MS);
    }
}

/* Reads until the effect shows. PODSKU_TIMEOUT when it does not within the settle timeout, also if no read answers. */
static enum podsku_code confirm(struct pods *pods, bool (*done)(const struct podsku_pod *), struct podsku_pod *pod)
{
    int64_t wait_ms = pods->settle_ms > LEAST_READ_MS ? pods->settle_ms : LEAST_READ_MS;
    int64_t now_ms = podsku_clock_mono_ms(podsku_client_clock(pods->client));
    int64_t until_ms = podsku_client_until(pods->client, now_ms + wait_ms);
    enum podsku_code code = read_until(pods, done, now_ms + pods->settle_ms, pod);

    (void)podsku_client_until(pods->client, until_ms);
    return code;
}

/* A member of a cluster: what can be done instead. */
static void hint_cluster(struct pods *pods, const char *cluster_id)
{
    struct podsku_error *err = &pods->cli->err;

    if (!podsku_error_is_member(err))
        return;
    err->hint[0] = '\0';
    if (cluster_id)
        podsku_error_hint(err,
                          "the service manages the members of a cluster through the cluster, and that can only be "
                          "ended: podsku clusters terminate %s",
                          cluster_id);
    else
        podsku_error_hint(err, "the service manages the members of a cluster through the cluster: podsku clusters list "
                               "shows which one to end with podsku clusters terminate");
}

/* A signal after the request was sent: nobody knows what became of it. */
static enum podsku_code leave_open(struct pods *pods, const char *action)
{
    struct podsku_error *err = &pods->cli->err;

    podsku_error_clear(err);
    podsku_error_hint(err, "see what became of it: podsku pods get %s", pods->id);
    return podsku_error_set(err, PODSKU_UNSETTLED,
                            "interrupted: the %s of %s was asked for, and it is not known whether it is done", action,
                            pods->id);
}

/* Asks for it, and reads until it is done. Whether a request was acted on whose answer is lost, a read tells, too. */
static enum podsku_code act(struct pods *pods, const char *action, bool (*done)(const struct podsku_pod *pod),
                            struct podsku_pod *pod)
{
    struct podsku_error *err = &pods->cli->err;
    bool asks = !done(pod);
    enum podsku_code code = asks ? podsku_api_pod_action(pods->client, pods->api, pods->id, action, err) : PODSKU_OK;
    const struct podsku_error before = *err;

    hint_cluster(pods, pod->cluster_id);
    if (code == PODSKU_INTERRUPTED)
        return leave_open(pods, action);
    if (code != PODSKU_OK && code != PODSKU_NETWORK && code != PODSKU_SERVER && code != PODSKU_ANSWER)
        return code;
    podsku_error_clear(err);
    code = confirm(pods, done, pod);
    if (code == PODSKU_INTERRUPTED && asks)
        return leave_open(pods, action);
    if (code != PODSKU_OK && before.code != PODSKU_OK && code != PODSKU_INTERRUPTED)
        *err = before; /* nothing says that it was done: the first reason stands */
    return err->code;
}

static void say_disk(const struct pods *pods, const struct podsku_pod *pod)
{
    char each[PODSKU_MONEY_TEXT_SIZE], all[PODSKU_MONEY_TEXT_SIZE];

    (void)podsku_money_text(CLI_STOPPED_DISK_UUSD_GB_MONTH, each);
    if (pod->volume_gb > 0)
        cli_say(pods->cli,
                "its volume of %d GB goes on costing about %s USD a month (list price %s per GB and month while "
                "stopped, twice that of a running pod); what was on the container disk is gone",
                pod->volume_gb, podsku_money_text(CLI_STOPPED_DISK_UUSD_GB_MONTH * pod->volume_gb, all), each);
    else
        cli_say(pods->cli,
                "a local volume goes on costing while it is stopped (list price %s USD per GB and month, twice that "
                "of a running pod); what was on the container disk is gone",
                each);
    cli_say(pods->cli, "to end all of it: podsku pods terminate %s", pods->id);
}

/* A pod that GET still shows after its end is as good as one that does not exist. */
static enum podsku_code refuse_ended(struct pods *pods, const struct podsku_pod *pod, const char *verb)
{
    if (pod->status != PODSKU_POD_TERMINATED)
        return PODSKU_OK;
    return podsku_error_set(&pods->cli->err, PODSKU_NOT_FOUND,
                            "%s is terminated: it costs nothing, and there is nothing to %s", pods->id, verb);
}

static enum podsku_code stop(struct pods *pods)
{
    struct podsku_pod pod = {0};
    enum podsku_code code = find(pods, &pod);

    if (!code)
        code = refuse_ended(pods, &pod, "stop");
    if (!code)
        code = act(pods, "stop", is_stopped, &pod);
    cli_progress_clear(pods->cli);
    if (!code)
        code = refuse_ended(pods, &pod, "stop"); /* ended by somebody else meanwhile */
    if (!code)
        code = show_pod(pods, &pod, false);
    if (!code)
        say_disk(pods, &pod);
    podsku_pod_clear(&pod);
    return code;
}

static enum podsku_code start(struct pods *pods)
{
    struct podsku_pod pod = {0};
    enum podsku_code code = find(pods, &pod);

    if (!code)
        code = refuse_ended(pods, &pod, "start");
    if (!code)
        code = act(pods, "start", is_started, &pod);
    if (code == PODSKU_NO_CAPACITY)
        podsku_error_hint(&pods->cli->err, "a stopped pod waits for the GPUs of its own machine: try later, or deploy "
                                           "anew");
    cli_progress_clear(pods->cli);
    if (!code)
        code = show_pod(pods, &pod, false);
    if (!code)
        cli_say(pods->cli, "nothing was verified by that: podsku verify --pod %s", pods->id);
    podsku_pod_clear(&pod);
    return code;
}

static void say_gone(void *ctx, const char *text)
{
    const struct pods *pods = ctx;

    cli_progress_clear(pods->cli);
    cli_say(pods->cli, "    %s", text);
}

static enum podsku_code end(struct pods *pods, struct podsku_pod *pod)
{
    struct cli *cli = pods->cli;
    struct podsku_signals signals = cli_signals_hooks();
    struct podsku_gone_result gone = {0};
    const struct podsku_gone_request request = {
        .api = pods->api,
        .id = pods->id,
        .settle_ms = pods->settle_ms,
        .signals = &signals,
        .say = say_gone,
        .say_ctx = pods,
    };
    enum podsku_code code = podsku_prove_gone(pods->client, &request, &gone, &cli->err);

    hint_cluster(pods, pod->cluster_id);
    code = cli_judge_gone(cli, code, &gone, "pods", pods->id);
    if (code)
        return code;
    cli_journal_gone(cli, pods->client, pods->id);
    free(pod->status_word);
    pod->status = PODSKU_POD_TERMINATED;
    pod->status_word = strdup("TERMINATED");
    cli_say(cli, "%s is gone: %s", pods->id, gone.how);
    return show_pod(pods, pod, false);
}

static enum podsku_code terminate(struct pods *pods)
{
    struct cli *cli = pods->cli;
    struct podsku_pod pod = {0};
    enum podsku_code code = find(pods, &pod);

    if (!code && pod.status == PODSKU_POD_TERMINATED) {
        cli_say(cli, "%s was terminated before", pods->id);
        code = show_pod(pods, &pod, false);
    } else if (!code && !pod.marks.launch_id && !cli_has(cli, "yes")) {
        podsku_error_hint(&cli->err, "if it is the one you mean: podsku pods terminate %s --yes", pods->id);
        code = podsku_error_set(&cli->err, PODSKU_USAGE, "%s (%s) was not made by podsku: nothing was done", pods->id,
                                pod.name ? pod.name : "no name");
    } else if (!code) {
        code = end(pods, &pod);
    }
    podsku_pod_clear(&pod);
    return code;
}

int cli_run_pods(struct cli *cli)
{
    static const struct {
        const char *verb;
        enum podsku_code (*run)(struct pods *pods);
    } verbs[] = {{"list", list}, {"get", get}, {"stop", stop}, {"start", start}, {"terminate", terminate}};
    struct pods pods = {.cli = cli};
    size_t count;
    const char *const *operands = cli_operands(cli, &count);
    enum podsku_code code = cli_api(cli, &pods.api);

    cli_signals_catch();
    pods.id = count ? operands[0] : NULL;
    pods.settle_ms = PODSKU_SETTLE_TIMEOUT_MS;
    if (!code && strcmp(cli_verb(cli), "list") != 0 && strcmp(cli_verb(cli), "get") != 0)
        code = cli_duration(cli, "settle-timeout", PODSKU_SETTLE_TIMEOUT_MS, &pods.settle_ms);
    if (!code)
        code = cli_client(cli, true, &pods.client);
    for (size_t i = 0; !code && i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i].verb, cli_verb(cli)) == 0)
            code = verbs[i].run(&pods);
    }
    podsku_client_free(pods.client);
    return code ? cli_fail(cli) : 0;
}
