/*
 * Rents one RTX A5000 in secure cloud for at most 0.30 USD/h, or nothing, and prints its id. The key
 * is in RUNPOD_API_KEY; the journal in the folder given as argument tells later what was created.
 */
#include <stdio.h>
#include <stdlib.h>

#include <client/deploy.h>

static enum podsku_code print_id(void *ctx, const struct podsku_deploy_result *result, struct podsku_error *err)
{
    (void)ctx;
    if (printf("%s\n", result->placed.pod.id) < 0 || fflush(stdout) != 0)
        return podsku_error_set(err, PODSKU_OUTPUT, "cannot write the pod's id"); /* it is terminated then */
    return PODSKU_OK;
}

int main(int argc, char **argv)
{
    const struct podsku_client_config config = {.key = getenv("RUNPOD_API_KEY"), .url = {getenv("PODSKU_API_URL")}};
    const struct podsku_plan_entry plan = {
        .gpu_id = "NVIDIA RTX A5000", .cloud = "SECURE", .gpus = 1, .nodes = 1, .price_uusd = 270000};
    const struct podsku_deploy_hooks hooks = {.hand_over = print_id};
    char launch_id[64];
    struct podsku_client *client = NULL;
    struct podsku_journal *journal = NULL;
    struct podsku_deploy_result result = {0};
    struct podsku_error err = {0};
    json_t *fields = json_pack("{s:s, s:s}", "name", "example", "image", "runpod/base:1.0.2-ubuntu2404");
    struct podsku_deploy_options options = {
        .launch_id = launch_id, .spec = {.api = PODSKU_API_V2, .fields = fields}, .max_total_uusd = 300000};

    if (podsku_client_new(&config, &client, &err) != PODSKU_OK ||
        podsku_journal_open(argc > 1 ? argv[1] : ".", podsku_client_clock(client), &journal, &err) != PODSKU_OK ||
        podsku_launch_id_new(launch_id, sizeof launch_id, &err) != PODSKU_OK ||
        podsku_deploy(client, journal, &options, &plan, 1, &hooks, &result, &err) != PODSKU_OK)
        fprintf(stderr, "%s\n", err.message);
    podsku_deploy_result_free(&result);
    podsku_journal_free(journal);
    podsku_client_free(client);
    json_decref(fields);
    return podsku_code_exit_status(err.code);
}
