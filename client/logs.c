#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "client/answer.h"
#include "client/api.h"
#include "client/retry.h"
#include "client/sse.h"

/* How long a stream that is lost again and again is resumed when nothing limits it. */
enum { RESUME_MS = 60000 };

struct stream {
    struct podsku_client *client;
    struct podsku_sse sse;
    struct podsku_response response;
    bool (*line)(void *ctx, const char *event_id, const char *source, const char *text);
    void *ctx;
    bool done;    /* the caller wants no more */
    bool foreign; /* the answer is no event stream */
    size_t events;
};

/* {"source":"container","line":"...","ts":"..."}; other data is given as it is. */
static bool take_event(void *ctx, const char *id, const char *data, size_t len)
{
    struct stream *stream = ctx;
    struct podsku_error ignored = {0};
    json_t *value = NULL;
    const char *text = data;
    const char *source = "";
    char *clean = NULL;

    if (podsku_json_read(data, len, "", PODSKU_ANSWER, &value, &ignored) == PODSKU_OK && json_is_object(value)) {
        const char *line = json_string_value(json_object_get(value, "line"));
        const char *from = json_string_value(json_object_get(value, "source"));
        text = line ? line : data;
        source = from ? from : "";
    }
    /* A program may print its environment. Without memory to hide the key the line is not shown. */
    if (podsku_client_key_in(stream->client, text)) {
        clean = strdup(text);
        if (clean)
            podsku_client_redact(stream->client, clean);
        text = clean ? clean : "";
    }
    stream->events++;
    stream->done = !stream->line(stream->ctx, id, source, text);
    free(clean);
    json_decref(value);
    return !stream->done;
}

static bool take_bytes(void *ctx, const char *bytes, size_t len)
{
    struct stream *stream = ctx;

    stream->foreign = strcmp(stream->response.content_type, "text/event-stream") != 0;
    return !stream->foreign && podsku_sse_feed(&stream->sse, bytes, len);
}

/* One connection's worth. PODSKU_OK: the stream or the caller ended it. */
static enum podsku_code follow(struct stream *stream, const char *path, const char *what, int64_t timeout_ms,
                               struct podsku_error *err)
{
    struct podsku_request get = {.api = PODSKU_API_V2,
                                 .method = "GET",
                                 .path = path,
                                 .timeout_ms = timeout_ms,
                                 .last_event_id = stream->sse.id[0] ? stream->sse.id : NULL,
                                 .sink = take_bytes,
                                 .sink_ctx = stream};

    podsku_response_free(&stream->response);
    enum podsku_code code = podsku_client_send(stream->client, &get, &stream->response, err);
    if (code == PODSKU_OK)
        code = podsku_answer_judge(stream->client, PODSKU_API_V2, &stream->response, what, err);
    if (code == PODSKU_OK && stream->foreign)
        code = podsku_error_set(err, PODSKU_ANSWER, "the answer is no event stream but \"%s\"",
                                stream->response.content_type);
    if (code == PODSKU_OK && (podsku_buf_failed(&stream->sse.line) || podsku_buf_failed(&stream->sse.data)))
        code = podsku_error_no_memory(err);
    if (code == PODSKU_OK && !stream->done)
        podsku_sse_end(&stream->sse);
    if (code != PODSKU_OK)
        podsku_answer_place(&stream->response, err);
    return code;
}

/* Whether, and after how long, a stream that failed is asked for again. */
static struct podsku_retry judge(const struct stream *stream, int attempt, int64_t spent_ms, int64_t budget_ms)
{
    const struct podsku_response *response = &stream->response;
    const struct podsku_retry_input input = {
        .status = response->curl_code ? 0 : response->status,
        .curl_code = response->curl_code,
        .retry_after = response->retry_after,
        .rate_limit = response->rate_limit,
        .date = response->date,
        .attempt = attempt,
        .spent_ms = spent_ms,
        .budget_ms = budget_ms,
        .now_ms = podsku_clock_wall_ms(podsku_client_clock(stream->client)),
        .random = 0.5,
    };

