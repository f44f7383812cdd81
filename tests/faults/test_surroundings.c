/*
 * Surroundings that fail: no home, folders that cannot be written to, few descriptors, no CA store,
 * clocks that jump, locales with another decimal point, narrow terminals.
 */
#include "tests/cli/stage.h"
#include "tests/faults/faults.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define F PODSKU_FIXTURES
#define V2 F "/catalogue-v2/catalogue.json"
#define DEPLOY "deploy", "--gpus", "2", "--nvlink", "--image", "img:1", "--settle-timeout", "1s"
#define NOBODY 54321 /* has no entry in the list of users either */

/* ------------------------------------------------------------------ folders */

static void become_nobody(void)
{
    if (getuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        _exit(126);
}

static void no_home(void *ctx)
{
    (void)ctx;
    become_nobody();
    (void)unsetenv("HOME");
    (void)unsetenv("XDG_STATE_HOME");
}

static void foreign_state(void *ctx)
{
    become_nobody();
    (void)setenv("XDG_STATE_HOME", ctx, 1);
}

static void other_state(void *ctx)
{
    (void)setenv("XDG_STATE_HOME", ctx, 1);
}

static void expect_no_create(const char *what)
{
    (void)PROGRAM(&program, DEPLOY);
    if (program.status != 1 || cloud.creates != 0)
        faults_show(&program, what, cloud.creates, "a create without a journal");
    assert_int_equal(program.status, 1);
    assert_int_equal(cloud.creates, 0);
}

static void without_a_home(void **state)
{
    (void)state;
    if (getuid() != 0) {
        /* The list of users names a home for this one; only root can become somebody without. */
        print_message("skipped: needs root\n");
        return;
    }
    program.surround = no_home;
    if (PROGRAM(&program, "--version") == 127) {
        print_message("skipped: another user cannot run the program\n");
        return;
    }
    EXPECT_RUN(&program, 0, "pick", "--catalog", "bundled");
    EXPECT_RUN(&program, 0, "pick", "--gpus", "8");
    EXPECT_RUN(&program, 0, "pick", "--gpus", "8", "--explain");
    EXPECT_RUN(&program, 0, "verify", F "/topo/bridged-pairs.txt");
    EXPECT_RUN(&program, 0, "observations");
    EXPECT_RUN(&program, 0, "pods", "list");
    (void)PROGRAM(&program, "doctor");
    assert_true(faults_sane(&program, "doctor", 0));
    expect_no_create("no home");
    HOLDS(program_err(&program), "XDG_STATE_HOME");
}

static void folders_that_cannot_be_written_to(void **state)
{
    char closed[128], file[128];

    (void)state;
    (void)snprintf(file, sizeof file, "%s/file", program.folder);
    assert_non_null(program_file(&program, "file", ""));
    program.surround = other_state;
    program.surround_ctx = file; /* not a folder */
    expect_no_create("a file");
    HOLDS(program_err(&program), file);
    EXPECT_RUN(&program, 0, "pick", "--gpus", "8");
    program.surround_ctx = (char[]){"/proc"}; /* not even for root */
    expect_no_create("/proc");
    EXPECT_RUN(&program, 0, "pick", "--gpus", "8", "--explain");
    (void)snprintf(closed, sizeof closed, "%s/closed", program.folder);
    assert_int_equal(mkdir(closed, 0555), 0);
    assert_int_equal(chmod(program.folder, 0755), 0);
    program.surround = foreign_state;
    program.surround_ctx = closed;
    if (PROGRAM(&program, "--version") != 127) {
        expect_no_create("a read-only folder");
        HOLDS(program_err(&program), closed);
        EXPECT_RUN(&program, 0, "pick", "--gpus", "8");
    }
    /* The journal itself. */
    (void)snprintf(closed, sizeof closed, "%s/state", program.folder);
    assert_int_equal(mkdir(closed, 0700), 0);
    (void)snprintf(closed, sizeof closed, "%s/state/podsku", program.folder);
    assert_int_equal(mkdir(closed, 0700), 0);
    (void)snprintf(closed, sizeof closed, "%s/state/podsku/journal.jsonl", program.folder);
    assert_int_equal(mkdir(closed, 0700), 0);
    program.surround = NULL;
    expect_no_create("a folder in the journal's place");
    HOLDS(program_err(&program), closed);
}

/* ------------------------------------------------------------------ descriptors */

static void few_descriptors(void *ctx)
{
    const rlim_t count = *(rlim_t *)ctx;
    const struct rlimit limit = {.rlim_cur = count, .rlim_max = count};

    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

static void with_few_descriptors(void **state)
{
    rlim_t count = 16;

    (void)state;
    program.surround = few_descriptors;
    program.surround_ctx = &count;
    EXPECT_RUN(&program, 0, "pick", "--gpus", "8");
    EXPECT_RUN(&program, 0, "pick", "--catalog", V2);
    EXPECT_RUN(&program, 0, DEPLOY, "--wait", "--launch-id", "few");
    EXPECT_RUN(&program, 0, "reconcile", "--terminate", "--launch-id", "few");
    assert_int_equal(cloud_alive(&cloud, true), 0);
    for (count = 12; count >= 3; count--) {
        (void)PROGRAM(&program, DEPLOY, "--launch-id", "few");
        assert_true(faults_sane(&program, "descriptors", (long)count));
        if (program.status == 0)
            HOLDS(program_out(&program), "A100 SXM x2");
        program.surround = NULL;
        if (program.status == 0)
            EXPECT_RUN(&program, 0, "reconcile", "--terminate", "--launch-id", "few");
        assert_true(faults_nothing_lost(&program, &cloud, "descriptors", (long)count));
        program.surround = few_descriptors;
    }
}

/* ------------------------------------------------------------------ certificates */

static void empty_store(void *ctx)
{
    (void)setenv("CURL_CA_BUNDLE", ctx, 1);
}

static void hidden_store(void *ctx)
{
    (void)ctx;
    (void)unsetenv("CURL_CA_BUNDLE");
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("podsku-test", "/etc/ssl", "tmpfs", 0, "size=16k") != 0)
        _exit(126);
}

static void without_certificates(void **state)
{
    const struct https_options secure = {0};
    struct https_server *server = https_server_start(&secure);
    char url[128], path[256];

    (void)state;
    assert_non_null(server);
    (void)snprintf(program.url, sizeof program.url, "%s", https_server_url(server, "/v2", url, sizeof url));
    program.surround = empty_store;
    (void)snprintf(path, sizeof path, "%s", program_file(&program, "empty.pem", ""));
    program.surround_ctx = path;
    EXPECT_RUN(&program, 7, "pick", "--gpus", "8");
    HOLDS(program_err(&program), "TLS");
    HOLDS(program_err(&program), "CURL_CA_BUNDLE");
    (void)snprintf(path, sizeof path, "%s/missing.pem", program.folder);
    EXPECT_RUN(&program, 7, DEPLOY);
    HOLDS(program_err(&program), "TLS");
    HOLDS(program_err(&program), "CURL_CA_BUNDLE");
    program.surround = hidden_store;
    if (PROGRAM(&program, "pick", "--gpus", "8") == 126) {
        print_message("partly skipped: /etc/ssl cannot be hidden here\n");
    } else {
        EXPECT_RUN(&program, 7, "pick", "--gpus", "8");
        HOLDS(program_err(&program), "TLS");
        HOLDS(program_err(&program), "CURL_CA_BUNDLE");
        EXPECT_RUN(&program, 0, "pick", "--catalog", "bundled");
        EXPECT_RUN(&program, 0, "verify", F "/topo/bridged-pairs.txt");
    }
    assert_int_equal(https_server_requests(server), 0);
    https_server_stop(server);
}

/* ------------------------------------------------------------------ clocks */

static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);

    return at ? strtod(at + strlen(key), NULL) : -1;
}

