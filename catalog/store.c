#include "catalog/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "catalog/slice.h"

static uint64_t hash_of(const char *id)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

    for (; *id; id++)
        hash = (hash ^ (unsigned char)*id) * UINT64_C(1099511628211);
    return hash ^ (hash >> 32);
}

/* The slot that holds this id, or the free one where it belongs. */
static uint32_t *slot_of(const struct catalog_store *store, const char *id)
{
    size_t mask = store->slot_count - 1;
    size_t i = (size_t)hash_of(id) & mask;

    while (store->slots[i] && strcmp(store->types[store->slots[i] - 1].id, id) != 0)
        i = (i + 1) & mask;
    return &store->slots[i];
}

/* Room for `types` types, and at least twice as many slots. */
static bool reserve(struct podsku_catalog *catalog, size_t types)
{
    struct catalog_store *store = catalog->store;
    size_t slot_count = 64;

    if (types >= UINT32_MAX / 4)
        return false;
    while (slot_count < types * 2)
        slot_count *= 2;
    struct podsku_gpu_type *larger = realloc(store->types, (types ? types : 1) * sizeof *larger);
    if (!larger)
        return false;
    store->types = larger;
    store->type_cap = types;
    catalog->types = larger;
    if (slot_count <= store->slot_count)
        return true;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    free(store->slots);
    store->slots = slots;
    store->slot_count = slot_count;
    for (size_t i = 0; i < catalog->type_count; i++)
        *slot_of(store, store->types[i].id) = (uint32_t)(i + 1);
    return true;
}

void podsku_store_renew(struct podsku_catalog *catalog)
{
    static _Atomic uint64_t last;

    catalog->serial = ++last;
}

struct podsku_catalog *podsku_store_new(const struct podsku_facts_set *facts, size_t types)
{
    struct podsku_catalog *catalog = calloc(1, sizeof *catalog);

    if (!catalog)
        return NULL;
    podsku_store_renew(catalog);
    catalog->facts = facts;
    catalog->store = calloc(1, sizeof *catalog->store);
    if (catalog->store && reserve(catalog, types))
        return catalog;
    podsku_catalog_free(catalog);
    return NULL;
}

void podsku_catalog_free(struct podsku_catalog *catalog)
{
    while (catalog) {
        struct catalog_store *store = catalog->store;
        struct podsku_catalog *next = NULL;
        if (store) {
            podsku_catalog_free(store->merged);
            next = store->next_merged;
            podsku_arena_free(&store->arena);
            free(store->types);
            free(store->slots);
            free(store->bytes);
            free(store);
        }
        free(catalog);
        catalog = next;
    }
}

struct podsku_gpu_type *podsku_store_find(const struct podsku_catalog *catalog, const char *id)
{
    const struct catalog_store *store = catalog->store;
    uint32_t slot = *slot_of(store, id);

    return slot ? &store->types[slot - 1] : NULL;
}

const struct podsku_gpu_type *podsku_catalog_find(const struct podsku_catalog *catalog, const char *id)
{
    return podsku_store_find(catalog, id);
}

bool podsku_store_add(struct podsku_catalog *catalog, const struct podsku_gpu_type *type)
{
    struct catalog_store *store = catalog->store;

    if (catalog->type_count == store->type_cap && !reserve(catalog, store->type_cap + store->type_cap / 2 + 16))
        return false;
    uint32_t *slot = slot_of(store, type->id);
    store->types[catalog->type_count++] = *type;
    *slot = (uint32_t)catalog->type_count;
    return true;
}

bool podsku_store_reads(struct podsku_catalog *catalog, const struct podsku_catalog_query *reads, size_t count)
{
    struct podsku_arena *arena = &catalog->store->arena;
    struct podsku_catalog_query *copy = podsku_arena_alloc(arena, count, sizeof *copy);

    if (!copy)
        return false;
    for (size_t i = 0; i < count; i++) {
        copy[i] = reads[i];
        copy[i].min_cuda = podsku_arena_text(arena, reads[i].min_cuda);
        copy[i].countries = podsku_arena_text(arena, reads[i].countries);
    }
    catalog->reads = copy;
    catalog->read_count = count;
    return !arena->failed;
}

/* "NVIDIA H200" -> is its first word `word`? */
static bool first_word_is(const char *id, const char *word)
{
    size_t len = strlen(word);

    return strncmp(id, word, len) == 0 && (id[len] == ' ' || id[len] == '\0');
}

static enum podsku_manufacturer manufacturer_of(const struct podsku_gpu_type *type)
{
    const char *word = type->manufacturer_word;

    if (word && podsku_text_equal_nocase(word, "NVIDIA"))
        return PODSKU_NVIDIA;
    if (word && podsku_text_equal_nocase(word, "AMD"))
        return PODSKU_AMD;
    if (word && !podsku_text_equal_nocase(word, "UNKNOWN"))
        return PODSKU_OTHER_MANUFACTURER;
    if (first_word_is(type->id, "NVIDIA") || first_word_is(type->id, "Tesla"))
        return PODSKU_NVIDIA;
    return first_word_is(type->id, "AMD") ? PODSKU_AMD : PODSKU_MANUFACTURER_UNKNOWN;
}

bool podsku_store_finish(struct podsku_catalog *catalog)
{
    struct catalog_store *store = catalog->store;

    for (size_t i = 0; i < catalog->type_count; i++) {
        struct podsku_gpu_type *type = &store->types[i];
        type->manufacturer = manufacturer_of(type);
        type->facts = podsku_facts_find(catalog->facts, type->id);
    }
    /* Slices look at their parents, which may come later in the list. */
    for (size_t i = 0; i < catalog->type_count; i++)
        if (!podsku_slice_fill(catalog, &store->types[i]))
            return false;
    return !store->arena.failed;
}
