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

/* Fills the store's scratch list with what `loose` gains. False: no memory. */
static bool gather_gains(const struct judge *judge, const struct judge *loose, struct rules_store *store)
{
    const struct podsku_requirement *req = loose->req;

    store->scratch.count = 0;
    for (size_t t = 0; t < loose->catalog->type_count; t++) {
        for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
            for (size_t i = 0; req->cloud[cloud] && i < req->gpus_count; i++) {
                struct podsku_offer offer;
                podsku_offer_begin(&offer, loose, &loose->catalog->types[t], (enum podsku_cloud)cloud, req->gpus[i]);
                if (podsku_offer_passes(&offer, loose) && !passes_already(&offer, judge) &&
                    !podsku_offers_add(&store->scratch, &offer))
                    return false;
            }
        }
    }
    return true;
}

/* Of a bound: the value that is nearest to what was asked, and only the offers that it gains. */
static double nearest_bound(const struct loosening *row, const struct judge *loose, struct offer_list *gains)
{
    double nearest = -1;
    size_t kept = 0;

    for (size_t i = 0; i < gains->count; i++) {
        double need = row->need(loose, &gains->list[i]);
        if (need >= 0 && (nearest < 0 || (row->floor ? need > nearest : need < nearest)))
            nearest = need;
    }
    for (size_t i = 0; nearest >= 0 && i < gains->count; i++)
        if (row->need(loose, &gains->list[i]) == nearest)
            gains->list[kept++] = gains->list[i];
    if (nearest >= 0)
        gains->count = kept;
    return nearest;
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

static double distance_of(const struct loosening *row, const struct judge *judge, const struct judge *loose,
                          double bound, int step)
{
    if (row->need)
        return bound >= 0 ? relative_change(row->asked(judge->req), bound) : 1;
    if (strncmp(row->flag, "--gpus", 6) == 0)
        return row->distance + count_change(judge, loose);
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

static bool record(struct rules_store *store, const struct loosening *row, const struct judge *loose, double bound,
                   const struct podsku_requirement *asked, double distance)
{
    struct offer_list *gains = &store->scratch;
    bool placement = strcmp(row->flag, "--data-center") == 0;
    const char *flags = placement ? placement_flags(asked, false, store) : row->flag;
    const char *words = placement ? placement_flags(asked, true, store) : row->flag;
    size_t count = gains->count < PODSKU_GAINS_MAX ? gains->count : PODSKU_GAINS_MAX;

    if (!flags || !words || !podsku_order(store, loose->req, gains->list, gains->count))
        return false;
    if (!podsku_grow(&store->suggestions, &store->suggestion_cap, store->suggestion_count + 1,
                     sizeof *store->suggestions))
        return false;
    struct podsku_suggestion *suggestion = &store->suggestions[store->suggestion_count];
    suggestion->relax = flags;
    suggestion->distance = distance;
    suggestion->gain_total = gains->count;
    suggestion->gain_count = count;
    suggestion->gains = podsku_store_offers(store, gains->list, count);
    suggestion->to = row->need && bound < 0 ? json_null() : row->to(loose, &gains->list[0]);
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
        if (!row->step(judge, &req, n))
            return true;
        if (podsku_judge_needs_parents(&req) &&
            !podsku_grow(&store->other_parents, &store->other_parents_cap, judge->catalog->type_count + 1, 1))
            return false;
        podsku_judge_prepare(&loose, judge->catalog, &req, store->other_parents);
        if (!gather_gains(judge, &loose, store))
            return false;
        if (store->scratch.count == 0)
            continue;
        double bound = row->need ? nearest_bound(row, &loose, &store->scratch) : -1;
        return record(store, row, &loose, bound, judge->req, distance_of(row, judge, &loose, bound, n));
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
