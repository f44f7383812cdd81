/* The linter: every code, where it points to, and that nothing is said twice. */
#include "support.h"

#include <string.h>

#include "catalog/check.h"

static struct podsku_findings check_bytes(const char *text, size_t len)
{
    struct podsku_findings findings;
    struct podsku_error err = {0};

    assert_int_equal(podsku_catalog_check(text, len, "file", podsku_facts_builtin(), &findings, &err), PODSKU_OK);
    return findings;
}

static struct podsku_findings check_text(const char *text)
{
    return check_bytes(text, strlen(text));
}

static struct podsku_findings check_fixture(const char *path)
{
    struct podsku_buf bytes = {0};

    read_fixture(path, &bytes);
    struct podsku_findings findings = check_bytes(bytes.data, bytes.len);
    podsku_buf_free(&bytes);
    return findings;
}

static size_t count_of(const struct podsku_findings *findings, const char *code, const char *path)
{
    size_t count = 0;

    for (size_t i = 0; i < findings->count; i++)
        count += strcmp(findings->list[i].code, code) == 0 && (!path || strcmp(findings->list[i].path, path) == 0);
    return count;
}

/* The lies of the August 2026 list, as the shapes have them. */
static void lies_of_the_shapes(void **state)
{
    static const struct {
        const char *code, *v2, *graphql; /* NULL: not to be seen in that shape */
    } rows[] = {
        {"stock-without-query", "$.gpus", "$.data.gpuTypes"},
        {"flag-without-count", "$.gpus[3].maxCount.community", "$.data.gpuTypes[3].maxGpuCountCommunityCloud"},
        {"price-not-offered", "$.gpus[3].price.community", "$.data.gpuTypes[3].communityPrice"},
        {"count-without-flag", "$.gpus[4].community", "$.data.gpuTypes[4].communityCloud"},
        {"placeholder-price", "$.gpus[8].price.secure", "$.data.gpuTypes[8].securePrice"},
        {"overall-count", NULL, "$.data.gpuTypes[7].maxGpuCount"},
        {"unknown-entry", "$.gpus[10].id", "$.data.gpuTypes[10].id"},
        {"id-prefix", "$.gpus[7].id", "$.data.gpuTypes[7].id"},
    };

    (void)state;
    struct podsku_findings v2 = check_fixture("catalogue-v2/catalogue.json");
    struct podsku_findings graphql = check_fixture("catalogue-graphql/catalogue.json");
    assert_int_equal(v2.errors, 0);
    assert_int_equal(graphql.errors, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(count_of(&v2, rows[i].code, rows[i].v2), rows[i].v2 ? 1 : 0);
        assert_int_equal(count_of(&graphql, rows[i].code, rows[i].graphql), rows[i].graphql ? 1 : 0);
    }
    podsku_findings_free(&v2);
    podsku_findings_free(&graphql);
}

