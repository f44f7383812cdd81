#include "cli/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "client/api.h"

/* An id that no data center has. */
#define NOWHERE "(nowhere)"

/* One flag per data center of the list: does it still satisfy everything? */
struct places {
    struct podsku_data_centers centers;
    bool *fits;
};

static void list_ids(struct podsku_buf *out, const struct podsku_data_centers *centers)
{
    for (size_t i = 0; i < centers->count; i++)
        podsku_buf_printf(out, "%s%s", i ? " " : "", centers->list[i].id);
}

static bool is_wanted(const struct podsku_words *wanted, const char *id)
{
    for (size_t i = 0; i < wanted->count; i++) {
        if (podsku_text_equal_nocase(wanted->list[i], id))
            return true;
    }
    return false;
}

static enum podsku_code want_ids(struct cli *cli, struct places *places, const struct podsku_words *wanted)
{
    for (size_t w = 0; w < wanted->count; w++) {
        bool known = false;
        struct podsku_buf ids = {0};
        for (size_t i = 0; i < places->centers.count; i++)
            known = known || podsku_text_equal_nocase(wanted->list[w], places->centers.list[i].id);
        if (known)
            continue;
        list_ids(&ids, &places->centers);
        podsku_error_hint(&cli->err, "there are: %s", podsku_buf_text(&ids));
        podsku_buf_free(&ids);
        return podsku_error_set(&cli->err, PODSKU_USAGE, "unknown data center \"%s\"", wanted->list[w]);
    }
    for (size_t i = 0; wanted->count && i < places->centers.count; i++)
        places->fits[i] = places->fits[i] && is_wanted(wanted, places->centers.list[i].id);
    return PODSKU_OK;
}

static bool has_certificate(const struct podsku_data_center *center, const char *word)
{
    for (size_t i = 0; i < center->compliance_count; i++) {
        if (podsku_text_equal_nocase(center->compliance[i], word))
            return true;
    }
    return false;
}

/* "GDPR SOC_2_TYPE_2": each certificate that some data center has, once. */
static void list_certificates(struct podsku_buf *out, const struct podsku_data_centers *centers)
{
    for (size_t i = 0; i < centers->count; i++) {
        for (size_t j = 0; j < centers->list[i].compliance_count; j++) {
            const char *word = centers->list[i].compliance[j];
            bool listed = false;
            for (size_t before = 0; before < i; before++)
                listed = listed || has_certificate(&centers->list[before], word);
            if (!listed)
                podsku_buf_printf(out, "%s%s", out->len ? " " : "", word);
        }
    }
}

/* All of them, as the service's own filter takes several. */
static enum podsku_code want_compliance(struct cli *cli, struct places *places, const struct podsku_words *wanted)
{
    for (size_t w = 0; w < wanted->count; w++) {
        bool known = false;
        struct podsku_buf words = {0};
        for (size_t i = 0; i < places->centers.count; i++) {
            bool has = has_certificate(&places->centers.list[i], wanted->list[w]);
            known = known || has;
            places->fits[i] = places->fits[i] && has;
        }
        if (known)
            continue;
        list_certificates(&words, &places->centers);
        podsku_error_hint(&cli->err, "there are: %s", podsku_buf_text(&words));
        podsku_buf_free(&words);
        return podsku_error_set(&cli->err, PODSKU_USAGE, "no data center has the certificate \"%s\"", wanted->list[w]);
    }
    return PODSKU_OK;
}

static void want_region(struct places *places, const char *region)
{
    for (size_t i = 0; region && i < places->centers.count; i++) {
        const char *has = places->centers.list[i].region;
        places->fits[i] = places->fits[i] && has && podsku_text_equal_nocase(has, region);
    }
}

/* Does any type of the catalogue list stock there? */
static bool listed_in(const struct podsku_catalog *catalog, const char *id)
{
    for (size_t i = 0; i < catalog->type_count; i++) {
        for (size_t v = 0; v < catalog->types[i].view_count; v++) {
            const struct podsku_stock_view *view = &catalog->types[i].views[v];
            for (size_t d = 0; d < view->data_center_count; d++) {
                if (strcmp(view->data_centers[d].id, id) == 0)
                    return true;
            }
        }
    }
    return false;
}

static void join_codes(struct podsku_buf *out, const struct podsku_words *countries)
{
    for (size_t i = 0; i < countries->count; i++) {
        if (i)
            podsku_buf_putc(out, ',');
        for (const char *at = countries->list[i]; *at; at++)
            podsku_buf_putc(out, *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at);
    }
}

/*
 * No route says in which country a data center is; but the catalogue filtered by countries lists only
 * data centers that are there. One GPU is the least that can be in stock.
 */
