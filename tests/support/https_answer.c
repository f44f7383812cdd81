#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/https_private.h"

static const char *reason(int status)
{
    return status < 300 ? "OK" : status < 400 ? "Elsewhere" : "Not OK";
}

/* The status line and headers; content_length < 0: none. */
static bool send_head(struct https_connection *connection, const struct https_answer *answer, long content_length,
                      const char *more)
{
    char head[8192];
    char length[64] = "";
    int status = answer->status ? answer->status : 200;
    const char *type = answer->type ? answer->type : "application/json";

    if (content_length >= 0 && status != 204)
        (void)snprintf(length, sizeof length, "Content-Length: %ld\r\n", content_length);
    int len = snprintf(head, sizeof head, "HTTP/1.1 %d %s\r\n%s%s%s%s%s%s%s\r\n", status, reason(status),
                       *type ? "Content-Type: " : "", type, *type ? "\r\n" : "", length, more,
                       answer->headers ? answer->headers : "", answer->close ? "Connection: close\r\n" : "");
    return len > 0 && (size_t)len < sizeof head && https_write(connection, head, (size_t)len);
}

static bool send_blanks(struct https_connection *connection, size_t count)
{
    static char blanks[16384];

    memset(blanks, ' ', sizeof blanks);
    while (count > 0) {
        size_t part = count < sizeof blanks ? count : sizeof blanks;
        if (!https_write(connection, blanks, part))
            return false;
        count -= part;
    }
    return true;
}

static bool send_drip(struct https_connection *connection, const char *body, size_t len, int delay_ms)
{
    for (size_t i = 0; i < len; i++)
        if (https_gone(connection, delay_ms) || !https_write(connection, body + i, 1))
            return false;
    return true;
}

static bool send_chunks(struct https_connection *connection, const char *body, size_t len)
{
    for (size_t at = 0; at < len; at += 7) {
        char chunk[32];
        size_t part = len - at < 7 ? len - at : 7;
        int size = snprintf(chunk, sizeof chunk, "%zx\r\n%.*s\r\n", part, (int)part, body + at);
        if (!https_write(connection, chunk, (size_t)size))
            return false;
    }
    return true;
}

static bool send_gzip(struct https_connection *connection, const struct https_answer *answer, const char *body)
{
    size_t len = 0;
    unsigned char *bytes = https_gzip(body, answer->size, &len);
    bool sent = bytes && send_head(connection, answer, (long)len, "Content-Encoding: gzip\r\n") &&
                https_write(connection, bytes, len);

    free(bytes);
    return sent;
}

static bool send_headers_without_end(struct https_connection *connection)
{
    char line[1100];

    memset(line, 'x', sizeof line);
    memcpy(line, "X-More: ", 8);
    memcpy(line + sizeof line - 2, "\r\n", 2);
    if (!https_write(connection, "HTTP/1.1 200 OK\r\n", 17))
        return false;
    for (int i = 0; i < 2000; i++)
        if (!https_write(connection, line, sizeof line))
            return false;
    return false;
}

/* Faults that send no usable answer: true when this was one of them. */
static bool is_silent(struct https_connection *connection, const struct https_answer *answer, const char *body,
                      bool *reset)
{
    switch (answer->fault) {
    case HTTPS_RESET_BEFORE:
    case HTTPS_RESET_AFTER: *reset = true; return true;
    case HTTPS_CLOSE_AFTER: return true;
    case HTTPS_STALL: (void)https_gone(connection, 600000); return true;
    case HTTPS_GARBAGE: (void)https_write(connection, body, strlen(body)); return true;
    case HTTPS_HEADERS: (void)send_headers_without_end(connection); return true;
    default: return false;
    }
}

bool https_send_answer(struct https_connection *connection, const struct https_answer *answer, bool *reset)
{
    /* 204 has none: its bytes would be taken for the next answer on this connection. */
    const char *body = answer->body && answer->status != 204 ? answer->body : "";
    size_t len = strlen(body);
    long declared = (long)(len + (answer->fault == HTTPS_OVERSIZE ? answer->size : 0));

    if (answer->delay_ms > 0 && answer->fault != HTTPS_DRIP && https_gone(connection, answer->delay_ms))
        return false;
    if (is_silent(connection, answer, body, reset))
        return false;
    switch (answer->fault) {
    case HTTPS_TRUNCATE:
        (void)(send_head(connection, answer, declared, "") && https_write(connection, body, len / 2));
        return false;
    case HTTPS_STALL_BODY:
        if (send_head(connection, answer, declared, "") && https_write(connection, body, len / 2))
            (void)https_gone(connection, 600000);
        return false;
    case HTTPS_DRIP:
        return send_head(connection, answer, declared, "") && send_drip(connection, body, len, answer->delay_ms);
    case HTTPS_CHUNKED:
    case HTTPS_CHUNKED_CUT:
        if (!send_head(connection, answer, -1, "Transfer-Encoding: chunked\r\n") ||
            !send_chunks(connection, body, len) || answer->fault == HTTPS_CHUNKED_CUT)
            return false;
        return https_write(connection, "0\r\n\r\n", 5);
    case HTTPS_GZIP: return send_gzip(connection, answer, body);
    case HTTPS_GZIP_BROKEN:
        return send_head(connection, answer, declared, "Content-Encoding: gzip\r\n") &&
               https_write(connection, body, len);
    case HTTPS_STREAM:
        (void)(send_head(connection, answer, -1, "Connection: close\r\n") && https_write(connection, body, len));
        return false;
    case HTTPS_CONTINUE: {
        static const char interim[] = "HTTP/1.1 100 Continue\r\nRetry-After: 99\r\nx-request-id: interim\r\n\r\n";
        if (!https_write(connection, interim, sizeof interim - 1))
            return false;
        break;
    }
    default: break;
    }
    return send_head(connection, answer, declared, "") && https_write(connection, body, len) &&
           (answer->fault != HTTPS_OVERSIZE || send_blanks(connection, answer->size)) && !answer->close;
}
