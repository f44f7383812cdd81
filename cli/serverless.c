#include "cli/serverless.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/money.h"
#include "base/text.h"
#include "cli/json_offer.h"
#include "cli/view_pick.h"

/* One pool with a candidate in it. */
struct pool {
    const char *name;
    size_t candidates, excluded, slices; /* its members: candidates, others, slices among the others */
    const char *stuck;                   /* id of a member that cannot be excluded; NULL: none */
};

struct selection {
    struct cli *cli;
    const struct podsku_catalog *source; /* as it was read */
    struct podsku_catalog *catalog;      /* with serverless prices as its prices; owned */
    const struct podsku_requirement *req;
    struct podsku_decision decision;
    const struct podsku_offer **picks; /* the best offer of each candidate type, ranked */
    size_t pick_count;
    bool *is_pick; /* by index of the type */
    struct pool *pools;
    size_t pool_count;
};

/* What a worker costs becomes the price, in either cloud; the stock of pods says nothing of workers. */
static bool price_entry(json_t *entry)
{
    json_t *price = json_object_get(entry, "price");
    json_t *serverless = json_object_get(price, "serverless");

    for (size_t i = 0; i < 3; i++)
        (void)json_object_del(entry, ((const char *const[]){"availability", "dataCenters", "cudaVersions"})[i]);
    if (!json_is_number(serverless)) {
        (void)json_object_del(entry, "price"); /* unknown is what an absent price means */
        return true;
    }
    return json_object_set(price, "secure", serverless) == 0 && json_object_set(price, "community", serverless) == 0;
}

/* The same catalogue with serverless prices. */
static enum podsku_code price_catalog(const struct podsku_catalog *catalog, struct podsku_catalog **priced,
                                      struct podsku_error *err)
{
    json_t *body = podsku_catalog_encode(catalog);
    json_t *entries = json_object_get(body, "gpus");
    struct podsku_buf bytes = {0};
    bool ok = json_is_array(entries);

    for (size_t i = 0; ok && i < json_array_size(entries); i++)
        ok = price_entry(json_array_get(entries, i));
    podsku_json_write(&bytes, body, false);
    json_decref(body);
    enum podsku_code code = ok && !podsku_buf_failed(&bytes) ? PODSKU_OK : podsku_error_no_memory(err);
    if (code == PODSKU_OK)
        code = podsku_catalog_load(podsku_buf_text(&bytes), bytes.len, "serverless prices", catalog->facts, NULL,
                                   PODSKU_INTERNAL, priced, err);
    podsku_buf_free(&bytes);
    return code;
}

/* The service trims ids and refuses those that start with '-': such a member cannot be named. */
static bool can_exclude(const char *id)
{
    size_t len = strlen(id);

    return len > 0 && id[0] != '-' && !isspace((unsigned char)id[0]) && !isspace((unsigned char)id[len - 1]);
}

static struct pool *find_pool(struct selection *sel, const char *name)
{
    for (size_t i = 0; i < sel->pool_count; i++)
        if (strcmp(sel->pools[i].name, name) == 0)
            return &sel->pools[i];
    return NULL;
}

static enum podsku_code choose_picks(struct selection *sel)
{
    const struct podsku_decision *decision = &sel->decision;

    sel->picks = calloc(decision->candidate_count + 1, sizeof(const struct podsku_offer *));
    sel->is_pick = calloc(sel->catalog->type_count + 1, sizeof *sel->is_pick);
    sel->pools = calloc(decision->candidate_count + 1, sizeof *sel->pools);
    if (!sel->picks || !sel->is_pick || !sel->pools)
        return podsku_error_no_memory(&sel->cli->err);
    for (size_t i = 0; i < decision->candidate_count; i++) {
        const struct podsku_offer *offer = &decision->candidates[i];
        size_t index = (size_t)(offer->type - sel->catalog->types);
        if (sel->is_pick[index])
            continue;
        if (!offer->type->pool) {
            cli_warn(sel->cli, "%s is in no serverless pool: left out", podsku_gpu_name(offer->type));
            continue;
        }
        sel->is_pick[index] = true;
        sel->picks[sel->pick_count++] = offer;
        if (!find_pool(sel, offer->type->pool))
            sel->pools[sel->pool_count++].name = offer->type->pool;
    }
    return PODSKU_OK;
}

static void count_members(struct selection *sel)
{
    for (size_t i = 0; i < sel->catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &sel->catalog->types[i];
        struct pool *pool = type->pool ? find_pool(sel, type->pool) : NULL;
        if (!pool)
            continue;
        if (sel->is_pick[i]) {
            pool->candidates++;
            continue;
        }
        pool->excluded++;
        pool->slices += type->slice != NULL;
        if (!can_exclude(type->id) && (!pool->stuck || strcmp(type->id, pool->stuck) < 0))
            pool->stuck = type->id;
    }
}

