/* What pods and clusters say about an end that was asked for. */
#ifndef PODSKU_CLI_ENDING_H
#define PODSKU_CLI_ENDING_H

#include "cli/command.h"
#include "client/gone.h"

/*
 * Judges what podsku_prove_gone() returned: `code`, with cli->err filled for a failure, and *gone. PODSKU_OK: it
 * is gone. PODSKU_UNSETTLED, in cli->err with what may still run and a hint: it is not, or a DELETE was sent and
 * the proof was cut short, by a signal or for another reason. Otherwise the failure stands: nothing was begun.
 * command: "pods" or "clusters", for the hint.
 */
enum podsku_code cli_judge_gone(struct cli *cli, enum podsku_code code, const struct podsku_gone_result *gone,
                                const char *command, const char *id) PODSKU_CHECKED;

#endif
