/* The list of GPU types: one table of fields makes table, wide table and CSV. */
#include "cli/view_catalog.h"

#include "base/json.h"
#include "base/money.h"
#include "cli/grid.h"
#include "cli/json_offer.h"
#include "cli/view_pick.h"

enum podsku_cloud cli_view_cloud(const struct podsku_requirement *req)
{
    return req->cloud[PODSKU_SECURE] ? PODSKU_SECURE : PODSKU_COMMUNITY;
}

enum podsku_stock cli_view_stock(const struct catalog_view *view, const struct podsku_gpu_type *type,
                                 const struct podsku_stock_view **seen)
{
    struct podsku_catalog_filter filter = podsku_requirement_filter(view->req);

    return podsku_catalog_stock(view->catalog, type, cli_view_cloud(view->req), view->req->gpus[0], &filter, seen);
}

static const char *manufacturer(const struct podsku_gpu_type *type)
{
    switch (type->manufacturer) {
    case PODSKU_NVIDIA: return "NVIDIA";
    case PODSKU_AMD: return "AMD";
    case PODSKU_OTHER_MANUFACTURER: return type->manufacturer_word;
    case PODSKU_MANUFACTURER_UNKNOWN: break;
    }
    return NULL;
}

static const char *tri_word(enum podsku_tri tri)
{
    return tri == PODSKU_YES ? "yes" : tri == PODSKU_NO ? "no" : NULL;
}

static void put_text(struct podsku_buf *out, const char *text)
{
    if (text)
        podsku_buf_puts(out, text);
}

static void put_money(struct podsku_buf *out, int64_t uusd)
{
    char text[PODSKU_MONEY_TEXT_SIZE];

    if (uusd > 0)
        podsku_buf_puts(out, podsku_money_text(uusd, text));
}

/* A price stands only where the cloud offers the card: the others are placeholders. */
static void put_offered_price(struct podsku_buf *out, const struct podsku_gpu_type *type, enum podsku_cloud cloud)
{
    if (!podsku_type_not_offered(type, cloud))
        put_money(out, type->price_uusd[cloud]);
}

/* The largest machine of any cloud that offers the card. */
static void put_most_anywhere(struct podsku_buf *out, const struct podsku_gpu_type *type)
{
    int most = PODSKU_COUNT_UNKNOWN;

    for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++)
        if (!podsku_type_not_offered(type, (enum podsku_cloud)cloud) && type->max_gpus[cloud] > most)
            most = type->max_gpus[cloud];
    if (most > 0)
        podsku_buf_printf(out, "%d", most);
}

static void put_most(struct podsku_buf *out, const struct podsku_gpu_type *type, enum podsku_cloud cloud)
{
    if (type->max_gpus[cloud] != PODSKU_COUNT_UNKNOWN)
        podsku_buf_printf(out, "%d", type->max_gpus[cloud]);
}

#define FIELD(name, body)                                                      \
    static void name(struct podsku_buf *out, const void *ctx, const void *row) \
    {                                                                          \
        const struct catalog_view *view = ctx;                                 \
        const struct podsku_gpu_type *type = row;                              \
        const struct podsku_facts *facts = type->facts;                        \
        (void)view;                                                            \
        (void)facts;                                                           \
        body;                                                                  \
    }

