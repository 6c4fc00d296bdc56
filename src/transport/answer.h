/* What a server's answer means for a device: docs/protocol.md, section 13. */
#ifndef SOTTO_TRANSPORT_ANSWER_H
#define SOTTO_TRANSPORT_ANSWER_H

#include "client/side.h"

#include <sotto/core.h>

typedef struct sotto__answer {
    long status; /* 0: there was none */
    const uint8_t *body;
    size_t body_bytes;
    bool too_long;           /* it was longer than any right one; the rest was not read */
    uint64_t retry_after_ms; /* 0: the server did not say, or not in seconds */
    const char *why;         /* of none: what happened, in words */
} sotto__answer;

/* To reports. */
typedef enum sotto__verdict {
    SOTTO__TAKEN,
    SOTTO__NOT_YET, /* a frame is of an epoch that has not begun */
    SOTTO__REFUSED, /* a frame will never be taken */
    SOTTO__PAUSED,
    SOTTO__LOST, /* the experiment is gone */
    SOTTO__AGAIN /* any other answer, and none */
} sotto__verdict;

/* With a sentence in `text`, unless they are taken. */
sotto__verdict sotto__answer_judge(const sotto__answer *answer, char text[SOTTO_FAULT_BYTES]);
/* The sentence about an answer that is not the one that was asked for. */
const char *sotto__answer_fault(const sotto__answer *answer, const char *what,
                                char text[SOTTO_FAULT_BYTES]);

#endif
