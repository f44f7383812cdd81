/* Server-sent events, and the log stream of a pod. */
#include "tests/client/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/sse.h"

/* Collects "ID=DATA|" of each event; stops after `most`. */
struct events {
    char text[4096];
    size_t count, most;
};

static bool collect(void *ctx, const char *id, const char *data, size_t len)
{
    struct events *events = ctx;
    size_t used = strlen(events->text);

    (void)snprintf(events->text + used, sizeof events->text - used, "%s=%.*s|", id, (int)len, data);
    return ++events->count != events->most;
}

static const struct sse_row {
    const char *stream, *events;
} streams[] = {
    {"data: a\n\n", "=a|"},
    {"data:a\n\n", "=a|"},
    {"data:  a\n\n", "= a|"},
    {"data: a\r\n\r\n", "=a|"},
    {"data: a\r\r", "=a|"},
    {"data: a\n\ndata: b\n\n", "=a|=b|"},
    {"data: a\ndata: b\n\n", "=a\nb|"},
    {"data\ndata\n\n", "=\n|"},
    {"data\n\n", "=|"},
    {"id: 7\ndata: a\n\ndata: b\n\n", "7=a|7=b|"},
    {"id: 7\ndata: a\n\nid\ndata: b\n\n", "7=a|=b|"},
    {"id: 7\n\ndata: a\n\n", "7=a|"},
    {"\n\n\n", ""},
    {": comment\ndata: a\n\n", "=a|"},
    {"event: x\nretry: 5\nwhat: y\ndata: a\n\n", "=a|"},
    {"\xef\xbb\xbf"
     "data: a\n\n",
     "=a|"},
    {"data: a\n", "=a|"}, /* whole, only the blank line is missing */
    {"data: a", ""},      /* cut */
    {"data: a\n\ndata: b", "=a|"},
    {"data: a\n\ndata: b\n", "=a|=b|"},
    {"id: a\x01"
     "b\ndata: c\n\n",
     "=c|"}, /* no control bytes in what is sent back */
    {"", ""},
};

/* The same events whatever pieces the stream comes in. */
static void any_pieces(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        for (size_t piece = 1; piece < 12; piece++) {
            struct events events = {.most = 100};
            struct podsku_sse sse = {.event = collect, .ctx = &events};
            const char *text = streams[i].stream;
            for (size_t left = strlen(text); left > 0;) {
                size_t part = left < piece ? left : piece;
                assert_true(podsku_sse_feed(&sse, text, part));
                text += part;
                left -= part;
            }
            podsku_sse_end(&sse);
            if (strcmp(events.text, streams[i].events) != 0)
                fail_msg("stream %zu in pieces of %zu: \"%s\"", i, piece, events.text);
            podsku_sse_clear(&sse);
        }
}

static void it_can_be_stopped_and_is_bounded(void **state)
{
    struct events events = {.most = 2};
    struct podsku_sse sse = {.event = collect, .ctx = &events};
    static const char stream[] = "data: a\n\ndata: b\n\ndata: c\n\n";
    char line[4096];

    (void)state;
    assert_false(podsku_sse_feed(&sse, stream, sizeof stream - 1));
    assert_string_equal(events.text, "=a|=b|");
    podsku_sse_clear(&sse);

    sse = (struct podsku_sse){.event = collect, .ctx = &events};
    memset(line, 'x', sizeof line);
    for (size_t sent = 0; sent < 3 * PODSKU_SSE_EVENT_MAX; sent += sizeof line)
        assert_true(podsku_sse_feed(&sse, line, sizeof line));
    assert_true(sse.line.len <= PODSKU_SSE_EVENT_MAX);
    podsku_sse_clear(&sse);
}

struct lines {
    char text[4096];
    size_t count, most;
};

static bool take_line(void *ctx, const char *event_id, const char *source, const char *text)
{
    struct lines *lines = ctx;
    size_t used = strlen(lines->text);

    (void)snprintf(lines->text + used, sizeof lines->text - used, "%s/%s: %s\n", event_id, source, text);
    return ++lines->count != lines->most;
}

static enum podsku_code read_logs(struct rig *rig, const char *last, size_t most, int64_t timeout_ms,
                                  struct lines *lines)
{
    *lines = (struct lines){.most = most};
    return podsku_api_pod_logs(rig->client, "p1", last, take_line, lines, timeout_ms, &rig->err);
}

