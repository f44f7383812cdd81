/*
 * What to do, from what was found: each piece of advice belongs to a finding, and names the groups,
 * degrees and commands that fit this machine. And the one line that says what the machine is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

/* --- the line ---------------------------------------------------------------------------------- */

/* "8x NVIDIA H100 80GB HBM3" or "7x A, 1x B" of a list; nothing when the text names none. */
static void write_models(const struct verify_list *list, struct podsku_buf *out)
{
    bool done[VERIFY_GPUS] = {false};
    const char *comma = "";

    for (int i = 0; i < list->count; i++) {
        int same = 0;
        if (done[i] || !list->name[i][0])
            continue;
        for (int j = i; j < list->count; j++) {
            if (strcmp(list->name[i], list->name[j]) == 0) {
                done[j] = true;
                same++;
            }
        }
        podsku_buf_printf(out, "%s%dx %s", comma, same, list->name[i]);
        comma = ", ";
    }
}

static void write_links(const struct podsku_reading *r, struct podsku_buf *out)
{
    char word[PODSKU_LINK_TEXT_SIZE];

    if (r->nvlink == VERIFY_NVLINK_SINGLE) {
        podsku_buf_puts(out, "; no pair to link");
        return;
    }
    podsku_buf_printf(out, "; %d of %d pairs ", r->nv_pairs, r->pairs);
    if (r->nv_pairs == 0)
        podsku_buf_puts(out, "NVLink");
    else if (r->nv_min == r->nv_max)
        podsku_buf_printf(out, "NV%d", r->nv_min);
    else
        podsku_buf_printf(out, "NV%d to NV%d", r->nv_min, r->nv_max);
    if (r->nv_pairs < r->pairs)
        podsku_buf_printf(out, ", worst %s", podsku_link_text(r->worst, word));
}

static void write_numa(const struct podsku_reading *r, struct podsku_buf *out)
{
    if (r->numa_nodes < 2)
        return;
    podsku_buf_puts(out, "; NUMA ");
    for (int node = 0; node < r->numa_nodes; node++) {
        struct verify_set members = {{0}};
        for (int i = 0; i < r->matrix.topo->gpus; i++) {
            if (r->numa[i] == node)
                members.bits[i / 64] |= UINT64_C(1) << (i % 64);
        }
        podsku_buf_puts(out, node ? " | " : "");
        podsku_verify_set_text(&members, out);
    }
}

void podsku_verify_write_summary(struct podsku_verification *v)
{
    const struct podsku_reading *r = v->reading;
    struct podsku_buf text = {0};

    if (r) {
        const struct verify_list *list = r->list.all;
        if (list->complete && !r->list.conflict && !r->list.cut)
            write_models(list, &text);
        if (text.len == 0 && r->gpus >= 0)
            podsku_buf_printf(&text, "%d GPU%s", r->gpus, r->gpus == 1 ? "" : "s");
        if (text.len == 0)
            podsku_buf_puts(&text, "GPUs unknown");
        if (r->list.driver[0])
            podsku_buf_printf(&text, ", driver %s", r->list.driver);
        if (r->list.listed && (list->mig_count || !r->list.cut))
            podsku_buf_puts(&text, list->mig_count ? ", " : ", no MIG");
        if (r->list.listed && list->mig_count)
            podsku_buf_printf(&text, "%d MIG device%s", list->mig_count, list->mig_count == 1 ? "" : "s");
        if (r->whole)
            write_links(r, &text);
        else if (r->problem.code >= 0)
            podsku_buf_printf(&text, "; %s", r->problem.message);
        if (r->p2p && podsku_verify_p2p_counts(r->matrix.p2p)) /* the others are not about NVLink */
            podsku_buf_printf(&text, "; P2P %s", strcmp(r->p2p, "not-supported") == 0 ? "not supported" : r->p2p);
        if (r->whole)
            write_numa(r, &text);
        if (r->nccl.slow_count)
            podsku_buf_puts(&text, "; NCCL slow between GPUs of one machine");
    } else {
        podsku_buf_puts(&text, v->problems.count ? v->problems.list[0].message : "nothing was read");
    }
    v->summary = podsku_buf_take(&text);
    v->failed |= !v->summary;
}

/* --- advice ------------------------------------------------------------------------------------ */

static bool has(const struct verify_entries *entries, enum verify_finding code)
{
    for (size_t i = 0; i < entries->count; i++) {
        if (entries->list[i].code == code)
            return true;
    }
    return false;
}

static bool found(const struct podsku_verification *v, enum verify_finding code)
{
    return has(&v->problems, code) || has(&v->notes, code);
}

/* The GPUs that the user wants on NVLink, or has. */
static int wanted_gpus(const struct podsku_verification *v)
{
    if (v->wants_gpus > 0)
        return v->wants_gpus;
    return v->reading->gpus > 0 ? v->reading->gpus : 1;
}

