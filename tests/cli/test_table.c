/* Text tables on terminals of every width. */
#include "tests/support/test.h"

#include <locale.h>
#include <string.h>

#include "cli/table.h"

static const struct cli_column columns[] = {
    {"#", true, false, 0},      {"GPU TYPE", false, true, 0}, {"USD/h", true, false, 0},
    {"STOCK", false, false, 2}, {"WHERE", false, true, 1},
};
static const char *const rows[][COUNT_OF(columns)] = {
    {"1", "A100 SXM", "12.72", "low", "US-KS-2"},
    {"2", "RTX PRO 6000 Blackwell Server Edition", "16.72", NULL, "EU-RO-1 +6"},
};

static void print(int width, struct podsku_buf *out)
{
    struct cli_table *table;
    struct podsku_error err = {0};

    assert_int_equal(cli_table_new(columns, COUNT_OF(columns), width, &table, &err), PODSKU_OK);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        assert_int_equal(cli_table_row(table, rows[i], &err), PODSKU_OK);
    assert_int_equal(cli_table_print(table, out, &err), PODSKU_OK);
    cli_table_free(table);
}

static void a_wide_table_shows_everything(void **state)
{
    struct podsku_buf out = {0};

    (void)state;
    print(0, &out);
    assert_string_equal(podsku_buf_text(&out), "#  GPU TYPE                               USD/h  STOCK  WHERE\n"
                                               "1  A100 SXM                               12.72  low    US-KS-2\n"
                                               "2  RTX PRO 6000 Blackwell Server Edition  16.72  -      EU-RO-1 +6\n");
    podsku_buf_free(&out);
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;

    while (*text) {
        size_t len = strcspn(text, "\n");
        longest = len > longest ? len : longest;
        text += len + 1;
    }
    return longest;
}

static void columns_leave_in_their_order(void **state)
{
    struct podsku_buf out = {0};

    (void)state;
    print(60, &out);
    assert_null(strstr(podsku_buf_text(&out), "WHERE"));
    assert_non_null(strstr(podsku_buf_text(&out), "STOCK"));
    podsku_buf_reset(&out);
    print(50, &out);
    assert_null(strstr(podsku_buf_text(&out), "STOCK"));
    assert_non_null(strstr(podsku_buf_text(&out), "Server Edition"));
    podsku_buf_reset(&out);
    print(30, &out);
    assert_null(strstr(podsku_buf_text(&out), "Edition"));
    assert_non_null(strstr(podsku_buf_text(&out), "16.72"));
    podsku_buf_free(&out);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    for (int width = 8; width <= 200; width++) {
        struct podsku_buf out = {0};
        print(width, &out);
        assert_true(longest_line(podsku_buf_text(&out)) <= (size_t)width);
        podsku_buf_free(&out);
    }
}

static void cells_cannot_steer_the_terminal(void **state)
{
    static const struct cli_column one[] = {{"NAME", false, true, 0}};
    struct cli_table *table;
    struct podsku_error err = {0};
    struct podsku_buf out = {0};

    (void)state;
    assert_int_equal(cli_table_new(one, 1, 0, &table, &err), PODSKU_OK);
    assert_int_equal(cli_table_row(table, (const char *const[]){"a\033[31mb\nc"}, &err), PODSKU_OK);
    assert_int_equal(cli_table_row(table, (const char *const[]){"\r"}, &err), PODSKU_OK);
    assert_int_equal(cli_table_print(table, &out, &err), PODSKU_OK);
    assert_string_equal(podsku_buf_text(&out), "NAME\na?[31mb?c\n?\n");
    podsku_buf_free(&out);
    cli_table_free(table);
    cli_table_free(NULL);
}

static void a_table_without_rows_is_nothing(void **state)
{
    struct cli_table *table;
    struct podsku_error err = {0};
    struct podsku_buf out = {0};

    (void)state;
    assert_int_equal(cli_table_new(columns, COUNT_OF(columns), 80, &table, &err), PODSKU_OK);
    assert_int_equal(cli_table_print(table, &out, &err), PODSKU_OK);
    assert_string_equal(podsku_buf_text(&out), "");
    cli_table_free(table);
}

static void wide_characters_are_counted_as_such(void **state)
{
    static const struct cli_column two[] = {{"A", false, true, 0}, {"B", false, false, 0}};
    struct cli_table *table;
    struct podsku_error err = {0};
    struct podsku_buf out = {0};

    (void)state;
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    assert_int_equal(cli_table_new(two, 2, 12, &table, &err), PODSKU_OK);
    assert_int_equal(
        cli_table_row(table,
                      (const char *const[]){
                          "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", "x"},
                      &err),
        PODSKU_OK);
    assert_int_equal(cli_table_print(table, &out, &err), PODSKU_OK);
    assert_string_equal(
        podsku_buf_text(&out),
        "A          B\n\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xe2\x80\xa6  x\n");
    podsku_buf_free(&out);
    cli_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_table_shows_everything),      cmocka_unit_test(columns_leave_in_their_order),
        cmocka_unit_test(no_line_is_wider_than_the_terminal), cmocka_unit_test(cells_cannot_steer_the_terminal),
        cmocka_unit_test(a_table_without_rows_is_nothing),    cmocka_unit_test(wide_characters_are_counted_as_such),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
