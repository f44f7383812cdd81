/* The result of a deploy: its words, its JSON, its end. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "client/deploy_private.h"

static const char *const outcome_names[] = {
    [PODSKU_ATTEMPT_PENDING] = "pending",
    [PODSKU_ATTEMPT_PLACED] = "placed",
    [PODSKU_ATTEMPT_NO_CAPACITY] = "no-capacity",
    [PODSKU_ATTEMPT_DENIED] = "denied",
    [PODSKU_ATTEMPT_REJECTED] = "rejected",
    [PODSKU_ATTEMPT_THROTTLED] = "throttled",
    [PODSKU_ATTEMPT_SERVER_ERROR] = "server-error",
    [PODSKU_ATTEMPT_LOST_REPLY] = "lost-reply",
    [PODSKU_ATTEMPT_ADOPTED] = "adopted",
    [PODSKU_ATTEMPT_MISMATCH] = "mismatch",
    [PODSKU_ATTEMPT_FAILED] = "failed",
    [PODSKU_ATTEMPT_TERMINATED] = "terminated",
    [PODSKU_ATTEMPT_KEPT] = "kept",
};
_Static_assert(sizeof outcome_names / sizeof *outcome_names == PODSKU_ATTEMPT_KEPT + 1, "every outcome has a name");

static const char *const end_names[] = {
    [PODSKU_DEPLOY_VERIFIED] = "verified",       [PODSKU_DEPLOY_RUNNING] = "running",
    [PODSKU_DEPLOY_CREATED] = "created",         [PODSKU_DEPLOY_PLANNED] = "planned",
    [PODSKU_DEPLOY_NO_CAPACITY] = "no-capacity", [PODSKU_DEPLOY_DENIED] = "denied",
    [PODSKU_DEPLOY_MISMATCH] = "mismatch",       [PODSKU_DEPLOY_UNVERIFIED] = "unverified",
    [PODSKU_DEPLOY_TIMEOUT] = "timeout",         [PODSKU_DEPLOY_UNSETTLED] = "unsettled",
    [PODSKU_DEPLOY_INTERRUPTED] = "interrupted", [PODSKU_DEPLOY_FAILED] = "failed",
};
_Static_assert(sizeof end_names / sizeof *end_names == PODSKU_DEPLOY_FAILED + 1, "every end has a name");

const char *podsku_attempt_outcome_name(enum podsku_attempt_outcome outcome)
{
    return outcome_names[outcome];
}

const char *podsku_deploy_end_name(enum podsku_deploy_end end)
{
    return end_names[end];
}

void podsku_attempt_forget_left(struct podsku_attempt *attempt)
{
    for (size_t i = 0; i < attempt->left_count; i++)
        free(attempt->left[i]);
    free(attempt->left);
    attempt->left = NULL;
    attempt->left_count = 0;
}

void podsku_deploy_result_free(struct podsku_deploy_result *result)
{
    if (!result)
        return;
    free(result->launch_id);
    podsku_placed_clear(&result->placed);
    for (size_t i = 0; i < result->attempt_count; i++) {
        struct podsku_attempt *attempt = &result->attempts[i];
        free(attempt->gpu_id);
        free(attempt->cloud);
        free(attempt->pod_id);
        free(attempt->detail);
        free(attempt->request_id);
        json_decref(attempt->report);
        podsku_attempt_forget_left(attempt);
    }
    free(result->attempts);
    for (size_t i = 0; i < result->open_count; i++) {
        free(result->open[i].launch_id);
        free(result->open[i].intent);
        free(result->open[i].pod_id);
    }
    free(result->open);
    for (size_t i = 0; i < result->copy_count; i++)
        free(result->copies[i].entries);
    free(result->copies);
    *result = (struct podsku_deploy_result){0};
}

static json_t *number_or_null(int64_t number)
{
    return number ? json_integer(number) : json_null();
}

/* Steals object; NULL when it is incomplete. */
static json_t *complete(json_t *object, bool made)
{
    return podsku_json_whole(object, made);
}

static json_t *attempt_json(const struct podsku_attempt *attempt)
{
    json_t *object = json_object();

    return complete(
        object, podsku_json_set(object, "attempt", json_integer(attempt->attempt)) &&
                    podsku_json_set(object, "id", podsku_json_text(attempt->type_unknown ? NULL : attempt->gpu_id)) &&
                    podsku_json_set(object, "cloud", podsku_json_text(attempt->cloud)) &&
                    podsku_json_set(object, "gpus", number_or_null(attempt->gpus)) &&
                    podsku_json_set(object, "outcome", json_string(outcome_names[attempt->outcome])) &&
                    podsku_json_set(object, "pod", podsku_json_text(attempt->pod_id)) &&
                    podsku_json_set(object, "http", number_or_null(attempt->http_status)) &&
                    podsku_json_set(object, "detail", podsku_json_text(attempt->detail)) &&
                    podsku_json_set(object, "listed_stock", podsku_json_text(attempt->listed_stock)) &&
                    podsku_json_set(object, "request_id", podsku_json_text(attempt->request_id)));
}

