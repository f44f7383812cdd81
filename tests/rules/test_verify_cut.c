/*
 * Cut and damaged texts: what is left is read as before or not at all, never as something else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/rules/verify_support.h"

static const struct podsku_expectation nothing = {0};

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
    assert_int_equal(verify_each(PODSKU_FIXTURES "/topo", check_cuts, &count), 0);
}

static void cut_texts_of_the_environment(void **state)
{
    const char *folder = getenv("PODSKU_TOPO_DIR");
    int count = 0;

    (void)state;
    if (!folder)
        skip();
    assert_int_equal(verify_each(folder, check_cuts, &count), 0);
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
    assert_int_equal(verify_each(PODSKU_FIXTURES "/topo", check_damage, &count), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_texts),
        cmocka_unit_test(cut_texts_of_the_environment),
        cmocka_unit_test(cut_text_judged),
        cmocka_unit_test(damaged_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
