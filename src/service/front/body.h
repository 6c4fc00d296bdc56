/*
 * Bodies of requests, and the memory for them. A body grows as its bytes come, so that a length that is
 * only promised takes no room. What all bodies hold is bounded; small pieces of memory are kept and used
 * again, within the same bound.
 */
#ifndef SERVICE_FRONT_BODY_H
#define SERVICE_FRONT_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BODY_SIZES 9u        /* pieces that are kept have 256 B, 512 B, … 64 KiB */
#define BODY_KEPT_BYTES 256u /* the smallest */

typedef struct body_piece body_piece; /* memory that is kept for the next body */

typedef struct body_store {
    size_t bytes_max;
    size_t used_bytes; /* of bodies */
    size_t kept_bytes; /* of pieces that no body has now */
    body_piece *kept[BODY_SIZES];
} body_store;

typedef struct front_body {
    uint8_t *at; /* NULL: none yet */
    size_t bytes;
    size_t capacity;
} front_body;

void body_store_init(body_store *store, size_t bytes_max);
/* Frees what is kept. No body may have memory any more. */
void body_store_clear(body_store *store);

/* Appends. `bytes_max` is the length that the body will not pass. False, and the body is as before, if
 * there is no room. */
bool body_add(body_store *store, front_body *body, const void *at, size_t bytes, size_t bytes_max);
/* Gives the memory back: the body is empty. */
void body_clear(body_store *store, front_body *body);
/* Whether a body of this length could be held now, if no other grew. */
bool body_fits(const body_store *store, size_t bytes);

#endif
