/* What changed between two catalogues, and what is no change. */
#include "support.h"

#include <string.h>

#include "catalog/check.h"

static struct podsku_diff diff_of(const struct podsku_catalog *old_catalog, const struct podsku_catalog *new_catalog)
{
    struct podsku_diff diff;
    struct podsku_error err = {0};

    assert_int_equal(podsku_catalog_diff(old_catalog, new_catalog, &diff, &err), PODSKU_OK);
    return diff;
}

/* "FIELD OLD NEW" of the one change there is, as JSON. */
static void check_change(const struct podsku_change *change, const char *field, const char *before, const char *after)
{
    json_t *old_value = json_loads(before, JSON_DECODE_ANY, NULL);
    json_t *new_value = json_loads(after, JSON_DECODE_ANY, NULL);

    assert_string_equal(change->field, field);
    if (!json_equal(change->old_value, old_value) || !json_equal(change->new_value, new_value))
        fail_msg("%s", field);
    json_decref(old_value);
    json_decref(new_value);
}

static void every_field(void **state)
{
    static const struct {
        const char *before, *after, *field, *old_value, *new_value;
    } rows[] = {
        {"\"name\": \"A40\"", "\"name\": \"A40 new\"", "name", "\"A40\"", "\"A40 new\""},
        {"\"manufacturer\": \"NVIDIA\"", "\"manufacturer\": \"AMD\"", "manufacturer", "\"NVIDIA\"", "\"AMD\""},
        {"\"manufacturer\": \"NVIDIA\"", "", "manufacturer", "\"NVIDIA\"", "null"},
        {"\"memory\": 0", "\"memory\": 48", "vram_gb", "null", "48"},
        {"\"pool\": null", "\"pool\": \"P\"", "pool", "null", "\"P\""},
        {"\"secure\": true", "\"secure\": false", "secure", "true", "false"},
        {"", "\"community\": false", "community", "null", "false"},
        {"\"maxCount\": {\"secure\": 8}", "\"maxCount\": {\"secure\": 0}", "max_gpus.secure", "8", "0"},
        {"\"maxCount\": {\"community\": 0}", "", "max_gpus.community", "0", "null"},
        {"\"price\": {\"secure\": 0.44}", "\"price\": {\"secure\": 0.46}", "price.secure", "0.44", "0.46"},
        {"\"price\": {\"community\": 0}", "\"price\": {\"community\": 0.35}", "price.community", "null", "0.35"},
        {"\"price\": {\"serverless\": 1.22}", "", "price.serverless", "1.22", "null"},
        {"\"availability\": \"LOW\"", "\"availability\": \"NONE\"", "stock", "\"LOW\"", "\"NONE\""},
        {"\"availability\": null", "\"availability\": \"HIGH\"", "stock", "null", "\"HIGH\""},
        {"\"availability\": \"LOW\"",
         "\"availability\": \"LOW\", \"dataCenters\": [{\"id\": \"X\", \"availability\": \"LOW\"}, {\"id\": \"Y\"}]",
         "data_centers", "[]", "[{\"id\": \"X\", \"stock\": \"LOW\"}, {\"id\": \"Y\", \"stock\": null}]"},
        {"\"cudaVersions\": [{\"version\": \"12.8\", \"available\": true}, {\"version\": \"13.0\"}]",
         "\"cudaVersions\": [{\"version\": \"12.8\", \"available\": false}]", "cuda_versions",
         "[{\"version\": \"12.8\", \"available\": true}, {\"version\": \"13.0\", \"available\": null}]",
         "[{\"version\": \"12.8\", \"available\": false}]"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct podsku_catalog *old_catalog = load_v2_entry(rows[i].before);
        struct podsku_catalog *new_catalog = load_v2_entry(rows[i].after);
        struct podsku_diff diff = diff_of(old_catalog, new_catalog);
        if (diff.change_count != 1)
            fail_msg("%s -> %s: %zu changes", rows[i].before, rows[i].after, diff.change_count);
        check_change(&diff.changes[0], rows[i].field, rows[i].old_value, rows[i].new_value);
        assert_ptr_equal(diff.changes[0].old_type, type_of(old_catalog, "NVIDIA A40"));
        assert_ptr_equal(diff.changes[0].new_type, type_of(new_catalog, "NVIDIA A40"));
        podsku_diff_free(&diff);
        podsku_catalog_free(old_catalog);
        podsku_catalog_free(new_catalog);
    }
}

static void added_and_removed(void **state)
{
    (void)state;
    struct podsku_catalog *old_catalog = load_text("{\"gpus\": [{\"id\": \"A\"}, {\"id\": \"B\"}, {\"id\": \"C\"}]}");
    struct podsku_catalog *new_catalog = load_text("{\"gpus\": [{\"id\": \"D\"}, {\"id\": \"B\"}, {\"id\": \"E\"}]}");
    struct podsku_diff diff = diff_of(old_catalog, new_catalog);

    assert_int_equal(diff.added_count, 2);
    assert_string_equal(diff.added[0]->id, "D");
    assert_string_equal(diff.added[1]->id, "E");
    assert_int_equal(diff.removed_count, 2);
    assert_string_equal(diff.removed[0]->id, "A");
    assert_string_equal(diff.removed[1]->id, "C");
    assert_int_equal(diff.change_count, 0);
    podsku_diff_free(&diff);
    podsku_diff_free(NULL);
    podsku_catalog_free(old_catalog);
    podsku_catalog_free(new_catalog);
}

/* Order, spelling and shape are no changes; stock is compared for the same query only. */
static void no_changes(void **state)
{
    static const char *const pairs[][2] = {
        {"{\"gpus\": [{\"id\": \"A\"}, {\"id\": \"B\"}]}", "{\"gpus\": [{\"id\": \"B\"}, {\"id\": \"A\"}]}"},
        {"{\"gpus\": [{\"id\": \"A\", \"memory\": 48, \"price\": {\"secure\": 1}}]}",
         "{\"gpus\": [{\"id\": \"A\", \"memory\": 48.0, \"price\": {\"secure\": 1.0}, \"extra\": 1}]}"},
        {"{\"gpus\": [{\"id\": \"A\", \"manufacturer\": \"NVIDIA\", \"pool\": \"P\", \"price\": {\"serverless\": 1}}]}",
         "[{\"id\": \"A\", \"manufacturer\": \"Nvidia\"}]"},
        {"{\"gpus\": [{\"id\": \"A\", \"availability\": \"LOW\"}]}", "{\"gpus\": [{\"id\": \"A\"}]}"},
        {"{\"gpus\": [{\"id\": \"A\", \"availability\": \"LOW\"}]}",
         "{\"podsku_recording\": 1, \"query\": {\"count\": 8}, \"body\": {\"gpus\": [{\"id\": \"A\", "
         "\"availability\": \"HIGH\"}]}}"},
        {"{\"podsku_recording\": 1, \"query\": {\"min_cuda\": \"12.8\"}, \"body\": {\"gpus\": [{\"id\": \"A\", "
         "\"availability\": \"LOW\"}]}}",
         "{\"podsku_recording\": 1, \"query\": {\"countries\": [\"US\"]}, \"body\": {\"gpus\": [{\"id\": \"A\", "
         "\"availability\": \"HIGH\"}]}}"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        struct podsku_catalog *old_catalog = load_text(pairs[i][0]);
        struct podsku_catalog *new_catalog = load_text(pairs[i][1]);
        struct podsku_diff diff = diff_of(old_catalog, new_catalog);
        if (diff.change_count || diff.added_count || diff.removed_count)
            fail_msg("%s -> %s", pairs[i][0], pairs[i][1]);
        podsku_diff_free(&diff);
        podsku_catalog_free(old_catalog);
        podsku_catalog_free(new_catalog);
    }
}

static struct podsku_catalog *two_reads(const char *secure, const char *community)
{
    struct podsku_catalog_query query = {.has_cloud = true, .cloud = PODSKU_COMMUNITY, .count = 8};
    struct podsku_error err = {0};
    struct podsku_catalog *catalog = load_text(secure);

    assert_int_equal(podsku_catalog_merge(catalog, load_text_for(community, &query), &err), PODSKU_OK);
    return catalog;
}

/* With several reads each has its own stock. */
static void several_reads(void **state)
{
    (void)state;
    struct podsku_catalog *old_catalog = two_reads("{\"gpus\": [{\"id\": \"A\", \"availability\": \"LOW\"}]}",
                                                   "{\"gpus\": [{\"id\": \"A\", \"availability\": \"HIGH\"}]}");
    struct podsku_catalog *new_catalog =
        two_reads("{\"gpus\": [{\"id\": \"A\", \"availability\": \"LOW\"}, {\"id\": \"B\"}]}",
                  "{\"gpus\": [{\"id\": \"A\", \"availability\": \"NONE\"}]}");
    struct podsku_diff diff = diff_of(old_catalog, new_catalog);

    assert_int_equal(diff.change_count, 1);
    assert_int_equal(diff.added_count, 1);
    check_change(&diff.changes[0], "stock.community.8", "\"HIGH\"", "\"NONE\"");
    podsku_diff_free(&diff);
    podsku_catalog_free(old_catalog);
    podsku_catalog_free(new_catalog);
}

/* Many changes at once: the list grows. */
static void bundled_against_the_fixture(void **state)
{
    struct podsku_error err = {0};
    struct podsku_catalog *bundled;

    (void)state;
    assert_int_equal(podsku_catalog_bundled(podsku_facts_builtin(), &bundled, &err), PODSKU_OK);
    struct podsku_catalog *fixture = load_fixture("catalogue-lies");
    struct podsku_diff diff = diff_of(bundled, fixture);
    assert_int_equal(diff.added_count, 5);
    assert_int_equal(diff.removed_count, 41);
    assert_true(diff.change_count > 10);
    podsku_diff_free(&diff);
    diff = diff_of(bundled, bundled);
    assert_int_equal(diff.change_count, 0);
    podsku_diff_free(&diff);
    podsku_catalog_free(fixture);
    podsku_catalog_free(bundled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field),   cmocka_unit_test(added_and_removed),           cmocka_unit_test(no_changes),
        cmocka_unit_test(several_reads), cmocka_unit_test(bundled_against_the_fixture),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
