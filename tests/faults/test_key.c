/*
 * The key stays where it belongs: everything that the program wrote is searched for it (both streams
 * with -v, journal, observations, recordings, known hosts, error documents), the command lines of the
 * program and of its children, and their environments; also where the service echoes it.
 */
#include "tests/cli/stage.h"
#include "tests/faults/faults.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define F PODSKU_FIXTURES
#define DEPLOY "deploy", "--gpus", "2", "--nvlink", "--image", "img:1", "--settle-timeout", "1s"
#define MARKER "SECRETSECRET" /* a part is as bad as the whole */

static int files; /* looked into by the latest search */

/* ------------------------------------------------------------------ searching */

static bool in_file(const char *path)
{
    struct podsku_buf bytes = {0};
    struct podsku_error err = {0};
    bool found = true; /* what cannot be read may hold it */

    if (podsku_file_read(path, PODSKU_FILE_MAX, &bytes, &err) == PODSKU_OK)
        found = bytes.len > 0 && memmem(bytes.data, bytes.len, MARKER, strlen(MARKER)) != NULL;
    podsku_buf_free(&bytes);
    files++;
    return found;
}

/* True if a file below the folder holds it; its name is shown. */
static bool in_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool found = false;

    while (folder && (entry = readdir(folder)) != NULL) {
        char name[1024];
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (lstat(name, &info) != 0)
            continue;
        if (strstr(entry->d_name, MARKER) || (S_ISDIR(info.st_mode) && in_folder(name)) ||
            (S_ISREG(info.st_mode) && in_file(name))) {
            (void)fprintf(stderr, "the key is in %s\n", name);
            found = true;
        }
    }
    if (folder)
        (void)closedir(folder);
    return found;
}

/* Runs it with these words and searches what it wrote; the status. */
static int searched(const char *const *words)
{
    int status = program_run(&program, words);
    const char *where = strstr(program_out(&program), MARKER)   ? "standard output"
                        : strstr(program_err(&program), MARKER) ? "standard error"
                                                                : NULL;

    assert_true(faults_sane(&program, words[0], 0));
    files = 0;
    if (where || in_folder(program.folder)) {
        faults_show(&program, words[0], 0, where ? where : "a file");
        fail_msg("the key is in %s", where ? where : "a file");
    }
    return status;
}
#define SEARCHED(...) searched((const char *const[]){__VA_ARGS__, NULL})

static void the_search_finds_it(void **state)
{
    char path[128];

    (void)state;
    assert_false(in_folder(program.folder));
    (void)snprintf(path, sizeof path, "%s/x", program.folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_non_null(program_file(&program, "x/y", "key " PROGRAM_KEY "\n"));
    assert_true(in_folder(program.folder));
    assert_true(in_file("/nonesuch"));
}

/* ------------------------------------------------------------------ commands */

static void commands(void **state)
{
    char recording[128];

    (void)state;
    assert_true(faults_machine(&program));
    cloud_type(&cloud, CLOUD_A100)->ssh_port = 22;
    assert_int_equal(SEARCHED("pick", "--gpus", "8", "-v", "--explain"), 0);
    HOLDS(program_err(&program), "GET ");
    assert_int_equal(SEARCHED("pick", "--gpus", "8", "-v", "-o", "json"), 0);
    (void)snprintf(recording, sizeof recording, "%s/recording.json", program.folder);
    assert_int_equal(SEARCHED("catalog", "pull", "-o", recording, "-v"), 0);
    assert_int_equal(SEARCHED("catalog", "list", "-v"), 0);
    assert_int_equal(SEARCHED(DEPLOY, "--dry-run", "-v", "-o", "json"), 0);
    assert_int_equal(SEARCHED(DEPLOY, "--verify", "-v", "-o", "json", "--env", "A=b"), 0);
    HOLDS(program_err(&program), "POST ");
    assert_true(files >= 5); /* recording, journal, observations, what the children saw, the scripts */
    assert_int_equal(SEARCHED("verify", "--pod", "pod0001", "-v", "--gpus", "2", "--nvlink"), 0);
    assert_int_equal(SEARCHED("verify", "--local", "--gpus", "2"), 0);
    assert_int_equal(SEARCHED("pods", "list", "-v", "-o", "json"), 0);
    assert_int_equal(SEARCHED("pods", "get", "pod0001", "-v"), 0);
    assert_int_equal(SEARCHED("pods", "stop", "pod0001", "-v"), 0);
    assert_int_equal(SEARCHED("watch", "--gpus", "2", "-v"), 0);
    assert_int_equal(SEARCHED("reconcile", "-v", "-o", "json"), 0);
    assert_int_equal(SEARCHED("observations", "-o", "json"), 0);
    (void)SEARCHED("doctor", "-v");
    (void)SEARCHED("doctor", "-v", "-o", "json");
    HOLDS(program_out(&program), "podsku.doctor/1");
    assert_int_equal(SEARCHED("pods", "terminate", "pod0001", "-v"), 0);
    assert_int_equal(SEARCHED("run", "--gpus", "2", "--nvlink", "--image", "img:1", "-v", "--", "env"), 0);
    HOLDS(program_out(&program), "PATH=");
}

static void env_values_with_the_key(void **state)
{
    (void)state;
    (void)SEARCHED(DEPLOY, "--env", "A=" PROGRAM_KEY, "-o", "json");
    assert_int_equal(program.status, 2);
    (void)SEARCHED(DEPLOY, "--env", "A=x" PROGRAM_KEY "y", "--dry-run", "--show-env", "-o", "json");
    assert_int_equal(program.status, 2);
    assert_int_equal(cloud.creates, 0);
}

/* ------------------------------------------------------------------ processes */

static bool process_holds(pid_t pid, const char *what)
{
    char path[64], text[65536];
    ssize_t len;
    int fd;

    (void)snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, what);
    fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    len = read(fd, text, sizeof text);
    (void)close(fd);
    assert_true(len > 0);
    return memmem(text, (size_t)len, MARKER, strlen(MARKER)) != NULL;
}

