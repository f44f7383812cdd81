/*
 * What `podsku pick` shows: the decision as table, as wide table or CSV, as JSON, and the talk beside
 * it (where the catalogue is from, why the others are not, what comes nearest, what to do next).
 * Views only read the model; data goes into `out`, talk to stderr by cli_say().
 */
#ifndef PODSKU_CLI_VIEW_PICK_H
#define PODSKU_CLI_VIEW_PICK_H

#include "base/buf.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/observations.h"
#include "rules/rules.h"

/* Everything is borrowed. */
struct pick_view {
    struct cli *cli;
    const struct podsku_catalog *catalog;
    const struct podsku_requirement *req;
    const struct podsku_decision *decision;
    const char *contradiction;                   /* why no catalogue could satisfy it; NULL: none */
    const struct cli_observations *observations; /* with --explain; NULL: not read */
};

/* The columns that fit what was asked: links, or shares of a card. */
enum podsku_code cli_pick_table(const struct pick_view *view, struct podsku_buf *out) PODSKU_CHECKED;
/* The seventeen columns of JSON.md's csv, as a table or as CSV (RFC 4180 quoting, lines end with LF). */
enum podsku_code cli_pick_wide(const struct pick_view *view, struct podsku_buf *out) PODSKU_CHECKED;
void cli_pick_csv(const struct pick_view *view, struct podsku_buf *out);
/* Each id once, in rank order. */
void cli_pick_ids(const struct pick_view *view, struct podsku_buf *out);
/* The podsku.pick/1 document: new reference, NULL without memory. */
json_t *cli_pick_json(const struct pick_view *view);

/* Why each other offer is not a candidate, one line each, and what was observed before. */
void cli_pick_explain(const struct pick_view *view, struct podsku_buf *out);

/* Talk: before the table, after it, and instead of it when nothing satisfies the requirement. */
void cli_pick_heading(const struct pick_view *view);
void cli_pick_talk(const struct pick_view *view);
void cli_pick_no_offer(const struct pick_view *view);
/* How many types fail, by their most telling reason; nothing when none does. */
void cli_pick_rejections(const struct pick_view *view);
/* The lines that every format gets: notes that concern money or the whole decision. */
void cli_pick_notes(const struct pick_view *view);

/* Helpers that other commands show offers by, too. */

/* "12.72", "~126.34" when a premium was estimated, "-" when unknown. */
void cli_offer_price(struct podsku_buf *out, const struct podsku_offer *offer);
/* "H100 NVL x8, secure, 25.52" */
void cli_offer_label(struct podsku_buf *out, const struct podsku_offer *offer);
/* "high", "med", "low", "none"; NULL when unknown. */
const char *cli_stock_word(enum podsku_stock stock);
/* "US-KS-2 +3": the data centers with stock, most first; nothing when none is listed. */
void cli_where(struct podsku_buf *out, const struct podsku_stock_view *view);
/* "1/4", "whole", or nothing when unknown. */
void cli_share(struct podsku_buf *out, const struct podsku_slice *slice, bool compute);
/* "catalogue: bundled, August 2026 (...)": the source with its age, types and cloud; ends without newline. */
void cli_source_heading(struct podsku_buf *out, const struct podsku_catalog *catalog,
                        const struct podsku_requirement *req);

/* " --gpus 8 --nvlink": the requirement as flags for a shell, without those in `without` (NULL-terminated). */
void cli_requirement_flags(struct podsku_buf *out, const struct podsku_requirement *req, const char *const *without);
/* Appends a service's or a file's text with its control bytes as '?', for lines and terminals. */
void cli_put_text(struct podsku_buf *out, const char *text);
/* Appends a word so that a POSIX shell reads it as one; control bytes become '?'. */
void cli_shell_word(struct podsku_buf *out, const char *word);

/* True when shares of a card were asked for; when links matter. */
bool cli_asks_fraction(const struct podsku_requirement *req);
bool cli_asks_links(const struct podsku_requirement *req);

#endif
