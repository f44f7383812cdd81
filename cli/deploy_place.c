/*
 * A network volume fixes the place: secure cloud, and its own data center as the only one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/deploy.h"
#include "client/api_volumes.h"

/* The volume's id from the flag or from --body; NULL: none is mounted. */
static const char *volume_id(const struct cli_deploy *deploy)
{
    const json_t *mounts = cli_deploy_field(deploy, "mounts", NULL);
    const json_t *network = json_array_get(json_object_get(mounts, "network"), 0);
    const char *id = json_string_value(json_object_get(network, "volumeId"));

    return id ? id : json_string_value(json_object_get(deploy->extra, "networkVolumeId"));
}

static enum podsku_code use_place(struct cli_deploy *deploy, const char *id, char *place)
{
    struct cli *cli = deploy->cli;
    struct podsku_words *wanted = &deploy->req.data_centers;
    bool allowed = wanted->count == 0;
    char **list;

    for (size_t i = 0; i < wanted->count; i++)
        allowed = allowed || podsku_text_equal_nocase(wanted->list[i], place);
    if (!allowed) {
        podsku_error_hint(&cli->err, "leave --data-center out: a volume can only be mounted where it is");
        (void)podsku_error_set(&cli->err, PODSKU_USAGE, "network volume %s is in %s, which --data-center leaves out",
                               id, place);
        free(place);
        return cli->err.code;
    }
    list = malloc(sizeof *list);
    if (!list) {
        free(place);
        return podsku_error_no_memory(&cli->err);
    }
    list[0] = place;
    for (size_t i = 0; i < wanted->count; i++)
        free(wanted->list[i]);
    free(wanted->list);
    wanted->list = list;
    wanted->count = 1;
    deploy->volume_fixes_place = true;
    cli_say(cli, "network volume %s is in %s: nothing else is considered", id, place);
    return PODSKU_OK;
}

static bool is_offline(const struct cli_deploy *deploy)
{
    const char *source = cli_value(deploy->cli, "catalog");

    return deploy->dry_run && (source ? strcmp(source, "live") != 0 : !deploy->cli->key);
}

enum podsku_code cli_deploy_place(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    const char *id = volume_id(deploy);
    char *place = NULL;
    enum podsku_code code;

    if (!id)
        return PODSKU_OK;
    if (!deploy->req.cloud[PODSKU_SECURE]) {
        podsku_error_hint(&cli->err, "use --cloud secure, or --volume GB for a volume on the machine itself");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "network volumes exist in secure cloud only");
    }
    if (deploy->req.cloud[PODSKU_COMMUNITY]) {
        deploy->req.cloud[PODSKU_COMMUNITY] = false;
        cli_say(cli, "network volumes exist in secure cloud only: community cloud is not considered");
    }
    if (is_offline(deploy)) {
        cli_say(cli, "network volume %s: its data center, the only possible one, is asked for when it is rented", id);
        return PODSKU_OK;
    }
    code = cli_client(cli, true, &deploy->client);
    if (!code)
        code = podsku_api_volume_data_center(deploy->client, deploy->options.spec.api, id, &place, &cli->err);
    if (code == PODSKU_NOT_FOUND) {
        cli->err.code = PODSKU_REQUEST;
        return PODSKU_REQUEST;
    }
    return code ? code : use_place(deploy, id, place);
}
