/*
 * Where predictions were compared with played runs: the grids of tests/measure/plan.py with dim 5 and more, where all
 * were within a factor 2. A row is a scene of that script. Dimensions, arms and epsilons between those of a grid count
 * as checked. Of horizon, noise, length and the rest one value was played, and only that one counts.
 */
#include "checked.h"

#include <sotto/lab/runs.h>

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

/* What no option of the script changes is as a match has it by default. */
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
           spec->score == plain.spec.score && spec->version == plain.spec.version &&
           spec->measure == plain.spec.measure && spec->reward_rate == plain.spec.reward_rate &&
           spec->reward_lo == plain.spec.reward_lo && spec->reward_hi == plain.spec.reward_hi;
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