static enum podsku_code want_countries(struct cli *cli, struct places *places, const struct podsku_words *countries,
                                       const struct podsku_facts_set *facts, struct podsku_client *client)
{
    struct podsku_buf codes = {0};
    struct podsku_buf body = {0};
    struct podsku_catalog *catalog = NULL;
    struct podsku_catalog_request request = {.product = "POD", .cloud = "SECURE", .count = 1};
    struct podsku_catalog_query query = {
        .product = PODSKU_PRODUCT_POD, .has_cloud = true, .cloud = PODSKU_SECURE, .count = 1};
    char url[512];
    enum podsku_code code;

    if (!countries->count)
        return PODSKU_OK;
    join_codes(&codes, countries);
    if (podsku_buf_failed(&codes)) {
        code = podsku_error_no_memory(&cli->err);
        goto out;
    }
    request.countries = query.countries = podsku_buf_text(&codes);
    code = podsku_api_catalog(client, &request, &body, url, sizeof url, &cli->err);
    if (!code)
        code = podsku_catalog_load(podsku_buf_text(&body), body.len, url, facts, &query, PODSKU_ANSWER, &catalog,
                                   &cli->err);
    for (size_t i = 0; !code && i < places->centers.count; i++)
        places->fits[i] = places->fits[i] && listed_in(catalog, places->centers.list[i].id);
out:
    podsku_catalog_free(catalog);
    podsku_buf_free(&body);
    podsku_buf_free(&codes);
    return code;
}

static void free_words(struct podsku_words *words)
{
    for (size_t i = 0; words->list && i < words->count; i++)
        free(words->list[i]);
    free(words->list);
    *words = (struct podsku_words){.list = NULL};
}

/* Appends a copy of the word; the list has room. False without memory. */
static bool add_word(struct podsku_words *words, const char *word)
{
    words->list[words->count] = strdup(word);
    return words->list[words->count] && ++words->count;
}

static bool copy_words(const struct podsku_words *from, struct podsku_words *to)
{
    bool ok;

    *to = (struct podsku_words){.list = calloc(from->count + 1, sizeof *to->list)};
    ok = to->list != NULL;
    for (size_t i = 0; ok && i < from->count; i++)
        ok = add_word(to, from->list[i]);
    if (!ok)
        free_words(to);
    return ok;
}

static void say_nowhere(const struct cli *cli, const struct podsku_requirement *req)
{
    const char *asked[] = {req->data_centers.count ? " --data-center" : "", req->countries.count ? " --country" : "",
                           req->region ? " --region" : "", req->compliance.count ? " --compliance" : ""};

    cli_say(cli, "no data center with GPUs in stock satisfies%s%s%s%s", asked[0], asked[1], asked[2], asked[3]);
}

static enum podsku_code take_ids(struct cli *cli, const struct places *places, struct podsku_requirement *req)
{
    struct podsku_words ids = {.list = calloc(places->centers.count + 1, sizeof *ids.list)};
    bool ok = ids.list != NULL;

    for (size_t i = 0; ok && i < places->centers.count; i++) {
        if (places->fits[i])
            ok = add_word(&ids, places->centers.list[i].id);
    }
    if (ok && ids.count == 0) {
        say_nowhere(cli, req);
        ok = add_word(&ids, NOWHERE);
    }
    if (!ok) {
        free_words(&ids);
        return podsku_error_no_memory(&cli->err);
    }
    free_words(&req->data_centers);
    req->data_centers = ids;
    return PODSKU_OK;
}

void cli_forget_placement(struct cli *cli)
{
    free_words(&cli->asked_places);
    cli->places_saved = false;
}

/* The first time keeps what was asked, later brings it back. */
static enum podsku_code start_from_asked(struct cli *cli, struct podsku_requirement *req)
{
    struct podsku_words asked;

    if (!copy_words(cli->places_saved ? &cli->asked_places : &req->data_centers, &asked))
        return podsku_error_no_memory(&cli->err);
    if (cli->places_saved) {
        free_words(&req->data_centers);
        req->data_centers = asked;
    } else {
        cli->asked_places = asked;
        cli->places_saved = true;
    }
    return PODSKU_OK;
}

/* All wishes one after another; what is left becomes the requirement's data centers. */
static enum podsku_code narrow(struct cli *cli, struct places *places, struct podsku_requirement *req,
                               const struct podsku_facts_set *facts, struct podsku_client *client)
{
    enum podsku_code code;

    memset(places->fits, true, places->centers.count + 1);
    code = want_ids(cli, places, &req->data_centers);
    if (!code)
        code = want_compliance(cli, places, &req->compliance);
    if (!code) {
        want_region(places, req->region);
        code = want_countries(cli, places, &req->countries, facts, client);
    }
    return code ? code : take_ids(cli, places, req);
}

enum podsku_code cli_resolve_placement(struct cli *cli, struct podsku_requirement *req,
                                       const struct podsku_facts_set *facts, struct podsku_client *client)
{
    struct places places = {.fits = NULL};
    enum podsku_code code;

    if (!podsku_requirement_has_placement(req))
        return PODSKU_OK;
    code = start_from_asked(cli, req);
    if (!code)
        code = podsku_api_data_centers(client, &places.centers, &cli->err);
    if (!code) {
        places.fits = malloc(places.centers.count + 1);
        if (places.fits)
            code = narrow(cli, &places, req, facts, client);
        else
            code = podsku_error_no_memory(&cli->err);
    }
    free(places.fits);
    podsku_data_centers_free(&places.centers);
    return code;
}
