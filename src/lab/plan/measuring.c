#include "core/core.h"
#include "inner.h"
#include "server/server.h"

#include <sotto/lab/plans.h>

#include <math.h>

/* ==== measuring ============================================================================== */

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

/* The widths above, of n reports of each role and K arms, over (hi - lo) B_1. */
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

/* The fewest reports of each role with which it is no wider; 0: more than SOTTO_HORIZON_MAX. */
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

/* ==== delayed ================================================================================ */

/*
 * What delay costs. With R people per second, and all times in people who come meanwhile, w = R reward_window_s,
 * s = R send_spread_s: when p people came, these reports have arrived in the mean,
 *
 *     A(p) = 0                      p <= w
 *            (p - w)^2/(2 s)        to w + s
 *            p - w - s/2            from there on.
 *
 * The first model that knows anything, and each one after it, is published as a service does it (player/shipped.c):
 * after a model at p the next one comes at
 *
 *     p' = max(p + R epoch_seconds_min, A^-1(A(p) + n)),   n what the schedule wants after A(p) reports, at least 20,
 *
 * and everybody between p and p' loses what course.c says of A(p) reports. So the first w people and more get
 * random arms, and later ones have a model that is as old as reports are on their way, and half an epoch. Many short
 * epochs are taken together, as long as they are at most 1 part in 200 of all people: over such a stretch people lose
 * what those in its middle do.
 *
 * Steps are taken to be as good as without delay; those that are bounded by reports in flight are a little worse.
 */

#define TOGETHER 200.0

/* A(p). */
static double arrived(const sotto__delayed *d, double people)
{
    double past = people - d->window;
    if (past <= 0) return 0;
    return past < d->spread ? past * past / (2 * d->spread) : past - d->spread / 2;
}

/* The least p with A(p) = reports. */
static double until(const sotto__delayed *d, double reports)
{
    bool early = reports < d->spread / 2;
    return d->window + (early ? sqrt(2 * d->spread * reports) : reports + d->spread / 2);
}

static double wanted(const sotto__delayed *d, double reports)
{
    uint64_t end = sotto__course_phase_end(&d->course, UINT64_MAX);
    uint64_t phase_end = end == UINT64_MAX ? 0 : end;
    return (double)sotto__epoch_reports(&d->course.plan->terms, &d->learning, (uint64_t)reports,
                                        phase_end);
}

/* A model is published now: how long it lasts, and what the people until then know. */
static void publish(sotto__delayed *d)
{
    double reports = arrived(d, d->people), least = d->pause > 0 ? SOTTO__EPOCH_REPORTS_MIN : 1;
    double need = fmax(least, wanted(d, reports));
    d->epoch = fmax(d->pause, until(d, reports + need) - d->people);
    double stretch = fmax(d->epoch, d->people / TOGETHER);
    d->next = d->people + stretch;
    double known = arrived(d, d->people + (stretch - d->epoch) / 2);
    sotto__course_advance(&d->course, (uint64_t)known);
}

sotto__delayed sotto__delayed_begin(const sotto_plan *plan, uint64_t horizon, bool private)
{
    const sotto_match *match = &plan->match;
    double rate = match->people_per_second;
    sotto__delayed d = {
        .course = sotto__course_begin(plan, horizon, private),
        .learning = sotto_learning_default(&plan->terms, horizon),
        .window = rate * match->spec.reward_window_s,
        .spread = rate * match->spec.send_spread_s,
        .pause = rate * match->epoch_seconds_min,
        .clocked = rate > 0,
    };
    d.learning.epoch = 0;
    if (d.clocked) publish(&d);
    return d;
}

void sotto__delayed_advance(sotto__delayed *d, uint64_t to)
{
    if (!d->clocked) {
        sotto__course_advance(&d->course, to);
        d->people = (double)to;
        d->regret = d->course.regret;
        return;
    }
    while (d->people < (double)to) {
        double end = fmin(d->next, (double)to);
        d->regret += (end - d->people) * sotto__course_next(&d->course);
        d->people = end;
        if (d->people >= d->next) publish(d);
    }
}

double sotto__delayed_next(const sotto__delayed *d)
{
    return sotto__course_next(&d->course);
}

uint64_t sotto__delayed_behind(const sotto__delayed *d)
{
    if (!d->clocked) return 0;
    return (uint64_t)fmin(d->people, d->people - arrived(d, d->people) + d->epoch / 2);
}

uint64_t sotto__delayed_epoch(const sotto__delayed *d)
{
    return (uint64_t)(d->clocked ? ceil(d->epoch) : wanted(d, d->people));
}
