/*
 * Looking at a machine from here: what nvidia-smi says there, over ssh or from the pod's log, judged
 * against what was asked for.
 */
#ifndef PODSKU_CLI_REMOTE_H
#define PODSKU_CLI_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/ssh.h"
#include "client/api.h"
#include "client/journal.h"
#include "rules/rules.h"
#include "rules/verify.h"

struct cli_remote {
    struct cli *cli;
    struct podsku_client *client;
    struct cli_ssh ssh; /* cli_ssh_setup(); not used with via_logs */
    bool via_logs;      /* --verify-via logs */
};

/* What looking at one pod brought. Free with cli_sight_free(). */
struct cli_sight {
    struct podsku_buf text;         /* the commands' output, each below its command line; empty: nothing was read */
    struct podsku_reading *reading; /* NULL: nothing was read */
    struct podsku_verification *verification; /* never NULL on success; borrows the reading */
};
void cli_sight_free(struct cli_sight *sight);

/*
 * Looks until deadline_mono_ms at the latest. RUNNING precedes sshd by up to minutes, so logins that
 * fail are tried again; keys that are refused for a minute, a changed host key and half an answer are
 * not. Whatever prevents a look is an unverified verification ("no-login", "truncated"), not an error.
 * Errors: PODSKU_INTERRUPTED (a signal), PODSKU_NO_MEMORY, PODSKU_INTERNAL.
 */
enum podsku_code cli_remote_look(const struct cli_remote *remote, const struct podsku_pod *pod,
                                 const struct podsku_expectation *expected, int64_t deadline_mono_ms,
                                 struct cli_sight *sight, struct podsku_error *err) PODSKU_CHECKED;

/*
 * Parts of it. The text that nvidia-smi prints there. PODSKU_UNVERIFIED: nothing (or half) was read;
 * err->message says why, and *code_word is "no-login" or "truncated" (a literal).
 */
enum podsku_code cli_remote_text(const struct cli_remote *remote, const struct podsku_pod *pod,
                                 int64_t deadline_mono_ms, struct podsku_buf *text, const char **code_word,
                                 struct podsku_error *err) PODSKU_CHECKED;
/* The text from the log, as soon as it answers the expectation; else all there is at the deadline. */
enum podsku_code cli_remote_logs(const struct cli_remote *remote, const char *pod_id,
                                 const struct podsku_expectation *expected, int64_t deadline_mono_ms,
                                 struct podsku_buf *text, const char **code_word,
                                 struct podsku_error *err) PODSKU_CHECKED;

/*
 * Tries to log in until it works, and feeds input (NULL: none) to the command; its output is in out.
 * PODSKU_UNVERIFIED as above; any exit status of the command itself but 255 is a login: *status.
 */
enum podsku_code cli_remote_ask(const struct cli_remote *remote, const struct podsku_pod *pod, const char *command,
                                const struct podsku_buf *input, int64_t deadline_mono_ms, struct podsku_buf *out,
                                int *status, struct podsku_error *err) PODSKU_CHECKED;

/* What an offer of this type promises; nvlink: the requirement asked for it (required or possible). */
struct podsku_expectation cli_expect_type(const struct podsku_gpu_type *type, int gpus, bool nvlink, bool strict);
/* What the requirement expects of one machine of an offer. */
struct podsku_expectation cli_expect_offer(const struct podsku_requirement *req, const struct podsku_offer *offer,
                                           bool strict);
/*
 * What was promised for a pod that podsku made, from its journal entry: type, count, slice; NVLink where
 * the type has it by its board. Texts are borrowed from entry and facts. False: the entry names no type.
 */
bool cli_expect_entry(const struct podsku_entry *entry, const struct podsku_facts_set *facts,
                      struct podsku_expectation *expected);

/* Remembers what was found; a failure is said, nothing more. */
void cli_remember(struct cli *cli, const struct podsku_pod *pod, enum podsku_verdict verdict);

const char *cli_verdict_word(enum podsku_verdict verdict); /* "match", ...; NULL for PODSKU_VERDICT_NULL */

#endif
