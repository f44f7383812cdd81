/* Judging the cards: how many, which model, whole or in slices. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "rules/verify_parts.h"

static void judge_count(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_reading *r = task->reading;
    int wanted = task->expected->gpus;
    bool share = task->expected->mig_only || task->expected->memory_share.denominator ||
                 task->expected->compute_share.denominator;
    bool slices = task->profile || (share && r->list.all->mig_count > 0);
    int found = slices ? r->list.all->mig_count : r->gpus;
    const char *what = slices ? "MIG device" : "GPU";
    const char *were = wanted == 1 ? " was" : "s were";

    if (wanted <= 0)
        return;
    if (slices && (!r->list.listed || r->list.cut || r->list.machines))
        found = -1;
    if (found == 0 && r->list.no_devices)
        return; /* said as no-gpu */
    /* A header alone may be wrapped or cut; another tool's GPUs are not the ones asked for. */
    bool vague = r->matrix.topo->header_broken || r->problem.code == VERIFY_OTHER_TOOL ||
                 (r->matrix.topo->gpus == 0 && r->problem.code == VERIFY_TRUNCATED);
    if (found < 0 || (vague && !slices)) {
        podsku_verify_leave_open(v, task, "the text does not say how many GPUs there are");
    } else if (!slices && r->matrix.topo->gpus && r->matrix.p2p_most > found) {
        podsku_verify_leave_open_for(v, task, VERIFY_CONFLICTING,
                                     "the matrix has %d GPUs, that of `topo -p2p` %d: texts of several machines in "
                                     "one?",
                                     found, r->matrix.p2p_most);
    } else if (found < wanted) {
        podsku_verify_mismatch(v, VERIFY_WRONG_COUNT, "%d %s%s asked for; the machine shows %d", wanted, what, were,
                               found);
    } else {
        task->told = true;
        if (found > wanted)
            podsku_verify_note(v, VERIFY_WRONG_COUNT, "%d %s%s asked for; the machine shows %d", wanted, what, were,
                               found);
    }
}

static void judge_model(struct podsku_verification *v, struct verify_task *task)
{
    const struct verify_list *list = task->reading->list.all;
    int named = 0;

    if (!task->expected->gpu_type)
        return;
    if (task->reading->list.conflict) {
        task->open = true;
        podsku_verify_problem(v, VERIFY_CONFLICTING, "the text lists the GPUs of several machines");
        return;
    }
    for (int i = 0; i < list->count; i++) {
        if (!list->name[i][0])
            continue;
        named++;
        if (!podsku_verify_same_model(task->parent, list->name[i])) {
            podsku_verify_mismatch(v, VERIFY_WRONG_MODEL, "GPU%d is %s; %s was asked for", i, list->name[i],
                                   task->parent);
            return;
        }
    }
    task->told |= named > 0;
}

/* The name of a card, or of the slices that it is cut into, as ids have it: "CARD MIG PROFILE". */
static void name_card(const struct verify_list *list, int gpu, char *out, size_t size)
{
    const char *profile = NULL;

    for (int i = 0; i < list->mig_count && !profile; i++) {
        if (list->mig[i].gpu == gpu)
            profile = list->mig[i].profile;
    }
    snprintf(out, size, "%s%s%s", list->name[gpu], profile ? " MIG " : "", profile ? profile : "");
}

/* "A" or "B" or ...: what --gpu asked for. */
static void put_patterns(const struct podsku_words *patterns, struct podsku_buf *out)
{
    for (size_t i = 0; i < patterns->count; i++)
        podsku_buf_printf(out, "%s%s", i ? " or " : "", patterns->list[i]);
}

/* --gpu and --exclude. */
static void judge_patterns(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_expectation *expected = task->expected;
    const struct verify_list *list = task->reading->list.all;
    bool some = expected->gpu && expected->gpu->count;
    struct podsku_buf wanted = {0};
    char name[VERIFY_NAME + 64];

    if (task->reading->list.conflict || podsku_verify_has_problem(v, VERIFY_WRONG_MODEL))
        return;
    for (int i = 0; i < list->count; i++) {
        if (!list->name[i][0])
            continue;
        name_card(list, i, name, sizeof name);
        const char *refused = podsku_verify_pattern_of(expected->exclude, expected->names, name);
        if (refused || (some && !podsku_verify_pattern_of(expected->gpu, expected->names, name))) {
            if (refused)
                podsku_buf_printf(&wanted, "anything but %s", refused);
            else
                put_patterns(expected->gpu, &wanted);
            podsku_verify_mismatch(v, VERIFY_WRONG_MODEL, "GPU%d is %s; %s was asked for", i, name,
                                   podsku_buf_text(&wanted));
            v->failed |= podsku_buf_failed(&wanted);
            podsku_buf_free(&wanted);
            return;
        }
        task->told |= some || (expected->exclude && expected->exclude->count);
    }
}

