/*
 * Suggestions, alternatives, the nearest miss, notes on the whole decision, patterns that match nothing.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* "--max-price 1.59: A100 SXM x2; without --gpu: ..." with the first gain of each. */
static const char *suggestions_text(const struct decided *decided)
{
    static char text[4096];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < decided->decision.suggestion_count; i++) {
        const struct podsku_suggestion *suggestion = &decided->decision.suggestions[i];
        assert_true(suggestion->gain_count > 0 && suggestion->gain_total >= suggestion->gain_count);
        const struct podsku_offer *gain = &suggestion->gains[0];
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s: %s x%d%s", i ? "; " : "", suggestion->change,
                                podsku_gpu_name(gain->type), gain->gpus,
                                gain->cloud == PODSKU_COMMUNITY ? " community" : "");
    }
    return text;
}

static const struct {
    const char *requirement, *suggestions;
} cases[] = {
    {"{\"gpus\": 8, \"nvlink\": \"required\", \"gpu\": [\"H100 NVL\"]}",
     "--gpus 2 --nvlink possible: H100 NVL x2; without --gpu: A100 SXM x8; --nvlink preferred: H100 NVL x8"},
    {"{\"gpus\": 2, \"nvlink\": \"required\", \"gpu\": [\"H100 NVL\"]}",
     "--nvlink possible: H100 NVL x2; without --gpu: A100 SXM x2"},
    {"{\"gpus\": 2, \"nvlink\": \"possible\", \"gpu\": [\"A40\"]}",
     "without --gpu: A100 SXM x2; --nvlink preferred: A40 x2"},
    {"{\"gpus\": 2, \"nvlink\": \"required\", \"max_price\": 1.2}",
     "--max-price 1.59: A100 SXM x2; --cloud any: A100 SXM 40GB x2 community; --nvlink preferred: RTX 2000 Ada x2"},
    {"{\"gpus\": 8, \"nvlink\": \"required\", \"max_total\": 10}",
     "--max-total 12.72: A100 SXM x8; --gpus 6: A100 SXM x6; --nvlink preferred: RTX 2000 Ada x8"},
    {"{\"gpus\": 16, \"nvlink\": \"required\"}", "--gpus 8: A100 SXM x8"},
    {"{\"gpus\": 40, \"mig\": \"only\"}", "--gpus 32: PRO 6000 MIG 24GB x32"},
    {"{\"min_vram\": 400}", "--min-vram 288: B300 x1"},
    {"{\"min_total_vram\": 400, \"min_vram\": 200}", "--min-total-vram 288: B300 x1; --gpus 2: B300 x2"},
    {"{\"min_vram\": 1, \"max_vram\": 10}", "--max-vram 16: RTX 2000 Ada x1; --cloud any: RTX A2000 x1 community"},
    {"{\"memory_fraction\": 0.6, \"mig\": \"only\"}",
     "--memory-fraction 0.5: PRO 6000 MIG 48GB x1; --mig allow: RTX PRO 6000 x1; without --memory-fraction: PRO 6000 "
     "MIG 24GB x1"},
    {"{\"compute_fraction\": \"2/3\", \"mig\": \"only\"}",
     "--compute-fraction 0.5: PRO 6000 MIG 48GB x1; --mig allow: RTX PRO 6000 x1; without --compute-fraction: PRO 6000 "
     "MIG 24GB x1"},
    {"{\"memory_fraction\": 0.5, \"mig\": \"only\", \"mig_parent\": \"A40\"}",
     "--mig allow: A40 x1; without --mig-parent: PRO 6000 MIG 48GB x1"},
    {"{\"gpus\": 4, \"parallelism\": \"tensor\", \"gpu\": [\"L40S\"]}",
     "--gpus 1: L40S x1; without --gpu: A100 SXM x4; --parallelism pipeline: L40S x4"},
    {"{\"gpus\": 8, \"min_link_gbs\": 2000, \"min_vram\": 100}", "--min-link-gbs 1800: B200 x8"},
    {"{\"arch\": \"turing\"}", "without --arch: RTX 2000 Ada x1"},
    {"{\"min_compute_capability\": \"13.0\"}", "--min-compute-capability 12.0: RTX PRO 4000 x1"},
    {"{\"exclude\": [\"*\"]}", "without --exclude: RTX 2000 Ada x1"},
    {"{\"gpu\": [\"MI300X\"], \"manufacturer\": \"nvidia\"}",
     "--manufacturer any: MI300X x1; without --gpu: RTX 2000 Ada x1"},
    {"{\"gpus\": 8, \"nodes\": 2, \"min_vram\": 200}", "--min-vram 180: B200 x8; --nodes 1: B300 x8"},
    {"{\"gpus\": 8, \"nodes\": 2, \"inter_node_gbps\": 6400}", "--inter-node-gbps 3200: H100 SXM x8"},
    {"{\"inter_node_gbps\": 1, \"gpu\": [\"A40\"]}", "without --gpu: A100 SXM x1; without --inter-node-gbps: A40 x1"},
    {"{\"country\": [\"DE\"], \"region\": \"europe\", \"gpu\": [\"A40\"]}", "without --country and --region: A40 x1"},
    {"{\"compliance\": [\"GDPR\"], \"gpu\": [\"A40\"]}", "without --compliance: A40 x1"},
    {"{\"data_center\": [\"EU-RO-1\"], \"gpu\": [\"A40\"]}", "without --data-center: A40 x1"},
    {"{\"min_cuda\": \"12.8\", \"gpu\": [\"MI300X\"]}",
     "without --gpu: RTX 2000 Ada x1; without --min-cuda: MI300X x1"},
    {"{\"gpu\": [\"A40\"]}", "without --gpu: RTX 2000 Ada x1"},
    {"{\"gpus\": 8, \"nvlink\": \"required\"}",
     "--cloud any: A100 SXM x8 community; --nvlink preferred: RTX 2000 Ada x8"},
};

