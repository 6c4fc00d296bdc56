/*
 * What an epsilon will cost: regret of method sotto, predicted without playing.
 *
 * The estimate of theta* has a variance P for every coordinate, as the tracked estimator keeps it:
 * P = D^2/d before the first report. Contexts are uniform on the unit sphere and the true parameter
 * is as long as it may be, D. With shared parameters, c the largest of K projections of a context
 * on a direction, M = E c, w what the score keeps of x along the deciding direction, and B the
 * length of an unbiased report,
 *
 *     H    = d/(d - 1) E[(1 - c^2)/sqrt(1 - (1 - w^2) c^2)]
 *     h    = 1 - (1 - d P/D^2)(1 - H)
 *     S    = 0.8/sqrt(sd^2 + P)                                  score sign
 *            mu'/max(mu - lo, hi - mu) at M D                    score self
 *     1/P += (S h)^2/(d B^2)                                     for every report
 *
 *     regret of the next person = C M D mu'(M D) ((d - 1)/d) (1 - sqrt(1 - d P/D^2)),
 *
 * but never more than an arm at random loses. C = 1.5 (sign), 1.2 (self, averaged), 1 (self,
 * tracked), by measurement: the averaged estimator is not quite as good as P says. On a line
 * (d = 1) an estimate can only have the wrong sign: H = 1, and the next person's regret is
 * 2 M D mu'(M D) Phi(-sqrt(D^2/P - 1)).
 *
 * Per-arm parameters have a P for each arm, the same for all in expectation, and h = 1:
 *
 *                1/P +=              regret of the next person
 *     warm-up    S^2/(K d B^2)       c_K D/sqrt(d) mu'
 *     signs      S^2/(K^2 d B^2)     the same x (1 - sqrt(1 - d P/D^2))
 *     tags       S^2/(K d B^2)       likewise
 *
 * with c_K the mean of the largest of K normals; self has S at 0 in warm-up, where arms are random.
 *
 * Without privacy the same method has B = 1, and the server knows the arm: S^2/(K d) in both
 * phases.
 */
#include "client/budget.h"
#include "core/fault.h"
#include "core/float_environment.h"
#include "core/link.h"
#include "core/method.h"
#include "lab/math/sphere_max.h"
#include "lab/math/statistics.h"
#include "server/schedule.h"

#include <sotto/lab/plans.h>

#include <inttypes.h>
#include <math.h>

/* ---- rewards ------------------------------------------------------------------------------ */

static double mean_of(double c, const void *state)
{
    const sotto_spec *spec = state;
    return sotto__link_mean(spec->link, c * spec->theta_norm_max);
}

/* reach, best_reward and chance_reward, of a match without a fault. */
static void set_rewards(const sotto_spec *spec, sotto_plan *plan)
{
    bool per_arm = spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    plan->reach = per_arm ? sotto__normal_max_mean(spec->arms) / sqrt(spec->dim)
                          : sotto__sphere_max_mean(spec->dim, spec->arms);
    plan->best_reward = sotto__sphere_max(spec->dim, spec->arms, mean_of, spec);
    plan->chance_reward = sotto__sphere_max(spec->dim, 1, mean_of, spec);
}

/* M D mu'(M D): what there is to lose, as a straight link would have it. */
static double straight_loss(const sotto_spec *spec, const sotto_plan *plan)
{
    double at = plan->reach * spec->theta_norm_max;
    return at * sotto__link_slope(spec->link, at);
}

/* ---- faults ------------------------------------------------------------------------------- */

