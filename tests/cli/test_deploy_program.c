/*
 * The real program against a stateful stand-in: plans, requests, results, exit statuses, and that no
 * pod is left to nobody.
 */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/stage.h"
#include "tests/support/test.h"

#define GPUS8 "--gpus", "8", "--nvlink"
#define IMAGE "--image", "img:1"

static json_t *document(void)
{
    json_t *doc = json_loads(program_out(&program), 0, NULL);

    if (!doc)
        (void)fprintf(stderr, "no JSON: %s\n", program_out(&program));
    assert_non_null(doc);
    return doc;
}

static const char *text_at(const json_t *doc, const char *key)
{
    const char *text = json_string_value(json_object_get(doc, key));

    return text ? text : "";
}

static void hands_over_what_was_created(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--max-total", "27", IMAGE);
    HOLDS(program_out(&program), "pod0001  A100 SXM x8  US-TX-3  12.72 USD/h  created");
    HOLDS(program_err(&program), "plan: 1 A100 SXM 12.72, 2 H100 SXM 26.32    over the cap: ");
    HOLDS(program_err(&program), "1/2 A100 SXM x8 secure: created pod0001, US-TX-3, 12.72 USD/h as listed");
    HOLDS(program_err(&program), "hardware not looked at");
    HOLDS(program_err(&program), "podsku pods terminate pod0001");
    /* One catalogue read, one create, nothing else, on one connection. */
    assert_int_equal(https_server_requests(cloud.server), 2);
    assert_int_equal(https_server_connections(cloud.server), 1);
    LACKS(cloud.last_body, "ports");
    LACKS(cloud.last_body, "startSsh");
    LACKS(cloud.last_body, "mounts");
}

static void walks_the_plan_in_its_order(void **state)
{
    json_t *doc;

    (void)state;
    cloud_type(&cloud, CLOUD_A100)->refusals = -1;
    cloud_type(&cloud, CLOUD_A100)->stock = "LOW";
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--max-total", "27", IMAGE, "--wait", "--output", "json");
    doc = document();
    assert_string_equal(text_at(doc, "schema"), "podsku.deploy/1");
    assert_string_equal(text_at(doc, "result"), "running");
    assert_string_equal(text_at(json_object_get(doc, "pod"), "gpu"), CLOUD_H100);
    assert_int_equal(json_array_size(json_object_get(doc, "attempts")), 2);
    assert_string_equal(text_at(json_array_get(json_object_get(doc, "attempts"), 0), "outcome"), "no-capacity");
    assert_string_equal(text_at(json_array_get(json_object_get(doc, "attempts"), 1), "outcome"), "placed");
    assert_true(json_is_null(json_object_get(doc, "error")));
    json_decref(doc);
    HOLDS(program_err(&program), "1/2 A100 SXM x8 secure: no capacity");
    HOLDS(program_err(&program), "said low in US-TX-3");
    assert_int_equal(cloud.creates, 2);
    assert_int_equal(cloud_alive(&cloud, true), 1);
}

