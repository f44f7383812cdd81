#include "client/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "client/retry.h"
#include "client/transfer.h"

enum { WAIT_SLICE_MS = 100 };

static const struct api_facts {
    const char *name;
    const char *variable; /* of the environment, for messages */
    const char *url;      /* NULL: none unless configured */
} apis[] = {
    [PODSKU_API_V2] = {"v2", "PODSKU_API_URL", PODSKU_API_URL_DEFAULT},
    [PODSKU_API_V1] = {"v1", "PODSKU_API_V1_URL", NULL}, /* Runpod retired its own */
    [PODSKU_API_GRAPHQL] = {"graphql", "PODSKU_GRAPHQL_URL", PODSKU_GRAPHQL_URL_DEFAULT},
};

const char *podsku_api_name(enum podsku_api api)
{
    return apis[api].name;
}

static enum podsku_code copy(char **out, const char *text, struct podsku_error *err)
{
    *out = NULL;
    if (!text || !*text)
        return PODSKU_OK;
    *out = strdup(text);
    return *out ? PODSKU_OK : podsku_error_no_memory(err);
}

static enum podsku_code take_key(struct podsku_client *client, const char *key, struct podsku_error *err)
{
    static const char prefix[] = "Authorization: Bearer ";

    if (!key || !*key)
        return PODSKU_OK;
    for (const char *c = key; *c; c++)
        if (*c < 0x21 || *c > 0x7e) {
            podsku_error_hint(
                err, "a key is one word of printable ASCII; was a blank, a quote or a line end copied with it?");
            return podsku_error_set(err, PODSKU_USAGE, "the API key has a byte that no key has, at position %zu",
                                    (size_t)(c - key) + 1);
        }
    size_t len = strlen(key);
    client->key = malloc(len + 1);
    client->auth_header = malloc(sizeof prefix + len);
    if (!client->key || !client->auth_header) {
        /* Nothing to wipe yet. */
        free(client->key);
        free(client->auth_header);
        client->key = client->auth_header = NULL;
        return podsku_error_no_memory(err);
    }
    memcpy(client->key, key, len + 1);
    memcpy(client->auth_header, prefix, sizeof prefix - 1);
    memcpy(client->auth_header + sizeof prefix - 1, key, len + 1);
    return PODSKU_OK;
}

/* As the curl tool does it; libcurl alone reads none of these variables. */
static enum podsku_code take_trust(struct podsku_client *client, const struct podsku_client_config *config,
                                   struct podsku_error *err)
{
    const char *bundle = getenv("CURL_CA_BUNDLE");

    if (config->ca_pem && *config->ca_pem)
        return copy(&client->ca_pem, config->ca_pem, err);
    if (bundle && *bundle)
        return copy(&client->ca_file, bundle, err);
    if (copy(&client->ca_file, getenv("SSL_CERT_FILE"), err) != PODSKU_OK)
        return err->code;
    return copy(&client->ca_dir, getenv("SSL_CERT_DIR"), err);
}

static enum podsku_code take_urls(struct podsku_client *client, const struct podsku_client_config *config,
                                  struct podsku_error *err)
{
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++) {
        const char *url = config->url[i] && *config->url[i] ? config->url[i] : apis[i].url;
        if (url && podsku_base_url_parse(client->curl, url, apis[i].variable, &client->base[i], err) != PODSKU_OK)
            return err->code;
    }
    return PODSKU_OK;
}

enum podsku_code podsku_client_new(const struct podsku_client_config *config, struct podsku_client **client,
                                   struct podsku_error *err)
{
    struct podsku_client *made = calloc(1, sizeof *made);

    *client = NULL;
    if (!made)
        return podsku_error_no_memory(err);
    made->config = *config;
    made->config.key = made->config.ca_pem = made->config.connect_to = NULL; /* the copies are used */
    made->clock = config->clock ? config->clock : podsku_clock_system();
    made->random = (uint64_t)podsku_clock_wall_ms(made->clock) ^ (uint64_t)(uintptr_t)made;
    made->curl = podsku_curl_load(err);
    if (!made->curl || take_urls(made, config, err) != PODSKU_OK || take_key(made, config->key, err) != PODSKU_OK ||
        take_trust(made, config, err) != PODSKU_OK || copy(&made->connect_to, config->connect_to, err) != PODSKU_OK)
        goto out;
    made->handle = made->curl->easy_init();
    if (!made->handle)
        podsku_error_no_memory(err);
out:
    if (err->code != PODSKU_OK) {
        podsku_client_free(made);
        return err->code;
    }
    *client = made;
    return PODSKU_OK;
}

