#include "tests/rules/verify_support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"

json_t *verify_text(const char *text, size_t len, const struct podsku_expectation *expected, char **summary)
{
    struct podsku_reading *reading = NULL;
    struct podsku_verification *verification = NULL;
    struct podsku_error err = {0};
    /* A copy of exactly this size, so that AddressSanitizer sees a read past the end. */
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    if (len)
        memcpy(copy, text, len);
    assert_int_equal(podsku_verify_read(copy, len, &reading, &err), PODSKU_OK);
    free(copy);
    assert_int_equal(podsku_verify_judge(reading, expected, &verification, &err), PODSKU_OK);
    json_t *document = podsku_verification_encode(verification);
    assert_non_null(document);
    if (summary)
        *summary = strdup(podsku_verification_summary(verification));
    podsku_verification_free(verification);
    podsku_reading_free(reading);
    return document;
}

char *matrix_text(int n, int block, const char *near, const char *far, int numa)
{
    struct podsku_buf text = {0};

    for (int i = 0; i < n; i++)
        podsku_buf_printf(&text, "\tGPU%d", i);
    podsku_buf_puts(&text, "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n");
    for (int i = 0; i < n; i++) {
        podsku_buf_printf(&text, "GPU%d", i);
        for (int j = 0; j < n; j++)
            podsku_buf_printf(&text, "\t%s", i == j ? " X " : i / block == j / block ? near : far);
        podsku_buf_printf(&text, "\t0-31\t%d\t\tN/A\n", i * numa / n);
    }
    return podsku_buf_take(&text);
}

char *list_text(int n, const char *name, const char *profile)
{
    struct podsku_buf text = {0};

    for (int i = 0; i < n; i++) {
        podsku_buf_printf(&text, "GPU %d: %s (UUID: GPU-%08x-0000-4000-8000-000000000000)\n", i, name, i);
        if (profile)
            podsku_buf_printf(&text, "  MIG %s     Device  0: (UUID: MIG-%08x-0000-5000-8000-000000000000)\n", profile,
                              i);
    }
    return podsku_buf_take(&text);
}

char *join(char *first, char *second)
{
    struct podsku_buf text = {0};

    podsku_buf_printf(&text, "%s\n%s", first, second);
    free(first);
    free(second);
    return podsku_buf_take(&text);
}

bool has_code(const json_t *document, const char *list, const char *code)
{
    size_t i;
    json_t *item;

    json_array_foreach(json_object_get(document, list), i, item)
    {
        const char *found = json_string_value(json_object_get(item, "code"));
        if (found && strcmp(found, code) == 0)
            return true;
    }
    return false;
}

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name);

    return len > strlen(end) && strcmp(name + len - strlen(end), end) == 0;
}

static json_t *load_json(const char *path)
{
    struct podsku_buf bytes = {0};
    struct podsku_error err = {0};
    json_t *value = NULL;

    if (podsku_file_read(path, PODSKU_FILE_MAX, &bytes, &err) != PODSKU_OK ||
        podsku_json_read(podsku_buf_text(&bytes), bytes.len, path, PODSKU_INPUT, &value, &err) != PODSKU_OK)
        fail_msg("%s: %s", path, err.message);
    podsku_buf_free(&bytes);
    return value;
}

int verify_each(const char *folder, verify_check *check, int *count)
{
    DIR *dir = opendir(folder);
    int bad = 0;

    if (!dir)
        fail_msg("cannot open %s", folder);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        struct podsku_buf bytes = {0};
        struct podsku_error err = {0};
        char path[4096];
        if (!ends_with(entry->d_name, ".txt"))
            continue;
        int stem = (int)strlen(entry->d_name) - 4;
        (void)snprintf(path, sizeof path, "%s/%.*s.json", folder, stem, entry->d_name);
        json_t *expected = load_json(path);
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (podsku_file_read(path, PODSKU_FILE_MAX, &bytes, &err) != PODSKU_OK)
            fail_msg("%s: %s", path, err.message);
        bad += check(path, podsku_buf_text(&bytes), bytes.len, expected);
        podsku_buf_free(&bytes);
        json_decref(expected);
        ++*count;
    }
    (void)closedir(dir);
    return bad;
}
