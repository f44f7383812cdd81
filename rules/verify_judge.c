/*
 * Is the machine what was asked for? Mismatches come from what the text shows; what it does not
 * show leaves the answer open. Every finding has one of the fixed codes.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

void podsku_verify_leave_open(struct podsku_verification *v, struct verify_task *task, const char *missing)
{
    const struct podsku_reading *r = task->reading;
    enum verify_finding code = r->problem.code >= 0 ? (enum verify_finding)r->problem.code : VERIFY_NO_TOPOLOGY;
    const char *message = r->problem.code >= 0 ? r->problem.message : missing;

    task->open = true;
    if (!podsku_verify_has_problem(v, code))
        podsku_verify_problem(v, code, "%s", message);
}

void podsku_verify_leave_open_for(struct podsku_verification *v, struct verify_task *task, enum verify_finding code,
                                  const char *fmt, ...)
{
    char message[320];
    va_list args;

    task->open = true;
    if (podsku_verify_has_problem(v, code))
        return;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    podsku_verify_problem(v, code, "%s", message);
}

void podsku_verify_leave_unlisted(struct podsku_verification *v, struct verify_task *task, const char *missing)
{
    int code = task->reading->problem.code;

    v->lacks_list = true;
    if (code >= 0 && code != VERIFY_NO_TOPOLOGY) {
        podsku_verify_leave_open(v, task, missing); /* the text's own fault comes first */
        return;
    }
    task->open = true;
    if (!podsku_verify_has_problem(v, VERIFY_NO_TOPOLOGY))
        podsku_verify_problem(v, VERIFY_NO_TOPOLOGY, "%s", missing);
}

/* --- the verdict ------------------------------------------------------------------------------- */

static void set_slice(struct verify_task *task)
{
    const char *id = task->expected->gpu_type ? task->expected->gpu_type : "";
    const char *mark = NULL;

    task->profile = task->expected->mig_profile;
    for (const char *at = id; (at = strstr(at, " MIG ")) != NULL; at++)
        mark = at;
    if (mark && podsku_verify_profile_length(mark + 5, strlen(mark + 5)) == strlen(mark + 5)) {
        if (!task->profile)
            task->profile = mark + 5;
        snprintf(task->parent, sizeof task->parent, "%.*s", (int)(mark - id), id);
    } else {
        snprintf(task->parent, sizeof task->parent, "%s", id);
    }
}

static void judge_all(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;

    if (r->problem.code == VERIFY_NO_GPU && v->expected)
        podsku_verify_problem(v, VERIFY_NO_GPU, "%s", r->problem.message);
    podsku_verify_judge_cards(v, task);
    podsku_verify_judge_links(v, task);
}

static bool has_kind(const struct podsku_verification *v, enum verify_finding_kind kind)
{
    for (size_t i = 0; i < v->problems.count; i++) {
        if (podsku_verify_finding_kind(v->problems.list[i].code) == kind)
            return true;
    }
    return false;
}

static void conclude(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;

    if (task->expected->strict)
        podsku_verify_strict(v);
    if (has_kind(v, VERIFY_MISMATCH) || has_kind(v, VERIFY_NOTE)) {
        v->verdict = PODSKU_VERDICT_MISMATCH;
    } else if (!v->expected) {
        v->verdict = r->whole ? PODSKU_VERDICT_NULL : PODSKU_VERDICT_UNVERIFIED;
        if (!r->whole)
            podsku_verify_leave_open(v, task, r->problem.message);
    } else if (task->open || !task->told) {
        v->verdict = PODSKU_VERDICT_UNVERIFIED;
        if (!task->open)
            podsku_verify_leave_unlisted(v, task, "the text does not name the GPUs; `nvidia-smi -L` does");
    } else if (!r->whole && (r->matrix.topo->gpus || r->problem.code == VERIFY_CONFLICTING || r->list.cut) &&
               r->problem.code != VERIFY_HIDES_NVLINK) {
        /* Half a matrix or list, or two, vouches for nothing, not even a count. */
        v->verdict = PODSKU_VERDICT_UNVERIFIED;
        podsku_verify_leave_open(v, task, r->problem.message);
    } else {
        v->verdict = PODSKU_VERDICT_MATCH;
    }
}

