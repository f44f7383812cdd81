/*
 * Server-sent events: the first byte says in which pieces the rest arrives. The events must be the same
 * as when it arrives at once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "client/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All events, each byte told apart from the separators by its length before it. */
static bool collect(void *ctx, const char *id, const char *data, size_t len)
{
    struct podsku_buf *all = ctx;

    for (const char *c = id; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            abort(); /* it goes into a request header */
    if (strlen(id) >= PODSKU_SSE_ID_MAX || strlen(data) > len)
        abort();
    podsku_buf_printf(all, "%zu:%zu:%s:", strlen(id), len, id);
    podsku_buf_append(all, data, len);
    return true;
}

static void feed(const char *bytes, size_t size, size_t piece, struct podsku_buf *all)
{
    struct podsku_sse sse = {.event = collect, .ctx = all};

    for (size_t at = 0; at < size; at += piece)
        if (!podsku_sse_feed(&sse, bytes + at, size - at < piece ? size - at : piece))
            abort();
    podsku_sse_end(&sse);
    podsku_sse_clear(&sse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct podsku_buf whole = {0};
    struct podsku_buf pieces = {0};

    if (size < 2)
        return 0;
    feed((const char *)data + 1, size - 1, size, &whole);
    feed((const char *)data + 1, size - 1, (size_t)data[0] + 1, &pieces);
    if (whole.len != pieces.len || memcmp(podsku_buf_text(&whole), podsku_buf_text(&pieces), whole.len) != 0)
        abort();
    podsku_buf_free(&whole);
    podsku_buf_free(&pieces);
    return 0;
}
