/* Where the API key comes from, and what is refused; the state folder. */
#include "tests/support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"

static char root[64];

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "/tmp/podsku-settings-XXXXXX");
    assert_non_null(mkdtemp(root));
    assert_int_equal(setenv("HOME", root, 1), 0);
    (void)unsetenv("XDG_CONFIG_HOME");
    (void)unsetenv("XDG_STATE_HOME");
    (void)unsetenv("RUNPOD_API_KEY");
    (void)unsetenv("RUNPOD_API_KEY_FILE");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes root/path (folders are made) with this mode; returns the whole path, static. */
static const char *write_file(const char *path, const char *text, unsigned mode)
{
    static char whole[256];
    int fd;

    (void)snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(whole, 0700);
        *slash = '/';
    }
    fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
    return whole;
}

static void expect_key(const char *key, const char *source)
{
    struct cli cli = {0};

    assert_int_equal(cli_find_key(&cli), PODSKU_OK);
    if (key) {
        assert_string_equal(cli.key, key);
        assert_non_null(strstr(cli.key_source, source));
    } else {
        assert_null(cli.key);
        assert_null(cli.key_source);
    }
    /* A second look finds the same, and reads nothing again. */
    assert_int_equal(cli_find_key(&cli), PODSKU_OK);
    cli_end(&cli);
    assert_null(cli.key);
}

static void expect_error(enum podsku_code code, const char *message, const char *where)
{
    struct cli cli = {0};

    assert_int_equal(cli_find_key(&cli), code);
    assert_non_null(strstr(cli.err.message, message));
    assert_non_null(strstr(cli.err.where, where));
    assert_null(strstr(cli.err.message, "sec-ret"));
    assert_null(strstr(cli.err.hint, "sec-ret"));
    cli_end(&cli);
}

static void places_are_looked_at_in_order(void **state)
{
    (void)state;
    expect_key(NULL, NULL);
    (void)write_file(".runpod/config.toml", "apikey = \"from-toml\"\n", 0600);
    expect_key("from-toml", ".runpod/config.toml");
    (void)write_file(".config/podsku/config.json", "{\"api_key\": \"from-json\"}", 0600);
    expect_key("from-json", ".config/podsku/config.json");
    assert_int_equal(setenv("RUNPOD_API_KEY_FILE", write_file("keyfile", "  from-file\r\n", 0600), 1), 0);
    expect_key("from-file", "keyfile");
    assert_int_equal(setenv("RUNPOD_API_KEY", "from-environment", 1), 0);
    expect_key("from-environment", "RUNPOD_API_KEY");
    /* It is gone from the environment that children would get. */
    assert_null(getenv("RUNPOD_API_KEY"));
}

static void empty_is_as_if_unset(void **state)
{
    (void)state;
    (void)write_file(".runpod/config.toml", "apikey = \"from-toml\"\n", 0600);
    (void)write_file(".config/podsku/config.json", "{\"api_key\": \"\"}", 0644);
    assert_int_equal(setenv("RUNPOD_API_KEY_FILE", write_file("keyfile", " \n", 0600), 1), 0);
    assert_int_equal(setenv("RUNPOD_API_KEY", "", 1), 0);
    expect_key("from-toml", ".runpod/config.toml");
    assert_int_equal(setenv("RUNPOD_API_KEY_FILE", "", 1), 0);
    (void)write_file(".config/podsku/config.json", "{\"api_key\": null}", 0600);
    expect_key("from-toml", ".runpod/config.toml");
    (void)write_file(".config/podsku/config.json", "", 0600);
    (void)write_file(".runpod/config.toml", "apikey = \"\"\n", 0644);
    expect_key(NULL, NULL);
}

static void folders_of_the_environment_are_used(void **state)
{
    char folder[128];

    (void)state;
    (void)write_file("elsewhere/podsku/config.json", "{\"api_key\": \"from-xdg\"}", 0600);
    (void)snprintf(folder, sizeof folder, "%s/elsewhere", root);
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    expect_key("from-xdg", "elsewhere/podsku/config.json");
    /* A relative folder is to be ignored. */
    assert_int_equal(setenv("XDG_CONFIG_HOME", "elsewhere", 1), 0);
    expect_key(NULL, NULL);
}

static void files_that_everybody_reads_are_refused(void **state)
{
    (void)state;
    (void)write_file(".runpod/config.toml", "apikey = \"sec-ret\"\n", 0604);
    expect_error(PODSKU_AUTH, "everybody on this machine can read", ".runpod/config.toml");
    (void)write_file(".config/podsku/config.json", "{\"api_key\": \"sec-ret\"}", 0644);
    expect_error(PODSKU_AUTH, "everybody on this machine can read", "config.json");
    assert_int_equal(setenv("RUNPOD_API_KEY_FILE", write_file("keyfile", "sec-ret", 0644), 1), 0);
    expect_error(PODSKU_AUTH, "everybody on this machine can read", "keyfile");
}

static void files_that_cannot_be_read_are_errors(void **state)
{
    char path[128];

    (void)state;
    (void)snprintf(path, sizeof path, "%s/missing", root);
    assert_int_equal(setenv("RUNPOD_API_KEY_FILE", path, 1), 0);
    expect_error(PODSKU_AUTH, "No such file", "missing");
    assert_int_equal(setenv("RUNPOD_API_KEY_FILE", root, 1), 0);
    expect_error(PODSKU_AUTH, "cannot be read", root);
    (void)unsetenv("RUNPOD_API_KEY_FILE");
    if (geteuid() != 0) { /* root reads everything */
        (void)write_file(".config/podsku/config.json", "{}", 0000);
        expect_error(PODSKU_AUTH, "cannot be read", "config.json");
    }
}

