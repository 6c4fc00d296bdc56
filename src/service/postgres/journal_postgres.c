/*
 * A gateway's journal. Rows of a transaction are queued, and go out with its end: a group commit is one
 * round trip. So a row that the database does not take (its experiment was closed or deleted meanwhile) shows
 * in journal_commit at the latest.
 */
#include "column.h"
#include "connection.h"
#include "decide_held.h"
#include "ended_rows.h"
#include "experiment_rows.h"
#include "gateway_number.h"
#include "history_rows.h"
#include "model_rows.h"
#include "news_rows.h"
#include "row_digest.h"
#include "service/journal/journal_table.h"
#include "service/system/clock.h"
#include "session.h"
#include "slab.h"
#include "try_append.h"
#include "waiting_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define NO_PARTITION "23514"
#define NO_GATEWAY "23502"
#define IS_THERE "23505"

/* The rows of one experiment: where they end, and where they ended before the transaction. */
typedef struct gateway_log {
    uint64_t gseq, gseq_before;
    uint8_t digest[JOURNAL_DIGEST_BYTES], digest_before[JOURNAL_DIGEST_BYTES];
    uint32_t next_touched;
    bool touched;
} gateway_log;

typedef struct gateway {
    sottod_journal journal; /* first */
    postgres_connection connection;
    uint32_t number; /* of this connection */
    gateway_log *log;
    uint32_t logs, touched;   /* touched: a list, by number; 0: none */
    postgres_refused *queued; /* the rows that are queued */
    uint32_t queued_count, queued_room;
    postgres_refused refused; /* as the last commit that failed had it */
    bool begun, failed;
    uint64_t rows, rows_before; /* since it was opened */
    uint64_t commits, commit_us, disk_bytes;
} gateway;

static gateway *of(sottod_journal *journal)
{
    return (gateway *)journal;
}

static bool fail(gateway *self)
{
    self->failed = true;
    return false;
}

/* ---- the connection ------------------------------------------------------------------------ */

/* The slab is the database's. Without one there is no partition, and the row is refused. So it is if the gateway is not
 * in its table, as after a restore: nobody would ever fold it; and if the server no longer keeps what it
 * acknowledges. */
#define APPEND                                                                                     \
    "INSERT INTO journal (experiment, gateway, gseq, slab, epoch, reports, late, duplicate, "      \
    "conflicting, frames, digest) SELECT $1::bigint, (SELECT number FROM gateway WHERE number = "  \
    "$2::bigint AND " POSTGRES_KEEPS "), $3::bigint, e.slab, $4::bigint, "                         \
    "coalesce(octet_length($8::bytea) / e.report_bytes, 0), $5::bigint, $6::bigint, $7::bigint, "  \
    "$8::bytea, $9::bytea FROM (SELECT 1) AS one LEFT JOIN experiment AS e ON e.number = $1 AND "  \
    "e.state < 2"

