/* Both shapes, raw, bare and recorded, become the same model; encoding gives it back. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"

static bool is_offered(const struct podsku_gpu_type *type, int cloud)
{
    return type->offered[cloud] != PODSKU_NO && type->max_gpus[cloud] != 0;
}

/* The same where both shapes say the same: everything but pools, serverless prices, counts of 0/0. */
static void same_types(const struct podsku_catalog *one, const struct podsku_catalog *other)
{
    assert_int_equal(one->type_count, other->type_count);
    assert_int_equal(one->entries, other->entries);
    for (size_t i = 0; i < one->type_count; i++) {
        const struct podsku_gpu_type *a = &one->types[i];
        const struct podsku_gpu_type *b = &other->types[i];
        assert_string_equal(a->id, b->id);
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->manufacturer, b->manufacturer);
        assert_int_equal(a->memory_gb, b->memory_gb);
        assert_ptr_equal(a->facts, b->facts);
        assert_int_equal(a->entry, b->entry);
        for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
            assert_int_equal(a->offered[cloud], b->offered[cloud]);
            assert_true(a->price_uusd[cloud] == b->price_uusd[cloud]);
            assert_int_equal(is_offered(a, cloud), is_offered(b, cloud));
            if (is_offered(a, cloud))
                assert_int_equal(a->max_gpus[cloud], b->max_gpus[cloud]);
        }
    }
}

static void all_shapes_are_one_model(void **state)
{
    static const char *const others[] = {"catalogue-graphql", "catalogue-bare", "catalogue-recording-v2",
                                         "catalogue-recording-graphql"};

    (void)state;
    struct podsku_catalog *v2 = load_fixture("catalogue-v2");
    assert_int_equal(v2->type_count, 10);
    assert_int_equal(v2->entries, 11);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        struct podsku_catalog *other = load_fixture(others[i]);
        same_types(v2, other);
        assert_int_equal(other->graphql, strstr(others[i], "v2") == NULL);
        podsku_catalog_free(other);
    }
    podsku_catalog_free(v2);
}

static void v2_members(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_fixture("catalogue-v2");
    const struct podsku_gpu_type *type = type_of(catalog, "NVIDIA H100 80GB HBM3");
    const struct podsku_stock_view *view = type->views;

    assert_int_equal(catalog->source, PODSKU_SOURCE_FILE);
    assert_non_null(strstr(catalog->path, "catalogue-v2"));
    assert_null(catalog->url);
    assert_true(catalog->recorded_ms == 0);
    assert_string_equal(type->pool, "ADA_80_PRO");
    assert_string_equal(podsku_gpu_name(type), "H100 SXM");
    assert_true(type->serverless_uusd == 4790000);
    assert_int_equal(type->view_count, 1);
    assert_int_equal(view->stock, PODSKU_STOCK_MEDIUM);
    assert_int_equal(view->data_center_count, 2);
    assert_string_equal(view->data_centers[1].id, "US-KS-2");
    assert_int_equal(view->data_centers[1].stock, PODSKU_STOCK_LOW);
    assert_int_equal(view->cuda_count, 3);
    assert_int_equal(view->cuda[1].major, 12);
    assert_int_equal(view->cuda[1].minor, 9);
    assert_int_equal(view->cuda[1].available, PODSKU_NO);
    assert_int_equal(view->cuda[2].available, PODSKU_YES);
    view = type_of(catalog, "AMD Instinct MI300X OAM")->views;
    assert_null(view->cuda);
    view = type_of(catalog, "NVIDIA A100-SXM4-80GB")->views;
    assert_null(view->data_centers);
    assert_int_equal(view->data_center_count, 0);
    podsku_catalog_free(catalog);
}

