/* From a command line to a plan, in the order in which a mistake is cheapest to find. */
#include "cli/deploy.h"

#include <stdlib.h>
#include <string.h>

#include "cli/signals.h"

/* Asking for more GPUs on NVLink than a machine has leaves a choice; the contradiction names the flags. */
void cli_say_cluster_choice(const struct cli *cli, const struct podsku_requirement *req)
{
    int most = req->gpus_count ? req->gpus[req->gpus_count - 1] : 1;

    if (most <= 8 || podsku_requirement_nvlink(req, most) < PODSKU_NVLINK_POSSIBLE)
        return;
    cli_say(cli,
            "the choice: one machine of up to 8 GPUs, all on NVLink (450 GB/s each way per H100 SXM); or --nodes N "
            "with --gpus 8: N machines cannot be one NVLink domain, between them the cluster's network gives each "
            "GPU about 50 GB/s each way (3200 Gbit/s a node)");
    cli_say(cli, "not documented by Runpod: whether that network does RDMA and GPUDirect (podsku help clusters)");
}

static enum podsku_code decide(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    enum podsku_code code = cli_facts(cli, &deploy->facts);

    if (!code && !deploy->dry_run)
        code = cli_client(cli, true, &deploy->client);
    if (!code)
        code = cli_deploy_place(deploy);
    if (!code)
        code = cli_round_new(deploy, deploy->stock_wait_ms > 0 && !deploy->dry_run);
    if (code == PODSKU_NO_OFFER && deploy->round) {
        /* What the catalogue itself rules out is said better than by its 48 rejections. */
        struct podsku_error why = {0};
        if (podsku_requirement_contradiction(&deploy->req, deploy->round->catalog, &why) != PODSKU_OK)
            cli->err = why;
    }
    return code;
}

enum podsku_code cli_deploy_prepare(struct cli_deploy *deploy, struct cli *cli, bool is_run)
{
    enum podsku_code code;

    memset(deploy, 0, sizeof *deploy);
    deploy->cli = cli;
    deploy->is_run = is_run;
    podsku_requirement_init(&deploy->req);
    code = cli_requirement(cli, &deploy->req);
    if (code)
        return code;
    code = cli_find_key(cli);
    if (!code)
        code = cli_deploy_options(deploy);
    if (!code)
        code = cli_deploy_fields(deploy);
    if (!code)
        code = cli_deploy_extra(deploy);
    if (!code)
        code = podsku_requirement_contradiction(&deploy->req, NULL, &cli->err);
    deploy->options.spec.fields = deploy->fields;
    deploy->options.spec.extra = deploy->extra;
    if (!code && deploy->send_ssh && !deploy->dry_run)
        code = cli_ssh_setup(cli, &deploy->ssh);
    if (!code)
        code = decide(deploy);
    return code;
}

void cli_deploy_free(struct cli_deploy *deploy)
{
    podsku_journal_free(deploy->journal);
    cli_rounds_free(deploy->round);
    podsku_client_free(deploy->client);
    podsku_facts_free(deploy->facts);
    podsku_requirement_free(&deploy->req);
    json_decref(deploy->fields);
    json_decref(deploy->extra);
}

static bool has_public_key(const struct cli_deploy *deploy)
{
    static const char name[] = "PUBLIC_KEY";

    return json_object_get(json_object_get(deploy->fields, "env"), name) ||
           json_object_get(json_object_get(deploy->extra, "env"), name);
}

enum podsku_code cli_deploy_check_keys(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    enum podsku_code code;

    if (!deploy->options.need_ssh)
        return PODSKU_OK;
    if (!cli_child_has("ssh")) {
        podsku_error_hint(&cli->err, "install OpenSSH's client (Debian: openssh-client); nothing was rented");
        return podsku_error_set(&cli->err, PODSKU_REQUEST, "there is no ssh on this machine: nobody could log in to %s",
                                deploy->is_run ? "run the command" : "verify the machine");
    }
    if (deploy->options.spec.api == PODSKU_API_V1 || has_public_key(deploy))
        return PODSKU_OK;
    code = podsku_api_ssh_keys(deploy->client, &deploy->key_count, &cli->err);
    if (code == PODSKU_DENIED || code == PODSKU_NOT_FOUND) {
        cli_warn(cli, "the account's ssh keys cannot be read (%s): whether anybody can log in will be seen",
                 cli->err.message);
        podsku_error_clear(&cli->err);
        return PODSKU_OK;
    }
    if (code)
        return code;
    deploy->keys_read = true;
    if (deploy->key_count > 0)
        return PODSKU_OK;
    podsku_error_hint(&cli->err, "register a public key in the console (Settings, SSH Public Keys) or by PUT "
                                 "/v2/account/ssh-keys, or give one with --env PUBLIC_KEY=\"$(cat "
                                 "~/.ssh/id_ed25519.pub)\"; nothing was rented");
    return podsku_error_set(&cli->err, PODSKU_REQUEST,
                            "no ssh key is registered with the account: nobody could log in to %s",
                            deploy->is_run ? "run the command" : "verify the machine");
}

enum podsku_code cli_deploy_rent(struct cli_deploy *deploy, const struct podsku_deploy_hooks *hooks,
                                 struct podsku_deploy_result *result)
{
    struct cli *cli = deploy->cli;
    const struct podsku_clock *clock = podsku_client_clock(deploy->client);
    const char *folder;
    enum podsku_code code = cli_state_dir(cli, &folder);

    memset(result, 0, sizeof *result);
    if (!code)
        code = podsku_journal_open(folder, clock, &deploy->journal, &cli->err);
    if (code)
        return code;
    deploy->stock_deadline_ms = deploy->stock_wait_ms ? podsku_clock_mono_ms(clock) + deploy->stock_wait_ms : 0;
    return podsku_deploy(deploy->client, deploy->journal, &deploy->options, deploy->round->entries,
                         deploy->round->entry_count, hooks, result, &cli->err);
}
