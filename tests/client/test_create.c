/* What an answer to a create means: every row of the table, and that it is sent once. */
#include "tests/client/rig.h"

#include <stdlib.h>
#include <string.h>

#define NO_CAPACITY                                                                                                \
    "{\"detail\":\"There are no longer any instances available with the requested specifications. Please refresh " \
    "and try again.\",\"status\":400,\"title\":\"Bad Request\"}"
#define DETAIL(text) "{\"title\":\"t\",\"status\":400,\"detail\":\"" text "\"}"
#define PROBLEM "application/problem+json"

static const struct row {
    enum podsku_api api;
    struct https_answer answer;
    enum podsku_create_answer meaning;
    enum podsku_code code; /* PODSKU_OK unless meaning is STOP */
    const char *text;      /* part of the detail, or of the error with STOP */
} rows[] = {
    /* made */
    {PODSKU_API_V2, {.status = 201, .body = "{\"id\":\"p1\"}"}, PODSKU_CREATE_MADE, 0, ""},
    {PODSKU_API_V2, {.status = 200, .body = "{\"id\":\"p1\"}"}, PODSKU_CREATE_MADE, 0, ""},
    {PODSKU_API_V2, {.status = 202, .type = "text/plain", .body = "{\"id\":\"p1\"}"}, PODSKU_CREATE_MADE, 0, ""},
    {PODSKU_API_V2,
     {.status = 201, .body = "{\"id\":\"p1\",\"cost\":\"?\",\"gpu\":[],\"env\":7,\"status\":1,\"ssh\":{\"direct\":1}}"},
     PODSKU_CREATE_MADE,
     0,
     ""},
    {PODSKU_API_V2, {.status = 201, .fault = HTTPS_GZIP, .body = "{\"id\":\"p1\"}"}, PODSKU_CREATE_MADE, 0, ""},
    {PODSKU_API_V2, {.status = 201, .fault = HTTPS_CONTINUE, .body = "{\"id\":\"p1\"}"}, PODSKU_CREATE_MADE, 0, ""},
    {PODSKU_API_V1, {.status = 201, .body = "{\"id\":\"p1\",\"costPerHr\":\"0.74\"}"}, PODSKU_CREATE_MADE, 0, ""},
    /* may have created */
    {PODSKU_API_V2, {.status = 201, .body = "{}"}, PODSKU_CREATE_OPEN, 0, "no id"},
    {PODSKU_API_V2, {.status = 201, .body = "{\"id\":\"\"}"}, PODSKU_CREATE_OPEN, 0, "no id"},
    {PODSKU_API_V2, {.status = 201, .body = "{\"id\":17}"}, PODSKU_CREATE_OPEN, 0, "no id"},
    {PODSKU_API_V2, {.status = 201, .body = "{\"id\":null}"}, PODSKU_CREATE_OPEN, 0, "no id"},
    {PODSKU_API_V2, {.status = 201, .body = "[{\"id\":\"p1\"}]"}, PODSKU_CREATE_OPEN, 0, "no object"},
    {PODSKU_API_V2, {.status = 201, .body = "null"}, PODSKU_CREATE_OPEN, 0, "no object"},
    {PODSKU_API_V2, {.status = 201, .body = ""}, PODSKU_CREATE_OPEN, 0, "empty"},
    {PODSKU_API_V2, {.status = 204}, PODSKU_CREATE_OPEN, 0, "empty"},
    {PODSKU_API_V2, {.status = 201, .body = "{\"id\":\"p1\""}, PODSKU_CREATE_OPEN, 0, "not valid JSON"},
    {PODSKU_API_V2, {.status = 201, .body = "{\"id\":\"p1\",\"id\":\"p2\"}"}, PODSKU_CREATE_OPEN, 0, "not valid JSON"},
    {PODSKU_API_V2, {.status = 200, .type = "text/html", .body = "<html>"}, PODSKU_CREATE_OPEN, 0, "not valid JSON"},
    {PODSKU_API_V1,
     {.status = 200, .body = "{\"error\":\"create pod: There are no instances currently available\"}"},
     PODSKU_CREATE_OPEN,
     0,
     "no id"},
    {PODSKU_API_V2, {.fault = HTTPS_RESET_AFTER}, PODSKU_CREATE_OPEN, 0, "after the request was sent"},
    {PODSKU_API_V2, {.fault = HTTPS_CLOSE_AFTER}, PODSKU_CREATE_OPEN, 0, "after the request was sent"},
    {PODSKU_API_V2, {.fault = HTTPS_TRUNCATE, .status = 201, .body = "{\"id\":\"p1\"}"}, PODSKU_CREATE_OPEN, 0, ""},
    {PODSKU_API_V2, {.fault = HTTPS_TRUNCATE, .status = 400, .body = NO_CAPACITY}, PODSKU_CREATE_OPEN, 0, ""},
    {PODSKU_API_V2, {.fault = HTTPS_CHUNKED_CUT, .status = 201, .body = "{\"id\":\"p1\"}"}, PODSKU_CREATE_OPEN, 0, ""},
    {PODSKU_API_V2, {.fault = HTTPS_STALL}, PODSKU_CREATE_OPEN, 0, "no whole answer in time"},
    {PODSKU_API_V2, {.fault = HTTPS_STALL_BODY, .status = 201, .body = "{\"id\":\"p1\"}"}, PODSKU_CREATE_OPEN, 0, ""},
    {PODSKU_API_V2, {.fault = HTTPS_GARBAGE, .body = "what?\r\n\r\n"}, PODSKU_CREATE_OPEN, 0, "cannot be read"},
    {PODSKU_API_V2,
     {.fault = HTTPS_OVERSIZE, .status = 201, .body = "{\"id\":\"p\"}", .size = (size_t)17 << 20},
     PODSKU_CREATE_OPEN,
     0,
     "larger than"},
    {PODSKU_API_V2, {.fault = HTTPS_GZIP_BROKEN, .status = 201, .body = "{\"id\":\"p1\"}"}, PODSKU_CREATE_OPEN, 0, ""},
    {PODSKU_API_V2, {.status = 999}, PODSKU_CREATE_OPEN, 0, ""},
    /* 400, no capacity */
    {PODSKU_API_V2,
     {.status = 400, .type = PROBLEM, .body = NO_CAPACITY},
     PODSKU_CREATE_NO_CAPACITY,
     0,
     "no longer any instances"},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("out of CAPACITY here")}, PODSKU_CREATE_NO_CAPACITY, 0, ""},
    {PODSKU_API_V2,
     {.status = 400,
      .body = DETAIL("This machine does not have the resources to deploy your pod. Please try a different machine")},
     PODSKU_CREATE_NO_CAPACITY,
     0,
     ""},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("Not enough disk space")}, PODSKU_CREATE_NO_CAPACITY, 0, ""},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("disk space")}, PODSKU_CREATE_NO_CAPACITY, 0, ""},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("Unknown GPU type: NVIDIA X")}, PODSKU_CREATE_NO_CAPACITY, 0, ""},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("no machine available")}, PODSKU_CREATE_NO_CAPACITY, 0, ""},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("some resource")}, PODSKU_CREATE_NO_CAPACITY, 0, ""},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("an instance")}, PODSKU_CREATE_NO_CAPACITY, 0, ""},
    {PODSKU_API_V1, {.status = 400, .body = "{\"error\":\"no instances\"}"}, PODSKU_CREATE_NO_CAPACITY, 0, "no inst"},
    {PODSKU_API_V1, {.status = 400, .body = "{\"message\":\"no capacity\"}"}, PODSKU_CREATE_NO_CAPACITY, 0, "no cap"},
    /* 400 with words of both rows: scarcity first, then the fault */
    {PODSKU_API_V2,
     {.status = 400, .body = DETAIL("The required resources are not available")},
     PODSKU_CREATE_NO_CAPACITY,
     0,
     ""},
    {PODSKU_API_V2,
     {.status = 400, .body = DETAIL("Invalid instance type")},
     PODSKU_CREATE_STOP,
     PODSKU_REQUEST,
     "Invalid instance"},
    {PODSKU_API_V2,
     {.status = 400, .body = DETAIL("resource limits must be positive")},
     PODSKU_CREATE_STOP,
     PODSKU_REQUEST,
     ""},
    /* 400 that says nothing known */
    {PODSKU_API_V2,
     {.status = 400, .body = DETAIL("something went wrong")},
     PODSKU_CREATE_UNRECOGNISED,
     0,
     "something"},
    {PODSKU_API_V2, {.status = 400, .body = ""}, PODSKU_CREATE_UNRECOGNISED, 0, ""},
    {PODSKU_API_V2, {.status = 400, .body = "{}"}, PODSKU_CREATE_UNRECOGNISED, 0, ""},
    {PODSKU_API_V2, {.status = 400, .type = "text/plain", .body = "nope"}, PODSKU_CREATE_UNRECOGNISED, 0, "nope"},
    {PODSKU_API_V2,
     {.status = 400, .type = "text/html", .body = "<title>Bad</title>"},
     PODSKU_CREATE_UNRECOGNISED,
     0,
     "Bad"},
    /* the request is wrong */
    {PODSKU_API_V2,
     {.status = 400, .body = DETAIL("name must not be empty")},
     PODSKU_CREATE_STOP,
     PODSKU_REQUEST,
     "must not be"},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("image is required")}, PODSKU_CREATE_STOP, PODSKU_REQUEST, ""},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("Invalid port")}, PODSKU_CREATE_STOP, PODSKU_REQUEST, ""},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("that is not allowed")}, PODSKU_CREATE_STOP, PODSKU_REQUEST, ""},
    {PODSKU_API_V2,
     {.status = 400, .body = DETAIL("a and b are mutually exclusive")},
     PODSKU_CREATE_STOP,
     PODSKU_REQUEST,
     ""},
    {PODSKU_API_V2, {.status = 400, .body = DETAIL("unknown property x")}, PODSKU_CREATE_STOP, PODSKU_REQUEST, ""},
    {PODSKU_API_V2,
     {.status = 400, .body = "{\"detail\":\"no capacity\",\"errors\":[\"$.x: bad\"]}"},
     PODSKU_CREATE_STOP,
     PODSKU_REQUEST,
     "$.x: bad"},
    {PODSKU_API_V2, {.status = 405}, PODSKU_CREATE_STOP, PODSKU_REQUEST, "HTTP 405"},
    {PODSKU_API_V2, {.status = 413}, PODSKU_CREATE_STOP, PODSKU_REQUEST, "HTTP 413"},
    {PODSKU_API_V2, {.status = 415}, PODSKU_CREATE_STOP, PODSKU_REQUEST, "HTTP 415"},
    {PODSKU_API_V2, {.status = 422, .body = DETAIL("no instances available")}, PODSKU_CREATE_STOP, PODSKU_REQUEST, ""},
    /* account */
    {PODSKU_API_V2,
     {.status = 401, .body = DETAIL("bad key " RIG_KEY)},
     PODSKU_CREATE_STOP,
     PODSKU_AUTH,
     "bad key *****"},
    {PODSKU_API_V1,
     {.status = 401, .body = "{\"error\":\"unauthorized\"}"},
     PODSKU_CREATE_STOP,
     PODSKU_AUTH,
     "unauthorized"},
    {PODSKU_API_V2,
     {.status = 402, .body = DETAIL("Your account balance is too low to rent a pod")},
     PODSKU_CREATE_STOP,
     PODSKU_BALANCE,
     "too low to rent"},
    {PODSKU_API_V2,
     {.status = 403, .type = PROBLEM, .body = DETAIL("no access to this pool")},
     PODSKU_CREATE_DENIED,
     0,
     "no access"},
    {PODSKU_API_V1, {.status = 403, .body = "{\"error\":\"denied\"}"}, PODSKU_CREATE_DENIED, 0, "denied"},
    /* the edge */
    {PODSKU_API_V2,
     {.status = 403, .type = "text/html", .body = "<html><title>Access denied</title>error code: 1010</html>"},
     PODSKU_CREATE_STOP,
     PODSKU_EDGE,
     "error code: 1010"},
    {PODSKU_API_V2,
     {.status = 403, .type = "text/plain", .body = "error code: 1010"},
     PODSKU_CREATE_STOP,
     PODSKU_EDGE,
     "error code: 1010"},
    {PODSKU_API_V2,
     {.status = 403, .type = "text/html", .body = "<h1>Error code <b>1020</b></h1>"},
     PODSKU_CREATE_STOP,
     PODSKU_EDGE,
     "error code: 1020"},
    {PODSKU_API_V2, {.status = 403, .type = "text/html", .body = "<html>"}, PODSKU_CREATE_STOP, PODSKU_EDGE, "edge"},
    {PODSKU_API_V2, {.status = 403, .type = ""}, PODSKU_CREATE_STOP, PODSKU_EDGE, "edge"},
    {PODSKU_API_V2,
     {.status = 403,
      .type = PROBLEM,
      .body = "{\"title\":\"Error 1010: Access denied\",\"error_code\":1010,\"cloudflare_error\":true}"},
     PODSKU_CREATE_STOP,
     PODSKU_EDGE,
     "error code: 1010"},
    {PODSKU_API_V2,
     {.status = 403, .type = PROBLEM, .body = DETAIL("error code: 1010")},
     PODSKU_CREATE_STOP,
     PODSKU_EDGE,
     "error code: 1010"},
    /* not there */
    {PODSKU_API_V2,
     {.status = 404, .type = PROBLEM, .body = DETAIL("template not found")},
     PODSKU_CREATE_STOP,
     PODSKU_REQUEST,
     "template not found"},
    {PODSKU_API_V2, {.status = 404}, PODSKU_CREATE_STOP, PODSKU_REQUEST, "HTTP 404"},
    {PODSKU_API_V1,
     {.status = 404, .type = "text/html", .body = "<html>"},
     PODSKU_CREATE_STOP,
     PODSKU_RETIRED,
     "no API v1 at " RIG_V1_URL},
    /* again */
    {PODSKU_API_V2, {.status = 408}, PODSKU_CREATE_CONFLICT, 0, ""},
    {PODSKU_API_V2, {.status = 409, .body = DETAIL("conflict")}, PODSKU_CREATE_CONFLICT, 0, "conflict"},
    {PODSKU_API_V2, {.status = 429, .body = DETAIL("slow down")}, PODSKU_CREATE_THROTTLED, 0, "slow down"},
    {PODSKU_API_V2, {.status = 500, .body = DETAIL("oops")}, PODSKU_CREATE_SERVER, 0, "oops"},
    {PODSKU_API_V2,
     {.status = 502, .type = "text/html", .body = "<title>502 Bad gateway</title>"},
     PODSKU_CREATE_SERVER,
     0,
     "502 Bad gateway"},
    {PODSKU_API_V2, {.status = 599}, PODSKU_CREATE_SERVER, 0, ""},
    {PODSKU_API_V1,
     {.status = 500, .body = "{\"error\":\"create pod: There are no instances currently available\",\"status\":500}"},
     PODSKU_CREATE_SERVER,
     0,
     "no instances currently"},
    {PODSKU_API_V1,
     {.status = 500, .body = "{\"error\":\"create pod: Your account balance is too low to rent a pod\"}"},
     PODSKU_CREATE_SERVER,
     0,
     "balance"},
    /* gone, moved */
    {PODSKU_API_V1,
     {.status = 410, .body = "{\"error\":\"REST API v1 has been retired\"}"},
     PODSKU_CREATE_STOP,
     PODSKU_RETIRED,
     "API v1 at " RIG_V1_URL "/pods is retired"},
    {PODSKU_API_V2,
     {.status = 301, .headers = "Location: https://evil.example/v3/pods\r\n"},
     PODSKU_CREATE_STOP,
     PODSKU_RETIRED,
     "API v2 at https://api.runpod.io/v2/pods has moved"},
    {PODSKU_API_V2, {.status = 307, .headers = "Location: /v3/pods\r\n"}, PODSKU_CREATE_STOP, PODSKU_RETIRED, "moved"},
    {PODSKU_API_V2, {.status = 304}, PODSKU_CREATE_STOP, PODSKU_RETIRED, ""},
};

