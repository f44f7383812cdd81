/*
 * CSV as RFC 4180 quotes it; lines end with LF, as Unix tools expect.
 */
#ifndef PODSKU_CLI_CSV_H
#define PODSKU_CLI_CSV_H

#include <stddef.h>

#include "base/buf.h"

/* One line of fields; NULL and "" are empty fields. */
void cli_csv_row(struct podsku_buf *out, const char *const *fields, size_t count);

#endif
