/* How many threads a command takes by default. */
#ifndef SOTTO_CLI_OPTION_CORES_H
#define SOTTO_CLI_OPTION_CORES_H

#include <stdint.h>

/* The cores of this machine, 1 to SOTTO_THREADS_MAX. */
uint32_t machine_cores(void);

#endif
