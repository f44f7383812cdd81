/* From whatever a terminal, a log or a web page made of the text back to plain lines of words. */
#include <string.h>

#include "rules/verify_parts.h"

/* --- UTF-16, as PowerShell's `>` writes it ----------------------------------------------------- */

/* 0: no; 1: little-endian; 2: big-endian. */
static int utf16_order(const unsigned char *bytes, size_t len)
{
    size_t zeros[2] = {0, 0};
    size_t probe = len < 128 ? len : 128;

    if (len >= 2 && bytes[0] == 0xff && bytes[1] == 0xfe)
        return 1;
    if (len >= 2 && bytes[0] == 0xfe && bytes[1] == 0xff)
        return 2;
    for (size_t i = 0; i < probe; i++)
        zeros[i % 2] += bytes[i] == 0;
    if (probe >= 8 && zeros[1] * 4 > probe && zeros[0] == 0)
        return 1;
    if (probe >= 8 && zeros[0] * 4 > probe && zeros[1] == 0)
        return 2;
    return 0;
}

static void append_utf8(struct podsku_buf *out, unsigned unit)
{
    if (unit < 0x80) {
        podsku_buf_putc(out, (char)unit);
    } else if (unit < 0x800) {
        podsku_buf_putc(out, (char)(0xc0 | (unit >> 6)));
        podsku_buf_putc(out, (char)(0x80 | (unit & 0x3f)));
    } else {
        podsku_buf_putc(out, (char)(0xe0 | (unit >> 12)));
        podsku_buf_putc(out, (char)(0x80 | ((unit >> 6) & 0x3f)));
        podsku_buf_putc(out, (char)(0x80 | (unit & 0x3f)));
    }
}

static void from_utf16(const unsigned char *bytes, size_t len, int order, struct podsku_buf *out)
{
    for (size_t i = 0; i + 1 < len; i += 2) {
        unsigned unit = order == 1 ? bytes[i] | (unsigned)bytes[i + 1] << 8 : bytes[i + 1] | (unsigned)bytes[i] << 8;
        if (unit >= 0xd800 && unit < 0xe000)
            unit = '?'; /* no code that matters is outside the basic plane */
        if (unit != 0xfeff)
            append_utf8(out, unit);
    }
}

/* --- escapes ----------------------------------------------------------------------------------- */

static bool starts(const char *text, size_t len, const char *word)
{
    size_t word_len = strlen(word);

    return len >= word_len && memcmp(text, word, word_len) == 0;
}

/* The spellings of the escape character that files and renderers keep. */
static const char *const escape_words[] = {"\033", "^[",   "\\x1b",   "\\x1B",   "\\033",
                                           "\\e",  "#033", "\\u001b", "\\u001B", "\xe2\x90\x9b"};

static size_t escape_word(const char *text, size_t len)
{
    if (!strchr("\033^\\#\xe2", *text) || !*text)
        return 0;
    for (size_t i = 0; i < sizeof escape_words / sizeof *escape_words; i++) {
        if (starts(text, len, escape_words[i]))
            return strlen(escape_words[i]);
    }
    return 0;
}

/* Length of the control sequence that begins after "[": parameters and the final byte; 0: none. */
static size_t csi_length(const char *text, size_t len)
{
    for (size_t i = 0; i < len && i < 32; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x40 && c <= 0x7e)
            return i + 1;
        if (c < 0x20 || c > 0x3f)
            return 0;
    }
    return 0;
}

/* An escape sequence at text: its length, 0 if there is none. *blank: it moves the cursor. */
static size_t escape_length(const char *text, size_t len, bool *blank)
{
    size_t n = escape_word(text, len);

    *blank = false;
    if (n == 0 || n >= len)
        return *text == '\033' ? 1 : 0;
    if (text[n] == '[') {
        size_t csi = csi_length(text + n + 1, len - n - 1);
        if (csi)
            *blank = strchr("CGHf", text[n + csi]) != NULL;
        if (csi || *text == '\033')
            return n + 1 + csi;
        return 0;
    }
    if (*text != '\033')
        return 0; /* only whole sequences are worth anything when the escape is spelled out */
    if (text[n] == ']') {
        size_t i = n + 1;
        while (i < len && text[i] != '\a' && text[i] != '\033' && text[i] != '\n')
            i++;
        return i < len && text[i] == '\a' ? i + 1 : i;
    }
    return text[n] == '(' || text[n] == ')' ? (n + 1 < len ? n + 2 : n + 1) : n;
}

/* "[4m" whose escape character was dropped: its length, 0 if there is none. */
static size_t leftover_length(const char *text, size_t len)
{
    size_t i = 1;

    while (i < len && i < 12 && ((text[i] >= '0' && text[i] <= '9') || text[i] == ';'))
        i++;
    if (i >= len || text[i] != 'm')
        return 0;
    if (i > 1)
        return i + 1;
    return i + 1 >= len || strchr(" \t\r\nG", text[i + 1]) ? i + 1 : 0;
}

