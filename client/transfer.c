#include "client/transfer.h"

#include <ctype.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

enum {
    CONNECT_TIMEOUT_MS = 10000,
    STALL_S = 30,
    READ_TIMEOUT_MS = 300000, /* a drip of one byte a second keeps no stall limit, but does not go on for ever */
    WRITE_TIMEOUT_MS = 120000,
    HEADERS_MAX = 256 << 10, /* bytes of all header lines of one transfer */
    OPTIONS_MAX = 8,
};

/* Why our own callback ended a transfer. */
enum ending { RUNNING, INTERRUPTED, ABANDONED, RESEND, OVERSIZE, HEADERS_OVERSIZE, NO_MEMORY, SINK_DONE };

struct transfer {
    struct podsku_client *client;
    const struct podsku_request *request;
    struct podsku_response *response;
    enum ending ending;
    int sends; /* how often libcurl began to send the request */
    size_t header_bytes;
    bool may_resend;
    char error_text[CURL_ERROR_SIZE];
};

static bool is_read(const struct podsku_request *request)
{
    return strcmp(request->method, "GET") == 0 || request->api == PODSKU_API_GRAPHQL;
}

static enum ending poll_ending(const struct podsku_client *client, const struct podsku_request *request)
{
    const struct podsku_client_config *config = &client->config;

    if (is_read(request) && client->shields == 0)
        return config->interrupted && config->interrupted(config->ctx) ? INTERRUPTED : RUNNING;
    return config->abandoned && config->abandoned(config->ctx) ? ABANDONED : RUNNING;
}

int64_t podsku_transfer_left_ms(const struct podsku_client *client, const struct podsku_request *request)
{
    if (client->until_mono_ms == 0 || !is_read(request))
        return PODSKU_NO_LIMIT;
    int64_t left_ms = client->until_mono_ms - podsku_clock_mono_ms(client->clock);
    return left_ms > 1 ? left_ms : 1;
}

bool podsku_transfer_ended(const struct podsku_client *client, const struct podsku_request *request)
{
    return poll_ending(client, request) != RUNNING;
}

static int on_progress(void *ctx, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
    struct transfer *transfer = ctx;

    (void)total, (void)now, (void)up_total, (void)up_now;
    if (transfer->ending == RUNNING)
        transfer->ending = poll_ending(transfer->client, transfer->request);
    return transfer->ending == RUNNING ? 0 : 1;
}

/*
 * Called each time libcurl is about to send the request on a connection that stands. The second time
 * is its own resend after a reused connection died: the first may have been acted on.
 */
static int on_send(void *ctx, char *remote_ip, char *local_ip, int remote_port, int local_port)
{
    struct transfer *transfer = ctx;

    (void)remote_ip, (void)local_ip, (void)remote_port, (void)local_port;
    if (transfer->sends > 0 && !transfer->may_resend) {
        transfer->ending = RESEND;
        return CURL_PREREQFUNC_ABORT;
    }
    transfer->sends++;
    transfer->response->request_sent = true;
    return CURL_PREREQFUNC_OK;
}

/* True if the header line is NAME; then its value goes to out, appended after ", " if out has text. */
static bool take_header(const char *line, size_t len, const char *name, char *out, size_t size)
{
    size_t name_len = strlen(name);
    size_t used = strlen(out);

    if (len <= name_len || line[name_len] != ':' || strncasecmp(line, name, name_len) != 0)
        return false;
    line += name_len + 1;
    len -= name_len + 1;
    while (len > 0 && isspace((unsigned char)*line)) {
        line++;
        len--;
    }
    while (len > 0 && isspace((unsigned char)line[len - 1]))
        len--;
    if (used > 0 && used + 2 < size) {
        memcpy(out + used, ", ", 3);
        used += 2;
    }
    for (size_t i = 0; i < len && used + 1 < size; i++, used++) /* control bytes never leave this function */
        out[used] = (char)((unsigned char)line[i] < 0x20 || line[i] == 0x7f ? '?' : line[i]);
    out[used] = '\0';
    return true;
}

static void reset_headers(struct podsku_response *response)
{
    response->content_type[0] = response->request_id[0] = response->retry_after[0] = '\0';
    response->rate_limit[0] = response->date[0] = '\0';
    response->more_link = false;
}

