#include "core/core.h"
#include "inner.h"
#include "server/server.h"

#include <sotto/lab/plans.h>

#include <math.h>

/*
 * What measuring costs, and when an uplift can be distinguished from 0.
 *
 * With a share q of measure rounds, of N people N q/2 are control: they get a random arm instead of the
 * policy's. So measuring costs (q/2)(policy - random) of reward per person. N (1 - q) people teach: the
 * policy of person N is that of person N (1 - q) without measuring, and its regret over N people is
 *
 *     R_q(N) = R(N (1 - q))/(1 - q).
 *
 * Follow and control each have n = N q/2 reports, in the mean. Both means are known to (hi - lo) B_1 W(n)/2 at alpha/2
 * each (src/server/measure.c), so that an uplift x is distinguished from 0 where
 *
 *     (hi - lo) B_1 W(n) <= x,
 *
 * by half of all experiments: what is measured is as often above the true uplift as below. Two more questions are
 * answered for the same x (src/server/harm.c). An uplift of -x is an alarm, by the 2 n reports of both roles together, where
 *
 *     (hi - lo) B_1 W(2 n) <= x        at alpha = 0.0005,
 *
 * and a policy whose mean reward is x below that of the best arm gets the notice below-best-arm where
 *
 *     (hi - lo) B_1 (W(n) + W(n/K))/2 <= x        at alpha = 0.05/(K + 1).
 *
 * Warm-up compares nothing; of its people a part 1 - q/2 teaches, and the others are control.
 */

/* R_q/N: regret of the policy per person, over people who are not control. */
static double policy_regret(const sotto_plan *plan, double share)
{
    double taught = fmax(1, floor((double)plan->match.horizon * (1 - share)));
    sotto_plan_point point = {.people = (uint64_t)taught};
    sotto_plan_predict(plan, &point, 1);
    return point.regret_per_person;
}

/* The left sides above for n reports of each role and K arms, divided by (hi - lo) B_1. */
typedef double width_of(uint64_t n, uint32_t arms);

static double uplift_width(uint64_t n, uint32_t arms)
{
    (void)arms;
    return sotto__measure_width(n, SOTTO_PLAN_MEASURE_ALPHA / 2);
}

static double harm_width(uint64_t n, uint32_t arms)
{
    (void)arms;
    return sotto__measure_width(2 * n, SOTTO__HARM_ALPHA);
}

static double below_width(uint64_t n, uint32_t arms)
{
    double each = SOTTO__BELOW_ALPHA / (arms + 1.0);
    return (sotto__measure_width(n, each) + sotto__measure_width(n / arms, each)) / 2;
}

/* The fewest reports of each role with which the width is small enough; 0: more than
 * SOTTO_HORIZON_MAX. */
static uint64_t reports_within(double width, width_of *of, uint32_t arms)
{
    uint64_t few = 0, enough = SOTTO_HORIZON_MAX;
    if (!(of(enough, arms) <= width)) return 0;
    while (enough - few > 1) {
        uint64_t middle = few + (enough - few) / 2;
        if (of(middle, arms) <= width) {
            enough = middle;
        } else {
            few = middle;
        }
    }
    return enough;
}

static uint64_t people_of(const sotto_plan *plan, double share, uint64_t reports)
{
    uint64_t warm_up = sotto_learning_default(&plan->terms, plan->match.horizon).warm_up;
    double people = (double)warm_up / (1 - share / 2) + ceil((double)reports * 2 / share);
    bool beyond = reports == 0 || people > (double)SOTTO_HORIZON_MAX;
    return beyond ? 0 : (uint64_t)ceil(people);
}

void sotto_plan_measure(const sotto_plan *plan, double share, double uplift,
                        sotto_plan_measuring *out)
{
    if (plan == NULL || out == NULL) return;
    bool usable = share >= 0.001 && share <= 0.5;
    *out = (sotto_plan_measuring){.share = usable ? share : 0};
    if (!usable) return;
    const sotto_spec *spec = &plan->terms.spec;
    double people = (double)plan->match.horizon;
    double scale = sotto__measure_codebook(&plan->terms.codebook[SOTTO_PHASE_MAIN]).scale;
    double range = spec->reward_hi - spec->reward_lo, units = range * scale;
    double regret = policy_regret(plan, share);
    double most = plan->best_reward - plan->chance_reward;
    out->predicted_uplift = fmax(0, most - regret);
    out->price_per_person = share / 2 * out->predicted_uplift;
    out->price = out->price_per_person * people;
    out->regret = regret * people + out->price;
    out->uplift = uplift > 0 ? uplift : out->predicted_uplift;
    out->half_width = fmin(range, units * uplift_width((uint64_t)(people * share / 2), spec->arms));
    double width = out->uplift / units;
    out->role_reports = reports_within(width, uplift_width, spec->arms);
    out->people = people_of(plan, share, out->role_reports);
    out->harm_people = people_of(plan, share, reports_within(width, harm_width, spec->arms));
    out->below_people = people_of(plan, share, reports_within(width, below_width, spec->arms));
}
