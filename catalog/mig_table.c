/*
 * MIG profiles per card: compute slices, memory slices, how many fit. Rows of one card are
 * contiguous.
 *
 * Source: NVIDIA's MIG user guide (v580 to v610) and mig-parted, read in August 2026; `sold`:
 * Runpod's catalogue of 2026-08-27. Rows marked INFERRED follow from other tables or differ between
 * versions of the guide.
 */
#include <string.h>

#include "catalog/facts.h"

#define A30_24GB "A30 24GB"
#define A100_40GB "A100 40GB"
#define A100_80GB "A100 80GB"
#define H100_80GB "H100 80GB"
#define H100_94GB "H100 94GB"
#define H200_141GB "H200 141GB"
#define B200_180GB "B200 180GB"
#define B300_288GB "B300 288GB (269 GiB)"
#define RTX_PRO_6000_96GB "RTX PRO 6000 Blackwell 96GB"
#define RTX_PRO_5000_48GB "RTX PRO 5000 Blackwell 48GB"
#define RTX_PRO_4500_32GB "RTX PRO 4500 Blackwell 32GB"

enum { PARENTS_MAX = 3 };

struct card_row {
    const char *name;
    const char *parents[PARENTS_MAX + 1]; /* GPU type ids, NULL-terminated */
};

static const struct card_row cards[] = {
    {A30_24GB, {"NVIDIA A30", "NVIDIA  A30", "NVIDIA RTX A30"}},
    {A100_40GB, {"NVIDIA A100-SXM4-40GB"}},
    {A100_80GB, {"NVIDIA A100-SXM4-80GB", "NVIDIA A100 80GB PCIe"}},
    {H100_80GB, {"NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe"}},
    {H100_94GB, {"NVIDIA H100 NVL"}},
    {H200_141GB, {"NVIDIA H200", "NVIDIA H200 NVL"}},
    {B200_180GB, {"NVIDIA B200"}},
    {B300_288GB, {"NVIDIA B300 SXM6 AC"}},
    {RTX_PRO_6000_96GB,
     {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
      "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"}},
    {RTX_PRO_5000_48GB, {"NVIDIA RTX PRO 5000 Blackwell"}},
    {RTX_PRO_4500_32GB, {"NVIDIA RTX PRO 4500 Blackwell"}},
};
enum { CARD_COUNT = sizeof cards / sizeof *cards };

#define EQUAL "Compute and memory fractions are equal."
#define SEVENTH "1/7 compute but 1/8 memory: seven of them leave one memory slice unused"
#define MEDIA "As 1g, with the media extensions; one per GPU."
#define DOUBLE_MEMORY "1/7 compute with 2/8 memory: memory twice the compute share; 4 per GPU"
#define TWO_SEVENTHS "2/7 compute, 2/8 memory."
#define HALF_MEMORY "3/7 compute but 4/8 memory; two of them use 6/7 of the SMs and all the memory."
#define FOUR_SEVENTHS "4/7 compute, 4/8 memory; only one fits."
#define WHOLE "Whole GPU in MIG mode (P2P and NVLink to other GPUs still off)."
#define QUARTERS "Compute and memory fractions are equal (4 slices, not 7/8)."
#define PRO_5000                                                                                       \
    "Here 1g.24gb is HALF the card; guide v580 had quarter slices (1g.12gb .. 4g.48gb), so the names " \
    "depend on the driver."
#define PRO_4500 "Half or whole."

/* Columns as in the guide: designators would make each row eight lines. */
#define ROW(card, profile, compute, compute_total, memory, memory_total, gb, most, graphics, sold, sure, note) \
    {                                                                                                          \
        card, profile, compute, compute_total, memory, memory_total, gb, most, graphics, sold,                 \
            PODSKU_CONFIDENCE_##sure, note                                                                     \
    }