static void wrong_files_are_errors(void **state)
{
    static const struct {
        const char *text, *message, *where;
    } cases[] = {
        {"{\"api_key\": \"sec-ret\"", "", "config.json:1"},
        {"[]", "no JSON object", "config.json: $"},
        {"{\"apikey\": \"sec-ret\"}", "unknown setting", "config.json: $.apikey"},
        {"{\"api_key\": 12}", "no string", "config.json: $.api_key"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        (void)write_file(".config/podsku/config.json", cases[i].text, 0600);
        expect_error(PODSKU_INPUT, cases[i].message, cases[i].where);
    }
    (void)write_file(".config/podsku/config.json", "{}", 0600);
    (void)write_file(".runpod/config.toml", "x = 1\napikey = 12\n", 0600);
    expect_error(PODSKU_INPUT, "no string", "config.toml:2");
}

static void bytes_that_no_key_has_are_refused(void **state)
{
    static const char *const keys[] = {"a b", "a\tb", "a\nb", "sec-ret\x7f", "\xc3\xa9", " sec-ret"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        assert_int_equal(setenv("RUNPOD_API_KEY", keys[i], 1), 0);
        expect_error(PODSKU_AUTH, "a byte that no key has", "");
        assert_null(getenv("RUNPOD_API_KEY"));
    }
}

static void the_state_folder_is_private(void **state)
{
    struct cli cli = {0};
    const char *folder;
    char wanted[128];
    struct stat info;

    (void)state;
    assert_int_equal(cli_state_dir(&cli, &folder), PODSKU_OK);
    (void)snprintf(wanted, sizeof wanted, "%s/.local/state/podsku", root);
    assert_string_equal(folder, wanted);
    assert_int_equal(stat(folder, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(cli_state_dir(&cli, &folder), PODSKU_OK);
    (void)snprintf(wanted, sizeof wanted, "%s/deep/er", root);
    assert_int_equal(setenv("XDG_STATE_HOME", wanted, 1), 0);
    assert_int_equal(cli_state_dir(&cli, &folder), PODSKU_OK);
    assert_int_equal(stat(folder, &info), 0);
    (void)write_file("file", "", 0600);
    (void)snprintf(wanted, sizeof wanted, "%s/file", root);
    assert_int_equal(setenv("XDG_STATE_HOME", wanted, 1), 0);
    assert_int_equal(cli_state_dir(&cli, &folder), PODSKU_STATE);
    assert_non_null(strstr(cli.err.message, "cannot be made"));
}

static void values_name_their_option(void **state)
{
    static const struct {
        const char *words[5];
        enum podsku_code code;
        int64_t duration, count, money;
    } cases[] = {
        {{"podsku", "deploy", NULL}, PODSKU_OK, 5, 3, 7},
        {{"podsku", "deploy", "--timeout", "90s", NULL}, PODSKU_OK, 90000, 3, 7},
        {{"podsku", "deploy", "--timeout", "soon", NULL}, PODSKU_USAGE, 0, 0, 0},
        {{"podsku", "deploy", "--max-attempts", "5", NULL}, PODSKU_OK, 5, 5, 7},
        {{"podsku", "deploy", "--max-attempts", "0", NULL}, PODSKU_USAGE, 0, 0, 0},
        {{"podsku", "deploy", "--max-attempts", "11", NULL}, PODSKU_USAGE, 0, 0, 0},
        {{"podsku", "deploy", "--max-spend", "2.5", NULL}, PODSKU_OK, 5, 3, 2500000},
        {{"podsku", "deploy", "--max-spend", "-1", NULL}, PODSKU_USAGE, 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cli cli = {0};
        int64_t duration = 0, count = 0, money = 0;
        int argc = 0;
        enum podsku_code code;
        while (cases[i].words[argc])
            argc++;
        assert_int_equal(cli_parse(&cli, argc, (char **)cases[i].words), PODSKU_OK);
        code = cli_duration(&cli, "timeout", 5, &duration);
        if (!code)
            code = cli_count(&cli, "max-attempts", 3, 1, 10, &count);
        if (!code)
            code = cli_money(&cli, "max-spend", 7, &money);
        assert_int_equal(code, cases[i].code);
        if (code) {
            assert_non_null(strstr(cli.err.message, cases[i].words[2]));
            assert_true(cli.err.hint[0] != '\0');
        } else {
            assert_int_equal(duration, cases[i].duration);
            assert_int_equal(count, cases[i].count);
            assert_int_equal(money, cases[i].money);
        }
        cli_end(&cli);
    }
}

#define WITH_HOME(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_HOME(places_are_looked_at_in_order),        WITH_HOME(empty_is_as_if_unset),
        WITH_HOME(folders_of_the_environment_are_used),  WITH_HOME(files_that_everybody_reads_are_refused),
        WITH_HOME(files_that_cannot_be_read_are_errors), WITH_HOME(wrong_files_are_errors),
        WITH_HOME(bytes_that_no_key_has_are_refused),    WITH_HOME(the_state_folder_is_private),
        cmocka_unit_test(values_name_their_option),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
