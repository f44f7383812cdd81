/* "43 types are not: 30 no NVLink, ...": one phrase for each type, the most telling one. */
#include <stdlib.h>
#include <string.h>

#include "cli/view_pick.h"

enum { PHRASES_MAX = 64 };

struct phrase {
    const char *text; /* a reason's `brief`, borrowed from the decision */
    size_t types;
};

static int by_count(const void *a, const void *b)
{
    const struct phrase *left = a;
    const struct phrase *right = b;

    if (left->types != right->types)
        return left->types < right->types ? 1 : -1;
    return strcmp(left->text, right->text);
}

static size_t add_phrase(struct phrase *phrases, size_t count, const char *text)
{
    size_t i = 0;

    while (i < count && strcmp(phrases[i].text, text) != 0)
        i++;
    if (i == PHRASES_MAX)
        i--; /* more phrases than a line could hold: the last one takes the rest */
    if (i == count)
        phrases[count++] = (struct phrase){text, 0};
    phrases[i].types++;
    return count;
}

void cli_pick_rejections(const struct pick_view *view)
{
    const struct podsku_decision *decision = view->decision;
    const struct podsku_gpu_type *types = view->catalog->types;
    bool *passes = calloc(view->catalog->type_count + 1, sizeof *passes);
    struct phrase phrases[PHRASES_MAX];
    size_t count = 0;
    size_t total = 0;
    struct podsku_buf line = {0};

    if (!passes)
        return; /* talk only: the decision itself is already printed */
    for (size_t i = 0; i < decision->candidate_count; i++)
        passes[decision->candidates[i].type - types] = true;
    for (size_t i = 0, next; i < decision->rejected_count; i = next) {
        const struct podsku_offer *best = &decision->rejected[i];
        /* The offers of one type stand together: the one with the fewest reasons speaks for it. */
        for (next = i + 1; next < decision->rejected_count && decision->rejected[next].type == best->type; next++)
            if (decision->rejected[next].reason_count < best->reason_count)
                best = &decision->rejected[next];
        if (passes[best->type - types])
            continue;
        count = add_phrase(phrases, count, podsku_offer_chief_reason(best)->brief);
        total++;
    }
    free(passes);
    if (total == 0)
        return;
    qsort(phrases, count, sizeof *phrases, by_count);
    for (size_t i = 0; i < count; i++)
        podsku_buf_printf(&line, "%s%zu %s", i ? ", " : "", phrases[i].types, phrases[i].text);
    cli_say(view->cli, "%zu %s not: %s%s", total, total == 1 ? "type is" : "types are", podsku_buf_text(&line),
            cli_has(view->cli, "serverless") ? "" : " (--explain)");
    podsku_buf_free(&line);
}
