/*
 * Standard streams that are closed, full, or nobody's: data that cannot be written is exit status 1
 * (and a deploy's pod is terminated), a reader that left (`| head -1`) is no error and no noise.
 */
#include "tests/cli/stage.h"
#include "tests/faults/faults.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define F PODSKU_FIXTURES
#define V2 F "/catalogue-v2/catalogue.json"
#define DEPLOY "deploy", "--gpus", "2", "--nvlink", "--image", "img:1", "--settle-timeout", "1s"

/* What writes data, with the exit status of an undisturbed run. */
static const struct {
    const char *words[14];
    int status;
} writers[] = {
    {{"pick", "--gpus", "8", "--nvlink", "--catalog", "bundled"}, 0},
    {{"pick", "--catalog", V2, "-o", "json"}, 0},
    {{"pick", "--catalog", V2, "-o", "csv"}, 0},
    {{"pick", "--catalog", V2, "-o", "ids"}, 0},
    {{"pick", "--max-price", "0.01", "--catalog", V2, "-o", "json"}, 3},
    {{"pick", "--gpus", "8"}, 0},
    {{"catalog", "list", "--catalog", "bundled"}, 0},
    {{"catalog", "check", F "/catalogue-lies/catalogue.json"}, 0},
    {{"catalog", "diff", V2, F "/cli/changed.json"}, 0},
    {{"catalog", "mig"}, 0},
    {{"catalog", "pull", "-o", "-"}, 0},
    {{"evaluate", F "/cli/worked-examples.jsonl"}, 0},
    {{"evaluate", F "/cli/worked-examples.jsonl", "-o", "junit"}, 0},
    {{"evaluate", F "/cli/batch.jsonl", "--catalog", V2}, 11},
    {{"verify", F "/topo/collect-env.txt"}, 0},
    {{"verify", F "/topo/collect-env.txt", "-o", "json"}, 0},
    {{"verify", F "/topo/collect-env.txt", "-o", "svg"}, 0},
    {{"pods", "list", "-o", "json"}, 0},
    {{"doctor"}, 0},
    {{"reconcile", "-o", "json"}, 0},
    {{"observations", "-o", "json"}, 0},
    {{"deploy", "--gpus", "2", "--image", "img:1", "--catalog", "bundled", "--dry-run"}, 0},
    {{"help"}, 0},
    {{"help", "deploy"}, 0},
    {{"completion", "bash"}, 0},
    {{"--version"}, 0},
};

static void name_of(const char *const *words, char *name, size_t size)
{
    size_t len = 0;

    name[0] = '\0';
    for (size_t i = 0; words[i] && len < size; i++)
        len += (size_t)snprintf(name + len, size - len, "%s ", words[i]);
}

/* Every writer must end with `status`, or as ever with -1; returns how many do not. */
static int each_writer(int status, const char *said, const char *not_said)
{
    int bad = 0;

    for (size_t i = 0; i < COUNT_OF(writers); i++) {
        char name[256];
        int wanted = status < 0 ? writers[i].status : status;
        name_of(writers[i].words, name, sizeof name);
        (void)program_run(&program, writers[i].words);
        /* What doctor and verify find on this machine is not what is asked here. */
        bool fine = faults_sane(&program, name, 0) &&
                    (program.status == wanted || (status < 0 && strcmp(writers[i].words[0], "doctor") == 0)) &&
                    (!said || strstr(program_err(&program), said)) &&
                    (!not_said || !strstr(program_err(&program), not_said));
        if (!fine)
            faults_show(&program, name, wanted, "ended otherwise");
        bad += !fine;
    }
    return bad;
}

/* ------------------------------------------------------------------ standard output */

static void full_output(void *ctx)
{
    (void)ctx;
    (void)dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
}

static void no_output(void *ctx)
{
    (void)ctx;
    (void)close(STDOUT_FILENO);
}

