/*
 * Judging texts for the command line: from what bytes to what is shown and which exit status.
 */
#ifndef PODSKU_CLI_CMD_VERIFY_H
#define PODSKU_CLI_CMD_VERIFY_H

#include "base/buf.h"
#include "cli/cli.h"
#include "rules/verify.h"

/*
 * What the flags expect: --expect, --strict and the requirement's (--gpus, --nvlink, --mig, ...).
 * `names` are the types that they may name. Texts are borrowed from the command line, `req` and `names`, which must
 * live as long. `req` is initialised here; free it. PODSKU_USAGE for what cannot be an expectation.
 */
enum podsku_code cli_verify_expectation(struct cli *cli, const struct podsku_catalog *names,
                                        struct podsku_requirement *req,
                                        struct podsku_expectation *expected) PODSKU_CHECKED;

/* What this machine's own nvidia-smi says, each text below its command line. */
enum podsku_code cli_verify_local(struct cli *cli, struct podsku_buf *text) PODSKU_CHECKED;

/* Shows a verification in the format asked for (with advice on stderr); *status is the exit status. */
enum podsku_code cli_verify_show(struct cli *cli, const struct podsku_verification *verification,
                                 int *status) PODSKU_CHECKED;

/* Reads and judges these bytes, and shows that. */
enum podsku_code cli_verify_text(struct cli *cli, const char *bytes, size_t len,
                                 const struct podsku_expectation *expected, int *status) PODSKU_CHECKED;

#endif
