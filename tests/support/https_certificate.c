#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/https_private.h"

static bool add_extension(X509 *certificate, int nid, const char *value)
{
    X509V3_CTX context;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    bool added = extension && X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

static X509 *make_certificate(EVP_PKEY *key, enum https_certificate kind)
{
    static const char names[] = "DNS:api.runpod.io,DNS:localhost,IP:127.0.0.1";
    X509 *certificate = X509_new();
    const long day_s = 24L * 3600;
    bool expired = kind == HTTPS_CERT_EXPIRED;

    if (!certificate)
        return NULL;
    X509_NAME *name = X509_get_subject_name(certificate);
    bool good =
        X509_set_version(certificate, 2) && ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) &&
        X509_gmtime_adj(X509_getm_notBefore(certificate), -10 * day_s) &&
        X509_gmtime_adj(X509_getm_notAfter(certificate), expired ? -day_s : day_s) &&
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"podsku test", -1, -1, 0) &&
        X509_set_issuer_name(certificate, name) && X509_set_pubkey(certificate, key) &&
        add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
        add_extension(certificate, NID_subject_alt_name, kind == HTTPS_CERT_WRONG_HOST ? "DNS:other.example" : names) &&
        X509_sign(certificate, key, EVP_sha256()) > 0;
    if (good)
        return certificate;
    X509_free(certificate);
    return NULL;
}

static char *to_pem(X509 *certificate)
{
    BIO *memory = BIO_new(BIO_s_mem());
    char *data = NULL;
    char *text = NULL;

    if (memory && PEM_write_bio_X509(memory, certificate)) {
        long len = BIO_get_mem_data(memory, &data);
        text = len > 0 ? strndup(data, (size_t)len) : NULL;
    }
    BIO_free(memory);
    return text;
}

SSL_CTX *https_make_context(const struct https_options *options, char **pem)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = key ? make_certificate(key, options->certificate) : NULL;
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());

    *pem = NULL;
    bool good = certificate && context && SSL_CTX_use_certificate(context, certificate) == 1 &&
                SSL_CTX_use_PrivateKey(context, key) == 1;
    if (good && options->old_tls) /* OpenSSL 3 speaks it only at security level 0 */
        good = SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0") == 1 &&
               SSL_CTX_set_min_proto_version(context, TLS1_VERSION) == 1 &&
               SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION) == 1;
    if (good)
        *pem = to_pem(certificate);
    X509_free(certificate);
    EVP_PKEY_free(key);
    if (*pem)
        return context;
    ERR_print_errors_fp(stderr);
    SSL_CTX_free(context);
    return NULL;
}
