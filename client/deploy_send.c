/* One candidate: sends, and what their answers mean. Every send is an attempt with its own intent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/money.h"
#include "client/deploy_private.h"

#define INTENT_BYTES 16
#define BACKOFF_LONGEST_MS 30000

/* One candidate while it is tried (with v1: a run of candidates, in one request). */
struct
try {
    struct podsku_session *s;
    const struct podsku_plan_entry *entries;
    size_t entry_count;
    int lost; /* sends whose reply was lost or a failure, and that made nothing as far as is known */
    int conflicts;
    int64_t pause_ms;  /* before the next send */
    int64_t paused_ms; /* spent in throttling so far */
    size_t index;      /* the present attempt */
    int64_t sent_ms, sent_wall_ms;
    int64_t expires_s;  /* as the present attempt was marked; 0: none */
    const json_t *body; /* of the present attempt */
    struct podsku_create_result answer;
};

typedef enum podsku_step (*on_answer)(struct try *t);

/* ------------------------------------------------------------------ before the send */

static bool fill_ids(const struct try *t, struct podsku_entry *entry)
{
    entry->gpu_ids = calloc(t->entry_count, sizeof *entry->gpu_ids);
    if (!entry->gpu_ids)
        return false;
    for (size_t i = 0; i < t->entry_count; i++)
        entry->gpu_ids[i] = (char *)t->entries[i].gpu_id; /* borrowed: the entry is only written */
    entry->gpu_id_count = t->entry_count;
    return true;
}

/* Makes the intent durable. No durable intent, no create. */
static enum podsku_code write_intent(struct try *t, const struct podsku_create_marks *marks, const json_t *body,
                                     struct podsku_error *err)
{
    struct podsku_session *s = t->s;
    const struct podsku_plan_entry *first = t->entries;
    struct podsku_entry entry = {
        .launch_id = (char *)marks->launch_id,
        .attempt = marks->attempt,
        .intent = (char *)marks->intent,
        .url = (char *)podsku_client_url(s->client, s->options.spec.api),
        .api = (char *)podsku_api_name(s->options.spec.api),
        .salt = s->salt,
        .key_hmac = s->key_hmac,
        .cluster = first->nodes > 1,
        .name = (char *)json_string_value(json_object_get(body, "name")),
        .cloud = (char *)first->cloud,
        .gpus = first->gpus,
        .nodes = first->nodes,
        .price_uusd = first->price_uusd,
        .expires_s = marks->expires_s,
        .at_ms = podsku_clock_wall_ms(s->clock),
        .body = podsku_create_body_masked(body),
    };
    enum podsku_code code = PODSKU_OK;

    if (!entry.body || !fill_ids(t, &entry))
        code = podsku_error_no_memory(err);
    else
        code = podsku_journal_intent(s->journal, &entry, err);
    free(entry.gpu_ids);
    json_decref(entry.body);
    return code;
}

static enum podsku_code send(struct try *t, const json_t *body, struct podsku_error *err)
{
    struct podsku_session *s = t->s;

    podsku_create_result_clear(&t->answer);
    t->sent_ms = podsku_session_now(s);
    t->sent_wall_ms = podsku_clock_wall_ms(s->clock);
    t->body = body;
    if (t->entries[0].nodes > 1)
        return podsku_api_create_cluster(s->client, body, &t->answer, err);
    return podsku_api_create_pod(s->client, s->options.spec.api, body, &t->answer, err);
}

static void note_answer(struct try *t)
{
    struct podsku_attempt *attempt = &t->s->result->attempts[t->index];

    attempt->http_status = t->answer.http_status;
    if (t->answer.detail[0])
        podsku_session_detail(t->s, t->index, "%s", t->answer.detail);
    free(attempt->request_id);
    attempt->request_id = t->answer.request_id[0] ? strdup(t->answer.request_id) : NULL;
}

/* ------------------------------------------------------------------ after the answer */

