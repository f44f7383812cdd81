/* Scenarios one by one, from an array or from lines, through one buffer. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/evaluate.h"

enum { FIRST_ROOM = 128 << 10, SCENARIO_MAX = 16 << 20 };

enum podsku_code cli_scenarios_open(struct cli_scenarios *scenarios, const char *path, struct podsku_error *err)
{
    bool is_stdin = strcmp(path, "-") == 0;

    scenarios->name = is_stdin ? "standard input" : path;
    scenarios->line = 1;
    scenarios->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (scenarios->fd < 0) {
        podsku_error_where(err, "%s", path);
        return podsku_error_set(err, PODSKU_NO_FILE, "cannot open %s: %s", path, strerror(errno));
    }
    scenarios->bytes = malloc(FIRST_ROOM);
    if (!scenarios->bytes)
        return podsku_error_no_memory(err);
    scenarios->room = FIRST_ROOM;
    return PODSKU_OK;
}

void cli_scenarios_close(struct cli_scenarios *scenarios)
{
    if (scenarios->fd > STDIN_FILENO)
        (void)close(scenarios->fd);
    free(scenarios->bytes);
    scenarios->bytes = NULL;
}

static enum podsku_code make_room(struct cli_scenarios *in, struct podsku_error *err)
{
    if (in->start > 0) {
        memmove(in->bytes, in->bytes + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
    }
    if (in->end < in->room)
        return PODSKU_OK;
    if (in->room >= SCENARIO_MAX) {
        podsku_error_where(err, "%s:%zu", in->name, in->line);
        return podsku_error_set(err, PODSKU_INPUT, "a scenario larger than %d MiB", SCENARIO_MAX >> 20);
    }
    size_t room = in->room ? 2 * in->room : FIRST_ROOM;
    char *bytes = realloc(in->bytes, room);
    if (!bytes)
        return podsku_error_no_memory(err);
    in->bytes = bytes;
    in->room = room;
    return PODSKU_OK;
}

/* Reads more behind what is unread, or sets at_end. Moves the unread bytes to the buffer's start. */
static enum podsku_code fill(struct cli_scenarios *in, struct podsku_error *err)
{
    enum podsku_code code = make_room(in, err);
    ssize_t got;

    if (code == PODSKU_OK)
        code = in->before_read(in->ctx);
    if (code != PODSKU_OK)
        return code;
    do
        got = read(in->fd, in->bytes + in->end, in->room - in->end);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        podsku_error_where(err, "%s", in->name);
        return podsku_error_set(err, PODSKU_NO_FILE, "cannot read %s: %s", in->name, strerror(errno));
    }
    in->end += (size_t)got;
    in->at_end = got == 0;
    return PODSKU_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Moves start to the next byte that is not blank. At the end of the file start equals end. */
static enum podsku_code skip_blanks(struct cli_scenarios *in, struct podsku_error *err)
{
    for (;;) {
        while (in->start < in->end && is_blank(in->bytes[in->start]))
            in->line += in->bytes[in->start++] == '\n';
        if (in->start < in->end || in->at_end)
            return PODSKU_OK;
        enum podsku_code code = fill(in, err);
        if (code != PODSKU_OK)
            return code;
    }
}

/* Goes past a line that is too large to hold; its error is in err already. */
static enum podsku_code drop_line(struct cli_scenarios *in, struct podsku_error *err)
{
    struct podsku_error read_err = {0};
    const char *newline = NULL;

    while (!newline && !in->at_end) {
        in->start = in->end = 0;
        if (fill(in, &read_err) != PODSKU_OK) {
            *err = read_err;
            return err->code;
        }
        newline = memchr(in->bytes, '\n', in->end);
    }
    in->start = newline ? (size_t)(newline - in->bytes) + 1 : in->end;
    in->line += newline != NULL;
    return PODSKU_INPUT;
}

static enum podsku_code next_line(struct cli_scenarios *in, const char **bytes, size_t *len, size_t *line,
                                  struct podsku_error *err)
{
    size_t seen = 0; /* bytes after start that hold no newline */

    enum podsku_code code = skip_blanks(in, err);
    if (code != PODSKU_OK || in->start == in->end)
        return code;
    for (;;) {
        const char *from = in->bytes + in->start;
        const char *newline = memchr(from + seen, '\n', in->end - in->start - seen);
        if (newline || in->at_end) {
            *bytes = from;
            *len = newline ? (size_t)(newline - from) : in->end - in->start;
            *line = in->line;
            in->line += newline != NULL;
            in->start += *len + (newline != NULL);
            return PODSKU_OK;
        }
        seen = in->end - in->start;
        code = fill(in, err);
        if (code == PODSKU_INPUT)
            return drop_line(in, err);
        if (code != PODSKU_OK)
            return code;
    }
}

