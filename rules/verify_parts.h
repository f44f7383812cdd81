/*
 * Private to rules/verify_*.c: what the readers of the several texts fill, and the pieces that a
 * verification is made of. Sizes are fixed maxima, so that no text can make a reading grow.
 */
#ifndef PODSKU_RULES_VERIFY_PARTS_H
#define PODSKU_RULES_VERIFY_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "rules/verify.h"

#define VERIFY_GPUS PODSKU_VERIFY_GPUS_MAX
#define VERIFY_TOKENS 512      /* per line; longer lines are read up to here */
#define VERIFY_MIG_MAX 256     /* MIG devices in a list */
#define VERIFY_NAME 96         /* a model's name, with NUL */
#define VERIFY_NUMA_TEXT 32    /* a NUMA affinity cell, with NUL */
#define VERIFY_TRANSPORTS 32   /* different NCCL transports */
#define VERIFY_RANKS 4096      /* NCCL ranks whose machine is remembered */
#define VERIFY_NCCL_PAIRS 4096 /* pairs of ranks on a slow transport */
#define VERIFY_GROUPS_MAX 512  /* NVLink groups of one machine */

/* --- lines ------------------------------------------------------------------------------------ */

/* A word of a line, without the punctuation around it. Borrowed from the line. */
struct verify_token {
    const char *text;
    size_t len;
};

/* One cleaned line. */
struct verify_line {
    const char *text; /* not NUL-terminated */
    size_t len;
    bool unfinished; /* the text ends in this line, right after its last byte */
    bool last;       /* no newline stands behind it */
    struct verify_token tokens[VERIFY_TOKENS];
    size_t token_count;
};

/*
 * The text as plain lines: escape sequences (whole, or what redirects and renderers leave of them),
 * carriage returns, Unicode blanks and table rules, JSON and HTML escapes, UTF-16 become plain ASCII
 * blanks and newlines. At most twice as long as the input.
 */
void podsku_verify_clean(const char *bytes, size_t len, struct podsku_buf *out);

/* Splits one line into words; blanks and '|' separate. */
void podsku_verify_split(struct verify_line *line);

bool podsku_verify_token_is(const struct verify_token *token, const char *word);
/* Digits only: their number; -1 for anything else or more than six of them. */
int podsku_verify_token_number(const char *text, size_t len);
/* True when the line holds `words` somewhere. */
bool podsku_verify_line_has(const struct verify_line *line, const char *words);

/* --- the path words --------------------------------------------------------------------------- */

/* PODSKU_PATH_UNKNOWN for anything that is no code. */
struct podsku_pair_link podsku_path_parse(const char *text, size_t len);

/* --- matrices --------------------------------------------------------------------------------- */

enum verify_kind { VERIFY_KIND_UNDECIDED, VERIFY_KIND_TOPOLOGY, VERIFY_KIND_P2P, VERIFY_KIND_FOREIGN };

enum verify_p2p { VERIFY_STATE_NONE, VERIFY_STATE_SELF, VERIFY_STATE_OK, VERIFY_STATE_OFF, VERIFY_STATE_UNKNOWN };

struct verify_cell {
    signed char path;    /* enum podsku_path; UNKNOWN: not there or not readable */
    unsigned char count; /* of NV */
    unsigned char p2p;   /* enum verify_p2p; NONE: no word of a P2P matrix */
};

struct podsku_pair_link podsku_verify_cell_link(const struct verify_cell *cell);

/* Why a matrix, or a whole reading, does not answer. */
struct verify_problem {
    int code; /* index of the finding (enum verify_finding); -1: none */
    char message[256];
};

struct verify_matrix {
    int gpus; /* columns; 0: no matrix */
    int row_count;
    enum verify_kind kind;
    char p2p_letter; /* of `topo -p2p LETTER`; 0: the text does not say */
    bool mp;         /* `topo -mp` stands before it */
    bool header_cut; /* the text ends in the header */
    bool header_broken;
    bool has_cpu, has_numa, has_gpu_numa; /* columns after the GPUs */
    int devices;                          /* columns of other devices between them, at most */
    bool legend, legend_nv, legend_done;
    bool legend_hides;       /* a whole legend before the header has no NV# */
    const char *tool;        /* another vendor's tool that printed it; NULL: none known */
    int numa_tab;            /* tabs from the first label to the NUMA column in the header */
    int filled[VERIFY_GPUS]; /* cells read of each row; 0: the row is missing */
    char numa[VERIFY_GPUS][VERIFY_NUMA_TEXT];
    struct verify_problem problem;
    struct verify_cell cell[VERIFY_GPUS][VERIFY_GPUS];
};

