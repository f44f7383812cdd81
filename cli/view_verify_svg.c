/*
 * podsku verify as a picture. The GPUs stand on a circle, those of one NUMA node side by side in a
 * box; a line joins each pair: NVLinks solid and as wide as their bandwidth, PCIe paths thin and
 * dashed, their colour by distance. One style sheet for light, one for dark.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/view_verify.h"

#define PI 3.14159265358979323846

enum {
    NODE_RADIUS = 26,
    BOX_PADDING = 40,
    BOX_LABEL = 18, /* room for a box's name above its GPUs */
    LINE_HEIGHT = 20,
    TITLE_HEIGHT = 24,
    TITLE_GLYPH = 10, /* width of a character of the title, about */
    SMALL_GLYPH = 7,
    KINDS_MAX = 12,
    MARGIN = 40
};

struct point {
    double x, y;
};

struct picture {
    const struct podsku_verification *v;
    struct podsku_buf *out;
    int gpus, nodes;
    double radius, width, middle_x, middle_y;
    struct point at[PODSKU_VERIFY_GPUS_MAX];
};

static const char style[] =
    "<style>\n"
    "text{font:14px ui-sans-serif,system-ui,'DejaVu Sans',Arial,sans-serif;fill:#1b1f24}\n"
    ".page{fill:#ffffff}.title{font-size:17px;font-weight:600}.small{font-size:12px;fill:#57606a}\n"
    ".box{fill:#f3f5f8;stroke:#c5ccd4}.gpu{fill:#ffffff;stroke:#57606a;stroke-width:1.5}\n"
    ".name{text-anchor:middle;font-weight:600}.link{fill:none;stroke-linecap:round}\n"
    ".nv{stroke:#2f8f2f}.near{stroke:#2b7bb9}.host{stroke:#b7791f}.far{stroke:#c43d3d}\n"
    ".none{stroke:#8c959f}.pcie{stroke-width:1.2;stroke-dasharray:5 5;stroke-opacity:.75}\n"
    ".group{fill:none;stroke-width:4}\n"
    ".match{fill:#1a7f37}.mismatch{fill:#c43d3d}.unverified{fill:#9a6700}\n"
    "@media (prefers-color-scheme: dark){\n"
    "text{fill:#e6edf3}.page{fill:#0d1117}.small{fill:#9da7b3}\n"
    ".box{fill:#161b22;stroke:#3d444d}.gpu{fill:#0d1117;stroke:#9da7b3}\n"
    ".nv{stroke:#56d364}.near{stroke:#6cb6ff}.host{stroke:#e3b341}.far{stroke:#ff7b72}\n"
    ".none{stroke:#6e7681}.match{fill:#56d364}.mismatch{fill:#ff7b72}.unverified{fill:#e3b341}\n"
    "}\n</style>\n";

/* Rings around the GPUs of a group: told apart in light and dark, and by most colour-blind people. */
static const char *const group_colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

/* --- texts ------------------------------------------------------------------------------------- */

static void put_escaped(struct podsku_buf *out, const char *text)
{
    struct podsku_buf clean = {0};

    podsku_text_printable(&clean, text, strlen(text), false);
    const char *plain = podsku_buf_text(&clean);
    bool utf8 = podsku_text_is_utf8(plain, clean.len);
    for (const char *p = plain; *p; p++) {
        switch (*p) {
        case '&': podsku_buf_puts(out, "&amp;"); break;
        case '<': podsku_buf_puts(out, "&lt;"); break;
        case '>': podsku_buf_puts(out, "&gt;"); break;
        case '"': podsku_buf_puts(out, "&quot;"); break;
        default: podsku_buf_putc(out, utf8 || (unsigned char)*p < 0x80 ? *p : '?'); break;
        }
    }
    out->failed |= podsku_buf_failed(&clean);
    podsku_buf_free(&clean);
}

/* Bytes of the text that one line of `fits` characters takes: up to a blank, if there is one. */
static size_t line_length(const char *text, size_t fits)
{
    size_t len = strlen(text);
    size_t cut = fits;

    if (len <= fits)
        return len;
    while (cut > fits / 2 && text[cut] != ' ')
        cut--;
    if (text[cut] == ' ')
        return cut;
    for (cut = fits; cut > 1 && ((unsigned char)text[cut] & 0xc0) == 0x80; cut--)
        ; /* not in the middle of a character */
    return cut;
}

