#include "client/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "client/answer.h"
#include "client/transfer.h"

enum {
    PAGES_MAX = 1000,
    LIST_MS = 300000, /* all pages together take no longer than one answer may */
};

struct pages {
    struct podsku_client *client;
    const struct podsku_list_request *request;
    json_t *ids;      /* object: ids of the elements so far */
    json_t *cursors;  /* object: cursors that were sent */
    json_t *first;    /* the first page, when a body is asked for */
    json_t *elements; /* array: of all pages, when there are several bodies to be merged */
    size_t seen, pages;
    size_t fresh; /* elements of the last page that no page before it had */
    bool empty;   /* the last page has no elements: one such page proves nothing */
    bool barren;  /* all its elements were there before, or the page before it was empty, too */
};

static enum podsku_code page_error(const struct podsku_response *response, struct podsku_error *err)
{
    podsku_answer_place(response, err);
    return err->code;
}

/* The list within a page; the REST v1 answer may be the bare list. */
static json_t *find_list(const struct podsku_list_request *request, json_t *page)
{
    if (request->api == PODSKU_API_V1 && json_is_array(page))
        return page;
    json_t *list = json_object_get(page, request->member);
    return json_is_array(list) ? list : NULL;
}

static enum podsku_code take_element(struct pages *pages, const json_t *item, const char *where,
                                     struct podsku_error *err)
{
    const struct podsku_list_request *request = pages->request;
    const char *id = json_string_value(json_object_get(item, "id"));

    /* A list that changes while it is paged shows an element twice. */
    if (id && json_object_get(pages->ids, id))
        return PODSKU_OK;
    if (id && !podsku_json_set(pages->ids, id, json_true()))
        return podsku_error_no_memory(err);
    pages->fresh++;
    return request->item ? request->item(request->ctx, item, where, err) : PODSKU_OK;
}

static enum podsku_code take_page(struct pages *pages, const struct podsku_response *response, json_t *page,
                                  struct podsku_error *err)
{
    const struct podsku_list_request *request = pages->request;
    json_t *list = find_list(request, page);

    if (!list) {
        podsku_error_where(err, "%s: $.%s", response->url, request->member);
        return podsku_error_set(err, PODSKU_ANSWER, "the answer has no list where one belongs");
    }
    pages->fresh = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        char where[640];
        if (json_is_array(page))
            (void)snprintf(where, sizeof where, "%s: $[%zu]", response->url, i);
        else
            (void)snprintf(where, sizeof where, "%s: $.%s[%zu]", response->url, request->member, i);
        if (take_element(pages, json_array_get(list, i), where, err) != PODSKU_OK)
            return err->code;
    }
    pages->barren = pages->fresh == 0 && (json_array_size(list) > 0 || pages->empty);
    pages->empty = json_array_size(list) == 0;
    pages->seen += json_array_size(list);
    pages->pages++;
    if (!request->body)
        return PODSKU_OK;
    if (!pages->first) {
        pages->first = json_incref(page);
        return PODSKU_OK;
    }
    if ((!pages->elements && !(pages->elements = json_copy(find_list(request, pages->first)))) ||
        json_array_extend(pages->elements, list) != 0)
        return podsku_error_no_memory(err);
    return PODSKU_OK;
}

static enum podsku_code fetch(struct pages *pages, const struct podsku_next *next, struct podsku_response *response,
                              json_t **page, struct podsku_error *err)
{
    const struct podsku_list_request *request = pages->request;
    struct podsku_request get = {.api = request->api, .method = "GET", .retry = true};
    struct podsku_buf path = {0};

    podsku_buf_puts(&path, request->path);
    if (next->more == PODSKU_MORE_CURSOR) {
        podsku_buf_printf(&path, "%c%s=", strchr(request->path, '?') ? '&' : '?', next->parameter);
        podsku_url_escape(&path, next->cursor);
    }
    get.path = podsku_buf_text(&path);
    enum podsku_code code =
        podsku_buf_failed(&path) ? podsku_error_no_memory(err) : podsku_client_send(pages->client, &get, response, err);
    if (code == PODSKU_OK)
        code = podsku_answer_judge(pages->client, request->api, response, request->what, err);
    if (code == PODSKU_OK)
        code = podsku_json_read(podsku_buf_text(&response->body), response->body.len, response->url, PODSKU_ANSWER,
                                page, err);
    podsku_buf_free(&path);
    return code;
}

/* Why the list cannot be followed any further; NULL: it can. */
static const char *dead_end(const struct pages *pages, const struct podsku_next *next)
{
    if (json_object_get(pages->cursors, next->cursor))
        return "its pages go in a circle";
    if (pages->barren)
        return "its last page brought nothing new, as if the service takes no notice of the cursor";
    return pages->pages >= PAGES_MAX ? "no list is that long" : NULL;
}

