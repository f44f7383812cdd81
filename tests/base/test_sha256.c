/* Our SHA-256 against OpenSSL's. */
#include "tests/support/test.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

static void assert_like_openssl(const void *bytes, size_t len)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_len = 0;
    char expected[PODSKU_SHA256_TEXT_SIZE];
    char text[PODSKU_SHA256_TEXT_SIZE];
    struct podsku_error err = {0};

    assert_int_equal(EVP_Digest(bytes, len, digest, &digest_len, EVP_sha256(), NULL), 1);
    for (unsigned i = 0; i < digest_len; i++)
        (void)snprintf(expected + (size_t)2 * i, 3, "%02x", digest[i]);
    assert_int_equal(podsku_sha256(bytes, len, text, &err), PODSKU_OK);
    assert_string_equal(text, expected);
}

/* Every way in which the end may fall into blocks; each in memory of its own, for the sanitizers. */
static void every_length(void **state)
{
    (void)state;
    for (size_t len = 1; len <= 300; len++) {
        unsigned char *bytes = malloc(len);
        assert_non_null(bytes);
        for (size_t i = 0; i < len; i++)
            bytes[i] = (unsigned char)(i * 131 + len * 7);
        assert_like_openssl(bytes, len);
        free(bytes);
    }
}

static void no_bytes_and_many(void **state)
{
    enum { MANY = 3000017 };
    struct podsku_error err = {0};
    char text[PODSKU_SHA256_TEXT_SIZE];
    unsigned char *bytes = malloc(MANY);

    (void)state;
    assert_int_equal(podsku_sha256(NULL, 0, text, &err), PODSKU_OK);
    assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_non_null(bytes);
    memset(bytes, 0xa5, MANY);
    assert_like_openssl(bytes, MANY);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(no_bytes_and_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
