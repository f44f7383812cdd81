#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "client/answer.h"
#include "client/api.h"
#include "client/decode.h"
#include "client/list.h"

static void add_list(struct podsku_buf *path, const char *name, const char *values)
{
    if (!values || !*values)
        return;
    podsku_buf_printf(path, "&%s=", name);
    for (;;) { /* the commas separate, so they stay as they are */
        char value[64];
        size_t len = strcspn(values, ",");
        (void)snprintf(value, sizeof value, "%.*s", (int)(len < 63 ? len : 63), values);
        podsku_url_escape(path, value);
        if (!values[len])
            return;
        podsku_buf_putc(path, ',');
        values += len + 1;
    }
}

enum podsku_code podsku_api_catalog(struct podsku_client *client, const struct podsku_catalog_request *request,
                                    struct podsku_buf *body, char *url, size_t url_size, struct podsku_error *err)
{
    struct podsku_buf path = {0};

    podsku_buf_printf(&path, "/catalog/gpus?include=AVAILABILITY&product=%s&count=%d", request->product,
                      request->count);
    if (request->cloud)
        podsku_buf_printf(&path, "&cloud=%s", request->cloud);
    add_list(&path, "minCudaVersion", request->min_cuda);
    add_list(&path, "countryCodes", request->countries);
    if (podsku_buf_failed(&path)) {
        podsku_buf_free(&path);
        return podsku_error_no_memory(err);
    }
    (void)snprintf(url, url_size, "%s%s", podsku_client_url(client, PODSKU_API_V2), podsku_buf_text(&path));
    struct podsku_list_request list = {
        .api = PODSKU_API_V2, .path = podsku_buf_text(&path), .member = "gpus", .body = body, .value = request->value};
    enum podsku_code code = podsku_list_read(client, &list, err);
    podsku_buf_free(&path);
    return code;
}

/* GraphQL answers 200 with "errors" where REST has a status. */
static enum podsku_code judge_graphql(const struct podsku_client *client, const struct podsku_response *response,
                                      struct podsku_error *err)
{
    struct podsku_problem problem = {0};
    json_t *value = NULL;

    if (podsku_json_read(podsku_buf_text(&response->body), response->body.len, response->url, PODSKU_ANSWER, &value,
                         err) == PODSKU_OK &&
        !json_is_array(json_object_get(json_object_get(value, "data"), "gpuTypes"))) {
        podsku_problem_read(client, response, &problem);
        podsku_error_where(err, "%s: $.data.gpuTypes", response->url);
        podsku_error_set(err, PODSKU_ANSWER, "the answer has no GPU types%s%s", problem.detail[0] ? ": " : "",
                         problem.detail);
        podsku_problem_free(&problem);
    }
    json_decref(value);
    return err->code;
}

enum podsku_code podsku_api_graphql_catalog(struct podsku_client *client, int count, struct podsku_buf *body, char *url,
                                            size_t url_size, struct podsku_error *err)
{
    char query[640];
    struct podsku_response response = {0};
    struct podsku_request post = {
        .api = PODSKU_API_GRAPHQL, .method = "POST", .path = "", .body = query, .retry = true};

    (void)snprintf(query, sizeof query,
                   "{\"query\":\"query { gpuTypes { id displayName manufacturer memoryInGb secureCloud communityCloud "
                   "securePrice communityPrice maxGpuCount maxGpuCountSecureCloud maxGpuCountCommunityCloud "
                   "lowestPrice(input:{gpuCount:%d, secureCloud:true}) { stockStatus uninterruptablePrice } } }\"}",
                   count);
    (void)snprintf(url, url_size, "%s", podsku_client_url(client, PODSKU_API_GRAPHQL));
    if (podsku_client_send(client, &post, &response, err) == PODSKU_OK &&
        podsku_answer_judge(client, PODSKU_API_GRAPHQL, &response, NULL, err) == PODSKU_OK &&
        judge_graphql(client, &response, err) == PODSKU_OK) {
        podsku_buf_free(body);
        *body = response.body;
        response.body = (struct podsku_buf){0};
    }
    if (err->code != PODSKU_OK)
        podsku_answer_place(&response, err);
    podsku_response_free(&response);
    return err->code;
}

static enum podsku_code take_data_center(void *ctx, const json_t *item, const char *where, struct podsku_error *err)
{
    struct podsku_data_centers *centers = ctx;
    struct podsku_data_center *larger = realloc(centers->list, (centers->count + 1) * sizeof *larger);

    if (!larger)
        return podsku_error_no_memory(err);
    centers->list = larger;
    if (podsku_decode_data_center(item, where, &centers->list[centers->count], err) == PODSKU_OK)
        centers->count++;
    return err->code;
}

enum podsku_code podsku_api_data_centers(struct podsku_client *client, struct podsku_data_centers *centers,
                                         struct podsku_error *err)
{
    struct podsku_list_request request = {.api = PODSKU_API_V2,
                                          .path = "/catalog/datacenters",
                                          .member = "dataCenters",
                                          .item = take_data_center,
                                          .ctx = centers};

    *centers = (struct podsku_data_centers){0};
    if (podsku_list_read(client, &request, err) != PODSKU_OK)
        podsku_data_centers_free(centers);
    return err->code;
}
