/*
 * The rows of the table of events that concern a pod that was made: compared, waited for, verified,
 * kept, given back. Time is virtual.
 */
#include <stdio.h>
#include <string.h>

#include "tests/client/deploy_check.h"

/* ------------------------------------------------------------------ not as asked */

/* What the first pod gets instead of what was asked for; the others are right. */
static void (*spoil)(struct fake_pod *pod);

static void shape_first(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    if (strcmp(pod->id, "pod0001") == 0)
        spoil(pod);
}

static void other_type(struct fake_pod *pod)
{
    (void)snprintf(pod->gpu_id, sizeof pod->gpu_id, "%s MIG 1g.24gb", RIG_A);
}
static void fewer(struct fake_pod *pod)
{
    pod->gpus = 1;
}
static void community(struct fake_pod *pod)
{
    (void)snprintf(pod->cloud, sizeof pod->cloud, "COMMUNITY");
}
static void elsewhere(struct fake_pod *pod)
{
    (void)snprintf(pod->data_center, sizeof pod->data_center, "EU-RO-1");
}
static void old_cuda(struct fake_pod *pod)
{
    (void)snprintf(pod->cuda, sizeof pod->cuda, "12.2");
}
static void dear(struct fake_pod *pod)
{
    pod->cost = 9.98;
}
static void slightly_dear(struct fake_pod *pod)
{
    pod->cost = 5.000004; /* a float's noise */
}
static void no_cost(struct fake_pod *pod)
{
    pod->cost = 0;
}
static void no_cloud(struct fake_pod *pod)
{
    pod->cloud[0] = '\0';
}
static void no_center(struct fake_pod *pod)
{
    pod->data_center[0] = '\0';
}

static void what_is_not_as_asked_is_ended(void **state)
{
    static void (*const spoils[])(struct fake_pod *) = {other_type, fewer, community, elsewhere, old_cuda, dear};
    const char *const centers[] = {"US-TX-3"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(spoils); i++) {
        struct deploy_rig rig;
        start(&rig);
        rig.fake->shape = shape_first;
        spoil = spoils[i];
        rig.options.max_total_uusd = 5000000;
        rig.options.spec.min_cuda = "12.11";
        rig.options.spec.data_centers = centers;
        rig.options.spec.data_center_count = 1;
        (void)snprintf(rig.fake->pods[0].cuda, sizeof rig.fake->pods[0].cuda, "12.8");
        rig.options.spec.min_cuda = "12.4";
        RUN(&rig, 3, PODSKU_OK, "mismatch placed", 1);
        assert_true(rig.result.attempts[0].gone);
        assert_string_equal(rig.output.data, "pod0002\n");
        assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_GONE);
        deploy_rig_stop(&rig);
    }
}

static void spoil_all(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    spoil(pod);
}

static void a_mismatch_is_6_also_mixed(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.fake->shape = spoil_all;
    spoil = fewer;
    RUN(&rig, 3, PODSKU_MISMATCH, "mismatch mismatch mismatch", 0);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_MISMATCH);
    deploy_rig_stop(&rig);

    start(&rig);
    rig.fake->shape = spoil_all;
    fake_refuse(rig.fake, RIG_B, 400, FAKE_NO_CAPACITY);
    RUN(&rig, 2, PODSKU_MISMATCH, "mismatch no-capacity", 0);
    deploy_rig_stop(&rig);

    start(&rig); /* --max-attempts counts pods that were created */
    rig.fake->shape = spoil_all;
    rig.options.max_attempts = 1;
    fake_refuse(rig.fake, RIG_A, 400, FAKE_NO_CAPACITY);
    RUN(&rig, 3, PODSKU_MISMATCH, "no-capacity mismatch", 0);
    deploy_rig_stop(&rig);
}

static void caps_and_list_prices(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* dearer than listed, no cap: kept, and said */
    rig.fake->shape = spoil_all;
    spoil = dear;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    assert_non_null(strstr(rig.warnings.data, "billed 9.98 USD/h in all, listed 2.00"));
    deploy_rig_stop(&rig);

    start(&rig); /* a relative 1e-6 is equal */
    rig.fake->shape = spoil_all;
    spoil = slightly_dear;
    rig.options.max_total_uusd = 5000000;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    deploy_rig_stop(&rig);

    start(&rig); /* per GPU */
    rig.fake->shape = spoil_all;
    spoil = dear;
    rig.options.max_gpu_uusd = 4980000;
    RUN(&rig, 1, PODSKU_MISMATCH, "mismatch", 0);
    assert_non_null(strstr(rig.result.attempts[0].detail, "cost: asked for at most 9.96 USD/h, got 9.98"));
    deploy_rig_stop(&rig);
}

