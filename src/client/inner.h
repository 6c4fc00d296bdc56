/* What files of this room share. */
#ifndef SOTTO_CLIENT_INNER_H
#define SOTTO_CLIENT_INNER_H

#include "client.h"
#include "side.h"

#include <sotto/client.h>
#include <sotto/core.h>

#include <stdbool.h>
#include <stddef.h>

/* ---- deflate -------------------------------------------------------------------------------- */

/* Contexts without the direction that they have in common. */

/* x = ||x|| unit(x - (g . x) g), and 0 if there is nothing left to have a direction; as it was if g = 0.
 * g is public, finite and of norm at most 1, as sotto__clip_vector makes it. */
void sotto__deflate(const double *g, uint32_t dim, double *x);

/* ---- ledger_log ----------------------------------------------------------------------------- */

/* The ledger's log: its bytes and what they mean, apart from where they are kept. */

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
    uint64_t report;    /* the entry of its report as of now; 0: it has none */
    uint64_t report_at; /* where that begins */
    uint8_t before
        [SOTTO__CHAIN_BYTES]; /* the chain before it, and after: they tell its bytes from all others */
    uint8_t after[SOTTO__CHAIN_BYTES];
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
/* SOTTO_OK, with the id, sequence, end and spent.composed_at of *out set; otherwise SOTTO_E_LEDGER. */
SOTTO_CHECK sotto_status sotto__head_decode(const uint8_t bytes[SOTTO__HEAD_BLOCK_BYTES],
                                            uint32_t block, sotto__log_state *out,
                                            sotto_fault *fault);

/* The head of a log that is not in a file. */
void sotto__anchor_encode(const sotto__log_state *state, uint8_t out[SOTTO_LEDGER_ANCHOR_BYTES]);
/* As sotto__head_decode. */
SOTTO_CHECK sotto_status sotto__anchor_decode(const uint8_t bytes[SOTTO_LEDGER_ANCHOR_BYTES],
                                              sotto__log_state *out, sotto_fault *fault);

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
/* SOTTO_OK if an entry with this head may come next; otherwise SOTTO_E_LEDGER. */
SOTTO_CHECK sotto_status sotto__log_fault(const sotto__log *log,
                                          const uint8_t head[SOTTO__ENTRY_HEAD_BYTES],
                                          sotto__entry *out, sotto_fault *fault);
/* The state after an entry that may come next. */
sotto__log_state sotto__log_after(const sotto__log *log, const sotto__entry *entry,
                                  const uint8_t chain[SOTTO__CHAIN_BYTES]);
/* Takes the entry in. A debit needs room reserved. */
void sotto__log_take(sotto__log *log, const sotto__entry *entry, const sotto__log_state *after);

/* ---- ledger ---------------------------------------------------------------------------------- */

/* Why the last call failed: the ledger's fault, or the sentence of the status. */
void sotto__ledger_fault(const sotto_ledger *ledger, sotto_status status, sotto_fault *fault);

/* ---- ledger_logged -------------------------------------------------------------------------- */

/* A ledger that is a log of entries, wherever they are kept: in a file, or behind calls. */

typedef struct sotto__logged sotto__logged;

/* An entry on its way to the store. */
typedef struct sotto__addition {
    const sotto__entry *entry;
    const uint8_t *head; /* SOTTO__ENTRY_HEAD_BYTES */
    const uint8_t *rest; /* entry->rest_bytes */
    uint8_t chain[SOTTO__CHAIN_BYTES];
    sotto__log_state after; /* the log with it */
} sotto__addition;

struct sotto__logged {
    sotto_ledger base; /* first, so that a pointer to it is a pointer to the whole */
    sotto__log log;    /* as of the last `enter` or `append` */
    bool broken;       /* what is stored is no longer known: refuse until opened again */
    /* Where the entries are kept. Each sets base.refused and base.fault if it refuses. */

    /* Brings `log` up to date, and keeps others out if it can. */
    sotto_status (*enter)(sotto__logged *self);
    void (*leave)(sotto__logged *self);
    /* Bytes of the entry `sequence`, which begins at offset `at` of the log. */
    sotto_status (*read)(sotto__logged *self, uint64_t sequence, uint64_t at, size_t offset,
                         uint8_t *bytes, size_t count);
    /* Stores an entry durably. SOTTO_E_EXISTS, with nothing stored, if another came first. */
    sotto_status (*append)(sotto__logged *self, const sotto__addition *addition);
};

/* The functions of a ledger on these; `free` is the store's own. */
void sotto__logged_begin(sotto__logged *self);
void sotto__logged_end(sotto__logged *self);

/* SOTTO_E_LEDGER, with base.fault still saying why, if the handle is broken. */
SOTTO_CHECK sotto_status sotto__logged_usable(sotto__logged *self);
/* Reads, checks and takes in the entries of `log` up to `sequence`, none of them past `end`. */
SOTTO_CHECK sotto_status sotto__logged_take(sotto__logged *self, sotto__log *log, uint64_t sequence,
                                            uint64_t end);
/* Makes the log's sums those of the ledger. */
void sotto__logged_adopt(sotto__logged *self);

/* ---- ledger_watch --------------------------------------------------------------------------- */

/* What the system knows about other users of a file: whether they wrote to it since the last question, whatever its
 * times say, and whether they wait for its lock. */

/* Begins to watch; -1 if this system cannot. */
int sotto__watch_open(const char *path);
/* True if anybody wrote to it or cut it, this process included, since the last call. False if nobody did, or
 * the watch is -1. A chmod, a read, a link and set times are not writes. */
bool sotto__watch_written(int watch);
void sotto__watch_close(int watch);

/* A gate before a file's lock. A process that waits for the lock stands in it, so that one that has just released
 * the lock sees that it is not its turn. It is advisory: it keeps nobody out. */
/* Whether another open file stands in it. False where there are no gates. */
bool sotto__gate_is_taken(int fd);
/* Steps into it, if nobody else stands there. */
void sotto__gate_enter(int fd);
void sotto__gate_leave(int fd);

/* ---- score_rows ----------------------------------------------------------------------------- */

/* The rows of the table of scores. */

sotto__score_function sotto__score_sign;
sotto__score_function sotto__score_self;
sotto__score_function sotto__score_huber;
sotto__score_function sotto__score_gradient;
sotto__score_function sotto__score_moments;
sotto__score_function sotto__score_gloc_pair;
sotto__score_function sotto__score_centred;
sotto__score_function sotto__score_reward; /* also of measure rounds */
sotto__score_function sotto__score_lifted;
sotto__score_function sotto__score_mean;

/* ---- wipe ----------------------------------------------------------------------------------- */

/* Forgetting secrets. */

/* Overwrites with zeros, also where the compiler sees no later read. */
void sotto__wipe(void *secret, size_t bytes);

#endif
