/*
 * dstack: gpu names and a count, and `instance_types`, which for Runpod are the GPU type ids: they tell
 * apart what shares a name. Source: dstack's .dstack.yml reference and gpuhunt, November 2026.
 */
#include <string.h>

#include "base/money.h"
#include "cli/emit.h"

/* Is this the first candidate with its name (or its id, where by_id)? */
static bool first_of(const struct podsku_decision *decision, size_t index, int gpus, bool by_id)
{
    const struct podsku_gpu_type *type = decision->candidates[index].type;
    const char *name = cli_emit_names(type->id)->dstack;

    if (!name || decision->candidates[index].gpus != gpus)
        return false;
    for (size_t i = 0; i < index; i++) {
        const char *earlier = cli_emit_names(decision->candidates[i].type->id)->dstack;
        if (decision->candidates[i].gpus != gpus || !earlier)
            continue;
        if (by_id ? decision->candidates[i].type == type : strcmp(earlier, name) == 0)
            return false;
    }
    return true;
}

bool cli_emit_dstack_expresses(const struct podsku_offer *offer)
{
    return cli_emit_names(offer->type->id)->dstack != NULL;
}

/* The count of the first candidate that dstack has a name for. */
static int count_of(const struct podsku_decision *decision)
{
    size_t first = 0;

    while (!cli_emit_dstack_expresses(&decision->candidates[first]))
        first++;
    return decision->candidates[first].gpus;
}

static bool is_candidate(const struct podsku_decision *decision, const char *id)
{
    for (size_t i = 0; i < decision->candidate_count; i++)
        if (strcmp(decision->candidates[i].type->id, id) == 0)
            return true;
    return false;
}

/* What the names alone would let in. */
static void put_shared_names(const struct pick_view *view, struct podsku_buf *out, int gpus)
{
    const struct podsku_decision *decision = view->decision;
    const struct cli_emit_names *row;

    for (size_t i = 0; i < decision->candidate_count; i++) {
        if (!first_of(decision, i, gpus, false))
            continue;
        const char *name = cli_emit_names(decision->candidates[i].type->id)->dstack;
        for (size_t r = 0; (row = cli_emit_names_at(r)); r++)
            if (row->dstack && strcmp(row->dstack, name) == 0 && !is_candidate(decision, row->id))
                podsku_buf_printf(out, "# %s is also dstack's name for %s: keep instance_types.\n", name, row->id);
    }
}

static void put_names(const struct podsku_decision *decision, struct podsku_buf *out, int gpus)
{
    size_t count = 0;

    for (size_t i = 0; i < decision->candidate_count; i++)
        if (first_of(decision, i, gpus, false))
            podsku_buf_printf(out, "%s%s", count++ ? ", " : "",
                              cli_emit_names(decision->candidates[i].type->id)->dstack);
}

static void put_placement(const struct pick_view *view, struct podsku_buf *out)
{
    const struct podsku_requirement *req = view->req;

    if (req->data_centers.count > 0) {
        podsku_buf_puts(out, "regions: [");
        for (size_t i = 0; i < req->data_centers.count; i++)
            podsku_buf_printf(out, "%s%s", i ? ", " : "", req->data_centers.list[i]);
        podsku_buf_puts(out, "]\n");
    } else if (podsku_requirement_has_placement(req)) {
        podsku_buf_puts(out,
                        "# Country, region and compliance are not in here: dstack's regions are data center ids.\n");
    }
    if (req->cuda_major >= 0)
        podsku_buf_printf(out, "# --min-cuda %d.%d is not in here: dstack sends its own CUDA floor.\n", req->cuda_major,
                          req->cuda_minor);
}

static void put_clouds(const struct pick_view *view, struct podsku_buf *out)
{
    if (view->req->cloud[PODSKU_COMMUNITY] && view->req->cloud[PODSKU_SECURE])
        return;
    podsku_buf_printf(out,
                      "# Only the %s cloud was decided on; dstack says that in its server's config.yml (the runpod\n"
                      "# backend's community_cloud: %s), not here.\n",
                      podsku_cloud_word(view->req->cloud[PODSKU_SECURE] ? PODSKU_SECURE : PODSKU_COMMUNITY),
                      view->req->cloud[PODSKU_SECURE] ? "false" : "true");
}

void cli_emit_dstack(const struct pick_view *view, struct podsku_buf *out)
{
    const struct podsku_decision *decision = view->decision;
    int gpus = count_of(decision);
    int64_t cap = cli_emit_cap_uusd(view, gpus);
    char text[PODSKU_MONEY_TEXT_SIZE];

    cli_emit_banner(view, out, "dstack");
    podsku_buf_puts(out,
                    "# dstack cannot express: an order other than by price, NVLink or its evidence, a MIG slice.\n");
    put_clouds(view, out);
    for (size_t i = 0; i < decision->candidate_count; i++) {
        const struct podsku_offer *offer = &decision->candidates[i];
        cli_emit_comment(out, "", i + 1, offer);
        if (!cli_emit_names(offer->type->id)->dstack)
            podsku_buf_puts(out, "# left out: dstack has no name for it\n");
        else if (offer->gpus != gpus)
            podsku_buf_puts(out, "# left out: another count than the first; one configuration has one count\n");
    }
    put_shared_names(view, out, gpus);
    podsku_buf_puts(out, "backends: [runpod]\ninstance_types:");
    for (size_t i = 0; i < decision->candidate_count; i++) {
        if (!first_of(decision, i, gpus, true))
            continue;
        podsku_buf_puts(out, "\n  - ");
        cli_emit_quoted(out, decision->candidates[i].type->id);
    }
    podsku_buf_putc(out, '\n');
    put_placement(view, out);
    if (cap > 0)
        podsku_buf_printf(out, "max_price: %s\n", podsku_money_text(cap, text));
    if (view->req->nodes > 1)
        podsku_buf_printf(out, "nodes: %d\n", view->req->nodes);
    podsku_buf_puts(out, "resources:\n  gpu:\n    name: [");
    put_names(decision, out, gpus);
    podsku_buf_printf(out, "]\n    count: %d\n", gpus);
}
