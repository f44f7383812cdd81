/*
 * fixtures/bad/catalogue-* and facts-*: each input fails with exactly the error in expected.txt
 * (where, message, hint; one line each). `check` reports the same error as a finding.
 */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "catalog/check.h"

static void expect(const char *name, const struct podsku_error *err)
{
    struct podsku_buf expected = {0};
    struct podsku_buf actual = {0};
    char path[512];

    (void)snprintf(path, sizeof path, "bad/%s/expected.txt", name);
    read_fixture(path, &expected);
    podsku_buf_printf(&actual, "%s\n%s\n%s\n", err->where, err->message, err->hint);
    if (strcmp(podsku_buf_text(&expected), podsku_buf_text(&actual)) != 0)
        fail_msg("%s: expected\n%sactual\n%s", name, podsku_buf_text(&expected), podsku_buf_text(&actual));
    podsku_buf_free(&expected);
    podsku_buf_free(&actual);
}

/* The finding that says what loading says: same place, same message. */
static void check_agrees(const char *name, const struct podsku_buf *input, const struct podsku_error *err)
{
    struct podsku_findings findings;
    struct podsku_error check_err = {0};
    const char *where = strncmp(err->where, "input.json: ", 12) == 0 ? err->where + 12 : err->where;
    bool found = false;

    assert_int_equal(podsku_catalog_check(podsku_buf_text(input), input->len, "input.json", podsku_facts_builtin(),
                                          &findings, &check_err),
                     PODSKU_OK);
    for (size_t i = 0; i < findings.count; i++)
        found = found || (findings.list[i].is_error && strcmp(findings.list[i].path, where) == 0 &&
                          strcmp(findings.list[i].message, err->message) == 0);
    if (!found || findings.errors == 0)
        fail_msg("%s: check does not report it", name);
    podsku_findings_free(&findings);
}

static void run_catalogue(const char *name, const struct podsku_buf *input)
{
    struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    enum podsku_code code = podsku_catalog_load(podsku_buf_text(input), input->len, "input.json",
                                                podsku_facts_builtin(), NULL, PODSKU_INPUT, &catalog, &err);
    if (code != PODSKU_INPUT || catalog)
        fail_msg("%s: loaded", name);
    expect(name, &err);
    check_agrees(name, input, &err);
}

static void run_facts(const char *name, const struct podsku_buf *input)
{
    const struct podsku_facts_set *set;
    struct podsku_error err = {0};

    if (podsku_facts_load(podsku_buf_text(input), input->len, "input.json", &set, &err) != PODSKU_INPUT || set)
        fail_msg("%s: loaded", name);
    expect(name, &err);
}

static void run_all(const char *prefix, size_t least, void (*run)(const char *name, const struct podsku_buf *input))
{
    DIR *folder = opendir(PODSKU_FIXTURES "/bad");
    size_t count = 0;

    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        struct podsku_buf input = {0};
        char path[512];
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        (void)snprintf(path, sizeof path, "bad/%.200s/input.json", entry->d_name);
        read_fixture(path, &input);
        run(entry->d_name, &input);
        podsku_buf_free(&input);
        count++;
    }
    (void)closedir(folder);
    assert_true(count >= least);
}

static void catalogues(void **state)
{
    (void)state;
    run_all("catalogue-", 65, run_catalogue);
}

static void facts(void **state)
{
    (void)state;
    run_all("facts-", 26, run_facts);
}

/* Larger than what is read at all. A sparse file: it takes no room. */
static void too_large(void **state)
{
    char path[] = "/tmp/podsku-test-XXXXXX";
    struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)PODSKU_FILE_MAX + 1), 0);
    assert_int_equal(close(fd), 0);
    enum podsku_code code = podsku_catalog_load_file(path, podsku_facts_builtin(), &catalog, &err);
    (void)unlink(path);
    assert_int_equal(code, PODSKU_INPUT);
    assert_string_equal(err.where, path);
    assert_non_null(strstr(err.message, "256 MiB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(catalogues),
        cmocka_unit_test(facts),
        cmocka_unit_test(too_large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
