/*
 * NVLink groups: the maximal sets of GPUs that are pairwise linked (Bron and Kerbosch, with a pivot
 * and a bound on the work: real machines need a few dozen steps, a made-up matrix may need 3^42).
 */
#include <stdlib.h>
#include <string.h>

#include "rules/verify_parts.h"

#define STEPS_MAX 200000
#define CHOICE_STEPS_MAX 20000
#define WORDS (VERIFY_GPUS / 64)

bool podsku_verify_set_has(const struct verify_set *set, int gpu)
{
    return set->bits[gpu / 64] >> (gpu % 64) & 1;
}

int podsku_verify_set_size(const struct verify_set *set)
{
    int size = 0;

    for (int w = 0; w < WORDS; w++)
        size += __builtin_popcountll(set->bits[w]);
    return size;
}

static void add(struct verify_set *set, int gpu)
{
    set->bits[gpu / 64] |= UINT64_C(1) << (gpu % 64);
}

static void take(struct verify_set *set, int gpu)
{
    set->bits[gpu / 64] &= ~(UINT64_C(1) << (gpu % 64));
}

static struct verify_set both(const struct verify_set *a, const struct verify_set *b)
{
    struct verify_set set;

    for (int w = 0; w < WORDS; w++)
        set.bits[w] = a->bits[w] & b->bits[w];
    return set;
}

/* The first member from `gpu` on; -1: none. */
static int next_member(const struct verify_set *set, int gpu)
{
    for (int w = gpu / 64; w < WORDS; w++) {
        uint64_t bits = set->bits[w];
        if (w == gpu / 64)
            bits &= ~UINT64_C(0) << (gpu % 64);
        if (bits)
            return w * 64 + __builtin_ctzll(bits);
    }
    return -1;
}

void podsku_verify_set_text(const struct verify_set *set, struct podsku_buf *out)
{
    const char *comma = "";

    for (int gpu = next_member(set, 0); gpu >= 0; gpu = gpu + 1 < VERIFY_GPUS ? next_member(set, gpu + 1) : -1) {
        int last = gpu;
        while (last + 1 < VERIFY_GPUS && podsku_verify_set_has(set, last + 1))
            last++;
        if (last > gpu + 1)
            podsku_buf_printf(out, "%s%d-%d", comma, gpu, last);
        else if (last > gpu)
            podsku_buf_printf(out, "%s%d,%d", comma, gpu, last);
        else
            podsku_buf_printf(out, "%s%d", comma, gpu);
        comma = ",";
        gpu = last;
    }
}

struct search {
    struct verify_set linked[VERIFY_GPUS]; /* the neighbours of each GPU */
    struct verify_groups *groups;
    int wanted; /* > 0: stop at a group of that size */
    bool found;
    long steps;
    bool failed;
};

static void report(struct search *s, const struct verify_set *group)
{
    int size = podsku_verify_set_size(group);

    if (s->wanted) {
        s->found |= size >= s->wanted;
        return;
    }
    if (size < 2)
        return;
    if (s->groups->count == VERIFY_GROUPS_MAX) {
        s->groups->cut = true;
        return;
    }
    struct verify_set *sets = realloc(s->groups->sets, ((size_t)s->groups->count + 1) * sizeof *sets);
    if (!sets) {
        s->failed = true;
        return;
    }
    s->groups->sets = sets;
    sets[s->groups->count++] = *group;
}

/* The GPU whose neighbours cover most of the candidates: only the others need a branch. */
static int choose_pivot(const struct search *s, const struct verify_set *candidates, const struct verify_set *done)
{
    int best = -1;
    int most = -1;

    for (int gpu = 0; gpu < VERIFY_GPUS; gpu++) {
        if (!podsku_verify_set_has(candidates, gpu) && !podsku_verify_set_has(done, gpu))
            continue;
        struct verify_set covered = both(candidates, &s->linked[gpu]);
        int size = podsku_verify_set_size(&covered);
        if (size > most) {
            most = size;
            best = gpu;
        }
    }
    return best;
}

static void extend(struct search *s, struct verify_set group, struct verify_set candidates, struct verify_set done)
{
    int pivot = choose_pivot(s, &candidates, &done);

    if (++s->steps > STEPS_MAX) {
        s->groups->cut = true;
        return;
    }
    if (pivot < 0) {
        report(s, &group);
        return;
    }
    for (int gpu = 0; gpu < VERIFY_GPUS && !s->found && !s->failed && !s->groups->cut; gpu++) {
        if (!podsku_verify_set_has(&candidates, gpu) || podsku_verify_set_has(&s->linked[pivot], gpu))
            continue;
        struct verify_set larger = group;
        add(&larger, gpu);
        extend(s, larger, both(&candidates, &s->linked[gpu]), both(&done, &s->linked[gpu]));
        take(&candidates, gpu);
        add(&done, gpu);
    }
}

static void run(struct search *s, int gpus)
{
    struct verify_set none = {{0}};
    struct verify_set all = {{0}};

    for (int i = 0; i < gpus; i++)
        add(&all, i);
    extend(s, none, all, none);
}

