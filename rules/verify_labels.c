/*
 * The words that make a matrix: its cells, the labels of rows and columns, its header. Everything
 * before the label of a line is prefix (quotes, prompts, file names, timestamps).
 */
#include <string.h>

#include "rules/verify_parts.h"

/* What hangs on the last GPU's label may be any number of devices. */
#define DEVICES_FUSED 64

/* --- words ------------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    enum verify_p2p status;
} p2p_words[] = {
    {"OK", VERIFY_STATE_OK},   {"NS", VERIFY_STATE_OFF}, {"CNS", VERIFY_STATE_OFF},   {"GNS", VERIFY_STATE_OFF},
    {"TNS", VERIFY_STATE_OFF}, {"DR", VERIFY_STATE_OFF}, {"U", VERIFY_STATE_UNKNOWN},
};

/* Cells that only other vendors' tools print. `number`: digits follow. */
static const struct {
    const char *word;
    bool number;
    const char *tool;
} foreign_words[] = {
    {"XGMI", false, "AMD's rocm-smi or amd-smi"},
    {"PCIE", false, "AMD's rocm-smi or amd-smi"},
    {"HCCS", false, "Huawei's npu-smi"},
    {"HCCS_SW", false, "Huawei's npu-smi"},
    {"MX", false, "MetaX's mx-smi"},
    {"MX", true, "MetaX's mx-smi"},
    {"XL", true, "Intel's xpu-smi"},
    {"MDF", false, "Intel's xpu-smi"},
    {"MTL", true, "Moore Threads' mthreads-gmi"},
    {"MTLINK", false, "Moore Threads' mthreads-gmi"},
};

enum verify_p2p podsku_verify_p2p_parse(const struct verify_token *token)
{
    for (size_t i = 0; i < sizeof p2p_words / sizeof *p2p_words; i++) {
        if (podsku_verify_token_is(token, p2p_words[i].word))
            return p2p_words[i].status;
    }
    return VERIFY_STATE_NONE;
}

const char *podsku_verify_foreign_parse(const struct verify_token *token)
{
    for (size_t i = 0; i < sizeof foreign_words / sizeof *foreign_words; i++) {
        size_t len = strlen(foreign_words[i].word);
        if (token->len < len || memcmp(token->text, foreign_words[i].word, len) != 0)
            continue;
        if (foreign_words[i].number ? podsku_verify_token_number(token->text + len, token->len - len) >= 0
                                    : token->len == len)
            return foreign_words[i].tool;
    }
    return NULL;
}

/* Some cell of some matrix, the diagonal's X included. */
bool podsku_verify_is_cell(const struct verify_token *token)
{
    return podsku_path_parse(token->text, token->len).path != PODSKU_PATH_UNKNOWN ||
           podsku_verify_p2p_parse(token) != VERIFY_STATE_NONE || podsku_verify_foreign_parse(token);
}

/* --- labels ------------------------------------------------------------------------------------ */