static void keeps_to_the_price_window(void **state)
{
    json_t *doc;

    (void)state;
    cloud_type(&cloud, CLOUD_A100)->refusals = -1;
    EXPECT_RUN(&program, 4, "deploy", GPUS8, IMAGE, "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "result"), "no-capacity");
    assert_int_equal(json_array_size(json_object_get(doc, "plan")), 1);
    assert_int_equal(json_array_size(json_object_get(doc, "left_out")), 3);
    json_decref(doc);
    HOLDS(program_err(&program), "left out");
    HOLDS(program_err(&program), "--price-window none");
    assert_int_equal(cloud.creates, 1);
    EXPECT_RUN(&program, 0, "deploy", GPUS8, IMAGE, "--price-window", "none");
    HOLDS(program_out(&program), "H100 SXM x8");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--price-window", "0.5");
}

static void shows_a_dry_run(void **state)
{
    json_t *doc, *body;

    (void)state;
    program.no_key = true;
    program.url[0] = '\0';
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--catalog", "bundled", "--max-total", "27", IMAGE, "--dry-run", "--ssh",
               "--port", "8888/http,22/tcp", "--env", "A=secret", "--volume", "20", "--disk", "50", "--ttl", "1h",
               "--launch-id", "ci-7", "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "result"), "planned");
    assert_string_equal(text_at(doc, "launch_id"), "ci-7");
    assert_int_equal(json_array_size(json_object_get(doc, "requests")), 2);
    body = json_object_get(json_array_get(json_object_get(doc, "requests"), 0), "body");
    assert_string_equal(text_at(json_array_get(json_object_get(doc, "requests"), 0), "url"),
                        "https://api.runpod.io/v2/pods");
    assert_int_equal(json_array_size(json_object_get(body, "ports")), 2);
    assert_string_equal(text_at(json_object_get(body, "env"), "A"), "***");
    assert_string_equal(text_at(json_object_get(body, "env"), "PODSKU_LAUNCH_ID"), "ci-7");
    assert_string_equal(text_at(body, "name"), "podsku-ci-7");
    assert_true(json_is_true(json_object_get(body, "startSsh")));
    assert_int_equal(json_integer_value(json_object_get(body, "disk")), 50);
    json_decref(doc);
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--catalog", "bundled", IMAGE, "--dry-run", "--env", "A=secret",
               "--show-env");
    HOLDS(program_out(&program), "POST https://api.runpod.io/v2/pods");
    HOLDS(program_out(&program), "\"A\": \"secret\"");
    assert_int_equal(https_server_requests(cloud.server), 0);
}

static void refuses_what_cannot_be_right(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 2, "deploy", GPUS8);
    HOLDS(program_err(&program), "--image or --template");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--env", "PODSKU_X=1");
    HOLDS(program_err(&program), "podsku's own marks");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--env", "X=a" PROGRAM_KEY "b");
    HOLDS(program_err(&program), "holds the API key");
    LACKS(program_err(&program), PROGRAM_KEY);
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--env", "NOT_SET_ANYWHERE");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--args", "x " PROGRAM_KEY);
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--volume", "9");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--volume", "20", "--network-volume", "vol1");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--network-volume", "vol1", "--cloud", "community");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--network-volume", "nope");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--data-center", "XX-1");
    HOLDS(program_err(&program), "US-TX-3");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--port", "8888");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--port", "0/tcp");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--volume-path", "/x");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--verify-via", "logs");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--api", "v1");
    HOLDS(program_err(&program), "retired");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--launch-id", "a b");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--cluster-type", "ray");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--max-spend", "0");
    EXPECT_RUN(&program, 3, "deploy", "--gpus", "16", "--nvlink", IMAGE);
    HOLDS(program_err(&program), "--nodes");
    HOLDS(program_err(&program), "450 GB/s");
    assert_int_equal(cloud.creates, 0);
}