static void unknown_values_are_read_again(void **state)
{
    struct deploy_rig rig;
    const char *const centers[] = {"US-TX-3"};

    (void)state;
    start(&rig); /* asked for and never said: kept with a note */
    rig.fake->shape = spoil_all;
    spoil = no_cloud;
    int64_t before = fake_now(rig.time);
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    assert_true(fake_now(rig.time) - before >= 30000);
    assert_non_null(strstr(rig.said.data, "does not say: cloud"));
    deploy_rig_stop(&rig);

    start(&rig); /* a data center that nobody asked for is not waited for */
    rig.fake->shape = spoil_all;
    spoil = no_center;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    assert_int_equal(https_server_requests(rig.fake->server), 1);
    deploy_rig_stop(&rig);

    start(&rig); /* one that was asked for is */
    rig.fake->shape = spoil_all;
    rig.options.spec.data_centers = centers;
    rig.options.spec.data_center_count = 1;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    assert_true(fake_seen(rig.fake, FAKE_GET) > 5);
    deploy_rig_stop(&rig);

    start(&rig); /* the cost: only under a cap, and then it ends the pod */
    rig.fake->shape = spoil_all;
    spoil = no_cost;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    assert_int_equal(https_server_requests(rig.fake->server), 1);
    rig.options.launch_id = "L2";
    rig.options.max_total_uusd = 5000000;
    RUN(&rig, 1, PODSKU_MISMATCH, "mismatch", 1);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ waiting */

static void waits_for_running_and_ssh(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.fake->starts_ms = 90000;
    rig.options.wait = rig.options.need_ssh = true;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_RUNNING);
    assert_int_equal(rig.result.placed.pod.status, PODSKU_POD_RUNNING);
    assert_string_equal(rig.result.placed.pod.ssh.host, "203.0.113.7");
    assert_non_null(strstr(rig.said.data, "PROVISIONING"));
    /* 90 s at 2 USD/h */
    assert_in_range(rig.result.spent_uusd, 50000, 60000);
    deploy_rig_stop(&rig);
}

static void ends_as_error(struct fake_pod *pod)
{
    pod->ends_as = "ERROR";
}
static void exits(struct fake_pod *pod)
{
    pod->ends_as = "EXITED";
}
static void never_seen(struct fake_pod *pod)
{
    pod->visible_ms = INT64_MAX;
}

static void what_fails_while_waiting_is_ended(void **state)
{
    static void (*const spoils[])(struct fake_pod *) = {ends_as_error, exits};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(spoils); i++) {
        struct deploy_rig rig;
        start(&rig);
        rig.fake->starts_ms = 5000;
        rig.fake->shape = shape_first;
        spoil = spoils[i];
        rig.options.wait = true;
        RUN(&rig, 3, PODSKU_OK, "failed placed", 1);
        assert_true(rig.result.attempts[0].gone);
        deploy_rig_stop(&rig);
    }
    struct deploy_rig rig;
    start(&rig);
    rig.fake->shape = spoil_all;
    rig.options.wait = true;
    RUN(&rig, 2, PODSKU_NO_CAPACITY, "failed failed", 0);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_FAILED);
    deploy_rig_stop(&rig);
}

static void a_404_within_the_grace_is_no_failure(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .hide_ms = 25000});
    rig.options.wait = true;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    deploy_rig_stop(&rig);

    start(&rig); /* being listed counts as found, even long after */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_GET, .nth = 1, .last = 40, .status = 404, .body = "{}"});
    rig.fake->starts_ms = 60000;
    rig.options.wait = true;
    RUN(&rig, 1, PODSKU_OK, "placed", 1);
    deploy_rig_stop(&rig);

    start(&rig); /* after the grace, nowhere to be seen: gone, proven by its absence */
    rig.fake->shape = shape_first;
    spoil = never_seen;
    rig.options.wait = true;
    (void)deploy_rig_run(&rig, 2);
    CHECK(&rig, PODSKU_OK, "failed placed", 2); /* the service's own ghost still lives */
    assert_true(rig.result.attempts[0].gone);
    assert_non_null(strstr(rig.said.data, "no list showed it for 30.0 s"));
    deploy_rig_stop(&rig);
}

