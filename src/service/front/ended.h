/*
 * Connections that libmicrohttpd ends by itself: nothing came for too long, or what came is no head. It says so only if a
 * request had begun; of others it is found out here, for the counts.
 */
#ifndef SERVICE_FRONT_ENDED_H
#define SERVICE_FRONT_ENDED_H

#include "ring.h"

/* A request is over, since nothing came for too long. Its connection is next. */
void ended_idle(front_request *request);
/* A connection is over, and its socket still open. Counts it if neither the other side nor we have ended it. */
void ended_count(front_request *request);

#endif
