/*
 * The streams: talk on stderr, data on stdout, and how a command ends.
 */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/options.h"

enum { WIDTH_LEAST = 20, WIDTH_MOST = 4096 };

/* COLUMNS wins over the terminal; 0: neither says. */
static int find_width(bool terminal)
{
    const char *columns = getenv("COLUMNS");
    int64_t wanted;
    struct winsize size;

    if (columns && podsku_text_int(columns, 1, WIDTH_MOST, &wanted))
        return wanted < WIDTH_LEAST ? WIDTH_LEAST : (int)wanted;
    if (!terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return terminal ? 80 : 0;
    return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
}

void cli_begin(struct cli *cli)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    bool terminal = isatty(STDOUT_FILENO) == 1;
    bool dumb = !term || strcmp(term, "dumb") == 0;

    /* Not LC_NUMERIC: prices would become "12,72". */
    (void)setlocale(LC_CTYPE, "");
    /* A closed pipe and a file size limit are errors of write(2), which a deploy has to act on. */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
    cli->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    cli->terminal = terminal;
    cli->color = terminal && !dumb && !(no_color && *no_color);
    cli->width = find_width(terminal);
    cli->progress = !dumb && isatty(STDERR_FILENO) == 1;
}

/* One write(2) for a whole text, so that lines of several writers do not mix. */
static void say_bytes(const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t written = write(STDERR_FILENO, bytes, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* there is no other place to complain */
        bytes += written;
        len -= (size_t)written;
    }
}

/* Control bytes become '?'; lines after the first are indented. */
static void say_text(const char *head, const char *text, bool keep_newlines)
{
    struct podsku_buf line = {0};
    struct podsku_buf clean = {0};

    podsku_text_printable(&clean, text, strlen(text), keep_newlines);
    podsku_buf_puts(&line, head);
    for (const char *at = podsku_buf_text(&clean); *at; at++) {
        podsku_buf_putc(&line, *at);
        if (*at == '\n')
            podsku_buf_puts(&line, "  ");
    }
    podsku_buf_putc(&line, '\n');
    if (!podsku_buf_failed(&line) && !podsku_buf_failed(&clean))
        say_bytes(line.data, line.len);
    podsku_buf_free(&clean);
    podsku_buf_free(&line);
}

static void say_format(const char *head, const char *fmt, va_list args) __attribute__((format(printf, 2, 0)));

static void say_format(const char *head, const char *fmt, va_list args)
{
    char *text = NULL;

    if (vasprintf(&text, fmt, args) < 0)
        return;
    say_text(head, text, false);
    free(text);
}

void cli_say(const struct cli *cli, const char *fmt, ...)
{
    va_list args;

    if (cli->quiet)
        return;
    va_start(args, fmt);
    say_format("", fmt, args);
    va_end(args);
}

void cli_warn(const struct cli *cli, const char *fmt, ...)
{
    va_list args;

    (void)cli;
    va_start(args, fmt);
    say_format("warning: ", fmt, args);
    va_end(args);
}

static enum podsku_code write_all(struct cli *cli, const char *bytes, size_t len)
{
    while (len > 0 && !cli->stdout_closed) {
        ssize_t written = write(STDOUT_FILENO, bytes, len);
        if (written >= 0) {
            bytes += written;
            len -= (size_t)written;
        } else if (errno == EPIPE && !cli->closed_stdout_fails) {
            cli->stdout_closed = true;
        } else if (errno == EAGAIN) {
            /* Somebody else made the stream non-blocking, as some runners do with their pipes. */
            (void)poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return podsku_error_set(&cli->err, PODSKU_OUTPUT, "cannot write to standard output: %s", strerror(errno));
        }
    }
    return PODSKU_OK;
}

