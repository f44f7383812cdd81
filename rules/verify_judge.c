/*
 * Is the machine what was asked for? Mismatches come from what the text shows; what it does not
 * show leaves the answer open. Every finding has one of the fixed codes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

/* --- what is judged ---------------------------------------------------------------------------- */

/* The expectation, with what follows from a MIG type's id, and what the text left open. */
struct task {
    const struct podsku_expectation *expected;
    const struct podsku_reading *reading;
    const struct podsku_facts *facts; /* of the type asked for, else of the cards listed; NULL */
    char parent[160];                 /* the card's id: without " MIG PROFILE" */
    const char *profile;              /* of the slice asked for; NULL: none */
    bool open;                        /* something asked for cannot be told */
    bool told;                        /* something asked for is as asked */
};

/* Why something cannot be told: what is wrong with the matrix, else what is missing. */
static void leave_open(struct podsku_verification *v, struct task *task, const char *missing)
{
    const struct podsku_reading *r = task->reading;
    enum verify_finding code = r->problem.code >= 0 ? (enum verify_finding)r->problem.code : VERIFY_NO_TOPOLOGY;
    const char *message = r->problem.code >= 0 ? r->problem.message : missing;

    task->open = true;
    if (!podsku_verify_has_problem(v, code))
        podsku_verify_problem(v, code, "%s", message);
}

static void judge_count(struct podsku_verification *v, struct task *task)
{
    const struct podsku_reading *r = task->reading;
    int wanted = task->expected->gpus;
    int found = task->profile ? r->list.all->mig_count : r->gpus;
    const char *what = task->profile ? "MIG devices" : "GPUs";

    if (wanted <= 0)
        return;
    if (task->profile && !r->list.listed)
        found = -1;
    if (found == 0 && r->list.no_devices)
        return; /* said as no-gpu */
    /* A header alone may be wrapped or cut; another tool's GPUs are not the ones asked for. */
    bool vague = r->matrix.topo->header_broken || r->problem.code == VERIFY_OTHER_TOOL ||
                 (r->matrix.topo->gpus == 0 && r->problem.code == VERIFY_TRUNCATED);
    if (found < 0 || (vague && !task->profile)) {
        leave_open(v, task, "the text does not say how many GPUs there are");
    } else if (found < wanted) {
        podsku_verify_mismatch(v, VERIFY_WRONG_COUNT, "%d %s were asked for; the machine shows %d", wanted, what,
                               found);
    } else {
        task->told = true;
        if (found > wanted)
            podsku_verify_note(v, VERIFY_WRONG_COUNT, "%d %s were asked for; the machine shows %d", wanted, what,
                               found);
    }
}

static void judge_model(struct podsku_verification *v, struct task *task)
{
    const struct verify_list *list = task->reading->list.all;
    int named = 0;

    if (!task->expected->gpu_type)
        return;
    if (task->reading->list.conflict) {
        task->open = true;
        podsku_verify_problem(v, VERIFY_CONFLICTING, "the text lists the GPUs of several machines");
        return;
    }
    for (int i = 0; i < list->count; i++) {
        if (!list->name[i][0])
            continue;
        named++;
        if (!podsku_verify_same_model(task->parent, list->name[i])) {
            podsku_verify_mismatch(v, VERIFY_WRONG_MODEL, "GPU%d is %s; %s was asked for", i, list->name[i],
                                   task->parent);
            return;
        }
    }
    task->told |= named > 0;
}

