/* A placed pod until it is handed over, or terminated and proven gone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "client/deploy_private.h"

#define LAST_LINES 10
#define LAST_LINES_MS 3000 /* how long the last log lines of a failed pod may take */
#define LINE_SIZE 256

/* The rows of the table of events: what became of the pod, and how the run goes on. */
static const struct row {
    enum podsku_attempt_outcome outcome;
    enum podsku_code code;
    enum podsku_deploy_end end;
    bool next; /* the next candidate is tried */
} rows[] = {
    [PODSKU_READY] = {PODSKU_ATTEMPT_PLACED, PODSKU_OK, PODSKU_DEPLOY_CREATED, false},
    [PODSKU_READY_WRONG] = {PODSKU_ATTEMPT_MISMATCH, PODSKU_MISMATCH, PODSKU_DEPLOY_MISMATCH, true},
    [PODSKU_READY_FAILED] = {PODSKU_ATTEMPT_FAILED, PODSKU_NO_CAPACITY, PODSKU_DEPLOY_FAILED, true},
    [PODSKU_READY_TIMEOUT] = {PODSKU_ATTEMPT_TERMINATED, PODSKU_TIMEOUT, PODSKU_DEPLOY_TIMEOUT, false},
    [PODSKU_READY_UNVERIFIED] = {PODSKU_ATTEMPT_TERMINATED, PODSKU_UNVERIFIED, PODSKU_DEPLOY_UNVERIFIED, false},
    [PODSKU_READY_SPENT] = {PODSKU_ATTEMPT_TERMINATED, PODSKU_NO_CAPACITY, PODSKU_DEPLOY_FAILED, false},
    [PODSKU_READY_SIGNAL] = {PODSKU_ATTEMPT_TERMINATED, PODSKU_INTERRUPTED, PODSKU_DEPLOY_INTERRUPTED, false},
    [PODSKU_READY_REFUSED] = {PODSKU_ATTEMPT_TERMINATED, PODSKU_OK, PODSKU_DEPLOY_FAILED, false}, /* code: err's */
};

static void say_from_proof(void *ctx, const char *text)
{
    struct podsku_session *s = ctx;

    podsku_session_event(s, PODSKU_EVENT_NOTE, PODSKU_NO_ATTEMPT, NULL, "DELETE: %s; again", text);
}

/* A pod that outlived its cluster: it is what is open. */
static void note_left(void *ctx, const char *pod_id)
{
    struct podsku_attempt *attempt = ctx;
    char **left = realloc(attempt->left, (attempt->left_count + 1) * sizeof *left);

    if (!left)
        return; /* then its cluster is named */
    attempt->left = left;
    left[attempt->left_count] = strdup(pod_id);
    attempt->left_count += left[attempt->left_count] != NULL;
}