static void says_a_decision_without_candidates(void **state)
{
    json_t *doc;

    (void)state;
    EXPECT_RUN(&program, 3, "deploy", GPUS8, "--gpu", "RTX A5000", IMAGE, "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "schema"), "podsku.deploy/1");
    assert_string_equal(text_at(doc, "result"), "failed");
    assert_string_equal(text_at(json_object_get(doc, "error"), "code"), "no-offer");
    json_decref(doc);
    EXPECT_RUN(&program, 2, "deploy", GPUS8, "-o", "json");
    HOLDS(program_out(&program), "podsku.error/1");
}

static void takes_a_body_from_a_file(void **state)
{
    const char *path;

    (void)state;
    path = program_file(&program, "body.json", "{\"image\":\"other:2\",\"env\":{\"B\":\"2\"},\"newField\":7}");
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--body", path, "--env", "A=1");
    HOLDS(program_err(&program), "\"newField\" is no field of this request that podsku knows");
    HOLDS(cloud.last_body, "\"image\":\"other:2\"");
    HOLDS(cloud.last_body, "\"newField\":7");
    HOLDS(cloud.last_body, "\"A\":\"1\"");
    HOLDS(cloud.last_body, "\"B\":\"2\"");
    path = program_file(&program, "body.json", "{\"gpu\":{\"id\":\"x\"}}");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--body", path);
    HOLDS(program_err(&program), "$.gpu");
    path = program_file(&program, "body.json", "{\"dataCenterIds\":[\"US-TX-3\"]}");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--body", path);
    path = program_file(&program, "body.json", "{\"image\":\"x\"}");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--body", path);
    HOLDS(program_err(&program), "also said by --image");
    path = program_file(&program, "body.json", "{\"env\":{\"PODSKU_INTENT\":\"1\"}}");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--body", path);
    path = program_file(&program, "body.json", "{\"mounts\":{\"x\":\"" PROGRAM_KEY "\"}}");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--body", path);
    path = program_file(&program, "body.json", "{\"ports\":[\"8888/http\"]}");
    EXPECT_RUN(&program, 0, "deploy", GPUS8, IMAGE, "--body", path, "--ssh");
    HOLDS(cloud.last_body, "\"ports\":[\"8888/http\",\"22/tcp\"]");
    path = program_file(&program, "body.json", "{\"image\":");
    EXPECT_RUN(&program, 11, "deploy", GPUS8, "--body", path);
}

static void reads_variables_from_a_file(void **state)
{
    const char *path = program_file(&program, "env", "# comment\n\nA=x y=z\r\nFROM_HERE\nB=\n");

    (void)state;
    (void)setenv("FROM_HERE", "there", 1);
    EXPECT_RUN(&program, 0, "deploy", GPUS8, IMAGE, "--env-file", path, "--env", "A=flag wins");
    HOLDS(cloud.last_body, "\"A\":\"flag wins\"");
    HOLDS(cloud.last_body, "\"FROM_HERE\":\"there\"");
    HOLDS(cloud.last_body, "\"B\":\"\"");
    path = program_file(&program, "env", "A=1\n=2\n");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--env-file", path);
    HOLDS(program_err(&program), "env:2");
}

static void mounts_a_network_volume_where_it_is(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 0, "deploy", GPUS8, IMAGE, "--network-volume", "vol1", "--cloud", "any");
    HOLDS(cloud.last_body, "\"network\":[{\"volumeId\":\"vol1\",\"path\":\"/workspace\"}]");
    HOLDS(cloud.last_body, "\"dataCenterIds\":[\"US-TX-3\"]");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--network-volume", "vol1", "--data-center", "EU-RO-1");
}

static void warns_of_an_old_image(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--gpu", "B200", "--image", "runpod/pytorch:2.4.0-cuda12.4.1",
               "--dry-run");
    HOLDS(program_err(&program), "CUDA 12.4");
    HOLDS(program_err(&program), "12.8");
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--gpu", "B200", "--image", "x:cu128", "--dry-run");
    LACKS(program_err(&program), "warning");
}

static void guards_the_price(void **state)
{
    json_t *doc;

    (void)state;
    cloud_type(&cloud, CLOUD_A100)->billed = 5.0;
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--max-total", "27", IMAGE, "-o", "json");
    doc = document();
    assert_string_equal(text_at(json_object_get(doc, "pod"), "gpu"), CLOUD_H100);
    assert_string_equal(text_at(json_array_get(json_object_get(doc, "attempts"), 0), "outcome"), "mismatch");
    json_decref(doc);
    assert_int_equal(cloud_alive(&cloud, true), 1);
    /* Dearer than listed without a cap: kept, and said. */
    EXPECT_RUN(&program, 0, "deploy", GPUS8, IMAGE);
    HOLDS(program_err(&program), "40.00");
}

static void ends_what_is_not_as_asked(void **state)
{
    (void)state;
    cloud_type(&cloud, CLOUD_A100)->delivers = CLOUD_A5000;
    EXPECT_RUN(&program, 6, "deploy", GPUS8, IMAGE);
    assert_int_equal(cloud_alive(&cloud, true), 0);
    HOLDS(program_err(&program), "is gone");
    EXPECT_RUN(&program, 6, "deploy", GPUS8, IMAGE, "--keep");
    assert_int_equal(cloud_alive(&cloud, true), 1);
    HOLDS(program_out(&program), "kept");
    /* Named as what it is, not as what was asked for. */
    HOLDS(program_out(&program), CLOUD_A5000 " x8");
    HOLDS(program_err(&program), "created pod0002, " CLOUD_A5000 ", ");
}

