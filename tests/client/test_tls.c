/* Trust, proxies, redirects, and where the key goes. */
#include "tests/client/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct https_answer list_answer[] = {{.times = -1, .body = "{\"pods\":[]}"}};

static enum podsku_code list(struct rig *rig)
{
    struct podsku_pods pods;
    enum podsku_code code = podsku_api_list_pods(rig->client, PODSKU_API_V2, false, &pods, &rig->err);

    podsku_pods_free(&pods);
    return code;
}

static void trust(void **state)
{
    static const struct row {
        struct https_options options;
        bool trusted; /* the client is given this server's certificate */
        enum podsku_code code;
    } rows[] = {
        {{.certificate = HTTPS_CERT_GOOD}, true, PODSKU_OK},
        {{.certificate = HTTPS_CERT_GOOD}, false, PODSKU_TLS},
        {{.certificate = HTTPS_CERT_WRONG_HOST}, true, PODSKU_TLS},
        {{.certificate = HTTPS_CERT_EXPIRED}, true, PODSKU_TLS},
        {{.old_tls = true}, true, PODSKU_TLS},
        {{.plain = true}, true, PODSKU_TLS}, /* no TLS at all */
    };
    struct https_server *stranger = https_server_start(NULL);

    (void)state;
    assert_non_null(stranger);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct podsku_client_config config = {0};
        struct rig rig;
        if (!rows[i].trusted || rows[i].options.plain)
            config.ca_pem = https_server_ca_pem(stranger);
        rig_start_with(&rig, &rows[i].options, &config);
        https_server_script(rig.server, list_answer, 1);
        enum podsku_code code = list(&rig);
        if (rows[i].code == PODSKU_TLS) {
            CONTAINS(rig.err.message, "TLS");
            assert_true(rig.err.hint[0] != '\0');
            CONTAINS(rig.err.where, "https://api.runpod.io/v2/pods");
            assert_int_not_equal(rig.err.curl_code, 0);
            assert_int_equal(rig.slept_ms, 0); /* it would be the same the next time */
            assert_int_equal(https_server_requests(rig.server), 0);
        }
        EXPECT(&rig, code, rows[i].code);
        rig_stop(&rig);
    }
    https_server_stop(stranger);
}

/* A client for https://localhost:PORT/v2 that takes its trust from the environment. */
static enum podsku_code list_by_environment(struct https_server *server, struct podsku_error *err)
{
    char url[128];
    struct podsku_client_config config = {.key = RIG_KEY,
                                          .url = {[PODSKU_API_V2] = https_server_url(server, "/v2", url, sizeof url)}};
    struct podsku_client *client;
    struct podsku_pods pods = {0};
    enum podsku_code code = podsku_client_new(&config, &client, err);

    if (code == PODSKU_OK)
        code = podsku_api_list_pods(client, PODSKU_API_V2, false, &pods, err);
    podsku_pods_free(&pods);
    podsku_client_free(client);
    return code;
}

static void clear_environment(void)
{
    static const char *const names[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "http_proxy",
                                        "HTTP_PROXY",     "https_proxy",   "HTTPS_PROXY",  "ALL_PROXY",
                                        "all_proxy",      "NO_PROXY",      "no_proxy"};

    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_int_equal(unsetenv(names[i]), 0);
}

static void trust_from_the_environment(void **state)
{
    char path[] = "/tmp/podsku-test-ca-XXXXXX";
    struct https_server *server = https_server_start(NULL);
    struct podsku_error err = {0};
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    (void)close(fd);
    assert_non_null(server);
    assert_true(https_server_ca_file(server, path));
    https_server_script(server, list_answer, 1);
    clear_environment();
    assert_int_equal(list_by_environment(server, &err), PODSKU_TLS);
    podsku_error_clear(&err);

    assert_int_equal(setenv("CURL_CA_BUNDLE", path, 1), 0);
    assert_int_equal(list_by_environment(server, &err), PODSKU_OK);
    assert_int_equal(setenv("CURL_CA_BUNDLE", "", 1), 0);
    assert_int_equal(setenv("SSL_CERT_FILE", path, 1), 0);
    assert_int_equal(list_by_environment(server, &err), PODSKU_OK);
    /* CURL_CA_BUNDLE comes first */
    assert_int_equal(setenv("CURL_CA_BUNDLE", "/nonexistent/ca.pem", 1), 0);
    assert_int_equal(list_by_environment(server, &err), PODSKU_TLS);
    CONTAINS(err.hint, "CURL_CA_BUNDLE");
    podsku_error_clear(&err);
    clear_environment();
    assert_int_equal(setenv("SSL_CERT_DIR", "/nonexistent", 1), 0);
    assert_int_equal(list_by_environment(server, &err), PODSKU_TLS);
    clear_environment();
    assert_int_equal(unlink(path), 0);
    https_server_stop(server);
}