/* Connects if need be: as a new gateway, whose rows begin at 1. */
static bool connect_gateway(gateway *self)
{
    bool is_new;
    postgres_connection *connection = &self->connection;
    if (!postgres__session(connection, true, &is_new)) return false;
    if (!is_new) return true;
    if (!postgres__number_gateway(connection, &self->number) ||
        !postgres__prepare(connection, "append", APPEND)) {
        postgres__drop(connection);
        return false;
    }
    if (self->logs > 0) memset(self->log, 0, self->logs * sizeof *self->log);
    self->touched = 0;
    return true;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Reading is done between transactions: what is queued would mix with it. */
static bool may_read(gateway *self)
{
    if (self->begun)
        return postgres__refuse(&self->connection, "the journal was read inside a transaction");
    return connect_gateway(self);
}

static bool take_disk_bytes(void *self, int question, const PGresult *result)
{
    (void)question;
    return postgres__column_u64(result, 0, 0, self);
}

static bool read_experiments(sottod_journal *journal,
                             bool (*take)(void *self, const journal_experiment *), void *self)
{
    gateway *gate = of(journal);
    return may_read(gate) &&
           postgres__ask(&gate->connection, "SELECT pg_database_size(current_database())", NULL, 0,
                         take_disk_bytes, &gate->disk_bytes) &&
           postgres__read_experiments(&gate->connection, take, self);
}

static bool read_news(sottod_journal *journal, bool (*take)(void *self, const journal_news *),
                      void *self)
{
    gateway *gate = of(journal);
    return may_read(gate) && postgres__read_news(&gate->connection, take, self);
}

static bool read_waiting(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                         uint64_t *reports)
{
    gateway *gate = of(journal);
    return may_read(gate) && postgres__read_waiting(&gate->connection, experiment, count, reports);
}

typedef struct snapshot_reading {
    bool (*take)(void *self, const journal_snapshot *);
    void *self;
    bool found, refused;
} snapshot_reading;

static bool take_model(void *self, const folding_model *model)
{
    snapshot_reading *reading = self;
    const journal_snapshot snapshot = {
        .experiment = model->experiment,
        .seq = model->epoch,
        .counts = model->counts,
        .learner = model->learner,
        .told = model->told,
    };
    reading->found = true;
    return reading->take(reading->self, &snapshot);
}

static bool take_ended(void *self, const folding_model *ended)
{
    snapshot_reading *reading = self;
    const journal_snapshot snapshot = {
        .experiment = ended->experiment,
        .seq = ended->epoch,
        .counts = ended->counts,
        .learner = ended->learner,
        .ended = true,
    };
    reading->found = true;
    reading->refused = !reading->take(reading->self, &snapshot);
    return !reading->refused;
}

static bool read_snapshot(sottod_journal *journal, uint32_t experiment,
                          bool (*take)(void *self, const journal_snapshot *), void *self,
                          bool *found)
{
    gateway *gate = of(journal);
    snapshot_reading reading = {.take = take, .self = self};
    *found = false;
    bool done =
        may_read(gate) && postgres__read_models(&gate->connection, experiment, POSTGRES_MODEL_LAST,
                                                0, take_model, &reading);
    /* What cannot be read of its end is the folder's to say: the last model is good. */
    if (done && !postgres__read_ended(&gate->connection, experiment, take_ended, &reading))
        done = gate->connection.pg != NULL && !reading.refused;
    *found = reading.found;
    return done;
}

static bool read_history(sottod_journal *journal, uint32_t experiment,
                         bool (*take)(void *self, const journal_history *), void *self)
{
    gateway *gate = of(journal);
    return may_read(gate) &&
           postgres__read_history(&gate->connection, experiment, 0, INT64_MAX, take, self);
}

static bool read_rows(sottod_journal *journal, uint32_t experiment, uint64_t after,
                      bool (*take)(void *self, const journal_row *), void *self)
{
    (void)experiment;
    (void)after;
    (void)take;
    (void)self;
    return postgres__refuse(&of(journal)->connection,
                            "rows of a shared journal are read by its folder alone; pg_dump keeps "
                            "a copy of them");
}

/* ---- transactions ------------------------------------------------------------------------- */

static bool begin(sottod_journal *journal)
{
    gateway *self = of(journal);
    if (self->begun) return postgres__refuse(&self->connection, "a transaction is open already");
    if (!connect_gateway(self) || !postgres__queue(&self->connection, "BEGIN", NULL, 0))
        return false;
    self->begun = true;
    self->failed = false;
    self->queued_count = 0;
    self->rows_before = self->rows;
    return true;
}

static bool may_change(gateway *self)
{
    if (!self->begun)
        return postgres__refuse(&self->connection,
                                "the journal was changed outside of a transaction");
    return !self->failed;
}

/* Sends what is queued: perhaps BEGIN, then rows, then so many other questions. */
static bool run_queued(gateway *self, int others)
{
    postgres_connection *connection = &self->connection;
    int first = connection->queued - (int)self->queued_count - others;
    bool done = postgres__run(connection, NULL, NULL);
    int row = connection->failed_at - first;
    bool is_row = !done && row >= 0 && row < (int)self->queued_count;
    if (!done && self->queued_count > 0) self->refused = self->queued[is_row ? row : 0];
    /* Its rows are not those that are known here: no row of it could be taken again. */
    if (is_row && (strcmp(connection->sqlstate, NO_GATEWAY) == 0 ||
                   strcmp(connection->sqlstate, IS_THERE) == 0)) {
        postgres__drop(connection);
        postgres__refuse(connection,
                         "gateway %u is not in the tables, or has other rows there, as if they "
                         "were restored, or the server has fsync or full_page_writes off now: it "
                         "connects again",
                         self->number);
    }
    if (is_row && strcmp(connection->sqlstate, NO_PARTITION) == 0) {
        connection->changed = true;
        postgres__refuse(connection,
                         "experiment %u takes no reports now: it is not there, was closed or "
                         "deleted meanwhile, or began a new slab",
                         self->queued[row].experiment);
    }
    self->queued_count = 0;
    return done || fail(self);
}

/* Before a change that asks at once. */
static bool is_ready(gateway *self)
{
    return may_change(self) && (self->queued_count == 0 || run_queued(self, 0)) &&
           (postgres__keeps(&self->connection) || fail(self));
}

/* Ends the transaction in memory: what is new stays, or what was comes back. */
static void settle(gateway *self, bool keeps)
{
    for (uint32_t number = self->touched; number != 0;) {
        gateway_log *log = &self->log[number - 1];
        if (!keeps) {
            log->gseq = log->gseq_before;
            memcpy(log->digest, log->digest_before, sizeof log->digest);
        }
        log->touched = false;
        number = log->next_touched;
    }
    self->touched = 0;
    self->queued_count = 0;
    if (!keeps) self->rows = self->rows_before;
    self->begun = self->failed = false;
}

static bool commit(sottod_journal *journal)
{
    gateway *self = of(journal);
    if (!may_change(self)) return false;
    uint64_t start_us = clock_steady_us();
    if (!postgres__queue(&self->connection, "COMMIT", NULL, 0)) return fail(self);
    if (!run_queued(self, 1)) return false;
    settle(self, true);
    self->commits++;
    self->commit_us = clock_steady_us() - start_us;
    return true;
}

static void take_back(sottod_journal *journal)
{
    gateway *self = of(journal);
    if (!self->begun) return;
    postgres__rollback(&self->connection);
    settle(self, false);
}

/* ---- changes ------------------------------------------------------------------------------ */

static gateway_log *log_of(gateway *self, uint32_t experiment)
{
    if (experiment == 0 || experiment > POSTGRES_EXPERIMENTS_MAX) {
        postgres__refuse(&self->connection, "there is no experiment %u", experiment);
        return NULL;
    }
    if (experiment > self->logs) {
        uint32_t logs = experiment < 16 ? 32 : experiment * 2;
        gateway_log *log = realloc(self->log, logs * sizeof *log);
        if (log == NULL) {
            postgres__refuse(&self->connection, "no memory for the rows of experiment %u",
                             experiment);
            return NULL;
        }
        memset(log + self->logs, 0, (logs - self->logs) * sizeof *log);
        self->log = log;
        self->logs = logs;
    }
    gateway_log *log = &self->log[experiment - 1];
    if (log->touched) return log;
    log->touched = true;
    log->gseq_before = log->gseq;
    memcpy(log->digest_before, log->digest, sizeof log->digest);
    log->next_touched = self->touched;
    self->touched = experiment;
    return log;
}

static bool remember(gateway *self, const journal_row *row)
{
    if (self->queued_count == self->queued_room) {
        uint32_t room = self->queued_room == 0 ? 32 : self->queued_room * 2;
        postgres_refused *queued = realloc(self->queued, room * sizeof *queued);
        if (queued == NULL) return postgres__refuse(&self->connection, "no memory for a row");
        self->queued = queued;
        self->queued_room = room;
    }
    self->queued[self->queued_count++] = (postgres_refused){row->experiment, row->frames.bytes};
    return true;
}

static bool append(sottod_journal *journal, journal_row *row)
{
    gateway *self = of(journal);
    if (!may_change(self)) return false;
    if (row->kind != JOURNAL_REPORTS) {
        postgres__refuse(&self->connection,
                         "a gateway appended a row of kind %u: allowed is 0, reports; publishes "
                         "are the folder's",
                         (unsigned)row->kind);
        return fail(self);
    }
    gateway_log *log = log_of(self, row->experiment);
    if (log == NULL) return fail(self);
    journal_row next = *row;
    next.seq = log->gseq + 1;
    postgres__digest_row(log->digest, self->number, &next, log->digest);
    log->gseq = next.seq;
    const postgres_value value[] = {
        POSTGRES_U(next.experiment),
        POSTGRES_U(self->number),
        POSTGRES_U(next.seq),
        POSTGRES_U(next.epoch),
        POSTGRES_U(next.late),
        POSTGRES_U(next.duplicate),
        POSTGRES_U(next.conflicting),
        POSTGRES_BYTES(next.frames.at, next.frames.bytes),
        POSTGRES_BYTES(log->digest, sizeof log->digest),
    };
    if (!postgres__queue_prepared(&self->connection, "append", value, COUNT(value)) ||
        !remember(self, &next))
        return fail(self);
    self->rows++;
    row->seq = next.seq;
    return true;
}

static bool add_experiment(sottod_journal *journal, journal_experiment *experiment)
{
    gateway *self = of(journal);
    if (!is_ready(self)) return false;
    return postgres__add_experiment(&self->connection, experiment) || fail(self);
}

static bool set_state(sottod_journal *journal, uint32_t experiment, journal_state state)
{
    gateway *self = of(journal);
    if (!is_ready(self)) return false;
    return postgres__set_state(&self->connection, experiment, state) || fail(self);
}

static bool set_quarantine(sottod_journal *journal, uint32_t experiment, bool quarantine)
{
    gateway *self = of(journal);
    if (!is_ready(self)) return false;
    return postgres__set_quarantine(&self->connection, experiment, quarantine) || fail(self);
}

static bool decide(sottod_journal *journal, uint32_t experiment, uint32_t epoch,
                   journal_kind decision, bool *held)
{
    gateway *self = of(journal);
    *held = false;
    if (!is_ready(self)) return false;
    return postgres__decide(&self->connection, experiment, epoch, decision, held) || fail(self);
}

static bool end_fallback(sottod_journal *journal, uint32_t experiment, bool *done)
{
    gateway *self = of(journal);
    *done = false;
    if (!is_ready(self)) return false;
    return postgres__end_fallback(&self->connection, experiment, done) || fail(self);
}

static bool add_history(sottod_journal *journal, const journal_history *history)
{
    gateway *self = of(journal);
    if (!is_ready(self)) return false;
    return (postgres__put_history(&self->connection, history) &&
            postgres__run(&self->connection, NULL, NULL)) ||
           fail(self);
}

/* ---- what the folder does ----------------------------------------------------------------- */

static bool is_the_folders(gateway *self, const char *what)
{
    postgres__refuse(&self->connection, "a gateway does not %s: that is the folder's", what);
    if (self->begun) fail(self);
    return false;
}

static bool put_snapshot(sottod_journal *journal, const journal_snapshot *snapshot)
{
    (void)snapshot;
    return is_the_folders(of(journal), "write snapshots");
}

static bool thin_history(sottod_journal *journal, uint64_t before_minute)
{
    (void)before_minute;
    return is_the_folders(of(journal), "thin the history");
}

static bool remove_rows(sottod_journal *journal, uint32_t experiment, uint64_t seq)
{
    (void)experiment;
    (void)seq;
    return is_the_folders(of(journal), "remove rows");
}

static bool scrub(sottod_journal *journal)
{
    return is_the_folders(of(journal), "scrub");
}

/* ---- the rest ----------------------------------------------------------------------------- */

/* A row like the one that was refused last, if there is one that was. */
static bool takes_rows(gateway *self)
{
    if (self->refused.experiment == 0) return true;
    if (!postgres__try_append(&self->connection, self->number, &self->refused)) return false;
    self->refused.experiment = 0;
    return true;
}

static bool probe(sottod_journal *journal)
{
    gateway *self = of(journal);
    if (self->begun)
        return postgres__refuse(&self->connection, "the database cannot be tried in a transaction");
    return connect_gateway(self) &&
           postgres__ask(&self->connection, "UPDATE format SET version = version", NULL, 0, NULL,
                         NULL) &&
           takes_rows(self);
}

static void end(sottod_journal *journal)
{
    gateway *self = of(journal);
    take_back(journal);
    postgres__end(&self->connection);
    free(self->log);
    free(self->queued);
    free(self);
}

static const char *fault_of(const sottod_journal *journal)
{
    return ((const gateway *)journal)->connection.fault;
}

static const char *reason(const sottod_journal *journal)
{
    return postgres__reason(&((const gateway *)journal)->connection);
}

static uint64_t last(const sottod_journal *journal)
{
    const gateway *self = (const gateway *)journal;
    return self->begun ? self->rows_before : self->rows;
}

static uint64_t disk_bytes(const sottod_journal *journal)
{
    return ((const gateway *)journal)->disk_bytes;
}

static uint64_t commits(const sottod_journal *journal, uint64_t *last_us)
{
    const gateway *self = (const gateway *)journal;
    *last_us = self->commit_us;
    return self->commits;
}

static int fd(const sottod_journal *journal)
{
    const gateway *self = (const gateway *)journal;
    return self->connection.pg == NULL ? -1 : PQsocket(self->connection.pg);
}

/* Without a connection anything may have changed: who reads it makes a new one, at most once a second. */
static bool changed(sottod_journal *journal)
{
    gateway *self = of(journal);
    postgres_connection *connection = &self->connection;
    if (!self->begun) postgres__listen(connection);
    if (connection->pg == NULL) return clock_steady_ms() >= connection->retry_ms;
    bool was = connection->changed;
    connection->changed = false;
    return was;
}

static const journal_table table = {
    .shared = true,
    .close = end,
    .fault = fault_of,
    .reason = reason,
    .last = last,
    .disk_bytes = disk_bytes,
    .commits = commits,
    .read_experiments = read_experiments,
    .read_snapshot = read_snapshot,
    .read_rows = read_rows,
    .read_history = read_history,
    .begin = begin,
    .commit = commit,
    .abandon = take_back,
    .add_experiment = add_experiment,
    .set_state = set_state,
    .set_quarantine = set_quarantine,
    .append = append,
    .put_snapshot = put_snapshot,
    .add_history = add_history,
    .thin_history = thin_history,
    .remove_rows = remove_rows,
    .probe = probe,
    .scrub = scrub,
    .read_news = read_news,
    .read_waiting = read_waiting,
    .decide = decide,
    .end_fallback = end_fallback,
    .fd = fd,
    .changed = changed,
};

bool postgres_journal_open(const postgres_settings *settings, sottod_journal **out,
                           char fault[JOURNAL_FAULT_BYTES])
{
    *out = NULL;
    gateway *self = calloc(1, sizeof *self);
    if (self == NULL) {
        snprintf(fault, JOURNAL_FAULT_BYTES, "no memory for a journal");
        return false;
    }
    self->journal.table = &table;
    if (!postgres__init(&self->connection, settings) || !connect_gateway(self)) {
        snprintf(fault, JOURNAL_FAULT_BYTES, "%s", self->connection.fault);
        end(&self->journal);
        return false;
    }
    *out = &self->journal;
    return true;
}
