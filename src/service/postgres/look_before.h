/* What there is of an experiment, before its epoch is ended, held or decided of. */
#ifndef SERVICE_POSTGRES_LOOK_BEFORE_H
#define SERVICE_POSTGRES_LOOK_BEFORE_H

#include "connection.h"

typedef struct postgres_before {
    int first;  /* question */
    bool found; /* the experiment */
    bool keeps; /* the server keeps what it acknowledges */
    uint32_t state;
    uint32_t epoch; /* of the last model; 0: none */
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal_held held; /* of that epoch; reports 0: it is not held */
} postgres_before;

/* In a transaction of the caller, which may have begun with what is queued. Locks the experiment's row, so that of
 * several who do such a thing one comes first, and the others see what it did. */
bool postgres__look_before(postgres_connection *connection, uint32_t experiment,
                           postgres_before *out);

#endif
