/*
 * The bodies of creates: what is sent for a pod, a cluster and by v1, and what judges the answer.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "client/deploy_private.h"
#include "tests/support/test.h"

static const struct podsku_create_marks marks = {
    .launch_id = "L1", .attempt = 2, .intent = "abc", .expires_s = 1790000000};
static const struct podsku_plan_entry pod_entry = {
    .gpu_id = "NVIDIA  RTX A4500", .cloud = "COMMUNITY", .gpus = 2, .nodes = 1};
static const struct podsku_plan_entry cluster_entry = {
    .gpu_id = "NVIDIA H200", .cloud = "SECURE", .gpus = 8, .nodes = 4};

static json_t *parse(const char *text)
{
    json_t *value = json_loads(text, 0, NULL);

    assert_non_null(value);
    return value;
}

/* Builds with these fields (JSON) and expects this body (JSON), marks left out of both. */
static void expect_body(struct podsku_create_spec *spec, const struct podsku_plan_entry *entries, size_t count,
                        const char *fields, const char *extra, const char *expected)
{
    struct podsku_error err = {0};
    json_t *fields_json = fields ? parse(fields) : NULL;
    json_t *extra_json = extra ? parse(extra) : NULL;
    json_t *want = parse(expected);
    json_t *body = NULL;

    spec->fields = fields_json;
    spec->extra = extra_json;
    if (podsku_create_body(spec, entries, count, &marks, &body, &err) != PODSKU_OK)
        fail_msg("%s", err.message);
    json_t *env = json_object_get(body, "env");
    assert_string_equal(json_string_value(json_object_get(env, "PODSKU_LAUNCH_ID")), "L1");
    assert_string_equal(json_string_value(json_object_get(env, "PODSKU_ATTEMPT")), "2");
    assert_string_equal(json_string_value(json_object_get(env, "PODSKU_INTENT")), "abc");
    assert_string_equal(json_string_value(json_object_get(env, "PODSKU_EXPIRES")), "1790000000");
    for (const char *const *mark =
             (const char *const[]){"PODSKU_LAUNCH_ID", "PODSKU_ATTEMPT", "PODSKU_INTENT", "PODSKU_EXPIRES", NULL};
         *mark; mark++)
        (void)json_object_del(env, *mark);
    if (!json_equal(body, want)) {
        char *text = json_dumps(body, JSON_SORT_KEYS);
        print_error("got %s\nnot %s\n", text, expected);
        free(text);
        fail();
    }
    json_decref(body);
    json_decref(want);
    json_decref(fields_json);
    json_decref(extra_json);
}

static void refuse_body(struct podsku_create_spec *spec, const struct podsku_plan_entry *entry, const char *fields,
                        const char *part)
{
    struct podsku_error err = {0};
    json_t *fields_json = parse(fields);
    json_t *body = NULL;

    spec->fields = fields_json;
    spec->extra = NULL;
    assert_int_equal(podsku_create_body(spec, entry, 1, &marks, &body, &err), PODSKU_REQUEST);
    assert_null(body);
    assert_non_null(strstr(err.message, part));
    json_decref(fields_json);
}

static void pods_of_v2(void **state)
{
    struct podsku_create_spec spec = {.api = PODSKU_API_V2};
    const char *const centers[] = {"US-TX-3", "EU-RO-1"};

    (void)state;
    /* Nothing is sent that was not asked for. */
    expect_body(&spec, &pod_entry, 1, "{\"image\":\"i\"}", NULL,
                "{\"image\":\"i\",\"name\":\"podsku-L1\",\"gpu\":{\"id\":\"NVIDIA  RTX A4500\",\"count\":2},"
                "\"cloud\":\"COMMUNITY\",\"env\":{}}");
    spec.data_centers = centers;
    spec.data_center_count = 2;
    spec.min_cuda = "12.8";
    expect_body(
        &spec, &pod_entry, 1,
        "{\"name\":\"n\",\"templateId\":\"t\",\"disk\":20,\"ports\":[\"22/"
        "tcp\"],\"startSsh\":true,\"env\":{\"A\":\"1\","
        "\"B\":\"2\",\"PODSKU_INTENT\":\"forged\"},\"mounts\":{\"persistent\":{\"size\":10,\"path\":\"/w\"}}}",
        "{\"futureField\":{\"x\":1},\"env\":{\"B\":\"3\"},\"gpu\":{\"id\":\"other\"},\"cloud\":\"SECURE\",\"cpu\":{},"
        "\"dataCenterIds\":[\"X\"],\"disk\":30}",
        "{\"name\":\"n\",\"templateId\":\"t\",\"disk\":30,\"ports\":[\"22/"
        "tcp\"],\"startSsh\":true,\"env\":{\"A\":\"1\","
        "\"B\":\"3\"},\"mounts\":{\"persistent\":{\"size\":10,\"path\":\"/w\"}},\"futureField\":{\"x\":1},"
        "\"gpu\":{\"id\":\"NVIDIA  RTX A4500\",\"count\":2,\"minCudaVersion\":\"12.8\"},\"cloud\":\"COMMUNITY\","
        "\"dataCenterIds\":[\"US-TX-3\",\"EU-RO-1\"]}");
}

