#include "client/patience.h"

#include "client/transfer.h"

int64_t podsku_client_patience(struct podsku_client *client, int64_t budget_ms)
{
    int64_t before = client->config.retry_budget_ms;

    client->config.retry_budget_ms = budget_ms;
    return before;
}

int64_t podsku_client_until(struct podsku_client *client, int64_t mono_ms)
{
    int64_t before = client->until_mono_ms;

    client->until_mono_ms = mono_ms;
    return before;
}

enum podsku_code podsku_client_may_read(const struct podsku_client *client, struct podsku_error *err)
{
    const struct podsku_request read = {.method = "GET"};

    if (podsku_transfer_ended(client, &read))
        return podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted");
    if (client->until_mono_ms && podsku_clock_mono_ms(client->clock) >= client->until_mono_ms)
        return podsku_error_set(err, PODSKU_NETWORK, "no whole answer in time");
    return PODSKU_OK;
}

int64_t podsku_client_pause_ms(const struct podsku_client *client, int64_t pause_ms, int64_t left_ms)
{
    int64_t asked_ms = podsku_client_quota_ms(client);

    if (asked_ms > pause_ms)
        pause_ms = asked_ms;
    return pause_ms < left_ms ? pause_ms : left_ms;
}
