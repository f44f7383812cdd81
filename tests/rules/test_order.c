/*
 * The order of candidates: tiers, sort keys, prices, stock, clouds, counts, ids.
 */
#include "support.h"

#include <string.h>

#define OFFERED ", \"secure\": true, \"community\": true, \"maxCount\": {\"secure\": 8, \"community\": 8}"
#define PRICE(secure, community) ", \"price\": {\"secure\": " secure ", \"community\": " community "}"

static void test_price_then_stock(void **state)
{
    static const char body[] =
        "{\"podsku_recording\": 1, \"source\": \"v2\", \"query\": {\"product\": \"POD\", \"cloud\": \"SECURE\", "
        "\"count\": 1}, \"body\": {\"gpus\": ["
        "{\"id\": \"NVIDIA N\"" OFFERED PRICE(
            "1", "1") ", \"availability\": \"NONE\"},"
                      "{\"id\": \"NVIDIA U\"" OFFERED PRICE(
                          "1", "1") "},"
                                    "{\"id\": \"NVIDIA L\"" OFFERED PRICE(
                                        "1", "1") ", \"availability\": \"LOW\"},"
                                                  "{\"id\": \"NVIDIA M\"" OFFERED PRICE(
                                                      "1", "1") ", \"availability\": \"MEDIUM\"},"
                                                                "{\"id\": \"NVIDIA H\"" OFFERED PRICE(
                                                                    "1",
                                                                    "1") ", \"availability\": \"HIGH\"},"
                                                                         "{\"id\": \"NVIDIA C\"" OFFERED PRICE(
                                                                             "0.999999",
                                                                             "1") ", \"availability\": \"NONE\"}]}}";
    struct podsku_catalog *catalog = load_text(body);

    (void)state;
    assert_candidates(catalog, "{\"min_stock\": \"none\"}",
                      "NVIDIA C 1.00, NVIDIA H 1.00, NVIDIA M 1.00, NVIDIA L 1.00, NVIDIA U 1.00, NVIDIA N 1.00");
    podsku_catalog_free(catalog);
}

static void test_cloud_count_id(void **state)
{
    struct podsku_catalog *catalog = load_entries("{\"id\": \"NVIDIA B\"" OFFERED PRICE(
        "1", "1") "},"
                  "{\"id\": \"NVIDIA b\"" OFFERED PRICE(
                      "1", "1") "},"
                                "{\"id\": \"NVIDIA  B\"" OFFERED PRICE(
                                    "0.5", "1") "},"
                                                "{\"id\": \"NVIDIA B2\"" OFFERED PRICE("1", "1") "}");

    (void)state;
    assert_candidates(
        catalog, "{\"cloud\": \"any\"}",
        "NVIDIA  B 0.50, NVIDIA B 1.00, NVIDIA B2 1.00, NVIDIA b 1.00, NVIDIA  B (community) 1.00, NVIDIA "
        "B (community) 1.00, NVIDIA B2 (community) 1.00, NVIDIA b (community) 1.00");
    assert_candidates(catalog, "{\"gpus\": [1, 2], \"gpu\": [\"NVIDIA B\", \"NVIDIA  B\"]}",
                      "1x NVIDIA  B 0.50, 1x NVIDIA B 1.00, 1x NVIDIA b 1.00, 2x NVIDIA  B 1.00, 2x NVIDIA B 2.00, "
                      "2x NVIDIA b 2.00");
    podsku_catalog_free(catalog);
}

/* Unpriced offers come last, before tier and sort key are looked at. */
static void test_unpriced_last(void **state)
{
    struct podsku_catalog *catalog = load_entries("{\"id\": \"NVIDIA B200\", \"memory\": 180" OFFERED PRICE(
        "0", "0") "},"
                  "{\"id\": \"NVIDIA A40\", \"memory\": 48" OFFERED PRICE(
                      "1", "1") "},"
                                "{\"id\": \"NVIDIA H200\", \"memory\": 141" OFFERED "}");

    (void)state;
    assert_candidates(catalog, "{\"allow_unpriced\": true}", "NVIDIA A40 1.00, NVIDIA B200 0.00, NVIDIA H200 0.00");
    assert_candidates(catalog, "{\"allow_unpriced\": true, \"nvlink\": \"preferred\", \"sort\": \"vram\"}",
                      "NVIDIA A40 1.00, NVIDIA B200 0.00, NVIDIA H200 0.00");
    assert_candidates(catalog, "{\"allow_unpriced\": true, \"sort\": \"price-per-gb\"}",
                      "NVIDIA A40 1.00, NVIDIA B200 0.00, NVIDIA H200 0.00");
    podsku_catalog_free(catalog);
    /* Without a price there is no price per GB: stock decides, whether the memory is known or not. */
    catalog = load_entries("{\"id\": \"NVIDIA A\", \"memory\": 24" OFFERED ", \"availability\": \"LOW\"},"
                           "{\"id\": \"NVIDIA B\"" OFFERED ", \"availability\": \"HIGH\"},"
                           "{\"id\": \"NVIDIA C\", \"memory\": 48" OFFERED "}");
    assert_candidates(catalog, "{\"allow_unpriced\": true, \"sort\": \"price-per-gb\"}",
                      "NVIDIA B 0.00, NVIDIA A 0.00, NVIDIA C 0.00");
    podsku_catalog_free(catalog);
}

