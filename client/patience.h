/* What the parts of deploy and reconcile share about failing reads; not for others. */
#ifndef PODSKU_CLIENT_PATIENCE_H
#define PODSKU_CLIENT_PATIENCE_H

#include "client/client.h"

/*
 * The longest that one read is retried by the transport, from now on; returns what it was. Whoever
 * loops by himself until a deadline of his own (settling, proving) must not be held up by a longer one.
 * 0: the default.
 */
int64_t podsku_client_patience(struct podsku_client *client, int64_t budget_ms);

/* The pause before the next read of a loop: at least pause_ms, longer when the service asks for it, at most left_ms. */
int64_t podsku_client_pause_ms(const struct podsku_client *client, int64_t pause_ms, int64_t left_ms);

/* True for failures that the next try would only repeat: key, balance, permission, edge, retired API, TLS. */
bool podsku_error_is_final(enum podsku_code code);

#endif
