#include "tests/support/https_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/https_private.h"

int https_read(struct https_connection *connection, void *bytes, int len)
{
    if (connection->ssl)
        return SSL_read(connection->ssl, bytes, len);
    return (int)recv(connection->fd, bytes, (size_t)len, 0);
}

bool https_write(struct https_connection *connection, const void *bytes, size_t len)
{
    const char *from = bytes;

    while (len > 0) {
        int part = len < 16384 ? (int)len : 16384;
        int sent = connection->ssl ? SSL_write(connection->ssl, from, part)
                                   : (int)send(connection->fd, from, (size_t)part, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        from += sent;
        len -= (size_t)sent;
    }
    return true;
}

static bool is_stopping(struct https_server *server)
{
    pthread_mutex_lock(&server->lock);
    bool stopping = server->stopping;
    pthread_mutex_unlock(&server->lock);
    return stopping;
}

bool https_gone(struct https_connection *connection, int ms)
{
    struct pollfd poller = {.fd = connection->fd, .events = POLLRDHUP};

    for (; ms > 0; ms -= 20) {
        int ready = poll(&poller, 1, ms < 20 ? ms : 20);
        if (ready > 0 || is_stopping(connection->server))
            return true;
    }
    return false;
}

/* Waits until there is something to read: false when the peer left or the server stops. */
static bool wait_readable(struct https_connection *connection)
{
    struct pollfd poller = {.fd = connection->fd, .events = POLLIN};

    if (connection->ssl && SSL_pending(connection->ssl) > 0)
        return true;
    while (!is_stopping(connection->server)) {
        int ready = poll(&poller, 1, 20);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready > 0)
            return true;
    }
    return false;
}

struct text {
    char *data;
    size_t len, room;
};

/* Reads until `need` bytes are there, or (need 0) the headers' end; its offset is returned, -1 on the end. */
static long read_until(struct https_connection *connection, struct text *text, size_t need)
{
    for (;;) {
        if (need > 0 ? text->len >= need : text->len > 0 && strstr(text->data, "\r\n\r\n") != NULL)
            return need > 0 ? (long)need : strstr(text->data, "\r\n\r\n") - text->data;
        if (text->room - text->len < 4097) {
            char *larger = realloc(text->data, text->room + 65536);
            if (!larger)
                return -1;
            text->data = larger;
            text->room += 65536;
        }
        if (!wait_readable(connection))
            return -1;
        int got = https_read(connection, text->data + text->len, 4096);
        if (got <= 0)
            return -1;
        text->len += (size_t)got;
        text->data[text->len] = '\0';
        if (!connection->ssl && text->data[0] == 0x16) { /* a TLS handshake: as web servers do */
            (void)https_write(connection, "HTTP/1.1 400 Bad Request\r\n\r\n", 28);
            return -1;
        }
    }
}

bool https_request_header(const struct https_request *request, const char *name, char *out, size_t size)
{
    size_t name_len = strlen(name);

    for (const char *line = request->headers; line && *line;) {
        size_t len = strcspn(line, "\r\n");
        if (len > name_len && line[name_len] == ':' && strncasecmp(line, name, name_len) == 0) {
            const char *value = line + name_len + 1;
            while (*value == ' ')
                value++;
            (void)snprintf(out, size, "%.*s", (int)(line + len - value), value);
            return true;
        }
        line += len;
        line += strspn(line, "\r\n");
    }
    return false;
}

static void request_free(struct https_request *request)
{
    if (!request)
        return;
    free(request->method);
    free(request->path);
    free(request->headers);
    free(request->body);
    free(request);
}

/* Reads one request; NULL when the peer is gone. */
static struct https_request *read_request(struct https_connection *connection, struct text *text)
{
    struct https_request *request = calloc(1, sizeof *request);
    char length[32] = "";
    long head = request ? read_until(connection, text, 0) : -1;

