#define _GNU_SOURCE /* sched_getaffinity */
#include "cores.h"

#include <sched.h>
#include <unistd.h>

uint32_t cores_count(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    if (count > 0) return (uint32_t)count;
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* the set is too small for this machine */
    return online > 0 && online <= INT32_MAX ? (uint32_t)online : 1;
}
