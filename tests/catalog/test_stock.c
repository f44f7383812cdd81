/* Stock belongs to the cloud, count and product of its read; what follows for others is a table. */
#include "support.h"

#include <stdio.h>
#include <string.h>

/* One entry's availability, read for a cloud and a count; NULL: the entry has none. */
struct read_row {
    const char *stock;
    enum podsku_cloud cloud;
    int count;
};

static struct podsku_catalog *read_of(const struct read_row *row)
{
    struct podsku_catalog_query query = {
        .product = PODSKU_PRODUCT_POD, .has_cloud = true, .cloud = row->cloud, .count = row->count};
    char text[128];

    if (row->stock)
        (void)snprintf(text, sizeof text, "{\"gpus\": [{\"id\": \"A\", \"availability\": %s}]}", row->stock);
    else
        (void)snprintf(text, sizeof text, "{\"gpus\": [{\"id\": \"A\"}]}");
    return load_text_for(text, &query);
}

static struct podsku_catalog *merged(const struct read_row *rows, size_t count)
{
    struct podsku_error err = {0};
    struct podsku_catalog *catalog = read_of(&rows[0]);

    for (size_t i = 1; i < count && rows[i].count; i++)
        assert_int_equal(podsku_catalog_merge(catalog, read_of(&rows[i]), &err), PODSKU_OK);
    return catalog;
}

static void inference(void **state)
{
    static const struct {
        struct read_row reads[3];
        enum podsku_cloud cloud;
        int count;
        enum podsku_stock stock;
        int from_count; /* of the read that the answer comes from; 0: of none */
    } rows[] = {
        /* exactly that */
        {{{"\"HIGH\"", PODSKU_SECURE, 8}}, PODSKU_SECURE, 8, PODSKU_STOCK_HIGH, 8},
        {{{"\"none\"", PODSKU_SECURE, 8}}, PODSKU_SECURE, 8, PODSKU_STOCK_NONE, 8},
        /* a level for more holds for fewer, NONE for fewer holds for more */
        {{{"\"LOW\"", PODSKU_SECURE, 8}}, PODSKU_SECURE, 1, PODSKU_STOCK_LOW, 8},
        {{{"\"NONE\"", PODSKU_SECURE, 2}}, PODSKU_SECURE, 8, PODSKU_STOCK_NONE, 2},
        /* the other directions are unknown */
        {{{"\"HIGH\"", PODSKU_SECURE, 1}}, PODSKU_SECURE, 8, PODSKU_STOCK_UNKNOWN, 0},
        {{{"\"NONE\"", PODSKU_SECURE, 8}}, PODSKU_SECURE, 1, PODSKU_STOCK_UNKNOWN, 0},
        /* another cloud says nothing */
        {{{"\"HIGH\"", PODSKU_SECURE, 1}}, PODSKU_COMMUNITY, 1, PODSKU_STOCK_UNKNOWN, 0},
        {{{"\"HIGH\"", PODSKU_SECURE, 1}, {"\"NONE\"", PODSKU_COMMUNITY, 1}},
         PODSKU_COMMUNITY,
         4,
         PODSKU_STOCK_NONE,
         1},
        /* the exact read wins; NONE for fewer wins over a level for more; the best level for more */
        {{{"\"HIGH\"", PODSKU_SECURE, 8}, {"\"LOW\"", PODSKU_SECURE, 4}, {"\"NONE\"", PODSKU_SECURE, 1}},
         PODSKU_SECURE,
         4,
         PODSKU_STOCK_LOW,
         4},
        {{{"\"HIGH\"", PODSKU_SECURE, 8}, {"\"NONE\"", PODSKU_SECURE, 1}}, PODSKU_SECURE, 4, PODSKU_STOCK_NONE, 1},
        {{{"\"LOW\"", PODSKU_SECURE, 4}, {"\"HIGH\"", PODSKU_SECURE, 8}}, PODSKU_SECURE, 2, PODSKU_STOCK_HIGH, 8},
        /* an exact read that knows nothing leaves the others; without them it still is the view */
        {{{"null", PODSKU_SECURE, 4}, {"\"LOW\"", PODSKU_SECURE, 8}}, PODSKU_SECURE, 4, PODSKU_STOCK_LOW, 8},
        {{{"null", PODSKU_SECURE, 4}}, PODSKU_SECURE, 4, PODSKU_STOCK_UNKNOWN, 4},
        {{{"\"plenty\"", PODSKU_SECURE, 4}}, PODSKU_SECURE, 4, PODSKU_STOCK_UNKNOWN, 4},
        {{{NULL, PODSKU_SECURE, 4}}, PODSKU_SECURE, 4, PODSKU_STOCK_UNKNOWN, 0},
        {{{NULL, PODSKU_SECURE, 4}, {"\"MEDIUM\"", PODSKU_SECURE, 4}}, PODSKU_SECURE, 4, PODSKU_STOCK_MEDIUM, 4},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct podsku_stock_view *view;
        struct podsku_catalog *catalog = merged(rows[i].reads, COUNT_OF(rows[i].reads));
        const struct podsku_gpu_type *type = type_of(catalog, "A");
        enum podsku_stock stock = podsku_catalog_stock(catalog, type, rows[i].cloud, rows[i].count, NULL, &view);
        int from = view ? catalog->reads[view->read].count : 0;
        if (stock != rows[i].stock || from != rows[i].from_count)
            fail_msg("row %zu: %s from the read for %d", i, podsku_stock_name(stock), from);
        assert_int_equal(podsku_catalog_stock(catalog, type, rows[i].cloud, rows[i].count, NULL, NULL), stock);
        podsku_catalog_free(catalog);
    }
}

