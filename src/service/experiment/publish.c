/* The end of an epoch: durable first, then the learner's step and the new model. */
#include "fallback.h"
#include "parts.h"
#include "service/journal/hours.h"

#include <assert.h>

static bool write_down(sottod_experiments *all, sottod_experiment *experiment, journal_row *row,
                       double age, uint64_t remove_to, bool *tells)
{
    journal_history history = experiment_since_publish(experiment);
    *tells =
        row->kind == JOURNAL_PUBLISH && told_prepare(&experiment->life->told, experiment->learner,
                                                     experiment->epoch_reports_min, &history);
    if (row->kind == JOURNAL_DISCARD) history.learn = history.control = history.follow = 0;
    if (row->kind == JOURNAL_DISCARD) history.control_sum = history.follow_sum = 0;
    history.alarms = journal_alarms(hold_alarms(&experiment->life->hold, row->epoch - 1),
                                    row->kind == JOURNAL_DISCARD ? 0 : age);
    if (row->kind == JOURNAL_PUBLISH && sotto__learner_will_harm(experiment->learner))
        history.alarms |= JOURNAL_ALARM_HARM;
    history.epoch = row->epoch;
    history.minute = row->minute;
    history.publishes = 1;
    if (!journal_begin(all->journal)) return false;
    bool done = journal_append(all->journal, row) && journal_add_history(all->journal, &history) &&
                (remove_to == 0 || journal_remove_rows(all->journal, row->experiment, remove_to));
    return experiments_finish(all->journal, done);
}

/* No epoch is left, or no device would take the model: it ends here. */
static bool end(sottod_experiments *all, sottod_experiment *experiment, const char *why)
{
    sottod_refusal refusal;
    experiments_log(all, LOG_ERROR, why, experiment, "epoch", experiment_epoch(experiment));
    return experiment_set_state(all, experiment, JOURNAL_CLOSED, &refusal);
}

/* Rows that are in the snapshot of before, and whose epochs this publish closes. */
static uint64_t removable(const sottod_experiments *all, const sottod_experiment *experiment,
                          uint32_t epoch)
{
    uint32_t lag = experiment->terms->spec.epoch_lag_max;
    if (all->settings.keep_reports) return 0;
    return experiment_rows_removable(&experiment->life->rows, experiment->life->rows.snapshot,
                                     epoch < lag ? 0 : epoch - lag);
}

static void note_age(const sottod_experiments *all, sottod_experiment *experiment, uint32_t epoch,
                     double age)
{
    hold_tell_age(all->log, experiment->id_text, epoch, experiment->life->age, age);
    experiment->life->age = age;
}

bool experiment_publish(sottod_experiments *all, sottod_experiment *experiment, uint64_t now_ms,
                        uint64_t minute)
{
    uint32_t epoch = experiment_epoch(experiment);
    if (experiment->model == NULL) return end(all, experiment, "model_not_finite");
    if (epoch == UINT32_MAX) return end(all, experiment, "no_epoch_left");

    const bool discards = experiment->life->hold.order == HOLD_DISCARD;
    journal_row row = {
        .experiment = experiment->number,
        .kind = discards ? JOURNAL_DISCARD : JOURNAL_PUBLISH,
        .epoch = epoch + 1,
        .minute = minute,
    };
    uint64_t remove_to = removable(all, experiment, row.epoch);
    const double age = sotto_learner_age(experiment->learner);
    bool tells;
    if (!write_down(all, experiment, &row, age, remove_to, &tells)) return false;
    if (tells) told_done(&experiment->life->told, experiment->terms->spec.arms);

    const sotto__harm before = experiment->learner->harm;
    sotto_status status = discards ? sotto_learner_discard(experiment->learner)
                                   : sotto_learner_publish(experiment->learner);
    assert(status == SOTTO_OK); /* there was an epoch left */
    status = sotto_nonce_set_advance(experiment->nonces, row.epoch);
    assert(status == SOTTO_OK); /* epochs only grow */
    (void)status;
    experiment_rows_add(&experiment->life->rows, row.seq, row.epoch, 0,
                        experiment->terms->spec.epoch_lag_max + 1);
    if (remove_to > 0) {
        experiment_rows_removed(&experiment->life->rows, remove_to);
        all->scrub = true;
    }
    hold_end(&experiment->life->hold);
    if (!discards) note_age(all, experiment, epoch, age);
    experiment->life->published = experiment->life->counts;
    experiment->published_ms = now_ms;
    experiment->ready_ms = EXPERIMENT_NEVER_MS;
    experiments_log(all, LOG_INFO, discards ? "opened_after_discard" : "published", experiment,
                    "epoch", row.epoch);
    fallback_say(all->log, experiment->id_text, row.epoch, &before, &experiment->learner->harm);
    if (experiment_encode_model(experiment)) return true;
    experiment->ready_ms = now_ms; /* if it cannot be closed now, the next turn tries again */
    return end(all, experiment, "model_not_finite");
}
