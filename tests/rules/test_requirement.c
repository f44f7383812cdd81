/*
 * Requirements from flags and JSON: values, their exact shares and amounts, errors with their exact
 * text and place, and that what is written reads back as the same.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"

static struct podsku_requirement req;
static struct podsku_error err;

static int set_up(void **state)
{
    (void)state;
    podsku_requirement_init(&req);
    podsku_error_clear(&err);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    podsku_requirement_free(&req);
    return 0;
}

static enum podsku_code set(const char *flag, const char *value)
{
    return podsku_requirement_set(&req, flag, &value, value ? 1 : 0, &err);
}

static enum podsku_code read(const char *json)
{
    json_t *value = NULL;

    assert_int_equal(podsku_json_read(json, strlen(json), "req.json", PODSKU_INPUT, &value, &err), PODSKU_OK);
    enum podsku_code code = podsku_requirement_read(&req, value, "req.json", "$", &err);
    json_decref(value);
    return code;
}

static void assert_encoded(const char *expected)
{
    struct podsku_buf out = {0};
    json_t *value = podsku_requirement_encode(&req);

    assert_non_null(value);
    podsku_json_write(&out, value, false);
    assert_string_equal(podsku_buf_text(&out), expected);
    podsku_buf_free(&out);
    json_decref(value);
}

static void test_defaults(void **state)
{
    (void)state;
    assert_int_equal(req.gpus_count, 1);
    assert_int_equal(req.gpus[0], 1);
    assert_int_equal(req.nodes, 1);
    assert_int_equal(req.nvlink, PODSKU_NVLINK_ANY);
    assert_true(req.cloud[PODSKU_SECURE]);
    assert_false(req.cloud[PODSKU_COMMUNITY]);
    assert_int_equal(req.min_stock, PODSKU_STOCK_LOW);
    assert_int_equal(podsku_requirement_mig(&req), PODSKU_MIG_FORBID);
    assert_false(podsku_requirement_has_placement(&req));
    assert_encoded("{\"gpus\":1}");
}

/* Each flag with a value, and how the requirement is written then. */
static const struct {
    const char *flag, *value, *encoded;
} good[] = {
    {"gpus", "8", "{\"gpus\":8}"},
    {"gpus", "8,1,4,4,2", "{\"gpus\":[1,2,4,8]}"},
    {"nodes", "4", "{\"gpus\":1,\"nodes\":4}"},
    {"nvlink", NULL, "{\"gpus\":1,\"nvlink\":\"required\"}"},
    {"nvlink", "Possible", "{\"gpus\":1,\"nvlink\":\"possible\"}"},
    {"nvlink", "preferred", "{\"gpus\":1,\"nvlink\":\"preferred\"}"},
    {"nvlink", "any", "{\"gpus\":1}"},
    {"parallelism", "tensor", "{\"gpus\":1,\"parallelism\":\"tensor\"}"},
    {"parallelism", "none", "{\"gpus\":1}"},
    {"min-link-gbs", "0", "{\"gpus\":1,\"min_link_gbs\":0}"},
    {"min-vram", "80", "{\"gpus\":1,\"min_vram\":80}"},
    {"max-vram", "47.5", "{\"gpus\":1,\"max_vram\":47.5}"},
    {"min-total-vram", "1e3", "{\"gpus\":1,\"min_total_vram\":1000}"},
    {"memory-fraction", "25%", "{\"gpus\":1,\"memory_fraction\":0.25}"},
    {"memory-fraction", "2/8", "{\"gpus\":1,\"memory_fraction\":0.25}"},
    {"compute-fraction", "1/7", "{\"gpus\":1,\"compute_fraction\":\"1/7\"}"},
    {"mig-parent", "*H100*", "{\"gpus\":1,\"mig_parent\":\"*H100*\"}"},
    {"mig", "only", "{\"gpus\":1,\"mig\":\"only\"}"},
    {"mig", "forbid", "{\"gpus\":1,\"mig\":\"forbid\"}"},
    {"cloud", "ANY", "{\"gpus\":1,\"cloud\":\"any\"}"},
    {"cloud", "community", "{\"gpus\":1,\"cloud\":\"community\"}"},
    {"cloud", "secure", "{\"gpus\":1}"},
    {"max-price", "2.49", "{\"gpus\":1,\"max_price\":2.49}"},
    {"max-price-per-gpu", "2.49", "{\"gpus\":1,\"max_price\":2.49}"},
    {"max-total", "27", "{\"gpus\":1,\"max_total\":27.0}"},
    {"max-hourly", "0", "{\"gpus\":1,\"max_total\":0.0}"},
    {"gpu", "H100 SXM", "{\"gpus\":1,\"gpu\":[\"H100 SXM\"]}"},
    {"exclude", "*NVL", "{\"gpus\":1,\"exclude\":[\"*NVL\"]}"},
    {"manufacturer", "nvidia", "{\"gpus\":1,\"manufacturer\":\"nvidia\"}"},
    {"manufacturer", "any", "{\"gpus\":1,\"manufacturer\":\"any\"}"},
    {"arch", "CDNA3", "{\"gpus\":1,\"arch\":\"cdna3\"}"},
    {"min-compute-capability", "9.0", "{\"gpus\":1,\"min_compute_capability\":\"9.0\"}"},
    {"min-cuda", "12.11", "{\"gpus\":1,\"min_cuda\":\"12.11\"}"},
    {"data-center", "US-KS-2,EU-RO-1,us-ks-2", "{\"gpus\":1,\"data_center\":[\"US-KS-2\",\"EU-RO-1\"]}"},
    {"country", "us,Ca", "{\"gpus\":1,\"country\":[\"US\",\"CA\"]}"},
    {"region", "Europe", "{\"gpus\":1,\"region\":\"europe\"}"},
    {"compliance", "soc_2_type_2", "{\"gpus\":1,\"compliance\":[\"SOC_2_TYPE_2\"]}"},
    {"min-stock", "none", "{\"gpus\":1,\"min_stock\":\"none\"}"},
    {"min-stock", "low", "{\"gpus\":1}"},
    {"inter-node-gbps", "3200", "{\"gpus\":1,\"inter_node_gbps\":3200}"},
    {"allow-unpriced", NULL, "{\"gpus\":1,\"allow_unpriced\":true}"},
    {"sort", "price-per-gb", "{\"gpus\":1,\"sort\":\"price-per-gb\"}"},
    {"limit", "3", "{\"gpus\":1,\"limit\":3}"},
};

