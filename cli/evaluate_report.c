/* What evaluate prints: lines for people, lines for scripts, one JSON document, or JUnit's XML. */
#include <string.h>

#include "base/json.h"
#include "cli/evaluate.h"
#include "cli/json_offer.h"
#include "cli/view_pick.h"

/* Most names need no escapes: jansson is asked only for those that do. */
static void put_name(struct podsku_buf *out, const json_t *name)
{
    const char *text = name ? json_string_value(name) : NULL;
    size_t plain = 0;

    if (!text) {
        podsku_buf_puts(out, "null");
        return;
    }
    while ((unsigned char)text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\' && text[plain] != 0x7f)
        plain++;
    if (text[plain] != '\0') {
        podsku_json_write(out, name, false);
        return;
    }
    podsku_buf_putc(out, '"');
    podsku_buf_append(out, text, plain);
    podsku_buf_putc(out, '"');
}

static void put_number(struct podsku_buf *out, size_t number)
{
    char digits[24];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    podsku_buf_append(out, digits + at, sizeof digits - at);
}

static const char *name_text(const struct cli_case *item)
{
    return item->name ? json_string_value(item->name) : "(no name)";
}

static void put_value(struct podsku_buf *out, json_t *value)
{
    podsku_json_write(out, value, false);
    json_decref(value);
}

/* "candidates":[...],"rejected":N or [...] */
void cli_report_decision(struct cli_report *report, struct cli_eval_catalog *catalog,
                         const struct podsku_decision *decision)
{
    struct podsku_buf *out = &report->out;

    podsku_buf_puts(out, "\"candidates\":");
    cli_put_offers(&catalog->fragments, decision->candidates, decision->candidate_count, out);
    podsku_buf_puts(out, ",\"rejected\":");
    if (report->explain)
        put_value(out, cli_rejected_json(decision->rejected, decision->rejected_count));
    else
        put_number(out, decision->rejected_count);
}

static void put_case_head(struct cli_report *report, const struct cli_case *item, const struct podsku_buf *catalog)
{
    struct podsku_buf *out = &report->out;

    if (report->cli->output == CLI_JSON)
        podsku_buf_puts(out, report->cases > 0 ? ",\n" : "\n");
    podsku_buf_puts(out, "{\"name\":");
    put_name(out, item->name);
    if (catalog) {
        podsku_buf_puts(out, ",\"catalog\":");
        podsku_buf_append(out, catalog->data, catalog->len);
    }
}

/* XML text: the five entities; control bytes, which XML 1.0 cannot carry, become '?'. */
static void put_xml(struct podsku_buf *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&': podsku_buf_puts(out, "&amp;"); break;
        case '<': podsku_buf_puts(out, "&lt;"); break;
        case '>': podsku_buf_puts(out, "&gt;"); break;
        case '"': podsku_buf_puts(out, "&quot;"); break;
        case '\'': podsku_buf_puts(out, "&apos;"); break;
        default: podsku_buf_putc(out, (unsigned char)*text < 0x20 ? '?' : *text);
        }
    }
}

static void put_testcase(struct cli_report *report, const char *name, const char *catalog, const char *kind,
                         const char *message)
{
    struct podsku_buf *out = &report->body;

    podsku_buf_puts(out, "    <testcase name=\"");
    put_xml(out, name);
    podsku_buf_puts(out, "\" classname=\"");
    put_xml(out, catalog);
    if (!kind) {
        podsku_buf_puts(out, "\"/>\n");
        return;
    }
    podsku_buf_printf(out, "\"><%s message=\"", kind);
    put_xml(out, message);
    podsku_buf_puts(out, "\"/></testcase>\n");
}

void cli_report_begin(struct cli_report *report)
{
    if (report->cli->output == CLI_JSON)
        podsku_buf_puts(&report->out, "{\"schema\":\"podsku.evaluate/1\",\"cases\":[");
}

void cli_report_open(struct cli_report *report, const struct cli_eval_catalog *catalog, const struct cli_case *item)
{
    if (report->cli->output == CLI_JUNIT) {
        put_testcase(report, name_text(item), catalog->name, "skipped", "no expectation");
        return;
    }
    put_case_head(report, item, &catalog->json_name);
    if (report->cli->output == CLI_JSON)
        podsku_buf_puts(&report->out, ",\"ok\":null,\"expected\":null,\"actual\":{");
    else
        podsku_buf_putc(&report->out, ',');
}

