/* States that no learner can have: parts that contradict each other. Checked when a learner is read
 * from bytes. */
#include "core/core.h"
#include "inner.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MEASURED_MAX (UINT64_C(1) << 62) /* measure rounds of a learner: no sum overflows */
#define REPORTS_MAX (UINT64_C(1) << 53)  /* learn reports of a learner: exact as doubles */

static bool phase_is_possible(const sotto_learner *learner, sotto_phase phase)
{
    switch (phase) {
    case SOTTO_PHASE_WARM_UP: return learner->learning.warm_up > 0;
    case SOTTO_PHASE_MAIN: return true;
    case SOTTO_PHASE_MEAN: return learner->learning.mean_phase > 0;
    case SOTTO_PHASES: return false;
    }
    return false;
}

/* Mean, warm-up, main. */
static int order_of(sotto_phase phase)
{
    return phase == SOTTO_PHASE_MEAN ? 0 : phase == SOTTO_PHASE_WARM_UP ? 1 : 2;
}

/* The phase that follows from what was counted. */
static sotto_phase phase_by_counts(const sotto_learner *learner)
{
    uint64_t mean = learner->mean.reports;
    if (mean < learner->learning.mean_phase) return SOTTO_PHASE_MEAN;
    bool warm = learner->model->reports - mean < learner->learning.warm_up;
    return warm ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN;
}

/* |z| <= 1 in each coordinate of a report of the mean phase; g is 0 before its end, and never longer
 * than 1. */
static sotto_status mean_fault(const sotto_learner *learner, sotto_fault *fault)
{
    const sotto_model *model = learner->model;
    uint64_t reports = learner->mean.reports;
    bool during = model->phase == SOTTO_PHASE_MEAN, none = learner->learning.mean_phase == 0;
    uint64_t most = none ? 0 : model->reports;
    if (reports > most || (during && reports < most)) {
        return sotto__refuse(fault,
                             "%" PRIu64 " reports of the mean phase, of %" PRIu64 ", in phase %s",
                             reports, model->reports, sotto_phase_name(model->phase));
    }
    double squares = 0;
    for (uint32_t i = 0; learner->mean.sum != NULL && i < learner->terms.spec.dim; i++) {
        double sum = learner->mean.sum[i];
        if (!(fabs(sum) <= (double)reports)) {
            return sotto__refuse(
                fault, "number %" PRIu32 " of the mean = %.15g: allowed -n to n, n = %" PRIu64, i,
                sum, reports);
        }
        squares += model->g[i] * model->g[i];
    }
    if (squares <= (during || none ? 0 : 1)) return SOTTO_OK;
    return sotto__refuse(fault, "g has norm %.15g: allowed %d in phase %s", sqrt(squares),
                         during || none ? 0 : 1, sotto_phase_name(model->phase));
}

static sotto_status model_fault(const sotto_learner *learner, sotto_fault *fault)
{
    const sotto_model *model = learner->model;
    uint64_t warm_up = learner->learning.warm_up;
    if (model->reports > REPORTS_MAX) {
        return sotto__fault_at(fault, "reports", "%" PRIu64 ": allowed 0 to 2^53", model->reports);
    }
    sotto_status status = mean_fault(learner, fault);
    if (status != SOTTO_OK) return status;
    if (model->phase != phase_by_counts(learner)) {
        return sotto__refuse(
            fault, "the model's phase is %s after %" PRIu64 " reports, with a warm-up of %" PRIu64,
            sotto_phase_name(model->phase), model->reports, warm_up);
    }
    return SOTTO_OK;
}

static bool is_same(const double *x, const double *y, uint32_t count)
{
    return memcmp(x, y, count * sizeof *x) == 0;
}

