#include "tests/cli/fake_cloud.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"

#define NO_CAPACITY                                                                                                    \
    "{\"detail\":\"There are no longer any instances available with the requested specifications. Please refresh and " \
    "try again.\",\"status\":400,\"title\":\"Bad Request\"}"
#define PLACE "US-TX-3"

static const struct cloud_type default_types[] = {
    {.id = CLOUD_A100, .name = "A100 SXM", .price = 1.59, .stock = "HIGH", .memory = 80},
    {.id = CLOUD_H100, .name = "H100 SXM", .price = 3.29, .stock = "HIGH", .memory = 80},
    {.id = CLOUD_H200, .name = "H200 SXM", .price = 4.59, .stock = "HIGH", .memory = 141},
    {.id = CLOUD_B200, .name = "B200", .price = 6.79, .stock = "HIGH", .memory = 180},
    {.id = CLOUD_A5000, .name = "RTX A5000", .price = 0.27, .stock = "HIGH", .memory = 24},
};

static int64_t now_ms(void)
{
    return podsku_clock_wall_ms(podsku_clock_system());
}

struct reply {
    int status;
    json_t *value;    /* NULL: text */
    const char *text; /* NULL: no body */
    const char *type; /* Content-Type; NULL: JSON */
    char *owned;      /* instead of text, freed after it was sent */
    const char *headers;
    bool stream, stall;
};

static void problem(struct reply *reply, int status, const char *detail)
{
    reply->status = status;
    reply->value = json_pack("{s:s,s:s,s:i}", "detail", detail, "title", "Problem", "status", status);
}

/* ------------------------------------------------------------------ views */

static json_t *type_view(const struct cloud_type *type)
{
    json_t *view =
        json_pack("{s:s,s:s,s:s,s:i,s:b,s:b,s:{s:f,s:f},s:{s:i,s:i},s:s}", "id", type->id, "name", type->name,
                  "manufacturer", "NVIDIA", "memory", type->memory, "secure", 1, "community", 0, "price", "secure",
                  type->price, "community", 0.0, "maxCount", "secure", 8, "community", 0, "availability", type->stock);
    if (strcmp(type->stock, "NONE") != 0)
        (void)json_object_set_new(view, "dataCenters",
                                  json_pack("[{s:s,s:s}]", "id", PLACE, "availability", type->stock));
    return view;
}

static json_t *catalog_view(const struct cloud *cloud)
{
    json_t *list = json_array();

    for (int i = 0; i < cloud->type_count; i++)
        (void)json_array_append_new(list, type_view(&cloud->types[i]));
    return json_pack("{s:o}", "gpus", list);
}

static const char *status_of(const struct cloud_pod *pod)
{
    if (pod->status)
        return pod->status;
    if (now_ms() < pod->created_ms + pod->type->starts_ms)
        return "PROVISIONING";
    return pod->type->ends_as ? pod->type->ends_as : "RUNNING";
}

static json_t *pod_view(const struct cloud_pod *pod)
{
    char time[PODSKU_TIME_TEXT_SIZE];
    const char *status = status_of(pod);
    bool runs = strcmp(status, "RUNNING") == 0;
    double rate = (pod->type->billed > 0 ? pod->type->billed : pod->type->price) * pod->gpus;
    json_t *direct = json_null();
    json_t *view;

    if (runs && pod->ssh && pod->type->ssh_port)
        direct = json_pack("{s:s,s:i,s:s,s:s}", "host", "127.0.0.1", "port", pod->type->ssh_port, "username",
                           getenv("PODSKU_TEST_USER") ? getenv("PODSKU_TEST_USER") : "root", "command", "ssh ...");
    view = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:f,s:O,s:s,s:{s:s,s:i},s:{s:n,s:o}}", "id", pod->id, "name", pod->name,
                     "status", status, "cloud", pod->cloud, "dataCenterId", PLACE, "cudaVersion", "12.8", "cost",
                     strcmp(status, "EXITED") == 0 ? 0.0 : rate, "env", pod->env, "createdAt",
                     podsku_time_text(pod->created_ms, time), "gpu", "id", pod->type->id, "count", pod->gpus, "ssh",
                     "proxy", "direct", direct);
    if (pod->volume_gb)
        (void)json_object_set_new(
            view, "mounts", json_pack("{s:{s:i,s:s}}", "persistent", "size", pod->volume_gb, "path", "/workspace"));
    if (pod->cluster_id[0])
        (void)json_object_set_new(view, "cluster",
                                  json_pack("{s:s,s:i,s:s}", "id", pod->cluster_id, "rank", pod->rank, "ip",
                                            pod->rank ? "10.65.0.3" : "10.65.0.2"));
    return view;
}