void cli_report_close(struct cli_report *report)
{
    if (report->cli->output != CLI_JUNIT)
        podsku_buf_puts(&report->out, report->cli->output == CLI_JSON ? "}}" : "}\n");
    report->cases++;
}

void cli_report_verdict(struct cli_report *report, const struct cli_eval_catalog *catalog, const struct cli_case *item,
                        const struct cli_verdict *verdict)
{
    struct podsku_buf *out = &report->out;
    const char *message = podsku_buf_text(&verdict->message);

    switch (report->cli->output) {
    case CLI_JUNIT:
        put_testcase(report, name_text(item), catalog->name, verdict->ok ? NULL : "failure", message);
        break;
    case CLI_JSON:
        put_case_head(report, item, &catalog->json_name);
        podsku_buf_printf(out, ",\"ok\":%s,\"expected\":", verdict->ok ? "true" : "false");
        podsku_json_write(out, item->expect, false);
        podsku_buf_puts(out, ",\"actual\":");
        podsku_json_write(out, verdict->actual, false);
        podsku_buf_putc(out, '}');
        break;
    default:
        podsku_buf_puts(out, verdict->ok ? "ok    " : "FAIL  ");
        cli_put_text(out, name_text(item));
        podsku_buf_puts(out, "  (");
        cli_put_text(out, catalog->name);
        podsku_buf_putc(out, ')');
        if (!verdict->ok) {
            podsku_buf_puts(out, ": ");
            cli_put_text(out, message);
        }
        podsku_buf_putc(out, '\n');
        break;
    }
    report->cases++;
    report->passed += verdict->ok;
    report->failed += !verdict->ok;
}

static json_t *error_json(const struct podsku_error *err)
{
    json_t *object = json_object();

    bool whole = podsku_json_set(object, "code", json_string(podsku_code_name(err->code))) &&
                 podsku_json_set(object, "message", podsku_json_text(err->message)) &&
                 (!err->hint[0] || podsku_json_set(object, "hint", podsku_json_text(err->hint)));
    return podsku_json_whole(object, whole);
}

void cli_report_error(struct cli_report *report, const struct cli_case *item, size_t line,
                      const struct podsku_error *err)
{
    struct podsku_buf *out = &report->out;

    if (report->cli->output == CLI_JUNIT) {
        put_testcase(report, name_text(item), "scenario", "error", err->message);
    } else {
        put_case_head(report, item, NULL);
        podsku_buf_printf(out, ",\"line\":%zu,", line);
        if (report->cli->output == CLI_JSON)
            podsku_buf_puts(out, "\"ok\":false,\"expected\":null,\"actual\":null,");
        podsku_buf_puts(out, "\"error\":");
        put_value(out, error_json(err));
        podsku_buf_puts(out, report->cli->output == CLI_JSON ? "}" : "}\n");
    }
    report->cases++;
    report->errors++;
}

static void end_junit(struct cli_report *report)
{
    struct podsku_buf *out = &report->out;
    size_t skipped = report->cases - report->passed - report->failed - report->errors;

    podsku_buf_printf(out,
                      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                      "  <testsuite name=\"podsku evaluate\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
                      "skipped=\"%zu\">\n",
                      report->cases, report->failed, report->errors, skipped);
    podsku_buf_append(out, podsku_buf_text(&report->body), report->body.len);
    podsku_buf_puts(out, "  </testsuite>\n</testsuites>\n");
    out->failed |= podsku_buf_failed(&report->body);
}

void cli_report_end(struct cli_report *report)
{
    struct podsku_buf *out = &report->out;

    switch (report->cli->output) {
    case CLI_JUNIT: end_junit(report); break;
    case CLI_JSON:
        podsku_buf_printf(out, "%s],\"passed\":%zu,\"failed\":%zu,\"errors\":%zu}\n", report->cases ? "\n" : "",
                          report->passed, report->failed, report->errors);
        break;
    default:
        if (report->passed + report->failed > 0)
            podsku_buf_printf(out, "%zu passed, %zu failed\n", report->passed, report->failed);
        break;
    }
}

enum podsku_code cli_report_flush(struct cli_report *report)
{
    enum podsku_code code = PODSKU_OK;

    if (podsku_buf_failed(&report->out) || podsku_buf_failed(&report->body))
        return podsku_error_no_memory(&report->cli->err);
    if (report->out.len > 0)
        code = cli_write(report->cli, report->out.data, report->out.len);
    podsku_buf_reset(&report->out);
    return code;
}
