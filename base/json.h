/*
 * JSON in and out, by jansson. Reading is strict: nesting at most 64 (scanned first, since jansson
 * has no such option), duplicate keys refused, sizes bounded, every error with its line and column.
 */
#ifndef PODSKU_BASE_JSON_H
#define PODSKU_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

#define PODSKU_JSON_DEPTH_MAX 64

/*
 * Reads one JSON value of any type from exactly these bytes. `name` is what the error's `where`
 * starts with: NAME:LINE:COL (a file's path, "stdin", a URL). On success *value is a new reference.
 * code_on_bad is the error code for text that is no acceptable JSON (PODSKU_INPUT, PODSKU_ANSWER).
 */
enum podsku_code podsku_json_read(const char *bytes, size_t len, const char *name, enum podsku_code code_on_bad,
                                  json_t **value, struct podsku_error *err) PODSKU_CHECKED;

/*
 * jansson 2.14 does not notice when it finds no memory while it collects a token: it goes on with a
 * character missing, and may look for the end of a string beyond it. After this call an allocation
 * that fails during podsku_json_read() lets every later one of that call fail, which jansson does
 * notice. It puts a function before jansson's allocator, so it is for programs, at their start, and
 * not for libraries.
 */
void podsku_json_guard(void);

/*
 * Deeper than PODSKU_JSON_DEPTH_MAX? Then *position is the byte offset of the bracket that is too
 * deep. Only brackets outside strings count; the text need not be valid.
 */
bool podsku_json_too_deep(const char *bytes, size_t len, size_t *position);

/* 1-based line and column (bytes) of an offset. */
void podsku_json_line_column(const char *bytes, size_t offset, size_t *line, size_t *column);

/* Appends the value, compact on one line or indented by two, keys in the order they were set. */
void podsku_json_write(struct podsku_buf *out, const json_t *value, bool indent);

/*
 * Builders that cannot fail half-way: each steals `value`, and treats NULL (out of memory) by
 * returning false. NULL text becomes JSON null.
 */
bool podsku_json_set(json_t *object, const char *key, json_t *value) PODSKU_CHECKED;
/* value if whole, else NULL and value is released: so that nothing half-built gets out. */
json_t *podsku_json_whole(json_t *value, bool whole) PODSKU_CHECKED;
json_t *podsku_json_text(const char *text); /* bytes that are no UTF-8 are replaced by '?' */
json_t *podsku_json_money(int64_t uusd);    /* 0 (unknown) becomes null */
json_t *podsku_json_time(int64_t wall_ms);  /* 0 (unknown) becomes null */

#endif