    return podsku_retry_decide(&input);
}

/* An answer was there and was a stream, also if it broke off since. */
static bool is_stream(const struct stream *stream)
{
    return stream->response.status >= 200 && stream->response.status <= 299 && !stream->foreign;
}

static enum podsku_code follow_on(struct stream *stream, const char *path, const char *what, int64_t timeout_ms,
                                  struct podsku_error *err)
{
    const struct podsku_clock *clock = podsku_client_clock(stream->client);
    int64_t start_ms = podsku_clock_mono_ms(clock);
    int64_t alive_ms = start_ms; /* the last time that an event came */
    int attempt = 0;
    struct podsku_error last = {0}; /* why there is no stream now; none: there is one, which may be quiet */

    for (;;) {
        int64_t spent_ms = podsku_clock_mono_ms(clock) - start_ms;
        size_t before = stream->events;
        if (timeout_ms > 0 && spent_ms >= timeout_ms && last.code != PODSKU_OK) {
            *err = last;
            return err->code;
        }
        if (timeout_ms > 0 && spent_ms >= timeout_ms)
            return podsku_error_set(err, PODSKU_TIMEOUT, "the log said nothing more in time");
        enum podsku_code code = follow(stream, path, what, timeout_ms > 0 ? timeout_ms - spent_ms : 0, err);
        if (code == PODSKU_OK || stream->done || code == PODSKU_INTERRUPTED || code == PODSKU_NO_MEMORY)
            return code;
        last = *err;
        if (is_stream(stream))
            podsku_error_clear(&last);
        int64_t now_ms = podsku_clock_mono_ms(clock);
        if (stream->events > before) {
            alive_ms = now_ms;
            attempt = 0;
        }
        if (timeout_ms > 0 && now_ms - start_ms >= timeout_ms) {
            podsku_error_clear(err);
            continue; /* to the timeout */
        }
        struct podsku_retry retry = judge(stream, ++attempt, now_ms - alive_ms, RESUME_MS);
        if (!retry.again)
            return code;
        podsku_error_clear(err);
        enum podsku_code waited = podsku_client_wait(stream->client, retry.wait_ms, err);
        if (waited != PODSKU_OK)
            return waited;
    }
}

enum podsku_code podsku_api_pod_logs(struct podsku_client *client, const char *id, const char *last_event_id,
                                     bool (*line)(void *ctx, const char *event_id, const char *source,
                                                  const char *text),
                                     void *ctx, int64_t timeout_ms, struct podsku_error *err)
{
    struct stream stream = {.client = client, .line = line, .ctx = ctx};
    struct podsku_buf path = {0};
    struct podsku_buf what = {0};
    enum podsku_code code;

    stream.sse.event = take_event;
    stream.sse.ctx = &stream;
    if (last_event_id)
        (void)snprintf(stream.sse.id, sizeof stream.sse.id, "%s", last_event_id);
    if (!id[0] || strcmp(id, ".") == 0 || strcmp(id, "..") == 0)
        return podsku_error_set(err, PODSKU_NOT_FOUND, "\"%s\" is no id of a pod", id);
    podsku_buf_puts(&path, "/pods/");
    podsku_url_escape(&path, id);
    podsku_buf_puts(&path, "/logs");
    podsku_buf_printf(&what, "pod %s", id);
    if (podsku_buf_failed(&path) || podsku_buf_failed(&what))
        code = podsku_error_no_memory(err);
    else
        code = follow_on(&stream, podsku_buf_text(&path), podsku_buf_text(&what), timeout_ms, err);
    podsku_buf_free(&path);
    podsku_buf_free(&what);
    podsku_sse_clear(&stream.sse);
    podsku_response_free(&stream.response);
    return code;
}