/* Texts that stand for one byte, or for nothing ('\0'). */
static const struct {
    const char *text;
    char byte;
} replacements[] = {
    {"\\n", '\n'},          {"\\t", '\t'},          {"\\r", '\0'},          {"&nbsp;", ' '},
    {"&gt;", '>'},          {"&lt;", '<'},          {"&amp;", '&'},         {"&quot;", '"'},
    {"\xc2\xa0", ' '},      {"\xe2\x80\xaf", ' '},  {"\xe2\x81\x9f", ' '},  {"\xe3\x80\x80", ' '},
    {"\xe2\x80\x8b", '\0'}, {"\xe2\x80\x8c", '\0'}, {"\xe2\x80\x8d", '\0'}, {"\xef\xbb\xbf", '\0'},
    {"\xe2\x80\xa8", '\n'}, {"\xe2\x94\x82", '|'},  {"\xe2\x94\x83", '|'},  {"\xe2\x95\x91", '|'},
    {"<br>", '\n'},         {"<br/>", '\n'},        {"<br />", '\n'},       {"</tr>", '\n'},
    {"<td>", ' '},          {"</td>", ' '},         {"<th>", ' '},          {"</th>", ' '},
    {"<tr>", ' '},          {"<pre>", ' '},         {"</pre>", '\n'},       {"<code>", ' '},
    {"</code>", ' '},       {"</span>", '\0'},
};

static size_t replacement(const char *text, size_t len, char *byte)
{
    for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++) {
        if (replacements[i].text[0] == *text && starts(text, len, replacements[i].text)) {
            *byte = replacements[i].byte;
            return strlen(replacements[i].text);
        }
    }
    if (len >= 3 && (unsigned char)text[0] == 0xe2 && (unsigned char)text[1] == 0x80 &&
        (unsigned char)text[2] <= 0x8a && (unsigned char)text[2] >= 0x80) {
        *byte = ' '; /* the typographic blanks U+2000 to U+200A */
        return 3;
    }
    return 0;
}

/* "<span ...>" on one line: its length, 0 if there is none. */
static size_t span_length(const char *text, size_t len)
{
    if (!starts(text, len, "<span"))
        return 0;
    for (size_t i = 5; i < len && i < 256 && text[i] != '\n'; i++) {
        if (text[i] == '>')
            return i + 1;
    }
    return 0;
}

/* One unit of input at text: bytes used; what it becomes is appended. */
static size_t clean_one(const char *text, size_t len, struct podsku_buf *out)
{
    unsigned char c = (unsigned char)*text;
    bool blank = false;
    char byte = '\0';
    size_t used;

    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '\n' ||
        c == '\t') {
        podsku_buf_putc(out, *text); /* nearly all of it */
        return 1;
    }
    if (c == '\r') {
        for (used = 1; used < len && text[used] == '\r'; used++)
            ;
        if (used < len && text[used] == '\n')
            used++;
        podsku_buf_putc(out, '\n');
        return used;
    }
    used = escape_length(text, len, &blank);
    if (used == 0 && c == 0xc2 && len > 2 && (unsigned char)text[1] == 0x9b) {
        used = csi_length(text + 2, len - 2);
        used = used ? used + 2 : 2;
    }
    if (used == 0 && c == '[')
        used = leftover_length(text, len);
    if (used == 0 && c == '<')
        used = span_length(text, len);
    if (used) {
        if (blank)
            podsku_buf_putc(out, ' ');
        return used;
    }
    used = replacement(text, len, &byte);
    if (used) {
        if (byte)
            podsku_buf_putc(out, byte);
        return used;
    }
    if (c == '\0' || c == '\f' || c == '\v')
        podsku_buf_putc(out, ' ');
    else if (c >= 0x20 && c != 0x7f)
        podsku_buf_putc(out, *text);
    return 1;
}

void podsku_verify_clean(const char *bytes, size_t len, struct podsku_buf *out)
{
    int order = utf16_order((const unsigned char *)bytes, len);
    struct podsku_buf wide = {0};

    if (order) {
        from_utf16((const unsigned char *)bytes, len, order, &wide);
        bytes = podsku_buf_text(&wide);
        len = wide.len;
        if (podsku_buf_failed(&wide))
            out->failed = true;
    }
    for (size_t i = 0; i < len;)
        i += clean_one(bytes + i, len - i, out);
    podsku_buf_free(&wide);
}

/* --- words ------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '|';
}

void podsku_verify_split(struct verify_line *line)
{
    static const char before[] = "\"'`*#>([{<,;";
    static const char after[] = "\"'`*>)]},;";
    size_t i = 0;

    line->token_count = 0;
    while (line->token_count < VERIFY_TOKENS) {
        while (i < line->len && is_blank(line->text[i]))
            i++;
        if (i == line->len)
            return;
        size_t start = i;
        while (i < line->len && !is_blank(line->text[i]))
            i++;
        size_t end = i;
        while (start < end && memchr(before, line->text[start], sizeof before - 1))
            start++;
        while (start < end && memchr(after, line->text[end - 1], sizeof after - 1))
            end--;
        if (start < end)
            line->tokens[line->token_count++] = (struct verify_token){line->text + start, end - start};
    }
}

bool podsku_verify_token_is(const struct verify_token *token, const char *word)
{
    return token->len == strlen(word) && memcmp(token->text, word, token->len) == 0;
}

int podsku_verify_token_number(const char *text, size_t len)
{
    int number = 0;

    if (len == 0 || len > 6)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = number * 10 + (text[i] - '0');
    }
    return number;
}

bool podsku_verify_line_has(const struct verify_line *line, const char *words)
{
    return memmem(line->text, line->len, words, strlen(words)) != NULL;
}
