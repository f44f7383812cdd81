/*
 * How a pod ends, and how a deploy is ended: the proof, an unwritable result, signals, a run's end.
 * Time is virtual.
 */
#include <stdio.h>
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
    RUN(&rig, 3, PODSKU_UNSETTLED, "placed", 1);
    assert_string_equal(rig.result.placed.pod.status_word, "RUNNING");
    deploy_rig_stop(&rig);
}

static int64_t until;
static bool spend_ends;

/* Uses the pod up to its deadline, and says as the command line does why it ended. */
static enum podsku_code use_it_up(void *ctx, const struct podsku_deploy_result *result, int64_t deadline_mono_ms,
                                  struct podsku_error *err)
{
    struct deploy_rig *rig = ctx;

    until = deadline_mono_ms;
    spend_ends = result->spend_ends;
    rig->use_count++;
    podsku_clock_sleep_ms(&rig->clock, deadline_mono_ms - fake_now(rig->time));
    podsku_error_hint(err, "as was asked");
    return podsku_error_set(err, rig->use_code, "%s was reached", spend_ends ? "--max-spend" : "--ttl");
}

static void a_run_ends_with_what_it_may_spend(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* 2 USD/h: 0.50 USD are a quarter of an hour */
    rig.hooks.use = use_it_up;
    rig.options.wait = true;
    rig.options.ttl_ms = 7200000;
    rig.options.max_spend_uusd = 500000;
    rig.use_code = PODSKU_NO_CAPACITY;
    int64_t before = fake_now(rig.time);
    RUN(&rig, 3, PODSKU_NO_CAPACITY, "terminated", 0);
    assert_true(spend_ends);
    assert_in_range(until - before, 895000, 905000);
    assert_in_range(rig.result.spent_uusd, 500000, 510000);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_FAILED);
    assert_string_equal(rig.result.placed.pod.status_word, "TERMINATED");
    assert_non_null(strstr(rig.said.data, "--max-spend was reached: terminating pod0001"));
    assert_null(strstr(rig.said.data, "the command has ended"));
    assert_string_equal(rig.err.hint, "as was asked");
    deploy_rig_stop(&rig);

    start(&rig); /* the time to live comes first */
    rig.hooks.use = use_it_up;
    rig.options.wait = true;
    rig.options.ttl_ms = 600000;
    rig.options.max_spend_uusd = 500000;
    rig.use_code = PODSKU_TIMEOUT;
    RUN(&rig, 3, PODSKU_TIMEOUT, "terminated", 0);
    assert_false(spend_ends);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_TIMEOUT);
    assert_non_null(strstr(rig.said.data, "--ttl was reached: terminating pod0001"));
    deploy_rig_stop(&rig);
}

static void a_run_says_how_its_use_ended(void **state)
{
    static const struct {
        enum podsku_code code;
        enum podsku_deploy_end end;
    } rows[] = {{PODSKU_UNVERIFIED, PODSKU_DEPLOY_UNVERIFIED},
                {PODSKU_INTERRUPTED, PODSKU_DEPLOY_INTERRUPTED},
                {PODSKU_NETWORK, PODSKU_DEPLOY_FAILED}};
    struct deploy_rig rig;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        start(&rig);
        rig.hooks.use = on_use;
        rig.options.wait = rig.options.need_ssh = true;
        rig.use_code = rows[i].code;
        RUN(&rig, 3, rows[i].code, "terminated", 0);
        assert_int_equal(rig.result.end, rows[i].end);
        assert_int_equal(rig.result.why.code, rows[i].code);
        assert_non_null(strstr(rig.said.data, "the connection was lost: terminating pod0001"));
        deploy_rig_stop(&rig);
    }
}

