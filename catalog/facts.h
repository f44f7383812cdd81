/*
 * What podsku knows of a GPU type's hardware and no API field says: NVLink evidence, domain and
 * bandwidth, PCIe, MIG. Each row carries its source, the date it was checked and how far it is
 * verified. Types without a row are unknown; nothing is ever guessed from a name.
 */
#ifndef PODSKU_CATALOG_FACTS_H
#define PODSKU_CATALOG_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A verdict that may be unknown; unknown is 0, so that a zeroed struct claims nothing. */
enum podsku_tri { PODSKU_UNKNOWN, PODSKU_NO, PODSKU_YES };

/* How sure it is that GPUs of one machine are pairwise on NVLink. */
enum podsku_evidence {
    PODSKU_EVIDENCE_UNKNOWN,   /* no facts */
    PODSKU_EVIDENCE_NONE,      /* the card has no NVLink */
    PODSKU_EVIDENCE_CONNECTOR, /* a place for a bridge; counts as PCIe */
    PODSKU_EVIDENCE_NOMINAL,   /* sold as NVLink, bridges optional */
    PODSKU_EVIDENCE_BOARD,     /* by the board's design */
};

enum podsku_arch {
    PODSKU_ARCH_UNKNOWN,
    PODSKU_ARCH_VOLTA,
    PODSKU_ARCH_TURING,
    PODSKU_ARCH_AMPERE,
    PODSKU_ARCH_ADA,
    PODSKU_ARCH_HOPPER,
    PODSKU_ARCH_BLACKWELL,
    PODSKU_ARCH_CDNA3,
    PODSKU_ARCH_COUNT,
};

enum podsku_confidence {
    PODSKU_CONFIDENCE_UNKNOWN,
    PODSKU_CONFIDENCE_NOT_VERIFIED, /* "not verified": plausible, seen nowhere */
    PODSKU_CONFIDENCE_INFERRED,     /* "inferred": follows from other facts */
    PODSKU_CONFIDENCE_VENDOR,       /* "vendor": a vendor's document says so */
    PODSKU_CONFIDENCE_VERIFIED,     /* "verified": seen on a machine */
};

/* All numbers: 0 is unknown or "has none", whichever the field says; strings: NULL is unknown. */
struct podsku_facts {
    const char *id;       /* GPU type id, never NULL */
    const char *alias_of; /* NULL, or the id whose facts these are (legacy spellings) */
    enum podsku_arch arch;
    int compute_major, compute_minor; /* compute capability; 0.0: unknown or not NVIDIA */
    const char *form_factor;          /* "SXM5", "PCIe", "MIG slice" */
    int memory_gb;                    /* nominal size; 0: unknown */
    int memory_bandwidth_gbs;         /* 0: unknown */
    enum podsku_evidence evidence;
    int nvlink_generation; /* 0: none */
    int nvlink_links;      /* links per GPU; 0: none */
    double nvlink_gbs;     /* per GPU, both directions together, GB/s; 0: none */
    int nvlink_domain;     /* GPUs pairwise linked in one machine; 1: none, 0: unknown */
    const char *topo_code; /* what `nvidia-smi topo -m` shows, in words */
    int pcie_generation, pcie_lanes;
    double pcie_gbs;             /* nominal, both directions, GB/s; 0: unknown */
    enum podsku_tri pcie_p2p;    /* does the driver allow P2P over PCIe; UNKNOWN: nothing known against it */
    bool xgmi;                   /* AMD: linked by xGMI, which is not NVLink */
    int xgmi_domain;             /* GPUs pairwise linked by xGMI; 0: none */
    double xgmi_pair_gbs;        /* per pair, both directions, GB/s */
    enum podsku_tri mig_capable; /* YES: the card can be cut; slices themselves say NO */
    int mig_max_instances;       /* 0: none */
    int tdp_w;                   /* 0: unknown */
    enum podsku_confidence confidence;
    bool on_runpod;      /* verified on a Runpod machine */
    const char *source;  /* who says so */
    const char *checked; /* "2026-08", the date of the source's reading */
    const char *notes;   /* NULL: none */
};

