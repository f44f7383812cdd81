/*
 * Every allocation of the real program fails once, jansson's and libcurl's included. Then it ends with
 * exit status 1 and "out of memory", or as if nothing had happened; it never crashes, leaks, or prints
 * a result that is not the whole one. A deploy that failed leaves no pod that its journal cannot find.
 *
 * `long` tries every allocation; without it those beyond the first are sampled.
 */
#include "tests/faults/faults.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define F PODSKU_FIXTURES
#define V2 F "/catalogue-v2/catalogue.json"
#define WORDS_MAX 20

/* All of the first, then at most this many of the rest. */
enum { FIRST = 10, SAMPLED = 25, SAMPLED_ONLINE = 25 };

struct flow {
    const char *words[WORDS_MAX];
    const char *input; /* a file for standard input; NULL: empty */
    int status;        /* without a fault */
    bool online;       /* against the stand-in for the service */
    bool machine;      /* with an ssh and a pod's machine */
    bool deploys;      /* a reply that found no memory is settled: it may say "adopted" */
    bool checks;       /* a check that found no memory failed, as its kind of check does */
    bool left;         /* an earlier deploy was killed and left a pod */
    int or_else;       /* another status that lack of memory may end in, if its result says so; 0: none */
};

static const struct flow offline[] = {
    {.words = {"pick", "--gpus", "8", "--nvlink", "--catalog", "bundled"}},
    {.words = {"pick", "--gpus", "1,8", "--cloud", "any", "--explain", "--catalog", "bundled", "-o", "wide"}},
    {.words = {"pick", "--gpus", "8", "--nvlink", "--gpu", "H100 NVL", "--catalog", V2}, .status = 3},
    {.words = {"pick", "--memory-fraction", "1/4", "--catalog", V2, "-o", "json"}},
    {.words = {"pick", "--gpus", "2", "--max-price", "0.1", "--catalog", "-", "-o", "json"}, .input = V2, .status = 3},
    {.words = {"pick", "--catalog", F "/catalogue-recording-graphql/catalogue.json", "-o", "csv"}},
    {.words = {"catalog", "list", "--catalog", V2}},
    {.words = {"catalog", "list", "--by-datacenter", "--catalog", V2}},
    {.words = {"catalog", "list", "--catalog", "bundled", "-o", "json"}},
    {.words = {"catalog", "check", F "/catalogue-lies/catalogue.json", "-o", "json"}},
    {.words = {"catalog", "check", V2}},
    {.words = {"catalog", "diff", V2, F "/cli/changed.json"}},
    {.words = {"catalog", "diff", V2, F "/cli/changed.json", "-o", "json"}},
    {.words = {"catalog", "mig"}},
    {.words = {"evaluate", F "/cli/worked-examples.jsonl"}},
    {.words = {"evaluate", F "/cli/worked-examples.jsonl", "-o", "junit"}},
    {.words = {"evaluate", F "/cli/worked-examples.jsonl", "--catalog", V2, "-o", "json"}, .status = 10},
    {.words = {"evaluate", "-", "--explain", "--catalog", V2}, .input = F "/cli/batch.jsonl", .status = 11},
    {.words = {"verify", F "/topo/collect-env.txt", "--gpus", "8", "--nvlink"}, .status = -1},
    {.words = {"verify", F "/topo/collect-env.txt", "-o", "json"}, .status = -1},
    {.words = {"verify", "-", "-o", "svg"}, .input = F "/topo/bridged-pairs.txt", .status = -1},
    {.words = {"deploy", "--gpus", "8", "--nvlink", "--image", "img:1", "--catalog", "bundled", "--dry-run"}},
    {.words = {"help", "deploy"}},
};

#define DEPLOY "deploy", "--gpus", "2", "--nvlink", "--image", "img:1", "--settle-timeout", "1s"

