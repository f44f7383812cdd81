/*
 * run, the real program: how it ends, what it says of that, and what its report says. ssh is a script that runs
 * what it is given here, or lets nobody in.
 */
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/stage.h"
#include "tests/support/test.h"

#define POD "--gpus", "2", "--nvlink", "--image", "img:1"
#define RUN "run", POD, "--quiet", "--report", report_path
#define SSH_RUNS                                            \
    "#!/bin/sh\n"                                           \
    "[ \"$*\" != -V ] || { echo OpenSSH_9 >&2; exit 0; }\n" \
    "for word; do command=$word; done\n"                    \
    "exec sh -c \"$command\"\n"
#define SSH_REFUSES "#!/bin/sh\necho 'me@host: Permission denied (publickey).' >&2\nexit 255\n"
/* Without our streams: it outlives its ssh for a while. */
#define SLEEPS "echo here; exec sleep 20 </dev/null >/dev/null 2>&1"
#define COPY_FAILS "#!/bin/sh\necho 'no space left' >&2\nexit 1\n"

static char report_path[128];

static void put(const char *name, const char *text)
{
    char path[512];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", program.path_first, name);
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static int up(void **state)
{
    if (stage_up(state) != 0)
        return -1;
    (void)snprintf(report_path, sizeof report_path, "%s/report.json", program.folder);
    (void)snprintf(program.path_first, sizeof program.path_first, "%s/bin", program.folder);
    program.cwd = program.folder;
    cloud_type(&cloud, CLOUD_A100)->ssh_port = 22; /* nobody connects */
    if (mkdir(program.path_first, 0755) != 0)
        return -1;
    put("ssh", SSH_RUNS);
    put("scp", COPY_FAILS);
    put("rsync", COPY_FAILS);
    return 0;
}

static const char *text_at(const json_t *doc, const char *key)
{
    const char *text = json_string_value(json_object_get(doc, key));

    return text ? text : "";
}

/* The report says this; code: of its error, "" for none. status: of its pod, "" for no pod. */
static void expect_report(const char *result, const char *code, const char *status)
{
    json_t *doc = json_load_file(report_path, 0, NULL);

    assert_non_null(doc);
    assert_string_equal(text_at(doc, "schema"), "podsku.deploy/1");
    assert_string_equal(text_at(doc, "result"), result);
    assert_string_equal(text_at(json_object_get(doc, "error"), "code"), code);
    assert_string_equal(text_at(json_object_get(doc, "pod"), "status"), status);
    if (*status) {
        const json_t *attempt = json_array_get(json_object_get(doc, "attempts"), 0);
        assert_string_equal(text_at(attempt, "outcome"), "terminated");
    }
    json_decref(doc);
    assert_int_equal(remove(report_path), 0);
}

static void reports_a_normal_end(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 3, "run", POD, "--report", report_path, "--", "sh", "-c", "exit 3");
    HOLDS(program_err(&program), "the command has ended: terminating pod0001");
    expect_report("running", "", "TERMINATED");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void ends_with_what_it_may_spend(void **state)
{
    (void)state; /* 3.18 USD/h: 0.004 USD are four and a half seconds */
    EXPECT_RUN(&program, 125, "run", POD, "--report", report_path, "--max-spend", "0.004", "--ttl", "10m", "--", "sh",
               "-c", SLEEPS);
    HOLDS(program_out(&program), "here");
    HOLDS(program_err(&program), "--max-spend was reached while the command ran: terminating pod0001");
    HOLDS(program_err(&program), "podsku itself failed: no-capacity (4 outside of run)");
    LACKS(program_err(&program), "the command has ended");
    expect_report("failed", "no-capacity", "TERMINATED");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void ends_with_its_time_to_live(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 125, "run", POD, "--report", report_path, "--ttl", "4s", "--max-spend", "1", "--", "sh", "-c",
               SLEEPS);
    HOLDS(program_err(&program), "--ttl was reached while the command ran: terminating pod0001");
    expect_report("timeout", "timeout", "TERMINATED");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void says_that_the_command_never_started(void **state)
{
    (void)state;
    put("ssh", SSH_REFUSES);
    EXPECT_RUN(&program, 125, "run", POD, "--report", report_path, "--timeout", "3s", "--", "true");
    HOLDS(program_err(&program), "the command never started: ");
    HOLDS(program_err(&program), "Permission denied");
    LACKS(program_err(&program), "the command has ended");
    expect_report("unverified", "unverified", "TERMINATED");
    put("ssh", SSH_RUNS);
    EXPECT_RUN(&program, 125, "run", POD, "--report", report_path, "--copy-in", program.path_first, "--", "true");
    HOLDS(program_err(&program), "the command never started: ");
    HOLDS(program_err(&program), "no space left");
    LACKS(program_err(&program), "the command has ended");
    expect_report("failed", "network", "TERMINATED");
    /* It did end, and what came after it failed. */
    EXPECT_RUN(&program, 125, "run", POD, "--report", report_path, "--copy-out", "x", "--", "true");
    LACKS(program_err(&program), "never started");
    HOLDS(program_err(&program), "the command had ended with 0");
    expect_report("failed", "network", "TERMINATED");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

/* The connection for CMD breaks before anything is done, once. */
#define SSH_BREAKS_ONCE                                                                       \
    "#!/bin/sh\n"                                                                             \
    "[ \"$*\" != -V ] || { echo OpenSSH_9 >&2; exit 0; }\n"                                   \
    "for word; do command=$word; done\n"                                                      \
    "case $command in 'exec sh -c'*) mkdir \"$HOME/broke\" 2>/dev/null && exit 255 ;; esac\n" \
    "exec sh -c \"$command\"\n"

static void no_input(void *ctx)
{
    int fd = open("/dev/null", O_RDONLY);

    (void)ctx;
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        _exit(126);
}

static void tries_again_what_has_not_begun(void **state)
{
    (void)state;
    put("ssh", SSH_BREAKS_ONCE);
    program.surround = no_input;
    EXPECT_RUN(&program, 17, RUN, "--", "sh", "-c", "echo once; exit 17");
    assert_string_equal(program_out(&program), "once\n");
    expect_report("running", "", "TERMINATED");
    /* What was on a pipe may be lost: not again. */
    program.surround = NULL;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/broke", program.folder);
    assert_int_equal(rmdir(path), 0);
    EXPECT_RUN(&program, 125, RUN, "--", "true");
    HOLDS(program_err(&program), "the command never started: ");
    expect_report("failed", "network", "TERMINATED");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void says_that_a_signal_ended_it(void **state)
{
    (void)state;
    assert_true(program_start(
        &program, (const char *const[]){"run", POD, "--report", report_path, "--", "sh", "-c", SLEEPS, NULL}));
    assert_true(program_until(&program, "here", 20000));
    (void)kill(program.pid, SIGINT);
    program_expect(&program, program_wait(&program), 130, __FILE__, __LINE__);
    HOLDS(program_err(&program), "interrupted while the command ran: terminating pod0001");
    expect_report("interrupted", "interrupted", "TERMINATED");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void reports_a_signal_before_anything_is_rented(void **state)
{
    (void)state;
    cloud_type(&cloud, CLOUD_A100)->stock = "NONE";
    assert_true(program_start(&program, (const char *const[]){"run", POD, "--gpu", "A100 SXM", "--report", report_path,
                                                              "--wait-stock", "60s", "--", "true", NULL}));
    assert_true(program_until(&program, "watching the catalogue", 20000));
    (void)kill(program.pid, SIGINT);
    program_expect(&program, program_wait(&program), 130, __FILE__, __LINE__);
    HOLDS(program_err(&program), "interrupted");
    expect_report("interrupted", "interrupted", "");
    assert_int_equal(cloud.creates, 0);
}

/* Whatever is wrong with the command line, the report says so where it could be read. */
static void reports_a_wrong_command_line(void **state)
{
    static const char *const lines[][6] = {
        {"--no-such-flag"}, {"--copy-out", ""}, {"--ttl", "0"}, {"--yes"}, {"stray"}, {"--output", "no-such-format"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        const char *words[16] = {"run", POD};
        size_t count = 6;
        for (size_t k = 0; lines[i][k]; k++)
            words[count++] = lines[i][k];
        words[count++] = "--report";
        words[count++] = report_path;
        words[count++] = "--";
        words[count] = "true";
        program_expect(&program, program_run(&program, words), 125, __FILE__, __LINE__);
        HOLDS(program_err(&program), "podsku itself failed: usage (2 outside of run)");
        expect_report("failed", "usage", "");
    }
    EXPECT_RUN(&program, 125, RUN); /* no command */
    HOLDS(program_err(&program), "podsku itself failed: usage (2 outside of run)");
    expect_report("failed", "usage", "");
    EXPECT_RUN(&program, 125, "run", "--no-such-flag", "--report=/no/such/folder/report", "--", "true");
    HOLDS(program_err(&program), "the report could not be written");
    EXPECT_RUN(&program, 125, "run", "--no-such-flag", "--", "true", "--report", report_path);
    assert_int_not_equal(remove(report_path), 0); /* that is the command's */
    assert_int_equal(cloud.creates, 0);
}

/* It was handed over by a deploy, and ends with the run: nobody may miss that. */
static void says_that_a_pod_was_there_before(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 0, "deploy", POD, "--ssh", "--wait", "--launch-id", "ci-7");
    EXPECT_RUN(&program, 0, RUN, "--launch-id", "ci-7", "--", "true");
    HOLDS(program_err(&program), "warning: pod0001 was there before this run, and ends with it");
    assert_int_equal(cloud.creates, 1);
    assert_int_equal(cloud_alive(&cloud, true), 0);
    /* Not of a pod of its own. */
    EXPECT_RUN(&program, 0, RUN, "--launch-id", "ci-8", "--", "true");
    LACKS(program_err(&program), "was there before");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reports_a_normal_end, up, stage_down),
        cmocka_unit_test_setup_teardown(ends_with_what_it_may_spend, up, stage_down),
        cmocka_unit_test_setup_teardown(ends_with_its_time_to_live, up, stage_down),
        cmocka_unit_test_setup_teardown(says_that_the_command_never_started, up, stage_down),
        cmocka_unit_test_setup_teardown(tries_again_what_has_not_begun, up, stage_down),
        cmocka_unit_test_setup_teardown(says_that_a_signal_ended_it, up, stage_down),
        cmocka_unit_test_setup_teardown(reports_a_signal_before_anything_is_rented, up, stage_down),
        cmocka_unit_test_setup_teardown(reports_a_wrong_command_line, up, stage_down),
        cmocka_unit_test_setup_teardown(says_that_a_pod_was_there_before, up, stage_down),
    };

    return cmocka_run_group_tests_name("run, the program", tests, NULL, NULL);
}
