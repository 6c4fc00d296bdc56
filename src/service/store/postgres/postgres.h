/* What other rooms may use of this one. */
#ifndef SOTTO_SERVICE_POSTGRES_ROOM_H
#define SOTTO_SERVICE_POSTGRES_ROOM_H

#include "service/store/store.h"

/* ---- postgres ------------------------------------------------------------------------------- */

/*
 * The journal in PostgreSQL, for a service of several machines. Any number of gateways append reports; one
 * publisher at a time folds and publishes an experiment (postgres.h). Only this room uses libpq. docs/formats.md has the
 * tables, their digests, and how a model is computed again from them.
 *
 *   format       one row: the format of the tables
 *   gateway      one row per connection that ever appended: its number, never used again
 *   experiment   as in the SQLite journal, and `slab`, the partition that takes its rows now
 *   journal      (experiment, gateway, gseq, slab, epoch, reports, frames, digest): one row per experiment in a
 *                group commit. gseq = 1, 2, … without a hole for each experiment and gateway. Rows of one
 *                experiment and gateway are chained: digest = SHA-256(digest of the row before | the row).
 *                Partitioned by experiment and slab: a partition is dropped whole, so that nothing is left of it
 *   removed      (experiment, gateway): the last row that was dropped, and its digest: the chain of the rest
 *                begins there
 *   model        (experiment, epoch) primary key, which is the fence: a publish. cut = the last gseq, and its
 *                digest, that was taken of each gateway; counts, the learner after the publish, the published
 *                measurements, the minute, kind (publish or discard); digest chained to the model before
 *   history      as in the SQLite journal
 *   held         one row per experiment whose epoch the watch holds back, and what was decided of it
 *   ended        one row per closed experiment: what became of its reports after the last model
 *   pace         one row per experiment: when it was published, and what a publisher found of what waits
 *   arrival      one row per experiment and gateway: the last row, so that publishers find new ones
 *
 * A gateway is a connection: it holds an advisory lock of its number for as long as it lasts, and a new
 * connection is a new gateway. So a gateway whose lock is free never appends again.
 *
 * A commit whose answer is lost with the connection may be durable or not: the reports are answered with 503,
 * devices send them again, and the publisher finds the duplicates.
 *
 * The server must keep what it acknowledges: fsync, full_page_writes and synchronous_commit off are refused.
 */

typedef struct postgres_settings {
    const char
        *url; /* postgresql://… or postgres://…, as libpq reads it; passwords are never shown */
    uint32_t timeout_ms; /* of one answer: then the connection is given up; 100 to 600,000 */
} postgres_settings;

/* A gateway's journal (store.h). Makes the tables if there are none. The first connection must
 * work; later ones are made again, at most once a second, when there is something to write or to read.
 * Appends rows of reports only; journal_row.seq is gseq. Rows go out with journal_commit, in one round trip:
 * if an experiment is closed or deleted meanwhile, that (or a change after the row) answers false, nothing of
 * the transaction is kept, and journal_changed is true. So it is if a state or an id is refused because of
 * what another gateway did. Nothing leads back from closed. Terms must be those of sotto_terms_encode.
 * journal_changed is true, at most once a second, also while there is no connection: reading makes a new one.
 * journal_last: how many rows this journal appended since it was opened.
 * put_snapshot, tidy, remove_rows, scrub: the publisher's. read_rows: refused (pg_dump keeps a copy).
 * *out is NULL, and `fault` says why, unless SOTTO_OK. */
SOTTO_CHECK sotto_status postgres_journal_open(const postgres_settings *settings,
                                               sottod_journal **out, sotto_fault *fault);

/* ---- folding -------------------------------------------------------------------------------- */

/*
 * What a publisher needs of the database: the lock, rows in an order that is always the same, a publish that
 * only one can win, and the removal of what nobody needs. A connection of its own: it shares nothing with
 * that of a gateway, and may be used by another thread.
 *
 * All answer false, and folding_fault says why, when the database is away or its content is at fault. After
 * a fault of the connection the lock is lost: begin again with folding_lock.
 */

typedef struct sottod_folding sottod_folding;

/* Does not connect yet. NULL: no memory. */
sottod_folding *folding_new(const postgres_settings *settings);
void folding_free(sottod_folding *folding);
const char *folding_fault(const sottod_folding *folding);
/* Ends the connection, and with it all locks. */
void folding_hang_up(sottod_folding *folding);

/* Connects if need be. *held: until it is lost, this connection is the housekeeper's: it empties what is closed
 * or deleted, and thins history. It may fold every experiment. */
bool folding_lock(sottod_folding *folding, bool *held);
/* Whether there is a connection, with the locks that it had. After another function answered false: if so, not the
 * connection is at fault, but the content of the database, or what was asked. */
bool folding_holds(const sottod_folding *folding);

/* Experiments are folded by one connection each. Tries to be that of these, which are not; never waits. */
bool folding_take(sottod_folding *folding, const uint32_t *experiment, uint32_t count);
bool folding_is_mine(const sottod_folding *folding, uint32_t experiment);
/* Lets one go, for others. */
bool folding_leave(sottod_folding *folding, uint32_t experiment);
/* How many connections fold, with this one. */
bool folding_crew(sottod_folding *folding, uint32_t *crew);

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
    journal_kind kind; /* not JOURNAL_REPORTS */
    uint64_t minute;
    journal_counts counts; /* of all rows in the cut */
    journal_bytes learner; /* sotto_learner_encode */
    journal_bytes results; /* the column `told`: published_encode; may be empty */
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
/* Experiments of which rows became durable since it was asked last, or (`anew`) at all: `take` may be called twice for one. */
bool folding_arrivals(sottod_folding *folding, bool anew,
                      bool (*take)(void *self, uint32_t experiment), void *self);
/* For how long each experiment was not published, or was not there: by the clock of the database, so that nobody who
 * starts again begins to count anew. Of one, or (0) of all, by number; deleted ones may be among them. */
bool folding_read_pace(sottod_folding *folding, uint32_t only,
                       bool (*take)(void *self, uint32_t experiment, uint64_t elapsed_ms),
                       void *self);
/* What waits for the epoch was folded, and so many of it count, too few for its end: gateways make place for more. */
bool folding_tell_look(sottod_folding *folding, uint32_t experiment, uint32_t epoch,
                       uint64_t distinct);
/* Rows after `from` up to `to`, by gateway and then gseq: the order in which they count. Rows that were dropped
 * (all of them are in the cut of a model) are passed over. Chains are checked, from `from` or the last one dropped.
 * Rows come in pieces: memory does not grow with their number. row->seq is gseq. */
bool folding_read_rows(sottod_folding *folding, uint32_t experiment, const folding_cut *from,
                       const folding_cut *to, bool (*take)(void *self, const journal_row *),
                       void *self);

/* Inserts the model and its history, durable, and wakes all gateways; the epoch is not held any more. *fenced:
 * another publisher published this epoch, or what was decided of it is not `decided` any more, or the experiment is closed;
 * nothing was written.
 * Refused without the lock of the experiment, unless `by_force` (for tests of the fence). */
bool folding_publish(sottod_folding *folding, const folding_model *model,
                     const journal_history *history, bool by_force, bool *fenced);
/* The current epoch of an experiment is held, until somebody decides (journal_decide). *fenced: another publisher
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
/* As of a gateway: for a publisher that closes an experiment which cannot go on. */
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
