/*
 * What holds for every requirement: checked on many that a seeded generator makes.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"

enum { ROUNDS = 400 };

static uint64_t seed = 20260801;

static unsigned draw(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % below;
}

static const char *pick(const char *const *words, size_t count)
{
    return words[draw((unsigned)count)];
}

#define PICK(...) pick((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* A requirement of some of the keys, as JSON. */
static void make_requirement(struct podsku_buf *out)
{
    podsku_buf_reset(out);
    podsku_buf_printf(out, "{\"gpus\": %s", PICK("1", "2", "4", "8", "16", "[1, 2, 4, 8]", "[2, 10]"));
    if (draw(3) == 0)
        podsku_buf_printf(out, ", \"nvlink\": \"%s\"", PICK("required", "possible", "preferred", "any"));
    if (draw(6) == 0)
        podsku_buf_printf(out, ", \"parallelism\": \"%s\"", PICK("tensor", "pipeline", "data", "none"));
    if (draw(2) == 0)
        podsku_buf_printf(out, ", \"cloud\": \"%s\"", PICK("secure", "community", "any"));
    if (draw(3) == 0)
        podsku_buf_printf(out, ", \"min_vram\": %s", PICK("8", "24", "47.5", "80", "141"));
    if (draw(6) == 0)
        podsku_buf_printf(out, ", \"max_vram\": %s", PICK("24", "48", "96", "200"));
    if (draw(6) == 0)
        podsku_buf_printf(out, ", \"min_total_vram\": %s", PICK("100", "320", "640"));
    if (draw(6) == 0)
        podsku_buf_printf(out, ", \"min_link_gbs\": %s", PICK("0", "32", "50", "128", "600"));
    if (draw(4) == 0)
        podsku_buf_printf(out, ", \"memory_fraction\": %s", PICK("0.25", "\"1/2\"", "0.3", "\"12.5%\""));
    if (draw(8) == 0)
        podsku_buf_printf(out, ", \"compute_fraction\": %s", PICK("\"1/7\"", "0.5"));
    if (draw(6) == 0)
        podsku_buf_printf(out, ", \"mig\": \"%s\"", PICK("forbid", "allow", "only"));
    if (draw(8) == 0)
        podsku_buf_printf(out, ", \"mig_parent\": \"%s\"", PICK("*PRO 6000*", "A40", "*"));
    if (draw(3) == 0)
        podsku_buf_printf(out, ", \"max_price\": %s", PICK("0.3", "0.5", "1.6", "3", "10"));
    if (draw(3) == 0)
        podsku_buf_printf(out, ", \"max_total\": %s", PICK("0.5", "2", "12.72", "30", "100"));
    if (draw(6) == 0)
        podsku_buf_printf(out, ", \"exclude\": [\"%s\"]", PICK("*NVL", "RTX*", "A40"));
    if (draw(5) == 0)
        podsku_buf_printf(out, ", \"manufacturer\": \"%s\"", PICK("nvidia", "amd", "any"));
    if (draw(8) == 0)
        podsku_buf_printf(out, ", \"arch\": \"%s\"", PICK("ampere", "ada", "hopper", "blackwell", "cdna3"));
    if (draw(8) == 0)
        podsku_buf_printf(out, ", \"min_compute_capability\": \"%s\"", PICK("8.0", "8.9", "9.0", "12.0"));
    if (draw(10) == 0)
        podsku_buf_printf(out, ", \"min_cuda\": \"%s\"", PICK("12.4", "12.8"));
    if (draw(8) == 0)
        podsku_buf_printf(out, ", \"nodes\": %s", PICK("2", "4"));
    if (draw(8) == 0)
        podsku_buf_printf(out, ", \"inter_node_gbps\": %s", PICK("1600", "3200"));
    if (draw(8) == 0)
        podsku_buf_printf(out, ", \"allow_unpriced\": true");
    if (draw(3) == 0)
        podsku_buf_printf(out, ", \"sort\": \"%s\"", PICK("price", "vram", "price-per-gb", "link"));
    podsku_buf_puts(out, "}");
}

