#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define ERRORS_DEFAULT ((size_t)16 << 10)
#define CHUNK 65536
#define TICK_MS 200   /* how often stop and the deadline are looked at while nothing happens */
#define MERCY_MS 2000 /* between SIGTERM and SIGKILL */
#define DRAIN_MS 1000 /* for what a dead child's own children still hold open */
#define KEY_VARIABLE "RUNPOD_API_KEY="

extern char **environ;

/* Wakes pselect(2) when a child ends. */
static void on_child(int number)
{
    (void)number;
}

struct child {
    const struct cli_child_request *request;
    struct cli_child_result *result;
    const struct podsku_clock *clock;
    pid_t pid;
    int in, out, err, start; /* our ends; -1: closed. start: says why it could not be started */
    size_t written;
    bool ended;    /* reaped */
    bool stopping; /* it was asked to end; result->end says why */
    bool killed;
    int wait_status;
    int64_t kill_ms, drain_ms;
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* This environment without the key; NULL without memory. The texts are borrowed from environ. */
static char **clean_environment(void)
{
    size_t count = 0;
    size_t kept = 0;
    char **clean;

    while (environ && environ[count])
        count++;
    clean = calloc(count + 1, sizeof *clean);
    for (size_t i = 0; clean && i < count; i++) {
        if (strncmp(environ[i], KEY_VARIABLE, sizeof KEY_VARIABLE - 1) != 0)
            clean[kept++] = environ[i];
    }
    return clean;
}

static void close_others(int keep)
{
    long limit = sysconf(_SC_OPEN_MAX);

    for (int fd = 3; fd < (limit > 0 && limit < 4096 ? (int)limit : 4096); fd++) {
        if (fd != keep)
            (void)close(fd);
    }
}

/* In the child: streams in place, signals as a program expects them, and go. Never returns. */
static void become(const struct cli_child_request *request, char **environment, const int ends[4])
{
    static const int defaults[] = {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGQUIT};
    sigset_t none;
    int problem;

    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        (void)signal(defaults[i], SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
    /* A killed podsku must not leave an ssh behind that goes on with its work. */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if ((ends[0] < 0 || dup2(ends[0], STDIN_FILENO) >= 0) && (ends[1] < 0 || dup2(ends[1], STDOUT_FILENO) >= 0) &&
        (ends[2] < 0 || dup2(ends[2], STDERR_FILENO) >= 0)) {
        close_others(ends[3]);
        environ = environment;
        (void)execvp(request->argv[0], (char *const *)request->argv);
    }
    problem = errno;
    (void)!write(ends[3], &problem, sizeof problem);
    _exit(127);
}

struct pipes {
    int fd[4][2]; /* in, out, err, start: [0] to read, [1] to write */
};

static void close_pipes(struct pipes *pipes)
{
    for (size_t i = 0; i < 4; i++) {
        close_end(&pipes->fd[i][0]);
        close_end(&pipes->fd[i][1]);
    }
}

static bool open_pipe(int fd[2])
{
    if (pipe(fd) != 0)
        return false;
    (void)fcntl(fd[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static bool open_pipes(const struct cli_child_request *request, struct pipes *pipes)
{
    memset(pipes, -1, sizeof *pipes);
    if (request->input) {
        if (!open_pipe(pipes->fd[0]))
            return false;
    } else if (!request->inherit_input) {
        pipes->fd[0][0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (pipes->fd[0][0] < 0)
            return false;
    }
    if (!request->inherit_output && (!open_pipe(pipes->fd[1]) || !open_pipe(pipes->fd[2])))
        return false;
    return open_pipe(pipes->fd[3]);
}

static int take(int *fd)
{
    int taken = *fd;

    *fd = -1;
    if (taken >= 0)
        (void)fcntl(taken, F_SETFL, fcntl(taken, F_GETFL) | O_NONBLOCK);
    return taken;
}

static enum podsku_code start(struct child *child, struct podsku_error *err)
{
    char **environment = clean_environment();
    struct pipes pipes;
    int problem;

    if (!environment)
        return podsku_error_no_memory(err);
    if (!open_pipes(child->request, &pipes) || (child->pid = fork()) < 0) {
        problem = errno;
        close_pipes(&pipes);
        free(environment);
        return podsku_error_set(err, PODSKU_INTERNAL, "cannot start %s: %s", child->request->argv[0],
                                strerror(problem));
    }
    if (child->pid == 0) {
        const int ends[4] = {pipes.fd[0][0], pipes.fd[1][1], pipes.fd[2][1], pipes.fd[3][1]};
        become(child->request, environment, ends);
    }
    child->in = take(&pipes.fd[0][1]);
    child->out = take(&pipes.fd[1][0]);
    child->err = take(&pipes.fd[2][0]);
    child->start = pipes.fd[3][0];
    pipes.fd[3][0] = -1;
    close_pipes(&pipes);
    free(environment);
    return PODSKU_OK;
}

/* Blocks until exec worked (the pipe closes) or says why not. */
static bool started(struct child *child)
{
    int problem = 0;
    ssize_t got;

    do {
        got = read(child->start, &problem, sizeof problem);
    } while (got < 0 && errno == EINTR);
    close_end(&child->start);
    if (got != (ssize_t)sizeof problem)
        return true;
    child->result->end = CLI_CHILD_NOT_STARTED;
    child->result->status = problem;
    return false;
}

static void feed(struct child *child)
{
    const struct cli_child_request *request = child->request;
    ssize_t put = write(child->in, request->input + child->written, request->input_len - child->written);

    if (put > 0)
        child->written += (size_t)put;
    else if (put < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (put <= 0 || child->written == request->input_len)
        close_end(&child->in); /* EPIPE: it does not want more */
}

static void stop(struct child *child, enum cli_child_end why)
{
    if (child->stopping)
        return;
    child->stopping = true;
    child->result->end = why;
    child->kill_ms = podsku_clock_mono_ms(child->clock) + MERCY_MS;
    if (!child->ended)
        (void)kill(child->pid, SIGTERM);
}

/* Standard error keeps its end: what went wrong stands there. */
static void keep_tail(struct podsku_buf *buf, size_t max)
{
    size_t extra;

    if (buf->len <= max)
        return;
    extra = buf->len - max;
    memmove(buf->data, buf->data + extra, max + 1);
    buf->len = max;
}

static void drain(struct child *child, int *fd, struct podsku_buf *buf)
{
    char chunk[CHUNK];
    ssize_t got = read(*fd, chunk, sizeof chunk);
    size_t max_errors = child->request->max_errors ? child->request->max_errors : ERRORS_DEFAULT;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        close_end(fd);
        return;
    }
    if (buf == &child->result->errors) {
        podsku_buf_append(buf, chunk, (size_t)got);
        if (!podsku_buf_failed(buf))
            keep_tail(buf, max_errors);
    } else if ((size_t)got > child->request->max_output - buf->len) {
        stop(child, CLI_CHILD_TOO_LARGE);
        close_end(fd);
    } else {
        podsku_buf_append(buf, chunk, (size_t)got);
    }
}

static void reap(struct child *child)
{
    pid_t pid;

    if (child->ended)
        return;
    pid = waitpid(child->pid, &child->wait_status, WNOHANG);
    if (pid == child->pid || (pid < 0 && errno == ECHILD)) {
        child->ended = true;
        child->drain_ms = podsku_clock_mono_ms(child->clock) + DRAIN_MS;
    }
}

static void look_at_time(struct child *child)
{
    int64_t now = podsku_clock_mono_ms(child->clock);

    if (child->request->stop && child->request->stop(child->request->ctx))
        stop(child, CLI_CHILD_INTERRUPTED);
    if (child->request->deadline_mono_ms && now >= child->request->deadline_mono_ms)
        stop(child, CLI_CHILD_TIMED_OUT);
    if (child->stopping && !child->ended && !child->killed && now >= child->kill_ms) {
        child->killed = true;
        (void)kill(child->pid, SIGKILL);
    }
}

static bool finished(const struct child *child)
{
    if (!child->ended)
        return false;
    if (child->stopping || (child->out < 0 && child->err < 0))
        return true;
    return podsku_clock_mono_ms(child->clock) >= child->drain_ms;
}

/* Sleeps until one of the pipes, a child's end, a signal or the next tick. `mask`: signals that may come. */
static void wait_for_something(struct child *child, const sigset_t *mask)
{
    struct timespec tick = {.tv_sec = 0, .tv_nsec = TICK_MS * 1000000L};
    fd_set readable, writable;
    int most = -1;
    const int fds[2] = {child->out, child->err};

    FD_ZERO(&readable);
    FD_ZERO(&writable);
    for (size_t i = 0; i < 2; i++) {
        if (fds[i] < 0)
            continue;
        FD_SET(fds[i], &readable);
        most = fds[i] > most ? fds[i] : most;
    }
    if (child->in >= 0) {
        FD_SET(child->in, &writable);
        most = child->in > most ? child->in : most;
    }
    if (pselect(most + 1, &readable, &writable, NULL, &tick, mask) <= 0)
        return;
    if (child->in >= 0 && FD_ISSET(child->in, &writable))
        feed(child);
    if (child->out >= 0 && FD_ISSET(child->out, &readable))
        drain(child, &child->out, &child->result->output);
    if (child->err >= 0 && FD_ISSET(child->err, &readable))
        drain(child, &child->err, &child->result->errors);
}

static void conclude(struct child *child)
{
    struct cli_child_result *result = child->result;

    if (child->stopping)
        return;
    if (WIFSIGNALED(child->wait_status)) {
        result->end = CLI_CHILD_SIGNALED;
        result->status = WTERMSIG(child->wait_status);
    } else {
        result->end = CLI_CHILD_EXITED;
        result->status = WEXITSTATUS(child->wait_status);
    }
}

/* With SIGCHLD and the ending signals blocked but during the sleep, none of them can be missed. */
static void attend(struct child *child)
{
    struct sigaction wake, old_action;
    sigset_t blocked, old_mask, open_mask;

    memset(&wake, 0, sizeof wake);
    wake.sa_handler = on_child;
    sigemptyset(&wake.sa_mask);
    (void)sigaction(SIGCHLD, &wake, &old_action);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &blocked, &old_mask);
    open_mask = old_mask;
    sigdelset(&open_mask, SIGCHLD);
    for (;;) {
        reap(child);
        look_at_time(child);
        if (finished(child))
            break;
        wait_for_something(child, &open_mask);
    }
    (void)sigprocmask(SIG_SETMASK, &old_mask, NULL);
    (void)sigaction(SIGCHLD, &old_action, NULL);
}

enum podsku_code cli_child_run(const struct cli_child_request *request, struct cli_child_result *result,
                               struct podsku_error *err)
{
    struct child child = {.request = request,
                          .result = result,
                          .clock = request->clock ? request->clock : podsku_clock_system(),
                          .in = -1,
                          .out = -1,
                          .err = -1,
                          .start = -1};
    enum podsku_code code;

    memset(result, 0, sizeof *result);
    code = start(&child, err);
    if (code)
        return code;
    if (!started(&child)) {
        (void)waitpid(child.pid, NULL, 0);
    } else {
        attend(&child);
        conclude(&child);
    }
    close_end(&child.in);
    close_end(&child.out);
    close_end(&child.err);
    if (podsku_buf_failed(&result->output) || podsku_buf_failed(&result->errors)) {
        cli_child_free(result);
        return podsku_error_no_memory(err);
    }
    return PODSKU_OK;
}

void cli_child_free(struct cli_child_result *result)
{
    if (!result)
        return;
    podsku_buf_free(&result->output);
    podsku_buf_free(&result->errors);
}

bool cli_child_has(const char *program)
{
    const char *path = getenv("PATH");
    char file[4096];

    for (const char *at = path && *path ? path : "/usr/local/bin:/usr/bin:/bin"; at;) {
        const char *end = strchr(at, ':');
        int len = end ? (int)(end - at) : (int)strlen(at);
        int put = snprintf(file, sizeof file, "%.*s/%s", len ? len : 1, len ? at : ".", program);
        if (put > 0 && (size_t)put < sizeof file && access(file, X_OK) == 0)
            return true;
        at = end ? end + 1 : NULL;
    }
    return false;
}
