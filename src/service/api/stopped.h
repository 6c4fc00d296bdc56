/* Experiments that a service over a shared journal cannot use or fold, because what the journal has of them is at
 * fault. The others go on. */
#ifndef SERVICE_API_STOPPED_H
#define SERVICE_API_STOPPED_H

#include "api.h"

typedef struct api_stopped {
    uint32_t count;
    char id[FOLDER_STOPPED_MAX][SPEC_ID_TEXT_BYTES];
} api_stopped;

/* Each once; at most as many as fit. */
void stopped_list(const api_service *service, api_stopped *out);

#endif