bool podsku_session_end(struct podsku_session *s, size_t index, const struct podsku_placed *placed, int64_t absent_ms,
                        const char *why)
{
    struct podsku_attempt *attempt = &s->result->attempts[index];
    const struct podsku_gone_request request = {
        .api = s->options.spec.api,
        .id = podsku_placed_id(placed),
        .cluster = placed->cluster.id != NULL,
        .intent = attempt->intent[0] ? attempt->intent : NULL,
        .settle_ms = s->options.settle_ms,
        .created_mono_ms = placed->created_mono_ms,
        .absent_mono_ms = absent_ms,
        .signals = &s->hooks->signals,
        .say = say_from_proof,
        .say_ctx = s,
        .left = note_left,
        .left_ctx = attempt,
    };
    struct podsku_gone_result gone = {0};
    struct podsku_error err = {0};

    podsku_attempt_forget_left(attempt);
    podsku_session_event(s, PODSKU_EVENT_TERMINATING, index, placed, "%s: terminating %s", why, request.id);
    (void)!podsku_prove_gone(s->client, &request, &gone, &err); /* gone.how says it all */
    if (gone.gone) {
        attempt->gone = true;
        if (attempt->outcome == PODSKU_ATTEMPT_PENDING || attempt->outcome == PODSKU_ATTEMPT_PLACED ||
            attempt->outcome == PODSKU_ATTEMPT_ADOPTED)
            attempt->outcome = PODSKU_ATTEMPT_TERMINATED;
        attempt->open = false;
        podsku_session_unrent(s, index);
        if (!podsku_session_close(s, request.id))
            (void)podsku_session_no_memory(s);
        (void)podsku_session_journal(s, index, PODSKU_ENTRY_GONE, false, why);
        podsku_session_event(s, PODSKU_EVENT_GONE, index, placed, "%s is gone: %s", request.id, gone.how);
        return true;
    }
    if (attempt->outcome == PODSKU_ATTEMPT_PENDING)
        attempt->outcome = PODSKU_ATTEMPT_PLACED;
    attempt->open = true;
    s->not_gone = true;
    podsku_session_event(s, PODSKU_EVENT_NOT_GONE, index, placed, "%s may still run: %s", request.id, gone.how);
    (void)podsku_session_stop(s, PODSKU_UNSETTLED, PODSKU_DEPLOY_UNSETTLED, "%s may still run: %s", request.id,
                              gone.how);
    return false;
}

/* The last lines of a log, as a ring. */
struct log_tail {
    char lines[LAST_LINES][LINE_SIZE];
    size_t count;
};

static bool keep_line(void *ctx, const char *event_id, const char *source, const char *text)
{
    struct log_tail *tail = ctx;

    (void)event_id;
    (void)source;
    (void)snprintf(tail->lines[tail->count++ % LAST_LINES], LINE_SIZE, "%s", text);
    return true;
}

/* A failed pod's own words, before it and its log are gone. They may be missing: it failed. */
static void show_log(struct podsku_session *s, size_t index, const struct podsku_placed *placed)
{
    struct podsku_error ignored = {0};
    struct log_tail tail = {.count = 0};

    if (!placed->pod.id || s->options.spec.api != PODSKU_API_V2 || !s->hooks->event)
        return;
    if (podsku_api_pod_logs(s->client, placed->pod.id, NULL, keep_line, &tail, LAST_LINES_MS, &ignored) != PODSKU_OK &&
        tail.count == 0)
        return;
    for (size_t i = tail.count > LAST_LINES ? tail.count - LAST_LINES : 0; i < tail.count; i++)
        podsku_session_event(s, PODSKU_EVENT_LOG, index, placed, "%s", tail.lines[i % LAST_LINES]);
}

/* Into the result, where the hooks and the caller see it. */
static void show_placed(struct podsku_session *s, size_t index, struct podsku_placed *placed)
{
    podsku_placed_clear(&s->result->placed);
    s->result->placed = *placed;
    s->result->has_placed = true;
    s->result->report = s->result->attempts[index].report;
    s->result->spent_uusd = podsku_session_spent(s);
    *placed = (struct podsku_placed){0};
}

/* And out of it again: it will not be handed over. */
static void hide_placed(struct podsku_session *s, struct podsku_placed *placed)
{
    *placed = s->result->placed;
    s->result->placed = (struct podsku_placed){0};
    s->result->has_placed = false;
    s->result->report = NULL;
}

/* A row that ends with the pod left where it is: --keep, or it is not ours to end. */
static enum podsku_step leave(struct podsku_session *s, const struct podsku_placement *placement,
                              struct podsku_placed *placed, const struct row *row, enum podsku_code code,
                              const char *why)
{
    struct podsku_attempt *attempt = &s->result->attempts[placement->index];

    if (!placement->untouchable) {
        attempt->outcome = PODSKU_ATTEMPT_KEPT;
        (void)podsku_session_journal(s, placement->index, PODSKU_ENTRY_KEPT, false, why);
    } else if (placement->journaled) {
        attempt->open = true; /* its entry stays unfinished: nobody may take the launch for settled */
    }
    podsku_session_event(s, PODSKU_EVENT_KEPT, placement->index, placed, "%s: %s is %s and goes on costing", why,
                         podsku_placed_id(placed), placement->untouchable ? "left untouched" : "kept (--keep)");
    show_placed(s, placement->index, placed);
    s->handed_over = true;
    return podsku_session_stop(s, code, row->end, "%s: %s was %s", why, podsku_placed_id(&s->result->placed),
                               placement->untouchable ? "left untouched" : "kept");
}

