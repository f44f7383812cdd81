#include "rules/store.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/shelf.h"

enum { CHUNK_SIZE = 64 * 1024 };

struct store_chunk {
    struct store_chunk *next;
    size_t used, size;
    max_align_t bytes[];
};

static struct store_chunk *chunk_new(size_t size)
{
    if (size < CHUNK_SIZE)
        size = CHUNK_SIZE;
    struct store_chunk *chunk = malloc(sizeof *chunk + size);
    if (chunk) {
        chunk->next = NULL;
        chunk->used = 0;
        chunk->size = size;
    }
    return chunk;
}

void *podsku_store_alloc(struct rules_store *store, size_t len)
{
    struct store_chunk *chunk = store->current;
    size_t align = _Alignof(max_align_t);

    len = (len + align - 1) / align * align;
    while (chunk && chunk->size - chunk->used < len) {
        chunk = chunk->next;
        if (chunk)
            chunk->used = 0;
    }
    if (!chunk) {
        chunk = chunk_new(len);
        if (!chunk)
            return NULL;
        /* After the current one: chunks beyond it were too small and stay for later. */
        if (store->current) {
            chunk->next = store->current->next;
            store->current->next = chunk;
        } else {
            store->chunks = chunk;
        }
    }
    store->current = chunk;
    void *bytes = (char *)chunk->bytes + chunk->used;
    chunk->used += len;
    return bytes;
}

char *podsku_store_text(struct rules_store *store, const char *text)
{
    size_t len = strlen(text) + 1;
    char *copy = podsku_store_alloc(store, len);

    if (copy)
        memcpy(copy, text, len);
    return copy;
}

char *podsku_store_printf(struct rules_store *store, const char *fmt, ...)
{
    va_list args;
    va_list again;

    va_start(args, fmt);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    char *text = len < 0 ? NULL : podsku_store_alloc(store, (size_t)len + 1);
    if (text)
        (void)vsnprintf(text, (size_t)len + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

bool podsku_grow(void *list, size_t *cap, size_t need, size_t size)
{
    void *bytes;

    if (need <= *cap)
        return true;
    size_t more = *cap ? *cap * 2 : 64;
    if (more < need)
        more = need;
    if (more > SIZE_MAX / size)
        return false;
    memcpy(&bytes, list, sizeof bytes);
    void *grown = realloc(bytes, more * size);
    if (!grown)
        return false;
    memcpy(list, &grown, sizeof grown);
    *cap = more;
    // cppcheck-suppress memleak ; it is *list now
    return true;
}

void podsku_ranking_reset(struct ranking *ranking)
{
    ranking->count = ranking->run_count = 0;
}

bool podsku_ranking_reserve(struct ranking *ranking, size_t more)
{
    return podsku_grow(&ranking->list, &ranking->cap, ranking->count + more, sizeof *ranking->list);
}

void podsku_ranking_free(struct ranking *ranking)
{
    free(ranking->list);
    free(ranking->spare);
    free(ranking->ends);
    memset(ranking, 0, sizeof *ranking);
}

bool podsku_offers_add(struct offer_list *offers, const struct podsku_offer *offer)
{
    if (!podsku_grow(&offers->list, &offers->cap, offers->count + 1, sizeof *offer))
        return false;
    offers->list[offers->count++] = *offer;
    return true;
}

bool podsku_notes_add(struct rules_store *store, const char *code, const char *fmt, ...)
{
    va_list args;
    char text[1024];

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    char *copy = podsku_store_text(store, text);
    if (!copy || !podsku_grow(&store->notes.list, &store->notes.cap, store->notes.count + 1, sizeof *store->notes.list))
        return false;
    store->notes.list[store->notes.count++] = (struct podsku_note){code, copy};
    return true;
}

struct podsku_offer *podsku_store_offers(struct rules_store *store, const struct podsku_offer *offers, size_t count)
{
    struct podsku_offer *copy = podsku_store_alloc(store, count * sizeof *copy);

    if (copy && count)
        memcpy(copy, offers, count * sizeof *copy);
    return copy;
}

void podsku_store_reset(struct rules_store *store)
{
    for (size_t i = 0; i < store->suggestion_count; i++)
        json_decref(store->suggestions[i].to);
    store->suggestion_count = 0;
    store->candidates.count = store->rejected.count = store->notes.count = 0;
    store->current = store->chunks;
    if (store->current)
        store->current->used = 0;
}

void podsku_store_free(struct rules_store *store)
{
    if (!store)
        return;
    podsku_store_reset(store);
    for (struct store_chunk *chunk = store->chunks; chunk;) {
        struct store_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(store->candidates.list);
    free(store->rejected.list);
    free(store->notes.list);
    free(store->parents);
    free(store->other_parents);
    podsku_ranking_free(&store->ranking);
    podsku_shelves_free(store->shelves);
    free(store->suggestions);
    free(store);
}
