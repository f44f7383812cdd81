#include "client/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "client/answer.h"
#include "client/decode.h"
#include "client/list.h"

/* A path made of a prefix, a percent-encoded id and a suffix; what names the thing for errors. */
struct target {
    struct podsku_buf path, what;
};

static void target_free(struct target *target)
{
    podsku_buf_free(&target->path);
    podsku_buf_free(&target->what);
}

/*
 * An empty id or a dot segment would name another resource ("/pods/" is the list), so nothing is sent
 * for it: no such thing exists.
 */
static enum podsku_code make_target(struct target *target, const char *kind, const char *prefix, const char *id,
                                    const char *suffix, struct podsku_error *err)
{
    *target = (struct target){0};
    if (!id[0] || strcmp(id, ".") == 0 || strcmp(id, "..") == 0)
        return podsku_error_set(err, PODSKU_NOT_FOUND, "\"%s\" is no id of a %s", id, kind);
    podsku_buf_puts(&target->path, prefix);
    podsku_url_escape(&target->path, id);
    podsku_buf_puts(&target->path, suffix);
    podsku_buf_printf(&target->what, "%s %s", kind, id);
    if (!podsku_buf_failed(&target->path) && !podsku_buf_failed(&target->what))
        return PODSKU_OK;
    target_free(target);
    return podsku_error_no_memory(err);
}

/* Sends and judges the status; the caller frees the response in any case. */
static enum podsku_code call(struct podsku_client *client, const struct podsku_request *request, const char *what,
                             struct podsku_response *response, struct podsku_error *err)
{
    if (podsku_client_send(client, request, response, err) == PODSKU_OK &&
        podsku_answer_judge(client, request->api, response, what, err) == PODSKU_OK)
        return PODSKU_OK;
    if (response->url[0])
        podsku_answer_place(response, err);
    return err->code;
}

/* A GET of one JSON value. */
static enum podsku_code get_json(struct podsku_client *client, enum podsku_api api, const char *path, const char *what,
                                 struct podsku_response *response, json_t **value, struct podsku_error *err)
{
    struct podsku_request get = {.api = api, .method = "GET", .path = path, .retry = true};

    *value = NULL;
    if (call(client, &get, what, response, err) == PODSKU_OK &&
        podsku_json_read(podsku_buf_text(&response->body), response->body.len, response->url, PODSKU_ANSWER, value,
                         err) != PODSKU_OK)
        podsku_answer_place(response, err);
    return err->code;
}

static enum podsku_code wrong_id(const char *where, struct podsku_error *err)
{
    podsku_error_where(err, "%s.id", where);
    return podsku_error_set(err, PODSKU_ANSWER, "the answer is about another id than was asked for");
}

/* Room for one more element of a growing list; its bytes are zero. NULL without memory. */
static void *grow(void **list, size_t *count, size_t size)
{
    if ((*count & (*count - 1)) == 0) { /* at 0, 1, 2, 4, ... */
        size_t room = *count ? *count * 2 : 1;
        void *larger = realloc(*list, room * size);
        if (!larger)
            return NULL;
        *list = larger;
    }
    void *element = (char *)*list + *count * size;
    memset(element, 0, size);
    return element;
}

struct pods_reader {
    struct podsku_pods *pods;
    enum podsku_api api;
};

static enum podsku_code take_pod(void *ctx, const json_t *item, const char *where, struct podsku_error *err)
{
    struct pods_reader *reader = ctx;
    void *list = reader->pods->list;
    struct podsku_pod *pod = grow(&list, &reader->pods->count, sizeof *pod);

    reader->pods->list = list;
    if (!pod)
        return podsku_error_no_memory(err);
    if (podsku_decode_pod(item, reader->api, where, pod, err) == PODSKU_OK)
        reader->pods->count++;
    return err->code;
}

static enum podsku_code read_pods(struct podsku_client *client, enum podsku_api api, const char *path, const char *what,
                                  struct podsku_pods *pods, struct podsku_error *err)
{
    struct pods_reader reader = {pods, api};
    struct podsku_list_request request = {
        .api = api, .path = path, .member = "pods", .what = what, .item = take_pod, .ctx = &reader};

