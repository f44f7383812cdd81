/*
 * The prose of the help topics. Every fact carries how sure it is; what stands in a table of the
 * program is made from it (help_tables.c).
 */
#include "cli/topic.h"

static const struct cli_topic_line nvlink[] = {
    TOPIC_TEXT(
        "NVLink joins GPUs directly; without it they talk over PCIe, often through the CPU. Whether the GPUs of "
        "one pod have it follows from the GPU type. No field of Runpod's API says so, and the name is a hint, not "
        "a contract."),
    TOPIC_HEADING("Bandwidth of one GPU, both directions together"),
    TOPIC_MADE(cli_topic_bandwidths),
    TOPIC_FACT(INFERRED,
               "practical peer-to-peer over PCIe ends between 50 and 100 GB/s; the link-bandwidth rule counts "
               "at most 50, and 0 for GeForce RTX 40 and 50, whose driver gives no peer-to-peer at all"),
    TOPIC_HEADING("Which types have it"),
    TOPIC_MADE(cli_topic_evidence),
    TOPIC_TEXT(
        "board: every pair, by the board's design, up to the domain. nominal: sold as NVLink, bridges optional: "
        "use --nvlink possible, and --verify. connector: a place for a bridge, which rented machines mostly lack; "
        "counts as PCIe. More than 8 GPUs on NVLink cannot be bought on Runpod (podsku help clusters)."),
    TOPIC_HEADING("Why a name is a hint"),
    TOPIC_FACT(INFERRED,
               "\"H100 NVL\" has NVLink between pairs only: with 8 of them at best 4 of 28 pairs; and a rented "
               "pair has shown SYS, which is none"),
    TOPIC_FACT(VENDOR, "\"B200\" and \"B300\" have NVLink among all 8 and do not say it"),
    TOPIC_FACT(VENDOR,
               "\"H100 PCIe\" has a connector for a bridge, and \"MIG\" slices have no NVLink, whatever the card"),
    TOPIC_HEADING("When a pod turned out to be on PCIe"),
    TOPIC_ITEM("re-deploy", "by an explicit type on an NVLink board: podsku deploy --gpus N --nvlink ... --verify"),
    TOPIC_ITEM("or stay", "lower the tensor-parallel degree to the GPUs that are linked; pipeline and data parallelism "
                          "tolerate PCIe; larger micro-batches hide some of it"),
    TOPIC_ITEM("look",
               "at what NCCL chose: NCCL_DEBUG=INFO CMD 2>&1 | podsku verify -   (SHM or NET between GPUs of one "
               "machine goes through host memory)"),
};

static const struct cli_topic_line topology[] = {
    TOPIC_TEXT(
        "nvidia-smi topo -m prints a matrix of GPUs; each cell is the link of one pair. The worst cell among the "
        "GPUs of a tensor-parallel group decides its speed. podsku verify reads it."),
    TOPIC_HEADING("The words, nearest first"),
    TOPIC_MADE(cli_topic_paths),
    TOPIC_FACT(VENDOR,
               "each of the # links of NV# carries 25 GB/s each way with NVLink 2, 3 and 4, and 50 with NVLink 5"),
    TOPIC_FACT(INFERRED, "14 GB/s each way on the bridges of GA102 cards (RTX 3090, RTX A6000, A40)"),
    TOPIC_HEADING("What a full board shows"),
    TOPIC_FACT(VENDOR, "NV18 between every pair: Hopper and Blackwell boards of 8; NV12: A100 boards of 8"),
    TOPIC_FACT(VERIFIED, "NV6 between every pair: a Hopper board of 4, all linked with a third of the bandwidth and no "
                         "reduction in the switch"),
    TOPIC_FACT(INFERRED, "NV4 between every pair: an A100 board of 4"),
    TOPIC_FACT(VERIFIED, "a Hopper board split 4+4 over two NUMA nodes is whole, but has cost 1.8 times the step time "
                         "through the host's threads: bind each process to its GPU's node"),
    TOPIC_HEADING("Peer-to-peer"),
    TOPIC_FACT(VENDOR,
               "nvidia-smi topo -p2p n must say OK for every pair; NS, CNS, GNS and TNS mean no NVLink peer-to-peer"),
    TOPIC_FACT(VENDOR, "canAccessPeer and topo -p2p r, w, p prove nothing about NVLink: PCIe peers say yes, too"),
    TOPIC_FACT(VENDOR, "nvidia-smi nvlink -s counts links per GPU and cannot say between which pairs they are"),
    TOPIC_HEADING("What NCCL chose (NCCL_DEBUG=INFO)"),
    TOPIC_ITEM("P2P", "P2P/CUMEM, P2P/IPC, P2P/direct pointer: GPU to GPU; NVLS: reduction in the NVLink switch"),
    TOPIC_ITEM("SHM", "through host memory: slow between linked GPUs"),
    TOPIC_ITEM("NET", "over the network: NET/IB or NET/Socket; never right within one machine"),
};

