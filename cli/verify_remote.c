/*
 * verify --pod and --cluster: the machine is asked over ssh (or by its log), and judged against the
 * flags, or else against what podsku rented it for.
 */
#include "cli/verify_remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/account.h"
#include "cli/cmd_verify.h"
#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/signals.h"

#define TIMEOUT_MS 60000

struct remote_verify {
    struct cli *cli;
    const struct podsku_facts_set *facts;
    const struct podsku_expectation *flags;
    struct cli_remote remote;
    enum podsku_api api;
    struct podsku_entries entries; /* of the journal; empty when it cannot be read */
    int64_t deadline_ms;
    int status; /* the worst so far */
    enum podsku_verdict worst;
    json_t *document; /* of the worst member, for a cluster's JSON */
    json_t *members;
};

/* Do the flags say anything? Then they are the expectation, and the plan is not asked. */
static bool flags_expect(const struct podsku_expectation *flags)
{
    return flags->gpus > 0 || flags->nvlink || flags->gpu_type || flags->whole_card || flags->mig_profile ||
           flags->mig_only || flags->mig_parent || flags->min_link_gbs > 0 || flags->memory_share.denominator > 0 ||
           flags->compute_share.denominator > 0 || (flags->gpu && flags->gpu->count > 0) ||
           (flags->exclude && flags->exclude->count > 0);
}

static bool is_ours(const struct remote_verify *verify, const struct podsku_pod *pod)
{
    return pod->marks.launch_id || podsku_entries_by_pod(&verify->entries, pod->id) ||
           (pod->cluster_id && podsku_entries_by_pod(&verify->entries, pod->cluster_id));
}

/* What the pod was rented for: by the journal, or (in another place than where it was rented) by the service. */
static struct podsku_expectation expectation_of(const struct remote_verify *verify, const struct podsku_pod *pod)
{
    struct podsku_expectation expected = *verify->flags;
    const struct podsku_entry *entry = podsku_entries_by_pod(&verify->entries, pod->id);
    char *id = pod->gpu_id;
    struct podsku_entry as_told = {.gpu_ids = &id, .gpu_id_count = id ? 1 : 0, .gpus = pod->gpus};

    if (flags_expect(&expected) || !is_ours(verify, pod))
        return expected;
    if (!entry && pod->cluster_id)
        entry = podsku_entries_by_pod(&verify->entries, pod->cluster_id);
    if ((entry && cli_expect_entry(entry, verify->facts, &expected)) ||
        cli_expect_entry(&as_told, verify->facts, &expected))
        expected.strict = verify->flags->strict;
    return expected;
}

static int badness(enum podsku_verdict verdict)
{
    switch (verdict) {
    case PODSKU_VERDICT_NULL: return 0;
    case PODSKU_VERDICT_MATCH: return 1;
    case PODSKU_VERDICT_UNVERIFIED: return 2;
    case PODSKU_VERDICT_MISMATCH: return 3;
    }
    return 2;
}

/* One member of a cluster: its own row of the document, and the worst one's is the document. */
static enum podsku_code add_member(struct remote_verify *verify, const struct podsku_pod *pod,
                                   const struct podsku_verification *verification)
{
    enum podsku_verdict verdict = podsku_verification_verdict(verification);
    json_t *report = podsku_verification_encode(verification);
    json_t *member = json_object();
    bool ok = report && podsku_json_set(member, "pod", podsku_json_text(pod->id));

    ok = ok && podsku_json_set(member, "rank", pod->cluster_rank >= 0 ? json_integer(pod->cluster_rank) : json_null());
    ok = ok && podsku_json_set(member, "verification", json_incref(report));
    ok = ok && json_array_append(verify->members, member) == 0;
    if (ok && (!verify->document || badness(verdict) > badness(verify->worst))) {
        json_decref(verify->document);
        verify->document = json_copy(report); /* which gets the members, this one among them */
        verify->worst = verdict;
        ok = verify->document != NULL;
    }
    json_decref(member);
    json_decref(report);
    return ok ? PODSKU_OK : podsku_error_no_memory(&verify->cli->err);
}

static enum podsku_code show(struct remote_verify *verify, const struct podsku_pod *pod,
                             const struct podsku_verification *verification)
{
    struct cli *cli = verify->cli;
    enum podsku_verdict verdict = podsku_verification_verdict(verification);
    int status = 0;
    enum podsku_code code;

    if (verify->members && cli->output == CLI_JSON) {
        code = add_member(verify, pod, verification);
        status = podsku_code_exit_status(verdict == PODSKU_VERDICT_MISMATCH     ? PODSKU_MISMATCH
                                         : verdict == PODSKU_VERDICT_UNVERIFIED ? PODSKU_UNVERIFIED
                                                                                : PODSKU_OK);
    } else {
        if (verify->members)
            cli_say(cli, "rank %d: %s", pod->cluster_rank, pod->id);
        code = cli_verify_show(cli, verification, &status);
    }
    /* A mismatch (6) is worse than not knowing (9). */
    if (verify->status == 0 || status == podsku_code_exit_status(PODSKU_MISMATCH))
        verify->status = status;
    return code;
}

