/*
 * All three shells get the same knowledge: commands, verbs, the flags that fit each command, and the
 * words of a flag's value. Flags that exist only to be refused are not offered.
 */
#include "cli/completion.h"

#include <string.h>

#include "base/text.h"
#include "cli/help.h"

static bool offered(const struct cli_option *option, size_t command)
{
    return option->group != CLI_GROUP_UNAVAILABLE && cli_option_fits(option, (enum cli_command_index)command, NULL);
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

static bool takes_files(size_t command)
{
    return command == CLI_INDEX_CATALOG || command == CLI_INDEX_VERIFY || command == CLI_INDEX_EVALUATE;
}

/* Words that can stand after a command: verbs, topics, shells. */
static void operand_words(struct podsku_buf *out, size_t index, char separator)
{
    const struct cli_command *command = &cli_commands[index];

    for (const struct cli_verb *verb = command->verbs; verb && verb->names; verb++) {
        words(out, verb->names, separator);
        podsku_buf_putc(out, separator);
    }
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

static void bash_flags(struct podsku_buf *out, size_t command)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        if (!offered(&cli_options[i], command))
            continue;
        podsku_buf_printf(out, " --%s", cli_options[i].name);
        if (cli_options[i].letter)
            podsku_buf_printf(out, " -%c", cli_options[i].letter);
    }
}

/* The words of an option's value for one command. */
static const char *value_words(const struct cli_option *option, size_t command)
{
    if (strcmp(option->name, "output") == 0 && *option->choices)
        return cli_output_choices((enum cli_command_index)command, cli_commands[command].default_verb);
    return option->choices;
}

static void bash_formats(struct podsku_buf *out)
{
    podsku_buf_puts(out, "    --output | -o)\n        case $command in\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (!cli_commands[i].run)
            continue;
        podsku_buf_printf(out, "        %s) words='", cli_commands[i].name);
        words(out, cli_output_choices((enum cli_command_index)i, cli_commands[i].default_verb), ' ');
        podsku_buf_puts(out, "' ;;\n");
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
    podsku_buf_puts(out, "# bash completion for podsku\n_podsku()\n{\n"
                         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                         "    local command='' words='' flags='' files='' optional='' word\n"
                         "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n        case $word in\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        const struct cli_command *command = &cli_commands[i];
        if (!command->run)
            continue;
        podsku_buf_printf(out, "        %s%s%s) command=%s; break ;;\n", command->name, command->alias ? " | " : "",
                          command->alias ? command->alias : "", command->name);
    }
    podsku_buf_puts(out, "        esac\n    done\n");
    bash_values(out);
    podsku_buf_puts(out, "    if [[ -z $words$files || ( -n $optional && $current == -* ) ]]; then\n"
                         "        case $command in\n        '') words='");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (cli_commands[i].run)
            podsku_buf_printf(out, "%s ", cli_commands[i].name);
    }
    podsku_buf_puts(out, "'; flags='--help --version --quiet --verbose' ;;\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (!cli_commands[i].run)
            continue;
        podsku_buf_printf(out, "        %s) words='", cli_commands[i].name);
        operand_words(out, i, ' ');
        podsku_buf_puts(out, "'; flags='");
        bash_flags(out, i);
        podsku_buf_printf(out, "'%s ;;\n", takes_files(i) ? "; files=yes" : "");
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

static void zsh_option(struct podsku_buf *out, const struct cli_option *option, size_t command)
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
                words(out, value_words(option, command), ' ');
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
    podsku_buf_puts(out, "#compdef podsku\n_podsku()\n{\n    local command=${words[2]}\n"
                         "    if (( CURRENT == 2 )); then\n        local -a commands=(\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (!cli_commands[i].run)
            continue;
        podsku_buf_printf(out, "            '%s:", cli_commands[i].name);
        quoted(out, cli_commands[i].summary, ":\\");
        podsku_buf_puts(out, "'\n");
    }
    podsku_buf_puts(out, "        )\n        _describe command commands\n        return\n    fi\n"
                         "    case $command in\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        const struct cli_command *command = &cli_commands[i];
        if (!command->run)
            continue;
        podsku_buf_printf(out, "    %s%s%s)\n        _arguments \\\n", command->name, command->alias ? "|" : "",
                          command->alias ? command->alias : "");
        for (size_t row = 0; row < cli_option_count; row++) {
            if (offered(&cli_options[row], i))
                zsh_option(out, &cli_options[row], i);
        }
        podsku_buf_puts(out, "            '2:word:(");
        operand_words(out, i, ' ');
        podsku_buf_puts(out, ")' \\\n            '*:file:_files'\n        ;;\n");
    }
    podsku_buf_puts(out, "    esac\n}\n_podsku \"$@\"\n");
}

static void fish_option(struct podsku_buf *out, const struct cli_option *option, const struct cli_command *command)
{
    podsku_buf_printf(out, "complete -c podsku -n '__fish_seen_subcommand_from %s%s%s' -l %s", command->name,
                      command->alias ? " " : "", command->alias ? command->alias : "", option->name);
    if (option->letter)
        podsku_buf_printf(out, " -s %c", option->letter);
    if (option->metavar && !(option->flags & CLI_OPTIONAL))
        podsku_buf_puts(out, is_file(option) ? " -r -F" : " -x");
    if (*option->choices) {
        podsku_buf_puts(out, " -a '");
        words(out, value_words(option, (size_t)(command - cli_commands)), ' ');
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

static void fish(struct podsku_buf *out)
{
    podsku_buf_puts(out, "# fish completion for podsku\ncomplete -c podsku -f\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        const struct cli_command *command = &cli_commands[i];
        struct podsku_buf after = {0};
        if (!command->run)
            continue;
        podsku_buf_printf(out, "complete -c podsku -f -n __fish_use_subcommand -a %s -d \"%s\"\n", command->name,
                          command->summary);
        operand_words(&after, i, ' ');
        if (after.len)
            podsku_buf_printf(out, "complete -c podsku -n '__fish_seen_subcommand_from %s' -a '%s'\n", command->name,
                              podsku_buf_text(&after));
        if (takes_files(i))
            podsku_buf_printf(out, "complete -c podsku -n '__fish_seen_subcommand_from %s' -F\n", command->name);
        podsku_buf_free(&after);
        for (size_t row = 0; row < cli_option_count; row++) {
            if (offered(&cli_options[row], i))
                fish_option(out, &cli_options[row], command);
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
