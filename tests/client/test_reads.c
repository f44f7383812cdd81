/* Reads, actions and deletes: objects of both APIs, and every status. */
#include "tests/client/rig.h"

#include <stdlib.h>
#include <string.h>

static const char pod_v2[] =
    "{\"id\":\"p1\",\"name\":\"train\",\"status\":\"RUNNING\",\"actions\":[\"stop\"],\"new\":{\"deep\":[1]},"
    "\"gpu\":{\"id\":\"NVIDIA  RTX A4500\",\"count\":8},\"cloud\":\"SECURE\",\"dataCenterId\":\"US-KS-2\","
    "\"cudaVersion\":\"12.8\",\"cost\":23.920000076293945,\"createdAt\":\"2026-12-01T06:00:00Z\","
    "\"ssh\":{\"proxy\":null,\"direct\":{\"host\":\"1.2.3.4\",\"port\":10022,\"username\":\"root\",\"command\":\"ssh "
    "root@1.2.3.4 -p 10022\"}},\"cluster\":{\"id\":\"c1\",\"rank\":1,\"ip\":\"10.65.0.3\"},"
    "\"env\":{\"PODSKU_LAUNCH_ID\":\"L1\",\"PODSKU_ATTEMPT\":\"2\",\"PODSKU_INTENT\":\"i1\",\"PODSKU_EXPIRES\":"
    "\"1796104800\",\"SECRET\":\"x\"}}";

static void a_whole_pod(void **state)
{
    const struct https_answer answers[] = {{.path = "/v2/pods/p1", .body = pod_v2}};
    struct rig rig;
    struct podsku_pod pod;

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_get_pod(rig.client, PODSKU_API_V2, "p1", &pod, &rig.err), PODSKU_OK);
    assert_string_equal(pod.id, "p1");
    assert_string_equal(pod.name, "train");
    assert_int_equal(pod.status, PODSKU_POD_RUNNING);
    assert_string_equal(pod.status_word, "RUNNING");
    assert_string_equal(pod.gpu_id, "NVIDIA  RTX A4500");
    assert_int_equal(pod.gpus, 8);
    assert_string_equal(pod.cloud, "SECURE");
    assert_string_equal(pod.data_center, "US-KS-2");
    assert_string_equal(pod.cuda, "12.8");
    assert_true(pod.cost_known);
    assert_int_equal(pod.cost_uusd, 23920000);
    assert_int_equal(pod.created_ms, INT64_C(1796104800000));
    assert_string_equal(pod.ssh.host, "1.2.3.4");
    assert_int_equal(pod.ssh.port, 10022);
    assert_string_equal(pod.ssh.username, "root");
    assert_string_equal(pod.ssh.command, "ssh root@1.2.3.4 -p 10022");
    assert_string_equal(pod.cluster_id, "c1");
    assert_int_equal(pod.cluster_rank, 1);
    assert_string_equal(pod.cluster_ip, "10.65.0.3");
    assert_string_equal(pod.marks.launch_id, "L1");
    assert_int_equal(pod.marks.attempt, 2);
    assert_string_equal(pod.marks.intent, "i1");
    assert_int_equal(pod.marks.expires_s, 1796104800);
    podsku_pod_clear(&pod);
    podsku_pod_clear(NULL);
    rig_stop(&rig);
}

