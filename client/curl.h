/*
 * libcurl, loaded when the first request is made: offline commands do not pay for its thirty
 * libraries. Only client/ includes this; the functions have libcurl's own types and names without
 * their "curl_".
 */
#ifndef PODSKU_CLIENT_CURL_H
#define PODSKU_CLIENT_CURL_H

#include <curl/curl.h>

#include "base/error.h"

struct podsku_curl {
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    void (*easy_reset)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    CURLcode (*easy_perform)(CURL *);
    const char *(*easy_strerror)(CURLcode);
    CURLcode (*global_init)(long);
    curl_version_info_data *(*version_info)(CURLversion);
    CURLU *(*url)(void);
    void (*url_cleanup)(CURLU *);
    CURLUcode (*url_set)(CURLU *, CURLUPart, const char *, unsigned);
    CURLUcode (*url_get)(const CURLU *, CURLUPart, char **, unsigned);
    void (*free)(void *);
};

/*
 * The loaded and initialised library; borrowed, it stays for the life of the process. NULL with
 * PODSKU_INTERNAL in err when it is missing, too old or built without TLS. Not to be called from
 * two threads at once the first time.
 */
const struct podsku_curl *podsku_curl_load(struct podsku_error *err);

/* "libcurl/7.88.1 OpenSSL/3.0.19", loading it if need be; NULL with err when that fails. */
const char *podsku_curl_version(struct podsku_error *err);

#endif
