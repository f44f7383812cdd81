/*
 * REST v1's PodCreateInput, as of the OpenAPI document of August 2026 (v1 itself is retired; gateways
 * and recordings keep its shape).
 */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "client/deploy_body.h"

/* The enum of gpuTypeIds. Two ids differ from others by a double blank only: bytes are compared. */
static const char *const gpu_type_ids[] = {
    "NVIDIA GeForce RTX 4090",
    "NVIDIA A40",
    "NVIDIA RTX A5000",
    "NVIDIA GeForce RTX 5090",
    "NVIDIA H100 80GB HBM3",
    "NVIDIA GeForce RTX 3090",
    "NVIDIA RTX A4500",
    "NVIDIA L40S",
    "NVIDIA H200",
    "NVIDIA L4",
    "NVIDIA RTX 6000 Ada Generation",
    "NVIDIA A100-SXM4-80GB",
    "NVIDIA RTX 4000 Ada Generation",
    "NVIDIA RTX A6000",
    "NVIDIA A100 80GB PCIe",
    "NVIDIA RTX 2000 Ada Generation",
    "NVIDIA RTX A4000",
    "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    "NVIDIA H100 PCIe",
    "NVIDIA H100 NVL",
    "NVIDIA L40",
    "NVIDIA B200",
    "NVIDIA GeForce RTX 3080 Ti",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
    "NVIDIA GeForce RTX 3080",
    "NVIDIA GeForce RTX 3070",
    "AMD Instinct MI300X OAM",
    "NVIDIA GeForce RTX 4080 SUPER",
    "Tesla V100-PCIE-16GB",
    "Tesla V100-SXM2-32GB",
    "NVIDIA RTX 5000 Ada Generation",
    "NVIDIA GeForce RTX 4070 Ti",
    "NVIDIA RTX 4000 SFF Ada Generation",
    "NVIDIA GeForce RTX 3090 Ti",
    "NVIDIA RTX A2000",
    "NVIDIA GeForce RTX 4080",
    "NVIDIA A30",
    "NVIDIA GeForce RTX 5080",
    "Tesla V100-FHHL-16GB",
    "NVIDIA H200 NVL",
    "Tesla V100-SXM2-16GB",
    "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
    "NVIDIA A5000 Ada",
    "Tesla V100-PCIE-32GB",
    "NVIDIA  RTX A4500",
    "NVIDIA  A30",
    "NVIDIA GeForce RTX 3080TI",
    "Tesla T4",
    "NVIDIA RTX A30",
};

/* The enum of allowedCudaVersions: v1 has no floor, so a floor becomes the list of what is at least that. */
static const char *const cuda_versions[] = {"13.0", "12.9", "12.8", "12.7", "12.6", "12.5",
                                            "12.4", "12.3", "12.2", "12.1", "12.0", "11.8"};