static void running_processes(void **state)
{
    char children[128];

    (void)state;
    assert_true(faults_machine(&program));
    cloud_type(&cloud, CLOUD_A100)->starts_ms = 60000;
    assert_true(program_start(&program, (const char *const[]){DEPLOY, "--wait", "-v", NULL}));
    assert_true(program_until(&program, "PROVISIONING", 20000));
    assert_false(process_holds(program.pid, "cmdline"));
    /* It came in by the environment, and is wiped there. */
    assert_false(process_holds(program.pid, "environ"));
    (void)kill(program.pid, SIGTERM);
    assert_int_equal(program_wait(&program), 130);
    assert_false(in_folder(program.folder));
    cloud_type(&cloud, CLOUD_A100)->starts_ms = 0;
    cloud_type(&cloud, CLOUD_A100)->ssh_port = 22;
    assert_int_equal(SEARCHED(DEPLOY, "--verify"), 0);
    /* The search saw children: their command lines and environments are there. */
    (void)snprintf(children, sizeof children, "%s/children", program.folder);
    struct podsku_buf bytes = {0};
    struct podsku_error err = {0};
    assert_int_equal(podsku_file_read(children, PODSKU_FILE_MAX, &bytes, &err), PODSKU_OK);
    HOLDS(podsku_buf_text(&bytes), "BatchMode=yes");
    HOLDS(podsku_buf_text(&bytes), "HOME=");
    LACKS(podsku_buf_text(&bytes), "RUNPOD_API_KEY");
    podsku_buf_free(&bytes);
}

/* ------------------------------------------------------------------ a service that echoes it */

#define KEY PROGRAM_KEY
#define BEARER "Bearer " KEY
#define ECHO "x-request-id: " KEY "\r\nretry-after: " KEY "\r\n"
/* The key lies where a text of 96 bytes is cut. */
#define ECHO_LATE \
    "x-request-id: 0123456789012345678901234567890123456789012345678901234567890123456789012345678" KEY "\r\n"

static const struct https_answer echoes[] = {
    {.status = 400,
     .headers = ECHO,
     .body = "{\"detail\":\"Bad header " BEARER "\",\"title\":\"" KEY "\",\"status\":400}"},
    {.status = 400, .headers = ECHO, .body = "{\"detail\":\"invalid property " KEY "\",\"errors\":[\"$: " KEY "\"]}"},
    {.status = 401, .headers = ECHO_LATE, .body = "{\"detail\":\"key " KEY " is expired\"}"},
    {.status = 402, .headers = ECHO, .body = "{\"message\":\"no balance for " KEY "\"}"},
    {.status = 403, .headers = ECHO, .body = "{\"title\":\"" KEY "\",\"detail\":\"" KEY " may not\"}"},
    {.status = 403, .headers = ECHO, .type = "text/html", .body = "<html><title>" KEY "</title>error code: 1010 " KEY},
    {.status = 404, .headers = ECHO, .body = "{\"error\":\"" KEY "\"}"},
    {.status = 410, .headers = ECHO, .body = KEY},
    {.status = 422, .headers = ECHO, .body = "{\"errors\":[\"" KEY "\",{\"msg\":\"" KEY "\"}]}"},
    {.status = 302, .headers = ECHO "location: https://example.com/?key=" KEY "\r\n", .body = KEY},
    {.status = 200, .headers = ECHO, .type = "text/" KEY, .body = KEY " is not JSON"},
    {.status = 200, .headers = ECHO, .body = "{\"gpus\":{\"" KEY "\":1},\"" KEY "\":2,\"" KEY "\":3}"},
    {.status = 200,
     .headers = ECHO,
     .body =
         "{\"gpus\":[{\"id\":\"" KEY "\",\"name\":\"" KEY
         "\",\"manufacturer\":\"NVIDIA\",\"memory\":80,\"secure\":true,\"community\":false,\"price\":{\"secure\":1.5},"
         "\"maxCount\":{\"secure\":8},\"availability\":\"HIGH\"}],\"pods\":[{\"id\":\"" KEY "\",\"name\":\"" KEY
         "\",\"status\":\"" KEY "\",\"env\":{\"PODSKU_LAUNCH_ID\":\"" KEY "\",\"X\":\"" BEARER "\"}}],\"keys\":[\"" KEY
         "\"]}"},
    {.status = 200,
     .headers = ECHO,
     .fault = HTTPS_TRUNCATE,
     .body = "{\"gpus\":[\"" KEY "\",\"" KEY "\",\"" KEY "\"]}"},
    {.status = 500, .headers = ECHO, .body = "{\"error\":\"panic: " BEARER "\"}"},
};

