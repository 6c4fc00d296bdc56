#include "inner.h"

#include "core/core.h"

#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define COLUMNS                                                                                    \
    "number, id, state, created_minute, epoch_seconds_min, epoch_reports_min, "                    \
    "epoch_reports_expected, quarantine, report_key, terms, start, labels, digest"
/* The server cancels a statement whose rows are not read in time, even if the query itself was fast. So rows are read
 * in portions. */
#define ROWS_AT_ONCE 64u
#define MINUTE_NOW "ceil(extract(epoch FROM now()) / 60)::bigint"

/* ---- reading ------------------------------------------------------------------------------ */

static bool key_of(const PGresult *result, int row, int column, journal_experiment *out)
{
    out->has_report_key = !PQgetisnull(result, row, column);
    return !out->has_report_key ||
           postgres__column_exact(result, row, column, out->report_key, sizeof out->report_key);
}

/* False if a column is invalid or the digest is wrong. */
static bool experiment_of(const PGresult *result, int row, journal_experiment *out)
{
    uint32_t state;
    uint8_t stored[JOURNAL_DIGEST_BYTES], digest[JOURNAL_DIGEST_BYTES];
    if (!postgres__column_u32(result, row, 0, &out->number) ||
        !postgres__column_exact(result, row, 1, out->id, sizeof out->id) ||
        !postgres__column_u32(result, row, 2, &state) ||
        !postgres__column_u64(result, row, 3, &out->created_minute) ||
        !postgres__column_u32(result, row, 4, &out->epoch_seconds_min) ||
        !postgres__column_u64(result, row, 5, &out->epoch_reports_min) ||
        !postgres__column_u64(result, row, 6, &out->epoch_reports_expected) ||
        !postgres__column_bool(result, row, 7, &out->quarantine) || !key_of(result, row, 8, out) ||
        !postgres__column_bytes(result, row, 9, &out->terms) ||
        !postgres__column_bytes(result, row, 10, &out->start) ||
        !postgres__column_text(result, row, 11, &out->labels) ||
        !postgres__column_exact(result, row, 12, stored, sizeof stored) || state > JOURNAL_DELETED)
        return false;
    out->state = (journal_state)state;
    journal__digest_experiment(out, digest);
    out->mark = sotto__get_u64(digest);
    return memcmp(digest, stored, sizeof digest) == 0;
}

static bool refuse_damage(postgres_connection *connection, uint32_t number)
{
    char place[200];
    return postgres__refuse(
        connection,
        "%s is damaged: experiment %u is unreadable, or its digest is wrong. Restore a copy",
        postgres__place(connection, place, sizeof place), number);
}

/* So that one damaged row does not prevent reading the others. */
static void keep_name(journal_experiment *experiment)
{
    journal_experiment damaged = {.number = experiment->number, .labels = "", .damaged = true};
    memcpy(damaged.id, experiment->id, sizeof damaged.id);
    *experiment = damaged;
}

typedef struct experiment_reader {
    bool (*take)(void *self, const journal_experiment *);
    void *self;
    uint32_t rows, last; /* in this portion; the largest number so far */
} experiment_reader;

static bool take_experiment(void *self, int question, const PGresult *result)
{
    experiment_reader *all = self;
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        journal_experiment experiment = {.number = 0};
        if (!experiment_of(result, row, &experiment)) keep_name(&experiment);
        all->rows++;
        if (experiment.number > all->last) all->last = experiment.number;
        if (!all->take(all->self, &experiment)) return false;
    }
    return true;
}

bool postgres__read_experiments(postgres_connection *connection,
                                bool (*take)(void *self, const journal_experiment *), void *self)
{
    experiment_reader all = {.take = take, .self = self};
    uint32_t before;
    do {
        const postgres_value value[] = {POSTGRES_U(all.last), POSTGRES_U(ROWS_AT_ONCE)};
        before = all.last;
        all.rows = 0;
        if (!postgres__queue(connection,
                             "SELECT " COLUMNS
                             " FROM experiment WHERE number > $1 ORDER BY number LIMIT $2",
                             value, COUNT(value)) ||
            !postgres__run_by_rows(connection, take_experiment, &all))
            return false;
    } while (all.rows == ROWS_AT_ONCE && all.last > before);
    return true;
}

/* ---- adding ------------------------------------------------------------------------------- */

typedef struct adding {
    uint64_t number;
    bool there; /* the id exists already */
} adding;

static bool take_number(void *self, int question, const PGresult *result)
{
    adding *out = self;
    (void)question;
    return postgres__column_u64(result, 0, 0, &out->number) &&
           postgres__column_bool(result, 0, 1, &out->there);
}

