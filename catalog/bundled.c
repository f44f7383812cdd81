/*
 * The bundled catalogue: the 48 entries of Runpod's catalogue of August 2026 with its list prices.
 * Source: Runpod's public GPU type list, read on 2026-08-27. Its oddities (prices on clouds that do
 * not offer the card, flags against counts, the `unknown` entry) are kept: they are what the rules
 * are for. Prices are in US cents per GPU-hour.
 */
#include <string.h>

#include "base/money.h"
#include "catalog/store.h"

#define YES PODSKU_YES
#define NO PODSKU_NO

static const int64_t UUSD_PER_CENT = PODSKU_UUSD_PER_USD / 100;
static const int64_t RECORDED_MS = INT64_C(1787788800000); /* 2026-08-27T00:00:00Z */

struct bundled_row {
    const char *id, *name, *manufacturer, *pool;
    int memory_gb;
    enum podsku_tri offered[PODSKU_CLOUD_COUNT];
    int max_gpus[PODSKU_CLOUD_COUNT];
    int price_cents[PODSKU_CLOUD_COUNT];
    int serverless_cents;
};

static const struct bundled_row rows[] = {
    {"AMD Instinct MI300X OAM", "MI300X", "AMD", NULL, 192, {YES, NO}, {8, 0}, {239, 50}, 0},
    {"NVIDIA A100 80GB PCIe", "A100 PCIe", "NVIDIA", "AMPERE_80", 80, {YES, YES}, {8, 8}, {139, 119}, 272},
    {"NVIDIA A100-SXM4-40GB", "A100 SXM 40GB", "NVIDIA", NULL, 40, {NO, YES}, {0, 2}, {0, 100}, 0},
    {"NVIDIA A100-SXM4-80GB", "A100 SXM", "NVIDIA", "AMPERE_80", 80, {YES, YES}, {8, 8}, {159, 139}, 272},
    {"NVIDIA A40", "A40", "NVIDIA", "AMPERE_48", 48, {YES, NO}, {10, 1}, {44, 35}, 122},
    {"NVIDIA B200", "B200", "NVIDIA", "BLACKWELL_180", 180, {YES, YES}, {8, 0}, {679, 598}, 864},
    {"NVIDIA B300 SXM6 AC", "B300", "NVIDIA", "BLACKWELL_288", 288, {YES, YES}, {8, 0}, {789, 694}, 1065},
    {"NVIDIA GeForce RTX 3070", "RTX 3070", "NVIDIA", NULL, 8, {NO, YES}, {0, 8}, {0, 13}, 0},
    {"NVIDIA GeForce RTX 3080", "RTX 3080", "NVIDIA", NULL, 10, {NO, YES}, {0, 2}, {0, 17}, 0},
    {"NVIDIA GeForce RTX 3080 Ti", "RTX 3080 Ti", "NVIDIA", NULL, 12, {NO, YES}, {0, 4}, {0, 18}, 0},
    {"NVIDIA GeForce RTX 3090", "RTX 3090", "NVIDIA", "AMPERE_24", 24, {YES, YES}, {8, 8}, {50, 22}, 69},
    {"NVIDIA GeForce RTX 3090 Ti", "RTX 3090 Ti", "NVIDIA", NULL, 24, {NO, YES}, {0, 4}, {46, 27}, 0},
    {"NVIDIA GeForce RTX 4070 Ti", "RTX 4070 Ti", "NVIDIA", NULL, 12, {NO, YES}, {0, 5}, {50, 19}, 0},
    {"NVIDIA GeForce RTX 4080", "RTX 4080", "NVIDIA", NULL, 16, {NO, YES}, {0, 2}, {50, 27}, 0},
    {"NVIDIA GeForce RTX 4080 SUPER", "RTX 4080 SUPER", "NVIDIA", NULL, 16, {NO, YES}, {0, 4}, {50, 28}, 0},
    {"NVIDIA GeForce RTX 4090", "RTX 4090", "NVIDIA", "ADA_24", 24, {YES, YES}, {8, 9}, {74, 34}, 110},
    {"NVIDIA GeForce RTX 5080", "RTX 5080", "NVIDIA", NULL, 16, {NO, YES}, {0, 8}, {59, 39}, 0},
    {"NVIDIA GeForce RTX 5090", "RTX 5090", "NVIDIA", "ADA_32_PRO", 32, {YES, YES}, {10, 8}, {99, 69}, 158},
    {"NVIDIA H100 80GB HBM3", "H100 SXM", "NVIDIA", "ADA_80_PRO", 80, {YES, YES}, {8, 1}, {329, 269}, 479},
    {"NVIDIA H100 NVL", "H100 NVL", "NVIDIA", "ADA_80_PRO", 94, {YES, YES}, {8, 10}, {319, 259}, 479},
    {"NVIDIA H100 PCIe", "H100 PCIe", "NVIDIA", "ADA_80_PRO", 80, {YES, YES}, {8, 1}, {289, 199}, 479},
    {"NVIDIA H200", "H200 SXM", "NVIDIA", "HOPPER_141", 141, {YES, YES}, {8, 8}, {459, 359}, 593},
    {"NVIDIA H200 NVL", "H200 NVL", "NVIDIA", NULL, 143, {YES, NO}, {8, 0}, {379, 50}, 0},
    {"NVIDIA L4", "L4", "NVIDIA", "AMPERE_24", 24, {YES, NO}, {9, 1}, {49, 44}, 69},
    {"NVIDIA L40", "L40", "NVIDIA", "ADA_48_PRO", 48, {YES, YES}, {8, 10}, {82, 69}, 175},
    {"NVIDIA L40S", "L40S", "NVIDIA", "ADA_48_PRO", 48, {YES, YES}, {8, 8}, {99, 79}, 175},
    {"NVIDIA RTX 2000 Ada Generation", "RTX 2000 Ada", "NVIDIA", "AMPERE_16", 16, {YES, NO}, {8, 0}, {24, 50}, 58},
    {"NVIDIA RTX 4000 Ada Generation", "RTX 4000 Ada", "NVIDIA", "AMPERE_16", 20, {YES, YES}, {8, 8}, {28, 20}, 58},
    {"NVIDIA RTX 4000 SFF Ada Generation", "RTX 4000 Ada SFF", "NVIDIA", NULL, 20, {NO, YES}, {0, 7}, {44, 18}, 0},
    {"NVIDIA RTX 5000 Ada Generation", "RTX 5000 Ada", "NVIDIA", NULL, 32, {NO, YES}, {0, 4}, {83, 49}, 0},
    {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada", "NVIDIA", "ADA_48_PRO", 48, {YES, YES}, {8, 8}, {84, 74}, 175},
    {"NVIDIA RTX A2000", "RTX A2000", "NVIDIA", NULL, 6, {NO, YES}, {0, 4}, {50, 12}, 0},
    {"NVIDIA RTX A4000", "RTX A4000", "NVIDIA", "AMPERE_16", 16, {YES, YES}, {8, 8}, {25, 17}, 58},
    {"NVIDIA RTX A4500", "RTX A4500", "NVIDIA", "AMPERE_16", 20, {YES, YES}, {4, 4}, {25, 19}, 58},
    {"NVIDIA RTX A5000", "RTX A5000", "NVIDIA", "AMPERE_24", 24, {YES, YES}, {10, 10}, {27, 16}, 69},
    {"NVIDIA RTX A6000", "RTX A6000", "NVIDIA", "AMPERE_48", 48, {YES, YES}, {10, 3}, {53, 33}, 122},
    {"NVIDIA RTX PRO 4000 Blackwell", "RTX PRO 4000", "NVIDIA", NULL, 24, {YES, NO}, {4, 0}, {57, 50}, 0},
    {"NVIDIA RTX PRO 4500 Blackwell", "RTX PRO 4500", "NVIDIA", "BLACKWELL_32", 32, {YES, NO}, {8, 0}, {72, 34}, 115},
    {"NVIDIA RTX PRO 4500 Blackwell Server Edition",
     "RTX PRO 4500 SE",
     "NVIDIA",
     NULL,
     32,
     {YES, NO},
     {8, 0},
     {72, 50},
     0},
    {"NVIDIA RTX PRO 5000 Blackwell", "RTX PRO 5000", "NVIDIA", NULL, 48, {YES, YES}, {0, 8}, {96, 82}, 0},
    {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
     "RTX PRO 6000 MaxQ",
     "NVIDIA",
     "BLACKWELL_96",
     96,
     {NO, YES},
     {0, 2},
     {50, 164},
     349},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition",
     "RTX PRO 6000",
     "NVIDIA",
     "BLACKWELL_96",
     96,
     {YES, YES},
     {9, 9},
     {209, 169},
     349},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb",
     "PRO 6000 MIG 24GB",
     "NVIDIA",
     "AMPERE_24",
     24,
     {YES, NO},
     {32, 0},
     {59, 50},
     69},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 2g.48gb",
     "PRO 6000 MIG 48GB",
     "NVIDIA",
     "ADA_48_PRO",
     48,
     {YES, NO},
     {16, 0},
     {109, 100},
     175},
    {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
     "RTX PRO 6000 WK",
     "NVIDIA",
     "BLACKWELL_96",
     96,
     {YES, YES},
     {8, 4},
     {189, 169},
     349},
    {"Tesla V100-PCIE-16GB", "Tesla V100", "NVIDIA", NULL, 16, {NO, YES}, {0, 8}, {0, 19}, 0},
    {"Tesla V100-SXM2-16GB", "V100 SXM2", "NVIDIA", NULL, 16, {NO, YES}, {0, 8}, {0, 23}, 0},
    {"unknown", "unknown", "UNKNOWN", NULL, 0, {NO, NO}, {1, 1}, {0, 0}, 0},
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