static const char *beyond_prediction(const sotto_match *match, char *text)
{
    const sotto_spec *spec = &match->spec;
    double reach = match->environment.theta_norm;
    if (spec->score == SOTTO_SCORE_HUBER) {
        return sotto__fault(text, "score = huber: sign and self are predicted; simulate plays it");
    }
    if (match->environment.kind != SOTTO_ENVIRONMENT_SPHERE) {
        return sotto__fault(text, "environment = %s: only sphere is predicted; simulate plays all",
                            sotto_environment_kind_name(match->environment.kind));
    }
    if (spec->window_reports > 0) {
        return sotto__fault(
            text, "window_reports = %" PRIu64 ": only 0, a stationary world, is predicted",
            spec->window_reports);
    }
    if (spec->context_norm_max != 1) {
        return sotto__fault(text, "context_norm_max = %.15g: only 1 is predicted; scale contexts",
                            spec->context_norm_max);
    }
    if (reach != spec->theta_norm_max) {
        return sotto__fault(text,
                            "theta_norm = %.15g: only that of theta_norm_max, %.15g, is predicted",
                            reach, spec->theta_norm_max);
    }
    return NULL;
}

/* Where rewards of good arms hardly differ any more, the slope at the best arm says nothing of what
 * a bad one costs. Three quarters is where predictions were seen to fail. */
static const char *too_steep(const sotto_match *match, char *text)
{
    sotto_plan plan;
    set_rewards(&match->spec, &plan);
    double most = plan.best_reward - plan.chance_reward;
    if (straight_loss(&match->spec, &plan) >= 0.75 * most) return NULL;
    return sotto__fault(text,
                        "theta_norm_max = %.15g: rewards of link %s level off long before that; a "
                        "smaller one is predicted, and simulate plays all",
                        match->spec.theta_norm_max, sotto_link_name(match->spec.link));
}

const char *sotto_plan_fault(const sotto_match *match, char text[SOTTO_FAULT_BYTES])
{
    SOTTO__DEFAULT_FLOATS;
    if (match == NULL || text == NULL) return sotto_status_text(SOTTO_E_ARGUMENT);
    if (match->brought != NULL || match->environment.brought != NULL) {
        return sotto__fault(text, "brought: only method sotto on a sphere is predicted; simulate "
                                  "plays all");
    }
    const char *name = sotto_player_name(match->player);
    if (name != NULL && match->player != SOTTO_PLAYER_SOTTO) {
        return sotto__fault(text, "method = %s: only sotto is predicted; simulate plays all", name);
    }
    const char *fault = sotto_match_fault(match, text);
    if (fault == NULL) fault = beyond_prediction(match, text);
    return fault != NULL ? fault : too_steep(match, text);
}

/* ---- constants ---------------------------------------------------------------------------- */

/* What is left of the slope across the deciding direction; `state` is w. */
static double across_of(double c, const void *state)
{
    double w = *(const double *)state, square = c * c;
    return (1 - square) / sqrt(1 - (1 - w * w) * square);
}

/* A person who sends nothing but reports of this kind, by the rules of an untouched device. */
static uint64_t reports_per_person(const sotto_spec *spec)
{
    const sotto_policy policy = sotto_policy_default();
    sotto__spent spent = {0};
    char text[SOTTO_FAULT_BYTES];
    if (sotto_policy_refusal(&policy, spec, text) != NULL) return 0;
    while (sotto__budget_refusal(&spent, spec->epsilon, spec->delta, &policy, text) == NULL) {
        sotto__settle(&spent, &policy);
        sotto__spend(&spent, spec->epsilon, spec->delta);
    }
    return spent.rounds;
}

sotto_status sotto_plan_make(const sotto_match *match, sotto_plan *out)
{
    SOTTO__DEFAULT_FLOATS;
    char text[SOTTO_FAULT_BYTES];
    if (match == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_plan_fault(match, text) != NULL) return SOTTO_E_FAULT;
    sotto_plan plan = {.match = *match, .across = 1};
    const sotto_spec *spec = &plan.match.spec;
    sotto_status status = sotto_spec_resolve(spec, &plan.terms);
    if (status != SOTTO_OK) return status;
    uint32_t d = spec->dim;
    set_rewards(spec, &plan);
    if (spec->parameters == SOTTO_PARAMETERS_SHARED && d > 1) {
        double left = sotto__sphere_max(d, spec->arms, across_of, &plan.terms.along_weight);
        plan.across = d / (d - 1.0) * left;
    }
    plan.reports_per_person = reports_per_person(spec);
    *out = plan;
    return SOTTO_OK;
}

