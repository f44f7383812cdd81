/*
 * The real program's pods and clusters when an end is not the usual one: a signal before the proof, members
 * that only their cluster ends, logs that cannot be read. Against a stateful stand-in.
 */
#include <signal.h>
#include <time.h>

#include "base/clock.h"
#include "tests/cli/stage.h"
#include "tests/support/test.h"

#define DEPLOY "deploy", "--gpus", "8", "--nvlink", "--image", "img:1"

/* Waits until the service was asked to stop, start or end so many times. */
static bool acted(int times)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    int64_t end_ms = podsku_clock_mono_ms(podsku_clock_system()) + 20000;
    int acts = 0;

    while (acts < times && podsku_clock_mono_ms(podsku_clock_system()) < end_ms) {
        (void)nanosleep(&pause, NULL);
        (void)pthread_mutex_lock(&cloud.lock);
        acts = cloud.acts;
        (void)pthread_mutex_unlock(&cloud.lock);
    }
    return acts >= times;
}

/* Starts it, sends one signal once the service was asked, and expects what nobody can know to be said. */
static void interrupt(const char *const *words, const char *said, const char *hint)
{
    cloud.acts = 0;
    assert_true(program_start(&program, words));
    assert_true(acted(1));
    (void)kill(program.pid, SIGINT);
    program_expect(&program, program_wait(&program), 8, __FILE__, __LINE__);
    HOLDS(program_err(&program), said);
    HOLDS(program_err(&program), hint);
    LACKS(program_err(&program), "second signal");
}

static void a_signal_before_the_proof_leaves_it_open(void **state)
{
    (void)state;
    EXPECT_RUN(&program, 0, DEPLOY);
    cloud.deaf = true;
    interrupt((const char *const[]){"pods", "terminate", "pod0001", NULL},
              "pod0001 may still run: ", "try again: podsku pods terminate pod0001");
    HOLDS(program_err(&program), "a signal stopped the wait for the proof");
    interrupt((const char *const[]){"pods", "terminate", "pod0001", "-o", "json", NULL},
              "pod0001 may still run: ", "try again: podsku pods terminate pod0001");
    HOLDS(program_out(&program), "\"unsettled\"");
    interrupt((const char *const[]){"pods", "stop", "pod0001", NULL}, "the stop of pod0001 was asked for",
              "podsku pods get pod0001");
    cloud.deaf = false;
    EXPECT_RUN(&program, 0, DEPLOY, "--nodes", "2", "--gpu", "H100 SXM");
    cloud.deaf = true;
    interrupt((const char *const[]){"clusters", "terminate", "cluster002", NULL},
              "cluster002 may still run: ", "try again: podsku clusters terminate cluster002");
}

static void a_member_is_ended_with_its_cluster(void **state)
{
    static const char *const verbs[] = {"terminate", "stop"};

    (void)state;
    EXPECT_RUN(&program, 0, DEPLOY, "--nodes", "2", "--gpu", "H100 SXM");
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        cloud.acts = 0;
        EXPECT_RUN(&program, 2, "pods", verbs[i], "pod0002");
        HOLDS(program_err(&program), "managed through their cluster");
        HOLDS(program_err(&program), "podsku clusters terminate cluster001");
        LACKS(program_err(&program), "try again");
        assert_int_equal(cloud.acts, 1); /* no repetition */
    }
    assert_int_equal(cloud_alive(&cloud, true), 2);
}

static void a_log_that_cannot_be_read_is_not_empty(void **state)
{
    (void)state;
    cloud.log_status = 500;
    EXPECT_RUN(&program, 9, DEPLOY, "--verify", "--verify-via", "logs", "--timeout", "5s");
    HOLDS(program_err(&program), "the pod's log could not be read: ");
    HOLDS(program_err(&program), "HTTP 500");
    LACKS(program_err(&program), "log is empty");
    cloud.log_status = -1;
    EXPECT_RUN(&program, 9, DEPLOY, "--verify", "--verify-via", "logs", "--timeout", "5s");
    HOLDS(program_err(&program), "the pod's log could not be read: no whole answer in time");
    LACKS(program_err(&program), "log is empty");
    cloud.log_status = 0;
    EXPECT_RUN(&program, 9, DEPLOY, "--verify", "--verify-via", "logs", "--timeout", "5s");
    HOLDS(program_err(&program), "the pod's log is empty");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_signal_before_the_proof_leaves_it_open, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(a_member_is_ended_with_its_cluster, stage_up, stage_down),
        cmocka_unit_test_setup_teardown(a_log_that_cannot_be_read_is_not_empty, stage_up, stage_down),
    };

    return cmocka_run_group_tests_name("odd ends, the program", tests, NULL, NULL);
}
