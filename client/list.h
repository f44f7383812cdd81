/*
 * Whole lists. An answer that says there is more is followed by its cursor; one that says so in a way
 * that cannot be followed, or goes on without an end (in a circle, with a page that brings nothing new,
 * for more than 1000 pages), is PODSKU_ANSWER: a short list is never returned. All pages together take no
 * longer than five minutes, or than podsku_client_until() says.
 * Private to client/.
 */
#ifndef PODSKU_CLIENT_LIST_H
#define PODSKU_CLIENT_LIST_H

#include <jansson.h>

#include "client/api.h"

struct podsku_list_request {
    enum podsku_api api;
    const char *path;   /* with its query; the cursor is added to it */
    const char *member; /* the list's name in the answer; v1 answers may be the bare list */
    const char *what;   /* what the path names, for 404; NULL: a route */
    /* Called for each element in order, `where` being its URL and JSON path. An id seen before is left out. NULL: none.
     */
    enum podsku_code (*item)(void *ctx, const json_t *item, const char *where, struct podsku_error *err);
    void *ctx;
    /* If not NULL: the bytes as received; of several pages the first one's object with the elements of all. */
    struct podsku_buf *body;
    json_t **value;               /* with body, if not NULL: what those bytes say, parsed; the caller's */
    struct podsku_response *last; /* if not NULL: takes the last page's response; free it */
};

enum podsku_code podsku_list_read(struct podsku_client *client, const struct podsku_list_request *request,
                                  struct podsku_error *err) PODSKU_CHECKED;

/* How the answer says that the list goes on. */
enum podsku_more {
    PODSKU_MORE_NO,
    PODSKU_MORE_CURSOR,     /* parameter and cursor say how */
    PODSKU_MORE_UNREADABLE, /* it does, and not by a cursor that is known here; `sign` names the member */
};
struct podsku_next {
    enum podsku_more more;
    const char *parameter; /* of the query */
    char cursor[1024];
    const char *sign; /* borrowed, static */
};
/*
 * Looks at one page. `sent` is the cursor that asked for it (NULL: the first page), `seen` the number
 * of elements of all pages so far, `link` whether a Link header names a next page.
 */
void podsku_list_next(const json_t *page, const char *sent, size_t seen, bool link, struct podsku_next *next);

#endif
