/*
 * Building blocks of the help topics: paragraphs, facts that carry how sure they are, tables made from
 * the tables that the rules use.
 */
#ifndef PODSKU_CLI_TOPIC_H
#define PODSKU_CLI_TOPIC_H

#include "catalog/catalog.h"
#include "cli/table.h"
#include "cli/wrap.h"

struct cli_topic {
    struct cli_wrap wrap;
    const struct podsku_facts_set *facts;
    const struct podsku_catalog *catalog; /* the bundled one, for names and prices */
    bool failed;                          /* no memory */
};

/* One line of a topic. */
enum cli_topic_line_kind { CLI_TOPIC_TEXT, CLI_TOPIC_HEADING, CLI_TOPIC_FACT, CLI_TOPIC_ITEM, CLI_TOPIC_MADE };

struct cli_topic_line {
    enum cli_topic_line_kind kind;
    enum podsku_confidence sure; /* FACT */
    const char *term;            /* ITEM: what stands at the left */
    const char *text;
    void (*make)(struct cli_topic *topic); /* MADE: from the tables */
};

#define TOPIC_TEXT(text)                                            \
    {                                                               \
        CLI_TOPIC_TEXT, PODSKU_CONFIDENCE_UNKNOWN, NULL, text, NULL \
    }
#define TOPIC_HEADING(text)                                            \
    {                                                                  \
        CLI_TOPIC_HEADING, PODSKU_CONFIDENCE_UNKNOWN, NULL, text, NULL \
    }
#define TOPIC_FACT(sure, text)                                     \
    {                                                              \
        CLI_TOPIC_FACT, PODSKU_CONFIDENCE_##sure, NULL, text, NULL \
    }
#define TOPIC_ITEM(term, text)                                      \
    {                                                               \
        CLI_TOPIC_ITEM, PODSKU_CONFIDENCE_UNKNOWN, term, text, NULL \
    }
#define TOPIC_MADE(make)                                            \
    {                                                               \
        CLI_TOPIC_MADE, PODSKU_CONFIDENCE_UNKNOWN, NULL, NULL, make \
    }

struct cli_topic_page {
    const char *name, *summary;
    const struct cli_topic_line *lines;
    size_t line_count;
};

/* The pages, in the order of `podsku help`. */
extern const struct cli_topic_page cli_topic_pages[];
extern const size_t cli_topic_page_count;

/* Made from tables; see help_tables.c. */
void cli_topic_bandwidths(struct cli_topic *topic);   /* GB/s per NVLink generation and of PCIe */
void cli_topic_evidence(struct cli_topic *topic);     /* types by NVLink evidence */
void cli_topic_paths(struct cli_topic *topic);        /* the words of nvidia-smi topo -m */
void cli_topic_mig_profiles(struct cli_topic *topic); /* profiles per card */
void cli_topic_sold_slices(struct cli_topic *topic);  /* slices of the bundled catalogue, and whole cards beside them */
void cli_topic_catalog_age(struct cli_topic *topic);  /* what is compiled in, and of when */
void cli_topic_cluster_types(
    struct cli_topic *topic); /* types on NVLink boards that clusters offer, per GPU and node */

#endif
