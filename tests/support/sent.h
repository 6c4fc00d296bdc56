/* Reports that have left a device, by nonce. A round of rounds.h must never send two different
 * reports. */
#ifndef SOTTO_SENT_H
#define SOTTO_SENT_H

#include "rounds.h"

typedef struct sent {
    uint8_t index[256]; /* of the report with this nonce; 0: none was sent */
    uint32_t count;     /* rounds that have sent a report */
    bool twice;         /* a round has sent two different reports */
} sent;

void sent_add(sent *self, const uint8_t frame[ROUND_FRAME_BYTES]);

#define SENT_HELD 11      /* the index of a held report, */
#define SENT_REPLACING 22 /* of the one that replaces it, */
#define SENT_LATE 33      /* and of one made after a restart */

#define SENT_BEGUN_MS 1790000000000 /* the times of every round */
#define SENT_AT_MS 1790000086400

/* A held round of spec 0xaa, as a client does it: book, book the times, hold, replace if `finishes`,
 * seal, send, acknowledge. Stops at the first refusal and returns it. */
sotto_status sent_round(sotto_ledger *ledger, uint8_t nonce, double lifetime, bool finishes,
                        sent *out);
/* After a restart: tries to replace each unsent report, as a client that still had the secret
 * could, and then sends all of them; with `sends_first`, in the opposite order. SOTTO_E_FAULT if a
 * report has lost its times. */
sotto_status sent_rest(sotto_ledger *ledger, bool sends_first, sent *out);

#endif