/* The state that a word of a P2P matrix means; NONE: it is no such word. */
enum verify_p2p podsku_verify_p2p_parse(const struct verify_token *token);
/* Does the matrix say anything of P2P between GPUs? Reading, writing and the rest of -p2p prove nothing. */
bool podsku_verify_p2p_counts(const struct verify_matrix *p2p);
/* The tool whose cell this is, when only another vendor's prints such; NULL otherwise. */
const char *podsku_verify_foreign_parse(const struct verify_token *token);
/* Some cell of some matrix, the diagonal's X included. */
bool podsku_verify_is_cell(const struct verify_token *token);
/* The first word of the line that is a whole label, "GPU3": its number and index; -1: none. */
int podsku_verify_row_label(const struct verify_line *line, size_t *index);

struct verify_header {
    int from, columns; /* the first label's number; how many follow in order */
    size_t next;       /* the first word behind them */
    bool fused;        /* a device's or another column's name hangs on the last label */
    const char *label; /* where the first label stands */
};

/* GPU `from`, GPU `from`+1, ... in order, fused or apart, with anything before the first. */
bool podsku_verify_find_columns(const struct verify_line *line, int from, struct verify_header *header);
/* Is it the header of a matrix, not a row and not prose? */
bool podsku_verify_is_header(const struct verify_line *line, const struct verify_header *header);
/* Could the word head a column? Devices have a digit or '_' in their names, and letters. */
bool podsku_verify_heads_column(const struct verify_token *token);
/* The columns behind the GPUs. */
void podsku_verify_read_columns(const struct verify_line *line, const struct verify_header *header,
                                struct verify_matrix *m);

/* What a legend of paths has. */
struct verify_legend {
    bool any; /* some code */
    bool nv;  /* NV# */
    bool pix; /* PIX, the last code before NV# */
};

/* Reads matrices line by line. Zeroed to start with, then podsku_verify_matrix_init(). */
struct verify_matrix_reader {
    struct verify_matrix *now;   /* the one being read; gpus 0: none */
    struct verify_matrix *topo;  /* the first topology */
    struct verify_matrix *p2p;   /* the P2P matrix that counts most */
    int pending_row;             /* a row whose line ended early; -1: none */
    bool header_open;            /* the header's line ended with a GPU column */
    bool closed;                 /* no more rows: all are there, or the legend began */
    bool after_row;              /* the line before was a row */
    enum verify_kind command;    /* of the last `topo` command seen */
    char command_letter;         /* of -p2p */
    bool command_mp;             /* -mp */
    const char *tool;            /* the last other vendor's tool seen, until nvidia-smi is named */
    const char *other_tool;      /* whose matrix or banner the text has */
    int other_gpus;              /* columns of that matrix */
    int lone_gpus;               /* columns of a header without rows; -1: several that differ */
    int p2p_most;                /* columns of the largest P2P matrix */
    struct verify_legend before; /* the legend that no matrix stands before */
    bool orphans;                /* rows without a header */
    bool counts_differ;          /* matrices of different sizes */
    struct verify_problem clash; /* matrices that do not agree */
};

enum podsku_code podsku_verify_matrix_init(struct verify_matrix_reader *reader,
                                           struct podsku_error *err) PODSKU_CHECKED;
void podsku_verify_matrix_free(struct verify_matrix_reader *reader);
void podsku_verify_matrix_line(struct verify_matrix_reader *reader, const struct verify_line *line);
/* After the last line. */
void podsku_verify_matrix_end(struct verify_matrix_reader *reader);

/* Judges a matrix whose rows are all read: sets its kind and, if it does not answer, its problem. */
void podsku_verify_matrix_check(struct verify_matrix *matrix);

/* --- lists ------------------------------------------------------------------------------------ */

