/*
 * --body: any other fields of the create, in the words of the API that is used. What the plan decides
 * cannot stand there, and what a flag says already must not be said twice.
 */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/deploy.h"

#define BODY_MAX ((size_t)4 << 20)
#define SSH_PORT "22/tcp"

enum body_kind { BODY_POD = 1, BODY_CLUSTER = 2, BODY_V1 = 4 };

/* Every field of the three creates (OpenAPI documents, August 2026). */
static const struct body_field {
    const char *name;
    unsigned kinds;   /* in which requests it exists */
    const char *flag; /* the flag that says the same; NULL: none */
    bool planned;     /* decided by the plan: refused */
} body_fields[] = {
    {"name", BODY_POD | BODY_CLUSTER | BODY_V1, "name", false},
    {"image", BODY_POD | BODY_CLUSTER, "image", false},
    {"templateId", BODY_POD | BODY_V1, "template", false},
    {"disk", BODY_POD | BODY_CLUSTER, "disk", false},
    {"mounts", BODY_POD | BODY_CLUSTER, "volume|network-volume", false},
    {"ports", BODY_POD | BODY_CLUSTER | BODY_V1, "port", false},
    {"env", BODY_POD | BODY_CLUSTER | BODY_V1, NULL, false},
    {"args", BODY_POD | BODY_CLUSTER, "args", false},
    {"registry", BODY_POD, "registry", false},
    {"startSsh", BODY_POD | BODY_CLUSTER, NULL, false},
    {"startJupyter", BODY_POD | BODY_CLUSTER, "jupyter", false},
    {"globalNetworking", BODY_POD | BODY_V1, "global-networking", false},
    {"gpu", BODY_POD, NULL, true},
    {"cpu", BODY_POD, NULL, true},
    {"cloud", BODY_POD, NULL, true},
    {"dataCenterIds", BODY_POD | BODY_CLUSTER | BODY_V1, NULL, true},
    {"compute", BODY_CLUSTER, NULL, true},
    {"type", BODY_CLUSTER, NULL, true},
    {"gpuTypeIds", BODY_V1, NULL, true},
    {"gpuTypePriority", BODY_V1, NULL, true},
    {"gpuCount", BODY_V1, NULL, true},
    {"cloudType", BODY_V1, NULL, true},
    {"computeType", BODY_V1, NULL, true},
    {"cpuFlavorIds", BODY_V1, NULL, true},
    {"cpuFlavorPriority", BODY_V1, NULL, true},
    {"vcpuCount", BODY_V1, NULL, true},
    {"imageName", BODY_V1, "image", false},
    {"containerDiskInGb", BODY_V1, "disk", false},
    {"volumeInGb", BODY_V1, "volume", false},
    {"volumeMountPath", BODY_V1, "volume-path", false},
    {"networkVolumeId", BODY_V1, "network-volume", false},
    {"containerRegistryAuthId", BODY_V1, "registry", false},
    {"dockerStartCmd", BODY_V1, "args", false},
    {"dockerEntrypoint", BODY_V1, NULL, false},
    {"allowedCudaVersions", BODY_V1, "min-cuda", false},
    {"countryCodes", BODY_V1, "country", false},
    {"dataCenterPriority", BODY_V1, NULL, false},
    {"interruptible", BODY_V1, NULL, false},
    {"locked", BODY_V1, NULL, false},
    {"minDiskBandwidthMBps", BODY_V1, NULL, false},
    {"minDownloadMbps", BODY_V1, NULL, false},
    {"minRAMPerGPU", BODY_V1, NULL, false},
    {"minUploadMbps", BODY_V1, NULL, false},
    {"minVCPUPerGPU", BODY_V1, NULL, false},
    {"supportPublicIp", BODY_V1, NULL, false},
};

static unsigned kind_of(const struct cli_deploy *deploy)
{
    if (deploy->options.spec.api == PODSKU_API_V1)
        return BODY_V1;
    return deploy->req.nodes > 1 ? BODY_CLUSTER : BODY_POD;
}

/* True if one of "a|b" was given; *which is it. */
static bool flag_given(const struct cli *cli, const char *flags, char which[32])
{
    while (flags && *flags) {
        size_t len = strcspn(flags, "|");
        if (len < 32) {
            memcpy(which, flags, len);
            which[len] = '\0';
            if (cli_has(cli, which))
                return true;
        }
        flags += len + (flags[len] == '|');
    }
    return false;
}

static enum podsku_code judge_field(struct cli_deploy *deploy, const char *path, const char *name)
{
    struct cli *cli = deploy->cli;
    unsigned kind = kind_of(deploy);
    bool known = false;
    char flag[32];

    for (size_t i = 0; i < sizeof body_fields / sizeof *body_fields; i++) {
        const struct body_field *field = &body_fields[i];
        if (strcmp(field->name, name) != 0)
            continue;
        known = known || (field->kinds & kind);
        if (field->planned) {
            podsku_error_where(&cli->err, "%s: $.%s", path, name);
            podsku_error_hint(&cli->err, "say it by requirement flags: --gpus, --gpu, --cloud, --data-center, --nodes");
            return podsku_error_set(&cli->err, PODSKU_USAGE, "the plan decides \"%s\"; it cannot stand in --body",
                                    name);
        }
        if ((field->kinds & kind) && flag_given(cli, field->flag, flag)) {
            podsku_error_where(&cli->err, "%s: $.%s", path, name);
            return podsku_error_set(&cli->err, PODSKU_USAGE, "\"%s\" is also said by --%s: leave one of them out", name,
                                    flag);
        }
    }
    if (!known)
        cli_warn(cli,
                 "%s: \"%s\" is no field of this request that podsku knows; it is sent as it is (the service "
                 "refuses fields that it does not know)",
                 path, name);
    return PODSKU_OK;
}

