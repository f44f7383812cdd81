#include "cli/mdoc.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LINE_MOST = 76 };

/* Escapes one word; a dash at its start is a minus, which can be copied into a shell. */
static void put_word(struct podsku_buf *out, const char *word, size_t len, bool line_start)
{
    size_t i = 0;

    if (line_start && (word[0] == '.' || word[0] == '\''))
        podsku_buf_puts(out, "\\&");
    for (; i < len && word[i] == '-'; i++)
        podsku_buf_puts(out, "\\-");
    for (; i < len; i++) {
        if (word[i] == '\\')
            podsku_buf_puts(out, "\\e");
        else
            podsku_buf_putc(out, word[i]);
    }
}

/* "no. Next": the word ends a sentence. */
static bool ends_sentence(const char *word, size_t len)
{
    const char *next = word + len + strspn(word + len, " ");

    while (len > 0 && strchr(")\"", word[len - 1]))
        len--;
    return len > 1 && strchr(".?!", word[len - 1]) && *next && !(len == 4 && strncmp(word, "e.g.", 4) == 0);
}

void cli_mdoc_text(struct podsku_buf *out, const char *text)
{
    size_t column = 0;

    while (*text) {
        size_t len = strcspn(text, " ");
        if (column > 0 && column + 1 + len > LINE_MOST) {
            podsku_buf_putc(out, '\n');
            column = 0;
        }
        if (column > 0)
            podsku_buf_putc(out, ' ');
        put_word(out, text, len, column == 0);
        column += len + (column > 0);
        if (ends_sentence(text, len)) {
            podsku_buf_putc(out, '\n');
            column = 0;
        }
        text += len;
        text += strspn(text, " ");
    }
    if (column > 0)
        podsku_buf_putc(out, '\n');
}

void cli_mdoc_argument(struct podsku_buf *out, const char *text)
{
    bool quote = strpbrk(text, " \t") != NULL || !*text;
    /* A macro's name, or punctuation alone, would be acted on. */
    bool macro = strlen(text) <= 3 || (strlen(text) == 1 && ispunct((unsigned char)*text));

    if (quote)
        podsku_buf_putc(out, '"');
    if (macro && !quote)
        podsku_buf_puts(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            podsku_buf_puts(out, "\\e");
        else if (*text == '"')
            podsku_buf_puts(out, "\\(dq");
        else if (*text == '-')
            podsku_buf_puts(out, "\\-");
        else
            podsku_buf_putc(out, *text);
    }
    if (quote)
        podsku_buf_putc(out, '"');
}
