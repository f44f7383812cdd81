/*
 * What happens to a pod in every event: the rows of the table, against the stand-in. Time is virtual.
 */
#include <stdio.h>
#include <string.h>

#include "tests/client/deploy_check.h"

#define RESULT(rig, code_, end_)                                                                       \
    do {                                                                                               \
        if ((rig)->result.code != (code_) || (rig)->result.end != (end_))                              \
            fail_msg("%s, %s: %s\n%s", podsku_code_name((rig)->result.code),                           \
                     podsku_deploy_end_name((rig)->result.end), (rig)->err.message, (rig)->said.data); \
    } while (0)

static void outcomes(struct deploy_rig *rig, const char *expected, const char *file, int line)
{
    char got[256] = "";

    for (size_t i = 0; i < rig->result.attempt_count; i++) {
        size_t len = strlen(got);
        (void)snprintf(got + len, sizeof got - len, "%s%s", i ? " " : "",
                       podsku_attempt_outcome_name(rig->result.attempts[i].outcome));
    }
    if (strcmp(got, expected) != 0) {
        print_error("%s:%d: outcomes are \"%s\", not \"%s\"\n%s\n", file, line, got, expected, rig->said.data);
        _fail(file, line);
    }
}
#define OUTCOMES(rig, expected) outcomes(rig, expected, __FILE__, __LINE__)

static int code_of(struct deploy_rig *rig, size_t count)
{
    return (int)deploy_rig_run(rig, count);
}

/* ------------------------------------------------------------------ plain */

static void places_the_first(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    assert_int_equal(code_of(&rig, 3), PODSKU_OK);
    RESULT(&rig, PODSKU_OK, PODSKU_DEPLOY_CREATED);
    OUTCOMES(&rig, "placed");
    assert_string_equal(rig.output.data, "pod0001\n");
    assert_true(rig.result.has_placed);
    assert_string_equal(rig.result.placed.pod.gpu_id, RIG_A);
    assert_int_equal(rig.result.placed.price_uusd, 2000000);
    assert_int_equal(rig.result.attempts[0].http_status, 201);
    assert_string_equal(rig.result.attempts[0].listed_stock, "LOW");
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_HANDED_OVER);
    /* One create and nothing else. */
    assert_int_equal(https_server_requests(rig.fake->server), 1);
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    deploy_rig_stop(&rig);
}

static void marks_what_it_creates(void **state)
{
    struct deploy_rig rig;
    char attempt[8];

    (void)state;
    start(&rig);
    fake_refuse(rig.fake, RIG_A, 400, FAKE_NO_CAPACITY);
    rig.options.ttl_ms = 3600000;
    assert_int_equal(code_of(&rig, 3), PODSKU_OK);
    const json_t *env = rig.fake->pods[0].env;
    assert_string_equal(json_string_value(json_object_get(env, "PODSKU_LAUNCH_ID")), "L1");
    (void)snprintf(attempt, sizeof attempt, "%d", rig.result.attempts[1].attempt);
    assert_string_equal(attempt, "2");
    assert_string_equal(json_string_value(json_object_get(env, "PODSKU_ATTEMPT")), attempt);
    assert_string_equal(json_string_value(json_object_get(env, "PODSKU_INTENT")), rig.result.attempts[1].intent);
    assert_int_equal(strlen(rig.result.attempts[1].intent), 32);
    assert_string_not_equal(rig.result.attempts[0].intent, rig.result.attempts[1].intent);
    assert_non_null(json_object_get(env, "PODSKU_EXPIRES"));
    assert_true(rig.result.placed.expires_s > podsku_clock_wall_ms(&rig.clock) / 1000 + 3500);
    assert_string_equal(rig.fake->pods[0].name, "podsku-L1");
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ refusals */

static void tries_the_next_on_no_capacity(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_refuse(rig.fake, RIG_A, 400, FAKE_NO_CAPACITY);
    assert_int_equal(code_of(&rig, 3), PODSKU_OK);
    OUTCOMES(&rig, "no-capacity placed");
    assert_string_equal(rig.result.placed.pod.gpu_id, RIG_B);
    assert_non_null(strstr(rig.result.attempts[0].detail, "no longer any instances"));
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_NOT_MADE);
    assert_int_equal(https_server_requests(rig.fake->server), 2);
    deploy_rig_stop(&rig);
}

