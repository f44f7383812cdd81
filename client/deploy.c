#include "client/deploy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "client/deploy_private.h"

#define SALT_BYTES 16
#define LOCK_PAUSE_MS 500 /* between two looks whether another podsku at work on the launch has ended */
#define BACKOFF_MS 1000
#define POLL_MS 5000

static void fill_defaults(struct podsku_deploy_options *options)
{
    if (!options->max_attempts)
        options->max_attempts = PODSKU_MAX_ATTEMPTS;
    if (!options->timeout_ms)
        options->timeout_ms = PODSKU_DEPLOY_TIMEOUT_MS;
    if (!options->settle_ms)
        options->settle_ms = PODSKU_SETTLE_TIMEOUT_MS;
    if (!options->backoff_ms)
        options->backoff_ms = BACKOFF_MS;
    if (!options->poll_ms)
        options->poll_ms = POLL_MS;
    options->wait = options->wait || options->verify || options->need_ssh;
}

/* Two deploys of one launch would rent two pods: the second waits, and then finds the first one's. */
static enum podsku_step take_lock(struct podsku_session *s, struct podsku_launch_lock **lock)
{
    int64_t start = podsku_session_now(s);
    struct podsku_error err = {0};

    while (true) {
        if (podsku_launch_lock(s->journal, s->options.launch_id, lock, &err) != PODSKU_OK) {
            if (s->err->code == PODSKU_OK)
                *s->err = err;
            return podsku_session_stop(s, err.code, PODSKU_DEPLOY_FAILED, "%s", err.message);
        }
        if (*lock)
            return PODSKU_STEP_NEXT;
        if (podsku_session_now(s) - start >= s->options.timeout_ms)
            return podsku_session_stop(s, PODSKU_TIMEOUT, PODSKU_DEPLOY_TIMEOUT,
                                       "another podsku that deploys or settles launch %s still runs",
                                       s->options.launch_id);
        if (podsku_session_signalled(s))
            return podsku_session_stop(s, PODSKU_INTERRUPTED, PODSKU_DEPLOY_INTERRUPTED, "interrupted");
        podsku_session_progress(s, PODSKU_EVENT_PAUSE, PODSKU_NO_ATTEMPT, NULL,
                                "another podsku deploys or settles this launch", podsku_session_now(s) - start,
                                LOCK_PAUSE_MS);
        podsku_session_sleep(s, LOCK_PAUSE_MS, false);
    }
}

/* The plan that is walked: with v1 a copy without what it does not know. */
static enum podsku_step set_plan(struct podsku_session *s, const struct podsku_plan_entry *plan, size_t count)
{
    struct podsku_deploy_result *result = s->result;

    s->plan = plan;
    s->plan_count = count;
    s->at = 0;
    s->tried = 0;
    if (s->options.spec.api != PODSKU_API_V1)
        return PODSKU_STEP_NEXT;
    struct podsku_plan_copy *copies = realloc(result->copies, (result->copy_count + 1) * sizeof *copies);
    if (!copies)
        return podsku_session_no_memory(s);
    result->copies = copies;
    struct podsku_plan_entry *copy = calloc(count, sizeof *copy);
    if (!copy)
        return podsku_session_no_memory(s);
    copies[result->copy_count++].entries = copy;
    s->plan = copy;
    s->plan_count = 0;
    for (size_t i = 0; i < count; i++)
        if (podsku_v1_knows_gpu(plan[i].gpu_id))
            copy[s->plan_count++] = plan[i];
        else
            podsku_session_event(s, PODSKU_EVENT_SKIPPED, PODSKU_NO_ATTEMPT, NULL,
                                 "%s is skipped: REST v1 does not know this type", plan[i].gpu_id);
    if (s->plan_count == 0)
        return podsku_session_stop(s, PODSKU_NO_OFFER, PODSKU_DEPLOY_FAILED,
                                   "REST v1 knows none of the %zu types of the plan", count);
    return PODSKU_STEP_NEXT;
}

