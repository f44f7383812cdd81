/* podsku verify as text: the matrix, what its codes mean, and the verdict. */
#include "cli/view_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/wrap.h"

enum { CODES_MAX = 64, LABEL_WIDTH = 4, LEGEND_GAP = 4, LEGEND_WIDTH = 50, COUNT_COLUMN = 10 };

/* --- what is counted --------------------------------------------------------------------------- */

static bool same_link(struct podsku_pair_link a, struct podsku_pair_link b)
{
    return a.path == b.path && a.count == b.count;
}

static int compare_counts(const void *left, const void *right)
{
    const struct cli_link_count *a = left;
    const struct cli_link_count *b = right;

    bool a_known = a->link.path != PODSKU_PATH_UNKNOWN;
    bool b_known = b->link.path != PODSKU_PATH_UNKNOWN;

    if (a_known != b_known)
        return a_known ? -1 : 1;
    if (podsku_link_farther(a->link, b->link))
        return 1;
    return podsku_link_farther(b->link, a->link) ? -1 : 0;
}

/* The link of a pair: as one row or the other has it. */
static struct podsku_pair_link pair_link(const struct podsku_verification *v, int a, int b)
{
    struct podsku_pair_link link = podsku_verification_link(v, a, b);

    return link.path == PODSKU_PATH_UNKNOWN ? podsku_verification_link(v, b, a) : link;
}

int cli_verify_count_links(const struct podsku_verification *v, struct cli_link_count *counts, int max)
{
    int gpus = podsku_verification_gpus(v);
    int kinds = 0;

    for (int a = 0; a < gpus; a++) {
        for (int b = a + 1; b < gpus; b++) {
            struct podsku_pair_link link = pair_link(v, a, b);
            int k = 0;
            while (k < kinds && !same_link(counts[k].link, link))
                k++;
            if (k == kinds && kinds < max)
                counts[kinds++] = (struct cli_link_count){link, 0};
            if (k < kinds)
                counts[k].pairs++;
        }
    }
    if (kinds)
        qsort(counts, (size_t)kinds, sizeof *counts, compare_counts);
    return kinds;
}

double cli_verify_link_gbs(const struct podsku_verification *v, struct podsku_pair_link link)
{
    double each = podsku_verification_link_gbs(v);

    return link.path == PODSKU_PATH_NV && each > 0 ? 2 * link.count * each : -1;
}

/* --- sets of GPUs ------------------------------------------------------------------------------ */

/* "0-3,6" of those GPUs for which `in` says yes. */
static void put_gpus(struct podsku_buf *out, const struct podsku_verification *v, int which,
                     bool (*in)(const struct podsku_verification *v, int which, int gpu))
{
    int gpus = podsku_verification_gpus(v);
    const char *comma = "";

    for (int gpu = 0; gpu < gpus; gpu++) {
        int last = gpu;
        if (!in(v, which, gpu))
            continue;
        while (last + 1 < gpus && in(v, which, last + 1))
            last++;
        if (last > gpu)
            podsku_buf_printf(out, "%s%d%c%d", comma, gpu, last > gpu + 1 ? '-' : ',', last);
        else
            podsku_buf_printf(out, "%s%d", comma, gpu);
        comma = ",";
        gpu = last;
    }
}

static bool in_picked(const struct podsku_verification *v, int which, int gpu)
{
    (void)which;
    return podsku_verification_picked(v, gpu);
}

static bool in_node(const struct podsku_verification *v, int node, int gpu)
{
    return podsku_verification_numa(v, gpu) == node;
}

void cli_verify_nodes_text(struct podsku_buf *out, const struct podsku_verification *v)
{
    int gpus = podsku_verification_gpus(v);
    int nodes = 0;

    for (int gpu = 0; gpu < gpus; gpu++) {
        if (podsku_verification_numa(v, gpu) >= nodes)
            nodes = podsku_verification_numa(v, gpu) + 1;
    }
    for (int node = 0; node < nodes; node++) {
        podsku_buf_puts(out, node ? " | " : "");
        put_gpus(out, v, node, in_node);
    }
}

void cli_verify_groups_text(struct podsku_buf *out, const struct podsku_verification *v)
{
    int groups = podsku_verification_group_count(v);

    for (int group = 0; group < groups && group < CODES_MAX; group++) {
        podsku_buf_puts(out, group ? " | " : "");
        put_gpus(out, v, group, podsku_verification_in_group);
    }
    if (groups > CODES_MAX)
        podsku_buf_printf(out, " | %d more", groups - CODES_MAX);
}

/* --- the legend -------------------------------------------------------------------------------- */

