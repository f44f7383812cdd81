/*
 * Every rule passes, fails and meets the unknown, on synthetic catalogues of one line; and says why.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>

/* A type of an id without facts, and one with. */
#define NO_FACTS "\"id\": \"NVIDIA Odd 1\", \"name\": \"Odd\", \"manufacturer\": \"NVIDIA\", \"memory\": 48"
#define A40 "\"id\": \"NVIDIA A40\", \"name\": \"A40\", \"manufacturer\": \"NVIDIA\", \"memory\": 48"
#define SXM "\"id\": \"NVIDIA A100-SXM4-80GB\", \"name\": \"A100 SXM\", \"manufacturer\": \"NVIDIA\", \"memory\": 80"
#define BOTH "\"secure\": true, \"community\": true, \"maxCount\": {\"secure\": 8, \"community\": 8}"
#define PRICED "\"price\": {\"secure\": 1.5, \"community\": 1.25}"
#define USUAL ", " BOTH ", " PRICED

/* One type in secure cloud, and what becomes of it. */
struct rule_case {
    const char *entry;       /* members of the type */
    const char *requirement; /* JSON; the first count is looked at */
    const char *reasons;     /* names of the rules it fails */
    const char *text;        /* of the first reason, else of the note `note`; NULL: not looked at */
    const char *note;        /* code of a note it must have; NULL: none is looked for */
};

