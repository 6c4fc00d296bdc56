/*
 * A connection to the database, and questions to it, with a time limit on each answer. Questions are queued
 * and go out together (libpq's pipeline), so that any number of them cost one round trip.
 *
 * Functions that answer false leave a sentence in `fault`. What libpq or the server said is shown without line
 * breaks and without the password; details of the server, which may hold a row's content, are never shown.
 */
#ifndef SERVICE_POSTGRES_CONNECTION_H
#define SERVICE_POSTGRES_CONNECTION_H

#include "postgres.h"

#include <libpq-fe.h>
#include <stdbool.h>

#define POSTGRES_STATE_BYTES 6
#define POSTGRES_RETRY_MS 1000u

typedef struct postgres_connection {
    char *url, *password; /* password: "" if the URL has none */
    uint32_t timeout_ms;
    PGconn *pg;        /* NULL: not connected */
    uint64_t retry_ms; /* steady time before which no new connection is made */
    bool changed;      /* another connection told of a change, or may have while there was none */
    int queued;        /* questions since the last run */
    int failed_at;     /* which of them the server refused; -1: none */
    char sqlstate[POSTGRES_STATE_BYTES]; /* of that refusal */
    char fault[JOURNAL_FAULT_BYTES];
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

#endif