static void clocks_jump(void **state)
{
    static const long jumps[] = {-86400, 86400, -1700000000};

    (void)state;
    if (faults_no_preload()) {
        print_message("skipped: %s\n", faults_no_preload());
        return;
    }
    for (size_t i = 0; i < COUNT_OF(jumps); i++) {
        for (long n = 1; n <= 9; n += 2) {
            const int64_t start = podsku_clock_mono_ms(podsku_clock_system());
            cloud_type(&cloud, CLOUD_A100)->starts_ms = 300;
            cloud_type(&cloud, CLOUD_A100)->lost = n == 3;
            faults_set_number("PODSKU_FAULT_AT", n);
            faults_set_number("PODSKU_FAULT_JUMP", jumps[i]);
            faults_preload(PODSKU_FAIL_FILES);
            (void)PROGRAM(&program, DEPLOY, "--wait", "--timeout", "20s", "-o", "json", "--launch-id", "jump");
            faults_preload(NULL);
            if (program.status != 0)
                faults_show(&program, "a clock that jumps", n, "failed");
            assert_int_equal(program.status, 0);
            assert_true(number_after(program_out(&program), "\"spent_usd\": ") >= 0);
            assert_true(number_after(program_out(&program), "\"spent_usd\": ") < 1);
            assert_true(podsku_clock_mono_ms(podsku_clock_system()) - start < 20000);
            /* It is known, whatever the clock says now. */
            EXPECT_RUN(&program, 0, "reconcile");
            EXPECT_RUN(&program, 0, "reconcile", "--terminate", "--launch-id", "jump");
            assert_int_equal(cloud_alive(&cloud, true), 0);
        }
    }
    (void)unsetenv("PODSKU_FAULT_JUMP");
}

