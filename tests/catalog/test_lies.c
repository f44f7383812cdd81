/* The known lies of real catalogues, each kept as what it says, so that the rules can see through it. */
#include "support.h"

#include <string.h>

/* Flags and counts are kept apart: only both together offer a card. */
static void flags_against_counts(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_fixture("catalogue-v2");
    const struct podsku_gpu_type *b200 = type_of(catalog, "NVIDIA B200");
    const struct podsku_gpu_type *a40 = type_of(catalog, "NVIDIA A40");

    assert_int_equal(b200->offered[PODSKU_COMMUNITY], PODSKU_YES);
    assert_int_equal(b200->max_gpus[PODSKU_COMMUNITY], 0);
    assert_int_equal(a40->offered[PODSKU_COMMUNITY], PODSKU_NO);
    assert_int_equal(a40->max_gpus[PODSKU_COMMUNITY], 1);
    podsku_catalog_free(catalog);
}

/* The placeholder stays a price of 0.50: whether it counts is told by flag and count. */
static void placeholder_prices(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_fixture("catalogue-v2");
    const struct podsku_gpu_type *type = type_of(catalog, "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition");

    assert_true(type->price_uusd[PODSKU_SECURE] == 500000);
    assert_int_equal(type->offered[PODSKU_SECURE], PODSKU_NO);
    assert_int_equal(type->max_gpus[PODSKU_SECURE], 0);
    podsku_catalog_free(catalog);
}

static void zero_prices_and_memory_are_unknown(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_fixture("catalogue-lies");

    assert_true(type_of(catalog, "NVIDIA RTX A4500")->price_uusd[PODSKU_COMMUNITY] == 0);
    assert_true(type_of(catalog, "NVIDIA RTX A4500")->price_uusd[PODSKU_SECURE] == 250000);
    assert_true(type_of(catalog, "NVIDIA  RTX A4500")->price_uusd[PODSKU_SECURE] == 0);
    assert_int_equal(type_of(catalog, "NVIDIA H100 NVL")->memory_gb, 0);
    assert_int_equal(podsku_gpu_memory_gb(type_of(catalog, "NVIDIA H100 NVL")), 94);
    assert_int_equal(podsku_gpu_memory_gb(type_of(catalog, "NVIDIA Rubin R100")), 288);
    podsku_catalog_free(catalog);
}

/* Ids are whole byte strings: a double blank, a prefix, a name that moved. */
static void ids_are_opaque(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_fixture("catalogue-lies");
    const struct podsku_gpu_type *one = type_of(catalog, "NVIDIA RTX A4500");
    const struct podsku_gpu_type *two = type_of(catalog, "NVIDIA  RTX A4500");

    assert_ptr_not_equal(one, two);
    assert_int_equal(two->offered[PODSKU_SECURE], PODSKU_UNKNOWN);
    assert_int_equal(two->max_gpus[PODSKU_SECURE], PODSKU_COUNT_UNKNOWN);
    assert_null(type_of(catalog, "NVIDIA B300 SXM6 AC")->slice);
    assert_string_equal(type_of(catalog, "NVIDIA B300 SXM6 AC MIG 1g.34gb")->slice->parent, "NVIDIA B300 SXM6 AC");
    assert_null(podsku_catalog_find(catalog, "NVIDIA B300"));
    assert_null(podsku_catalog_find(catalog, "H100 SXM"));
    assert_null(type_of(catalog, "NVIDIA Rubin R100")->facts);
    assert_null(podsku_catalog_find(catalog, "unknown"));
    assert_int_equal(catalog->entries, 12);
    assert_int_equal(catalog->type_count, 11);
    podsku_catalog_free(catalog);
}