static void what_is_not_said_is_unknown(void **state)
{
    static const char *const bodies[] = {
        "{\"id\":\"p1\"}",
        "{\"id\":\"p1\",\"name\":null,\"status\":null,\"gpu\":null,\"cloud\":null,\"dataCenterId\":null,"
        "\"cudaVersion\":"
        "null,\"cost\":null,\"createdAt\":null,\"ssh\":null,\"cluster\":null,\"env\":null}",
        ("{\"id\":\"p1\",\"name\":\"\",\"gpu\":{},\"cost\":0.0,\"ssh\":{\"direct\":null},\"cluster\":{\"rank\":null},"
         "\"env\":{\"PODSKU_ATTEMPT\":\"x\",\"PODSKU_LAUNCH_ID\":7,\"PODSKU_EXPIRES\":\"-1\"},\"createdAt\":\"once\"}"),
        "{\"id\":\"p1\",\"status\":\"\",\"gpu\":{\"id\":null,\"count\":null}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        const struct https_answer answers[] = {{.body = bodies[i]}};
        struct rig rig;
        struct podsku_pod pod;
        RIG_START(&rig, answers);
        EXPECT(&rig, podsku_api_get_pod(rig.client, PODSKU_API_V2, "p1", &pod, &rig.err), PODSKU_OK);
        assert_null(pod.name);
        assert_int_equal(pod.status, PODSKU_POD_UNKNOWN);
        assert_null(pod.gpu_id);
        assert_int_equal(pod.gpus, 0);
        assert_null(pod.cloud);
        assert_null(pod.data_center);
        assert_null(pod.cuda);
        assert_false(pod.cost_known);
        assert_int_equal(pod.cost_uusd, 0);
        assert_int_equal(pod.created_ms, 0);
        assert_null(pod.ssh.host);
        assert_null(pod.cluster_id);
        assert_int_equal(pod.cluster_rank, -1);
        assert_null(pod.marks.launch_id);
        assert_int_equal(pod.marks.attempt, 0);
        assert_int_equal(pod.marks.expires_s, 0);
        podsku_pod_clear(&pod);
        rig_stop(&rig);
    }
}

static void status_words(void **state)
{
    static const char *const words[] = {"?",     "PROVISIONING", "STARTING", "RUNNING", "EXITED",
                                        "ERROR", "TERMINATED",   "running",  "MIGRATED"};
    char body[64];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        (void)snprintf(body, sizeof body, "{\"id\":\"p\",\"status\":\"%s\"}", words[i]);
        const struct https_answer answers[] = {{.body = body}};
        struct rig rig;
        struct podsku_pod pod;
        RIG_START(&rig, answers);
        EXPECT(&rig, podsku_api_get_pod(rig.client, PODSKU_API_V2, "p", &pod, &rig.err), PODSKU_OK);
        assert_int_equal(pod.status, i <= PODSKU_POD_TERMINATED ? i : PODSKU_POD_UNKNOWN);
        assert_string_equal(pod.status_word, words[i]);
        podsku_pod_clear(&pod);
        rig_stop(&rig);
    }
}

static const struct wrong_row {
    const char *body; /* of the list */
    const char *where;
} wrongs[] = {
    {"{\"pods\":[{\"id\":\"a\"},{}]}", "pods: $.pods[1].id"},
    {"{\"pods\":[{\"id\":7}]}", "pods: $.pods[0].id"},
    {"{\"pods\":[{\"id\":\"\"}]}", "pods: $.pods[0].id"},
    {"{\"pods\":[\"a\"]}", "pods: $.pods[0]"},
    {"{\"pods\":[null]}", "pods: $.pods[0]"},
};

static void an_id_of_a_wrong_type_names_its_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(wrongs); i++) {
        const struct https_answer answers[] = {{.body = wrongs[i].body, .headers = "x-request-id: w\r\n"}};
        struct rig rig;
        struct podsku_pods pods;
        RIG_START(&rig, answers);
        enum podsku_code code = podsku_api_list_pods(rig.client, PODSKU_API_V2, false, &pods, &rig.err);
        CONTAINS(rig.err.where, wrongs[i].where);
        assert_string_equal(rig.err.request_id, "w");
        assert_null(pods.list);
        EXPECT(&rig, code, PODSKU_ANSWER);
        rig_stop(&rig);
    }
}

