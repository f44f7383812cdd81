/*
 * Launches of which something lives already, deadlines against a service that fails or hangs, results
 * that cannot be written, and the journal's own file. Time is virtual, except for what hangs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/client/deploy_check.h"

static void hide_create(struct deploy_rig *rig, int64_t hide_ms)
{
    fake_fault(rig->fake, (struct fake_fault){.kind = FAKE_CREATE, .act = true, .hide_ms = hide_ms});
}

/* ------------------------------------------------------------------ one launch, one pod */

static void a_pod_that_is_not_shown_yet_is_waited_for(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* handed over, and in no list and behind no GET for 20 s */
    rig.options.launch_id_given = true;
    hide_create(&rig, 20000);
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    RUN(&rig, 3, PODSKU_OK, "adopted", 1);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    assert_string_equal(rig.output.data, "pod0001\npod0001\n");
    deploy_rig_stop(&rig);

    start(&rig); /* its id answers before any list shows it */
    rig.options.launch_id_given = true;
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    rig.fake->pods[0].unlisted_until_ms = INT64_MAX;
    RUN(&rig, 3, PODSKU_OK, "adopted", 1);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    deploy_rig_stop(&rig);

    start(&rig); /* it ended meanwhile: after a settle timeout since its create a new one is rented */
    rig.options.launch_id_given = true;
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    rig.fake->pods[0].deleted_ms = 1;
    int64_t before = fake_now(rig.time);
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    assert_true(fake_now(rig.time) - before >= 29000);
    rig.fake->pods[1].deleted_ms = 1;
    podsku_clock_sleep_ms(&rig.clock, 60000);
    before = fake_now(rig.time);
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    assert_true(fake_now(rig.time) - before < 10000);
    deploy_rig_stop(&rig);

    start(&rig); /* it cannot be asked for: nothing is rented */
    rig.options.launch_id_given = true;
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    rig.fake->pods[0].unlisted_until_ms = INT64_MAX;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_GET, .status = 500});
    RUN(&rig, 3, PODSKU_SERVER, "", 1);
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 1);
    deploy_rig_stop(&rig);
}

static void an_adopted_pod_is_journaled_as_handed_over(void **state)
{
    struct podsku_reconcile_result result;
    const struct podsku_reconcile_options options = {.terminate = true};
    struct podsku_entries entries;
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.launch_id_given = true;
    (void)fake_add(rig.fake, RIG_B, 2, "L1", "elsewhere");
    RUN(&rig, 3, PODSKU_OK, "adopted", 1);
    assert_int_equal(podsku_journal_read(rig.journal, &entries, &rig.err), PODSKU_OK);
    assert_int_equal(entries.count, 1);
    assert_int_equal(entries.list[0].state, PODSKU_ENTRY_HANDED_OVER);
    assert_string_equal(entries.list[0].pod_id, "pod0001");
    assert_string_equal(entries.list[0].intent, "elsewhere");
    assert_string_equal(entries.list[0].gpu_ids[0], RIG_B);
    podsku_entries_free(&entries);
    RUN(&rig, 3, PODSKU_OK, "adopted", 1); /* once is enough */
    assert_int_equal(podsku_journal_read(rig.journal, &entries, &rig.err), PODSKU_OK);
    assert_int_equal(entries.count, 1);
    podsku_entries_free(&entries);
    assert_int_equal(deploy_rig_reconcile(&rig, &options, &result), PODSKU_OK);
    assert_int_equal(result.list[0].state, PODSKU_RECONCILE_KNOWN);
    assert_non_null(strstr(result.list[0].why, "handed over"));
    podsku_reconcile_result_free(&result);
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    deploy_rig_stop(&rig);
}

