/* One HTTP transfer and its retries, against a server that fails in every way. */
#include "tests/client/rig.h"

#include <stdlib.h>
#include <string.h>

#define OK_BODY "{\"ok\":true}"

/* Sends one GET below the v2 base; the response is the caller's. */
static enum podsku_code get(struct rig *rig, const char *path, bool retry, struct podsku_response *response)
{
    const struct podsku_request request = {
        .api = PODSKU_API_V2, .method = "GET", .path = path, .retry = retry, .timeout_ms = 20000};

    return podsku_client_send(rig->client, &request, response, &rig->err);
}

static enum podsku_code post(struct rig *rig, const char *path, const char *body, struct podsku_response *response)
{
    const struct podsku_request request = {.api = PODSKU_API_V2, .method = "POST", .path = path, .body = body};

    return podsku_client_send(rig->client, &request, response, &rig->err);
}

static void a_request_and_its_answer(void **state)
{
    static const struct https_answer answers[] = {
        {.headers = "X-Request-Id: req-1\r\nRetry-After: 7\r\nRateLimit: \"minute\";r=1;t=2\r\nratelimit: "
                    "\"hour\";r=3;t=4\r\nDate: Tue, 01 Dec 2026 06:00:00 GMT\r\n",
         .type = "Application/JSON; charset=utf-8",
         .body = OK_BODY},
        {.body = "{}"},
    };
    struct rig rig;
    struct podsku_response response;
    char value[256];

    (void)state;
    RIG_START(&rig, answers);
    assert_int_equal(get(&rig, "/pods?x=%20y", true, &response), PODSKU_OK);
    assert_int_equal(response.status, 200);
    assert_string_equal(podsku_buf_text(&response.body), OK_BODY);
    assert_string_equal(response.content_type, "application/json");
    assert_string_equal(response.request_id, "req-1");
    assert_string_equal(response.retry_after, "7");
    assert_string_equal(response.rate_limit, "\"minute\";r=1;t=2, \"hour\";r=3;t=4");
    assert_string_equal(response.date, "Tue, 01 Dec 2026 06:00:00 GMT");
    assert_string_equal(response.url, "https://api.runpod.io/v2/pods?x=%20y");
    assert_int_equal(response.curl_code, 0);
    assert_true(response.request_sent);
    podsku_response_free(&response);

    const struct https_request *seen = https_server_request(rig.server, 0);
    assert_string_equal(seen->method, "GET");
    assert_string_equal(seen->path, "/v2/pods?x=%20y");
    assert_true(https_request_header(seen, "user-agent", value, sizeof value));
    assert_string_equal(value, "podsku/" PODSKU_VERSION " (+https://github.com/podsku/podsku)");
    assert_true(https_request_header(seen, "authorization", value, sizeof value));
    assert_string_equal(value, "Bearer " RIG_KEY);
    assert_true(https_request_header(seen, "host", value, sizeof value));
    assert_string_equal(value, "api.runpod.io");
    assert_true(https_request_header(seen, "accept-encoding", value, sizeof value));
    assert_string_equal(value, "gzip");
    assert_false(https_request_header(seen, "content-type", value, sizeof value));

    /* A body larger than what makes libcurl ask for "100-continue" is sent at once; the connection is kept. */
    static char body[1200000];
    memset(body, ' ', sizeof body - 1);
    body[0] = '{';
    body[sizeof body - 2] = '}';
    assert_int_equal(post(&rig, "/pods", body, &response), PODSKU_OK);
    podsku_response_free(&response);
    seen = https_server_request(rig.server, 1);
    assert_string_equal(seen->body, body);
    assert_false(https_request_header(seen, "expect", value, sizeof value));
    assert_true(https_request_header(seen, "content-type", value, sizeof value));
    assert_string_equal(value, "application/json");
    assert_int_equal(https_server_connections(rig.server), 1);
    CONTAINS(podsku_buf_text(&rig.traced), "GET https://api.runpod.io/v2/pods?x=%20y 200 ");
    CONTAINS(podsku_buf_text(&rig.traced), "POST https://api.runpod.io/v2/pods 200 ");
    assert_null(strstr(podsku_buf_text(&rig.traced), RIG_KEY));
    rig_stop(&rig);
}