struct verify_mig {
    int gpu;
    char profile[24];
};

struct verify_list {
    int count; /* entries, indices 0..count-1 when complete */
    bool complete;
    char name[VERIFY_GPUS][VERIFY_NAME]; /* "": not named */
    char uuid[VERIFY_GPUS][48];          /* "": not given */
    signed char mig_mode[VERIFY_GPUS];   /* 1 enabled, 0 disabled, -1 unknown */
    int links_up[VERIFY_GPUS], links_down[VERIFY_GPUS];
    bool table;  /* some entry is a CSV row, which may be asked for one by one */
    bool status; /* some entry has its links below it: `nvlink -s`, as well */
    int whole;   /* entries of the longest list that has every GPU of its machine; 0: none */
    struct verify_mig mig[VERIFY_MIG_MAX];
    int mig_count;
};

struct verify_csv {
    int columns; /* 0: no table is being read */
    int index, name, uuid, driver, mig;
    int row;
};

struct verify_list_reader {
    struct verify_list *all; /* what the blocks so far agree on */
    struct verify_list *now; /* the block being read */
    int last;                /* index of its last entry; -1: none */
    struct verify_csv csv;
    char driver[32];
    bool conflict;      /* blocks that name different GPUs */
    bool machines;      /* blocks whose UUIDs differ: lists of several machines */
    bool cut;           /* the text ends, or a list does, in the middle of an entry */
    bool entered;       /* the line before was of a list */
    bool open;          /* ... and its parenthesis is not closed */
    bool closed;        /* some entry's was */
    bool driver_failed; /* nvidia-smi ran, and the driver does not answer */
    bool no_smi;        /* there is no nvidia-smi */
    bool no_devices;    /* "No devices were found" */
    bool nvlink_status; /* some `nvlink -s` lines */
    bool listed;        /* some -L or CSV line */
};

enum podsku_code podsku_verify_list_init(struct verify_list_reader *reader, struct podsku_error *err) PODSKU_CHECKED;
void podsku_verify_list_free(struct verify_list_reader *reader);
void podsku_verify_list_line(struct verify_list_reader *reader, const struct verify_line *line);
void podsku_verify_list_end(struct verify_list_reader *reader);

/* "1g.24gb", with suffix or a compute instance's prefix: the profile's length at the start; 0: none. */
size_t podsku_verify_profile_length(const char *text, size_t len);

/* --- NCCL ------------------------------------------------------------------------------------- */

struct verify_transport {
    char name[24];
    int channels;
};

struct verify_rank {
    int rank;      /* -1: a free slot */
    int device;    /* NVML index; -1: unknown */
    uint64_t host; /* hash of the host's name; 0: unknown */
};

struct verify_nccl_pair {
    int a, b;         /* ranks, a < b */
    int gpu_a, gpu_b; /* their GPUs as that line says; -1: it does not */
    bool net;         /* NET; otherwise SHM */
    bool slow;
};

struct verify_nccl {
    bool failed; /* no memory for the tables */
    bool seen;   /* some channel line */
    struct verify_transport transports[VERIFY_TRANSPORTS];
    int transport_count;
    int rank_count;
    int pair_count;
    int slow_count;      /* the first slow_count pairs are slow after podsku_verify_nccl_end() */
    int nodes;           /* machines; 0: unknown */
    bool socket_between; /* NET/Socket between machines */
    int nvls_channels;   /* of a rank; 0: none, or not told */
    bool communicators;  /* several: the same rank has had different GPUs, so ranks name nothing */
    /* Tables of VERIFY_RANKS and VERIFY_NCCL_PAIRS, from the first line of NCCL on; NULL before. */
    struct verify_rank *ranks;      /* hashed by rank */
    struct verify_nccl_pair *pairs; /* on SHM or NET; hashed while reading, dense after */
};

