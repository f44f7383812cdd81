/*
 * reconcile with a journal, with marks only, by launch, by expiry; what it must not touch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/reconcile_private.h"
#include "tests/client/deploy_check.h"

static const struct podsku_reconcile_options just_look = {0};
static const struct podsku_reconcile_options end_open = {.terminate = true};

/* Runs it and expects this code, this count of open ones, and "STATE ID" for each pod reported. */
static void expect(struct deploy_rig *rig, const struct podsku_reconcile_options *options, enum podsku_code code,
                   size_t open, const char *pods, const char *file, int line)
{
    struct podsku_reconcile_result result;
    char got[512] = "";
    enum podsku_code got_code = deploy_rig_reconcile(rig, options, &result);

    for (size_t i = 0; i < result.count; i++) {
        size_t len = strlen(got);
        (void)snprintf(got + len, sizeof got - len, "%s%s %s", i ? ", " : "",
                       podsku_reconcile_state_name(result.list[i].state), result.list[i].id);
    }
    bool fits = got_code == code && result.open == open && strcmp(got, pods) == 0;
    if (!fits) {
        print_error("%s:%d: %s (%s), %zu open, \"%s\"; not %s, %zu, \"%s\"\n", file, line, podsku_code_name(got_code),
                    rig->err.message, result.open, got, podsku_code_name(code), open, pods);
        for (size_t i = 0; i < result.count; i++)
            print_error("  %s: %s\n", result.list[i].id, result.list[i].why);
    }
    podsku_reconcile_result_free(&result);
    if (!fits)
        _fail(file, line);
}
#define EXPECT(rig, options, code, open, pods) expect(rig, options, code, open, pods, __FILE__, __LINE__)

static void killed(struct deploy_rig *rig, size_t keep)
{
    (void)deploy_rig_run(rig, 1);
    forget(rig, keep);
}

static void nothing_is_open(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    (void)fake_add(rig.fake, RIG_A, 2, NULL, NULL);
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "");
    assert_int_equal(fake_alive_foreign(rig.fake), 1);
    assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_OK);
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "known pod0002"); /* handed over */
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    deploy_rig_stop(&rig);
}

static void open_entries_are_settled(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* killed after the create: named without --terminate, ended with it */
    killed(&rig, 1);
    EXPECT(&rig, &just_look, PODSKU_UNSETTLED, 1, "known pod0001");
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "terminated pod0001");
    assert_int_equal(fake_alive(rig.fake, "L1"), 0);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_GONE);
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "");
    deploy_rig_stop(&rig);

    start(&rig); /* the pod shows only after a while */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .hide_ms = 20000});
    killed(&rig, 1);
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "terminated pod0001");
    deploy_rig_stop(&rig);

    start(&rig); /* never created: closed as not done, after a whole settle timeout */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .last = 3, .transport = HTTPS_RESET_AFTER});
    assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_UNSETTLED);
    int64_t before = fake_now(rig.time);
    EXPECT(&rig, &just_look, PODSKU_OK, 0, "");
    assert_true(fake_now(rig.time) - before >= 30000);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(deploy_rig_state(&rig, i), PODSKU_ENTRY_NOT_MADE);
    deploy_rig_stop(&rig);

    start(&rig); /* closed, and then it shows: open after all */
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 200000});
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 2, .last = 3, .transport = HTTPS_RESET_AFTER});
    assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_UNSETTLED);
    EXPECT(&rig, &just_look, PODSKU_OK, 0, "");
    podsku_clock_sleep_ms(&rig.clock, 200000);
    EXPECT(&rig, &just_look, PODSKU_UNSETTLED, 1, "known pod0001");
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "terminated pod0001");
    deploy_rig_stop(&rig);
}

