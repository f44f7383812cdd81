/*
 * Shared by the tests of verify: texts of matrices made from a few words, and judging in one call.
 */
#ifndef PODSKU_TESTS_RULES_VERIFY_SUPPORT_H
#define PODSKU_TESTS_RULES_VERIFY_SUPPORT_H

#include <jansson.h>

#include "rules/verify.h"
#include "tests/support/test.h"

/* The podsku.verify/1 document of a text under an expectation; summary (free()) if not NULL. */
json_t *verify_text(const char *text, size_t len, const struct podsku_expectation *expected, char **summary);

/* A `topo -m` text of n GPUs: inside a block of `block` GPUs `near`, elsewhere `far`; NUMA nodes of `numa`. */
char *matrix_text(int n, int block, const char *near, const char *far, int numa);

/* A `-L` text of n cards of this name; `profile` (NULL: none) under each. */
char *list_text(int n, const char *name, const char *profile);

/* Two texts, one after the other; frees both. */
char *join(char *first, char *second);

/* True if `list` ("problems", "notes") has this code. */
bool has_code(const json_t *document, const char *list, const char *code);

/* Looks at one text, and what the .json beside it says of it; returns how much is wrong. */
typedef int verify_check(const char *path, const char *text, size_t len, const json_t *expected);

/* Every .txt of the folder with its .json; the sum of what is wrong. *count grows by the texts. */
int verify_each(const char *folder, verify_check *check, int *count);

#endif
