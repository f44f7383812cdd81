/*
 * Every text of a folder is read as the .json beside it says: the project's own, and those of the
 * folder that PODSKU_TOPO_DIR names.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "tests/rules/verify_support.h"

static const struct podsku_expectation nothing = {0};

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name);

    return len > strlen(end) && strcmp(name + len - strlen(end), end) == 0;
}

static json_t *load_json(const char *path)
{
    struct podsku_buf bytes = {0};
    struct podsku_error err = {0};
    json_t *value = NULL;

    if (podsku_file_read(path, PODSKU_FILE_MAX, &bytes, &err) != PODSKU_OK ||
        podsku_json_read(podsku_buf_text(&bytes), bytes.len, path, PODSKU_INPUT, &value, &err) != PODSKU_OK)
        fail_msg("%s: %s", path, err.message);
    podsku_buf_free(&bytes);
    return value;
}

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

typedef int check_function(const char *path, const char *text, size_t len, const json_t *expected);

static int check_folder(const char *folder, check_function *check, int *count)
{
    DIR *dir = opendir(folder);
    int bad = 0;

    if (!dir)
        fail_msg("cannot open %s", folder);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        struct podsku_buf bytes = {0};
        struct podsku_error err = {0};
        char path[4096];
        if (!ends_with(entry->d_name, ".txt"))
            continue;
        int stem = (int)strlen(entry->d_name) - 4;
        (void)snprintf(path, sizeof path, "%s/%.*s.json", folder, stem, entry->d_name);
        json_t *expected = load_json(path);
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (podsku_file_read(path, PODSKU_FILE_MAX, &bytes, &err) != PODSKU_OK)
            fail_msg("%s: %s", path, err.message);
        bad += check(path, podsku_buf_text(&bytes), bytes.len, expected);
        podsku_buf_free(&bytes);
        json_decref(expected);
        ++*count;
    }
    (void)closedir(dir);
    return bad;
}

static void own_texts(void **state)
{
    int count = 0;

    (void)state;
    assert_int_equal(check_folder(PODSKU_FIXTURES "/topo", check_text, &count), 0);
    assert_true(count > 100);
}

static void texts_of_the_environment(void **state)
{
    const char *folder = getenv("PODSKU_TOPO_DIR");
    int count = 0;

    (void)state;
    if (!folder)
        skip();
    assert_int_equal(check_folder(folder, check_text, &count), 0);
    assert_true(count > 0);
}

/* All of at least two GPUs, by a verdict: the document would cost too much for every byte. */
static bool is_all(const char *text, size_t len)
{
    const struct podsku_expectation nvlink = {.gpus = 2, .nvlink = true};
    struct podsku_reading *reading = NULL;
    struct podsku_verification *verification = NULL;
    struct podsku_error err = {0};

    assert_int_equal(podsku_verify_read(text, len, &reading, &err), PODSKU_OK);
    assert_int_equal(podsku_verify_judge(reading, &nvlink, &verification, &err), PODSKU_OK);
    /* A group of two is less than all: what has one is looked at in full. */
    bool match = podsku_verification_verdict(verification) == PODSKU_VERDICT_MATCH;
    podsku_verification_free(verification);
    podsku_reading_free(reading);
    return match;
}

/*
 * Cut anywhere, a text never yields `all` unless its own GPU block is whole and all-linked; and what
 * it yields is then the whole block. (A text of several matrices may be whole up to the first.)
 */
static int check_cuts(const char *path, const char *text, size_t len, const json_t *expected)
{
    const char *nvlink = json_string_value(json_object_get(expected, "nvlink"));
    const json_t *links = json_object_get(expected, "links");
    json_t *whole = verify_text(text, len, &nothing, NULL);
    /* Of several matrices that do not agree the first may be whole: cut behind it, the text has only that. */
    bool may = strcmp(nvlink, "all") == 0 || json_is_true(json_object_get(expected, "whole_prefix")) ||
               has_code(whole, "problems", "conflicting");

    json_decref(whole);

    for (size_t cut = 0; cut < len; cut++) {
        if (!is_all(text, cut))
            continue;
        json_t *found = verify_text(text, cut, &nothing, NULL);
        bool all = strcmp(json_string_value(json_object_get(found, "nvlink")), "all") == 0;
        bool same = json_is_null(links) || json_equal(links, json_object_get(found, "links"));
        json_decref(found);
        if (all && (!may || !same)) {
            print_error("%s: cut after %zu of %zu bytes it is `all`\n", path, cut, len);
            return 1;
        }
    }
    return 0;
}

