/* Memory that runs out when a test asks for it; for tests linked with --wrap=calloc. */
#ifndef SOTTO_SCARCE_H
#define SOTTO_SCARCE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static _Atomic uint32_t calls_left = UINT32_MAX; /* calls left before it fails; runs have threads */

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    if (calls_left == 0) return NULL;
    calls_left--;
    return __real_calloc(count, bytes);
}

#endif
