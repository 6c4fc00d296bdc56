/* How many cores this process may use. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "threads.h"

#include <sched.h>
#include <unistd.h>

uint32_t cores_count(uint32_t most)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    long count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    if (count < 1)
        count = sysconf(_SC_NPROCESSORS_ONLN); /* the machine has more cores than the set */
    if (count < 1) return 1;
    return count < (long)most ? (uint32_t)count : most;
}