static const struct rule_case cases[] = {
    /* cloud */
    {A40 USUAL, "{}", "", NULL, NULL},
    {A40 ", \"secure\": false, \"community\": true, \"maxCount\": {\"secure\": 0, \"community\": 8}, " PRICED, "{}",
     "cloud", "not offered in secure cloud, only in community", NULL},
    {A40 ", \"secure\": true, \"maxCount\": {\"secure\": 0, \"community\": 0}, " PRICED, "{}", "cloud",
     "not offered in secure cloud", NULL},
    {A40 ", \"secure\": false, \"community\": false, \"maxCount\": {\"secure\": 8, \"community\": 0}, " PRICED, "{}",
     "cloud", "not offered in secure cloud", NULL},
    {A40 ", \"maxCount\": {\"secure\": 8, \"community\": 0}, " PRICED, "{}", "",
     "the catalogue does not say whether secure cloud offers it", "cloud-unknown"},
    /* gpus */
    {A40 USUAL, "{\"gpus\": 8}", "", NULL, NULL},
    {A40 USUAL, "{\"gpus\": 9}", "gpus", "the largest secure machine has 8, 9 were asked for", NULL},
    {A40 ", \"secure\": true, " PRICED, "{\"gpus\": 9}", "",
     "the catalogue does not say how many one secure machine has", "count-unknown"},
    {A40 ", \"secure\": false, \"maxCount\": {\"secure\": 1, \"community\": 0}, " PRICED, "{\"gpus\": 2}", "cloud gpus",
     NULL, NULL},
    {A40 ", \"secure\": false, \"maxCount\": {\"secure\": 0, \"community\": 0}, " PRICED, "{\"gpus\": 2}", "cloud",
     NULL, NULL},
    /* unpriced, suspect prices */
    {A40 ", " BOTH, "{}", "unpriced", "the price is unknown (--allow-unpriced lets it pass)", NULL},
    {A40 ", " BOTH ", \"price\": {\"secure\": 0}", "{}", "unpriced", NULL, NULL},
    {A40 ", " BOTH, "{\"allow_unpriced\": true}", "",
     "the price is unknown: the billed cost of the created pod decides", "unpriced"},
    {A40 ", " BOTH ", \"price\": {\"secure\": 0.5}", "{}", "",
     "0.50 USD is often a placeholder, and little for 48 GB: the billed cost of the created pod decides",
     "suspect-price"},
    {"\"id\": \"NVIDIA L4\", \"memory\": 24, " BOTH ", \"price\": {\"secure\": 0.5}", "{}", "", "", "suspect-price"},
    {"\"id\": \"NVIDIA Odd 2\", \"memory\": 32, " BOTH ", \"price\": {\"secure\": 0.5}", "{}", "", NULL,
     "suspect-price"},
    /* nvlink */
    {SXM USUAL, "{\"gpus\": 8, \"nvlink\": \"required\"}", "", NULL, NULL},
    {SXM USUAL, "{\"nvlink\": \"required\"}", "", "one GPU has no peer: NVLink will not be used", "nvlink-unused"},
    {SXM ", \"secure\": true, \"maxCount\": {\"secure\": 16, \"community\": 0}, " PRICED,
     "{\"gpus\": 16, \"nvlink\": \"required\"}", "nvlink",
     "the board joins 8 of these cards by NVLink, 16 were asked for (--nodes)", NULL},
    {A40 USUAL, "{\"nvlink\": \"required\"}", "nvlink",
     "a place for a bridge, but most machines have none: it counts as PCIe", NULL},
    {A40 USUAL, "{\"gpus\": 4, \"nvlink\": \"possible\"}", "nvlink",
     "a place for bridges between 2 of these cards, seldom used; NVLink among all 4 needs a board (SXM)", NULL},
    {"\"id\": \"NVIDIA H100 NVL\", \"memory\": 94" USUAL, "{\"gpus\": 2, \"nvlink\": \"required\"}", "nvlink",
     "sold as NVLink, but the bridges are optional (--nvlink possible lets it pass, --verify looks)", NULL},
    {"\"id\": \"NVIDIA H100 NVL\", \"memory\": 94" USUAL, "{\"gpus\": 2, \"nvlink\": \"possible\"}", "",
     "sold as NVLink, but the bridges are optional: look at the machine (--verify)", "nvlink-nominal"},
    {"\"id\": \"NVIDIA H100 NVL\", \"memory\": 94" USUAL, "{\"gpus\": 2, \"nvlink\": \"preferred\"}", "", NULL,
     "nvlink-nominal"},
    {"\"id\": \"NVIDIA H100 NVL\", \"memory\": 94" USUAL, "{\"gpus\": 8, \"nvlink\": \"required\"}", "nvlink",
     "bridges join 2 of these cards; NVLink among all 8 needs a board (SXM)", NULL},
    {"\"id\": \"NVIDIA H200 NVL\", \"memory\": 143" USUAL, "{\"gpus\": 4, \"nvlink\": \"possible\"}", "", NULL,
     "nvlink-nominal"},
    {"\"id\": \"Tesla V100-SXM2-16GB\", \"memory\": 16" USUAL, "{\"gpus\": 8, \"nvlink\": \"possible\"}", "nvlink",
     "8 of these form a cube mesh with NVLink on 16 of 28 pairs; NVLink among all 8 needs a board with a switch (A100 "
     "SXM or later)",
     NULL},
    {"\"id\": \"NVIDIA L40S\", \"memory\": 48" USUAL, "{\"nvlink\": \"required\"}", "nvlink",
     "no NVLink: GPUs of this type talk over PCIe", NULL},
    {"\"id\": \"AMD Instinct MI300X OAM\", \"memory\": 192" USUAL,
     "{\"gpus\": 8, \"nvlink\": \"required\", \"manufacturer\": \"any\"}", "nvlink", "it has xGMI, which is not NVLink",
     NULL},
    {NO_FACTS USUAL, "{\"nvlink\": \"required\"}", "nvlink",
     "unknown: there are no facts about its links (--facts can say)", NULL},
    {NO_FACTS USUAL, "{\"nvlink\": \"preferred\"}", "", NULL, NULL},
    {"\"id\": \"NVIDIA B300 SXM6 AC MIG 1g.34gb\", \"memory\": 34" USUAL,
     "{\"nvlink\": \"required\", \"mig\": \"allow\"}", "nvlink", "MIG slices have no NVLink", NULL},
    {A40 USUAL, "{\"gpus\": 2, \"parallelism\": \"tensor\"}", "nvlink", NULL, NULL},
    {A40 USUAL, "{\"gpus\": 1, \"parallelism\": \"tensor\"}", "", NULL, NULL},
    {A40 USUAL, "{\"gpus\": 2, \"parallelism\": \"pipeline\"}", "", NULL, NULL},
    /* link-bandwidth */
    {SXM USUAL, "{\"gpus\": 8, \"min_link_gbs\": 600}", "", NULL, NULL},
    {SXM USUAL, "{\"gpus\": 8, \"min_link_gbs\": 600.5}", "link-bandwidth",
     "600 GB/s between two (NVLink), at least 600.5 were asked for", NULL},
    {A40 USUAL, "{\"gpus\": 2, \"min_link_gbs\": 50}", "", NULL, NULL},
    {A40 USUAL, "{\"gpus\": 2, \"min_link_gbs\": 64}", "link-bandwidth",
     "50 GB/s between two (PCIe), at least 64 were asked for", NULL},
    {"\"id\": \"NVIDIA RTX 2000 Ada Generation\", \"memory\": 16" USUAL, "{\"min_link_gbs\": 33}", "link-bandwidth",
     "32 GB/s between two (PCIe), at least 33 were asked for", NULL},
    {"\"id\": \"NVIDIA GeForce RTX 4090\", \"memory\": 24" USUAL, "{\"gpus\": 2, \"min_link_gbs\": 1}",
     "link-bandwidth", "0 GB/s: its driver gives no peer-to-peer, at least 1 were asked for", NULL},
    {"\"id\": \"NVIDIA GeForce RTX 4090\", \"memory\": 24" USUAL, "{\"gpus\": 2, \"min_link_gbs\": 0}", "", NULL, NULL},
    {"\"id\": \"NVIDIA H100 NVL\", \"memory\": 94" USUAL, "{\"gpus\": 2, \"min_link_gbs\": 51}", "link-bandwidth", NULL,
     NULL},
    {"\"id\": \"NVIDIA H100 NVL\", \"memory\": 94" USUAL,
     "{\"gpus\": 2, \"nvlink\": \"possible\", \"min_link_gbs\": 600}", "", NULL, NULL},
    {"\"id\": \"NVIDIA H100 NVL\", \"memory\": 94" USUAL,
     "{\"gpus\": 2, \"nvlink\": \"preferred\", \"min_link_gbs\": 51}", "link-bandwidth", NULL, NULL},
    {"\"id\": \"AMD Instinct MI300X OAM\", \"memory\": 192" USUAL,
     "{\"gpus\": 8, \"min_link_gbs\": 128, \"manufacturer\": \"amd\"}", "", NULL, NULL},
    {"\"id\": \"AMD Instinct MI300X OAM\", \"memory\": 192" USUAL,
     "{\"gpus\": 8, \"min_link_gbs\": 129, \"manufacturer\": \"amd\"}", "link-bandwidth",
     "128 GB/s between two (xGMI), at least 129 were asked for", NULL},
    {NO_FACTS USUAL, "{\"min_link_gbs\": 0}", "link-bandwidth",
     "unknown: there are no facts about the bandwidth between its GPUs", NULL},
    {"\"id\": \"NVIDIA B300 SXM6 AC MIG 1g.34gb\", \"memory\": 34" USUAL, "{\"min_link_gbs\": 1, \"mig\": \"allow\"}",
     "link-bandwidth", "0 GB/s between MIG slices, at least 1 were asked for", NULL},
    /* vram, total-vram */
    {A40 USUAL, "{\"min_vram\": 48, \"max_vram\": 48}", "", NULL, NULL},
    {A40 USUAL, "{\"min_vram\": 48.5}", "vram", "48 GB, at least 48.5 were asked for", NULL},
    {A40 USUAL, "{\"max_vram\": 40}", "vram", "48 GB, at most 40 were asked for", NULL},
    {"\"id\": \"NVIDIA A40\", \"memory\": 0" USUAL, "{\"min_vram\": 48}", "", NULL, NULL}, /* by the facts */
    {"\"id\": \"NVIDIA Odd 1\", \"memory\": 0" USUAL, "{\"min_vram\": 0}", "vram", "its memory is unknown", NULL},
    {A40 USUAL, "{\"gpus\": 2, \"min_total_vram\": 96}", "", NULL, NULL},
    {A40 USUAL, "{\"gpus\": 2, \"min_total_vram\": 97}", "total-vram", "96 GB in all, at least 97 were asked for",
     NULL},
    {"\"id\": \"NVIDIA Odd 1\"" USUAL, "{\"min_total_vram\": 1}", "total-vram", "its memory is unknown", NULL},
    /* mig */
    {"\"id\": \"NVIDIA B300 SXM6 AC MIG 1g.34gb\", \"memory\": 34" USUAL, "{}", "mig",
     "a MIG slice, and a whole card was asked for (--mig allow)", NULL},
    {"\"id\": \"NVIDIA B300 SXM6 AC MIG 1g.34gb\", \"memory\": 34" USUAL, "{\"mig\": \"only\"}", "", NULL, NULL},
    {A40 USUAL, "{\"mig\": \"only\"}", "mig", "a whole card, and a MIG slice was asked for", NULL},
    {A40 USUAL, "{\"mig\": \"allow\"}", "", NULL, NULL},
    /* price, total-price */
    {A40 USUAL, "{\"gpus\": 2, \"max_price\": 1.5, \"max_total\": 3}", "", NULL, NULL},
    {A40 USUAL, "{\"gpus\": 2, \"max_price\": 1.49, \"max_total\": 2.99}", "price total-price",
     "1.50 USD/h per GPU, at most 1.49 was asked for", NULL},
    {A40 USUAL, "{\"gpus\": 2, \"max_total\": 2.999999}", "total-price",
     "3.00 USD/h in all, at most 2.999999 was asked for", NULL},
    {A40 ", " BOTH, "{\"max_price\": 9, \"max_total\": 9, \"allow_unpriced\": true}", "price total-price",
     "the price is unknown, 9.00 USD/h per GPU was the cap", NULL},
    {SXM USUAL, "{\"gpus\": 8, \"nodes\": 2, \"max_total\": 28.8, \"max_price\": 1.5}", "",
     "with the premium of 1.2 seen on cluster bills: an estimate", "price-estimated"},
    {SXM USUAL, "{\"gpus\": 8, \"nodes\": 2, \"max_total\": 28.79}", "total-price",
     "28.80 USD/h in all (an estimate), at most 28.79 was asked for", NULL},
    /* gpu, exclude */
    {A40 USUAL, "{\"gpu\": [\"nvidia a40\"]}", "", NULL, NULL},
    {A40 USUAL, "{\"gpu\": [\"L4\", \"a4?\"]}", "", NULL, NULL},
    {A40 USUAL, "{\"gpu\": [\"A4\"]}", "gpu", "--gpu \"A4\" does not match it", NULL},
    {A40 USUAL, "{\"gpu\": [\"A4\", \"L4\"]}", "gpu", "none of the 2 --gpu patterns matches it", NULL},
    {A40 USUAL, "{\"exclude\": [\"A4\", \"L*\"]}", "", NULL, NULL},
    {A40 USUAL, "{\"exclude\": [\"L*\", \"*40\"]}", "exclude", "--exclude \"*40\" matches it", NULL},
    {"\"id\": \"NVIDIA A40\"" USUAL, "{\"gpu\": [\"A40\"]}", "gpu", NULL, NULL}, /* no display name */
    /* manufacturer */
    {"\"id\": \"AMD Instinct MI300X OAM\", \"memory\": 192" USUAL, "{}", "manufacturer", "made by AMD (--manufacturer)",
     NULL},
    {"\"id\": \"AMD Instinct MI300X OAM\", \"memory\": 192" USUAL, "{\"manufacturer\": \"amd\"}", "", NULL, NULL},
    {"\"id\": \"AMD Instinct MI300X OAM\", \"memory\": 192" USUAL, "{\"gpu\": [\"*MI300X*\"]}", "", NULL, NULL},
    {"\"id\": \"AMD Instinct MI300X OAM\", \"memory\": 192" USUAL,
     "{\"gpu\": [\"*MI300X*\"], \"manufacturer\": \"nvidia\"}", "manufacturer", NULL, NULL},
    {A40 USUAL, "{\"manufacturer\": \"amd\"}", "manufacturer", "made by NVIDIA (--manufacturer)", NULL},
    {"\"id\": \"Tesla Odd\"" USUAL, "{}", "", NULL, NULL},
    {"\"id\": \"Odd\"" USUAL, "{}", "manufacturer", "its manufacturer is unknown", NULL},
    {"\"id\": \"Odd\"" USUAL, "{\"manufacturer\": \"any\"}", "", NULL, NULL},
    {"\"id\": \"Gaudi 3\", \"manufacturer\": \"Intel\"" USUAL, "{}", "manufacturer", "made by Intel (--manufacturer)",
     NULL},
    /* arch, compute-capability */
    {A40 USUAL, "{\"arch\": \"ampere\", \"min_compute_capability\": \"8.6\"}", "", NULL, NULL},
    {A40 USUAL, "{\"arch\": \"ada\"}", "arch", "ampere, and ada was asked for", NULL},
    {A40 USUAL, "{\"min_compute_capability\": \"8.7\"}", "compute-capability",
     "compute capability 8.6, at least 8.7 was asked for", NULL},
    {"\"id\": \"NVIDIA B200\", \"memory\": 180" USUAL, "{\"min_compute_capability\": \"9.9\"}", "", NULL, NULL},
    {NO_FACTS USUAL, "{\"arch\": \"ada\"}", "arch", "its architecture is unknown", NULL},
    {NO_FACTS USUAL, "{\"min_compute_capability\": \"1.0\"}", "compute-capability", "its compute capability is unknown",
     NULL},
    {"\"id\": \"AMD Instinct MI300X OAM\", \"memory\": 192" USUAL,
     "{\"min_compute_capability\": \"1.0\", \"manufacturer\": \"amd\", \"arch\": \"cdna3\"}", "compute-capability",
     "AMD cards have no CUDA compute capability", NULL},
    {"\"id\": \"NVIDIA H100 NVL MIG 1g.12gb\", \"memory\": 12" USUAL,
     "{\"mig\": \"only\", \"arch\": \"hopper\", \"min_compute_capability\": \"9.0\"}", "", NULL, NULL},
    /* nodes, inter-node */
    {SXM USUAL, "{\"gpus\": 8, \"nodes\": 2}", "", NULL, "price-estimated"},
    {A40 USUAL, "{\"nodes\": 2}", "nodes",
     "unknown as an Instant Cluster: those are B200, H200 SXM, H100 SXM and A100 SXM", NULL},
    {SXM USUAL, "{\"inter_node_gbps\": 1600}", "", NULL, NULL},
    {SXM USUAL, "{\"inter_node_gbps\": 1601}", "inter-node", "1600 Gbit/s between nodes, at least 1601 were asked for",
     NULL},
    {A40 USUAL, "{\"inter_node_gbps\": 1}", "inter-node", "the bandwidth between nodes is unknown", NULL},
};