/* Nothing was created: outcome, journal, event. */
static void close_attempt(struct try *t, enum podsku_attempt_outcome outcome, const char *what)
{
    struct podsku_session *s = t->s;

    s->result->attempts[t->index].outcome = outcome;
    (void)podsku_session_journal(s, t->index, PODSKU_ENTRY_NOT_MADE, false, what);
    podsku_session_event(s, PODSKU_EVENT_ANSWER, t->index, NULL, "%s%s%s", what, t->answer.detail[0] ? ": " : "",
                         t->answer.detail);
}

static enum podsku_step on_made(struct try *t)
{
    struct podsku_session *s = t->s;
    struct podsku_attempt *attempt = &s->result->attempts[t->index];
    struct podsku_placed placed = {
        .pod = t->answer.pod, .cluster = t->answer.cluster, .created_mono_ms = t->sent_ms, .entry = attempt->entry};
    const struct podsku_placement placement = {.index = t->index, .entries = t->entries, .entry_count = t->entry_count};
    char price[PODSKU_MONEY_TEXT_SIZE];

    t->answer.pod = (struct podsku_pod){0};
    t->answer.cluster = (struct podsku_cluster){0};
    s->made++;
    attempt->pod_id = strdup(podsku_placed_id(&placed));
    podsku_session_identify(s, t->index, t->entries, t->entry_count, &placed);
    /* A cluster's answer has no env, and an env may be kept back: then it is as it was sent. */
    placed.expires_s = placed.pod.marks_known && !placed.pod.env_empty ? placed.pod.marks.expires_s : t->expires_s;
    podsku_placed_price(&placed);
    podsku_session_event(s, PODSKU_EVENT_MADE, t->index, &placed, "created %s%s%s%s%s", podsku_placed_id(&placed),
                         placed.pod.data_center ? ", " : "", placed.pod.data_center ? placed.pod.data_center : "",
                         placed.price_uusd ? ", " : "",
                         placed.price_uusd ? podsku_money_text(placed.price_uusd, price) : "");
    podsku_session_journal_made(s, t->index, &placed, NULL);
    if (!attempt->pod_id || !podsku_session_rent(s, t->index, &placed)) {
        (void)podsku_session_end(s, t->index, &placed, 0, "out of memory");
        podsku_placed_clear(&placed);
        return podsku_session_no_memory(s);
    }
    enum podsku_step step = podsku_session_place(s, &placement, &placed);
    podsku_placed_clear(&placed);
    return step;
}

/* The pod of an open reply was found: from here on as after a 201. */
static enum podsku_step on_found(struct try *t, const char *intent, const struct podsku_plan_entry *entries,
                                 size_t entry_count, struct podsku_placed *placed)
{
    struct podsku_session *s = t->s;
    const struct podsku_placement placement = {
        .index = podsku_session_adopt(s, intent, placed), .entries = entries, .entry_count = entry_count};
    enum podsku_step step = PODSKU_STEP_STOP;

    if (placement.index != PODSKU_NO_ATTEMPT)
        step = podsku_session_place(s, &placement, placed);
    podsku_placed_clear(placed);
    return step;
}

/* Keeps the intent open, looks for its pod through a settle timeout. SAME: nothing was found. */
static enum podsku_step settle(struct try *t, enum podsku_attempt_outcome outcome, const char *what)
{
    struct podsku_session *s = t->s;
    struct podsku_attempt *attempt = &s->result->attempts[t->index];
    struct podsku_placed placed = {0};
    const struct podsku_pending pending = {
        .intent = attempt->intent,
        .attempt = attempt->attempt,
        .index = t->index,
        .cluster = t->entries[0].nodes > 1,
        .name = (char *)json_string_value(json_object_get(t->body, "name")), /* copied */
        .sent_mono_ms = t->sent_ms,
        .at_wall_ms = t->sent_wall_ms,
        .entries = t->entries,
        .entry_count = t->entry_count,
    };

