/* A placed pod or cluster until it is ready, or it is clear that it will not be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/deploy_private.h"
#include "client/patience.h"

#define FIRST_POLL_MS 500
#define POLL_MS 5000        /* the longest pause between two reads while waiting */
#define REREAD_FIRST_MS 100 /* of values that are unknown */
#define REREAD_LAST_MS 2000

/* What the wait knows; the pod is updated in place. */
struct wait {
    struct podsku_session *s;
    size_t index;
    const struct podsku_plan_entry *entries;
    size_t entry_count;
    struct podsku_placed *placed;
    int64_t start_ms, deadline_ms;
    int64_t absent_ms; /* since when neither GET nor a list shows it; 0: it is there */
    const char *state; /* last said */
    char *why;
    size_t why_size;
};

static enum podsku_code read_pod(struct podsku_session *s, struct podsku_placed *placed, struct podsku_error *err)
{
    struct podsku_pod pod = {0};
    struct podsku_pods pods = {0};
    enum podsku_code code = podsku_api_get_pod(s->client, s->options.spec.api, placed->pod.id, &pod, err);

    if (code == PODSKU_OK) {
        podsku_pod_clear(&placed->pod);
        placed->pod = pod;
        return code;
    }
    if (code != PODSKU_NOT_FOUND)
        return code;
    /* A new pod may answer 404 by its id and stand in the list already: being listed counts as found. */
    podsku_error_clear(err);
    code = podsku_api_list_pods(s->client, s->options.spec.api, false, &pods, err);
    if (code != PODSKU_OK)
        return code;
    code = PODSKU_NOT_FOUND;
    for (size_t i = 0; i < pods.count && code != PODSKU_OK; i++)
        if (strcmp(pods.list[i].id, placed->pod.id) == 0) {
            podsku_pod_clear(&placed->pod);
            placed->pod = pods.list[i];
            pods.list[i] = (struct podsku_pod){0};
            code = PODSKU_OK;
        }
    podsku_pods_free(&pods);
    if (code == PODSKU_NOT_FOUND)
        (void)podsku_error_set(err, code, "neither GET nor the list shows it");
    return code;
}

static int by_rank(const void *a, const void *b)
{
    const struct podsku_pod *left = a;
    const struct podsku_pod *right = b;

    return (left->cluster_rank > right->cluster_rank) - (left->cluster_rank < right->cluster_rank);
}

/* As with pods: a new cluster may answer 404 by its id while its members stand in the list. */
static enum podsku_code list_members(struct podsku_session *s, const char *cluster_id, struct podsku_pods *members,
                                     struct podsku_error *err)
{
    enum podsku_code code = podsku_api_list_pods(s->client, s->options.spec.api, true, members, err);
    size_t kept = 0;

    if (code != PODSKU_OK)
        return code;
    for (size_t i = 0; i < members->count; i++) {
        struct podsku_pod pod = members->list[i];
        members->list[i] = (struct podsku_pod){0};
        if (pod.cluster_id && strcmp(pod.cluster_id, cluster_id) == 0)
            members->list[kept++] = pod;
        else
            podsku_pod_clear(&pod);
    }
    members->count = kept;
    if (kept > 0)
        return PODSKU_OK;
    podsku_pods_free(members);
    return podsku_error_set(err, PODSKU_NOT_FOUND, "neither GET nor the list shows its members");
}

static enum podsku_code read_cluster(struct podsku_session *s, struct podsku_placed *placed, struct podsku_error *err)
{
    struct podsku_pods members = {0};
    struct podsku_cluster cluster = {0};
    struct podsku_error shape_err = {0};

    if (!placed->cluster.gpu_id || placed->cluster.pod_count == 0 || placed->cluster.gpus_per_pod == 0) {
        if (podsku_api_get_cluster(s->client, placed->cluster.id, &cluster, &shape_err) == PODSKU_OK) {
            podsku_cluster_clear(&placed->cluster);
            placed->cluster = cluster;
        } else if (podsku_error_is_final(shape_err.code)) {
            *err = shape_err;
            return err->code;
        }
    }
    enum podsku_code code = podsku_api_cluster_pods(s->client, placed->cluster.id, &members, err);
    if (code == PODSKU_NOT_FOUND) {
        podsku_error_clear(err);
        code = list_members(s, placed->cluster.id, &members, err);
    }
    if (code != PODSKU_OK)
        return code;
    if (members.count == 0 && placed->members.count > 0) {
        podsku_pods_free(&members);
        return podsku_error_set(err, PODSKU_NOT_FOUND, "its members are no longer listed");
    }
    if (members.count > 1)
        qsort(members.list, members.count, sizeof *members.list, by_rank);
    podsku_pods_free(&placed->members);
    placed->members = members;
    for (size_t i = 0; i < members.count; i++) /* a cluster has no marks of its own */
        if (members.list[i].marks.expires_s)
            placed->expires_s = members.list[i].marks.expires_s;
    return PODSKU_OK;
}

