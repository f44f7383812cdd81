/*
 * Every allocation of ours fails once: nothing leaks or crashes, a read says so, and a create whose
 * answer found no memory is open, since a pod may exist. (jansson's own do not fail here: 2.14 ignores
 * failures while it collects a token, and reads another text.)
 */
#include "tests/client/rig.h"

#include <stdlib.h>
#include <string.h>

/* Of the test's own thread: the server's allocations do not fail. fail_at 0: none fails. */
static _Thread_local size_t allocations, fail_at;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);

static bool fails(void)
{
    return fail_at && ++allocations == fail_at;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

static struct rig rig;
static json_t *body;

#define POD                                                                                                          \
    "{\"id\":\"p1\",\"name\":\"n\",\"status\":\"RUNNING\",\"gpu\":{\"id\":\"G\",\"count\":1},\"cost\":1.5,\"env\":{" \
    "\"PODSKU_LAUNCH_ID\":\"L\"}}"

static const struct https_answer answers[] = {
    {.times = -1, .path = "/v2/pods", .method = "GET", .body = "{\"pods\":[" POD "],\"nextCursor\":\"2\"}"},
    {.times = -1, .path = "/v2/pods?cursor=2", .body = "{\"pods\":[{\"id\":\"p2\"}]}"},
    {.times = -1, .path = "/v2/pods/p1", .body = POD},
    {.times = -1,
     .path = "/v1/pods?includeMachine=true",
     .body = "[{\"id\":\"p1\",\"publicIp\":\"1.2.3.4\",\"portMappings\":{\"22\":1}}]"},
    {.times = -1,
     .path = "/v2/catalog/gpus?include=AVAILABILITY&product=POD&count=1&cloud=SECURE",
     .body = "{\"gpus\":[1],\"nextCursor\":\"2\"}"},
    {.times = -1,
     .path = "/v2/catalog/gpus?include=AVAILABILITY&product=POD&count=1&cloud=SECURE&cursor=2",
     .body = "{\"gpus\":[2]}"},
    {.times = -1,
     .path = "/v2/catalog/datacenters",
     .body = "{\"dataCenters\":[{\"id\":\"A\",\"compliance\":[\"x\",\"y\"]},{\"id\":\"B\"}]}"},
    {.times = -1, .path = "/v2/pods/p1/logs", .type = "text/event-stream", .body = "id: 1\ndata: {\"line\":\"x\"}\n\n"},
    {.times = -1,
     .path = "/v2/pods/gone",
     .status = 404,
     .body = "{\"detail\":\"no\",\"errors\":[\"a\",\"missing b\"]}"},
    {.times = -1, .path = "/v2/pods", .method = "POST", .status = 201, .body = POD},
    {.times = -1,
     .path = "/v2/clusters",
     .method = "POST",
     .status = 422,
     .body = "{\"detail\":\"no\",\"errors\":[\"a\",\"missing b\"]}"},
};

static enum podsku_code list_pods(void)
{
    struct podsku_pods pods;
    enum podsku_code code = podsku_api_list_pods(rig.client, PODSKU_API_V2, false, &pods, &rig.err);

    if (code == PODSKU_OK && (pods.count != 2 || !pods.list[0].gpu_id))
        code = PODSKU_INTERNAL; /* a short answer is worse than none */
    podsku_pods_free(&pods);
    return code;
}

static enum podsku_code list_v1(void)
{
    struct podsku_pods pods;
    enum podsku_code code = podsku_api_list_pods(rig.client, PODSKU_API_V1, false, &pods, &rig.err);

    if (code == PODSKU_OK && (pods.count != 1 || !pods.list[0].ssh.command))
        code = PODSKU_INTERNAL;
    podsku_pods_free(&pods);
    return code;
}

static enum podsku_code get_pod(void)
{
    struct podsku_pod pod;
    enum podsku_code code = podsku_api_get_pod(rig.client, PODSKU_API_V2, "p1", &pod, &rig.err);

    if (code == PODSKU_OK && (!pod.name || !pod.gpu_id || !pod.marks.launch_id))
        code = PODSKU_INTERNAL;
    podsku_pod_clear(&pod);
    return code;
}

static enum podsku_code delete_missing(void)
{
    enum podsku_code code = podsku_api_delete_pod(rig.client, PODSKU_API_V2, "gone", &rig.err);

    if (code != PODSKU_NOT_FOUND)
        return code;
    podsku_error_clear(&rig.err);
    return PODSKU_OK;
}

static enum podsku_code read_catalog(void)
{
    const struct podsku_catalog_request request = {.product = "POD", .cloud = "SECURE", .count = 1};
    struct podsku_buf bytes = {0};
    char url[256];
    enum podsku_code code = podsku_api_catalog(rig.client, &request, &bytes, url, sizeof url, &rig.err);

    if (code == PODSKU_OK && strcmp(podsku_buf_text(&bytes), "{\"gpus\":[1,2]}") != 0)
        code = PODSKU_INTERNAL;
    podsku_buf_free(&bytes);
    return code;
}

static enum podsku_code read_centers(void)
{
    struct podsku_data_centers centers;
    enum podsku_code code = podsku_api_data_centers(rig.client, &centers, &rig.err);

    if (code == PODSKU_OK && (centers.count != 2 || centers.list[0].compliance_count != 2))
        code = PODSKU_INTERNAL;
    podsku_data_centers_free(&centers);
    return code;
}

static bool take_line(void *ctx, const char *event_id, const char *source, const char *text)
{
    (void)event_id, (void)source, (void)text;
    ++*(size_t *)ctx;
    return true;
}

static enum podsku_code read_logs(void)
{
    size_t lines = 0;
    enum podsku_code code = podsku_api_pod_logs(rig.client, "p1", NULL, take_line, &lines, 0, &rig.err);

    return code == PODSKU_OK && lines != 1 ? PODSKU_INTERNAL : code;
}

static enum podsku_code refused_cluster(void)
{
    struct podsku_create_result result;
    enum podsku_code code = podsku_api_create_cluster(rig.client, body, &result, &rig.err);

    podsku_create_result_clear(&result);
    if (code != PODSKU_REQUEST)
        return code;
    podsku_error_clear(&rig.err);
    return PODSKU_OK;
}

static enum podsku_code make_client(void)
{
    struct podsku_client *client;
    struct podsku_client_config config = {.key = RIG_KEY, .ca_pem = "x", .connect_to = "a:1:b:2"};
    enum podsku_code code = podsku_client_new(&config, &client, &rig.err);

    podsku_client_free(client);
    return code;
}

static void reads_say_so(void **state)
{
    static enum podsku_code (*const calls[])(void) = {list_pods,      list_v1,         get_pod,
                                                      delete_missing, read_catalog,    read_centers,
                                                      read_logs,      refused_cluster, make_client};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        size_t failures = 0;
        for (size_t n = 1;; n++) {
            allocations = 0;
            fail_at = n;
            enum podsku_code code = calls[i]();
            bool reached = allocations >= n;
            fail_at = 0;
            if (code != PODSKU_OK && code != PODSKU_NO_MEMORY && code != PODSKU_ANSWER)
                fail_msg("call %zu, allocation %zu: %s: %s", i, n, podsku_code_name(code), rig.err.message);
            if (code == PODSKU_OK && rig.err.code != PODSKU_OK)
                fail_msg("call %zu, allocation %zu: an error without its code: %s", i, n, rig.err.message);
            failures += code != PODSKU_OK;
            podsku_error_clear(&rig.err);
            if (!reached) {
                assert_int_equal(code, PODSKU_OK);
                break;
            }
        }
        assert_true(failures > 0);
    }
}

