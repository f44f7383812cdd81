/* Recordings: written around the bytes as received, read back with query, time and hash. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"

static const int64_t AT_MS = INT64_C(1796105523000); /* 2026-12-01T06:12:03Z */

/* Bodies with blanks and spellings that a JSON writer would change. */
static const char *const bodies[] = {
    "{\"gpus\": [{\"id\": \"A\", \"memory\": 48.0, \"availability\": \"LOW\"}]}",
    "\n  {\"gpus\" :[ ] }\n\n",
    "[{\"id\":\"A\\u0020B \\\"body\\\": }{][\",\"lowestPrice\":{\"stockStatus\":\"High\"}}]",
    "{\"data\":{\"gpuTypes\":[{\"id\":\"A\\\\\"}]}}\r\n",
};

static void written_and_read(void **state)
{
    struct podsku_catalog_query query = {.product = PODSKU_PRODUCT_CLUSTER,
                                         .has_cloud = true,
                                         .cloud = PODSKU_COMMUNITY,
                                         .count = 8,
                                         .min_cuda = "12.8",
                                         .countries = "US,CA"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bodies); i++) {
        struct podsku_buf out = {0};
        struct podsku_error err = {0};
        char sha256[PODSKU_SHA256_TEXT_SIZE];
        assert_int_equal(podsku_recording_write(&out, bodies[i], strlen(bodies[i]), PODSKU_SOURCE_LIVE,
                                                "https://api.example/v2/catalog/gpus", &query, AT_MS, &err),
                         PODSKU_OK);
        assert_non_null(strstr(out.data, bodies[i])); /* byte for byte */
        struct podsku_catalog *catalog = load_text(out.data);
        assert_true(catalog->recorded_ms == AT_MS);
        assert_string_equal(catalog->url, "https://api.example/v2/catalog/gpus");
        assert_int_equal(catalog->reads[0].product, PODSKU_PRODUCT_CLUSTER);
        assert_true(catalog->reads[0].has_cloud);
        assert_int_equal(catalog->reads[0].cloud, PODSKU_COMMUNITY);
        assert_int_equal(catalog->reads[0].count, 8);
        assert_string_equal(catalog->reads[0].min_cuda, "12.8");
        assert_string_equal(catalog->reads[0].countries, "US,CA");
        assert_int_equal(podsku_sha256(bodies[i], strlen(bodies[i]), sha256, &err), PODSKU_OK);
        assert_int_equal(podsku_catalog_hash(catalog, &err), PODSKU_OK);
        assert_string_equal(catalog->sha256, sha256);
        podsku_catalog_free(catalog);
        podsku_buf_free(&out);
    }
}

static void schema(void **state)
{
    struct podsku_catalog_query query = {.product = PODSKU_PRODUCT_POD, .has_cloud = false, .count = 1};
    struct podsku_buf out = {0};
    struct podsku_error err = {0};

    (void)state;
    podsku_buf_puts(&out, "");
    assert_int_equal(podsku_recording_write(&out, "[]", 2, PODSKU_SOURCE_GRAPHQL, NULL, &query, AT_MS, &err),
                     PODSKU_OK);
    assert_string_equal(
        out.data,
        "{\"podsku_recording\":1,\"recorded_at\":\"2026-12-01T06:12:03Z\",\"source\":\"graphql\",\"url\":null,"
        "\"query\":{\"product\":\"POD\",\"cloud\":null,\"count\":1,\"min_cuda\":null,\"countries\":[]},"
        "\"sha256\":\"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945\",\"body\":[]}\n");
    podsku_buf_reset(&out);
    assert_int_equal(podsku_recording_write(&out, "[]", 2, PODSKU_SOURCE_LIVE, "u", NULL, 0, &err), PODSKU_OK);
    assert_non_null(strstr(out.data, "\"recorded_at\":null,\"source\":\"v2\",\"url\":\"u\",\"query\":null,"));
    podsku_buf_free(&out);
}

