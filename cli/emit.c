#include "cli/emit.h"

#include <string.h>

#include "base/money.h"

void cli_emit_quoted(struct podsku_buf *out, const char *text)
{
    podsku_buf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            podsku_buf_putc(out, '\\');
        /* HCL would read these as the start of a template. */
        if ((*text == '$' || *text == '%') && text[1] == '{')
            podsku_buf_putc(out, *text);
        podsku_buf_putc(out, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
    podsku_buf_putc(out, '"');
}

void cli_emit_banner(const struct pick_view *view, struct podsku_buf *out, const char *tool)
{
    struct podsku_buf command = {0};

    podsku_buf_puts(&command, "podsku pick");
    cli_requirement_flags(&command, view->req, NULL);
    podsku_buf_printf(out, "# Made by podsku %s for %s: ", PODSKU_VERSION, tool);
    podsku_buf_puts(out, podsku_buf_text(&command));
    podsku_buf_puts(out, "\n# ");
    cli_source_heading(out, view->catalog, view->req);
    podsku_buf_putc(out, '\n');
    out->failed |= podsku_buf_failed(&command);
    podsku_buf_free(&command);
}

void cli_emit_comment(struct podsku_buf *out, const char *indent, size_t rank, const struct podsku_offer *offer)
{
    podsku_buf_printf(out, "%s# %zu ", indent, rank);
    cli_offer_label(out, offer);
    podsku_buf_puts(out, " USD/h\n");
}

int64_t cli_emit_cap_uusd(const struct pick_view *view, int gpus)
{
    int64_t cap = view->req->max_total_uusd == PODSKU_UNCAPPED ? 0 : view->req->max_total_uusd / view->req->nodes;
    int64_t each;

    if (view->req->max_price_uusd != PODSKU_UNCAPPED && podsku_money_scale(view->req->max_price_uusd, gpus, 1, &each) &&
        (cap == 0 || each < cap))
        cap = each;
    return cap;
}

static const struct tool {
    const char *tool;
    const char *label;
    const char *limit; /* why it has no words for a candidate */
    const char *one;   /* what it makes is one pod: its label in that error; NULL: it can make several */
    bool (*expresses)(const struct podsku_offer *offer);
    void (*emit)(const struct pick_view *view, struct podsku_buf *out);
} tools[] = {
    {"skypilot", "SkyPilot", "it has names for some types only, and only the secure cloud", NULL,
     cli_emit_skypilot_expresses, cli_emit_skypilot},
    {"dstack", "dstack", "it has names for some types only", NULL, cli_emit_dstack_expresses, cli_emit_dstack},
    {"terraform", NULL, NULL, "runpod_pod of Terraform's provider", NULL, cli_emit_terraform},
    {"runpodctl", NULL, NULL, "runpodctl pod create", NULL, cli_emit_runpodctl},
};

enum podsku_code cli_emit_check(struct cli *cli, const struct podsku_requirement *req)
{
    const char *tool = cli_value(cli, "emit");

    for (size_t i = 0; tool && req->nodes > 1 && i < sizeof tools / sizeof *tools; i++) {
        if (strcmp(tools[i].tool, tool) != 0 || !tools[i].one)
            continue;
        podsku_error_hint(&cli->err, "podsku deploy --nodes %d makes an Instant Cluster; --emit dstack has nodes",
                          req->nodes);
        return podsku_error_set(&cli->err, PODSKU_USAGE,
                                "--emit %s does not go with %d nodes: %s makes one pod, no Instant Cluster", tool,
                                req->nodes, tools[i].one);
    }
    return PODSKU_OK;
}

/* Another id than the catalogue's would be another type, or none. */
static enum podsku_code check_ids(const struct pick_view *view, const char *tool)
{
    struct podsku_error *err = &view->cli->err;
    struct podsku_buf shown = {0};

    for (size_t i = 0; i < view->decision->candidate_count && err->code == PODSKU_OK; i++) {
        const char *id = view->decision->candidates[i].type->id;
        podsku_buf_reset(&shown);
        cli_put_text(&shown, id);
        if (strcmp(podsku_buf_text(&shown), id) == 0)
            continue;
        podsku_error_hint(err, "leave it out: --exclude \"%.100s\" (? stands for any byte)", podsku_buf_text(&shown));
        (void)podsku_error_set(err, PODSKU_NO_OFFER, "--emit %s cannot write the id \"%.200s\": it has control bytes",
                               tool, podsku_buf_text(&shown));
    }
    podsku_buf_free(&shown);
    return err->code;
}

/* The other offer with the fewest reasons that the tool has words for; NULL: none. */
static const struct podsku_offer *nearest_expressible(const struct pick_view *view, const struct tool *tool)
{
    const struct podsku_offer *nearest = NULL;

    for (size_t i = 0; i < view->decision->rejected_count; i++) {
        const struct podsku_offer *offer = &view->decision->rejected[i];
        if (!tool->expresses(offer) || offer->price_total_uusd == 0 ||
            podsku_type_not_offered(offer->type, offer->cloud))
            continue;
        if (!nearest || offer->reason_count < nearest->reason_count ||
            (offer->reason_count == nearest->reason_count && offer->price_total_uusd < nearest->price_total_uusd))
            nearest = offer;
    }
    return nearest;
}

/* An empty list of GPUs would mean any GPU to these tools. */
static enum podsku_code check_expressible(const struct pick_view *view, const struct tool *tool)
{
    const struct podsku_decision *decision = view->decision;
    struct podsku_error *err = &view->cli->err;
    struct podsku_buf near = {0};

    for (size_t i = 0; i < decision->candidate_count; i++)
        if (tool->expresses(&decision->candidates[i]))
            return PODSKU_OK;
    const struct podsku_offer *nearest = nearest_expressible(view, tool);
    if (nearest) {
        podsku_buf_puts(&near, "nearest that it can say: ");
        cli_offer_label(&near, nearest);
        podsku_buf_printf(&near, " (%s: %s); ", podsku_rule_name(podsku_offer_chief_reason(nearest)->rule),
                          podsku_offer_chief_reason(nearest)->message);
    } else if (!view->req->cloud[PODSKU_SECURE]) {
        podsku_buf_puts(&near, "--cloud secure may do; "); /* its offers were not looked at */
    }
    podsku_error_hint(err, "%s--emit terraform and runpodctl take any GPU type id", podsku_buf_text(&near));
    podsku_buf_free(&near);
    near = (struct podsku_buf){0};
    cli_offer_label(&near, &decision->candidates[0]);
    (void)podsku_error_set(err, PODSKU_NO_OFFER, "%s cannot express %s (%s): %s", tool->label,
                           decision->candidate_count > 1 ? "any of the candidates" : "the only candidate",
                           podsku_buf_text(&near), tool->limit);
    podsku_buf_free(&near);
    return PODSKU_NO_OFFER;
}

enum podsku_code cli_emit(const struct pick_view *view, const char *tool, struct podsku_buf *out)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (strcmp(tools[i].tool, tool) != 0)
            continue;
        enum podsku_code code = check_ids(view, tool);
        if (code == PODSKU_OK && tools[i].expresses)
            code = check_expressible(view, &tools[i]);
        if (code != PODSKU_OK)
            return code;
        tools[i].emit(view, out);
        return podsku_buf_failed(out) ? podsku_error_no_memory(&view->cli->err) : PODSKU_OK;
    }
    podsku_error_hint(&view->cli->err, "skypilot, dstack, terraform or runpodctl");
    return podsku_error_set(&view->cli->err, PODSKU_USAGE, "--emit does not know %s", tool);
}
