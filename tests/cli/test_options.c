/* The parser: what it accepts, and every usage error with its hint. */
#include "tests/support/test.h"

#include <string.h>

#include "cli/options.h"

enum { WORDS_MOST = 12 };

static int parse(struct cli *cli, const char *const *words)
{
    static char *argv[WORDS_MOST + 2];
    int argc = 1;

    memset(cli, 0, sizeof *cli);
    argv[0] = (char *)"podsku";
    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)words[argc - 1];
    argv[argc] = NULL;
    return cli_parse(cli, argc, argv);
}

static void errors_say_what_would_be_right(void **state)
{
    static const struct {
        const char *words[WORDS_MOST];
        const char *message, *hint; /* hint: a part of it */
    } cases[] = {
        {{NULL}, "no command", "commands: catalog pick"},
        {{"pik", NULL}, "unknown command \"pik\"", "did you mean podsku pick?"},
        {{"nvlink", NULL}, "unknown command \"nvlink\"", "podsku help nvlink"},
        {{"zzzzzz", NULL}, "unknown command \"zzzzzz\"", "commands: catalog"},
        {{"pick", "--gpuz", "8", NULL}, "unknown flag \"--gpuz\"", "did you mean --gpus?"},
        {{"pick", "--verb", NULL}, "unknown flag \"--verb\"", "did you mean --verbose?"},
        {{"pick", "--max-prise=3", NULL}, "unknown flag \"--max-prise\"", "did you mean --max-price?"},
        {{"pick", "--api-key=secret", NULL}, "unknown flag \"--api-key\"", "RUNPOD_API_KEY"},
        {{"pick", "-x", NULL}, "unknown flag \"-x\" in \"-x\"", "-o, -q, -v and -h"},
        {{"pick", "-qx", NULL}, "unknown flag \"-x\" in \"-qx\"", "long ones start with two dashes"},
        {{"pick", "--gpus", NULL}, "--gpus needs a value", "--gpus N[,N...]"},
        {{"pick", "--gpus", "--", NULL}, "--gpus needs a value", "GPUs on one machine"},
        {{"pick", "--gpus", "--nvlink", NULL}, "--gpus needs a value, and \"--nvlink\" is a flag", "--gpus=--nvlink"},
        {{"pick", "--gpus=", NULL}, "the value of --gpus is empty", "--gpus N[,N...]"},
        {{"pick", "--gpu", "", NULL}, "the value of --gpu is empty", "--gpu PATTERN"},
        {{"pick", "-o", NULL}, "-o needs a value", "--output FORMAT"},
        {{"pick", "--quiet=yes", NULL}, "--quiet is a switch and takes no value", NULL},
        {{"pick", "--explain=", NULL}, "--explain is a switch and takes no value", NULL},
        {{"pick", "--wait", NULL}, "--wait means nothing to podsku pick", "it belongs to podsku deploy"},
        {{"pods", "list", "--yes", NULL},
         "--yes means nothing to podsku pods list",
         "it belongs to podsku pods terminate, podsku clusters terminate"},
        {{"pods", "stop", "p", "--yes", NULL}, /* it would ask for nothing there */
         "--yes means nothing to podsku pods stop",
         "it belongs to podsku pods terminate, podsku clusters terminate"},
        {{"pick", "--launch-id", "x", NULL}, /* two rows of one name */
         "--launch-id means nothing to podsku pick",
         "it belongs to podsku deploy, podsku run, podsku reconcile"},
        {{"pick", "--by-datacenter", NULL}, "--by-datacenter means nothing to podsku pick", "podsku catalog list"},
        {{"catalog", "pull", "--min-vram", "8", NULL},
         "--min-vram means nothing to podsku catalog pull",
         "podsku catalog list"},
        {{"pick", "--output", "svg", NULL},
         "podsku pick has no output format \"svg\"",
         "table, wide, json, csv or ids"},
        {{"evaluate", "x", "-ocsv", NULL}, "podsku evaluate has no output format \"csv\"", "table, json or junit"},
        {{"catalog", "check", "x", "-o", "ids", NULL},
         "podsku catalog check has no output format \"ids\"",
         "table or json"},
        {{"pick", "--emit", "ansible", NULL},
         "--emit cannot be \"ansible\"",
         "skypilot, dstack, terraform or runpodctl"},
        {{"deploy", "--api", "v3", NULL}, "--api cannot be \"v3\"", "it can be v2 or v1"},
        {{"pick", "requird", "--nvlink", NULL}, "--nvlink has no level \"requird\"", "did you mean --nvlink required?"},
        {{"pick", "H100", NULL}, "podsku pick does not know what to do with \"H100\"", "podsku help pick"},
        {{"catalog", "pul", NULL}, "podsku catalog has no \"pul\"", "did you mean podsku catalog pull?"},
        {{"catalog", "zzzzzz", NULL}, "podsku catalog has no \"zzzzzz\"", "one of: list, pull, diff, check, mig"},
        {{"catalog", "diff", "a", NULL}, "podsku catalog diff needs OLD NEW", NULL},
        {{"catalog", "diff", "a", "b", "c", NULL}, "podsku catalog diff does not know what to do with \"c\"", NULL},
        {{"evaluate", NULL}, "podsku evaluate needs SCENARIOS", NULL},
        {{"completion", NULL}, "podsku completion needs bash|zsh|fish", NULL},
        {{"run", "--image", "x", NULL}, "no command to run", "-- CMD"},
        {{"run", "train.sh", NULL}, "\"train.sh\" stands where only flags do", "-- train.sh"},
        {{"pick", "--spot", NULL}, "--spot is not offered by Runpod's REST v2", "--cloud community"},
        {{"pick", "--min-ram", "64", NULL}, "--min-ram is not offered by Runpod's REST v2", "--gpus"},
        {{"deploy", "--min-vcpu=8", NULL}, "--min-vcpu is not offered by Runpod's REST v2", "--gpus"},
        {{"deploy", "--bid", "1", NULL}, "--bid is not offered by Runpod's REST v2", "--max-price"},
        {{"deploy", "--public-ip", NULL}, "--public-ip is not offered by Runpod's REST v2", "--port"},
        {{"pick", "--mig-profile", "1g.24gb", NULL},
         "--mig-profile is not offered by Runpod's REST v2",
         "--memory-fraction"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cli cli;
        assert_int_equal(parse(&cli, cases[i].words), PODSKU_USAGE);
        assert_string_equal(cli.err.message, cases[i].message);
        if (!cases[i].hint || !strstr(cli.err.hint, cases[i].hint))
            assert_string_equal(cli.err.hint, cases[i].hint ? cases[i].hint : cli.err.hint);
        cli_args_free(&cli);
    }
}

static void first_error_wins(void **state)
{
    struct cli cli;

    (void)state;
    assert_int_equal(parse(&cli, (const char *const[]){"pick", "--one", "--two", NULL}), PODSKU_USAGE);
    assert_string_equal(cli.err.message, "unknown flag \"--one\"");
    cli_args_free(&cli);
}

static void values_are_kept_in_order(void **state)
{
    static const char *const words[] = {"--gpu",    "A40",    "pick", "--gpus=8", "--gpu=L4", "--nvlink",
                                        "possible", "--gpus", "4",    "-qv",      NULL};
    struct cli cli;
    size_t count;
    const char *const *values;

    (void)state;
    assert_int_equal(parse(&cli, words), PODSKU_OK);
    assert_string_equal(cli.command->name, "pick");
    values = cli_values(&cli, "gpu", &count);
    assert_int_equal(count, 2);
    assert_string_equal(values[0], "A40");
    assert_string_equal(values[1], "L4");
    assert_string_equal(cli_value(&cli, "gpus"), "4"); /* the last one counts */
    assert_string_equal(cli_value(&cli, "nvlink"), "possible");
    assert_true(cli.quiet);
    assert_true(cli.verbose);
    assert_false(cli_has(&cli, "explain"));
    assert_null(cli_value(&cli, "max-price"));
    (void)cli_values(&cli, "exclude", &count);
    assert_int_equal(count, 0);
    assert_null(cli_verb(&cli));
    cli_args_free(&cli);
}

static void nvlink_takes_only_its_levels(void **state)
{
    static const struct {
        const char *words[WORDS_MOST];
        const char *value; /* NULL: the bare flag */
    } cases[] = {
        {{"pick", "--nvlink", NULL}, NULL},
        {{"pick", "--nvlink", "--gpus", "8", NULL}, NULL},
        {{"pick", "--nvlink", "ANY", NULL}, "ANY"},
        {{"pick", "--nvlink=preferred", NULL}, "preferred"},
        {{"--nvlink", "pick", NULL}, NULL},
        {{"pick", "--nvlink=whatever", NULL}, "whatever"}, /* rules/ refuses it, as it does in a file */
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cli cli;
        assert_int_equal(parse(&cli, cases[i].words), PODSKU_OK);
        assert_true(cli_has(&cli, "nvlink"));
        if (cases[i].value)
            assert_string_equal(cli_value(&cli, "nvlink"), cases[i].value);
        else
            assert_null(cli_value(&cli, "nvlink"));
        cli_args_free(&cli);
    }
}

static void aliases_mean_the_flag(void **state)
{
    (void)state;
    for (size_t i = 0; i < cli_option_alias_count; i++) {
        struct cli cli;
        char word[64];
        (void)snprintf(word, sizeof word, "--%s", cli_option_aliases[i].alias);
        assert_int_equal(parse(&cli, (const char *const[]){"deploy", word, "value", NULL}), PODSKU_OK);
        assert_string_equal(cli_value(&cli, cli_option_aliases[i].name), "value");
        cli_args_free(&cli);
    }
}

static void verbs_and_operands(void **state)
{
    static const struct {
        const char *words[WORDS_MOST];
        const char *command, *verb, *operand;
    } cases[] = {
        {{"catalog", NULL}, "catalog", "list", NULL},
        {{"catalog", "--by-datacenter", NULL}, "catalog", "list", NULL},
        {{"catalog", "mig", "A100", NULL}, "catalog", "mig", "A100"},
        {{"pod", "rm", "k3j2x9", NULL}, "pods", "terminate", "k3j2x9"},
        {{"cluster", "delete", "c1", NULL}, "clusters", "terminate", "c1"},
        {{"pods", "terminate", "--", "-odd", NULL}, "pods", "terminate", "-odd"},
        {{"verify", "-", NULL}, "verify", NULL, "-"},
        {{"help", NULL}, "help", NULL, NULL},
        {{"help", "nvlink", NULL}, "help", NULL, "nvlink"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cli cli;
        size_t count;
        const char *const *operands;
        assert_int_equal(parse(&cli, cases[i].words), PODSKU_OK);
        assert_string_equal(cli.command->name, cases[i].command);
        if (cases[i].verb)
            assert_string_equal(cli_verb(&cli), cases[i].verb);
        else
            assert_null(cli_verb(&cli));
        operands = cli_operands(&cli, &count);
        assert_int_equal(count, cases[i].operand ? 1 : 0);
        if (cases[i].operand)
            assert_string_equal(operands[0], cases[i].operand);
        cli_args_free(&cli);
    }
}

static void the_rest_is_untouched(void **state)
{
    struct cli cli;
    size_t count;
    const char *const *rest;

    (void)state;
    assert_int_equal(parse(&cli, (const char *const[]){"run", "--image", "x", "--", "sh", "-c", "--gpus", NULL}),
                     PODSKU_OK);
    rest = cli_rest(&cli, &count);
    assert_int_equal(count, 3);
    assert_string_equal(rest[0], "sh");
    assert_string_equal(rest[2], "--gpus");
    assert_false(cli_has(&cli, "gpus"));
    cli_args_free(&cli);
}

static void output_is_a_file_for_pull_only(void **state)
{
    struct cli cli;

    (void)state;
    assert_int_equal(parse(&cli, (const char *const[]){"catalog", "pull", "-o", "svg", NULL}), PODSKU_OK);
    assert_string_equal(cli_value(&cli, "output"), "svg");
    assert_int_equal(cli.output, CLI_TABLE);
    cli_args_free(&cli);
    assert_int_equal(parse(&cli, (const char *const[]){"pick", "--output", "JSON", NULL}), PODSKU_OK);
    assert_int_equal(cli.output, CLI_JSON);
    cli_args_free(&cli);
}

static void errors_come_as_json_when_asked_anywhere(void **state)
{
    static const char *const cases[][WORDS_MOST] = {
        {"pick", "--bogus", "-o", "json", NULL},     {"pick", "-ojson", "--bogus", NULL},
        {"--output=json", "nonsense", NULL},         {"pick", "--output", "json", "--gpus", NULL},
        {"pick", "--output", "JSON", "extra", NULL},
    };
    struct cli cli;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(parse(&cli, cases[i]), PODSKU_USAGE);
        assert_int_equal(cli.output, CLI_JSON);
        cli_args_free(&cli);
    }
    assert_int_equal(parse(&cli, (const char *const[]){"pick", "--bogus", "--", "-o", "json", NULL}), PODSKU_USAGE);
    assert_int_equal(cli.output, CLI_TABLE);
    cli_args_free(&cli);
}

static void help_and_version_win_over_what_follows(void **state)
{
    struct cli cli;

    (void)state;
    assert_int_equal(parse(&cli, (const char *const[]){"--help", "deploy", "--bogus", NULL}), PODSKU_OK);
    assert_true(cli_wants_help(&cli));
    assert_string_equal(cli.command->name, "deploy");
    cli_args_free(&cli);
    assert_int_equal(parse(&cli, (const char *const[]){"evaluate", "-h", NULL}), PODSKU_OK);
    assert_true(cli_wants_help(&cli));
    cli_args_free(&cli);
    assert_int_equal(parse(&cli, (const char *const[]){"--version", NULL}), PODSKU_OK);
    assert_true(cli_wants_version(&cli));
    assert_null(cli.command);
    cli_args_free(&cli);
    assert_int_equal(parse(&cli, (const char *const[]){"--bogus", "--help", NULL}), PODSKU_USAGE);
    cli_args_free(&cli);
}

static void the_table_is_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        bool somewhere = false;
        assert_non_null(option->help);
        assert_true(strlen(option->help) > 5);
        assert_null(strchr(option->name, '='));
        assert_true(!*option->choices || option->metavar);
        for (size_t command = 0; command < CLI_COMMAND_COUNT; command++)
            somewhere = somewhere || cli_option_fits(option, (enum cli_command_index)command, NULL);
        assert_true(somewhere);
    }
    for (size_t i = 0; i < cli_option_alias_count; i++) {
        bool known = false;
        for (size_t row = 0; row < cli_option_count; row++) {
            known = known || strcmp(cli_options[row].name, cli_option_aliases[i].name) == 0;
            assert_string_not_equal(cli_options[row].name, cli_option_aliases[i].alias);
        }
        assert_true(known);
    }
    /* Every command of the list is part of the build, and says what it does. */
    for (size_t i = 0; i < CLI_COMMAND_COUNT; i++) {
        assert_non_null(cli_commands[i].run);
        assert_ptr_equal(cli_find_command(cli_commands[i].name), &cli_commands[i]);
        assert_true(strlen(cli_commands[i].summary) > 10);
        assert_non_null(cli_commands[i].about);
    }
}

static void words_match_whole(void **state)
{
    (void)state;
    assert_true(cli_is_choice("a|bc|d", "BC"));
    assert_false(cli_is_choice("a|bc|d", "b"));
    assert_false(cli_is_choice("a|bc|d", "bcd"));
    assert_false(cli_is_choice("a|bc|d", ""));
    assert_false(cli_is_choice("a||d", ""));
    assert_false(cli_is_choice("a|b", "a|b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_say_what_would_be_right),
        cmocka_unit_test(first_error_wins),
        cmocka_unit_test(values_are_kept_in_order),
        cmocka_unit_test(nvlink_takes_only_its_levels),
        cmocka_unit_test(aliases_mean_the_flag),
        cmocka_unit_test(verbs_and_operands),
        cmocka_unit_test(the_rest_is_untouched),
        cmocka_unit_test(output_is_a_file_for_pull_only),
        cmocka_unit_test(errors_come_as_json_when_asked_anywhere),
        cmocka_unit_test(help_and_version_win_over_what_follows),
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test(words_match_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