static const struct podsku_mig_profile profiles[] = {
    ROW(A30_24GB, "1g.6gb", 1, 4, 1, 4, 6, 4, false, false, VENDOR, EQUAL),
    ROW(A30_24GB, "1g.6gb+me", 1, 4, 1, 4, 6, 1, false, false, VENDOR, EQUAL),
    ROW(A30_24GB, "2g.12gb", 2, 4, 2, 4, 12, 2, false, false, VENDOR, EQUAL),
    ROW(A30_24GB, "2g.12gb+me", 2, 4, 2, 4, 12, 1, false, false, VENDOR, EQUAL),
    ROW(A30_24GB, "4g.24gb", 4, 4, 4, 4, 24, 1, false, false, VENDOR, EQUAL),
    ROW(A100_40GB, "1g.5gb", 1, 7, 1, 8, 5, 7, false, false, VENDOR, SEVENTH "."),
    ROW(A100_40GB, "1g.5gb+me", 1, 7, 1, 8, 5, 1, false, false, VENDOR, MEDIA),
    ROW(A100_40GB, "1g.10gb", 1, 7, 2, 8, 10, 4, false, false, VENDOR,
        DOUBLE_MEMORY ". NVIDIA's A100 table prints \"1/8\" for this row, which contradicts 10 of 40 GB, the count of "
                      "4 and its own H100/H200/B200 tables (1/4): taken as 2/8."),
    ROW(A100_40GB, "2g.10gb", 2, 7, 2, 8, 10, 3, false, false, VENDOR, TWO_SEVENTHS),
    ROW(A100_40GB, "3g.20gb", 3, 7, 4, 8, 20, 2, false, false, VENDOR, HALF_MEMORY),
    ROW(A100_40GB, "4g.20gb", 4, 7, 4, 8, 20, 1, false, false, VENDOR, FOUR_SEVENTHS),
    ROW(A100_40GB, "7g.40gb", 7, 7, 8, 8, 40, 1, false, false, VENDOR, WHOLE),
    ROW(A100_80GB, "1g.10gb", 1, 7, 1, 8, 10, 7, false, false, VENDOR, SEVENTH "."),
    ROW(A100_80GB, "1g.10gb+me", 1, 7, 1, 8, 10, 1, false, false, VENDOR, MEDIA),
    ROW(A100_80GB, "1g.20gb", 1, 7, 2, 8, 20, 4, false, false, VENDOR, DOUBLE_MEMORY "."),
    ROW(A100_80GB, "2g.20gb", 2, 7, 2, 8, 20, 3, false, false, VENDOR, TWO_SEVENTHS),
    ROW(A100_80GB, "3g.40gb", 3, 7, 4, 8, 40, 2, false, false, VENDOR, HALF_MEMORY),
    ROW(A100_80GB, "4g.40gb", 4, 7, 4, 8, 40, 1, false, false, VENDOR, FOUR_SEVENTHS),
    ROW(A100_80GB, "7g.80gb", 7, 7, 8, 8, 80, 1, false, false, VENDOR, WHOLE),
    ROW(H100_80GB, "1g.10gb", 1, 7, 1, 8, 10, 7, false, false, VENDOR, SEVENTH "."),
    ROW(H100_80GB, "1g.10gb+me", 1, 7, 1, 8, 10, 1, false, false, VENDOR, MEDIA),
    ROW(H100_80GB, "1g.20gb", 1, 7, 2, 8, 20, 4, false, false, VENDOR, DOUBLE_MEMORY "."),
    ROW(H100_80GB, "2g.20gb", 2, 7, 2, 8, 20, 3, false, false, VENDOR, TWO_SEVENTHS),
    ROW(H100_80GB, "3g.40gb", 3, 7, 4, 8, 40, 2, false, false, VENDOR, HALF_MEMORY),
    ROW(H100_80GB, "4g.40gb", 4, 7, 4, 8, 40, 1, false, false, VENDOR, FOUR_SEVENTHS),
    ROW(H100_80GB, "7g.80gb", 7, 7, 8, 8, 80, 1, false, false, VENDOR, WHOLE),
    ROW(H100_94GB, "1g.12gb", 1, 7, 1, 8, 12, 7, false, false, VENDOR, SEVENTH "."),
    ROW(H100_94GB, "1g.12gb+me", 1, 7, 1, 8, 12, 1, false, false, VENDOR, MEDIA),
    ROW(H100_94GB, "1g.24gb", 1, 7, 2, 8, 24, 4, false, false, VENDOR,
        DOUBLE_MEMORY ". The name 1g.24gb is shared with RTX PRO 6000 (1/4 compute) and RTX PRO 5000 (1/2 compute): "
                      "never read compute from the name alone."),
    ROW(H100_94GB, "2g.24gb", 2, 7, 2, 8, 24, 3, false, false, VENDOR, TWO_SEVENTHS),
    ROW(H100_94GB, "3g.47gb", 3, 7, 4, 8, 47, 2, false, false, VENDOR, HALF_MEMORY),
    ROW(H100_94GB, "4g.47gb", 4, 7, 4, 8, 47, 1, false, false, VENDOR, FOUR_SEVENTHS),
    ROW(H100_94GB, "7g.94gb", 7, 7, 8, 8, 94, 1, false, false, VENDOR, WHOLE),
    ROW(H200_141GB, "1g.18gb", 1, 7, 1, 8, 18, 7, false, false, VENDOR,
        SEVENTH ". H200 NVL: the guide and mig-parted use the same names; NVIDIA's datasheet says 7 x 16.5 GB and one "
                "site lists 1g.16gb on H200 NVL."),
    ROW(H200_141GB, "1g.18gb+me", 1, 7, 1, 8, 18, 1, false, false, VENDOR, MEDIA),
    ROW(H200_141GB, "1g.35gb", 1, 7, 2, 8, 35, 4, false, false, VENDOR, DOUBLE_MEMORY "."),
    ROW(H200_141GB, "2g.35gb", 2, 7, 2, 8, 35, 3, false, false, VENDOR, TWO_SEVENTHS),
    ROW(H200_141GB, "3g.71gb", 3, 7, 4, 8, 71, 2, false, false, VENDOR, HALF_MEMORY),
    ROW(H200_141GB, "4g.71gb", 4, 7, 4, 8, 71, 1, false, false, VENDOR, FOUR_SEVENTHS),
    ROW(H200_141GB, "7g.141gb", 7, 7, 8, 8, 141, 1, false, false, VENDOR, WHOLE),
    ROW(B200_180GB, "1g.23gb", 1, 7, 1, 8, 23, 7, false, false, VENDOR, SEVENTH "."),
    ROW(B200_180GB, "1g.23gb+me", 1, 7, 1, 8, 23, 1, false, false, VENDOR, MEDIA),
    ROW(B200_180GB, "1g.45gb", 1, 7, 2, 8, 45, 4, false, false, VENDOR, DOUBLE_MEMORY "."),
    ROW(B200_180GB, "2g.45gb", 2, 7, 2, 8, 45, 3, false, false, VENDOR, TWO_SEVENTHS),
    ROW(B200_180GB, "3g.90gb", 3, 7, 4, 8, 90, 2, false, false, VENDOR, HALF_MEMORY),
    ROW(B200_180GB, "4g.90gb", 4, 7, 4, 8, 90, 1, false, false, VENDOR, FOUR_SEVENTHS),
    ROW(B200_180GB, "7g.180gb", 7, 7, 8, 8, 180, 1, false, false, VENDOR, WHOLE),
    ROW(B300_288GB, "1g.34gb", 1, 7, 1, 8, 34, 7, false, true, INFERRED,
        SEVENTH ". Names and counts from mig-parted and AWS HyperPod; slice totals by analogy with B200 (NVIDIA's "
                "table for B300 was not seen); 18 of 148 SMs measured; sold as NVIDIA B300 SXM6 AC MIG 1g.34gb."),
    ROW(B300_288GB, "1g.34gb+me", 1, 7, 1, 8, 34, 1, false, false, INFERRED, MEDIA),
    ROW(B300_288GB, "1g.67gb", 1, 7, 2, 8, 67, 4, false, false, INFERRED, DOUBLE_MEMORY "."),
    ROW(B300_288GB, "2g.67gb", 2, 7, 2, 8, 67, 3, false, false, INFERRED, TWO_SEVENTHS),
    ROW(B300_288GB, "3g.135gb", 3, 7, 4, 8, 135, 2, false, false, INFERRED, HALF_MEMORY),
    ROW(B300_288GB, "4g.135gb", 4, 7, 4, 8, 135, 1, false, false, INFERRED, FOUR_SEVENTHS),
    ROW(B300_288GB, "7g.269gb", 7, 7, 8, 8, 269, 1, false, false, INFERRED, WHOLE),
    ROW(RTX_PRO_6000_96GB, "1g.24gb", 1, 4, 1, 4, 24, 4, false, true, VENDOR, "Quarter of SMs, memory, L2. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "1g.24gb+me", 1, 4, 1, 4, 24, 1, false, false, VENDOR,
        "Same compute, adds the OFA. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "1g.24gb+gfx", 1, 4, 1, 4, 24, 4, true, false, VENDOR,
        "Same compute, adds graphics APIs. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "1g.24gb+me.all", 1, 4, 1, 4, 24, 1, false, false, VENDOR,
        "Same compute, all media engines of the card; no graphics. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "1g.24gb-me", 1, 4, 1, 4, 24, 4, false, false, VENDOR,
        "Same compute, no media engines. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "2g.48gb", 2, 4, 2, 4, 48, 2, false, true, VENDOR, "Half. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "2g.48gb+gfx", 2, 4, 2, 4, 48, 2, true, false, VENDOR, "Half, graphics APIs. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "2g.48gb+me.all", 2, 4, 2, 4, 48, 1, false, false, VENDOR,
        "Half, all media engines. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "2g.48gb-me", 2, 4, 2, 4, 48, 2, false, false, VENDOR, "Half, no media engines. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "4g.96gb", 4, 4, 4, 4, 96, 1, false, false, VENDOR, "Whole card in MIG mode. " QUARTERS),
    ROW(RTX_PRO_6000_96GB, "4g.96gb+gfx", 4, 4, 4, 4, 96, 1, true, false, VENDOR,
        "Whole card, graphics APIs. " QUARTERS),
    ROW(RTX_PRO_5000_48GB, "1g.24gb", 1, 2, 1, 2, 24, 2, false, false, INFERRED, PRO_5000),
    ROW(RTX_PRO_5000_48GB, "1g.24gb+me", 1, 2, 1, 2, 24, 1, false, false, INFERRED, PRO_5000),
    ROW(RTX_PRO_5000_48GB, "1g.24gb+gfx", 1, 2, 1, 2, 24, 2, true, false, INFERRED, PRO_5000),
    ROW(RTX_PRO_5000_48GB, "1g.24gb+me.all", 1, 2, 1, 2, 24, 1, false, false, INFERRED, PRO_5000),
    ROW(RTX_PRO_5000_48GB, "1g.24gb-me", 1, 2, 1, 2, 24, 2, false, false, INFERRED, PRO_5000),
    ROW(RTX_PRO_5000_48GB, "2g.48gb", 2, 2, 2, 2, 48, 1, false, false, INFERRED, PRO_5000),
    ROW(RTX_PRO_5000_48GB, "2g.48gb+gfx", 2, 2, 2, 2, 48, 1, true, false, INFERRED, PRO_5000),
    ROW(RTX_PRO_4500_32GB, "1g.16gb", 1, 2, 1, 2, 16, 2, false, false, INFERRED, PRO_4500),
    ROW(RTX_PRO_4500_32GB, "1g.16gb+gfx", 1, 2, 1, 2, 16, 2, true, false, INFERRED, PRO_4500),
    ROW(RTX_PRO_4500_32GB, "1g.16gb+me.all", 1, 2, 1, 2, 16, 1, false, false, INFERRED, PRO_4500),
    ROW(RTX_PRO_4500_32GB, "1g.16gb-me", 1, 2, 1, 2, 16, 2, false, false, INFERRED, PRO_4500),
    ROW(RTX_PRO_4500_32GB, "2g.32gb", 2, 2, 2, 2, 32, 1, false, false, INFERRED, PRO_4500),
    ROW(RTX_PRO_4500_32GB, "2g.32gb+gfx", 2, 2, 2, 2, 32, 1, true, false, INFERRED, PRO_4500),
};
enum { PROFILE_COUNT = sizeof profiles / sizeof *profiles };