/* A row of the table other than success. */
static enum podsku_step fail(struct podsku_session *s, const struct podsku_placement *placement,
                             struct podsku_placed *placed, enum podsku_ready ready, int64_t absent_ms, const char *why)
{
    /* An adopted pod that has ended is not what was asked for; it is not ours to replace. */
    const struct row *row = &rows[placement->untouchable && ready == PODSKU_READY_FAILED ? PODSKU_READY_WRONG : ready];
    enum podsku_code code = ready == PODSKU_READY_REFUSED ? s->err->code : row->code;

    podsku_session_detail(s, placement->index, "%s", why);
    if (ready == PODSKU_READY_FAILED)
        show_log(s, placement->index, placed);
    if (placement->untouchable || s->options.keep)
        return leave(s, placement, placed, row, code, why);
    /* That it was terminated is said once it is proven. */
    if (row->outcome != PODSKU_ATTEMPT_TERMINATED)
        s->result->attempts[placement->index].outcome = row->outcome;
    if (!row->next)
        (void)podsku_session_stop(s, code, row->end, "%s", why);
    bool gone = podsku_session_end(s, placement->index, placed, absent_ms, why);
    podsku_placed_clear(placed);
    return gone && row->next && !s->stopped ? PODSKU_STEP_NEXT : PODSKU_STEP_STOP;
}

size_t podsku_session_adopt(struct podsku_session *s, const char *intent, struct podsku_placed *placed)
{
    const struct podsku_plan_entry *entries = placed->entry;
    size_t index = PODSKU_NO_ATTEMPT, entry_count = 1;
    int number = 0;

    for (size_t i = 0; i < s->pending_count; i++)
        if (strcmp(s->pending[i].intent, intent) == 0) {
            index = s->pending[i].index;
            number = s->pending[i].attempt;
            if (s->pending[i].entries && entries) {
                entries = s->pending[i].entries;
                entry_count = s->pending[i].entry_count;
            }
        }
    if (index == PODSKU_NO_ATTEMPT)
        index = podsku_session_attempt(s, number, intent, placed->entry);
    if (index == PODSKU_NO_ATTEMPT || !podsku_session_rent(s, index, placed)) {
        (void)podsku_session_no_memory(s);
        return PODSKU_NO_ATTEMPT;
    }
    struct podsku_attempt *attempt = &s->result->attempts[index];
    attempt->outcome = PODSKU_ATTEMPT_ADOPTED;
    attempt->open = false;
    free(attempt->pod_id);
    attempt->pod_id = strdup(podsku_placed_id(placed));
    if (entries)
        podsku_session_identify(s, index, entries, entry_count, placed);
    s->made++;
    podsku_session_event(s, PODSKU_EVENT_ADOPTED, index, placed, "found by its mark: %s is the pod of attempt %d",
                         podsku_placed_id(placed), attempt->attempt);
    podsku_session_journal_made(s, index, placed, "found by its mark");
    podsku_session_unpend(s, attempt->intent);
    return index;
}

