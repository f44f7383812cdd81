/*
 * Every call of the real program that writes to the disk fails once, with ENOSPC and with EIO, and
 * from then on always (the disk stays full); and the journal's disk is full at every size. A deploy
 * then creates nothing, or its pod is handed over, gone, or found by reconcile. A file that was to be
 * replaced is as it was.
 */
#include "tests/cli/stage.h"
#include "tests/faults/faults.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define DEPLOY "deploy", "--gpus", "2", "--nvlink", "--image", "img:1", "--settle-timeout", "1s"

static bool all;

static void up(void)
{
    assert_int_equal(stage_up(NULL), 0);
}

static void down(void)
{
    assert_int_equal(stage_down(NULL), 0);
}

/* ------------------------------------------------------------------ calls that fail */

static long run(const char *const *words, long n, int number, bool stays)
{
    faults_set_number("PODSKU_FAULT_AT", n);
    faults_set_number("PODSKU_FAULT_ERRNO", number);
    (void)(stays ? setenv("PODSKU_FAULT_ALL", "1", 1) : unsetenv("PODSKU_FAULT_ALL"));
    faults_preload(PODSKU_FAIL_FILES);
    (void)program_run(&program, words);
    faults_preload(NULL);
    return faults_logged();
}

/* True if it ended as it should: done, or exit status 1 and no create without a journaled intent. */
static bool judge_deploy(const char *what, long n)
{
    bool fine = faults_sane(&program, what, n);

    if (fine && program.status == 0)
        fine = cloud_alive(&cloud, true) == 1 && strstr(program_out(&program), "pod0001");
    else if (fine && (program.status != 1 && program.status != 8))
        fine = false;
    if (!fine) {
        faults_show(&program, what, n, "ended otherwise");
        return false;
    }
    return program.status == 0 || faults_nothing_lost(&program, &cloud, what, n);
}

static long deploys(const char *what, const char *const *words, int number, bool stays)
{
    long count, bad = 0, failed = 0;

    up();
    count = run(words, 0, 0, false);
    program_expect(&program, program.status, 0, __FILE__, __LINE__);
    down();
    assert_true(count > 5);
    for (long n = 1; n <= count; n++) {
        up();
        (void)run(words, n, number, stays);
        /* The first calls make the journal: without it there is no create. */
        if (stays && n <= 3 && (program.status != 1 || cloud.creates != 0)) {
            faults_show(&program, what, n, "a create without a journal");
            bad++;
        }
        failed += program.status != 0;
        bad += !judge_deploy(what, n);
        down();
    }
    (void)printf("%s: %ld calls, %ld failures ended it\n", what, count, failed);
    assert_true(failed > 2);
    return bad;
}

static void a_deploy_whose_disk_fails(void **state)
{
    static const char *const words[] = {DEPLOY, NULL};
    static const char *const waits[] = {DEPLOY, "--wait", "-o", "json", NULL};
    long bad = 0;

    (void)state;
    bad += deploys("ENOSPC", words, ENOSPC, false);
    bad += deploys("ENOSPC from then on", waits, ENOSPC, true);
    bad += deploys("EIO", words, EIO, false);
    if (all) {
        bad += deploys("EIO from then on", words, EIO, true);
        bad += deploys("EROFS from then on", words, EROFS, true);
    }
    assert_int_equal(bad, 0);
}

static void a_recording_is_whole_or_not_there(void **state)
{
    static const char old[] = "{\"old\":true}\n";
    char path[256];
    struct podsku_buf bytes = {0};
    struct podsku_error err = {0};
    long count;

    (void)state;
    up();
    (void)snprintf(path, sizeof path, "%s", program_file(&program, "recording.json", old));
    const char *const words[] = {"catalog", "pull", "-o", path, NULL};
    count = run((const char *const[]){"catalog", "pull", "-o", "/dev/null", NULL}, 0, 0, false);
    program_expect(&program, program.status, 0, __FILE__, __LINE__);
    count += 10;
    for (long n = 1; n <= count; n++) {
        (void)run(words, n, n % 2 ? ENOSPC : EIO, true);
        assert_int_equal(podsku_file_read(path, PODSKU_FILE_MAX, &bytes, &err), PODSKU_OK);
        if (program.status == 0)
            break;
        program_expect(&program, program.status, 1, __FILE__, __LINE__);
        HOLDS(program_err(&program), path);
        /* Only the folder's own fsync may come after the rename. */
        if (strcmp(podsku_buf_text(&bytes), old) != 0)
            assert_non_null(strstr(podsku_buf_text(&bytes), "podsku_recording"));
    }
    program_expect(&program, program.status, 0, __FILE__, __LINE__);
    HOLDS(podsku_buf_text(&bytes), "podsku_recording");
    podsku_buf_free(&bytes);
    down();
}

/* ------------------------------------------------------------------ a full disk */

static void limit_size(void *ctx)
{
    const struct rlimit limit = {.rlim_cur = *(rlim_t *)ctx, .rlim_max = *(rlim_t *)ctx};

    (void)setrlimit(RLIMIT_FSIZE, &limit);
}

/* The file size limit (ulimit -f) is reached at any byte of the journal. */
static void a_journal_of_limited_size(void **state)
{
    static const char *const words[] = {DEPLOY, "--wait", NULL};
    rlim_t step = all ? 17 : 251;
    long bad = 0, failed = 0, done = 0;

    (void)state;
#ifdef __SANITIZE_THREAD__
    (void)printf("skipped: ThreadSanitizer itself writes a file when the program starts\n");
    return;
#endif
    for (rlim_t size = 0; size < 4096 && done < 3; size += step) {
        up();
        program.surround = limit_size;
        program.surround_ctx = &size;
        (void)program_run(&program, words);
        program.surround = NULL;
        if (size == 0 && cloud.creates != 0)
            fail_msg("a create without a journal");
        done += program.status == 0;
        failed += program.status != 0;
        bad += !judge_deploy("a file size limit", (long)size);
        down();
    }
    assert_int_equal(bad, 0);
    assert_true(failed > 2 && done > 0);
}

/* A real file system that is full; only root may mount one. */
static void a_full_file_system(void **state)
{
    char folder[128], path[160];
    FILE *file;

    (void)state;
    up();
    (void)snprintf(folder, sizeof folder, "%s/state", program.folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    if (mount("podsku-test", folder, "tmpfs", 0, "size=16k,mode=0700") != 0) {
        (void)printf("skipped: no file system of a given size can be mounted here\n");
        down();
        return;
    }
    (void)snprintf(path, sizeof path, "%s/filler", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    while (fputc('x', file) != EOF && fflush(file) == 0)
        ;
    (void)fclose(file);
    (void)PROGRAM(&program, DEPLOY);
    int status = program.status;
    int creates = cloud.creates;
    bool says = strstr(program_err(&program), strerror(ENOSPC)) != NULL;
    (void)umount(folder);
    down();
    assert_int_equal(status, 1);
    assert_int_equal(creates, 0);
    assert_true(says);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest preloading[] = {
        cmocka_unit_test(a_deploy_whose_disk_fails),
        cmocka_unit_test(a_recording_is_whole_or_not_there),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_journal_of_limited_size),
        cmocka_unit_test(a_full_file_system),
    };
    int failed = 0;

    all = argc > 1 && strcmp(argv[1], "long") == 0;
    cmocka_set_test_filter(argc > 2 ? argv[2] : NULL);
    faults_begin();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (faults_no_preload())
        (void)printf("partly skipped: %s\n", faults_no_preload());
    else
        failed += cmocka_run_group_tests(preloading, NULL, NULL);
    faults_end();
    return failed;
}
