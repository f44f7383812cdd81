/* Parser, help, man pages and completions say the same about every flag, on terminals of every width. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/completion.h"
#include "cli/help.h"
#include "cli/manpage.h"

/* Does `text` have `word` with nothing after it that would make it a longer flag? */
static bool has_word(const char *text, const char *word)
{
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        char next = at[strlen(word)];
        if (!((next >= 'a' && next <= 'z') || next == '-' || (next >= '0' && next <= '9')))
            return true;
    }
    return false;
}

/* From `head` to `tail`, copied; the whole must have both. */
static char *section(const char *text, const char *head, const char *tail)
{
    const char *start = text ? strstr(text, head) : NULL;
    const char *end = start ? strstr(start + strlen(head), tail) : NULL;

    if (!end) {
        print_error("there is no \"%s\"\n", head);
        fail();
        return NULL;
    }
    return strndup(start, (size_t)(end - start));
}

/* How the parser takes `podsku COMMAND [VERB] OPERANDS FLAG [VALUE]`. */
static enum podsku_code parse(const struct cli_command *command, const char *verb, const struct cli_operands *operands,
                              const char *flag, const char *value, struct podsku_error *err)
{
    char *argv[12] = {(char *)"podsku", (char *)command->name};
    int argc = 2;
    struct cli cli = {0};

    if (verb)
        argv[argc++] = (char *)verb;
    for (size_t i = 0; i < operands->least; i++)
        argv[argc++] = (char *)"x";
    argv[argc++] = (char *)flag;
    if (value)
        argv[argc++] = (char *)value;
    if (command->takes_rest) {
        argv[argc++] = (char *)"--";
        argv[argc++] = (char *)"true";
    }
    enum podsku_code code = cli_parse(&cli, argc, argv);
    *err = cli.err;
    cli_args_free(&cli);
    return code;
}

/* Does the parser know the flag there? What is wrong with a value does not count. */
static bool parser_takes(const struct cli_command *command, const char *verb, const struct cli_operands *operands,
                         const struct cli_option *option)
{
    struct podsku_error err;
    char flag[64];

    (void)snprintf(flag, sizeof flag, "--%s", option->name);
    return parse(command, verb, operands, flag, option->metavar && !(option->flags & CLI_OPTIONAL) ? "1" : NULL,
                 &err) == PODSKU_OK ||
           !strstr(err.message, "means nothing to");
}

/* What the scripts and the page say at one command with one verb (NULL: it has none). */
struct said {
    const struct cli_command *command;
    const char *verb;
    const struct cli_operands *operands;
    char *bash, *bash_formats, *zsh;
    const char *fish, *help, *man;
    char fish_when[256];
};

static void check_flags(const struct said *said)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        char flag[64], line[320];
        if (option->group == CLI_GROUP_UNAVAILABLE)
            continue;
        bool fits = parser_takes(said->command, said->verb, said->operands, option);
        (void)snprintf(flag, sizeof flag, " --%s", option->name);
        assert_int_equal(has_word(said->bash, flag), fits);
        (void)snprintf(flag, sizeof flag, "'%s--%s", option->flags & CLI_REPEATABLE ? "*" : "", option->name);
        assert_int_equal(has_word(said->zsh, flag), fits);
        (void)snprintf(line, sizeof line, "%s -l %s ", said->fish_when, option->name);
        assert_int_equal(strstr(said->fish, line) != NULL, fits);
    }
}

/* "table json csv" as one of the words of a list that ends with a quote or a bracket. */
static bool has_format(const char *list, char separator, const char *word)
{
    for (const char *at = list; at && *at && !strchr("')", *at); at = *at == separator ? at + 1 : at) {
        size_t len = strcspn(at, " |')");
        if (len == strlen(word) && strncmp(at, word, len) == 0)
            return true;
        at += len;
    }
    return false;
}

/* "[table|json]", or after the label: "[list, mig: table|csv; diff: table|json]". */
static void check_list(const char *at, const char *label, const char *list)
{
    assert_non_null(at);
    at = strchr(at, '[') + 1;
    if (strchr(at, ':') < strchr(at, ']')) {
        at = strstr(at, label);
        assert_non_null(at);
        at = strchr(at, ':') + 2;
    }
    size_t len = strcspn(at, ";]");
    if (len != strlen(list) || strncmp(at, list, len) != 0)
        fail_msg("%s: %.*s instead of %s", label, (int)len, at, list);
}

