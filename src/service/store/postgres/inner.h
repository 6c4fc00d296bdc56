/* What files of this room share. */
#ifndef SOTTO_SERVICE_POSTGRES_INNER_H
#define SOTTO_SERVICE_POSTGRES_INNER_H

#include "postgres.h"
#include "service/store/store.h"

#include <libpq-fe.h>
#include <stdbool.h>

/* ---- column --------------------------------------------------------------------------------- */

/* Columns of a result in binary form; false if the value is invalid. */

/* bigint; the other functions accept only a part of its range. */
bool postgres__column_i64(const PGresult *result, int row, int column, int64_t *out);
bool postgres__column_u64(const PGresult *result, int row, int column, uint64_t *out);
bool postgres__column_u32(const PGresult *result, int row, int column, uint32_t *out);
bool postgres__column_bool(const PGresult *result, int row, int column, bool *out);
/* Valid as long as the result. */
bool postgres__column_bytes(const PGresult *result, int row, int column, journal_bytes *out);
bool postgres__column_text(const PGresult *result, int row, int column, const char **out);
/* Bytes of exactly this length, copied. */
bool postgres__column_exact(const PGresult *result, int row, int column, uint8_t *out,
                            size_t bytes);

/* ---- connection ----------------------------------------------------------------------------- */

/*
 * A connection to the database, and queries with a time limit on each answer. Queries are queued and sent together
 * (libpq's pipeline), so that any number of them costs one round trip.
 *
 * Functions that return false leave a sentence in `fault`. Messages of libpq and the server are shown without line
 * breaks and without the password. Details from the server are never shown: they may contain a row's content. */

#define POSTGRES_STATE_BYTES 6
#define POSTGRES_RETRY_MS 1000u
#define POSTGRES_NAMED_MAX 256u /* if more experiments have news, all are read */

typedef struct postgres_connection {
    char *url, *password; /* password: "" if the URL has none */
    uint32_t timeout_ms;
    PGconn *pg;        /* NULL: not connected */
    uint64_t retry_ms; /* steady time; no new connection before it */
    /* another connection announced a change, or may have done so while this one was down */
    bool changed;
    /* experiments announced to have a new model */
    uint32_t named[POSTGRES_NAMED_MAX];
    uint32_t named_count;
    bool no_names;                       /* `named` is not needed */
    int queued;                          /* queries since the last run */
    int failed_at;                       /* index of the query that the server refused; -1: none */
    char sqlstate[POSTGRES_STATE_BYTES]; /* of that refusal */
    sotto_fault fault;
} postgres_connection;

/* A parameter of a query. */
typedef enum postgres_kind {
    POSTGRES_NUMBER,
    POSTGRES_BLOB,
    POSTGRES_TEXT,
    POSTGRES_LIST
} postgres_kind;
typedef struct postgres_value {
    postgres_kind kind;
    bool is_signed, is_null;
    uint64_t number;
    journal_bytes blob;
    const char *text; /* for a list: numbers as "{1,2}" */
} postgres_value;
#define POSTGRES_U(x)                                                                              \
    (postgres_value)                                                                               \
    {                                                                                              \
        .kind = POSTGRES_NUMBER, .number = (uint64_t)(x)                                           \
    }
#define POSTGRES_I(x)                                                                              \
    (postgres_value)                                                                               \
    {                                                                                              \
        .kind = POSTGRES_NUMBER, .is_signed = true, .number = (uint64_t)(x)                        \
    }
#define POSTGRES_BYTES(p, n)                                                                       \
    (postgres_value)                                                                               \
    {                                                                                              \
        .kind = POSTGRES_BLOB, .blob = {(p), (n) }                                                 \
    }
#define POSTGRES_STRING(s)                                                                         \
    (postgres_value)                                                                               \
    {                                                                                              \
        .kind = POSTGRES_TEXT, .text = (s)                                                         \
    }
#define POSTGRES_NUMBERS(s)                                                                        \
    (postgres_value)                                                                               \
    {                                                                                              \
        .kind = POSTGRES_LIST, .text = (s)                                                         \
    }
#define POSTGRES_VALUES_MAX 24

/* Copies and checks the settings. Does not connect yet. */
bool postgres__init(postgres_connection *connection, const postgres_settings *settings);
void postgres__end(postgres_connection *connection);

