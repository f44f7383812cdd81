/*
 * What every command works with: its parsed command line, the two streams, how to show things.
 * Commands build a model by the libraries and hand it to a view; stdout is data, stderr is talk.
 */
#ifndef PODSKU_CLI_CLI_H
#define PODSKU_CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "client/client.h"
#include "rules/requirement.h"

enum cli_output { CLI_TABLE, CLI_WIDE, CLI_JSON, CLI_CSV, CLI_IDS, CLI_SVG, CLI_JUNIT };

struct cli_args; /* private: see cli/options.c */

struct cli {
    const struct cli_args *args;
    const struct cli_command *command;
    enum cli_output output;
    bool quiet, verbose;
    bool terminal; /* stdout is one */
    bool color;    /* stdout is a terminal and NO_COLOR is not set */
    bool utf8;     /* the locale's character set is UTF-8 */
    int width;     /* columns of the terminal (COLUMNS wins); 0: not a terminal, do not fit */
    bool progress; /* stderr is a terminal: progress lines may rewrite themselves */
    /*
     * A reader that closed the pipe: cli_write() drops what comes and returns PODSKU_OK, so that the
     * exit status is as without output; commands that go on (watch, evaluate) should end. Commands
     * that hand over something which costs money set closed_stdout_fails: PODSKU_OUTPUT then.
     */
    bool stdout_closed, closed_stdout_fails;
    char *key;                        /* the API key once it was looked for, wiped by cli_end(); NULL: none */
    const char *key_source;           /* where it was found: "RUNPOD_API_KEY", a file's path; NULL: nowhere */
    char key_path[512];               /* storage of key_source when it is a path */
    bool key_looked;                  /* it was looked for: key NULL means that there is none */
    struct podsku_words asked_places; /* req->data_centers before placement was resolved */
    bool places_saved;                /* see cli/placement.h */
    struct podsku_error err;
};

/* Terminal, locale, signals; and the end: arguments and key are freed (wiped). */
void cli_begin(struct cli *cli);
void cli_end(struct cli *cli);

/* Parsed options, by long name without dashes. Unknown names are a programming error (abort). */
bool cli_has(const struct cli *cli, const char *option);
/* The last value given; NULL if the option was not given. Borrowed. */
const char *cli_value(const struct cli *cli, const char *option);
/* All values in order. Borrowed. */
const char *const *cli_values(const struct cli *cli, const char *option, size_t *count);
/* Positional arguments of the command, after its sub-verb; and what stood after "--". */
const char *const *cli_operands(const struct cli *cli, size_t *count);
const char *const *cli_rest(const struct cli *cli, size_t *count);
/* The sub-verb ("list", "get", ...) in its canonical spelling; NULL for commands without. */
const char *cli_verb(const struct cli *cli);

/* A value as duration, number, count or money, with a usage error that names the option. */
enum podsku_code cli_duration(struct cli *cli, const char *option, int64_t default_ms, int64_t *ms) PODSKU_CHECKED;
enum podsku_code cli_count(struct cli *cli, const char *option, int64_t default_value, int64_t least, int64_t most,
                           int64_t *value) PODSKU_CHECKED;
enum podsku_code cli_money(struct cli *cli, const char *option, int64_t default_uusd, int64_t *uusd) PODSKU_CHECKED;

/* --requirement FILE overridden by the requirement flags. Free with podsku_requirement_free(). */
enum podsku_code cli_requirement(struct cli *cli, struct podsku_requirement *req) PODSKU_CHECKED;

/* --facts, or the built-in ones. Free with podsku_facts_free(). */
enum podsku_code cli_facts(struct cli *cli, const struct podsku_facts_set **facts) PODSKU_CHECKED;

/*
 * A catalogue from a file ("-": standard input); warns of a recording whose body is not the one that was
 * recorded. Free with podsku_catalog_free().
 */
enum podsku_code cli_load_catalog(struct cli *cli, const char *path, const struct podsku_facts_set *facts,
                                  struct podsku_catalog **catalog) PODSKU_CHECKED;

/*
 * The catalogue that --catalog names (default: live with a key, else bundled). For live ones the
 * requirement says what to read: one read per cloud and count, placement turned into data center ids
 * (req->data_centers is extended by them). Free with podsku_catalog_free(). See cli/source.c.
 */
enum podsku_code cli_catalog(struct cli *cli, struct podsku_requirement *req, const struct podsku_facts_set *facts,
                             struct podsku_client **client, struct podsku_catalog **catalog) PODSKU_CHECKED;

/*
 * A client with key, URLs, CA and trace from the environment and flags (cli/settings.c); *client is
 * kept if it is not NULL: one run has one connection. need_key: PODSKU_AUTH without one.
 */
enum podsku_code cli_client(struct cli *cli, bool need_key, struct podsku_client **client) PODSKU_CHECKED;

/*
 * Looks for the API key (cli/settings.c): fills cli->key and cli->key_source; that there is none is
 * no error. RUNPOD_API_KEY is wiped from this program's own environment, so children never see it.
 */
enum podsku_code cli_find_key(struct cli *cli) PODSKU_CHECKED;

/* "$XDG_STATE_HOME/podsku" (default ~/.local/state/podsku), created with mode 0700. Borrowed static text. */
enum podsku_code cli_state_dir(struct cli *cli, const char **dir) PODSKU_CHECKED;

/* Talk: one line to stderr unless --quiet; control bytes of service texts become '?'. */
void cli_say(const struct cli *cli, const char *fmt, ...) PODSKU_PRINTF(2, 3);
/* Warnings are said even with --quiet. */
void cli_warn(const struct cli *cli, const char *fmt, ...) PODSKU_PRINTF(2, 3);

/*
 * Data: written to stdout as a whole and flushed; a failure is PODSKU_OUTPUT, except a closed pipe,
 * which ends the program without noise (exit status as without output). CSV, ids and JSON carry texts
 * as they are; on a terminal their control bytes become '?' (in JSON escapes).
 */
enum podsku_code cli_write(struct cli *cli, const char *bytes, size_t len) PODSKU_CHECKED;
/* One JSON document, indented, with a final newline. Steals value; NULL is PODSKU_NO_MEMORY. */
enum podsku_code cli_write_json(struct cli *cli, json_t *value) PODSKU_CHECKED;

/* The exit status for what is in cli->err; prints it (text on stderr; podsku.error/1 with -o json). */
int cli_fail(struct cli *cli);
/*
 * The exit status of a command that reached a decision and printed its own schema: says the text of
 * err on stderr, prints no error document.
 */
int cli_decided(struct cli *cli, enum podsku_code code);

#endif