/* Every request gets this answer. */
static void answer_with(struct https_server *server, const struct https_answer *echo)
{
    static struct https_answer always;

    always = *echo;
    always.times = -1;
    https_server_script(server, &always, 1);
}

static void echoed_by_reads(void **state)
{
    const struct https_options plain = {.plain = true};
    struct https_server *server = https_server_start(&plain);
    char url[128], recording[128];

    (void)state;
    assert_non_null(server);
    (void)snprintf(program.url, sizeof program.url, "%s", https_server_url(server, "/v2", url, sizeof url));
    (void)snprintf(recording, sizeof recording, "%s/recording.json", program.folder);
    for (size_t i = 0; i < COUNT_OF(echoes); i++) {
        answer_with(server, &echoes[i]);
        if (echoes[i].status >= 500 || echoes[i].fault != HTTPS_OK)
            continue; /* reads are repeated for long: see below */
        (void)SEARCHED("pick", "--gpus", "8", "-v", "-o", "json", "--explain");
        (void)SEARCHED("catalog", "pull", "-v", "-o", recording);
        (void)SEARCHED("pods", "list", "-v");
        (void)SEARCHED("pods", "get", "abc", "-v", "-o", "json");
        (void)SEARCHED("reconcile", "--settle-timeout", "1s", "-v", "-o", "json");
        (void)SEARCHED("doctor", "-v", "-o", "json");
    }
    https_server_stop(server);
}

/* A catalogue that is fine, and a create that is answered with each of them. */
static void echoed_by_creates(void **state)
{
    static const char catalogue[] =
        "{\"gpus\":[{\"id\":\"" CLOUD_A100
        "\",\"name\":\"A100 SXM\",\"manufacturer\":\"NVIDIA\",\"memory\":80,\"secure\":"
        "true,\"community\":false,\"price\":{\"secure\":1.59},\"maxCount\":{\"secure\":8},\"availability\":\"HIGH\"}]}";
    const struct https_options plain = {.plain = true};
    struct https_server *server = https_server_start(&plain);
    struct https_answer script[] = {
        {.method = "POST", .path = "/v2/pods", .times = -1},
        {.method = "GET",
         .path = "/v2/pods?includeClusterPods=true",
         .times = -1,
         .headers = ECHO,
         .body = "{\"pods\":[]}"},
        {.method = "GET", .path = "/v2/pods", .times = -1, .headers = ECHO, .body = "{\"pods\":[]}"},
        {.method = "GET", .times = -1, .headers = ECHO, .body = catalogue},
    };
    char url[128];

    (void)state;
    assert_non_null(server);
    (void)snprintf(program.url, sizeof program.url, "%s", https_server_url(server, "/v2", url, sizeof url));
    for (size_t i = 0; i < COUNT_OF(echoes); i++) {
        struct https_answer rest = script[0];
        script[0] = echoes[i];
        script[0].method = rest.method;
        script[0].path = rest.path;
        script[0].times = rest.times;
        https_server_script(server, script, COUNT_OF(script));
        (void)SEARCHED(DEPLOY, "-v", "-o", "json");
        assert_true(program.status != 0);
        assert_true(https_server_count(server, "POST", NULL) > 0);
        (void)SEARCHED("reconcile", "--settle-timeout", "1s", "-v");
    }
    https_server_stop(server);
}

/* A pod's log that prints it. */
static void echoed_by_logs(void **state)
{
    (void)state;
    cloud_type(&cloud, CLOUD_A100)->ends_as = "ERROR";
    cloud_type(&cloud, CLOUD_A100)->log = "starting\nexport RUNPOD_API_KEY=" KEY "\nfailed\n";
    assert_int_equal(SEARCHED(DEPLOY, "--wait", "--max-attempts", "1", "-v"), 4);
    HOLDS(program_err(&program), "failed");
    cloud_type(&cloud, CLOUD_A100)->ends_as = NULL;
    (void)SEARCHED(DEPLOY, "--verify", "--verify-via", "logs", "--timeout", "2s", "-v", "-o", "json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_search_finds_it, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(commands, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(env_values_with_the_key, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(running_processes, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(echoed_by_reads, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(echoed_by_creates, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(echoed_by_logs, stage_up, stage_down),
    };

    faults_begin();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    faults_end();
    return failed;
}
