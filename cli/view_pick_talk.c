/* The talk beside the table: where the catalogue is from, why the others are not, what to do next. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/money.h"
#include "cli/view_pick.h"

enum { MS_PER_DAY = 86400000 };

static void put_month(struct podsku_buf *out, int64_t wall_ms)
{
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm parts;

    if (gmtime_r(&seconds, &parts))
        podsku_buf_printf(out, "%s %d", months[parts.tm_mon], parts.tm_year + 1900);
}

static void put_origin(struct podsku_buf *out, const struct podsku_catalog *catalog)
{
    char when[PODSKU_TIME_TEXT_SIZE] = "";
    int64_t age_ms;

    if (catalog->recorded_ms)
        (void)podsku_time_text(catalog->recorded_ms, when);
    switch (catalog->source) {
    case PODSKU_SOURCE_BUNDLED:
        podsku_buf_puts(out, "bundled, ");
        put_month(out, catalog->recorded_ms);
        podsku_buf_puts(out, " (prices have moved since: set RUNPOD_API_KEY, or --catalog graphql)");
        break;
    case PODSKU_SOURCE_LIVE:
    case PODSKU_SOURCE_GRAPHQL:
        /* Read just now: the time of day says it all. */
        podsku_buf_printf(out, "%s %s", podsku_source_name(catalog->source), strlen(when) > 11 ? when + 11 : when);
        break;
    case PODSKU_SOURCE_FILE:
        podsku_buf_puts(out, catalog->path && strcmp(catalog->path, "-") != 0 ? catalog->path : "standard input");
        if (!catalog->recorded_ms) {
            podsku_buf_puts(out, ", of unknown date");
            break;
        }
        age_ms = podsku_clock_wall_ms(podsku_clock_system()) - catalog->recorded_ms;
        podsku_buf_printf(out, ", recorded %s", when);
        if (age_ms >= 2 * (int64_t)MS_PER_DAY)
            podsku_buf_printf(out, " (%" PRId64 " days ago)", age_ms / MS_PER_DAY);
        break;
    }
}

static void put_clouds(struct podsku_buf *out, const struct podsku_requirement *req)
{
    if (req->cloud[PODSKU_SECURE] && req->cloud[PODSKU_COMMUNITY])
        podsku_buf_puts(out, ", both clouds");
    else
        podsku_buf_printf(out, ", %s cloud", req->cloud[PODSKU_COMMUNITY] ? "community" : "secure");
}

static bool has_product(const struct podsku_catalog *catalog, enum podsku_product product)
{
    for (size_t i = 0; i < catalog->read_count; i++)
        if (catalog->reads[i].product == product)
            return true;
    return false;
}

/* For which counts stock was asked; of Instant Clusters only where nothing was read of pods. */
static void put_stock_count(struct podsku_buf *out, const struct podsku_catalog *catalog)
{
    bool has_stock = false;
    bool pods = has_product(catalog, PODSKU_PRODUCT_POD);
    int last = 0;

    for (size_t i = 0; i < catalog->type_count && !has_stock; i++)
        has_stock = catalog->types[i].view_count > 0;
    if (!has_stock || !catalog->reads[0].has_cloud)
        return;
    podsku_buf_puts(out, pods ? ", stock asked for " : ", stock of Instant Clusters asked for ");
    for (size_t i = 0; i < catalog->read_count; i++) {
        const struct podsku_catalog_query *read = &catalog->reads[i];
        bool again = pods != (read->product == PODSKU_PRODUCT_POD);
        for (size_t j = 0; j < i && !again; j++) /* the other cloud's reads are for the same counts */
            again = catalog->reads[j].product == read->product && catalog->reads[j].count == read->count;
        if (again)
            continue;
        podsku_buf_printf(out, "%s%d", last ? "," : "", read->count);
        last = read->count;
    }
    podsku_buf_puts(out, last == 1 ? " GPU" : " GPUs");
    if (!pods)
        podsku_buf_puts(out, " a node");
}