/* Locks the table so that no other process adds a row. Rows are never removed, so the largest number only grows. */
static bool next_number(postgres_connection *connection, const journal_experiment *experiment,
                        uint32_t *out)
{
    adding next = {.number = 0};
    const postgres_value id[] = {POSTGRES_BYTES(experiment->id, sizeof experiment->id)};
    if (!postgres__queue(connection, "LOCK TABLE experiment IN SHARE ROW EXCLUSIVE MODE", NULL,
                         0) ||
        !postgres__queue(connection,
                         "SELECT coalesce(max(number), 0) + 1, coalesce(bool_or(id = $1), false) "
                         "FROM experiment",
                         id, 1) ||
        !postgres__run(connection, take_number, &next))
        return false;
    if (next.there) {
        connection->changed = true;
        return postgres__refuse(
            connection,
            "another gateway has made an experiment with this id, which exists or was deleted");
    }
    if (next.number > POSTGRES_EXPERIMENTS_MAX)
        return postgres__refuse(connection, "there are %u experiments, the maximum",
                                POSTGRES_EXPERIMENTS_MAX);
    *out = (uint32_t)next.number;
    return true;
}

static bool insert(postgres_connection *connection, const journal_experiment *added,
                   size_t report_bytes)
{
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_experiment(added, digest);
    postgres_value key = POSTGRES_BYTES(added->report_key, sizeof added->report_key);
    key.is_null = !added->has_report_key;
    const postgres_value value[] = {
        POSTGRES_U(added->number),
        POSTGRES_BYTES(added->id, sizeof added->id),
        POSTGRES_U(added->state),
        POSTGRES_U(added->created_minute),
        POSTGRES_U(added->epoch_seconds_min),
        POSTGRES_U(added->epoch_reports_min),
        POSTGRES_U(added->epoch_reports_expected),
        POSTGRES_U(added->quarantine ? 1 : 0),
        key,
        POSTGRES_BYTES(added->terms.at, added->terms.bytes),
        POSTGRES_BYTES(added->start.at, added->start.bytes),
        POSTGRES_STRING(added->labels),
        POSTGRES_BYTES(digest, sizeof digest),
        POSTGRES_U(report_bytes),
        POSTGRES_U(postgres__slab_first(added->number)),
    };
    return postgres__queue(connection,
                           "INSERT INTO experiment (" COLUMNS ", report_bytes, slab, slab_minute) "
                           "VALUES ($1, $2, $3, $4, $5, $6, $7, $8 = 1, $9, $10, $11, $12, $13, "
                           "$14, $15, " MINUTE_NOW ")",
                           value, COUNT(value));
}

bool postgres__add_experiment(postgres_connection *connection, journal_experiment *experiment)
{
    sotto_terms terms;
    journal_experiment added = *experiment;
    if ((uint32_t)experiment->state >= JOURNAL_DELETED)
        return postgres__refuse(connection, "a new experiment has state %u: allowed 0 to 2",
                                (unsigned)experiment->state);
    if (sotto_terms_decode(added.terms.at, added.terms.bytes, &terms) != SOTTO_OK)
        return postgres__refuse(connection, "the terms of a new experiment are not valid");
    if (!next_number(connection, experiment, &added.number)) return false;
    if (!insert(connection, &added, sotto_report_bytes(&terms)) ||
        !postgres__slab_make(connection, postgres__slab_first(added.number)) ||
        !postgres__queue(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0) ||
        !postgres__run(connection, NULL, NULL))
        return false;
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal__digest_experiment(&added, digest);
    experiment->number = added.number;
    experiment->mark = sotto__get_u64(digest);
    return true;
}

/* ---- changing ----------------------------------------------------------------------------- */

/* The new values of a row, and its new digest. */
typedef struct change {
    postgres_connection *connection;
    uint32_t number;
    bool sets_state;
    journal_state state;
    bool quarantine;
    const char *labels; /* NULL: labels and key stay */
    const uint8_t *report_key;
    uint8_t digest[JOURNAL_DIGEST_BYTES];
} change;

static bool refuse_state(change *to, journal_state from)
{
    to->connection->changed = true;
    return postgres__refuse(to->connection, "experiment %u is %s, which cannot be undone",
                            to->number, journal_state_name(from));
}

