/*
 * How many people a private method would need, by the plan.
 *
 * In the plan's world a random arm earns 0 in the mean and the best arm M D, where M follows from
 * dimension and arms, and D is the parameter's length. So a world with gain g has D = g/M. Rewards
 * of a file lie in [0, 1], and sotto reports their score by that range; the plan centres rewards,
 * so we give it [-1, 1], or [-D, D] where D is above 1: that is rather too wide, and asks for more
 * people; half of it asks for too few (1,900 where 50,000 did not suffice).
 *
 * Contexts of a file are seldom spread evenly, and the plan may be a hundred times off for it. But how its curve
 * bends is about right: if 20,000 people won 13 % where the plan needs 2,700 for that, one of the plan counts as 7.4.
 */
#include "needed.h"

#include <math.h>

#define NEAR 1.01 /* the number of people is found up to this factor */
#define LEAST_SHARE 0.05
#define MOST_SHARE 0.5

/* A plan with room for as many people as there can be. */
static sotto_status plan_of(const sotto__need *need, double theta_norm, sotto_plan *out)
{
    const sotto_scene scene = {
        .dim = need->dim,
        .arms = need->arms,
        .parameters = need->parameters,
        .link = SOTTO_LINK_IDENTITY,
        .reward_kind = SOTTO_REWARD_CONTINUOUS,
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = SOTTO_HORIZON_MAX,
    };
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, need->epsilon, 0);
    match.spec.score = SOTTO_SCORE_SELF;
    match.spec.theta_norm_max = match.environment.theta_norm = theta_norm;
    match.spec.reward_hi = fmax(1, theta_norm);
    match.spec.reward_lo = -match.spec.reward_hi;
    sotto_status status = sotto_match_set_learning(&match);
    match.learning.epoch = 0; /* by the rule, as a server does */
    return status == SOTTO_OK ? sotto_plan_make(&match, out) : status;
}

/* Whether the last of so many people, in an experiment planned for them, wins the share. */
static bool is_enough(sotto_plan *plan, double share, uint64_t people)
{
    sotto_plan_point last = {.people = people};
    plan->match.horizon = people;
    sotto_plan_predict(plan, &last, 1);
    return last.regret_next <= (1 - share) * plan->best_reward;
}

uint64_t sotto__people_needed(const sotto__need *need)
{
    sotto_plan plan;
    if (!(need->gain > 0) || plan_of(need, 1, &plan) != SOTTO_OK) return 0;
    if (plan_of(need, need->gain / plan.reach, &plan) != SOTTO_OK) return 0;
    double few = 1, enough = (double)SOTTO_HORIZON_MAX;
    if (!is_enough(&plan, need->share, SOTTO_HORIZON_MAX)) return 0;
    while (enough > few * NEAR) {
        double middle = sqrt(few * enough);
        bool more = !is_enough(&plan, need->share, (uint64_t)middle);
        *(more ? &few : &enough) = middle;
    }
    return (uint64_t)enough;
}

double sotto__people_per_planned(const sotto__need *won, uint64_t people)
{
    if (!(won->share >= LEAST_SHARE)) return NAN;
    sotto__need need = *won;
    need.share = fmin(need.share, MOST_SHARE);
    uint64_t planned = sotto__people_needed(&need);
    return planned == 0 ? NAN : (double)people / (double)planned;
}
