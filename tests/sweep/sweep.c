/*
 * The fault sweep: seeded random deploys against a service that drops, delays, duplicates, hides new
 * pods, lags after deletes, fails with and without having created, throttles, and refuses what it
 * lists; then reconcile. See sweep_check.c for what must hold.
 *
 *   podsku_sweep [--program] [--kill] --seeds FIRST-LAST [--verbose]
 *
 * --program: not the library, but the program that users run; see sweep_program.c. --kill: SIGKILL or
 * SIGTERM ends the deploy at a random moment. A failing seed is printed; it runs alone as --seeds N-N
 * (with --program --verbose shows everything that was said, whether it fails or not).
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/faults/faults.h"
#include "tests/sweep/sweep.h"

#define LEAST_PLACED_PERCENT 60

void dice_seed(struct dice *dice, uint64_t seed)
{
    dice->state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < 8; i++)
        (void)dice_roll(dice, 2);
}

int dice_roll(struct dice *dice, int n)
{
    dice->state ^= dice->state >> 12;
    dice->state ^= dice->state << 25;
    dice->state ^= dice->state >> 27;
    return (int)((dice->state * UINT64_C(0x2545f4914f6cdd1d) >> 33) % (uint64_t)n);
}

bool dice_hit(struct dice *dice, int percent)
{
    return dice_roll(dice, 100) < percent;
}

static const struct podsku_plan_entry candidates[SWEEP_PLAN] = {
    {.gpu_id = "NVIDIA A100-SXM4-80GB", .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 2000000},
    {.gpu_id = "NVIDIA H100 80GB HBM3", .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 3000000},
    {.gpu_id = "NVIDIA H200", .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 4000000},
    {.gpu_id = "NVIDIA B200", .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 5000000},
    {.gpu_id = "NVIDIA L40S", .cloud = "SECURE", .gpus = 2, .nodes = 1, .price_uusd = 6000000},
};

void scenario_make(struct scenario *scenario, uint64_t seed, struct deploy_rig *rig)
{
    struct dice *dice = &scenario->dice;

    *scenario = (struct scenario){.api = PODSKU_API_V2};
    dice_seed(dice, seed);
    scenario->plan_count = (size_t)(1 + dice_roll(dice, SWEEP_PLAN));
    scenario->calm = 30 + dice_roll(dice, 65);
    if (dice_hit(dice, 12))
        scenario->api = PODSKU_API_V1;
    else
        scenario->cluster = dice_hit(dice, 15);
    for (size_t i = 0; i < scenario->plan_count; i++) {
        scenario->plan[i] = candidates[i];
        scenario->plan[i].nodes = scenario->cluster ? 2 : 1;
        scenario->plan[i].price_uusd *= scenario->plan[i].nodes;
    }
    rig->options.spec.api = scenario->api;
    rig->options.launch_id_given = dice_hit(dice, 30);
    rig->options.wait = dice_hit(dice, 50);
    rig->options.verify = dice_hit(dice, 20);
    rig->options.settle_ms = 5000 + 1000 * dice_roll(dice, 20);
    rig->options.timeout_ms = 300000;
    rig->options.ttl_ms = dice_hit(dice, 20) ? 3600000 : 0;
    if (dice_hit(dice, 40))
        rig->options.max_total_uusd = 20000000;
    for (size_t i = 0; i < 8; i++)
        rig->verify_answers[i] = dice_hit(dice, 15) ? PODSKU_VERIFY_MISMATCH : PODSKU_VERIFY_MATCH;
}

void scenario_serve(struct scenario *scenario, struct fake *fake)
{
    fake->starts_ms = dice_roll(&scenario->dice, 30000);
    fake->shape = scenario_shape;
    fake->choose = scenario_choose;
    fake->ctx = scenario;
}

/* What a create may meet. hide_ms: within or beyond the settle timeout. */
static void spoil_create(struct dice *dice, struct fake_fault *fault)
{
    static const struct fake_fault faults[] = {
        {.act = true, .transport = HTTPS_RESET_AFTER},
        {.act = true, .transport = HTTPS_CLOSE_AFTER},
        {.act = true, .transport = HTTPS_TRUNCATE},
        {.act = true, .transport = HTTPS_GARBAGE},
        {.act = true, .status = 500, .body = "{\"detail\":\"boom\"}"},
        {.act = true, .status = 201, .body = "{}"},
        {.act = true, .status = 409, .body = "{\"detail\":\"conflict\"}"},
        {.act = true, .status = 504, .body = "<html></html>"},
        {.act = false, .transport = HTTPS_RESET_AFTER},
        {.act = false, .status = 502, .body = "bad gateway"},
        {.act = false, .status = 503, .body = "{}"},
        {.act = false, .status = 408, .body = "{}"},
        {.act = false, .status = 429, .headers = "Retry-After: 3\r\n"},
        {.act = false, .status = 400, .body = FAKE_NO_CAPACITY},
        {.act = false, .status = 400, .body = FAKE_NO_CAPACITY},
        {.act = false, .status = 400, .body = FAKE_NO_CAPACITY},
        {.act = false, .status = 403, .body = "{\"title\":\"Forbidden\",\"status\":403,\"detail\":\"denied\"}"},
        {.act = true}, /* only hidden */
        {.act = true},
    };

    *fault = faults[dice_roll(dice, sizeof faults / sizeof *faults)];
    if (fault->act && dice_hit(dice, 60))
        fault->hide_ms = dice_hit(dice, 80) ? dice_roll(dice, 5000) : dice_roll(dice, 60000);
    /*
     * A pod whose id was told and that stays hidden for longer than a settle timeout is gone by definition
     * (DELETE and GET say 404, no list shows it); that is for a service to keep.
     */
    if (!fault->status && fault->transport == HTTPS_OK && fault->hide_ms > 4000)
        fault->hide_ms = 4000;
}