static void check_row(size_t i)
{
    static const struct podsku_client_config config = {.stall_s = 1};
    struct https_answer answer = rows[i].answer;
    struct https_answer answers[2];
    struct podsku_create_result result;
    struct rig rig;
    char headers[256] = "x-request-id: req-7\r\n";
    json_t *body = json_pack("{s:s}", "name", "x");

    if (answer.headers)
        strncat(headers, answer.headers, sizeof headers - strlen(headers) - 1);
    answer.headers = headers;
    answers[0] = answer;
    answers[1] = (struct https_answer){.times = -1, .status = 201, .body = "{\"id\":\"second\"}"};
    rig_start_with(&rig, NULL, &config);
    https_server_script(rig.server, answers, 2);
    enum podsku_code code = podsku_api_create_pod(rig.client, rows[i].api, body, &result, &rig.err);
    if (result.answer != rows[i].meaning || code != rows[i].code || rig.err.code != rows[i].code)
        fail_msg("row %zu (%d): answer %d, %s: %s", i, answer.status, (int)result.answer, podsku_code_name(code),
                 rig.err.message[0] ? rig.err.message : result.detail);
    const char *text = result.answer == PODSKU_CREATE_STOP ? rig.err.message : result.detail;
    if (!strstr(text, rows[i].text))
        fail_msg("row %zu (%d): \"%s\" does not say \"%s\"", i, answer.status, text, rows[i].text);
    if (strstr(text, RIG_KEY) || strstr(result.detail, RIG_KEY))
        fail_msg("row %zu shows the key", i);
    if (https_server_count(rig.server, "POST", NULL) != 1)
        fail_msg("row %zu was sent %zu times", i, https_server_count(rig.server, "POST", NULL));
    bool whole = answer.fault == HTTPS_OK || answer.fault == HTTPS_GZIP || answer.fault == HTTPS_CONTINUE;
    if (whole) {
        assert_int_equal(result.http_status, answer.status);
        assert_string_equal(result.request_id, "req-7");
    }
    if (result.answer == PODSKU_CREATE_STOP) {
        assert_string_equal(rig.err.request_id, "req-7");
        assert_int_equal(rig.err.http_status, answer.status);
        CONTAINS(rig.err.where, "/pods");
    }
    if (result.answer == PODSKU_CREATE_MADE)
        assert_string_equal(result.pod.id, "p1");
    assert_int_equal(result.wait_ms > 0, result.answer == PODSKU_CREATE_THROTTLED);
    assert_int_equal(rig.slept_ms, 0);
    podsku_create_result_clear(&result);
    json_decref(body);
    rig_stop(&rig);
}

