/* The account's pods and clusters as things that carry our marks, and what is to become of each. */
#include <stdlib.h>
#include <string.h>

#include "client/reconcile_private.h"

static void thing_clear(struct podsku_thing *thing)
{
    free(thing->id);
    free(thing->name);
    free(thing->gpu_id);
    free(thing->marks.launch_id);
    free(thing->marks.intent);
    *thing = (struct podsku_thing){0};
}

void podsku_things_free(struct podsku_things *things)
{
    for (size_t i = 0; i < things->count; i++)
        thing_clear(&things->list[i]);
    free(things->list);
    *things = (struct podsku_things){0};
}

const struct podsku_thing *podsku_thing_by_id(const struct podsku_things *things, const char *id)
{
    for (size_t i = 0; id && i < things->count; i++)
        if (strcmp(things->list[i].id, id) == 0)
            return &things->list[i];
    return NULL;
}

const struct podsku_thing *podsku_thing_by_intent(const struct podsku_things *things, const char *intent)
{
    const struct podsku_thing *found = NULL;

    for (size_t i = 0; i < things->count; i++) {
        const struct podsku_thing *thing = &things->list[i];
        if (thing->marks.intent && strcmp(thing->marks.intent, intent) == 0 && (!found || thing->live))
            found = thing;
    }
    return found;
}

bool podsku_thing_has_twin(const struct podsku_things *things, const struct podsku_thing *thing)
{
    for (size_t i = 0; thing->marks.intent && i < things->count; i++) {
        const struct podsku_thing *other = &things->list[i];
        if (other != thing && other->live && other->marks.intent &&
            strcmp(other->marks.intent, thing->marks.intent) == 0)
            return true;
    }
    return false;
}

/* NULL: out of memory. The new thing is zeroed and counted. */
static struct podsku_thing *add(struct podsku_things *things)
{
    struct podsku_thing *list = realloc(things->list, (things->count + 1) * sizeof *list);

    if (!list)
        return NULL;
    things->list = list;
    list[things->count] = (struct podsku_thing){0};
    return &list[things->count++];
}

static struct podsku_thing *find(struct podsku_things *things, const char *id)
{
    for (size_t i = 0; i < things->count; i++)
        if (strcmp(things->list[i].id, id) == 0)
            return &things->list[i];
    return NULL;
}

static void move_text(char **to, char **from)
{
    *to = *from;
    *from = NULL;
}

bool podsku_things_of_pods(struct podsku_pods *pods, struct podsku_things *things)
{
    for (size_t i = 0; i < pods->count; i++) {
        struct podsku_pod *pod = &pods->list[i];
        bool live = pod->status != PODSKU_POD_TERMINATED;
        if (!pod->marks.launch_id)
            continue;
        struct podsku_thing *thing = find(things, pod->cluster_id ? pod->cluster_id : pod->id);
        if (thing) { /* another member, or a list that shows a pod twice */
            thing->live = thing->live || live;
            continue;
        }
        thing = add(things);
        if (!thing)
            return false;
        thing->cluster = pod->cluster_id != NULL;
        thing->live = live;
        thing->created_ms = pod->created_ms;
        thing->marks.attempt = pod->marks.attempt;
        thing->marks.expires_s = pod->marks.expires_s;
        move_text(&thing->marks.launch_id, &pod->marks.launch_id);
        move_text(&thing->marks.intent, &pod->marks.intent);
        move_text(&thing->gpu_id, &pod->gpu_id);
        if (!thing->cluster)
            move_text(&thing->name, &pod->name); /* members have names of their own */
        move_text(&thing->id, thing->cluster ? &pod->cluster_id : &pod->id);
    }
    return true;
}

