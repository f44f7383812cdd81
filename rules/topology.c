#include "rules/judge.h"

/* The practical end of peer-to-peer over PCIe, GB/s both ways. */
#define PCIE_PRACTICAL_GBS 50.0

const char *podsku_link_name(enum podsku_link link)
{
    static const char *const names[] = {
        [PODSKU_LINK_UNKNOWN] = "unknown", [PODSKU_LINK_NONE] = "none",     [PODSKU_LINK_PCIE] = "pcie",
        [PODSKU_LINK_XGMI] = "xgmi",       [PODSKU_LINK_NVLINK] = "nvlink",
    };

    return (unsigned)link < sizeof names / sizeof names[0] ? names[link] : names[PODSKU_LINK_UNKNOWN];
}

/* What the facts say about NVLink among n GPUs. */
static enum podsku_evidence evidence_among(const struct podsku_facts *facts, int n)
{
    if (facts->evidence != PODSKU_EVIDENCE_BOARD && facts->evidence != PODSKU_EVIDENCE_NOMINAL)
        return facts->evidence;
    if (facts->nvlink_domain == 0)
        return PODSKU_EVIDENCE_UNKNOWN;
    return n <= facts->nvlink_domain ? facts->evidence : PODSKU_EVIDENCE_NONE;
}

static double pcie_gbs(const struct podsku_facts *facts)
{
    if (facts->pcie_p2p == PODSKU_NO)
        return 0;
    if (facts->pcie_gbs <= 0)
        return PODSKU_GBS_UNKNOWN;
    return facts->pcie_gbs < PCIE_PRACTICAL_GBS ? facts->pcie_gbs : PCIE_PRACTICAL_GBS;
}

static double known_gbs(double gbs)
{
    return gbs > 0 ? gbs : PODSKU_GBS_UNKNOWN;
}

struct podsku_topology podsku_topology_of(const struct podsku_gpu_type *type, int gpus, bool possible)
{
    struct podsku_topology topology = {.link_gbs = PODSKU_GBS_UNKNOWN};
    const struct podsku_facts *facts = type->facts;
    int n = gpus > 2 ? gpus : 2;

    if (type->slice) {
        topology.link = PODSKU_LINK_NONE;
        topology.evidence = PODSKU_EVIDENCE_NONE;
        topology.link_gbs = 0;
        topology.nvlink_domain = 1;
        return topology;
    }
    if (!facts)
        return topology;
    topology.evidence = evidence_among(facts, n);
    topology.nvlink_generation = facts->nvlink_generation;
    topology.nvlink_domain = facts->nvlink_domain;
    if (topology.evidence == PODSKU_EVIDENCE_BOARD || (topology.evidence == PODSKU_EVIDENCE_NOMINAL && possible)) {
        topology.link = PODSKU_LINK_NVLINK;
        topology.link_gbs = known_gbs(facts->nvlink_gbs);
    } else if (facts->xgmi && n <= facts->xgmi_domain) {
        topology.link = PODSKU_LINK_XGMI;
        topology.link_gbs = known_gbs(facts->xgmi_pair_gbs);
    } else {
        topology.link = topology.evidence == PODSKU_EVIDENCE_UNKNOWN ? PODSKU_LINK_UNKNOWN : PODSKU_LINK_PCIE;
        topology.link_gbs = pcie_gbs(facts);
    }
    return topology;
}

int64_t podsku_pairs_joined(int64_t n, int64_t domain)
{
    int64_t whole = n / domain;
    int64_t rest = n % domain;

    return whole * (domain * (domain - 1) / 2) + rest * (rest - 1) / 2;
}
