/* One scenario: read, check, and compare with what it expects. */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/evaluate.h"
#include "cli/json_offer.h"

static const char *const scenario_keys[] = {"name", "requirement", "expect", NULL};
static const char *const expect_keys[] = {"first", "ids", "none", "rejected", NULL};

static enum podsku_code check_keys(json_t *object, const char *const *keys, const char *what, struct podsku_error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (keys[i])
            continue;
        const char *near = podsku_text_nearest(key, keys);
        if (near)
            podsku_error_hint(err, "did you mean \"%s\"?", near);
        return podsku_error_set(err, PODSKU_INPUT, "%s has no key \"%s\"", what, key);
    }
    return PODSKU_OK;
}

static bool is_rule(const char *name)
{
    for (int rule = 0; rule < PODSKU_RULE_COUNT; rule++)
        if (strcmp(podsku_rule_name((enum podsku_rule)rule), name) == 0)
            return true;
    return false;
}

static enum podsku_code check_rejected(json_t *rejected, struct podsku_error *err)
{
    const char *id;
    json_t *rule;

    if (!json_is_object(rejected) || json_object_size(rejected) == 0)
        return podsku_error_set(err, PODSKU_INPUT, "expect.rejected must be an object of ids and rule names");
    json_object_foreach(rejected, id, rule)
    {
        if (!json_is_string(rule))
            return podsku_error_set(err, PODSKU_INPUT, "expect.rejected: the rule of \"%s\" must be a string", id);
        if (!is_rule(json_string_value(rule)))
            return podsku_error_set(err, PODSKU_INPUT, "expect.rejected: there is no rule \"%s\"",
                                    json_string_value(rule));
    }
    return PODSKU_OK;
}

static enum podsku_code check_expect(struct cli_case *item, struct podsku_error *err)
{
    json_t *expect = item->expect;
    const json_t *first = json_object_get(expect, "first");
    const json_t *ids = json_object_get(expect, "ids");
    const json_t *none = json_object_get(expect, "none");
    json_t *rejected = json_object_get(expect, "rejected");
    enum podsku_code code = PODSKU_OK;

    if (!json_is_object(expect) || json_object_size(expect) == 0)
        return podsku_error_set(err, PODSKU_INPUT, "expect must be an object with first, ids, none or rejected");
    code = check_keys(expect, expect_keys, "expect", err);
    if (code == PODSKU_OK && first && !json_is_string(first))
        code = podsku_error_set(err, PODSKU_INPUT, "expect.first must be an id");
    if (code == PODSKU_OK && ids && !json_is_array(ids))
        code = podsku_error_set(err, PODSKU_INPUT, "expect.ids must be an array of ids");
    for (size_t i = 0; code == PODSKU_OK && i < json_array_size(ids); i++)
        if (!json_is_string(json_array_get(ids, i)))
            code = podsku_error_set(err, PODSKU_INPUT, "expect.ids[%zu] must be an id", i);
    if (code == PODSKU_OK && none && !json_is_boolean(none))
        code = podsku_error_set(err, PODSKU_INPUT, "expect.none must be true or false");
    if (code == PODSKU_OK && rejected) {
        item->needs_reasons = true;
        code = check_rejected(rejected, err);
    }
    return code;
}

/* "$.requirement.gpus" need not be followed by "gpus: ". */
static void drop_key(struct podsku_error *err, const char *path)
{
    size_t len = strcspn(err->message, ":");
    const char *key = strrchr(path, '.');

    if (key && strncmp(err->message + len, ": ", 2) == 0 && strcspn(key + 1, "[") == len &&
        strncmp(key + 1, err->message, len) == 0)
        memmove(err->message, err->message + len + 2, strlen(err->message + len + 2) + 1);
}

/* Where inside the scenario, for the message: a line of its own has no file position. */
static enum podsku_code with_place(struct podsku_error *err)
{
    const char *path = strstr(err->where, ": $");

    if (path) {
        drop_key(err, path + 2);
        podsku_error_context(err, "%s", path + 2);
    }
    return err->code;
}

enum podsku_code cli_case_read(struct cli_case *item, const char *bytes, size_t len, const char *file,
                               struct podsku_error *err)
{
    enum podsku_code code = podsku_json_read(bytes, len, file, PODSKU_INPUT, &item->root, err);

    podsku_requirement_init(&item->req);
    if (code != PODSKU_OK) {
        const char *column = strrchr(err->where, ':');
        if (code == PODSKU_INPUT && column)
            podsku_error_context(err, "column %s", column + 1);
        return code;
    }
    if (!json_is_object(item->root))
        return podsku_error_set(err, PODSKU_INPUT, "a scenario must be an object");
    const json_t *name = json_object_get(item->root, "name");
    item->requirement = json_object_get(item->root, "requirement");
    item->expect = json_object_get(item->root, "expect");
    if (json_is_string(name))
        item->name = name;
    else if (name && !json_is_null(name))
        return podsku_error_set(err, PODSKU_INPUT, "name must be a string");
    if (!item->requirement) {
        code = check_keys(item->root, scenario_keys, "a scenario", err);
        return code == PODSKU_OK ? podsku_error_set(err, PODSKU_INPUT, "a scenario needs a \"requirement\"") : code;
    }
    if (json_object_size(item->root) > (size_t)1 + (name != NULL) + (item->expect != NULL))
        code = check_keys(item->root, scenario_keys, "a scenario", err);
    if (code == PODSKU_OK && item->expect)
        code = check_expect(item, err);
    return code;
}

