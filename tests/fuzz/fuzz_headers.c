/*
 * Headers that say when to try again: Retry-After, RateLimit and Date, one a line. Whatever they say, the
 * wait is within its bounds, and a retry ends within its budget.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "client/retry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *retry_after, const char *rate_limit, const char *date)
{
    static const int64_t now_ms = INT64_C(1796104800000);
    int64_t ms = podsku_retry_throttle_ms(retry_after, rate_limit, date, now_ms);
    int64_t seconds = 0;
    int64_t when_ms;

    if (ms < 0 || ms > PODSKU_THROTTLE_MAX_MS)
        abort();
    /* A plain number of seconds is taken as it is. */
    size_t digits = strspn(retry_after, "0123456789");
    if (digits > 0 && digits < 6 && !retry_after[digits]) {
        for (size_t i = 0; i < digits; i++)
            seconds = seconds * 10 + (retry_after[i] - '0');
        if (seconds > 0 && ms != (seconds > 86400 ? 86400 : seconds) * 1000)
            abort();
    }
    /* A date that is read is after the year 0 and before 10000. */
    if (podsku_time_parse_http(date, &when_ms) &&
        (when_ms < INT64_C(-62200000000000) || when_ms > INT64_C(253500000000000)))
        abort();
    for (int attempt = 1; attempt < 5; attempt++) {
        const struct podsku_retry_input input = {.status = 429,
                                                 .retry_after = retry_after,
                                                 .rate_limit = rate_limit,
                                                 .date = date,
                                                 .attempt = attempt,
                                                 .spent_ms = 1000 * attempt,
                                                 .budget_ms = 60000,
                                                 .now_ms = now_ms,
                                                 .random = 0.25};
        struct podsku_retry retry = podsku_retry_decide(&input);
        if (retry.again && (retry.wait_ms < 1 || retry.wait_ms + input.spent_ms > input.budget_ms))
            abort();
        if (!retry.again && podsku_retry_wait_ms(&input) + input.spent_ms <= input.budget_ms)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *lines[3];
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    char *at = text;
    for (size_t i = 0; i < 3; i++) {
        lines[i] = at;
        at += strcspn(at, "\n");
        if (*at)
            *at++ = '\0';
    }
    check(lines[0], lines[1], lines[2]);
    free(text);
    return 0;
}
