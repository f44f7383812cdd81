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
    uint64_t key; /* 0: free */
    size_t offset, len;
};

/* Type, cloud, GPUs and nodes as one number that is not 0; 0: too large for one, which is not kept. */
static uint64_t key_of(const struct cli_fragments *fragments, const struct podsku_offer *offer)
{
    uint64_t type = (uint64_t)(offer->type - fragments->types);

    if (type >> 31 || offer->gpus >> 16 || offer->nodes >> 16)
        return 0;
    return type << 33 | (uint64_t)offer->cloud << 32 | (uint64_t)offer->gpus << 16 | (uint64_t)offer->nodes;
}

/* The slot of this key, or the free one where it belongs. */
static struct cli_fragment *find(struct cli_fragment *slots, size_t room, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);

    while (slots[i].key && slots[i].key != key)
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
        if (fragments->slots[i].key)
            *find(slots, room, fragments->slots[i].key) = fragments->slots[i];
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

/* The text of an offer, made if it is not there; NULL: it cannot be kept. */
static const struct cli_fragment *keep(struct cli_fragments *fragments, const struct podsku_offer *offer, uint64_t key)
{
    if (2 * fragments->count >= fragments->room && (fragments->count >= COUNT_MAX || !grow(fragments)))
        return NULL;
    struct cli_fragment *slot = find(fragments->slots, fragments->room, key);
    if (slot->key)
        return slot;
    size_t offset = fragments->text.len;
    render(offer, &fragments->text);
    if (podsku_buf_failed(&fragments->text))
        return NULL;
    *slot = (struct cli_fragment){key, offset, fragments->text.len - offset};
    fragments->count++;
    return slot;
}

/* Appends ",{...}" for an offer of this catalogue. */
static void put_offer(struct cli_fragments *fragments, const struct podsku_offer *offer, struct podsku_buf *out)
{
    uint64_t key = key_of(fragments, offer);
    const struct cli_fragment *kept = key ? keep(fragments, offer, key) : NULL;

    if (kept)
        podsku_buf_append(out, fragments->text.data + kept->offset, kept->len);
    else
        render(offer, out);
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
