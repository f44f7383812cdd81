/*
 * One HTTP transfer: the only place that sets options of libcurl. Private to client/client.c.
 */
#ifndef PODSKU_CLIENT_TRANSFER_H
#define PODSKU_CLIENT_TRANSFER_H

#include "client/client.h"
#include "client/url.h"

struct podsku_client {
    struct podsku_client_config config; /* its texts are not used after podsku_client_new */
    const struct podsku_curl *curl;
    CURL *handle;
    const struct podsku_clock *clock;
    struct podsku_base_url base[3];
    char *key;         /* NULL: none; wiped */
    char *auth_header; /* "Authorization: Bearer KEY"; NULL: none; wiped */
    char *connect_to, *ca_pem, *ca_file, *ca_dir;
    int shields;           /* podsku_client_shield() */
    int64_t quota_mono_ms; /* until when a RateLimit window is used up */
    int64_t later_mono_ms; /* until when a Retry-After asked to wait; 0: none did since the last answer without */
    int64_t until_mono_ms; /* no read lasts longer; 0: no such limit */
    uint64_t random;
};

/*
 * Sends the request once. `url` is the whole URL. Returns as podsku_client_send() does; the response
 * was zeroed by the caller.
 */
enum podsku_code podsku_transfer(struct podsku_client *client, const struct podsku_request *request, const char *url,
                                 struct podsku_response *response, struct podsku_error *err) PODSKU_CHECKED;

/* Milliseconds that this request may still take: PODSKU_NO_LIMIT, or of a read what podsku_client_until() leaves. */
#define PODSKU_NO_LIMIT (INT64_MAX / 4)
int64_t podsku_transfer_left_ms(const struct podsku_client *client, const struct podsku_request *request);

/* Between reads that belong together: PODSKU_INTERRUPTED or, past podsku_client_until(), PODSKU_NETWORK ends them. */
enum podsku_code podsku_client_may_read(const struct podsku_client *client, struct podsku_error *err) PODSKU_CHECKED;

/* True when `interrupted` (reads) or `abandoned` (the rest) says so. */
bool podsku_transfer_ended(const struct podsku_client *client, const struct podsku_request *request);

#endif
