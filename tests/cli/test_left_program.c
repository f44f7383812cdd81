/*
 * The real program about what is left: when a cluster expires, whose an open entry is, what an adopted pod
 * has to live.
 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/stage.h"
#include "tests/support/test.h"

#define CLUSTER "deploy", "--gpus", "8", "--nodes", "2", "--gpu", "H100 SXM", "--image", "img:1"
#define POD "deploy", "--gpus", "8", "--gpu", "A100 SXM", "--image", "img:1", "--launch-id", "ci-9"

static json_t *document(void)
{
    json_t *doc = json_loads(program_out(&program), 0, NULL);

    assert_non_null(doc);
    return doc;
}

static void a_cluster_says_when_it_expires(void **state)
{
    json_t *doc;

    (void)state;
    EXPECT_RUN(&program, 0, CLUSTER, "--ttl", "1h", "-o", "json");
    doc = document();
    assert_true(json_is_string(json_object_get(json_object_get(doc, "cluster"), "expires_at")));
    json_decref(doc);
    HOLDS(program_err(&program), "marked as over at 20");
    LACKS(program_err(&program), "nothing ends this cluster");
    for (int verb = 0; verb < 2; verb++) {
        if (verb == 0)
            EXPECT_RUN(&program, 0, "clusters", "list", "-o", "json");
        else
            EXPECT_RUN(&program, 0, "clusters", "get", "cluster001", "-o", "json");
        doc = document();
        const json_t *cluster = json_array_get(json_object_get(doc, "clusters"), 0);
        assert_true(json_is_string(json_object_get(cluster, "expires_at")));
        json_decref(doc);
    }
    EXPECT_RUN(&program, 0, "clusters", "get", "cluster001");
    HOLDS(program_out(&program), "  expires 20");
    EXPECT_RUN(&program, 0, CLUSTER);
    HOLDS(program_err(&program), "nothing ends this cluster for you");
}

static void a_pod_with_little_time_is_warned_of(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 0, POD, "--ttl", "10m");
    LACKS(program_err(&program), "was there before");
    EXPECT_RUN(&program, 0, POD, "--ttl", "1h", "--quiet");
    HOLDS(program_err(&program), "pod0001 was there before, and is marked as over at 20");
    cloud_expire(&cloud);
    EXPECT_RUN(&program, 0, POD, "--quiet");
    HOLDS(program_err(&program), "its own time has been over since 2023-11-14T22:13:20");
    assert_int_equal(cloud.creates, 1);
}

/* A deploy that was killed before the service answered, at an address that is not this run's. */
static void an_entry_of_another_address_says_what_settles_it(void **state)
{
    char *at;
    json_t *doc;

    (void)state;
    cloud_type(&cloud, CLOUD_A100)->starts_ms = 60000;
    assert_true(program_start(&program, (const char *const[]){POD, "--wait", NULL}));
    assert_true(program_until(&program, "PROVISIONING", 20000));
    (void)kill(program.pid, SIGKILL);
    program_expect(&program, program_wait(&program), 137, __FILE__, __LINE__);
    (void)pthread_mutex_lock(&cloud.lock);
    cloud.pods[0].deleted = true;
    (void)pthread_mutex_unlock(&cloud.lock);
    at = strstr(program.url, "127.0.0.1");
    assert_non_null(at);
    (void)memcpy(at, "localhost", strlen("localhost"));
    EXPECT_RUN(&program, 8, "reconcile", "--settle-timeout", "1s", "--quiet");
    HOLDS(program_out(&program), "launch ci-9 attempt 1  open  pod0001  made with another URL, http://127.0.0.1:");
    HOLDS(program_err(&program), "with the key, URL and API that the open entries were made with");
    LACKS(program_err(&program), "--terminate");
    EXPECT_RUN(&program, 8, "reconcile", "--settle-timeout", "1s", "-o", "json", "--terminate");
    doc = document();
    assert_int_equal(json_array_size(json_object_get(doc, "pods")), 0);
    assert_int_equal(json_array_size(json_object_get(doc, "entries")), 1);
    json_decref(doc);
    EXPECT_RUN(&program, 8, POD, "--settle-timeout", "1s");
    HOLDS(program_err(&program), "run podsku reconcile with those, or take another --launch-id");
    LACKS(program_err(&program), "--terminate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_cluster_says_when_it_expires, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(a_pod_with_little_time_is_warned_of, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(an_entry_of_another_address_says_what_settles_it, stage_up, stage_down),
    };

    return cmocka_run_group_tests_name("what is left, the program", tests, NULL, NULL);
}
