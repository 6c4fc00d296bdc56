/* The last reports of an experiment that is closed. */
#include "folding_inside.h"

#include "cut.h"
#include "ended_rows.h"
#include "locks.h"
#include "look_before.h"

#include <string.h>

#define BUSY "55P03"
#define IS_THERE "23505"

/* A gateway locks the table before it looks at the state of an experiment, and until its commit: who had this lock
 * once knows that all who saw the experiment open have ended, and that others see it closed. */
bool folding_settle(sottod_folding *folding, bool *busy)
{
    postgres_connection *connection = &folding->connection;
    *busy = false;
    if (!folding__is_folder(folding)) return false;
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
    const char *fault = postgres__cut_fault(&ended->cut);
    *fenced = false;
    if (!folding__is_folder(folding)) return false;
    if (fault != NULL)
        return postgres__refuse(connection, "the cut of an ended experiment is wrong: %s", fault);
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
