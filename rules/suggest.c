/*
 * The smallest single change of the requirement that gains candidates, flag by flag. Offers that pass
 * once a flag is loosened, and did not before, are gained; of a bound, the value that the nearest of
 * them needs is the suggestion.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/money.h"
#include "rules/suggest.h"

/* Is the offer a candidate of the requirement as it is? */
static bool passes_already(const struct podsku_offer *offer, const struct judge *judge)
{
    struct podsku_offer again;

    if (!podsku_offer_is_of(offer, judge->req))
        return false;
    podsku_offer_begin(&again, judge, offer->type, offer->cloud, offer->gpus);
    return podsku_offer_passes(&again, judge);
}

/* What a loosening gains: the best offers, and how many there are. */
struct gains {
    const struct loosening *row;
    const struct judge *judge, *loose;
    struct podsku_offer list[PODSKU_GAINS_MAX];
    size_t count, total;
    double bound; /* of a bound: what the nearest offers need; < 0: unknown */
};

/* Of a bound: is the offer as near as those that are kept? A nearer one drops them. */
static bool is_near(struct gains *gains, const struct podsku_offer *offer)
{
    double need = gains->row->need(gains->loose, offer);

    if (need == gains->bound)
        return true;
    if (gains->bound >= 0 && (need < 0 || gains->row->floor == (need < gains->bound)))
        return false;
    gains->bound = need;
    gains->count = gains->total = 0;
    return true;
}

static void add_gain(void *ctx, const struct podsku_offer *offer)
{
    struct gains *gains = ctx;

    if (passes_already(offer, gains->judge) || (gains->row->need && !is_near(gains, offer)))
        return;
    gains->total++;
    size_t at = gains->count; /* a nearer bound has emptied the list */
    while (at > 0 && podsku_comes_before(gains->loose->req, offer, &gains->list[at - 1]))
        at--;
    if (at == PODSKU_GAINS_MAX)
        return;
    if (gains->count < PODSKU_GAINS_MAX)
        gains->count++;
    memmove(&gains->list[at + 1], &gains->list[at], (gains->count - 1 - at) * sizeof *gains->list);
    gains->list[at] = *offer;
}

static double relative_change(double from, double to)
{
    double larger = from > to ? from : to;

    return larger > 0 ? fabs(to - from) / larger : 0;
}

static double count_change(const struct judge *judge, const struct judge *loose)
{
    const struct podsku_requirement *req = judge->req;
    int to = loose->req->gpus[0];

    return relative_change(to < req->gpus[0] ? req->gpus[0] : req->gpus[req->gpus_count - 1], to);
}

static double distance_of(const struct gains *gains, int step)
{
    const struct loosening *row = gains->row;
    const struct judge *loose = gains->loose;

    if (row->need)
        return gains->bound >= 0 ? relative_change(row->asked(gains->judge->req), gains->bound) : 1;
    if (strncmp(row->flag, "--gpus", 6) == 0)
        return row->distance + count_change(gains->judge, loose);
    /* A later step of --nvlink gives the wish up; other steps are levels. */
    return row->distance *
           (strcmp(row->flag, "--nvlink") == 0 && loose->req->nvlink == PODSKU_NVLINK_PREFERRED ? 10 : step + 1);
}

/* The flags that placement came by; country, region and compliance come before what they became. */
static const char *placement_flags(const struct podsku_requirement *req, bool words, struct rules_store *store)
{
    const char *flags[] = {req->countries.count ? "--country" : NULL, req->region ? "--region" : NULL,
                           req->compliance.count ? "--compliance" : NULL};
    struct podsku_buf buf = {0};
    const char *text = NULL;

    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (flags[i])
            podsku_buf_printf(&buf, "%s%s", buf.len ? (words ? " and " : " ") : "", flags[i]);
    if (!podsku_buf_failed(&buf))
        text = buf.len ? podsku_store_text(store, podsku_buf_text(&buf)) : "--data-center";
    podsku_buf_free(&buf);
    return text;
}

