/*
 * podsku catalog list: every type, or those that the requirement flags leave. A rule filters only when
 * one of its flags was given: without flags a type that no cloud offers is listed, too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/view_catalog.h"
#include "cli/view_pick.h"

enum { FLAGS_MAX = 5 };

/* The flags that make a rule count here. */
static const char *const asked_by[PODSKU_RULE_COUNT][FLAGS_MAX] = {
    /* Where no cloud offers a type there is no price and no machine size of it to speak of. */
    [PODSKU_RULE_CLOUD] = {"cloud", "gpus", "max-price", "max-total", NULL},
    [PODSKU_RULE_GPUS] = {"gpus", NULL},
    [PODSKU_RULE_UNPRICED] = {"max-price", "max-total", NULL},
    [PODSKU_RULE_NVLINK] = {"nvlink", NULL},
    [PODSKU_RULE_LINK_BANDWIDTH] = {"min-link-gbs", NULL},
    [PODSKU_RULE_VRAM] = {"min-vram", "max-vram", NULL},
    [PODSKU_RULE_TOTAL_VRAM] = {"min-total-vram", NULL},
    [PODSKU_RULE_MEMORY_FRACTION] = {"memory-fraction", "mig-parent", NULL},
    [PODSKU_RULE_COMPUTE_FRACTION] = {"compute-fraction", "mig-parent", NULL},
    [PODSKU_RULE_MIG] = {"mig", NULL},
    [PODSKU_RULE_PRICE] = {"max-price", NULL},
    [PODSKU_RULE_TOTAL_PRICE] = {"max-total", NULL},
    [PODSKU_RULE_GPU] = {"gpu", NULL},
    [PODSKU_RULE_EXCLUDE] = {"exclude", NULL},
    [PODSKU_RULE_MANUFACTURER] = {"manufacturer", NULL},
    [PODSKU_RULE_ARCH] = {"arch", NULL},
    [PODSKU_RULE_COMPUTE_CAPABILITY] = {"min-compute-capability", NULL},
    [PODSKU_RULE_CUDA] = {"min-cuda", NULL},
    [PODSKU_RULE_PLACEMENT] = {"data-center", "country", "region", "compliance", NULL},
    [PODSKU_RULE_STOCK] = {"min-stock", NULL},
    [PODSKU_RULE_NODES] = {NULL},
    [PODSKU_RULE_INTER_NODE] = {NULL},
};

struct list {
    struct cli *cli;
    struct podsku_requirement req;
    const struct podsku_facts_set *facts;
    struct podsku_client *client;
    struct podsku_catalog *catalog;
    struct catalog_view view;
};

/* A requirement file may ask for anything, so that with one every rule counts. */
static void find_asked(const struct cli *cli, bool asked[PODSKU_RULE_COUNT], bool *any)
{
    bool file = cli_has(cli, "requirement");

    *any = file;
    for (size_t rule = 0; rule < PODSKU_RULE_COUNT; rule++) {
        asked[rule] = file;
        for (size_t i = 0; i < FLAGS_MAX && asked_by[rule][i]; i++)
            asked[rule] |= cli_has(cli, asked_by[rule][i]);
        *any |= asked[rule];
    }
}

static bool only_unasked(const struct podsku_offer *offer, const bool asked[PODSKU_RULE_COUNT])
{
    for (size_t i = 0; i < offer->reason_count; i++)
        if (asked[offer->reasons[i].rule])
            return false;
    return true;
}

/* Marks the types of which some offer passes every rule that was asked for. */
static enum podsku_code mark(struct list *list, const bool asked[PODSKU_RULE_COUNT], bool *listed)
{
    const struct podsku_gpu_type *types = list->catalog->types;
    struct podsku_requirement req = list->req; /* borrows every string */
    struct podsku_decision decision = {0};

    req.limit = 0;
    if (!cli_has(list->cli, "cloud") && !cli_has(list->cli, "requirement"))
        req.cloud[PODSKU_SECURE] = req.cloud[PODSKU_COMMUNITY] = true;
    enum podsku_code code =
        podsku_decide(list->catalog, &req, PODSKU_DECIDE_REASONS, false, &decision, &list->cli->err);
    for (size_t i = 0; code == PODSKU_OK && i < decision.candidate_count; i++)
        listed[decision.candidates[i].type - types] = true;
    for (size_t i = 0; code == PODSKU_OK && i < decision.rejected_count; i++)
        if (only_unasked(&decision.rejected[i], asked))
            listed[decision.rejected[i].type - types] = true;
    podsku_decision_free(&decision);
    return code;
}

/* What --sort orders by: the least first, unknown last. */
struct sorted {
    const struct podsku_gpu_type *type;
    double key;
};

static double least_price(const struct podsku_gpu_type *type)
{
    int64_t least = 0;

    for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
        int64_t price = type->price_uusd[cloud];
        bool offered = type->offered[cloud] != PODSKU_NO && type->max_gpus[cloud] != 0;
        if (offered && price > 0 && (least == 0 || price < least))
            least = price;
    }
    return least ? (double)least : INFINITY;
}

