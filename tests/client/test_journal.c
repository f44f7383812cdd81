/*
 * The journal: durable, robust against cut, foreign and future lines, full disks and other writers.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "client/client.h"
#include "client/journal.h"
#include "client/journal_private.h"
#include "tests/support/test.h"
#include "tests/sweep/deploy_rig.h"

struct shelf {
    char folder[64], path[128];
    struct podsku_journal *journal;
    struct podsku_entries entries;
    struct podsku_error err;
};

static void open_shelf(struct shelf *shelf)
{
    *shelf = (struct shelf){.folder = "/tmp/podsku-journal-XXXXXX"};
    assert_non_null(mkdtemp(shelf->folder));
    (void)snprintf(shelf->path, sizeof shelf->path, "%s/journal.jsonl", shelf->folder);
    assert_int_equal(podsku_journal_open(shelf->folder, NULL, &shelf->journal, &shelf->err), PODSKU_OK);
}

static void close_shelf(struct shelf *shelf)
{
    podsku_entries_free(&shelf->entries);
    podsku_journal_free(shelf->journal);
    deploy_rig_remove(shelf->folder);
}

static enum podsku_code intend(struct shelf *shelf, const char *launch, int attempt, const char *intent)
{
    char *gpu_ids[] = {(char *)"NVIDIA H100 80GB HBM3", (char *)"NVIDIA  RTX A4500"};
    char filler[512];

    memset(filler, 'x', sizeof filler - 1);
    filler[sizeof filler - 1] = '\0';
    struct podsku_entry entry = {
        .launch_id = (char *)launch,
        .attempt = attempt,
        .intent = (char *)intent,
        .url = (char *)"https://api.runpod.io/v2",
        .api = (char *)"v2",
        .salt = (char *)"5a17",
        .key_hmac = (char *)"beef",
        .name = (char *)"podsku-x",
        .gpu_ids = gpu_ids,
        .gpu_id_count = 2,
        .cloud = (char *)"SECURE",
        .gpus = 8,
        .nodes = 1,
        .price_uusd = 26320000,
        .expires_s = 1790000000,
        .at_ms = 1790000000123,
        .body = json_pack("{s:s, s:s}", "name", "podsku-x", "args", filler),
    };
    enum podsku_code code;

    podsku_error_clear(&shelf->err);
    code = podsku_journal_intent(shelf->journal, &entry, &shelf->err);
    json_decref(entry.body);
    return code;
}

static enum podsku_code conclude(struct shelf *shelf, const char *intent, enum podsku_entry_state state,
                                 const char *pod_id)
{
    const struct podsku_outcome outcome = {
        .launch_id = "L", .intent = intent, .attempt = 1, .state = state, .pod_id = pod_id, .why = "because"};

    podsku_error_clear(&shelf->err);
    return podsku_journal_outcome(shelf->journal, &outcome, &shelf->err);
}

static size_t read_again(struct shelf *shelf)
{
    podsku_entries_free(&shelf->entries);
    podsku_error_clear(&shelf->err);
    assert_int_equal(podsku_journal_read(shelf->journal, &shelf->entries, &shelf->err), PODSKU_OK);
    return shelf->entries.count;
}

static void append_raw(const struct shelf *shelf, const char *text)
{
    FILE *file = fopen(shelf->path, "ab");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void what_is_written_is_read(void **state)
{
    struct shelf shelf;
    struct stat info;

    (void)state;
    open_shelf(&shelf);
    assert_int_equal(read_again(&shelf), 0); /* no file is an empty journal */
    assert_int_equal(stat(shelf.path, &info), -1);
    assert_int_equal(intend(&shelf, "L", 3, "i1"), PODSKU_OK);
    assert_int_equal(read_again(&shelf), 1);
    const struct podsku_entry *entry = &shelf.entries.list[0];
    assert_string_equal(entry->launch_id, "L");
    assert_int_equal(entry->attempt, 3);
    assert_string_equal(entry->intent, "i1");
    assert_string_equal(entry->url, "https://api.runpod.io/v2");
    assert_string_equal(entry->api, "v2");
    assert_string_equal(entry->salt, "5a17");
    assert_string_equal(entry->key_hmac, "beef");
    assert_false(entry->cluster);
    assert_string_equal(entry->name, "podsku-x");
    assert_int_equal(entry->gpu_id_count, 2);
    assert_string_equal(entry->gpu_ids[1], "NVIDIA  RTX A4500");
    assert_string_equal(entry->cloud, "SECURE");
    assert_int_equal(entry->gpus, 8);
    assert_int_equal(entry->price_uusd, 26320000);
    assert_int_equal(entry->expires_s, 1790000000);
    assert_int_equal(entry->at_ms, 1790000000123);
    assert_int_equal(entry->state, PODSKU_ENTRY_OPEN);
    assert_true(podsku_entry_unfinished(entry));
    assert_int_equal(stat(shelf.path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);

    assert_int_equal(conclude(&shelf, "i1", PODSKU_ENTRY_MADE, "pod1"), PODSKU_OK);
    assert_int_equal(conclude(&shelf, "i1", PODSKU_ENTRY_HANDED_OVER, NULL), PODSKU_OK);
    assert_int_equal(read_again(&shelf), 1);
    assert_int_equal(shelf.entries.list[0].state, PODSKU_ENTRY_HANDED_OVER);
    assert_string_equal(shelf.entries.list[0].pod_id, "pod1"); /* kept from before */
    assert_false(podsku_entry_unfinished(&shelf.entries.list[0]));
    assert_ptr_equal(podsku_entries_by_pod(&shelf.entries, "pod1"), &shelf.entries.list[0]);
    assert_ptr_equal(podsku_entries_by_intent(&shelf.entries, "i1"), &shelf.entries.list[0]);
    assert_null(podsku_entries_by_intent(&shelf.entries, NULL));
    close_shelf(&shelf);
}