static void interim_answers_are_not_the_answer(void **state)
{
    static const struct https_answer answers[] = {{.fault = HTTPS_CONTINUE, .body = OK_BODY}};
    struct rig rig;
    struct podsku_response response;

    (void)state;
    RIG_START(&rig, answers);
    assert_int_equal(get(&rig, "/x", false, &response), PODSKU_OK);
    assert_int_equal(response.status, 200);
    assert_string_equal(response.request_id, "");
    assert_string_equal(response.retry_after, "");
    assert_string_equal(podsku_buf_text(&response.body), OK_BODY);
    podsku_response_free(&response);
    rig_stop(&rig);
}

/* What a read survives, each followed by a good answer. */
static void reads_are_tried_again(void **state)
{
    static const struct https_answer faults[] = {
        {.status = 500, .body = "{}"},
        {.status = 502, .type = "text/html", .body = "<html>"},
        {.status = 503, .headers = "Retry-After: 3\r\n"},
        {.status = 408},
        {.status = 429, .headers = "RateLimit: \"minute\";r=0;t=12\r\n"},
        {.fault = HTTPS_RESET_BEFORE},
        {.fault = HTTPS_RESET_AFTER},
        {.fault = HTTPS_CLOSE_AFTER},
        {.fault = HTTPS_TRUNCATE, .body = OK_BODY},
        {.fault = HTTPS_CHUNKED_CUT, .body = OK_BODY},
        {.fault = HTTPS_STALL},
        {.fault = HTTPS_STALL_BODY, .body = OK_BODY},
    };
    static const struct podsku_client_config config = {.stall_s = 1};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        const struct https_answer answers[] = {faults[i], {.body = OK_BODY}};
        struct rig rig;
        struct podsku_response response;
        rig_start_with(&rig, NULL, &config);
        https_server_script(rig.server, answers, 2);
        enum podsku_code code = get(&rig, "/x", true, &response);
        if (code != PODSKU_OK || response.status != 200 || strcmp(podsku_buf_text(&response.body), OK_BODY) != 0)
            fail_msg("fault %zu: %s (%d)", i, rig.err.message, response.status);
        if (rig.slept_ms < 250)
            fail_msg("fault %zu: tried again after %lld ms", i, (long long)rig.slept_ms);
        if (faults[i].status == 503)
            assert_true(rig.slept_ms >= 3000 && rig.slept_ms < 3200);
        if (faults[i].status == 429)
            assert_true(rig.slept_ms >= 12000 && rig.slept_ms < 12200);
        CONTAINS(podsku_buf_text(&rig.traced), "trying again in");
        podsku_response_free(&response);
        rig_stop(&rig);
    }
}

static void until_the_budget_is_spent(void **state)
{
    static const struct https_answer answers[] = {
        {.times = -1,
         .path = "/v2/500",
         .status = 500,
         .headers = "x-request-id: r5\r\n",
         .body = "{\"detail\":\"oops\"}"},
        {.times = -1, .path = "/v2/429", .status = 429, .headers = "RateLimit: \"m\";r=0;t=12, \"h\";r=0;t=1800\r\n"},
        {.times = -1, .path = "/v2/404", .status = 404},
    };
    struct rig rig;
    struct podsku_response response;

    (void)state;
    RIG_START(&rig, answers);
    assert_int_equal(get(&rig, "/500", true, &response), PODSKU_OK);
    assert_int_equal(response.status, 500);
    assert_string_equal(response.request_id, "r5");
    podsku_response_free(&response);
    assert_true(rig.slept_ms > 30000 && rig.slept_ms <= 60000);
    size_t tries = https_server_requests(rig.server);
    assert_true(tries >= 6 && tries <= 12);
    rig.slept_ms = 0;
    assert_int_equal(get(&rig, "/429", true, &response), PODSKU_OK); /* half an hour is beyond it */
    assert_int_equal(response.status, 429);
    podsku_response_free(&response);
    assert_int_equal(https_server_count(rig.server, NULL, "/v2/429"), 1);
    assert_int_equal(get(&rig, "/404", true, &response), PODSKU_OK);
    assert_int_equal(https_server_count(rig.server, NULL, "/v2/404"), 1);
    podsku_response_free(&response);
    assert_int_equal(rig.slept_ms, 0);
    rig_stop(&rig);
}