/* What a read under a CUDA floor or for some countries says of hosts that it did not look at: of stock it is true. */
static void filters(void **state)
{
    static const char *const us[] = {"us"};
    static const char *const both[] = {"US", "SE"};
    static const char *const other[] = {"CA"};
    static const struct {
        const char *min_cuda, *countries; /* of the read */
        struct podsku_catalog_filter filter;
        bool covers;
    } rows[] = {
        {NULL, NULL, {0}, true},
        {NULL, NULL, {.cuda_major = 13, .countries = us, .country_count = 1}, true},
        {"13.0", NULL, {0}, false},
        {"13.0", NULL, {.cuda_major = 12, .cuda_minor = 9}, false},
        {"13.0", NULL, {.cuda_major = 13}, true},
        {"12.2", NULL, {.cuda_major = 12, .cuda_minor = 11}, true},
        {"12.11", NULL, {.cuda_major = 12, .cuda_minor = 2}, false},
        {"new", NULL, {.cuda_major = 99}, false},
        {NULL, "US", {0}, false},
        {NULL, "US", {.countries = us, .country_count = 1}, true},
        {NULL, "US", {.countries = both, .country_count = 2}, false},
        {NULL, "CA,US", {.countries = us, .country_count = 1}, true},
        {NULL, "USA,U", {.countries = us, .country_count = 1}, false},
        {NULL, "US,SE", {.countries = other, .country_count = 1}, false},
        {NULL, "US,SE", {.countries = both, .country_count = 2}, true},
        {"13.0", "US", {.countries = us, .country_count = 1}, false},
        {"13.0", "US", {.cuda_major = 13, .countries = us, .country_count = 1}, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct podsku_catalog_query query = {.has_cloud = true,
                                             .cloud = PODSKU_SECURE,
                                             .count = 4,
                                             .min_cuda = rows[i].min_cuda,
                                             .countries = rows[i].countries};
        struct podsku_catalog *catalog = load_text_for("{\"gpus\": [{\"id\": \"A\", \"availability\": \"NONE\"}, "
                                                       "{\"id\": \"B\", \"availability\": \"LOW\"}]}",
                                                       &query);
        enum podsku_stock none = rows[i].covers ? PODSKU_STOCK_NONE : PODSKU_STOCK_UNKNOWN;
        for (int count = 4; count <= 8; count += 4) {
            enum podsku_stock stock =
                podsku_catalog_stock(catalog, type_of(catalog, "A"), PODSKU_SECURE, count, &rows[i].filter, NULL);
            if (stock != none)
                fail_msg("row %zu: %s", i, podsku_stock_name(stock));
        }
        assert_int_equal(podsku_catalog_read_covers(&catalog->reads[0], &rows[i].filter), rows[i].covers);
        assert_int_equal(podsku_catalog_stock(catalog, type_of(catalog, "B"), PODSKU_SECURE, 2, &rows[i].filter, NULL),
                         PODSKU_STOCK_LOW);
        podsku_catalog_free(catalog);
    }
}

/* A raw v2 body counts as read for SECURE and 1 GPU, a raw GraphQL body for nothing. */
static void raw_bodies(void **state)
{
    (void)state;
    struct podsku_catalog *v2 = load_fixture("catalogue-v2");
    struct podsku_catalog *graphql = load_fixture("catalogue-graphql");
    struct podsku_catalog *recorded = load_fixture("catalogue-recording-v2");
    struct podsku_catalog *recorded_graphql = load_fixture("catalogue-recording-graphql");
    const char *id = "NVIDIA B200";

    assert_int_equal(podsku_catalog_stock(v2, type_of(v2, id), PODSKU_SECURE, 1, NULL, NULL), PODSKU_STOCK_HIGH);
    assert_int_equal(podsku_catalog_stock(v2, type_of(v2, id), PODSKU_SECURE, 8, NULL, NULL), PODSKU_STOCK_UNKNOWN);
    assert_int_equal(podsku_catalog_stock(v2, type_of(v2, id), PODSKU_COMMUNITY, 1, NULL, NULL), PODSKU_STOCK_UNKNOWN);
    for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++)
        assert_int_equal(podsku_catalog_stock(graphql, type_of(graphql, id), (enum podsku_cloud)cloud, 1, NULL, NULL),
                         PODSKU_STOCK_UNKNOWN);
    assert_int_equal(type_of(graphql, id)->views->stock, PODSKU_STOCK_HIGH); /* as read */
    assert_int_equal(podsku_catalog_stock(recorded, type_of(recorded, id), PODSKU_SECURE, 8, NULL, NULL),
                     PODSKU_STOCK_HIGH);
    assert_int_equal(podsku_catalog_stock(recorded, type_of(recorded, id), PODSKU_SECURE, 1, NULL, NULL),
                     PODSKU_STOCK_HIGH);
    id = "NVIDIA A100-SXM4-80GB";
    assert_int_equal(podsku_catalog_stock(recorded, type_of(recorded, id), PODSKU_SECURE, 8, NULL, NULL),
                     PODSKU_STOCK_NONE);
    assert_int_equal(podsku_catalog_stock(recorded, type_of(recorded, id), PODSKU_SECURE, 1, NULL, NULL),
                     PODSKU_STOCK_UNKNOWN);
    id = "NVIDIA H100 NVL";
    assert_int_equal(
        podsku_catalog_stock(recorded_graphql, type_of(recorded_graphql, id), PODSKU_SECURE, 1, NULL, NULL),
        PODSKU_STOCK_LOW);
    podsku_catalog_free(v2);
    podsku_catalog_free(graphql);
    podsku_catalog_free(recorded);
    podsku_catalog_free(recorded_graphql);
}

