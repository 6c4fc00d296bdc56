/* What every command that compares methods is asked: which, where to look, on how many threads. */
#ifndef SOTTO_CLI_OPTION_SWEEP_H
#define SOTTO_CLI_OPTION_SWEEP_H

#include <sotto/lab.h>

/* The values of --method, each once. False with a sentence on stderr. */
bool sweep_methods(const char *program, const char *list, sotto_player player[SOTTO_PLAYERS],
                   uint32_t *count);

/* The values of --checkpoints (NULL: 1, 2, 5, 10, ...) and the horizon, growing. `at` has room for
 * SOTTO_POINTS_MAX. False with a sentence on stderr. */
bool sweep_points(const char *program, const char *list, uint64_t horizon, uint64_t *at,
                  uint32_t *count);

/* Of this machine, 1 to SOTTO_THREADS_MAX. */
uint32_t sweep_cores(void);

#endif
