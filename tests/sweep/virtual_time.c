/*
 * Preloaded into the real program: its time is the stand-in's (see fake_runpod.h), and it may be ended
 * at an exact place.
 *
 * PODSKU_SWEEP_TIME=FILE      a struct fake_time, mapped by both processes: clocks show real time plus
 *                             what was slept, and a sleep only adds to that. Waits for the network
 *                             (poll) stay real; libcurl measures its limits by the same clocks, so an
 *                             answer that comes after 200 virtual seconds is late for it, too.
 * PODSKU_SWEEP_END=SIGNAL@N+M the signal is raised at the N-th place, and M places later once more (0:
 *                             never), where the places are right before and right after every write,
 *                             fsync, rename, send and receive
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/sweep/fake_runpod.h"

#define EXPORT __attribute__((visibility("default")))
#define MS_PER_S 1000
#define NS_PER_MS 1000000

static struct fake_time *shared; /* NULL: time is as ever */
static long end_at, again_after, places;
static int end_signal;

static struct {
    int (*clock_gettime)(clockid_t, struct timespec *);
    int (*fsync)(int);
    int (*rename)(const char *, const char *);
    ssize_t (*write)(int, const void *, size_t);
    ssize_t (*send)(int, const void *, size_t, int);
    ssize_t (*recv)(int, void *, size_t, int);
} next;

/* Not only by the constructor: the loader's other constructors read clocks and write, too. */
static void resolve(void)
{
    if (next.clock_gettime)
        return;
    *(void **)&next.fsync = dlsym(RTLD_NEXT, "fsync");
    *(void **)&next.rename = dlsym(RTLD_NEXT, "rename");
    *(void **)&next.write = dlsym(RTLD_NEXT, "write");
    *(void **)&next.send = dlsym(RTLD_NEXT, "send");
    *(void **)&next.recv = dlsym(RTLD_NEXT, "recv");
    *(void **)&next.clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
}

__attribute__((constructor)) static void start(void)
{
    const char *path = getenv("PODSKU_SWEEP_TIME");
    const char *end = getenv("PODSKU_SWEEP_END");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

    resolve();
    if (fd >= 0) {
        void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        shared = memory == MAP_FAILED ? NULL : memory;
        (void)close(fd);
    }
    if (end && sscanf(end, "%d@%ld+%ld", &end_signal, &end_at, &again_after) != 3)
        end_at = 0;
}

static int64_t slept_ms(void)
{
    return shared ? atomic_load(&shared->slept_ms) : 0;
}

static void sleep_ms(int64_t ms)
{
    if (shared && ms > 0)
        (void)atomic_fetch_add(&shared->slept_ms, ms);
}

static void place(void)
{
    places++;
    if (places == end_at || (again_after > 0 && places == end_at + again_after))
        (void)raise(end_signal);
}

/* ------------------------------------------------------------------ clocks */

EXPORT int clock_gettime(clockid_t id, struct timespec *now)
{
    resolve();
    int code = next.clock_gettime(id, now);

    if (code != 0 || id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID)
        return code;
    int64_t ms = slept_ms() + now->tv_nsec / NS_PER_MS;
    now->tv_sec += (time_t)(ms / MS_PER_S);
    now->tv_nsec = (long)(ms % MS_PER_S) * NS_PER_MS + now->tv_nsec % NS_PER_MS;
    return 0;
}

EXPORT time_t time(time_t *out)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct timespec now = {0};

    (void)zone;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

/* Rounded up: a sleep of less than a millisecond must not be none, or a loop of them never ends. */
static int64_t ms_of(const struct timespec *wait)
{
    return (int64_t)wait->tv_sec * MS_PER_S + (wait->tv_nsec + NS_PER_MS - 1) / NS_PER_MS;
}

EXPORT int nanosleep(const struct timespec *wait, struct timespec *left)
{
    (void)left;
    sleep_ms(ms_of(wait));
    return 0;
}

EXPORT int clock_nanosleep(clockid_t id, int flags, const struct timespec *wait, struct timespec *left)
{
    struct timespec now = {0};

    (void)left;
    if (flags & TIMER_ABSTIME)
        (void)clock_gettime(id, &now);
    sleep_ms(ms_of(wait) - ms_of(&now));
    return 0;
}

/* ------------------------------------------------------------------ places */

EXPORT int fsync(int fd)
{
    resolve();
    place();
    int code = next.fsync(fd);
    place();
    return code;
}

EXPORT int rename(const char *from, const char *to)
{
    resolve();
    place();
    int code = next.rename(from, to);
    place();
    return code;
}

EXPORT ssize_t write(int fd, const void *bytes, size_t len)
{
    resolve();
    place();
    ssize_t done = next.write(fd, bytes, len);
    place();
    return done;
}

EXPORT ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    resolve();
    place();
    ssize_t done = next.send(fd, bytes, len, flags);
    place();
    return done;
}

EXPORT ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    resolve();
    place();
    ssize_t done = next.recv(fd, bytes, len, flags);
    place();
    return done;
}
