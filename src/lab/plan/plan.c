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
 *            m (p(q - 1) + p(q) - c (p(q - 1) - p(q))), m = e^(M D)  score centred, with p the chances
 *                of Poisson(m), q its median, c = (P(> q) - P(< q))/p(q) the score of q
 *     1/P += (S h)^2/(d B^2)                                     for every report
 *
 *     regret of the next person = C M D mu'(M D) ((d - 1)/d) (1 - sqrt(1 - d P/D^2)),
 *
 * but never more than an arm at random loses. With nulls B^2 q stands for B^2. C = 1.2 (averaged), 1
 * (tracked), by measurement: the averaged estimator is not quite as good as P says. On a line
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
 * with c_K the mean of the largest of K normals; self and centred have S at 0 in warm-up, where arms are
 * random (half of it for 0/1 rewards under the identity link: a mean below 0 is a chance of 0).
 *
 * Per-arm scores `self` are learned from more slowly than they could be (server/damped_precision.c), for
 * real data's sake: P of the server is not what it knows. Its estimate is (1 - b) theta* + noise of
 * variance n for every coordinate, with b = 1, n = 0 at first. With I what stands above in the column
 * 1/P +=, but with S and h of the server, r = S/(S h of the server), and P of the server, a report makes
 *
 *     b *= 1 - P I r,   n = n (1 - P I r)^2 + P^2 I,   1/P += I/(1 + R^2 (1/P - 1/P_0)/6),
 *
 * and (1 - b)/sqrt((1 - b)^2 + d n/D^2) stands for sqrt(1 - d P/D^2). The people of a mean phase get random
 * arms, and nothing is learned of theta*.
 *
 * A report moves the estimate unless it is null, and long scores are seldom null. Terms expect the lengths
 * of scores of labels, and q_0 of them; the server counts reports, and takes qhat = min(q_0, q). A score of a
 * 0/1 reward of chance m has the length 2 min(m, 1 - m) in the mean: with a the mean of that over best arms
 * (in warm-up over all), q = q(a). I has qhat for q, and n grows by P^2 I q/qhat.
 *
 * In few dimensions an arm may hide behind others: the server thinks it shorter than it is, nobody gets it,
 * and no report corrects that. With u = 1 - cos^2 of the angle between the server's estimate and theta* at
 * the end of warm-up, by b and n, every person after it loses
 *
 *     0.08 D mu' u^0.8 g more,   g = 1.2 y/(2 + y), y = (K/(d^2 + 3 d - 5))^2.2,
 *
 * a fit to what a small program found: estimates with that error, of which those that anybody chooses become
 * exact and the others stay. With K <= d arms none can hide: some context is good for it and for no other.
 *
 * Without privacy the same method has B = 1, and the server knows the arm: S^2/(K d) in both
 * phases.
 */
#include "client/budget.h"
#include "core/calibrate.h"
#include "core/elementary.h"
#include "core/fault.h"
#include "core/float_environment.h"
#include "core/link.h"
#include "core/method.h"
#include "core/terms_resolve.h"
#include "lab/environment/reward_law.h"
#include "lab/math/sphere_max.h"
#include "lab/math/statistics.h"
#include "server/precision.h"
#include "server/schedule.h"

#include <sotto/lab/plans.h>

#include <inttypes.h>
#include <math.h>

/* ---- rewards ------------------------------------------------------------------------------ */

static double mean_of(double c, const void *state)
{
    const sotto_spec *spec = state;
    return sotto__mean_reward(spec, c * spec->theta_norm_max);
}

/* 0/1 rewards under the identity link. */
static bool mean_is_cut(const sotto_spec *spec)
{
    return spec->reward_kind == SOTTO_REWARD_BINARY && spec->link == SOTTO_LINK_IDENTITY;
}

/* mu'. */
static double mean_slope(const sotto_spec *spec, double at)
{
    return mean_is_cut(spec) && at >= 1 ? 0 : sotto__link_slope(spec->link, at);
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
    return at * mean_slope(spec, at);
}

/* ---- faults ------------------------------------------------------------------------------- */

