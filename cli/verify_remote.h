/*
 * verify --pod ID and --cluster ID.
 */
#ifndef PODSKU_CLI_VERIFY_REMOTE_H
#define PODSKU_CLI_VERIFY_REMOTE_H

#include "cli/cli.h"
#include "rules/verify.h"

/*
 * Looks at the pod of --pod or at every member of --cluster, shows what was found; *status is the exit
 * status. flags: what the flags expect; when they say nothing, a pod that podsku made is judged against
 * what it was rented for. PODSKU_NOT_FOUND, transport errors, PODSKU_INTERRUPTED.
 */
enum podsku_code cli_verify_remote(struct cli *cli, const struct podsku_facts_set *facts,
                                   const struct podsku_expectation *flags, int *status) PODSKU_CHECKED;

#endif
