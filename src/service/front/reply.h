/*
 * An answer in the form that libmicrohttpd sends. Answers that are the same for many, such as 204 or the
 * model of an epoch, are one reply: the last few are remembered.
 */
#ifndef SERVICE_FRONT_REPLY_H
#define SERVICE_FRONT_REPLY_H

#include "front.h"

#include <microhttpd.h>

#define REPLY_MEMORY 8u                 /* replies that are remembered */
#define REPLY_BODY_BYTES_MAX (8u << 20) /* those with a longer body are not: no model has one */

/* Counted: whoever keeps a pointer to it is one of `holders`. */
typedef struct front_reply {
    struct MHD_Response *response; /* owns what `answer` points to */
    front_answer answer;
    uint32_t holders;
    uint64_t used; /* when it was last asked for */
} front_reply;

typedef struct reply_memory {
    front_reply *reply[REPLY_MEMORY]; /* NULL: free */
    uint64_t asked;
} reply_memory;

/* One holder more, the caller. NULL: no memory, or a header that cannot be sent. */
front_reply *reply_of(reply_memory *memory, const front_answer *answer);
void reply_hold(front_reply *reply);
/* One holder less; the last one frees it. */
void reply_drop(front_reply *reply);
void reply_memory_clear(reply_memory *memory);

#endif
