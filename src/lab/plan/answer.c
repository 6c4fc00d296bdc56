/*
 * The questions that people have before an experiment, answered from the prediction of plan.c: what
 * an epsilon costs, what half of it would, how many people and days a target takes.
 */
#include "core/core.h"
#include "inner.h"

#include <sotto/client.h>
#include <sotto/lab/plans.h>
#include <sotto/server.h>

#include <inttypes.h>
#include <math.h>

#define EPSILON_MIN 0.01
#define DAY_S 86400
#define PER_DAY_MAX UINT64_C(1000000000000)

sotto_plan_question sotto_plan_question_default(const sotto_match *match)
{
    if (match == NULL) return (sotto_plan_question){0};
    return (sotto_plan_question){
        .match = *match,
        .epsilons_count = 1,
        .epsilon = {1},
        .target = 0.05,
        .target_is_share = true,
        .within_percent = 5,
    };
}

/* The match at an epsilon. Epochs are by the rule. */
static sotto_status match_at(const sotto_plan_question *question, double epsilon, sotto_match *out)
{
    *out = question->match;
    out->spec.epsilon = epsilon;
    sotto_status status = sotto_match_set_learning(out);
    out->learning.epoch = 0;
    return status;
}

static bool has_half(double epsilon)
{
    return epsilon / 2 >= EPSILON_MIN;
}

/* ---- faults ------------------------------------------------------------------------------- */

/* The fault of a question at one epsilon. Lack of memory is not a fault of the question. */
static sotto_status epsilon_fault(const sotto_plan_question *question, double epsilon,
                                  sotto_fault *fault)
{
    sotto_match match;
    sotto_status status = match_at(question, epsilon, &match);
    if (status != SOTTO_OK && status != SOTTO_E_FAULT) return SOTTO_OK;
    return sotto_plan_fault(&match, fault);
}

/* A clock and people per day must agree within 1 %. */
static sotto_status rate_fault(const sotto_plan_question *question, sotto_fault *fault)
{
    double per_day = (double)question->per_day, rate = question->match.people_per_second;
    if (per_day == 0 || rate == 0 || fabs(rate * DAY_S / per_day - 1) <= 0.01) return SOTTO_OK;
    return sotto__fault_at(fault, "per_day",
                           "%" PRIu64 ": the delay has %.6g people per second, allowed %.0f "
                           "to %.0f per day",
                           question->per_day, rate, ceil(rate * DAY_S / 1.01),
                           floor(rate * DAY_S / 0.99));
}

static sotto_status measuring_fault(const sotto_plan_question *question, sotto_fault *fault)
{
    double share = question->measure_share, uplift = question->uplift;
    if (!(share == 0 || (share >= 0.001 && share <= 0.5))) {
        return sotto__fault_at(fault, "measure_share", "%.15g: allowed 0, or 0.001 to 0.5", share);
    }
    if (!(uplift == 0 || (uplift >= 1e-9 && uplift <= 1e6))) {
        return sotto__fault_at(fault, "uplift", "%.15g: allowed 0, or 1e-9 to 1e6", uplift);
    }
    return SOTTO_OK;
}

