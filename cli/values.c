/*
 * Values of flags as durations, counts and money, and what several commands build from flags: the
 * requirement and the facts.
 */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/money.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/placement.h"

/* A requirement or facts file larger than this is a mistake. */
#define SMALL_FILE_MAX ((size_t)16 << 20)

static enum podsku_code bad_value(struct cli *cli, const char *option, const char *value, const char *right)
{
    podsku_error_hint(&cli->err, "%s", right);
    return podsku_error_set(&cli->err, PODSKU_USAGE, "--%s cannot be \"%s\"", option, value);
}

enum podsku_code cli_duration(struct cli *cli, const char *option, int64_t default_ms, int64_t *ms)
{
    const char *value = cli_value(cli, option);

    *ms = default_ms;
    if (!value || podsku_text_duration(value, ms))
        return PODSKU_OK;
    return bad_value(cli, option, value, "a duration is a number with s, m or h: 90s, 15m, 1.5h");
}

enum podsku_code cli_count(struct cli *cli, const char *option, int64_t default_value, int64_t least, int64_t most,
                           int64_t *value)
{
    const char *text = cli_value(cli, option);

    *value = default_value;
    if (!text || podsku_text_int(text, least, most, value))
        return PODSKU_OK;
    podsku_error_hint(&cli->err, "a whole number from %" PRId64 " to %" PRId64, least, most);
    return podsku_error_set(&cli->err, PODSKU_USAGE, "--%s cannot be \"%s\"", option, text);
}

enum podsku_code cli_money(struct cli *cli, const char *option, int64_t default_uusd, int64_t *uusd)
{
    const char *value = cli_value(cli, option);

    *uusd = default_uusd;
    if (!value || podsku_money_parse(value, uusd))
        return PODSKU_OK;
    return bad_value(cli, option, value, "an amount of USD such as 2.49");
}

static const char *file_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

static enum podsku_code read_requirement_file(struct cli *cli, const char *path, struct podsku_requirement *req)
{
    struct podsku_buf text = {0};
    json_t *object = NULL;
    enum podsku_code code = podsku_file_read(path, SMALL_FILE_MAX, &text, &cli->err);

    if (!code)
        code = podsku_json_read(podsku_buf_text(&text), text.len, file_name(path), PODSKU_INPUT, &object, &cli->err);
    if (!code)
        code = podsku_requirement_read(req, object, file_name(path), "$", &cli->err);
    json_decref(object);
    podsku_buf_free(&text);
    return code;
}

enum podsku_code cli_requirement(struct cli *cli, struct podsku_requirement *req)
{
    enum cli_command_index command = cli_command_index(cli->command);
    enum podsku_code code = PODSKU_OK;
    const char *path = cli_value(cli, "requirement");

    podsku_requirement_init(req);
    cli_forget_placement(cli);
    if (path)
        code = read_requirement_file(cli, path, req);
    for (size_t i = 0; !code && i < cli_option_count; i++) {
        const struct cli_option *option = &cli_options[i];
        const char *last;
        const char *const *values;
        size_t count;
        if (!(option->flags & CLI_REQUIREMENT) || !cli_has(cli, option->name) ||
            !cli_option_fits(option, command, cli_verb(cli)))
            continue;
        values = cli_values(cli, option->name, &count);
        last = cli_value(cli, option->name);
        if (!(option->flags & CLI_REPEATABLE)) {
            values = &last;
            count = last ? 1 : 0;
        }
        code = podsku_requirement_set(req, option->name, values, count, &cli->err);
    }
    if (code)
        podsku_requirement_free(req);
    return code;
}

enum podsku_code cli_facts(struct cli *cli, const struct podsku_facts_set **facts)
{
    const char *path = cli_value(cli, "facts");
    struct podsku_buf text = {0};
    enum podsku_code code;

    *facts = podsku_facts_builtin();
    if (!path)
        return PODSKU_OK;
    code = podsku_file_read(path, SMALL_FILE_MAX, &text, &cli->err);
    if (!code)
        code = podsku_facts_load(podsku_buf_text(&text), text.len, file_name(path), facts, &cli->err);
    podsku_buf_free(&text);
    return code;
}
