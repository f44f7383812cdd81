#include "cli/ssh.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define HOST_MAX 253
#define add_option(argv, ...) (cli_argv_add(argv, "-o"), cli_argv_add(argv, __VA_ARGS__))

enum podsku_code cli_ssh_setup(struct cli *cli, struct cli_ssh *ssh)
{
    static char known_hosts[600];
    const char *folder;
    enum podsku_code code = cli_state_dir(cli, &folder);

    memset(ssh, 0, sizeof *ssh);
    if (code)
        return code;
    (void)snprintf(known_hosts, sizeof known_hosts, "%s/known_hosts", folder);
    /* ssh expands "${...}" there and has no way to write a quote. */
    if (strchr(known_hosts, '"') || strchr(known_hosts, '$')) {
        podsku_error_hint(&cli->err, "set XDG_STATE_HOME to a folder without quotes and dollar signs");
        podsku_error_where(&cli->err, "%s", known_hosts);
        return podsku_error_set(&cli->err, PODSKU_STATE, "ssh cannot be told this file name");
    }
    ssh->known_hosts = known_hosts;
    ssh->key_file = cli_value(cli, "ssh-key");
    ssh->options = cli_values(cli, "ssh-option", &ssh->option_count);
    if (ssh->key_file && access(ssh->key_file, R_OK) != 0) {
        podsku_error_where(&cli->err, "%s", ssh->key_file);
        return podsku_error_set(&cli->err, PODSKU_NO_FILE, "--ssh-key names a file that cannot be read");
    }
    return PODSKU_OK;
}

static bool plain(const char *text, const char *others)
{
    if (!*text || *text == '-' || strlen(text) > HOST_MAX)
        return false;
    for (; *text; text++) {
        if (!isascii((unsigned char)*text) || (!isalnum((unsigned char)*text) && !strchr(others, *text)))
            return false;
    }
    return true;
}

enum podsku_code cli_ssh_check(const struct podsku_ssh *endpoint, struct podsku_error *err)
{
    if (!endpoint->host)
        return podsku_error_set(err, PODSKU_ANSWER, "the service names no ssh endpoint");
    if (!plain(endpoint->host, ".-_:%"))
        return podsku_error_set(err, PODSKU_ANSWER, "the service names an ssh host that is no host name: \"%s\"",
                                endpoint->host);
    if (endpoint->username && !plain(endpoint->username, ".-_"))
        return podsku_error_set(err, PODSKU_ANSWER, "the service names an ssh user that is no user name: \"%s\"",
                                endpoint->username);
    if (endpoint->port < 1 || endpoint->port > 65535)
        return podsku_error_set(err, PODSKU_ANSWER, "the service names an ssh port that is none: %d", endpoint->port);
    return PODSKU_OK;
}

void cli_argv_add(struct cli_argv *argv, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    if (argv->count + 1 >= argv->room) {
        size_t room = argv->room ? 2 * argv->room : 32;
        char **list = realloc(argv->list, room * sizeof *list);
        if (!list) {
            argv->failed = true;
            return;
        }
        argv->list = list;
        argv->room = room;
    }
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    if (!text) {
        argv->failed = true;
        return;
    }
    argv->list[argv->count++] = text;
    argv->list[argv->count] = NULL;
}

void cli_argv_free(struct cli_argv *argv)
{
    if (!argv)
        return;
    for (size_t i = 0; i < argv->count; i++)
        free(argv->list[i]);
    free(argv->list);
    memset(argv, 0, sizeof *argv);
}

/* "%" starts a token of ssh's own in a file name. */
static void add_known_hosts(struct cli_argv *argv, const char *path)
{
    struct podsku_buf escaped = {0};

    for (; *path; path++) {
        podsku_buf_putc(&escaped, *path);
        if (*path == '%')
            podsku_buf_putc(&escaped, '%');
    }
    argv->failed = argv->failed || podsku_buf_failed(&escaped);
    /* Blanks would separate two files. */
    path = podsku_buf_text(&escaped);
    if (strpbrk(path, " \t"))
        add_option(argv, "UserKnownHostsFile=\"%s\"", path);
    else
        add_option(argv, "UserKnownHostsFile=%s", path);
    podsku_buf_free(&escaped);
}