static json_t *pods_view(const struct cloud *cloud, bool cluster_pods, const char *cluster_id)
{
    json_t *list = json_array();

    for (int i = 0; i < cloud->pod_count; i++) {
        const struct cloud_pod *pod = &cloud->pods[i];
        if (pod->deleted || (pod->cluster_id[0] && !cluster_pods) ||
            (cluster_id && strcmp(pod->cluster_id, cluster_id) != 0))
            continue;
        (void)json_array_append_new(list, pod_view(pod));
    }
    return json_pack("{s:o}", "pods", list);
}

static json_t *cluster_view(const struct cloud *cloud, const char *id)
{
    const struct cloud_pod *first = NULL;
    int count = 0;

    for (int i = 0; i < cloud->pod_count; i++) {
        if (cloud->pods[i].deleted || strcmp(cloud->pods[i].cluster_id, id) != 0)
            continue;
        first = first ? first : &cloud->pods[i];
        count++;
    }
    if (!first)
        return NULL;
    return json_pack("{s:s,s:s,s:s,s:{s:s,s:i,s:i},s:s,s:{s:i,s:{}},s:s}", "id", id, "name", first->name, "type",
                     "TRAINING", "compute", "gpuTypeId", first->type->id, "gpuCountPerPod", first->gpus, "podCount",
                     count, "dataCenterId", PLACE, "pods", "total", count, "byStatus", "createdAt",
                     "2026-12-01T00:00:00Z");
}

/* ------------------------------------------------------------------ acts */

struct cloud_type *cloud_type(struct cloud *cloud, const char *id)
{
    for (int i = 0; i < cloud->type_count; i++) {
        if (strcmp(cloud->types[i].id, id) == 0)
            return &cloud->types[i];
    }
    return NULL;
}

static struct cloud_pod *add_pod(struct cloud *cloud, const struct cloud_type *type, int gpus, const char *name)
{
    struct cloud_pod *pod;

    if (cloud->pod_count == (int)(sizeof cloud->pods / sizeof *cloud->pods))
        abort(); /* a program that creates this many has run wild */
    pod = &cloud->pods[cloud->pod_count++];
    memset(pod, 0, sizeof *pod);
    (void)snprintf(pod->id, sizeof pod->id, "pod%04d", ++cloud->next_id);
    (void)snprintf(pod->name, sizeof pod->name, "%s", name);
    (void)snprintf(pod->cloud, sizeof pod->cloud, "SECURE");
    pod->type = type;
    pod->gpus = gpus;
    pod->created_ms = now_ms();
    return pod;
}

