#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/json.h"
#include "client/answer.h"
#include "client/api.h"
#include "client/decode.h"
#include "client/retry.h"

enum kind { POD, CLUSTER };

void podsku_create_result_clear(struct podsku_create_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->error_count; i++)
        free(result->errors[i]);
    free(result->errors);
    podsku_pod_clear(&result->pod);
    podsku_cluster_clear(&result->cluster);
    *result = (struct podsku_create_result){0};
}

static void set_detail(struct podsku_create_result *result, const char *text)
{
    size_t len = strnlen(text, sizeof result->detail - 1);

    memcpy(result->detail, text, len);
    result->detail[len] = '\0';
}

/*
 * 2xx. Whatever cannot be read here may stand for a pod that exists and costs money: it is open. Only
 * the id must be right; a member of another type than expected is unknown.
 */
static void take_made(struct podsku_create_result *result, enum kind kind, enum podsku_api api,
                      const struct podsku_response *response)
{
    struct podsku_error why = {0};
    json_t *value = NULL;

    result->answer = PODSKU_CREATE_OPEN;
    if (podsku_json_read(podsku_buf_text(&response->body), response->body.len, response->url, PODSKU_ANSWER, &value,
                         &why) == PODSKU_OK &&
        (kind == POD ? podsku_decode_pod(value, api, "$", &result->pod, &why)
                     : podsku_decode_cluster(value, "$", &result->cluster, &why)) == PODSKU_OK)
        result->answer = PODSKU_CREATE_MADE;
    else
        set_detail(result, why.message);
    json_decref(value);
}

static int64_t throttle_ms(const struct podsku_client *client, const struct podsku_response *response)
{
    const struct podsku_retry_input input = {
        .retry_after = response->retry_after,
        .rate_limit = response->rate_limit,
        .date = response->date,
        .attempt = 3, /* no word of the service: about two seconds */
        .now_ms = podsku_clock_wall_ms(podsku_client_clock(client)),
        .random = 0.5,
    };

    return podsku_retry_wait_ms(&input);
}

static enum podsku_code take_answer(const struct podsku_client *client, enum kind kind, enum podsku_api api,
                                    const struct podsku_response *response, struct podsku_create_result *result,
                                    struct podsku_error *err)
{
    struct podsku_problem problem = {0};
    enum podsku_code stop = PODSKU_OK;

    result->http_status = response->status;
    (void)snprintf(result->request_id, sizeof result->request_id, "%s", response->request_id);
    if (response->status >= 200 && response->status <= 299) {
        take_made(result, kind, api, response);
        return PODSKU_OK;
    }
    podsku_problem_read(client, response, &problem);
    set_detail(result, problem.detail);
    result->answer = podsku_answer_create_row(response->status, &problem, &stop);
    if (result->answer == PODSKU_CREATE_THROTTLED)
        result->wait_ms = throttle_ms(client, response);
    if (result->answer == PODSKU_CREATE_STOP)
        (void)podsku_answer_create_stop(stop, api, response, &problem, err);
    result->errors = problem.errors;
    result->error_count = problem.error_count;
    problem.errors = NULL;
    problem.error_count = 0;
    podsku_problem_free(&problem);
    return err->code;
}

/* No whole answer: what matters is whether the request can have arrived. */
static enum podsku_code take_failure(const struct podsku_response *response, struct podsku_create_result *result,
                                     struct podsku_error *err)
{
    result->http_status = response->status;
    (void)snprintf(result->request_id, sizeof result->request_id, "%s", response->request_id);
    set_detail(result, err->message);
    if (response->request_sent) {
        result->answer = PODSKU_CREATE_OPEN;
    } else if (err->code == PODSKU_NETWORK || err->code == PODSKU_INTERRUPTED) {
        result->answer = PODSKU_CREATE_NOT_SENT;
    } else { /* no key, no URL, no trust: the same next time */
        result->answer = PODSKU_CREATE_STOP;
        return err->code;
    }
    podsku_error_clear(err);
    return PODSKU_OK;
}

static enum podsku_code create(struct podsku_client *client, enum kind kind, enum podsku_api api, const json_t *body,
                               struct podsku_create_result *result, struct podsku_error *err)
{
    struct podsku_response response = {0};
    struct podsku_buf text = {0};
    enum podsku_code code;

    *result = (struct podsku_create_result){.answer = PODSKU_CREATE_STOP};
    podsku_json_write(&text, body, false);
    if (podsku_buf_failed(&text)) {
        code = podsku_error_no_memory(err);
        goto out;
    }
    struct podsku_request request = {
        .api = api, .method = "POST", .path = kind == POD ? "/pods" : "/clusters", .body = podsku_buf_text(&text)};
    if (podsku_client_send(client, &request, &response, err) == PODSKU_OK)
        code = take_answer(client, kind, api, &response, result, err);
    else
        code = take_failure(&response, result, err);
out:
    if (text.data)
        podsku_wipe(text.data, text.len); /* it holds the pod's env values */
    podsku_buf_free(&text);
    podsku_response_free(&response);
    return code;
}

enum podsku_code podsku_api_create_pod(struct podsku_client *client, enum podsku_api api, const json_t *body,
                                       struct podsku_create_result *result, struct podsku_error *err)
{
    return create(client, POD, api, body, result, err);
}

enum podsku_code podsku_api_create_cluster(struct podsku_client *client, const json_t *body,
                                           struct podsku_create_result *result, struct podsku_error *err)
{
    return create(client, CLUSTER, PODSKU_API_V2, body, result, err);
}