/* The share that a slice is of its card, against what was asked for; UNKNOWN: not in the tables. */
static enum podsku_tri share_is_enough(const struct verify_task *task, const struct verify_mig *mig)
{
    const struct podsku_share memory = task->expected->memory_share;
    const struct podsku_share compute = task->expected->compute_share;
    const char *name = mig->gpu < VERIFY_GPUS ? task->reading->list.all->name[mig->gpu] : "";
    const struct podsku_facts *card = name[0] ? podsku_verify_facts_of(name) : NULL;
    const struct podsku_mig_profile *profile = NULL;

    if (memory.denominator == 0 && compute.denominator == 0)
        return PODSKU_YES;
    if (card)
        profile = podsku_mig_profile_find(card->alias_of ? card->alias_of : card->id, mig->profile);
    if (!profile)
        return PODSKU_UNKNOWN;
    bool enough = true;
    if (memory.denominator)
        enough &= profile->memory_slices * memory.denominator >= memory.numerator * profile->memory_total;
    if (compute.denominator)
        enough &= profile->compute_slices * compute.denominator >= compute.numerator * profile->compute_total;
    return enough ? PODSKU_YES : PODSKU_NO;
}

static void leave_unknown_profile(struct podsku_verification *v, struct verify_task *task, const struct verify_mig *mig)
{
    char text[160];

    snprintf(text, sizeof text, "which share of its card the MIG slice %s of GPU%d is, no table of profiles says",
             mig->profile, mig->gpu);
    podsku_verify_leave_unlisted(v, task, text);
}

/* Are slices of the card sold under their own ids? Then a whole one meets a fraction, too. */
static bool is_sold_in_slices(const char *name)
{
    const struct podsku_facts *card = podsku_verify_facts_of(name);
    size_t count = 0;
    const struct podsku_mig_profile *profiles =
        card ? podsku_mig_profiles_of(card->alias_of ? card->alias_of : card->id, &count) : NULL;

    for (size_t i = 0; i < count; i++) {
        if (profiles[i].sold)
            return true;
    }
    return false;
}

/* A fraction asks for a slice, or the whole parent of one; which card, --mig-parent may say. */
static void judge_whole_parent(struct podsku_verification *v, const struct verify_task *task)
{
    const struct verify_list *list = task->reading->list.all;

    for (int i = 0; i < list->count && !task->expected->mig_parent && list->mig_count == 0; i++) {
        if (!list->name[i][0] || is_sold_in_slices(list->name[i]))
            continue;
        podsku_verify_mismatch(v, VERIFY_WRONG_MODEL,
                               "GPU%d is %s; a fraction asks for a MIG slice, or the whole card of one that is sold in "
                               "slices (--mig-parent names another)",
                               i, list->name[i]);
        return;
    }
}

static void judge_share(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_expectation *expected = task->expected;
    const struct verify_list *list = task->reading->list.all;

    if (!expected->mig_only && !expected->memory_share.denominator && !expected->compute_share.denominator)
        return;
    if (!task->reading->list.listed) {
        podsku_verify_leave_unlisted(v, task, "the text does not list MIG devices; `nvidia-smi -L` does");
        return;
    }
    if (expected->mig_only && list->mig_count == 0) {
        podsku_verify_mismatch(v, VERIFY_MIG_SLICE, "a MIG slice was asked for; the machine lists none");
        return;
    }
    for (int i = 0; i < list->mig_count; i++) {
        enum podsku_tri enough = share_is_enough(task, &list->mig[i]);
        if (enough == PODSKU_YES)
            continue;
        if (enough == PODSKU_NO)
            podsku_verify_mismatch(v, VERIFY_MIG_SLICE,
                                   "GPU%d has the MIG slice %s: less of the card than was asked for", list->mig[i].gpu,
                                   list->mig[i].profile);
        else
            leave_unknown_profile(v, task, &list->mig[i]);
        return;
    }
    task->told = true;
}

