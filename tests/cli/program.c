#include "tests/cli/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/support/https_server.h"
#include "tests/support/test.h"

#define LIMIT_MS 60000

bool program_init(struct program *program, const char *url)
{
    memset(program, 0, sizeof *program);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)snprintf(program->folder, sizeof program->folder, "/tmp/podsku-test-XXXXXX");
    if (!mkdtemp(program->folder))
        return false;
    (void)snprintf(program->url, sizeof program->url, "%s", url ? url : "");
    for (size_t i = 0; i < 3; i++)
        program->fds[i] = -1;
    return true;
}

void program_remove_tree(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL) {
        char name[1024];
        struct stat info;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (lstat(name, &info) == 0 && S_ISDIR(info.st_mode))
            program_remove_tree(name);
        else
            (void)unlink(name);
    }
    if (folder)
        (void)closedir(folder);
    (void)rmdir(path);
}

void program_end(struct program *program)
{
    podsku_buf_free(&program->out);
    podsku_buf_free(&program->err);
    program_remove_tree(program->folder);
}

const char *program_file(struct program *program, const char *name, const char *text)
{
    static char path[256];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", program->folder, name);
    file = fopen(path, "w");
    if (!file)
        return NULL;
    (void)fputs(text, file);
    (void)fclose(file);
    return path;
}

/* In the child. */
static void set_environment(const struct program *program)
{
    static const char *const unset[] = {"RUNPOD_API_KEY",    "RUNPOD_API_KEY_FILE", "XDG_CONFIG_HOME", "PODSKU_API_URL",
                                        "PODSKU_API_V1_URL", "PODSKU_GRAPHQL_URL",  "COLUMNS",         "HTTPS_PROXY",
                                        "https_proxy",       "ALL_PROXY",           "all_proxy",       "SSH_AUTH_SOCK"};
    char state[128];
    char path[4096];

    for (size_t i = 0; i < COUNT_OF(unset); i++)
        (void)unsetenv(unset[i]);
    (void)snprintf(state, sizeof state, "%s/state", program->folder);
    (void)setenv("HOME", program->folder, 1);
    (void)setenv("XDG_STATE_HOME", state, 1);
    if (program->url[0])
        (void)setenv("PODSKU_API_URL", program->url, 1);
    if (!program->no_key)
        (void)setenv("RUNPOD_API_KEY", PROGRAM_KEY, 1);
    if (program->path_first[0]) {
        (void)snprintf(path, sizeof path, "%s:%s", program->path_first, getenv("PATH") ? getenv("PATH") : "/usr/bin");
        (void)setenv("PATH", path, 1);
    }
}

static void become(const struct program *program, const char *const *words, int ends[3])
{
    const char *argv[PROGRAM_ARGS_MAX + 2] = {PODSKU_PROGRAM};

    for (size_t i = 0; words[i] && i < PROGRAM_ARGS_MAX; i++)
        argv[i + 1] = words[i];
    set_environment(program);
    for (int i = 0; i < 3; i++)
        (void)dup2(ends[i], i);
    for (int fd = 3; fd < 256; fd++)
        (void)close(fd);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGPIPE, SIG_DFL);
    if (program->cwd && chdir(program->cwd) != 0)
        _exit(126);
    if (program->surround)
        program->surround(program->surround_ctx);
    (void)execv(PODSKU_PROGRAM, (char *const *)argv);
    _exit(127);
}

