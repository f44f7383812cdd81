#include "client/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "client/client.h"
#include "client/journal_private.h"

/* Room for the outcomes of an intent: they must not fail on a disk that filled up meanwhile. */
#define RESERVED_BYTES 16384

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);

    if (path)
        (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

enum podsku_code podsku_journal_open(const char *folder, const struct podsku_clock *clock,
                                     struct podsku_journal **journal, struct podsku_error *err)
{
    struct stat info;

    *journal = NULL;
    if (stat(folder, &info) != 0)
        return podsku_journal_failed(folder, "open", errno, err);
    if (!S_ISDIR(info.st_mode))
        return podsku_journal_failed(folder, "open", ENOTDIR, err);
    struct podsku_journal *made = calloc(1, sizeof *made);
    if (!made)
        return podsku_error_no_memory(err);
    made->clock = clock ? clock : podsku_clock_system();
    made->folder = strdup(folder);
    made->path = join(folder, PODSKU_JOURNAL_FILE);
    made->lock_path = join(folder, "journal.lock");
    if (!made->folder || !made->path || !made->lock_path) {
        podsku_journal_free(made);
        return podsku_error_no_memory(err);
    }
    *journal = made;
    return PODSKU_OK;
}

void podsku_journal_free(struct podsku_journal *journal)
{
    if (!journal)
        return;
    free(journal->folder);
    free(journal->path);
    free(journal->lock_path);
    free(journal);
}

enum podsku_code podsku_journal_failed(const char *path, const char *verb, int number, struct podsku_error *err)
{
    podsku_error_where(err, "%s", path);
    podsku_error_hint(err, "the journal is what finds a pod again after a crash: without it nothing is rented; "
                           "free some space, or set XDG_STATE_HOME to a folder that can be written");
    return podsku_error_set(err, PODSKU_STATE, "cannot %s %s: %s", verb, path,
                            number == EINVAL ? "it is no regular file" : strerror(number));
}

enum podsku_code podsku_journal_take(const struct podsku_journal *journal, bool exclusive, bool must, int *fd,
                                     struct podsku_error *err)
{
    int done;

    *fd = open(journal->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (*fd < 0)
        return must ? podsku_journal_failed(journal->lock_path, "open", errno, err) : PODSKU_OK;
    do {
        done = flock(*fd, exclusive ? LOCK_EX : LOCK_SH);
    } while (done != 0 && errno == EINTR);
    if (done == 0)
        return PODSKU_OK;
    int number = errno;
    (void)close(*fd);
    *fd = -1;
    return must ? podsku_journal_failed(journal->lock_path, "lock", number, err) : PODSKU_OK;
}

void podsku_journal_drop(int fd)
{
    if (fd >= 0)
        (void)close(fd); /* closing the only descriptor drops the lock */
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
    return 0;
}

/*
 * A last line without its newline was never durable: whoever wrote it did not get to act on it. It is
 * cut off, so that the next line does not grow onto it. *size is the file's size afterwards.
 */
static int cut_tail(int fd, off_t *size)
{
    char last;
    off_t keep = *size;

    while (keep > 0) {
        ssize_t got = pread(fd, &last, 1, keep - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1)
            return got < 0 ? errno : EIO;
        if (last == '\n')
            break;
        keep--;
    }
    if (keep == *size)
        return 0;
    if (ftruncate(fd, keep) != 0)
        return errno;
    *size = keep;
    return 0;
}

static int sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return errno;
    int failure = fsync(fd) == 0 || errno == EINVAL ? 0 : errno; /* EINVAL: a file system without folder sync */
    (void)close(fd);
    return failure;
}

/* Makes sure that `len` bytes more will fit. File systems that cannot reserve are taken at their word. */
static int reserve(int fd, off_t size, size_t len)
{
#ifdef __linux__
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, size, (off_t)len) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
        return errno;
#else
    (void)fd, (void)size, (void)len;
#endif
    return 0;
}