    attempt->outcome = outcome;
    attempt->open = true;
    podsku_session_event(s, PODSKU_EVENT_ANSWER, t->index, NULL, "%s%s%s: looking whether it was created", what,
                         t->answer.detail[0] ? ": " : "", t->answer.detail);
    (void)podsku_session_journal(s, t->index, PODSKU_ENTRY_OPEN, false, what);
    if (!podsku_session_pend(s, &pending))
        return podsku_session_no_memory(s);
    enum podsku_found found = podsku_settle(s, attempt->intent, podsku_session_now(s), &placed);
    if (found == PODSKU_FOUND_ONE)
        return on_found(t, attempt->intent, t->entries, t->entry_count, &placed);
    if (found != PODSKU_FOUND_NONE)
        return podsku_session_stop_found(s, found, "this create");
    (void)podsku_session_journal(s, t->index, PODSKU_ENTRY_OPEN, true, "assumed not done");
    podsku_session_event(s, PODSKU_EVENT_NOTE, t->index, NULL, "no pod with its mark was found: assumed not done");
    return podsku_session_signalled(s)
               ? podsku_session_stop(s, PODSKU_INTERRUPTED, PODSKU_DEPLOY_INTERRUPTED, "interrupted")
               : PODSKU_STEP_SAME;
}

/* Doubles the pause; a deterministic spread by the attempt's own random intent keeps clients apart. */
static void back_off(struct try *t)
{
    const char *intent = t->s->result->attempts[t->index].intent;
    int64_t base = t->s->options.backoff_ms << (t->lost > 1 ? t->lost - 1 : 0);

    if (base > BACKOFF_LONGEST_MS)
        base = BACKOFF_LONGEST_MS;
    t->pause_ms = base / 2 + base / 2 * (intent[0] % 16) / 15;
}

static enum podsku_step on_open(struct try *t)
{
    enum podsku_step step = settle(t, PODSKU_ATTEMPT_LOST_REPLY, "the reply was lost");

    if (step != PODSKU_STEP_SAME)
        return step;
    if (++t->lost < PODSKU_MAX_SENDS)
        return PODSKU_STEP_SAME;
    t->s->refused++;
    return PODSKU_STEP_NEXT;
}

static enum podsku_step on_server(struct try *t)
{
    char what[64];

    (void)snprintf(what, sizeof what, "the service failed (%d)", t->answer.http_status);
    enum podsku_step step = settle(t, PODSKU_ATTEMPT_SERVER_ERROR, what);
    if (step != PODSKU_STEP_SAME)
        return step;
    t->lost++;
    /* v1 answers 500 for "no capacity" and for user errors alike: settled once, then the next run. */
    if (t->s->options.spec.api == PODSKU_API_V1 && t->answer.http_status == 500) {
        t->s->refused++;
        return PODSKU_STEP_NEXT;
    }
    if (t->lost < PODSKU_MAX_SENDS) {
        back_off(t);
        return PODSKU_STEP_SAME;
    }
    return podsku_session_stop(t->s, PODSKU_SERVER, PODSKU_DEPLOY_FAILED, "the service failed %d times: %s", t->lost,
                               t->answer.detail[0] ? t->answer.detail : what);
}

static enum podsku_step on_conflict(struct try *t)
{
    enum podsku_step step = settle(t, PODSKU_ATTEMPT_SERVER_ERROR, "not done, or in conflict with itself");

    if (step != PODSKU_STEP_SAME)
        return step;
    if (++t->conflicts == 1)
        return PODSKU_STEP_SAME;
    t->s->refused++;
    return PODSKU_STEP_NEXT;
}

static enum podsku_step on_no_capacity(struct try *t)
{
    close_attempt(t, PODSKU_ATTEMPT_NO_CAPACITY, "no capacity");
    t->s->refused++;
    return PODSKU_STEP_NEXT;
}

static enum podsku_step on_unrecognised(struct try *t)
{
    struct podsku_session *s = t->s;

