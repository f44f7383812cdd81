/* Judging the links: NVLink, bandwidth, P2P, NCCL's transports, and the notes about the board. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

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

/* Links that the type asked for cannot have contradict the model, whether the text names it or not. */
static void judge_link_counts(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;
    const struct podsku_facts *facts = task->expected->facts;
    char word[PODSKU_LINK_TEXT_SIZE];

    if (!facts || task->profile || podsku_verify_has_problem(v, VERIFY_WRONG_MODEL) || !links_count(r) ||
        facts->evidence == PODSKU_EVIDENCE_UNKNOWN ||
        (facts->evidence != PODSKU_EVIDENCE_NONE && facts->nvlink_links == 0))
        return;
    int most = facts->evidence == PODSKU_EVIDENCE_NONE ? 0 : facts->nvlink_links;
    for (int i = 0; i < r->matrix.topo->gpus; i++) {
        for (int j = i + 1; j < r->matrix.topo->gpus; j++) {
            struct podsku_pair_link link = podsku_reading_pair(r, i, j);
            if (link.path != PODSKU_PATH_NV || link.count <= most)
                continue;
            if (most)
                podsku_verify_mismatch(v, VERIFY_WRONG_MODEL, "GPU%d-GPU%d is %s; %s has %d NVLink%s", i, j,
                                       podsku_link_text(link, word), facts->id, most, most == 1 ? "" : "s");
            else
                podsku_verify_mismatch(v, VERIFY_WRONG_MODEL, "GPU%d-GPU%d is %s; %s has no NVLink", i, j,
                                       podsku_link_text(link, word), facts->id);
            return;
        }
    }
}

/* GB/s between two GPUs, both directions: what it is at least and at most. */
static void pair_gbs(const struct verify_task *task, struct podsku_pair_link link, double *least, double *most)
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

/* --- which GPUs to use, when fewer were asked for than there are ------------------------------- */

struct choice {
    const struct verify_task *task;
    bool nv;     /* NVLink joins the pair */
    int links;   /* that many NVLinks at least */
    int p2p;     /* 2: P2P works; 1: it is not refused; 0: any */
    bool gbs;    /* the bandwidth asked for: */
    bool surely; /* by what it is at least; otherwise by what it may be */
};

static bool is_usable(const void *ctx, int i, int j)
{
    const struct choice *choice = ctx;
    const struct podsku_reading *r = choice->task->reading;
    const struct verify_matrix *p2p = r->matrix.p2p;
    struct podsku_pair_link link = podsku_reading_pair(r, i, j);
    double least;
    double most;

    if (choice->nv && (link.path != PODSKU_PATH_NV || link.count < choice->links))
        return false;
    if (choice->p2p && p2p->gpus == r->matrix.topo->gpus && podsku_verify_p2p_counts(p2p) &&
        (p2p->cell[i][j].p2p == VERIFY_STATE_OFF || (choice->p2p > 1 && p2p->cell[i][j].p2p != VERIFY_STATE_OK)))
        return false;
    pair_gbs(choice->task, link, &least, &most);
    return !choice->gbs || (choice->surely ? least : most) >= choice->task->expected->min_link_gbs;
}

/* The group of most NVLinks that the choice allows. */
static enum podsku_tri choose(struct choice choice, int size, struct verify_set *picked)
{
    const struct podsku_reading *r = choice.task->reading;
    enum podsku_tri found = PODSKU_NO;

    for (int links = r->nv_max; choice.nv && links > r->nv_min; links--) {
        bool used = false; /* a number that no pair has makes no new group */
        for (int i = 0; i < r->gpus && !used; i++) {
            for (int j = i + 1; j < r->gpus && !used; j++)
                used =
                    podsku_reading_pair(r, i, j).path == PODSKU_PATH_NV && podsku_reading_pair(r, i, j).count == links;
        }
        choice.links = links;
        if (used && podsku_verify_group_by(r, size, is_usable, &choice, picked) == PODSKU_YES)
            return PODSKU_YES;
    }
    choice.links = 0;
    found = podsku_verify_group_by(r, size, is_usable, &choice, picked);
    return found;
}

/*
 * Picks the GPUs for a smaller requirement: linked, with P2P and the bandwidth asked for; else those that
 * come nearest, so that the judges say what they lack.
 */
