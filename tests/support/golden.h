/* Golden files: bytes computed once by an independent implementation, and never changed. */
#ifndef SOTTO_GOLDEN_H
#define SOTTO_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

/* Reads tests/golden/NAME, of at most `capacity` bytes, and returns its length. Ends the test if
 * the file is missing or longer. */
size_t golden_read(const char *name, uint8_t *bytes, size_t capacity);

#endif