static void check_case(const struct rule_case *row)
{
    char entry[1024];
    struct decided decided;

    (void)snprintf(entry, sizeof entry, "{%s}", row->entry);
    struct podsku_catalog *catalog = load_entries(entry);
    decide(&decided, catalog, row->requirement, PODSKU_DECIDE_REASONS);
    const char *id = catalog->types[0].id;
    const struct podsku_offer *offer = find_offer(&decided, id, PODSKU_SECURE, decided.req.gpus[0]);
    const char *reasons = reasons_text(&decided, id, PODSKU_SECURE, decided.req.gpus[0]);
    if (strcmp(reasons, row->reasons) != 0)
        fail_msg("%s, %s: \"%s\" instead of \"%s\"", row->entry, row->requirement, reasons, row->reasons);
    if (offer->reason_count && row->text)
        assert_string_equal(offer->reasons[0].message, row->text);
    if (!offer->reason_count && row->note && row->text)
        assert_string_equal(note_of(offer, row->note), row->text);
    if (!offer->reason_count && row->note && !row->text)
        assert_string_not_equal(note_of(offer, row->note), "");
    free_decided(&decided);

    /* The short way comes to the same verdict. */
    decide(&decided, catalog, row->requirement, PODSKU_DECIDE_COUNT);
    assert_int_equal(decided.decision.candidate_count, row->reasons[0] == '\0');
    assert_int_equal(decided.decision.rejected_count, row->reasons[0] != '\0');
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i]);
}

