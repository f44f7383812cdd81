/*
 * Deploys that do not start from nothing: a given launch id, an earlier run's open entries, another
 * deploy of the same launch; and those by REST v1 and of clusters.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/client/deploy_check.h"

/* ------------------------------------------------------------------ a given launch id */

static void a_live_pod_of_the_launch_is_adopted(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.launch_id_given = true;
    (void)fake_add(rig.fake, RIG_B, 2, "L1", "elsewhere");
    (void)fake_add(rig.fake, RIG_B, 2, "L2", "other");
    RUN(&rig, 3, PODSKU_OK, "adopted", 2);
    assert_string_equal(rig.output.data, "pod0001\n");
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 0);
    assert_int_equal(fake_seen(rig.fake, FAKE_LIST), 1);
    assert_ptr_equal(rig.result.placed.entry, &rig_plan[1]);
    deploy_rig_stop(&rig);

    start(&rig); /* without the flag nobody looks */
    (void)fake_add(rig.fake, RIG_B, 2, "L1", "elsewhere");
    RUN(&rig, 3, PODSKU_OK, "placed", 2);
    assert_int_equal(fake_seen(rig.fake, FAKE_LIST), 0);
    deploy_rig_stop(&rig);

    start(&rig); /* none yet: one list, one create */
    rig.options.launch_id_given = true;
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    assert_int_equal(https_server_requests(rig.fake->server), 2);
    /* The second run of the same launch takes the first one's pod. */
    RUN(&rig, 3, PODSKU_OK, "adopted", 1);
    assert_string_equal(rig.output.data, "pod0001\npod0001\n");
    deploy_rig_stop(&rig);
}

static void what_is_not_as_asked_stays_untouched(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.launch_id_given = true;
    (void)fake_add(rig.fake, "NVIDIA L4", 2, "L1", "elsewhere");
    RUN(&rig, 3, PODSKU_MISMATCH, "adopted", 1);
    assert_int_equal(fake_seen(rig.fake, FAKE_DELETE), 0);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 0);
    assert_non_null(strstr(rig.warnings.data, "left untouched"));
    deploy_rig_stop(&rig);

    start(&rig); /* stopped: somebody's disk */
    rig.options.launch_id_given = true;
    fake_add(rig.fake, RIG_A, 2, "L1", "elsewhere")->ends_as = "EXITED";
    RUN(&rig, 3, PODSKU_MISMATCH, "adopted", 1);
    deploy_rig_stop(&rig);

    start(&rig); /* it never starts: it is not ours to end */
    rig.options.launch_id_given = rig.options.wait = true;
    rig.options.timeout_ms = 10000;
    fake_add(rig.fake, RIG_A, 2, "L1", "elsewhere")->running_ms = INT64_MAX;
    RUN(&rig, 3, PODSKU_TIMEOUT, "adopted", 1);
    deploy_rig_stop(&rig);

    start(&rig); /* two: none is touched, none is added */
    rig.options.launch_id_given = true;
    (void)fake_add(rig.fake, RIG_A, 2, "L1", "one");
    (void)fake_add(rig.fake, RIG_A, 2, "L1", "two");
    RUN(&rig, 3, PODSKU_UNSETTLED, "", 2);
    assert_non_null(strstr(rig.warnings.data, "pod0001 and pod0002"));
    deploy_rig_stop(&rig);
}

static void a_list_that_fails_stops_before_anything_is_sent(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.launch_id_given = true;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .status = 500, .body = "{}"});
    RUN(&rig, 3, PODSKU_SERVER, "", 0);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 0);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ an earlier run was killed */

