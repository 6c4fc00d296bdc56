#include "inner.h"

#include "service/system/system.h"

#include <assert.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_BYTES 17 /* the server's type numbers, which never change */
#define TYPE_NUMBER 20
#define TYPE_TEXT 25
#define TYPE_NUMBERS 1016
#define TIMEOUT_MS_MIN 100u
#define TIMEOUT_MS_MAX 600000u

/* ---- sentences ---------------------------------------------------------------------------- */

bool postgres__refuse(postgres_connection *connection, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(connection->fault.sentence, sizeof connection->fault.sentence, format, arguments);
    va_end(arguments);
    return false;
}

/* A message from libpq or the server as one line, without password and full stop. */
static const char *plain(const postgres_connection *connection, const char *said, char *out,
                         size_t room)
{
    size_t length = 0, hidden = strlen(connection->password);
    while (*said != '\0' && length + 4 < room) {
        if (hidden > 0 && strncmp(said, connection->password, hidden) == 0) {
            memcpy(out + length, "***", 3);
            length += 3;
            said += hidden;
            continue;
        }
        uint8_t byte = (uint8_t)*said++;
        out[length++] = (char)(byte < 0x20 ? ' ' : byte > 0x7e ? '?' : byte);
    }
    while (length > 0 && (out[length - 1] == ' ' || out[length - 1] == '.')) {
        length--;
    }
    out[length] = '\0';
    return out;
}

const char *postgres__place(const postgres_connection *connection, char *out, size_t bytes)
{
    const PGconn *pg = connection->pg;
    const char *name = pg == NULL ? NULL : PQdb(pg), *host = pg == NULL ? NULL : PQhost(pg);
    if (name == NULL || host == NULL) {
        snprintf(out, bytes, "the database");
    } else {
        snprintf(out, bytes, "database %.60s at %.120s", name, host);
    }
    return out;
}

/* The connection is closed or was never made. */
static bool lost(postgres_connection *connection, const char *what)
{
    char text[300], place[200];
    plain(connection, PQerrorMessage(connection->pg), text, sizeof text);
    postgres__place(connection, place, sizeof place);
    postgres__drop(connection);
    return postgres__refuse(connection, "%s %s: %s", place, what, text);
}

static bool gave_up(postgres_connection *connection)
{
    char place[200];
    postgres__place(connection, place, sizeof place);
    postgres__drop(connection);
    return postgres__refuse(connection,
                            "%s did not answer within %u ms, so the connection was closed", place,
                            connection->timeout_ms);
}

/* ---- settings ----------------------------------------------------------------------------- */

static bool is_url(const char *url)
{
    return strncmp(url, "postgresql://", 13) == 0 || strncmp(url, "postgres://", 11) == 0;
}

/* The password in the URL; NULL: libpq cannot parse the URL. Its error message contains the URL, so it is not used. */
static char *password_of(const char *url)
{
    char *said = NULL, *password = NULL;
    PQconninfoOption *options = PQconninfoParse(url, &said);
    PQfreemem(said);
    if (options == NULL) return NULL;
    for (const PQconninfoOption *option = options; option->keyword != NULL; option++) {
        if (strcmp(option->keyword, "password") != 0) continue;
        password = strdup(option->val == NULL ? "" : option->val);
        break;
    }
    PQconninfoFree(options);
    return password;
}

bool postgres__init(postgres_connection *connection, const postgres_settings *settings)
{
    *connection = (postgres_connection){.timeout_ms = settings->timeout_ms, .failed_at = -1};
    connection->url = strdup(settings->url);
    connection->password = is_url(settings->url) ? password_of(settings->url) : NULL;
    if (connection->url == NULL || connection->password == NULL) {
        return postgres__refuse(
            connection, "the URL of the database is not valid (not shown, because it may contain a "
                        "password): allowed postgresql://USER@HOST:PORT/NAME, as libpq reads it");
    }
    if (settings->timeout_ms < TIMEOUT_MS_MIN || settings->timeout_ms > TIMEOUT_MS_MAX) {
        return postgres__refuse(connection, "timeout_ms = %u: allowed %u to %u",
                                settings->timeout_ms, TIMEOUT_MS_MIN, TIMEOUT_MS_MAX);
    }
    return true;
}

