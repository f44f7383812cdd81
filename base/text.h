/*
 * Small text helpers. Case is ASCII only: GPU type ids are opaque bytes, and only what a user types
 * is ever compared without case.
 */
#ifndef PODSKU_BASE_TEXT_H
#define PODSKU_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

bool podsku_text_equal_nocase(const char *a, const char *b);

/* True if pattern holds a wildcard, '*' (any bytes) or '?' (one byte). */
bool podsku_text_is_glob(const char *pattern);

/*
 * Matches the whole text, case ignored; without wildcards that is plain equality. Time is
 * proportional to pattern length x text length at worst.
 */
bool podsku_text_match(const char *pattern, const char *text);

/*
 * The word of `words` (NULL-terminated) that is nearest to `word`: small edit distance relative to
 * its length, case ignored, or one containing it. NULL when none is near. Borrowed from words.
 */
const char *podsku_text_nearest(const char *word, const char *const *words);

/*
 * Bytes of the character at text if it is one that is not seen but acts: a control (C0, DEL, C1), one of no
 * width, a line separator, or one that turns the direction of text; 0: it is none. Its number in *point then.
 */
size_t podsku_text_hidden(const char *text, size_t len, uint32_t *point);

/*
 * Copies text for a terminal or a log line: each such character becomes one '?', so that no text of a
 * service or a file can steer a terminal or show other names than it has. Newlines too, unless keep_newlines.
 */
void podsku_text_printable(struct podsku_buf *out, const char *text, size_t len, bool keep_newlines);

/* True when the bytes are well-formed UTF-8 (no surrogates, no overlong forms). */
bool podsku_text_is_utf8(const char *bytes, size_t len);

/* A decimal integer of the whole text within [least, most]; false otherwise ("", "1x", " 1", "+1"). */
bool podsku_text_int(const char *text, int64_t least, int64_t most, int64_t *value);

/* A plain decimal number (digits, one '.', optional exponent) of the whole text, finite, >= 0. */
bool podsku_text_number(const char *text, double *value);

/* "90", "90s", "15m", "2h", "1.5h" -> milliseconds; false for anything else or more than 10 years. */
bool podsku_text_duration(const char *text, int64_t *ms);

/* "MAJOR.MINOR" with plain digits -> numbers (12.11 > 12.2); false otherwise. */
bool podsku_text_version(const char *text, int *major, int *minor);

#endif
