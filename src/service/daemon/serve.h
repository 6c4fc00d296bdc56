/* The service from its start to its end. */
#ifndef SERVICE_SERVE_H
#define SERVICE_SERVE_H

#include "service/config/config.h"

/* Opens the folder and both ports, prints where they are, serves until a signal comes. The exit status:
 * 0, or 1 with a sentence on stderr. */
int serve(const sottod_config *config);

#endif
