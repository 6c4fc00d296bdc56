/* Counts the allocations that a test program's own code makes, and lets those after `allocations_max`
 * fail; those inside shared libraries are not counted. The test wraps malloc, calloc and realloc (sotto_wrap in CMakeLists.txt). */
#ifndef SOTTO_ALLOCATIONS_H
#define SOTTO_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>

static uint64_t allocations, allocations_max = UINT64_MAX;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return allocations++ < allocations_max ? __real_malloc(bytes) : NULL;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return allocations++ < allocations_max ? __real_calloc(count, bytes) : NULL;
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return allocations++ < allocations_max ? __real_realloc(old, bytes) : NULL;
}

#endif