/* An id is whatever the service says; in the alias of a host key only harmless bytes stay. */
static void add_alias(struct cli_argv *argv, const char *pod_id)
{
    char alias[64];
    size_t len = 0;

    for (; pod_id[len] && len + 1 < sizeof alias; len++) {
        unsigned char byte = (unsigned char)pod_id[len];
        alias[len] = isascii(byte) && (isalnum(byte) || strchr("-_.", byte)) ? pod_id[len] : '_';
    }
    alias[len] = '\0';
    add_option(argv, "HostKeyAlias=podsku-%s", alias);
}

/* ssh takes the first value of an option: what keeps the run safe stands before what the user adds. */
static void add_options(const struct cli_ssh *ssh, const char *pod_id, struct cli_argv *argv)
{
    static const char *const fixed[] = {
        "BatchMode=yes",    "ConnectTimeout=10",       "StrictHostKeyChecking=accept-new",
        "ForwardAgent=no",  "ClearAllForwardings=yes", "ControlMaster=no",
        "ControlPath=none",
    };

    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add_option(argv, "%s", fixed[i]);
    add_alias(argv, pod_id);
    add_known_hosts(argv, ssh->known_hosts);
    if (ssh->key_file) {
        cli_argv_add(argv, "-i");
        cli_argv_add(argv, "%s", ssh->key_file);
        add_option(argv, "%s", "IdentitiesOnly=yes");
    }
    for (size_t i = 0; i < ssh->option_count; i++)
        add_option(argv, "%s", ssh->options[i]);
}

static const char *user_of(const struct podsku_ssh *endpoint)
{
    return endpoint->username ? endpoint->username : "root";
}

static enum podsku_code finish(struct cli_argv *argv, struct podsku_error *err)
{
    if (!argv->failed)
        return PODSKU_OK;
    cli_argv_free(argv);
    return podsku_error_no_memory(err);
}

enum podsku_code cli_ssh_command(const struct cli_ssh *ssh, const struct podsku_ssh *endpoint, const char *pod_id,
                                 enum cli_ssh_kind kind, const char *command, struct cli_argv *argv,
                                 struct podsku_error *err)
{
    memset(argv, 0, sizeof *argv);
    cli_argv_add(argv, "ssh");
    add_options(ssh, pod_id, argv);
    if (kind == CLI_SSH_RUN || kind == CLI_SSH_RUN_TTY) {
        /* A connection that is silently dead is noticed after a minute or two. */
        add_option(argv, "%s", "ServerAliveInterval=20");
        add_option(argv, "%s", "ServerAliveCountMax=4");
        add_option(argv, "%s", "EscapeChar=none");
    }
    cli_argv_add(argv, kind == CLI_SSH_RUN_TTY ? "-t" : "-T");
    if (kind == CLI_SSH_ASK)
        cli_argv_add(argv, "-n");
    cli_argv_add(argv, "-p");
    cli_argv_add(argv, "%d", endpoint->port);
    cli_argv_add(argv, "-l");
    cli_argv_add(argv, "%s", user_of(endpoint));
    cli_argv_add(argv, "--");
    cli_argv_add(argv, "%s", endpoint->host);
    cli_argv_add(argv, "%s", command);
    return finish(argv, err);
}

/* rsync starts ssh by a command line that it splits itself, and knows single quotes. */
static void add_rsync_shell(const struct cli_ssh *ssh, const struct podsku_ssh *endpoint, const char *pod_id,
                            struct cli_argv *argv)
{
    struct cli_argv inner = {0};
    struct podsku_buf line = {0};

    cli_argv_add(&inner, "ssh");
    add_options(ssh, pod_id, &inner);
    cli_argv_add(&inner, "-T");
    cli_argv_add(&inner, "-p");
    cli_argv_add(&inner, "%d", endpoint->port);
    cli_argv_add(&inner, "-l");
    cli_argv_add(&inner, "%s", user_of(endpoint));
    for (size_t i = 0; i < inner.count; i++) {
        podsku_buf_puts(&line, i ? " '" : "'");
        for (const char *at = inner.list[i]; *at; at++)
            podsku_buf_puts(&line, *at == '\'' ? "''" : (const char[]){*at, '\0'});
        podsku_buf_putc(&line, '\'');
    }
    argv->failed = argv->failed || inner.failed || podsku_buf_failed(&line);
    cli_argv_add(argv, "-e");
    cli_argv_add(argv, "%s", podsku_buf_text(&line));
    podsku_buf_free(&line);
    cli_argv_free(&inner);
}

