/*
 * The progress line of everything that waits: rewritten in place on a terminal, nothing otherwise
 * (the caller says plain lines then). Every other talk must clear it first.
 */
#ifndef PODSKU_CLI_PROGRESS_H
#define PODSKU_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

/* Shows the text in place of the last one; cut to the terminal's width. No effect unless cli->progress. */
void cli_progress(const struct cli *cli, const char *fmt, ...) PODSKU_PRINTF(2, 3);
/* Removes the line, or leaves it standing and goes on below it. No effect when there is none. */
void cli_progress_clear(const struct cli *cli);
void cli_progress_end(const struct cli *cli);

#define CLI_ELAPSED_SIZE 24
/* "+0:41", "+1:02:10". Returns text. */
const char *cli_elapsed_text(int64_t ms, char text[CLI_ELAPSED_SIZE]);

#endif