    *pods = (struct podsku_pods){0};
    if (podsku_list_read(client, &request, err) != PODSKU_OK)
        podsku_pods_free(pods);
    return err->code;
}

enum podsku_code podsku_api_list_pods(struct podsku_client *client, enum podsku_api api, bool cluster_pods,
                                      struct podsku_pods *pods, struct podsku_error *err)
{
    const char *path = api == PODSKU_API_V1 ? "/pods?includeMachine=true"
                       : cluster_pods       ? "/pods?includeClusterPods=true"
                                            : "/pods";

    return read_pods(client, api, path, NULL, pods, err);
}

enum podsku_code podsku_api_get_pod(struct podsku_client *client, enum podsku_api api, const char *id,
                                    struct podsku_pod *pod, struct podsku_error *err)
{
    struct target target;
    struct podsku_response response = {0};
    json_t *value = NULL;
    char where[640];

    *pod = (struct podsku_pod){0};
    if (make_target(&target, "pod", "/pods/", id, api == PODSKU_API_V1 ? "?includeMachine=true" : "", err) != PODSKU_OK)
        return err->code;
    if (get_json(client, api, podsku_buf_text(&target.path), podsku_buf_text(&target.what), &response, &value, err) ==
        PODSKU_OK) {
        (void)snprintf(where, sizeof where, "%s: $", response.url);
        if (podsku_decode_pod(value, api, where, pod, err) == PODSKU_OK && strcmp(pod->id, id) != 0)
            (void)wrong_id(where, err);
        if (err->code != PODSKU_OK) {
            podsku_answer_place(&response, err);
            podsku_pod_clear(pod);
        }
    }
    json_decref(value);
    podsku_response_free(&response);
    target_free(&target);
    return err->code;
}

/* A request with an id in its path whose answer's body does not matter. */
static enum podsku_code act(struct podsku_client *client, struct podsku_request *request, const char *kind,
                            const char *prefix, const char *id, const char *suffix, struct podsku_error *err)
{
    struct target target;
    struct podsku_response response = {0};

    if (make_target(&target, kind, prefix, id, suffix, err) != PODSKU_OK)
        return err->code;
    request->path = podsku_buf_text(&target.path);
    (void)call(client, request, podsku_buf_text(&target.what), &response, err);
    podsku_response_free(&response);
    target_free(&target);
    return err->code;
}

enum podsku_code podsku_api_delete_pod(struct podsku_client *client, enum podsku_api api, const char *id,
                                       struct podsku_error *err)
{
    struct podsku_request request = {.api = api, .method = "DELETE", .retry = true};

    return act(client, &request, "pod", "/pods/", id, "", err);
}

/* What the service says when a stopped pod's machine is full: no fault of the request or the service. */
static bool says_full(const char *message)
{
    return strstr(message, "not enough free GPUs") || strstr(message, "Failed to resume pod") ||
           strstr(message, "does not have the resources");
}

bool podsku_error_is_member(const struct podsku_error *err)
{
    return err->http_status == 409 &&
           (strstr(err->message, "through their cluster") || strstr(err->message, "through the cluster"));
}

static enum podsku_code judge_start(struct podsku_error *err)
{
    struct podsku_error full = {.http_status = err->http_status};

    if ((err->code != PODSKU_REQUEST && err->code != PODSKU_SERVER) || !says_full(err->message))
        return err->code;
    podsku_error_set(&full, PODSKU_NO_CAPACITY, "%s", err->message);
    podsku_error_hint(&full, "a stopped pod is bound to its machine, which has no free GPUs now: try later, or deploy "
                             "anew and terminate this one, whose disk goes on costing");
    podsku_error_where(&full, "%s", err->where);
    memcpy(full.request_id, err->request_id, sizeof full.request_id);
    *err = full;
    return err->code;
}

enum podsku_code podsku_api_pod_action(struct podsku_client *client, enum podsku_api api, const char *id,
                                       const char *action, struct podsku_error *err)
{
    struct podsku_request request = {.api = api, .method = "POST"};
    char text[64];

    if (api == PODSKU_API_V1 && strcmp(action, "terminate") == 0)
        return podsku_api_delete_pod(client, api, id, err);
    if (api == PODSKU_API_V1) {
        (void)snprintf(text, sizeof text, "/%s", action);
        (void)act(client, &request, "pod", "/pods/", id, text, err);
    } else {
        (void)snprintf(text, sizeof text, "{\"action\":\"%s\"}", action);
        request.body = text;
        (void)act(client, &request, "pod", "/pods/", id, "/action", err);
    }
    return strcmp(action, "start") == 0 ? judge_start(err) : err->code;
}