static void clusters(void **state)
{
    struct podsku_create_spec spec = {.api = PODSKU_API_V2};

    (void)state;
    expect_body(&spec, &cluster_entry, 1, "{\"image\":\"i\",\"startSsh\":true,\"globalNetworking\":false}", NULL,
                "{\"image\":\"i\",\"startSsh\":true,\"name\":\"podsku-L1\",\"type\":\"TRAINING\",\"compute\":{"
                "\"gpuTypeId\":\"NVIDIA H200\",\"gpuCountPerPod\":8,\"podCount\":4},\"env\":{\"NCCL_SOCKET_IFNAME\":"
                "\"ens1\"}}");
    spec.cluster_type = "SLURM";
    /* The name carries the launch id; what the user says about NCCL wins. */
    expect_body(&spec, &cluster_entry, 1, "{\"name\":\"mine\",\"env\":{\"NCCL_SOCKET_IFNAME\":\"ens2\"}}", NULL,
                "{\"name\":\"mine-L1\",\"type\":\"SLURM\",\"compute\":{\"gpuTypeId\":\"NVIDIA H200\","
                "\"gpuCountPerPod\":8,\"podCount\":4},\"env\":{\"NCCL_SOCKET_IFNAME\":\"ens2\"}}");
    refuse_body(&spec, &cluster_entry, "{\"templateId\":\"t\"}", "templateId");
    refuse_body(&spec, &cluster_entry, "{\"registry\":\"r\"}", "registry");
    refuse_body(&spec, &cluster_entry, "{\"globalNetworking\":true}", "globalNetworking");
    spec.api = PODSKU_API_V1;
    refuse_body(&spec, &cluster_entry, "{}", "v1 has no clusters");
    assert_string_equal(podsku_create_path(&cluster_entry), "/clusters");
    assert_string_equal(podsku_create_path(&pod_entry), "/pods");
}

static void pods_of_v1(void **state)
{
    const struct podsku_plan_entry run[] = {
        {.gpu_id = "NVIDIA H200", .cloud = "SECURE", .gpus = 2, .nodes = 1},
        {.gpu_id = "NVIDIA B200", .cloud = "SECURE", .gpus = 2, .nodes = 1},
        {.gpu_id = "NVIDIA B200", .cloud = "SECURE", .gpus = 4, .nodes = 1},
        {.gpu_id = "NVIDIA B200", .cloud = "COMMUNITY", .gpus = 4, .nodes = 1},
    };
    const struct podsku_plan_entry slice = {
        .gpu_id = "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", .cloud = "SECURE", .gpus = 1, .nodes = 1};
    struct podsku_create_spec spec = {.api = PODSKU_API_V1};

    (void)state;
    assert_int_equal(podsku_create_run(PODSKU_API_V1, run, 4), 2);
    assert_int_equal(podsku_create_run(PODSKU_API_V1, run + 2, 2), 1);
    assert_int_equal(podsku_create_run(PODSKU_API_V2, run, 4), 1);
    expect_body(
        &spec, run, 2, "{\"image\":\"i\"}", NULL,
        "{\"imageName\":\"i\",\"name\":\"podsku-L1\",\"env\":{},\"gpuTypeIds\":[\"NVIDIA H200\",\"NVIDIA B200\"],"
        "\"gpuTypePriority\":\"custom\",\"gpuCount\":2,\"cloudType\":\"SECURE\",\"volumeInGb\":0}");
    spec.min_cuda = "12.9";
    expect_body(
        &spec, run, 1,
        "{\"templateId\":\"t\",\"disk\":20,\"registry\":\"r\",\"globalNetworking\":true,\"startSsh\":true,"
        "\"args\":\"bash -c 'sleep 1; echo \\\"a b\\\"'  x\\\\ y\",\"mounts\":{\"network\":[{\"volumeId\":\"v\","
        "\"path\":\"/w\"}]}}",
        "{\"minRAMPerGPU\":16,\"dataCenterIds\":[\"X\"],\"gpuTypePriority\":\"availability\"}",
        "{\"templateId\":\"t\",\"containerDiskInGb\":20,\"containerRegistryAuthId\":\"r\",\"globalNetworking\":"
        "true,\"dockerStartCmd\":[\"bash\",\"-c\",\"sleep 1; echo \\\"a b\\\"\",\"x y\"],\"networkVolumeId\":\"v\","
        "\"volumeMountPath\":\"/w\",\"name\":\"podsku-L1\",\"env\":{},\"gpuTypeIds\":[\"NVIDIA H200\"],"
        "\"gpuTypePriority\":\"custom\",\"gpuCount\":2,\"cloudType\":\"SECURE\",\"minRAMPerGPU\":16,"
        "\"allowedCudaVersions\":[\"13.0\",\"12.9\"]}");
    refuse_body(&spec, run, "{\"startJupyter\":true}", "Jupyter");
    refuse_body(&spec, &slice, "{}", "does not know");
    assert_true(podsku_v1_knows_gpu("NVIDIA  RTX A4500"));
    assert_false(podsku_v1_knows_gpu("NVIDIA B300 SXM6 AC"));
}

