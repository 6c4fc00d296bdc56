/* Harm, and the fallback of an experiment: what is known of it, and its end. */
#include "inner.h"

#include <math.h>

void fallback_say(sottod_log *log, const char *id_text, uint32_t epoch, const sotto__harm *before,
                  const sotto__harm *after)
{
    if (after->restarts > before->restarts)
        epoch_log(log, LOG_INFO, "fallback_ended", id_text, epoch, NULL, NULL);
    else if (after->epoch > before->epoch)
        epoch_log(log, LOG_WARNING, "harm", id_text, epoch, NULL, NULL);
    if (after->served_epoch > before->served_epoch)
        epoch_log(log, LOG_WARNING, "fallback_served", id_text, epoch, NULL, NULL);
}

sotto_harm experiment_harm(const sottod_experiment *experiment)
{
    sotto_harm harm = {.verdict = SOTTO_HARM_UNKNOWN, .better_arm = UINT32_MAX};
    if (experiment->engine == NULL ||
        sotto_learner_harm(experiment->engine->learner, &harm) != SOTTO_OK ||
        harm.verdict == SOTTO_HARM_UNKNOWN)
        return harm;
    sotto__harm told;
    sotto__harm_derive(&experiment->engine->told.results, &told);
    harm.uplift_hi = harm.recent_uplift_hi = NAN;
    if (harm.restarts == 0)
        sotto__harm_upper(&experiment->engine->terms, &told, &harm.uplift_hi,
                          &harm.recent_uplift_hi);
    harm.better_arm =
        sotto__better_arm(&experiment->engine->terms, &experiment->engine->told.results);
    harm.ends = harm.ends || (harm.served_epoch > 0 && experiment->engine->hold.fallback_ends);
    return harm;
}

/* ---- control */

static bool refuse(sottod_refusal *why, const char *error)
{
    refusal_set(why, 409, error, NULL, NULL, NULL);
    return false;
}

bool fallback_refuse_held(sottod_refusal *why)
{
    return refuse(why, "The watch holds the open epoch. Release or discard it first.");
}

bool experiment_end_fallback(sottod_experiments *all, sottod_experiment *experiment,
                             sottod_refusal *why)
{
    sotto_harm harm = experiment_harm(experiment);
    if (harm.served_epoch == 0 && all->kind->catch_up(all, experiment))
        harm = experiment_harm(experiment);
    if (harm.served_epoch == 0) return refuse(why, "The experiment serves no fallback.");
    if (experiment->state != JOURNAL_OPEN) {
        refusal_set(why, 409, "The experiment is not open, so its epoch cannot end.", "state",
                    journal_state_name(experiment->state), "open");
        return false;
    }
    if (experiment->engine->hold.held) return fallback_refuse_held(why);
    if (harm.ends) return true;
    if (!all->kind->end_fallback(all, experiment, why)) return false;
    experiments_log(all, LOG_INFO, "fallback_ends", experiment, "epoch",
                    experiment_epoch(experiment));
    return true;
}