void postgres__end(postgres_connection *connection)
{
    postgres__drop(connection);
    free(connection->url);
    free(connection->password);
    connection->url = connection->password = NULL;
}

/* ---- connecting --------------------------------------------------------------------------- */

/* False if the deadline has passed. Other errors of poll show up when libpq reads. */
static bool poll_for(const PGconn *pg, short events, uint64_t deadline_ms)
{
    uint64_t now_ms = clock_steady_ms();
    struct pollfd one = {.fd = PQsocket(pg), .events = events};
    int rest_ms = deadline_ms > now_ms ? (int)(deadline_ms - now_ms) : 0;
    return poll(&one, 1, rest_ms) != 0;
}

static void say_nothing(void *self, const char *notice)
{
    (void)self;
    (void)notice;
}

static bool start(postgres_connection *connection)
{
    const char *const keys[] = {"dbname", "fallback_application_name", "client_encoding", NULL};
    const char *const values[] = {connection->url, "sottod", "UTF8", NULL};
    const uint64_t deadline_ms = clock_steady_ms() + connection->timeout_ms;
    connection->pg = PQconnectStartParams(keys, values, 1);
    if (connection->pg == NULL) return postgres__refuse(connection, "no memory for a connection");
    PQsetNoticeProcessor(connection->pg, say_nothing, NULL);
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    while (PQstatus(connection->pg) != CONNECTION_BAD && next != PGRES_POLLING_OK) {
        short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!poll_for(connection->pg, events, deadline_ms)) return gave_up(connection);
        next = PQconnectPoll(connection->pg);
        if (next == PGRES_POLLING_FAILED) break;
    }
    if (PQstatus(connection->pg) != CONNECTION_OK) return lost(connection, "cannot be reached");
    if (PQsetnonblocking(connection->pg, 1) != 0 || PQenterPipelineMode(connection->pg) != 1)
        return lost(connection, "cannot be used");
    return true;
}

bool postgres__connect(postgres_connection *connection)
{
    if (connection->pg != NULL) return true;
    const uint64_t start_ms = clock_steady_ms();
    /* the fault of the last attempt still stands */
    if (start_ms < connection->retry_ms) return false;
    connection->changed = true; /* nobody listened in between */
    bool done = start(connection);
    /* At most half of the time is spent waiting for a machine that does not answer. */
    const uint64_t now_ms = clock_steady_ms(), took_ms = now_ms - start_ms;
    connection->retry_ms =
        done ? start_ms + POSTGRES_RETRY_MS
             : now_ms + (took_ms > POSTGRES_RETRY_MS ? took_ms : POSTGRES_RETRY_MS);
    return done;
}

void postgres__drop(postgres_connection *connection)
{
    PQfinish(connection->pg);
    connection->pg = NULL;
    connection->queued = 0;
    connection->changed = true;
}

/* ---- questions ---------------------------------------------------------------------------- */

/* Values in the form that libpq takes. */
typedef struct arguments {
    Oid type[POSTGRES_VALUES_MAX];
    const char *at[POSTGRES_VALUES_MAX];
    int bytes[POSTGRES_VALUES_MAX];
    int binary[POSTGRES_VALUES_MAX];
    uint8_t number[POSTGRES_VALUES_MAX][8];
} arguments;

static bool put(const postgres_value *value, arguments *out, int i)
{
    out->binary[i] = 1;
    switch (value->kind) {
    case POSTGRES_NUMBER:
        if (!value->is_signed && value->number > INT64_MAX) return false;
        for (int byte = 0; byte < 8; byte++) {
            out->number[i][byte] = (uint8_t)(value->number >> (56 - 8 * byte));
        }
        out->type[i] = TYPE_NUMBER;
        out->at[i] = (const char *)out->number[i];
        out->bytes[i] = 8;
        break;
    case POSTGRES_BLOB:
        if (value->blob.bytes > INT32_MAX) return false;
        out->type[i] = TYPE_BYTES;
        out->at[i] = value->blob.bytes == 0 ? "" : (const char *)value->blob.at;
        out->bytes[i] = (int)value->blob.bytes;
        break;
    case POSTGRES_TEXT:
    case POSTGRES_LIST:
        out->type[i] = value->kind == POSTGRES_TEXT ? TYPE_TEXT : TYPE_NUMBERS;
        out->at[i] = value->text;
        out->bytes[i] = 0;
        out->binary[i] = 0;
        break;
    }
    if (value->is_null) out->at[i] = NULL;
    return true;
}

