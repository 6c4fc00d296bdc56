#include "spec_id.h"

#include <stdio.h>

void spec_id_print(const uint8_t id[SOTTO_SPEC_ID_BYTES], char text[SPEC_ID_TEXT_BYTES])
{
    for (size_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    }
}

/* -1 for what is no digit. */
static int digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

bool spec_id_read(const char *text, size_t bytes, uint8_t id[SOTTO_SPEC_ID_BYTES])
{
    if (bytes != SPEC_ID_TEXT_BYTES - 1) return false;
    for (size_t i = 0; i < SOTTO_SPEC_ID_BYTES; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        id[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}