static void a_killed_run_of_this_launch_is_settled_first(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* killed right after the create: its pod is adopted, and ours */
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    forget(&rig, 1);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_OPEN);
    rig.options.wait = true;
    RUN(&rig, 1, PODSKU_OK, "adopted", 1);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_HANDED_OVER);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    deploy_rig_stop(&rig);

    start(&rig); /* the pod shows only later: it is waited for as after a lost reply */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .hide_ms = 20000});
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    forget(&rig, 1);
    RUN(&rig, 1, PODSKU_OK, "adopted", 1);
    deploy_rig_stop(&rig);

    start(&rig); /* killed while it was to be ended: ours, so a timeout ends it now */
    rig.options.wait = true;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    forget(&rig, 2);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_MADE);
    rig.fake->pods[0].running_ms = INT64_MAX;
    rig.options.timeout_ms = 10000;
    RUN(&rig, 1, PODSKU_TIMEOUT, "terminated", 0);
    deploy_rig_stop(&rig);

    start(&rig); /* it is gone by now: proven, and a new one is rented with the next number */
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    forget(&rig, 2);
    rig.fake->pods[0].deleted_ms = 1;
    RUN(&rig, 1, PODSKU_OK, "terminated placed", 1);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_GONE);
    assert_int_equal(rig.result.attempts[1].attempt, 2);
    deploy_rig_stop(&rig);

    start(&rig); /* nothing was created: the entry stays open beside what is handed over */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .transport = HTTPS_RESET_AFTER});
    RUN(&rig, 1, PODSKU_OK, "lost-reply placed", 1);
    rig.options.launch_id = "L2";
    RUN(&rig, 1, PODSKU_OK, "placed", 2);
    assert_non_null(strstr(rig.warnings.data, "1 open entry of other launches"));
    deploy_rig_stop(&rig);
}

/* Left untouched as any pod that was there, but the journal holds it: it is named as open. */
static void a_wrong_pod_of_a_killed_run_is_named_as_open(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    forget(&rig, 2);
    rig.fake->pods[0].cost = 99;
    rig.options.max_total_uusd = 20000000;
    rig.options.launch_id_given = true;
    RUN(&rig, 1, PODSKU_MISMATCH, "adopted", 1);
    assert_int_equal(fake_seen(rig.fake, FAKE_DELETE), 0);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_MADE);
    assert_int_equal(rig.result.open_count, 1);
    assert_string_equal(rig.result.open[0].pod_id, "pod0001");
    assert_non_null(strstr(rig.warnings.data, "open: launch L1 attempt 1: pod0001 may still run"));
    deploy_rig_stop(&rig);
}

static void a_closed_pod_is_never_adopted(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.launch_id_given = true;
    rig.hand_over_code = PODSKU_OUTPUT;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .nth = 1, .act = true, .hide_ms = 0});
    RUN(&rig, 1, PODSKU_OUTPUT, "terminated", 0);
    /* The list lags: it still shows that pod as RUNNING. */
    rig.fake->pods[0].lingers_ms = INT64_MAX;
    rig.fake->pods[0].lingers_as = "RUNNING";
    rig.hand_over_code = PODSKU_OK;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    assert_string_equal(rig.output.data, "pod0002\n");
    deploy_rig_stop(&rig);
}

static void an_entry_of_another_key_is_not_settled_by_our_list(void **state)
{
    struct deploy_rig rig, other;
    const struct podsku_client_config config = {.url = {"http://127.0.0.1:1/v2"}, .key = "rpa_ANOTHER"};

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .transport = HTTPS_RESET_AFTER});
    RUN(&rig, 1, PODSKU_UNSETTLED, "lost-reply lost-reply lost-reply", 0);
    other = rig;
    podsku_error_clear(&other.err);
    assert_int_equal(podsku_client_new(&config, &other.client, &other.err), PODSKU_OK);
    struct podsku_deploy_result result;
    struct podsku_error err = {0};
    assert_int_equal(podsku_deploy(other.client, rig.journal, &rig.options, rig_plan, 1, &rig.hooks, &result, &err),
                     PODSKU_UNSETTLED);
    assert_non_null(strstr(err.message, "another URL, API or key"));
    assert_int_equal(result.attempt_count, 0);
    podsku_deploy_result_free(&result);
    podsku_client_free(other.client);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ the journal does not work */

