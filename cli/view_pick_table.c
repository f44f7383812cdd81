/* The table of `podsku pick`: columns know when they are worth showing and how to fill a cell. */
#include "cli/view_pick.h"

#include <string.h>

#include "base/money.h"
#include "cli/table.h"

struct row {
    const struct pick_view *view;
    const struct podsku_offer *offer;
    size_t rank;
};

bool cli_asks_fraction(const struct podsku_requirement *req)
{
    return req->memory_fraction.denominator > 0 || req->compute_fraction.denominator > 0 || req->mig_parent ||
           podsku_requirement_mig(req) == PODSKU_MIG_ONLY;
}

bool cli_asks_links(const struct podsku_requirement *req)
{
    return req->nvlink != PODSKU_NVLINK_ANY || req->parallelism == PODSKU_TENSOR || req->min_link_gbs >= 0 ||
           req->gpus[req->gpus_count - 1] > 1;
}

const char *cli_stock_word(enum podsku_stock stock)
{
    static const char *const words[] = {[PODSKU_STOCK_UNKNOWN] = NULL,
                                        [PODSKU_STOCK_NONE] = "none",
                                        [PODSKU_STOCK_LOW] = "low",
                                        [PODSKU_STOCK_MEDIUM] = "med",
                                        [PODSKU_STOCK_HIGH] = "high"};

    return words[stock];
}

void cli_offer_price(struct podsku_buf *out, const struct podsku_offer *offer)
{
    const int64_t cent = PODSKU_UUSD_PER_USD / 100;
    int64_t cents;
    char text[PODSKU_MONEY_TEXT_SIZE];

    /* What is not offered has no price, whatever the catalogue carries. */
    if (offer->price_total_uusd == 0 || podsku_type_not_offered(offer->type, offer->cloud))
        podsku_buf_putc(out, '-');
    else if (offer->price_estimated && podsku_money_scale(offer->price_total_uusd, 1, cent, &cents))
        podsku_buf_printf(out, "~%s", podsku_money_text(cents * cent, text)); /* no more digits than it deserves */
    else
        podsku_buf_puts(out, podsku_money_text(offer->price_total_uusd, text));
}

void cli_where(struct podsku_buf *out, const struct podsku_stock_view *view)
{
    const struct podsku_dc_stock *best = NULL;
    size_t in_stock = 0;

    for (size_t i = 0; view && i < view->data_center_count; i++) {
        const struct podsku_dc_stock *center = &view->data_centers[i];
        if (center->stock == PODSKU_STOCK_NONE)
            continue;
        in_stock++;
        if (!best || center->stock > best->stock)
            best = center;
    }
    if (best)
        podsku_buf_puts(out, best->id);
    if (in_stock > 1)
        podsku_buf_printf(out, " +%zu", in_stock - 1);
}

