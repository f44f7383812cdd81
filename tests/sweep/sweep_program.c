/*
 * The sweep with the program that users run: `podsku deploy` with seeded flags against the stand-in in
 * virtual time (virtual_time.c is preloaded), perhaps once more with the same --launch-id, then
 * `reconcile --terminate`, perhaps first while the service still lies, `pods list`, perhaps `reconcile
 * --expired`, and at the end `reconcile --launch-id` without a journal. With --kill the first deploy is ended by
 * SIGKILL or SIGTERM at a request or at one of its own system calls. See sweep_program_check.c for what must hold.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/sweep/sweep_program.h"

#define SETTLE_LONG "90s"
#define DRAIN_MS 30000

/* What is rolled before the first run: afterwards the stand-in's threads roll, too. */
struct course {
    bool again;      /* the deploy once more */
    bool rough;      /* a reconcile while the service still lies */
    bool list_first; /* before the reconcile */
    bool json;       /* of the reconcile */
    bool expire;     /* and one two hours later, for what has a --ttl */
    bool forget;     /* and at last one without a journal */
};

/* ------------------------------------------------------------------ the stand-in's log */

static struct program_sweep *of_scenario(void *scenario)
{
    return (void *)((char *)scenario - offsetof(struct program_sweep, scenario));
}

/*
 * A create while a pod of the same launch lives is only right if a whole list was read right before it
 * and could not show that pod: it was there, and hidden. Otherwise something was not settled before the
 * next create. (Of a cluster, the members are read after the lists.)
 */
static void judge_create(struct program_sweep *sweep)
{
    const struct fake *fake = &sweep->fake;
    const char *launch = fake->creates[fake->create_count - 1].launch;
    bool looked = sweep->latest == FAKE_LIST || sweep->scenario.cluster;

    for (size_t i = 0; i < fake->pod_count; i++) {
        const struct fake_pod *pod = &fake->pods[i];
        int64_t made_ms = pod->running_ms - fake->starts_ms;
        if (pod->deleted_ms || pod->foreign || strcmp(sweep_mark(pod, "PODSKU_LAUNCH_ID"), launch) != 0 ||
            (looked && made_ms <= sweep->listed_ms && sweep->listed_ms <= pod->visible_ms))
            continue;
        podsku_buf_printf(&sweep->log, "    too early: %s lives, visible %lld, listed %lld\n", pod->id,
                          (long long)pod->visible_ms, (long long)sweep->listed_ms);
        sweep->created_too_early = true;
    }
}

/*
 * A DELETE that is confirmed and not done, of a pod that reads do not show yet: "confirmed, and then not found" is
 * what the contract calls gone, and nothing says otherwise.
 */
static bool lies_beyond_proof(struct program_sweep *sweep, enum fake_kind kind, const struct fake_fault *fault)
{
    if (kind != FAKE_DELETE || fault->act || fault->status != 204)
        return false;
    for (size_t i = 0; i < sweep->fake.pod_count; i++)
        if (!sweep->fake.pods[i].deleted_ms && sweep->fake.pods[i].visible_ms > fake_now(sweep->time))
            return true;
    return false;
}

/* The scenario's choice, noted. */
static bool choose(void *ctx, enum fake_kind kind, struct fake_fault *fault)
{
    static const char *const names[] = {"create", "list", "get", "delete", "other"};
    struct program_sweep *sweep = of_scenario(ctx);
    bool chosen = scenario_choose(ctx, kind, fault) && !lies_beyond_proof(sweep, kind, fault);

    if (kind == FAKE_CREATE)
        judge_create(sweep);
    if (kind == FAKE_LIST && (!chosen || (fault->status == 0 && fault->transport != HTTPS_RESET_AFTER &&
                                          fault->transport != HTTPS_TRUNCATE)))
        sweep->listed_ms = fake_now(sweep->time);
    sweep->latest = kind;
    podsku_buf_printf(&sweep->log, "    [%lld] %s", (long long)fake_now(sweep->time), names[kind]);
    if (chosen)
        podsku_buf_printf(&sweep->log, ": act %d, status %d, transport %d, hide %lld, late %lld, twice %d, %s",
                          fault->act, fault->status, (int)fault->transport, (long long)fault->hide_ms,
                          (long long)fault->delay_ms, fault->twice, fault->lingers_as ? fault->lingers_as : "-");
    podsku_buf_putc(&sweep->log, '\n');
    return chosen;
}