/* ---- the recursion ------------------------------------------------------------------------ */

/* An experiment under way, with privacy or without. */
typedef struct course {
    const sotto_plan *plan;
    double information[SOTTO_PHASES]; /* 1/P += information (S h)^2 */
    uint64_t warm_up;                 /* reports */
    uint64_t t;                       /* reports so far */
    double precision;                 /* 1/P */
    double regret;
} course;

/* 1/P before the first report. */
static double first_precision(const sotto_spec *spec)
{
    return spec->dim / (spec->theta_norm_max * spec->theta_norm_max);
}

static double information_of(const sotto_terms *terms, sotto_phase phase, bool private)
{
    const sotto_spec *spec = &terms->spec;
    const sotto_codebook *codebook = &terms->codebook[phase];
    double each = 1 / (spec->dim * codebook->scale * codebook->scale);
    bool signs = private && phase == SOTTO_PHASE_MAIN && codebook->groups == 1;
    if (spec->parameters == SOTTO_PARAMETERS_SHARED) return each;
    return signs ? each / ((double)spec->arms * spec->arms) : each / spec->arms;
}

static course course_begin(const sotto_plan *plan, uint64_t horizon, bool private)
{
    sotto_terms terms = plan->terms;
    for (int phase = 0; phase < SOTTO_PHASES && !private; phase++) {
        terms.codebook[phase].scale = 1;
    }
    course c = {
        .plan = plan,
        .warm_up = sotto_learning_default(&terms, horizon).warm_up,
        .precision = first_precision(&terms.spec),
    };
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        c.information[phase] = information_of(&terms, (sotto_phase)phase, private);
    }
    return c;
}

static sotto_phase phase_of(const course *c)
{
    return c->t < c->warm_up ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN;
}

/* d P/D^2: the part of theta* that is not known yet, 1 to 0. */
static double unknown(const course *c, double precision)
{
    return first_precision(&c->plan->match.spec) / precision;
}

static double slope(const course *c, double precision)
{
    const sotto_match *match = &c->plan->match;
    const sotto_spec *spec = &match->spec;
    bool gaussian = match->environment.law == SOTTO_LAW_GAUSSIAN;
    double noise = gaussian ? match->environment.noise : 0;
    if (spec->score != SOTTO_SCORE_SELF) return 0.8 / sqrt(noise * noise + 1 / precision);
    bool random = phase_of(c) == SOTTO_PHASE_WARM_UP;
    double at = random ? 0 : c->plan->reach * spec->theta_norm_max;
    double mean = sotto__link_mean(spec->link, at);
    return sotto__link_slope(spec->link, at) / fmax(mean - spec->reward_lo, spec->reward_hi - mean);
}

/* What the next report adds to 1/P. */
static double added(const course *c, double precision)
{
    double left = 1 - (1 - unknown(c, precision)) * (1 - c->plan->across);
    double steepness = slope(c, precision) * left;
    return c->information[phase_of(c)] * steepness * steepness;
}

/* C ((d - 1)/d), by which regret differs from what P says. */
static double correction(const sotto_spec *spec)
{
    double worse = 1;
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) return 1;
    if (spec->score == SOTTO_SCORE_SIGN) worse = 1.5;
    if (spec->score == SOTTO_SCORE_SELF && sotto__method_averages(spec)) worse = 1.2;
    return worse * (spec->dim - 1.0) / spec->dim;
}

/* The regret of the next person. */
static double next_regret(const course *c, double precision)
{
    const sotto_spec *spec = &c->plan->match.spec;
    double all = straight_loss(spec, c->plan), part = unknown(c, precision);
    double most = c->plan->best_reward - c->plan->chance_reward;
    if (phase_of(c) == SOTTO_PHASE_WARM_UP) return fmin(all, most);
    if (spec->dim == 1 && spec->parameters == SOTTO_PARAMETERS_SHARED) {
        return 2 * all * sotto__normal_tail(sqrt(1 / part - 1));
    }
    double lost = correction(spec) * all * part / (1 + sqrt(1 - part)); /* 1 - sqrt(1 - part) */
    return fmin(lost, most);
}