static void test_suggestions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct decided decided;
        decide(&decided, bundled(), cases[i].requirement, PODSKU_DECIDE_FULL);
        if (strcmp(suggestions_text(&decided), cases[i].suggestions) != 0)
            fail_msg("%s:\n%s\ninstead of\n%s", cases[i].requirement, suggestions_text(&decided), cases[i].suggestions);
        free_decided(&decided);
    }
}

/* What is suggested does gain what it says: the change is made and decided again. */
static void check_change(const struct decided *decided, const struct podsku_suggestion *suggestion)
{
    json_t *json = podsku_requirement_encode(&decided->req);
    struct decided again;
    char key[64];

    assert_non_null(json);
    if (json_is_object(suggestion->to)) {
        assert_int_equal(json_object_update(json, suggestion->to), 0);
    } else if (strcmp(suggestion->relax, "--data-center") != 0 || !json_is_null(suggestion->to)) {
        size_t len = 0;
        for (const char *c = suggestion->relax + 2; *c; c++)
            key[len++] = *c == '-' ? '_' : *c;
        key[len] = '\0';
        if (json_is_null(suggestion->to))
            (void)json_object_del(json, key);
        else
            assert_int_equal(json_object_set(json, key, suggestion->to), 0);
    }
    /* A fraction implied --mig allow; only its own flag is what changes. */
    if (podsku_requirement_mig(&decided->req) == PODSKU_MIG_ALLOW)
        assert_int_equal(json_object_set_new(json, "mig", json_string("allow")), 0);
    char *text = json_dumps(json, 0);
    decide(&again, bundled(), text, PODSKU_DECIDE_REASONS);
    for (size_t i = 0; i < suggestion->gain_count; i++) {
        const struct podsku_offer *gain = &suggestion->gains[i];
        const struct podsku_offer *now = find_offer(&again, gain->type->id, gain->cloud, gain->gpus);
        if (!now || now->reason_count)
            fail_msg("%s does not gain %s: %s", suggestion->change, gain->type->id,
                     now ? now->reasons[0].message : "?");
        const struct podsku_offer *before = find_offer(decided, gain->type->id, gain->cloud, gain->gpus);
        assert_true(!before || before->reason_count > 0 || gain->nodes != before->nodes);
    }
    free(text);
    free_decided(&again);
    json_decref(json);
}