static void version_1(void **state)
{
    static const struct https_answer answers[] = {
        {.path = "/v1/pods?includeMachine=true",
         .body =
             "[{\"id\":\"a\",\"desiredStatus\":\"RUNNING\",\"costPerHr\":\"0.74\",\"gpu\":{\"id\":\"G\",\"count\":2},"
             "\"machine\":{\"gpuTypeId\":\"NVIDIA M\",\"dataCenterId\":\"EU-RO-1\",\"secureCloud\":true},"
             "\"publicIp\":\"100.65.0.119\",\"portMappings\":{\"22\":10341},\"createdAt\":\"2026-12-01 06:00:00.5 "
             "+0000 UTC\",\"env\":{\"PODSKU_LAUNCH_ID\":\"L\"}},"
             "{\"id\":\"b\",\"costPerHr\":0.5,\"adjustedCostPerHr\":0.25,\"machine\":{},\"publicIp\":\"\","
             "\"portMappings\":{}},"
             "{\"id\":\"c\",\"costPerHr\":0.5,\"adjustedCostPerHr\":null,\"machine\":{\"secureCloud\":false},"
             "\"publicIp\":\"1.2.3.4\",\"portMappings\":null},"
             "{\"id\":\"d\",\"costPerHr\":0.5,\"adjustedCostPerHr\":0,\"machine\":null}]"},
        {.path = "/v1/pods/a?includeMachine=true", .body = "{\"id\":\"a\"}"},
        {.path = "/v1/pods?includeMachine=true", .body = "[{\"id\":\"a\",\"costPerHr\":\"free\"}]"},
        {.method = "POST", .path = "/v1/pods/a/stop", .body = "{}"},
        {.method = "POST",
         .path = "/v1/pods/a/start",
         .status = 500,
         .body = "{\"error\":\"There are not enough free GPUs on the host machine to start this pod.\"}"},
        {.method = "DELETE", .path = "/v1/pods/a", .status = 204},
        {.path = "/v1/pods/a?includeMachine=true",
         .status = 404,
         .body = "{\"error\":\"pod not found\",\"status\":404}"},
    };
    struct rig rig;
    struct podsku_pods pods;
    struct podsku_pod pod;

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_list_pods(rig.client, PODSKU_API_V1, true, &pods, &rig.err), PODSKU_OK);
    assert_int_equal(pods.count, 4);
    const struct podsku_pod *a = &pods.list[0];
    assert_int_equal(a->status, PODSKU_POD_RUNNING);
    assert_string_equal(a->gpu_id, "NVIDIA M");
    assert_int_equal(a->gpus, 2);
    assert_int_equal(a->cost_uusd, 740000);
    assert_string_equal(a->cloud, "SECURE");
    assert_string_equal(a->data_center, "EU-RO-1");
    assert_int_equal(a->created_ms, INT64_C(1796104800500));
    assert_string_equal(a->ssh.command, "ssh root@100.65.0.119 -p 10341");
    assert_string_equal(a->marks.launch_id, "L");
    assert_int_equal(pods.list[1].cost_uusd, 250000);
    assert_null(pods.list[1].ssh.host);
    assert_null(pods.list[1].cloud);
    assert_int_equal(pods.list[2].cost_uusd, 500000);
    assert_string_equal(pods.list[2].cloud, "COMMUNITY");
    assert_null(pods.list[2].ssh.host);
    assert_int_equal(pods.list[3].cost_uusd, 500000);
    podsku_pods_free(&pods);
    EXPECT(&rig, podsku_api_get_pod(rig.client, PODSKU_API_V1, "a", &pod, &rig.err), PODSKU_OK);
    podsku_pod_clear(&pod);
    enum podsku_code code = podsku_api_list_pods(rig.client, PODSKU_API_V1, false, &pods, &rig.err);
    EXPECT(&rig, code, PODSKU_OK); /* a cost of a wrong type is unknown, and hides no other pod */
    assert_false(pods.list[0].cost_known);
    podsku_pods_free(&pods);
    EXPECT(&rig, podsku_api_pod_action(rig.client, PODSKU_API_V1, "a", "stop", &rig.err), PODSKU_OK);
    code = podsku_api_pod_action(rig.client, PODSKU_API_V1, "a", "start", &rig.err);
    CONTAINS(rig.err.message, "not enough free GPUs");
    EXPECT(&rig, code, PODSKU_NO_CAPACITY);
    EXPECT(&rig, podsku_api_pod_action(rig.client, PODSKU_API_V1, "a", "terminate", &rig.err), PODSKU_OK);
    code = podsku_api_get_pod(rig.client, PODSKU_API_V1, "a", &pod, &rig.err);
    CONTAINS(rig.err.message, "pod a does not exist (HTTP 404: pod not found)");
    EXPECT(&rig, code, PODSKU_NOT_FOUND);
    rig_stop(&rig);
}

