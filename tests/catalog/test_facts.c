/* The built-in facts: rows against what RULES and the vendors' documents say, and their order. */
#include "support.h"

#include <string.h>

static const struct podsku_facts *fact(const char *id)
{
    const struct podsku_facts *facts = podsku_facts_find(podsku_facts_builtin(), id);

    if (!facts)
        fail_msg("no facts for %s", id);
    return facts;
}

static void rows_are_sorted_and_complete(void **state)
{
    (void)state;
    const struct podsku_facts_set *set = podsku_facts_builtin();

    assert_int_equal(podsku_facts_count(set), 58);
    for (size_t i = 0; i < podsku_facts_count(set); i++) {
        const struct podsku_facts *row = podsku_facts_at(set, i);
        if (i > 0)
            assert_true(strcmp(podsku_facts_at(set, i - 1)->id, row->id) < 0);
        assert_ptr_equal(podsku_facts_find(set, row->id), row);
        assert_non_null(row->source);
        assert_string_equal(row->checked, "2026-08");
        assert_int_not_equal(row->confidence, PODSKU_CONFIDENCE_UNKNOWN);
        assert_int_not_equal(row->arch, PODSKU_ARCH_UNKNOWN);
        assert_int_not_equal(row->evidence, PODSKU_EVIDENCE_UNKNOWN);
        assert_true(row->memory_gb > 0);
        assert_true(row->nvlink_domain >= 1);
        assert_false(row->on_runpod);
    }
}

/* An alias has the facts of what it stands for. */
static void aliases_agree(void **state)
{
    (void)state;
    size_t aliases = 0;

    for (size_t i = 0; i < podsku_facts_count(podsku_facts_builtin()); i++) {
        struct podsku_facts row = *podsku_facts_at(podsku_facts_builtin(), i);
        if (!row.alias_of)
            continue;
        const struct podsku_facts *target = fact(row.alias_of);
        aliases++;
        assert_null(target->alias_of);
        assert_int_equal(row.arch, target->arch);
        assert_int_equal(row.memory_gb, target->memory_gb);
        assert_int_equal(row.memory_bandwidth_gbs, target->memory_bandwidth_gbs);
        assert_int_equal(row.evidence, target->evidence);
        assert_int_equal(row.nvlink_domain, target->nvlink_domain);
        assert_true(row.nvlink_gbs == target->nvlink_gbs);
        assert_int_equal(row.mig_capable, target->mig_capable);
        assert_int_equal(row.confidence, PODSKU_CONFIDENCE_NOT_VERIFIED);
    }
    assert_int_equal(aliases, 5);
}

static void evidence_table(void **state)
{
    static const struct {
        const char *id;
        enum podsku_evidence evidence;
        int generation, links, domain;
        double gbs;
    } rows[] = {
        {"NVIDIA H100 80GB HBM3", PODSKU_EVIDENCE_BOARD, 4, 18, 8, 900},
        {"NVIDIA H200", PODSKU_EVIDENCE_BOARD, 4, 18, 8, 900},
        {"NVIDIA B200", PODSKU_EVIDENCE_BOARD, 5, 18, 8, 1800},
        {"NVIDIA B300 SXM6 AC", PODSKU_EVIDENCE_BOARD, 5, 18, 8, 1800},
        {"NVIDIA A100-SXM4-80GB", PODSKU_EVIDENCE_BOARD, 3, 12, 8, 600},
        {"NVIDIA A100-SXM4-40GB", PODSKU_EVIDENCE_BOARD, 3, 12, 8, 600},
        {"NVIDIA H200 NVL", PODSKU_EVIDENCE_NOMINAL, 4, 18, 4, 900},
        {"Tesla V100-SXM2-16GB", PODSKU_EVIDENCE_NOMINAL, 2, 6, 4, 300},
        {"Tesla V100-SXM2-32GB", PODSKU_EVIDENCE_NOMINAL, 2, 6, 4, 300},
        {"NVIDIA H100 NVL", PODSKU_EVIDENCE_NOMINAL, 4, 12, 2, 600},
        {"NVIDIA H100 PCIe", PODSKU_EVIDENCE_CONNECTOR, 4, 12, 2, 600},
        {"NVIDIA A100 80GB PCIe", PODSKU_EVIDENCE_CONNECTOR, 3, 12, 2, 600},
        {"NVIDIA A30", PODSKU_EVIDENCE_CONNECTOR, 3, 4, 2, 200},
        {"NVIDIA A40", PODSKU_EVIDENCE_CONNECTOR, 3, 4, 2, 112.5},
        {"NVIDIA RTX A6000", PODSKU_EVIDENCE_CONNECTOR, 3, 4, 2, 112.5},
        {"NVIDIA RTX A5000", PODSKU_EVIDENCE_CONNECTOR, 3, 4, 2, 112.5},
        {"NVIDIA RTX A4500", PODSKU_EVIDENCE_CONNECTOR, 3, 4, 2, 112.5},
        {"NVIDIA GeForce RTX 3090", PODSKU_EVIDENCE_CONNECTOR, 3, 4, 2, 112.5},
        {"NVIDIA GeForce RTX 3090 Ti", PODSKU_EVIDENCE_CONNECTOR, 3, 4, 2, 112.5},
        {"NVIDIA L40S", PODSKU_EVIDENCE_NONE, 0, 0, 1, 0},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", PODSKU_EVIDENCE_NONE, 0, 0, 1, 0},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", PODSKU_EVIDENCE_NONE, 0, 0, 1, 0},
        {"AMD Instinct MI300X OAM", PODSKU_EVIDENCE_NONE, 0, 0, 1, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct podsku_facts *facts = fact(rows[i].id);
        assert_int_equal(facts->evidence, rows[i].evidence);
        assert_int_equal(facts->nvlink_generation, rows[i].generation);
        assert_int_equal(facts->nvlink_links, rows[i].links);
        assert_int_equal(facts->nvlink_domain, rows[i].domain);
        assert_true(facts->nvlink_gbs == rows[i].gbs);
    }
}

