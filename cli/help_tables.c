/*
 * Parts of the help topics that are made from the tables of facts, profiles, paths and the bundled
 * catalogue.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/money.h"
#include "cli/topic.h"
#include "rules/judge.h"
#include "rules/verify.h"

enum { GENERATIONS = 8, CELL = 64, NAMES_COLUMN = 14 };

/* The display name of the bundled catalogue, else the id. */
static const char *name_of(const struct cli_topic *topic, const char *id)
{
    const struct podsku_gpu_type *type = podsku_catalog_find(topic->catalog, id);

    return type ? podsku_gpu_name(type) : id;
}

static void print_table(struct cli_topic *topic, struct cli_table *table)
{
    struct podsku_error err = {0};
    struct podsku_buf text = {0};

    if (!topic->failed && cli_table_print(table, &text, &err) != PODSKU_OK)
        topic->failed = true;
    for (const char *at = podsku_buf_text(&text); *at;) {
        size_t len = strcspn(at, "\n");
        podsku_buf_printf(topic->wrap.out, "  %.*s\n", (int)len, at);
        at += len + (at[len] == '\n');
    }
    podsku_buf_free(&text);
    cli_table_free(table);
}

static struct cli_table *new_table(struct cli_topic *topic, const struct cli_column *columns, size_t count)
{
    struct podsku_error err = {0};
    struct cli_table *table = NULL;

    if (cli_table_new(columns, count, topic->wrap.width - 2, &table, &err) != PODSKU_OK)
        topic->failed = true;
    return table;
}

static void add_row(struct cli_topic *topic, struct cli_table *table, const char *const *cells)
{
    struct podsku_error err = {0};

    if (!topic->failed && cli_table_row(table, cells, &err) != PODSKU_OK)
        topic->failed = true;
}

void cli_topic_bandwidths(struct cli_topic *topic)
{
    static const struct cli_column columns[] = {
        {"LINK", false, true, 0}, {"GB/s", true, false, 0}, {"ON", false, true, 0}};
    struct cli_table *table = new_table(topic, columns, 3);
    double pcie = 0;

    for (int generation = GENERATIONS; generation > 0; generation--) {
        const struct podsku_facts *best = NULL;
        char link[CELL], gbs[CELL];
        for (size_t i = 0; i < podsku_facts_count(topic->facts); i++) {
            const struct podsku_facts *facts = podsku_facts_at(topic->facts, i);
            if (facts->nvlink_generation == generation && facts->evidence >= PODSKU_EVIDENCE_NOMINAL &&
                (!best || facts->nvlink_gbs > best->nvlink_gbs))
                best = facts;
            if (facts->pcie_generation == 5 && facts->pcie_lanes == 16 && facts->pcie_gbs > pcie)
                pcie = facts->pcie_gbs;
        }
        if (!best)
            continue;
        (void)snprintf(link, sizeof link, "NVLink %d", generation);
        (void)snprintf(gbs, sizeof gbs, "%.0f", best->nvlink_gbs);
        add_row(topic, table, (const char *const[]){link, gbs, name_of(topic, best->id)});
    }
    char gbs[CELL];
    (void)snprintf(gbs, sizeof gbs, "%.0f", pcie);
    add_row(topic, table,
            (const char *const[]){"PCIe 5.0 x16", gbs, "nominal; shared with everything else on the bus"});
    print_table(topic, table);
}

/* The names of all types without NVLink, as one wrapped list. */
static void list_without(struct cli_topic *topic)
{
    struct podsku_buf names = {0};

    for (size_t i = 0; i < topic->catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &topic->catalog->types[i];
        if (!type->slice && type->facts && type->facts->evidence == PODSKU_EVIDENCE_NONE && !type->facts->xgmi)
            podsku_buf_printf(&names, "%s%s", names.len ? ", " : "", podsku_gpu_name(type));
    }
    podsku_buf_puts(&names, "; and every MIG slice");
    topic->failed = topic->failed || podsku_buf_failed(&names);
    cli_wrap_item(&topic->wrap, "none:", NAMES_COLUMN, podsku_buf_text(&names));
    podsku_buf_free(&names);
}