/*
 * A text in as many lines as it needs, the first at y; returns the y of the line after it. With
 * `write` false it only measures.
 */
static double put_lines(struct picture *p, double y, double height, int glyph, const char *class, const char *text,
                        bool write)
{
    size_t fits = (size_t)((p->width - 2 * MARGIN) / glyph);

    while (*text) {
        size_t len = line_length(text, fits);
        char *line = strndup(text, len);
        if (!line) {
            p->out->failed = true;
            break;
        }
        if (write) {
            podsku_buf_printf(p->out, "<text x=\"%d\" y=\"%.0f\" class=\"%s\">", MARGIN, y, class);
            put_escaped(p->out, line);
            podsku_buf_puts(p->out, "</text>\n");
        }
        free(line);
        y += height;
        text += len;
        while (*text == ' ')
            text++;
    }
    return y;
}

/* --- layout ------------------------------------------------------------------------------------ */

static int count_nodes(const struct podsku_verification *v, int gpus)
{
    int nodes = 0;

    for (int gpu = 0; gpu < gpus; gpu++) {
        int node = podsku_verification_numa(v, gpu);
        if (node < 0)
            return 0;
        nodes = node >= nodes ? node + 1 : nodes;
    }
    return nodes;
}

/* Sectors of the circle, one for each NUMA node, with a gap between them; the first is on the left. */
static void place(struct picture *p)
{
    int sectors = p->nodes > 0 ? p->nodes : 1;
    int gap = sectors > 1 ? sectors : 0;
    double step = 2 * PI / (p->gpus + gap > 0 ? p->gpus + gap : 1);
    double spacing = sectors > 1 ? 118 : 92;
    double turn = 0;
    int first = 0;

    p->radius = (p->gpus + gap) * spacing / (2 * PI);
    if (p->radius < 110)
        p->radius = 110;
    if (p->gpus == 1)
        p->radius = 0;
    p->width = fmax(2 * (p->radius + BOX_PADDING + MARGIN), 640);
    p->middle_x = p->width / 2;
    p->middle_y = p->radius;
    for (int gpu = 0; gpu < p->gpus; gpu++)
        first += sectors > 1 && podsku_verification_numa(p->v, gpu) == 0;
    /* The first sector is on the left, from its top down, then on around the circle; one alone starts on top. */
    turn = sectors > 1 ? PI - step * (first - 1) / 2.0 : PI / 2;
    for (int node = 0; node < sectors; node++) {
        for (int gpu = 0; gpu < p->gpus; gpu++) {
            if (sectors > 1 && podsku_verification_numa(p->v, gpu) != node)
                continue;
            p->at[gpu].x = p->middle_x + p->radius * cos(turn);
            p->at[gpu].y = p->middle_y - p->radius * sin(turn);
            turn += step;
        }
        turn += sectors > 1 ? step : 0;
    }
}

/* --- boxes, lines, GPUs ------------------------------------------------------------------------ */

static void put_boxes(struct picture *p)
{
    for (int node = 0; node < p->nodes; node++) {
        double left = 1e9;
        double right = -1e9;
        double top = 1e9;
        double bottom = -1e9;
        for (int gpu = 0; gpu < p->gpus; gpu++) {
            if (podsku_verification_numa(p->v, gpu) != node)
                continue;
            left = fmin(left, p->at[gpu].x);
            right = fmax(right, p->at[gpu].x);
            top = fmin(top, p->at[gpu].y);
            bottom = fmax(bottom, p->at[gpu].y);
        }
        podsku_buf_printf(p->out,
                          "<rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"14\"/>\n"
                          "<text class=\"small\" x=\"%.1f\" y=\"%.1f\">NUMA %d</text>\n",
                          left - BOX_PADDING, top - BOX_PADDING - BOX_LABEL, right - left + 2 * BOX_PADDING,
                          bottom - top + 2 * BOX_PADDING + BOX_LABEL, left - BOX_PADDING + 10,
                          top - BOX_PADDING - BOX_LABEL + 18, node);
    }
}