/* ", read for hosts with CUDA 13.0 or newer in US": what a recording's query left out. */
static void put_filter(struct podsku_buf *out, const struct podsku_catalog *catalog)
{
    const struct podsku_catalog_query *read = &catalog->reads[0];

    if (!read->min_cuda && !read->countries)
        return;
    podsku_buf_puts(out, ", read for hosts");
    if (read->min_cuda) {
        podsku_buf_puts(out, " with CUDA ");
        cli_put_text(out, read->min_cuda);
        podsku_buf_puts(out, " or newer");
    }
    if (read->countries) {
        podsku_buf_puts(out, " in ");
        cli_put_text(out, read->countries);
    }
}

/* The parent of a slice with the least id after `last`; NULL: none is left. */
static const char *next_slice_parent(const struct podsku_catalog *catalog, const char *last)
{
    const char *next = NULL;

    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_slice *slice = catalog->types[i].slice;
        if (slice && strcmp(slice->parent, last) > 0 && (!next || strcmp(slice->parent, next) < 0))
            next = slice->parent;
    }
    return next;
}

/* "; sold in slices: RTX PRO 6000 (96 GB)": the parents of the slices in the catalogue, each once. */
static void put_slice_parents(struct podsku_buf *out, const struct podsku_catalog *catalog)
{
    enum { PARENTS_MAX = 16 };
    size_t count = 0;
    const char *last = "";

    for (const char *id; (id = next_slice_parent(catalog, last)); last = id) {
        if (count++ == PARENTS_MAX) {
            podsku_buf_puts(out, " and others");
            break;
        }
        const struct podsku_gpu_type *parent = podsku_catalog_find(catalog, id);
        podsku_buf_printf(out, "%s%s", count == 1 ? "; sold in slices: " : ", ", parent ? podsku_gpu_name(parent) : id);
        if (parent && podsku_gpu_memory_gb(parent) > 0)
            podsku_buf_printf(out, " (%d GB)", podsku_gpu_memory_gb(parent));
    }
    if (count == 0)
        podsku_buf_puts(out, "; no slices in it");
}

void cli_source_heading(struct podsku_buf *out, const struct podsku_catalog *catalog,
                        const struct podsku_requirement *req)
{
    podsku_buf_puts(out, "catalogue: ");
    put_origin(out, catalog);
    podsku_buf_printf(out, ", %zu %s", catalog->entries, catalog->entries == 1 ? "type" : "types");
    put_clouds(out, req);
    put_stock_count(out, catalog);
    put_filter(out, catalog);
}

