/* As much TOML as runpodctl's config.toml needs. */
#include "tests/support/test.h"

#include "cli/toml.h"

static void strings_are_found(void **state)
{
    static const struct {
        const char *text, *value;
    } cases[] = {
        {"apikey = \"abc\"\n", "abc"},
        {"apikey='abc'", "abc"},
        {"# apikey = \"no\"\nother = 1\n  apikey\t=\t\"abc\" # mine\r\n", "abc"},
        {"\"apikey\" = \"a\\\"b\\\\c\"\n", "a\"b\\c"},
        {"'apikey' = 'a\\b'\n", "a\\b"},
        {"[default]\napikey = \"abc\"\n", "abc"},
        {"[ default ]\napikey = \"abc\"\n", "abc"},
        {"[other]\napikey = \"abc\"\n", ""},
        {"[default.more]\napikey = \"abc\"\n", ""},
        {"apikeys = \"abc\"\n", ""},
        {"api = \"apikey = 'x'\"\n", ""},
        {"apikey = \"\"\n", ""},
        {"", ""},
        {"apiurl = \"https://x\"", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct podsku_buf value = {0};
        struct podsku_error err = {0};
        assert_int_equal(cli_toml_string(cases[i].text, "config.toml", "apikey", &value, &err), PODSKU_OK);
        assert_string_equal(podsku_buf_text(&value), cases[i].value);
        podsku_buf_free(&value);
    }
}

static void other_values_are_errors(void **state)
{
    static const char *const cases[] = {
        "apikey = 12\n",
        "apikey = \"abc\n",
        "apikey = \"a\\qb\"\n",
        "apikey = \"abc\" more\n",
        "apikey = \"\"\"abc\"\"\"\n",
        "apikey = abc\n",
        "apikey =\n",
        "apikey = \"a\\",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct podsku_buf value = {0};
        struct podsku_error err = {0};
        assert_int_equal(cli_toml_string(cases[i], "config.toml", "apikey", &value, &err), PODSKU_INPUT);
        assert_string_equal(err.where, "config.toml:1");
        podsku_buf_free(&value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_found),
        cmocka_unit_test(other_values_are_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
