/*
 * Harm: the policy is worse than assigning arms at random, by measure rounds.
 *
 * The role of a measure round is a fair public coin. So u = z in follow and u = -z in control rounds is one
 * sequence of +1 and -1 with the mean uplift/(B (hi - lo)), B that of measure.c, and over n rounds of both
 * roles the uplift is at most
 *
 *     (hi - lo) B (ubar + W(n))
 *
 * with W of measure.c: half of what two separate intervals need. The alarm fires when this is below 0 at a
 * publish, over all rounds (alpha = 0.0005) or over the recent ones, which begin again when n passes 2^j,
 * j >= 1, with alpha/(j (j + 1)); so at most one experiment in 1,000 has a false alarm before its owner ends
 * a fallback for the first time, and at most two ever. An alarm stays.
 *
 * Fallback: with a setting that names one, the alarm makes the next model serve it. Learn rounds then end
 * without a report; measure rounds go on. The owner ends it: both sequences begin again, for the k-th time
 * with alpha/(k (k + 1)) for each.
 */
#include "core/core.h"
#include "server.h"

#include <inttypes.h>
#include <math.h>

static void add(sotto__measured *to, const sotto__measured *from)
{
    to->count += from->count;
    to->sum += from->sum;
}

/* u of one epoch, or of all. Unsigned, because a decoder derives it before it checks the sums. */
static sotto__measured turned(const sotto__measured *follow, const sotto__measured *control)
{
    return (sotto__measured){follow->count + control->count,
                             (int64_t)((uint64_t)follow->sum - (uint64_t)control->sum)};
}

void sotto__harm_add(sotto__harm *harm, const sotto_tally *tally)
{
    if (!tally->decides || tally->measured == 0) return;
    sotto__measured control = {0};
    for (uint32_t a = 0; a < tally->terms.spec.arms; a++) {
        add(&control, &tally->control[a]);
    }
    const sotto__measured u = turned(&tally->follow, &control);
    add(&harm->all, &u);
    uint32_t doublings = sotto__log2_floor(harm->all.count);
    if (doublings > harm->doublings) {
        harm->doublings = doublings;
        harm->recent = (sotto__measured){0};
        return; /* the epoch that passes a power of two still counts as before it */
    }
    add(&harm->recent, &u);
}

void sotto__harm_derive(const sotto__measures *measures, sotto__harm *out)
{
    *out = (sotto__harm){
        .all = turned(&measures->follow, &measures->control),
        .recent = turned(&measures->recent_follow, &measures->recent_control),
        .doublings = measures->doublings,
    };
}

static double upper(const sotto_terms *terms, const sotto__measured *u, double alpha)
{
    double range = terms->spec.reward_hi - terms->spec.reward_lo;
    double scale = sotto__measure_codebook(&terms->codebook[SOTTO_PHASE_MAIN]).scale;
    if (u->count == 0) return range;
    double most = (double)u->sum / (double)u->count + sotto__measure_width(u->count, alpha);
    return fmin(range, range * scale * most);
}

void sotto__harm_upper(const sotto_terms *terms, const sotto__harm *harm, double *all,
                       double *recent)
{
    double k = harm->restarts, j = harm->doublings < 1 ? 1 : harm->doublings;
    double alpha = SOTTO__HARM_ALPHA / (harm->restarts == 0 ? 1 : k * (k + 1));
    *all = upper(terms, &harm->all, alpha);
    *recent = upper(terms, &harm->recent, alpha / (j * (j + 1)));
}

bool sotto__harm_shows(const sotto__harm *harm, const sotto_terms *terms)
{
    double all, recent;
    if (harm->all.count == 0) return false;
    sotto__harm_upper(terms, harm, &all, &recent);
    return all < 0 || recent < 0;
}

/* The owner has ended the fallback. */
static void end_serving(sotto__harm *harm, sotto_model *model)
{
    *harm = (sotto__harm){.restarts = harm->restarts + (harm->restarts < UINT32_MAX)};
    model->served = 0;
}