static int append_line(const struct podsku_journal *journal, const char *line, size_t len, size_t reserved)
{
    struct stat info;
    int failure = 0;
    /* NONBLOCK: a pipe in its place must not hang. */
    int fd = open(journal->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);

    if (fd < 0)
        return errno;
    if (fstat(fd, &info) != 0)
        failure = errno;
    else if (!S_ISREG(info.st_mode))
        failure = EINVAL;
    else if (info.st_mode &
             (S_IRWXG | S_IRWXO)) /* made by hand, or before a umask: bodies are nobody else's business */
        (void)!fchmod(fd, S_IRUSR | S_IWUSR);
    off_t size = failure ? 0 : info.st_size;
    bool fresh = size == 0;
    if (!failure)
        failure = cut_tail(fd, &size);
    if (!failure && reserved)
        failure = reserve(fd, size, len + reserved);
    if (!failure) {
        failure = write_all(fd, line, len);
        if (!failure && fsync(fd) != 0)
            failure = errno;
        if (failure && ftruncate(fd, size) != 0)
            fresh = false; /* half a line stays behind: the next append and every reader drop it */
    }
    if (close(fd) != 0 && !failure)
        failure = errno;
    if (!failure && fresh)
        failure = sync_folder(journal->folder);
    return failure;
}

/* One line under the lock, durable. Steals line. */
static enum podsku_code append(struct podsku_journal *journal, json_t *line, size_t reserved, struct podsku_error *err)
{
    struct podsku_buf text = {0};
    int lock = -1;
    enum podsku_code code;

    if (!line)
        return podsku_error_no_memory(err);
    podsku_json_write(&text, line, false);
    podsku_buf_putc(&text, '\n');
    json_decref(line);
    if (podsku_buf_failed(&text)) {
        podsku_buf_free(&text);
        return podsku_error_no_memory(err);
    }
    code = podsku_journal_take(journal, true, true, &lock, err);
    if (code == PODSKU_OK) {
        /* A file size limit (ulimit -f) would otherwise end the process instead of failing the write. */
        struct sigaction ignore = {.sa_handler = SIG_IGN};
        struct sigaction before;
        bool changed = sigaction(SIGXFSZ, &ignore, &before) == 0;
        int failure = append_line(journal, text.data, text.len, reserved);
        if (changed)
            (void)sigaction(SIGXFSZ, &before, NULL);
        if (failure)
            code = podsku_journal_failed(journal->path, "write", failure, err);
    }
    podsku_journal_drop(lock);
    podsku_buf_free(&text);
    return code;
}

/* {"v":1,"type":...,"at":...,"launch_id":...,"attempt":...,"intent":...}; NULL: out of memory. */
static json_t *line_start(const char *type, int64_t at_ms, const char *launch_id, int attempt, const char *intent)
{
    json_t *line = json_object();

    bool whole = podsku_json_set(line, "v", json_integer(PODSKU_JOURNAL_VERSION)) &&
                 podsku_json_set(line, "type", json_string(type)) &&
                 podsku_json_set(line, "at", podsku_json_time(at_ms)) &&
                 podsku_json_set(line, "launch_id", podsku_json_text(launch_id)) &&
                 podsku_json_set(line, "attempt", json_integer(attempt)) &&
                 podsku_json_set(line, "intent", podsku_json_text(intent));
    return podsku_json_whole(line, whole);
}