FIELD(put_id, podsku_buf_puts(out, type->id))
FIELD(put_name, podsku_buf_puts(out, podsku_gpu_name(type)))
FIELD(put_manufacturer, put_text(out, manufacturer(type)))
FIELD(put_pool, put_text(out, type->pool))
FIELD(put_vram, if (podsku_gpu_memory_gb(type) > 0) podsku_buf_printf(out, "%d", podsku_gpu_memory_gb(type)))
FIELD(put_secure, put_text(out, tri_word(type->offered[PODSKU_SECURE])))
FIELD(put_community, put_text(out, tri_word(type->offered[PODSKU_COMMUNITY])))
FIELD(put_secure_here, put_offered_price(out, type, PODSKU_SECURE))
FIELD(put_community_here, put_offered_price(out, type, PODSKU_COMMUNITY))
FIELD(put_serverless, put_money(out, type->serverless_uusd))
FIELD(put_most_here, put_most_anywhere(out, type))
FIELD(put_secure_most, put_most(out, type, PODSKU_SECURE))
FIELD(put_community_most, put_most(out, type, PODSKU_COMMUNITY))
FIELD(put_evidence, put_text(out, facts ? podsku_evidence_name(facts->evidence) : NULL))
FIELD(put_arch, if (facts && facts->arch != PODSKU_ARCH_UNKNOWN) put_text(out, podsku_arch_name(facts->arch)))
FIELD(put_capability, if (facts && facts->compute_major > 0)
                          podsku_buf_printf(out, "%d.%d", facts->compute_major, facts->compute_minor))
FIELD(put_profile, put_text(out, type->slice ? type->slice->profile : NULL))
FIELD(put_capable, put_text(out, facts ? tri_word(facts->mig_capable) : NULL))
FIELD(put_source, put_text(out, facts ? facts->source : NULL))
FIELD(put_checked, put_text(out, facts ? facts->checked : NULL))
FIELD(put_confidence, put_text(out, facts && facts->confidence ? podsku_confidence_name(facts->confidence) : NULL))
FIELD(put_on_runpod, put_text(out, facts ? (facts->on_runpod ? "verified" : "not verified") : NULL))

static void put_link(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct catalog_view *view = ctx;

    podsku_buf_puts(out, podsku_link_name(podsku_topology_of(row, view->req->gpus[0], true).link));
}

static void put_gbs(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct catalog_view *view = ctx;
    double gbs = podsku_topology_of(row, view->req->gpus[0], true).link_gbs;

    if (gbs >= 0)
        podsku_buf_printf(out, "%g", gbs);
}

static void put_domain(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_gpu_type *type = row;

    (void)ctx;
    if (type->facts && type->facts->nvlink_domain > 1)
        podsku_buf_printf(out, "%d", type->facts->nvlink_domain);
}

/* "8, by board", "2, nominal": how many are pairwise linked, and how sure that is. */
static void put_nvlink(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_gpu_type *type = row;

    (void)ctx;
    if (!type->facts || type->facts->evidence == PODSKU_EVIDENCE_UNKNOWN)
        podsku_buf_puts(out, "unknown");
    else if (type->facts->evidence == PODSKU_EVIDENCE_BOARD)
        podsku_buf_printf(out, "%d, by board", type->facts->nvlink_domain);
    else if (type->facts->evidence == PODSKU_EVIDENCE_NOMINAL)
        podsku_buf_printf(out, "%d, nominal", type->facts->nvlink_domain);
    else
        podsku_buf_puts(out, podsku_evidence_name(type->facts->evidence));
}

static void put_stock_word(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_stock_view *seen = NULL;

    put_text(out, cli_stock_word(cli_view_stock(ctx, row, &seen)));
}

static void put_stock(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_stock_view *seen = NULL;
    enum podsku_stock stock = cli_view_stock(ctx, row, &seen);

    if (stock != PODSKU_STOCK_UNKNOWN)
        podsku_buf_puts(out, podsku_stock_name(stock));
}

static void put_centers(struct podsku_buf *out, const void *ctx, const void *row)
{
    const struct podsku_stock_view *seen = NULL;

    (void)cli_view_stock(ctx, row, &seen);
    for (size_t i = 0; seen && i < seen->data_center_count; i++)
        podsku_buf_printf(out, "%s%s", i ? ";" : "", seen->data_centers[i].id);
}

#define TABLE CLI_GRID_TABLE
#define WIDE CLI_GRID_WIDE
#define CSV CLI_GRID_CSV

