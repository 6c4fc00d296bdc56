/* How many cores there are for us. */
#ifndef SERVICE_CORES_H
#define SERVICE_CORES_H

#include <stdint.h>

/* Those that this process may run on: all of the machine, unless it is bound to some. At least 1. */
uint32_t cores_count(void);

#endif
