/*
 * Settling: whether an intent whose reply was lost has a pod. A list counts only when it was read
 * whole; a pod is ours when it carries this launch id and this intent.
 */
#include <stdlib.h>
#include <string.h>

#include "client/deploy_private.h"

#define FIRST_PAUSE_MS 100
#define SHORT_PAUSE_MS 500 /* the longest within the first ten seconds */
#define LONG_PAUSE_MS 2000 /* afterwards */
#define SHORT_PHASE_MS 10000
#define AGAIN_TRIES 3 /* of one more list before a create or at the end */

bool podsku_session_pend(struct podsku_session *s, const struct podsku_pending *pending)
{
    struct podsku_pending *list = realloc(s->pending, (s->pending_count + 1) * sizeof *list);

    if (!list)
        return false;
    s->pending = list;
    list[s->pending_count] = *pending;
    list[s->pending_count].intent = strdup(pending->intent);
    list[s->pending_count].pod_id = pending->pod_id ? strdup(pending->pod_id) : NULL;
    if (!list[s->pending_count].intent || (pending->pod_id && !list[s->pending_count].pod_id)) {
        free(list[s->pending_count].intent);
        free(list[s->pending_count].pod_id);
        return false;
    }
    s->pending_count++;
    return true;
}

static void pending_clear(struct podsku_pending *pending)
{
    free(pending->intent);
    free(pending->pod_id);
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
    free(s->pending);
    s->pending = NULL;
    s->pending_count = 0;
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

static const char *thing_id(const struct podsku_pod *pod)
{
    return pod->cluster_id ? pod->cluster_id : pod->id;
}

static void say_two(struct podsku_session *s, const struct podsku_pod *a, const struct podsku_pod *b)
{
    podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                         "%s and %s both carry the mark of one create (attempt %d): neither is touched", thing_id(b),
                         thing_id(a), a->marks.attempt);
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
        if (!carries(s, pod, intent) || podsku_session_is_closed(s, thing_id(pod)))
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

static bool any_cluster(const struct podsku_session *s)
{
    for (size_t i = 0; i < s->pending_count; i++)
        if (s->pending[i].cluster)
            return true;
    return false;
}

/* One whole list. */
static enum podsku_code read_list(struct podsku_session *s, struct podsku_pods *pods, struct podsku_error *failure)
{
    *failure = (struct podsku_error){0};
    return podsku_api_list_pods(s->client, s->options.spec.api, any_cluster(s), pods, failure);
}

/* Looks once for one intent; NULL: for any that is pending, and *intent says whose was found. */
static enum podsku_found look(struct podsku_session *s, const char *wanted, const char **intent,
                              struct podsku_placed *placed, struct podsku_error *failure)
{
    struct podsku_pods pods = {0};
    enum podsku_found found = PODSKU_FOUND_NONE;
    size_t place = 0;

    if (read_list(s, &pods, failure) != PODSKU_OK)
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
    podsku_pods_free(&pods);
    return found;
}

static void say_unreadable(struct podsku_session *s, const struct podsku_error *failure)
{
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

enum podsku_found podsku_settle(struct podsku_session *s, const char *intent, int64_t since_ms,
                                struct podsku_placed *placed)
{
    const struct podsku_pending *pending = pending_of(s, intent);
    int64_t start = podsku_session_now(s);
    int64_t deadline = since_ms + s->options.settle_ms;
    int64_t pause = FIRST_PAUSE_MS;
    size_t index = pending ? pending->index : PODSKU_NO_ATTEMPT;
    struct podsku_error failure = {0};
    const char *whose = NULL;
    enum podsku_found found;
    int64_t patience = podsku_client_patience(s->client, SHORT_PAUSE_MS);

    while (true) {
        int64_t now = podsku_session_now(s);
        bool last = now >= deadline;
        podsku_session_progress(s, PODSKU_EVENT_SETTLING, index, NULL, NULL, now - start, last ? 0 : deadline - now);
        found = look(s, intent, &whose, placed, &failure);
        if (found == PODSKU_FOUND_ONE || found == PODSKU_FOUND_AMBIGUOUS)
            break;
        /* A first signal ended the read, and must not end the search. */
        if (found == PODSKU_FOUND_UNREADABLE && failure.code == PODSKU_INTERRUPTED && !podsku_session_hurried(s))
            continue;
        if (last || (found == PODSKU_FOUND_UNREADABLE && podsku_error_is_final(failure.code)))
            break;
        if (podsku_session_hurried(s)) {
            found = PODSKU_FOUND_HURRIED;
            break;
        }
        now = podsku_session_now(s);
        if (now < deadline)
            podsku_session_sleep(s, pause < deadline - now ? pause : deadline - now, true);
        pause = next_pause(pause, now - start);
    }
    (void)podsku_client_patience(s->client, patience);
    s->unreadable = found == PODSKU_FOUND_UNREADABLE;
    if (s->unreadable)
        say_unreadable(s, &failure);
    return found;
}

enum podsku_found podsku_settle_again(struct podsku_session *s, const char **intent, struct podsku_placed *placed)
{
    struct podsku_error failure = {0};
    enum podsku_found found = PODSKU_FOUND_NONE;
    int64_t patience;

    s->unreadable = false;
    if (s->pending_count == 0)
        return found;
    patience = podsku_client_patience(s->client, s->options.settle_ms / AGAIN_TRIES + 1);
    for (int tries = 1; tries <= AGAIN_TRIES; tries++) {
        found = look(s, NULL, intent, placed, &failure);
        if (found != PODSKU_FOUND_UNREADABLE || podsku_error_is_final(failure.code) || podsku_session_hurried(s))
            break;
        if (tries < AGAIN_TRIES)
            podsku_session_sleep(s, SHORT_PAUSE_MS, true);
    }
    (void)podsku_client_patience(s->client, patience);
    s->unreadable = found == PODSKU_FOUND_UNREADABLE;
    if (s->unreadable)
        say_unreadable(s, &failure);
    return found;
}