/* Sets the fault. Always false. */
bool postgres__refuse(postgres_connection *connection, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "database NAME at HOST", for a sentence. */
const char *postgres__place(const postgres_connection *connection, char *out, size_t bytes);

/* Connects. Returns false at once if the last attempt was less than a second ago, or, if it failed, less time ago
 * than it took. Does not set up the session. */
bool postgres__connect(postgres_connection *connection);
void postgres__drop(postgres_connection *connection);

/* Queues a query: one statement and its parameters $1, $2, … It is sent with the next run, or earlier. */
bool postgres__queue(postgres_connection *connection, const char *sql, const postgres_value *value,
                     int values);
/* The same for a statement prepared under a name by postgres__prepare. */
bool postgres__prepare(postgres_connection *connection, const char *name, const char *sql);
bool postgres__queue_prepared(postgres_connection *connection, const char *name,
                              const postgres_value *value, int values);

/* Sends what is queued and reads all answers. `take` gets the index of the query (0, 1, …, counting BEGIN and the
 * like) and its result, for queries that return rows, even if there are none. False if a query was refused, if take
 * returned false, or if the connection was lost, which is then closed. take may be NULL. */
typedef bool postgres_take(void *self, int question, const PGresult *result);
bool postgres__run(postgres_connection *connection, postgres_take *take, void *self);
/* The same, but `take` is called for each row as it arrives, in a result of its own. No other rows are kept in
 * memory. */
bool postgres__run_by_rows(postgres_connection *connection, postgres_take *take, void *self);
/* Runs a single query. */
bool postgres__ask(postgres_connection *connection, const char *sql, const postgres_value *value,
                   int values, postgres_take *take, void *self);

/* Ends an open transaction and undoes it. Keeps the fault and sqlstate. */
void postgres__rollback(postgres_connection *connection);

/* Sets `changed` if another connection announced a change; closes a connection that has ended. Does not wait. */
void postgres__listen(postgres_connection *connection);
/* Waits until there is something to read, at most timeout_ms. */
void postgres__wait(postgres_connection *connection, int timeout_ms);

/* ---- cut ------------------------------------------------------------------------------------ */

/* Cuts: the last folded row of each gateway. The head of cut.c has the bytes stored in the table `model`. */

/* The place of a gateway; NULL if the cut has none. */
const folding_place *postgres__cut_find(const folding_cut *cut, uint32_t gateway);
bool postgres__cut_is_same(const folding_cut *one, const folding_cut *other);
/* False: no memory; the cut is unchanged. */
bool postgres__cut_copy(const folding_cut *from, folding_cut *to);
/* Appends a place, which must belong at the end. False: no memory. */
bool postgres__cut_add(folding_cut *cut, const folding_place *place);

size_t postgres__cut_bytes(const folding_cut *cut);
void postgres__cut_encode(const folding_cut *cut, uint8_t *out);
/* False if the bytes are not a cut or there is no memory; *cut is then empty. */
bool postgres__cut_decode(journal_bytes bytes, folding_cut *cut);
/* SOTTO_OK if a cut can be stored: gateways ascend from 1 and no place has gseq 0. */
SOTTO_CHECK sotto_status postgres__cut_fault(const folding_cut *cut, sotto_fault *fault);

/* Its gateways and their gseq as two lists for a query, "{1,2}". NULL: no memory. The caller frees it. */
char *postgres__cut_gateways(const folding_cut *cut);
char *postgres__cut_gseqs(const folding_cut *cut);

/* ---- decide_held ---------------------------------------------------------------------------- */

/* The owner's decision on a held epoch: publish it, or discard its reports. */

/* As journal_decide, in a transaction of the caller. */
bool postgres__decide(postgres_connection *connection, uint32_t experiment, uint32_t epoch,
                      journal_kind decision, bool *held);

/* As journal_end_fallback. Stores a row of `held` for the open epoch, with JOURNAL_ALARM_HARM. */
bool postgres__end_fallback(postgres_connection *connection, uint32_t experiment, bool *done);

/* ---- ended_rows ----------------------------------------------------------------------------- */

/* The table `ended`: reports that a closed experiment received after its last model. They are included in the counts
 * and in the learner, as in a snapshot of a journal of one machine, but no epoch ended with them. */

/* At most one row; `kind` is JOURNAL_REPORTS, `results` is empty, and `epoch` is that of the last model. Its digest
 * is checked. */
bool postgres__read_ended(postgres_connection *connection, uint32_t experiment,
                          bool (*take)(void *self, const folding_model *), void *self);
/* Queues it. */
bool postgres__put_ended(postgres_connection *connection, const folding_model *ended);

/* ---- experiment_rows ------------------------------------------------------------------------ */

/* The table `experiment`, for gateways and publishers. The caller's transaction makes the changes. */

/* All of them, by number; each digest is checked. */
bool postgres__read_experiments(postgres_connection *connection,
                                bool (*take)(void *self, const journal_experiment *), void *self);

/* Also makes its first slab. Sets experiment->number. An id that exists is refused, and `changed` is set. */
bool postgres__add_experiment(postgres_connection *connection, journal_experiment *experiment);

/* A closed or deleted experiment cannot be reopened: the change is refused, and `changed` is set, because another
 * connection closed it. A deleted experiment loses everything in the tables except its slabs, which the publisher
 * removes. */
bool postgres__set_state(postgres_connection *connection, uint32_t experiment, journal_state state);
bool postgres__set_quarantine(postgres_connection *connection, uint32_t experiment,
                              bool quarantine);
/* `report_key` NULL: none. */
bool postgres__set_access(postgres_connection *connection, uint32_t experiment, const char *labels,
                          const uint8_t *report_key);

/* ---- folding_inside ------------------------------------------------------------------------- */

/* Shared by the files that implement postgres.h. */

/* Queries that examine all partitions may take this many times longer than others: a publisher has its own thread. */
#define FOLDING_PATIENCE 10u

/* The longest time that gateways may queue behind a publisher that waits for the lock. */
#define FOLDING_LOCK_MS "50"

/* The result of the last folding_waiting. */
typedef struct folding_look {
    folding_cut from, seen;
    uint64_t reports; /* between the two */
    bool doubted;     /* some rows up to there could not be read, so this may be wrong */
    bool mine;        /* this connection holds the experiment's lock */
} folding_look;

struct sottod_folding {
    postgres_connection connection;
    bool usable;        /* the settings are valid */
    bool begun;         /* folding_lock was called on this connection */
    bool held;          /* this connection holds the housekeeper's lock */
    folding_look *look; /* by experiment, from 1 on */
    uint32_t looks;
    /* for each gateway, the last tick of table `arrival` that was read, in place of gseq */
    folding_cut ticks;
    uint64_t thinned;    /* history before this minute is already thinned */
    uint64_t gateway_ms; /* steady time of the next search for ended gateways */
};

/* Connects if needed; the lock is lost then. */
bool folding__ready(sottod_folding *folding);
/* The same; also refuses if this connection does not hold the housekeeper's lock. */
bool folding__is_publisher(sottod_folding *folding);
/* The same; also refuses if it holds neither that lock nor the experiment's. */
bool folding__may_fold(sottod_folding *folding, uint32_t experiment);
/* What is known about an experiment; NULL: no memory, or no such number. */
folding_look *folding__look(sottod_folding *folding, uint32_t experiment);
/* Rolls back a failed transaction. Always false. */
bool folding__fail(sottod_folding *folding);
/* Queues a statement that sets the experiment's publishing time to now. */
bool folding__put_pace(sottod_folding *folding, uint32_t experiment, uint32_t epoch);

/* ---- gateway_number ------------------------------------------------------------------------- */

/* Gateway numbers: one per connection, never used again. */

/* Stores a new number, whose lock lasts as long as the connection. *number is 0 on failure. */
bool postgres__number_gateway(postgres_connection *connection, uint32_t *number);

/* ---- held_rows ------------------------------------------------------------------------------ */

/* The table `held`: epochs that the watch holds back, and the decisions about them. A row with a wrong digest counts
 * as missing: the publisher checks the epoch again and holds it again. */

/* The columns, for a query in which the table is named h. */
#define POSTGRES_HELD_COLUMNS "h.experiment, h.epoch, h.alarms, h.reports, h.decision, h.digest"

/* Reads these columns of a result, beginning at `column`. False, with nothing held, if there is no row (all are
 * NULL), a column is invalid, or the digest is wrong. */
bool postgres__held_of(const PGresult *result, int row, int column, journal_held *out);
bool postgres__read_held(postgres_connection *connection,
                         bool (*take)(void *self, const journal_held *), void *self);
/* Queues the row; it replaces the experiment's previous row. */
bool postgres__put_held(postgres_connection *connection, const journal_held *held);
/* Queues its removal. */
bool postgres__remove_held(postgres_connection *connection, uint32_t experiment);

/* ---- history_rows --------------------------------------------------------------------------- */

/* The table `history`, for gateways and publishers. */

/* Rows of one experiment by epoch, or of all (0) by experiment and epoch; only publishes from minute `from` on and
 * before minute `before`. Each digest is checked. */
bool postgres__read_history(postgres_connection *connection, uint32_t experiment, uint64_t from,
                            uint64_t before, bool (*take)(void *self, const journal_history *),
                            void *self);
/* A part of one experiment's history, by epoch. */
bool postgres__read_span(postgres_connection *connection, const journal_span *span,
                         bool (*take)(void *self, const journal_history *), void *self);
/* Queues a row that replaces one of the same epoch. */
bool postgres__put_history(postgres_connection *connection, const journal_history *history);

/* ---- locks ---------------------------------------------------------------------------------- */

/* Advisory locks of the database, two numbers each. They end with the connection, or with the transaction (XACT). */

/* "SOTT" as a number. Second number: 0 the housekeeper, 1 making the tables, 2 shared by all publishers. */
#define POSTGRES_LOCKS "1397707860"
/* "SOTG". Second number: the gateway. */
#define POSTGRES_GATEWAY_LOCKS "1397707847"

/* "SOTF". Second number: the experiment, locked by the publisher that folds it. */
#define POSTGRES_PUBLISHER_LOCKS "1397707846"

#define POSTGRES_LOCK_TABLES "SELECT pg_advisory_xact_lock(" POSTGRES_LOCKS ", 1)"
#define POSTGRES_TRY_PUBLISHER "SELECT pg_try_advisory_lock(" POSTGRES_LOCKS ", 0)"
#define POSTGRES_JOIN_CREW "SELECT pg_advisory_lock_shared(" POSTGRES_LOCKS ", 2)"
/* The number of publisher sessions that have not ended. */
#define POSTGRES_COUNT_CREW                                                                        \
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid "           \
    "= " POSTGRES_LOCKS                                                                            \
    " AND objid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = "                  \
    "current_database())"