static void test_changes_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct decided decided;
        decide(&decided, bundled(), cases[i].requirement, PODSKU_DECIDE_FULL);
        for (size_t k = 0; k < decided.decision.suggestion_count; k++)
            if (!podsku_requirement_has_placement(&decided.req))
                check_change(&decided, &decided.decision.suggestions[k]);
        for (size_t k = 1; k < decided.decision.suggestion_count; k++)
            assert_true(decided.decision.suggestions[k - 1].distance <= decided.decision.suggestions[k].distance);
        free_decided(&decided);
    }
}

#define A40_PLUS(more)                                                                                              \
    "{\"podsku_recording\": 1, \"source\": \"v2\", \"query\": {\"product\": \"POD\", \"cloud\": \"SECURE\", "       \
    "\"count\": 1}, \"body\": {\"gpus\": [{\"id\": \"NVIDIA A40\", \"name\": \"A40\", \"memory\": 48, \"secure\": " \
    "true, \"maxCount\": {\"secure\": 8}" more "}]}}"

static void suggest_on(const char *recording, const char *requirement, const char *expected)
{
    struct podsku_catalog *catalog = load_text(recording);
    struct decided decided;

    decide(&decided, catalog, requirement, PODSKU_DECIDE_FULL);
    assert_string_equal(suggestions_text(&decided), expected);
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

static void test_suggestions_on_stock(void **state)
{
    (void)state;
    suggest_on(A40_PLUS(", \"price\": {\"secure\": 1}, \"availability\": \"LOW\""), "{\"min_stock\": \"high\"}",
               "--min-stock low: A40 x1");
    suggest_on(A40_PLUS(", \"price\": {\"secure\": 1}, \"availability\": \"NONE\""), "{}", "--min-stock none: A40 x1");
    suggest_on(A40_PLUS(", \"price\": {\"secure\": 1}, \"availability\": \"MEDIUM\""), "{\"min_stock\": \"high\"}",
               "--min-stock medium: A40 x1");
    suggest_on(A40_PLUS(""), "{}", "--allow-unpriced: A40 x1");
    suggest_on(A40_PLUS(", \"price\": {\"secure\": 1}, \"availability\": \"LOW\", \"cudaVersions\": [{\"version\": "
                        "\"12.4\", \"available\": true}, {\"version\": \"12.11\", \"available\": true}]"),
               "{\"min_cuda\": \"13.0\"}", "--min-cuda 12.11: A40 x1");
}

/* Lists of gains are cut, and say how many there are. */
static void test_many_gains(void **state)
{
    struct decided decided;

    (void)state;
    decide(&decided, bundled(), "{\"gpu\": [\"A40\"]}", PODSKU_DECIDE_FULL);
    assert_string_equal(decided.decision.suggestions[0].relax, "--gpu");
    assert_true(json_is_null(decided.decision.suggestions[0].to));
    assert_int_equal(decided.decision.suggestions[0].gain_count, PODSKU_GAINS_MAX);
    assert_int_equal(decided.decision.suggestions[0].gain_total, 27);
    free_decided(&decided);
    decide(&decided, bundled(), "{\"gpus\": 8, \"nvlink\": \"required\", \"gpu\": [\"H100 NVL\"]}", PODSKU_DECIDE_FULL);
    assert_string_equal(decided.decision.suggestions[0].relax, "--gpus --nvlink");
    assert_int_equal(json_integer_value(json_object_get(decided.decision.suggestions[0].to, "gpus")), 2);
    assert_string_equal(json_string_value(json_object_get(decided.decision.suggestions[0].to, "nvlink")), "possible");
    free_decided(&decided);
}

/* "smaller-card RTX A5000, mig-slice -, ..." */
static const char *alternatives_text(const struct decided *decided)
{
    static char text[1024];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < decided->decision.alternative_count; i++) {
        const struct podsku_alternative *alternative = &decided->decision.alternatives[i];
        assert_true(alternative->isolates[0] && alternative->needs[0]);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s %s", i ? ", " : "", alternative->approach,
                                alternative->cheapest ? podsku_gpu_name(alternative->cheapest->type) : "-");
    }
    return text;
}

