/* podsku observations: what past verifications found. */
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/csv.h"
#include "cli/json_offer.h"
#include "cli/observations.h"
#include "cli/table.h"

enum { COLUMNS = 6 };

static const char *const csv_names[COLUMNS] = {"at", "gpu", "gpus", "cloud", "data_center", "verdict"};

struct cells {
    char when[PODSKU_TIME_TEXT_SIZE];
    char gpus[16];
    const char *text[COLUMNS];
};

static void fill(struct cells *cells, const struct cli_observation *observation)
{
    (void)snprintf(cells->gpus, sizeof cells->gpus, "%d", observation->gpus);
    cells->text[0] = observation->at_ms ? podsku_time_text(observation->at_ms, cells->when) : NULL;
    cells->text[1] = observation->gpu;
    cells->text[2] = observation->gpus > 0 ? cells->gpus : NULL;
    cells->text[3] = observation->cloud;
    cells->text[4] = observation->data_center;
    cells->text[5] = observation->verdict;
}

static enum podsku_code put_table(struct cli *cli, const struct cli_observations *observations, struct podsku_buf *out)
{
    static const struct cli_column columns[COLUMNS] = {{"WHEN", false, false, 0},        {"GPU TYPE", false, true, 0},
                                                       {"GPUS", true, false, 0},         {"CLOUD", false, false, 1},
                                                       {"DATA CENTER", false, false, 0}, {"VERDICT", false, false, 0}};
    struct cli_table *table = NULL;
    struct cells cells;
    enum podsku_code code = cli_table_new(columns, COLUMNS, cli->width, &table, &cli->err);

    for (size_t i = 0; i < observations->count && code == PODSKU_OK; i++) {
        fill(&cells, &observations->list[i]);
        code = cli_table_row(table, cells.text, &cli->err);
    }
    if (code == PODSKU_OK)
        code = cli_table_print(table, out, &cli->err);
    cli_table_free(table);
    return code;
}

static void put_csv(const struct cli_observations *observations, struct podsku_buf *out)
{
    struct cells cells;

    cli_csv_row(out, csv_names, COLUMNS);
    for (size_t i = 0; i < observations->count; i++) {
        fill(&cells, &observations->list[i]);
        cli_csv_row(out, cells.text, COLUMNS);
    }
}

static json_t *document(const struct cli_observations *observations)
{
    json_t *object = json_object();
    json_t *list = json_array();
    bool ok = list != NULL;

    for (size_t i = 0; ok && i < observations->count; i++)
        ok = cli_json_append(list, cli_observation_json(&observations->list[i]));
    if (ok && podsku_json_set(object, "schema", json_string("podsku.observations/1")) &&
        json_object_set(object, "observations", list) == 0) {
        json_decref(list);
        return object;
    }
    json_decref(list);
    json_decref(object);
    return NULL;
}

static enum podsku_code show(struct cli *cli, const struct cli_observations *observations, struct podsku_buf *out)
{
    enum podsku_code code = PODSKU_OK;

    if (cli->output == CLI_JSON)
        return cli_write_json(cli, document(observations));
    if (cli->output == CLI_CSV)
        put_csv(observations, out);
    else if (observations->count > 0)
        code = put_table(cli, observations, out);
    if (code == PODSKU_OK && podsku_buf_failed(out))
        code = podsku_error_no_memory(&cli->err);
    return code == PODSKU_OK ? cli_write(cli, podsku_buf_text(out), out->len) : code;
}

int cli_run_observations(struct cli *cli)
{
    struct cli_observations observations;
    struct podsku_buf out = {0};
    enum podsku_code code = cli_observations_load(cli, &observations);

    if (code == PODSKU_OK)
        code = show(cli, &observations, &out);
    if (code == PODSKU_OK && observations.count == 0)
        cli_say(cli, "nothing observed yet: podsku deploy --verify and podsku verify --pod remember what they find");
    if (code == PODSKU_OK && observations.unreadable > 0)
        cli_warn(cli, "%zu of the lines in the observations could not be read", observations.unreadable);
    cli_observations_free(&observations);
    podsku_buf_free(&out);
    return code == PODSKU_OK ? 0 : cli_fail(cli);
}
