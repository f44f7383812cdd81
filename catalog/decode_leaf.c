/* Places, findings, and the leaves of an entry: texts, whole numbers, flags, prices, stock words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/money.h"
#include "base/text.h"
#include "catalog/decode.h"

/* Beyond these a number is no price and no size; the arithmetic of prices relies on it. */
static const int WHOLE_MAX = 1000000;
static const int64_t PRICE_MAX_UUSD = 1000000 * PODSKU_UUSD_PER_USD;

void podsku_place_text(struct podsku_buf *out, const struct podsku_place *place)
{
    if (!place) {
        podsku_buf_putc(out, '$');
        return;
    }
    podsku_place_text(out, place->up);
    if (place->member)
        podsku_buf_printf(out, ".%s", place->member);
    else if (place->index == PODSKU_PLACE_ALL)
        podsku_buf_puts(out, "[*]");
    else
        podsku_buf_printf(out, "[%zu]", place->index);
}

static void report(struct podsku_decode *decode, bool is_error, const struct podsku_place *place, const char *code,
                   const char *fmt, va_list args) PODSKU_PRINTF(5, 0);

static void report(struct podsku_decode *decode, bool is_error, const struct podsku_place *place, const char *code,
                   const char *fmt, va_list args)
{
    struct podsku_buf path = {0};
    char message[768];

    (void)vsnprintf(message, sizeof message, fmt, args);
    podsku_place_text(&path, place);
    if (decode->report) {
        decode->report(decode->ctx, is_error, podsku_buf_failed(&path) ? NULL : podsku_buf_text(&path), code, message);
    } else {
        decode->failed = true;
        podsku_error_where(decode->err, "%s: %s", decode->name, podsku_buf_text(&path));
        (void)podsku_error_set(decode->err, decode->code_on_bad, "%s", message);
    }
    podsku_buf_free(&path);
}

void podsku_decode_bad(struct podsku_decode *decode, const struct podsku_place *place, const char *code,
                       const char *fmt, ...)
{
    va_list args;

    if (decode->failed) /* loading: the first error wins */
        return;
    va_start(args, fmt);
    report(decode, true, place, code, fmt, args);
    va_end(args);
}

void podsku_decode_odd(struct podsku_decode *decode, const struct podsku_place *place, const char *code,
                       const char *fmt, ...)
{
    va_list args;

    if (!decode->report)
        return;
    va_start(args, fmt);
    report(decode, false, place, code, fmt, args);
    va_end(args);
}

const char *podsku_json_kind(const json_t *value)
{
    if (!value)
        return "missing";
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a text";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE:
    case JSON_FALSE: return "a boolean";
    default: return "null";
    }
}

/* The member's value; NULL when it is absent or null, which both mean unknown. */
static const json_t *known(const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);

    return json_is_null(value) ? NULL : value;
}

static void wrong_type(struct podsku_decode *decode, const struct podsku_place *up, const char *member,
                       const json_t *value, const char *wanted)
{
    struct podsku_place place = {up, member, 0};

    podsku_decode_bad(decode, &place, "wrong-type", "%s is %s, where %s is expected", member, podsku_json_kind(value),
                      wanted);
}

const char *podsku_decode_text(struct podsku_decode *decode, struct podsku_arena *arena, const json_t *object,
                               const struct podsku_place *place, const char *member)
{
    const json_t *value = known(object, member);

    if (!value)
        return NULL;
    if (!json_is_string(value)) {
        wrong_type(decode, place, member, value, "a text");
        return NULL;
    }
    if (json_string_length(value) == 0)
        return NULL;
    return podsku_arena_bytes(arena, json_string_value(value), json_string_length(value));
}

int podsku_decode_whole(struct podsku_decode *decode, const json_t *object, const struct podsku_place *up,
                        const char *member, int unknown)
{
    struct podsku_place place = {up, member, 0};
    const json_t *value = known(object, member);

    if (!value)
        return unknown;
    if (!json_is_number(value)) {
        wrong_type(decode, up, member, value, "a whole number");
        return unknown;
    }
    double number = json_number_value(value);
    if (!(number >= 0 && number <= WHOLE_MAX)) {
        podsku_decode_bad(decode, &place, "out-of-range", "%s is %.12g, where 0 to %d is expected", member, number,
                          WHOLE_MAX);
        return unknown;
    }
    if (floor(number) != number) {
        podsku_decode_bad(decode, &place, "wrong-type", "%s is %.12g, where a whole number is expected", member,
                          number);
        return unknown;
    }
    if (json_is_real(value))
        podsku_decode_odd(decode, &place, "float-for-integer", "%s is a whole number written as a float", member);
    return (int)number;
}

enum podsku_tri podsku_decode_flag(struct podsku_decode *decode, const json_t *object, const struct podsku_place *place,
                                   const char *member)
{
    const json_t *value = known(object, member);

    if (!value)
        return PODSKU_UNKNOWN;
    if (json_is_boolean(value))
        return json_is_true(value) ? PODSKU_YES : PODSKU_NO;
    wrong_type(decode, place, member, value, "true or false");
    return PODSKU_UNKNOWN;
}

int64_t podsku_decode_price(struct podsku_decode *decode, const json_t *object, const struct podsku_place *up,
                            const char *member)
{
    struct podsku_place place = {up, member, 0};
    const json_t *value = known(object, member);
    int64_t uusd;

    if (!value)
        return 0;
    if (!json_is_number(value)) {
        wrong_type(decode, up, member, value, "a number (USD per hour)");
        return 0;
    }
    double usd = json_number_value(value);
    if (!podsku_money_from_double(usd, &uusd) || uusd > PRICE_MAX_UUSD) {
        podsku_decode_bad(decode, &place, "out-of-range", "%s is %.12g, which is no price in USD per GPU-hour", member,
                          usd);
        return 0;
    }
    if (fabs(podsku_money_to_double(uusd) - usd) > 1e-9)
        podsku_decode_odd(decode, &place, "price-rounded", "%.17g is rounded to micro-USD", usd);
    return uusd;
}

enum podsku_stock podsku_decode_stock(struct podsku_decode *decode, const json_t *object, const struct podsku_place *up,
                                      const char *member)
{
    struct podsku_place place = {up, member, 0};
    const json_t *value = known(object, member);

    if (!value)
        return PODSKU_STOCK_UNKNOWN;
    if (!json_is_string(value)) {
        wrong_type(decode, up, member, value, "a text (HIGH, MEDIUM, LOW or NONE)");
        return PODSKU_STOCK_UNKNOWN;
    }
    const char *word = json_string_value(value);
    for (int stock = PODSKU_STOCK_NONE; stock <= PODSKU_STOCK_HIGH; stock++)
        if (podsku_text_equal_nocase(word, podsku_stock_name((enum podsku_stock)stock)))
            return (enum podsku_stock)stock;
    podsku_decode_odd(decode, &place, "unknown-word", "\"%s\" is no stock level known here: taken as unknown", word);
    return PODSKU_STOCK_UNKNOWN;
}