static const struct cli_topic_line mig[] = {
    TOPIC_TEXT("MIG cuts one card into slices with compute, memory and faults of their own, in hardware. Runpod sells "
               "slices ready-cut under their own GPU type ids (\"... MIG 1g.24gb\")."),
    TOPIC_HEADING("Slices on sale, and the cheapest whole card with as much memory"),
    TOPIC_MADE(cli_topic_sold_slices),
    TOPIC_HEADING("Profiles per card (compute, memory, how many fit; * is sold)"),
    TOPIC_MADE(cli_topic_mig_profiles),
    TOPIC_FACT(VENDOR,
               "cards with 7 compute slices cut memory in eighths: 1g is 1/7 of the compute and 1/8 of the memory, "
               "3g is 3/7 and 4/8. The share of compute depends on the card: 1g.24gb is 1/4 of an RTX PRO 6000, "
               "1/2 of an RTX PRO 5000 and 1/7 of an H100 NVL"),
    TOPIC_FACT(VENDOR,
               "suffixes: +me has the media engines, +gfx graphics, -me none of the media engines, +me.all all of "
               "them. Within a slice the compute can be divided further (compute instances, 1c.3g...), which "
               "then share its memory"),
    TOPIC_HEADING("Limits"),
    TOPIC_FACT(VENDOR, "slices have no NVLink; N slices are N separate devices; NCCL does not support MIG"),
    TOPIC_FACT(VENDOR, "from driver R570 peer-to-peer works between slices of the same card, never across cards"),
    TOPIC_HEADING("Why you cannot cut your own"),
    TOPIC_FACT(VENDOR,
               "nvidia-smi -mig 1 needs root on the host, no other work on the card (\"In use by another client\"), "
               "and before Hopper a reset of the GPU"),
    TOPIC_FACT(INFERRED, "serverless, pods and Instant Clusters are containers: no"),
    TOPIC_FACT(NOT_VERIFIED, "bare metal: plausible, since the whole machine is rented"),
    TOPIC_TEXT(
        "podsku pick --memory-fraction 1/4 finds slices and the whole parent, and compares them with whole cards; "
        "podsku catalog mig lists one row per profile."),
};

static const struct cli_topic_line sharing[] = {
    TOPIC_TEXT("Several jobs on one card: what one can do to another depends on how they share it."),
    TOPIC_ITEM("own card", "everything is isolated. [vendor]"),
    TOPIC_ITEM("MIG slice", "memory, memory bandwidth and faults, in hardware; no NVLink (podsku help mig). [vendor]"),
    TOPIC_ITEM("vGPU", "a virtualisation product with its own licence; not sold by Runpod. [vendor]"),
    TOPIC_ITEM("MPS",
               "one shared context: a memory limit only where one is set, and one client's fault can end all. Needs "
               "its daemon in the container. [vendor] On Runpod: [not verified]"),
    TOPIC_ITEM("time slicing",
               "nothing but turns: all share the memory, and one out-of-memory can end the others. [vendor]"),
    TOPIC_ITEM("one process",
               "several models in one process (or a serverless worker's concurrency_modifier): nothing is "
               "isolated, one out-of-memory ends all. [inferred]"),
    TOPIC_HEADING("Which to take"),
    TOPIC_TEXT("Other teams' or customers' work beside yours: a slice or a card of your own. Only your own work: the "
               "cheapest whole card is usually simpler, and often cheaper than a slice of the same memory:"),
    TOPIC_MADE(cli_topic_sold_slices),
    TOPIC_FACT(VENDOR, "consumer cards (GeForce) have no MIG, and in recent generations no NVLink"),
};

