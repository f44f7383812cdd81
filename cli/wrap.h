/*
 * Paragraphs wrapped to a width. Texts are ASCII or UTF-8; a column is a character.
 */
#ifndef PODSKU_CLI_WRAP_H
#define PODSKU_CLI_WRAP_H

#include "base/buf.h"

struct cli_wrap {
    struct podsku_buf *out;
    int width;     /* columns; at least 20 */
    size_t column; /* what already stands on the line */
};

/* A paragraph, each line (but the first, if something stands there already) indented; ends the line. */
void cli_wrap_text(struct cli_wrap *wrap, int indent, const char *text);

/*
 * "  TERM      text": the text hangs at column 2 + term_width, below the term when that is longer or
 * the terminal too narrow.
 */
void cli_wrap_item(struct cli_wrap *wrap, const char *term, int term_width, const char *text);

#endif
