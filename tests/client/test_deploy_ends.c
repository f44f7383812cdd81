/*
 * How a pod ends, and how a deploy is ended: the proof, an unwritable result, signals, a run's end.
 * Time is virtual.
 */
#include <string.h>

#include "tests/client/deploy_check.h"

static void fewer(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    pod->gpus = strcmp(pod->id, "pod0001") == 0 ? 1 : pod->gpus;
}

/* ------------------------------------------------------------------ ending */

static void an_end_is_proven(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* DELETE is confirmed, the pod lingers as RUNNING for a while */
    rig.fake->shape = fewer;
    fake_fault(rig.fake, (struct fake_fault){
                             .kind = FAKE_DELETE, .nth = 1, .act = true, .hide_ms = 20000, .lingers_as = "RUNNING"});
    RUN(&rig, 2, PODSKU_OK, "mismatch placed", 1);
    assert_true(rig.result.attempts[0].gone);
    deploy_rig_stop(&rig);

    start(&rig); /* DELETE's answer is lost: 404 to its repetition, then absent for a settle timeout */
    rig.fake->shape = fewer;
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_DELETE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER});
    RUN(&rig, 2, PODSKU_OK, "mismatch placed", 1);
    assert_true(fake_seen(rig.fake, FAKE_DELETE) > 1);
    deploy_rig_stop(&rig);

    start(&rig); /* DELETE says 404 at first, because the pod is too new */
    rig.fake->shape = fewer;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .hide_ms = 8000});
    RUN(&rig, 2, PODSKU_OK, "mismatch placed", 1);
    deploy_rig_stop(&rig);

    start(&rig); /* DELETE never works: 8, and the pod is named */
    rig.fake->shape = fewer;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .status = 500, .body = "{}"});
    RUN(&rig, 2, PODSKU_UNSETTLED, "mismatch", 1);
    assert_non_null(strstr(rig.warnings.data, "pod0001 may still run"));
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_MADE);
    deploy_rig_stop(&rig);
}

static void an_unwritable_result_ends_the_pod(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.hand_over_code = PODSKU_OUTPUT;
    RUN(&rig, 3, PODSKU_OUTPUT, "terminated", 0);
    assert_false(rig.result.has_placed);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_GONE);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ signals */

static void signals(void **state)
{
    static const enum podsku_event_kind moments[] = {PODSKU_EVENT_SENDING, PODSKU_EVENT_MADE, PODSKU_EVENT_WAITING};
    struct deploy_rig rig;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(moments); i++) {
        start(&rig);
        rig.options.wait = true;
        rig.fake->starts_ms = 60000;
        rig.signal_kind = moments[i];
        rig.signal_at_event = 1;
        RUN(&rig, 3, PODSKU_INTERRUPTED, "terminated", 0);
        assert_int_equal(rig.result.end, PODSKU_DEPLOY_INTERRUPTED);
        deploy_rig_stop(&rig);
    }

    start(&rig); /* while settling: settled to the end, then ended */
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 20000});
    rig.signal_kind = PODSKU_EVENT_SETTLING;
    rig.signal_at_event = 2;
    RUN(&rig, 3, PODSKU_INTERRUPTED, "terminated", 0);
    deploy_rig_stop(&rig);

    start(&rig); /* a second one stops the waiting */
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 20000});
    rig.signal_kind = PODSKU_EVENT_SETTLING;
    rig.signal_at_event = 2;
    rig.second_signal_at_event = 4;
    RUN(&rig, 3, PODSKU_UNSETTLED, "lost-reply", 1);
    assert_int_equal(rig.result.open_count, 1);
    deploy_rig_stop(&rig);

    start(&rig); /* before anything is sent */
    rig.signals = 1;
    RUN(&rig, 3, PODSKU_INTERRUPTED, "", 0);
    assert_int_equal(https_server_requests(rig.fake->server), 0);
    deploy_rig_stop(&rig);

    start(&rig); /* while throttled */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .status = 429, .headers = "Retry-After: 600\r\n"});
    rig.signal_kind = PODSKU_EVENT_PAUSE;
    rig.signal_at_event = 1;
    RUN(&rig, 3, PODSKU_INTERRUPTED, "throttled", 0);
    deploy_rig_stop(&rig);

    start(&rig); /* --keep keeps it */
    rig.options.wait = rig.options.keep = true;
    rig.fake->starts_ms = 60000;
    rig.signal_kind = PODSKU_EVENT_WAITING;
    rig.signal_at_event = 2;
    RUN(&rig, 3, PODSKU_INTERRUPTED, "kept", 1);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ run */

static enum podsku_code on_use(void *ctx, const struct podsku_deploy_result *result, int64_t deadline_mono_ms,
                               struct podsku_error *err)
{
    struct deploy_rig *rig = ctx;

    assert_true(result->has_placed);
    assert_non_null(result->placed.pod.ssh.host);
    assert_true(deadline_mono_ms > fake_now(rig->time));
    rig->use_count++;
    podsku_clock_sleep_ms(&rig->clock, 1800000);
    if (rig->use_code != PODSKU_OK)
        return podsku_error_set(err, rig->use_code, "the connection was lost");
    return PODSKU_OK;
}

static void a_run_ends_its_pod_whatever_happens(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.hooks.use = on_use;
    rig.options.wait = rig.options.need_ssh = true;
    rig.options.ttl_ms = 7200000;
    RUN(&rig, 3, PODSKU_OK, "terminated", 0);
    assert_int_equal(rig.use_count, 1);
    assert_int_equal(rig.hand_over_count, 0);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_RUNNING);
    assert_in_range(rig.result.spent_uusd, 1000000, 1010000); /* half an hour at 2 USD/h */
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_GONE);
    rig.use_code = PODSKU_NETWORK;
    rig.options.launch_id = "L2";
    RUN(&rig, 3, PODSKU_NETWORK, "terminated", 0);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .status = 500, .body = "{}"});
    rig.options.launch_id = "L3";
    rig.use_code = PODSKU_OK;
    RUN(&rig, 3, PODSKU_UNSETTLED, "terminated", 1);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ more stock */

static void more_stock_is_asked_for_after_a_refusal(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_refuse(rig.fake, RIG_A, 400, FAKE_NO_CAPACITY);
    rig.more_plan = rig_plan + 1;
    rig.more_plan_count = 1;
    RUN(&rig, 1, PODSKU_OK, "no-capacity placed", 1);
    assert_int_equal(rig.result.attempts[1].attempt, 2);
    fake_refuse(rig.fake, RIG_B, 400, FAKE_NO_CAPACITY);
    rig.options.launch_id = "L2";
    rig.more_count = 0;
    RUN(&rig, 1, PODSKU_TIMEOUT, "no-capacity no-capacity", 1);
    deploy_rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_is_proven),
        cmocka_unit_test(an_unwritable_result_ends_the_pod),
        cmocka_unit_test(signals),
        cmocka_unit_test(a_run_ends_its_pod_whatever_happens),
        cmocka_unit_test(more_stock_is_asked_for_after_a_refusal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
