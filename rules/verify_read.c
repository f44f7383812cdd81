/* A reading: every line of the text goes to each reader; then what they found is put together. */
#include "rules/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

static void read_lines(struct podsku_reading *reading, struct verify_line *line, const char *text, size_t len)
{
    while (len > 0) {
        const char *newline = memchr(text, '\n', len);
        line->text = text;
        line->len = newline ? (size_t)(newline - text) : len;
        line->last = !newline;
        line->unfinished = !newline && text[len - 1] != ' ' && text[len - 1] != '\t';
        podsku_verify_split(line);
        podsku_verify_matrix_line(&reading->matrix, line);
        podsku_verify_list_line(&reading->list, line);
        podsku_verify_nccl_line(&reading->nccl, line);
        if (!newline)
            break;
        len -= line->len + 1;
        text = newline + 1;
    }
    podsku_verify_matrix_end(&reading->matrix);
    podsku_verify_list_end(&reading->list);
    podsku_verify_nccl_end(&reading->nccl);
}

static void set_problem(struct podsku_reading *reading, enum verify_finding code, const char *message)
{
    reading->problem.code = (int)code;
    snprintf(reading->problem.message, sizeof reading->problem.message, "%s", message);
}

/* GPUs by the matrices: columns of the topology, else of the P2P matrix; 0: not told. */
static int count_columns(const struct verify_matrix_reader *matrix)
{
    const struct verify_matrix *m = matrix->topo->gpus ? matrix->topo : matrix->p2p;

    return m->header_broken ? 0 : m->gpus;
}

/* Do a list and a matrix have different numbers of GPUs? A list that is cut, or of one by one, may be shorter. */
static bool counts_differ(const struct podsku_reading *reading)
{
    const struct verify_list *list = reading->list.all;
    int columns = count_columns(&reading->matrix);

    if (columns == 0 || list->count == 0)
        return false;
    return list->count > columns || (list->count < columns && list->whole > 0 && !reading->list.cut);
}

/* Does the text say two things that cannot be true of one machine? */
static bool contradicts(const struct podsku_reading *reading, char *text, size_t size)
{
    const struct verify_list_reader *list = &reading->list;
    int columns = reading->matrix.topo->gpus ? reading->matrix.topo->gpus : reading->matrix.p2p->gpus;
    const char *shown = columns ? "matrix" : list->listed ? "list of GPUs" : NULL;

    if (list->machines)
        snprintf(text, size, "the text lists the GPUs of several machines: their UUIDs differ");
    else if (shown && list->no_devices)
        snprintf(text, size, "the text has a %s, and \"No devices were found\" as well", shown);
    else if (shown && list->driver_failed)
        snprintf(text, size, "the text has a %s, and says as well that the driver does not answer", shown);
    else if (counts_differ(reading))
        snprintf(text, size, "the matrix has %d GPUs, the list %d: texts of several machines in one?", columns,
                 list->all->count);
    else
        return false;
    return true;
}

/* What the text has instead of a topology matrix. */
static void explain_missing(struct podsku_reading *reading)
{
    const struct verify_matrix_reader *matrix = &reading->matrix;
    char text[160];

    if (contradicts(reading, text, sizeof text)) {
        set_problem(reading, VERIFY_CONFLICTING, text);
    } else if (reading->list.no_devices) {
        set_problem(reading, VERIFY_NO_GPU, "nvidia-smi ran and says: No devices were found");
    } else if (reading->list.driver_failed) {
        set_problem(reading, VERIFY_DRIVER_FAILED, "nvidia-smi ran, but the driver does not answer");
    } else if (reading->list.no_smi && !reading->list.listed) {
        set_problem(reading, VERIFY_DRIVER_FAILED, "there is no nvidia-smi where the text comes from");
    } else if (matrix->other_tool) {
        snprintf(text, sizeof text, "this is the output of %s; only nvidia-smi's can be judged", matrix->other_tool);
        set_problem(reading, VERIFY_OTHER_TOOL, text);
    } else if (matrix->lone_gpus) {
        set_problem(reading, VERIFY_TRUNCATED, "a matrix's header without any row");
    } else if (matrix->orphans) {
        set_problem(reading, VERIFY_TRUNCATED, "rows of a matrix without its header");
    } else if (matrix->p2p->gpus) {
        snprintf(text, sizeof text, "this is `topo -p2p%s%.1s`, which says whether P2P works, not over which link",
                 matrix->p2p->p2p_letter ? " " : "", &matrix->p2p->p2p_letter);
        set_problem(reading, VERIFY_NO_TOPOLOGY, text);
    } else if (reading->list.conflict) {
        set_problem(reading, VERIFY_CONFLICTING, "the text lists the GPUs of several machines");
    } else if (reading->list.cut) {
        set_problem(reading, VERIFY_TRUNCATED, "the list of GPUs ends in the middle of an entry");
    } else if (reading->list.nvlink_status) {
        set_problem(reading, VERIFY_NO_TOPOLOGY,
                    "`nvlink -s` says which links are up, not between which GPUs they are");
    } else if (reading->list.listed) {
        set_problem(reading, VERIFY_NO_TOPOLOGY, "a list of GPUs says nothing about the links between them");
    } else if (reading->nccl.seen) {
        set_problem(reading, VERIFY_NO_TOPOLOGY, "an NCCL log says what NCCL uses, not which links there are");
    } else {
        set_problem(reading, VERIFY_NO_TOPOLOGY, "no `nvidia-smi topo -m` matrix found in the text");
    }
}

