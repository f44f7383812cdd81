/*
 * What every test program starts with: cmocka and the headers that it forgets to include itself.
 */
#ifndef PODSKU_TESTS_SUPPORT_TEST_H
#define PODSKU_TESTS_SUPPORT_TEST_H

/* cmocka.h needs these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
