/* Bookkeeping of one deploy: events, attempts, signals, the bill. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/money.h"
#include "base/text.h"
#include "client/deploy_private.h"

#define SLEEP_SLICE_MS 100 /* how soon a signal is seen whose handler ran before the sleep began */
#define INTENT_BYTES 16
#define MS_PER_HOUR INT64_C(3600000)
#define MS_PER_SECOND 1000

int64_t podsku_session_now(const struct podsku_session *s)
{
    return podsku_clock_mono_ms(s->clock);
}

const char *podsku_placed_id(const struct podsku_placed *placed)
{
    return placed->cluster.id ? placed->cluster.id : placed->pod.id;
}

void podsku_placed_clear(struct podsku_placed *placed)
{
    podsku_pod_clear(&placed->pod);
    podsku_cluster_clear(&placed->cluster);
    podsku_pods_free(&placed->members);
    *placed = (struct podsku_placed){0};
}

static void fill_event(const struct podsku_session *s, size_t index, const struct podsku_placed *placed,
                       struct podsku_deploy_event *event)
{
    event->placed = placed;
    event->spent_uusd = podsku_session_spent(s);
    if (index != PODSKU_NO_ATTEMPT) {
        const struct podsku_attempt *attempt = &s->result->attempts[index];
        event->attempt = attempt->attempt;
        event->entry = attempt->entry;
        event->pod_id = attempt->pod_id;
        event->http_status = attempt->http_status;
    }
    if (placed && podsku_placed_id(placed))
        event->pod_id = podsku_placed_id(placed);
    if (event->entry && event->entry >= s->plan && event->entry < s->plan + s->plan_count) {
        event->entry_number = (size_t)(event->entry - s->plan) + 1;
        event->entry_count = s->plan_count;
    }
}

void podsku_session_event(struct podsku_session *s, enum podsku_event_kind kind, size_t index,
                          const struct podsku_placed *placed, const char *fmt, ...)
{
    struct podsku_deploy_event event = {.kind = kind};
    struct podsku_buf clean = {0};
    char text[1024];
    va_list args;

    if (!s->hooks->event)
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    podsku_text_printable(&clean, text, strlen(text), false);
    fill_event(s, index, placed, &event);
    event.text = podsku_buf_text(&clean);
    s->hooks->event(s->hooks->ctx, &event);
    podsku_buf_free(&clean);
}

void podsku_session_progress(struct podsku_session *s, enum podsku_event_kind kind, size_t index,
                             const struct podsku_placed *placed, const char *state, int64_t elapsed_ms, int64_t wait_ms)
{
    struct podsku_deploy_event event = {.kind = kind, .text = "", .state = state};

    if (!s->hooks->event)
        return;
    fill_event(s, index, placed, &event);
    event.elapsed_ms = elapsed_ms;
    event.wait_ms = wait_ms;
    s->hooks->event(s->hooks->ctx, &event);
}

enum podsku_step podsku_session_stop(struct podsku_session *s, enum podsku_code code, enum podsku_deploy_end end,
                                     const char *fmt, ...)
{
    char text[768];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!s->stopped) {
        s->stopped = true;
        s->stop_code = code;
        s->stop_end = end;
        (void)podsku_error_set(s->err, code, "%s", text);
    }
    return PODSKU_STEP_STOP;
}

enum podsku_step podsku_session_no_memory(struct podsku_session *s)
{
    return podsku_session_stop(s, PODSKU_NO_MEMORY, PODSKU_DEPLOY_FAILED, "out of memory");
}

/* Signals so far; those that were counted no longer end the client's waits. */
static int signals(struct podsku_session *s)
{
    const struct podsku_signals *hook = &s->hooks->signals;
    int count = hook->count ? hook->count(hook->ctx) : 0;

    if (count > 0 && hook->acknowledge)
        hook->acknowledge(hook->ctx, count);
    return count;
}

bool podsku_session_signalled(struct podsku_session *s)
{
    return signals(s) > 0;
}

bool podsku_session_hurried(struct podsku_session *s)
{
    return signals(s) > 1;
}

