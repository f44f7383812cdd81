/*
 * Where settings come from: the API key, base URLs, the state folder.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/placement.h"
#include "cli/signals.h"
#include "cli/toml.h"

/* Files with a key are small; anything larger is another file. */
#define KEY_FILE_MAX ((size_t)1 << 20)

/* The value of a variable; NULL if it is unset or empty. */
static const char *env(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static const char *home(void)
{
    const char *folder = env("HOME");
    const struct passwd *user;

    if (folder)
        return folder;
    user = getpwuid(getuid());
    return user && user->pw_dir && *user->pw_dir ? user->pw_dir : NULL;
}

/* "$VARIABLE/tail", else "~/DEFAULT/tail"; false without any folder or when it is too long. */
static bool xdg_path(const char *variable, const char *fallback, const char *tail, char *path, size_t size)
{
    const char *folder = env(variable);
    int len;

    /* The base folder specification: relative paths are to be ignored. */
    if (folder && folder[0] == '/')
        len = snprintf(path, size, "%s/%s", folder, tail);
    else if (home())
        len = snprintf(path, size, "%s/%s/%s", home(), fallback, tail);
    else
        return false;
    return len > 0 && (size_t)len < size;
}

/* Keeps a copy of the key after a look at its bytes. */
static enum podsku_code take_key(struct cli *cli, const char *key, size_t len, const char *source)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)key[i];
        if (byte >= 0x21 && byte <= 0x7e)
            continue;
        podsku_error_hint(&cli->err, "a key is one word of printable ASCII; was something else copied with it?");
        return podsku_error_set(&cli->err, PODSKU_AUTH, "the API key from %s has a byte that no key has (0x%02x)",
                                source, byte);
    }
    cli->key = strndup(key, len);
    if (!cli->key)
        return podsku_error_no_memory(&cli->err);
    if (source != cli->key_path)
        (void)snprintf(cli->key_path, sizeof cli->key_path, "%s", source);
    cli->key_source = cli->key_path;
    return PODSKU_OK;
}

/* Reads a file that may hold a key. Missing: PODSKU_OK and nothing in text, unless it must exist. */
static enum podsku_code read_key_file(struct cli *cli, const char *path, bool must_exist, struct podsku_buf *text,
                                      bool *others_read)
{
    struct podsku_error reason = {0};
    struct stat info;

    *others_read = false;
    if (stat(path, &info) != 0) {
        if (!must_exist && (errno == ENOENT || errno == ENOTDIR))
            return PODSKU_OK;
        podsku_error_where(&cli->err, "%s", path);
        return podsku_error_set(&cli->err, PODSKU_AUTH, "the file with the API key cannot be read: %s",
                                strerror(errno));
    }
    *others_read = S_ISREG(info.st_mode) && (info.st_mode & S_IROTH);
    text->max = KEY_FILE_MAX;
    if (podsku_file_read(path, KEY_FILE_MAX, text, &reason) == PODSKU_OK)
        return PODSKU_OK;
    podsku_error_where(&cli->err, "%s", path);
    return podsku_error_set(&cli->err, PODSKU_AUTH, "the file with the API key cannot be read: %s", reason.message);
}

static enum podsku_code refuse_world_readable(struct cli *cli, const char *path)
{
    podsku_error_hint(&cli->err, "chmod 600 %s", path);
    podsku_error_where(&cli->err, "%s", path);
    return podsku_error_set(&cli->err, PODSKU_AUTH, "everybody on this machine can read the file with the API key");
}

static void wipe(struct podsku_buf *text)
{
    if (text->data)
        podsku_wipe(text->data, text->cap);
    podsku_buf_free(text);
}

static enum podsku_code key_from_environment(struct cli *cli)
{
    char *value = getenv("RUNPOD_API_KEY");
    enum podsku_code code;

    if (!value)
        return PODSKU_OK;
    code = *value ? take_key(cli, value, strlen(value), "RUNPOD_API_KEY") : PODSKU_OK;
    /* The block that /proc shows and that children would get is ours: no second copy stays there. */
    podsku_wipe(value, strlen(value));
    (void)unsetenv("RUNPOD_API_KEY");
    return code;
}