/* Everything a decision says, as text. */
static char *decision_text(const struct podsku_decision *decision)
{
    struct podsku_buf out = {0};

    for (size_t i = 0; i < decision->candidate_count; i++) {
        const struct podsku_offer *offer = &decision->candidates[i];
        podsku_buf_printf(&out, "+%s|%d|%d|%lld\n", offer->type->id, offer->cloud, offer->gpus,
                          (long long)offer->price_total_uusd);
        for (size_t k = 0; k < offer->note_count; k++)
            podsku_buf_printf(&out, "  %s: %s\n", offer->notes[k].code, offer->notes[k].message);
    }
    for (size_t i = 0; i < decision->rejected_count; i++) {
        const struct podsku_offer *offer = &decision->rejected[i];
        podsku_buf_printf(&out, "-%s|%d|%d\n", offer->type->id, offer->cloud, offer->gpus);
        for (size_t k = 0; k < offer->reason_count; k++)
            podsku_buf_printf(&out, "  %s: %s\n", podsku_rule_name(offer->reasons[k].rule), offer->reasons[k].message);
    }
    for (size_t i = 0; i < decision->suggestion_count; i++)
        podsku_buf_printf(&out, "~%s: %zu, first %s\n", decision->suggestions[i].change,
                          decision->suggestions[i].gain_total, decision->suggestions[i].gains[0].type->id);
    for (size_t i = 0; i < decision->alternative_count; i++)
        podsku_buf_printf(&out, "?%s %s\n", decision->alternatives[i].approach,
                          decision->alternatives[i].cheapest ? decision->alternatives[i].cheapest->type->id : "-");
    podsku_buf_printf(&out, "miss %s\n", decision->nearest_miss ? decision->nearest_miss->type->id : "-");
    return podsku_buf_take(&out);
}

static bool is_candidate(const struct podsku_decision *decision, const struct podsku_offer *offer)
{
    for (size_t i = 0; i < decision->candidate_count; i++) {
        const struct podsku_offer *other = &decision->candidates[i];
        if (strcmp(other->type->id, offer->type->id) == 0 && other->cloud == offer->cloud && other->gpus == offer->gpus)
            return true;
    }
    return false;
}

static void assert_same_decision(const struct podsku_catalog *one, const struct podsku_catalog *other,
                                 const char *requirement)
{
    struct decided a;
    struct decided b;

    decide(&a, one, requirement, PODSKU_DECIDE_FULL);
    decide(&b, other, requirement, PODSKU_DECIDE_FULL);
    char *left = decision_text(&a.decision);
    char *right = decision_text(&b.decision);
    if (strcmp(left, right) != 0)
        fail_msg("%s:\n%s\n----\n%s", requirement, left, right);
    free(left);
    free(right);
    free_decided(&a);
    free_decided(&b);
}

static struct podsku_catalog *load_json(json_t *body)
{
    char *text = json_dumps(body, 0);

    struct podsku_catalog *catalog = load_text(text);
    free(text);
    json_decref(body);
    return catalog;
}

static json_t *bundled_body(void)
{
    json_t *body = podsku_catalog_encode(bundled());

    assert_non_null(body);
    return body;
}

static void test_permutations(void **state)
{
    struct podsku_buf requirement = {0};
    json_t *same = bundled_body();
    struct podsku_catalog *straight = load_json(bundled_body());

    (void)state;
    for (int round = 0; round < ROUNDS / 4; round++) {
        json_t *body = json_deep_copy(same);
        json_t *gpus = json_object_get(body, "gpus");
        for (size_t i = json_array_size(gpus); i > 1; i--) {
            size_t k = draw((unsigned)i);
            json_t *a = json_incref(json_array_get(gpus, i - 1));
            json_t *b = json_incref(json_array_get(gpus, k));
            json_array_set_new(gpus, i - 1, b);
            json_array_set_new(gpus, k, a);
        }
        struct podsku_catalog *shuffled = load_json(body);
        make_requirement(&requirement);
        assert_same_decision(straight, shuffled, podsku_buf_text(&requirement));
        podsku_catalog_free(shuffled);
    }
    json_decref(same);
    podsku_catalog_free(straight);
    podsku_buf_free(&requirement);
}