static void timeout(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.fake->starts_ms = 3600000;
    rig.options.wait = true;
    rig.options.timeout_ms = 120000;
    RUN(&rig, 3, PODSKU_TIMEOUT, "terminated", 0);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_TIMEOUT);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    deploy_rig_stop(&rig);
}

static void max_spend(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.fake->starts_ms = 3600000;
    rig.options.wait = true;
    rig.options.max_spend_uusd = 100000; /* 3 minutes at 2 USD/h */
    int64_t before = fake_now(rig.time);
    RUN(&rig, 3, PODSKU_NO_CAPACITY, "terminated", 0);
    assert_in_range(fake_now(rig.time) - before, 180000, 190000);
    assert_in_range(rig.result.spent_uusd, 100000, 106000);
    deploy_rig_stop(&rig);
}

static void reads_that_are_refused_end_the_pod(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* the key was revoked meanwhile: nothing can be ended, so it is said */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_GET, .status = 401, .body = "{}"});
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .status = 401, .body = "{}"});
    rig.options.wait = true;
    RUN(&rig, 3, PODSKU_UNSETTLED, "placed", 1);
    assert_non_null(strstr(rig.warnings.data, "pod0001 may still run"));
    assert_int_equal(rig.result.open_count, 1);
    assert_string_equal(rig.result.open[0].pod_id, "pod0001");
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_MADE);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ verify */

static void verify(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.verify = true;
    rig.verify_answers[0] = PODSKU_VERIFY_MISMATCH;
    rig.verify_answers[1] = PODSKU_VERIFY_MATCH;
    RUN(&rig, 3, PODSKU_OK, "mismatch placed", 1);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_VERIFIED);
    assert_non_null(rig.result.report);
    assert_non_null(rig.result.attempts[0].report);
    assert_non_null(strstr(rig.result.attempts[0].detail, "pair 0-1 is SYS"));
    deploy_rig_stop(&rig);

    start(&rig);
    rig.options.verify = true;
    rig.verify_answers[0] = PODSKU_VERIFY_UNVERIFIED;
    RUN(&rig, 3, PODSKU_UNVERIFIED, "terminated", 0);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_UNVERIFIED);
    deploy_rig_stop(&rig);

    start(&rig);
    rig.options.verify = true;
    rig.options.timeout_ms = 60000;
    rig.verify_takes_ms = 61000;
    RUN(&rig, 3, PODSKU_TIMEOUT, "terminated", 0);
    deploy_rig_stop(&rig);

    start(&rig);
    rig.options.verify = true;
    rig.options.max_spend_uusd = 10000;
    rig.verify_takes_ms = 61000;
    RUN(&rig, 3, PODSKU_NO_CAPACITY, "terminated", 0);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ keep */

static void keep(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.keep = true;
    rig.fake->shape = spoil_all;
    spoil = fewer;
    RUN(&rig, 3, PODSKU_MISMATCH, "kept", 1);
    assert_true(rig.result.has_placed);
    assert_int_equal(fake_seen(rig.fake, FAKE_DELETE), 0);
    assert_non_null(strstr(rig.warnings.data, "kept (--keep) and goes on costing"));
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_KEPT);
    deploy_rig_stop(&rig);

    start(&rig);
    rig.options.keep = rig.options.wait = true;
    rig.options.timeout_ms = 5000;
    rig.fake->starts_ms = 3600000;
    RUN(&rig, 3, PODSKU_TIMEOUT, "kept", 1);
    deploy_rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_as_asked_is_ended),
        cmocka_unit_test(a_mismatch_is_6_also_mixed),
        cmocka_unit_test(caps_and_list_prices),
        cmocka_unit_test(unknown_values_are_read_again),
        cmocka_unit_test(waits_for_running_and_ssh),
        cmocka_unit_test(what_fails_while_waiting_is_ended),
        cmocka_unit_test(a_404_within_the_grace_is_no_failure),
        cmocka_unit_test(timeout),
        cmocka_unit_test(max_spend),
        cmocka_unit_test(reads_that_are_refused_end_the_pod),
        cmocka_unit_test(verify),
        cmocka_unit_test(keep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
