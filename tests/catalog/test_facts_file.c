/* Facts files laid over the table. What is refused is in fixtures/bad/facts-*. */
#include "support.h"

#include <string.h>

static const struct podsku_facts_set *load(const char *text)
{
    const struct podsku_facts_set *set;
    struct podsku_error err = {0};

    if (podsku_facts_load(text, strlen(text), "my-facts.json", &set, &err) != PODSKU_OK)
        fail_msg("%s: %s", err.where, err.message);
    return set;
}

static void changes_one_field(void **state)
{
    (void)state;
    const struct podsku_facts_set *set = load("[{\"id\": \"NVIDIA H100 NVL\", \"nvlink_domain\": 4}]");
    const struct podsku_facts *facts = podsku_facts_find(set, "NVIDIA H100 NVL");
    const struct podsku_facts *builtin = podsku_facts_find(podsku_facts_builtin(), "NVIDIA H100 NVL");

    assert_int_equal(podsku_facts_count(set), podsku_facts_count(podsku_facts_builtin()));
    assert_int_equal(facts->nvlink_domain, 4);
    assert_int_equal(builtin->nvlink_domain, 2);
    assert_int_equal(facts->memory_gb, builtin->memory_gb);
    assert_int_equal(facts->evidence, builtin->evidence);
    /* It is the file's word now. */
    assert_string_equal(facts->source, "my-facts.json");
    assert_null(facts->checked);
    assert_int_equal(facts->confidence, PODSKU_CONFIDENCE_NOT_VERIFIED);
    /* The others are as they were. */
    assert_string_equal(podsku_facts_find(set, "NVIDIA H200")->source,
                        podsku_facts_find(podsku_facts_builtin(), "NVIDIA H200")->source);
    podsku_facts_free(set);
}

static void adds_types(void **state)
{
    (void)state;
    const struct podsku_facts_set *set =
        load("{\"facts\": ["
             "{\"id\": \"Zeta One\", \"notes\": \"last\"},"
             "{\"id\": \"AAA\", \"notes\": \"first\"},"
             "{\"id\": \"NVIDIA Rubin R100\", \"alias_of\": null, \"architecture\": \"Blackwell\", "
             "\"compute_capability\": 12.1, \"form_factor\": \"SXM7\", \"memory_gb\": 288, "
             "\"memory_bandwidth_gbs\": 13000, \"nvlink_evidence\": \"board\", \"nvlink_generation\": 6, "
             "\"nvlink_links\": 18, \"nvlink_gbs_per_gpu\": 3600.5, \"nvlink_domain\": 8, \"topo_code\": \"NV18\", "
             "\"pcie_gen\": 6, \"pcie_lanes\": 16, \"pcie_gbs\": 256, \"pcie_p2p\": true, \"other_fabric\": null, "
             "\"other_fabric_domain\": null, \"mig_capable\": \"yes\", \"mig_max_instances\": 7, \"tdp_w\": 1800, "
             "\"confidence\": \"vendor\", \"on_runpod\": \"verified\", \"source\": \"a data sheet\", "
             "\"checked\": \"2026-11-30\", \"notes\": \"typed in\"}]}");
    const struct podsku_facts *facts = podsku_facts_find(set, "NVIDIA Rubin R100");

    assert_int_equal(podsku_facts_count(set), podsku_facts_count(podsku_facts_builtin()) + 3);
    assert_string_equal(podsku_facts_at(set, 0)->id, "AAA");
    assert_string_equal(podsku_facts_at(set, podsku_facts_count(set) - 1)->id, "Zeta One");
    for (size_t i = 1; i < podsku_facts_count(set); i++)
        assert_true(strcmp(podsku_facts_at(set, i - 1)->id, podsku_facts_at(set, i)->id) < 0);
    assert_non_null(facts);
    assert_int_equal(facts->arch, PODSKU_ARCH_BLACKWELL);
    assert_int_equal(facts->compute_major, 12);
    assert_int_equal(facts->compute_minor, 1);
    assert_string_equal(facts->form_factor, "SXM7");
    assert_int_equal(facts->evidence, PODSKU_EVIDENCE_BOARD);
    assert_true(facts->nvlink_gbs == 3600.5);
    assert_int_equal(facts->pcie_p2p, PODSKU_YES);
    assert_int_equal(facts->mig_capable, PODSKU_YES);
    assert_false(facts->xgmi);
    assert_true(facts->on_runpod);
    assert_int_equal(facts->confidence, PODSKU_CONFIDENCE_VENDOR);
    assert_string_equal(facts->source, "a data sheet");
    assert_string_equal(facts->checked, "2026-11-30");
    podsku_facts_free(set);
}

/* What is not said about a new type stays unknown. */
static void new_types_know_only_what_is_said(void **state)
{
    (void)state;
    const struct podsku_facts_set *set = load("[{\"id\": \"X\", \"vram_gb\": 64}]");
    const struct podsku_facts *facts = podsku_facts_find(set, "X");

    assert_int_equal(facts->memory_gb, 64);
    assert_int_equal(facts->evidence, PODSKU_EVIDENCE_UNKNOWN);
    assert_int_equal(facts->nvlink_domain, 0);
    assert_int_equal(facts->arch, PODSKU_ARCH_UNKNOWN);
    assert_int_equal(facts->mig_capable, PODSKU_UNKNOWN);
    assert_null(facts->form_factor);
    podsku_facts_free(set);
}