/* "" for what is no link. */
static const char *class_of(enum podsku_path path)
{
    switch (path) {
    case PODSKU_PATH_NV: return "link nv";
    case PODSKU_PATH_PIX:
    case PODSKU_PATH_PXB: return "link pcie near";
    case PODSKU_PATH_PHB:
    case PODSKU_PATH_NODE: return "link pcie host";
    case PODSKU_PATH_SYS:
    case PODSKU_PATH_SOC: return "link pcie far";
    case PODSKU_PATH_SELF:
    case PODSKU_PATH_UNKNOWN:
    case PODSKU_PATH_COUNT: break;
    }
    return "";
}

/* NV1 is 1.2 wide at 25 GB/s a link, 1800 GB/s 8: the root keeps both visible. */
static double width_of(const struct podsku_verification *v, struct podsku_pair_link link)
{
    double gbs = cli_verify_link_gbs(v, link);

    if (gbs < 0)
        gbs = 2 * link.count * 25.0;
    return fmax(1.2, 8 * sqrt(gbs / 1800));
}

static void put_style(struct picture *p, struct podsku_pair_link link)
{
    podsku_buf_printf(p->out, " class=\"%s\"", class_of(link.path));
    if (link.path == PODSKU_PATH_NV)
        podsku_buf_printf(p->out, " stroke-width=\"%.2f\"", width_of(p->v, link));
}

/* PCIe first, so that NVLinks lie above. */
static void put_links(struct picture *p, bool nv)
{
    for (int a = 0; a < p->gpus; a++) {
        for (int b = a + 1; b < p->gpus; b++) {
            char word[PODSKU_LINK_TEXT_SIZE];
            struct podsku_pair_link link = podsku_verification_link(p->v, a, b);
            if (link.path == PODSKU_PATH_UNKNOWN)
                link = podsku_verification_link(p->v, b, a);
            if ((link.path == PODSKU_PATH_NV) != nv || !*class_of(link.path))
                continue;
            podsku_buf_printf(p->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", p->at[a].x, p->at[a].y,
                              p->at[b].x, p->at[b].y);
            put_style(p, link);
            podsku_buf_printf(p->out, "><title>GPU%d - GPU%d: %s</title></line>\n", a, b, podsku_link_text(link, word));
        }
    }
}

static int group_size(const struct podsku_verification *v, int group, int gpus)
{
    int size = 0;

    for (int gpu = 0; gpu < gpus; gpu++)
        size += podsku_verification_in_group(v, group, gpu);
    return size;
}

/* The largest group of a GPU; in a cube mesh it is in several. */
static int group_of(const struct picture *p, int gpu)
{
    int best = -1;
    int most = 0;

    for (int group = 0; group < podsku_verification_group_count(p->v); group++) {
        int size = podsku_verification_in_group(p->v, group, gpu) ? group_size(p->v, group, p->gpus) : 0;
        if (size > most) {
            most = size;
            best = group;
        }
    }
    return best;
}

static void put_gpus(struct picture *p)
{
    for (int gpu = 0; gpu < p->gpus; gpu++) {
        const char *model = podsku_verification_model(p->v, gpu);
        int group = group_of(p, gpu);
        podsku_buf_puts(p->out, "<g>");
        if (model) {
            podsku_buf_puts(p->out, "<title>");
            put_escaped(p->out, model);
            podsku_buf_puts(p->out, "</title>");
        }
        podsku_buf_printf(p->out, "<circle class=\"gpu\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>", p->at[gpu].x,
                          p->at[gpu].y, NODE_RADIUS);
        if (group >= 0)
            podsku_buf_printf(p->out, "<circle class=\"group\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" stroke=\"%s\"/>",
                              p->at[gpu].x, p->at[gpu].y, NODE_RADIUS - 2,
                              group_colors[(size_t)group % (sizeof group_colors / sizeof *group_colors)]);
        podsku_buf_printf(p->out, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\">%d</text></g>\n", p->at[gpu].x,
                          p->at[gpu].y + 5, gpu);
    }
}

/* --- the page ---------------------------------------------------------------------------------- */

