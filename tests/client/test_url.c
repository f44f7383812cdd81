/* Base URLs, keys and escaping: what a client accepts before it sends anything. */
#include "tests/client/rig.h"

#include <stdlib.h>
#include <string.h>

static const struct url_row {
    const char *text;
    const char *base;    /* NULL: refused */
    const char *message; /* part of it */
} urls[] = {
    {"https://api.runpod.io/v2", "https://api.runpod.io/v2", NULL},
    {"https://api.runpod.io/v2/", "https://api.runpod.io/v2", NULL},
    {"https://api.runpod.io/v2///", "https://api.runpod.io/v2", NULL},
    {"HTTPS://API.runpod.io/v2", "https://API.runpod.io/v2", NULL},
    {"https://gateway.example:8443/runpod/v2", "https://gateway.example:8443/runpod/v2", NULL},
    {"https://[2001:db8::1]/v2", "https://[2001:db8::1]/v2", NULL},
    {"https://gateway.example", "https://gateway.example", NULL},
    {"http://127.0.0.1:8080/v2", "http://127.0.0.1:8080/v2", NULL},
    {"http://127.255.0.9/v2", "http://127.255.0.9/v2", NULL},
    {"http://localhost:8080/v2", "http://localhost:8080/v2", NULL},
    {"http://LOCALHOST/v2", "http://LOCALHOST/v2", NULL},
    {"http://[::1]:8080/v2", "http://[::1]:8080/v2", NULL},
    {"http://api.runpod.io/v2", NULL, "plain http"},
    {"http://128.0.0.1/v2", NULL, "plain http"},
    {"http://0.0.0.0/v2", NULL, "plain http"},
    {"http://[::2]/v2", NULL, "plain http"},
    {"http://[::ffff:127.0.0.1]/v2", NULL, "plain http"},
    {"http://localhost.evil.example/v2", NULL, "plain http"},
    {"http://127.0.0.1.evil.example/v2", NULL, "plain http"},
    {"http://127.0.0.1@evil.example/", NULL, "user name"},
    {"http://127.0.0.1:80@evil.example/", NULL, "user name"},
    {"http://evil.example#@127.0.0.1/", NULL, "fragment"},
    {"http://evil.example\\@127.0.0.1/", NULL, ""},
    {"https://user:secret@api.runpod.io/v2", NULL, "user name"},
    {"https://user@api.runpod.io/v2", NULL, "user name"},
    {"https://api.runpod.io/v2?x=1", NULL, "query"},
    {"https://api.runpod.io/v2#x", NULL, "fragment"},
    {"ftp://127.0.0.1/v2", NULL, "scheme"},
    {"file:///etc/passwd", NULL, ""},
    {"unix:///run/x", NULL, ""},
    {"api.runpod.io/v2", NULL, "no URL"},
    {"127.0.0.1:80", NULL, ""},
    {"https://", NULL, ""},
    {"https:///v2", "https://v2", NULL}, /* as curl reads it, and as it is connected to */
    {"https://a b/v2", NULL, "no URL"},
    {"https://api.runpod.io/v2\r\nX: y", NULL, "no URL"},
    {"-", NULL, "no URL"},
};

static void base_urls(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(urls); i++) {
        struct podsku_client *client;
        struct podsku_error err = {0};
        struct podsku_client_config config = {.url = {[PODSKU_API_V2] = urls[i].text}};
        enum podsku_code code = podsku_client_new(&config, &client, &err);
        if (urls[i].base) {
            if (code != PODSKU_OK || strcmp(podsku_client_url(client, PODSKU_API_V2), urls[i].base) != 0)
                fail_msg("%s: %s", urls[i].text, code ? err.message : podsku_client_url(client, PODSKU_API_V2));
        } else {
            if (code != PODSKU_USAGE || client)
                fail_msg("%s was accepted", urls[i].text);
            CONTAINS(err.message, urls[i].message);
            CONTAINS(err.message, "PODSKU_API_URL");
            CONTAINS(err.hint, "https://api.runpod.io/v2");
            assert_null(strstr(err.message, "secret"));
        }
        podsku_client_free(client);
    }
}

