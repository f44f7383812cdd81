#include "client/decode.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/money.h"
#include "base/text.h"

enum kind {
    TEXT,        /* char *; "" is unknown */
    ID,          /* char *; must be there, not empty */
    COUNT,       /* int, 0 or more */
    PORT,        /* int, 1 to 65535 */
    RANK,        /* int, 0 or more; -1 unknown */
    COST,        /* USD per hour as number or text; struct podsku_pod only */
    TIME,        /* int64_t epoch milliseconds from a text */
    STATUS,      /* struct podsku_pod only */
    SECURE_FLAG, /* boolean of v1 to a cloud's name, char * */
    MARKS,       /* env; struct podsku_pod only */
};

/* A member by its path of at most three names; a later row of the same slot fills it only if unknown. */
struct member {
    const char *path;
    enum kind kind;
    size_t offset;
};

#define POD(member) offsetof(struct podsku_pod, member)
static const struct member pod_v2[] = {
    {"id", ID, POD(id)},
    {"name", TEXT, POD(name)},
    {"status", STATUS, POD(status)},
    {"gpu.id", TEXT, POD(gpu_id)},
    {"gpu.count", COUNT, POD(gpus)},
    {"cloud", TEXT, POD(cloud)},
    {"dataCenterId", TEXT, POD(data_center)},
    {"cudaVersion", TEXT, POD(cuda)},
    {"cost", COST, POD(cost_uusd)},
    {"createdAt", TIME, POD(created_ms)},
    {"mounts.persistent.size", COUNT, POD(volume_gb)},
    {"ssh.direct.host", TEXT, POD(ssh.host)},
    {"ssh.direct.port", PORT, POD(ssh.port)},
    {"ssh.direct.username", TEXT, POD(ssh.username)},
    {"ssh.direct.command", TEXT, POD(ssh.command)},
    {"cluster.id", TEXT, POD(cluster_id)},
    {"cluster.rank", RANK, POD(cluster_rank)},
    {"cluster.ip", TEXT, POD(cluster_ip)},
    {"env", MARKS, POD(marks)},
    {NULL, TEXT, 0},
};

/* The machine, with includeMachine=true, knows better than the request that `gpu` may echo. */
static const struct member pod_v1[] = {
    {"id", ID, POD(id)},
    {"name", TEXT, POD(name)},
    {"desiredStatus", STATUS, POD(status)},
    {"machine.gpuTypeId", TEXT, POD(gpu_id)},
    {"gpu.id", TEXT, POD(gpu_id)},
    {"gpu.count", COUNT, POD(gpus)},
    {"machine.secureCloud", SECURE_FLAG, POD(cloud)},
    {"machine.dataCenterId", TEXT, POD(data_center)},
    {"adjustedCostPerHr", COST, POD(cost_uusd)},
    {"costPerHr", COST, POD(cost_uusd)},
    {"createdAt", TIME, POD(created_ms)},
    {"volumeInGb", COUNT, POD(volume_gb)},
    {"publicIp", TEXT, POD(ssh.host)},
    {"portMappings.22", PORT, POD(ssh.port)},
    {"env", MARKS, POD(marks)},
    {NULL, TEXT, 0},
};
#undef POD

#define CLUSTER(member) offsetof(struct podsku_cluster, member)
static const struct member cluster_v2[] = {
    {"id", ID, CLUSTER(id)},
    {"name", TEXT, CLUSTER(name)},
    {"type", TEXT, CLUSTER(type)},
    {"compute.gpuTypeId", TEXT, CLUSTER(gpu_id)},
    {"compute.gpuCountPerPod", COUNT, CLUSTER(gpus_per_pod)},
    {"compute.podCount", COUNT, CLUSTER(pod_count)},
    {"dataCenterId", TEXT, CLUSTER(data_center)},
    {"createdAt", TIME, CLUSTER(created_ms)},
    {NULL, TEXT, 0},
};
#undef CLUSTER

#define CENTER(member) offsetof(struct podsku_data_center, member)
static const struct member data_center_v2[] = {
    {"id", ID, CENTER(id)},
    {"name", TEXT, CENTER(name)},
    {"region", TEXT, CENTER(region)},
    {NULL, TEXT, 0},
};
#undef CENTER

struct reader {
    void *target;
    const char *where;
    bool lenient;
    struct podsku_error *err;
};

/* A member of a wrong type or value: an error, or unknown when that will do. */
static enum podsku_code wrong(const struct reader *reader, const char *path, const char *expected)
{
    if (reader->lenient)
        return PODSKU_OK;
    podsku_error_where(reader->err, "%s.%s", reader->where, path);
    return podsku_error_set(reader->err, PODSKU_ANSWER, "the answer has no %s where one belongs", expected);
}

