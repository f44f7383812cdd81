/*
 * The whole loop with a real OpenSSH server: deploy --verify walks on from a machine that is not as
 * asked, and run runs a command on one.
 */
#include <jansson.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/cli/fake_cloud.h"
#include "tests/cli/program.h"
#include "tests/cli/sshd.h"
#include "tests/support/test.h"

#define TWO "--gpus", "2", "--nvlink", "--image", "img:1"
#define BIG (10u << 20)

static struct cloud cloud;
static struct program program;
static struct sshd first, second;
static char key[128];

static int setup(void **state)
{
    const struct passwd *user = getpwuid(getuid());
    char url[128];

    (void)state;
    memset(&first, 0, sizeof first);
    memset(&second, 0, sizeof second);
    if (!user || setenv("PODSKU_TEST_USER", user->pw_name, 1) != 0 || !cloud_start(&cloud))
        return -1;
    return program_init(&program, cloud_url(&cloud, url, sizeof url)) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    sshd_stop(&first);
    sshd_stop(&second);
    program_end(&program);
    cloud_stop(&cloud);
    return 0;
}

/* Machines of the A100 are played by the first sshd. */
static void play(enum sshd_machine machine, bool locked)
{
    assert_true(sshd_prepare(&first, machine, locked));
    assert_true(sshd_run(&first));
    cloud_type(&cloud, CLOUD_A100)->ssh_port = first.port;
    (void)sshd_key(&first, key, sizeof key);
}

static json_t *document(void)
{
    json_t *doc = json_loads(program_out(&program), 0, NULL);

    assert_non_null(doc);
    return doc;
}

static const char *text_at(const json_t *doc, const char *name)
{
    const char *text = json_string_value(json_object_get(doc, name));

    return text ? text : "";
}

