#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

enum { NAMES_MAX = 256 };

/* "a, b or c" of "a|b|c". */
static void list_words(struct podsku_buf *out, const char *choices)
{
    while (*choices) {
        size_t len = strcspn(choices, "|");
        podsku_buf_append(out, choices, len);
        choices += len + (choices[len] == '|');
        if (*choices)
            podsku_buf_puts(out, strchr(choices, '|') ? ", " : " or ");
    }
}

static const char *spell_command(const struct cli *cli, char *text, size_t size)
{
    const char *verb = cli->args ? cli_verb(cli) : NULL;

    (void)snprintf(text, size, "podsku %s%s%s", cli->command->name, verb ? " " : "", verb ? verb : "");
    return text;
}

static enum podsku_code hint_list(struct cli *cli, const char *head, struct podsku_buf *list)
{
    podsku_error_hint(&cli->err, "%s%s", head, podsku_buf_text(list));
    podsku_buf_free(list);
    return PODSKU_USAGE;
}

static void list_commands(struct podsku_buf *out)
{
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (cli_commands[i].run)
            podsku_buf_printf(out, " %s", cli_commands[i].name);
    }
}

enum podsku_code cli_no_command(struct cli *cli)
{
    struct podsku_buf list = {0};

    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "no command");
    list_commands(&list);
    return hint_list(cli, "commands:", &list);
}

enum podsku_code cli_unknown_command(struct cli *cli, const char *word)
{
    const char *names[2 * CLI_COMMAND_COUNT + 1];
    size_t count = 0;
    const char *near;
    struct podsku_buf list = {0};

    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "unknown command \"%s\"", word);
    if (cli_is_topic(word)) {
        podsku_error_hint(&cli->err, "it is a topic: podsku help %s", word);
        return PODSKU_USAGE;
    }
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (!cli_commands[i].run)
            continue;
        names[count++] = cli_commands[i].name;
        if (cli_commands[i].alias)
            names[count++] = cli_commands[i].alias;
    }
    names[count] = NULL;
    near = podsku_text_nearest(word, names);
    if (near) {
        podsku_error_hint(&cli->err, "did you mean podsku %s?", near);
        return PODSKU_USAGE;
    }
    list_commands(&list);
    return hint_list(cli, "commands:", &list);
}

enum podsku_code cli_unknown_topic(struct cli *cli, const char *word)
{
    const char *names[2 * CLI_COMMAND_COUNT + 1];
    size_t count = 0;
    const char *near;
    struct podsku_buf list = {0};

    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "there is no help on \"%s\"", word);
    for (const char *const *topic = cli_topic_names(); *topic && count < CLI_COMMAND_COUNT; topic++)
        names[count++] = *topic;
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (cli_commands[i].run)
            names[count++] = cli_commands[i].name;
    }
    names[count] = NULL;
    near = podsku_text_nearest(word, names);
    if (near) {
        podsku_error_hint(&cli->err, "did you mean podsku help %s?", near);
        return PODSKU_USAGE;
    }
    for (const char *const *topic = cli_topic_names(); *topic; topic++)
        podsku_buf_printf(&list, " %s", *topic);
    podsku_buf_puts(&list, "; commands:");
    list_commands(&list);
    return hint_list(cli, "topics:", &list);
}

static void list_verbs(struct podsku_buf *out, const struct cli_command *command)
{
    for (const struct cli_verb *verb = command->verbs; verb->names; verb++)
        podsku_buf_printf(out, "%s%.*s", verb == command->verbs ? "" : ", ", (int)strcspn(verb->names, "|"),
                          verb->names);
}

enum podsku_code cli_no_verb(struct cli *cli)
{
    struct podsku_buf list = {0};

    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "podsku %s needs to know what to do", cli->command->name);
    list_verbs(&list, cli->command);
    return hint_list(cli, "one of: ", &list);
}

