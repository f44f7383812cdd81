/* Does a matrix answer? Every cell there and readable, the same both ways, and nothing hidden. */
#include <stdio.h>
#include <string.h>

#include "rules/verify_parts.h"

static void set_problem(struct verify_matrix *m, enum verify_finding code, const char *message)
{
    m->problem.code = (int)code;
    snprintf(m->problem.message, sizeof m->problem.message, "%s", message);
}

/* Which kinds of words the GPU block has, apart from the diagonal. */
struct words {
    bool path, nv, p2p;
};

static struct words find_words(const struct verify_matrix *m)
{
    struct words words = {false, false, false};

    for (int i = 0; i < m->gpus; i++) {
        for (int j = 0; j < m->gpus; j++) {
            const struct verify_cell *cell = &m->cell[i][j];
            words.path |= cell->path > PODSKU_PATH_SELF;
            words.nv |= cell->path == PODSKU_PATH_NV;
            words.p2p |= cell->p2p > VERIFY_STATE_SELF;
        }
    }
    return words;
}

/* "rows GPU4, GPU5 and 2 more are missing", or the first cut row. */
static bool check_rows(struct verify_matrix *m)
{
    struct podsku_buf text = {.max = sizeof m->problem.message};
    int missing = 0;
    int cut = -1;

    for (int i = 0; i < m->gpus; i++) {
        if (m->filled[i] == 0) {
            if (missing < 4)
                podsku_buf_printf(&text, "%sGPU%d", missing ? ", " : "", i);
            missing++;
        } else if (m->filled[i] < m->gpus && cut < 0) {
            cut = i;
        }
    }
    if (missing > 4)
        podsku_buf_printf(&text, " and %d more", missing - 4);
    m->problem.code = missing || cut >= 0 ? VERIFY_TRUNCATED : -1;
    if (cut >= 0)
        snprintf(m->problem.message, sizeof m->problem.message, "row GPU%d ends after %d of %d cells%s%s", cut,
                 m->filled[cut], m->gpus, missing ? "; missing rows: " : "", podsku_buf_text(&text));
    else if (missing)
        snprintf(m->problem.message, sizeof m->problem.message, "the matrix has %d GPU column%s; missing rows: %s",
                 m->gpus, m->gpus == 1 ? "" : "s", podsku_buf_text(&text));
    podsku_buf_free(&text);
    return m->problem.code < 0;
}

static bool check_symmetry(struct verify_matrix *m)
{
    char one[PODSKU_LINK_TEXT_SIZE];
    char other[PODSKU_LINK_TEXT_SIZE];

    for (int i = 0; i < m->gpus; i++) {
        for (int j = 0; j < i; j++) {
            struct podsku_pair_link a = podsku_verify_cell_link(&m->cell[j][i]);
            struct podsku_pair_link b = podsku_verify_cell_link(&m->cell[i][j]);
            if (a.path == b.path && a.count == b.count)
                continue;
            m->problem.code = VERIFY_ASYMMETRIC;
            snprintf(m->problem.message, sizeof m->problem.message, "GPU%d to GPU%d is %s, but GPU%d to GPU%d is %s", j,
                     i, podsku_link_text(a, one), i, j, podsku_link_text(b, other));
            return false;
        }
    }
    return true;
}

static void check_topology(struct verify_matrix *m, bool nv)
{
    if (m->header_broken && m->problem.code < 0) {
        set_problem(m, VERIFY_TRUNCATED, "the header does not name all its GPU columns in order");
        return;
    }
    if (m->problem.code >= 0 || !check_rows(m) || !check_symmetry(m))
        return;
    if (m->gpus < 2 || nv || m->legend_nv)
        return;
    if ((m->legend && m->legend_done) || m->legend_hides)
        set_problem(
            m, VERIFY_HIDES_NVLINK,
            "the legend has no NV# line: this is `topo -mp`, which shows PCIe paths only, also where NVLink is");
    else if (m->mp)
        set_problem(m, VERIFY_HIDES_NVLINK, "`topo -mp` shows PCIe paths only, also where NVLink is");
}

void podsku_verify_matrix_check(struct verify_matrix *m)
{
    struct words words = find_words(m);

    if (m->kind == VERIFY_KIND_FOREIGN)
        return;
    if (words.p2p && !words.path) {
        m->kind = VERIFY_KIND_P2P;
    } else if (m->kind == VERIFY_KIND_P2P && !words.path) {
        return; /* one GPU, and the command said so */
    } else if (m->tool && !words.nv) {
        m->kind = VERIFY_KIND_FOREIGN;
        return;
    } else {
        m->kind = VERIFY_KIND_TOPOLOGY;
        if (words.p2p)
            set_problem(m, VERIFY_CONFLICTING, "links and P2P states are mixed in one matrix");
    }
    if (m->kind == VERIFY_KIND_P2P) {
        if (m->problem.code < 0)
            (void)check_rows(m);
        return;
    }
    check_topology(m, words.nv);
}
