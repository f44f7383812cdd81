/*
 * podsku catalog, inside: each verb loads its model and shows it. Each function returns the exit status.
 */
#ifndef PODSKU_CLI_VIEW_CATALOG_H
#define PODSKU_CLI_VIEW_CATALOG_H

#include "cli/cli.h"
#include "rules/rules.h"

int cli_catalog_list(struct cli *cli);
int cli_catalog_pull(struct cli *cli);
int cli_catalog_diff(struct cli *cli);
int cli_catalog_check(struct cli *cli);
int cli_catalog_mig(struct cli *cli);

/* The types of a catalogue that are shown. */
struct catalog_view {
    struct cli *cli;
    const struct podsku_catalog *catalog;
    const struct podsku_requirement *req; /* which cloud and count the stock is for */
    const struct podsku_gpu_type **types; /* owned array */
    size_t count;
};

enum podsku_code cli_catalog_table(const struct catalog_view *view, struct podsku_buf *out) PODSKU_CHECKED;
enum podsku_code cli_catalog_wide(const struct catalog_view *view, struct podsku_buf *out) PODSKU_CHECKED;
void cli_catalog_csv(const struct catalog_view *view, struct podsku_buf *out);
json_t *cli_catalog_json(const struct catalog_view *view);
/* By data center; *empty tells that the catalogue lists none. */
enum podsku_code cli_catalog_centers(const struct catalog_view *view, struct podsku_buf *out,
                                     bool *empty) PODSKU_CHECKED;
json_t *cli_catalog_centers_json(const struct catalog_view *view);

/* The cloud and the count that the stock of a list is for: the first ones asked for. */
enum podsku_cloud cli_view_cloud(const struct podsku_requirement *req);
/* A type's stock there for the first count that is asked for; *seen (NULL: unknown) is where it is from. */
enum podsku_stock cli_view_stock(const struct catalog_view *view, const struct podsku_gpu_type *type,
                                 const struct podsku_stock_view **seen);

#endif
