/*
 * The reader of nvidia-smi and NCCL texts, and every judgement of what it read. Besides memory errors
 * it looks for what must never be: "all" or a match for NVLink where some pair is not known to have it.
 */
#include <stdlib.h>
#include <string.h>

#include "rules/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct podsku_expectation expectations[] = {
    {0},
    {.gpus = 8, .nvlink = true, .whole_card = true},
    {.gpus = 2, .nvlink = true, .strict = true},
    {.gpu_type = "NVIDIA H100 80GB HBM3", .min_link_gbs = 300},
    {.gpus = 1, .gpu_type = "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb"},
    {.memory_share = {1, 4}, .mig_only = true, .mig_parent = "*H100*"},
};

/* Every pair has NVLink, and both ways say the same. */
static bool all_linked(const struct podsku_verification *v)
{
    int gpus = podsku_verification_gpus(v);

    for (int i = 0; i < gpus; i++) {
        for (int j = 0; j < gpus; j++) {
            struct podsku_pair_link there = podsku_verification_link(v, i, j);
            struct podsku_pair_link back = podsku_verification_link(v, j, i);
            if (i != j && (there.path != PODSKU_PATH_NV || there.count != back.count || back.path != PODSKU_PATH_NV))
                return false;
        }
    }
    return true;
}

static void judge(const struct podsku_reading *reading, const struct podsku_expectation *expected)
{
    struct podsku_verification *v = NULL;
    struct podsku_error err = {0};

    if (podsku_verify_judge(reading, expected, &v, &err) != PODSKU_OK)
        abort();
    json_t *document = podsku_verification_encode(v);
    if (!document)
        abort();
    const char *nvlink = json_string_value(json_object_get(document, "nvlink"));
    if (strcmp(nvlink, "all") == 0 && (!all_linked(v) || !podsku_verification_whole(v)))
        abort();
    if (expected->nvlink && podsku_verification_verdict(v) == PODSKU_VERDICT_MATCH &&
        (!podsku_verification_whole(v) || (expected->gpus >= podsku_verification_gpus(v) && !all_linked(v))))
        abort();
    if (podsku_verification_summary(v)[0] == '\0')
        abort();
    json_decref(document);
    podsku_verification_free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct podsku_reading *reading = NULL;
    struct podsku_error err = {0};

    if (podsku_verify_read((const char *)data, size, &reading, &err) != PODSKU_OK)
        abort();
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++)
        judge(reading, &expectations[i]);
    podsku_reading_free(reading);
    return 0;
}
