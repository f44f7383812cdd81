/* Why an offer is no candidate, and what the smallest change would gain. */
#include <string.h>

#include "base/clock.h"
#include "cli/view_pick.h"

static bool fails_by(const struct podsku_offer *offer, enum podsku_rule rule)
{
    for (size_t i = 0; i < offer->reason_count; i++)
        if (offer->reasons[i].rule == rule)
            return true;
    return false;
}

void cli_offer_label(struct podsku_buf *out, const struct podsku_offer *offer)
{
    cli_put_text(out, podsku_gpu_name(offer->type));
    if (offer->gpus > 1)
        podsku_buf_printf(out, " x%d", offer->gpus);
    if (offer->nodes > 1)
        podsku_buf_printf(out, " on %d nodes", offer->nodes);
    podsku_buf_printf(out, ", %s", podsku_cloud_word(offer->cloud));
    if (podsku_type_not_offered(offer->type, offer->cloud))
        return; /* what is not offered has no price, whatever the catalogue carries */
    podsku_buf_puts(out, ", ");
    if (offer->price_total_uusd)
        cli_offer_price(out, offer);
    else
        podsku_buf_puts(out, "price unknown");
}

static void put_reasons(struct podsku_buf *out, const struct podsku_offer *offer)
{
    for (size_t i = 0; i < offer->reason_count; i++) {
        podsku_buf_printf(out, "%s%s: ", i ? "; " : "", podsku_rule_name(offer->reasons[i].rule));
        cli_put_text(out, offer->reasons[i].message);
    }
}

static void put_observations(const struct pick_view *view, struct podsku_buf *out)
{
    const struct cli_observations *observations = view->observations;

    for (size_t i = 0; observations && i < observations->count; i++) {
        const struct cli_observation *seen = &observations->list[i];
        const struct podsku_gpu_type *type = podsku_catalog_find(view->catalog, seen->gpu);
        char when[PODSKU_TIME_TEXT_SIZE];
        if (!type)
            continue;
        podsku_buf_printf(out, "seen: %s", podsku_gpu_name(type));
        if (seen->gpus > 1)
            podsku_buf_printf(out, " x%d", seen->gpus);
        if (seen->data_center)
            podsku_buf_printf(out, " in %s", seen->data_center);
        podsku_buf_printf(out, ": %s", seen->verdict);
        if (seen->at_ms)
            podsku_buf_printf(out, " (%s)", podsku_time_text(seen->at_ms, when));
        podsku_buf_putc(out, '\n');
    }
}

static void put_alternatives(const struct podsku_decision *decision, struct podsku_buf *out)
{
    for (size_t i = 0; i < decision->alternative_count; i++) {
        const struct podsku_alternative *way = &decision->alternatives[i];
        podsku_buf_printf(out, "or %s: isolates %s; needs %s", way->approach, way->isolates, way->needs);
        if (way->cheapest) {
            podsku_buf_puts(out, "; from ");
            cli_offer_label(out, way->cheapest);
        }
        if (!way->verified)
            podsku_buf_puts(out, " (not verified on Runpod)");
        podsku_buf_putc(out, '\n');
    }
}

void cli_pick_explain(const struct pick_view *view, struct podsku_buf *out)
{
    const struct podsku_decision *decision = view->decision;

    for (size_t i = 0; i < decision->rejected_count; i++) {
        podsku_buf_puts(out, "not ");
        cli_offer_label(out, &decision->rejected[i]);
        podsku_buf_puts(out, ": ");
        put_reasons(out, &decision->rejected[i]);
        podsku_buf_putc(out, '\n');
    }
    put_alternatives(decision, out);
    put_observations(view, out);
}

static void say_suggestions(const struct pick_view *view)
{
    enum { SHOWN = 3 };
    const struct podsku_decision *decision = view->decision;
    struct podsku_buf line = {0};

    for (size_t i = 0; i < decision->suggestion_count && i < SHOWN; i++) {
        const struct podsku_suggestion *suggestion = &decision->suggestions[i];
        if (suggestion->gain_count == 0)
            continue;
        podsku_buf_puts(&line, line.len ? ", or " : "");
        podsku_buf_printf(&line, "%s: %s ", suggestion->change, podsku_gpu_name(suggestion->gains[0].type));
        cli_offer_price(&line, &suggestion->gains[0]);
        if (suggestion->gain_total > 1)
            podsku_buf_printf(&line, " +%zu", suggestion->gain_total - 1);
    }
    if (line.len > 0)
        cli_say(view->cli, "smallest change: %s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

static void say_rejected(const struct pick_view *view, const struct podsku_offer *offer)
{
    struct podsku_buf line = {0};

    cli_offer_label(&line, offer);
    podsku_buf_puts(&line, ": ");
    put_reasons(&line, offer);
    cli_say(view->cli, "  %s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

void cli_pick_no_offer(const struct pick_view *view)
{
    enum { NAMED_SHOWN = 6 };
    const struct podsku_decision *decision = view->decision;
    size_t named = 0;
    struct podsku_buf alternatives = {0};

    if (view->contradiction)
        return;
    for (size_t i = 0; i < decision->note_count; i++)
        if (strcmp(decision->notes[i].code, "not-in-catalogue") == 0 ||
            strcmp(decision->notes[i].code, "empty-catalogue") == 0)
            cli_say(view->cli, "  %s", decision->notes[i].message);
    if (view->catalog->type_count == 0)
        return; /* nothing to compare with */
    if (view->req->gpu.count > 0) {
        for (size_t i = 0; i < decision->rejected_count; i++) {
            if (fails_by(&decision->rejected[i], PODSKU_RULE_GPU))
                continue;
            if (named++ < NAMED_SHOWN)
                say_rejected(view, &decision->rejected[i]);
        }
        if (named > NAMED_SHOWN)
            cli_say(view->cli, "  and %zu more (--explain)", named - NAMED_SHOWN);
    }
    if (named == 0 && decision->nearest_miss)
        say_rejected(view, decision->nearest_miss);
    say_suggestions(view);
    for (size_t i = 0; i < decision->alternative_count; i++) {
        const struct podsku_alternative *way = &decision->alternatives[i];
        podsku_buf_printf(&alternatives, "%s%s", i ? ", " : "", way->approach);
        if (way->cheapest && i == 0) {
            podsku_buf_puts(&alternatives, " (");
            cli_offer_label(&alternatives, way->cheapest);
            podsku_buf_putc(&alternatives, ')');
        }
    }
    if (alternatives.len > 0)
        cli_say(view->cli, "other ways: %s    (--explain, podsku help sharing)", podsku_buf_text(&alternatives));
    podsku_buf_free(&alternatives);
}