/* Answers that are no answers, each with its code; nothing is tried again. */
static void unreadable_answers(void **state)
{
    static const struct row {
        struct https_answer answer;
        enum podsku_code code;
        const char *message;
    } rows[] = {
        {{.fault = HTTPS_OVERSIZE, .body = "{}", .size = (size_t)17 << 20}, PODSKU_ANSWER, "larger than 16 MiB"},
        {{.fault = HTTPS_GZIP, .body = "{}", .size = (size_t)17 << 20}, PODSKU_ANSWER, "larger than 16 MiB"},
        {{.fault = HTTPS_GZIP_BROKEN, .body = "{\"no\":\"gzip\"}"}, PODSKU_ANSWER, "cannot be read"},
        {{.fault = HTTPS_GARBAGE, .body = "SSH-2.0-OpenSSH_9.2\r\n\r\n"}, PODSKU_ANSWER, "cannot be read"},
        {{.fault = HTTPS_HEADERS}, PODSKU_ANSWER, "headers are larger"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rig rig;
        struct podsku_response response;
        rig_start(&rig, NULL, &rows[i].answer, 1);
        enum podsku_code code = get(&rig, "/x", true, &response);
        CONTAINS(rig.err.message, rows[i].message);
        CONTAINS(rig.err.where, "https://api.runpod.io/v2/x");
        assert_true(response.request_sent);
        assert_int_not_equal(response.curl_code, 0);
        EXPECT(&rig, code, rows[i].code);
        assert_int_equal(https_server_requests(rig.server), 1);
        podsku_response_free(&response);
        rig_stop(&rig);
    }
}

static void encodings(void **state)
{
    static const struct https_answer answers[] = {
        {.fault = HTTPS_GZIP, .body = OK_BODY},
        {.fault = HTTPS_GZIP, .body = OK_BODY, .size = (size_t)1 << 20},
        {.fault = HTTPS_CHUNKED, .body = OK_BODY},
        {.fault = HTTPS_STREAM, .body = OK_BODY},
        {.fault = HTTPS_OVERSIZE, .body = OK_BODY, .size = ((size_t)16 << 20) - sizeof OK_BODY + 1},
    };
    struct rig rig;

    (void)state;
    RIG_START(&rig, answers);
    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        struct podsku_response response;
        assert_int_equal(get(&rig, "/x", false, &response), PODSKU_OK);
        assert_int_equal(response.body.len, sizeof OK_BODY - 1 + answers[i].size);
        assert_memory_equal(response.body.data, OK_BODY, sizeof OK_BODY - 1);
        podsku_response_free(&response);
    }
    rig_stop(&rig);
}