/* What a status means for a read, a delete and an action of a named thing, and for a list. */
static const struct status_row {
    struct https_answer answer;
    enum podsku_code named, list;
    const char *message;
} statuses[] = {
    {{.status = 400, .body = "{\"detail\":\"count must be 1\"}"}, PODSKU_REQUEST, PODSKU_REQUEST, "count must be 1"},
    {{.status = 401, .body = "{\"detail\":\"who?\"}"}, PODSKU_AUTH, PODSKU_AUTH, "who?"},
    {{.status = 402, .body = "{\"detail\":\"poor\"}"}, PODSKU_BALANCE, PODSKU_BALANCE, "balance"},
    {{.status = 403, .type = "application/problem+json", .body = "{\"detail\":\"no\"}"},
     PODSKU_DENIED,
     PODSKU_DENIED,
     "may not"},
    {{.status = 403, .type = "text/html", .body = "<title>Access denied</title>error code: 1010"},
     PODSKU_EDGE,
     PODSKU_EDGE,
     "error code: 1010"},
    {{.status = 404, .body = "{\"detail\":\"pod not found\"}"}, PODSKU_NOT_FOUND, PODSKU_RETIRED, "404"},
    {{.status = 404, .type = ""}, PODSKU_NOT_FOUND, PODSKU_RETIRED, "404"},
    {{.status = 404, .type = "text/html", .body = "<html>nothing here"},
     PODSKU_RETIRED,
     PODSKU_RETIRED,
     "no API v2 at https://api.runpod.io/v2/pods"},
    {{.status = 405}, PODSKU_REQUEST, PODSKU_REQUEST, "405"},
    {{.status = 409, .body = "{\"detail\":\"Pod belongs to a cluster\"}"}, PODSKU_REQUEST, PODSKU_REQUEST, "belongs"},
    {{.status = 410}, PODSKU_RETIRED, PODSKU_RETIRED, "API v2 at https://api.runpod.io/v2/pods"},
    {{.status = 302, .headers = "Location: /x\r\n"}, PODSKU_RETIRED, PODSKU_RETIRED, "has moved"},
    {{.status = 408}, PODSKU_SERVER, PODSKU_SERVER, "408"},
    {{.status = 429}, PODSKU_SERVER, PODSKU_SERVER, "throttles"},
    {{.status = 500, .body = "{\"error\":{\"message\":\"oops\"}}"}, PODSKU_SERVER, PODSKU_SERVER, "oops"},
    {{.status = 503, .type = "text/html", .body = "<html><title>Down\x1b[2J</title>"},
     PODSKU_SERVER,
     PODSKU_SERVER,
     "Down?[2J"},
    {{.status = 999}, PODSKU_ANSWER, PODSKU_ANSWER, "999"},
};

static void check_status(const struct status_row *row)
{
    static const struct podsku_client_config config = {.retry_budget_ms = 1};
    struct https_answer answer = row->answer;
    struct rig rig;
    struct podsku_pod pod;
    struct podsku_pods pods;
    char headers[128];

    (void)snprintf(headers, sizeof headers, "x-request-id: st\r\n%s", answer.headers ? answer.headers : "");
    answer.headers = headers;
    answer.times = -1;
    rig_start_with(&rig, NULL, &config);
    https_server_script(rig.server, &answer, 1);
    enum podsku_code code = podsku_api_get_pod(rig.client, PODSKU_API_V2, "p", &pod, &rig.err);
    CONTAINS(rig.err.message, row->message);
    CONTAINS(rig.err.where, "https://api.runpod.io/v2/pods/p");
    assert_string_equal(rig.err.request_id, "st");
    assert_int_equal(rig.err.http_status, answer.status);
    EXPECT(&rig, code, row->named);
    EXPECT(&rig, podsku_api_delete_pod(rig.client, PODSKU_API_V2, "p", &rig.err), row->named);
    EXPECT(&rig, podsku_api_pod_action(rig.client, PODSKU_API_V2, "p", "stop", &rig.err), row->named);
    EXPECT(&rig, podsku_api_cluster_pods(rig.client, "c", &pods, &rig.err), row->named);
    code = podsku_api_list_pods(rig.client, PODSKU_API_V2, false, &pods, &rig.err);
    CONTAINS(rig.err.message, row->message);
    EXPECT(&rig, code, row->list);
    rig_stop(&rig);
}

static void every_status(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        check_status(&statuses[i]);
}