static enum podsku_code set_text(const struct reader *reader, char **slot, const char *text)
{
    if (*slot || !text || !*text)
        return PODSKU_OK;
    *slot = strdup(text);
    return *slot ? PODSKU_OK : podsku_error_no_memory(reader->err);
}

static enum podsku_code take_text(const struct reader *reader, const char *path, const json_t *value, char **slot)
{
    if (!json_is_string(value))
        return wrong(reader, path, "text");
    return set_text(reader, slot, json_string_value(value));
}

/* An integer; 8.0 is one, too. */
static bool as_integer(const json_t *value, int64_t least, int64_t most, int64_t *number)
{
    if (json_is_real(value)) {
        double real = json_real_value(value);
        if (!(real >= (double)least && real <= (double)most) || real != floor(real))
            return false;
        *number = (int64_t)real;
        return true;
    }
    *number = json_is_integer(value) ? json_integer_value(value) : least - 1;
    return *number >= least && *number <= most;
}

static enum podsku_code take_int(const struct reader *reader, const char *path, const json_t *value, int64_t least,
                                 int64_t most, int *slot)
{
    int64_t number;

    if (!as_integer(value, least, most, &number))
        return wrong(reader, path, least == 0 ? "count" : "port number");
    *slot = (int)number;
    return PODSKU_OK;
}

static enum podsku_code take_cost(const struct reader *reader, const char *path, const json_t *value)
{
    struct podsku_pod *pod = reader->target;
    int64_t uusd = 0;
    bool read = json_is_string(value)
                    ? podsku_money_parse(json_string_value(value), &uusd)
                    : json_is_number(value) && podsku_money_from_double(json_number_value(value), &uusd);

    if (!read)
        return wrong(reader, path, "amount of USD");
    if (!pod->cost_known && uusd > 0) {
        pod->cost_uusd = uusd;
        pod->cost_known = true;
    }
    return PODSKU_OK;
}

/* RFC 3339, or "2024-07-12 19:14:40.144 +0000 UTC" as v1 writes some times; others are unknown. */
static int64_t read_time(const char *text)
{
    char date[24];
    char time_of_day[32];
    char zone[8];
    char joined[80];
    int64_t wall_ms = 0;

    if (podsku_time_parse(text, &wall_ms))
        return wall_ms;
    if (sscanf(text, "%23s %31s %7s", date, time_of_day, zone) != 3 || strlen(zone) != 5)
        return 0;
    (void)snprintf(joined, sizeof joined, "%sT%s%.3s:%s", date, time_of_day, zone, zone + 3);
    return podsku_time_parse(joined, &wall_ms) ? wall_ms : 0;
}

static const char *const status_words[] = {
    [PODSKU_POD_PROVISIONING] = "PROVISIONING",
    [PODSKU_POD_STARTING] = "STARTING",
    [PODSKU_POD_RUNNING] = "RUNNING",
    [PODSKU_POD_EXITED] = "EXITED",
    [PODSKU_POD_ERROR] = "ERROR",
    [PODSKU_POD_TERMINATED] = "TERMINATED",
};

static enum podsku_code take_status(const struct reader *reader, const char *path, const json_t *value)
{
    struct podsku_pod *pod = reader->target;

    if (!json_is_string(value))
        return wrong(reader, path, "text");
    for (size_t i = PODSKU_POD_PROVISIONING; i < sizeof status_words / sizeof *status_words; i++)
        if (strcmp(status_words[i], json_string_value(value)) == 0)
            pod->status = (enum podsku_pod_status)i;
    return set_text(reader, &pod->status_word, json_string_value(value));
}

/* A mark that is a word like ours. False: it is there, and is none ("***", null, a number). */
static bool mark_word(const json_t *env, const char *name, const char **word)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const json_t *value = json_object_get(env, name);
    const char *text = json_string_value(value);

    *word = text && *text && !text[strspn(text, letters)] ? text : NULL;
    return !value || *word;
}

/*
 * The marks are texts of the user's side: a foreign pod may have anything under these names, so what is
 * no mark of ours is none. It may also be one of ours whose values are masked: then the marks are not
 * known. The expiry alone says nothing about whose a pod is.
 */
static enum podsku_code take_marks(const struct reader *reader, const char *path, const json_t *value)
{
    struct podsku_pod *pod = reader->target;
    const char *launch_id, *attempt, *intent;
    const char *expires = json_string_value(json_object_get(value, PODSKU_MARK_EXPIRES));
    int64_t number;