void cli_topic_evidence(struct cli_topic *topic)
{
    static const struct cli_column columns[] = {
        {"GPU TYPE", false, true, 0}, {"EVIDENCE", false, false, 0}, {"NVLINK", true, false, 3},
        {"LINKS", true, false, 2},    {"GB/s", true, false, 1},      {"DOMAIN", true, false, 0},
        {"SURE", false, false, 0},
    };
    struct cli_table *table = new_table(topic, columns, sizeof columns / sizeof *columns);

    for (int evidence = PODSKU_EVIDENCE_BOARD; evidence >= PODSKU_EVIDENCE_CONNECTOR; evidence--) {
        for (size_t i = 0; i < podsku_facts_count(topic->facts); i++) {
            const struct podsku_facts *facts = podsku_facts_at(topic->facts, i);
            char generation[CELL], links[CELL], gbs[CELL], domain[CELL];
            if ((int)facts->evidence != evidence || facts->alias_of)
                continue;
            (void)snprintf(generation, sizeof generation, "%d", facts->nvlink_generation);
            (void)snprintf(links, sizeof links, "%d", facts->nvlink_links);
            (void)snprintf(gbs, sizeof gbs, "%.4g", facts->nvlink_gbs);
            (void)snprintf(domain, sizeof domain, "%d", facts->nvlink_domain);
            add_row(topic, table,
                    (const char *const[]){name_of(topic, facts->id), podsku_evidence_name(facts->evidence), generation,
                                          links, gbs, domain, podsku_confidence_name(facts->confidence)});
        }
    }
    print_table(topic, table);
    list_without(topic);
    for (size_t i = 0; i < podsku_facts_count(topic->facts); i++) {
        const struct podsku_facts *facts = podsku_facts_at(topic->facts, i);
        char text[160];
        if (!facts->xgmi || facts->alias_of)
            continue;
        (void)snprintf(text, sizeof text, "%s: among %d, %.0f GB/s a pair; it is not NVLink [%s]",
                       name_of(topic, facts->id), facts->xgmi_domain, facts->xgmi_pair_gbs,
                       podsku_confidence_name(facts->confidence));
        cli_wrap_item(&topic->wrap, "xGMI:", NAMES_COLUMN, text);
    }
}

void cli_topic_paths(struct cli_topic *topic)
{
    /* What a path costs, by enum podsku_path. */
    static const char *const costs[PODSKU_PATH_COUNT] = {
        [PODSKU_PATH_NV] = "full speed; the number is that of links",
        [PODSKU_PATH_PIX] = "PCIe speed, the best that PCIe has",
        [PODSKU_PATH_PXB] = "PCIe speed, shared at the upper bridges",
        [PODSKU_PATH_PHB] = "often half of what PCIe has, and peer-to-peer may be off",
        [PODSKU_PATH_NODE] = "as PHB, or slower",
        [PODSKU_PATH_SYS] = "the slowest",
        [PODSKU_PATH_SOC] = "as SYS",
    };
#define PATH_WORD(constant, word, meaning) word,
    static const char *const words[] = {PODSKU_PATH_LIST(PATH_WORD)};
#undef PATH_WORD
#define PATH_MEANING(constant, word, meaning) meaning,
    static const char *const meanings[] = {PODSKU_PATH_LIST(PATH_MEANING)};
#undef PATH_MEANING

    for (int path = 0; path < PODSKU_PATH_COUNT; path++) {
        char term[16];
        char text[200];
        (void)snprintf(term, sizeof term, "%s%s", words[path], path == PODSKU_PATH_NV ? "#" : "");
        (void)snprintf(text, sizeof text, "%s%s%s [vendor]", meanings[path], costs[path] ? "; " : "",
                       costs[path] ? costs[path] : "");
        cli_wrap_item(&topic->wrap, term, 6, text);
    }
}

void cli_topic_mig_profiles(struct cli_topic *topic)
{
    size_t count;
    const struct podsku_mig_profile *profiles = podsku_mig_profiles(&count);

    for (size_t i = 0; i < count;) {
        struct podsku_buf text = {0};
        size_t first = i;
        enum podsku_confidence sure = profiles[i].confidence;
        for (; i < count && strcmp(profiles[i].card, profiles[first].card) == 0; i++) {
            const struct podsku_mig_profile *row = &profiles[i];
            podsku_buf_printf(&text, "%s%s%s %d/%d %d/%d x%d", i == first ? "" : ", ", row->profile,
                              row->sold ? "*" : "", row->compute_slices, row->compute_total, row->memory_slices,
                              row->memory_total, row->max_instances);
            if (row->confidence < sure)
                sure = row->confidence;
        }
        podsku_buf_printf(&text, " [%s]", podsku_confidence_name(sure));
        topic->failed = topic->failed || podsku_buf_failed(&text);
        cli_wrap_item(&topic->wrap, profiles[first].card, 0, podsku_buf_text(&text));
        podsku_buf_free(&text);
    }
}