static const struct flow online[] = {
    {.words = {"pick", "--gpus", "8", "--nvlink", "-v", "-o", "json"}, .online = true},
    {.words = {"catalog", "pull", "-o", "-"}, .online = true},
    {.words = {"pods", "list", "-o", "json"}, .online = true, .left = true},
    {.words = {DEPLOY}, .online = true, .deploys = true},
    {.words = {DEPLOY, "--wait", "--max-total", "20", "-o", "json"}, .online = true, .deploys = true},
    {.words = {DEPLOY, "--verify", "-o", "json"},
     .online = true,
     .deploys = true,
     .machine = true,
     .or_else = 9}, /* it could not be verified */
    {.words = {"reconcile", "--terminate", "--settle-timeout", "1s", "-o", "json"},
     .online = true,
     .left = true,
     .or_else = 8}, /* what could not be deleted is open still */
    {.words = {"doctor", "-o", "json"}, .status = -1, .online = true, .machine = true, .checks = true},
};

static bool all;

/* ------------------------------------------------------------------ one run */

static char *read_input(const char *path)
{
    struct podsku_buf bytes = {0};
    struct podsku_error err = {0};

    if (!path)
        return NULL;
    if (podsku_file_read(path, PODSKU_FILE_MAX, &bytes, &err) != PODSKU_OK)
        fail_msg("%s: %s", path, err.message);
    return podsku_buf_take(&bytes);
}

/* Runs it with the n-th allocation failing (0: none); returns how many there were. */
static long run(struct program *program, const struct flow *flow, long n)
{
    faults_set_number("PODSKU_FAULT_AT", n);
    faults_preload(PODSKU_FAIL_ALLOC);
    (void)program_run(program, flow->words);
    faults_preload(NULL);
    return faults_logged();
}

/*
 * The folder, ids and times differ from run to run: the first goes, runs of hexadecimal digits become
 * '#'. Blanks do not count: libsmartcols may forget one between two columns.
 */
static char *comparable(const struct program *program)
{
    const char *text = program_out(program);
    size_t folder_len = strlen(program->folder);
    char *copy = strdup(text);
    size_t len = 0;

    assert_non_null(copy);
    for (const char *at = text; *at; at++) {
        while (strncmp(at, program->folder, folder_len) == 0)
            at += folder_len;
        if (!*at)
            break;
        if (*at == ' ')
            continue;
        if (!strchr("0123456789abcdef.-", *at))
            copy[len++] = *at;
        else if (len == 0 || copy[len - 1] != '#')
            copy[len++] = '#';
    }
    copy[len] = '\0';
    return copy;
}

struct rig {
    struct cloud cloud;
    struct program program;
};

static void rig_up(struct rig *rig, const struct flow *flow)
{
    char url[128];

    memset(rig, 0, sizeof *rig);
    assert_true(!flow->online || cloud_start(&rig->cloud));
    assert_true(program_init(&rig->program, flow->online ? cloud_url(&rig->cloud, url, sizeof url) : NULL));
    rig->program.no_key = !flow->online;
    if (flow->machine) {
        assert_true(faults_machine(&rig->program));
        cloud_type(&rig->cloud, CLOUD_A100)->ssh_port = 22;
    }
    if (flow->left) {
        cloud_type(&rig->cloud, CLOUD_A100)->starts_ms = 60000;
        assert_true(program_start(&rig->program, (const char *const[]){DEPLOY, "--wait", "--launch-id", "left", NULL}));
        assert_true(program_until(&rig->program, "PROVISIONING", 20000));
        (void)kill(rig->program.pid, SIGKILL);
        (void)program_wait(&rig->program);
    }
}

static void rig_down(struct rig *rig, const struct flow *flow)
{
    program_end(&rig->program);
    if (flow->online)
        cloud_stop(&rig->cloud);
}

/* ------------------------------------------------------------------ judging */

