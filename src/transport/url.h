/* The URL of an experiment. */
#ifndef SOTTO_TRANSPORT_URL_H
#define SOTTO_TRANSPORT_URL_H

#include "client/side.h"

#include <sotto/core.h>

#define SOTTO__URL_BYTES_MAX 1000u

typedef struct sotto__url {
    char text[SOTTO__URL_BYTES_MAX + 1];
    bool plain; /* http, on this machine */
    uint8_t spec_id[SOTTO_SPEC_ID_BYTES];
} sotto__url;

/*     https://HOST[:PORT][/PATH]/v1/experiments/ID        http:// for 127.0.0.0/8, [::1] and localhost
 *
 * Nothing else: no user, no query, no fragment, no escapes. NULL, with *out set, or `text`. */
const char *sotto__url_fault(const char *name, const char *url, sotto__url *out,
                             char text[SOTTO_FAULT_BYTES]);

#endif