static void every_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_row(i);
}

/* Sends one create of a pod to a server with these options, which answers 201. */
static enum podsku_code create_at(struct rig *rig, const struct https_options *options,
                                  const struct podsku_client_config *config, struct podsku_create_result *result)
{
    static const struct https_answer made[] = {{.times = -1, .status = 201, .body = "{\"id\":\"p1\"}"}};
    json_t *body = json_pack("{s:s}", "name", "x");

    rig_start_with(rig, options, config);
    https_server_script(rig->server, made, 1);
    enum podsku_code code = podsku_api_create_pod(rig->client, PODSKU_API_V2, body, result, &rig->err);
    json_decref(body);
    return code;
}

static void nothing_was_sent(void **state)
{
    static const struct podsku_client_config nobody = {.connect_to = "api.runpod.io:443:127.0.0.1:1"};
    static const struct https_options resets = {.reset_handshake = true};
    static const struct https_options wrong = {.certificate = HTTPS_CERT_WRONG_HOST};
    struct rig rig;
    struct podsku_create_result result;

    (void)state;
    EXPECT(&rig, create_at(&rig, NULL, &nobody, &result), PODSKU_OK);
    assert_int_equal(result.answer, PODSKU_CREATE_NOT_SENT);
    CONTAINS(result.detail, "cannot be reached");
    podsku_create_result_clear(&result);
    rig_stop(&rig);

    EXPECT(&rig, create_at(&rig, &resets, NULL, &result), PODSKU_OK);
    assert_int_equal(result.answer, PODSKU_CREATE_NOT_SENT);
    podsku_create_result_clear(&result);
    rig_stop(&rig);

    /* trust does not come back by trying again */
    EXPECT(&rig, create_at(&rig, &wrong, NULL, &result), PODSKU_TLS);
    assert_int_equal(result.answer, PODSKU_CREATE_STOP);
    podsku_create_result_clear(&result);
    rig_stop(&rig);
}