static void show(struct program_sweep *sweep)
{
    fprintf(stderr, "%s", podsku_buf_text(&sweep->log));
    for (size_t i = 0; i < sweep->fake.pod_count; i++) {
        const struct fake_pod *pod = &sweep->fake.pods[i];
        fprintf(stderr, "    pod %s %s x%d %s intent %s visible %lld deleted %lld lingers %lld%s\n", pod->id,
                pod->gpu_id, pod->gpus, pod->cluster_id, sweep_mark(pod, "PODSKU_INTENT"), (long long)pod->visible_ms,
                (long long)pod->deleted_ms, (long long)pod->lingers_ms, pod->foreign ? " foreign" : "");
    }
}

/* ------------------------------------------------------------------ runs */

/* In the child, before it becomes the program. */
static void surround(void *ctx)
{
    const struct program_sweep *sweep = ctx;
    char url[128];

    (void)https_server_url(sweep->fake.server, "/v1", url, sizeof url);
    (void)setenv("PODSKU_API_V1_URL", url, 1);
    (void)setenv("PODSKU_SWEEP_TIME", sweep->time_path, 1);
    if (sweep->end[0])
        (void)setenv("PODSKU_SWEEP_END", sweep->end, 1);
    (void)setenv("LD_PRELOAD", PODSKU_VIRTUAL_TIME, 1);
}

/* Runs the program to its end, and the stand-in until it has acted on all that was sent. */
static bool run(struct program_sweep *sweep, const char *const *words)
{
    struct program *program = &sweep->program;

    (void)pthread_mutex_lock(&sweep->fake.lock); /* no request is seen before the pid is known */
    podsku_buf_printf(&sweep->log, "  podsku");
    for (size_t i = 0; words[i]; i++)
        podsku_buf_printf(&sweep->log, " %s", words[i]);
    podsku_buf_printf(&sweep->log, "  %s\n", sweep->end);
    sweep->signalled = sweep->end[0] || sweep->scenario.kill_signal;
    bool started = program_start(program, words);
    sweep->scenario.pid = started ? program->pid : 0;
    (void)pthread_mutex_unlock(&sweep->fake.lock);
    int status = started ? program_wait(program) : -1;
    (void)pthread_mutex_lock(&sweep->fake.lock);
    sweep->scenario.pid = 0;
    (void)pthread_mutex_unlock(&sweep->fake.lock);
    bool drained = https_server_drain(sweep->fake.server, DRAIN_MS);
    podsku_buf_printf(&sweep->log, "  exit %d\n--- stdout\n%s--- stderr\n%s---\n", status, program_out(program),
                      program_err(program));
    sweep->end[0] = '\0';
    if (status < 0 || status == 127)
        return sweep_complain(sweep->seed, "the program did not run to its end", NULL);
    if (!drained)
        return sweep_complain(sweep->seed, "the stand-in still has a client", NULL);
    if (strstr(program_out(program), PROGRAM_KEY) || strstr(program_err(program), PROGRAM_KEY))
        return sweep_complain(sweep->seed, "the key was shown", NULL);
    return true;
}

static bool deploy(struct program_sweep *sweep)
{
    bool holds = run(sweep, sweep->words) && sweep_program_check_deploy(sweep);

    if (sweep->created_too_early)
        holds = sweep_complain(sweep->seed, "a create before the one before it was settled", NULL);
    return holds;
}