/* Flags store what they say; what is written is read as the same again. */
static void test_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (set(good[i].flag, good[i].value) != PODSKU_OK)
            fail_msg("--%s %s: %s", good[i].flag, good[i].value, err.message);
        assert_encoded(good[i].encoded);
        podsku_requirement_free(&req);
        if (read(good[i].encoded) != PODSKU_OK)
            fail_msg("%s: %s", good[i].encoded, err.message);
        assert_encoded(good[i].encoded);
        podsku_requirement_free(&req);
    }
}

#define FLAG_NAME(flag, kind, metavar, choices, help) (flag),

/* Every flag of the list is tried above, so that none is kept in the wrong member. */
static void test_all_flags_tried(void **state)
{
    static const char *const flags[] = {PODSKU_REQUIREMENT_FIELDS(FLAG_NAME)};

    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        bool tried = false;
        for (size_t k = 0; k < sizeof good / sizeof good[0]; k++)
            tried = tried || strcmp(good[k].flag, flags[i]) == 0;
        if (!tried)
            fail_msg("--%s is not tried", flags[i]);
    }
}

/* The members, not only their spelling. */
static void test_members(void **state)
{
    static const char *const patterns[] = {"A40", "*H100*"};

    (void)state;
    assert_int_equal(set("nodes", "2"), PODSKU_OK);
    assert_int_equal(set("min-compute-capability", "8.9"), PODSKU_OK);
    assert_int_equal(set("min-cuda", "12.8"), PODSKU_OK);
    assert_int_equal(set("max-total", "12.3456785"), PODSKU_OK);
    assert_int_equal(set("region", "north_america"), PODSKU_OK);
    assert_int_equal(set("inter-node-gbps", "1600"), PODSKU_OK);
    assert_int_equal(podsku_requirement_set(&req, "gpu", patterns, 2, &err), PODSKU_OK);
    assert_int_equal(podsku_requirement_set(&req, "gpu", patterns, 2, &err), PODSKU_OK); /* replaced, not added */
    assert_true(req.nodes_set);
    assert_int_equal(req.nodes, 2);
    assert_int_equal(req.compute_major, 8);
    assert_int_equal(req.compute_minor, 9);
    assert_int_equal(req.cuda_major, 12);
    assert_int_equal(req.cuda_minor, 8);
    assert_int_equal(req.max_total_uusd, 12345678); /* half to even */
    assert_string_equal(req.region, "NORTH_AMERICA");
    assert_true(req.inter_node_flag);
    assert_int_equal(req.gpu.count, 2);
    assert_true(podsku_requirement_has_placement(&req));
}