json_t *podsku_deploy_attempts_json(const struct podsku_deploy_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < result->attempt_count; i++)
        if (json_array_append_new(array, attempt_json(&result->attempts[i])) != 0)
            array = complete(array, false);
    return array;
}

json_t *podsku_deploy_open_json(const struct podsku_deploy_result *result)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < result->open_count; i++) {
        const struct podsku_open_entry *open = &result->open[i];
        json_t *object = json_object();
        bool made = podsku_json_set(object, "launch_id", podsku_json_text(open->launch_id)) &&
                    podsku_json_set(object, "attempt", json_integer(open->attempt)) &&
                    podsku_json_set(object, "pod", podsku_json_text(open->pod_id));
        if (json_array_append_new(array, complete(object, made)) != 0)
            array = complete(array, false);
    }
    return array;
}

static json_t *ssh_json(const struct podsku_ssh *ssh)
{
    if (!ssh->host)
        return json_null();
    json_t *object = json_object();
    return complete(object, podsku_json_set(object, "host", podsku_json_text(ssh->host)) &&
                                podsku_json_set(object, "port", json_integer(ssh->port)) &&
                                podsku_json_set(object, "username", podsku_json_text(ssh->username)) &&
                                podsku_json_set(object, "command", podsku_json_text(ssh->command)));
}

static json_t *pod_json(const struct podsku_pod *pod, int64_t price_uusd, int64_t expires_s)
{
    json_t *object = json_object();

    return complete(object, podsku_json_set(object, "id", podsku_json_text(pod->id)) &&
                                podsku_json_set(object, "name", podsku_json_text(pod->name)) &&
                                podsku_json_set(object, "gpu", podsku_json_text(pod->gpu_id)) &&
                                podsku_json_set(object, "gpus", number_or_null(pod->gpus)) &&
                                podsku_json_set(object, "cloud", podsku_json_text(pod->cloud)) &&
                                podsku_json_set(object, "data_center", podsku_json_text(pod->data_center)) &&
                                podsku_json_set(object, "cuda", podsku_json_text(pod->cuda)) &&
                                podsku_json_set(object, "price_per_hour", podsku_json_money(price_uusd)) &&
                                podsku_json_set(object, "status", podsku_json_text(pod->status_word)) &&
                                podsku_json_set(object, "ssh", ssh_json(&pod->ssh)) &&
                                podsku_json_set(object, "expires_at", podsku_json_time(expires_s * 1000)));
}

json_t *podsku_deploy_pod_json(const struct podsku_deploy_result *result)
{
    if (!result->has_placed || !result->placed.pod.id)
        return json_null();
    return pod_json(&result->placed.pod, result->placed.price_uusd, result->placed.expires_s);
}

static json_t *members_json(const struct podsku_pods *members)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < members->count; i++) {
        const struct podsku_pod *member = &members->list[i];
        json_t *object = pod_json(member, member->cost_known ? member->cost_uusd : 0, member->marks.expires_s);
        bool made = object &&
                    podsku_json_set(object, "rank",
                                    member->cluster_rank >= 0 ? json_integer(member->cluster_rank) : json_null()) &&
                    podsku_json_set(object, "ip", podsku_json_text(member->cluster_ip));
        if (json_array_append_new(array, complete(object, made)) != 0)
            array = complete(array, false);
    }
    return array;
}

json_t *podsku_deploy_cluster_json(const struct podsku_deploy_result *result)
{
    const struct podsku_cluster *cluster = &result->placed.cluster;

    if (!result->has_placed || !cluster->id)
        return json_null();
    json_t *object = json_object();
    return complete(object,
                    podsku_json_set(object, "id", podsku_json_text(cluster->id)) &&
                        podsku_json_set(object, "name", podsku_json_text(cluster->name)) &&
                        podsku_json_set(object, "type", podsku_json_text(cluster->type)) &&
                        podsku_json_set(object, "gpu", podsku_json_text(cluster->gpu_id)) &&
                        podsku_json_set(object, "gpus", number_or_null(cluster->gpus_per_pod)) &&
                        podsku_json_set(object, "nodes", number_or_null(cluster->pod_count)) &&
                        podsku_json_set(object, "data_center", podsku_json_text(cluster->data_center)) &&
                        podsku_json_set(object, "price_per_hour", podsku_json_money(result->placed.price_uusd)) &&
                        podsku_json_set(object, "expires_at", podsku_json_time(result->placed.expires_s * 1000)) &&
                        podsku_json_set(object, "pods", members_json(&result->placed.members)));
}
