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

enum podsku_code cli_emit(const struct pick_view *view, const char *tool, struct podsku_buf *out)
{
    static const struct {
        const char *tool;
        void (*emit)(const struct pick_view *view, struct podsku_buf *out);
    } tools[] = {
        {"skypilot", cli_emit_skypilot},
        {"dstack", cli_emit_dstack},
        {"terraform", cli_emit_terraform},
        {"runpodctl", cli_emit_runpodctl},
    };

    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (strcmp(tools[i].tool, tool) != 0)
            continue;
        tools[i].emit(view, out);
        return podsku_buf_failed(out) ? podsku_error_no_memory(&view->cli->err) : PODSKU_OK;
    }
    podsku_error_hint(&view->cli->err, "skypilot, dstack, terraform or runpodctl");
    return podsku_error_set(&view->cli->err, PODSKU_USAGE, "--emit does not know %s", tool);
}
