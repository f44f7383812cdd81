#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/text.h"
#include "client/answer.h"

enum { TEXT_LOOKED_AT = 64 << 10, ERRORS_MAX = 100, ERROR_LINE_MAX = 1000 };

/* Copies service text as one bounded line. */
static void take_line(char *out, size_t size, const char *text, size_t len)
{
    struct podsku_buf line = {0};

    while (len > 0 && (*text == ' ' || *text == '\n' || *text == '\r' || *text == '\t')) {
        text++;
        len--;
    }
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    podsku_text_printable(&line, text, len < size ? len : size - 1, false);
    (void)snprintf(out, size, "%s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Finds "error code: 1010" in a body of the edge, also with tags between word and number. */
static void find_edge_code(const char *text, size_t len, char out[32])
{
    static const char words[] = "error code";
    const size_t words_len = sizeof words - 1;

    for (size_t i = 0; i + words_len < len; i++) {
        if (strncasecmp(text + i, words, words_len) != 0)
            continue;
        size_t from = i + words_len;
        size_t stop = from + 64 < len ? from + 64 : len;
        while (from < stop && !digit(text[from]))
            from++;
        size_t end = from;
        while (end < stop && digit(text[end]))
            end++;
        if (end - from >= 3 && end - from <= 6) {
            (void)snprintf(out, 32, "error code: %.*s", (int)(end - from), text + from);
            return;
        }
    }
}

/* The title of a web page, or that it is one. */
static void take_page(struct podsku_problem *problem, const char *text, size_t len)
{
    const char *title = NULL;
    size_t title_len = 0;

    for (size_t i = 0; i + 7 < len; i++)
        if (strncasecmp(text + i, "<title>", 7) == 0) {
            title = text + i + 7;
            while (i + 7 + title_len < len && title[title_len] != '<')
                title_len++;
            break;
        }
    if (title_len > 0)
        take_line(problem->detail, sizeof problem->detail, title, title_len);
    else
        take_line(problem->detail, sizeof problem->detail, "a web page", 10);
}

/* The first text found among the members that the APIs put their reason in. */
static const char *reason(const json_t *body)
{
    static const char *const members[] = {"detail", "error", "message", "title"};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const json_t *value = json_object_get(body, members[i]);
        if (json_is_object(value))
            value = json_object_get(value, "message");
        if (json_is_string(value) && json_string_length(value) > 0)
            return json_string_value(value);
    }
    const json_t *first = json_array_get(json_object_get(body, "errors"), 0); /* GraphQL */
    return json_string_value(json_object_get(first, "message"));
}

static bool about_missing(const char *line)
{
    return strstr(line, "missing") || strstr(line, "is a required") || strstr(line, "is required");
}

/* A missing member makes valid ones look unexpected, so its line comes first. */
static void take_errors(struct podsku_problem *problem, const json_t *errors)
{
    size_t count = json_array_size(errors) < ERRORS_MAX ? json_array_size(errors) : ERRORS_MAX;

    if (count == 0 || !(problem->errors = calloc(count, sizeof *problem->errors)))
        return;
    for (int missing = 1; missing >= 0; missing--)
        for (size_t i = 0; i < count; i++) {
            const json_t *item = json_array_get(errors, i);
            const char *text = json_string_value(json_is_object(item) ? json_object_get(item, "message") : item);
            struct podsku_buf line = {.max = ERROR_LINE_MAX};
            if (!text || about_missing(text) != (missing == 1))
                continue;
            size_t len = strlen(text);
            podsku_text_printable(&line, text, len < ERROR_LINE_MAX / 2 ? len : ERROR_LINE_MAX / 2, false);
            char *copy = podsku_buf_take(&line);
            if (copy)
                problem->errors[problem->error_count++] = copy;
        }
}

static bool is_json_type(const char *type)
{
    size_t len = strlen(type);

    return strcmp(type, "application/json") == 0 || (len > 5 && strcmp(type + len - 5, "+json") == 0);
}

static void take_json(struct podsku_problem *problem, const json_t *body)
{
    const char *text = reason(body);
    const json_t *code = json_object_get(body, "error_code");

    if (text)
        take_line(problem->detail, sizeof problem->detail, text, strlen(text));
    take_errors(problem, json_object_get(body, "errors"));
    /* The edge answers in JSON, too, when it is asked for JSON. */
    if (json_is_true(json_object_get(body, "cloudflare_error"))) {
        (void)snprintf(problem->edge, sizeof problem->edge, "error code: %lld",
                       (long long)(json_is_integer(code) ? json_integer_value(code) : 0));
        problem->json = false;
    }
}

void podsku_problem_read(const struct podsku_client *client, const struct podsku_response *response,
                         struct podsku_problem *problem)
{
    const char *text = podsku_buf_text(&response->body);
    size_t len = response->body.len;
    struct podsku_error ignored = {0};
    json_t *body = NULL;

    problem->json = is_json_type(response->content_type);
    if (podsku_json_read(text, len, "", PODSKU_ANSWER, &body, &ignored) == PODSKU_OK && json_is_object(body)) {
        problem->json = true;
        take_json(problem, body);
    } else if (len > 0) {
        if (len > TEXT_LOOKED_AT)
            len = TEXT_LOOKED_AT;
        problem->html = text[strspn(text, " \t\r\n")] == '<' || strcmp(response->content_type, "text/html") == 0;
        if (problem->html)
            take_page(problem, text, len);
        else
            take_line(problem->detail, sizeof problem->detail, text, len);
    }
    if (!problem->json)
        find_edge_code(text, len, problem->edge);
    else if (strncasecmp(problem->detail, "error code:", 11) == 0)
        find_edge_code(problem->detail, strlen(problem->detail), problem->edge);
    podsku_client_redact(client, problem->detail);
    for (size_t i = 0; i < problem->error_count; i++)
        podsku_client_redact(client, problem->errors[i]);
    json_decref(body);
}

void podsku_problem_free(struct podsku_problem *problem)
{
    if (!problem)
        return;
    for (size_t i = 0; i < problem->error_count; i++)
        free(problem->errors[i]);
    free(problem->errors);
    *problem = (struct podsku_problem){0};
}