sotto_status sotto_plan_question_fault(const sotto_plan_question *question, sotto_fault *fault)
{
    if (question == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    uint32_t count = question->epsilons_count;
    double target = question->target, within = question->within_percent;
    if (count < 1 || count > SOTTO_PLAN_EPSILONS_MAX) {
        return sotto__fault_at(fault, "epsilons_count", "%u: allowed 1 to %u", count,
                               SOTTO_PLAN_EPSILONS_MAX);
    }
    if (!(target >= 1e-9 && target <= 1e6)) {
        return sotto__fault_at(fault, "target", "%.15g: allowed 1e-9 to 1e6", target);
    }
    if (!(within >= 0.01 && within <= 99)) {
        return sotto__fault_at(fault, "within_percent", "%.15g: allowed 0.01 to 99", within);
    }
    if (question->per_day > PER_DAY_MAX) {
        return sotto__fault_at(fault, "per_day", "%" PRIu64 ": allowed 0 to %" PRIu64,
                               question->per_day, PER_DAY_MAX);
    }
    if (question->shuffle_reports > SOTTO_SHUFFLE_REPORTS_MAX) {
        return sotto__fault_at(fault, "shuffle_reports", "%" PRIu64 ": allowed 0 to %" PRIu64,
                               question->shuffle_reports, SOTTO_SHUFFLE_REPORTS_MAX);
    }
    sotto_status status = rate_fault(question, fault);
    if (status == SOTTO_OK) status = measuring_fault(question, fault);
    for (uint32_t i = 0; i < count && status == SOTTO_OK; i++) {
        double epsilon = question->epsilon[i];
        status = epsilon_fault(question, epsilon, fault);
        if (status == SOTTO_OK && has_half(epsilon))
            status = epsilon_fault(question, epsilon / 2, fault);
    }
    return status;
}

/* ---- answers ------------------------------------------------------------------------------ */

/* At 10, 100, ... below the horizon, and at the horizon. */
static void set_points(sotto_plan_answer *answer)
{
    uint64_t horizon = answer->plan.match.horizon;
    answer->points_count = 0;
    for (uint64_t people = 10; people < horizon; people *= 10) {
        answer->point[answer->points_count++].people = people;
    }
    answer->point[answer->points_count++].people = horizon;
    sotto_plan_predict(&answer->plan, answer->point, answer->points_count);
    answer->end = answer->point[answer->points_count - 1];
}

/* The days until `people` have come, rounded up. */
static uint64_t days_of(const sotto_plan_question *question, uint64_t people)
{
    uint64_t per_day = question->per_day;
    return per_day == 0 ? 0 : people / per_day + (people % per_day > 0);
}

static void set_chosen(sotto_plan_answer *answer)
{
    const sotto_terms *terms = &answer->plan.terms;
    answer->averaged = sotto__method_averages(&terms->spec);
    answer->report_bytes = sotto_report_bytes(terms);
    answer->warm_up = sotto_learning_default(terms, answer->plan.match.horizon).warm_up;
    answer->checked = sotto__plan_was_checked(&answer->plan.match);
}

/* How much regret the delay adds at the end, and how many people's reports are
 * not in the model then. */
static void set_delay(sotto_plan_answer *answer)
{
    sotto_plan plan = answer->plan;
    uint64_t horizon = plan.match.horizon;
    if (plan.match.people_per_second == 0) return;
    sotto__delayed delayed = sotto__delayed_begin(&plan, horizon, true);
    sotto__delayed_advance(&delayed, horizon);
    plan.match.people_per_second = 0;
    sotto_plan_point at_once = {.people = horizon};
    sotto_plan_predict(&plan, &at_once, 1);
    answer->delay_people = sotto__delayed_behind(&delayed);
    answer->delay_regret = delayed.regret - at_once.regret;
}

/* N people and K arms, if shared out evenly, tell the means of two arms apart to (hi - lo)/2 B_1 sqrt(2 K/N); best-arm
 * finds a lead of three times that. Played with 2 to 30 arms, 2,000 to 100,000 people, epsilon 1 and 2: 88 to 97 % of
 * the last tenth of people got the best arm (docs/plan.md). */
static double best_arm_lead(const sotto_plan *plan)
{
    const sotto_spec *spec = &plan->terms.spec;
    double scale = sotto__measure_codebook(&plan->terms.codebook[SOTTO_PHASE_MAIN]).scale;
    double people = (double)plan->match.horizon;
    return 1.5 * (spec->reward_hi - spec->reward_lo) * scale * sqrt(2 * spec->arms / people);
}

static sotto_status answer_one(const sotto_plan_question *question, double epsilon,
                               sotto_plan_answer *out)
{
    sotto_match match;
    sotto_status status = match_at(question, epsilon, &match);
    *out =
        (sotto_plan_answer){.shuffle_epsilon = NAN, .floor = {NAN, NAN, NAN}, .floor_times = NAN};
    if (status == SOTTO_OK) status = sotto_plan_make(&match, &out->plan);
    if (status != SOTTO_OK) return status;
    const sotto_plan *plan = &out->plan;
    double best = plan->best_reward;
    set_points(out);
    set_chosen(out);
    set_delay(out);
    out->best_arm_lead = best_arm_lead(plan);
    out->target = question->target_is_share ? question->target * best : question->target;
    out->share = out->end.regret_per_person / best;
    out->chance_share = (best - plan->chance_reward) / best;
    out->target_share = out->target / best;
    out->target_people = sotto_plan_people(plan, out->target);
    out->within_people = sotto_plan_within(plan, question->within_percent / 100);
    out->target_days = days_of(question, out->target_people);
    out->within_days = days_of(question, out->within_people);
    if (question->measure_share == 0) return SOTTO_OK;
    sotto_plan_measure(plan, question->measure_share, question->uplift, &out->measuring);
    sotto_plan_measuring *measuring = &out->measuring;
    measuring->days = days_of(question, measuring->people);
    measuring->harm_days = days_of(question, measuring->harm_people);
    measuring->below_days = days_of(question, measuring->below_people);
    return SOTTO_OK;
}

/* Drops the heuristic if our own method is predicted below it, as with many arms in few
 * dimensions: it is then not a floor. */
static sotto_status add_floor(sotto_plan_answer *answer)
{
    sotto_status status = sotto_floor_of(&answer->plan.match, &answer->floor);
    if (answer->end.regret < answer->floor.start) answer->floor.start = NAN;
    answer->floor_times = answer->end.regret / answer->floor.start;
    return status;
}

/* Measure rounds are among the reports. */
static sotto_status add_shuffle(const sotto_plan_question *question, sotto_plan_answer *answer)
{
    if (question->shuffle_reports == 0) return SOTTO_OK;
    sotto_terms terms = answer->plan.terms;
    terms.spec.measure = (uint32_t)rint(question->measure_share * 0x1p32);
    return sotto_shuffle_epsilon(&terms, question->shuffle_reports, SOTTO_PLAN_SHUFFLE_DELTA,
                                 &answer->shuffle_epsilon);
}

static sotto_status answer_half(const sotto_plan_question *question, const sotto_plan_answer *whole,
                                sotto_plan_half *out)
{
    double epsilon = whole->plan.match.spec.epsilon;
    *out = (sotto_plan_half){.there = has_half(epsilon)};
    if (!out->there) return SOTTO_OK;
    sotto_status status = answer_one(question, epsilon / 2, &out->answer);
    uint64_t people = whole->target_people, half_people = out->answer.target_people;
    bool both = people > 0 && half_people > 0;
    out->regret_ratio = out->answer.end.regret / whole->end.regret;
    out->people_ratio = both ? (double)half_people / (double)people : NAN;
    return status;
}

sotto_status sotto_plan_question_answer(const sotto_plan_question *question,
                                        sotto_plan_answers *out)
{
    const sotto_policy policy = sotto_policy_default();
    if (question == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_plan_question_fault(question, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    out->count = question->epsilons_count;
    out->epsilon_per_report_max = policy.epsilon_per_report_max;
    out->epsilon_lifetime = policy.epsilon_lifetime;
    sotto_status status = SOTTO_OK;
    for (uint32_t i = 0; i < out->count && status == SOTTO_OK; i++) {
        status = answer_one(question, question->epsilon[i], &out->of[i]);
        if (status == SOTTO_OK) status = add_floor(&out->of[i]);
        if (status == SOTTO_OK) status = add_shuffle(question, &out->of[i]);
        if (status == SOTTO_OK) status = answer_half(question, &out->of[i], &out->half[i]);
    }
    return status;
}

/* ---- the curve ---------------------------------------------------------------------------- */

void sotto_plan_curve(const sotto_plan *plan, sotto_plan_point *point, uint32_t count)
{
    if (plan == NULL || point == NULL) return;
    double from = 1, to = log10((double)plan->match.horizon);
    for (uint32_t i = 0; i < count; i++) {
        double power = from + (to - from) * i / (count - 1);
        point[i].people = (uint64_t)llround(pow(10, power)); /* some twice, on a short curve */
    }
    sotto_plan_predict(plan, point, count);
}