static int common_divisor(int a, int b)
{
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void cli_share(struct podsku_buf *out, const struct podsku_slice *slice, bool compute)
{
    if (!slice) {
        podsku_buf_puts(out, "whole");
        return;
    }
    int numerator = compute ? slice->compute_numerator : slice->memory_numerator;
    int denominator = compute ? slice->compute_denominator : slice->memory_denominator;
    if (denominator <= 0)
        return;
    int divisor = common_divisor(numerator, denominator);
    if (divisor > 0)
        podsku_buf_printf(out, "%d/%d", numerator / divisor, denominator / divisor);
}

static bool always(const struct pick_view *view)
{
    (void)view;
    return true;
}

static bool when_clouds_differ(const struct pick_view *view)
{
    return view->req->cloud[PODSKU_COMMUNITY];
}

static bool when_counts_differ(const struct pick_view *view)
{
    return view->req->gpus_count > 1;
}

static bool when_nodes(const struct pick_view *view)
{
    return view->req->nodes > 1;
}

static bool when_several_gpus(const struct pick_view *view)
{
    return view->req->nodes > 1 || view->req->gpus[view->req->gpus_count - 1] > 1;
}

static bool when_links(const struct pick_view *view)
{
    return cli_asks_links(view->req) && !cli_asks_fraction(view->req);
}

static bool when_fraction(const struct pick_view *view)
{
    return cli_asks_fraction(view->req);
}

static bool when_placed(const struct pick_view *view)
{
    for (size_t i = 0; i < view->decision->candidate_count; i++) {
        const struct podsku_stock_view *stock = view->decision->candidates[i].view;
        if (stock && stock->data_center_count > 0)
            return true;
    }
    return false;
}

static void cell_rank(const struct row *row, struct podsku_buf *out)
{
    podsku_buf_printf(out, "%zu", row->rank);
}

static void cell_name(const struct row *row, struct podsku_buf *out)
{
    podsku_buf_puts(out, podsku_gpu_name(row->offer->type));
}

static void cell_cloud(const struct row *row, struct podsku_buf *out)
{
    podsku_buf_puts(out, podsku_cloud_word(row->offer->cloud));
}

static void cell_gpus(const struct row *row, struct podsku_buf *out)
{
    podsku_buf_printf(out, "%d", row->offer->gpus);
}

static void cell_nodes(const struct row *row, struct podsku_buf *out)
{
    podsku_buf_printf(out, "%d", row->offer->nodes);
}

static void cell_total(const struct row *row, struct podsku_buf *out)
{
    cli_offer_price(out, row->offer);
}

static void cell_each(const struct row *row, struct podsku_buf *out)
{
    char text[PODSKU_MONEY_TEXT_SIZE];

    if (row->offer->price_gpu_uusd)
        podsku_buf_puts(out, podsku_money_text(row->offer->price_gpu_uusd, text));
}

static void cell_vram(const struct row *row, struct podsku_buf *out)
{
    if (row->offer->memory_gb <= 0)
        return;
    if (row->offer->gpus > 1)
        podsku_buf_printf(out, "%dx", row->offer->gpus);
    podsku_buf_printf(out, "%d", row->offer->memory_gb);
}

static const char *nvlink_word(const struct podsku_offer *offer)
{
    if (offer->topology.evidence == PODSKU_EVIDENCE_BOARD)
        return "all, by board";
    return podsku_is_cube_mesh(offer->type->facts) ? "some boards (nominal)" : "if bridged (nominal)";
}

static void cell_link(const struct row *row, struct podsku_buf *out)
{
    const struct podsku_topology *topology = &row->offer->topology;

    switch (topology->link) {
    case PODSKU_LINK_NVLINK: podsku_buf_puts(out, nvlink_word(row->offer)); break;
    case PODSKU_LINK_XGMI: podsku_buf_puts(out, "no (xGMI)"); break;
    case PODSKU_LINK_PCIE: podsku_buf_puts(out, "no (PCIe)"); break;
    case PODSKU_LINK_NONE: podsku_buf_puts(out, "no"); break;
    case PODSKU_LINK_UNKNOWN: podsku_buf_puts(out, "unknown"); break;
    }
}

static void cell_gbs(const struct row *row, struct podsku_buf *out)
{
    if (row->offer->topology.link_gbs >= 0)
        podsku_buf_printf(out, "%g", row->offer->topology.link_gbs);
}

static void cell_memory(const struct row *row, struct podsku_buf *out)
{
    cli_share(out, row->offer->type->slice, false);
}

static void cell_compute(const struct row *row, struct podsku_buf *out)
{
    cli_share(out, row->offer->type->slice, true);
}

static void cell_isolated(const struct row *row, struct podsku_buf *out)
{
    podsku_buf_puts(out, row->offer->type->slice ? "memory, bandwidth, faults" : "everything");
}

static void cell_stock(const struct row *row, struct podsku_buf *out)
{
    const char *word = cli_stock_word(row->offer->stock);

    if (word)
        podsku_buf_puts(out, word);
}

static void cell_where(const struct row *row, struct podsku_buf *out)
{
    cli_where(out, row->offer->view);
}

static const struct pick_column {
    struct cli_column column;
    bool (*shown)(const struct pick_view *view);
    void (*fill)(const struct row *row, struct podsku_buf *out); /* nothing appended: unknown */
} columns[] = {
    {{"#", true, false, 0}, always, cell_rank},
    {{"GPU TYPE", false, true, 0}, always, cell_name},
    {{"CLOUD", false, false, 0}, when_clouds_differ, cell_cloud},
    {{"NODES", true, false, 0}, when_nodes, cell_nodes},
    {{"GPUS", true, false, 0}, when_counts_differ, cell_gpus},
    {{"USD/h", true, false, 0}, always, cell_total},
    {{"/GPU", true, false, 3}, when_several_gpus, cell_each},
    {{"VRAM", true, false, 0}, always, cell_vram},
    {{"NVLINK", false, false, 0}, when_links, cell_link},
    {{"GB/s", true, false, 0}, when_links, cell_gbs},
    {{"MEMORY", false, false, 0}, when_fraction, cell_memory},
    {{"COMPUTE", false, false, 0}, when_fraction, cell_compute},
    {{"ISOLATED", false, true, 0}, when_fraction, cell_isolated},
    {{"STOCK", false, false, 0}, always, cell_stock},
    {{"WHERE", false, true, 1}, when_placed, cell_where},
};

enum { COLUMN_COUNT = sizeof columns / sizeof *columns };

static enum podsku_code add_rows(const struct pick_view *view, const struct pick_column *const *shown, size_t count,
                                 struct cli_table *table)
{
    struct podsku_buf cells[COLUMN_COUNT] = {0};
    const char *texts[COLUMN_COUNT];
    struct podsku_error *err = &view->cli->err;
    enum podsku_code code = PODSKU_OK;

    for (size_t i = 0; i < view->decision->candidate_count && code == PODSKU_OK; i++) {
        struct row row = {view, &view->decision->candidates[i], i + 1};
        for (size_t c = 0; c < count; c++) {
            podsku_buf_reset(&cells[c]);
            shown[c]->fill(&row, &cells[c]);
            if (podsku_buf_failed(&cells[c]))
                code = podsku_error_no_memory(err);
            texts[c] = cells[c].len > 0 ? cells[c].data : NULL;
        }
        if (code == PODSKU_OK)
            code = cli_table_row(table, texts, err);
    }
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        podsku_buf_free(&cells[c]);
    return code;
}

enum podsku_code cli_pick_table(const struct pick_view *view, struct podsku_buf *out)
{
    const struct pick_column *shown[COLUMN_COUNT];
    struct cli_column heads[COLUMN_COUNT];
    char link_head[48];
    size_t count = 0;
    struct cli_table *table = NULL;
    struct podsku_error *err = &view->cli->err;

    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        if (!columns[c].shown(view))
            continue;
        shown[count] = &columns[c];
        heads[count] = columns[c].column;
        if (columns[c].fill == cell_link && view->req->gpus_count == 1 && view->req->gpus[0] > 1) {
            (void)snprintf(link_head, sizeof link_head, "NVLINK AMONG %d", view->req->gpus[0]);
            heads[count].head = link_head;
        }
        count++;
    }
    enum podsku_code code = cli_table_new(heads, count, view->cli->width, &table, err);
    if (code == PODSKU_OK)
        code = add_rows(view, shown, count, table);
    if (code == PODSKU_OK)
        code = cli_table_print(table, out, err);
    cli_table_free(table);
    return code;
}
