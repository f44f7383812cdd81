/* The compiled-in catalogue of August 2026. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/json.h"

static struct podsku_catalog *bundled(void)
{
    struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    assert_int_equal(podsku_catalog_bundled(podsku_facts_builtin(), &catalog, &err), PODSKU_OK);
    return catalog;
}

static void has_all_types(void **state)
{
    char text[PODSKU_TIME_TEXT_SIZE];

    (void)state;
    struct podsku_catalog *catalog = bundled();
    assert_int_equal(catalog->source, PODSKU_SOURCE_BUNDLED);
    assert_string_equal(podsku_source_name(catalog->source), "bundled");
    assert_string_equal(podsku_time_text(catalog->recorded_ms, text), "2026-08-27T00:00:00Z");
    assert_int_equal(catalog->entries, 48);
    assert_int_equal(catalog->type_count, 47);
    assert_int_equal(catalog->read_count, 1);
    assert_false(catalog->reads[0].has_cloud);
    assert_null(podsku_catalog_find(catalog, "unknown"));
    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &catalog->types[i];
        assert_non_null(type->facts);
        assert_string_equal(type->facts->id, type->id);
        assert_int_equal(type->memory_gb, type->facts->memory_gb);
        assert_ptr_equal(podsku_catalog_find(catalog, type->id), type);
        assert_int_equal(type->view_count, 0);
        if (i > 0)
            assert_true(strcmp(catalog->types[i - 1].id, type->id) < 0);
    }
    podsku_catalog_free(catalog);
}

static void has_the_list_prices(void **state)
{
    static const struct {
        const char *id, *name;
        int64_t secure, community, serverless;
        int max_secure, max_community;
    } rows[] = {
        {"NVIDIA A100-SXM4-80GB", "A100 SXM", 1590000, 1390000, 2720000, 8, 8},
        {"NVIDIA H100 80GB HBM3", "H100 SXM", 3290000, 2690000, 4790000, 8, 1},
        {"NVIDIA H200", "H200 SXM", 4590000, 3590000, 5930000, 8, 8},
        {"NVIDIA B200", "B200", 6790000, 5980000, 8640000, 8, 0},
        {"NVIDIA B300 SXM6 AC", "B300", 7890000, 6940000, 10650000, 8, 0},
        {"NVIDIA RTX A5000", "RTX A5000", 270000, 160000, 690000, 10, 10},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", "PRO 6000 MIG 24GB", 590000, 500000, 690000, 32,
         0},
        {"NVIDIA GeForce RTX 3070", "RTX 3070", 0, 130000, 0, 0, 8},
        {"AMD Instinct MI300X OAM", "MI300X", 2390000, 500000, 0, 8, 0},
    };

    (void)state;
    struct podsku_catalog *catalog = bundled();
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct podsku_gpu_type *type = type_of(catalog, rows[i].id);
        assert_string_equal(type->name, rows[i].name);
        assert_true(type->price_uusd[PODSKU_SECURE] == rows[i].secure);
        assert_true(type->price_uusd[PODSKU_COMMUNITY] == rows[i].community);
        assert_true(type->serverless_uusd == rows[i].serverless);
        assert_int_equal(type->max_gpus[PODSKU_SECURE], rows[i].max_secure);
        assert_int_equal(type->max_gpus[PODSKU_COMMUNITY], rows[i].max_community);
    }
    assert_int_equal(type_of(catalog, "NVIDIA A40")->offered[PODSKU_COMMUNITY], PODSKU_NO);
    assert_int_equal(type_of(catalog, "NVIDIA A40")->max_gpus[PODSKU_COMMUNITY], 1);
    assert_int_equal(type_of(catalog, "Tesla V100-SXM2-16GB")->manufacturer, PODSKU_NVIDIA);
    assert_int_equal(type_of(catalog, "AMD Instinct MI300X OAM")->manufacturer, PODSKU_AMD);
    assert_null(type_of(catalog, "AMD Instinct MI300X OAM")->pool);
    assert_string_equal(type_of(catalog, "NVIDIA B200")->pool, "BLACKWELL_180");
    podsku_catalog_free(catalog);
}

static void hash_is_of_the_encoding(void **state)
{
    struct podsku_error err = {0};

    (void)state;
    struct podsku_catalog *one = bundled();
    struct podsku_catalog *other = bundled();
    assert_int_equal(podsku_catalog_hash(one, &err), PODSKU_OK);
    assert_int_equal(podsku_catalog_hash(other, &err), PODSKU_OK);
    assert_int_equal(strlen(one->sha256), 64);
    assert_string_equal(one->sha256, other->sha256);
    struct podsku_buf text = {0};
    char sha256[PODSKU_SHA256_TEXT_SIZE];
    json_t *body = podsku_catalog_encode(one);
    podsku_json_write(&text, body, false);
    assert_int_equal(podsku_sha256(text.data, text.len, sha256, &err), PODSKU_OK);
    assert_string_equal(one->sha256, sha256);
    podsku_buf_free(&text);
    json_decref(body);
    assert_int_equal(podsku_catalog_hash(one, &err), PODSKU_OK); /* keeps it */
    assert_string_equal(one->sha256, other->sha256);
    podsku_catalog_free(one);
    podsku_catalog_free(other);
}

static void encodes_to_what_it_decodes(void **state)
{
    struct podsku_error err = {0};
    struct podsku_catalog *again;

    (void)state;
    struct podsku_catalog *catalog = bundled();
    json_t *body = podsku_catalog_encode(catalog);
    char *text = json_dumps(body, JSON_REAL_PRECISION(12));
    assert_non_null(text);
    assert_int_equal(
        podsku_catalog_load(text, strlen(text), "encoded", podsku_facts_builtin(), NULL, PODSKU_INPUT, &again, &err),
        PODSKU_OK);
    json_t *body_again = podsku_catalog_encode(again);
    assert_true(json_equal(body, body_again));
    assert_int_equal(again->type_count, 47);
    json_decref(body);
    json_decref(body_again);
    free(text);
    podsku_catalog_free(catalog);
    podsku_catalog_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_all_types),
        cmocka_unit_test(has_the_list_prices),
        cmocka_unit_test(hash_is_of_the_encoding),
        cmocka_unit_test(encodes_to_what_it_decodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
