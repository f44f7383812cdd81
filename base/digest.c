#include "base/digest.h"

#include <dlfcn.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#ifdef __APPLE__
#define CRYPTO_LIBRARY "libcrypto.3.dylib"
#else
#define CRYPTO_LIBRARY "libcrypto.so.3"
#endif

/* The functions of libcrypto that podsku calls, with OpenSSL's own types. */
static struct {
    const EVP_MD *(*sha256)(void);
    unsigned char *(*hmac)(const EVP_MD *, const void *, int, const unsigned char *, size_t, unsigned char *,
                           unsigned *);
    void (*cleanse)(void *, size_t);
    void *library;
} crypto;

static bool resolve(const char *name, void *function_slot)
{
    void *symbol = dlsym(crypto.library, name);

    /* ISO C has no cast from an object to a function pointer; POSIX gives them one size. */
    memcpy(function_slot, &symbol, sizeof symbol);
    return symbol != NULL;
}

static enum podsku_code load(struct podsku_error *err)
{
    if (crypto.library)
        return PODSKU_OK;
    crypto.library = dlopen(CRYPTO_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (crypto.library && resolve("EVP_sha256", &crypto.sha256) && resolve("HMAC", &crypto.hmac) &&
        resolve("OPENSSL_cleanse", &crypto.cleanse))
        return PODSKU_OK;
    if (crypto.library)
        (void)dlclose(crypto.library);
    crypto.library = NULL;
    podsku_error_hint(err, "install OpenSSL 3 (Debian and Ubuntu: libssl3)");
    return podsku_error_set(err, PODSKU_INTERNAL, "cannot load " CRYPTO_LIBRARY);
}

static void to_hex(const unsigned char *bytes, size_t len, char *text)
{
    for (size_t i = 0; i < len; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

enum podsku_code podsku_hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t len,
                                    char text[PODSKU_SHA256_TEXT_SIZE], struct podsku_error *err)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned digest_len = 0;

    if (load(err) != PODSKU_OK)
        return err->code;
    if (!crypto.hmac(crypto.sha256(), key, (int)key_len, bytes, len, digest, &digest_len))
        return podsku_error_set(err, PODSKU_INTERNAL, "OpenSSL computed no HMAC");
    to_hex(digest, digest_len, text);
    return PODSKU_OK;
}

enum podsku_code podsku_random_hex(size_t bytes, char *text, size_t text_size, struct podsku_error *err)
{
    unsigned char raw[64];

    if (bytes > sizeof raw || text_size < 2 * bytes + 1)
        return podsku_error_set(err, PODSKU_INTERNAL, "random text larger than its buffer");
    if (getentropy(raw, bytes) != 0)
        return podsku_error_set(err, PODSKU_INTERNAL, "the system gave no random bytes");
    to_hex(raw, bytes, text);
    return PODSKU_OK;
}

void podsku_wipe(void *bytes, size_t len)
{
    /* A command that needed no HMAC does not load libcrypto only to clean up. */
    if (crypto.library)
        crypto.cleanse(bytes, len);
    else
        explicit_bzero(bytes, len);
}