bool program_start(struct program *program, const char *const *words)
{
    int in[2], out[2], err[2];

    podsku_buf_reset(&program->out);
    podsku_buf_reset(&program->err);
    program->status = -1;
    program->fed = 0;
    if (pipe(in) != 0 || pipe(out) != 0 || pipe(err) != 0)
        return false;
    https_server_fence(); /* what the test told the service */
    if (program->close_stdout)
        (void)close(out[0]);
    program->pid = fork();
    if (program->pid == 0) {
        int ends[3] = {in[0], out[1], err[1]};
        become(program, words, ends);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    (void)close(err[1]);
    program->fds[0] = in[1];
    program->fds[1] = program->close_stdout ? -1 : out[0];
    program->fds[2] = err[0];
    (void)fcntl(in[1], F_SETFL, O_NONBLOCK);
    return program->pid > 0;
}

static void feed(struct program *program)
{
    size_t len = program->input ? (program->input_len ? program->input_len : strlen(program->input)) : 0;
    ssize_t put = 0;

    if (program->fed < len)
        put = write(program->fds[0], program->input + program->fed, len - program->fed);
    if (put < 0 && errno == EAGAIN)
        return;
    if (put > 0)
        program->fed += (size_t)put;
    if (put < 0 || program->fed == len) {
        (void)close(program->fds[0]);
        program->fds[0] = -1;
    }
}

static void take(struct program *program, int which, struct podsku_buf *buf)
{
    char chunk[65536];
    ssize_t got = read(program->fds[which], chunk, sizeof chunk);

    if (got > 0) {
        podsku_buf_append(buf, chunk, (size_t)got);
        return;
    }
    (void)close(program->fds[which]);
    program->fds[which] = -1;
}

/* One round of moving bytes; false when all streams are at their end. */
static bool pump(struct program *program, int ms)
{
    struct pollfd polls[3] = {
        {program->fds[0], POLLOUT, 0}, {program->fds[1], POLLIN, 0}, {program->fds[2], POLLIN, 0}};

    if (program->fds[1] < 0 && program->fds[2] < 0)
        return false;
    if (poll(polls, 3, ms) <= 0)
        return true;
    if (polls[0].revents)
        feed(program);
    if (polls[1].revents)
        take(program, 1, &program->out);
    if (polls[2].revents)
        take(program, 2, &program->err);
    return true;
}

bool program_until(struct program *program, const char *text, int ms)
{
    int64_t end = podsku_clock_mono_ms(podsku_clock_system()) + ms;

    while (!strstr(program_err(program), text) && !strstr(program_out(program), text)) {
        if (podsku_clock_mono_ms(podsku_clock_system()) > end || !pump(program, 50))
            return false;
    }
    https_server_fence();
    return true;
}

int program_wait(struct program *program)
{
    int64_t end = podsku_clock_mono_ms(podsku_clock_system()) + LIMIT_MS;
    bool killed = false;
    int status = 0;

    while (pump(program, 100)) {
        if (podsku_clock_mono_ms(podsku_clock_system()) < end)
            continue;
        (void)kill(program->pid, SIGKILL);
        killed = true;
        break;
    }
    while (waitpid(program->pid, &status, 0) < 0 && errno == EINTR)
        ;
    for (size_t i = 0; i < 3; i++) {
        if (program->fds[i] >= 0)
            (void)close(program->fds[i]);
        program->fds[i] = -1;
    }
    program->pid = 0;
    https_server_fence(); /* what the service saw */
    if (!killed)
        program->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return program->status;
}

int program_run(struct program *program, const char *const *words)
{
    return program_start(program, words) ? program_wait(program) : -1;
}

const char *program_out(const struct program *program)
{
    return podsku_buf_text(&program->out);
}

const char *program_err(const struct program *program)
{
    return podsku_buf_text(&program->err);
}

void program_expect(struct program *program, int status, int expected, const char *file, int line)
{
    if (status == expected)
        return;
    (void)fprintf(stderr, "%s:%d: exit status %d instead of %d\n--- stdout\n%s--- stderr\n%s---\n", file, line, status,
                  expected, program_out(program), program_err(program));
    fail();
}

void program_holds(const char *text, const char *part, bool wanted, const char *file, int line)
{
    if ((strstr(text, part) != NULL) == wanted)
        return;
    (void)fprintf(stderr, "%s:%d: \"%s\" is %s:\n%s\n", file, line, part, wanted ? "missing" : "there", text);
    fail();
}
