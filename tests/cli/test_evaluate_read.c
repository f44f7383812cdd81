/* The reader of scenarios: arrays and lines, whatever the pieces they arrive in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"

#include "cli/evaluate.h"

/* A pipe that is fed piece by piece, one piece before each read. */
struct feed {
    int pipe[2];
    const char *text;
    size_t len, at, piece;
    size_t reads;
};

static enum podsku_code feed_more(void *ctx)
{
    struct feed *feed = ctx;
    size_t left = feed->len - feed->at;
    size_t now = left < feed->piece ? left : feed->piece;

    feed->reads++;
    if (feed->pipe[1] < 0)
        return PODSKU_OK; /* the read will find the end */
    assert_int_equal(write(feed->pipe[1], feed->text + feed->at, now), (ssize_t)now);
    feed->at += now;
    if (feed->at == feed->len) {
        (void)close(feed->pipe[1]);
        feed->pipe[1] = -1;
    }
    return PODSKU_OK;
}

/* "1:TEXT|3:TEXT|" for each scenario with its line, "!MESSAGE" at an error. */
static void read_all(const char *text, size_t len, size_t piece, struct podsku_buf *out)
{
    struct feed feed = {.text = text, .len = len, .piece = piece};
    struct cli_scenarios in = {.fd = -1};
    struct podsku_error err = {0};
    const char *bytes;
    size_t scenario_len;
    size_t line;

    assert_int_equal(pipe(feed.pipe), 0);
    assert_int_equal(cli_scenarios_open(&in, "/dev/null", &err), PODSKU_OK);
    (void)close(in.fd);
    in.fd = feed.pipe[0];
    in.name = "feed";
    in.before_read = feed_more;
    in.ctx = &feed;
    podsku_buf_reset(out);
    for (;;) {
        if (cli_scenarios_next(&in, &bytes, &scenario_len, &line, &err) != PODSKU_OK) {
            podsku_buf_printf(out, "!%s at %s", err.message, err.where);
            break;
        }
        if (!bytes)
            break;
        podsku_buf_printf(out, "%zu:%.*s|", line, (int)scenario_len, bytes);
    }
    if (feed.pipe[1] >= 0)
        (void)close(feed.pipe[1]);
    cli_scenarios_close(&in);
}

static const struct {
    const char *text, *expected;
} cases[] = {
    {"", ""},
    {" \n\t\r\n", ""},
    {"{\"a\":1}", "1:{\"a\":1}|"},
    {"{\"a\":1}\n", "1:{\"a\":1}|"},
    {"\n\n{\"a\":1}\n\n{}\n", "3:{\"a\":1}|5:{}|"},
    {"{}\r\n{}\r\n", "1:{}\r|2:{}\r|"},
    {"x\n[1]\n", "1:x|2:[1]|"},
    {"[]", ""},
    {"[ ]\n ", ""},
    {"[{}]", "1:{}|"},
    {"\n[\n{},\n\n {\"b\":[1,{}]} ]", "3:{}|5:{\"b\":[1,{}]}|"},
    {"[1,true , \"x\"\n,null]", "1:1|1:true|1:\"x\"|2:null|"},
    {"[\"]\",\"\\\"\",\"\\\\\",\"[{\",{\"]\":\"}\"}]", "1:\"]\"|1:\"\\\"\"|1:\"\\\\\"|1:\"[{\"|1:{\"]\":\"}\"}|"},
    {"[{\n\n}\n,2]", "1:{\n\n}|4:2|"},
    {"[", "!the array is not closed at feed:1"},
    {"[{}", "1:{}|!the array is not closed at feed:1"},
    {"[{},", "1:{}|!the array is not closed at feed:1"},
    {"[{},\n]", "1:{}|!a scenario expected at feed:2"},
    {"[,{}]", "!a scenario expected at feed:1"},
    {"[}]", "!a scenario expected at feed:1"},
    {"[{} {}]", "1:{}|!',' or ']' expected between scenarios at feed:1"},
    {"[{}\n}", "1:{}|!',' or ']' expected between scenarios at feed:2"},
    {"[{\"a\":", "!the array ends inside a scenario at feed:1"},
    {"[\"a", "!the array ends inside a scenario at feed:1"},
    {"[1", "!the array ends inside a scenario at feed:1"},
    {"[{}]\n{}", "1:{}|!there is text after the array at feed:2"},
};