bool podsku_session_last_look(struct podsku_session *s, bool may_adopt, const char **intent,
                              struct podsku_placed *placed)
{
    while (true) {
        enum podsku_found found = podsku_settle_again(s, intent, placed);
        if (found == PODSKU_FOUND_AMBIGUOUS)
            (void)podsku_session_stop_found(s, found, "an open entry");
        if (found != PODSKU_FOUND_ONE)
            return false;
        if (may_adopt)
            return true;
        size_t index = podsku_session_adopt(s, *intent, placed);
        if (index == PODSKU_NO_ATTEMPT) {
            podsku_placed_clear(placed);
            return false;
        }
        podsku_session_detail(s, index, "it came late");
        (void)podsku_session_end(s, index, placed, 0, "it came late, and is not needed any more");
        podsku_placed_clear(placed);
    }
}

/* Until when it may be used: its time to live, or what may be spent. */
static int64_t use_deadline(struct podsku_session *s, const struct podsku_placed *placed)
{
    int64_t now = podsku_session_now(s);
    int64_t deadline = s->options.ttl_ms ? now + s->options.ttl_ms : INT64_MAX;
    int64_t affordable = podsku_session_spend_left_ms(s);

    if (placed->expires_s) {
        int64_t left = placed->expires_s * 1000 - podsku_clock_wall_ms(s->clock);
        deadline = now + (left > 0 ? left : 0);
    }
    s->result->spend_ends = affordable < deadline - now;
    return s->result->spend_ends ? now + affordable : deadline;
}

/* From now on a pod that was there before is on this run's bill, and this run ends it. */
static void take_over(struct podsku_session *s, size_t index, const struct podsku_placed *placed)
{
    struct podsku_placed from_now = *placed; /* borrowed */

    from_now.created_mono_ms = podsku_session_now(s);
    if (!podsku_session_rent(s, index, &from_now))
        podsku_session_event(s, PODSKU_EVENT_WARNING, index, placed, "what %s costs is not counted: out of memory",
                             podsku_placed_id(placed));
    if (!s->options.keep)
        podsku_session_event(s, PODSKU_EVENT_WARNING, index, placed,
                             "%s was there before this run, and ends with it: launch %s was deployed earlier, and run "
                             "terminates what it ran on",
                             podsku_placed_id(placed), s->options.launch_id);
}

static bool say_terminated(struct podsku_pod *pod)
{
    free(pod->status_word);
    pod->status = PODSKU_POD_TERMINATED;
    pod->status_word = strdup("TERMINATED");
    return pod->status_word != NULL;
}

/* The use is over: so is the pod, and the result shows what was proven of it. False: it may still run. */
static bool end_used(struct podsku_session *s, const struct podsku_placement *placement, const char *why)
{
    struct podsku_placed *placed = &s->result->placed;

    (void)podsku_session_signalled(s); /* what ended the use must not end the clean-up */
    if (!podsku_session_end(s, placement->index, placed, 0, why))
        return false;
    bool fits = !placed->pod.id || say_terminated(&placed->pod);
    for (size_t i = 0; i < placed->members.count; i++)
        fits = say_terminated(&placed->members.list[i]) && fits;
    if (!fits)
        (void)podsku_session_no_memory(s);
    return true;
}

static enum podsku_deploy_end end_of_use(enum podsku_code code)
{
    switch (code) {
    case PODSKU_TIMEOUT: return PODSKU_DEPLOY_TIMEOUT;
    case PODSKU_UNVERIFIED: return PODSKU_DEPLOY_UNVERIFIED;
    case PODSKU_INTERRUPTED: return PODSKU_DEPLOY_INTERRUPTED;
    default: return PODSKU_DEPLOY_FAILED;
    }
}

static enum podsku_step used(struct podsku_session *s, const struct podsku_placement *placement,
                             struct podsku_placed *placed)
{
    struct podsku_error err = {0};