static enum podsku_code key_from_named_file(struct cli *cli)
{
    const char *path = env("RUNPOD_API_KEY_FILE");
    struct podsku_buf text = {0};
    bool others_read;
    enum podsku_code code;

    if (!path)
        return PODSKU_OK;
    code = read_key_file(cli, path, true, &text, &others_read);
    if (!code && others_read)
        code = refuse_world_readable(cli, path);
    if (!code) {
        const char *key = podsku_buf_text(&text);
        size_t start = strspn(key, " \t\r\n");
        size_t end = text.len;
        while (end > start && strchr(" \t\r\n", key[end - 1]))
            end--;
        if (end > start)
            code = take_key(cli, key + start, end - start, path);
    }
    wipe(&text);
    return code;
}

/* {"api_key": "..."}; nothing else is known there. */
static enum podsku_code key_of_config(struct cli *cli, const json_t *config, const char *path, const char **key)
{
    const char *name;
    const json_t *value;

    *key = NULL;
    if (!json_is_object(config)) {
        podsku_error_where(&cli->err, "%s: $", path);
        return podsku_error_set(&cli->err, PODSKU_INPUT, "the configuration is no JSON object");
    }
    json_object_foreach((json_t *)config, name, value)
    {
        if (strcmp(name, "api_key") != 0) {
            podsku_error_where(&cli->err, "%s: $.%s", path, name);
            podsku_error_hint(&cli->err, "the only setting is api_key");
            return podsku_error_set(&cli->err, PODSKU_INPUT, "unknown setting");
        }
        if (!json_is_string(value) && !json_is_null(value)) {
            podsku_error_where(&cli->err, "%s: $.api_key", path);
            return podsku_error_set(&cli->err, PODSKU_INPUT, "the API key is no string");
        }
        *key = json_string_value(value);
    }
    return PODSKU_OK;
}

static enum podsku_code key_from_config(struct cli *cli)
{
    char path[sizeof cli->key_path];
    struct podsku_buf text = {0};
    json_t *config = NULL;
    const char *key = NULL;
    bool others_read;
    enum podsku_code code;

    if (!xdg_path("XDG_CONFIG_HOME", ".config", "podsku/config.json", path, sizeof path))
        return PODSKU_OK;
    code = read_key_file(cli, path, false, &text, &others_read);
    if (!code && text.len)
        code = podsku_json_read(podsku_buf_text(&text), text.len, path, PODSKU_INPUT, &config, &cli->err);
    if (!code && config)
        code = key_of_config(cli, config, path, &key);
    if (!code && key && *key && others_read)
        code = refuse_world_readable(cli, path);
    if (!code && key && *key)
        code = take_key(cli, key, strlen(key), path);
    if (key)
        podsku_wipe((char *)key, strlen(key)); /* jansson's own copy, about to be freed */
    json_decref(config);
    wipe(&text);
    return code;
}

static enum podsku_code key_from_runpodctl(struct cli *cli)
{
    char path[sizeof cli->key_path];
    struct podsku_buf text = {0};
    struct podsku_buf key = {0};
    bool others_read;
    enum podsku_code code;
    int len;

    if (!home())
        return PODSKU_OK;
    len = snprintf(path, sizeof path, "%s/.runpod/config.toml", home());
    if (len < 0 || (size_t)len >= sizeof path)
        return PODSKU_OK;
    code = read_key_file(cli, path, false, &text, &others_read);
    if (!code && text.len)
        code = cli_toml_string(podsku_buf_text(&text), path, "apikey", &key, &cli->err);
    if (!code && key.len && others_read)
        code = refuse_world_readable(cli, path);
    if (!code && key.len)
        code = take_key(cli, key.data, key.len, path);
    wipe(&key);
    wipe(&text);
    return code;
}

enum podsku_code cli_find_key(struct cli *cli)
{
    static enum podsku_code (*const places[])(struct cli * cli) = {key_from_environment, key_from_named_file,
                                                                   key_from_config, key_from_runpodctl};