/* Shares are exact: 0.3 is 3/10. */
static void test_fractions(void **state)
{
    static const struct {
        const char *text;
        int64_t numerator, denominator;
    } shares[] = {
        {"0.25", 1, 4},  {"0.3", 3, 10},  {".5", 1, 2},     {"25%", 1, 4},    {"33.3%", 333, 1000},
        {"1/7", 1, 7},   {"3/12", 1, 4},  {"0", 0, 1},      {"0.0", 0, 1},    {"1", 1, 1},
        {"1.0", 1, 1},   {"100%", 1, 1},  {"2.5e-1", 1, 4}, {"0/5", 0, 1},    {"1e0", 1, 1},
        {"0.1e1", 1, 1}, {"50.0%", 1, 2}, {"0e5", 0, 1},    {"00.250", 1, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        assert_int_equal(set("memory-fraction", shares[i].text), PODSKU_OK);
        assert_int_equal(req.memory_fraction.numerator, shares[i].numerator);
        assert_int_equal(req.memory_fraction.denominator, shares[i].denominator);
    }
    assert_int_equal(read("{\"memory_fraction\": 0.3, \"compute_fraction\": \"1/7\"}"), PODSKU_OK);
    assert_int_equal(req.memory_fraction.numerator, 3);
    assert_int_equal(req.memory_fraction.denominator, 10);
    assert_int_equal(req.compute_fraction.denominator, 7);
    assert_int_equal(read("{\"memory_fraction\": 1}"), PODSKU_OK);
    assert_int_equal(req.memory_fraction.numerator, 1);
    assert_int_equal(read("{\"memory_fraction\": 1e-5}"), PODSKU_OK);
    assert_int_equal(req.memory_fraction.denominator, 100000);
}

static void test_json(void **state)
{
    (void)state;
    assert_int_equal(read("{\"gpus\": [8, 1], \"nvlink\": true, \"gpu\": \"A40\", \"exclude\": [\"B*\", \"L4\"],"
                          " \"data_center\": [\"US-KS-2\"], \"country\": \"us,ca\", \"allow_unpriced\": false,"
                          " \"max_hourly\": 3, \"min_cuda\": \"12.8\", \"inter_node_gbps\": 3200, \"nodes\": 2.0}"),
                     PODSKU_OK);
    assert_encoded("{\"gpus\":[1,8],\"nodes\":2,\"nvlink\":\"required\",\"max_total\":3.0,\"gpu\":[\"A40\"],"
                   "\"exclude\":[\"B*\",\"L4\"],\"min_cuda\":\"12.8\",\"data_center\":[\"US-KS-2\"],"
                   "\"country\":[\"US\",\"CA\"],\"inter_node_gbps\":3200}");
    assert_false(req.inter_node_flag); /* JSON needs no --nodes beside it */
    assert_int_equal(read("{\"nvlink\": false, \"exclude\": []}"), PODSKU_OK);
    assert_int_equal(req.nvlink, PODSKU_NVLINK_ANY);
    assert_int_equal(req.exclude.count, 0);
    assert_int_equal(read("{}"), PODSKU_OK);
}

/* Flags come after the file and replace its fields. */
static void test_flags_override(void **state)
{
    (void)state;
    assert_int_equal(read("{\"gpus\": [1, 2], \"gpu\": [\"A40\", \"L4\"], \"mig\": \"allow\"}"), PODSKU_OK);
    assert_int_equal(set("gpus", "4"), PODSKU_OK);
    assert_int_equal(set("gpu", "L40S"), PODSKU_OK);
    assert_int_equal(set("mig", "forbid"), PODSKU_OK);
    assert_encoded("{\"gpus\":4,\"mig\":\"forbid\",\"gpu\":[\"L40S\"]}");
}

static void test_implied(void **state)
{
    (void)state;
    assert_int_equal(set("parallelism", "tensor"), PODSKU_OK);
    assert_int_equal(podsku_requirement_nvlink(&req, 1), PODSKU_NVLINK_ANY);
    assert_int_equal(podsku_requirement_nvlink(&req, 2), PODSKU_NVLINK_REQUIRED);
    assert_int_equal(set("parallelism", "data"), PODSKU_OK);
    assert_int_equal(podsku_requirement_nvlink(&req, 2), PODSKU_NVLINK_ANY);
    assert_int_equal(set("memory-fraction", "1/4"), PODSKU_OK);
    assert_int_equal(podsku_requirement_mig(&req), PODSKU_MIG_ALLOW);
    assert_int_equal(set("mig", "forbid"), PODSKU_OK);
    assert_int_equal(podsku_requirement_mig(&req), PODSKU_MIG_FORBID);
    podsku_requirement_free(&req);
    assert_int_equal(set("mig-parent", "*6000*"), PODSKU_OK);
    assert_int_equal(podsku_requirement_mig(&req), PODSKU_MIG_ALLOW);
    podsku_requirement_free(NULL);
}

static const struct {
    const char *flag, *value, *message, *hint;
} bad_flags[] = {
    {"gpus", "0", "--gpus: \"0\" is no count", "whole numbers from 1 to 1000000, one or several"},
    {"gpus", "1,,2", "--gpus: \"1,,2\" is no count", "whole numbers from 1 to 1000000, one or several"},
    {"gpus", "8x", "--gpus: \"8x\" is no count", "whole numbers from 1 to 1000000, one or several"},
    {"gpus", "12345678901234567890", "--gpus: \"12345678901234567890\" is no count",
     "whole numbers from 1 to 1000000, one or several"},
    {"gpus", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33",
     "--gpus: \"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28...\" makes more than 32 "
     "counts",
     "whole numbers from 1 to 1000000, one or several"},
    {"gpus", NULL, "--gpus: a value is missing", "whole numbers from 1 to 1000000, one or several"},
    {"nodes", "-1", "--nodes: \"-1\" is no count", "a whole number from 1 to 1000000"},
    {"nodes", "1000001", "--nodes: \"1000001\" is no count", "a whole number from 1 to 1000000"},
    {"limit", "0", "--limit: \"0\" is no count", "a whole number from 1 to 1000000"},
    {"nvlink", "sometimes", "--nvlink: \"sometimes\" is no choice", "one of required|possible|preferred|any"},
    {"nvlink", "require", "--nvlink: \"require\" is no choice",
     "did you mean \"required\"? One of required|possible|preferred|any"},
    {"sort", "prize", "--sort: \"prize\" is no choice", "did you mean \"price\"? One of price|vram|price-per-gb|link"},
    {"min-vram", "lots", "--min-vram: \"lots\" is no number of 0 or more", "a number, 0 or more"},
    {"min-vram", "-1", "--min-vram: \"-1\" is no number of 0 or more", "a number, 0 or more"},
    {"min-vram", "nan", "--min-vram: \"nan\" is no number of 0 or more", "a number, 0 or more"},
    {"max-price", "$2", "--max-price: \"$2\" is no amount", "USD as a plain number, e.g. 2.49"},
    {"memory-fraction", "1.5", "--memory-fraction: \"1.5\" is outside 0..1",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"memory-fraction", "-0.25", "--memory-fraction: \"-0.25\" is outside 0..1",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"memory-fraction", "5/4", "--memory-fraction: \"5/4\" is outside 0..1",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"memory-fraction", "150%", "--memory-fraction: \"150%\" is outside 0..1",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"memory-fraction", "1e9", "--memory-fraction: \"1e9\" is outside 0..1",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"memory-fraction", "1e99999", "--memory-fraction: \"1e99999\" is outside 0..1",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"compute-fraction", "1/0", "--compute-fraction: \"1/0\" is no fraction",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"compute-fraction", "a quarter", "--compute-fraction: \"a quarter\" is no fraction",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"compute-fraction", "1/x", "--compute-fraction: \"1/x\" is no fraction",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"compute-fraction", "1234567890123456789/2", "--compute-fraction: \"1234567890123456789/2\" is no fraction",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"compute-fraction", "0.1234567890123456789", "--compute-fraction: \"0.1234567890123456789\" is no fraction",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"compute-fraction", "1e-30", "--compute-fraction: \"1e-30\" is no fraction",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"compute-fraction", "1e", "--compute-fraction: \"1e\" is no fraction",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"compute-fraction", "0.5x", "--compute-fraction: \"0.5x\" is no fraction",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"compute-fraction", "-x", "--compute-fraction: \"-x\" is no fraction",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%"},
    {"min-cuda", "12", "--min-cuda: \"12\" is no version", "MAJOR.MINOR, e.g. 12.8"},
    {"gpu", "", "--gpu: \"\" is empty", "an id or a display name; * and ? are wildcards"},
    {"mig-parent", "", "--mig-parent: \"\" is empty", "an id or a display name; * and ? are wildcards"},
    {"data-center", "", "--data-center: \"\" is empty", "words, comma-separated"},
    {"data-center", "US-KS-2,", "--data-center: \"US-KS-2,\" has an empty item", "words, comma-separated"},
    {"data-center", ",US-KS-2", "--data-center: \",US-KS-2\" has an empty item", "words, comma-separated"},
    {"data-center", "US-KS-2, ,A", "--data-center: \"US-KS-2, ,A\" has an empty item", "words, comma-separated"},
    {"country", "USA", "--country: \"USA\" is no country code", "two letters each, e.g. US,CA"},
    {"country", "U1", "--country: \"U1\" is no country code", "two letters each, e.g. US,CA"},
    {"region", "mars", "--region: \"mars\" is no choice",
     "one of north_america|south_america|europe|asia|middle_east|africa|oceania|antarctica"},
    {"colour", "red", "--colour is no requirement", ""},
};

static void test_bad_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_flags / sizeof bad_flags[0]; i++) {
        assert_int_equal(set(bad_flags[i].flag, bad_flags[i].value), PODSKU_USAGE);
        assert_string_equal(err.message, bad_flags[i].message);
        assert_string_equal(err.hint, bad_flags[i].hint);
        assert_string_equal(err.where, "");
        assert_encoded("{\"gpus\":1}"); /* nothing is half set */
        podsku_error_clear(&err);
    }
}

