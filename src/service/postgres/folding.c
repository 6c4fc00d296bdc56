#include "folding_inside.h"

#include "column.h"
#include "experiment_rows.h"
#include "locks.h"
#include "service/system/clock.h"
#include "session.h"

#include <stdlib.h>

sottod_folding *folding_new(const postgres_settings *settings)
{
    sottod_folding *folding = calloc(1, sizeof *folding);
    if (folding == NULL) return NULL;
    folding->usable =
        postgres__init(&folding->connection, settings); /* if not, all others say why */
    return folding;
}

void folding__forget(sottod_folding *folding)
{
    for (uint32_t i = 0; i < folding->looks; i++) {
        folding_cut_free(&folding->look[i].from);
        folding_cut_free(&folding->look[i].seen);
    }
    free(folding->look);
    folding->look = NULL;
    folding->looks = 0;
}

void folding_free(sottod_folding *folding)
{
    if (folding == NULL) return;
    postgres__end(&folding->connection);
    folding__forget(folding);
    free(folding);
}

const char *folding_fault(const sottod_folding *folding)
{
    return folding->connection.fault;
}

bool folding__ready(sottod_folding *folding)
{
    bool is_new;
    postgres_connection *connection = &folding->connection;
    if (!folding->usable) return false;
    if (!postgres__session(connection, false, &is_new)) {
        folding->held = false;
        return false;
    }
    if (!is_new) return true;
    folding->held = false;
    folding__forget(folding);
    return true;
}

bool folding__is_folder(sottod_folding *folding)
{
    if (!folding__ready(folding)) return false;
    if (folding->held) return true;
    return postgres__refuse(&folding->connection,
                            "this connection does not hold the lock of the folder");
}

bool folding__fail(sottod_folding *folding)
{
    postgres__rollback(&folding->connection);
    return false;
}

static bool take_held(void *self, int question, const PGresult *result)
{
    (void)question;
    return postgres__column_bool(result, 0, 0, self);
}

bool folding_lock(sottod_folding *folding, bool *held)
{
    *held = false;
    if (!folding__ready(folding)) return false;
    /* Asked again by the one that holds it, it would have to be given back twice: the answer is enough. */
    const char *ask = folding->held ? "SELECT true" : POSTGRES_TRY_FOLDER;
    if (!postgres__ask(&folding->connection, ask, NULL, 0, take_held, held)) {
        folding->held = false;
        return *held = false;
    }
    folding->held = *held;
    return true;
}

bool folding_holds(const sottod_folding *folding)
{
    return folding->held && folding->connection.pg != NULL &&
           PQstatus(folding->connection.pg) == CONNECTION_OK;
}

bool folding_read_experiments(sottod_folding *folding,
                              bool (*take)(void *self, const journal_experiment *), void *self)
{
    return folding__ready(folding) && postgres__read_experiments(&folding->connection, take, self);
}

bool folding_set_state(sottod_folding *folding, uint32_t experiment, journal_state state)
{
    postgres_connection *connection = &folding->connection;
    if (!folding__ready(folding)) return false;
    if (postgres__queue(connection, "BEGIN", NULL, 0) &&
        postgres__set_state(connection, experiment, state) &&
        postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL))
        return true;
    return folding__fail(folding);
}

bool folding_wait(sottod_folding *folding, int timeout_ms, bool *changed)
{
    *changed = false;
    postgres_connection *connection = &folding->connection;
    const uint64_t end_ms = clock_steady_ms() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0);
    if (connection->pg == NULL) {
        postgres__wait(connection, timeout_ms > 0 ? timeout_ms : 0);
        return postgres__refuse(connection, "there is no connection to the database");
    }
    for (;;) {
        postgres__listen(connection);
        if (connection->pg == NULL) {
            folding->held = false;
            return false;
        }
        uint64_t now_ms = clock_steady_ms();
        if (connection->changed || now_ms >= end_ms) break;
        postgres__wait(connection, (int)(end_ms - now_ms));
    }
    *changed = connection->changed;
    connection->changed = false;
    return true;
}