/* The trap of the whole project: one create acted on, its reply lost, and a library that would send another. */
static void one_create_on_a_dying_connection(void **state)
{
    static const struct https_answer answers[] = {
        {.method = "GET", .body = "{\"pods\":[]}"},
        {.method = "POST", .on_connection = 2, .fault = HTTPS_RESET_AFTER},
        {.method = "POST", .times = -1, .status = 201, .body = "{\"id\":\"second\"}"},
    };
    struct rig rig;
    struct podsku_pods pods;
    struct podsku_create_result result;
    json_t *body = json_pack("{s:s}", "name", "x");

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_list_pods(rig.client, PODSKU_API_V2, false, &pods, &rig.err), PODSKU_OK);
    podsku_pods_free(&pods);
    EXPECT(&rig, podsku_api_create_pod(rig.client, PODSKU_API_V2, body, &result, &rig.err), PODSKU_OK);
    assert_int_equal(result.answer, PODSKU_CREATE_OPEN);
    assert_int_equal(https_server_count(rig.server, "POST", NULL), 1);
    podsku_create_result_clear(&result);
    json_decref(body);
    rig_stop(&rig);
}

static void throttled_for_how_long(void **state)
{
    static const struct throttle {
        const char *headers;
        int64_t least_ms, most_ms;
    } throttles[] = {
        {"Retry-After: 12\r\n", 12000, 12000},
        {"RateLimit: \"minute\";r=0;t=12, \"hour\";r=0;t=1800\r\n", 1800000, 1800000},
        {"Retry-After: 0\r\n", 500, 5000},
        {"Retry-After: soon\r\n", 500, 5000},
        {"Retry-After: 99999999999\r\n", INT64_C(86400000), INT64_C(86400000)},
        {"Date: Tue, 01 Dec 2026 06:00:00 GMT\r\nRetry-After: Tue, 01 Dec 2026 06:01:00 GMT\r\n", 60000, 60000},
        {"", 500, 5000},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(throttles); i++) {
        const struct https_answer answers[] = {{.status = 429, .headers = throttles[i].headers}};
        struct rig rig;
        struct podsku_create_result result;
        json_t *body = json_object();
        RIG_START(&rig, answers);
        EXPECT(&rig, podsku_api_create_pod(rig.client, PODSKU_API_V2, body, &result, &rig.err), PODSKU_OK);
        assert_int_equal(result.answer, PODSKU_CREATE_THROTTLED);
        if (result.wait_ms < throttles[i].least_ms || result.wait_ms > throttles[i].most_ms)
            fail_msg("%s: %lld ms", throttles[i].headers, (long long)result.wait_ms);
        podsku_create_result_clear(&result);
        json_decref(body);
        rig_stop(&rig);
    }
}