enum podsku_code cli_case_requirement(struct cli_case *item, const char *file, struct podsku_error *err)
{
    if (item->requirement_read)
        return PODSKU_OK;
    item->requirement_read = true;
    enum podsku_code code = podsku_requirement_read(&item->req, item->requirement, file, "$.requirement", err);
    return code == PODSKU_OK ? code : with_place(err);
}

void cli_case_free(struct cli_case *item)
{
    podsku_requirement_free(&item->req);
    json_decref(item->root);
    *item = (struct cli_case){0};
}

/* The ids of the candidates, each once, in rank order. */
static json_t *candidate_ids(const struct podsku_decision *decision)
{
    json_t *ids = json_array();

    for (size_t i = 0; i < decision->candidate_count; i++) {
        bool again = false;
        for (size_t j = 0; j < i && !again; j++)
            again = decision->candidates[j].type == decision->candidates[i].type;
        if (!again && !cli_json_append(ids, podsku_json_text(decision->candidates[i].type->id))) {
            json_decref(ids);
            return NULL;
        }
    }
    return ids;
}

/*
 * The rules that the offers of a type fail by, each once; JSON null when none does. Of several counts or
 * clouds some may be candidates: what is expected is about the others.
 */
static json_t *rules_of(const struct podsku_decision *decision, const char *id)
{
    bool fails[PODSKU_RULE_COUNT] = {false};
    bool offered = false;

    for (size_t i = 0; i < decision->rejected_count; i++) {
        const struct podsku_offer *offer = &decision->rejected[i];
        if (strcmp(offer->type->id, id) != 0)
            continue;
        offered = true;
        for (size_t r = 0; r < offer->reason_count; r++)
            fails[offer->reasons[r].rule] = true;
    }
    if (!offered)
        return json_null();
    json_t *rules = json_array();
    for (int rule = 0; rule < PODSKU_RULE_COUNT; rule++) {
        if (fails[rule] && !cli_json_append(rules, json_string(podsku_rule_name((enum podsku_rule)rule)))) {
            json_decref(rules);
            return NULL;
        }
    }
    return rules;
}

static void differ(struct cli_verdict *verdict, const char *key, const json_t *expected, const json_t *actual)
{
    verdict->ok = false;
    podsku_buf_printf(&verdict->message, "%s%s: expected ", verdict->message.len ? "; " : "", key);
    podsku_json_write(&verdict->message, expected, false);
    podsku_buf_puts(&verdict->message, ", got ");
    podsku_json_write(&verdict->message, actual, false);
}

/* Notes actual (stolen) under key, and the difference to what was expected. */
static bool compare(struct cli_verdict *verdict, const char *key, const json_t *expected, json_t *actual)
{
    if (!podsku_json_set(verdict->actual, key, actual))
        return false;
    if (!json_equal(expected, actual))
        differ(verdict, key, expected, actual);
    return true;
}

static bool judge_rejected(json_t *expected, const struct podsku_decision *decision, struct cli_verdict *verdict)
{
    json_t *found = json_object();
    const char *id;
    json_t *rule;

    if (!podsku_json_set(verdict->actual, "rejected", found))
        return false;
    json_object_foreach(expected, id, rule)
    {
        json_t *rules = rules_of(decision, id);
        bool holds = false;
        if (!podsku_json_set(found, id, rules))
            return false;
        for (size_t i = 0; i < json_array_size(rules); i++)
            holds |= json_equal(json_array_get(rules, i), rule) != 0;
        if (holds)
            continue;
        verdict->ok = false;
        podsku_buf_printf(&verdict->message, "%srejected \"%s\": expected %s, got ", verdict->message.len ? "; " : "",
                          id, json_string_value(rule));
        if (json_is_null(rules))
            podsku_buf_puts(&verdict->message, "no rejection");
        else
            podsku_json_write(&verdict->message, rules, false);
    }
    return true;
}

enum podsku_code cli_case_judge(const struct cli_case *item, const struct podsku_decision *decision,
                                struct cli_verdict *verdict, struct podsku_error *err)
{
    const json_t *first = json_object_get(item->expect, "first");
    const json_t *ids = json_object_get(item->expect, "ids");
    const json_t *none = json_object_get(item->expect, "none");
    json_t *rejected = json_object_get(item->expect, "rejected");
    const char *best = decision->candidate_count > 0 ? decision->candidates[0].type->id : NULL;

    verdict->ok = true;
    verdict->actual = json_object();
    if ((first && !compare(verdict, "first", first, podsku_json_text(best))) ||
        (ids && !compare(verdict, "ids", ids, candidate_ids(decision))) ||
        (none && !compare(verdict, "none", none, json_boolean(decision->candidate_total == 0))) ||
        (rejected && !judge_rejected(rejected, decision, verdict)) || podsku_buf_failed(&verdict->message))
        return podsku_error_no_memory(err);
    return PODSKU_OK;
}

void cli_verdict_free(struct cli_verdict *verdict)
{
    json_decref(verdict->actual);
    podsku_buf_free(&verdict->message);
    *verdict = (struct cli_verdict){0};
}
