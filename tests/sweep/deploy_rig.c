#include "tests/sweep/deploy_rig.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct podsku_plan_entry rig_plan[3] = {
    {.gpu_id = RIG_A,
     .name = "A100 SXM",
     .cloud = "SECURE",
     .gpus = 2,
     .nodes = 1,
     .price_uusd = 2000000,
     .stock = "LOW"},
    {.gpu_id = RIG_B,
     .name = "H100 SXM",
     .cloud = "SECURE",
     .gpus = 2,
     .nodes = 1,
     .price_uusd = 3000000,
     .stock = "HIGH"},
    {.gpu_id = RIG_C, .name = "H200 SXM", .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 4000000},
};

static void on_event(void *ctx, const struct podsku_deploy_event *event)
{
    struct deploy_rig *rig = ctx;
    bool loud = event->kind == PODSKU_EVENT_WARNING || event->kind == PODSKU_EVENT_MADE ||
                event->kind == PODSKU_EVENT_ADOPTED || event->kind == PODSKU_EVENT_NOT_GONE ||
                event->kind == PODSKU_EVENT_KEPT || event->kind == PODSKU_EVENT_OPEN;

    if (loud)
        podsku_buf_printf(&rig->warnings, "%s\n", event->text);
    podsku_buf_printf(&rig->said, "%d #%d %s %s%s\n", (int)event->kind, event->attempt,
                      event->pod_id ? event->pod_id : "-", event->text, event->state ? event->state : "");
    if (event->kind == rig->signal_kind) {
        int nth = ++rig->events[event->kind];
        rig->signals += nth == rig->signal_at_event;
        rig->signals += nth == rig->second_signal_at_event;
    } else {
        rig->events[event->kind]++;
    }
}

static int on_count(void *ctx)
{
    return ((struct deploy_rig *)ctx)->signals;
}

static void on_acknowledge(void *ctx, int seen)
{
    ((struct deploy_rig *)ctx)->acknowledged = seen;
}

static bool on_interrupted(void *ctx)
{
    const struct deploy_rig *rig = ctx;

    return rig->signals > rig->acknowledged;
}

static enum podsku_verify_answer on_verify(void *ctx, const struct podsku_placed *placed, int64_t deadline_mono_ms,
                                           json_t **report, char *detail, size_t detail_size)
{
    struct deploy_rig *rig = ctx;

    (void)placed;
    podsku_clock_sleep_ms(&rig->clock, rig->verify_takes_ms);
    *report = json_pack("{s:s}", "schema", "podsku.verify/1");
    (void)snprintf(detail, detail_size, "pair 0-1 is SYS, not NVLink");
    if (podsku_clock_mono_ms(&rig->clock) >= deadline_mono_ms)
        return PODSKU_VERIFY_TIMEOUT;
    return rig->verify_answers[rig->verify_count++ % 8];
}

static enum podsku_code on_hand_over(void *ctx, const struct podsku_deploy_result *result, struct podsku_error *err)
{
    struct deploy_rig *rig = ctx;

    rig->hand_over_count++;
    if (rig->hand_over_code != PODSKU_OK)
        return podsku_error_set(err, rig->hand_over_code, "standard output is full");
    podsku_buf_printf(&rig->output, "%s\n",
                      result->placed.cluster.id ? result->placed.cluster.id : result->placed.pod.id);
    return PODSKU_OK;
}

static enum podsku_code on_more(void *ctx, const struct podsku_plan_entry **plan, size_t *count,
                                struct podsku_error *err)
{
    struct deploy_rig *rig = ctx;

    if (rig->more_count++ > 0)
        return podsku_error_set(err, PODSKU_TIMEOUT, "nothing came into stock");
    *plan = rig->more_plan;
    *count = rig->more_plan_count;
    return PODSKU_OK;
}

void deploy_rig_remove(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[512];

    if (!dir)
        return;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(path);
    }
    (void)closedir(dir);
    (void)rmdir(folder);
}

