/* Golden files: bytes written once, by another hand than ours, and never changed. */
#ifndef SOTTO_GOLDEN_H
#define SOTTO_GOLDEN_H

#include <stddef.h>
#include <stdint.h>

/* Reads tests/golden/NAME, of at most `capacity` bytes, and returns its length. A file that is
 * missing or longer ends the test. */
size_t golden_read(const char *name, uint8_t *bytes, size_t capacity);

#endif
