#include "client/retry.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "client/curl.h"

static int64_t clamp_seconds(double seconds)
{
    double ms = ceil(seconds * 1000);

    if (!(ms > 0))
        return 0;
    return ms < (double)PODSKU_THROTTLE_MAX_MS ? (int64_t)ms : PODSKU_THROTTLE_MAX_MS;
}

/* The header's text without the blanks around it; false if it does not fit or is empty. */
static bool trimmed(const char *text, char *out, size_t size)
{
    if (!text)
        return false;
    text += strspn(text, " \t");
    size_t len = strlen(text);
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
        len--;
    if (len == 0 || len >= size)
        return false;
    memcpy(out, text, len);
    out[len] = '\0';
    return true;
}

static int64_t retry_after_ms(const char *header, const char *date, int64_t now_ms)
{
    char text[64];
    char date_text[64];
    double seconds;
    int64_t when_ms;

    if (!trimmed(header, text, sizeof text))
        return 0;
    if (strspn(text, "0123456789.") == strlen(text))
        return podsku_text_number(text, &seconds) ? clamp_seconds(seconds) : 0;
    if (!podsku_time_parse_http(text, &when_ms))
        return 0;
    /* Measured by the service's own clock where it tells it: ours may be wrong. */
    int64_t service_ms;
    if (trimmed(date, date_text, sizeof date_text) && podsku_time_parse_http(date_text, &service_ms))
        now_ms = service_ms;
    return clamp_seconds(((double)when_ms - (double)now_ms) / 1000);
}

/* The end of a list member or parameter: the first of `stops` outside a quoted string. */
static const char *item_end(const char *text, const char *stops)
{
    bool quoted = false;

    for (; *text; text++) {
        if (quoted && *text == '\\' && text[1])
            text++;
        else if (*text == '"')
            quoted = !quoted;
        else if (!quoted && strchr(stops, *text))
            break;
    }
    return text;
}

/* Reads "NAME = number" between text and end; false if it is another parameter or no number. */
static bool parameter(const char *text, const char *end, char name, double *value)
{
    char number[32];

    while (text < end && (*text == ' ' || *text == '\t'))
        text++;
    if (end - text < 3 || tolower((unsigned char)text[0]) != name || text[1] != '=')
        return false;
    text += 2;
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    size_t len = (size_t)(end - text);
    if (len == 0 || len >= sizeof number)
        return false;
    memcpy(number, text, len);
    number[len] = '\0';
    return podsku_text_number(number, value);
}

/* One window: how long it stays exhausted; 0 when it is not, or does not say. */
static int64_t window_ms(const char *text, const char *end)
{
    double remaining = -1;
    double reset_s = 0;

    for (const char *next = item_end(text, ";,"); next < end;) {
        text = next + 1;
        next = item_end(text, ";,");
        if (next > end)
            next = end;
        if (!parameter(text, next, 'r', &remaining))
            (void)parameter(text, next, 't', &reset_s);
    }
    return remaining >= 0 && remaining < 1 ? clamp_seconds(reset_s) : 0;
}

static int64_t rate_limit_ms(const char *header)
{
    int64_t longest_ms = 0;

    if (!header)
        return 0;
    for (const char *text = header; *text;) {
        const char *end = item_end(text, ",");
        int64_t ms = window_ms(text, end);
        if (ms > longest_ms)
            longest_ms = ms;
        text = *end ? end + 1 : end;
    }
    return longest_ms;
}

int64_t podsku_retry_throttle_ms(const char *retry_after, const char *rate_limit, const char *date, int64_t now_ms)
{
    int64_t ms = retry_after_ms(retry_after, date, now_ms);

    return ms > 0 ? ms : rate_limit_ms(rate_limit);
}

int64_t podsku_retry_backoff_ms(int attempt, double random)
{
    int64_t ms = PODSKU_BACKOFF_FIRST_MS;

    for (int i = 1; i < attempt && ms < PODSKU_BACKOFF_MAX_MS; i++)
        ms *= 2;
    if (ms > PODSKU_BACKOFF_MAX_MS)
        ms = PODSKU_BACKOFF_MAX_MS;
    if (!(random >= 0 && random < 1))
        random = 0.5;
    return ms / 2 + (int64_t)((double)ms * random / 2);
}

int64_t podsku_retry_wait_ms(const struct podsku_retry_input *input)
{
    int64_t wait_ms = podsku_retry_backoff_ms(input->attempt, input->random);
    int64_t asked_ms = podsku_retry_throttle_ms(input->retry_after, input->rate_limit, input->date, input->now_ms);

    /* Retry-After counts for any failure that is tried again; "0" is not "now". */
    return asked_ms > 0 ? asked_ms : wait_ms;
}

enum reach { STOP, LOST, UNREACHED };

static enum reach judge_transport(int curl_code)
{
    switch (curl_code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT: return UNREACHED;
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return LOST;
    default: return STOP;
    }
}

struct podsku_retry podsku_retry_decide(const struct podsku_retry_input *input)
{
    struct podsku_retry stop = {0};
    int64_t budget_ms = input->budget_ms;

    if (input->curl_code != CURLE_OK) {
        enum reach reach = judge_transport(input->curl_code);
        if (reach == STOP)
            return stop;
        if (reach == UNREACHED)
            budget_ms /= 4;
    } else if (input->status != 408 && input->status != 429 && (input->status < 500 || input->status > 599)) {
        return stop;
    }
    int64_t wait_ms = podsku_retry_wait_ms(input);
    if (wait_ms < 1)
        wait_ms = 1;
    if (input->spent_ms > budget_ms || wait_ms > budget_ms - input->spent_ms)
        return stop;
    return (struct podsku_retry){.again = true, .wait_ms = wait_ms};
}