    close_attempt(t, PODSKU_ATTEMPT_NO_CAPACITY, "refused");
    if (s->unrecognised++ == 0)
        (void)snprintf(s->detail, sizeof s->detail, "%s", t->answer.detail);
    else if (strcmp(s->detail, t->answer.detail) != 0)
        s->details_differ = true;
    return PODSKU_STEP_NEXT;
}

static enum podsku_step on_denied(struct try *t)
{
    close_attempt(t, PODSKU_ATTEMPT_DENIED, "this account may not rent it");
    t->s->denied++;
    return PODSKU_STEP_NEXT;
}

static enum podsku_step on_throttled(struct try *t)
{
    struct podsku_session *s = t->s;

    close_attempt(t, PODSKU_ATTEMPT_THROTTLED, "throttled");
    t->pause_ms = t->answer.wait_ms;
    t->paused_ms += t->pause_ms;
    if (t->paused_ms <= s->options.timeout_ms)
        return PODSKU_STEP_SAME;
    return podsku_session_stop(s, PODSKU_TIMEOUT, PODSKU_DEPLOY_TIMEOUT,
                               "throttled: the service asks for a wait of %lld s, which is more than --timeout allows",
                               (long long)(t->answer.wait_ms + 999) / 1000);
}

static enum podsku_step on_not_sent(struct try *t)
{
    close_attempt(t, PODSKU_ATTEMPT_SERVER_ERROR, "not sent");
    if (++t->lost < PODSKU_MAX_SENDS) {
        back_off(t);
        return PODSKU_STEP_SAME;
    }
    return podsku_session_stop(t->s, PODSKU_NETWORK, PODSKU_DEPLOY_FAILED, "the service could not be reached: %s",
                               t->answer.detail[0] ? t->answer.detail : "no connection");
}

/* The request, the account, the edge or the API: no candidate will do better. */
static enum podsku_step on_stop(struct try *t, const struct podsku_error *reason)
{
    struct podsku_session *s = t->s;
    enum podsku_deploy_end end = reason->code == PODSKU_DENIED ? PODSKU_DEPLOY_DENIED : PODSKU_DEPLOY_FAILED;

    if (!t->answer.detail[0])
        podsku_session_detail(s, t->index, "%s", reason->message);
    close_attempt(t, PODSKU_ATTEMPT_REJECTED, podsku_code_text(reason->code));
    for (size_t i = 0; i < t->answer.error_count; i++)
        podsku_session_event(s, PODSKU_EVENT_WARNING, t->index, NULL, "%s", t->answer.errors[i]);
    if (s->err->code == PODSKU_OK)
        *s->err = *reason;
    return podsku_session_stop(s, reason->code, end, "%s", reason->message);
}

static const on_answer answers[] = {
    [PODSKU_CREATE_MADE] = on_made,
    [PODSKU_CREATE_OPEN] = on_open,
    [PODSKU_CREATE_NO_CAPACITY] = on_no_capacity,
    [PODSKU_CREATE_UNRECOGNISED] = on_unrecognised,
    [PODSKU_CREATE_DENIED] = on_denied,
    [PODSKU_CREATE_CONFLICT] = on_conflict,
    [PODSKU_CREATE_THROTTLED] = on_throttled,
    [PODSKU_CREATE_SERVER] = on_server,
    [PODSKU_CREATE_NOT_SENT] = on_not_sent,
    [PODSKU_CREATE_STOP] = NULL, /* on_stop: it needs the reason */
};

/* ------------------------------------------------------------------ the loop */

/* What an open entry left behind must be known before anything more is created. SAME: nothing in the way. */
static enum podsku_step before_send(struct try *t)
{
    struct podsku_session *s = t->s;
    struct podsku_placed placed = {0};
    const char *intent = NULL;

