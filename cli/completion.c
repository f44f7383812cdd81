/*
 * All three shells get the same knowledge: commands, verbs, the flags that fit each command with its
 * verb, and the words of a flag's value. Flags that exist only to be refused are not offered.
 */
#include "cli/completion.h"

#include <string.h>

#include "base/text.h"
#include "cli/help.h"

/* A command, with a verb where it has verbs. */
struct place {
    const struct cli_command *command;
    const struct cli_verb *verb; /* NULL: the command has none */
    char name[CLI_VERB_SIZE];    /* of the verb */
    bool is_default;             /* also what the command does without a verb */
};

/* The next place, from {0}; false after the last. */
static bool next_place(struct place *place)
{
    const struct cli_command *command = place->command;

    if (command && place->verb && place->verb[1].names) {
        place->verb++;
    } else {
        do
            command = command ? command + 1 : cli_commands;
        while (command < cli_commands + CLI_COMMAND_COUNT && !command->run);
        if (command == cli_commands + CLI_COMMAND_COUNT)
            return false;
        place->command = command;
        place->verb = command->verbs;
    }
    place->name[0] = '\0';
    if (place->verb)
        (void)cli_verb_name(place->verb, place->name);
    place->is_default = place->verb && command->default_verb && strcmp(command->default_verb, place->name) == 0;
    return true;
}

static enum cli_command_index index_of(const struct place *place)
{
    return cli_command_index(place->command);
}

static bool offered(const struct cli_option *option, const struct place *place)
{
    return option->group != CLI_GROUP_UNAVAILABLE &&
           cli_option_fits(option, index_of(place), place->verb ? place->name : NULL);
}

/* "a|b|c" with another separator. */
static void words(struct podsku_buf *out, const char *choices, char separator)
{
    for (; *choices; choices++)
        podsku_buf_putc(out, *choices == '|' ? separator : *choices);
}

static bool is_file(const struct cli_option *option)
{
    const char *metavar = option->metavar ? option->metavar : "";

    return strcmp(metavar, "FILE") == 0 || strcmp(metavar, "DIR") == 0 || strcmp(metavar, "SOURCE") == 0;
}

/* Do files stand after the command? */
static bool takes_files(const struct place *place)
{
    static const char *const kinds[] = {"FILE", "OLD", "SCENARIOS"};
    const char *synopsis = place->verb ? place->verb->operands.synopsis : place->command->operands.synopsis;

    for (size_t i = 0; synopsis && i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(synopsis, kinds[i]))
            return true;
    return false;
}

/* Words that can stand after a command: topics, shells. */
static void operand_words(struct podsku_buf *out, const struct cli_command *command, char separator)
{
    enum cli_command_index index = cli_command_index(command);

    if (index == CLI_INDEX_COMPLETION)
        words(out, command->operands.synopsis, separator);
    if (index != CLI_INDEX_HELP)
        return;
    for (const char *const *topic = cli_topic_names(); *topic; topic++)
        podsku_buf_printf(out, "%s%c", *topic, separator);
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (cli_commands[i].run)
            podsku_buf_printf(out, "%s%c", cli_commands[i].name, separator);
    }
}

/* The names of a command's verbs but one (NULL: all), each with a blank after it. */
static void verb_words(struct podsku_buf *out, const struct cli_command *command, const struct cli_verb *but)
{
    for (const struct cli_verb *verb = command->verbs; verb && verb->names; verb++) {
        if (verb == but)
            continue;
        words(out, verb->names, ' ');
        podsku_buf_putc(out, ' ');
    }
}

/* The words of an option's value at this place. */
static const char *value_words(const struct cli_option *option, const struct place *place)
{
    if (strcmp(option->name, "output") == 0 && *option->choices)
        return cli_output_choices(index_of(place), place->verb ? place->name : NULL);
    return option->choices;
}

