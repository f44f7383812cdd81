/*
 * Finds and reads matrices: a header that names GPU0, GPU1, ... and rows that begin with such a
 * label. Everything before the label of a line is prefix (quotes, prompts, file names, timestamps);
 * everything behind the GPU block is none of this reader's business, except the NUMA column.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

/* --- one matrix -------------------------------------------------------------------------------- */

static void set_problem(struct verify_matrix *m, enum verify_finding code, const char *fmt, ...) PODSKU_PRINTF(3, 4);

static void set_problem(struct verify_matrix *m, enum verify_finding code, const char *fmt, ...)
{
    va_list args;

    if (m->problem.code >= 0)
        return;
    m->problem.code = (int)code;
    va_start(args, fmt);
    vsnprintf(m->problem.message, sizeof m->problem.message, fmt, args);
    va_end(args);
}

/* Cells are cleared with the header that says how many there are: most texts have few. */
static void clear_matrix(struct verify_matrix *m)
{
    memset(m, 0, offsetof(struct verify_matrix, cell));
    m->problem.code = -1;
}

static void clear_cells(struct verify_matrix *m)
{
    for (int i = 0; i < m->gpus; i++) {
        for (int j = 0; j < m->gpus; j++)
            m->cell[i][j] = (struct verify_cell){PODSKU_PATH_UNKNOWN, 0, VERIFY_STATE_NONE};
    }
}

/* The last word of a text may be cut. It counts only if it is what it has to be. */
static bool cell_is_safe(const struct verify_matrix *m, int i, int j, struct podsku_pair_link link)
{
    const struct verify_cell *mirror = &m->cell[j][i];

    if (i == j)
        return link.path == PODSKU_PATH_SELF;
    return link.path != PODSKU_PATH_UNKNOWN && mirror->path == link.path && mirror->count == link.count;
}

static void read_cell(struct verify_matrix *m, int i, int j, const struct verify_token *token)
{
    struct verify_cell *cell = &m->cell[i][j];
    const char *tool = podsku_verify_foreign_parse(token);

    struct podsku_pair_link link = podsku_path_parse(token->text, token->len);

    cell->path = (signed char)link.path;
    cell->count = (unsigned char)link.count;
    cell->p2p = (unsigned char)(link.path == PODSKU_PATH_SELF ? VERIFY_STATE_SELF : podsku_verify_p2p_parse(token));
    if (tool) {
        m->tool = tool;
        m->kind = VERIFY_KIND_FOREIGN;
    } else if (cell->path == PODSKU_PATH_UNKNOWN && cell->p2p == VERIFY_STATE_NONE && m->kind != VERIFY_KIND_FOREIGN) {
        set_problem(m, VERIFY_UNKNOWN_CODE, "\"%.*s\" in row GPU%d, column GPU%d is no link code",
                    token->len > 40 ? 40 : (int)token->len, token->text, i, j);
    } else if ((cell->path == PODSKU_PATH_SELF) != (i == j)) {
        set_problem(m, VERIFY_CONFLICTING, "the X of row GPU%d is not in its own column", i);
    }
}

/* The NUMA column of a row whose cells end before word `next`. */
static void read_numa(struct verify_matrix *m, int i, const struct verify_line *line, size_t label, size_t next)
{
    size_t columns = (size_t)m->has_cpu + m->has_numa + m->has_gpu_numa;
    const char *text = NULL;
    size_t len = 0;

    while (next < line->token_count && podsku_verify_is_cell(&line->tokens[next]))
        next++; /* network cards */
    if (m->has_numa && line->token_count - next == columns) {
        text = line->tokens[next + m->has_cpu].text;
        len = line->tokens[next + m->has_cpu].len;
    } else if (m->has_numa && m->numa_tab >= m->gpus) {
        /* Empty cells: only tabs tell which. A row has its label before the header's first column. */
        const char *end = line->text + line->len;
        text = line->tokens[label].text;
        for (int tabs = 0; text < end && tabs <= m->numa_tab; text++)
            tabs += *text == '\t';
        while (text + len < end && text[len] != '\t')
            len++;
    }
    while (len > 0 && text[len - 1] == ' ')
        len--;
    if (len == 0 || len >= VERIFY_NUMA_TEXT || text[0] < '0' || text[0] > '9')
        return;
    memcpy(m->numa[i], text, len);
}

