/*
 * Reading of requirement fields from flags and from JSON. Each kind has one function that stores a
 * checked value; texts and JSON values only differ in how they get there.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/money.h"
#include "base/text.h"
#include "rules/fields.h"
#include "rules/fraction.h"

enum { SHOWN_MAX = 80, CHOICES_MAX = 16, CHOICE_SIZE = 32 };

/* One field being read, and how to name it in an error. */
struct reader {
    struct podsku_requirement *req;
    const struct field *field;
    const struct field_home *home;
    const char *name; /* of the file; NULL: a flag, or no file */
    const char *path; /* JSON path of the requirement; NULL: a flag */
    const char *key;  /* of the value; NULL: the requirement itself */
    size_t item;      /* of an array, from 1; 0: the value itself */
    struct podsku_error *err;
};

/* What would be right, by kind. */
static const char *const wanted[] = {
    [PODSKU_FIELD_COUNT] = "a whole number from 1 to 1000000",
    [PODSKU_FIELD_COUNTS] = "whole numbers from 1 to 1000000, one or several",
    [PODSKU_FIELD_NUMBER] = "a number, 0 or more",
    [PODSKU_FIELD_MONEY] = "USD as a plain number, e.g. 2.49",
    [PODSKU_FIELD_FRACTION] = "a share of one card from 0 to 1: 0.25, 1/4 or 25%",
    [PODSKU_FIELD_VERSION] = "MAJOR.MINOR, e.g. 12.8",
    [PODSKU_FIELD_PATTERN] = "an id or a display name; * and ? are wildcards",
    [PODSKU_FIELD_PATTERNS] = "an id or a display name; * and ? are wildcards",
    [PODSKU_FIELD_WORDS] = "words, comma-separated",
    [PODSKU_FIELD_SWITCH] = "true or false",
};

static void *member(const struct reader *r, size_t offset)
{
    return (char *)r->req + offset;
}

static void place(const struct reader *r)
{
    char item[32] = "";

    if (!r->path)
        return;
    if (r->item)
        (void)snprintf(item, sizeof item, "[%zu]", r->item - 1);
    podsku_error_where(r->err, "%s%s%s%s%s%s", r->name ? r->name : "", r->name ? ": " : "", r->path, r->key ? "." : "",
                       r->key ? r->key : "", item);
}

/* `shown` is the value as the user wrote it; NULL: there was no memory for it. */
static enum podsku_code refuse(const struct reader *r, const char *shown, const char *wrong)
{
    char key[FIELD_KEY_SIZE];
    enum podsku_code code = r->path ? PODSKU_INPUT : PODSKU_USAGE;

    if (!shown)
        return podsku_error_no_memory(r->err);
    code = podsku_error_set(r->err, code, "%s%s: %s %s", r->path ? "" : "--",
                            r->path ? podsku_field_key(r->field->flag, key) : r->field->flag, shown, wrong);
    if (r->path && r->field->kind == PODSKU_FIELD_VERSION)
        podsku_error_hint(r->err, "a string, \"MAJOR.MINOR\", e.g. \"12.8\"");
    else if (wanted[r->field->kind])
        podsku_error_hint(r->err, "%s", wanted[r->field->kind]);
    else
        podsku_error_hint(r->err, "one of %s", r->field->choices);
    place(r);
    return code;
}

/* In quotation marks, cut when long. Returns shown. */
static const char *quote(const char *text, char shown[SHOWN_MAX])
{
    if (snprintf(shown, SHOWN_MAX, "\"%s\"", text) >= SHOWN_MAX)
        memcpy(shown + SHOWN_MAX - 5, "...\"", 5);
    return shown;
}

static enum podsku_code refuse_text(const struct reader *r, const char *text, const char *wrong)
{
    char shown[SHOWN_MAX];

    return refuse(r, quote(text, shown), wrong);
}

