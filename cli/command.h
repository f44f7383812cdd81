/*
 * The table of commands. Parser, help, man page and completions are made from it and from the table
 * of options (cli/options.h). To add a command: a row in cli/commands.c, its bit here, its file
 * cli/cmd_NAME.c.
 */
#ifndef PODSKU_CLI_COMMAND_H
#define PODSKU_CLI_COMMAND_H

#include "cli/cli.h"

/* One bit per command; an option's row says with which commands it means something. */
#define CLI_COMMAND_LIST(X)       \
    X(CATALOG, catalog)           \
    X(PICK, pick)                 \
    X(DEPLOY, deploy)             \
    X(RUN, run)                   \
    X(VERIFY, verify)             \
    X(EVALUATE, evaluate)         \
    X(WATCH, watch)               \
    X(PODS, pods)                 \
    X(CLUSTERS, clusters)         \
    X(RECONCILE, reconcile)       \
    X(OBSERVATIONS, observations) \
    X(DOCTOR, doctor)             \
    X(HELP, help)                 \
    X(COMPLETION, completion)

#define CLI_COMMAND_INDEX(constant, name) CLI_INDEX_##constant,
enum cli_command_index { CLI_COMMAND_LIST(CLI_COMMAND_INDEX) CLI_COMMAND_COUNT };
#undef CLI_COMMAND_INDEX
#define CLI_BIT(constant) (1U << CLI_INDEX_##constant)

/* What stands after the command (or its verb): how many words, and how the synopsis shows them. */
struct cli_operands {
    const char *synopsis; /* "OLD NEW", "[FILE|-]"; NULL: none */
    size_t least, most;
};

struct cli_verb {
    const char *names; /* "terminate|delete|rm", canonical first */
    struct cli_operands operands;
    const char *summary; /* one line */
};

struct cli_command {
    const char *name;
    const char *alias;            /* another name; NULL: none */
    const struct cli_verb *verbs; /* ends with a row whose names are NULL; NULL: no verbs */
    const char *default_verb;     /* NULL: a verb is needed (where there are verbs) */
    struct cli_operands operands; /* of a command without verbs */
    const char *synopsis;         /* "REQUIREMENT... POD...": kinds of flags that it takes; NULL: [FLAGS] */
    const char *summary;          /* one line */
    const char *about;            /* a paragraph or two for --help and podsku(1) */
    const char *const *examples;  /* NULL-terminated command lines */
    bool takes_rest;              /* "-- CMD ARGS..." */
    int (*run)(struct cli *cli);  /* returns the exit status; NULL: not part of this build */
};

extern const struct cli_command cli_commands[CLI_COMMAND_COUNT];

#define CLI_DECLARE_RUN(constant, name) int cli_run_##name(struct cli *cli);
CLI_COMMAND_LIST(CLI_DECLARE_RUN)
#undef CLI_DECLARE_RUN

#endif