void cli_pick_heading(const struct pick_view *view)
{
    struct podsku_buf line = {0};

    cli_source_heading(&line, view->catalog, view->req);
    if (cli_asks_fraction(view->req))
        put_slice_parents(&line, view->catalog);
    cli_say(view->cli, "%s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

void cli_pick_notes(const struct pick_view *view)
{
    const struct podsku_decision *decision = view->decision;

    for (size_t i = 0; i < decision->note_count; i++)
        if (strcmp(decision->notes[i].code, "parents") != 0) /* the heading says it */
            cli_say(view->cli, "note: %s", decision->notes[i].message);
    for (size_t i = 0; i < decision->candidate_count; i++) {
        const struct podsku_offer *offer = &decision->candidates[i];
        for (size_t n = 0; n < offer->note_count; n++)
            if (strcmp(offer->notes[n].code, "suspect-price") == 0)
                cli_warn(view->cli, "note: %s (%s): %s", podsku_gpu_name(offer->type), podsku_cloud_word(offer->cloud),
                         offer->notes[n].message);
    }
}

static void say_nearest_miss(const struct pick_view *view)
{
    const struct podsku_offer *miss = view->decision->nearest_miss;
    struct podsku_buf line = {0};

    if (!miss)
        return;
    podsku_buf_puts(&line, podsku_gpu_name(miss->type));
    if (miss->price_total_uusd && !podsku_type_not_offered(miss->type, miss->cloud)) {
        podsku_buf_putc(&line, ' ');
        cli_offer_price(&line, miss);
    }
    podsku_buf_printf(&line, ": %s", view->decision->nearest_miss_why);
    cli_say(view->cli, "nearest miss: %s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

/*
 * Whole cards with the slice's memory that cost less than the slice: the cheapest of
 * them, then the cheapest with more memory than that, and so on.
 */
static void say_cheaper_whole_cards(const struct pick_view *view, const struct podsku_offer *slice)
{
    enum { SHOWN = 4 };
    struct podsku_requirement whole;
    struct podsku_decision cards = {0};
    struct podsku_error err = {0};
    struct podsku_buf line = {0};
    int shown = 0;
    int64_t memory_gb = 0;

    podsku_whole_card_requirement(view->req, slice->memory_gb, &whole);
    if (podsku_decide(view->catalog, &whole, PODSKU_DECIDE_COUNT, true, &cards, &err) == PODSKU_OK) {
        for (size_t i = 0; i < cards.candidate_count && shown < SHOWN; i++) {
            const struct podsku_offer *card = &cards.candidates[i];
            if (card->price_total_uusd == 0 || card->price_total_uusd >= slice->price_total_uusd)
                break;
            if (card->memory_gb <= memory_gb)
                continue;
            podsku_buf_printf(&line, "%s%s ", shown++ ? ", " : "", podsku_gpu_name(card->type));
            if (card->memory_gb > slice->memory_gb)
                podsku_buf_printf(&line, "(%d GB) ", card->memory_gb);
            cli_offer_price(&line, card);
            memory_gb = card->memory_gb;
        }
        if (shown > 0)
            cli_say(view->cli, "cheaper whole cards with %d GB or more: %s    podsku pick --min-vram %d",
                    slice->memory_gb, podsku_buf_text(&line), slice->memory_gb);
        else
            cli_say(view->cli, "no whole card with %d GB or more costs less than %s", slice->memory_gb,
                    podsku_gpu_name(slice->type));
    }
    podsku_buf_free(&line);
    podsku_decision_free(&cards);
}

/* The best candidate that is a slice of known size; NULL: none. */
static const struct podsku_offer *first_slice(const struct podsku_decision *decision)
{
    for (size_t i = 0; i < decision->candidate_count; i++)
        if (decision->candidates[i].type->slice && decision->candidates[i].memory_gb > 0)
            return &decision->candidates[i];
    return NULL;
}

/* Where only the whole parent fits: the cheapest card with as much memory as the share of it. */
static void say_smaller_card(const struct pick_view *view)
{
    const struct podsku_decision *decision = view->decision;
    struct podsku_buf line = {0};

    for (size_t i = 0; i < decision->alternative_count; i++) {
        const struct podsku_offer *card = decision->alternatives[i].cheapest;
        if (strcmp(decision->alternatives[i].approach, "smaller-card") != 0 || !card)
            continue;
        cli_offer_label(&line, card);
        cli_say(view->cli, "cheapest whole card with the share's memory: %s (%d GB)", podsku_buf_text(&line),
                card->memory_gb);
    }
    podsku_buf_free(&line);
}

static void say_slices(const struct pick_view *view)
{
    const struct podsku_offer *slice = first_slice(view->decision);

    if (!slice && !cli_asks_fraction(view->req))
        return;
    if (slice)
        say_cheaper_whole_cards(view, slice);
    else
        say_smaller_card(view);
    cli_say(view->cli, "others' work beside yours: a slice or a card. Only your own: the cheapest whole card "
                       "(podsku help sharing)");
    cli_say(view->cli, "slices: no NVLink, no NCCL across them; you cannot cut your own (podsku help mig)");
}

static void say_legend(const struct pick_view *view)
{
    bool bridged = false;
    const struct podsku_offer *mesh = NULL;

    for (size_t i = 0; i < view->decision->candidate_count; i++) {
        const struct podsku_offer *offer = &view->decision->candidates[i];
        if (offer->topology.evidence == PODSKU_EVIDENCE_NOMINAL && podsku_is_cube_mesh(offer->type->facts))
            mesh = offer;
        else
            bridged |= offer->topology.evidence == PODSKU_EVIDENCE_NOMINAL;
    }
    cli_say(view->cli, "GB/s: nominal per GPU, both ways; PCIe 5.0 x16 has 128. \"By board\" is design; --verify looks "
                       "at the machine");
    if (bridged)
        cli_say(view->cli,
                "nominal: sold as NVLink, bridges are optional; only --verify can tell (podsku help nvlink)");
    if (mesh)
        cli_say(view->cli,
                "%s: 8 form a cube mesh (16 of 28 pairs), a board of 4 links all; nothing says which board: only "
                "--verify can tell",
                podsku_gpu_name(mesh->type));
    if (view->decision->candidates[0].price_estimated)
        cli_say(view->cli, "~: with 1.2 times the rate for an Instant Cluster, seen on bills: an estimate");
}

/* A cap in round numbers that admits the first two candidates: no fallback beyond what is meant. */
static void put_cap(struct podsku_buf *out, const struct pick_view *view)
{
    const struct podsku_decision *decision = view->decision;
    int64_t reach = decision->candidates[0].price_total_uusd;
    if (decision->candidate_count > 1 && decision->candidates[1].price_total_uusd > reach)
        reach = decision->candidates[1].price_total_uusd; /* another order than by price */
    int64_t step = reach >= 10 * PODSKU_UUSD_PER_USD ? PODSKU_UUSD_PER_USD : PODSKU_UUSD_PER_USD / 10;
    char text[PODSKU_MONEY_TEXT_SIZE];

    if (reach <= 0 || view->req->max_price_uusd != PODSKU_UNCAPPED || view->req->max_total_uusd != PODSKU_UNCAPPED)
        return;
    int64_t cap = (reach + step - 1) / step * step;
    if (cap % PODSKU_UUSD_PER_USD == 0)
        podsku_buf_printf(out, " --max-total %" PRId64, cap / PODSKU_UUSD_PER_USD);
    else
        podsku_buf_printf(out, " --max-total %s", podsku_money_text(cap, text));
}

static void say_next(const struct pick_view *view)
{
    const struct podsku_requirement *req = view->req;
    bool derived = (req->countries.count > 0 || req->region || req->compliance.count > 0) &&
                   !cli_has(view->cli, "data-center"); /* deploy derives the data centers again */
    const char *without[3] = {NULL};
    size_t left_out = 0;
    struct podsku_buf line = {0};

    if (derived)
        without[left_out++] = "data_center";
    if (req->nodes == 1)
        without[left_out++] = "inter_node_gbps"; /* a file may ask for it, a flag needs --nodes */
    podsku_buf_puts(&line, "podsku deploy");
    cli_requirement_flags(&line, view->req, without);
    put_cap(&line, view);
    podsku_buf_puts(&line, " --image IMAGE --wait --verify --dry-run");
    cli_say(view->cli, "next: %s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

void cli_pick_talk(const struct pick_view *view)
{
    const struct podsku_decision *decision = view->decision;

    if (decision->candidate_total > decision->candidate_count)
        cli_say(view->cli, "and %zu more candidates (--limit)", decision->candidate_total - decision->candidate_count);
    cli_pick_rejections(view);
    say_nearest_miss(view);
    cli_pick_notes(view);
    say_slices(view);
    if (!cli_asks_fraction(view->req) && cli_asks_links(view->req))
        say_legend(view);
    say_next(view);
}