static enum podsku_code take_cluster(void *ctx, const json_t *item, const char *where, struct podsku_error *err)
{
    struct podsku_clusters *clusters = ctx;
    void *list = clusters->list;
    struct podsku_cluster *cluster = grow(&list, &clusters->count, sizeof *cluster);

    clusters->list = list;
    if (!cluster)
        return podsku_error_no_memory(err);
    if (podsku_decode_cluster(item, where, cluster, err) == PODSKU_OK)
        clusters->count++;
    return err->code;
}

enum podsku_code podsku_api_list_clusters(struct podsku_client *client, struct podsku_clusters *clusters,
                                          struct podsku_error *err)
{
    struct podsku_list_request request = {
        .api = PODSKU_API_V2, .path = "/clusters", .member = "clusters", .item = take_cluster, .ctx = clusters};

    *clusters = (struct podsku_clusters){0};
    if (podsku_list_read(client, &request, err) != PODSKU_OK)
        podsku_clusters_free(clusters);
    return err->code;
}

enum podsku_code podsku_api_get_cluster(struct podsku_client *client, const char *id, struct podsku_cluster *cluster,
                                        struct podsku_error *err)
{
    struct target target;
    struct podsku_response response = {0};
    json_t *value = NULL;
    char where[640];

    *cluster = (struct podsku_cluster){0};
    if (make_target(&target, "cluster", "/clusters/", id, "", err) != PODSKU_OK)
        return err->code;
    if (get_json(client, PODSKU_API_V2, podsku_buf_text(&target.path), podsku_buf_text(&target.what), &response, &value,
                 err) == PODSKU_OK) {
        (void)snprintf(where, sizeof where, "%s: $", response.url);
        if (podsku_decode_cluster(value, where, cluster, err) == PODSKU_OK && strcmp(cluster->id, id) != 0)
            (void)wrong_id(where, err);
        if (err->code != PODSKU_OK) {
            podsku_answer_place(&response, err);
            podsku_cluster_clear(cluster);
        }
    }
    json_decref(value);
    podsku_response_free(&response);
    target_free(&target);
    return err->code;
}

enum podsku_code podsku_api_cluster_pods(struct podsku_client *client, const char *id, struct podsku_pods *pods,
                                         struct podsku_error *err)
{
    struct target target;

    *pods = (struct podsku_pods){0};
    if (make_target(&target, "cluster", "/clusters/", id, "/pods", err) != PODSKU_OK)
        return err->code;
    enum podsku_code code =
        read_pods(client, PODSKU_API_V2, podsku_buf_text(&target.path), podsku_buf_text(&target.what), pods, err);
    target_free(&target);
    return code;
}

enum podsku_code podsku_api_delete_cluster(struct podsku_client *client, const char *id, struct podsku_error *err)
{
    struct podsku_request request = {.api = PODSKU_API_V2, .method = "DELETE", .retry = true};

    return act(client, &request, "cluster", "/clusters/", id, "", err);
}

enum podsku_code podsku_api_ssh_keys(struct podsku_client *client, size_t *count, struct podsku_error *err)
{
    struct podsku_response response = {0};
    json_t *value = NULL;

    *count = 0;
    if (get_json(client, PODSKU_API_V2, "/account/ssh-keys", NULL, &response, &value, err) == PODSKU_OK) {
        const json_t *keys = json_object_get(value, "keys");
        if (!json_is_array(keys)) {
            podsku_error_where(err, "%s: $.keys", response.url);
            podsku_error_set(err, PODSKU_ANSWER, "the answer has no list where one belongs");
            podsku_answer_place(&response, err);
        }
        for (size_t i = 0; i < json_array_size(keys); i++) {
            const char *key = json_string_value(json_array_get(keys, i));
            if (key && key[strspn(key, " \t\r\n")])
                ++*count;
        }
    }
    json_decref(value);
    podsku_response_free(&response);
    return err->code;
}
