#include "catalog/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
    struct arena_chunk *older;
    alignas(max_align_t) char bytes[];
};

enum { CHUNK_SIZE = 16384 };

/* Bytes for strings need no alignment; objects get it by rounding up. */
static char *take(struct podsku_arena *arena, size_t size, size_t alignment)
{
    size_t pad = arena->next ? (size_t)(-(uintptr_t)arena->next & (alignment - 1)) : 0;

    if (!arena->next || arena->left < pad || arena->left - pad < size) {
        size_t room = size > CHUNK_SIZE / 4 ? size : CHUNK_SIZE;
        struct arena_chunk *chunk =
            room > SIZE_MAX - sizeof *chunk ? NULL : (struct arena_chunk *)calloc(1, sizeof *chunk + room);
        if (!chunk) {
            arena->failed = true;
            return NULL;
        }
        chunk->older = arena->chunks;
        arena->chunks = chunk;
        if (room == size) /* a large block of its own: go on filling the last chunk */
            return chunk->bytes;
        arena->next = chunk->bytes;
        arena->left = room;
        pad = 0;
    }
    char *memory = arena->next + pad;
    arena->next += pad + size;
    arena->left -= pad + size;
    return memory;
}

void *podsku_arena_alloc(struct podsku_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) {
        arena->failed = true;
        return NULL;
    }
    return take(arena, count * size, alignof(max_align_t));
}

const char *podsku_arena_bytes(struct podsku_arena *arena, const char *bytes, size_t len)
{
    char *copy = take(arena, len + 1, 1);

    if (copy) {
        memcpy(copy, bytes, len);
        copy[len] = '\0';
    }
    return copy;
}

const char *podsku_arena_text(struct podsku_arena *arena, const char *text)
{
    return text ? podsku_arena_bytes(arena, text, strlen(text)) : NULL;
}

void podsku_arena_free(struct podsku_arena *arena)
{
    struct arena_chunk *older;

    for (struct arena_chunk *chunk = arena->chunks; chunk; chunk = older) {
        older = chunk->older;
        free(chunk);
    }
    memset(arena, 0, sizeof *arena);
}