static void judge_mig(struct podsku_verification *v, struct task *task)
{
    const struct verify_list *list = task->reading->list.all;
    bool slice = task->profile != NULL;

    if (task->reading->list.conflict && (slice || task->expected->whole_card)) {
        task->open = true;
        if (!podsku_verify_has_problem(v, VERIFY_CONFLICTING))
            podsku_verify_problem(v, VERIFY_CONFLICTING, "the text lists the GPUs of several machines");
        return;
    }
    if (!slice && task->expected->whole_card) {
        if (list->mig_count)
            podsku_verify_mismatch(v, VERIFY_MIG_SLICE, "a whole card was asked for; GPU%d is cut into MIG slices (%s)",
                                   list->mig[0].gpu, list->mig[0].profile);
        for (int i = 0; i < list->count && list->mig_count == 0; i++) {
            if (list->mig_mode[i] == 1) {
                podsku_verify_mismatch(v, VERIFY_MIG_SLICE, "a whole card was asked for; MIG mode is enabled on GPU%d",
                                       i);
                break;
            }
        }
        task->told |= task->reading->list.listed;
        return;
    }
    if (!slice)
        return;
    if (!task->reading->list.listed) {
        leave_open(v, task, "the text does not list MIG devices; `nvidia-smi -L` does");
        return;
    }
    if (list->mig_count == 0)
        podsku_verify_mismatch(v, VERIFY_MIG_SLICE, "a MIG slice %s was asked for; the machine lists none",
                               task->profile);
    for (int i = 0; i < list->mig_count; i++) {
        if (strcmp(list->mig[i].profile, task->profile) != 0) {
            podsku_verify_mismatch(v, VERIFY_MIG_SLICE, "GPU%d has the MIG slice %s; %s was asked for",
                                   list->mig[i].gpu, list->mig[i].profile, task->profile);
            return;
        }
    }
    task->told = true;
}

/* --- links ------------------------------------------------------------------------------------- */

/* The first pair that is known not to have NVLink. */
static bool find_unlinked(const struct podsku_reading *r, int *a, int *b)
{
    for (int i = 0; i < r->matrix.topo->gpus; i++) {
        for (int j = i + 1; j < r->matrix.topo->gpus; j++) {
            if (podsku_reading_pair(r, i, j).path > PODSKU_PATH_NV) {
                *a = i;
                *b = j;
                return true;
            }
        }
    }
    return false;
}

/* The links of a `topo -mp` matrix are PCIe paths, those of clashing matrices are nobody's. */
static bool links_count(const struct podsku_reading *r)
{
    return r->matrix.topo->gpus > 0 && r->problem.code != VERIFY_HIDES_NVLINK && r->matrix.clash.code < 0 &&
           r->problem.code != VERIFY_ASYMMETRIC && !r->matrix.topo->header_broken &&
           r->problem.code != VERIFY_CONFLICTING;
}

/* `topo -p2p n` alone can say no, never yes. */
static bool p2p_says_no(const struct podsku_reading *r)
{
    return r->matrix.p2p->gpus && r->matrix.p2p->p2p_letter == 'n' && r->p2p && strcmp(r->p2p, "ok") != 0;
}

static void judge_nvlink(struct podsku_verification *v, struct task *task)
{
    const struct podsku_reading *r = task->reading;
    int size = task->expected->gpus > 0 ? task->expected->gpus : r->gpus;
    char word[PODSKU_LINK_TEXT_SIZE];
    int a = 0;
    int b = 0;

    if (!v->wants_nvlink || podsku_verify_has_problem(v, VERIFY_WRONG_COUNT))
        return;
    if (!links_count(r)) {
        if (r->gpus == size && p2p_says_no(r))
            return; /* judge_p2p() says so */
        leave_open(v, task, "the text does not show the links between the GPUs");
        return;
    }
    enum podsku_tri linked = podsku_verify_group_of(r, size, &v->picked);
    if (linked == PODSKU_UNKNOWN) {
        leave_open(v, task, "the matrix is too irregular to find a linked group");
    } else if (linked == PODSKU_YES) {
        task->told = true;
    } else if (!find_unlinked(r, &a, &b)) {
        leave_open(v, task, "the text does not show the links between the GPUs");
    } else if (!r->whole) {
        podsku_verify_mismatch(v, VERIFY_NOT_ALL_NVLINK, "NVLink among %d was wanted; already GPU%d-GPU%d is %s", size,
                               a, b, podsku_link_text(podsku_reading_pair(r, a, b), word));
    } else if (size < r->gpus) {
        int largest = 0;
        for (int i = 0; i < r->groups.count; i++) {
            int members = podsku_verify_set_size(&r->groups.sets[i]);
            largest = members > largest ? members : largest;
        }
        podsku_verify_mismatch(v, VERIFY_NOT_ALL_NVLINK,
                               "NVLink among %d was wanted; %d of %d pairs have it, in groups of at most %d GPUs", size,
                               r->nv_pairs, r->pairs, largest > 1 ? largest : 1);
    } else {
        podsku_verify_mismatch(v, VERIFY_NOT_ALL_NVLINK,
                               "NVLink among %d was wanted; %d of %d pairs have it (GPU%d-GPU%d is %s)", size,
                               r->nv_pairs, r->pairs, a, b, podsku_link_text(podsku_reading_pair(r, a, b), word));
    }
}