static void remember_given(const struct reader *r)
{
    if (r->home->given)
        *(bool *)member(r, r->home->given) =
            r->home->given != offsetof(struct podsku_requirement, inter_node_flag) || r->path == NULL;
}

static int compare_ints(const void *a, const void *b)
{
    int left = *(const int *)a;
    int right = *(const int *)b;

    return (left > right) - (left < right);
}

/* Sorts, drops duplicates, stores. */
static void store_counts(struct podsku_requirement *req, int *counts, size_t count)
{
    qsort(counts, count, sizeof *counts, compare_ints);
    req->gpus_count = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || counts[i] != counts[i - 1])
            req->gpus[req->gpus_count++] = counts[i];
}

/* Adds a count unless it is already there: the limit is on different ones. */
static bool add_count(int counts[PODSKU_COUNTS_MAX], size_t *count, int64_t value)
{
    for (size_t i = 0; i < *count; i++)
        if (counts[i] == value)
            return true;
    if (*count == PODSKU_COUNTS_MAX)
        return false;
    counts[(*count)++] = (int)value;
    return true;
}

static enum podsku_code store_money_text(struct reader *r, const char *text)
{
    int64_t uusd;

    if (!podsku_money_parse(text, &uusd))
        return refuse_text(r, text, "is no amount");
    *(int64_t *)member(r, r->home->offset) = uusd;
    return PODSKU_OK;
}

static enum podsku_code store_fraction(struct reader *r, enum fraction_reading reading, struct podsku_fraction fraction,
                                       const char *shown)
{
    if (reading == FRACTION_BAD)
        return refuse(r, shown, "is no fraction");
    if (reading == FRACTION_OUTSIDE)
        return refuse(r, shown, "is outside 0..1");
    *(struct podsku_fraction *)member(r, r->home->offset) = fraction;
    return PODSKU_OK;
}

static enum podsku_code store_version(struct reader *r, const char *text)
{
    int major;
    int minor;

    if (!podsku_text_version(text, &major, &minor))
        return refuse_text(r, text, "is no version");
    *(int *)member(r, r->home->offset) = major;
    *(int *)member(r, r->home->second) = minor;
    return PODSKU_OK;
}

static enum podsku_code store_text(struct reader *r, char **slot, const char *text, size_t len)
{
    char *copy = strndup(text, len);

    if (!copy)
        return podsku_error_no_memory(r->err);
    free(*slot);
    *slot = copy;
    return PODSKU_OK;
}

static enum podsku_code refuse_choice(struct reader *r, const char *text)
{
    char copies[CHOICES_MAX][CHOICE_SIZE];
    const char *words[CHOICES_MAX + 1] = {NULL};
    char shown[SHOWN_MAX];
    const char *word;
    size_t len;

    for (size_t i = 0; i < CHOICES_MAX && podsku_field_choice(r->field->choices, i, &word, &len); i++) {
        (void)snprintf(copies[i], CHOICE_SIZE, "%.*s", (int)len, word);
        words[i] = copies[i];
    }
    const char *near = podsku_text_nearest(text, words);
    if (near)
        podsku_error_hint(r->err, "did you mean \"%s\"? One of %s", near, r->field->choices);
    return refuse(r, quote(text, shown), "is no choice");
}

static bool is_choice(const char *text, const char *word, size_t len)
{
    char choice[CHOICE_SIZE];

    if (len >= sizeof choice)
        return false;
    memcpy(choice, word, len);
    choice[len] = '\0';
    return podsku_text_equal_nocase(choice, text);
}

static enum podsku_code store_upper(struct reader *r, const char *word, size_t len)
{
    char **slot = member(r, r->home->offset);
    enum podsku_code code = store_text(r, slot, word, len);

    for (char *c = *slot; code == PODSKU_OK && *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return code;
}

static enum podsku_code store_choice(struct reader *r, const char *text)
{
    const char *word = NULL;
    size_t len = 0;
    size_t n = 0;

