/* The shapes that pick shares: JSON of offers, CSV, shell words, flags, names of other tools. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "base/json.h"
#include "cli/csv.h"
#include "cli/emit.h"
#include "cli/json_offer.h"
#include "cli/view_pick.h"

static void expect_json(json_t *value, const char *expected)
{
    struct podsku_buf text = {0};

    podsku_json_write(&text, value, false);
    json_decref(value);
    assert_string_equal(podsku_buf_text(&text), expected);
    podsku_buf_free(&text);
}

static const struct podsku_dc_stock centers[] = {{"US-KS-2", PODSKU_STOCK_LOW},
                                                 {"EU-RO-1", PODSKU_STOCK_NONE},
                                                 {"EU-SE-1", PODSKU_STOCK_HIGH},
                                                 {"CA-MTL-1", PODSKU_STOCK_UNKNOWN}};

static void test_offer_json(void **state)
{
    const struct podsku_slice slice = {"Parent", "1g.20gb", 1, 8, 0, 0};
    const struct podsku_stock_view view = {.data_centers = centers, .data_center_count = 2};
    const struct podsku_note note = {"suspect-price", (char *)(uintptr_t) "looks wrong"};
    struct podsku_gpu_type type = {.id = "Some  Card", .slice = &slice, .max_gpus = {PODSKU_COUNT_UNKNOWN, 4}};
    struct podsku_offer offer = {
        .type = &type, .cloud = PODSKU_SECURE, .gpus = 2, .nodes = 3, .topology = {.link_gbs = PODSKU_GBS_UNKNOWN}};

    (void)state;
    /* Unknown everywhere. */
    expect_json(cli_offer_json(&offer, 7),
                "{\"rank\":7,\"id\":\"Some  Card\",\"name\":\"Some  Card\",\"cloud\":\"SECURE\",\"gpus\":2,\"nodes\":3,"
                "\"price_per_gpu_hour\":null,\"price_per_hour\":null,\"price_estimated\":false,\"vram_gb\":null,"
                "\"total_vram_gb\":null,\"topology\":{\"link\":\"unknown\",\"evidence\":\"unknown\",\"link_gbs\":null,"
                "\"nvlink_generation\":null,\"nvlink_domain\":null},\"mig\":{\"parent\":\"Parent\",\"profile\":"
                "\"1g.20gb\",\"memory_fraction\":0.125,\"compute_fraction\":null},\"stock\":null,\"data_centers\":null,"
                "\"max_gpus\":null,\"notes\":[]}");
    type = (struct podsku_gpu_type){.id = "Card", .name = "The Card", .max_gpus = {0, 4}};
    offer = (struct podsku_offer){
        .type = &type,
        .cloud = PODSKU_COMMUNITY,
        .gpus = 1,
        .nodes = 1,
        .price_gpu_uusd = 2490000,
        .price_total_uusd = 2988001,
        .price_estimated = true,
        .memory_gb = 80,
        .total_memory_gb = 80,
        .topology = {PODSKU_LINK_NVLINK, PODSKU_EVIDENCE_BOARD, 112.5, 4, 8},
        .stock = PODSKU_STOCK_HIGH,
        .view = &view,
        .notes = &note,
        .note_count = 1,
    };
    expect_json(cli_offer_json(&offer, 1),
                "{\"rank\":1,\"id\":\"Card\",\"name\":\"The Card\",\"cloud\":\"COMMUNITY\",\"gpus\":1,\"nodes\":1,"
                "\"price_per_gpu_hour\":2.49,\"price_per_hour\":2.988001,\"price_estimated\":true,\"vram_gb\":80,"
                "\"total_vram_gb\":80,\"topology\":{\"link\":\"nvlink\",\"evidence\":\"board\",\"link_gbs\":112.5,"
                "\"nvlink_generation\":4,\"nvlink_domain\":8},\"mig\":null,\"stock\":\"HIGH\",\"data_centers\":["
                "{\"id\":\"US-KS-2\",\"stock\":\"LOW\"},{\"id\":\"EU-RO-1\",\"stock\":\"NONE\"}],\"max_gpus\":4,"
                "\"notes\":[\"suspect-price: looks wrong\"]}");
    expect_json(cli_offer_short_json(&offer),
                "{\"id\":\"Card\",\"cloud\":\"COMMUNITY\",\"gpus\":1,\"price_per_hour\":2.988001}");
}

static void test_where(void **state)
{
    static const struct {
        size_t first, count;
        const char *expected;
    } rows[] = {{0, 4, "EU-SE-1 +2"}, {0, 1, "US-KS-2"}, {1, 1, ""}, {3, 1, "CA-MTL-1"}, {0, 0, ""}, {0, 2, "US-KS-2"}};
    struct podsku_buf out = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct podsku_stock_view view = {.data_centers = centers + rows[i].first,
                                               .data_center_count = rows[i].count};
        podsku_buf_reset(&out);
        cli_where(&out, &view);
        assert_string_equal(podsku_buf_text(&out), rows[i].expected);
    }
    podsku_buf_reset(&out);
    cli_where(&out, NULL);
    assert_int_equal(out.len, 0);
    podsku_buf_free(&out);
}