static bool put_all(postgres_connection *connection, const postgres_value *value, int values,
                    arguments *out)
{
    assert(values <= POSTGRES_VALUES_MAX);
    if (connection->pg == NULL)
        return postgres__refuse(connection, "there is no connection to the database");
    for (int i = 0; i < values; i++) {
        if (!put(&value[i], out, i))
            return postgres__refuse(connection,
                                    "a number is 2^63 or more, or a value is 2 GiB or longer");
    }
    return true;
}

bool postgres__queue(postgres_connection *connection, const char *sql, const postgres_value *value,
                     int values)
{
    arguments all;
    if (!put_all(connection, value, values, &all)) return false;
    if (!PQsendQueryParams(connection->pg, sql, values, all.type, all.at, all.bytes, all.binary, 1))
        return lost(connection, "accepts no query");
    connection->queued++;
    return true;
}

bool postgres__prepare(postgres_connection *connection, const char *name, const char *sql)
{
    if (!PQsendPrepare(connection->pg, name, sql, 0, NULL))
        return lost(connection, "accepts no query");
    connection->queued++;
    return postgres__run(connection, NULL, NULL);
}

bool postgres__queue_prepared(postgres_connection *connection, const char *name,
                              const postgres_value *value, int values)
{
    arguments all;
    if (!put_all(connection, value, values, &all)) return false;
    if (!PQsendQueryPrepared(connection->pg, name, values, all.at, all.bytes, all.binary, 1))
        return lost(connection, "accepts no query");
    connection->queued++;
    return true;
}

/* ---- answers ------------------------------------------------------------------------------ */

/* Waits until libpq has a whole result, or until none can come any more. */
static bool await(postgres_connection *connection)
{
    const uint64_t deadline_ms = clock_steady_ms() + connection->timeout_ms;
    for (;;) {
        int more = PQflush(connection->pg);
        if (more < 0) return lost(connection, "was lost");
        if (!PQisBusy(connection->pg)) return true;
        short events = (short)(POLLIN | (more == 1 ? POLLOUT : 0));
        if (!poll_for(connection->pg, events, deadline_ms)) return gave_up(connection);
        if (!PQconsumeInput(connection->pg)) return lost(connection, "was lost");
    }
}

/* A number names the experiment with a new model; any other text means any change. */
static void hear_one(postgres_connection *connection, const char *extra)
{
    char *end;
    unsigned long number = strtoul(extra, &end, 10);
    if (*extra < '1' || *extra > '9' || *end != '\0' || number > POSTGRES_EXPERIMENTS_MAX) {
        connection->changed = true;
        return;
    }
    if (connection->no_names) return;
    for (uint32_t i = 0; i < connection->named_count; i++) {
        if (connection->named[i] == number) return;
    }
    if (connection->named_count == POSTGRES_NAMED_MAX) {
        connection->changed = true;
        connection->named_count = 0;
        return;
    }
    connection->named[connection->named_count++] = (uint32_t)number;
}

static void hear(postgres_connection *connection)
{
    PGnotify *notice;
    while ((notice = PQnotifies(connection->pg)) != NULL) {
        if (notice->be_pid != PQbackendPID(connection->pg)) hear_one(connection, notice->extra);
        PQfreemem(notice);
    }
}

/* Keeps the message for the first query that the server refused. */
static void refused(postgres_connection *connection, int question, const PGresult *result)
{
    char text[300], place[200];
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (connection->failed_at >= 0) return;
    connection->failed_at = question;
    snprintf(connection->sqlstate, sizeof connection->sqlstate, "%s", state == NULL ? "" : state);
    plain(connection, said == NULL ? PQresultErrorMessage(result) : said, text, sizeof text);
    postgres__refuse(connection, "%s refused: %s", postgres__place(connection, place, sizeof place),
                     text);
}

typedef struct answers {
    postgres_take *take;
    void *self;
    int question;
    bool goes_on; /* take wants more rows */
    bool done, by_rows;
    bool takes_back; /* a transaction must be rolled back */
} answers;

