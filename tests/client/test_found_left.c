/*
 * What is left: pods that outlive their cluster, lists of clusters that cannot be read, entries that another
 * key made, pods that were there before with a time of their own. Time is virtual.
 */
#include <stdio.h>
#include <string.h>

#include "tests/client/deploy_check.h"

static const struct podsku_plan_entry cluster_plan[] = {
    {.gpu_id = RIG_B, .cloud = "SECURE", .gpus = 8, .nodes = 2, .price_uusd = 20000000, .estimated = true},
};
static const struct podsku_reconcile_options just_look = {0};
static const struct podsku_reconcile_options end_open = {.terminate = true};

/* Reconciles, and expects this code and the report as "STATE ID" for each pod and "open LAUNCH" for each entry. */
static void expect(struct deploy_rig *rig, const struct podsku_reconcile_options *options, enum podsku_code code,
                   const char *report, struct podsku_reconcile_result *result)
{
    char got[512] = "";
    enum podsku_code got_code = deploy_rig_reconcile(rig, options, result);

    for (size_t i = 0; i < result->count; i++) {
        size_t len = strlen(got);
        (void)snprintf(got + len, sizeof got - len, "%s%s %s", len ? ", " : "",
                       podsku_reconcile_state_name(result->list[i].state), result->list[i].id);
    }
    for (size_t i = 0; i < result->entry_count; i++) {
        size_t len = strlen(got);
        (void)snprintf(got + len, sizeof got - len, "%sopen %s", len ? ", " : "", result->entries[i].launch_id);
    }
    if (got_code != code || strcmp(got, report) != 0)
        fail_msg("%s (%s), \"%s\"; not %s, \"%s\"", podsku_code_name(got_code), rig->err.message, got,
                 podsku_code_name(code), report);
}
#define EXPECT(rig, options, code, report)            \
    do {                                              \
        struct podsku_reconcile_result result_;       \
        expect(rig, options, code, report, &result_); \
        podsku_reconcile_result_free(&result_);       \
    } while (0)

/* ------------------------------------------------------------------ members that outlive their cluster */

static void dear(void *ctx, struct fake_pod *pod)
{
    (void)ctx;
    pod->cost = 100;
}

static void deploy_ends_the_members_of_a_cluster_that_is_gone(void **state)
{
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.fake->leaves_members = true;
    rig.fake->shape = dear;
    rig.options.max_total_uusd = 60000000;
    (void)deploy_rig_run_plan(&rig, cluster_plan, 1);
    CHECK(&rig, PODSKU_MISMATCH, "mismatch", 0);
    assert_int_equal(rig.result.open_count, 0);
    deploy_rig_stop(&rig);

    start(&rig); /* the members' own DELETE is refused: they are what is open */
    rig.fake->leaves_members = true;
    rig.fake->shape = dear;
    rig.options.max_total_uusd = 60000000;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .nth = 2, .last = 1000, .status = 500, .body = "{}"});
    (void)deploy_rig_run_plan(&rig, cluster_plan, 1);
    CHECK(&rig, PODSKU_UNSETTLED, "mismatch", 2);
    assert_int_equal(rig.result.open_count, 2);
    assert_string_equal(rig.result.open[0].pod_id, "pod0002");
    assert_string_equal(rig.result.open[1].pod_id, "pod0003");
    assert_non_null(strstr(rig.err.message, "the cluster is gone, and pods of it still show: pod0002, pod0003"));
    assert_non_null(strstr(rig.warnings.data, "pod0003 may still run"));
    deploy_rig_stop(&rig);
}

