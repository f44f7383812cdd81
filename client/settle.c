/*
 * Settling: whether an intent whose reply was lost has a pod. A list counts only when it was read
 * whole; a pod is ours when it carries this launch id and this intent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/deploy_private.h"
#include "client/reconcile.h"

#define FIRST_PAUSE_MS 100
#define SHORT_PAUSE_MS 500 /* the longest within the first ten seconds */
#define LONG_PAUSE_MS 2000 /* afterwards */
#define SHORT_PHASE_MS 10000
#define AGAIN_TRIES 3 /* of one more list before a create or at the end */
/*
 * A look has at least this long, however little the settle timeout leaves: one that has no time says nothing, and
 * whole lists can take seconds. Beyond that the timeout ends it, also against a service that hangs.
 */
#define LEAST_LOOK_MS 5000

static void pending_clear(struct podsku_pending *pending)
{
    free(pending->intent);
    free(pending->pod_id);
    free(pending->name);
}

static bool copy_text(char **slot, const char *text)
{
    *slot = text ? strdup(text) : NULL;
    return *slot || !text;
}

static bool add_copy(struct podsku_pending **list, size_t *count, const struct podsku_pending *pending)
{
    struct podsku_pending *longer = realloc(*list, (*count + 1) * sizeof *longer);
    struct podsku_pending copy = *pending;

    if (!longer)
        return false;
    *list = longer;
    bool fits = copy_text(&copy.intent, pending->intent);
    fits = copy_text(&copy.pod_id, pending->pod_id) && fits;
    fits = copy_text(&copy.name, pending->name) && fits;
    if (!fits) {
        pending_clear(&copy);
        return false;
    }
    longer[(*count)++] = copy;
    return true;
}

bool podsku_session_pend(struct podsku_session *s, const struct podsku_pending *pending)
{
    return add_copy(&s->pending, &s->pending_count, pending);
}

bool podsku_session_keep(struct podsku_session *s, const struct podsku_pending *kept)
{
    return add_copy(&s->kept, &s->kept_count, kept);
}

void podsku_session_unpend(struct podsku_session *s, const char *intent)
{
    for (size_t i = 0; i < s->pending_count; i++)
        if (strcmp(s->pending[i].intent, intent) == 0) {
            pending_clear(&s->pending[i]);
            memmove(&s->pending[i], &s->pending[i + 1], (s->pending_count - i - 1) * sizeof *s->pending);
            s->pending_count--;
            return;
        }
}

void podsku_pending_free(struct podsku_session *s)
{
    for (size_t i = 0; i < s->pending_count; i++)
        pending_clear(&s->pending[i]);
    for (size_t i = 0; i < s->kept_count; i++)
        pending_clear(&s->kept[i]);
    free(s->pending);
    free(s->kept);
    s->pending = s->kept = NULL;
    s->pending_count = s->kept_count = 0;
}

static struct podsku_pending *pending_of(const struct podsku_session *s, const char *intent)
{
    for (size_t i = 0; i < s->pending_count; i++)
        if (strcmp(s->pending[i].intent, intent) == 0)
            return &s->pending[i];
    return NULL;
}

static bool carries(const struct podsku_session *s, const struct podsku_pod *pod, const char *intent)
{
    return pod->marks.launch_id && strcmp(pod->marks.launch_id, s->options.launch_id) == 0 && pod->marks.intent &&
           strcmp(pod->marks.intent, intent) == 0;
}

/* One thing is a pod by itself, or a cluster with all its members. */
static bool same_thing(const struct podsku_pod *a, const struct podsku_pod *b)
{
    if (a->cluster_id && b->cluster_id)
        return strcmp(a->cluster_id, b->cluster_id) == 0;
    return strcmp(a->id, b->id) == 0;
}

const char *podsku_thing_of_pod(const struct podsku_pod *pod)
{
    return pod->cluster_id ? pod->cluster_id : pod->id;
}

static void say_two(struct podsku_session *s, const struct podsku_pod *a, const struct podsku_pod *b)
{
    podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                         "%s and %s both carry the mark of one create (attempt %d): neither is touched",
                         podsku_thing_of_pod(b), podsku_thing_of_pod(a), a->marks.attempt);
}

