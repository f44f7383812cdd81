/*
 * The same with SIGKILL or SIGTERM at a random moment: the deploy runs in a child process, the service
 * in this one, which kills the child at its n-th request, before or after acting on it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
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

/* As the program does it: written and flushed, before the journal says so. */
static enum podsku_code hand_over_to_stdout(void *ctx, const struct podsku_deploy_result *result,
                                            struct podsku_error *err)
{
    (void)ctx;
    if (printf("%s\n", result->placed.cluster.id ? result->placed.cluster.id : result->placed.pod.id) < 0 ||
        fflush(stdout) != 0)
        return podsku_error_set(err, PODSKU_OUTPUT, "cannot write to standard output");
    return PODSKU_OK;
}

/* Between what the service sees; the delay lets the child get on with its work meanwhile. */
void scenario_watch(void *ctx, enum fake_kind kind, bool after)
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

/* The clock that both processes share: a file beside the journal. NULL when it cannot be mapped. */
static struct fake_time *map_time(const char *folder, bool create)
{
    char path[128];

    (void)snprintf(path, sizeof path, "%s/time", folder);
    int fd = open(path, O_RDWR | (create ? O_CREAT | O_EXCL : 0), 0600);
    if (fd < 0 || (create && ftruncate(fd, sizeof(struct fake_time)) != 0))
        return NULL;
    struct fake_time *time = mmap(NULL, sizeof *time, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    return time == MAP_FAILED ? NULL : time;
}

int sweep_child(const char *seed_text, const char *port_text, const char *folder)
{
    struct deploy_rig rig;
    struct scenario scenario;
    struct sigaction action = {.sa_handler = on_signal};
    struct fake_time *time = map_time(folder, false);
    int64_t seed, port;

    (void)sigaction(SIGTERM, &action, NULL);
    if (!time || !podsku_text_int(seed_text, 1, INT32_MAX, &seed) || !podsku_text_int(port_text, 1, 65535, &port) ||
        !deploy_rig_attach(&rig, time, (int)port, folder))
        return 99;
    scenario_make(&scenario, (uint64_t)seed, &rig);
    rig.hooks.signals = (struct podsku_signals){count_signals, rig.hooks.signals.acknowledge, &rig};
    rig.hooks.hand_over = hand_over_to_stdout;
    enum podsku_code code = deploy_rig_run_plan(&rig, scenario.plan, scenario.plan_count);
    deploy_rig_detach(&rig);
    return podsku_code_exit_status(code);
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

/* Starts the child: a process of its own, since this one has threads. Its pid, or -1. */
static int start_child(const struct deploy_rig *rig, uint64_t seed, const int ends[2])
{
    char seed_text[24], port_text[16];
    char name[] = "podsku_sweep";
    char mode[] = "--child";
    char *const argv[] = {name, mode, seed_text, port_text, (char *)rig->folder, NULL};

    (void)snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed);
    (void)snprintf(port_text, sizeof port_text, "%d", https_server_port(rig->fake->server));
    int pid = fork();
    if (pid == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)execv("/proc/self/exe", argv);
        _exit(99);
    }
    return pid;
}

/* Runs the child while the scenario may kill it. False: it could not be started. */
static bool run_child(struct deploy_rig *rig, struct scenario *scenario, uint64_t seed, int *status)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    (void)pthread_mutex_lock(&rig->fake->lock); /* no request is seen before the pid is known */
    scenario->pid = start_child(rig, seed, ends);
    bool started = scenario->pid > 0;
    int pid = scenario->pid;
    (void)pthread_mutex_unlock(&rig->fake->lock);
    (void)close(ends[1]);
    *status = wait_for(pid, ends[0], &rig->output);
    (void)pthread_mutex_lock(&rig->fake->lock);
    scenario->pid = 0;
    (void)pthread_mutex_unlock(&rig->fake->lock);
    return started;
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
    scenario_serve(&scenario, rig->fake);
    sweep_add_foreign(rig->fake);
    scenario.kill_signal = dice_hit(&scenario.dice, 70) ? SIGKILL : SIGTERM;
    scenario.kill_at = 1 + dice_roll(&scenario.dice, dice_hit(&scenario.dice, 50) ? 3 : 30);
    scenario.kill_after = dice_hit(&scenario.dice, 60);
    scenario.kill_delay_us = dice_hit(&scenario.dice, 50) ? 0 : dice_roll(&scenario.dice, 3000);
    rig->fake->watch = scenario_watch;
    if (!run_child(rig, &scenario, seed, &status))
        return false;
    *placed = rig->output.len > 0;
    bool holds = check_child(rig, seed, status);
    scenario.calm = 100;
    enum podsku_code code = deploy_rig_reconcile(rig, &end_open, &report);
    for (size_t i = 0; i < report.count; i++)
        podsku_buf_printf(&rig->said, "%s %s: %s\n", podsku_reconcile_state_name(report.list[i].state),
                          report.list[i].id, report.list[i].why);
    /* Killed after the hand-over was told and before it was journaled: reconcile may end that pod. */
    holds = sweep_check_reconciled(rig, seed, *placed && status != -1, code, &report) && holds;
    podsku_reconcile_result_free(&report);
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
    struct fake_time *time = mkdtemp(folder) ? map_time(folder, true) : NULL;

    if (!time || !fake_start(&fake, time) || !deploy_rig_attach(&rig, time, https_server_port(fake.server), folder))
        return false;
    rig.fake = &fake;
    bool holds = sweep_in(&rig, seed, placed);
    if (!holds)
        fprintf(stderr, "%s\n", podsku_buf_text(&rig.said));
    deploy_rig_detach(&rig);
    fake_stop(&fake);
    deploy_rig_remove(folder);
    (void)munmap(time, sizeof *time);
    return holds;
}
