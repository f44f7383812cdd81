/*
 * What one odd pod of an account may not do: hide all others. And pods whose marks cannot be read, which
 * prove nothing by carrying none. Time is virtual.
 */
#include <stdio.h>
#include <string.h>

#include "tests/client/deploy_check.h"
#include "tests/client/rig.h"

/* ------------------------------------------------------------------ members of wrong types */

static const char *const odd[] = {
    "\"name\":7",
    "\"status\":7",
    "\"gpu\":\"H100\"",
    "\"gpu\":{\"id\":8}",
    "\"gpu\":{\"count\":\"8\"}",
    "\"gpu\":{\"count\":-1}",
    "\"gpu\":{\"count\":1e300}",
    "\"cost\":\"N/A\"",
    "\"cost\":{}",
    "\"cost\":1e300",
    "\"createdAt\":1",
    "\"createdAt\":\"yesterday\"",
    "\"cloud\":[]",
    "\"env\":[]",
    "\"env\":\"A=b\"",
    "\"mounts\":[]",
    "\"ssh\":{\"direct\":{\"port\":99999}}",
    "\"ssh\":{\"direct\":\"x\"}",
    "\"cluster\":{\"rank\":\"0\"}",
};

static void an_odd_pod_hides_no_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        char body[512];
        (void)snprintf(body, sizeof body,
                       "{\"pods\":[{\"id\":\"odd\",%s},{\"id\":\"good\",\"gpu\":{\"id\":\"G\",\"count\":2},\"env\":{"
                       "\"PODSKU_LAUNCH_ID\":\"L\",\"PODSKU_ATTEMPT\":\"3\",\"PODSKU_INTENT\":\"abc\"}}]}",
                       odd[i]);
        const struct https_answer answers[] = {{.body = body}};
        struct rig rig;
        struct podsku_pods pods;
        RIG_START(&rig, answers);
        EXPECT(&rig, podsku_api_list_pods(rig.client, PODSKU_API_V2, false, &pods, &rig.err), PODSKU_OK);
        assert_int_equal(pods.count, 2);
        assert_string_equal(pods.list[0].id, "odd");
        assert_false(pods.list[0].cost_known);
        assert_int_equal(pods.list[0].gpus, 0);
        assert_int_equal(pods.list[0].created_ms, 0);
        assert_string_equal(pods.list[1].marks.launch_id, "L");
        assert_int_equal(pods.list[1].marks.attempt, 3);
        assert_true(pods.list[1].marks_known);
        podsku_pods_free(&pods);
        rig_stop(&rig);
    }
}

