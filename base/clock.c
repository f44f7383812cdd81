#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t read_ms(clockid_t id)
{
    struct timespec now;

    if (clock_gettime(id, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_wall_ms(void *ctx)
{
    (void)ctx;
    return read_ms(CLOCK_REALTIME);
}

static int64_t system_mono_ms(void *ctx)
{
    (void)ctx;
    return read_ms(CLOCK_MONOTONIC);
}

static void system_sleep_ms(void *ctx, int64_t ms)
{
    (void)ctx;
    if (ms <= 0)
        return;
    struct timespec wait = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000L};
    (void)nanosleep(&wait, NULL);
}

const struct podsku_clock *podsku_clock_system(void)
{
    static const struct podsku_clock clock = {system_wall_ms, system_mono_ms, system_sleep_ms, NULL};

    return &clock;
}

int64_t podsku_clock_wall_ms(const struct podsku_clock *clock)
{
    return clock->wall_ms(clock->ctx);
}

int64_t podsku_clock_mono_ms(const struct podsku_clock *clock)
{
    return clock->mono_ms(clock->ctx);
}

void podsku_clock_sleep_ms(const struct podsku_clock *clock, int64_t ms)
{
    clock->sleep_ms(clock->ctx, ms);
}

void podsku_clock_sleep_unless(const struct podsku_clock *clock, int64_t ms, int64_t slice_ms, bool (*stop)(void *ctx),
                               void *ctx)
{
    int64_t end = podsku_clock_mono_ms(clock) + ms;

    for (int64_t left = ms; left > 0 && !stop(ctx); left = end - podsku_clock_mono_ms(clock))
        podsku_clock_sleep_ms(clock, left < slice_ms ? left : slice_ms);
}

/* Days since 1970-01-01 of a Gregorian date (the calendar repeats every 400 years). */
static int64_t days_from_date(int64_t year, int month, int day)
{
    if (month <= 2)
        year--;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    return era * 146097 + day_of_era - 719468;
}

const char *podsku_time_text(int64_t wall_ms, char text[PODSKU_TIME_TEXT_SIZE])
{
    int64_t seconds = wall_ms / 1000 - (wall_ms % 1000 < 0);
    time_t when = (time_t)seconds;
    struct tm tm;

    if (!gmtime_r(&when, &tm) || tm.tm_year > 9999 - 1900 ||
        strftime(text, PODSKU_TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        memcpy(text, "-", 2);
    return text;
}

/* Reads exactly `count` digits. */
static bool digits(const char **text, int count, int *value)
{
    *value = 0;
    for (int i = 0; i < count; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return false;
        *value = *value * 10 + (**text - '0');
    }
    return true;
}

static bool literal(const char **text, const char *expected)
{
    size_t len = strlen(expected);

    if (strncmp(*text, expected, len) != 0)
        return false;
    *text += len;
    return true;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && leap);
}

static bool join(int year, int month, int day, int hour, int minute, int second, int64_t *wall_ms)
{
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 || minute > 59 ||
        second > 60)
        return false;
    *wall_ms = ((days_from_date(year, month, day) * 24 + hour) * 60 + minute) * 60000 + second * INT64_C(1000);
    return true;
}

bool podsku_time_parse(const char *text, int64_t *wall_ms)
{
    int year, month, day, hour, minute, second;
    int offset_hour = 0;
    int offset_minute = 0;
    int64_t ms = 0;

    if (!digits(&text, 4, &year) || !literal(&text, "-") || !digits(&text, 2, &month) || !literal(&text, "-") ||
        !digits(&text, 2, &day) || (*text != 'T' && *text != 't' && *text != ' '))
        return false;
    text++;
    if (!digits(&text, 2, &hour) || !literal(&text, ":") || !digits(&text, 2, &minute) || !literal(&text, ":") ||
        !digits(&text, 2, &second) || !join(year, month, day, hour, minute, second, wall_ms))
        return false;
    if (*text == '.') {
        int64_t unit = 100;
        if (*++text < '0' || *text > '9')
            return false;
        for (; *text >= '0' && *text <= '9'; text++, unit /= 10)
            ms += (*text - '0') * unit;
    }
    *wall_ms += ms;
    if ((*text == 'Z' || *text == 'z') && !text[1])
        return true;
    int sign = *text == '+' ? 1 : *text == '-' ? -1 : 0;
    if (!sign)
        return false;
    text++;
    if (!digits(&text, 2, &offset_hour) || !literal(&text, ":") || !digits(&text, 2, &offset_minute) || *text ||
        offset_hour > 23 || offset_minute > 59)
        return false;
    *wall_ms -= sign * (offset_hour * 60 + offset_minute) * INT64_C(60000);
    return true;
}

static bool month_name(const char **text, int *month)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    for (*month = 1; *month <= 12; (*month)++)
        if (strncmp(*text, names + (size_t)(*month - 1) * 3, 3) == 0) {
            *text += 3;
            return true;
        }
    return false;
}

static bool time_of_day(const char **text, int *hour, int *minute, int *second)
{
    return digits(text, 2, hour) && literal(text, ":") && digits(text, 2, minute) && literal(text, ":") &&
           digits(text, 2, second);
}

bool podsku_time_parse_http(const char *text, int64_t *wall_ms)
{
    int year, month, day, hour, minute, second;
    const char *comma = strchr(text, ',');

    if (comma) { /* "Sun, 06 Nov 1994 08:49:37 GMT" or "Sunday, 06-Nov-94 08:49:37 GMT" */
        text = comma + 1;
        if (!literal(&text, " ") || !digits(&text, 2, &day))
            return false;
        bool old = *text == '-';
        const char *sep = old ? "-" : " ";
        if (!literal(&text, sep) || !month_name(&text, &month) || !literal(&text, sep) ||
            !digits(&text, old ? 2 : 4, &year))
            return false;
        if (old)
            year += year < 70 ? 2000 : 1900;
        if (!literal(&text, " ") || !time_of_day(&text, &hour, &minute, &second) || strcmp(text, " GMT") != 0)
            return false;
        return join(year, month, day, hour, minute, second, wall_ms);
    }
    if (strlen(text) < 4) /* "Sun Nov  6 08:49:37 1994" */
        return false;
    text += 3;
    if (!literal(&text, " ") || !month_name(&text, &month) || !literal(&text, " "))
        return false;
    if (*text == ' ' ? (text++, !digits(&text, 1, &day)) : !digits(&text, 2, &day))
        return false;
    if (!literal(&text, " ") || !time_of_day(&text, &hour, &minute, &second) || !literal(&text, " ") ||
        !digits(&text, 4, &year) || *text)
        return false;
    return join(year, month, day, hour, minute, second, wall_ms);
}
