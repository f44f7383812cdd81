/*
 * What of this launch lives: pods with its mark in the list, and those that the journal handed over and
 * that no list may show yet. A second one is never rented beside any of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "client/deploy_private.h"
#include "client/patience.h"

#define FIRST_PAUSE_MS 100
#define LONGEST_PAUSE_MS 500

/* What one look found. */
struct live {
    struct podsku_placed placed; /* the one to adopt; nothing: none */
    char *intent;                /* its mark; NULL: none */
    int attempt;
    size_t standing;                     /* live pods and clusters that are no open entry's */
    size_t late;                         /* those of open entries */
    bool twins;                          /* two of one intent */
    struct podsku_buf names;             /* of all of them */
    const struct podsku_pending *unseen; /* the journal handed it over, and it is too new to be missed; NULL: none */
};

static void live_clear(struct live *live)
{
    podsku_placed_clear(&live->placed);
    podsku_buf_free(&live->names);
    free(live->intent);
    *live = (struct live){0};
}

static void add(struct live *live, const char *id, bool late)
{
    podsku_buf_printf(&live->names, "%s%s", live->names.len ? " and " : "", id);
    live->standing += !late;
    live->late += late;
}

static bool is_live(const struct podsku_session *s, const struct podsku_pod *pod)
{
    return pod->status != PODSKU_POD_TERMINATED && pod->marks.launch_id &&
           strcmp(pod->marks.launch_id, s->options.launch_id) == 0 &&
           !podsku_session_is_closed(s, podsku_thing_of_pod(pod));
}

static bool is_pending(const struct podsku_session *s, const char *intent)
{
    for (size_t i = 0; intent && i < s->pending_count; i++)
        if (strcmp(s->pending[i].intent, intent) == 0)
            return true;
    return false;
}

/* Whether an earlier pod of the list is the same thing: a member of its cluster, or the pod again. */
static bool seen_before(const struct podsku_session *s, const struct podsku_pods *pods, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (is_live(s, &pods->list[i]) &&
            strcmp(podsku_thing_of_pod(&pods->list[i]), podsku_thing_of_pod(&pods->list[place])) == 0)
            return true;
    return false;
}

/* Counts the things of this launch; *place: of the one to adopt, first of all one that is no open entry's. */
static void count(struct podsku_session *s, const struct podsku_pods *pods, struct live *live, size_t *place)
{
    *place = SIZE_MAX;
    for (size_t i = 0; i < pods->count; i++) {
        const struct podsku_pod *pod = &pods->list[i];
        bool late = is_pending(s, pod->marks.intent);
        if (!is_live(s, pod) || seen_before(s, pods, i))
            continue;
        for (size_t k = 0; pod->marks.intent && k < i; k++)
            live->twins = live->twins || (is_live(s, &pods->list[k]) && pods->list[k].marks.intent &&
                                          strcmp(pods->list[k].marks.intent, pod->marks.intent) == 0 &&
                                          !(pod->cluster_id && pods->list[k].cluster_id &&
                                            strcmp(pod->cluster_id, pods->list[k].cluster_id) == 0));
        if (*place == SIZE_MAX || (!late && live->standing == 0))
            *place = i;
        add(live, podsku_thing_of_pod(pod), late);
    }
}

/* Moves a pod (of a cluster: its id) out of the list. */
static enum podsku_code take(struct podsku_session *s, struct podsku_pod *pod, struct live *live,
                             struct podsku_error *err)
{
    live->attempt = pod->marks.attempt;
    live->intent = pod->marks.intent ? strdup(pod->marks.intent) : NULL;
    live->placed.created_mono_ms = podsku_session_mono_of(s, pod->created_ms);
    live->placed.expires_s = pod->marks.expires_s;
    if (pod->marks.intent && !live->intent)
        return podsku_error_no_memory(err);
    if (pod->cluster_id) {
        live->placed.cluster.id = strdup(pod->cluster_id);
        return live->placed.cluster.id ? PODSKU_OK : podsku_error_no_memory(err);
    }
    live->placed.pod = *pod;
    *pod = (struct podsku_pod){0};
    return PODSKU_OK;
}

/* A pod whose marks cannot be read may be of this launch; the journal says nothing of it either. */
static bool find_hidden(struct podsku_session *s, const struct podsku_pods *pods)
{
    for (size_t i = 0; i < pods->count; i++)
        if (podsku_session_is_hidden(s, &pods->list[i], NULL)) {
            (void)snprintf(s->hidden, sizeof s->hidden, "%s", podsku_thing_of_pod(&pods->list[i]));
            return true;
        }
    return false;
}

static bool lists(const struct podsku_session *s, const struct podsku_pods *pods, const char *id)
{
    for (size_t i = 0; i < pods->count; i++)
        if (is_live(s, &pods->list[i]) && strcmp(podsku_thing_of_pod(&pods->list[i]), id) == 0)
            return true;
    return false;
}

/* Asks for one by its id; what lives is counted, and taken if nothing else was. */
static enum podsku_code ask(struct podsku_session *s, const struct podsku_pending *entry, bool late, struct live *live,
                            struct podsku_error *err)
{
    struct podsku_placed found = {.created_mono_ms = entry->sent_mono_ms};
    enum podsku_code code = entry->cluster
                                ? podsku_api_get_cluster(s->client, entry->pod_id, &found.cluster, err)
                                : podsku_api_get_pod(s->client, s->options.spec.api, entry->pod_id, &found.pod, err);