static int compare_sets(const void *left, const void *right)
{
    const struct verify_set *x = left;
    const struct verify_set *y = right;

    for (int gpu = 0; gpu < VERIFY_GPUS; gpu++) {
        bool in_x = podsku_verify_set_has(x, gpu);
        bool in_y = podsku_verify_set_has(y, gpu);
        if (in_x != in_y)
            return in_x ? -1 : 1;
    }
    return 0;
}

enum podsku_code podsku_verify_groups_find(const struct verify_matrix *matrix, struct verify_groups *groups,
                                           struct podsku_error *err)
{
    struct search *s = calloc(1, sizeof *s);

    if (!s)
        return podsku_error_no_memory(err);
    s->groups = groups;
    for (int i = 0; i < matrix->gpus; i++) {
        for (int j = 0; j < matrix->gpus; j++) {
            if (i != j && matrix->cell[i][j].path == PODSKU_PATH_NV)
                add(&s->linked[i], j);
        }
    }
    run(s, matrix->gpus);
    bool failed = s->failed;
    free(s);
    if (failed)
        return podsku_error_no_memory(err);
    if (groups->count)
        qsort(groups->sets, (size_t)groups->count, sizeof *groups->sets, compare_sets);
    return PODSKU_OK;
}

/* Could `size` GPUs be pairwise linked if every unknown pair were NVLink? */
static enum podsku_tri group_possible(const struct podsku_reading *reading, int size)
{
    struct search *s = calloc(1, sizeof *s);
    struct verify_groups groups = {0};
    int gpus = reading->matrix.topo->gpus;

    if (!s)
        return PODSKU_UNKNOWN;
    s->groups = &groups;
    s->wanted = size;
    for (int i = 0; i < gpus; i++) {
        for (int j = 0; j < gpus; j++) {
            enum podsku_path path = podsku_reading_pair(reading, i, j).path;
            if (i != j && (path == PODSKU_PATH_NV || path == PODSKU_PATH_UNKNOWN))
                add(&s->linked[i], j);
        }
    }
    run(s, gpus);
    enum podsku_tri possible = s->found ? PODSKU_YES : groups.cut ? PODSKU_UNKNOWN : PODSKU_NO;
    free(s);
    return possible;
}

/* `size` members of the set, of one NUMA node if possible. */
static bool pick_members(const struct podsku_reading *reading, const struct verify_set *set, int size, bool one_node,
                         struct verify_set *picked)
{
    for (int node = 0; node < (one_node ? reading->numa_nodes : 1); node++) {
        int count = 0;
        memset(picked, 0, sizeof *picked);
        for (int gpu = 0; gpu < reading->gpus && count < size; gpu++) {
            if (!podsku_verify_set_has(set, gpu) || (one_node && reading->numa[gpu] != node))
                continue;
            add(picked, gpu);
            count++;
        }
        if (count == size)
            return true;
    }
    memset(picked, 0, sizeof *picked);
    return false;
}

/* From the groups, the first of `size` members, of one NUMA node if possible. */
static enum podsku_tri pick_group(const struct podsku_reading *reading, const struct verify_groups *groups, int size,
                                  struct verify_set *picked)
{
    for (int one_node = 1; one_node >= 0; one_node--) {
        for (int i = 0; i < groups->count; i++) {
            if (podsku_verify_set_size(&groups->sets[i]) >= size &&
                pick_members(reading, &groups->sets[i], size, one_node, picked))
                return PODSKU_YES;
        }
    }
    return groups->cut ? PODSKU_UNKNOWN : PODSKU_NO;
}

enum podsku_tri podsku_verify_group_by(const struct podsku_reading *reading, int size, verify_usable *usable,
                                       const void *ctx, struct verify_set *picked)
{
    struct search *s = calloc(1, sizeof *s);
    struct verify_groups groups = {0};
    int gpus = reading->matrix.topo->gpus;

    memset(picked, 0, sizeof *picked);
    if (!s)
        return PODSKU_UNKNOWN;
    s->groups = &groups;
    s->steps = STEPS_MAX - CHOICE_STEPS_MAX; /* it is asked for many choices of one machine */
    for (int i = 0; i < gpus; i++) {
        for (int j = 0; j < gpus; j++) {
            if (i != j && usable(ctx, i, j) && usable(ctx, j, i))
                add(&s->linked[i], j);
        }
    }
    run(s, gpus);
    if (groups.count)
        qsort(groups.sets, (size_t)groups.count, sizeof *groups.sets, compare_sets);
    enum podsku_tri found = s->failed ? PODSKU_UNKNOWN : pick_group(reading, &groups, size, picked);
    free(groups.sets);
    free(s);
    return found;
}

enum podsku_tri podsku_verify_group_of(const struct podsku_reading *reading, int size, struct verify_set *picked)
{
    memset(picked, 0, sizeof *picked);
    if (!reading->whole)
        return group_possible(reading, size) == PODSKU_NO ? PODSKU_NO : PODSKU_UNKNOWN;
    if (size < 2) {
        struct verify_set all = {{1}};
        *picked = all;
        return PODSKU_YES;
    }
    enum podsku_tri found = pick_group(reading, &reading->groups, size, picked);
    return found == PODSKU_UNKNOWN && group_possible(reading, size) == PODSKU_NO ? PODSKU_NO : found;
}