/* The GPUs that count: those picked for a smaller requirement, else all. */
static bool counts(const struct podsku_verification *v, int gpu)
{
    return podsku_verify_set_size(&v->picked) == 0 || podsku_verify_set_has(&v->picked, gpu);
}

/* GB/s between two GPUs, both directions: what it is at least and at most. */
static void pair_gbs(const struct task *task, struct podsku_pair_link link, double *least, double *most)
{
    const struct podsku_facts *facts = task->facts;

    if (link.path == PODSKU_PATH_NV) {
        double each = podsku_verify_link_gbs(facts);
        /* Unknown type: GA102 bridges have four links at most, so more links are 25 or 50 GB/s each. */
        *least = 2 * link.count * (each > 0 ? each : link.count > 4 ? 25 : 14);
        *most = 2 * link.count * (each > 0 ? each : 50);
        return;
    }
    /* 50: the practical end of peer-to-peer over PCIe; 0 where the driver gives none. */
    *least = 0;
    *most = 50;
    if (facts && facts->pcie_p2p == PODSKU_NO)
        *most = 0;
    else if (facts && facts->pcie_gbs > 0)
        *least = *most = facts->pcie_gbs < 50 ? facts->pcie_gbs : 50;
}

static void judge_bandwidth(struct podsku_verification *v, struct task *task)
{
    const struct podsku_reading *r = task->reading;
    double wanted = task->expected->min_link_gbs;
    char word[PODSKU_LINK_TEXT_SIZE];
    bool open = false;

    if (wanted <= 0 || (r->whole && r->gpus < 2) || podsku_verify_has_problem(v, VERIFY_NOT_ALL_NVLINK) ||
        podsku_verify_has_problem(v, VERIFY_WRONG_COUNT))
        return;
    if (!links_count(r)) {
        leave_open(v, task, "the text does not show the links between the GPUs");
        return;
    }
    for (int i = 0; i < r->matrix.topo->gpus; i++) {
        for (int j = i + 1; j < r->matrix.topo->gpus; j++) {
            struct podsku_pair_link link = podsku_reading_pair(r, i, j);
            double least;
            double most;
            if (!counts(v, i) || !counts(v, j))
                continue;
            if (link.path == PODSKU_PATH_UNKNOWN) {
                open = true;
                continue;
            }
            pair_gbs(task, link, &least, &most);
            open |= least < wanted;
            /* A pair outside the group that will be used does not matter: only a whole machine decides. */
            if (most < wanted && (v->picked.bits[0] || v->picked.bits[1] || task->expected->gpus <= 0 ||
                                  task->expected->gpus >= r->matrix.topo->gpus)) {
                podsku_verify_mismatch(v, VERIFY_NOT_ALL_NVLINK,
                                       "%g GB/s between any two were wanted; GPU%d-GPU%d is %s: at most %g", wanted, i,
                                       j, podsku_link_text(link, word), most);
                return;
            }
        }
    }
    if (open || !r->whole)
        leave_open(v, task, "how many GB/s these links have cannot be told without the GPU type (--expect)");
    else
        task->told = true;
}

