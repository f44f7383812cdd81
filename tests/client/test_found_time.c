/*
 * Reads that get too much time, or none: services that hang while a deploy settles, and what is said of an end
 * that could not be proven. Sleeps are virtual; what a service takes for an answer is not.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/client/deploy_check.h"

static int64_t real_ms(void)
{
    return podsku_clock_mono_ms(podsku_clock_system());
}

/* ------------------------------------------------------------------ settling */

static void start_lost(struct deploy_rig *rig)
{
    start(rig);
    rig->options.settle_ms = 1000;
    fake_fault(rig->fake,
               (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER});
}

static void a_list_that_hangs_does_not_hold_up_settling(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start_lost(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .transport = HTTPS_STALL});
    int64_t start_ms = real_ms();
    RUN(&rig, 3, PODSKU_UNSETTLED, "lost-reply", 1);
    assert_in_range(real_ms() - start_ms, 4000, 14000); /* two looks with the least time of one */
    assert_int_equal(rig.result.open_count, 1);
    deploy_rig_stop(&rig);
}

static void a_second_signal_stops_at_once(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start_lost(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .transport = HTTPS_STALL});
    rig.signal_kind = PODSKU_EVENT_SETTLING;
    rig.signal_at_event = 1;
    rig.second_signal_at_event = 2;
    int64_t start_ms = real_ms();
    RUN(&rig, 3, PODSKU_UNSETTLED, "lost-reply", 1);
    assert_true(real_ms() - start_ms < 4000);
    assert_int_equal(rig.result.open_count, 1);
    deploy_rig_stop(&rig);
}

static void slow_list(void *ctx, enum fake_kind kind, bool after)
{
    const struct timespec pause = {.tv_sec = 1, .tv_nsec = 300000000};

    (void)ctx;
    if (kind == FAKE_LIST && !after)
        (void)nanosleep(&pause, NULL);
}

/* The timeout is over before the first list is whole: that one counts, and so does the one at the very end. */
static void a_slow_list_counts(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.settle_ms = 1000;
    rig.fake->watch = slow_list;
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 2000});
    RUN(&rig, 1, PODSKU_OK, "adopted", 1);
    deploy_rig_stop(&rig);
}

/* No list can be read until it was said that none could. */
static bool blind_at_first(void *ctx, enum fake_kind kind, struct fake_fault *fault)
{
    struct deploy_rig *rig = ctx;

    if (kind != FAKE_LIST || strstr(podsku_buf_text(&rig->warnings), "could not be read"))
        return false;
    *fault = (struct fake_fault){.kind = FAKE_LIST, .status = 500};
    return true;
}

/* Nothing is left of it: that the pod may still run would not be true. */
static void the_last_look_settles_what_was_not_seen(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.fake->choose = blind_at_first;
    rig.fake->ctx = &rig;
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER});
    RUN(&rig, 3, PODSKU_SERVER, "terminated", 0);
    assert_int_equal(rig.result.end, PODSKU_DEPLOY_FAILED);
    assert_int_equal(rig.result.open_count, 0);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_GONE);
    assert_string_equal(rig.result.why.message,
                        "the list of pods could not be read in time; nothing of this launch is left");
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ why it may still run */

static void fewer(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    pod->gpus = 1;
}

/* A few milliseconds more than nothing. */
static void slow_get(void *ctx, enum fake_kind kind, bool after)
{
    const struct timespec pause = {.tv_nsec = 20000000};

    (void)ctx;
    if (kind == FAKE_GET && !after)
        (void)nanosleep(&pause, NULL);
}

static void the_deletes_own_answer_is_the_reason(void **state)
{
    static const struct {
        int status;
        const char *said;
    } rows[] = {
        {404, "no DELETE was confirmed; DELETE: pod pod0001 does not exist (HTTP 404"},
        {409, "no DELETE was confirmed; DELETE: the service refuses the request (HTTP 409): busy"},
        {500, "no DELETE was confirmed; DELETE: the service failed (HTTP 500: busy"},
        {204, "DELETE was confirmed, but it still shows"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct deploy_rig rig;
        start(&rig);
        rig.options.settle_ms = 1000;
        rig.fake->shape = fewer;
        rig.fake->watch = slow_get;
        fake_fault(rig.fake,
                   (struct fake_fault){.kind = FAKE_DELETE, .status = rows[i].status, .body = "{\"detail\":\"busy\"}"});
        RUN(&rig, 1, PODSKU_UNSETTLED, "mismatch", 1);
        if (!strstr(rig.warnings.data, rows[i].said) || strstr(rig.warnings.data, "in time"))
            fail_msg("%d: %s", rows[i].status, rig.warnings.data);
        deploy_rig_stop(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_that_hangs_does_not_hold_up_settling),
        cmocka_unit_test(a_second_signal_stops_at_once),
        cmocka_unit_test(a_slow_list_counts),
        cmocka_unit_test(the_last_look_settles_what_was_not_seen),
        cmocka_unit_test(the_deletes_own_answer_is_the_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
