/* When to try again: the pure function, row by row. */
#include "tests/support/test.h"

#include <stdio.h>

#include "client/curl.h"
#include "client/retry.h"

#define NOW INT64_C(1796104800000) /* Tue, 01 Dec 2026 06:00:00 GMT */

static const struct throttle_row {
    const char *retry_after, *rate_limit, *date;
    int64_t ms;
} throttles[] = {
    /* Retry-After in seconds */
    {"12", NULL, NULL, 12000},
    {"  12  ", NULL, NULL, 12000},
    {"1.5", NULL, NULL, 1500},
    {"0", NULL, NULL, 0},
    {"-5", NULL, NULL, 0},
    {"+5", NULL, NULL, 0},
    {"5s", NULL, NULL, 0},
    {"", "", "", 0},
    {NULL, NULL, NULL, 0},
    {"99999999999999999999999999", NULL, NULL, PODSKU_THROTTLE_MAX_MS},
    {"86401", NULL, NULL, PODSKU_THROTTLE_MAX_MS},
    {"0.0001", NULL, NULL, 1},
    {"1e9", NULL, NULL, 0},
    {"nan", NULL, NULL, 0},
    {"12, 15", NULL, NULL, 0},
    /* Retry-After as a date, by our clock or by the service's */
    {"Tue, 01 Dec 2026 06:00:30 GMT", NULL, NULL, 30000},
    {"Tue, 01 Dec 2026 05:59:59 GMT", NULL, NULL, 0},
    {"Tue, 01 Dec 2026 06:00:00 GMT", NULL, NULL, 0},
    {"Tue, 01 Dec 2026 08:00:30 GMT", NULL, "Tue, 01 Dec 2026 08:00:00 GMT", 30000},
    {"Tue, 01 Dec 2026 06:00:30 GMT", NULL, "yesterday", 30000},
    {"Tuesday, 01-Dec-26 06:00:30 GMT", NULL, NULL, 30000},
    {"Tue Dec  1 06:00:30 2026", NULL, NULL, 30000},
    {"Tue, 31 Feb 2026 06:00:30 GMT", NULL, NULL, 0},
    {"Fri, 01 Dec 2099 06:00:30 GMT", NULL, NULL, PODSKU_THROTTLE_MAX_MS},
    /* RateLimit: the longest exhausted window */
    {NULL, "\"minute\";r=0;t=12, \"hour\";r=0;t=1800", NULL, 1800000},
    {NULL, "\"minute\";r=0;t=12, \"hour\";r=57;t=1800", NULL, 12000},
    {NULL, "\"minute\";r=3;t=12", NULL, 0},
    {NULL, "\"minute\";r=0;t=0", NULL, 0},
    {NULL, "\"minute\";r=0", NULL, 0},
    {NULL, "\"minute\";t=12", NULL, 0},
    {NULL, "\"minute\";t=12;r=0", NULL, 12000},
    {NULL, "\"minute\" ; r = 0 ; t = 12", NULL, 0},
    {NULL, "\"minute\"; r=0; t=12 ,\"hour\"; r=0; t=7", NULL, 12000},
    {NULL, "\"a,b;r=0;t=99\";r=1;t=12", NULL, 0},
    {NULL, "\"a\\\"b\";r=0;t=12", NULL, 12000},
    {NULL, "\"open;r=0;t=12", NULL, 0},
    {NULL, "minute;r=0;t=12", NULL, 12000},
    {NULL, "\"minute\";q=100;r=0;w=60;t=12;pk=:abc:", NULL, 12000},
    {NULL, "\"minute\";r=0;t=999999999999", NULL, PODSKU_THROTTLE_MAX_MS},
    {NULL, ",,;;,r=0;t=5", NULL, 0},
    {NULL, "\"m\";r=-1;t=12", NULL, 0},
    /* both: Retry-After when it is usable */
    {"5", "\"hour\";r=0;t=1800", NULL, 5000},
    {"0", "\"hour\";r=0;t=1800", NULL, 1800000},
    {"soon", "\"hour\";r=0;t=1800", NULL, 1800000},
};

static void headers_say_how_long(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(throttles); i++) {
        const struct throttle_row *row = &throttles[i];
        int64_t ms = podsku_retry_throttle_ms(row->retry_after, row->rate_limit, row->date, NOW);
        if (ms != row->ms)
            fail_msg("row %zu (%s | %s): %lld ms, expected %lld", i, row->retry_after ? row->retry_after : "-",
                     row->rate_limit ? row->rate_limit : "-", (long long)ms, (long long)row->ms);
    }
}

