/*
 * The pod's environment from --env and --env-file. Values never appear in messages.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/deploy.h"

#define ENV_FILE_MAX ((size_t)1 << 20)
#define OUR_PREFIX "PODSKU_"

/* Where an entry stands, for errors. */
struct origin {
    const char *file; /* NULL: --env */
    size_t line;
};

static enum podsku_code bad(struct cli_deploy *deploy, const struct origin *origin, const char *what, const char *name,
                            int name_len, const char *hint)
{
    struct podsku_error *err = &deploy->cli->err;

    if (origin->file)
        podsku_error_where(err, "%s:%zu", origin->file, origin->line);
    if (hint)
        podsku_error_hint(err, "%s", hint);
    return podsku_error_set(err, PODSKU_USAGE, "%s%.*s%s: %s", origin->file ? "" : "--env ", name_len, name,
                            name_len ? "" : "(no name)", what);
}

static bool name_is_plain(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)name[i] <= ' ' || name[i] == 0x7f)
            return false;
    }
    return len > 0 && podsku_text_is_utf8(name, len);
}

static enum podsku_code set(struct cli_deploy *deploy, const struct origin *origin, const char *name, size_t len,
                            const char *value, json_t *env)
{
    int shown = len > 80 ? 80 : (int)len;
    char *key;
    enum podsku_code code = PODSKU_OK;

    if (!podsku_text_is_utf8(value, strlen(value)))
        return bad(deploy, origin, "the value is no UTF-8 text", name, shown, "encode it, e.g. with base64");
    if (deploy->cli->key && strstr(value, deploy->cli->key))
        return bad(deploy, origin, "the value holds the API key", name, shown,
                   "everything in a pod can read its environment, and lists of pods show it; give the pod a key of "
                   "its own with fewer rights");
    key = strndup(name, len);
    if (!key || !podsku_json_set(env, key, json_string(value)))
        code = podsku_error_no_memory(&deploy->cli->err);
    free(key);
    return code;
}

static enum podsku_code add(struct cli_deploy *deploy, const struct origin *origin, const char *entry, json_t *env)
{
    const char *equals = strchr(entry, '=');
    size_t len = equals ? (size_t)(equals - entry) : strlen(entry);
    int shown = len > 80 ? 80 : (int)len;
    const char *value;
    char *name;

    if (!name_is_plain(entry, len))
        return bad(deploy, origin, "that is no name of a variable", "", 0, "K=V, or K to take the value from here");
    if (len >= sizeof OUR_PREFIX - 1 && strncmp(entry, OUR_PREFIX, sizeof OUR_PREFIX - 1) == 0)
        return bad(deploy, origin, "names that start with " OUR_PREFIX " are podsku's own marks", entry, shown, NULL);
    if (equals)
        return set(deploy, origin, entry, len, equals + 1, env);
    name = strndup(entry, len);
    if (!name)
        return podsku_error_no_memory(&deploy->cli->err);
    value = getenv(name);
    if (!value && strcmp(name, "RUNPOD_API_KEY") == 0) {
        free(name);
        return bad(deploy, origin, "the API key does not go into a pod", entry, shown,
                   "give the pod a key of its own with fewer rights, under this name with --env-file");
    }
    free(name);
    if (!value)
        return bad(deploy, origin, "it is not set in podsku's own environment", entry, shown,
                   "export it first, or give K=V");
    return set(deploy, origin, entry, len, value, env);
}

/* As docker reads it: K=V or K a line, values as they are, # starts a comment line. */
static enum podsku_code add_file(struct cli_deploy *deploy, const char *path, json_t *env)
{
    struct podsku_buf text = {0};
    struct origin origin = {.file = strcmp(path, "-") == 0 ? "stdin" : path, .line = 0};
    enum podsku_code code = podsku_file_read(path, ENV_FILE_MAX, &text, &deploy->cli->err);
    char *at = text.data;

    if (!code && memchr(podsku_buf_text(&text), '\0', text.len)) {
        podsku_error_where(&deploy->cli->err, "%s", origin.file);
        code = podsku_error_set(&deploy->cli->err, PODSKU_INPUT, "a NUL byte: this is no file of variables");
    }
    while (!code && at && *at) {
        char *end = at + strcspn(at, "\n");
        bool last = *end == '\0';
        origin.line++;
        *end = '\0';
        if (end > at && end[-1] == '\r')
            end[-1] = '\0';
        at += strspn(at, " \t");
        if (*at && *at != '#')
            code = add(deploy, &origin, at, env);
        at = last ? NULL : end + 1;
    }
    podsku_buf_free(&text);
    return code;
}

enum podsku_code cli_deploy_env(struct cli_deploy *deploy, json_t *env)
{
    const struct origin flag = {.file = NULL, .line = 0};
    size_t file_count, count;
    const char *const *files = cli_values(deploy->cli, "env-file", &file_count);
    const char *const *entries = cli_values(deploy->cli, "env", &count);
    enum podsku_code code = PODSKU_OK;

    for (size_t i = 0; !code && i < file_count; i++)
        code = add_file(deploy, files[i], env);
    for (size_t i = 0; !code && i < count; i++)
        code = add(deploy, &flag, entries[i], env);
    return code;
}