static void actions_and_deletes(void **state)
{
    static const struct https_answer answers[] = {
        {.method = "DELETE", .path = "/v2/pods/a%2Fb%20c", .status = 204},
        {.method = "DELETE", .path = "/v2/pods/p", .fault = HTTPS_RESET_AFTER},
        {.method = "DELETE", .path = "/v2/pods/p", .status = 503},
        {.method = "DELETE", .path = "/v2/pods/p", .status = 200, .type = "text/html", .body = "<html>"},
        {.method = "DELETE", .path = "/v2/clusters/c", .status = 204},
        {.method = "POST", .path = "/v2/pods/p/action", .status = 204},
        {.method = "POST", .path = "/v2/pods/p/action", .status = 500},
        {.method = "POST", .path = "/v2/pods/p/action", .status = 400, .body = "{\"detail\":\"Failed to resume pod\"}"},
        {.method = "POST", .path = "/v2/pods/p/action", .status = 400, .body = "{\"detail\":\"Failed to resume pod\"}"},
    };
    static const char *const no_ids[] = {"", ".", ".."};
    struct rig rig;
    struct podsku_pod pod;
    struct podsku_cluster cluster;
    struct podsku_pods pods;

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_delete_pod(rig.client, PODSKU_API_V2, "a/b c", &rig.err), PODSKU_OK);
    EXPECT(&rig, podsku_api_delete_pod(rig.client, PODSKU_API_V2, "p", &rig.err), PODSKU_OK);
    EXPECT(&rig, podsku_api_delete_cluster(rig.client, "c", &rig.err), PODSKU_OK);
    EXPECT(&rig, podsku_api_pod_action(rig.client, PODSKU_API_V2, "p", "terminate", &rig.err), PODSKU_OK);
    size_t sent = https_server_requests(rig.server);
    assert_string_equal(https_server_request(rig.server, sent - 1)->body, "{\"action\":\"terminate\"}");
    EXPECT(&rig, podsku_api_pod_action(rig.client, PODSKU_API_V2, "p", "restart", &rig.err), PODSKU_SERVER);
    EXPECT(&rig, podsku_api_pod_action(rig.client, PODSKU_API_V2, "p", "start", &rig.err), PODSKU_NO_CAPACITY);
    EXPECT(&rig, podsku_api_pod_action(rig.client, PODSKU_API_V2, "p", "stop", &rig.err), PODSKU_REQUEST);
    sent = https_server_requests(rig.server);
    assert_int_equal(https_server_count(rig.server, "POST", NULL), 4); /* none twice */
    for (size_t i = 0; i < COUNT_OF(no_ids); i++) {
        EXPECT(&rig, podsku_api_get_pod(rig.client, PODSKU_API_V2, no_ids[i], &pod, &rig.err), PODSKU_NOT_FOUND);
        EXPECT(&rig, podsku_api_delete_pod(rig.client, PODSKU_API_V2, no_ids[i], &rig.err), PODSKU_NOT_FOUND);
        EXPECT(&rig, podsku_api_get_cluster(rig.client, no_ids[i], &cluster, &rig.err), PODSKU_NOT_FOUND);
        EXPECT(&rig, podsku_api_cluster_pods(rig.client, no_ids[i], &pods, &rig.err), PODSKU_NOT_FOUND);
    }
    assert_int_equal(https_server_requests(rig.server), sent);
    rig_stop(&rig);
}