static const char *name_of(const struct flow *flow)
{
    static char name[256];
    size_t len = 0;

    for (size_t i = 0; i < WORDS_MAX && flow->words[i] && len < sizeof name; i++)
        len += (size_t)snprintf(name + len, sizeof name - len, "%s%s", i ? " " : "", flow->words[i]);
    return name;
}

/* True if it ended as it should. */
static bool judge(struct rig *rig, const struct flow *flow, long n, int status, const char *whole)
{
    struct program *program = &rig->program;
    const char *name = name_of(flow);
    bool fine = faults_sane(program, name, n);

    if (fine && program->status == 0 && flow->deploys) {
        fine = strstr(program_out(program), "pod0001") && cloud_alive(&rig->cloud, true) == 1;
        if (!fine)
            faults_show(program, name, n, "its pod is not the one");
    } else if (fine && program->status == status) {
        char *out = comparable(program);
        fine = strcmp(out, whole) == 0;
        free(out);
        if (!fine)
            faults_show(program, name, n, "another result");
    } else if (fine && flow->or_else && program->status == flow->or_else) {
        fine = strstr(program_out(program), "out of memory") != NULL;
        if (!fine)
            faults_show(program, name, n, "no word about memory");
    } else if (fine && flow->checks && program->status > 0) {
        fine = strstr(program_out(program), "\"ok\": false") || strstr(program_err(program), "out of memory");
        if (!fine)
            faults_show(program, name, n, "no check failed");
    } else if (fine && (program->status != 1 || !strstr(program_err(program), "out of memory"))) {
        faults_show(program, name, n, "not \"out of memory\"");
        fine = false;
    }
    if (fine && flow->online && program->status != 0 && !faults_nothing_lost(program, &rig->cloud, name, n))
        fine = false;
    return fine;
}

static long next_after(long n, long count, long sampled)
{
    long step = (count - FIRST) / sampled;

    return all || n < FIRST || step < 1 ? n + 1 : n + step;
}

/* Returns how many ended as they should not. */
static long fail_each(const struct flow *flow)
{
    struct rig rig;
    long count, tried = 0, failed = 0, bad = 0;
    int status;
    char *whole;
    char *input = read_input(flow->input);

    rig_up(&rig, flow);
    rig.program.input = input;
    count = run(&rig.program, flow, 0);
    status = rig.program.status;
    assert_true(faults_sane(&rig.program, name_of(flow), 0));
    if (flow->status >= 0)
        program_expect(&rig.program, status, flow->status, __FILE__, __LINE__);
    assert_true(count > 10);
    whole = comparable(&rig.program);
    rig_down(&rig, flow);
    for (long n = 1; n <= count; n = next_after(n, count, flow->online ? SAMPLED_ONLINE : SAMPLED)) {
        rig_up(&rig, flow);
        rig.program.input = input;
        (void)run(&rig.program, flow, n);
        failed += rig.program.status != status;
        bad += !judge(&rig, flow, n, status, whole);
        rig_down(&rig, flow);
        tried++;
    }
    (void)printf("%s: %ld of %ld allocations tried, %ld ended it\n", name_of(flow), tried, count, failed);
    assert_true(failed > 0);
    free(whole);
    free(input);
    return bad;
}

static void offline_commands(void **state)
{
    long bad = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(offline); i++)
        bad += fail_each(&offline[i]);
    assert_int_equal(bad, 0);
}

static void online_commands(void **state)
{
    long bad = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(online); i++)
        bad += fail_each(&online[i]);
    assert_int_equal(bad, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offline_commands),
        cmocka_unit_test(online_commands),
    };
    const char *reason = faults_no_preload();

    if (reason) {
        (void)printf("skipped: %s\n", reason);
        return 77;
    }
    all = argc > 1 && strcmp(argv[1], "long") == 0;
    cmocka_set_test_filter(argc > 2 ? argv[2] : NULL);
    faults_begin();
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    faults_end();
    return result;
}
