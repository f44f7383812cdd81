/*
 * --dry-run: the plan and every request that it could lead to; nothing is sent.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/deploy.h"
#include "cli/view_pick.h"

static const char *base_url(struct cli_deploy *deploy)
{
    return podsku_client_url(deploy->client, deploy->options.spec.api);
}

static json_t *request_json(struct cli_deploy *deploy, const struct podsku_plan_entry *entry, const json_t *body)
{
    struct podsku_buf url = {0};
    json_t *request = json_object();
    json_t *shown = cli_has(deploy->cli, "show-env") ? json_deep_copy(body) : podsku_create_body_masked(body);
    bool ok;

    podsku_buf_printf(&url, "%s%s", base_url(deploy), podsku_create_path(entry));
    ok = podsku_json_set(request, "method", json_string("POST")) &&
         podsku_json_set(request, "url", podsku_buf_failed(&url) ? NULL : podsku_json_text(podsku_buf_text(&url)));
    if (ok)
        ok = podsku_json_set(request, "body", shown);
    else
        json_decref(shown);
    podsku_buf_free(&url);
    return podsku_json_whole(request, ok);
}

/* What the API that is used can create: v1 skips types that it does not know. Owned array. */
static struct podsku_plan_entry *usable(struct cli_deploy *deploy, size_t *count)
{
    const struct cli_round *round = deploy->round;
    struct podsku_plan_entry *entries = calloc(round->entry_count + 1, sizeof *entries);

    *count = 0;
    for (size_t i = 0; entries && i < round->entry_count; i++) {
        if (deploy->options.spec.api == PODSKU_API_V1 && !podsku_v1_knows_gpu(round->entries[i].gpu_id)) {
            cli_say(deploy->cli, "%s is skipped: REST v1 does not know it",
                    round->entries[i].name ? round->entries[i].name : round->entries[i].gpu_id);
            continue;
        }
        entries[(*count)++] = round->entries[i];
    }
    return entries;
}

enum podsku_code cli_deploy_requests(struct cli_deploy *deploy, json_t **requests)
{
    struct podsku_error *err = &deploy->cli->err;
    struct podsku_create_marks marks = {.launch_id = deploy->launch_id, .intent = "RANDOM"};
    size_t count;
    struct podsku_plan_entry *entries = usable(deploy, &count);
    json_t *list = json_array();
    enum podsku_code code = entries && list ? PODSKU_OK : podsku_error_no_memory(err);

    if (!code)
        code = cli_client(deploy->cli, false, &deploy->client);
    for (size_t i = 0, run; !code && i < count; i += run) {
        json_t *body = NULL;
        run = podsku_create_run(deploy->options.spec.api, entries + i, count - i);
        marks.attempt++;
        if (deploy->options.ttl_ms)
            marks.expires_s =
                (podsku_clock_wall_ms(podsku_client_clock(deploy->client)) + deploy->options.ttl_ms) / 1000;
        code = podsku_create_body(&deploy->options.spec, entries + i, run, &marks, &body, err);
        if (!code && json_array_append_new(list, request_json(deploy, &entries[i], body)) != 0)
            code = podsku_error_no_memory(err);
        json_decref(body);
    }
    free(entries);
    if (code) {
        json_decref(list);
        return code;
    }
    *requests = list;
    return PODSKU_OK;
}

static void put_text(struct cli_deploy *deploy, const json_t *requests, struct podsku_buf *out)
{
    size_t index;
    json_t *request;

    for (size_t i = 0; i < deploy->round->entry_count; i++) {
        podsku_buf_printf(out, "%2zu  ", i + 1);
        cli_offer_label(out, deploy->round->entries[i].tag);
        podsku_buf_putc(out, '\n');
    }
    json_array_foreach(requests, index, request)
    {
        podsku_buf_printf(out, "\n%s %s\n", json_string_value(json_object_get(request, "method")),
                          json_string_value(json_object_get(request, "url")));
        podsku_json_write(out, json_object_get(request, "body"), true);
        podsku_buf_putc(out, '\n');
    }
}

enum podsku_code cli_deploy_dry_run(struct cli_deploy *deploy)
{
    struct cli *cli = deploy->cli;
    struct podsku_buf out = {0};
    json_t *requests = NULL;
    json_t *doc;
    enum podsku_code code = cli_deploy_requests(deploy, &requests);

    if (code)
        return code;
    if (cli->output == CLI_JSON && !deploy->is_run) {
        doc = cli_deploy_json(deploy, NULL, PODSKU_DEPLOY_PLANNED);
        doc = podsku_json_whole(doc, podsku_json_set(doc, "requests", json_incref(requests)));
        code = cli_write_json(cli, doc);
    } else {
        put_text(deploy, requests, &out);
        code = podsku_buf_failed(&out) ? podsku_error_no_memory(&cli->err)
                                       : cli_write(cli, podsku_buf_text(&out), out.len);
    }
    if (!code)
        cli_say(cli, "dry run: nothing was sent (PODSKU_INTENT is random in each create%s)",
                cli_has(cli, "show-env") ? "" : "; --show-env shows the values of env");
    json_decref(requests);
    podsku_buf_free(&out);
    return code;
}