static void a_cut_last_line_is_dropped(void **state)
{
    struct shelf shelf;
    struct stat before, after;

    (void)state;
    open_shelf(&shelf);
    assert_int_equal(intend(&shelf, "L", 1, "i1"), PODSKU_OK);
    assert_int_equal(stat(shelf.path, &before), 0);
    assert_int_equal(intend(&shelf, "L", 2, "i2"), PODSKU_OK);
    assert_int_equal(stat(shelf.path, &after), 0);
    assert_int_equal(truncate(shelf.path, after.st_size - 9), 0);
    assert_int_equal(read_again(&shelf), 1);
    assert_true(shelf.entries.cut);
    /* The next line does not grow onto it. */
    assert_int_equal(intend(&shelf, "L", 3, "i3"), PODSKU_OK);
    assert_int_equal(read_again(&shelf), 2);
    assert_false(shelf.entries.cut);
    assert_int_equal(shelf.entries.ignored, 0);
    assert_string_equal(shelf.entries.list[1].intent, "i3");
    /* A file that is one cut line. */
    assert_int_equal(truncate(shelf.path, 20), 0);
    assert_int_equal(read_again(&shelf), 0);
    assert_int_equal(intend(&shelf, "L", 4, "i4"), PODSKU_OK);
    assert_int_equal(read_again(&shelf), 1);
    close_shelf(&shelf);
}

/* Its pod was adopted with another key, and later ended: the newest line of an intent counts. */
static void an_adoption_of_a_known_intent_is_merged(void **state)
{
    static const char *const lines[] = {
        "{\"type\":\"intent\",\"launch_id\":\"L\",\"intent\":\"i1\",\"attempt\":7,\"at\":\"2026-12-01T00:00:09Z\","
        "\"url\":\"u\","
        "\"api\":\"v2\",\"salt\":\"s\",\"key_hmac\":\"k\",\"expires_s\":5,\"state\":\"handed-over\",\"pod\":\"p\","
        "\"gpu\":\"G\"}\n",
        "{\"type\":\"intent\",\"launch_id\":\"M\",\"intent\":\"i1\",\"state\":\"gone\",\"url\":\"x\"}\n", /* not its
                                                                                                             launch */
        "{\"type\":\"outcome\",\"launch_id\":\"L\",\"intent\":\"i1\",\"state\":\"gone\"}\n",
    };
    struct shelf shelf;

    (void)state;
    open_shelf(&shelf);
    assert_int_equal(intend(&shelf, "L", 1, "i1"), PODSKU_OK);
    append_raw(&shelf, lines[0]);
    append_raw(&shelf, lines[1]);
    assert_int_equal(read_again(&shelf), 1);
    assert_int_equal(shelf.entries.ignored, 1);
    const struct podsku_entry *entry = &shelf.entries.list[0];
    assert_int_equal(entry->state, PODSKU_ENTRY_HANDED_OVER);
    assert_int_equal(entry->attempt, 1);
    assert_int_equal(entry->expires_s, 5);
    assert_string_equal(entry->url, "u");
    assert_string_equal(entry->salt, "s");
    assert_string_equal(entry->key_hmac, "k");
    assert_string_equal(entry->pod_id, "p");
    assert_string_equal(entry->made_gpu_id, "G");
    append_raw(&shelf, lines[2]);
    assert_int_equal(read_again(&shelf), 1);
    assert_int_equal(shelf.entries.list[0].state, PODSKU_ENTRY_GONE);
    close_shelf(&shelf);
}