/* "catalog: | catalog:list)": the pattern of `$command:$verb` in both sh-like scripts. */
static void put_case(struct podsku_buf *out, const struct place *place)
{
    podsku_buf_puts(out, "        ");
    if (place->is_default)
        podsku_buf_printf(out, "%s: | ", place->command->name);
    podsku_buf_printf(out, "%s:%s)", place->command->name, place->name);
}

/* Sets command and verb from the words before the cursor, in bash and zsh alike. */
static void put_find_place(struct podsku_buf *out, const char *before)
{
    struct place place = {0};

    podsku_buf_printf(out, "    for word in %s; do\n        case $command:$verb:$word in\n", before);
    while (next_place(&place)) {
        const struct cli_command *command = place.command;
        if (!place.verb || place.verb == command->verbs)
            podsku_buf_printf(out, "        ::%s%s%s) command=%s ;;\n", command->name, command->alias ? " | ::" : "",
                              command->alias ? command->alias : "", command->name);
        if (!place.verb)
            continue;
        podsku_buf_printf(out, "        %s::", command->name);
        for (const char *at = place.verb->names; *at; at++) {
            if (*at == '|')
                podsku_buf_printf(out, " | %s::", command->name);
            else
                podsku_buf_putc(out, *at);
        }
        podsku_buf_printf(out, ") verb=%s ;;\n", place.name);
    }
    podsku_buf_puts(out, "        esac\n    done\n");
}

static void bash_flags(struct podsku_buf *out, const struct place *place)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        if (!offered(&cli_options[i], place))
            continue;
        podsku_buf_printf(out, " --%s", cli_options[i].name);
        if (cli_options[i].letter)
            podsku_buf_printf(out, " -%c", cli_options[i].letter);
    }
}

static void bash_formats(struct podsku_buf *out)
{
    struct place place = {0};

    podsku_buf_puts(out, "    --output | -o)\n        case $command:$verb in\n");
    while (next_place(&place)) {
        for (size_t i = 0; i < cli_option_count; i++) {
            const struct cli_option *option = &cli_options[i];
            if (strcmp(option->name, "output") != 0 || !offered(option, &place))
                continue;
            put_case(out, &place);
            if (*option->choices) {
                podsku_buf_puts(out, " words='");
                words(out, value_words(option, &place), ' ');
                podsku_buf_puts(out, "' ;;\n");
            } else {
                podsku_buf_puts(out, " files=yes ;;\n");
            }
        }
    }
    podsku_buf_puts(out, "        esac\n        ;;\n");
}

static void bash_values(struct podsku_buf *out)
{
    podsku_buf_puts(out, "    case $previous in\n");
    bash_formats(out);
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        if (!*option->choices || strcmp(option->name, "output") == 0)
            continue;
        podsku_buf_printf(out, "    --%s", option->name);
        podsku_buf_puts(out, ") words='");
        words(out, option->choices, ' ');
        podsku_buf_printf(out, "'%s ;;\n", option->flags & CLI_OPTIONAL ? "; optional=yes" : "");
    }
    podsku_buf_puts(out, "    --catalog) words='live graphql bundled'; files=yes ;;\n");
    for (size_t i = 0; i < cli_option_count; i++) {
        if (is_file(&cli_options[i]) && strcmp(cli_options[i].name, "catalog") != 0 && !cli_options[i].letter)
            podsku_buf_printf(out, "    --%s) files=yes ;;\n", cli_options[i].name);
    }
    podsku_buf_puts(out, "    esac\n");
}

