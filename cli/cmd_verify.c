/* podsku verify: texts of a file, of standard input, of this machine or of a pod, judged against the flags. */
#include "cli/cmd_verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/verify_remote.h"
#include "cli/view_verify.h"

enum { LOCAL_TIMEOUT_MS = 60000, LOCAL_OUTPUT_MAX = 4 << 20 };

/* --- what is expected -------------------------------------------------------------------------- */

/* Was anything of the requirement asked for? The defaults of a requirement are no expectation. */
static bool has_requirement(const struct cli *cli)
{
    static const char *const flags[] = {
        "requirement",      "gpus",       "nodes", "nvlink", "parallelism", "min-link-gbs", "memory-fraction",
        "compute-fraction", "mig-parent", "mig",   "gpu",    "exclude"};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        if (cli_has(cli, flags[i]))
            return true;
    }
    return false;
}

/* The types that --expect, --gpu and --exclude name; what nothing is called is a typing error. */
static enum podsku_code expect_types(struct cli *cli, const struct podsku_catalog *names,
                                     const struct podsku_requirement *req, struct podsku_expectation *expected)
{
    const char *wanted = cli_value(cli, "expect");
    enum podsku_code code = podsku_verify_check_patterns(names, req, &cli->err);

    expected->gpu = &req->gpu;
    expected->exclude = &req->exclude;
    expected->names = names;
    if (!code && wanted)
        code = podsku_verify_find_type(names, wanted, &expected->gpu_type, &expected->facts, &cli->err);
    return code;
}

/* Fields of a requirement's file that no text of nvidia-smi can answer are not judged, and said to be so. */
static enum podsku_code note_ignored(struct cli *cli, const struct podsku_requirement *req)
{
    static const char *const judged[] = {
        "gpus", "nodes", "nvlink",  "parallelism", "min_link_gbs", "memory_fraction", "compute_fraction", "mig_parent",
        "mig",  "gpu",   "exclude", NULL};
    struct podsku_buf list = {0};
    const char *key;
    json_t *value;
    json_t *fields = cli_has(cli, "requirement") ? podsku_requirement_encode(req) : NULL;
    bool failed = cli_has(cli, "requirement") && !fields;

    json_object_foreach(fields, key, value)
    {
        size_t i = 0;
        while (judged[i] && strcmp(judged[i], key) != 0)
            i++;
        if (!judged[i])
            podsku_buf_printf(&list, "%s%s", list.len ? ", " : "", key);
    }
    if (list.len)
        cli_warn(cli, "not judged, since no text of nvidia-smi tells: %s", podsku_buf_text(&list));
    failed |= podsku_buf_failed(&list);
    podsku_buf_free(&list);
    json_decref(fields);
    return failed ? podsku_error_no_memory(&cli->err) : PODSKU_OK;
}

/* One text is one machine's. */
static enum podsku_code check_nodes(struct cli *cli, const struct podsku_requirement *req)
{
    if (req->nodes <= 1 || cli_has(cli, "cluster"))
        return PODSKU_OK;
    podsku_error_hint(&cli->err, "podsku verify --cluster ID looks at every member");
    return podsku_error_set(&cli->err, PODSKU_USAGE, "--nodes %d: one machine's text cannot speak for %d", req->nodes,
                            req->nodes);
}

static enum podsku_code expect_count(struct cli *cli, const struct podsku_requirement *req,
                                     struct podsku_expectation *expected)
{
    if (!cli_has(cli, "gpus") && !cli_has(cli, "requirement"))
        return PODSKU_OK; /* any number */
    if (req->gpus_count != 1) {
        podsku_error_hint(&cli->err, "a machine has one number of GPUs: --gpus 8");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "several GPU counts cannot be an expectation");
    }
    expected->gpus = req->gpus[0];
    return PODSKU_OK;
}

static struct podsku_share share_of(struct podsku_fraction fraction)
{
    return (struct podsku_share){fraction.numerator, fraction.denominator};
}

static void expect_links(struct cli *cli, const struct podsku_requirement *req, struct podsku_expectation *expected)
{
    /* Without a count it is about however many GPUs there are. */
    enum podsku_nvlink_level level = podsku_requirement_nvlink(req, expected->gpus > 0 ? expected->gpus : 2);
    const struct podsku_facts *facts = expected->facts;

    expected->nvlink = level == PODSKU_NVLINK_REQUIRED || level == PODSKU_NVLINK_POSSIBLE;
    expected->min_link_gbs = req->min_link_gbs;
    /* A type whose board links all of its GPUs is expected to have them linked. */
    if (!cli_has(cli, "nvlink") && facts && facts->evidence == PODSKU_EVIDENCE_BOARD && expected->gpus != 1 &&
        expected->gpus <= facts->nvlink_domain)
        expected->nvlink = true;
}

