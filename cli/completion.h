/*
 * Completion scripts from the tables of commands and options.
 */
#ifndef PODSKU_CLI_COMPLETION_H
#define PODSKU_CLI_COMPLETION_H

#include <stdbool.h>

#include "base/buf.h"

/* The script of "bash", "zsh" or "fish"; false for another shell. */
bool cli_completion(struct podsku_buf *out, const char *shell);

#endif