static void reconcile_ends_the_members_of_a_cluster_that_is_gone(void **state)
{
    const struct podsku_reconcile_options by_launch = {.launch_id = "L1", .terminate = true};
    struct deploy_rig rig;

    (void)state;
    for (int journal = 0; journal < 2; journal++) {
        start(&rig);
        (void)deploy_rig_run_plan(&rig, cluster_plan, 1);
        CHECK(&rig, PODSKU_OK, "placed", 2);
        forget(&rig, 1);
        if (!journal)
            deploy_rig_remove(rig.folder);
        for (size_t i = 0; i < rig.fake->pod_count; i++)
            rig.fake->pods[i].orphaned = true;
        rig.fake->leaves_members = true;
        EXPECT(&rig, journal ? &end_open : &by_launch, PODSKU_OK, "terminated cluster001");
        assert_int_equal(fake_alive(rig.fake, NULL), 0);
        deploy_rig_stop(&rig);
    }

    start(&rig); /* it cannot: what may still run is named by its own id */
    (void)deploy_rig_run_plan(&rig, cluster_plan, 1);
    forget(&rig, 1);
    rig.fake->leaves_members = true;
    rig.fake->pods[0].orphaned = rig.fake->pods[1].orphaned = true;
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_DELETE, .status = 500, .body = "{}"});
    EXPECT(&rig, &end_open, PODSKU_UNSETTLED, "known pod0002, known pod0003");
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ a list of clusters that cannot be read */

static void an_unreadable_list_of_clusters_is_no_absence(void **state)
{
    const struct podsku_reconcile_options by_launch = {.launch_id = "L1", .terminate = true};
    struct deploy_rig rig;
    struct podsku_error err_of_pods;

    (void)state;
    start(&rig); /* as the list of pods */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_LIST, .status = 500, .body = "{}"});
    EXPECT(&rig, &by_launch, PODSKU_SERVER, "");
    err_of_pods = rig.err;
    deploy_rig_stop(&rig);
    start(&rig);
    rig.fake->no_cluster_list = true;
    EXPECT(&rig, &by_launch, PODSKU_SERVER, "");
    assert_int_equal(strncmp(rig.err.message, err_of_pods.message, 12), 0);
    deploy_rig_stop(&rig);

    start(&rig); /* a handed-over cluster that no list shows, and that answers by its id */
    (void)deploy_rig_run_plan(&rig, cluster_plan, 1);
    for (size_t i = 0; i < rig.fake->pod_count; i++)
        rig.fake->pods[i].unlisted_until_ms = INT64_MAX;
    rig.fake->no_cluster_list = true;
    EXPECT(&rig, &end_open, PODSKU_SERVER, "known cluster001");
    for (size_t i = 0; i < rig.fake->pod_count; i++) { /* its members are listed under it alone */
        rig.fake->pods[i].unlisted_until_ms = 0;
        rig.fake->pods[i].only_in_cluster = true;
    }
    EXPECT(&rig, &end_open, PODSKU_SERVER, "known cluster001");
    EXPECT(&rig, &by_launch, PODSKU_SERVER, "terminated cluster001");
    deploy_rig_stop(&rig);

    start(&rig); /* an open entry of a cluster stays open; pods are looked after all the same */
    fake_fault(rig.fake, (struct fake_fault){.kind = FAKE_CREATE, .transport = HTTPS_RESET_AFTER});
    (void)deploy_rig_run_plan(&rig, cluster_plan, 1);
    (void)fake_add(rig.fake, RIG_A, 2, "L2", "one");
    rig.fake->no_cluster_list = true;
    const struct podsku_reconcile_options other = {.launch_id = "L2", .terminate = true};
    EXPECT(&rig, &other, PODSKU_SERVER, "terminated pod0001");
    EXPECT(&rig, &end_open, PODSKU_UNSETTLED, "open L1, open L1, open L1");
    assert_int_equal(deploy_rig_state(&rig, 0), PODSKU_ENTRY_OPEN);
    rig.fake->no_cluster_list = false;
    EXPECT(&rig, &end_open, PODSKU_OK, "");
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ entries that are not this key's */

/* Another client of the same service, in place of the rig's; what it was. */
static struct podsku_client *replace_client(struct deploy_rig *rig, const char *key, const char *host)
{
    struct podsku_client *ours = rig->client;
    struct podsku_client_config config = {.key = key, .clock = &rig->clock};
    char url[64];