/* "GPU12" at text: its number and, in *end, where it ends; -1: none. */
static int label_at(const char *text, size_t len, size_t *end)
{
    size_t digits = 3;

    if (len < 4 || memcmp(text, "GPU", 3) != 0)
        return -1;
    while (digits < len && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    if (digits > 4 && text[3] == '0')
        return -1; /* a bus id: "GPU0000:C1:00.0" */
    *end = digits;
    return podsku_verify_token_number(text + 3, digits - 3);
}

/* May a label follow these bytes of its word? Punctuation, or what is left of "[4m". */
static bool label_may_follow(const char *text, size_t len)
{
    if (len == 0 || strchr("\"'`>#=:;,])}*", text[len - 1]))
        return true;
    if (text[len - 1] != 'm')
        return false;
    for (size_t i = 0; i + 1 < len; i++) {
        if (!strchr("0123456789;[?", text[i]))
            return false;
    }
    return true;
}

/* A label in the word, after what may stand before it: its number, *end as above; -1: none. */
static int label_in(const struct verify_token *token, size_t *start, size_t *end)
{
    const char *at = token->len >= 4 ? memmem(token->text, token->len, "GPU", 3) : NULL;

    if (!at || !label_may_follow(token->text, (size_t)(at - token->text)))
        return -1;
    *start = (size_t)(at - token->text);
    *end = 0;
    int number = label_at(at, token->len - *start, end);
    *end += *start;
    /* "GPU0,X,NV4": separated by what is not read here, so that the cells would be lost. */
    if (*end + 1 < token->len && strchr(",;", token->text[*end]))
        return -1;
    return number;
}

/* The first word of the line that is a whole label: its number and index; -1: none. */
int podsku_verify_row_label(const struct verify_line *line, size_t *index)
{
    for (size_t i = 0; i < line->token_count; i++) {
        size_t start;
        size_t end = 0;
        int number = label_in(&line->tokens[i], &start, &end);
        if (number >= 0 && end == line->tokens[i].len) {
            *index = i;
            return number;
        }
    }
    return -1;
}

/* --- headers ----------------------------------------------------------------------------------- */

/* GPU `from`, GPU `from`+1, ... in order, fused or apart, with anything before the first. */
bool podsku_verify_find_columns(const struct verify_line *line, int from, struct verify_header *header)
{
    size_t start = 0;
    size_t end = 0;
    size_t i = 0;

    while (i < line->token_count && label_in(&line->tokens[i], &start, &end) != from)
        i++;
    if (i == line->token_count)
        return false;
    *header = (struct verify_header){.from = from, .label = line->tokens[i].text + start};
    for (size_t at = start; i < line->token_count;) {
        const struct verify_token *token = &line->tokens[i];
        if (label_at(token->text + at, token->len - at, &end) != from + header->columns)
            break;
        header->columns++;
        at += end;
        if (at == token->len) {
            i++;
            at = 0;
        } else if (token->len - at < 4 || memcmp(token->text + at, "GPU", 3) != 0) {
            header->fused = true;
            i++;
            break;
        }
    }
    header->next = i;
    return header->columns > 0;
}

/* Could the word head a column? Devices have a digit or '_' in their names, and letters. */
bool podsku_verify_heads_column(const struct verify_token *token)
{
    if (podsku_verify_token_is(token, "CPU") || podsku_verify_token_is(token, "NUMA") ||
        podsku_verify_token_is(token, "GPU") || podsku_verify_token_is(token, "...") ||
        podsku_verify_token_is(token, "CPUAffinity"))
        return true;
    bool mark = false;
    bool letter = false;
    for (size_t i = 0; i < token->len; i++) {
        char c = token->text[i];
        mark |= (c >= '0' && c <= '9') || c == '_';
        letter |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
    return mark && letter;
}

static bool line_word_pair(const struct verify_line *line, size_t i, const char *first, const char *second)
{
    return i + 1 < line->token_count && podsku_verify_token_is(&line->tokens[i], first) &&
           podsku_verify_token_is(&line->tokens[i + 1], second);
}

/* Devices that a word of the header names: "NIC7NIC8" are two that a terminal ran together. */
static int count_devices(const struct verify_token *token)
{
    int count = 0;

    for (size_t i = 0; i + 3 <= token->len; i++)
        count += memcmp(token->text + i, "NIC", 3) == 0 || memcmp(token->text + i, "mlx", 3) == 0;
    return count > 1 ? count : 1;
}

void podsku_verify_read_columns(const struct verify_line *line, const struct verify_header *header,
                                struct verify_matrix *m)
{
    for (size_t i = header->next; i < line->token_count; i++) {
        size_t start;
        size_t end;
        if (label_in(&line->tokens[i], &start, &end) >= 0)
            m->header_broken = true; /* "GPU0 GPU1 ... GPU7" */
        if (podsku_verify_token_is(&line->tokens[i], "..."))
            m->header_broken = true;
        m->has_cpu |= line_word_pair(line, i, "CPU", "Affinity");
        if (line_word_pair(line, i, "NUMA", "Affinity")) {
            m->has_numa = true;
            m->numa_tab = 0;
            for (const char *p = header->label; p < line->tokens[i].text; p++)
                m->numa_tab += *p == '\t';
        }
        m->has_gpu_numa |= line_word_pair(line, i, "GPU", "NUMA");
    }
    m->devices += header->fused ? DEVICES_FUSED : 0;
    for (size_t i = header->next; i < line->token_count; i++) {
        const struct verify_token *token = &line->tokens[i];
        if (podsku_verify_token_is(token, "CPU") || podsku_verify_token_is(token, "NUMA") ||
            podsku_verify_token_is(token, "GPU") || podsku_verify_token_is(token, "CPUAffinity"))
            break;
        m->devices += count_devices(token);
    }
}

/* Is this the header of a matrix? */
bool podsku_verify_is_header(const struct verify_line *line, const struct verify_header *header)
{
    if (header->next == line->token_count)
        return header->columns > 1 || header->fused || line->token_count == 1;
    /* A row, perhaps a damaged one: no column is called by a link code. */
    for (size_t i = header->next; i < line->token_count; i++) {
        if (podsku_verify_is_cell(&line->tokens[i]))
            return false;
    }
    return header->fused || podsku_verify_heads_column(&line->tokens[header->next]) ||
           podsku_verify_line_has(line, "Affinity");
}
