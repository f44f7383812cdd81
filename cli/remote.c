#include "cli/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "cli/observations.h"
#include "cli/progress.h"
#include "cli/signals.h"

#define TEXT_MAX ((size_t)1 << 20)
#define LOOK_MS 90000    /* longest that one look may take once it has begun */
#define REFUSED_MS 60000 /* keys that are refused for so long stay refused */
#define FIRST_PAUSE_MS 500
#define LONGEST_PAUSE_MS 5000
#define SLICE_MS 100
#define CUT_MOST 3  /* answers that end half-way because the connection was lost */
#define MUTE_MOST 5 /* logins after which nothing is answered */

/* How one try ended. */
enum attempt {
    TRY_ANSWERED,
    TRY_UNREACHABLE, /* no connection, no banner: sshd may not be up yet */
    TRY_REFUSED,     /* it is up and takes none of the keys */
    TRY_HOPELESS,    /* will not change: another host key, no ssh here */
};

static bool stopped(void *ctx)
{
    (void)ctx;
    return cli_signals_stop();
}

static const struct podsku_clock *clock_of(const struct cli_remote *remote)
{
    return remote->client ? podsku_client_clock(remote->client) : podsku_clock_system();
}

/* False when a signal came or the deadline is reached. */
static bool pause_until(const struct cli_remote *remote, int64_t ms, int64_t deadline_mono_ms)
{
    const struct podsku_clock *clock = clock_of(remote);
    int64_t end_ms = podsku_clock_mono_ms(clock) + ms;

    if (end_ms > deadline_mono_ms)
        end_ms = deadline_mono_ms;
    for (int64_t now = podsku_clock_mono_ms(clock); now < end_ms; now = podsku_clock_mono_ms(clock)) {
        if (cli_signals_stop())
            return false;
        podsku_clock_sleep_ms(clock, end_ms - now < SLICE_MS ? end_ms - now : SLICE_MS);
    }
    return !cli_signals_stop() && podsku_clock_mono_ms(clock) < deadline_mono_ms;
}

/* What ssh's words mean (OpenSSH 9; messages have been the same for many years). */
static enum attempt classify(const char *complaint)
{
    static const struct {
        const char *part;
        enum attempt attempt;
    } rows[] = {
        {"Permission denied", TRY_REFUSED},
        {"Too many authentication failures", TRY_REFUSED},
        {"Host key verification failed", TRY_HOPELESS},
        {"REMOTE HOST IDENTIFICATION HAS CHANGED", TRY_HOPELESS},
        {"Bad configuration option", TRY_HOPELESS},
        {"command-line", TRY_HOPELESS},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strstr(complaint, rows[i].part))
            return rows[i].attempt;
    }
    return TRY_UNREACHABLE;
}

/* One ssh. `complaint` is why it is no answer. */
static enum podsku_code try_once(const struct cli_remote *remote, const struct podsku_pod *pod, const char *command,
                                 const struct podsku_buf *input, int64_t deadline_mono_ms,
                                 struct cli_child_result *child, enum attempt *attempt, char complaint[256],
                                 struct podsku_error *err)
{
    const struct podsku_clock *clock = clock_of(remote);
    int64_t until_ms = podsku_clock_mono_ms(clock) + LOOK_MS;
    char said[256];
    struct cli_argv argv;
    struct cli_child_request request = {
        .input = input ? podsku_buf_text(input) : NULL,
        .input_len = input ? input->len : 0,
        .max_output = TEXT_MAX,
        .deadline_mono_ms = until_ms < deadline_mono_ms ? until_ms : deadline_mono_ms,
        .clock = clock,
        .stop = stopped,
    };
    enum podsku_code code =
        cli_ssh_command(&remote->ssh, &pod->ssh, pod->id, input ? CLI_SSH_FEED : CLI_SSH_ASK, command, &argv, err);

