#include "cli/manpage.h"

#include <stdio.h>
#include <string.h>

#include "catalog/facts.h"
#include "cli/help.h"
#include "cli/mdoc.h"
#include "rules/rules.h"

/* ".It Cm ARGUMENT", a macro with one argument. */
static void item(struct podsku_buf *out, const char *macro, const char *argument)
{
    podsku_buf_printf(out, ".It %s ", macro);
    cli_mdoc_argument(out, argument);
    podsku_buf_putc(out, '\n');
}

static void list_start(struct podsku_buf *out)
{
    podsku_buf_puts(out, ".Bl -tag -width Ds\n");
}

static void list_end(struct podsku_buf *out)
{
    podsku_buf_puts(out, ".El\n");
}

/* A sentence: what the tables say begins with a small letter and ends without a full stop. */
static void sentence(struct podsku_buf *out, const char *text)
{
    struct podsku_buf line = {0};

    podsku_buf_puts(&line, text);
    if (line.len && line.data[0] >= 'a' && line.data[0] <= 'z' && strncmp(line.data, "e.g.", 4) != 0)
        line.data[0] = (char)(line.data[0] - 'a' + 'A');
    if (line.len && line.data[line.len - 1] != '.')
        podsku_buf_putc(&line, '.');
    out->failed = out->failed || podsku_buf_failed(&line);
    cli_mdoc_text(out, podsku_buf_text(&line));
    podsku_buf_free(&line);
}

static void synopsis_line(struct podsku_buf *out, const struct cli_command *command, const struct cli_verb *verb)
{
    const struct cli_operands *operands = verb ? &verb->operands : &command->operands;

    podsku_buf_printf(out, ".Nm\n.Cm %s\n", command->name);
    if (verb) {
        int len = (int)strcspn(verb->names, "|");
        bool is_default = command->default_verb && strncmp(command->default_verb, verb->names, (size_t)len) == 0;
        podsku_buf_printf(out, is_default ? ".Op Cm %.*s\n" : ".Cm %.*s\n", len, verb->names);
    }
    if (operands->synopsis) {
        podsku_buf_puts(out, ".Ar ");
        cli_mdoc_argument(out, operands->synopsis);
        podsku_buf_putc(out, '\n');
    }
    if (command->synopsis && !verb) {
        podsku_buf_puts(out, ".Ar ");
        cli_mdoc_argument(out, command->synopsis);
        podsku_buf_putc(out, '\n');
    }
    podsku_buf_puts(out, ".Op Ar flags\n");
    if (command->takes_rest)
        podsku_buf_puts(out, ".Fl \\&-\n.Ar cmd Op Ar arg ...\n");
}

static void part_synopsis(struct podsku_buf *out)
{
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        const struct cli_command *command = &cli_commands[i];
        if (!command->run)
            continue;
        if (!command->verbs)
            synopsis_line(out, command, NULL);
        for (const struct cli_verb *verb = command->verbs; verb && verb->names; verb++)
            synopsis_line(out, command, verb);
    }
}

static void command_verbs(struct podsku_buf *out, const struct cli_command *command)
{
    if (!command->verbs)
        return;
    list_start(out);
    for (const struct cli_verb *verb = command->verbs; verb->names; verb++) {
        char names[96];
        size_t used = 0;
        for (const char *at = verb->names; *at && used + 3 < sizeof names; at++) {
            if (*at == '|')
                used += (size_t)snprintf(names + used, sizeof names - used, ", ");
            else
                names[used++] = *at;
        }
        names[used] = '\0';
        item(out, "Cm", names);
        sentence(out, verb->summary);
    }
    list_end(out);
}

static void part_commands(struct podsku_buf *out)
{
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        const struct cli_command *command = &cli_commands[i];
        if (!command->run)
            continue;
        podsku_buf_printf(out, ".Ss podsku %s\n", command->name);
        sentence(out, command->summary);
        if (command->alias) {
            podsku_buf_printf(out, ".Cm %s\nis accepted as well.\n", command->alias);
        }
        podsku_buf_puts(out, ".Pp\n");
        cli_mdoc_text(out, command->about);
        command_verbs(out, command);
    }
}

