/* A seed of the program's sweep: its command line, and what the stand-in answers beside pods. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/money.h"
#include "tests/sweep/sweep_program.h"

static void add(struct program_sweep *sweep, const char *word)
{
    if (sweep->word_count == SWEEP_WORDS)
        abort();
    sweep->words[sweep->word_count++] = word;
}

static void add_two(struct program_sweep *sweep, const char *flag, const char *value)
{
    add(sweep, flag);
    add(sweep, value);
}

static void choose_requirement(struct program_sweep *sweep)
{
    struct scenario *scenario = &sweep->scenario;
    struct dice *dice = &scenario->dice;

    add_two(sweep, "deploy", "--gpus");
    add(sweep, "2");
    add_two(sweep, "--image", "img:1");
    if (scenario->api == PODSKU_API_V1)
        add_two(sweep, "--api", "v1");
    if (scenario->cluster)
        add_two(sweep, "--nodes", "2");
    if (dice_hit(dice, 30))
        add(sweep, "--nvlink");
    if (dice_hit(dice, 40))
        add_two(sweep, "--max-total", scenario->cluster ? "40" : "20");
    else if (dice_hit(dice, 75))
        add_two(sweep, "--price-window", "none");
}

static void choose_ways(struct program_sweep *sweep)
{
    struct dice *dice = &sweep->scenario.dice;

    (void)snprintf(sweep->settle, sizeof sweep->settle, "%ds", 5 + dice_roll(dice, 20));
    add_two(sweep, "--settle-timeout", sweep->settle);
    add_two(sweep, "--timeout", "5m");
    if (sweep->scenario.api == PODSKU_API_V2 && !sweep->scenario.cluster && dice_hit(dice, 20)) {
        add(sweep, "--verify");
        add_two(sweep, "--verify-via", "logs");
    } else if (dice_hit(dice, 50)) {
        add(sweep, "--wait");
    }
    sweep->launch_given = dice_hit(dice, 40);
    if (sweep->launch_given)
        add_two(sweep, "--launch-id", "L1");
    if (dice_hit(dice, 20))
        add_two(sweep, "--ttl", "1h");
    (void)snprintf(sweep->attempts, sizeof sweep->attempts, "%d", 1 + dice_roll(dice, 6));
    if (dice_hit(dice, 30))
        add_two(sweep, "--max-attempts", sweep->attempts);
    sweep->keep = dice_hit(dice, 5);
    if (sweep->keep)
        add(sweep, "--keep");
    if (dice_hit(dice, 10))
        add_two(sweep, "--max-spend", "5");
    if (dice_hit(dice, 8))
        add_two(sweep, "--wait-stock", "3m");
    if (dice_hit(dice, 20))
        add_two(sweep, "--env", "SOME=value");
    if (dice_hit(dice, 15))
        add(sweep, dice_hit(dice, 50) ? "--quiet" : "--verbose");
    sweep->json = dice_hit(dice, 60);
    if (sweep->json)
        add_two(sweep, "-o", "json");
}

/* What the catalogue lists, and what of it is refused all the same. */
static void choose_catalogue(struct program_sweep *sweep)
{
    struct scenario *scenario = &sweep->scenario;
    struct dice *dice = &scenario->dice;

    scenario_make(scenario, sweep->seed, &sweep->rig);
    scenario->program = true;
    for (size_t i = 0; i < scenario->plan_count; i++)
        if (dice_hit(dice, 15))
            fake_refuse(&sweep->fake, scenario->plan[i].gpu_id, 400, FAKE_NO_CAPACITY);
        else if (dice_hit(dice, 5))
            fake_refuse(&sweep->fake, scenario->plan[i].gpu_id, 403,
                        "{\"title\":\"Forbidden\",\"status\":403,\"detail\":\"denied\"}");
}

void sweep_program_make(struct program_sweep *sweep, uint64_t seed)
{
    sweep->seed = seed;
    choose_catalogue(sweep);
    choose_requirement(sweep);
    choose_ways(sweep);
    scenario_serve(&sweep->scenario, &sweep->fake);
    sweep->fake.other = sweep_program_other;
    sweep_add_foreign(&sweep->fake);
}

/* ------------------------------------------------------------------ answers */

static char *catalogue(const struct scenario *scenario)
{
    json_t *list = json_array();

    for (size_t i = 0; i < scenario->plan_count; i++) {
        const struct podsku_plan_entry *entry = &scenario->plan[i];
        double price = podsku_money_to_double(entry->price_uusd) / entry->gpus / entry->nodes;
        json_t *view =
            json_pack("{s:s,s:s,s:s,s:i,s:b,s:b,s:{s:f,s:f},s:{s:i,s:i},s:s,s:[{s:s,s:s}]}", "id", entry->gpu_id,
                      "name", entry->gpu_id, "manufacturer", "NVIDIA", "memory", 80, "secure", 1, "community", 0,
                      "price", "secure", price, "community", 0.0, "maxCount", "secure", 8, "community", 0,
                      "availability", "HIGH", "dataCenters", "id", "US-TX-3", "availability", "HIGH");
        (void)json_array_append_new(list, view);
    }
    json_t *catalogue = json_pack("{s:o}", "gpus", list);
    char *text = json_dumps(catalogue, 0);
    json_decref(catalogue);
    return text;
}

/* What `nvidia-smi topo -m` said on the pod; sometimes nothing, sometimes that its GPUs are not linked. */
static char *pod_log(struct scenario *scenario)
{
    struct podsku_buf text = {0};
    const char *link = dice_hit(&scenario->dice, 15) ? "SYS" : "NV12";
    int id = 0;

    if (dice_hit(&scenario->dice, 15))
        return strdup("");
    podsku_buf_printf(&text, "id: t%d\ndata: {\"line\":\"\\tGPU0\\tGPU1\\tCPU Affinity\"}\n\n", ++id);
    podsku_buf_printf(&text, "id: t%d\ndata: {\"line\":\"GPU0\\t X \\t%s\\t0-31\"}\n\n", ++id, link);
    podsku_buf_printf(&text, "id: t%d\ndata: {\"line\":\"GPU1\\t%s\\t X \\t0-31\"}\n\n", ++id, link);
    return podsku_buf_take(&text);
}

char *sweep_program_other(void *ctx, const struct https_request *request, const char **content_type)
{
    struct scenario *scenario = ctx;

    if (strncmp(request->path, "/v2/catalog/gpus", 16) == 0)
        return catalogue(scenario);
    if (strncmp(request->path, "/v2/pods/", 9) == 0 && strstr(request->path, "/logs")) {
        *content_type = "text/event-stream";
        return pod_log(scenario);
    }
    return NULL;
}