static void no_durable_intent_no_create(void **state)
{
    struct deploy_rig rig;
    char path[128];

    (void)state;
    start(&rig);
    (void)snprintf(path, sizeof path, "%s/journal.jsonl", rig.folder);
    assert_int_equal(symlink("/dev/full", path), 0);
    RUN(&rig, 3, PODSKU_STATE, "", 0);
    assert_int_equal(https_server_requests(rig.fake->server), 0);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_FAILED);
    deploy_rig_stop(&rig);
}

/* Replaces the journal by a folder as soon as the pod is made: its outcomes cannot be written. */
static void break_journal(void *ctx, enum fake_kind kind, bool after)
{
    struct deploy_rig *rig = ctx;
    char path[128];

    if (kind != FAKE_CREATE || !after)
        return;
    (void)snprintf(path, sizeof path, "%s/journal.jsonl", rig->folder);
    (void)unlink(path);
    (void)mkdir(path, 0700);
}

static void a_hand_over_that_cannot_be_journaled_is_none(void **state)
{
    struct deploy_rig rig;
    char path[128];

    (void)state;
    start(&rig);
    rig.fake->watch = break_journal;
    rig.fake->ctx = &rig;
    RUN(&rig, 3, PODSKU_STATE, "terminated", 0);
    assert_non_null(strstr(rig.warnings.data, "the journal does not know"));
    (void)snprintf(path, sizeof path, "%s/journal.jsonl", rig.folder);
    assert_int_equal(rmdir(path), 0);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ two at once */

struct second {
    struct deploy_rig rig;
    enum podsku_code code;
};

static void *run_second(void *ctx)
{
    struct second *second = ctx;

    second->code = deploy_rig_run(&second->rig, 1);
    return NULL;
}

static void two_deploys_of_one_launch_rent_one_pod(void **state)
{
    struct deploy_rig rig;
    struct second second;
    pthread_t thread;

    (void)state;
    start(&rig);
    rig.options.launch_id_given = true;
    assert_true(deploy_rig_attach(&second.rig, rig.time, https_server_port(rig.fake->server), rig.folder));
    second.rig.fake = rig.fake;
    second.rig.options.launch_id_given = true;
    /* Whoever waits sleeps in virtual time, and the other one works in real time. */
    rig.options.timeout_ms = second.rig.options.timeout_ms = INT64_C(86400000);
    assert_int_equal(pthread_create(&thread, NULL, run_second, &second), 0);
    (void)deploy_rig_run(&rig, 1);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(rig.result.code, PODSKU_OK);
    assert_int_equal(second.code, PODSKU_OK);
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    assert_string_equal(rig.output.data, second.rig.output.data);
    deploy_rig_detach(&second.rig);
    deploy_rig_stop(&rig);
}

static void a_launch_that_runs_elsewhere_is_waited_for(void **state)
{
    struct deploy_rig rig;
    struct podsku_launch_lock *lock = NULL;

    (void)state;
    start(&rig);
    assert_int_equal(podsku_launch_lock(rig.journal, "L1", &lock, &rig.err), PODSKU_OK);
    assert_non_null(lock);
    rig.options.timeout_ms = 60000;
    RUN(&rig, 1, PODSKU_TIMEOUT, "", 0);
    assert_non_null(strstr(rig.err.message, "still runs"));
    podsku_launch_unlock(lock);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ v1 */

static const struct podsku_plan_entry v1_plan[] = {
    {.gpu_id = RIG_A, .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 2000000},
    {.gpu_id = "NVIDIA B300 SXM6 AC", .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 2500000},
    {.gpu_id = RIG_B, .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 3000000},
    {.gpu_id = RIG_C, .cloud = "COMMUNITY", .gpus = 2, .nodes = 1, .price_uusd = 4000000},
};

static void v1_asks_once_per_run(void **state)
{
    static const char none[] = "{\"error\":\"create pod: There are no instances currently available\",\"status\":500}";
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.spec.api = PODSKU_API_V1;
    fake_refuse(rig.fake, RIG_A, 500, none);
    (void)deploy_rig_run_plan(&rig, v1_plan, 4);
    CHECK(&rig, PODSKU_OK, "placed", 1);
    assert_string_equal(rig.result.placed.pod.gpu_id, RIG_B);
    assert_string_equal(rig.result.attempts[0].entry->gpu_id, RIG_B);
    assert_non_null(strstr(rig.said.data, "NVIDIA B300 SXM6 AC is skipped"));
    const struct https_request *request = https_server_request(rig.fake->server, 0);
    assert_string_equal(request->path, "/v1/pods");
    assert_non_null(strstr(request->body, "\"gpuTypePriority\":\"custom\""));
    assert_null(strstr(request->body, "B300"));
    deploy_rig_stop(&rig);

    start(&rig); /* a 500 is settled once, then the next run */
    rig.options.spec.api = PODSKU_API_V1;
    fake_refuse(rig.fake, RIG_A, 500, none);
    fake_refuse(rig.fake, RIG_B, 500, none);
    (void)deploy_rig_run_plan(&rig, v1_plan, 4);
    CHECK(&rig, PODSKU_OK, "server-error placed", 1);
    assert_string_equal(rig.result.placed.pod.cloud, "COMMUNITY");
    assert_int_equal(rig.result.open_count, 1);
    deploy_rig_stop(&rig);

    start(&rig); /* a 500 while the pod exists */
    rig.options.spec.api = PODSKU_API_V1;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .status = 500, .body = none});
    (void)deploy_rig_run_plan(&rig, v1_plan, 4);
    CHECK(&rig, PODSKU_OK, "adopted", 1);
    deploy_rig_stop(&rig);

    start(&rig);
    rig.options.spec.api = PODSKU_API_V1;
    (void)deploy_rig_run_plan(&rig, v1_plan + 1, 1);
    CHECK(&rig, PODSKU_NO_OFFER, "", 0);
    deploy_rig_stop(&rig);
}