/* The cells of row i from column `from` on, out of the words from `index` on. */
static void read_cells(struct verify_matrix *m, int i, const struct verify_line *line, size_t label, size_t index)
{
    int j = m->filled[i];

    for (; j < m->gpus && index < line->token_count; j++, index++) {
        const struct verify_token *token = &line->tokens[index];
        bool last = line->unfinished && index + 1 == line->token_count;
        if (last && !cell_is_safe(m, i, j, podsku_path_parse(token->text, token->len)))
            break;
        read_cell(m, i, j, token);
    }
    m->filled[i] = j;
    if (j < m->gpus)
        return;
    m->row_count++;
    int others = 0; /* cells of other devices */
    while (index + (size_t)others < line->token_count && podsku_verify_is_cell(&line->tokens[index + (size_t)others]))
        others++;
    if (others > m->devices) {
        set_problem(m, VERIFY_CONFLICTING, "row GPU%d has more cells than the header has columns", i);
        m->header_broken = true;
    }
    read_numa(m, i, line, label, index);
}

/* How many of the words that a row of n columns would have as its cells are cells. */
static int count_cells(const struct verify_line *line, size_t index, int n)
{
    int cells = 0;

    for (; n > 0 && index < line->token_count; n--, index++)
        cells += podsku_verify_is_cell(&line->tokens[index]);
    return cells;
}

/* --- the reader -------------------------------------------------------------------------------- */

enum podsku_code podsku_verify_matrix_init(struct verify_matrix_reader *reader, struct podsku_error *err)
{
    reader->now = malloc(sizeof *reader->now);
    reader->topo = malloc(sizeof *reader->topo);
    reader->p2p = malloc(sizeof *reader->p2p);
    if (!reader->now || !reader->topo || !reader->p2p)
        return podsku_error_no_memory(err);
    clear_matrix(reader->now);
    clear_matrix(reader->topo);
    clear_matrix(reader->p2p);
    reader->pending_row = -1;
    reader->clash.code = -1;
    return PODSKU_OK;
}

void podsku_verify_matrix_free(struct verify_matrix_reader *reader)
{
    free(reader->now);
    free(reader->topo);
    free(reader->p2p);
    reader->now = reader->topo = reader->p2p = NULL;
}

static void clash(struct verify_matrix_reader *reader, enum verify_finding code, const char *message)
{
    if (reader->clash.code >= 0)
        return;
    reader->clash.code = (int)code;
    snprintf(reader->clash.message, sizeof reader->clash.message, "%s", message);
}

static bool same_cells(const struct verify_matrix *a, const struct verify_matrix *b)
{
    for (int i = 0; i < a->gpus; i++) {
        for (int j = 0; j < a->gpus; j++) {
            struct podsku_pair_link x = podsku_verify_cell_link(&a->cell[i][j]);
            struct podsku_pair_link y = podsku_verify_cell_link(&b->cell[i][j]);
            bool known = x.path != PODSKU_PATH_UNKNOWN && y.path != PODSKU_PATH_UNKNOWN;
            if (known && (x.path != y.path || x.count != y.count))
                return false;
        }
    }
    return true;
}

/* A further topology: the same machine again, or a clash. */
static void compare_topologies(struct verify_matrix_reader *reader)
{
    if (reader->topo->gpus != reader->now->gpus) {
        reader->counts_differ = true;
        clash(reader, VERIFY_CONFLICTING, "the text has matrices of machines with different numbers of GPUs");
    } else if (!same_cells(reader->topo, reader->now)) {
        clash(reader, VERIFY_CONFLICTING, "the text has two matrices that differ: which machine is meant?");
    } else if (reader->topo->problem.code == VERIFY_HIDES_NVLINK || reader->now->problem.code == VERIFY_HIDES_NVLINK) {
        clash(reader, VERIFY_HIDES_NVLINK,
              "one of the matrices is of `topo -mp`, which shows PCIe paths only, also where NVLink is");
    } else if (reader->topo->problem.code != reader->now->problem.code) {
        clash(reader, VERIFY_TRUNCATED, "the text has two matrices, and one of them is not whole");
    }
}

bool podsku_verify_p2p_counts(const struct verify_matrix *p2p)
{
    return p2p->p2p_letter == 0 || p2p->p2p_letter == 'n';
}

/* `-p2p n` says most about NVLink; then one without a letter; reading and writing; the rest. */
static int p2p_weight(char letter)
{
    const char *order = "apwr";
    const char *at = letter ? strchr(order, letter) : NULL;

    if (letter == 'n')
        return 6;
    return at ? (int)(at - order) + 1 : 5;
}