static void strange_lines_are_ignored(void **state)
{
    static const char *const lines[] = {
        "garbage\n",
        "\n",
        "[1,2]\n",
        "{\"type\":\"intent\"}\n",
        "{\"type\":\"future\",\"launch_id\":\"L\",\"intent\":\"i1\",\"x\":{}}\n",
        "{\"type\":\"outcome\",\"launch_id\":\"L\",\"intent\":\"i1\",\"state\":\"hibernating\"}\n",
        "{\"type\":\"outcome\",\"launch_id\":\"L\",\"intent\":\"nobody\",\"state\":\"gone\"}\n",
        "{\"type\":\"intent\",\"launch_id\":\"L\",\"intent\":\"i1\",\"attempt\":99}\n", /* a second one of this name */
        "{\"type\":\"intent\",\"type\":\"outcome\",\"launch_id\":\"L\",\"intent\":\"i7\"}\n",
    };
    struct shelf shelf;

    (void)state;
    open_shelf(&shelf);
    assert_int_equal(intend(&shelf, "L", 1, "i1"), PODSKU_OK);
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        append_raw(&shelf, lines[i]);
    append_raw(&shelf,
               "{\"v\":9,\"type\":\"intent\",\"launch_id\":\"L\",\"attempt\":-4,\"intent\":\"i2\",\"new\":[1]}\n");
    assert_int_equal(read_again(&shelf), 2);
    assert_int_equal(shelf.entries.ignored, COUNT_OF(lines) - 1); /* an empty line is nothing */
    assert_int_equal(shelf.entries.list[0].attempt, 1);
    assert_int_equal(shelf.entries.list[0].state, PODSKU_ENTRY_OPEN);
    assert_int_equal(shelf.entries.list[1].attempt, 0);
    close_shelf(&shelf);
}

/* In a child: limits are for a whole process. */
static int with_a_full_disk(const char *folder)
{
    struct podsku_error err = {0};
    struct podsku_journal *journal = NULL;
    struct stat info;
    char path[128];
    char *gpu_ids[] = {(char *)"G"};
    struct podsku_entry entry = {
        .launch_id = (char *)"L", .attempt = 2, .intent = (char *)"i2", .gpu_ids = gpu_ids, .gpu_id_count = 1};

    (void)snprintf(path, sizeof path, "%s/journal.jsonl", folder);
    if (stat(path, &info) != 0 || podsku_journal_open(folder, NULL, &journal, &err) != PODSKU_OK)
        return 1;
    const struct rlimit limit = {(rlim_t)info.st_size + 10, (rlim_t)info.st_size + 10};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 2;
    if (podsku_journal_intent(journal, &entry, &err) != PODSKU_STATE)
        return 3;
    if (!strstr(err.where, "journal.jsonl") || !err.hint[0])
        return 4;
    if (stat(path, &info) != 0 || (rlim_t)info.st_size != limit.rlim_cur - 10)
        return 5; /* half a line stayed behind */
    podsku_journal_free(journal);
    return 0;
}

static void a_full_disk_is_an_error_and_leaves_no_half_line(void **state)
{
    struct shelf shelf;
    int status = 0;

    (void)state;
    open_shelf(&shelf);
    assert_int_equal(intend(&shelf, "L", 1, "i1"), PODSKU_OK);
    int pid = fork();
    if (pid == 0)
        _exit(with_a_full_disk(shelf.folder));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(read_again(&shelf), 1);
    assert_false(shelf.entries.cut);
    close_shelf(&shelf);
}