static void judge_whole_card(struct podsku_verification *v, struct verify_task *task)
{
    const struct verify_list *list = task->reading->list.all;

    if (list->mig_count)
        podsku_verify_mismatch(v, VERIFY_MIG_SLICE, "a whole card was asked for; GPU%d is cut into MIG slices (%s)",
                               list->mig[0].gpu, list->mig[0].profile);
    for (int i = 0; i < list->count && list->mig_count == 0; i++) {
        if (list->mig_mode[i] == 1) {
            podsku_verify_mismatch(v, VERIFY_MIG_SLICE, "a whole card was asked for; MIG mode is enabled on GPU%d", i);
            return;
        }
    }
    task->told |= task->reading->list.listed;
}

static void judge_profile(struct podsku_verification *v, struct verify_task *task)
{
    const struct verify_list *list = task->reading->list.all;

    if (!task->reading->list.listed) {
        podsku_verify_leave_unlisted(v, task, "the text does not list MIG devices; `nvidia-smi -L` does");
        return;
    }
    if (list->mig_count == 0)
        podsku_verify_mismatch(v, VERIFY_MIG_SLICE, "a MIG slice %s was asked for; the machine lists none",
                               task->profile);
    for (int i = 0; i < list->mig_count; i++) {
        if (strcmp(list->mig[i].profile, task->profile) != 0) {
            podsku_verify_mismatch(v, VERIFY_MIG_SLICE, "GPU%d has the MIG slice %s; %s was asked for",
                                   list->mig[i].gpu, list->mig[i].profile, task->profile);
            return;
        }
    }
    task->told = true;
}

static void judge_parent(struct podsku_verification *v, struct verify_task *task)
{
    const struct verify_list *list = task->reading->list.all;
    const char *pattern = task->expected->mig_parent;

    for (int i = 0; pattern && i < list->count; i++) {
        const struct podsku_facts *card = list->name[i][0] ? podsku_verify_facts_of(list->name[i]) : NULL;
        if (!list->name[i][0] || podsku_text_match(pattern, list->name[i]) ||
            (card && podsku_text_match(pattern, card->id)))
            continue;
        podsku_verify_mismatch(v, VERIFY_WRONG_MODEL, "GPU%d is %s; a slice of %s was asked for", i, list->name[i],
                               pattern);
        return;
    }
}

/* Cards that are as asked say nothing of those that the text does not name. */
static void judge_unnamed(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_expectation *expected = task->expected;
    const struct verify_list *list = task->reading->list.all;
    char text[96];
    int named = 0;

    if (!expected->gpu_type && !expected->whole_card && !(expected->gpu && expected->gpu->count) &&
        !(expected->exclude && expected->exclude->count))
        return;
    for (int i = 0; i < list->count; i++)
        named += list->name[i][0] != '\0';
    if (named == 0 || named >= task->reading->gpus || podsku_verify_has_problem(v, VERIFY_WRONG_MODEL))
        return;
    v->some_named = true;
    snprintf(text, sizeof text, "the text names %d of the %d GPUs; `nvidia-smi -L` names all", named,
             task->reading->gpus);
    podsku_verify_leave_unlisted(v, task, text);
}

void podsku_verify_judge_cards(struct podsku_verification *v, struct verify_task *task)
{
    const struct podsku_expectation *expected = task->expected;
    bool cut = task->profile || expected->whole_card || expected->mig_only || expected->memory_share.denominator ||
               expected->compute_share.denominator;

    judge_count(v, task);
    judge_model(v, task);
    judge_patterns(v, task);
    judge_unnamed(v, task);
    if (task->reading->list.conflict && cut) {
        task->open = true;
        if (!podsku_verify_has_problem(v, VERIFY_CONFLICTING))
            podsku_verify_problem(v, VERIFY_CONFLICTING, "the text lists the GPUs of several machines");
        return;
    }
    if (task->profile)
        judge_profile(v, task);
    else if (expected->whole_card)
        judge_whole_card(v, task);
    judge_share(v, task);
    if (expected->memory_share.denominator || expected->compute_share.denominator)
        judge_whole_parent(v, task);
    judge_parent(v, task);
}