static void no_json_is_not_recorded(void **state)
{
    struct podsku_buf out = {0};
    struct podsku_error err = {0};

    (void)state;
    assert_int_equal(
        podsku_recording_write(&out, "{\"gpus\": [", 10, PODSKU_SOURCE_LIVE, "https://api.example/", NULL, AT_MS, &err),
        PODSKU_ANSWER);
    assert_string_equal(err.where, "https://api.example/:1:11");
    assert_int_equal(out.len, 0);
    podsku_buf_free(&out);
    podsku_error_clear(&err);
    out.max = 64; /* too small for the envelope, then for the body */
    assert_int_equal(podsku_recording_write(&out, "[]", 2, PODSKU_SOURCE_LIVE, NULL, NULL, AT_MS, &err),
                     PODSKU_NO_MEMORY);
    podsku_buf_free(&out);
    podsku_error_clear(&err);
    out.max = 200;
    assert_int_equal(podsku_recording_write(&out, "[                                        ]", 42, PODSKU_SOURCE_LIVE,
                                            NULL, NULL, AT_MS, &err),
                     PODSKU_NO_MEMORY);
    podsku_buf_free(&out);
}

/* What a recording does not say is as in a raw body; a word that is not known makes its stock unknown. */
static void queries(void **state)
{
    static const struct {
        const char *query, *body;
        bool has_cloud;
        enum podsku_cloud cloud;
        int count;
        enum podsku_product product;
    } rows[] = {
        {"null", "{\"gpus\":[]}", true, PODSKU_SECURE, 1, PODSKU_PRODUCT_POD},
        {"null", "[]", false, PODSKU_SECURE, 1, PODSKU_PRODUCT_POD},
        {"{}", "{\"gpus\":[]}", true, PODSKU_SECURE, 1, PODSKU_PRODUCT_POD},
        {"{}", "[]", false, PODSKU_SECURE, 1, PODSKU_PRODUCT_POD},
        {"{\"cloud\":null,\"count\":null,\"product\":null}", "{\"gpus\":[]}", true, PODSKU_SECURE, 1,
         PODSKU_PRODUCT_POD},
        {"{\"cloud\":\"SECURE\",\"count\":2}", "[]", true, PODSKU_SECURE, 2, PODSKU_PRODUCT_POD},
        {"{\"cloud\":\"community\",\"product\":\"serverless\"}", "[]", true, PODSKU_COMMUNITY, 1,
         PODSKU_PRODUCT_SERVERLESS},
        {"{\"cloud\":\"MOON\",\"count\":8}", "{\"gpus\":[]}", false, PODSKU_SECURE, 8, PODSKU_PRODUCT_POD},
        {"{\"product\":\"BATCH\"}", "{\"gpus\":[]}", false, PODSKU_SECURE, 1, PODSKU_PRODUCT_POD},
    };
    char text[256];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        (void)snprintf(text, sizeof text, "{\"podsku_recording\":1,\"query\":%s,\"body\":%s}", rows[i].query,
                       rows[i].body);
        struct podsku_catalog *catalog = load_text(text);
        const struct podsku_catalog_query *read = &catalog->reads[0];
        if (read->has_cloud != rows[i].has_cloud || read->cloud != rows[i].cloud || read->count != rows[i].count ||
            read->product != rows[i].product)
            fail_msg("%s", text);
        assert_null(read->min_cuda);
        assert_null(read->countries);
        podsku_catalog_free(catalog);
    }
}

static void countries(void **state)
{
    (void)state;
    struct podsku_catalog *catalog =
        load_text("{\"podsku_recording\":1,\"query\":{\"countries\":\"US,SE\"},\"body\":[]}");
    assert_string_equal(catalog->reads[0].countries, "US,SE");
    podsku_catalog_free(catalog);
    catalog = load_text("{\"podsku_recording\":1,\"query\":{\"countries\":[]},\"body\":[]}");
    assert_null(catalog->reads[0].countries);
    podsku_catalog_free(catalog);
}

/* The recording's own query stands, whatever the caller thinks. */
static void recording_knows_better(void **state)
{
    struct podsku_catalog_query query = {.has_cloud = true, .cloud = PODSKU_COMMUNITY, .count = 4};

    (void)state;
    struct podsku_catalog *catalog = load_text_for(
        "{\"podsku_recording\":1,\"query\":{\"cloud\":\"SECURE\",\"count\":8},\"body\":{\"gpus\":[]}}", &query);
    assert_int_equal(catalog->reads[0].cloud, PODSKU_SECURE);
    assert_int_equal(catalog->reads[0].count, 8);
    podsku_catalog_free(catalog);
}

