#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

const struct podsku_catalog *bundled(void)
{
    static struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    if (!catalog && podsku_catalog_bundled(podsku_facts_builtin(), &catalog, &err) != PODSKU_OK)
        fail_msg("%s", err.message);
    return catalog;
}

struct podsku_catalog *load_text(const char *text)
{
    struct podsku_catalog *catalog = NULL;
    struct podsku_error err = {0};

    if (podsku_catalog_load(text, strlen(text), "test", podsku_facts_builtin(), NULL, PODSKU_INPUT, &catalog, &err) !=
        PODSKU_OK)
        fail_msg("%s: %s", err.where, err.message);
    return catalog;
}

struct podsku_catalog *load_entries(const char *entries)
{
    struct podsku_buf text = {0};

    podsku_buf_printf(&text, "{\"gpus\": [%s]}", entries);
    struct podsku_catalog *catalog = load_text(podsku_buf_text(&text));
    podsku_buf_free(&text);
    return catalog;
}

void read_requirement(struct podsku_requirement *req, const char *json)
{
    struct podsku_error err = {0};
    json_t *value = NULL;

    podsku_requirement_init(req);
    if (podsku_json_read(json, strlen(json), "test", PODSKU_INPUT, &value, &err) != PODSKU_OK ||
        podsku_requirement_read(req, value, "test", "$", &err) != PODSKU_OK)
        fail_msg("%s: %s", err.where, err.message);
    json_decref(value);
}

void decide(struct decided *decided, const struct podsku_catalog *catalog, const char *json, enum podsku_detail detail)
{
    struct podsku_error err = {0};

    memset(decided, 0, sizeof *decided);
    read_requirement(&decided->req, json);
    if (podsku_decide(catalog, &decided->req, detail, true, &decided->decision, &err) != PODSKU_OK)
        fail_msg("%s", err.message);
}

void free_decided(struct decided *decided)
{
    podsku_decision_free(&decided->decision);
    podsku_requirement_free(&decided->req);
}

const char *candidates_text(const struct decided *decided)
{
    static char text[16384];
    size_t len = 0;

    text[0] = '\0';
    for (size_t i = 0; i < decided->decision.candidate_count; i++) {
        const struct podsku_offer *offer = &decided->decision.candidates[i];
        int64_t cents = (offer->price_total_uusd + 5000) / 10000;
        char count[16] = "";
        if (decided->req.gpus_count > 1)
            (void)snprintf(count, sizeof count, "%dx ", offer->gpus);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s%s%s %" PRId64 ".%02" PRId64, i ? ", " : "", count,
                                podsku_gpu_name(offer->type), offer->cloud == PODSKU_COMMUNITY ? " (community)" : "",
                                cents / 100, cents % 100);
    }
    return text;
}

static bool is_offer(const struct podsku_offer *offer, const char *id, enum podsku_cloud cloud, int gpus)
{
    return strcmp(offer->type->id, id) == 0 && offer->cloud == cloud && offer->gpus == gpus;
}

const struct podsku_offer *find_offer(const struct decided *decided, const char *id, enum podsku_cloud cloud, int gpus)
{
    for (size_t i = 0; i < decided->decision.candidate_count; i++)
        if (is_offer(&decided->decision.candidates[i], id, cloud, gpus))
            return &decided->decision.candidates[i];
    for (size_t i = 0; i < decided->decision.rejected_count; i++)
        if (is_offer(&decided->decision.rejected[i], id, cloud, gpus))
            return &decided->decision.rejected[i];
    return NULL;
}

const char *reasons_text(const struct decided *decided, const char *id, enum podsku_cloud cloud, int gpus)
{
    static char text[512];
    const struct podsku_offer *offer = find_offer(decided, id, cloud, gpus);
    size_t len = 0;

    text[0] = '\0';
    if (!offer)
        return "?";
    for (size_t i = 0; i < offer->reason_count; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i ? " " : "",
                                podsku_rule_name(offer->reasons[i].rule));
    return text;
}

const char *reason_of(const struct podsku_offer *offer, enum podsku_rule rule)
{
    for (size_t i = 0; offer && i < offer->reason_count; i++)
        if (offer->reasons[i].rule == rule)
            return offer->reasons[i].message;
    return "";
}

const char *note_of(const struct podsku_offer *offer, const char *code)
{
    for (size_t i = 0; offer && i < offer->note_count; i++)
        if (strcmp(offer->notes[i].code, code) == 0)
            return offer->notes[i].message;
    return "";
}
