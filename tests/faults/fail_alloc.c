/*
 * Preloaded into the real program: one allocation fails, everything else is as ever. Every allocation
 * counts that the program, jansson, libcurl or libsmartcols asks for, also through libc (opendir,
 * getaddrinfo, ...); not those of the loader and of the thirty libraries that come with libcurl, whose
 * constructors run inside dlopen().
 *
 * PODSKU_FAULT_AT=N     the N-th fails (0: none); with PODSKU_FAULT_ALL every later one, too
 * PODSKU_FAULT_LOG=FILE gets the number of allocations as text, at exit
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define CALLER ((uintptr_t)__builtin_return_address(0))

/* The functions that are stood in for, by their next owner (libc, or a sanitizer's). */
static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
} next;

/* Until our constructor runs: a sanitizer's allocator is not ready for those that its own start makes. */
static char early[1 << 18];
static size_t early_used;

static bool ready, active;
static _Thread_local int inside; /* dlopen() or ourselves */
static long fail_at, allocations;
static bool fail_all;

static struct range {
    uintptr_t start, end;
} ranges[16];
static volatile size_t range_count;

static void *find_next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void resolve(void)
{
    *(void **)&next.malloc = find_next("malloc");
    *(void **)&next.calloc = find_next("calloc");
    *(void **)&next.realloc = find_next("realloc");
    *(void **)&next.free = find_next("free");
}

static void *early_take(size_t size)
{
    size_t at = early_used;

    size = (size + 15) & ~(size_t)15;
    if (size > sizeof early - at)
        return NULL;
    early_used += size;
    return early + at;
}

static bool is_early(const void *memory)
{
    return (uintptr_t)memory >= (uintptr_t)early && (uintptr_t)memory < (uintptr_t)early + sizeof early;
}

/* ------------------------------------------------------------------ who asks */

/* "" is the program itself. */
static bool is_watched(const char *path)
{
    static const char *const names[] = {"libjansson.so", "libcurl.so", "libsmartcols.so", "libc.so"};
    const char *base = strrchr(path, '/');

    base = base ? base + 1 : path;
    if (!*base)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(base, names[i], strlen(names[i])) == 0)
            return true;
    }
    return false;
}

static int add_range(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    if (!is_watched(info->dlpi_name))
        return 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || range_count == sizeof ranges / sizeof *ranges)
            continue;
        ranges[range_count].start = info->dlpi_addr + part->p_vaddr;
        ranges[range_count].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        range_count++;
    }
    return 0;
}

static void find_ranges(void)
{
    inside++;
    range_count = 0;
    (void)dl_iterate_phdr(add_range, NULL);
    inside--;
}

static bool is_caller_watched(uintptr_t caller)
{
    for (size_t i = 0; i < range_count; i++) {
        if (caller >= ranges[i].start && caller < ranges[i].end)
            return true;
    }
    return false;
}

static bool fails(uintptr_t caller)
{
    if (!active || inside || !is_caller_watched(caller))
        return false;
    long number = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    return fail_at && (number == fail_at || (fail_all && number > fail_at));
}

/* ------------------------------------------------------------------ the stand-ins */

EXPORT void *malloc(size_t size)
{
    if (!ready)
        return early_take(size);
    return fails(CALLER) ? NULL : next.malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
    if (!ready)
        return early_take(count * size);
    return fails(CALLER) ? NULL : next.calloc(count, size);
}

EXPORT void *realloc(void *old, size_t size)
{
    if (!ready || is_early(old)) {
        void *fresh = ready ? next.malloc(size) : early_take(size);
        size_t most = old ? (size_t)(early + sizeof early - (char *)old) : 0;
        if (fresh && old)
            memcpy(fresh, old, size < most ? size : most);
        return fresh;
    }
    return fails(CALLER) ? NULL : next.realloc(old, size);
}

EXPORT void free(void *memory)
{
    if (ready && memory && !is_early(memory))
        next.free(memory);
}

static char *copy(const char *text, size_t len)
{
    char *fresh = ready ? next.malloc(len + 1) : early_take(len + 1);

    if (!fresh)
        return NULL;
    memcpy(fresh, text, len);
    fresh[len] = '\0';
    return fresh;
}

/* libc's own would call its malloc from within, or not at all under a sanitizer. */
EXPORT char *strdup(const char *text)
{
    return fails(CALLER) ? NULL : copy(text, strlen(text));
}

EXPORT char *strndup(const char *text, size_t size)
{
    return fails(CALLER) ? NULL : copy(text, strnlen(text, size));
}

EXPORT void *dlopen(const char *path, int flags)
{
    void *(*real)(const char *, int);

    inside++;
    *(void **)&real = find_next("dlopen");
    void *library = real(path, flags);
    inside--;
    find_ranges();
    return library;
}

/* glibc itself leaks when it finds no memory here. */
EXPORT char *setlocale(int category, const char *name)
{
    char *(*real)(int, const char *);

    inside++;
    *(void **)&real = find_next("setlocale");
    char *result = real(category, name);
    inside--;
    return result;
}

/* ------------------------------------------------------------------ begin and end */

static const char *setting(const char *name)
{
    const char *text = getenv(name);

    return text ? text : "";
}

__attribute__((constructor)) static void begin(void)
{
    char path[512];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 1);

    resolve();
    ready = true;
    path[len > 0 ? len : 0] = '\0';
    /* Not in its children: ssh and the like. */
    const char *base = strrchr(path, '/');
    if (!base || strcmp(base, "/podsku") != 0)
        return;
    fail_at = strtol(setting("PODSKU_FAULT_AT"), NULL, 10);
    fail_all = *setting("PODSKU_FAULT_ALL");
    find_ranges();
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
    int len = snprintf(text, sizeof text, "%ld\n", allocations);
    (void)!write(fd, text, (size_t)len);
    (void)close(fd);
}