static const struct {
    const char *json, *message, *hint, *where;
} bad_json[] = {
    {"[]", "an array is no requirement", "an object of requirement keys, e.g. {\"gpus\": 8, \"nvlink\": \"required\"}",
     "req.json: $"},
    {"{\"gpus\": \"8\"}", "gpus: \"8\" is no count", "whole numbers from 1 to 1000000, one or several",
     "req.json: $.gpus"},
    {"{\"gpus\": []}", "gpus: an array without counts asks for nothing",
     "whole numbers from 1 to 1000000, one or several", "req.json: $.gpus"},
    {"{\"gpus\": [1, 2.5]}", "gpus: 2.5 is no count", "whole numbers from 1 to 1000000, one or several",
     "req.json: $.gpus[1]"},
    {"{\"gpus\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33]}",
     "gpus: 33 makes more than 32 counts", "whole numbers from 1 to 1000000, one or several", "req.json: $.gpus[32]"},
    {"{\"gpus\": 0}", "gpus: 0 is no count", "whole numbers from 1 to 1000000, one or several", "req.json: $.gpus"},
    {"{\"nodes\": null}", "nodes: null is no count", "a whole number from 1 to 1000000", "req.json: $.nodes"},
    {"{\"limit\": 0}", "limit: 0 is no count", "a whole number from 1 to 1000000", "req.json: $.limit"},
    {"{\"nvlink\": 1}", "nvlink: 1 is no string", "one of required|possible|preferred|any", "req.json: $.nvlink"},
    {"{\"nvlink\": \"yes\"}", "nvlink: \"yes\" is no choice", "one of required|possible|preferred|any",
     "req.json: $.nvlink"},
    {"{\"min_vram\": \"80\"}", "min_vram: \"80\" is no number", "a number, 0 or more", "req.json: $.min_vram"},
    {"{\"min_vram\": -1}", "min_vram: -1 is no number of 0 or more", "a number, 0 or more", "req.json: $.min_vram"},
    {"{\"max_price\": -0.5}", "max_price: -0.5 is no amount", "USD as a plain number, e.g. 2.49",
     "req.json: $.max_price"},
    {"{\"max_price\": true}", "max_price: true is no number", "USD as a plain number, e.g. 2.49",
     "req.json: $.max_price"},
    {"{\"memory_fraction\": 2}", "memory_fraction: 2 is outside 0..1",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%", "req.json: $.memory_fraction"},
    {"{\"memory_fraction\": -0.1}", "memory_fraction: -0.1 is outside 0..1",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%", "req.json: $.memory_fraction"},
    {"{\"memory_fraction\": {}}", "memory_fraction: an object is no string",
     "a share of one card from 0 to 1: 0.25, 1/4 or 25%", "req.json: $.memory_fraction"},
    {"{\"min_cuda\": 12.8}", "min_cuda: 12.8 is no string", "a string, \"MAJOR.MINOR\", e.g. \"12.8\"",
     "req.json: $.min_cuda"},
    {"{\"min_cuda\": \"12\"}", "min_cuda: \"12\" is no version", "a string, \"MAJOR.MINOR\", e.g. \"12.8\"",
     "req.json: $.min_cuda"},
    {"{\"gpu\": 3}", "gpu: 3 is no array of strings", "an id or a display name; * and ? are wildcards",
     "req.json: $.gpu"},
    {"{\"gpu\": [\"A40\", 3]}", "gpu: 3 is no string", "an id or a display name; * and ? are wildcards",
     "req.json: $.gpu[1]"},
    {"{\"gpu\": [\"A40\", \"\"]}", "gpu: \"\" is empty", "an id or a display name; * and ? are wildcards",
     "req.json: $.gpu[1]"},
    {"{\"country\": [\"US\", \"Germany\"]}", "country: \"Germany\" is no country code", "two letters each, e.g. US,CA",
     "req.json: $.country[1]"},
    {"{\"allow_unpriced\": \"yes\"}", "allow_unpriced: \"yes\" is not true or false", "true or false",
     "req.json: $.allow_unpriced"},
    {"{\"mig_parent\": [\"a\"]}", "mig_parent: an array is no string", "an id or a display name; * and ? are wildcards",
     "req.json: $.mig_parent"},
    {"{\"max_total\": 1, \"max_hourly\": 2}",
     "max_total: 2 is a second value: the key has another name, which was given, too",
     "USD as a plain number, e.g. 2.49", "req.json: $.max_hourly"},
    {"{\"nvlinks\": true}", "unknown key \"nvlinks\"", "did you mean \"nvlink\"?", "req.json: $.nvlinks"},
    {"{\"max-price\": 1}", "unknown key \"max-price\"", "did you mean \"max_price\"?", "req.json: $[\"max-price\"]"},
    {"{\"\": 1}", "unknown key \"\"", "a key is a flag's name with _ for -, e.g. gpus, nvlink, max_total",
     "req.json: $[\"\"]"},
    {"{\"min_ram\": 1}", "unknown key \"min_ram\"",
     "REST v2 does not offer that; memory of the host comes with the GPUs", "req.json: $.min_ram"},
    {"{\"spot\": true}", "unknown key \"spot\"",
     "REST v2 does not offer spot pods; nearest: \"cloud\": \"any\" and \"max_price\"", "req.json: $.spot"},
};

static void test_bad_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_json / sizeof bad_json[0]; i++) {
        assert_int_equal(read(bad_json[i].json), PODSKU_INPUT);
        assert_string_equal(err.where, bad_json[i].where);
        assert_string_equal(err.message, bad_json[i].message);
        assert_string_equal(err.hint, bad_json[i].hint);
        podsku_error_clear(&err);
        podsku_requirement_free(&req);
    }
}