static void check_formats(const struct said *said)
{
    static const char *const formats[] = {"table", "wide", "json", "csv", "ids", "svg", "junit"};
    struct podsku_error err;
    struct podsku_buf list = {0};
    char line[320];
    const char *in_zsh = strstr(said->zsh, ":FORMAT:(");

    if (!in_zsh)
        return; /* it prints no data, or writes a file */
    (void)snprintf(line, sizeof line, "%s -l output -s o -x -a '", said->fish_when);
    const char *in_fish = strstr(said->fish, line);
    const char *in_bash = strstr(said->bash_formats, "words='");
    assert_non_null(in_fish);
    assert_non_null(in_bash);
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        bool taken = parse(said->command, said->verb, said->operands, "--output", formats[i], &err) == PODSKU_OK;
        assert_int_equal(has_format(in_zsh + strlen(":FORMAT:("), ' ', formats[i]), taken);
        assert_int_equal(has_format(in_fish + strlen(line), ' ', formats[i]), taken);
        assert_int_equal(has_format(in_bash + strlen("words='"), ' ', formats[i]), taken);
        if (taken)
            podsku_buf_printf(&list, "%s%s", list.len ? "|" : "", formats[i]);
    }
    check_list(strstr(said->help, "  -o, --output FORMAT"), said->verb, podsku_buf_text(&list));
    (void)snprintf(line, sizeof line, "%s%s%s", said->command->name, said->verb ? " " : "",
                   said->verb ? said->verb : "");
    check_list(strstr(said->man, "Fl \\-output Ar FORMAT"), line, podsku_buf_text(&list));
    podsku_buf_free(&list);
}

/* The verb of the command that is done when none is given? */
static bool is_default(const struct said *said)
{
    return said->command->default_verb && strcmp(said->command->default_verb, said->verb ? said->verb : "") == 0;
}

static void find_fish_condition(struct said *said, const struct cli_verb *verb)
{
    const struct cli_command *command = said->command;
    struct podsku_buf when = {0};

    podsku_buf_printf(&when, "from %s%s%s", command->name, command->alias ? " " : "",
                      command->alias ? command->alias : "");
    if (is_default(said))
        podsku_buf_puts(&when, "; and not __fish_seen_subcommand_from ");
    else if (verb)
        podsku_buf_puts(&when, "; and __fish_seen_subcommand_from ");
    for (const struct cli_verb *other = command->verbs; other && other->names; other++) {
        if ((other == verb) == is_default(said))
            continue;
        for (const char *at = other->names; *at; at++)
            podsku_buf_putc(&when, *at == '|' ? ' ' : *at);
        if (is_default(said))
            podsku_buf_putc(&when, ' ');
    }
    (void)snprintf(said->fish_when, sizeof said->fish_when, "%s'", podsku_buf_text(&when));
    podsku_buf_free(&when);
}

static void check_verb(const struct cli_command *command, const struct cli_verb *verb, const char *bash,
                       const char *zsh, const char *fish, const char *help, const char *man)
{
    char name[CLI_VERB_SIZE] = "";
    struct said said = {.command = command,
                        .verb = verb ? cli_verb_name(verb, name) : NULL,
                        .operands = verb ? &verb->operands : &command->operands,
                        .fish = fish,
                        .help = help,
                        .man = man};
    char head[96];
    bool no_verb = is_default(&said);

    (void)snprintf(head, sizeof head, "        %s%s%s:%s)", no_verb ? command->name : "", no_verb ? ": | " : "",
                   command->name, name);
    said.bash = section(strstr(bash, "        :) words="), head, ";;");
    said.zsh = section(strstr(zsh, "_describe"), head, "\n            ;;");
    if (strstr(said.zsh, ":FORMAT:("))
        said.bash_formats = section(strstr(bash, "--output | -o)"), head, ";;");
    find_fish_condition(&said, verb);
    check_flags(&said);
    check_formats(&said);
    free(said.bash);
    free(said.bash_formats);
    free(said.zsh);
}

static void check_command(size_t index, const char *bash, const char *zsh, const char *fish, const char *man)
{
    const struct cli_command *command = &cli_commands[index];
    struct podsku_buf help = {0};

    cli_help_command(&help, command, 1000);
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        bool fits = false;
        char flag[64];
        for (size_t row = 0; row < cli_option_count; row++)
            fits = fits || (strcmp(cli_options[row].name, option->name) == 0 &&
                            cli_option_fits(&cli_options[row], (enum cli_command_index)index, NULL));
        (void)snprintf(flag, sizeof flag, "  --%s", option->name);
        if (option->letter)
            (void)snprintf(flag, sizeof flag, "  -%c, --%s", option->letter, option->name);
        assert_int_equal(has_word(podsku_buf_text(&help), flag), fits);
    }
    if (!command->verbs)
        check_verb(command, NULL, bash, zsh, fish, podsku_buf_text(&help), man);
    for (const struct cli_verb *verb = command->verbs; verb && verb->names; verb++)
        check_verb(command, verb, bash, zsh, fish, podsku_buf_text(&help), man);
    podsku_buf_free(&help);
}