/* One MIG profile of one kind of card. */
struct podsku_mig_profile {
    const char *card;    /* "RTX PRO 6000 Blackwell 96GB" */
    const char *profile; /* "1g.24gb", with suffix: "1g.24gb+gfx" */
    int compute_slices, compute_total;
    int memory_slices, memory_total;
    int memory_gb;     /* nominal */
    int max_instances; /* of this profile per card */
    bool graphics;     /* graphics APIs work */
    bool sold;         /* seen in Runpod's catalogue under its own id */
    enum podsku_confidence confidence;
    const char *note; /* NULL: none */
};

/*
 * The facts in use: the built-in table, over which a facts file may be laid. The built-in set is
 * constant and lives for ever; podsku_facts_free() accepts it and does nothing.
 */
struct podsku_facts_set;

const struct podsku_facts_set *podsku_facts_builtin(void);

/*
 * The built-in facts with those of a JSON file (an array of rows, or {"facts": [...]}) laid over
 * them, field by field. Free with podsku_facts_free(). `name` is the file's name for errors.
 *
 * A row names its type by "id"; what it does not name stays as in the table (unknown for a new
 * type), null makes unknown. Fields: alias_of architecture compute_capability ("9.0" or 9.0)
 * form_factor memory_gb memory_bandwidth_gbs nvlink_evidence nvlink_generation nvlink_links
 * nvlink_gbs_per_gpu nvlink_domain topo_code pcie_gen pcie_lanes pcie_gbs pcie_p2p (true, false)
 * other_fabric ("xgmi") other_fabric_domain other_fabric_pair_gbs mig_capable (true, false)
 * mig_max_instances tdp_w confidence (verified, vendor, inferred, not verified) on_runpod (true,
 * false) source checked ("2026-08" or a day) notes. Also as arch, evidence, vram_gb, nvlink_gbs,
 * pcie_generation, xgmi_domain, xgmi_pair_gbs. A row that says neither source, checked, confidence
 * nor on_runpod has the file as its source and counts as not verified: it is the table's no more.
 *
 * PODSKU_INPUT for anything that is no facts file: unknown fields (naming the near one), wrong
 * types, duplicate ids.
 */
enum podsku_code podsku_facts_load(const char *bytes, size_t len, const char *name, const struct podsku_facts_set **set,
                                   struct podsku_error *err) PODSKU_CHECKED;
void podsku_facts_free(const struct podsku_facts_set *set);

/* The row of exactly this id, NULL if there is none. Borrowed from the set. */
const struct podsku_facts *podsku_facts_find(const struct podsku_facts_set *set, const char *id);

/* Iteration in table order. */
size_t podsku_facts_count(const struct podsku_facts_set *set);
const struct podsku_facts *podsku_facts_at(const struct podsku_facts_set *set, size_t index);

/*
 * MIG profiles: all rows, and those of one parent card by its GPU type id. `count` is set; NULL and
 * 0 when the card has none. Rows of one card are contiguous.
 */
const struct podsku_mig_profile *podsku_mig_profiles(size_t *count);
const struct podsku_mig_profile *podsku_mig_profiles_of(const char *parent_id, size_t *count);
const struct podsku_mig_profile *podsku_mig_profile_find(const char *parent_id, const char *profile);

/* Which ids share the card of a row: NULL-terminated list of GPU type ids. */
const char *const *podsku_mig_parent_ids(const struct podsku_mig_profile *profile);

/* Words of the enums as JSON and tables write them: "board", "hopper", "verified", ... */
const char *podsku_evidence_name(enum podsku_evidence evidence);
const char *podsku_arch_name(enum podsku_arch arch);
const char *podsku_confidence_name(enum podsku_confidence confidence);
/* The reverse, case ignored; false for an unknown word. */
bool podsku_arch_parse(const char *word, enum podsku_arch *arch);
bool podsku_evidence_parse(const char *word, enum podsku_evidence *evidence);

#endif