    if (code)
        return code;
    request.argv = (const char *const *)argv.list;
    code = cli_child_run(&request, child, err);
    cli_argv_free(&argv);
    if (code)
        return code;
    cli_ssh_complaint(&child->errors, said, sizeof said);
    /* A try that says nothing does not make what an earlier one said wrong. */
    if (said[0])
        (void)snprintf(complaint, 256, "%s", said);
    /* A terminal's Ctrl-C reaches ssh as well, and may end it before it is ended here. */
    if (child->end == CLI_CHILD_INTERRUPTED || cli_signals_stop()) {
        code = podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted");
        cli_child_free(child);
        return code;
    }
    if (child->end == CLI_CHILD_NOT_STARTED) {
        *attempt = TRY_HOPELESS;
        (void)snprintf(complaint, 256, "ssh cannot be started here: %s", strerror(child->status));
    } else if (child->end == CLI_CHILD_EXITED && child->status == CLI_SSH_FAILED) {
        *attempt = classify(said);
    } else if (child->end == CLI_CHILD_TIMED_OUT && child->output.len == 0) {
        *attempt = TRY_UNREACHABLE; /* whether it was about to log in cannot be told */
    } else {
        *attempt = TRY_ANSWERED;
    }
    return PODSKU_OK;
}

/* Tries to log in until something answers. child is to be freed when the code is PODSKU_OK. */
static enum podsku_code log_in(const struct cli_remote *remote, const struct podsku_pod *pod, const char *command,
                               const struct podsku_buf *input, int64_t deadline_mono_ms, struct cli_child_result *child,
                               struct podsku_error *err)
{
    const struct podsku_clock *clock = clock_of(remote);
    int64_t start_ms = podsku_clock_mono_ms(clock);
    int64_t refused_ms = 0;
    int64_t wait_ms = FIRST_PAUSE_MS;
    char complaint[256] = "";
    char elapsed[CLI_ELAPSED_SIZE];
    struct podsku_error why = {0};

    if (cli_ssh_check(&pod->ssh, &why) != PODSKU_OK)
        return podsku_error_set(err, PODSKU_UNVERIFIED, "no login: %s", why.message);
    for (;;) {
        enum attempt attempt = TRY_HOPELESS;
        int64_t now_ms;
        enum podsku_code code =
            try_once(remote, pod, command, input, deadline_mono_ms, child, &attempt, complaint, err);
        if (code || attempt == TRY_ANSWERED)
            return code;
        /* Connected and talking, then lost: the caller knows what it got. */
        if (child->output.len > 0)
            return PODSKU_OK;
        cli_child_free(child);
        now_ms = podsku_clock_mono_ms(clock);
        refused_ms = attempt == TRY_REFUSED ? (refused_ms ? refused_ms : now_ms) : 0;
        if (attempt == TRY_HOPELESS || (refused_ms && now_ms - refused_ms >= REFUSED_MS))
            break;
        cli_progress(remote->cli, "    %s ssh: %s; trying again", cli_elapsed_text(now_ms - start_ms, elapsed),
                     complaint[0] ? complaint : "no answer");
        if (!pause_until(remote, wait_ms, deadline_mono_ms))
            break;
        wait_ms = wait_ms * 2 > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : wait_ms * 2;
    }
    cli_progress_clear(remote->cli);
    if (cli_signals_stop())
        return podsku_error_set(err, PODSKU_INTERRUPTED, "interrupted");
    podsku_error_hint(err, "usually the key (--ssh-key FILE; podsku doctor lists the registered ones) or an image "
                           "without sshd");
    if (strstr(complaint, "Host key verification failed"))
        return podsku_error_set(err, PODSKU_UNVERIFIED,
                                "no login to %s port %d: its host key is not the one seen before (after a restart of "
                                "the pod that is usual: ssh-keygen -R podsku-%s -f %s)",
                                pod->ssh.host, pod->ssh.port, pod->id, remote->ssh.known_hosts);
    return podsku_error_set(err, PODSKU_UNVERIFIED, "no login to %s port %d: %s", pod->ssh.host, pod->ssh.port,
                            complaint[0] ? complaint : "no answer");
}