/* Whether asking again later can help: candidates were refused for want of capacity, and nothing else is wrong. */
static bool only_refused(const struct podsku_session *s)
{
    for (size_t i = 0; i < s->result->attempt_count; i++)
        if (s->result->attempts[i].outcome == PODSKU_ATTEMPT_MISMATCH)
            return false;
    return !s->stopped && s->refused > 0;
}

static enum podsku_step ask_for_more(struct podsku_session *s)
{
    const struct podsku_plan_entry *plan = NULL;
    struct podsku_error err = {0};
    size_t count = 0;

    if (!s->hooks->more || !only_refused(s))
        return PODSKU_STEP_DONE;
    enum podsku_code code = s->hooks->more(s->hooks->ctx, &plan, &count, &err);
    if (code == PODSKU_OK)
        return count ? set_plan(s, plan, count) : PODSKU_STEP_DONE;
    if (s->err->code == PODSKU_OK)
        *s->err = err;
    enum podsku_deploy_end end = PODSKU_DEPLOY_NO_CAPACITY;
    if (code == PODSKU_TIMEOUT)
        end = PODSKU_DEPLOY_TIMEOUT;
    else if (code == PODSKU_INTERRUPTED)
        end = PODSKU_DEPLOY_INTERRUPTED;
    return podsku_session_stop(s, code, end, "%s", err.message);
}

/* Walks the plan, one create per candidate (with v1: per run of candidates). */
static void walk(struct podsku_session *s)
{
    enum podsku_step step = PODSKU_STEP_NEXT;

    while (step == PODSKU_STEP_NEXT && !s->stopped && s->made < s->options.max_attempts) {
        if (s->at >= s->plan_count) {
            step = ask_for_more(s);
            continue;
        }
        size_t run = podsku_create_run(s->options.spec.api, s->plan + s->at, s->plan_count - s->at);
        int made = s->made;
        step = podsku_session_try(s, s->plan + s->at, run);
        s->at += run;
        s->tried += s->made > made ? 1 : run; /* what was placed is one of those that its create named */
    }
}

/* Reasons to stop after which a pod that turns up late is still wanted. */
static bool still_wanted(const struct podsku_session *s)
{
    return !s->stopped || s->stop_code == PODSKU_SERVER || s->stop_code == PODSKU_NETWORK;
}

/* Before the end: one more list for what is open; a late pod is adopted if nothing else is there. */
static void look_for_late_pods(struct podsku_session *s)
{
    struct podsku_placed placed = {0};
    const char *intent = NULL;

    if (s->hands_off)
        return;
    /* What was left where it is (--keep, untouched) is enough: a late pod beside it is not needed. */
    if (s->handed_over && s->stopped && s->pending_count > 0)
        (void)podsku_session_last_look(s, false, &intent, &placed);
    while (!s->handed_over && s->pending_count > 0) {
        bool wanted = still_wanted(s) && s->made < s->options.max_attempts && !podsku_session_signalled(s);
        if (!podsku_session_last_look(s, wanted, &intent, &placed))
            return;
        struct podsku_placement placement = {.index = PODSKU_NO_ATTEMPT, .entries = s->plan, .entry_count = 1};
        for (size_t i = 0; i < s->pending_count; i++)
            if (strcmp(s->pending[i].intent, intent) == 0 && s->pending[i].entries) {
                placement.entries = s->pending[i].entries;
                placement.entry_count = s->pending[i].entry_count;
            }
        s->stopped = false; /* what stopped it did not stop the service from creating */
        podsku_error_clear(s->err);
        placement.index = podsku_session_adopt(s, intent, &placed);
        if (placement.index != PODSKU_NO_ATTEMPT)
            (void)podsku_session_place(s, &placement, &placed);
        podsku_placed_clear(&placed);
    }
}

