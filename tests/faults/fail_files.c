/*
 * Preloaded into the real program: one call that writes to the disk fails, everything else is as ever.
 * Counted are, for files that are not the standard streams: open() for writing, write(), fsync(),
 * rename(), mkdir() and ftruncate().
 *
 * PODSKU_FAULT_AT=N     the N-th fails (0: none); with PODSKU_FAULT_ALL every later one, too
 * PODSKU_FAULT_ERRNO=E  as a number; a write() that fails with ENOSPC has first written half
 * PODSKU_FAULT_LOG=FILE gets the number of calls as text, at exit
 * PODSKU_FAULT_JUMP=S   instead: the wall clock jumps by S seconds at its N-th reading
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static bool active, fail_all;
static long fail_at, calls, jump;
static int error;

static void *find_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* The function of that name that comes after ours. */
#define NEXT(type, name) \
    type;                \
    *(void **)&real = find_next(name)

static bool fails(void)
{
    if (!active || jump)
        return false;
    long number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return fail_at && (number == fail_at || (fail_all && number > fail_at));
}

static bool is_file(int fd)
{
    struct stat info;

    return fd > STDERR_FILENO && fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

static int open_as(const char *name, int folder, const char *path, int flags, mode_t mode)
{
    NEXT(int (*real)(int, const char *, int, ...), name);
    bool writes = (flags & O_ACCMODE) != O_RDONLY && strncmp(path, "/dev/", 5) != 0;

    if (writes && fails()) {
        errno = error;
        return -1;
    }
    return real(folder, path, flags, mode);
}

static mode_t mode_of(int flags, va_list args)
{
    return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(args, int) : 0;
}

EXPORT int open(const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return open_as("openat", AT_FDCWD, path, flags, mode);
}

EXPORT int openat(int folder, const char *path, int flags, ...)
{
    va_list args;

    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return open_as("openat", folder, path, flags, mode);
}

EXPORT ssize_t write(int fd, const void *bytes, size_t len)
{
    NEXT(ssize_t(*real)(int, const void *, size_t), "write");

    if (!is_file(fd) || !fails())
        return real(fd, bytes, len);
    if (error == ENOSPC)
        (void)!real(fd, bytes, len / 2);
    errno = error;
    return -1;
}

EXPORT int fsync(int fd)
{
    NEXT(int (*real)(int), "fsync");

    if (!fails())
        return real(fd);
    errno = error;
    return -1;
}

EXPORT int fdatasync(int fd)
{
    NEXT(int (*real)(int), "fdatasync");

    if (!fails())
        return real(fd);
    errno = error;
    return -1;
}

EXPORT int ftruncate(int fd, off_t length)
{
    NEXT(int (*real)(int, off_t), "ftruncate");

    if (!fails())
        return real(fd, length);
    errno = error;
    return -1;
}

EXPORT int rename(const char *from, const char *to)
{
    NEXT(int (*real)(const char *, const char *), "rename");

    if (!fails())
        return real(from, to);
    errno = error;
    return -1;
}

EXPORT int mkdir(const char *path, mode_t mode)
{
    NEXT(int (*real)(const char *, mode_t), "mkdir");

    if (!fails())
        return real(path, mode);
    errno = error;
    return -1;
}

EXPORT int clock_gettime(clockid_t id, struct timespec *now)
{
    NEXT(int (*real)(clockid_t, struct timespec *), "clock_gettime");
    int result = real(id, now);

    if (active && jump && id == CLOCK_REALTIME && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) >= fail_at)
        now->tv_sec += jump;
    return result;
}

static const char *setting(const char *name)
{
    const char *text = getenv(name);

    return text ? text : "";
}

__attribute__((constructor)) static void begin(void)
{
    char path[512];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);

    path[len > 0 ? len : 0] = '\0';
    const char *base = strrchr(path, '/');
    if (!base || strcmp(base, "/podsku") != 0)
        return;
    fail_at = strtol(setting("PODSKU_FAULT_AT"), NULL, 10);
    fail_all = *setting("PODSKU_FAULT_ALL");
    error = (int)strtol(setting("PODSKU_FAULT_ERRNO"), NULL, 10);
    jump = strtol(setting("PODSKU_FAULT_JUMP"), NULL, 10);
    active = true;
}

__attribute__((destructor)) static void end(void)
{
    char text[32];

    if (!active)
        return;
    active = false;
    int fd = open(setting("PODSKU_FAULT_LOG"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    int len = snprintf(text, sizeof text, "%ld\n", calls);
    (void)!write(fd, text, (size_t)len);
    (void)close(fd);
}