/* v2's plain fields and what v1 calls them; the others need more than a new name. */
static const struct {
    const char *v2, *v1;
} renamed[] = {
    {"name", "name"},
    {"image", "imageName"},
    {"templateId", "templateId"},
    {"disk", "containerDiskInGb"},
    {"ports", "ports"},
    {"registry", "containerRegistryAuthId"},
    {"globalNetworking", "globalNetworking"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool podsku_v1_knows_gpu(const char *gpu_id)
{
    for (size_t i = 0; i < COUNT(gpu_type_ids); i++)
        if (strcmp(gpu_type_ids[i], gpu_id) == 0)
            return true;
    return false;
}

/* One word of a shell-like line: blanks separate, quotes and backslashes protect. NULL: none is left. */
static const char *next_word(const char *text, struct podsku_buf *word)
{
    char quote = '\0';

    podsku_buf_reset(word);
    text += strspn(text, " \t\n");
    if (!*text)
        return NULL;
    for (; *text && (quote || !strchr(" \t\n", *text)); text++) {
        if (quote ? *text == quote : *text == '"' || *text == '\'') {
            quote = quote ? '\0' : *text;
            continue;
        }
        if (*text == '\\' && quote != '\'' && text[1])
            text++;
        podsku_buf_putc(word, *text);
    }
    return text;
}

/* v2 takes the arguments as one line, v1 as a list. */
static json_t *split_args(const char *text)
{
    struct podsku_buf word = {0};
    json_t *list = json_array();

    while (list && (text = next_word(text, &word)) != NULL)
        if (podsku_buf_failed(&word) || json_array_append_new(list, podsku_json_text(podsku_buf_text(&word))) != 0) {
            json_decref(list);
            list = NULL;
        }
    podsku_buf_free(&word);
    return list;
}

static bool set_mounts(json_t *body, const json_t *mounts)
{
    const json_t *persistent = json_object_get(mounts, "persistent");
    const json_t *network = json_array_get(json_object_get(mounts, "network"), 0);
    json_t *path = json_object_get(persistent ? persistent : network, "path");

    if (persistent && !podsku_json_set(body, "volumeInGb", json_deep_copy(json_object_get(persistent, "size"))))
        return false;
    if (network && !podsku_json_set(body, "networkVolumeId", json_deep_copy(json_object_get(network, "volumeId"))))
        return false;
    return !path || podsku_json_set(body, "volumeMountPath", json_deep_copy(path));
}

static bool set_fields(json_t *body, const json_t *fields)
{
    const char *args = json_string_value(json_object_get(fields, "args"));

    for (size_t i = 0; i < COUNT(renamed); i++) {
        json_t *value = json_object_get(fields, renamed[i].v2);
        if (value && !podsku_json_set(body, renamed[i].v1, json_deep_copy(value)))
            return false;
    }
    return set_mounts(body, json_object_get(fields, "mounts")) &&
           (!args || podsku_json_set(body, "dockerStartCmd", split_args(args)));
}

static bool set_cuda_floor(json_t *body, const char *floor)
{
    int want_major, want_minor, major, minor;
    json_t *list = json_array();

    for (size_t i = 0; list && i < COUNT(cuda_versions); i++)
        if (podsku_text_version(floor, &want_major, &want_minor) &&
            podsku_text_version(cuda_versions[i], &major, &minor) &&
            (major > want_major || (major == want_major && minor >= want_minor)) &&
            json_array_append_new(list, json_string(cuda_versions[i])) != 0) {
            json_decref(list);
            return false;
        }
    return podsku_json_set(body, "allowedCudaVersions", list);
}

static bool set_plan(json_t *body, const struct podsku_create_spec *spec, const struct podsku_plan_entry *entries,
                     size_t entry_count)
{
    json_t *ids = json_array();

    for (size_t i = 0; ids && i < entry_count; i++)
        if (json_array_append_new(ids, podsku_json_text(entries[i].gpu_id)) != 0) {
            json_decref(ids);
            return false;
        }
    (void)json_object_del(body, "dataCenterIds");
    /* "availability", the default, would let the service reorder the list by stock. */
    return podsku_json_set(body, "gpuTypeIds", ids) &&
           podsku_json_set(body, "gpuTypePriority", json_string("custom")) &&
           podsku_json_set(body, "gpuCount", json_integer(entries[0].gpus)) &&
           podsku_json_set(body, "cloudType", podsku_json_text(entries[0].cloud)) &&
           (!spec->min_cuda || set_cuda_floor(body, spec->min_cuda)) && podsku_body_data_centers(body, spec);
}

bool podsku_v1_body(json_t *body, const struct podsku_create_spec *spec, const struct podsku_plan_entry *entries,
                    size_t entry_count, const struct podsku_create_marks *marks, struct podsku_error *err)
{
    if (json_is_true(json_object_get(spec->fields, "startJupyter"))) {
        podsku_error_hint(err, "use --api v2, or an image that starts it");
        (void)podsku_error_set(err, PODSKU_REQUEST, "REST v1 cannot start Jupyter (--jupyter)");
        return false;
    }
    for (size_t i = 0; i < entry_count; i++)
        if (!podsku_v1_knows_gpu(entries[i].gpu_id)) {
            (void)podsku_error_set(err, PODSKU_REQUEST, "REST v1 does not know the GPU type \"%s\"", entries[i].gpu_id);
            return false;
        }
    if (!set_fields(body, spec->fields) || !podsku_body_copy(body, spec->extra) ||
        !podsku_body_env(body, spec, marks, false) || !podsku_body_name(body, marks->launch_id, false) ||
        !set_plan(body, spec, entries, entry_count))
        return false;
    /* v1 would add a volume of 20 GB by itself. A template brings its own. */
    if (!json_object_get(body, "volumeInGb") && !json_object_get(body, "templateId"))
        return podsku_json_set(body, "volumeInGb", json_integer(0));
    return true;
}
