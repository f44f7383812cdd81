/*
 * The real program's pods, clusters, reconcile, doctor and watch against a stateful stand-in.
 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "tests/cli/stage.h"
#include "tests/support/test.h"

#define DEPLOY "deploy", "--gpus", "8", "--nvlink", "--image", "img:1"

static json_t *document(void)
{
    json_t *doc = json_loads(program_out(&program), 0, NULL);

    assert_non_null(doc);
    return doc;
}

static const char *text_at(const json_t *doc, const char *key)
{
    const char *text = json_string_value(json_object_get(doc, key));

    return text ? text : "";
}

/* ------------------------------------------------------------------ pods */

static void lists_pods(void **state)
{
    json_t *doc, *pod;

    (void)state;
    EXPECT_RUN(&program, 0, "pods", "list");
    HOLDS(program_err(&program), "no pods");
    EXPECT_RUN(&program, 0, DEPLOY, "--launch-id", "ci-1", "--ttl", "2h", "--volume", "20");
    (void)cloud_add_foreign(&cloud, CLOUD_A5000);
    EXPECT_RUN(&program, 0, "pods");
    HOLDS(program_out(&program), "somebody else's");
    HOLDS(program_out(&program), "ci-1");
    EXPECT_RUN(&program, 0, "pod", "ls", "--mine", "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "schema"), "podsku.pods/1");
    assert_int_equal(json_array_size(json_object_get(doc, "pods")), 1);
    pod = json_array_get(json_object_get(doc, "pods"), 0);
    assert_string_equal(text_at(pod, "launch_id"), "ci-1");
    assert_int_equal(json_integer_value(json_object_get(pod, "attempt")), 1);
    assert_string_equal(text_at(pod, "status"), "RUNNING");
    assert_true(json_is_integer(json_object_get(pod, "age_s")));
    assert_true(json_is_string(json_object_get(pod, "expires_at")));
    assert_true(json_number_value(json_object_get(pod, "price_per_hour")) > 12.7);
    json_decref(doc);
    EXPECT_RUN(&program, 0, "pods", "get", "pod0001");
    HOLDS(program_out(&program), "20 GB");
    EXPECT_RUN(&program, 4, "pods", "get", "pod9999");
    EXPECT_RUN(&program, 4, "pods", "stop", "pod9999");
    EXPECT_RUN(&program, 4, "pods", "terminate", "pod9999");
    EXPECT_RUN(&program, 4, "pods", "get", "..");
}

static void stops_and_starts(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 0, DEPLOY, "--volume", "20");
    EXPECT_RUN(&program, 0, "pods", "stop", "pod0001");
    HOLDS(program_out(&program), "EXITED");
    HOLDS(program_err(&program), "volume of 20 GB goes on costing about 4.00 USD a month");
    EXPECT_RUN(&program, 0, "pods", "start", "pod0001", "-o", "json");
    HOLDS(program_out(&program), "\"RUNNING\"");
    HOLDS(program_err(&program), "nothing was verified");
}

/* A pod that is still shown after its end costs nothing, and is as good as none. */
static void stops_and_starts_nothing_that_has_ended(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 0, DEPLOY, "--volume", "20");
    cloud.pods[0].status = "TERMINATED";
    EXPECT_RUN(&program, 4, "pods", "stop", "pod0001");
    HOLDS(program_err(&program), "pod0001 is terminated: it costs nothing");
    LACKS(program_err(&program), "goes on costing");
    EXPECT_RUN(&program, 4, "pods", "start", "pod0001");
    HOLDS(program_err(&program), "pod0001 is terminated");
    assert_string_equal(cloud.pods[0].status, "TERMINATED");
}

static void terminates(void **state)
{
    const char *foreign;

    (void)state;
    EXPECT_RUN(&program, 0, DEPLOY);
    foreign = cloud_add_foreign(&cloud, CLOUD_A5000);
    EXPECT_RUN(&program, 2, "pods", "terminate", foreign);
    HOLDS(program_err(&program), "--yes");
    assert_int_equal(cloud_alive(&cloud, false), 2);
    EXPECT_RUN(&program, 0, "pods", "rm", foreign, "--yes");
    EXPECT_RUN(&program, 0, "pods", "terminate", "pod0001");
    HOLDS(program_out(&program), "pod0001  TERMINATED");
    HOLDS(program_err(&program), "is gone");
    assert_int_equal(cloud_alive(&cloud, false), 0);
    EXPECT_RUN(&program, 0, "reconcile", "-o", "json");
    HOLDS(program_out(&program), "\"pods\": []");
}