static bool has_any_signal(void *session)
{
    return signals(session) > 0;
}

static bool has_second_signal(void *session)
{
    return signals(session) > 1;
}

void podsku_session_sleep(struct podsku_session *s, int64_t ms, bool only_second)
{
    podsku_clock_sleep_unless(s->clock, ms, SLEEP_SLICE_MS, only_second ? has_second_signal : has_any_signal, s);
}

size_t podsku_session_attempt(struct podsku_session *s, int number, const char *intent,
                              const struct podsku_plan_entry *entry)
{
    struct podsku_deploy_result *result = s->result;
    struct podsku_attempt *list = realloc(result->attempts, (result->attempt_count + 1) * sizeof *list);

    if (!list)
        return PODSKU_NO_ATTEMPT;
    result->attempts = list;
    struct podsku_attempt *attempt = &list[result->attempt_count];
    *attempt = (struct podsku_attempt){.attempt = number, .entry = entry};
    (void)snprintf(attempt->intent, sizeof attempt->intent, "%s", intent ? intent : "");
    if (entry) {
        attempt->gpu_id = strdup(entry->gpu_id);
        attempt->cloud = strdup(entry->cloud);
        attempt->gpus = entry->gpus;
        attempt->listed_stock = entry->stock;
        if (!attempt->gpu_id || !attempt->cloud) {
            free(attempt->gpu_id);
            free(attempt->cloud);
            return PODSKU_NO_ATTEMPT;
        }
    }
    return result->attempt_count++;
}

void podsku_session_detail(struct podsku_session *s, size_t index, const char *fmt, ...)
{
    struct podsku_attempt *attempt = &s->result->attempts[index];
    struct podsku_buf clean = {0};
    char text[768];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    podsku_text_printable(&clean, text, strlen(text), false);
    char *copy = strdup(podsku_buf_text(&clean));
    podsku_buf_free(&clean);
    if (!copy)
        return; /* a detail less; the outcome itself is not lost */
    free(attempt->detail);
    attempt->detail = copy;
}

static enum podsku_code write_outcome(struct podsku_session *s, size_t index, const struct podsku_outcome *outcome)
{
    struct podsku_error err = {0};

    if (!outcome->intent[0])
        return PODSKU_OK; /* a pod whose intent no journal here knows */
    enum podsku_code code = podsku_journal_outcome(s->journal, outcome, &err);
    if (code != PODSKU_OK)
        podsku_session_event(s, PODSKU_EVENT_WARNING, index, NULL,
                             "the journal does not know that attempt %d is %s: %s", outcome->attempt,
                             podsku_entry_state_name(outcome->state), err.message);
    return code;
}

static struct podsku_outcome outcome_of(const struct podsku_session *s, size_t index, enum podsku_entry_state state,
                                        const char *why)
{
    const struct podsku_attempt *attempt = &s->result->attempts[index];

    return (struct podsku_outcome){
        .launch_id = s->options.launch_id,
        .intent = attempt->intent,
        .attempt = attempt->attempt,
        .state = state,
        .pod_id = attempt->pod_id,
        .http_status = attempt->http_status,
        .why = why,
    };
}

enum podsku_code podsku_session_journal(struct podsku_session *s, size_t index, enum podsku_entry_state state,
                                        bool settled, const char *why)
{
    struct podsku_outcome outcome = outcome_of(s, index, state, why);

    outcome.settled = settled;
    return write_outcome(s, index, &outcome);
}

void podsku_session_journal_made(struct podsku_session *s, size_t index, const struct podsku_placed *placed,
                                 const char *why)
{
    struct podsku_outcome outcome = outcome_of(s, index, PODSKU_ENTRY_MADE, why);

    outcome.gpu_id = placed->cluster.id ? placed->cluster.gpu_id : placed->pod.gpu_id;
    (void)write_outcome(s, index, &outcome); /* its intent is durable: it is found again all the same */
}