static bool add_open(struct podsku_deploy_result *result, const char *launch_id, int attempt, const char *intent,
                     const char *pod_id)
{
    struct podsku_open_entry *list = realloc(result->open, (result->open_count + 1) * sizeof *list);

    if (!list)
        return false;
    result->open = list;
    struct podsku_open_entry *entry = &list[result->open_count++];
    *entry = (struct podsku_open_entry){
        .launch_id = strdup(launch_id),
        .attempt = attempt,
        .intent = strdup(intent),
        .pod_id = pod_id ? strdup(pod_id) : NULL,
    };
    return entry->launch_id && entry->intent && (!pod_id || entry->pod_id);
}

static void open_free(struct podsku_deploy_result *result)
{
    for (size_t i = 0; i < result->open_count; i++) {
        free(result->open[i].launch_id);
        free(result->open[i].intent);
        free(result->open[i].pod_id);
    }
    free(result->open);
    result->open = NULL;
    result->open_count = 0;
}

/* Whether an earlier run of this launch handed over a pod that stays, whatever became of this run's. */
static bool any_kept(const struct podsku_session *s)
{
    for (size_t i = 0; i < s->kept_count; i++) {
        bool taken = false; /* by this run, which could not end it */
        for (size_t k = 0; k < s->result->attempt_count; k++) {
            const struct podsku_attempt *attempt = &s->result->attempts[k];
            taken = taken || (attempt->open && attempt->pod_id && strcmp(attempt->pod_id, s->kept[i].pod_id) == 0);
        }
        if (!taken)
            return true;
    }
    return false;
}

/*
 * What settles it. Reconcile touches nothing of which it cannot tell whose it is: there somebody has to choose. With
 * a launch id it ends all of that launch, which must not be said when a pod of it was handed over.
 */
static void hint_unsettled(const struct podsku_session *s, bool handed_over, struct podsku_error *why)
{
    const char *launch_id = s->options.launch_id;

    if (why->code != PODSKU_UNSETTLED || why->hint[0])
        return;
    if (s->hands_off || s->hidden_said[0])
        podsku_error_hint(why,
                          "look at them with podsku pods get ID, end what is not wanted with podsku pods terminate ID "
                          "(clusters: podsku clusters), then run podsku reconcile --launch-id %s",
                          launch_id);
    else if (handed_over || any_kept(s))
        podsku_error_hint(why, "the journal knows: podsku reconcile --terminate");
    else
        podsku_error_hint(why, "the journal knows: podsku reconcile --launch-id %s --terminate", launch_id);
}

/* Why it is not PODSKU_OK, in the result. */
static void explain(struct podsku_session *s, bool handed_over)
{
    struct podsku_error *why = &s->result->why;
    enum podsku_code code = s->result->code;

    *why = (struct podsku_error){0};
    if (code == PODSKU_OK)
        return;
    if (code == s->err->code)
        *why = *s->err;
    else
        (void)podsku_error_set(why, code, "%s%s%s", "a pod may exist that could not be settled",
                               s->err->message[0] ? "; before that: " : "", s->err->message);
    hint_unsettled(s, handed_over, why);
}

bool podsku_session_conclude(struct podsku_session *s, enum podsku_code code, enum podsku_deploy_end end)
{
    struct podsku_deploy_result *result = s->result;
    bool fits = true;

    open_free(result);
    for (size_t i = 0; i < s->pending_count; i++)
        fits = fits && add_open(result, s->options.launch_id, s->pending[i].attempt, s->pending[i].intent,
                                s->pending[i].pod_id);
    for (size_t i = 0; i < result->attempt_count; i++) {
        const struct podsku_attempt *attempt = &result->attempts[i];
        for (size_t k = 0; fits && attempt->open && k < attempt->left_count; k++)
            fits = add_open(result, s->options.launch_id, attempt->attempt, attempt->intent, attempt->left[k]);
        if (attempt->pod_id && attempt->open && attempt->left_count == 0)
            fits = fits && add_open(result, s->options.launch_id, attempt->attempt, attempt->intent, attempt->pod_id);
    }
    bool unsettled = s->not_gone || (s->unreadable && s->pending_count > 0);
    result->code = unsettled ? PODSKU_UNSETTLED : code;
    result->end = unsettled ? PODSKU_DEPLOY_UNSETTLED : end;
    result->spent_uusd = podsku_session_spent(s);
    explain(s, s->handed_over || code == PODSKU_OK);
    if (!fits)
        (void)podsku_session_no_memory(s);
    return fits;
}

