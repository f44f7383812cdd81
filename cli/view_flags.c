/* A requirement as the flags that say it: for the commands that podsku proposes. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/view_pick.h"

void cli_put_text(struct podsku_buf *out, const char *text)
{
    podsku_text_printable(out, text, strlen(text), false);
}

void cli_shell_word(struct podsku_buf *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";

    if (*word && word[strspn(word, plain)] == '\0') {
        podsku_buf_puts(out, word);
        return;
    }
    /* Inside double quotes only these four mean something to a POSIX shell. */
    podsku_buf_putc(out, '"');
    for (; *word; word++) {
        if (strchr("\"\\$`", *word))
            podsku_buf_putc(out, '\\');
        bool control = (unsigned char)*word < 0x20 || *word == 0x7f;
        podsku_buf_putc(out, control ? '?' : *word);
    }
    podsku_buf_putc(out, '"');
}

static void put_scalar(struct podsku_buf *out, const json_t *value)
{
    if (json_is_string(value))
        cli_shell_word(out, json_string_value(value));
    else
        podsku_buf_printf(out, "%.12g", json_number_value(value)); /* 40, where jansson writes 40.0 */
}

static void put_flag(struct podsku_buf *out, const char *key)
{
    podsku_buf_puts(out, " --");
    for (; *key; key++)
        podsku_buf_putc(out, *key == '_' ? '-' : *key);
}

/* Lists of numbers are one comma-separated value, lists of words one flag each. */
static void put_list(struct podsku_buf *out, const char *key, json_t *list)
{
    size_t index;
    json_t *item;
    bool numbers = json_is_number(json_array_get(list, 0));

    json_array_foreach(list, index, item)
    {
        if (index == 0 || !numbers) {
            put_flag(out, key);
            podsku_buf_putc(out, ' ');
        } else {
            podsku_buf_putc(out, ',');
        }
        put_scalar(out, item);
    }
}

static bool listed(const char *key, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(*names, key) == 0)
            return true;
    return false;
}

void cli_requirement_flags(struct podsku_buf *out, const struct podsku_requirement *req, const char *const *without)
{
    json_t *object = podsku_requirement_encode(req);
    const char *key;
    json_t *value;

    if (!object)
        out->failed = true;
    json_object_foreach(object, key, value)
    {
        bool one_gpu = strcmp(key, "gpus") == 0 && json_integer_value(value) == 1;
        if (listed(key, without) || one_gpu || json_is_false(value) || json_is_null(value))
            continue;
        if (json_is_array(value)) {
            put_list(out, key, value);
            continue;
        }
        put_flag(out, key);
        bool bare_nvlink =
            strcmp(key, "nvlink") == 0 && json_is_string(value) && strcmp(json_string_value(value), "required") == 0;
        if (json_is_true(value) || bare_nvlink)
            continue;
        podsku_buf_putc(out, ' ');
        put_scalar(out, value);
    }
    json_decref(object);
}