/* As podsku_text_printable(), but JSON stays what it was: inside its strings they become escapes. */
static void put_json_printable(struct podsku_buf *out, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len;) {
        uint32_t point = 0;
        size_t hidden = podsku_text_hidden(bytes + i, len - i, &point);
        if (hidden && point > 0xffff)
            podsku_buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10), 0xdc00 + (point & 0x3ff));
        else if (hidden && point >= 0x7f)
            podsku_buf_printf(out, "\\u%04x", point);
        else /* controls below are the document's own lines: in a string they are escapes already */
            podsku_buf_putc(out, bytes[i]);
        i += hidden ? hidden : 1;
    }
}

enum podsku_code cli_write(struct cli *cli, const char *bytes, size_t len)
{
    struct podsku_buf shown = {0};

    if (!cli->terminal || (cli->output != CLI_CSV && cli->output != CLI_IDS && cli->output != CLI_JSON))
        return write_all(cli, bytes, len);
    if (cli->output == CLI_JSON)
        put_json_printable(&shown, bytes, len);
    else
        podsku_text_printable(&shown, bytes, len, true);
    enum podsku_code code = podsku_buf_failed(&shown) ? podsku_error_no_memory(&cli->err)
                                                      : write_all(cli, podsku_buf_text(&shown), shown.len);
    podsku_buf_free(&shown);
    return code;
}

enum podsku_code cli_write_json(struct cli *cli, json_t *value)
{
    struct podsku_buf text = {0};
    enum podsku_code code;

    if (!value)
        return podsku_error_no_memory(&cli->err);
    podsku_json_write(&text, value, true);
    podsku_buf_putc(&text, '\n');
    if (podsku_buf_failed(&text))
        code = podsku_error_no_memory(&cli->err);
    else
        code = cli_write(cli, text.data, text.len);
    podsku_buf_free(&text);
    json_decref(value);
    return code;
}

static json_t *text_or_null(const char *text)
{
    return podsku_json_text(*text ? text : NULL);
}

/* The podsku.error/1 document; NULL without memory. */
static json_t *error_document(const struct podsku_error *err)
{
    json_t *document = json_object();
    bool ok = document && podsku_json_set(document, "schema", json_string("podsku.error/1"));

    ok = ok && podsku_json_set(document, "code", json_string(podsku_code_name(err->code)));
    ok = ok && podsku_json_set(document, "message", podsku_json_text(err->message));
    ok = ok && podsku_json_set(document, "hint", text_or_null(err->hint));
    ok = ok && podsku_json_set(document, "where", text_or_null(err->where));
    ok = ok && podsku_json_set(document, "request_id", text_or_null(err->request_id));
    return podsku_json_whole(document, ok);
}

static void say_error(const struct podsku_error *err)
{
    struct podsku_buf head = {0};

    podsku_buf_puts(&head, "podsku: ");
    /* Some messages name their file themselves. */
    if (err->where[0] && !strstr(err->message, err->where)) {
        podsku_text_printable(&head, err->where, strlen(err->where), false);
        podsku_buf_puts(&head, ": ");
    }
    say_text(podsku_buf_text(&head), err->message[0] ? err->message : podsku_code_text(err->code), true);
    if (err->hint[0])
        say_text("  ", err->hint, true);
    if (err->request_id[0])
        say_text("  request id: ", err->request_id, false);
    podsku_buf_free(&head);
}

int cli_fail(struct cli *cli)
{
    if (cli->err.code == PODSKU_USAGE && cli->command && !cli->err.hint[0])
        podsku_error_hint(&cli->err, "see: podsku help %s", cli->command->name);
    say_error(&cli->err);
    if (cli->output == CLI_JSON && cli->err.code != PODSKU_OUTPUT) {
        struct podsku_error said = cli->err;
        json_t *document = error_document(&said);
        podsku_error_clear(&cli->err);
        /* That this cannot be written either changes nothing: the text stands on stderr. */
        (void)!cli_write_json(cli, document);
        cli->err = said;
    }
    return podsku_code_exit_status(cli->err.code);
}

int cli_decided(struct cli *cli, enum podsku_code code)
{
    if (cli->err.code != PODSKU_OK || cli->err.message[0])
        say_error(&cli->err);
    return podsku_code_exit_status(code);
}
