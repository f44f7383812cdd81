/*
 * What other tools call Runpod's GPU types.
 *
 * skypilot: names that SkyPilot's Runpod catalogue and its provisioner both know (the catalogue derives
 * them from display names, the provisioner has a fixed map; where the two differ, a launch fails, so
 * those rows have none). dstack: the names that its gpuhunt derives from Runpod's display names; several
 * types can share one. Read from both projects' public documentation and sources in November 2026.
 */
#include "cli/emit.h"

#include <string.h>

static const struct cli_emit_names rows[] = {
    {"AMD Instinct MI300X OAM", "MI300X", "MI300X"},
    {"NVIDIA A100 80GB PCIe", "A100-80GB", "A100"},
    {"NVIDIA A100-SXM4-40GB", NULL, "A100"},
    {"NVIDIA A100-SXM4-80GB", "A100-80GB-SXM", "A100"},
    {"NVIDIA A30", "A30", "A30"},
    {"NVIDIA A40", "A40", "A40"},
    {"NVIDIA B200", "B200", "B200"},
    {"NVIDIA GeForce RTX 3070", "RTX3070", "RTX3070"},
    {"NVIDIA GeForce RTX 3080", "RTX3080", "RTX3080"},
    {"NVIDIA GeForce RTX 3080 Ti", NULL, "RTX3080Ti"},
    {"NVIDIA GeForce RTX 3090", "RTX3090", "RTX3090"},
    {"NVIDIA GeForce RTX 3090 Ti", NULL, "RTX3090Ti"},
    {"NVIDIA GeForce RTX 4070 Ti", NULL, "RTX4070Ti"},
    {"NVIDIA GeForce RTX 4080", "RTX4080", "RTX4080"},
    {"NVIDIA GeForce RTX 4080 SUPER", NULL, "RTX4080SUPER"},
    {"NVIDIA GeForce RTX 4090", "RTX4090", "RTX4090"},
    {"NVIDIA GeForce RTX 5080", "RTX5080", "RTX5080"},
    {"NVIDIA GeForce RTX 5090", "RTX5090", "RTX5090"},
    {"NVIDIA H100 80GB HBM3", "H100-SXM", "H100"},
    {"NVIDIA H100 NVL", "H100-NVL", "H100NVL"},
    {"NVIDIA H100 PCIe", "H100", "H100"},
    {"NVIDIA H200", "H200-SXM", "H200"},
    {"NVIDIA H200 NVL", NULL, "H200NVL"},
    {"NVIDIA L4", "L4", "L4"},
    {"NVIDIA L40", "L40", "L40"},
    {"NVIDIA L40S", "L40S", "L40S"},
    {"NVIDIA RTX 2000 Ada Generation", "RTX2000-Ada", "RTX2000Ada"},
    {"NVIDIA RTX 4000 Ada Generation", "RTX4000-Ada", "RTX4000Ada"},
    {"NVIDIA RTX 4000 SFF Ada Generation", "RTX4000-Ada-SFF", "RTX4000AdaSFF"},
    {"NVIDIA RTX 5000 Ada Generation", "RTX5000-Ada", "RTX5000Ada"},
    {"NVIDIA RTX 6000 Ada Generation", "RTX6000-Ada", "RTX6000Ada"},
    {"NVIDIA RTX A2000", "RTXA2000", "A2000"},
    {"NVIDIA RTX A4000", "RTXA4000", "A4000"},
    {"NVIDIA RTX A4500", "RTXA4500", "A4500"},
    {"NVIDIA RTX A5000", "RTXA5000", "A5000"},
    {"NVIDIA RTX A6000", "RTXA6000", "A6000"},
    {"NVIDIA RTX PRO 4000 Blackwell", NULL, "RTXPRO4000"},
    {"NVIDIA RTX PRO 4500 Blackwell", "RTXPRO4500", "RTXPRO4500"},
    {"NVIDIA RTX PRO 4500 Blackwell Server Edition", NULL, "RTXPRO4500SE"},
    {"NVIDIA RTX PRO 5000 Blackwell", NULL, "RTXPRO5000"},
    {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", NULL, "RTXPRO6000MaxQ"},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTXPRO6000", "RTXPRO6000"},
    {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTXPRO6000-WK", "RTXPRO6000WK"},
    {"Tesla V100-PCIE-16GB", NULL, "V100"},
    {"Tesla V100-SXM2-16GB", NULL, "V100"},
};

const struct cli_emit_names *cli_emit_names_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

const struct cli_emit_names *cli_emit_names(const char *id)
{
    static const struct cli_emit_names none = {"", NULL, NULL};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].id, id) == 0)
            return &rows[i];
    return &none;
}
