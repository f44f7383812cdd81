/*
 * `podsku pick --serverless`: the pools that hold the candidates and the exclusions that leave only
 * candidates among today's members, as the `gpu` object of POST /v2/serverless. It creates nothing.
 */
#ifndef PODSKU_CLI_SERVERLESS_H
#define PODSKU_CLI_SERVERLESS_H

#include "cli/cli.h"
#include "rules/requirement.h"

/* Decides by the serverless prices and prints; the exit status. */
int cli_pick_serverless(struct cli *cli, const struct podsku_catalog *catalog, const struct podsku_requirement *req);

#endif
