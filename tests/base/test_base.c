/* Errors, buffers, money, clock, digests, files. */
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/money.h"

static void first_error_wins(void **state)
{
    struct podsku_error err = {0};

    (void)state;
    assert_int_equal(podsku_error_set(&err, PODSKU_INPUT, "bad %s", "price"), PODSKU_INPUT);
    assert_int_equal(podsku_error_set(&err, PODSKU_USAGE, "later"), PODSKU_INPUT);
    podsku_error_context(&err, "reading %d", 7);
    assert_string_equal(err.message, "reading 7: bad price");
    podsku_error_hint(&err, "first");
    podsku_error_hint(&err, "second");
    assert_string_equal(err.hint, "first");
    podsku_error_where(&err, "a:1:2");
    podsku_error_where(&err, "b:3:4");
    assert_string_equal(err.where, "a:1:2");
    podsku_error_clear(&err);
    assert_int_equal(err.code, PODSKU_OK);
    assert_string_equal(err.message, "");
}

static void long_context_keeps_its_head(void **state)
{
    struct podsku_error err = {0};
    char text[2000];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)podsku_error_set(&err, PODSKU_INPUT, "%s", text);
    podsku_error_context(&err, "head");
    assert_memory_equal(err.message, "head: xxx", 9);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    podsku_error_context(&err, "%s", text);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

static void codes_have_names_and_statuses(void **state)
{
    (void)state;
    assert_string_equal(podsku_code_name(PODSKU_NO_OFFER), "no-offer");
    assert_int_equal(podsku_code_exit_status(PODSKU_NO_OFFER), 3);
    assert_int_equal(podsku_code_exit_status(PODSKU_UNSETTLED), 8);
    assert_int_equal(podsku_code_exit_status(PODSKU_INTERRUPTED), 130);
    assert_string_equal(podsku_code_text(PODSKU_OK), "done");
    assert_string_equal(podsku_code_name((enum podsku_code)999), "internal");
    for (int i = 0; i < PODSKU_CODE_COUNT; i++)
        for (int j = i + 1; j < PODSKU_CODE_COUNT; j++)
            assert_string_not_equal(podsku_code_name((enum podsku_code)i), podsku_code_name((enum podsku_code)j));
}

static void buffer_grows_to_its_maximum(void **state)
{
    struct podsku_buf buf = {.max = 300};

    (void)state;
    assert_string_equal(podsku_buf_text(&buf), "");
    for (int i = 0; i < 100; i++)
        podsku_buf_printf(&buf, "%03d", i);
    assert_int_equal(buf.len, 300);
    assert_false(podsku_buf_failed(&buf));
    podsku_buf_putc(&buf, 'x');
    assert_true(podsku_buf_failed(&buf));
    podsku_buf_puts(&buf, "ignored");
    assert_int_equal(buf.len, 300);
    assert_null(podsku_buf_take(&buf));
    assert_false(podsku_buf_failed(&buf));
    podsku_buf_puts(&buf, "again");
    char *text = podsku_buf_take(&buf);
    assert_string_equal(text, "again");
    free(text);
    text = podsku_buf_take(&buf);
    assert_string_equal(text, "");
    free(text);
    podsku_buf_append(&buf, "ab", (size_t)-1);
    assert_true(podsku_buf_failed(&buf));
    podsku_buf_reset(&buf);
    assert_false(podsku_buf_failed(&buf));
    podsku_buf_free(&buf);
    podsku_buf_free(NULL);
}

