/*
 * Children and ssh's command lines: bounds, words that are refused, quoting, what an image's name says.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/child.h"
#include "cli/deploy.h"
#include "cli/ssh.h"
#include "tests/support/test.h"

static struct cli_child_result run(struct cli_child_request request, const char *const *argv)
{
    struct cli_child_result result;
    struct podsku_error err = {0};

    request.argv = argv;
    assert_int_equal(cli_child_run(&request, &result, &err), PODSKU_OK);
    return result;
}
#define RUN(request, ...) run(request, (const char *const[]){__VA_ARGS__, NULL})

static void keeps_what_a_child_says(void **state)
{
    struct cli_child_result result;

    (void)state;
    result = RUN(((struct cli_child_request){.max_output = 100}), "sh", "-c", "echo out; echo err >&2; exit 7");
    assert_int_equal(result.end, CLI_CHILD_EXITED);
    assert_int_equal(result.status, 7);
    assert_string_equal(podsku_buf_text(&result.output), "out\n");
    assert_string_equal(podsku_buf_text(&result.errors), "err\n");
    cli_child_free(&result);
    result = RUN(((struct cli_child_request){.max_output = 100, .input = "hello", .input_len = 5}), "cat");
    assert_string_equal(podsku_buf_text(&result.output), "hello");
    cli_child_free(&result);
    result = RUN(((struct cli_child_request){.max_output = 100}), "sh", "-c", "kill -9 $$");
    assert_int_equal(result.end, CLI_CHILD_SIGNALED);
    assert_int_equal(result.status, SIGKILL);
    cli_child_free(&result);
    result = RUN(((struct cli_child_request){.max_output = 100}), "/no/such/program");
    assert_int_equal(result.end, CLI_CHILD_NOT_STARTED);
    assert_int_equal(result.status, ENOENT);
    cli_child_free(&result);
}

/* The end of what goes wrong is what says why. */
static void keeps_the_end_of_errors(void **state)
{
    struct cli_child_result result = RUN(((struct cli_child_request){.max_output = 10, .max_errors = 20}), "sh", "-c",
                                         "i=0; while [ $i -lt 500 ]; do echo line $i >&2; i=$((i+1)); done");

    (void)state;
    assert_int_equal(result.errors.len, 20);
    assert_non_null(strstr(podsku_buf_text(&result.errors), "line 499\n"));
    cli_child_free(&result);
}

static bool never(void *ctx)
{
    (void)ctx;
    return false;
}

static bool always(void *ctx)
{
    (void)ctx;
    return true;
}

static void bounds_time_and_size(void **state)
{
    const struct podsku_clock *clock = podsku_clock_system();
    struct cli_child_request request = {.max_output = 1000, .stop = never};
    struct cli_child_result result;
    int64_t start = podsku_clock_mono_ms(clock);

    (void)state;
    request.deadline_mono_ms = start + 300;
    result = RUN(request, "sleep", "30");
    assert_int_equal(result.end, CLI_CHILD_TIMED_OUT);
    cli_child_free(&result);
    /* It does not go on the first word either. */
    request.deadline_mono_ms = podsku_clock_mono_ms(clock) + 300;
    result = RUN(request, "sh", "-c", "trap '' TERM; while :; do sleep 1; done");
    assert_int_equal(result.end, CLI_CHILD_TIMED_OUT);
    cli_child_free(&result);
    request.deadline_mono_ms = 0;
    result = RUN(request, "sh", "-c", "while :; do echo 0123456789; done");
    assert_int_equal(result.end, CLI_CHILD_TOO_LARGE);
    assert_true(result.output.len <= 1000);
    cli_child_free(&result);
    request.stop = always;
    result = RUN(request, "sleep", "30");
    assert_int_equal(result.end, CLI_CHILD_INTERRUPTED);
    cli_child_free(&result);
    assert_true(podsku_clock_mono_ms(clock) - start < 15000);
}