const char podsku_bundled_sha256[65] = "1a61878d80b7394b058d5a4264c6cc6240ebc8be3c475385944d824c1c5db6f1";

static struct podsku_gpu_type type_of(const struct bundled_row *row, size_t entry)
{
    struct podsku_gpu_type type = {
        .id = row->id,
        .name = row->name,
        .manufacturer_word = row->manufacturer,
        .pool = row->pool,
        .memory_gb = row->memory_gb,
        .serverless_uusd = row->serverless_cents * UUSD_PER_CENT,
        .entry = entry,
    };

    for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
        type.offered[cloud] = row->offered[cloud];
        type.max_gpus[cloud] = row->max_gpus[cloud];
        type.price_uusd[cloud] = row->price_cents[cloud] * UUSD_PER_CENT;
    }
    return type;
}

enum podsku_code podsku_catalog_bundled(const struct podsku_facts_set *facts, struct podsku_catalog **catalog,
                                        struct podsku_error *err)
{
    static const struct podsku_catalog_query nothing = {.product = PODSKU_PRODUCT_POD, .count = 1};
    struct podsku_catalog *made = podsku_store_new(facts, ROW_COUNT);

    *catalog = NULL;
    if (!made)
        return podsku_error_no_memory(err);
    made->source = PODSKU_SOURCE_BUNDLED;
    made->recorded_ms = RECORDED_MS;
    made->entries = ROW_COUNT;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct podsku_gpu_type type = type_of(&rows[i], i);
        if (strcmp(type.id, PODSKU_UNKNOWN_ID) != 0 && !podsku_store_add(made, &type))
            goto out;
    }
    if (!podsku_store_reads(made, &nothing, 1) || !podsku_store_finish(made))
        goto out;
    *catalog = made;
    return PODSKU_OK;
out:
    podsku_catalog_free(made);
    return podsku_error_no_memory(err);
}
