#include "client/client.h"
#include "core/core.h"
#include "inner.h"
#include "lab/environment/environment.h"
#include "lab/math/math.h"

#include <sotto/lab/plans.h>
#include <sotto/lab/runs.h>

#include <inttypes.h>
#include <math.h>

/* ==== checked ================================================================================ */

/*
 * Where predictions were compared with played runs: the grids of tests/measure/plan.py with dim 5 and more, where all
 * were within a factor 2. A row is a scene of that script. Dimensions, arms and epsilons between those of a grid count
 * as checked. Of horizon, noise, length and the rest one value was played, and only that one counts.
 */

#define EPSILON_FROM 0.5
#define EPSILON_TO 5.0
#define NOISE 0.1

typedef struct grid {
    sotto_parameters parameters;
    sotto_link link;
    sotto_reward_kind reward_kind;
    double length; /* of the true parameter */
    uint64_t horizon;
    uint32_t dim_max, arms_min; /* dim from 5, arms to 20 */
} grid;

static const grid grids[] = {
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, SOTTO_REWARD_CONTINUOUS, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, SOTTO_REWARD_BINARY, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOG, SOTTO_REWARD_COUNT, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, SOTTO_REWARD_CONTINUOUS, 1, 100000, 50, 2},
    {SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, SOTTO_REWARD_BINARY, 0.5, 100000, 50, 2},
    {SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, SOTTO_REWARD_BINARY, 1, 20000, 20, 3},
};

static bool is_within(const grid *g, const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    bool same = spec->parameters == g->parameters && spec->link == g->link &&
                spec->reward_kind == g->reward_kind && spec->theta_norm_max == g->length;
    return same && match->horizon == g->horizon && spec->dim >= 5 && spec->dim <= g->dim_max &&
           spec->arms >= g->arms_min && spec->arms <= 20;
}

/* Whether everything that no option of the script changes is as a match has it by default. */
static bool has_defaults(const sotto_match *match)
{
    const sotto_spec *spec = &match->spec;
    const sotto_scene scene = {
        .dim = spec->dim,
        .arms = spec->arms,
        .parameters = spec->parameters,
        .link = spec->link,
        .reward_kind = spec->reward_kind,
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = match->horizon,
    };
    const sotto_match plain =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, spec->epsilon, 0);
    const sotto_environment *world = &match->environment;
    bool noise = world->law != SOTTO_LAW_GAUSSIAN || world->noise == NOISE;
    return noise && match->people_per_second == 0 && world->law == plain.environment.law &&
           spec->score == plain.spec.score && spec->measure == plain.spec.measure &&
           spec->reward_rate == plain.spec.reward_rate && spec->reward_lo == plain.spec.reward_lo &&
           spec->reward_hi == plain.spec.reward_hi;
}

bool sotto__plan_was_checked(const sotto_match *match)
{
    double epsilon = match->spec.epsilon;
    bool found = false;
    for (uint32_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
        found = found || is_within(&grids[i], match);
    }
    return found && epsilon >= EPSILON_FROM && epsilon <= EPSILON_TO && has_defaults(match);
}

/* ==== plan =================================================================================== */

/*
 * What an epsilon will cost: regret of method sotto, predicted without playing.
 *
 * Contexts are uniform on the unit sphere and the true parameter has length D, the largest
 * allowed. course.c follows an experiment from report to report, and loss.c says what a person
 * loses by what is not known yet. This part checks what can be predicted, computes the constants
 * of a prediction, and answers questions from it.
 */

/* ---- faults ------------------------------------------------------------------------------- */