    if (!json_is_object(value))
        return wrong(reader, path, "object");
    pod->env_empty = json_object_size(value) == 0;
    pod->marks_known = mark_word(value, PODSKU_MARK_LAUNCH, &launch_id);
    pod->marks_known = mark_word(value, PODSKU_MARK_ATTEMPT, &attempt) && pod->marks_known;
    pod->marks_known = mark_word(value, PODSKU_MARK_INTENT, &intent) && pod->marks_known;
    if (attempt && podsku_text_int(attempt, 1, 1000000, &number))
        pod->marks.attempt = (int)number;
    else if (attempt)
        pod->marks_known = false;
    if (expires && podsku_text_int(expires, 1, INT64_MAX / 1000, &number))
        pod->marks.expires_s = number;
    if (set_text(reader, &pod->marks.launch_id, launch_id) != PODSKU_OK)
        return reader->err->code;
    return set_text(reader, &pod->marks.intent, intent);
}

static enum podsku_code take(const struct reader *reader, const struct member *member, const json_t *value)
{
    void *slot = (char *)reader->target + member->offset;

    switch (member->kind) {
    case ID:
    case TEXT: return take_text(reader, member->path, value, slot);
    case RANK:
    case COUNT: return take_int(reader, member->path, value, 0, 1000000, slot);
    case PORT: return take_int(reader, member->path, value, 1, 65535, slot);
    case COST: return take_cost(reader, member->path, value);
    case STATUS: return take_status(reader, member->path, value);
    case MARKS: return take_marks(reader, member->path, value);
    case TIME:
        if (!json_is_string(value))
            return wrong(reader, member->path, "time");
        *(int64_t *)slot = read_time(json_string_value(value));
        return PODSKU_OK;
    case SECURE_FLAG:
        if (!json_is_boolean(value))
            return wrong(reader, member->path, "boolean");
        return set_text(reader, slot, json_is_true(value) ? "SECURE" : "COMMUNITY");
    }
    return PODSKU_OK;
}

/* Follows the path; *value is NULL when a name on it is absent or null. */
static enum podsku_code find(const struct reader *reader, const char *path, const json_t *from, const json_t **value)
{
    const json_t *at = from;
    const char *name = path;

    *value = NULL;
    for (;;) {
        size_t len = strcspn(name, ".");
        char key[32];
        (void)snprintf(key, sizeof key, "%.*s", (int)len, name);
        if (!json_is_object(at)) {
            char parent[64];
            (void)snprintf(parent, sizeof parent, "%.*s", (int)(name - path - (name > path)), path);
            return wrong(reader, parent, "object");
        }
        at = json_object_get(at, key);
        if (!at || json_is_null(at))
            return PODSKU_OK;
        if (!name[len])
            break;
        name += len + 1;
    }
    *value = at;
    return PODSKU_OK;
}

static enum podsku_code read_members(const struct reader *reader, const json_t *value, const struct member *members)
{
    if (!json_is_object(value)) {
        podsku_error_where(reader->err, "%s", reader->where);
        return podsku_error_set(reader->err, PODSKU_ANSWER, "the answer has no object where one belongs");
    }
    for (; members->path; members++) {
        const json_t *found;
        if (find(reader, members->path, value, &found) != PODSKU_OK ||
            (found && take(reader, members, found) != PODSKU_OK))
            return reader->err->code;
        if (members->kind == ID && !*(char **)(void *)((char *)reader->target + members->offset)) {
            podsku_error_where(reader->err, "%s.%s", reader->where, members->path);
            return podsku_error_set(reader->err, PODSKU_ANSWER, "the answer has no id where one belongs");
        }
    }
    return PODSKU_OK;
}

/* An endpoint whose command the service does not say, in words that a shell takes as one word each. */
static enum podsku_code complete_command(struct podsku_pod *pod, struct podsku_error *err)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:";
    const struct podsku_ssh *ssh = &pod->ssh;
    const char *user = ssh->username ? ssh->username : "root";
    struct podsku_buf command = {0};

    if (!ssh->host || ssh->port == 0 || ssh->command || ssh->host[0] == '-' || user[0] == '-' ||
        ssh->host[strspn(ssh->host, plain)] || user[strspn(user, plain)])
        return PODSKU_OK;
    podsku_buf_printf(&command, "ssh -p %d %s@%s", ssh->port, user, ssh->host);
    pod->ssh.command = podsku_buf_take(&command);
    return pod->ssh.command ? PODSKU_OK : podsku_error_no_memory(err);
}

/* v1 tells address and port; who logs in, and how, follows from Runpod's images. */
static enum podsku_code complete_v1(struct podsku_pod *pod, struct podsku_error *err)
{
    struct podsku_buf command = {0};

    if (!pod->ssh.host || pod->ssh.port == 0) {
        free(pod->ssh.host);
        pod->ssh = (struct podsku_ssh){0};
        return PODSKU_OK;
    }
    podsku_buf_printf(&command, "ssh root@%s -p %d", pod->ssh.host, pod->ssh.port);
    pod->ssh.command = podsku_buf_take(&command);
    pod->ssh.username = strdup("root");
    return pod->ssh.command && pod->ssh.username ? PODSKU_OK : podsku_error_no_memory(err);
}