static void bash(struct podsku_buf *out)
{
    struct place place = {0};

    podsku_buf_puts(out, "# bash completion for podsku\n_podsku()\n{\n"
                         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                         "    local command='' verb='' words='' flags='' files='' optional='' word\n");
    put_find_place(out, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"");
    bash_values(out);
    podsku_buf_puts(out, "    if [[ -z $words$files || ( -n $optional && $current == -* ) ]]; then\n"
                         "        case $command:$verb in\n        :) words='");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (cli_commands[i].run)
            podsku_buf_printf(out, "%s ", cli_commands[i].name);
    }
    podsku_buf_puts(out, "'; flags='--help --version --quiet --verbose' ;;\n");
    while (next_place(&place)) {
        put_case(out, &place);
        podsku_buf_puts(out, " words='");
        operand_words(out, place.command, ' ');
        podsku_buf_puts(out, "'; flags='");
        bash_flags(out, &place);
        podsku_buf_printf(out, "'%s ;;\n", takes_files(&place) ? "; files=yes" : "");
    }
    podsku_buf_puts(out, "        esac\n        case $command:$verb in\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (!cli_commands[i].run || !cli_commands[i].verbs)
            continue;
        podsku_buf_printf(out, "        %s:) words='", cli_commands[i].name);
        verb_words(out, &cli_commands[i], NULL);
        podsku_buf_puts(out, "' ;;\n");
    }
    podsku_buf_puts(out, "        esac\n"
                         "        if [[ $current == -* ]]; then words=$flags files=''; fi\n    fi\n"
                         "    COMPREPLY=()\n"
                         "    while IFS= read -r word; do\n        COMPREPLY+=(\"$word\")\n"
                         "    done < <(compgen -W \"$words\" -- \"$current\"; "
                         "[[ -z $files ]] || compgen -f -- \"$current\")\n}\n"
                         "complete -o filenames -F _podsku podsku\n");
}

/* Text inside single quotes of zsh's or fish's lists; brackets and colons steer zsh. */
static void quoted(struct podsku_buf *out, const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'')
            podsku_buf_puts(out, "'\\''");
        else if (strchr(escaped, *text))
            podsku_buf_printf(out, "\\%c", *text);
        else
            podsku_buf_putc(out, *text);
    }
}

static void zsh_option(struct podsku_buf *out, const struct cli_option *option, const struct place *place)
{
    const char *repeat = option->flags & CLI_REPEATABLE ? "*" : "";

    for (int form = 0; form < (option->letter ? 2 : 1); form++) {
        if (form)
            podsku_buf_printf(out, "            '%s-%c[", repeat, option->letter);
        else
            podsku_buf_printf(out, "            '%s--%s%s[", repeat, option->name,
                              option->flags & CLI_OPTIONAL ? "=-"
                              : option->metavar            ? "="
                                                           : "");
        quoted(out, option->help, "[]:\\");
        podsku_buf_puts(out, "]");
        if (option->metavar) {
            podsku_buf_printf(out, "%s:", option->flags & CLI_OPTIONAL ? ":" : "");
            quoted(out, option->metavar, "[]:\\");
            podsku_buf_puts(out, ":");
            if (*option->choices) {
                podsku_buf_puts(out, "(");
                words(out, value_words(option, place), ' ');
                podsku_buf_puts(out, ")");
            } else if (is_file(option)) {
                podsku_buf_puts(out, "_files");
            }
        }
        podsku_buf_puts(out, "' \\\n");
    }
}

static void zsh(struct podsku_buf *out)
{
    struct place place = {0};

    podsku_buf_puts(out, "#compdef podsku\n_podsku()\n{\n    local command='' verb='' word\n"
                         "    if (( CURRENT == 2 )); then\n        local -a commands=(\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (!cli_commands[i].run)
            continue;
        podsku_buf_printf(out, "            '%s:", cli_commands[i].name);
        quoted(out, cli_commands[i].summary, ":\\");
        podsku_buf_puts(out, "'\n");
    }
    podsku_buf_puts(out, "        )\n        _describe command commands\n        return\n    fi\n");
    put_find_place(out, "${words[2,CURRENT-1]}");
    podsku_buf_puts(out, "    case $command:$verb in\n");
    while (next_place(&place)) {
        put_case(out, &place);
        podsku_buf_puts(out, "\n            _arguments \\\n");
        for (size_t row = 0; row < cli_option_count; row++) {
            if (offered(&cli_options[row], &place))
                zsh_option(out, &cli_options[row], &place);
        }
        podsku_buf_puts(out, "            '2:word:(");
        verb_words(out, place.command, NULL);
        operand_words(out, place.command, ' ');
        podsku_buf_printf(out, ")'%s\n            ;;\n",
                          takes_files(&place) || place.command->takes_rest ? " \\\n            '*:file:_files'" : "");
    }
    podsku_buf_puts(out, "    esac\n}\n_podsku \"$@\"\n");
}

