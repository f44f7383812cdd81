/* Whole lists: paged, or refused. */
#include "tests/client/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/list.h"

static const struct next_row {
    const char *page;
    const char *sent; /* the cursor that asked for it */
    size_t seen;
    bool link;
    enum podsku_more more;
    const char *parameter, *cursor; /* or the sign */
} rows[] = {
    {"{\"pods\":[]}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"[]", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"[]", NULL, 0, true, PODSKU_MORE_UNREADABLE, NULL, "Link header"},
    {"{\"pods\":[]}", NULL, 0, true, PODSKU_MORE_UNREADABLE, NULL, "Link header"},
    {"{\"nextCursor\":\"a\"}", NULL, 0, false, PODSKU_MORE_CURSOR, "cursor", "a"},
    {"{\"nextCursor\":\"a\"}", NULL, 0, true, PODSKU_MORE_CURSOR, "cursor", "a"},
    {"{\"nextCursor\":null}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"nextCursor\":\"\"}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"nextCursor\":17}", NULL, 0, false, PODSKU_MORE_CURSOR, "cursor", "17"},
    {"{\"nextCursor\":true}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "nextCursor"},
    {"{\"nextCursor\":{\"k\":1}}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "nextCursor"},
    {"{\"nextCursor\":[1]}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "nextCursor"},
    {"{\"next_cursor\":\"b\"}", NULL, 0, false, PODSKU_MORE_CURSOR, "cursor", "b"},
    {"{\"cursor\":\"c\"}", NULL, 0, false, PODSKU_MORE_CURSOR, "cursor", "c"},
    {"{\"cursor\":null}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"cursor\":\"c\",\"nextCursor\":null}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"cursor\":\"c\",\"hasMore\":false}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"cursor\":\"c\",\"hasMore\":true}", NULL, 0, false, PODSKU_MORE_CURSOR, "cursor", "c"},
    {"{\"pagination\":{\"nextCursor\":\"d\"}}", NULL, 0, false, PODSKU_MORE_CURSOR, "cursor", "d"},
    {"{\"pagination\":{\"cursor\":\"e\"}}", NULL, 0, false, PODSKU_MORE_CURSOR, "cursor", "e"},
    {"{\"pagination\":{\"nextCursor\":null,\"hasMore\":false}}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"pagination\":null}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"pageInfo\":{\"hasNextPage\":true,\"endCursor\":\"f\"}}", NULL, 0, false, PODSKU_MORE_CURSOR, "cursor", "f"},
    {"{\"pageInfo\":{\"hasNextPage\":false,\"endCursor\":\"f\"}}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"meta\":{\"nextPageToken\":\"g\"}}", NULL, 0, false, PODSKU_MORE_CURSOR, "pageToken", "g"},
    {"{\"next_page_token\":\"h\"}", NULL, 0, false, PODSKU_MORE_CURSOR, "page_token", "h"},
    {"{\"hasMore\":true}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "hasMore"},
    {"{\"has_more\":true,\"nextCursor\":null}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "has_more"},
    {"{\"hasMore\":\"yes\"}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "hasMore"},
    {"{\"hasMore\":false}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"truncated\":true}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "truncated"},
    {"{\"next\":\"https://evil.example/\"}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "next"},
    {"{\"next\":\"https://x/\",\"nextCursor\":\"a\"}", NULL, 0, false, PODSKU_MORE_CURSOR, "cursor", "a"},
    {"{\"next\":null}", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"nextPage\":2}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "nextPage"},
    {"{\"links\":{\"next\":\"/v2/pods?page=2\"}}", NULL, 0, false, PODSKU_MORE_UNREADABLE, NULL, "links.next"},
    {"{\"pagination\":{\"total\":3}}", NULL, 2, false, PODSKU_MORE_UNREADABLE, NULL, "total"},
    {"{\"pagination\":{\"total\":3}}", NULL, 3, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"pagination\":{\"total\":3,\"nextCursor\":\"x\"}}", NULL, 2, false, PODSKU_MORE_CURSOR, "cursor", "x"},
    {"{\"totalCount\":3}", NULL, 2, false, PODSKU_MORE_UNREADABLE, NULL, "totalCount"},
    {"{\"totalPages\":2}", NULL, 2, false, PODSKU_MORE_UNREADABLE, NULL, "totalPages"},
    {"{\"totalPages\":2}", "a", 2, false, PODSKU_MORE_NO, NULL, NULL},
    {"{\"totalPages\":1}", NULL, 2, false, PODSKU_MORE_NO, NULL, NULL},
    {"null", NULL, 0, false, PODSKU_MORE_NO, NULL, NULL},
};

static void how_an_answer_says_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        json_t *page = json_loads(rows[i].page, JSON_DECODE_ANY, NULL);
        struct podsku_next next;
        assert_non_null(page);
        podsku_list_next(page, rows[i].sent, rows[i].seen, rows[i].link, &next);
        bool good = next.more == rows[i].more;
        if (good && next.more == PODSKU_MORE_CURSOR)
            good = strcmp(next.cursor, rows[i].cursor) == 0 && strcmp(next.parameter, rows[i].parameter) == 0;
        if (good && next.more == PODSKU_MORE_UNREADABLE)
            good = strcmp(next.sign, rows[i].cursor) == 0;
        if (!good)
            fail_msg("row %zu, %s: %d (%s)", i, rows[i].page, (int)next.more, next.sign ? next.sign : next.cursor);
        json_decref(page);
    }
    /* a cursor that is too long to be one */
    char longest[1300];
    memset(longest, 'x', sizeof longest);
    (void)snprintf(longest, sizeof longest, "{\"nextCursor\":\"%s", "");
    longest[strlen(longest)] = 'x';
    memcpy(longest + sizeof longest - 3, "\"}", 3);
    json_t *page = json_loads(longest, 0, NULL);
    struct podsku_next next;
    assert_non_null(page);
    podsku_list_next(page, NULL, 0, false, &next);
    assert_int_equal(next.more, PODSKU_MORE_UNREADABLE);
    json_decref(page);
}

static void pages_are_followed(void **state)
{
    static const struct https_answer answers[] = {
        {.path = "/v2/pods?includeClusterPods=true",
         .body = "{\"pods\":[{\"id\":\"a\"},{\"id\":\"b\"}],\"nextCursor\":\"p 2/\"}"},
        {.path = "/v2/pods?includeClusterPods=true&cursor=p%202%2F", .status = 503}, /* each page is a read */
        {.path = "/v2/pods?includeClusterPods=true&cursor=p%202%2F",
         .body = "{\"pods\":[{\"id\":\"b\"},{\"id\":\"c\"}],\"nextCursor\":\"p3\"}"},
        {.path = "/v2/pods?includeClusterPods=true&cursor=p3", .body = "{\"pods\":[],\"nextCursor\":\"p4\"}"},
        {.path = "/v2/pods?includeClusterPods=true&cursor=p4",
         .body = "{\"pods\":[{\"id\":\"d\"}],\"nextCursor\":null,\"pagination\":{\"total\":4}}"},
    };
    struct rig rig;
    struct podsku_pods pods;

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_list_pods(rig.client, PODSKU_API_V2, true, &pods, &rig.err), PODSKU_OK);
    assert_int_equal(pods.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pods.list[i].id[0], "abcd"[i]);
    podsku_pods_free(&pods);
    assert_int_equal(https_server_requests(rig.server), 5);
    assert_int_equal(https_server_connections(rig.server), 1);
    rig_stop(&rig);
}

/* Lists that are never given out short. */
static void lists_that_cannot_be_read(void **state)
{
    static const struct row {
        struct https_answer first, then;
        const char *message;
    } bad[] = {
        {{.body = "{\"pods\":[{\"id\":\"a\"}],\"nextCursor\":\"x\"}", .headers = "x-request-id: q\r\n"},
         {.times = -1, .body = "{\"pods\":[{\"id\":\"b\"}],\"nextCursor\":\"x\"}", .headers = "x-request-id: q\r\n"},
         "circle"},
        {{.body = "{\"pods\":[{\"id\":\"a\"}],\"hasMore\":true}", .headers = "x-request-id: q\r\n"},
         {.status = 404},
         "hasMore"},
        {{.body = "{\"pods\":[{\"id\":\"a\"}]}",
          .headers = "Link: </v2/pods?page=2>; rel=\"next\"\r\nx-request-id: q\r\n"},
         {.status = 404},
         "Link header"},
        {{.body = "{\"pods\":[{\"id\":\"a\"}],\"nextCursor\":\"x\"}"},
         {.times = -1, .body = "{\"error\":\"no\"}", .headers = "x-request-id: q\r\n"},
         "no list"},
        {{.body = "{\"pods\":{\"a\":1}}", .headers = "x-request-id: q\r\n"}, {.status = 404}, "no list"},
        {{.body = "[{\"id\":\"a\"}]", .headers = "x-request-id: q\r\n"}, {.status = 404}, "no list"},
        {{.body = "null", .headers = "x-request-id: q\r\n"}, {.status = 404}, "no list"},
        {{.body = "", .headers = "x-request-id: q\r\n"}, {.status = 404}, "empty"},
        {{.status = 204, .headers = "x-request-id: q\r\n"}, {.status = 404}, "empty"},
        {{.body = "<html>hello</html>", .type = "text/html", .headers = "x-request-id: q\r\n"},
         {.status = 404},
         "not valid JSON"},
        {{.body = "{\"pods\":[],\"pods\":[]}", .headers = "x-request-id: q\r\n"}, {.status = 404}, "not valid JSON"},
        {{.body = "{\"pods\":[]}x", .headers = "x-request-id: q\r\n"}, {.status = 404}, "not valid JSON"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        const struct https_answer answers[] = {bad[i].first, bad[i].then};
        struct rig rig;
        struct podsku_pods pods;
        RIG_START(&rig, answers);
        enum podsku_code code = podsku_api_list_pods(rig.client, PODSKU_API_V2, false, &pods, &rig.err);
        CONTAINS(rig.err.message, bad[i].message);
        CONTAINS(rig.err.where, "https://api.runpod.io/v2/pods");
        assert_string_equal(rig.err.request_id, "q");
        assert_int_not_equal(rig.err.http_status, 0);
        EXPECT(&rig, code, PODSKU_ANSWER);
        assert_true(https_server_requests(rig.server) <= 2);
        assert_int_equal(pods.count, 0);
        assert_null(pods.list);
        rig_stop(&rig);
    }
}

/* ------------------------------------------------------------------ lists without an end */

/* A service whose lists never end. Every page has a cursor of its own. */
struct endless {
    bool fresh;       /* every page has an element of its own; else all have the same one */
    bool empty;       /* pages have none after the first */
    const char *list; /* its name in the answer */
    int throttled;    /* every page is first refused, with a wait of so many seconds */
    int delay_ms;
    int pages, requests;
};

static void answer_endless(void *ctx, const struct https_request *request, struct https_answer *answer, char **owned)
{
    struct endless *endless = ctx;
    char text[160], wait[40], element[40] = "";

    (void)request;
    if (endless->throttled && endless->requests++ % 2 == 0) {
        (void)snprintf(wait, sizeof wait, "Retry-After: %d\r\n", endless->throttled);
        *owned = strdup(wait);
        answer->status = 503;
        answer->headers = *owned;
        return;
    }
    endless->pages++;
    if (!endless->empty || endless->pages == 1)
        (void)snprintf(element, sizeof element, "{\"id\":\"pod%d\"}", endless->fresh ? endless->pages : 0);
    (void)snprintf(text, sizeof text, "{\"%s\":[%s],\"nextCursor\":\"c%d\"}", endless->list, element, endless->pages);
    answer->delay_ms = endless->delay_ms;
    answer->body = *owned = strdup(text);
}

static void start_endless(struct rig *rig, struct endless *endless)
{
    rig_start_with(rig, NULL, NULL);
    if (!endless->list)
        endless->list = "pods";
    https_server_handler(rig->server, answer_endless, endless);
}

static enum podsku_code read_pods(struct rig *rig)
{
    struct podsku_pods pods;
    enum podsku_code code = podsku_api_list_pods(rig->client, PODSKU_API_V2, true, &pods, &rig->err);

    assert_int_equal(pods.count, 0); /* never short */
    assert_null(pods.list);
    return code;
}

/* The service takes no notice of the cursor: it gives the first page for ever, with a new cursor. */
static void a_page_without_news_ends_the_list(void **state)
{
    struct endless pods = {.list = "pods"}, clusters = {.list = "clusters"}, gpus = {.list = "gpus"};
    const struct podsku_catalog_request request = {.product = "POD", .cloud = "SECURE", .count = 1};
    struct podsku_clusters found;
    struct podsku_buf body = {0};
    char url[512];
    struct rig rig;

    (void)state;
    start_endless(&rig, &pods);
    enum podsku_code code = read_pods(&rig);
    CONTAINS(rig.err.message, "takes no notice of the cursor");
    CONTAINS(rig.err.where, "https://api.runpod.io/v2/pods");
    EXPECT(&rig, code, PODSKU_ANSWER);
    assert_int_equal(https_server_requests(rig.server), 2);
    rig_stop(&rig);

    start_endless(&rig, &clusters);
    EXPECT(&rig, podsku_api_list_clusters(rig.client, &found, &rig.err), PODSKU_ANSWER);
    assert_int_equal(https_server_requests(rig.server), 2);
    rig_stop(&rig);

    start_endless(&rig, &gpus); /* whose elements nobody looks at here */
    EXPECT(&rig, podsku_api_catalog(rig.client, &request, &body, url, sizeof url, &rig.err), PODSKU_ANSWER);
    assert_int_equal(https_server_requests(rig.server), 2);
    podsku_buf_free(&body);
    rig_stop(&rig);
}

static void pages_are_bounded(void **state)
{
    struct endless fresh = {.fresh = true}, empty = {.empty = true};
    struct rig rig;

    (void)state;
    start_endless(&rig, &fresh);
    enum podsku_code code = read_pods(&rig);
    CONTAINS(rig.err.message, "1000 pages");
    EXPECT(&rig, code, PODSKU_ANSWER);
    assert_int_equal(https_server_requests(rig.server), 1000);
    rig_stop(&rig);

    start_endless(&rig, &empty);
    EXPECT(&rig, read_pods(&rig), PODSKU_ANSWER);
    assert_int_equal(https_server_requests(rig.server), 3); /* one empty page may be, two in a row not */
    rig_stop(&rig);
}

static void a_lists_time_is_bounded(void **state)
{
    struct endless slow = {.fresh = true, .throttled = 50}, late = {.fresh = true, .delay_ms = 5};
    struct rig rig;

    (void)state;
    start_endless(&rig, &slow); /* each page within the patience of a read, all together not */
    assert_int_not_equal(read_pods(&rig), PODSKU_OK);
    podsku_error_clear(&rig.err);
    assert_true(rig.slept_ms <= 300000);
    rig_stop(&rig);

    start_endless(&rig, &late); /* the caller's deadline */
    int64_t start_ms = podsku_clock_mono_ms(&rig.clock);
    (void)podsku_client_until(rig.client, start_ms + 100);
    EXPECT(&rig, read_pods(&rig), PODSKU_NETWORK);
    assert_in_range(podsku_clock_mono_ms(&rig.clock) - start_ms, 50, 3000);
    assert_int_equal(podsku_client_until(rig.client, 0), start_ms + 100); /* which is the caller's still */
    rig_stop(&rig);

    start_endless(&rig, &late); /* an interrupt */
    rig.interrupt_at = 3;
    EXPECT(&rig, read_pods(&rig), PODSKU_INTERRUPTED);
    assert_true(https_server_requests(rig.server) <= 4);
    rig_stop(&rig);
}

static void nesting_is_bounded(void **state)
{
    struct podsku_buf body = {0};
    struct rig rig;
    struct podsku_pods pods;

    (void)state;
    podsku_buf_puts(&body, "{\"pods\":[],\"x\":");
    for (int i = 0; i < 100000; i++)
        podsku_buf_putc(&body, '[');
    const struct https_answer answers[] = {{.body = podsku_buf_text(&body)}};
    RIG_START(&rig, answers);
    enum podsku_code code = podsku_api_list_pods(rig.client, PODSKU_API_V2, false, &pods, &rig.err);
    CONTAINS(rig.err.message, "nested deeper than 64");
    CONTAINS(rig.err.where, "https://api.runpod.io/v2/pods:1:79");
    EXPECT(&rig, code, PODSKU_ANSWER);
    rig_stop(&rig);
    podsku_buf_free(&body);
}

/* The value is what the bytes say; frees it. */
static void assert_says(const struct podsku_buf *body, json_t *value)
{
    json_t *parsed = json_loads(podsku_buf_text(body), 0, NULL);

    assert_non_null(parsed);
    assert_true(json_equal(parsed, value));
    json_decref(parsed);
    json_decref(value);
}

static void catalogue_bytes(void **state)
{
    static const char one[] = "{ \"gpus\" : [ {\"id\":\"NVIDIA  RTX A4500\"} ] , \"other\":1}\n";
    static const struct https_answer answers[] = {
        {.path = "/v2/catalog/gpus?include=AVAILABILITY&product=POD&count=8&cloud=SECURE", .body = one},
        {.path = "/v2/catalog/"
                 "gpus?include=AVAILABILITY&product=CLUSTER&count=2&cloud=COMMUNITY&minCudaVersion=12.8&countryCodes="
                 "FR,DE",
         .body = "{\"gpus\":[{\"id\":\"a\"}],\"other\":1,\"nextCursor\":\"2\"}"},
        {.path = "/v2/catalog/"
                 "gpus?include=AVAILABILITY&product=CLUSTER&count=2&cloud=COMMUNITY&minCudaVersion=12.8&countryCodes="
                 "FR,DE&cursor=2",
         .body = "{\"gpus\":[{\"id\":\"b\",\"price\":{\"secure\":2.49}}],\"nextCursor\":null}"},
        {.body = "{\"gpus\":null}"},
    };
    struct podsku_catalog_request request = {.product = "POD", .cloud = "SECURE", .count = 8};
    struct rig rig;
    struct podsku_buf body = {0};
    json_t *value = NULL;
    char url[512];

    (void)state;
    request.value = &value;
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_catalog(rig.client, &request, &body, url, sizeof url, &rig.err), PODSKU_OK);
    assert_string_equal(podsku_buf_text(&body), one);
    assert_says(&body, value);
    assert_string_equal(url,
                        "https://api.runpod.io/v2/catalog/gpus?include=AVAILABILITY&product=POD&count=8&cloud=SECURE");
    request = (struct podsku_catalog_request){"CLUSTER", "COMMUNITY", 2, "12.8", "FR,DE", &value};
    EXPECT(&rig, podsku_api_catalog(rig.client, &request, &body, url, sizeof url, &rig.err), PODSKU_OK);
    assert_string_equal(podsku_buf_text(&body),
                        "{\"gpus\":[{\"id\":\"a\"},{\"id\":\"b\",\"price\":{\"secure\":2.49}}],\"other\":1}");
    assert_says(&body, value);
    EXPECT(&rig, podsku_api_catalog(rig.client, &request, &body, url, sizeof url, &rig.err), PODSKU_ANSWER);
    podsku_buf_free(&body);
    rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_an_answer_says_more),   cmocka_unit_test(pages_are_followed),
        cmocka_unit_test(lists_that_cannot_be_read), cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(catalogue_bytes),           cmocka_unit_test(a_page_without_news_ends_the_list),
        cmocka_unit_test(pages_are_bounded),         cmocka_unit_test(a_lists_time_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
