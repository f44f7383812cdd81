/*
 * Verify: what nvidia-smi and NCCL texts say of a machine, and whether that is what was asked for.
 * Reading and judging are apart: a reading knows no expectation. A reader refuses rather than
 * guesses: what a text does not carry is unknown.
 */
#ifndef PODSKU_RULES_VERIFY_H
#define PODSKU_RULES_VERIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "catalog/facts.h"
#include "rules/requirement.h"

#define PODSKU_VERIFY_GPUS_MAX 128
#define PODSKU_VERIFY_BYTES_MAX ((size_t)16 << 20) /* of a text; what is beyond is not read */

/*
 * One link between two GPUs, ordered: nearer is smaller. NV links carry their number in `count`.
 * X(constant, word, meaning)
 */
#define PODSKU_PATH_LIST(X)                                \
    X(SELF, "X", "the GPU itself")                         \
    X(NV, "NV", "a bonded set of NVLinks")                 \
    X(PIX, "PIX", "at most one PCIe bridge")               \
    X(PXB, "PXB", "several PCIe bridges, no host bridge")  \
    X(PHB, "PHB", "through a PCIe host bridge (CPU)")      \
    X(NODE, "NODE", "between host bridges, one NUMA node") \
    X(SYS, "SYS", "between sockets")                       \
    X(SOC, "SOC", "between sockets (the old word for SYS)")

#define PODSKU_PATH_ENUM(constant, word, meaning) PODSKU_PATH_##constant,
enum podsku_path { PODSKU_PATH_UNKNOWN = -1, PODSKU_PATH_LIST(PODSKU_PATH_ENUM) PODSKU_PATH_COUNT };
#undef PODSKU_PATH_ENUM

struct podsku_pair_link {
    enum podsku_path path;
    int count; /* NVLinks of the pair, for NV; 0 otherwise */
};

/* The legend: one row per path in the order of enum podsku_path. */
struct podsku_path_word {
    const char *word;    /* as nvidia-smi prints it; "NV" stands before a number */
    const char *meaning; /* a few words */
};
const struct podsku_path_word *podsku_path_words(size_t *count);
const char *podsku_path_word(enum podsku_path path);    /* "?" for UNKNOWN */
const char *podsku_path_meaning(enum podsku_path path); /* "not known" for UNKNOWN */

#define PODSKU_LINK_TEXT_SIZE 8
/* "NV18", "SYS"; returns text. */
const char *podsku_link_text(struct podsku_pair_link link, char text[PODSKU_LINK_TEXT_SIZE]);
/* True when a is farther than b: NV# (more links nearer) < PIX < PXB < PHB < NODE < SYS = SOC. */
bool podsku_link_farther(struct podsku_pair_link a, struct podsku_pair_link b);

/* Codes of problems and notes: fixed words. X(constant, code, kind) */
#define PODSKU_FINDING_LIST(X)                    \
    X(NO_TOPOLOGY, "no-topology", UNVERIFIED)     \
    X(TRUNCATED, "truncated", UNVERIFIED)         \
    X(UNKNOWN_CODE, "unknown-code", UNVERIFIED)   \
    X(CONFLICTING, "conflicting", UNVERIFIED)     \
    X(ASYMMETRIC, "asymmetric", UNVERIFIED)       \
    X(HIDES_NVLINK, "hides-nvlink", UNVERIFIED)   \
    X(OTHER_TOOL, "other-tool", UNVERIFIED)       \
    X(DRIVER_FAILED, "driver-failed", UNVERIFIED) \
    X(NO_LOGIN, "no-login", UNVERIFIED)           \
    X(NOT_ALL_NVLINK, "not-all-nvlink", MISMATCH) \
    X(WRONG_COUNT, "wrong-count", MISMATCH)       \
    X(WRONG_MODEL, "wrong-model", MISMATCH)       \
    X(MIG_SLICE, "mig-slice", MISMATCH)           \
    X(P2P_OFF, "p2p-off", MISMATCH)               \
    X(NCCL_SLOW, "nccl-slow", MISMATCH)           \
    X(NO_GPU, "no-gpu", MISMATCH)                 \
    X(DEGRADED, "degraded", NOTE)                 \
    X(BELOW_EXPECTED, "below-expected", NOTE)     \
    X(NUMA_SPLIT, "numa-split", NOTE)

enum podsku_verdict {
    PODSKU_VERDICT_NULL, /* nothing was expected, and the text was read whole */
    PODSKU_VERDICT_MATCH,
    PODSKU_VERDICT_MISMATCH,
    PODSKU_VERDICT_UNVERIFIED,
};

/* A share of a card, as an exact ratio; denominator 0: not asked. */
struct podsku_share {
    int64_t numerator, denominator;
};

