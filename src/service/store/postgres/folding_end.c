#include "inner.h"
#include "service/store/store.h"

#include <string.h>

/* ==== folding end ============================================================================ */

/* The last reports of a closed experiment. */

#define BUSY "55P03"
#define IS_THERE "23505"

/* A gateway locks the table before it reads the state of an experiment, until its commit. Once we have held this
 * lock, all gateways that saw the experiment open have ended, and all others see it closed. */
bool folding_settle(sottod_folding *folding, bool *busy)
{
    postgres_connection *connection = &folding->connection;
    *busy = false;
    if (!folding__is_publisher(folding)) return false;
    if (postgres__queue(connection, "BEGIN", NULL, 0) &&
        postgres__queue(connection, "SET LOCAL lock_timeout = " FOLDING_LOCK_MS, NULL, 0) &&
        postgres__queue(connection, "LOCK TABLE ONLY journal IN SHARE MODE", NULL, 0) &&
        postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL))
        return true;
    *busy = connection->pg != NULL && strcmp(connection->sqlstate, BUSY) == 0;
    postgres__rollback(connection);
    return *busy;
}

bool folding_read_ended(sottod_folding *folding, uint32_t experiment,
                        bool (*take)(void *self, const folding_model *), void *self)
{
    return folding__ready(folding) &&
           postgres__read_ended(&folding->connection, experiment, take, self);
}

bool folding_end(sottod_folding *folding, const folding_model *ended, bool *fenced)
{
    postgres_before last;
    postgres_connection *connection = &folding->connection;
    sotto_fault why;
    *fenced = false;
    if (!folding__is_publisher(folding)) return false;
    if (postgres__cut_fault(&ended->cut, &why) != SOTTO_OK)
        return postgres__refuse(connection, "the cut of an ended experiment is wrong: %s",
                                why.sentence);
    if (!postgres__queue(connection, "BEGIN", NULL, 0) ||
        !postgres__look_before(connection, ended->experiment, &last))
        return folding__fail(folding);
    *fenced = !last.found || last.state != JOURNAL_CLOSED || last.epoch != ended->epoch;
    if (*fenced) {
        postgres__rollback(connection);
        return true;
    }
    if (postgres__put_ended(connection, ended) &&
        postgres__queue(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0) &&
        postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL))
        return true;
    *fenced = connection->pg != NULL && strcmp(connection->sqlstate, IS_THERE) == 0;
    postgres__rollback(connection);
    return *fenced;
}

/* ==== folding thin =========================================================================== */

/* Thinning: one row of history per hour instead of one per publish. */

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static bool thin(postgres_connection *connection, const journal_hour *one)
{
    uint64_t start = journal_hour_start(one->sum.minute);
    const postgres_value value[] = {
        POSTGRES_U(one->sum.experiment),      POSTGRES_U(one->first_epoch),
        POSTGRES_U(one->sum.epoch),           POSTGRES_U(start),
        POSTGRES_U(start + JOURNAL_HOUR_MIN),
    };
    return postgres__queue(connection,
                           "DELETE FROM history WHERE experiment = $1 AND epoch BETWEEN $2 AND $3 "
                           "AND minute >= $4 AND minute < $5",
                           value, COUNT(value)) &&
           postgres__put_history(connection, &one->sum) && postgres__run(connection, NULL, NULL);
}

bool folding_thin_history(sottod_folding *folding, uint64_t before_minute)
{
    postgres_connection *connection = &folding->connection;
    uint64_t before = journal_hour_start(before_minute); /* whole hours only */
    journal_hours all = {.count = 0};
    if (!folding__is_publisher(folding)) return false;
    bool done =
        postgres__ask(connection, "BEGIN", NULL, 0, NULL, NULL) &&
        postgres__read_history(connection, 0, folding->thinned, before, journal_hours_gather, &all);
    for (size_t i = 0; done && i < all.count; i++) {
        if (all.at[i].rows > 1) done = thin(connection, &all.at[i]);
    }
    if (all.no_memory) postgres__refuse(connection, "no memory for the history");
    journal_hours_free(&all);
    done = done && postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL);
    if (!done) return folding__fail(folding);
    if (before > folding->thinned) folding->thinned = before;
    return true;
}

/* ==== decide held ============================================================================ */

bool postgres__end_fallback(postgres_connection *connection, uint32_t experiment, bool *done)
{
    postgres_before found;
    *done = false;
    if (!postgres__look_before(connection, experiment, &found)) return false;
    if (!found.found || found.state != JOURNAL_OPEN || found.held.reports > 0) {
        connection->changed = true; /* the caller does not know of this change yet */
        /* it was done before */
        *done = found.found && (found.held.alarms & JOURNAL_ALARM_HARM) != 0;
        return true;
    }
    const journal_held ends = {.experiment = experiment,
                               .epoch = found.epoch,
                               .alarms = JOURNAL_ALARM_HARM,
                               .reports = 1, /* 0 would mean that there is no row */
                               .decision = JOURNAL_PUBLISH};
    *done = postgres__put_held(connection, &ends) &&
            postgres__ask(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0, NULL, NULL);
    return *done;
}

bool postgres__decide(postgres_connection *connection, uint32_t experiment, uint32_t epoch,
                      journal_kind decision, bool *held)
{
    postgres_before found;
    *held = false;
    if (decision != JOURNAL_PUBLISH && decision != JOURNAL_DISCARD)
        return postgres__refuse(
            connection, "the decision on a held epoch is %u: allowed 1 (publish), 2 (discard)",
            (unsigned)decision);
    if (!postgres__look_before(connection, experiment, &found)) return false;
    if (!found.found || found.state != JOURNAL_OPEN || found.held.reports == 0 ||
        found.held.epoch != epoch || (found.held.alarms & JOURNAL_ALARM_HARM) != 0) {
        connection->changed = true; /* the caller does not know of this change yet */
        return true;
    }
    found.held.decision = decision;
    *held = postgres__put_held(connection, &found.held) &&
            postgres__ask(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0, NULL, NULL);
    return *held;
}
