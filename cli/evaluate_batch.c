/*
 * Texts of offers for batch lines. An offer's text depends on its type, cloud and counts only, so each
 * is rendered once by jansson and copied from then on. The cache is bounded: beyond that, texts are
 * rendered again each time, and memory stays constant.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/json.h"
#include "cli/evaluate.h"
#include "cli/json_offer.h"

enum { FIRST_ROOM = 256, COUNT_MAX = 1 << 16 };

struct cli_fragment {
    const struct podsku_gpu_type *type; /* NULL: free */
    enum podsku_cloud cloud;
    int gpus, nodes;
    size_t offset, len;
};

static size_t hash(const struct podsku_gpu_type *type, enum podsku_cloud cloud, int gpus, int nodes)
{
    /* Small numbers stay apart above the multiple of a type's size that the pointer is. */
    uint64_t key = (uint64_t)(uintptr_t)type +
                   ((uint64_t)cloud + 2 * ((uint64_t)(unsigned)gpus + 64 * (uint64_t)(unsigned)nodes)) *
                       UINT64_C(0xc2b2ae3d27d4eb4f);

    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(key >> 32);
}

/* The slot of this offer, or the free one where it belongs. */
static struct cli_fragment *find(struct cli_fragment *slots, size_t room, const struct cli_fragment *key)
{
    size_t i = hash(key->type, key->cloud, key->gpus, key->nodes) & (room - 1);

    while (slots[i].type && (slots[i].type != key->type || slots[i].cloud != key->cloud || slots[i].gpus != key->gpus ||
                             slots[i].nodes != key->nodes))
        i = (i + 1) & (room - 1);
    return &slots[i];
}

/* Twice the slots; false without memory, which only means that nothing more is remembered. */
static bool grow(struct cli_fragments *fragments)
{
    size_t room = fragments->room ? 2 * fragments->room : FIRST_ROOM;
    struct cli_fragment *slots = calloc(room, sizeof *slots);

    if (!slots)
        return false;
    for (size_t i = 0; i < fragments->room; i++)
        if (fragments->slots[i].type)
            *find(slots, room, &fragments->slots[i]) = fragments->slots[i];
    free(fragments->slots);
    fragments->slots = slots;
    fragments->room = room;
    return true;
}

/* With the comma that stands before it in a list. */
static void render(const struct podsku_offer *offer, struct podsku_buf *out)
{
    json_t *object = cli_offer_short_json(offer);

    podsku_buf_putc(out, ',');
    podsku_json_write(out, object, false);
    json_decref(object);
}

/* Appends ",{...}" for an offer of this catalogue. */
static void put_offer(struct cli_fragments *fragments, const struct podsku_offer *offer, struct podsku_buf *out)
{
    struct cli_fragment key = {offer->type, offer->cloud, offer->gpus, offer->nodes, 0, 0};

    if (2 * fragments->count >= fragments->room && (fragments->count >= COUNT_MAX || !grow(fragments))) {
        render(offer, out);
        return;
    }
    struct cli_fragment *slot = find(fragments->slots, fragments->room, &key);
    if (!slot->type) {
        key.offset = fragments->text.len;
        render(offer, &fragments->text);
        key.len = fragments->text.len - key.offset;
        if (podsku_buf_failed(&fragments->text)) {
            out->failed = true;
            return;
        }
        *slot = key;
        fragments->count++;
    }
    podsku_buf_append(out, fragments->text.data + slot->offset, slot->len);
}

void cli_put_offers(struct cli_fragments *fragments, const struct podsku_offer *offers, size_t count,
                    struct podsku_buf *out)
{
    size_t start = out->len;

    for (size_t i = 0; i < count; i++)
        put_offer(fragments, &offers[i], out);
    if (count > 0 && !podsku_buf_failed(out))
        out->data[start] = '['; /* for the first comma */
    else
        podsku_buf_putc(out, '[');
    podsku_buf_putc(out, ']');
}

void cli_fragments_free(struct cli_fragments *fragments)
{
    free(fragments->slots);
    podsku_buf_free(&fragments->text);
    *fragments = (struct cli_fragments){0};
}