    if (head < 0)
        goto gone;
    const char *blank = memchr(text->data, ' ', (size_t)head);
    const char *blank2 = blank ? memchr(blank + 1, ' ', (size_t)(text->data + head - blank - 1)) : NULL;
    const char *line_end = strstr(text->data, "\r\n");
    if (!blank2 || blank2 > line_end)
        goto gone;
    request->method = strndup(text->data, (size_t)(blank - text->data));
    request->path = strndup(blank + 1, (size_t)(blank2 - blank - 1));
    request->headers =
        strndup(line_end + 2, head > line_end + 2 - text->data ? (size_t)(text->data + head - line_end - 2) : 0);
    size_t body =
        https_request_header(request, "content-length", length, sizeof length) ? strtoul(length, NULL, 10) : 0;
    size_t whole = (size_t)head + 4 + body;
    if (body > 0 && read_until(connection, text, whole) < 0)
        goto gone;
    request->body = strndup(text->data + head + 4, body);
    memmove(text->data, text->data + whole, text->len - whole + 1);
    text->len -= whole;
    return request;
gone:
    request_free(request);
    return NULL;
}

static bool matches(const struct https_answer *answer, const struct https_request *request)
{
    return (!answer->method || strcmp(answer->method, request->method) == 0) &&
           (!answer->path || strcmp(answer->path, request->path) == 0) &&
           (answer->on_connection == 0 || answer->on_connection == request->on_connection);
}

static void choose_from_script(struct https_server *server, struct https_request *request, struct https_answer *answer)
{
    for (size_t i = 0; i < server->script_count; i++) {
        const struct https_answer *entry = &server->script[i];
        int times = entry->times ? entry->times : 1;
        if ((times < 0 || server->used[i] < times) && matches(entry, request)) {
            server->used[i]++;
            *answer = *entry;
            return;
        }
    }
    request->unexpected = true;
    *answer = (struct https_answer){.status = 599, .body = "{\"detail\":\"not in the script\"}"};
}

/* Around every answer, whichever server gives it. */
static pthread_mutex_t fence = PTHREAD_MUTEX_INITIALIZER;

void https_server_fence(void)
{
    pthread_mutex_lock(&fence);
    pthread_mutex_unlock(&fence);
}

/* Records the request (which the server then owns) and says how to answer it. */
static bool record(struct https_server *server, struct https_request *request, struct https_answer *answer,
                   char **owned)
{
    bool kept = false;

    pthread_mutex_lock(&fence);
    pthread_mutex_lock(&server->lock);
    if (server->request_count == server->request_room && server->request_room < HTTPS_REQUESTS_MAX) {
        size_t room = server->request_room ? 2 * server->request_room : 64;
        struct https_request **larger = realloc(server->requests, room * sizeof *larger);
        if (larger) {
            server->requests = larger;
            server->request_room = room;
        }
    }
    if (server->request_count < server->request_room) {
        kept = true;
        server->requests[server->request_count++] = request;
        if (server->handler)
            server->handler(server->handler_ctx, request, answer, owned);
        else
            choose_from_script(server, request, answer);
    }
    pthread_mutex_unlock(&server->lock);
    pthread_mutex_unlock(&fence);
    if (!kept)
        request_free(request);
    return kept;
}

/* True when the script's next answer to this connection's next request is a reset before reading it. */
static bool resets_before(struct https_server *server, int on_connection)
{
    bool reset = false;

    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < server->script_count && !server->handler; i++) {
        const struct https_answer *entry = &server->script[i];
        int times = entry->times ? entry->times : 1;
        if (entry->fault != HTTPS_RESET_BEFORE || (times >= 0 && server->used[i] >= times) ||
            (entry->on_connection && entry->on_connection != on_connection))
            continue;
        server->used[i]++;
        reset = true;
        break;
    }
    pthread_mutex_unlock(&server->lock);
    return reset;
}

