/*
 * The worked examples of the rules, on the compiled-in catalogue (August 2026, no stock in it): to
 * the cent and in order.
 */
#include "support.h"

#include <string.h>

static const struct {
    const char *requirement;
    const char *candidates; /* all of them, or as many as the limit */
    size_t total;           /* before a limit; 0: as many as listed */
} examples[] = {
    {"{\"gpus\": 8, \"nvlink\": \"required\"}",
     "A100 SXM 12.72, H100 SXM 26.32, H200 SXM 36.72, B200 54.32, B300 63.12", 5},
    {"{\"gpus\": 2, \"nvlink\": \"required\", \"max_price\": 3.0}", "A100 SXM 3.18", 1},
    {"{\"gpus\": 4, \"nvlink\": \"required\", \"min_vram\": 100}", "H200 SXM 18.36, B200 27.16, B300 31.56", 3},
    {"{\"gpus\": 2, \"nvlink\": \"possible\", \"min_vram\": 90}",
     "H100 NVL 6.38, H200 NVL 7.58, H200 SXM 9.18, B200 13.58, B300 15.78", 5},
    {"{\"gpus\": 8, \"nvlink\": \"required\", \"gpu\": [\"H100 NVL\"]}", "", 0},
    {"{\"memory_fraction\": 0.25}", "PRO 6000 MIG 24GB 0.59, PRO 6000 MIG 48GB 1.09, RTX PRO 6000 2.09", 3},
    {"{\"memory_fraction\": 0.3, \"mig\": \"only\"}", "PRO 6000 MIG 48GB 1.09", 1},
    {"{\"memory_fraction\": 0.25, \"max_total\": 0.5}", "", 0},
    {"{\"min_vram\": 24, \"limit\": 4}", "RTX A5000 0.27, A40 0.44, L4 0.49, RTX 3090 0.50", 24},
    {"{\"min_vram\": 24, \"mig\": \"allow\", \"gpu\": [\"*MIG*\", \"A40\"]}",
     "A40 0.44, PRO 6000 MIG 24GB 0.59, PRO 6000 MIG 48GB 1.09", 3},
    {"{\"gpus\": 8, \"min_link_gbs\": 1000}", "B200 54.32, B300 63.12", 2},
    {"{\"gpus\": 8, \"min_link_gbs\": 50, \"min_vram\": 90}",
     "RTX PRO 6000 WK 15.12, RTX PRO 6000 16.72, H100 NVL 25.52, H200 NVL 30.32, H200 SXM 36.72, B200 54.32, "
     "B300 63.12",
     7},
    {"{\"cloud\": \"any\", \"min_vram\": 80, \"gpus\": 2, \"limit\": 7}",
     "A100 PCIe (community) 2.38, A100 PCIe 2.78, A100 SXM (community) 2.78, A100 SXM 3.18, RTX PRO 6000 MaxQ "
     "(community) 3.28, RTX PRO 6000 (community) 3.38, RTX PRO 6000 WK (community) 3.38",
     18},
    {"{\"gpus\": 16, \"nvlink\": \"required\"}", "", 0},
    {"{\"gpus\": 8, \"nodes\": 4, \"inter_node_gbps\": 3200}", "H100 SXM 126.34, H200 SXM 176.26, B200 260.74", 3},
    {"{\"min_vram\": 8, \"cloud\": \"community\", \"limit\": 6}",
     "RTX 3070 (community) 0.13, RTX A5000 (community) 0.16, RTX 3080 (community) 0.17, RTX A4000 (community) 0.17, "
     "RTX 3080 Ti (community) 0.18, RTX 4000 Ada SFF (community) 0.18",
     34},
    {"{\"gpus\": [1, 2, 4, 8], \"min_total_vram\": 640, \"nvlink\": \"required\"}",
     "8x A100 SXM 12.72, 8x H100 SXM 26.32, 4x B200 27.16, 4x B300 31.56, 8x H200 SXM 36.72, 8x B200 54.32, 8x B300 "
     "63.12",
     7},
    {"{\"gpus\": 2, \"parallelism\": \"data\", \"min_vram\": 24, \"limit\": 3}", "RTX A5000 0.54, A40 0.88, L4 0.98",
     24},
    {"{\"gpus\": 2, \"nvlink\": \"preferred\", \"min_vram\": 48, \"max_price\": 1.6}",
     "A100 SXM 3.18, A40 0.88, RTX A6000 1.06, L40 1.64, RTX 6000 Ada 1.68, L40S 1.98, A100 PCIe 2.78", 7},
    {"{\"min_vram\": 150, \"manufacturer\": \"any\"}", "MI300X 2.39, B200 6.79, B300 7.89", 3},
};

static void check(const char *requirement, const char *candidates, size_t total, enum podsku_detail detail)
{
    struct decided decided;

    decide(&decided, bundled(), requirement, detail);
    assert_string_equal(candidates_text(&decided), candidates);
    assert_int_equal(decided.decision.candidate_total, total);
    size_t offers = bundled()->type_count * decided.req.gpus_count *
                    (size_t)(decided.req.cloud[PODSKU_SECURE] + decided.req.cloud[PODSKU_COMMUNITY]);
    assert_int_equal(decided.decision.candidate_total + decided.decision.rejected_count, offers);
    free_decided(&decided);
}

static void test_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        for (int detail = PODSKU_DECIDE_COUNT; detail <= PODSKU_DECIDE_FULL; detail++)
            check(examples[i].requirement, examples[i].candidates, examples[i].total, (enum podsku_detail)detail);
}

/* Totals of clusters are rounded once, at the end: 3.29 x 32 x 1.2 is 126.336. */
static void test_cluster_totals(void **state)
{
    struct decided decided;

    (void)state;
    decide(&decided, bundled(), "{\"gpus\": 8, \"nodes\": 4}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.candidate_count, 4);
    assert_string_equal(decided.decision.candidates[0].type->id, "NVIDIA A100-SXM4-80GB");
    assert_int_equal(decided.decision.candidates[1].price_total_uusd, 126336000);
    assert_int_equal(decided.decision.candidates[1].price_gpu_uusd, 3290000);
    assert_true(decided.decision.candidates[1].price_estimated);
    free_decided(&decided);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_cluster_totals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