    if (code == PODSKU_NOT_FOUND) {
        podsku_error_clear(err);
        if (!late && podsku_session_now(s) - entry->sent_mono_ms < s->options.settle_ms)
            live->unseen = entry;
        return PODSKU_OK;
    }
    if (code != PODSKU_OK || found.pod.status == PODSKU_POD_TERMINATED) {
        podsku_placed_clear(&found);
        return code;
    }
    bool chosen = podsku_placed_id(&live->placed) != NULL && (late || live->standing > 0);
    add(live, entry->pod_id, late);
    if (chosen) {
        podsku_placed_clear(&found);
        return PODSKU_OK;
    }
    podsku_placed_clear(&live->placed);
    free(live->intent);
    found.expires_s = found.pod.marks.expires_s; /* a cluster's is read with its members */
    live->placed = found;
    live->attempt = entry->attempt;
    live->intent = strdup(entry->intent);
    return live->intent ? PODSKU_OK : podsku_error_no_memory(err);
}

static enum podsku_code look(struct podsku_session *s, struct live *live, struct podsku_error *err)
{
    struct podsku_pods pods = {0};
    bool hidden_cluster = false;
    size_t place;
    enum podsku_code code =
        podsku_api_list_pods(s->client, s->options.spec.api, s->options.spec.api == PODSKU_API_V2, &pods, err);

    live_clear(live);
    s->hidden[0] = '\0';
    if (code == PODSKU_OK && s->options.spec.api == PODSKU_API_V2 &&
        (podsku_session_any_cluster(s) || s->plan[0].nodes > 1))
        code = podsku_session_add_members(s, &pods, &hidden_cluster, err);
    if (code != PODSKU_OK) {
        podsku_pods_free(&pods);
        return code;
    }
    count(s, &pods, live, &place);
    bool standing = live->standing > 0;
    for (size_t i = 0; code == PODSKU_OK && i < s->kept_count; i++)
        if (!lists(s, &pods, s->kept[i].pod_id))
            code = ask(s, &s->kept[i], false, live, err);
    for (size_t i = 0; code == PODSKU_OK && i < s->pending_count; i++)
        if (s->pending[i].pod_id && !lists(s, &pods, s->pending[i].pod_id))
            code = ask(s, &s->pending[i], true, live, err);
    if (!hidden_cluster)
        (void)find_hidden(s, &pods);
    if (code == PODSKU_OK && place != SIZE_MAX && (standing || !podsku_placed_id(&live->placed))) {
        podsku_placed_clear(&live->placed);
        free(live->intent);
        code = take(s, &pods.list[place], live, err);
    }
    podsku_pods_free(&pods);
    return code;
}

/* Looks again while something that was handed over a moment ago is not shown yet. */
static enum podsku_code look_until_seen(struct podsku_session *s, struct live *live, struct podsku_error *err)
{
    int64_t start = podsku_session_now(s);
    int64_t pause = FIRST_PAUSE_MS;

    while (true) {
        enum podsku_code code = look(s, live, err);
        if (code != PODSKU_OK || !live->unseen || live->standing > 0)
            return code;
        if (podsku_session_signalled(s))
            return podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted");
        int64_t now = podsku_session_now(s);
        int64_t left = live->unseen->sent_mono_ms + s->options.settle_ms - now;
        podsku_session_progress(s, PODSKU_EVENT_SETTLING, PODSKU_NO_ATTEMPT, NULL, NULL, now - start, left);
        if (pause == FIRST_PAUSE_MS)
            podsku_session_event(
                s, PODSKU_EVENT_NOTE, PODSKU_NO_ATTEMPT, NULL,
                "this launch has a pod already, %s, which the service does not show yet: looking again",
                live->unseen->pod_id);
        podsku_session_sleep(s, podsku_client_pause_ms(s->client, pause, left > 0 ? left : 1), false);
        pause = pause * 2 < LONGEST_PAUSE_MS ? pause * 2 : LONGEST_PAUSE_MS;
    }
}

enum podsku_step podsku_session_take_live(struct podsku_session *s)
{
    struct live live = {.attempt = 0};
    struct podsku_error err = {0};
    enum podsku_step step = PODSKU_STEP_NEXT;

    if (look_until_seen(s, &live, &err) != PODSKU_OK) {
        if (s->err->code == PODSKU_OK)
            *s->err = err;
        step = podsku_session_stop(s, err.code,
                                   err.code == PODSKU_INTERRUPTED ? PODSKU_DEPLOY_INTERRUPTED : PODSKU_DEPLOY_FAILED,
                                   "%s", err.message);
    } else if (live.standing > 1 || live.twins) {
        podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                             "%s are live and of this launch: none of them is touched", podsku_buf_text(&live.names));
        s->hands_off = true;
        step = podsku_session_stop(s, PODSKU_UNSETTLED, PODSKU_DEPLOY_UNSETTLED,
                                   "launch %s has %zu live pods: none is touched, none is added", s->options.launch_id,
                                   live.standing + live.late);
    } else if (live.standing + live.late > 0) {
        /* live_clear() frees what the analyzer misses. */
        step = podsku_session_adopt_live(s, &live.placed, live.intent, // NOLINT(clang-analyzer-unix.Malloc)
                                         live.attempt);
    } else if (s->hidden[0]) {
        podsku_session_say_hidden(s);
        s->hands_off = true;
        step = podsku_session_stop_found(s, PODSKU_FOUND_HIDDEN, "this launch");
    }
    live_clear(&live);
    return step;
}
