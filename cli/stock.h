/*
 * Watching the catalogue: pauses that the service's RateLimit stretches, and what changed between two
 * readings.
 */
#ifndef PODSKU_CLI_STOCK_H
#define PODSKU_CLI_STOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "rules/rules.h"

#define CLI_WATCH_INTERVAL_MS 30000

/* --interval: 1 s or more. */
enum podsku_code cli_interval(struct cli *cli, int64_t *interval_ms) PODSKU_CHECKED;

/* True if stock is known and at least what the requirement asks for (and not none). */
bool cli_in_stock(const struct podsku_requirement *req, const struct podsku_offer *offer);

/*
 * True if some offer fails for nothing but its stock or the place where there is some: waiting may
 * bring it.
 */
bool cli_may_come(const struct podsku_decision *decision);

/*
 * Sleeps one interval with a spread of a tenth, longer when the service's quota asks for it, never past
 * deadline_mono_ms (0: none). PODSKU_TIMEOUT at the deadline, PODSKU_INTERRUPTED on a signal.
 */
enum podsku_code cli_watch_pause(struct cli *cli, const struct podsku_client *client, int64_t interval_ms,
                                 int64_t deadline_mono_ms) PODSKU_CHECKED;

/* True for a failure of one reading that the next one may not have (network, server, throttled). */
bool cli_watch_goes_on(enum podsku_code code);

#endif
