#include "client/sse.h"

#include <string.h>

static void append(struct podsku_buf *buf, const char *bytes, size_t len)
{
    size_t room = PODSKU_SSE_EVENT_MAX > buf->len ? PODSKU_SSE_EVENT_MAX - buf->len : 0;

    podsku_buf_append(buf, bytes, len < room ? len : room);
}

static bool dispatch(struct podsku_sse *sse)
{
    bool more = !sse->has_data || sse->event(sse->ctx, sse->id, podsku_buf_text(&sse->data), sse->data.len);

    podsku_buf_reset(&sse->data);
    sse->has_data = false;
    return more;
}

static void take_field(struct podsku_sse *sse, const char *name, size_t name_len, const char *value, size_t len)
{
    if (name_len == 4 && memcmp(name, "data", 4) == 0) {
        if (sse->has_data)
            append(&sse->data, "\n", 1);
        append(&sse->data, value, len);
        sse->has_data = true;
    } else if (name_len == 2 && memcmp(name, "id", 2) == 0 && len < sizeof sse->id && !memchr(value, '\0', len)) {
        for (size_t i = 0; i < len; i++) /* it is sent back in a header */
            if ((unsigned char)value[i] < 0x20 || value[i] == 0x7f)
                return;
        memcpy(sse->id, value, len);
        sse->id[len] = '\0';
    }
}

/* One whole line, without its end. */
static bool take_line(struct podsku_sse *sse)
{
    const char *line = podsku_buf_text(&sse->line);
    size_t len = sse->line.len;
    bool more = true;

    if (!sse->started && len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
        line += 3;
        len -= 3;
    }
    sse->started = true;
    if (len == 0) {
        more = dispatch(sse);
    } else if (line[0] != ':') {
        const char *colon = memchr(line, ':', len);
        size_t name_len = colon ? (size_t)(colon - line) : len;
        size_t from = colon ? name_len + 1 : len;
        if (from < len && line[from] == ' ')
            from++;
        take_field(sse, line, name_len, line + from, len - from);
    }
    podsku_buf_reset(&sse->line);
    return more;
}

bool podsku_sse_feed(struct podsku_sse *sse, const char *bytes, size_t len)
{
    while (len > 0) {
        if (sse->after_cr && *bytes == '\n') { /* the second half of CR LF */
            bytes++;
            len--;
            sse->after_cr = false;
            continue;
        }
        sse->after_cr = false;
        size_t part = 0;
        while (part < len && bytes[part] != '\n' && bytes[part] != '\r')
            part++;
        append(&sse->line, bytes, part);
        if (part == len)
            break;
        sse->after_cr = bytes[part] == '\r';
        bytes += part + 1;
        len -= part + 1;
        if (!take_line(sse))
            return false;
    }
    return !podsku_buf_failed(&sse->line) && !podsku_buf_failed(&sse->data);
}

void podsku_sse_end(struct podsku_sse *sse)
{
    if (sse->line.len == 0)
        (void)dispatch(sse);
    podsku_buf_reset(&sse->line);
    podsku_buf_reset(&sse->data);
    sse->has_data = sse->after_cr = sse->started = false;
}

void podsku_sse_clear(struct podsku_sse *sse)
{
    podsku_buf_free(&sse->line);
    podsku_buf_free(&sse->data);
}
