#include "cli/wrap.h"

#include <string.h>

enum { ITEM_INDENT = 2, NARROW_INDENT = 6, TEXT_LEAST = 30 };

/* Characters of UTF-8 text: bytes that do not continue one. */
static size_t columns_of(const char *text, size_t len)
{
    size_t columns = 0;

    for (size_t i = 0; i < len; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

static void pad(struct cli_wrap *wrap, size_t column)
{
    while (wrap->column < column) {
        podsku_buf_putc(wrap->out, ' ');
        wrap->column++;
    }
}

static void end_line(struct cli_wrap *wrap)
{
    podsku_buf_putc(wrap->out, '\n');
    wrap->column = 0;
}

void cli_wrap_text(struct cli_wrap *wrap, int indent, const char *text)
{
    bool first = true;

    while (*text) {
        size_t len = strcspn(text, " ");
        size_t columns = columns_of(text, len);
        if (!first && wrap->column + 1 + columns > (size_t)wrap->width) {
            end_line(wrap);
            first = true;
        }
        if (first)
            pad(wrap, (size_t)indent);
        else
            pad(wrap, wrap->column + 1);
        podsku_buf_append(wrap->out, text, len);
        wrap->column += columns;
        first = false;
        text += len;
        text += strspn(text, " ");
    }
    if (wrap->column > 0)
        end_line(wrap);
}

void cli_wrap_item(struct cli_wrap *wrap, const char *term, int term_width, const char *text)
{
    int hang = ITEM_INDENT + term_width;

    if (term_width == 0 || wrap->width - hang < TEXT_LEAST)
        hang = NARROW_INDENT;
    if (term_width == 0) {
        cli_wrap_text(wrap, ITEM_INDENT, term);
    } else {
        pad(wrap, ITEM_INDENT);
        podsku_buf_puts(wrap->out, term);
        wrap->column += columns_of(term, strlen(term));
        if (wrap->column + 2 > (size_t)hang)
            end_line(wrap);
    }
    if (*text)
        cli_wrap_text(wrap, hang, text);
    else if (wrap->column > 0)
        end_line(wrap);
}
