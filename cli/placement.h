/*
 * Placement: data centers, countries, region and certificates of a requirement become data center ids,
 * since those are all that a create takes. Only against the live service.
 */
#ifndef PODSKU_CLI_PLACEMENT_H
#define PODSKU_CLI_PLACEMENT_H

#include "cli/cli.h"

/*
 * Replaces req->data_centers by the ids that satisfy data center, country, region and compliance
 * together, spelled as the service does. Reads the list of data centers, and for countries the
 * catalogue filtered by them; nothing without placement. PODSKU_USAGE for unknown ids and certificates,
 * with those that exist. When no data center satisfies all, that is said, and the only id is one that
 * nothing has: the decision then names the rule. Called again for the same requirement (by a watch) it
 * starts from what was asked, since countries are found by stock, which changes.
 */
enum podsku_code cli_resolve_placement(struct cli *cli, struct podsku_requirement *req,
                                       const struct podsku_facts_set *facts,
                                       struct podsku_client *client) PODSKU_CHECKED;

/* Forgets what was asked: another requirement follows. */
void cli_forget_placement(struct cli *cli);

#endif
