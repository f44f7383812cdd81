/*
 * Rules about the hardware: links, memory, slices, architecture. They rest on facts and need
 * positive evidence, so that unknown fails.
 */
#include <inttypes.h>

#include "rules/fraction.h"
#include "rules/judge.h"

bool podsku_is_cube_mesh(const struct podsku_facts *facts)
{
    return facts && facts->arch == PODSKU_ARCH_VOLTA && facts->evidence == PODSKU_EVIDENCE_NOMINAL &&
           facts->nvlink_domain == 4;
}

static void say_too_many(const struct podsku_facts *facts, int n, struct says *says)
{
    if (facts->evidence == PODSKU_EVIDENCE_BOARD)
        podsku_say(says, "boards too small", "the board joins %d of these cards by NVLink, %d were asked for (--nodes)",
                   facts->nvlink_domain, n);
    else if (podsku_is_cube_mesh(facts) && n <= 8)
        podsku_say(
            says, "bridges between 2 or 4 cards at most",
            "8 of these form a cube mesh with NVLink on 16 of 28 pairs; NVLink among all %d needs a board with a "
            "switch (A100 SXM or later)",
            n);
    else
        podsku_say(says, "bridges between 2 or 4 cards at most",
                   "bridges join %d of these cards; NVLink among all %d needs a board (SXM)", facts->nvlink_domain, n);
}

#define CUBE_MESH                                                                                      \
    "8 of these form a cube mesh with NVLink on 16 of 28 pairs, a board of 4 links all; nothing says " \
    "which board a machine has"

/* Why a type is not what --nvlink asks for. */
static enum podsku_tri say_no_nvlink(const struct podsku_offer *offer, int n, struct says *says)
{
    const struct podsku_facts *facts = offer->type->facts;
    bool outside = facts && facts->nvlink_domain > 0 && n > facts->nvlink_domain;

    if (offer->type->slice) {
        podsku_say(says, "no NVLink", "MIG slices have no NVLink");
        return PODSKU_NO;
    }
    if (!facts) {
        podsku_say(says, "no facts", "unknown: there are no facts about its links (--facts can say)");
        return PODSKU_UNKNOWN;
    }
    switch (facts->evidence) {
    case PODSKU_EVIDENCE_NONE:
        podsku_say(says, "no NVLink",
                   facts->xgmi ? "it has xGMI, which is not NVLink" : "no NVLink: GPUs of this type talk over PCIe");
        return PODSKU_NO;
    case PODSKU_EVIDENCE_CONNECTOR:
        if (outside)
            podsku_say(says, "bridges between 2 or 4 cards at most",
                       "a place for bridges between %d of these cards, seldom used; NVLink among all %d needs a board "
                       "(SXM)",
                       facts->nvlink_domain, n);
        else
            podsku_say(says, "bridges seldom there",
                       "a place for a bridge, but most machines have none: it counts as PCIe");
        return PODSKU_NO;
    case PODSKU_EVIDENCE_NOMINAL:
    case PODSKU_EVIDENCE_BOARD:
        if (outside)
            say_too_many(facts, n, says);
        else if (facts->nvlink_domain > 0)
            podsku_say(says, podsku_is_cube_mesh(facts) ? "linked on some boards" : "bridges optional",
                       "%s (--nvlink possible lets it pass, --verify looks)",
                       podsku_is_cube_mesh(facts) ? CUBE_MESH : "sold as NVLink, but the bridges are optional");
        else
            break;
        return PODSKU_NO;
    case PODSKU_EVIDENCE_UNKNOWN: break;
    }
    podsku_say(says, "no facts", "unknown: the facts do not say how many GPUs NVLink joins");
    return PODSKU_UNKNOWN;
}

