/*
 * Observations: what verifications found, one JSON object a line in "observations.jsonl" of the state
 * folder. They inform; they never change a decision.
 */
#ifndef PODSKU_CLI_OBSERVATIONS_H
#define PODSKU_CLI_OBSERVATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/cli.h"

struct cli_observation {
    char *gpu;         /* GPU type id, never NULL */
    char *cloud;       /* "SECURE"; NULL: unknown */
    char *data_center; /* NULL: unknown */
    char *verdict;     /* "match", "mismatch", "unverified"; never NULL */
    int gpus;          /* 0: unknown */
    int64_t at_ms;     /* wall clock; 0: unknown */
};

/* Owns its strings; in the file's order, oldest first. */
struct cli_observations {
    struct cli_observation *list;
    size_t count;
    size_t unreadable; /* lines that are no observation */
};

/*
 * Reads them all; no file is no observation. Never creates anything. PODSKU_STATE when the file is
 * there and cannot be read. Free with cli_observations_free().
 */
enum podsku_code cli_observations_load(struct cli *cli, struct cli_observations *observations) PODSKU_CHECKED;
void cli_observations_free(struct cli_observations *observations);

/*
 * Appends one as a whole line (a single write, so that two processes do not mix). at_ms 0: now.
 * PODSKU_STATE on failure.
 */
enum podsku_code cli_observations_add(struct cli *cli, const struct cli_observation *observation) PODSKU_CHECKED;

/* {"gpu","cloud","gpus","data_center","verdict","at"}: new reference, NULL without memory. */
json_t *cli_observation_json(const struct cli_observation *observation);

#endif