static struct podsku_catalog *product_read(enum podsku_product product, const char *members)
{
    struct podsku_catalog_query query = {.product = product, .has_cloud = true, .cloud = PODSKU_SECURE, .count = 8};
    char text[256];

    (void)snprintf(text, sizeof text, "{\"gpus\": [{\"id\": \"A\"%s}]}", members);
    return load_text_for(text, &query);
}

/* Stock of clusters is not stock of pods, and the other way round. */
static void products(void **state)
{
    static const struct {
        enum podsku_product product;
        const char *members;
        bool in_clusters;
    } rows[] = {
        {PODSKU_PRODUCT_CLUSTER, ", \"availability\": \"LOW\"", true},
        {PODSKU_PRODUCT_CLUSTER, ", \"availability\": \"NONE\"", false},
        {PODSKU_PRODUCT_CLUSTER, "", false},
        {PODSKU_PRODUCT_CLUSTER, ", \"dataCenters\": [{\"id\": \"X\", \"availability\": \"NONE\"}]", false},
        {PODSKU_PRODUCT_CLUSTER,
         ", \"dataCenters\": [{\"id\": \"X\", \"availability\": \"NONE\"}, {\"id\": \"Y\", \"availability\": \"LOW\"}]",
         true},
        /* what is nowhere in all is in no data center either */
        {PODSKU_PRODUCT_CLUSTER,
         ", \"availability\": \"NONE\", \"dataCenters\": [{\"id\": \"X\", \"availability\": \"HIGH\"}]", false},
        {PODSKU_PRODUCT_POD, ", \"availability\": \"HIGH\"", false},
        {PODSKU_PRODUCT_SERVERLESS, ", \"availability\": \"HIGH\"", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct podsku_catalog *catalog = product_read(rows[i].product, rows[i].members);
        const struct podsku_gpu_type *type = type_of(catalog, "A");
        assert_int_equal(podsku_catalog_cluster_stock(catalog, type), rows[i].in_clusters);
        assert_int_equal(podsku_catalog_stock(catalog, type, PODSKU_SECURE, 8, NULL, NULL),
                         rows[i].product == PODSKU_PRODUCT_POD ? PODSKU_STOCK_HIGH : PODSKU_STOCK_UNKNOWN);
        podsku_catalog_free(catalog);
    }
}

/* Merging adds views and the types that only the other read has; chains of merges too. */
static void merging(void **state)
{
    struct podsku_catalog_query four = {.has_cloud = true, .cloud = PODSKU_COMMUNITY, .count = 4, .min_cuda = "12.8"};
    struct podsku_error err = {0};

    (void)state;
    struct podsku_catalog *first = load_text("{\"gpus\": [{\"id\": \"A\", \"memory\": 8, \"availability\": \"LOW\"}, "
                                             "{\"id\": \"B\", \"availability\": \"NONE\"}]}");
    struct podsku_catalog *second =
        load_text_for("{\"gpus\": [{\"id\": \"C\", \"availability\": \"HIGH\"}, {\"id\": \"A\", \"memory\": 9, "
                      "\"availability\": \"MEDIUM\", \"dataCenters\": [{\"id\": \"X\", \"availability\": \"LOW\"}]}]}",
                      &four);
    struct podsku_catalog *third = load_text_for("{\"gpus\": [{\"id\": \"C\", \"availability\": \"NONE\"}, "
                                                 "{\"id\": \"D\"}, {\"id\": \"B\"}]}",
                                                 &four);
    assert_int_equal(podsku_catalog_merge(second, third, &err), PODSKU_OK);
    assert_int_equal(podsku_catalog_merge(first, second, &err), PODSKU_OK);
    assert_int_equal(first->type_count, 4);
    assert_int_equal(first->entries, 4);
    assert_int_equal(first->read_count, 3);
    assert_string_equal(first->reads[1].min_cuda, "12.8");
    const struct podsku_gpu_type *a = type_of(first, "A");
    assert_int_equal(a->memory_gb, 8); /* only the stock is added */
    assert_int_equal(a->view_count, 2);
    assert_int_equal(podsku_catalog_stock(first, a, PODSKU_SECURE, 1, NULL, NULL), PODSKU_STOCK_LOW);
    const struct podsku_stock_view *view;
    assert_int_equal(podsku_catalog_stock(first, a, PODSKU_COMMUNITY, 4, NULL, &view), PODSKU_STOCK_MEDIUM);
    assert_string_equal(view->data_centers[0].id, "X");
    assert_int_equal(view->read, 1);
    assert_int_equal(type_of(first, "B")->view_count, 1);
    assert_int_equal(type_of(first, "C")->view_count, 2);
    assert_int_equal(type_of(first, "C")->views[1].read, 2);
    assert_int_equal(type_of(first, "D")->view_count, 0);
    podsku_catalog_free(first);
}

/* Many more types than the first read has: the index grows. */
static void merging_grows_the_index(void **state)
{
    enum { COUNT = 1000 };
    struct podsku_buf text = {0};
    struct podsku_error err = {0};

    (void)state;
    podsku_buf_puts(&text, "{\"gpus\": [");
    for (int i = 0; i < COUNT; i++)
        podsku_buf_printf(&text, "%s{\"id\": \"GPU %d\"}", i ? "," : "", i);
    podsku_buf_puts(&text, "]}");
    struct podsku_catalog *catalog = load_text("{\"gpus\": [{\"id\": \"A\"}]}");
    assert_int_equal(podsku_catalog_merge(catalog, load_text(podsku_buf_text(&text)), &err), PODSKU_OK);
    assert_int_equal(catalog->type_count, COUNT + 1);
    assert_ptr_equal(type_of(catalog, "A"), &catalog->types[0]);
    assert_ptr_equal(type_of(catalog, "GPU 999"), &catalog->types[COUNT]);
    podsku_catalog_free(catalog);
    podsku_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters),  cmocka_unit_test(inference), cmocka_unit_test(raw_bodies),
        cmocka_unit_test(products), cmocka_unit_test(merging),   cmocka_unit_test(merging_grows_the_index),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
