/*
 * What a catalogue says of some hosts only, of a cloud that does not offer a card, or of clusters that are
 * nowhere: nothing that is more than was read.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>

#define A40 "\"id\": \"NVIDIA A40\", \"name\": \"A40\", \"manufacturer\": \"NVIDIA\", \"memory\": 48"
#define USUAL                                                                                    \
    ", \"secure\": true, \"community\": true, \"maxCount\": {\"secure\": 8, \"community\": 8}, " \
    "\"price\": {\"secure\": 1.5, \"community\": 1.25}"
#define IN_STOCK(level) ", \"availability\": \"" level "\""

/* A recording whose query left hosts out. */
#define NARROW(filter, entry)                                                                                  \
    "{\"podsku_recording\": 1, \"query\": {\"product\": \"POD\", \"cloud\": \"SECURE\", \"count\": 8, " filter \
    "}, \"body\": {\"gpus\": [{" entry "}]}}"
#define CUDA_13 "\"min_cuda\": \"13.0\""
#define IN_US "\"countries\": [\"US\"]"

static const struct {
    const char *recording, *requirement, *reasons, *text, *note;
} cases[] = {
    /* an absence among some hosts is none among all of them; a level is one */
    {NARROW(CUDA_13, A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8}", "",
     "this catalogue does not say the stock of 8 in secure cloud", "stock-unknown"},
    {NARROW(CUDA_13, A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 10}", "gpus", NULL, NULL},
    {NARROW(CUDA_13, A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8, \"min_cuda\": \"12.8\"}", "", NULL, "stock-unknown"},
    {NARROW(CUDA_13, A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8, \"min_cuda\": \"13.0\"}", "stock",
     "stock for 8 in secure cloud is NONE, at least LOW was asked for", NULL},
    {NARROW(CUDA_13, A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8, \"min_cuda\": \"13.1\"}", "stock", NULL, NULL},
    {NARROW(CUDA_13, A40 USUAL IN_STOCK("LOW")), "{\"gpus\": 8}", "", NULL, NULL},
    {NARROW(CUDA_13, A40 USUAL IN_STOCK("LOW")), "{\"gpus\": 8, \"min_stock\": \"high\"}", "stock", NULL, NULL},
    {NARROW(IN_US, A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8}", "", NULL, "stock-unknown"},
    {NARROW(IN_US, A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8, \"country\": [\"SE\"]}", "placement", NULL, NULL},
    {NARROW(IN_US, A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8, \"country\": [\"US\"]}", "placement stock", NULL, NULL},
    {NARROW("\"min_cuda\": null, \"countries\": []", A40 USUAL IN_STOCK("NONE")), "{\"gpus\": 8}", "stock", NULL, NULL},
    {NARROW(IN_US, A40 USUAL IN_STOCK("LOW") ", \"cudaVersions\": [{\"version\": \"12.4\", \"available\": true}]"),
     "{\"gpus\": 8, \"min_cuda\": \"12.8\"}", "", NULL, "cuda-unknown"},
    {NARROW(IN_US, A40 USUAL IN_STOCK("LOW") ", \"cudaVersions\": [{\"version\": \"12.8\", \"available\": true}]"),
     "{\"gpus\": 8, \"min_cuda\": \"12.8\"}", "", NULL, NULL},
    {NARROW(IN_US, A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": \"LOW\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"EU-RO-1\"]}", "placement",
     "unknown: data centers are listed for a CUDA floor or countries that were not asked for", NULL},
    {NARROW(IN_US, A40 USUAL IN_STOCK("LOW") ", \"dataCenters\": [{\"id\": \"US-KS-2\", \"availability\": \"LOW\"}]"),
     "{\"gpus\": 8, \"data_center\": [\"US-KS-2\"]}", "", NULL, NULL},
};

static void test_narrow_reads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct podsku_catalog *catalog = load_text(cases[i].recording);
        struct decided decided;
        catalog->source = PODSKU_SOURCE_FILE;
        decide(&decided, catalog, cases[i].requirement, PODSKU_DECIDE_REASONS);
        const struct podsku_offer *offer = find_offer(&decided, "NVIDIA A40", PODSKU_SECURE, decided.req.gpus[0]);
        const char *reasons = reasons_text(&decided, "NVIDIA A40", PODSKU_SECURE, decided.req.gpus[0]);
        if (strcmp(reasons, cases[i].reasons) != 0)
            fail_msg("case %zu: \"%s\" instead of \"%s\"", i, reasons, cases[i].reasons);
        if (offer->reason_count && cases[i].text)
            assert_string_equal(offer->reasons[0].message, cases[i].text);
        if (!offer->reason_count && cases[i].text)
            assert_string_equal(note_of(offer, cases[i].note), cases[i].text);
        if (cases[i].note)
            assert_string_not_equal(note_of(offer, cases[i].note), "");
        size_t passing = decided.decision.candidate_total;
        free_decided(&decided);
        decide(&decided, catalog, cases[i].requirement, PODSKU_DECIDE_COUNT);
        assert_int_equal(decided.decision.candidate_total, passing);
        free_decided(&decided);
        podsku_catalog_free(catalog);
    }
}

/* Clusters that are nowhere in stock open nothing, and their absence among some hosts is none among all. */
static void test_no_cluster_stock(void **state)
{
    static const struct {
        const char *filter, *body, *reasons;
    } rows[] = {
        {"", A40 USUAL IN_STOCK("NONE") ", \"dataCenters\": [{\"id\": \"X\", \"availability\": \"HIGH\"}]",
         "stock nodes"},
        {"", "\"id\": \"NVIDIA H200\"" USUAL IN_STOCK("NONE"), "stock"},
        {", " CUDA_13, "\"id\": \"NVIDIA H200\"" USUAL IN_STOCK("NONE"), ""},
        {", " CUDA_13, A40 USUAL IN_STOCK("LOW"), ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        struct decided decided;
        (void)snprintf(text, sizeof text,
                       "{\"podsku_recording\": 1, \"query\": {\"product\": \"CLUSTER\", \"cloud\": \"SECURE\", "
                       "\"count\": 8%s}, \"body\": {\"gpus\": [{%s}]}}",
                       rows[i].filter, rows[i].body);
        struct podsku_catalog *catalog = load_text(text);
        decide(&decided, catalog, "{\"gpus\": 8, \"nodes\": 2}", PODSKU_DECIDE_REASONS);
        assert_string_equal(reasons_text(&decided, catalog->types[0].id, PODSKU_SECURE, 8), rows[i].reasons);
        free_decided(&decided);
        podsku_catalog_free(catalog);
    }
}

/* One decision's memory, used for requirements with and without the floor of the read. */
static void test_narrow_batch(void **state)
{
    static const char *const floors[] = {"13.0", NULL, "13.0", "12.0", NULL};
    struct podsku_catalog *catalog = load_text(NARROW(CUDA_13, A40 USUAL IN_STOCK("NONE")));
    struct podsku_decision decision = {0};
    struct podsku_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof floors / sizeof floors[0]; i++) {
        struct podsku_requirement req;
        char text[64] = "{\"gpus\": 8}";
        if (floors[i])
            (void)snprintf(text, sizeof text, "{\"gpus\": 8, \"min_cuda\": \"%s\"}", floors[i]);
        read_requirement(&req, text);
        assert_int_equal(podsku_decide(catalog, &req, PODSKU_DECIDE_COUNT, true, &decision, &err), PODSKU_OK);
        assert_int_equal(decision.candidate_total, floors[i] && strcmp(floors[i], "13.0") == 0 ? 0 : 1);
        podsku_requirement_free(&req);
    }
    podsku_decision_free(&decision);
    podsku_catalog_free(catalog);
}

/* Where a cloud does not offer the card, the price that stands there is none: no sentence shows it. */
static void test_placeholder(void **state)
{
    struct decided decided;

    (void)state;
    decide(&decided, bundled(), "{\"max_price\": 0.4, \"max_total\": 0.3}", PODSKU_DECIDE_REASONS);
    const struct podsku_offer *offer =
        find_offer(&decided, "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", PODSKU_SECURE, 1);
    assert_string_equal(reason_of(offer, PODSKU_RULE_PRICE),
                        "no price where it is not offered, 0.40 USD/h per GPU was the cap");
    assert_string_equal(reason_of(offer, PODSKU_RULE_TOTAL_PRICE),
                        "no price where it is not offered, 0.30 USD/h in all was the cap");
    free_decided(&decided);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_reads),
        cmocka_unit_test(test_narrow_batch),
        cmocka_unit_test(test_no_cluster_stock),
        cmocka_unit_test(test_placeholder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