static void pick_group(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;
    int size = task->expected->gpus;
    bool gbs = task->expected->min_link_gbs > 0;
    bool nv = v->wants_nvlink;

    if (!r->whole || size < 2 || size >= r->gpus || !links_count(r) || (!nv && !gbs))
        return;
    for (int p2p = r->matrix.p2p->gpus ? 2 : 1; p2p > 0; p2p--) {
        if (choose((struct choice){task, nv, 0, p2p, gbs, true}, size, &v->picked) == PODSKU_YES ||
            choose((struct choice){task, nv, 0, p2p, gbs, false}, size, &v->picked) == PODSKU_YES)
            return;
    }
    for (int p2p = r->matrix.p2p->gpus ? 2 : 1; nv && p2p >= 0; p2p--) {
        if (choose((struct choice){task, nv, 0, p2p, false, false}, size, &v->picked) == PODSKU_YES)
            return;
    }
}

static void judge_nvlink(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;
    int size = task->expected->gpus > 0 ? task->expected->gpus : r->gpus;
    char word[PODSKU_LINK_TEXT_SIZE];
    int a = 0;
    int b = 0;

    if (!v->wants_nvlink || podsku_verify_has_problem(v, VERIFY_WRONG_COUNT) || !links_count(r))
        return;
    enum podsku_tri linked =
        podsku_verify_set_size(&v->picked) ? PODSKU_YES : podsku_verify_group_of(r, size, &v->picked);
    if (linked == PODSKU_UNKNOWN) {
        podsku_verify_leave_open(v, task, "the matrix is too irregular to find a linked group");
    } else if (linked == PODSKU_YES) {
        task->told = true;
    } else if (!find_unlinked(r, &a, &b)) {
        podsku_verify_leave_open(v, task, "the text does not show the links between the GPUs");
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
                               "NVLink among %d was wanted; %d of %d pairs have it, in groups of at most %d GPU%s",
                               size, r->nv_pairs, r->pairs, largest > 1 ? largest : 1, largest > 1 ? "s" : "");
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

static void judge_bandwidth(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;
    double wanted = task->expected->min_link_gbs;
    char word[PODSKU_LINK_TEXT_SIZE];
    bool open = false;

    if (wanted <= 0 || (r->whole && r->gpus < 2) || podsku_verify_has_problem(v, VERIFY_NOT_ALL_NVLINK) ||
        podsku_verify_has_problem(v, VERIFY_WRONG_COUNT))
        return;
    if (!links_count(r)) {
        podsku_verify_leave_open(v, task, "the text does not show the links between the GPUs");
        return;
    }
    if (r->whole && task->expected->gpus >= 2 && task->expected->gpus < r->gpus &&
        podsku_verify_set_size(&v->picked) == 0) {
        struct verify_set none;
        if (choose((struct choice){task, false, 0, 1, true, false}, task->expected->gpus, &none) == PODSKU_UNKNOWN)
            podsku_verify_leave_open(v, task, "the matrix is too irregular to find a group of that bandwidth");
        else
            podsku_verify_mismatch(v, VERIFY_NOT_ALL_NVLINK,
                                   "%g GB/s between any two were wanted; no %d of the %d GPUs have that", wanted,
                                   task->expected->gpus, r->gpus);
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
        podsku_verify_leave_open(v, task,
                                 "how many GB/s these links have cannot be told without the GPU type (--expect)");
    else
        task->told = true;
}

/* NVLink was wanted, and the text shows no links: open, unless P2P has said no already. */
static void judge_unseen(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_expectation *expected = task->expected;

    /* One GPU that was asked for, as listed: there is no link to ask about. */
    if (task->reading->list.listed && task->reading->gpus == 1 &&
        (expected->gpus == 1 || (expected->gpus == 0 && expected->gpu_type)))
        return;
    if (v->wants_nvlink && !links_count(task->reading) && !podsku_verify_has_problem(v, VERIFY_WRONG_COUNT) &&
        !podsku_verify_has_problem(v, VERIFY_P2P_OFF))
        podsku_verify_leave_open(v, task, "the text does not show the links between the GPUs");
}

/* Some pair that counts has NVLink: is there P2P over it? */
static bool has_linked(const struct podsku_verification *v, const struct podsku_reading *r)
{
    for (int i = 0; links_count(r) && i < r->matrix.topo->gpus; i++) {
        for (int j = 0; j < i; j++) {
            if (podsku_reading_pair(r, i, j).path == PODSKU_PATH_NV && counts(v, i) && counts(v, j))
                return true;
        }
    }
    return false;
}

/* Linked pairs of which `topo -p2p n` does not say OK, nor no. */
static void judge_p2p_unsure(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;
    const struct verify_matrix *p2p = r->matrix.p2p;

    for (int i = 0; i < p2p->gpus; i++) {
        for (int j = 0; j < p2p->gpus; j++) {
            enum verify_p2p state = (enum verify_p2p)p2p->cell[i][j].p2p;
            bool sure = state == VERIFY_STATE_OK && p2p->problem.code != VERIFY_CONFLICTING;
            if (i == j || sure || !counts(v, i) || !counts(v, j) || podsku_reading_pair(r, i, j).path != PODSKU_PATH_NV)
                continue;
            v->p2p_unknown = state == VERIFY_STATE_UNKNOWN;
            if (v->p2p_unknown)
                podsku_verify_leave_open_for(v, task, VERIFY_UNKNOWN_CODE,
                                             "`topo -p2p` says U for GPU%d to GPU%d: whether P2P works over their "
                                             "NVLink is unknown",
                                             i, j);
            else
                podsku_verify_leave_open_for(
                    v, task, p2p->problem.code >= 0 ? (enum verify_finding)p2p->problem.code : VERIFY_TRUNCATED,
                    "`topo -p2p` does not tell of GPU%d to GPU%d%s%s", i, j, p2p->problem.code >= 0 ? ": " : "",
                    p2p->problem.code >= 0 ? p2p->problem.message : "");
            return;
        }
    }
}

/* A P2P matrix that is not of the GPUs of the topology, although P2P over its links counts. */
static void judge_p2p_other(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;

    if (!has_linked(v, r))
        return;
    if (r->matrix.p2p->header_broken)
        podsku_verify_leave_open_for(v, task, VERIFY_TRUNCATED,
                                     "the header of the `topo -p2p` matrix does not name all its GPU columns in order");
    else
        podsku_verify_leave_open_for(v, task, VERIFY_CONFLICTING,
                                     "the matrix has %d GPUs, that of `topo -p2p` %d: whether P2P works over these "
                                     "links is unknown",
                                     r->matrix.topo->gpus, r->matrix.p2p->gpus);
}

/* P2P that is off although the pair is linked, or although NVLink was wanted; or that cannot be told. */
static void judge_p2p(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;
    const struct verify_matrix *p2p = r->matrix.p2p;
    /* `topo -p2p n` alone can say no, never yes. */
    bool alone = v->wants_nvlink && !links_count(r) && p2p->p2p_letter == 'n' && r->gpus == p2p->gpus &&
                 (task->expected->gpus <= 0 || task->expected->gpus >= p2p->gpus);

    if (p2p->gpus == 0 || !podsku_verify_p2p_counts(p2p))
        return;
    if (!alone && (p2p->gpus != r->matrix.topo->gpus || p2p->header_broken)) {
        if (v->expected)
            judge_p2p_other(v, task);
        return;
    }
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
    if (v->expected && links_count(r))
        judge_p2p_unsure(v, task);
}

/* NCCL on SHM or NET between GPUs of one machine that are linked, or should be. */
static void judge_nccl(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;
    const struct verify_nccl *nccl = &r->nccl;

    for (int i = 0; i < nccl->slow_count; i++) {
        const struct verify_nccl_pair *pair = &nccl->pairs[i];
        char ranks[VERIFY_PAIR_TEXT];
        int a;
        int b;
        podsku_verify_nccl_gpus(nccl, pair, &a, &b);
        bool known = a >= 0 && b >= 0 && links_count(r) && a < r->gpus && b < r->gpus;
        if (known && (!counts(v, a) || !counts(v, b)))
            continue;
        if (known ? podsku_reading_pair(r, a, b).path == PODSKU_PATH_NV : v->wants_nvlink) {
            podsku_verify_mismatch(v, VERIFY_NCCL_SLOW, "NCCL goes over %s between %s of one machine%s",
                                   pair->net ? "NET" : "SHM", podsku_verify_nccl_pair_text(nccl, pair, ranks),
                                   known ? ", although NVLink joins their GPUs" : "");
            return;
        }
    }
}

/* --- notes ------------------------------------------------------------------------------------- */

bool podsku_verify_small_board(const struct podsku_reading *reading, int links, int usual)
{
    return reading->gpus <= 4 && links * 3 == usual;
}

static void note_links(struct podsku_verification *v, const struct verify_task *task)
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
                           "NV%d, where a full board of this type has NV%d: %s, %g GB/s per pair%s", most, usual,
                           podsku_verify_small_board(r, most, usual) ? "a smaller board" : "links are down or left out",
                           2 * most * podsku_verify_link_gbs(facts),
                           podsku_verify_small_board(r, most, usual) ? ", and no in-switch reduction (NVLS)" : "");
}

static void note_numa(struct podsku_verification *v, const struct verify_task *task)
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

void podsku_verify_judge_links(struct podsku_verification *v, struct verify_task *task)
{
    judge_link_counts(v, task);
    pick_group(v, task);
    judge_nvlink(v, task);
    judge_bandwidth(v, task);
    judge_p2p(v, task);
    judge_unseen(v, task);
    judge_nccl(v, task);
    if (!task->reading->whole)
        return;
    note_links(v, task);
    note_numa(v, task);
}
