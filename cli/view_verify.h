/*
 * What `podsku verify` shows of a verification: the matrix with its legend and the verdict, or a picture.
 */
#ifndef PODSKU_CLI_VIEW_VERIFY_H
#define PODSKU_CLI_VIEW_VERIFY_H

#include "base/buf.h"
#include "cli/cli.h"
#include "rules/verify.h"

/*
 * Text: matrix, legend with counts and GB/s, what the machine is, verdict, notes. A matrix wider than
 * `width` is shown in blocks of columns (0: as wide as needed). color: ANSI colours; the words say it
 * all without. out fails on memory.
 */
void cli_verify_table(struct podsku_buf *out, const struct podsku_verification *verification, int width, bool color);

/* A picture: GPUs on a circle by NUMA node, NVLinks as lines, their width by bandwidth; light and dark. */
void cli_verify_svg(struct podsku_buf *out, const struct podsku_verification *verification);

/* GB/s between the two GPUs of a link, both directions; < 0: not known (no NVLink, or no type). */
double cli_verify_link_gbs(const struct podsku_verification *verification, struct podsku_pair_link link);

/* How many pairs have each kind of link, nearest first; fills at most `max`, returns how many. */
struct cli_link_count {
    struct podsku_pair_link link;
    int pairs;
};
int cli_verify_count_links(const struct podsku_verification *verification, struct cli_link_count *counts, int max);

/* "0-3 | 4-7": the GPUs of each NUMA node, or of each NVLink group; "" when unknown or none. */
void cli_verify_nodes_text(struct podsku_buf *out, const struct podsku_verification *verification);
void cli_verify_groups_text(struct podsku_buf *out, const struct podsku_verification *verification);

#endif
