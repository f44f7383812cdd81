/*
 * libsmartcols aligns the columns. What to leave out or to shorten on a narrow terminal is decided
 * here: its own reduction wraps lines, and asks the terminal for a width that --output may not have.
 */
#include "cli/table.h"

#include <langinfo.h>
#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/text.h"

#define SEPARATOR "  "
enum { SEPARATOR_WIDTH = 2, TRUNC_LEAST = 8, COLUMNS_LEAST = 2, HEAD_ROW = 0 };

struct cli_table {
    struct cli_column *columns;
    size_t column_count;
    int width;
    char **cells; /* row by row; the heads are the first row */
    size_t row_count, row_room;
    size_t *widths; /* by column: columns of the terminal that its widest cell needs */
    bool *left_out; /* by column */
};

/* The next character of text: its bytes and its columns. Bytes that are no character take one each. */
static size_t next_character(const char *text, size_t *columns)
{
    mbstate_t state = {0};
    wchar_t character;
    size_t bytes = mbrtowc(&character, text, strlen(text), &state);
    int width;

    *columns = 1;
    if (bytes == 0 || bytes == (size_t)-1 || bytes == (size_t)-2)
        return 1;
    width = wcwidth(character);
    if (width >= 0)
        *columns = (size_t)width;
    return bytes;
}

static size_t text_width(const char *text)
{
    size_t total = 0;

    while (*text) {
        size_t columns;
        text += next_character(text, &columns);
        total += columns;
    }
    return total;
}

/* Shortens the text in place to at most `width` columns; its end then is a mark. */
static void shorten(char *text, size_t width)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    const char *mark = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? ellipsis : "~";
    size_t total = 0;
    size_t columns;
    char *at = text;

    if (width == 0 || text_width(text) <= width)
        return;
    for (;;) {
        size_t bytes = next_character(at, &columns);
        if (total + columns > width - 1)
            break;
        total += columns;
        at += bytes;
    }
    /* What is cut off may be shorter than the mark (one byte against three). */
    if (strlen(at) >= strlen(mark))
        memcpy(at, mark, strlen(mark) + 1);
    else
        memcpy(at, "~", 2);
}

enum podsku_code cli_table_new(const struct cli_column *columns, size_t column_count, int width,
                               struct cli_table **table, struct podsku_error *err)
{
    struct cli_table *made = calloc(1, sizeof *made);
    const char **heads = calloc(column_count, sizeof *heads);
    enum podsku_code code = PODSKU_NO_MEMORY;

    *table = made;
    if (!made || !heads)
        goto out;
    made->width = width;
    made->column_count = column_count;
    made->columns = calloc(column_count, sizeof *made->columns);
    made->widths = calloc(column_count, sizeof *made->widths);
    made->left_out = calloc(column_count, sizeof *made->left_out);
    if (!made->columns || !made->widths || !made->left_out)
        goto out;
    memcpy(made->columns, columns, column_count * sizeof *columns);
    for (size_t i = 0; i < column_count; i++)
        heads[i] = columns[i].head;
    code = cli_table_row(made, heads, err);
out:
    free(heads);
    if (code == PODSKU_OK)
        return PODSKU_OK;
    cli_table_free(made);
    *table = NULL;
    return podsku_error_no_memory(err);
}

static bool reserve_row(struct cli_table *table)
{
    size_t room = table->row_room ? 2 * table->row_room : 16;
    char **cells;

    if (table->row_count < table->row_room)
        return true;
    cells = reallocarray(table->cells, room * table->column_count, sizeof *cells);
    if (!cells)
        return false;
    table->cells = cells;
    table->row_room = room;
    return true;
}

enum podsku_code cli_table_row(struct cli_table *table, const char *const *cells, struct podsku_error *err)
{
    char **row;

    if (!reserve_row(table))
        return podsku_error_no_memory(err);
    row = table->cells + table->row_count * table->column_count;
    memset(row, 0, table->column_count * sizeof *row);
    table->row_count++;
    for (size_t i = 0; i < table->column_count; i++) {
        const char *text = cells[i] ? cells[i] : "-";
        struct podsku_buf clean = {0};
        size_t width;
        podsku_text_printable(&clean, text, strlen(text), false);
        podsku_buf_puts(&clean, "");
        row[i] = podsku_buf_take(&clean);
        if (!row[i])
            return podsku_error_no_memory(err);
        width = text_width(row[i]);
        if (width > table->widths[i])
            table->widths[i] = width;
    }
    return PODSKU_OK;
}

static size_t total_width(const struct cli_table *table)
{
    size_t total = 0;

    for (size_t i = 0; i < table->column_count; i++) {
        if (!table->left_out[i])
            total += table->widths[i] + (total ? SEPARATOR_WIDTH : 0);
    }
    return total;
}

/* The column to leave out next; column_count: none may be. */
static size_t next_to_leave_out(const struct cli_table *table)
{
    size_t best = table->column_count;

    for (size_t i = 0; i < table->column_count; i++) {
        int order = table->columns[i].drop_order;
        if (order > 0 && !table->left_out[i] &&
            (best == table->column_count || order < table->columns[best].drop_order))
            best = i;
    }
    return best;
}