static bool any_outcome(const struct podsku_session *s, enum podsku_attempt_outcome outcome)
{
    for (size_t i = 0; i < s->result->attempt_count; i++)
        if (s->result->attempts[i].outcome == outcome)
            return true;
    return false;
}

/* Every constraint of the request, since any of them may be what left no capacity. */
static void hint_constraints(const struct podsku_session *s)
{
    const struct podsku_create_spec *spec = &s->options.spec;
    char centers[256] = "";

    for (size_t i = 0; i < spec->data_center_count; i++) {
        size_t len = strlen(centers);
        (void)snprintf(centers + len, sizeof centers - len, "%s%s", i ? "," : ", data centers ", spec->data_centers[i]);
    }
    podsku_error_hint(s->err,
                      "asked for: %d GPUs, %s cloud%s%s%s; more types, another cloud, fewer constraints or "
                      "--wait-stock may help",
                      s->plan[0].gpus, s->plan[0].cloud, centers, spec->min_cuda ? ", CUDA from " : "",
                      spec->min_cuda ? spec->min_cuda : "");
}

/* The plan is walked, and nothing was kept: which of the attempts' reasons is told. 6 wins over 4. */
static void exhausted(struct podsku_session *s)
{
    size_t count = s->plan_count;
    bool all = s->tried >= count || s->tried == 0;

    if (any_outcome(s, PODSKU_ATTEMPT_MISMATCH)) {
        (void)podsku_session_stop(s, PODSKU_MISMATCH, PODSKU_DEPLOY_MISMATCH,
                                  "what was placed is not what was asked for");
        return;
    }
    if (s->made == 0 && s->refused == 0 && s->unrecognised == 0 && s->denied > 0) {
        (void)podsku_session_stop(s, PODSKU_DENIED, PODSKU_DEPLOY_DENIED,
                                  "this account may not rent any of the %zu candidates", count);
        return;
    }
    if (s->made == 0 && s->refused == 0 && s->denied == 0 && s->unrecognised > 1 && !s->details_differ) {
        (void)podsku_session_stop(s, PODSKU_REQUEST, PODSKU_DEPLOY_FAILED,
                                  "every candidate was refused with the same words, which name no capacity: %s",
                                  s->detail[0] ? s->detail : "(none)");
        return;
    }
    if (s->made >= s->options.max_attempts)
        (void)podsku_session_stop(s, PODSKU_NO_CAPACITY, PODSKU_DEPLOY_FAILED,
                                  "%d pods were created and none of them stayed (--max-attempts)", s->made);
    else
        (void)podsku_session_stop(s, PODSKU_NO_CAPACITY,
                                  any_outcome(s, PODSKU_ATTEMPT_FAILED) ? PODSKU_DEPLOY_FAILED
                                                                        : PODSKU_DEPLOY_NO_CAPACITY,
                                  count == 1      ? "the only candidate could not be placed"
                                  : all           ? "none of the %zu candidates could be placed"
                                  : s->tried == 1 ? "the one candidate that was tried could not be placed"
                                                  : "none of the %zu candidates that were tried could be placed",
                                  all ? count : s->tried);
    hint_constraints(s);
}

static void say_open(struct podsku_session *s)
{
    for (size_t i = 0; i < s->result->open_count; i++) {
        const struct podsku_open_entry *open = &s->result->open[i];
        const char *seen = open->pod_id ? open->pod_id : s->hidden_said;
        const char *what = " may still run";
        if (!open->pod_id && s->hidden_said[0])
            what = " may be its pod";
        else if (!open->pod_id && s->hands_off)
            what = "the pods named above may be its";
        else if (!open->pod_id)
            what = "a pod may exist that nobody has seen";
        podsku_session_event(s, PODSKU_EVENT_OPEN, PODSKU_NO_ATTEMPT, NULL,
                             "open: launch %s attempt %d: %s%s; podsku reconcile looks again", open->launch_id,
                             open->attempt, seen, what);
    }
}

