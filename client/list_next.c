#include <stdio.h>
#include <string.h>

#include "client/list.h"

/* Where an answer may speak of pages: at its top, or in one of these objects. */
static const char *const places[] = {NULL,       "pagination", "paging",     "pageInfo", "page_info",
                                     "metadata", "meta",       "nextCursor", "cursor",   "page"};

/*
 * Members that hold the next page's cursor, and the query parameter that takes it. `final` ones are
 * there only for a next page, so that null or absent ends the list; the others may also name the page
 * that was read, or its end.
 */
static const struct cursor_member {
    const char *name, *parameter;
    bool final;
} cursor_members[] = {
    {"nextCursor", "cursor", true},          {"next_cursor", "cursor", true},  {"nextPageToken", "pageToken", true},
    {"next_page_token", "page_token", true}, {"nextToken", "nextToken", true}, {"next_token", "next_token", true},
    {"endCursor", "cursor", false},          {"end_cursor", "cursor", false},  {"cursor", "cursor", false},
};

/* Members that say "more" without saying how. */
static const char *const more_flags[] = {"hasMore",     "has_more", "hasNextPage", "has_next_page", "hasNext",
                                         "has_next",    "more",     "truncated",   "isTruncated",   "is_truncated",
                                         "next",        "nextPage", "next_page",   "nextUrl",       "next_url",
                                         "nextPageUrl", "nextLink", "next_link"};
static const char *const totals[] = {"total", "totalCount", "total_count", "totalItems", "total_items"};
static const char *const page_totals[] = {"totalPages", "total_pages", "pageCount", "page_count"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* True for null, false, 0 and "". */
static bool is_empty(const json_t *value)
{
    return !value || json_is_null(value) || json_is_false(value) ||
           (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_integer(value) && json_integer_value(value) == 0);
}

static void fail(struct podsku_next *next, const char *sign)
{
    if (next->more == PODSKU_MORE_NO) {
        next->more = PODSKU_MORE_UNREADABLE;
        next->sign = sign;
    }
}

static void take_cursor(struct podsku_next *next, const struct cursor_member *member, const json_t *value)
{
    int len = -1;

    if (json_is_string(value))
        len = snprintf(next->cursor, sizeof next->cursor, "%s", json_string_value(value));
    else if (json_is_integer(value))
        len = snprintf(next->cursor, sizeof next->cursor, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (len <= 0 || (size_t)len >= sizeof next->cursor) {
        fail(next, member->name);
        return;
    }
    next->more = PODSKU_MORE_CURSOR;
    next->parameter = member->parameter;
}

/* A flag of this object that says outright that there is no more. */
static bool denies_more(const json_t *object)
{
    for (size_t i = 0; i < COUNT(more_flags); i++)
        if (json_is_false(json_object_get(object, more_flags[i])))
            return true;
    return false;
}

/* Looks for a cursor in one object; true when its members have settled the matter. */
static bool find_cursor(const json_t *object, struct podsku_next *next)
{
    bool decided = false;

    for (size_t i = 0; i < COUNT(cursor_members); i++) {
        const struct cursor_member *member = &cursor_members[i];
        const json_t *value = json_object_get(object, member->name);
        if (!value || json_is_object(value))
            continue; /* an object is one of the places, see there */
        if (!member->final && (decided || denies_more(object)))
            continue;
        decided = decided || member->final;
        if (!is_empty(value)) {
            take_cursor(next, member, value);
            return true;
        }
    }
    return decided;
}

static const char *flag_of_more(const json_t *object)
{
    for (size_t i = 0; i < COUNT(more_flags); i++)
        if (!is_empty(json_object_get(object, more_flags[i])))
            return more_flags[i];
    return NULL;
}

/* A count that is larger than what was read: of elements, or of pages when there was one. */
static const char *larger_total(const json_t *object, size_t seen, bool first_page)
{
    for (size_t i = 0; i < COUNT(totals); i++) {
        const json_t *value = json_object_get(object, totals[i]);
        if (json_is_integer(value) && json_integer_value(value) > 0 && (size_t)json_integer_value(value) > seen)
            return totals[i];
    }
    for (size_t i = 0; first_page && i < COUNT(page_totals); i++) {
        const json_t *value = json_object_get(object, page_totals[i]);
        if (json_is_integer(value) && json_integer_value(value) > 1)
            return page_totals[i];
    }
    return NULL;
}

void podsku_list_next(const json_t *page, const char *sent, size_t seen, bool link, struct podsku_next *next)
{
    const char *sign = NULL;
    bool decided = false;

    *next = (struct podsku_next){0};
    if (json_is_object(page)) {
        for (size_t i = 0; i < COUNT(places) && next->more == PODSKU_MORE_NO; i++) {
            const json_t *object = places[i] ? json_object_get(page, places[i]) : page;
            if (!json_is_object(object))
                continue;
            decided = find_cursor(object, next) || decided;
            if (!sign)
                sign = flag_of_more(object);
            if (!sign)
                sign = larger_total(object, seen, !sent);
        }
        const json_t *links = json_object_get(page, "links");
        if (!sign && json_is_object(links) && !is_empty(json_object_get(links, "next")))
            sign = "links.next";
        /* An object in a cursor's place that held none of the known names. */
        for (size_t i = 0; !sign && !decided && i < COUNT(cursor_members); i++)
            if (json_is_object(json_object_get(page, cursor_members[i].name)))
                sign = cursor_members[i].name;
    }
    if (link && !sign)
        sign = "Link header";
    if (sign && next->more == PODSKU_MORE_NO)
        fail(next, sign);
}
