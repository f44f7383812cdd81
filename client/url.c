#include "client/url.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "client/client.h"

static bool is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;
    char inner[INET6_ADDRSTRLEN];
    size_t len = strlen(host);

    if (podsku_text_equal_nocase(host, "localhost"))
        return true;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    if (len < 3 || host[0] != '[' || host[len - 1] != ']' || len - 2 >= sizeof inner)
        return false;
    memcpy(inner, host + 1, len - 2);
    inner[len - 2] = '\0';
    return inet_pton(AF_INET6, inner, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

/*
 * True if the URL has that part; its text goes to *text when wanted (curl's free()). Without memory to
 * tell, err says so.
 */
static bool has_part(const struct podsku_curl *curl, const CURLU *url, CURLUPart part, char **text,
                     struct podsku_error *err)
{
    char *value = NULL;
    CURLUcode code = curl->url_get(url, part, &value, 0);
    bool found = code == CURLUE_OK && value && *value;

    if (code == CURLUE_OUT_OF_MEMORY)
        podsku_error_no_memory(err);
    if (found && text)
        *text = value;
    else
        curl->free(value);
    return found;
}

static enum podsku_code judge(const struct podsku_curl *curl, const CURLU *url, const char *name,
                              struct podsku_base_url *base, struct podsku_error *err)
{
    char *scheme = NULL;
    char *host = NULL;

    if (has_part(curl, url, CURLUPART_USER, NULL, err) || has_part(curl, url, CURLUPART_PASSWORD, NULL, err))
        podsku_error_set(err, PODSKU_USAGE, "%s has a user name in it", name);
    else if (has_part(curl, url, CURLUPART_QUERY, NULL, err) || has_part(curl, url, CURLUPART_FRAGMENT, NULL, err))
        podsku_error_set(err, PODSKU_USAGE, "%s has a query or a fragment", name);
    else if (!has_part(curl, url, CURLUPART_SCHEME, &scheme, err) || !has_part(curl, url, CURLUPART_HOST, &host, err))
        podsku_error_set(err, PODSKU_USAGE, "%s names no host", name);
    else if (strcmp(scheme, "http") == 0 && is_loopback(host))
        base->http = true;
    else if (strcmp(scheme, "http") == 0)
        podsku_error_set(err, PODSKU_USAGE, "%s is plain http to %s: the API key could be read on the way", name, host);
    else if (strcmp(scheme, "https") != 0)
        podsku_error_set(err, PODSKU_USAGE, "%s has the scheme %s", name, scheme);
    curl->free(scheme);
    curl->free(host);
    return err->code;
}

enum podsku_code podsku_base_url_parse(const struct podsku_curl *curl, const char *text, const char *name,
                                       struct podsku_base_url *base, struct podsku_error *err)
{
    CURLU *url = curl->url();
    char *whole = NULL;

    *base = (struct podsku_base_url){0};
    if (!url)
        return podsku_error_no_memory(err);
    CURLUcode code = curl->url_set(url, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME);
    if (code == CURLUE_OUT_OF_MEMORY)
        podsku_error_no_memory(err);
    else if (code != CURLUE_OK)
        podsku_error_set(err, PODSKU_USAGE, "%s is no URL", name);
    if (err->code != PODSKU_OK || judge(curl, url, name, base, err) != PODSKU_OK)
        goto out;
    if (curl->url_get(url, CURLUPART_URL, &whole, 0) != CURLUE_OK || !(base->text = strdup(whole))) {
        podsku_error_no_memory(err);
        goto out;
    }
    for (size_t len = strlen(base->text); len > 0 && base->text[len - 1] == '/'; len--)
        base->text[len - 1] = '\0';
out:
    /* The text itself is not quoted: what was refused may hold a password. */
    if (err->code == PODSKU_USAGE)
        podsku_error_hint(err, "an https URL like " PODSKU_API_URL_DEFAULT
                               ", or http to a loopback address (127.0.0.1, [::1], localhost)");
    curl->free(whole);
    curl->url_cleanup(url);
    return err->code;
}

void podsku_url_escape(struct podsku_buf *out, const char *text)
{
    static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    for (; *text; text++) {
        if (strchr(unreserved, *text))
            podsku_buf_putc(out, *text);
        else
            podsku_buf_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
    }
}