static bool are_finite(const double *x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

/* Compares the current epoch with its model. */
static sotto_status current_fault(const sotto_learner *learner, sotto_fault *fault)
{
    const sotto_model *model = learner->model;
    const sotto__open_epoch *open = sotto__learner_open(learner, 0);
    if (open->tally->phase != model->phase) {
        return sotto__refuse(fault, "the current tally is of phase %s, its model of %s",
                             sotto_phase_name(open->tally->phase), sotto_phase_name(model->phase));
    }
    if (open->tally->decides != sotto__model_is_followed(&learner->terms.spec, model)) {
        return sotto__refuse(fault, "the current tally says that its model %s",
                             open->tally->decides ? "decides" : "does not decide");
    }
    if (open->tally->served != (model->served > 0)) {
        return sotto__refuse(fault, "the current tally says that a fallback is %sserved",
                             open->tally->served ? "" : "not ");
    }
    if (model->shares != NULL && memcmp(open->tally->shares, model->shares,
                                        learner->terms.spec.arms * sizeof model->shares[0]) != 0) {
        return sotto__refuse(fault,
                             "the shares of the current tally differ from those of the model");
    }
    if (sotto__learner_online(learner) > 0 &&
        !is_same(open->theta_h, model->theta_h, sotto__learner_online(learner))) {
        return sotto__refuse(fault, "theta_h of the current epoch differs from that of the model");
    }
    return SOTTO_OK;
}

/* Compares an earlier epoch with the next one. */
static sotto_status late_fault(const sotto_learner *learner, uint32_t back, sotto_fault *fault)
{
    const sotto__open_epoch *open = sotto__learner_open(learner, back);
    const sotto_tally *tally = open->tally, *next = sotto__learner_open(learner, back - 1)->tally;
    bool backwards = order_of(tally->phase) > order_of(next->phase);
    if (!phase_is_possible(learner, tally->phase) || backwards) {
        return sotto__refuse(
            fault, "the tally of epoch %" PRIu32 " is of phase %s, the next one of %s",
            tally->epoch, sotto_phase_name(tally->phase), sotto_phase_name(next->phase));
    }
    if (tally->decides && learner->terms.spec.measure == 0) {
        return sotto__refuse(fault,
                             "the tally of epoch %" PRIu32 " says that its model decides, "
                             "without measure rounds",
                             tally->epoch);
    }
    if (!are_finite(open->theta_h, sotto__learner_online(learner))) {
        return sotto__refuse(fault, "theta_h of epoch %" PRIu32 " is not finite", tally->epoch);
    }
    return SOTTO_OK;
}

static bool is_part_of(const sotto__measured *part, const sotto__measured *whole)
{
    if (part->count > whole->count) return false;
    const sotto__measured rest = {whole->count - part->count, whole->sum - part->sum};
    return sotto__measured_possible(&rest);
}

static sotto_status measures_fault(const sotto_learner *learner, sotto_fault *fault)
{
    const sotto__measures *m = &learner->measures;
    uint64_t left = MEASURED_MAX;
    for (uint32_t i = 0; i < sotto__learner_pairs(learner); i++) {
        const sotto__measured *pair = sotto__learner_pair(learner, i);
        if (pair->count > left || !sotto__measured_possible(pair)) {
            return sotto__refuse(fault,
                                 "pair %" PRIu32 " of measure rounds: %" PRIu64
                                 " reports of +1 or -1 cannot have the sum %" PRId64,
                                 i, pair->count, pair->sum);
        }
        left -= pair->count;
    }
    if (is_part_of(&m->recent_follow, &m->follow) && is_part_of(&m->recent_control, &m->control)) {
        return SOTTO_OK;
    }
    return sotto__refuse(fault, "the recent measure rounds are not a subset of all of them");
}

sotto_status sotto__learner_fault(const sotto_learner *learner, sotto_fault *fault)
{
    sotto_status status = model_fault(learner, fault);
    if (status == SOTTO_OK) status = current_fault(learner, fault);
    for (uint32_t back = 1; status == SOTTO_OK && back <= sotto__learner_late(learner); back++) {
        status = late_fault(learner, back, fault);
    }
    if (status != SOTTO_OK) return status;
    status = sotto__kept_fault(learner->estimator, learner->model->reports, fault);
    if (status == SOTTO_OK) status = measures_fault(learner, fault);
    return status == SOTTO_OK ? sotto__harm_fault(learner, fault) : status;
}
