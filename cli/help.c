/*
 * Help pages from the tables.
 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/wrap.h"

#define GROUP_HEADING(constant, heading) heading,
static const char *const headings[] = {CLI_GROUP_LIST(GROUP_HEADING)};
#undef GROUP_HEADING

const char *cli_group_heading(enum cli_group group)
{
    return headings[group];
}

void cli_help_overview(struct podsku_buf *out, int width)
{
    struct cli_wrap wrap = {.out = out, .width = width ? width : 80};

    cli_wrap_text(&wrap, 0, "podsku picks, rents and verifies the right Runpod GPU type.");
    podsku_buf_puts(out, "\nCommands\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (cli_commands[i].run)
            cli_wrap_item(&wrap, cli_commands[i].name, 14, cli_commands[i].summary);
    }
    podsku_buf_puts(out, "\n");
    cli_wrap_text(&wrap, 0, "Topics (podsku help TOPIC)");
    for (const char *const *topic = cli_topic_names(); *topic; topic++)
        cli_wrap_item(&wrap, *topic, 14, cli_topic_summary(*topic));
    podsku_buf_puts(out, "\n");
    cli_wrap_text(&wrap, 0,
                  "podsku COMMAND --help explains a command. With RUNPOD_API_KEY set, prices and stock are live; "
                  "without, they are those that were compiled in, or --catalog graphql.");
    podsku_buf_puts(out, "\n");
    cli_wrap_text(&wrap, 0,
                  "Exit status: 0 done, 2 usage, 3 no offer, 4 nothing placed, 5 key or balance, 6 mismatch, "
                  "7 network or service, 8 a pod may exist, 9 unverified, 10 expectation failed, 11 input file, "
                  "12 timed out, 125 podsku failed inside run, 130 interrupted.");
}

static void synopsis(struct cli_wrap *wrap, const struct cli_command *command)
{
    char line[256];

    for (const struct cli_verb *verb = command->verbs; verb && verb->names; verb++) {
        int len = (int)strcspn(verb->names, "|");
        bool is_default = command->default_verb && strncmp(command->default_verb, verb->names, (size_t)len) == 0;
        (void)snprintf(line, sizeof line, "podsku %s %s%.*s%s%s%s [FLAGS]", command->name, is_default ? "[" : "", len,
                       verb->names, is_default ? "]" : "", verb->operands.synopsis ? " " : "",
                       verb->operands.synopsis ? verb->operands.synopsis : "");
        cli_wrap_item(wrap, line, 0, verb->summary);
    }
    if (command->verbs)
        return;
    (void)snprintf(line, sizeof line, "podsku %s%s%s%s%s [FLAGS]%s", command->name,
                   command->operands.synopsis ? " " : "", command->operands.synopsis ? command->operands.synopsis : "",
                   command->synopsis ? " " : "", command->synopsis ? command->synopsis : "",
                   command->takes_rest ? " -- CMD [ARG...]" : "");
    cli_wrap_item(wrap, line, 0, "");
}

void cli_option_spelling(const struct cli_option *option, char *text, size_t size)
{
    char letter[8] = "";
    const char *value = option->metavar ? option->metavar : "";

    if (option->letter)
        (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    (void)snprintf(text, size, "%s--%s%s%s", letter, option->name, *value ? " " : "", value);
}

const char *cli_verb_name(const struct cli_verb *verb, char name[CLI_VERB_SIZE])
{
    (void)snprintf(name, CLI_VERB_SIZE, "%.*s", (int)strcspn(verb->names, "|"), verb->names);
    return name;
}

/* A command (with a verb) and the formats that it knows. */
struct formats {
    char label[48];
    const char *choices;
};

enum { FORMATS_MAX = 64 };

/* Adds a row for the command if it takes the option; with_name: the label has the command's name. */
static size_t add_formats(struct formats *rows, size_t count, const struct cli_option *option,
                          const struct cli_command *command, bool with_name)
{
    enum cli_command_index index = cli_command_index(command);
    const char *name = with_name ? command->name : "";
    char word[CLI_VERB_SIZE];

    if (!command->verbs && cli_option_fits(option, index, NULL)) {
        (void)snprintf(rows[count].label, sizeof rows->label, "%s", name);
        rows[count++].choices = cli_output_choices(index, NULL);
    }
    for (const struct cli_verb *verb = command->verbs; verb && verb->names; verb++) {
        if (!cli_option_fits(option, index, cli_verb_name(verb, word)))
            continue;
        (void)snprintf(rows[count].label, sizeof rows->label, "%s%s%s", name, with_name ? " " : "", word);
        rows[count++].choices = cli_output_choices(index, word);
    }
    return count;
}