static const struct {
    const char *requirement, *alternatives;
} alternative_cases[] = {
    {"{\"memory_fraction\": 0.25}", "smaller-card RTX A5000, mig-slice PRO 6000 MIG 24GB, mps RTX A5000, time-slicing "
                                    "RTX A5000, one-process RTX A5000, bare-metal -"},
    {"{\"memory_fraction\": 0.5}", "smaller-card A40, mig-slice PRO 6000 MIG 48GB, mps A40, time-slicing A40, "
                                   "one-process A40, bare-metal -"},
    {"{\"memory_fraction\": 0.25, \"max_total\": 0.5}",
     "smaller-card RTX A5000, mig-slice PRO 6000 MIG 24GB, mps RTX A5000, time-slicing RTX A5000, one-process RTX "
     "A5000, bare-metal -"},
    {"{\"mig\": \"allow\", \"min_vram\": 40}", "smaller-card A40, mig-slice PRO 6000 MIG 48GB, mps A40, time-slicing "
                                               "A40, one-process A40, bare-metal -"},
    {"{\"gpus\": 8, \"nvlink\": \"required\", \"max_total\": 5}",
     "smaller-card A100 SXM, mig-slice -, mps A100 SXM, time-slicing A100 SXM, one-process A100 SXM, bare-metal -"},
    /* what is named says how much memory is meant; --max-vram and --exclude stay */
    {"{\"gpu\": [\"PRO 6000 MIG 24GB\"]}", "smaller-card RTX A5000, mig-slice PRO 6000 MIG 24GB, mps RTX A5000, "
                                           "time-slicing RTX A5000, one-process RTX A5000, bare-metal -"},
    {"{\"gpu\": [\"*MIG 48GB\", \"*MIG 24GB\"], \"mig\": \"allow\", \"max_price\": 0.1}",
     "smaller-card RTX A5000, mig-slice PRO 6000 MIG 24GB, mps RTX A5000, time-slicing RTX A5000, one-process RTX "
     "A5000, bare-metal -"},
    {"{\"gpu\": [\"*MIG 48GB\"], \"mig\": \"allow\", \"max_price\": 0.1}",
     "smaller-card A40, mig-slice PRO 6000 MIG 48GB, mps A40, time-slicing A40, one-process A40, bare-metal -"},
    {"{\"gpu\": [\"H200 NVL\"], \"cloud\": \"community\"}",
     "smaller-card -, mig-slice -, mps -, time-slicing -, one-process -, bare-metal -"},
    {"{\"gpu\": [\"NVIDIA A30\"]}", /* only the facts know it: 24 GB */
     "smaller-card RTX A5000, mig-slice PRO 6000 MIG 24GB, mps RTX A5000, time-slicing RTX A5000, one-process RTX "
     "A5000, bare-metal -"},
    {"{\"gpu\": [\"H200 NVL\"], \"max_price\": 1}",
     "smaller-card H200 NVL, mig-slice -, mps H200 NVL, time-slicing H200 NVL, one-process H200 NVL, bare-metal -"},
    {"{\"gpu\": [\"*MIG*\", \"A40\"], \"mig\": \"only\", \"max_price\": 0.1}",
     "smaller-card RTX A5000, mig-slice PRO 6000 MIG 24GB, mps RTX A5000, time-slicing RTX A5000, one-process RTX "
     "A5000, bare-metal -"},
    {"{\"mig\": \"only\", \"max_price\": 0.1}",
     "smaller-card RTX A5000, mig-slice PRO 6000 MIG 24GB, mps RTX A5000, time-slicing RTX A5000, one-process RTX "
     "A5000, bare-metal -"},
    {"{\"mig\": \"allow\", \"gpu\": [\"A40\"]}",
     "smaller-card A40, mig-slice PRO 6000 MIG 48GB, mps A40, time-slicing A40, one-process A40, bare-metal -"},
    {"{\"memory_fraction\": 0.25, \"exclude\": [\"*A5000*\"]}",
     "smaller-card A40, mig-slice PRO 6000 MIG 24GB, mps A40, time-slicing A40, one-process A40, bare-metal -"},
    {"{\"memory_fraction\": 0.25, \"exclude\": [\"*A5000*\"], \"max_vram\": 24}",
     "smaller-card L4, mig-slice PRO 6000 MIG 24GB, mps L4, time-slicing L4, one-process L4, bare-metal -"},
    /* the cheapest is the cheapest, in whatever order candidates stand */
    {"{\"memory_fraction\": 0.25, \"sort\": \"vram\", \"nvlink\": \"preferred\"}",
     "smaller-card A40, mig-slice PRO 6000 MIG 24GB, mps A40, time-slicing A40, one-process A40, bare-metal -"},
    {"{\"gpu\": [\"H200 NVL\"], \"max_vram\": 100}",
     "smaller-card -, mig-slice -, mps -, time-slicing -, one-process -, bare-metal -"},
    {"{\"min_vram\": 500}", "smaller-card -, mig-slice -, mps -, time-slicing -, one-process -, bare-metal -"},
    {"{\"gpus\": 8, \"nvlink\": \"required\"}", ""},
    {"{\"min_vram\": 24}", ""},
};

