/* MIG: the profile tables, ids of slices, their parents and shares. */
#include "support.h"

#include <string.h>

#include "catalog/slice.h"

static void ids(void **state)
{
    static const struct {
        const char *id, *parent, *profile; /* parent NULL: a whole card */
    } rows[] = {
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", "NVIDIA RTX PRO 6000 Blackwell Server Edition",
         "1g.24gb"},
        {"NVIDIA H100 NVL MIG 7g.94gb+gfx", "NVIDIA H100 NVL", "7g.94gb+gfx"},
        {"X MIG 1g.24gb-me", "X", "1g.24gb-me"},
        {"X MIG 1g.24gb+me.all", "X", "1g.24gb+me.all"},
        {"A MIG B MIG 2g.48gb", "A MIG B", "2g.48gb"},
        {"X MIG 12g.345gb", "X", "12g.345gb"},
        {"NVIDIA H100 NVL", NULL, NULL},
        {"X MIG 1g.24gb Server", NULL, NULL},
        {"X MIG 1g.24gb+", NULL, NULL},
        {"X MIG 1g.24gb+g x", NULL, NULL},
        {"X MIG 1g.24gbx", NULL, NULL},
        {"X MIG 1g24gb", NULL, NULL},
        {"X MIG g.24gb", NULL, NULL},
        {"X MIG 1g.gb", NULL, NULL},
        {"X MIG 1g.24g", NULL, NULL},
        {"X MIG ", NULL, NULL},
        {" MIG 1g.24gb", NULL, NULL},
        {"X MIG1g.24gb", NULL, NULL},
        {"X mig 1g.24gb", NULL, NULL},
        {"", NULL, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t parent_len = 0;
        const char *profile = NULL;
        if (podsku_slice_parse(rows[i].id, &parent_len, &profile) != (rows[i].parent != NULL))
            fail_msg("\"%s\"", rows[i].id);
        if (!rows[i].parent)
            continue;
        assert_int_equal(parent_len, strlen(rows[i].parent));
        assert_memory_equal(rows[i].id, rows[i].parent, parent_len);
        assert_string_equal(profile, rows[i].profile);
    }
}

/* Every parent of the tables: whole-card profiles are whole, shares are shares, rows are together. */
static void every_parent(void **state)
{
    static const struct {
        const char *parent, *whole;
        size_t rows;
    } parents[] = {
        {"NVIDIA A30", "4g.24gb", 5},
        {"NVIDIA  A30", "4g.24gb", 5},
        {"NVIDIA RTX A30", "4g.24gb", 5},
        {"NVIDIA A100-SXM4-40GB", "7g.40gb", 7},
        {"NVIDIA A100-SXM4-80GB", "7g.80gb", 7},
        {"NVIDIA A100 80GB PCIe", "7g.80gb", 7},
        {"NVIDIA H100 80GB HBM3", "7g.80gb", 7},
        {"NVIDIA H100 PCIe", "7g.80gb", 7},
        {"NVIDIA H100 NVL", "7g.94gb", 7},
        {"NVIDIA H200", "7g.141gb", 7},
        {"NVIDIA H200 NVL", "7g.141gb", 7},
        {"NVIDIA B200", "7g.180gb", 7},
        {"NVIDIA B300 SXM6 AC", "7g.269gb", 7},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "4g.96gb", 11},
        {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "4g.96gb", 11},
        {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", "4g.96gb", 11},
        {"NVIDIA RTX PRO 5000 Blackwell", "2g.48gb", 7},
        {"NVIDIA RTX PRO 4500 Blackwell", "2g.32gb", 6},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(parents); i++) {
        size_t count;
        const struct podsku_mig_profile *rows = podsku_mig_profiles_of(parents[i].parent, &count);
        assert_int_equal(count, parents[i].rows);
        for (size_t k = 0; k < count; k++) {
            assert_string_equal(rows[k].card, rows[0].card);
            assert_ptr_equal(podsku_mig_profile_find(parents[i].parent, rows[k].profile), &rows[k]);
            assert_in_range(rows[k].compute_slices, 1, rows[k].compute_total);
            assert_in_range(rows[k].memory_slices, 1, rows[k].memory_total);
            assert_true(rows[k].max_instances >= 1 && rows[k].memory_gb > 0);
        }
        const struct podsku_mig_profile *whole = podsku_mig_profile_find(parents[i].parent, parents[i].whole);
        assert_non_null(whole);
        assert_int_equal(whole->compute_slices, whole->compute_total);
        assert_int_equal(whole->memory_slices, whole->memory_total);
        const char *const *shared = podsku_mig_parent_ids(whole);
        while (*shared && strcmp(*shared, parents[i].parent) != 0)
            shared++;
        assert_non_null(*shared);
        const struct podsku_facts *facts = podsku_facts_find(podsku_facts_builtin(), parents[i].parent);
        assert_int_equal(facts->mig_capable, PODSKU_YES);
    }
}