/* Zeroed to start with. */
void podsku_verify_nccl_free(struct verify_nccl *nccl);
void podsku_verify_nccl_line(struct verify_nccl *nccl, const struct verify_line *line);
void podsku_verify_nccl_end(struct verify_nccl *nccl);
/* The NVML indices of a pair's GPUs, -1 unknown; the lower first when they name the pair (several communicators). */
void podsku_verify_nccl_gpus(const struct verify_nccl *nccl, const struct verify_nccl_pair *pair, int *a, int *b);
#define VERIFY_PAIR_TEXT 48
/* "ranks 0 and 1", or "GPU2 and GPU3" where ranks name nothing; returns text. */
const char *podsku_verify_nccl_pair_text(const struct verify_nccl *nccl, const struct verify_nccl_pair *pair,
                                         char text[VERIFY_PAIR_TEXT]);

/* --- findings --------------------------------------------------------------------------------- */

#define VERIFY_FINDING_ENUM(constant, name, kind) VERIFY_##constant,
enum verify_finding { PODSKU_FINDING_LIST(VERIFY_FINDING_ENUM) VERIFY_FINDING_COUNT };
#undef VERIFY_FINDING_ENUM

/* What a finding makes of a verdict. */
enum verify_finding_kind { VERIFY_UNVERIFIED, VERIFY_MISMATCH, VERIFY_NOTE };

const char *podsku_verify_finding_name(enum verify_finding code);
enum verify_finding_kind podsku_verify_finding_kind(enum verify_finding code);

/* --- the reading ------------------------------------------------------------------------------ */

enum verify_nvlink {
    VERIFY_NVLINK_UNKNOWN,
    VERIFY_NVLINK_ALL,
    VERIFY_NVLINK_PARTIAL,
    VERIFY_NVLINK_NONE,
    VERIFY_NVLINK_SINGLE
};

/* Sets of GPUs as bits. */
struct verify_set {
    uint64_t bits[VERIFY_GPUS / 64];
};

struct verify_groups {
    struct verify_set *sets; /* maximal, at least two GPUs each, by their first GPUs */
    int count;
    bool cut; /* there are more; the machine is too irregular */
};

struct podsku_reading {
    struct verify_matrix_reader matrix;
    struct verify_list_reader list;
    struct verify_nccl nccl;
    int gpus;                      /* -1: unknown */
    bool whole;                    /* the GPU block answers: every pair known, symmetric, unambiguous */
    enum verify_nvlink nvlink;     /* UNKNOWN unless whole */
    struct podsku_pair_link worst; /* path UNKNOWN: none */
    int nv_min, nv_max;            /* 0: no pair has NVLink, or not whole */
    int pairs, nv_pairs;           /* of a whole matrix */
    int numa_nodes;                /* 0: unknown */
    signed char numa[VERIFY_GPUS]; /* each GPU's node as an index in order of appearance; -1 unknown */
    const char *p2p;               /* "ok", "not-supported", "mixed"; NULL */
    struct verify_groups groups;
    struct verify_problem problem; /* why not whole */
};

/* The link of a pair: that of (i,j), else that of (j,i) when one of both is missing. */
struct podsku_pair_link podsku_reading_pair(const struct podsku_reading *reading, int i, int j);

enum podsku_code podsku_verify_groups_find(const struct verify_matrix *matrix, struct verify_groups *groups,
                                           struct podsku_error *err) PODSKU_CHECKED;
bool podsku_verify_set_has(const struct verify_set *set, int gpu);
int podsku_verify_set_size(const struct verify_set *set);
/* "0-3,6" into out. */
void podsku_verify_set_text(const struct verify_set *set, struct podsku_buf *out);

/* YES: `size` of the GPUs are pairwise linked (picked has them, of one NUMA node if possible). NO:
 * none are, even if every unknown pair were NVLink. UNKNOWN: cannot be told. */
enum podsku_tri podsku_verify_group_of(const struct podsku_reading *reading, int size, struct verify_set *picked);

/* May a pair be in the group that is used? */
typedef bool verify_usable(const void *ctx, int i, int j);
/* The same for pairs of a whole matrix that are usable both ways. */
enum podsku_tri podsku_verify_group_by(const struct podsku_reading *reading, int size, verify_usable *usable,
                                       const void *ctx, struct verify_set *picked);

/* --- the verification ------------------------------------------------------------------------- */

struct verify_entry {
    enum verify_finding code;
    char *message;
};

struct verify_entries {
    struct verify_entry *list;
    size_t count, cap;
};

struct verify_texts {
    char **list;
    size_t count, cap;
};

