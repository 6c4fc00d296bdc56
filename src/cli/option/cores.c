/* How many threads a command takes by default. */
#include "cores.h"

#include <sotto/lab.h>

#include <unistd.h>

uint32_t machine_cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    if (count < 1) return 1;
    return count > (long)SOTTO_THREADS_MAX ? SOTTO_THREADS_MAX : (uint32_t)count;
}