static void wipe_text(char *text)
{
    if (text)
        podsku_wipe(text, strlen(text));
    free(text);
}

void podsku_client_free(struct podsku_client *client)
{
    if (!client)
        return;
    if (client->curl && client->handle)
        client->curl->easy_cleanup(client->handle);
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++)
        free(client->base[i].text);
    wipe_text(client->key);
    wipe_text(client->auth_header);
    free(client->connect_to);
    free(client->ca_pem);
    free(client->ca_file);
    free(client->ca_dir);
    free(client);
}

void podsku_response_free(struct podsku_response *response)
{
    if (response)
        podsku_buf_free(&response->body);
}

void podsku_client_shield(struct podsku_client *client, bool on)
{
    client->shields += on ? 1 : -1;
}

const char *podsku_client_url(const struct podsku_client *client, enum podsku_api api)
{
    return client->base[api].text;
}

const struct podsku_clock *podsku_client_clock(const struct podsku_client *client)
{
    return client->clock;
}

bool podsku_client_has_key(const struct podsku_client *client)
{
    return client->key != NULL;
}

bool podsku_client_key_in(const struct podsku_client *client, const char *text)
{
    return client->key && text && strstr(text, client->key) != NULL;
}

void podsku_client_redact(const struct podsku_client *client, char *text)
{
    if (!client->key)
        return;
    size_t len = strlen(client->key);
    while ((text = strstr(text, client->key)) != NULL) {
        memset(text, '*', len);
        text += len;
    }
}

static enum podsku_code no_key(struct podsku_error *err)
{
    podsku_error_hint(
        err, "set RUNPOD_API_KEY or RUNPOD_API_KEY_FILE; keys are made at https://console.runpod.io/user/settings");
    return podsku_error_set(err, PODSKU_AUTH, "there is no API key");
}

enum podsku_code podsku_client_key_hmac(const struct podsku_client *client, const char *salt, char text[65],
                                        struct podsku_error *err)
{
    if (!client->key)
        return no_key(err);
    return podsku_hmac_sha256(client->key, strlen(client->key), salt, strlen(salt), text, err);
}

/* In [0, 1). Only spreads retries: nothing depends on its quality (a 64-bit LCG, Knuth's constants). */
static double next_random(struct podsku_client *client)
{
    client->random = client->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(client->random >> 11) / 9007199254740992.0;
}

static void trace(const struct podsku_client *client, const struct podsku_request *request,
                  const struct podsku_response *response, int64_t ms, const struct podsku_error *err)
{
    struct podsku_buf line = {0};

    if (!client->config.trace)
        return;
    podsku_buf_printf(&line, "%s %s ", request->method, response->url);
    if (err->code == PODSKU_OK)
        podsku_buf_printf(&line, "%d %lld ms", response->status, (long long)ms);
    else
        podsku_buf_printf(&line, "failed after %lld ms: %s", (long long)ms, err->message);
    if (!podsku_buf_failed(&line))
        client->config.trace(client->config.ctx, podsku_buf_text(&line));
    podsku_buf_free(&line);
}

/* Waits in slices, so that an interruption ends it also where the clock's sleep does not notice. */
static enum podsku_code wait_ms(const struct podsku_client *client, const struct podsku_request *request, int64_t ms,
                                struct podsku_error *err)
{
    int64_t end_ms = podsku_clock_mono_ms(client->clock) + ms;

    if (client->config.trace) {
        char line[80];
        (void)snprintf(line, sizeof line, "trying again in %.1f s", (double)ms / 1000);
        client->config.trace(client->config.ctx, line);
    }
    for (;;) {
        if (podsku_transfer_ended(client, request))
            return podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted");
        int64_t left_ms = end_ms - podsku_clock_mono_ms(client->clock);
        if (left_ms <= 0)
            return PODSKU_OK;
        podsku_clock_sleep_ms(client->clock, left_ms < WAIT_SLICE_MS ? left_ms : WAIT_SLICE_MS);
    }
}

enum podsku_code podsku_client_wait(struct podsku_client *client, int64_t ms, struct podsku_error *err)
{
    const struct podsku_request read = {.method = "GET"};