static void settles_a_lost_reply(void **state)
{
    (void)state;
    cloud_type(&cloud, CLOUD_A100)->lost = 1;
    EXPECT_RUN(&program, 0, "deploy", GPUS8, IMAGE);
    HOLDS(program_out(&program), "pod0001");
    assert_int_equal(cloud_alive(&cloud, true), 1);
    assert_int_equal(cloud.creates, 1);
}

/* A first create may have made a pod, and no list tells: the second one's pod is handed over, and stays. */
static void hands_over_beside_an_open_entry(void **state)
{
    json_t *doc, *error;

    (void)state;
    cloud_type(&cloud, CLOUD_A100)->refusals = 1;
    cloud_type(&cloud, CLOUD_A100)->refusal_status = 502;
    cloud.lists_end_at = 2;
    EXPECT_RUN(&program, 8, "deploy", GPUS8, IMAGE, "--settle-timeout", "1s", "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "result"), "unsettled");
    assert_string_equal(text_at(json_object_get(doc, "pod"), "id"), "pod0001");
    assert_int_equal(json_array_size(json_object_get(doc, "open")), 1);
    error = json_object_get(doc, "error");
    assert_string_equal(text_at(error, "code"), "unsettled");
    HOLDS(text_at(error, "hint"), "podsku reconcile --terminate");
    LACKS(text_at(error, "hint"), "--launch-id");
    json_decref(doc);
    HOLDS(program_err(&program), "podsku reconcile --terminate");
    LACKS(program_err(&program), "--launch-id");
    cloud_type(&cloud, CLOUD_A100)->refusals = 1;
    cloud.lists_end_at = 4;
    EXPECT_RUN(&program, 8, "deploy", GPUS8, IMAGE, "--settle-timeout", "1s");
    HOLDS(program_out(&program), "pod0002");
    HOLDS(program_out(&program), "created");
    LACKS(program_out(&program), "kept");
    assert_int_equal(cloud_alive(&cloud, true), 2);
    cloud.lists_end_at = 0;
    EXPECT_RUN(&program, 0, "reconcile", "--terminate", "--settle-timeout", "1s");
    assert_int_equal(cloud_alive(&cloud, true), 2);
}

static void maps_answers_to_exit_statuses(void **state)
{
    (void)state;
    cloud.no_balance = true;
    EXPECT_RUN(&program, 5, "deploy", GPUS8, IMAGE);
    HOLDS(program_err(&program), "balance");
    cloud.no_balance = false;
    cloud_type(&cloud, CLOUD_A100)->refusals = -1;
    cloud_type(&cloud, CLOUD_A100)->refusal_status = 422;
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE);
    cloud_type(&cloud, CLOUD_A100)->refusal_status = 0;
    EXPECT_RUN(&program, 4, "deploy", GPUS8, IMAGE);
    program.no_key = true;
    EXPECT_RUN(&program, 5, "deploy", GPUS8, IMAGE);
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

/* A reader that is gone never learns of the pod. */
static void leaves_nothing_to_a_closed_pipe(void **state)
{
    (void)state;
    program.close_stdout = true;
    EXPECT_RUN(&program, 1, "deploy", GPUS8, IMAGE);
    assert_int_equal(cloud.creates, 1);
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void ends_its_pod_on_a_signal(void **state)
{
    (void)state;
    cloud_type(&cloud, CLOUD_A100)->starts_ms = 60000;
    assert_true(program_start(&program, (const char *const[]){"deploy", GPUS8, IMAGE, "--wait", NULL}));
    assert_true(program_until(&program, "PROVISIONING", 20000));
    (void)kill(program.pid, SIGTERM);
    program_expect(&program, program_wait(&program), 130, __FILE__, __LINE__);
    assert_int_equal(cloud_alive(&cloud, true), 0);
    HOLDS(program_err(&program), "is gone");
}

static void waits_no_longer_than_the_timeout(void **state)
{
    json_t *doc;

    (void)state;
    cloud_type(&cloud, CLOUD_A100)->starts_ms = 60000;
    EXPECT_RUN(&program, 12, "deploy", GPUS8, IMAGE, "--wait", "--timeout", "2s", "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "result"), "timeout");
    json_decref(doc);
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void goes_on_after_a_failed_pod(void **state)
{
    (void)state;
    cloud_type(&cloud, CLOUD_A100)->ends_as = "ERROR";
    cloud_type(&cloud, CLOUD_A100)->log = "out of luck\n";
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--max-total", "27", IMAGE, "--wait");
    HOLDS(program_out(&program), "H100 SXM x8");
    HOLDS(program_err(&program), "| out of luck");
    assert_int_equal(cloud_alive(&cloud, true), 1);
}

static void says_only_what_costs_money_when_quiet(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 0, "deploy", GPUS8, IMAGE, "--quiet");
    HOLDS(program_err(&program), "created pod0001");
    LACKS(program_err(&program), "plan:");
}

static void rents_a_cluster(void **state)
{
    json_t *doc;

    (void)state;
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--nodes", "2", "--gpu", "H100 SXM", IMAGE, "--wait");
    HOLDS(program_out(&program), "cluster001  H100 SXM x8, 2 nodes");
    HOLDS(program_out(&program), "rank 0");
    HOLDS(program_out(&program), "10.65.0.2");
    HOLDS(program_err(&program), "MASTER_ADDR");
    HOLDS(cloud.last_body, "\"NCCL_SOCKET_IFNAME\":\"ens1\"");
    HOLDS(cloud.last_body, "\"podCount\":2");
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--nodes", "2", "--gpu", "H100 SXM", IMAGE, "--cluster-type", "ray",
               "--env", "NCCL_SOCKET_IFNAME=eth9", "-o", "json");
    HOLDS(cloud.last_body, "\"NCCL_SOCKET_IFNAME\":\"eth9\"");
    HOLDS(cloud.last_body, "\"type\":\"RAY\"");
    doc = document();
    assert_true(json_is_null(json_object_get(doc, "pod")));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(doc, "cluster"), "nodes")), 2);
    json_decref(doc);
}