bool deploy_rig_attach(struct deploy_rig *rig, struct fake_time *time, int port, const char *folder)
{
    char v2[64], v1[64];

    *rig = (struct deploy_rig){.time = time, .clock = fake_clock(time)};
    (void)snprintf(v2, sizeof v2, "http://127.0.0.1:%d/v2", port);
    (void)snprintf(v1, sizeof v1, "http://127.0.0.1:%d/v1", port);
    (void)snprintf(rig->folder, sizeof rig->folder, "%s", folder);
    const struct podsku_client_config config = {
        .url = {[PODSKU_API_V2] = v2, [PODSKU_API_V1] = v1},
        .key = FAKE_KEY,
        .clock = &rig->clock,
        .interrupted = on_interrupted,
        .ctx = rig,
        .retry_budget_ms = 2000,
    };
    if (podsku_client_new(&config, &rig->client, &rig->err) != PODSKU_OK ||
        podsku_journal_open(folder, &rig->clock, &rig->journal, &rig->err) != PODSKU_OK) {
        fprintf(stderr, "the rig does not start: %s\n", rig->err.message);
        return false;
    }
    rig->options = (struct podsku_deploy_options){.launch_id = "L1"};
    rig->hooks = (struct podsku_deploy_hooks){
        .ctx = rig,
        .event = on_event,
        .signals = {on_count, on_acknowledge, rig},
        .verify = on_verify,
        .hand_over = on_hand_over,
    };
    return true;
}

bool deploy_rig_start(struct deploy_rig *rig)
{
    struct fake_time *time = calloc(1, sizeof *time);
    struct fake *fake = calloc(1, sizeof *fake);
    char folder[] = "/tmp/podsku-test-XXXXXX";

    if (!time || !fake || !fake_start(fake, time) || !mkdtemp(folder))
        return false;
    bool attached = deploy_rig_attach(rig, time, https_server_port(fake->server), folder);
    rig->fake = fake;
    return attached;
}

void deploy_rig_detach(struct deploy_rig *rig)
{
    podsku_deploy_result_free(&rig->result);
    podsku_client_free(rig->client);
    podsku_journal_free(rig->journal);
    podsku_buf_free(&rig->said);
    podsku_buf_free(&rig->output);
    podsku_buf_free(&rig->warnings);
    rig->client = NULL;
    rig->journal = NULL;
}

void deploy_rig_stop(struct deploy_rig *rig)
{
    deploy_rig_detach(rig);
    deploy_rig_remove(rig->folder);
    fake_stop(rig->fake);
    free(rig->fake);
    free(rig->time);
}

enum podsku_code deploy_rig_run_plan(struct deploy_rig *rig, const struct podsku_plan_entry *plan, size_t count)
{
    podsku_deploy_result_free(&rig->result);
    podsku_error_clear(&rig->err);
    if (rig->more_plan)
        rig->hooks.more = on_more;
    return podsku_deploy(rig->client, rig->journal, &rig->options, plan, count, &rig->hooks, &rig->result, &rig->err);
}

enum podsku_code deploy_rig_run(struct deploy_rig *rig, size_t count)
{
    return deploy_rig_run_plan(rig, rig_plan, count);
}

static void on_say(void *ctx, const char *text)
{
    struct deploy_rig *rig = ctx;

    podsku_buf_printf(&rig->said, "%s\n", text);
}

enum podsku_code deploy_rig_reconcile(struct deploy_rig *rig, const struct podsku_reconcile_options *options,
                                      struct podsku_reconcile_result *result)
{
    const struct podsku_reconcile_hooks hooks = {.say = on_say, .ctx = rig, .signals = {on_count, on_acknowledge, rig}};

    podsku_error_clear(&rig->err);
    return podsku_reconcile(rig->client, rig->journal, options, &hooks, result, &rig->err);
}

enum podsku_entry_state deploy_rig_state(struct deploy_rig *rig, size_t index)
{
    struct podsku_entries entries = {0};
    struct podsku_error err = {0};
    enum podsku_entry_state state = PODSKU_ENTRY_OPEN;

    if (podsku_journal_read(rig->journal, &entries, &err) == PODSKU_OK && index < entries.count)
        state = entries.list[index].state;
    podsku_entries_free(&entries);
    return state;
}
