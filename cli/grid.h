/*
 * Rows and fields: one table of fields makes the text table, the wide table and the CSV of a list.
 */
#ifndef PODSKU_CLI_GRID_H
#define PODSKU_CLI_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* In which formats a field is shown. */
enum cli_grid_format { CLI_GRID_TABLE = 1, CLI_GRID_WIDE = 2, CLI_GRID_CSV = 4 };

struct cli_grid_field {
    const char *name; /* of the CSV column */
    const char *head; /* of the table column */
    unsigned formats;
    bool right, trunc;
    int drop_order; /* as in struct cli_column */
    /* Appends the cell's text; nothing when it is unknown. */
    void (*put)(struct podsku_buf *out, const void *ctx, const void *row);
};

struct cli_grid {
    const struct cli_grid_field *fields;
    size_t field_count; /* at most CLI_GRID_FIELDS_MAX */
    const void *ctx;    /* for put and row */
    const void *(*row)(const void *ctx, size_t index);
    size_t row_count;
};

enum { CLI_GRID_FIELDS_MAX = 32 };

/* format: CLI_GRID_TABLE or CLI_GRID_WIDE. width as for cli_table_new(). */
enum podsku_code cli_grid_table(const struct cli_grid *grid, enum cli_grid_format format, int width,
                                struct podsku_buf *out, struct podsku_error *err) PODSKU_CHECKED;
/* The head line and one line a row; out fails on memory. */
void cli_grid_csv(const struct cli_grid *grid, struct podsku_buf *out);

#endif