static void test_share(void **state)
{
    static const struct {
        struct podsku_slice slice;
        const char *memory, *compute;
    } rows[] = {
        {{"P", "2g.48gb", 2, 4, 2, 4}, "1/2", "1/2"},
        {{"P", "3g.40gb", 4, 8, 3, 7}, "1/2", "3/7"},
        {{"P", "9g.9gb", 3, 10, 0, 0}, "3/10", ""},
    };
    struct podsku_buf out = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        podsku_buf_reset(&out);
        cli_share(&out, &rows[i].slice, false);
        assert_string_equal(podsku_buf_text(&out), rows[i].memory);
        podsku_buf_reset(&out);
        cli_share(&out, &rows[i].slice, true);
        assert_string_equal(podsku_buf_text(&out), rows[i].compute);
    }
    podsku_buf_reset(&out);
    cli_share(&out, NULL, true);
    assert_string_equal(podsku_buf_text(&out), "whole");
    podsku_buf_free(&out);
}

static void test_csv(void **state)
{
    const char *fields[] = {"plain", "a,b", "say \"x\"", "two\nlines", "cr\r", NULL, "", " blank "};
    struct podsku_buf out = {0};

    (void)state;
    cli_csv_row(&out, fields, COUNT_OF(fields));
    assert_string_equal(podsku_buf_text(&out), "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"cr\r\",,, blank \n");
    podsku_buf_free(&out);
}

static void test_shell_word(void **state)
{
    static const struct {
        const char *word, *expected;
    } rows[] = {
        {"NVIDIA", "NVIDIA"},
        {"", "\"\""},
        {"H100 NVL", "\"H100 NVL\""},
        {"*MIG*", "\"*MIG*\""},
        {"a\"b", "\"a\\\"b\""},
        {"$(x)`y`\\", "\"\\$(x)\\`y\\`\\\\\""},
        {"line\nfeed", "\"line?feed\""},
    };
    struct podsku_buf out = {0};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        podsku_buf_reset(&out);
        cli_shell_word(&out, rows[i].word);
        assert_string_equal(podsku_buf_text(&out), rows[i].expected);
    }
    podsku_buf_free(&out);
}

/* A requirement as flags: read from JSON, written as one types it. */
static void test_flags(void **state)
{
    static const char *const without[] = {"limit", NULL};
    static const struct {
        const char *json, *expected;
    } rows[] = {
        {"{}", ""},
        {"{\"gpus\":8,\"nvlink\":\"required\",\"limit\":3}", " --gpus 8 --nvlink"},
        {"{\"gpus\":[1,2],\"nvlink\":\"possible\"}", " --gpus 1,2 --nvlink possible"},
        {"{\"gpu\":[\"H100 SXM\",\"B200\"],\"max_total\":40}", " --max-total 40 --gpu \"H100 SXM\" --gpu B200"},
        {"{\"max_price\":2.49,\"allow_unpriced\":true}", " --max-price 2.49 --allow-unpriced"},
        {"{\"memory_fraction\":0.25,\"mig\":\"only\"}", " --memory-fraction 0.25 --mig only"},
        {"{\"min_cuda\":\"12.8\",\"data_center\":[\"US-KS-2\"]}", " --min-cuda 12.8 --data-center US-KS-2"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct podsku_requirement req;
        struct podsku_error err = {0};
        struct podsku_buf out = {0};
        json_t *object = json_loads(rows[i].json, 0, NULL);
        podsku_requirement_init(&req);
        assert_int_equal(podsku_requirement_read(&req, object, "test", "$", &err), PODSKU_OK);
        cli_requirement_flags(&out, &req, without);
        assert_string_equal(podsku_buf_text(&out), rows[i].expected);
        podsku_requirement_free(&req);
        json_decref(object);
        podsku_buf_free(&out);
    }
}

/* Each row is a known type, and stands once. */
static void test_emit_names(void **state)
{
    const struct cli_emit_names *row;

    (void)state;
    for (size_t i = 0; (row = cli_emit_names_at(i)); i++) {
        assert_non_null(podsku_facts_find(podsku_facts_builtin(), row->id));
        assert_ptr_equal(cli_emit_names(row->id), row);
        assert_true(row->skypilot || row->dstack);
    }
    assert_null(cli_emit_names("nonesuch")->skypilot);
    assert_null(cli_emit_names("nonesuch")->dstack);
}

static void test_quoted(void **state)
{
    struct podsku_buf out = {0};

    (void)state;
    cli_emit_quoted(&out, "a \"b\" \\ ${c} %{d} $e\n");
    assert_string_equal(podsku_buf_text(&out), "\"a \\\"b\\\" \\\\ $${c} %%{d} $e \"");
    podsku_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offer_json), cmocka_unit_test(test_where),      cmocka_unit_test(test_share),
        cmocka_unit_test(test_csv),        cmocka_unit_test(test_shell_word), cmocka_unit_test(test_flags),
        cmocka_unit_test(test_emit_names), cmocka_unit_test(test_quoted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