/* ------------------------------------------------------------------ locales */

struct place {
    const char *name, *path;
};

static void in_locale(void *ctx)
{
    const struct place *place = ctx;

    (void)setenv("LC_ALL", place->name, 1);
    (void)setenv("LANG", place->name, 1);
    if (place->path)
        (void)setenv("LOCPATH", place->path, 1);
    /* glibc itself leaks LOCPATH's parts. */
    if (place->path)
        (void)setenv("ASAN_OPTIONS", "detect_leaks=0:exitcode=99", 1);
}

/* Compiles a locale into the program's folder; false where this cannot be done. */
static bool make_locale(const char *source, const char *charset, const char *name)
{
    char path[256];
    int status = 0;
    pid_t pid;

    (void)snprintf(path, sizeof path, "%s/%s", program.folder, name);
    pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        (void)dup2(null, STDOUT_FILENO);
        (void)dup2(null, STDERR_FILENO);
        (void)execlp("localedef", "localedef", "-i", source, "-f", charset, "--no-archive", path, (char *)NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) <= 1 &&
           access(path, R_OK) == 0;
}

static void speaks_in(struct place place)
{
    program.surround = in_locale;
    program.surround_ctx = &place;
    EXPECT_RUN(&program, 0, "pick", "--gpus", "8", "--nvlink", "--catalog", "bundled");
    HOLDS(program_out(&program), "12.72");
    HOLDS(program_out(&program), "A100 SXM");
    LACKS(program_out(&program), "12,72");
    /* No character that the locale cannot show. */
    for (const char *at = program_out(&program); *at; at++)
        assert_true((unsigned char)*at < 0x80);
    EXPECT_RUN(&program, 0, "pick", "--catalog", V2, "--max-price", "0.5", "-o", "json", "--sort", "price");
    HOLDS(program_out(&program), "\"price_per_hour\": 0.");
    EXPECT_RUN(&program, 2, "pick", "--catalog", V2, "--max-price", "0,5");
    EXPECT_RUN(&program, 0, "pick", "--catalog", V2, "--manufacturer", "NVIDIA", "--gpu", "NVIDIA rtx a5000", "-o",
               "ids");
    HOLDS(program_out(&program), "NVIDIA RTX A5000");
    EXPECT_RUN(&program, 0, DEPLOY, "--max-total", "3.5", "-o", "json");
    HOLDS(program_out(&program), "\"price_per_hour\": 3.18");
    program.surround = NULL;
}

