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

static void check_command(size_t index, const char *bash, const char *zsh, const char *fish)
{
    const struct cli_command *command = &cli_commands[index];
    struct podsku_buf help = {0};
    char head[96], alias[48] = "";
    char *bash_part, *zsh_part;

    cli_help_command(&help, command, 100);
    (void)snprintf(head, sizeof head, "        %s) words=", command->name);
    bash_part = section(strstr(bash, "        '') words="), head, ";;");
    if (command->alias)
        (void)snprintf(alias, sizeof alias, "|%s", command->alias);
    (void)snprintf(head, sizeof head, "    %s%s)\n", command->name, alias);
    zsh_part = section(zsh, head, ";;");
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        bool fits = false;
        char flag[64], line[160];
        for (size_t row = 0; row < cli_option_count; row++)
            fits = fits || (strcmp(cli_options[row].name, option->name) == 0 &&
                            cli_option_fits(&cli_options[row], (enum cli_command_index)index, NULL));
        (void)snprintf(flag, sizeof flag, "  --%s", option->name);
        if (option->letter)
            (void)snprintf(flag, sizeof flag, "  -%c, --%s", option->letter, option->name);
        assert_int_equal(has_word(podsku_buf_text(&help), flag), fits);
        fits = fits && option->group != CLI_GROUP_UNAVAILABLE;
        (void)snprintf(flag, sizeof flag, " --%s", option->name);
        assert_int_equal(has_word(bash_part, flag), fits);
        (void)snprintf(flag, sizeof flag, "'%s--%s", option->flags & CLI_REPEATABLE ? "*" : "", option->name);
        assert_int_equal(has_word(zsh_part, flag), fits);
        (void)snprintf(line, sizeof line, "from %s%s%s' -l %s ", command->name, command->alias ? " " : "",
                       command->alias ? command->alias : "", option->name);
        assert_int_equal(strstr(fish, line) != NULL, fits);
    }
    free(bash_part);
    free(zsh_part);
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
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        char head[64];
        check_command(i, podsku_buf_text(&bash), podsku_buf_text(&zsh), podsku_buf_text(&fish));
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