static bool type_unknown_at_first;

static void note_type(void *ctx, const struct podsku_deploy_event *event)
{
    (void)ctx;
    if (event->kind == PODSKU_EVENT_MADE)
        type_unknown_at_first = event->placed->type_unknown;
}

/* One create names three types: only the one that was placed had its turn, and only the pod says which that is. */
static void v1_counts_and_names_what_was_tried(void **state)
{
    static const struct podsku_plan_entry plan[] = {
        {.gpu_id = RIG_A, .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 2000000},
        {.gpu_id = RIG_B, .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 3000000},
        {.gpu_id = RIG_C, .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 4000000},
    };
    static const char ended[] = "{\"id\":\"pod0001\",\"desiredStatus\":\"EXITED\"}";
    struct deploy_rig rig;
    json_t *list;

    (void)state;
    start(&rig);
    rig.options.spec.api = PODSKU_API_V1;
    rig.options.wait = true;
    rig.hooks.event = note_type;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_GET, .nth = 1, .status = 200, .body = ended});
    (void)deploy_rig_run_plan(&rig, plan, 3);
    assert_int_equal(rig.result.code, PODSKU_NO_CAPACITY);
    assert_string_equal(rig.err.message, "the one candidate that was tried could not be placed");
    assert_true(type_unknown_at_first);
    list = podsku_deploy_attempts_json(&rig.result);
    assert_true(json_is_null(json_object_get(json_array_get(list, 0), "id"))); /* the service never said it */
    json_decref(list);
    deploy_rig_stop(&rig);

    start(&rig); /* read again, it says which */
    rig.options.spec.api = PODSKU_API_V1;
    (void)deploy_rig_run_plan(&rig, plan, 3);
    CHECK(&rig, PODSKU_OK, "placed", 1);
    list = podsku_deploy_attempts_json(&rig.result);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "id")), RIG_A);
    json_decref(list);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ clusters */

