/*
 * Batches repeat themselves: the same requirement under another name. The text of a decision is kept
 * under its requirement when that comes for the second time, and used again. Bounded, so that memory
 * stays constant; a batch that does not repeat itself stops paying for it.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/evaluate.h"

enum { SLOTS = 8192, PLACES = 1 << 16, ENTRIES_MAX = SLOTS / 2, BYTES_MAX = 16 << 20, TRIAL = 16384, WORTH = 16 };

struct cli_memo_entry {
    uint64_t hash;
    json_t *requirement; /* NULL: free */
    size_t catalog;
    char *text;
    size_t len;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Equal values have equal hashes, in whatever order an object's keys stand. Depth is bounded by the reader. */
static uint64_t hash_json(json_t *value)
{
    uint64_t hash = mix(1, (uint64_t)json_typeof(value));
    double real;
    uint64_t bits;

    switch (json_typeof(value)) {
    case JSON_STRING: return hash_text(hash, json_string_value(value));
    case JSON_INTEGER: return mix(hash, (uint64_t)json_integer_value(value));
    case JSON_REAL:
        real = json_real_value(value);
        memcpy(&bits, &real, sizeof bits);
        return mix(hash, bits);
    case JSON_ARRAY:
        for (size_t i = 0; i < json_array_size(value); i++)
            hash = mix(hash, hash_json(json_array_get(value, i)));
        return hash;
    case JSON_OBJECT:
        for (void *at = json_object_iter(value); at; at = json_object_iter_next(value, at))
            hash += mix(hash_text(7, json_object_iter_key(at)), hash_json(json_object_iter_value(at)));
        return hash;
    default: return hash;
    }
}

static struct cli_memo_entry *slot_of(struct cli_memo *memo, uint64_t hash, json_t *requirement, size_t catalog)
{
    size_t i = (size_t)hash & (SLOTS - 1);

    while (memo->slots[i].requirement && (memo->slots[i].hash != hash || memo->slots[i].catalog != catalog ||
                                          !json_equal(memo->slots[i].requirement, requirement)))
        i = (i + 1) & (SLOTS - 1);
    return &memo->slots[i];
}

/* True from the second time on, as far as a hash in each place tells. */
static bool seen_before(struct cli_memo *memo)
{
    uint32_t *seen = &memo->seen[memo->hash & (PLACES - 1)];
    uint32_t hash = (uint32_t)(memo->hash >> 32);
    bool again = *seen == hash;

    *seen = hash;
    return again;
}

static bool worth_it(const struct cli_memo *memo)
{
    return memo->lookups < TRIAL || memo->hits >= memo->lookups / WORTH;
}

static void turn_off(struct cli_memo *memo)
{
    cli_memo_free(memo);
    memo->off = true;
}

const char *cli_memo_find(struct cli_memo *memo, json_t *requirement, size_t catalog, size_t *len)
{
    if (memo->off)
        return NULL;
    if (!memo->slots) {
        memo->slots = calloc(SLOTS, sizeof *memo->slots);
        memo->seen = calloc(PLACES, sizeof *memo->seen);
    }
    if (!memo->slots || !memo->seen || !worth_it(memo)) {
        turn_off(memo);
        return NULL;
    }
    memo->hash = mix(hash_json(requirement), catalog);
    memo->lookups++;
    struct cli_memo_entry *slot = slot_of(memo, memo->hash, requirement, catalog);
    if (!slot->requirement)
        return NULL;
    memo->hits++;
    *len = slot->len;
    return slot->text;
}

void cli_memo_keep(struct cli_memo *memo, json_t *requirement, size_t catalog, const char *text, size_t len)
{
    if (memo->off || memo->count >= ENTRIES_MAX || memo->bytes + len > BYTES_MAX || !seen_before(memo))
        return;
    char *copy = malloc(len + 1);
    if (!copy)
        return;
    memcpy(copy, text, len);
    struct cli_memo_entry *slot = slot_of(memo, memo->hash, requirement, catalog);
    slot->hash = memo->hash;
    slot->requirement = json_incref(requirement);
    slot->catalog = catalog;
    slot->text = copy;
    slot->len = len;
    memo->count++;
    memo->bytes += len;
}

void cli_memo_free(struct cli_memo *memo)
{
    for (size_t i = 0; memo->slots && i < SLOTS; i++) {
        json_decref(memo->slots[i].requirement);
        free(memo->slots[i].text);
    }
    free(memo->slots);
    free(memo->seen);
    *memo = (struct cli_memo){0};
}