static bool reconcile(struct program_sweep *sweep, bool json, bool calm)
{
    const char *const words[] = {"reconcile", "--terminate", "--settle-timeout", SETTLE_LONG, json ? "-o" : NULL,
                                 "json",      NULL};

    sweep->scenario.calm = calm ? 100 : sweep->scenario.calm;
    return run(sweep, words) && sweep_program_check_reconciled(sweep, calm, json);
}

static bool list(struct program_sweep *sweep)
{
    static const char *const words[] = {"pods", "list", "-o", "json", NULL};

    sweep->scenario.calm = 100;
    return run(sweep, words) && sweep_program_check_list(sweep);
}

/* A runner without a memory, and the user's word that every launch is over. */
static bool forget(struct program_sweep *sweep)
{
    bool v1 = sweep->scenario.api == PODSKU_API_V1;
    bool holds = true;

    sweep->scenario.calm = 100;
    deploy_rig_remove(sweep->rig.folder);
    for (size_t i = 0; i < sweep->fake.create_count && holds; i++) {
        const char *launch = sweep->fake.creates[i].launch;
        const char *const words[] = {"reconcile", "--terminate",       "--launch-id", launch, "--settle-timeout",
                                     SETTLE_LONG, v1 ? "--api" : NULL, "v1",          NULL};
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen = seen || strcmp(sweep->fake.creates[j].launch, launch) == 0;
        if (seen)
            continue;
        holds = run(sweep, words);
        if (holds && sweep->program.status != 0)
            holds = sweep_complain(sweep->seed, "--launch-id without a journal", "exit status is not 0");
    }
    if (fake_alive(&sweep->fake, NULL) > 0)
        holds = sweep_complain(sweep->seed, "--launch-id left a pod", NULL);
    if (fake_alive_foreign(&sweep->fake) != SWEEP_FOREIGN)
        holds = sweep_complain(sweep->seed, "--launch-id touched a foreign pod", NULL);
    return holds;
}

/* Two hours later: whatever was marked with a time of one is ended, however it was handed over. */
static bool expire(struct program_sweep *sweep)
{
    static const char *const words[] = {"reconcile", "--expired", "--terminate", "--settle-timeout", SETTLE_LONG, NULL};

    sweep->scenario.calm = 100;
    (void)atomic_fetch_add(&sweep->time->slept_ms, 7200000);
    bool holds = run(sweep, words);
    bool excused = sweep->program.status == 8 && strstr(program_out(&sweep->program), SWEEP_EXCUSE);
    if (holds && sweep->program.status != 0 && !excused)
        holds = sweep_complain(sweep->seed, "--expired", "exit status is not 0");
    for (size_t i = 0; i < sweep->fake.pod_count; i++) {
        const struct fake_pod *pod = &sweep->fake.pods[i];
        bool marked = sweep_mark(pod, "PODSKU_EXPIRES")[0] != '\0';
        if (!pod->deleted_ms && marked)
            holds = sweep_complain(sweep->seed, "--expired left a pod", pod->id);
        if (pod->deleted_ms && !marked && strstr(podsku_buf_text(&sweep->handed_over), sweep_thing(pod)))
            holds = sweep_complain(sweep->seed, "--expired ended a pod that has no end", pod->id);
    }
    return holds;
}

/* ------------------------------------------------------------------ a seed */

static void choose_end(struct program_sweep *sweep)
{
    struct scenario *scenario = &sweep->scenario;
    struct dice *dice = &scenario->dice;
    int number = dice_hit(dice, 70) ? SIGKILL : SIGTERM;

    if (dice_hit(dice, 65)) {
        int most = dice_hit(dice, 50) ? 80 : 400;
        int again = number == SIGTERM && dice_hit(dice, 30) ? 1 + dice_roll(dice, 60) : 0;
        (void)snprintf(sweep->end, sizeof sweep->end, "%d@%d+%d", number, 1 + dice_roll(dice, most), again);
        return;
    }
    scenario->kill_signal = number;
    scenario->kill_at = 1 + dice_roll(dice, dice_hit(dice, 50) ? 4 : 30);
    scenario->kill_after = dice_hit(dice, 60);
}