static void late_pods_of_a_rerun_end_as_one(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* three lost creates, whose pods all come after the run has ended */
    rig.options.launch_id_given = true;
    rig.options.settle_ms = 1000;
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 60000});
    RUN(&rig, 1, PODSKU_UNSETTLED, "lost-reply lost-reply lost-reply", 3);
    podsku_clock_sleep_ms(&rig.clock, 120000);
    RUN(&rig, 1, PODSKU_OK, "adopted terminated terminated", 1);
    assert_null(strstr(rig.warnings.data, "neither is touched"));
    assert_null(strstr(rig.warnings.data, "none of them is touched"));
    assert_int_equal(rig.result.open_count, 0);
    deploy_rig_stop(&rig);

    start(&rig); /* one was handed over, the late one is not needed */
    rig.options.launch_id_given = true;
    rig.options.settle_ms = 1000;
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 60000});
    RUN(&rig, 1, PODSKU_OK, "lost-reply placed", 2);
    podsku_clock_sleep_ms(&rig.clock, 120000);
    RUN(&rig, 1, PODSKU_OK, "adopted terminated", 1);
    assert_string_equal(rig.output.data, "pod0002\npod0002\n");
    deploy_rig_stop(&rig);

    start(&rig); /* two that nobody here created: neither they nor the late one is touched */
    rig.options.launch_id_given = true;
    rig.options.settle_ms = 1000;
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_CREATE, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 60000});
    RUN(&rig, 1, PODSKU_UNSETTLED, "lost-reply lost-reply lost-reply", 3);
    podsku_clock_sleep_ms(&rig.clock, 120000);
    (void)fake_add(rig.fake, RIG_A, 2, "L1", "one");
    (void)fake_add(rig.fake, RIG_A, 2, "L1", "two");
    RUN(&rig, 1, PODSKU_UNSETTLED, "", 5);
    assert_int_equal(fake_seen(rig.fake, FAKE_DELETE), 0);
    assert_non_null(strstr(rig.err.hint, "terminate ID"));
    deploy_rig_stop(&rig);
}

static void two_pods_of_one_create_are_left_to_the_user(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    fake_fault(rig.fake, (struct fake_fault){
                             .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .twice = 1});
    RUN(&rig, 3, PODSKU_UNSETTLED, "lost-reply", 2);
    assert_non_null(strstr(rig.err.hint, "terminate ID"));
    const char *said = strstr(rig.warnings.data, "neither is touched");
    assert_non_null(said);
    assert_null(strstr(said + 1, "neither is touched")); /* said once */
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ deadlines */

static void reads_end_with_the_timeout(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* the service fails */
    rig.options.wait = true;
    rig.options.timeout_ms = 1500;
    rig.fake->starts_ms = 600000;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_GET, .nth = 1, .last = 3, .status = 500});
    int64_t before = fake_now(rig.time);
    RUN(&rig, 3, PODSKU_TIMEOUT, "terminated", 0);
    assert_true(fake_now(rig.time) - before < 8000);
    deploy_rig_stop(&rig);

    start(&rig); /* it hangs */
    rig.options.wait = true;
    rig.options.timeout_ms = 1000;
    rig.fake->starts_ms = 600000;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_GET, .nth = 1, .act = true, .transport = HTTPS_STALL});
    before = fake_now(rig.time);
    RUN(&rig, 3, PODSKU_TIMEOUT, "terminated", 0);
    assert_true(fake_now(rig.time) - before < 10000);
    deploy_rig_stop(&rig);
}

static void a_throttled_read_is_not_repeated_before_its_time(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* while waiting */
    rig.options.wait = true;
    rig.options.timeout_ms = 120000;
    rig.fake->starts_ms = 30000;
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_GET, .nth = 1, .status = 429, .headers = "Retry-After: 50\r\n"});
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    assert_int_equal(fake_seen(rig.fake, FAKE_GET), 2);
    deploy_rig_stop(&rig);

    start(&rig); /* longer than the deadline allows: one read, then the end */
    rig.options.wait = true;
    rig.options.timeout_ms = 20000;
    rig.fake->starts_ms = 600000;
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_GET, .nth = 1, .status = 429, .headers = "Retry-After: 600\r\n"});
    RUN(&rig, 3, PODSKU_TIMEOUT, "terminated", 0);
    assert_int_equal(fake_seen(rig.fake, FAKE_GET), 2); /* the second is the proof */
    deploy_rig_stop(&rig);

    start(&rig); /* while settling: at first, and at the very end */
    fake_fault(rig.fake,
               (struct fake_fault){
                   .kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER, .hide_ms = 1000});
    fake_fault(rig.fake,
               (struct fake_fault){.kind = FAKE_LIST, .nth = 1, .status = 429, .headers = "Retry-After: 600\r\n"});
    RUN(&rig, 3, PODSKU_OK, "adopted", 1);
    assert_int_equal(fake_seen(rig.fake, FAKE_LIST), 2);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ words */

