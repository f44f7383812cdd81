/* Which catalogue is read, by which requests, and how placement becomes data center ids. */
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/placement.h"
#include "tests/support/https_server.h"

#define GPU(dcs)                                                                                                    \
    "{\"gpus\":[{\"id\":\"NVIDIA A40\",\"name\":\"A40\",\"manufacturer\":\"NVIDIA\",\"memory\":48,\"secure\":true," \
    "\"community\":true,\"price\":{\"secure\":0.44,\"community\":0.4},\"maxCount\":{\"secure\":8,\"community\":8}," \
    "\"availability\":\"HIGH\",\"dataCenters\":[" dcs "]}]}"
#define DC(id) "{\"id\":\"" id "\",\"name\":\"" id "\",\"availability\":\"HIGH\"}"
#define CENTERS                                                                                                  \
    "{\"dataCenters\":["                                                                                         \
    "{\"id\":\"US-KS-2\",\"name\":\"Kansas\",\"region\":\"NORTH_AMERICA\",\"compliance\":[\"GDPR\",\"HIPAA\"]}," \
    "{\"id\":\"EU-RO-1\",\"name\":\"Romania\",\"region\":\"EUROPE\",\"compliance\":[\"GDPR\"]},"                 \
    "{\"id\":\"EU-FR-1\",\"name\":\"France\",\"region\":\"EUROPE\"}]}"
#define POD(count, cloud) "/v2/catalog/gpus?include=AVAILABILITY&product=POD&count=" count "&cloud=" cloud

static struct https_server *server;
static char home[64];

static int start(void **state)
{
    static const struct https_options plain = {.plain = true};
    char url[128];

    (void)state;
    server = https_server_start(&plain);
    assert_non_null(server);
    (void)snprintf(home, sizeof home, "/tmp/podsku-source-XXXXXX");
    assert_non_null(mkdtemp(home));
    assert_int_equal(setenv("HOME", home, 1), 0);
    (void)unsetenv("XDG_CONFIG_HOME");
    (void)unsetenv("RUNPOD_API_KEY_FILE");
    assert_int_equal(setenv("PODSKU_API_URL", https_server_url(server, "/v2", url, sizeof url), 1), 0);
    assert_int_equal(setenv("PODSKU_GRAPHQL_URL", https_server_url(server, "/graphql", url, sizeof url), 1), 0);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    https_server_stop(server);
    return rmdir(home);
}

/* One run of a command as far as its catalogue. */
struct run {
    struct cli cli;
    struct podsku_requirement req;
    const struct podsku_facts_set *facts;
    struct podsku_client *client;
    struct podsku_catalog *catalog;
};

static enum podsku_code run_words(struct run *run, const char *key, const char *const *words)
{
    static char *argv[16];
    int argc = 1;
    enum podsku_code code;

    memset(run, 0, sizeof *run);
    run->cli.quiet = true;
    if (key)
        assert_int_equal(setenv("RUNPOD_API_KEY", key, 1), 0);
    else
        (void)unsetenv("RUNPOD_API_KEY");
    argv[0] = (char *)"podsku";
    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)words[argc - 1];
    assert_int_equal(cli_parse(&run->cli, argc, argv), PODSKU_OK);
    run->cli.quiet = true;
    code = cli_requirement(&run->cli, &run->req);
    assert_int_equal(code, PODSKU_OK);
    assert_int_equal(cli_facts(&run->cli, &run->facts), PODSKU_OK);
    return cli_catalog(&run->cli, &run->req, run->facts, &run->client, &run->catalog);
}

