/*
 * The one list of requirement fields. rules/ parses flags and JSON by it; cli/ builds its options
 * from it, so that parser, help, man page and completions cannot disagree.
 *
 * X(flag, kind, metavar, choices, help)
 *   flag     without the dashes; the JSON key is the same with '_' for '-'
 *   kind     how a value is read (enum podsku_field_kind, below, without its prefix)
 *   metavar  for help
 *   choices  words separated by '|' where the kind is CHOICE, otherwise ""
 *   help     one sentence
 */
#ifndef PODSKU_RULES_REQUIREMENT_FIELDS_H
#define PODSKU_RULES_REQUIREMENT_FIELDS_H

/* clang-format off */
#define PODSKU_REQUIREMENT_FIELDS(X) \
    X("gpus", COUNTS, "N[,N...]", "", "GPUs on one machine (default 1); several counts are all considered") \
    X("nodes", COUNT, "N", "", "machines (default 1); more than one means an Instant Cluster") \
    X("nvlink", NVLINK, "[LEVEL]", "required|possible|preferred|any", "NVLink between any two of the GPUs: required (the bare flag; by the board's design), possible (bridges are optional: verify), preferred (proven types first), any") \
    X("parallelism", CHOICE, "KIND", "tensor|pipeline|data|none", "tensor asks for NVLink when there are several GPUs; pipeline and data tolerate PCIe") \
    X("min-link-gbs", NUMBER, "X", "", "GB/s between any two of the GPUs, both directions together") \
    X("min-vram", NUMBER, "GB", "", "memory per GPU, at least") \
    X("max-vram", NUMBER, "GB", "", "memory per GPU, at most") \
    X("min-total-vram", NUMBER, "GB", "", "memory over all GPUs of all nodes, at least") \
    X("memory-fraction", FRACTION, "F", "", "a share of one card's memory, e.g. 0.25, 1/4 or 25%") \
    X("compute-fraction", FRACTION, "F", "", "a share of one card's compute slices, e.g. 1/7") \
    X("mig-parent", PATTERN, "PATTERN", "", "the card that the fraction is of (default: the cards sold in slices)") \
    X("mig", CHOICE, "MODE", "forbid|allow|only", "MIG slices (default forbid; a fraction implies allow)") \
    X("cloud", CHOICE, "CLOUD", "secure|community|any", "which cloud (default secure)") \
    X("max-price", MONEY, "USD", "", "USD per GPU-hour, at most") \
    X("max-total", MONEY, "USD", "", "USD per hour for everything, at most") \
    X("gpu", PATTERNS, "PATTERN", "", "only GPU types whose id or name matches; repeatable, * and ? are wildcards") \
    X("exclude", PATTERNS, "PATTERN", "", "no GPU types whose id or name matches; repeatable") \
    X("manufacturer", CHOICE, "M", "nvidia|amd|any", "default nvidia, unless --gpu names types") \
    X("arch", CHOICE, "ARCH", "volta|turing|ampere|ada|hopper|blackwell|cdna3", "GPU architecture") \
    X("min-compute-capability", VERSION, "X.Y", "", "CUDA compute capability, at least") \
    X("min-cuda", VERSION, "X.Y", "", "the host's CUDA version, at least") \
    X("data-center", WORDS, "IDS", "", "only these data centers; comma-separated or repeated") \
    X("country", WORDS, "CODES", "", "only data centers in these countries (two-letter codes)") \
    X("region", CHOICE, "R", "north_america|south_america|europe|asia|middle_east|africa|oceania|antarctica", "only data centers in this region") \
    X("compliance", WORDS, "C", "", "only data centers with these certificates, e.g. SOC_2_TYPE_2") \
    X("min-stock", CHOICE, "LEVEL", "none|low|medium|high", "stock, at least (default low); unknown stock passes with a note") \
    X("inter-node-gbps", NUMBER, "X", "", "Gbit/s between nodes, at least; needs --nodes") \
    X("allow-unpriced", SWITCH, "", "", "let offers pass whose price the catalogue does not know") \
    X("sort", CHOICE, "KEY", "price|vram|price-per-gb|link", "order of the candidates (default price)") \
    X("limit", COUNT, "N", "", "at most N candidates")
/* clang-format on */

enum podsku_field_kind {
    PODSKU_FIELD_COUNT,    /* integer >= 1 */
    PODSKU_FIELD_COUNTS,   /* one or several; JSON: an integer or an array */
    PODSKU_FIELD_NUMBER,   /* number >= 0 */
    PODSKU_FIELD_MONEY,    /* USD; JSON: a number */
    PODSKU_FIELD_FRACTION, /* within 0..1; JSON: a number or a string as for the flag */
    PODSKU_FIELD_VERSION,  /* MAJOR.MINOR; JSON: a string */
    PODSKU_FIELD_CHOICE,   /* one word of the choices, case ignored */
    PODSKU_FIELD_NVLINK,   /* like CHOICE; as a flag the word is optional; JSON true = required */
    PODSKU_FIELD_PATTERN,  /* one glob */
    PODSKU_FIELD_PATTERNS, /* globs; JSON: array of strings, or one string */
    PODSKU_FIELD_WORDS,    /* words; flag: comma-separated or repeated; JSON: array, or one string */
    PODSKU_FIELD_SWITCH,   /* boolean */
};

#endif
