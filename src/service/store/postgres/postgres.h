/* What other rooms may use from this one. */
#ifndef SOTTO_SERVICE_POSTGRES_ROOM_H
#define SOTTO_SERVICE_POSTGRES_ROOM_H

#include "service/store/store.h"

/* ---- postgres ------------------------------------------------------------------------------- */

/*
 * The journal in PostgreSQL, for a service on several machines. Any number of gateways append reports; one publisher
 * at a time folds and publishes an experiment. Only this room uses libpq. docs/formats.md has the tables, their
 * digests, and how to recompute a model from them.
 *
 *   format       one row: the format of the tables
 *   gateway      one row per connection that ever appended: its number, never used again
 *   experiment   as in the SQLite journal, and `slab`, the partition that currently takes its rows
 *   journal      (experiment, gateway, gseq, slab, epoch, reports, frames, digest): one row per experiment in a
 *                group commit. gseq = 1, 2, … without gaps for each experiment and gateway. The rows of one
 *                experiment and gateway form a chain: digest = SHA-256(digest of the previous row | the row).
 *                Partitioned by experiment and slab: a partition is dropped whole, so that nothing is left of it
 *   removed      (experiment, gateway): the last removed row and its digest, where the chain of the rest begins
 *   model        one row per publish; the primary key (experiment, epoch) is the fence. cut = gseq and digest of the
 *                last folded row of each gateway; counts, the learner after the publish, the published
 *                measurements, the minute, kind (publish or discard); digest chained to the previous model
 *   history      as in the SQLite journal
 *   held         one row per experiment whose epoch the watch holds back, and the decision about it
 *   ended        one row per closed experiment: its reports after the last model
 *   pace         one row per experiment: when it was published, and how many waiting reports a publisher counted
 *   arrival      one row per experiment and gateway: the last row, so that publishers find new ones
 *
 * A gateway is a connection: it holds an advisory lock on its number as long as it lasts, and a new connection is a
 * new gateway. So a gateway whose lock is free never appends again.
 *
 * A commit whose answer is lost with the connection may or may not be durable: the reports are answered with 503,
 * devices send them again, and the publisher finds the duplicates.
 *
 * The server must keep what it acknowledges: fsync, full_page_writes or synchronous_commit off are refused. */

typedef struct postgres_settings {
    /* postgresql://… or postgres://…, as libpq reads it; passwords are never shown */
    const char *url;
    /* for one answer, after which the connection is closed; 100 to 600,000 */
    uint32_t timeout_ms;
} postgres_settings;

/* A gateway's journal (store.h). Makes the tables if there are none. The first connection must succeed; later ones
 * are made again, at most once a second, when there is something to write or to read.
 * - It appends only rows of reports; journal_row.seq is gseq. Rows are sent by journal_commit, in one round trip. If an
 *   experiment was closed or deleted meanwhile, journal_commit (or a change after the row) returns false, nothing of
 *   the transaction is kept, and journal_changed is true. The same holds if a state or an id is refused because of
 *   another gateway's change. A closed experiment cannot be reopened. Terms must be those of sotto_terms_encode.
 * - journal_changed is also true, at most once a second, while there is no connection: reading makes a new one.
 * - journal_last: how many rows this journal appended since it was opened.
 * - put_snapshot, tidy, remove_rows, scrub: only publishers do this. read_rows is refused (pg_dump makes copies).
 * *out is NULL, and `fault` says why, unless SOTTO_OK. */
SOTTO_CHECK sotto_status postgres_journal_open(const postgres_settings *settings,
                                               sottod_journal **out, sotto_fault *fault);

/* ---- folding -------------------------------------------------------------------------------- */

/*
 * What a publisher needs from the database: the lock, rows in a reproducible order, a publish that only one
 * publisher can win, and the removal of what is no longer needed. It is a connection of its own: it shares nothing
 * with a gateway's connection and may be used by another thread.
 *
 * All functions return false if the database is unreachable or its content is at fault; folding_fault says why.
 * After a fault of the connection the lock is lost: begin again with folding_lock. */

typedef struct sottod_folding sottod_folding;

/* Does not connect yet. NULL: no memory. */
sottod_folding *folding_new(const postgres_settings *settings);
void folding_free(sottod_folding *folding);
const sotto_fault *folding_fault(const sottod_folding *folding);
/* Ends the connection, and with it all locks. */
void folding_hang_up(sottod_folding *folding);

/* Connects if needed. *held: until this connection is lost, it is the housekeeper's: it removes the data of closed
 * and deleted experiments and thins history. It may fold every experiment. */
bool folding_lock(sottod_folding *folding, bool *held);
/* Whether there is a connection, with the locks that it had. If so after another function returned false, the cause
 * is not the connection but the content of the database or the arguments. */
bool folding_holds(const sottod_folding *folding);

/* Each experiment is folded by one connection at a time. Tries to take these, which this connection does not have.
 * Never waits. */
bool folding_take(sottod_folding *folding, const uint32_t *experiment, uint32_t count);
bool folding_is_mine(const sottod_folding *folding, uint32_t experiment);
/* Releases one, so that others can take it. */
bool folding_leave(sottod_folding *folding, uint32_t experiment);
/* How many connections fold, including this one. */
bool folding_crew(sottod_folding *folding, uint32_t *crew);