static const struct cli_grid_field fields[] = {
    {"id", "ID", WIDE | CSV, false, false, 0, put_id},
    {"name", "GPU TYPE", TABLE | WIDE | CSV, false, true, -1, put_name},
    {"manufacturer", "MANUFACTURER", WIDE | CSV, false, false, 0, put_manufacturer},
    {"pool", "POOL", WIDE | CSV, false, false, 0, put_pool},
    {"vram_gb", "VRAM", TABLE | WIDE | CSV, true, false, 0, put_vram},
    {"secure", "IN SECURE", WIDE | CSV, false, false, 0, put_secure},
    {"community", "IN COMMUNITY", WIDE | CSV, false, false, 0, put_community},
    {NULL, "SECURE", TABLE, true, false, -1, put_secure_here},
    {NULL, "COMMUNITY", TABLE, true, false, 0, put_community_here},
    {"price_secure", "SECURE", WIDE | CSV, true, false, 0, put_secure_here},
    {"price_community", "COMMUNITY", WIDE | CSV, true, false, 0, put_community_here},
    {"price_serverless", "SERVERLESS", WIDE | CSV, true, false, 0, put_serverless},
    {NULL, "MOST", TABLE, true, false, 4, put_most_here},
    {"max_gpus_secure", "MOST SECURE", WIDE | CSV, true, false, 0, put_secure_most},
    {"max_gpus_community", "MOST COMMUNITY", WIDE | CSV, true, false, 0, put_community_most},
    {NULL, "STOCK", TABLE, false, false, 2, put_stock_word},
    {"stock", "STOCK", WIDE | CSV, false, false, 0, put_stock},
    {NULL, "NVLINK", TABLE, false, false, 0, put_nvlink},
    {"link", "LINK", WIDE | CSV, false, false, 0, put_link},
    {"evidence", "EVIDENCE", WIDE | CSV, false, false, 0, put_evidence},
    {"link_gbs", "GB/s", TABLE | WIDE | CSV, true, false, 3, put_gbs},
    {"nvlink_domain", "DOMAIN", WIDE | CSV, true, false, 0, put_domain},
    {"arch", "ARCH", TABLE | WIDE | CSV, false, false, 1, put_arch},
    {"compute_capability", "CC", WIDE | CSV, false, false, 0, put_capability},
    {"mig_profile", "MIG", TABLE | WIDE | CSV, false, false, 5, put_profile},
    {"mig_capable", "MIG CAPABLE", WIDE | CSV, false, false, 0, put_capable},
    {"data_centers", "DATA CENTERS", WIDE | CSV, false, false, 0, put_centers},
    {"confidence", "CONFIDENCE", WIDE | CSV, false, false, 0, put_confidence},
    {"on_runpod", "ON RUNPOD", WIDE | CSV, false, false, 0, put_on_runpod},
    {"source", "SOURCE", WIDE | CSV, false, false, 0, put_source},
    {"checked", "CHECKED", WIDE | CSV, false, false, 0, put_checked},
};
_Static_assert(sizeof fields / sizeof *fields <= CLI_GRID_FIELDS_MAX, "the grid takes every field");

static const void *row_at(const void *ctx, size_t index)
{
    const struct catalog_view *view = ctx;

    return view->types[index];
}

static struct cli_grid grid_of(const struct catalog_view *view)
{
    return (struct cli_grid){fields, sizeof fields / sizeof *fields, view, row_at, view->count};
}

enum podsku_code cli_catalog_table(const struct catalog_view *view, struct podsku_buf *out)
{
    const struct cli_grid grid = grid_of(view);

    return cli_grid_table(&grid, CLI_GRID_TABLE, view->cli->width, out, &view->cli->err);
}

enum podsku_code cli_catalog_wide(const struct catalog_view *view, struct podsku_buf *out)
{
    const struct cli_grid grid = grid_of(view);

    return cli_grid_table(&grid, CLI_GRID_WIDE, 0, out, &view->cli->err);
}

void cli_catalog_csv(const struct catalog_view *view, struct podsku_buf *out)
{
    const struct cli_grid grid = grid_of(view);

    cli_grid_csv(&grid, out);
}