static void test_alternatives(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof alternative_cases / sizeof alternative_cases[0]; i++) {
        struct decided decided;
        decide(&decided, bundled(), alternative_cases[i].requirement, PODSKU_DECIDE_FULL);
        assert_string_equal(alternatives_text(&decided), alternative_cases[i].alternatives);
        free_decided(&decided);
    }
}

/* Each slice is compared with the cheapest whole card of at least its memory. */
static void test_whole_card_notes(void **state)
{
    struct decided decided;

    (void)state;
    decide(&decided, bundled(), "{\"memory_fraction\": 0.25, \"gpus\": [1, 2]}", PODSKU_DECIDE_FULL);
    const struct podsku_offer *slice =
        find_offer(&decided, "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", PODSKU_SECURE, 1);
    assert_string_equal(note_of(slice, "whole-card"), "a whole RTX A5000 (24 GB) costs 0.27 USD/h");
    assert_string_not_equal(note_of(slice, "stock-unknown"), "");
    slice = find_offer(&decided, "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 2g.48gb", PODSKU_SECURE, 2);
    assert_string_equal(note_of(slice, "whole-card"), "2 whole A40 (48 GB) cost 0.88 USD/h");
    assert_string_equal(decided.decision.notes[0].code, "parents");
    assert_string_equal(decided.decision.notes[0].message, "sold in slices: RTX PRO 6000 (96 GB)");
    free_decided(&decided);
}