/* What is not said is unknown: neither zero nor false. */
static void missing_members_are_unknown(void **state)
{
    (void)state;
    struct podsku_catalog *shapes[] = {
        load_v2_entry(""),
        load_graphql_entry(""),
        load_v2_entry("\"name\": null, \"manufacturer\": null, \"memory\": null, \"pool\": null, \"secure\": null, "
                      "\"community\": null, \"price\": null, \"maxCount\": null"),
        load_v2_entry("\"price\": {\"secure\": null}, \"maxCount\": {\"community\": null}, \"name\": \"\", "
                      "\"manufacturer\": \"\", \"pool\": \"\""),
        load_graphql_entry("\"displayName\": null, \"memoryInGb\": null, \"secureCloud\": null, \"securePrice\": null, "
                           "\"maxGpuCount\": null, \"maxGpuCountSecureCloud\": null, \"lowestPrice\": null"),
        load_graphql_entry("\"lowestPrice\": {\"uninterruptablePrice\": 0.44}"),
    };

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        const struct podsku_gpu_type *type = type_of(shapes[i], "NVIDIA A40");
        assert_null(type->name);
        assert_string_equal(podsku_gpu_name(type), "NVIDIA A40");
        assert_null(type->manufacturer_word);
        assert_int_equal(type->manufacturer, PODSKU_NVIDIA);
        assert_null(type->pool);
        assert_int_equal(type->memory_gb, 0);
        assert_int_equal(podsku_gpu_memory_gb(type), 48);
        assert_true(type->serverless_uusd == 0);
        assert_int_equal(type->view_count, 0);
        for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
            assert_int_equal(type->offered[cloud], PODSKU_UNKNOWN);
            assert_int_equal(type->max_gpus[cloud], PODSKU_COUNT_UNKNOWN);
            assert_true(type->price_uusd[cloud] == 0);
        }
        podsku_catalog_free(shapes[i]);
    }
}

static void unknown_members_and_empty_lists(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_v2_entry("\"liquidCooled\": true, \"memory\": 48, \"extra\": {\"a\": [1]}");

    assert_int_equal(type_of(catalog, "NVIDIA A40")->memory_gb, 48);
    podsku_catalog_free(catalog);
    static const char *const empty[] = {
        "[]", "{\"gpus\": []}", "{\"data\": {\"gpuTypes\": []}, \"errors\": []}",
        "{\"gpus\": [], \"nextCursor\": null, \"cursor\": \"\", \"hasMore\": false, \"pagination\": {\"next\": 0}}",
        /* A cursor beside a word that this is all names the page itself; a total that is reached is no more. */
        "{\"gpus\": [], \"cursor\": \"x\", \"hasMore\": false, \"total\": 0, \"totalPages\": 1}",
        "{\"gpus\": [], \"pageInfo\": {\"endCursor\": \"x\", \"nextCursor\": null}, \"links\": {\"next\": null}}",
        "{\"podsku_recording\": 1, \"body\": []}", "{\"gpus\": [{\"id\": \"unknown\"}]}"};
    for (size_t i = 0; i < COUNT_OF(empty); i++) {
        catalog = load_text(empty[i]);
        assert_int_equal(catalog->type_count, 0);
        assert_null(podsku_catalog_find(catalog, "NVIDIA A40"));
        podsku_catalog_free(catalog);
    }
    catalog =
        load_text("[{\"id\": \"A\", \"memory\": 24, \"price\": {\"secure\": 1}}]"); /* v2 entries in a bare array */
    assert_false(catalog->graphql);
    assert_int_equal(type_of(catalog, "A")->memory_gb, 24);
    podsku_catalog_free(catalog);
}

static void manufacturers(void **state)
{
    static const struct {
        const char *entry;
        enum podsku_manufacturer manufacturer;
    } rows[] = {
        {"{\"id\": \"NVIDIA X\"}", PODSKU_NVIDIA},
        {"{\"id\": \"Tesla X\"}", PODSKU_NVIDIA},
        {"{\"id\": \"AMD X\"}", PODSKU_AMD},
        {"{\"id\": \"AMD\"}", PODSKU_AMD},
        {"{\"id\": \"AMDX 1\"}", PODSKU_MANUFACTURER_UNKNOWN},
        {"{\"id\": \"X\"}", PODSKU_MANUFACTURER_UNKNOWN},
        {"{\"id\": \"X\", \"manufacturer\": \"Nvidia\"}", PODSKU_NVIDIA},
        {"{\"id\": \"X\", \"manufacturer\": \"amd\"}", PODSKU_AMD},
        {"{\"id\": \"NVIDIA X\", \"manufacturer\": \"UNKNOWN\"}", PODSKU_NVIDIA},
        {"{\"id\": \"NVIDIA X\", \"manufacturer\": \"AMD\"}", PODSKU_AMD},
        {"{\"id\": \"NVIDIA X\", \"manufacturer\": \"Tensara\"}", PODSKU_OTHER_MANUFACTURER},
    };
    char text[256];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        (void)snprintf(text, sizeof text, "{\"gpus\": [%s]}", rows[i].entry);
        struct podsku_catalog *catalog = load_text(text);
        assert_int_equal(catalog->types[0].manufacturer, rows[i].manufacturer);
        podsku_catalog_free(catalog);
    }
}

