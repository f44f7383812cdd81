/*
 * From JSON to the model. One decoder serves loading, which stops at the first error, and checking,
 * which collects all of them and the oddities on the way. Private to catalog/.
 */
#ifndef PODSKU_CATALOG_DECODE_H
#define PODSKU_CATALOG_DECODE_H

#include "catalog/shape.h"
#include "catalog/store.h"

/* A place in the document, linked upwards; the text of a JSON path is made only when it is needed. */
#define PODSKU_PLACE_ALL SIZE_MAX /* as an index: every item, "[*]" */

struct podsku_place {
    const struct podsku_place *up; /* NULL: the root, "$" */
    const char *member;            /* NULL: an index */
    size_t index;
};

/* One finding of a check. `code` is a fixed word. path NULL: there was no memory for it. */
typedef void podsku_report_fn(void *ctx, bool is_error, const char *path, const char *code, const char *message);

struct podsku_decode {
    const char *name; /* file or URL, for errors */
    enum podsku_code code_on_bad;
    struct podsku_error *err;
    podsku_report_fn *report; /* NULL: loading; the first error ends it */
    void *ctx;
    bool failed; /* loading: an error was set */
    /* What was found, for the linter. */
    const json_t *recording; /* the envelope; NULL: a raw body */
    const json_t *list;
    bool graphql;
    bool bare;                                              /* an array without an envelope */
    bool has_query;                                         /* a recording's query, or the caller's */
    struct podsku_place body_place, data_place, list_place; /* linked to each other */
};

/*
 * Decodes a document into a new catalogue. `query` as in podsku_catalog_load(). When checking, the
 * catalogue holds what could be read; NULL when there is no list at all.
 */
enum podsku_code podsku_decode(struct podsku_decode *decode, const json_t *root, const struct podsku_facts_set *facts,
                               const struct podsku_catalog_query *query, struct podsku_catalog **catalog);

/* The place of an entry of the list. */
struct podsku_place podsku_entry_place(const struct podsku_decode *decode, size_t index);

/* An error of the content, with its place. Loading: `err` is set (the first one stays). */
void podsku_decode_bad(struct podsku_decode *decode, const struct podsku_place *place, const char *code,
                       const char *fmt, ...) PODSKU_PRINTF(4, 5);

/* An oddity: nothing happens unless checking. */
void podsku_decode_odd(struct podsku_decode *decode, const struct podsku_place *place, const char *code,
                       const char *fmt, ...) PODSKU_PRINTF(4, 5);

/* Appends "$.gpus[3].price"; NULL is "$". */
void podsku_place_text(struct podsku_buf *out, const struct podsku_place *place);

/* "a string", "null", for messages. */
const char *podsku_json_kind(const json_t *value);

/*
 * Leaves. Each takes the object and its place, gives the unknown value for an absent or null member
 * and reports a wrong type. `arena` owns the text.
 */
const char *podsku_decode_text(struct podsku_decode *decode, struct podsku_arena *arena, const json_t *object,
                               const struct podsku_place *place, const char *member);
int podsku_decode_whole(struct podsku_decode *decode, const json_t *object, const struct podsku_place *place,
                        const char *member, int unknown);
enum podsku_tri podsku_decode_flag(struct podsku_decode *decode, const json_t *object, const struct podsku_place *place,
                                   const char *member);
int64_t podsku_decode_price(struct podsku_decode *decode, const json_t *object, const struct podsku_place *place,
                            const char *member);
enum podsku_stock podsku_decode_stock(struct podsku_decode *decode, const json_t *object,
                                      const struct podsku_place *place, const char *member);

/* What of an entry belongs to one read: NULL when it has no availability at all. decode_stock.c */
const struct podsku_stock_view *podsku_decode_view(struct podsku_decode *decode, struct podsku_arena *arena,
                                                   const json_t *entry, const struct podsku_place *place);

/* Reports a body that says it is one page of several: it would be taken for the whole list. paging.c */
void podsku_decode_paging(struct podsku_decode *decode, const json_t *body, const struct podsku_place *place);

/*
 * A recording's envelope: fills query, url, time and the recorded hash. Strings of `query` go to the
 * arena. recording.c
 */
void podsku_recording_read(struct podsku_decode *decode, const json_t *envelope, struct podsku_catalog *catalog,
                           struct podsku_catalog_query *query);

/*
 * Where the value of a recording's `body` lies in the text of valid JSON: the value alone, and with
 * the blanks around it. False: there is none that could be found.
 */
bool podsku_recording_slice(const char *bytes, size_t len, struct catalog_store *store);

#endif
