/*
 * What a folder needs of the database: the lock, rows in an order that is always the same, a publish that
 * only one can win, and the removal of what nobody needs. A connection of its own: it shares nothing with
 * that of a gateway, and may be used by another thread.
 *
 * All answer false, and folding_fault says why, when the database is away or its content is at fault. After
 * a fault of the connection the lock is lost: begin again with folding_lock.
 */
#ifndef SERVICE_FOLDING_H
#define SERVICE_FOLDING_H

#include "postgres.h"

typedef struct sottod_folding sottod_folding;

/* Does not connect yet. NULL: no memory. */
sottod_folding *folding_new(const postgres_settings *settings);
void folding_free(sottod_folding *folding);
const char *folding_fault(const sottod_folding *folding);

/* Connects if need be. *held: this connection is the folder, until it is lost. */
bool folding_lock(sottod_folding *folding, bool *held);
/* Whether it still is. After another function answered false: if so, not the connection is at fault, but the
 * content of the database, or what was asked. */
bool folding_holds(const sottod_folding *folding);

/* Up to which row each gateway was taken. Sorted by gateway; gateways that ended, and of which no row is left
 * in the database, are left out. */
typedef struct folding_place {
    uint32_t gateway;
    uint64_t gseq;
    uint8_t digest[JOURNAL_DIGEST_BYTES];
} folding_place;
typedef struct folding_cut {
    folding_place *place;
    uint32_t places, capacity;
} folding_cut;
void folding_cut_free(folding_cut *cut);

/* One publish. */
typedef struct folding_model {
    uint32_t experiment;
    uint32_t epoch;    /* that it opened; 0: none yet, the learner is `start`, the cut is empty */
    journal_kind kind; /* JOURNAL_PUBLISH or JOURNAL_DISCARD */
    uint64_t minute;
    journal_counts counts; /* of all rows in the cut */
    journal_bytes learner; /* sotto_learner_encode */
    journal_bytes told;    /* told_encode; may be empty */
    folding_cut cut;
    journal_kind decided; /* of folding_publish: the decision on a held epoch that it carries out;
                           * JOURNAL_REPORTS: there was none */
} folding_model;

/* All experiments, deleted and damaged ones included: with their state as it is now. */
bool folding_read_experiments(sottod_folding *folding,
                              bool (*take)(void *self, const journal_experiment *), void *self);
/* The models of an experiment from epoch `from` on, oldest first: those that there are. */
bool folding_read_models(sottod_folding *folding, uint32_t experiment, uint32_t from,
                         bool (*take)(void *self, const folding_model *), void *self);

/* What waits: the last durable row of each gateway, as a cut, and the number of reports after `from`. Costs
 * by the rows that came since it was asked last. *cut is the folding's until the next call. */
bool folding_waiting(sottod_folding *folding, uint32_t experiment, const folding_cut *from,
                     const folding_cut **cut, uint64_t *reports);
/* Rows after `from` up to `to`, by gateway and then gseq: the order in which they count. Rows that were dropped
 * (all of them are in the cut of a model) are passed over. Chains are checked, from `from` or the last one dropped.
 * Rows come in pieces: memory does not grow with their number. row->seq is gseq. */
bool folding_read_rows(sottod_folding *folding, uint32_t experiment, const folding_cut *from,
                       const folding_cut *to, bool (*take)(void *self, const journal_row *),
                       void *self);

/* Inserts the model and its history, durable, and wakes all gateways; the epoch is not held any more. *fenced:
 * another folder published this epoch, or what was decided of it is not `decided` any more, or the experiment is closed;
 * nothing was written.
 * Refused without the lock, unless `by_force` (for tests of the fence). */
bool folding_publish(sottod_folding *folding, const folding_model *model,
                     const journal_history *history, bool by_force, bool *fenced);
/* The current epoch of an experiment is held, until somebody decides (journal_decide). *fenced: another folder
 * published it; nothing was written. */
bool folding_hold(sottod_folding *folding, const journal_held *held, bool *fenced);
/* All that are held, or were: by experiment. */
bool folding_read_held(sottod_folding *folding, bool (*take)(void *self, const journal_held *),
                       void *self);
/* Reports that came after the last model of a closed experiment: they are in no epoch that ends, but in the counts
 * and in the learner, durable, with the cut up to which they go. `epoch` is that of the last model; 0: there is none.
 * *fenced: it is not closed, or was deleted, or this was done before; nothing was written. */
bool folding_end(sottod_folding *folding, const folding_model *ended, bool *fenced);
/* `take` is called once, or not at all. */
bool folding_read_ended(sottod_folding *folding, uint32_t experiment,
                        bool (*take)(void *self, const folding_model *), void *self);
/* After this no report of an experiment that is closed already becomes durable any more. Never waits long for a
 * gateway: *busy, and try again. */
bool folding_settle(sottod_folding *folding, bool *busy);
/* As of a gateway: for a folder that closes an experiment which cannot go on. */
bool folding_set_state(sottod_folding *folding, uint32_t experiment, journal_state state);

/* Opens a new slab if the present one has this many bytes or is this old, and drops slabs of which every row
 * is in `cut` (the cut of a durable model) and of epochs before `oldest_open`; models before `keep_models_from`;
 * all of deleted experiments; rows of gateways that ended. keep_reports: drops nothing of those that are not deleted. Never waits long for a gateway: what
 * is busy is left for the next time; if it is of a closed or deleted experiment, the answer is false. */
typedef struct folding_retention {
    uint64_t slab_bytes_max;
    uint32_t slab_s_max;
    bool keep_reports;
} folding_retention;
bool folding_retain(sottod_folding *folding, uint32_t experiment, const folding_retention *rule,
                    const folding_cut *cut, uint32_t oldest_open, uint32_t keep_models_from);
bool folding_thin_history(sottod_folding *folding, uint64_t before_minute);

/* Waits until something changed (an experiment was made, a state was set) or the time is over; *changed says
 * which. */
bool folding_wait(sottod_folding *folding, int timeout_ms, bool *changed);

#endif
