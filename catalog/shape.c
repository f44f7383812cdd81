#include "catalog/shape.h"

#define AT(field) offsetof(struct podsku_gpu_type, field)
#define SECURE(field) (AT(field) + PODSKU_SECURE * sizeof(((struct podsku_gpu_type *)0)->field[0]))
#define COMMUNITY(field) (AT(field) + PODSKU_COMMUNITY * sizeof(((struct podsku_gpu_type *)0)->field[0]))

static const struct podsku_shape_field v2[] = {
    {PODSKU_FIELD_TEXT, "name", NULL, "name", AT(name), false},
    {PODSKU_FIELD_TEXT, "manufacturer", NULL, "manufacturer", AT(manufacturer_word), false},
    {PODSKU_FIELD_MEMORY, "vram_gb", NULL, "memory", AT(memory_gb), false},
    {PODSKU_FIELD_TEXT, "pool", NULL, "pool", AT(pool), false},
    {PODSKU_FIELD_FLAG, "secure", NULL, "secure", SECURE(offered), false},
    {PODSKU_FIELD_FLAG, "community", NULL, "community", COMMUNITY(offered), false},
    {PODSKU_FIELD_COUNT, "max_gpus.secure", "maxCount", "secure", SECURE(max_gpus), false},
    {PODSKU_FIELD_COUNT, "max_gpus.community", "maxCount", "community", COMMUNITY(max_gpus), false},
    {PODSKU_FIELD_PRICE, "price.secure", "price", "secure", SECURE(price_uusd), false},
    {PODSKU_FIELD_PRICE, "price.community", "price", "community", COMMUNITY(price_uusd), false},
    {PODSKU_FIELD_PRICE, "price.serverless", "price", "serverless", AT(serverless_uusd), true},
};

static const struct podsku_shape_field graphql_fields[] = {
    {PODSKU_FIELD_TEXT, "name", NULL, "displayName", AT(name), false},
    {PODSKU_FIELD_TEXT, "manufacturer", NULL, "manufacturer", AT(manufacturer_word), false},
    {PODSKU_FIELD_MEMORY, "vram_gb", NULL, "memoryInGb", AT(memory_gb), false},
    {PODSKU_FIELD_FLAG, "secure", NULL, "secureCloud", SECURE(offered), false},
    {PODSKU_FIELD_FLAG, "community", NULL, "communityCloud", COMMUNITY(offered), false},
    {PODSKU_FIELD_COUNT, "max_gpus.secure", NULL, "maxGpuCountSecureCloud", SECURE(max_gpus), false},
    {PODSKU_FIELD_COUNT, "max_gpus.community", NULL, "maxGpuCountCommunityCloud", COMMUNITY(max_gpus), false},
    {PODSKU_FIELD_PRICE, "price.secure", NULL, "securePrice", SECURE(price_uusd), false},
    {PODSKU_FIELD_PRICE, "price.community", NULL, "communityPrice", COMMUNITY(price_uusd), false},
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