static void masked_bodies_hold_no_values(void **state)
{
    struct podsku_create_spec spec = {.api = PODSKU_API_V2};
    struct podsku_error err = {0};
    json_t *fields = parse("{\"env\":{\"SECRET\":\"hunter2\"},\"image\":\"i\"}");
    json_t *body = NULL;

    (void)state;
    spec.fields = fields;
    assert_int_equal(podsku_create_body(&spec, &pod_entry, 1, &marks, &body, &err), PODSKU_OK);
    json_t *masked = podsku_create_body_masked(body);
    char *text = json_dumps(masked, 0);
    assert_null(strstr(text, "hunter2"));
    assert_non_null(strstr(text, "SECRET"));
    assert_non_null(strstr(text, "\"PODSKU_INTENT\": \"abc\""));
    assert_string_equal(json_string_value(json_object_get(json_object_get(body, "env"), "SECRET")), "hunter2");
    free(text);
    json_decref(masked);
    json_decref(body);
    json_decref(fields);
}

static void launch_ids(void **state)
{
    static const char *const bad[] = {
        "", "a b", "a/b", "\xc3\xa4", "a\n", "12345678901234567890123456789012345678901234567890123456789012345"};
    struct podsku_error err = {0};
    char text[32], other[32];

    (void)state;
    assert_int_equal(podsku_launch_id_new(text, sizeof text, &err), PODSKU_OK);
    assert_int_equal(podsku_launch_id_new(other, sizeof other, &err), PODSKU_OK);
    assert_int_equal(strlen(text), 16);
    assert_string_not_equal(text, other);
    assert_int_equal(podsku_launch_id_check(text, &err), PODSKU_OK);
    assert_int_equal(podsku_launch_id_check("ci-12.3_X", &err), PODSKU_OK);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        podsku_error_clear(&err);
        assert_int_equal(podsku_launch_id_check(bad[i], &err), PODSKU_USAGE);
    }
}

/* ------------------------------------------------------------------ judging, as a table */

