/*
 * Fuzz target of the catalogue decoder. Corpus: corpus/catalog, and any file of fixtures/catalogue*
 * and fixtures/bad/catalogue-*. Whatever loads must survive decode-encode-decode unchanged, and
 * loading and checking must agree on what is an error.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "catalog/catalog.h"
#include "catalog/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static json_t *encode_all(const struct podsku_catalog *catalog, struct podsku_buf *text)
{
    json_t *body = podsku_catalog_encode(catalog);

    require(body != NULL, "a catalogue can be encoded");
    podsku_json_write(text, body, false);
    require(!podsku_buf_failed(text), "a catalogue's encoding can be written");
    return body;
}

static void survives_encoding(const struct podsku_catalog *catalog)
{
    struct podsku_buf text = {0};
    struct podsku_buf text_again = {0};
    struct podsku_error err = {0};
    struct podsku_catalog *again;

    json_t *body = encode_all(catalog, &text);
    enum podsku_code code = podsku_catalog_load(text.data, text.len, "encoded", catalog->facts, &catalog->reads[0],
                                                PODSKU_INPUT, &again, &err);
    require(code == PODSKU_OK, "an encoding can be decoded");
    json_t *body_again = encode_all(again, &text_again);
    require(json_equal(body, body_again), "decoding an encoding gives the same catalogue");
    require(again->type_count == catalog->type_count, "no type is lost");
    podsku_catalog_free(again);
    json_decref(body);
    json_decref(body_again);
    podsku_buf_free(&text);
    podsku_buf_free(&text_again);
}

static void is_consistent(const struct podsku_catalog *catalog)
{
    struct podsku_error err = {0};
    struct podsku_diff diff;

    for (size_t i = 0; i < catalog->type_count; i++) {
        const struct podsku_gpu_type *type = &catalog->types[i];
        require(podsku_catalog_find(catalog, type->id) == type, "every type is found by its id");
        for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++)
            (void)podsku_catalog_stock(catalog, type, (enum podsku_cloud)cloud, 8, NULL, NULL);
    }
    require(podsku_catalog_diff(catalog, catalog, &diff, &err) == PODSKU_OK, "a diff can be made");
    require(diff.change_count + diff.added_count + diff.removed_count == 0, "a catalogue equals itself");
    podsku_diff_free(&diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct podsku_error err = {0};
    struct podsku_error check_err = {0};
    struct podsku_findings findings;
    struct podsku_catalog *catalog;

    enum podsku_code code = podsku_catalog_load((const char *)data, size, "input", podsku_facts_builtin(), NULL,
                                                PODSKU_INPUT, &catalog, &err);
    require(podsku_catalog_check((const char *)data, size, "input", podsku_facts_builtin(), &findings, &check_err) ==
                PODSKU_OK,
            "any bytes can be checked");
    require((code == PODSKU_OK) == (findings.errors == 0), "checking finds an error exactly when loading does");
    podsku_findings_free(&findings);
    if (code == PODSKU_OK) {
        survives_encoding(catalog);
        is_consistent(catalog);
    } else {
        require(err.message[0] && err.where[0], "an error says what and where");
    }
    podsku_catalog_free(catalog);
    return 0;
}