#define POSTGRES_TRY_EXPERIMENTS                                                                   \
    "SELECT n, pg_try_advisory_lock(" POSTGRES_PUBLISHER_LOCKS ", n::integer) FROM "               \
    "unnest($1::bigint[]) AS n"
#define POSTGRES_LEAVE_EXPERIMENT                                                                  \
    "SELECT pg_advisory_unlock(" POSTGRES_PUBLISHER_LOCKS ", $1::bigint::integer)"

/* The channel on which connections announce changes of experiments, states and models. */
#define POSTGRES_CHANNEL "sotto_changed"
/* The same, with the experiment's number, $1: only its newest model changed. */
#define POSTGRES_NAME_ONE "SELECT pg_notify('" POSTGRES_CHANNEL "', $1::bigint::text)"

/* ---- look_before ---------------------------------------------------------------------------- */

/* What is read about an experiment before its epoch is ended, held or decided. */

typedef struct postgres_before {
    int first;  /* index of the first query */
    bool found; /* the experiment exists */
    bool keeps; /* the server keeps what it acknowledges */
    uint32_t state;
    uint32_t epoch; /* opened by the last model; 0: none */
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal_held held; /* for that epoch; reports 0: not held */
} postgres_before;

/* In a transaction of the caller, which may begin with queued statements. Locks the experiment's row, so that
 * concurrent changes are made one after another and each sees the previous one. */
