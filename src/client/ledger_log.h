/* The ledger's log: its bytes and what they mean, apart from where they are kept. */
#ifndef SOTTO_LEDGER_LOG_H
#define SOTTO_LEDGER_LOG_H

#include "ledger.h"

#include <sotto/client.h>

#define SOTTO__LEDGER_ID_BYTES 16u
#define SOTTO__CHAIN_BYTES 16u
#define SOTTO__HEAD_BLOCK_BYTES 4096u
#define SOTTO__HEAD_BYTES (2 * SOTTO__HEAD_BLOCK_BYTES)
#define SOTTO__ENTRY_HEAD_BYTES 64u
#define SOTTO__FRAME_AT 24u /* where in an entry a report's frame begins */

/* All that a head block or an anchor says: the log up to one entry. */
typedef struct sotto__log_state {
    uint8_t id[SOTTO__LEDGER_ID_BYTES];
    uint64_t sequence; /* entries */
    uint64_t end;      /* offset of the byte after the last one */
    uint8_t chain[SOTTO__CHAIN_BYTES];
    sotto__spent spent;
    uint64_t reports;
} sotto__log_state;

typedef enum sotto__entry_kind {
    SOTTO__ENTRY_DEBIT = 1,
    SOTTO__ENTRY_REPORT = 2, /* final */
    SOTTO__ENTRY_HELD = 3,   /* a report that a final one may still replace */
    SOTTO__ENTRY_SEALED = 4,
    SOTTO__ENTRY_ACKNOWLEDGED = 5,
    SOTTO__ENTRY_DUE = 6,    /* when the report leaves */
    SOTTO__ENTRY_DROPPED = 7 /* given up */
} sotto__entry_kind;

typedef struct sotto__entry {
    sotto__entry_kind kind;
    uint64_t sequence;
    uint64_t debit;      /* of all but debits: the entry of the round */
    uint64_t report;     /* of a seal: the entry of what it seals */
    uint32_t rest_bytes; /* of a report: what follows the entry's head */
    sotto__due due;      /* of a due */
    double epsilon;      /* of a debit */
    double delta;
    uint8_t spec_id[SOTTO_SPEC_ID_BYTES]; /* of a debit */
    uint8_t nonce[SOTTO_NONCE_BYTES];
} sotto__entry;

typedef struct sotto__open_round {
    uint64_t entry;
    uint64_t report;     /* the entry of its report as of now; 0: it has none */
    uint32_t rest_bytes; /* of that report */
    bool final;          /* it is not a held one */
    bool sealed;
    sotto__due due; /* zeros: it has none */
    uint8_t spec_id[SOTTO_SPEC_ID_BYTES];
    uint8_t nonce[SOTTO_NONCE_BYTES];
} sotto__open_round;

typedef struct sotto__log {
    sotto__log_state state;
    sotto__open_round *open; /* rounds that are not acknowledged or dropped, oldest first */
    size_t open_count;
    size_t open_capacity;
    uint64_t dropped; /* reports given up; no head says it: the entries do */
} sotto__log;

/* An empty log. */
void sotto__log_begin(sotto__log *log, const uint8_t id[SOTTO__LEDGER_ID_BYTES]);
void sotto__log_end(sotto__log *log);
/* Room for one more open round. */
SOTTO_CHECK sotto_status sotto__log_reserve(sotto__log *log);

void sotto__head_encode(const sotto__log_state *state, uint32_t block,
                        uint8_t out[SOTTO__HEAD_BLOCK_BYTES]);
/* A block that says: this file was seen to go back, never trust it again. */
void sotto__head_spoil(uint8_t out[SOTTO__HEAD_BLOCK_BYTES]);
/* NULL, with the id, sequence, end and spent.composed_at of *out set; otherwise what is wrong with the block. */
const char *sotto__head_decode(const uint8_t bytes[SOTTO__HEAD_BLOCK_BYTES], uint32_t block,
                               sotto__log_state *out);

/* The head of a log that is not in a file. */
void sotto__anchor_encode(const sotto__log_state *state, uint8_t out[SOTTO_LEDGER_ANCHOR_BYTES]);
/* As sotto__head_decode. */
const char *sotto__anchor_decode(const uint8_t bytes[SOTTO_LEDGER_ANCHOR_BYTES],
                                 sotto__log_state *out);

void sotto__debit_encode(const sotto__entry *entry, uint8_t out[SOTTO__ENTRY_HEAD_BYTES]);
/* `frame` has SOTTO__REPORT_HEAD_BYTES and entry->rest_bytes more. */
void sotto__report_frame(const sotto__entry *entry, const uint8_t *frame,
                         uint8_t out[SOTTO__ENTRY_HEAD_BYTES]);
/* All but debits and reports. */
void sotto__mark_encode(const sotto__entry *entry, uint8_t out[SOTTO__ENTRY_HEAD_BYTES]);
/* The chain after an entry: `rest` has entry->rest_bytes. */
void sotto__log_chain(const sotto__log *log, const uint8_t head[SOTTO__ENTRY_HEAD_BYTES],
                      const uint8_t *rest, size_t rest_bytes, uint8_t out[SOTTO__CHAIN_BYTES]);
/* Whether the log takes these times. */
bool sotto__due_fits(const sotto__due *due);
/* The open round of a debit; NULL if there is none. */
const sotto__open_round *sotto__log_round(const sotto__log *log, uint64_t debit);
/* The first open round after this debit that has a report; NULL if there is none. */
const sotto__open_round *sotto__log_unsent(const sotto__log *log, uint64_t after);
/* NULL if an entry with this head may come next; otherwise why not. */
const char *sotto__log_fault(const sotto__log *log, const uint8_t head[SOTTO__ENTRY_HEAD_BYTES],
                             sotto__entry *out);
/* The state after an entry that may come next. */
sotto__log_state sotto__log_after(const sotto__log *log, const sotto__entry *entry,
                                  const uint8_t chain[SOTTO__CHAIN_BYTES]);
/* Takes the entry in. A debit needs room reserved. */
void sotto__log_take(sotto__log *log, const sotto__entry *entry, const sotto__log_state *after);

#endif
