/*
 * Every allocation fails once: each call says that there is no memory or comes to the full result,
 * leaves nothing behind (the sanitizers look) and can be called again.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The linker sends the libraries' calls here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t len);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t len);

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

char *__wrap_strndup(const char *text, size_t len)
{
    return allowed() ? __real_strndup(text, len) : NULL;
}

static const char *const requirements[] = {
    "{\"gpus\": [1, 2], \"memory_fraction\": \"1/7\", \"cloud\": \"any\", \"gpu\": [\"NVIDIA A30\", \"*6000*\"]}",
    "{\"gpus\": 8, \"nvlink\": \"required\", \"gpu\": [\"H100 NVL\"]}",
    "{\"gpus\": 2, \"country\": [\"US\", \"CA\"], \"region\": \"europe\", \"max_total\": 3, \"mig_parent\": \"*\"}",
    "{\"gpus\": 8, \"parallelism\": \"tensor\", \"max_price\": 1, \"min_cuda\": \"12.8\", \"exclude\": [\"A*\"]}",
    "{\"gpus\": 2, \"parallelism\": \"data\", \"min_vram\": 24, \"mig\": \"allow\"}",
};

/* Reads, encodes and decides with the n-th allocation failing; true when none failed. */
static bool run(const json_t *json, struct podsku_decision *decision, long n)
{
    struct podsku_requirement req;
    struct podsku_error err = {0};

    podsku_requirement_init(&req);
    allocations_left = n;
    enum podsku_code code = podsku_requirement_read(&req, json, "test", "$", &err);
    json_t *encoded = code == PODSKU_OK ? podsku_requirement_encode(&req) : NULL;
    if (code == PODSKU_OK && encoded)
        code = podsku_decide(bundled(), &req, PODSKU_DECIDE_FULL, false, decision, &err);
    bool ran_out = allocations_left == 0;
    allocations_left = -1;
    if (code != PODSKU_OK)
        assert_int_equal(code, PODSKU_NO_MEMORY);
    bool done = code == PODSKU_OK && encoded && !ran_out;
    if (code != PODSKU_OK || !encoded)
        assert_true(ran_out);
    json_decref(encoded);
    podsku_requirement_free(&req);
    return done;
}

static void exhaust(const char *requirement, bool keep)
{
    enum { MOST = 20000 };
    json_t *json = json_loads(requirement, 0, NULL);
    struct podsku_decision decision = {0};
    long n = 0;

    assert_non_null(json);
    for (bool done = false; !done; n++) {
        assert_true(n < MOST);
        done = run(json, &decision, n);
        if (!keep || done)
            podsku_decision_free(&decision);
    }
    assert_true(n > 5);
    json_decref(json);
}

static int use_allocators(void **state)
{
    (void)state;
    (void)bundled();
    json_set_alloc_funcs(__wrap_malloc, free);
    return 0;
}

/* With fresh memory each time, and with the memory of the failed decision before. */
static void test_decisions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof requirements / sizeof requirements[0]; i++) {
        exhaust(requirements[i], false);
        exhaust(requirements[i], true);
    }
}

/* Flags, and the hint on a pattern that matches nothing. */
static void test_flags(void **state)
{
    static const char *const gpus[] = {"A40", "H100 SMX"};
    static const char *const centers[] = {"US-KS-2,EU-RO-1"};
    bool done = false;

    (void)state;
    for (long n = 0; !done; n++) {
        struct podsku_requirement req;
        struct podsku_decision decision = {0};
        struct podsku_error err = {0};
        assert_true(n < 1000);
        podsku_requirement_init(&req);
        allocations_left = n;
        enum podsku_code code = podsku_requirement_set(&req, "gpu", gpus, 2, &err);
        if (code == PODSKU_OK)
            code = podsku_requirement_set(&req, "data-center", centers, 1, &err);
        if (code == PODSKU_OK)
            code = podsku_decide(bundled(), &req, PODSKU_DECIDE_COUNT, false, &decision, &err);
        done = allocations_left != 0;
        allocations_left = -1;
        assert_true(code == PODSKU_NO_MEMORY || code == PODSKU_USAGE);
        assert_true(err.hint[0] != '\0' || code == PODSKU_NO_MEMORY);
        podsku_decision_free(&decision);
        podsku_requirement_free(&req);
    }
}

/* More offers and longer texts than one piece of memory holds. */
static void test_growth(void **state)
{
    struct decided decided;
    char json[2048] = "{\"cloud\": \"any\", \"gpus\": [1";

    (void)state;
    for (int gpus = 2; gpus <= 24; gpus++) {
        char more[16];
        (void)snprintf(more, sizeof more, ", %d", gpus);
        strncat(json, more, sizeof json - strlen(json) - 1);
    }
    strncat(json, "], \"nvlink\": \"required\", \"min_vram\": 200, \"max_total\": 1}", sizeof json - strlen(json) - 1);
    for (int round = 0; round < 2; round++) {
        decide(&decided, bundled(), json, PODSKU_DECIDE_FULL);
        assert_int_equal(decided.decision.rejected_count, bundled()->type_count * 2 * 24);
        for (size_t i = 0; i < decided.decision.rejected_count; i++)
            assert_true(decided.decision.rejected[i].reason_count > 0);
        /* The same memory once more, with a small decision and the large one again. */
        struct podsku_error err = {0};
        assert_int_equal(podsku_decide(bundled(), &decided.req, PODSKU_DECIDE_COUNT, true, &decided.decision, &err),
                         PODSKU_OK);
        assert_int_equal(podsku_decide(bundled(), &decided.req, PODSKU_DECIDE_FULL, true, &decided.decision, &err),
                         PODSKU_OK);
        assert_int_equal(decided.decision.rejected_count, bundled()->type_count * 2 * 24);
        free_decided(&decided);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_growth),
    };

    return cmocka_run_group_tests(tests, use_allocators, NULL);
}
