/* Verdicts and codes, as a table: a machine, what was asked for, what has to come out. */
#include <stdlib.h>
#include <string.h>

#include "tests/rules/verify_support.h"

#define H100 "NVIDIA H100 80GB HBM3"
#define A100 "NVIDIA A100-SXM4-80GB"
#define SLICE "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb"
#define PRO6000 "NVIDIA RTX PRO 6000 Blackwell Server Edition"

/* The machine: a matrix (n 0: none) and a list (name NULL: none). */
struct machine {
    int n, block;
    const char *near, *far;
    int numa;
    int listed;
    const char *name, *profile;
    const char *more; /* further text; NULL: none */
};

struct row {
    const char *what;
    struct machine machine;
    struct podsku_expectation expected;
    const char *verdict;  /* NULL: none */
    const char *problems; /* codes; "" none */
    const char *notes;
};

#define P2P_OFF "$ nvidia-smi topo -p2p n\n \tGPU0\tGPU1\n GPU0\tX\tNS\n GPU1\tNS\tX\n"
#define P2P_OK "$ nvidia-smi topo -p2p n\n \tGPU0\tGPU1\n GPU0\tX\tOK\n GPU1\tOK\tX\n"
#define P2P_FIRST_OFF                                                             \
    "$ nvidia-smi topo -p2p n\n \tGPU0\tGPU1\tGPU2\tGPU3\n GPU0\tX\tNS\tOK\tOK\n" \
    " GPU1\tNS\tX\tOK\tOK\n GPU2\tOK\tOK\tX\tOK\n GPU3\tOK\tOK\tOK\tX\n"
#define NCCL_SHM "n:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via SHM/direct/direct\n"
#define NCCL_P2P "n:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"

