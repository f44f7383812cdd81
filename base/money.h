/*
 * Money: integer micro-USD (1e-6 USD), "uusd" in names. Prices are per hour where nothing else is
 * said. A list price of 0 means unknown in Runpod's catalogues, so 0 is this project's "unknown".
 */
#ifndef PODSKU_BASE_MONEY_H
#define PODSKU_BASE_MONEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PODSKU_UUSD_PER_USD INT64_C(1000000)
/* The most that any amount may be: 1e12 USD. Keeps every product of a price and counts in range. */
#define PODSKU_UUSD_MAX (INT64_C(1000000000000) * PODSKU_UUSD_PER_USD)

/*
 * Reads a decimal number of USD ("2.49", "1e-2"), rounded half to even to micro-USD on its decimal
 * digits. False for anything else (signs, blanks, NaN, 1e12 USD or more).
 */
bool podsku_money_parse(const char *text, int64_t *uusd);

/* The same from a JSON number, by its shortest decimal form. False if negative, not finite, too big. */
bool podsku_money_from_double(double usd, int64_t *uusd);

/* For JSON numbers: at most 6 decimals, printed with 12 or more significant digits. */
double podsku_money_to_double(int64_t uusd);

/* amount x numerator / denominator (> 0), rounded half to even; false when it would leave the range. */
bool podsku_money_scale(int64_t uusd, int64_t numerator, int64_t denominator, int64_t *result);

#define PODSKU_MONEY_TEXT_SIZE 32
/* "12.72": at least two decimals, at most six, no needless zeros after the second. Returns text. */
const char *podsku_money_text(int64_t uusd, char text[PODSKU_MONEY_TEXT_SIZE]);

#endif