static void ends_with_4_when_none_has_capacity(void **state)
{
    struct deploy_rig rig;
    const char *const centers[] = {"US-TX-3"};

    (void)state;
    start(&rig);
    for (int i = 0; i < 3; i++)
        fake_refuse(rig.fake, rig_plan[i].gpu_id, 400, FAKE_NO_CAPACITY);
    rig.options.spec.data_centers = centers;
    rig.options.spec.data_center_count = 1;
    rig.options.spec.min_cuda = "12.4";
    assert_int_equal(code_of(&rig, 3), PODSKU_NO_CAPACITY);
    RESULT(&rig, PODSKU_NO_CAPACITY, PODSKU_DEPLOY_NO_CAPACITY);
    OUTCOMES(&rig, "no-capacity no-capacity no-capacity");
    assert_false(rig.result.has_placed);
    /* Every constraint is named. */
    assert_non_null(strstr(rig.err.hint, "2 GPUs"));
    assert_non_null(strstr(rig.err.hint, "SECURE"));
    assert_non_null(strstr(rig.err.hint, "US-TX-3"));
    assert_non_null(strstr(rig.err.hint, "12.4"));
    deploy_rig_stop(&rig);
}

static void denied(void **state)
{
    struct deploy_rig rig;
    static const char problem[] = "{\"title\":\"Forbidden\",\"status\":403,\"detail\":\"access denied\"}";

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE,
                                             .status = 403,
                                             .body = problem,
                                             .headers = "Content-Type: application/problem+json\r\n"});
    assert_int_equal(code_of(&rig, 3), PODSKU_DENIED);
    RESULT(&rig, PODSKU_DENIED, PODSKU_DEPLOY_DENIED);
    OUTCOMES(&rig, "denied denied denied");
    deploy_rig_stop(&rig);

    start(&rig); /* not all of them: 4 */
    fake_refuse(rig.fake, RIG_A, 403, problem);
    fake_refuse(rig.fake, RIG_B, 400, FAKE_NO_CAPACITY);
    assert_int_equal(code_of(&rig, 2), PODSKU_NO_CAPACITY);
    OUTCOMES(&rig, "denied no-capacity");
    deploy_rig_stop(&rig);
}

static void the_same_unknown_words_everywhere_are_a_request_fault(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .status = 400, .body = "{\"detail\":\"the moon is full\"}"});
    assert_int_equal(code_of(&rig, 3), PODSKU_REQUEST);
    assert_non_null(strstr(rig.err.message, "the moon is full"));
    assert_int_equal(rig.result.attempt_count, 3);
    deploy_rig_stop(&rig);

    start(&rig); /* of a single candidate it says nothing */
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .status = 400, .body = "{\"detail\":\"the moon is full\"}"});
    assert_int_equal(code_of(&rig, 1), PODSKU_NO_CAPACITY);
    deploy_rig_stop(&rig);

    start(&rig); /* nor when one has other words */
    fake_fault(rig.fake, (struct fake_fault){
                             .kind = FAKE_CREATE, .nth = 1, .status = 400, .body = "{\"detail\":\"the moon is new\"}"});
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .status = 400, .body = "{\"detail\":\"the moon is full\"}"});
    assert_int_equal(code_of(&rig, 3), PODSKU_NO_CAPACITY);
    deploy_rig_stop(&rig);
}

static void answers_that_stop(void **state)
{
    static const struct {
        int status;
        const char *body;
        enum podsku_code code;
    } rows[] = {
        {422,
         "{\"detail\":\"Request validation failed.\",\"errors\":[\"$: x not allowed\",\"$: missing property 'name'\"]}",
         PODSKU_REQUEST},
        {400, "{\"detail\":\"disk must be at least 1\"}", PODSKU_REQUEST},
        {404, "{\"detail\":\"template not found\"}", PODSKU_REQUEST},
        {401, "{\"detail\":\"unauthorized\"}", PODSKU_AUTH},
        {402, "{\"detail\":\"Your account balance is too low to rent a pod\"}", PODSKU_BALANCE},
        {410, "{}", PODSKU_RETIRED},
        {301, "{}", PODSKU_RETIRED},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct deploy_rig rig;
        start(&rig);
        fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .status = rows[i].status, .body = rows[i].body});
        assert_int_equal(code_of(&rig, 3), rows[i].code);
        OUTCOMES(&rig, "rejected");
        assert_int_equal(https_server_requests(rig.fake->server), 1);
        assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_NOT_MADE);
        if (rows[i].status == 422)
            assert_non_null(strstr(rig.said.data, "missing property 'name'"));
        deploy_rig_stop(&rig);
    }
}

static void waits_when_throttled(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .status = 429, .headers = "Retry-After: 40\r\n"});
    int64_t before = fake_now(rig.time);
    assert_int_equal(code_of(&rig, 3), PODSKU_OK);
    OUTCOMES(&rig, "throttled placed");
    assert_true(fake_now(rig.time) - before >= 40000);
    assert_string_equal(rig.result.placed.pod.gpu_id, RIG_A); /* the same candidate */
    deploy_rig_stop(&rig);

    start(&rig); /* longer than --timeout allows */
    rig.options.timeout_ms = 60000;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .status = 429, .headers = "Retry-After: 3600\r\n"});
    assert_int_equal(code_of(&rig, 3), PODSKU_TIMEOUT);
    RESULT(&rig, PODSKU_TIMEOUT, PODSKU_DEPLOY_TIMEOUT);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ open replies */

