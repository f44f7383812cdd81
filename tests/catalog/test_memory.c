/*
 * Every allocation fails once: each call either succeeds or says that there is no memory, leaves
 * nothing behind (the sanitizers look) and never crashes.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "catalog/check.h"

/* The linker sends the libraries' calls here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);

static long allocations_left = -1; /* -1: any number */

static bool allowed(void)
{
    if (allocations_left < 0)
        return true;
    if (allocations_left == 0)
        return false;
    allocations_left--;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return allowed() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return allowed() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
    return allowed() ? __real_realloc(memory, size) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return allowed() ? __real_strdup(text) : NULL;
}

/* Fails the n-th allocation of `run` for all n until it succeeds; it reports whether it did. */
static void exhaust(bool (*run)(void))
{
    enum { MOST = 100000 };
    long n = 0;

    json_set_alloc_funcs(__wrap_malloc, free);
    for (bool done = false; !done; n++) {
        assert_true(n < MOST);
        allocations_left = n;
        done = run();
        allocations_left = -1;
    }
    json_set_alloc_funcs(malloc, free);
    assert_true(n > 1);
}

/* jansson reports some failed allocations as a fault of the text that it was reading. */
static bool is_memory(enum podsku_code code, const struct podsku_error *err)
{
    bool is_jansson = strncmp(err->message, "not valid JSON", 14) == 0;

    if (code != PODSKU_OK && code != PODSKU_NO_MEMORY && !is_jansson) {
        allocations_left = -1;
        fail_msg("%s", podsku_code_name(code));
    }
    return code == PODSKU_OK;
}

static struct podsku_buf input;

static bool run_load(void)
{
    struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    enum podsku_code code = podsku_catalog_load(input.data, input.len, "https://api.example/", podsku_facts_builtin(),
                                                NULL, PODSKU_INPUT, &catalog, &err);
    podsku_catalog_free(catalog);
    return is_memory(code, &err);
}

static void loading(void **state)
{
    static const char *const paths[] = {"catalogue-lies/catalogue.json", "catalogue-recording-v2/catalogue.json",
                                        "catalogue-bare/catalogue.json"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        read_fixture(paths[i], &input);
        exhaust(run_load);
    }
    podsku_buf_reset(&input);
    podsku_buf_puts(&input, "{\"podsku_recording\":1,\"query\":{\"min_cuda\":\"12.8\",\"countries\":[\"US\",\"CA\"]},"
                            "\"url\":\"https://api.example\",\"body\":{\"gpus\":[{\"id\":\"X MIG 1g.5gb\"}]}}");
    exhaust(run_load);
    podsku_buf_free(&input);
}

static bool run_load_file(void)
{
    struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    enum podsku_code code = podsku_catalog_load_file(PODSKU_FIXTURES "/catalogue-bare/catalogue.json",
                                                     podsku_facts_builtin(), &catalog, &err);
    podsku_catalog_free(catalog);
    return is_memory(code, &err);
}

static bool run_bundled(void)
{
    struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    enum podsku_code code = podsku_catalog_bundled(podsku_facts_builtin(), &catalog, &err);
    if (code == PODSKU_OK)
        code = podsku_catalog_hash(catalog, &err);
    podsku_catalog_free(catalog);
    return is_memory(code, &err);
}

static void files_and_bundled(void **state)
{
    (void)state;
    exhaust(run_load_file);
    exhaust(run_bundled);
}

static bool run_facts(void)
{
    static const char text[] =
        "[{\"id\": \"AAA\", \"form_factor\": \"SXM\", \"notes\": \"x\"}, {\"id\": \"NVIDIA H200\"}]";
    const struct podsku_facts_set *set;
    struct podsku_error err = {0};

    enum podsku_code code = podsku_facts_load(text, strlen(text), "facts", &set, &err);
    podsku_facts_free(set);
    return is_memory(code, &err);
}

static void facts(void **state)
{
    (void)state;
    exhaust(run_facts);
}

static bool run_recording(void)
{
    struct podsku_catalog_query query = {.has_cloud = true, .count = 1, .min_cuda = "12.8", .countries = "US,CA"};
    struct podsku_buf out = {0};
    struct podsku_error err = {0};

    enum podsku_code code = podsku_recording_write(&out, "[]", 2, PODSKU_SOURCE_LIVE, "url", &query, 1, &err);
    podsku_buf_free(&out);
    return is_memory(code, &err);
}

static void recording(void **state)
{
    (void)state;
    exhaust(run_recording);
}

static bool run_check(void)
{
    struct podsku_findings findings;
    struct podsku_error err = {0};

    enum podsku_code code =
        podsku_catalog_check(input.data, input.len, "file", podsku_facts_builtin(), &findings, &err);
    podsku_findings_free(&findings);
    return is_memory(code, &err);
}

static void check(void **state)
{
    (void)state;
    read_fixture("catalogue-lies/catalogue.json", &input);
    exhaust(run_check);
    read_fixture("catalogue-recording-graphql/catalogue.json", &input);
    exhaust(run_check);
    podsku_buf_free(&input);
}

static struct podsku_catalog *left, *right;

static bool run_diff(void)
{
    struct podsku_diff diff;
    struct podsku_error err = {0};

    enum podsku_code code = podsku_catalog_diff(left, right, &diff, &err);
    podsku_diff_free(&diff);
    return is_memory(code, &err);
}

static bool run_encode(void)
{
    json_t *body = podsku_catalog_encode(left);
    bool made = body != NULL;

    json_decref(body);
    return made;
}

static void diff_and_encode(void **state)
{
    (void)state;
    left = load_fixture("catalogue-v2");
    right = load_fixture("catalogue-lies");
    exhaust(run_diff);
    exhaust(run_encode);
    podsku_catalog_free(left);
    podsku_catalog_free(right);
}

/* A merge that fails has taken the other catalogue all the same. */
static bool run_merge(void)
{
    long left_over = allocations_left;
    struct podsku_error err = {0};

    allocations_left = -1;
    struct podsku_catalog *catalog = load_text("{\"gpus\": [{\"id\": \"A\", \"availability\": \"LOW\"}]}");
    struct podsku_catalog *other = load_fixture("catalogue-v2");
    allocations_left = left_over;
    enum podsku_code code = podsku_catalog_merge(catalog, other, &err);
    podsku_catalog_free(catalog);
    return is_memory(code, &err);
}

static bool run_merge_many(void)
{
    long left_over = allocations_left;
    struct podsku_error err = {0};

    allocations_left = -1;
    struct podsku_catalog *catalog = load_text("[{\"id\": \"A\"}]");
    struct podsku_catalog *other = load_text(input.data);
    allocations_left = left_over;
    enum podsku_code code = podsku_catalog_merge(catalog, other, &err);
    podsku_catalog_free(catalog);
    return is_memory(code, &err);
}

static void merge(void **state)
{
    (void)state;
    exhaust(run_merge);
    podsku_buf_puts(&input, "[");
    for (int i = 0; i < 300; i++)
        podsku_buf_printf(&input, "%s{\"id\": \"GPU %d\", \"lowestPrice\": {\"stockStatus\": \"Low\"}}", i ? "," : "",
                          i);
    podsku_buf_puts(&input, "]");
    exhaust(run_merge_many);
    podsku_buf_free(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading), cmocka_unit_test(files_and_bundled),
        cmocka_unit_test(facts),   cmocka_unit_test(recording),
        cmocka_unit_test(check),   cmocka_unit_test(diff_and_encode),
        cmocka_unit_test(merge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
