#include "cli/topic.h"

#include <stdio.h>
#include <string.h>

#include "cli/help.h"

enum { MARK_WIDTH = 16, TERM_WIDTH = 14 };

static const struct cli_topic_page *find_page(const char *word)
{
    for (size_t i = 0; i < cli_topic_page_count; i++) {
        if (strcmp(cli_topic_pages[i].name, word) == 0)
            return &cli_topic_pages[i];
    }
    return NULL;
}

bool cli_is_topic(const char *word)
{
    return find_page(word) != NULL;
}

const char *const *cli_topic_names(void)
{
    static const char *names[16];

    for (size_t i = 0; i < cli_topic_page_count && i + 1 < sizeof names / sizeof *names; i++)
        names[i] = cli_topic_pages[i].name;
    return names;
}

const char *cli_topic_summary(const char *topic)
{
    const struct cli_topic_page *page = find_page(topic);

    return page ? page->summary : NULL;
}

static void write_line(struct cli_topic *topic, const struct cli_topic_line *line)
{
    char mark[32];

    switch (line->kind) {
    case CLI_TOPIC_TEXT:
    case CLI_TOPIC_HEADING:
        podsku_buf_putc(topic->wrap.out, '\n');
        cli_wrap_text(&topic->wrap, 0, line->text);
        break;
    case CLI_TOPIC_FACT:
        (void)snprintf(mark, sizeof mark, "[%s]", podsku_confidence_name(line->sure));
        cli_wrap_item(&topic->wrap, mark, MARK_WIDTH, line->text);
        break;
    case CLI_TOPIC_ITEM: cli_wrap_item(&topic->wrap, line->term, TERM_WIDTH, line->text); break;
    case CLI_TOPIC_MADE: line->make(topic); break;
    }
}

bool cli_help_topic(struct podsku_buf *out, const char *word, int width)
{
    const struct cli_topic_page *page = find_page(word);
    struct cli_topic topic = {.wrap = {.out = out, .width = width ? width : 80}};
    struct podsku_catalog *catalog = NULL;
    struct podsku_error err = {0};

    if (!page)
        return false;
    topic.facts = podsku_facts_builtin();
    topic.failed = podsku_catalog_bundled(topic.facts, &catalog, &err) != PODSKU_OK;
    topic.catalog = catalog;
    podsku_buf_printf(out, "%s: ", page->name);
    topic.wrap.column = strlen(page->name) + 2;
    cli_wrap_text(&topic.wrap, 0, page->summary);
    for (size_t i = 0; i < page->line_count && !topic.failed; i++)
        write_line(&topic, &page->lines[i]);
    podsku_buf_putc(out, '\n');
    cli_wrap_text(&topic.wrap, 0,
                  "[verified] seen on a machine or in real answers; [vendor] a vendor's document says so; [inferred] "
                  "follows from other facts or from reports; [not verified] plausible, seen nowhere. No hardware fact "
                  "was verified on Runpod's own machines unless catalog list says so, which also has each source "
                  "and date.");
    podsku_catalog_free(catalog);
    out->failed = out->failed || topic.failed;
    return true;
}
