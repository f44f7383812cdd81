/*
 * Signs that a body is one page of several. The service's names for them are not known: a cursor was
 * announced after the document of August 2026, so any usual name counts.
 */
#include "catalog/decode.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Where a body may speak of pages: at its top, or in one of these objects. */
static const char *const places[] = {NULL,   "pagination", "paging", "pageInfo", "page_info", "metadata",
                                     "meta", "nextCursor", "cursor", "page",     "links"};

/* There only for a next page. */
static const char *const next_members[] = {"nextCursor", "next_cursor", "nextPageToken", "next_page_token", "nextToken",
                                           "next_token", "next",        "nextPage",      "next_page",       "nextUrl",
                                           "next_url",   "nextPageUrl", "nextLink",      "next_link"};

/* May also name the page that was read, or its end: they count unless the body says that this is all. */
static const char *const cursor_members[] = {"endCursor", "end_cursor", "cursor"};

static const char *const flags[] = {"hasMore",  "has_more", "hasNextPage", "has_next_page", "hasNext",
                                    "has_next", "more",     "truncated",   "isTruncated",   "is_truncated"};

/* Larger than the list: some of it is missing. */
static const char *const totals[] = {"total", "totalCount", "total_count", "totalItems", "total_items"};
static const char *const page_totals[] = {"totalPages", "total_pages", "pageCount", "page_count"};

/* null, false, 0 and "" say nothing; an object is one of the places. */
static bool is_said(const json_t *object, const char *member)
{
    const json_t *value = json_object_get(object, member);

    if (json_is_string(value))
        return json_string_length(value) > 0;
    return json_is_true(value) || (json_is_number(value) && json_number_value(value) != 0);
}

static const char *first_said(const json_t *object, const char *const *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_said(object, members[i]))
            return members[i];
    return NULL;
}

/* Is there a member that would say more, and does not? Then a cursor is that of the page itself. */
static bool denies_more(const json_t *object)
{
    for (size_t i = 0; i < COUNT(flags); i++)
        if (json_is_false(json_object_get(object, flags[i])))
            return true;
    for (size_t i = 0; i < COUNT(next_members); i++)
        if (json_object_get(object, next_members[i]))
            return true;
    return false;
}

static const char *number_above(const json_t *object, const char *const *members, size_t count, size_t limit)
{
    for (size_t i = 0; i < count; i++)
        if (json_number_value(json_object_get(object, members[i])) > (double)limit)
            return members[i];
    return NULL;
}

/* The member of this object that says that the list goes on; NULL: none does. */
static const char *sign_of_more(const json_t *object, size_t entries)
{
    const char *sign = first_said(object, next_members, COUNT(next_members));

    if (!sign)
        sign = first_said(object, flags, COUNT(flags));
    if (!sign && !denies_more(object))
        sign = first_said(object, cursor_members, COUNT(cursor_members));
    if (!sign)
        sign = number_above(object, totals, COUNT(totals), entries);
    if (!sign)
        sign = number_above(object, page_totals, COUNT(page_totals), 1);
    return sign;
}

void podsku_decode_paging(struct podsku_decode *decode, const json_t *body, const struct podsku_place *place)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        const json_t *object = places[i] ? json_object_get(body, places[i]) : body;
        struct podsku_place object_place = {place, places[i], 0};
        const char *sign = sign_of_more(object, json_array_size(decode->list));
        struct podsku_place at = {places[i] ? &object_place : place, sign, 0};
        if (!sign)
            continue;
        podsku_decode_bad(decode, &at, "paged", "the list goes on (%s): this is one page of several, not a catalogue",
                          sign);
        return;
    }
}
