/*
 * The engine's verify hook: every machine of what was placed is looked at, and the worst of them
 * decides.
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cli/deploy.h"
#include "cli/progress.h"
#include "cli/remote.h"

/* What was found on all machines so far. */
struct findings {
    enum podsku_verify_answer answer;
    json_t *report;  /* of the worst machine */
    json_t *members; /* of a cluster */
    char *detail;
    size_t detail_size;
};

/* match < unverified < mismatch: what certainly is not as asked is worse than what is not known. */
static int badness(enum podsku_verify_answer answer)
{
    switch (answer) {
    case PODSKU_VERIFY_MATCH: return 0;
    case PODSKU_VERIFY_TIMEOUT: return 1;
    case PODSKU_VERIFY_UNVERIFIED: return 2;
    case PODSKU_VERIFY_MISMATCH: return 3;
    }
    return 2;
}

static enum podsku_verify_answer answer_of(enum podsku_verdict verdict)
{
    switch (verdict) {
    case PODSKU_VERDICT_MATCH: return PODSKU_VERIFY_MATCH;
    case PODSKU_VERDICT_MISMATCH: return PODSKU_VERIFY_MISMATCH;
    case PODSKU_VERDICT_UNVERIFIED:
    case PODSKU_VERDICT_NULL: return PODSKU_VERIFY_UNVERIFIED;
    }
    return PODSKU_VERIFY_UNVERIFIED;
}

/* The first problem's message, or the summary when there is none. */
static void describe(const json_t *report, const struct podsku_verification *verification, char *detail, size_t size)
{
    const json_t *first = json_array_get(json_object_get(report, "problems"), 0);
    const char *message = json_string_value(json_object_get(first, "message"));

    (void)snprintf(detail, size, "%s", message ? message : podsku_verification_summary(verification));
}

static void add_member(struct findings *findings, const struct podsku_pod *pod, json_t *report)
{
    json_t *member;

    if (!findings->members)
        return;
    member = json_object();
    if (podsku_json_set(member, "pod", podsku_json_text(pod->id)) &&
        podsku_json_set(member, "rank", pod->cluster_rank >= 0 ? json_integer(pod->cluster_rank) : json_null()) &&
        podsku_json_set(member, "verification", json_incref(report)))
        (void)json_array_append(findings->members, member);
    json_decref(member);
}

static void add(struct cli_deploy *deploy, struct findings *findings, const struct podsku_pod *pod,
                const struct podsku_verification *verification)
{
    enum podsku_verify_answer answer = answer_of(podsku_verification_verdict(verification));
    json_t *report = podsku_verification_encode(verification);
    bool first = findings->report == NULL;

    cli_remember(deploy->cli, pod, podsku_verification_verdict(verification));
    cli_say(deploy->cli, "    %s%s%s", findings->members ? pod->id : "", findings->members ? ": " : "",
            podsku_verification_summary(verification));
    if (report)
        add_member(findings, pod, report);
    if (first || badness(answer) > badness(findings->answer)) {
        findings->answer = answer;
        json_decref(findings->report);
        /* A copy: a cluster's report gets the members, of which this one is among them. */
        findings->report = json_copy(report);
        describe(report, verification, findings->detail, findings->detail_size);
    }
    json_decref(report);
}

static enum podsku_code look_at(struct cli_deploy *deploy, const struct podsku_pod *pod,
                                const struct podsku_offer *offer, int64_t deadline_mono_ms, struct findings *findings)
{
    const struct cli_remote remote = {
        .cli = deploy->cli, .client = deploy->client, .ssh = deploy->ssh, .via_logs = deploy->via_logs};
    struct podsku_expectation expected = cli_expect_offer(&deploy->req, offer, deploy->strict);
    struct podsku_error err = {0};
    struct cli_sight sight;
    enum podsku_code code = cli_remote_look(&remote, pod, &expected, deadline_mono_ms, &sight, &err);

    if (code) {
        (void)snprintf(findings->detail, findings->detail_size, "%s", err.message);
        return code;
    }
    add(deploy, findings, pod, sight.verification);
    cli_sight_free(&sight);
    return PODSKU_OK;
}

/* The members stand in the report of the cluster, which is that of its worst machine. */
static json_t *finish_report(struct findings *findings)
{
    json_t *report = findings->report;

    if (!findings->members)
        return report;
    if (report && !podsku_json_set(report, "members", findings->members)) {
        json_decref(report);
        return NULL;
    }
    if (!report)
        json_decref(findings->members);
    return report;
}

enum podsku_verify_answer cli_deploy_verify(void *ctx, const struct podsku_placed *placed, int64_t deadline_mono_ms,
                                            json_t **report, char *detail, size_t detail_size)
{
    struct cli_deploy *deploy = ctx;
    const struct podsku_offer *offer = placed->entry ? placed->entry->tag : NULL;
    bool cluster = placed->cluster.id != NULL;
    size_t count = cluster ? placed->members.count : 1;
    struct findings findings = {.answer = PODSKU_VERIFY_UNVERIFIED, .detail = detail, .detail_size = detail_size};
    const struct podsku_clock *clock = podsku_client_clock(deploy->client);

    *report = NULL;
    if (deploy->talk.line[0])
        cli_progress_end(deploy->cli);
    deploy->talk.line[0] = '\0';
    if (!offer) {
        (void)snprintf(detail, detail_size, "it is none of the plan, so there is nothing to compare it with");
        return PODSKU_VERIFY_UNVERIFIED;
    }
    if (cluster)
        findings.members = json_array();
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && podsku_clock_mono_ms(clock) >= deadline_mono_ms) {
            (void)snprintf(detail, detail_size, "%zu of %zu machines were looked at in time", i, count);
            if (badness(findings.answer) < badness(PODSKU_VERIFY_TIMEOUT))
                findings.answer = PODSKU_VERIFY_TIMEOUT;
            break;
        }
        if (look_at(deploy, cluster ? &placed->members.list[i] : &placed->pod, offer, deadline_mono_ms, &findings) !=
            PODSKU_OK) {
            /* A signal, or no memory: the engine sees the signal itself. */
            if (badness(findings.answer) < badness(PODSKU_VERIFY_UNVERIFIED))
                findings.answer = PODSKU_VERIFY_UNVERIFIED;
            break;
        }
    }
    *report = finish_report(&findings);
    return findings.answer;
}