#define WORDS(name, ...)                        \
    static char *name##_list[] = {__VA_ARGS__}; \
    static const struct podsku_words name = {name##_list, COUNT_OF(name##_list)}

WORDS(h100_words, (char[]){"nvidia h100*"});
WORDS(a100_words, (char[]){"NVIDIA A100*"});
WORDS(sxm_words, (char[]){"NVIDIA H100 80GB HBM3"}, (char[]){"*A100-SXM*"});
WORDS(slice_words, (char[]){"*MIG 1g.24gb"});
WORDS(card_words, (char[]){PRO6000});

static const struct podsku_facts a100_facts = {
    .id = A100, .evidence = PODSKU_EVIDENCE_BOARD, .nvlink_generation = 3, .nvlink_links = 12, .nvlink_domain = 8};
static const struct podsku_facts none_facts = {.id = "NVIDIA L4", .evidence = PODSKU_EVIDENCE_NONE};

static const struct row rows[] = {
    /* Patterns over the model. */
    {"pattern fits", {0, 0, "", "", 0, 2, H100, NULL, NULL}, {.gpu = &h100_words}, "match", "", ""},
    {"pattern of another card",
     {8, 8, "NV18", "", 1, 8, H100, NULL, NULL},
     {.gpus = 8, .nvlink = true, .gpu = &a100_words},
     "mismatch",
     "wrong-model",
     ""},
    /* A list of the one GPU that was asked for leaves no link to ask about. */
    {"one card as asked, listed",
     {0, 0, "", "", 0, 1, A100, NULL, NULL},
     {.nvlink = true, .gpu_type = A100, .facts = &a100_facts},
     "match",
     "",
     ""},
    {"one card asked for with NVLink, listed",
     {0, 0, "", "", 0, 1, A100, NULL, NULL},
     {.gpus = 1, .nvlink = true},
     "match",
     "",
     ""},
    {"another card, listed",
     {0, 0, "", "", 0, 1, A100, NULL, NULL},
     {.nvlink = true, .gpu_type = H100},
     "mismatch",
     "wrong-model",
     ""},
    {"NVLink, one card listed",
     {0, 0, "", "", 0, 1, A100, NULL, NULL},
     {.nvlink = true},
     "unverified",
     "no-topology",
     ""},
    {"one of two patterns", {0, 0, "", "", 0, 2, A100, NULL, NULL}, {.gpu = &sxm_words}, "match", "", ""},
    {"excluded",
     {0, 0, "", "", 0, 2, H100, NULL, NULL},
     {.gpus = 2, .exclude = &h100_words},
     "mismatch",
     "wrong-model",
     ""},
    {"not excluded", {0, 0, "", "", 0, 2, A100, NULL, NULL}, {.exclude = &h100_words}, "match", "", ""},
    {"pattern of a slice", {0, 0, "", "", 0, 1, PRO6000, "1g.24gb", NULL}, {.gpu = &slice_words}, "match", "", ""},
    {"slice for a pattern of a card",
     {0, 0, "", "", 0, 1, PRO6000, "1g.24gb", NULL},
     {.gpu = &card_words},
     "mismatch",
     "wrong-model",
     ""},
    {"model not named, pattern",
     {2, 2, "PIX", "", 1, 0, NULL, NULL, NULL},
     {.gpu = &h100_words},
     "unverified",
     "no-topology",
     ""},
    /* A matrix without models that no such type can have. */
    {"more links than the type has",
     {8, 8, "NV18", "", 1, 0, NULL, NULL, NULL},
     {.gpus = 8, .gpu_type = A100, .facts = &a100_facts},
     "mismatch",
     "wrong-model",
     ""},
    {"links on a type that has none",
     {2, 2, "NV4", "", 1, 0, NULL, NULL, NULL},
     {.gpus = 2, .gpu_type = "NVIDIA L4", .facts = &none_facts},
     "mismatch",
     "wrong-model",
     ""},
    {"fewer links than the type has",
     {8, 8, "NV12", "", 1, 0, NULL, NULL, NULL},
     {.gpus = 8, .nvlink = true, .gpu_type = A100, .facts = &a100_facts},
     "match",
     "",
     ""},
    /* Nothing asked for. */
    {"whole, nothing asked", {8, 8, "NV18", "", 1, 0, NULL, NULL, NULL}, {0}, NULL, "", ""},
    {"none, nothing asked", {4, 2, "PIX", "SYS", 2, 0, NULL, NULL, NULL}, {0}, NULL, "", "numa-split"},
    {"list, nothing asked", {0, 0, "", "", 0, 2, H100, NULL, NULL}, {0}, "unverified", "no-topology", ""},
    {"slow NCCL, nothing asked", {2, 2, "NV4", "", 1, 0, NULL, NULL, NCCL_SHM}, {0}, NULL, "", "nccl-slow"},
    {"one GPU, nothing asked", {1, 1, "", "", 1, 0, NULL, NULL, NULL}, {0}, NULL, "", ""},
    /* NVLink and count. */
    {"all linked", {8, 8, "NV18", "", 1, 8, H100, NULL, NULL}, {.gpus = 8, .nvlink = true}, "match", "", ""},
    {"no link",
     {8, 4, "NODE", "SYS", 1, 8, H100, NULL, NULL},
     {.gpus = 8, .nvlink = true},
     "mismatch",
     "not-all-nvlink",
     ""},
    {"pairs only",
     {8, 2, "NV12", "SYS", 1, 0, NULL, NULL, NULL},
     {.gpus = 8, .nvlink = true},
     "mismatch",
     "not-all-nvlink",
     ""},
    {"pairs for two",
     {8, 2, "NV12", "SYS", 1, 0, NULL, NULL, NULL},
     {.gpus = 2, .nvlink = true},
     "match",
     "",
     "wrong-count"},
    {"pairs for four",
     {8, 2, "NV12", "SYS", 1, 0, NULL, NULL, NULL},
     {.gpus = 4, .nvlink = true},
     "mismatch",
     "not-all-nvlink",
     "wrong-count"},
    {"NVLink among all, any number", {8, 8, "NV18", "", 1, 0, NULL, NULL, NULL}, {.nvlink = true}, "match", "", ""},
    {"fewer", {4, 4, "NV18", "", 1, 0, NULL, NULL, NULL}, {.gpus = 8, .nvlink = true}, "mismatch", "wrong-count", ""},
    {"more", {4, 4, "PIX", "", 1, 0, NULL, NULL, NULL}, {.gpus = 2}, "match", "", "wrong-count"},
    {"more, strictly",
     {4, 4, "PIX", "", 1, 0, NULL, NULL, NULL},
     {.gpus = 2, .strict = true},
     "match",
     "",
     "wrong-count"},
    {"count by the list", {0, 0, "", "", 0, 4, H100, NULL, NULL}, {.gpus = 4}, "match", "", ""},
    {"NVLink by a list",
     {0, 0, "", "", 0, 4, H100, NULL, NULL},
     {.gpus = 4, .nvlink = true},
     "unverified",
     "no-topology",
     ""},
    {"one is linked", {1, 1, "", "", 1, 0, NULL, NULL, NULL}, {.gpus = 1, .nvlink = true}, "match", "", ""},
    /* Model and MIG. */
    {"right model", {2, 2, "NV18", "", 1, 2, H100, NULL, NULL}, {.gpus = 2, .gpu_type = H100}, "match", "", ""},
    {"wrong model",
     {2, 2, "NV12", "", 1, 2, "NVIDIA H100 NVL", NULL, NULL},
     {.gpus = 2, .gpu_type = H100},
     "mismatch",
     "wrong-model",
     ""},
    {"model of an old driver",
     {2, 2, "NV12", "", 1, 2, "A100-SXM4-80GB", NULL, NULL},
     {.gpus = 2, .gpu_type = A100},
     "match",
     "",
     ""},
    {"legacy id",
     {0, 0, "", "", 0, 1, "NVIDIA RTX A4500", NULL, NULL},
     {.gpu_type = "NVIDIA  RTX A4500"},
     "match",
     "",
     ""},
    {"legacy alias",
     {0, 0, "", "", 0, 1, "NVIDIA RTX 5000 Ada Generation", NULL, NULL},
     {.gpu_type = "NVIDIA A5000 Ada"},
     "match",
     "",
     ""},
    {"model not named",
     {8, 8, "NV18", "", 1, 0, NULL, NULL, NULL},
     {.gpus = 8, .nvlink = true, .gpu_type = H100},
     "match",
     "",
     ""},
    {"only the model, not named",
     {2, 2, "PIX", "", 1, 0, NULL, NULL, NULL},
     {.gpu_type = H100},
     "unverified",
     "no-topology",
     ""},
    {"slice for a card",
     {0, 0, "", "", 0, 2, PRO6000, "1g.24gb", NULL},
     {.gpus = 2, .whole_card = true},
     "mismatch",
     "mig-slice",
     ""},
    {"slice as asked", {0, 0, "", "", 0, 1, PRO6000, "1g.24gb", NULL}, {.gpus = 1, .gpu_type = SLICE}, "match", "", ""},
    {"wrong profile",
     {0, 0, "", "", 0, 1, PRO6000, "2g.48gb", NULL},
     {.gpus = 1, .gpu_type = SLICE},
     "mismatch",
     "mig-slice",
     ""},
    {"profile alone",
     {0, 0, "", "", 0, 1, A100, "1g.10gb", NULL},
     {.mig_profile = "3g.40gb"},
     "mismatch",
     "mig-slice",
     ""},
    {"card for a slice",
     {0, 0, "", "", 0, 1, PRO6000, NULL, NULL},
     {.gpus = 1, .gpu_type = SLICE},
     "mismatch",
     "mig-slice wrong-count",
     ""},
    {"slice of another card",
     {0, 0, "", "", 0, 1, "NVIDIA H100 NVL", "1g.24gb", NULL},
     {.gpus = 1, .gpu_type = SLICE},
     "mismatch",
     "wrong-model",
     ""},
    {"slice, no list",
     {1, 1, "", "", 1, 0, NULL, NULL, NULL},
     {.gpus = 1, .gpu_type = SLICE},
     "unverified",
     "no-topology",
     ""},
    /* A fraction: a slice, or a whole card that is sold in slices. */
    {"whole parent for a fraction",
     {0, 0, "", "", 0, 1, PRO6000, NULL, NULL},
     {.gpus = 1, .memory_share = {1, 2}},
     "match",
     "",
     ""},
    {"another card for a fraction",
     {0, 0, "", "", 0, 1, "NVIDIA A40", NULL, NULL},
     {.gpus = 1, .memory_share = {1, 2}},
     "mismatch",
     "wrong-model",
     ""},
    {"the card of --mig-parent",
     {0, 0, "", "", 0, 1, A100, NULL, NULL},
     {.gpus = 1, .memory_share = {1, 2}, .mig_parent = "*A100*"},
     "match",
     "",
     ""},
    /* P2P and NCCL. */
    {"linked, P2P off",
     {2, 2, "NV4", "", 1, 0, NULL, NULL, P2P_OFF},
     {.gpus = 2, .nvlink = true},
     "mismatch",
     "p2p-off",
     ""},
    {"linked, P2P on", {2, 2, "NV4", "", 1, 0, NULL, NULL, P2P_OK}, {.gpus = 2, .nvlink = true}, "match", "", ""},
    {"PCIe, P2P off", {2, 2, "PIX", "", 1, 0, NULL, NULL, P2P_OFF}, {.gpus = 2}, "match", "", ""},
    {"only P2P, off",
     {0, 0, "", "", 0, 0, NULL, NULL, P2P_OFF},
     {.gpus = 2, .nvlink = true},
     "mismatch",
     "p2p-off",
     ""},
    {"only P2P, on",
     {0, 0, "", "", 0, 0, NULL, NULL, P2P_OK},
     {.gpus = 2, .nvlink = true},
     "unverified",
     "no-topology",
     ""},
    {"linked, NCCL on SHM",
     {2, 2, "NV4", "", 1, 0, NULL, NULL, NCCL_SHM},
     {.gpus = 2, .nvlink = true},
     "mismatch",
     "nccl-slow",
     ""},
    {"PCIe, NCCL on SHM", {2, 2, "SYS", "", 1, 0, NULL, NULL, NCCL_SHM}, {.gpus = 2}, "match", "", ""},
    {"linked, NCCL on P2P",
     {2, 2, "NV4", "", 1, 0, NULL, NULL, NCCL_P2P},
     {.gpus = 2, .nvlink = true},
     "match",
     "",
     ""},
    {"only NCCL, SHM",
     {0, 0, "", "", 0, 0, NULL, NULL, NCCL_SHM},
     {.nvlink = true},
     "mismatch",
     "nccl-slow no-topology",
     ""},
    {"only NCCL, P2P", {0, 0, "", "", 0, 0, NULL, NULL, NCCL_P2P}, {.nvlink = true}, "unverified", "no-topology", ""},
    /* Notes, and --strict. */
    {"smaller board",
     {4, 4, "NV6", "", 1, 4, H100, NULL, NULL},
     {.gpus = 4, .nvlink = true},
     "match",
     "",
     "below-expected"},
    {"smaller board, strictly",
     {4, 4, "NV4", "", 1, 4, A100, NULL, NULL},
     {.gpus = 4, .nvlink = true, .strict = true},
     "mismatch",
     "below-expected",
     ""},
    {"uneven", {4, 2, "NV12", "NV11", 1, 4, A100, NULL, NULL}, {.gpus = 4, .nvlink = true}, "match", "", "degraded"},
    {"uneven, strictly", {4, 2, "NV12", "NV11", 1, 0, NULL, NULL, NULL}, {.strict = true}, "mismatch", "degraded", ""},
    {"two nodes", {8, 8, "NV18", "", 2, 8, H100, NULL, NULL}, {.gpus = 8, .nvlink = true}, "match", "", "numa-split"},
    {"two nodes, one is enough",
     {8, 8, "NV18", "", 2, 8, H100, NULL, NULL},
     {.gpus = 4, .nvlink = true},
     "match",
     "",
     "wrong-count"},
    {"two nodes, strictly",
     {8, 8, "NV18", "", 2, 8, H100, NULL, NULL},
     {.gpus = 8, .nvlink = true, .strict = true},
     "mismatch",
     "numa-split",
     ""},
    /* Bandwidth. */
    {"900 of 900", {8, 8, "NV18", "", 1, 8, H100, NULL, NULL}, {.gpus = 8, .min_link_gbs = 900}, "match", "", ""},
    {"900 of 300",
     {4, 4, "NV6", "", 1, 4, H100, NULL, NULL},
     {.gpus = 4, .min_link_gbs = 900},
     "mismatch",
     "not-all-nvlink",
     "below-expected"},
    {"100 over PCIe",
     {2, 2, "PIX", "", 1, 0, NULL, NULL, NULL},
     {.gpus = 2, .min_link_gbs = 100},
     "mismatch",
     "not-all-nvlink",
     ""},
    {"50 over PCIe of a known type",
     {2, 2, "PIX", "", 1, 2, "NVIDIA A40", NULL, NULL},
     {.gpus = 2, .min_link_gbs = 50},
     "match",
     "",
     ""},
    {"50 over PCIe without P2P",
     {2, 2, "PHB", "", 1, 2, "NVIDIA GeForce RTX 4090", NULL, NULL},
     {.gpus = 2, .min_link_gbs = 50},
     "mismatch",
     "not-all-nvlink",
     ""},
    {"50 over PCIe of an unknown type",
     {2, 2, "PIX", "", 1, 0, NULL, NULL, NULL},
     {.gpus = 2, .min_link_gbs = 50},
     "unverified",
     "no-topology",
     ""},
    {"bandwidth for two of four",
     {4, 2, "NV4", "SYS", 1, 4, "NVIDIA A40", NULL, NULL},
     {.gpus = 2, .min_link_gbs = 100},
     "match",
     "",
     "wrong-count"},
    {"bandwidth for three of four",
     {4, 2, "NV4", "SYS", 1, 4, "NVIDIA A40", NULL, NULL},
     {.gpus = 3, .min_link_gbs = 100},
     "mismatch",
     "not-all-nvlink",
     "wrong-count"},
    {"bandwidth for two of four, unknown type",
     {4, 2, "NV4", "SYS", 1, 0, NULL, NULL, NULL},
     {.gpus = 2, .min_link_gbs = 150},
     "unverified",
     "no-topology",
     "wrong-count"},
    {"P2P off for some, two wanted",
     {4, 4, "NV12", "", 1, 0, NULL, NULL, P2P_FIRST_OFF},
     {.gpus = 2, .nvlink = true},
     "match",
     "",
     "wrong-count"},
    {"P2P off for some, all wanted",
     {4, 4, "NV12", "", 1, 0, NULL, NULL, P2P_FIRST_OFF},
     {.gpus = 4, .nvlink = true},
     "mismatch",
     "p2p-off",
     ""},
    /* No machine. */
    {"no GPU", {0, 0, "", "", 0, 0, NULL, NULL, "No devices were found\n"}, {.gpus = 2}, "mismatch", "no-gpu", ""},
    {"no GPU, nothing asked",
     {0, 0, "", "", 0, 0, NULL, NULL, "No devices were found\n"},
     {0},
     "unverified",
     "no-gpu",
     ""},
    {"no driver",
     {0, 0, "", "", 0, 0, NULL, NULL, "NVIDIA-SMI has failed because it couldn't communicate\n"},
     {.gpus = 2},
     "unverified",
     "driver-failed",
     ""},
    {"another tool",
     {0, 0, "", "", 0, 0, NULL, NULL, "$ rocm-smi --showtopo\n GPU0 GPU1\nGPU0 0 XGMI\nGPU1 XGMI 0\n"},
     {.gpus = 2, .nvlink = true},
     "unverified",
     "other-tool",
     ""},
};

static char *text_of(const struct machine *machine)
{
    char *text = machine->more ? strdup(machine->more) : strdup("");

    if (machine->n)
        text = join(matrix_text(machine->n, machine->block, machine->near, machine->far, machine->numa), text);
    if (machine->name)
        text = join(list_text(machine->listed, machine->name, machine->profile), text);
    return text;
}

/* Exactly these codes, in any order. */
static bool codes_are(const json_t *document, const char *list, const char *codes)
{
    size_t count = 0;
    char *copy = strdup(codes);
    char *rest = copy;
    bool all = true;

    for (char *code = strsep(&rest, " "); code; code = strsep(&rest, " ")) {
        if (!*code)
            continue;
        count++;
        all &= has_code(document, list, code);
    }
    free(copy);
    return all && count == json_array_size(json_object_get(document, list));
}

static void verdicts(void **state)
{
    int bad = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = text_of(&rows[i].machine);
        json_t *found = verify_text(text, strlen(text), &rows[i].expected, NULL);
        const char *verdict = json_string_value(json_object_get(found, "verdict"));
        bool same = rows[i].verdict ? verdict && strcmp(verdict, rows[i].verdict) == 0 : !verdict;
        if (!same || !codes_are(found, "problems", rows[i].problems) || !codes_are(found, "notes", rows[i].notes)) {
            char *json = json_dumps(found, 0);
            print_error("%s:\n%s%s\n", rows[i].what, text, json);
            free(json);
            bad++;
        }
        json_decref(found);
        free(text);
    }
    assert_int_equal(bad, 0);
}

