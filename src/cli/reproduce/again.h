/* The command that makes the same page. */
#ifndef SOTTO_CLI_REPRODUCE_AGAIN_H
#define SOTTO_CLI_REPRODUCE_AGAIN_H

#include "lab/paper/reproduction.h"

/* In words that a shell takes; made in the pool. */
const char *reproduce_again(const sotto__reproduction_settings *settings, sotto__pool *pool);

#endif