static void count_gpus(struct podsku_reading *reading)
{
    const struct verify_matrix_reader *matrix = &reading->matrix;
    const struct verify_list *list = reading->list.all;

    reading->gpus = -1;
    if (matrix->counts_differ || reading->list.machines || counts_differ(reading))
        return;
    if (matrix->topo->gpus)
        reading->gpus = matrix->topo->header_broken ? -1 : matrix->topo->gpus;
    else if (matrix->p2p->gpus)
        reading->gpus = matrix->p2p->gpus;
    else if (matrix->other_gpus)
        reading->gpus = matrix->other_gpus;
    else if (matrix->lone_gpus > 0)
        reading->gpus = matrix->lone_gpus;
    else if (list->complete && !reading->list.conflict && !reading->list.cut && !reading->list.driver_failed &&
             !reading->list.no_devices)
        reading->gpus = list->count;
    else if (reading->list.no_devices && !reading->list.listed)
        reading->gpus = 0;
}

struct podsku_pair_link podsku_reading_pair(const struct podsku_reading *reading, int i, int j)
{
    const struct verify_matrix *m = reading->matrix.topo;
    struct podsku_pair_link link = {PODSKU_PATH_UNKNOWN, 0};

    if (i < 0 || j < 0 || i >= m->gpus || j >= m->gpus)
        return link;
    link = podsku_verify_cell_link(&m->cell[i][j]);
    return link.path == PODSKU_PATH_UNKNOWN ? podsku_verify_cell_link(&m->cell[j][i]) : link;
}

/* Counts over all pairs of a whole matrix. */
static void count_links(struct podsku_reading *reading)
{
    for (int i = 0; i < reading->matrix.topo->gpus; i++) {
        for (int j = 0; j < i; j++) {
            struct podsku_pair_link link = podsku_reading_pair(reading, j, i);
            reading->pairs++;
            if (reading->worst.path == PODSKU_PATH_UNKNOWN || podsku_link_farther(link, reading->worst))
                reading->worst = link;
            if (link.path != PODSKU_PATH_NV)
                continue;
            reading->nv_pairs++;
            if (reading->nv_min == 0 || link.count < reading->nv_min)
                reading->nv_min = link.count;
            if (link.count > reading->nv_max)
                reading->nv_max = link.count;
        }
    }
    reading->nvlink = reading->pairs == 0                   ? VERIFY_NVLINK_SINGLE
                      : reading->nv_pairs == reading->pairs ? VERIFY_NVLINK_ALL
                      : reading->nv_pairs > 0               ? VERIFY_NVLINK_PARTIAL
                                                            : VERIFY_NVLINK_NONE;
}

/* NUMA nodes in the order in which they appear; unknown unless every GPU's is told. */
static void number_numa(struct podsku_reading *reading)
{
    const struct verify_matrix *m = reading->matrix.topo;

    memset(reading->numa, -1, sizeof reading->numa);
    for (int i = 0; i < m->gpus; i++) {
        if (!m->numa[i][0]) {
            reading->numa_nodes = 0;
            memset(reading->numa, -1, sizeof reading->numa);
            return;
        }
        for (int j = 0; j < i && reading->numa[i] < 0; j++) {
            if (strcmp(m->numa[i], m->numa[j]) == 0)
                reading->numa[i] = reading->numa[j];
        }
        if (reading->numa[i] < 0)
            reading->numa[i] = (signed char)reading->numa_nodes++;
    }
}

