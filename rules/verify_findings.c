/* The findings: one table of codes, and the lists that a verification grows. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

static const struct {
    const char *name;
    enum verify_finding_kind kind;
} findings[] = {
#define ROW(constant, name, kind) {name, VERIFY_##kind},
    PODSKU_FINDING_LIST(ROW)
#undef ROW
};

_Static_assert(sizeof findings / sizeof *findings == VERIFY_FINDING_COUNT, "one row per finding");

const char *podsku_verify_finding_name(enum verify_finding code)
{
    return findings[code].name;
}

enum verify_finding_kind podsku_verify_finding_kind(enum verify_finding code)
{
    return findings[code].kind;
}

static char *format(const char *fmt, va_list args) PODSKU_PRINTF(1, 0);

static char *format(const char *fmt, va_list args)
{
    char *text = NULL;

    return vasprintf(&text, fmt, args) < 0 ? NULL : text;
}

static void add(struct podsku_verification *v, struct verify_entries *entries, enum verify_finding code, char *message)
{
    if (message && entries->count == entries->cap) {
        size_t cap = entries->cap ? entries->cap * 2 : 8;
        struct verify_entry *list = realloc(entries->list, cap * sizeof *list);
        if (list) {
            entries->list = list;
            entries->cap = cap;
        }
    }
    if (!message || entries->count == entries->cap) {
        v->failed = true;
        free(message);
        return;
    }
    entries->list[entries->count++] = (struct verify_entry){code, message};
}

void podsku_verify_problem(struct podsku_verification *v, enum verify_finding code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add(v, &v->problems, code, format(fmt, args));
    va_end(args);
}

void podsku_verify_note(struct podsku_verification *v, enum verify_finding code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add(v, &v->notes, code, format(fmt, args));
    va_end(args);
}

void podsku_verify_advise(struct podsku_verification *v, const char *fmt, ...)
{
    struct verify_texts *advice = &v->advice;
    va_list args;

    va_start(args, fmt);
    char *text = format(fmt, args);
    va_end(args);
    if (text && advice->count == advice->cap) {
        size_t cap = advice->cap ? advice->cap * 2 : 8;
        char **list = realloc(advice->list, cap * sizeof *list);
        if (list) {
            advice->list = list;
            advice->cap = cap;
        }
    }
    if (!text || advice->count == advice->cap) {
        v->failed = true;
        free(text);
        return;
    }
    advice->list[advice->count++] = text;
}

bool podsku_verify_has_problem(const struct podsku_verification *v, enum verify_finding code)
{
    for (size_t i = 0; i < v->problems.count; i++) {
        if (v->problems.list[i].code == code)
            return true;
    }
    return false;
}

void podsku_verify_mismatch(struct podsku_verification *v, enum verify_finding code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add(v, v->expected ? &v->problems : &v->notes, code, format(fmt, args));
    va_end(args);
}

void podsku_verify_strict(struct podsku_verification *v)
{
    size_t kept = 0;

    for (size_t i = 0; i < v->notes.count; i++) {
        struct verify_entry note = v->notes.list[i];
        if (findings[note.code].kind == VERIFY_NOTE)
            add(v, &v->problems, note.code, note.message);
        else
            v->notes.list[kept++] = note;
    }
    v->notes.count = kept;
}
