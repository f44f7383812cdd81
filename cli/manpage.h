/*
 * Man pages: the parts that come from the tables, in mdoc. The prose stands in man/NAME.in; a line
 * "@PART@" there is replaced by what is made here.
 */
#ifndef PODSKU_CLI_MANPAGE_H
#define PODSKU_CLI_MANPAGE_H

#include "base/buf.h"
#include "base/error.h"

/* Appends the page made from this template. PODSKU_INPUT names a part that does not exist. */
enum podsku_code cli_man_page(struct podsku_buf *out, const char *template_text, const char *name,
                              struct podsku_error *err) PODSKU_CHECKED;

#endif
