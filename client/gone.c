#include "client/gone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/patience.h"

#define FIRST_PAUSE_MS 200
#define LONGEST_PAUSE_MS 2000
#define LEAST_LIMIT_MS 10000 /* a DELETE is given at least this long to show */
#define LAST_READ_MS 5000    /* the last look is given this long beyond that: one that has no time says nothing */

/* What one look at the thing found. */
enum look {
    LOOK_ABSENT, /* GET says 404; before a successful DELETE also: no list shows it alive */
    LOOK_ENDED,  /* GET says TERMINATED */
    LOOK_ALIVE,
    LOOK_UNKNOWN, /* no answer that says anything */
};

struct work {
    struct podsku_client *client;
    const struct podsku_gone_request *request;
    const struct podsku_clock *clock;
    struct podsku_gone_result *result;
    struct podsku_error *err;
    struct podsku_pods members; /* a cluster's, as last seen */
    int64_t settle_ms, start_ms, created_ms, limit_ms;
    int64_t absent_ms; /* since when it is absent without a break; 0: it is not */
    enum look last;    /* what the last look found */
    int64_t delete_ms; /* when the last DELETE was sent; 0: never */
    int signals_before;
    bool deleted; /* DELETE answered 2xx */
    bool seen;    /* it was there at least once */
    bool orphans; /* the cluster says 404; what is left are members, which only their own DELETE can end */
    /* What stands in the way: the latest DELETE's answer, and what kept the latest look from saying anything. */
    char refusal[192], blindness[192];
};

bool podsku_error_is_final(enum podsku_code code)
{
    return code == PODSKU_AUTH || code == PODSKU_BALANCE || code == PODSKU_DENIED || code == PODSKU_RETIRED ||
           code == PODSKU_EDGE || code == PODSKU_TLS || code == PODSKU_NO_MEMORY || code == PODSKU_USAGE;
}

static int signal_count(const struct podsku_signals *signals)
{
    return signals && signals->count ? signals->count(signals->ctx) : 0;
}

/* True when a signal beyond those before the work arrived; what was counted no longer interrupts the client. */
static bool hurried(void *ctx)
{
    const struct work *work = ctx;
    int count = signal_count(work->request->signals);

    if (count > 0 && work->request->signals->acknowledge)
        work->request->signals->acknowledge(work->request->signals->ctx, count);
    return count > work->signals_before;
}

static void say(const struct work *work, const char *text)
{
    if (work->request->say)
        work->request->say(work->request->say_ctx, text);
}

/* True when further tries are senseless: err is set. */
static bool is_hopeless(struct work *work, const struct podsku_error *failure)
{
    if (!podsku_error_is_final(failure->code))
        return false;
    *work->err = *failure;
    return true;
}

/* Notes a look that says nothing. True: give up. */
static bool give_up(struct work *work, const char *what, const struct podsku_error *failure)
{
    if (failure->code != PODSKU_INTERRUPTED) /* that is said by itself */
        (void)snprintf(work->blindness, sizeof work->blindness, "%s: %.150s", what, failure->message);
    return is_hopeless(work, failure);
}

/* Notes a DELETE that was not confirmed. True: give up. */
static bool is_refused(struct work *work, const char *what, const struct podsku_error *failure)
{
    (void)snprintf(work->refusal, sizeof work->refusal, "%s: %.150s", what, failure->message);
    return is_hopeless(work, failure);
}

static bool is_live(const struct podsku_pod *pod)
{
    return pod->status != PODSKU_POD_TERMINATED;
}

static bool is_member(const struct work *work, const struct podsku_pod *pod)
{
    return (pod->cluster_id && strcmp(pod->cluster_id, work->request->id) == 0) ||
           (work->request->intent && pod->marks.intent && strcmp(pod->marks.intent, work->request->intent) == 0);
}

/*
 * A member that a list shows alive. Once its cluster is gone, only the list tells who the members were.
 * Their status is that of the latest look. False: out of memory.
 */