/* Without noise 1/P grows exponentially; where it stops, regret has long been 0. */
static double last_precision(const course *c)
{
    return 1e30 * first_precision(&c->plan->match.spec);
}

/* How many reports may be taken as one: in them neither t nor 1/P grows by more than about one part
 * in a hundred, nor does the phase change. */
static uint64_t stride(const course *c, uint64_t to)
{
    double most = fmin((double)c->t / 100, 0.01 * c->precision / added(c, c->precision));
    uint64_t end = c->t < c->warm_up && c->warm_up < to ? c->warm_up : to;
    if (c->precision >= last_precision(c)) return end - c->t;
    uint64_t reports = most < 1 ? 1 : (uint64_t)most;
    return reports < end - c->t ? reports : end - c->t;
}

/* Goes on to report `to`. A stride is n times what happens at its middle report; strides of one
 * report are the recursion itself. */
static void course_advance(course *c, uint64_t to)
{
    while (c->t < to) {
        uint64_t n = stride(c, to);
        double middle = c->precision + added(c, c->precision) * (double)(n - 1) / 2;
        c->regret += (double)n * next_regret(c, middle);
        c->precision = fmin(last_precision(c), c->precision + (double)n * added(c, middle));
        c->t += n;
    }
}

/* ---- answers ------------------------------------------------------------------------------ */

void sotto_plan_predict(const sotto_plan *plan, sotto_plan_point *point, uint32_t points_count)
{
    SOTTO__DEFAULT_FLOATS;
    if (plan == NULL || point == NULL) return;
    course private = course_begin(plan, plan->match.horizon, true);
    course open = course_begin(plan, plan->match.horizon, false);
    sotto_learning learning = sotto_learning_default(&plan->terms, plan->match.horizon);
    learning.epoch = 0;
    for (uint32_t i = 0; i < points_count; i++) {
        uint64_t people = point[i].people;
        course_advance(&private, people);
        course_advance(&open, people);
        point[i] = (sotto_plan_point){
            .people = people,
            .regret = private.regret,
            .regret_per_person = private.regret / (double)people,
            .regret_next = next_regret(&private, private.precision),
            .open_regret = open.regret,
            .open_regret_next = next_regret(&open, open.precision),
            .cost = private.regret / open.regret,
            .epoch_reports =
                sotto__epoch_reports(&plan->terms, &learning, people, learning.warm_up),
        };
    }
}

static double mean_regret(const sotto_plan *plan, uint64_t people)
{
    course c = course_begin(plan, people, true);
    course_advance(&c, people);
    return c.regret / (double)people;
}

uint64_t sotto_plan_people(const sotto_plan *plan, double target)
{
    SOTTO__DEFAULT_FLOATS;
    if (plan == NULL) return 0;
    uint64_t few = 0, enough = SOTTO_HORIZON_MAX;
    if (!(mean_regret(plan, enough) <= target)) return 0;
    while (enough - few > 1) {
        uint64_t middle = few + (enough - few) / 2;
        if (mean_regret(plan, middle) <= target) {
            enough = middle;
        } else {
            few = middle;
        }
    }
    return enough;
}

uint64_t sotto_plan_within(const sotto_plan *plan, double share)
{
    SOTTO__DEFAULT_FLOATS;
    if (plan == NULL) return 0;
    course private = course_begin(plan, plan->match.horizon, true);
    course open = course_begin(plan, plan->match.horizon, false);
    uint64_t reached = 0;
    for (uint64_t t = 1; t < SOTTO_HORIZON_MAX; t += 1 + t / 200) {
        course_advance(&private, t);
        course_advance(&open, t);
        double lost = next_regret(&private, private.precision);
        double open_lost = next_regret(&open, open.precision);
        bool within = lost - open_lost <= share * (plan->best_reward - open_lost);
        if (!within) reached = 0;
        if (within && reached == 0) reached = t;
    }
    return reached;
}
