/*
 * Base URLs: what may be one, and whether it is a loopback address. Parsed by curl's URL API, so
 * that what is judged is what is connected to ("http://127.0.0.1@evil/" is not loopback).
 */
#ifndef PODSKU_CLIENT_URL_H
#define PODSKU_CLIENT_URL_H

#include <stdbool.h>

#include "base/error.h"
#include "client/curl.h"

struct podsku_base_url {
    char *text; /* normalised, without trailing slashes; owned */
    bool http;  /* plain HTTP, to loopback */
};

/*
 * Accepts https with any host, and http with a host in 127.0.0.0/8, ::1 or localhost; refuses user
 * names, queries, fragments and everything else with PODSKU_USAGE. `name` says whose URL it is
 * ("PODSKU_API_URL"). base->text is the caller's (free()).
 */
enum podsku_code podsku_base_url_parse(const struct podsku_curl *curl, const char *text, const char *name,
                                       struct podsku_base_url *base, struct podsku_error *err) PODSKU_CHECKED;

#endif
