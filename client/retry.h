/*
 * When to try again, as a pure function: no clock, no randomness, no I/O of its own.
 */
#ifndef PODSKU_CLIENT_RETRY_H
#define PODSKU_CLIENT_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#define PODSKU_RETRY_BUDGET_MS INT64_C(60000)              /* of one read, waits and tries together */
#define PODSKU_THROTTLE_MAX_MS (INT64_C(24) * 3600 * 1000) /* a service that asks for more is not believed */
#define PODSKU_BACKOFF_FIRST_MS INT64_C(500)               /* doubles with every try */
#define PODSKU_BACKOFF_MAX_MS INT64_C(20000)

/* What is known after a try. Texts are header values as received; "" or NULL: none. */
struct podsku_retry_input {
    int status;    /* HTTP status of a whole answer; 0: none */
    int curl_code; /* CURLcode when there was no whole answer; 0: there was */
    const char *retry_after;
    const char *rate_limit;
    const char *date;  /* the service's Date, by which a Retry-After date is measured */
    int attempt;       /* tries so far, 1 or more */
    int64_t spent_ms;  /* since the first try began */
    int64_t budget_ms; /* no wait that would end later than this after the beginning */
    int64_t now_ms;    /* wall clock, for a Retry-After date without a Date */
    double random;     /* in [0, 1) */
};

struct podsku_retry {
    bool again;      /* false: stop, the last result stands */
    int64_t wait_ms; /* at least 1 when again */
};

/*
 * Tries again on lost and refused connections, timeouts, 408, 429 and 5xx, as long as the wait ends
 * within the budget; a host that is not reached at all gets a quarter of the budget, so that a
 * machine without network is told so soon. Certificates, unreadable answers and everything else
 * would be the same next time: stop.
 */
struct podsku_retry podsku_retry_decide(const struct podsku_retry_input *input);

/*
 * How long a throttled client must wait: Retry-After (seconds or a date), otherwise the longest
 * exhausted window of RateLimit ("minute";r=0;t=12, "hour";r=0;t=1800). 0: neither says anything
 * usable (0 seconds, a date that is past, garbage). At most PODSKU_THROTTLE_MAX_MS.
 */
int64_t podsku_retry_throttle_ms(const char *retry_after, const char *rate_limit, const char *date, int64_t now_ms);

/* Exponential with jitter in the upper half: attempt 1 waits 250 to 500 ms, 2 500 to 1000 ms. */
int64_t podsku_retry_backoff_ms(int attempt, double random);

/* What headers say, else the backoff: the wait before the same request again. At least 1. */
int64_t podsku_retry_wait_ms(const struct podsku_retry_input *input);

#endif