/* " [a|b]"; where the verbs (commands, for NULL) differ, " [list, mig: a|b; diff: a|c]" and true. */
static bool put_formats(struct podsku_buf *out, const struct cli_option *option, const struct cli_command *command)
{
    struct formats rows[FORMATS_MAX];
    size_t count = 0;
    bool differ = false;

    for (size_t i = 0; !command && i < CLI_COMMAND_COUNT; i++)
        if (cli_commands[i].run)
            count = add_formats(rows, count, option, &cli_commands[i], true);
    if (command)
        count = add_formats(rows, count, option, command, false);
    for (size_t i = 1; i < count; i++)
        differ = differ || strcmp(rows[i].choices, rows[0].choices) != 0;
    if (!differ && count > 0)
        podsku_buf_printf(out, " [%s]", rows[0].choices);
    for (size_t i = 0; differ && i < count; i++) {
        bool first = true;
        for (size_t j = 0; j < i && first; j++)
            first = strcmp(rows[j].choices, rows[i].choices) != 0;
        if (!first)
            continue;
        podsku_buf_printf(out, "%s%s", i ? "; " : " [", rows[i].label);
        for (size_t j = i + 1; j < count; j++)
            if (strcmp(rows[j].choices, rows[i].choices) == 0)
                podsku_buf_printf(out, ", %s", rows[j].label);
        podsku_buf_printf(out, ": %s", rows[i].choices);
    }
    if (differ)
        podsku_buf_putc(out, ']');
    return differ;
}

static bool is_format(const struct cli_option *option)
{
    return strcmp(option->name, "output") == 0 && *option->choices;
}

/* " (list, pull)": the verbs with which the row means something; nothing where all do. */
static void option_verbs(const struct cli_option *option, const struct cli_command *command, struct podsku_buf *out)
{
    struct podsku_buf verbs = {0};
    bool all = true;

    for (const struct cli_verb *verb = command->verbs; verb && verb->names; verb++) {
        char name[CLI_VERB_SIZE];
        if (cli_option_fits(option, cli_command_index(command), cli_verb_name(verb, name)))
            podsku_buf_printf(&verbs, "%s%s", verbs.len ? ", " : "", name);
        else
            all = false;
    }
    if (!all)
        podsku_buf_printf(out, " (%s)", podsku_buf_text(&verbs));
    out->failed = out->failed || podsku_buf_failed(&verbs);
    podsku_buf_free(&verbs);
}

/* The sentence of an option with what the tables know beyond it: words, verbs, other spellings. */
void cli_option_sentence(const struct cli_option *option, const struct cli_command *command, struct podsku_buf *out)
{
    bool aliased = false;
    bool told_verbs = false;

    podsku_buf_puts(out, option->help);
    if (is_format(option))
        told_verbs = put_formats(out, option, command);
    else if (*option->choices && !(option->flags & CLI_OPTIONAL))
        podsku_buf_printf(out, " [%s]", option->choices);
    for (size_t i = 0; i < cli_option_alias_count; i++) {
        if (strcmp(cli_option_aliases[i].name, option->name) != 0)
            continue;
        podsku_buf_printf(out, "%s--%s", aliased ? ", " : " (also ", cli_option_aliases[i].alias);
        aliased = true;
    }
    if (aliased)
        podsku_buf_putc(out, ')');
    if (command && !told_verbs)
        option_verbs(option, command, out);
}

static void options_of_group(struct cli_wrap *wrap, const struct cli_command *command, enum cli_group group)
{
    bool headed = false;

    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        struct podsku_buf sentence = {0};
        char spelling[96];
        if (option->group != group || !cli_option_fits(option, cli_command_index(command), NULL))
            continue;
        if (!headed) {
            podsku_buf_putc(wrap->out, '\n');
            cli_wrap_text(wrap, 0, cli_group_heading(group));
        }
        headed = true;
        cli_option_spelling(option, spelling, sizeof spelling);
        cli_option_sentence(option, command, &sentence);
        cli_wrap_item(wrap, spelling, 26, podsku_buf_text(&sentence));
        wrap->out->failed = wrap->out->failed || podsku_buf_failed(&sentence);
        podsku_buf_free(&sentence);
    }
}

void cli_help_command(struct podsku_buf *out, const struct cli_command *command, int width)
{
    struct cli_wrap wrap = {.out = out, .width = width ? width : 80};

    podsku_buf_printf(out, "podsku %s: ", command->name);
    wrap.column = strlen("podsku : ") + strlen(command->name);
    cli_wrap_text(&wrap, 0, command->summary);
    podsku_buf_puts(out, "\n");
    synopsis(&wrap, command);
    podsku_buf_puts(out, "\n");
    cli_wrap_text(&wrap, 0, command->about);
    for (int group = 0; group < CLI_GROUP_COUNT; group++)
        options_of_group(&wrap, command, (enum cli_group)group);
    if (command->examples)
        podsku_buf_puts(out, "\nExamples\n");
    for (const char *const *example = command->examples; example && *example; example++)
        podsku_buf_printf(out, "  %s\n", *example);
}