static void no_proxy_for_plain_http(void **state)
{
    static const struct https_options plain = {.plain = true};
    static const char *const names[] = {"http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"};
    struct https_server *server = https_server_start(&plain);
    struct https_server *proxy = https_server_start(&plain);
    struct podsku_error err = {0};
    char url[64];

    (void)state;
    clear_environment();
    assert_true(server && proxy);
    https_server_script(server, list_answer, 1);
    https_server_script(proxy, list_answer, 1);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_int_equal(setenv(names[i], https_server_url(proxy, "", url, sizeof url), 1), 0);
    assert_int_equal(list_by_environment(server, &err), PODSKU_OK);
    assert_int_equal(https_server_requests(server), 1);
    assert_int_equal(https_server_connections(proxy), 0);
    clear_environment();
    https_server_stop(server);
    https_server_stop(proxy);
}

/* An https base goes through the proxy, by CONNECT, and the key is not told to it. */
static void a_proxy_never_sees_the_key(void **state)
{
    static const struct https_answer refusal[] = {{.times = -1, .status = 403, .type = "text/html", .body = "no"}};
    static const struct https_options plain = {.plain = true};
    struct https_server *proxy = https_server_start(&plain);
    struct podsku_client_config config = {.key = RIG_KEY, .retry_budget_ms = 1};
    struct podsku_client *client;
    struct podsku_error err = {0};
    struct podsku_pods pods;
    char text[64];

    (void)state;
    clear_environment();
    assert_non_null(proxy);
    https_server_script(proxy, refusal, 1);
    assert_int_equal(setenv("HTTPS_PROXY", https_server_url(proxy, "", text, sizeof text), 1), 0);
    assert_int_equal(podsku_client_new(&config, &client, &err), PODSKU_OK);
    assert_int_equal(podsku_api_list_pods(client, PODSKU_API_V2, false, &pods, &err), PODSKU_NETWORK);
    const struct https_request *seen = https_server_request(proxy, 0);
    assert_non_null(seen);
    assert_string_equal(seen->method, "CONNECT");
    assert_string_equal(seen->path, "api.runpod.io:443");
    assert_null(strstr(seen->headers, RIG_KEY));
    assert_null(strstr(seen->headers, "uthorization"));
    podsku_client_free(client);
    /* NO_PROXY keeps it out; nobody listens there, so the failure is another one */
    podsku_error_clear(&err);
    assert_int_equal(setenv("NO_PROXY", "127.0.0.1", 1), 0);
    config.url[PODSKU_API_V2] = "https://127.0.0.1:1/v2";
    size_t before = https_server_requests(proxy);
    assert_int_equal(podsku_client_new(&config, &client, &err), PODSKU_OK);
    assert_int_equal(podsku_api_list_pods(client, PODSKU_API_V2, false, &pods, &err), PODSKU_NETWORK);
    assert_int_equal(https_server_requests(proxy), before);
    podsku_client_free(client);
    clear_environment();
    https_server_stop(proxy);
}

static void redirects_are_not_followed(void **state)
{
    static const int statuses[] = {301, 302, 303, 307, 308};
    static const struct https_options plain = {.plain = true};
    struct https_server *other = https_server_start(&plain);

    (void)state;
    assert_non_null(other);
    https_server_script(other, list_answer, 1);
    for (size_t i = 0; i < COUNT_OF(statuses); i++) {
        char url[64];
        char location[128];
        struct rig rig;
        (void)snprintf(location, sizeof location, "Location: %s\r\n",
                       https_server_url(other, "/v3/pods", url, sizeof url));
        const struct https_answer answers[] = {{.status = statuses[i], .headers = location},
                                               {.times = -1, .body = "{\"pods\":[]}"}};
        RIG_START(&rig, answers);
        enum podsku_code code = list(&rig);
        CONTAINS(rig.err.message, "API v2 at https://api.runpod.io/v2/pods has moved");
        EXPECT(&rig, code, PODSKU_RETIRED);
        assert_int_equal(https_server_requests(rig.server), 1);
        rig_stop(&rig);
    }
    assert_int_equal(https_server_connections(other), 0);
    https_server_stop(other);
}