/* The same entries under GraphQL's names. */
static json_t *as_graphql(json_t *body)
{
    json_t *types = json_array();
    json_t *entry;
    size_t i;

    json_array_foreach(json_object_get(body, "gpus"), i, entry)
    {
        json_t *count = json_object_get(entry, "maxCount");
        json_t *price = json_object_get(entry, "price");
        json_t *type = json_object();
        json_object_set(type, "id", json_object_get(entry, "id"));
        json_object_set(type, "displayName", json_object_get(entry, "name"));
        json_object_set(type, "memoryInGb", json_object_get(entry, "memory"));
        json_object_set(type, "manufacturer", json_object_get(entry, "manufacturer"));
        json_object_set(type, "secureCloud", json_object_get(entry, "secure"));
        json_object_set(type, "communityCloud", json_object_get(entry, "community"));
        json_object_set(type, "maxGpuCountSecureCloud", json_object_get(count, "secure"));
        json_object_set(type, "maxGpuCountCommunityCloud", json_object_get(count, "community"));
        json_object_set(type, "securePrice", json_object_get(price, "secure"));
        json_object_set(type, "communityPrice", json_object_get(price, "community"));
        json_array_append_new(types, type);
    }
    json_decref(body);
    return json_pack("{s:{s:o}}", "data", "gpuTypes", types);
}

static void test_two_shapes(void **state)
{
    struct podsku_buf requirement = {0};
    struct podsku_catalog *rest = load_json(bundled_body());
    struct podsku_catalog *graphql = load_json(as_graphql(bundled_body()));

    (void)state;
    assert_true(graphql->graphql);
    assert_int_equal(rest->type_count, graphql->type_count);
    for (int round = 0; round < ROUNDS / 4; round++) {
        make_requirement(&requirement);
        assert_same_decision(rest, graphql, podsku_buf_text(&requirement));
    }
    podsku_catalog_free(rest);
    podsku_catalog_free(graphql);
    podsku_buf_free(&requirement);
}

/* Naming a candidate keeps it. */
static void test_naming_keeps(void **state)
{
    struct podsku_buf requirement = {0};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct decided all;
        make_requirement(&requirement);
        decide(&all, bundled(), podsku_buf_text(&requirement), PODSKU_DECIDE_REASONS);
        for (int tries = 0; tries < 3 && all.decision.candidate_count > 0; tries++) {
            const struct podsku_offer *offer = &all.decision.candidates[draw((unsigned)all.decision.candidate_count)];
            const char *id = offer->type->id;
            struct podsku_decision decision = {0};
            struct podsku_error err = {0};
            struct podsku_requirement req = all.req;
            memset(&req.gpu, 0, sizeof req.gpu);
            assert_int_equal(podsku_requirement_set(&req, "gpu", &id, 1, &err), PODSKU_OK);
            assert_int_equal(podsku_decide(bundled(), &req, PODSKU_DECIDE_REASONS, false, &decision, &err), PODSKU_OK);
            if (!is_candidate(&decision, offer))
                fail_msg("%s: --gpu \"%s\" loses it", podsku_buf_text(&requirement), id);
            podsku_decision_free(&decision);
            free(req.gpu.list[0]);
            free(req.gpu.list);
        }
        free_decided(&all);
    }
    podsku_buf_free(&requirement);
}

/* The n-th loosening of a copy; false past the last one. */
static bool loosen(struct podsku_requirement *req, int n)
{
    switch (n) {
    case 0: req->max_price_uusd = req->max_price_uusd > 0 ? req->max_price_uusd * 2 : req->max_price_uusd; return true;
    case 1: req->max_price_uusd = PODSKU_UNCAPPED; return true;
    case 2: req->max_total_uusd = req->max_total_uusd > 0 ? req->max_total_uusd + 1 : req->max_total_uusd; return true;
    case 3: req->max_total_uusd = PODSKU_UNCAPPED; return true;
    case 4: req->min_vram_gb = req->min_vram_gb > 0 ? req->min_vram_gb / 2 : req->min_vram_gb; return true;
    case 5: req->max_vram_gb = -1; return true;
    case 6: req->min_total_vram_gb = -1; return true;
    case 7: req->min_link_gbs = -1; return true;
    case 8: req->nvlink = req->nvlink == PODSKU_NVLINK_REQUIRED ? PODSKU_NVLINK_POSSIBLE : req->nvlink; return true;
    case 9: req->allow_unpriced = true; return true;
    case 10: req->cloud[0] = req->cloud[1] = true; return true;
    case 11: req->min_stock = PODSKU_STOCK_NONE; return true;
    case 12: req->inter_node_gbps = -1; return true;
    case 13: req->compute_major = req->compute_minor = -1; return true;
    case 14: req->cuda_major = req->cuda_minor = -1; return true;
    case 15: req->exclude.count = 0; return true;
    case 16: req->manufacturer = PODSKU_WANT_ANY; return true;
    default: return false;
    }
}