static enum podsku_code look(struct remote_verify *verify, const struct podsku_pod *pod)
{
    struct cli *cli = verify->cli;
    struct podsku_expectation expected = expectation_of(verify, pod);
    struct cli_sight sight;
    enum podsku_code code = cli_remote_look(&verify->remote, pod, &expected, verify->deadline_ms, &sight, &cli->err);

    cli_progress_clear(cli);
    if (code)
        return code;
    if (is_ours(verify, pod))
        cli_remember(cli, pod, podsku_verification_verdict(sight.verification));
    code = show(verify, pod, sight.verification);
    cli_sight_free(&sight);
    return code;
}

static enum podsku_code look_at_pod(struct remote_verify *verify, const char *id)
{
    struct podsku_pod pod = {0};
    enum podsku_code code = podsku_api_get_pod(verify->remote.client, verify->api, id, &pod, &verify->cli->err);

    if (!code)
        code = look(verify, &pod);
    podsku_pod_clear(&pod);
    return code;
}

static enum podsku_code look_at_cluster(struct remote_verify *verify, const char *id)
{
    struct cli *cli = verify->cli;
    struct podsku_pods members = {0};
    enum podsku_code code;

    if (cli->output != CLI_JSON && cli->output != CLI_TABLE && cli->output != CLI_WIDE)
        return podsku_error_set(&cli->err, PODSKU_USAGE, "this --output shows one machine: verify --pod ID");
    verify->members = json_array();
    if (!verify->members)
        return podsku_error_no_memory(&cli->err);
    code = podsku_api_cluster_pods(verify->remote.client, id, &members, &cli->err);
    if (!code && members.count == 0)
        code = podsku_error_set(&cli->err, PODSKU_NOT_FOUND, "cluster %s has no members", id);
    for (size_t i = 0; !code && i < members.count; i++)
        code = look(verify, &members.list[i]);
    podsku_pods_free(&members);
    if (code || cli->output != CLI_JSON)
        return code;
    if (json_object_set(verify->document, "members", verify->members) != 0)
        return podsku_error_no_memory(&cli->err);
    return cli_write_json(cli, json_incref(verify->document));
}

/* What the journal knows helps; that it cannot be read keeps nobody from looking. */
static void read_journal(struct remote_verify *verify)
{
    struct podsku_error ignored = {0};
    struct podsku_journal *journal = NULL;
    struct podsku_error before = verify->cli->err;
    const char *folder;

    if (cli_state_dir(verify->cli, &folder) != PODSKU_OK ||
        podsku_journal_open(folder, podsku_client_clock(verify->remote.client), &journal, &ignored) != PODSKU_OK ||
        podsku_journal_read(journal, &verify->entries, &ignored) != PODSKU_OK)
        verify->cli->err = before;
    podsku_journal_free(journal);
}

static enum podsku_code prepare(struct remote_verify *verify)
{
    struct cli *cli = verify->cli;
    const char *way = cli_value(cli, "verify-via");
    int64_t timeout_ms;
    enum podsku_code code = cli_api(cli, &verify->api);

    verify->remote.cli = cli;
    verify->remote.via_logs = way && strcmp(way, "logs") == 0;
    if (!code && verify->api == PODSKU_API_V1 && (cli_has(cli, "cluster") || verify->remote.via_logs))
        code = podsku_error_set(&cli->err, PODSKU_USAGE, "REST v1 has neither clusters nor logs");
    if (!code)
        code = cli_duration(cli, "timeout", TIMEOUT_MS, &timeout_ms);
    if (!code)
        code = cli_client(cli, true, &verify->remote.client);
    if (!code && !verify->remote.via_logs)
        code = cli_ssh_setup(cli, &verify->remote.ssh);
    if (code)
        return code;
    verify->deadline_ms = podsku_clock_mono_ms(podsku_client_clock(verify->remote.client)) + timeout_ms;
    read_journal(verify);
    return PODSKU_OK;
}

enum podsku_code cli_verify_remote(struct cli *cli, const struct podsku_facts_set *facts,
                                   const struct podsku_expectation *flags, int *status)
{
    struct remote_verify verify = {.cli = cli, .facts = facts, .flags = flags};
    enum podsku_code code;

    cli_signals_catch();
    code = prepare(&verify);
    if (!code)
        code = cli_has(cli, "pod") ? look_at_pod(&verify, cli_value(cli, "pod"))
                                   : look_at_cluster(&verify, cli_value(cli, "cluster"));
    *status = verify.status;
    json_decref(verify.document);
    json_decref(verify.members);
    podsku_entries_free(&verify.entries);
    podsku_client_free(verify.remote.client);
    return code;
}