/* Stock shows up while it waits: the second reading has it. */
static void waits_for_stock_to_begin_with(void **state)
{
    (void)state;
    cloud_type(&cloud, CLOUD_A100)->stock = "NONE";
    EXPECT_RUN(&program, 4, "deploy", GPUS8, "--gpu", "A100 SXM", IMAGE, "--wait-stock", "1s");
    assert_int_equal(cloud.creates, 0);
    EXPECT_RUN(&program, 3, "deploy", GPUS8, "--gpu", "RTX A5000", IMAGE, "--wait-stock", "30s");
}

static void says_that_the_wait_for_stock_was_interrupted(void **state)
{
    json_t *doc;

    (void)state;
    cloud_type(&cloud, CLOUD_A100)->stock = "NONE";
    assert_true(program_start(&program, (const char *const[]){"deploy", GPUS8, "--gpu", "A100 SXM", IMAGE,
                                                              "--wait-stock", "60s", "-o", "json", NULL}));
    assert_true(program_until(&program, "watching the catalogue", 20000));
    (void)kill(program.pid, SIGINT);
    program_expect(&program, program_wait(&program), 130, __FILE__, __LINE__);
    HOLDS(program_err(&program), "podsku: interrupted");
    doc = document();
    assert_string_equal(text_at(doc, "result"), "interrupted");
    assert_string_equal(text_at(json_object_get(doc, "error"), "code"), "interrupted");
    json_decref(doc);
    assert_int_equal(cloud.creates, 0);
}

