/*
 * Whole files: bounded reading, atomic writing.
 */
#ifndef PODSKU_BASE_FILE_H
#define PODSKU_BASE_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

#define PODSKU_FILE_MAX ((size_t)256 << 20) /* bytes; the largest input file that is read */

/*
 * Reads a whole file ("-": standard input) into out (emptied first). Missing or unreadable:
 * PODSKU_NO_FILE with the reason; larger than max bytes: PODSKU_INPUT. `where` names the path.
 */
enum podsku_code podsku_file_read(const char *path, size_t max, struct podsku_buf *out,
                                  struct podsku_error *err) PODSKU_CHECKED;

/*
 * Replaces path by these bytes as a whole or not at all: temporary file beside it, fsync, rename,
 * fsync of the folder. mode as for open(2), for a new file; an old one keeps its own. Pipes and devices
 * are written to instead. PODSKU_OUTPUT on failure, and the old file is as it was.
 */
enum podsku_code podsku_file_write(const char *path, const void *bytes, size_t len, unsigned mode,
                                   struct podsku_error *err) PODSKU_CHECKED;

#endif