/* Slices of one size share a comparison; of very many sizes only the first ones have one. */
static void test_many_sizes(void **state)
{
    struct podsku_catalog *catalog = load_entries(
        "{\"id\": \"NVIDIA B300 SXM6 AC MIG 1g.34gb\", \"memory\": 34, \"secure\": true, \"community\": true, "
        "\"maxCount\": "
        "{\"secure\": 32, \"community\": 32}, \"price\": {\"secure\": 1, \"community\": 0.9}},"
        "{\"id\": \"NVIDIA A40\", \"name\": \"A40\", \"memory\": 48, \"secure\": true, \"maxCount\": {\"secure\": 32}, "
        "\"price\": {\"secure\": 0.5}}");
    struct decided decided;
    size_t noted = 0;
    size_t slices = 0;

    (void)state;
    decide(&decided, catalog,
           "{\"mig\": \"only\", \"cloud\": \"any\", \"gpus\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, "
           "17]}",
           PODSKU_DECIDE_FULL);
    for (size_t i = 0; i < decided.decision.candidate_count; i++) {
        const char *note = note_of(&decided.decision.candidates[i], "whole-card");
        slices++;
        noted += note[0] != '\0';
        if (decided.decision.candidates[i].gpus == 1)
            assert_string_equal(note, "a whole A40 (48 GB) costs 0.50 USD/h, a suspect price");
    }
    assert_int_equal(slices, 34);
    assert_int_equal(noted, 32);
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

static const struct {
    const char *requirement, *miss, *why;
} misses[] = {
    {"{\"gpus\": 8, \"nvlink\": \"required\"}", "H100 NVL", "bridges join pairs, at best 4 of 28 pairs"},
    {"{\"gpus\": 8, \"nvlink\": \"required\", \"exclude\": [\"H100 NVL\"]}", "H200 NVL",
     "bridges join 4 cards, at best 12 of 28 pairs"},
    {"{\"gpus\": 8, \"nvlink\": \"required\", \"cloud\": \"community\", \"gpu\": [\"V100 SXM2\"]}", "V100 SXM2",
     "8 of these form a cube mesh with NVLink on 16 of 28 pairs; NVLink among all 8 needs a board with a switch (A100 "
     "SXM or later)"},
    {"{\"memory_fraction\": 0.25, \"max_total\": 0.5}", "PRO 6000 MIG 24GB",
     "0.59 USD/h in all, at most 0.50 was asked for"},
    {"{\"min_vram\": 24}", "RTX A4500", "20 GB, at least 24 were asked for"},
    {"{\"memory_fraction\": 0.6, \"mig\": \"only\"}", "PRO 6000 MIG 48GB",
     "2/4 of the card's memory, at least 3/5 was asked for"},
    {"{\"compute_fraction\": 0.6, \"mig\": \"only\"}", "PRO 6000 MIG 48GB",
     "2/4 of the card's compute slices, at least 3/5 was asked for"},
    {"{\"gpus\": 8, \"min_link_gbs\": 1000, \"min_vram\": 100, \"max_price\": 6, \"gpu\": [\"B200\", \"H200\"]}",
     "B200", "6.79 USD/h per GPU, at most 6.00 was asked for"},
    {"{\"gpus\": 12, \"gpu\": [\"A40\", \"L40\"]}", "A40", "the largest secure machine has 10, 12 were asked for"},
    {"{\"gpus\": 9, \"gpu\": [\"A40\", \"L40\"]}", "L40", "the largest secure machine has 8, 9 were asked for"},
    {"{\"min_total_vram\": 300}", "B300", "288 GB in all, at least 300 were asked for"},
    {"{\"min_cuda\": \"12.8\", \"gpu\": [\"MI300X\"]}", "MI300X", "the CUDA versions of its hosts are unknown"},
    {"{\"arch\": \"turing\", \"gpu\": [\"A40\"]}", "A40", "ampere, and turing was asked for"},
    {"{\"gpu\": [\"A40\"]}", NULL, NULL},
    {"{\"exclude\": [\"*\"]}", NULL, NULL},
};

static void test_nearest_miss(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof misses / sizeof misses[0]; i++) {
        struct decided decided;
        decide(&decided, bundled(), misses[i].requirement, PODSKU_DECIDE_FULL);
        const struct podsku_offer *miss = decided.decision.nearest_miss;
        if (!miss != !misses[i].miss)
            fail_msg("%s: %s", misses[i].requirement, miss ? miss->type->id : "no miss");
        if (miss) {
            assert_string_equal(podsku_gpu_name(miss->type), misses[i].miss);
            assert_string_equal(decided.decision.nearest_miss_why, misses[i].why);
        } else {
            assert_null(decided.decision.nearest_miss_why);
        }
        free_decided(&decided);
    }
}

/* What a summary counts the types under. */
static void test_chief_reasons(void **state)
{
    struct decided decided;
    size_t none = 0;
    size_t bridges = 0;
    size_t community = 0;

    (void)state;
    decide(&decided, bundled(), "{\"gpus\": 8, \"nvlink\": \"required\"}", PODSKU_DECIDE_REASONS);
    for (size_t i = 0; i < decided.decision.rejected_count; i++) {
        const char *brief = podsku_offer_chief_reason(&decided.decision.rejected[i])->brief;
        none += strcmp(brief, "no NVLink") == 0;
        bridges += strcmp(brief, "bridges between 2 or 4 cards at most") == 0;
        community += strcmp(brief, "community only") == 0;
    }
    /* Slices are counted as slices. */
    assert_int_equal(none + bridges + community + 2, decided.decision.rejected_count);
    assert_int_equal(community, 1);
    assert_null(podsku_offer_chief_reason(&decided.decision.candidates[0]));
    free_decided(&decided);
}

