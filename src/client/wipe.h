/* Forgetting secrets. */
#ifndef SOTTO_WIPE_H
#define SOTTO_WIPE_H

#include "side.h"

#include <stddef.h>

/* Overwrites with zeros, also where the compiler sees no later read. */
void sotto__wipe(void *secret, size_t bytes);

#endif
