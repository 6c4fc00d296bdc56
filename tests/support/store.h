/* A ledger's store behind sotto_ledger_calls, under a test's control. */
#ifndef SOTTO_STORE_H
#define SOTTO_STORE_H

#include <sotto/client.h>

#define STORE_ENTRIES_MAX 128
#define STORE_ENTRY_BYTES_MAX 8192

typedef enum store_failure {
    STORE_FAILS,      /* nothing is done */
    STORE_DONE_FAILS, /* does the work, and reports a failure */
    STORE_DIES,       /* this call and all later ones fail and do nothing */
    STORE_DONE_DIES,  /* does the work; reports a failure, as do all later calls */
} store_failure;

typedef struct store {
    bool there;
    uint8_t anchor[SOTTO_LEDGER_ANCHOR_BYTES];
    uint8_t entry[STORE_ENTRIES_MAX][STORE_ENTRY_BYTES_MAX];
    size_t entry_bytes[STORE_ENTRIES_MAX];
    uint64_t count;   /* entries */
    uint64_t calls;   /* so far */
    uint64_t fail_at; /* the call that fails, from 1; 0: none */
    store_failure failure;
    bool counts; /* it has a generation, which store_put_back does not restore */
    uint64_t generation;
    uint64_t read_bytes; /* by all reads so far */
    bool swaps_blindly;  /* broken twin: append does not compare */
    /* Acts as another process just before an append. May be NULL. */
    void (*before_append)(struct store *self);
    /* Runs in addition to each call. May be NULL. */
    void (*beside)(void);
    uint64_t lies_about; /* entry whose last byte before the chain is read wrong */
} store;

/* Restores a store to an older copy of itself, as restoring a backup would. */
void store_put_back(store *self, const store *older);

/* The calls of a store, which must be all zeros at first. */
sotto_ledger_calls store_calls(store *self);

#endif