static void expect_slices(const struct cli *cli, const struct podsku_requirement *req,
                          struct podsku_expectation *expected)
{
    enum podsku_mig_mode mode = podsku_requirement_mig(req);
    bool slice_type = expected->gpu_type && strstr(expected->gpu_type, " MIG ") != NULL;

    expected->memory_share = share_of(req->memory_fraction);
    expected->compute_share = share_of(req->compute_fraction);
    expected->mig_parent = req->mig_parent;
    expected->mig_only = mode == PODSKU_MIG_ONLY;
    expected->whole_card = mode == PODSKU_MIG_FORBID && !slice_type && (expected->gpu_type || has_requirement(cli));
}

enum podsku_code cli_verify_expectation(struct cli *cli, const struct podsku_catalog *names,
                                        struct podsku_requirement *req, struct podsku_expectation *expected)
{
    enum podsku_code code;

    memset(expected, 0, sizeof *expected);
    podsku_requirement_init(req);
    code = cli_requirement(cli, req);
    if (!code)
        code = check_nodes(cli, req);
    if (!code)
        code = expect_types(cli, names, req, expected);
    if (!code)
        code = note_ignored(cli, req);
    if (!code)
        code = expect_count(cli, req, expected);
    if (code)
        return code;
    expect_links(cli, req, expected);
    expect_slices(cli, req, expected);
    expected->strict = cli_has(cli, "strict");
    return PODSKU_OK;
}

/* --- this machine ------------------------------------------------------------------------------ */

/* The first is what counts; what the others say is taken only when they work. */
static const char *const local_commands[][6] = {
    {"nvidia-smi", "topo", "-m", NULL},
    {"nvidia-smi", "-L", NULL},
    {"nvidia-smi", "--query-gpu=index,name,uuid,driver_version,memory.total,mig.mode.current", "--format=csv", NULL},
    {"nvidia-smi", "topo", "-p2p", "n", NULL},
};

static void append_command(struct podsku_buf *text, const char *const *argv)
{
    podsku_buf_putc(text, '$');
    for (; *argv; argv++)
        podsku_buf_printf(text, " %s", *argv);
    podsku_buf_putc(text, '\n');
}

/* One command: its output goes to text. *go_on: false when the next ones would say nothing new. */
static enum podsku_code run_local(struct cli *cli, size_t which, int64_t deadline, struct podsku_buf *text,
                                  bool *failed, bool *go_on)
{
    struct cli_child_request request = {
        .argv = local_commands[which], .max_output = LOCAL_OUTPUT_MAX, .deadline_mono_ms = deadline};
    struct cli_child_result result = {0};
    enum podsku_code code = cli_child_run(&request, &result, &cli->err);

    *go_on = true;
    if (code)
        return code;
    if (result.end == CLI_CHILD_NOT_STARTED) {
        podsku_buf_puts(text, "nvidia-smi: command not found\n");
        cli_warn(cli, "nvidia-smi cannot be run: %s", strerror(result.status));
        *go_on = false;
    } else if (result.end != CLI_CHILD_EXITED) {
        cli_warn(cli, "nvidia-smi %s did not answer in time, or said too much", local_commands[which][1]);
        *go_on = result.end != CLI_CHILD_TIMED_OUT;
        append_command(text, local_commands[which]); /* half an answer is half an answer, and read as such */
        podsku_buf_append(text, podsku_buf_text(&result.output), result.output.len);
    } else if (result.status == 0 || which == 0 || (which == 1 && *failed)) {
        /* A driver that does not answer says so on either stream; a list that fails spoils no matrix. */
        *failed |= result.status != 0;
        append_command(text, local_commands[which]);
        podsku_buf_append(text, podsku_buf_text(&result.output), result.output.len);
        if (result.status != 0)
            podsku_buf_append(text, podsku_buf_text(&result.errors), result.errors.len);
        podsku_buf_putc(text, '\n');
    }
    cli_child_free(&result);
    return PODSKU_OK;
}

enum podsku_code cli_verify_local(struct cli *cli, struct podsku_buf *text)
{
    int64_t timeout_ms;
    bool failed = false; /* the matrix: the list may say why */
    bool go_on = true;
    enum podsku_code code = cli_duration(cli, "timeout", LOCAL_TIMEOUT_MS, &timeout_ms);
    int64_t deadline = podsku_clock_mono_ms(podsku_clock_system()) + timeout_ms;

    for (size_t i = 0; !code && go_on && i < sizeof local_commands / sizeof *local_commands; i++)
        code = run_local(cli, i, deadline, text, &failed, &go_on);
    if (!code && podsku_buf_failed(text))
        code = podsku_error_no_memory(&cli->err);
    return code;
}

/* --- what is shown ----------------------------------------------------------------------------- */