enum podsku_code podsku_session_read(struct podsku_session *s, struct podsku_placed *placed, struct podsku_error *err)
{
    enum podsku_code code = placed->cluster.id ? read_cluster(s, placed, err) : read_pod(s, placed, err);

    if (code == PODSKU_OK)
        podsku_placed_price(placed);
    return code;
}

/* The status that stands for all members: the first that has ended, else the one that is furthest behind. */
static enum podsku_pod_status status_of(const struct podsku_placed *placed, const char **word)
{
    static const int progress[] = {
        [PODSKU_POD_ERROR] = 0,        [PODSKU_POD_TERMINATED] = 1, [PODSKU_POD_EXITED] = 2,  [PODSKU_POD_UNKNOWN] = 3,
        [PODSKU_POD_PROVISIONING] = 4, [PODSKU_POD_STARTING] = 5,   [PODSKU_POD_RUNNING] = 6,
    };
    const struct podsku_pod *worst = &placed->pod;

    if (placed->cluster.id) {
        static const struct podsku_pod none = {.status = PODSKU_POD_PROVISIONING, .status_word = NULL};
        bool complete = placed->cluster.pod_count > 0 && placed->members.count >= (size_t)placed->cluster.pod_count;
        worst = complete ? &placed->members.list[0] : &none;
        for (size_t i = 0; i < placed->members.count; i++)
            if (progress[placed->members.list[i].status] < progress[worst->status])
                worst = &placed->members.list[i];
    }
    *word = worst->status_word ? worst->status_word : "PROVISIONING";
    return worst->status;
}

static bool has_ended(enum podsku_pod_status status)
{
    return status == PODSKU_POD_ERROR || status == PODSKU_POD_EXITED || status == PODSKU_POD_TERMINATED;
}

static bool has_ssh(const struct podsku_placed *placed)
{
    if (!placed->cluster.id)
        return placed->pod.ssh.host != NULL;
    for (size_t i = 0; i < placed->members.count; i++)
        if (!placed->members.list[i].ssh.host)
            return false;
    return true;
}

/* Reads once more and judges. READY: nothing speaks against it (so far); *fit says whether all is known. */
static enum podsku_ready reread(struct wait *wait, enum podsku_fit *fit)
{
    struct podsku_session *s = wait->s;
    struct podsku_error failure = {0};
    int64_t now = podsku_session_now(s);
    int64_t affordable = podsku_session_spend_left_ms(s);
    const char *word;

    /* A service that hangs or fails must not hold up the deadline. */
    int64_t until =
        podsku_client_until(s->client, affordable < wait->deadline_ms - now ? now + affordable : wait->deadline_ms);
    enum podsku_code code = podsku_session_read(s, wait->placed, &failure);
    (void)podsku_client_until(s->client, until);

    if (podsku_error_is_final(code)) {
        (void)snprintf(wait->why, wait->why_size, "%s", failure.message);
        if (s->err->code == PODSKU_OK)
            *s->err = failure;
        return PODSKU_READY_REFUSED;
    }
    if (code == PODSKU_NOT_FOUND) {
        wait->absent_ms = wait->absent_ms ? wait->absent_ms : now;
        if (podsku_session_now(s) - wait->placed->created_mono_ms < s->options.settle_ms)
            return PODSKU_READY; /* a new pod may be missing everywhere for some seconds */
        (void)snprintf(wait->why, wait->why_size, "it vanished: %s", failure.message);
        return PODSKU_READY_FAILED;
    }
    if (code != PODSKU_OK)
        return PODSKU_READY; /* no answer says nothing about the pod; the deadline bounds this */
    wait->absent_ms = 0;
    if (wait->entry_count > 1)
        podsku_session_identify(s, wait->index, wait->entries, wait->entry_count, wait->placed);
    podsku_session_reprice(s, wait->index, wait->placed);
    if (has_ended(status_of(wait->placed, &word))) {
        (void)snprintf(wait->why, wait->why_size, "it is %s", word);
        return PODSKU_READY_FAILED;
    }
    *fit = podsku_judge(&s->options, wait->entries, wait->entry_count, wait->placed, wait->why, wait->why_size);
    return *fit == PODSKU_FIT_WRONG ? PODSKU_READY_WRONG : PODSKU_READY;
}

