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
    bool program;    /* the real program: the catalogue fails, too, and answers come late */
    bool lied;       /* about a delete: from then on no read says 404 of a pod that lives */
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
/* Kills the process `pid` at its request. */
void scenario_watch(void *ctx, enum fake_kind kind, bool after);

/* Foreign pods that must be there at the end. */
#define SWEEP_FOREIGN 2
void sweep_add_foreign(struct fake *fake);

/* Says what is wrong with a seed (detail: NULL, none); always false. */
bool sweep_complain(uint64_t seed, const char *what, const char *detail);
/* A pod's variable, "" when it has none; its id, or its cluster's. */
const char *sweep_mark(const struct fake_pod *pod, const char *name);
const char *sweep_thing(const struct fake_pod *pod);
/* What holds at any moment: every pod of ours is named, no create was sent twice, no foreign pod was touched. */
bool sweep_check_account(struct deploy_rig *rig, uint64_t seed);
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
/* The same with the program that users run; see sweep_program.c. */
bool sweep_run_program(uint64_t seed, bool kill_it, bool verbose, bool *placed);
/* In the child of a killed run: "SEED PORT FOLDER" of its arguments. Returns the exit status. */
int sweep_child(const char *seed, const char *port, const char *folder);

#endif