static void marks_are_known_or_not(void **state)
{
    static const struct {
        const char *env; /* NULL: absent */
        bool known;
    } cases[] = {
        {NULL, false},
        {"null", false},
        {"[{\"key\":\"PODSKU_LAUNCH_ID\",\"value\":\"L\"}]", false},
        {"\"PODSKU_LAUNCH_ID=L\"", false},
        {"{\"PODSKU_LAUNCH_ID\":\"***\",\"PODSKU_ATTEMPT\":\"***\",\"PODSKU_INTENT\":\"***\"}", false},
        {"{\"PODSKU_LAUNCH_ID\":\"hidden\",\"PODSKU_ATTEMPT\":\"hidden\",\"PODSKU_INTENT\":\"hidden\"}", false},
        {"{\"PODSKU_LAUNCH_ID\":null,\"PODSKU_INTENT\":null}", false},
        {"{\"PODSKU_LAUNCH_ID\":\"L\",\"PODSKU_ATTEMPT\":\"1\",\"PODSKU_INTENT\":\"\"}", false},
        {"{}", true},
        {"{\"A\":\"***\"}", true},
        {"{\"PODSKU_LAUNCH_ID\":\"L\",\"PODSKU_ATTEMPT\":\"1\",\"PODSKU_INTENT\":\"0f\"}", true},
        {"{\"PODSKU_EXPIRES\":\"soon\"}", true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char body[256];
        (void)snprintf(body, sizeof body, "{\"id\":\"p\"%s%s}", cases[i].env ? ",\"env\":" : "",
                       cases[i].env ? cases[i].env : "");
        const struct https_answer answers[] = {{.body = body}};
        struct rig rig;
        struct podsku_pod pod;
        RIG_START(&rig, answers);
        EXPECT(&rig, podsku_api_get_pod(rig.client, PODSKU_API_V2, "p", &pod, &rig.err), PODSKU_OK);
        if (pod.marks_known != cases[i].known)
            fail_msg("%s", body);
        podsku_pod_clear(&pod);
        rig_stop(&rig);
    }
}

/* ------------------------------------------------------------------ pods that hide their marks */

static void mask(void *ctx, struct fake_pod *pod)
{
    json_t *env = pod->env;

    (void)ctx;
    pod->env = json_pack("{s:s,s:s,s:s}", "PODSKU_LAUNCH_ID", "***", "PODSKU_ATTEMPT", "***", "PODSKU_INTENT", "***");
    json_decref(env);
}

static void strip(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    json_decref(pod->env);
    pod->env = json_null();
}

static void empty(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    json_decref(pod->env);
    pod->env = json_object();
}

static const struct fake_fault lost = {.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER};

static size_t living(const struct deploy_rig *rig)
{
    size_t count = 0;

    for (size_t i = 0; i < rig->fake->pod_count; i++)
        count += rig->fake->pods[i].deleted_ms == 0;
    return count;
}

static void reconcile_leaves_it_open(struct deploy_rig *rig)
{
    struct podsku_reconcile_result result;
    struct podsku_reconcile_options options = {.terminate = true};

    assert_int_equal(deploy_rig_reconcile(rig, &options, &result), PODSKU_UNSETTLED);
    assert_int_equal(result.open, 1);
    assert_int_equal(result.count, 1);
    assert_string_equal(result.list[0].id, "pod0001");
    assert_int_equal(result.list[0].state, PODSKU_RECONCILE_AMBIGUOUS);
    assert_int_equal(deploy_rig_state(rig, 0), PODSKU_ENTRY_OPEN);
    assert_non_null(strstr(rig->err.hint, "terminate ID"));
    podsku_reconcile_result_free(&result);
}

static void a_pod_that_hides_its_marks_is_no_absence(void **state)
{
    static void (*const shapes[])(void *, struct fake_pod *) = {mask, strip, empty};
    struct deploy_rig rig;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        start(&rig);
        rig.fake->shape = shapes[i];
        fake_fault(rig.fake, lost);
        assert_int_equal(deploy_rig_run(&rig, 3), PODSKU_UNSETTLED);
        assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
        assert_int_equal(living(&rig), 1);
        assert_non_null(strstr(rig.warnings.data, "pod0001 may be a pod of launch L1"));
        assert_non_null(strstr(rig.warnings.data, "open: launch L1 attempt 1: pod0001 may be its pod"));
        assert_null(strstr(rig.warnings.data, "nobody has seen"));
        assert_int_equal(rig.result.open_count, 1);
        assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_OPEN);
        reconcile_leaves_it_open(&rig);
        /* Nor does a second run of the launch rent beside it. */
        assert_int_equal(deploy_rig_run(&rig, 3), PODSKU_UNSETTLED);
        assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
        assert_int_equal(living(&rig), 1);
        /* Once somebody has ended it, all is settled. */
        rig.fake->pods[0].deleted_ms = 1;
        struct podsku_reconcile_result result;
        const struct podsku_reconcile_options options = {.terminate = true};
        assert_int_equal(deploy_rig_reconcile(&rig, &options, &result), PODSKU_OK);
        podsku_reconcile_result_free(&result);
        deploy_rig_stop(&rig);
    }
}

static void other_pods_without_marks_are_nobody_s_business(void **state)
{
    static void (*const shapes[])(void *, struct fake_pod *) = {mask, strip};
    struct deploy_rig rig;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        start(&rig); /* another name, another type, too old: the create is taken as not done */
        shapes[i](NULL, fake_add(rig.fake, RIG_A, 2, NULL, NULL));
        struct fake_pod *pod = fake_add(rig.fake, RIG_B, 2, NULL, NULL);
        shapes[i](NULL, pod);
        (void)snprintf(pod->name, sizeof pod->name, "podsku-L1");
        pod = fake_add(rig.fake, RIG_A, 2, NULL, NULL);
        shapes[i](NULL, pod);
        (void)snprintf(pod->name, sizeof pod->name, "podsku-L1");
        pod->created_wall_ms -= 3600000;
        fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .transport = HTTPS_RESET_AFTER});
        RUN(&rig, 1, PODSKU_OK, "lost-reply placed", 1);
        assert_int_equal(fake_alive_foreign(rig.fake), 3);
        deploy_rig_stop(&rig);
    }
}

static void what_is_known_by_its_id_is_not_taken_for_another(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* the second create's own pod hides its marks, too: it is no candidate for the first */
    rig.fake->shape = strip;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .transport = HTTPS_RESET_AFTER});
    assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_OK);
    assert_int_equal(rig.result.attempt_count, 2);
    assert_int_equal(living(&rig), 1);
    deploy_rig_stop(&rig);
}

