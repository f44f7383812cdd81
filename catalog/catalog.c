#include "catalog/catalog.h"

#include <string.h>
#include <strings.h>

#include "base/digest.h"
#include "base/text.h"
#include "catalog/store.h"

int podsku_gpu_memory_gb(const struct podsku_gpu_type *type)
{
    if (type->memory_gb > 0)
        return type->memory_gb;
    return type->facts ? type->facts->memory_gb : 0;
}

const char *podsku_gpu_name(const struct podsku_gpu_type *type)
{
    return type->name ? type->name : type->id;
}

const char *podsku_cloud_name(enum podsku_cloud cloud)
{
    return cloud == PODSKU_COMMUNITY ? "COMMUNITY" : "SECURE";
}

const char *podsku_cloud_word(enum podsku_cloud cloud)
{
    return cloud == PODSKU_COMMUNITY ? "community" : "secure";
}

const char *podsku_stock_name(enum podsku_stock stock)
{
    static const char *const names[] = {
        [PODSKU_STOCK_UNKNOWN] = "-",     [PODSKU_STOCK_NONE] = "NONE", [PODSKU_STOCK_LOW] = "LOW",
        [PODSKU_STOCK_MEDIUM] = "MEDIUM", [PODSKU_STOCK_HIGH] = "HIGH",
    };

    return (unsigned)stock < sizeof names / sizeof *names ? names[stock] : "-";
}

const char *podsku_source_name(enum podsku_source source)
{
    static const char *const names[] = {
        [PODSKU_SOURCE_BUNDLED] = "bundled",
        [PODSKU_SOURCE_FILE] = "file",
        [PODSKU_SOURCE_LIVE] = "live",
        [PODSKU_SOURCE_GRAPHQL] = "graphql",
    };

    return (unsigned)source < sizeof names / sizeof *names ? names[source] : "file";
}

/* Is this read about pods in this cloud? A read that does not say its cloud is about none. */
static bool is_about(const struct podsku_catalog_query *read, enum podsku_cloud cloud)
{
    return read->product == PODSKU_PRODUCT_POD && read->has_cloud && read->cloud == cloud;
}

static bool names_country(const char *countries, const char *code)
{
    for (const char *p = countries; *p;) {
        size_t len = strcspn(p, ",");
        if (len == strlen(code) && strncasecmp(p, code, len) == 0)
            return true;
        p += len + (p[len] == ',');
    }
    return false;
}

bool podsku_catalog_read_covers(const struct podsku_catalog_query *read, const struct podsku_catalog_filter *filter)
{
    int major, minor;

    if (read->min_cuda) {
        if (!filter || !podsku_text_version(read->min_cuda, &major, &minor) || filter->cuda_major < major ||
            (filter->cuda_major == major && filter->cuda_minor < minor))
            return false;
    }
    if (!read->countries)
        return true;
    for (size_t i = 0; filter && i < filter->country_count; i++)
        if (!names_country(read->countries, filter->countries[i]))
            return false;
    return filter && filter->country_count > 0;
}

enum podsku_stock podsku_catalog_stock(const struct podsku_catalog *catalog, const struct podsku_gpu_type *type,
                                       enum podsku_cloud cloud, int count, const struct podsku_catalog_filter *filter,
                                       const struct podsku_stock_view **view)
{
    const struct podsku_stock_view *exact = NULL;   /* also when its level is unknown: it may list data centers */
    enum podsku_stock level = PODSKU_STOCK_UNKNOWN; /* that of `exact` */
    const struct podsku_stock_view *none = NULL;
    const struct podsku_stock_view *more = NULL;

    for (size_t i = 0; i < type->view_count; i++) {
        const struct podsku_stock_view *candidate = &type->views[i];
        const struct podsku_catalog_query *read = &catalog->reads[candidate->read];
        if (!is_about(read, cloud))
            continue;
        bool counts = candidate->stock != PODSKU_STOCK_NONE || podsku_catalog_read_covers(read, filter);
        if (read->count == count && (!exact || level == PODSKU_STOCK_UNKNOWN)) {
            exact = candidate;
            level = counts ? candidate->stock : PODSKU_STOCK_UNKNOWN;
        } else if (read->count < count && candidate->stock == PODSKU_STOCK_NONE && counts)
            none = candidate;
        else if (read->count > count && candidate->stock > PODSKU_STOCK_NONE &&
                 (!more || candidate->stock > more->stock))
            more = candidate;
    }
    const struct podsku_stock_view *best = exact;
    if (level == PODSKU_STOCK_UNKNOWN && (none || more)) {
        best = none ? none : more;
        level = best->stock;
    }
    if (view)
        *view = best;
    return level;
}