/* What was asked for; a zeroed struct expects nothing. */
struct podsku_expectation {
    int gpus;                         /* 0: any number */
    bool nvlink;                      /* NVLink among `gpus` (or all) GPUs */
    const char *gpu_type;             /* GPU type id; NULL: any */
    const struct podsku_facts *facts; /* of gpu_type; NULL: unknown */
    bool whole_card;                  /* a MIG slice is a mismatch */
    const char *mig_profile;          /* this profile on each GPU; NULL: none expected */
    bool mig_only;                    /* a whole card is a mismatch */
    /* At least that share of a card, or the whole card: what `--memory-fraction` asks for. */
    struct podsku_share memory_share, compute_share;
    const char *mig_parent;                   /* pattern for the card's id; NULL: any card */
    const struct podsku_words *gpu, *exclude; /* patterns that the cards match, and do not; NULL: none */
    const struct podsku_catalog *names;       /* whose display names the patterns may mean; NULL: ids only */
    double min_link_gbs;                      /* < = 0: not asked */
    bool strict;                              /* notes are mismatches */
};

/*
 * PODSKU_USAGE, with near names, when a pattern of the requirement (gpu, exclude, mig_parent) matches
 * no type of the catalogue or of its facts.
 */
enum podsku_code podsku_verify_check_patterns(const struct podsku_catalog *catalog,
                                              const struct podsku_requirement *req,
                                              struct podsku_error *err) PODSKU_CHECKED;

/*
 * The type of this id or display name, case ignored: *id and *facts (NULL: none) are the catalogue's or
 * its facts'. PODSKU_USAGE, with near names, when neither knows it.
 */
enum podsku_code podsku_verify_find_type(const struct podsku_catalog *catalog, const char *wanted, const char **id,
                                         const struct podsku_facts **facts, struct podsku_error *err) PODSKU_CHECKED;

/* Reading and verification; private inside, see the accessors. */
struct podsku_reading;
struct podsku_verification;

/*
 * Reads any number of texts in one: topo -m, topo -p2p, -L, query CSV, nvlink -s, NCCL logs, alone
 * or inside a report. Never fails on content (what cannot be read is in the reading), only on memory.
 */
enum podsku_code podsku_verify_read(const char *bytes, size_t len, struct podsku_reading **reading,
                                    struct podsku_error *err) PODSKU_CHECKED;
void podsku_reading_free(struct podsku_reading *reading);

/* Judges a reading. The verification borrows the reading and copies what it needs of the expectation. */
enum podsku_code podsku_verify_judge(const struct podsku_reading *reading, const struct podsku_expectation *expected,
                                     struct podsku_verification **verification,
                                     struct podsku_error *err) PODSKU_CHECKED;
/* A verification without any text, e.g. because nobody could log in: unverified with this problem. */
enum podsku_code podsku_verify_none(const char *code, const char *message, const struct podsku_expectation *expected,
                                    struct podsku_verification **verification, struct podsku_error *err) PODSKU_CHECKED;
void podsku_verification_free(struct podsku_verification *verification);

enum podsku_verdict podsku_verification_verdict(const struct podsku_verification *verification);
/* One line for people: "8x NVIDIA H100 80GB HBM3, driver 580.95, no MIG; 28 of 28 pairs NV18; P2P ok". */
const char *podsku_verification_summary(const struct podsku_verification *verification);
/* "match", "mismatch", "unverified"; "no expectation" for NULL. */
const char *podsku_verdict_name(enum podsku_verdict verdict);

/*
 * What views show. Texts are borrowed from the verification.
 */
int podsku_verification_gpus(const struct podsku_verification *verification);       /* -1: unknown */
bool podsku_verification_has_links(const struct podsku_verification *verification); /* some matrix was read */
bool podsku_verification_whole(const struct podsku_verification *verification);     /* and it answers */
/* Row i, column j as written; path UNKNOWN where the text does not say. */
struct podsku_pair_link podsku_verification_link(const struct podsku_verification *verification, int i, int j);
int podsku_verification_numa(const struct podsku_verification *verification, int gpu); /* 0, 1, ...; -1: unknown */
/* NVLink groups: maximal sets of pairwise linked GPUs. */
int podsku_verification_group_count(const struct podsku_verification *verification);
bool podsku_verification_in_group(const struct podsku_verification *verification, int group, int gpu);
/* Is the GPU of the linked group that meets a requirement for fewer GPUs than there are? */
bool podsku_verification_picked(const struct podsku_verification *verification, int gpu);
double podsku_verification_link_gbs(
    const struct podsku_verification *verification); /* one NVLink, each way; 0: unknown */
const char *podsku_verification_model(const struct podsku_verification *verification, int gpu); /* NULL: not named */
/* Message of a finding, its code in *code; NULL beyond the last. */
const char *podsku_verification_problem(const struct podsku_verification *verification, size_t index,
                                        const char **code);
const char *podsku_verification_note(const struct podsku_verification *verification, size_t index, const char **code);
const char *podsku_verification_advice(const struct podsku_verification *verification, size_t index);

/* The podsku.verify/1 document: new reference, NULL without memory. */
json_t *podsku_verification_encode(const struct podsku_verification *verification);

#endif