static void end(struct run *run)
{
    podsku_catalog_free(run->catalog);
    podsku_client_free(run->client);
    podsku_facts_free(run->facts);
    podsku_requirement_free(&run->req);
    cli_end(&run->cli);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void without_a_key_nothing_is_read(void **state)
{
    struct run run;

    (void)state;
    https_server_script(server, NULL, 0);
    assert_int_equal(run_words(&run, NULL, WORDS("pick")), PODSKU_OK);
    assert_int_equal(run.catalog->source, PODSKU_SOURCE_BUNDLED);
    assert_null(run.client);
    end(&run);
    assert_int_equal(run_words(&run, "k", WORDS("pick", "--catalog", "bundled")), PODSKU_OK);
    assert_int_equal(run.catalog->source, PODSKU_SOURCE_BUNDLED);
    end(&run);
    assert_int_equal(run_words(&run, NULL, WORDS("pick", "--catalog", "live")), PODSKU_AUTH);
    assert_string_equal(run.cli.err.message, "no API key");
    end(&run);
    assert_int_equal(https_server_requests(server), 0);
}

static void one_read_for_each_count_and_cloud(void **state)
{
    static const struct https_answer any[] = {{.body = GPU(DC("US-KS-2")), .times = -1}};
    static const struct {
        const char *words[8];
        const char *paths[5];
    } cases[] = {
        {{"pick", NULL}, {POD("1", "SECURE")}},
        {{"pick", "--gpus", "2,8", "--cloud", "any", NULL},
         {POD("2", "SECURE"), POD("8", "SECURE"), POD("2", "COMMUNITY"), POD("8", "COMMUNITY")}},
        {{"pick", "--cloud", "community", NULL}, {POD("1", "COMMUNITY")}},
        {{"pick", "--min-cuda", "12.8", NULL}, {POD("1", "SECURE") "&minCudaVersion=12.8"}},
        {{"pick", "--gpus", "8", "--nodes", "2", NULL},
         {POD("8", "SECURE"), "/v2/catalog/gpus?include=AVAILABILITY&product=CLUSTER&count=8&cloud=SECURE"}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct run run;
        size_t count = 0;
        https_server_script(server, any, COUNT_OF(any));
        assert_int_equal(run_words(&run, "k", cases[i].words), PODSKU_OK);
        assert_int_equal(run.catalog->source, PODSKU_SOURCE_LIVE);
        assert_true(run.catalog->recorded_ms > 0);
        for (; count < COUNT_OF(cases[i].paths) && cases[i].paths[count]; count++)
            assert_string_equal(https_server_request(server, count)->path, cases[i].paths[count]);
        assert_int_equal(https_server_requests(server), count);
        assert_int_equal(run.catalog->read_count, count);
        end(&run);
    }
}

static void a_failed_read_is_an_error(void **state)
{
    static const struct https_answer denied[] = {
        {.status = 401, .type = "application/problem+json", .body = "{\"title\":\"Unauthorized\",\"status\":401}"}};
    static const struct https_answer broken[] = {{.body = "{\"gpus\":["}};
    static const struct https_answer second[] = {{.body = GPU(DC("US-KS-2"))}, {.body = "[]"}};
    struct run run;

    (void)state;
    https_server_script(server, denied, COUNT_OF(denied));
    assert_int_equal(run_words(&run, "k", WORDS("pick")), PODSKU_AUTH);
    assert_null(run.catalog);
    end(&run);
    https_server_script(server, broken, COUNT_OF(broken));
    assert_int_equal(run_words(&run, "k", WORDS("pick")), PODSKU_ANSWER);
    assert_null(run.catalog);
    end(&run);
    /* What was read before is not used alone. */
    https_server_script(server, second, COUNT_OF(second));
    assert_int_equal(run_words(&run, "k", WORDS("pick", "--gpus", "1,2")), PODSKU_ANSWER);
    assert_null(run.catalog);
    end(&run);
}

static void graphql_gets_no_key(void **state)
{
    static const struct https_answer any[] = {
        {.method = "POST",
         .path = "/graphql",
         .times = -1,
         .body = "{\"data\":{\"gpuTypes\":[{\"id\":\"NVIDIA A40\",\"displayName\":\"A40\",\"memoryInGb\":48,"
                 "\"secureCloud\":true,\"communityCloud\":true,\"securePrice\":0.44,\"communityPrice\":0.4,"
                 "\"maxGpuCount\":8,\"lowestPrice\":{\"stockStatus\":\"High\"}}]}}"}};
    struct run run;
    char value[64];

    (void)state;
    https_server_script(server, any, COUNT_OF(any));
    assert_int_equal(run_words(&run, "k", WORDS("pick", "--catalog", "graphql", "--gpus", "1,2")), PODSKU_OK);
    assert_int_equal(run.catalog->source, PODSKU_SOURCE_GRAPHQL);
    assert_int_equal(https_server_requests(server), 2);
    assert_false(https_request_header(https_server_request(server, 0), "Authorization", value, sizeof value));
    end(&run);
    https_server_script(server, any, COUNT_OF(any));
    assert_int_equal(
        run_words(&run, NULL, WORDS("pick", "--catalog", "graphql", "--gpus", "1,2", "--cloud", "community")),
        PODSKU_OK);
    assert_int_equal(https_server_requests(server), 1);
    end(&run);
}

static const struct https_answer placed[] = {
    {.path = "/v2/catalog/datacenters", .times = -1, .body = CENTERS},
    {.path = POD("1", "SECURE") "&countryCodes=FR,RO", .times = -1, .body = GPU(DC("EU-RO-1") "," DC("EU-FR-1"))},
    {.path = POD("1", "SECURE") "&countryCodes=DE", .times = -1, .body = "{\"gpus\":[]}"},
    {.path = POD("1", "SECURE"), .times = -1, .body = GPU(DC("US-KS-2") "," DC("EU-RO-1"))},
};

static void placement_becomes_ids(void **state)
{
    static const struct {
        const char *words[8];
        const char *ids; /* joined by blanks */
        size_t requests;
    } cases[] = {
        {{"pick", "--data-center", "us-ks-2,EU-FR-1", NULL}, "US-KS-2 EU-FR-1", 2},
        {{"pick", "--region", "europe", NULL}, "EU-RO-1 EU-FR-1", 2},
        {{"pick", "--compliance", "gdpr", NULL}, "US-KS-2 EU-RO-1", 2},
        {{"pick", "--compliance", "GDPR,HIPAA", NULL}, "US-KS-2", 2},
        {{"pick", "--country", "fr,RO", NULL}, "EU-RO-1 EU-FR-1", 3},
        {{"pick", "--country", "fr,RO", "--compliance", "GDPR", NULL}, "EU-RO-1", 3},
        {{"pick", "--region", "asia", NULL}, "(nowhere)", 2},
        {{"pick", "--country", "DE", NULL}, "(nowhere)", 3},
        {{"pick", "--data-center", "US-KS-2", "--region", "europe", NULL}, "(nowhere)", 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct run run;
        struct podsku_buf ids = {0};
        https_server_script(server, placed, COUNT_OF(placed));
        assert_int_equal(run_words(&run, "k", cases[i].words), PODSKU_OK);
        for (size_t w = 0; w < run.req.data_centers.count; w++)
            podsku_buf_printf(&ids, "%s%s", w ? " " : "", run.req.data_centers.list[w]);
        assert_string_equal(podsku_buf_text(&ids), cases[i].ids);
        assert_int_equal(https_server_requests(server), cases[i].requests);
        podsku_buf_free(&ids);
        end(&run);
    }
}

static void unknown_places_are_named_with_those_that_exist(void **state)
{
    struct run run;

    (void)state;
    https_server_script(server, placed, COUNT_OF(placed));
    assert_int_equal(run_words(&run, "k", WORDS("pick", "--data-center", "US-KS-2,XX-1")), PODSKU_USAGE);
    assert_string_equal(run.cli.err.message, "unknown data center \"XX-1\"");
    assert_string_equal(run.cli.err.hint, "there are: US-KS-2 EU-RO-1 EU-FR-1");
    end(&run);
    assert_int_equal(run_words(&run, "k", WORDS("pick", "--compliance", "ISO_14001")), PODSKU_USAGE);
    assert_string_equal(run.cli.err.hint, "there are: GDPR HIPAA");
    end(&run);
    /* Without a live list ids are not checked. */
    assert_int_equal(run_words(&run, NULL, WORDS("pick", "--data-center", "XX-1")), PODSKU_OK);
    assert_string_equal(run.req.data_centers.list[0], "XX-1");
    end(&run);
}

static void a_later_read_starts_from_what_was_asked(void **state)
{
    static const struct https_answer empty[] = {
        {.path = "/v2/catalog/datacenters", .times = -1, .body = CENTERS},
        {.path = POD("1", "SECURE") "&countryCodes=FR", .times = 1, .body = "{\"gpus\":[]}"},
        {.path = POD("1", "SECURE") "&countryCodes=FR", .times = 1, .body = GPU(DC("EU-FR-1"))},
        {.path = POD("1", "SECURE"), .times = -1, .body = GPU(DC("EU-FR-1"))},
    };
    struct run run;

    (void)state;
    https_server_script(server, empty, COUNT_OF(empty));
    assert_int_equal(run_words(&run, "k", WORDS("watch", "--country", "FR")), PODSKU_OK);
    assert_string_equal(run.req.data_centers.list[0], "(nowhere)");
    podsku_catalog_free(run.catalog);
    assert_int_equal(cli_catalog(&run.cli, &run.req, run.facts, &run.client, &run.catalog), PODSKU_OK);
    assert_int_equal(run.req.data_centers.count, 1);
    assert_string_equal(run.req.data_centers.list[0], "EU-FR-1");
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_key_nothing_is_read),
        cmocka_unit_test(one_read_for_each_count_and_cloud),
        cmocka_unit_test(a_failed_read_is_an_error),
        cmocka_unit_test(graphql_gets_no_key),
        cmocka_unit_test(placement_becomes_ids),
        cmocka_unit_test(unknown_places_are_named_with_those_that_exist),
        cmocka_unit_test(a_later_read_starts_from_what_was_asked),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