/* True when the create of this type is refused, with the reply. */
static bool refused(struct cloud *cloud, struct cloud_type *type, struct reply *reply)
{
    if (cloud->no_balance) {
        problem(reply, 402, "Your account balance is too low to rent a pod");
        return true;
    }
    if (!type) {
        problem(reply, 400, "Unknown GPU type");
        return true;
    }
    if (type->refusals == 0)
        return false;
    if (type->refusals > 0)
        type->refusals--;
    if (type->refusal_status) {
        problem(reply, type->refusal_status, "refused by the test");
        return true;
    }
    reply->status = 400;
    reply->text = NO_CAPACITY;
    return true;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static struct cloud_pod *make_pod(struct cloud *cloud, const json_t *body, struct cloud_type *type, int gpus)
{
    const struct cloud_type *placed = type->delivers ? cloud_type(cloud, type->delivers) : type;
    struct cloud_pod *pod = add_pod(cloud, placed, gpus, text_of(body, "name"));
    json_t *env = json_object_get(body, "env");
    const json_t *persistent = json_object_get(json_object_get(body, "mounts"), "persistent");

    pod->env = env ? json_deep_copy(env) : json_object();
    pod->ssh = json_is_true(json_object_get(body, "startSsh"));
    pod->volume_gb = (int)json_integer_value(json_object_get(persistent, "size"));
    (void)snprintf(pod->image, sizeof pod->image, "%s", text_of(body, "image"));
    return pod;
}

static void create_pod(struct cloud *cloud, const json_t *body, struct reply *reply)
{
    const json_t *gpu = json_object_get(body, "gpu");
    struct cloud_type *type = cloud_type(cloud, text_of(gpu, "id"));
    struct cloud_pod *pod;

    if (refused(cloud, type, reply))
        return;
    pod = make_pod(cloud, body, type, (int)json_integer_value(json_object_get(gpu, "count")));
    if (type->lost > 0) {
        type->lost--;
        problem(reply, 502, "bad gateway");
        return;
    }
    reply->status = 201;
    reply->value = pod_view(pod);
}

static void create_cluster(struct cloud *cloud, const json_t *body, struct reply *reply)
{
    const json_t *compute = json_object_get(body, "compute");
    struct cloud_type *type = cloud_type(cloud, text_of(compute, "gpuTypeId"));
    int count = (int)json_integer_value(json_object_get(compute, "podCount"));
    char id[24];

    if (refused(cloud, type, reply))
        return;
    (void)snprintf(id, sizeof id, "cluster%03d", ++cloud->next_id);
    for (int rank = 0; rank < count; rank++) {
        struct cloud_pod *pod =
            make_pod(cloud, body, type, (int)json_integer_value(json_object_get(compute, "gpuCountPerPod")));
        (void)snprintf(pod->cluster_id, sizeof pod->cluster_id, "%s", id);
        pod->rank = rank;
    }
    reply->status = 201;
    reply->value = cluster_view(cloud, id);
}

static void create(struct cloud *cloud, const struct https_request *request, bool cluster, struct reply *reply)
{
    json_t *body = json_loads(request->body, 0, NULL);

    cloud->creates++;
    (void)snprintf(cloud->last_body, sizeof cloud->last_body, "%s", request->body);
    if (cluster)
        create_cluster(cloud, body, reply);
    else
        create_pod(cloud, body, reply);
    json_decref(body);
}

static void give_log(const struct cloud *cloud, const struct cloud_pod *pod, struct reply *reply)
{
    struct podsku_buf text = {0};
    const char *line = pod->type->log;

    if (cloud->log_status) {
        problem(reply, cloud->log_status > 0 ? cloud->log_status : 200, "the log is out of order");
        reply->stall = cloud->log_status < 0;
        return;
    }
    for (int n = 1; line && *line; n++) {
        size_t len = strcspn(line, "\n");
        json_t *data = json_pack("{s:s,s:s%,s:s}", "source", "container", "line", line, len, "ts", "t");
        char *dump = json_dumps(data, 0);
        podsku_buf_printf(&text, "id: t%d\ndata: %s\n\n", n, dump);
        free(dump);
        json_decref(data);
        line += len + (line[len] == '\n');
    }
    reply->status = 200;
    reply->type = "text/event-stream";
    reply->owned = podsku_buf_take(&text);
    reply->stream = true;
}

static void act_on_pod(struct cloud *cloud, const struct https_request *request, struct cloud_pod *pod,
                       const char *tail, struct reply *reply)
{
    json_t *body;
    const char *action;

    if (strcmp(tail, "logs") == 0) {
        give_log(cloud, pod, reply);
        return;
    }
    if (strcmp(request->method, "GET") == 0) {
        reply->status = 200;
        reply->value = pod_view(pod);
        return;
    }
    cloud->acts++;
    if (pod->cluster_id[0]) {
        problem(reply, 409, "cluster members are managed through their cluster");
        return;
    }
    if (strcmp(request->method, "DELETE") == 0) {
        pod->deleted = !cloud->deaf;
        reply->status = 204;
        return;
    }
    body = json_loads(request->body, 0, NULL);
    action = text_of(body, "action");
    if (!cloud->deaf)
        pod->status = strcmp(action, "stop") == 0 ? "EXITED" : "RUNNING";
    reply->status = 200;
    reply->value = pod_view(pod);
    json_decref(body);
}

static void on_pods(struct cloud *cloud, const struct https_request *request, const char *rest, struct reply *reply)
{
    char id[64];
    const char *slash;

    if (*rest == '\0' || *rest == '?') {
        if (strcmp(request->method, "POST") == 0) {
            create(cloud, request, false, reply);
            return;
        }
        cloud->lists++;
        if (cloud->lists_end_at && cloud->creates >= cloud->lists_end_at) {
            problem(reply, 500, "no list");
            return;
        }
        reply->status = 200;
        reply->value = pods_view(cloud, strstr(rest, "includeClusterPods=true") != NULL, NULL);
        return;
    }
    (void)snprintf(id, sizeof id, "%.*s", (int)strcspn(rest + 1, "/?"), rest + 1);
    slash = strchr(rest + 1, '/');
    for (int i = 0; i < cloud->pod_count; i++) {
        if (strcmp(cloud->pods[i].id, id) == 0 && !cloud->pods[i].deleted) {
            char tail[16] = "";
            if (slash)
                (void)snprintf(tail, sizeof tail, "%.*s", (int)strcspn(slash + 1, "?"), slash + 1);
            act_on_pod(cloud, request, &cloud->pods[i], tail, reply);
            return;
        }
    }
    problem(reply, 404, "pod not found");
}

static void on_clusters(struct cloud *cloud, const struct https_request *request, const char *rest, struct reply *reply)
{
    char id[64];
    json_t *view;

    if (*rest == '\0' || *rest == '?') {
        if (strcmp(request->method, "POST") == 0) {
            create(cloud, request, true, reply);
            return;
        }
        json_t *list = json_array();
        for (int i = 0; i < cloud->pod_count; i++) {
            if (cloud->pods[i].cluster_id[0] && cloud->pods[i].rank == 0 && !cloud->pods[i].deleted)
                (void)json_array_append_new(list, cluster_view(cloud, cloud->pods[i].cluster_id));
        }
        reply->status = 200;
        reply->value = json_pack("{s:o}", "clusters", list);
        return;
    }
    (void)snprintf(id, sizeof id, "%.*s", (int)strcspn(rest + 1, "/?"), rest + 1);
    view = cluster_view(cloud, id);
    if (!view) {
        problem(reply, 404, "cluster not found");
        return;
    }
    reply->status = 200;
    if (strstr(rest, "/pods")) {
        json_decref(view);
        reply->value = pods_view(cloud, true, id);
    } else if (strcmp(request->method, "DELETE") == 0) {
        json_decref(view);
        cloud->acts++;
        for (int i = 0; i < cloud->pod_count && !cloud->deaf; i++)
            cloud->pods[i].deleted = cloud->pods[i].deleted || strcmp(cloud->pods[i].cluster_id, id) == 0;
        reply->status = 204;
    } else {
        reply->value = view;
    }
}

static void answer(struct cloud *cloud, const struct https_request *request, struct reply *reply)
{
    const char *path = request->path;

    if (strncmp(path, "/v2/pods", 8) == 0) {
        on_pods(cloud, request, path + 8, reply);
    } else if (strncmp(path, "/v2/clusters", 12) == 0) {
        on_clusters(cloud, request, path + 12, reply);
    } else if (strncmp(path, "/v2/catalog/gpus", 16) == 0) {
        cloud->catalog_reads++;
        if (cloud->catalog_failures > 0) {
            cloud->catalog_failures--;
            problem(reply, 503, "try later");
            return;
        }
        reply->status = 200;
        reply->headers = cloud->catalog_headers;
        reply->value = catalog_view(cloud);
    } else if (strncmp(path, "/v2/catalog/datacenters", 23) == 0) {
        reply->status = 200;
        reply->value = json_pack("{s:[{s:s,s:s,s:s,s:[s]}]}", "dataCenters", "id", PLACE, "name", "Texas", "region",
                                 "NORTH_AMERICA", "compliance", "GDPR");
    } else if (strcmp(path, "/v2/account/ssh-keys") == 0) {
        cloud->key_reads++;
        reply->status = 200;
        reply->value = json_pack("{s:[]}", "keys");
        for (int i = 0; i < cloud->keys; i++)
            (void)json_array_append_new(json_object_get(reply->value, "keys"), json_string("ssh-ed25519 AAAA test"));
    } else if (strcmp(path, "/v2/network-volumes/vol1") == 0) {
        reply->status = 200;
        reply->value = json_pack("{s:s,s:s,s:i,s:s,s:s}", "id", "vol1", "name", "data", "size", 50, "dataCenter", PLACE,
                                 "type", "STANDARD");
    } else {
        problem(reply, 404, "resource not found");
    }
}

static void handle(void *ctx, const struct https_request *request, struct https_answer *out, char **owned)
{
    struct cloud *cloud = ctx;
    struct reply reply = {.status = 500};
    char key[128];

    (void)pthread_mutex_lock(&cloud->lock);
    if (!https_request_header(request, "Authorization", key, sizeof key) ||
        strcmp(key, "Bearer rpa_SECRETSECRETSECRET42") != 0)
        problem(&reply, 401, "invalid api key");
    else
        answer(cloud, request, &reply);
    (void)pthread_mutex_unlock(&cloud->lock);
    *owned = reply.owned ? reply.owned : reply.value ? json_dumps(reply.value, JSON_REAL_PRECISION(12)) : NULL;
    json_decref(reply.value);
    out->status = reply.status;
    out->body = *owned ? *owned : reply.text;
    out->type = reply.type;
    out->headers = reply.headers;
    if (reply.stream)
        out->fault = HTTPS_STREAM;
    if (reply.stall)
        out->fault = HTTPS_STALL;
}

bool cloud_start(struct cloud *cloud)
{
    const struct https_options plain = {.plain = true};

    memset(cloud, 0, sizeof *cloud);
    memcpy(cloud->types, default_types, sizeof default_types);
    cloud->type_count = (int)(sizeof default_types / sizeof *default_types);
    cloud->keys = 1;
    if (pthread_mutex_init(&cloud->lock, NULL) != 0)
        return false;
    cloud->server = https_server_start(&plain);
    if (!cloud->server)
        return false;
    https_server_handler(cloud->server, handle, cloud);
    return true;
}

void cloud_stop(struct cloud *cloud)
{
    https_server_stop(cloud->server);
    for (int i = 0; i < cloud->pod_count; i++)
        json_decref(cloud->pods[i].env);
    (void)pthread_mutex_destroy(&cloud->lock);
}

const char *cloud_url(struct cloud *cloud, char *text, size_t size)
{
    return https_server_url(cloud->server, "/v2", text, size);
}

int cloud_alive(struct cloud *cloud, bool ours)
{
    int count = 0;

    (void)pthread_mutex_lock(&cloud->lock);
    for (int i = 0; i < cloud->pod_count; i++) {
        const struct cloud_pod *pod = &cloud->pods[i];
        bool marked = json_object_get(pod->env, "PODSKU_LAUNCH_ID") != NULL;
        count += !pod->deleted && (marked || !ours) ? 1 : 0;
    }
    (void)pthread_mutex_unlock(&cloud->lock);
    return count;
}

void cloud_expire(struct cloud *cloud)
{
    (void)pthread_mutex_lock(&cloud->lock);
    for (int i = 0; i < cloud->pod_count; i++) {
        if (json_object_get(cloud->pods[i].env, "PODSKU_EXPIRES"))
            (void)json_object_set_new(cloud->pods[i].env, "PODSKU_EXPIRES", json_string("1700000000"));
    }
    (void)pthread_mutex_unlock(&cloud->lock);
}

const char *cloud_add_foreign(struct cloud *cloud, const char *gpu_id)
{
    struct cloud_pod *pod;

    (void)pthread_mutex_lock(&cloud->lock);
    pod = add_pod(cloud, cloud_type(cloud, gpu_id), 1, "somebody else's");
    pod->env = json_object();
    (void)pthread_mutex_unlock(&cloud->lock);
    return pod->id;
}
