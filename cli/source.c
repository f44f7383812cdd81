/*
 * Which catalogue a command decides on: live, GraphQL, bundled or a file. A failed live read is an
 * error, never a silent step to another source.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/options.h"
#include "cli/placement.h"
#include "client/api.h"

/* What is read and merged into one catalogue. */
struct reader {
    struct cli *cli;
    const struct podsku_requirement *req;
    const struct podsku_facts_set *facts;
    struct podsku_client *client;
    struct podsku_catalog *catalog; /* NULL before the first read */
};

/* Adds an answer to what was read before. */
static enum podsku_code add_read(struct reader *reader, struct podsku_catalog *read, enum podsku_source source)
{
    struct podsku_error *err = &reader->cli->err;

    read->source = source;
    read->recorded_ms = podsku_clock_wall_ms(podsku_client_clock(reader->client));
    if (reader->catalog)
        return podsku_catalog_merge(reader->catalog, read, err);
    reader->catalog = read;
    return PODSKU_OK;
}

static enum podsku_code read_live(struct reader *reader, enum podsku_product product, enum podsku_cloud cloud,
                                  int count)
{
    const struct podsku_requirement *req = reader->req;
    char cuda[32];
    char url[512];
    struct podsku_buf body = {0};
    json_t *value = NULL; /* of the body */
    struct podsku_catalog *read = NULL;
    struct podsku_catalog_query query = {.product = product, .has_cloud = true, .cloud = cloud, .count = count};
    struct podsku_catalog_request request = {.product = product == PODSKU_PRODUCT_CLUSTER ? "CLUSTER" : "POD",
                                             .cloud = podsku_cloud_name(cloud),
                                             .count = count,
                                             .value = &value};
    enum podsku_code code;

    if (req->cuda_major >= 0) {
        (void)snprintf(cuda, sizeof cuda, "%d.%d", req->cuda_major, req->cuda_minor);
        request.min_cuda = query.min_cuda = cuda;
    }
    code = podsku_api_catalog(reader->client, &request, &body, url, sizeof url, &reader->cli->err);
    if (!code)
        code = podsku_catalog_load_parsed(podsku_buf_text(&body), body.len, value, url, reader->facts, &query,
                                          PODSKU_ANSWER, &read, &reader->cli->err);
    if (!code)
        code = add_read(reader, read, PODSKU_SOURCE_LIVE);
    json_decref(value);
    podsku_buf_free(&body);
    return code;
}

/* One read for each count and cloud; for several nodes also what Instant Clusters have. */
static enum podsku_code read_all_live(struct reader *reader)
{
    const struct podsku_requirement *req = reader->req;
    enum podsku_code code = PODSKU_OK;

    for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++) {
        for (size_t i = 0; !code && req->cloud[cloud] && i < req->gpus_count; i++)
            code = read_live(reader, PODSKU_PRODUCT_POD, (enum podsku_cloud)cloud, req->gpus[i]);
    }
    for (size_t i = 0; !code && req->nodes > 1 && i < req->gpus_count; i++)
        code = read_live(reader, PODSKU_PRODUCT_CLUSTER, PODSKU_SECURE, req->gpus[i]);
    return code;
}

/* The stock in a GraphQL answer is that of secure cloud for the count that was asked for. */
static enum podsku_code read_graphql(struct reader *reader)
{
    enum podsku_code code = PODSKU_OK;

    for (size_t i = 0; !code && i < reader->req->gpus_count; i++) {
        struct podsku_buf body = {0};
        char url[512];
        int count = reader->req->gpus[i];
        struct podsku_catalog_query query = {
            .product = PODSKU_PRODUCT_POD, .has_cloud = true, .cloud = PODSKU_SECURE, .count = count};
        code = podsku_api_graphql_catalog(reader->client, count, &body, url, sizeof url, &reader->cli->err);
        struct podsku_catalog *read = NULL;
        if (!code)
            code = podsku_catalog_load(podsku_buf_text(&body), body.len, url, reader->facts, &query, PODSKU_ANSWER,
                                       &read, &reader->cli->err);
        if (!code)
            code = add_read(reader, read, PODSKU_SOURCE_GRAPHQL);
        podsku_buf_free(&body);
        if (!reader->req->cloud[PODSKU_SECURE])
            break; /* its prices do not depend on the count */
    }
    return code;
}

enum podsku_code cli_load_catalog(struct cli *cli, const char *path, const struct podsku_facts_set *facts,
                                  struct podsku_catalog **catalog)
{
    bool altered = false;
    enum podsku_code code = podsku_catalog_load_file(path, facts, catalog, &cli->err);

    if (!code)
        code = podsku_catalog_is_altered(*catalog, &altered, &cli->err);
    if (altered)
        cli_warn(cli, "%s was changed after it was recorded: its sha256 is another (podsku catalog check)",
                 strcmp(path, "-") == 0 ? "the recording on standard input" : path);
    return code;
}

static enum podsku_code load_file(struct cli *cli, const char *path, const struct podsku_facts_set *facts,
                                  struct podsku_catalog **catalog)
{
    enum podsku_code code = cli_load_catalog(cli, path, facts, catalog);

    if (code == PODSKU_NO_FILE && !strchr(path, '/'))
        podsku_error_hint(&cli->err, "--catalog takes live, graphql, bundled, a file, or - for standard input");
    return code;
}

enum podsku_code cli_catalog(struct cli *cli, struct podsku_requirement *req, const struct podsku_facts_set *facts,
                             struct podsku_client **client, struct podsku_catalog **catalog)
{
    const char *source = cli_value(cli, "catalog");
    struct reader reader = {.cli = cli, .req = req, .facts = facts};
    bool live, graphql;
    enum podsku_code code = PODSKU_OK;

    *catalog = NULL;
    if (!source)
        code = cli_find_key(cli);
    if (code)
        return code;
    live = source ? strcmp(source, "live") == 0 : cli->key != NULL;
    graphql = source && strcmp(source, "graphql") == 0;
    if ((!source && !live) || (source && strcmp(source, "bundled") == 0))
        return podsku_catalog_bundled(facts, catalog, &cli->err);
    if (!live && !graphql)
        return load_file(cli, source, facts, catalog);
    code = cli_client(cli, live, client);
    reader.client = *client;
    if (!code && live)
        code = cli_resolve_placement(cli, req, facts, reader.client);
    if (!code)
        code = live ? read_all_live(&reader) : read_graphql(&reader);
    if (code) {
        podsku_catalog_free(reader.catalog);
        return code;
    }
    *catalog = reader.catalog;
    return PODSKU_OK;
}
