/* podsku catalog pull: one read of the catalogue, kept as it was received. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/view_catalog.h"
#include "client/api.h"

struct pull {
    struct cli *cli;
    struct podsku_requirement req;
    const struct podsku_facts_set *facts;
    struct podsku_client *client;
    struct podsku_buf body, recording, countries;
    char min_cuda[32];
    char url[512];
    bool graphql;
    struct podsku_catalog_query query;
    int64_t now_ms;
};

static enum podsku_code choose_source(struct pull *pull)
{
    struct cli *cli = pull->cli;
    const char *source = cli_value(cli, "catalog");

    if (source && strcmp(source, "graphql") == 0) {
        pull->graphql = true;
        return PODSKU_OK;
    }
    if (!source || strcmp(source, "live") == 0)
        return PODSKU_OK;
    podsku_error_hint(&cli->err, "--catalog live or --catalog graphql");
    return podsku_error_set(&cli->err, PODSKU_USAGE, "catalog pull reads from the service, not from %s", source);
}

/* One recording holds one read: one cloud, one count. */
static enum podsku_code make_query(struct pull *pull)
{
    struct cli *cli = pull->cli;
    const struct podsku_requirement *req = &pull->req;

    if (req->cloud[PODSKU_SECURE] && req->cloud[PODSKU_COMMUNITY]) {
        podsku_error_hint(&cli->err, "--cloud secure or --cloud community, one recording each");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "a recording holds one read, and a read is for one cloud");
    }
    if (req->gpus_count > 1) {
        podsku_error_hint(&cli->err, "--gpus N, one recording each");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "a recording holds one read, and a read is for one GPU count");
    }
    if (pull->graphql && (req->cloud[PODSKU_COMMUNITY] || req->cuda_major >= 0 || req->countries.count > 0)) {
        podsku_error_hint(&cli->err, "--catalog live");
        return podsku_error_set(&cli->err, PODSKU_USAGE,
                                "the GraphQL catalogue is read for the secure cloud only, without CUDA or country");
    }
    pull->query = (struct podsku_catalog_query){
        .product = PODSKU_PRODUCT_POD, .has_cloud = true, .cloud = cli_view_cloud(req), .count = req->gpus[0]};
    if (req->cuda_major >= 0) {
        (void)snprintf(pull->min_cuda, sizeof pull->min_cuda, "%d.%d", req->cuda_major, req->cuda_minor);
        pull->query.min_cuda = pull->min_cuda;
    }
    for (size_t i = 0; i < req->countries.count; i++)
        podsku_buf_printf(&pull->countries, "%s%s", i ? "," : "", req->countries.list[i]);
    if (podsku_buf_failed(&pull->countries))
        return podsku_error_no_memory(&cli->err);
    if (pull->countries.len > 0)
        pull->query.countries = podsku_buf_text(&pull->countries);
    return PODSKU_OK;
}

static enum podsku_code read_body(struct pull *pull)
{
    struct cli *cli = pull->cli;
    const struct podsku_catalog_request request = {
        .product = "POD",
        .cloud = podsku_cloud_name(pull->query.cloud),
        .count = pull->query.count,
        .min_cuda = pull->query.min_cuda,
        .countries = pull->query.countries,
    };
    enum podsku_code code = cli_client(cli, !pull->graphql, &pull->client);

    if (code != PODSKU_OK)
        return code;
    if (pull->graphql)
        code = podsku_api_graphql_catalog(pull->client, pull->query.count, &pull->body, pull->url, sizeof pull->url,
                                          &cli->err);
    else
        code = podsku_api_catalog(pull->client, &request, &pull->body, pull->url, sizeof pull->url, &cli->err);
    pull->now_ms = podsku_clock_wall_ms(podsku_client_clock(pull->client));
    return code;
}

/* What cannot be read as a catalogue is not worth keeping. */
static enum podsku_code check_body(struct pull *pull, size_t *types)
{
    struct podsku_catalog *catalog = NULL;
    enum podsku_code code = podsku_catalog_load(podsku_buf_text(&pull->body), pull->body.len, pull->url, pull->facts,
                                                &pull->query, PODSKU_ANSWER, &catalog, &pull->cli->err);

    if (code == PODSKU_OK)
        *types = catalog->entries;
    podsku_catalog_free(catalog);
    return code;
}

static enum podsku_code write_recording(struct pull *pull, size_t types)
{
    struct cli *cli = pull->cli;
    const char *path = cli_value(cli, "output");
    struct podsku_buf *recording = &pull->recording;
    enum podsku_code code = podsku_recording_write(recording, podsku_buf_text(&pull->body), pull->body.len,
                                                   pull->graphql ? PODSKU_SOURCE_GRAPHQL : PODSKU_SOURCE_LIVE,
                                                   pull->url, &pull->query, pull->now_ms, &cli->err);

    if (code != PODSKU_OK)
        return code;
    if (!path || strcmp(path, "-") == 0)
        code = cli_write(cli, podsku_buf_text(recording), recording->len);
    else
        code = podsku_file_write(path, podsku_buf_text(recording), recording->len, 0644, &cli->err);
    if (code == PODSKU_OK)
        cli_say(cli, "%zu types from %s%s%s", types, pull->url, path ? ", recorded in " : "", path ? path : "");
    return code;
}

int cli_catalog_pull(struct cli *cli)
{
    struct pull pull = {.cli = cli};
    size_t types = 0;

    podsku_requirement_init(&pull.req);
    enum podsku_code code = choose_source(&pull);
    if (code == PODSKU_OK)
        code = cli_requirement(cli, &pull.req);
    if (code == PODSKU_OK)
        code = make_query(&pull);
    if (code == PODSKU_OK)
        code = cli_facts(cli, &pull.facts);
    if (code == PODSKU_OK)
        code = read_body(&pull);
    if (code == PODSKU_OK)
        code = check_body(&pull, &types);
    if (code == PODSKU_OK)
        code = write_recording(&pull, types);
    podsku_client_free(pull.client);
    podsku_facts_free(pull.facts);
    podsku_requirement_free(&pull.req);
    podsku_buf_free(&pull.body);
    podsku_buf_free(&pull.recording);
    podsku_buf_free(&pull.countries);
    return code == PODSKU_OK ? 0 : cli_fail(cli);
}