/* A grandchild that holds the pipe open does not hold us. */
static void does_not_wait_for_grandchildren(void **state)
{
    int64_t start = podsku_clock_mono_ms(podsku_clock_system());
    struct cli_child_result result =
        RUN(((struct cli_child_request){.max_output = 100}), "sh", "-c", "sleep 20 & echo x");

    (void)state;
    assert_int_equal(result.end, CLI_CHILD_EXITED);
    assert_string_equal(podsku_buf_text(&result.output), "x\n");
    cli_child_free(&result);
    assert_true(podsku_clock_mono_ms(podsku_clock_system()) - start < 10000);
}

static void gives_no_key_to_children(void **state)
{
    struct cli_child_result result;

    (void)state;
    (void)setenv("RUNPOD_API_KEY", "rpa_SECRET", 1);
    (void)setenv("RUNPOD_API_KEY_X", "other", 1);
    result = RUN(((struct cli_child_request){.max_output = 100000}), "env");
    assert_null(strstr(podsku_buf_text(&result.output), "rpa_SECRET"));
    assert_non_null(strstr(podsku_buf_text(&result.output), "RUNPOD_API_KEY_X=other"));
    cli_child_free(&result);
    (void)unsetenv("RUNPOD_API_KEY");
}

static void refuses_words_that_are_no_host(void **state)
{
    static const struct {
        const char *host, *user;
        int port;
        bool fine;
    } rows[] = {
        {"203.0.113.7", "root", 22, true},
        {"2001:db8::1", NULL, 65535, true},
        {"pod-1.example.com", "a_b", 1, true},
        {"-oProxyCommand=x", "root", 22, false},
        {"a b", "root", 22, false},
        {"ssh://a", "root", 22, false},
        {"a@b", "root", 22, false},
        {"", "root", 22, false},
        {"a", "-l", 22, false},
        {"a", "root;x", 22, false},
        {"a", "root", 0, false},
        {"a", "root", 65536, false},
        {NULL, "root", 22, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct podsku_error err = {0};
        char host[64], user[64];
        struct podsku_ssh endpoint = {.port = rows[i].port};
        (void)snprintf(host, sizeof host, "%s", rows[i].host ? rows[i].host : "");
        (void)snprintf(user, sizeof user, "%s", rows[i].user ? rows[i].user : "");
        endpoint.host = rows[i].host ? host : NULL;
        endpoint.username = rows[i].user ? user : NULL;
        assert_int_equal(cli_ssh_check(&endpoint, &err) == PODSKU_OK, rows[i].fine);
    }
}

static bool has_word(const struct cli_argv *argv, const char *word)
{
    for (size_t i = 0; i < argv->count; i++) {
        if (strcmp(argv->list[i], word) == 0)
            return true;
    }
    return false;
}

static void builds_command_lines(void **state)
{
    static const char *const options[] = {"ForwardAgent=yes", "ProxyJump=x"};
    const struct cli_ssh ssh = {
        .key_file = "/k", .options = options, .option_count = 2, .known_hosts = "/a b/%h/known_hosts"};
    char host[] = "203.0.113.7", user[] = "me";
    const struct podsku_ssh endpoint = {.host = host, .username = user, .port = 41022};
    struct podsku_error err = {0};
    struct cli_argv argv;
    size_t ours = 0, theirs = 0;

    (void)state;
    assert_int_equal(cli_ssh_command(&ssh, &endpoint, "p/1", CLI_SSH_ASK, "echo 'x'", &argv, &err), PODSKU_OK);
    assert_true(has_word(&argv, "BatchMode=yes"));
    assert_true(has_word(&argv, "HostKeyAlias=podsku-p_1"));
    assert_true(has_word(&argv, "UserKnownHostsFile=\"/a b/%%h/known_hosts\""));
    assert_true(has_word(&argv, "-n"));
    assert_string_equal(argv.list[argv.count - 1], "echo 'x'");
    assert_string_equal(argv.list[argv.count - 2], "203.0.113.7");
    assert_string_equal(argv.list[argv.count - 3], "--");
    /* ssh takes the first of two: what is safe stands first. */
    for (size_t i = 0; i < argv.count; i++) {
        ours = strcmp(argv.list[i], "ForwardAgent=no") == 0 ? i : ours;
        theirs = strcmp(argv.list[i], "ForwardAgent=yes") == 0 ? i : theirs;
    }
    assert_true(ours > 0 && ours < theirs);
    cli_argv_free(&argv);
    assert_int_equal(cli_ssh_copy(&ssh, &endpoint, "p1", false, true, "-dash", "to", &argv, &err), PODSKU_OK);
    assert_string_equal(argv.list[0], "scp");
    assert_string_equal(argv.list[argv.count - 2], "./-dash");
    assert_string_equal(argv.list[argv.count - 1], "203.0.113.7:to");
    cli_argv_free(&argv);
    assert_int_equal(cli_ssh_copy(&ssh, &endpoint, "p1", true, false, "/from", ".", &argv, &err), PODSKU_OK);
    assert_string_equal(argv.list[0], "rsync");
    assert_true(has_word(&argv, "203.0.113.7:/from"));
    cli_argv_free(&argv);
}

static void quotes_for_a_shell(void **state)
{
    static const struct {
        const char *text, *quoted;
    } rows[] = {
        {"plain-1.0/x", "plain-1.0/x"}, {"", "''"},         {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},         {"$x\n", "'$x\n'"}, {"~", "'~'"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct podsku_buf out = {0};
        cli_ssh_quote(&out, rows[i].text);
        assert_string_equal(podsku_buf_text(&out), rows[i].quoted);
        podsku_buf_free(&out);
    }
}

static void finds_what_ssh_complains_of(void **state)
{
    struct podsku_buf errors = {0};
    char text[128];

    (void)state;
    podsku_buf_puts(&errors, "*** banner ***\r\nWarning: Permanently added 'x' to the list\nroot@h: Permission denied "
                             "(publickey).\r\n\nConnection to h closed.\n");
    cli_ssh_complaint(&errors, text, sizeof text);
    assert_string_equal(text, "root@h: Permission denied (publickey).");
    podsku_buf_reset(&errors);
    cli_ssh_complaint(&errors, text, sizeof text);
    assert_string_equal(text, "");
    podsku_buf_free(&errors);
}

static void reads_cuda_from_image_names(void **state)
{
    static const struct {
        const char *image;
        int major, minor; /* 0: none is named */
    } rows[] = {
        {"runpod/pytorch:2.4.0-py3.11-cuda12.4.1-devel-ubuntu22.04", 12, 4},
        {"runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404", 12, 8},
        {"x/y:cu118", 11, 8},
        {"nvidia/cuda:12.8.0-devel-ubuntu24.04", 12, 8},
        {"nvidia/cuda:11.8.0-base", 11, 8},
        {"img:cuda-13.0", 13, 0},
        {"img:cu12", 0, 0},
        {"img:latest", 0, 0},
        {"circus/img:1", 0, 0},
        {"img:focus128", 0, 0},
        {"cuda", 0, 0},
        {"", 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int major = 0, minor = 0;
        bool named = cli_image_cuda(rows[i].image, &major, &minor);
        assert_int_equal(named, rows[i].major != 0);
        if (named) {
            assert_int_equal(major, rows[i].major);
            assert_int_equal(minor, rows[i].minor);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_a_child_says),     cmocka_unit_test(keeps_the_end_of_errors),
        cmocka_unit_test(bounds_time_and_size),        cmocka_unit_test(does_not_wait_for_grandchildren),
        cmocka_unit_test(gives_no_key_to_children),    cmocka_unit_test(refuses_words_that_are_no_host),
        cmocka_unit_test(builds_command_lines),        cmocka_unit_test(quotes_for_a_shell),
        cmocka_unit_test(finds_what_ssh_complains_of), cmocka_unit_test(reads_cuda_from_image_names),
    };

    return cmocka_run_group_tests_name("children and ssh", tests, NULL, NULL);
}
