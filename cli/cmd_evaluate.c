/* podsku evaluate: many recorded cases, decided offline; with or without expectations. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/evaluate.h"

enum { FLUSH_AT = 256 << 10 };

struct evaluation {
    struct cli *cli;
    const struct podsku_facts_set *facts;
    struct cli_eval_catalog *catalogs;
    size_t catalog_count;
    struct cli_scenarios scenarios;
    struct cli_report report;
    struct podsku_decision decision; /* used again for every case */
    struct cli_memo memo;
    int64_t limit; /* 0: none */
};

static enum podsku_code flush(void *ctx)
{
    struct evaluation *eval = ctx;

    return cli_report_flush(&eval->report);
}

static enum podsku_code load_catalog(struct evaluation *eval, const char *source, struct cli_eval_catalog *slot)
{
    struct podsku_error *err = &eval->cli->err;
    enum podsku_code code;
    json_t *name;

    slot->name = source;
    if (strcmp(source, "live") == 0 || strcmp(source, "graphql") == 0) {
        podsku_error_hint(err, "podsku catalog pull --catalog %s -o FILE, then --catalog FILE", source);
        return podsku_error_set(err, PODSKU_USAGE, "evaluate works offline, on recorded catalogues");
    }
    if (strcmp(source, "bundled") == 0)
        code = podsku_catalog_bundled(eval->facts, &slot->catalog, err);
    else
        code = cli_load_catalog(eval->cli, source, eval->facts, &slot->catalog);
    if (code != PODSKU_OK)
        return code;
    slot->fragments.types = slot->catalog->types;
    name = podsku_json_text(source);
    podsku_json_write(&slot->json_name, name, false);
    json_decref(name);
    return podsku_buf_failed(&slot->json_name) ? podsku_error_no_memory(err) : PODSKU_OK;
}

static enum podsku_code load_catalogs(struct evaluation *eval)
{
    static const char *const fallback[] = {"bundled"};
    struct cli *cli = eval->cli;
    size_t count;
    const char *const *sources = cli_values(cli, "catalog", &count);
    enum podsku_code code = PODSKU_OK;

    if (count == 0) {
        sources = fallback;
        count = 1;
    }
    eval->catalogs = calloc(count, sizeof *eval->catalogs);
    if (!eval->catalogs)
        return podsku_error_no_memory(&cli->err);
    eval->catalog_count = count;
    for (size_t i = 0; i < count && code == PODSKU_OK; i++)
        code = load_catalog(eval, sources[i], &eval->catalogs[i]);
    return code;
}

static enum podsku_code load(struct evaluation *eval)
{
    struct cli *cli = eval->cli;
    size_t count;
    const char *const *operands = cli_operands(cli, &count);
    enum podsku_code code = cli_count(cli, "limit", 0, 1, 1000000, &eval->limit);
    if (code == PODSKU_OK)
        code = cli_facts(cli, &eval->facts);
    if (code == PODSKU_OK)
        code = load_catalogs(eval);
    if (code == PODSKU_OK)
        code = cli_scenarios_open(&eval->scenarios, operands[0], &cli->err);
    return code;
}

static enum podsku_code decide(struct evaluation *eval, const struct podsku_catalog *catalog, struct cli_case *item,
                               bool reasons)
{
    enum podsku_detail detail = reasons ? PODSKU_DECIDE_REASONS : PODSKU_DECIDE_COUNT;

    /* --limit cuts what is printed, never what an expectation is compared with. */
    if (!item->expect && eval->limit > 0 && (item->req.limit == 0 || item->req.limit > eval->limit))
        item->req.limit = (int)eval->limit;
    /* Lenient: a pattern that matches nothing leaves no candidates; it is no fault of the scenario. */
    return podsku_decide(catalog, &item->req, detail, true, &eval->decision, &eval->cli->err);
}

/* A case without expectation; *line_err says why its requirement cannot be read. */
static enum podsku_code print_case(struct evaluation *eval, size_t index, struct cli_case *item,
                                   struct podsku_error *line_err)
{
    struct cli_eval_catalog *catalog = &eval->catalogs[index];
    struct podsku_buf *out = &eval->report.out;
    bool shown = eval->cli->output != CLI_JUNIT;
    size_t len = 0;
    const char *kept = shown ? cli_memo_find(&eval->memo, item->requirement, index, &len) : NULL;

    if (!kept) {
        enum podsku_code code = cli_case_requirement(item, eval->scenarios.name, line_err);
        if (code == PODSKU_OK)
            code = decide(eval, catalog->catalog, item, eval->report.explain);
        if (code != PODSKU_OK)
            return code;
    }
    cli_report_open(&eval->report, catalog, item);
    if (kept) {
        podsku_buf_append(out, kept, len);
    } else if (shown) {
        size_t start = out->len;
        cli_report_decision(&eval->report, catalog, &eval->decision);
        if (!podsku_buf_failed(out))
            cli_memo_keep(&eval->memo, item->requirement, index, out->data + start, out->len - start);
    }
    cli_report_close(&eval->report);
    return PODSKU_OK;
}