enum podsku_code podsku_decode_pod(const json_t *value, enum podsku_api api, const char *where, struct podsku_pod *pod,
                                   struct podsku_error *err)
{
    struct reader reader = {pod, where, true, err};

    *pod = (struct podsku_pod){.cluster_rank = -1};
    if (read_members(&reader, value, api == PODSKU_API_V1 ? pod_v1 : pod_v2) == PODSKU_OK && api == PODSKU_API_V1)
        (void)complete_v1(pod, err);
    if (err->code == PODSKU_OK)
        (void)complete_command(pod, err);
    if (err->code != PODSKU_OK)
        podsku_pod_clear(pod);
    return err->code;
}

enum podsku_code podsku_decode_cluster(const json_t *value, const char *where, struct podsku_cluster *cluster,
                                       struct podsku_error *err)
{
    struct reader reader = {cluster, where, true, err};

    *cluster = (struct podsku_cluster){0};
    if (read_members(&reader, value, cluster_v2) != PODSKU_OK)
        podsku_cluster_clear(cluster);
    return err->code;
}

static enum podsku_code take_compliance(const struct reader *reader, const json_t *list)
{
    struct podsku_data_center *center = reader->target;

    if (!list || json_is_null(list))
        return PODSKU_OK;
    if (!json_is_array(list))
        return wrong(reader, "compliance", "list");
    if (json_array_size(list) == 0)
        return PODSKU_OK;
    center->compliance = calloc(json_array_size(list), sizeof *center->compliance);
    if (!center->compliance)
        return podsku_error_no_memory(reader->err);
    for (size_t i = 0; i < json_array_size(list); i++) {
        char path[48];
        char *text = NULL;
        (void)snprintf(path, sizeof path, "compliance[%zu]", i);
        if (take_text(reader, path, json_array_get(list, i), &text) != PODSKU_OK)
            return reader->err->code;
        if (text)
            center->compliance[center->compliance_count++] = text;
    }
    return PODSKU_OK;
}

enum podsku_code podsku_decode_data_center(const json_t *value, const char *where, struct podsku_data_center *center,
                                           struct podsku_error *err)
{
    struct reader reader = {center, where, false, err};

    *center = (struct podsku_data_center){0};
    if (read_members(&reader, value, data_center_v2) == PODSKU_OK)
        (void)take_compliance(&reader, json_object_get(value, "compliance"));
    if (err->code == PODSKU_OK && center->region && strcmp(center->region, "UNKNOWN") == 0) {
        free(center->region);
        center->region = NULL;
    }
    if (err->code != PODSKU_OK)
        podsku_data_center_clear(center);
    return err->code;
}

void podsku_pod_clear(struct podsku_pod *pod)
{
    if (!pod)
        return;
    free(pod->id);
    free(pod->name);
    free(pod->status_word);
    free(pod->gpu_id);
    free(pod->cloud);
    free(pod->data_center);
    free(pod->cuda);
    free(pod->ssh.host);
    free(pod->ssh.username);
    free(pod->ssh.command);
    free(pod->cluster_id);
    free(pod->cluster_ip);
    free(pod->marks.launch_id);
    free(pod->marks.intent);
    *pod = (struct podsku_pod){0};
}

void podsku_cluster_clear(struct podsku_cluster *cluster)
{
    if (!cluster)
        return;
    free(cluster->id);
    free(cluster->name);
    free(cluster->type);
    free(cluster->gpu_id);
    free(cluster->data_center);
    *cluster = (struct podsku_cluster){0};
}

void podsku_data_center_clear(struct podsku_data_center *center)
{
    for (size_t i = 0; i < center->compliance_count; i++)
        free(center->compliance[i]);
    free(center->compliance);
    free(center->id);
    free(center->name);
    free(center->region);
    *center = (struct podsku_data_center){0};
}

void podsku_pods_free(struct podsku_pods *pods)
{
    if (!pods)
        return;
    for (size_t i = 0; i < pods->count; i++)
        podsku_pod_clear(&pods->list[i]);
    free(pods->list);
    *pods = (struct podsku_pods){0};
}

void podsku_clusters_free(struct podsku_clusters *clusters)
{
    if (!clusters)
        return;
    for (size_t i = 0; i < clusters->count; i++)
        podsku_cluster_clear(&clusters->list[i]);
    free(clusters->list);
    *clusters = (struct podsku_clusters){0};
}

void podsku_data_centers_free(struct podsku_data_centers *centers)
{
    if (!centers)
        return;
    for (size_t i = 0; i < centers->count; i++)
        podsku_data_center_clear(&centers->list[i]);
    free(centers->list);
    *centers = (struct podsku_data_centers){0};
}
