/* From what a comparison is asked to be to its matches. */
#ifndef SOTTO_LAB_RUN_REQUEST_H
#define SOTTO_LAB_RUN_REQUEST_H

#include "comparison.h"

#include <sotto/lab/comparisons.h>

/* Sets of methods, one bit each. */
#define SOTTO__PLAYERS_PRIVATE ((1u << (SOTTO_PLAYER_BEST_ARM + 1)) - 1)

/* The methods that a field of sotto_match means something to. */
uint32_t sotto__request_users(size_t field);

/* The comparison. NULL, or why a match cannot be played: *culprit is the number of its method, and
 * `out` is empty. */
const char *sotto__comparison_of(const sotto_comparison_request *request, sotto__comparison *out,
                                 uint32_t *culprit, char fault[SOTTO_FAULT_BYTES]);

#endif