static void null_forgets(void **state)
{
    (void)state;
    const struct podsku_facts_set *set =
        load("[{\"id\": \"NVIDIA H200\", \"architecture\": null, \"compute_capability\": null, \"form_factor\": null, "
             "\"memory_gb\": null, \"nvlink_evidence\": null, \"nvlink_gbs\": null, \"mig_capable\": null, "
             "\"confidence\": null, \"on_runpod\": null, \"checked\": null, \"source\": null},"
             "{\"id\": \"AMD Instinct MI300X OAM\", \"other_fabric\": null, \"xgmi_domain\": null}]");
    const struct podsku_facts *facts = podsku_facts_find(set, "NVIDIA H200");

    assert_int_equal(facts->arch, PODSKU_ARCH_UNKNOWN);
    assert_int_equal(facts->compute_major, 0);
    assert_null(facts->form_factor);
    assert_int_equal(facts->memory_gb, 0);
    assert_int_equal(facts->evidence, PODSKU_EVIDENCE_UNKNOWN);
    assert_true(facts->nvlink_gbs == 0);
    assert_int_equal(facts->mig_capable, PODSKU_UNKNOWN);
    assert_int_equal(facts->confidence, PODSKU_CONFIDENCE_UNKNOWN);
    assert_null(facts->source);
    assert_false(podsku_facts_find(set, "AMD Instinct MI300X OAM")->xgmi);
    podsku_facts_free(set);
}

static void spellings(void **state)
{
    (void)state;
    const struct podsku_facts_set *set =
        load("[{\"id\": \"A\", \"compute_capability\": \"gfx942\", \"other_fabric\": \"xGMI\", \"xgmi_domain\": 8, "
             "\"xgmi_pair_gbs\": 128, \"mig_capable\": \"slice\", \"confidence\": \"high\", \"on_runpod\": \"no\"},"
             "{\"id\": \"B\", \"compute_capability\": \"10.3\", \"mig_capable\": false, \"confidence\": \"medium\", "
             "\"on_runpod\": true, \"checked\": \"2026-12\"},"
             "{\"id\": \"C\", \"compute_capability\": 9, \"pcie_p2p\": \"no\", \"confidence\": \"LOW\", "
             "\"on_runpod\": false},"
             "{\"id\": \"D\", \"confidence\": \"verified\", \"evidence\": \"unknown\"}]");
    const struct podsku_facts *a = podsku_facts_find(set, "A");
    const struct podsku_facts *b = podsku_facts_find(set, "B");
    const struct podsku_facts *c = podsku_facts_find(set, "C");

    assert_int_equal(a->compute_major, 0);
    assert_true(a->xgmi);
    assert_int_equal(a->xgmi_domain, 8);
    assert_true(a->xgmi_pair_gbs == 128);
    assert_int_equal(a->mig_capable, PODSKU_NO);
    assert_int_equal(a->confidence, PODSKU_CONFIDENCE_VENDOR);
    assert_false(a->on_runpod);
    assert_int_equal(b->compute_major, 10);
    assert_int_equal(b->compute_minor, 3);
    assert_int_equal(b->mig_capable, PODSKU_NO);
    assert_int_equal(b->confidence, PODSKU_CONFIDENCE_INFERRED);
    assert_true(b->on_runpod);
    assert_int_equal(c->compute_major, 9);
    assert_int_equal(c->pcie_p2p, PODSKU_NO);
    assert_int_equal(c->confidence, PODSKU_CONFIDENCE_NOT_VERIFIED);
    assert_int_equal(podsku_facts_find(set, "D")->confidence, PODSKU_CONFIDENCE_VERIFIED);
    podsku_facts_free(set);
}

static void empty_file_changes_nothing(void **state)
{
    (void)state;
    const struct podsku_facts_set *set = load("[]");

    assert_int_equal(podsku_facts_count(set), podsku_facts_count(podsku_facts_builtin()));
    assert_string_equal(podsku_facts_find(set, "NVIDIA H200")->checked, "2026-08");
    podsku_facts_free(set);
}

/* The facts in use reach the types of a catalogue, and its slices by their parents. */
static void reach_the_catalogue(void **state)
{
    static const char body[] = "{\"gpus\": [{\"id\": \"NVIDIA Rubin R100\"}, "
                               "{\"id\": \"NVIDIA Rubin R100 MIG 1g.36gb\", \"memory\": 36}]}";
    struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    (void)state;
    const struct podsku_facts_set *set = load("[{\"id\": \"NVIDIA Rubin R100\", \"memory_gb\": 288, \"arch\": "
                                              "\"blackwell\", \"compute_capability\": \"12.1\"}]");
    assert_int_equal(podsku_catalog_load(body, strlen(body), "body", set, NULL, PODSKU_INPUT, &catalog, &err),
                     PODSKU_OK);
    const struct podsku_gpu_type *whole = type_of(catalog, "NVIDIA Rubin R100");
    const struct podsku_gpu_type *slice = type_of(catalog, "NVIDIA Rubin R100 MIG 1g.36gb");
    assert_ptr_equal(whole->facts, podsku_facts_find(set, "NVIDIA Rubin R100"));
    assert_int_equal(podsku_gpu_memory_gb(whole), 288);
    assert_int_equal(slice->slice->memory_numerator, 36);
    assert_int_equal(slice->slice->memory_denominator, 288);
    assert_int_equal(slice->facts->compute_major, 12);
    podsku_catalog_free(catalog);
    podsku_facts_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_one_field),
        cmocka_unit_test(adds_types),
        cmocka_unit_test(new_types_know_only_what_is_said),
        cmocka_unit_test(null_forgets),
        cmocka_unit_test(spellings),
        cmocka_unit_test(empty_file_changes_nothing),
        cmocka_unit_test(reach_the_catalogue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