static bool remember(struct work *work, const char *id)
{
    struct podsku_pods *members = &work->members;

    for (size_t i = 0; i < members->count; i++)
        if (strcmp(members->list[i].id, id) == 0) {
            members->list[i].status = PODSKU_POD_UNKNOWN;
            return true;
        }
    struct podsku_pod *list = realloc(members->list, (members->count + 1) * sizeof *list);
    if (list) {
        members->list = list;
        list[members->count] = (struct podsku_pod){.id = strdup(id), .status = PODSKU_POD_UNKNOWN};
        if (list[members->count].id) {
            members->count++;
            return true;
        }
    }
    (void)podsku_error_no_memory(work->err);
    return false;
}

/* Looks for it in the whole list: a pod by its id, a cluster by its members. False: give up. */
static bool look_in_list(struct work *work, enum look *found)
{
    struct podsku_error failure = {0};
    struct podsku_pods pods = {0};
    bool cluster = work->request->cluster;

    if (podsku_api_list_pods(work->client, work->request->api, cluster, &pods, &failure) != PODSKU_OK) {
        *found = LOOK_UNKNOWN;
        return !give_up(work, "the list of pods", &failure);
    }
    *found = LOOK_ABSENT;
    for (size_t i = 0; i < work->members.count; i++)
        work->members.list[i].status = PODSKU_POD_TERMINATED;
    bool fits = true;
    for (size_t i = 0; fits && i < pods.count; i++) {
        const struct podsku_pod *pod = &pods.list[i];
        if (!is_live(pod) || !(cluster ? is_member(work, pod) : strcmp(pod->id, work->request->id) == 0))
            continue;
        *found = LOOK_ALIVE;
        fits = !cluster || remember(work, pod->id);
    }
    podsku_pods_free(&pods);
    return fits;
}

static bool look_at_pod(struct work *work, const char *id, bool use_list, enum look *found)
{
    struct podsku_error failure = {0};
    struct podsku_pod pod = {0};
    enum podsku_code code = podsku_api_get_pod(work->client, work->request->api, id, &pod, &failure);

    if (code == PODSKU_OK) {
        *found = is_live(&pod) ? LOOK_ALIVE : LOOK_ENDED;
        podsku_pod_clear(&pod);
        return true;
    }
    if (code == PODSKU_NOT_FOUND) {
        *found = LOOK_ABSENT;
        return !use_list || look_in_list(work, found);
    }
    *found = LOOK_UNKNOWN;
    return !give_up(work, "reading the pod", &failure);
}

/* Every member that was ever seen is asked for by its own id: a list may lag behind in both directions. */
static bool look_at_members(struct work *work, enum look *found)
{
    for (size_t i = 0; i < work->members.count && *found == LOOK_ABSENT; i++) {
        enum look member;
        if (!look_at_pod(work, work->members.list[i].id, false, &member))
            return false;
        if (member == LOOK_ABSENT || member == LOOK_ENDED)
            continue;
        *found = member;
        work->members.list[i].status = PODSKU_POD_UNKNOWN;
    }
    return true;
}

static bool look_at_cluster(struct work *work, enum look *found)
{
    struct podsku_error failure = {0};
    struct podsku_cluster cluster = {0};
    enum podsku_code code = podsku_api_get_cluster(work->client, work->request->id, &cluster, &failure);

    podsku_cluster_clear(&cluster);
    work->orphans = code == PODSKU_NOT_FOUND;
    if (code == PODSKU_OK) {
        *found = LOOK_ALIVE;
        return true;
    }
    if (code != PODSKU_NOT_FOUND) {
        *found = LOOK_UNKNOWN;
        return !give_up(work, "reading the cluster", &failure);
    }
    return look_in_list(work, found) && look_at_members(work, found);
}

static bool look(struct work *work, enum look *found)
{
    work->blindness[0] = '\0';
    return work->request->cluster ? look_at_cluster(work, found)
                                  : look_at_pod(work, work->request->id, !work->deleted, found);
}

/*
 * Members that outlive their cluster, each by its own id. The service may refuse it, and the next look tells.
 * Confirmed: those that were there answered 2xx. False: give up.
 */