static void limited_output(void *ctx)
{
    const struct rlimit limit = {.rlim_cur = 20000, .rlim_max = 20000};

    /* The journal is smaller, and so is the result: the file is nearly at the limit already. */
    (void)dup2(open(ctx, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    (void)!ftruncate(STDOUT_FILENO, 19995);
    (void)lseek(STDOUT_FILENO, 0, SEEK_END);
    (void)setrlimit(RLIMIT_FSIZE, &limit);
}

static void to_a_reader_that_left(void **state)
{
    (void)state;
    program.close_stdout = true;
    assert_int_equal(each_writer(-1, NULL, "ipe"), 0);
}

static void to_a_full_device(void **state)
{
    (void)state;
    program.surround = full_output;
    assert_int_equal(each_writer(1, "cannot write to standard output", NULL), 0);
}

static void to_nowhere(void **state)
{
    (void)state;
    program.surround = no_output;
    assert_int_equal(each_writer(1, "cannot write to standard output", NULL), 0);
}

/* Deploy hands a pod over by its output: without it there is no pod. */
static void deploy_without_output(void **state)
{
    char path[128];
    const struct {
        const char *what;
        bool closed;
        void (*surround)(void *ctx);
    } ways[] = {
        {"a pipe without a reader", true, NULL},
        {"/dev/full", false, full_output},
        {"closed", false, no_output},
        {"a file size limit", false, limited_output},
    };

    (void)state;
    (void)snprintf(path, sizeof path, "%s/output", program.folder);
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        int creates = cloud.creates;
        program.close_stdout = ways[i].closed;
        program.surround = ways[i].surround;
        program.surround_ctx = path;
        (void)PROGRAM(&program, DEPLOY, "--wait", "-o", "json");
        program.close_stdout = false;
        program.surround = NULL;
        if (program.status != 1 || cloud_alive(&cloud, true) != 0)
            faults_show(&program, ways[i].what, 0, "a pod that nobody was told of");
        assert_int_equal(program.status, 1);
        assert_int_equal(cloud_alive(&cloud, true), 0);
        HOLDS(program_err(&program), "cannot write to standard output");
        /* Where the stream was closed from the start it may be noticed before anything is rented. */
        assert_true(cloud.creates <= creates + 1);
        EXPECT_RUN(&program, 0, "reconcile");
    }
}

/* ------------------------------------------------------------------ the other streams */

static void full_errors(void *ctx)
{
    (void)ctx;
    (void)dup2(open("/dev/full", O_WRONLY), STDERR_FILENO);
}

static void no_errors(void *ctx)
{
    (void)ctx;
    (void)close(STDERR_FILENO);
}

static void no_input(void *ctx)
{
    (void)ctx;
    (void)close(STDIN_FILENO);
}

static void no_streams(void *ctx)
{
    no_input(ctx);
    no_output(ctx);
    no_errors(ctx);
}

static void talk_goes_nowhere(void **state)
{
    (void)state;
    program.surround = full_errors;
    assert_int_equal(each_writer(-1, NULL, NULL), 0);
    EXPECT_RUN(&program, 0, DEPLOY, "--wait");
    HOLDS(program_out(&program), "pod0001");
    program.surround = no_errors;
    assert_int_equal(each_writer(-1, NULL, NULL), 0);
    EXPECT_RUN(&program, 0, DEPLOY, "--wait");
    HOLDS(program_out(&program), "pod0002");
    LACKS(program_out(&program), "created pod0002");
}

static void nothing_comes_in(void **state)
{
    (void)state;
    program.surround = no_input;
    assert_int_equal(each_writer(-1, NULL, NULL), 0);
    EXPECT_RUN(&program, 11, "pick", "--catalog", "-");
    HOLDS(program_err(&program), "standard input");
    EXPECT_RUN(&program, 11, "evaluate", "-", "--catalog", "bundled");
    EXPECT_RUN(&program, 11, "verify", "-");
    EXPECT_RUN(&program, 11, "pick", "--requirement", "-");
    EXPECT_RUN(&program, 0, DEPLOY);
    /* The journal's descriptor is none of the three that were free. */
    program.surround = no_streams;
    EXPECT_RUN(&program, 1, DEPLOY);
    assert_int_equal(cloud_alive(&cloud, true), 1);
    program.surround = NULL;
    EXPECT_RUN(&program, 0, "reconcile");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(to_a_reader_that_left, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(to_a_full_device, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(to_nowhere, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(deploy_without_output, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(talk_goes_nowhere, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(nothing_comes_in, stage_up, stage_down),
    };

    faults_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    faults_end();
    return failed;
}
