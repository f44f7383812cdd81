#include "catalog/slice.h"

#include <ctype.h>
#include <string.h>

#include "catalog/facts_table.h"

static const char *skip_digits(const char *text)
{
    while (isdigit((unsigned char)*text))
        text++;
    return text;
}

/* "<N>g.<M>gb", then nothing or a suffix of '+' or '-' and a word. */
static bool is_profile(const char *text)
{
    const char *p = skip_digits(text);

    if (p == text || p[0] != 'g' || p[1] != '.')
        return false;
    const char *memory = p + 2;
    p = skip_digits(memory);
    if (p == memory || p[0] != 'g' || p[1] != 'b')
        return false;
    p += 2;
    if (*p == '\0')
        return true;
    if ((*p != '+' && *p != '-') || p[1] == '\0')
        return false;
    for (p++; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '.' && *p != '+' && *p != '-')
            return false;
    return true;
}

bool podsku_slice_parse(const char *id, size_t *parent_len, const char **profile)
{
    static const char mark[] = " MIG ";
    const char *last = NULL;

    for (const char *p = strstr(id, mark); p; p = strstr(p + 1, mark))
        last = p;
    if (!last || last == id || !is_profile(last + sizeof mark - 1))
        return false;
    *parent_len = (size_t)(last - id);
    *profile = last + sizeof mark - 1;
    return true;
}

/* The shares of the tables; of the memory otherwise by what the catalogue says of both. */
static void fill_shares(struct podsku_slice *slice, const struct podsku_mig_profile *row, int memory_gb, int parent_gb)
{
    if (row) {
        slice->memory_numerator = row->memory_slices;
        slice->memory_denominator = row->memory_total;
        slice->compute_numerator = row->compute_slices;
        slice->compute_denominator = row->compute_total;
    } else if (memory_gb > 0 && memory_gb <= parent_gb) {
        slice->memory_numerator = memory_gb;
        slice->memory_denominator = parent_gb;
    }
}

/* What holds for every slice of a card: no NVLink, the parent's architecture, no MIG within MIG. */
static const struct podsku_facts *inferred_facts(struct podsku_arena *arena, const char *id,
                                                 const struct podsku_facts *parent,
                                                 const struct podsku_mig_profile *row)
{
    struct podsku_facts *facts = podsku_arena_alloc(arena, 1, sizeof *facts);

    if (!facts)
        return NULL;
    facts->id = id;
    facts->form_factor = "MIG slice";
    facts->evidence = PODSKU_EVIDENCE_NONE;
    facts->nvlink_domain = 1;
    facts->topo_code = PODSKU_SLICE_TOPO;
    facts->mig_capable = PODSKU_NO;
    facts->confidence = PODSKU_CONFIDENCE_INFERRED;
    facts->source = "NVIDIA MIG user guide: follows from being a slice";
    facts->checked = "2026-08";
    if (parent) {
        facts->arch = parent->arch;
        facts->compute_major = parent->compute_major;
        facts->compute_minor = parent->compute_minor;
    }
    if (row)
        facts->memory_gb = row->memory_gb;
    return facts;
}

bool podsku_slice_fill(struct podsku_catalog *catalog, struct podsku_gpu_type *type)
{
    struct podsku_arena *arena = &catalog->store->arena;
    const char *profile;
    size_t parent_len;

    if (!podsku_slice_parse(type->id, &parent_len, &profile))
        return true;
    struct podsku_slice *slice = podsku_arena_alloc(arena, 1, sizeof *slice);
    const char *parent = podsku_arena_bytes(arena, type->id, parent_len);
    if (!slice || !parent)
        return false;
    slice->parent = parent;
    slice->profile = profile;
    const struct podsku_mig_profile *row = podsku_mig_profile_find(parent, profile);
    const struct podsku_gpu_type *parent_type = podsku_catalog_find(catalog, parent);
    const struct podsku_facts *parent_facts = podsku_facts_find(catalog->facts, parent);
    int parent_gb = parent_type ? podsku_gpu_memory_gb(parent_type) : 0;
    if (!parent_gb && parent_facts)
        parent_gb = parent_facts->memory_gb;
    if (!type->facts)
        type->facts = inferred_facts(arena, type->id, parent_facts, row);
    fill_shares(slice, row, podsku_gpu_memory_gb(type), parent_gb);
    type->slice = slice;
    return type->facts != NULL;
}