bool podsku_things_hidden(const struct podsku_pods *pods, struct podsku_things *hidden)
{
    for (size_t i = 0; i < pods->count; i++) {
        const struct podsku_pod *pod = &pods->list[i];
        if ((pod->marks_known && !pod->env_empty) || pod->status == PODSKU_POD_TERMINATED || pod->cluster_id ||
            !pod->name || find(hidden, pod->id))
            continue;
        struct podsku_thing *thing = add(hidden);
        if (!thing)
            return false;
        thing->live = true;
        thing->env_empty = pod->marks_known;
        thing->created_ms = pod->created_ms;
        thing->id = strdup(pod->id);
        thing->name = strdup(pod->name);
        thing->gpu_id = pod->gpu_id ? strdup(pod->gpu_id) : NULL;
        if (!thing->id || !thing->name || (pod->gpu_id && !thing->gpu_id)) {
            thing_clear(thing);
            hidden->count--;
            return false;
        }
    }
    return true;
}

bool podsku_thing_is_named_after(const struct podsku_thing *thing, const char *launch_id)
{
    static const char prefix[] = "podsku-";

    return thing->name && strncmp(thing->name, prefix, sizeof prefix - 1) == 0 &&
           strcmp(thing->name + sizeof prefix - 1, launch_id) == 0;
}

bool podsku_thing_may_be(const struct podsku_thing *hidden, const struct podsku_entry *entry)
{
    bool by_default = podsku_thing_is_named_after(hidden, entry->launch_id);
    bool named = by_default || (entry->name && strcmp(entry->name, hidden->name) == 0);
    bool right_gpu = !hidden->gpu_id || entry->gpu_id_count == 0;

    for (size_t i = 0; hidden->gpu_id && i < entry->gpu_id_count; i++)
        right_gpu = right_gpu || strcmp(entry->gpu_ids[i], hidden->gpu_id) == 0;
    /* We never send an empty env: under our own name it is one that is kept back. */
    return !entry->cluster && named && right_gpu && (by_default || !hidden->env_empty) &&
           !(hidden->created_ms && hidden->created_ms < entry->at_ms - PODSKU_RECONCILE_EARLY_MS);
}

static const struct podsku_entry *entry_named(const struct podsku_entries *entries, const char *name)
{
    for (size_t i = 0; name && i < entries->count; i++)
        if (entries->list[i].cluster && entries->list[i].name && strcmp(entries->list[i].name, name) == 0 &&
            entries->list[i].state != PODSKU_ENTRY_GONE && entries->list[i].state != PODSKU_ENTRY_NOT_MADE)
            return &entries->list[i];
    return NULL;
}

/* A cluster nobody's members are seen of. Its name is all it has: the whole name must be ours. */
static bool add_by_name(const struct podsku_cluster *cluster, const struct podsku_entries *entries,
                        const char *launch_id, struct podsku_things *things)
{
    static const char prefix[] = "podsku-";
    const struct podsku_entry *entry = entry_named(entries, cluster->name);
    const char *launch = entry ? entry->launch_id : NULL;

    if (!launch && launch_id && cluster->name && strncmp(cluster->name, prefix, sizeof prefix - 1) == 0 &&
        strcmp(cluster->name + sizeof prefix - 1, launch_id) == 0)
        launch = launch_id;
    if (!launch)
        return true;
    struct podsku_thing *thing = add(things);
    if (!thing)
        return false;
    thing->cluster = thing->live = thing->by_name = true;
    thing->created_ms = cluster->created_ms;
    thing->marks.attempt = entry ? entry->attempt : 0;
    thing->id = strdup(cluster->id);
    thing->name = strdup(cluster->name);
    thing->gpu_id = cluster->gpu_id ? strdup(cluster->gpu_id) : NULL;
    thing->marks.launch_id = strdup(launch);
    if (thing->id && thing->name && thing->marks.launch_id && (!cluster->gpu_id || thing->gpu_id))
        return true;
    thing_clear(thing);
    things->count--;
    return false;
}

bool podsku_things_of_clusters(const struct podsku_clusters *clusters, const struct podsku_entries *entries,
                               const char *launch_id, struct podsku_things *things)
{
    for (size_t i = 0; i < clusters->count; i++) {
        const struct podsku_cluster *cluster = &clusters->list[i];
        struct podsku_thing *thing = find(things, cluster->id);
        if (!thing) {
            if (!add_by_name(cluster, entries, launch_id, things))
                return false;
            continue;
        }
        free(thing->name);
        thing->name = cluster->name ? strdup(cluster->name) : NULL;
        thing->created_ms = thing->created_ms ? thing->created_ms : cluster->created_ms;
        if (cluster->name && !thing->name)
            return false;
    }
    return true;
}

