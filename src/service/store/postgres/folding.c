#include "inner.h"

#include "service/system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sottod_folding *folding_new(const postgres_settings *settings)
{
    sottod_folding *folding = calloc(1, sizeof *folding);
    if (folding == NULL) return NULL;
    /* if this fails, every other function reports why */
    folding->usable = postgres__init(&folding->connection, settings);
    folding->connection.no_names = true;
    return folding;
}

/* Forgets the results of all folding_waiting calls. */
static void forget(sottod_folding *folding)
{
    for (uint32_t i = 0; i < folding->looks; i++) {
        folding_cut_free(&folding->look[i].from);
        folding_cut_free(&folding->look[i].seen);
    }
    folding_cut_free(&folding->ticks);
    free(folding->look);
    folding->look = NULL;
    folding->looks = 0;
}

void folding_free(sottod_folding *folding)
{
    if (folding == NULL) return;
    postgres__end(&folding->connection);
    forget(folding);
    free(folding);
}

void folding_hang_up(sottod_folding *folding)
{
    postgres__drop(&folding->connection);
    folding->held = folding->begun = false;
}

const sotto_fault *folding_fault(const sottod_folding *folding)
{
    return &folding->connection.fault;
}

bool folding__ready(sottod_folding *folding)
{
    bool is_new;
    postgres_connection *connection = &folding->connection;
    if (!folding->usable) return false;
    if (!postgres__session(connection, false, &is_new)) {
        folding->held = folding->begun = false;
        return false;
    }
    if (!is_new) return true;
    folding->held = folding->begun = false;
    forget(folding);
    /* A new session loads the list of partitions, which takes long if there are many. It happens here so that no
     * later query times out because of it. */
    connection->timeout_ms *= FOLDING_PATIENCE;
    bool ready =
        postgres__ask(connection, "SELECT 1 FROM journal WHERE slab = 0", NULL, 0, NULL, NULL) &&
        postgres__ask(connection, POSTGRES_JOIN_CREW, NULL, 0, NULL, NULL);
    connection->timeout_ms /= FOLDING_PATIENCE;
    if (ready) return true;
    postgres__drop(connection);
    return false;
}

bool folding__is_publisher(sottod_folding *folding)
{
    if (!folding__ready(folding)) return false;
    if (folding->held) return true;
    return postgres__refuse(&folding->connection,
                            "this connection does not hold the lock of the housekeeper");
}

bool folding__may_fold(sottod_folding *folding, uint32_t experiment)
{
    if (!folding__ready(folding)) return false;
    if (folding->held) return true;
    if (experiment > 0 && experiment <= folding->looks && folding->look[experiment - 1].mine)
        return true;
    return postgres__refuse(&folding->connection,
                            "this connection does not hold the lock of experiment %u", experiment);
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
    /* A session that holds the lock already must not take it again, or it would have to release it twice. */
    const char *ask = folding->held ? "SELECT true" : POSTGRES_TRY_PUBLISHER;
    if (!postgres__ask(&folding->connection, ask, NULL, 0, take_held, held)) {
        folding->held = folding->begun = false;
        return *held = false;
    }
    folding->held = *held;
    folding->begun = true;
    return true;
}

typedef struct taking {
    sottod_folding *folding;
    uint32_t most; /* the largest number asked for */
} taking;

folding_look *folding__look(sottod_folding *folding, uint32_t experiment)
{
    if (experiment == 0 || experiment > POSTGRES_EXPERIMENTS_MAX) {
        postgres__refuse(&folding->connection, "there is no experiment %u", experiment);
        return NULL;
    }
    if (experiment > folding->looks) {
        uint32_t looks = experiment < 16 ? 32 : experiment * 2;
        folding_look *look = realloc(folding->look, looks * sizeof *look);
        if (look == NULL) {
            postgres__refuse(&folding->connection, "no memory for experiment %u", experiment);
            return NULL;
        }
        memset(look + folding->looks, 0, (looks - folding->looks) * sizeof *look);
        folding->look = look;
        folding->looks = looks;
    }
    return &folding->look[experiment - 1];
}

static bool take_taken(void *self, int question, const PGresult *result)
{
    const taking *all = self;
    sottod_folding *folding = all->folding;
    (void)question;
    for (int row = 0; row < PQntuples(result); row++) {
        uint32_t number;
        bool is_taken;
        if (!postgres__column_u32(result, row, 0, &number) ||
            !postgres__column_bool(result, row, 1, &is_taken) || number > all->most)
            return postgres__refuse(&folding->connection, "a lock cannot be read");
        folding_look *look = folding__look(folding, number);
        if (look == NULL) return false;
        look->mine = is_taken;
    }
    return true;
}

/* "{1,2}". NULL: no memory. */
static char *list_of(const uint32_t *number, uint32_t count)
{
    char *list = malloc((size_t)count * 11 + 3), *at = list;
    if (list == NULL) return NULL;
    *at++ = '{';
    for (uint32_t i = 0; i < count; i++) {
        at += sprintf(at, i == 0 ? "%u" : ",%u", number[i]);
    }
    memcpy(at, "}", 2);
    return list;
}

bool folding_take(sottod_folding *folding, const uint32_t *experiment, uint32_t count)
{
    if (!folding__ready(folding)) return false;
    taking all = {.folding = folding};
    for (uint32_t i = 0; i < count; i++) {
        if (experiment[i] > all.most) all.most = experiment[i];
    }
    char *list = list_of(experiment, count);
    if (list == NULL) return postgres__refuse(&folding->connection, "no memory for locks");
    const postgres_value value[] = {POSTGRES_NUMBERS(list)};
    bool done =
        postgres__ask(&folding->connection, POSTGRES_TRY_EXPERIMENTS, value, 1, take_taken, &all);
    free(list);
    return done;
}

bool folding_is_mine(const sottod_folding *folding, uint32_t experiment)
{
    return folding->connection.pg != NULL && experiment > 0 && experiment <= folding->looks &&
           folding->look[experiment - 1].mine;
}

bool folding_leave(sottod_folding *folding, uint32_t experiment)
{
    const postgres_value value[] = {POSTGRES_U(experiment)};
    if (!folding_is_mine(folding, experiment)) return true;
    folding->look[experiment - 1].mine = false;
    return postgres__ask(&folding->connection, POSTGRES_LEAVE_EXPERIMENT, value, 1, NULL, NULL);
}

static bool take_crew(void *self, int question, const PGresult *result)
{
    (void)question;
    return postgres__column_u32(result, 0, 0, self);
}

bool folding_crew(sottod_folding *folding, uint32_t *crew)
{
    *crew = 0;
    return folding__ready(folding) &&
           postgres__ask(&folding->connection, POSTGRES_COUNT_CREW, NULL, 0, take_crew, crew);
}

bool folding_holds(const sottod_folding *folding)
{
    return folding->begun && folding->connection.pg != NULL &&
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
            folding->held = folding->begun = false;
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
