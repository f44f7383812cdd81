#include "cli/toml.h"

#include <stdbool.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* After "KEY" or "'KEY'" or "\"KEY\"" and "=": the value's start; NULL if the line is another one. */
static const char *value_of(const char *line, const char *key)
{
    size_t len = strlen(key);
    const char quote = *line == '"' || *line == '\'' ? *line : '\0';
    const char *name = line + (quote ? 1 : 0);

    if (strncmp(name, key, len) != 0 || (quote && name[len] != quote))
        return NULL;
    name = skip_blanks(name + len + (quote ? 1 : 0));
    return *name == '=' ? skip_blanks(name + 1) : NULL;
}

/* The string at `at`, with the simple escapes of basic strings. */
static bool read_string(const char *at, struct podsku_buf *out)
{
    const char quote = *at;
    const char *escape;

    if (quote != '"' && quote != '\'')
        return false;
    for (at++; *at && *at != '\n' && *at != quote; at++) {
        char byte = *at;
        if (byte == '\\' && quote == '"') {
            static const char names[] = "\"\\tnrbf";
            static const char bytes[] = "\"\\\t\n\r\b\f";
            escape = at[1] ? strchr(names, at[1]) : NULL;
            if (!escape)
                return false;
            byte = bytes[escape - names];
            at++;
        }
        podsku_buf_putc(out, byte);
    }
    if (*at != quote)
        return false;
    at = skip_blanks(at + 1);
    return *at == '\0' || *at == '\n' || *at == '\r' || *at == '#';
}

enum podsku_code cli_toml_string(const char *text, const char *path, const char *key, struct podsku_buf *out,
                                 struct podsku_error *err)
{
    bool in_reach = true; /* top level or [default] */
    size_t number = 0;

    while (*text) {
        const char *line = skip_blanks(text);
        const char *value;
        number++;
        if (*line == '[') {
            const char *name = skip_blanks(line + 1);
            in_reach = strncmp(name, "default", 7) == 0 && *skip_blanks(name + 7) == ']';
        }
        value = in_reach ? value_of(line, key) : NULL;
        if (value) {
            podsku_buf_reset(out);
            if (read_string(value, out))
                return podsku_buf_failed(out) ? podsku_error_no_memory(err) : PODSKU_OK;
            podsku_error_where(err, "%s:%zu", path, number);
            podsku_error_hint(err, "%s = \"...\"", key);
            return podsku_error_set(err, PODSKU_INPUT, "the value of %s is no string", key);
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return PODSKU_OK;
}
