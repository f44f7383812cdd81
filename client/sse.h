/*
 * Server-sent events (the WHATWG's event stream format), fed in pieces of any size.
 */
#ifndef PODSKU_CLIENT_SSE_H
#define PODSKU_CLIENT_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define PODSKU_SSE_EVENT_MAX ((size_t)1 << 20) /* bytes of one event; a larger one loses its end */
#define PODSKU_SSE_ID_MAX 128

struct podsku_sse {
    struct podsku_buf line;     /* the line that is not ended yet */
    struct podsku_buf data;     /* data lines of the event so far, joined by newlines */
    char id[PODSKU_SSE_ID_MAX]; /* last event id; "" none */
    bool has_data;
    bool after_cr, started; /* private: line ends, byte order mark */
    /* One event; texts are borrowed. false: no more, also none of the rest of this piece. */
    bool (*event)(void *ctx, const char *id, const char *data, size_t len);
    void *ctx;
};

/* False when the callback wants no more, or there is no memory (podsku_buf_failed on line or data). */
bool podsku_sse_feed(struct podsku_sse *sse, const char *bytes, size_t len);

/*
 * The stream has ended: an event whose lines are whole counts although its blank line is missing, which
 * the standard would drop (the service's own example lacks it).
 */
void podsku_sse_end(struct podsku_sse *sse);

void podsku_sse_clear(struct podsku_sse *sse);

#endif