static void keeps_a_machine_that_is_right(void **state)
{
    json_t *doc;

    (void)state;
    play(SSHD_NVLINK, false);
    EXPECT_RUN(&program, 0, "deploy", TWO, "--verify", "--ssh-key", key, "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "result"), "verified");
    assert_string_equal(text_at(json_object_get(doc, "verification"), "verdict"), "match");
    assert_string_equal(text_at(json_object_get(doc, "verification"), "p2p"), "ok");
    json_decref(doc);
    HOLDS(program_err(&program), "ssh keys registered: 1");
    HOLDS(program_err(&program), "1 of 1 pairs NV12");
    assert_int_equal(cloud_alive(&cloud, true), 1);
    /* The same look by hand, against what it was rented for; the pod is remembered. */
    EXPECT_RUN(&program, 0, "verify", "--pod", "pod0001", "--ssh-key", key);
    HOLDS(program_out(&program), "NV12");
    EXPECT_RUN(&program, 6, "verify", "--pod", "pod0001", "--ssh-key", key, "--expect", CLOUD_H100);
    EXPECT_RUN(&program, 0, "observations");
    HOLDS(program_out(&program), "match");
}

static void goes_on_from_a_machine_that_is_wrong(void **state)
{
    json_t *doc, *attempts;
    char options[160], second_key[128];

    (void)state;
    play(SSHD_PCIE, false);
    assert_true(sshd_prepare(&second, SSHD_H100, false));
    assert_true(sshd_run(&second));
    cloud_type(&cloud, CLOUD_H100)->ssh_port = second.port;
    (void)snprintf(options, sizeof options, "IdentityFile=%s", sshd_key(&second, second_key, sizeof second_key));
    EXPECT_RUN(&program, 0, "deploy", TWO, "--max-total", "7", "--verify", "--ssh-key", key, "--ssh-option", options,
               "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "result"), "verified");
    assert_string_equal(text_at(json_object_get(doc, "pod"), "gpu"), CLOUD_H100);
    attempts = json_object_get(doc, "attempts");
    assert_int_equal(json_array_size(attempts), 2);
    assert_string_equal(text_at(json_array_get(attempts, 0), "outcome"), "mismatch");
    json_decref(doc);
    HOLDS(program_err(&program), "SYS");
    HOLDS(program_err(&program), "pod0001 is gone");
    assert_int_equal(cloud_alive(&cloud, true), 1);
}

static void ends_with_the_last_mismatch(void **state)
{
    json_t *doc;

    (void)state;
    play(SSHD_PCIE, false);
    EXPECT_RUN(&program, 6, "deploy", TWO, "--verify", "--ssh-key", key, "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "result"), "mismatch");
    assert_string_equal(text_at(json_object_get(doc, "verification"), "worst_link"), "SYS");
    json_decref(doc);
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void ends_a_machine_that_lets_nobody_in(void **state)
{
    (void)state;
    play(SSHD_NVLINK, true);
    EXPECT_RUN(&program, 9, "deploy", TWO, "--max-total", "7", "--verify", "--ssh-key", key, "--timeout", "10s");
    HOLDS(program_err(&program), "Permission denied");
    assert_int_equal(cloud_alive(&cloud, true), 0);
    assert_int_equal(cloud.creates, 1);
}

static void ends_a_machine_that_answers_half(void **state)
{
    int64_t start = podsku_clock_mono_ms(podsku_clock_system());

    (void)state;
    play(SSHD_HALF, false);
    EXPECT_RUN(&program, 9, "deploy", TWO, "--verify", "--ssh-key", key, "--timeout", "12s");
    HOLDS(program_err(&program), "half an answer");
    assert_int_equal(cloud_alive(&cloud, true), 0);
    assert_true(podsku_clock_mono_ms(podsku_clock_system()) - start < 40000);
}

static void reads_through_banner_motd_and_colours(void **state)
{
    json_t *doc;

    (void)state;
    play(SSHD_NOISY, false);
    EXPECT_RUN(&program, 0, "deploy", TWO, "--verify", "--ssh-key", key, "-o", "json");
    doc = document();
    assert_string_equal(text_at(json_object_get(doc, "verification"), "verdict"), "match");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(doc, "verification"), "gpus")), 2);
    assert_true(json_is_null(json_object_get(json_object_get(doc, "verification"), "p2p")));
    json_decref(doc);
}

static void does_not_guess_without_the_tool(void **state)
{
    (void)state;
    play(SSHD_NO_TOOL, false);
    EXPECT_RUN(&program, 9, "deploy", TWO, "--verify", "--ssh-key", key);
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void rents_nothing_without_a_registered_key(void **state)
{
    (void)state;
    cloud.keys = 0;
    EXPECT_RUN(&program, 2, "deploy", TWO, "--verify");
    HOLDS(program_err(&program), "no ssh key is registered");
    EXPECT_RUN(&program, 125, "run", TWO, "--", "true");
    assert_int_equal(cloud.creates, 0);
    play(SSHD_NVLINK, false);
    EXPECT_RUN(&program, 0, "deploy", TWO, "--verify", "--ssh-key", key, "--env", "PUBLIC_KEY=ssh-ed25519 AAAA me");
}

/* RUNNING precedes sshd. */
static void waits_for_sshd(void **state)
{
    (void)state;
    assert_true(sshd_prepare(&first, SSHD_NVLINK, false));
    cloud_type(&cloud, CLOUD_A100)->ssh_port = first.port;
    (void)sshd_key(&first, key, sizeof key);
    assert_true(program_start(&program, (const char *const[]){"deploy", TWO, "--verify", "--ssh-key", key, NULL}));
    assert_true(program_until(&program, "ssh\n", 20000));
    podsku_clock_sleep_ms(podsku_clock_system(), 1500);
    assert_true(sshd_run(&first));
    program_expect(&program, program_wait(&program), 0, __FILE__, __LINE__);
    HOLDS(program_out(&program), "verified");
}

static void verifies_every_member_of_a_cluster(void **state)
{
    json_t *doc;

    (void)state;
    play(SSHD_NVLINK, false);
    EXPECT_RUN(&program, 0, "deploy", TWO, "--nodes", "2", "--gpu", "A100 SXM", "--verify", "--ssh-key", key, "-o",
               "json");
    doc = document();
    assert_int_equal(json_array_size(json_object_get(json_object_get(doc, "verification"), "members")), 2);
    json_decref(doc);
    EXPECT_RUN(&program, 0, "verify", "--cluster", "cluster001", "--ssh-key", key, "-o", "json");
    doc = document();
    assert_string_equal(text_at(doc, "verdict"), "match");
    assert_int_equal(json_array_size(json_object_get(doc, "members")), 2);
    json_decref(doc);
}

/* A machine that answers with another host key than before is not asked anything. */
static void does_not_trust_another_host_key(void **state)
{
    char path[160], line[256] = "";
    FILE *file;

    (void)state;
    play(SSHD_NVLINK, false);
    EXPECT_RUN(&program, 0, "deploy", TWO, "--ssh", "--wait", "--ssh-key", key);
    (void)snprintf(path, sizeof path, "%s/user.pub", first.folder); /* any other key will do */
    file = fopen(path, "r");
    assert_non_null(file);
    (void)!fgets(line, sizeof line, file);
    (void)fclose(file);
    (void)snprintf(path, sizeof path, "%s/state/podsku/known_hosts", program.folder);
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "podsku-pod0001 %s", line);
    (void)fclose(file);
    EXPECT_RUN(&program, 9, "verify", "--pod", "pod0001", "--ssh-key", key);
    HOLDS(program_out(&program), "ssh-keygen -R podsku-pod0001");
}

/* What ssh gets: every option of the contract, and no key. */
static void gives_ssh_no_key(void **state)
{
    char folder[128], path[160], text[16384];
    size_t len;
    FILE *file;

    (void)state;
    play(SSHD_NVLINK, false);
    (void)snprintf(folder, sizeof folder, "%s/wrap", program.folder);
    (void)mkdir(folder, 0755);
    (void)snprintf(path, sizeof path, "%s/ssh", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "#!/bin/sh\n{ env; printf '%%s\\n' \"$@\"; } >>'%s/seen'\nexec /usr/bin/ssh \"$@\"\n", folder);
    (void)fclose(file);
    (void)chmod(path, 0755);
    (void)snprintf(program.path_first, sizeof program.path_first, "%s", folder);
    EXPECT_RUN(&program, 0, "deploy", TWO, "--verify", "--ssh-key", key);
    EXPECT_RUN(&program, 0, "run", TWO, "--ssh-key", key, "--env", "TOKEN=hidden-value", "--", "true");
    (void)snprintf(path, sizeof path, "%s/seen", folder);
    file = fopen(path, "r");
    assert_non_null(file);
    len = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[len] = '\0';
    LACKS(text, PROGRAM_KEY);
    LACKS(text, "hidden-value");
    HOLDS(text, "\nBatchMode=yes\n");
    HOLDS(text, "\nConnectTimeout=10\n");
    HOLDS(text, "\nStrictHostKeyChecking=accept-new\n");
    HOLDS(text, "\nUserKnownHostsFile=");
    HOLDS(text, "\nHostKeyAlias=podsku-pod0001\n");
    HOLDS(text, "\nForwardAgent=no\n");
    HOLDS(text, "\nClearAllForwardings=yes\n");
    HOLDS(text, "\n--\n127.0.0.1\n");
}

/* ------------------------------------------------------------------ run */

#define RUN "run", TWO, "--quiet", "--ssh-key", key

static void passes_exit_statuses_through(void **state)
{
    static const struct {
        const char *command;
        int status;
    } rows[] = {{"exit 0", 0}, {"exit 1", 1}, {"exit 17", 17}, {"exit 255", 255}, {"kill -9 $$", 137}};

    (void)state;
    play(SSHD_NVLINK, false);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        EXPECT_RUN(&program, rows[i].status, RUN, "--", "sh", "-c", rows[i].command);
    EXPECT_RUN(&program, 127, RUN, "--", "no-such-command");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void quotes_the_command_and_brings_the_environment(void **state)
{
    (void)state;
    play(SSHD_NVLINK, false);
    EXPECT_RUN(&program, 0, RUN, "--env", "A=it's $HOME \"x\"", "--", "sh", "-c", "printf '%s|' \"$A\" \"$@\"", "sh",
               "two  words", "*", "'", "$PATH", "");
    assert_string_equal(program_out(&program), "it's $HOME \"x\"|two  words|*|'|$PATH||");
}

static void passes_standard_input_and_a_long_stream(void **state)
{
    char *big = malloc(BIG);
    uint32_t random = 1;

    (void)state;
    assert_non_null(big);
    for (size_t i = 0; i < BIG; i++) {
        random = random * 1664525u + 1013904223u;
        big[i] = (char)(random >> 24);
    }
    play(SSHD_NVLINK, false);
    program.input = big;
    program.input_len = BIG;
    EXPECT_RUN(&program, 0, RUN, "--", "cat");
    assert_int_equal(program.out.len, BIG);
    assert_memory_equal(program.out.data, big, BIG);
    free(big);
}

static void tells_a_lost_connection_from_255(void **state)
{
    char path[128], text[8192];
    FILE *file;
    size_t len;

    (void)state;
    play(SSHD_NVLINK, false);
    (void)snprintf(path, sizeof path, "%s/report.json", program.folder);
    EXPECT_RUN(&program, 125, RUN, "--report", path, "--", "sh", "-c", "kill -9 $SSHD_PID; sleep 5");
    HOLDS(program_err(&program), "connection to the pod was lost");
    assert_int_equal(cloud_alive(&cloud, true), 0);
    file = fopen(path, "r");
    assert_non_null(file);
    len = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[len] = '\0';
    HOLDS(text, "\"podsku.deploy/1\"");
    HOLDS(text, "\"code\": \"network\"");
    HOLDS(text, "\"connection_lost\": true");
    HOLDS(text, "\"podsku_exit_status\": 125");
}

static void ends_the_pod_on_a_signal(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    (void)state;
    play(SSHD_NVLINK, false);
    for (size_t i = 0; i < COUNT_OF(signals); i++) {
        assert_true(program_start(&program, (const char *const[]){RUN, "--", "sh", "-c", "echo here; sleep 60", NULL}));
        assert_true(program_until(&program, "here", 20000));
        (void)kill(program.pid, signals[i]);
        program_expect(&program, program_wait(&program), 130, __FILE__, __LINE__);
        assert_int_equal(cloud_alive(&cloud, true), 0);
    }
}

static void ends_with_its_time_to_live(void **state)
{
    (void)state;
    play(SSHD_NVLINK, false);
    EXPECT_RUN(&program, 125, RUN, "--ttl", "8s", "--", "sleep", "60");
    HOLDS(program_err(&program), "--ttl");
    HOLDS(program_err(&program), "timeout");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

/* Nobody is left to end the pod: its own mark says when it is over, without any journal. */
static void is_found_after_a_kill(void **state)
{
    char state_folder[128];

    (void)state;
    play(SSHD_NVLINK, false);
    assert_true(program_start(
        &program, (const char *const[]){RUN, "--ttl", "10m", "--", "sh", "-c", "echo here; sleep 60", NULL}));
    assert_true(program_until(&program, "here", 20000));
    (void)kill(program.pid, SIGKILL);
    program_expect(&program, program_wait(&program), 137, __FILE__, __LINE__);
    assert_int_equal(cloud_alive(&cloud, true), 1);
    (void)snprintf(state_folder, sizeof state_folder, "%s/state", program.folder);
    program_remove_tree(state_folder);
    (void)cloud_add_foreign(&cloud, CLOUD_A100);
    EXPECT_RUN(&program, 0, "reconcile", "--expired", "--terminate");
    assert_int_equal(cloud_alive(&cloud, true), 1); /* not yet */
    cloud_expire(&cloud);
    EXPECT_RUN(&program, 0, "reconcile", "--expired", "--terminate");
    HOLDS(program_out(&program), "terminated");
    assert_int_equal(cloud_alive(&cloud, true), 0);
    assert_int_equal(cloud_alive(&cloud, false), 1);
}

static void copies_in_and_out(void **state)
{
    char folder[128], path[192], text[64] = "";
    FILE *file;

    (void)state;
    play(SSHD_NVLINK, false);
    (void)snprintf(folder, sizeof folder, "%s/my src", program.folder);
    (void)mkdir(folder, 0755);
    (void)snprintf(path, sizeof path, "%s/data.txt", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("forty-two", file);
    (void)fclose(file);
    program.cwd = program.folder;
    EXPECT_RUN(&program, 3, RUN, "--copy-in", folder, "--copy-out", "results", "--", "sh", "-c",
               "mkdir results && tr a-z A-Z <data.txt >results/out.txt; exit 3");
    (void)snprintf(path, sizeof path, "%s/results/out.txt", program.folder);
    file = fopen(path, "r");
    assert_non_null(file);
    (void)!fgets(text, sizeof text, file);
    (void)fclose(file);
    assert_string_equal(text, "FORTY-TWO");
    EXPECT_RUN(&program, 125, RUN, "--copy-out", "nothing-there", "--", "true");
    HOLDS(program_err(&program), "nothing-there");
    assert_int_equal(cloud_alive(&cloud, true), 0);
}

static void says_125_for_its_own_failures(void **state)
{
    (void)state;
    play(SSHD_NVLINK, false);
    cloud_type(&cloud, CLOUD_A100)->refusals = -1;
    EXPECT_RUN(&program, 125, RUN, "--", "true");
    HOLDS(program_err(&program), "no-capacity (4 outside of run)");
    EXPECT_RUN(&program, 125, "run", TWO);
    EXPECT_RUN(&program, 125, "run", TWO, "--no-such-flag", "--", "true");
    EXPECT_RUN(&program, 125, RUN, "--copy-in", "/no/such/folder", "--", "true");
    EXPECT_RUN(&program, 125, RUN, "--report", "/no/such/folder/report", "--", "true");
    assert_int_equal(cloud_alive(&cloud, true), 0);
    assert_int_equal(cloud.creates, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_a_machine_that_is_right, setup, teardown),
        cmocka_unit_test_setup_teardown(goes_on_from_a_machine_that_is_wrong, setup, teardown),
        cmocka_unit_test_setup_teardown(ends_with_the_last_mismatch, setup, teardown),
        cmocka_unit_test_setup_teardown(ends_a_machine_that_lets_nobody_in, setup, teardown),
        cmocka_unit_test_setup_teardown(ends_a_machine_that_answers_half, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_through_banner_motd_and_colours, setup, teardown),
        cmocka_unit_test_setup_teardown(does_not_guess_without_the_tool, setup, teardown),
        cmocka_unit_test_setup_teardown(rents_nothing_without_a_registered_key, setup, teardown),
        cmocka_unit_test_setup_teardown(waits_for_sshd, setup, teardown),
        cmocka_unit_test_setup_teardown(verifies_every_member_of_a_cluster, setup, teardown),
        cmocka_unit_test_setup_teardown(does_not_trust_another_host_key, setup, teardown),
        cmocka_unit_test_setup_teardown(gives_ssh_no_key, setup, teardown),
        cmocka_unit_test_setup_teardown(passes_exit_statuses_through, setup, teardown),
        cmocka_unit_test_setup_teardown(quotes_the_command_and_brings_the_environment, setup, teardown),
        cmocka_unit_test_setup_teardown(passes_standard_input_and_a_long_stream, setup, teardown),
        cmocka_unit_test_setup_teardown(tells_a_lost_connection_from_255, setup, teardown),
        cmocka_unit_test_setup_teardown(ends_the_pod_on_a_signal, setup, teardown),
        cmocka_unit_test_setup_teardown(ends_with_its_time_to_live, setup, teardown),
        cmocka_unit_test_setup_teardown(is_found_after_a_kill, setup, teardown),
        cmocka_unit_test_setup_teardown(copies_in_and_out, setup, teardown),
        cmocka_unit_test_setup_teardown(says_125_for_its_own_failures, setup, teardown),
    };

    if (sshd_missing()) {
        (void)printf("skipped: %s\n", sshd_missing());
        return 77;
    }
    return cmocka_run_group_tests_name("deploy --verify and run over a real sshd", tests, NULL, NULL);
}