void sotto__harm_step(sotto__harm *harm, const sotto_terms *terms, uint32_t fallback, bool unsure,
                      sotto_model *model)
{
    if (harm->ends) {
        end_serving(harm, model);
        return;
    }
    if (harm->epoch == 0 && sotto__harm_shows(harm, terms)) harm->epoch = model->epoch + 1;
    if (harm->epoch == 0 || fallback == 0 || unsure || model->served > 0) return;
    model->served = sotto__served_by(fallback, terms->spec.arms);
    harm->served_epoch = model->epoch + 1;
}

uint32_t sotto__better_arm(const sotto_terms *terms, const sotto__measures *measures)
{
    uint32_t best = UINT32_MAX;
    double least = 0;
    for (uint32_t a = 0; a < terms->spec.arms; a++) {
        sotto_arm_measurement m;
        if (sotto__arm_measurement(terms, measures, SOTTO__BELOW_ALPHA, a, &m) != SOTTO_OK) break;
        if (m.uplift.hi >= least) continue;
        least = m.uplift.hi;
        best = a;
    }
    return best;
}

bool sotto__harm_is_kept(const sotto__harm *harm, uint32_t fallback)
{
    return fallback > 0 || harm->epoch > 0 || harm->restarts > 0;
}

/* What is served, the epochs, and the sums, beside the model and the measures. */
sotto_status sotto__harm_fault(const sotto_learner *learner, sotto_fault *fault)
{
    const sotto__harm *harm = &learner->harm;
    const sotto__measures *measures = &learner->measures;
    const sotto_model *model = learner->model;
    const sotto__measured whole = turned(&measures->follow, &measures->control);
    bool served = model->served > 0;
    uint32_t able = sotto__served_by(learner->learning.fallback, learner->terms.spec.arms);
    if (served ? model->served != able : harm->ends) {
        return sotto__fault_at(fault, "served",
                               "%" PRIu32 ": allowed 0, or by its setting %" PRIu32, model->served,
                               able);
    }
    if (served != (harm->served_epoch > 0) || (served && harm->epoch == 0) ||
        harm->epoch > model->epoch || harm->served_epoch > model->epoch) {
        return sotto__refuse(fault,
                             "harm began in epoch %" PRIu32 " and the fallback in epoch %" PRIu32
                             " (0: never), which is impossible in epoch %" PRIu32,
                             harm->epoch, harm->served_epoch, model->epoch);
    }
    if (!sotto__measured_possible(&harm->all) || !sotto__measured_possible(&harm->recent) ||
        harm->recent.count > harm->all.count || harm->all.count > whole.count ||
        (harm->restarts == 0 && (harm->all.count != whole.count || harm->all.sum != whole.sum))) {
        return sotto__refuse(fault, "the sums of harm are not those of measure rounds");
    }
    return SOTTO_OK;
}

/* ---- for the owner -------------------------------------------------------------------------- */

sotto_status sotto_learner_harm(const sotto_learner *learner, sotto_harm *out)
{
    if (learner == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    const sotto__harm *harm = &learner->harm;
    double range = learner->terms.spec.reward_hi - learner->terms.spec.reward_lo;
    *out = (sotto_harm){.uplift_hi = range, .recent_uplift_hi = range, .better_arm = UINT32_MAX};
    if (learner->terms.spec.measure == 0) return SOTTO_OK; /* unknown */
    out->verdict = harm->epoch > 0 ? SOTTO_HARM_YES : SOTTO_HARM_NO;
    out->since_epoch = harm->epoch;
    out->served_epoch = harm->served_epoch;
    out->restarts = harm->restarts;
    out->ends = harm->ends;
    sotto__harm_upper(&learner->terms, harm, &out->uplift_hi, &out->recent_uplift_hi);
    out->better_arm = sotto__better_arm(&learner->terms, &learner->measures);
    return SOTTO_OK;
}

const char *sotto_harm_verdict_name(sotto_harm_verdict value)
{
#define NAME(name, text) text,
    static const char *const names[] = {SOTTO_HARM_MAP(NAME)};
#undef NAME
    return (uint32_t)value < sizeof names / sizeof names[0] ? names[value] : NULL;
}

sotto_status sotto_learner_end_fallback(sotto_learner *learner)
{
    if (learner == NULL) return SOTTO_E_ARGUMENT;
    if (learner->model->served == 0) return SOTTO_E_ORDER;
    learner->harm.ends = true;
    return SOTTO_OK;
}