static double sort_key(const struct podsku_gpu_type *type, const struct podsku_requirement *req)
{
    int memory_gb = podsku_gpu_memory_gb(type);

    switch (req->sort) {
    case PODSKU_SORT_PRICE: return least_price(type);
    case PODSKU_SORT_VRAM: return memory_gb > 0 ? -memory_gb : INFINITY;
    case PODSKU_SORT_PRICE_PER_GB: return memory_gb > 0 ? least_price(type) / memory_gb : INFINITY;
    case PODSKU_SORT_LINK: return -podsku_topology_of(type, req->gpus[0], true).link_gbs; /* unknown is -1 */
    }
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const struct sorted *left = a;
    const struct sorted *right = b;

    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return strcmp(left->type->id, right->type->id);
}

/* By --sort; without it by id. */
static enum podsku_code order(struct list *list)
{
    struct sorted *sorted = calloc(list->view.count + 1, sizeof *sorted);
    bool asked = cli_has(list->cli, "sort") || cli_has(list->cli, "requirement");

    if (!sorted)
        return podsku_error_no_memory(&list->cli->err);
    for (size_t i = 0; i < list->view.count; i++) {
        sorted[i].type = list->view.types[i];
        sorted[i].key = asked ? sort_key(sorted[i].type, &list->req) : 0;
    }
    qsort(sorted, list->view.count, sizeof *sorted, by_key);
    for (size_t i = 0; i < list->view.count; i++)
        list->view.types[i] = sorted[i].type;
    free(sorted);
    return PODSKU_OK;
}

static enum podsku_code choose_types(struct list *list)
{
    size_t count = list->catalog->type_count;
    bool asked[PODSKU_RULE_COUNT];
    bool any;
    bool *listed = calloc(count + 1, sizeof *listed);
    enum podsku_code code = PODSKU_OK;

    list->view.types = calloc(count + 1, sizeof(const struct podsku_gpu_type *));
    if (!listed || !list->view.types) {
        free(listed);
        return podsku_error_no_memory(&list->cli->err);
    }
    find_asked(list->cli, asked, &any);
    if (any)
        code = mark(list, asked, listed);
    for (size_t i = 0; code == PODSKU_OK && i < count; i++)
        if (!any || listed[i])
            list->view.types[list->view.count++] = &list->catalog->types[i];
    free(listed);
    if (code == PODSKU_OK)
        code = order(list);
    if (list->req.limit > 0 && list->view.count > (size_t)list->req.limit)
        list->view.count = (size_t)list->req.limit;
    return code;
}

static enum podsku_code load(struct list *list)
{
    struct cli *cli = list->cli;
    enum podsku_code code = cli_requirement(cli, &list->req);

    if (code == PODSKU_OK)
        code = cli_facts(cli, &list->facts);
    if (code == PODSKU_OK)
        code = cli_catalog(cli, &list->req, list->facts, &list->client, &list->catalog);
    if (code == PODSKU_OK && cli->output == CLI_JSON)
        code = podsku_catalog_hash(list->catalog, &cli->err);
    if (code == PODSKU_OK)
        code = choose_types(list);
    return code;
}

static void say_heading(const struct list *list)
{
    struct podsku_buf line = {0};

    cli_source_heading(&line, list->catalog, &list->req);
    cli_say(list->cli, "%s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

static enum podsku_code show_centers(struct list *list, struct podsku_buf *out)
{
    struct cli *cli = list->cli;
    bool empty = false;

    if (cli->output == CLI_JSON)
        return cli_write_json(cli, cli_catalog_centers_json(&list->view));
    enum podsku_code code = cli_catalog_centers(&list->view, out, &empty);
    if (code == PODSKU_OK && empty)
        cli_warn(cli, "this catalogue lists no data centers for that cloud and count: --catalog live does");
    return code;
}

static enum podsku_code show(struct list *list, struct podsku_buf *out)
{
    struct cli *cli = list->cli;
    enum podsku_code code = PODSKU_OK;

    if (cli->output == CLI_TABLE || cli->output == CLI_WIDE)
        say_heading(list);
    if (cli_has(cli, "by-datacenter")) {
        code = show_centers(list, out);
    } else {
        switch (cli->output) {
        case CLI_JSON: return cli_write_json(cli, cli_catalog_json(&list->view));
        case CLI_CSV: cli_catalog_csv(&list->view, out); break;
        case CLI_WIDE: code = cli_catalog_wide(&list->view, out); break;
        case CLI_IDS:
            for (size_t i = 0; i < list->view.count && list->view.types[i]; i++)
                podsku_buf_printf(out, "%s\n", list->view.types[i]->id);
            break;
        default: code = list->view.count > 0 ? cli_catalog_table(&list->view, out) : PODSKU_OK; break;
        }
    }
    if (code == PODSKU_OK && podsku_buf_failed(out))
        code = podsku_error_no_memory(&cli->err);
    return code == PODSKU_OK && out->len > 0 ? cli_write(cli, out->data, out->len) : code;
}

int cli_catalog_list(struct cli *cli)
{
    struct list list = {.cli = cli};
    struct podsku_buf out = {0};

    podsku_requirement_init(&list.req);
    enum podsku_code code = load(&list);
    list.view.cli = cli;
    list.view.catalog = list.catalog;
    list.view.req = &list.req;
    if (code == PODSKU_OK)
        code = show(&list, &out);
    if (code == PODSKU_OK && list.view.count == 0)
        cli_say(cli, "no type of this catalogue is like that");
    free(list.view.types);
    podsku_catalog_free(list.catalog);
    podsku_client_free(list.client);
    podsku_facts_free(list.facts);
    podsku_requirement_free(&list.req);
    podsku_buf_free(&out);
    return code == PODSKU_OK ? 0 : cli_fail(cli);
}