static void a_given_launch_whose_pod_hides_is_not_rented_twice(void **state)
{
    struct podsku_reconcile_result result;
    const struct podsku_reconcile_options options = {.launch_id = "L1", .terminate = true};
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.launch_id_given = true;
    struct fake_pod *pod = fake_add(rig.fake, RIG_A, 2, "L1", "elsewhere");
    strip(NULL, pod);
    assert_int_equal(deploy_rig_run(&rig, 3), PODSKU_UNSETTLED);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 0);
    assert_non_null(strstr(rig.warnings.data, "pod0001"));
    assert_int_equal(deploy_rig_reconcile(&rig, &options, &result), PODSKU_UNSETTLED);
    assert_int_equal(result.count, 1);
    assert_int_equal(result.list[0].state, PODSKU_RECONCILE_AMBIGUOUS);
    podsku_reconcile_result_free(&result);
    assert_int_equal(living(&rig), 1);
    deploy_rig_stop(&rig);
}

static void a_cluster_whose_members_hide_is_no_absence(void **state)
{
    static const struct podsku_plan_entry plan[] = {
        {.gpu_id = RIG_B, .cloud = "SECURE", .gpus = 8, .nodes = 2, .price_uusd = 30000000, .estimated = true},
    };
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.fake->shape = strip;
    fake_fault(rig.fake, lost);
    assert_int_equal(deploy_rig_run_plan(&rig, plan, 1), PODSKU_UNSETTLED);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    assert_non_null(strstr(rig.warnings.data, "cluster001 may be a pod"));
    deploy_rig_stop(&rig);
}

static void only_in_cluster(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    pod->only_in_cluster = true;
}

static void in_no_list(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    pod->unlisted_until_ms = INT64_MAX;
}

static void a_cluster_is_found_by_its_name_and_members(void **state)
{
    static const struct podsku_plan_entry plan[] = {
        {.gpu_id = RIG_B, .cloud = "SECURE", .gpus = 8, .nodes = 2, .price_uusd = 30000000, .estimated = true},
    };
    struct podsku_reconcile_result result;
    const struct podsku_reconcile_options options = {.terminate = true};
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.fake->shape = only_in_cluster;
    fake_fault(rig.fake, lost);
    assert_int_equal(deploy_rig_run_plan(&rig, plan, 1), PODSKU_OK);
    assert_string_equal(rig.output.data, "cluster001\n");
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    assert_int_equal(living(&rig), 2);
    assert_int_equal(deploy_rig_reconcile(&rig, &options, &result), PODSKU_OK); /* handed over: shown, not ended */
    assert_int_equal(result.count, 1);
    assert_int_equal(result.list[0].state, PODSKU_RECONCILE_KNOWN);
    podsku_reconcile_result_free(&result);
    forget(&rig, 1);
    assert_int_equal(deploy_rig_reconcile(&rig, &options, &result), PODSKU_OK);
    assert_int_equal(result.count, 1);
    assert_int_equal(result.list[0].state, PODSKU_RECONCILE_TERMINATED);
    podsku_reconcile_result_free(&result);
    assert_int_equal(living(&rig), 0);
    deploy_rig_stop(&rig);

    start(&rig); /* nor does the launch's next run rent beside it, whose journal is another */
    rig.fake->shape = only_in_cluster;
    rig.options.launch_id_given = true;
    (void)deploy_rig_run_plan(&rig, plan, 1);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    forget(&rig, 0);
    assert_int_equal(deploy_rig_run_plan(&rig, plan, 1), PODSKU_OK);
    assert_string_equal(rig.output.data, "cluster001\ncluster001\n");
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    assert_int_equal(living(&rig), 2);
    deploy_rig_stop(&rig);

    start(&rig); /* no list shows any member: its name alone is no mark, and no absence either */
    rig.fake->shape = in_no_list;
    fake_fault(rig.fake, lost);
    assert_int_equal(deploy_rig_run_plan(&rig, plan, 1), PODSKU_UNSETTLED);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    assert_non_null(strstr(rig.warnings.data, "cluster001 may be a pod of launch L1"));
    assert_int_equal(deploy_rig_reconcile(&rig, &options, &result), PODSKU_UNSETTLED);
    podsku_reconcile_result_free(&result);
    assert_int_equal(living(&rig), 2);
    deploy_rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_odd_pod_hides_no_other),
        cmocka_unit_test(marks_are_known_or_not),
        cmocka_unit_test(a_pod_that_hides_its_marks_is_no_absence),
        cmocka_unit_test(other_pods_without_marks_are_nobody_s_business),
        cmocka_unit_test(what_is_known_by_its_id_is_not_taken_for_another),
        cmocka_unit_test(a_given_launch_whose_pod_hides_is_not_rented_twice),
        cmocka_unit_test(a_cluster_whose_members_hide_is_no_absence),
        cmocka_unit_test(a_cluster_is_found_by_its_name_and_members),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