static void test_loosening_keeps(void **state)
{
    struct podsku_buf requirement = {0};
    struct podsku_decision decision = {0};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct decided before;
        make_requirement(&requirement);
        decide(&before, bundled(), podsku_buf_text(&requirement), PODSKU_DECIDE_REASONS);
        for (int n = 0;; n++) {
            struct podsku_requirement req = before.req;
            struct podsku_error err = {0};
            if (!loosen(&req, n))
                break;
            assert_int_equal(podsku_decide(bundled(), &req, PODSKU_DECIDE_COUNT, true, &decision, &err), PODSKU_OK);
            for (size_t i = 0; i < before.decision.candidate_count; i++)
                if (!is_candidate(&decision, &before.decision.candidates[i]))
                    fail_msg("%s: loosening %d loses %s", podsku_buf_text(&requirement), n,
                             before.decision.candidates[i].type->id);
        }
        free_decided(&before);
    }
    podsku_decision_free(&decision);
    podsku_buf_free(&requirement);
}

/* Counting comes to the same candidates as explaining, in memory that is used again. */
static void test_details_agree(void **state)
{
    struct podsku_buf requirement = {0};
    struct podsku_decision decisions[3];

    (void)state;
    memset(decisions, 0, sizeof decisions);
    for (int round = 0; round < ROUNDS; round++) {
        struct podsku_requirement req;
        struct podsku_error err = {0};
        make_requirement(&requirement);
        read_requirement(&req, podsku_buf_text(&requirement));
        for (int detail = 0; detail < 3; detail++)
            assert_int_equal(podsku_decide(bundled(), &req, (enum podsku_detail)detail, true, &decisions[detail], &err),
                             PODSKU_OK);
        for (int detail = 1; detail < 3; detail++) {
            assert_int_equal(decisions[detail].candidate_count, decisions[0].candidate_count);
            assert_int_equal(decisions[detail].rejected_count, decisions[0].rejected_count);
            for (size_t i = 0; i < decisions[0].candidate_count; i++) {
                const struct podsku_offer *a = &decisions[0].candidates[i];
                const struct podsku_offer *b = &decisions[detail].candidates[i];
                assert_ptr_equal(a->type, b->type);
                assert_int_equal(a->cloud, b->cloud);
                assert_int_equal(a->gpus, b->gpus);
                assert_int_equal(a->stock, b->stock);
                assert_int_equal(a->topology.link, b->topology.link);
            }
        }
        assert_null(decisions[0].rejected);
        podsku_requirement_free(&req);
    }
    for (int detail = 0; detail < 3; detail++)
        podsku_decision_free(&decisions[detail]);
    podsku_decision_free(NULL);
    podsku_buf_free(&requirement);
}

/* Written requirements read as the same ones: the decision and the text agree. */
static void test_round_trip(void **state)
{
    struct podsku_buf requirement = {0};

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct podsku_requirement req;
        make_requirement(&requirement);
        read_requirement(&req, podsku_buf_text(&requirement));
        json_t *once = podsku_requirement_encode(&req);
        char *text = json_dumps(once, JSON_REAL_PRECISION(12));
        podsku_requirement_free(&req);
        read_requirement(&req, text);
        json_t *twice = podsku_requirement_encode(&req);
        assert_true(json_equal(once, twice));
        assert_same_decision(bundled(), bundled(), text);
        free(text);
        json_decref(once);
        json_decref(twice);
        podsku_requirement_free(&req);
    }
    podsku_buf_free(&requirement);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_permutations),  cmocka_unit_test(test_two_shapes),
        cmocka_unit_test(test_naming_keeps),  cmocka_unit_test(test_loosening_keeps),
        cmocka_unit_test(test_details_agree), cmocka_unit_test(test_round_trip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