static void prices_round_half_to_even(void **state)
{
    static const struct {
        const char *price;
        int64_t uusd;
    } rows[] = {
        {"2.49", 2490000}, {"3", 3000000},   {"0", 0},         {"-0.0", 0},    {"0.4399999976158142", 440000},
        {"0.0000005", 0},  {"0.0000015", 2}, {"0.0000025", 2}, {"1e-3", 1000}, {"1000000", 1000000000000},
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        (void)snprintf(text, sizeof text, "\"price\": {\"secure\": %s}", rows[i].price);
        struct podsku_catalog *catalog = load_v2_entry(text);
        if (type_of(catalog, "NVIDIA A40")->price_uusd[PODSKU_SECURE] != rows[i].uusd)
            fail_msg("%s", rows[i].price);
        podsku_catalog_free(catalog);
    }
}

/* decode, encode, decode: the same model, with the query that the stock belongs to. */
static void encoding_gives_the_model_back(void **state)
{
    static const char *const names[] = {"catalogue-v2",           "catalogue-graphql",           "catalogue-bare",
                                        "catalogue-recording-v2", "catalogue-recording-graphql", "catalogue-lies"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct podsku_catalog *catalog = load_fixture(names[i]);
        json_t *body = podsku_catalog_encode(catalog);
        struct podsku_buf text = {0};
        podsku_json_write(&text, body, false);
        struct podsku_catalog *again = load_text_for(podsku_buf_text(&text), &catalog->reads[0]);
        json_t *body_again = podsku_catalog_encode(again);
        assert_true(json_equal(body, body_again));
        assert_int_equal(again->reads[0].has_cloud, catalog->reads[0].has_cloud);
        assert_int_equal(again->reads[0].count, catalog->reads[0].count);
        for (size_t k = 0; k < catalog->type_count; k++) {
            assert_int_equal(again->types[k].manufacturer, catalog->types[k].manufacturer);
            assert_int_equal(again->types[k].view_count, catalog->types[k].view_count);
        }
        json_decref(body);
        json_decref(body_again);
        podsku_buf_free(&text);
        podsku_catalog_free(again);
        podsku_catalog_free(catalog);
    }
}

/* Stock is encoded only when there is one read that it could belong to. */
static void merged_stock_is_not_encoded(void **state)
{
    struct podsku_error err = {0};

    (void)state;
    struct podsku_catalog *catalog = load_fixture("catalogue-v2");
    assert_int_equal(podsku_catalog_merge(catalog, load_fixture("catalogue-recording-v2"), &err), PODSKU_OK);
    json_t *body = podsku_catalog_encode(catalog);
    const json_t *entry = json_array_get(json_object_get(body, "gpus"), 0);
    assert_non_null(json_object_get(entry, "memory"));
    assert_null(json_object_get(entry, "availability"));
    json_decref(body);
    podsku_catalog_free(catalog);
}

/* Finding and duplicates go by a hash: many types, ids that differ in one byte only. */
static void many_types(void **state)
{
    enum { COUNT = 5000 };
    struct podsku_buf text = {0};

    (void)state;
    podsku_buf_puts(&text, "{\"gpus\": [");
    for (int i = 0; i < COUNT; i++)
        podsku_buf_printf(&text, "%s{\"id\": \"GPU %d\", \"memory\": %d}", i ? "," : "", i, i + 1);
    podsku_buf_puts(&text, "]}");
    struct podsku_catalog *catalog = load_text(podsku_buf_text(&text));
    assert_int_equal(catalog->type_count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        char id[32];
        (void)snprintf(id, sizeof id, "GPU %d", i);
        assert_int_equal(type_of(catalog, id)->memory_gb, i + 1);
    }
    assert_null(podsku_catalog_find(catalog, "GPU 5000"));
    assert_null(podsku_catalog_find(catalog, "GPU  1"));
    podsku_catalog_free(catalog);
    podsku_buf_free(&text);
}

/* Who reads live has followed the pages; the members of the first may still be there. */
static void live_pages(void **state)
{
    static const struct podsku_catalog_query query = {.has_cloud = true, .count = 1};

    (void)state;
    struct podsku_catalog *catalog = load_text_for("{\"gpus\": [{\"id\": \"A\"}], \"nextPageToken\": \"x\"}", &query);
    assert_int_equal(catalog->type_count, 1);
    podsku_catalog_free(catalog);
}