#define EVENT(id, line) "id: " id "\ndata: {\"ts\":\"t\",\"source\":\"container\",\"line\":\"" line "\"}\n\n"
#define SSE "text/event-stream"

static void log_lines(void **state)
{
    static const struct https_answer answers[] = {
        {.path = "/v2/pods/p1/logs",
         .type = SSE,
         .fault = HTTPS_STREAM,
         .body = EVENT("1", "one") EVENT("2", "two") "data: plain text\n\ndata: {\"x\":1}\n\n"},
        {.type = SSE, .fault = HTTPS_CHUNKED, .body = EVENT("1", "one") EVENT("2", "two") EVENT("3", "three")},
        {.type = SSE, .status = 200, .body = ""},
        {.status = 404, .body = "{\"detail\":\"pod not found\"}"},
        {.type = "text/html", .body = "<html>data: x\n\n"},
        {.status = 401},
    };
    struct rig rig;
    struct lines lines;
    char value[64];

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, read_logs(&rig, NULL, 99, 5000, &lines), PODSKU_OK);
    assert_string_equal(lines.text, "1/container: one\n2/container: two\n2/: plain text\n2/: {\"x\":1}\n");
    assert_false(https_request_header(https_server_request(rig.server, 0), "last-event-id", value, sizeof value));
    EXPECT(&rig, read_logs(&rig, "0", 2, 5000, &lines), PODSKU_OK); /* the caller ends it */
    assert_string_equal(lines.text, "1/container: one\n2/container: two\n");
    assert_true(https_request_header(https_server_request(rig.server, 1), "last-event-id", value, sizeof value));
    assert_string_equal(value, "0");
    EXPECT(&rig, read_logs(&rig, NULL, 9, 5000, &lines), PODSKU_OK);
    assert_int_equal(lines.count, 0);
    EXPECT(&rig, read_logs(&rig, NULL, 9, 5000, &lines), PODSKU_NOT_FOUND);
    EXPECT(&rig, read_logs(&rig, NULL, 9, 5000, &lines), PODSKU_ANSWER);
    assert_int_equal(lines.count, 0);
    EXPECT(&rig, read_logs(&rig, NULL, 9, 5000, &lines), PODSKU_AUTH);
    rig_stop(&rig);
}

static void a_lost_stream_is_resumed(void **state)
{
    static const struct https_answer answers[] = {
        {.type = SSE, .fault = HTTPS_CHUNKED_CUT, .body = EVENT("1", "one") EVENT("2", "two")},
        {.status = 503},
        {.type = SSE, .fault = HTTPS_STREAM, .body = EVENT("3", "three")},
    };
    struct rig rig;
    struct lines lines;
    char value[64];

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, read_logs(&rig, NULL, 9, 30000, &lines), PODSKU_OK);
    assert_string_equal(lines.text, "1/container: one\n2/container: two\n3/container: three\n");
    assert_int_equal(https_server_requests(rig.server), 3);
    assert_true(https_request_header(https_server_request(rig.server, 2), "last-event-id", value, sizeof value));
    assert_string_equal(value, "2");
    rig_stop(&rig);
}

static void a_silent_stream_times_out(void **state)
{
    static const struct https_answer answers[] = {
        {.times = -1,
         .type = SSE,
         .fault = HTTPS_STALL_BODY,
         .body = EVENT("1", "one") EVENT("2", "a longer one, cut")},
    };
    struct rig rig;
    struct lines lines;

    (void)state;
    RIG_START(&rig, answers);
    EXPECT(&rig, read_logs(&rig, NULL, 9, 500, &lines), PODSKU_TIMEOUT);
    assert_string_equal(lines.text, "1/container: one\n");
    rig.interrupt_at = 2;
    EXPECT(&rig, read_logs(&rig, NULL, 9, 0, &lines), PODSKU_INTERRUPTED);
    rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_pieces),
        cmocka_unit_test(it_can_be_stopped_and_is_bounded),
        cmocka_unit_test(log_lines),
        cmocka_unit_test(a_lost_stream_is_resumed),
        cmocka_unit_test(a_silent_stream_times_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
