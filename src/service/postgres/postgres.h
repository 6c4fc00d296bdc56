/*
 * The journal in PostgreSQL, for a service of several machines. Any number of gateways append reports; one
 * folder at a time folds and publishes (folding.h). libpq shows in this room alone. docs/postgres.md has the
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
 *                digest, that was taken of each gateway; counts, the learner after the publish, what is told of
 *                measure rounds, the minute, kind (publish or discard); digest chained to the model before
 *   history      as in the SQLite journal
 *   held         one row per experiment whose epoch the watch holds back, and what was decided of it
 *   ended        one row per closed experiment: what became of its reports after the last model
 *
 * A gateway is a connection: it holds an advisory lock of its number for as long as it lasts, and a new
 * connection is a new gateway. So a gateway whose lock is free never appends again.
 *
 * A commit whose answer is lost with the connection may be durable or not: the reports are answered with 503,
 * devices send them again, and the folder finds the duplicates.
 *
 * The server must keep what it acknowledges: fsync, full_page_writes and synchronous_commit off are refused.
 */
#ifndef SERVICE_POSTGRES_H
#define SERVICE_POSTGRES_H

#include "service/journal/journal.h"

typedef struct postgres_settings {
    const char
        *url; /* postgresql://… or postgres://…, as libpq reads it; passwords are never shown */
    uint32_t timeout_ms; /* of one answer: then the connection is given up; 100 to 600,000 */
} postgres_settings;

/* A gateway's journal (journal_table.h). Makes the tables if there are none. The first connection must
 * work; later ones are made again, at most once a second, when there is something to write or to read.
 * Appends rows of reports only; journal_row.seq is gseq. Rows go out with journal_commit, in one round trip:
 * if an experiment is closed or deleted meanwhile, that (or a change after the row) answers false, nothing of
 * the transaction is kept, and journal_changed is true. So it is if a state or an id is refused because of
 * what another gateway did. Nothing leads back from closed. Terms must be those of sotto_terms_encode.
 * journal_changed is true, at most once a second, also while there is no connection: reading makes a new one.
 * journal_last: how many rows this journal appended since it was opened.
 * put_snapshot, thin_history, remove_rows, scrub: the folder's. read_rows: refused (pg_dump keeps a copy).
 * *out is NULL, and `fault` says why, unless true. */
bool postgres_journal_open(const postgres_settings *settings, sottod_journal **out,
                           char fault[JOURNAL_FAULT_BYTES]);

#endif
