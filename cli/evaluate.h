/*
 * podsku evaluate, inside: scenarios are read one by one in constant memory, decided, and either
 * judged by what they expect or printed as a batch line.
 */
#ifndef PODSKU_CLI_EVALUATE_H
#define PODSKU_CLI_EVALUATE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"
#include "rules/rules.h"

/*
 * The scenarios' text, as a JSON array or JSON Lines, told apart by the first byte that is not blank.
 * One buffer holds one scenario at a time.
 */
struct cli_scenarios {
    const char *name; /* of the file, for errors */
    int fd;
    /* Called before each read that may have to wait: what is decided goes out before. */
    enum podsku_code (*before_read)(void *ctx);
    void *ctx;
    char *bytes;
    size_t start, end, room; /* unread bytes are [start, end) */
    bool at_end;             /* of the file */
    enum { CLI_SCENARIOS_UNKNOWN, CLI_SCENARIOS_LINES, CLI_SCENARIOS_ARRAY, CLI_SCENARIOS_DONE } shape;
    bool between; /* array: an element was read, a comma or the end comes next */
    size_t line;  /* number of the line that start is in, from 1 */
};

/* "-" is standard input. PODSKU_NO_FILE when it cannot be opened. Free with cli_scenarios_close(). */
enum podsku_code cli_scenarios_open(struct cli_scenarios *scenarios, const char *path,
                                    struct podsku_error *err) PODSKU_CHECKED;
void cli_scenarios_close(struct cli_scenarios *scenarios);

/*
 * The next scenario's bytes, valid until the next call, and the line it starts in; *bytes is NULL
 * after the last. PODSKU_INPUT when the array is broken outside its elements, which ends it, or a
 * scenario is larger than 16 MiB: of lines the next call gives the next one.
 */
enum podsku_code cli_scenarios_next(struct cli_scenarios *scenarios, const char **bytes, size_t *len, size_t *line,
                                    struct podsku_error *err) PODSKU_CHECKED;

/* One scenario, read. */
struct cli_case {
    json_t *root;          /* owned */
    const json_t *name;    /* a string; NULL: none */
    json_t *requirement;   /* as it stands in root */
    bool requirement_read; /* req was filled, or could not be */
    json_t *expect;        /* an object with known keys; NULL: none */
    bool needs_reasons;    /* expect says something of rejected offers */
    struct podsku_requirement req;
};
/* Reads and checks; on PODSKU_INPUT the name may still be set. Free with cli_case_free() in any case. */
enum podsku_code cli_case_read(struct cli_case *item, const char *bytes, size_t len, const char *file,
                               struct podsku_error *err) PODSKU_CHECKED;
/* Fills item->req from item->requirement, the first time that it is called. */
enum podsku_code cli_case_requirement(struct cli_case *item, const char *file, struct podsku_error *err) PODSKU_CHECKED;
void cli_case_free(struct cli_case *item);

/* What an expectation found. */
struct cli_verdict {
    bool ok;
    json_t *actual;            /* the keys that were expected, as they are; owned */
    struct podsku_buf message; /* what differs; empty when ok */
};
enum podsku_code cli_case_judge(const struct cli_case *item, const struct podsku_decision *decision,
                                struct cli_verdict *verdict, struct podsku_error *err) PODSKU_CHECKED;
void cli_verdict_free(struct cli_verdict *verdict);

/* ,{"id","cloud","gpus","price_per_hour"} texts, made once for each offer that occurs. */
struct cli_fragments {
    const struct podsku_gpu_type *types; /* of the catalogue */
    struct cli_fragment *slots;          /* open addressing */
    size_t room, count;
    struct podsku_buf text;
};
/* Appends a JSON array of offers of this catalogue. */
void cli_put_offers(struct cli_fragments *fragments, const struct podsku_offer *offers, size_t count,
                    struct podsku_buf *out);
void cli_fragments_free(struct cli_fragments *fragments);

/* Texts of decisions by requirement. Zeroed is empty; only slower when memory runs out. */
struct cli_memo {
    struct cli_memo_entry *slots;
    uint32_t *seen; /* half of a hash, by the other half */
    size_t count, bytes, lookups, hits;
    uint64_t hash; /* of the last lookup */
    bool off;
};
/* The text that was kept for this requirement and catalogue, borrowed; NULL when there is none. */
const char *cli_memo_find(struct cli_memo *memo, json_t *requirement, size_t catalog, size_t *len);
/* Keeps a text for the requirement that was just not found, if that was not for the first time. */
void cli_memo_keep(struct cli_memo *memo, json_t *requirement, size_t catalog, const char *text, size_t len);
void cli_memo_free(struct cli_memo *memo);

/* One catalogue that the cases are decided on. */
struct cli_eval_catalog {
    const char *name; /* as given */
    struct podsku_catalog *catalog;
    struct podsku_buf json_name;
    struct cli_fragments fragments;
};

/* What a run prints, whatever the format. */
struct cli_report {
    struct cli *cli;
    bool explain;
    size_t cases, passed, failed, errors;
    struct podsku_buf out;  /* not yet written */
    struct podsku_buf body; /* junit: all cases, since the counts stand before them */
};
void cli_report_begin(struct cli_report *report);
/* A case without expectation: the line up to the decision, the decision's text, what ends the line. */
void cli_report_open(struct cli_report *report, const struct cli_eval_catalog *catalog, const struct cli_case *item);
void cli_report_decision(struct cli_report *report, struct cli_eval_catalog *catalog,
                         const struct podsku_decision *decision);
void cli_report_close(struct cli_report *report);
void cli_report_verdict(struct cli_report *report, const struct cli_eval_catalog *catalog, const struct cli_case *item,
                        const struct cli_verdict *verdict);
void cli_report_error(struct cli_report *report, const struct cli_case *item, size_t line,
                      const struct podsku_error *err);
void cli_report_end(struct cli_report *report);
/* Writes what is pending. */
enum podsku_code cli_report_flush(struct cli_report *report) PODSKU_CHECKED;

#endif
