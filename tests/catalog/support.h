/*
 * What the tests of catalog/ share. Everything fails the test on unexpected errors.
 */
#ifndef TESTS_CATALOG_SUPPORT_H
#define TESTS_CATALOG_SUPPORT_H

#include "base/buf.h"
#include "catalog/catalog.h"
#include "tests/support/test.h"

/* Loads text with the built-in facts; the caller frees. */
struct podsku_catalog *load_text(const char *text);
struct podsku_catalog *load_text_for(const char *text, const struct podsku_catalog_query *query);

/* fixtures/NAME/catalogue.json, by podsku_catalog_load_file(). */
struct podsku_catalog *load_fixture(const char *name);

/* A file below fixtures/; free the buffer. */
void read_fixture(const char *path, struct podsku_buf *out);

/* The type of this id, which must be there. */
const struct podsku_gpu_type *type_of(const struct podsku_catalog *catalog, const char *id);

/* {"gpus": [{"id": "NVIDIA A40", MEMBERS}]} and the same as GraphQL. */
struct podsku_catalog *load_v2_entry(const char *members);
struct podsku_catalog *load_graphql_entry(const char *members);

#endif