/* "--max-price 2.99", "without --gpu", "--gpus 2 --nvlink possible"; NULL: no memory. */
static const char *spell_change(struct rules_store *store, const struct loosening *row, const char *flags,
                                const json_t *to)
{
    char money[PODSKU_MONEY_TEXT_SIZE];
    int64_t uusd;

    if (json_is_null(to))
        return podsku_store_printf(store, "without %s", flags);
    if (json_is_true(to))
        return row->flag;
    if (json_is_object(to))
        return podsku_store_printf(store, "--gpus %d --nvlink %s", (int)json_integer_value(json_object_get(to, "gpus")),
                                   json_string_value(json_object_get(to, "nvlink")));
    if (json_is_string(to))
        return podsku_store_printf(store, "%s %s", row->flag, json_string_value(to));
    if (strncmp(row->flag, "--max-price", 11) == 0 || strncmp(row->flag, "--max-total", 11) == 0) {
        (void)podsku_money_from_double(json_number_value(to), &uusd);
        return podsku_store_printf(store, "%s %s", row->flag, podsku_money_text(uusd, money));
    }
    return podsku_store_printf(store, "%s %.12g", row->flag, json_number_value(to));
}

static bool record(struct rules_store *store, const struct gains *gains, double distance)
{
    const struct loosening *row = gains->row;
    const struct podsku_requirement *asked = gains->judge->req;
    bool placement = strcmp(row->flag, "--data-center") == 0;
    const char *flags = placement ? placement_flags(asked, false, store) : row->flag;
    const char *words = placement ? placement_flags(asked, true, store) : row->flag;

    if (!flags || !words ||
        !podsku_grow(&store->suggestions, &store->suggestion_cap, store->suggestion_count + 1,
                     sizeof *store->suggestions))
        return false;
    struct podsku_suggestion *suggestion = &store->suggestions[store->suggestion_count];
    suggestion->relax = flags;
    suggestion->distance = distance;
    suggestion->gain_total = gains->total;
    suggestion->gain_count = gains->count;
    suggestion->gains = podsku_store_offers(store, gains->list, gains->count);
    suggestion->to = row->need && gains->bound < 0 ? json_null() : row->to(gains->loose, &gains->list[0]);
    if (!suggestion->to)
        return false;
    store->suggestion_count++;
    suggestion->change = spell_change(store, row, words, suggestion->to);
    return suggestion->gains && suggestion->change;
}

/* Tries the steps of one flag until one gains something. */
static bool loosen(const struct loosening *row, const struct judge *judge, struct rules_store *store)
{
    for (int n = 0;; n++) {
        struct podsku_requirement req = *judge->req; /* borrows the strings, never freed */
        struct judge loose;
        struct gains gains = {.row = row, .judge = judge, .loose = &loose, .bound = -1};
        if (!row->step(judge, &req, n))
            return true;
        if (podsku_judge_needs_parents(&req) &&
            !podsku_grow(&store->other_parents, &store->other_parents_cap, judge->catalog->type_count + 1, 1))
            return false;
        podsku_judge_prepare(&loose, judge->catalog, &req, store->other_parents);
        podsku_each_passing(&loose, add_gain, &gains);
        if (gains.count > 0)
            return record(store, &gains, distance_of(&gains, n));
    }
}

static bool has_suggestion(const struct rules_store *store, const char *flag)
{
    for (size_t i = 0; i < store->suggestion_count; i++)
        if (strcmp(store->suggestions[i].relax, flag) == 0)
            return true;
    return false;
}

/* Two flags at once only where neither helps alone: --nvlink preferred gives the wish up. */
static bool is_needed(const struct loosening *row, const struct rules_store *store)
{
    if (!strchr(row->flag, ' '))
        return true;
    for (size_t i = 0; i < store->suggestion_count; i++)
        if (strcmp(store->suggestions[i].relax, "--nvlink") == 0 &&
            strcmp(json_string_value(store->suggestions[i].to), "possible") == 0)
            return false;
    return !has_suggestion(store, "--gpus");
}

/* Nearest first; the order of the flags breaks ties. */
static void sort_suggestions(struct podsku_suggestion *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct podsku_suggestion moved = list[i];
        size_t at = i;
        for (; at > 0 && list[at - 1].distance > moved.distance; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

bool podsku_suggest(const struct judge *judge, struct podsku_decision *decision)
{
    struct rules_store *store = decision->store;

    for (size_t i = 0; i < podsku_loosening_count; i++) {
        const struct loosening *row = &podsku_loosenings[i];
        if ((row->when_nothing && decision->candidate_total > 0) || !is_needed(row, store))
            continue;
        if (!loosen(row, judge, store))
            return false;
    }
    sort_suggestions(store->suggestions, store->suggestion_count);
    decision->suggestions = store->suggestions;
    decision->suggestion_count = store->suggestion_count;
    return true;
}