static void read_header(struct podsku_response *response, const char *line, size_t len)
{
    char link[1024] = "";

    if (len > 5 && strncasecmp(line, "HTTP/", 5) == 0) { /* what came before was an interim answer */
        reset_headers(response);
    } else if (len > 13 && strncasecmp(line, "content-type:", 13) == 0) {
        response->content_type[0] = '\0';
        (void)take_header(line, len, "content-type", response->content_type, sizeof response->content_type);
        response->content_type[strcspn(response->content_type, "; ")] = '\0';
        for (char *c = response->content_type; *c; c++)
            *c = (char)tolower((unsigned char)*c);
    } else if (take_header(line, len, "link", link, sizeof link)) {
        if (strstr(link, "rel=\"next\"") || strstr(link, "rel=next"))
            response->more_link = true;
    } else {
        (void)(take_header(line, len, "x-request-id", response->request_id, sizeof response->request_id) ||
               take_header(line, len, "retry-after", response->retry_after, sizeof response->retry_after) ||
               take_header(line, len, "ratelimit", response->rate_limit, sizeof response->rate_limit) ||
               take_header(line, len, "date", response->date, sizeof response->date));
    }
}

/*
 * A service, or a proxy on the way, may echo the key in what it answers: it ends here, before anything
 * is cut, decoded, quoted or kept. A very short key would be found by chance: it stays.
 */
enum { KEY_LEAST = 8 };

static void hide_key(const struct podsku_client *client, char *bytes, size_t len)
{
    size_t key_len = client->key ? strlen(client->key) : 0;
    char *end;

    if (key_len < KEY_LEAST || len < key_len)
        return;
    end = bytes + len;
    while ((bytes = memmem(bytes, (size_t)(end - bytes), client->key, key_len)) != NULL) {
        memset(bytes, '*', key_len);
        bytes += key_len;
    }
}

static size_t on_header(char *bytes, size_t size, size_t count, void *ctx)
{
    struct transfer *transfer = ctx;
    size_t len = size * count;

    transfer->header_bytes += len;
    if (transfer->header_bytes > HEADERS_MAX) {
        transfer->ending = HEADERS_OVERSIZE;
        return len ? 0 : 1;
    }
    const char *key = transfer->client->key;
    if (!key || !memmem(bytes, len, key, strlen(key))) {
        read_header(transfer->response, bytes, len);
        return len;
    }
    /* The bytes are libcurl's. Without memory for a copy the line goes unread, as one that holds nothing. */
    char *line = malloc(len);
    if (!line)
        return len;
    memcpy(line, bytes, len);
    hide_key(transfer->client, line, len);
    read_header(transfer->response, line, len);
    free(line);
    return len;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct transfer *transfer = ctx;
    const struct podsku_request *request = transfer->request;
    size_t len = size * count;
    long status = 0;

    (void)transfer->client->curl->easy_getinfo(transfer->client->handle, CURLINFO_RESPONSE_CODE, &status);
    transfer->response->status = (int)status;
    if (request->sink && status >= 200 && status <= 299) {
        if (request->sink(request->sink_ctx, bytes, len))
            return len;
        transfer->ending = SINK_DONE;
        return len ? 0 : 1;
    }
    /* The cap is on decoded bytes: a small gzip answer may be a large text. */
    bool fits = len <= PODSKU_ANSWER_MAX - transfer->response->body.len;
    podsku_buf_append(&transfer->response->body, bytes, len);
    if (!podsku_buf_failed(&transfer->response->body))
        return len;
    transfer->ending = fits ? NO_MEMORY : OVERSIZE;
    return len ? 0 : 1;
}

/* Collects the first failure of a run of curl_easy_setopt(). */
struct setter {
    const struct podsku_curl *curl;
    CURL *handle;
    CURLcode code;
};

