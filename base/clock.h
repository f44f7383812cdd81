/*
 * Time: a clock that tests can replace, and the time texts of JSON and HTTP.
 */
#ifndef PODSKU_BASE_CLOCK_H
#define PODSKU_BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct podsku_clock {
    int64_t (*wall_ms)(void *ctx); /* since 1970-01-01 UTC; may jump */
    int64_t (*mono_ms)(void *ctx); /* since some start; never jumps: use it for every wait */
    /* Sleeps; returns early when a signal arrives. */
    void (*sleep_ms)(void *ctx, int64_t ms);
    void *ctx;
};

/* The system's clock. Borrowed, lives for ever. */
const struct podsku_clock *podsku_clock_system(void);

int64_t podsku_clock_wall_ms(const struct podsku_clock *clock);
int64_t podsku_clock_mono_ms(const struct podsku_clock *clock);
void podsku_clock_sleep_ms(const struct podsku_clock *clock, int64_t ms);
/*
 * Sleeps until ms have passed or stop(ctx) says true, which is asked before the sleep and every slice_ms:
 * a signal is seen that soon, also where its handler ran before the sleep began.
 */
void podsku_clock_sleep_unless(const struct podsku_clock *clock, int64_t ms, int64_t slice_ms, bool (*stop)(void *ctx),
                               void *ctx);

#define PODSKU_TIME_TEXT_SIZE 32
/* "2026-12-01T06:12:03Z" (milliseconds are dropped). Returns text. */
const char *podsku_time_text(int64_t wall_ms, char text[PODSKU_TIME_TEXT_SIZE]);

/* RFC 3339 with any offset and fraction, e.g. "2026-12-01T06:12:03.5+01:00"; false otherwise. */
bool podsku_time_parse(const char *text, int64_t *wall_ms);

/* HTTP-date as of RFC 9110 (IMF-fixdate, RFC 850, asctime); false otherwise. */
bool podsku_time_parse_http(const char *text, int64_t *wall_ms);

#endif