static enum podsku_code judge_case(struct evaluation *eval, size_t index, struct cli_case *item,
                                   struct podsku_error *line_err)
{
    struct cli_eval_catalog *catalog = &eval->catalogs[index];
    struct cli_verdict verdict = {0};
    enum podsku_code code = cli_case_requirement(item, eval->scenarios.name, line_err);

    if (code == PODSKU_OK)
        code = decide(eval, catalog->catalog, item, item->needs_reasons);
    if (code == PODSKU_OK)
        code = cli_case_judge(item, &eval->decision, &verdict, &eval->cli->err);
    if (code == PODSKU_OK)
        cli_report_verdict(&eval->report, catalog, item, &verdict);
    cli_verdict_free(&verdict);
    return code;
}

static enum podsku_code run_case(struct evaluation *eval, const char *bytes, size_t len, size_t line)
{
    struct cli_case item = {0};
    struct podsku_error line_err = {0};
    enum podsku_code code = cli_case_read(&item, bytes, len, eval->scenarios.name, &line_err);

    for (size_t i = 0; i < eval->catalog_count && code == PODSKU_OK; i++)
        code = item.expect ? judge_case(eval, i, &item, &line_err) : print_case(eval, i, &item, &line_err);
    if (line_err.code == PODSKU_NO_MEMORY) {
        code = podsku_error_no_memory(&eval->cli->err);
    } else if (line_err.code != PODSKU_OK) {
        cli_report_error(&eval->report, &item, line, &line_err);
        code = PODSKU_OK;
    }
    cli_case_free(&item);
    if (code == PODSKU_OK && eval->report.out.len >= FLUSH_AT)
        code = cli_report_flush(&eval->report);
    return code;
}

static void report_broken(struct evaluation *eval, size_t line)
{
    const struct cli_case nameless = {0};
    struct podsku_error broken = eval->cli->err;

    podsku_error_clear(&eval->cli->err);
    cli_report_error(&eval->report, &nameless, line, &broken);
}

static enum podsku_code run_cases(struct evaluation *eval)
{
    enum podsku_code code;
    const char *bytes;
    size_t len = 0;
    size_t line = 0;

    cli_report_begin(&eval->report);
    for (;;) {
        code = cli_scenarios_next(&eval->scenarios, &bytes, &len, &line, &eval->cli->err);
        if (code == PODSKU_INPUT) {
            report_broken(eval, line);
            code = PODSKU_OK;
            if (eval->scenarios.shape == CLI_SCENARIOS_LINES)
                continue;
            break; /* what follows a broken place in an array cannot be told apart */
        }
        if (code != PODSKU_OK || !bytes)
            break;
        code = run_case(eval, bytes, len, line);
        if (code != PODSKU_OK)
            break;
    }
    if (code == PODSKU_OK) {
        cli_report_end(&eval->report);
        code = cli_report_flush(&eval->report);
    }
    return code;
}

static int conclude(struct evaluation *eval)
{
    struct cli *cli = eval->cli;
    const struct cli_report *report = &eval->report;

    if (report->cases == 0)
        cli_warn(cli, "no scenario in %s", eval->scenarios.name);
    if (report->errors > 0) {
        (void)podsku_error_set(&cli->err, PODSKU_INPUT, "%zu of the scenarios in %s could not be read", report->errors,
                               eval->scenarios.name);
        return cli_decided(cli, PODSKU_INPUT);
    }
    if (report->failed > 0) {
        (void)podsku_error_set(&cli->err, PODSKU_EXPECTATION, "%zu of %zu expectations failed", report->failed,
                               report->failed + report->passed);
        return cli_decided(cli, PODSKU_EXPECTATION);
    }
    return 0;
}

int cli_run_evaluate(struct cli *cli)
{
    struct evaluation eval = {.cli = cli, .scenarios = {.fd = -1}};
    int status;

    eval.report.cli = cli;
    eval.report.explain = cli_has(cli, "explain");
    eval.scenarios.before_read = flush;
    eval.scenarios.ctx = &eval;
    if (load(&eval) != PODSKU_OK || run_cases(&eval) != PODSKU_OK)
        status = cli_fail(cli);
    else
        status = conclude(&eval);
    for (size_t i = 0; i < eval.catalog_count; i++) {
        podsku_catalog_free(eval.catalogs[i].catalog);
        podsku_buf_free(&eval.catalogs[i].json_name);
        cli_fragments_free(&eval.catalogs[i].fragments);
    }
    free(eval.catalogs);
    cli_scenarios_close(&eval.scenarios);
    podsku_buf_free(&eval.report.out);
    podsku_buf_free(&eval.report.body);
    podsku_decision_free(&eval.decision);
    cli_memo_free(&eval.memo);
    podsku_facts_free(eval.facts);
    return status;
}