static json_t *texts(char *const *list, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < count; i++)
        if (json_array_append_new(array, podsku_json_text(list[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

/* NULL: out of memory. */
static json_t *candidate_of(const struct podsku_entry *entry)
{
    json_t *candidate = json_object();

    bool whole = podsku_json_set(candidate, "gpu_ids", texts(entry->gpu_ids, entry->gpu_id_count)) &&
                 podsku_json_set(candidate, "cloud", podsku_json_text(entry->cloud)) &&
                 podsku_json_set(candidate, "gpus", json_integer(entry->gpus)) &&
                 podsku_json_set(candidate, "nodes", json_integer(entry->nodes)) &&
                 podsku_json_set(candidate, "price_per_hour", podsku_json_money(entry->price_uusd));
    return podsku_json_whole(candidate, whole);
}

/* The line of an intent; NULL: out of memory. */
static json_t *intent_line(const struct podsku_journal *journal, const struct podsku_entry *entry)
{
    int64_t at_ms = entry->at_ms ? entry->at_ms : podsku_clock_wall_ms(journal->clock);
    json_t *line = line_start("intent", at_ms, entry->launch_id, entry->attempt, entry->intent);

    bool whole = podsku_json_set(line, "at_ms", json_integer(at_ms)) &&
                 podsku_json_set(line, "url", podsku_json_text(entry->url)) &&
                 podsku_json_set(line, "api", podsku_json_text(entry->api)) &&
                 podsku_json_set(line, "salt", podsku_json_text(entry->salt)) &&
                 podsku_json_set(line, "key_hmac", podsku_json_text(entry->key_hmac)) &&
                 podsku_json_set(line, "kind", json_string(entry->cluster ? "cluster" : "pod")) &&
                 podsku_json_set(line, "name", podsku_json_text(entry->name)) &&
                 podsku_json_set(line, "expires_s", json_integer(entry->expires_s)) &&
                 podsku_json_set(line, "candidate", candidate_of(entry)) &&
                 podsku_json_set(line, "body", entry->body ? json_deep_copy(entry->body) : json_null());
    line = podsku_json_whole(line, whole);
    return line;
}

enum podsku_code podsku_journal_intent(struct podsku_journal *journal, const struct podsku_entry *entry,
                                       struct podsku_error *err)
{
    return append(journal, intent_line(journal, entry), RESERVED_BYTES, err);
}

enum podsku_code podsku_journal_adopted(struct podsku_journal *journal, const struct podsku_entry *entry,
                                        struct podsku_error *err)
{
    json_t *line = intent_line(journal, entry);

    bool whole = podsku_json_set(line, "state", json_string(podsku_entry_state_name(entry->state))) &&
                 podsku_json_set(line, "pod", podsku_json_text(entry->pod_id)) &&
                 podsku_json_set(line, "gpu", podsku_json_text(entry->made_gpu_id));
    line = podsku_json_whole(line, whole);
    return append(journal, line, 0, err);
}

enum podsku_code podsku_journal_outcome(struct podsku_journal *journal, const struct podsku_outcome *outcome,
                                        struct podsku_error *err)
{
    json_t *line = line_start("outcome", podsku_clock_wall_ms(journal->clock), outcome->launch_id, outcome->attempt,
                              outcome->intent);

    bool whole =
        podsku_json_set(line, "state", json_string(podsku_entry_state_name(outcome->state))) &&
        podsku_json_set(line, "settled", json_boolean(outcome->settled)) &&
        podsku_json_set(line, "pod", podsku_json_text(outcome->pod_id)) &&
        podsku_json_set(line, "gpu", podsku_json_text(outcome->gpu_id)) &&
        podsku_json_set(line, "http", outcome->http_status ? json_integer(outcome->http_status) : json_null()) &&
        podsku_json_set(line, "why", podsku_json_text(outcome->why));
    line = podsku_json_whole(line, whole);
    return append(journal, line, 0, err);
}

/* Which API it was made by. False: none that this version knows. */
static bool api_of(const struct podsku_entry *entry, enum podsku_api *api)
{
    *api = entry->api && strcmp(entry->api, podsku_api_name(PODSKU_API_V1)) == 0 ? PODSKU_API_V1 : PODSKU_API_V2;
    return entry->api && strcmp(entry->api, podsku_api_name(*api)) == 0;
}

enum podsku_code podsku_entry_origin(const struct podsku_entry *entry, const struct podsku_client *client, char *why,
                                     size_t size, struct podsku_error *err)
{
    enum podsku_api api;
    char hmac[65] = "";

    if (size > 0)
        why[0] = '\0';
    if (!entry->url || !entry->salt || !entry->key_hmac || !api_of(entry, &api)) {
        (void)snprintf(why, size,
                       "the journal does not say in words of this version with which API and key it was made: "
                       "run podsku reconcile of the version that made it");
        return PODSKU_OK;
    }
    const char *url = podsku_client_url(client, api);
    if (!url || strcmp(url, entry->url) != 0) {
        (void)snprintf(why, size,
                       "made with another %s, %s: run podsku reconcile with %s set to that, and the key of then",
                       url ? "URL" : "API", entry->url, api == PODSKU_API_V1 ? "PODSKU_API_V1_URL" : "PODSKU_API_URL");
        return PODSKU_OK;
    }
    enum podsku_code code =
        podsku_client_has_key(client) ? podsku_client_key_hmac(client, entry->salt, hmac, err) : PODSKU_OK;
    if (code == PODSKU_OK && strcmp(hmac, entry->key_hmac) != 0)
        (void)snprintf(why, size, "made with another key: run podsku reconcile with that one");
    return code;
}

enum podsku_code podsku_entry_is_of(const struct podsku_entry *entry, const struct podsku_client *client, bool *same,
                                    struct podsku_error *err)
{
    char why[512];
    enum podsku_code code = podsku_entry_origin(entry, client, why, sizeof why, err);

    *same = code == PODSKU_OK && !why[0];
    return code;
}