static void every_oddity(void **state)
{
    static const struct {
        const char *code, *path;
    } rows[] = {
        {"float-for-integer", "$.gpus[0].memory"},
        {"float-for-integer", "$.gpus[0].maxCount.community"},
        {"price-unknown", "$.gpus[0].price.community"},
        {"double-blank", "$.gpus[1].id"},
        {"missing-member", "$.gpus[1].secure"},
        {"missing-member", "$.gpus[1].maxCount.secure"},
        {"missing-member", "$.gpus[1].price.community"},
        {"duplicate-name", "$.gpus[1].name"},
        {"name-moved", "$.gpus[1].name"},
        {"unknown-word", "$.gpus[2].availability"},
        {"flag-without-count", "$.gpus[2].maxCount.community"},
        {"unknown-word", "$.gpus[3].availability"},
        {"id-prefix", "$.gpus[3].id"},
        {"unknown-profile", "$.gpus[4].id"},
        {"memory-unknown", "$.gpus[5].memory"},
        {"suspect-price", "$.gpus[6].price.secure"},
        {"price-rounded", "$.gpus[7].price.secure"},
        {"placeholder-price", "$.gpus[7].price.community"},
        {"count-without-flag", "$.gpus[7].community"},
        {"duplicate-data-center", "$.gpus[7].dataCenters"},
        {"missing-member", "$.gpus[7].dataCenters[2]"},
        {"unknown-word", "$.gpus[7].cudaVersions[2]"},
        {"stock-contradiction", "$.gpus[7].availability"},
        {"no-facts", "$.gpus[8].id"},
        {"name-moved", "$.gpus[8].name"},
        {"unknown-member", "$.gpus[8].liquidCooled"},
        {"unknown-word", "$.gpus[9].manufacturer"},
        {"missing-member", "$.gpus[10].manufacturer"},
        {"unknown-entry", "$.gpus[11].id"},
    };

    (void)state;
    struct podsku_findings findings = check_fixture("catalogue-lies/catalogue.json");
    assert_int_equal(findings.errors, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (count_of(&findings, rows[i].code, rows[i].path) != 1)
            fail_msg("%s at %s: %zu times", rows[i].code, rows[i].path,
                     count_of(&findings, rows[i].code, rows[i].path));
    for (size_t i = 0; i < findings.count; i++)
        assert_int_equal(count_of(&findings, findings.list[i].code, findings.list[i].path), 1);
    podsku_findings_free(&findings);
}

static void single_oddities(void **state)
{
    static const struct {
        const char *text, *code, *path;
    } rows[] = {
        {"{\"gpus\": []}", "empty", "$.gpus"},
        {"[]", "empty", "$"},
        {"{\"gpus\": [{\"id\": \" A\"}]}", "outer-blank", "$.gpus[0].id"},
        {"{\"gpus\": [{\"id\": \"A \"}]}", "outer-blank", "$.gpus[0].id"},
        {"{\"gpus\": [{\"id\": \"NVIDIA A40\", \"memory\": 24}]}", "memory-differs", "$.gpus[0].memory"},
        {"[{\"id\": \"NVIDIA A40\", \"memoryInGb\": 0}]", "memory-unknown", "$[0].memoryInGb"},
        {"{\"gpus\": [{\"id\": \"NVIDIA A40\", \"manufacturer\": \"AMD\"}]}", "manufacturer-differs",
         "$.gpus[0].manufacturer"},
        {"{\"gpus\": [{\"id\": \"AMD X\", \"manufacturer\": \"NVIDIA\"}]}", "manufacturer-differs",
         "$.gpus[0].manufacturer"},
        {"{\"gpus\": [{\"id\": \"NVIDIA A40\", \"name\": \"A-forty\"}]}", "name-changed", "$.gpus[0].name"},
        {"{\"gpus\": [{\"id\": \"X MIG 1g.5gb\"}]}", "no-parent", "$.gpus[0].id"},
        {"{\"gpus\": [{\"id\": \"A\", \"secure\": false, \"availability\": \"LOW\"}]}", "stock-not-offered",
         "$.gpus[0].availability"},
        {"{\"podsku_recording\": 1, \"query\": {\"cloud\": \"SECURE\"}, \"body\": [{\"id\": \"A\", "
         "\"secureCloud\": false, \"lowestPrice\": {\"stockStatus\": \"Low\"}}]}",
         "stock-not-offered", "$.body[0].lowestPrice"},
        {"[{\"id\": \"A\"}, {\"id\": \"B\"}]", "missing-member", "$[*].displayName"},
        {"{\"gpus\": [{\"id\": \"A\"}, {\"id\": \"B\"}]}", "missing-member", "$.gpus[*].price.secure"},
        {"{\"podsku_recording\": 1, \"body\": []}", "source-missing", "$.source"},
        {"{\"podsku_recording\": 1, \"body\": []}", "time-missing", "$.recorded_at"},
        {"{\"podsku_recording\": 1, \"body\": []}", "query-missing", "$.query"},
        {"{\"podsku_recording\": 1, \"body\": []}", "hash-missing", "$.sha256"},
        {"{\"podsku_recording\": 1, \"source\": \"v2\", \"body\": []}", "source-differs", "$.source"},
        {"{\"podsku_recording\": 1, \"query\": {\"cloud\": \"MOON\"}, \"body\": []}", "unknown-word", "$.query.cloud"},
        {"{\"podsku_recording\": 1, \"body\": [ ], "
         "\"sha256\": \"0000000000000000000000000000000000000000000000000000000000000000\"}",
         "hash-differs", "$.sha256"},
        {"{\"podsku_recording\": 1, \"bod\\u0079\": [ ], "
         "\"sha256\": \"0000000000000000000000000000000000000000000000000000000000000000\"}",
         "hash-unchecked", "$.sha256"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct podsku_findings findings = check_text(rows[i].text);
        assert_int_equal(findings.errors, 0);
        if (count_of(&findings, rows[i].code, rows[i].path) != 1)
            fail_msg("%s: %s at %s", rows[i].text, rows[i].code, rows[i].path);
        podsku_findings_free(&findings);
    }
}

/* A catalogue without oddities has no findings. */
static void a_clean_catalogue(void **state)
{
    static const char text[] =
        "{\"gpus\": [{\"id\": \"NVIDIA A40\", \"name\": \"A40\", \"manufacturer\": \"NVIDIA\", \"memory\": 48, "
        "\"pool\": null, \"secure\": true, \"community\": false, \"price\": {\"secure\": 0.44, \"community\": 0}, "
        "\"maxCount\": {\"secure\": 10, \"community\": 0}}]}";

    (void)state;
    struct podsku_findings findings = check_text(text);
    assert_int_equal(findings.count, 0);
    podsku_findings_free(&findings);
    podsku_findings_free(NULL);
    /* So has a recording that nobody touched, but for the lies of its body. */
    findings = check_fixture("catalogue-recording-v2/catalogue.json");
    for (size_t i = 0; i < findings.count; i++)
        assert_memory_equal(findings.list[i].path, "$.body.gpus[", 12);
    podsku_findings_free(&findings);
}

/* All errors are found, not only the first, and oddities beside them. */
static void all_errors(void **state)
{
    (void)state;
    struct podsku_findings findings =
        check_text("{\"gpus\": [{\"id\": 5}, {\"id\": \"A\", \"memory\": \"x\", \"price\": 1}, 7, "
                   "{\"id\": \"A\"}, {\"id\": \"  \"}], \"nextCursor\": \"c\"}");
    assert_int_equal(findings.errors, 6);
    assert_int_equal(count_of(&findings, "paged", "$.nextCursor"), 1);
    assert_int_equal(count_of(&findings, "wrong-type", "$.gpus[0].id"), 1);
    assert_int_equal(count_of(&findings, "wrong-type", "$.gpus[1].memory"), 1);
    assert_int_equal(count_of(&findings, "memory-unknown", NULL), 0); /* the error is enough */
    assert_int_equal(count_of(&findings, "wrong-type", "$.gpus[1].price"), 1);
    assert_int_equal(count_of(&findings, "wrong-type", "$.gpus[2]"), 1);
    assert_int_equal(count_of(&findings, "duplicate-id", "$.gpus[3].id"), 1);
    assert_int_equal(count_of(&findings, "double-blank", "$.gpus[4].id"), 1);
    podsku_findings_free(&findings);
    findings = check_text("{\"gpus\": [");
    assert_int_equal(findings.errors, 1);
    assert_int_equal(count_of(&findings, "not-json", "file:1:11"), 1);
    podsku_findings_free(&findings);
}

/* More unknown members than are kept apart, more data centers than are compared: bounded work. */
static void bounds(void **state)
{
    struct podsku_buf text = {0};

    (void)state;
    podsku_buf_puts(&text, "{\"gpus\": [{\"id\": \"A\"");
    for (int i = 0; i < 100; i++)
        podsku_buf_printf(&text, ", \"new%d\": 1", i);
    podsku_buf_puts(&text, ", \"dataCenters\": [");
    for (int i = 0; i < 3000; i++)
        podsku_buf_printf(&text, "%s{\"id\": \"DC %d\"}", i ? "," : "", i % 1500);
    podsku_buf_puts(&text, "]}]}");
    struct podsku_findings findings = check_bytes(text.data, text.len);
    assert_int_equal(count_of(&findings, "unknown-member", NULL), 64);
    assert_int_equal(count_of(&findings, "duplicate-data-center", NULL), 0);
    podsku_findings_free(&findings);
    podsku_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lies_of_the_shapes), cmocka_unit_test(every_oddity), cmocka_unit_test(single_oddities),
        cmocka_unit_test(a_clean_catalogue),  cmocka_unit_test(all_errors),   cmocka_unit_test(bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
