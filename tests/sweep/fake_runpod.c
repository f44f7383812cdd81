#include "tests/sweep/fake_runpod.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t virtual_wall(void *ctx)
{
    return podsku_clock_wall_ms(podsku_clock_system()) + atomic_load(&((struct fake_time *)ctx)->slept_ms);
}

static int64_t virtual_mono(void *ctx)
{
    return podsku_clock_mono_ms(podsku_clock_system()) + atomic_load(&((struct fake_time *)ctx)->slept_ms);
}

static void virtual_sleep(void *ctx, int64_t ms)
{
    (void)atomic_fetch_add(&((struct fake_time *)ctx)->slept_ms, ms);
}

struct podsku_clock fake_clock(struct fake_time *time)
{
    return (struct podsku_clock){virtual_wall, virtual_mono, virtual_sleep, time};
}

int64_t fake_now(struct fake_time *time)
{
    return virtual_mono(time);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static void set(char *to, size_t size, const char *text)
{
    (void)snprintf(to, size, "%s", text);
}

/* ------------------------------------------------------------------ views */

static const char *status_of(const struct fake *fake, const struct fake_pod *pod)
{
    int64_t now = fake_now(fake->time);

    if (pod->deleted_ms)
        return pod->lingers_as ? pod->lingers_as : "TERMINATED";
    if (now < pod->running_ms)
        return "PROVISIONING";
    return pod->ends_as ? pod->ends_as : "RUNNING";
}

static json_t *text_or_null(const char *text)
{
    return text[0] ? json_string(text) : json_null();
}

static json_t *ssh_view(const struct fake *fake, const struct fake_pod *pod)
{
    if (!pod->ssh_ms || fake_now(fake->time) < pod->ssh_ms)
        return json_null();
    return json_pack("{s:s,s:i,s:s,s:s}", "host", "203.0.113.7", "port", 41022, "username", "root", "command",
                     "ssh -p 41022 root@203.0.113.7");
}

static json_t *view_v2(const struct fake *fake, const struct fake_pod *pod)
{
    char created[PODSKU_TIME_TEXT_SIZE];
    json_t *view =
        json_pack("{s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:O,s:s,s:{s:n,s:o}}", "id", pod->id, "name", pod->name, "status",
                  status_of(fake, pod), "cloud", text_or_null(pod->cloud), "dataCenterId",
                  text_or_null(pod->data_center), "cudaVersion", text_or_null(pod->cuda), "cost",
                  pod->cost > 0 ? json_real(pod->cost) : json_null(), "env", pod->env, "createdAt",
                  podsku_time_text(pod->created_wall_ms, created), "ssh", "proxy", "direct", ssh_view(fake, pod));

    if (pod->gpu_id[0])
        (void)json_object_set_new(view, "gpu", json_pack("{s:s,s:i}", "id", pod->gpu_id, "count", pod->gpus));
    if (pod->cluster_id[0])
        (void)json_object_set_new(
            view, "cluster", json_pack("{s:s,s:i,s:s}", "id", pod->cluster_id, "rank", pod->rank, "ip", "10.65.0.2"));
    return view;
}

/* v1 says what was asked for, and the machine only with includeMachine. */
static json_t *view_v1(const struct fake *fake, const struct fake_pod *pod, bool machine)
{
    char cost[32];
    json_t *view;

    (void)snprintf(cost, sizeof cost, "%.2f", pod->cost);
    view = json_pack("{s:s,s:s,s:O,s:s,s:s,s:f,s:{}}", "id", pod->id, "name", pod->name, "env", pod->env,
                     "desiredStatus", strcmp(status_of(fake, pod), "TERMINATED") == 0 ? "TERMINATED" : "RUNNING",
                     "costPerHr", cost, "adjustedCostPerHr", pod->cost, "machine");
    if (machine) {
        (void)json_object_set_new(view, "gpu", json_pack("{s:s,s:i}", "id", pod->gpu_id, "count", pod->gpus));
        (void)json_object_set_new(view, "machine",
                                  json_pack("{s:s,s:s,s:b}", "gpuTypeId", pod->gpu_id, "dataCenterId", pod->data_center,
                                            "secureCloud", strcmp(pod->cloud, "SECURE") == 0));
    }
    return view;
}

static bool is_hidden(const struct fake *fake, const struct fake_pod *pod)
{
    return fake_now(fake->time) < pod->visible_ms;
}

static bool is_listed(const struct fake *fake, const struct fake_pod *pod)
{
    if (is_hidden(fake, pod))
        return false;
    return !pod->deleted_ms || fake_now(fake->time) < pod->lingers_ms;
}

static json_t *list_view(const struct fake *fake, bool v1, bool cluster_pods, const char *cluster_id, int times)
{
    json_t *list = json_array();

    for (int n = 0; n < times; n++)
        for (size_t i = 0; i < fake->pod_count; i++) {
            const struct fake_pod *pod = &fake->pods[i];
            if (!is_listed(fake, pod) || fake_now(fake->time) < pod->unlisted_until_ms ||
                (pod->cluster_id[0] && !cluster_pods) || (pod->only_in_cluster && !cluster_id) ||
                (cluster_id && strcmp(cluster_id, pod->cluster_id) != 0))
                continue;
            (void)json_array_append_new(list, v1 ? view_v1(fake, pod, true) : view_v2(fake, pod));
        }
    return v1 ? list : json_pack("{s:o}", "pods", list);
}

/* ------------------------------------------------------------------ acts */

static struct fake_pod *add_pod(struct fake *fake, const char *gpu_id, int gpus, const char *cloud)
{
    if (fake->pod_count == sizeof fake->pods / sizeof *fake->pods)
        abort(); /* a deploy that creates this many pods has run wild */
    struct fake_pod *pod = &fake->pods[fake->pod_count++];

    *pod = (struct fake_pod){.gpus = gpus, .cost = fake->price * gpus, .rank = -1};
    (void)snprintf(pod->id, sizeof pod->id, "pod%04d", ++fake->next_id);
    set(pod->gpu_id, sizeof pod->gpu_id, gpu_id);
    set(pod->cloud, sizeof pod->cloud, cloud);
    set(pod->data_center, sizeof pod->data_center, "US-TX-3");
    set(pod->cuda, sizeof pod->cuda, "12.8");
    pod->created_wall_ms = virtual_wall(fake->time);
    pod->running_ms = fake_now(fake->time) + fake->starts_ms;
    pod->ssh_ms = pod->running_ms + 1000;
    return pod;
}

struct fake_pod *fake_add(struct fake *fake, const char *gpu_id, int gpus, const char *launch, const char *intent)
{
    (void)pthread_mutex_lock(&fake->lock);
    struct fake_pod *pod = add_pod(fake, gpu_id, gpus, "SECURE");
    pod->foreign = launch == NULL;
    pod->env = launch ? json_pack("{s:s,s:s,s:s}", "PODSKU_LAUNCH_ID", launch, "PODSKU_ATTEMPT", "1", "PODSKU_INTENT",
                                  intent ? intent : "none")
                      : json_pack("{s:s}", "OTHER", "1");
    (void)snprintf(pod->name, sizeof pod->name, "%s%s", launch ? "podsku-" : "other", launch ? launch : "");
    (void)pthread_mutex_unlock(&fake->lock);
    return pod;
}

static int note_create(struct fake *fake, const json_t *body, const char *gpu_id)
{
    const json_t *env = json_object_get(body, "env");
    struct fake_create *create = NULL;

    for (size_t i = 0; i < fake->create_count; i++)
        if (strcmp(fake->creates[i].intent, text_of(env, "PODSKU_INTENT")) == 0)
            create = &fake->creates[i];
    if (!create) {
        if (fake->create_count == sizeof fake->creates / sizeof *fake->creates)
            abort();
        create = &fake->creates[fake->create_count++];
        *create = (struct fake_create){0};
        set(create->intent, sizeof create->intent, text_of(env, "PODSKU_INTENT"));
        set(create->launch, sizeof create->launch, text_of(env, "PODSKU_LAUNCH_ID"));
        set(create->gpu_id, sizeof create->gpu_id, gpu_id);
    }
    create->count++;
    return (int)(create - fake->creates);
}

static struct fake_pod *make_pod(struct fake *fake, const json_t *body, const char *gpu_id, int gpus, const char *cloud,
                                 const struct fake_fault *fault)
{
    struct fake_pod *pod = add_pod(fake, gpu_id, gpus, cloud);
    json_t *env = json_object_get(body, "env");

    pod->env = env ? json_deep_copy(env) : json_object();
    pod->visible_ms = fault ? fake_now(fake->time) + fault->hide_ms : 0;
    set(pod->name, sizeof pod->name, text_of(body, "name"));
    if (fake->shape)
        fake->shape(fake->ctx, pod);
    return pod;
}

static bool refuse(const struct fake *fake, const char *gpu_id, int *status, char **text)
{
    for (size_t i = 0; i < fake->refused_count; i++)
        if (strcmp(fake->refused[i].gpu_id, gpu_id) == 0) {
            *status = fake->refused[i].status;
            *text = strdup(fake->refused[i].body ? fake->refused[i].body : "{}");
            return true;
        }
    return false;
}

static char *dump(json_t *value)
{
    char *text = json_dumps(value, JSON_REAL_PRECISION(12));

    json_decref(value);
    return text;
}

static void create_pod(struct fake *fake, const json_t *body, const struct fake_fault *fault, int *status, char **text)
{
    const json_t *gpu = json_object_get(body, "gpu");
    const char *cloud = text_of(body, "cloud");
    struct fake_pod *pod = NULL;

    if (refuse(fake, text_of(gpu, "id"), status, text))
        return;
    for (int i = 0; i <= (fault ? fault->twice : 0); i++)
        pod = make_pod(fake, body, text_of(gpu, "id"), (int)json_integer_value(json_object_get(gpu, "count")),
                       cloud[0] ? cloud : "SECURE", fault);
    *status = 201;
    *text = dump(view_v2(fake, pod));
}

static void create_v1(struct fake *fake, const json_t *body, const struct fake_fault *fault, int *status, char **text)
{
    const json_t *ids = json_object_get(body, "gpuTypeIds");
    int last = 500;
    char *why = NULL;

    for (size_t i = 0; i < json_array_size(ids); i++) {
        const char *id = json_string_value(json_array_get(ids, i));
        if (refuse(fake, id, &last, &why)) {
            free(*text);
            *text = why;
            continue;
        }
        struct fake_pod *pod = make_pod(fake, body, id, (int)json_integer_value(json_object_get(body, "gpuCount")),
                                        text_of(body, "cloudType"), fault);
        pod->v1 = true;
        *status = 201;
        free(*text);
        *text = dump(view_v1(fake, pod, false));
        return;
    }
    *status = last;
}

static json_t *cluster_view(const struct fake *fake, const char *id)
{
    const struct fake_pod *first = NULL;
    int count = 0;
    bool alive = false;

    for (size_t i = 0; i < fake->pod_count; i++)
        if (strcmp(fake->pods[i].cluster_id, id) == 0) {
            first = first ? first : &fake->pods[i];
            count++;
            alive = alive || (!fake->pods[i].deleted_ms && !fake->pods[i].orphaned);
        }
    if (!first || !alive)
        return NULL;
    return json_pack("{s:s,s:s,s:s,s:{s:s,s:i,s:i},s:s,s:{s:i,s:{}},s:s}", "id", id, "name", first->name, "type",
                     "TRAINING", "compute", "gpuTypeId", first->gpu_id, "gpuCountPerPod", first->gpus, "podCount",
                     count, "dataCenterId", first->data_center, "pods", "total", count, "byStatus", "createdAt",
                     "2026-12-01T00:00:00Z");
}

static void create_cluster(struct fake *fake, const json_t *body, const struct fake_fault *fault, int *status,
                           char **text)
{
    const json_t *compute = json_object_get(body, "compute");
    char id[32];

    if (refuse(fake, text_of(compute, "gpuTypeId"), status, text))
        return;
    (void)snprintf(id, sizeof id, "cluster%03d", ++fake->next_id);
    for (int rank = 0; rank < json_integer_value(json_object_get(compute, "podCount")); rank++) {
        struct fake_pod *pod =
            make_pod(fake, body, text_of(compute, "gpuTypeId"),
                     (int)json_integer_value(json_object_get(compute, "gpuCountPerPod")), "SECURE", fault);
        set(pod->cluster_id, sizeof pod->cluster_id, id);
        pod->rank = rank;
    }
    *status = 201;
    *text = dump(cluster_view(fake, id));
}

static void delete_pod(struct fake *fake, struct fake_pod *pod, const struct fake_fault *fault)
{
    pod->deleted_ms = fake_now(fake->time);
    pod->lingers_ms = pod->deleted_ms + (fault ? fault->hide_ms : 0);
    pod->lingers_as = fault && fault->lingers_as ? fault->lingers_as : "TERMINATED";
}

static struct fake_pod *find(struct fake *fake, const char *id)
{
    for (size_t i = 0; i < fake->pod_count; i++)
        if (strcmp(fake->pods[i].id, id) == 0)
            return &fake->pods[i];
    return NULL;
}

static void not_found(int *status, char **text)
{
    *status = 404;
    *text = strdup("{\"title\":\"Not Found\",\"status\":404,\"detail\":\"not found\"}");
}

/* One pod by its id; a deleted one that lingers as alive still answers, as a lagging replica would. */
static void act_on_pod(struct fake *fake, const char *method, const char *id, bool v1, const struct fake_fault *fault,
                       int *status, char **text)
{
    struct fake_pod *pod = find(fake, id);
    bool lingers = pod && pod->deleted_ms && fake_now(fake->time) < pod->lingers_ms;

    if (!pod || is_hidden(fake, pod) || (pod->deleted_ms && !(lingers && strcmp(method, "GET") == 0))) {
        not_found(status, text);
    } else if (strcmp(method, "GET") == 0) {
        *status = 200;
        *text = dump(v1 ? view_v1(fake, pod, true) : view_v2(fake, pod));
    } else if (pod->cluster_id[0] && !pod->orphaned) {
        *status = 409;
        *text = strdup("{\"detail\":\"managed by its cluster\"}");
    } else {
        delete_pod(fake, pod, fault);
        *status = 204;
    }
}

static void act_on_cluster(struct fake *fake, const char *method, const char *id, const struct fake_fault *fault,
                           int *status, char **text)
{
    json_t *view = cluster_view(fake, id);
    bool hidden = false;

    for (size_t i = 0; i < fake->pod_count; i++)
        hidden = hidden || (strcmp(fake->pods[i].cluster_id, id) == 0 && is_hidden(fake, &fake->pods[i]));
    if (!view || hidden) {
        json_decref(view);
        not_found(status, text);
    } else if (strcmp(method, "GET") == 0) {
        *status = 200;
        *text = dump(view);
    } else {
        json_decref(view);
        for (size_t i = 0; i < fake->pod_count; i++)
            if (strcmp(fake->pods[i].cluster_id, id) == 0) {
                fake->pods[i].orphaned = fake->leaves_members;
                if (!fake->leaves_members)
                    delete_pod(fake, &fake->pods[i], fault);
            }
        *status = 204;
    }
}

static json_t *clusters_view(const struct fake *fake)
{
    json_t *list = json_array();

    for (size_t i = 0; i < fake->pod_count; i++)
        if (fake->pods[i].cluster_id[0] && fake->pods[i].rank == 0 && is_listed(fake, &fake->pods[i])) {
            json_t *view = cluster_view(fake, fake->pods[i].cluster_id);
            if (view)
                (void)json_array_append_new(list, view);
        }
    return json_pack("{s:o}", "clusters", list);
}

/* ------------------------------------------------------------------ requests */

struct route {
    enum fake_kind kind;
    bool v1, cluster, members, cluster_pods;
    char id[64];
};

static struct route route_of(const char *method, const char *path)
{
    struct route route = {.kind = FAKE_OTHER, .v1 = strncmp(path, "/v1/", 4) == 0};
    const char *rest = path + 3;
    const char *query = strchr(path, '?');

    route.cluster_pods = query && strstr(query, "includeClusterPods=true");
    route.cluster = strncmp(rest, "/clusters", 9) == 0;
    if (!route.cluster && strncmp(rest, "/pods", 5) != 0)
        return route;
    rest += route.cluster ? 9 : 5;
    size_t len = query ? (size_t)(query - rest) : strlen(rest);
    if (len == 0) {
        route.kind = strcmp(method, "POST") == 0 ? FAKE_CREATE : FAKE_LIST;
        return route;
    }
    (void)snprintf(route.id, sizeof route.id, "%.*s", (int)(len - 1), rest + 1);
    char *tail = strchr(route.id, '/');
    if (tail) {
        route.members = strcmp(tail, "/pods") == 0;
        if (!route.members)
            return route; /* logs and such */
        *tail = '\0';
    }
    route.kind = strcmp(method, "DELETE") == 0 ? FAKE_DELETE : FAKE_GET;
    return route;
}

static bool holds(const struct fake_fault *fault, enum fake_kind kind, int nth)
{
    if (fault->kind != kind)
        return false;
    return fault->nth == 0 || nth == fault->nth || (nth > fault->nth && nth <= fault->last);
}

static const struct fake_fault *fault_of(struct fake *fake, enum fake_kind kind, struct fake_fault *chosen)
{
    int nth = ++fake->seen[kind];

    for (size_t i = 0; i < fake->fault_count; i++)
        if (holds(&fake->faults[i], kind, nth))
            return &fake->faults[i];
    *chosen = (struct fake_fault){.kind = kind, .act = true};
    return fake->choose && fake->choose(fake->ctx, kind, chosen) ? chosen : NULL;
}

static void act(struct fake *fake, const struct https_request *request, const struct route *route,
                const struct fake_fault *fault, struct https_answer *answer, int *status, char **text)
{
    json_t *body = json_loads(request->body, 0, NULL);

    switch (route->kind) {
    case FAKE_CREATE:
        if (route->cluster)
            create_cluster(fake, body, fault, status, text);
        else if (route->v1)
            create_v1(fake, body, fault, status, text);
        else
            create_pod(fake, body, fault, status, text);
        break;
    case FAKE_LIST:
        *status = route->cluster && fake->no_cluster_list ? 500 : 200;
        *text =
            dump(route->cluster ? clusters_view(fake)
                                : list_view(fake, route->v1, route->cluster_pods, NULL, fault ? fault->twice + 1 : 1));
        break;
    case FAKE_GET:
    case FAKE_DELETE:
        if (route->members) {
            json_t *cluster = fake->leaves_members ? cluster_view(fake, route->id) : json_true();
            *status = 200;
            if (cluster)
                *text = dump(list_view(fake, false, true, route->id, 1));
            else
                not_found(status, text);
            json_decref(cluster);
        } else if (route->cluster) {
            act_on_cluster(fake, request->method, route->id, fault, status, text);
        } else {
            act_on_pod(fake, request->method, route->id, route->v1, fault, status, text);
        }
        break;
    case FAKE_OTHER:
        *text = fake->other ? fake->other(fake->ctx, request, &answer->type) : NULL;
        *status = 200;
        if (!*text)
            not_found(status, text);
        break;
    }
    json_decref(body);
}

static void handle(void *ctx, const struct https_request *request, struct https_answer *answer, char **owned)
{
    struct fake *fake = ctx;
    struct route route = route_of(request->method, request->path);
    struct fake_fault chosen;
    int status = 0;
    char *text = NULL;
    int create = -1;

    (void)pthread_mutex_lock(&fake->lock);
    if (route.kind == FAKE_CREATE) {
        json_t *body = json_loads(request->body, 0, NULL);
        const json_t *part = json_object_get(body, route.cluster ? "compute" : "gpu");
        create = note_create(fake, body, text_of(part, route.cluster ? "gpuTypeId" : "id"));
        json_decref(body);
    }
    const struct fake_fault *fault = fault_of(fake, route.kind, &chosen);
    if (fake->watch)
        fake->watch(fake->ctx, route.kind, false);
    if (!fault || fault->act)
        act(fake, request, &route, fault, answer, &status, &text);
    if (fault && fault->status) {
        free(text);
        text = strdup(fault->body ? fault->body : "{}");
        status = fault->status;
    }
    if (fake->watch)
        fake->watch(fake->ctx, route.kind, true);
    if (create >= 0)
        fake->creates[create].status = status;
    if (fault)
        virtual_sleep(fake->time, fault->delay_ms);
    (void)pthread_mutex_unlock(&fake->lock);
    answer->status = status ? status : 503;
    answer->body = text;
    answer->headers = fault ? fault->headers : NULL;
    answer->fault = fault ? fault->transport : HTTPS_OK;
    *owned = text;
}

/* ------------------------------------------------------------------ for tests */

bool fake_start(struct fake *fake, struct fake_time *time)
{
    const struct https_options plain = {.plain = true};

    *fake = (struct fake){.time = time, .price = 1.0};
    if (pthread_mutex_init(&fake->lock, NULL) != 0)
        return false;
    fake->server = https_server_start(&plain);
    if (!fake->server)
        return false;
    https_server_handler(fake->server, handle, fake);
    return true;
}

void fake_stop(struct fake *fake)
{
    https_server_stop(fake->server);
    for (size_t i = 0; i < fake->pod_count; i++)
        json_decref(fake->pods[i].env);
    (void)pthread_mutex_destroy(&fake->lock);
}

void fake_fault(struct fake *fake, struct fake_fault fault)
{
    (void)pthread_mutex_lock(&fake->lock);
    fake->faults[fake->fault_count++] = fault;
    (void)pthread_mutex_unlock(&fake->lock);
}

void fake_refuse(struct fake *fake, const char *gpu_id, int status, const char *body)
{
    (void)pthread_mutex_lock(&fake->lock);
    fake->refused[fake->refused_count].gpu_id = gpu_id;
    fake->refused[fake->refused_count].status = status;
    fake->refused[fake->refused_count++].body = body;
    (void)pthread_mutex_unlock(&fake->lock);
}

static size_t alive(struct fake *fake, const char *launch, bool foreign)
{
    size_t count = 0;

    (void)pthread_mutex_lock(&fake->lock);
    for (size_t i = 0; i < fake->pod_count; i++) {
        const struct fake_pod *pod = &fake->pods[i];
        const char *mark = text_of(pod->env, "PODSKU_LAUNCH_ID");
        if (!pod->deleted_ms && pod->foreign == foreign && (!launch || strcmp(mark, launch) == 0))
            count++;
    }
    (void)pthread_mutex_unlock(&fake->lock);
    return count;
}

size_t fake_alive(struct fake *fake, const char *launch)
{
    return alive(fake, launch, false);
}

size_t fake_alive_foreign(struct fake *fake)
{
    return alive(fake, NULL, true);
}

int fake_seen(struct fake *fake, enum fake_kind kind)
{
    (void)pthread_mutex_lock(&fake->lock);
    int seen = fake->seen[kind];
    (void)pthread_mutex_unlock(&fake->lock);
    return seen;
}