static void clusters_and_other_objects(void **state)
{
    static const char cluster[] =
        "{\"id\":\"c1\",\"name\":\"n\",\"type\":\"TRAINING\",\"compute\":{\"gpuTypeId\":\"G\","
        "\"gpuCountPerPod\":8,\"podCount\":2},\"dataCenterId\":\"US-KS-2\",\"createdAt\":"
        "\"2026-12-01T06:00:00Z\",\"pods\":{\"total\":2}}";
    const struct https_answer answers[] = {
        {.path = "/v2/clusters/c1", .body = cluster},
        {.path = "/v2/clusters/c2", .body = cluster},
        {.path = "/v2/clusters", .body = "{\"clusters\":[{\"id\":\"a\"},{\"id\":\"b\",\"compute\":{\"podCount\":4}}]}"},
        {.path = "/v2/clusters", .body = "{\"clusters\":[{\"id\":\"a\",\"compute\":[]}]}"},
        {.path = "/v2/clusters/c1/pods", .body = "{\"pods\":[{\"id\":\"p\",\"cluster\":{\"id\":\"c1\",\"rank\":0}}]}"},
        {.path = "/v2/pods/p", .body = "{\"id\":\"other\"}"},
        {.path = "/v2/account/ssh-keys", .body = "{\"keys\":[\"ssh-ed25519 AAAA\",\" \",\"\",\"ssh-rsa BBBB\"]}"},
        {.path = "/v2/account/ssh-keys", .body = "{\"keys\":[]}"},
        {.path = "/v2/account/ssh-keys", .body = "{\"keys\":null}"},
        {.path = "/v2/catalog/datacenters",
         .body = "{\"dataCenters\":[{\"id\":\"EU-RO-1\",\"name\":\"Romania\",\"region\":\"EUROPE\",\"compliance\":["
                 "\"GDPR\",\"SOC_2_TYPE_2\"]},{\"id\":\"X\",\"region\":\"UNKNOWN\",\"compliance\":null},{\"id\":\"Y\","
                 "\"compliance\":[]}]}"},
        {.path = "/v2/catalog/datacenters", .body = "{\"dataCenters\":[{\"id\":\"X\",\"compliance\":[7]}]}"},
        {.path = "/v2/catalog/datacenters", .body = "{\"dataCenters\":[{\"id\":\"X\",\"compliance\":\"GDPR\"}]}"},
    };
    struct rig rig;
    struct podsku_cluster one;
    struct podsku_clusters clusters;
    struct podsku_pods pods;
    struct podsku_pod pod;
    struct podsku_data_centers centers;
    size_t keys = 99;

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_get_cluster(rig.client, "c1", &one, &rig.err), PODSKU_OK);
    assert_string_equal(one.name, "n");
    assert_string_equal(one.type, "TRAINING");
    assert_string_equal(one.gpu_id, "G");
    assert_string_equal(one.data_center, "US-KS-2");
    assert_int_equal(one.gpus_per_pod, 8);
    assert_int_equal(one.pod_count, 2);
    assert_int_equal(one.created_ms, INT64_C(1796104800000));
    podsku_cluster_clear(&one);
    enum podsku_code code = podsku_api_get_cluster(rig.client, "c2", &one, &rig.err); /* answers about c1 */
    CONTAINS(rig.err.where, "/v2/clusters/c2: $.id");
    EXPECT(&rig, code, PODSKU_ANSWER);
    EXPECT(&rig, podsku_api_list_clusters(rig.client, &clusters, &rig.err), PODSKU_OK);
    assert_int_equal(clusters.count, 2);
    assert_int_equal(clusters.list[0].pod_count, 0);
    assert_int_equal(clusters.list[1].pod_count, 4);
    podsku_clusters_free(&clusters);
    code = podsku_api_list_clusters(rig.client, &clusters, &rig.err);
    EXPECT(&rig, code, PODSKU_OK); /* "compute" of a wrong type is unknown */
    assert_int_equal(clusters.list[0].pod_count, 0);
    podsku_clusters_free(&clusters);
    EXPECT(&rig, podsku_api_cluster_pods(rig.client, "c1", &pods, &rig.err), PODSKU_OK);
    assert_int_equal(pods.count, 1);
    assert_int_equal(pods.list[0].cluster_rank, 0);
    podsku_pods_free(&pods);
    EXPECT(&rig, podsku_api_get_pod(rig.client, PODSKU_API_V2, "p", &pod, &rig.err), PODSKU_ANSWER);
    assert_null(pod.id);

    EXPECT(&rig, podsku_api_ssh_keys(rig.client, &keys, &rig.err), PODSKU_OK);
    assert_int_equal(keys, 2);
    EXPECT(&rig, podsku_api_ssh_keys(rig.client, &keys, &rig.err), PODSKU_OK);
    assert_int_equal(keys, 0);
    EXPECT(&rig, podsku_api_ssh_keys(rig.client, &keys, &rig.err), PODSKU_ANSWER);

    EXPECT(&rig, podsku_api_data_centers(rig.client, &centers, &rig.err), PODSKU_OK);
    assert_int_equal(centers.count, 3);
    assert_string_equal(centers.list[0].name, "Romania");
    assert_string_equal(centers.list[0].region, "EUROPE");
    assert_int_equal(centers.list[0].compliance_count, 2);
    assert_string_equal(centers.list[0].compliance[1], "SOC_2_TYPE_2");
    assert_null(centers.list[1].region);
    assert_int_equal(centers.list[2].compliance_count, 0);
    podsku_data_centers_free(&centers);
    code = podsku_api_data_centers(rig.client, &centers, &rig.err);
    CONTAINS(rig.err.where, "$.dataCenters[0].compliance[0]");
    EXPECT(&rig, code, PODSKU_ANSWER);
    code = podsku_api_data_centers(rig.client, &centers, &rig.err);
    CONTAINS(rig.err.where, "$.dataCenters[0].compliance");
    EXPECT(&rig, code, PODSKU_ANSWER);
    rig_stop(&rig);
}