static bool delete_members(struct work *work)
{
    bool confirmed = false, refused = false;

    for (size_t i = 0; i < work->members.count; i++) {
        struct podsku_error failure = {0};
        enum podsku_code code =
            podsku_api_delete_pod(work->client, work->request->api, work->members.list[i].id, &failure);
        confirmed = confirmed || code == PODSKU_OK;
        work->result->unsettled = work->result->unsettled || code == PODSKU_OK;
        if (code == PODSKU_OK || code == PODSKU_NOT_FOUND)
            continue;
        refused = true;
        work->result->unsettled = true;
        if (is_refused(work, "DELETE of a member", &failure))
            return false;
    }
    work->deleted = work->deleted || (confirmed && !refused);
    return true;
}

/* Sends DELETE. False: give up. */
static bool send_delete(struct work *work)
{
    const struct podsku_gone_request *request = work->request;
    struct podsku_error failure = {0};

    if (work->orphans && work->members.count > 0) {
        work->delete_ms = podsku_clock_mono_ms(work->clock);
        work->refusal[0] = '\0';
        return delete_members(work);
    }
    enum podsku_code code = request->cluster ? podsku_api_delete_cluster(work->client, request->id, &failure)
                                             : podsku_api_delete_pod(work->client, request->api, request->id, &failure);

    work->delete_ms = podsku_clock_mono_ms(work->clock);
    work->refusal[0] = '\0';
    if (code == PODSKU_OK) {
        work->deleted = work->seen = work->result->unsettled = true;
        return true;
    }
    bool refused = is_refused(work, "DELETE", &failure);
    if (code == PODSKU_NOT_FOUND)
        return !request->cluster || !work->seen || delete_members(work);
    if (podsku_error_is_member(&failure)) { /* only its cluster can be ended: the next try would hear the same */
        *work->err = failure;
        return false;
    }
    if (refused)
        return false;
    /* A lost answer leaves it open, and so does a failure; a refusal does not. */
    work->result->unsettled = work->result->unsettled || code != PODSKU_REQUEST;
    say(work, failure.message);
    return true;
}

/* Before anything is deleted: afterwards nobody may tell who the members were. */
static bool find_members(struct work *work)
{
    struct podsku_error failure = {0};

    if (!work->request->cluster ||
        podsku_api_cluster_pods(work->client, work->request->id, &work->members, &failure) == PODSKU_OK ||
        failure.code == PODSKU_NOT_FOUND)
        return true;
    return !give_up(work, "reading the cluster's pods", &failure);
}

/* The second proof: absent without a break for a whole settle timeout, which began no earlier than the create. */
static bool absent_long_enough(struct work *work, int64_t now)
{
    int64_t since = work->absent_ms > work->created_ms ? work->absent_ms : work->created_ms;

    return work->absent_ms != 0 && now - since >= work->settle_ms;
}

/* True when this look is the proof. */
static bool proves(struct work *work, enum look found)
{
    int64_t now = podsku_clock_mono_ms(work->clock);

    if (found == LOOK_ALIVE || found == LOOK_ENDED)
        work->seen = true;
    if (found == LOOK_ALIVE)
        work->absent_ms = 0;
    if (found == LOOK_ABSENT || found == LOOK_ENDED) {
        if (work->absent_ms == 0)
            work->absent_ms = now;
        if (work->deleted || absent_long_enough(work, now)) {
            (void)snprintf(work->result->how, sizeof work->result->how,
                           work->deleted ? "DELETE was confirmed, and then it was %s"
                                         : "it is %s, and no list showed it for %.1f s",
                           found == LOOK_ENDED ? "TERMINATED" : "not found", (double)work->settle_ms / 1000.0);
            return true;
        }
    }
    return false;
}

/* Whether to send DELETE (again): until one was confirmed, and when it is still alive a while later. */
static bool wants_delete(const struct work *work, enum look last, int64_t now)
{
    return !work->deleted || (last == LOOK_ALIVE && now - work->delete_ms >= LONGEST_PAUSE_MS);
}