/* Everything was refused although it was listed; the wait makes the plan anew. */
static void goes_on_waiting_after_a_refusal(void **state)
{
    json_t *doc;

    (void)state;
    cloud_type(&cloud, CLOUD_A100)->refusals = 2;
    EXPECT_RUN(&program, 0, "deploy", GPUS8, "--gpu", "A100 SXM", IMAGE, "--wait-stock", "30s", "--interval", "1s",
               "-o", "json");
    doc = document();
    assert_int_equal(json_array_size(json_object_get(doc, "attempts")), 3);
    json_decref(doc);
    HOLDS(program_err(&program), "watching the catalogue");
    assert_int_equal(cloud.creates, 3);
    assert_int_equal(cloud_alive(&cloud, true), 1);
    cloud_type(&cloud, CLOUD_A100)->refusals = -1;
    EXPECT_RUN(&program, 4, "deploy", GPUS8, "--gpu", "A100 SXM", IMAGE, "--wait-stock", "2s", "--interval", "1s");
    EXPECT_RUN(&program, 2, "deploy", GPUS8, IMAGE, "--interval", "1s");
}

static void verifies_by_the_log(void **state)
{
    static const char good[] = "booting\n"
                               "\tGPU0\tGPU1\tCPU Affinity\n"
                               "GPU0\t X \tNV12\t0-31\n"
                               "GPU1\tNV12\t X \t0-31\n"
                               "\nLegend:\n\n  X    = Self\n"
                               "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-11111111-1111-1111-1111-111111111111)\n"
                               "GPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-11111111-1111-1111-1111-111111111112)\n";
    json_t *doc;

    (void)state;
    cloud.keys = 0; /* nobody logs in */
    cloud_type(&cloud, CLOUD_A100)->log = good;
    EXPECT_RUN(&program, 0, "deploy", "--gpus", "2", "--nvlink", IMAGE, "--verify", "--verify-via", "logs", "-o",
               "json");
    doc = document();
    assert_string_equal(text_at(doc, "result"), "verified");
    assert_string_equal(text_at(json_object_get(doc, "verification"), "verdict"), "match");
    json_decref(doc);
    assert_int_equal(cloud.key_reads, 0);
    LACKS(cloud.last_body, "startSsh");
    EXPECT_RUN(&program, 0, "verify", "--pod", "pod0001", "--verify-via", "logs");
    HOLDS(program_out(&program), "NV12");
    EXPECT_RUN(&program, 0, "observations", "-o", "json");
    HOLDS(program_out(&program), "\"verdict\": \"match\"");
}

static void keeps_the_key_to_itself(void **state)
{
    char path[256];
    FILE *file;
    char text[16384];
    size_t len;

    (void)state;
    EXPECT_RUN(&program, 0, "deploy", GPUS8, IMAGE, "--verbose", "--env", "TOKEN=hidden-value");
    LACKS(program_err(&program), PROGRAM_KEY);
    LACKS(program_out(&program), PROGRAM_KEY);
    LACKS(program_err(&program), "hidden-value");
    HOLDS(program_err(&program), "POST http");
    (void)snprintf(path, sizeof path, "%s/state/podsku/journal.jsonl", program.folder);
    file = fopen(path, "r");
    assert_non_null(file);
    len = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[len] = '\0';
    HOLDS(text, "handed-over");
    LACKS(text, PROGRAM_KEY);
    LACKS(text, "hidden-value");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hands_over_what_was_created, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(walks_the_plan_in_its_order, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(keeps_to_the_price_window, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(shows_a_dry_run, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(refuses_what_cannot_be_right, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(says_a_decision_without_candidates, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(takes_a_body_from_a_file, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(reads_variables_from_a_file, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(mounts_a_network_volume_where_it_is, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(warns_of_an_old_image, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(guards_the_price, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(ends_what_is_not_as_asked, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(settles_a_lost_reply, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(hands_over_beside_an_open_entry, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(maps_answers_to_exit_statuses, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(leaves_nothing_to_a_closed_pipe, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(ends_its_pod_on_a_signal, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(waits_no_longer_than_the_timeout, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(goes_on_after_a_failed_pod, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(says_only_what_costs_money_when_quiet, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(rents_a_cluster, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(waits_for_stock_to_begin_with, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(says_that_the_wait_for_stock_was_interrupted, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(goes_on_waiting_after_a_refusal, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(verifies_by_the_log, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(keeps_the_key_to_itself, stage_up, stage_down),
    };

    return cmocka_run_group_tests_name("deploy, the program", tests, NULL, NULL);
}