bool postgres__look_before(postgres_connection *connection, uint32_t experiment,
                           postgres_before *out);

/* ---- model_rows ----------------------------------------------------------------------------- */

/* The table `model`: publishes. */

/* Which models are read. */
typedef enum postgres_models { POSTGRES_MODELS_FROM, POSTGRES_MODEL_LAST } postgres_models;

/* From an epoch on, oldest first; or only the last one. Each digest is checked, and the chain of the models read. */
bool postgres__read_models(postgres_connection *connection, uint32_t experiment,
                           postgres_models which, uint32_t from,
                           bool (*take)(void *self, const folding_model *), void *self);
/* Queues it. `before`: the digest of the previous model. */
bool postgres__put_model(postgres_connection *connection, const folding_model *model,
                         const uint8_t before[JOURNAL_DIGEST_BYTES]);

/* ---- news_rows ------------------------------------------------------------------------------ */

/* What gateways ask often: the current state of every experiment. */

/* For one experiment; 0: for all. */
bool postgres__read_news(postgres_connection *connection, uint32_t only,
                         bool (*take)(void *self, const journal_news *), void *self);

/* ---- row_digest ----------------------------------------------------------------------------- */

/* The digests of the rows. Their input is specified at the head of row_digest.c. */

/* `before`: the digest of the previous row of the same experiment and gateway; may be `out`. row->seq is its gseq. */
void postgres__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], uint32_t gateway,
                          const journal_row *row, uint8_t out[JOURNAL_DIGEST_BYTES]);
