/* The result of a reconcile: its words, its JSON, its end. */
#include <stdlib.h>

#include "base/json.h"
#include "client/reconcile.h"

static const char *const state_names[] = {
    [PODSKU_RECONCILE_KNOWN] = "known",     [PODSKU_RECONCILE_TERMINATED] = "terminated",
    [PODSKU_RECONCILE_EXPIRED] = "expired", [PODSKU_RECONCILE_AMBIGUOUS] = "ambiguous",
    [PODSKU_RECONCILE_SKIPPED] = "skipped",
};
_Static_assert(sizeof state_names / sizeof *state_names == PODSKU_RECONCILE_SKIPPED + 1, "every state has a name");

const char *podsku_reconcile_state_name(enum podsku_reconcile_state state)
{
    return state_names[state];
}

void podsku_reconcile_result_free(struct podsku_reconcile_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->count; i++) {
        free(result->list[i].id);
        free(result->list[i].launch_id);
        free(result->list[i].why);
    }
    free(result->list);
    for (size_t i = 0; i < result->entry_count; i++) {
        free(result->entries[i].launch_id);
        free(result->entries[i].pod_id);
        free(result->entries[i].why);
    }
    free(result->entries);
    *result = (struct podsku_reconcile_result){0};
}

static json_t *pod_json(const struct podsku_reconcile_pod *pod)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "id", podsku_json_text(pod->id)) &&
                 podsku_json_set(object, "kind", json_string(pod->cluster ? "cluster" : "pod")) &&
                 podsku_json_set(object, "launch_id", podsku_json_text(pod->launch_id)) &&
                 podsku_json_set(object, "attempt", pod->attempt ? json_integer(pod->attempt) : json_null()) &&
                 podsku_json_set(object, "state", json_string(state_names[pod->state])) &&
                 podsku_json_set(object, "why", podsku_json_text(pod->why));
    return podsku_json_whole(object, whole);
}

static json_t *entry_json(const struct podsku_reconcile_entry *entry)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "launch_id", podsku_json_text(entry->launch_id)) &&
                 podsku_json_set(object, "attempt", entry->attempt ? json_integer(entry->attempt) : json_null()) &&
                 podsku_json_set(object, "pod", podsku_json_text(entry->pod_id)) &&
                 podsku_json_set(object, "why", podsku_json_text(entry->why));
    return podsku_json_whole(object, whole);
}

json_t *podsku_reconcile_json(const struct podsku_reconcile_result *result)
{
    json_t *root = json_object();
    json_t *pods = json_array();
    json_t *entries = json_array();
    bool made = pods != NULL && entries != NULL;

    for (size_t i = 0; made && i < result->count; i++)
        made = json_array_append_new(pods, pod_json(&result->list[i])) == 0;
    for (size_t i = 0; made && i < result->entry_count; i++)
        made = json_array_append_new(entries, entry_json(&result->entries[i])) == 0;
    made = made && podsku_json_set(root, "schema", json_string("podsku.reconcile/1")) &&
           podsku_json_set(root, "open", json_integer((json_int_t)result->open)) &&
           podsku_json_set(root, "pods", json_incref(pods)) && podsku_json_set(root, "entries", json_incref(entries));
    json_decref(pods);
    json_decref(entries);
    return podsku_json_whole(root, made);
}
