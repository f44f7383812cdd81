/* What evaluate remembers: decisions by requirement, and texts of offers. */
#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

#include "base/json.h"
#include "cli/evaluate.h"

static json_t *parse(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

    assert_non_null(value);
    return value;
}

static void test_same_requirement(void **state)
{
    struct cli_memo memo = {0};
    json_t *first = parse("{\"gpus\":8,\"gpu\":[\"A\",\"B\"],\"max_price\":2.5,\"allow_unpriced\":true}");
    json_t *same = parse("{\"allow_unpriced\":true,\"max_price\":2.5,\"gpu\":[\"A\",\"B\"],\"gpus\":8}");
    static const char *const others[] = {
        "{}",
        "{\"gpus\":8}",
        "{\"gpus\":8,\"gpu\":[\"B\",\"A\"],\"max_price\":2.5,\"allow_unpriced\":true}",
        "{\"gpus\":8,\"gpu\":[\"A\",\"B\"],\"max_price\":2.51,\"allow_unpriced\":true}",
        "{\"gpus\":8,\"gpu\":[\"A\",\"B\"],\"max_price\":2.5,\"allow_unpriced\":false}",
        "{\"gpus\":8,\"gpu\":[\"A\",\"B\"],\"max_price\":2.5,\"allow_unpriced\":null}",
    };
    size_t len = 0;

    (void)state;
    assert_null(cli_memo_find(&memo, first, 0, &len));
    cli_memo_keep(&memo, first, 0, "text", 4); /* seen, not kept */
    assert_null(cli_memo_find(&memo, same, 0, &len));
    cli_memo_keep(&memo, first, 0, "text", 4);
    const char *found = cli_memo_find(&memo, same, 0, &len);
    assert_non_null(found);
    assert_int_equal(len, 4);
    assert_memory_equal(found, "text", 4);
    assert_null(cli_memo_find(&memo, same, 1, &len)); /* another catalogue */
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        json_t *other = parse(others[i]);
        assert_null(cli_memo_find(&memo, other, 0, &len));
        json_decref(other);
    }
    json_decref(first);
    json_decref(same);
    cli_memo_free(&memo);
}

/* Many different requirements: none is kept, and in the end not even asked for. */
static void test_no_repetition(void **state)
{
    enum { MANY = 40000 };
    struct cli_memo memo = {0};
    size_t most = 0;
    size_t len = 0;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        json_t *requirement = json_pack("{s:i}", "gpus", i);
        assert_null(cli_memo_find(&memo, requirement, 0, &len));
        cli_memo_keep(&memo, requirement, 0, "text", 4);
        json_decref(requirement);
        if (memo.count > most)
            most = memo.count;
    }
    assert_int_equal(most, 0);
    assert_true(memo.off);
    assert_null(memo.slots);
    cli_memo_free(&memo);
}

/* Repetition is found also among more kinds than fit. */
static void test_repetition_goes_on(void **state)
{
    struct cli_memo memo = {0};
    size_t len = 0;
    size_t hits = 0;

    (void)state;
    for (int i = 0; i < 60000; i++) {
        json_t *requirement = json_pack("{s:i}", "gpus", i % 6000);
        if (cli_memo_find(&memo, requirement, 0, &len))
            hits++;
        else
            cli_memo_keep(&memo, requirement, 0, "text", 4);
        json_decref(requirement);
    }
    assert_false(memo.off);
    assert_int_equal(hits, 8 * 4096);
    cli_memo_free(&memo);
}

/* The cached text is the text: for every offer of a decision, the first time and the next. */
static void test_fragments(void **state)
{
    struct cli_fragments fragments = {0};
    struct podsku_catalog *catalog = NULL;
    struct podsku_decision decision = {0};
    struct podsku_requirement req;
    struct podsku_error err = {0};
    struct podsku_buf once = {0};
    struct podsku_buf twice = {0};

    (void)state;
    podsku_requirement_init(&req);
    req.cloud[PODSKU_COMMUNITY] = true;
    req.gpus[0] = 1;
    req.gpus[1] = 2;
    req.gpus_count = 2;
    assert_int_equal(podsku_catalog_bundled(podsku_facts_builtin(), &catalog, &err), PODSKU_OK);
    fragments.types = catalog->types;
    assert_int_equal(podsku_decide(catalog, &req, PODSKU_DECIDE_COUNT, true, &decision, &err), PODSKU_OK);
    assert_true(decision.candidate_count > 100);
    cli_put_offers(&fragments, decision.candidates, decision.candidate_count, &once);
    assert_int_equal(fragments.count, decision.candidate_count);
    cli_put_offers(&fragments, decision.candidates, decision.candidate_count, &twice);
    assert_int_equal(fragments.count, decision.candidate_count);
    assert_string_equal(podsku_buf_text(&once), podsku_buf_text(&twice));
    assert_non_null(strstr(once.data, "{\"id\":\"NVIDIA A100 80GB PCIe\",\"cloud\":\"COMMUNITY\",\"gpus\":2,"
                                      "\"price_per_hour\":2.38}"));
    podsku_buf_reset(&twice);
    cli_put_offers(&fragments, NULL, 0, &twice);
    assert_string_equal(podsku_buf_text(&twice), "[]");
    podsku_buf_free(&once);
    podsku_buf_free(&twice);
    cli_fragments_free(&fragments);
    podsku_decision_free(&decision);
    podsku_catalog_free(catalog);
    podsku_requirement_free(&req);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_requirement),
        cmocka_unit_test(test_no_repetition),
        cmocka_unit_test(test_repetition_goes_on),
        cmocka_unit_test(test_fragments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