static enum podsku_code code_of(enum podsku_verdict verdict)
{
    switch (verdict) {
    case PODSKU_VERDICT_NULL:
    case PODSKU_VERDICT_MATCH: return PODSKU_OK;
    case PODSKU_VERDICT_MISMATCH: return PODSKU_MISMATCH;
    case PODSKU_VERDICT_UNVERIFIED: return PODSKU_UNVERIFIED;
    }
    return PODSKU_UNVERIFIED;
}

static enum podsku_code write_format(struct cli *cli, const struct podsku_verification *verification)
{
    struct podsku_buf out = {0};
    enum podsku_code code;

    if (cli->output == CLI_JSON)
        return cli_write_json(cli, podsku_verification_encode(verification));
    if (cli->output == CLI_SVG)
        cli_verify_svg(&out, verification);
    else
        cli_verify_table(&out, verification, cli->width, cli->color);
    code = podsku_buf_failed(&out) ? podsku_error_no_memory(&cli->err) : cli_write(cli, podsku_buf_text(&out), out.len);
    podsku_buf_free(&out);
    return code;
}

enum podsku_code cli_verify_show(struct cli *cli, const struct podsku_verification *verification, int *status)
{
    enum podsku_code verdict = code_of(podsku_verification_verdict(verification));
    const char *word;
    const char *problem = podsku_verification_problem(verification, 0, &word);
    enum podsku_code code = write_format(cli, verification);

    if (code)
        return code;
    *status = podsku_code_exit_status(verdict);
    /* The table ends with the verdict; beside other formats it is said here. */
    if (cli->output != CLI_TABLE && verdict)
        cli_warn(cli, "%s: %s", podsku_verdict_name(podsku_verification_verdict(verification)),
                 problem ? problem : podsku_verification_summary(verification));
    if (cli->output == CLI_JSON)
        return PODSKU_OK; /* the advice is in the document */
    const char *advice = podsku_verification_advice(verification, 0);
    for (size_t i = 0; advice; i++, advice = podsku_verification_advice(verification, i))
        cli_say(cli, "%s", advice);
    return PODSKU_OK;
}

enum podsku_code cli_verify_text(struct cli *cli, const char *bytes, size_t len,
                                 const struct podsku_expectation *expected, int *status)
{
    struct podsku_reading *reading = NULL;
    struct podsku_verification *verification = NULL;
    enum podsku_code code = podsku_verify_read(bytes, len, &reading, &cli->err);

    if (!code)
        code = podsku_verify_judge(reading, expected, &verification, &cli->err);
    if (!code)
        code = cli_verify_show(cli, verification, status);
    podsku_verification_free(verification);
    podsku_reading_free(reading);
    return code;
}

/* --- the command ------------------------------------------------------------------------------- */

/* Exactly one source; which one. */
static enum podsku_code check_sources(struct cli *cli)
{
    size_t operands;
    (void)cli_operands(cli, &operands);
    size_t sources = operands + cli_has(cli, "local") + cli_has(cli, "pod") + cli_has(cli, "cluster");

    if (sources == 1)
        return PODSKU_OK;
    podsku_error_hint(&cli->err, "FILE, - (standard input), --local, --pod ID or --cluster ID");
    return podsku_error_set(&cli->err, PODSKU_USAGE, sources ? "one thing at a time can be verified" : "verify what?");
}

static enum podsku_code read_text(struct cli *cli, struct podsku_buf *text)
{
    size_t count;
    const char *const *operands = cli_operands(cli, &count);

    if (cli_has(cli, "local"))
        return cli_verify_local(cli, text);
    return podsku_file_read(operands[0], PODSKU_VERIFY_BYTES_MAX, text, &cli->err);
}

int cli_run_verify(struct cli *cli)
{
    const struct podsku_facts_set *facts = NULL;
    struct podsku_catalog *names = NULL;
    struct podsku_requirement req;
    struct podsku_expectation expected;
    struct podsku_buf text = {0};
    int status = 0;

    podsku_requirement_init(&req);
    enum podsku_code code = check_sources(cli);
    if (!code)
        code = cli_facts(cli, &facts);
    if (!code)
        code = podsku_catalog_bundled(facts, &names, &cli->err);
    if (!code)
        code = cli_verify_expectation(cli, names, &req, &expected);
    if (!code && (cli_has(cli, "pod") || cli_has(cli, "cluster"))) {
        code = cli_verify_remote(cli, facts, &expected, &status);
    } else if (!code) {
        code = read_text(cli, &text);
        if (!code)
            code = cli_verify_text(cli, podsku_buf_text(&text), text.len, &expected, &status);
    }
    if (code)
        status = cli_fail(cli);
    podsku_buf_free(&text);
    podsku_requirement_free(&req);
    podsku_catalog_free(names);
    podsku_facts_free(facts);
    return status;
}