/* The final code: 8 wins over everything, success over what was overcome. */
static void finish(struct podsku_session *s)
{
    look_for_late_pods(s);
    bool success = s->handed_over && !s->stopped;
    if (!s->stopped && !success)
        exhausted(s);
    enum podsku_code code = success ? PODSKU_OK : s->stop_code;
    enum podsku_deploy_end end = success ? s->result->end : s->stop_end;
    if (!s->handed_over && s->pending_count > 0 && code != PODSKU_NO_MEMORY) {
        code = PODSKU_UNSETTLED;
        end = PODSKU_DEPLOY_UNSETTLED;
    }
    /* The last look settled it after all. What is left is that it had to stop. */
    if (code == PODSKU_UNSETTLED && s->stopped_blind && s->pending_count == 0 && !s->not_gone && !s->hands_off) {
        code = PODSKU_SERVER;
        end = PODSKU_DEPLOY_FAILED;
        podsku_error_clear(s->err);
        (void)podsku_error_set(s->err, code,
                               "the list of pods could not be read in time; nothing of this launch is left");
    }
    (void)podsku_session_conclude(s, code, end);
    say_open(s);
    *s->err = s->result->why;
}

static void session_free(struct podsku_session *s)
{
    podsku_pending_free(s);
    free(s->rentals);
    for (size_t i = 0; i < s->closed_count; i++)
        free(s->closed[i]);
    free(s->closed);
}

static enum podsku_step begin(struct podsku_session *s, const struct podsku_plan_entry *plan, size_t plan_count,
                              struct podsku_launch_lock **lock)
{
    struct podsku_error err = {0};

    s->result->launch_id = strdup(s->options.launch_id);
    if (!s->result->launch_id)
        return podsku_session_no_memory(s);
    if (podsku_random_hex(SALT_BYTES, s->salt, sizeof s->salt, &err) != PODSKU_OK ||
        podsku_client_key_hmac(s->client, s->salt, s->key_hmac, &err) != PODSKU_OK) {
        *s->err = err;
        return podsku_session_stop(s, err.code, PODSKU_DEPLOY_FAILED, "%s", err.message);
    }
    enum podsku_step step = set_plan(s, plan, plan_count);
    if (step == PODSKU_STEP_NEXT)
        step = take_lock(s, lock);
    return step;
}

enum podsku_code podsku_deploy(struct podsku_client *client, struct podsku_journal *journal,
                               const struct podsku_deploy_options *options, const struct podsku_plan_entry *plan,
                               size_t plan_count, const struct podsku_deploy_hooks *hooks,
                               struct podsku_deploy_result *result, struct podsku_error *err)
{
    struct podsku_launch_lock *lock = NULL;
    struct podsku_error own = {0};
    struct podsku_error minor = {0};
    struct podsku_session s = {
        .client = client,
        .journal = journal,
        .options = *options,
        .hooks = hooks,
        .clock = podsku_client_clock(client),
        .result = result,
        .err = &own,
        .next_attempt = 1,
    };

    *result = (struct podsku_deploy_result){.api = options->spec.api};
    fill_defaults(&s.options);
    enum podsku_step step = begin(&s, plan, plan_count, &lock);
    if (step == PODSKU_STEP_NEXT)
        step = podsku_session_start(&s);
    if (step == PODSKU_STEP_NEXT)
        walk(&s);
    finish(&s);
    /* A journal that stays large is no failure of this run. */
    if (lock && podsku_journal_compact(journal, &minor) != PODSKU_OK)
        podsku_session_event(&s, PODSKU_EVENT_NOTE, PODSKU_NO_ATTEMPT, NULL, "%s", minor.message);
    podsku_launch_unlock(lock);
    session_free(&s);
    if (result->code != PODSKU_OK && err->code == PODSKU_OK)
        *err = own;
    return result->code;
}
