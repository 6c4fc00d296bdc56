/* Frames are told apart in the order of folding_read_rows: new, late, duplicate, conflicting. Those that are
 * new are gathered for folding; what the nonces learned can be taken back. */
#ifndef SERVICE_FOLDER_APART_H
#define SERVICE_FOLDER_APART_H

#include "known.h"

typedef struct folder_nonce {
    uint32_t epoch;
    uint8_t nonce[SOTTO_NONCE_BYTES];
} folder_nonce;

typedef struct folder_apart {
    folder_known *known;
    journal_counts counts; /* `folded` are those that are new */
    folder_nonce *added;
    uint32_t added_count, added_capacity;
    uint8_t *frames; /* new ones that are not folded yet */
    size_t frames_bytes, frames_capacity;
} folder_apart;

/* All frames of a row. FOLDER_BROKEN: one is of an epoch that has not begun, or the row is not whole. */
folder_outcome folder_apart_take(folder_apart *apart, const journal_row *row);
/* The nonces are as before. */
void folder_apart_forget(folder_apart *apart);
void folder_apart_free(folder_apart *apart);

#endif