static const struct podsku_plan_entry cluster_plan[] = {
    {.gpu_id = RIG_B, .cloud = "SECURE", .gpus = 8, .nodes = 3, .price_uusd = 30000000, .estimated = true},
    {.gpu_id = RIG_C, .cloud = "SECURE", .gpus = 8, .nodes = 3, .price_uusd = 40000000, .estimated = true},
};

static void spoil_rank_1(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    if (strcmp(pod->id, "pod0003") == 0)
        pod->gpus = 4;
}

static void clusters_are_placed_settled_and_ended_as_a_whole(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.wait = rig.options.need_ssh = true;
    rig.fake->starts_ms = 30000;
    (void)deploy_rig_run_plan(&rig, cluster_plan, 2);
    CHECK(&rig, PODSKU_OK, "placed", 3);
    assert_string_equal(rig.output.data, "cluster001\n");
    assert_int_equal(rig.result.placed.members.count, 3);
    for (int rank = 0; rank < 3; rank++)
        assert_int_equal(rig.result.placed.members.list[rank].cluster_rank, rank);
    assert_int_equal(rig.result.placed.price_uusd, 24000000);
    deploy_rig_stop(&rig);

    start(&rig); /* a lost reply: found by its members' marks */
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 5000});
    (void)deploy_rig_run_plan(&rig, cluster_plan, 2);
    CHECK(&rig, PODSKU_OK, "adopted", 3);
    assert_string_equal(rig.output.data, "cluster001\n");
    deploy_rig_stop(&rig);

    start(&rig); /* one member is not as asked: all of it goes */
    rig.fake->shape = spoil_rank_1;
    (void)deploy_rig_run_plan(&rig, cluster_plan, 2);
    CHECK(&rig, PODSKU_OK, "mismatch placed", 3);
    assert_string_equal(rig.output.data, "cluster005\n");
    assert_int_equal(https_server_count(rig.fake->server, "DELETE", "/v2/clusters/cluster001"), 1);
    deploy_rig_stop(&rig);

    start(&rig); /* members linger after the cluster's DELETE */
    rig.fake->shape = spoil_rank_1;
    fake_fault(rig.fake, (struct fake_fault){
                             .kind = FAKE_DELETE, .nth = 1, .act = true, .hide_ms = 15000, .lingers_as = "RUNNING"});
    int64_t before = fake_now(rig.time);
    (void)deploy_rig_run_plan(&rig, cluster_plan, 2);
    CHECK(&rig, PODSKU_OK, "mismatch placed", 3);
    assert_true(fake_now(rig.time) - before >= 15000);
    deploy_rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_live_pod_of_the_launch_is_adopted),
        cmocka_unit_test(what_is_not_as_asked_stays_untouched),
        cmocka_unit_test(a_list_that_fails_stops_before_anything_is_sent),
        cmocka_unit_test(a_killed_run_of_this_launch_is_settled_first),
        cmocka_unit_test(a_wrong_pod_of_a_killed_run_is_named_as_open),
        cmocka_unit_test(a_closed_pod_is_never_adopted),
        cmocka_unit_test(an_entry_of_another_key_is_not_settled_by_our_list),
        cmocka_unit_test(no_durable_intent_no_create),
        cmocka_unit_test(a_hand_over_that_cannot_be_journaled_is_none),
        cmocka_unit_test(two_deploys_of_one_launch_rent_one_pod),
        cmocka_unit_test(a_launch_that_runs_elsewhere_is_waited_for),
        cmocka_unit_test(v1_asks_once_per_run),
        cmocka_unit_test(v1_counts_and_names_what_was_tried),
        cmocka_unit_test(clusters_are_placed_settled_and_ended_as_a_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
