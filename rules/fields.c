#include "rules/fields.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct podsku_requirement, member)

static const int nvlink_values[] = {PODSKU_NVLINK_REQUIRED, PODSKU_NVLINK_POSSIBLE, PODSKU_NVLINK_PREFERRED,
                                    PODSKU_NVLINK_ANY};
static const int parallelism_values[] = {PODSKU_TENSOR, PODSKU_PIPELINE, PODSKU_DATA, PODSKU_PARALLELISM_NONE};
static const int mig_values[] = {PODSKU_MIG_FORBID, PODSKU_MIG_ALLOW, PODSKU_MIG_ONLY};
static const int cloud_masks[] = {1 << PODSKU_SECURE, 1 << PODSKU_COMMUNITY,
                                  1 << PODSKU_SECURE | 1 << PODSKU_COMMUNITY};
static const int manufacturer_values[] = {PODSKU_WANT_NVIDIA, PODSKU_WANT_AMD, PODSKU_WANT_ANY};
static const int arch_values[] = {PODSKU_ARCH_VOLTA,  PODSKU_ARCH_TURING,    PODSKU_ARCH_AMPERE, PODSKU_ARCH_ADA,
                                  PODSKU_ARCH_HOPPER, PODSKU_ARCH_BLACKWELL, PODSKU_ARCH_CDNA3};
static const int stock_values[] = {PODSKU_STOCK_NONE, PODSKU_STOCK_LOW, PODSKU_STOCK_MEDIUM, PODSKU_STOCK_HIGH};
static const int sort_values[] = {PODSKU_SORT_PRICE, PODSKU_SORT_VRAM, PODSKU_SORT_PRICE_PER_GB, PODSKU_SORT_LINK};

_Static_assert(sizeof(enum podsku_nvlink_level) == sizeof(int), "enums are kept as int");
_Static_assert(sizeof(enum podsku_stock) == sizeof(int), "enums are kept as int");

#define ENUM(member, by_choice) .offset = AT(member), .kept = KEPT_ENUM, .values = (by_choice)

#define FIELD_ROW(name, kind, metavar, words, help) {(name), PODSKU_FIELD_##kind, (words)},
const struct field podsku_fields[] = {PODSKU_REQUIREMENT_FIELDS(FIELD_ROW)};
#undef FIELD_ROW

/* The same rows in the same order. */
static const struct field_home homes[] = {
    {"gpus", .offset = AT(gpus)},
    {"nodes", .offset = AT(nodes), .given = AT(nodes_set)},
    {"nvlink", ENUM(nvlink, nvlink_values)},
    {"parallelism", ENUM(parallelism, parallelism_values)},
    {"min-link-gbs", .offset = AT(min_link_gbs)},
    {"min-vram", .offset = AT(min_vram_gb)},
    {"max-vram", .offset = AT(max_vram_gb)},
    {"min-total-vram", .offset = AT(min_total_vram_gb)},
    {"memory-fraction", .offset = AT(memory_fraction)},
    {"compute-fraction", .offset = AT(compute_fraction)},
    {"mig-parent", .offset = AT(mig_parent)},
    {"mig", ENUM(mig, mig_values), .given = AT(mig_set)},
    {"cloud", .offset = AT(cloud), .kept = KEPT_CLOUDS, .values = cloud_masks},
    {"max-price", .offset = AT(max_price_uusd)},
    {"max-total", .offset = AT(max_total_uusd)},
    {"gpu", .offset = AT(gpu)},
    {"exclude", .offset = AT(exclude)},
    {"manufacturer", ENUM(manufacturer, manufacturer_values)},
    {"arch", ENUM(arch, arch_values)},
    {"min-compute-capability", .offset = AT(compute_major), .second = AT(compute_minor)},
    {"min-cuda", .offset = AT(cuda_major), .second = AT(cuda_minor)},
    {"data-center", .offset = AT(data_centers)},
    {"country", .offset = AT(countries), .country = true, .upper = true},
    {"region", .offset = AT(region), .kept = KEPT_WORD},
    {"compliance", .offset = AT(compliance), .upper = true},
    {"min-stock", ENUM(min_stock, stock_values)},
    {"inter-node-gbps", .offset = AT(inter_node_gbps), .given = AT(inter_node_flag)},
    {"allow-unpriced", .offset = AT(allow_unpriced)},
    {"sort", ENUM(sort, sort_values)},
    {"limit", .offset = AT(limit)},
};

const size_t podsku_field_count = sizeof podsku_fields / sizeof podsku_fields[0];
_Static_assert(sizeof podsku_fields / sizeof podsku_fields[0] == sizeof homes / sizeof homes[0],
               "every field of the list has a home");

/* Second names of flags. */
static const struct {
    const char *name, *flag;
} aliases[] = {{"max-price-per-gpu", "max-price"}, {"max-hourly", "max-total"}};

const struct field_home *podsku_field_home(const struct field *field)
{
    return &homes[field - podsku_fields];
}

/* Equal, where `separator` in name stands for '-' in flag. */
static bool spells(const char *name, const char *flag, char separator)
{
    while (*flag && *name == (*flag == '-' ? separator : *flag)) {
        name++;
        flag++;
    }
    return *flag == '\0' && *name == '\0';
}

static const struct field *find_first_name(const char *name, char separator)
{
    for (size_t i = 0; i < podsku_field_count; i++)
        if (spells(name, podsku_fields[i].flag, separator))
            return &podsku_fields[i];
    return NULL;
}

static const struct field *find(const char *name, char separator)
{
    const struct field *field = find_first_name(name, separator);

    for (size_t i = 0; !field && i < sizeof aliases / sizeof aliases[0]; i++)
        if (spells(name, aliases[i].name, separator))
            field = find_first_name(aliases[i].flag, '-');
    return field;
}

const struct field *podsku_field_by_flag(const char *flag)
{
    return find(flag, '-');
}

const struct field *podsku_field_by_key(const char *key)
{
    return find(key, '_');
}

const char *podsku_field_key(const char *flag, char key[FIELD_KEY_SIZE])
{
    size_t len = strlen(flag);

    for (size_t i = 0; i <= len && i < FIELD_KEY_SIZE; i++)
        key[i] = flag[i] == '-' ? '_' : flag[i];
    key[FIELD_KEY_SIZE - 1] = '\0';
    return key;
}

bool podsku_field_choice(const char *choices, size_t n, const char **word, size_t *len)
{
    for (; n > 0; n--) {
        choices = strchr(choices, '|');
        if (!choices)
            return false;
        choices++;
    }
    *word = choices;
    *len = strcspn(choices, "|");
    return *len > 0;
}

size_t podsku_field_chosen(const struct field *field, const struct podsku_requirement *req)
{
    const struct field_home *home = podsku_field_home(field);
    const char *word;
    size_t len;
    int value = 0;
    size_t n = 0;

    if (home->kept == KEPT_CLOUDS)
        for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++)
            value |= req->cloud[cloud] << cloud;
    else
        memcpy(&value, (const char *)req + home->offset, sizeof value);
    while (podsku_field_choice(field->choices, n, &word, &len) && home->values[n] != value)
        n++;
    return n;
}

void podsku_words_free(struct podsku_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->list[i]);
    free(words->list);
    words->list = NULL;
    words->count = 0;
}
