/* podsku pick: from a catalogue and a requirement to ranked candidates, explained. */
#include <string.h>

#include "cli/command.h"
#include "cli/emit.h"
#include "cli/serverless.h"
#include "cli/view_pick.h"

struct pick {
    struct cli *cli;
    struct podsku_requirement req;
    const struct podsku_facts_set *facts;
    struct podsku_client *client;
    struct podsku_catalog *catalog;
    struct podsku_decision decision;
    struct cli_observations observations;
    struct podsku_error contradiction; /* PODSKU_OK: none */
};

static enum podsku_code check_options(struct cli *cli)
{
    bool other_format = cli_has(cli, "emit") || cli_has(cli, "serverless");

    switch (cli->output) {
    case CLI_TABLE: break;
    case CLI_JSON:
        if (cli_has(cli, "emit"))
            return podsku_error_set(&cli->err, PODSKU_USAGE, "--emit prints another tool's format, not JSON");
        break;
    case CLI_WIDE:
    case CLI_CSV:
    case CLI_IDS:
        if (other_format)
            return podsku_error_set(&cli->err, PODSKU_USAGE, "--output %s does not go with --%s",
                                    cli_value(cli, "output"), cli_has(cli, "emit") ? "emit" : "serverless");
        break;
    case CLI_SVG:
    case CLI_JUNIT: break; /* not for pick: the parser has refused them */
    }
    if (cli_has(cli, "explain") && (cli->output == CLI_CSV || cli->output == CLI_IDS || other_format))
        return podsku_error_set(&cli->err, PODSKU_USAGE, "--explain goes with --output table, wide or json");
    if (cli_has(cli, "emit") && cli_has(cli, "serverless"))
        return podsku_error_set(&cli->err, PODSKU_USAGE, "--emit and --serverless are two different outputs");
    return PODSKU_OK;
}

/*
 * A contradiction needs no catalogue, so it is found before one is read; JSON still gets its schema,
 * with every reason, and therefore reads one.
 */
static enum podsku_code check_contradiction(struct pick *pick)
{
    struct cli *cli = pick->cli;
    enum podsku_code code = podsku_requirement_contradiction(&pick->req, pick->catalog, &pick->contradiction);

    if (code == PODSKU_OK || (code == PODSKU_NO_OFFER && cli->output == CLI_JSON && !cli_has(cli, "serverless")))
        return PODSKU_OK;
    cli->err = pick->contradiction;
    return code;
}

static enum podsku_code decide(struct pick *pick)
{
    struct cli *cli = pick->cli;
    bool explained = cli->output == CLI_TABLE || cli->output == CLI_WIDE || cli->output == CLI_JSON;
    bool contradicts = pick->contradiction.code != PODSKU_OK;
    /* The cheapest kind of decision has no notes. */
    enum podsku_detail unexplained = cli->output == CLI_IDS ? PODSKU_DECIDE_COUNT : PODSKU_DECIDE_REASONS;
    enum podsku_detail detail = explained && !cli_has(cli, "emit") ? PODSKU_DECIDE_FULL : unexplained;
    enum podsku_code code = podsku_decide(pick->catalog, &pick->req, detail, contradicts, &pick->decision, &cli->err);

    /* Only an empty decision needs to be explained in the formats that show candidates alone. */
    if (code == PODSKU_OK && detail != PODSKU_DECIDE_FULL && pick->decision.candidate_count == 0)
        code = podsku_decide(pick->catalog, &pick->req, PODSKU_DECIDE_FULL, contradicts, &pick->decision, &cli->err);
    return code;
}

static enum podsku_code load(struct pick *pick)
{
    struct cli *cli = pick->cli;
    enum podsku_code code = check_options(cli);

    if (code == PODSKU_OK)
        code = cli_requirement(cli, &pick->req);
    if (code == PODSKU_OK)
        code = cli_emit_check(cli, &pick->req);
    if (code == PODSKU_OK)
        code = check_contradiction(pick);
    if (code == PODSKU_OK)
        code = cli_facts(cli, &pick->facts);
    if (code == PODSKU_OK)
        code = cli_catalog(cli, &pick->req, pick->facts, &pick->client, &pick->catalog);
    if (code == PODSKU_OK && pick->contradiction.code == PODSKU_OK)
        code = check_contradiction(pick);
    if (code == PODSKU_OK && cli->output == CLI_JSON)
        code = podsku_catalog_hash(pick->catalog, &cli->err);
    if (code == PODSKU_OK && cli_has(cli, "explain"))
        code = cli_observations_load(cli, &pick->observations);
    return code;
}

