/* The numbers of a running service, in the text format of Prometheus, version 0.0.4. */
#ifndef SERVICE_METRICS_H
#define SERVICE_METRICS_H

#include "api.h"

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Text from malloc, and its length; NULL: no memory. */
char *metrics_text(const api_service *service, size_t *bytes);

#endif