/*
 * The pod of this intent in a list: alive if there is one that is, else one that is TERMINATED (it was
 * made, and has ended). A list may show a pod twice (pages that shifted); two different ones alive are
 * ambiguous.
 */
static enum podsku_found pick(struct podsku_session *s, const struct podsku_pods *pods, const char *intent,
                              size_t *place)
{
    bool found = false;

    for (size_t i = 0; i < pods->count; i++) {
        const struct podsku_pod *pod = &pods->list[i];
        if (!carries(s, pod, intent) || podsku_session_is_closed(s, podsku_thing_of_pod(pod)))
            continue;
        bool alive = pod->status != PODSKU_POD_TERMINATED;
        if (found && pods->list[*place].status != PODSKU_POD_TERMINATED) {
            if (alive && !same_thing(pod, &pods->list[*place])) {
                say_two(s, pod, &pods->list[*place]);
                return PODSKU_FOUND_AMBIGUOUS;
            }
            continue;
        }
        if (!found || alive)
            *place = i;
        found = true;
    }
    return found ? PODSKU_FOUND_ONE : PODSKU_FOUND_NONE;
}

/* ------------------------------------------------------------------ pods whose marks cannot be read */

bool podsku_session_knows(const struct podsku_session *s, const char *id)
{
    for (size_t i = 0; i < s->result->attempt_count; i++)
        if (s->result->attempts[i].pod_id && strcmp(s->result->attempts[i].pod_id, id) == 0)
            return true;
    for (size_t i = 0; i < s->pending_count; i++)
        if (s->pending[i].pod_id && strcmp(s->pending[i].pod_id, id) == 0)
            return true;
    for (size_t i = 0; i < s->kept_count; i++)
        if (strcmp(s->kept[i].pod_id, id) == 0)
            return true;
    return podsku_session_is_closed(s, id);
}

/* "podsku-LAUNCH", which nobody else would take. */
static bool is_default_name(const struct podsku_session *s, const char *name)
{
    static const char prefix[] = "podsku-";

    return strncmp(name, prefix, sizeof prefix - 1) == 0 && strcmp(name + sizeof prefix - 1, s->options.launch_id) == 0;
}

/* A member has a name of its own: what counts is its cluster's. One that cannot be read may be any. */
static bool cluster_is_named(const struct podsku_session *s, const struct podsku_pod *pod, const char *name)
{
    struct podsku_error failure = {0};
    struct podsku_cluster cluster = {0};
    enum podsku_code code = podsku_api_get_cluster(s->client, pod->cluster_id, &cluster, &failure);
    bool named = code != PODSKU_NOT_FOUND &&
                 (!cluster.name || is_default_name(s, cluster.name) || (name && strcmp(cluster.name, name) == 0));

    podsku_cluster_clear(&cluster);
    return named;
}

bool podsku_session_is_hidden(const struct podsku_session *s, const struct podsku_pod *pod, const char *name)
{
    bool by_default = pod->name && is_default_name(s, pod->name);
    bool named = by_default || (name && pod->name && strcmp(pod->name, name) == 0);

    /* We never send an empty env: under our own name it is one that is kept back. */
    if ((pod->marks_known && !(by_default && pod->env_empty)) || pod->status == PODSKU_POD_TERMINATED ||
        podsku_session_knows(s, podsku_thing_of_pod(pod)))
        return false;
    return named || (pod->cluster_id && cluster_is_named(s, pod, name));
}

void podsku_session_say_hidden(struct podsku_session *s)
{
    if (strcmp(s->hidden, s->hidden_said) == 0)
        return;
    memcpy(s->hidden_said, s->hidden, sizeof s->hidden_said);
    podsku_session_event(
        s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
        "%s may be a pod of launch %s: it has its name, and the service does not show the marks in its "
        "env; it is not touched, and nothing more is created",
        s->hidden, s->options.launch_id);
}

static bool names_gpu(const struct podsku_pending *pending, const char *gpu_id)
{
    for (size_t i = 0; i < pending->entry_count; i++)
        if (strcmp(pending->entries[i].gpu_id, gpu_id) == 0)
            return true;
    return false;
}