bool podsku_catalog_cluster_stock(const struct podsku_catalog *catalog, const struct podsku_gpu_type *type)
{
    for (size_t i = 0; i < type->view_count; i++) {
        const struct podsku_stock_view *view = &type->views[i];
        if (catalog->reads[view->read].product != PODSKU_PRODUCT_CLUSTER)
            continue;
        if (view->stock > PODSKU_STOCK_NONE)
            return true;
        /* A data center beside NONE in all is one of the lies: what is nowhere opens nothing. */
        for (size_t k = 0; view->stock == PODSKU_STOCK_UNKNOWN && k < view->data_center_count; k++)
            if (view->data_centers[k].stock > PODSKU_STOCK_NONE)
                return true;
    }
    return false;
}

/* The views of both, those of `added` counted on from `first_read`. NULL: no memory (or none at all). */
static const struct podsku_stock_view *joined_views(struct podsku_arena *arena, const struct podsku_gpu_type *kept,
                                                    const struct podsku_gpu_type *added, size_t first_read)
{
    size_t before = kept ? kept->view_count : 0;

    if (before + added->view_count == 0)
        return NULL;
    struct podsku_stock_view *views = podsku_arena_alloc(arena, before + added->view_count, sizeof *views);
    if (!views)
        return NULL;
    if (before)
        memcpy(views, kept->views, before * sizeof *views);
    for (size_t i = 0; i < added->view_count; i++) {
        views[before + i] = added->views[i];
        views[before + i].read += first_read;
    }
    return views;
}

static bool merge_types(struct podsku_catalog *catalog, const struct podsku_catalog *other, size_t first_read)
{
    struct podsku_arena *arena = &catalog->store->arena;

    for (size_t i = 0; i < other->type_count; i++) {
        const struct podsku_gpu_type *added = &other->types[i];
        struct podsku_gpu_type *kept = podsku_store_find(catalog, added->id);
        if (kept && added->view_count == 0)
            continue;
        const struct podsku_stock_view *views = joined_views(arena, kept, added, first_read);
        if (arena->failed)
            return false;
        if (kept) {
            kept->views = views;
            kept->view_count += added->view_count;
            continue;
        }
        struct podsku_gpu_type type = *added;
        type.views = views;
        if (!podsku_store_add(catalog, &type))
            return false;
        catalog->entries++;
    }
    return true;
}

enum podsku_code podsku_catalog_merge(struct podsku_catalog *catalog, struct podsku_catalog *other,
                                      struct podsku_error *err)
{
    struct podsku_arena *arena = &catalog->store->arena;
    size_t first_read = catalog->read_count;
    struct podsku_catalog_query *reads = podsku_arena_alloc(arena, first_read + other->read_count, sizeof *reads);

    /* Taken at once, so that a failure half-way leaves nothing that points to freed memory. */
    other->store->next_merged = catalog->store->merged;
    catalog->store->merged = other;
    podsku_store_renew(catalog);
    if (!reads)
        return podsku_error_no_memory(err);
    memcpy(reads, catalog->reads, first_read * sizeof *reads);
    memcpy(reads + first_read, other->reads, other->read_count * sizeof *reads);
    catalog->reads = reads;
    catalog->read_count += other->read_count;
    return merge_types(catalog, other, first_read) ? PODSKU_OK : podsku_error_no_memory(err);
}

enum podsku_code podsku_catalog_hash_bytes(struct podsku_catalog *catalog, const char *bytes, struct podsku_error *err)
{
    const struct catalog_store *store = catalog->store;

    /* A recording holds the body as received, perhaps with blanks around it that belong to it. */
    if (store->recorded_sha256[0]) {
        enum podsku_code code = podsku_sha256(bytes + store->envelope_start,
                                              store->envelope_end - store->envelope_start, catalog->sha256, err);
        if (code != PODSKU_OK || strcmp(catalog->sha256, store->recorded_sha256) == 0)
            return code;
    }
    return podsku_sha256(bytes + store->body_start, store->body_end - store->body_start, catalog->sha256, err);
}

enum podsku_code podsku_catalog_is_altered(struct podsku_catalog *catalog, bool *altered, struct podsku_error *err)
{
    enum podsku_code code = PODSKU_OK;

    *altered = false;
    if (!catalog->store->recorded_sha256[0])
        return PODSKU_OK;
    code = podsku_catalog_hash(catalog, err);
    *altered = code == PODSKU_OK && strcmp(catalog->sha256, catalog->store->recorded_sha256) != 0;
    return code;
}

enum podsku_code podsku_catalog_hash(struct podsku_catalog *catalog, struct podsku_error *err)
{
    if (catalog->sha256[0])
        return PODSKU_OK;
    if (catalog->store->bytes)
        return podsku_catalog_hash_bytes(catalog, catalog->store->bytes, err);
    memcpy(catalog->sha256, podsku_bundled_sha256, sizeof catalog->sha256);
    return PODSKU_OK;
}
