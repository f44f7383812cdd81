/*
 * Errors: one stack struct, one list of codes.
 *
 * Every fallible function of podsku returns an enum podsku_code (PODSKU_OK is 0) and fills a
 * struct podsku_error that the caller owns, usually on the stack. The first error wins: a later
 * podsku_error_set() on a filled struct changes nothing, so clean-up paths cannot hide the cause.
 * Upper layers add context with podsku_error_context(). Nothing here allocates.
 */
#ifndef PODSKU_BASE_ERROR_H
#define PODSKU_BASE_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

/*
 * The only list of errors: constant, stable name (JSON "code"), what it means, exit status.
 * Exit statuses are those documented in podsku(1).
 */
#define PODSKU_ERROR_LIST(X)                                                               \
    X(OK, "ok", "done", 0)                                                                 \
    X(INTERNAL, "internal", "internal error", 1)                                           \
    X(NO_MEMORY, "no-memory", "out of memory", 1)                                          \
    X(OUTPUT, "output", "a result could not be written", 1)                                \
    X(STATE, "state", "the journal or another state file could not be read or written", 1) \
    X(USAGE, "usage", "the command line is wrong", 2)                                      \
    X(REQUEST, "request", "the request cannot be right", 2)                                \
    X(NO_OFFER, "no-offer", "no offer satisfies the requirement", 3)                       \
    X(NO_CAPACITY, "no-capacity", "candidates exist, none could be placed", 4)             \
    X(NOT_FOUND, "not-found", "what was named does not exist", 4)                          \
    X(AUTH, "auth", "the API key is missing, bad or expired", 5)                           \
    X(BALANCE, "balance", "the account balance is too low", 5)                             \
    X(DENIED, "denied", "the account may not do this", 5)                                  \
    X(MISMATCH, "mismatch", "what was placed is not what was asked for", 6)                \
    X(NETWORK, "network", "the service could not be reached", 7)                           \
    X(TLS, "tls", "no trusted TLS connection to the service", 7)                           \
    X(SERVER, "server", "the service failed", 7)                                           \
    X(ANSWER, "answer", "the service's answer could not be read", 7)                       \
    X(EDGE, "edge", "the service's edge blocked this client", 7)                           \
    X(RETIRED, "retired", "this API is retired or has moved", 7)                           \
    X(UNSETTLED, "unsettled", "a pod may exist and could not be settled", 8)               \
    X(UNVERIFIED, "unverified", "what was asked cannot be told", 9)                        \
    X(EXPECTATION, "expectation", "an expectation failed", 10)                             \
    X(INPUT, "input", "an input file is invalid", 11)                                      \
    X(NO_FILE, "no-file", "an input file is missing or cannot be read", 11)                \
    X(TIMEOUT, "timeout", "timed out", 12)                                                 \
    X(INTERRUPTED, "interrupted", "interrupted", 130)

#define PODSKU_ERROR_ENUM(constant, name, text, exit_status) PODSKU_##constant,
enum podsku_code { PODSKU_ERROR_LIST(PODSKU_ERROR_ENUM) PODSKU_CODE_COUNT };
#undef PODSKU_ERROR_ENUM

struct podsku_error {
    enum podsku_code code; /* PODSKU_OK: nothing happened */
    char message[768];     /* what is wrong, in one sentence without the place */
    char hint[512];        /* what would be right; empty: nothing to say */
    char where[512];       /* FILE:LINE:COL or a JSON path or a URL; empty: nowhere */
    char request_id[96];   /* x-request-id of the answer that failed; empty: none */
    int http_status;       /* 0: no answer of the service was involved */
    int curl_code;         /* CURLcode of a transport failure, 0: none */
};

#if defined(__GNUC__)
#define PODSKU_PRINTF(fmt_index, first_index) __attribute__((format(printf, fmt_index, first_index)))
#define PODSKU_CHECKED __attribute__((warn_unused_result))
#else
#define PODSKU_PRINTF(fmt_index, first_index)
#define PODSKU_CHECKED
#endif

/* Empties err. A zero-initialised struct is empty too. */
void podsku_error_clear(struct podsku_error *err);

/*
 * Sets code and message unless err is already filled. Returns the code that err holds afterwards,
 * so that a caller can write `return podsku_error_set(err, PODSKU_INPUT, ...)`. err may not be NULL.
 */
enum podsku_code podsku_error_set(struct podsku_error *err, enum podsku_code code, const char *fmt, ...)
    PODSKU_PRINTF(3, 4);

/* Sets the hint or the place, each only if it is still empty. */
void podsku_error_hint(struct podsku_error *err, const char *fmt, ...) PODSKU_PRINTF(2, 3);
void podsku_error_where(struct podsku_error *err, const char *fmt, ...) PODSKU_PRINTF(2, 3);

/* Puts "CONTEXT: " before the message. */
void podsku_error_context(struct podsku_error *err, const char *fmt, ...) PODSKU_PRINTF(2, 3);

/* PODSKU_NO_MEMORY with its usual text. */
enum podsku_code podsku_error_no_memory(struct podsku_error *err);

/* Stable name, meaning, exit status; any value of the enum is valid. Never NULL. */
const char *podsku_code_name(enum podsku_code code);
const char *podsku_code_text(enum podsku_code code);
int podsku_code_exit_status(enum podsku_code code);

#endif
