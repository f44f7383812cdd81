/*
 * The create's fields from flags, in the shape of REST v2's CreatePodRequest. Nothing is set that was
 * not asked for.
 */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/deploy.h"

#define VOLUME_LEAST_GB 10 /* the service's floor for local volumes (OpenAPI document, August 2026) */
#define DISK_MOST_GB 1000000
#define VOLUME_PATH "/workspace"
#define SSH_PORT "22/tcp"

static bool has_text(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *item = json_string_value(json_array_get(list, i));
        if (item && strcmp(item, text) == 0)
            return true;
    }
    return false;
}

static enum podsku_code add_text(struct cli_deploy *deploy, json_t *list, const char *text)
{
    if (has_text(list, text))
        return PODSKU_OK;
    if (json_array_append_new(list, podsku_json_text(text)) != 0)
        return podsku_error_no_memory(&deploy->cli->err);
    return PODSKU_OK;
}

/* "8888/http" */
static bool is_port(const char *text)
{
    const char *slash = strchr(text, '/');
    char number[8];
    int64_t port;

    if (!slash || (size_t)(slash - text) >= sizeof number)
        return false;
    memcpy(number, text, (size_t)(slash - text));
    number[slash - text] = '\0';
    return podsku_text_int(number, 1, 65535, &port) &&
           (strcmp(slash, "/tcp") == 0 || strcmp(slash, "/http") == 0 || strcmp(slash, "/udp") == 0);
}

/* A value may list several, as runpodctl's --ports does. */
static enum podsku_code add_ports(struct cli_deploy *deploy, const char *value, json_t *list)
{
    struct podsku_buf port = {0};
    enum podsku_code code = PODSKU_OK;

    for (const char *at = value; !code && at;) {
        size_t len = strcspn(at, ",");
        podsku_buf_reset(&port);
        podsku_buf_append(&port, at, len);
        if (podsku_buf_failed(&port)) {
            code = podsku_error_no_memory(&deploy->cli->err);
        } else if (!len || !is_port(podsku_buf_text(&port))) {
            podsku_error_hint(&deploy->cli->err, "a port is NUMBER/tcp, NUMBER/http or NUMBER/udp: 22/tcp, 8888/http");
            code = podsku_error_set(&deploy->cli->err, PODSKU_USAGE, "--port cannot be \"%s\"", podsku_buf_text(&port));
        } else {
            code = add_text(deploy, list, podsku_buf_text(&port));
        }
        at = at[len] ? at + len + 1 : NULL;
    }
    podsku_buf_free(&port);
    return code;
}

static enum podsku_code set_ports(struct cli_deploy *deploy)
{
    size_t count;
    const char *const *values = cli_values(deploy->cli, "port", &count);
    json_t *list = json_array();
    enum podsku_code code = list ? PODSKU_OK : podsku_error_no_memory(&deploy->cli->err);

    for (size_t i = 0; !code && i < count; i++)
        code = add_ports(deploy, values[i], list);
    if (!code && deploy->send_ssh)
        code = add_text(deploy, list, SSH_PORT);
    if (code || json_array_size(list) == 0) {
        json_decref(list);
        return code;
    }
    if (!podsku_json_set(deploy->fields, "ports", list))
        return podsku_error_no_memory(&deploy->cli->err);
    return PODSKU_OK;
}

static json_t *persistent_mount(int64_t size_gb, const char *path)
{
    return json_pack("{s:{s:I,s:s}}", "persistent", "size", (json_int_t)size_gb, "path", path);
}

static json_t *network_mount(const char *id, const char *path)
{
    return json_pack("{s:[{s:s,s:s}]}", "network", "volumeId", id, "path", path);
}

static enum podsku_code set_mounts(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    const char *network = cli_value(cli, "network-volume");
    const char *path = cli_value(cli, "volume-path");
    bool local = cli_has(cli, "volume");
    int64_t size_gb = 0;
    enum podsku_code code;

    if (network && local)
        return podsku_error_set(&cli->err, PODSKU_USAGE, "--volume and --network-volume: a pod mounts one of the two");
    if (!network && !local) {
        if (!path)
            return PODSKU_OK;
        podsku_error_hint(&cli->err, "add --volume GB or --network-volume ID");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "--volume-path means nothing without a volume");
    }
    if (path && path[0] != '/')
        return podsku_error_set(&cli->err, PODSKU_USAGE, "--volume-path is an absolute path, not \"%s\"", path);
    code = cli_count(cli, "volume", 0, VOLUME_LEAST_GB, DISK_MOST_GB, &size_gb);
    if (code)
        return code;
    if (!podsku_json_set(deploy->fields, "mounts",
                         network ? network_mount(network, path ? path : VOLUME_PATH)
                                 : persistent_mount(size_gb, path ? path : VOLUME_PATH)))
        return podsku_error_no_memory(&cli->err);
    return PODSKU_OK;
}

static enum podsku_code set_texts(struct cli_deploy *deploy)
{
    static const struct {
        const char *option, *field;
    } rows[] = {
        {"name", "name"}, {"image", "image"}, {"template", "templateId"}, {"registry", "registry"}, {"args", "args"},
    };
    struct cli *cli = deploy->cli;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = cli_value(cli, rows[i].option);
        if (!value)
            continue;
        if (!podsku_text_is_utf8(value, strlen(value)))
            return podsku_error_set(&cli->err, PODSKU_USAGE, "--%s is no UTF-8 text", rows[i].option);
        if (!podsku_json_set(deploy->fields, rows[i].field, json_string(value)))
            return podsku_error_no_memory(&cli->err);
    }
    return PODSKU_OK;
}

static enum podsku_code set_switches(struct cli_deploy *deploy)
{
    const struct {
        bool on;
        const char *field;
    } rows[] = {
        {deploy->send_ssh, "startSsh"},
        {cli_has(deploy->cli, "jupyter"), "startJupyter"},
        {cli_has(deploy->cli, "global-networking"), "globalNetworking"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].on && !podsku_json_set(deploy->fields, rows[i].field, json_true()))
            return podsku_error_no_memory(&deploy->cli->err);
    }
    return PODSKU_OK;
}

static enum podsku_code set_env(struct cli_deploy *deploy)
{
    json_t *env = json_object();
    enum podsku_code code = env ? cli_deploy_env(deploy, env) : podsku_error_no_memory(&deploy->cli->err);

    if (code || json_object_size(env) == 0) {
        json_decref(env);
        return code;
    }
    if (!podsku_json_set(deploy->fields, "env", env))
        return podsku_error_no_memory(&deploy->cli->err);
    return PODSKU_OK;
}

enum podsku_code cli_deploy_fields(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    int64_t disk_gb;
    enum podsku_code code = cli_count(cli, "disk", 0, 1, DISK_MOST_GB, &disk_gb);

    deploy->fields = json_object();
    if (!code && !deploy->fields)
        code = podsku_error_no_memory(&cli->err);
    if (!code)
        code = set_texts(deploy);
    if (!code && disk_gb && !podsku_json_set(deploy->fields, "disk", json_integer(disk_gb)))
        code = podsku_error_no_memory(&cli->err);
    if (!code)
        code = set_mounts(deploy);
    if (!code)
        code = set_switches(deploy);
    if (!code)
        code = set_ports(deploy);
    if (!code)
        code = set_env(deploy);
    return code;
}
