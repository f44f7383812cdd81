#include "client/curl.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#ifdef __APPLE__
#define CURL_LIBRARY "libcurl.4.dylib"
#else
#define CURL_LIBRARY "libcurl.so.4"
#endif

/* CURLOPT_PREREQFUNCTION is of 7.80; the headers decide which name of the protocol option is used. */
#if LIBCURL_VERSION_NUM >= 0x075500
#define OLDEST_NUM 0x075500u
#define OLDEST "7.85.0"
#else
#define OLDEST_NUM 0x075000u
#define OLDEST "7.80.0"
#endif

static const struct symbol {
    const char *name;
    size_t offset; /* of the slot in struct podsku_curl */
} symbols[] = {
    {"curl_easy_init", offsetof(struct podsku_curl, easy_init)},
    {"curl_easy_cleanup", offsetof(struct podsku_curl, easy_cleanup)},
    {"curl_easy_reset", offsetof(struct podsku_curl, easy_reset)},
    {"curl_easy_setopt", offsetof(struct podsku_curl, easy_setopt)},
    {"curl_easy_getinfo", offsetof(struct podsku_curl, easy_getinfo)},
    {"curl_easy_perform", offsetof(struct podsku_curl, easy_perform)},
    {"curl_easy_strerror", offsetof(struct podsku_curl, easy_strerror)},
    {"curl_global_init", offsetof(struct podsku_curl, global_init)},
    {"curl_version_info", offsetof(struct podsku_curl, version_info)},
    {"curl_url", offsetof(struct podsku_curl, url)},
    {"curl_url_cleanup", offsetof(struct podsku_curl, url_cleanup)},
    {"curl_url_set", offsetof(struct podsku_curl, url_set)},
    {"curl_url_get", offsetof(struct podsku_curl, url_get)},
    {"curl_free", offsetof(struct podsku_curl, free)},
};
_Static_assert(sizeof symbols / sizeof *symbols * sizeof(void (*)(void)) == sizeof(struct podsku_curl),
               "a function of libcurl has no name");

static enum podsku_code resolve(void *library, struct podsku_curl *curl, struct podsku_error *err)
{
    void *found[sizeof symbols / sizeof *symbols];

    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol) {
            podsku_error_hint(err, "libcurl " OLDEST " or newer is needed");
            return podsku_error_set(err, PODSKU_INTERNAL, CURL_LIBRARY " has no function %s", symbols[i].name);
        }
        found[symbols[i].offset / sizeof *found] = symbol;
    }
    /* ISO C has no cast from an object to a function pointer; POSIX gives them one size. */
    memcpy(curl, found, sizeof *curl);
    return PODSKU_OK;
}

static enum podsku_code start(const struct podsku_curl *curl, struct podsku_error *err)
{
    const curl_version_info_data *info = curl->version_info(CURLVERSION_NOW);

    if (info->version_num < OLDEST_NUM) {
        podsku_error_hint(err, "install libcurl " OLDEST " or newer");
        return podsku_error_set(err, PODSKU_INTERNAL, CURL_LIBRARY " is version %s, too old", info->version);
    }
    if (!(info->features & CURL_VERSION_SSL)) {
        podsku_error_hint(err, "install a libcurl with TLS (Debian and Ubuntu: libcurl4)");
        return podsku_error_set(err, PODSKU_INTERNAL, CURL_LIBRARY " was built without TLS");
    }
    CURLcode code = curl->global_init(CURL_GLOBAL_DEFAULT);
    if (code == CURLE_OUT_OF_MEMORY)
        return podsku_error_no_memory(err);
    if (code != CURLE_OK)
        return podsku_error_set(err, PODSKU_INTERNAL, "libcurl did not start: %s", curl->easy_strerror(code));
    return PODSKU_OK;
}

const struct podsku_curl *podsku_curl_load(struct podsku_error *err)
{
    static struct podsku_curl loaded;
    static bool ready;

    if (ready)
        return &loaded;
    /* Lazy binding: most of what its libraries import is never called. */
    void *library = dlopen(CURL_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        podsku_error_hint(err, "install libcurl (Debian and Ubuntu: libcurl4); offline commands do not need it");
        podsku_error_set(err, PODSKU_INTERNAL, "cannot load " CURL_LIBRARY);
        return NULL;
    }
    if (resolve(library, &loaded, err) != PODSKU_OK || start(&loaded, err) != PODSKU_OK) {
        (void)dlclose(library);
        return NULL;
    }
    /* Never closed again: its TLS library registers exit handlers. */
    ready = true;
    return &loaded;
}

const char *podsku_curl_version(struct podsku_error *err)
{
    static char text[128];
    const struct podsku_curl *curl = podsku_curl_load(err);

    if (!curl)
        return NULL;
    const curl_version_info_data *info = curl->version_info(CURLVERSION_NOW);
    (void)snprintf(text, sizeof text, "libcurl/%s %s", info->version, info->ssl_version ? info->ssl_version : "");
    return text;
}