static const char *color_of(enum podsku_path path)
{
    switch (path) {
    case PODSKU_PATH_NV: return "\033[32m";
    case PODSKU_PATH_PIX:
    case PODSKU_PATH_PXB: return "\033[36m";
    case PODSKU_PATH_PHB:
    case PODSKU_PATH_NODE: return "\033[33m";
    case PODSKU_PATH_SYS:
    case PODSKU_PATH_SOC: return "\033[31m";
    case PODSKU_PATH_SELF: return "\033[2m";
    case PODSKU_PATH_UNKNOWN:
    case PODSKU_PATH_COUNT: break;
    }
    return "\033[35m";
}

/* "NV18  28  a bonded set of NVLinks, 900 GB/s", wrapped to the width (0: one line). */
static void put_meaning(struct podsku_buf *out, const struct podsku_verification *v, const struct cli_link_count *count,
                        int width, bool color)
{
    char word[PODSKU_LINK_TEXT_SIZE];
    char text[128];
    double gbs = cli_verify_link_gbs(v, count->link);
    struct cli_wrap wrap = {.out = out, .width = width < 20 ? 20 : width, .column = COUNT_COLUMN};

    podsku_buf_printf(out, "%s%-4s%s %3d  ", color ? color_of(count->link.path) : "",
                      podsku_link_text(count->link, word), color ? "\033[0m" : "", count->pairs);
    if (gbs > 0)
        (void)snprintf(text, sizeof text, "%s, %.4g GB/s", podsku_path_meaning(count->link.path), gbs);
    else
        (void)snprintf(text, sizeof text, "%s", podsku_path_meaning(count->link.path));
    if (width > 0)
        cli_wrap_text(&wrap, COUNT_COLUMN, text);
    else
        podsku_buf_printf(out, "%s\n", text);
}

struct legend {
    struct cli_link_count counts[CODES_MAX];
    int kinds;
    int pairs;
};

/* Line `row` of the legend. */
static void put_legend_line(struct podsku_buf *out, const struct podsku_verification *v, const struct legend *legend,
                            int row, int width, bool color)
{
    if (row == 0)
        podsku_buf_printf(out, "%d pair%s\n", legend->pairs, legend->pairs == 1 ? "" : "s");
    else
        put_meaning(out, v, &legend->counts[row - 1], width, color);
}

/* --- lines ------------------------------------------------------------------------------------- */

/*
 * "LEAD TEXT": texts of the machine are made harmless for a terminal, and wrapped to its width (0: one
 * line) with further lines indented. paint: the lead's colour, "" for none.
 */
static void put_wrapped(struct podsku_buf *out, int width, const char *paint, const char *lead, const char *text)
{
    struct cli_wrap wrap = {.out = out, .width = width < 20 ? 20 : width, .column = strlen(lead)};
    struct podsku_buf clean = {0};

    podsku_text_printable(&clean, text, strlen(text), false);
    podsku_buf_printf(out, "%s%s%s", paint, lead, *paint ? "\033[0m" : "");
    if (width == 0 || clean.len == 0)
        podsku_buf_printf(out, "%s\n", podsku_buf_text(&clean));
    else
        cli_wrap_text(&wrap, wrap.column ? 2 : 0, podsku_buf_text(&clean));
    out->failed |= podsku_buf_failed(&clean);
    podsku_buf_free(&clean);
}

/* --- the matrix -------------------------------------------------------------------------------- */

struct grid {
    const struct podsku_verification *v;
    int gpus;
    int cell; /* columns of a cell, with the blank before it */
    bool color;
};

static int cell_width(const struct podsku_verification *v, int gpus)
{
    int widest = gpus > 10 ? 3 : 2; /* "G12" */

    for (int a = 0; a < gpus; a++) {
        for (int b = 0; b < gpus; b++) {
            char word[PODSKU_LINK_TEXT_SIZE];
            int len = (int)strlen(podsku_link_text(podsku_verification_link(v, a, b), word));
            widest = len > widest ? len : widest;
        }
    }
    return widest + 1;
}

static void put_head(struct podsku_buf *out, const struct grid *grid, int from, int to)
{
    podsku_buf_printf(out, "%-*s", LABEL_WIDTH, "");
    for (int b = from; b < to; b++) {
        char label[16];
        (void)snprintf(label, sizeof label, "G%d", b);
        podsku_buf_printf(out, "%*s", grid->cell, label);
    }
}

static void put_row(struct podsku_buf *out, const struct grid *grid, int a, int from, int to)
{
    char word[PODSKU_LINK_TEXT_SIZE];

    (void)snprintf(word, sizeof word, "G%d", a % 1000);
    podsku_buf_printf(out, "%-*s", LABEL_WIDTH, word);
    for (int b = from; b < to; b++) {
        struct podsku_pair_link link = podsku_verification_link(grid->v, a, b);
        (void)podsku_link_text(link, word);
        podsku_buf_printf(out, "%*s%s%s%s", grid->cell - (int)strlen(word), "", grid->color ? color_of(link.path) : "",
                          word, grid->color ? "\033[0m" : "");
    }
}

