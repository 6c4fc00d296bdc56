/* The folders above a folder. */
#ifndef SERVICE_PARENTS_H
#define SERVICE_PARENTS_H

#include <stdbool.h>

/* Makes those that are not there, for their owner alone, durably; the last part of the path is not made. False
 * with errno if one cannot be made. */
bool parents_make(const char *path);

#endif
