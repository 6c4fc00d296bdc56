/* A refusal as JSON, written without jansson, so that it can be had when there is no memory. */
#include "error_json.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* How many bytes the UTF-8 letter at `text` has (RFC 3629); 0 if it is none. */
static size_t letter_bytes(const unsigned char *text)
{
    unsigned char c = text[0];
    size_t bytes = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : (c & 0xf0) == 0xe0 ? 3 : 4;
    if (c >= 0x80 && (c < 0xc2 || c > 0xf4)) return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0; /* the end of the text is such a byte, too */
    }
    if (c == 0xe0 && text[1] < 0xa0) return 0;
    if (c == 0xed && text[1] > 0x9f) return 0;
    if (c == 0xf0 && text[1] < 0x90) return 0;
    if (c == 0xf4 && text[1] > 0x8f) return 0;
    return bytes;
}

static char *put_letter(char *out, const unsigned char *text, size_t bytes)
{
    if (bytes == 0) {
        *out = '?';
        return out + 1;
    }
    if (bytes == 1 && (*text < 0x20 || *text == 0x7f || *text == '"' || *text == '\\')) {
        return out + snprintf(out, 7, "\\u%04x", *text);
    }
    memcpy(out, text, bytes);
    return out + bytes;
}

static char *put_pair(char *out, const char *before, const char *name, const char *text)
{
    out += sprintf(out, "%s\"%s\":", before, name);
    if (text[0] == '\0') return out + sprintf(out, "null");
    *out++ = '"';
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        size_t bytes = letter_bytes(at);
        out = put_letter(out, at, bytes);
        at += bytes > 0 ? bytes : 1;
    }
    *out++ = '"';
    return out;
}

size_t error_json(const sottod_refusal *why, char out[ERROR_JSON_BYTES])
{
    char *end = put_pair(out, "{", "error", why->error);
    end = put_pair(end, ",", "field", why->field);
    end = put_pair(end, ",", "value", why->value);
    end = put_pair(end, ",", "allowed", why->allowed);
    *end++ = '}';
    assert((size_t)(end - out) <= ERROR_JSON_BYTES);
    return (size_t)(end - out);
}
