/*
 * The parts of the linter. Each looks at a decoded document and reports oddities by
 * podsku_decode_odd(). Private to catalog/.
 */
#ifndef PODSKU_CATALOG_LINTER_H
#define PODSKU_CATALOG_LINTER_H

#include "catalog/decode.h"

/* Members that are missing or not known, and the entry that is no card. */
void podsku_lint_members(struct podsku_decode *decode);

/* The lies of single entries: flags, counts, prices, memory, stock, ids. */
void podsku_lint_types(struct podsku_decode *decode, const struct podsku_catalog *catalog);

/* What shows only in the whole list: names that moved, ids within ids. PODSKU_NO_MEMORY. */
enum podsku_code podsku_lint_list(struct podsku_decode *decode, const struct podsku_catalog *catalog,
                                  struct podsku_error *err) PODSKU_CHECKED;

/* An oddity of one field of a type, by the field's name in the model ("price.secure"). */
void podsku_lint_odd(struct podsku_decode *decode, const struct podsku_gpu_type *type, const char *field,
                     const char *code, const char *fmt, ...) PODSKU_PRINTF(5, 6);

#endif