    if (t->pause_ms > 0) {
        podsku_session_progress(s, PODSKU_EVENT_PAUSE, PODSKU_NO_ATTEMPT, NULL, NULL, 0, t->pause_ms);
        podsku_session_sleep(s, t->pause_ms, false);
        t->pause_ms = 0;
    }
    /* Again after each pod that is found and ended: several late ones may show at once. */
    while (true) {
        if (podsku_session_signalled(s))
            return podsku_session_stop(s, PODSKU_INTERRUPTED, PODSKU_DEPLOY_INTERRUPTED, "interrupted");
        if (podsku_session_spend_left_ms(s) == 0)
            return podsku_session_stop(s, PODSKU_NO_CAPACITY, PODSKU_DEPLOY_FAILED, "--max-spend is reached");
        if (!podsku_session_last_look(s, true, &intent, &placed))
            break;
        const struct podsku_plan_entry *entries = t->entries;
        size_t entry_count = t->entry_count;
        for (size_t i = 0; i < s->pending_count; i++)
            if (strcmp(s->pending[i].intent, intent) == 0 && s->pending[i].entries) {
                entries = s->pending[i].entries;
                entry_count = s->pending[i].entry_count;
            }
        enum podsku_step step = on_found(t, intent, entries, entry_count, &placed);
        /* It is gone again, and this candidate has not had its turn. */
        if (step != PODSKU_STEP_NEXT || s->made >= s->options.max_attempts)
            return step;
    }
    if (s->stopped)
        return PODSKU_STEP_STOP;
    if (s->unreadable)
        return podsku_session_stop_found(s, s->hidden[0] ? PODSKU_FOUND_HIDDEN : PODSKU_FOUND_UNREADABLE,
                                         "an open entry");
    return PODSKU_STEP_SAME;
}

static enum podsku_step send_once(struct try *t)
{
    struct podsku_session *s = t->s;
    struct podsku_create_marks marks = {.launch_id = s->options.launch_id, .attempt = s->next_attempt};
    struct podsku_error err = {0};
    char intent[2 * INTENT_BYTES + 1];
    json_t *body = NULL;
    enum podsku_step step;

    if (s->options.ttl_ms)
        marks.expires_s = (podsku_clock_wall_ms(s->clock) + s->options.ttl_ms + 999) / 1000;
    marks.intent = intent;
    enum podsku_code code = podsku_random_hex(INTENT_BYTES, intent, sizeof intent, &err);
    if (code == PODSKU_OK)
        code = podsku_create_body(&s->options.spec, t->entries, t->entry_count, &marks, &body, &err);
    if (code == PODSKU_OK)
        code = write_intent(t, &marks, body, &err);
    if (code != PODSKU_OK) {
        json_decref(body);
        if (s->err->code == PODSKU_OK)
            *s->err = err;
        return podsku_session_stop(s, code, PODSKU_DEPLOY_FAILED, "%s", err.message);
    }
    s->next_attempt++;
    t->index = podsku_session_attempt(s, marks.attempt, intent, t->entries);
    if (t->index == PODSKU_NO_ATTEMPT) {
        json_decref(body);
        return podsku_session_no_memory(s);
    }
    podsku_session_event(s, PODSKU_EVENT_SENDING, t->index, NULL, "creating");
    t->expires_s = marks.expires_s;
    code = send(t, body, &err);
    note_answer(t);
    if (t->answer.answer == PODSKU_CREATE_STOP || code != PODSKU_OK)
        step = on_stop(t, &err);
    else
        step = answers[t->answer.answer](t);
    t->body = NULL;
    json_decref(body);
    return step;
}

enum podsku_step podsku_session_try(struct podsku_session *s, const struct podsku_plan_entry *entries,
                                    size_t entry_count)
{
    struct try t = {.s = s, .entries = entries, .entry_count = entry_count};
    enum podsku_step step;

    do {
        step = before_send(&t);
        if (step == PODSKU_STEP_SAME)
            step = send_once(&t);
    } while (step == PODSKU_STEP_SAME && !s->stopped);
    podsku_create_result_clear(&t.answer);
    return step;
}
