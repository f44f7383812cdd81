#include "client/patience.h"

#include "client/transfer.h"

int64_t podsku_client_patience(struct podsku_client *client, int64_t budget_ms)
{
    int64_t before = client->config.retry_budget_ms;

    client->config.retry_budget_ms = budget_ms;
    return before;
}
