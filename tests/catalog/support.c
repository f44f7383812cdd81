#include "support.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"

struct podsku_catalog *load_text_for(const char *text, const struct podsku_catalog_query *query)
{
    struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    if (podsku_catalog_load(text, strlen(text), "text", podsku_facts_builtin(), query, PODSKU_INPUT, &catalog, &err) !=
        PODSKU_OK)
        fail_msg("%s: %s", err.where, err.message);
    return catalog;
}

struct podsku_catalog *load_text(const char *text)
{
    return load_text_for(text, NULL);
}

struct podsku_catalog *load_fixture(const char *name)
{
    char path[512];
    struct podsku_catalog *catalog;
    struct podsku_error err = {0};

    (void)snprintf(path, sizeof path, "%s/%s/catalogue.json", PODSKU_FIXTURES, name);
    if (podsku_catalog_load_file(path, podsku_facts_builtin(), &catalog, &err) != PODSKU_OK)
        fail_msg("%s: %s", err.where, err.message);
    return catalog;
}

void read_fixture(const char *path, struct podsku_buf *out)
{
    char full[512];
    struct podsku_error err = {0};

    (void)snprintf(full, sizeof full, "%s/%s", PODSKU_FIXTURES, path);
    if (podsku_file_read(full, PODSKU_FILE_MAX, out, &err) != PODSKU_OK)
        fail_msg("%s", err.message);
}

const struct podsku_gpu_type *type_of(const struct podsku_catalog *catalog, const char *id)
{
    const struct podsku_gpu_type *type = podsku_catalog_find(catalog, id);

    if (!type)
        fail_msg("no type \"%s\"", id);
    return type;
}

static struct podsku_catalog *load_entry(const char *before, const char *members, const char *after)
{
    struct podsku_buf text = {0};

    podsku_buf_printf(&text, "%s{\"id\": \"NVIDIA A40\"%s%s}%s", before, *members ? ", " : "", members, after);
    struct podsku_catalog *catalog = load_text(podsku_buf_text(&text));
    podsku_buf_free(&text);
    return catalog;
}

struct podsku_catalog *load_v2_entry(const char *members)
{
    return load_entry("{\"gpus\": [", members, "]}");
}

struct podsku_catalog *load_graphql_entry(const char *members)
{
    return load_entry("{\"data\": {\"gpuTypes\": [", members, "]}}");
}
