#include "cli/grid.h"

#include "cli/csv.h"
#include "cli/table.h"

struct cells {
    const struct cli_grid_field *fields[CLI_GRID_FIELDS_MAX];
    struct podsku_buf buf[CLI_GRID_FIELDS_MAX];
    const char *text[CLI_GRID_FIELDS_MAX]; /* NULL: unknown */
    size_t count;
};

static void choose_fields(struct cells *cells, const struct cli_grid *grid, enum cli_grid_format format)
{
    for (size_t i = 0; i < grid->field_count && cells->count < CLI_GRID_FIELDS_MAX; i++)
        if (grid->fields[i].formats & (unsigned)format)
            cells->fields[cells->count++] = &grid->fields[i];
}

/* False without memory. */
static bool fill(struct cells *cells, const struct cli_grid *grid, size_t index)
{
    const void *row = grid->row(grid->ctx, index);
    bool ok = true;

    for (size_t c = 0; c < cells->count; c++) {
        podsku_buf_reset(&cells->buf[c]);
        cells->fields[c]->put(&cells->buf[c], grid->ctx, row);
        ok = ok && !podsku_buf_failed(&cells->buf[c]);
        cells->text[c] = cells->buf[c].len > 0 ? cells->buf[c].data : NULL;
    }
    return ok;
}

static void free_cells(struct cells *cells)
{
    for (size_t c = 0; c < cells->count; c++)
        podsku_buf_free(&cells->buf[c]);
}

enum podsku_code cli_grid_table(const struct cli_grid *grid, enum cli_grid_format format, int width,
                                struct podsku_buf *out, struct podsku_error *err)
{
    struct cli_column columns[CLI_GRID_FIELDS_MAX];
    struct cells cells = {0};
    struct cli_table *table = NULL;

    choose_fields(&cells, grid, format);
    for (size_t c = 0; c < cells.count; c++)
        columns[c] = (struct cli_column){cells.fields[c]->head, cells.fields[c]->right, cells.fields[c]->trunc,
                                         cells.fields[c]->drop_order};
    enum podsku_code code = cli_table_new(columns, cells.count, width, &table, err);
    for (size_t i = 0; i < grid->row_count && code == PODSKU_OK; i++)
        code = fill(&cells, grid, i) ? cli_table_row(table, cells.text, err) : podsku_error_no_memory(err);
    if (code == PODSKU_OK)
        code = cli_table_print(table, out, err);
    cli_table_free(table);
    free_cells(&cells);
    return code;
}

void cli_grid_csv(const struct cli_grid *grid, struct podsku_buf *out)
{
    const char *names[CLI_GRID_FIELDS_MAX];
    struct cells cells = {0};

    choose_fields(&cells, grid, CLI_GRID_CSV);
    for (size_t c = 0; c < cells.count; c++)
        names[c] = cells.fields[c]->name;
    cli_csv_row(out, names, cells.count);
    for (size_t i = 0; i < grid->row_count; i++) {
        out->failed |= !fill(&cells, grid, i);
        cli_csv_row(out, cells.text, cells.count);
    }
    free_cells(&cells);
}
