#include "base/json.h"

#include <string.h>

#include "base/clock.h"
#include "base/money.h"
#include "base/text.h"

static json_malloc_t unguarded;
static _Thread_local struct {
    bool reading, failed;
} guard;

static void *guarded(size_t size)
{
    void *memory = guard.failed ? NULL : unguarded(size);

    if (!memory && guard.reading)
        guard.failed = true;
    return memory;
}

void podsku_json_guard(void)
{
    json_free_t release;

    if (unguarded)
        return;
    json_get_alloc_funcs(&unguarded, &release);
    json_set_alloc_funcs(guarded, release);
}

bool podsku_json_too_deep(const char *bytes, size_t len, size_t *position)
{
    size_t depth = 0;
    bool in_string = false;

    for (size_t i = 0; i < len; i++) {
        char c = bytes[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > PODSKU_JSON_DEPTH_MAX) {
                *position = i;
                return true;
            }
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return false;
}

void podsku_json_line_column(const char *bytes, size_t offset, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (bytes[i] == '\n') {
            (*line)++;
            *column = 1;
        } else {
            (*column)++;
        }
    }
}

enum podsku_code podsku_json_read(const char *bytes, size_t len, const char *name, enum podsku_code code_on_bad,
                                  json_t **value, struct podsku_error *err)
{
    size_t position;
    size_t line;
    size_t column;
    json_error_t json_err;

    *value = NULL;
    if (podsku_json_too_deep(bytes, len, &position)) {
        podsku_json_line_column(bytes, position, &line, &column);
        podsku_error_where(err, "%s:%zu:%zu", name, line, column);
        return podsku_error_set(err, code_on_bad, "JSON nested deeper than %d levels", PODSKU_JSON_DEPTH_MAX);
    }
    guard.reading = true;
    *value = json_loadb(bytes, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &json_err);
    bool starved = guard.failed;
    guard.reading = guard.failed = false;
    if (starved) {
        json_decref(*value);
        *value = NULL;
        return podsku_error_no_memory(err);
    }
    if (*value)
        return PODSKU_OK;
    /* Where jansson finds no memory it mostly says nothing at all. */
    if (json_error_code(&json_err) == json_error_out_of_memory || !json_err.text[0])
        return podsku_error_no_memory(err);
    /* jansson counts columns in characters after the token; the offset it gives is exact. */
    size_t offset = json_err.position > 0 ? (size_t)json_err.position : 0;
    podsku_json_line_column(bytes, offset < len ? offset : len, &line, &column);
    podsku_error_where(err, "%s:%zu:%zu", name, line, column);
    if (len == 0)
        return podsku_error_set(err, code_on_bad, "empty, where JSON is expected");
    if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        return podsku_error_set(err, code_on_bad,
                                "starts with a byte order mark, which JSON does not have: save it as "
                                "UTF-8 without one");
    if (json_error_code(&json_err) == json_error_null_character)
        return podsku_error_set(err, code_on_bad, "not valid here: the character \\u0000 in a string");
    return podsku_error_set(err, code_on_bad, "not valid JSON: %s", json_err.text);
}

static int append_chunk(const char *bytes, size_t len, void *out)
{
    podsku_buf_append(out, bytes, len);
    return podsku_buf_failed(out) ? -1 : 0;
}

void podsku_json_write(struct podsku_buf *out, const json_t *value, bool indent)
{
    /* 2.49 would otherwise print as 2.4900000000000002. */
    size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(12);

    flags |= indent ? JSON_INDENT(2) : JSON_COMPACT;
    if (!value || json_dump_callback(value, append_chunk, out, flags) != 0)
        out->failed = true;
}

bool podsku_json_set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

json_t *podsku_json_whole(json_t *value, bool whole)
{
    if (whole)
        return value;
    json_decref(value);
    return NULL;
}

json_t *podsku_json_text(const char *text)
{
    if (!text)
        return json_null();
    size_t len = strlen(text);
    if (podsku_text_is_utf8(text, len))
        return json_stringn_nocheck(text, len);
    struct podsku_buf clean = {0};
    for (const char *p = text; *p; p++)
        podsku_buf_putc(&clean, (unsigned char)*p < 0x80 ? *p : '?');
    json_t *value = podsku_buf_failed(&clean) ? NULL : json_string(podsku_buf_text(&clean));
    podsku_buf_free(&clean);
    return value;
}

json_t *podsku_json_money(int64_t uusd)
{
    return uusd ? json_real(podsku_money_to_double(uusd)) : json_null();
}

json_t *podsku_json_time(int64_t wall_ms)
{
    char text[PODSKU_TIME_TEXT_SIZE];

    return wall_ms ? json_string(podsku_time_text(wall_ms, text)) : json_null();
}
