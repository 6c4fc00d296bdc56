/* Allocates module memory for data from a page. The other exports are the functions of
 * sotto/flat.h. */
#include <stdint.h>
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("alloc") void *module_alloc(uint32_t bytes);
EXPORT("release") void module_release(void *memory);

void *module_alloc(uint32_t bytes)
{
    return malloc(bytes);
}

void module_release(void *memory)
{
    free(memory);
}