static sotto_status beyond_prediction(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    double reach = match->environment.theta_norm;
    if (spec->score == SOTTO_SCORE_HUBER) {
        return sotto__fault_at(fault, "score",
                               "huber: plan predicts sign, self and centred; simulate plays huber");
    }
    if (match->environment.kind != SOTTO_ENVIRONMENT_SPHERE) {
        return sotto__fault_at(fault, "environment",
                               "%s: only sphere is predicted; simulate plays all",
                               sotto_environment_kind_name(match->environment.kind));
    }
    if (spec->window_reports > 0) {
        return sotto__fault_at(fault, "window_reports",
                               "%" PRIu64 ": only 0, a stationary world, is predicted",
                               spec->window_reports);
    }
    if (spec->context_norm_max != 1) {
        return sotto__fault_at(fault, "context_norm_max",
                               "%.15g: only 1 is predicted; scale contexts",
                               spec->context_norm_max);
    }
    if (reach != spec->theta_norm_max) {
        return sotto__fault_at(fault, "theta_norm",
                               "%.15g: only that of `theta_norm_max`, %.15g, is predicted", reach,
                               spec->theta_norm_max);
    }
    return SOTTO_OK;
}

/* If rewards of good arms hardly differ, the slope at the best arm does not tell what a bad one
 * costs. Predictions were seen to fail below three quarters. On a line no slope is used. */
static sotto_status too_steep(const sotto_match *match, sotto_fault *fault)
{
    const sotto_spec *spec = &match->spec;
    sotto_plan plan;
    sotto__plan_set_rewards(spec, &plan);
    double most = plan.best_reward - plan.chance_reward, bound = spec->theta_norm_max;
    double by_slope = plan.reach * bound * sotto__mean_slope(spec, plan.level * bound);
    if (spec->dim == 1 || by_slope >= 0.75 * most) return SOTTO_OK;
    return sotto__fault_at(fault, "theta_norm_max",
                           "%.15g: rewards of link %s level off long before that; a "
                           "smaller one is predicted, and simulate plays all",
                           bound, sotto_link_name(spec->link));
}

sotto_status sotto_plan_fault(const sotto_match *match, sotto_fault *fault)
{
    if (match == NULL) return sotto__fault_status(fault, SOTTO_E_ARGUMENT);
    if (match->custom != NULL || match->environment.custom != NULL) {
        return sotto__fault_at(fault, "custom",
                               ": only method sotto on a sphere is predicted; simulate "
                               "plays all");
    }
    const char *name = sotto_player_name(match->player);
    if (name != NULL && match->player != SOTTO_PLAYER_SOTTO) {
        return sotto__fault_at(fault, "method", "%s: only sotto is predicted; simulate plays all",
                               name);
    }
    sotto_status status = sotto_match_fault(match, fault);
    if (status == SOTTO_OK) status = beyond_prediction(match, fault);
    return status != SOTTO_OK ? status : too_steep(match, fault);
}

/* ---- constants ---------------------------------------------------------------------------- */

/* What is left of the slope across the deciding direction; `state` is w. */
static double across_of(double c, const void *state)
{
    double w = *(const double *)state, square = c * c;
    return (1 - square) / sqrt(1 - (1 - w * w) * square);
}

/* The same times S, of 0/1 rewards under the identity link. */
static double chosen_slope_of(double c, const void *state)
{
    const sotto_plan *plan = state;
    double chance = c * plan->match.spec.theta_norm_max;
    if (chance <= 0 || chance > 1) return 0;
    double left = plan->match.spec.dim > 1 ? across_of(c, &plan->terms.along_weight) : 1;
    return left / fmax(chance, 1 - chance);
}

/* H, and H_1 where it is used. */
static void set_slopes(const sotto_spec *spec, sotto_plan *plan)
{
    uint32_t d = spec->dim;
    double turning = d > 1 ? d / (d - 1.0) : 1;
    plan->across = 1;
    if (spec->parameters != SOTTO_PARAMETERS_SHARED) return;
    if (d > 1) {
        const double *w = &plan->terms.along_weight;
        plan->across = turning * sotto__sphere_max(d, spec->arms, across_of, w);
    }
    if (sotto__chance_is_cut(spec) && spec->score == SOTTO_SCORE_SELF) {
        plan->chosen_slope = turning * sotto__sphere_max(d, spec->arms, chosen_slope_of, plan);
    }
}

/* E|psi| of score self at theta*, of 0/1 rewards: 2 m (1 - m)/max(m, 1 - m). */
static double size_of(double c, const void *state)
{
    const sotto_spec *spec = state;
    double chance = sotto__mean_reward(spec, c * spec->theta_norm_max);
    return 2 * fmin(chance, 1 - chance);
}

