/* Observations: what is appended is read again, and a damaged file is told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/test.h"

#include "base/file.h"
#include "cli/observations.h"

static char folder[] = "/tmp/podsku-observations-XXXXXX";
static char path[128];

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || setenv("XDG_STATE_HOME", folder, 1) != 0)
        return -1;
    (void)snprintf(path, sizeof path, "%s/podsku/observations.jsonl", folder);
    return 0;
}

static int teardown(void **state)
{
    char name[160];

    (void)state;
    (void)unlink(path);
    (void)snprintf(name, sizeof name, "%s/podsku", folder);
    (void)rmdir(name);
    return rmdir(folder);
}

static void test_nothing_yet(void **state)
{
    struct cli cli = {0};
    struct cli_observations observations;

    (void)state;
    assert_int_equal(cli_observations_load(&cli, &observations), PODSKU_OK);
    assert_int_equal(observations.count, 0);
    assert_int_equal(access(path, F_OK), -1); /* reading makes nothing */
    cli_observations_free(&observations);
}

static void test_round_trip(void **state)
{
    struct cli cli = {0};
    struct cli_observations observations;
    const struct cli_observation first = {(char *)(uintptr_t) "NVIDIA H100 NVL",
                                          (char *)(uintptr_t) "SECURE",
                                          NULL,
                                          (char *)(uintptr_t) "mismatch",
                                          2,
                                          1764500000000};
    const struct cli_observation second = {(char *)(uintptr_t) "NVIDIA B200", NULL, (char *)(uintptr_t) "US-CA-2",
                                           (char *)(uintptr_t) "match",       0,    0};
    struct stat status;

    (void)state;
    assert_int_equal(cli_observations_add(&cli, &first), PODSKU_OK);
    assert_int_equal(cli_observations_add(&cli, &second), PODSKU_OK);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(cli_observations_load(&cli, &observations), PODSKU_OK);
    assert_int_equal(observations.count, 2);
    assert_int_equal(observations.unreadable, 0);
    assert_string_equal(observations.list[0].gpu, "NVIDIA H100 NVL");
    assert_string_equal(observations.list[0].cloud, "SECURE");
    assert_null(observations.list[0].data_center);
    assert_string_equal(observations.list[0].verdict, "mismatch");
    assert_int_equal(observations.list[0].gpus, 2);
    assert_int_equal(observations.list[0].at_ms, 1764500000000);
    assert_null(observations.list[1].cloud);
    assert_string_equal(observations.list[1].data_center, "US-CA-2");
    assert_int_equal(observations.list[1].gpus, 0);
    assert_true(observations.list[1].at_ms > 1764500000000); /* dated when it was written */
    cli_observations_free(&observations);
}

static void test_damaged(void **state)
{
    static const char text[] = "{\"gpu\":\"A\",\"verdict\":\"match\",\"gpus\":8}\n"
                               "{\"gpu\":\"A\"}\n"
                               "[]\n"
                               "{\"gpu\":\n"
                               "\n"
                               "{\"gpu\":\"B\",\"verdict\":\"match\",\"at\":\"yesterday\"}";
    struct cli cli = {0};
    struct cli_observations observations;
    struct podsku_error err = {0};

    (void)state;
    assert_int_equal(podsku_file_write(path, text, sizeof text - 1, 0600, &err), PODSKU_OK);
    assert_int_equal(cli_observations_load(&cli, &observations), PODSKU_OK);
    assert_int_equal(observations.count, 2);
    assert_int_equal(observations.unreadable, 4);
    assert_string_equal(observations.list[1].gpu, "B");
    assert_int_equal(observations.list[1].at_ms, 0);
    cli_observations_free(&observations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_yet),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