/* Signal, spend and deadline, in this order. READY: none of them. */
static enum podsku_ready limits(struct wait *wait)
{
    if (podsku_session_signalled(wait->s)) {
        (void)snprintf(wait->why, wait->why_size, "interrupted");
        return PODSKU_READY_SIGNAL;
    }
    if (podsku_session_spend_left_ms(wait->s) == 0) {
        (void)snprintf(wait->why, wait->why_size, "--max-spend is reached");
        return PODSKU_READY_SPENT;
    }
    if (podsku_session_now(wait->s) >= wait->deadline_ms) {
        (void)snprintf(wait->why, wait->why_size, "not ready within --timeout (%lld s)",
                       (long long)(wait->s->options.timeout_ms / 1000));
        return PODSKU_READY_TIMEOUT;
    }
    return PODSKU_READY;
}

/* The end of the re-reads: what is still unknown is kept with a note, except a cost under a cap. */
static enum podsku_ready accept_unknown(struct wait *wait)
{
    const struct podsku_deploy_options *options = &wait->s->options;

    if (!wait->placed->price_uusd && (options->max_gpu_uusd || options->max_total_uusd)) {
        (void)snprintf(wait->why, wait->why_size, "cost: the service does not say it, and there is a cap");
        return PODSKU_READY_WRONG;
    }
    podsku_session_event(wait->s, PODSKU_EVENT_NOTE, wait->index, wait->placed, "the service does not say: %s",
                         wait->why);
    return PODSKU_READY;
}

/* What was asked for must be known, or asked again for up to a settle timeout. */
static enum podsku_ready examine(struct wait *wait)
{
    struct podsku_session *s = wait->s;
    int64_t end = podsku_session_now(s) + s->options.settle_ms;
    int64_t pause = REREAD_FIRST_MS;
    const char *word;
    enum podsku_ready ready;
    enum podsku_fit fit =
        podsku_judge(&s->options, wait->entries, wait->entry_count, wait->placed, wait->why, wait->why_size);

    if (fit == PODSKU_FIT_WRONG)
        return PODSKU_READY_WRONG;
    if (has_ended(status_of(wait->placed, &word)) && (!wait->placed->cluster.id || wait->placed->members.count > 0)) {
        (void)snprintf(wait->why, wait->why_size, "it is %s", word);
        return PODSKU_READY_FAILED;
    }
    while (fit == PODSKU_FIT_UNKNOWN) {
        ready = limits(wait);
        if (ready == PODSKU_READY)
            ready = reread(wait, &fit);
        if (ready != PODSKU_READY)
            return ready;
        if (fit != PODSKU_FIT_UNKNOWN)
            break;
        int64_t left = end - podsku_session_now(s);
        if (left <= 0)
            return accept_unknown(wait);
        left = left < wait->deadline_ms - podsku_session_now(s) ? left : wait->deadline_ms - podsku_session_now(s);
        podsku_session_sleep(s, podsku_client_pause_ms(s->client, pause, left), false);
        pause = pause * 2 < REREAD_LAST_MS ? pause * 2 : REREAD_LAST_MS;
    }
    return PODSKU_READY;
}

static void say_state(struct wait *wait, const char *state)
{
    int64_t elapsed = podsku_session_now(wait->s) - wait->start_ms;

    if (!wait->state || strcmp(wait->state, state) != 0)
        podsku_session_progress(wait->s, PODSKU_EVENT_STATE, wait->index, wait->placed, state, elapsed, 0);
    podsku_session_progress(wait->s, PODSKU_EVENT_WAITING, wait->index, wait->placed, state, elapsed, 0);
    /* Known words are literals or live in the pod, which the next read replaces. */
    static const char *const words[] = {"PROVISIONING", "STARTING", "RUNNING", "ssh"};
    wait->state = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], state) == 0)
            wait->state = words[i];
}