    if (placement->untouchable)
        take_over(s, placement->index, placed);
    int64_t deadline = use_deadline(s, placed);
    show_placed(s, placement->index, placed);
    enum podsku_code code = s->hooks->use(s->hooks->ctx, s->result, deadline, &err);
    const char *why = code == PODSKU_OK ? "the command has ended"
                      : err.message[0]  ? err.message
                                        : podsku_code_text(code);
    if (s->options.keep) {
        (void)podsku_session_journal(s, placement->index, PODSKU_ENTRY_KEPT, false, "--keep");
        podsku_session_event(s, PODSKU_EVENT_KEPT, placement->index, &s->result->placed,
                             "%s is kept (--keep) and goes on costing", podsku_placed_id(&s->result->placed));
        s->handed_over = true;
    } else {
        s->handed_over = end_used(s, placement, why);
    }
    if (code == PODSKU_OK)
        return PODSKU_STEP_DONE;
    if (s->err->code == PODSKU_OK)
        *s->err = err; /* with its hint */
    return podsku_session_stop(s, code, end_of_use(code), "%s", why);
}

/* Told to the user and to the journal, or not at all. */
static enum podsku_step hand_over(struct podsku_session *s, const struct podsku_placement *placement,
                                  struct podsku_placed *placed)
{
    struct podsku_error err = {0};
    enum podsku_code code = PODSKU_OK;

    show_placed(s, placement->index, placed);
    if (s->hooks->hand_over)
        code = s->hooks->hand_over(s->hooks->ctx, s->result, &err);
    if (code == PODSKU_OK) {
        code = placement->untouchable
                   ? podsku_session_journal_adopted(s, placement->index, &s->result->placed)
                   : podsku_session_journal(s, placement->index, PODSKU_ENTRY_HANDED_OVER, false, NULL);
        if (code != PODSKU_OK)
            (void)podsku_error_set(&err, code, "the journal could not be written");
    }
    if (code == PODSKU_OK) {
        s->handed_over = true;
        return PODSKU_STEP_DONE;
    }
    if (placement->untouchable || s->options.keep) {
        const struct row failed = {PODSKU_ATTEMPT_KEPT, code, PODSKU_DEPLOY_FAILED, false};
        hide_placed(s, placed);
        return leave(s, placement, placed, &failed, code,
                     err.message[0] ? err.message : "the result could not be handed over");
    }
    hide_placed(s, placed);
    (void)podsku_session_stop(s, code, PODSKU_DEPLOY_FAILED, "%s",
                              err.message[0] ? err.message : podsku_code_text(code));
    (void)podsku_session_end(s, placement->index, placed, 0, "the result could not be handed over");
    podsku_placed_clear(placed);
    return PODSKU_STEP_STOP;
}

enum podsku_step podsku_session_place(struct podsku_session *s, const struct podsku_placement *placement,
                                      struct podsku_placed *placed)
{
    struct podsku_placed late = {0};
    const char *intent = NULL;
    int64_t absent_ms = 0;
    char why[512] = "";

    enum podsku_ready ready = podsku_wait_ready(s, placement->index, placement->entries, placement->entry_count, placed,
                                                &absent_ms, why, sizeof why);
    if (ready != PODSKU_READY)
        return fail(s, placement, placed, ready, absent_ms, why);
    /* Open entries are looked for once more before the end; late pods are not needed now. */
    (void)podsku_session_last_look(s, false, &intent, &late);
    if (podsku_session_signalled(s))
        return fail(s, placement, placed, PODSKU_READY_SIGNAL, 0, "interrupted");
    if (s->result->attempts[placement->index].outcome != PODSKU_ATTEMPT_ADOPTED)
        s->result->attempts[placement->index].outcome = PODSKU_ATTEMPT_PLACED;
    enum podsku_deploy_end end = PODSKU_DEPLOY_CREATED;
    if (s->options.wait)
        end = s->options.verify ? PODSKU_DEPLOY_VERIFIED : PODSKU_DEPLOY_RUNNING;
    if (!podsku_session_conclude(s, PODSKU_OK, end))
        return fail(s, placement, placed, PODSKU_READY_REFUSED, 0, "out of memory");
    return s->hooks->use ? used(s, placement, placed) : hand_over(s, placement, placed);
}
