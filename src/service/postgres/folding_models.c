/* Publishes. The primary key (experiment, epoch) is the fence: of several folders one can insert a model. */
#include "folding_inside.h"

#include "column.h"
#include "cut.h"
#include "held_rows.h"
#include "history_rows.h"
#include "locks.h"
#include "model_rows.h"

#include <string.h>

#define IS_THERE "23505"

bool folding_read_models(sottod_folding *folding, uint32_t experiment, uint32_t from,
                         bool (*take)(void *self, const folding_model *), void *self)
{
    return folding__ready(folding) && postgres__read_models(&folding->connection, experiment,
                                                            POSTGRES_MODELS_FROM, from, take, self);
}

/* What is there already. */
typedef struct before {
    bool found; /* the experiment */
    uint32_t state;
    uint32_t epoch; /* of the last model; 0: none */
    uint8_t digest[JOURNAL_DIGEST_BYTES];
    journal_held held;
} before;

static bool take_before(void *self, int question, const PGresult *result)
{
    before *out = self;
    if (question == 0 || PQntuples(result) == 0) return true;
    if (question == 1) {
        out->found = true;
        return postgres__column_u32(result, 0, 0, &out->state);
    }
    if (question == 3) {
        postgres__held_of(result, 0, 0, &out->held);
        return true;
    }
    return postgres__column_u32(result, 0, 0, &out->epoch) &&
           postgres__column_exact(result, 0, 1, out->digest, sizeof out->digest);
}

/* Locks the experiment's row, so that it is not deleted meanwhile. */
static bool look_before(sottod_folding *folding, uint32_t experiment, before *out)
{
    postgres_connection *connection = &folding->connection;
    const postgres_value number[] = {POSTGRES_U(experiment)};
    return postgres__queue(connection, "BEGIN", NULL, 0) &&
           postgres__queue(connection, "SELECT state FROM experiment WHERE number = $1 FOR UPDATE",
                           number, 1) &&
           postgres__queue(connection,
                           "SELECT epoch, digest FROM model WHERE experiment = $1 "
                           "ORDER BY epoch DESC LIMIT 1",
                           number, 1) &&
           postgres__queue(connection,
                           "SELECT " POSTGRES_HELD_COLUMNS
                           " FROM held AS h WHERE h.experiment = $1",
                           number, 1) &&
           postgres__run(connection, take_before, out);
}

static bool may_follow(sottod_folding *folding, const folding_model *model, const before *last)
{
    postgres_connection *connection = &folding->connection;
    if (!last->found)
        return postgres__refuse(connection, "there is no experiment %u", model->experiment);
    if (last->state == JOURNAL_DELETED) {
        connection->changed = true;
        return postgres__refuse(connection, "experiment %u is deleted, for good",
                                model->experiment);
    }
    if (last->epoch + 1 < model->epoch)
        return postgres__refuse(connection,
                                "a model of experiment %u opens epoch %u: allowed is %u, the next",
                                model->experiment, model->epoch, last->epoch + 1);
    return true;
}

static bool is_sound(sottod_folding *folding, const folding_model *model)
{
    const char *fault = postgres__cut_fault(&model->cut);
    if (fault != NULL)
        return postgres__refuse(&folding->connection, "the cut of a model is wrong: %s", fault);
    if (model->epoch == 0)
        return postgres__refuse(&folding->connection,
                                "a model opens epoch 0: allowed is 1 or more");
    if (model->kind != JOURNAL_PUBLISH && model->kind != JOURNAL_DISCARD)
        return postgres__refuse(&folding->connection,
                                "a model has kind %u: allowed are 1, publish, and 2, discard",
                                (unsigned)model->kind);
    return true;
}

/* What was decided of the epoch that is open. */
static journal_kind decision_of(const before *last)
{
    bool is_held = last->held.reports > 0 && last->held.epoch == last->epoch;
    return is_held ? last->held.decision : JOURNAL_REPORTS;
}

bool folding_publish(sottod_folding *folding, const folding_model *model,
                     const journal_history *history, bool by_force, bool *fenced)
{
    before last = {.epoch = 0};
    postgres_connection *connection = &folding->connection;
    *fenced = false;
    if (!(by_force ? folding__ready(folding) : folding__is_folder(folding))) return false;
    if (!is_sound(folding, model)) return false;
    if (!look_before(folding, model->experiment, &last) || !may_follow(folding, model, &last))
        return folding__fail(folding);
    if (last.epoch >= model->epoch || decision_of(&last) != model->decided) {
        postgres__rollback(connection);
        return *fenced = true;
    }
    if (postgres__put_model(connection, model, last.digest) &&
        postgres__put_history(connection, history) &&
        postgres__remove_held(connection, model->experiment) &&
        postgres__queue(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0) &&
        postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL))
        return true;
    *fenced = connection->pg != NULL && strcmp(connection->sqlstate, IS_THERE) == 0;
    postgres__rollback(connection);
    return *fenced;
}

bool folding_hold(sottod_folding *folding, const journal_held *held, bool *fenced)
{
    before last = {.epoch = 0};
    postgres_connection *connection = &folding->connection;
    *fenced = false;
    if (!folding__is_folder(folding)) return false;
    if (!look_before(folding, held->experiment, &last)) return folding__fail(folding);
    *fenced = !last.found || last.state >= JOURNAL_CLOSED || last.epoch != held->epoch;
    if (*fenced) {
        postgres__rollback(connection);
        return true;
    }
    bool is_there = last.held.reports > 0 && last.held.epoch == held->epoch; /* perhaps decided */
    if ((is_there || postgres__put_held(connection, held)) &&
        postgres__queue(connection, "NOTIFY " POSTGRES_CHANNEL, NULL, 0) &&
        postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL))
        return true;
    return folding__fail(folding);
}

bool folding_read_held(sottod_folding *folding, bool (*take)(void *self, const journal_held *),
                       void *self)
{
    return folding__ready(folding) && postgres__read_held(&folding->connection, take, self);
}