static void locales_without_utf8(void **state)
{
    static const struct {
        const char *source, *charset, *name;
    } made[] = {
        {"de_DE", "ISO-8859-1", "de_DE"},
        {"tr_TR", "ISO-8859-9", "tr_TR"},
    };

    (void)state;
    speaks_in((struct place){"C", NULL});
    speaks_in((struct place){"POSIX", NULL});
    speaks_in((struct place){"xx_XX.nonesuch", NULL});
    for (size_t i = 0; i < COUNT_OF(made); i++) {
        if (make_locale(made[i].source, made[i].charset, made[i].name))
            speaks_in((struct place){made[i].name, program.folder});
        else
            print_message("skipped: %s cannot be made here\n", made[i].name);
    }
}

/* ------------------------------------------------------------------ terminals */

struct terminal {
    int master;
    char slave[64];
    int columns;
    bool no_color;
};

static void on_terminal(void *ctx)
{
    const struct terminal *terminal = ctx;
    const struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)terminal->columns};
    int fd = open(terminal->slave, O_RDWR | O_NOCTTY);

    (void)ioctl(fd, TIOCSWINSZ, &size);
    (void)dup2(fd, STDOUT_FILENO);
    (void)unsetenv("NO_COLOR");
    (void)setenv("TERM", "xterm", 1);
    (void)setenv("LC_ALL", "C.UTF-8", 1);
    if (terminal->no_color)
        (void)setenv("NO_COLOR", "1", 1);
}

/* Runs it with standard output on a terminal, and returns what stood there. */
static char *shown(const char *const *words, int columns, bool no_color)
{
    static char text[65536];
    struct terminal terminal = {.columns = columns, .no_color = no_color};
    size_t len = 0;
    ssize_t got;

    terminal.master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    assert_true(terminal.master >= 0);
    assert_true(grantpt(terminal.master) == 0 && unlockpt(terminal.master) == 0);
    assert_int_equal(ptsname_r(terminal.master, terminal.slave, sizeof terminal.slave), 0);
    program.surround = on_terminal;
    program.surround_ctx = &terminal;
    (void)program_run(&program, words);
    program.surround = NULL;
    assert_true(faults_sane(&program, words[0], columns));
    while ((got = read(terminal.master, text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)got;
    text[len] = '\0';
    (void)close(terminal.master);
    assert_true(len > 0);
    return text;
}

/* The longest line in characters. */
static size_t longest_line(const char *text)
{
    size_t longest = 0, columns = 0;

    for (; *text; text++) {
        if (*text == '\n' || *text == '\r')
            columns = 0;
        else if (((unsigned char)*text & 0xc0) != 0x80)
            columns++;
        if (columns > longest)
            longest = columns;
    }
    return longest;
}

static void narrow_and_plain_terminals(void **state)
{
    static const struct {
        const char *words[10];
    } rows[] = {
        {{"pick", "--gpus", "8", "--nvlink", "--catalog", "bundled", "--limit", "3"}},
        {{"pick", "--memory-fraction", "1/4", "--catalog", "bundled"}},
        {{"catalog", "list", "--catalog", V2}},
        {{"catalog", "mig"}},
        {{"verify", F "/topo/bridged-pairs.txt"}},
        {{"pods", "list"}},
    };

    (void)state;
    EXPECT_RUN(&program, 0, DEPLOY);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *text = shown(rows[i].words, 20, true);
        assert_null(strchr(text, '\033'));
        if (longest_line(text) > 20)
            fail_msg("%s: %zu columns on a terminal of 20:\n%s", rows[i].words[0], longest_line(text), text);
        assert_null(strchr(shown(rows[i].words, 100, true), '\033'));
    }
    /* The test sees colour where there is some. */
    assert_non_null(
        strchr(shown((const char *const[]){"verify", F "/topo/bridged-pairs.txt", NULL}, 100, false), '\033'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_home, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(folders_that_cannot_be_written_to, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(with_few_descriptors, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(without_certificates, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(clocks_jump, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(locales_without_utf8, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(narrow_and_plain_terminals, stage_up, stage_down),
    };

    faults_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    faults_end();
    return failed;
}
