/* What the parts of the journal share; not for others. */
#ifndef PODSKU_CLIENT_JOURNAL_PRIVATE_H
#define PODSKU_CLIENT_JOURNAL_PRIVATE_H

#include "base/buf.h"
#include "client/journal.h"

#define PODSKU_JOURNAL_FILE "journal.jsonl"
#define PODSKU_JOURNAL_VERSION 1
#define PODSKU_JOURNAL_MAX ((size_t)256 << 20)    /* bytes; more is no journal */
#define PODSKU_JOURNAL_LARGE ((size_t)1 << 20)    /* bytes from which on compaction is worth its while */
#define PODSKU_JOURNAL_KEEP_MS INT64_C(604800000) /* how long closed entries are kept: a week */

struct podsku_journal {
    char *folder, *path, *lock_path;
    const struct podsku_clock *clock;
};

/* The lock for one append or read. *fd is -1 when the lock file cannot be made and `must` is false. */
enum podsku_code podsku_journal_take(const struct podsku_journal *journal, bool exclusive, bool must, int *fd,
                                     struct podsku_error *err) PODSKU_CHECKED;
void podsku_journal_drop(int fd);
/* PODSKU_STATE for this path with the reason that errno names. */
enum podsku_code podsku_journal_failed(const char *path, const char *verb, int number, struct podsku_error *err);

/* The whole file; empty when it is missing. */
enum podsku_code podsku_journal_bytes(const struct podsku_journal *journal, struct podsku_buf *bytes,
                                      struct podsku_error *err) PODSKU_CHECKED;
/* Merges these bytes into entries. Only memory can fail. */
enum podsku_code podsku_journal_parse(const char *bytes, size_t len, struct podsku_entries *entries,
                                      struct podsku_error *err) PODSKU_CHECKED;
/* Takes one line into *line, a new reference; NULL if it is no object of the journal. Only memory can fail. */
enum podsku_code podsku_journal_line(const char *bytes, size_t len, json_t **line,
                                     struct podsku_error *err) PODSKU_CHECKED;

#endif
