#include "catalog/shape.h"

#define AT(field) offsetof(struct podsku_gpu_type, field)
#define SECURE(field) (AT(field) + PODSKU_SECURE * sizeof(((struct podsku_gpu_type *)0)->field[0]))
#define COMMUNITY(field) (AT(field) + PODSKU_COMMUNITY * sizeof(((struct podsku_gpu_type *)0)->field[0]))

static const struct podsku_shape_field v2[] = {
    {"name", NULL, "name", AT(name), PODSKU_FIELD_TEXT, false},
    {"manufacturer", NULL, "manufacturer", AT(manufacturer_word), PODSKU_FIELD_TEXT, false},
    {"vram_gb", NULL, "memory", AT(memory_gb), PODSKU_FIELD_MEMORY, false},
    {"pool", NULL, "pool", AT(pool), PODSKU_FIELD_TEXT, false},
    {"secure", NULL, "secure", SECURE(offered), PODSKU_FIELD_FLAG, false},
    {"community", NULL, "community", COMMUNITY(offered), PODSKU_FIELD_FLAG, false},
    {"max_gpus.secure", "maxCount", "secure", SECURE(max_gpus), PODSKU_FIELD_COUNT, false},
    {"max_gpus.community", "maxCount", "community", COMMUNITY(max_gpus), PODSKU_FIELD_COUNT, false},
    {"price.secure", "price", "secure", SECURE(price_uusd), PODSKU_FIELD_PRICE, false},
    {"price.community", "price", "community", COMMUNITY(price_uusd), PODSKU_FIELD_PRICE, false},
    {"price.serverless", "price", "serverless", AT(serverless_uusd), PODSKU_FIELD_PRICE, true},
};

static const struct podsku_shape_field graphql_fields[] = {
    {"name", NULL, "displayName", AT(name), PODSKU_FIELD_TEXT, false},
    {"manufacturer", NULL, "manufacturer", AT(manufacturer_word), PODSKU_FIELD_TEXT, false},
    {"vram_gb", NULL, "memoryInGb", AT(memory_gb), PODSKU_FIELD_MEMORY, false},
    {"secure", NULL, "secureCloud", SECURE(offered), PODSKU_FIELD_FLAG, false},
    {"community", NULL, "communityCloud", COMMUNITY(offered), PODSKU_FIELD_FLAG, false},
    {"max_gpus.secure", NULL, "maxGpuCountSecureCloud", SECURE(max_gpus), PODSKU_FIELD_COUNT, false},
    {"max_gpus.community", NULL, "maxGpuCountCommunityCloud", COMMUNITY(max_gpus), PODSKU_FIELD_COUNT, false},
    {"price.secure", NULL, "securePrice", SECURE(price_uusd), PODSKU_FIELD_PRICE, false},
    {"price.community", NULL, "communityPrice", COMMUNITY(price_uusd), PODSKU_FIELD_PRICE, false},
};

const struct podsku_shape_field *podsku_shape(bool graphql, size_t *count)
{
    *count = graphql ? sizeof graphql_fields / sizeof *graphql_fields : sizeof v2 / sizeof *v2;
    return graphql ? graphql_fields : v2;
}

const char *const *podsku_shape_extras(bool graphql)
{
    static const char *const v2_extras[] = {"id", "availability", "dataCenters", "cudaVersions", NULL};
    static const char *const graphql_extras[] = {"id", "maxGpuCount", "lowestPrice", NULL};

    return graphql ? graphql_extras : v2_extras;
}
