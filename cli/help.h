/*
 * Help pages, made from the tables of commands and options, and from the tables of facts and rules.
 */
#ifndef PODSKU_CLI_HELP_H
#define PODSKU_CLI_HELP_H

#include "base/buf.h"
#include "cli/command.h"
#include "cli/options.h"

/* Is there a topic of this name (nvlink, topology, mig, sharing, clusters, catalogue)? */
bool cli_is_topic(const char *word);
/* Names of the topics, NULL-terminated. */
const char *const *cli_topic_names(void);
/* One line about a topic. NULL: no such topic. */
const char *cli_topic_summary(const char *topic);

/* The canonical spelling of a verb; returns `name`. */
enum { CLI_VERB_SIZE = 24 };
const char *cli_verb_name(const struct cli_verb *verb, char name[CLI_VERB_SIZE]);

const char *cli_group_heading(enum cli_group group);

/* "-o, --output FORMAT", and the sentence about it; command NULL: of no one in particular. */
void cli_option_spelling(const struct cli_option *option, char *text, size_t size);
void cli_option_sentence(const struct cli_option *option, const struct cli_command *command, struct podsku_buf *out);

/* Pages of text, wrapped to width columns (0: 80). */
void cli_help_overview(struct podsku_buf *out, int width);
void cli_help_command(struct podsku_buf *out, const struct cli_command *command, int width);
/* False: no such topic. */
bool cli_help_topic(struct podsku_buf *out, const char *topic, int width);

#endif