/* Without a file the place is the path alone; long values are cut. */
static void test_places(void **state)
{
    json_t *value = json_pack("{s:[s]}", "gpu", "");

    (void)state;
    assert_int_equal(podsku_requirement_read(&req, value, NULL, "$[3].requirement", &err), PODSKU_INPUT);
    assert_string_equal(err.where, "$[3].requirement.gpu[0]");
    json_decref(value);
    podsku_error_clear(&err);
    value = json_pack("{s:s}", "sort",
                      "a word that is so very long that an error message must not show it as a whole at all");
    assert_int_equal(podsku_requirement_read(&req, value, NULL, "$", &err), PODSKU_INPUT);
    assert_string_equal(err.message,
                        "sort: \"a word that is so very long that an error message must not show it as a wh...\" is "
                        "no choice");
    json_decref(value);
    podsku_error_clear(&err);
    value = json_pack("{s:i}", "odd", 1);
    assert_int_equal(podsku_requirement_read(&req, value, NULL, "$", &err), PODSKU_INPUT);
    assert_string_equal(err.where, "$.odd");
    json_decref(value);
    podsku_error_clear(&err);
    value = json_pack("{s:s}", "allow_unpriced",
                      "a text that is so very long that an error message must not show it as a whole at all");
    assert_int_equal(podsku_requirement_read(&req, value, NULL, "$", &err), PODSKU_INPUT);
    assert_string_equal(err.message,
                        "allow_unpriced: \"a text that is so very long that an error message must not show it as a "
                        "who... is not true or false");
    json_decref(value);
}