static const struct cli_topic_line clusters[] = {
    TOPIC_TEXT(
        "More than 8 GPUs on NVLink cannot be bought on Runpod. --nodes N rents an Instant Cluster: N machines of "
        "one type in one data center, joined by a fast network. N pods are never one NVLink domain."),
    TOPIC_HEADING("Types, and what a GPU has within and between machines"),
    TOPIC_MADE(cli_topic_cluster_types),
    TOPIC_HEADING("Sizes and network"),
    TOPIC_FACT(VENDOR, "2 to 8 nodes, 16 to 64 GPUs, by Runpod's documentation; the API takes 2 to 250 pods; larger by "
                       "arrangement"),
    TOPIC_FACT(VENDOR, "ens1 to ens8 are the network between the nodes, eth0 is the internet: NCCL_SOCKET_IFNAME=ens1, "
                       "which podsku sets unless you do"),
    TOPIC_FACT(NOT_VERIFIED,
               "RDMA and GPUDirect are not documented; NET/Socket in an NCCL log says that neither is used"),
    TOPIC_HEADING("Price"),
    TOPIC_FACT(INFERRED,
               "expect about 1.2 times the pod rate, as seen on cluster bills; podsku counts with it and marks the "
               "price as an estimate"),
    TOPIC_FACT(VENDOR, "accounts have a spend limit per hour that large clusters run into; Runpod's support raises it"),
};

static const struct cli_topic_line catalogue[] = {
    TOPIC_HEADING("Sources (--catalog)"),
    TOPIC_ITEM("live",
               "REST v2, the default with an API key. Stock and data centers are read for the GPU count and the "
               "cloud asked for, since the stock of one GPU says nothing about eight"),
    TOPIC_ITEM("graphql", "prices without a key, until Runpod retires that API (announced for early 2027)"),
    TOPIC_ITEM("bundled", "without a key the default; prices have moved since:"),
    TOPIC_MADE(cli_topic_catalog_age),
    TOPIC_ITEM("FILE, -", "a recording (podsku catalog pull), or a body of either API as it came"),
    TOPIC_TEXT("A failed live read is an error, never a silent step to another source."),
    TOPIC_HEADING("How catalogues mislead"),
    TOPIC_FACT(VERIFIED,
               "a cloud that does not offer a card still carries a price, often the placeholder 0.50: only the "
               "cloud's flag and its count say where a type can be rented. A surviving 0.50 on a card of 32 GB "
               "or more is marked suspect-price"),
    TOPIC_FACT(VERIFIED, "a flag that is true with a count of 0, and false with a count above 0: both are not offered"),
    TOPIC_FACT(VERIFIED,
               "GraphQL may lack the counts per cloud, or say 0 for both (MIG types do): then the overall maximum "
               "stands for both clouds"),
    TOPIC_FACT(VERIFIED, "a price of 0 is unknown, not free; a memory of 0 is unknown"),
    TOPIC_FACT(VERIFIED,
               "maxCount is the size of the largest machine, not stock; HIGH, MEDIUM and LOW hold for the count "
               "that was asked for and fewer, NONE for it and more"),
    TOPIC_FACT(INFERRED, "NONE that was read for a CUDA floor or for some countries says nothing of other hosts"),
    TOPIC_FACT(VERIFIED,
               "names move from card to card over the years: order by id. Ids are whole byte strings; two differ "
               "only by a double blank"),
    TOPIC_FACT(VERIFIED, "what is listed in stock may still be refused: only the create can tell"),
    TOPIC_TEXT("podsku catalog check FILE names each of these in a file, with its JSON path."),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
const struct cli_topic_page cli_topic_pages[] = {
    {"nvlink", "what NVLink is worth, which types have it, and why a name is a hint", nvlink, COUNT(nvlink)},
    {"topology", "reading nvidia-smi topo -m, topo -p2p and NCCL's choice of transport", topology, COUNT(topology)},
    {"mig", "slices of a card: profiles, limits, and what is sold", mig, COUNT(mig)},
    {"sharing", "how far each way of sharing a card isolates", sharing, COUNT(sharing)},
    {"clusters", "several machines: sizes, bandwidths, premium", clusters, COUNT(clusters)},
    {"catalogue", "where prices and stock come from, and how they mislead", catalogue, COUNT(catalogue)},
};
const size_t cli_topic_page_count = sizeof cli_topic_pages / sizeof *cli_topic_pages;
