/*
 * The parser over the table of options. It is our own because getopt_long() cannot refuse
 * abbreviations, does not know which command a flag belongs to, and has no optional value that is a
 * separate word (`--nvlink possible`).
 */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/suggest.h"

struct given {
    const struct cli_option *option; /* the row that fits the command, after resolving */
    const char *value;               /* NULL: a switch, or an optional value that was left out */
    size_t first_value;              /* where the values of its name stand in cli_args.values */
    size_t value_count;
};

struct cli_args {
    struct given *given;
    size_t given_count;
    const char **words; /* command, verb and operands */
    size_t word_count;
    const char **values; /* storage for cli_values() */
    const char *const *operands;
    size_t operand_count;
    const char *const *rest; /* after "--"; NULL: there was none */
    size_t rest_count;
    char verb[24];
    bool help, version;
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool cli_is_choice(const char *choices, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = choices; *at;) {
        size_t choice_len = strcspn(at, "|");
        size_t same = 0;
        while (same < choice_len && same < len && lower(at[same]) == lower(word[same]))
            same++;
        if (len > 0 && same == len && same == choice_len)
            return true;
        at += choice_len + (at[choice_len] == '|');
    }
    return false;
}

const struct cli_verb *cli_find_verb(const struct cli_command *command, const char *word)
{
    for (const struct cli_verb *verb = command->verbs; verb && verb->names; verb++) {
        if (cli_is_choice(verb->names, word))
            return verb;
    }
    return NULL;
}

const struct cli_command *cli_find_command(const char *word)
{
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        const struct cli_command *command = &cli_commands[i];
        if (command->run && (strcmp(command->name, word) == 0 || (command->alias && strcmp(command->alias, word) == 0)))
            return command;
    }
    return NULL;
}

enum cli_command_index cli_command_index(const struct cli_command *command)
{
    return (enum cli_command_index)(command - cli_commands);
}

/* The first row of that long name (its length given), also by an alias. NULL: unknown. */
static const struct cli_option *find_long(const char *name, size_t len)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        if (strncmp(cli_options[i].name, name, len) == 0 && cli_options[i].name[len] == '\0')
            return &cli_options[i];
    }
    for (size_t i = 0; i < cli_option_alias_count; i++) {
        const struct cli_option_alias *alias = &cli_option_aliases[i];
        if (strncmp(alias->alias, name, len) == 0 && alias->alias[len] == '\0')
            return find_long(alias->name, strlen(alias->name));
    }
    return NULL;
}

static const struct cli_option *find_letter(char letter)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        if (cli_options[i].letter == letter)
            return &cli_options[i];
    }
    return NULL;
}

/* State of one pass over argv. */
struct scan {
    struct cli *cli;
    struct cli_args *args;
    int argc, at;
    char **argv;
};

static enum podsku_code take(struct scan *scan, const struct cli_option *option, const char *value)
{
    struct cli_args *args = scan->args;

    if (option->group == CLI_GROUP_UNAVAILABLE) {
        podsku_error_hint(&scan->cli->err, "%s", option->help);
        return podsku_error_set(&scan->cli->err, PODSKU_USAGE, "--%s is not offered by Runpod's REST v2", option->name);
    }
    if (value && !*value && !(option->flags & CLI_EMPTY_OK)) {
        podsku_error_hint(&scan->cli->err, "--%s %s: %s", option->name, option->metavar, option->help);
        return podsku_error_set(&scan->cli->err, PODSKU_USAGE, "the value of --%s is empty", option->name);
    }
    if (strcmp(option->name, "help") == 0)
        args->help = true;
    if (strcmp(option->name, "version") == 0)
        args->version = true;
    args->given[args->given_count++] = (struct given){.option = option, .value = value};
    return PODSKU_OK;
}

/* The next word as the value of `option`, or why there is none. `spelled`: "--gpus" or "-o". */
static enum podsku_code next_value(struct scan *scan, const struct cli_option *option, const char *spelled,
                                   const char **value)
{
    struct podsku_error *err = &scan->cli->err;
    const char *next = scan->at < scan->argc ? scan->argv[scan->at] : NULL;

    if (!next || strcmp(next, "--") == 0) {
        podsku_error_hint(err, "--%s %s: %s", option->name, option->metavar, option->help);
        return podsku_error_set(err, PODSKU_USAGE, "%s needs a value", spelled);
    }
    /* A forgotten value would otherwise swallow the next flag without a word. */
    if (strncmp(next, "--", 2) == 0 && find_long(next + 2, strcspn(next + 2, "="))) {
        podsku_error_hint(err, "if \"%s\" is meant as the value, write --%s=%s", next, option->name, next);
        return podsku_error_set(err, PODSKU_USAGE, "%s needs a value, and \"%s\" is a flag", spelled, next);
    }
    *value = next;
    scan->at++;
    return PODSKU_OK;
}