    for (size_t i = 0; !cli->key_looked && !cli->key && i < sizeof places / sizeof *places; i++) {
        enum podsku_code code = places[i](cli);
        if (code)
            return code;
    }
    cli->key_looked = true;
    return PODSKU_OK;
}

void cli_end(struct cli *cli)
{
    if (cli->key) {
        podsku_wipe(cli->key, strlen(cli->key));
        free(cli->key);
    }
    cli->key = NULL;
    cli_forget_placement(cli);
    cli_args_free(cli);
}

static void trace(void *ctx, const char *line)
{
    const struct cli *cli = ctx;
    struct cli loud = {.quiet = false};

    if (cli->verbose)
        cli_say(&loud, "%s", line);
}

static bool interrupted(void *ctx)
{
    (void)ctx;
    return cli_signals_stop();
}

static bool abandoned(void *ctx)
{
    (void)ctx;
    return cli_signals_abandon();
}

enum podsku_code cli_client(struct cli *cli, bool need_key, struct podsku_client **client)
{
    struct podsku_client_config config = {.ctx = cli, .interrupted = interrupted, .abandoned = abandoned};
    enum podsku_code code = cli_find_key(cli);

    if (code)
        return code;
    if (need_key && !cli->key) {
        podsku_error_hint(&cli->err, "set RUNPOD_API_KEY, or RUNPOD_API_KEY_FILE to a file that only you can read; "
                                     "podsku-config(5) lists all places");
        return podsku_error_set(&cli->err, PODSKU_AUTH, "no API key");
    }
    if (*client)
        return PODSKU_OK;
    config.key = cli->key;
    config.url[PODSKU_API_V2] = env("PODSKU_API_URL");
    config.url[PODSKU_API_V1] = env("PODSKU_API_V1_URL");
    config.url[PODSKU_API_GRAPHQL] = env("PODSKU_GRAPHQL_URL");
    config.trace = cli->verbose ? trace : NULL;
    return podsku_client_new(&config, client, &cli->err);
}

/* Is there a folder, or can one be made with mode 0700? errno says why not. */
static bool make_folder(const char *path)
{
    struct stat info;
    int reason;

    if (mkdir(path, 0700) == 0)
        return true;
    reason = errno;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return true;
    errno = reason;
    return false;
}

/* mkdir -p */
static bool make_folders(char *path)
{
    for (char *slash = path + 1; *slash; slash++) {
        bool made;
        if (*slash != '/')
            continue;
        *slash = '\0';
        made = make_folder(path);
        *slash = '/';
        if (!made)
            return false;
    }
    return make_folder(path);
}

/* Whoever can write there can make podsku end pods, or forget them: it is ours alone. */
static void tighten(struct cli *cli, const char *path)
{
    static bool said;
    struct stat info;

    if (said || stat(path, &info) != 0 || !(info.st_mode & (S_IWGRP | S_IWOTH)))
        return;
    if (info.st_uid == geteuid() && chmod(path, S_IRWXU) == 0)
        return;
    said = true;
    cli_warn(cli, "others can write to the state folder %s: what the journal says is theirs to change; chmod 700 it",
             path);
}

enum podsku_code cli_state_dir(struct cli *cli, const char **dir)
{
    static char path[512];

    *dir = path;
    if (!xdg_path("XDG_STATE_HOME", ".local/state", "podsku", path, sizeof path)) {
        podsku_error_hint(&cli->err, "set HOME or XDG_STATE_HOME");
        return podsku_error_set(&cli->err, PODSKU_STATE, "there is no folder for podsku's state");
    }
    if (!make_folders(path)) {
        podsku_error_where(&cli->err, "%s", path);
        return podsku_error_set(&cli->err, PODSKU_STATE, "the state folder cannot be made: %s",
                                errno == EEXIST || errno == ENOTDIR ? "a file stands in its way" : strerror(errno));
    }
    tighten(cli, path);
    return PODSKU_OK;
}
