/*
 * Private to rules/: exact shares. Decimal texts stay exact (0.3 is 3/10), so that a slice of just
 * that share passes.
 */
#ifndef PODSKU_RULES_FRACTION_H
#define PODSKU_RULES_FRACTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "rules/requirement.h"

enum fraction_reading { FRACTION_READ, FRACTION_OUTSIDE, FRACTION_BAD };

/* "0.25", "1/4", "25%", "2.5e-1" -> lowest terms; OUTSIDE: a number, but not within 0..1. */
enum fraction_reading podsku_fraction_parse(const char *text, struct podsku_fraction *fraction);

/* By the number's shortest decimal form. */
enum fraction_reading podsku_fraction_from_double(double number, struct podsku_fraction *fraction);

/* In lowest terms; the denominator is above 0. */
struct podsku_fraction podsku_fraction_of(int64_t numerator, int64_t denominator);

/* a >= b; denominators above 0. */
bool podsku_fraction_at_least(struct podsku_fraction a, struct podsku_fraction b);
bool podsku_fraction_equal(struct podsku_fraction a, struct podsku_fraction b);

#define FRACTION_TEXT_SIZE 48
/* "1/4", "1", "0". Returns text. */
const char *podsku_fraction_text(struct podsku_fraction fraction, char text[FRACTION_TEXT_SIZE]);

/* A number where 12 digits say it exactly, else "1/7". New reference, NULL without memory. */
json_t *podsku_fraction_encode(struct podsku_fraction fraction);

#endif
