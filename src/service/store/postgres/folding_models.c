/* Publishes. The primary key (experiment, epoch) is the fence: of several publishers only one can insert a model. */
#include "inner.h"

#include <string.h>

#define IS_THERE "23505"

bool folding_read_models(sottod_folding *folding, uint32_t experiment, uint32_t from,
                         bool (*take)(void *self, const folding_model *), void *self)
{
    return folding__ready(folding) && postgres__read_models(&folding->connection, experiment,
                                                            POSTGRES_MODELS_FROM, from, take, self);
}

static bool look_before(sottod_folding *folding, uint32_t experiment, postgres_before *out)
{
    return postgres__queue(&folding->connection, "BEGIN", NULL, 0) &&
           postgres__look_before(&folding->connection, experiment, out);
}

static bool may_follow(sottod_folding *folding, const folding_model *model,
                       const postgres_before *last)
{
    postgres_connection *connection = &folding->connection;
    if (last->found && !last->keeps) {
        postgres__drop(connection); /* the next attempt to connect reports why */
        return postgres__refuse(connection, "the server has fsync or full_page_writes off now");
    }
    if (!last->found)
        return postgres__refuse(connection, "there is no experiment %u", model->experiment);
    if (last->state == JOURNAL_DELETED) {
        connection->changed = true;
        return postgres__refuse(connection, "experiment %u is deleted, which cannot be undone",
                                model->experiment);
    }
    if (last->epoch + 1 < model->epoch)
        return postgres__refuse(connection,
                                "a model of experiment %u opens epoch %u: allowed %u, the next one",
                                model->experiment, model->epoch, last->epoch + 1);
    return true;
}

static bool is_sound(sottod_folding *folding, const folding_model *model)
{
    sotto_fault why;
    if (postgres__cut_fault(&model->cut, &why) != SOTTO_OK)
        return postgres__refuse(&folding->connection, "the cut of a model is wrong: %s",
                                why.sentence);
    if (model->epoch == 0)
        return postgres__refuse(&folding->connection, "a model opens epoch 0: allowed 1 or more");
    if (model->kind < JOURNAL_PUBLISH || model->kind > JOURNAL_END_FALLBACK)
        return postgres__refuse(&folding->connection,
                                "a model has kind %u: allowed 1 (publish), 2 (discard), 3 (publish "
                                "that ends a fallback)",
                                (unsigned)model->kind);
    return true;
}

bool folding_publish(sottod_folding *folding, const folding_model *model,
                     const journal_history *history, bool by_force, bool *fenced)
{
    postgres_before last;
    postgres_connection *connection = &folding->connection;
    const postgres_value number[] = {POSTGRES_U(model->experiment)};
    *fenced = false;
    if (!(by_force ? folding__ready(folding) : folding__may_fold(folding, model->experiment)))
        return false;
    if (!is_sound(folding, model)) return false;
    if (!look_before(folding, model->experiment, &last) || !may_follow(folding, model, &last))
        return folding__fail(folding);
    /* No epoch of a closed experiment ends: folding_end takes its last reports. */
    if (last.epoch >= model->epoch || last.state == JOURNAL_CLOSED ||
        last.held.decision != model->decided) {
        postgres__rollback(connection);
        return *fenced = true;
    }
    if (postgres__put_model(connection, model, last.digest) &&
        postgres__put_history(connection, history) &&
        postgres__remove_held(connection, model->experiment) &&
        folding__put_pace(folding, model->experiment, model->epoch) &&
        postgres__queue(connection, POSTGRES_NAME_ONE, number, 1) &&
        postgres__ask(connection, "COMMIT", NULL, 0, NULL, NULL))
        return true;
    *fenced = connection->pg != NULL && strcmp(connection->sqlstate, IS_THERE) == 0;
    postgres__rollback(connection);
    return *fenced;
}

bool folding_hold(sottod_folding *folding, const journal_held *held, bool *fenced)
{
    postgres_before last;
    postgres_connection *connection = &folding->connection;
    *fenced = false;
    if (!folding__may_fold(folding, held->experiment)) return false;
    if (!look_before(folding, held->experiment, &last)) return folding__fail(folding);
    *fenced = !last.found || last.state >= JOURNAL_CLOSED || last.epoch != held->epoch;
    if (*fenced) {
        postgres__rollback(connection);
        return true;
    }
    bool is_there = last.held.reports > 0; /* perhaps already decided */
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
