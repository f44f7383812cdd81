/* Patterns, near words, numbers and texts for terminals. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void patterns_match_the_whole_text(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool match;
    } cases[] = {
        {"a40", "A40", true},
        {"A40", "A400", false},
        {"*MIG*", "PRO 6000 MIG 24GB", true},
        {"H?00 *", "H200 NVL", true},
        {"H?00 *", "H200", false},
        {"*", "", true},
        {"", "", true},
        {"", "x", false},
        {"a*b*c", "aXbYc", true},
        {"a*b*c", "aXbY", false},
        {"**x", "aax", true},
        {"?", "", false},
        {"NVIDIA  RTX A4500", "NVIDIA RTX A4500", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(podsku_text_match(cases[i].pattern, cases[i].text), cases[i].match);
    assert_true(podsku_text_is_glob("a*"));
    assert_false(podsku_text_is_glob("a"));
    assert_true(podsku_text_equal_nocase("AbC", "aBc"));
    assert_false(podsku_text_equal_nocase("AbC", "aBcd"));
}

static void near_words(void **state)
{
    static const char *const words[] = {"deploy", "evaluate", "max-price", "max-total", "pods", NULL};
    char long_word[200];

    (void)state;
    assert_string_equal(podsku_text_nearest("deplyo", words), "deploy");
    assert_string_equal(podsku_text_nearest("max-pirce", words), "max-price");
    assert_string_equal(podsku_text_nearest("POD", words), "pods");
    assert_string_equal(podsku_text_nearest("eval", words), "evaluate");
    assert_null(podsku_text_nearest("xyzzy", words));
    assert_null(podsku_text_nearest("", words));
    memset(long_word, 'x', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = '\0';
    assert_null(podsku_text_nearest(long_word, words));
}

static void terminals_get_no_control_bytes(void **state)
{
    struct podsku_buf out = {0};
    static const char text[] = "a\033[31m\nb\xc2\x9b"
                               "c\x7f\xc3\xa4";

    (void)state;
    podsku_text_printable(&out, text, sizeof text - 1, false);
    assert_string_equal(podsku_buf_text(&out), "a?[31m?b?c?\xc3\xa4");
    podsku_buf_reset(&out);
    podsku_text_printable(&out, text, sizeof text - 1, true);
    assert_string_equal(podsku_buf_text(&out), "a?[31m\nb?c?\xc3\xa4");
    podsku_buf_free(&out);
}

/* What is not seen, or turns what is: one mark each. What is seen stays, and so do broken bytes. */
static void terminals_get_no_hidden_characters(void **state)
{
    static const char *const hidden[] = {
        "\xc2\xad",     "\xd8\x9c",     "\xe1\xa0\x8e", "\xe2\x80\x8b", "\xe2\x80\x8d",     "\xe2\x80\x8f",
        "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa0",     "\xe2\x81\xa6",
        "\xe2\x81\xa9", "\xef\xbb\xbf", "\xef\xbf\xb9", "\xc2\x9b",     "\xf3\xa0\x81\x81",
    };
    static const char *const seen[] = {"\xc2\xa0",         "\xc3\xa4", "\xe2\x80\xa6", "\xe2\x80\xaf",
                                       "\xf0\x9f\x98\x80", "\xe2\x80", "\xff",         "\xe2(\xa8"};
    struct podsku_buf out = {0};
    char text[16];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(hidden); i++) {
        snprintf(text, sizeof text, "a%sb", hidden[i]);
        podsku_buf_reset(&out);
        podsku_text_printable(&out, text, strlen(text), true);
        assert_string_equal(podsku_buf_text(&out), "a?b");
    }
    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        podsku_buf_reset(&out);
        podsku_text_printable(&out, seen[i], strlen(seen[i]), false);
        assert_string_equal(podsku_buf_text(&out), seen[i]);
    }
    podsku_buf_free(&out);
}

static void utf8(void **state)
{
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc3",
                                      "\xe0\x80\x80",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "\xe2\x82",
                                      "\xf0\x80\x80\x80",
                                      "a\xc3("};

    (void)state;
    assert_true(podsku_text_is_utf8("", 0));
    assert_true(podsku_text_is_utf8("\xe2\x82\xac\xf0\x9f\x98\x80z", 8));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(podsku_text_is_utf8(bad[i], strlen(bad[i])));
}

static void numbers(void **state)
{
    static const char *const not_int[] = {"", "-", "1x", " 1", "+1", "99999999999999999999", "11", "-1", "1.0"};
    static const char *const not_number[] = {"", "-1", "nan", "1e999", "0x10", "1,5", "1 ", "."};
    int64_t value;
    double number;

    (void)state;
    assert_true(podsku_text_int("10", 0, 10, &value));
    assert_int_equal(value, 10);
    assert_true(podsku_text_int("-3", -5, 10, &value));
    for (size_t i = 0; i < COUNT_OF(not_int); i++)
        assert_false(podsku_text_int(not_int[i], 0, 10, &value));
    assert_true(podsku_text_number("1.5e1", &number));
    assert_true(number == 15.0);
    assert_true(podsku_text_number(".5", &number));
    for (size_t i = 0; i < COUNT_OF(not_number); i++)
        assert_false(podsku_text_number(not_number[i], &number));
}

static void durations_and_versions(void **state)
{
    static const char *const not_duration[] = {"", "s", "1d", "-1s", "1ss", "1e3", "m5", "99999999h", "1:00"};
    static const char *const not_version[] = {"", "12", "12.", ".8", "12.8.1", "12.x", "v12.8", "12345678.1"};
    int64_t ms;
    int major, minor;

    (void)state;
    assert_true(podsku_text_duration("90", &ms));
    assert_int_equal(ms, 90000);
    assert_true(podsku_text_duration("0.5s", &ms));
    assert_int_equal(ms, 500);
    assert_true(podsku_text_duration("15m", &ms));
    assert_int_equal(ms, 900000);
    assert_true(podsku_text_duration("1.5h", &ms));
    assert_int_equal(ms, 5400000);
    for (size_t i = 0; i < COUNT_OF(not_duration); i++)
        assert_false(podsku_text_duration(not_duration[i], &ms));
    assert_true(podsku_text_version("12.11", &major, &minor));
    assert_int_equal(major, 12);
    assert_int_equal(minor, 11);
    for (size_t i = 0; i < COUNT_OF(not_version); i++)
        assert_false(podsku_text_version(not_version[i], &major, &minor));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_the_whole_text),
        cmocka_unit_test(near_words),
        cmocka_unit_test(terminals_get_no_control_bytes),
        cmocka_unit_test(terminals_get_no_hidden_characters),
        cmocka_unit_test(utf8),
        cmocka_unit_test(numbers),
        cmocka_unit_test(durations_and_versions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
