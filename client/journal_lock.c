#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "client/journal_private.h"

/* A probe (podsku_launch_runs) holds the lock for a moment; a deploy holds it for long. */
#define LOCK_TRIES 5
#define LOCK_PAUSE_MS 20

struct podsku_launch_lock {
    int fd;
    char path[];
};

/* Launch ids are the user's words: a digest is always a file name. NULL: err is set. */
static char *lock_path(const struct podsku_journal *journal, const char *launch_id, struct podsku_error *err)
{
    char digest[PODSKU_SHA256_TEXT_SIZE];
    size_t size = strlen(journal->folder) + 64;
    char *path = malloc(size);

    if (!path) {
        (void)podsku_error_no_memory(err);
        return NULL;
    }
    if (podsku_sha256(launch_id, strlen(launch_id), digest, err) != PODSKU_OK) {
        free(path);
        return NULL;
    }
    (void)snprintf(path, size, "%s/launch-%.32s.lock", journal->folder, digest);
    return path;
}

/* Whether the locked file is still the one that the path names: its last owner may have removed it. */
static bool still_there(int fd, const char *path)
{
    struct stat held, named;

    return fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

/* A descriptor with the lock, -1: held by another, -2: errno says what failed. */
static int take(const char *path, const struct podsku_clock *clock)
{
    for (int tries = 0; tries < LOCK_TRIES;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            return -2;
        if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
            if (still_there(fd, path))
                return fd;
            (void)close(fd);
            continue;
        }
        int number = errno;
        (void)close(fd);
        errno = number;
        if (number != EWOULDBLOCK && number != EINTR)
            return -2;
        tries++;
        podsku_clock_sleep_ms(clock, LOCK_PAUSE_MS);
    }
    return -1;
}

/* For people who look into the folder; nothing depends on it, so a full disk is no failure here. */
static void note_owner(int fd, const char *launch_id)
{
    if (ftruncate(fd, 0) == 0 && write(fd, launch_id, strlen(launch_id)) > 0 && write(fd, "\n", 1) == 1)
        (void)fdatasync(fd);
}

enum podsku_code podsku_launch_lock(struct podsku_journal *journal, const char *launch_id,
                                    struct podsku_launch_lock **lock, struct podsku_error *err)
{
    enum podsku_code code = PODSKU_OK;
    char *path = lock_path(journal, launch_id, err);
    int fd = -1;

    *lock = NULL;
    if (!path)
        return err->code;
    fd = take(path, journal->clock);
    if (fd == -2)
        code = podsku_journal_failed(path, "lock", errno, err);
    if (fd >= 0) {
        *lock = malloc(sizeof **lock + strlen(path) + 1);
        if (*lock) {
            (*lock)->fd = fd;
            memcpy((*lock)->path, path, strlen(path) + 1);
            note_owner(fd, launch_id);
        } else {
            (void)close(fd);
            code = podsku_error_no_memory(err);
        }
    }
    free(path);
    return code;
}

void podsku_launch_unlock(struct podsku_launch_lock *lock)
{
    if (!lock)
        return;
    (void)unlink(lock->path); /* while it is held: whoever opened it meanwhile notices (still_there) */
    (void)close(lock->fd);
    free(lock);
}

bool podsku_launch_runs(struct podsku_journal *journal, const char *launch_id)
{
    struct podsku_error ignored = {0};
    char *path = lock_path(journal, launch_id, &ignored);
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    bool runs = false;

    free(path);
    if (fd < 0)
        return false;
    runs = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    (void)close(fd);
    return runs;
}