static void whole_table(void **state)
{
    size_t count;
    size_t sold = 0;
    const struct podsku_mig_profile stranger = {.card = "no such card"};

    (void)state;
    const struct podsku_mig_profile *rows = podsku_mig_profiles(&count);
    assert_int_equal(count, 78);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(*podsku_mig_parent_ids(&rows[i]));
        assert_int_equal(rows[i].graphics, strstr(rows[i].profile, "+gfx") != NULL);
        sold += rows[i].sold;
    }
    assert_int_equal(sold, 3);
    assert_null(podsku_mig_profiles_of("NVIDIA A40", &count));
    assert_int_equal(count, 0);
    assert_null(podsku_mig_profile_find("NVIDIA A40", "1g.24gb"));
    assert_null(podsku_mig_profile_find("NVIDIA H200", "1g.24gb"));
    assert_null(*podsku_mig_parent_ids(&stranger));
}

static void check_slice(const struct podsku_catalog *catalog, const char *id, const char *parent, int memory,
                        int memory_total, int compute, int compute_total)
{
    const struct podsku_slice *slice = type_of(catalog, id)->slice;

    assert_non_null(slice);
    assert_string_equal(slice->parent, parent);
    assert_int_equal(slice->memory_numerator, memory);
    assert_int_equal(slice->memory_denominator, memory_total);
    assert_int_equal(slice->compute_numerator, compute);
    assert_int_equal(slice->compute_denominator, compute_total);
}

/* The same profile name is another share of another card. */
static void shares_depend_on_the_parent(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_text("{\"gpus\": ["
                                               "{\"id\": \"NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb\"},"
                                               "{\"id\": \"NVIDIA RTX PRO 5000 Blackwell MIG 1g.24gb\"},"
                                               "{\"id\": \"NVIDIA H100 NVL MIG 1g.24gb\"},"
                                               "{\"id\": \"NVIDIA H200 MIG 3g.71gb\"},"
                                               "{\"id\": \"NVIDIA H200 MIG 1g.18gb+me\"}]}");

    check_slice(catalog, "NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb",
                "NVIDIA RTX PRO 6000 Blackwell Server Edition", 1, 4, 1, 4);
    check_slice(catalog, "NVIDIA RTX PRO 5000 Blackwell MIG 1g.24gb", "NVIDIA RTX PRO 5000 Blackwell", 1, 2, 1, 2);
    check_slice(catalog, "NVIDIA H100 NVL MIG 1g.24gb", "NVIDIA H100 NVL", 2, 8, 1, 7);
    check_slice(catalog, "NVIDIA H200 MIG 3g.71gb", "NVIDIA H200", 4, 8, 3, 7);
    check_slice(catalog, "NVIDIA H200 MIG 1g.18gb+me", "NVIDIA H200", 1, 8, 1, 7);
    podsku_catalog_free(catalog);
}

