/*
 * The decision in the words of other tools: `podsku pick --emit TOOL`. Each prints the candidates in
 * order, and says in comments what the tool cannot express.
 */
#ifndef PODSKU_CLI_EMIT_H
#define PODSKU_CLI_EMIT_H

#include "cli/view_pick.h"

/*
 * tool: "skypilot", "dstack", "terraform", "runpodctl". There is at least one candidate. PODSKU_NO_OFFER
 * when the tool has no words for any candidate, or an id could only be written altered.
 */
enum podsku_code cli_emit(const struct pick_view *view, const char *tool, struct podsku_buf *out) PODSKU_CHECKED;

/* PODSKU_USAGE when --emit names a tool that makes one pod, and the requirement asks for several nodes. */
enum podsku_code cli_emit_check(struct cli *cli, const struct podsku_requirement *req) PODSKU_CHECKED;

/* What the tools call a GPU type; NULL: they have no name for it. */
struct cli_emit_names {
    const char *id;
    const char *skypilot;
    const char *dstack;
};
/* Never NULL: a type that is in no table has a row without names. */
const struct cli_emit_names *cli_emit_names(const char *id);
/* Row by row, for what shares a name; NULL after the last. */
const struct cli_emit_names *cli_emit_names_at(size_t index);

/* Has the tool words for the offer? */
bool cli_emit_skypilot_expresses(const struct podsku_offer *offer);
bool cli_emit_dstack_expresses(const struct podsku_offer *offer);

/* One file each; out fails only on memory. Some candidate can be expressed, and every id can be written. */
void cli_emit_skypilot(const struct pick_view *view, struct podsku_buf *out);
void cli_emit_dstack(const struct pick_view *view, struct podsku_buf *out);
void cli_emit_terraform(const struct pick_view *view, struct podsku_buf *out);
void cli_emit_runpodctl(const struct pick_view *view, struct podsku_buf *out);

/* What they share. */

/* "# Made by podsku ...: podsku pick --gpus 8 --nvlink" and where the prices are from. */
void cli_emit_banner(const struct pick_view *view, struct podsku_buf *out, const char *tool);
/* "1 H100 SXM x8, secure, 26.32" as a comment. */
void cli_emit_comment(struct podsku_buf *out, const char *indent, size_t rank, const struct podsku_offer *offer);
/* A double-quoted string as YAML and HCL (both escape like JSON here). */
void cli_emit_quoted(struct podsku_buf *out, const char *text);
/* The cap in USD per hour of one machine that the requirement sets; 0: none. */
int64_t cli_emit_cap_uusd(const struct pick_view *view, int gpus);

#endif