    (void)snprintf(url, sizeof url, "http://%s:%d/v2", host, https_server_port(rig->fake->server));
    config.url[PODSKU_API_V2] = url;
    assert_int_equal(podsku_client_new(&config, &rig->client, &rig->err), PODSKU_OK);
    return ours;
}

static void entries_of_another_key_say_what_settles_them(void **state)
{
    static const struct {
        const char *key, *host, *why;
    } cases[] = {
        {"rpa_ANOTHER", "127.0.0.1", "made with another key: run podsku reconcile with that one"},
        {FAKE_KEY, "localhost", "made with another URL, http://127.0.0.1:"},
    };
    struct podsku_reconcile_result result;
    struct deploy_rig rig;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        start(&rig);
        (void)deploy_rig_run(&rig, 1);
        forget(&rig, 1);
        rig.fake->pods[0].unlisted_until_ms = INT64_MAX;
        struct podsku_client *ours = replace_client(&rig, cases[i].key, cases[i].host);
        for (int end = 0; end < 2; end++) {
            expect(&rig, end ? &end_open : &just_look, PODSKU_UNSETTLED, "open L1", &result);
            assert_non_null(strstr(result.entries[0].why, cases[i].why));
            assert_null(strstr(rig.err.hint, "--terminate"));
            assert_non_null(strstr(rig.err.hint, "run podsku reconcile with the key, URL and API"));
            podsku_reconcile_result_free(&result);
        }
        rig.options.launch_id_given = true;
        assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_UNSETTLED);
        assert_null(strstr(rig.err.hint, "--terminate"));
        podsku_client_free(rig.client);
        rig.client = ours;
        deploy_rig_stop(&rig);
    }
}

static void a_launch_that_another_podsku_works_on_is_said_so(void **state)
{
    const struct podsku_reconcile_options by_launch = {.launch_id = "L1", .terminate = true};
    struct podsku_launch_lock *lock = NULL;
    struct podsku_reconcile_result result;
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    (void)deploy_rig_run(&rig, 1);
    forget(&rig, 1);
    assert_int_equal(podsku_launch_lock(rig.journal, "L1", &lock, &rig.err), PODSKU_OK);
    expect(&rig, &by_launch, PODSKU_UNSETTLED, "skipped pod0001", &result);
    assert_string_equal(result.list[0].why, "another podsku is settling or deploying this launch");
    assert_string_equal(rig.err.hint, "try again when the other podsku has ended");
    podsku_reconcile_result_free(&result);
    rig.fake->pods[0].unlisted_until_ms = INT64_MAX;
    expect(&rig, &by_launch, PODSKU_UNSETTLED, "open L1", &result);
    assert_non_null(strstr(result.entries[0].why, "another podsku is settling or deploying this launch"));
    podsku_reconcile_result_free(&result);
    podsku_launch_unlock(lock);
    deploy_rig_stop(&rig);
}

/* The key was changed: the pod is this key's from then on, in one line that every reader understands. */
static void an_adoption_with_another_key_makes_the_entry_ours(void **state)
{
    struct podsku_entries entries;
    struct deploy_rig rig;

    (void)state;
    start(&rig);
    rig.options.launch_id_given = true;
    (void)deploy_rig_run(&rig, 1);
    struct podsku_client *ours = replace_client(&rig, "rpa_ANOTHER", "127.0.0.1");
    for (int run = 0; run < 3; run++) {
        assert_int_equal(deploy_rig_run(&rig, 1), PODSKU_OK);
        CHECK(&rig, PODSKU_OK, "adopted", 1);
    }
    assert_int_equal(podsku_journal_read(rig.journal, &entries, &rig.err), PODSKU_OK);
    assert_int_equal(entries.ignored, 0);
    assert_int_equal(entries.count, 1);
    bool same = false;
    assert_int_equal(podsku_entry_is_of(&entries.list[0], rig.client, &same, &rig.err), PODSKU_OK);
    assert_true(same);
    assert_int_equal(entries.list[0].state, PODSKU_ENTRY_HANDED_OVER);
    podsku_entries_free(&entries);
    assert_null(rig.warnings.data ? strstr(rig.warnings.data, "could not be read") : NULL);
    podsku_client_free(rig.client);
    rig.client = ours;
    deploy_rig_stop(&rig);
}