static void judging(void **state)
{
    const char *const centers[] = {"US-TX-3"};
    const struct podsku_plan_entry entries[] = {
        {.gpu_id = "A", .cloud = "SECURE", .gpus = 2, .nodes = 1},
        {.gpu_id = "B", .cloud = "SECURE", .gpus = 2, .nodes = 1},
    };
    static const struct {
        const char *gpu_id;
        int gpus;
        const char *cloud, *center, *cuda;
        int64_t price;
        enum podsku_api api;
        enum podsku_fit fit;
        const char *why;
    } rows[] = {
        {"A", 2, "SECURE", "US-TX-3", "12.8", 4000000, PODSKU_API_V2, PODSKU_FIT, ""},
        {"B", 2, "SECURE", "US-TX-3", "12.11", 4000000, PODSKU_API_V2, PODSKU_FIT, ""},
        {"B", 2, "SECURE", "US-TX-3", "13.0", 4000004, PODSKU_API_V2, PODSKU_FIT, ""},
        {"A ", 2, "SECURE", "US-TX-3", "12.8", 1, PODSKU_API_V2, PODSKU_FIT_WRONG, "GPU type: asked for A, got A "},
        {"A", 4, "SECURE", "US-TX-3", "12.8", 1, PODSKU_API_V2, PODSKU_FIT_WRONG, "GPUs: asked for 2, got 4"},
        {"A", 2, "COMMUNITY", "US-TX-3", "12.8", 1, PODSKU_API_V2, PODSKU_FIT_WRONG, "cloud: asked for SECURE"},
        {"A", 2, "SECURE", "US-TX-1", "12.8", 1, PODSKU_API_V2, PODSKU_FIT_WRONG, "data center: asked for US-TX-3"},
        {"A", 2, "SECURE", "US-TX-3", "12.7", 1, PODSKU_API_V2, PODSKU_FIT_WRONG, "CUDA version: asked for 12.8"},
        {"A", 2, "SECURE", "US-TX-3", "12.8", 4000005, PODSKU_API_V2, PODSKU_FIT_WRONG, "cost: asked for at most 4.00"},
        {NULL, 0, NULL, NULL, NULL, 0, PODSKU_API_V2, PODSKU_FIT_UNKNOWN,
         "GPU type, GPUs, cloud, data center, CUDA version, cost"},
        {"A", 2, "SECURE", "US-TX-3", "later", 4000000, PODSKU_API_V2, PODSKU_FIT_UNKNOWN, "CUDA version"},
        {"A", 2, "SECURE", "US-TX-3", NULL, 4000000, PODSKU_API_V1, PODSKU_FIT, ""}, /* v1 has no such field */
        {NULL, 3, "SECURE", "US-TX-3", "12.8", 1, PODSKU_API_V2, PODSKU_FIT_WRONG, "GPUs: asked for 2, got 3"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct podsku_deploy_options options = {
            .spec = {.api = rows[i].api, .min_cuda = "12.8", .data_centers = centers, .data_center_count = 1},
            .max_gpu_uusd = 2000000,
            .max_total_uusd = 9000000,
        };
        const struct podsku_placed placed = {
            .pod = {.id = (char *)"p",
                    .gpu_id = (char *)rows[i].gpu_id,
                    .gpus = rows[i].gpus,
                    .cloud = (char *)rows[i].cloud,
                    .data_center = (char *)rows[i].center,
                    .cuda = (char *)rows[i].cuda},
            .price_uusd = rows[i].price,
        };
        char why[256];
        enum podsku_fit fit = podsku_judge(&options, entries, 2, &placed, why, sizeof why);
        if (fit != rows[i].fit || strncmp(why, rows[i].why, strlen(rows[i].why)) != 0)
            fail_msg("row %zu: %d \"%s\"", i, (int)fit, why);
    }
}

static void judging_clusters(void **state)
{
    struct podsku_deploy_options options = {.spec = {.api = PODSKU_API_V2}, .max_gpu_uusd = 4000000};
    struct podsku_pod members[2] = {
        {.id = (char *)"a",
         .gpu_id = (char *)"NVIDIA H200",
         .gpus = 8,
         .cloud = (char *)"SECURE",
         .cost_uusd = 38400000,
         .cost_known = true},
        {.id = (char *)"b",
         .gpu_id = (char *)"NVIDIA H200",
         .gpus = 8,
         .cloud = (char *)"SECURE",
         .cost_uusd = 38400000,
         .cost_known = true},
    };
    const struct podsku_plan_entry entry = {.gpu_id = "NVIDIA H200", .cloud = "SECURE", .gpus = 8, .nodes = 2};
    struct podsku_placed placed = {
        .cluster = {.id = (char *)"c", .gpu_id = (char *)"NVIDIA H200", .gpus_per_pod = 8, .pod_count = 2},
        .members = {members, 2},
    };
    char why[256];

    (void)state;
    podsku_placed_price(&placed);
    assert_int_equal(placed.price_uusd, 76800000);
    /* 4.00 per GPU-hour of list price is 4.80 with the premium: 76.80 for 16. */
    assert_int_equal(podsku_judge(&options, &entry, 1, &placed, why, sizeof why), PODSKU_FIT);
    members[1].cost_uusd = 38500000;
    podsku_placed_price(&placed);
    assert_int_equal(podsku_judge(&options, &entry, 1, &placed, why, sizeof why), PODSKU_FIT_WRONG);
    options.max_gpu_uusd = 0;
    members[1].gpus = 4;
    assert_int_equal(podsku_judge(&options, &entry, 1, &placed, why, sizeof why), PODSKU_FIT_WRONG);
    members[1].gpus = 8;
    placed.members.count = 1;
    assert_int_equal(podsku_judge(&options, &entry, 1, &placed, why, sizeof why), PODSKU_FIT_UNKNOWN);
    assert_string_equal(why, "members");
    placed.cluster.pod_count = 3;
    assert_int_equal(podsku_judge(&options, &entry, 1, &placed, why, sizeof why), PODSKU_FIT_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pods_of_v2),       cmocka_unit_test(clusters),
        cmocka_unit_test(pods_of_v1),       cmocka_unit_test(masked_bodies_hold_no_values),
        cmocka_unit_test(launch_ids),       cmocka_unit_test(judging),
        cmocka_unit_test(judging_clusters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
