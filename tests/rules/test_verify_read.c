/*
 * Every text of a folder is read as the .json beside it says: the project's own, and those of the
 * folder that PODSKU_TOPO_DIR names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rules/verify_support.h"

static const struct podsku_expectation nothing = {0};

static bool is_acceptable(const json_t *expected, const char *nvlink)
{
    size_t i;
    json_t *word;

    json_array_foreach(json_object_get(expected, "also_acceptable"), i, word)
    {
        if (strcmp(json_string_value(word), nvlink) == 0)
            return true;
    }
    return false;
}

/* A key of the expectation, if it is there, is what the document says. */
static int differs(const char *path, const json_t *expected, const json_t *found, const char *key)
{
    const json_t *want = json_object_get(expected, key);
    const json_t *have = json_object_get(found, key);

    if (!want || json_equal(want, have))
        return 0;
    char *want_text = json_dumps(want, JSON_ENCODE_ANY);
    char *have_text = json_dumps(have, JSON_ENCODE_ANY);
    print_error("%s: %s is %s, expected %s\n", path, key, have_text, want_text);
    free(want_text);
    free(have_text);
    return 1;
}

/* What only the project's own fixtures say, besides. */
static int check_details(const char *path, const json_t *expected, const json_t *found)
{
    const char *code = json_string_value(json_object_get(expected, "code"));
    const json_t *nccl = json_object_get(found, "nccl");
    int bad = 0;

    if (code && !has_code(found, "problems", code)) {
        print_error("%s: no problem %s\n", path, code);
        bad++;
    }
    if (json_object_get(expected, "models"))
        bad += json_integer_value(json_object_get(expected, "models")) !=
               (json_int_t)json_array_size(json_object_get(found, "models"));
    if (json_object_get(expected, "mig_devices"))
        bad += json_integer_value(json_object_get(expected, "mig_devices")) !=
               (json_int_t)json_array_size(json_object_get(found, "mig_devices"));
    if (json_object_get(expected, "nccl"))
        bad += !json_equal(json_object_get(expected, "nccl"), json_object_get(nccl, "transports"));
    if (json_object_get(expected, "slow_pairs"))
        bad += !json_equal(json_object_get(expected, "slow_pairs"), json_object_get(nccl, "slow_pairs"));
    bad += differs(path, expected, found, "driver");
    bad += differs(path, expected, found, "p2p");
    bad += differs(path, expected, found, "numa_nodes");
    if (bad)
        print_error("%s: %d details differ\n", path, bad);
    return bad;
}

static int check_text(const char *path, const char *text, size_t len, const json_t *expected)
{
    json_t *found = verify_text(text, len, &nothing, NULL);
    const char *nvlink = json_string_value(json_object_get(found, "nvlink"));
    const char *verdict = json_string_value(json_object_get(found, "verdict"));
    int bad = 0;

    if (!is_acceptable(expected, nvlink)) {
        static const char *const keys[] = {"gpus", "nvlink", "worst_link", "nv_min", "nv_max"};
        for (size_t i = 0; i < COUNT_OF(keys); i++)
            bad += differs(path, expected, found, keys[i]);
        if (!json_is_null(json_object_get(expected, "links")))
            bad += differs(path, expected, found, "links");
    }
    /* Nothing was asked for: null when a whole matrix was read, otherwise unverified. */
    if (strcmp(nvlink, "unknown") == 0) {
        bad += !verdict || strcmp(verdict, "unverified") != 0;
        bad += json_array_size(json_object_get(found, "problems")) == 0;
        bad += json_array_size(json_object_get(found, "advice")) == 0;
    } else {
        bad += verdict != NULL;
    }
    bad += check_details(path, expected, found);
    json_decref(found);
    return bad;
}

static void own_texts(void **state)
{
    int count = 0;

    (void)state;
    assert_int_equal(verify_each(PODSKU_FIXTURES "/topo", check_text, &count), 0);
    assert_true(count > 100);
}

static void texts_of_the_environment(void **state)
{
    const char *folder = getenv("PODSKU_TOPO_DIR");
    int count = 0;

    (void)state;
    if (!folder)
        skip();
    assert_int_equal(verify_each(folder, check_text, &count), 0);
    assert_true(count > 0);
}

/* As many GPUs as fit, and one more. */
static void large_matrices(void **state)
{
    char *text = matrix_text(PODSKU_VERIFY_GPUS_MAX, PODSKU_VERIFY_GPUS_MAX, "NV18", "NV18", 2);
    json_t *found = verify_text(text, strlen(text), &nothing, NULL);

    (void)state;
    assert_string_equal(json_string_value(json_object_get(found, "nvlink")), "all");
    assert_int_equal(json_integer_value(json_object_get(found, "gpus")), PODSKU_VERIFY_GPUS_MAX);
    json_decref(found);
    free(text);

    text = matrix_text(PODSKU_VERIFY_GPUS_MAX + 1, 200, "NV18", "NV18", 2);
    found = verify_text(text, strlen(text), &nothing, NULL);
    assert_string_equal(json_string_value(json_object_get(found, "nvlink")), "unknown");
    json_decref(found);
    free(text);
}

/* 16 MiB of lines that look like headers, rows and lists are read in moments; beyond that nothing is. */
static void large_texts(void **state)
{
    static const char *const lines[] = {"\tGPU0\tGPU1\tCPU Affinity\n", "GPU0\t X \tNV4\t0-31\n", "GPU 0: NVIDIA A40\n",
                                        "n:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via SHM/direct\n",
                                        "GPU GPU GPU GPU GPU0 ( ( ( [4m [[[ \\x1b \n"};
    size_t size = ((size_t)16 << 20) + 100;
    char *text = malloc(size);

    (void)state;
    assert_non_null(text);
    for (size_t at = 0, k = 0; at < size; k++) {
        const char *line = lines[k % COUNT_OF(lines)];
        size_t len = strlen(line) < size - at ? strlen(line) : size - at;
        memcpy(text + at, line, len);
        at += len;
    }
    json_t *found = verify_text(text, size, &nothing, NULL);
    assert_true(has_code(found, "problems", "truncated"));
    json_decref(found);
    memset(text, '[', size);
    found = verify_text(text, size, &nothing, NULL);
    json_decref(found);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_texts),
        cmocka_unit_test(texts_of_the_environment),
        cmocka_unit_test(large_matrices),
        cmocka_unit_test(large_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