static void test_decision_notes(void **state)
{
    struct decided decided;

    (void)state;
    decide(&decided, bundled(), "{\"parallelism\": \"pipeline\", \"gpu\": [\"NVIDIA A30\", \"A40\"]}",
           PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.note_count, 2);
    assert_string_equal(decided.decision.notes[0].message,
                        "pipeline parallelism tolerates PCIe: the choice is the price's");
    assert_string_equal(decided.decision.notes[1].message, "not in this catalogue: --gpu \"NVIDIA A30\"");
    free_decided(&decided);
    decide(&decided, bundled(), "{\"parallelism\": \"data\"}", PODSKU_DECIDE_FULL);
    assert_string_equal(decided.decision.notes[0].message,
                        "data parallelism tolerates PCIe: the choice is the price's");
    free_decided(&decided);
    decide(&decided, bundled(), "{\"mig_parent\": \"NVIDIA A30\"}", PODSKU_DECIDE_FULL);
    assert_string_equal(decided.decision.notes[0].message, "the card: none in this catalogue");
    free_decided(&decided);
    /* In the order of ids; what a note has no room for is counted, and unknown memory is not 0 GB. */
    decide(&decided, bundled(), "{\"mig_parent\": \"*\"}", PODSKU_DECIDE_FULL);
    assert_string_equal(
        decided.decision.notes[0].message,
        "the card: MI300X (192 GB), A100 PCIe (80 GB), A100 SXM 40GB (40 GB), A100 SXM (80 GB), A40 (48 "
        "GB), B200 (180 GB), B300 (288 GB), RTX 3070 (8 GB), RTX 3080 (10 GB), RTX 3080 Ti (12 GB), RTX "
        "3090 (24 GB), RTX 3090 Ti (24 GB) and 33 more");
    free_decided(&decided);
    struct podsku_catalog *catalog =
        load_entries("{\"id\": \"Y\"}, {\"id\": \"X\", \"memory\": 8}, {\"id\": \"Y MIG 1g.4gb\"}, "
                     "{\"id\": \"X MIG 1g.4gb\"}");
    decide(&decided, catalog, "{\"memory_fraction\": 0.25}", PODSKU_DECIDE_FULL);
    assert_string_equal(decided.decision.notes[0].message, "sold in slices: X (8 GB), Y");
    free_decided(&decided);
    podsku_catalog_free(catalog);
    catalog = load_entries("");
    decide(&decided, catalog, "{\"gpu\": [\"NVIDIA H100 NVL\"]}", PODSKU_DECIDE_FULL);
    assert_int_equal(decided.decision.note_count, 2);
    assert_string_equal(decided.decision.notes[0].message, "not in this catalogue: --gpu \"NVIDIA H100 NVL\"");
    assert_string_equal(decided.decision.notes[1].message, "this catalogue has no GPU types");
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

static void check_pattern(const char *json, enum podsku_code code, const char *message, const char *hint)
{
    struct podsku_error err = {0};
    struct podsku_decision decision = {0};
    struct podsku_requirement req;

    read_requirement(&req, json);
    assert_int_equal(podsku_decide(bundled(), &req, PODSKU_DECIDE_COUNT, false, &decision, &err), code);
    assert_string_equal(err.message, message);
    assert_string_equal(err.hint, hint);
    assert_int_equal(podsku_decide(bundled(), &req, PODSKU_DECIDE_COUNT, true, &decision, &err), PODSKU_OK);
    podsku_decision_free(&decision);
    podsku_requirement_free(&req);
}

static void test_patterns(void **state)
{
    (void)state;
    check_pattern("{\"gpu\": [\"H100 SXM\", \"NVIDIA A40\"], \"exclude\": [\"*NVL*\"]}", PODSKU_OK, "", "");
    check_pattern("{\"gpu\": [\"NVIDIA A30\"]}", PODSKU_OK, "", ""); /* only facts know it */
    check_pattern("{\"mig_parent\": \"RTX PRO 6000\"}", PODSKU_OK, "", "");
    check_pattern("{\"gpu\": [\"A40\", \"H100 SMX\"]}", PODSKU_USAGE, "--gpu \"H100 SMX\" matches no GPU type",
                  "near: \"H100 SXM\", \"A100 SXM\", \"H200 SXM\"");
    check_pattern("{\"exclude\": [\"*L40X*\"]}", PODSKU_USAGE, "--exclude \"*L40X*\" matches no GPU type",
                  "near: \"L40\", \"L40S\", \"A40\"");
    check_pattern("{\"gpu\": [\"H100\"]}", PODSKU_USAGE, "--gpu \"H100\" matches no GPU type",
                  "near: \"H100 SXM\", \"H100 NVL\", \"H100 PCIe\"");
    check_pattern("{\"gpu\": [\"a100?\"]}", PODSKU_USAGE, "--gpu \"a100?\" matches no GPU type",
                  "near: \"A100 PCIe\", \"A100 SXM 40GB\", \"A100 SXM\"");
    /* Ids, and names written otherwise. */
    check_pattern("{\"gpu\": [\"NVIDIA H100\"]}", PODSKU_USAGE, "--gpu \"NVIDIA H100\" matches no GPU type",
                  "near: \"H100 SXM\", \"H100 NVL\", \"H100 PCIe\"");
    check_pattern("{\"gpu\": [\"NVIDIA RTX A4500 \"]}", PODSKU_USAGE, "--gpu \"NVIDIA RTX A4500 \" matches no GPU type",
                  "near: \"RTX A4500\"");
    check_pattern("{\"gpu\": [\"3090ti\"]}", PODSKU_USAGE, "--gpu \"3090ti\" matches no GPU type",
                  "near: \"RTX 3090 Ti\"");
    check_pattern("{\"gpu\": [\"nvidia rtxa4500\"]}", PODSKU_USAGE, "--gpu \"nvidia rtxa4500\" matches no GPU type",
                  "near: \"RTX A4500\"");
    check_pattern("{\"gpu\": [\"NVIDIA H10 PCIe\"]}", PODSKU_USAGE, "--gpu \"NVIDIA H10 PCIe\" matches no GPU type",
                  "near: \"H100 PCIe\"");
    check_pattern(
        "{\"gpu\": [\"????????????????????????????????????????????????????????????????????????????????\"]}",
        PODSKU_USAGE,
        "--gpu \"????????????????????????????????????????????????????????????????????????????????\" matches no GPU "
        "type",
        "`podsku catalog list` shows all; * and ? are wildcards");
    check_pattern("{\"mig_parent\": \"Voodoo 2 card of 1998\"}", PODSKU_USAGE,
                  "--mig-parent \"Voodoo 2 card of 1998\" matches no GPU type",
                  "`podsku catalog list` shows all; * and ? are wildcards");
}

/* A slice's parent need not be in the catalogue to be named. */
static void test_parent_pattern(void **state)
{
    struct podsku_catalog *catalog = load_entries("{\"id\": \"NVIDIA Odd MIG 1g.10gb\", \"memory\": 10}");
    struct podsku_error err = {0};
    struct podsku_decision decision = {0};
    struct podsku_requirement req;

    (void)state;
    read_requirement(&req, "{\"mig_parent\": \"nvidia odd\"}");
    assert_int_equal(podsku_decide(catalog, &req, PODSKU_DECIDE_COUNT, false, &decision, &err), PODSKU_OK);
    podsku_decision_free(&decision);
    podsku_requirement_free(&req);
    podsku_catalog_free(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suggestions),
        cmocka_unit_test(test_changes_hold),
        cmocka_unit_test(test_suggestions_on_stock),
        cmocka_unit_test(test_many_gains),
        cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_whole_card_notes),
        cmocka_unit_test(test_many_sizes),
        cmocka_unit_test(test_nearest_miss),
        cmocka_unit_test(test_chief_reasons),
        cmocka_unit_test(test_decision_notes),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_parent_pattern),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
