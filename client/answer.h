/*
 * What an answer means: the tables of statuses for reads and for creates, and the service's own words.
 * Private to client/.
 */
#ifndef PODSKU_CLIENT_ANSWER_H
#define PODSKU_CLIENT_ANSWER_H

#include "client/api.h"

/* What the body of a failure says. Zero it first; free with podsku_problem_free(). */
struct podsku_problem {
    char detail[512]; /* one line, control bytes as '?', the key as '*'; empty: nothing said */
    char edge[32];    /* "error code: 1010"; empty: no such code */
    char **errors;    /* errors[], those about missing properties first */
    size_t error_count;
    bool json; /* a JSON object, or said to be JSON: the API's own answer */
    bool html;
};

/* Never fails: without memory there are fewer words. */
void podsku_problem_read(const struct podsku_client *client, const struct podsku_response *response,
                         struct podsku_problem *problem);
void podsku_problem_free(struct podsku_problem *problem);

/*
 * The status of an answer that is not a create's. 2xx: PODSKU_OK. `what` names the thing of the URL for
 * 404 ("pod abc"); NULL: the URL is a route of the API. err gets status, request id and URL.
 */
enum podsku_code podsku_answer_judge(const struct podsku_client *client, enum podsku_api api,
                                     const struct podsku_response *response, const char *what,
                                     struct podsku_error *err) PODSKU_CHECKED;

/* Fills err's place, status and request id from the answer, where err does not have them yet. */
void podsku_answer_place(const struct podsku_response *response, struct podsku_error *err);

/* The row of the create table that a whole answer with this status and these words belongs to; not for 2xx. */
enum podsku_create_answer podsku_answer_create_row(int status, const struct podsku_problem *problem,
                                                   enum podsku_code *stop_code);

/* The sentence, hint and place for a create that stops with this code. */
enum podsku_code podsku_answer_create_stop(enum podsku_code code, enum podsku_api api,
                                           const struct podsku_response *response, const struct podsku_problem *problem,
                                           struct podsku_error *err);

#endif