/* The last folded row of each gateway. Sorted by gateway. Gateways that have ended and have no rows left in the
 * database are left out. */
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
    /* the epoch that it opened; 0: no model yet, the learner is `start`, the cut is empty */
    uint32_t epoch;
    journal_kind kind; /* not JOURNAL_REPORTS */
    uint64_t minute;
    journal_counts counts; /* of all rows in the cut */
    journal_bytes learner; /* sotto_learner_encode */
    journal_bytes results; /* the column `told`: published_encode; may be empty */
    folding_cut cut;
    /* For folding_publish: the decision on a held epoch that it carries out; JOURNAL_REPORTS: none. */
    journal_kind decided;
} folding_model;

/* All experiments, including deleted and damaged ones, with their current state. */
bool folding_read_experiments(sottod_folding *folding,
                              bool (*take)(void *self, const journal_experiment *), void *self);
/* The existing models of an experiment from epoch `from` on, oldest first. */
bool folding_read_models(sottod_folding *folding, uint32_t experiment, uint32_t from,
                         bool (*take)(void *self, const folding_model *), void *self);

/* What waits: the last durable row of each gateway, as a cut, and the number of reports after `from`. The cost
 * depends on the rows that came since the last call. *cut is valid until the next call. */
bool folding_waiting(sottod_folding *folding, uint32_t experiment, const folding_cut *from,
                     const folding_cut **cut, uint64_t *reports);
/* Experiments with rows that became durable since the last call, or (`anew`) with any rows. `take` may be called
 * twice for one experiment. */
bool folding_arrivals(sottod_folding *folding, bool anew,
                      bool (*take)(void *self, uint32_t experiment), void *self);
/* How long ago each experiment was published or created, by the clock of the database, so that a restart does not
 * begin to count anew. For one experiment, or (0) for all by number; deleted ones may be among them. */
bool folding_read_pace(sottod_folding *folding, uint32_t only,
                       bool (*take)(void *self, uint32_t experiment, uint64_t elapsed_ms),
                       void *self);
/* Stores that the reports waiting for the epoch were folded and that so many of them count, too few to end it:
 * gateways then accept more. */
bool folding_tell_look(sottod_folding *folding, uint32_t experiment, uint32_t epoch,
                       uint64_t distinct);
/* Rows after `from` up to `to`, by gateway and then gseq: the order in which they count. Dropped rows (all in the cut
 * of a model) are skipped. Chains are checked, from `from` or the last dropped row on. Rows are read in portions, so
 * that memory does not grow with their number. row->seq is gseq. */
bool folding_read_rows(sottod_folding *folding, uint32_t experiment, const folding_cut *from,
                       const folding_cut *to, bool (*take)(void *self, const journal_row *),
                       void *self);

/* Inserts the model and its history, durably, and wakes all gateways; the epoch is no longer held. *fenced: another
 * publisher published this epoch, or the decision about it is no longer `decided`, or the experiment is closed;
 * nothing was written. Refused without the lock of the experiment, unless `by_force` (for tests of the fence). */
bool folding_publish(sottod_folding *folding, const folding_model *model,
                     const journal_history *history, bool by_force, bool *fenced);
/* Holds the current epoch of an experiment until its owner decides (journal_decide). *fenced: another publisher
 * published it; nothing was written. */
bool folding_hold(sottod_folding *folding, const journal_held *held, bool *fenced);
/* All rows of the table `held`, by experiment; the epochs may no longer be held. */
bool folding_read_held(sottod_folding *folding, bool (*take)(void *self, const journal_held *),
                       void *self);
/* Stores the reports that came after the last model of a closed experiment: no epoch ends with them, but they are in
 * the counts and in the learner, durably, up to a cut. `epoch` is that of the last model; 0: none. *fenced: the
 * experiment is not closed, was deleted, or this was done before; nothing was written. */
bool folding_end(sottod_folding *folding, const folding_model *ended, bool *fenced);
/* `take` is called once, or not at all. */
bool folding_read_ended(sottod_folding *folding, uint32_t experiment,
                        bool (*take)(void *self, const folding_model *), void *self);
/* Afterwards no report of an experiment that is already closed becomes durable. Never waits long for a gateway: if
 * *busy, try again. */
bool folding_settle(sottod_folding *folding, bool *busy);
/* As for a gateway; used by a publisher to close an experiment that cannot continue. */
bool folding_set_state(sottod_folding *folding, uint32_t experiment, journal_state state);

/* Opens a new slab if the present one has this many bytes or is this old. Drops slabs of which every row is in `cut`
 * (of a durable model) and of an epoch before `oldest_open`; models before `keep_models_from`; everything of deleted
 * experiments; entries of gateways that ended. keep_reports: drops nothing of experiments that are not deleted. Never
 * waits long for a gateway: what is busy is left for the next call; if it belongs to a closed or deleted experiment,
 * the function returns false. */
typedef struct folding_retention {
    uint64_t slab_bytes_max;
    uint32_t slab_s_max;
    bool keep_reports;
} folding_retention;
bool folding_retain(sottod_folding *folding, uint32_t experiment, const folding_retention *rule,
                    const folding_cut *cut, uint32_t oldest_open, uint32_t keep_models_from);
bool folding_thin_history(sottod_folding *folding, uint64_t before_minute);

/* Waits until something changed (an experiment was created, a state was set) or the time is over; *changed says
 * which. */
bool folding_wait(sottod_folding *folding, int timeout_ms, bool *changed);

#endif
