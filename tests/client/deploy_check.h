/* What the tests of deploys share: start a rig, run it, and expect a code, outcomes and live pods. */
#ifndef TESTS_CLIENT_DEPLOY_CHECK_H
#define TESTS_CLIENT_DEPLOY_CHECK_H

#include "tests/support/test.h"
#include "tests/sweep/deploy_rig.h"

void start(struct deploy_rig *rig);
/* Fails with everything that was said unless the result is this. outcomes: "mismatch placed"; alive: pods of ours. */
void check(struct deploy_rig *rig, enum podsku_code code, const char *outcomes, size_t alive, const char *file,
           int line);
/* What a killed deploy leaves: a journal without its last lines. keep: lines that stay. */
void forget(struct deploy_rig *rig, size_t keep);

#define CHECK(rig, code, outcomes, alive) check(rig, code, outcomes, alive, __FILE__, __LINE__)
/* Runs the first `count` candidates of rig_plan. */
#define RUN(rig, count, code, outcomes, alive) \
    (assert_int_equal(deploy_rig_run(rig, count), code), CHECK(rig, code, outcomes, alive))

#endif