/* No text of the request may hold the key: the service shows bodies of pods in lists. */
static const char *key_holder(const json_t *value, const char *key, const char *name)
{
    const char *member, *found = NULL;
    json_t *item;
    size_t index;

    if (json_is_string(value))
        return strstr(json_string_value(value), key) ? name : NULL;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, member, item)
        {
            found = found ? found : strstr(member, key) ? name : key_holder(item, key, name ? name : member);
        }
    }
    json_array_foreach(value, index, item)
    {
        found = found ? found : key_holder(item, key, name);
    }
    return found;
}

static enum podsku_code judge_env(struct cli_deploy *deploy, const char *path)
{
    struct podsku_error *err = &deploy->cli->err;
    const json_t *env = json_object_get(deploy->extra, "env");
    const char *name;
    json_t *value;

    if (!env)
        return PODSKU_OK;
    if (!json_is_object(env)) {
        podsku_error_where(err, "%s: $.env", path);
        return podsku_error_set(err, PODSKU_INPUT, "env is an object of names and texts");
    }
    json_object_foreach((json_t *)env, name, value)
    {
        if (strncmp(name, "PODSKU_", 7) == 0) {
            podsku_error_where(err, "%s: $.env.%s", path, name);
            return podsku_error_set(err, PODSKU_USAGE, "names that start with PODSKU_ are podsku's own marks");
        }
        if (json_object_get(json_object_get(deploy->fields, "env"), name)) {
            podsku_error_where(err, "%s: $.env.%s", path, name);
            return podsku_error_set(err, PODSKU_USAGE, "\"%s\" is also said by --env: leave one of them out", name);
        }
        if (!json_is_string(value)) {
            podsku_error_where(err, "%s: $.env.%s", path, name);
            return podsku_error_set(err, PODSKU_INPUT, "the value is no text");
        }
    }
    return PODSKU_OK;
}

/* The file's ports replace the flags'; ssh still needs its own. */
static enum podsku_code keep_ssh_port(struct cli_deploy *deploy)
{
    json_t *ports = json_object_get(deploy->extra, "ports");

    if (!deploy->send_ssh || !json_is_array(ports))
        return PODSKU_OK;
    for (size_t i = 0; i < json_array_size(ports); i++) {
        const char *port = json_string_value(json_array_get(ports, i));
        if (port && strcmp(port, SSH_PORT) == 0)
            return PODSKU_OK;
    }
    return json_array_append_new(ports, json_string(SSH_PORT)) == 0 ? PODSKU_OK
                                                                    : podsku_error_no_memory(&deploy->cli->err);
}

static enum podsku_code read_body(struct cli_deploy *deploy, const char *path)
{
    struct cli *cli = deploy->cli;
    const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
    struct podsku_buf text = {0};
    enum podsku_code code = podsku_file_read(path, BODY_MAX, &text, &cli->err);
    const char *member;
    json_t *value;

    if (!code)
        code = podsku_json_read(podsku_buf_text(&text), text.len, name, PODSKU_INPUT, &deploy->extra, &cli->err);
    podsku_buf_free(&text);
    if (!code && !json_is_object(deploy->extra)) {
        podsku_error_where(&cli->err, "%s: $", name);
        code = podsku_error_set(&cli->err, PODSKU_INPUT, "the body is no JSON object");
    }
    if (code)
        return code;
    json_object_foreach(deploy->extra, member, value)
    {
        code = judge_field(deploy, name, member);
        if (code)
            return code;
    }
    code = judge_env(deploy, name);
    return code ? code : keep_ssh_port(deploy);
}

const json_t *cli_deploy_field(const struct cli_deploy *deploy, const char *name, const char *v1_name)
{
    const char *other = deploy->options.spec.api == PODSKU_API_V1 && v1_name ? v1_name : name;
    const json_t *value = json_object_get(deploy->extra, other);

    return value ? value : json_object_get(deploy->fields, name);
}

static enum podsku_code judge_whole(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    const char *holder = NULL;

    if (!cli_deploy_field(deploy, "image", "imageName") && !cli_deploy_field(deploy, "templateId", NULL)) {
        podsku_error_hint(&cli->err, "for example --image runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "a pod needs --image or --template");
    }
    if (cli->key)
        holder = key_holder(deploy->extra, cli->key, NULL);
    if (cli->key && !holder)
        holder = key_holder(deploy->fields, cli->key, NULL);
    if (holder)
        return podsku_error_set(&cli->err, PODSKU_USAGE, "\"%s\" of the request holds the API key", holder);
    return PODSKU_OK;
}

enum podsku_code cli_deploy_extra(struct cli_deploy *deploy)
{
    const char *path = cli_value(deploy->cli, "body");
    enum podsku_code code = path ? read_body(deploy, path) : PODSKU_OK;

    return code ? code : judge_whole(deploy);
}