/* The pod as an entry of this journal. Texts are borrowed. */
static struct podsku_entry adopted_entry(const struct podsku_session *s, const struct podsku_attempt *attempt,
                                         const struct podsku_placed *placed, char **gpu_id)
{
    const struct podsku_cluster *cluster = placed->cluster.id ? &placed->cluster : NULL;
    int64_t created_ms = cluster ? cluster->created_ms : placed->pod.created_ms;

    *gpu_id = cluster ? cluster->gpu_id : placed->pod.gpu_id;
    return (struct podsku_entry){
        .launch_id = (char *)s->options.launch_id,
        .attempt = attempt->attempt,
        .intent = (char *)attempt->intent,
        .url = (char *)podsku_client_url(s->client, s->options.spec.api),
        .api = (char *)podsku_api_name(s->options.spec.api),
        .salt = (char *)s->salt,
        .key_hmac = (char *)s->key_hmac,
        .cluster = cluster != NULL,
        .name = cluster ? cluster->name : placed->pod.name,
        .gpu_ids = gpu_id,
        .gpu_id_count = *gpu_id != NULL,
        .cloud = placed->pod.cloud,
        .gpus = cluster ? cluster->gpus_per_pod : placed->pod.gpus,
        .nodes = cluster ? cluster->pod_count : 1,
        .price_uusd = placed->price_uusd,
        .expires_s = placed->expires_s,
        .at_ms = created_ms,
        .state = PODSKU_ENTRY_HANDED_OVER,
        .pod_id = (char *)podsku_placed_id(placed),
        .made_gpu_id = *gpu_id,
    };
}

enum podsku_code podsku_session_journal_adopted(struct podsku_session *s, size_t index,
                                                const struct podsku_placed *placed)
{
    struct podsku_attempt *attempt = &s->result->attempts[index];
    struct podsku_error err = {0};
    char *gpu_id;

    for (size_t i = 0; i < s->kept_count; i++)
        if (strcmp(s->kept[i].pod_id, podsku_placed_id(placed)) == 0)
            return PODSKU_OK; /* it was handed over here before */
    /* A pod without an intent's mark gets a name of its own in the journal: its id finds it. */
    if (!attempt->intent[0] &&
        podsku_random_hex(INTENT_BYTES, attempt->intent, sizeof attempt->intent, &err) != PODSKU_OK)
        return err.code;
    const struct podsku_entry entry = adopted_entry(s, attempt, placed, &gpu_id);
    enum podsku_code code = podsku_journal_adopted(s->journal, &entry, &err);
    if (code != PODSKU_OK)
        podsku_session_event(s, PODSKU_EVENT_WARNING, index, placed, "the journal does not know %s: %s", entry.pod_id,
                             err.message);
    return code;
}

void podsku_session_warn_of_expiry(struct podsku_session *s, const struct podsku_placed *placed)
{
    int64_t now_ms = podsku_clock_wall_ms(s->clock);
    int64_t expires_ms = placed->expires_s * 1000;
    bool known = placed->cluster.id ? placed->members.count > 0 : placed->pod.marks_known;
    const char *id = podsku_placed_id(placed);
    char time[PODSKU_TIME_TEXT_SIZE];

    if (expires_ms && expires_ms <= now_ms)
        podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                             "%s was there before, and its own time has been over since %s: podsku reconcile --expired "
                             "--terminate ends it",
                             id, podsku_time_text(expires_ms, time));
    else if (expires_ms && s->options.ttl_ms && expires_ms < now_ms + s->options.ttl_ms - MS_PER_SECOND)
        podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                             "%s was there before, and is marked as over at %s, which is sooner than --ttl asks for",
                             id, podsku_time_text(expires_ms, time));
    else if (!expires_ms && known && s->options.ttl_ms)
        podsku_session_event(s, PODSKU_EVENT_WARNING, PODSKU_NO_ATTEMPT, NULL,
                             "%s was there before, and is not marked with a time to live: --ttl does nothing to it",
                             id);
}

