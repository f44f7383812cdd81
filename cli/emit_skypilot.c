/*
 * SkyPilot: `resources.ordered` tries entries in order. An entry names the accelerator; the instance
 * type "COUNTx_NAME_SECURE" fixes the cloud. Source: SkyPilot's YAML reference and its Runpod catalogue,
 * November 2026.
 */
#include "base/money.h"
#include "cli/emit.h"

static void put_entry(const struct pick_view *view, struct podsku_buf *out, size_t rank)
{
    const struct podsku_offer *offer = &view->decision->candidates[rank - 1];
    const char *name = cli_emit_names(offer->type->id)->skypilot;
    char text[PODSKU_MONEY_TEXT_SIZE];
    int64_t cap = cli_emit_cap_uusd(view, offer->gpus);

    cli_emit_comment(out, "    ", rank, offer);
    if (!name) {
        podsku_buf_puts(out, "    # left out: SkyPilot has no working name for ");
        cli_put_text(out, offer->type->id);
        podsku_buf_putc(out, '\n');
        return;
    }
    if (offer->cloud != PODSKU_SECURE) {
        podsku_buf_puts(out, "    # left out: SkyPilot's catalogue has only the secure cloud\n");
        return;
    }
    podsku_buf_printf(out, "    - infra: runpod\n      accelerators: %s:%d\n", name, offer->gpus);
    podsku_buf_printf(out, "      instance_type: %dx_%s_SECURE\n", offer->gpus, name);
    if (cap > 0)
        podsku_buf_printf(out, "      max_hourly_cost: %s\n", podsku_money_text(cap, text));
}

bool cli_emit_skypilot_expresses(const struct podsku_offer *offer)
{
    return offer->cloud == PODSKU_SECURE && cli_emit_names(offer->type->id)->skypilot;
}

void cli_emit_skypilot(const struct pick_view *view, struct podsku_buf *out)
{
    const struct podsku_decision *decision = view->decision;

    cli_emit_banner(view, out, "SkyPilot");
    podsku_buf_puts(out,
                    "# SkyPilot cannot express: NVLink or its evidence (the names below are what was decided, and the\n"
                    "# machine is not looked at), data centers by stock, a MIG slice, a price cap on what is billed\n"
                    "# (max_hourly_cost compares its own catalogue).\n");
    if (podsku_requirement_has_placement(view->req))
        podsku_buf_puts(out,
                        "# Placement was asked for and is not in here: add it as infra: runpod/COUNTRY/DATA-CENTER.\n");
    if (view->req->cuda_major >= 0)
        podsku_buf_printf(out, "# --min-cuda %d.%d is not in here: SkyPilot sends no CUDA floor to Runpod.\n",
                          view->req->cuda_major, view->req->cuda_minor);
    if (view->req->nodes > 1)
        podsku_buf_printf(out,
                          "# These would be %d separate pods, not an Instant Cluster: no fast network between them.\n"
                          "num_nodes: %d\n",
                          view->req->nodes, view->req->nodes);
    podsku_buf_puts(out, "resources:\n  ordered:\n");
    for (size_t i = 0; i < decision->candidate_count; i++)
        put_entry(view, out, i + 1);
}
