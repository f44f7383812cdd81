#include "cli/stock.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/digest.h"
#include "cli/progress.h"
#include "cli/signals.h"

#define SLICE_MS 200
#define INTERVAL_LEAST_MS 1000

enum podsku_code cli_interval(struct cli *cli, int64_t *interval_ms)
{
    enum podsku_code code = cli_duration(cli, "interval", CLI_WATCH_INTERVAL_MS, interval_ms);

    if (!code && *interval_ms < INTERVAL_LEAST_MS)
        code = podsku_error_set(&cli->err, PODSKU_USAGE, "--interval is 1s or more");
    return code;
}

bool cli_in_stock(const struct podsku_requirement *req, const struct podsku_offer *offer)
{
    return offer->stock > PODSKU_STOCK_NONE && offer->stock >= req->min_stock;
}

bool cli_may_come(const struct podsku_decision *decision)
{
    for (size_t i = 0; decision->rejected && i < decision->rejected_count; i++) {
        const struct podsku_offer *offer = &decision->rejected[i];
        bool only_stock = true;
        for (size_t r = 0; r < offer->reason_count; r++) {
            enum podsku_rule rule = offer->reasons[r].rule;
            only_stock = only_stock && (rule == PODSKU_RULE_STOCK || rule == PODSKU_RULE_PLACEMENT);
        }
        if (only_stock)
            return true;
    }
    return false;
}

bool cli_watch_goes_on(enum podsku_code code)
{
    return code == PODSKU_NETWORK || code == PODSKU_SERVER || code == PODSKU_ANSWER || code == PODSKU_TIMEOUT;
}

/* 0.9 to 1.1 times; many watchers that were started by one clock do not ask together. */
static int64_t spread(int64_t interval_ms)
{
    struct podsku_error ignored = {0};
    char hex[5];

    if (podsku_random_hex(2, hex, sizeof hex, &ignored) != PODSKU_OK)
        return interval_ms;
    return interval_ms * 9 / 10 + interval_ms * (int64_t)strtol(hex, NULL, 16) / (5 * 65536);
}

enum podsku_code cli_watch_pause(struct cli *cli, const struct podsku_client *client, int64_t interval_ms,
                                 int64_t deadline_mono_ms)
{
    const struct podsku_clock *clock = client ? podsku_client_clock(client) : podsku_clock_system();
    int64_t quota_ms = client ? podsku_client_quota_ms(client) : 0;
    int64_t wait_ms = spread(interval_ms);
    int64_t now_ms = podsku_clock_mono_ms(clock);
    int64_t end_ms;

    if (quota_ms > wait_ms) {
        wait_ms = quota_ms;
        cli_say(cli, "the service's quota is used up: reading again in %" PRId64 " s", (wait_ms + 999) / 1000);
    }
    end_ms = now_ms + wait_ms;
    if (deadline_mono_ms && end_ms > deadline_mono_ms)
        end_ms = deadline_mono_ms;
    for (; now_ms < end_ms && !cli_signals_stop(); now_ms = podsku_clock_mono_ms(clock)) {
        cli_progress(cli, "    reading the catalogue again in %" PRId64 " s", (end_ms - now_ms + 999) / 1000);
        podsku_clock_sleep_ms(clock, end_ms - now_ms < SLICE_MS ? end_ms - now_ms : SLICE_MS);
    }
    cli_progress_clear(cli);
    if (cli_signals_stop())
        return podsku_error_set(&cli->err, PODSKU_INTERRUPTED, "interrupted");
    if (deadline_mono_ms && now_ms >= deadline_mono_ms)
        return podsku_error_set(&cli->err, PODSKU_TIMEOUT, "no candidate came into stock in time");
    return PODSKU_OK;
}