/* As it was asked for, or as this very pod said when it was made (not always what was asked for). */
static bool names_gpu(const struct podsku_entry *entry, const struct podsku_thing *thing)
{
    const char *gpu_id = thing->gpu_id;

    if (gpu_id && entry->made_gpu_id && entry->pod_id && strcmp(entry->pod_id, thing->id) == 0 &&
        strcmp(entry->made_gpu_id, gpu_id) == 0)
        return true;
    for (size_t i = 0; gpu_id && i < entry->gpu_id_count; i++)
        if (strcmp(entry->gpu_ids[i], gpu_id) == 0)
            return true;
    return false;
}

/* Why a pod with an open entry's intent is not the one that was created for it; NULL: it is. */
static const char *unlike(const struct podsku_entry *entry, const struct podsku_thing *thing)
{
    if (strcmp(entry->launch_id, thing->marks.launch_id) != 0)
        return "its launch is not the journal's";
    if (!thing->marks.intent || strcmp(entry->intent, thing->marks.intent) != 0)
        return thing->by_name ? "its members are not listed: only its name is ours" : "its intent is not the journal's";
    /* A cluster's name comes from another list, which may lag behind. */
    if (entry->name && (thing->name || !thing->cluster) && (!thing->name || strcmp(entry->name, thing->name) != 0))
        return "its name is not the journal's";
    if (!names_gpu(entry, thing))
        return "its GPU type is not the journal's";
    /* REST v1 does not say when a pod was created. */
    if (thing->created_ms && thing->created_ms < entry->at_ms - PODSKU_RECONCILE_EARLY_MS)
        return "it is older than its intent";
    return NULL;
}

static struct podsku_reconcile_verdict endable(const struct podsku_reconcile_case *c, bool expired, bool unsettled,
                                               const char *why)
{
    return (struct podsku_reconcile_verdict){
        .state = expired ? PODSKU_RECONCILE_EXPIRED : PODSKU_RECONCILE_KNOWN,
        .end = c->options->terminate,
        .endable = true,
        .unsettled = unsettled,
        .why = why,
    };
}

static struct podsku_reconcile_verdict untouched(enum podsku_reconcile_state state, bool unsettled, const char *why)
{
    return (struct podsku_reconcile_verdict){.state = state, .unsettled = unsettled, .why = why};
}

struct podsku_reconcile_verdict podsku_reconcile_decide(const struct podsku_reconcile_case *c)
{
    const struct podsku_thing *thing = c->thing;
    bool by_launch = c->options->launch_id != NULL;
    bool expired = c->options->expired && thing->marks.expires_s > 0 && thing->marks.expires_s * 1000 <= c->now_ms;
    bool unfinished = c->entry && podsku_entry_unfinished(c->entry);
    const char *difference = unfinished ? unlike(c->entry, thing) : NULL;

    if (c->running)
        return untouched(PODSKU_RECONCILE_SKIPPED, by_launch, "another podsku is settling or deploying this launch");
    if (c->twin)
        return untouched(PODSKU_RECONCILE_AMBIGUOUS, true, "two carry the mark of one create: neither is touched");
    if (unfinished && !difference)
        return endable(c, expired, true, "its entry in the journal is open");
    if (by_launch)
        return endable(c, expired, !c->entry || unfinished, "its launch is over (--launch-id)");
    if (expired)
        return endable(c, true, unfinished, "its own mark says that its time is over");
    if (unfinished)
        return untouched(PODSKU_RECONCILE_KNOWN, true, difference);
    if (c->entry)
        return untouched(PODSKU_RECONCILE_KNOWN, false, "it was handed over; --launch-id or its own expiry ends it");
    if (!c->launch_known && c->now_ms - thing->created_ms < PODSKU_RECONCILE_YOUNG_MS && thing->created_ms)
        return untouched(PODSKU_RECONCILE_SKIPPED, false,
                         "no journal here knows its launch, and its deploy may still run");
    return untouched(PODSKU_RECONCILE_KNOWN, false, "no journal here knows it; --launch-id or its own expiry ends it");
}