/* The server answers COMMIT of a failed transaction with ROLLBACK and reports no error. */
static void ended(postgres_connection *connection, const answers *all, PGresult *result)
{
    if (all->takes_back || strcmp(PQcmdStatus(result), "ROLLBACK") != 0) return;
    if (connection->failed_at >= 0) return;
    connection->failed_at = all->question;
    postgres__refuse(connection, "the database rolled the transaction back");
}

static void take_one(postgres_connection *connection, answers *all, PGresult *result)
{
    switch (PQresultStatus(result)) {
    case PGRES_PIPELINE_SYNC: all->done = true; return;
    case PGRES_PIPELINE_ABORTED: return; /* an earlier query was refused */
    case PGRES_TUPLES_OK:
        if (all->by_rows && PQntuples(result) == 0) return; /* the end of the rows */
        break;
    case PGRES_SINGLE_TUPLE: break;
    case PGRES_COMMAND_OK: ended(connection, all, result); return;
    default: refused(connection, all->question, result); return;
    }
    if (all->take != NULL && all->goes_on && connection->failed_at < 0)
        all->goes_on = all->take(all->self, all->question, result);
}

static bool run(postgres_connection *connection, answers *all)
{
    if (connection->pg == NULL)
        return postgres__refuse(connection, "there is no connection to the database");
    connection->failed_at = -1;
    connection->sqlstate[0] = '\0';
    if (PQpipelineSync(connection->pg) != 1) return lost(connection, "accepts no query");
    bool before = true; /* a NULL ends the results of a query; two in a row end all */
    while (!all->done) {
        /* must be set before the first result is read */
        if (all->by_rows) PQsetSingleRowMode(connection->pg);
        if (!await(connection)) return false;
        PGresult *result = PQgetResult(connection->pg);
        if (result == NULL && !before) return lost(connection, "was lost");
        if (result == NULL) all->question++;
        before = result != NULL;
        if (result == NULL) continue;
        take_one(connection, all, result);
        PQclear(result);
        if (PQstatus(connection->pg) == CONNECTION_BAD) return lost(connection, "was lost");
    }
    connection->queued = 0;
    hear(connection);
    return all->goes_on && connection->failed_at < 0;
}

bool postgres__run(postgres_connection *connection, postgres_take *take, void *self)
{
    answers all = {.take = take, .self = self, .goes_on = true};
    return run(connection, &all);
}

bool postgres__run_by_rows(postgres_connection *connection, postgres_take *take, void *self)
{
    answers all = {.take = take, .self = self, .goes_on = true, .by_rows = true};
    return run(connection, &all);
}

bool postgres__ask(postgres_connection *connection, const char *sql, const postgres_value *value,
                   int values, postgres_take *take, void *self)
{
    return postgres__queue(connection, sql, value, values) && postgres__run(connection, take, self);
}

void postgres__rollback(postgres_connection *connection)
{
    char sqlstate[POSTGRES_STATE_BYTES];
    if (connection->pg == NULL) return;
    bool idle = connection->queued == 0 && PQtransactionStatus(connection->pg) == PQTRANS_IDLE;
    if (idle) return;
    const sotto_fault fault = connection->fault;
    memcpy(sqlstate, connection->sqlstate, sizeof sqlstate);
    /* Runs what is queued, so that the rollback is a run of its own. */
    postgres__run(connection, NULL, NULL);
    answers all = {.goes_on = true, .takes_back = true};
    bool done = connection->pg != NULL && postgres__queue(connection, "ROLLBACK", NULL, 0) &&
                run(connection, &all);
    if (!done) postgres__drop(connection);
    connection->fault = fault;
    memcpy(connection->sqlstate, sqlstate, sizeof sqlstate);
}

void postgres__listen(postgres_connection *connection)
{
    if (connection->pg == NULL) return;
    /* The server's last message arrives before the connection ends, so the end shows only at the second look. */
    for (int looks = 0; looks < 2; looks++) {
        if (!PQconsumeInput(connection->pg) || PQstatus(connection->pg) == CONNECTION_BAD) {
            lost(connection, "was lost");
            return;
        }
        hear(connection);
        if (!poll_for(connection->pg, POLLIN, 0)) return;
    }
}

void postgres__wait(postgres_connection *connection, int timeout_ms)
{
    struct pollfd one = {.fd = connection->pg == NULL ? -1 : PQsocket(connection->pg),
                         .events = POLLIN};
    poll(&one, 1, timeout_ms);
}