static void validation_errors_are_all_shown(void **state)
{
    static const struct https_answer answers[] = {
        {.status = 422,
         .type = PROBLEM,
         .body = "{\"title\":\"Unprocessable Entity\",\"status\":422,\"detail\":\"Request validation failed.\","
                 "\"errors\":[\"$: additional properties 'gpuTypeIds' not allowed\",\"$: missing property 'name'\","
                 "\"$.x: \\u001b[31mred\\u0007\",17]}"},
    };
    struct rig rig;
    struct podsku_create_result result;
    json_t *body = json_object();

    (void)state;
    RIG_START(&rig, answers);
    enum podsku_code code = podsku_api_create_pod(rig.client, PODSKU_API_V2, body, &result, &rig.err);
    assert_string_equal(rig.err.message,
                        "the service refuses the request (HTTP 422): Request validation failed.: $: missing property "
                        "'name'; $: additional properties 'gpuTypeIds' not allowed; $.x: ?[31mred?");
    EXPECT(&rig, code, PODSKU_REQUEST);
    assert_int_equal(result.error_count, 3);
    assert_string_equal(result.errors[0], "$: missing property 'name'");
    assert_string_equal(result.errors[1], "$: additional properties 'gpuTypeIds' not allowed");
    assert_string_equal(result.errors[2], "$.x: ?[31mred?");
    podsku_create_result_clear(&result);
    json_decref(body);
    rig_stop(&rig);
}

