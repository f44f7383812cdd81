/* Strict JSON reading: where an error is, how deep, duplicates; and exact writing. */
#include "tests/support/test.h"

#include <string.h>

#include "base/json.h"

static void bad_texts_say_where(void **state)
{
    static const struct {
        const char *text, *where, *message;
    } cases[] = {
        {"", "f:1:1", "empty, where JSON is expected"},
        {"{\"a\":1,\n \"a\":2}", "f:2:5", "not valid JSON: duplicate object key near '\"a\"'"},
        {"[1,\n2,\n", "f:3:1", "not valid JSON: ']' expected near end of file"},
        {"{} x", "f:1:5", "not valid JSON: end of file expected near 'x'"},
        {"nul", "f:1:4", "not valid JSON: invalid token near 'nul'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct podsku_error err = {0};
        json_t *value;
        assert_int_equal(podsku_json_read(cases[i].text, strlen(cases[i].text), "f", PODSKU_INPUT, &value, &err),
                         PODSKU_INPUT);
        assert_null(value);
        assert_string_equal(err.message, cases[i].message);
        assert_string_equal(err.where, cases[i].where);
    }
}

static void depth_is_bounded(void **state)
{
    struct podsku_error err = {0};
    char text[2 * (PODSKU_JSON_DEPTH_MAX + 1) + 1];
    json_t *value;

    (void)state;
    memset(text, '[', PODSKU_JSON_DEPTH_MAX);
    memset(text + PODSKU_JSON_DEPTH_MAX, ']', PODSKU_JSON_DEPTH_MAX);
    assert_int_equal(podsku_json_read(text, (size_t)2 * PODSKU_JSON_DEPTH_MAX, "f", PODSKU_INPUT, &value, &err),
                     PODSKU_OK);
    json_decref(value);
    memset(text, '[', PODSKU_JSON_DEPTH_MAX + 1);
    assert_int_equal(podsku_json_read(text, PODSKU_JSON_DEPTH_MAX + 1, "f", PODSKU_ANSWER, &value, &err),
                     PODSKU_ANSWER);
    assert_string_equal(err.where, "f:1:65");
    assert_string_equal(err.message, "JSON nested deeper than 64 levels");
}

static void brackets_in_strings_do_not_count(void **state)
{
    char text[512];
    size_t position;

    (void)state;
    memset(text, '[', sizeof text);
    text[0] = '"';
    text[1] = '\\';
    text[2] = '"';
    text[sizeof text - 1] = '"';
    assert_false(podsku_json_too_deep(text, sizeof text, &position));
}

static void writing_is_exact(void **state)
{
    struct podsku_buf out = {0};
    json_t *object = json_object();

    (void)state;
    assert_true(podsku_json_set(object, "price", podsku_json_money(2490000)));
    assert_true(podsku_json_set(object, "none", podsku_json_money(0)));
    assert_true(podsku_json_set(object, "at", podsku_json_time(1796105523000)));
    assert_true(podsku_json_set(object, "never", podsku_json_time(0)));
    assert_true(podsku_json_set(object, "text", podsku_json_text("a\xff")));
    assert_true(podsku_json_set(object, "null", podsku_json_text(NULL)));
    assert_false(podsku_json_set(object, "x", NULL));
    podsku_json_write(&out, object, false);
    assert_string_equal(podsku_buf_text(&out), "{\"price\":2.49,\"none\":null,\"at\":\"2026-12-01T06:12:03Z\","
                                               "\"never\":null,\"text\":\"a?\",\"null\":null}");
    podsku_buf_reset(&out);
    podsku_json_write(&out, NULL, true);
    assert_true(podsku_buf_failed(&out));
    podsku_buf_free(&out);
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_texts_say_where),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(brackets_in_strings_do_not_count),
        cmocka_unit_test(writing_is_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