static void defaults_and_v1(void **state)
{
    struct podsku_client *client;
    struct podsku_error err = {0};
    struct podsku_client_config config = {.key = RIG_KEY, .url = {"", "", ""}};
    struct podsku_pods pods;

    (void)state;
    assert_int_equal(podsku_client_new(&config, &client, &err), PODSKU_OK);
    assert_string_equal(podsku_client_url(client, PODSKU_API_V2), PODSKU_API_URL_DEFAULT);
    assert_string_equal(podsku_client_url(client, PODSKU_API_GRAPHQL), PODSKU_GRAPHQL_URL_DEFAULT);
    assert_null(podsku_client_url(client, PODSKU_API_V1));
    /* v1 has no default: the key would go to an API that is retired. */
    assert_int_equal(podsku_api_list_pods(client, PODSKU_API_V1, false, &pods, &err), PODSKU_USAGE);
    CONTAINS(err.hint, "PODSKU_API_V1_URL");
    assert_string_equal(podsku_api_name(PODSKU_API_V2), "v2");
    assert_string_equal(podsku_api_name(PODSKU_API_V1), "v1");
    assert_string_equal(podsku_api_name(PODSKU_API_GRAPHQL), "graphql");
    podsku_client_free(client);
    podsku_client_free(NULL);
}

static void keys(void **state)
{
    static const char *const bad[] = {"k y", "k\n", "\"quoted\" ", "caf\xc3\xa9", "tab\there", "\x7f", " lead"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct podsku_client *client;
        struct podsku_error err = {0};
        struct podsku_client_config config = {.key = bad[i]};
        assert_int_equal(podsku_client_new(&config, &client, &err), PODSKU_USAGE);
        assert_null(strstr(err.message, bad[i]));
        assert_null(client);
    }
    struct podsku_client *client;
    struct podsku_error err = {0};
    struct podsku_client_config config = {.key = "!key~"};
    char text[65];
    char again[65];
    char echo[] = "the key !key~ and !key~!key~ again";
    assert_int_equal(podsku_client_new(&config, &client, &err), PODSKU_OK);
    assert_true(podsku_client_has_key(client));
    assert_true(podsku_client_key_in(client, "a !key~ b"));
    assert_false(podsku_client_key_in(client, "a !key b"));
    assert_false(podsku_client_key_in(client, NULL));
    podsku_client_redact(client, echo);
    assert_string_equal(echo, "the key ***** and ********** again");
    assert_int_equal(podsku_client_key_hmac(client, "salt", text, &err), PODSKU_OK);
    assert_int_equal(podsku_client_key_hmac(client, "salt2", again, &err), PODSKU_OK);
    assert_int_equal(strlen(text), 64);
    assert_string_not_equal(text, again);
    podsku_client_free(client);
}

static void without_a_key(void **state)
{
    static const char *const empty[] = {NULL, ""};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(empty); i++) {
        struct podsku_client *client;
        struct podsku_error err = {0};
        struct podsku_client_config config = {.key = empty[i]};
        struct podsku_pods pods;
        char text[65];
        assert_int_equal(podsku_client_new(&config, &client, &err), PODSKU_OK);
        assert_false(podsku_client_has_key(client));
        assert_false(podsku_client_key_in(client, ""));
        assert_int_equal(podsku_api_list_pods(client, PODSKU_API_V2, false, &pods, &err), PODSKU_AUTH);
        CONTAINS(err.hint, "RUNPOD_API_KEY");
        podsku_error_clear(&err);
        assert_int_equal(podsku_client_key_hmac(client, "salt", text, &err), PODSKU_AUTH);
        podsku_client_free(client);
    }
}

static void escaping(void **state)
{
    struct podsku_buf out = {0};

    (void)state;
    podsku_url_escape(&out, "aZ09-._~");
    podsku_url_escape(&out, "/?#%&=+ \"\xc3\xa9\x01");
    assert_string_equal(podsku_buf_text(&out), "aZ09-._~%2F%3F%23%25%26%3D%2B%20%22%C3%A9%01");
    podsku_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_urls),     cmocka_unit_test(defaults_and_v1), cmocka_unit_test(keys),
        cmocka_unit_test(without_a_key), cmocka_unit_test(escaping),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
