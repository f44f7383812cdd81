/*
 * The bodies of creates: REST v2's CreatePodRequest and CreateClusterRequest as of the OpenAPI document
 * of August 2026. Pure functions: a dry run shows what a deploy would send.
 */
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "client/deploy.h"
#include "client/deploy_body.h"

#define MARK_COUNT 4
static const char *const mark_names[MARK_COUNT] = {PODSKU_MARK_LAUNCH, PODSKU_MARK_ATTEMPT, PODSKU_MARK_INTENT,
                                                   PODSKU_MARK_EXPIRES};

/* What POST /v2/clusters does not take of a pod's fields, and what to say about it. */
static const struct {
    const char *field, *hint;
} not_in_clusters[] = {
    {"templateId", "give --image and the template's other settings as flags"},
    {"registry", "clusters pull public images only"},
    {"globalNetworking", "the members of a cluster share a network of their own"},
};

bool podsku_body_copy(json_t *target, const json_t *source)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)source, key, value)
    {
        if (strcmp(key, "env") == 0)
            continue; /* merged by name: podsku_body_env() */
        if (!podsku_json_set(target, key, json_deep_copy(value)))
            return false;
    }
    return true;
}

static bool add_env(json_t *env, const json_t *source)
{
    const char *key;
    json_t *value;

    json_object_foreach(json_object_get(source, "env"), key, value)
    {
        if (!podsku_json_set(env, key, json_deep_copy(value)))
            return false;
    }
    return true;
}

static bool set_number_text(json_t *env, const char *name, int64_t number)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%lld", (long long)number);
    return podsku_json_set(env, name, json_string(text));
}

bool podsku_body_env(json_t *body, const struct podsku_create_spec *spec, const struct podsku_create_marks *marks,
                     bool cluster)
{
    json_t *env = json_object();
    bool made = env != NULL;

    /* Members talk over ens1..ens8, and eth0 is the internet: NCCL would pick it by itself. */
    if (cluster)
        made = made && podsku_json_set(env, "NCCL_SOCKET_IFNAME", json_string("ens1"));
    made = made && add_env(env, spec->fields) && add_env(env, spec->extra);
    for (size_t i = 0; made && i < MARK_COUNT; i++)
        (void)json_object_del(env, mark_names[i]);
    made = made && podsku_json_set(env, PODSKU_MARK_LAUNCH, podsku_json_text(marks->launch_id)) &&
           set_number_text(env, PODSKU_MARK_ATTEMPT, marks->attempt) &&
           podsku_json_set(env, PODSKU_MARK_INTENT, podsku_json_text(marks->intent)) &&
           (marks->expires_s == 0 || set_number_text(env, PODSKU_MARK_EXPIRES, marks->expires_s));
    if (made)
        return podsku_json_set(body, "env", env);
    json_decref(env);
    return false;
}

bool podsku_body_name(json_t *body, const char *launch_id, bool must_hold_launch)
{
    const char *name = json_string_value(json_object_get(body, "name"));
    struct podsku_buf text = {0};

    if (name && (!must_hold_launch || strstr(name, launch_id)))
        return true;
    podsku_buf_printf(&text, "%s-%s", name ? name : "podsku", launch_id);
    bool set = !podsku_buf_failed(&text) && podsku_json_set(body, "name", podsku_json_text(text.data));
    podsku_buf_free(&text);
    return set;
}

bool podsku_body_data_centers(json_t *body, const struct podsku_create_spec *spec)
{
    if (spec->data_center_count == 0)
        return true;
    json_t *ids = json_array();
    for (size_t i = 0; ids && i < spec->data_center_count; i++)
        if (json_array_append_new(ids, podsku_json_text(spec->data_centers[i])) != 0) {
            json_decref(ids);
            return false;
        }
    return podsku_json_set(body, "dataCenterIds", ids);
}

static bool pod_plan(json_t *body, const struct podsku_create_spec *spec, const struct podsku_plan_entry *entry)
{
    json_t *gpu = json_object();

    if (!podsku_json_set(gpu, "id", podsku_json_text(entry->gpu_id)) ||
        !podsku_json_set(gpu, "count", json_integer(entry->gpus)) ||
        (spec->min_cuda && !podsku_json_set(gpu, "minCudaVersion", podsku_json_text(spec->min_cuda)))) {
        json_decref(gpu);
        return false;
    }
    (void)json_object_del(body, "cpu");
    (void)json_object_del(body, "dataCenterIds");
    return podsku_json_set(body, "gpu", gpu) && podsku_json_set(body, "cloud", podsku_json_text(entry->cloud)) &&
           podsku_body_data_centers(body, spec);
}