static void what_is_sent_and_made(void **state)
{
    static const struct https_answer answers[] = {
        {.path = "/v2/pods",
         .status = 201,
         .body = "{\"id\":\"p9\",\"status\":\"PROVISIONING\",\"gpu\":{\"id\":\"NVIDIA A100-SXM4-80GB\",\"count\":8},"
                 "\"cost\":12.72,\"cloud\":\"SECURE\"}"},
        {.path = "/v2/clusters",
         .status = 201,
         .body = "{\"id\":\"c9\",\"compute\":{\"gpuTypeId\":\"X\",\"gpuCountPerPod\":8,\"podCount\":2}}"},
        {.path = "/v2/clusters", .status = 201, .body = "{\"cluster\":{\"id\":\"c9\"}}"},
    };
    struct rig rig;
    struct podsku_create_result result;
    json_t *body = json_pack("{s:{s:s,s:i},s:f}", "gpu", "id", "NVIDIA  RTX A4500", "count", 1, "x", 2.49);

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_create_pod(rig.client, PODSKU_API_V2, body, &result, &rig.err), PODSKU_OK);
    assert_int_equal(result.answer, PODSKU_CREATE_MADE);
    assert_string_equal(result.pod.id, "p9");
    assert_int_equal(result.pod.status, PODSKU_POD_PROVISIONING);
    assert_int_equal(result.pod.gpus, 8);
    assert_int_equal(result.pod.cost_uusd, 12720000);
    podsku_create_result_clear(&result);
    podsku_create_result_clear(&result);
    assert_string_equal(https_server_request(rig.server, 0)->body,
                        "{\"gpu\":{\"id\":\"NVIDIA  RTX A4500\",\"count\":1},\"x\":2.49}");
    EXPECT(&rig, podsku_api_create_cluster(rig.client, body, &result, &rig.err), PODSKU_OK);
    assert_int_equal(result.answer, PODSKU_CREATE_MADE);
    assert_string_equal(result.cluster.id, "c9");
    assert_int_equal(result.cluster.pod_count, 2);
    podsku_create_result_clear(&result);
    EXPECT(&rig, podsku_api_create_cluster(rig.client, body, &result, &rig.err), PODSKU_OK);
    assert_int_equal(result.answer, PODSKU_CREATE_OPEN);
    podsku_create_result_clear(&result);
    json_decref(body);
    rig_stop(&rig);
}