/* The REST APIs get the key in one header, and nothing and nobody else gets it. */
static void where_the_key_goes(void **state)
{
    static const struct https_answer answers[] = {
        {.times = -1, .path = "/graphql", .body = "{\"data\":{\"gpuTypes\":[]}}"},
        {.times = -1, .path = "/v1/pods?includeMachine=true", .body = "[]"},
        {.path = "/v2/pods",
         .status = 401,
         .body = "{\"detail\":\"no such key: " RIG_KEY "\",\"errors\":[\"" RIG_KEY "\"]}"},
        {.path = "/v2/pods", .status = 500, .type = "text/html", .body = "<title>" RIG_KEY "</title>"},
        {.times = -1, .path = "/v2/pods", .body = "{\"pods\":[]}"},
    };
    char home[] = "/tmp/podsku-test-home-XXXXXX";
    char path[128];
    struct rig rig;
    struct podsku_pods pods;
    struct podsku_buf body = {0};
    char text[256];

    (void)state;
    clear_environment();
    /* ~/.netrc and ~/.curlrc are not for us */
    assert_non_null(mkdtemp(home));
    (void)snprintf(path, sizeof path, "%s/.netrc", home);
    FILE *netrc = fopen(path, "w");
    assert_non_null(netrc);
    assert_true(fputs("default login someone password else\n", netrc) >= 0);
    assert_int_equal(fclose(netrc), 0);
    assert_int_equal(setenv("HOME", home, 1), 0);
    RIG_START(&rig, answers);
    EXPECT(&rig, podsku_api_graphql_catalog(rig.client, 1, &body, text, sizeof text, &rig.err), PODSKU_OK);
    EXPECT(&rig, podsku_api_list_pods(rig.client, PODSKU_API_V1, false, &pods, &rig.err), PODSKU_OK);
    podsku_pods_free(&pods);
    enum podsku_code code = list(&rig);
    CONTAINS(rig.err.message, "no such key: ****");
    EXPECT(&rig, code, PODSKU_AUTH);
    EXPECT(&rig, list(&rig), PODSKU_OK);
    for (size_t i = 0; i < https_server_requests(rig.server); i++) {
        const struct https_request *seen = https_server_request(rig.server, i);
        bool rest = strcmp(seen->path, "/graphql") != 0;
        assert_int_equal(https_request_header(seen, "authorization", text, sizeof text), rest);
        if (rest)
            assert_string_equal(text, "Bearer " RIG_KEY);
        else
            assert_null(strstr(seen->headers, RIG_KEY));
        assert_null(strstr(seen->path, RIG_KEY));
        assert_null(strstr(seen->body, RIG_KEY));
    }
    assert_null(strstr(podsku_buf_text(&rig.traced), RIG_KEY));
    CONTAINS(podsku_buf_text(&rig.traced), "POST https://api.runpod.io/graphql 200 ");
    podsku_buf_free(&body);
    rig_stop(&rig);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(home), 0);
}

/*
 * A machine whose OpenSSL would speak any version: what refuses old TLS must be the client. Read by
 * OpenSSL when it is first used.
 */
static void allow_old_tls(char *path)
{
    static const char text[] = "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\n"
                               "MinProtocol = None\nCipherString = ALL:@SECLEVEL=0\n";
    int fd = mkstemp(path);

    if (fd < 0 || write(fd, text, sizeof text - 1) < 0 || close(fd) != 0 || setenv("OPENSSL_CONF", path, 1) != 0)
        abort();
}

int main(void)
{
    char path[] = "/tmp/podsku-test-openssl-XXXXXX";

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trust),
        cmocka_unit_test(trust_from_the_environment),
        cmocka_unit_test(no_proxy_for_plain_http),
        cmocka_unit_test(a_proxy_never_sees_the_key),
        cmocka_unit_test(redirects_are_not_followed),
        cmocka_unit_test(where_the_key_goes),
    };

    allow_old_tls(path);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)unlink(path);
    return failed;
}