/* The widest column that may still be shortened; column_count: none. */
static size_t widest(const struct cli_table *table, bool any)
{
    size_t best = table->column_count;

    for (size_t i = 0; i < table->column_count; i++) {
        size_t least = any ? 1 : TRUNC_LEAST;
        if (table->left_out[i] || table->widths[i] <= least || (!any && !table->columns[i].trunc))
            continue;
        if (best == table->column_count || table->widths[i] > table->widths[best])
            best = i;
    }
    return best;
}

/* Shortens columns, the widest first, until the table fits; with `any` also those not marked `trunc`. */
static bool shrink(struct cli_table *table, bool any)
{
    size_t column;

    while (total_width(table) > (size_t)table->width && (column = widest(table, any)) < table->column_count)
        table->widths[column]--;
    return total_width(table) <= (size_t)table->width;
}

/* The rightmost column, of those that may be lost if there is one, as long as two are left; column_count: none. */
static size_t rightmost(const struct cli_table *table)
{
    size_t shown = 0;
    size_t last = table->column_count;
    size_t last_kept = table->column_count;

    for (size_t i = 0; i < table->column_count; i++) {
        if (table->left_out[i])
            continue;
        shown++;
        if (table->columns[i].drop_order < 0)
            last_kept = i;
        else
            last = i;
    }
    if (shown <= COLUMNS_LEAST)
        return table->column_count;
    return last < table->column_count ? last : last_kept;
}

/* On very narrow terminals two or three whole columns say more than the first letters of all. */
static void fit(struct cli_table *table, const size_t *natural)
{
    size_t column;

    if (table->width <= 0)
        return;
    while (total_width(table) > (size_t)table->width && (column = next_to_leave_out(table)) < table->column_count)
        table->left_out[column] = true;
    while (!shrink(table, false) && (column = rightmost(table)) < table->column_count) {
        memcpy(table->widths, natural, table->column_count * sizeof *natural);
        table->left_out[column] = true;
    }
    (void)shrink(table, true);
    for (size_t row = 0; row < table->row_count; row++) {
        for (size_t i = 0; i < table->column_count; i++)
            shorten(table->cells[row * table->column_count + i], table->widths[i]);
    }
}

static bool add_columns(const struct cli_table *table, struct libscols_table *out)
{
    for (size_t i = 0; i < table->column_count; i++) {
        int flags = table->columns[i].right ? SCOLS_FL_RIGHT : 0;
        if (!table->left_out[i] && !scols_table_new_column(out, table->cells[i], 0, flags))
            return false;
    }
    return true;
}

static bool add_rows(const struct cli_table *table, struct libscols_table *out)
{
    for (size_t row = HEAD_ROW + 1; row < table->row_count; row++) {
        struct libscols_line *line = scols_table_new_line(out, NULL);
        size_t column = 0;
        if (!line)
            return false;
        for (size_t i = 0; i < table->column_count; i++) {
            if (!table->left_out[i] &&
                scols_line_set_data(line, column++, table->cells[row * table->column_count + i]) != 0)
                return false;
        }
    }
    return true;
}

static size_t count_ink(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += *text != ' ' && *text != '\n';
    return count;
}

/*
 * libsmartcols leaves a cell empty, and says nothing, when it finds no memory for it. (It may print
 * more than the cells hold: what the locale cannot show is spelled out.)
 */
static bool is_whole(const struct cli_table *table, const char *text)
{
    size_t wanted = 0;

    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        if (!table->left_out[i % table->column_count])
            wanted += count_ink(table->cells[i]);
    }
    return count_ink(text) >= wanted;
}

/* Blanks at the ends of lines help nobody. */
static void append_lines(struct podsku_buf *out, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        size_t end = len;
        while (end > 0 && text[end - 1] == ' ')
            end--;
        podsku_buf_append(out, text, end);
        podsku_buf_putc(out, '\n');
        text += len + (text[len] == '\n');
    }
}

enum podsku_code cli_table_print(struct cli_table *table, struct podsku_buf *out, struct podsku_error *err)
{
    struct libscols_table *view = scols_new_table();
    size_t *natural = calloc(table->column_count, sizeof *natural);
    char *text = NULL;
    enum podsku_code code = PODSKU_NO_MEMORY;

    if (!natural)
        goto out;
    memcpy(natural, table->widths, table->column_count * sizeof *natural);
    fit(table, natural);
    if (!view || scols_table_set_column_separator(view, SEPARATOR) != 0 ||
        scols_table_set_termforce(view, SCOLS_TERMFORCE_NEVER) != 0 || !add_columns(table, view) ||
        !add_rows(table, view))
        goto out;
    /* libsmartcols prints nothing, not even the heads, for a table without rows. */
    if (table->row_count > HEAD_ROW + 1 &&
        (scols_print_table_to_string(view, &text) != 0 || !text || !is_whole(table, text)))
        goto out;
    append_lines(out, text ? text : "");
    if (!podsku_buf_failed(out))
        code = PODSKU_OK;
out:
    free(natural);
    free(text);
    if (view)
        scols_unref_table(view);
    return code ? podsku_error_no_memory(err) : PODSKU_OK;
}

void cli_table_free(struct cli_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; table->cells && i < table->row_count * table->column_count; i++)
        free(table->cells[i]);
    free(table->cells);
    free(table->columns);
    free(table->widths);
    free(table->left_out);
    free(table);
}
