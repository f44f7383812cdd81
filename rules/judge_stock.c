/*
 * Rules about what was in stock where. Stock belongs to the cloud and the count that it was read
 * for: a read for more GPUs holds for fewer, an absence for fewer holds for more.
 */
#include <stdio.h>

#include "base/text.h"
#include "rules/judge.h"

/* Is this read about the cloud and the kind of pod that the offer is? */
static bool is_about(const struct podsku_catalog_query *read, const struct podsku_offer *offer)
{
    bool product = read->product == PODSKU_PRODUCT_POD || (offer->nodes > 1 && read->product == PODSKU_PRODUCT_CLUSTER);

    return product && read->has_cloud && read->cloud == offer->cloud;
}

static bool is_at_least(const struct podsku_cuda *cuda, int major, int minor)
{
    return cuda->major > major || (cuda->major == major && cuda->minor >= minor);
}

/* What one list of the hosts' CUDA versions says. */
struct cuda_list {
    const struct podsku_cuda *right; /* at least the floor, and not full */
    const struct podsku_cuda *full;  /* at least the floor, but full now */
    const struct podsku_cuda *best;  /* the highest */
};

static struct cuda_list read_cuda_list(const struct podsku_stock_view *view, int major, int minor)
{
    struct cuda_list list = {NULL, NULL, NULL};

    for (size_t i = 0; i < view->cuda_count; i++) {
        const struct podsku_cuda *cuda = &view->cuda[i];
        if (!list.best || is_at_least(cuda, list.best->major, list.best->minor))
            list.best = cuda;
        if (is_at_least(cuda, major, minor))
            *(cuda->available == PODSKU_NO ? &list.full : &list.right) = cuda;
    }
    return list;
}

/* The list that speaks for the offer's count: that of the count itself before one that implies it. */
static bool find_cuda_list(const struct judge *judge, const struct podsku_offer *offer, struct cuda_list *found)
{
    bool any = false;

    for (size_t i = 0; i < offer->type->view_count; i++) {
        const struct podsku_stock_view *view = &offer->type->views[i];
        const struct podsku_catalog_query *read = &judge->catalog->reads[view->read];
        if (view->cuda_count == 0 || !is_about(read, offer))
            continue;
        struct cuda_list list = read_cuda_list(view, judge->req->cuda_major, judge->req->cuda_minor);
        bool passes = list.right || list.full;
        if (!passes && !podsku_catalog_read_covers(read, &judge->filter))
            continue; /* other hosts than these were left out */
        if (read->count == offer->gpus) {
            *found = list;
            return true;
        }
        /* Hosts for more GPUs can take fewer; hosts for fewer are all there are. */
        if (!any && (read->count > offer->gpus ? passes : !passes)) {
            *found = list;
            any = true;
        }
    }
    return any;
}

enum podsku_tri podsku_judge_cuda(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    const struct podsku_requirement *req = judge->req;
    struct cuda_list list;

    if (find_cuda_list(judge, offer, &list)) {
        if (list.right)
            return PODSKU_YES;
        if (list.full) {
            podsku_say(says, "cuda-full", "hosts with CUDA %d.%d are full now", list.full->major, list.full->minor);
            return PODSKU_YES;
        }
        podsku_say(says, "CUDA too old", "hosts have CUDA %d.%d at most, at least %d.%d was asked for",
                   list.best->major, list.best->minor, req->cuda_major, req->cuda_minor);
        return PODSKU_NO;
    }
    if (offer->type->manufacturer != PODSKU_NVIDIA) {
        podsku_say(says, "no CUDA", "the CUDA versions of its hosts are unknown");
        return PODSKU_NO;
    }
    podsku_say(says, "cuda-unknown", "the catalogue does not say the CUDA versions of its hosts; %d.%d is sent along",
               req->cuda_major, req->cuda_minor);
    return PODSKU_UNKNOWN;
}

bool podsku_offer_cuda(const struct judge *judge, const struct podsku_offer *offer, int *major, int *minor)
{
    struct cuda_list list;

    if (!find_cuda_list(judge, offer, &list))
        return false;
    *major = list.best->major;
    *minor = list.best->minor;
    return true;
}

static bool is_wanted(const struct podsku_requirement *req, const char *id)
{
    for (size_t i = 0; i < req->data_centers.count; i++)
        if (podsku_text_equal_nocase(req->data_centers.list[i], id))
            return true;
    return false;
}

/* Which lists of data centers there are for a type. */
struct dc_lists {
    bool stocked;       /* a wanted one has stock for the offer */
    bool unknown;       /* a wanted one is listed with a stock that is no known word */
    const char *listed; /* some other one has stock for it */
    int fewer;          /* the largest smaller count that data centers are listed for */
    bool elsewhere;     /* they are listed for another cloud or product */
    bool narrowed;      /* they are listed for fewer hosts than were asked for */
};