enum podsku_tri podsku_judge_nvlink(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    enum podsku_nvlink_level level = podsku_requirement_nvlink(judge->req, offer->gpus);
    const struct podsku_facts *facts = offer->type->facts;
    int n = offer->gpus > 2 ? offer->gpus : 2;
    bool within = facts && !offer->type->slice && n <= facts->nvlink_domain;
    bool board = within && facts->evidence == PODSKU_EVIDENCE_BOARD;
    bool nominal = within && facts->evidence == PODSKU_EVIDENCE_NOMINAL;

    if (level == PODSKU_NVLINK_ANY)
        return PODSKU_YES;
    if (level != PODSKU_NVLINK_PREFERRED && !board && !(nominal && level == PODSKU_NVLINK_POSSIBLE))
        return says ? say_no_nvlink(offer, n, says) : PODSKU_NO;
    if (offer->gpus == 1 && (board || nominal))
        podsku_say(says, "nvlink-unused", "one GPU has no peer: NVLink will not be used");
    else if (nominal)
        podsku_say(says, "nvlink-nominal", "%s: look at the machine (--verify)",
                   podsku_is_cube_mesh(facts) ? CUBE_MESH : "sold as NVLink, but the bridges are optional");
    return PODSKU_YES;
}

enum podsku_tri podsku_judge_link_bandwidth(const struct judge *judge, const struct podsku_offer *offer,
                                            struct says *says)
{
    bool possible = podsku_requirement_nvlink(judge->req, offer->gpus) == PODSKU_NVLINK_POSSIBLE;
    struct podsku_topology topology = podsku_topology_of(offer->type, offer->gpus, possible);

    if (topology.link_gbs >= judge->req->min_link_gbs)
        return PODSKU_YES;
    if (topology.link_gbs < 0) {
        podsku_say(says, "no facts", "unknown: there are no facts about the bandwidth between its GPUs");
        return PODSKU_UNKNOWN;
    }
    if (offer->type->slice)
        podsku_say(says, "links too slow", "0 GB/s between MIG slices, at least %.10g were asked for",
                   judge->req->min_link_gbs);
    else if (topology.link_gbs == 0)
        podsku_say(says, "links too slow", "0 GB/s: its driver gives no peer-to-peer, at least %.10g were asked for",
                   judge->req->min_link_gbs);
    else
        podsku_say(says, "links too slow", "%.10g GB/s between two (%s), at least %.10g were asked for",
                   topology.link_gbs,
                   topology.link == PODSKU_LINK_NVLINK ? "NVLink"
                   : topology.link == PODSKU_LINK_XGMI ? "xGMI"
                                                       : "PCIe",
                   judge->req->min_link_gbs);
    return PODSKU_NO;
}

enum podsku_tri podsku_judge_vram(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    const struct podsku_requirement *req = judge->req;

    if (offer->memory_gb == 0) {
        podsku_say(says, "memory unknown", "its memory is unknown");
        return PODSKU_UNKNOWN;
    }
    if (req->min_vram_gb >= 0 && offer->memory_gb < req->min_vram_gb) {
        podsku_say(says, "too little memory", "%d GB, at least %.10g were asked for", offer->memory_gb,
                   req->min_vram_gb);
        return PODSKU_NO;
    }
    if (req->max_vram_gb >= 0 && offer->memory_gb > req->max_vram_gb) {
        podsku_say(says, "too much memory", "%d GB, at most %.10g were asked for", offer->memory_gb, req->max_vram_gb);
        return PODSKU_NO;
    }
    return PODSKU_YES;
}

enum podsku_tri podsku_judge_total_vram(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    if (offer->total_memory_gb == 0) {
        podsku_say(says, "memory unknown", "its memory is unknown");
        return PODSKU_UNKNOWN;
    }
    if ((double)offer->total_memory_gb >= judge->req->min_total_vram_gb)
        return PODSKU_YES;
    podsku_say(says, "too little memory", "%" PRId64 " GB in all, at least %.10g were asked for",
               offer->total_memory_gb, judge->req->min_total_vram_gb);
    return PODSKU_NO;
}

/* A slice's share of its parent. denominator 0: unknown. */
static enum podsku_tri judge_share(const struct judge *judge, const struct podsku_offer *offer, int numerator,
                                   int denominator, struct podsku_fraction asked, const char *what, struct says *says)
{
    char text[FRACTION_TEXT_SIZE];

    if (!judge->parents[offer->type - judge->catalog->types]) {
        podsku_say(says, "not that card",
                   judge->req->mig_parent ? "neither what --mig-parent names nor a slice of it"
                                          : "neither a slice nor a card that is sold in slices");
        return PODSKU_NO;
    }
    if (!offer->type->slice || asked.denominator == 0)
        return PODSKU_YES;
    if (denominator == 0) {
        podsku_say(says, "share unknown", "its share of the card's %s is unknown", what);
        return PODSKU_UNKNOWN;
    }
    if (podsku_fraction_at_least((struct podsku_fraction){numerator, denominator}, asked))
        return PODSKU_YES;
    podsku_say(says, "share too small", "%d/%d of the card's %s, at least %s was asked for", numerator, denominator,
               what, podsku_fraction_text(asked, text));
    return PODSKU_NO;
}

