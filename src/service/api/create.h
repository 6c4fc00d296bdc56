/* The body that makes an experiment: {"spec":{…},"learning":{…},"labels":{…},"report_key":"…"}. */
#ifndef SERVICE_CREATE_H
#define SERVICE_CREATE_H

#include "spec_json.h"

#define CREATE_LABELS_MAX 32u
#define CREATE_LABEL_NAME_BYTES_MAX 64u
#define CREATE_LABEL_BYTES_MAX 256u
#define CREATE_LABELS_BYTES_MAX 16384u /* as JSON */

typedef struct create_request {
    experiment_request request; /* its labels are those below */
    sotto_terms terms;
    char labels[CREATE_LABELS_BYTES_MAX + 1];
} create_request;

/* False, and *why, at the first fault. */
bool create_read(const void *body, size_t bytes, create_request *out, sottod_refusal *why);

#endif