static void entries_whose_pod_is_gone_are_closed(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* made, and ended by somebody */
    killed(&rig, 2);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_MADE);
    rig.fake->pods[0].deleted_ms = 1;
    EXPECT(&rig, &just_look, PODSKU_OK, 0, "");
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_GONE);
    deploy_rig_stop(&rig);

    start(&rig); /* handed over, and ended by its user a while ago */
    assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_OK);
    podsku_clock_sleep_ms(&rig.clock, 60000);
    rig.fake->pods[0].deleted_ms = 1;
    EXPECT(&rig, &just_look, PODSKU_OK, 0, "");
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_GONE);
    deploy_rig_stop(&rig);

    start(&rig); /* a list that lags behind a DELETE shows nothing new */
    rig.hand_over_code = PODSKU_OUTPUT;
    assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_OUTPUT);
    rig.fake->pods[0].lingers_as = "TERMINATED";
    rig.fake->pods[0].lingers_ms = INT64_MAX;
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "");
    deploy_rig_stop(&rig);
}

static void an_end_that_cannot_be_proven_stays_open(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    killed(&rig, 1);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .status = 500, .body = "{}"});
    EXPECT(&rig, &end_open, PODSKU_UNSETTLED, 1, "known pod0001");
    deploy_rig_stop(&rig);

    start(&rig);
    killed(&rig, 1);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .status = 500, .body = "{}"});
    EXPECT(&rig, &end_open, PODSKU_UNSETTLED, 1, "");
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_OPEN);
    deploy_rig_stop(&rig);

    start(&rig); /* with nothing open it is just a failure */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .status = 500, .body = "{}"});
    EXPECT(&rig, &end_open, PODSKU_SERVER, 0, "");
    deploy_rig_stop(&rig);

    start(&rig);
    killed(&rig, 1);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .status = 401, .body = "{}"});
    EXPECT(&rig, &end_open, PODSKU_AUTH, 1, "");
    deploy_rig_stop(&rig);
}

static void running_launches_are_skipped(void **state)
{
    const struct podsku_reconcile_options by_launch = {.launch_id = "L1", .terminate = true};
    struct deploy_rig rig;
    struct podsku_launch_lock *lock = NULL;

    (void)state;
    start(&rig);
    killed(&rig, 1);
    assert_int_equal(podsku_launch_lock(rig.journal, "L1", &lock, &rig.err), PODSKU_OK);
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "skipped pod0001");
    EXPECT(&rig, &by_launch, PODSKU_UNSETTLED, 1, "skipped pod0001");
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    podsku_launch_unlock(lock);
    EXPECT(&rig, &by_launch, PODSKU_OK, 0, "terminated pod0001");
    deploy_rig_stop(&rig);
}

static void marks_alone(void **state)
{
    const struct podsku_reconcile_options by_launch = {.launch_id = "L7", .terminate = true};
    const struct podsku_reconcile_options look_at_launch = {.launch_id = "L7"};
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    (void)fake_add(rig.fake, RIG_A, 2, "L7", "one");
    (void)fake_add(rig.fake, RIG_A, 2, "L8", "two");
    (void)fake_add(rig.fake, RIG_A, 2, NULL, NULL);
    /* Young: its deploy may still run on another machine. */
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "skipped pod0001, skipped pod0002");
    podsku_clock_sleep_ms(&rig.clock, PODSKU_RECONCILE_YOUNG_MS + 2000);
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "known pod0001, known pod0002");
    assert_int_equal(fake_seen(rig.fake, FAKE_DELETE), 0);
    EXPECT(&rig, &look_at_launch, PODSKU_UNSETTLED, 1, "known pod0001");
    EXPECT(&rig, &by_launch, PODSKU_OK, 0, "terminated pod0001");
    assert_int_equal(fake_alive(rig.fake, "L8"), 1);
    assert_int_equal(fake_alive_foreign(rig.fake), 1);
    deploy_rig_stop(&rig);
}

