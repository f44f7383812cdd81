/* What of an entry belongs to one read: stock, data centers, CUDA versions. */
#include "base/text.h"
#include "catalog/decode.h"

/* A member that is a list: NULL when it is absent, null or (reported) something else. */
static const json_t *list_member(struct podsku_decode *decode, const json_t *entry, const struct podsku_place *place)
{
    const json_t *list = json_object_get(entry, place->member);

    if (!list || json_is_null(list))
        return NULL;
    if (json_is_array(list))
        return list;
    podsku_decode_bad(decode, place, "wrong-type", "%s is %s, where a list is expected", place->member,
                      podsku_json_kind(list));
    return NULL;
}

static bool is_object(struct podsku_decode *decode, const json_t *item, const struct podsku_place *place)
{
    if (json_is_object(item))
        return true;
    podsku_decode_bad(decode, place, "wrong-type", "the item is %s, where an object is expected",
                      podsku_json_kind(item));
    return false;
}

static void read_data_centers(struct podsku_decode *decode, struct podsku_arena *arena, const json_t *entry,
                              const struct podsku_place *up, struct podsku_stock_view *view)
{
    struct podsku_place place = {up, "dataCenters", 0};
    const json_t *list = list_member(decode, entry, &place);
    size_t count = json_array_size(list);

    if (count == 0)
        return;
    struct podsku_dc_stock *centers = podsku_arena_alloc(arena, count, sizeof *centers);
    for (size_t i = 0; centers && i < count; i++) {
        struct podsku_place at = {&place, NULL, i};
        const json_t *item = json_array_get(list, i);
        if (!is_object(decode, item, &at))
            continue;
        struct podsku_dc_stock center = {
            .id = podsku_decode_text(decode, arena, item, &at, "id"),
            .stock = podsku_decode_stock(decode, item, &at, "availability"),
        };
        if (center.id)
            centers[view->data_center_count++] = center;
        else
            podsku_decode_odd(decode, &at, "missing-member", "a data center without an id: left out");
    }
    if (view->data_center_count)
        view->data_centers = centers;
}

static void read_cuda(struct podsku_decode *decode, struct podsku_arena *arena, const json_t *entry,
                      const struct podsku_place *up, struct podsku_stock_view *view)
{
    struct podsku_place place = {up, "cudaVersions", 0};
    const json_t *list = list_member(decode, entry, &place);
    size_t count = json_array_size(list);

    if (count == 0)
        return;
    struct podsku_cuda *versions = podsku_arena_alloc(arena, count, sizeof *versions);
    for (size_t i = 0; versions && i < count; i++) {
        struct podsku_place at = {&place, NULL, i};
        const json_t *item = json_array_get(list, i);
        if (!is_object(decode, item, &at))
            continue;
        struct podsku_cuda cuda = {.available = podsku_decode_flag(decode, item, &at, "available")};
        const char *text = podsku_decode_text(decode, arena, item, &at, "version");
        if (text && podsku_text_version(text, &cuda.major, &cuda.minor))
            versions[view->cuda_count++] = cuda;
        else
            podsku_decode_odd(decode, &at, "unknown-word", "no CUDA version of the form 12.8: left out");
    }
    if (view->cuda_count)
        view->cuda = versions;
}

static const struct podsku_stock_view *keep(struct podsku_arena *arena, const struct podsku_stock_view *view)
{
    struct podsku_stock_view *kept = podsku_arena_alloc(arena, 1, sizeof *kept);

    if (kept)
        *kept = *view;
    return kept;
}

static const struct podsku_stock_view *graphql_view(struct podsku_decode *decode, struct podsku_arena *arena,
                                                    const json_t *entry, const struct podsku_place *up)
{
    struct podsku_place place = {up, "lowestPrice", 0};
    const json_t *lowest = json_object_get(entry, "lowestPrice");
    struct podsku_stock_view view = {0};

    if (!lowest || json_is_null(lowest))
        return NULL;
    if (!json_is_object(lowest)) {
        podsku_decode_bad(decode, &place, "wrong-type", "lowestPrice is %s, where an object is expected",
                          podsku_json_kind(lowest));
        return NULL;
    }
    if (!json_object_get(lowest, "stockStatus"))
        return NULL;
    view.stock = podsku_decode_stock(decode, lowest, &place, "stockStatus");
    return keep(arena, &view);
}

const struct podsku_stock_view *podsku_decode_view(struct podsku_decode *decode, struct podsku_arena *arena,
                                                   const json_t *entry, const struct podsku_place *place)
{
    struct podsku_stock_view view = {0};

    if (decode->graphql)
        return graphql_view(decode, arena, entry, place);
    if (!json_object_get(entry, "availability") && !json_object_get(entry, "dataCenters") &&
        !json_object_get(entry, "cudaVersions"))
        return NULL;
    view.stock = podsku_decode_stock(decode, entry, place, "availability");
    read_data_centers(decode, arena, entry, place, &view);
    read_cuda(decode, arena, entry, place, &view);
    return keep(arena, &view);
}
