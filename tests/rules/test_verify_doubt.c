/* Texts that do not agree with themselves, that are cut, or that say "unknown": no verdict is guessed. */
#include <stdlib.h>
#include <string.h>

#include "tests/rules/verify_support.h"

#define H100 "NVIDIA H100 80GB HBM3"
#define L40S "NVIDIA L40S"

struct row {
    const char *what;
    char *text; /* freed */
    struct podsku_expectation expected;
    const char *verdict; /* NULL: none */
    const char *problem; /* "": none at all */
};

/* `topo -p2p LETTER` (NULL: without its command) of n GPUs: `first` for the first pair, both ways, `state` elsewhere.
 */
static char *p2p_text(int n, const char *letter, const char *first, const char *state)
{
    struct podsku_buf text = {0};

    if (letter)
        podsku_buf_printf(&text, "$ nvidia-smi topo -p2p %s\n", letter);
    podsku_buf_putc(&text, ' ');
    for (int i = 0; i < n; i++)
        podsku_buf_printf(&text, "\tGPU%d", i);
    for (int i = 0; i < n; i++) {
        podsku_buf_printf(&text, "\n GPU%d", i);
        for (int j = 0; j < n; j++)
            podsku_buf_printf(&text, "\t%s", i == j ? "X" : i + j == 1 ? first : state);
    }
    podsku_buf_putc(&text, '\n');
    return podsku_buf_take(&text);
}

/* A list without UUIDs, or with those of machine `uuid`. */
static char *machine_list(int n, const char *name, int uuid)
{
    struct podsku_buf text = {0};

    for (int i = 0; i < n; i++) {
        podsku_buf_printf(&text, "GPU %d: %s", i, name);
        if (uuid)
            podsku_buf_printf(&text, " (UUID: GPU-%08x-%04x-4000-8000-000000000000)", i, uuid);
        podsku_buf_putc(&text, '\n');
    }
    return podsku_buf_take(&text);
}

/* The text without its last `bytes`. */
static char *cut(char *text, size_t bytes)
{
    text[strlen(text) - bytes] = '\0';
    return text;
}

/* The first n lines of a text. */
static char *lines(char *text, int n)
{
    char *at = text;

    for (; n > 0; n--)
        at = strchr(at, '\n') + 1;
    *at = '\0';
    return text;
}

static void check(const struct row *rows, size_t count)
{
    int bad = 0;

    for (size_t i = 0; i < count; i++) {
        json_t *found = verify_text(rows[i].text, strlen(rows[i].text), &rows[i].expected, NULL);
        const char *verdict = json_string_value(json_object_get(found, "verdict"));
        bool same = rows[i].verdict ? verdict && strcmp(verdict, rows[i].verdict) == 0 : !verdict;
        size_t problems = json_array_size(json_object_get(found, "problems"));
        if (!same || (*rows[i].problem ? !has_code(found, "problems", rows[i].problem) : problems > 0)) {
            char *json = json_dumps(found, 0);
            print_error("%s:\n%s\n%s\n", rows[i].what, rows[i].text, json);
            free(json);
            bad++;
        }
        json_decref(found);
        free(rows[i].text);
    }
    assert_int_equal(bad, 0);
}

#define NV(n) matrix_text(n, n, "NV18", "", 1)