static void expiry(void **state)
{
    const struct podsku_reconcile_options look_at_expired = {.expired = true};
    const struct podsku_reconcile_options end_expired = {.expired = true, .terminate = true};
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.ttl_ms = 600000;
    assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_OK); /* handed over, with an expiry of its own */
    rig.options.launch_id = "L2";
    rig.options.ttl_ms = 0;
    assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_OK);
    EXPECT(&rig, &end_expired, PODSKU_OK, 0, "known pod0001, known pod0002");
    podsku_clock_sleep_ms(&rig.clock, 601000);
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "known pod0001, known pod0002");
    EXPECT(&rig, &look_at_expired, PODSKU_OK, 0, "expired pod0001, known pod0002");
    deploy_rig_remove(rig.folder); /* a runner without a memory */
    EXPECT(&rig, &end_expired, PODSKU_OK, 0, "terminated pod0001, skipped pod0002");
    deploy_rig_stop(&rig);
}

static void two_for_one_intent_are_left_alone(void **state)
{
    const struct podsku_reconcile_options by_launch = {.launch_id = "L1", .terminate = true};
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .twice = 1});
    killed(&rig, 1);
    EXPECT(&rig, &end_open, PODSKU_UNSETTLED, 1, "ambiguous pod0001, ambiguous pod0002");
    EXPECT(&rig, &by_launch, PODSKU_UNSETTLED, 1, "ambiguous pod0001, ambiguous pod0002");
    assert_int_equal(fake_seen(rig.fake, FAKE_DELETE), 0);
    deploy_rig_stop(&rig);
}

static void entries_of_another_account_stay_open(void **state)
{
    const struct podsku_client_config config = {.key = "rpa_ANOTHER"};
    struct deploy_rig rig;
    struct podsku_client *ours;
    struct podsku_error err = {0};
    char url[64];

    (void)state;
    start(&rig);
    killed(&rig, 1);
    struct podsku_client_config with_url = config;
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%d/v2", https_server_port(rig.fake->server));
    with_url.url[PODSKU_API_V2] = url;
    with_url.clock = &rig.clock;
    ours = rig.client;
    assert_int_equal(podsku_client_new(&with_url, &rig.client, &err), PODSKU_OK);
    rig.fake->pods[0].unlisted_until_ms = INT64_MAX;
    EXPECT(&rig, &end_open, PODSKU_UNSETTLED, 1, "");
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_OPEN);
    podsku_client_free(rig.client);
    rig.client = ours;
    deploy_rig_stop(&rig);
}

static void clusters(void **state)
{
    static const struct podsku_plan_entry plan = {.gpu_id = RIG_B, .cloud = "SECURE", .gpus = 8, .nodes = 3};
    const struct podsku_reconcile_options by_launch = {.launch_id = "L1", .terminate = true};
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* the reply is lost, and so is the process: a second signal stops the search */
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 20000});
    rig.signal_kind = PODSKU_EVENT_SETTLING;
    rig.signal_at_event = 1;
    rig.second_signal_at_event = 2;
    assert_int_equal(deploy_rig_run_plan(&rig, &plan, 1), PODSKU_UNSETTLED);
    rig.signals = 0;
    rig.acknowledged = 0;
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "terminated cluster001");
    assert_int_equal(fake_alive(rig.fake, NULL), 0);
    deploy_rig_stop(&rig);

    start(&rig); /* members that are listed later than their cluster are waited for */
    assert_int_equal(deploy_rig_run_plan(&rig, &plan, 1), PODSKU_OK);
    forget(&rig, 1);
    for (size_t i = 0; i < rig.fake->pod_count; i++)
        rig.fake->pods[i].unlisted_until_ms = fake_now(rig.time) + 10000;
    EXPECT(&rig, &end_open, PODSKU_OK, 0, "terminated cluster001");
    deploy_rig_stop(&rig);

    start(&rig); /* if they never are, only its name is ours, which is not enough to end it */
    assert_int_equal(deploy_rig_run_plan(&rig, &plan, 1), PODSKU_OK);
    forget(&rig, 1);
    for (size_t i = 0; i < rig.fake->pod_count; i++)
        rig.fake->pods[i].unlisted_until_ms = INT64_MAX;
    EXPECT(&rig, &end_open, PODSKU_UNSETTLED, 1, "known cluster001");
    assert_int_equal(fake_seen(rig.fake, FAKE_DELETE), 0);
    deploy_rig_stop(&rig);

    start(&rig); /* without a journal, by the user's word and the members' marks */
    assert_int_equal(deploy_rig_run_plan(&rig, &plan, 1), PODSKU_OK);
    deploy_rig_remove(rig.folder);
    EXPECT(&rig, &by_launch, PODSKU_OK, 0, "terminated cluster001");
    assert_int_equal(fake_alive(rig.fake, NULL), 0);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ the decision, as a table */