/* Without a row the memory share is the catalogue's, and the compute share is unknown. */
static void shares_without_a_table(void **state)
{
    (void)state;
    struct podsku_catalog *catalog =
        load_text("{\"gpus\": ["
                  "{\"id\": \"Card MIG 1g.20gb\", \"memory\": 20}, {\"id\": \"Card\", \"memory\": 94},"
                  "{\"id\": \"Card MIG 2g.40gb\"}, {\"id\": \"Card MIG 9g.100gb\", \"memory\": 100},"
                  "{\"id\": \"NVIDIA H200 MIG 1g.99gb\", \"memory\": 47},"
                  "{\"id\": \"Absent MIG 1g.20gb\", \"memory\": 20},"
                  "{\"id\": \"NVIDIA H100 NVL MIG 1g.12gb+gfx\", \"memory\": 12}]}");

    check_slice(catalog, "Card MIG 1g.20gb", "Card", 20, 94, 0, 0);
    check_slice(catalog, "Card MIG 2g.40gb", "Card", 0, 0, 0, 0);
    check_slice(catalog, "Card MIG 9g.100gb", "Card", 0, 0, 0, 0); /* more than the card has */
    check_slice(catalog, "NVIDIA H200 MIG 1g.99gb", "NVIDIA H200", 47, 141, 0, 0);
    check_slice(catalog, "Absent MIG 1g.20gb", "Absent", 0, 0, 0, 0);
    check_slice(catalog, "NVIDIA H100 NVL MIG 1g.12gb+gfx", "NVIDIA H100 NVL", 12, 94, 0, 0);
    assert_null(type_of(catalog, "Card")->slice);
    podsku_catalog_free(catalog);
}

/* Every slice has no NVLink and its parent's architecture, whether a table has it or not. */
static void facts_of_slices(void **state)
{
    (void)state;
    struct podsku_catalog *catalog = load_text("{\"gpus\": [{\"id\": \"NVIDIA H200 MIG 1g.18gb\"},"
                                               "{\"id\": \"NVIDIA B300 SXM6 AC MIG 1g.34gb\"},"
                                               "{\"id\": \"Absent MIG 1g.20gb\"}]}");
    const struct podsku_gpu_type *slice = type_of(catalog, "NVIDIA H200 MIG 1g.18gb");
    const struct podsku_facts *facts = slice->facts;

    assert_string_equal(facts->id, "NVIDIA H200 MIG 1g.18gb");
    assert_int_equal(facts->evidence, PODSKU_EVIDENCE_NONE);
    assert_int_equal(facts->nvlink_domain, 1);
    assert_int_equal(facts->arch, PODSKU_ARCH_HOPPER);
    assert_int_equal(facts->compute_major, 9);
    assert_int_equal(facts->mig_capable, PODSKU_NO);
    assert_int_equal(facts->confidence, PODSKU_CONFIDENCE_INFERRED);
    assert_int_equal(podsku_gpu_memory_gb(slice), 18);
    facts = type_of(catalog, "NVIDIA B300 SXM6 AC MIG 1g.34gb")->facts;
    assert_ptr_equal(facts, podsku_facts_find(podsku_facts_builtin(), "NVIDIA B300 SXM6 AC MIG 1g.34gb"));
    facts = type_of(catalog, "Absent MIG 1g.20gb")->facts;
    assert_int_equal(facts->evidence, PODSKU_EVIDENCE_NONE);
    assert_int_equal(facts->arch, PODSKU_ARCH_UNKNOWN);
    assert_int_equal(facts->memory_gb, 0);
    podsku_catalog_free(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids),
        cmocka_unit_test(every_parent),
        cmocka_unit_test(whole_table),
        cmocka_unit_test(shares_depend_on_the_parent),
        cmocka_unit_test(shares_without_a_table),
        cmocka_unit_test(facts_of_slices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
