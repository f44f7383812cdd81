#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/https_private.h"

/* Deflate's bit stream: least significant bit first, Huffman codes most significant bit first. */
struct bits {
    unsigned char *bytes;
    size_t len;
    unsigned hold, held;
};

static void put_bits(struct bits *bits, unsigned value, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bits->hold |= (value >> i & 1u) << bits->held;
        if (++bits->held == 8) {
            bits->bytes[bits->len++] = (unsigned char)bits->hold;
            bits->hold = bits->held = 0;
        }
    }
}

static void put_code(struct bits *bits, unsigned code, unsigned count)
{
    for (unsigned i = count; i-- > 0;)
        put_bits(bits, code >> i & 1u, 1);
}

/* RFC 1951, 3.2.6: literals 0-143 have 8 bits from 0x30, 144-255 9 bits from 0x190. */
static void put_literal(struct bits *bits, unsigned char byte)
{
    if (byte < 144)
        put_code(bits, 0x30u + byte, 8);
    else
        put_code(bits, 0x190u + byte - 144, 9);
}

static uint32_t crc_step(uint32_t crc, unsigned char byte)
{
    crc ^= byte;
    for (int i = 0; i < 8; i++)
        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    return crc;
}

static void put_le32(struct bits *bits, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bits->bytes[bits->len++] = (unsigned char)(value >> 8 * i);
}

unsigned char *https_gzip(const char *text, size_t blanks, size_t *len)
{
    static const unsigned char header[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    size_t text_len = strlen(text);
    struct bits bits = {.bytes = malloc(2 * text_len + blanks / 64 + 1024)};
    uint32_t crc = 0xffffffffu;

    if (!bits.bytes)
        return NULL;
    memcpy(bits.bytes, header, sizeof header);
    bits.len = sizeof header;
    put_bits(&bits, 1, 1); /* the last block */
    put_bits(&bits, 1, 2); /* fixed codes */
    for (size_t i = 0; i < text_len; i++) {
        put_literal(&bits, (unsigned char)text[i]);
        crc = crc_step(crc, (unsigned char)text[i]);
    }
    for (size_t i = 0; i < blanks; i++)
        crc = crc_step(crc, ' ');
    size_t left = blanks;
    if (left > 0) {
        put_literal(&bits, ' ');
        left--;
    }
    for (; left >= 258; left -= 258) { /* length 258 is symbol 285, distance 1 is symbol 0 */
        put_code(&bits, 0xc5, 8);
        put_code(&bits, 0, 5);
    }
    for (; left > 0; left--)
        put_literal(&bits, ' ');
    put_code(&bits, 0, 7); /* end of block */
    if (bits.held)
        put_bits(&bits, 0, 8 - bits.held);
    put_le32(&bits, crc ^ 0xffffffffu);
    put_le32(&bits, (uint32_t)(text_len + blanks));
    *len = bits.len;
    return bits.bytes;
}
