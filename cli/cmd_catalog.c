/* podsku catalog: the verbs, and those that need no view of their own: diff and check. */
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "catalog/check.h"
#include "cli/command.h"
#include "cli/json_offer.h"
#include "cli/table.h"
#include "cli/view_catalog.h"
#include "cli/view_pick.h"

struct diff_run {
    const struct podsku_facts_set *facts;
    struct podsku_catalog *old_catalog, *new_catalog;
    struct podsku_diff diff;
};

static json_t *ids_json(const struct podsku_gpu_type **types, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++) {
        if (!cli_json_append(array, podsku_json_text(types[i]->id))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *changes_json(const struct podsku_diff *diff)
{
    json_t *array = json_array();

    for (size_t i = 0; i < diff->change_count; i++) {
        const struct podsku_change *change = &diff->changes[i];
        json_t *object = json_object();
        bool whole = podsku_json_set(object, "id", podsku_json_text(change->new_type->id)) &&
                     podsku_json_set(object, "field", json_string(change->field)) &&
                     podsku_json_set(object, "old", json_incref(change->old_value)) &&
                     podsku_json_set(object, "new", json_incref(change->new_value));
        object = podsku_json_whole(object, whole);
        if (!cli_json_append(array, object)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *diff_json(const struct podsku_diff *diff)
{
    json_t *document = json_object();

    bool whole = podsku_json_set(document, "schema", json_string("podsku.diff/1")) &&
                 podsku_json_set(document, "added", ids_json(diff->added, diff->added_count)) &&
                 podsku_json_set(document, "removed", ids_json(diff->removed, diff->removed_count)) &&
                 podsku_json_set(document, "changed", changes_json(diff));
    return podsku_json_whole(document, whole);
}

/* "-" for unknown, texts without quotes. */
static void put_value(struct podsku_buf *out, const json_t *value)
{
    if (json_is_null(value))
        podsku_buf_putc(out, '-');
    else if (json_is_string(value))
        cli_put_text(out, json_string_value(value));
    else
        podsku_json_write(out, value, false);
}

static enum podsku_code add_diff_row(struct cli *cli, struct cli_table *table, const char *mark,
                                     const struct podsku_gpu_type *type, const struct podsku_change *change)
{
    struct podsku_buf old_text = {0};
    struct podsku_buf new_text = {0};
    const char *cells[] = {mark, podsku_gpu_name(type), change ? change->field : "", NULL, NULL};
    enum podsku_code code;

    if (change) {
        put_value(&old_text, change->old_value);
        put_value(&new_text, change->new_value);
    }
    cells[3] = podsku_buf_text(&old_text);
    cells[4] = podsku_buf_text(&new_text);
    if (podsku_buf_failed(&old_text) || podsku_buf_failed(&new_text))
        code = podsku_error_no_memory(&cli->err);
    else
        code = cli_table_row(table, cells, &cli->err);
    podsku_buf_free(&old_text);
    podsku_buf_free(&new_text);
    return code;
}

static enum podsku_code diff_table(struct cli *cli, const struct podsku_diff *diff, struct podsku_buf *out)
{
    static const struct cli_column columns[] = {{"", false, false, 0},
                                                {"GPU TYPE", false, true, 0},
                                                {"FIELD", false, false, 0},
                                                {"OLD", false, true, 0},
                                                {"NEW", false, true, 0}};
    struct cli_table *table = NULL;
    enum podsku_code code = cli_table_new(columns, 5, cli->width, &table, &cli->err);

    for (size_t i = 0; i < diff->added_count && code == PODSKU_OK; i++)
        code = add_diff_row(cli, table, "+", diff->added[i], NULL);
    for (size_t i = 0; i < diff->removed_count && code == PODSKU_OK; i++)
        code = add_diff_row(cli, table, "-", diff->removed[i], NULL);
    for (size_t i = 0; i < diff->change_count && code == PODSKU_OK; i++)
        code = add_diff_row(cli, table, "~", diff->changes[i].new_type, &diff->changes[i]);
    if (code == PODSKU_OK)
        code = cli_table_print(table, out, &cli->err);
    cli_table_free(table);
    return code;
}

static enum podsku_code load_diff(struct cli *cli, struct diff_run *run)
{
    size_t count;
    const char *const *operands = cli_operands(cli, &count);
    enum podsku_code code = cli_facts(cli, &run->facts);

    if (code == PODSKU_OK)
        code = cli_load_catalog(cli, operands[0], run->facts, &run->old_catalog);
    if (code == PODSKU_OK)
        code = cli_load_catalog(cli, operands[1], run->facts, &run->new_catalog);
    if (code == PODSKU_OK)
        code = podsku_catalog_diff(run->old_catalog, run->new_catalog, &run->diff, &cli->err);
    return code;
}

int cli_catalog_diff(struct cli *cli)
{
    struct diff_run run = {0};
    struct podsku_buf out = {0};
    const struct podsku_diff *diff = &run.diff;
    enum podsku_code code = load_diff(cli, &run);

    if (code == PODSKU_OK && cli->output == CLI_JSON)
        code = cli_write_json(cli, diff_json(diff));
    else if (code == PODSKU_OK && diff->added_count + diff->removed_count + diff->change_count > 0)
        code = diff_table(cli, diff, &out);
    if (code == PODSKU_OK && out.len > 0)
        code = cli_write(cli, podsku_buf_text(&out), out.len);
    if (code == PODSKU_OK && cli->output != CLI_JSON)
        cli_say(cli, "%zu added, %zu removed, %zu changes", diff->added_count, diff->removed_count, diff->change_count);
    podsku_diff_free(&run.diff);
    podsku_catalog_free(run.old_catalog);
    podsku_catalog_free(run.new_catalog);
    podsku_facts_free(run.facts);
    podsku_buf_free(&out);
    return code == PODSKU_OK ? 0 : cli_fail(cli);
}

static json_t *check_json(const struct podsku_findings *findings)
{
    json_t *document = json_object();
    json_t *list = json_array();
    bool ok = podsku_json_set(document, "schema", json_string("podsku.check/1"));

    for (size_t i = 0; ok && i < findings->count; i++) {
        const struct podsku_finding *finding = &findings->list[i];
        json_t *object = json_object();
        bool whole = podsku_json_set(object, "severity", json_string(finding->is_error ? "error" : "oddity")) &&
                     podsku_json_set(object, "path", podsku_json_text(finding->path)) &&
                     podsku_json_set(object, "code", json_string(finding->code)) &&
                     podsku_json_set(object, "message", podsku_json_text(finding->message));
        object = podsku_json_whole(object, whole);
        ok = cli_json_append(list, object);
    }
    ok = ok && json_object_set(document, "findings", list) == 0;
    json_decref(list);
    return podsku_json_whole(document, ok);
}

static enum podsku_code check_table(struct cli *cli, const struct podsku_findings *findings, struct podsku_buf *out)
{
    static const struct cli_column columns[] = {{"SEVERITY", false, false, 0},
                                                {"PATH", false, false, 0},
                                                {"CODE", false, false, 0},
                                                {"MESSAGE", false, false, 0}};
    struct cli_table *table = NULL;
    /* A finding that is cut short helps nobody: as wide as needed. */
    enum podsku_code code = cli_table_new(columns, 4, 0, &table, &cli->err);

    for (size_t i = 0; i < findings->count && code == PODSKU_OK; i++) {
        const struct podsku_finding *finding = &findings->list[i];
        const char *cells[] = {finding->is_error ? "error" : "oddity", finding->path, finding->code, finding->message};
        code = cli_table_row(table, cells, &cli->err);
    }
    if (code == PODSKU_OK)
        code = cli_table_print(table, out, &cli->err);
    cli_table_free(table);
    return code;
}

static enum podsku_code run_check(struct cli *cli, const char *path, const struct podsku_facts_set **facts,
                                  struct podsku_findings *findings, struct podsku_buf *out)
{
    struct podsku_buf bytes = {0};
    enum podsku_code code = cli_facts(cli, facts);

    if (code == PODSKU_OK)
        code = podsku_file_read(path, PODSKU_FILE_MAX, &bytes, &cli->err);
    if (code == PODSKU_OK)
        code = podsku_catalog_check(podsku_buf_text(&bytes), bytes.len, path, *facts, findings, &cli->err);
    if (code == PODSKU_OK && cli->output == CLI_JSON)
        code = cli_write_json(cli, check_json(findings));
    else if (code == PODSKU_OK && findings->count > 0)
        code = check_table(cli, findings, out);
    if (code == PODSKU_OK && out->len > 0)
        code = cli_write(cli, podsku_buf_text(out), out->len);
    podsku_buf_free(&bytes);
    return code;
}

int cli_catalog_check(struct cli *cli)
{
    size_t count;
    const char *const *operands = cli_operands(cli, &count);
    const struct podsku_facts_set *facts = NULL;
    struct podsku_findings findings = {0};
    struct podsku_buf out = {0};
    int status = 0;

    if (run_check(cli, operands[0], &facts, &findings, &out) != PODSKU_OK) {
        status = cli_fail(cli);
    } else if (findings.errors > 0) {
        (void)podsku_error_set(&cli->err, PODSKU_INPUT, "%s: %zu %s, %zu oddities", operands[0], findings.errors,
                               findings.errors == 1 ? "error" : "errors", findings.count - findings.errors);
        status = cli_decided(cli, PODSKU_INPUT);
    } else {
        cli_say(cli, "%s: no errors, %zu oddities", operands[0], findings.count);
    }
    podsku_findings_free(&findings);
    podsku_facts_free(facts);
    podsku_buf_free(&out);
    return status;
}

int cli_run_catalog(struct cli *cli)
{
    static const struct {
        const char *verb;
        int (*run)(struct cli *cli);
    } verbs[] = {
        {"list", cli_catalog_list},   {"pull", cli_catalog_pull}, {"diff", cli_catalog_diff},
        {"check", cli_catalog_check}, {"mig", cli_catalog_mig},
    };
    const char *verb = cli_verb(cli);

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].verb, verb) == 0)
            return verbs[i].run(cli);
    (void)podsku_error_set(&cli->err, PODSKU_INTERNAL, "catalog has no verb %s", verb);
    return cli_fail(cli);
}