static void test_cases(void **state)
{
    struct podsku_buf out = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t len = strlen(cases[i].text);
        for (size_t piece = 1; piece <= len + 1; piece++) {
            read_all(cases[i].text, len, piece, &out);
            assert_string_equal(podsku_buf_text(&out), cases[i].expected);
        }
    }
    podsku_buf_free(&out);
}

/* Text that is longer than the first buffer, in one line and in one element. */
static void test_long(void **state)
{
    enum { LONG = 300000, PIECE = 4000 };
    struct podsku_buf text = {0};
    struct podsku_buf out = {0};
    struct podsku_buf expected = {0};

    (void)state;
    for (int array = 0; array < 2; array++) {
        podsku_buf_reset(&text);
        podsku_buf_reset(&expected);
        podsku_buf_puts(&text, array ? "[1,\"" : "\"");
        podsku_buf_puts(&expected, array ? "1:1|1:\"" : "1:\"");
        for (size_t i = 0; i < LONG; i++) {
            podsku_buf_putc(&text, (char)('a' + i % 26));
            podsku_buf_putc(&expected, (char)('a' + i % 26));
        }
        podsku_buf_puts(&text, array ? "\",2]" : "\"\n2\n");
        podsku_buf_puts(&expected, array ? "\"|1:2|" : "\"|2:2|");
        read_all(text.data, text.len, PIECE, &out);
        assert_string_equal(podsku_buf_text(&out), podsku_buf_text(&expected));
    }
    podsku_buf_free(&text);
    podsku_buf_free(&out);
    podsku_buf_free(&expected);
}

static void test_too_long(void **state)
{
    enum { TOO_LONG = (16 << 20) + 10, PIECE = 32768 };
    char *text = malloc(TOO_LONG);
    struct podsku_buf out = {0};

    (void)state;
    assert_non_null(text);
    memset(text, 'x', TOO_LONG);
    memcpy(text, "1\n", 2);
    read_all(text, TOO_LONG, PIECE, &out);
    assert_string_equal(podsku_buf_text(&out), "1:1|!a scenario larger than 16 MiB at feed:2");
    free(text);
    podsku_buf_free(&out);
}

/* A line is handed over before anything that may wait: nothing more is read while lines are there. */
static void test_reads_only_when_it_must(void **state)
{
    const char text[] = "1\n2\n3\n4\n";
    struct feed feed = {.text = text, .len = sizeof text - 1, .piece = 4};
    struct cli_scenarios in = {.fd = -1};
    struct podsku_error err = {0};
    const char *bytes;
    size_t len;
    size_t line;
    static const size_t reads_by_line[] = {1, 1, 2, 2};

    (void)state;
    assert_int_equal(pipe(feed.pipe), 0);
    assert_int_equal(cli_scenarios_open(&in, "/dev/null", &err), PODSKU_OK);
    (void)close(in.fd);
    in.fd = feed.pipe[0];
    in.before_read = feed_more;
    in.ctx = &feed;
    for (size_t i = 0; i < COUNT_OF(reads_by_line); i++) {
        assert_int_equal(cli_scenarios_next(&in, &bytes, &len, &line, &err), PODSKU_OK);
        assert_non_null(bytes);
        assert_int_equal(line, i + 1);
        assert_int_equal(feed.reads, reads_by_line[i]);
    }
    cli_scenarios_close(&in);
}

static void test_missing_file(void **state)
{
    struct cli_scenarios in = {.fd = -1};
    struct podsku_error err = {0};

    (void)state;
    assert_int_equal(cli_scenarios_open(&in, "/nonexistent/scenarios", &err), PODSKU_NO_FILE);
    assert_string_equal(err.where, "/nonexistent/scenarios");
    cli_scenarios_close(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),        cmocka_unit_test(test_long),
        cmocka_unit_test(test_too_long),     cmocka_unit_test(test_reads_only_when_it_must),
        cmocka_unit_test(test_missing_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