/* ------------------------------------------------------------------ clusters */

static void handles_clusters(void **state)
{
    json_t *doc;

    (void)state;
    EXPECT_RUN(&program, 0, DEPLOY, "--nodes", "2", "--gpu", "H100 SXM");
    EXPECT_RUN(&program, 0, "clusters", "list", "--mine", "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "schema"), "podsku.clusters/1");
    assert_int_equal(json_array_size(json_object_get(doc, "clusters")), 1);
    json_decref(doc);
    EXPECT_RUN(&program, 0, "cluster", "get", "cluster001");
    HOLDS(program_out(&program), "rank 1");
    EXPECT_RUN(&program, 2, "clusters", "stop", "cluster001");
    HOLDS(program_err(&program), "podsku clusters terminate cluster001");
    EXPECT_RUN(&program, 0, "clusters", "terminate", "cluster001");
    assert_int_equal(cloud_alive(&cloud, false), 0);
    EXPECT_RUN(&program, 4, "clusters", "terminate", "cluster001");
}

/* ------------------------------------------------------------------ reconcile */

static void finds_what_a_killed_deploy_left(void **state)
{
    json_t *doc;

    (void)state;
    cloud_type(&cloud, CLOUD_A100)->starts_ms = 60000;
    assert_true(program_start(&program, (const char *const[]){DEPLOY, "--wait", "--launch-id", "ci-2", NULL}));
    assert_true(program_until(&program, "PROVISIONING", 20000));
    (void)kill(program.pid, SIGKILL);
    program_expect(&program, program_wait(&program), 137, __FILE__, __LINE__);
    (void)cloud_add_foreign(&cloud, CLOUD_A5000);
    EXPECT_RUN(&program, 8, "doctor", "-q");
    HOLDS(program_out(&program), "podsku reconcile");
    EXPECT_RUN(&program, 8, "reconcile", "--settle-timeout", "1s", "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "schema"), "podsku.reconcile/1");
    assert_int_equal(json_integer_value(json_object_get(doc, "open")), 1);
    assert_string_equal(text_at(json_array_get(json_object_get(doc, "pods"), 0), "launch_id"), "ci-2");
    json_decref(doc);
    assert_int_equal(cloud_alive(&cloud, true), 1);
    EXPECT_RUN(&program, 0, "reconcile", "--terminate", "--settle-timeout", "1s");
    HOLDS(program_out(&program), "terminated");
    assert_int_equal(cloud_alive(&cloud, true), 0);
    assert_int_equal(cloud_alive(&cloud, false), 1);
    EXPECT_RUN(&program, 0, "reconcile");
    EXPECT_RUN(&program, 2, "reconcile", "--launch-id", "a b");
}

/* ------------------------------------------------------------------ doctor */

static const json_t *check_of(const json_t *doc, const char *name)
{
    size_t index;
    json_t *check;

    json_array_foreach(json_object_get(doc, "checks"), index, check)
    {
        if (strcmp(text_at(check, "name"), name) == 0)
            return check;
    }
    return NULL;
}

static void doctor_finds_all_well(void **state)
{
    json_t *doc;

    (void)state;
    EXPECT_RUN(&program, 0, "doctor", "-o", "json");
    LACKS(program_out(&program), PROGRAM_KEY);
    doc = document();
    assert_string_equal(text_at(doc, "schema"), "podsku.doctor/1");
    for (size_t i = 0; i < 8; i++) {
        static const char *const names[] = {"key", "network", "account", "ssh-keys",
                                            "ssh", "journal", "libcurl", "jansson"};
        const json_t *check = check_of(doc, names[i]);
        assert_non_null(check);
        assert_true(json_is_true(json_object_get(check, "ok")));
    }
    json_decref(doc);
}

static void doctor_says_what_to_do(void **state)
{
    json_t *doc;

    (void)state;
    cloud.keys = 0;
    EXPECT_RUN(&program, 2, "doctor", "-o", "json");
    doc = document();
    assert_true(json_is_false(json_object_get(check_of(doc, "ssh-keys"), "ok")));
    assert_true(json_is_string(json_object_get(check_of(doc, "ssh-keys"), "fix")));
    json_decref(doc);
    (void)snprintf(program.url, sizeof program.url, "http://127.0.0.1:1/v2");
    EXPECT_RUN(&program, 7, "doctor");
    HOLDS(program_out(&program), "BAD  network");
    (void)snprintf(program.url, sizeof program.url, "http://example.com/v2");
    EXPECT_RUN(&program, 2, "doctor");
    HOLDS(program_out(&program), "BAD  settings");
}

static void doctor_works_without_a_key(void **state)
{
    (void)state;
    program.no_key = true;
    EXPECT_RUN(&program, 5, "doctor");
    HOLDS(program_out(&program), "BAD  key");
    HOLDS(program_out(&program), "without one these work");
    HOLDS(program_out(&program), "ok   jansson");
}

/* ------------------------------------------------------------------ watch */

static void watches_until_there_is_stock(void **state)
{
    (void)state;
    for (int i = 0; i < cloud.type_count; i++)
        cloud.types[i].stock = "NONE";
    assert_true(
        program_start(&program, (const char *const[]){"watch", "--gpus", "8", "--nvlink", "--interval", "1s", NULL}));
    assert_true(program_until(&program, "B200 x8, secure, 54.32  stock none", 20000));
    (void)pthread_mutex_lock(&cloud.lock);
    cloud_type(&cloud, CLOUD_H100)->stock = "LOW";
    cloud.catalog_failures = 1;
    (void)pthread_mutex_unlock(&cloud.lock);
    program_expect(&program, program_wait(&program), 0, __FILE__, __LINE__);
    HOLDS(program_out(&program), "H100 SXM x8, secure, 26.32  stock none -> low  US-TX-3");
    HOLDS(program_err(&program), "podsku deploy --gpus 8 --nvlink --gpu \"H100 SXM\"");
    assert_int_equal(cloud.creates, 0);
}

static void watches_no_longer_than_asked(void **state)
{
    json_t *doc;

    (void)state;
    for (int i = 0; i < cloud.type_count; i++)
        cloud.types[i].stock = "NONE";
    EXPECT_RUN(&program, 12, "watch", "--gpus", "8", "--nvlink", "--interval", "1s", "--timeout", "2s", "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "schema"), "podsku.watch/1");
    assert_int_equal(json_array_size(json_object_get(doc, "changes")), 4);
    json_decref(doc);
    EXPECT_RUN(&program, 0, "watch", "--gpus", "8", "--min-stock", "none", "--gpu", "A100 SXM", "--interval", "1s",
               "--timeout", "1s", "--catalog", "live", "--max-total", "1", "--help");
    EXPECT_RUN(&program, 2, "watch", "--gpus", "8", "--catalog", "bundled");
    EXPECT_RUN(&program, 2, "watch", "--gpus", "8", "--interval", "0");
    EXPECT_RUN(&program, 3, "watch", "--gpus", "16", "--nvlink");
    program.no_key = true;
    EXPECT_RUN(&program, 5, "watch", "--gpus", "8");
}

static void watches_as_the_quota_allows(void **state)
{
    (void)state;
    for (int i = 0; i < cloud.type_count; i++)
        cloud.types[i].stock = "NONE";
    cloud.catalog_headers = "RateLimit: \"minute\";r=0;t=30, \"hour\";r=100;t=1800\r\n";
    EXPECT_RUN(&program, 12, "watch", "--gpus", "8", "--nvlink", "--interval", "1s", "--timeout", "3s");
    HOLDS(program_err(&program), "the service's quota is used up");
    assert_int_equal(cloud.catalog_reads, 1);
}

static void stops_watching_on_a_signal(void **state)
{
    (void)state;
    for (int i = 0; i < cloud.type_count; i++)
        cloud.types[i].stock = "NONE";
    assert_true(program_start(&program, (const char *const[]){"watch", "--gpus", "8", "--nvlink", NULL}));
    assert_true(program_until(&program, "B200", 20000));
    (void)kill(program.pid, SIGINT);
    program_expect(&program, program_wait(&program), 130, __FILE__, __LINE__);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists_pods, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(stops_and_starts, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(stops_and_starts_nothing_that_has_ended, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(terminates, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(handles_clusters, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(finds_what_a_killed_deploy_left, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(doctor_finds_all_well, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(doctor_says_what_to_do, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(doctor_works_without_a_key, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(watches_until_there_is_stock, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(watches_no_longer_than_asked, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(watches_as_the_quota_allows, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(stops_watching_on_a_signal, stage_up, stage_down),
    };

    return cmocka_run_group_tests_name("account commands, the program", tests, NULL, NULL);
}