/* What makes it a mismatch stands before what could not be told. */
static void order_problems(struct podsku_verification *v)
{
    struct verify_entry *list = v->problems.list;

    for (size_t i = 1; i < v->problems.count; i++) {
        struct verify_entry entry = list[i];
        size_t at = i;
        while (at > 0 && podsku_verify_finding_kind(entry.code) != VERIFY_UNVERIFIED &&
               podsku_verify_finding_kind(list[at - 1].code) == VERIFY_UNVERIFIED) {
            list[at] = list[at - 1];
            at--;
        }
        list[at] = entry;
    }
}

static bool expects_something(const struct podsku_expectation *expected)
{
    return expected->gpus > 0 || expected->nvlink || expected->gpu_type || expected->whole_card ||
           expected->mig_profile || expected->mig_only || expected->memory_share.denominator ||
           expected->compute_share.denominator || expected->mig_parent || expected->min_link_gbs > 0 ||
           (expected->gpu && expected->gpu->count) || (expected->exclude && expected->exclude->count);
}

static struct podsku_verification *new_verification(const struct podsku_expectation *expected)
{
    struct podsku_verification *v = calloc(1, sizeof *v);

    if (!v)
        return NULL;
    v->expected = expects_something(expected);
    v->wants_nvlink = expected->nvlink;
    v->wants_gpus = expected->gpus;
    if (expected->gpu_type) {
        v->type = strdup(expected->gpu_type);
        v->failed = !v->type;
    }
    return v;
}

/* Hands it over, unless memory ran out on the way. */
static enum podsku_code hand_over(struct podsku_verification *v, struct podsku_verification **out,
                                  struct podsku_error *err)
{
    if (v->failed) {
        podsku_verification_free(v);
        return podsku_error_no_memory(err);
    }
    *out = v;
    return PODSKU_OK;
}

enum podsku_code podsku_verify_judge(const struct podsku_reading *reading, const struct podsku_expectation *expected,
                                     struct podsku_verification **verification, struct podsku_error *err)
{
    struct podsku_verification *v = new_verification(expected);
    struct verify_task task = {.expected = expected, .reading = reading, .facts = expected->facts};

    *verification = NULL;
    if (!v)
        return podsku_error_no_memory(err);
    v->reading = reading;
    if (!task.facts)
        task.facts = podsku_verify_listed_facts(reading);
    v->link_gbs = podsku_verify_link_gbs(task.facts);
    set_slice(&task);
    v->wants_slice = task.profile || expected->mig_only;
    judge_all(v, &task);
    conclude(v, &task);
    order_problems(v);
    podsku_verify_write_advice(v, expected);
    podsku_verify_write_summary(v);
    return hand_over(v, verification, err);
}

enum podsku_code podsku_verify_none(const char *code, const char *message, const struct podsku_expectation *expected,
                                    struct podsku_verification **verification, struct podsku_error *err)
{
    struct podsku_verification *v = new_verification(expected);
    int finding = VERIFY_NO_TOPOLOGY;

    *verification = NULL;
    if (!v)
        return podsku_error_no_memory(err);
    for (int i = 0; i < VERIFY_FINDING_COUNT; i++) {
        if (strcmp(podsku_verify_finding_name((enum verify_finding)i), code) == 0)
            finding = i;
    }
    v->verdict = PODSKU_VERDICT_UNVERIFIED;
    podsku_verify_problem(v, (enum verify_finding)finding, "%s", message);
    podsku_verify_write_summary(v);
    return hand_over(v, verification, err);
}

static void free_entries(struct verify_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        free(entries->list[i].message);
    free(entries->list);
}

void podsku_verification_free(struct podsku_verification *v)
{
    if (!v)
        return;
    free_entries(&v->problems);
    free_entries(&v->notes);
    for (size_t i = 0; i < v->advice.count; i++)
        free(v->advice.list[i]);
    free(v->advice.list);
    free(v->type);
    free(v->summary);
    free(v);
}

enum podsku_verdict podsku_verification_verdict(const struct podsku_verification *v)
{
    return v->verdict;
}

const char *podsku_verification_summary(const struct podsku_verification *v)
{
    return v->summary ? v->summary : "";
}