/* a of warm-up and main phase; where rewards are not 0/1, what the terms expect. */
static void set_score_sizes(const sotto_spec *spec, sotto_plan *plan)
{
    bool binary = spec->reward_kind == SOTTO_REWARD_BINARY;
    bool known = (binary && sotto__for_real_data(spec)) || sotto__chance_is_cut(spec);
    for (int phase = 0; phase < SOTTO_PHASE_MEAN; phase++) {
        uint32_t arms = phase == SOTTO_PHASE_MAIN ? spec->arms : 1;
        plan->score_size[phase] = known ? sotto__sphere_max(spec->dim, arms, size_of, spec)
                                        : sotto__score_size(spec, (sotto_phase)phase);
    }
}

/* How many reports a person can send under the default policy of a device, if
 * all are of this kind. */
static uint64_t reports_per_person(const sotto_spec *spec)
{
    const sotto_policy policy = sotto_policy_default();
    sotto__spent spent = {0};
    if (sotto_policy_refusal(&policy, spec, NULL) != SOTTO_OK) return 0;
    while (sotto__budget_refusal(&spent, spec->epsilon, spec->delta, &policy, NULL) == SOTTO_OK) {
        sotto__settle(&spent, &policy);
        sotto__spend(&spent, spec->epsilon, spec->delta);
    }
    return spent.rounds;
}

sotto_status sotto_plan_make(const sotto_match *match, sotto_plan *out)
{
    if (match == NULL || out == NULL) return SOTTO_E_ARGUMENT;
    if (sotto_plan_fault(match, NULL) != SOTTO_OK) return SOTTO_E_FAULT;
    sotto_plan plan = {.match = *match};
    const sotto_spec *spec = &plan.match.spec;
    sotto_status status = sotto_spec_resolve(spec, &plan.terms);
    if (status != SOTTO_OK) return status;
    sotto__plan_set_rewards(spec, &plan);
    set_slopes(spec, &plan);
    set_score_sizes(spec, &plan);
    plan.reports_per_person = reports_per_person(spec);
    *out = plan;
    return SOTTO_OK;
}

/* ---- answers ------------------------------------------------------------------------------ */

void sotto_plan_predict(const sotto_plan *plan, sotto_plan_point *point, uint32_t points_count)
{
    if (plan == NULL || point == NULL) return;
    sotto__delayed private = sotto__delayed_begin(plan, plan->match.horizon, true);
    sotto__delayed open = sotto__delayed_begin(plan, plan->match.horizon, false);
    for (uint32_t i = 0; i < points_count; i++) {
        uint64_t people = point[i].people;
        sotto__delayed_advance(&private, people);
        sotto__delayed_advance(&open, people);
        point[i] = (sotto_plan_point){
            .people = people,
            .regret = private.regret,
            .regret_per_person = private.regret / (double)people,
            .regret_next = sotto__delayed_next(&private),
            .open_regret = open.regret,
            .open_regret_next = sotto__delayed_next(&open),
            .cost = private.regret / open.regret,
            .epoch_reports = sotto__delayed_epoch(&private),
        };
    }
}

uint64_t sotto_plan_within(const sotto_plan *plan, double share)
{
    if (plan == NULL) return 0;
    sotto__delayed private = sotto__delayed_begin(plan, plan->match.horizon, true);
    sotto__delayed open = sotto__delayed_begin(plan, plan->match.horizon, false);
    uint64_t reached = 0;
    for (uint64_t t = 1; t < SOTTO_HORIZON_MAX; t += 1 + t / 200) {
        sotto__delayed_advance(&private, t);
        sotto__delayed_advance(&open, t);
        double lost = sotto__delayed_next(&private);
        double open_lost = sotto__delayed_next(&open);
        bool within = lost - open_lost <= share * (plan->best_reward - open_lost);
        if (!within) reached = 0;
        if (within && reached == 0) reached = t;
    }
    return reached;
}