enum podsku_code cli_ssh_copy(const struct cli_ssh *ssh, const struct podsku_ssh *endpoint, const char *pod_id,
                              bool rsync, bool to_pod, const char *source, const char *target, struct cli_argv *argv,
                              struct podsku_error *err)
{
    bool six = strchr(endpoint->host, ':') != NULL;
    const char *open = six ? "[" : "";
    const char *close = six ? "]" : "";
    const char *remote = to_pod ? target : source;

    memset(argv, 0, sizeof *argv);
    cli_argv_add(argv, rsync ? "rsync" : "scp");
    if (rsync) {
        cli_argv_add(argv, "-a");
        cli_argv_add(argv, "-s"); /* remote names are no shell words */
        add_rsync_shell(ssh, endpoint, pod_id, argv);
    } else {
        cli_argv_add(argv, "-rpq");
        add_options(ssh, pod_id, argv);
        cli_argv_add(argv, "-P");
        cli_argv_add(argv, "%d", endpoint->port);
        add_option(argv, "User=%s", user_of(endpoint));
    }
    cli_argv_add(argv, "--");
    if (!to_pod)
        cli_argv_add(argv, "%s%s%s:%s", open, endpoint->host, close, remote);
    /* A local name with a colon would be read as a host. */
    cli_argv_add(argv, "%s%s",
                 to_pod && source[0] != '/'    ? "./"
                 : !to_pod && target[0] != '/' ? "./"
                                               : "",
                 to_pod ? source : target);
    if (to_pod)
        cli_argv_add(argv, "%s%s%s:%s", open, endpoint->host, close, remote);
    return finish(argv, err);
}

void cli_ssh_line(struct podsku_buf *out, const struct podsku_ssh *endpoint, const struct cli_ssh *ssh)
{
    struct podsku_error ignored = {0};

    if (!endpoint->host || cli_ssh_check(endpoint, &ignored) != PODSKU_OK)
        return;
    podsku_buf_puts(out, "ssh ");
    if (ssh && ssh->key_file) {
        podsku_buf_puts(out, "-i ");
        cli_ssh_quote(out, ssh->key_file);
        podsku_buf_putc(out, ' ');
    }
    podsku_buf_printf(out, "-p %d %s@%s", endpoint->port, user_of(endpoint), endpoint->host);
}

void cli_ssh_quote(struct podsku_buf *out, const char *text)
{
    static const char plain_bytes[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@%+,";

    if (*text && text[strspn(text, plain_bytes)] == '\0') {
        podsku_buf_puts(out, text);
        return;
    }
    podsku_buf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'')
            podsku_buf_puts(out, "'\\''");
        else
            podsku_buf_putc(out, *text);
    }
    podsku_buf_putc(out, '\'');
}

/* Lines that ssh says on every login and that explain nothing. */
static bool is_noise(const char *line, size_t len)
{
    static const char *const starts[] = {"Warning: Permanently added", "Connection to ", "debug1:"};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (len >= strlen(starts[i]) && strncmp(line, starts[i], strlen(starts[i])) == 0)
            return true;
    }
    return false;
}

/* Without memory for the other characters: ASCII. */
static void copy_ascii(char *text, size_t size, const char *from, size_t len)
{
    size_t i;

    for (i = 0; i < len && i + 1 < size; i++)
        text[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
    text[i] = '\0';
}

void cli_ssh_complaint(const struct podsku_buf *errors, char *text, size_t size)
{
    struct podsku_buf clean = {0};
    const char *at = podsku_buf_text(errors);

    text[0] = '\0';
    while (*at) {
        size_t len = strcspn(at, "\r\n");
        if (len && !is_noise(at, len)) {
            podsku_buf_reset(&clean);
            podsku_text_printable(&clean, at, len, false);
            if (podsku_buf_failed(&clean))
                copy_ascii(text, size, at, len);
            else
                (void)snprintf(text, size, "%s", podsku_buf_text(&clean));
        }
        at += len + strspn(at + len, "\r\n");
    }
    podsku_buf_free(&clean);
}
