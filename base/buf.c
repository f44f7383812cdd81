#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct podsku_buf *buf, size_t more)
{
    size_t max = buf->max ? buf->max : PODSKU_BUF_MAX;

    if (buf->failed)
        return false;
    if (more > max || buf->len > max - more) {
        buf->failed = true;
        return false;
    }
    size_t need = buf->len + more + 1;
    if (need <= buf->cap)
        return true;
    size_t cap = buf->cap ? buf->cap : 128;
    while (cap < need)
        cap *= 2;
    char *data = realloc(buf->data, cap);
    if (!data) {
        buf->failed = true;
        return false;
    }
    buf->data = data;
    buf->cap = cap;
    return true;
}

void podsku_buf_append_more(struct podsku_buf *buf, const void *bytes, size_t len)
{
    if (!reserve(buf, len))
        return;
    if (len)
        memcpy(buf->data + buf->len, bytes, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
}

void podsku_buf_puts(struct podsku_buf *buf, const char *text)
{
    podsku_buf_append(buf, text, strlen(text));
}

void podsku_buf_putc(struct podsku_buf *buf, char byte)
{
    podsku_buf_append(buf, &byte, 1);
}

void podsku_buf_printf(struct podsku_buf *buf, const char *fmt, ...)
{
    va_list args;
    va_list again;

    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0)
        buf->failed = true;
    else if (reserve(buf, (size_t)len)) {
        (void)vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, again);
        buf->len += (size_t)len;
    }
    va_end(again);
}

bool podsku_buf_failed(const struct podsku_buf *buf)
{
    return buf->failed;
}

const char *podsku_buf_text(const struct podsku_buf *buf)
{
    return buf->data ? buf->data : "";
}

void podsku_buf_reset(struct podsku_buf *buf)
{
    buf->len = 0;
    buf->failed = false;
    if (buf->data)
        buf->data[0] = '\0';
}

char *podsku_buf_take(struct podsku_buf *buf)
{
    char *data = NULL;

    if (!buf->failed && reserve(buf, 0)) {
        buf->data[buf->len] = '\0';
        data = buf->data;
        buf->data = NULL;
    }
    podsku_buf_free(buf);
    return data;
}

void podsku_buf_free(struct podsku_buf *buf)
{
    if (!buf)
        return;
    free(buf->data);
    buf->data = NULL;
    buf->len = buf->cap = 0;
    buf->failed = false;
}