/* Sets of GPUs within which no path crosses between sockets, when there are at least two. */
static int socket_groups(const struct podsku_reading *r, struct podsku_buf *out)
{
    bool done[VERIFY_GPUS] = {false};
    int groups = 0;
    int largest = 0;

    for (int i = 0; i < r->gpus; i++) {
        struct verify_set group = {{0}};
        if (done[i])
            continue;
        for (int j = i; j < r->gpus; j++) {
            enum podsku_path path = i == j ? PODSKU_PATH_SELF : podsku_reading_pair(r, i, j).path;
            if (done[j] || path == PODSKU_PATH_SYS || path == PODSKU_PATH_SOC)
                continue;
            done[j] = true;
            group.bits[j / 64] |= UINT64_C(1) << (j % 64);
        }
        podsku_buf_puts(out, groups++ ? " or " : "");
        podsku_verify_set_text(&group, out);
        int size = podsku_verify_set_size(&group);
        largest = size > largest ? size : largest;
    }
    return largest > 1 ? groups : 0; /* one GPU is no group */
}

/* The largest NVLink groups, "0-3 or 4-7"; their size, 0: none. */
static int largest_groups(const struct podsku_reading *r, struct podsku_buf *out)
{
    int largest = 0;
    int shown = 0;

    for (int i = 0; i < r->groups.count; i++) {
        int size = podsku_verify_set_size(&r->groups.sets[i]);
        largest = size > largest ? size : largest;
    }
    for (int i = 0; i < r->groups.count && shown < 8; i++) {
        if (podsku_verify_set_size(&r->groups.sets[i]) != largest)
            continue;
        podsku_buf_puts(out, shown++ ? " or " : "");
        podsku_verify_set_text(&r->groups.sets[i], out);
    }
    return largest;
}

/* The GPU type asked for, as long as it may have the links asked for. */
static void put_type(const struct podsku_verification *v, const struct podsku_expectation *expected,
                     struct podsku_buf *out)
{
    const struct podsku_facts *facts = expected->facts;
    bool linked = facts && facts->evidence >= PODSKU_EVIDENCE_NOMINAL;

    if (expected->gpu_type && (!v->wants_nvlink || linked))
        podsku_buf_printf(out, " --gpu \"%s\"", expected->gpu_type);
    for (size_t i = 0; !expected->gpu_type && expected->gpu && i < expected->gpu->count; i++)
        podsku_buf_printf(out, " --gpu \"%s\"", expected->gpu->list[i]);
    for (size_t i = 0; expected->exclude && i < expected->exclude->count; i++)
        podsku_buf_printf(out, " --exclude \"%s\"", expected->exclude->list[i]);
    if (v->wants_nvlink && wanted_gpus(v) != 1)
        podsku_buf_puts(out, facts && facts->evidence == PODSKU_EVIDENCE_NOMINAL ? " --nvlink=possible" : " --nvlink");
}

/* What was asked for, as the flags of deploy. */
static void put_flags(const struct podsku_verification *v, const struct podsku_expectation *expected,
                      struct podsku_buf *out)
{
    int gpus = wanted_gpus(v);

    podsku_buf_printf(out, "--gpus %d", gpus > 0 ? gpus : 1);
    put_type(v, expected, out);
    if (!v->expected && gpus > 1)
        podsku_buf_puts(out, " --nvlink"); /* nothing was asked for: what is worth asking for */
    if (expected->min_link_gbs > 0)
        podsku_buf_printf(out, " --min-link-gbs %g", expected->min_link_gbs);
    if (expected->memory_share.denominator)
        podsku_buf_printf(out, " --memory-fraction %lld/%lld", (long long)expected->memory_share.numerator,
                          (long long)expected->memory_share.denominator);
    if (expected->compute_share.denominator)
        podsku_buf_printf(out, " --compute-fraction %lld/%lld", (long long)expected->compute_share.numerator,
                          (long long)expected->compute_share.denominator);
    if (expected->mig_parent)
        podsku_buf_printf(out, " --mig-parent \"%s\"", expected->mig_parent);
    if (v->wants_slice)
        podsku_buf_puts(out, " --mig only");
}

static void advise_redeploy(struct podsku_verification *v, const char *flags)
{
    int gpus = wanted_gpus(v);

    if (gpus > 8)
        podsku_verify_advise(v,
                             "more than 8 GPUs on NVLink cannot be had in one pod: podsku pick --nodes %d --gpus 8 "
                             "--nvlink",
                             (gpus + 7) / 8);
    else
        podsku_verify_advise(v,
                             "re-deploy by type: podsku deploy %s ... --wait --verify (podsku pick %s lists the types "
                             "that fit)",
                             flags, flags);
}

