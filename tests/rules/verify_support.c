#include "tests/rules/verify_support.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

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
