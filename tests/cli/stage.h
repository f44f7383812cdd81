/*
 * What most tests of the real program start from: the program, and the stand-in for the service that it
 * talks to. Each test gets both anew: cmocka_unit_test_setup_teardown(test, stage_up, stage_down).
 */
#ifndef TESTS_CLI_STAGE_H
#define TESTS_CLI_STAGE_H

#include "tests/cli/fake_cloud.h"
#include "tests/cli/program.h"

extern struct cloud cloud;
extern struct program program;

int stage_up(void **state);
int stage_down(void **state);

#endif