static enum podsku_code broken(const struct cli_scenarios *in, struct podsku_error *err, const char *what)
{
    podsku_error_where(err, "%s:%zu", in->name, in->line);
    return podsku_error_set(err, PODSKU_INPUT, "%s", what);
}

/* Where a value is while its end is looked for. */
struct scan {
    size_t depth;
    bool in_string, escaped, begun;
};

/* Takes one byte; true when the value ended before it (scalars) or with it (*inclusive). */
static bool scan_byte(struct scan *scan, char c, bool *inclusive)
{
    *inclusive = false;
    if (scan->in_string) {
        if (scan->escaped)
            scan->escaped = false;
        else if (c == '\\')
            scan->escaped = true;
        else if (c == '"')
            scan->in_string = false;
        *inclusive = !scan->in_string && scan->depth == 0;
        return *inclusive;
    }
    bool begun = scan->begun;
    scan->begun = true;
    if (c == '"') {
        scan->in_string = true;
        return false;
    }
    if (c == '{' || c == '[') {
        scan->depth++;
        return false;
    }
    if (c == '}' || c == ']') {
        if (scan->depth == 0)
            return true;
        *inclusive = --scan->depth == 0;
        return *inclusive;
    }
    return begun && scan->depth == 0 && (c == ',' || is_blank(c));
}

/* The element that starts at start: its length. */
static enum podsku_code find_element_end(struct cli_scenarios *in, size_t *len, struct podsku_error *err)
{
    struct scan scan = {0};
    bool inclusive;

    for (size_t i = 0;; i++) {
        if (in->start + i == in->end) {
            enum podsku_code code = fill(in, err);
            if (code != PODSKU_OK)
                return code;
            if (in->at_end)
                return broken(in, err, "the array ends inside a scenario");
        }
        if (scan_byte(&scan, in->bytes[in->start + i], &inclusive)) {
            *len = i + inclusive;
            return PODSKU_OK;
        }
    }
}

/* Eats the comma between two elements or the closing bracket; *more is false after the latter. */
static enum podsku_code next_in_array(struct cli_scenarios *in, bool *more, struct podsku_error *err)
{
    enum podsku_code code = skip_blanks(in, err);

    *more = false;
    if (code != PODSKU_OK)
        return code;
    if (in->start == in->end)
        return broken(in, err, "the array is not closed");
    if (in->bytes[in->start] == ']') {
        in->start++;
        code = skip_blanks(in, err);
        if (code == PODSKU_OK && in->start < in->end)
            code = broken(in, err, "there is text after the array");
        in->shape = CLI_SCENARIOS_DONE;
        return code;
    }
    if (in->between) {
        if (in->bytes[in->start] != ',')
            return broken(in, err, "',' or ']' expected between scenarios");
        in->start++;
        code = skip_blanks(in, err);
        if (code != PODSKU_OK)
            return code;
        if (in->start == in->end)
            return broken(in, err, "the array is not closed");
    }
    if (strchr(",]}:", in->bytes[in->start]))
        return broken(in, err, "a scenario expected");
    *more = true;
    return PODSKU_OK;
}

static enum podsku_code next_element(struct cli_scenarios *in, const char **bytes, size_t *len, size_t *line,
                                     struct podsku_error *err)
{
    bool more;
    enum podsku_code code = next_in_array(in, &more, err);

    if (code != PODSKU_OK || !more)
        return code;
    code = find_element_end(in, len, err);
    if (code != PODSKU_OK)
        return code;
    *bytes = in->bytes + in->start;
    *line = in->line;
    for (size_t i = 0; i < *len; i++)
        in->line += (*bytes)[i] == '\n';
    in->start += *len;
    in->between = true;
    return PODSKU_OK;
}

enum podsku_code cli_scenarios_next(struct cli_scenarios *in, const char **bytes, size_t *len, size_t *line,
                                    struct podsku_error *err)
{
    *bytes = NULL;
    if (in->shape == CLI_SCENARIOS_UNKNOWN) {
        enum podsku_code code = skip_blanks(in, err);
        if (code != PODSKU_OK)
            return code;
        bool array = in->start < in->end && in->bytes[in->start] == '[';
        in->start += array;
        in->shape = array ? CLI_SCENARIOS_ARRAY : CLI_SCENARIOS_LINES;
    }
    *line = in->line; /* also of what turns out to be broken */
    switch (in->shape) {
    case CLI_SCENARIOS_LINES: return next_line(in, bytes, len, line, err);
    case CLI_SCENARIOS_ARRAY: return next_element(in, bytes, len, line, err);
    default: return PODSKU_OK;
    }
}
