#include "rules/fraction.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Cross products of two fractions can pass 64 bits. */
__extension__ typedef __int128 wide_int;

enum { DIGITS_MAX = 18 };

struct podsku_fraction podsku_fraction_of(int64_t numerator, int64_t denominator)
{
    int64_t a = numerator;
    int64_t b = denominator;

    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (struct podsku_fraction){numerator / a, denominator / a};
}

static enum fraction_reading within(int64_t numerator, int64_t denominator, struct podsku_fraction *fraction)
{
    if (denominator == 0)
        return FRACTION_BAD;
    if (numerator > denominator)
        return FRACTION_OUTSIDE;
    *fraction = podsku_fraction_of(numerator, denominator);
    return FRACTION_READ;
}

static enum fraction_reading parse_ratio(const char *text, const char *slash, struct podsku_fraction *fraction)
{
    char part[DIGITS_MAX + 1];
    size_t len = (size_t)(slash - text);
    int64_t numerator;
    int64_t denominator;

    if (len > DIGITS_MAX)
        return FRACTION_BAD;
    memcpy(part, text, len);
    part[len] = '\0';
    if (!podsku_text_int(part, 0, INT64_MAX, &numerator) || !podsku_text_int(slash + 1, 0, INT64_MAX, &denominator))
        return FRACTION_BAD;
    return within(numerator, denominator, fraction);
}

/* Digits with an optional point, exponent and percent sign. */
static enum fraction_reading parse_decimal(const char *text, struct podsku_fraction *fraction)
{
    int64_t digits = 0;
    long scale = 0; /* decimal places that `digits` holds */
    bool seen = false;
    bool after_point = false;
    int count = 0;

    for (; isdigit((unsigned char)*text) || (*text == '.' && !after_point); text++) {
        if (*text == '.') {
            after_point = true;
            continue;
        }
        seen = true;
        if (count == DIGITS_MAX)
            return FRACTION_BAD;
        digits = digits * 10 + (*text - '0');
        count += digits != 0;
        scale += after_point;
    }
    if (!seen)
        return FRACTION_BAD;
    if (*text == 'e' || *text == 'E') {
        char *end;
        bool sign = text[1] == '-' || text[1] == '+';
        if (!isdigit((unsigned char)text[1 + sign]))
            return FRACTION_BAD;
        long exponent = strtol(text + 1, &end, 10);
        if (exponent > 1000 || exponent < -1000)
            exponent = exponent > 0 ? 1000 : -1000;
        scale -= exponent;
        text = end;
    }
    if (*text == '%') {
        scale += 2;
        text++;
    }
    if (*text)
        return FRACTION_BAD;
    for (; digits != 0 && digits % 10 == 0; digits /= 10)
        scale--;
    if (digits == 0)
        return within(0, 1, fraction);
    if (scale < 0)
        return FRACTION_OUTSIDE;
    if (scale > DIGITS_MAX)
        return FRACTION_BAD;
    int64_t denominator = 1;
    for (; scale > 0; scale--)
        denominator *= 10;
    return within(digits, denominator, fraction);
}

enum fraction_reading podsku_fraction_parse(const char *text, struct podsku_fraction *fraction)
{
    const char *slash = strchr(text, '/');

    if (slash)
        return parse_ratio(text, slash, fraction);
    if (text[0] == '-') {
        struct podsku_fraction opposite;
        return parse_decimal(text + 1, &opposite) == FRACTION_BAD ? FRACTION_BAD : FRACTION_OUTSIDE;
    }
    return parse_decimal(text, fraction);
}

enum fraction_reading podsku_fraction_from_double(double number, struct podsku_fraction *fraction)
{
    char text[64];

    if (!(number >= 0 && number <= 1))
        return FRACTION_OUTSIDE;
    /* Six decimals hold most shares, and are exact if they make the same double (see base/money.c). */
    int64_t millionths = llrint(number * 1e6);
    if ((double)millionths / 1e6 == number)
        return within(millionths, 1000000, fraction);
    for (int precision = 15; precision <= 17; precision++) {
        (void)snprintf(text, sizeof text, "%.*g", precision, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return parse_decimal(text, fraction);
}

bool podsku_fraction_at_least(struct podsku_fraction a, struct podsku_fraction b)
{
    return (wide_int)a.numerator * b.denominator >= (wide_int)b.numerator * a.denominator;
}

bool podsku_fraction_equal(struct podsku_fraction a, struct podsku_fraction b)
{
    return a.numerator == b.numerator && a.denominator == b.denominator;
}

const char *podsku_fraction_text(struct podsku_fraction fraction, char text[FRACTION_TEXT_SIZE])
{
    if (fraction.denominator == 1)
        (void)snprintf(text, FRACTION_TEXT_SIZE, "%" PRId64, fraction.numerator);
    else
        (void)snprintf(text, FRACTION_TEXT_SIZE, "%" PRId64 "/%" PRId64, fraction.numerator, fraction.denominator);
    return text;
}

json_t *podsku_fraction_encode(struct podsku_fraction fraction)
{
    char text[FRACTION_TEXT_SIZE];
    struct podsku_fraction again;
    double number = (double)fraction.numerator / (double)fraction.denominator;

    (void)snprintf(text, sizeof text, "%.12g", number);
    if (podsku_fraction_parse(text, &again) == FRACTION_READ && podsku_fraction_equal(fraction, again))
        return json_real(number);
    return json_string(podsku_fraction_text(fraction, text));
}
