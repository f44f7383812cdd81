/* What earlier runs of this launch left: in the journal, and in the account. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/deploy_private.h"

/* The candidate of the plan that this is; NULL: none. */
static const struct podsku_plan_entry *plan_entry(const struct podsku_session *s, const char *gpu_id, const char *cloud,
                                                  int gpus)
{
    for (size_t i = 0; gpu_id && cloud && i < s->plan_count; i++)
        if (strcmp(s->plan[i].gpu_id, gpu_id) == 0 && strcmp(s->plan[i].cloud, cloud) == 0 && s->plan[i].gpus == gpus)
            return &s->plan[i];
    return NULL;
}

int64_t podsku_session_mono_of(const struct podsku_session *s, int64_t wall_ms)
{
    int64_t age = podsku_clock_wall_ms(s->clock) - wall_ms;
    int64_t now = podsku_session_now(s);

    if (wall_ms <= 0 || age < 0)
        return now;
    return now - age > 1 ? now - age : 1;
}

/* An entry of this launch, into what is pending or, handed over, into what is kept. False: out of memory. */
static bool take_entry(struct podsku_session *s, const struct podsku_entry *entry)
{
    struct podsku_error ignored = {0};
    bool same = false;
    const struct podsku_pending pending = {
        .intent = entry->intent,
        .attempt = entry->attempt,
        .index = PODSKU_NO_ATTEMPT,
        .cluster = entry->cluster,
        .foreign = podsku_entry_is_of(entry, s->client, &same, &ignored) != PODSKU_OK || !same ||
                   strcmp(entry->api, podsku_api_name(s->options.spec.api)) != 0,
        .pod_id = entry->pod_id,
        .name = entry->name,
        .at_wall_ms = entry->at_ms,
        .sent_mono_ms = podsku_session_mono_of(s, entry->at_ms),
        .entries = entry->gpu_id_count ? plan_entry(s, entry->gpu_ids[0], entry->cloud, entry->gpus) : NULL,
        .entry_count = 1,
    };

    if (podsku_entry_unfinished(entry))
        return podsku_session_pend(s, &pending);
    /* Of one that was made with another URL, API or key nothing can be asked here. */
    return pending.foreign || !entry->pod_id || podsku_session_keep(s, &pending);
}

/* Takes over what the journal knows. False: out of memory. */
static bool take_journal(struct podsku_session *s, const struct podsku_entries *entries)
{
    size_t others = 0;

    for (size_t i = 0; i < entries->count; i++) {
        const struct podsku_entry *entry = &entries->list[i];
        bool ours = strcmp(entry->launch_id, s->options.launch_id) == 0;
        if (entry->state == PODSKU_ENTRY_GONE && !podsku_session_close(s, entry->pod_id))
            return false;
        if (ours && entry->attempt >= s->next_attempt)
            s->next_attempt = entry->attempt + 1;
        bool closed = entry->state == PODSKU_ENTRY_GONE || entry->state == PODSKU_ENTRY_NOT_MADE;
        if (ours && !closed && !take_entry(s, entry))
            return false;
        others += podsku_entry_unfinished(entry) && !ours && !podsku_launch_runs(s->journal, entry->launch_id);
    }
    if (entries->cut)
        podsku_session_event(s, PODSKU_EVENT_NOTE, PODSKU_NO_ATTEMPT, NULL,
                             "the journal's last line was cut: it is dropped");
    if (entries->ignored)
        podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                             "%zu %s of the journal could not be read, and %s ignored", entries->ignored,
                             entries->ignored == 1 ? "line" : "lines", entries->ignored == 1 ? "is" : "are");
    if (s->pending_count)
        podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                             "an earlier run of this launch left %zu open %s in the journal: settling first",
                             s->pending_count, s->pending_count == 1 ? "entry" : "entries");
    if (others)
        podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                             "the journal has %zu open %s of other launches: podsku reconcile settles them", others,
                             others == 1 ? "entry" : "entries");
    return true;
}

static enum podsku_step read_journal(struct podsku_session *s)
{
    struct podsku_entries entries = {0};
    struct podsku_error err = {0};

    if (podsku_journal_read(s->journal, &entries, &err) != PODSKU_OK) {
        if (s->err->code == PODSKU_OK)
            *s->err = err;
        return podsku_session_stop(s, err.code, PODSKU_DEPLOY_FAILED, "%s", err.message);
    }
    bool taken = take_journal(s, &entries);
    podsku_entries_free(&entries);
    if (!taken)
        return podsku_session_no_memory(s);
    for (size_t i = 0; i < s->pending_count; i++)
        if (s->pending[i].foreign) {
            (void)podsku_session_stop(s, PODSKU_UNSETTLED, PODSKU_DEPLOY_UNSETTLED,
                                      "attempt %d of this launch is open and was made with another URL, API or key",
                                      s->pending[i].attempt);
            podsku_error_hint(s->err, "run podsku reconcile with those, or take another --launch-id");
            return PODSKU_STEP_STOP;
        }
    return PODSKU_STEP_NEXT;
}