static enum podsku_code show(const struct pick_view *view, struct podsku_buf *out)
{
    struct cli *cli = view->cli;
    bool some = view->decision->candidate_count > 0;
    enum podsku_code code = PODSKU_OK;

    switch (cli->output) {
    case CLI_JSON: return cli_write_json(cli, cli_pick_json(view));
    case CLI_CSV: cli_pick_csv(view, out); break;
    case CLI_IDS: cli_pick_ids(view, out); break;
    case CLI_WIDE:
        cli_pick_heading(view);
        code = some ? cli_pick_wide(view, out) : PODSKU_OK;
        break;
    default:
        cli_pick_heading(view);
        code = some ? cli_pick_table(view, out) : PODSKU_OK;
        break;
    }
    if (cli_has(cli, "explain"))
        cli_pick_explain(view, out);
    if (code == PODSKU_OK && podsku_buf_failed(out))
        code = podsku_error_no_memory(&cli->err);
    return code == PODSKU_OK ? cli_write(cli, podsku_buf_text(out), out->len) : code;
}

/* The exit status of an empty decision: says why. */
static int no_offer(struct pick *pick, const struct pick_view *view)
{
    struct cli *cli = pick->cli;

    if (pick->contradiction.code != PODSKU_OK)
        cli->err = pick->contradiction;
    else
        (void)podsku_error_set(&cli->err, PODSKU_NO_OFFER, "no offer satisfies the requirement");
    int status = cli_decided(cli, PODSKU_NO_OFFER);
    cli_pick_no_offer(view);
    return status;
}

static int run_decision(struct pick *pick)
{
    struct cli *cli = pick->cli;
    struct podsku_buf out = {0};
    struct pick_view view = {
        .cli = cli,
        .catalog = pick->catalog,
        .req = &pick->req,
        .decision = &pick->decision,
        .contradiction = pick->contradiction.code == PODSKU_OK ? NULL : pick->contradiction.message,
        .observations = cli_has(cli, "explain") ? &pick->observations : NULL,
    };
    int status = 0;

    if (decide(pick) != PODSKU_OK || show(&view, &out) != PODSKU_OK)
        status = cli_fail(cli);
    else if (pick->decision.candidate_count == 0)
        status = no_offer(pick, &view);
    else if (cli->output == CLI_TABLE || cli->output == CLI_WIDE)
        cli_pick_talk(&view);
    else
        cli_pick_notes(&view);
    podsku_buf_free(&out);
    return status;
}

static int run_emit(struct pick *pick)
{
    struct cli *cli = pick->cli;
    struct podsku_buf out = {0};
    struct pick_view view = {.cli = cli, .catalog = pick->catalog, .req = &pick->req, .decision = &pick->decision};
    enum podsku_code code = decide(pick);
    int status = 0;

    if (code == PODSKU_OK && pick->decision.candidate_count == 0) {
        cli_pick_heading(&view);
        return no_offer(pick, &view);
    }
    if (code == PODSKU_OK)
        code = cli_emit(&view, cli_value(cli, "emit"), &out);
    if (code == PODSKU_OK)
        code = cli_write(cli, podsku_buf_text(&out), out.len);
    if (code != PODSKU_OK)
        status = cli_fail(cli);
    else
        cli_pick_notes(&view);
    podsku_buf_free(&out);
    return status;
}

int cli_run_pick(struct cli *cli)
{
    struct pick pick = {.cli = cli};
    int status;

    podsku_requirement_init(&pick.req);
    if (load(&pick) != PODSKU_OK)
        status = pick.contradiction.code == PODSKU_NO_OFFER ? cli_decided(cli, PODSKU_NO_OFFER) : cli_fail(cli);
    else if (cli_has(cli, "serverless"))
        status = cli_pick_serverless(cli, pick.catalog, &pick.req);
    else if (cli_has(cli, "emit"))
        status = run_emit(&pick);
    else
        status = run_decision(&pick);
    cli_observations_free(&pick.observations);
    podsku_decision_free(&pick.decision);
    podsku_catalog_free(pick.catalog);
    podsku_client_free(pick.client);
    podsku_facts_free(pick.facts);
    podsku_requirement_free(&pick.req);
    return status;
}