/* Whether some pod of the list may be this entry's and does not say so: then the list proves no absence. */
static bool find_hidden(struct podsku_session *s, const struct podsku_pods *pods, const struct podsku_pending *pending)
{
    for (size_t i = 0; i < pods->count; i++) {
        const struct podsku_pod *pod = &pods->list[i];
        if ((pod->cluster_id != NULL) != pending->cluster ||
            (pod->created_ms && pending->at_wall_ms &&
             pod->created_ms < pending->at_wall_ms - PODSKU_RECONCILE_EARLY_MS) ||
            (pod->gpu_id && pending->entries && !names_gpu(pending, pod->gpu_id)) ||
            !podsku_session_is_hidden(s, pod, pending->name))
            continue;
        (void)snprintf(s->hidden, sizeof s->hidden, "%s", podsku_thing_of_pod(pod));
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ looking */

/* Moves a pod out of a list. */
static void take_pod(struct podsku_pods *pods, size_t place, struct podsku_pod *pod)
{
    *pod = pods->list[place];
    pods->list[place] = (struct podsku_pod){0};
    memmove(&pods->list[place], &pods->list[place + 1], (pods->count - place - 1) * sizeof *pods->list);
    pods->count--;
}

/* Moves all members of a cluster out of a list. False: out of memory. */
static bool take_members(struct podsku_pods *pods, const char *cluster_id, struct podsku_placed *placed)
{
    placed->cluster.id = strdup(cluster_id);
    placed->members.list = calloc(pods->count, sizeof *placed->members.list);
    if (!placed->cluster.id || !placed->members.list)
        return false;
    for (size_t i = 0; i < pods->count;)
        if (pods->list[i].cluster_id && strcmp(pods->list[i].cluster_id, placed->cluster.id) == 0)
            take_pod(pods, i, &placed->members.list[placed->members.count++]);
        else
            i++;
    return true;
}

/* Makes *placed of what the list shows. False: out of memory. */
static bool take(struct podsku_session *s, const struct podsku_pending *pending, struct podsku_pods *pods, size_t place,
                 struct podsku_placed *placed)
{
    struct podsku_error ignored = {0};

    *placed = (struct podsku_placed){.created_mono_ms = pending->sent_mono_ms};
    if (pods->list[place].cluster_id) {
        char *cluster_id = strdup(pods->list[place].cluster_id);
        bool taken = cluster_id && take_members(pods, cluster_id, placed);
        struct podsku_cluster cluster = {0};
        /* Its shape; when it cannot be read now, the re-reads of what is unknown come back to it. */
        if (taken && podsku_api_get_cluster(s->client, cluster_id, &cluster, &ignored) == PODSKU_OK) {
            podsku_cluster_clear(&placed->cluster);
            placed->cluster = cluster;
        }
        free(cluster_id);
        if (!taken) {
            podsku_placed_clear(placed);
            return false;
        }
        placed->expires_s = placed->members.count ? placed->members.list[0].marks.expires_s : 0;
    } else {
        take_pod(pods, place, &placed->pod);
        placed->expires_s = placed->pod.marks.expires_s;
    }
    placed->entry = podsku_judge_entry(pending->entries, pending->entry_count, placed);
    podsku_placed_price(placed);
    return true;
}

bool podsku_session_any_cluster(const struct podsku_session *s)
{
    for (size_t i = 0; i < s->pending_count; i++)
        if (s->pending[i].cluster)
            return true;
    for (size_t i = 0; i < s->kept_count; i++)
        if (s->kept[i].cluster)
            return true;
    return false;
}

/* One whole list, with the members of clusters. *hidden: a cluster of ours does not show whose it is. */
static enum podsku_code read_list(struct podsku_session *s, struct podsku_pods *pods, bool *hidden,
                                  struct podsku_error *failure)
{
    bool clusters = podsku_session_any_cluster(s);

    *failure = (struct podsku_error){0};
    *hidden = false;
    enum podsku_code code = podsku_api_list_pods(s->client, s->options.spec.api, clusters, pods, failure);
    if (code == PODSKU_OK && clusters) {
        code = podsku_session_add_members(s, pods, hidden, failure);
        if (code != PODSKU_OK)
            podsku_pods_free(pods);
    }
    return code;
}

/* Whether the list leaves it open if this intent (NULL: any that is pending) has a pod. */
static bool leaves_open(struct podsku_session *s, const struct podsku_pods *pods, const char *wanted,
                        bool hidden_cluster)
{
    for (size_t i = 0; i < s->pending_count; i++) {
        const struct podsku_pending *pending = &s->pending[i];
        if (!pending->foreign && (!wanted || strcmp(pending->intent, wanted) == 0) &&
            ((pending->cluster && hidden_cluster) || find_hidden(s, pods, pending)))
            return true;
    }
    return false;
}

/* Looks once for one intent; NULL: for any that is pending, and *intent says whose was found. */
static enum podsku_found look(struct podsku_session *s, const char *wanted, const char **intent,
                              struct podsku_placed *placed, struct podsku_error *failure)
{
    struct podsku_pods pods = {0};
    enum podsku_found found = PODSKU_FOUND_NONE;
    size_t place = 0;
    bool hidden_cluster;

    s->hidden[0] = '\0';
    if (read_list(s, &pods, &hidden_cluster, failure) != PODSKU_OK)
        return PODSKU_FOUND_UNREADABLE;
    for (size_t i = 0; i < s->pending_count && found == PODSKU_FOUND_NONE; i++) {
        struct podsku_pending *pending = &s->pending[i];
        if (pending->foreign || (wanted && strcmp(pending->intent, wanted) != 0))
            continue;
        found = pick(s, &pods, pending->intent, &place);
        if (found == PODSKU_FOUND_ONE && !take(s, pending, &pods, place, placed)) {
            (void)podsku_error_no_memory(failure);
            found = PODSKU_FOUND_UNREADABLE;
        }
        *intent = pending->intent;
    }
    if (found == PODSKU_FOUND_NONE && leaves_open(s, &pods, wanted, hidden_cluster))
        found = PODSKU_FOUND_HIDDEN;
    if (found != PODSKU_FOUND_HIDDEN)
        s->hidden[0] = '\0';
    podsku_pods_free(&pods);
    return found;
}

/* A list that hides whose a pod is counts as one that could not be read. */
static void conclude_look(struct podsku_session *s, enum podsku_found found, const struct podsku_error *failure)
{
    s->unreadable = found == PODSKU_FOUND_UNREADABLE || found == PODSKU_FOUND_HIDDEN;
    if (found == PODSKU_FOUND_HIDDEN)
        podsku_session_say_hidden(s);
    if (found == PODSKU_FOUND_UNREADABLE)
        podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                             "the list of pods could not be read (%s): it is not known whether a pod exists",
                             failure->message);
}

static int64_t next_pause(int64_t pause, int64_t elapsed)
{
    if (elapsed >= SHORT_PHASE_MS)
        return LONG_PAUSE_MS;
    return pause * 2 < SHORT_PAUSE_MS ? pause * 2 : SHORT_PAUSE_MS;
}

enum podsku_step podsku_session_stop_found(struct podsku_session *s, enum podsku_found found, const char *what)
{
    switch (found) {
    case PODSKU_FOUND_ONE:
    case PODSKU_FOUND_NONE: return PODSKU_STEP_NEXT;
    case PODSKU_FOUND_AMBIGUOUS:
        s->hands_off = true;
        return podsku_session_stop(s, PODSKU_UNSETTLED, PODSKU_DEPLOY_UNSETTLED,
                                   "two pods carry the mark of one create");
    case PODSKU_FOUND_HIDDEN:
        s->stopped_blind = true;
        return podsku_session_stop(s, PODSKU_UNSETTLED, PODSKU_DEPLOY_UNSETTLED,
                                   "%s may be the pod of %s, and its marks cannot be read", s->hidden, what);
    case PODSKU_FOUND_HURRIED:
        return podsku_session_stop(s, PODSKU_INTERRUPTED, PODSKU_DEPLOY_INTERRUPTED, "interrupted");
    case PODSKU_FOUND_UNREADABLE: break;
    }
    s->stopped_blind = true;
    return podsku_session_stop(s, PODSKU_UNSETTLED, PODSKU_DEPLOY_UNSETTLED,
                               "%s may have a pod, and the list of pods could not be read", what);
}

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What settling remembers from look to look. */
struct search {
    const char *intent;
    int64_t start_ms, deadline_ms;
    int64_t least_ms; /* no look ends before, for want of time */
    int64_t pause_ms;
    struct podsku_error failure;
};

/* One look, and the pause after it. True: the search is over, with *found. */
static bool search_once(struct podsku_session *s, struct search *search, size_t index, enum podsku_found *found,
                        struct podsku_placed *placed)
{
    const char *whose = NULL;
    int64_t now = podsku_session_now(s);
    bool last = now >= search->deadline_ms;

    if (last)
        search->least_ms = later_of(search->least_ms, now + LEAST_LOOK_MS);
    int64_t until = later_of(search->deadline_ms, search->least_ms);
    podsku_session_progress(s, PODSKU_EVENT_SETTLING, index, NULL, NULL, now - search->start_ms,
                            last ? 0 : search->deadline_ms - now);
    (void)podsku_client_until(s->client, until);
    *found = look(s, search->intent, &whose, placed, &search->failure);
    if (*found == PODSKU_FOUND_ONE || *found == PODSKU_FOUND_AMBIGUOUS)
        return true;
    bool unreadable = *found == PODSKU_FOUND_UNREADABLE;
    bool interrupted = unreadable && search->failure.code == PODSKU_INTERRUPTED;
    /* A first signal ended the read, and must not end the search. */
    if (interrupted && !podsku_session_hurried(s))
        return false;
    now = podsku_session_now(s);
    /* A look that used up all the time that there was is the last one, too. */
    if (!interrupted && (last || (unreadable && (now >= until || podsku_error_is_final(search->failure.code)))))
        return true;
    if (podsku_session_hurried(s)) {
        *found = PODSKU_FOUND_HURRIED;
        return true;
    }
    if (now < search->deadline_ms)
        podsku_session_sleep(s, podsku_client_pause_ms(s->client, search->pause_ms, search->deadline_ms - now), true);
    search->pause_ms = next_pause(search->pause_ms, now - search->start_ms);
    return false;
}

enum podsku_found podsku_settle(struct podsku_session *s, const char *intent, int64_t since_ms,
                                struct podsku_placed *placed)
{
    const struct podsku_pending *pending = pending_of(s, intent);
    size_t index = pending ? pending->index : PODSKU_NO_ATTEMPT;
    int64_t start = podsku_session_now(s);
    struct search search = {
        .intent = intent,
        .start_ms = start,
        .deadline_ms = since_ms + s->options.settle_ms,
        .least_ms = start + LEAST_LOOK_MS,
        .pause_ms = FIRST_PAUSE_MS,
    };
    enum podsku_found found = PODSKU_FOUND_UNREADABLE;
    int64_t patience = podsku_client_patience(s->client, SHORT_PAUSE_MS);
    int64_t until = podsku_client_until(s->client, 0);

    while (!search_once(s, &search, index, &found, placed))
        ;
    (void)podsku_client_until(s->client, until);
    (void)podsku_client_patience(s->client, patience);
    conclude_look(s, found, &search.failure);
    return found;
}

enum podsku_found podsku_settle_again(struct podsku_session *s, const char **intent, struct podsku_placed *placed)
{
    struct podsku_error failure = {0};
    enum podsku_found found = PODSKU_FOUND_NONE;
    int64_t end, patience, until;

    s->unreadable = false;
    if (s->pending_count == 0)
        return found;
    if (podsku_session_hurried(s)) /* the entries stay open, unlooked for */
        return PODSKU_FOUND_HURRIED;
    patience = podsku_client_patience(s->client, s->options.settle_ms / AGAIN_TRIES + 1);
    end = podsku_session_now(s) + later_of(s->options.settle_ms, LEAST_LOOK_MS);
    until = podsku_client_until(s->client, end);
    for (int tries = 1; tries <= AGAIN_TRIES; tries++) {
        (void)podsku_client_until(s->client,
                                  podsku_session_now(s) + later_of(s->options.settle_ms / AGAIN_TRIES, LEAST_LOOK_MS));
        found = look(s, NULL, intent, placed, &failure);
        if (found != PODSKU_FOUND_UNREADABLE || podsku_error_is_final(failure.code) || podsku_session_hurried(s) ||
            podsku_session_now(s) >= end)
            break;
        if (tries < AGAIN_TRIES)
            podsku_session_sleep(
                s, podsku_client_pause_ms(s->client, SHORT_PAUSE_MS, s->options.settle_ms / AGAIN_TRIES + 1), true);
    }
    (void)podsku_client_until(s->client, until);
    (void)podsku_client_patience(s->client, patience);
    conclude_look(s, found, &failure);
    return found;
}
