/* Picks from a recorded catalogue: the cheapest GPU types with NVLink among 8 GPUs. */
#include <stdio.h>

#include <base/money.h>
#include <catalog/catalog.h>
#include <rules/rules.h>

int main(int argc, char **argv)
{
    const struct podsku_facts_set *facts = podsku_facts_builtin();
    const char *const eight = "8";
    const char *const level = "required";
    struct podsku_catalog *catalog = NULL;
    struct podsku_requirement need;
    struct podsku_decision decision = {0};
    struct podsku_error err = {0};

    podsku_requirement_init(&need);
    if ((argc > 1 ? podsku_catalog_load_file(argv[1], facts, &catalog, &err)
                  : podsku_catalog_bundled(facts, &catalog, &err)) != PODSKU_OK ||
        podsku_requirement_set(&need, "gpus", &eight, 1, &err) != PODSKU_OK ||
        podsku_requirement_set(&need, "nvlink", &level, 1, &err) != PODSKU_OK ||
        podsku_decide(catalog, &need, PODSKU_DECIDE_COUNT, false, &decision, &err) != PODSKU_OK)
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    for (size_t i = 0; i < decision.candidate_count; i++) {
        char usd[PODSKU_MONEY_TEXT_SIZE];
        const struct podsku_offer *offer = &decision.candidates[i];
        printf("%s\t%s\n", podsku_gpu_name(offer->type), podsku_money_text(offer->price_total_uusd, usd));
    }
    podsku_decision_free(&decision);
    podsku_requirement_free(&need);
    podsku_catalog_free(catalog);
    return podsku_code_exit_status(err.code);
}
