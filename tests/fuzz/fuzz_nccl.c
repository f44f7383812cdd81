/* NCCL logs: each line of the input stands behind what NCCL prints before it, so that all of it counts. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "rules/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_log(const char *bytes, size_t size, struct podsku_buf *log)
{
    for (size_t at = 0, line = 0; at < size; line++) {
        const char *newline = memchr(bytes + at, '\n', size - at);
        size_t len = newline ? (size_t)(newline - bytes) - at : size - at;
        podsku_buf_printf(log, "node%zu:1:%zu [%zu] NCCL INFO %s", line % 3, line, line % 8,
                          line % 4 ? "Channel 00/0 : " : "");
        podsku_buf_append(log, bytes + at, len);
        podsku_buf_putc(log, '\n');
        at += len + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct podsku_expectation nvlink = {.nvlink = true};
    struct podsku_buf log = {0};
    struct podsku_reading *reading = NULL;
    struct podsku_verification *v = NULL;
    struct podsku_error err = {0};

    write_log((const char *)data, size, &log);
    if (podsku_verify_read(podsku_buf_text(&log), log.len, &reading, &err) != PODSKU_OK ||
        podsku_verify_judge(reading, &nvlink, &v, &err) != PODSKU_OK)
        abort();
    json_t *document = podsku_verification_encode(v);
    if (!document)
        abort();
    json_decref(document);
    podsku_verification_free(v);
    podsku_reading_free(reading);
    podsku_buf_free(&log);
    return 0;
}