enum podsku_step podsku_session_adopt_live(struct podsku_session *s, struct podsku_placed *placed, const char *intent,
                                           int attempt)
{
    struct podsku_placement placement = {.index = PODSKU_NO_ATTEMPT, .entries = s->plan, .entry_count = 1};
    struct podsku_error ignored = {0};
    char why[256];
    bool ours = false;

    if (placed->cluster.id)
        (void)podsku_session_read(s, placed, &ignored); /* what stays unknown is read again by examining it */
    podsku_placed_price(placed);
    const struct podsku_plan_entry *entry =
        placed->cluster.id ? plan_entry(s, placed->cluster.gpu_id, "SECURE", placed->cluster.gpus_per_pod)
                           : plan_entry(s, placed->pod.gpu_id, placed->pod.cloud ? placed->pod.cloud : s->plan[0].cloud,
                                        placed->pod.gpus);
    placement.entries = entry ? entry : s->plan;
    placed->entry = entry;
    podsku_session_warn_of_expiry(s, placed);
    for (size_t i = 0; i < s->pending_count; i++)
        ours = ours || (intent && strcmp(s->pending[i].intent, intent) == 0);
    placement.untouchable =
        !ours || podsku_judge(&s->options, placement.entries, 1, placed, why, sizeof why) == PODSKU_FIT_WRONG;
    placement.journaled = ours;
    if (ours) {
        placement.index = podsku_session_adopt(s, intent, placed);
    } else {
        placement.index = podsku_session_attempt(s, attempt, intent, placement.entries);
        if (placement.index != PODSKU_NO_ATTEMPT) {
            struct podsku_attempt *made = &s->result->attempts[placement.index];
            made->outcome = PODSKU_ATTEMPT_ADOPTED;
            made->pod_id = strdup(podsku_placed_id(placed));
            podsku_session_event(s, PODSKU_EVENT_ADOPTED, placement.index, placed,
                                 "this launch has a live pod already: %s is taken instead of renting a second one",
                                 podsku_placed_id(placed));
        }
    }
    if (placement.index == PODSKU_NO_ATTEMPT)
        return podsku_session_no_memory(s);
    return podsku_session_place(s, &placement, placed);
}

/* An entry whose pod was known: nothing shows it any more, which has to be proven. */
static bool end_known(struct podsku_session *s, const struct podsku_pending *pending)
{
    struct podsku_placed placed = {.created_mono_ms = pending->sent_mono_ms, .entry = pending->entries};
    char **id = pending->cluster ? &placed.cluster.id : &placed.pod.id;

    *id = strdup(pending->pod_id);
    size_t index = *id ? podsku_session_adopt(s, pending->intent, &placed) : PODSKU_NO_ATTEMPT;
    bool gone = false;
    if (index != PODSKU_NO_ATTEMPT)
        gone = podsku_session_end(s, index, &placed, 0, "an earlier run of this launch left it, and no list shows it");
    podsku_placed_clear(&placed);
    return gone;
}

/* Settles one entry of an earlier run. NEXT: nothing came of it (it may stay pending). */
static enum podsku_step settle_old(struct podsku_session *s, size_t place, bool *removed)
{
    const struct podsku_pending *pending = &s->pending[place];
    struct podsku_placement placement = {
        .index = PODSKU_NO_ATTEMPT, .entries = pending->entries ? pending->entries : s->plan, .entry_count = 1};
    struct podsku_placed placed = {0};
    enum podsku_step step = PODSKU_STEP_STOP;
    enum podsku_found found = podsku_settle(s, pending->intent, pending->sent_mono_ms, &placed);

    *removed = found == PODSKU_FOUND_ONE || (found == PODSKU_FOUND_NONE && pending->pod_id);
    if (found == PODSKU_FOUND_NONE)
        return pending->pod_id && !end_known(s, pending) ? PODSKU_STEP_STOP : PODSKU_STEP_NEXT;
    if (found != PODSKU_FOUND_ONE)
        return podsku_session_stop_found(s, found, "an earlier run of this launch");
    podsku_session_warn_of_expiry(s, &placed);
    placement.index = podsku_session_adopt(s, pending->intent, &placed);
    if (placement.index != PODSKU_NO_ATTEMPT)
        step = podsku_session_place(s, &placement, &placed);
    podsku_placed_clear(&placed);
    return step;
}

enum podsku_step podsku_session_start(struct podsku_session *s)
{
    enum podsku_step step = read_journal(s);

    if (step != PODSKU_STEP_NEXT || (!s->options.launch_id_given && s->pending_count == 0))
        return step;
    step = podsku_session_take_live(s);
    for (size_t i = 0; step == PODSKU_STEP_NEXT && !s->stopped && i < s->pending_count;) {
        bool removed;
        step = settle_old(s, i, &removed);
        i += !removed;
    }
    return s->stopped ? PODSKU_STEP_STOP : step;
}