enum podsku_tri podsku_judge_memory_fraction(const struct judge *judge, const struct podsku_offer *offer,
                                             struct says *says)
{
    const struct podsku_slice *slice = offer->type->slice;

    return judge_share(judge, offer, slice ? slice->memory_numerator : 1, slice ? slice->memory_denominator : 1,
                       judge->req->memory_fraction, "memory", says);
}

enum podsku_tri podsku_judge_compute_fraction(const struct judge *judge, const struct podsku_offer *offer,
                                              struct says *says)
{
    const struct podsku_slice *slice = offer->type->slice;

    return judge_share(judge, offer, slice ? slice->compute_numerator : 1, slice ? slice->compute_denominator : 1,
                       judge->req->compute_fraction, "compute slices", says);
}

enum podsku_tri podsku_judge_mig(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    bool slice = offer->type->slice != NULL;

    if (judge->mig == PODSKU_MIG_FORBID && slice) {
        podsku_say(says, "MIG slices", "a MIG slice, and a whole card was asked for (--mig allow)");
        return PODSKU_NO;
    }
    if (judge->mig == PODSKU_MIG_ONLY && !slice) {
        podsku_say(says, "whole cards", "a whole card, and a MIG slice was asked for");
        return PODSKU_NO;
    }
    return PODSKU_YES;
}

enum podsku_tri podsku_judge_manufacturer(const struct judge *judge, const struct podsku_offer *offer,
                                          struct says *says)
{
    const struct podsku_gpu_type *type = offer->type;
    enum podsku_manufacturer wanted = judge->manufacturer == PODSKU_WANT_AMD ? PODSKU_AMD : PODSKU_NVIDIA;
    const char *word = type->manufacturer_word;

    if (judge->manufacturer == PODSKU_WANT_ANY || type->manufacturer == wanted)
        return PODSKU_YES;
    if (type->manufacturer == PODSKU_MANUFACTURER_UNKNOWN) {
        podsku_say(says, "manufacturer", "its manufacturer is unknown");
        return PODSKU_UNKNOWN;
    }
    podsku_say(says, "manufacturer", "made by %.100s (--manufacturer)",
               type->manufacturer == PODSKU_AMD      ? "AMD"
               : type->manufacturer == PODSKU_NVIDIA ? "NVIDIA"
               : word                                ? word
                                                     : "another manufacturer");
    return PODSKU_NO;
}

enum podsku_tri podsku_judge_arch(const struct judge *judge, const struct podsku_offer *offer, struct says *says)
{
    const struct podsku_facts *facts = offer->type->facts;

    if (!facts || facts->arch == PODSKU_ARCH_UNKNOWN) {
        podsku_say(says, "no facts", "its architecture is unknown");
        return PODSKU_UNKNOWN;
    }
    if (facts->arch == judge->req->arch)
        return PODSKU_YES;
    podsku_say(says, "architecture", "%s, and %s was asked for", podsku_arch_name(facts->arch),
               podsku_arch_name(judge->req->arch));
    return PODSKU_NO;
}

enum podsku_tri podsku_judge_compute_capability(const struct judge *judge, const struct podsku_offer *offer,
                                                struct says *says)
{
    const struct podsku_facts *facts = offer->type->facts;
    int major = judge->req->compute_major;
    int minor = judge->req->compute_minor;

    if (offer->type->manufacturer == PODSKU_AMD) {
        podsku_say(says, "no CUDA", "AMD cards have no CUDA compute capability");
        return PODSKU_NO;
    }
    if (!facts || (facts->compute_major == 0 && facts->compute_minor == 0)) {
        podsku_say(says, "no facts", "its compute capability is unknown");
        return PODSKU_UNKNOWN;
    }
    if (facts->compute_major > major || (facts->compute_major == major && facts->compute_minor >= minor))
        return PODSKU_YES;
    podsku_say(says, "compute capability", "compute capability %d.%d, at least %d.%d was asked for",
               facts->compute_major, facts->compute_minor, major, minor);
    return PODSKU_NO;
}