static void look_at_view(const struct podsku_requirement *req, const struct podsku_stock_view *view,
                         struct dc_lists *lists)
{
    for (size_t i = 0; i < view->data_center_count; i++) {
        const struct podsku_dc_stock *dc = &view->data_centers[i];
        bool wanted = is_wanted(req, dc->id);
        if (wanted && dc->stock >= PODSKU_STOCK_LOW)
            lists->stocked = true;
        else if (wanted && dc->stock == PODSKU_STOCK_UNKNOWN)
            lists->unknown = true;
        else if (dc->stock >= PODSKU_STOCK_LOW)
            lists->listed = dc->id;
    }
}

static struct dc_lists find_data_centers(const struct judge *judge, const struct podsku_offer *offer)
{
    struct dc_lists lists = {0};

    for (size_t i = 0; i < offer->type->view_count; i++) {
        const struct podsku_stock_view *view = &offer->type->views[i];
        const struct podsku_catalog_query *read = &judge->catalog->reads[view->read];
        if (view->data_center_count == 0)
            continue;
        if (!is_about(read, offer))
            lists.elsewhere = true;
        else if (read->count >= offer->gpus) {
            lists.narrowed = lists.narrowed || !podsku_catalog_read_covers(read, &judge->filter);
            look_at_view(judge->req, view, &lists);
        } else if (read->count > lists.fewer)
            lists.fewer = read->count;
    }
    return lists;
}

static enum podsku_tri say_no_data_center(const struct judge *judge, const struct podsku_offer *offer,
                                          const struct dc_lists *lists, struct says *says)
{
    const char *first = judge->req->data_centers.list[0];
    const char *more = judge->req->data_centers.count > 1 ? " or another wanted one" : "";
    bool asked = false; /* a read for this offer was made */

    for (size_t i = 0; i < judge->catalog->read_count; i++)
        asked = asked || (is_about(&judge->catalog->reads[i], offer) && judge->catalog->reads[i].count >= offer->gpus &&
                          podsku_catalog_read_covers(&judge->catalog->reads[i], &judge->filter));
    if (lists->unknown)
        podsku_say(says, "placement", "listed in %.60s%s, but with unknown stock", first, more);
    else if (lists->narrowed)
        podsku_say(says, "placement",
                   "unknown: data centers are listed for a CUDA floor or countries that were not asked for");
    else if (lists->listed)
        podsku_say(says, "placement", "no stock listed in %.60s%s; there is some in %.60s", first, more, lists->listed);
    else if (lists->fewer > 0)
        podsku_say(says, "placement", "unknown: data centers are listed for %d GPU%s, not for %d", lists->fewer,
                   lists->fewer > 1 ? "s" : "", offer->gpus);
    else if (lists->elsewhere)
        podsku_say(says, "placement", "unknown: data centers are listed for another cloud, not for %s",
                   podsku_cloud_word(offer->cloud));
    else if (judge->lists_data_centers && asked)
        podsku_say(says, "placement", "no data center lists stock for %d of it", offer->gpus);
    else
        podsku_say(says, "placement",
                   judge->lists_data_centers
                       ? "unknown: this catalogue lists data centers only for another cloud or for fewer GPUs"
                       : "unknown: this catalogue lists no data centers");
    return PODSKU_UNKNOWN;
}

enum podsku_tri podsku_judge_placement(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    const struct podsku_requirement *req = judge->req;
    bool places = req->countries.count || req->region || req->compliance.count;

    if (offer->cloud != PODSKU_SECURE) {
        podsku_say(says, "placement", "data centers can be chosen in secure cloud only");
        return PODSKU_NO;
    }
    /* Only a live catalogue comes with the list that turns these into data centers. */
    if (places && judge->catalog->source != PODSKU_SOURCE_LIVE) {
        podsku_say(says, "placement",
                   "unknown: this catalogue does not say which data centers are in that country, region or compliance");
        return PODSKU_UNKNOWN;
    }
    if (req->data_centers.count == 0) {
        podsku_say(says, "placement", "there is no data center of that country, region or compliance");
        return PODSKU_NO;
    }
    struct dc_lists lists = find_data_centers(judge, offer);
    if (lists.stocked)
        return PODSKU_YES;
    return says ? say_no_data_center(judge, offer, &lists, says) : PODSKU_NO;
}

enum podsku_tri podsku_judge_stock(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    enum podsku_stock least = judge->req->min_stock;
    const char *word = podsku_cloud_word(offer->cloud);

    if (offer->stock == PODSKU_STOCK_UNKNOWN) {
        podsku_say(says, "stock-unknown", "this catalogue does not say the stock of %d in %s cloud", offer->gpus, word);
        return PODSKU_UNKNOWN;
    }
    if (offer->stock >= least)
        return PODSKU_YES;
    podsku_say(says, "out of stock", "stock for %d in %s cloud is %s, at least %s was asked for", offer->gpus, word,
               podsku_stock_name(offer->stock), podsku_stock_name(least));
    return PODSKU_NO;
}
