/*
 * What must hold after the program's runs: of its exit status, its output and its journal against what
 * the stand-in knows. Every place that a pod of ours may live in:
 *
 *   it was told on standard output, and lives on as the only one of its launch; or
 *   the journal holds its intent as open or made, and the exit status was 8, or 0 with it named as open,
 *   or the program was killed
 */
#include <stdio.h>
#include <string.h>

#include "tests/sweep/sweep_program.h"

static bool complain(const struct program_sweep *sweep, const char *what, const char *detail)
{
    char text[256];

    (void)snprintf(text, sizeof text, "exit %d: %s", sweep->program.status, what);
    return sweep_complain(sweep->seed, text, detail);
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* One whole document of this schema (or podsku.error/1, if allowed); NULL, and said, if not. */
static json_t *document(const struct program_sweep *sweep, const char *schema, bool error_too)
{
    json_error_t err;
    json_t *doc = json_loads(program_out(&sweep->program), JSON_REJECT_DUPLICATES, &err);

    if (!doc) {
        (void)complain(sweep, "standard output is no JSON document", err.text);
        return NULL;
    }
    if (strcmp(text_at(doc, "schema"), schema) == 0 ||
        (error_too && strcmp(text_at(doc, "schema"), "podsku.error/1") == 0))
        return doc;
    (void)complain(sweep, "the document is another's", text_at(doc, "schema"));
    json_decref(doc);
    return NULL;
}

static const struct fake_pod *find_thing(const struct program_sweep *sweep, const char *id, bool alive)
{
    for (size_t i = 0; i < sweep->fake.pod_count; i++) {
        const struct fake_pod *pod = &sweep->fake.pods[i];
        if (strcmp(sweep_thing(pod), id) == 0 && !(alive && pod->deleted_ms))
            return pod;
    }
    return NULL;
}

static bool was_told(const struct program_sweep *sweep, const struct fake_pod *pod)
{
    return strstr(podsku_buf_text(&sweep->rig.output), sweep_thing(pod)) != NULL;
}

/* By a signal, before it could say anything. */
static bool was_ended(int status)
{
    return status == SWEEP_KILLED || status == 128 + 15;
}

/* ------------------------------------------------------------------ what deploy said */

static bool result_fits(const char *result, int status)
{
    static const struct {
        const char *result;
        int status;
    } fits[] = {
        {"created", 0},  {"running", 0},    {"verified", 0}, {"no-capacity", 4}, {"denied", 5},
        {"mismatch", 6}, {"unverified", 9}, {"timeout", 12}, {"unsettled", 8},   {"interrupted", 130},
    };

    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        if (strcmp(fits[i].result, result) == 0)
            return fits[i].status == status;
    return strcmp(result, "failed") == 0 && status != 0;
}

/* The document's own members agree with each other and with the status. */
static bool document_fits(const struct program_sweep *sweep, const json_t *doc)
{
    int status = sweep->program.status;
    const char *result = text_at(doc, "result");

    if (strcmp(text_at(doc, "schema"), "podsku.error/1") == 0)
        return (status != 0 && status != 8 && text_at(doc, "code")[0] && text_at(doc, "message")[0]) ||
               complain(sweep, "an error document that does not fit", text_at(doc, "code"));
    if (status != SWEEP_KILLED && !result_fits(result, status))
        return complain(sweep, "the result is another's", result);
    if (status != SWEEP_KILLED && json_is_null(json_object_get(doc, "error")) != (status == 0))
        return complain(sweep, "the error does not fit", result);
    if (status == 8 && json_array_size(json_object_get(doc, "open")) == 0)
        return complain(sweep, "unsettled, and nothing is open", NULL);
    if (sweep->launch_given && strcmp(text_at(doc, "launch_id"), "L1") != 0)
        return complain(sweep, "another launch", text_at(doc, "launch_id"));
    return true;
}

static bool read_document(struct program_sweep *sweep)
{
    json_t *doc = document(sweep, "podsku.deploy/1", true);
    bool holds = doc && document_fits(sweep, doc);

    for (const char *key = "pod\0cluster\0"; doc && *key; key += strlen(key) + 1)
        if (text_at(json_object_get(doc, key), "id")[0])
            (void)snprintf(sweep->told, sizeof sweep->told, "%s", text_at(json_object_get(doc, key), "id"));
    json_decref(sweep->document);
    sweep->document = doc;
    return holds;
}

/* "ID  TYPE x2 ...", and for a cluster a line per member. */
static bool read_lines(struct program_sweep *sweep)
{
    const char *out = program_out(&sweep->program);
    size_t len = strcspn(out, " ");

    (void)snprintf(sweep->told, sizeof sweep->told, "%.*s", (int)len, out);
    if (out[strlen(out) - 1] != '\n' || strncmp(out + len, "  ", 2) != 0)
        return complain(sweep, "a line that is none", out);
    for (const char *end = strchr(out, '\n'); end && end[1]; end = strchr(end + 1, '\n'))
        if (strncmp(end + 1, "  rank ", 7) != 0)
            return complain(sweep, "a second line", out);
    return true;
}

/* Standard output is empty, the documented lines, or one whole document. Takes the id that it tells. */
static bool read_output(struct program_sweep *sweep)
{
    int status = sweep->program.status;
    bool empty = program_out(&sweep->program)[0] == '\0';

    sweep->told[0] = '\0';
    if (empty && status == 0)
        return complain(sweep, "no pod is told", NULL);
    if (empty && sweep->json && !was_ended(status))
        return complain(sweep, "no document", NULL);
    if (empty)
        return true;
    bool holds = sweep->json ? read_document(sweep) : read_lines(sweep);
    if (holds && status == 0 && !sweep->told[0])
        holds = complain(sweep, "no pod is told", NULL);
    if (sweep->told[0] && !strstr(podsku_buf_text(&sweep->rig.output), sweep->told))
        podsku_buf_printf(&sweep->rig.output, "%s\n", sweep->told);
    return holds;
}

/* ------------------------------------------------------------------ what deploy left */

static bool is_documented(int status)
{
    static const int documented[] = {0, 4, 5, 6, 7, 8, 9, 12, 130, SWEEP_KILLED, 128 + 15};

    for (size_t i = 0; i < sizeof documented / sizeof *documented; i++)
        if (status == documented[i])
            return true;
    return false;
}

/* Every create that the service saw was journaled before. */
static bool creates_journaled(const struct program_sweep *sweep, const struct podsku_entries *entries)
{
    bool holds = true;

    for (size_t i = 0; i < sweep->fake.create_count; i++)
        if (!podsku_entries_by_intent(entries, sweep->fake.creates[i].intent))
            holds = complain(sweep, "a create that the journal does not know", sweep->fake.creates[i].intent);
    return holds;
}

/* Named as open: on standard error, and in the document. */
static bool is_named_open(const struct program_sweep *sweep, const char *launch, int attempt)
{
    char line[160];
    size_t i;
    json_t *open;

    (void)snprintf(line, sizeof line, "open: launch %s attempt %d: ", launch, attempt);
    if (!strstr(program_err(&sweep->program), line))
        return false;
    if (!sweep->json)
        return true;
    json_array_foreach(json_object_get(sweep->document, "open"), i, open)
    {
        if (strcmp(text_at(open, "launch_id"), launch) == 0 &&
            json_integer_value(json_object_get(open, "attempt")) == attempt)
            return true;
    }
    return false;
}

/* The launch of the latest run, by what the service saw of it; NULL: it cannot be told. */
static const char *launch_of(const struct program_sweep *sweep)
{
    if (sweep->launch_given)
        return "L1";
    return sweep->fake.create_count ? sweep->fake.creates[sweep->fake.create_count - 1].launch : NULL;
}

/* What the journal holds as open or made is named, and 8 says that there is some. */
static bool open_fits(const struct program_sweep *sweep, const struct podsku_entries *entries)
{
    const char *launch = launch_of(sweep);
    bool holds = true;
    size_t count = 0;

    for (size_t i = 0; i < entries->count; i++) {
        const struct podsku_entry *entry = &entries->list[i];
        if (!podsku_entry_unfinished(entry) || !launch || strcmp(entry->launch_id, launch) != 0)
            continue;
        count++;
        if (!is_named_open(sweep, launch, entry->attempt))
            holds = complain(sweep, "an open entry that is not named", entry->intent);
    }
    if (sweep->program.status == 8 && count == 0)
        holds = complain(sweep, "unsettled, and the journal holds nothing open", NULL);
    /* A pod that was kept ends the run with its row's own status; what is open beside it is named. */
    if (sweep->program.status != 8 && !sweep->told[0] && count > 0)
        holds = complain(sweep, "the journal holds something open, and the exit status does not say so", NULL);
    return holds;
}

/* The pods of ours that live, against the status. */
static bool survivors_fit(const struct program_sweep *sweep, const struct podsku_entries *entries)
{
    int status = sweep->program.status;
    bool holds = true;

    for (size_t i = 0; i < sweep->fake.pod_count; i++) {
        const struct fake_pod *pod = &sweep->fake.pods[i];
        if (pod->deleted_ms || pod->foreign || was_told(sweep, pod))
            continue;
        const struct podsku_entry *entry = podsku_entries_by_intent(entries, sweep_mark(pod, "PODSKU_INTENT"));
        if (!entry || !podsku_entry_unfinished(entry))
            holds = complain(sweep, "a pod lives that the journal does not hold as unfinished", pod->id);
        /* Of another launch it is only told. A second signal may have ended the looking. */
        const char *launch = launch_of(sweep);
        if (entry && launch && strcmp(entry->launch_id, launch) == 0 && entry->state == PODSKU_ENTRY_OPEN &&
            sweep->latest != FAKE_LIST && !sweep->scenario.cluster && !was_ended(status) && !sweep->signalled)
            holds = complain(sweep, "an open entry was not looked for at the end", pod->id);
        if (status != 8 && !sweep->told[0] && !was_ended(status))
            holds = complain(sweep, "a pod lives, and the exit status does not say so", pod->id);
    }
    return holds;
}

/* At most one of a launch is told: a second would be one too many, however well it is known. */
static bool told_once(const struct program_sweep *sweep)
{
    const struct fake_pod *told = NULL;

    for (size_t i = 0; sweep->launch_given && i < sweep->fake.pod_count; i++) {
        const struct fake_pod *pod = &sweep->fake.pods[i];
        if (pod->deleted_ms || pod->foreign || !was_told(sweep, pod))
            continue;
        if (told && strcmp(sweep_thing(told), sweep_thing(pod)) != 0)
            return complain(sweep, "two pods of one launch were handed over, and live", pod->id);
        told = pod;
    }
    return true;
}

static bool journal_fits(struct program_sweep *sweep)
{
    struct podsku_entries entries = {0};
    struct podsku_error err = {0};
    bool holds;

    if (podsku_journal_read(sweep->rig.journal, &entries, &err) != PODSKU_OK)
        return complain(sweep, "the journal cannot be read", err.message);
    holds = creates_journaled(sweep, &entries);
    holds = survivors_fit(sweep, &entries) && holds;
    if (!was_ended(sweep->program.status))
        holds = open_fits(sweep, &entries) && holds;
    podsku_entries_free(&entries);
    return told_once(sweep) && holds;
}

bool sweep_program_check_deploy(struct program_sweep *sweep)
{
    int status = sweep->program.status;

    if (!is_documented(status))
        return complain(sweep, "not an exit status of a deploy like this", NULL);
    bool holds = read_output(sweep);
    if (sweep->told[0] && !find_thing(sweep, sweep->told, true))
        holds = complain(sweep, "what was told does not live", sweep->told);
    holds = journal_fits(sweep) && holds;
    if (status == 0 && sweep->told[0] && !strstr(podsku_buf_text(&sweep->handed_over), sweep->told))
        podsku_buf_printf(&sweep->handed_over, "%s\n", sweep->told);
    return sweep_check_account(&sweep->rig, sweep->seed) && holds;
}

/* ------------------------------------------------------------------ reconcile, list */

static bool reconcile_document_fits(const struct program_sweep *sweep)
{
    json_t *doc = document(sweep, "podsku.reconcile/1", sweep->program.status != 0);
    json_int_t open = json_integer_value(json_object_get(doc, "open"));
    bool decided = doc && strcmp(text_at(doc, "schema"), "podsku.reconcile/1") == 0;
    bool holds = doc != NULL;
    size_t i;
    json_t *pod;

    if (decided && sweep->program.status == 0 && open != 0)
        holds = complain(sweep, "reconcile says that something is open", NULL);
    if (decided && sweep->program.status == 8 && open == 0)
        holds = complain(sweep, "reconcile says that nothing is open", NULL);
    json_array_foreach(json_object_get(doc, "pods"), i, pod)
    {
        bool ended = strcmp(text_at(pod, "state"), "terminated") == 0;
        if (ended && find_thing(sweep, text_at(pod, "id"), true))
            holds = complain(sweep, "reconcile says terminated, and it lives", text_at(pod, "id"));
    }
    json_decref(doc);
    return holds;
}

/* Named, for the one reason for which a pod of an open entry is left alone. */
static bool is_excused(const struct program_sweep *sweep, const struct fake_pod *pod)
{
    const char *out = program_out(&sweep->program);

    return sweep->program.status == 8 && strstr(out, sweep_thing(pod)) && strstr(out, SWEEP_EXCUSE);
}

bool sweep_program_check_reconciled(struct program_sweep *sweep, bool calm, bool json)
{
    int status = sweep->program.status;
    bool holds = status == 0 || status == 8 || (!calm && status == 7) ||
                 complain(sweep, "not an exit status of reconcile here", NULL);
    bool excused = false;

    if (json)
        holds = reconcile_document_fits(sweep) && holds;
    for (size_t i = 0; i < sweep->fake.pod_count; i++) {
        const struct fake_pod *pod = &sweep->fake.pods[i];
        if (pod->deleted_ms || pod->foreign || was_told(sweep, pod))
            continue;
        excused = excused || is_excused(sweep, pod);
        if ((calm || status == 0) && !is_excused(sweep, pod))
            holds = complain(sweep, "reconcile left a pod", pod->id);
    }
    if (calm && status == 8 && !excused)
        holds = complain(sweep, "reconcile leaves something open", NULL);
    for (const char *id = podsku_buf_text(&sweep->handed_over); *id; id = strchr(id, '\n') + 1) {
        char one[40];
        (void)snprintf(one, sizeof one, "%.*s", (int)strcspn(id, "\n"), id);
        if (!find_thing(sweep, one, true))
            holds = complain(sweep, "what was handed over does not live any more", one);
    }
    return sweep_check_account(&sweep->rig, sweep->seed) && holds;
}

/* Listed, whatever is seen; and nothing that is not there or lags after its delete. */
bool sweep_program_check_list(struct program_sweep *sweep)
{
    json_t *doc = document(sweep, "podsku.pods/1", false);
    json_t *list = json_object_get(doc, "pods");
    int64_t now = fake_now(sweep->time);
    bool holds = doc && sweep->program.status == 0;

    for (size_t i = 0; holds && i < sweep->fake.pod_count; i++) {
        const struct fake_pod *pod = &sweep->fake.pods[i];
        size_t at, times = 0;
        json_t *view;
        json_array_foreach(list, at, view) times += strcmp(text_at(view, "id"), pod->id) == 0;
        if (times > 1 || (times == 0 && !pod->deleted_ms && now > pod->visible_ms + 1000) ||
            (times == 1 && pod->deleted_ms && now > pod->lingers_ms + 1000))
            holds = complain(sweep, "pods list is wrong about a pod", pod->id);
    }
    json_decref(doc);
    return holds || complain(sweep, "pods list", NULL);
}
