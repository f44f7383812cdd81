#include "client/api_volumes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "client/answer.h"

static enum podsku_code take_place(const struct podsku_response *response, enum podsku_api api, char **data_center,
                                   struct podsku_error *err)
{
    const char *member = api == PODSKU_API_V1 ? "dataCenterId" : "dataCenter";
    const char *place;
    json_t *value = NULL;

    if (podsku_json_read(podsku_buf_text(&response->body), response->body.len, response->url, PODSKU_ANSWER, &value,
                         err) == PODSKU_OK) {
        place = json_string_value(json_object_get(value, member));
        if (!place || !*place) {
            podsku_error_where(err, "%s: $.%s", response->url, member);
            (void)podsku_error_set(err, PODSKU_ANSWER, "the answer does not say where the network volume is");
        } else {
            *data_center = strdup(place);
            if (!*data_center)
                (void)podsku_error_no_memory(err);
        }
    }
    if (err->code != PODSKU_OK)
        podsku_answer_place(response, err);
    json_decref(value);
    return err->code;
}

enum podsku_code podsku_api_volume_data_center(struct podsku_client *client, enum podsku_api api, const char *id,
                                               char **data_center, struct podsku_error *err)
{
    struct podsku_request get = {.api = api, .method = "GET", .retry = true};
    struct podsku_response response = {0};
    struct podsku_buf path = {0};
    struct podsku_buf what = {0};

    *data_center = NULL;
    /* An id that is a step of the path would make the URL name something else. */
    if (!*id || strcmp(id, ".") == 0 || strcmp(id, "..") == 0)
        return podsku_error_set(err, PODSKU_NOT_FOUND, "no network volume can have the id \"%s\"", id);
    podsku_buf_puts(&path, api == PODSKU_API_V1 ? "/networkvolumes/" : "/network-volumes/");
    podsku_url_escape(&path, id);
    podsku_buf_printf(&what, "network volume %s", id);
    if (podsku_buf_failed(&path) || podsku_buf_failed(&what)) {
        (void)podsku_error_no_memory(err);
        goto out;
    }
    get.path = podsku_buf_text(&path);
    if (podsku_client_send(client, &get, &response, err) == PODSKU_OK &&
        podsku_answer_judge(client, api, &response, podsku_buf_text(&what), err) == PODSKU_OK)
        (void)take_place(&response, api, data_center, err);
out:
    podsku_response_free(&response);
    podsku_buf_free(&what);
    podsku_buf_free(&path);
    return err->code;
}