/* Several P2P matrices that count the same: a pair is fine if all say so. */
static void take_p2p(struct verify_matrix_reader *reader)
{
    struct verify_matrix *now = reader->now;
    struct verify_matrix *p2p = reader->p2p;
    int weight = p2p_weight(now->p2p_letter);

    if (!now->header_broken && now->gpus > reader->p2p_most)
        reader->p2p_most = now->gpus;
    if (p2p->gpus == 0 || weight > p2p_weight(p2p->p2p_letter)) {
        reader->p2p = now;
        reader->now = p2p;
        return;
    }
    if (weight < p2p_weight(p2p->p2p_letter))
        return;
    if (now->gpus != p2p->gpus) {
        set_problem(p2p, VERIFY_CONFLICTING, "the text has P2P matrices of machines with different numbers of GPUs");
        return;
    }
    for (int i = 0; i < now->gpus; i++) {
        for (int j = 0; j < now->gpus; j++) {
            if (now->cell[i][j].p2p != VERIFY_STATE_OK && now->cell[i][j].p2p != VERIFY_STATE_NONE)
                p2p->cell[i][j].p2p = now->cell[i][j].p2p;
        }
    }
}

static void note_lone_header(struct verify_matrix_reader *reader)
{
    int gpus = reader->now->header_cut || reader->now->header_broken ? -1 : reader->now->gpus;

    if (reader->lone_gpus == 0)
        reader->lone_gpus = gpus;
    else if (reader->lone_gpus != gpus)
        reader->lone_gpus = -1;
}

/* The matrix being read ends here. */
static void finish(struct verify_matrix_reader *reader)
{
    struct verify_matrix *now = reader->now;
    bool rows = false;

    for (int i = 0; i < now->gpus; i++)
        rows |= now->filled[i] > 0;
    if (now->gpus && !rows) {
        if (now->tool) {
            reader->other_tool = now->tool;
            reader->other_gpus = now->gpus;
        } else {
            note_lone_header(reader);
            if (now->p2p_letter == 'n' && !now->header_cut) {
                now->kind = VERIFY_KIND_P2P;
                set_problem(now, VERIFY_TRUNCATED, "the header has no row below it");
                take_p2p(reader);
            }
        }
    } else if (now->gpus) {
        podsku_verify_matrix_check(now);
        if (now->kind == VERIFY_KIND_FOREIGN) {
            reader->other_tool = now->tool;
            reader->other_gpus = now->gpus;
        } else if (now->kind == VERIFY_KIND_P2P) {
            take_p2p(reader);
        } else if (reader->topo->gpus) {
            compare_topologies(reader);
        } else {
            reader->now = reader->topo;
            reader->topo = now;
        }
    }
    if (now->gpus)
        clear_matrix(reader->now);
    reader->pending_row = -1;
    reader->header_open = reader->closed = reader->after_row = false;
}

static void start(struct verify_matrix_reader *reader, const struct verify_line *line,
                  const struct verify_header *header)
{
    finish(reader);
    struct verify_matrix *m = reader->now;
    m->gpus = header->columns;
    if (m->gpus > VERIFY_GPUS) {
        m->gpus = VERIFY_GPUS;
        m->header_broken = true;
    }
    clear_cells(m);
    podsku_verify_read_columns(line, header, m);
    m->header_cut = line->unfinished;
    m->mp = reader->command_mp;
    m->p2p_letter = reader->command == VERIFY_KIND_P2P ? reader->command_letter : 0;
    m->kind = m->gpus == 1 && reader->command == VERIFY_KIND_P2P ? VERIFY_KIND_P2P : VERIFY_KIND_UNDECIDED;
    m->tool = reader->tool;
    m->legend_hides = reader->before.pix && !reader->before.nv;
    reader->before = (struct verify_legend){false, false, false};
    reader->header_open = header->next == line->token_count && !header->fused;
}

/* A header whose line was wrapped goes on with the next GPU. */
static bool extend_header(struct verify_matrix_reader *reader, const struct verify_line *line)
{
    struct verify_matrix *m = reader->now;
    struct verify_header header;

    if (!reader->header_open || !podsku_verify_find_columns(line, m->gpus, &header) ||
        header.label != line->tokens[0].text)
        return false;
    if (header.next < line->token_count && !podsku_verify_heads_column(&line->tokens[header.next]))
        return false;
    if (m->gpus + header.columns > VERIFY_GPUS)
        m->header_broken = true;
    else
        m->gpus += header.columns;
    clear_cells(m);
    podsku_verify_read_columns(line, &header, m);
    m->numa_tab = 0;
    m->header_cut |= line->unfinished;
    reader->header_open = header.next == line->token_count && !header.fused;
    return true;
}

