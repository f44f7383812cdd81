/* What verify shows: nothing wider than the terminal, colours only where asked for, a picture that is XML. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/view_verify.h"
#include "tests/support/test.h"

struct shown {
    struct podsku_reading *reading;
    struct podsku_verification *verification;
    struct podsku_buf out;
};

static void setup(struct shown *shown, const char *fixture, const struct podsku_expectation *expected)
{
    struct podsku_buf text = {0};
    struct podsku_error err = {0};
    char path[512];

    memset(shown, 0, sizeof *shown);
    (void)snprintf(path, sizeof path, "%s/topo/%s.txt", PODSKU_FIXTURES, fixture);
    assert_int_equal(podsku_file_read(path, PODSKU_FILE_MAX, &text, &err), PODSKU_OK);
    assert_int_equal(podsku_verify_read(podsku_buf_text(&text), text.len, &shown->reading, &err), PODSKU_OK);
    assert_int_equal(podsku_verify_judge(shown->reading, expected, &shown->verification, &err), PODSKU_OK);
    podsku_buf_free(&text);
}

static void teardown(struct shown *shown)
{
    podsku_buf_free(&shown->out);
    podsku_verification_free(shown->verification);
    podsku_reading_free(shown->reading);
}

static const struct podsku_expectation nothing = {0};
static const char *const fixtures[] = {"bridged-pairs", "cube-mesh", "sixteen",  "single",   "whole-report",
                                       "cell-cut",      "topo-mp",   "list-mig", "nccl-shm", "empty"};

/* The longest line, in characters (all of it is ASCII). */
static size_t longest_line(const char *text)
{
    size_t longest = 0;

    while (*text) {
        size_t len = strcspn(text, "\n");
        longest = len > longest ? len : longest;
        text += len + (text[len] == '\n');
    }
    return longest;
}

static void fits_the_terminal(void **state)
{
    static const int widths[] = {30, 40, 60, 80, 120, 200};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(fixtures); i++) {
        struct shown shown;
        setup(&shown, fixtures[i], &nothing);
        for (size_t w = 0; w < COUNT_OF(widths); w++) {
            podsku_buf_reset(&shown.out);
            cli_verify_table(&shown.out, shown.verification, widths[w], false);
            assert_false(podsku_buf_failed(&shown.out));
            /* A word that is longer than the line cannot be helped: paths of a legend's text are not. */
            if (longest_line(podsku_buf_text(&shown.out)) > (size_t)widths[w])
                fail_msg("%s at %d columns:\n%s", fixtures[i], widths[w], podsku_buf_text(&shown.out));
        }
        teardown(&shown);
    }
}

static void colours_where_asked_for(void **state)
{
    struct podsku_expectation nvlink = {.gpus = 8, .nvlink = true};
    struct shown shown;
    struct podsku_buf plain = {0};

    (void)state;
    setup(&shown, "bridged-pairs", &nvlink);
    cli_verify_table(&plain, shown.verification, 80, false);
    cli_verify_table(&shown.out, shown.verification, 80, true);
    assert_null(strchr(podsku_buf_text(&plain), '\033'));
    assert_non_null(strstr(podsku_buf_text(&shown.out), "\033[1;31mMISMATCH\033[0m"));
    /* Without its colours it is the same text. */
    struct podsku_buf stripped = {0};
    for (const char *p = podsku_buf_text(&shown.out); *p; p++) {
        if (*p == '\033')
            p = strchr(p, 'm');
        else
            podsku_buf_putc(&stripped, *p);
    }
    assert_string_equal(podsku_buf_text(&stripped), podsku_buf_text(&plain));
    podsku_buf_free(&stripped);
    podsku_buf_free(&plain);
    teardown(&shown);
}

static int count(const char *text, const char *word)
{
    int found = 0;

    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        found++;
    return found;
}

/* A small reader of tags: every one is closed, in order. */
static void assert_well_formed(const char *xml)
{
    char open[32][16];
    int depth = 0;

    for (const char *p = xml; (p = strchr(p, '<')) != NULL; p++) {
        const char *end = strchr(p, '>');
        assert_non_null(end);
        if (p[1] == '/') {
            assert_true(depth > 0);
            depth--;
            assert_int_equal(strncmp(p + 2, open[depth], strlen(open[depth])), 0);
        } else if (end[-1] != '/') {
            size_t len = strcspn(p + 1, " >");
            assert_true(depth < 32 && len < sizeof open[0]);
            memcpy(open[depth], p + 1, len);
            open[depth++][len] = '\0';
        }
    }
    assert_int_equal(depth, 0);
}

static void pictures(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fixtures); i++) {
        struct shown shown;
        setup(&shown, fixtures[i], &nothing);
        cli_verify_svg(&shown.out, shown.verification);
        assert_false(podsku_buf_failed(&shown.out));
        assert_well_formed(podsku_buf_text(&shown.out));
        assert_null(strstr(podsku_buf_text(&shown.out), "nan"));
        teardown(&shown);
    }
}

/* Every pair is a line, each GPU a circle (and a ring in its group), each NUMA node a box. */
static void picture_of_a_machine(void **state)
{
    struct shown shown;

    (void)state;
    setup(&shown, "whole-report", &nothing);
    cli_verify_svg(&shown.out, shown.verification);
    const char *svg = podsku_buf_text(&shown.out);
    assert_int_equal(count(svg, "</line>"), 28);
    assert_int_equal(count(svg, "class=\"gpu\""), 8);
    assert_int_equal(count(svg, "class=\"group\""), 8);
    assert_int_equal(count(svg, "class=\"box\""), 2);
    assert_non_null(strstr(svg, "900 GB/s"));
    assert_non_null(strstr(svg, "prefers-color-scheme: dark"));
    teardown(&shown);
}

/* More links are wider; a name cannot break out of the picture. */
static void widths_and_names(void **state)
{
    static const char text[] = "GPU 0: NVIDIA <script>&\"x\" (UUID: GPU-0)\nGPU 1: NVIDIA A40 (UUID: GPU-1)\n"
                               "GPU 2: NVIDIA A40 (UUID: GPU-2)\n\tGPU0\tGPU1\tGPU2\nGPU0\tX\tNV1\tNV4\n"
                               "GPU1\tNV1\tX\tSYS\nGPU2\tNV4\tSYS\tX\n";
    struct shown shown = {0};
    struct podsku_error err = {0};

    (void)state;
    assert_int_equal(podsku_verify_read(text, sizeof text - 1, &shown.reading, &err), PODSKU_OK);
    assert_int_equal(podsku_verify_judge(shown.reading, &nothing, &shown.verification, &err), PODSKU_OK);
    cli_verify_svg(&shown.out, shown.verification);
    const char *svg = podsku_buf_text(&shown.out);
    assert_well_formed(svg);
    assert_null(strstr(svg, "<script>"));
    assert_non_null(strstr(svg, "&lt;script&gt;&amp;&quot;x&quot;"));
    const char *narrow = strstr(svg, "stroke-width=\"");
    assert_non_null(narrow);
    const char *wide = strstr(narrow + 1, "stroke-width=\"");
    assert_non_null(wide);
    assert_true(strtod(wide + strlen("stroke-width=\""), NULL) > strtod(narrow + strlen("stroke-width=\""), NULL));
    teardown(&shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_the_terminal),    cmocka_unit_test(colours_where_asked_for), cmocka_unit_test(pictures),
        cmocka_unit_test(picture_of_a_machine), cmocka_unit_test(widths_and_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