static void what_is_slow_ends(void **state)
{
    static const struct https_answer answers[] = {
        {.path = "/v2/stall", .fault = HTTPS_STALL},
        {.path = "/v2/half", .fault = HTTPS_STALL_BODY, .body = OK_BODY},
        {.path = "/v2/drip", .fault = HTTPS_DRIP, .delay_ms = 100, .body = OK_BODY OK_BODY OK_BODY OK_BODY},
        {.path = "/v2/drop", .fault = HTTPS_DRIP, .delay_ms = 20, .body = OK_BODY},
    };
    static const struct podsku_client_config config = {.stall_s = 1};
    const struct podsku_request drip = {.api = PODSKU_API_V2, .method = "GET", .path = "/drip", .timeout_ms = 600};
    struct rig rig;
    struct podsku_response response;

    (void)state;
    rig_start_with(&rig, NULL, &config);
    https_server_script(rig.server, answers, COUNT_OF(answers));
    EXPECT(&rig, get(&rig, "/stall", false, &response), PODSKU_NETWORK);
    assert_true(response.request_sent);
    assert_int_equal(response.status, 0);
    podsku_response_free(&response);
    EXPECT(&rig, get(&rig, "/half", false, &response), PODSKU_NETWORK);
    assert_true(response.request_sent);
    podsku_response_free(&response);
    EXPECT(&rig, podsku_client_send(rig.client, &drip, &response, &rig.err), PODSKU_NETWORK);
    podsku_response_free(&response);
    assert_int_equal(get(&rig, "/drop", false, &response), PODSKU_OK); /* slow, but it comes */
    assert_string_equal(podsku_buf_text(&response.body), OK_BODY);
    podsku_response_free(&response);
    rig_stop(&rig);
}

static void nobody_is_there(void **state)
{
    struct rig rig;
    struct podsku_response response;

    (void)state;
    rig_start_with(&rig, NULL, &(struct podsku_client_config){.connect_to = "api.runpod.io:443:127.0.0.1:1"});
    enum podsku_code code = get(&rig, "/x", true, &response);
    CONTAINS(rig.err.message, "cannot be reached");
    CONTAINS(rig.err.hint, "HTTPS_PROXY");
    EXPECT(&rig, code, PODSKU_NETWORK);
    assert_false(response.request_sent);
    assert_true(rig.slept_ms > 2000 && rig.slept_ms <= 15000); /* a quarter of the budget */
    podsku_response_free(&response);
    rig_stop(&rig);

    rig_start(&rig, &(struct https_options){.reset_handshake = true}, NULL, 0);
    code = get(&rig, "/x", false, &response);
    EXPECT(&rig, code, PODSKU_NETWORK);
    assert_false(response.request_sent);
    podsku_response_free(&response);
    rig_stop(&rig);
}

static void an_interruption_ends_reads(void **state)
{
    static const struct https_answer answers[] = {
        {.path = "/v2/stall", .times = -1, .fault = HTTPS_STALL},
        {.path = "/v2/500", .times = -1, .status = 500},
        {.path = "/v2/late", .times = -1, .delay_ms = 300, .body = OK_BODY},
    };
    struct rig rig;
    struct podsku_response response;

    (void)state;
    RIG_START(&rig, answers);
    rig.interrupt_at = 1;
    EXPECT(&rig, get(&rig, "/stall", true, &response), PODSKU_INTERRUPTED);
    podsku_response_free(&response);
    assert_int_equal(https_server_count(rig.server, NULL, "/v2/stall"), 1);

    /* in a wait between two tries */
    rig.interrupt_at = 2;
    EXPECT(&rig, get(&rig, "/500", true, &response), PODSKU_INTERRUPTED);
    podsku_response_free(&response);
    assert_int_equal(https_server_count(rig.server, NULL, "/v2/500"), 1);
    assert_true(rig.slept_ms < 250);

    /* the shield keeps it off, and nests */
    podsku_client_shield(rig.client, true);
    podsku_client_shield(rig.client, true);
    podsku_client_shield(rig.client, false);
    assert_int_equal(get(&rig, "/late", true, &response), PODSKU_OK);
    podsku_response_free(&response);
    podsku_client_shield(rig.client, false);
    EXPECT(&rig, get(&rig, "/late", true, &response), PODSKU_INTERRUPTED);
    podsku_response_free(&response);
    rig_stop(&rig);
}