static void read_row(struct verify_matrix_reader *reader, const struct verify_line *line, int i, size_t label)
{
    struct verify_matrix *m = reader->now;
    int cells = count_cells(line, label + 1, m->gpus ? m->gpus : VERIFY_GPUS);

    /* Right below a row, whatever follows the label: there are more GPUs than the header has columns. */
    if (m->gpus && i >= m->gpus && label == 0 && reader->after_row)
        m->header_broken = true;
    reader->after_row = false;
    if (cells == 0)
        return; /* "GPU0 <-> GPU1: ..." */
    if (m->gpus == 0 || reader->closed) {
        int paths = 0;
        for (size_t t = label + 1; t < line->token_count; t++)
            paths += podsku_path_parse(line->tokens[t].text, line->tokens[t].len).path > PODSKU_PATH_UNKNOWN;
        /* A matrix without its header, or more rows than columns; prose and P2P rows do not matter. */
        reader->orphans |= paths > (m->gpus && i >= m->gpus ? 0 : 1) && podsku_verify_is_cell(&line->tokens[label + 1]);
        return;
    }
    reader->header_open = false;
    if (i >= m->gpus) {
        set_problem(m, VERIFY_CONFLICTING, "row GPU%d has no column in the header", i);
        m->header_broken = true;
        reader->orphans = true;
        return;
    }
    if (m->filled[i]) {
        set_problem(m, VERIFY_CONFLICTING, "row GPU%d is there twice: texts of several machines in one?", i);
        return;
    }
    read_cells(m, i, line, label, label + 1);
    reader->after_row = true;
    reader->pending_row = m->filled[i] < m->gpus ? i : -1;
    if (m->row_count == m->gpus)
        reader->closed = true;
}

/* The rest of a row whose line was wrapped: cells right from the first word on. */
static bool extend_row(struct verify_matrix_reader *reader, const struct verify_line *line)
{
    struct verify_matrix *m = reader->now;
    int row = reader->pending_row;

    if (row < 0 || line->token_count == 0 || !podsku_verify_is_cell(&line->tokens[0]))
        return false;
    int numa_tab = m->numa_tab;
    m->numa_tab = 0;
    read_cells(m, row, line, 0, 0);
    m->numa_tab = numa_tab;
    if (m->filled[row] == m->gpus)
        reader->pending_row = -1;
    if (m->row_count == m->gpus)
        reader->closed = true;
    return true;
}

/* --- what stands around ------------------------------------------------------------------------ */

/* Commands of other vendors; they count only where their line asks for a topology or is their banner. */
static const struct {
    const char *command;
    const char *tool;
} foreign_tools[] = {
    {"rocm-smi", "AMD's rocm-smi"}, {"ROCm System Management Interface", "AMD's rocm-smi"},
    {"amd-smi", "AMD's amd-smi"},   {"hy-smi", "Hygon's hy-smi"},
    {"xpu-smi", "Intel's xpu-smi"}, {"npu-smi", "Huawei's npu-smi"},
    {"mx-smi", "MetaX's mx-smi"},   {"mthreads-gmi", "Moore Threads' mthreads-gmi"},
    {"ixsmi", "Iluvatar's ixsmi"},  {"cnmon", "Cambricon's cnmon"},
    {"brsmi", "Biren's brsmi"},     {"efsmi", "Enflame's efsmi"},
};

static void read_command(struct verify_matrix_reader *reader, const struct verify_line *line)
{
    for (size_t i = 0; i + 1 < line->token_count; i++) {
        if (!podsku_verify_token_is(&line->tokens[i], "topo"))
            continue;
        const struct verify_token *option = &line->tokens[i + 1];
        bool mp = podsku_verify_token_is(option, "-mp") || podsku_verify_token_is(option, "--matrix_pci");
        bool p2p = podsku_verify_token_is(option, "-p2p") || podsku_verify_token_is(option, "--p2pstatus");
        if (!mp && !p2p && !podsku_verify_token_is(option, "-m") && !podsku_verify_token_is(option, "--matrix"))
            continue;
        reader->command = p2p ? VERIFY_KIND_P2P : VERIFY_KIND_TOPOLOGY;
        reader->command_mp = mp;
        reader->command_letter = 0;
        if (p2p && i + 2 < line->token_count && strchr("rwnap", line->tokens[i + 2].text[0]) &&
            line->tokens[i + 2].len <= 2)
            reader->command_letter = line->tokens[i + 2].text[0];
    }
}

