/* A journal in memory that several gateways share, for tests of code above the database. There is
 * one database at a time. Gateways are journals (store.h); folding_memory.c is the publisher's
 * side. Several threads may use it, and it asserts that rows are valid. */
#ifndef SOTTO_SHARED_MEMORY_H
#define SOTTO_SHARED_MEMORY_H

#include "service/store/store.h"

#include <pthread.h>

/* Up to which row of each gateway, from 1 on. */
#define SHARED_GATEWAYS_MAX 8u
typedef struct shared_cut {
    uint64_t gseq[SHARED_GATEWAYS_MAX + 1];
} shared_cut;

typedef struct shared_row {
    uint32_t gateway;
    journal_row row; /* seq is gseq */
} shared_row;

typedef struct shared_model {
    uint32_t experiment, epoch;
    journal_kind kind;
    uint64_t minute;
    journal_counts counts;
    journal_bytes learner, results;
    shared_cut cut;
} shared_model;

#define SHARED_MOST 4096u
typedef struct shared_database {
    pthread_mutex_t mutex;
    journal_experiment experiment[16];
    uint32_t experiments;
    shared_row row[SHARED_MOST];
    uint32_t rows;
    shared_model model[SHARED_MOST];
    uint32_t models;
    journal_history history[SHARED_MOST];
    uint32_t histories;
    journal_held held[16];            /* by experiment, from 1 on */
    shared_model ended[16];           /* the same; without a learner: none */
    uint64_t looks[16], distinct[16]; /* of the publisher at what waits, the same */
    uint32_t gateways;
    uint64_t changes;       /* of experiments, states and models */
    bool changes_meanwhile; /* once, after the next news were read */
    uint64_t session;       /* of all gateways */
    bool away;              /* nothing answers */
    uint32_t calls;         /* that were answered */
    uint32_t snapshots_read;
    const void *publisher;   /* who keeps house */
    const void *owner[16];   /* who folds, by experiment, from 1 on */
    uint64_t elapsed_ms[16]; /* since the last publish, for queries; by experiment, from 1 on */
    bool paces;              /* also when it is asked for one: without, what was told first stays */
    uint32_t crew;           /* how many fold */
    void *block;             /* all bytes of shared_keep */
} shared_database;

extern shared_database shared;

/* An empty database. */
void shared_memory_start(void);
void shared_memory_end(void);
/* Makes the database reachable or not. While it is away all calls fail, and the holder of the lock
 * loses it. */
void shared_memory_set_away(bool away);
/* One more gateway. journal_close ends it. */
sottod_journal *shared_memory_gateway(void);

/* ---- with the mutex held */

/* Bytes that live as long as the database. */
journal_bytes shared_keep(journal_bytes bytes);
/* The newest model of an experiment; NULL if there is none. */
const shared_model *shared_newest(uint32_t experiment);

#endif
