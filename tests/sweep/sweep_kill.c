/*
 * The same with SIGKILL or SIGTERM at a random moment: the deploy runs in a child process, the service
 * in this one, which kills the child at its n-th request, before or after acting on it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sweep/sweep.h"

static volatile sig_atomic_t child_signals;

static void on_signal(int number)
{
    (void)number;
    child_signals++;
}

static int count_signals(void *ctx)
{
    struct deploy_rig *rig = ctx;

    rig->signals = child_signals;
    return rig->signals;
}

/* Between what the service sees; the delay lets the child get on with its work meanwhile. */
static void on_request(void *ctx, enum fake_kind kind, bool after)
{
    struct scenario *scenario = ctx;

    (void)kind;
    scenario->requests += !after;
    if (scenario->pid > 0 && scenario->kill_signal && scenario->requests >= scenario->kill_at &&
        after == scenario->kill_after) {
        (void)usleep((useconds_t)scenario->kill_delay_us);
        (void)kill(scenario->pid, scenario->kill_signal);
        scenario->kill_signal = 0;
    }
}

/* The child: a deploy of its own client and journal. Writes what it hands over to the pipe; never returns. */
static void deploy_in_child(struct fake *fake, const char *folder, uint64_t seed, int output)
{
    struct deploy_rig rig;
    struct scenario scenario;
    struct sigaction action = {.sa_handler = on_signal};

    (void)sigaction(SIGTERM, &action, NULL);
    if (!deploy_rig_attach(&rig, fake, folder))
        _exit(99);
    scenario_make(&scenario, seed, &rig);
    rig.hooks.signals = (struct podsku_signals){count_signals, rig.hooks.signals.acknowledge, &rig};
    int code = (int)deploy_rig_run_plan(&rig, scenario.plan, scenario.plan_count);
    if (rig.output.len > 0 && write(output, rig.output.data, rig.output.len) < 0)
        code = PODSKU_OUTPUT;
    _exit(podsku_code_exit_status((enum podsku_code)code));
}

/* Reads what the child wrote until it ends, and its exit status (-1: killed). */
static int wait_for(int pid, int input, struct podsku_buf *output)
{
    char bytes[256];
    ssize_t got;
    int status = 0;

    while ((got = read(input, bytes, sizeof bytes)) > 0)
        podsku_buf_append(output, bytes, (size_t)got);
    (void)close(input);
    if (waitpid(pid, &status, 0) != pid)
        return 99;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Starts the child and lets the scenario kill it. False: it could not be started. */
static bool run_child(struct deploy_rig *rig, struct scenario *scenario, uint64_t seed, int *status)
{
    int ends[2];

    if (pipe(ends) != 0)
        return false;
    (void)fflush(NULL);
    (void)pthread_mutex_lock(&rig->fake->lock); /* no request is seen before the pid is known */
    int pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        deploy_in_child(rig->fake, rig->folder, seed, ends[1]);
    }
    scenario->pid = pid;
    (void)pthread_mutex_unlock(&rig->fake->lock);
    (void)close(ends[1]);
    *status = wait_for(pid, ends[0], &rig->output);
    (void)pthread_mutex_lock(&rig->fake->lock);
    scenario->pid = 0;
    (void)pthread_mutex_unlock(&rig->fake->lock);
    return pid > 0;
}

/* The child's own words are lost with it: its exit status must fit what the account shows. */
static bool check_child(struct deploy_rig *rig, uint64_t seed, int status)
{
    size_t alive = 0;

    for (size_t i = 0; i < rig->fake->pod_count; i++)
        alive += !rig->fake->pods[i].deleted_ms && !rig->fake->pods[i].foreign;
    if (status == 99) {
        fprintf(stderr, "seed %llu: the child did not start\n", (unsigned long long)seed);
        return false;
    }
    if (alive > 0 && rig->output.len == 0 && status != -1 && status != 8) {
        fprintf(stderr, "seed %llu: exit %d, and %zu pods live that were not handed over\n", (unsigned long long)seed,
                status, alive);
        return false;
    }
    if (status == 0 && rig->output.len == 0) {
        fprintf(stderr, "seed %llu: exit 0 without a pod\n", (unsigned long long)seed);
        return false;
    }
    return true;
}

/* A runner without a memory. */
static bool forget_journal(struct deploy_rig *rig)
{
    deploy_rig_remove(rig->folder);
    return mkdir(rig->folder, 0700) == 0;
}

static bool sweep_in(struct deploy_rig *rig, uint64_t seed, bool *placed)
{
    struct scenario scenario;
    struct podsku_reconcile_result report = {0};
    const struct podsku_reconcile_options end_open = {.terminate = true, .settle_ms = 90000};
    const struct podsku_reconcile_options end_launch = {.launch_id = "L1", .terminate = true, .settle_ms = 90000};
    int status = 0;

    scenario_make(&scenario, seed, rig);
    sweep_add_foreign(rig->fake);
    scenario.kill_signal = dice_hit(&scenario.dice, 70) ? SIGKILL : SIGTERM;
    scenario.kill_at = 1 + dice_roll(&scenario.dice, dice_hit(&scenario.dice, 50) ? 3 : 30);
    scenario.kill_after = dice_hit(&scenario.dice, 60);
    scenario.kill_delay_us = dice_hit(&scenario.dice, 50) ? 0 : dice_roll(&scenario.dice, 3000);
    rig->fake->watch = on_request;
    if (!run_child(rig, &scenario, seed, &status))
        return false;
    *placed = rig->output.len > 0;
    bool holds = check_child(rig, seed, status);
    scenario.calm = 100;
    enum podsku_code code = deploy_rig_reconcile(rig, &end_open, &report);
    if (code != PODSKU_OK) {
        fprintf(stderr, "seed %llu: reconcile: %s\n", (unsigned long long)seed, rig->err.message);
        holds = false;
    }
    podsku_reconcile_result_free(&report);
    /* Killed after the hand-over was told and before it was journaled: reconcile may end that pod. */
    holds = sweep_check_reconciled(rig, seed, *placed && status != -1) && holds;
    /* And without a journal, by the user's word that the launch is over. */
    code = forget_journal(rig) ? deploy_rig_reconcile(rig, &end_launch, &report) : PODSKU_INTERNAL;
    podsku_reconcile_result_free(&report);
    if (code != PODSKU_OK || fake_alive(rig->fake, NULL) > 0 || fake_alive_foreign(rig->fake) != SWEEP_FOREIGN) {
        fprintf(stderr, "seed %llu: --launch-id left something: %s\n", (unsigned long long)seed, rig->err.message);
        holds = false;
    }
    return holds;
}

bool sweep_run_killed(uint64_t seed, bool *placed)
{
    struct deploy_rig rig;
    struct fake fake;
    char folder[] = "/tmp/podsku-test-XXXXXX";
    struct fake_time *time = mmap(NULL, sizeof *time, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (time == MAP_FAILED || !mkdtemp(folder) || !fake_start(&fake, time) || !deploy_rig_attach(&rig, &fake, folder))
        return false;
    bool holds = sweep_in(&rig, seed, placed);
    if (!holds)
        fprintf(stderr, "%s\n", podsku_buf_text(&rig.said));
    deploy_rig_detach(&rig);
    fake_stop(&fake);
    deploy_rig_remove(folder);
    (void)munmap(time, sizeof *time);
    return holds;
}
