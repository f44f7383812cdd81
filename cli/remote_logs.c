/*
 * --verify-via logs: the same texts from the pod's log, for images without sshd whose entry point
 * prints them. The log is read in slices, resumed where the last one ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/signals.h"

#define TEXT_MAX ((size_t)4 << 20)
#define SLICE_MS 3000
#define AGREE 2 /* readings that must say the same: more lines may be on their way */

struct log_reader {
    const struct cli_remote *remote;
    struct podsku_buf *text;
    char last_id[256];
    size_t lines; /* of this slice */
    bool full;
    char trouble[256]; /* why the latest slice could not be read; "": it could */
};

static bool take_line(void *ctx, const char *event_id, const char *source, const char *line)
{
    struct log_reader *reader = ctx;

    (void)source;
    if (event_id[0])
        (void)snprintf(reader->last_id, sizeof reader->last_id, "%s", event_id);
    reader->lines++;
    if (reader->text->len + strlen(line) + 1 > TEXT_MAX) {
        reader->full = true;
        return false;
    }
    podsku_buf_puts(reader->text, line);
    podsku_buf_putc(reader->text, '\n');
    return !podsku_buf_failed(reader->text) && !cli_signals_stop();
}

static enum podsku_code verdict_of(const struct podsku_buf *text, const struct podsku_expectation *expected,
                                   enum podsku_verdict *verdict, struct podsku_error *err)
{
    struct podsku_reading *reading = NULL;
    struct podsku_verification *verification = NULL;
    enum podsku_code code = podsku_verify_read(podsku_buf_text(text), text->len, &reading, err);

    if (!code)
        code = podsku_verify_judge(reading, expected, &verification, err);
    *verdict = code ? PODSKU_VERDICT_UNVERIFIED : podsku_verification_verdict(verification);
    podsku_verification_free(verification);
    podsku_reading_free(reading);
    return code;
}

/* A stream that could not be read this time may be readable the next time; these will not. */
static bool is_final(enum podsku_code code)
{
    return code == PODSKU_AUTH || code == PODSKU_BALANCE || code == PODSKU_DENIED || code == PODSKU_RETIRED ||
           code == PODSKU_EDGE || code == PODSKU_TLS || code == PODSKU_USAGE;
}

/* One slice of the stream. PODSKU_UNVERIFIED when the log cannot be read at all. */
static enum podsku_code read_slice(struct log_reader *reader, const char *pod_id, int64_t ms, struct podsku_error *err)
{
    struct podsku_error why = {0};
    enum podsku_code code;

    reader->lines = 0;
    code = podsku_api_pod_logs(reader->remote->client, pod_id, reader->last_id[0] ? reader->last_id : NULL, take_line,
                               reader, ms, &why);
    if (cli_signals_stop() || code == PODSKU_INTERRUPTED)
        return podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted");
    if (code == PODSKU_NO_MEMORY || podsku_buf_failed(reader->text))
        return podsku_error_no_memory(err);
    if (is_final(code))
        return podsku_error_set(err, PODSKU_UNVERIFIED, "the pod's log cannot be read: %s", why.message);
    (void)snprintf(reader->trouble, sizeof reader->trouble, "%.250s", code == PODSKU_TIMEOUT ? "" : why.message);
    return PODSKU_OK;
}

enum podsku_code cli_remote_logs(const struct cli_remote *remote, const char *pod_id,
                                 const struct podsku_expectation *expected, int64_t deadline_mono_ms,
                                 struct podsku_buf *text, const char **code_word, struct podsku_error *err)
{
    const struct podsku_clock *clock = podsku_client_clock(remote->client);
    struct log_reader reader = {.remote = remote, .text = text};
    enum podsku_verdict verdict = PODSKU_VERDICT_UNVERIFIED;
    int64_t start_ms = podsku_clock_mono_ms(clock);
    int agreed = 0;
    char elapsed[CLI_ELAPSED_SIZE];

    *code_word = "no-topology";
    for (;;) {
        int64_t now_ms = podsku_clock_mono_ms(clock);
        int64_t left_ms = deadline_mono_ms - now_ms;
        enum podsku_verdict before = verdict;
        enum podsku_code code;
        if (left_ms <= 0 || reader.full)
            break;
        cli_progress(remote->cli, "    %s reading the pod's log", cli_elapsed_text(now_ms - start_ms, elapsed));
        code = read_slice(&reader, pod_id, left_ms < SLICE_MS ? left_ms : SLICE_MS, err);
        if (!code)
            code = verdict_of(text, expected, &verdict, err);
        if (code) {
            cli_progress_clear(remote->cli);
            return code;
        }
        /* A log that goes on for ever must not keep what its first lines said from counting. */
        agreed = verdict == before ? agreed + 1 : 0;
        if (verdict != PODSKU_VERDICT_UNVERIFIED && (reader.lines == 0 || agreed >= AGREE))
            break;
        /* A stream that ends at once would be asked for again without a pause. */
        if (podsku_clock_mono_ms(clock) - now_ms < SLICE_MS / 3)
            podsku_clock_sleep_ms(clock, SLICE_MS / 3);
    }
    cli_progress_clear(remote->cli);
    if (text->len == 0 && reader.trouble[0])
        return podsku_error_set(err, PODSKU_UNVERIFIED, "the pod's log could not be read: %s", reader.trouble);
    if (text->len == 0)
        return podsku_error_set(err, PODSKU_UNVERIFIED, "the pod's log is empty");
    return PODSKU_OK;
}
