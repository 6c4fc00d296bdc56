/* The table of environments: which of them a match has, and whether it fits. */
#ifndef SOTTO_LAB_ENVIRONMENT_ENVIRONMENT_H
#define SOTTO_LAB_ENVIRONMENT_ENVIRONMENT_H

#include "world.h"

const sotto__environment *sotto__environment_of(sotto_environment_kind kind);

/* NULL if the match has a world; otherwise `text`: the field, its value and what is allowed. */
const char *sotto__environment_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES]);

/* A world of a match, from its seed. SOTTO_E_FAULT if sotto__environment_fault finds one. */
SOTTO_CHECK sotto_status sotto__world_new(const sotto_match *match, uint64_t seed,
                                          sotto__world **out);

#endif