static bool take_change(void *self, int question, const PGresult *result)
{
    change *to = self;
    journal_experiment row = {.number = to->number};
    (void)question;
    if (PQntuples(result) == 0)
        return postgres__refuse(to->connection, "there is no experiment %u", to->number);
    if (!experiment_of(result, 0, &row)) return refuse_damage(to->connection, to->number);
    if (row.state == JOURNAL_DELETED) return refuse_state(to, row.state);
    if (to->sets_state && row.state == JOURNAL_CLOSED && to->state < JOURNAL_CLOSED)
        return refuse_state(to, row.state);
    if (to->sets_state) {
        row.state = to->state;
    } else if (to->labels != NULL) {
        row.labels = to->labels;
        row.has_report_key = to->report_key != NULL;
        if (row.has_report_key) memcpy(row.report_key, to->report_key, sizeof row.report_key);
    } else {
        row.quarantine = to->quarantine;
    }
    if (row.state == JOURNAL_DELETED) {
        row.terms = row.start = (journal_bytes){.bytes = 0};
        row.labels = "";
        row.has_report_key = false;
    }
    journal__digest_experiment(&row, to->digest);
    return true;
}

/* Reads the row and locks it until the transaction ends. */
static bool prepare(change *to)
{
    const postgres_value number[] = {POSTGRES_U(to->number)};
    return postgres__ask(to->connection,
                         "SELECT " COLUMNS " FROM experiment WHERE number = $1 FOR UPDATE", number,
                         1, take_change, to);
}

bool postgres__set_quarantine(postgres_connection *connection, uint32_t experiment, bool quarantine)
{
    change to = {.connection = connection, .number = experiment, .quarantine = quarantine};
    if (!prepare(&to)) return false;
    const postgres_value value[] = {POSTGRES_U(experiment), POSTGRES_U(quarantine ? 1 : 0),
                                    POSTGRES_BYTES(to.digest, sizeof to.digest)};
    return postgres__queue(connection,
                           "UPDATE experiment SET quarantine = ($2 = 1), digest = $3 "
                           "WHERE number = $1",
                           value, COUNT(value)) &&
           postgres__ask(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0, NULL, NULL);
}

bool postgres__set_access(postgres_connection *connection, uint32_t experiment, const char *labels,
                          const uint8_t *report_key)
{
    change to = {
        .connection = connection, .number = experiment, .labels = labels, .report_key = report_key};
    if (!prepare(&to)) return false;
    postgres_value key = POSTGRES_BYTES(report_key, JOURNAL_DIGEST_BYTES);
    key.is_null = report_key == NULL;
    const postgres_value value[] = {POSTGRES_U(experiment), POSTGRES_STRING(labels), key,
                                    POSTGRES_BYTES(to.digest, sizeof to.digest)};
    return postgres__queue(connection,
                           "UPDATE experiment SET labels = $2, report_key = $3, digest = $4 "
                           "WHERE number = $1",
                           value, COUNT(value)) &&
           postgres__ask(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0, NULL, NULL);
}

/* Rows of the table `removed` stay while slabs exist: the publisher removes both. */
static bool queue_emptying(postgres_connection *connection, uint32_t experiment)
{
    static const char *const remove[] = {
        "UPDATE experiment SET terms = '', start = '', labels = '' WHERE number = $1",
        "UPDATE experiment SET report_key = NULL WHERE number = $1",
        "DELETE FROM model WHERE experiment = $1",
        "DELETE FROM history WHERE experiment = $1",
        "DELETE FROM ended WHERE experiment = $1",
    };
    const postgres_value number[] = {POSTGRES_U(experiment)};
    for (int i = 0; i < COUNT(remove); i++) {
        if (!postgres__queue(connection, remove[i], number, 1)) return false;
    }
    return true;
}

bool postgres__set_state(postgres_connection *connection, uint32_t experiment, journal_state state)
{
    change to = {
        .connection = connection, .number = experiment, .sets_state = true, .state = state};
    if ((uint32_t)state > JOURNAL_DELETED)
        return postgres__refuse(connection, "an experiment has state %u: allowed 0 to 3",
                                (unsigned)state);
    if (!prepare(&to)) return false;
    const postgres_value value[] = {POSTGRES_U(experiment), POSTGRES_U(state),
                                    POSTGRES_BYTES(to.digest, sizeof to.digest)};
    return postgres__queue(connection,
                           "UPDATE experiment SET state = $2, digest = $3 WHERE number = $1", value,
                           COUNT(value)) &&
           (state < JOURNAL_CLOSED || postgres__remove_held(connection, experiment)) &&
           (state != JOURNAL_DELETED || queue_emptying(connection, experiment)) &&
           postgres__ask(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0, NULL, NULL);
}