/* ------------------------------------------------------------------ a time of its own */

static void a_cluster_says_when_it_expires(void **state)
{
    struct deploy_rig rig;

    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        start(&rig);
        rig.options.ttl_ms = 3600000;
        if (lost)
            fake_fault(rig.fake,
                       (struct fake_fault){.kind = FAKE_CREATE, .nth = 1, .act = true, .transport = HTTPS_RESET_AFTER});
        (void)deploy_rig_run_plan(&rig, cluster_plan, 1);
        CHECK(&rig, PODSKU_OK, lost ? "adopted" : "placed", 2);
        assert_in_range(rig.result.placed.expires_s - podsku_clock_wall_ms(&rig.clock) / 1000, 3500, 3601);
        json_t *cluster = podsku_deploy_cluster_json(&rig.result);
        assert_true(json_is_string(json_object_get(cluster, "expires_at")));
        json_decref(cluster);
        rig.options.launch_id_given = true; /* and so it does when it is adopted by its id */
        for (size_t i = 0; i < rig.fake->pod_count; i++)
            rig.fake->pods[i].only_in_cluster = true;
        (void)deploy_rig_run_plan(&rig, cluster_plan, 1);
        CHECK(&rig, PODSKU_OK, "adopted", 2);
        assert_true(rig.result.placed.expires_s > 0);
        deploy_rig_stop(&rig);
    }
}

static void an_adopted_pod_whose_time_is_short_is_warned_of(void **state)
{
    static const struct {
        int64_t pod_ttl_ms, wait_ms, ttl_ms;
        const char *warning;
    } cases[] = {
        {600000, 601000, 3600000, "its own time has been over since 20"},
        {600000, 601000, 0, "its own time has been over since 20"},
        {600000, 1000, 3600000, "is marked as over at 20"},
        {600000, 1000, 0, NULL},
        {3600000, 1000, 600000, NULL},
        {0, 1000, 600000, "is not marked with a time to live: --ttl does nothing to it"},
        {0, 1000, 0, NULL},
    };
    struct deploy_rig rig;

    (void)state;
    for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
        bool cluster = i >= COUNT_OF(cases);
        size_t at = i % COUNT_OF(cases);
        start(&rig);
        rig.options.launch_id_given = true;
        rig.options.ttl_ms = cases[at].pod_ttl_ms;
        (void)deploy_rig_run_plan(&rig, cluster ? cluster_plan : rig_plan, 1);
        podsku_clock_sleep_ms(&rig.clock, cases[at].wait_ms);
        podsku_buf_free(&rig.warnings);
        rig.options.ttl_ms = cases[at].ttl_ms;
        (void)deploy_rig_run_plan(&rig, cluster ? cluster_plan : rig_plan, 1);
        CHECK(&rig, PODSKU_OK, "adopted", cluster ? 2 : 1);
        const char *warned = rig.warnings.data ? strstr(rig.warnings.data, "was there before, and") : NULL;
        if (cases[at].warning ? !warned || !strstr(warned, cases[at].warning) : warned != NULL)
            fail_msg("case %zu: %s", i, rig.warnings.data ? rig.warnings.data : "no warning");
        deploy_rig_stop(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deploy_ends_the_members_of_a_cluster_that_is_gone),
        cmocka_unit_test(reconcile_ends_the_members_of_a_cluster_that_is_gone),
        cmocka_unit_test(an_unreadable_list_of_clusters_is_no_absence),
        cmocka_unit_test(entries_of_another_key_say_what_settles_them),
        cmocka_unit_test(a_launch_that_another_podsku_works_on_is_said_so),
        cmocka_unit_test(an_adoption_with_another_key_makes_the_entry_ours),
        cmocka_unit_test(a_cluster_says_when_it_expires),
        cmocka_unit_test(an_adopted_pod_whose_time_is_short_is_warned_of),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