struct podsku_verification {
    const struct podsku_reading *reading; /* borrowed; NULL: no text */
    enum podsku_verdict verdict;
    struct verify_entries problems, notes;
    struct verify_texts advice;
    struct verify_set picked; /* the group that meets a requirement for fewer GPUs; empty: none */
    bool expected;            /* something was asked for */
    bool wants_nvlink;
    int wants_gpus;
    double link_gbs; /* of one NVLink, each way; 0: the type is not known */
    char *type;      /* the type asked for; NULL */
    bool wants_slice;
    bool lacks_list;  /* what is missing is what `nvidia-smi -L` says */
    bool some_named;  /* ... of some of the GPUs */
    bool p2p_unknown; /* `topo -p2p` says "unknown" */
    char *summary;
    bool failed; /* out of memory on the way */
};

void podsku_verify_problem(struct podsku_verification *v, enum verify_finding code, const char *fmt, ...)
    PODSKU_PRINTF(3, 4);
void podsku_verify_note(struct podsku_verification *v, enum verify_finding code, const char *fmt, ...)
    PODSKU_PRINTF(3, 4);
void podsku_verify_advise(struct podsku_verification *v, const char *fmt, ...) PODSKU_PRINTF(2, 3);
/* A problem if something was asked for; otherwise nothing can be wrong, and it is worth a note. */
void podsku_verify_mismatch(struct podsku_verification *v, enum verify_finding code, const char *fmt, ...)
    PODSKU_PRINTF(3, 4);
bool podsku_verify_has_problem(const struct podsku_verification *v, enum verify_finding code);
/* Under --strict the notes about the links and the board become problems. */
void podsku_verify_strict(struct podsku_verification *v);

/* Are both names the same card? Equal names, or one is the other's legacy spelling. */
bool podsku_verify_same_model(const char *id, const char *name);

/* The first of the patterns that this card's name, or an id or display name of the same card, fits; NULL: none. */
const char *podsku_verify_pattern_of(const struct podsku_words *patterns, const struct podsku_catalog *names,
                                     const char *name);

/* GB/s of one NVLink each way for a type's facts; 0: unknown. */
double podsku_verify_link_gbs(const struct podsku_facts *facts);
/* The facts of what the text lists, when all its GPUs are of one type; NULL otherwise. */
const struct podsku_facts *podsku_verify_listed_facts(const struct podsku_reading *reading);

/* The row of the facts for a card by the name that nvidia-smi prints; NULL: none. */
const struct podsku_facts *podsku_verify_facts_of(const char *name);

/* The expectation, with what follows from a MIG type's id, and what the text left open. */
struct verify_task {
    const struct podsku_expectation *expected;
    const struct podsku_reading *reading;
    const struct podsku_facts *facts; /* of the type asked for, else of the cards listed; NULL */
    char parent[160];                 /* the card's id: without " MIG PROFILE" */
    const char *profile;              /* of the slice asked for; NULL: none */
    bool open;                        /* something asked for cannot be told */
    bool told;                        /* something asked for is as asked */
};

/* Something asked for cannot be told: because of the matrix's problem, else for what is missing. */
void podsku_verify_leave_open(struct podsku_verification *v, struct verify_task *task, const char *missing);

/* The same, for a reason of its own. */
void podsku_verify_leave_open_for(struct podsku_verification *v, struct verify_task *task, enum verify_finding code,
                                  const char *fmt, ...) PODSKU_PRINTF(4, 5);

/* The same for what lists of GPUs and MIG devices say, not matrices. */
void podsku_verify_leave_unlisted(struct podsku_verification *v, struct verify_task *task, const char *missing);

/* The parts of the judgement: the cards (count, model, slices), and the links between them. */
void podsku_verify_judge_cards(struct podsku_verification *v, struct verify_task *task);
void podsku_verify_judge_links(struct podsku_verification *v, struct verify_task *task);

/* Boards of four GPUs join each pair by a third of the links that a full board's switches give. */
bool podsku_verify_small_board(const struct podsku_reading *reading, int links, int usual);

void podsku_verify_write_advice(struct podsku_verification *v, const struct podsku_expectation *expected);
void podsku_verify_write_summary(struct podsku_verification *v);

#endif