void podsku_session_identify(struct podsku_session *s, size_t index, const struct podsku_plan_entry *entries,
                             size_t entry_count, struct podsku_placed *placed)
{
    struct podsku_attempt *attempt = &s->result->attempts[index];
    const struct podsku_plan_entry *entry = podsku_judge_entry(entries, entry_count, placed);
    const char *own_id = placed->cluster.id ? placed->cluster.gpu_id : placed->pod.gpu_id;

    placed->entry = entry;
    placed->type_unknown = entry_count > 1 && !own_id;
    attempt->type_unknown = placed->type_unknown;
    if (!entry || entry == attempt->entry)
        return;
    char *gpu_id = strdup(entry->gpu_id);
    if (!gpu_id)
        return; /* the attempt goes on naming the first of its run */
    free(attempt->gpu_id);
    attempt->gpu_id = gpu_id;
    attempt->entry = entry;
    attempt->listed_stock = entry->stock;
}

static struct podsku_rental *rental_of(const struct podsku_session *s, size_t index)
{
    for (size_t i = 0; i < s->rental_count; i++)
        if (s->rentals[i].index == index)
            return &s->rentals[i];
    return NULL;
}

static int64_t rate_of(const struct podsku_placed *placed)
{
    if (placed->price_uusd)
        return placed->price_uusd;
    return placed->entry ? placed->entry->price_uusd : 0;
}

bool podsku_session_rent(struct podsku_session *s, size_t index, const struct podsku_placed *placed)
{
    if (rental_of(s, index))
        return true;
    struct podsku_rental *list = realloc(s->rentals, (s->rental_count + 1) * sizeof *list);
    if (!list)
        return false;
    s->rentals = list;
    list[s->rental_count++] =
        (struct podsku_rental){.index = index, .start_ms = placed->created_mono_ms, .price_uusd = rate_of(placed)};
    return true;
}

void podsku_session_reprice(struct podsku_session *s, size_t index, const struct podsku_placed *placed)
{
    struct podsku_rental *rental = rental_of(s, index);

    if (rental && placed->price_uusd)
        rental->price_uusd = placed->price_uusd;
}

static int64_t cost_of(const struct podsku_session *s, const struct podsku_rental *rental)
{
    int64_t end = rental->end_ms ? rental->end_ms : podsku_session_now(s);
    int64_t cost = 0;

    if (end <= rental->start_ms || !podsku_money_scale(rental->price_uusd, end - rental->start_ms, MS_PER_HOUR, &cost))
        return 0;
    return cost;
}

void podsku_session_unrent(struct podsku_session *s, size_t index)
{
    struct podsku_rental *rental = rental_of(s, index);

    if (!rental)
        return;
    rental->end_ms = podsku_session_now(s);
    s->result->attempts[index].spent_uusd = cost_of(s, rental);
}

int64_t podsku_session_spent(const struct podsku_session *s)
{
    int64_t sum = 0;

    for (size_t i = 0; i < s->rental_count; i++)
        sum += cost_of(s, &s->rentals[i]);
    return sum;
}

int64_t podsku_session_spend_left_ms(const struct podsku_session *s)
{
    int64_t rate = 0;
    int64_t ms = 0;

    if (!s->options.max_spend_uusd)
        return INT64_MAX;
    int64_t left = s->options.max_spend_uusd - podsku_session_spent(s);
    if (left <= 0)
        return 0;
    for (size_t i = 0; i < s->rental_count; i++)
        rate += s->rentals[i].end_ms ? 0 : s->rentals[i].price_uusd;
    if (rate <= 0)
        return INT64_MAX;
    return podsku_money_scale(left, MS_PER_HOUR, rate, &ms) ? ms + 1 : INT64_MAX;
}

bool podsku_session_is_closed(const struct podsku_session *s, const char *pod_id)
{
    for (size_t i = 0; pod_id && i < s->closed_count; i++)
        if (strcmp(s->closed[i], pod_id) == 0)
            return true;
    return false;
}

bool podsku_session_close(struct podsku_session *s, const char *pod_id)
{
    if (!pod_id || podsku_session_is_closed(s, pod_id))
        return true;
    char **list = realloc(s->closed, (s->closed_count + 1) * sizeof *list);
    if (!list)
        return false;
    s->closed = list;
    list[s->closed_count] = strdup(pod_id);
    if (!list[s->closed_count])
        return false;
    s->closed_count++;
    return true;
}