static void money_rounds_half_to_even(void **state)
{
    static const struct {
        const char *text;
        int64_t uusd;
    } cases[] = {
        {"0", 0},
        {"2.49", 2490000},
        {"0.0000005", 0},
        {"0.0000015", 2},
        {"0.0000025", 2},
        {"0.00000250000001", 3},
        {"1e-6", 1},
        {"5e-7", 0},
        {"1.5E-6", 2},
        {"12", 12000000},
        {"12.", 12000000},
        {".5", 500000},
        {"000.25", 250000},
        {"1e3", 1000000000},
        {"0.9999995", 1000000},
        {"1e-400", 0},
        {"999999999999", INT64_C(999999999999000000)},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t uusd = -1;
        assert_true(podsku_money_parse(cases[i].text, &uusd));
        assert_int_equal(uusd, cases[i].uusd);
    }
}

static void money_refuses_what_is_no_amount(void **state)
{
    static const char *const cases[] = {"",     "-1",      "+1",    " 1",  "1 ",
                                        "1x",   ".",       "e5",    "1e",  "1e+",
                                        "nan",  "inf",     "1.2.3", "0x1", "1000000000001",
                                        "1e13", "1e99999", "1,5",   "$1"};
    int64_t uusd;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_false(podsku_money_parse(cases[i], &uusd));
    assert_false(podsku_money_from_double(-0.01, &uusd));
    assert_false(podsku_money_from_double(1e300, &uusd));
    assert_false(podsku_money_from_double(0.0 / *(volatile double *)&(double){0.0}, &uusd));
}

static void money_from_double_uses_the_decimal_form(void **state)
{
    int64_t uusd = -1;

    (void)state;
    assert_true(podsku_money_from_double(0.0000025, &uusd));
    assert_int_equal(uusd, 2);
    assert_true(podsku_money_from_double(3.29, &uusd));
    assert_int_equal(uusd, 3290000);
    assert_true(podsku_money_from_double(0.1 + 0.2, &uusd));
    assert_int_equal(uusd, 300000);
    assert_true(podsku_money_from_double(0.0, &uusd));
    assert_int_equal(uusd, 0);
    assert_true(podsku_money_from_double(1e-9, &uusd));
    assert_int_equal(uusd, 0);
}

/* What is written as a JSON number is read again as the same amount. */
static void money_comes_back(void **state)
{
    static const double numbers[] = {1e-6,
                                     0.1,
                                     8999999999.999999,
                                     66676666659.66162,
                                     66676666659.661663,
                                     999999999999.,
                                     999999999999.9999,
                                     9007199254.740993,
                                     123456789012.3456};
    int64_t uusd, again;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        assert_true(podsku_money_from_double(numbers[i], &uusd));
        assert_true(podsku_money_from_double(podsku_money_to_double(uusd), &again));
        assert_int_equal(again, uusd);
    }
}

static void money_texts(void **state)
{
    char text[PODSKU_MONEY_TEXT_SIZE];
    int64_t result;

    (void)state;
    assert_string_equal(podsku_money_text(12720000, text), "12.72");
    assert_string_equal(podsku_money_text(500000, text), "0.50");
    assert_string_equal(podsku_money_text(126336000, text), "126.336");
    assert_string_equal(podsku_money_text(1, text), "0.000001");
    assert_string_equal(podsku_money_text(0, text), "0.00");
    assert_string_equal(podsku_money_text(-1500000, text), "-1.50");
    assert_true(podsku_money_scale(3290000, 8 * 4 * 6, 5, &result));
    assert_int_equal(result, 126336000);
    assert_true(podsku_money_scale(1, 1, 2, &result));
    assert_int_equal(result, 0);
    assert_true(podsku_money_scale(3, 1, 2, &result));
    assert_int_equal(result, 2);
    assert_true(podsku_money_scale(5, 2, 3, &result));
    assert_int_equal(result, 3);
    assert_false(podsku_money_scale(PODSKU_UUSD_MAX, 2, 1, &result));
    assert_true(podsku_money_to_double(12720000) == 12.72);
}

