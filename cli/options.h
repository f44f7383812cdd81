/*
 * The table of options and the parser over it. Parser, help, man page and completions are made from
 * this one table (and that of the commands, cli/command.h), so they cannot disagree.
 */
#ifndef PODSKU_CLI_OPTIONS_H
#define PODSKU_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cli/command.h"

/* Headings of the help pages, in their order. X(constant, heading) */
#define CLI_GROUP_LIST(X)                \
    X(REQUIREMENT, "What is needed")     \
    X(SOURCE, "Where facts come from")   \
    X(POD, "The pod")                    \
    X(DEPLOY, "Renting it")              \
    X(VERIFY, "Looking at the machine")  \
    X(RUN, "The command and its files")  \
    X(ACCOUNT, "What is in the account") \
    X(SHOW, "What is shown")             \
    X(GENERAL, "General")                \
    X(UNAVAILABLE, "Not offered by Runpod")

#define CLI_GROUP_ENUM(constant, heading) CLI_GROUP_##constant,
enum cli_group { CLI_GROUP_LIST(CLI_GROUP_ENUM) CLI_GROUP_COUNT };
#undef CLI_GROUP_ENUM

enum cli_option_flag {
    CLI_REPEATABLE = 1,  /* every value counts; otherwise the last one does */
    CLI_OPTIONAL = 2,    /* the value is the next word if it is one of the choices, or follows '=' */
    CLI_SECRET = 4,      /* the value may be one: never shown in messages */
    CLI_EMPTY_OK = 8,    /* an empty value means something */
    CLI_REQUIREMENT = 16 /* a field of the requirement */
};

/* In the order in which a row reads well. */
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct cli_option {
    const char *name;    /* long name without dashes */
    char letter;         /* short name, 0: none */
    const char *metavar; /* NULL: a switch */
    const char *choices; /* "a|b|c"; "": any text */
    const char *help;    /* one sentence */
    enum cli_group group;
    unsigned flags;
    unsigned commands; /* bits of the commands where it means something */
    const char *verbs; /* "list|pull": only with these verbs, where the command has verbs; NULL: all */
};

/* The table, in the order of the help pages. Two rows may share a name for different verbs. */
extern const struct cli_option cli_options[];
extern const size_t cli_option_count;

/* Other spellings of long names: runpodctl's, and those that people try. */
struct cli_option_alias {
    const char *alias, *name;
};
extern const struct cli_option_alias cli_option_aliases[];
extern const size_t cli_option_alias_count;

/* May the option be given to this command with this verb (NULL: of any verb)? */
bool cli_option_fits(const struct cli_option *option, enum cli_command_index command, const char *verb);

/* The formats that --output knows for this command (with this verb): "table|json". */
const char *cli_output_choices(enum cli_command_index command, const char *verb);

/* True if `word` is one of the words of "a|b|c"; with nocase in any case. */
bool cli_is_choice(const char *choices, const char *word);

/* The row of "list|ls" spellings that has the word, NULL if none has. */
const struct cli_verb *cli_find_verb(const struct cli_command *command, const char *word);
/* The command of this name or alias that is built in, NULL if there is none. */
const struct cli_command *cli_find_command(const char *word);
enum cli_command_index cli_command_index(const struct cli_command *command);

/*
 * Parses argv into cli->args, cli->command, cli->output, cli->quiet, cli->verbose. The first error
 * wins: PODSKU_USAGE in cli->err. cli->output is set as soon as it can be told, also when something
 * else is wrong, so that errors come in the format that was asked for. Free with cli_args_free().
 * The strings of argv must outlive the arguments.
 */
enum podsku_code cli_parse(struct cli *cli, int argc, char **argv) PODSKU_CHECKED;
void cli_args_free(struct cli *cli);

/* --help and --version were given: they win over every usage error that comes later. */
bool cli_wants_help(const struct cli *cli);
bool cli_wants_version(const struct cli *cli);

#endif