const struct podsku_mig_profile *podsku_mig_profiles(size_t *count)
{
    *count = PROFILE_COUNT;
    return profiles;
}

static const struct card_row *card_of_parent(const char *parent_id)
{
    for (size_t i = 0; i < CARD_COUNT; i++)
        for (const char *const *id = cards[i].parents; *id; id++)
            if (strcmp(*id, parent_id) == 0)
                return &cards[i];
    return NULL;
}

const struct podsku_mig_profile *podsku_mig_profiles_of(const char *parent_id, size_t *count)
{
    const struct card_row *card = card_of_parent(parent_id);
    const struct podsku_mig_profile *first = NULL;

    *count = 0;
    for (size_t i = 0; card && i < PROFILE_COUNT; i++) {
        if (strcmp(profiles[i].card, card->name) != 0)
            continue;
        if (!first)
            first = &profiles[i];
        (*count)++;
    }
    return first;
}

const struct podsku_mig_profile *podsku_mig_profile_find(const char *parent_id, const char *profile)
{
    size_t count;
    const struct podsku_mig_profile *rows = podsku_mig_profiles_of(parent_id, &count);

    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].profile, profile) == 0)
            return &rows[i];
    return NULL;
}

const char *const *podsku_mig_parent_ids(const struct podsku_mig_profile *profile)
{
    static const char *const none[] = {NULL};

    for (size_t i = 0; i < CARD_COUNT; i++)
        if (strcmp(cards[i].name, profile->card) == 0)
            return cards[i].parents;
    return none;
}
