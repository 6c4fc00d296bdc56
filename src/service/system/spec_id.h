/* A spec id as 32 hexadecimal digits, small letters: an id has one spelling. */
#ifndef SERVICE_SPEC_ID_H
#define SERVICE_SPEC_ID_H

#include <sotto/core.h>

#define SPEC_ID_TEXT_BYTES (2 * SOTTO_SPEC_ID_BYTES + 1)

void spec_id_print(const uint8_t id[SOTTO_SPEC_ID_BYTES], char text[SPEC_ID_TEXT_BYTES]);
/* False for anything but 32 of them; `text` need not end there. */
bool spec_id_read(const char *text, size_t bytes, uint8_t id[SOTTO_SPEC_ID_BYTES]);

#endif
