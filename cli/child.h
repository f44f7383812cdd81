/*
 * Child processes by argv: never a shell, an environment without the API key, bounded in time and in
 * what they may say.
 */
#ifndef PODSKU_CLI_CHILD_H
#define PODSKU_CLI_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"

enum cli_child_end {
    CLI_CHILD_EXITED,      /* status is its exit status */
    CLI_CHILD_SIGNALED,    /* status is the signal that ended it */
    CLI_CHILD_TIMED_OUT,   /* killed at the deadline */
    CLI_CHILD_TOO_LARGE,   /* killed: it said more than it may */
    CLI_CHILD_INTERRUPTED, /* killed: the program was asked to stop */
    CLI_CHILD_NOT_STARTED, /* there is no such program, or it may not be run: errno in status */
};

struct cli_child_request {
    const char *const *argv; /* argv[0] is looked up in PATH */
    const char *input;       /* its standard input; NULL: /dev/null */
    size_t input_len;
    bool inherit_input, inherit_output; /* the program's own streams instead (input must be NULL) */
    size_t max_output;                  /* bytes of its standard output that are kept, and no more are accepted */
    size_t max_errors;                  /* of standard error the last ones are kept; 0: 16 KiB */
    int64_t deadline_mono_ms;           /* 0: none */
    const struct podsku_clock *clock;   /* NULL: the system's */
    bool (*stop)(void *ctx);            /* polled; true ends the child. NULL: never */
    void *ctx;
};

struct cli_child_result {
    enum cli_child_end end;
    int status;
    struct podsku_buf output, errors; /* empty with inherit_output */
};

/*
 * Runs it to its end. Fails only on what keeps podsku itself from working (PODSKU_NO_MEMORY,
 * PODSKU_INTERNAL: no pipe, no process); everything else is result->end. A child that is ended gets
 * SIGTERM, and SIGKILL two seconds later. Free with cli_child_free().
 */
enum podsku_code cli_child_run(const struct cli_child_request *request, struct cli_child_result *result,
                               struct podsku_error *err) PODSKU_CHECKED;
void cli_child_free(struct cli_child_result *result);

/* True if PATH has an executable file of this name. */
bool cli_child_has(const char *program);

#endif