static void graphql(void **state)
{
    static const char body[] = "{\"data\":{\"gpuTypes\":[{\"id\":\"A\"}]}}";
    static const struct https_answer answers[] = {
        {.method = "POST", .path = "/graphql", .fault = HTTPS_RESET_AFTER}, /* it is a read */
        {.method = "POST", .path = "/graphql", .body = body},
        {.body = "{\"errors\":[{\"message\":\"Cannot query field\"}]}"},
        {.body = "{\"data\":{\"gpuTypes\":null},\"errors\":[{\"message\":\"later\"}]}"},
        {.body = "<html>"},
        {.status = 410},
        {.status = 400, .body = "{\"errors\":[{\"message\":\"bad query\"}]}"},
    };
    struct rig rig;
    struct podsku_buf bytes = {0};
    char url[256];
    json_t *sent;

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_graphql_catalog(rig.client, 8, &bytes, url, sizeof url, &rig.err), PODSKU_OK);
    assert_string_equal(podsku_buf_text(&bytes), body);
    assert_string_equal(url, "https://api.runpod.io/graphql");
    sent = json_loads(https_server_request(rig.server, 1)->body, 0, NULL);
    assert_non_null(sent);
    CONTAINS(json_string_value(json_object_get(sent, "query")),
             "lowestPrice(input:{gpuCount:8, secureCloud:true}) { stockStatus uninterruptablePrice }");
    json_decref(sent);
    static const struct {
        enum podsku_code code;
        const char *message;
    } then[] = {{PODSKU_ANSWER, "Cannot query field"},
                {PODSKU_ANSWER, "later"},
                {PODSKU_ANSWER, "not valid JSON"},
                {PODSKU_RETIRED, "API graphql at https://api.runpod.io/graphql is retired"},
                {PODSKU_REQUEST, "bad query"}};
    for (size_t i = 0; i < COUNT_OF(then); i++) {
        enum podsku_code code = podsku_api_graphql_catalog(rig.client, 8, &bytes, url, sizeof url, &rig.err);
        CONTAINS(rig.err.message, then[i].message);
        EXPECT(&rig, code, then[i].code);
    }
    podsku_buf_free(&bytes);
    rig_stop(&rig);
}

static void the_quota_is_remembered(void **state)
{
    static const struct https_answer answers[] = {
        {.headers = "RateLimit: \"minute\";r=0;t=12\r\n", .body = "{\"pods\":[]}"},
        {.body = "{\"pods\":[]}"},
        {.headers = "RateLimit: \"minute\";r=9;t=12\r\n", .body = "{\"pods\":[]}"},
    };
    struct rig rig;
    struct podsku_pods pods;

    (void)state;
    RIG_START(&rig, answers);
    assert_int_equal(podsku_client_quota_ms(rig.client), 0);
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        EXPECT(&rig, podsku_api_list_pods(rig.client, PODSKU_API_V2, false, &pods, &rig.err), PODSKU_OK);
        int64_t ms = podsku_client_quota_ms(rig.client);
        assert_true(i < 2 ? ms > 8000 && ms <= 12000 : ms == 0);
    }
    rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_pod),
        cmocka_unit_test(what_is_not_said_is_unknown),
        cmocka_unit_test(status_words),
        cmocka_unit_test(an_id_of_a_wrong_type_names_its_path),
        cmocka_unit_test(version_1),
        cmocka_unit_test(every_status),
        cmocka_unit_test(actions_and_deletes),
        cmocka_unit_test(clusters_and_other_objects),
        cmocka_unit_test(graphql),
        cmocka_unit_test(the_quota_is_remembered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
