/*
 * A growing byte buffer with a maximum. Failures are sticky: after the first failed append every
 * further one is ignored, and the caller checks once, with podsku_buf_failed().
 */
#ifndef PODSKU_BASE_BUF_H
#define PODSKU_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

struct podsku_buf {
    char *data;  /* always NUL-terminated once something was appended; NULL before */
    size_t len;  /* bytes, without the NUL */
    size_t cap;  /* bytes allocated */
    size_t max;  /* most bytes it may hold; 0: PODSKU_BUF_MAX */
    bool failed; /* an append did not fit or found no memory */
};

#define PODSKU_BUF_MAX ((size_t)256 << 20)

/* Appends where there is no room yet. */
void podsku_buf_append_more(struct podsku_buf *buf, const void *bytes, size_t len);

/* Mostly a copy, so that it is here. */
static inline void podsku_buf_append(struct podsku_buf *buf, const void *bytes, size_t len)
{
    size_t most = buf->max ? buf->max : PODSKU_BUF_MAX;

    if (len == 0 || buf->cap - buf->len <= len || buf->len + len > most || buf->failed) {
        podsku_buf_append_more(buf, bytes, len);
        return;
    }
    memcpy(buf->data + buf->len, bytes, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
}

void podsku_buf_puts(struct podsku_buf *buf, const char *text);
void podsku_buf_putc(struct podsku_buf *buf, char byte);
void podsku_buf_printf(struct podsku_buf *buf, const char *fmt, ...) PODSKU_PRINTF(2, 3);

/* True when some append failed; the content is then incomplete and must not be used. */
bool podsku_buf_failed(const struct podsku_buf *buf);

/* The text, "" when nothing was appended. Borrowed, valid until the next append or free. */
const char *podsku_buf_text(const struct podsku_buf *buf);

/* Empties without giving the memory back. */
void podsku_buf_reset(struct podsku_buf *buf);

/* Hands the NUL-terminated bytes to the caller (free()), NULL on a failed buffer; buf is empty. */
char *podsku_buf_take(struct podsku_buf *buf);

/* Frees the memory; buf may be zeroed or NULL, and can be used again. */
void podsku_buf_free(struct podsku_buf *buf);

#endif
