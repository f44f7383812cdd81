/*
 * Private to rules/: GPU types that a pattern which matches none may have meant.
 */
#ifndef PODSKU_RULES_NEAR_H
#define PODSKU_RULES_NEAR_H

#include "base/buf.h"
#include "catalog/catalog.h"

/*
 * Appends at most three names, quoted: those that are the same without blanks and makers' words; if
 * there are none, those that hold every word of the pattern; else those that are spelled nearly so.
 * Ids count like names. The same whatever the order of the catalogue. Appends nothing without memory.
 */
void podsku_put_near(struct podsku_buf *out, const struct podsku_catalog *catalog, const char *pattern);

#endif