/* A pool whose other members cannot all be excluded would let in what nobody asked for. */
static void drop_stuck_pools(struct selection *sel)
{
    size_t kept = 0;

    for (size_t i = 0; i < sel->pick_count; i++)
        if (!find_pool(sel, sel->picks[i]->type->pool)->stuck)
            sel->picks[kept++] = sel->picks[i];
    sel->pick_count = kept;
}

/* The pool of a type, if it is one that is used. */
static const struct pool *used_pool(struct selection *sel, const struct podsku_gpu_type *type)
{
    const struct pool *pool = type->pool ? find_pool(sel, type->pool) : NULL;

    return pool && !pool->stuck ? pool : NULL;
}

/* The member to exclude with the least id after `last`; NULL: none is left. */
static const struct podsku_gpu_type *next_excluded(struct selection *sel, const char *last)
{
    const struct podsku_gpu_type *next = NULL;

    for (size_t i = 0; i < sel->catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &sel->catalog->types[i];
        if (!sel->is_pick[i] && used_pool(sel, type) && strcmp(type->id, last) > 0 &&
            (!next || strcmp(type->id, next->id) < 0))
            next = type;
    }
    return next;
}

static json_t *excluded_json(struct selection *sel)
{
    json_t *array = json_array();
    const struct podsku_gpu_type *type = NULL;

    while ((type = next_excluded(sel, type ? type->id : ""))) {
        if (!cli_json_append(array, podsku_json_text(type->id))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* The `gpu` object. */
static json_t *gpu_json(struct selection *sel)
{
    json_t *object = json_object();
    json_t *pools = json_array();
    json_t *excluded = excluded_json(sel);
    char version[32];
    bool ok = object && pools && excluded;

    for (size_t i = 0; ok && i < sel->pool_count; i++)
        if (!sel->pools[i].stuck)
            ok = cli_json_append(pools, podsku_json_text(sel->pools[i].name));
    ok = ok && json_object_set(object, "pools", pools) == 0;
    if (ok && json_array_size(excluded) > 0)
        ok = json_object_set(object, "excludedTypes", excluded) == 0;
    if (ok && sel->req->gpus[0] > 1)
        ok = podsku_json_set(object, "count", json_integer(sel->req->gpus[0]));
    if (ok && sel->req->cuda_major >= 0) {
        (void)snprintf(version, sizeof version, "%d.%d", sel->req->cuda_major, sel->req->cuda_minor);
        ok = podsku_json_set(object, "minCudaVersion", json_string(version));
    }
    json_decref(pools);
    json_decref(excluded);
    return podsku_json_whole(object, ok);
}

static json_t *picks_json(const struct selection *sel)
{
    json_t *array = json_array();

    for (size_t i = 0; i < sel->pick_count; i++) {
        const struct podsku_offer *offer = sel->picks[i];
        json_t *object = json_object();
        bool whole = podsku_json_set(object, "rank", json_integer((json_int_t)i + 1)) &&
                     podsku_json_set(object, "id", podsku_json_text(offer->type->id)) &&
                     podsku_json_set(object, "name", podsku_json_text(podsku_gpu_name(offer->type))) &&
                     podsku_json_set(object, "pool", podsku_json_text(offer->type->pool)) &&
                     podsku_json_set(object, "gpus", json_integer(offer->gpus)) &&
                     podsku_json_set(object, "price_per_gpu_hour", podsku_json_money(offer->type->serverless_uusd)) &&
                     podsku_json_set(object, "price_per_hour", podsku_json_money(offer->price_total_uusd)) &&
                     podsku_json_set(object, "mig", cli_mig_json(offer->type));
        object = podsku_json_whole(object, whole);
        if (!cli_json_append(array, object)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Calls say(ctx, text) with each warning that concerns this selection. */
static void each_warning(struct selection *sel, void (*say)(void *ctx, const char *text), void *ctx)
{
    struct podsku_buf text = {0};
    size_t slices = 0;

    for (size_t i = 0; i < sel->pool_count; i++) {
        const struct pool *pool = &sel->pools[i];
        if (!pool->stuck) {
            slices += pool->slices;
            continue;
        }
        podsku_buf_reset(&text);
        podsku_buf_printf(&text,
                          "pool %s is left out: its candidates cannot be isolated, since the service takes no "
                          "exclusion of \"%s\"",
                          pool->name, pool->stuck);
        say(ctx, podsku_buf_text(&text));
    }
    if (sel->pick_count > 0)
        say(ctx, "there is no allowlist: a type that Runpod adds to one of these pools later becomes eligible; "
                 "make this selection again from time to time");
    if (slices > 0 && sel->pick_count > 0)
        say(ctx, "MIG slices sit in these pools and are excluded here; the console has an opt-out for slices, "
                 "which also holds for those that come later");
    podsku_buf_free(&text);
}

static void say_warning(void *ctx, const char *text)
{
    cli_warn(ctx, "%s", text);
}

struct warnings {
    json_t *array;
    bool failed;
};

static void append_warning(void *ctx, const char *text)
{
    struct warnings *warnings = ctx;

    warnings->failed |= !cli_json_append(warnings->array, podsku_json_text(text));
}

static enum podsku_code write_json(struct selection *sel)
{
    json_t *document = json_object();
    struct warnings warnings = {json_array(), false};

    each_warning(sel, append_warning, &warnings);
    bool whole = !warnings.failed && podsku_json_set(document, "schema", json_string("podsku.serverless/1")) &&
                 podsku_json_set(document, "catalog", cli_source_json(sel->source)) &&
                 podsku_json_set(document, "requirement", podsku_requirement_encode(sel->req)) &&
                 podsku_json_set(document, "gpu", sel->pick_count > 0 ? gpu_json(sel) : json_null()) &&
                 podsku_json_set(document, "candidates", picks_json(sel)) &&
                 podsku_json_set(document, "rejected",
                                 cli_rejected_json(sel->decision.rejected, sel->decision.rejected_count)) &&
                 json_object_set(document, "notes", warnings.array) == 0;
    document = podsku_json_whole(document, whole);
    json_decref(warnings.array);
    return cli_write_json(sel->cli, document);
}

static void say_picks(const struct selection *sel)
{
    struct podsku_buf line = {0};

    for (size_t i = 0; i < sel->pick_count; i++) {
        podsku_buf_printf(&line, "%s%s ", i ? ", " : "", podsku_gpu_name(sel->picks[i]->type));
        cli_offer_price(&line, sel->picks[i]);
        podsku_buf_printf(&line, " (%s)", sel->picks[i]->type->pool);
    }
    cli_say(sel->cli, "left in, at serverless prices per worker-hour: %s", podsku_buf_text(&line));
    podsku_buf_free(&line);
}

static enum podsku_code check(struct cli *cli, const struct podsku_requirement *req)
{
    if (req->gpus_count > 1) {
        podsku_error_hint(&cli->err, "--gpus N");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "--serverless describes one kind of worker: one GPU count");
    }
    if (podsku_requirement_has_placement(req)) {
        podsku_error_hint(&cli->err, "put it into dataCenterIds of the endpoint");
        return podsku_error_set(&cli->err, PODSKU_USAGE, "placement is no part of the serverless gpu object");
    }
    if (req->nodes > 1)
        return podsku_error_set(&cli->err, PODSKU_USAGE,
                                "--nodes does not go with --serverless: a worker is one machine");
    return PODSKU_OK;
}

static enum podsku_code select_types(struct selection *sel)
{
    struct podsku_error *err = &sel->cli->err;
    enum podsku_code code = price_catalog(sel->source, &sel->catalog, err);

    if (code == PODSKU_OK)
        code = podsku_decide(sel->catalog, sel->req, PODSKU_DECIDE_REASONS, false, &sel->decision, err);
    if (code == PODSKU_OK)
        code = choose_picks(sel);
    if (code == PODSKU_OK) {
        count_members(sel);
        drop_stuck_pools(sel);
    }
    return code;
}

static int show(struct selection *sel)
{
    struct cli *cli = sel->cli;
    struct pick_view view = {.cli = cli, .catalog = sel->source, .req = sel->req, .decision = &sel->decision};
    enum podsku_code code = PODSKU_OK;

    if (cli->output != CLI_JSON)
        cli_pick_heading(&view);
    if (cli->output == CLI_JSON)
        code = write_json(sel);
    else if (sel->pick_count > 0)
        code = cli_write_json(cli, gpu_json(sel));
    if (code != PODSKU_OK)
        return cli_fail(cli);
    if (sel->pick_count == 0) {
        (void)podsku_error_set(&cli->err, PODSKU_NO_OFFER,
                               "no serverless pool holds a type that satisfies the requirement");
        int status = cli_decided(cli, PODSKU_NO_OFFER);
        view.catalog = sel->catalog; /* the one that the decision points into */
        cli_pick_rejections(&view);
        return status;
    }
    say_picks(sel);
    each_warning(sel, say_warning, cli);
    return 0;
}

int cli_pick_serverless(struct cli *cli, const struct podsku_catalog *catalog, const struct podsku_requirement *req)
{
    struct selection sel = {.cli = cli, .source = catalog, .req = req};
    int status;

    if (check(cli, req) != PODSKU_OK || select_types(&sel) != PODSKU_OK)
        status = cli_fail(cli);
    else
        status = show(&sel);
    podsku_decision_free(&sel.decision);
    free((void *)sel.picks);
    free(sel.is_pick);
    free(sel.pools);
    podsku_catalog_free(sel.catalog);
    return status;
}
