#include "inner.h"

#include <stdio.h>

#define STATISTIC(sign, width, type, name) #name " bigint NOT NULL, "
#define STATISTICS JOURNAL_STATISTIC_MAP(STATISTIC)

static const char *const make[] = {
    "CREATE TABLE sotto.format (one boolean PRIMARY KEY DEFAULT true CHECK (one), "
    "version bigint NOT NULL)",

    "CREATE SEQUENCE sotto.gateway_number MAXVALUE 2147483647",
    "CREATE TABLE sotto.gateway (number bigint PRIMARY KEY)",

    "CREATE TABLE sotto.experiment (number bigint PRIMARY KEY, id bytea NOT NULL UNIQUE, "
    "state bigint NOT NULL, created_minute bigint NOT NULL, epoch_seconds_min bigint NOT NULL, "
    "epoch_reports_min bigint NOT NULL, epoch_reports_expected bigint NOT NULL, "
    "quarantine boolean NOT NULL, report_key bytea, terms bytea NOT NULL, start bytea NOT NULL, "
    "labels text NOT NULL, digest bytea NOT NULL, "
    "report_bytes bigint NOT NULL, slab bigint NOT NULL, slab_minute bigint NOT NULL)",

    "CREATE TABLE sotto.journal (experiment bigint NOT NULL, gateway bigint NOT NULL, "
    "gseq bigint NOT NULL, slab bigint NOT NULL, epoch bigint NOT NULL, reports bigint NOT NULL, "
    "late bigint NOT NULL, duplicate bigint NOT NULL, conflicting bigint NOT NULL, "
    "frames bytea NOT NULL, digest bytea NOT NULL) PARTITION BY LIST (slab)",
    /* Frames are as good as random: compression would be in vain. */
    "ALTER TABLE sotto.journal ALTER COLUMN frames SET STORAGE EXTERNAL",

    "CREATE TABLE sotto.removed (experiment bigint, gateway bigint, gseq bigint NOT NULL, "
    "last bytea NOT NULL, digest bytea NOT NULL, PRIMARY KEY (experiment, gateway))",

    "CREATE TABLE sotto.model (experiment bigint, epoch bigint, kind bigint NOT NULL, "
    "minute bigint NOT NULL, folded bigint NOT NULL, late bigint NOT NULL, "
    "duplicate bigint NOT NULL, conflicting bigint NOT NULL, cut bytea NOT NULL, "
    "learner bytea NOT NULL, told bytea NOT NULL, before bytea NOT NULL, digest bytea NOT NULL, "
    "PRIMARY KEY (experiment, epoch))",

    "CREATE TABLE sotto.history (experiment bigint, epoch bigint, minute bigint NOT "
    "NULL, " STATISTICS
    "alarms bigint NOT NULL, digest bytea NOT NULL, PRIMARY KEY (experiment, epoch))",

    "CREATE TABLE sotto.held (experiment bigint PRIMARY KEY, epoch bigint NOT NULL, "
    "alarms bigint NOT NULL, reports bigint NOT NULL, decision bigint NOT NULL, "
    "digest bytea NOT NULL)",

    "CREATE TABLE sotto.ended (experiment bigint PRIMARY KEY, epoch bigint NOT NULL, "
    "folded bigint NOT NULL, late bigint NOT NULL, duplicate bigint NOT NULL, "
    "conflicting bigint NOT NULL, cut bytea NOT NULL, learner bytea NOT NULL, "
    "digest bytea NOT NULL)",

    "CREATE TABLE sotto.pace (experiment bigint PRIMARY KEY, published_ms bigint "
    "NOT NULL, epoch bigint NOT NULL, looks bigint NOT NULL, distinct_reports bigint NOT NULL) "
    "WITH (fillfactor = 50)",

    "CREATE TABLE sotto.arrival (experiment bigint, gateway bigint, "
    "tick bigint NOT NULL, PRIMARY KEY (experiment, gateway)) "
    "WITH (fillfactor = 50)",
    "CREATE INDEX arrival_tick ON sotto.arrival (gateway, tick)",
};

typedef struct presence {
    bool schema, tables;
} presence;

static bool take_presence(void *self, int question, const PGresult *result)
{
    presence *out = self;
    (void)question;
    return postgres__column_bool(result, 0, 0, &out->schema) &&
           postgres__column_bool(result, 0, 1, &out->tables);
}

/* Reads the catalogue itself: to_regclass may answer from the connection's cache. */
#define IS_THERE(name)                                                                             \
    "EXISTS (SELECT 1 FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = " \
    "c.relnamespace WHERE n.nspname = 'sotto' AND c.relname = '" name "')"
#define LOOK                                                                                       \
    "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'sotto'), " IS_THERE(    \
        "format")

#define FORMAT_ROW "INSERT INTO sotto.format (version) VALUES ($1)"

/* One program makes them; the others wait and find them. */
static bool make_tables(postgres_connection *connection)
{
    presence there = {.tables = false};
    const postgres_value format[] = {POSTGRES_U(JOURNAL_FORMAT)};
    if (!postgres__queue(connection, "BEGIN", NULL, 0) ||
        !postgres__queue(connection, POSTGRES_LOCK_TABLES, NULL, 0) ||
        !postgres__run(connection, NULL, NULL) ||
        !postgres__ask(connection, LOOK, NULL, 0, take_presence, &there)) {
        return false;
    }
    bool queued = there.schema || postgres__queue(connection, "CREATE SCHEMA sotto", NULL, 0);
    for (size_t i = 0; queued && !there.tables && i < sizeof make / sizeof make[0]; i++) {
        queued = postgres__queue(connection, make[i], NULL, 0);
    }
    return queued && (there.tables || postgres__queue(connection, FORMAT_ROW, format, 1)) &&
           postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL);
}

static bool take_format(void *self, int question, const PGresult *result)
{
    (void)question;
    return PQntuples(result) == 1 && postgres__column_u64(result, 0, 0, self);
}

static bool is_known(postgres_connection *connection)
{
    uint64_t format = 0;
    char place[200];
    bool found = postgres__ask(connection, "SELECT version FROM sotto.format", NULL, 0, take_format,
                               &format);
    if (!found && (connection->pg == NULL || connection->failed_at >= 0)) return false;
    if (found && format == JOURNAL_FORMAT) return true;
    postgres__place(connection, place, sizeof place);
    if (format > 0) {
        return postgres__refuse(connection,
                                "%s has tables of format %llu, and this program reads only format "
                                "%d: use the program that made them, or another database",
                                place, (unsigned long long)format, JOURNAL_FORMAT);
    }
    return postgres__refuse(connection, "%s: the table `format` has no valid row: restore a copy",
                            place);
}

bool postgres__tables(postgres_connection *connection)
{
    presence there = {.tables = false};
    if (!postgres__ask(connection, LOOK, NULL, 0, take_presence, &there)) return false;
    if (there.tables) return is_known(connection);
    if (!make_tables(connection)) {
        postgres__rollback(connection);
        return false;
    }
    return is_known(connection);
}