/* A linger time of 0 makes close() send RST. */
static void make_reset(const struct https_connection *connection)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};

    (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

static void serve(struct https_connection *connection)
{
    struct text text = {0};
    bool reset = false;
    bool more = true;

    for (int i = 1; more; i++) {
        struct https_answer answer = {0};
        char *owned = NULL;
        if (text.len == 0 && !wait_readable(connection))
            break;
        if (resets_before(connection->server, i)) {
            reset = true;
            break;
        }
        struct https_request *request = read_request(connection, &text);
        if (!request)
            break;
        request->connection = connection->number;
        request->on_connection = i;
        more = record(connection->server, request, &answer, &owned) && https_send_answer(connection, &answer, &reset);
        free(owned);
    }
    free(text.data);
    if (reset) {
        make_reset(connection);
    } else if (connection->ssl && SSL_is_init_finished(connection->ssl)) {
        (void)SSL_shutdown(connection->ssl);
    }
}

static void *connection_main(void *arg)
{
    struct https_connection *connection = arg;
    struct https_server *server = connection->server;
    bool ready = true;

    if (server->options.reset_handshake) {
        ready = false;
        (void)wait_readable(connection);
        make_reset(connection);
    } else if (server->context) {
        connection->ssl = SSL_new(server->context);
        ready = connection->ssl && SSL_set_fd(connection->ssl, connection->fd) == 1 && wait_readable(connection) &&
                SSL_accept(connection->ssl) == 1;
    }
    if (ready)
        serve(connection);
    SSL_free(connection->ssl);
    pthread_mutex_lock(&server->lock);
    (void)close(connection->fd);
    connection->ended = true;
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

static void add_connection(struct https_server *server, int fd)
{
    struct https_connection *connection = calloc(1, sizeof *connection);
    int one = 1;
    struct timeval patience = {.tv_sec = 20}; /* a client that hangs must not hang the test */

    if (!connection) {
        (void)close(fd);
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    connection->server = server;
    connection->fd = fd;
    pthread_mutex_lock(&server->lock);
    connection->number = ++server->connection_count;
    bool started = pthread_create(&connection->thread, NULL, connection_main, connection) == 0;
    if (started) {
        connection->next = server->connections;
        server->connections = connection;
    }
    pthread_mutex_unlock(&server->lock);
    if (!started) {
        (void)close(fd);
        free(connection);
    }
}

/* Joins what has ended, so that many short connections do not pile up threads. */
static void reap(struct https_server *server, bool all)
{
    pthread_mutex_lock(&server->lock);
    for (struct https_connection **link = &server->connections; *link;) {
        struct https_connection *connection = *link;
        if (!connection->ended && !all) {
            link = &connection->next;
            continue;
        }
        *link = connection->next;
        if (!connection->ended)
            (void)shutdown(connection->fd, SHUT_RDWR);
        pthread_mutex_unlock(&server->lock);
        (void)pthread_join(connection->thread, NULL);
        free(connection);
        pthread_mutex_lock(&server->lock);
        link = &server->connections;
    }
    pthread_mutex_unlock(&server->lock);
}

static void *server_main(void *arg)
{
    struct https_server *server = arg;
    struct pollfd poller = {.fd = server->listener, .events = POLLIN};

    while (!is_stopping(server)) {
        if (poll(&poller, 1, 20) <= 0)
            continue;
        int fd = accept(server->listener, NULL, NULL);
        if (fd >= 0)
            add_connection(server, fd);
        reap(server, false);
    }
    return NULL;
}

static bool listen_on_loopback(struct https_server *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;

    server->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (server->listener < 0 || bind(server->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(server->listener, 128) != 0 || getsockname(server->listener, (struct sockaddr *)&address, &len) != 0) {
        perror("https_server");
        return false;
    }
    server->port = ntohs(address.sin_port);
    return true;
}

/* The threads inherit a mask without SIGPIPE and without the signals that tests send to the program. */
static bool start_thread(struct https_server *server)
{
    sigset_t all;
    sigset_t old;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = pthread_create(&server->thread, NULL, server_main, server) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

struct https_server *https_server_start(const struct https_options *options)
{
    struct https_server *server = calloc(1, sizeof *server);

    if (!server)
        return NULL;
    server->listener = -1;
    if (options)
        server->options = *options;
    (void)pthread_mutex_init(&server->lock, NULL);
    if (!server->options.plain)
        server->context = https_make_context(&server->options, &server->ca_pem);
    if ((server->options.plain || server->context) && listen_on_loopback(server) && start_thread(server))
        return server;
    if (server->listener >= 0)
        (void)close(server->listener);
    SSL_CTX_free(server->context);
    free(server->ca_pem);
    (void)pthread_mutex_destroy(&server->lock);
    free(server);
    return NULL;
}

static void forget_requests(struct https_server *server)
{
    for (size_t i = 0; i < server->request_count; i++)
        request_free(server->requests[i]);
    server->request_count = 0;
}

void https_server_stop(struct https_server *server)
{
    if (!server)
        return;
    pthread_mutex_lock(&server->lock);
    server->stopping = true;
    pthread_mutex_unlock(&server->lock);
    (void)pthread_join(server->thread, NULL);
    reap(server, true);
    (void)close(server->listener);
    forget_requests(server);
    free(server->requests);
    SSL_CTX_free(server->context);
    free(server->ca_pem);
    (void)pthread_mutex_destroy(&server->lock);
    free(server);
}

/* True once every connection so far was accepted: they come in turn, and the server hangs up on this one. */
static bool all_accepted(const struct https_server *server)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)server->port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char byte;

    bool accepted = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
                    shutdown(fd, SHUT_WR) == 0 && recv(fd, &byte, 1, 0) <= 0;
    if (fd >= 0)
        (void)close(fd);
    return accepted;
}

static bool all_ended(struct https_server *server)
{
    bool ended = true;

    pthread_mutex_lock(&server->lock);
    for (const struct https_connection *connection = server->connections; connection; connection = connection->next)
        ended = ended && connection->ended;
    pthread_mutex_unlock(&server->lock);
    return ended;
}

bool https_server_drain(struct https_server *server, int ms)
{
    if (!all_accepted(server))
        return false;
    for (; !all_ended(server); ms--) {
        if (ms <= 0)
            return false;
        (void)usleep(1000);
    }
    return true;
}

int https_server_port(const struct https_server *server)
{
    return server->port;
}

const char *https_server_url(const struct https_server *server, const char *path, char *text, size_t size)
{
    (void)snprintf(text, size, "%s:%d%s", server->options.plain ? "http://127.0.0.1" : "https://localhost",
                   server->port, path);
    return text;
}

const char *https_server_connect_to(const struct https_server *server, const char *host, char *text, size_t size)
{
    (void)snprintf(text, size, "%s:443:127.0.0.1:%d", host, server->port);
    return text;
}

const char *https_server_ca_pem(const struct https_server *server)
{
    return server->ca_pem;
}

bool https_server_ca_file(const struct https_server *server, const char *path)
{
    FILE *file = server->ca_pem ? fopen(path, "w") : NULL;

    if (!file)
        return false;
    bool written = fputs(server->ca_pem, file) >= 0;
    return fclose(file) == 0 && written;
}

void https_server_script(struct https_server *server, const struct https_answer *answers, size_t count)
{
    pthread_mutex_lock(&server->lock);
    server->handler = NULL;
    server->script_count = count < HTTPS_SCRIPT_MAX ? count : HTTPS_SCRIPT_MAX;
    if (count > 0)
        memcpy(server->script, answers, server->script_count * sizeof *answers);
    memset(server->used, 0, sizeof server->used);
    forget_requests(server);
    pthread_mutex_unlock(&server->lock);
}

void https_server_handler(struct https_server *server,
                          void (*handler)(void *ctx, const struct https_request *request, struct https_answer *answer,
                                          char **owned),
                          void *ctx)
{
    pthread_mutex_lock(&server->lock);
    server->handler = handler;
    server->handler_ctx = ctx;
    forget_requests(server);
    pthread_mutex_unlock(&server->lock);
}

size_t https_server_requests(struct https_server *server)
{
    pthread_mutex_lock(&server->lock);
    size_t count = server->request_count;
    pthread_mutex_unlock(&server->lock);
    return count;
}

const struct https_request *https_server_request(struct https_server *server, size_t index)
{
    pthread_mutex_lock(&server->lock);
    const struct https_request *request = index < server->request_count ? server->requests[index] : NULL;
    pthread_mutex_unlock(&server->lock);
    return request;
}

size_t https_server_count(struct https_server *server, const char *method, const char *path)
{
    size_t count = 0;

    pthread_mutex_lock(&server->lock);
    for (size_t i = 0; i < server->request_count; i++)
        count += (!method || strcmp(method, server->requests[i]->method) == 0) &&
                 (!path || strcmp(path, server->requests[i]->path) == 0);
    pthread_mutex_unlock(&server->lock);
    return count;
}

int https_server_connections(struct https_server *server)
{
    pthread_mutex_lock(&server->lock);
    int count = server->connection_count;
    pthread_mutex_unlock(&server->lock);
    return count;
}
