/*
 * The system's ssh, scp and rsync by argv: the one place that knows their options. No prompt, host
 * keys in a file of our own under an alias that only this pod has, nothing forwarded, and the host and
 * user that the service names are looked at before they become words of a command line.
 */
#ifndef PODSKU_CLI_SSH_H
#define PODSKU_CLI_SSH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/child.h"
#include "cli/cli.h"
#include "client/api.h"

#define CLI_SSH_FAILED 255 /* ssh's own exit status when it is ssh that failed; CMD may say it, too */

/* How this run reaches pods; the same for all of them. Borrowed. */
struct cli_ssh {
    const char *key_file;       /* --ssh-key; NULL: ssh's defaults */
    const char *const *options; /* --ssh-option values, for -o */
    size_t option_count;
    const char *known_hosts; /* file of the state folder */
};

/* From flags and the state folder; the known hosts' path is kept in a static buffer. */
enum podsku_code cli_ssh_setup(struct cli *cli, struct cli_ssh *ssh) PODSKU_CHECKED;

/*
 * PODSKU_ANSWER unless host and user name are harmless words (letters, digits, and of "." "_" "-" ":" "%"
 * what they may have, not starting with "-"), and the port is one.
 */
enum podsku_code cli_ssh_check(const struct podsku_ssh *endpoint, struct podsku_error *err) PODSKU_CHECKED;

enum cli_ssh_kind {
    CLI_SSH_ASK,     /* no standard input, no terminal: a command whose output is read */
    CLI_SSH_FEED,    /* the same with standard input */
    CLI_SSH_RUN,     /* `run`'s command: keeps the connection watched */
    CLI_SSH_RUN_TTY, /* the same with a terminal */
};

/* A command line; free with cli_argv_free(). */
struct cli_argv {
    char **list; /* NULL-terminated */
    size_t count, room;
    bool failed;
};
void cli_argv_add(struct cli_argv *argv, const char *fmt, ...) PODSKU_PRINTF(2, 3);
void cli_argv_free(struct cli_argv *argv);

/* ssh ... -- HOST COMMAND. The endpoint has passed cli_ssh_check(). */
enum podsku_code cli_ssh_command(const struct cli_ssh *ssh, const struct podsku_ssh *endpoint, const char *pod_id,
                                 enum cli_ssh_kind kind, const char *command, struct cli_argv *argv,
                                 struct podsku_error *err) PODSKU_CHECKED;

/* scp -r SOURCE TARGET or rsync -a SOURCE TARGET; `remote` says which of them is on the pod. */
enum podsku_code cli_ssh_copy(const struct cli_ssh *ssh, const struct podsku_ssh *endpoint, const char *pod_id,
                              bool rsync, bool to_pod, const char *source, const char *target, struct cli_argv *argv,
                              struct podsku_error *err) PODSKU_CHECKED;

/* "ssh -p 41022 root@203.0.113.7": what a person types. Empty without an endpoint. */
void cli_ssh_line(struct podsku_buf *out, const struct podsku_ssh *endpoint, const struct cli_ssh *ssh);

/* Appends text in single quotes, as a POSIX shell reads one word. */
void cli_ssh_quote(struct podsku_buf *out, const char *text);

/* The last line of what ssh said on standard error that says what is wrong; empty: nothing. */
void cli_ssh_complaint(const struct podsku_buf *errors, char *text, size_t size);

#endif