static void signals_and_creates(void **state)
{
    static const struct https_answer answers[] = {
        {.delay_ms = 300, .status = 201, .body = "{\"id\":\"p1\"}"},
        {.fault = HTTPS_STALL},
    };
    struct rig rig;
    struct podsku_create_result result;
    json_t *body = json_object();

    (void)state;
    RIG_START(&rig, answers);
    rig.interrupt = true;
    EXPECT(&rig, podsku_api_create_pod(rig.client, PODSKU_API_V2, body, &result, &rig.err), PODSKU_OK);
    assert_int_equal(result.answer, PODSKU_CREATE_MADE);
    podsku_create_result_clear(&result);
    rig.abandon = true;
    EXPECT(&rig, podsku_api_create_pod(rig.client, PODSKU_API_V2, body, &result, &rig.err), PODSKU_OK);
    assert_true(result.answer == PODSKU_CREATE_OPEN || result.answer == PODSKU_CREATE_NOT_SENT);
    podsku_create_result_clear(&result);
    json_decref(body);
    rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),
        cmocka_unit_test(nothing_was_sent),
        cmocka_unit_test(one_create_on_a_dying_connection),
        cmocka_unit_test(throttled_for_how_long),
        cmocka_unit_test(validation_errors_are_all_shown),
        cmocka_unit_test(what_is_sent_and_made),
        cmocka_unit_test(signals_and_creates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
