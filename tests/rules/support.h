/*
 * What the tests of rules/ share. Everything fails the test on unexpected errors.
 */
#ifndef TESTS_RULES_SUPPORT_H
#define TESTS_RULES_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rules/rules.h"

/* The compiled-in catalogue; one for the whole program, never freed by a test. */
const struct podsku_catalog *bundled(void);

/* A catalogue from a body, recording or array; and {"gpus": [ENTRIES]}. The caller frees. */
struct podsku_catalog *load_text(const char *text);
struct podsku_catalog *load_entries(const char *entries);

/* A requirement from JSON. The caller frees. */
void read_requirement(struct podsku_requirement *req, const char *json);

/* A decision on a requirement in JSON; lenient. Free with free_decided(). */
struct decided {
    struct podsku_requirement req;
    struct podsku_decision decision;
};
void decide(struct decided *decided, const struct podsku_catalog *catalog, const char *json, enum podsku_detail detail);
void free_decided(struct decided *decided);

/*
 * Candidates as text: "A100 SXM 12.72, RTX 3070 (community) 0.13"; totals rounded to cents, "8x "
 * before the name when several counts are asked for. Borrowed until the next call.
 */
const char *candidates_text(const struct decided *decided);

/* Names of the rules that an offer fails: "cloud nvlink", "" for a candidate, "?" without such an offer. */
const char *reasons_text(const struct decided *decided, const char *id, enum podsku_cloud cloud, int gpus);

/* The offer, candidate or rejected; NULL: none. */
const struct podsku_offer *find_offer(const struct decided *decided, const char *id, enum podsku_cloud cloud, int gpus);

/* Its message of that rule; its note of that code: "" without. */
const char *reason_of(const struct podsku_offer *offer, enum podsku_rule rule);
const char *note_of(const struct podsku_offer *offer, const char *code);

#define assert_candidates(catalog, json, expected)                   \
    do {                                                             \
        struct decided decided_;                                     \
        decide(&decided_, (catalog), (json), PODSKU_DECIDE_REASONS); \
        assert_string_equal(candidates_text(&decided_), (expected)); \
        free_decided(&decided_);                                     \
    } while (0)

#endif