static bool sweep_in(struct program_sweep *sweep, bool kill_it)
{
    struct dice *dice = &sweep->scenario.dice;
    const struct course course = {
        .again = dice_hit(dice, sweep->launch_given ? 60 : 10),
        .rough = dice_hit(dice, 30),
        .list_first = dice_hit(dice, 30),
        .json = dice_hit(dice, 70),
        .expire = dice_hit(dice, 30),
        .forget = dice_hit(dice, kill_it ? 60 : 30),
    };

    if (kill_it)
        choose_end(sweep);
    bool holds = deploy(sweep);
    sweep->scenario.kill_signal = 0;
    if (holds && course.again)
        holds = deploy(sweep);
    if (holds && course.rough)
        holds = reconcile(sweep, course.json, false);
    if (holds && course.list_first)
        holds = list(sweep);
    if (holds)
        holds = reconcile(sweep, course.json, true);
    if (holds && !course.list_first)
        holds = list(sweep);
    if (holds && course.expire)
        holds = expire(sweep);
    if (holds && course.forget)
        holds = forget(sweep);
    return holds;
}

/* The clock that the program and the stand-in share. */
static bool map_time(struct program_sweep *sweep)
{
    (void)snprintf(sweep->time_path, sizeof sweep->time_path, "%s/time", sweep->program.folder);
    int fd = open(sweep->time_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    void *memory = ftruncate(fd, sizeof *sweep->time) == 0
                       ? mmap(NULL, sizeof *sweep->time, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                       : MAP_FAILED;
    (void)close(fd);
    sweep->time = memory == MAP_FAILED ? NULL : memory;
    return sweep->time != NULL;
}

/* The rig reads the journal of a folder that the program is to make itself. */
static bool attach(struct program_sweep *sweep)
{
    char parent[80], folder[96];

    (void)snprintf(parent, sizeof parent, "%s/state", sweep->program.folder);
    (void)snprintf(folder, sizeof folder, "%s/podsku", parent);
    if (mkdir(parent, 0700) != 0 || mkdir(folder, 0700) != 0 ||
        !deploy_rig_attach(&sweep->rig, sweep->time, https_server_port(sweep->fake.server), folder))
        return false;
    sweep->rig.fake = &sweep->fake;
    return rmdir(folder) == 0 && rmdir(parent) == 0;
}

static bool start(struct program_sweep *sweep)
{
    char url[64];

    if (!program_init(&sweep->program, NULL) || !map_time(sweep) || !fake_start(&sweep->fake, sweep->time))
        return false;
    (void)https_server_url(sweep->fake.server, "/v2", url, sizeof url);
    (void)snprintf(sweep->program.url, sizeof sweep->program.url, "%s", url);
    sweep->program.surround = surround;
    sweep->program.surround_ctx = sweep;
    return attach(sweep);
}

bool sweep_run_program(uint64_t seed, bool kill_it, bool verbose, bool *placed)
{
    struct program_sweep *sweep = calloc(1, sizeof *sweep);

    if (!sweep || !start(sweep))
        return sweep_complain(seed, "the sweep does not start", strerror(errno));
    sweep_program_make(sweep, seed);
    sweep->fake.choose = choose;
    sweep->fake.watch = scenario_watch;
    bool holds = sweep_in(sweep, kill_it);
    *placed = sweep->handed_over.len > 0;
    if (!holds || verbose)
        show(sweep);
    deploy_rig_detach(&sweep->rig);
    fake_stop(&sweep->fake);
    (void)munmap(sweep->time, sizeof *sweep->time);
    program_end(&sweep->program);
    podsku_buf_free(&sweep->log);
    podsku_buf_free(&sweep->handed_over);
    json_decref(sweep->document);
    free(sweep);
    return holds;
}
