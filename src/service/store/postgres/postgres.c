/* A gateway's journal. Rows of a transaction are queued and sent at its end: a group commit is one round trip. If the
 * database refuses a row (its experiment was closed or deleted meanwhile), journal_commit fails at the latest. */
#include "inner.h"
#include "service/store/store.h"
#include "service/system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_PARTITION "23514"
#define NO_GATEWAY "23502"
#define IS_THERE "23505"
#define DISK_PART 1000u /* measuring the database takes at most 1/1000 of the time */

/* Where the rows of one experiment end, now and before the transaction. */
typedef struct gateway_log {
    uint64_t gseq, gseq_before;
    uint8_t digest[JOURNAL_DIGEST_BYTES], digest_before[JOURNAL_DIGEST_BYTES];
    uint32_t next_touched;
    bool touched;
} gateway_log;

typedef struct gateway {
    sottod_journal journal; /* must be first */
    postgres_connection connection;
    uint32_t number; /* of this connection */
    gateway_log *log;
    uint32_t logs, touched;   /* touched: head of a list, by number; 0: empty */
    postgres_refused *queued; /* the queued rows */
    uint32_t queued_count, queued_room;
    postgres_refused refused; /* the row of the last failed commit */
    bool begun, failed;
    uint64_t rows, rows_before; /* since the journal was opened */
    uint64_t commits, commit_us;
    uint64_t disk_bytes, disk_ms; /* not measured again before disk_ms */
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

/* Connects if needed: as a new gateway, whose rows begin at 1. */
static bool connect_gateway(gateway *self)
{
    bool is_new;
    postgres_connection *connection = &self->connection;
    if (!postgres__session(connection, true, &is_new)) return false;
    if (!is_new) return true;
    if (!postgres__number_gateway(connection, &self->number) ||
        !postgres__prepare_append(connection)) {
        postgres__drop(connection);
        return false;
    }
    if (self->logs > 0) memset(self->log, 0, self->logs * sizeof *self->log);
    self->touched = 0;
    return true;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Reading happens between transactions, because its queries would mix with those queued. */
static bool may_read(gateway *self)
{
    if (self->begun)
        return postgres__refuse(&self->connection, "the journal was read inside a transaction");
    return connect_gateway(self);
}

/* The server reads the size of each file of the database while all requests wait. So if it was slow, it is asked
 * rarely, and an answer that does not come in time is left out. */
static bool measure_disk(gateway *self)
{
    postgres_connection *connection = &self->connection;
    uint64_t now_ms = clock_steady_ms();
    const uint32_t limit_ms = self->disk_ms == 0 ? 500 : 40; /* no request waits at startup */
    if (now_ms < self->disk_ms) return true;
    if (!postgres__database_bytes(connection, limit_ms, &self->disk_bytes))
        postgres__rollback(connection);
    self->disk_ms = now_ms + DISK_PART * (clock_steady_ms() - now_ms);
    return connection->pg != NULL;
}

static bool read_experiments(sottod_journal *journal,
                             bool (*take)(void *self, const journal_experiment *), void *self)
{
    gateway *gate = of(journal);
    return may_read(gate) && measure_disk(gate) &&
           postgres__read_experiments(&gate->connection, take, self);
}

static bool read_news(sottod_journal *journal, uint32_t only,
                      bool (*take)(void *self, const journal_news *), void *self)
{
    gateway *gate = of(journal);
    return may_read(gate) && postgres__read_news(&gate->connection, only, take, self);
}

static int fd(const sottod_journal *journal)
{
    const gateway *self = (const gateway *)journal;
    return self->connection.pg == NULL ? -1 : PQsocket(self->connection.pg);
}

static bool read_waiting(sottod_journal *journal, const uint32_t *experiment, uint32_t count,
                         uint64_t *reports)
{
    gateway *gate = of(journal);
    /* Must not wait for a new connection. */
    return fd(journal) >= 0 && may_read(gate) &&
           postgres__read_waiting(&gate->connection, experiment, count, reports);
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
        .results = model->results,
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
    /* If the final snapshot is unreadable, the publisher reports it; the last model is still good. */
    if (done && !postgres__read_ended(&gate->connection, experiment, take_ended, &reading))
        done = gate->connection.pg != NULL && !reading.refused;
    *found = reading.found;
    return done;
}

static bool read_span(sottod_journal *journal, const journal_span *span,
                      bool (*take)(void *self, const journal_history *), void *self)
{
    gateway *gate = of(journal);
    return may_read(gate) && postgres__read_span(&gate->connection, span, take, self);
}

static bool read_rows(sottod_journal *journal, uint32_t experiment, uint64_t after,
                      bool (*take)(void *self, const journal_row *), void *self)
{
    (void)experiment, (void)after, (void)take, (void)self;
    return postgres__refuse(
        &of(journal)->connection,
        "PostgreSQL: export works only for a closed experiment whose reports "
        "are all counted, and only without --with-reports; use pg_dump for a copy "
        "of the database");
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

/* Sends what is queued: BEGIN if any, then rows, then this many other queries. */
static bool run_queued(gateway *self, int others)
{
    postgres_connection *connection = &self->connection;
    int first = connection->queued - (int)self->queued_count - others;
    bool done = postgres__run(connection, NULL, NULL);
    int row = connection->failed_at - first;
    bool is_row = !done && row >= 0 && row < (int)self->queued_count;
    if (!done && self->queued_count > 0) self->refused = self->queued[is_row ? row : 0];
    /* The stored rows differ from those known here, so no later row of this gateway could be accepted. */
    if (is_row && (strcmp(connection->sqlstate, NO_GATEWAY) == 0 ||
                   strcmp(connection->sqlstate, IS_THERE) == 0)) {
        postgres__drop(connection);
        postgres__refuse(
            connection,
            "gateway %u is missing from the tables or has other rows there (a restored copy?), or "
            "the server now has fsync or full_page_writes off; sottod reconnects",
            self->number);
    }
    if (is_row && strcmp(connection->sqlstate, NO_PARTITION) == 0) {
        connection->changed = true;
        postgres__refuse(connection,
                         "experiment %u accepts no reports now: it does not exist, was closed or "
                         "deleted meanwhile, or began a new slab",
                         self->queued[row].experiment);
    }
    self->queued_count = 0;
    return done || fail(self);
}

/* Called before a change that queries the database at once. */
static bool is_ready(gateway *self)
{
    return may_change(self) && (self->queued_count == 0 || run_queued(self, 0)) &&
           (postgres__keeps(&self->connection) || fail(self));
}

/* Ends the transaction in memory: keeps the new values or restores the old ones. */
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
    if (!list_grow(&self->queued, self->queued_count, &self->queued_room, sizeof *self->queued))
        return postgres__refuse(&self->connection, "no memory for a row");
    self->queued[self->queued_count++] = (postgres_refused){row->experiment, row->frames.bytes};
    return true;
}

static bool append(sottod_journal *journal, journal_row *row)
{
    gateway *self = of(journal);
    if (!may_change(self)) return false;
    if (row->kind != JOURNAL_REPORTS) {
        postgres__refuse(&self->connection,
                         "a gateway appended a row of kind %u: allowed 0 (reports); only the "
                         "publisher appends others",
                         (unsigned)row->kind);
        return fail(self);
    }
    gateway_log *log = log_of(self, row->experiment);
    if (log == NULL) return fail(self);
    journal_row next = *row;
    next.seq = log->gseq + 1;
    postgres__digest_row(log->digest, self->number, &next, log->digest);
    log->gseq = next.seq;
    /* Each row gets the next tick; a row that is taken back was never visible. */
    if (!postgres__queue_append(&self->connection, self->number, self->rows + 1, &next,
                                log->digest) ||
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
    return is_ready(self) &&
           (postgres__set_quarantine(&self->connection, experiment, quarantine) || fail(self));
}

static bool set_access(sottod_journal *journal, uint32_t experiment, const char *labels,
                       const uint8_t *report_key)
{
    gateway *self = of(journal);
    return is_ready(self) &&
           (postgres__set_access(&self->connection, experiment, labels, report_key) || fail(self));
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

/* ---- what the publisher does ----------------------------------------------------------------- */

static bool is_the_publishers(gateway *self, const char *what)
{
    postgres__refuse(&self->connection, "a gateway cannot %s; only the publisher can", what);
    if (self->begun) fail(self);
    return false;
}

static bool put_snapshot(sottod_journal *journal, const journal_snapshot *snapshot)
{
    (void)snapshot;
    return is_the_publishers(of(journal), "write snapshots");
}

static bool tidy(sottod_journal *journal, uint64_t before_minute, bool *more)
{
    (void)before_minute, (void)more;
    return is_the_publishers(of(journal), "thin the history");
}

static bool remove_rows(sottod_journal *journal, uint32_t experiment, uint64_t seq)
{
    (void)experiment, (void)seq;
    return is_the_publishers(of(journal), "remove rows");
}

static bool scrub(sottod_journal *journal)
{
    return is_the_publishers(of(journal), "scrub");
}

/* ---- the rest ----------------------------------------------------------------------------- */

/* Tries a row like the one that was refused last, if any was. */
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

static const sotto_fault *fault_of(const sottod_journal *journal)
{
    return &((const gateway *)journal)->connection.fault;
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

/* Without a connection, anything may have changed; the next reader makes a new one, at most once a second. */
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

static bool changed_one(sottod_journal *journal, uint32_t *experiment)
{
    postgres_connection *connection = &of(journal)->connection;
    if (connection->named_count == 0) return false;
    *experiment = connection->named[--connection->named_count];
    return true;
}

/* The gateway number of the present connection, or of the last one. */
static uint64_t session(const sottod_journal *journal)
{
    return ((const gateway *)journal)->number;
}

static const journal_table table = {
    .close = end,
    .fault = fault_of,
    .reason = reason,
    .last = last,
    .disk_bytes = disk_bytes,
    .commits = commits,
    .read_experiments = read_experiments,
    .read_snapshot = read_snapshot,
    .read_rows = read_rows,
    .read_span = read_span,
    .begin = begin,
    .commit = commit,
    .abandon = take_back,
    .add_experiment = add_experiment,
    .set_state = set_state,
    .set_quarantine = set_quarantine,
    .set_access = set_access,
    .append = append,
    .put_snapshot = put_snapshot,
    .add_history = add_history,
    .tidy = tidy,
    .remove_rows = remove_rows,
    .probe = probe,
    .scrub = scrub,
    .read_news = read_news,
    .read_waiting = read_waiting,
    .session = session,
    .decide = decide,
    .end_fallback = end_fallback,
    .fd = fd,
    .changed = changed,
    .changed_one = changed_one,
};

sotto_status postgres_journal_open(const postgres_settings *settings, sottod_journal **out,
                                   sotto_fault *fault)
{
    *out = NULL;
    gateway *self = calloc(1, sizeof *self);
    if (self == NULL) {
        (void)sotto__refuse(fault, "no memory for a journal");
        return SOTTO_E_MEMORY;
    }
    self->journal.table = &table;
    if (!postgres__init(&self->connection, settings) || !connect_gateway(self)) {
        *fault = self->connection.fault;
        end(&self->journal);
        return SOTTO_E_FAULT;
    }
    *out = &self->journal;
    return SOTTO_OK;
}
