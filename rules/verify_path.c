/* The path words of `nvidia-smi topo -m`: one table for reading, showing and explaining them. */
#include <string.h>

#include "rules/verify_parts.h"

static const struct podsku_path_word words[] = {
#define ROW(constant, word, meaning) {word, meaning},
    PODSKU_PATH_LIST(ROW)
#undef ROW
};

_Static_assert(sizeof words / sizeof *words == PODSKU_PATH_COUNT, "one row per path");

const struct podsku_path_word *podsku_path_words(size_t *count)
{
    *count = sizeof words / sizeof *words;
    return words;
}

const char *podsku_path_word(enum podsku_path path)
{
    return path >= 0 && path < PODSKU_PATH_COUNT ? words[path].word : "?";
}

const char *podsku_path_meaning(enum podsku_path path)
{
    return path >= 0 && path < PODSKU_PATH_COUNT ? words[path].meaning : "not known";
}

struct podsku_pair_link podsku_path_parse(const char *text, size_t len)
{
    struct podsku_pair_link link = {PODSKU_PATH_UNKNOWN, 0};

    if (len > 2 && len <= 4 && memcmp(text, "NV", 2) == 0) {
        int count = podsku_verify_token_number(text + 2, len - 2);
        if (count > 0 && text[2] != '0')
            link = (struct podsku_pair_link){PODSKU_PATH_NV, count};
        return link;
    }
    for (int path = 0; path < PODSKU_PATH_COUNT; path++) {
        /* A bare "NV" says nothing: it is the start of a cell that was cut. */
        if (path != PODSKU_PATH_NV && strlen(words[path].word) == len && memcmp(words[path].word, text, len) == 0)
            link.path = (enum podsku_path)path;
    }
    return link;
}

const char *podsku_link_text(struct podsku_pair_link link, char text[PODSKU_LINK_TEXT_SIZE])
{
    const char *word = podsku_path_word(link.path);
    size_t len = strlen(word);

    memcpy(text, word, len + 1);
    if (link.path == PODSKU_PATH_NV) {
        if (link.count > 9)
            text[len++] = (char)('0' + link.count / 10 % 10);
        text[len++] = (char)('0' + link.count % 10);
        text[len] = '\0';
    }
    return text;
}

/* SOC is the old word for SYS: they are as far. */
static int distance(enum podsku_path path)
{
    return path == PODSKU_PATH_SOC ? PODSKU_PATH_SYS : (int)path;
}

bool podsku_link_farther(struct podsku_pair_link a, struct podsku_pair_link b)
{
    if (a.path == PODSKU_PATH_NV && b.path == PODSKU_PATH_NV)
        return a.count < b.count;
    return distance(a.path) > distance(b.path);
}

struct podsku_pair_link podsku_verify_cell_link(const struct verify_cell *cell)
{
    return (struct podsku_pair_link){(enum podsku_path)cell->path, cell->count};
}
