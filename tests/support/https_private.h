/* What the files of the scripted server share. */
#ifndef TESTS_SUPPORT_HTTPS_PRIVATE_H
#define TESTS_SUPPORT_HTTPS_PRIVATE_H

#include <openssl/ssl.h>
#include <pthread.h>

#include "tests/support/https_server.h"

enum { HTTPS_CONNECTIONS_MAX = 4096, HTTPS_SCRIPT_MAX = 256, HTTPS_REQUESTS_MAX = 65536 };

struct https_connection {
    struct https_server *server;
    pthread_t thread;
    int fd, number;
    SSL *ssl;
    bool ended; /* its thread is done; fd is closed */
    struct https_connection *next;
};

struct https_server {
    struct https_options options;
    SSL_CTX *context;
    char *ca_pem;
    int listener, port;
    pthread_t thread;
    pthread_mutex_t lock; /* everything below */
    bool stopping;
    struct https_connection *connections;
    int connection_count;
    struct https_answer script[HTTPS_SCRIPT_MAX];
    int used[HTTPS_SCRIPT_MAX];
    size_t script_count;
    void (*handler)(void *ctx, const struct https_request *request, struct https_answer *answer, char **owned);
    void *handler_ctx;
    struct https_request **requests;
    size_t request_count, request_room;
};

/* A context with a fresh certificate; its PEM (free()) goes to *pem. NULL on failure. */
SSL_CTX *https_make_context(const struct https_options *options, char **pem);

/* Bytes to and from the peer; -1 when it is gone. */
int https_read(struct https_connection *connection, void *bytes, int len);
bool https_write(struct https_connection *connection, const void *bytes, size_t len);
/* Waits up to ms for the peer to leave or the server to stop; true when either happened. */
bool https_gone(struct https_connection *connection, int ms);

/* Sends the answer with its fault; false when the connection must end (reset: without a FIN). */
bool https_send_answer(struct https_connection *connection, const struct https_answer *answer, bool *reset);

/* gzip of text followed by `blanks` blanks, by fixed Huffman codes and long matches (free()). */
unsigned char *https_gzip(const char *text, size_t blanks, size_t *len);

#endif