static enum podsku_code scan_long(struct scan *scan, const char *word)
{
    const char *name = word + 2;
    size_t len = strcspn(name, "=");
    const char *value = name[len] == '=' ? name + len + 1 : NULL;
    const struct cli_option *option = find_long(name, len);
    char spelled[64];

    if (!option)
        return cli_unknown_flag(scan->cli, word, (int)(len + 2),
                                scan->args->word_count ? cli_find_command(scan->args->words[0]) : NULL);
    (void)snprintf(spelled, sizeof spelled, "--%.*s", (int)len, name);
    if (!option->metavar && value && option->group != CLI_GROUP_UNAVAILABLE)
        return podsku_error_set(&scan->cli->err, PODSKU_USAGE, "%s is a switch and takes no value", spelled);
    if (option->flags & CLI_OPTIONAL) {
        if (!value && scan->at < scan->argc && cli_is_choice(option->choices, scan->argv[scan->at]))
            value = scan->argv[scan->at++];
        return take(scan, option, value);
    }
    if (option->metavar && !value && option->group != CLI_GROUP_UNAVAILABLE) {
        enum podsku_code code = next_value(scan, option, spelled, &value);
        if (code)
            return code;
    }
    return take(scan, option, value);
}

static enum podsku_code scan_letters(struct scan *scan, const char *word)
{
    for (const char *at = word + 1; *at; at++) {
        const struct cli_option *option = find_letter(*at);
        const char *value = NULL;
        enum podsku_code code;

        if (!option)
            return cli_unknown_letter(scan->cli, word, *at);
        if (!option->metavar) {
            code = take(scan, option, NULL);
            if (code)
                return code;
            continue;
        }
        if (at[1]) {
            value = at + 1 + (at[1] == '=');
        } else {
            char spelled[3] = {'-', *at, '\0'};
            code = next_value(scan, option, spelled, &value);
            if (code)
                return code;
        }
        return take(scan, option, value);
    }
    return PODSKU_OK;
}

/* Sorts argv into options and words; the order of both is free. */
static enum podsku_code scan_words(struct scan *scan)
{
    struct cli_args *args = scan->args;

    while (scan->at < scan->argc) {
        const char *word = scan->argv[scan->at++];
        enum podsku_code code = PODSKU_OK;

        if (strcmp(word, "--") == 0) {
            args->rest = (const char *const *)(scan->argv + scan->at);
            args->rest_count = (size_t)(scan->argc - scan->at);
            break;
        }
        if (word[0] == '-' && word[1] == '-')
            code = scan_long(scan, word);
        else if (word[0] == '-' && word[1])
            code = scan_letters(scan, word);
        else
            args->words[args->word_count++] = word;
        /* With --help the command is still looked for, and nothing else can be wrong any more. */
        if (code && !args->help && !args->version)
            return code;
        podsku_error_clear(&scan->cli->err);
    }
    return PODSKU_OK;
}

static enum podsku_code find_verb(struct cli *cli, struct cli_args *args, size_t *used)
{
    const struct cli_command *command = cli->command;
    const char *word = args->word_count > 1 ? args->words[1] : NULL;
    const struct cli_verb *verb;

    *used = 1;
    if (!command->verbs)
        return PODSKU_OK;
    if (!word && !command->default_verb)
        return cli_no_verb(cli);
    verb = cli_find_verb(command, word ? word : command->default_verb);
    if (!verb)
        return cli_unknown_verb(cli, word);
    *used = word ? 2 : 1;
    (void)snprintf(args->verb, sizeof args->verb, "%.*s", (int)strcspn(verb->names, "|"), verb->names);
    return PODSKU_OK;
}

static enum podsku_code check_operands(struct cli *cli, struct cli_args *args, size_t used)
{
    const struct cli_command *command = cli->command;
    const struct cli_operands *wanted =
        command->verbs ? &cli_find_verb(command, args->verb)->operands : &command->operands;

