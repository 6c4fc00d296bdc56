/* What files of this room share. */
#ifndef SOTTO_SERVICE_POSTGRES_INNER_H
#define SOTTO_SERVICE_POSTGRES_INNER_H

#include "postgres.h"
#include "service/store/store.h"

#include <libpq-fe.h>
#include <stdbool.h>

/* ---- column --------------------------------------------------------------------------------- */

/* Columns of a result, in binary form: false if one is not what it should be. */

/* bigint; the others are in a range of it. */
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
 * A connection to the database, and questions to it, with a time limit on each answer. Questions are queued
 * and go out together (libpq's pipeline), so that any number of them cost one round trip.
 *
 * Functions that answer false leave a sentence in `fault`. What libpq or the server said is shown without line
 * breaks and without the password; details of the server, which may hold a row's content, are never shown.
 */

#define POSTGRES_STATE_BYTES 6
#define POSTGRES_RETRY_MS 1000u
#define POSTGRES_NAMED_MAX 256u /* with more of them, all is read */

typedef struct postgres_connection {
    char *url, *password; /* password: "" if the URL has none */
    uint32_t timeout_ms;
    PGconn *pg;        /* NULL: not connected */
    uint64_t retry_ms; /* steady time before which no new connection is made */
    bool changed;      /* another connection told of a change, or may have while there was none */
    uint32_t
        named[POSTGRES_NAMED_MAX]; /* experiments of which one told that they have a new model */
    uint32_t named_count;
    bool no_names;                       /* nobody asks for these */
    int queued;                          /* questions since the last run */
    int failed_at;                       /* which of them the server refused; -1: none */
    char sqlstate[POSTGRES_STATE_BYTES]; /* of that refusal */
    sotto_fault fault;
} postgres_connection;

/* A value of a question. */
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
    const char *text; /* of a list: numbers, "{1,2}" */
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

/* Copies the settings and checks them; connects not yet. */
bool postgres__init(postgres_connection *connection, const postgres_settings *settings);
void postgres__end(postgres_connection *connection);

/* Sets the fault. Always false. */
bool postgres__refuse(postgres_connection *connection, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "database NAME at HOST", for a sentence. */
const char *postgres__place(const postgres_connection *connection, char *out, size_t bytes);

/* Connects. False at once if the last try is less than a second ago, or, if it failed, less than it took. What
 * a session needs is not set yet. */
bool postgres__connect(postgres_connection *connection);
void postgres__drop(postgres_connection *connection);

/* Queues a question: one statement, its values $1, $2, … Goes out with the next run, or before. */
bool postgres__queue(postgres_connection *connection, const char *sql, const postgres_value *value,
                     int values);
/* The same for a statement that postgres__prepare knows by a name. */
bool postgres__prepare(postgres_connection *connection, const char *name, const char *sql);
bool postgres__queue_prepared(postgres_connection *connection, const char *name,
                              const postgres_value *value, int values);

/* Sends what is queued and takes all answers: `take` is called with the number of the question (0, 1, …, BEGIN
 * and the like counted) and its result, for those that ask for rows, also if there are none. False if a question was refused, take answered false, or the connection
 * is lost; then it is dropped. take may be NULL. */
typedef bool postgres_take(void *self, int question, const PGresult *result);
bool postgres__run(postgres_connection *connection, postgres_take *take, void *self);
/* The same, and take is called for each row, in a result of its own, as they come. Nothing else is kept. */
bool postgres__run_by_rows(postgres_connection *connection, postgres_take *take, void *self);
/* One question. */
bool postgres__ask(postgres_connection *connection, const char *sql, const postgres_value *value,
                   int values, postgres_take *take, void *self);

/* Ends a transaction, if there is one, without a trace. Keeps the fault, and sqlstate. */
void postgres__rollback(postgres_connection *connection);

/* Sets `changed` if another connection told of a change; drops a connection that ended. Does not wait. */
void postgres__listen(postgres_connection *connection);
/* Waits until there is something to read, or so long. */
void postgres__wait(postgres_connection *connection, int timeout_ms);

/* ---- cut ------------------------------------------------------------------------------------ */

/* Cuts: up to which row each gateway was taken. As bytes in the table `model`: see the head of cut.c. */

/* The place of a gateway; NULL if it has none. */
const folding_place *postgres__cut_find(const folding_cut *cut, uint32_t gateway);
bool postgres__cut_is_same(const folding_cut *one, const folding_cut *other);
/* False: no memory, and the cut is as before. */
bool postgres__cut_reserve(folding_cut *cut, uint32_t places);
bool postgres__cut_copy(const folding_cut *from, folding_cut *to);
/* Adds a place at the end, where it must belong. False: no memory. */
bool postgres__cut_add(folding_cut *cut, const folding_place *place);

size_t postgres__cut_bytes(const folding_cut *cut);
void postgres__cut_encode(const folding_cut *cut, uint8_t *out);
/* False if the bytes are no cut, or there is no memory; *cut is then empty. */
bool postgres__cut_decode(journal_bytes bytes, folding_cut *cut);
/* SOTTO_OK if a cut can be stored: gateways ascend from 1, and none has the place 0. */
SOTTO_CHECK sotto_status postgres__cut_fault(const folding_cut *cut, sotto_fault *fault);

/* Its gateways and their gseq as lists for a question, "{1,2}" both. NULL: no memory. The caller frees it. */
char *postgres__cut_gateways(const folding_cut *cut);
char *postgres__cut_gseqs(const folding_cut *cut);

/* ---- decide_held ---------------------------------------------------------------------------- */

/* What an operator decides of an epoch that is held: publish it, or discard its reports. */

/* As journal_decide, in a transaction of the caller. */
bool postgres__decide(postgres_connection *connection, uint32_t experiment, uint32_t epoch,
                      journal_kind decision, bool *held);

/* As journal_end_fallback: a row of held that names the open epoch, with JOURNAL_ALARM_HARM. */
bool postgres__end_fallback(postgres_connection *connection, uint32_t experiment, bool *done);

/* ---- ended_rows ----------------------------------------------------------------------------- */

/* The table `ended`: what became of the reports that a closed experiment took after its last model. They are in the
 * counts and in the learner, as in a snapshot of a journal of one machine; no epoch ended with them. */

/* At most one; `kind` is JOURNAL_REPORTS, nothing is told, and `epoch` is that of the last model. Its digest is checked. */
bool postgres__read_ended(postgres_connection *connection, uint32_t experiment,
                          bool (*take)(void *self, const folding_model *), void *self);
/* Queues it. */
bool postgres__put_ended(postgres_connection *connection, const folding_model *ended);

/* ---- experiment_rows ------------------------------------------------------------------------ */

/* The table `experiment`, for gateways and publishers alike. Changes are made in a transaction of the caller. */

/* All of them, by number; each digest is checked. */
bool postgres__read_experiments(postgres_connection *connection,
                                bool (*take)(void *self, const journal_experiment *), void *self);

/* With its first slab. Sets experiment->number. An id that is there is refused, and `changed` set. */
bool postgres__add_experiment(postgres_connection *connection, journal_experiment *experiment);

/* Nothing leads back from closed and deleted: such a change is refused, and `changed` set, since another
 * connection closed it. A deleted experiment loses what it has in the tables but its slabs: those are the
 * publisher's. */
bool postgres__set_state(postgres_connection *connection, uint32_t experiment, journal_state state);
bool postgres__set_quarantine(postgres_connection *connection, uint32_t experiment,
                              bool quarantine);
/* `report_key` is NULL: none. */
bool postgres__set_access(postgres_connection *connection, uint32_t experiment, const char *labels,
                          const uint8_t *report_key);

/* ---- folding_inside ------------------------------------------------------------------------- */

/* What the files of postgres.h share. */

/* What looks at all partitions may take so many times as long as other answers: a publisher has a thread of its own. */
#define FOLDING_PATIENCE 10u

/* So long gateways may stand behind the one who waits for the lock. */
#define FOLDING_LOCK_MS "50"

/* What was found when folding_waiting was asked last. */
typedef struct folding_look {
    folding_cut from, seen;
    uint64_t reports; /* between the two */
    bool doubted;     /* rows up to there could not be read: it may be wrong */
    bool mine;        /* the lock of the experiment, by this connection */
} folding_look;

struct sottod_folding {
    postgres_connection connection;
    bool usable;        /* the settings */
    bool begun;         /* folding_lock was asked on this connection */
    bool held;          /* the lock of the housekeeper, by this connection */
    folding_look *look; /* by experiment, from 1 on */
    uint32_t looks;
    folding_cut ticks;   /* of the table arrival, up to which it was asked, in place of gseq */
    uint64_t thinned;    /* history before this minute is thin already */
    uint64_t gateway_ms; /* steady time from which on ended gateways are looked for again */
};

/* Connects if need be; the lock is lost then. */
bool folding__ready(sottod_folding *folding);
/* The same, and refuses without the lock of the housekeeper. */
bool folding__is_publisher(sottod_folding *folding);
/* The same, and refuses without that lock, or the one of the experiment. */
bool folding__may_fold(sottod_folding *folding, uint32_t experiment);
/* What is known of an experiment; NULL: no memory, or no such number. */
folding_look *folding__look(sottod_folding *folding, uint32_t experiment);
/* Ends a transaction that failed. Always false. */
bool folding__fail(sottod_folding *folding);
/* Queues that an experiment was published now. */
bool folding__put_pace(sottod_folding *folding, uint32_t experiment, uint32_t epoch);
/* Forgets all looks. */
void folding__forget(sottod_folding *folding);

/* ---- gateway_number ------------------------------------------------------------------------- */

/* The number of a gateway: one for each of its connections, never used again. */

/* Writes a new number down. Its lock is held as long as the connection lasts. *number is 0 if it fails. */
bool postgres__number_gateway(postgres_connection *connection, uint32_t *number);

/* ---- held_rows ------------------------------------------------------------------------------ */

/* The table `held`: epochs that the watch holds back, and what was decided of them. A row whose digest is wrong
 * counts as none: the publisher looks at the epoch again, and holds it anew. */

/* Of a table that is called h in the question. */
#define POSTGRES_HELD_COLUMNS "h.experiment, h.epoch, h.alarms, h.reports, h.decision, h.digest"

/* From these columns of a result, the first of which is `column`. False, with none held, if there is no row (all
 * are NULL), one is not what it should be, or the digest is another. */
bool postgres__held_of(const PGresult *result, int row, int column, journal_held *out);
bool postgres__read_held(postgres_connection *connection,
                         bool (*take)(void *self, const journal_held *), void *self);
/* Queues it, in place of the experiment's row before. */
bool postgres__put_held(postgres_connection *connection, const journal_held *held);
/* Queues its removal. */
bool postgres__remove_held(postgres_connection *connection, uint32_t experiment);

/* ---- history_rows --------------------------------------------------------------------------- */

/* The table `history`, for gateways and publishers alike. */

/* Of one experiment, by epoch, or of all (0), by experiment and epoch; publishes of minutes from `from` on, and
 * before `before`. Each digest is checked. */
bool postgres__read_history(postgres_connection *connection, uint32_t experiment, uint64_t from,
                            uint64_t before, bool (*take)(void *self, const journal_history *),
                            void *self);
/* A part of one, by epoch. */
bool postgres__read_span(postgres_connection *connection, const journal_span *span,
                         bool (*take)(void *self, const journal_history *), void *self);
/* Queues a row that takes the place of one of the same epoch. */
bool postgres__put_history(postgres_connection *connection, const journal_history *history);

/* ---- locks ---------------------------------------------------------------------------------- */

/* Advisory locks of the database: two numbers each. They end with the connection, or the transaction (XACT). */

/* "SOTT" as a number: the housekeeper (0), the making of tables (1), and all publishers, together (2). */
#define POSTGRES_LOCKS "1397707860"
/* "SOTG": a gateway, by its number. */
#define POSTGRES_GATEWAY_LOCKS "1397707847"

/* "SOTF": who folds an experiment, by its number. */
#define POSTGRES_PUBLISHER_LOCKS "1397707846"

#define POSTGRES_LOCK_TABLES "SELECT pg_advisory_xact_lock(" POSTGRES_LOCKS ", 1)"
#define POSTGRES_TRY_PUBLISHER "SELECT pg_try_advisory_lock(" POSTGRES_LOCKS ", 0)"
#define POSTGRES_JOIN_CREW "SELECT pg_advisory_lock_shared(" POSTGRES_LOCKS ", 2)"
/* Of all sessions that have not ended. */
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

/* On which connections tell each other that experiments, states or models changed. */
#define POSTGRES_CHANNEL "sotto_changed"
/* The same, and names the experiment, $1: nothing but its newest model changed. */
#define POSTGRES_NAME_ONE "SELECT pg_notify('" POSTGRES_CHANNEL "', $1::bigint::text)"

/* ---- look_before ---------------------------------------------------------------------------- */

/* What there is of an experiment, before its epoch is ended, held or decided of. */

typedef struct postgres_before {
    int first;  /* question */
    bool found; /* the experiment */
    bool keeps; /* the server keeps what it acknowledges */
    uint32_t state;
    uint32_t epoch; /* of the last model; 0: none */
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal_held held; /* of that epoch; reports 0: it is not held */
} postgres_before;

/* In a transaction of the caller, which may have begun with what is queued. Locks the experiment's row, so that of
 * several who do such a thing one comes first, and the others see what it did. */
bool postgres__look_before(postgres_connection *connection, uint32_t experiment,
                           postgres_before *out);

/* ---- model_rows ----------------------------------------------------------------------------- */

/* The table `model`: publishes. */

/* What of an experiment's models is read. */
typedef enum postgres_models { POSTGRES_MODELS_FROM, POSTGRES_MODEL_LAST } postgres_models;

/* From an epoch on, oldest first; or only the last one. Each digest, and the chain of those that are read, is
 * checked. */
bool postgres__read_models(postgres_connection *connection, uint32_t experiment,
                           postgres_models which, uint32_t from,
                           bool (*take)(void *self, const folding_model *), void *self);
/* Queues it. `before` is the digest of the model before. */
bool postgres__put_model(postgres_connection *connection, const folding_model *model,
                         const uint8_t before[JOURNAL_DIGEST_BYTES]);

/* ---- news_rows ------------------------------------------------------------------------------ */

/* What gateways ask often: what became of every experiment. */

/* Of one; 0: of all. */
bool postgres__read_news(postgres_connection *connection, uint32_t only,
                         bool (*take)(void *self, const journal_news *), void *self);

/* ---- row_digest ----------------------------------------------------------------------------- */

/* The digests of the rows. Their bytes are specified at the head of row_digest.c. */

/* `before` is the digest of the row before, of the same experiment and gateway; it may be `out`. row->seq is
 * its gseq. */
void postgres__digest_row(const uint8_t before[JOURNAL_DIGEST_BYTES], uint32_t gateway,
                          const journal_row *row, uint8_t out[JOURNAL_DIGEST_BYTES]);
/* `before` is the digest of the model before, of the same experiment. `cut` is the encoded one. */
void postgres__digest_model(const uint8_t before[JOURNAL_DIGEST_BYTES], const folding_model *model,
                            journal_bytes cut, uint8_t out[JOURNAL_DIGEST_BYTES]);
void postgres__digest_removed(uint32_t experiment, const folding_place *place,
                              uint8_t out[JOURNAL_DIGEST_BYTES]);
/* Of what became of the last reports of a closed experiment. `cut` is the encoded one. */
void postgres__digest_ended(const folding_model *ended, journal_bytes cut,
                            uint8_t out[JOURNAL_DIGEST_BYTES]);
void postgres__digest_held(const journal_held *held, uint8_t out[JOURNAL_DIGEST_BYTES]);

/* ---- session -------------------------------------------------------------------------------- */

/* What a connection needs before its first use. */

/* What an administrator may change under a connection. synchronous_commit stays as it was when it connected. */
#define POSTGRES_KEEPS                                                                             \
    "(current_setting('fsync') <> 'off' AND current_setting('full_page_writes') <> 'off')"

/* Connects if need be, refuses a server that does not keep what it acknowledges, sets what must not depend on
 * the server's settings, makes or checks the tables, and listens. Of a gateway the server, too, gives up
 * a statement after the connection's time; of a publisher, one that waits for a lock for twice that time, and a
 * session that says nothing for long. *is_new: it was not connected before. */
bool postgres__session(postgres_connection *connection, bool is_gateway, bool *is_new);

/* Refuses a server that does not keep what it acknowledges, as it is now. */
bool postgres__keeps(postgres_connection *connection);

/* The bytes of the database on disk. False, and the transaction is to be rolled back, if that takes longer. */
bool postgres__database_bytes(postgres_connection *connection, uint32_t limit_ms, uint64_t *bytes);

/* ---- slab ----------------------------------------------------------------------------------- */

/* Slabs: the partitions of the table `journal`. A slab's number is experiment * 2^20 + 1, 2, … */

#define POSTGRES_SLABS_MAX (UINT64_C(1) << 20)
#define POSTGRES_EXPERIMENTS_MAX UINT32_C(2147483647)

/* The first and the last number that a slab of the experiment may have. */
uint64_t postgres__slab_first(uint32_t experiment);
uint64_t postgres__slab_last(uint32_t experiment);

/* Queues the making of an empty slab, in a transaction of the caller. It is made beside the table and then
 * attached, so that rows of other slabs go on meanwhile. */
bool postgres__slab_make(postgres_connection *connection, uint64_t slab);
/* Queues its removal. The caller has locked it. */
bool postgres__slab_drop(postgres_connection *connection, uint64_t slab);

/* ---- tables --------------------------------------------------------------------------------- */

/* The tables: made if there are none, refused if they are not those that this program knows. */

/* In the schema `sotto` of the database. Several programs may do so at once. */
bool postgres__tables(postgres_connection *connection);

/* ---- try_append ----------------------------------------------------------------------------- */

/* Whether the database takes rows, for a gateway whose row it refused. A change of a few bytes does not tell: it finds
 * room in a page that is there, also on a disk that is full. */

/* A row that was refused: whose it was, and how many bytes of frames it had. */
typedef struct postgres_refused {
    uint32_t experiment; /* 0: there was none */
    size_t bytes;
} postgres_refused;

/* Appends a row like that one, of the experiment's present slab, and takes it back. Outside of a transaction. True
 * also if that experiment takes no reports any more, or if its own tables are damaged: others can be written. */
bool postgres__try_append(postgres_connection *connection, uint32_t gateway,
                          const postgres_refused *refused);

/* Why the last question was refused, in words for anybody: no names, nothing of a row. NULL: only the fault tells. */
const char *postgres__reason(const postgres_connection *connection);

/* How rows are appended, on a connection that is new; and one of them, which goes out with the next run. `tick` grows
 * with each row of the gateway: the publisher finds by it which experiments have new rows. row->seq is
 * its gseq. */
bool postgres__prepare_append(postgres_connection *connection);
bool postgres__queue_append(postgres_connection *connection, uint32_t gateway, uint64_t tick,
                            const journal_row *row, const uint8_t digest[JOURNAL_DIGEST_BYTES]);

/* ---- waiting_rows --------------------------------------------------------------------------- */

/* How many reports wait: what a gateway may ask, of any experiment. A publisher knows by its own cut (folding_waiting). */

/* As journal_read_waiting. */
bool postgres__read_waiting(postgres_connection *connection, const uint32_t *experiment,
                            uint32_t count, uint64_t *reports);

#endif