/* What an earlier deploy handed over ends with the run that takes it: said before, and with --quiet, too. */
static void a_run_says_that_it_ends_what_was_there_before(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.wait = rig.options.need_ssh = rig.options.launch_id_given = true;
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    podsku_buf_reset(&rig.warnings);
    rig.hooks.use = use_it_up;
    rig.options.max_spend_uusd = 1000000; /* this run's; half an hour */
    rig.use_code = PODSKU_NO_CAPACITY;
    podsku_clock_sleep_ms(&rig.clock, 7200000);
    int64_t before = fake_now(rig.time);
    RUN(&rig, 3, PODSKU_NO_CAPACITY, "terminated", 0);
    assert_non_null(strstr(rig.warnings.data, "pod0001 was there before this run, and ends with it"));
    assert_in_range(until - before, 1795000, 1805000);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ not settled, while a pod was handed over */

static enum podsku_code handed_over_as;
static char handed_over_hint[512];

static enum podsku_code note_why(void *ctx, const struct podsku_deploy_result *result, struct podsku_error *err)
{
    (void)ctx;
    (void)err;
    assert_int_equal(result->code, result->why.code);
    handed_over_as = result->why.code;
    (void)snprintf(handed_over_hint, sizeof handed_over_hint, "%s", result->why.hint);
    return PODSKU_OK;
}

static bool no_list_after_the_second(void *ctx, enum fake_kind kind, struct fake_fault *fault)
{
    const struct deploy_rig *rig = ctx;

    if (kind != FAKE_LIST || rig->fake->create_count < 2)
        return false;
    *fault = (struct fake_fault){.kind = FAKE_LIST, .status = 500, .body = "{}"};
    return true;
}

/* The hint must not end what was just handed over; a document that is written then knows the reason already. */
static void the_hint_leaves_what_was_handed_over(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* the list cannot be read any more: a first pod may exist */
    rig.hooks.hand_over = note_why;
    rig.fake->ctx = &rig;
    rig.fake->choose = no_list_after_the_second;
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 900000});
    RUN(&rig, 3, PODSKU_UNSETTLED, "lost-reply placed", 2);
    assert_int_equal(handed_over_as, PODSKU_UNSETTLED);
    assert_non_null(strstr(rig.err.hint, "podsku reconcile --terminate"));
    assert_null(strstr(rig.err.hint, "--launch-id"));
    assert_string_equal(handed_over_hint, rig.err.hint);
    deploy_rig_stop(&rig);

    start(&rig); /* the first one came late, and cannot be ended */
    rig.hooks.hand_over = note_why;
    rig.options.wait = true;
    rig.fake->starts_ms = 20000;
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 33000});
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .status = 500, .body = "{}"});
    RUN(&rig, 3, PODSKU_UNSETTLED, "adopted placed", 2);
    assert_int_equal(handed_over_as, PODSKU_UNSETTLED);
    assert_null(strstr(rig.err.hint, "--launch-id"));
    assert_string_equal(handed_over_hint, rig.err.hint);
    deploy_rig_stop(&rig);

    start(&rig); /* nothing was handed over: all of the launch may end */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .status = 500, .body = "{}"});
    rig.hand_over_code = PODSKU_OUTPUT;
    RUN(&rig, 3, PODSKU_UNSETTLED, "placed", 1);
    assert_non_null(strstr(rig.err.hint, "podsku reconcile --launch-id L1 --terminate"));
    deploy_rig_stop(&rig);
}

/* A pod that was named is not one that nobody has seen. */
static void what_was_named_is_not_called_unseen(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* two pods of one create */
    fake_fault(rig.fake, (struct fake_fault){
                             .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .twice = 1});
    RUN(&rig, 3, PODSKU_UNSETTLED, "lost-reply", 2);
    assert_null(strstr(rig.warnings.data, "nobody has seen"));
    assert_non_null(strstr(rig.warnings.data, "attempt 1: the pods named above may be its"));
    deploy_rig_stop(&rig);

    start(&rig); /* really unseen */
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER});
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .status = 500, .body = "{}"});
    RUN(&rig, 3, PODSKU_UNSETTLED, "lost-reply", 1);
    assert_non_null(strstr(rig.warnings.data, "attempt 1: a pod may exist that nobody has seen"));
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
        cmocka_unit_test(a_run_ends_with_what_it_may_spend),
        cmocka_unit_test(a_run_says_how_its_use_ended),
        cmocka_unit_test(a_run_says_that_it_ends_what_was_there_before),
        cmocka_unit_test(the_hint_leaves_what_was_handed_over),
        cmocka_unit_test(what_was_named_is_not_called_unseen),
        cmocka_unit_test(more_stock_is_asked_for_after_a_refusal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
