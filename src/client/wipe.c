/* Forgetting secrets. */
#include "inner.h"

#include <string.h>

void sotto__wipe(void *secret, size_t bytes)
{
    memset(secret, 0, bytes);
    __asm__ __volatile__("" : : "r"(secret) : "memory"); /* the zeros count as read */
}