static const char *beyond_prediction(const sotto_match *match, char *text)
{
    const sotto_spec *spec = &match->spec;
    double reach = match->environment.theta_norm;
    if (spec->score == SOTTO_SCORE_HUBER) {
        return sotto__fault(
            text, "score = huber: sign, self and centred are predicted; simulate plays it");
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

/* E|psi| of score self at theta*, of 0/1 rewards: 2 m (1 - m)/max(m, 1 - m). */
static double size_of(double c, const void *state)
{
    double chance = mean_of(c, state);
    return 2 * fmin(chance, 1 - chance);
}

/* a of warm-up and main phase; where rewards are not 0/1, what the terms expect. */
static void set_score_sizes(const sotto_spec *spec, sotto_plan *plan)
{
    bool known = sotto__for_real_data(spec) && spec->reward_kind == SOTTO_REWARD_BINARY;
    for (int phase = 0; phase < SOTTO_PHASE_MEAN; phase++) {
        uint32_t arms = phase == SOTTO_PHASE_MAIN ? spec->arms : 1;
        plan->score_size[phase] = known ? sotto__sphere_max(spec->dim, arms, size_of, spec)
                                        : sotto__score_size(spec, (sotto_phase)phase);
    }
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
    set_score_sizes(spec, &plan);
    plan.reports_per_person = reports_per_person(spec);
    *out = plan;
    return SOTTO_OK;
}

/* ---- the recursion ------------------------------------------------------------------------ */

#define WARM_UP_STEPS 2000.0 /* that a long warm-up is taken in */

/* What is known of theta*. */
typedef struct estimate {
    double precision;   /* 1/P */
    double bias, noise; /* b and n: of per-arm scores `self`, and of all at the end of warm-up */
} estimate;

/* An experiment under way, with privacy or without. */
typedef struct course {
    const sotto_plan *plan;
    double information[SOTTO_PHASES]; /* 1/P += information (S h)^2 */
    double unexpected[SOTTO_PHASES];  /* q/qhat */
    uint64_t mean_phase, warm_up;     /* reports */
    double first;                     /* 1/P before the first report */
    uint64_t t;                       /* reports so far */
    estimate now;
    double hidden; /* what a person after warm-up loses by arms that nobody gets */
    double regret;
} course;

/* d/D^2: 1/P of an estimate that knows nothing. */
static double nothing_known(const sotto_spec *spec)
{
    return spec->dim / (spec->theta_norm_max * spec->theta_norm_max);
}

/* With B^2 qhat for private reports. */
static double information_of(const sotto_terms *terms, sotto_phase phase, double size, bool private)
{
    const sotto_spec *spec = &terms->spec;
    const sotto_codebook *codebook = &terms->codebook[phase];
    if (phase == SOTTO_PHASE_MEAN) return 0;
    size = fmin(size, sotto__score_size(spec, phase));
    double variance = private ? sotto__codebook_variance(codebook, spec->epsilon, size) : 1;
    double each = 1 / (spec->dim * variance);
    bool signs = private && phase == SOTTO_PHASE_MAIN && codebook->groups == 1;
    if (spec->parameters == SOTTO_PARAMETERS_SHARED) return each;
    return signs ? each / ((double)spec->arms * spec->arms) : each / spec->arms;
}

/* q/qhat, 1 without privacy. */
static double unexpected_of(const sotto_terms *terms, sotto_phase phase, double size, bool private)
{
    const sotto_codebook *codebook = &terms->codebook[phase];
    double expected = sotto__score_size(&terms->spec, phase), epsilon = terms->spec.epsilon;
    if (!private || phase == SOTTO_PHASE_MEAN || size <= expected) return 1;
    return sotto__codebook_heard(codebook, epsilon, size) /
           sotto__codebook_heard(codebook, epsilon, expected);
}

static course course_begin(const sotto_plan *plan, uint64_t horizon, bool private)
{
    sotto_terms terms = plan->terms;
    for (int phase = 0; phase < SOTTO_PHASES && !private; phase++) {
        terms.codebook[phase].scale = 1;
    }
    sotto_learning learning = sotto_learning_default(&terms, horizon);
    double prior = learning.prior_variance;
    course c = {
        .plan = plan,
        .mean_phase = private ? learning.mean_phase : 0,
        .warm_up = learning.warm_up,
        .first = prior > 0 ? 1 / prior : nothing_known(&terms.spec),
    };
    c.now = (estimate){.precision = c.first, .bias = 1};
    for (int phase = 0; phase < SOTTO_PHASES; phase++) {
        double size = plan->score_size[phase];
        c.information[phase] = information_of(&terms, (sotto_phase)phase, size, private);
        c.unexpected[phase] = unexpected_of(&terms, (sotto_phase)phase, size, private);
    }
    return c;
}

static sotto_phase phase_of(const course *c)
{
    if (c->t < c->mean_phase) return SOTTO_PHASE_MEAN;
    return c->t < c->mean_phase + c->warm_up ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN;
}

/* Where the phase that c is in ends, or `to`, if that is before. */
static uint64_t end_of_phase(const course *c, uint64_t to)
{
    const uint64_t ends[] = {c->mean_phase, c->mean_phase + c->warm_up};
    for (int i = 0; i < 2; i++) {
        if (c->t < ends[i] && ends[i] < to) return ends[i];
    }
    return to;
}

/* d P/D^2: the part of theta* that is not known yet, 1 to 0. */
static double unknown(const course *c, const estimate *e)
{
    return nothing_known(&c->plan->match.spec) / e->precision;
}

/* S of score self, of rewards around the mean at x . theta = v. */
static double self_slope(const sotto_spec *spec, double v)
{
    double mean = sotto__mean_reward(spec, v);
    double slope = mean_slope(spec, v) / fmax(mean - spec->reward_lo, spec->reward_hi - mean);
    return v == 0 && mean_is_cut(spec) ? slope / 2 : slope;
}

/* S of score centred: how its mean falls as the true mean grows from m by a part of itself. */
static double centred_slope(double m)
{
    double before = 0, at = exp(-m), below = 0; /* p(q - 1), p(q), P(< q) */
    for (double q = 0; below + at < 0.5;) {
        below += at;
        before = at;
        at *= m / ++q;
    }
    double middle = (1 - below - at - below) / at;
    return m * (before + at - middle * (before - at));
}

static double slope(const course *c, const estimate *e)
{
    const sotto_match *match = &c->plan->match;
    const sotto_spec *spec = &match->spec;
    bool gaussian = match->environment.law == SOTTO_LAW_GAUSSIAN;
    double noise = gaussian ? match->environment.noise : 0;
    double at = phase_of(c) == SOTTO_PHASE_MAIN ? c->plan->reach * spec->theta_norm_max : 0;
    if (spec->score == SOTTO_SCORE_SELF) return self_slope(spec, at);
    if (spec->score == SOTTO_SCORE_CENTRED) return centred_slope(exp(at));
    return 0.8 / sqrt(noise * noise + 1 / e->precision);
}

/* What the next report adds to 1/P. */
static double added(const course *c, const estimate *e)
{
    double left = 1 - (1 - unknown(c, e)) * (1 - c->plan->across);
    double steepness = slope(c, e) * left;
    return c->information[phase_of(c)] * steepness * steepness;
}

/* Without noise 1/P grows exponentially; where it stops, regret has long been 0. */
static double last_precision(const course *c)
{
    return 1e30 * c->first;
}

/* Per-arm scores `self`: n reports more, the server's P throughout as it is in `middle`. */
static estimate slowly_after(const course *c, const estimate *e, const estimate *middle, double n)
{
    const sotto_spec *spec = &c->plan->match.spec;
    double range = spec->reward_hi - spec->reward_lo;
    double ignored = c->first;
    double server = sotto__run_precision(spec, c->first, 0, 1, &ignored); /* S, then S h */
    if (phase_of(c) == SOTTO_PHASE_MAIN) server *= SOTTO__CHOSEN_SLOPE;
    double information = c->information[phase_of(c)] * server * server;
    double known = range * range * (middle->precision - c->first);
    double pull = fmin(0.9, information * slope(c, e) / server / middle->precision); /* P I r */
    double each = c->unexpected[phase_of(c)] * information / middle->precision / middle->precision;
    double kept = exp(n * sotto__log1p(-pull));
    double noise = pull > 0 ? each * (1 - kept * kept) / (pull * (2 - pull)) : n * each;
    return (estimate){
        .precision = e->precision + n * information / (1 + known / 6),
        .bias = e->bias * kept,
        .noise = e->noise * kept * kept + noise,
    };
}

/* n reports more, each of which adds what it would add in `middle`. */
static estimate after(const course *c, const estimate *e, const estimate *middle, double n)
{
    if (sotto__for_real_data(&c->plan->match.spec)) return slowly_after(c, e, middle, n);
    double precision = e->precision + n * added(c, middle);
    return (estimate){.precision = fmin(last_precision(c), precision)};
}

/* 1 - cos of the angle between estimate and theta*, as good as the estimate is. */
static double missed(const course *c, const estimate *e)
{
    const sotto_spec *spec = &c->plan->match.spec;
    if (!sotto__for_real_data(spec)) {
        double part = unknown(c, e);
        return part / (1 + sqrt(1 - part)); /* 1 - sqrt(1 - part) */
    }
    double along = 1 - e->bias, across = sqrt(nothing_known(spec) * e->noise);
    return along > 0 ? 1 - along / sqrt(along * along + across * across) : 1;
}

/* b and n of other scores after the warm-up of an arm. The server guesses the noise, so its P is not what it
 * knows here either; later, when all arms are well known, that matters less. Long warm-ups are taken in
 * fewer, larger reports. */
static estimate after_warm_up(const course *c)
{
    const sotto_spec *spec = &c->plan->match.spec;
    double reports = (double)(c->warm_up / spec->arms), steps = fmin(reports, WARM_UP_STEPS);
    double each = c->information[SOTTO_PHASE_WARM_UP] * spec->arms * reports / steps;
    estimate e = {.bias = 1};
    double server = c->first;
    for (double i = 0; i < steps; i++) {
        double guessed = sotto__run_precision(spec, c->first, each, 1, &server);
        e.precision = 1 / (e.bias * e.bias / nothing_known(spec) + e.noise);
        double pull = fmin(0.9, each * guessed * slope(c, &e) / server);
        e.bias *= 1 - pull;
        e.noise = e.noise * (1 - pull) * (1 - pull) + each * guessed * guessed / server / server;
    }
    return e;
}

/* 1 - cos^2 at the end of warm-up. */
static double unknown_after_warm_up(const course *c)
{
    const sotto_spec *spec = &c->plan->match.spec;
    estimate e = sotto__for_real_data(spec) ? c->now : after_warm_up(c);
    double along = 1 - e.bias, across = nothing_known(spec) * e.noise;
    return across > 0 ? across / (along * along + across) : 1;
}

static double lost_to_hidden_arms(const course *c)
{
    const sotto_spec *spec = &c->plan->match.spec;
    double d = spec->dim, room = fmax(1, d * d + 3 * d - 5);
    if (spec->parameters == SOTTO_PARAMETERS_SHARED || spec->arms <= spec->dim) return 0;
    double crowd = pow(spec->arms / room, 2.2);
    double loss = 0.08 * spec->theta_norm_max * pow(unknown_after_warm_up(c), 0.8);
    return loss * 1.2 * crowd / (2 + crowd) *
           mean_slope(spec, c->plan->reach * spec->theta_norm_max);
}

/* C ((d - 1)/d), by which regret differs from what P says. */
static double correction(const sotto_spec *spec)
{
    if (spec->parameters == SOTTO_PARAMETERS_PER_ARM) return 1;
    return (sotto__method_averages(spec) ? 1.2 : 1) * (spec->dim - 1.0) / spec->dim;
}

/* The regret of the next person. */
static double next_regret(const course *c, const estimate *e)
{
    const sotto_spec *spec = &c->plan->match.spec;
    double all = straight_loss(spec, c->plan);
    double most = c->plan->best_reward - c->plan->chance_reward;
    if (phase_of(c) != SOTTO_PHASE_MAIN) return fmin(all, most);
    if (spec->dim == 1 && spec->parameters == SOTTO_PARAMETERS_SHARED) {
        return 2 * all * sotto__normal_tail(sqrt(1 / unknown(c, e) - 1));
    }
    return fmin(correction(spec) * all * missed(c, e) + c->hidden, most);
}

/* How many reports may be taken as one: in them neither t nor 1/P grows by more than about one part
 * in a hundred, nor does the phase change. */
static uint64_t stride(const course *c, uint64_t to)
{
    uint64_t end = end_of_phase(c, to);
    if (c->now.precision >= last_precision(c)) return end - c->t;
    double grown = after(c, &c->now, &c->now, 1).precision - c->now.precision;
    double most = fmin((double)c->t / 100, 0.01 * c->now.precision / grown);
    uint64_t reports = most < 1 ? 1 : (uint64_t)fmin(most, (double)SOTTO_HORIZON_MAX);
    return reports < end - c->t ? reports : end - c->t;
}

/* Goes on to report `to`. A stride is n times what happens at its middle report; strides of one
 * report are the recursion itself. */
static void course_advance(course *c, uint64_t to)
{
    while (c->t < to) {
        uint64_t n = stride(c, to);
        estimate middle = after(c, &c->now, &c->now, (double)(n - 1) / 2);
        c->regret += (double)n * next_regret(c, &middle);
        c->now = after(c, &c->now, &middle, (double)n);
        c->t += n;
        if (c->t == c->mean_phase + c->warm_up) c->hidden = lost_to_hidden_arms(c);
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
            .regret_next = next_regret(&private, &private.now),
            .open_regret = open.regret,
            .open_regret_next = next_regret(&open, &open.now),
            .cost = private.regret / open.regret,
            .epoch_reports = sotto__epoch_reports(&plan->terms, &learning, people,
                                                  end_of_phase(&private, UINT64_MAX)),
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
        double lost = next_regret(&private, &private.now);
        double open_lost = next_regret(&open, &open.now);
        bool within = lost - open_lost <= share * (plan->best_reward - open_lost);
        if (!within) reached = 0;
        if (within && reached == 0) reached = t;
    }
    return reached;
}