/* P2P that is off although the pair is linked, or although NVLink was wanted. */
static void judge_p2p(struct podsku_verification *v, struct task *task)
{
    const struct podsku_reading *r = task->reading;
    const struct verify_matrix *p2p = r->matrix.p2p;
    bool alone = v->wants_nvlink && !links_count(r) && p2p->p2p_letter == 'n' &&
                 (task->expected->gpus <= 0 || task->expected->gpus >= p2p->gpus);

    if (p2p->gpus == 0 || (!alone && p2p->gpus != r->matrix.topo->gpus))
        return;
    for (int i = 0; i < p2p->gpus; i++) {
        for (int j = 0; j < p2p->gpus; j++) {
            bool linked = links_count(r) && podsku_reading_pair(r, i, j).path == PODSKU_PATH_NV;
            if (i == j || p2p->cell[i][j].p2p != VERIFY_STATE_OFF || !(linked || alone) || !counts(v, i) ||
                !counts(v, j))
                continue;
            podsku_verify_mismatch(v, VERIFY_P2P_OFF, "`topo -p2p` says that GPU%d to GPU%d have no P2P%s", i, j,
                                   linked ? " although NVLink joins them" : " over NVLink");
            return;
        }
    }
}

/* NCCL on SHM or NET between GPUs of one machine that are linked, or should be. */
static void judge_nccl(struct podsku_verification *v, struct task *task)
{
    const struct podsku_reading *r = task->reading;
    const struct verify_nccl *nccl = r->nccl;

    for (int i = 0; i < nccl->slow_count; i++) {
        const struct verify_nccl_pair *pair = &nccl->pairs[i];
        int a = podsku_verify_nccl_device(nccl, pair->a);
        int b = podsku_verify_nccl_device(nccl, pair->b);
        bool known = a >= 0 && b >= 0 && links_count(r) && a < r->gpus && b < r->gpus;
        if (known && (!counts(v, a) || !counts(v, b)))
            continue;
        if (known ? podsku_reading_pair(r, a, b).path == PODSKU_PATH_NV : v->wants_nvlink) {
            podsku_verify_mismatch(v, VERIFY_NCCL_SLOW, "NCCL goes over %s between ranks %d and %d of one machine%s",
                                   pair->net ? "NET" : "SHM", pair->a, pair->b,
                                   known ? ", although NVLink joins their GPUs" : "");
            return;
        }
    }
}

/* --- notes ------------------------------------------------------------------------------------- */

static void note_links(struct podsku_verification *v, const struct task *task)
{
    const struct podsku_reading *r = task->reading;
    const struct podsku_facts *facts = task->facts;
    int usual = facts && facts->evidence == PODSKU_EVIDENCE_BOARD ? facts->nvlink_links : 0;
    int least = 0;
    int most = 0;

    for (int i = 0; i < r->gpus; i++) {
        for (int j = i + 1; j < r->gpus; j++) {
            struct podsku_pair_link link = podsku_reading_pair(r, i, j);
            if (link.path != PODSKU_PATH_NV || !counts(v, i) || !counts(v, j))
                continue;
            least = least == 0 || link.count < least ? link.count : least;
            most = link.count > most ? link.count : most;
        }
    }
    /* A V100 board joins its pairs by one link or two: that is how it is made. */
    bool uneven = facts && facts->nvlink_generation == 2;
    if (least < most && !uneven)
        podsku_verify_note(v, VERIFY_DEGRADED, "the pairs have NV%d to NV%d: links are down, or the board is uneven",
                           least, most);
    if (usual && most && most < usual)
        podsku_verify_note(v, VERIFY_BELOW_EXPECTED,
                           "NV%d, where a full board of this type has NV%d: a smaller board, %g GB/s per pair, and no "
                           "in-switch reduction (NVLS)",
                           most, usual, 2 * most * podsku_verify_link_gbs(facts));
}