    args->operands = args->words + used;
    args->operand_count = args->word_count - used;
    if (command->takes_rest) {
        if (args->operand_count)
            return cli_stray_operand(cli, args->operands[0]);
        if (!args->rest_count)
            return cli_no_rest(cli);
        return PODSKU_OK;
    }
    /* "--" only ends the flags here: what follows are operands like those before it. */
    for (size_t i = 0; i < args->rest_count; i++)
        args->words[args->word_count++] = args->rest[i];
    args->operand_count += args->rest_count;
    args->rest_count = 0;
    if (args->operand_count > wanted->most)
        return cli_stray_operand(cli, args->operands[wanted->most]);
    if (args->operand_count < wanted->least)
        return cli_missing_operand(cli, wanted);
    return PODSKU_OK;
}

/* Which row of its name fits; also whether the value is one of its words. */
static enum podsku_code resolve(struct cli *cli, struct cli_args *args, struct given *given)
{
    enum cli_command_index command = cli_command_index(cli->command);
    const char *verb = args->verb[0] ? args->verb : NULL;
    const char *choices;

    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *row = &cli_options[i];
        if (strcmp(row->name, given->option->name) != 0 || !cli_option_fits(row, command, verb))
            continue;
        given->option = row;
        choices = strcmp(row->name, "output") == 0 ? cli_output_choices(command, verb) : row->choices;
        if (given->value && *choices && !(row->flags & CLI_REQUIREMENT) && strcmp(row->metavar, "FILE") != 0 &&
            !cli_is_choice(choices, given->value))
            return cli_bad_choice(cli, row->name, given->value, choices);
        return PODSKU_OK;
    }
    return cli_misplaced_flag(cli, given->option);
}

/* Who reads standard input: the first of them, and that two of them cannot. */
struct stdin_reader {
    struct cli *cli;
    char first[64]; /* "": nobody yet */
};

static enum podsku_code read_stdin(struct stdin_reader *reader, const char *value, const char *dashes, const char *name)
{
    if (strcmp(value, "-") != 0)
        return PODSKU_OK;
    if (!reader->first[0]) {
        (void)snprintf(reader->first, sizeof reader->first, "%s%s", dashes, name);
        return PODSKU_OK;
    }
    return podsku_error_set(&reader->cli->err, PODSKU_USAGE,
                            "standard input can be read only once: %s and %s%s cannot both be \"-\"", reader->first,
                            dashes, name);
}

/* The second reader would find nothing there, and the input would be called empty or broken. */
static enum podsku_code check_stdin(struct cli *cli)
{
    static const char *const files[] = {"requirement", "catalog", "facts", "env-file", "body"};
    struct stdin_reader reader = {.cli = cli};
    enum cli_command_index command = cli_command_index(cli->command);
    bool operands = command == CLI_INDEX_VERIFY || command == CLI_INDEX_EVALUATE || command == CLI_INDEX_CATALOG;
    enum podsku_code code = PODSKU_OK;
    size_t count;

    for (size_t i = 0; operands && !code && i < cli->args->operand_count; i++)
        code = read_stdin(&reader, cli->args->operands[i], "", command == CLI_INDEX_EVALUATE ? "SCENARIOS" : "FILE");
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const char *const *values = cli_values(cli, files[f], &count);
        /* Only these are read each; of the others the last counts. */
        bool each = strcmp(files[f], "env-file") == 0 || command == CLI_INDEX_EVALUATE;
        for (size_t i = each || count == 0 ? 0 : count - 1; !code && i < count; i++)
            code = read_stdin(&reader, values[i], "--", files[f]);
    }
    return code;
}

static void set_output(struct cli *cli, const char *word)
{
    static const char *const words[] = {"table", "wide", "json", "csv", "ids", "svg", "junit"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (podsku_text_equal_nocase(words[i], word))
            cli->output = (enum cli_output)i;
    }
}

/* For errors: the format as far as argv shows it, before anything is known to be right. */
static void guess_output(struct cli *cli, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        const char *value = NULL;
        if (!word || strcmp(word, "--") == 0)
            break;
        if (strncmp(word, "--output=", 9) == 0)
            value = word + 9;
        else if (i + 1 < argc && (strcmp(word, "--output") == 0 || strcmp(word, "-o") == 0))
            value = argv[i + 1];
        else if (strncmp(word, "-o", 2) == 0)
            value = word + 2 + (word[2] == '=');
        if (value && podsku_text_equal_nocase(value, "json"))
            cli->output = CLI_JSON;
    }
}

/* Puts the values of each option side by side, in order. */
static void collect_values(struct cli_args *args)
{
    size_t used = 0;

    for (size_t i = 0; i < args->given_count; i++) {
        struct given *first = &args->given[i];
        for (size_t j = 0; j < i && first == &args->given[i]; j++) {
            if (strcmp(args->given[j].option->name, first->option->name) == 0)
                first = &args->given[j];
        }
        if (first != &args->given[i])
            continue;
        first->first_value = used;
        for (size_t j = i; j < args->given_count; j++) {
            if (args->given[j].value && strcmp(args->given[j].option->name, first->option->name) == 0)
                args->values[used++] = args->given[j].value;
        }
        first->value_count = used - first->first_value;
    }
}