static const struct decide_row {
    struct podsku_retry_input input;
    bool again;
    int64_t wait_ms; /* -1: any */
} decisions[] = {
    /* statuses */
    {{.status = 200, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.status = 400, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.status = 401, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.status = 404, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.status = 410, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.status = 301, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.status = 408, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.status = 429, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.status = 500, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.status = 503, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.status = 599, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.status = 600, .attempt = 1, .budget_ms = 60000}, false, 0},
    /* connections */
    {{.curl_code = CURLE_COULDNT_CONNECT, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.curl_code = CURLE_COULDNT_RESOLVE_HOST, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.curl_code = CURLE_OPERATION_TIMEDOUT, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.curl_code = CURLE_PARTIAL_FILE, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.curl_code = CURLE_GOT_NOTHING, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.curl_code = CURLE_SEND_ERROR, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.curl_code = CURLE_RECV_ERROR, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.curl_code = CURLE_HTTP2_STREAM, .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.curl_code = CURLE_PEER_FAILED_VERIFICATION, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.curl_code = CURLE_SSL_CONNECT_ERROR, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.curl_code = CURLE_FILESIZE_EXCEEDED, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.curl_code = CURLE_BAD_CONTENT_ENCODING, .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.curl_code = CURLE_ABORTED_BY_CALLBACK, .attempt = 1, .budget_ms = 60000}, false, 0},
    /* a status of an answer that was cut does not count */
    {{.status = 200, .curl_code = CURLE_PARTIAL_FILE, .attempt = 1, .budget_ms = 60000}, true, 250},
    /* backoff and jitter */
    {{.status = 500, .attempt = 1, .budget_ms = 60000, .random = 0.5}, true, 375},
    {{.status = 500, .attempt = 2, .budget_ms = 60000}, true, 500},
    {{.status = 500, .attempt = 3, .budget_ms = 60000}, true, 1000},
    {{.status = 500, .attempt = 99, .budget_ms = 60000}, true, 10000},
    {{.status = 500, .attempt = 2000000000, .budget_ms = 60000, .random = 0.999}, true, 19990},
    {{.status = 500, .attempt = 1, .budget_ms = 60000, .random = 7}, true, 375},
    {{.status = 500, .attempt = 0, .budget_ms = 60000}, true, 250},
    /* headers */
    {{.status = 429, .retry_after = "12", .attempt = 1, .budget_ms = 60000}, true, 12000},
    {{.status = 503, .retry_after = "12", .attempt = 1, .budget_ms = 60000}, true, 12000},
    {{.status = 429, .retry_after = "0", .attempt = 1, .budget_ms = 60000}, true, 250},
    {{.status = 429, .rate_limit = "\"minute\";r=0;t=12, \"hour\";r=0;t=30", .attempt = 1, .budget_ms = 60000},
     true,
     30000},
    /* budget */
    {{.status = 429, .retry_after = "60", .attempt = 1, .budget_ms = 60000}, true, 60000},
    {{.status = 429, .retry_after = "60", .attempt = 1, .budget_ms = 60000, .spent_ms = 1}, false, 0},
    {{.status = 429, .retry_after = "61", .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.status = 429, .retry_after = "99999999999", .attempt = 1, .budget_ms = 60000}, false, 0},
    {{.status = 500, .attempt = 1, .budget_ms = 60000, .spent_ms = 59750}, true, 250},
    {{.status = 500, .attempt = 1, .budget_ms = 60000, .spent_ms = 59751}, false, 0},
    {{.status = 500, .attempt = 1, .budget_ms = 60000, .spent_ms = INT64_MAX}, false, 0},
    {{.status = 500, .attempt = 1, .budget_ms = 0}, false, 0},
    {{.curl_code = CURLE_COULDNT_CONNECT, .attempt = 1, .budget_ms = 60000, .spent_ms = 14000}, true, 250},
    {{.curl_code = CURLE_COULDNT_CONNECT, .attempt = 1, .budget_ms = 60000, .spent_ms = 14900}, false, 0},
    {{.curl_code = CURLE_RECV_ERROR, .attempt = 1, .budget_ms = 60000, .spent_ms = 14900}, true, 250},
};

static void decides(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(decisions); i++) {
        struct podsku_retry_input input = decisions[i].input;
        input.now_ms = NOW;
        struct podsku_retry got = podsku_retry_decide(&input);
        if (got.again != decisions[i].again || got.wait_ms != decisions[i].wait_ms)
            fail_msg("row %zu (status %d, curl %d): %s after %lld ms", i, input.status, input.curl_code,
                     got.again ? "again" : "stop", (long long)got.wait_ms);
    }
}

static void backoff_stays_in_its_range(void **state)
{
    (void)state;
    for (int attempt = 1; attempt < 12; attempt++)
        for (int i = 0; i < 100; i++) {
            int64_t most = PODSKU_BACKOFF_FIRST_MS << (attempt - 1);
            if (most > PODSKU_BACKOFF_MAX_MS)
                most = PODSKU_BACKOFF_MAX_MS;
            int64_t ms = podsku_retry_backoff_ms(attempt, i / 100.0);
            assert_true(ms >= most / 2 && ms <= most);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_say_how_long),
        cmocka_unit_test(decides),
        cmocka_unit_test(backoff_stays_in_its_range),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