static void note_numa(struct podsku_verification *v, const struct task *task)
{
    const struct podsku_reading *r = task->reading;
    struct podsku_buf text = {0};
    int nodes = 0;

    for (int node = 0; node < r->numa_nodes; node++) {
        struct verify_set members = {{0}};
        for (int i = 0; i < r->gpus; i++) {
            if (r->numa[i] == node && counts(v, i))
                members.bits[i / 64] |= UINT64_C(1) << (i % 64);
        }
        if (podsku_verify_set_size(&members) == 0)
            continue;
        podsku_buf_puts(&text, nodes++ ? " | " : "");
        podsku_verify_set_text(&members, &text);
    }
    if (podsku_buf_failed(&text))
        v->failed = true;
    else if (nodes > 1)
        podsku_verify_note(v, VERIFY_NUMA_SPLIT, "the GPUs are on %d NUMA nodes: %s", nodes, podsku_buf_text(&text));
    podsku_buf_free(&text);
}

/* --- the verdict ------------------------------------------------------------------------------- */

static void set_slice(struct task *task)
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

static void judge_all(struct podsku_verification *v, struct task *task)
{
    const struct podsku_reading *r = task->reading;

    if (r->problem.code == VERIFY_NO_GPU && v->expected)
        podsku_verify_problem(v, VERIFY_NO_GPU, "%s", r->problem.message);
    judge_count(v, task);
    judge_model(v, task);
    judge_mig(v, task);
    judge_nvlink(v, task);
    judge_bandwidth(v, task);
    judge_p2p(v, task);
    judge_nccl(v, task);
    if (!r->whole)
        return;
    note_links(v, task);
    note_numa(v, task);
}

static bool has_kind(const struct podsku_verification *v, enum verify_finding_kind kind)
{
    for (size_t i = 0; i < v->problems.count; i++) {
        if (podsku_verify_finding_kind(v->problems.list[i].code) == kind)
            return true;
    }
    return false;
}

static void conclude(struct podsku_verification *v, struct task *task)
{
    const struct podsku_reading *r = task->reading;

    if (task->expected->strict)
        podsku_verify_strict(v);
    if (has_kind(v, VERIFY_MISMATCH) || has_kind(v, VERIFY_NOTE)) {
        v->verdict = PODSKU_VERDICT_MISMATCH;
    } else if (!v->expected) {
        v->verdict = r->whole ? PODSKU_VERDICT_NULL : PODSKU_VERDICT_UNVERIFIED;
        if (!r->whole)
            leave_open(v, task, r->problem.message);
    } else if (task->open || !task->told) {
        v->verdict = PODSKU_VERDICT_UNVERIFIED;
        if (!task->open)
            leave_open(v, task, "the text does not name the GPUs; `nvidia-smi -L` does");
    } else if (!r->whole && r->matrix.topo->gpus && r->problem.code != VERIFY_HIDES_NVLINK) {
        v->verdict = PODSKU_VERDICT_UNVERIFIED; /* half a matrix vouches for nothing, not even a count */
        leave_open(v, task, r->problem.message);
    } else {
        v->verdict = PODSKU_VERDICT_MATCH;
    }
}

static bool expects_something(const struct podsku_expectation *expected)
{
    return expected->gpus > 0 || expected->nvlink || expected->gpu_type || expected->whole_card ||
           expected->mig_profile || expected->min_link_gbs > 0;
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
    struct task task = {.expected = expected, .reading = reading, .facts = expected->facts};

    *verification = NULL;
    if (!v)
        return podsku_error_no_memory(err);
    v->reading = reading;
    if (!task.facts)
        task.facts = podsku_verify_listed_facts(reading);
    v->link_gbs = podsku_verify_link_gbs(task.facts);
    set_slice(&task);
    judge_all(v, &task);
    conclude(v, &task);
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
