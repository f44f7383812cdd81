#include "client/answer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void podsku_answer_place(const struct podsku_response *response, struct podsku_error *err)
{
    podsku_error_where(err, "%s", response->url);
    if (!err->request_id[0])
        (void)snprintf(err->request_id, sizeof err->request_id, "%s", response->request_id);
    if (!err->http_status)
        err->http_status = response->status;
}

/*
 * Statuses that mean the same for every request. The first row that holds the status is taken; the
 * last one holds all.
 */
static const struct status_row {
    int first, last;
    enum podsku_code code;
    const char *text; /* what is wrong, after which the service's words stand */
    const char *hint; /* NULL: none */
} statuses[] = {
    {200, 299, PODSKU_OK, "", NULL},
    {300, 399, PODSKU_RETIRED, "has moved: a redirect is not followed, since it would take the API key along",
     "set the base URL to where the API is now"},
    {401, 401, PODSKU_AUTH, "the service does not accept the API key: it is missing, bad or expired",
     "check RUNPOD_API_KEY; keys are made at https://console.runpod.io/user/settings"},
    {402, 402, PODSKU_BALANCE, "the account balance is too low",
     "add credit at https://console.runpod.io/user/billing; no other GPU type will do"},
    {403, 403, PODSKU_DENIED, "the account or the key may not do this",
     "check the permissions of the key and of the account"},
    {404, 404, PODSKU_NOT_FOUND, "", NULL},
    {408, 408, PODSKU_SERVER, "the service gave up waiting for the request", NULL},
    {410, 410, PODSKU_RETIRED, "is retired", "use --api v2, or set the base URL to a gateway that keeps this API"},
    {429, 429, PODSKU_SERVER, "the service throttles this account, and went on doing so", "try again later"},
    {400, 499, PODSKU_REQUEST, "the service refuses the request", NULL},
    {500, 599, PODSKU_SERVER, "the service failed", "try again later; https://uptime.runpod.io shows its state"},
    {0, 999, PODSKU_ANSWER, "the service answered with a status that HTTP does not have", NULL},
};

static const struct status_row *row_of(int status)
{
    const struct status_row *row = statuses;

    while (status < row->first || status > row->last)
        row++;
    return row;
}

static enum podsku_code say_retired(const struct status_row *row, enum podsku_api api,
                                    const struct podsku_response *response, struct podsku_error *err)
{
    /* The one that is retired is no advice. */
    if (response->status == 410 && api == PODSKU_API_V2)
        podsku_error_hint(err, "a newer podsku may know what replaces it; or set PODSKU_API_URL to a gateway that "
                               "keeps this API");
    else
        podsku_error_hint(err, "%s", row->hint);
    return podsku_error_set(err, PODSKU_RETIRED, "API %s at %s %s (HTTP %d)", podsku_api_name(api), response->url,
                            row->text, response->status);
}

static enum podsku_code say_edge(const struct podsku_response *response, const struct podsku_problem *problem,
                                 struct podsku_error *err)
{
    podsku_error_hint(err,
                      "this is about the client, its network address or a proxy on the way, not about the API key");
    return podsku_error_set(err, PODSKU_EDGE, "the service's edge blocked this client (HTTP %d%s%s)%s%s",
                            response->status, problem->edge[0] ? ", " : "", problem->edge,
                            problem->detail[0] && !problem->edge[0] ? ": " : "",
                            problem->edge[0] ? "" : problem->detail);
}

static enum podsku_code say_refused(const struct podsku_response *response, const struct podsku_problem *problem,
                                    struct podsku_error *err)
{
    char lines[600] = "";
    size_t used = 0;

    for (size_t i = 0; i < problem->error_count && used < sizeof lines; i++) {
        int len = snprintf(lines + used, sizeof lines - used, "%s%s", used ? "; " : ": ", problem->errors[i]);
        used += len > 0 ? (size_t)len : 0;
    }
    return podsku_error_set(err, PODSKU_REQUEST, "the service refuses the request (HTTP %d)%s%s%s", response->status,
                            problem->detail[0] ? ": " : "", problem->detail, lines);
}

/* A 404: of the thing that the URL names, or of a route that an API of this base URL would have. */
static enum podsku_code say_not_found(enum podsku_api api, const struct podsku_response *response, const char *what,
                                      const struct podsku_problem *problem, struct podsku_error *err)
{
    if (what && !problem->html) /* a web page is no word of the API about anything */
        return podsku_error_set(err, PODSKU_NOT_FOUND, "%s does not exist (HTTP 404%s%s)", what,
                                problem->detail[0] ? ": " : "", problem->detail);
    podsku_error_hint(err, "check the base URL: it needs the API's version in its path, as in " PODSKU_API_URL_DEFAULT);
    return podsku_error_set(err, PODSKU_RETIRED, "there is no API %s at %s (HTTP 404%s%s)", podsku_api_name(api),
                            response->url, problem->detail[0] ? ": " : "", problem->detail);
}