/* What the machine is, and the verdict; returns where it ends. */
static double put_title(struct picture *p, bool write)
{
    static const char *const classes[] = {"title", "title match", "title mismatch", "title unverified"};
    enum podsku_verdict verdict = podsku_verification_verdict(p->v);
    const char *code;
    const char *problem = podsku_verification_problem(p->v, 0, &code);
    struct podsku_buf text = {0};
    double y = put_lines(p, 34, TITLE_HEIGHT, TITLE_GLYPH, "title", podsku_verification_summary(p->v), write);

    if (verdict != PODSKU_VERDICT_NULL) {
        podsku_buf_printf(&text, "%s%s%s", podsku_verdict_name(verdict), problem ? ": " : "", problem ? problem : "");
        y = put_lines(p, y, TITLE_HEIGHT, TITLE_GLYPH, classes[verdict], podsku_buf_text(&text), write);
    }
    p->out->failed |= podsku_buf_failed(&text);
    podsku_buf_free(&text);
    return y;
}

/* What the lines are, and the groups; returns where it ends. */
static double put_legend(struct picture *p, double y, bool write)
{
    struct cli_link_count counts[KINDS_MAX];
    int kinds = cli_verify_count_links(p->v, counts, KINDS_MAX);
    struct podsku_buf groups = {0};

    for (int k = 0; k < kinds; k++, y += LINE_HEIGHT) {
        char word[PODSKU_LINK_TEXT_SIZE];
        double gbs = cli_verify_link_gbs(p->v, counts[k].link);
        if (!write || !*class_of(counts[k].link.path))
            continue;
        podsku_buf_printf(p->out, "<line x1=\"%d\" y1=\"%.0f\" x2=\"%d\" y2=\"%.0f\"", MARGIN, y - 5, MARGIN + 44,
                          y - 5);
        put_style(p, counts[k].link);
        podsku_buf_printf(p->out, "/><text x=\"%d\" y=\"%.0f\">%s</text><text x=\"%d\" y=\"%.0f\">%d pair%s: %s",
                          MARGIN + 56, y, podsku_link_text(counts[k].link, word), MARGIN + 106, y, counts[k].pairs,
                          counts[k].pairs == 1 ? "" : "s", podsku_path_meaning(counts[k].link.path));
        if (gbs > 0)
            podsku_buf_printf(p->out, ", %.4g GB/s", gbs);
        podsku_buf_puts(p->out, "</text>\n");
    }
    cli_verify_groups_text(&groups, p->v);
    if (groups.len) {
        struct podsku_buf text = {0};
        podsku_buf_printf(&text, "NVLink groups (rings): %s", podsku_buf_text(&groups));
        y = put_lines(p, y, LINE_HEIGHT, SMALL_GLYPH, "small", podsku_buf_text(&text), write);
        p->out->failed |= podsku_buf_failed(&text);
        podsku_buf_free(&text);
    }
    p->out->failed |= podsku_buf_failed(&groups);
    podsku_buf_free(&groups);
    return y;
}

void cli_verify_svg(struct podsku_buf *out, const struct podsku_verification *v)
{
    struct picture *p = calloc(1, sizeof *p);

    if (!p) {
        out->failed = true;
        return;
    }
    p->v = v;
    p->out = out;
    p->gpus = podsku_verification_has_links(v) ? podsku_verification_gpus(v) : 0;
    if (p->gpus < 0)
        p->gpus = 0;
    p->nodes = count_nodes(v, p->gpus);
    place(p);
    double top = put_title(p, false);
    double end = top + (p->gpus ? 2 * (p->radius + BOX_PADDING) + BOX_LABEL + MARGIN : 0);
    double height = put_legend(p, end, false) + MARGIN / 4.0;
    for (int gpu = 0; gpu < p->gpus; gpu++)
        p->at[gpu].y += top + BOX_PADDING + BOX_LABEL;

    podsku_buf_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
        "role=\"img\" style=\"color-scheme:light dark\">\n<title>",
        p->width, height, p->width, height);
    put_escaped(out, podsku_verification_summary(v));
    podsku_buf_puts(out, "</title>\n");
    podsku_buf_puts(out, style);
    podsku_buf_printf(out, "<rect class=\"page\" width=\"%.0f\" height=\"%.0f\"/>\n", p->width, height);
    (void)put_title(p, true);
    put_boxes(p);
    put_links(p, false);
    put_links(p, true);
    put_gpus(p);
    (void)put_legend(p, end, true);
    podsku_buf_puts(out, "</svg>\n");
    free(p);
}