static void cut_texts(void **state)
{
    int count = 0;

    (void)state;
    assert_int_equal(check_folder(PODSKU_FIXTURES "/topo", check_cuts, &count), 0);
}

static void cut_texts_of_the_environment(void **state)
{
    const char *folder = getenv("PODSKU_TOPO_DIR");
    int count = 0;

    (void)state;
    if (!folder)
        skip();
    assert_int_equal(check_folder(folder, check_cuts, &count), 0);
}

/* Lines first to last of the text, in a buffer. */
static void put_lines(struct podsku_buf *out, const char *text, size_t len, size_t skip, size_t twice, size_t width)
{
    for (size_t at = 0, line = 0; at < len; line++) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t size = newline ? (size_t)(newline - text) - at : len - at;
        size_t shown = size < width ? size : width;
        for (int times = line == skip ? 0 : line == twice ? 2 : 1; times > 0; times--) {
            podsku_buf_append(out, text + at, shown);
            podsku_buf_putc(out, '\n');
        }
        at += size + 1;
    }
}

/* The damaged text is read as before, or not at all: never as something else. */
static bool still_right(const struct podsku_buf *damaged, const json_t *links)
{
    json_t *found = verify_text(podsku_buf_text(damaged), damaged->len, &nothing, NULL);
    bool unknown = strcmp(json_string_value(json_object_get(found, "nvlink")), "unknown") == 0;
    bool same = json_equal(links, json_object_get(found, "links"));

    json_decref(found);
    return unknown || same;
}

/* A line lost, a line twice, the right side cut off. */
static int check_damage(const char *path, const char *text, size_t len, const json_t *expected)
{
    const json_t *links = json_object_get(expected, "links");
    const size_t none = SIZE_MAX;
    struct podsku_buf damaged = {0};
    int bad = 0;

    /* UTF-16 has no lines of bytes. */
    if (json_is_null(links) || memchr(text, '\0', len))
        return 0;
    for (size_t line = 0; line < 40; line++) {
        for (int twice = 0; twice < 2; twice++) {
            podsku_buf_reset(&damaged);
            put_lines(&damaged, text, len, twice ? none : line, twice ? line : none, none);
            bad += !still_right(&damaged, links);
        }
    }
    for (size_t width = 4; width < 100; width++) {
        podsku_buf_reset(&damaged);
        put_lines(&damaged, text, len, none, none, width);
        bad += !still_right(&damaged, links);
    }
    podsku_buf_free(&damaged);
    if (bad)
        print_error("%s: read as something else when damaged, in %d ways\n", path, bad);
    return bad;
}

static void damaged_texts(void **state)
{
    int count = 0;

    (void)state;
    assert_int_equal(check_folder(PODSKU_FIXTURES "/topo", check_damage, &count), 0);
}

/* A cut text with a pair that is not NVLink is a mismatch already; one without is unverified. */
static void cut_text_judged(void **state)
{
    struct podsku_expectation nvlink = {.gpus = 4, .nvlink = true};
    char *text = matrix_text(4, 2, "NV12", "SYS", 2);

    (void)state;
    const char *row = strstr(text, "GPU2\tSYS");
    json_t *found = verify_text(text, (size_t)(row - text), &nvlink, NULL);
    assert_string_equal(json_string_value(json_object_get(found, "verdict")), "mismatch");
    assert_true(has_code(found, "problems", "not-all-nvlink"));
    assert_string_equal(json_string_value(json_object_get(found, "nvlink")), "unknown");
    assert_true(json_is_null(json_array_get(json_object_get(found, "links"), 3)));
    json_decref(found);
    free(text);

    text = matrix_text(4, 4, "NV12", "NV12", 1);
    row = strstr(text, "GPU3\tNV12");
    found = verify_text(text, (size_t)(row - text), &nvlink, NULL);
    assert_string_equal(json_string_value(json_object_get(found, "verdict")), "unverified");
    assert_true(has_code(found, "problems", "truncated"));
    json_decref(found);
    free(text);
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
        cmocka_unit_test(own_texts),       cmocka_unit_test(texts_of_the_environment),
        cmocka_unit_test(cut_texts),       cmocka_unit_test(cut_texts_of_the_environment),
        cmocka_unit_test(cut_text_judged), cmocka_unit_test(damaged_texts),
        cmocka_unit_test(large_matrices),  cmocka_unit_test(large_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