enum podsku_code cli_remote_ask(const struct cli_remote *remote, const struct podsku_pod *pod, const char *command,
                                const struct podsku_buf *input, int64_t deadline_mono_ms, struct podsku_buf *out,
                                int *status, struct podsku_error *err)
{
    struct cli_child_result child = {.end = CLI_CHILD_EXITED};
    enum podsku_code code;

    for (int tries = 0; tries < CUT_MOST; tries++) {
        code = log_in(remote, pod, command, input, deadline_mono_ms, &child, err);
        if (code)
            return code;
        if (child.end == CLI_CHILD_EXITED && child.status != CLI_SSH_FAILED)
            break;
        bool in_time = child.end == CLI_CHILD_EXITED && pause_until(remote, FIRST_PAUSE_MS, deadline_mono_ms);
        cli_child_free(&child);
        if (!in_time || tries + 1 == CUT_MOST)
            return podsku_error_set(err, PODSKU_UNVERIFIED, "the ssh connection ended before the command did");
    }
    cli_progress_clear(remote->cli);
    *status = child.status;
    podsku_buf_append(out, podsku_buf_text(&child.output), child.output.len);
    cli_child_free(&child);
    return podsku_buf_failed(out) ? podsku_error_no_memory(err) : PODSKU_OK;
}

/* ------------------------------------------------------------------ the text between the markers */

/* What is asked, in this order. The first one is what counts. */
static const struct {
    const char *command;
    bool needed; /* its text is kept whatever its exit status: it says why it failed */
} questions[] = {
    {"nvidia-smi topo -m", true},
    {"nvidia-smi -L", false},
    {"nvidia-smi --query-gpu=index,name,uuid,driver_version,memory.total,mig.mode.current --format=csv", false},
    {"nvidia-smi topo -p2p n", false},
};
#define QUESTION_COUNT (sizeof questions / sizeof *questions)

/*
 * One command for the login shell, whatever that is: a POSIX sh in single quotes without any of these
 * inside. The markers are put together there, so that a shell that echoes its commands does not print
 * them, and nothing on the machine can guess them.
 */
static void put_script(struct podsku_buf *out, const char *token)
{
    podsku_buf_printf(out,
                      "sh -c 'm=%s; PATH=\"$PATH:/usr/bin:/usr/local/bin:/usr/local/nvidia/bin\"; "
                      "s() { printf \"\\n%%s-%%s %%s\\n\" podsku-begin \"$m\" \"$1\"; shift; \"$@\" 2>&1 </dev/null; "
                      "r=$?; printf \"\\n%%s-%%s %%s\\n\" podsku-end \"$m\" \"$r\"; }; ",
                      token);
    for (size_t i = 0; i < QUESTION_COUNT; i++)
        podsku_buf_printf(out, "s %zu %s; ", i, questions[i].command);
    podsku_buf_puts(out, "printf \"%s-%s .\\n\" podsku-done \"$m\"'");
}

/* The place after "\nWORD-TOKEN " with this argument, in text; NULL: it is not there. */
static const char *find_marker(const char *text, const char *word, const char *token, char argument)
{
    char marker[96];

    (void)snprintf(marker, sizeof marker, "%s-%s %c", word, token, argument);
    return strstr(text, marker);
}

/* The output of question i and its exit status; false when it is not whole. */
static bool find_section(const char *text, const char *token, size_t i, const char **bytes, size_t *len, int *status)
{
    char end_marker[96];
    const char *begin = find_marker(text, "podsku-begin", token, (char)('0' + i));
    const char *end;

    if (!begin || !(begin = strchr(begin, '\n')))
        return false;
    (void)snprintf(end_marker, sizeof end_marker, "podsku-end-%s ", token);
    end = strstr(++begin, end_marker);
    if (!end)
        return false;
    *bytes = begin;
    *len = (size_t)(end - begin);
    *status = (int)strtol(end + strlen(end_marker), NULL, 10);
    return true;
}

