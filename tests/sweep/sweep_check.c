/*
 * What must hold after a deploy, and after reconcile:
 *
 *   at most one live pod per launch is left by a deploy that says it is settled
 *   no live pod of ours is left that neither the output nor the journal names
 *   no foreign pod is touched
 *   the exit code is consistent with the state
 *   no create is sent twice for one intent
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sweep/sweep.h"

bool sweep_complain(uint64_t seed, const char *what, const char *detail)
{
    fprintf(stderr, "seed %llu: %s%s%s\n", (unsigned long long)seed, what, detail ? ": " : "", detail ? detail : "");
    return false;
}

const char *sweep_mark(const struct fake_pod *pod, const char *name)
{
    const char *text = json_string_value(json_object_get(pod->env, name));

    return text ? text : "";
}

const char *sweep_thing(const struct fake_pod *pod)
{
    return pod->cluster_id[0] ? pod->cluster_id : pod->id;
}

/* Live things of ours; a cluster is one. *first: of them. */
static size_t live_things(const struct fake *fake, const struct fake_pod **first)
{
    const char *last = "";
    size_t count = 0;

    *first = NULL;
    for (size_t i = 0; i < fake->pod_count; i++) {
        const struct fake_pod *pod = &fake->pods[i];
        if (pod->deleted_ms || pod->foreign || strcmp(last, sweep_thing(pod)) == 0)
            continue;
        *first = *first ? *first : pod;
        last = sweep_thing(pod);
        count++;
    }
    return count;
}

/* Every live pod's intent is in the journal, unfinished or told; or its id is in the output. */
static bool all_named(struct deploy_rig *rig, uint64_t seed)
{
    struct podsku_entries entries = {0};
    struct podsku_error err = {0};
    bool holds = true;

    if (podsku_journal_read(rig->journal, &entries, &err) != PODSKU_OK)
        return sweep_complain(seed, "the journal cannot be read", err.message);
    for (size_t i = 0; i < rig->fake->pod_count; i++) {
        const struct fake_pod *pod = &rig->fake->pods[i];
        if (pod->deleted_ms || pod->foreign)
            continue;
        const struct podsku_entry *entry = podsku_entries_by_intent(&entries, sweep_mark(pod, "PODSKU_INTENT"));
        bool told = strstr(podsku_buf_text(&rig->output), sweep_thing(pod)) != NULL;
        bool journaled = entry && entry->state != PODSKU_ENTRY_NOT_MADE && entry->state != PODSKU_ENTRY_GONE;
        if (!told && !journaled)
            holds = sweep_complain(seed, "a live pod that nobody knows of", pod->id);
        if (entry && entry->state == PODSKU_ENTRY_GONE)
            holds = sweep_complain(seed, "the journal says gone, and it lives", pod->id);
    }
    podsku_entries_free(&entries);
    return holds;
}

static bool sent_once(const struct fake *fake, uint64_t seed)
{
    bool holds = true;

    for (size_t i = 0; i < fake->create_count; i++)
        if (fake->creates[i].count != 1)
            holds = sweep_complain(seed, "a create was sent twice for one intent", fake->creates[i].intent);
    return holds;
}

/* The one id in the output is that of a live pod. */
static bool output_lives(const struct deploy_rig *rig)
{
    for (size_t i = 0; i < rig->fake->pod_count; i++) {
        const struct fake_pod *pod = &rig->fake->pods[i];
        size_t len = strlen(sweep_thing(pod));
        if (!pod->deleted_ms && !pod->foreign && rig->output.len == len + 1 &&
            strncmp(rig->output.data, sweep_thing(pod), len) == 0)
            return true;
    }
    return false;
}

static bool code_fits(const struct deploy_rig *rig, uint64_t seed)
{
    const struct podsku_deploy_result *result = &rig->result;
    const struct fake_pod *first;
    size_t live = live_things(rig->fake, &first);
    char text[128];

    (void)snprintf(text, sizeof text, "%s with %zu live, %zu open", podsku_code_name(result->code), live,
                   result->open_count);
    if (result->code == PODSKU_OK && !result->has_placed)
        return sweep_complain(seed, "success without a pod", text);
    if (result->code == PODSKU_OK && !output_lives(rig))
        return sweep_complain(seed, "what was handed over does not live", text);
    /* A pod may outlive a code that says settled only if it was handed over; a late one only with an open entry. */
    if (live > 1 && result->open_count == 0)
        return sweep_complain(seed, "more than one live pod, and nothing open", text);
    if (live > 0 && !result->has_placed && result->code != PODSKU_UNSETTLED)
        return sweep_complain(seed, "a live pod, and the exit code does not say so", text);
    if (result->code == PODSKU_UNSETTLED && result->open_count == 0)
        return sweep_complain(seed, "unsettled, and nothing is named", text);
    if (result->code != PODSKU_OK && (rig->err.code != result->code || !rig->err.message[0]))
        return sweep_complain(seed, "a failure without its words", text);
    return true;
}

bool sweep_check_account(struct deploy_rig *rig, uint64_t seed)
{
    bool holds = all_named(rig, seed);

    holds = sent_once(rig->fake, seed) && holds;
    if (fake_alive_foreign(rig->fake) != SWEEP_FOREIGN)
        holds = sweep_complain(seed, "a foreign pod was touched", NULL);
    return holds;
}

bool sweep_check_deploy(struct deploy_rig *rig, uint64_t seed)
{
    bool holds = code_fits(rig, seed);

    return sweep_check_account(rig, seed) && holds;
}

/* Reconcile named it as unsettled, for the reason that allows it to live. */
static bool is_reported(const struct podsku_reconcile_result *report, const char *id)
{
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->list[i].id, id) == 0 && report->list[i].unsettled &&
            strstr(report->list[i].why, "GPU type is not the journal's"))
            return true;
    return false;
}

bool sweep_check_reconciled(struct deploy_rig *rig, uint64_t seed, bool handed_over, enum podsku_code code,
                            const struct podsku_reconcile_result *report)
{
    bool holds = all_named(rig, seed);
    bool kept = false, named = false;

    holds = sent_once(rig->fake, seed) && holds;
    for (size_t i = 0; i < rig->fake->pod_count; i++) {
        const struct fake_pod *pod = &rig->fake->pods[i];
        if (pod->deleted_ms || pod->foreign)
            continue;
        bool told = strstr(podsku_buf_text(&rig->output), sweep_thing(pod)) != NULL;
        kept = kept || told;
        if (is_reported(report, sweep_thing(pod)))
            named = true;
        else if (!told)
            holds = sweep_complain(seed, "reconcile left a pod", pod->id);
    }
    if (handed_over && !kept)
        holds = sweep_complain(seed, "reconcile ended what was handed over", NULL);
    if (code != (named ? PODSKU_UNSETTLED : PODSKU_OK))
        holds = sweep_complain(seed, "reconcile's code does not fit", rig->err.message);
    if (fake_alive_foreign(rig->fake) != SWEEP_FOREIGN)
        holds = sweep_complain(seed, "reconcile touched a foreign pod", NULL);
    return holds;
}
