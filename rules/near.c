#include "rules/near.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { NEAR_MAX = 3 };

/* What the pattern is compared by. */
struct wanted {
    struct podsku_buf text;     /* without wildcards and blanks around */
    struct podsku_buf squeezed; /* without blanks and makers' words, too */
};

struct near_type {
    const struct podsku_gpu_type *type; /* NULL: named already */
};

static char lower(char c)
{
    return (char)tolower((unsigned char)c);
}

static bool holds(const char *text, const char *part, size_t len)
{
    for (; *text; text++) {
        size_t i = 0;
        while (i < len && text[i] && lower(text[i]) == lower(part[i]))
            i++;
        if (i == len)
            return true;
    }
    return false;
}

static bool is_makers_word(const char *word, size_t len)
{
    static const char *const makers[] = {"nvidia", "amd", "tesla", "geforce", "rtx", "quadro", "radeon", "instinct"};
    char copy[16];

    if (len >= sizeof copy)
        return false;
    memcpy(copy, word, len);
    copy[len] = '\0';
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (podsku_text_equal_nocase(makers[i], copy))
            return true;
    return false;
}

/* "NVIDIA GeForce RTX 3090 Ti" and "rtx3090ti" are both "3090ti". */
static void squeeze(struct podsku_buf *out, const char *text)
{
    podsku_buf_reset(out);
    while (*text) {
        size_t len = strcspn(text, " -_");
        if (!is_makers_word(text, len))
            for (size_t i = 0; i < len; i++)
                podsku_buf_putc(out, lower(text[i]));
        text += len + (text[len] != '\0');
    }
    const char *all = podsku_buf_text(out);
    if (strncmp(all, "rtx", 3) == 0 && all[3]) { /* written together with what follows */
        memmove(out->data, out->data + 3, out->len - 2);
        out->len -= 3;
    }
}

static bool holds_every_word(const char *text, const char *words)
{
    bool some = false;

    while (*words) {
        size_t len = strcspn(words, " ");
        if (len > 0 && !holds(text, words, len))
            return false;
        some = some || len > 0;
        words += len + (words[len] != '\0');
    }
    return some;
}

static bool is_same(const struct wanted *wanted, const char *text, struct podsku_buf *scratch)
{
    squeeze(scratch, text);
    return wanted->squeezed.len > 0 && strcmp(podsku_buf_text(scratch), podsku_buf_text(&wanted->squeezed)) == 0;
}

/* The first type that is the same (step 0) or holds every word (step 1). */
static struct near_type *find_alike(const struct wanted *wanted, struct near_type *types, size_t count, int step,
                                    struct podsku_buf *scratch)
{
    for (size_t i = 0; i < count; i++) {
        if (!types[i].type)
            continue;
        const char *texts[] = {podsku_gpu_name(types[i].type), types[i].type->id};
        for (size_t k = 0; k < 2; k++)
            if (step == 0 ? is_same(wanted, texts[k], scratch)
                          : holds_every_word(texts[k], podsku_buf_text(&wanted->text)))
                return &types[i];
    }
    return NULL;
}

/* The type whose name, or else whose id, is spelled most nearly so. */
static struct near_type *find_spelled(const struct wanted *wanted, struct near_type *types, size_t count,
                                      const char **words)
{
    for (int ids = 0; ids < 2; ids++) {
        size_t used = 0;
        for (size_t i = 0; i < count; i++)
            if (types[i].type)
                words[used++] = ids ? types[i].type->id : podsku_gpu_name(types[i].type);
        words[used] = NULL;
        const char *near = podsku_text_nearest(podsku_buf_text(&wanted->text), words);
        for (size_t i = 0; near && i < count; i++)
            if (types[i].type && (ids ? types[i].type->id : podsku_gpu_name(types[i].type)) == near)
                return &types[i];
    }
    return NULL;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct near_type *)a)->type->id, ((const struct near_type *)b)->type->id);
}

static void read_wanted(struct wanted *wanted, const char *pattern)
{
    for (; *pattern; pattern++)
        if (*pattern != '*' && *pattern != '?' && (wanted->text.len > 0 || *pattern != ' '))
            podsku_buf_putc(&wanted->text, *pattern);
    while (wanted->text.len > 0 && wanted->text.data[wanted->text.len - 1] == ' ')
        wanted->text.data[--wanted->text.len] = '\0';
    squeeze(&wanted->squeezed, podsku_buf_text(&wanted->text));
}

void podsku_put_near(struct podsku_buf *out, const struct podsku_catalog *catalog, const char *pattern)
{
    size_t count = catalog->type_count;
    struct near_type *types = calloc(count + 1, sizeof *types);
    const char **words = calloc(count + 1, sizeof *words);
    struct wanted wanted = {{0}, {0}};
    struct podsku_buf scratch = {0};

    read_wanted(&wanted, pattern);
    if (!types || !words || wanted.text.len == 0)
        goto out;
    for (size_t i = 0; i < count; i++)
        types[i].type = &catalog->types[i];
    qsort(types, count, sizeof *types, by_id);
    for (int step = 0, found = 0; step < 3 && found < NEAR_MAX;) {
        struct near_type *near =
            step < 2 ? find_alike(&wanted, types, count, step, &scratch) : find_spelled(&wanted, types, count, words);
        if (!near && found > 0)
            break; /* what is spelled otherwise would only distract */
        if (!near) {
            step++;
            continue;
        }
        podsku_buf_printf(out, "%s\"%.100s\"", found++ ? ", " : "", podsku_gpu_name(near->type));
        near->type = NULL;
    }
out:
    podsku_buf_free(&scratch);
    podsku_buf_free(&wanted.text);
    podsku_buf_free(&wanted.squeezed);
    free(words);
    free(types);
}