static void contradict(const char *json, enum podsku_code code, const char *message,
                       const struct podsku_catalog *catalog)
{
    podsku_requirement_free(&req);
    podsku_error_clear(&err);
    assert_int_equal(read(json), PODSKU_OK);
    if (podsku_requirement_contradiction(&req, catalog, &err) != code)
        fail_msg("%s: %s", json, err.message);
    assert_string_equal(err.message, message);
    assert_true((err.hint[0] != '\0') == (code != PODSKU_OK));
}

static void test_contradictions(void **state)
{
    static const char joined[] = "MIG slices cannot be joined: they have no NVLink and no peer-to-peer";
    static const char many[] = "more than 8 GPUs on NVLink cannot be bought on Runpod";
    static const char unsliced[] = "no slices of that --mig-parent are on sale in this catalogue";

    (void)state;
    contradict("{\"mig\": \"only\", \"nvlink\": \"required\"}", PODSKU_NO_OFFER, joined, NULL);
    contradict("{\"mig\": \"only\", \"nvlink\": \"possible\"}", PODSKU_NO_OFFER, joined, NULL);
    contradict("{\"mig\": \"only\", \"nvlink\": \"preferred\"}", PODSKU_OK, "", NULL);
    contradict("{\"mig\": \"only\", \"parallelism\": \"tensor\", \"gpus\": 2}", PODSKU_NO_OFFER, joined, NULL);
    contradict("{\"mig\": \"only\", \"parallelism\": \"tensor\"}", PODSKU_OK, "", NULL);
    contradict("{\"mig\": \"only\", \"parallelism\": \"tensor\", \"gpus\": [1, 2]}", PODSKU_OK, "", NULL);
    contradict("{\"mig\": \"only\", \"min_link_gbs\": 10}", PODSKU_NO_OFFER, joined, NULL);
    contradict("{\"mig\": \"only\", \"min_link_gbs\": 0}", PODSKU_OK, "", NULL);
    contradict("{\"memory_fraction\": 0.25, \"nvlink\": \"required\"}", PODSKU_OK, "", NULL);
    contradict("{\"min_vram\": 90, \"max_vram\": 80}", PODSKU_NO_OFFER,
               "--min-vram is above --max-vram: no card has both", NULL);
    contradict("{\"min_vram\": 80, \"max_vram\": 80}", PODSKU_OK, "", NULL);
    contradict("{\"mig\": \"only\", \"mig_parent\": \"A40\"}", PODSKU_NO_OFFER, unsliced, bundled());
    contradict("{\"mig\": \"only\", \"mig_parent\": \"A40\"}", PODSKU_OK, "", NULL);
    contradict("{\"mig\": \"only\", \"mig_parent\": \"RTX PRO 6000\"}", PODSKU_OK, "", bundled());
    contradict("{\"mig_parent\": \"A40\", \"memory_fraction\": 0.5}", PODSKU_OK, "", bundled());
    contradict("{\"gpus\": 16, \"nvlink\": \"required\"}", PODSKU_NO_OFFER, many, bundled());
    contradict("{\"gpus\": 9, \"parallelism\": \"tensor\"}", PODSKU_NO_OFFER, many, NULL);
    contradict("{\"gpus\": [8, 16], \"nvlink\": \"required\"}", PODSKU_OK, "", NULL);
    contradict("{\"gpus\": 16, \"nvlink\": \"preferred\"}", PODSKU_OK, "", NULL);
    contradict("{\"inter_node_gbps\": 1600}", PODSKU_OK, "", NULL);
}