    for (; podsku_field_choice(r->field->choices, n, &word, &len); n++) {
        if (is_choice(text, word, len))
            break;
        word = NULL;
    }
    if (!word)
        return refuse_choice(r, text);
    if (r->home->kept == KEPT_WORD)
        return store_upper(r, word, len);
    int value = r->home->values[n];
    if (r->home->kept == KEPT_CLOUDS)
        for (int cloud = 0; cloud < PODSKU_CLOUD_COUNT; cloud++)
            r->req->cloud[cloud] = (value >> cloud & 1) != 0;
    else
        memcpy(member(r, r->home->offset), &value, sizeof value);
    return PODSKU_OK;
}

static enum podsku_code add_word(struct reader *r, struct podsku_words *words, const char *text, size_t len)
{
    char **list = realloc(words->list, (words->count + 1) * sizeof *list);

    if (!list)
        return podsku_error_no_memory(r->err);
    words->list = list;
    list[words->count] = strndup(text, len);
    if (!list[words->count])
        return podsku_error_no_memory(r->err);
    words->count++;
    return PODSKU_OK;
}

/* One item of WORDS: checked, in the right case, and once. */
static enum podsku_code add_item(struct reader *r, struct podsku_words *words, const char *text, size_t len,
                                 const char *whole)
{
    enum podsku_code code;

    if (len == 0 || strspn(text, " \t") >= len)
        return refuse_text(r, whole, *whole ? "has an empty item" : "is empty");
    code = add_word(r, words, text, len);
    if (code != PODSKU_OK)
        return code;
    char *word = words->list[words->count - 1];
    if (r->home->country && (len != 2 || !isalpha((unsigned char)word[0]) || !isalpha((unsigned char)word[1]))) {
        podsku_error_hint(r->err, "two letters each, e.g. US,CA");
        return refuse_text(r, word, "is no country code");
    }
    for (char *c = word; r->home->upper && *c; c++)
        *c = (char)toupper((unsigned char)*c);
    for (size_t i = 0; i + 1 < words->count; i++) {
        if (podsku_text_equal_nocase(words->list[i], word)) {
            free(word);
            words->count--;
            break;
        }
    }
    return PODSKU_OK;
}

static enum podsku_code add_text(struct reader *r, struct podsku_words *words, const char *text)
{
    if (r->field->kind == PODSKU_FIELD_PATTERNS)
        return *text ? add_word(r, words, text, strlen(text)) : refuse_text(r, text, "is empty");
    const char *whole = text;
    for (;;) {
        size_t len = strcspn(text, ",");
        enum podsku_code code = add_item(r, words, text, len, whole);
        if (code != PODSKU_OK || text[len] == '\0')
            return code;
        text += len + 1;
    }
}

/* Takes words if they are good, frees them if not. */
static enum podsku_code store_words(struct reader *r, struct podsku_words *words, enum podsku_code code)
{
    if (code == PODSKU_OK) {
        struct podsku_words *slot = member(r, r->home->offset);
        podsku_words_free(slot);
        *slot = *words;
    } else {
        podsku_words_free(words);
    }
    return code;
}

/* "1,2,4" of one flag value. */
static enum podsku_code read_counts_text(struct reader *r, const char *text, int *counts, size_t *count)
{
    const char *rest = text;

    for (;;) {
        char item[16];
        int64_t value;
        size_t len = strcspn(rest, ",");
        if (len >= sizeof item)
            return refuse_text(r, text, "is no count");
        memcpy(item, rest, len);
        item[len] = '\0';
        if (!podsku_text_int(item, 1, FIELD_COUNT_MAX, &value))
            return refuse_text(r, text, "is no count");
        if (!add_count(counts, count, value))
            return refuse_text(r, text, "makes more than 32 counts");
        if (rest[len] == '\0')
            return PODSKU_OK;
        rest += len + 1;
    }
}

/* Fields of one value. */
static enum podsku_code read_text(struct reader *r, const char *text)
{
    struct podsku_fraction fraction = {0, 0};
    enum fraction_reading reading;
    char shown[SHOWN_MAX];
    double number;
    int64_t count;

