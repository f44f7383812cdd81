/*
 * A client and a scripted server that it talks to, with a clock whose sleeps take no time. The client
 * keeps the production URL; only where it connects to and what it trusts are changed.
 */
#ifndef TESTS_CLIENT_RIG_H
#define TESTS_CLIENT_RIG_H

#include "client/api.h"
#include "client/client.h"
#include "tests/support/https_server.h"
#include "tests/support/test.h"

#define RIG_KEY "rpa_7TESTKEYTESTKEYTESTKEY7"
#define RIG_V1_URL "https://api.runpod.io/v1"

struct rig {
    struct https_server *server;
    struct podsku_client *client;
    struct podsku_error err;
    struct podsku_clock clock;
    int64_t slept_ms;         /* what the client's sleeps added to its clock */
    bool interrupt, abandon;  /* what the callbacks say */
    size_t interrupt_at;      /* also when the server has this many requests; 0: never */
    struct podsku_buf traced; /* all lines of the trace */
};

/* options NULL: TLS with a good certificate. The answers may be NULL and given later. */
void rig_start(struct rig *rig, const struct https_options *options, const struct https_answer *answers, size_t count);
/* The same with a changed configuration; members that are set there win. */
void rig_start_with(struct rig *rig, const struct https_options *options, const struct podsku_client_config *config);
void rig_stop(struct rig *rig);

#define RIG_START(rig, answers) rig_start(rig, NULL, answers, COUNT_OF(answers))

/* Checks that the code of a failed call is this one, and clears the error for the next call. */
void rig_expect(struct rig *rig, enum podsku_code got, enum podsku_code expected, const char *file, int line);
#define EXPECT(rig, call, code) rig_expect(rig, call, code, __FILE__, __LINE__)

/* Fails the test unless text holds part. */
void rig_contains(const char *text, const char *part, const char *file, int line);
#define CONTAINS(text, part) rig_contains(text, part, __FILE__, __LINE__)

#endif