/* The cheapest whole NVIDIA card of secure cloud with that much memory; NULL: none. */
static const struct podsku_gpu_type *cheapest_card(const struct podsku_catalog *catalog, int memory_gb)
{
    const struct podsku_gpu_type *best = NULL;

    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &catalog->types[i];
        if (type->slice || type->manufacturer != PODSKU_NVIDIA || type->offered[PODSKU_SECURE] == PODSKU_NO ||
            type->max_gpus[PODSKU_SECURE] == 0 || type->price_uusd[PODSKU_SECURE] == 0 ||
            podsku_gpu_memory_gb(type) < memory_gb)
            continue;
        if (!best || type->price_uusd[PODSKU_SECURE] < best->price_uusd[PODSKU_SECURE])
            best = type;
    }
    return best;
}

void cli_topic_sold_slices(struct cli_topic *topic)
{
    static const struct cli_column columns[] = {{"SLICE", false, true, 0}, {"GB", true, false, 1},
                                                {"USD/h", true, false, 0}, {"WHOLE CARD", false, true, 0},
                                                {"GB", true, false, 2},    {"USD/h", true, false, 0}};
    struct cli_table *table = new_table(topic, columns, 6);
    const struct podsku_catalog *catalog = topic->catalog;

    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_gpu_type *slice = &catalog->types[i];
        int memory = podsku_gpu_memory_gb(slice);
        const struct podsku_gpu_type *card = slice->slice ? cheapest_card(catalog, memory) : NULL;
        char gb[CELL], price[PODSKU_MONEY_TEXT_SIZE], card_gb[CELL], card_price[PODSKU_MONEY_TEXT_SIZE];
        if (!card)
            continue;
        (void)snprintf(gb, sizeof gb, "%d", memory);
        (void)snprintf(card_gb, sizeof card_gb, "%d", podsku_gpu_memory_gb(card));
        add_row(topic, table,
                (const char *const[]){podsku_gpu_name(slice), gb,
                                      podsku_money_text(slice->price_uusd[PODSKU_SECURE], price), podsku_gpu_name(card),
                                      card_gb, podsku_money_text(card->price_uusd[PODSKU_SECURE], card_price)});
    }
    print_table(topic, table);
    cli_topic_catalog_age(topic);
}

void cli_topic_catalog_age(struct cli_topic *topic)
{
    char when[PODSKU_TIME_TEXT_SIZE];
    char text[120];

    (void)snprintf(text, sizeof text, "list prices of %.10s, %zu types, secure cloud",
                   podsku_time_text(topic->catalog->recorded_ms, when), topic->catalog->entries);
    cli_wrap_item(&topic->wrap, "compiled in:", NAMES_COLUMN, text);
}

void cli_topic_cluster_types(struct cli_topic *topic)
{
    static const struct cli_column columns[] = {{"GPU TYPE", false, true, 0},
                                                {"NVLINK GB/s", true, false, 0},
                                                {"NETWORK GB/s", true, false, 0},
                                                {"Gbit/s A NODE", true, false, 1}};
    enum { NODE_GPUS = 8, BITS = 8 };
    struct cli_table *table = new_table(topic, columns, 4);

    for (size_t i = 0; i < topic->catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &topic->catalog->types[i];
        int gbps = podsku_cluster_gbps(type->id);
        char nvlink[CELL], network[CELL], node[CELL];
        if (gbps == 0 || !type->facts)
            continue;
        (void)snprintf(nvlink, sizeof nvlink, "%.0f", type->facts->nvlink_gbs / 2);
        (void)snprintf(network, sizeof network, "%d", gbps / NODE_GPUS / BITS);
        (void)snprintf(node, sizeof node, "%d", gbps);
        add_row(topic, table, (const char *const[]){podsku_gpu_name(type), nvlink, network, node});
    }
    print_table(topic, table);
    cli_wrap_text(&topic->wrap, 2, "GB/s per GPU and each way, on nodes of 8 GPUs [vendor]");
}