    switch (r->field->kind) {
    case PODSKU_FIELD_COUNT:
        if (!podsku_text_int(text, 1, FIELD_COUNT_MAX, &count))
            return refuse_text(r, text, "is no count");
        *(int *)member(r, r->home->offset) = (int)count;
        return PODSKU_OK;
    case PODSKU_FIELD_NUMBER:
        if (!podsku_text_number(text, &number))
            return refuse_text(r, text, "is no number of 0 or more");
        *(double *)member(r, r->home->offset) = number;
        return PODSKU_OK;
    case PODSKU_FIELD_MONEY: return store_money_text(r, text);
    case PODSKU_FIELD_FRACTION:
        reading = podsku_fraction_parse(text, &fraction);
        return store_fraction(r, reading, fraction, quote(text, shown));
    case PODSKU_FIELD_VERSION: return store_version(r, text);
    case PODSKU_FIELD_PATTERN:
        return *text ? store_text(r, member(r, r->home->offset), text, strlen(text)) : refuse_text(r, text, "is empty");
    default: return store_choice(r, text);
    }
}

enum podsku_code podsku_requirement_set(struct podsku_requirement *req, const char *flag, const char *const *values,
                                        size_t count, struct podsku_error *err)
{
    struct reader r = {.req = req, .field = podsku_field_by_flag(flag), .err = err};
    int counts[PODSKU_COUNTS_MAX];
    size_t counts_len = 0;
    struct podsku_words words = {0};
    enum podsku_code code = PODSKU_OK;

    if (!r.field)
        return podsku_error_set(err, PODSKU_USAGE, "--%s is no requirement", flag);
    r.home = podsku_field_home(r.field);
    if (r.field->kind == PODSKU_FIELD_SWITCH) {
        *(bool *)member(&r, r.home->offset) = true;
        return PODSKU_OK;
    }
    if (count == 0 && r.field->kind == PODSKU_FIELD_NVLINK) {
        req->nvlink = PODSKU_NVLINK_REQUIRED;
        return PODSKU_OK;
    }
    if (count == 0)
        return refuse(&r, "a value", "is missing");
    switch (r.field->kind) {
    case PODSKU_FIELD_COUNTS:
        for (size_t i = 0; i < count && code == PODSKU_OK; i++)
            code = read_counts_text(&r, values[i], counts, &counts_len);
        if (code == PODSKU_OK)
            store_counts(req, counts, counts_len);
        break;
    case PODSKU_FIELD_PATTERNS:
    case PODSKU_FIELD_WORDS:
        for (size_t i = 0; i < count && code == PODSKU_OK; i++)
            code = add_text(&r, &words, values[i]);
        code = store_words(&r, &words, code);
        break;
    default: code = read_text(&r, values[count - 1]);
    }
    if (code == PODSKU_OK)
        remember_given(&r);
    return code;
}

/* A JSON value as an error shows it; NULL without memory. */
static const char *show_json(const json_t *value, char shown[SHOWN_MAX])
{
    struct podsku_buf buf = {0};

    if (json_is_array(value))
        return "an array";
    if (json_is_object(value))
        return "an object";
    podsku_json_write(&buf, value, false);
    if (snprintf(shown, SHOWN_MAX, "%s", podsku_buf_text(&buf)) >= SHOWN_MAX)
        memcpy(shown + SHOWN_MAX - 4, "...", 4);
    bool failed = podsku_buf_failed(&buf);
    podsku_buf_free(&buf);
    return failed ? NULL : shown;
}

static enum podsku_code refuse_json(const struct reader *r, const json_t *value, const char *wrong)
{
    char shown[SHOWN_MAX];

