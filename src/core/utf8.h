/* Characters of a text in UTF-8. */
#ifndef SOTTO_UTF8_H
#define SOTTO_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define SOTTO__NO_CHARACTER UINT32_MAX

/* The first character of a text of 1 byte or more, and its bytes; where the text does not begin with
 * one, SOTTO__NO_CHARACTER and 1. */
uint32_t sotto__character(const char *text, size_t bytes, size_t *length);

/* How many bytes of a text are left if it was cut off within its last character, and that goes. */
size_t sotto__whole_bytes(const char *text, size_t bytes);

#endif