/* Every section below its command line, as in a transcript; what failed is left out. */
static void take_sections(const char *text, const char *token, struct podsku_buf *out)
{
    bool topology_failed = false;

    for (size_t i = 0; i < QUESTION_COUNT; i++) {
        const char *bytes;
        size_t len;
        int status;
        if (!find_section(text, token, i, &bytes, &len, &status))
            continue;
        /* A driver that fails says so in each of them; -L may be the only one that does. */
        if (status != 0 && !questions[i].needed && !(topology_failed && i == 1))
            continue;
        topology_failed = topology_failed || (i == 0 && status != 0);
        podsku_buf_printf(out, "$ %s\n", questions[i].command);
        podsku_buf_append(out, bytes, len);
        podsku_buf_putc(out, '\n');
    }
}

/* What an answer without its end marker is worth another try. */
struct patience {
    int cut, mute;
};

/* PODSKU_OK with *again: no whole answer, and it is worth another try. */
static enum podsku_code judge_answer(const struct cli_child_result *child, const char *token, struct patience *patience,
                                     struct podsku_buf *text, bool *again, struct podsku_error *err)
{
    const char *output = podsku_buf_text(&child->output);
    bool began = find_marker(output, "podsku-begin", token, '0') != NULL;
    bool lost = child->end == CLI_CHILD_EXITED && child->status == CLI_SSH_FAILED;

    *again = false;
    if (find_marker(output, "podsku-done", token, '.')) {
        take_sections(output, token, text);
        return podsku_buf_failed(text) ? podsku_error_no_memory(err) : PODSKU_OK;
    }
    *again = began ? lost && ++patience->cut < CUT_MOST : ++patience->mute < MUTE_MOST;
    if (child->end == CLI_CHILD_TOO_LARGE) {
        *again = false;
        return podsku_error_set(err, PODSKU_UNVERIFIED, "the answer is longer than %zu bytes", TEXT_MAX);
    }
    if (child->end == CLI_CHILD_TIMED_OUT) {
        *again = false;
        return podsku_error_set(err, PODSKU_UNVERIFIED,
                                began ? "nvidia-smi did not finish: half an answer" : "logged in, but nothing answers");
    }
    if (*again)
        return PODSKU_OK;
    return podsku_error_set(err, PODSKU_UNVERIFIED,
                            began ? "the answer ends half-way" : "logged in, but no command can be run there");
}

enum podsku_code cli_remote_text(const struct cli_remote *remote, const struct podsku_pod *pod,
                                 int64_t deadline_mono_ms, struct podsku_buf *text, const char **code_word,
                                 struct podsku_error *err)
{
    struct podsku_buf script = {0};
    struct patience patience = {0, 0};
    char token[33];
    bool again = true;
    enum podsku_code code = podsku_random_hex(16, token, sizeof token, err);

    *code_word = "no-login";
    if (code)
        return code;
    put_script(&script, token);
    if (podsku_buf_failed(&script))
        code = podsku_error_no_memory(err);
    while (!code && again) {
        struct cli_child_result child = {.end = CLI_CHILD_EXITED};
        code = log_in(remote, pod, podsku_buf_text(&script), NULL, deadline_mono_ms, &child, err);
        if (code)
            break;
        *code_word = "truncated";
        code = judge_answer(&child, token, &patience, text, &again, err);
        cli_child_free(&child);
        if (!code && again && !pause_until(remote, FIRST_PAUSE_MS, deadline_mono_ms))
            code = podsku_error_set(err, cli_signals_stop() ? PODSKU_INTERRUPTED : PODSKU_UNVERIFIED,
                                    "no whole answer in time");
    }
    cli_progress_clear(remote->cli);
    podsku_buf_free(&script);
    return code;
}

/* ------------------------------------------------------------------ judging */

enum podsku_code cli_remote_look(const struct cli_remote *remote, const struct podsku_pod *pod,
                                 const struct podsku_expectation *expected, int64_t deadline_mono_ms,
                                 struct cli_sight *sight, struct podsku_error *err)
{
    struct podsku_error why = {0};
    const char *code_word = "no-login";
    enum podsku_code code;