enum podsku_code cli_unknown_verb(struct cli *cli, const char *word)
{
    const char *names[32];
    char storage[32][24];
    size_t count = 0;
    const char *near;
    struct podsku_buf list = {0};

    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "podsku %s has no \"%s\"", cli->command->name, word);
    for (const struct cli_verb *verb = cli->command->verbs; verb->names; verb++) {
        for (const char *at = verb->names; *at && count < 31;) {
            size_t len = strcspn(at, "|");
            (void)snprintf(storage[count], sizeof storage[count], "%.*s", (int)len, at);
            names[count] = storage[count];
            count++;
            at += len + (at[len] == '|');
        }
    }
    names[count] = NULL;
    near = podsku_text_nearest(word, names);
    if (near) {
        podsku_error_hint(&cli->err, "did you mean podsku %s %s?", cli->command->name, near);
        return PODSKU_USAGE;
    }
    list_verbs(&list, cli->command);
    return hint_list(cli, "one of: ", &list);
}

/* Long names (also aliases) that the command takes; all of them for NULL. Ends with NULL. */
static void flag_names(const struct cli_command *command, const char *names[NAMES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < cli_option_count && count < NAMES_MAX - 1; i++) {
        const struct cli_option *option = &cli_options[i];
        if (option->group != CLI_GROUP_UNAVAILABLE &&
            (!command || cli_option_fits(option, cli_command_index(command), NULL)))
            names[count++] = option->name;
    }
    for (size_t i = 0; i < cli_option_alias_count && count < NAMES_MAX - 1; i++)
        names[count++] = cli_option_aliases[i].alias;
    names[count] = NULL;
}

enum podsku_code cli_unknown_flag(struct cli *cli, const char *word, int len, const struct cli_command *command)
{
    static const char *const secret[] = {"--api-key", "--apikey", "--key", "--token", NULL};
    const char *names[NAMES_MAX];
    char name[64];
    const char *near;

    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "unknown flag \"%.*s\"", len, word);
    (void)snprintf(name, sizeof name, "%.*s", len, word);
    for (size_t i = 0; secret[i]; i++) {
        if (strcmp(secret[i], name) == 0) {
            podsku_error_hint(&cli->err, "no flag takes the API key, since everybody can read a command line: set "
                                         "RUNPOD_API_KEY or RUNPOD_API_KEY_FILE");
            return PODSKU_USAGE;
        }
    }
    flag_names(command, names);
    near = podsku_text_nearest(name + 2, names);
    if (!near && command) {
        flag_names(NULL, names);
        near = podsku_text_nearest(name + 2, names);
    }
    if (near)
        podsku_error_hint(&cli->err, "did you mean --%s?", near);
    else
        podsku_error_hint(&cli->err, "podsku help%s%s lists the flags", command ? " " : "",
                          command ? command->name : "");
    return PODSKU_USAGE;
}

enum podsku_code cli_unknown_letter(struct cli *cli, const char *word, char letter)
{
    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "unknown flag \"-%c\" in \"%s\"", letter, word);
    podsku_error_hint(&cli->err, "short flags are -o, -q, -v and -h; long ones start with two dashes");
    return PODSKU_USAGE;
}

/* "podsku deploy, podsku run": the commands, with verbs, where a flag of this name fits. */
static void list_homes(struct podsku_buf *out, const char *name)
{
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        const struct cli_command *command = &cli_commands[i];
        bool everywhere = true, somewhere = false;
        struct podsku_buf verbs = {0};

        if (!command->run)
            continue;
        for (const struct cli_verb *verb = command->verbs; verb && verb->names; verb++) {
            char canonical[24];
            bool fits = false;
            (void)snprintf(canonical, sizeof canonical, "%.*s", (int)strcspn(verb->names, "|"), verb->names);
            for (size_t row = 0; row < cli_option_count; row++)
                fits = fits || (strcmp(cli_options[row].name, name) == 0 &&
                                cli_option_fits(&cli_options[row], (enum cli_command_index)i, canonical));
            everywhere = everywhere && fits;
            if (fits) {
                podsku_buf_printf(&verbs, "%s%s", somewhere ? "|" : " ", canonical);
                somewhere = true;
            }
        }
        for (size_t row = 0; !command->verbs && row < cli_option_count; row++) {
            if (strcmp(cli_options[row].name, name) == 0)
                somewhere = somewhere || cli_option_fits(&cli_options[row], (enum cli_command_index)i, NULL);
        }
        if (somewhere)
            podsku_buf_printf(out, "%spodsku %s%s", out->len ? ", " : "", command->name,
                              everywhere ? "" : podsku_buf_text(&verbs));
        podsku_buf_free(&verbs);
    }
}