static void put_matrix(struct podsku_buf *out, const struct podsku_verification *v, int width, bool color)
{
    struct grid grid = {.v = v, .gpus = podsku_verification_gpus(v), .color = color};
    struct legend legend = {.pairs = grid.gpus * (grid.gpus - 1) / 2};

    grid.cell = cell_width(v, grid.gpus);
    legend.kinds = cli_verify_count_links(v, legend.counts, CODES_MAX);
    int whole = LABEL_WIDTH + grid.gpus * grid.cell;
    bool beside = legend.kinds <= grid.gpus && (width == 0 || whole + LEGEND_GAP + LEGEND_WIDTH <= width);
    int block = grid.gpus;
    if (width > 0 && whole > width) {
        block = (width - LABEL_WIDTH) / grid.cell;
        block = block < 1 ? 1 : block;
    }
    for (int from = 0; from < grid.gpus; from += block) {
        int to = from + block < grid.gpus ? from + block : grid.gpus;
        for (int row = -1; row < grid.gpus; row++) {
            if (row < 0)
                put_head(out, &grid, from, to);
            else
                put_row(out, &grid, row, from, to);
            if (beside && row + 1 <= legend.kinds) {
                podsku_buf_printf(out, "%*s", LEGEND_GAP, "");
                put_legend_line(out, v, &legend, row + 1, 0, color);
            } else {
                podsku_buf_putc(out, '\n');
            }
        }
    }
    for (int row = 0; !beside && row <= legend.kinds; row++)
        put_legend_line(out, v, &legend, row, width, color);
    if (legend.kinds && legend.counts[0].link.path == PODSKU_PATH_NV && podsku_verification_link_gbs(v) <= 0)
        put_wrapped(out, width, "", "NV#:", " # links of 25 GB/s each way (NVLink 5: 50; RTX and A40 bridges: 14)");
}

/* --- the verdict ------------------------------------------------------------------------------- */

/* "WORD: TEXT (code)"; the word in colour. */
static void put_finding(struct podsku_buf *out, int width, const char *paint, const char *word, const char *text,
                        const char *code)
{
    struct podsku_buf line = {0};

    if (text)
        podsku_buf_printf(&line, ": %s (%s)", text, code);
    put_wrapped(out, width, paint, word, podsku_buf_text(&line));
    out->failed |= podsku_buf_failed(&line);
    podsku_buf_free(&line);
}

static void put_verdict(struct podsku_buf *out, const struct podsku_verification *v, int width, bool color)
{
    static const struct {
        const char *word, *color;
    } verdicts[] = {
        [PODSKU_VERDICT_NULL] = {"nothing was asked for", ""},
        [PODSKU_VERDICT_MATCH] = {"MATCH", "\033[1;32m"},
        [PODSKU_VERDICT_MISMATCH] = {"MISMATCH", "\033[1;31m"},
        [PODSKU_VERDICT_UNVERIFIED] = {"UNVERIFIED", "\033[1;33m"},
    };
    enum podsku_verdict verdict = podsku_verification_verdict(v);
    const char *paint = color ? verdicts[verdict].color : "";
    const char *code = NULL;
    const char *text = podsku_verification_problem(v, 0, &code);
    struct podsku_buf group = {0};

    podsku_buf_puts(&group, ": linked are GPUs ");
    size_t empty = group.len;
    put_gpus(&group, v, 0, in_picked);
    if (verdict == PODSKU_VERDICT_NULL && !text)
        put_wrapped(out, width, "", "", verdicts[verdict].word);
    else if (group.len > empty)
        put_wrapped(out, width, paint, verdicts[verdict].word, podsku_buf_text(&group));
    else
        put_finding(out, width, paint, verdicts[verdict].word, text, code);
    out->failed |= podsku_buf_failed(&group);
    podsku_buf_free(&group);
    for (size_t i = 1; (text = podsku_verification_problem(v, i, &code)) != NULL; i++)
        put_finding(out, width, paint, "and", text, code);
    for (size_t i = 0; (text = podsku_verification_note(v, i, &code)) != NULL; i++)
        put_finding(out, width, "", "note", text, code);
}

void cli_verify_table(struct podsku_buf *out, const struct podsku_verification *v, int width, bool color)
{
    struct podsku_buf groups = {0};

    if (podsku_verification_has_links(v) && podsku_verification_gpus(v) > 1)
        put_matrix(out, v, width, color);
    put_wrapped(out, width, "", "", podsku_verification_summary(v));
    podsku_buf_putc(&groups, ' ');
    cli_verify_groups_text(&groups, v);
    if (podsku_verification_group_count(v) > 0)
        put_wrapped(out, width, "", "NVLink groups:", podsku_buf_text(&groups));
    out->failed |= podsku_buf_failed(&groups);
    podsku_buf_free(&groups);
    put_verdict(out, v, width, color);
}