/* Before the next page: whether there is one that can be asked for, and anybody still wants it. */
static enum podsku_code step(struct pages *pages, const struct podsku_next *next,
                             const struct podsku_response *response, struct podsku_error *err)
{
    if (next->more == PODSKU_MORE_UNREADABLE) {
        podsku_error_hint(err, "this version follows cursors only; a newer podsku may know how the service pages now");
        podsku_error_set(err, PODSKU_ANSWER, "the list goes on (\"%s\"), and podsku cannot read the rest", next->sign);
        return page_error(response, err);
    }
    const char *why = dead_end(pages, next);
    if (why) {
        podsku_error_set(err, PODSKU_ANSWER, "the list goes on after %zu page%s without an end: %s", pages->pages,
                         pages->pages == 1 ? "" : "s", why);
        return page_error(response, err);
    }
    if (podsku_client_may_read(pages->client, err) != PODSKU_OK) {
        podsku_error_context(err, "after %zu page%s of a list that goes on", pages->pages,
                             pages->pages == 1 ? "" : "s");
        return page_error(response, err);
    }
    if (!podsku_json_set(pages->cursors, next->cursor, json_true()))
        return podsku_error_no_memory(err);
    return PODSKU_OK;
}

static enum podsku_code read_pages(struct pages *pages, struct podsku_response *response, struct podsku_error *err)
{
    struct podsku_next next = {0};

    for (;;) {
        json_t *page = NULL;
        struct podsku_next after = {0};
        podsku_response_free(response);
        enum podsku_code code = fetch(pages, &next, response, &page, err);
        if (code == PODSKU_OK)
            code = take_page(pages, response, page, err);
        if (code == PODSKU_OK)
            podsku_list_next(page, next.more == PODSKU_MORE_CURSOR ? next.cursor : NULL, pages->seen,
                             response->more_link, &after);
        json_decref(page);
        if (code != PODSKU_OK)
            return page_error(response, err);
        if (after.more == PODSKU_MORE_NO)
            return PODSKU_OK;
        if (step(pages, &after, response, err) != PODSKU_OK)
            return err->code;
        next = after;
    }
}

/* The first page's object with all elements and no word about pages; NULL: no memory. */
static json_t *merge_pages(const struct pages *pages)
{
    static const char *const paging[] = {"nextCursor", "next_cursor", "cursor",   "pagination",
                                         "pageInfo",   "hasMore",     "has_more", NULL};

    if (!json_is_object(pages->first))
        return json_incref(pages->elements);
    json_t *merged = json_copy(pages->first);
    for (const char *const *name = paging; merged && *name; name++)
        (void)json_object_del(merged, *name);
    return podsku_json_whole(merged, !merged || json_object_set(merged, pages->request->member, pages->elements) == 0);
}

/* One page: its bytes, and what they say. More: those of one that has all elements. */
static enum podsku_code give_body(struct pages *pages, struct podsku_response *response, struct podsku_error *err)
{
    const struct podsku_list_request *request = pages->request;
    json_t *value = pages->pages == 1 ? json_incref(pages->first) : merge_pages(pages);

    podsku_buf_free(request->body);
    if (pages->pages == 1) {
        *request->body = response->body;
        response->body = (struct podsku_buf){0};
    } else {
        podsku_json_write(request->body, value, false);
    }
    if (podsku_buf_failed(request->body)) {
        json_decref(value);
        return podsku_error_no_memory(err);
    }
    if (request->value)
        *request->value = value;
    else
        json_decref(value);
    return PODSKU_OK;
}

enum podsku_code podsku_list_read(struct podsku_client *client, const struct podsku_list_request *request,
                                  struct podsku_error *err)
{
    struct podsku_response response = {0};
    struct pages pages = {.client = client, .request = request, .ids = json_object(), .cursors = json_object()};
    int64_t end_ms = podsku_clock_mono_ms(podsku_client_clock(client)) + LIST_MS;
    int64_t until_ms = podsku_client_until(client, end_ms);

    if (until_ms && until_ms < end_ms)
        (void)podsku_client_until(client, until_ms);
    if (!pages.ids || !pages.cursors)
        podsku_error_no_memory(err);
    else if (read_pages(&pages, &response, err) == PODSKU_OK && request->body)
        (void)give_body(&pages, &response, err);
    (void)podsku_client_until(client, until_ms);
    json_decref(pages.ids);
    json_decref(pages.cursors);
    json_decref(pages.first);
    json_decref(pages.elements);
    if (request->last) {
        *request->last = response;
        return err->code;
    }
    podsku_response_free(&response);
    return err->code;
}