/* The sentence for a status that is no 2xx, whatever it was asked for. */
static enum podsku_code say(const struct status_row *row, enum podsku_api api, const struct podsku_response *response,
                            const char *what, const struct podsku_problem *problem, struct podsku_error *err)
{
    podsku_answer_place(response, err);
    if (row->code == PODSKU_NOT_FOUND)
        return say_not_found(api, response, what, problem, err);
    if (row->code == PODSKU_RETIRED)
        return say_retired(row, api, response, err);
    if (row->code == PODSKU_DENIED && (!problem->json || problem->edge[0]))
        return say_edge(response, problem, err);
    if (row->code == PODSKU_REQUEST)
        return say_refused(response, problem, err);
    if (row->hint)
        podsku_error_hint(err, "%s", row->hint);
    return podsku_error_set(err, row->code, "%s (HTTP %d%s%s)", row->text, response->status,
                            problem->detail[0] ? ": " : "", problem->detail);
}

enum podsku_code podsku_answer_judge(const struct podsku_client *client, enum podsku_api api,
                                     const struct podsku_response *response, const char *what, struct podsku_error *err)
{
    const struct status_row *row = row_of(response->status);
    struct podsku_problem problem = {0};

    if (row->code == PODSKU_OK)
        return PODSKU_OK;
    podsku_problem_read(client, response, &problem);
    (void)say(row, api, response, what, &problem, err);
    podsku_problem_free(&problem);
    return err->code;
}

static bool has_word(const char *text, const char *const *words)
{
    for (; *words; words++) {
        size_t len = strlen(*words);
        for (const char *at = text; *at; at++)
            if (strncasecmp(at, *words, len) == 0)
                return true;
    }
    return false;
}

/*
 * The two rows of status 400. A text can have words of both ("the required resources are not
 * available", "invalid instance type"). One that speaks of scarcity is about capacity, whatever else
 * it says: taking it for a fault would stop a deploy that the next candidate could end well, while the
 * opposite mistake costs a few refused creates and still shows the text. Otherwise the words of a wrong
 * request win: they are rarer in texts about capacity than "resource" is in names of fields.
 */
static enum podsku_create_answer judge_bad_request(const struct podsku_problem *problem)
{
    static const char *const scarcity[] = {"no longer any",
                                           "no instance",
                                           "no available",
                                           "not available",
                                           "currently available",
                                           "unavailable",
                                           "not enough",
                                           "insufficient",
                                           "not have the resources",
                                           "different machine",
                                           "out of capacity",
                                           "no capacity",
                                           "unknown gpu type",
                                           NULL};
    static const char *const faults[] = {"must",     "required", "invalid", "not allowed", "mutually exclusive",
                                         "property", NULL};
    static const char *const capacity[] = {"instance",   "resource",         "capacity", "available",
                                           "disk space", "unknown gpu type", NULL};

    if (problem->error_count > 0)
        return PODSKU_CREATE_STOP;
    if (has_word(problem->detail, scarcity))
        return PODSKU_CREATE_NO_CAPACITY;
    if (has_word(problem->detail, faults))
        return PODSKU_CREATE_STOP;
    return has_word(problem->detail, capacity) ? PODSKU_CREATE_NO_CAPACITY : PODSKU_CREATE_UNRECOGNISED;
}

enum podsku_create_answer podsku_answer_create_row(int status, const struct podsku_problem *problem,
                                                   enum podsku_code *stop_code)
{
    *stop_code = row_of(status)->code;
    switch (status) {
    case 400: *stop_code = PODSKU_REQUEST; return judge_bad_request(problem);
    case 403:
        if (problem->json && !problem->edge[0])
            return PODSKU_CREATE_DENIED;
        *stop_code = PODSKU_EDGE;
        return PODSKU_CREATE_STOP;
    case 404: /* of a template, volume or registry; a web page says that the API is elsewhere */
        *stop_code = problem->html ? PODSKU_RETIRED : PODSKU_REQUEST;
        return PODSKU_CREATE_STOP;
    case 408:
    case 409: return PODSKU_CREATE_CONFLICT;
    case 429: return PODSKU_CREATE_THROTTLED;
    default: break;
    }
    if (*stop_code == PODSKU_ANSWER) /* no status of HTTP: it may have been acted on */
        return PODSKU_CREATE_OPEN;
    return *stop_code == PODSKU_SERVER ? PODSKU_CREATE_SERVER : PODSKU_CREATE_STOP;
}

enum podsku_code podsku_answer_create_stop(enum podsku_code code, enum podsku_api api,
                                           const struct podsku_response *response, const struct podsku_problem *problem,
                                           struct podsku_error *err)
{
    const struct status_row *row = row_of(response->status);

    podsku_answer_place(response, err);
    if (response->status != 404)
        return say(row, api, response, NULL, problem, err);
    if (code == PODSKU_RETIRED)
        return say_not_found(api, response, NULL, problem, err);
    podsku_error_hint(err, "check the ids of template, network volume and registry");
    return podsku_error_set(err, PODSKU_REQUEST, "something that the request names does not exist (HTTP 404%s%s)",
                            problem->detail[0] ? ": " : "", problem->detail);
}