    return refuse(r, show_json(value, shown), wrong);
}

/* An integer, also when it is written as 8.0. */
static bool json_count(const json_t *value, int64_t *count)
{
    double number = json_number_value(value);

    if (!json_is_number(value) || !(number >= 1 && number <= (double)FIELD_COUNT_MAX))
        return false;
    *count = (int64_t)number;
    return (double)*count == number;
}

static enum podsku_code read_counts_json(struct reader *r, const json_t *value)
{
    int counts[PODSKU_COUNTS_MAX];
    size_t count = 0;
    int64_t number;

    if (!json_is_array(value)) {
        if (!json_count(value, &number))
            return refuse_json(r, value, "is no count");
        counts[count++] = (int)number;
    }
    if (json_is_array(value) && json_array_size(value) == 0)
        return refuse_json(r, value, "without counts asks for nothing");
    for (size_t i = 0; i < json_array_size(value); i++) {
        struct reader item = *r;
        item.item = i + 1;
        if (!json_count(json_array_get(value, i), &number))
            return refuse_json(&item, json_array_get(value, i), "is no count");
        if (!add_count(counts, &count, number))
            return refuse_json(&item, json_array_get(value, i), "makes more than 32 counts");
    }
    store_counts(r->req, counts, count);
    return PODSKU_OK;
}

static enum podsku_code read_words_json(struct reader *r, const json_t *value)
{
    struct podsku_words words = {0};
    enum podsku_code code = PODSKU_OK;

    if (json_is_string(value))
        return store_words(r, &words, add_text(r, &words, json_string_value(value)));
    if (!json_is_array(value))
        return refuse_json(r, value, "is no array of strings");
    for (size_t i = 0; i < json_array_size(value) && code == PODSKU_OK; i++) {
        const json_t *text = json_array_get(value, i);
        struct reader item = *r;
        item.item = i + 1;
        code = json_is_string(text) ? add_text(&item, &words, json_string_value(text))
                                    : refuse_json(&item, text, "is no string");
    }
    return store_words(r, &words, code);
}

static enum podsku_code read_number_json(struct reader *r, const json_t *value)
{
    char shown[SHOWN_MAX];
    double number = json_number_value(value);
    struct podsku_fraction fraction = {0, 0};
    int64_t uusd;

    switch (r->field->kind) {
    case PODSKU_FIELD_MONEY:
        if (!podsku_money_from_double(number, &uusd))
            return refuse_json(r, value, "is no amount");
        *(int64_t *)member(r, r->home->offset) = uusd;
        return PODSKU_OK;
    case PODSKU_FIELD_FRACTION: {
        enum fraction_reading reading = podsku_fraction_from_double(number, &fraction);
        return store_fraction(r, reading, fraction, show_json(value, shown));
    }
    default:
        if (number < 0)
            return refuse_json(r, value, "is no number of 0 or more");
        *(double *)member(r, r->home->offset) = number;
        return PODSKU_OK;
    }
}

static enum podsku_code read_json(struct reader *r, const json_t *value)
{
    int64_t count;