/* `before`: the digest of the experiment's previous model. `cut`: encoded. */
void postgres__digest_model(const uint8_t before[JOURNAL_DIGEST_BYTES], const folding_model *model,
                            journal_bytes cut, uint8_t out[JOURNAL_DIGEST_BYTES]);
void postgres__digest_removed(uint32_t experiment, const folding_place *place,
                              uint8_t out[JOURNAL_DIGEST_BYTES]);
/* The digest of a row of `ended`. `cut`: encoded. */
void postgres__digest_ended(const folding_model *ended, journal_bytes cut,
                            uint8_t out[JOURNAL_DIGEST_BYTES]);
void postgres__digest_held(const journal_held *held, uint8_t out[JOURNAL_DIGEST_BYTES]);

/* ---- session -------------------------------------------------------------------------------- */

/* The setup of a connection before its first use. */

/* Settings that an administrator may change while a connection lasts. synchronous_commit stays as it was at the
 * start. */
#define POSTGRES_KEEPS                                                                             \
    "(current_setting('fsync') <> 'off' AND current_setting('full_page_writes') <> 'off')"

/* Connects if needed, refuses a server that does not keep what it acknowledges, sets everything that must not depend
 * on the server's settings, makes or checks the tables, and listens. For a gateway, the server also cancels a
 * statement after the connection's time limit; for a publisher, it cancels a statement that waits for a lock for
 * twice that time, and ends a session that is idle for long. *is_new: the connection was made now. */
bool postgres__session(postgres_connection *connection, bool is_gateway, bool *is_new);

/* Refuses a server that does not keep what it acknowledges, by its current settings. */
bool postgres__keeps(postgres_connection *connection);

/* The size of the database on disk. False if this takes longer than the limit; the transaction must then be rolled
 * back. */
bool postgres__database_bytes(postgres_connection *connection, uint32_t limit_ms, uint64_t *bytes);

/* ---- slab ----------------------------------------------------------------------------------- */

/* Slabs: the partitions of the table `journal`. Their numbers are experiment * 2^20 + 1, 2, … */

#define POSTGRES_SLABS_MAX (UINT64_C(1) << 20)
#define POSTGRES_EXPERIMENTS_MAX UINT32_C(2147483647)

/* The smallest and the largest slab number of the experiment. */
uint64_t postgres__slab_first(uint32_t experiment);
uint64_t postgres__slab_last(uint32_t experiment);

/* Queues the creation of an empty slab, in a transaction of the caller. The slab is made as a separate table and then
 * attached, so that rows of other slabs can be written meanwhile. */
bool postgres__slab_make(postgres_connection *connection, uint64_t slab);
/* Queues its removal. The caller has locked it. */
bool postgres__slab_drop(postgres_connection *connection, uint64_t slab);

/* ---- tables --------------------------------------------------------------------------------- */

/* The tables: made if there are none; refused if they are not those of this program. */

/* In the schema `sotto` of the database. Several programs may call this at once. */
bool postgres__tables(postgres_connection *connection);

/* ---- try_append ----------------------------------------------------------------------------- */

/* Whether the database accepts rows, for a gateway whose row it refused. A small change proves nothing: it may fit
 * into an existing page even if the disk is full. */

/* A refused row: its experiment, and its size of frames. */
typedef struct postgres_refused {
    uint32_t experiment; /* 0: there was none */
    size_t bytes;
} postgres_refused;

/* Appends a row like that one to the experiment's present slab and takes it back. Outside of a transaction. Also true
 * if that experiment no longer accepts reports or only its own tables are damaged: rows of others can be written. */
bool postgres__try_append(postgres_connection *connection, uint32_t gateway,
                          const postgres_refused *refused);

/* Why the last query was refused, safe to show to anybody: without names or content. NULL: only the fault says. */
const char *postgres__reason(const postgres_connection *connection);

/* The first prepares appending on a new connection; the second queues a row for the next run. `tick` grows with each
 * row of the gateway: by it the publisher finds experiments with new rows. row->seq is its gseq. */
bool postgres__prepare_append(postgres_connection *connection);
bool postgres__queue_append(postgres_connection *connection, uint32_t gateway, uint64_t tick,
                            const journal_row *row, const uint8_t digest[JOURNAL_DIGEST_BYTES]);

/* ---- waiting_rows --------------------------------------------------------------------------- */

/* How many reports wait, for gateways, for any experiment. A publisher uses its own cut (folding_waiting). */

/* As journal_read_waiting. */
bool postgres__read_waiting(postgres_connection *connection, const uint32_t *experiment,
                            uint32_t count, uint64_t *reports);

#endif