/* A live read says itself where it came from and what it was for. */
static void live_reads(void **state)
{
    static const char body[] = "{\"gpus\": [{\"id\": \"A\", \"availability\": \"LOW\"}]}";
    static const char graphql[] = "[{\"id\": \"A\", \"lowestPrice\": {\"stockStatus\": \"High\"}}]";
    struct podsku_catalog_query query = {.product = PODSKU_PRODUCT_POD,
                                         .has_cloud = true,
                                         .cloud = PODSKU_COMMUNITY,
                                         .count = 4,
                                         .min_cuda = "12.8",
                                         .countries = "US,CA"};
    struct podsku_error err = {0};
    struct podsku_catalog *catalog;

    (void)state;
    assert_int_equal(podsku_catalog_load(body, strlen(body), "https://api.example/v2/catalog/gpus",
                                         podsku_facts_builtin(), &query, PODSKU_ANSWER, &catalog, &err),
                     PODSKU_OK);
    assert_int_equal(catalog->source, PODSKU_SOURCE_LIVE);
    assert_string_equal(catalog->url, "https://api.example/v2/catalog/gpus");
    assert_null(catalog->path);
    assert_int_equal(catalog->reads[0].cloud, PODSKU_COMMUNITY);
    assert_int_equal(catalog->reads[0].count, 4);
    assert_string_equal(catalog->reads[0].min_cuda, "12.8");
    assert_ptr_not_equal(catalog->reads[0].min_cuda, query.min_cuda);
    assert_string_equal(catalog->reads[0].countries, "US,CA");
    podsku_catalog_free(catalog);
    assert_int_equal(podsku_catalog_load(graphql, strlen(graphql), "https://api.example/graphql",
                                         podsku_facts_builtin(), &query, PODSKU_ANSWER, &catalog, &err),
                     PODSKU_OK);
    assert_int_equal(catalog->source, PODSKU_SOURCE_GRAPHQL);
    assert_int_equal(podsku_catalog_stock(catalog, type_of(catalog, "A"), PODSKU_COMMUNITY, 4, NULL, NULL),
                     PODSKU_STOCK_HIGH);
    podsku_catalog_free(catalog);
    assert_int_equal(podsku_catalog_load("x", 1, "https://api.example/", podsku_facts_builtin(), NULL, PODSKU_ANSWER,
                                         &catalog, &err),
                     PODSKU_ANSWER);
    assert_string_equal(err.where, "https://api.example/:1:2");
    assert_null(catalog);
}

static void files(void **state)
{
    struct podsku_error err = {0};
    struct podsku_catalog *catalog;

    (void)state;
    assert_int_equal(podsku_catalog_load_file("/nonexistent/catalogue.json", podsku_facts_builtin(), &catalog, &err),
                     PODSKU_NO_FILE);
    assert_null(catalog);
    podsku_error_clear(&err);
    assert_int_equal(podsku_catalog_load_file("/dev/null", podsku_facts_builtin(), &catalog, &err), PODSKU_INPUT);
    assert_string_equal(err.where, "/dev/null:1:1");
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(podsku_cloud_name(PODSKU_SECURE), "SECURE");
    assert_string_equal(podsku_cloud_name(PODSKU_COMMUNITY), "COMMUNITY");
    assert_string_equal(podsku_cloud_word(PODSKU_SECURE), "secure");
    assert_string_equal(podsku_cloud_word(PODSKU_COMMUNITY), "community");
    assert_string_equal(podsku_stock_name(PODSKU_STOCK_UNKNOWN), "-");
    assert_string_equal(podsku_stock_name(PODSKU_STOCK_NONE), "NONE");
    assert_string_equal(podsku_stock_name((enum podsku_stock)77), "-");
    assert_string_equal(podsku_source_name(PODSKU_SOURCE_LIVE), "live");
    assert_string_equal(podsku_source_name(PODSKU_SOURCE_GRAPHQL), "graphql");
    assert_string_equal(podsku_source_name(PODSKU_SOURCE_FILE), "file");
    assert_string_equal(podsku_source_name((enum podsku_source)77), "file");
    podsku_catalog_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_shapes_are_one_model),
        cmocka_unit_test(v2_members),
        cmocka_unit_test(missing_members_are_unknown),
        cmocka_unit_test(unknown_members_and_empty_lists),
        cmocka_unit_test(manufacturers),
        cmocka_unit_test(prices_round_half_to_even),
        cmocka_unit_test(encoding_gives_the_model_back),
        cmocka_unit_test(merged_stock_is_not_encoded),
        cmocka_unit_test(many_types),
        cmocka_unit_test(live_pages),
        cmocka_unit_test(live_reads),
        cmocka_unit_test(files),
        cmocka_unit_test(names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