/* "catalog, pick": the commands that take the option; nothing if all do. */
static void option_commands(struct podsku_buf *out, const struct cli_option *option)
{
    struct podsku_buf names = {0};
    size_t count = 0;
    size_t all = 0;

    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        if (!cli_commands[i].run)
            continue;
        all++;
        if (!cli_option_fits(option, (enum cli_command_index)i, NULL))
            continue;
        podsku_buf_printf(&names, "%s%s", count++ ? ", " : "(", cli_commands[i].name);
    }
    podsku_buf_puts(&names, ")");
    out->failed = out->failed || podsku_buf_failed(&names);
    if (count > 0 && count < all)
        cli_mdoc_text(out, podsku_buf_text(&names));
    podsku_buf_free(&names);
}

static void option_item(struct podsku_buf *out, const struct cli_option *option)
{
    struct podsku_buf text = {0};

    podsku_buf_puts(out, ".It ");
    if (option->letter)
        podsku_buf_printf(out, "Fl %c , ", option->letter);
    podsku_buf_printf(out, "Fl \\-%s", option->name);
    if (option->metavar) {
        podsku_buf_puts(out, " Ar ");
        cli_mdoc_argument(out, option->metavar);
    }
    podsku_buf_putc(out, '\n');
    cli_option_sentence(option, NULL, &text);
    out->failed = out->failed || podsku_buf_failed(&text);
    sentence(out, podsku_buf_text(&text));
    podsku_buf_free(&text);
    if (option->group != CLI_GROUP_UNAVAILABLE)
        option_commands(out, option);
}

static void part_options(struct podsku_buf *out)
{
    for (int group = 0; group < CLI_GROUP_COUNT; group++) {
        podsku_buf_printf(out, ".Ss %s\n", cli_group_heading((enum cli_group)group));
        list_start(out);
        for (size_t i = 0; i < cli_option_count; i++) {
            if (cli_options[i].group == (enum cli_group)group)
                option_item(out, &cli_options[i]);
        }
        list_end(out);
    }
}

static void part_aliases(struct podsku_buf *out)
{
    list_start(out);
    for (size_t i = 0; i < cli_option_alias_count; i++) {
        podsku_buf_printf(out, ".It Fl \\-%s\n.Fl \\-%s\n", cli_option_aliases[i].alias, cli_option_aliases[i].name);
    }
    list_end(out);
}

static void part_examples(struct podsku_buf *out)
{
    podsku_buf_puts(out, ".Bd -literal -offset indent\n");
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        for (const char *const *line = cli_commands[i].run ? cli_commands[i].examples : NULL; line && *line; line++) {
            for (const char *at = *line; *at; at++) {
                if (*at == '\\')
                    podsku_buf_puts(out, "\\e");
                else if (*at == '-')
                    podsku_buf_puts(out, "\\-");
                else
                    podsku_buf_putc(out, *at);
            }
            podsku_buf_putc(out, '\n');
        }
    }
    podsku_buf_puts(out, ".Ed\n");
}

/* One item per exit status; the codes of podsku.error/1 that end with it in parentheses. */
static void part_exit_status(struct podsku_buf *out)
{
    enum { STATUS_MOST = 255 };

    list_start(out);
    for (int status = 0; status <= STATUS_MOST; status++) {
        struct podsku_buf text = {0};
        char number[16];
        for (int code = 0; code < PODSKU_CODE_COUNT; code++) {
            if (podsku_code_exit_status((enum podsku_code)code) == status)
                podsku_buf_printf(&text, "%s%s (%s)", text.len ? "; " : "", podsku_code_text((enum podsku_code)code),
                                  podsku_code_name((enum podsku_code)code));
        }
        if (status == 125)
            podsku_buf_puts(&text, "podsku run itself failed: its own status and reason are on standard error and in "
                                   "the --report");
        if (text.len) {
            (void)snprintf(number, sizeof number, "%d", status);
            item(out, "Li", number);
            sentence(out, podsku_buf_text(&text));
        }
        out->failed = out->failed || podsku_buf_failed(&text);
        podsku_buf_free(&text);
    }
    list_end(out);
}

static void part_topics(struct podsku_buf *out)
{
    list_start(out);
    for (const char *const *topic = cli_topic_names(); *topic; topic++) {
        item(out, "Cm", *topic);
        sentence(out, cli_topic_summary(*topic));
    }
    list_end(out);
}