static void advise_stay(struct podsku_verification *v)
{
    const struct podsku_reading *r = v->reading;
    struct podsku_buf text = {0};

    if (!r->whole || r->gpus < 2)
        return;
    int degree = largest_groups(r, &text);
    if (degree >= r->gpus) {
        podsku_verify_advise(v, "or stay: NVLink joins all of them, with less bandwidth than was asked for: tensor "
                                "parallel works, all-reduces are slower; larger micro-batches");
    } else if (degree >= 2) {
        podsku_verify_advise(v,
                             "or stay: tensor parallel of degree %d inside %s only; pipeline or data parallel across; "
                             "larger micro-batches",
                             degree, podsku_buf_text(&text));
    } else if (socket_groups(r, &text) > 1 && text.len < 200) {
        podsku_verify_advise(v,
                             "or stay: tensor parallel inside %s only (PCIe, no NVLink); pipeline or data parallel "
                             "across; larger micro-batches",
                             podsku_buf_text(&text));
    } else {
        podsku_verify_advise(v,
                             "or stay: pipeline or data parallel tolerate PCIe; tensor parallel of a low degree only; "
                             "larger micro-batches");
    }
    v->failed |= podsku_buf_failed(&text);
    podsku_buf_free(&text);
    if (!r->nccl.seen)
        podsku_verify_advise(v, "see what NCCL does: NCCL_DEBUG=INFO CMD 2>&1 | podsku verify -    (SHM or NET between "
                                "GPUs = through host memory)");
}

static void advise_nccl(struct podsku_verification *v)
{
    const struct verify_nccl *nccl = &v->reading->nccl;
    char ranks[VERIFY_PAIR_TEXT];

    if (nccl->slow_count)
        podsku_verify_advise(v,
                             "NCCL does not use P2P between %s%s: look for NCCL_P2P_DISABLE or "
                             "NCCL_P2P_LEVEL in the environment, and for `nvidia-smi topo -p2p r` other than OK",
                             podsku_verify_nccl_pair_text(nccl, &nccl->pairs[0], ranks),
                             nccl->slow_count > 1 ? " and others" : "");
    if (nccl->socket_between)
        podsku_verify_advise(v,
                             "between machines NCCL uses TCP sockets (NET/Socket): NET/IB would be RDMA; on an Instant "
                             "Cluster at least set NCCL_SOCKET_IFNAME=ens1 (eth0 is the outside network), and see that "
                             "NCCL_IB_DISABLE is not set");
}

static void advise_machine(struct podsku_verification *v, const char *flags)
{
    if (found(v, VERIFY_WRONG_COUNT) && v->reading->gpus < v->wants_gpus)
        podsku_verify_advise(v, "fewer GPUs than asked for: this pod cannot grow; podsku deploy %s ... --wait --verify",
                             flags);
    if (found(v, VERIFY_WRONG_MODEL) && v->expected && !found(v, VERIFY_NOT_ALL_NVLINK))
        podsku_verify_advise(v, "re-deploy with that in the requirement: podsku deploy %s ... --wait --verify", flags);
    if (found(v, VERIFY_MIG_SLICE) && v->wants_slice)
        podsku_verify_advise(
            v, "slices are sold ready cut, a pod cannot cut one: podsku deploy %s ... (podsku help mig)", flags);
    else if (found(v, VERIFY_MIG_SLICE))
        podsku_verify_advise(v,
                             "how a card is cut is the host's choice, a pod cannot change it; re-deploy: podsku deploy "
                             "%s ... (podsku help mig)",
                             flags);
    if (found(v, VERIFY_P2P_OFF))
        podsku_verify_advise(v, "the link is there, but the driver or the host's virtualisation gives no P2P: nothing "
                                "inside the pod changes that; re-deploy on another machine, and tell the service");
    if (found(v, VERIFY_NO_GPU))
        podsku_verify_advise(v,
                             "the container has no GPU: re-deploy; a stopped and restarted pod may come back without");
}

static void advise_notes(struct podsku_verification *v)
{
    const char *only = v->verdict == PODSKU_VERDICT_MATCH ? "only a note: " : "";

    if (found(v, VERIFY_BELOW_EXPECTED))
        podsku_verify_advise(
            v, "%severy pair is linked, with less bandwidth: tensor parallel works, all-reduces are slower%s", only,
            v->reading->gpus <= 4
                ? " and have no NVLS; a full board comes with --gpus 8"
                : "; `nvidia-smi nvlink -s` shows which links are down: re-deploy if bandwidth counts");
    if (found(v, VERIFY_DEGRADED))
        podsku_verify_advise(
            v,
            "%s`nvidia-smi nvlink -s` shows which links are down; a ring is as fast as its slowest pair: "
            "re-deploy if bandwidth counts (--strict makes this a mismatch)",
            only);
    if (found(v, VERIFY_NUMA_SPLIT))
        podsku_verify_advise(
            v,
            "%shost threads far from their GPU have cost 1.8 times the step time: bind each process to "
            "its GPU's node, numactl --cpunodebind=N --membind=N",
            only);
}