enum podsku_code cli_misplaced_flag(struct cli *cli, const struct cli_option *option)
{
    char command[64];
    struct podsku_buf homes = {0};

    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "--%s means nothing to %s", option->name,
                           spell_command(cli, command, sizeof command));
    list_homes(&homes, option->name);
    return hint_list(cli, homes.len ? "it belongs to " : "no command of this build takes it", &homes);
}

enum podsku_code cli_bad_choice(struct cli *cli, const char *option, const char *value, const char *choices)
{
    struct podsku_buf list = {0};
    char command[64];

    list_words(&list, choices);
    if (strcmp(option, "output") == 0)
        (void)podsku_error_set(&cli->err, PODSKU_USAGE, "%s has no output format \"%s\"",
                               spell_command(cli, command, sizeof command), value);
    else
        (void)podsku_error_set(&cli->err, PODSKU_USAGE, "--%s cannot be \"%s\"", option, value);
    return hint_list(cli, "it can be ", &list);
}

/* The word may be a misspelt level of `--nvlink LEVEL`, which is taken only if it is spelt right. */
static const char *near_level(const struct cli *cli, const char *word)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        const char *levels[] = {"required", "possible", "preferred", "any", NULL};
        if ((cli_options[i].flags & CLI_OPTIONAL) && cli_has(cli, cli_options[i].name))
            return podsku_text_nearest(word, levels);
    }
    return NULL;
}

enum podsku_code cli_stray_operand(struct cli *cli, const char *word)
{
    char command[64];
    const char *level = near_level(cli, word);

    spell_command(cli, command, sizeof command);
    if (level) {
        podsku_error_hint(&cli->err, "did you mean --nvlink %s?", level);
        return podsku_error_set(&cli->err, PODSKU_USAGE, "--nvlink has no level \"%s\"", word);
    }
    if (cli->command->takes_rest) {
        (void)podsku_error_set(&cli->err, PODSKU_USAGE, "\"%s\" stands where only flags do", word);
        podsku_error_hint(&cli->err, "the command to run follows --, as in: %s ... -- %s", command, word);
        return PODSKU_USAGE;
    }
    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "%s does not know what to do with \"%s\"", command, word);
    podsku_error_hint(&cli->err, "podsku help %s shows what it takes; a pattern with blanks needs quotes",
                      cli->command->name);
    return PODSKU_USAGE;
}

enum podsku_code cli_missing_operand(struct cli *cli, const struct cli_operands *wanted)
{
    char command[64];

    spell_command(cli, command, sizeof command);
    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "%s needs %s", command, wanted->synopsis);
    podsku_error_hint(&cli->err, "%s %s", command, wanted->synopsis);
    return PODSKU_USAGE;
}

enum podsku_code cli_no_rest(struct cli *cli)
{
    char command[64];

    spell_command(cli, command, sizeof command);
    (void)podsku_error_set(&cli->err, PODSKU_USAGE, "no command to run");
    podsku_error_hint(&cli->err, "%s ... -- CMD ARGS...", command);
    return PODSKU_USAGE;
}

const char *cli_output_choices(enum cli_command_index command, const char *verb)
{
    static const struct {
        enum cli_command_index command;
        const char *verb; /* NULL: any */
        const char *choices;
    } rows[] = {
        {CLI_INDEX_CATALOG, "list", "table|wide|json|csv|ids"}, {CLI_INDEX_CATALOG, "mig", "table|wide|json|csv"},
        {CLI_INDEX_PICK, NULL, "table|wide|json|csv|ids"},      {CLI_INDEX_VERIFY, NULL, "table|json|svg"},
        {CLI_INDEX_EVALUATE, NULL, "table|json|junit"},         {CLI_INDEX_OBSERVATIONS, NULL, "table|json|csv"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].command == command && (!rows[i].verb || (verb && strcmp(rows[i].verb, verb) == 0)))
            return rows[i].choices;
    }
    return "table|json";
}
