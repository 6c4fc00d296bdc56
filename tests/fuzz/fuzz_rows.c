/*
 * Whatever rows PostgreSQL sends: refused with a sentence, or taken, and then written as they were read, column by column.
 * There is no server: results are made in memory, and the linker sends the questions of the service here.
 *
 * The first byte of the input chooses the table. A row is a byte, and for each column a byte with its length (above
 * LENGTH_MAX: NULL) and so many bytes. If the row's byte is odd its digest is made to fit, since random bytes never
 * would: whatever is computed is what the row has.
 */
#include "core/core.h"
#include "service/store/postgres/inner.h"
#include "specs.h"

#include <string.h>

#define ROWS_MAX 16
#define COLUMNS_MAX 15
#define LENGTH_MAX 240u
#define EXPERIMENT 1u
#define JOURNAL_DIGEST_COLUMN 6

typedef struct column {
    const uint8_t *at; /* NULL: it is NULL */
    size_t bytes;
} column;

typedef struct row {
    bool sealed;
    column column[COLUMNS_MAX];
} row;

static postgres_connection connection;
static row rows[ROWS_MAX], *current;
static int rows_count, columns;
static int digest_column;
static int given;            /* rows that were handed out */
static int asked_end;        /* a question for all rows gets those before this one */
static uint64_t next_number; /* of a new experiment; 0: rows are asked for */
static const row *written;   /* what the writer writes must be this row; NULL: nothing is written */
static uint32_t written_count; /* rows that were written */

/* ---- input -------------------------------------------------------------------------------- */

static void read_rows(const uint8_t *data, size_t size)
{
    rows_count = 0;
    for (size_t at = 0; at < size && rows_count < ROWS_MAX;) {
        row *next = &rows[rows_count++];
        *next = (row){.sealed = data[at++] & 1};
        for (int c = 0; c < columns && at < size; c++) {
            size_t bytes = data[at++];
            if (bytes > LENGTH_MAX) continue;
            if (bytes > size - at) bytes = size - at;
            next->column[c] = (column){data + at, bytes};
            at += bytes;
        }
    }
}

static PGresult *result_of(int first, int count)
{
    PGresAttDesc attribute[COLUMNS_MAX] = {0};
    PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    for (int c = 0; c < columns; c++) {
        attribute[c].name = "x";
        attribute[c].format = 1;
    }
    fuzz_require(result != NULL && PQsetResultAttrs(result, columns, attribute) == 1);
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < columns; c++) {
            const column *of = &rows[first + i].column[c];
            int bytes = of->at == NULL ? -1 : (int)of->bytes;
            fuzz_require(PQsetvalue(result, i, c, (char *)(uintptr_t)of->at, bytes) == 1);
        }
    }
    return result;
}

/* ---- in place of the database ------------------------------------------------------------- */

void __real_sotto__digest_end(sotto__digest *digest, uint8_t out[SOTTO__DIGEST_BYTES]);
void __wrap_sotto__digest_end(sotto__digest *digest, uint8_t out[SOTTO__DIGEST_BYTES]);
bool __wrap_postgres__queue(postgres_connection *to, const char *sql, const postgres_value *value,
                            int values);
bool __wrap_postgres__run(postgres_connection *to, postgres_take *take, void *self);
bool __wrap_postgres__run_by_rows(postgres_connection *to, postgres_take *take, void *self);
bool __wrap_postgres__ask(postgres_connection *to, const char *sql, const postgres_value *value,
                          int values, postgres_take *take, void *self);
bool __wrap_folding__ready(sottod_folding *folding);

void __wrap_sotto__digest_end(sotto__digest *digest, uint8_t out[SOTTO__DIGEST_BYTES])
{
    __real_sotto__digest_end(digest, out);
    if (current == NULL || !current->sealed) return;
    const column *stored = &current->column[digest_column];
    if (stored->at != NULL && stored->bytes == SOTTO__DIGEST_BYTES)
        memcpy(out, stored->at, SOTTO__DIGEST_BYTES);
}

static bool is_same(const postgres_value *value, const column *of)
{
    if (value->is_null || of->at == NULL) return value->is_null == (of->at == NULL);
    journal_bytes bytes = value->blob;
    uint8_t number[8];
    for (int i = 0; i < 8; i++) {
        number[i] = (uint8_t)(value->number >> (56 - 8 * i));
    }
    if (value->kind == POSTGRES_TEXT)
        bytes = (journal_bytes){(const uint8_t *)value->text, strlen(value->text)};
    if (value->kind == POSTGRES_NUMBER) bytes = (journal_bytes){number, sizeof number};
    if (value->kind == POSTGRES_NUMBER && of->bytes == 1) /* a truth value */
        return (of->at[0] != 0) == (value->number == 1);
    return of->bytes == bytes.bytes &&
           (bytes.bytes == 0 || memcmp(of->at, bytes.at, bytes.bytes) == 0);
}

