/*
 * Requirements that no catalogue could satisfy. Each is a row: whether it holds, what it says, and
 * the way out. The first row that holds is the one that is said.
 */
#include "base/text.h"
#include "rules/requirement.h"

/* The most GPUs that one machine joins by NVLink, anywhere on Runpod (August 2026). */
enum { NVLINK_GPUS_MAX = 8 };

/* NVLink is a must for each of the counts, so that no count gets around it. */
static bool needs_nvlink(const struct podsku_requirement *req)
{
    for (size_t i = 0; i < req->gpus_count; i++)
        if (podsku_requirement_nvlink(req, req->gpus[i]) < PODSKU_NVLINK_POSSIBLE)
            return false;
    return true;
}

static bool only_slices(const struct podsku_requirement *req)
{
    return podsku_requirement_mig(req) == PODSKU_MIG_ONLY;
}

static bool slices_joined(const struct podsku_requirement *req, const struct podsku_catalog *catalog)
{
    (void)catalog;
    return only_slices(req) && (needs_nvlink(req) || req->min_link_gbs > 0);
}

static bool vram_crossed(const struct podsku_requirement *req, const struct podsku_catalog *catalog)
{
    (void)catalog;
    return req->max_vram_gb >= 0 && req->min_vram_gb > req->max_vram_gb;
}

static bool is_of_parent(const struct podsku_catalog *catalog, const struct podsku_gpu_type *slice, const char *pattern)
{
    const struct podsku_gpu_type *parent = podsku_catalog_find(catalog, slice->slice->parent);

    return podsku_text_match(pattern, slice->slice->parent) ||
           (parent && parent->name && podsku_text_match(pattern, parent->name));
}

static bool parent_unsliced(const struct podsku_requirement *req, const struct podsku_catalog *catalog)
{
    if (!catalog || !req->mig_parent || !only_slices(req))
        return false;
    for (size_t i = 0; i < catalog->type_count; i++)
        if (catalog->types[i].slice && is_of_parent(catalog, &catalog->types[i], req->mig_parent))
            return false;
    return true;
}

/* A facts file may know a larger NVLink domain than the service sells today. */
static bool too_many_for_nvlink(const struct podsku_requirement *req, const struct podsku_catalog *catalog)
{
    int least = req->gpus[0]; /* ascending */

    if (least <= NVLINK_GPUS_MAX || !needs_nvlink(req))
        return false;
    for (size_t i = 0; catalog && i < catalog->type_count; i++)
        if (catalog->types[i].facts && catalog->types[i].facts->nvlink_domain >= least)
            return false;
    return true;
}

static bool inter_node_alone(const struct podsku_requirement *req, const struct podsku_catalog *catalog)
{
    (void)catalog;
    return req->inter_node_gbps >= 0 && req->inter_node_flag && !req->nodes_set;
}

static const struct contradiction {
    bool (*holds)(const struct podsku_requirement *req, const struct podsku_catalog *catalog);
    enum podsku_code code;
    const char *message, *way_out;
} contradictions[] = {
    {inter_node_alone, PODSKU_USAGE, "--inter-node-gbps needs --nodes", "add --nodes N, the number of machines"},
    {slices_joined, PODSKU_NO_OFFER, "MIG slices cannot be joined: they have no NVLink and no peer-to-peer",
     "drop --mig only for whole cards, or drop what asks for a link between the GPUs"},
    {vram_crossed, PODSKU_NO_OFFER, "--min-vram is above --max-vram: no card has both", "swap or widen the two"},
    {parent_unsliced, PODSKU_NO_OFFER, "no slices of that --mig-parent are on sale in this catalogue",
     "drop --mig-parent, or drop --mig only for the whole card; `podsku catalog mig` lists what is sold"},
    {too_many_for_nvlink, PODSKU_NO_OFFER, "more than 8 GPUs on NVLink cannot be bought on Runpod",
     "several machines of 8 are an Instant Cluster: --gpus 8 --nodes N, with a network between them"},
};

enum podsku_code podsku_requirement_contradiction(const struct podsku_requirement *req,
                                                  const struct podsku_catalog *catalog, struct podsku_error *err)
{
    for (size_t i = 0; i < sizeof contradictions / sizeof contradictions[0]; i++) {
        if (!contradictions[i].holds(req, catalog))
            continue;
        enum podsku_code code = podsku_error_set(err, contradictions[i].code, "%s", contradictions[i].message);
        podsku_error_hint(err, "%s", contradictions[i].way_out);
        return code;
    }
    return PODSKU_OK;
}
