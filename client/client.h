/*
 * The transport: one handle, one connection, one place that sets every option of libcurl. It moves
 * bytes and knows no API object. Reads are retried, creates never; see client/retry.h.
 *
 * The API key goes only to the REST hosts that were configured: never to GraphQL, never to a
 * redirect's target, never into an error, a trace or an environment.
 */
#ifndef PODSKU_CLIENT_CLIENT_H
#define PODSKU_CLIENT_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"

#define PODSKU_ANSWER_MAX ((size_t)16 << 20) /* bytes of one answer */
#define PODSKU_API_URL_DEFAULT "https://api.runpod.io/v2"
#define PODSKU_GRAPHQL_URL_DEFAULT "https://api.runpod.io/graphql"

enum podsku_api { PODSKU_API_V2, PODSKU_API_V1, PODSKU_API_GRAPHQL };
const char *podsku_api_name(enum podsku_api api); /* "v2", "v1", "graphql" */

/* "libcurl/7.88.1 OpenSSL/3.0.19", loading it if need be; NULL with err when that fails. */
const char *podsku_curl_version(struct podsku_error *err);

struct podsku_client_config {
    const char *url[3];               /* base by enum podsku_api; NULL: the default (v1 has none: USAGE when used) */
    const char *key;                  /* API key; NULL: requests that need one fail with PODSKU_AUTH */
    const struct podsku_clock *clock; /* NULL: the system's */
    /* One line per request for -v: method, URL, status, time. Never the key. NULL: silent. */
    void (*trace)(void *ctx, const char *line);
    /* Polled while waiting; true ends the wait with PODSKU_INTERRUPTED. NULL: never. */
    bool (*interrupted)(void *ctx);
    void *ctx;
    int64_t retry_budget_ms; /* the longest that one read may be retried; 0: 60 s */
    /* Seams for tests: curl's CONNECT_TO entry "HOST:PORT:HOST2:PORT2", and a PEM bundle to trust. */
    const char *connect_to;
    const char *ca_pem;
    int64_t connect_timeout_ms; /* 0: 10 s */
    int stall_s;                /* seconds with less than 1 byte/s that end a transfer; 0: 30 */
    /*
     * Polled in requests that `interrupted` does not end (POST, DELETE, and everything while the client is
     * shielded); true gives up at once, whatever may have been done. For a second signal. NULL: never.
     */
    bool (*abandoned)(void *ctx);
};

struct podsku_client;

/*
 * Copies what it needs of config (the key into memory that is wiped by podsku_client_free). Refuses
 * with PODSKU_USAGE base URLs that are neither https nor http to a loopback address, and keys with
 * bytes outside 0x21..0x7e.
 */
enum podsku_code podsku_client_new(const struct podsku_client_config *config, struct podsku_client **client,
                                   struct podsku_error *err) PODSKU_CHECKED;
void podsku_client_free(struct podsku_client *client);

/*
 * While shielded, `interrupted` is not asked: settling and terminating after a signal need reads that
 * the same signal must not end. Calls nest: every true needs its false.
 */
void podsku_client_shield(struct podsku_client *client, bool on);

struct podsku_response {
    int status; /* HTTP status; 0: no answer */
    struct podsku_buf body;
    char content_type[96]; /* lower case, without parameters; empty: none */
    char request_id[96];   /* x-request-id; empty: none */
    char retry_after[64];  /* header as received; empty: none */
    char rate_limit[256];  /* RateLimit header as received; empty: none */
    char date[64];         /* Date header; empty: none */
    char url[512];         /* without secrets */
    bool more_link;        /* a Link header with rel="next": the list goes on elsewhere */
    bool request_sent;     /* bytes of the request may have left this machine: it may have been acted on */
    int curl_code;         /* CURLcode; 0: a whole answer was received */
};
void podsku_response_free(struct podsku_response *response);

struct podsku_request {
    enum podsku_api api;
    const char *method;        /* "GET", "POST", "DELETE" */
    const char *path;          /* below the base, percent-encoded, with query: "/pods?x=y"; "" for GraphQL */
    const char *body;          /* JSON text; NULL: none */
    bool retry;                /* retry as a read (GET; DELETE is idempotent here, too) */
    int64_t timeout_ms;        /* of one try; 0: 300 s for GET, 120 s for others, none for streams */
    const char *last_event_id; /* of a stream that is resumed; NULL: none */
    /*
     * Server-sent events and other streams: called with each chunk of a 2xx answer, false ends the transfer
     * (which is then PODSKU_OK). There is no stall limit. NULL: the answer is buffered.
     */
    bool (*sink)(void *ctx, const char *bytes, size_t len);
    void *sink_ctx;
};

/*
 * Sends one request. PODSKU_OK means that an HTTP answer of any status is in `response` (also 4xx and
 * 5xx): the caller judges it. Otherwise there was no whole answer; response->request_sent says whether
 * the request may have been acted on. A create must use retry = false, and is never sent twice:
 * libcurl's own resend on a dead reused connection is aborted and reported as a lost reply.
 */
enum podsku_code podsku_client_send(struct podsku_client *client, const struct podsku_request *request,
                                    struct podsku_response *response, struct podsku_error *err) PODSKU_CHECKED;

/*
 * The monotonic time at which every read ends that is under way then, with all its retries; returns what it was.
 * A deadline must hold against a service that hangs, too. 0: none.
 */
int64_t podsku_client_until(struct podsku_client *client, int64_t mono_ms);

/* Sleeps as before a retried read: PODSKU_INTERRUPTED as soon as `interrupted` says so (not while shielded). */
enum podsku_code podsku_client_wait(struct podsku_client *client, int64_t ms, struct podsku_error *err) PODSKU_CHECKED;

/* Percent-encodes one path segment or query value into out. A path segment "." or ".." stays one: refuse it before. */
void podsku_url_escape(struct podsku_buf *out, const char *text);

/* The base URL in use, without a trailing slash. Borrowed. NULL if there is none. */
const char *podsku_client_url(const struct podsku_client *client, enum podsku_api api);
const struct podsku_clock *podsku_client_clock(const struct podsku_client *client);
/* HMAC-SHA256 of the key with this salt, hex: tells whether a journal entry was made with the same key. */
enum podsku_code podsku_client_key_hmac(const struct podsku_client *client, const char *salt, char text[65],
                                        struct podsku_error *err) PODSKU_CHECKED;
/*
 * How long the latest answers ask to wait before the next request, for those who read again and again:
 * until a window of the RateLimit header opens that is used up, or as the Retry-After of a 429 or 503
 * says. 0: nothing is exhausted, or nothing was said.
 */
int64_t podsku_client_quota_ms(const struct podsku_client *client);
bool podsku_client_has_key(const struct podsku_client *client);
/* True if text contains the key (env values are refused by it). */
bool podsku_client_key_in(const struct podsku_client *client, const char *text);
/* Overwrites the key wherever text holds it: a service may echo it in what it answers. */
void podsku_client_redact(const struct podsku_client *client, char *text);

#endif