static void spoil_read(struct dice *dice, enum fake_kind kind, struct fake_fault *fault)
{
    static const struct fake_fault faults[] = {
        {.act = true, .transport = HTTPS_RESET_AFTER},
        {.act = true, .transport = HTTPS_TRUNCATE},
        {.act = true, .transport = HTTPS_CHUNKED},
        {.status = 500, .body = "{}"},
        {.status = 503, .body = "{}"},
        {.status = 429, .headers = "Retry-After: 1\r\n"},
    };

    *fault = faults[dice_roll(dice, sizeof faults / sizeof *faults)];
    if (kind == FAKE_LIST && dice_hit(dice, 30))
        *fault = (struct fake_fault){.act = true, .twice = 1};
    if (kind == FAKE_GET && dice_hit(dice, 20))
        *fault = (struct fake_fault){.status = 404, .body = "{}"}; /* a replica that lags */
}

static void spoil_delete(struct dice *dice, struct fake_fault *fault)
{
    static const struct fake_fault faults[] = {
        {.act = true, .transport = HTTPS_RESET_AFTER}, {.act = false, .transport = HTTPS_RESET_AFTER},
        {.act = false, .status = 500, .body = "{}"},   {.act = false, .status = 429, .headers = "Retry-After: 1\r\n"},
        {.act = true, .lingers_as = "RUNNING"},        {.act = true, .lingers_as = "TERMINATED"},
    };

    *fault = faults[dice_roll(dice, sizeof faults / sizeof *faults)];
    if (fault->act)
        fault->hide_ms = dice_roll(dice, 6000);
}

/* What only the program's sweep meets. An answer that takes longer than a settle timeout, or than any client waits, is
 * one of the lost replies. */
static void spoil_more(struct scenario *scenario, enum fake_kind kind, struct fake_fault *fault)
{
    struct dice *dice = &scenario->dice;

    if (dice_hit(dice, 20))
        fault->delay_ms = dice_hit(dice, 80) ? dice_roll(dice, 8000) : dice_roll(dice, 100000);
    /* Long after deploy has given up on it, and before reconcile would. */
    if (kind == FAKE_CREATE && fault->act && (fault->status || fault->transport != HTTPS_OK) && dice_hit(dice, 25))
        fault->hide_ms = 20000 + dice_roll(dice, 60000);
    /* Confirmed, and not done: a read proves the end. Nothing could if that lied as well. */
    if (kind == FAKE_DELETE && dice_hit(dice, 20)) {
        *fault = (struct fake_fault){.kind = kind, .status = 204, .body = ""};
        scenario->lied = true;
    }
    if (kind == FAKE_GET && fault->status == 404 && scenario->lied)
        *fault = (struct fake_fault){.kind = kind, .act = true};
    if ((kind == FAKE_CREATE || kind == FAKE_DELETE) && dice_hit(dice, 2)) {
        fault->transport = HTTPS_STALL;
        fault->delay_ms = 130000;
    }
}

bool scenario_choose(void *ctx, enum fake_kind kind, struct fake_fault *fault)
{
    struct scenario *scenario = ctx;
    struct dice *dice = &scenario->dice;

    if (dice_hit(dice, scenario->calm))
        return false;
    switch (kind) {
    case FAKE_CREATE: spoil_create(dice, fault); break;
    case FAKE_LIST:
    case FAKE_GET:
        if (dice_hit(dice, 60)) /* reads fail less often than creates, or nothing would ever settle */
            return false;
        spoil_read(dice, kind, fault);
        break;
    case FAKE_DELETE: spoil_delete(dice, fault); break;
    case FAKE_OTHER:
        if (!scenario->program || dice_hit(dice, 60))
            return false;
        spoil_read(dice, kind, fault);
        break;
    }
    fault->kind = kind;
    if (scenario->program)
        spoil_more(scenario, kind, fault);
    return true;
}