static void test_sorts(void **state)
{
    struct podsku_catalog *catalog =
        load_entries("{\"id\": \"NVIDIA A40\", \"name\": \"A40\", \"memory\": 48" OFFERED PRICE(
            "1",
            "1") "},"
                 "{\"id\": \"NVIDIA L4\", \"name\": \"L4\", \"memory\": 24" OFFERED PRICE(
                     "0.5",
                     "1") "},"
                          "{\"id\": \"NVIDIA B200\", \"name\": \"B200\", \"memory\": 180" OFFERED PRICE(
                              "6",
                              "1") "},"
                                   "{\"id\": \"NVIDIA GeForce RTX 5090\", \"name\": \"5090\", \"memory\": 32" OFFERED
                                       PRICE("0.6", "1") "},"
                                                         "{\"id\": \"NVIDIA Odd\", \"name\": \"Odd\"" OFFERED PRICE(
                                                             "0.1", "1") "}");

    (void)state;
    assert_candidates(catalog, "{\"sort\": \"price\"}", "Odd 0.10, L4 0.50, 5090 0.60, A40 1.00, B200 6.00");
    assert_candidates(catalog, "{\"sort\": \"vram\"}", "B200 6.00, A40 1.00, 5090 0.60, L4 0.50, Odd 0.10");
    /* 1/48 and 0.5/24 are the same per GB: the cheaper one first. */
    assert_candidates(catalog, "{\"sort\": \"price-per-gb\"}", "5090 0.60, L4 0.50, A40 1.00, B200 6.00, Odd 0.10");
    assert_candidates(catalog, "{\"sort\": \"link\"}", "B200 6.00, L4 0.50, A40 1.00, 5090 0.60, Odd 0.10");
    assert_candidates(catalog, "{\"sort\": \"vram\", \"gpus\": [1, 2], \"gpu\": [\"A40\", \"L4\"]}",
                      "2x A40 2.00, 1x A40 1.00, 2x L4 1.00, 1x L4 0.50");
    podsku_catalog_free(catalog);
}

static void test_tiers(void **state)
{
    (void)state;
    /* Board, then nominal within its domain, then the rest; within a tier by price. */
    assert_candidates(bundled(), "{\"gpus\": 4, \"nvlink\": \"preferred\", \"gpu\": [\"H200*\", \"H100*\"]}",
                      "H100 SXM 13.16, H200 SXM 18.36, H200 NVL 15.16, H100 PCIe 11.56, H100 NVL 12.76");
    assert_candidates(bundled(), "{\"gpus\": 2, \"nvlink\": \"preferred\", \"gpu\": [\"H200*\", \"H100*\"]}",
                      "H100 SXM 6.58, H200 SXM 9.18, H100 NVL 6.38, H200 NVL 7.58, H100 PCIe 5.78");
    assert_candidates(bundled(),
                      "{\"gpus\": 2, \"nvlink\": \"preferred\", \"sort\": \"vram\", \"gpu\": [\"H200*\", \"H100*\"]}",
                      "H200 SXM 9.18, H100 SXM 6.58, H200 NVL 7.58, H100 NVL 6.38, H100 PCIe 5.78");
}

/* Amounts beyond what is sane neither overflow nor lose their order. */
static void test_huge_prices(void **state)
{
    struct podsku_catalog *catalog =
        load_entries("{\"id\": \"NVIDIA X\", \"memory\": 1000000, \"secure\": true, \"maxCount\": {\"secure\": "
                     "1000000}, \"price\": {\"secure\": 1000000}},"
                     "{\"id\": \"NVIDIA Y\", \"memory\": 1, \"secure\": true, \"maxCount\": {\"secure\": 1000000}, "
                     "\"price\": {\"secure\": 999999}}");
    struct decided decided;

    (void)state;
    decide(&decided, catalog, "{\"gpus\": 1000000, \"sort\": \"price-per-gb\"}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.candidate_count, 2);
    assert_string_equal(decided.decision.candidates[0].type->id, "NVIDIA X");
    assert_true(decided.decision.candidates[0].price_total_uusd > 0);
    assert_true(decided.decision.candidates[0].total_memory_gb > 0);
    free_decided(&decided);
    /* With the premium of clusters the totals are too large for any amount: the largest stands. */
    decide(&decided, catalog, "{\"gpus\": 1000000, \"nodes\": 1000000}", PODSKU_DECIDE_REASONS);
    assert_int_equal(decided.decision.rejected[0].price_total_uusd, INT64_C(1000000000000000000));
    free_decided(&decided);
    podsku_catalog_free(catalog);
}

/* More candidates than are sorted by insertion come in the same order. */
static void test_many(void **state)
{
    struct decided decided;
    const struct podsku_offer *before = NULL;

    (void)state;
    decide(&decided, bundled(), "{\"cloud\": \"any\", \"gpus\": [1, 2, 3, 4], \"manufacturer\": \"any\"}",
           PODSKU_DECIDE_REASONS);
    assert_true(decided.decision.candidate_count > 100);
    for (size_t i = 0; i < decided.decision.candidate_count; i++) {
        const struct podsku_offer *offer = &decided.decision.candidates[i];
        assert_true(!before || before->price_total_uusd <= offer->price_total_uusd);
        if (before && before->price_total_uusd == offer->price_total_uusd) {
            assert_true(before->cloud <= offer->cloud);
            if (before->cloud == offer->cloud)
                assert_true(before->gpus < offer->gpus ||
                            (before->gpus == offer->gpus && strcmp(before->type->id, offer->type->id) < 0));
        }
        before = offer;
    }
    for (size_t i = 1; i < decided.decision.rejected_count; i++) {
        const struct podsku_offer *a = &decided.decision.rejected[i - 1];
        const struct podsku_offer *b = &decided.decision.rejected[i];
        int ids = strcmp(a->type->id, b->type->id);
        assert_true(ids < 0 || (ids == 0 && (a->cloud < b->cloud || (a->cloud == b->cloud && a->gpus < b->gpus))));
    }
    free_decided(&decided);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_price_then_stock),
        cmocka_unit_test(test_cloud_count_id),
        cmocka_unit_test(test_unpriced_last),
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_huge_prices),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
