/*
 * memcheck finds nothing in the main commands, offline and online. For builds without sanitizers.
 */
#include "tests/cli/stage.h"
#include "tests/faults/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define F PODSKU_FIXTURES
#define V2 F "/catalogue-v2/catalogue.json"
#define DEPLOY "deploy", "--gpus", "2", "--nvlink", "--image", "img:1", "--settle-timeout", "1s"

/* In the child: memcheck with the program instead of the program. Its children are not looked at. */
static void under_memcheck(void *ctx)
{
    static const char *argv[PROGRAM_ARGS_MAX + 10] = {"valgrind",
                                                      "--quiet",
                                                      "--leak-check=full",
                                                      "--errors-for-leak-kinds=definite,indirect",
                                                      "--error-exitcode=99",
                                                      PODSKU_PROGRAM};
    const char *const *words = ctx;
    size_t count = 6;

    while (*words && count < PROGRAM_ARGS_MAX)
        argv[count++] = *words++;
    (void)execvp(argv[0], (char *const *)argv);
    _exit(126);
}

static int checked(const char *const *words, int expected)
{
    program.surround = under_memcheck;
    program.surround_ctx = (void *)words;
    (void)program_run(&program, words);
    if (program.status == expected && !strstr(program_err(&program), "=="))
        return 0;
    faults_show(&program, words[0], expected, "not clean, or ended otherwise");
    return 1;
}
#define CHECKED(expected, ...) checked((const char *const[]){__VA_ARGS__, NULL}, expected)

static void offline(void **state)
{
    int bad = 0;

    (void)state;
    bad += CHECKED(0, "pick", "--gpus", "8", "--nvlink", "--catalog", "bundled", "--explain");
    bad += CHECKED(0, "pick", "--catalog", V2, "--cloud", "any", "-o", "json");
    bad += CHECKED(3, "pick", "--gpus", "8", "--nvlink", "--gpu", "H100 NVL", "--catalog", V2);
    bad += CHECKED(0, "pick", "--memory-fraction", "1/4", "--catalog", "bundled", "-o", "wide");
    bad += CHECKED(0, "catalog", "list", "--catalog", V2);
    bad += CHECKED(0, "catalog", "check", F "/catalogue-lies/catalogue.json");
    bad += CHECKED(11, "catalog", "check", F "/bad/catalogue-truncated/input.json");
    bad += CHECKED(0, "catalog", "diff", V2, F "/cli/changed.json", "-o", "json");
    bad += CHECKED(0, "catalog", "mig");
    bad += CHECKED(0, "evaluate", F "/cli/worked-examples.jsonl");
    bad += CHECKED(11, "evaluate", F "/cli/batch.jsonl", "--explain", "--catalog", V2);
    bad += CHECKED(0, "verify", F "/topo/collect-env.txt");
    bad += CHECKED(0, "verify", F "/topo/collect-env.txt", "-o", "json");
    bad += CHECKED(0, "verify", F "/topo/bridged-pairs.txt", "-o", "svg");
    bad += CHECKED(0, "help", "deploy");
    bad += CHECKED(2, "pick", "--gpuss", "8");
    assert_int_equal(bad, 0);
}

static void online(void **state)
{
    int bad = 0;

    (void)state;
    assert_true(faults_machine(&program));
    cloud_type(&cloud, CLOUD_A100)->ssh_port = 22;
    cloud_type(&cloud, CLOUD_A100)->lost = 1;
    bad += CHECKED(0, "pick", "--gpus", "8", "-o", "json");
    bad += CHECKED(0, DEPLOY, "--verify", "-o", "json", "--launch-id", "one");
    cloud_type(&cloud, CLOUD_A100)->refusals = -1;
    bad += CHECKED(4, DEPLOY);
    bad += CHECKED(0, "pods", "list");
    bad += CHECKED(0, "verify", "--pod", "pod0001", "--gpus", "2", "--nvlink");
    bad += CHECKED(0, "reconcile", "--terminate", "--launch-id", "one", "-o", "json");
    assert_int_equal(bad, 0);
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static bool has_valgrind(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        (void)dup2(STDERR_FILENO, STDOUT_FILENO);
        (void)execlp("valgrind", "valgrind", "--version", (char *)NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(offline, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(online, stage_up, stage_down),
    };

    if (faults_sanitized()) {
        (void)printf("skipped: the program is built with a sanitizer\n");
        return 77;
    }
    if (!has_valgrind()) {
        (void)printf("skipped: there is no valgrind\n");
        return 77;
    }
    faults_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    faults_end();
    return failed;
}
