#include "base/money.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Products of a price and counts can pass 64 bits before they are divided again. */
__extension__ typedef __int128 wide_int;

enum { DIGITS_MAX = 64, EXPONENT_MAX = 64 };

/* Up to there a double holds every whole number. */
#define EXACT_UUSD (INT64_C(1) << 53)

/* Below that, six decimals are fifteen digits at most. */
#define FEW_DIGITS_USD 1e9

/* A decimal number: 0.DIGITS x 10^point. */
struct decimal {
    unsigned char digits[DIGITS_MAX];
    int count;
    long point;
    bool dropped; /* nonzero digits beyond DIGITS_MAX were dropped */
};

static bool decimal_read(const char *text, struct decimal *number)
{
    bool seen = false;
    bool after_point = false;
    long point = 0;

    memset(number, 0, sizeof *number);
    for (; isdigit((unsigned char)*text) || (*text == '.' && !after_point); text++) {
        if (*text == '.') {
            after_point = true;
            continue;
        }
        seen = true;
        if (number->count == 0 && *text == '0') {
            point -= after_point;
            continue;
        }
        if (number->count < DIGITS_MAX)
            number->digits[number->count++] = (unsigned char)(*text - '0');
        else if (*text != '0')
            number->dropped = true;
        point += !after_point;
    }
    if (!seen)
        return false;
    if (*text == 'e' || *text == 'E') {
        char *end;
        bool sign = text[1] == '+' || text[1] == '-';
        if (!isdigit((unsigned char)text[1 + sign]))
            return false;
        long exponent = strtol(text + 1, &end, 10);
        if (exponent > EXPONENT_MAX || exponent < -1000)
            exponent = exponent > 0 ? EXPONENT_MAX : -1000;
        point += exponent;
        text = end;
    }
    number->point = point;
    return *text == '\0';
}

bool podsku_money_parse(const char *text, int64_t *uusd)
{
    struct decimal number;
    int64_t value = 0;

    if (!decimal_read(text, &number))
        return false;
    long whole = number.point + 6; /* how many digits stand before the micro-USD point */
    if (number.count == 0 || whole < 0) {
        *uusd = 0;
        return true;
    }
    if (whole > 18)
        return false;
    for (long i = 0; i < whole; i++)
        value = value * 10 + (i < number.count ? number.digits[i] : 0);
    if (whole < number.count) {
        bool rest = number.dropped;
        for (long i = whole + 1; i < number.count; i++)
            rest = rest || number.digits[i] != 0;
        int next = number.digits[whole];
        if (next > 5 || (next == 5 && (rest || value % 2 != 0)))
            value++;
    }
    if (value > PODSKU_UUSD_MAX)
        return false;
    *uusd = value;
    return true;
}

bool podsku_money_from_double(double usd, int64_t *uusd)
{
    char text[64];

    if (!isfinite(usd) || usd < 0)
        return false;
    if (usd == 0) {
        *uusd = 0;
        return true;
    }
    /*
     * Most amounts have six decimals at most and fifteen digits: then the whole number of micro-USD
     * is exact. Division rounds to the nearest, so that only the double of that decimal comes back,
     * and fifteen digits have a double of their own.
     */
    if (usd < FEW_DIGITS_USD) {
        int64_t whole = llrint(usd * PODSKU_UUSD_PER_USD);
        if ((double)whole / PODSKU_UUSD_PER_USD == usd) {
            *uusd = whole;
            return true;
        }
    }
    for (int precision = 15; precision <= 17; precision++) {
        (void)snprintf(text, sizeof text, "%.*g", precision, usd);
        if (strtod(text, NULL) == usd)
            break;
    }
    return podsku_money_parse(text, uusd);
}

double podsku_money_to_double(int64_t uusd)
{
    char text[PODSKU_MONEY_TEXT_SIZE];

    if (uusd <= EXACT_UUSD && uusd >= -EXACT_UUSD)
        return (double)uusd / PODSKU_UUSD_PER_USD;
    /* Rounded to a double and then divided it might not be the double of its decimal form. */
    return strtod(podsku_money_text(uusd, text), NULL);
}

bool podsku_money_scale(int64_t uusd, int64_t numerator, int64_t denominator, int64_t *result)
{
    wide_int product = (wide_int)uusd * numerator;
    wide_int quotient = product / denominator;
    wide_int rest = product % denominator;

    if (rest * 2 > denominator || (rest * 2 == denominator && quotient % 2 != 0))
        quotient++;
    if (quotient < 0 || quotient > PODSKU_UUSD_MAX)
        return false;
    *result = (int64_t)quotient;
    return true;
}

const char *podsku_money_text(int64_t uusd, char text[PODSKU_MONEY_TEXT_SIZE])
{
    bool negative = uusd < 0;
    uint64_t amount = negative ? (uint64_t)0 - (uint64_t)uusd : (uint64_t)uusd;

    int len = snprintf(text, PODSKU_MONEY_TEXT_SIZE, "%s%" PRIu64 ".%06" PRIu64, negative ? "-" : "", amount / 1000000,
                       amount % 1000000);
    for (int least = len - 4; len > least && text[len - 1] == '0'; len--)
        text[len - 1] = '\0';
    return text;
}