    return wait_ms(client, &read, ms, err);
}

static struct podsku_retry decide(struct podsku_client *client, const struct podsku_request *request,
                                  const struct podsku_response *response, int attempt, int64_t start_ms)
{
    int64_t budget_ms = client->config.retry_budget_ms > 0 ? client->config.retry_budget_ms : PODSKU_RETRY_BUDGET_MS;
    int64_t left_ms = podsku_transfer_left_ms(client, request);
    int64_t spent_ms = podsku_clock_mono_ms(client->clock) - start_ms;
    struct podsku_retry_input input = {
        .status = response->curl_code ? 0 : response->status,
        .curl_code = response->curl_code,
        .retry_after = response->retry_after,
        .rate_limit = response->rate_limit,
        .date = response->date,
        .attempt = attempt,
        .spent_ms = spent_ms,
        .budget_ms = budget_ms - spent_ms < left_ms ? budget_ms : spent_ms + left_ms,
        .now_ms = podsku_clock_wall_ms(client->clock),
        .random = next_random(client),
    };

    return podsku_retry_decide(&input);
}

/* Windows that this answer's header says are used up; an answer without the header changes nothing. */
static void note_quota(struct podsku_client *client, const struct podsku_response *response)
{
    if (response->rate_limit[0])
        client->quota_mono_ms =
            podsku_clock_mono_ms(client->clock) + podsku_retry_throttle_ms(NULL, response->rate_limit, NULL, 0);
    if (response->curl_code)
        return;
    client->later_mono_ms = 0;
    if (response->status == 429 || response->status == 503)
        client->later_mono_ms =
            podsku_clock_mono_ms(client->clock) +
            podsku_retry_throttle_ms(response->retry_after, NULL, response->date, podsku_clock_wall_ms(client->clock));
}

int64_t podsku_client_quota_ms(const struct podsku_client *client)
{
    int64_t until_ms = client->quota_mono_ms > client->later_mono_ms ? client->quota_mono_ms : client->later_mono_ms;
    int64_t left_ms = until_ms - podsku_clock_mono_ms(client->clock);

    return left_ms > 0 ? left_ms : 0;
}

static enum podsku_code send_until(struct podsku_client *client, const struct podsku_request *request, const char *url,
                                   struct podsku_response *response, struct podsku_error *err)
{
    int64_t start_ms = podsku_clock_mono_ms(client->clock);
    bool sent = false;

    for (int attempt = 1;; attempt++) {
        int64_t try_ms = podsku_clock_mono_ms(client->clock);
        podsku_response_free(response);
        *response = (struct podsku_response){0};
        (void)snprintf(response->url, sizeof response->url, "%s", url);
        enum podsku_code code = podsku_transfer(client, request, url, response, err);
        sent = sent || response->request_sent;
        note_quota(client, response);
        trace(client, request, response, podsku_clock_mono_ms(client->clock) - try_ms, err);
        if (code == PODSKU_INTERRUPTED || code == PODSKU_NO_MEMORY || !request->retry)
            break;
        struct podsku_retry retry = decide(client, request, response, attempt, start_ms);
        if (!retry.again)
            break;
        struct podsku_error waiting = {0};
        if (wait_ms(client, request, retry.wait_ms, &waiting) != PODSKU_OK) {
            *err = waiting;
            break;
        }
        podsku_error_clear(err);
    }
    response->request_sent = sent;
    return err->code;
}

enum podsku_code podsku_client_send(struct podsku_client *client, const struct podsku_request *request,
                                    struct podsku_response *response, struct podsku_error *err)
{
    const char *base = client->base[request->api].text;
    struct podsku_buf url = {0};

    *response = (struct podsku_response){0};
    if (!base) {
        podsku_error_hint(err, "set %s; Runpod itself has retired this API", apis[request->api].variable);
        return podsku_error_set(err, PODSKU_USAGE, "there is no base URL for API %s", apis[request->api].name);
    }
    if (request->api != PODSKU_API_GRAPHQL && !client->key)
        return no_key(err);
    podsku_buf_printf(&url, "%s%s", base, request->path);
    if (podsku_buf_failed(&url))
        podsku_error_no_memory(err);
    else
        (void)send_until(client, request, podsku_buf_text(&url), response, err);
    podsku_buf_free(&url);
    return err->code;
}
