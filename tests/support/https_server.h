/*
 * A scripted local HTTP(S) server for tests. It listens on a free port of 127.0.0.1, answers from a
 * table of answers and faults, and records what it was asked. Certificates (P-256, self-signed) are
 * made in memory. Nothing here asserts: its threads only record, the test judges afterwards.
 *
 * The client of a library test keeps its production URL and gets only CONNECT_TO and the certificate;
 * the real program is pointed here by PODSKU_API_URL and CURL_CA_BUNDLE (https_server_url,
 * https_server_ca_file).
 */
#ifndef TESTS_SUPPORT_HTTPS_SERVER_H
#define TESTS_SUPPORT_HTTPS_SERVER_H

#include <stdbool.h>
#include <stddef.h>

enum https_certificate {
    HTTPS_CERT_GOOD,       /* names api.runpod.io, localhost and 127.0.0.1 */
    HTTPS_CERT_WRONG_HOST, /* names another host */
    HTTPS_CERT_EXPIRED,
};

struct https_options {
    bool plain; /* http without TLS */
    enum https_certificate certificate;
    bool old_tls;         /* speaks TLS 1.1 at most */
    bool reset_handshake; /* TCP reset instead of a TLS handshake */
};

enum https_fault {
    HTTPS_OK,
    HTTPS_RESET_BEFORE, /* TCP reset before the request is read; it is not recorded */
    HTTPS_RESET_AFTER,  /* the request is read, then TCP reset without an answer */
    HTTPS_CLOSE_AFTER,  /* the request is read, then an orderly close without an answer */
    HTTPS_TRUNCATE,     /* Content-Length of the whole body, half of it, close */
    HTTPS_STALL,        /* the request is read, then nothing until the client leaves */
    HTTPS_STALL_BODY,   /* headers and half of the body, then nothing */
    HTTPS_DRIP,         /* the body byte by byte, delay_ms apart */
    HTTPS_OVERSIZE,     /* `size` bytes of blanks after the body */
    HTTPS_CHUNKED,      /* chunked, 7 bytes a chunk */
    HTTPS_CHUNKED_CUT,  /* chunked, closed before the last chunk */
    HTTPS_CONTINUE,     /* "100 Continue" with misleading headers before the answer */
    HTTPS_GZIP,         /* Content-Encoding: gzip; `size` blanks follow the body before compression */
    HTTPS_GZIP_BROKEN,  /* says gzip, sends none */
    HTTPS_GARBAGE,      /* the body alone, without any HTTP around it */
    HTTPS_HEADERS,      /* header lines without end */
    HTTPS_STREAM,       /* no Content-Length: the body, then the connection closes */
};

struct https_request; /* see below */

/* One entry of the script. Zeroed members mean what their comments say. */
struct https_answer {
    const char *method;  /* NULL: any */
    const char *path;    /* of the URL, with query; NULL: any */
    int times;           /* how many requests it answers; 0: one; -1: any number */
    int on_connection;   /* only the n-th request of its connection, from 1; 0: any */
    int status;          /* 0: 200 */
    const char *headers; /* more header lines, each ended by CRLF; NULL: none */
    const char *type;    /* Content-Type; NULL: application/json; "": none */
    const char *body;    /* NULL: none */
    enum https_fault fault;
    int delay_ms; /* before the answer; HTTPS_DRIP: between bytes */
    size_t size;  /* see the faults */
    bool close;   /* close the connection after the answer */
};

/* What was received; owned by the server, lives until it is stopped or reset. */
struct https_request {
    char *method, *path;
    char *headers;     /* all lines as received */
    char *body;        /* "" without one */
    int connection;    /* number of its connection, from 1 */
    int on_connection; /* which request of its connection, from 1 */
    bool unexpected;   /* nothing in the script matched: answered with 599 */
};

struct https_server;

/* NULL when it cannot be started (errno or OpenSSL's errors on stderr). */
struct https_server *https_server_start(const struct https_options *options);
/* Ends all connections, waits for the threads, frees everything. NULL is accepted. */
void https_server_stop(struct https_server *server);

/*
 * Waits until the server has read and acted on whatever its clients sent before they left, also those
 * that were killed. False when one is still there after ms.
 */
bool https_server_drain(struct https_server *server, int ms);

int https_server_port(const struct https_server *server);
/* "https://localhost:PORT" or "http://127.0.0.1:PORT" followed by path. Returns text. */
const char *https_server_url(const struct https_server *server, const char *path, char *text, size_t size);
/* "HOST:443:127.0.0.1:PORT" for CURLOPT_CONNECT_TO. Returns text. */
const char *https_server_connect_to(const struct https_server *server, const char *host, char *text, size_t size);
/* The certificate to trust, PEM. Borrowed. */
const char *https_server_ca_pem(const struct https_server *server);
/* Writes it to a file, for CURL_CA_BUNDLE. */
bool https_server_ca_file(const struct https_server *server, const char *path);

/*
 * Replaces the script and forgets what was received. The first entry that matches and is not used up
 * answers. The texts are borrowed: they must live until the next script or stop.
 */
void https_server_script(struct https_server *server, const struct https_answer *answers, size_t count);
/*
 * Instead of a script: called for every request, one at a time, in a thread of the server; fills
 * *answer. *owned, if set, is freed after the answer was sent (answer->body may point to it).
 */
void https_server_handler(struct https_server *server,
                          void (*handler)(void *ctx, const struct https_request *request, struct https_answer *answer,
                                          char **owned),
                          void *ctx);

size_t https_server_requests(struct https_server *server);
/* From 0. NULL beyond the last. */
const struct https_request *https_server_request(struct https_server *server, size_t index);
/* How many requests had this method (NULL: any) and path (NULL: any). */
size_t https_server_count(struct https_server *server, const char *method, const char *path);
int https_server_connections(struct https_server *server);

/*
 * What this thread wrote before is seen by every later answer's handler, and it sees what those before
 * wrote. For tests whose server and client are put in order by another process, which ThreadSanitizer
 * does not know of.
 */
void https_server_fence(void);

/* The value of a header line, copied to out; false if there is none. */
bool https_request_header(const struct https_request *request, const char *name, char *out, size_t size);

#endif
