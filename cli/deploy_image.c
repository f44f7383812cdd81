/*
 * What an image's name says of its CUDA version, against what an architecture needs at least. A
 * warning only: a name is a hint.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/deploy.h"

/*
 * The first CUDA toolkit that compiles for an architecture. Source: NVIDIA CUDA toolkit release notes
 * and compatibility guides, read 2026-08.
 */
static const struct {
    enum podsku_arch arch;
    const char *name;
    int major, minor;
} needs[] = {
    {PODSKU_ARCH_VOLTA, "Volta", 9, 0},    {PODSKU_ARCH_TURING, "Turing", 10, 0},
    {PODSKU_ARCH_AMPERE, "Ampere", 11, 0}, {PODSKU_ARCH_ADA, "Ada", 11, 8},
    {PODSKU_ARCH_HOPPER, "Hopper", 11, 8}, {PODSKU_ARCH_BLACKWELL, "Blackwell", 12, 8},
};

/* "12.4.1" or "124", "1281", "118": the second writing has a one-digit minor after a two-digit major. */
static bool read_version(const char *text, int *major, int *minor)
{
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 4)
        return false;
    if (text[digits] == '.' && isdigit((unsigned char)text[digits + 1]) && digits <= 2) {
        *major = (int)strtol(text, NULL, 10);
        *minor = (int)strtol(text + digits + 1, NULL, 10);
    } else if (digits >= 3) {
        *major = (text[0] - '0') * 10 + (text[1] - '0');
        *minor = text[2] - '0';
    } else {
        return false; /* "cu12": no minor, so nothing to compare */
    }
    return *major >= 7 && *major <= 99;
}

/* Does a word start here: at the beginning or after something that is no letter or digit? */
static bool word_starts(const char *image, const char *at)
{
    return at == image || !isalnum((unsigned char)at[-1]);
}

bool cli_image_cuda(const char *image, int *major, int *minor)
{
    for (const char *at = image; *at; at++) {
        size_t len = strncmp(at, "cuda", 4) == 0 ? 4 : strncmp(at, "cu", 2) == 0 ? 2 : 0;
        if (!len || !word_starts(image, at))
            continue;
        at += len;
        /* "nvidia/cuda:12.4.1-devel", "cuda-12.4", "cuda12.4.1", "cu128" */
        if (len == 4 && strchr(":-_", *at) && *at)
            at++;
        if (read_version(at, major, minor))
            return true;
        at--;
    }
    return false;
}

void cli_deploy_warn_image(const struct cli_deploy *deploy)
{
    const char *image = json_string_value(cli_deploy_field(deploy, "image", "imageName"));
    bool said[PODSKU_ARCH_COUNT] = {false};
    int major, minor;

    if (!image || !cli_image_cuda(image, &major, &minor))
        return;
    for (size_t i = 0; i < deploy->round->entry_count; i++) {
        const struct podsku_offer *offer = deploy->round->entries[i].tag;
        enum podsku_arch arch = offer->type->facts ? offer->type->facts->arch : PODSKU_ARCH_UNKNOWN;
        for (size_t n = 0; n < sizeof needs / sizeof *needs; n++) {
            bool old = major < needs[n].major || (major == needs[n].major && minor < needs[n].minor);
            if (needs[n].arch != arch || said[arch] || !old)
                continue;
            said[arch] = true;
            cli_warn(deploy->cli,
                     "the image's name says CUDA %d.%d, and %s is %s, which needs %d.%d or newer: its kernels may not "
                     "run there (another image, or --exclude \"%s\")",
                     major, minor, podsku_gpu_name(offer->type), needs[n].name, needs[n].major, needs[n].minor,
                     podsku_gpu_name(offer->type));
        }
    }
}
