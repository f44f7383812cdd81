/*
 * SHA-256, HMAC and random bytes. What takes a key is OpenSSL's libcrypto, which is loaded on first
 * use: offline commands do not pay for loading it.
 */
#ifndef PODSKU_BASE_DIGEST_H
#define PODSKU_BASE_DIGEST_H

#include <stddef.h>

#include "base/error.h"

#define PODSKU_SHA256_TEXT_SIZE 65 /* 64 lower-case hex digits and NUL */

/* Of any bytes (NULL: none); never fails. */
enum podsku_code podsku_sha256(const void *bytes, size_t len, char text[PODSKU_SHA256_TEXT_SIZE],
                               struct podsku_error *err) PODSKU_CHECKED;

enum podsku_code podsku_hmac_sha256(const void *key, size_t key_len, const void *bytes, size_t len,
                                    char text[PODSKU_SHA256_TEXT_SIZE], struct podsku_error *err) PODSKU_CHECKED;

/* Unpredictable bytes from the kernel. */
enum podsku_code podsku_random_hex(size_t bytes, char *text, size_t text_size, struct podsku_error *err) PODSKU_CHECKED;

/* Overwrites memory that held a secret, in a way that the compiler may not remove. */
void podsku_wipe(void *bytes, size_t len);

#endif
