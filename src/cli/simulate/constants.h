/* The constants of an environment that theory speaks of, in words or as one JSON object. */
#ifndef SOTTO_CLI_SIMULATE_CONSTANTS_H
#define SOTTO_CLI_SIMULATE_CONSTANTS_H

#include <sotto/lab.h>

/* An exit status. */
int simulate_constants_print(const sotto_match *match, uint64_t seed, bool json);

#endif