/* What to send so that the question can be answered. */
static void advise_unverified(struct podsku_verification *v)
{
    static const struct {
        enum verify_finding code;
        const char *advice;
    } rows[] = {
        {VERIFY_NO_TOPOLOGY, "the links are in: nvidia-smi topo -m | podsku verify -    (add -L for models and MIG)"},
        {VERIFY_TRUNCATED, "send the whole output, not a screenful: nvidia-smi topo -m > FILE; podsku verify FILE"},
        {VERIFY_UNKNOWN_CODE, "a wrapped terminal runs cells together: nvidia-smi topo -m > FILE; podsku verify FILE"},
        {VERIFY_CONFLICTING, "one machine at a time: split the text and verify each part"},
        {VERIFY_ASYMMETRIC, "a link is the same both ways: take the output again, the text was damaged"},
        {VERIFY_HIDES_NVLINK, "leave out the p: nvidia-smi topo -m | podsku verify -"},
        {VERIFY_OTHER_TOOL, "only nvidia-smi's output can be judged; xGMI and other vendors' links are not NVLink"},
        {VERIFY_DRIVER_FAILED,
         "without nvidia-smi and its driver CUDA will not run either: try an image with CUDA, else "
         "re-deploy on another machine"},
    };

    if (v->lacks_list && v->problems.count == 1 && has(&v->problems, VERIFY_NO_TOPOLOGY)) {
        podsku_verify_advise(v, v->reading->list.listed && !v->some_named
                                    ? "podsku help mig lists the profiles that podsku knows"
                                    : "names and MIG devices are in: nvidia-smi -L | podsku verify -");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code == VERIFY_UNKNOWN_CODE && v->p2p_unknown)
            podsku_verify_advise(v, "U is no yes: see what NCCL does between these GPUs: NCCL_DEBUG=INFO CMD 2>&1 | "
                                    "podsku verify -    (P2P is what it should say)");
        else if (found(v, rows[i].code))
            podsku_verify_advise(v, "%s", rows[i].advice);
    }
}

static void advise_group(struct podsku_verification *v)
{
    struct podsku_buf list = {0};
    const struct podsku_reading *r = v->reading;

    if (v->verdict != PODSKU_VERDICT_MATCH || podsku_verify_set_size(&v->picked) < 2 || v->wants_gpus >= r->gpus)
        return;
    for (int i = 0; i < r->gpus; i++) {
        if (podsku_verify_set_has(&v->picked, i))
            podsku_buf_printf(&list, "%s%d", list.len ? "," : "", i);
    }
    v->failed |= podsku_buf_failed(&list);
    podsku_verify_advise(v, "the linked group is %s: CUDA_VISIBLE_DEVICES=%s", podsku_buf_text(&list),
                         podsku_buf_text(&list));
    podsku_buf_free(&list);
}

/* Cards whose NVLinks are partly down; on a bridged pair some always are. */
static void advise_status(struct podsku_verification *v)
{
    const struct verify_list *list = v->reading->list.all;

    for (int i = 0; i < list->count; i++) {
        if (list->links_up[i] && list->links_down[i]) {
            podsku_verify_advise(
                v,
                "`nvlink -s`: GPU%d has %d link%s up and %d inactive: normal on a bridged pair, a fault "
                "on a board",
                i, list->links_up[i], list->links_up[i] == 1 ? "" : "s", list->links_down[i]);
            return;
        }
    }
}

void podsku_verify_write_advice(struct podsku_verification *v, const struct podsku_expectation *expected)
{
    const struct podsku_reading *r = v->reading;
    struct podsku_buf flags = {0};
    bool unlinked =
        found(v, VERIFY_NOT_ALL_NVLINK) || (!v->expected && r->whole && r->gpus > 1 && r->nvlink != VERIFY_NVLINK_ALL);

    put_flags(v, expected, &flags);
    v->failed |= podsku_buf_failed(&flags);
    advise_group(v);
    if (unlinked) {
        advise_redeploy(v, podsku_buf_text(&flags));
        advise_stay(v);
    }
    advise_machine(v, podsku_buf_text(&flags));
    podsku_buf_free(&flags);
    advise_nccl(v);
    if (v->verdict == PODSKU_VERDICT_UNVERIFIED)
        advise_unverified(v);
    advise_notes(v);
    advise_status(v);
    if (v->verdict == PODSKU_VERDICT_MATCH && (expected->gpu_type || (expected->gpu && expected->gpu->count)) &&
        !r->list.listed)
        podsku_verify_advise(v, "the text does not name the GPUs; add `nvidia-smi -L` to check the model, too");
}