static enum podsku_code judge(struct cli *cli, struct cli_args *args)
{
    size_t used;
    enum podsku_code code;

    if (args->word_count)
        cli->command = cli_find_command(args->words[0]);
    if (args->help || args->version)
        return PODSKU_OK;
    if (!args->word_count)
        return cli_no_command(cli);
    if (!cli->command)
        return cli_unknown_command(cli, args->words[0]);
    code = find_verb(cli, args, &used);
    for (size_t i = 0; !code && i < args->given_count; i++)
        code = resolve(cli, args, &args->given[i]);
    if (!code)
        code = check_operands(cli, args, used);
    if (code)
        return code;
    collect_values(args);
    cli->output = CLI_TABLE;
    if (cli_has(cli, "output") && !(args->verb[0] && strcmp(args->verb, "pull") == 0))
        set_output(cli, cli_value(cli, "output"));
    cli->quiet = cli_has(cli, "quiet");
    cli->verbose = cli_has(cli, "verbose");
    return check_stdin(cli);
}

enum podsku_code cli_parse(struct cli *cli, int argc, char **argv)
{
    struct cli_args *args = calloc(1, sizeof *args);
    size_t room = (size_t)argc + 1;
    size_t letters = 1;
    struct scan scan = {.cli = cli, .args = args, .argc = argc, .at = 1, .argv = argv};
    enum podsku_code code;

    cli->args = args;
    if (!args)
        return podsku_error_no_memory(&cli->err);
    guess_output(cli, argc, argv);
    for (int i = 1; i < argc; i++)
        letters += argv[i][0] == '-' ? strlen(argv[i]) : 1; /* "-qqq" is three options */
    args->given = calloc(letters, sizeof *args->given);
    args->words = calloc(room, sizeof *args->words);
    args->values = calloc(letters, sizeof *args->values);
    if (!args->given || !args->words || !args->values)
        return podsku_error_no_memory(&cli->err);
    code = scan_words(&scan);
    if (code && args->word_count)
        cli->command = cli_find_command(args->words[0]);
    return code ? code : judge(cli, args);
}

void cli_args_free(struct cli *cli)
{
    struct cli_args *args = (struct cli_args *)cli->args;

    if (args) {
        free(args->given);
        free(args->words);
        free(args->values);
        free(args);
    }
    cli->args = NULL;
}

bool cli_wants_help(const struct cli *cli)
{
    return cli->args && cli->args->help;
}

bool cli_wants_version(const struct cli *cli)
{
    return cli->args && cli->args->version;
}

/* A misspelt name in the code would otherwise read as "not given" for ever. */
static void check_name(const char *option)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        if (strcmp(cli_options[i].name, option) == 0)
            return;
    }
    (void)fprintf(stderr, "podsku: internal error: no option --%s\n", option);
    abort();
}

bool cli_has(const struct cli *cli, const char *option)
{
    check_name(option);
    for (size_t i = 0; i < cli->args->given_count; i++) {
        if (strcmp(cli->args->given[i].option->name, option) == 0)
            return true;
    }
    return false;
}

const char *cli_value(const struct cli *cli, const char *option)
{
    const char *value = NULL;

    check_name(option);
    for (size_t i = 0; i < cli->args->given_count; i++) {
        if (strcmp(cli->args->given[i].option->name, option) == 0)
            value = cli->args->given[i].value;
    }
    return value;
}

const char *const *cli_values(const struct cli *cli, const char *option, size_t *count)
{
    check_name(option);
    *count = 0;
    for (size_t i = 0; i < cli->args->given_count; i++) {
        const struct given *given = &cli->args->given[i];
        if (strcmp(given->option->name, option) == 0) {
            *count = given->value_count;
            return cli->args->values + given->first_value;
        }
    }
    return cli->args->values;
}

const char *const *cli_operands(const struct cli *cli, size_t *count)
{
    *count = cli->args->operand_count;
    return cli->args->operands;
}

const char *const *cli_rest(const struct cli *cli, size_t *count)
{
    *count = cli->args->rest_count;
    return cli->args->rest;
}

const char *cli_verb(const struct cli *cli)
{
    return cli->args->verb[0] ? cli->args->verb : NULL;
}
