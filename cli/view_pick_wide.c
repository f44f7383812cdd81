/* The columns that scripts read: the same seventeen as CSV and as a wide table. */
#include "cli/view_pick.h"

#include <stdlib.h>

#include "base/money.h"
#include "cli/grid.h"

static void put_money(struct podsku_buf *out, int64_t uusd)
{
    char text[PODSKU_MONEY_TEXT_SIZE];

    if (uusd)
        podsku_buf_puts(out, podsku_money_text(uusd, text));
}

static void put_count(struct podsku_buf *out, int64_t number)
{
    if (number > 0)
        podsku_buf_printf(out, "%lld", (long long)number);
}

static void put_rank(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct pick_view *view = ctx;
    const struct podsku_offer *offer = row;

    podsku_buf_printf(out, "%td", offer - view->decision->candidates + 1);
}

static void put_id(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    podsku_buf_puts(out, offer->type->id);
}

static void put_name(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    podsku_buf_puts(out, podsku_gpu_name(offer->type));
}

static void put_cloud(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    podsku_buf_puts(out, podsku_cloud_name(offer->cloud));
}

static void put_gpus(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    put_count(out, offer->gpus);
}

static void put_nodes(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    put_count(out, offer->nodes);
}

static void put_each(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    put_money(out, offer->price_gpu_uusd);
}

static void put_total(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    put_money(out, offer->price_total_uusd);
}

static void put_vram(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    put_count(out, offer->memory_gb);
}

static void put_total_vram(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    put_count(out, offer->total_memory_gb);
}

static void put_link(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    podsku_buf_puts(out, podsku_link_name(offer->topology.link));
}

static void put_evidence(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    podsku_buf_puts(out, podsku_evidence_name(offer->topology.evidence));
}

static void put_gbs(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    if (offer->topology.link_gbs >= 0)
        podsku_buf_printf(out, "%g", offer->topology.link_gbs);
}

static void put_profile(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    if (offer->type->slice)
        podsku_buf_puts(out, offer->type->slice->profile);
}

static void put_stock(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    if (offer->stock != PODSKU_STOCK_UNKNOWN)
        podsku_buf_puts(out, podsku_stock_name(offer->stock));
}

static void put_data_centers(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    for (size_t i = 0; offer->view && i < offer->view->data_center_count; i++)
        podsku_buf_printf(out, "%s%s", i ? ";" : "", offer->view->data_centers[i].id);
}

static void put_notes(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_offer *offer = row;

    (void)ctx;
    for (size_t i = 0; i < offer->note_count; i++)
        podsku_buf_printf(out, "%s%s: %s", i ? "; " : "", offer->notes[i].code, offer->notes[i].message);
}

static const void *row_at(const void *ctx, size_t index)
{
    const struct pick_view *view = ctx;

    return &view->decision->candidates[index];
}

#define BOTH (CLI_GRID_WIDE | CLI_GRID_CSV)

static const struct cli_grid_field fields[] = {
    {"rank", "#", BOTH, true, false, 0, put_rank},
    {"id", "ID", BOTH, false, false, 0, put_id},
    {"name", "NAME", BOTH, false, false, 0, put_name},
    {"cloud", "CLOUD", BOTH, false, false, 0, put_cloud},
    {"gpus", "GPUS", BOTH, true, false, 0, put_gpus},
    {"nodes", "NODES", BOTH, true, false, 0, put_nodes},
    {"price_per_gpu_hour", "USD/GPU-h", BOTH, true, false, 0, put_each},
    {"price_per_hour", "USD/h", BOTH, true, false, 0, put_total},
    {"vram_gb", "VRAM", BOTH, true, false, 0, put_vram},
    {"total_vram_gb", "TOTAL VRAM", BOTH, true, false, 0, put_total_vram},
    {"link", "LINK", BOTH, false, false, 0, put_link},
    {"evidence", "EVIDENCE", BOTH, false, false, 0, put_evidence},
    {"link_gbs", "GB/s", BOTH, true, false, 0, put_gbs},
    {"mig_profile", "MIG", BOTH, false, false, 0, put_profile},
    {"stock", "STOCK", BOTH, false, false, 0, put_stock},
    {"data_centers", "DATA CENTERS", BOTH, false, false, 0, put_data_centers},
    {"notes", "NOTES", BOTH, false, false, 0, put_notes},
};

static struct cli_grid grid_of(const struct pick_view *view)
{
    return (struct cli_grid){fields, sizeof fields / sizeof *fields, view, row_at, view->decision->candidate_count};
}

void cli_pick_csv(const struct pick_view *view, struct podsku_buf *out)
{
    const struct cli_grid grid = grid_of(view);

    cli_grid_csv(&grid, out);
}

enum podsku_code cli_pick_wide(const struct pick_view *view, struct podsku_buf *out)
{
    const struct cli_grid grid = grid_of(view);

    /* Wide is for looking closely: nothing is shortened or left out. */
    return cli_grid_table(&grid, CLI_GRID_WIDE, 0, out, &view->cli->err);
}

void cli_pick_ids(const struct pick_view *view, struct podsku_buf *out)
{
    const struct podsku_decision *decision = view->decision;
    const struct podsku_gpu_type *types = view->catalog->types;
    bool *seen = calloc(view->catalog->type_count + 1, sizeof *seen);

    if (!seen)
        out->failed = true;
    for (size_t i = 0; seen && i < decision->candidate_count; i++) {
        size_t index = (size_t)(decision->candidates[i].type - types);
        if (!seen[index])
            podsku_buf_printf(out, "%s\n", types[index].id);
        seen[index] = true;
    }
    free(seen);
}