/* A recording whose body is not what its hash says; what has no hash cannot be. */
static void altered(void **state)
{
    static const char *const rows[] = {"{\"gpus\": []}", "{\"podsku_recording\":1,\"body\":{\"gpus\": []}}",
                                       "{\"podsku_recording\":1,\"sha256\":\"%s\",\"body\":{\"gpus\": []}}",
                                       "{\"podsku_recording\":1,\"sha256\":\"%s\",\"body\":{\"gpus\": [ ]}}"};
    struct podsku_error err = {0};
    char sha256[PODSKU_SHA256_TEXT_SIZE];

    (void)state;
    assert_int_equal(podsku_sha256("{\"gpus\": []}", 12, sha256, &err), PODSKU_OK);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *mark = strstr(rows[i], "%s");
        struct podsku_buf text = {0};
        bool is_altered = i < 3;
        if (mark)
            podsku_buf_printf(&text, "%.*s%s%s", (int)(mark - rows[i]), rows[i], sha256, mark + 2);
        struct podsku_catalog *catalog = load_text(mark ? podsku_buf_text(&text) : rows[i]);
        assert_int_equal(podsku_catalog_is_altered(catalog, &is_altered, &err), PODSKU_OK);
        assert_int_equal(is_altered, i == 3);
        podsku_catalog_free(catalog);
        podsku_buf_free(&text);
    }
    struct podsku_catalog *catalog = load_fixture("catalogue-recording-v2");
    bool is_altered = true;
    assert_int_equal(podsku_catalog_is_altered(catalog, &is_altered, &err), PODSKU_OK);
    assert_false(is_altered);
    podsku_catalog_free(catalog);
}

/* Raw bodies hash whole; of a recording that was written anew, the body as it is now. */
static void hashes(void **state)
{
    static const char body[] = "{\"gpus\": [ ]}";
    struct podsku_error err = {0};
    char raw[PODSKU_SHA256_TEXT_SIZE];
    char text[256];

    (void)state;
    assert_int_equal(podsku_sha256(body, strlen(body), raw, &err), PODSKU_OK);
    struct podsku_catalog *catalog = load_text(body);
    assert_string_equal(catalog->sha256, "");
    assert_int_equal(podsku_catalog_hash(catalog, &err), PODSKU_OK);
    assert_string_equal(catalog->sha256, raw);
    podsku_catalog_free(catalog);
    (void)snprintf(text, sizeof text,
                   " { \"body\" : %s , \"podsku_recording\":1,"
                   "\"sha256\":\"ABCDEF0000000000000000000000000000000000000000000000000000000000\"}",
                   body);
    catalog = load_text(text);
    assert_int_equal(podsku_catalog_hash(catalog, &err), PODSKU_OK);
    assert_string_equal(catalog->sha256, raw);
    podsku_catalog_free(catalog);
    /* A key that is spelt with an escape is not found: the whole file is what was read. */
    static const char escaped[] = "{\"podsku_recording\":1,\"bod\\u0079\":[]}";
    catalog = load_text(escaped);
    assert_int_equal(podsku_sha256(escaped, strlen(escaped), raw, &err), PODSKU_OK);
    assert_int_equal(podsku_catalog_hash(catalog, &err), PODSKU_OK);
    assert_string_equal(catalog->sha256, raw);
    podsku_catalog_free(catalog);
}

static void fixtures(void **state)
{
    struct podsku_error err = {0};
    struct podsku_buf bytes = {0};
    char sha256[PODSKU_SHA256_TEXT_SIZE];
    char text[PODSKU_TIME_TEXT_SIZE];

    (void)state;
    read_fixture("catalogue-v2/catalogue.json", &bytes);
    assert_int_equal(podsku_sha256(bytes.data, bytes.len, sha256, &err), PODSKU_OK);
    struct podsku_catalog *catalog = load_fixture("catalogue-recording-v2");
    assert_int_equal(podsku_catalog_hash(catalog, &err), PODSKU_OK);
    assert_string_equal(catalog->sha256, sha256);
    assert_string_equal(podsku_time_text(catalog->recorded_ms, text), "2026-12-01T06:12:03Z");
    assert_int_equal(catalog->reads[0].count, 8);
    assert_int_equal(catalog->source, PODSKU_SOURCE_FILE);
    podsku_catalog_free(catalog);
    podsku_buf_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(schema),
        cmocka_unit_test(no_json_is_not_recorded),
        cmocka_unit_test(altered),
        cmocka_unit_test(queries),
        cmocka_unit_test(countries),
        cmocka_unit_test(recording_knows_better),
        cmocka_unit_test(hashes),
        cmocka_unit_test(fixtures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