/* What is written must be the row; other questions need no answer. */
bool __wrap_postgres__queue(postgres_connection *to, const char *sql, const postgres_value *value,
                            int values)
{
    (void)to;
    if (written == NULL || strncmp(sql, "INSERT INTO ", 12) != 0) return true;
    fuzz_require(values >= columns);
    for (int c = 0; c < columns; c++) {
        fuzz_require(is_same(&value[c], &written->column[c]));
    }
    written_count++;
    return true;
}

/* The next row, in a result of its own. */
static bool give_row(postgres_take *take, void *self)
{
    current = &rows[given];
    PGresult *result = result_of(given++, 1);
    bool taken = take(self, 0, result);
    PQclear(result);
    current = NULL;
    return taken;
}

bool __wrap_postgres__run_by_rows(postgres_connection *to, postgres_take *take, void *self)
{
    (void)to;
    while (given < rows_count) {
        if (!give_row(take, self)) return false;
    }
    return true;
}

/* In one result if no digest is made to fit. */
bool __wrap_postgres__ask(postgres_connection *to, const char *sql, const postgres_value *value,
                          int values, postgres_take *take, void *self)
{
    bool sealed = false;
    (void)sql, (void)value, (void)values;
    bool taken = true;
    (void)to;
    if (take == NULL) return true;
    for (int i = given; i < asked_end; i++) {
        sealed = sealed || rows[i].sealed;
    }
    if (!sealed) {
        PGresult *result = result_of(given, asked_end - given);
        given = asked_end;
        taken = take(self, 0, result);
        PQclear(result);
    }
    while (taken && given < asked_end) {
        taken = give_row(take, self);
    }
    digest_column = JOURNAL_DIGEST_COLUMN; /* of rows that are asked for after these */
    return taken;
}

/* Asked by the writer of an experiment alone: its number, and whether its id is there. */
bool __wrap_postgres__run(postgres_connection *to, postgres_take *take, void *self)
{
    PGresAttDesc attribute[2] = {{.name = "x", .format = 1}, {.name = "y", .format = 1}};
    (void)to;
    if (take == NULL) return true;
    char number[8], none[1] = {0};
    for (int i = 0; i < 8; i++) {
        number[i] = (char)(next_number >> (56 - 8 * i));
    }
    PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    fuzz_require(result != NULL && PQsetResultAttrs(result, 2, attribute) == 1);
    fuzz_require(PQsetvalue(result, 0, 0, number, 8) == 1 &&
                 PQsetvalue(result, 0, 1, none, 1) == 1);
    bool taken = take(self, 1, result);
    PQclear(result);
    return taken;
}

bool __wrap_folding__ready(sottod_folding *folding)
{
    (void)folding;
    return true;
}

/* ---- tables ------------------------------------------------------------------------------- */

/* With no row of its own `take` has to do with results of several rows: those are not written. */
static bool begin_writing(void)
{
    written = current;
    written_count = 0;
    return written != NULL;
}

static bool end_writing(bool done, uint32_t wanted)
{
    fuzz_require(done && written_count == wanted);
    written = NULL;
    return true;
}

static bool take_experiment(void *self, const journal_experiment *experiment)
{
    journal_experiment added = *experiment;
    (void)self;
    if (experiment->damaged) {
        fuzz_require(experiment->terms.bytes == 0 && experiment->labels[0] == '\0');
        return true;
    }
    fuzz_require(experiment->state <= JOURNAL_DELETED);
    next_number = experiment->number;
    begin_writing();
    bool may = next_number > 0 && postgres__add_experiment(&connection, &added);
    fuzz_require(!may || added.number == experiment->number);
    return end_writing(true, may ? 1 : 0);
}

static bool take_model(void *self, const folding_model *model)
{
    (void)self;
    fuzz_require(postgres__cut_fault(&model->cut, NULL) == SOTTO_OK);
    if (!begin_writing()) return true;
    return end_writing(postgres__put_model(&connection, model, written->column[11].at), 1);
}

static bool take_ended(void *self, const folding_model *ended)
{
    (void)self;
    fuzz_require(ended->kind == JOURNAL_REPORTS &&
                 postgres__cut_fault(&ended->cut, NULL) == SOTTO_OK);
    if (!begin_writing()) return true;
    return end_writing(postgres__put_ended(&connection, ended), 1);
}

static bool take_history(void *self, const journal_history *history)
{
    (void)self;
    begin_writing();
    return end_writing(postgres__put_history(&connection, history), 1);
}