/* NULL where it proves nothing: PCIe peers say OK to reading and writing, too (r, w, p, a); no is no. */
static const char *judge_p2p(const struct verify_matrix *m, int topo_gpus)
{
    int ok = 0;
    int off = 0;

    if (topo_gpus > 0 && topo_gpus != m->gpus)
        return NULL;
    for (int i = 0; i < m->gpus; i++) {
        for (int j = 0; j < m->gpus; j++) {
            if (i == j)
                continue;
            if (m->cell[i][j].p2p == VERIFY_STATE_NONE || m->problem.code >= 0)
                return NULL; /* cut */
            ok += m->cell[i][j].p2p == VERIFY_STATE_OK;
            off += m->cell[i][j].p2p == VERIFY_STATE_OFF;
        }
    }
    if (off == 0 && (ok == 0 || ok < m->gpus * (m->gpus - 1)))
        return NULL; /* one GPU, or pairs of which it says "unknown" */
    if (ok > 0 && !podsku_verify_p2p_counts(m))
        return NULL;
    return off == 0 ? "ok" : off == m->gpus * (m->gpus - 1) ? "not-supported" : "mixed";
}

static enum podsku_code put_together(struct podsku_reading *reading, struct podsku_error *err)
{
    const struct verify_matrix *topo = reading->matrix.topo;
    char text[160];

    count_gpus(reading);
    reading->worst.path = PODSKU_PATH_UNKNOWN;
    reading->problem.code = -1;
    if (topo->gpus == 0)
        explain_missing(reading);
    else if (reading->matrix.clash.code >= 0)
        reading->problem = reading->matrix.clash;
    else if (topo->problem.code >= 0)
        reading->problem = topo->problem;
    else if (contradicts(reading, text, sizeof text))
        set_problem(reading, VERIFY_CONFLICTING, text);
    reading->whole = reading->problem.code < 0;
    reading->p2p = judge_p2p(reading->matrix.p2p, topo->gpus);
    number_numa(reading);
    if (!reading->whole)
        return PODSKU_OK;
    count_links(reading);
    return podsku_verify_groups_find(topo, &reading->groups, err);
}

enum podsku_code podsku_verify_read(const char *bytes, size_t len, struct podsku_reading **out,
                                    struct podsku_error *err)
{
    struct podsku_buf text = {.max = 2 * PODSKU_VERIFY_BYTES_MAX + 16};
    struct verify_line *line = malloc(sizeof *line);
    struct podsku_reading *reading = calloc(1, sizeof *reading);
    enum podsku_code code = PODSKU_OK;

    *out = NULL;
    if (!line || !reading) {
        code = podsku_error_no_memory(err);
        goto out;
    }
    code = podsku_verify_matrix_init(&reading->matrix, err);
    if (!code)
        code = podsku_verify_list_init(&reading->list, err);
    if (code)
        goto out;
    podsku_verify_clean(bytes, len < PODSKU_VERIFY_BYTES_MAX ? len : PODSKU_VERIFY_BYTES_MAX, &text);
    if (podsku_buf_failed(&text)) {
        code = podsku_error_no_memory(err);
        goto out;
    }
    read_lines(reading, line, podsku_buf_text(&text), text.len);
    if (reading->nccl.failed) {
        code = podsku_error_no_memory(err);
        goto out;
    }
    code = put_together(reading, err);
    if (code)
        goto out;
    if (len > PODSKU_VERIFY_BYTES_MAX) {
        reading->whole = false;
        reading->nvlink = VERIFY_NVLINK_UNKNOWN;
        set_problem(reading, VERIFY_TRUNCATED, "the text is longer than 16 MiB; the rest was not read");
    }
    *out = reading;
    reading = NULL;
out:
    podsku_reading_free(reading);
    podsku_buf_free(&text);
    free(line);
    return code;
}

void podsku_reading_free(struct podsku_reading *reading)
{
    if (!reading)
        return;
    podsku_verify_matrix_free(&reading->matrix);
    podsku_verify_list_free(&reading->list);
    podsku_verify_nccl_free(&reading->nccl);
    free(reading->groups.sets);
    free(reading);
}