/* `topo -p2p n` has to say OK of every linked pair that counts. */
static void p2p(void **state)
{
    const struct podsku_expectation two = {.gpus = 2, .nvlink = true};
    const struct podsku_expectation four = {.gpus = 4, .nvlink = true};
    const struct podsku_expectation strictly = {.gpus = 4, .strict = true};
    const struct row rows[] = {
        {"no of two, four linked", join(p2p_text(2, "n", "NS", ""), NV(4)), two, "unverified", "conflicting"},
        {"no of two, four linked, strictly", join(p2p_text(2, "n", "NS", ""), NV(4)), strictly, "unverified",
         "conflicting"},
        {"no of four, two linked", join(NV(2), p2p_text(4, "n", "NS", "NS")), two, "unverified", "conflicting"},
        {"no of four first, two linked", join(p2p_text(4, "n", "NS", "NS"), NV(2)), two, "unverified", "conflicting"},
        {"more in a P2P matrix", join(NV(2), p2p_text(4, "n", "OK", "OK")), {.gpus = 4}, "unverified", "conflicting"},
        {"more in one of reading", join(NV(2), p2p_text(4, "r", "OK", "OK")), {.gpus = 4}, "unverified", "conflicting"},
        {"two of different sizes", join(NV(4), join(p2p_text(4, "n", "OK", "OK"), p2p_text(2, "n", "OK", ""))), four,
         "unverified", "conflicting"},
        {"PCIe, P2P of a part",
         join(matrix_text(4, 4, "PIX", "", 1), p2p_text(2, "n", "NS", "")),
         {.gpus = 4},
         "match",
         ""},
        {"unknown", join(NV(2), p2p_text(2, "n", "U", "")), two, "unverified", "unknown-code"},
        {"unknown, command not told", join(NV(2), p2p_text(2, NULL, "U", "")), two, "unverified", "unknown-code"},
        {"unknown, PCIe", join(matrix_text(2, 2, "PIX", "", 1), p2p_text(2, "n", "U", "")), {.gpus = 2}, "match", ""},
        {"unknown of the first pair, two wanted", join(NV(4), p2p_text(4, "n", "U", "OK")), two, "match", ""},
        {"unknown of the first pair, all wanted", join(NV(4), p2p_text(4, "n", "U", "OK")), four, "unverified",
         "unknown-code"},
        {"unknown, and a no", join(NV(4), p2p_text(4, "n", "U", "NS")), four, "mismatch", "p2p-off"},
        {"unknown to read", join(NV(2), p2p_text(2, "r", "U", "")), two, "match", ""},
        {"rows missing", join(NV(4), lines(p2p_text(4, "n", "OK", "OK"), 4)), four, "unverified", "truncated"},
        {"all rows missing", join(NV(4), lines(p2p_text(4, "n", "OK", "OK"), 2)), four, "unverified", "truncated"},
        {"cut in a row", join(NV(4), cut(p2p_text(4, "n", "OK", "OK"), 5)), four, "unverified", "truncated"},
        {"no word of P2P", join(NV(4), p2p_text(4, "n", "OK", "0K")), four, "unverified", "unknown-code"},
        {"the command failed", join(NV(4), strdup("$ nvidia-smi topo -p2p n\nInvalid combination of input\n")), four,
         "match", ""},
        {"nothing asked", join(NV(2), p2p_text(2, "n", "U", "")), {0}, NULL, ""},
    };

    (void)state;
    check(rows, COUNT_OF(rows));
}

