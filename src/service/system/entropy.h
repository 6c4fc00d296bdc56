/* The only place of the service that draws: tokens, and the keys of hashes. */
#ifndef SERVICE_ENTROPY_H
#define SERVICE_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>

/* False if the system gave no randomness; `out` is then zero. */
bool entropy_draw(void *out, size_t bytes);

#endif
