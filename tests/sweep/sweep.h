/* What the parts of the sweep share. */
#ifndef TESTS_SWEEP_SWEEP_H
#define TESTS_SWEEP_SWEEP_H

#include "tests/sweep/deploy_rig.h"

#define SWEEP_PLAN 5

/* A seeded generator (xorshift64*): the same seed gives the same run. */
struct dice {
    uint64_t state;
};
void dice_seed(struct dice *dice, uint64_t seed);
/* 0 .. n-1 */
int dice_roll(struct dice *dice, int n);
/* True in `percent` of the cases. */
bool dice_hit(struct dice *dice, int percent);

/* One run's circumstances, made of its seed. */
struct scenario {
    struct dice dice;
    struct podsku_plan_entry plan[SWEEP_PLAN];
    size_t plan_count;
    enum podsku_api api;
    bool cluster;
    int calm;        /* percent of requests without any fault */
    int kill_signal; /* 0: none; SIGKILL, SIGTERM */
    int kill_at;     /* the n-th request */
    bool kill_after; /* it was acted on */
    int kill_delay_us;
    int pid; /* of the deploy that is to be killed; 0: none yet */
    int requests;
};
void scenario_make(struct scenario *scenario, uint64_t seed, struct deploy_rig *rig);
/* The stand-in's part of it: how it asks the scenario. */
void scenario_serve(struct scenario *scenario, struct fake *fake);
/* The stand-in's questions. ctx: the scenario. */
bool scenario_choose(void *ctx, enum fake_kind kind, struct fake_fault *fault);
void scenario_shape(void *ctx, struct fake_pod *pod);

/* Foreign pods that must be there at the end. */
#define SWEEP_FOREIGN 2
void sweep_add_foreign(struct fake *fake);

/* What a run left, checked against the invariants; complaints go to stderr. True: all hold. */
bool sweep_check_deploy(struct deploy_rig *rig, uint64_t seed);
/*
 * After reconcile --terminate with a calm service: nothing of ours lives but what was handed over, and
 * late pods of another type than the journal's, which reconcile may not end and therefore names (exit 8).
 */
bool sweep_check_reconciled(struct deploy_rig *rig, uint64_t seed, bool handed_over, enum podsku_code code,
                            const struct podsku_reconcile_result *report);

/* One seed of each kind. *placed: something was handed over. */
bool sweep_run(uint64_t seed, bool *placed);
bool sweep_run_killed(uint64_t seed, bool *placed);
/* In the child of a killed run: "SEED PORT FOLDER" of its arguments. Returns the exit status. */
int sweep_child(const char *seed, const char *port, const char *folder);

#endif