/* The group that meets a smaller requirement is named. */
static void group_named(void **state)
{
    struct podsku_expectation two = {.gpus = 2, .nvlink = true};
    char *text = matrix_text(4, 2, "NV12", "SYS", 1);
    json_t *found = verify_text(text, strlen(text), &two, NULL);
    const char *advice = json_string_value(json_array_get(json_object_get(found, "advice"), 0));
    json_t *groups = json_pack("[[i, i], [i, i]]", 0, 1, 2, 3);

    (void)state;
    assert_non_null(advice);
    assert_non_null(strstr(advice, "CUDA_VISIBLE_DEVICES=0,1"));
    assert_true(json_equal(groups, json_object_get(found, "nvlink_groups")));
    assert_true(json_equal(json_array_get(groups, 0), json_object_get(found, "linked_group")));
    json_decref(groups);
    json_decref(found);
    free(text);
}

/* A command that is proposed asks for what was asked for; what is said of this machine is so. */
static void advice_is_true(void **state)
{
    static const struct {
        struct machine machine;
        struct podsku_expectation expected;
        const char *said, *not_said;
    } cases[] = {
        {{8, 8, "NV18", "", 1, 8, H100, NULL, NULL},
         {.gpus = 8, .nvlink = true, .min_link_gbs = 1000},
         "deploy --gpus 8 --nvlink --min-link-gbs 1000 ",
         "inside 0-7"},
        {{8, 8, "NV12", "", 1, 8, H100, NULL, NULL}, {.gpus = 8, .nvlink = true}, "nvlink -s", "--gpus 8"},
        {{4, 4, "NV6", "", 1, 4, H100, NULL, NULL}, {.gpus = 4, .nvlink = true}, "--gpus 8", "nvlink -s"},
        {{4, 1, "SYS", "SYS", 1, 0, NULL, NULL, NULL}, {0}, "low degree", "inside 0 or 1"},
        {{0, 0, "", "", 0, 1, PRO6000, NULL, NULL}, {.gpus = 1, .mig_only = true}, "--mig only", "--mig forbid"},
        {{0, 0, "", "", 0, 1, PRO6000, "5g.50gb", NULL}, {.memory_share = {1, 2}}, "help mig", "topo -m"},
        {{2, 2, "NV12", "", 1, 0, NULL, NULL, NULL}, {.gpus = 2, .gpu = &a100_words}, "nvidia-smi -L", "re-deploy"},
        {{0, 0, "", "", 0, 2, H100, NULL, NULL}, {.gpu = &a100_words}, "--gpu \\\"NVIDIA A100*\\\"", "H100"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char *text = text_of(&cases[i].machine);
        json_t *found = verify_text(text, strlen(text), &cases[i].expected, NULL);
        char *advice = json_dumps(json_object_get(found, "advice"), 0);
        if (!strstr(advice, cases[i].said) || strstr(advice, cases[i].not_said))
            fail_msg("case %zu: %s", i, advice);
        free(advice);
        json_decref(found);
        free(text);
    }
}

/* Of several linked pairs the one with most links is named. */
static void best_group_named(void **state)
{
    struct podsku_expectation two = {.gpus = 2, .nvlink = true};
    const char *text = "\tGPU0\tGPU1\tGPU2\tGPU3\n"
                       "GPU0\tX\tNV1\tSYS\tSYS\n"
                       "GPU1\tNV1\tX\tSYS\tSYS\n"
                       "GPU2\tSYS\tSYS\tX\tNV12\n"
                       "GPU3\tSYS\tSYS\tNV12\tX\n";
    json_t *found = verify_text(text, strlen(text), &two, NULL);
    json_t *best = json_pack("[i, i]", 2, 3);

    (void)state;
    assert_true(json_equal(best, json_object_get(found, "linked_group")));
    json_decref(best);
    json_decref(found);
}

/* Groups overlap in a cube mesh: every maximal one is listed. */
static void cube_mesh_groups(void **state)
{
    struct podsku_expectation nothing = {0};
    json_t *quad = json_pack("[i, i, i, i]", 0, 1, 2, 3);
    json_t *across = json_pack("[i, i]", 0, 4);
    const char *text = "\tGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tGPU6\tGPU7\n"
                       "GPU0\tX\tNV1\tNV1\tNV2\tNV2\tSYS\tSYS\tSYS\n"
                       "GPU1\tNV1\tX\tNV2\tNV1\tSYS\tNV2\tSYS\tSYS\n"
                       "GPU2\tNV1\tNV2\tX\tNV2\tSYS\tSYS\tNV1\tSYS\n"
                       "GPU3\tNV2\tNV1\tNV2\tX\tSYS\tSYS\tSYS\tNV1\n"
                       "GPU4\tNV2\tSYS\tSYS\tSYS\tX\tNV1\tNV1\tNV2\n"
                       "GPU5\tSYS\tNV2\tSYS\tSYS\tNV1\tX\tNV2\tNV1\n"
                       "GPU6\tSYS\tSYS\tNV1\tSYS\tNV1\tNV2\tX\tNV2\n"
                       "GPU7\tSYS\tSYS\tSYS\tNV1\tNV2\tNV1\tNV2\tX\n";

    (void)state;
    json_t *found = verify_text(text, strlen(text), &nothing, NULL);
    const json_t *groups = json_object_get(found, "nvlink_groups");
    assert_int_equal(json_array_size(groups), 6);
    assert_true(json_equal(json_array_get(groups, 0), quad));
    assert_true(json_equal(json_array_get(groups, 1), across));
    json_decref(quad);
    json_decref(across);
    json_decref(found);
}

/* 30 GPUs, each linked to all but two: 3^10 maximal groups. The search is bounded, the answers hold. */
static void irregular_machine(void **state)
{
    struct podsku_expectation ten = {.gpus = 10, .nvlink = true};
    struct podsku_expectation eleven = {.gpus = 11, .nvlink = true};
    char *text = matrix_text(30, 3, "SYS", "NV2", 1);
    json_t *found = verify_text(text, strlen(text), &ten, NULL);

    (void)state;
    assert_string_equal(json_string_value(json_object_get(found, "verdict")), "match");
    assert_true(json_array_size(json_object_get(found, "nvlink_groups")) >= 100);
    json_decref(found);
    found = verify_text(text, strlen(text), &eleven, NULL);
    assert_string_not_equal(json_string_value(json_object_get(found, "verdict")), "match");
    json_decref(found);
    free(text);
}

/* Lines that look like a list's and are none: no model may come of them. */
static void no_list(void **state)
{
    static const char *const lines[] = {
        "GPU 0: NVIDIA driver not loaded\n",     "GPU 0: NVIDIA A40 has 44.35 GiB free\n",
        "NVIDIA drivers, 580.65.06, CUDA 12\n",  "NVIDIA A100, 550.54\n",
        "index, name\n0, temperature is fine\n", "GPU 0: NVIDIA H100 80GB HB", /* cut */
        "TGPU 0: NVIDIA A40 (UUID: GPU-1)\n",    "GPU 1000000: NVIDIA A40 (UUID: GPU-1)\n",
    };
    struct podsku_expectation card = {.gpu_type = H100};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        json_t *found = verify_text(lines[i], strlen(lines[i]), &card, NULL);
        if (json_array_size(json_object_get(found, "models")) != 0)
            fail_msg("%s is no list", lines[i]);
        assert_string_equal(json_string_value(json_object_get(found, "verdict")), "unverified");
        json_decref(found);
    }
}

