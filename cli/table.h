/*
 * Text tables by libsmartcols: rows are cells of text; columns know their head, side and whether they
 * may be shortened or left out when the terminal is narrow.
 */
#ifndef PODSKU_CLI_TABLE_H
#define PODSKU_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

struct cli_column {
    const char *head;
    bool right;     /* numbers */
    bool trunc;     /* may be shortened on a narrow terminal */
    int drop_order; /* the smallest number above 0 is left out first; 0: not if the rest fits; -1: last of all */
};

struct cli_table;

/*
 * width: columns of the terminal; 0: as wide as needed. Columns are left out in drop_order first, then
 * those marked `trunc` are shortened, then columns are left out from the right, those of -1 last. *table is freed with
 * cli_table_free().
 */
enum podsku_code cli_table_new(const struct cli_column *columns, size_t column_count, int width,
                               struct cli_table **table, struct podsku_error *err) PODSKU_CHECKED;
/* cells: column_count texts (NULL: "-"); copied, control bytes become '?'. */
enum podsku_code cli_table_row(struct cli_table *table, const char *const *cells,
                               struct podsku_error *err) PODSKU_CHECKED;
enum podsku_code cli_table_print(struct cli_table *table, struct podsku_buf *out,
                                 struct podsku_error *err) PODSKU_CHECKED;
void cli_table_free(struct cli_table *table);

#endif