static void times(void **state)
{
    static const struct {
        const char *text;
        int64_t ms;
    } good[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"2026-12-01T06:12:03Z", INT64_C(1796105523000)},
        {"2026-12-01T06:12:03.25Z", INT64_C(1796105523250)},
        {"2026-12-01T07:12:03+01:00", INT64_C(1796105523000)},
        {"2026-12-01 05:42:03-00:30", INT64_C(1796105523000)},
        {"2024-02-29T00:00:00z", INT64_C(1709164800000)},
        {"1969-12-31T23:59:59Z", -1000},
    };
    static const char *const bad[] = {"",
                                      "2026-12-01",
                                      "2026-13-01T00:00:00Z",
                                      "2026-02-29T00:00:00Z",
                                      "2026-12-01T24:00:00Z",
                                      "2026-12-01T00:00:00",
                                      "2026-12-01T00:00:00.Z",
                                      "2026-12-01T00:00:00+1:00",
                                      "2026-12-01T00:00:00Zx",
                                      "x026-12-01T00:00:00Z"};
    char text[PODSKU_TIME_TEXT_SIZE];
    int64_t ms;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_true(podsku_time_parse(good[i].text, &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(podsku_time_parse(bad[i], &ms));
    assert_string_equal(podsku_time_text(INT64_C(1796105523999), text), "2026-12-01T06:12:03Z");
    assert_string_equal(podsku_time_text(-1, text), "1969-12-31T23:59:59Z");
    assert_string_equal(podsku_time_text(INT64_MAX, text), "-");
}

static void http_dates(void **state)
{
    static const char *const good[] = {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                                       "Sun Nov  6 08:49:37 1994"};
    static const char *const bad[] = {"",
                                      "Sun",
                                      "Sun, 06 Nov 1994 08:49:37",
                                      "Sun, 6 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Xxx 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:61 GMT",
                                      "Sun Nov 06 08:49:37 1994 x",
                                      "120"};
    int64_t ms;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_true(podsku_time_parse_http(good[i], &ms));
        assert_int_equal(ms, INT64_C(784111777000));
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(podsku_time_parse_http(bad[i], &ms));
}

static void system_clock_runs(void **state)
{
    const struct podsku_clock *clock = podsku_clock_system();

    (void)state;
    int64_t before = podsku_clock_mono_ms(clock);
    podsku_clock_sleep_ms(clock, 5);
    podsku_clock_sleep_ms(clock, -5);
    assert_true(podsku_clock_mono_ms(clock) >= before + 4);
    assert_true(podsku_clock_wall_ms(clock) > INT64_C(1700000000000));
}

static void digests(void **state)
{
    struct podsku_error err = {0};
    char text[PODSKU_SHA256_TEXT_SIZE];
    char random_a[33], random_b[33];
    char secret[] = "secret";

    (void)state;
    assert_int_equal(podsku_sha256("abc", 3, text, &err), PODSKU_OK);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(podsku_hmac_sha256("key", 3, "The quick brown fox jumps over the lazy dog", 43, text, &err),
                     PODSKU_OK);
    assert_string_equal(text, "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
    assert_int_equal(podsku_random_hex(16, random_a, sizeof random_a, &err), PODSKU_OK);
    assert_int_equal(podsku_random_hex(16, random_b, sizeof random_b, &err), PODSKU_OK);
    assert_int_equal(strlen(random_a), 32);
    assert_string_not_equal(random_a, random_b);
    assert_int_equal(podsku_random_hex(17, random_a, sizeof random_a, &err), PODSKU_INTERNAL);
    podsku_wipe(secret, sizeof secret);
    assert_memory_equal(secret, "\0\0\0\0\0\0\0", sizeof secret);
}

static void files_are_written_whole(void **state)
{
    struct podsku_error err = {0};
    struct podsku_buf buf = {0};
    char folder[] = "/tmp/podsku-test-XXXXXX";
    char path[64];
    struct stat info;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(podsku_file_write(path, "one\n", 4, 0600, &err), PODSKU_OK);
    assert_int_equal(podsku_file_write(path, "two\n", 4, 0600, &err), PODSKU_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(podsku_file_read(path, 100, &buf, &err), PODSKU_OK);
    assert_string_equal(podsku_buf_text(&buf), "two\n");
    assert_int_equal(podsku_file_read(path, 3, &buf, &err), PODSKU_INPUT);
    assert_string_equal(err.where, path);
    podsku_error_clear(&err);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(podsku_file_read(path, 100, &buf, &err), PODSKU_NO_FILE);
    assert_non_null(strstr(err.message, "No such file"));
    podsku_error_clear(&err);
    assert_int_equal(podsku_file_read(folder, 100, &buf, &err), PODSKU_NO_FILE);
    podsku_error_clear(&err);
    (void)snprintf(path, sizeof path, "%s/none/file", folder);
    assert_int_equal(podsku_file_write(path, "x", 1, 0600, &err), PODSKU_OUTPUT);
    assert_int_equal(rmdir(folder), 0); /* no temporary file was left behind */
    podsku_buf_free(&buf);
}

/* Whatever way it takes, the amount is that of the number's shortest decimal form. */
static void money_from_double_agrees_with_the_text(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        int64_t uusd = -1;
        int64_t expected = -2;
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double scale = (double[]){1e2, 1e3, 1e6, 1e7, 1e9, 3}[i % 6];
        double usd = (double)(random >> (i % 11 * 4 + 16)) / scale;
        for (int precision = 15; precision <= 17; precision++) {
            (void)snprintf(text, sizeof text, "%.*g", precision, usd);
            if (strtod(text, NULL) == usd)
                break;
        }
        bool fits = podsku_money_parse(text, &expected);
        assert_int_equal(podsku_money_from_double(usd, &uusd), fits);
        if (fits)
            assert_int_equal(uusd, expected);
    }
}

static void files_that_are_no_files_are_written_to(void **state)
{
    struct podsku_error err = {0};
    char folder[] = "/tmp/podsku-test-XXXXXX";
    char link_path[64];
    char target[64];
    char fifo[64];
    char got[8] = "";
    struct stat info;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(link_path, sizeof link_path, "%s/link", folder);
    (void)snprintf(target, sizeof target, "%s/target", folder);
    (void)snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    assert_int_equal(podsku_file_write(target, "old", 3, 0640, &err), PODSKU_OK);
    assert_int_equal(symlink("target", link_path), 0);
    assert_int_equal(podsku_file_write(link_path, "new", 3, 0600, &err), PODSKU_OK);
    assert_int_equal(lstat(link_path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(target, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    int fd = open(fifo, O_RDONLY | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(podsku_file_write(fifo, "x\n", 2, 0600, &err), PODSKU_OK);
    assert_int_equal(read(fd, got, sizeof got), 2);
    assert_int_equal(lstat(fifo, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    (void)close(fd);
    assert_int_equal(podsku_file_write("/dev/full", "x", 1, 0600, &err), PODSKU_OUTPUT);
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    (void)unlink(fifo);
    (void)unlink(link_path);
    (void)unlink(target);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_error_wins),
        cmocka_unit_test(long_context_keeps_its_head),
        cmocka_unit_test(codes_have_names_and_statuses),
        cmocka_unit_test(buffer_grows_to_its_maximum),
        cmocka_unit_test(money_rounds_half_to_even),
        cmocka_unit_test(money_refuses_what_is_no_amount),
        cmocka_unit_test(money_from_double_uses_the_decimal_form),
        cmocka_unit_test(money_from_double_agrees_with_the_text),
        cmocka_unit_test(money_comes_back),
        cmocka_unit_test(money_texts),
        cmocka_unit_test(times),
        cmocka_unit_test(http_dates),
        cmocka_unit_test(system_clock_runs),
        cmocka_unit_test(digests),
        cmocka_unit_test(files_are_written_whole),
        cmocka_unit_test(files_that_are_no_files_are_written_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