    memset(sight, 0, sizeof *sight);
    if (remote->via_logs)
        code = cli_remote_logs(remote, pod->id, expected, deadline_mono_ms, &sight->text, &code_word, &why);
    else
        code = cli_remote_text(remote, pod, deadline_mono_ms, &sight->text, &code_word, &why);
    if (code == PODSKU_UNVERIFIED) {
        code = podsku_verify_none(code_word, why.message, expected, &sight->verification, err);
    } else if (code) {
        *err = why;
    } else {
        code = podsku_verify_read(podsku_buf_text(&sight->text), sight->text.len, &sight->reading, err);
        if (!code)
            code = podsku_verify_judge(sight->reading, expected, &sight->verification, err);
    }
    if (code)
        cli_sight_free(sight);
    return code;
}

void cli_sight_free(struct cli_sight *sight)
{
    if (!sight)
        return;
    podsku_verification_free(sight->verification);
    podsku_reading_free(sight->reading);
    podsku_buf_free(&sight->text);
    memset(sight, 0, sizeof *sight);
}

struct podsku_expectation cli_expect_type(const struct podsku_gpu_type *type, int gpus, bool nvlink, bool strict)
{
    return (struct podsku_expectation){
        .gpus = gpus,
        .nvlink = nvlink && gpus > 1,
        .gpu_type = type->id,
        .facts = type->facts,
        .whole_card = type->slice == NULL,
        .mig_profile = type->slice ? type->slice->profile : NULL,
        .strict = strict,
    };
}

struct podsku_expectation cli_expect_offer(const struct podsku_requirement *req, const struct podsku_offer *offer,
                                           bool strict)
{
    enum podsku_nvlink_level level = podsku_requirement_nvlink(req, offer->gpus);
    bool nvlink = level == PODSKU_NVLINK_REQUIRED || level == PODSKU_NVLINK_POSSIBLE;
    struct podsku_expectation expected = cli_expect_type(offer->type, offer->gpus, nvlink, strict);

    expected.min_link_gbs = req->min_link_gbs;
    return expected;
}

bool cli_expect_entry(const struct podsku_entry *entry, const struct podsku_facts_set *facts,
                      struct podsku_expectation *expected)
{
    const char *id = entry->gpu_id_count == 1 ? entry->gpu_ids[0] : NULL;
    const char *mig = id ? strstr(id, " MIG ") : NULL;

    memset(expected, 0, sizeof *expected);
    if (!id)
        return false;
    expected->gpus = entry->gpus;
    expected->gpu_type = id;
    expected->facts = podsku_facts_find(facts, id);
    expected->whole_card = mig == NULL;
    expected->mig_profile = mig ? mig + strlen(" MIG ") : NULL;
    expected->nvlink = entry->gpus > 1 && expected->facts && expected->facts->evidence == PODSKU_EVIDENCE_BOARD &&
                       entry->gpus <= expected->facts->nvlink_domain;
    return true;
}

const char *cli_verdict_word(enum podsku_verdict verdict)
{
    switch (verdict) {
    case PODSKU_VERDICT_MATCH: return "match";
    case PODSKU_VERDICT_MISMATCH: return "mismatch";
    case PODSKU_VERDICT_UNVERIFIED: return "unverified";
    case PODSKU_VERDICT_NULL: return NULL;
    }
    return NULL;
}

void cli_remember(struct cli *cli, const struct podsku_pod *pod, enum podsku_verdict verdict)
{
    struct cli_observation observation = {
        .gpu = pod->gpu_id,
        .cloud = pod->cloud,
        .data_center = pod->data_center,
        .verdict = (char *)cli_verdict_word(verdict),
        .gpus = pod->gpus,
    };
    struct podsku_error before = cli->err;

    if (!observation.gpu || !observation.verdict)
        return;
    podsku_error_clear(&cli->err);
    if (cli_observations_add(cli, &observation) != PODSKU_OK)
        cli_warn(cli, "what was found is not remembered: %s", cli->err.message);
    cli->err = before;
}