static void unknown_words_are_unknown(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_fixture("catalogue-lies");

    assert_int_equal(type_of(catalog, "NVIDIA B300 SXM6 AC")->views->stock, PODSKU_STOCK_UNKNOWN);
    assert_int_equal(type_of(catalog, "NVIDIA B300 SXM6 AC MIG 1g.34gb")->views->stock, PODSKU_STOCK_UNKNOWN);
    assert_int_equal(type_of(catalog, "Tensara X1")->manufacturer, PODSKU_OTHER_MANUFACTURER);
    const struct podsku_stock_view *view = type_of(catalog, "NVIDIA A40")->views;
    assert_int_equal(view->data_center_count, 2); /* the third has no id */
    assert_int_equal(view->cuda_count, 2);        /* "latest" is no version */
    assert_int_equal(view->cuda[0].minor, 11);
    assert_int_equal(view->cuda[1].minor, 2);
    assert_int_equal(view->cuda[1].available, PODSKU_UNKNOWN);
    podsku_catalog_free(catalog);
}

static void ints_and_floats(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_fixture("catalogue-lies");

    assert_int_equal(type_of(catalog, "NVIDIA RTX A4500")->memory_gb, 20);
    assert_int_equal(type_of(catalog, "NVIDIA RTX A4500")->max_gpus[PODSKU_COMMUNITY], 4);
    assert_true(type_of(catalog, "NVIDIA B300 SXM6 AC")->price_uusd[PODSKU_SECURE] == 7000000);
    assert_true(type_of(catalog, "NVIDIA A40")->price_uusd[PODSKU_SECURE] == 440000);
    podsku_catalog_free(catalog);
}

/* GraphQL: without per-cloud counts above 0 the overall maximum stands for both clouds. */
static void graphql_counts(void **state)
{
    static const struct {
        const char *members;
        int secure, community;
    } rows[] = {
        {"\"maxGpuCount\": 32, \"maxGpuCountSecureCloud\": 0, \"maxGpuCountCommunityCloud\": 0", 32, 32},
        {"\"maxGpuCount\": 32", 32, 32},
        {"\"maxGpuCount\": 32, \"maxGpuCountSecureCloud\": null, \"maxGpuCountCommunityCloud\": 0", 32, 32},
        {"\"maxGpuCount\": 10, \"maxGpuCountSecureCloud\": 10, \"maxGpuCountCommunityCloud\": 0", 10, 0},
        {"\"maxGpuCount\": 10, \"maxGpuCountCommunityCloud\": 4", PODSKU_COUNT_UNKNOWN, 4},
        {"\"maxGpuCountSecureCloud\": 0, \"maxGpuCountCommunityCloud\": 0", PODSKU_COUNT_UNKNOWN, PODSKU_COUNT_UNKNOWN},
        {"\"maxGpuCount\": null, \"maxGpuCountSecureCloud\": 0", PODSKU_COUNT_UNKNOWN, PODSKU_COUNT_UNKNOWN},
        {"\"maxGpuCount\": 0, \"maxGpuCountSecureCloud\": 0, \"maxGpuCountCommunityCloud\": 0", 0, 0},
        {"\"maxGpuCountSecureCloud\": 8, \"maxGpuCountCommunityCloud\": 0", 8, 0},
        {"\"maxGpuCount\": 0", 0, 0},
        {"", PODSKU_COUNT_UNKNOWN, PODSKU_COUNT_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct podsku_catalog *catalog = load_graphql_entry(rows[i].members);
        const struct podsku_gpu_type *type = type_of(catalog, "NVIDIA A40");
        if (type->max_gpus[PODSKU_SECURE] != rows[i].secure || type->max_gpus[PODSKU_COMMUNITY] != rows[i].community)
            fail_msg("%s", rows[i].members);
        podsku_catalog_free(catalog);
    }
    /* REST v2 has no overall maximum: 0 and 0 are not offered. */
    struct podsku_catalog *catalog =
        load_v2_entry("\"maxGpuCount\": 32, \"maxCount\": {\"secure\": 0, \"community\": 0}");
    assert_int_equal(type_of(catalog, "NVIDIA A40")->max_gpus[PODSKU_SECURE], 0);
    podsku_catalog_free(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_against_counts),
        cmocka_unit_test(placeholder_prices),
        cmocka_unit_test(zero_prices_and_memory_are_unknown),
        cmocka_unit_test(ids_are_opaque),
        cmocka_unit_test(unknown_words_are_unknown),
        cmocka_unit_test(ints_and_floats),
        cmocka_unit_test(graphql_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
