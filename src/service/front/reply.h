/*
 * An answer in the form that libmicrohttpd sends. Answers that are the same for many are one reply: the
 * last few small ones are remembered.
 */
#ifndef SERVICE_FRONT_REPLY_H
#define SERVICE_FRONT_REPLY_H

#include "front.h"

#include <microhttpd.h>

#define REPLY_MEMORY 8u      /* replies that are remembered */
#define REPLY_KEY_BYTES 768u /* those whose text is longer are not */

/* Counted: whoever keeps a pointer to it has one of `holders`. */
typedef struct front_reply {
    struct MHD_Response *response;
    uint32_t status;
    uint32_t holders;
    uint64_t used;    /* when it was last asked for */
    size_t key_bytes; /* 0: is not remembered */
    uint8_t key[REPLY_KEY_BYTES];
} front_reply;

typedef struct reply_memory {
    front_reply *reply[REPLY_MEMORY]; /* NULL: free */
    uint64_t asked;
} reply_memory;

/* One holder more, the caller's. `close`: the connection ends after it. NULL: no memory. */
front_reply *reply_of(reply_memory *memory, const front_answer *answer, bool close);
void reply_hold(front_reply *reply);
/* One holder less; the last one frees it. */
void reply_drop(front_reply *reply);
void reply_memory_clear(reply_memory *memory);

#endif