static void fewer(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    pod->gpus = 1;
}

static size_t times(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

static void what_is_missing_for_the_proof_is_said_as_it_is(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig); /* DELETE was confirmed, and no GET says anything */
    rig.fake->shape = fewer;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_GET, .status = 500});
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .status = 500});
    RUN(&rig, 1, PODSKU_UNSETTLED, "mismatch", 0);
    assert_non_null(strstr(rig.warnings.data, "no read could prove the end"));
    assert_null(strstr(rig.warnings.data, "still shows"));
    deploy_rig_stop(&rig);

    start(&rig); /* a key that may not: said once, and not "again" */
    rig.fake->shape = fewer;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .status = 401, .body = "{\"detail\":\"bad key\"}"});
    RUN(&rig, 1, PODSKU_UNSETTLED, "mismatch", 1);
    assert_null(strstr(rig.said.data, "; again"));
    const char *line = strstr(rig.warnings.data, "pod0001 may still run");
    assert_non_null(line);
    char first[512];
    (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(line, "\n"), line);
    assert_int_equal(times(first, "bad key"), 1);
    deploy_rig_stop(&rig);
}

static void a_kept_pod_whose_result_cannot_be_written_is_kept(void **state)
{
    struct podsku_reconcile_result result;
    const struct podsku_reconcile_options options = {.terminate = true};
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.keep = true;
    rig.hand_over_code = PODSKU_OUTPUT;
    RUN(&rig, 3, PODSKU_OUTPUT, "kept", 1);
    assert_non_null(strstr(rig.warnings.data, "pod0001 is kept (--keep)"));
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_KEPT);
    assert_int_equal(deploy_rig_reconcile(&rig, &options, &result), PODSKU_OK);
    podsku_reconcile_result_free(&result);
    assert_int_equal(fake_alive(rig.fake, "L1"), 1);
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ the journal's file */

static void path_of(const struct deploy_rig *rig, char path[128])
{
    (void)snprintf(path, 128, "%s/journal.jsonl", rig->folder);
}

static void a_pipe_is_no_journal(void **state)
{
    struct deploy_rig rig;
    char path[128];

    (void)state;
    start(&rig);
    path_of(&rig, path);
    assert_int_equal(mkfifo(path, 0600), 0);
    RUN(&rig, 3, PODSKU_STATE, "", 0);
    assert_non_null(strstr(rig.err.message, "no regular file"));
    assert_int_equal(fake_seen(rig.fake, FAKE_CREATE), 0);
    deploy_rig_stop(&rig);
}

static void the_journal_is_ours_alone(void **state)
{
    struct deploy_rig rig;
    struct stat info;
    char path[128];

    (void)state;
    start(&rig);
    path_of(&rig, path);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(fchmod(fd, 0644), 0);
    assert_int_equal(write(fd, "no JSON\n[]\n", 11), 11);
    assert_int_equal(close(fd), 0);
    RUN(&rig, 3, PODSKU_OK, "placed", 1);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_non_null(strstr(rig.warnings.data, "2 lines of the journal could not be read"));
    deploy_rig_stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pod_that_is_not_shown_yet_is_waited_for),
        cmocka_unit_test(an_adopted_pod_is_journaled_as_handed_over),
        cmocka_unit_test(late_pods_of_a_rerun_end_as_one),
        cmocka_unit_test(two_pods_of_one_create_are_left_to_the_user),
        cmocka_unit_test(reads_end_with_the_timeout),
        cmocka_unit_test(a_throttled_read_is_not_repeated_before_its_time),
        cmocka_unit_test(what_is_missing_for_the_proof_is_said_as_it_is),
        cmocka_unit_test(a_kept_pod_whose_result_cannot_be_written_is_kept),
        cmocka_unit_test(a_pipe_is_no_journal),
        cmocka_unit_test(the_journal_is_ours_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