static bool take_held(void *self, const journal_held *held)
{
    (void)self;
    fuzz_require(held->decision <= JOURNAL_DISCARD);
    if (!begin_writing()) return true;
    return end_writing(postgres__put_held(&connection, held), 1);
}

static bool take_news(void *self, const journal_news *news)
{
    (void)self;
    fuzz_require(news->state <= JOURNAL_DELETED);
    fuzz_require(news->held.epoch == news->epoch || news->held.reports == 0);
    return true;
}

static bool take_row(void *self, const journal_row *got)
{
    uint64_t *last = self;
    fuzz_require(*last == 0 || got->seq == *last + 1);
    *last = got->seq;
    return true;
}

static bool read_experiments(void)
{
    return postgres__read_experiments(&connection, take_experiment, NULL);
}

static bool read_models(void)
{
    return postgres__read_models(&connection, EXPERIMENT, POSTGRES_MODELS_FROM, 0, take_model,
                                 NULL);
}

static bool read_ended(void)
{
    if (rows_count > 1) asked_end = 1; /* by the primary key */
    return postgres__read_ended(&connection, EXPERIMENT, take_ended, NULL);
}

static bool read_history(void)
{
    return postgres__read_history(&connection, 0, 0, UINT64_MAX, take_history, NULL);
}

static bool read_held(void)
{
    return postgres__read_held(&connection, take_held, NULL);
}

static bool read_news(void)
{
    return postgres__read_news(&connection, 0, take_news, NULL);
}

/* The first row has a cut to read up to, in its last column. The second is one of `removed`: the place where the chain
 * begins. Rows of `journal` follow. */
static bool read_journal(void)
{
    sottod_folding folding = {.connection = {.pg = NULL}};
    const folding_cut none = {.places = 0};
    folding_cut to = {.places = 0};
    uint64_t last = 0;
    const column *cut = &rows[0].column[7];
    if (rows_count < 2 || cut->at == NULL) return true;
    if (!postgres__cut_decode((journal_bytes){cut->at, cut->bytes}, &to)) {
        folding_cut_free(&to);
        return true;
    }
    given = 1;
    asked_end = 2;
    bool done = folding_read_rows(&folding, EXPERIMENT, &none, &to, take_row, &last);
    connection = folding.connection;
    folding_cut_free(&to);
    return done;
}

/* What waits, twice: the second time after what was seen. The database sorts by gateway. */
static bool read_waiting(void)
{
    sottod_folding folding = {.connection = {.pg = NULL}};
    const folding_cut none = {.places = 0}, *cut;
    uint64_t reports;
    bool done = folding_waiting(&folding, EXPERIMENT, &none, &cut, &reports);
    given = 0;
    if (done) done = folding_waiting(&folding, EXPERIMENT, &none, &cut, &reports);
    connection = folding.connection;
    for (uint32_t i = 0; i < folding.looks; i++) {
        folding_cut_free(&folding.look[i].from);
        folding_cut_free(&folding.look[i].seen);
    }
    free(folding.look);
    return done;
}

static bool take_number(void *self, uint32_t experiment)
{
    (void)self, (void)experiment;
    return true;
}

/* The same: new rows, twice. */
static bool read_arrivals(void)
{
    sottod_folding folding = {.connection = {.pg = NULL}};
    bool done = folding_arrivals(&folding, true, take_number, NULL);
    given = 0;
    if (done) done = folding_arrivals(&folding, false, take_number, NULL);
    connection = folding.connection;
    folding_cut_free(&folding.ticks);
    return done;
}

static bool take_pace(void *self, uint32_t experiment, uint64_t elapsed_ms)
{
    (void)self, (void)experiment, (void)elapsed_ms;
    return true;
}

static bool read_pace(void)
{
    sottod_folding folding = {.connection = {.pg = NULL}};
    bool done = folding_read_pace(&folding, 0, take_pace, NULL);
    connection = folding.connection;
    return done;
}

static const struct {
    bool (*read)(void);
    int columns, digest_column;
} tables[] = {
    {read_experiments, 13, 12}, {read_models, 13, 12}, {read_ended, 9, 8},   {read_history, 14, 13},
    {read_held, 6, 5},          {read_news, 15, 10},   {read_journal, 8, 3}, {read_waiting, 5, 2},
    {read_arrivals, 3, 2},      {read_pace, 2, 1},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    size_t table = data[0] % (sizeof tables / sizeof tables[0]);
    columns = tables[table].columns;
    digest_column = tables[table].digest_column;
    read_rows(data + 1, size - 1);
    given = 0;
    asked_end = rows_count;
    current = NULL;
    written = NULL;
    connection = (postgres_connection){.pg = NULL};
    bool done = tables[table].read();
    fuzz_require(done || connection.fault.sentence[0] != '\0');
    return 0;
}