static void part_rules(struct podsku_buf *out)
{
    list_start(out);
    for (int rule = 0; rule < PODSKU_RULE_COUNT; rule++) {
        char text[512];
        item(out, "Cm", podsku_rule_name((enum podsku_rule)rule));
        (void)snprintf(text, sizeof text, "Passes when %s. Unknown: %s.", podsku_rule_passes((enum podsku_rule)rule),
                       podsku_rule_unknown((enum podsku_rule)rule));
        cli_mdoc_text(out, text);
    }
    list_end(out);
}

static void part_evidence(struct podsku_buf *out)
{
    const struct podsku_facts_set *set = podsku_facts_builtin();

    list_start(out);
    for (int evidence = PODSKU_EVIDENCE_BOARD; evidence >= PODSKU_EVIDENCE_CONNECTOR; evidence--) {
        item(out, "Cm", podsku_evidence_name((enum podsku_evidence)evidence));
        podsku_buf_puts(out, ".Bl -bullet -compact\n");
        for (size_t i = 0; i < podsku_facts_count(set); i++) {
            const struct podsku_facts *facts = podsku_facts_at(set, i);
            char text[256];
            if ((int)facts->evidence != evidence || facts->alias_of)
                continue;
            (void)snprintf(text, sizeof text, "%s: NVLink %d, %d links, %.4g GB/s, among %d [%s]", facts->id,
                           facts->nvlink_generation, facts->nvlink_links, facts->nvlink_gbs, facts->nvlink_domain,
                           podsku_confidence_name(facts->confidence));
            podsku_buf_puts(out, ".It\n");
            cli_mdoc_text(out, text);
        }
        list_end(out);
    }
    item(out, "Cm", podsku_evidence_name(PODSKU_EVIDENCE_NONE));
    cli_mdoc_text(out, "Every other type with facts, and every MIG slice.");
    item(out, "Cm", podsku_evidence_name(PODSKU_EVIDENCE_UNKNOWN));
    cli_mdoc_text(out, "Types without facts. Nothing is guessed from a name.");
    list_end(out);
}

/* The keys of a requirement in JSON. */
static void part_requirement_keys(struct podsku_buf *out)
{
    list_start(out);
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        struct podsku_buf text = {0};
        char key[48];
        if (!(option->flags & CLI_REQUIREMENT))
            continue;
        (void)snprintf(key, sizeof key, "%s", option->name);
        for (char *at = key; *at; at++)
            *at = *at == '-' ? '_' : *at;
        item(out, "Cm", key);
        podsku_buf_puts(&text, option->help);
        if (*option->choices && !(option->flags & CLI_OPTIONAL))
            podsku_buf_printf(&text, " [%s]", option->choices);
        out->failed = out->failed || podsku_buf_failed(&text);
        sentence(out, podsku_buf_text(&text));
        podsku_buf_free(&text);
    }
    list_end(out);
}

static const struct part {
    const char *name;
    void (*write)(struct podsku_buf *out);
} parts[] = {
    {"SYNOPSIS", part_synopsis},     {"COMMANDS", part_commands}, {"OPTIONS", part_options},
    {"ALIASES", part_aliases},       {"EXAMPLES", part_examples}, {"EXIT_STATUS", part_exit_status},
    {"TOPICS", part_topics},         {"RULES", part_rules},       {"EVIDENCE", part_evidence},
    {"KEYS", part_requirement_keys},
};

static const struct part *find_part(const char *line, size_t len)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t name_len = strlen(parts[i].name);
        if (len == name_len + 2 && line[len - 1] == '@' && strncmp(line + 1, parts[i].name, name_len) == 0)
            return &parts[i];
    }
    return NULL;
}

enum podsku_code cli_man_page(struct podsku_buf *out, const char *template_text, const char *name,
                              struct podsku_error *err)
{
    size_t number = 0;

    for (const char *line = template_text; *line;) {
        size_t len = strcspn(line, "\n");
        const struct part *part = *line == '@' ? find_part(line, len) : NULL;
        number++;
        if (*line == '@' && !part) {
            podsku_error_where(err, "%s:%zu", name, number);
            return podsku_error_set(err, PODSKU_INPUT, "there is no part %.*s", (int)len, line);
        }
        if (part) {
            part->write(out);
        } else {
            podsku_buf_append(out, line, len);
            podsku_buf_putc(out, '\n');
        }
        line += len + (line[len] == '\n');
    }
    return podsku_buf_failed(out) ? podsku_error_no_memory(err) : PODSKU_OK;
}
