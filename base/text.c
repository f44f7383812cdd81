#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool podsku_text_equal_nocase(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

bool podsku_text_is_glob(const char *pattern)
{
    return strpbrk(pattern, "*?") != NULL;
}

bool podsku_text_match(const char *pattern, const char *text)
{
    const char *star = NULL; /* after the last '*' seen; a later star makes the earlier ones final */
    const char *retry = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern && (*pattern == '?' || lower(*pattern) == lower(*text))) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

enum { WORD_MAX = 96 };

/* Edits (insert, delete, replace, swap of neighbours) that turn a into b. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1];
    size_t len_a = strlen(a);
    size_t len_b = strlen(b);

    if (len_a > WORD_MAX || len_b > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= len_b; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= len_a; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= len_b; j++) {
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            size_t best = above[j - 1] + (same ? 0 : 1);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]) &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[len_a % 3][len_b];
}

static bool contains_nocase(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

const char *podsku_text_nearest(const char *word, const char *const *words)
{
    size_t len = strlen(word);
    const char *nearest = NULL;
    size_t least = len < 4 ? 1 : 1 + len / 3;
    const char *holder = NULL;

    if (len == 0)
        return NULL;
    for (; *words; words++) {
        size_t edits = distance(word, *words);
        if (edits < least || (edits == least && !nearest)) {
            nearest = *words;
            least = edits;
        }
        if (!holder && len >= 3 && contains_nocase(*words, word))
            holder = *words;
    }
    return nearest ? nearest : holder;
}

/* The character of two to four bytes at s, its bytes in *size; 0 where there is none. */
static uint32_t decode(const unsigned char *s, size_t len, size_t *size)
{
    size_t bytes = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    uint32_t point;

    if (bytes == 0 || bytes > len)
        return 0;
    point = s[0] & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (s[i] & 0x3fu);
    }
    *size = bytes;
    return point;
}

size_t podsku_text_hidden(const char *text, size_t len, uint32_t *point)
{
    /* C1; then what shows nothing, breaks a line, or turns the order of what follows. */
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0x80, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };
    const unsigned char *s = (const unsigned char *)text;
    size_t size = 1;

    if (len == 0)
        return 0;
    *point = s[0];
    if (s[0] < 0x80)
        return s[0] < 0x20 || s[0] == 0x7f ? 1 : 0;
    *point = decode(s, len, &size);
    for (size_t i = 0; *point && i < sizeof hidden / sizeof *hidden; i++) {
        if (*point >= hidden[i].first && *point <= hidden[i].last)
            return size;
    }
    return 0;
}

void podsku_text_printable(struct podsku_buf *out, const char *text, size_t len, bool keep_newlines)
{
    for (size_t i = 0; i < len;) {
        uint32_t point = 0;
        size_t hidden = podsku_text_hidden(text + i, len - i, &point);
        podsku_buf_putc(out, hidden && !(point == '\n' && keep_newlines) ? '?' : text[i]);
        i += hidden ? hidden : 1;
    }
}

bool podsku_text_is_utf8(const char *bytes, size_t len)
{
    const unsigned char *s = (const unsigned char *)bytes;

    for (size_t i = 0; i < len;) {
        unsigned char first = s[i];
        size_t more = first < 0x80 ? 0 : first < 0xc2 ? 9 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 9;
        if (more == 9 || len - i <= more)
            return false;
        for (size_t k = 1; k <= more; k++)
            if ((s[i + k] & 0xc0) != 0x80)
                return false;
        if ((first == 0xe0 && s[i + 1] < 0xa0) || (first == 0xed && s[i + 1] > 0x9f) ||
            (first == 0xf0 && s[i + 1] < 0x90) || (first == 0xf4 && s[i + 1] > 0x8f))
            return false;
        i += more + 1;
    }
    return true;
}

bool podsku_text_int(const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end;

    if (!isdigit((unsigned char)text[text[0] == '-']))
        return false;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || *end || number < least || number > most)
        return false;
    *value = number;
    return true;
}

bool podsku_text_number(const char *text, double *value)
{
    char *end;

    if (!isdigit((unsigned char)text[text[0] == '.']) || strspn(text, "0123456789.eE+-") != strlen(text))
        return false;
    double number = strtod(text, &end);
    if (*end || !isfinite(number))
        return false;
    *value = number;
    return true;
}

bool podsku_text_duration(const char *text, int64_t *ms)
{
    static const int64_t ten_years_ms = INT64_C(10) * 366 * 24 * 3600 * 1000;
    char digits[32];
    size_t len = strlen(text);
    double number;

    if (len == 0 || len >= sizeof digits)
        return false;
    memcpy(digits, text, len + 1);
    char unit = text[len - 1];
    double scale = unit == 'h' ? 3600000 : unit == 'm' ? 60000 : 1000;
    if (unit == 'h' || unit == 'm' || unit == 's')
        digits[len - 1] = '\0';
    if (strpbrk(digits, "eE") || !podsku_text_number(digits, &number) || number * scale > (double)ten_years_ms)
        return false;
    *ms = llround(number * scale);
    return true;
}

bool podsku_text_version(const char *text, int *major, int *minor)
{
    char part[8];
    int64_t numbers[2];
    size_t first = strspn(text, "0123456789");
    size_t second;

    if (first == 0 || first >= sizeof part || text[first] != '.')
        return false;
    second = strspn(text + first + 1, "0123456789");
    if (second == 0 || second >= sizeof part || text[first + 1 + second] != '\0')
        return false;
    memcpy(part, text, first);
    part[first] = '\0';
    if (!podsku_text_int(part, 0, 9999999, &numbers[0]) || !podsku_text_int(text + first + 1, 0, 9999999, &numbers[1]))
        return false;
    *major = (int)numbers[0];
    *minor = (int)numbers[1];
    return true;
}