/* A facts file may know a larger machine. */
static void test_larger_domain(void **state)
{
    static const char rows[] =
        "[{\"id\": \"NVIDIA GB200 NVL72\", \"nvlink_evidence\": \"board\", \"nvlink_domain\": 72}]";
    static const char body[] = "{\"gpus\": [{\"id\": \"NVIDIA GB200 NVL72\"}]}";
    const struct podsku_facts_set *facts = NULL;
    struct podsku_catalog *catalog = NULL;

    (void)state;
    if (podsku_facts_load(rows, strlen(rows), "facts.json", &facts, &err) != PODSKU_OK)
        fail_msg("%s %s %s", err.where, err.message, err.hint);
    assert_int_equal(podsku_catalog_load(body, strlen(body), "test", facts, NULL, PODSKU_INPUT, &catalog, &err),
                     PODSKU_OK);
    contradict("{\"gpus\": 16, \"nvlink\": \"required\"}", PODSKU_OK, "", catalog);
    podsku_catalog_free(catalog);
    podsku_facts_free(facts);
}

static void test_inter_node_flag(void **state)
{
    (void)state;
    assert_int_equal(set("inter-node-gbps", "1600"), PODSKU_OK);
    assert_int_equal(podsku_requirement_contradiction(&req, NULL, &err), PODSKU_USAGE);
    assert_string_equal(err.message, "--inter-node-gbps needs --nodes");
    podsku_error_clear(&err);
    assert_int_equal(set("nodes", "1"), PODSKU_OK);
    assert_int_equal(podsku_requirement_contradiction(&req, NULL, &err), PODSKU_OK);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_defaults),       TEST(test_flags),           TEST(test_all_flags_tried),
        TEST(test_members),        TEST(test_fractions),       TEST(test_json),
        TEST(test_flags_override), TEST(test_implied),         TEST(test_bad_flags),
        TEST(test_bad_json),       TEST(test_places),          TEST(test_contradictions),
        TEST(test_larger_domain),  TEST(test_inter_node_flag),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