static void everything_agrees_on_every_flag(void **state)
{
    struct podsku_buf bash = {0}, zsh = {0}, fish = {0}, man = {0};
    struct podsku_error err = {0};

    (void)state;
    assert_true(cli_completion(&bash, "bash"));
    assert_true(cli_completion(&zsh, "zsh"));
    assert_true(cli_completion(&fish, "FISH"));
    assert_false(cli_completion(&fish, "tcsh"));
    assert_int_equal(cli_man_page(&man, "@OPTIONS@\n@COMMANDS@\n@ALIASES@\n", "x", &err), PODSKU_OK);
    char *flat = strdup(podsku_buf_text(&man)); /* lines are wrapped anywhere */
    assert_non_null(flat);
    for (char *at = flat; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        char head[64];
        check_command(i, podsku_buf_text(&bash), podsku_buf_text(&zsh), podsku_buf_text(&fish), flat);
        (void)snprintf(head, sizeof head, ".Ss podsku %s\n", cli_commands[i].name);
        assert_non_null(strstr(podsku_buf_text(&man), head));
    }
    for (size_t i = 0; i < cli_option_count; i++) {
        char item[64];
        (void)snprintf(item, sizeof item, "Fl \\-%s", cli_options[i].name);
        assert_true(has_word(podsku_buf_text(&man), item));
    }
    for (size_t i = 0; i < cli_option_alias_count; i++) {
        char item[64];
        (void)snprintf(item, sizeof item, ".It Fl \\-%s", cli_option_aliases[i].alias);
        assert_true(has_word(podsku_buf_text(&man), item));
    }
    free(flat);
    podsku_buf_free(&bash);
    podsku_buf_free(&zsh);
    podsku_buf_free(&fish);
    podsku_buf_free(&man);
}

/* A line may be longer than the terminal only if it cannot be broken, or must be copied whole. */
static void check_lines(const char *page, size_t width)
{
    while (*page) {
        size_t len = strcspn(page, "\n");
        const char *word = page + strspn(page, " ");
        bool one_word = memchr(word, ' ', (size_t)(page + len - word)) == NULL;
        if (len > width && !one_word && *word != '-' && !strstr(word, "podsku ")) {
            print_error("%zu columns: %.*s\n", width, (int)len, page);
            fail();
        }
        page += len + (page[len] == '\n');
    }
}

static void pages_fit_the_terminal(void **state)
{
    (void)state;
    for (int width = 24; width <= 200; width += width < 60 ? 1 : 20) {
        struct podsku_buf page = {0};
        cli_help_overview(&page, width);
        for (size_t i = 0; i < CLI_COMMAND_COUNT; i++)
            cli_help_command(&page, &cli_commands[i], width);
        for (const char *const *topic = cli_topic_names(); *topic; topic++)
            assert_true(cli_help_topic(&page, *topic, width));
        assert_false(podsku_buf_failed(&page));
        check_lines(podsku_buf_text(&page), (size_t)width);
        podsku_buf_free(&page);
    }
}

static void topics_carry_what_they_must(void **state)
{
    static const struct {
        const char *topic;
        const char *words[16];
    } cases[] = {
        {"nvlink",
         {"NVLink 4", "900", "PCIe 5.0 x16", "128", "between 50 and 100 GB/s", "H100 NVL", "nominal", "connector",
          "hint", "tensor-parallel", "micro-batches", "NCCL_DEBUG", "[vendor]"}},
        {"topology", {"PIX", "PXB", "PHB", "NODE", "SYS", "NV#", "topo -p2p n", "SHM", "NVLS", "NV18", "NV6"}},
        {"mig",
         {"1g.24gb*", "1/7 1/8 x7", "eighths", "+gfx", "compute instances", "R570", "nvidia-smi -mig 1",
          "In use by another client", "bare metal", "[not verified]"}},
        {"sharing",
         {"MIG slice", "vGPU", "MPS", "time slicing", "concurrency_modifier", "RTX A5000", "0.27", "A40", "0.44",
          "0.59"}},
        {"clusters", {"250 pods", "3200", "1600", "ens1", "eth0", "RDMA", "1.2 times", "spend limit", "450", "50"}},
        {"catalogue",
         {"live", "graphql", "bundled", "2026-08-27", "0.50", "placeholder", "count of 0", "double blank"}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct podsku_buf page = {0};
        assert_true(cli_help_topic(&page, cases[i].topic, 1000));
        for (size_t w = 0; w < COUNT_OF(cases[i].words) && cases[i].words[w]; w++) {
            if (!strstr(podsku_buf_text(&page), cases[i].words[w])) {
                print_error("help %s lacks \"%s\"\n", cases[i].topic, cases[i].words[w]);
                fail();
            }
        }
        assert_non_null(cli_topic_summary(cases[i].topic));
        podsku_buf_free(&page);
    }
    assert_false(cli_is_topic("nvlinks"));
    assert_null(cli_topic_summary("nvlinks"));
}

static void templates_name_known_parts(void **state)
{
    struct podsku_buf page = {0};
    struct podsku_error err = {0};

    (void)state;
    assert_int_equal(cli_man_page(&page, ".Dd x\n@RULES@\n@TYPO@\n", "p.in", &err), PODSKU_INPUT);
    assert_string_equal(err.where, "p.in:3");
    assert_string_equal(err.message, "there is no part @TYPO@");
    podsku_buf_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_agrees_on_every_flag),
        cmocka_unit_test(pages_fit_the_terminal),
        cmocka_unit_test(topics_carry_what_they_must),
        cmocka_unit_test(templates_name_known_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