/* Lists against matrices, and against each other. */
static void lists(void **state)
{
    const struct podsku_expectation two = {.gpus = 2};
    const struct podsku_expectation four = {.gpus = 4};
    const struct podsku_expectation eight = {.gpus = 8, .nvlink = true, .gpu_type = H100};
    const char *one_by_one = "index, name\n0, " H100 "\n";
    const struct row rows[] = {
        {"list of two, matrix of eight", join(machine_list(2, H100, 1), NV(8)), eight, "unverified", "conflicting"},
        {"matrix of two, list of four", join(NV(2), machine_list(4, H100, 1)), two, "unverified", "conflicting"},
        {"matrix of two, list of four as asked", join(NV(2), machine_list(4, H100, 1)), four, "unverified",
         "conflicting"},
        {"matrix of two, list of four, none named", join(NV(2), machine_list(4, H100, 0)), four, "unverified",
         "conflicting"},
        {"nothing asked", join(NV(2), machine_list(4, H100, 1)), {0}, "unverified", "conflicting"},
        {"P2P of two, list of four",
         join(p2p_text(2, "n", "NS", ""), machine_list(4, H100, 1)),
         {.gpus = 2, .nvlink = true},
         "unverified",
         "conflicting"},
        {"the same list again", join(machine_list(8, H100, 1), join(NV(8), machine_list(8, H100, 1))), eight, "match",
         ""},
        {"the same list without UUIDs", join(machine_list(8, H100, 1), join(machine_list(8, H100, 0), NV(8))), eight,
         "match", ""},
        {"one row of a table", join(NV(8), strdup(one_by_one)), {.gpus = 8, .nvlink = true}, "match", ""},
        {"one row of a table, the model asked", join(NV(8), strdup(one_by_one)), eight, "unverified", "no-topology"},
        {"two machines of one model", join(machine_list(4, L40S, 1), machine_list(4, L40S, 2)), four, "unverified",
         "conflicting"},
        {"two machines of one model, the model asked",
         join(machine_list(4, L40S, 1), machine_list(4, L40S, 2)),
         {.gpu_type = L40S},
         "unverified",
         "conflicting"},
        {"two machines' lists and a matrix", join(machine_list(4, H100, 1), join(machine_list(4, H100, 2), NV(4))),
         four, "unverified", "conflicting"},
        {"shortened in one of them",
         strdup("GPU 0: " L40S " (UUID: GPU-11111111-1111)\nindex, name, uuid\n0, " L40S ", GPU-0\n"),
         {.gpus = 1},
         "match",
         ""},
        {"blacked out in different ways",
         strdup("GPU 0: " L40S " (UUID: GPU-xxxx)\nGPU 0: " L40S " (UUID: GPU-****)\n"),
         {.gpus = 1},
         "match",
         ""},
    };

    (void)state;
    check(rows, COUNT_OF(rows));
}

/* A list that visibly ends in the middle of an entry has more GPUs, nobody knows how many. */
static void cut_lists(void **state)
{
    const struct podsku_expectation eight = {.gpus = 8};
    const struct podsku_expectation three = {.gpus = 3};
    const char *table = "index, name\n0, " L40S "\n1, " L40S "\n2, " L40S "\n";
    char *whole = machine_list(4, L40S, 1);
    size_t line = strlen(whole) / 4;

    (void)state;
    for (size_t bytes = 2; bytes < line; bytes++) {
        const struct row rows[] = {
            {"more asked", cut(strdup(whole), bytes), eight, "unverified", "truncated"},
            {"what is seen", cut(strdup(whole), bytes), three, "unverified", "truncated"},
            {"the model", cut(strdup(whole), bytes), {.gpu_type = L40S}, "unverified", "truncated"},
        };
        check(rows, COUNT_OF(rows));
    }
    free(whole);
    const struct row rows[] = {
        {"at its end", cut(machine_list(4, L40S, 1), 1), {.gpus = 4}, "match", ""},
        {"in the name, and a newline",
         join(cut(machine_list(4, H100, 1), 56), strdup("")),
         {.gpu_type = H100},
         "unverified",
         "truncated"},
        {"and a newline", join(cut(machine_list(4, L40S, 1), 9), strdup("")), eight, "unverified", "truncated"},
        {"and more text", join(cut(machine_list(4, L40S, 1), 9), strdup("$ date")), eight, "unverified", "truncated"},
        {"wrapped",
         strdup("GPU 0: " L40S " (UUID: GPU-1\n1)\nGPU 1: " L40S " (UUID: GPU-1\n2)\n"),
         {.gpus = 2},
         "match",
         ""},
        {"without UUIDs", cut(machine_list(4, L40S, 0), 1), {.gpus = 4}, "unverified", "truncated"},
        {"another model before the cut",
         cut(machine_list(4, H100, 1), 9),
         {.gpu_type = L40S},
         "mismatch",
         "wrong-model"},
        {"a table", cut(strdup(table), 4), {.gpus = 3}, "unverified", "truncated"},
        {"MIG",
         cut(list_text(1, H100, "1g.10gb"), 9),
         {.gpus = 1, .mig_profile = "1g.10gb"},
         "unverified",
         "truncated"},
        {"behind a matrix", join(NV(8), cut(machine_list(4, H100, 1), 9)), {.gpus = 8, .nvlink = true}, "match", ""},
    };
    check(rows, COUNT_OF(rows));
}