static void adopts_the_pod_of_a_lost_reply(void **state)
{
    static const struct fake_fault faults[] = {
        {.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER},
        {.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_TRUNCATE},
        {.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_GARBAGE},
        {.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_CLOSE_AFTER, .hide_ms = 5000},
        {.kind = FAKE_CREATE, .nth = 1, .act = true, .status = 500, .body = "{\"detail\":\"boom\"}", .hide_ms = 20000},
        {.kind = FAKE_CREATE, .nth = 1, .act = true, .status = 201, .body = "{\"name\":\"x\"}"},
        {.kind = FAKE_CREATE, .nth = 1, .act = true, .status = 200, .body = "not JSON"},
        {.kind = FAKE_CREATE, .nth = 1, .act = true, .status = 409, .body = "{}", .hide_ms = 29500},
        {.kind = FAKE_CREATE, .nth = 1, .act = true, .status = 504, .body = "<html>"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        struct deploy_rig rig;
        start(&rig);
        fake_add(rig.fake, RIG_A, 2, NULL, NULL);
        fake_fault(rig.fake, faults[i]);
        assert_int_equal(code_of(&rig, 3), PODSKU_OK);
        RESULT(&rig, PODSKU_OK, PODSKU_DEPLOY_CREATED);
        OUTCOMES(&rig, "adopted");
        assert_string_equal(rig.output.data, "pod0002\n");
        assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
        assert_int_equal(fake_alive(rig.fake, "L1"), 1);
        assert_int_equal(rig.result.open_count, 0);
        assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_HANDED_OVER);
        deploy_rig_stop(&rig);
    }
}

static void sends_again_after_a_settled_nothing(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .transport = HTTPS_RESET_AFTER});
    int64_t before = fake_now(rig.time);
    assert_int_equal(code_of(&rig, 3), PODSKU_OK);
    OUTCOMES(&rig, "lost-reply placed");
    assert_string_equal(rig.result.placed.pod.gpu_id, RIG_A);
    assert_true(fake_now(rig.time) - before >= 30000); /* a whole settle timeout */
    /* It stays open, named in the result; the pod is handed over all the same. */
    assert_int_equal(rig.result.open_count, 1);
    assert_int_equal(rig.result.open[0].attempt, 1);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_OPEN);
    assert_non_null(strstr(rig.warnings.data, "attempt 1"));
    deploy_rig_stop(&rig);
}

static void settling_looks_often_at_first(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .transport = HTTPS_RESET_AFTER});
    (void)code_of(&rig, 1);
    /* Three sends; each: 1 at once, 0.1, 0.3, then every 0.5 s up to 10 s, every 2 s up to 30 s, 1 at the end. */
    int lists = fake_seen(rig.fake, FAKE_LIST);
    assert_in_range(lists, 3 * 30, 3 * 36 + 3);
    OUTCOMES(&rig, "lost-reply lost-reply lost-reply");
    RESULT(&rig, PODSKU_UNSETTLED, PODSKU_DEPLOY_UNSETTLED);
    assert_int_equal(rig.result.open_count, 3);
    deploy_rig_stop(&rig);
}

static void lost_replies_go_on_to_the_next_candidate(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .last = 3, .transport = HTTPS_RESET_AFTER});
    assert_int_equal(code_of(&rig, 2), PODSKU_OK);
    OUTCOMES(&rig, "lost-reply lost-reply lost-reply placed");
    assert_string_equal(rig.result.placed.pod.gpu_id, RIG_B);
    deploy_rig_stop(&rig);
}

static void failures_of_the_service_stop_it(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .status = 503, .body = "{}"});
    assert_int_equal(code_of(&rig, 3), PODSKU_UNSETTLED); /* each left an entry open */
    OUTCOMES(&rig, "server-error server-error server-error");
    assert_int_equal(rig.result.open_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(deploy_rig_state(&rig, i), PODSKU_ENTRY_OPEN);
    deploy_rig_stop(&rig);
}