static enum podsku_ready wait_running(struct wait *wait)
{
    struct podsku_session *s = wait->s;
    int64_t longest = s->options.poll_ms;
    int64_t pause = FIRST_POLL_MS < longest ? FIRST_POLL_MS : longest;
    enum podsku_fit fit = PODSKU_FIT;
    const char *word;

    while (true) {
        enum podsku_ready ready = limits(wait);
        if (ready == PODSKU_READY)
            ready = reread(wait, &fit);
        if (ready != PODSKU_READY)
            return ready;
        bool running = wait->absent_ms == 0 && status_of(wait->placed, &word) == PODSKU_POD_RUNNING;
        bool done = running && (!s->options.need_ssh || has_ssh(wait->placed));
        say_state(wait, wait->absent_ms ? "PROVISIONING" : done && s->options.need_ssh ? "ssh" : word);
        if (done)
            return PODSKU_READY;
        int64_t left = wait->deadline_ms - podsku_session_now(s);
        int64_t affordable = podsku_session_spend_left_ms(s);
        left = left < affordable ? left : affordable;
        podsku_session_sleep(s, podsku_client_pause_ms(s->client, pause, left), false);
        pause = pause * 3 / 2 < longest ? pause * 3 / 2 : longest;
    }
}

static enum podsku_ready run_verify(struct wait *wait)
{
    struct podsku_session *s = wait->s;
    int64_t affordable = podsku_session_spend_left_ms(s);
    int64_t deadline = wait->deadline_ms;
    json_t *report = NULL;
    static const enum podsku_ready answers[] = {
        [PODSKU_VERIFY_MATCH] = PODSKU_READY,
        [PODSKU_VERIFY_MISMATCH] = PODSKU_READY_WRONG,
        [PODSKU_VERIFY_UNVERIFIED] = PODSKU_READY_UNVERIFIED,
        [PODSKU_VERIFY_TIMEOUT] = PODSKU_READY_TIMEOUT,
    };

    if (affordable < deadline - podsku_session_now(s))
        deadline = podsku_session_now(s) + affordable;
    wait->why[0] = '\0';
    enum podsku_verify_answer answer =
        s->hooks->verify(s->hooks->ctx, wait->placed, deadline, &report, wait->why, wait->why_size);
    json_decref(s->result->attempts[wait->index].report);
    s->result->attempts[wait->index].report = report;
    if (podsku_session_signalled(s))
        return limits(wait);
    /* What was found stands, whatever it took; that it was not found may be the bill's or the clock's doing. */
    if (answer == PODSKU_VERIFY_MATCH || answer == PODSKU_VERIFY_MISMATCH)
        return answers[answer];
    if (podsku_session_spend_left_ms(s) == 0)
        return limits(wait);
    if (!wait->why[0])
        (void)snprintf(wait->why, wait->why_size, "the hardware could not be looked at");
    return answers[answer];
}

enum podsku_ready podsku_wait_ready(struct podsku_session *s, size_t index, const struct podsku_plan_entry *entries,
                                    size_t entry_count, struct podsku_placed *placed, int64_t *absent_ms, char *why,
                                    size_t why_size)
{
    struct wait wait = {
        .s = s,
        .index = index,
        .entries = entries,
        .entry_count = entry_count,
        .placed = placed,
        .start_ms = podsku_session_now(s),
        .why = why,
        .why_size = why_size,
    };
    char dearer[128];

    wait.deadline_ms = wait.start_ms + s->options.timeout_ms;
    enum podsku_ready ready = examine(&wait);
    if (ready == PODSKU_READY && podsku_judge_dearer(placed, dearer, sizeof dearer))
        podsku_session_event(s, PODSKU_EVENT_WARNING, index, placed, "%s", dearer);
    if (ready == PODSKU_READY && s->options.wait)
        ready = wait_running(&wait);
    if (ready == PODSKU_READY && s->options.verify)
        ready = run_verify(&wait);
    if (ready == PODSKU_READY && podsku_session_signalled(s))
        ready = limits(&wait);
    *absent_ms = wait.absent_ms;
    return ready;
}
