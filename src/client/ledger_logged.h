/* A ledger that is a log of entries, wherever they are kept: in a file, or behind calls. */
#ifndef SOTTO_LEDGER_LOGGED_H
#define SOTTO_LEDGER_LOGGED_H

#include "ledger.h"
#include "ledger_log.h"

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
    /* Where the entries are kept. Each sets base.fault if it refuses. */

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

/* SOTTO_E_LEDGER, with `text` still saying why, if the handle is broken. */
SOTTO_CHECK sotto_status sotto__logged_usable(sotto__logged *self);
/* Reads, checks and takes in the entries of `log` up to `sequence`, none of them past `end`. */
SOTTO_CHECK sotto_status sotto__logged_take(sotto__logged *self, sotto__log *log, uint64_t sequence,
                                            uint64_t end);
/* Makes the log's sums those of the ledger. */
void sotto__logged_adopt(sotto__logged *self);

#endif
