/*
 * What the rules alone cost: reads requirements from the scenarios on standard input (JSON Lines, see
 * make_lines.c), decides each over the bundled catalogue, and prints nanoseconds per decision. The
 * requirements are taken in turn, so that a decision seldom follows one that is like it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <jansson.h>

#include "catalog/catalog.h"
#include "rules/rules.h"

enum { REQUIREMENTS_MAX = 1200, ROUNDS = 5 };

static double now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static size_t read_all(struct podsku_requirement *list)
{
    struct podsku_error err = {0};
    char *line = NULL;
    size_t room = 0;
    size_t count = 0;

    while (count < REQUIREMENTS_MAX && getline(&line, &room, stdin) > 0) {
        json_t *scenario = json_loads(line, 0, NULL);
        podsku_requirement_init(&list[count]);
        if (podsku_requirement_read(&list[count], json_object_get(scenario, "requirement"), "-", "$", &err))
            fprintf(stderr, "%s: %s\n", err.where, err.message);
        else
            count++;
        json_decref(scenario);
    }
    free(line);
    return count;
}

/* Once over all requirements; false: something failed. */
static bool decide_all(const struct podsku_catalog *catalog, const struct podsku_requirement *list, size_t count,
                       enum podsku_detail detail)
{
    struct podsku_decision decision = {0};
    struct podsku_error err = {0};
    bool fine = true;

    for (size_t i = 0; fine && i < count; i++)
        fine = podsku_decide(catalog, &list[i], detail, true, &decision, &err) == PODSKU_OK;
    podsku_decision_free(&decision);
    return fine;
}

static void measure(const struct podsku_catalog *catalog, const struct podsku_requirement *list, size_t count,
                    enum podsku_detail detail, const char *name)
{
    double least = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double start = now_ns();
        if (!decide_all(catalog, list, count, detail)) {
            fprintf(stderr, "a decision failed\n");
            return;
        }
        double took = (now_ns() - start) / (double)count;
        least = round == 0 || took < least ? took : least;
    }
    printf("  %-40s %8.0f ns\n", name, least);
}

int main(void)
{
    static struct podsku_requirement list[REQUIREMENTS_MAX];
    struct podsku_catalog *catalog = NULL;
    struct podsku_error err = {0};
    size_t count = read_all(list);

    if (count == 0 || podsku_catalog_bundled(podsku_facts_builtin(), &catalog, &err) != PODSKU_OK)
        return 1;
    measure(catalog, list, count, PODSKU_DECIDE_COUNT, "the candidates, and how many fail");
    measure(catalog, list, count, PODSKU_DECIDE_REASONS, "every rule for every offer");
    measure(catalog, list, count, PODSKU_DECIDE_FULL, "and suggestions, alternatives, near miss");
    for (size_t i = 0; i < count; i++)
        podsku_requirement_free(&list[i]);
    podsku_catalog_free(catalog);
    return 0;
}