static bool cluster_plan(json_t *body, const struct podsku_create_spec *spec, const struct podsku_plan_entry *entry)
{
    json_t *compute = json_object();

    if (!podsku_json_set(compute, "gpuTypeId", podsku_json_text(entry->gpu_id)) ||
        !podsku_json_set(compute, "gpuCountPerPod", json_integer(entry->gpus)) ||
        !podsku_json_set(compute, "podCount", json_integer(entry->nodes))) {
        json_decref(compute);
        return false;
    }
    (void)json_object_del(body, "dataCenterIds");
    return podsku_json_set(body, "compute", compute) &&
           podsku_json_set(body, "type", json_string(spec->cluster_type ? spec->cluster_type : "TRAINING")) &&
           podsku_body_data_centers(body, spec);
}

/* False with err set when a field was asked for that clusters do not have; unset switches are dropped. */
static bool fit_for_cluster(json_t *body, struct podsku_error *err)
{
    for (size_t i = 0; i < sizeof not_in_clusters / sizeof *not_in_clusters; i++) {
        const json_t *value = json_object_get(body, not_in_clusters[i].field);
        if (value && !json_is_null(value) && !json_is_false(value)) {
            podsku_error_hint(err, "%s", not_in_clusters[i].hint);
            (void)podsku_error_set(err, PODSKU_REQUEST, "a cluster cannot be created with \"%s\"",
                                   not_in_clusters[i].field);
            return false;
        }
        (void)json_object_del(body, not_in_clusters[i].field);
    }
    return true;
}

enum podsku_code podsku_create_body(const struct podsku_create_spec *spec, const struct podsku_plan_entry *entries,
                                    size_t entry_count, const struct podsku_create_marks *marks, json_t **body,
                                    struct podsku_error *err)
{
    bool cluster = entries[0].nodes > 1;
    bool made;
    json_t *value = json_object();

    *body = NULL;
    if (spec->api == PODSKU_API_V1) {
        if (cluster) {
            json_decref(value);
            return podsku_error_set(err, PODSKU_REQUEST, "REST v1 has no clusters (--nodes needs --api v2)");
        }
        made = value && podsku_v1_body(value, spec, entries, entry_count, marks, err);
    } else {
        made = value && podsku_body_copy(value, spec->fields) && podsku_body_copy(value, spec->extra) &&
               podsku_body_env(value, spec, marks, cluster) && podsku_body_name(value, marks->launch_id, cluster) &&
               (!cluster || fit_for_cluster(value, err)) &&
               (cluster ? cluster_plan(value, spec, entries) : pod_plan(value, spec, entries));
    }
    if (!made) {
        json_decref(value);
        return err->code != PODSKU_OK ? err->code : podsku_error_no_memory(err);
    }
    *body = value;
    return PODSKU_OK;
}

json_t *podsku_create_body_masked(const json_t *body)
{
    json_t *copy = json_deep_copy(body);
    json_t *env = json_object_get(copy, "env");
    const char *key;
    json_t *value;
    void *next;

    json_object_foreach_safe(env, next, key, value)
    {
        bool ours = false;
        for (size_t i = 0; i < MARK_COUNT; i++)
            ours = ours || strcmp(key, mark_names[i]) == 0;
        if (!ours && !podsku_json_set(env, key, json_string("***"))) {
            json_decref(copy);
            return NULL;
        }
    }
    return copy;
}

const char *podsku_create_path(const struct podsku_plan_entry *entry)
{
    return entry->nodes > 1 ? "/clusters" : "/pods";
}

size_t podsku_create_run(enum podsku_api api, const struct podsku_plan_entry *entries, size_t count)
{
    size_t run = count > 0;

    while (api == PODSKU_API_V1 && run < count && entries[run].gpus == entries[0].gpus &&
           strcmp(entries[run].cloud, entries[0].cloud) == 0)
        run++;
    return run;
}

enum podsku_code podsku_launch_id_new(char *text, size_t size, struct podsku_error *err)
{
    return podsku_random_hex(8, text, size, err);
}

enum podsku_code podsku_launch_id_check(const char *launch_id, struct podsku_error *err)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t len = strlen(launch_id);

    if (len >= 1 && len <= 64 && strspn(launch_id, allowed) == len)
        return PODSKU_OK;
    podsku_error_hint(err, "for example --launch-id ci-1234.1");
    return podsku_error_set(err, PODSKU_USAGE,
                            "a launch id has 1 to 64 characters of A-Z a-z 0-9 . _ - (it goes into names and env)");
}