    switch (r->field->kind) {
    case PODSKU_FIELD_COUNT:
        if (!json_count(value, &count))
            return refuse_json(r, value, "is no count");
        *(int *)member(r, r->home->offset) = (int)count;
        return PODSKU_OK;
    case PODSKU_FIELD_COUNTS: return read_counts_json(r, value);
    case PODSKU_FIELD_PATTERNS:
    case PODSKU_FIELD_WORDS: return read_words_json(r, value);
    case PODSKU_FIELD_NUMBER:
    case PODSKU_FIELD_MONEY:
        return json_is_number(value) ? read_number_json(r, value) : refuse_json(r, value, "is no number");
    case PODSKU_FIELD_FRACTION:
        if (json_is_number(value))
            return read_number_json(r, value);
        break;
    case PODSKU_FIELD_SWITCH:
        if (!json_is_boolean(value))
            return refuse_json(r, value, "is not true or false");
        *(bool *)member(r, r->home->offset) = json_is_true(value);
        return PODSKU_OK;
    case PODSKU_FIELD_NVLINK:
        if (json_is_boolean(value)) {
            r->req->nvlink = json_is_true(value) ? PODSKU_NVLINK_REQUIRED : PODSKU_NVLINK_ANY;
            return PODSKU_OK;
        }
        break;
    default: break;
    }
    return json_is_string(value) ? read_text(r, json_string_value(value)) : refuse_json(r, value, "is no string");
}

/* Wishes that the service has no field for, and what comes nearest. */
static const struct {
    const char *key, *instead;
} unoffered[] = {
    {"min_ram", "REST v2 does not offer that; memory of the host comes with the GPUs"},
    {"min_vcpu", "REST v2 does not offer that; vCPUs come with the GPUs"},
    {"spot", "REST v2 does not offer spot pods; nearest: \"cloud\": \"any\" and \"max_price\""},
    {"bid", "REST v2 does not offer bids; nearest: \"max_price\""},
    {"public_ip", "REST v2 does not offer that; nearest: a port of the pod"},
    {"mig_profile", "REST v2 does not cut cards; nearest: \"memory_fraction\" or \"gpu\": [\"*MIG 1g.24gb\"]"},
};

static enum podsku_code refuse_key(const char *key, const char *name, const char *path, struct podsku_error *err)
{
    enum { KEYS_MAX = 64 };
    char spelled[KEYS_MAX][FIELD_KEY_SIZE];
    const char *keys[KEYS_MAX + 1] = {NULL};
    bool plain = *key && key[strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';

    for (size_t i = 0; i < podsku_field_count && i < KEYS_MAX; i++)
        keys[i] = podsku_field_key(podsku_fields[i].flag, spelled[i]);
    enum podsku_code code = podsku_error_set(err, PODSKU_INPUT, "unknown key \"%.100s\"", key);
    for (size_t i = 0; i < sizeof unoffered / sizeof unoffered[0]; i++)
        if (strcmp(key, unoffered[i].key) == 0)
            podsku_error_hint(err, "%s", unoffered[i].instead);
    const char *near = podsku_text_nearest(key, keys);
    if (near)
        podsku_error_hint(err, "did you mean \"%s\"?", near);
    podsku_error_hint(err, "a key is a flag's name with _ for -, e.g. gpus, nvlink, max_total");
    podsku_error_where(err, plain ? "%s%s%s.%.100s" : "%s%s%s[\"%.100s\"]", name ? name : "", name ? ": " : "", path,
                       key);
    return code;
}

enum podsku_code podsku_requirement_read(struct podsku_requirement *req, const json_t *object, const char *name,
                                         const char *path, struct podsku_error *err)
{
    struct reader r = {.req = req, .name = name, .path = path, .err = err};
    const struct field *seen[64] = {NULL};
    const char *key;
    json_t *value;

    if (!json_is_object(object)) {
        char shown[SHOWN_MAX];
        const char *text = show_json(object, shown);
        if (!text)
            return podsku_error_no_memory(err);
        enum podsku_code code = podsku_error_set(err, PODSKU_INPUT, "%s is no requirement", text);
        podsku_error_hint(err, "an object of requirement keys, e.g. {\"gpus\": 8, \"nvlink\": \"required\"}");
        place(&r);
        return code;
    }
    json_object_foreach((json_t *)object, key, value)
    {
        r.field = podsku_field_by_key(key);
        if (!r.field)
            return refuse_key(key, name, path, err);
        r.home = podsku_field_home(r.field);
        r.key = key;
        size_t index = (size_t)(r.field - podsku_fields);
        if (seen[index])
            return refuse_json(&r, value, "is a second value: the key has another name, which was given, too");
        seen[index] = r.field;
        enum podsku_code code = read_json(&r, value);
        if (code != PODSKU_OK)
            return code;
        remember_given(&r);
    }
    return PODSKU_OK;
}
