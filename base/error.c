#include "base/error.h"

#include <stdio.h>
#include <string.h>

struct code_row {
    const char *name;
    const char *text;
    int exit_status;
};

#define CODE_ROW(constant, name, text, exit_status) {name, text, exit_status},
static const struct code_row code_rows[] = {PODSKU_ERROR_LIST(CODE_ROW)};
#undef CODE_ROW
_Static_assert(sizeof code_rows / sizeof *code_rows == PODSKU_CODE_COUNT, "every error code has a row");

void podsku_error_clear(struct podsku_error *err)
{
    memset(err, 0, sizeof *err);
}

enum podsku_code podsku_error_set(struct podsku_error *err, enum podsku_code code, const char *fmt, ...)
{
    va_list args;

    if (err->code != PODSKU_OK)
        return err->code;
    err->code = code;
    va_start(args, fmt);
    (void)vsnprintf(err->message, sizeof err->message, fmt, args);
    va_end(args);
    return code;
}

void podsku_error_hint(struct podsku_error *err, const char *fmt, ...)
{
    va_list args;

    if (err->hint[0])
        return;
    va_start(args, fmt);
    (void)vsnprintf(err->hint, sizeof err->hint, fmt, args);
    va_end(args);
}

void podsku_error_where(struct podsku_error *err, const char *fmt, ...)
{
    va_list args;

    if (err->where[0])
        return;
    va_start(args, fmt);
    (void)vsnprintf(err->where, sizeof err->where, fmt, args);
    va_end(args);
}

void podsku_error_context(struct podsku_error *err, const char *fmt, ...)
{
    char context[sizeof err->message];
    char old[sizeof err->message];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(context, sizeof context, fmt, args);
    va_end(args);
    memcpy(old, err->message, sizeof old);
    /* A message too long for its context loses its tail, never its context. */
    size_t used = (size_t)snprintf(err->message, sizeof err->message, "%s: ", context);
    if (used >= sizeof err->message)
        return;
    size_t room = sizeof err->message - used - 1;
    size_t len = strnlen(old, room);
    memcpy(err->message + used, old, len);
    err->message[used + len] = '\0';
}

enum podsku_code podsku_error_no_memory(struct podsku_error *err)
{
    return podsku_error_set(err, PODSKU_NO_MEMORY, "out of memory");
}

static const struct code_row *row_of(enum podsku_code code)
{
    return (unsigned)code < PODSKU_CODE_COUNT ? &code_rows[code] : &code_rows[PODSKU_INTERNAL];
}

const char *podsku_code_name(enum podsku_code code)
{
    return row_of(code)->name;
}

const char *podsku_code_text(enum podsku_code code)
{
    return row_of(code)->text;
}

int podsku_code_exit_status(enum podsku_code code)
{
    return row_of(code)->exit_status;
}