static void summary_line(void **state)
{
    struct podsku_expectation eight = {.gpus = 8, .nvlink = true};
    char *summary = NULL;
    char *text =
        join(join(list_text(8, H100, NULL), strdup("Driver Version: 580.95.05\n")), matrix_text(8, 8, "NV18", "", 2));
    json_t *found = verify_text(text, strlen(text), &eight, &summary);

    (void)state;
    assert_string_equal(summary, "8x NVIDIA H100 80GB HBM3, driver 580.95.05, no MIG; 28 of 28 pairs NV18; NUMA 0-3 | "
                                 "4-7");
    free(summary);
    json_decref(found);
    free(text);
}

/* Advice follows from the machine: the degree and the groups are this one's. */
static void advice_fits(void **state)
{
    struct podsku_expectation four = {.gpus = 4, .nvlink = true};
    char *text = matrix_text(4, 2, "NV12", "SYS", 2);
    json_t *found = verify_text(text, strlen(text), &four, NULL);
    char *advice = json_dumps(json_object_get(found, "advice"), 0);

    (void)state;
    assert_non_null(strstr(advice, "podsku deploy --gpus 4 --nvlink"));
    assert_non_null(strstr(advice, "degree 2 inside 0,1 or 2,3"));
    assert_non_null(strstr(advice, "micro-batches"));
    free(advice);
    json_decref(found);
    free(text);
}

static void nobody_logged_in(void **state)
{
    struct podsku_expectation four = {.gpus = 4, .nvlink = true};
    struct podsku_verification *verification = NULL;
    struct podsku_error err = {0};

    (void)state;
    assert_int_equal(podsku_verify_none("no-login", "ssh: Permission denied (publickey)", &four, &verification, &err),
                     PODSKU_OK);
    assert_int_equal(podsku_verification_verdict(verification), PODSKU_VERDICT_UNVERIFIED);
    json_t *found = podsku_verification_encode(verification);
    assert_true(has_code(found, "problems", "no-login"));
    assert_true(json_is_null(json_object_get(found, "gpus")));
    assert_string_equal(podsku_verification_summary(verification), "ssh: Permission denied (publickey)");
    json_decref(found);
    podsku_verification_free(verification);
    podsku_verification_free(NULL);
    podsku_reading_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),          cmocka_unit_test(group_named),      cmocka_unit_test(cube_mesh_groups),
        cmocka_unit_test(irregular_machine), cmocka_unit_test(no_list),          cmocka_unit_test(summary_line),
        cmocka_unit_test(advice_fits),       cmocka_unit_test(nobody_logged_in), cmocka_unit_test(best_group_named),
        cmocka_unit_test(advice_is_true),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
