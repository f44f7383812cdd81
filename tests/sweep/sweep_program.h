/* What the parts of the program's sweep share. */
#ifndef TESTS_SWEEP_SWEEP_PROGRAM_H
#define TESTS_SWEEP_SWEEP_PROGRAM_H

#include "tests/cli/program.h"
#include "tests/sweep/sweep.h"

#define SWEEP_WORDS 48
#define SWEEP_KILLED (128 + 9) /* the status of a program that SIGKILL ended */
/* The one reason for which reconcile leaves a pod of an open entry alone, and says so. */
#define SWEEP_EXCUSE "GPU type is not the journal's"

/* One seed: the account, the program's folder, its command line, and what it said. */
struct program_sweep {
    uint64_t seed;
    struct scenario scenario;
    struct fake fake;
    struct fake_time *time;
    char time_path[80];
    struct program program;
    struct deploy_rig rig;              /* reads the program's journal; rig.output: ids that it told, a line each */
    const char *words[SWEEP_WORDS + 1]; /* of the deploy */
    size_t word_count;
    char settle[16], attempts[16];
    bool json, keep, launch_given;
    bool signalled;                /* a signal came, or may have, into the latest run */
    char end[32];                  /* PODSKU_SWEEP_END of the next run; empty: none */
    struct podsku_buf log;         /* what the stand-in did, command lines and what the program said */
    char told[40];                 /* the id that the latest run told; empty: none */
    json_t *document;              /* the latest podsku.deploy/1; NULL: none */
    struct podsku_buf handed_over; /* ids of runs that ended with 0, a line each: they are to be left alone */
    int64_t listed_ms;             /* when the service last gave a whole list */
    enum fake_kind latest;         /* request */
    bool created_too_early;
};

/* The command line and the stand-in's lies, from the seed. */
void sweep_program_make(struct program_sweep *sweep, uint64_t seed);
/* What the stand-in answers beside pods: the catalogue, logs. As struct fake's `other`; ctx: the scenario. */
char *sweep_program_other(void *ctx, const struct https_request *request, const char **content_type);

/* What must hold after a deploy, and after a reconcile or a list with a calm service. */
bool sweep_program_check_deploy(struct program_sweep *sweep);
bool sweep_program_check_reconciled(struct program_sweep *sweep, bool calm, bool json);
bool sweep_program_check_list(struct program_sweep *sweep);

#endif
