/*
 * The whole decision on every case of fixtures/decisions: requirement.json, catalogue.json (without:
 * the compiled-in one), and expected.txt. PODSKU_UPDATE=1 writes what is expected anew.
 */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/money.h"

static void write_offer(struct podsku_buf *out, const struct podsku_offer *offer)
{
    char price[PODSKU_MONEY_TEXT_SIZE];

    podsku_buf_printf(out, "%s, %s, %d x %d GB", podsku_gpu_name(offer->type), podsku_cloud_word(offer->cloud),
                      offer->gpus, offer->memory_gb);
    if (offer->nodes > 1)
        podsku_buf_printf(out, ", %d nodes", offer->nodes);
    podsku_buf_printf(out, ", %s USD/h%s, ", podsku_money_text(offer->price_total_uusd, price),
                      offer->price_estimated ? " estimated" : "");
    podsku_buf_printf(out, "%s %s %.10g GB/s, stock %s\n", podsku_link_name(offer->topology.link),
                      podsku_evidence_name(offer->topology.evidence), offer->topology.link_gbs,
                      podsku_stock_name(offer->stock));
    for (size_t i = 0; i < offer->note_count; i++)
        podsku_buf_printf(out, "    note %s: %s\n", offer->notes[i].code, offer->notes[i].message);
    for (size_t i = 0; i < offer->reason_count; i++)
        podsku_buf_printf(out, "    %s (%s): %s\n", podsku_rule_name(offer->reasons[i].rule), offer->reasons[i].brief,
                          offer->reasons[i].message);
}

static void write_decision(struct podsku_buf *out, const struct decided *decided)
{
    const struct podsku_decision *decision = &decided->decision;
    json_t *requirement = podsku_requirement_encode(&decided->req);

    podsku_buf_puts(out, "requirement ");
    podsku_json_write(out, requirement, false);
    json_decref(requirement);
    podsku_buf_printf(out, "\n\n%zu of %zu candidates\n", decision->candidate_count, decision->candidate_total);
    for (size_t i = 0; i < decision->candidate_count; i++) {
        podsku_buf_printf(out, "%zu ", i + 1);
        write_offer(out, &decision->candidates[i]);
    }
    podsku_buf_printf(out, "\n%zu rejected\n", decision->rejected_count);
    for (size_t i = 0; i < decision->rejected_count; i++) {
        podsku_buf_puts(out, "- ");
        write_offer(out, &decision->rejected[i]);
    }
    podsku_buf_puts(out, "\n");
    for (size_t i = 0; i < decision->suggestion_count; i++) {
        podsku_buf_printf(out, "suggestion %s gains %zu:\n    ", decision->suggestions[i].change,
                          decision->suggestions[i].gain_total);
        write_offer(out, &decision->suggestions[i].gains[0]);
    }
    for (size_t i = 0; i < decision->alternative_count; i++)
        podsku_buf_printf(out, "alternative %s%s: %s\n", decision->alternatives[i].approach,
                          decision->alternatives[i].verified ? "" : " (not verified)",
                          decision->alternatives[i].cheapest ? podsku_gpu_name(decision->alternatives[i].cheapest->type)
                                                             : "-");
    if (decision->nearest_miss)
        podsku_buf_printf(out, "nearest miss %s: %s\n", podsku_gpu_name(decision->nearest_miss->type),
                          decision->nearest_miss_why);
    for (size_t i = 0; i < decision->note_count; i++)
        podsku_buf_printf(out, "note %s: %s\n", decision->notes[i].code, decision->notes[i].message);
}

static bool read_file(const char *name, const char *file, struct podsku_buf *out)
{
    struct podsku_error err = {0};
    char path[1024];

    (void)snprintf(path, sizeof path, "%s/decisions/%s/%s", PODSKU_FIXTURES, name, file);
    return podsku_file_read(path, PODSKU_FILE_MAX, out, &err) == PODSKU_OK;
}

static void check(const char *name)
{
    struct podsku_buf bytes = {0};
    struct podsku_buf text = {0};
    struct podsku_buf expected = {0};
    struct podsku_catalog *catalog = NULL;
    struct decided decided;
    struct podsku_error err = {0};
    char path[1024];

    if (read_file(name, "catalogue.json", &bytes)) {
        catalog = load_text(podsku_buf_text(&bytes));
        catalog->source = PODSKU_SOURCE_FILE;
    }
    podsku_buf_reset(&bytes);
    assert_true(read_file(name, "requirement.json", &bytes));
    decide(&decided, catalog ? catalog : bundled(), podsku_buf_text(&bytes), PODSKU_DECIDE_FULL);
    write_decision(&text, &decided);
    if (getenv("PODSKU_UPDATE")) {
        (void)snprintf(path, sizeof path, "%s/decisions/%s/expected.txt", PODSKU_FIXTURES, name);
        assert_int_equal(podsku_file_write(path, text.data, text.len, 0644, &err), PODSKU_OK);
    }
    assert_true(read_file(name, "expected.txt", &expected));
    if (strcmp(podsku_buf_text(&expected), podsku_buf_text(&text)) != 0)
        fail_msg("%s:\n%s", name, podsku_buf_text(&text));
    free_decided(&decided);
    podsku_catalog_free(catalog);
    podsku_buf_free(&bytes);
    podsku_buf_free(&text);
    podsku_buf_free(&expected);
}

static void test_snapshots(void **state)
{
    DIR *folder = opendir(PODSKU_FIXTURES "/decisions");
    size_t count = 0;

    (void)state;
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] == '.')
            continue;
        check(entry->d_name);
        count++;
    }
    closedir(folder);
    assert_true(count >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_snapshots)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
