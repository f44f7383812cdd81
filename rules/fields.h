/*
 * Private to rules/: the requirement's fields as rows, with where each is kept in the struct.
 * rules/requirement_fields.h lists flags, kinds and words; the slots add the members.
 */
#ifndef PODSKU_RULES_FIELDS_H
#define PODSKU_RULES_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "rules/requirement.h"

#define FIELD_COUNT_MAX INT64_C(1000000) /* GPUs, nodes, limit: keeps every product in range */
#define FIELD_KEY_SIZE 64

enum field_kept {
    KEPT_PLAIN,  /* the kind says the type: int, double, int64_t, bool, fraction, words, char * */
    KEPT_ENUM,   /* an enum of int's size, by `values` */
    KEPT_CLOUDS, /* the cloud array; `values` are bit masks */
    KEPT_WORD,   /* a char * that holds the choice in upper case */
};

/* Where a field's value is kept. */
struct field_home {
    const char *flag; /* of the field, so that the two tables can be compared */
    size_t offset;    /* of the member */
    size_t second;    /* VERSION: of the minor number */
    size_t given;     /* of a bool that remembers that the field was given; 0: none */
    enum field_kept kept;
    const int *values; /* by choice */
    bool country;      /* WORDS: two letters each */
    bool upper;        /* WORDS: kept in upper case, as the API spells them */
};

struct field {
    const char *flag; /* without dashes */
    enum podsku_field_kind kind;
    const char *choices;
};

extern const struct field podsku_fields[];
extern const size_t podsku_field_count;

const struct field_home *podsku_field_home(const struct field *field);

/* By flag ("max-price") or JSON key ("max_price"), also by a second name ("max-hourly"); NULL: none. */
const struct field *podsku_field_by_flag(const char *flag);
const struct field *podsku_field_by_key(const char *key);

/* The JSON key of a flag. Returns key. */
const char *podsku_field_key(const char *flag, char key[FIELD_KEY_SIZE]);

/* The n-th word of choices as bytes in `choices`; false past the last one. */
bool podsku_field_choice(const char *choices, size_t n, const char **word, size_t *len);

/* What is stored, as the index of the choice; choices only. */
size_t podsku_field_chosen(const struct field *field, const struct podsku_requirement *req);

void podsku_words_free(struct podsku_words *words);

#endif
