/*
 * UTF-8 (RFC 3629). How many bytes a character has, by the first of them:
 *
 *   00..7F  1 byte
 *   C2..DF  2 bytes, from U+0080 on
 *   E0..EF  3 bytes, from U+0800 on, without U+D800 to U+DFFF
 *   F0..F4  4 bytes, U+10000 to U+10FFFF
 *
 * The other bytes of a character are 80..BF. Every byte that breaks these rules is not a character.
 */
#include "core.h"

#include <assert.h>
#include <stdbool.h>

static bool follows(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Bytes of a character that begins so; 0 if none does. */
static size_t length_by(char first)
{
    unsigned char byte = (unsigned char)first;
    if (byte < 0x80) return 1;
    if (byte < 0xC2 || byte > 0xF4) return 0;
    return byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

uint32_t sotto__character(const char *text, size_t bytes, size_t *length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    assert(bytes > 0);
    size_t count = length_by(text[0]);
    *length = 1;
    if (count == 0 || count > bytes) return SOTTO__NO_CHARACTER;
    uint32_t code = (unsigned char)text[0] & (count == 1 ? 0x7Fu : 0x7Fu >> count);
    for (size_t i = 1; i < count; i++) {
        if (!follows(text[i])) return SOTTO__NO_CHARACTER;
        code = code << 6 | ((unsigned char)text[i] & 0x3Fu);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (surrogate || code < least[count] || code > 0x10FFFF) return SOTTO__NO_CHARACTER;
    *length = count;
    return code;
}

size_t sotto__whole_bytes(const char *text, size_t bytes)
{
    size_t first = bytes;
    while (first > 0 && bytes - first < 3 && follows(text[first - 1])) {
        first--;
    }
    bool cut = first > 0 && length_by(text[first - 1]) > bytes - first + 1;
    return cut ? first - 1 : bytes;
}