#define LEGEND "Legend:\n\n  X    = Self\n  SYS  = between sockets\n  PIX  = at most a single PCIe bridge\n"
#define LEGEND_NV LEGEND "  NV#  = a bonded set of # NVLinks\n"
#define PCIE(n) matrix_text(n, n, "PIX", "", 1)

/* A legend without NV# hides NVLink, wherever it stands. */
static void legends(void **state)
{
    const struct podsku_expectation four = {.gpus = 4, .nvlink = true};
    const struct row rows[] = {
        {"after", join(PCIE(4), strdup(LEGEND "\nend\n")), four, "unverified", "hides-nvlink"},
        {"before", join(strdup(LEGEND), PCIE(4)), four, "unverified", "hides-nvlink"},
        {"before, with NV#", join(strdup(LEGEND_NV), PCIE(4)), four, "mismatch", "not-all-nvlink"},
        {"before, and NVLink", join(strdup(LEGEND), NV(4)), four, "match", ""},
        {"of P2P before", join(strdup("Legend:\n  X    = Self\n  OK   = Status Ok\n"), PCIE(4)), four, "mismatch",
         "not-all-nvlink"},
        {"before, of two", join(join(strdup(LEGEND), PCIE(4)), join(strdup("\n"), PCIE(4))), four, "unverified",
         "hides-nvlink"},
        {"none", PCIE(4), four, "mismatch", "not-all-nvlink"},
    };

    (void)state;
    check(rows, COUNT_OF(rows));
}

/* A driver or nvidia-smi that found nothing cannot stand beside what it showed. */
static void failures(void **state)
{
    static const char failed[] = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n";
    static const char none[] = "No devices were found\n";
    const struct podsku_expectation four = {.gpus = 4};
    const struct row rows[] = {
        {"matrix, failed", join(NV(4), strdup(failed)), four, "unverified", "conflicting"},
        {"matrix, none", join(NV(4), strdup(none)), four, "unverified", "conflicting"},
        {"failed, matrix", join(strdup(failed), NV(4)), four, "unverified", "conflicting"},
        {"list, failed", join(machine_list(4, L40S, 1), strdup(failed)), four, "unverified", "conflicting"},
        {"list, none", join(machine_list(4, L40S, 1), strdup(none)), four, "unverified", "conflicting"},
        {"list, none, the model asked",
         join(machine_list(4, L40S, 1), strdup(none)),
         {.gpu_type = L40S},
         "unverified",
         "conflicting"},
    };

    (void)state;
    check(rows, COUNT_OF(rows));
}

/* Numbers and nouns agree; what proves nothing is not claimed. */
static void words(void **state)
{
    struct podsku_expectation one = {.gpus = 1, .gpu_type = NULL};
    char *summary = NULL;
    char *text = join(NV(2), p2p_text(2, "r", "CNS", ""));
    json_t *found = verify_text(text, strlen(text), &one, &summary);
    char *notes = json_dumps(json_object_get(found, "notes"), 0);

    (void)state;
    assert_null(strstr(summary, "P2P"));
    assert_non_null(strstr(notes, "1 GPU was asked for; the machine shows 2"));
    free(notes);
    free(summary);
    json_decref(found);
    free(text);

    text = list_text(1, H100, "1g.10gb");
    found = verify_text(text, strlen(text), &one, &summary);
    assert_non_null(strstr(summary, ", 1 MIG device;"));
    free(summary);
    json_decref(found);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p2p),     cmocka_unit_test(lists),    cmocka_unit_test(cut_lists),
        cmocka_unit_test(legends), cmocka_unit_test(failures), cmocka_unit_test(words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