static char *decided_ids[] = {(char *)"A"};
#define NOW INT64_C(1790000000000)
static const struct podsku_entry open_entry = {.launch_id = (char *)"L",
                                               .intent = (char *)"i",
                                               .name = (char *)"podsku-L",
                                               .gpu_ids = decided_ids,
                                               .gpu_id_count = 1,
                                               .at_ms = NOW - 60000,
                                               .state = PODSKU_ENTRY_OPEN};
static const struct podsku_entry handed_over = {.launch_id = (char *)"L",
                                                .intent = (char *)"i",
                                                .name = (char *)"podsku-L",
                                                .gpu_ids = decided_ids,
                                                .gpu_id_count = 1,
                                                .at_ms = NOW - 60000,
                                                .state = PODSKU_ENTRY_HANDED_OVER};
static const struct {
    const char *launch, *intent, *name, *gpu;
    int64_t created_ms, expires_s;
    const struct podsku_entry *entry;
    const char *by_launch;
    bool expired, terminate, known, running, twin;
    enum podsku_reconcile_state state;
    bool end, unsettled;
} decided[] = {
    /* an open entry's own pod */
    {"L", "i", "podsku-L", "A", NOW, 0, &open_entry, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, true, true},
    {"L", "i", "podsku-L", "A", NOW, 0, &open_entry, NULL, 0, 0, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false, true},
    {"L", "i", "podsku-L", "A", 0, 0, &open_entry, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, true, true},
    {"L", "i", "podsku-L", "A", NOW - 359000, 0, &open_entry, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, true, true},
    /* not quite it: never ended by the journal alone */
    {"L", "i", "podsku-L", "A", NOW - 361000, 0, &open_entry, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false, true},
    {"L", "i", "mine", "A", NOW, 0, &open_entry, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false, true},
    {"L", "i", "podsku-L", "B", NOW, 0, &open_entry, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false, true},
    {"L", "j", "podsku-L", "A", NOW, 0, &open_entry, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false, true},
    {"M", "i", "podsku-L", "A", NOW, 0, &open_entry, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false, true},
    /* its deploy runs; two for one intent */
    {"L", "i", "podsku-L", "A", NOW, 0, &open_entry, NULL, 0, 1, 1, 1, 0, PODSKU_RECONCILE_SKIPPED, false, false},
    {"L", "i", "podsku-L", "A", NOW, 0, &open_entry, "L", 0, 1, 1, 1, 0, PODSKU_RECONCILE_SKIPPED, false, true},
    {"L", "i", "podsku-L", "A", NOW, 0, &open_entry, "L", 0, 1, 1, 0, 1, PODSKU_RECONCILE_AMBIGUOUS, false, true},
    /* handed over: by launch or by its own expiry only */
    {"L", "i", "podsku-L", "A", NOW, 0, &handed_over, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false, false},
    {"L", "i", "renamed", "B", NOW, 0, &handed_over, "L", 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, true, false},
    {"L", "i", "podsku-L", "A", NOW, NOW / 1000, &handed_over, NULL, 1, 1, 1, 0, 0, PODSKU_RECONCILE_EXPIRED, true,
     false},
    {"L", "i", "podsku-L", "A", NOW, NOW / 1000 + 1, &handed_over, NULL, 1, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false,
     false},
    {"L", "i", "podsku-L", "A", NOW, NOW / 1000, &handed_over, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false,
     false},
    {"L", "i", "podsku-L", "A", NOW, NOW / 1000, &handed_over, NULL, 1, 0, 1, 0, 0, PODSKU_RECONCILE_EXPIRED, false,
     false},
    /* marks alone */
    {"X", "i", "x", "A", NOW - 899000, 0, NULL, NULL, 0, 1, 0, 0, 0, PODSKU_RECONCILE_SKIPPED, false, false},
    {"X", "i", "x", "A", NOW - 901000, 0, NULL, NULL, 0, 1, 0, 0, 0, PODSKU_RECONCILE_KNOWN, false, false},
    {"X", "i", "x", "A", NOW, 0, NULL, NULL, 0, 1, 1, 0, 0, PODSKU_RECONCILE_KNOWN, false, false},
    {"X", "i", "x", "A", NOW, 0, NULL, "X", 0, 1, 0, 0, 0, PODSKU_RECONCILE_KNOWN, true, true},
    {"X", "i", "x", "A", NOW, 1, NULL, NULL, 1, 1, 0, 0, 0, PODSKU_RECONCILE_EXPIRED, true, false},
    {"X", "i", "x", "A", NOW, 1, NULL, NULL, 0, 1, 0, 0, 0, PODSKU_RECONCILE_SKIPPED, false, false},
};