void scenario_shape(void *ctx, struct fake_pod *pod)
{
    struct scenario *scenario = ctx;
    struct dice *dice = &scenario->dice;

    if (!dice_hit(dice, scenario->calm) && dice_hit(dice, 40))
        switch (dice_roll(dice, 4)) {
        case 0: pod->gpus = 1; break;
        case 1: (void)snprintf(pod->gpu_id, sizeof pod->gpu_id, "NVIDIA L4"); break;
        case 2: pod->cost = 99; break;
        case 3: pod->ends_as = "ERROR"; break;
        }
}

void sweep_add_foreign(struct fake *fake)
{
    (void)fake_add(fake, "NVIDIA A100-SXM4-80GB", 2, NULL, NULL);
    /* One with a mark that is not ours to act on: another launch, an intent of its own. */
    struct fake_pod *other = fake_add(fake, "NVIDIA A100-SXM4-80GB", 2, "foreign", "0123456789abcdef");
    other->foreign = true;
}

bool sweep_run(uint64_t seed, bool *placed)
{
    struct deploy_rig rig;
    struct scenario scenario;
    struct podsku_reconcile_result report = {0};
    const struct podsku_reconcile_options end_open = {.terminate = true, .settle_ms = 90000};
    bool holds = true;

    if (!deploy_rig_start(&rig))
        return false;
    scenario_make(&scenario, seed, &rig);
    scenario_serve(&scenario, rig.fake);
    sweep_add_foreign(rig.fake);
    (void)deploy_rig_run_plan(&rig, scenario.plan, scenario.plan_count);
    *placed = rig.result.code == PODSKU_OK;
    holds = sweep_check_deploy(&rig, seed);
    /* The service calms down, and what was left open is settled. */
    bool handed_over = rig.hand_over_count > 0 && rig.result.has_placed;
    scenario.calm = 100;
    enum podsku_code code = deploy_rig_reconcile(&rig, &end_open, &report);
    holds = sweep_check_reconciled(&rig, seed, handed_over, code, &report) && holds;
    if (!holds) {
        for (size_t i = 0; i < report.count; i++)
            fprintf(stderr, "%s %s: %s\n", podsku_reconcile_state_name(report.list[i].state), report.list[i].id,
                    report.list[i].why);
        fprintf(stderr, "%s\n", podsku_buf_text(&rig.said));
    }
    podsku_reconcile_result_free(&report);
    deploy_rig_stop(&rig);
    return holds;
}

static bool parse_seeds(const char *text, int64_t *first, int64_t *last)
{
    char copy[64];

    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        return false;
    char *dash = strchr(copy, '-');
    if (!dash)
        return false;
    *dash = '\0';
    return podsku_text_int(copy, 1, INT32_MAX, first) && podsku_text_int(dash + 1, *first, INT32_MAX, last);
}

int main(int argc, char **argv)
{
    int64_t first = 0, last = 0;
    int failed = 0, placed_count = 0;
    bool kill_runs = false, program = false, verbose = false;

    (void)signal(SIGPIPE, SIG_IGN);
    if (argc == 5 && strcmp(argv[1], "--child") == 0)
        return sweep_child(argv[2], argv[3], argv[4]);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--kill") == 0)
            kill_runs = true;
        else if (strcmp(argv[i], "--program") == 0)
            program = true;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = true;
        else if (strcmp(argv[i], "--seeds") != 0 || i + 1 == argc || !parse_seeds(argv[++i], &first, &last))
            first = 0;
    if (first == 0) {
        fprintf(stderr, "usage: podsku_sweep [--program] [--kill] --seeds FIRST-LAST [--verbose]\n");
        return 2;
    }
    const char *no_preload = program ? faults_no_preload() : NULL;
    if (no_preload) {
        printf("skipped: %s\n", no_preload);
        return 77;
    }
    if (program)
        faults_begin();
    for (int64_t seed = first; seed <= last; seed++) {
        bool placed = false;
        bool holds = program     ? sweep_run_program((uint64_t)seed, kill_runs, verbose, &placed)
                     : kill_runs ? sweep_run_killed((uint64_t)seed, &placed)
                                 : sweep_run((uint64_t)seed, &placed);
        if (!holds)
            fprintf(stderr, "seed %lld failed\n", (long long)seed);
        failed += !holds;
        placed_count += placed;
    }
    int count = (int)(last - first + 1);
    printf("%d runs, %d placed, %d failed\n", count, placed_count, failed);
    if (!kill_runs && count >= 20 && placed_count * 100 < count * LEAST_PLACED_PERCENT) {
        fprintf(stderr, "fewer than %d%% of the runs placed\n", LEAST_PLACED_PERCENT);
        failed++;
    }
    return failed ? 1 : 0;
}