static void loop(struct work *work)
{
    int64_t pause = FIRST_PAUSE_MS;
    enum look found = LOOK_UNKNOWN;

    work->last = LOOK_UNKNOWN;
    while (true) {
        int64_t now = podsku_clock_mono_ms(work->clock);
        if (wants_delete(work, found, now) && !send_delete(work))
            return;
        bool goes_on = look(work, &found);
        work->last = found;
        if (!goes_on)
            return;
        if (proves(work, found)) {
            work->result->gone = true;
            return;
        }
        if (hurried(work)) {
            work->result->unsettled = true;
            (void)podsku_error_set(work->err, PODSKU_INTERRUPTED, "a%s signal stopped the wait for the proof",
                                   work->signals_before > 0 ? " second" : "");
            return;
        }
        now = podsku_clock_mono_ms(work->clock);
        if (now >= work->limit_ms)
            return;
        podsku_clock_sleep_unless(work->clock, podsku_client_pause_ms(work->client, pause, work->limit_ms - now),
                                  LONGEST_PAUSE_MS, hurried, work);
        pause = pause * 2 < LONGEST_PAUSE_MS ? pause * 2 : LONGEST_PAUSE_MS;
    }
}

static void add_reason(struct podsku_gone_result *result, const char *reason)
{
    size_t used = strlen(result->how);

    if (reason[0])
        (void)snprintf(result->how + used, sizeof result->how - used, "; %s", reason);
}

/* Members that outlived their cluster: they are what may still run. False: there are none, or their cluster lives. */
static bool name_orphans(const struct work *work)
{
    char names[200] = "";
    size_t count = 0;
    bool cut = false;

    for (size_t i = 0; work->request->cluster && work->orphans && i < work->members.count; i++) {
        const struct podsku_pod *member = &work->members.list[i];
        size_t used = strlen(names);
        if (member->status == PODSKU_POD_TERMINATED)
            continue;
        bool fits = !cut && used + strlen(member->id) + 8 < sizeof names;
        if (!cut)
            (void)snprintf(names + used, sizeof names - used, "%s%s", count ? ", " : "", fits ? member->id : "...");
        cut = !fits;
        count++;
        if (work->request->left)
            work->request->left(work->request->left_ctx, member->id);
    }
    if (count > 0)
        (void)snprintf(work->result->how, sizeof work->result->how, "the cluster is gone, and %s of it still %s: %s",
                       count == 1 ? "a pod" : "pods", count == 1 ? "shows" : "show", names);
    return count > 0;
}

/* What is missing for the proof, and why: the DELETE's own answer comes first. */
static void say_missing(const struct work *work)
{
    const char *what = "no DELETE was confirmed";

    if (work->deleted)
        what = work->last == LOOK_ALIVE ? "DELETE was confirmed, but it still shows"
                                        : "DELETE was confirmed, but no read could prove the end";
    if (!name_orphans(work))
        (void)snprintf(work->result->how, sizeof work->result->how, "%s", what);
    add_reason(work->result, work->refusal);
    add_reason(work->result, work->blindness);
    if (work->err->code == PODSKU_INTERRUPTED)
        add_reason(work->result, work->err->message);
}

enum podsku_code podsku_prove_gone(struct podsku_client *client, const struct podsku_gone_request *request,
                                   struct podsku_gone_result *result, struct podsku_error *err)
{
    struct work work = {.client = client, .request = request, .result = result, .err = err};
    struct podsku_error own = {0};

    *result = (struct podsku_gone_result){0};
    work.err = &own;
    work.clock = podsku_client_clock(client);
    work.settle_ms = request->settle_ms ? request->settle_ms : PODSKU_SETTLE_TIMEOUT_MS;
    work.start_ms = podsku_clock_mono_ms(work.clock);
    work.created_ms = request->created_mono_ms ? request->created_mono_ms : work.start_ms;
    work.absent_ms = request->absent_mono_ms;
    work.limit_ms = work.start_ms + (2 * work.settle_ms > LEAST_LIMIT_MS ? 2 * work.settle_ms : LEAST_LIMIT_MS);
    work.signals_before = signal_count(request->signals);
    (void)hurried(&work);
    int64_t budget = podsku_client_patience(client, work.settle_ms);
    int64_t until = podsku_client_until(client, work.limit_ms + LAST_READ_MS);
    if (find_members(&work))
        loop(&work);
    (void)podsku_client_until(client, until);
    (void)podsku_client_patience(client, budget);
    result->never_there = !work.seen;
    result->unsettled = result->unsettled && !result->gone;
    if (!result->gone)
        say_missing(&work);
    podsku_pods_free(&work.members);
    if (own.code == PODSKU_OK)
        return PODSKU_OK;
    if (err->code == PODSKU_OK)
        *err = own;
    return own.code;
}