static void decisions(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(decided); i++) {
        const struct podsku_reconcile_options options = {
            .launch_id = decided[i].by_launch, .expired = decided[i].expired, .terminate = decided[i].terminate};
        const struct podsku_thing thing = {
            .id = (char *)"p",
            .name = (char *)decided[i].name,
            .gpu_id = (char *)decided[i].gpu,
            .live = true,
            .created_ms = decided[i].created_ms,
            .marks = {.launch_id = (char *)decided[i].launch,
                      .intent = (char *)decided[i].intent,
                      .expires_s = decided[i].expires_s},
        };
        const struct podsku_reconcile_case c = {
            .options = &options,
            .thing = &thing,
            .entry = decided[i].entry,
            .launch_known = decided[i].known,
            .running = decided[i].running,
            .twin = decided[i].twin,
            .now_ms = NOW,
        };
        const struct podsku_reconcile_verdict verdict = podsku_reconcile_decide(&c);
        if (verdict.state != decided[i].state || verdict.end != decided[i].end ||
            (!verdict.end && verdict.unsettled != decided[i].unsettled) || !verdict.why[0])
            fail_msg("row %zu: %s, end %d, unsettled %d: %s", i, podsku_reconcile_state_name(verdict.state),
                     verdict.end, verdict.unsettled, verdict.why);
    }
}

static void json(void **state)
{
    struct deploy_rig rig;
    struct podsku_reconcile_result result;

    (void)state;
    start(&rig);
    killed(&rig, 1);
    assert_int_equal(deploy_rig_reconcile(&rig, &just_look, &result), PODSKU_UNSETTLED);
    json_t *document = podsku_reconcile_json(&result);
    char *text = json_dumps(document, JSON_COMPACT);
    assert_string_equal(text, "{\"schema\":\"podsku.reconcile/1\",\"open\":1,\"pods\":[{\"id\":\"pod0001\",\"kind\":"
                              "\"pod\",\"launch_id\":\"L1\",\"attempt\":1,\"state\":\"known\",\"why\":\"its entry in "
                              "the journal is open\"}],\"entries\":[]}");
    free(text);
    json_decref(document);
    podsku_reconcile_result_free(&result);
    deploy_rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_open),
        cmocka_unit_test(open_entries_are_settled),
        cmocka_unit_test(entries_whose_pod_is_gone_are_closed),
        cmocka_unit_test(an_end_that_cannot_be_proven_stays_open),
        cmocka_unit_test(running_launches_are_skipped),
        cmocka_unit_test(marks_alone),
        cmocka_unit_test(expiry),
        cmocka_unit_test(two_for_one_intent_are_left_alone),
        cmocka_unit_test(entries_of_another_account_stay_open),
        cmocka_unit_test(clusters),
        cmocka_unit_test(decisions),
        cmocka_unit_test(json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
