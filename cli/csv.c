#include "cli/csv.h"

#include <string.h>

static void quoted(struct podsku_buf *out, const char *text)
{
    podsku_buf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            podsku_buf_putc(out, '"');
        podsku_buf_putc(out, *text);
    }
    podsku_buf_putc(out, '"');
}

void cli_csv_row(struct podsku_buf *out, const char *const *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *field = fields[i] ? fields[i] : "";
        if (i > 0)
            podsku_buf_putc(out, ',');
        if (strpbrk(field, ",\"\r\n"))
            quoted(out, field);
        else
            podsku_buf_puts(out, field);
    }
    podsku_buf_putc(out, '\n');
}
