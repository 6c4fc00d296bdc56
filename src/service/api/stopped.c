#include "stopped.h"

#include <string.h>

static bool has(const api_stopped *list, const char *id)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->id[i], id) == 0) return true;
    }
    return false;
}

void stopped_list(const api_service *service, api_stopped *out)
{
    const char *id;
    out->count = 0;
    if (service->folder != NULL)
        out->count = folder_stopped(service->folder, out->id, FOLDER_STOPPED_MAX);
    for (uint32_t i = 0; (id = experiments_damaged(service->experiments, i)) != NULL; i++) {
        if (out->count < FOLDER_STOPPED_MAX && !has(out, id))
            memcpy(out->id[out->count++], id, SPEC_ID_TEXT_BYTES);
    }
}