#define SET(setter, option, value)                                                                     \
    do {                                                                                               \
        if ((setter)->code == CURLE_OK)                                                                \
            (setter)->code = (setter)->curl->easy_setopt((setter)->handle, CURLOPT_##option, (value)); \
    } while (0)

static void set_callbacks(struct setter *set, struct transfer *transfer)
{
    SET(set, ERRORBUFFER, transfer->error_text);
    SET(set, PREREQFUNCTION, on_send);
    SET(set, PREREQDATA, transfer);
    SET(set, HEADERFUNCTION, on_header);
    SET(set, HEADERDATA, transfer);
    SET(set, WRITEFUNCTION, on_body);
    SET(set, WRITEDATA, transfer);
    SET(set, XFERINFOFUNCTION, on_progress);
    SET(set, XFERINFODATA, transfer);
    SET(set, NOPROGRESS, 0L);
    SET(set, NOSIGNAL, 1L);
    SET(set, VERBOSE, 0L); /* its text would show the key */
}

static void set_trust(struct setter *set, const struct podsku_client *client)
{
    SET(set, SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(set, SSL_VERIFYPEER, 1L);
    SET(set, SSL_VERIFYHOST, 2L);
    if (client->ca_pem) {
        struct curl_blob blob = {.data = client->ca_pem, .len = strlen(client->ca_pem), .flags = CURL_BLOB_COPY};
        SET(set, CAINFO_BLOB, &blob);
        SET(set, CAPATH, (char *)NULL); /* these certificates and no others */
    }
    if (client->ca_file) {
        SET(set, CAINFO, client->ca_file);
        SET(set, PROXY_CAINFO, client->ca_file);
    }
    if (client->ca_dir) {
        SET(set, CAPATH, client->ca_dir);
        SET(set, PROXY_CAPATH, client->ca_dir);
    }
}

static void set_connection(struct setter *set, const struct podsku_client *client, bool http)
{
    int64_t connect_ms = client->config.connect_timeout_ms;

#if LIBCURL_VERSION_NUM >= 0x075500
    SET(set, PROTOCOLS_STR, http ? "http" : "https");
#else
    SET(set, PROTOCOLS, http ? (long)CURLPROTO_HTTP : (long)CURLPROTO_HTTPS);
#endif
    SET(set, FOLLOWLOCATION, 0L);
    SET(set, HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    SET(set, CONNECTTIMEOUT_MS, connect_ms > 0 ? (long)connect_ms : (long)CONNECT_TIMEOUT_MS);
    SET(set, NETRC, (long)CURL_NETRC_IGNORED);
    SET(set, TCP_KEEPALIVE, 1L);
    SET(set, SUPPRESS_CONNECT_HEADERS, 1L);
    SET(set, HEADEROPT, (long)CURLHEADER_SEPARATE); /* a proxy that tunnels never sees the key */
    if (http) {
        SET(set, PROXY, ""); /* a proxy of plain http would see the key */
        SET(set, NOPROXY, "*");
    }
}

static void set_limits(struct setter *set, const struct podsku_client *client, const struct podsku_request *request)
{
    int64_t timeout_ms = request->timeout_ms;
    int64_t left_ms = podsku_transfer_left_ms(client, request);

    if (timeout_ms <= 0 && !request->sink)
        timeout_ms = is_read(request) ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS;
    if (left_ms < PODSKU_NO_LIMIT && (timeout_ms <= 0 || left_ms < timeout_ms))
        timeout_ms = left_ms;
    if (timeout_ms > 0)
        SET(set, TIMEOUT_MS, timeout_ms < 0x7fffffff ? (long)timeout_ms : 0x7fffffffL);
    if (!request->sink) {
        SET(set, LOW_SPEED_LIMIT, 1L);
        SET(set, LOW_SPEED_TIME, client->config.stall_s > 0 ? (long)client->config.stall_s : (long)STALL_S);
        SET(set, ACCEPT_ENCODING, "gzip");
    }
}

static void set_request(struct setter *set, const struct podsku_request *request, const char *url,
                        struct curl_slist *headers)
{
    SET(set, URL, url);
    SET(set, PATH_AS_IS, 1L);
    SET(set, USERAGENT, "podsku/" PODSKU_VERSION " (+https://github.com/podsku/podsku)");
    SET(set, HTTPHEADER, headers);
    if (request->body) {
        SET(set, POST, 1L);
        SET(set, POSTFIELDS, request->body);
        SET(set, POSTFIELDSIZE_LARGE, (curl_off_t)strlen(request->body));
    } else if (strcmp(request->method, "POST") == 0) {
        SET(set, POST, 1L);
        SET(set, POSTFIELDS, "");
        SET(set, POSTFIELDSIZE_LARGE, (curl_off_t)0);
    } else {
        SET(set, HTTPGET, 1L);
    }
    if (strcmp(request->method, "GET") != 0 && strcmp(request->method, "POST") != 0)
        SET(set, CUSTOMREQUEST, request->method);
}

/* The list of header lines, in nodes of ours: libcurl's own list would keep copies of the key. */
static struct curl_slist *link_headers(struct curl_slist nodes[OPTIONS_MAX], const struct podsku_client *client,
                                       const struct podsku_request *request, char *resume)
{
    static char accept_json[] = "Accept: application/json, application/problem+json";
    static char accept_events[] = "Accept: text/event-stream, application/problem+json";
    static char json[] = "Content-Type: application/json";
    static char no_expect[] = "Expect:";
    char *lines[OPTIONS_MAX] = {request->sink ? accept_events : accept_json, no_expect};
    size_t count = 2;

    if (request->body)
        lines[count++] = json;
    if (resume[0])
        lines[count++] = resume;
    if (client->auth_header && request->api != PODSKU_API_GRAPHQL)
        lines[count++] = client->auth_header;
    for (size_t i = 0; i < count; i++)
        nodes[i] = (struct curl_slist){lines[i], i + 1 < count ? &nodes[i + 1] : NULL};
    return nodes;
}

/* TLS failures that another try would meet again; a connection that broke in the handshake is none. */
static bool is_tls_failure(CURLcode code)
{
    switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_USE_SSL_FAILED: return true;
    default: return false;
    }
}

static bool broke_in_handshake(CURLcode code, const char *text)
{
    static const char *const words[] = {"SSL_connect:", "unexpected eof", "Recv failure", "Send failure"};

    for (size_t i = 0; code == CURLE_SSL_CONNECT_ERROR && i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

static void tls_hint(CURLcode code, const struct podsku_client *client, struct podsku_error *err)
{
    if (code == CURLE_SSL_CACERT_BADFILE)
        podsku_error_hint(err, "CURL_CA_BUNDLE or SSL_CERT_FILE must name a readable file of PEM certificates");
    else if (code == CURLE_PEER_FAILED_VERIFICATION)
        podsku_error_hint(err, "check the machine's clock and its CA certificates%s",
                          client->ca_file || client->ca_dir ? " (CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR)"
                                                            : "; behind an inspecting proxy set CURL_CA_BUNDLE");
    else
        podsku_error_hint(err, "the service must speak TLS 1.2 or newer");
}

/* A failure that one of our callbacks caused on purpose. */
static enum podsku_code report_ending(struct transfer *transfer, struct podsku_error *err)
{
    struct podsku_response *response = transfer->response;

    switch (transfer->ending) {
    case INTERRUPTED:
        response->curl_code = CURLE_ABORTED_BY_CALLBACK;
        return podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted");
    case ABANDONED:
        response->curl_code = CURLE_ABORTED_BY_CALLBACK;
        return podsku_error_set(err, PODSKU_INTERRUPTED, "given up while waiting for the answer");
    case RESEND:
        response->curl_code = CURLE_GOT_NOTHING;
        return podsku_error_set(err, PODSKU_NETWORK, "the connection was lost after the request was sent");
    case OVERSIZE:
        response->curl_code = CURLE_FILESIZE_EXCEEDED;
        return podsku_error_set(err, PODSKU_ANSWER, "the answer is larger than %zu MiB", PODSKU_ANSWER_MAX >> 20);
    case HEADERS_OVERSIZE:
        response->curl_code = CURLE_FILESIZE_EXCEEDED;
        return podsku_error_set(err, PODSKU_ANSWER, "the answer's headers are larger than %d KiB", HEADERS_MAX >> 10);
    case NO_MEMORY: response->curl_code = CURLE_OUT_OF_MEMORY; return podsku_error_no_memory(err);
    case SINK_DONE: return PODSKU_OK;
    case RUNNING: break;
    }
    return PODSKU_OK;
}

static enum podsku_code transport_error(struct transfer *transfer, CURLcode code, const char *text,
                                        struct podsku_error *err)
{
    struct podsku_response *response = transfer->response;

    response->curl_code = (int)code;
    switch (code) {
    case CURLE_OUT_OF_MEMORY: return podsku_error_no_memory(err);
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_FILESIZE_EXCEEDED: return podsku_error_set(err, PODSKU_ANSWER, "the answer cannot be read: %s", text);
    case CURLE_OPERATION_TIMEDOUT:
        return podsku_error_set(err, PODSKU_NETWORK, "%s: %s",
                                response->request_sent ? "no whole answer in time" : "no connection in time", text);
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
        podsku_error_hint(err, "check the network and the proxy settings (HTTPS_PROXY, NO_PROXY)");
        return podsku_error_set(err, PODSKU_NETWORK, "the service cannot be reached: %s", text);
    default:
        if (is_tls_failure(code)) {
            tls_hint(code, transfer->client, err);
            return podsku_error_set(err, PODSKU_TLS, "no trusted TLS connection: %s", text);
        }
        return podsku_error_set(err, PODSKU_NETWORK, "%s: %s",
                                response->request_sent ? "the connection was lost after the request was sent"
                                                       : "the connection was lost",
                                text);
    }
}

static enum podsku_code report(struct transfer *transfer, CURLcode code, struct podsku_error *err)
{
    const char *raw = transfer->error_text[0] ? transfer->error_text : transfer->client->curl->easy_strerror(code);
    struct podsku_buf text = {.max = 400};

    if (transfer->ending != RUNNING) {
        podsku_error_where(err, "%s", transfer->response->url);
        enum podsku_code ended = report_ending(transfer, err);
        if (ended == PODSKU_OK)
            podsku_error_clear(err);
        err->curl_code = transfer->response->curl_code;
        return ended;
    }
    if (broke_in_handshake(code, raw))
        code = CURLE_COULDNT_CONNECT;
    podsku_text_printable(&text, raw, strlen(raw), false); /* it may quote a certificate */
    podsku_error_where(err, "%s", transfer->response->url);
    enum podsku_code result = transport_error(transfer, code, podsku_buf_text(&text), err);
    err->curl_code = transfer->response->curl_code;
    podsku_buf_free(&text);
    return result;
}

/*
 * The TLS library writes to sockets that the peer has reset, which raises SIGPIPE; libcurl does not
 * hold it back with NOSIGNAL, and a library may not change the program's handlers. So it is blocked in
 * this thread while the transfer runs, and one that came is taken off.
 */
static CURLcode perform(const struct podsku_client *client)
{
    static const struct timespec at_once;
    sigset_t pipe_only;
    sigset_t old;
    sigset_t pending;

    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    bool was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    bool blocked = pthread_sigmask(SIG_BLOCK, &pipe_only, &old) == 0;
    CURLcode code = client->curl->easy_perform(client->handle);
    if (blocked) {
        if (!was_pending && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1)
            (void)sigtimedwait(&pipe_only, NULL, &at_once);
        (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    return code;
}

enum podsku_code podsku_transfer(struct podsku_client *client, const struct podsku_request *request, const char *url,
                                 struct podsku_response *response, struct podsku_error *err)
{
    struct curl_slist nodes[OPTIONS_MAX];
    char resume[160] = "";
    struct transfer transfer = {.client = client, .request = request, .response = response};
    long status = 0;

    if (request->last_event_id)
        (void)snprintf(resume, sizeof resume, "Last-Event-ID: %s", request->last_event_id);
    transfer.may_resend = request->retry || is_read(request);
    response->body.max = PODSKU_ANSWER_MAX;
    client->curl->easy_reset(client->handle); /* keeps the connection */
    struct setter set = {client->curl, client->handle, CURLE_OK};
    struct curl_slist connect_to = {client->connect_to, NULL};
    set_callbacks(&set, &transfer);
    set_trust(&set, client);
    set_connection(&set, client, client->base[request->api].http);
    set_limits(&set, client, request);
    set_request(&set, request, url, link_headers(nodes, client, request, resume));
    if (client->connect_to)
        SET(&set, CONNECT_TO, &connect_to);
    if (set.code == CURLE_OUT_OF_MEMORY)
        return podsku_error_no_memory(err);
    if (set.code != CURLE_OK)
        return podsku_error_set(err, PODSKU_INTERNAL, "libcurl refuses an option: %s",
                                client->curl->easy_strerror(set.code));
    CURLcode code = perform(client);
    (void)client->curl->easy_getinfo(client->handle, CURLINFO_RESPONSE_CODE, &status);
    response->status = (int)status;
    hide_key(client, response->body.data, response->body.len);
    hide_key(client, transfer.error_text, strnlen(transfer.error_text, sizeof transfer.error_text));
    /* The handle must not keep pointers into this frame. */
    client->curl->easy_reset(client->handle);
    if (code == CURLE_OK)
        return PODSKU_OK;
    return report(&transfer, code, err);
}