static void read_tool(struct verify_matrix_reader *reader, const struct verify_line *line)
{
    if (podsku_verify_line_has(line, "nvidia-smi") || podsku_verify_line_has(line, "NVIDIA-SMI"))
        reader->tool = NULL;
    if (!podsku_verify_line_has(line, "smi") && !podsku_verify_line_has(line, "cnmon") &&
        !podsku_verify_line_has(line, "-gmi") && !podsku_verify_line_has(line, "ROCm"))
        return;
    bool asks = podsku_verify_line_has(line, "topo") || podsku_verify_line_has(line, "show") ||
                podsku_verify_line_has(line, "System Management Interface");
    for (size_t i = 0; asks && i < sizeof foreign_tools / sizeof *foreign_tools; i++) {
        const char *command = foreign_tools[i].command;
        for (size_t t = 0; t < line->token_count; t++) {
            if (podsku_verify_token_is(&line->tokens[t], command))
                reader->tool = foreign_tools[i].tool;
        }
        if (strchr(command, ' ') && podsku_verify_line_has(line, command))
            reader->tool = foreign_tools[i].tool;
    }
    if (reader->tool)
        reader->other_tool = reader->tool;
}

/* A row of another vendor's grid, which need not name its GPUs as nvidia-smi does: a bus id, NPU0, GPU 0/1. */
static void read_foreign_row(struct verify_matrix_reader *reader, const struct verify_line *line)
{
    const struct verify_token *first = &line->tokens[0];
    const char *tool = NULL;

    if (line->token_count < 2)
        return;
    bool bus = first->len >= 7 && memchr(first->text, ':', first->len) && first->text[first->len - 2] == '.';
    bool npu = first->len > 3 && memcmp(first->text, "NPU", 3) == 0 && first->text[3] >= '0' && first->text[3] <= '9';
    bool tile = podsku_verify_token_is(first, "GPU") && memchr(line->tokens[1].text, '/', line->tokens[1].len);
    for (size_t i = 1; (bus || npu || tile) && i < line->token_count && !tool; i++)
        tool = podsku_verify_foreign_parse(&line->tokens[i]);
    if (tool && !reader->other_tool)
        reader->other_tool = tool;
}

/* What a line of a legend, "PIX  = ...", adds to it. */
static struct verify_legend parse_legend(const struct verify_line *line)
{
    static const char *const codes[] = {"X", "SYS", "NODE", "PHB", "PXB", "PSB", "PIX", "SOC", "NV#"};
    struct verify_legend legend = {false, false, false};

    for (size_t i = 0; i < 2 && i + 1 < line->token_count; i++) {
        if (!podsku_verify_token_is(&line->tokens[i + 1], "="))
            continue;
        for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
            legend.any |= podsku_verify_token_is(&line->tokens[i], codes[c]);
        legend.nv |= podsku_verify_token_is(&line->tokens[i], "NV#");
        legend.pix |= podsku_verify_token_is(&line->tokens[i], "PIX") && !line->unfinished;
    }
    return legend;
}

/* The legend that belongs to the matrix being read. */
static void read_legend(struct verify_matrix *m, const struct verify_line *line)
{
    struct verify_legend legend = parse_legend(line);

    m->legend_nv |= legend.nv;
    /* NV# comes after PIX, the last of the others: a legend that ends earlier may be cut. */
    m->legend_done |= legend.pix;
    if (legend.any)
        m->legend = true;
    else if (m->legend && line->token_count)
        m->legend_done = true;
}

void podsku_verify_matrix_line(struct verify_matrix_reader *reader, const struct verify_line *line)
{
    struct verify_header header;
    size_t label = 0;

    read_tool(reader, line);
    read_command(reader, line);
    read_foreign_row(reader, line);
    if (line->token_count == 0)
        return;
    if (extend_header(reader, line))
        return;
    if (podsku_verify_find_columns(line, 0, &header) && podsku_verify_is_header(line, &header)) {
        start(reader, line, &header);
        return;
    }
    int number = podsku_verify_row_label(line, &label);
    if (number >= 0) {
        reader->pending_row = -1;
        read_row(reader, line, number, label);
        return;
    }
    if (extend_row(reader, line))
        return;
    reader->pending_row = -1;
    reader->after_row = false;
    if (reader->now->gpus) {
        read_legend(reader->now, line);
        if (reader->now->legend)
            reader->closed = true;
    } else {
        struct verify_legend legend = parse_legend(line);
        reader->before.nv |= legend.nv;
        reader->before.pix |= legend.pix;
    }
}

void podsku_verify_matrix_end(struct verify_matrix_reader *reader)
{
    finish(reader);
    if (reader->lone_gpus && reader->topo->gpus && reader->lone_gpus != reader->topo->gpus)
        clash(reader, VERIFY_CONFLICTING, "the text has the header of another matrix, without its rows");
    if (reader->orphans && reader->topo->gpus && reader->topo->problem.code < 0)
        clash(reader, VERIFY_CONFLICTING, "the text has rows of a second matrix without its header");
}