static void other_links(void **state)
{
    (void)state;
    const struct podsku_facts *amd = fact("AMD Instinct MI300X OAM");

    assert_true(amd->xgmi);
    assert_int_equal(amd->xgmi_domain, 8);
    assert_true(amd->xgmi_pair_gbs == 128);
    assert_int_equal(amd->compute_major, 0);
    assert_false(fact("NVIDIA H200")->xgmi);
    /* GeForce RTX 40 and 50: the driver gives no P2P over PCIe. Nothing is known against it elsewhere. */
    assert_int_equal(fact("NVIDIA GeForce RTX 4090")->pcie_p2p, PODSKU_NO);
    assert_int_equal(fact("NVIDIA GeForce RTX 5090")->pcie_p2p, PODSKU_NO);
    assert_int_equal(fact("NVIDIA GeForce RTX 3090")->pcie_p2p, PODSKU_UNKNOWN);
    assert_int_equal(fact("NVIDIA L40S")->pcie_p2p, PODSKU_UNKNOWN);
    assert_int_equal(fact("NVIDIA B300 SXM6 AC")->pcie_generation, 6);
    assert_int_equal(fact("NVIDIA B300 SXM6 AC")->compute_minor, 3);
    assert_int_equal(fact("NVIDIA RTX 2000 Ada Generation")->pcie_lanes, 8);
}

static void mig_marks(void **state)
{
    (void)state;
    assert_int_equal(fact("NVIDIA H200")->mig_capable, PODSKU_YES);
    assert_int_equal(fact("NVIDIA H200")->mig_max_instances, 7);
    assert_int_equal(fact("NVIDIA A40")->mig_capable, PODSKU_NO);
    assert_int_equal(fact("NVIDIA B300 SXM6 AC MIG 1g.34gb")->mig_capable, PODSKU_NO);
    assert_string_equal(fact("NVIDIA B300 SXM6 AC MIG 1g.34gb")->form_factor, "MIG slice");
}

/* Ids are whole byte strings. */
static void lookup_is_exact(void **state)
{
    (void)state;
    const struct podsku_facts_set *set = podsku_facts_builtin();

    assert_null(podsku_facts_find(set, "nvidia h200"));
    assert_null(podsku_facts_find(set, "NVIDIA H20"));
    assert_null(podsku_facts_find(set, "NVIDIA H200 "));
    assert_null(podsku_facts_find(set, ""));
    assert_string_equal(fact("NVIDIA  RTX A4500")->alias_of, "NVIDIA RTX A4500");
    assert_null(fact("NVIDIA RTX A4500")->alias_of);
    podsku_facts_free(set); /* does nothing */
    podsku_facts_free(NULL);
    assert_non_null(podsku_facts_find(set, "NVIDIA H200"));
}

static void words(void **state)
{
    enum podsku_arch arch = PODSKU_ARCH_UNKNOWN;
    enum podsku_evidence evidence = PODSKU_EVIDENCE_UNKNOWN;

    (void)state;
    for (int i = PODSKU_ARCH_UNKNOWN + 1; i < PODSKU_ARCH_COUNT; i++) {
        assert_true(podsku_arch_parse(podsku_arch_name((enum podsku_arch)i), &arch));
        assert_int_equal(arch, i);
    }
    assert_true(podsku_arch_parse("HOPPER", &arch));
    assert_int_equal(arch, PODSKU_ARCH_HOPPER);
    assert_false(podsku_arch_parse("unknown", &arch));
    assert_false(podsku_arch_parse("hop", &arch));
    for (int i = PODSKU_EVIDENCE_UNKNOWN; i <= PODSKU_EVIDENCE_BOARD; i++) {
        assert_true(podsku_evidence_parse(podsku_evidence_name((enum podsku_evidence)i), &evidence));
        assert_int_equal(evidence, i);
    }
    assert_false(podsku_evidence_parse("bored", &evidence));
    assert_string_equal(podsku_confidence_name(PODSKU_CONFIDENCE_NOT_VERIFIED), "not verified");
    assert_string_equal(podsku_confidence_name(PODSKU_CONFIDENCE_VERIFIED), "verified");
    assert_string_equal(podsku_confidence_name((enum podsku_confidence)99), "unknown");
    assert_string_equal(podsku_arch_name((enum podsku_arch)99), "unknown");
    assert_string_equal(podsku_evidence_name((enum podsku_evidence)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sorted_and_complete),
        cmocka_unit_test(aliases_agree),
        cmocka_unit_test(evidence_table),
        cmocka_unit_test(other_links),
        cmocka_unit_test(mig_marks),
        cmocka_unit_test(lookup_is_exact),
        cmocka_unit_test(words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