/* "complete -c podsku -n '...'": at this place only. */
static void fish_when(struct podsku_buf *out, const struct place *place)
{
    const struct cli_command *command = place->command;

    podsku_buf_printf(out, "complete -c podsku -n '__fish_seen_subcommand_from %s%s%s", command->name,
                      command->alias ? " " : "", command->alias ? command->alias : "");
    if (place->is_default) {
        podsku_buf_puts(out, "; and not __fish_seen_subcommand_from ");
        verb_words(out, command, place->verb);
    } else if (place->verb) {
        podsku_buf_puts(out, "; and __fish_seen_subcommand_from ");
        words(out, place->verb->names, ' ');
    }
    podsku_buf_puts(out, "'");
}

static void fish_option(struct podsku_buf *out, const struct cli_option *option, const struct place *place)
{
    fish_when(out, place);
    podsku_buf_printf(out, " -l %s", option->name);
    if (option->letter)
        podsku_buf_printf(out, " -s %c", option->letter);
    if (option->metavar && !(option->flags & CLI_OPTIONAL))
        podsku_buf_puts(out, is_file(option) ? " -r -F" : " -x");
    if (*option->choices) {
        podsku_buf_puts(out, " -a '");
        words(out, value_words(option, place), ' ');
        podsku_buf_puts(out, "'");
    }
    podsku_buf_puts(out, " -d '");
    for (const char *at = option->help; *at; at++) {
        if (*at == '\'' || *at == '\\')
            podsku_buf_putc(out, '\\');
        podsku_buf_putc(out, *at);
    }
    podsku_buf_puts(out, "'\n");
}

/* The words after a command, once: verbs as long as there is none, topics, shells. */
static void fish_words(struct podsku_buf *out, const struct cli_command *command)
{
    struct podsku_buf verbs = {0};
    struct podsku_buf after = {0};

    verb_words(&verbs, command, NULL);
    operand_words(&after, command, ' ');
    podsku_buf_printf(out, "complete -c podsku -f -n __fish_use_subcommand -a %s -d \"%s\"\n", command->name,
                      command->summary);
    if (verbs.len)
        podsku_buf_printf(out,
                          "complete -c podsku -n '__fish_seen_subcommand_from %s%s%s; and not "
                          "__fish_seen_subcommand_from %s' -a '%s'\n",
                          command->name, command->alias ? " " : "", command->alias ? command->alias : "",
                          podsku_buf_text(&verbs), podsku_buf_text(&verbs));
    if (after.len)
        podsku_buf_printf(out, "complete -c podsku -n '__fish_seen_subcommand_from %s' -a '%s'\n", command->name,
                          podsku_buf_text(&after));
    out->failed = out->failed || podsku_buf_failed(&verbs) || podsku_buf_failed(&after);
    podsku_buf_free(&verbs);
    podsku_buf_free(&after);
}

static void fish(struct podsku_buf *out)
{
    struct place place = {0};

    podsku_buf_puts(out, "# fish completion for podsku\ncomplete -c podsku -f\n");
    while (next_place(&place)) {
        if (!place.verb || place.verb == place.command->verbs)
            fish_words(out, place.command);
        if (takes_files(&place)) {
            fish_when(out, &place);
            podsku_buf_puts(out, " -F\n");
        }
        for (size_t row = 0; row < cli_option_count; row++) {
            if (offered(&cli_options[row], &place))
                fish_option(out, &cli_options[row], &place);
        }
    }
}

bool cli_completion(struct podsku_buf *out, const char *shell)
{
    static const struct {
        const char *shell;
        void (*write)(struct podsku_buf *out);
    } rows[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (podsku_text_equal_nocase(rows[i].shell, shell)) {
            rows[i].write(out);
            return true;
        }
    }
    return false;
}