static void late_pods_are_adopted_or_ended(void **state)
{
    struct deploy_rig rig;

    (void)state;
    /* Before the next create: adopted, nothing more is sent. */
    start(&rig);
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 30700});
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .nth = 2, .status = 429, .headers = "Retry-After: 5\r\n"});
    assert_int_equal(code_of(&rig, 3), PODSKU_OK);
    OUTCOMES(&rig, "adopted throttled");
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    assert_string_equal(rig.output.data, "pod0001\n");
    deploy_rig_stop(&rig);

    /* When another one is ready already: ended. */
    start(&rig);
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 33000});
    rig.options.wait = true;
    rig.fake->starts_ms = 20000;
    assert_int_equal(code_of(&rig, 3), PODSKU_OK);
    OUTCOMES(&rig, "terminated placed");
    assert_string_equal(rig.output.data, "pod0002\n");
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    assert_int_equal(rig.result.open_count, 0);
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_GONE);
    deploy_rig_stop(&rig);
}

static void an_unreadable_list_is_8(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER});
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .status = 500, .body = "{}"});
    assert_int_equal(code_of(&rig, 3), PODSKU_UNSETTLED);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1); /* nothing is sent over an unknown */
    assert_non_null(strstr(rig.warnings.data, "could not be read"));
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_OPEN);
    deploy_rig_stop(&rig);

    start(&rig); /* a list that says there is more, which cannot be fetched, is no list */
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER});
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_LIST, .status = 200, .body = "{\"pods\":[],\"hasMore\":true}"});
    assert_int_equal(code_of(&rig, 3), PODSKU_UNSETTLED);
    deploy_rig_stop(&rig);
}

static void two_pods_for_one_intent_are_left_alone(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){
                             .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .twice = 1});
    assert_int_equal(code_of(&rig, 3), PODSKU_UNSETTLED);
    assert_int_equal(fake_seen(rig.fake, FAKE_DELETE), 0);
    assert_non_null(strstr(rig.warnings.data, "pod0001 and pod0002"));
    deploy_rig_stop(&rig);

    start(&rig); /* one pod, listed twice, is one */
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER});
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .act = true, .twice = 1});
    assert_int_equal(code_of(&rig, 3), PODSKU_OK);
    deploy_rig_stop(&rig);
}

static void a_service_that_is_not_reached(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    https_server_stop(rig.fake->server);
    rig.fake->server = NULL;
    assert_int_equal(code_of(&rig, 3), PODSKU_NETWORK);
    RESULT(&rig, PODSKU_NETWORK, PODSKU_DEPLOY_FAILED);
    OUTCOMES(&rig, "server-error server-error server-error");
    assert_int_equal(rig.result.open_count, 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(deploy_rig_state(&rig, i), PODSKU_ENTRY_NOT_MADE);
    deploy_rig_stop(&rig);
}

/* Two late pods that show at once: both are ended before anything more is created. */
static void make_the_first_two_wrong(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    if (pod->id[6] < '3')
        (void)snprintf(pod->gpu_id, sizeof pod->gpu_id, "NVIDIA L4");
}

static void count_at_create(void *ctx, enum fake_kind kind, bool after)
{
    struct deploy_rig *rig = ctx;

    if (kind != FAKE_CREATE || after)
        return;
    rig->use_count = 0; /* at the latest create */
    for (size_t i = 0; i < rig->fake->pod_count; i++)
        rig->use_count += !rig->fake->pods[i].deleted_ms;
}

static void every_late_pod_is_settled_before_the_next_create(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.fake->shape = make_the_first_two_wrong;
    rig.fake->watch = count_at_create;
    rig.fake->ctx = &rig;
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 62000});
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 2, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 32000});
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .nth = 3, .status = 429, .headers = "Retry-After: 5\r\n"});
    assert_int_equal(deploy_rig_run(&rig, 3), PODSKU_OK);
    assert_int_equal(rig.use_count, 0);
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    assert_int_equal(rig.result.open_count, 0);
    deploy_rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_late_pod_is_settled_before_the_next_create),
        cmocka_unit_test(places_the_first),
        cmocka_unit_test(marks_what_it_creates),
        cmocka_unit_test(tries_the_next_on_no_capacity),
        cmocka_unit_test(ends_with_4_when_none_has_capacity),
        cmocka_unit_test(denied),
        cmocka_unit_test(the_same_unknown_words_everywhere_are_a_request_fault),
        cmocka_unit_test(answers_that_stop),
        cmocka_unit_test(waits_when_throttled),
        cmocka_unit_test(adopts_the_pod_of_a_lost_reply),
        cmocka_unit_test(sends_again_after_a_settled_nothing),
        cmocka_unit_test(settling_looks_often_at_first),
        cmocka_unit_test(lost_replies_go_on_to_the_next_candidate),
        cmocka_unit_test(failures_of_the_service_stop_it),
        cmocka_unit_test(late_pods_are_adopted_or_ended),
        cmocka_unit_test(an_unreadable_list_is_8),
        cmocka_unit_test(two_pods_for_one_intent_are_left_alone),
        cmocka_unit_test(a_service_that_is_not_reached),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