static void an_interruption_does_not_end_writes(void **state)
{
    static const struct https_answer answers[] = {
        {.method = "POST", .delay_ms = 300, .body = OK_BODY},
        {.method = "DELETE", .status = 500},
        {.method = "DELETE", .delay_ms = 300, .status = 204},
        {.method = "POST", .fault = HTTPS_STALL},
    };
    const struct podsku_request deletion = {.api = PODSKU_API_V2, .method = "DELETE", .path = "/pods/x", .retry = true};
    struct rig rig;
    struct podsku_response response;

    (void)state;
    RIG_START(&rig, answers);
    rig.interrupt = true;
    assert_int_equal(post(&rig, "/pods", "{}", &response), PODSKU_OK);
    podsku_response_free(&response);
    assert_int_equal(podsku_client_send(rig.client, &deletion, &response, &rig.err), PODSKU_OK);
    assert_int_equal(response.status, 204);
    podsku_response_free(&response);
    /* the second signal does */
    rig.abandon = true;
    EXPECT(&rig, post(&rig, "/pods", "{}", &response), PODSKU_INTERRUPTED);
    podsku_response_free(&response);
    rig_stop(&rig);
}

/* libcurl resends what a dying reused connection swallowed; for a read that is welcome, see the next test. */
static void libcurl_resends_reads(void **state)
{
    static const struct https_answer answers[] = {
        {.path = "/v2/first", .body = OK_BODY},
        {.path = "/v2/second", .on_connection = 2, .fault = HTTPS_RESET_AFTER},
        {.path = "/v2/second", .body = OK_BODY},
    };
    struct rig rig;
    struct podsku_response response;

    (void)state;
    RIG_START(&rig, answers);
    assert_int_equal(get(&rig, "/first", false, &response), PODSKU_OK);
    podsku_response_free(&response);
    assert_int_equal(get(&rig, "/second", false, &response), PODSKU_OK);
    podsku_response_free(&response);
    assert_int_equal(https_server_count(rig.server, "GET", "/v2/second"), 2);
    rig_stop(&rig);
}

/* A GET, then a POST on the kept connection, which the server ends after it has acted. */
static void a_write_is_never_sent_twice(void **state)
{
    static const enum https_fault faults[] = {HTTPS_RESET_AFTER, HTTPS_CLOSE_AFTER, HTTPS_TRUNCATE, HTTPS_RESET_BEFORE};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        const struct https_answer answers[] = {
            {.method = "GET", .body = OK_BODY},
            {.method = "POST", .on_connection = 2, .fault = faults[i], .body = OK_BODY},
            {.times = -1, .method = "POST", .body = OK_BODY},
        };
        struct rig rig;
        struct podsku_response response;
        RIG_START(&rig, answers);
        assert_int_equal(get(&rig, "/pods", false, &response), PODSKU_OK);
        podsku_response_free(&response);
        enum podsku_code code = post(&rig, "/pods", "{}", &response);
        CONTAINS(rig.err.message, "after the request was sent");
        EXPECT(&rig, code, PODSKU_NETWORK);
        assert_true(response.request_sent);
        assert_int_not_equal(response.curl_code, 0);
        assert_int_equal(https_server_count(rig.server, "POST", NULL), faults[i] == HTTPS_RESET_BEFORE ? 0 : 1);
        podsku_response_free(&response);
        /* the client goes on being usable */
        assert_int_equal(post(&rig, "/pods", "{}", &response), PODSKU_OK);
        podsku_response_free(&response);
        rig_stop(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_and_its_answer),   cmocka_unit_test(interim_answers_are_not_the_answer),
        cmocka_unit_test(reads_are_tried_again),      cmocka_unit_test(until_the_budget_is_spent),
        cmocka_unit_test(unreadable_answers),         cmocka_unit_test(encodings),
        cmocka_unit_test(what_is_slow_ends),          cmocka_unit_test(nobody_is_there),
        cmocka_unit_test(an_interruption_ends_reads), cmocka_unit_test(an_interruption_does_not_end_writes),
        cmocka_unit_test(libcurl_resends_reads),      cmocka_unit_test(a_write_is_never_sent_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
