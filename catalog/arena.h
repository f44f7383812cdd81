/*
 * Memory that is given back all at once. A failure is sticky: strings become NULL and `failed` is
 * set, so that a decoder checks once per entry.
 */
#ifndef PODSKU_CATALOG_ARENA_H
#define PODSKU_CATALOG_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct podsku_arena {
    struct arena_chunk *chunks;
    char *next;
    size_t left;
    bool failed;
};

/* count x size bytes, zeroed and aligned for any object; NULL when there is no memory. */
void *podsku_arena_alloc(struct podsku_arena *arena, size_t count, size_t size);

/* A NUL-terminated copy; NULL for NULL and when there is no memory. */
const char *podsku_arena_text(struct podsku_arena *arena, const char *text);
const char *podsku_arena_bytes(struct podsku_arena *arena, const char *bytes, size_t len);

void podsku_arena_free(struct podsku_arena *arena);

#endif
