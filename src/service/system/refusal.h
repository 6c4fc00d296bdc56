/* Why a request was refused, as the answer says it: {error, field, value, allowed}. */
#ifndef SERVICE_REFUSAL_H
#define SERVICE_REFUSAL_H

#include <stdint.h>

/* What the service lacks, though nothing is wrong with the request; for its count. */
typedef enum refusal_lack {
    LACK_NOTHING, /* the request is at fault */
    LACK_JOURNAL, /* it takes nothing now */
    LACK_NONCES,  /* room for more than nonces_max */
    LACK_MEMORY
} refusal_lack;

/* Texts are cut when they are longer. `field`, `value` and `allowed` may be empty. */
typedef struct sottod_refusal {
    uint32_t status; /* HTTP: 400 to 599 */
    refusal_lack lacks;
    char error[256];   /* a sentence */
    char field[64];    /* the path in the JSON, the header, or the part of the address at fault */
    char value[96];    /* what was there; never bytes of a report */
    char allowed[256]; /* what could be there */
} sottod_refusal;

/* Fills all of it, for a request that is at fault; NULL is an empty text. */
void refusal_set(sottod_refusal *out, uint32_t status, const char *error, const char *field,
                 const char *value, const char *allowed);
/* 503, since the service lacks something. */
void refusal_set_lack(sottod_refusal *out, refusal_lack lacks, const char *error);

#endif
