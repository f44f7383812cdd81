#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum podsku_code podsku_file_read(const char *path, size_t max, struct podsku_buf *out, struct podsku_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    char chunk[65536];
    ssize_t got;

    podsku_buf_reset(out);
    out->max = max;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        podsku_error_where(err, "%s", name);
        return podsku_error_set(err, PODSKU_NO_FILE, "cannot open %s: %s", name, strerror(errno));
    }
    do {
        got = read(fd, chunk, sizeof chunk);
        if (got > 0)
            podsku_buf_append(out, chunk, (size_t)got);
    } while ((got > 0 && !podsku_buf_failed(out)) || (got < 0 && errno == EINTR));
    int read_errno = errno;
    if (!is_stdin)
        (void)close(fd);
    if (got < 0) {
        podsku_error_where(err, "%s", name);
        return podsku_error_set(err, PODSKU_NO_FILE, "cannot read %s: %s", name, strerror(read_errno));
    }
    if (podsku_buf_failed(out)) {
        if (out->len < max && out->len + sizeof chunk < max)
            return podsku_error_no_memory(err);
        podsku_error_where(err, "%s", name);
        return podsku_error_set(err, PODSKU_INPUT, "%s is larger than %zu MiB, the most that is read", name, max >> 20);
    }
    return PODSKU_OK;
}

static enum podsku_code write_failed(const char *path, int number, struct podsku_error *err)
{
    podsku_error_where(err, "%s", path);
    return podsku_error_set(err, PODSKU_OUTPUT, "cannot write %s: %s", path, strerror(number));
}

/* 0, or the errno of what failed. */
static int write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t done = write(fd, bytes, len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return errno;
        bytes += done;
        len -= (size_t)done;
    }
    return fsync(fd) == 0 ? 0 : errno;
}

static void sync_folder_of(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + (slash == path) : 1;

    if (len >= sizeof folder)
        return;
    memcpy(folder, slash ? path : ".", len);
    folder[len] = '\0';
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd); /* the rename itself has already succeeded; some file systems cannot do this */
    (void)close(fd);
}

/* Pipes and devices are written to, not replaced. 0, or the errno of what failed. */
static int write_special(const char *path, const void *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    int failure;

    if (fd < 0)
        return errno;
    failure = write_all(fd, bytes, len);
    if (failure == EINVAL || failure == EROFS) /* they cannot be fsynced */
        failure = 0;
    if (close(fd) != 0 && !failure)
        failure = errno;
    return failure;
}

/* 0, or the errno of what failed; then path is as it was. */
static int replace(const char *path, const void *bytes, size_t len, unsigned mode)
{
    char temporary[4096];

    if ((size_t)snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= sizeof temporary)
        return ENAMETOOLONG;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return errno;
    int failure = fchmod(fd, mode) == 0 ? write_all(fd, bytes, len) : errno;
    if (close(fd) != 0 && !failure)
        failure = errno;
    if (!failure && rename(temporary, path) != 0)
        failure = errno;
    if (failure)
        (void)unlink(temporary);
    else
        sync_folder_of(path);
    return failure;
}

enum podsku_code podsku_file_write(const char *path, const void *bytes, size_t len, unsigned mode,
                                   struct podsku_error *err)
{
    struct stat old;
    bool exists = stat(path, &old) == 0;
    /* A link's target is replaced, not the link. */
    char *target = exists ? realpath(path, NULL) : NULL;
    int failure;

    if (exists && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
        failure = write_special(path, bytes, len);
    else
        failure = replace(target ? target : path, bytes, len, exists ? old.st_mode & 0777 : mode);
    free(target);
    return failure ? write_failed(path, failure, err) : PODSKU_OK;
}