static void a_create_is_not_forgotten(void **state)
{
    size_t open = 0;

    (void)state;
    for (size_t n = 1;; n++) {
        struct podsku_create_result result;
        size_t before = https_server_count(rig.server, "POST", "/v2/pods");
        allocations = 0;
        fail_at = n;
        enum podsku_code code = podsku_api_create_pod(rig.client, PODSKU_API_V2, body, &result, &rig.err);
        bool reached = allocations >= n;
        fail_at = 0;
        size_t sent = https_server_count(rig.server, "POST", "/v2/pods") - before;
        if (sent == 0) {
            assert_int_equal(result.answer, PODSKU_CREATE_STOP);
            assert_int_equal(code, PODSKU_NO_MEMORY);
        } else {
            assert_int_equal(sent, 1);
            assert_true(result.answer == PODSKU_CREATE_MADE || result.answer == PODSKU_CREATE_OPEN);
            assert_int_equal(code, PODSKU_OK);
            assert_int_equal(rig.err.code, PODSKU_OK);
            open += result.answer == PODSKU_CREATE_OPEN;
        }
        podsku_create_result_clear(&result);
        podsku_error_clear(&rig.err);
        if (!reached)
            break;
    }
    assert_true(open > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_say_so),
        cmocka_unit_test(a_create_is_not_forgotten),
    };

    RIG_START(&rig, answers);
    body = json_pack("{s:s}", "name", "x");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    json_decref(body);
    rig_stop(&rig);
    return failed;
}