static void an_unwritable_or_unreadable_journal(void **state)
{
    struct shelf shelf;

    (void)state;
    open_shelf(&shelf);
    /* A folder in its place: works for root, too. */
    assert_int_equal(mkdir(shelf.path, 0700), 0);
    assert_int_equal(intend(&shelf, "L", 1, "i1"), PODSKU_STATE);
    assert_non_null(strstr(shelf.err.message, "journal.jsonl"));
    podsku_error_clear(&shelf.err);
    assert_int_equal(podsku_journal_read(shelf.journal, &shelf.entries, &shelf.err), PODSKU_STATE);
    assert_int_equal(rmdir(shelf.path), 0);
    close_shelf(&shelf);

    struct podsku_journal *journal = NULL;
    struct podsku_error err = {0};
    assert_int_equal(podsku_journal_open("/nowhere/at/all", NULL, &journal, &err), PODSKU_STATE);
    assert_null(journal);
    podsku_error_clear(&err);
    assert_int_equal(podsku_journal_open("/dev/null", NULL, &journal, &err), PODSKU_STATE);
}

static void writers_do_not_mix_their_lines(void **state)
{
    enum { WRITERS = 4, LINES = 50 };
    struct shelf shelf;
    int pids[WRITERS];

    (void)state;
    open_shelf(&shelf);
    for (int i = 0; i < WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            int failed = 0;
            for (int n = 0; n < LINES; n++) {
                char intent[32];
                (void)snprintf(intent, sizeof intent, "w%d-%d", i, n);
                failed += intend(&shelf, "L", n, intent) != PODSKU_OK;
            }
            _exit(failed);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = 1;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(read_again(&shelf), WRITERS * LINES);
    assert_int_equal(shelf.entries.ignored, 0);
    close_shelf(&shelf);
}

/* A clock that is a month ahead. */
static int64_t later_wall(void *ctx)
{
    (void)ctx;
    return podsku_clock_wall_ms(podsku_clock_system()) + INT64_C(2600000000);
}

static void compaction_drops_what_was_closed_long_ago(void **state)
{
    struct shelf shelf;
    struct stat before, after;
    struct podsku_clock later = *podsku_clock_system();
    char intent[32];

    (void)state;
    open_shelf(&shelf);
    for (int i = 0; i < 1500; i++) {
        (void)snprintf(intent, sizeof intent, "i%d", i);
        assert_int_equal(intend(&shelf, "L", i, intent), PODSKU_OK);
        if (i != 7 && i != 8)
            assert_int_equal(conclude(&shelf, intent, i % 2 ? PODSKU_ENTRY_GONE : PODSKU_ENTRY_NOT_MADE, "p"),
                             PODSKU_OK);
    }
    assert_int_equal(conclude(&shelf, "i8", PODSKU_ENTRY_HANDED_OVER, "p8"), PODSKU_OK);
    append_raw(&shelf, "{\"type\":\"future\",\"launch_id\":\"L\",\"intent\":\"i9x\"}\n");
    assert_int_equal(stat(shelf.path, &before), 0);
    assert_true((size_t)before.st_size > PODSKU_JOURNAL_LARGE);
    /* Too early: lists may still show those pods. */
    assert_int_equal(podsku_journal_compact(shelf.journal, &shelf.err), PODSKU_OK);
    assert_int_equal(stat(shelf.path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    later.wall_ms = later_wall;
    podsku_journal_free(shelf.journal);
    assert_int_equal(podsku_journal_open(shelf.folder, &later, &shelf.journal, &shelf.err), PODSKU_OK);
    assert_int_equal(podsku_journal_compact(shelf.journal, &shelf.err), PODSKU_OK);
    assert_int_equal(read_again(&shelf), 2);
    assert_string_equal(shelf.entries.list[0].intent, "i7");
    assert_int_equal(shelf.entries.list[0].state, PODSKU_ENTRY_OPEN);
    assert_string_equal(shelf.entries.list[1].pod_id, "p8");
    assert_int_equal(shelf.entries.ignored, 1); /* what a newer version wrote is kept */
    assert_int_equal(stat(shelf.path, &after), 0);
    assert_int_equal(after.st_mode & 0777, 0600);
    close_shelf(&shelf);
}

static void launch_locks(void **state)
{
    struct shelf shelf;
    struct podsku_launch_lock *lock = NULL, *second = NULL;

    (void)state;
    open_shelf(&shelf);
    assert_false(podsku_launch_runs(shelf.journal, "ci/../1"));
    assert_int_equal(podsku_launch_lock(shelf.journal, "ci/../1", &lock, &shelf.err), PODSKU_OK);
    assert_non_null(lock);
    assert_true(podsku_launch_runs(shelf.journal, "ci/../1"));
    assert_false(podsku_launch_runs(shelf.journal, "ci2"));
    assert_int_equal(podsku_launch_lock(shelf.journal, "ci/../1", &second, &shelf.err), PODSKU_OK);
    assert_null(second); /* held */
    assert_int_equal(podsku_launch_lock(shelf.journal, "ci2", &second, &shelf.err), PODSKU_OK);
    assert_non_null(second);
    podsku_launch_unlock(second);
    podsku_launch_unlock(lock);
    assert_false(podsku_launch_runs(shelf.journal, "ci/../1"));
    assert_int_equal(podsku_launch_lock(shelf.journal, "ci/../1", &lock, &shelf.err), PODSKU_OK);
    assert_non_null(lock);
    podsku_launch_unlock(lock);
    podsku_launch_unlock(NULL);
    close_shelf(&shelf);
}

static void a_killed_deploy_gives_its_lock_back(void **state)
{
    struct shelf shelf;
    int ready[2];
    char byte;

    (void)state;
    open_shelf(&shelf);
    assert_int_equal(pipe(ready), 0);
    int pid = fork();
    if (pid == 0) {
        struct podsku_launch_lock *lock = NULL;
        struct podsku_error err = {0};
        if (podsku_launch_lock(shelf.journal, "L", &lock, &err) != PODSKU_OK || !lock || write(ready[1], "x", 1) != 1)
            _exit(1);
        (void)pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_true(podsku_launch_runs(shelf.journal, "L"));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(podsku_launch_runs(shelf.journal, "L"));
    (void)close(ready[0]);
    (void)close(ready[1]);
    close_shelf(&shelf);
}

static void entries_are_told_apart_by_url_api_and_key(void **state)
{
    const struct podsku_client_config config = {.key = "rpa_KEY"};
    struct podsku_client *client = NULL;
    struct podsku_error err = {0};
    struct podsku_entry entry = {
        .url = (char *)"https://api.runpod.io/v2", .api = (char *)"v2", .salt = (char *)"5a17"};
    char hmac[65];
    bool same = false;

    (void)state;
    assert_int_equal(podsku_client_new(&config, &client, &err), PODSKU_OK);
    assert_int_equal(podsku_client_key_hmac(client, "5a17", hmac, &err), PODSKU_OK);
    entry.key_hmac = hmac;
    assert_int_equal(podsku_entry_is_of(&entry, client, &same, &err), PODSKU_OK);
    assert_true(same);
    entry.salt = (char *)"other";
    assert_int_equal(podsku_entry_is_of(&entry, client, &same, &err), PODSKU_OK);
    assert_false(same);
    entry.salt = (char *)"5a17";
    entry.url = (char *)"https://elsewhere/v2";
    assert_int_equal(podsku_entry_is_of(&entry, client, &same, &err), PODSKU_OK);
    assert_false(same);
    entry.url = (char *)"https://api.runpod.io/v2";
    entry.api = (char *)"v1";
    assert_int_equal(podsku_entry_is_of(&entry, client, &same, &err), PODSKU_OK);
    assert_false(same);
    entry.api = (char *)"v3";
    assert_int_equal(podsku_entry_is_of(&entry, client, &same, &err), PODSKU_OK);
    assert_false(same);
    podsku_client_free(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_cut_last_line_is_dropped),
        cmocka_unit_test(an_adoption_of_a_known_intent_is_merged),
        cmocka_unit_test(strange_lines_are_ignored),
        cmocka_unit_test(a_full_disk_is_an_error_and_leaves_no_half_line),
        cmocka_unit_test(an_unwritable_or_unreadable_journal),
        cmocka_unit_test(writers_do_not_mix_their_lines),
        cmocka_unit_test(compaction_drops_what_was_closed_long_ago),
        cmocka_unit_test(launch_locks),
        cmocka_unit_test(a_killed_deploy_gives_its_lock_back),
        cmocka_unit_test(entries_are_told_apart_by_url_api_and_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