/* An unknown reason says so, and a reason is never empty. */
static void test_unknown_is_said(void **state)
{
    struct podsku_catalog *catalog = load_entries("{\"id\": \"Odd\"}");
    struct decided decided;

    (void)state;
    decide(
        &decided, catalog,
        "{\"gpus\": 2, \"nodes\": 2, \"nvlink\": \"required\", \"min_link_gbs\": 1, \"min_vram\": 1,"
        " \"min_total_vram\": 1, \"max_price\": 1, \"max_total\": 1, \"manufacturer\": \"nvidia\", \"arch\": \"ada\","
        " \"min_compute_capability\": \"8.0\", \"min_cuda\": \"12.0\", \"data_center\": [\"A\"],"
        " \"inter_node_gbps\": 1, \"memory_fraction\": 0.5}",
        PODSKU_DECIDE_REASONS);
    assert_string_equal(reasons_text(&decided, "Odd", PODSKU_SECURE, 2),
                        "unpriced nvlink link-bandwidth vram total-vram memory-fraction price total-price manufacturer "
                        "arch compute-capability cuda placement nodes inter-node");
    for (size_t i = 0; i < decided.decision.rejected[0].reason_count; i++) {
        const struct podsku_reason *reason = &decided.decision.rejected[0].reasons[i];
        assert_non_null(reason->brief);
        if (reason->rule != PODSKU_RULE_MEMORY_FRACTION)
            assert_non_null(strstr(reason->message, "unknown"));
    }
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

/* ---- slices and shares ---- */

#define SERVER "NVIDIA RTX PRO 6000 Blackwell Server Edition"
#define SLICED                                                                          \
    "{\"id\": \"" SERVER " MIG 1g.24gb\", \"memory\": 24" USUAL "}, {\"id\": \"" SERVER \
    " MIG 2g.48gb\", \"memory\": 48" USUAL "}, {\"id\": \"" SERVER                      \
    "\", \"name\": \"RTX PRO 6000\", \"memory\": 96" USUAL                              \
    "}, {\"id\": \"NVIDIA H100 NVL MIG 1g.24gb\", \"memory\": 24" USUAL                 \
    "}, {\"id\": \"NVIDIA H100 NVL MIG 9g.90gb\", \"memory\": 47" USUAL "}, {" A40 USUAL "}"

static void test_shares(void **state)
{
    struct podsku_catalog *catalog = load_entries(SLICED);
    struct decided decided;

    (void)state;
    decide(&decided, catalog, "{\"memory_fraction\": 0.25, \"compute_fraction\": \"1/4\"}", PODSKU_DECIDE_REASONS);
    assert_string_equal(reasons_text(&decided, SERVER " MIG 1g.24gb", PODSKU_SECURE, 1), "");
    assert_string_equal(reasons_text(&decided, SERVER, PODSKU_SECURE, 1), "");
    assert_string_equal(reasons_text(&decided, "NVIDIA A40", PODSKU_SECURE, 1), "memory-fraction compute-fraction");
    /* 1g.24gb is a quarter of an RTX PRO 6000 but a seventh of an H100 NVL, with 2/8 of its memory. */
    assert_string_equal(reasons_text(&decided, "NVIDIA H100 NVL MIG 1g.24gb", PODSKU_SECURE, 1), "compute-fraction");
    assert_string_equal(
        reason_of(find_offer(&decided, "NVIDIA H100 NVL MIG 1g.24gb", PODSKU_SECURE, 1), PODSKU_RULE_COMPUTE_FRACTION),
        "1/7 of the card's compute slices, at least 1/4 was asked for");
    /* A profile without a row: memory by the sizes, compute unknown. */
    assert_string_equal(reasons_text(&decided, "NVIDIA H100 NVL MIG 9g.90gb", PODSKU_SECURE, 1), "compute-fraction");
    assert_string_equal(
        reason_of(find_offer(&decided, "NVIDIA H100 NVL MIG 9g.90gb", PODSKU_SECURE, 1), PODSKU_RULE_COMPUTE_FRACTION),
        "its share of the card's compute slices is unknown");
    assert_string_equal(reason_of(find_offer(&decided, "NVIDIA A40", PODSKU_SECURE, 1), PODSKU_RULE_MEMORY_FRACTION),
                        "neither a slice nor a card that is sold in slices");
    free_decided(&decided);

    decide(&decided, catalog, "{\"memory_fraction\": 0.5}", PODSKU_DECIDE_REASONS);
    assert_string_equal(
        reason_of(find_offer(&decided, SERVER " MIG 1g.24gb", PODSKU_SECURE, 1), PODSKU_RULE_MEMORY_FRACTION),
        "1/4 of the card's memory, at least 1/2 was asked for");
    assert_string_equal(reasons_text(&decided, SERVER " MIG 2g.48gb", PODSKU_SECURE, 1), "");
    assert_string_equal(reasons_text(&decided, "NVIDIA H100 NVL MIG 9g.90gb", PODSKU_SECURE, 1), "");
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

static void test_mig_parent(void **state)
{
    struct podsku_catalog *catalog = load_entries(SLICED);
    struct decided decided;

    (void)state;
    decide(&decided, catalog, "{\"memory_fraction\": 0.25, \"mig_parent\": \"rtx pro 6000\"}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.candidate_count, 3);
    assert_string_equal(reasons_text(&decided, "NVIDIA H100 NVL MIG 1g.24gb", PODSKU_SECURE, 1), "memory-fraction");
    assert_string_equal(reason_of(find_offer(&decided, "NVIDIA A40", PODSKU_SECURE, 1), PODSKU_RULE_MEMORY_FRACTION),
                        "neither what --mig-parent names nor a slice of it");
    free_decided(&decided);
    /* The card itself, though it is sold in no slices. */
    decide(&decided, catalog, "{\"memory_fraction\": 0.25, \"mig_parent\": \"A40\"}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.candidate_count, 1);
    free_decided(&decided);
    /* Without a share: any slice of it, and the card. */
    decide(&decided, catalog, "{\"mig_parent\": \"NVIDIA H100 NVL\"}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.candidate_count, 2);
    free_decided(&decided);
    decide(&decided, catalog, "{\"mig\": \"only\", \"mig_parent\": \"A40\"}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.candidate_count, 0);
    free_decided(&decided);
    podsku_catalog_free(catalog);
    /* No slices on sale: no card is one that is sold in slices. */
    catalog = load_entries("{" A40 USUAL "}");
    decide(&decided, catalog, "{\"memory_fraction\": 0.25}", PODSKU_DECIDE_FULL);
    assert_int_equal(decided.decision.candidate_count, 0);
    assert_string_equal(decided.decision.notes[0].message, "sold in slices: nothing in this catalogue");
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

/* ---- stock, CUDA, placement: they belong to a cloud and a count ---- */

#define RECORDING(cloud, count, entry)                                                                    \
    "{\"podsku_recording\": 1, \"source\": \"v2\", \"query\": {\"product\": \"POD\", \"cloud\": \"" cloud \
    "\", \"count\": " count "}, \"body\": {\"gpus\": [{" entry "}]}}"
#define IN_STOCK(level) ", \"availability\": \"" level "\""

struct stock_case {
    const char *recording, *requirement, *reasons, *text, *note;
};

static const struct stock_case stock_cases[] = {
    /* stock */
    {RECORDING("SECURE", "8", A40 USUAL IN_STOCK("LOW")), "{\"gpus\": 8}", "", NULL, NULL},
    {RECORDING("SECURE", "8", A40 USUAL IN_STOCK("LOW")), "{\"gpus\": 4}", "", NULL, NULL},
    {RECORDING("SECURE", "8", A40 USUAL IN_STOCK("LOW")), "{\"gpus\": 8, \"min_stock\": \"medium\"}", "stock",
     "stock for 8 in secure cloud is LOW, at least MEDIUM was asked for", NULL},
    {RECORDING("SECURE", "4", A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8}", "stock",
     "stock for 8 in secure cloud is NONE, at least LOW was asked for", NULL},
    {RECORDING("SECURE", "4", A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8, \"min_stock\": \"none\"}", "", NULL, NULL},
    {RECORDING("SECURE", "4", A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 2}", "",
     "this catalogue does not say the stock of 2 in secure cloud", "stock-unknown"},
    {RECORDING("SECURE", "4", A40 USUAL IN_STOCK("HIGH")), "{\"gpus\": 8, \"min_stock\": \"high\"}", "", NULL,
     "stock-unknown"},
    {RECORDING("COMMUNITY", "8", A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8}", "", NULL, "stock-unknown"},
    {RECORDING("SECURE", "8", A40 USUAL IN_STOCK("PLENTY")), "{\"gpus\": 8}", "", NULL, "stock-unknown"},
    /* cuda */
    {RECORDING("SECURE", "1",
               A40 USUAL IN_STOCK("LOW") ", \"cudaVersions\": [{\"version\": \"12.11\", \"available\": "
                                         "true}]"),
     "{\"min_cuda\": \"12.2\"}", "", NULL, NULL},
    {RECORDING("SECURE", "1",
               A40 USUAL IN_STOCK("LOW") ", \"cudaVersions\": [{\"version\": \"12.4\", \"available\": "
                                         "true}, {\"version\": \"12.8\", \"available\": false}]"),
     "{\"min_cuda\": \"12.8\"}", "", "hosts with CUDA 12.8 are full now", "cuda-full"},
    {RECORDING("SECURE", "1",
               A40 USUAL IN_STOCK("LOW") ", \"cudaVersions\": [{\"version\": \"12.4\", \"available\": "
                                         "true}, {\"version\": \"12.2\", \"available\": true}]"),
     "{\"min_cuda\": \"12.8\"}", "cuda", "hosts have CUDA 12.4 at most, at least 12.8 was asked for", NULL},
    /* what hosts lack for one GPU they lack for eight; what they have for one, not every one has for eight */
    {RECORDING("SECURE", "1",
               A40 USUAL IN_STOCK("LOW") ", \"cudaVersions\": [{\"version\": \"12.4\", \"available\": "
                                         "true}]"),
     "{\"gpus\": 8, \"min_cuda\": \"12.8\"}", "cuda", NULL, NULL},
    {RECORDING("SECURE", "1",
               A40 USUAL IN_STOCK("LOW") ", \"cudaVersions\": [{\"version\": \"12.8\", \"available\": "
                                         "true}]"),
     "{\"gpus\": 8, \"min_cuda\": \"12.8\"}", "", NULL, "cuda-unknown"},
    {RECORDING("SECURE", "8",
               A40 USUAL IN_STOCK("LOW") ", \"cudaVersions\": [{\"version\": \"12.8\", \"available\": "
                                         "true}]"),
     "{\"gpus\": 2, \"min_cuda\": \"12.8\"}", "", "", "cuda-unknown"},
    {RECORDING("COMMUNITY", "1",
               A40 USUAL IN_STOCK("LOW") ", \"cudaVersions\": [{\"version\": \"12.4\", "
                                         "\"available\": true}]"),
     "{\"min_cuda\": \"12.8\"}", "", "the catalogue does not say the CUDA versions of its hosts; 12.8 is sent along",
     "cuda-unknown"},
    {RECORDING("SECURE", "1", A40 USUAL IN_STOCK("LOW")), "{\"min_cuda\": \"12.8\"}", "", NULL, "cuda-unknown"},
    {RECORDING("SECURE", "1", "\"id\": \"AMD Instinct MI300X OAM\"" USUAL IN_STOCK("LOW")),
     "{\"min_cuda\": \"12.8\", \"manufacturer\": \"any\"}", "cuda", "the CUDA versions of its hosts are unknown", NULL},
    {RECORDING("SECURE", "1", "\"id\": \"Odd\"" USUAL), "{\"min_cuda\": \"12.8\", \"manufacturer\": \"any\"}", "cuda",
     NULL, NULL},
    /* placement */
    {RECORDING("SECURE", "8",
               A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": "
                                         "\"LOW\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"EU-RO-1\", \"us-ks-2\"]}", "", NULL, NULL},
    {RECORDING("SECURE", "8",
               A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": "
                                         "\"LOW\"}]"),
     "{\"gpus\": 4, \"data_center\": [\"US-KS-2\"]}", "", NULL, NULL},
    {RECORDING("SECURE", "8",
               A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": "
                                         "\"LOW\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"EU-RO-1\"]}", "placement",
     "no stock listed in EU-RO-1; there is some in US-KS-2", NULL},
    {RECORDING("SECURE", "8",
               A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": "
                                         "\"NONE\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"US-KS-2\"]}", "placement", "no data center lists stock for 8 of it", NULL},
    {RECORDING("SECURE", "8",
               A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": "
                                         "\"PLENTY\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"US-KS-2\"]}", "placement", "listed in US-KS-2, but with unknown stock", NULL},
    {RECORDING("SECURE", "1",
               A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": "
                                         "\"LOW\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"US-KS-2\"]}", "placement",
     "unknown: data centers are listed for 1 GPU, not for 8", NULL},
    {RECORDING("COMMUNITY", "8",
               A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", "
                                         "\"availability\": \"LOW\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"US-KS-2\"]}", "placement",
     "unknown: data centers are listed for another cloud, not for secure", NULL},
    {RECORDING("SECURE", "8", A40 USUAL IN_STOCK("LOW")), "{\"gpus\": 8, \"data_center\": [\"US-KS-2\", \"X\"]}",
     "placement", "unknown: this catalogue lists no data centers", NULL},
    {RECORDING("SECURE", "8",
               A40 USUAL IN_STOCK("LOW") "}, {\"id\": \"NVIDIA L4\"" USUAL IN_STOCK(
                   "LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": \"LOW\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"US-KS-2\"]}", "placement", "no data center lists stock for 8 of it", NULL},
    {RECORDING("SECURE", "1",
               A40 USUAL IN_STOCK("LOW") "}, {\"id\": \"NVIDIA L4\"" USUAL IN_STOCK(
                   "LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": \"LOW\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"US-KS-2\"]}", "placement",
     "unknown: this catalogue lists data centers only for another cloud or for fewer GPUs", NULL},
    {RECORDING("SECURE", "8",
               A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": "
                                         "\"LOW\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"US-KS-2\"], \"country\": [\"US\"]}", "placement",
     "unknown: this catalogue does not say which data centers are in that country, region or compliance", NULL},
};

static void test_stock_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof stock_cases / sizeof stock_cases[0]; i++) {
        const struct stock_case *row = &stock_cases[i];
        struct podsku_catalog *catalog = load_text(row->recording);
        struct decided decided;
        catalog->source = PODSKU_SOURCE_FILE;
        decide(&decided, catalog, row->requirement, PODSKU_DECIDE_REASONS);
        const char *id = catalog->types[0].id;
        const struct podsku_offer *offer = find_offer(&decided, id, PODSKU_SECURE, decided.req.gpus[0]);
        const char *reasons = reasons_text(&decided, id, PODSKU_SECURE, decided.req.gpus[0]);
        if (strcmp(reasons, row->reasons) != 0)
            fail_msg("case %zu: \"%s\" instead of \"%s\": %s", i, reasons, row->reasons,
                     offer->reason_count ? offer->reasons[0].message : "");
        if (offer->reason_count && row->text)
            assert_string_equal(offer->reasons[0].message, row->text);
        if (!offer->reason_count && row->note && row->text)
            assert_string_equal(note_of(offer, row->note), row->text);
        if (!offer->reason_count && row->note && !row->text)
            assert_string_not_equal(note_of(offer, row->note), "");
        size_t passing = decided.decision.candidate_total;
        free_decided(&decided);
        decide(&decided, catalog, row->requirement, PODSKU_DECIDE_COUNT);
        assert_int_equal(decided.decision.candidate_total, passing);
        free_decided(&decided);
        podsku_catalog_free(catalog);
    }
}

/* Community cloud has no data centers to choose and no clusters. */
static void test_community(void **state)
{
    struct decided decided;

    (void)state;
    decide(&decided, bundled(), "{\"cloud\": \"community\", \"gpus\": 8, \"nodes\": 2, \"data_center\": [\"A\"]}",
           PODSKU_DECIDE_REASONS);
    const struct podsku_offer *offer = find_offer(&decided, "NVIDIA A100-SXM4-80GB", PODSKU_COMMUNITY, 8);
    assert_string_equal(reason_of(offer, PODSKU_RULE_PLACEMENT), "data centers can be chosen in secure cloud only");
    assert_string_equal(reason_of(offer, PODSKU_RULE_NODES), "Instant Clusters are secure cloud only");
    assert_int_equal(offer->reason_count, 2);
    assert_string_equal(
        reason_of(find_offer(&decided, "AMD Instinct MI300X OAM", PODSKU_COMMUNITY, 8), PODSKU_RULE_CLOUD),
        "not offered in community cloud, only in secure");
    free_decided(&decided);
}

/* A live catalogue comes with the list that turned places into data centers. */
static void test_live_places(void **state)
{
    struct podsku_catalog *catalog =
        load_text(RECORDING("SECURE", "1",
                            A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", "
                                                      "\"availability\": \"LOW\"}]"));
    struct decided decided;

    (void)state;
    catalog->source = PODSKU_SOURCE_LIVE;
    decide(&decided, catalog, "{\"country\": [\"US\"], \"data_center\": [\"US-KS-2\"]}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.candidate_count, 1);
    free_decided(&decided);
    decide(&decided, catalog, "{\"country\": [\"DE\"]}", PODSKU_DECIDE_FULL);
    assert_string_equal(decided.decision.rejected[0].reasons[0].message,
                        "there is no data center of that country, region or compliance");
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

#define CLUSTER(count, entry)                                                                                     \
    "{\"podsku_recording\": 1, \"source\": \"v2\", \"query\": {\"product\": \"CLUSTER\", \"cloud\": \"SECURE\", " \
    "\"count\": " count "}, \"body\": {\"gpus\": [{" entry "}]}}"

/* What a live catalogue stocks as clusters can be one, and its stock is that of the clusters. */
static void test_cluster_stock(void **state)
{
    struct podsku_catalog *catalog = load_text(CLUSTER("8", A40 USUAL IN_STOCK("MEDIUM")));
    struct decided decided;

    (void)state;
    decide(&decided, catalog, "{\"gpus\": 8, \"nodes\": 2, \"min_stock\": \"medium\"}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.candidate_count, 1);
    assert_int_equal(decided.decision.candidates[0].stock, PODSKU_STOCK_MEDIUM);
    assert_int_equal(decided.decision.candidates[0].price_total_uusd, 28800000);
    free_decided(&decided);
    decide(&decided, catalog, "{\"gpus\": 8}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.candidates[0].stock, PODSKU_STOCK_UNKNOWN);
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

/* Facts that say a part: what they leave open stays unknown. */
static void test_partial_facts(void **state)
{
    static const char rows[] = "[{\"id\": \"NVIDIA Odd 1\", \"nvlink_evidence\": \"board\"},"
                               " {\"id\": \"NVIDIA Odd 2\", \"nvlink_evidence\": \"none\"},"
                               " {\"id\": \"NVIDIA Odd 3\", \"nvlink_evidence\": \"board\", \"nvlink_domain\": 8}]";
    static const char body[] = "{\"gpus\": [{\"id\": \"NVIDIA Odd 1\"" USUAL "}, {\"id\": \"NVIDIA Odd 2\"" USUAL
                               "}, {\"id\": \"NVIDIA Odd 3\"" USUAL "}]}";
    const struct podsku_facts_set *facts = NULL;
    struct podsku_catalog *catalog = NULL;
    struct podsku_error err = {0};
    struct decided decided;

    (void)state;
    assert_int_equal(podsku_facts_load(rows, strlen(rows), "facts.json", &facts, &err), PODSKU_OK);
    assert_int_equal(podsku_catalog_load(body, strlen(body), "test", facts, NULL, PODSKU_INPUT, &catalog, &err),
                     PODSKU_OK);
    decide(&decided, catalog, "{\"nvlink\": \"required\", \"gpus\": 2, \"min_link_gbs\": 1}", PODSKU_DECIDE_FULL);
    const struct podsku_offer *offer = find_offer(&decided, "NVIDIA Odd 1", PODSKU_SECURE, 2);
    assert_string_equal(reason_of(offer, PODSKU_RULE_NVLINK),
                        "unknown: the facts do not say how many GPUs NVLink joins");
    assert_string_equal(reason_of(offer, PODSKU_RULE_LINK_BANDWIDTH),
                        "unknown: there are no facts about the bandwidth between its GPUs");
    assert_int_equal(offer->topology.evidence, PODSKU_EVIDENCE_UNKNOWN);
    assert_int_equal(offer->topology.link, PODSKU_LINK_UNKNOWN);
    offer = find_offer(&decided, "NVIDIA Odd 2", PODSKU_SECURE, 2);
    assert_int_equal(offer->topology.link, PODSKU_LINK_PCIE);
    assert_true(offer->topology.link_gbs < 0);
    offer = find_offer(&decided, "NVIDIA Odd 3", PODSKU_SECURE, 2);
    assert_string_equal(reason_of(offer, PODSKU_RULE_NVLINK), "");
    assert_int_equal(offer->topology.link, PODSKU_LINK_NVLINK);
    assert_true(offer->topology.link_gbs < 0);
    free_decided(&decided);
    podsku_catalog_free(catalog);
    podsku_facts_free(facts);
}

static void test_names(void **state)
{
    static const char words[] = "cloud gpus unpriced nvlink link-bandwidth vram total-vram memory-fraction "
                                "compute-fraction mig price total-price gpu exclude manufacturer arch "
                                "compute-capability cuda placement stock nodes inter-node";
    char text[512] = "";

    (void)state;
    for (int rule = 0; rule < PODSKU_RULE_COUNT; rule++) {
        strncat(text, rule ? " " : "", sizeof text - strlen(text) - 1);
        strncat(text, podsku_rule_name((enum podsku_rule)rule), sizeof text - strlen(text) - 1);
        assert_true(strlen(podsku_rule_passes((enum podsku_rule)rule)) > 10);
        assert_true(strlen(podsku_rule_unknown((enum podsku_rule)rule)) > 4);
    }
    assert_string_equal(text, words);
    assert_string_equal(podsku_link_name(PODSKU_LINK_NVLINK), "nvlink");
    assert_string_equal(podsku_link_name(PODSKU_LINK_XGMI), "xgmi");
    assert_string_equal(podsku_link_name(PODSKU_LINK_PCIE), "pcie");
    assert_string_equal(podsku_link_name(PODSKU_LINK_NONE), "none");
    assert_string_equal(podsku_link_name(PODSKU_LINK_UNKNOWN), "unknown");
    assert_string_equal(podsku_link_name((enum podsku_link)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),         cmocka_unit_test(test_unknown_is_said), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_mig_parent),    cmocka_unit_test(test_stock_cases),     cmocka_unit_test(test_community),
        cmocka_unit_test(test_live_places),   cmocka_unit_test(test_cluster_stock),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_partial_facts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
