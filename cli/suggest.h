/*
 * Usage errors: what is wrong with a command line, the nearest right word, and where a flag belongs.
 * Each function fills cli->err and returns PODSKU_USAGE.
 */
#ifndef PODSKU_CLI_SUGGEST_H
#define PODSKU_CLI_SUGGEST_H

#include "cli/help.h"
#include "cli/options.h"

enum podsku_code cli_no_command(struct cli *cli);
enum podsku_code cli_unknown_command(struct cli *cli, const char *word);
enum podsku_code cli_no_verb(struct cli *cli);
enum podsku_code cli_unknown_verb(struct cli *cli, const char *word);
/* The first len bytes of word are the flag, without a value. command NULL: not known yet. */
enum podsku_code cli_unknown_flag(struct cli *cli, const char *word, int len, const struct cli_command *command);
enum podsku_code cli_unknown_letter(struct cli *cli, const char *word, char letter);
enum podsku_code cli_misplaced_flag(struct cli *cli, const struct cli_option *option);
enum podsku_code cli_bad_choice(struct cli *cli, const char *option, const char *value, const char *choices);
enum podsku_code cli_stray_operand(struct cli *cli, const char *word);
enum podsku_code cli_missing_operand(struct cli *cli, const struct cli_operands *wanted);
enum podsku_code cli_no_rest(struct cli *cli);
/* Of `podsku help WORD`. */
enum podsku_code cli_unknown_topic(struct cli *cli, const char *word);

#endif
