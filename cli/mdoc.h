/*
 * Writing mdoc: text lines that mandoc's lint accepts (one sentence a line, at most 80 bytes, nothing
 * that would be read as a macro or an escape).
 */
#ifndef PODSKU_CLI_MDOC_H
#define PODSKU_CLI_MDOC_H

#include "base/buf.h"

/* A text as text lines. */
void cli_mdoc_text(struct podsku_buf *out, const char *text);
/* One argument of a macro, in quotes where it needs them. */
void cli_mdoc_argument(struct podsku_buf *out, const char *text);

#endif
