/* Predicted regret: what is refused, the recursion compared with a twin that takes the reports one
 * by one, and the answers derived from it. */
#include "checked.h"
#include "core/core.h"
#include "plan_twin.h"
#include "scenes.h"
#include "test.h"

#include <sotto/lab/plans.h>

static sotto_match match_of(uint32_t dim, uint32_t arms, sotto_parameters parameters,
                            sotto_link link, double epsilon, uint64_t horizon)
{
    sotto_match match = sphere_match(parameters, link, dim, arms, epsilon, horizon);
    assert_ok(sotto_match_set_learning(&match));
    match.learning.epoch = 0;
    return match;
}

static sotto_match shared(uint32_t dim, uint32_t arms, double epsilon, uint64_t horizon)
{
    return match_of(dim, arms, SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, epsilon, horizon);
}

/* 0/1 rewards under the identity link. */
static sotto_match chances(uint32_t dim, uint32_t arms, sotto_parameters parameters, double epsilon,
                           uint64_t horizon)
{
    sotto_match match = sphere_match(parameters, SOTTO_LINK_IDENTITY, dim, arms, epsilon, horizon);
    match.spec.reward_kind = SOTTO_REWARD_BINARY, match.spec.score = SOTTO_SCORE_SELF;
    match.spec.reward_lo = 0, match.environment.law = SOTTO_LAW_BERNOULLI;
    assert_ok(sotto_match_set_learning(&match));
    match.learning.epoch = 0;
    return match;
}

static sotto_plan plan_of(const sotto_match *match)
{
    sotto_plan plan;
    assert_ok(sotto_plan_make(match, &plan));
    return plan;
}

static sotto_plan_point point_at(const sotto_plan *plan, uint64_t people)
{
    sotto_plan_point point = {.people = people};
    sotto_plan_predict(plan, &point, 1);
    assert_int_equal(point.people, people);
    return point;
}

static double regret_of(const sotto_match *match)
{
    sotto_plan plan = plan_of(match);
    return point_at(&plan, match->horizon).regret;
}

/* ---- what is refused ---------------------------------------------------------------------- */

static void assert_refused(const sotto_match *match, const char *field, const char *allowed)
{
    sotto_fault fault;
    sotto_plan plan;
    assert_status(sotto_plan_fault(match, &fault), SOTTO_E_FAULT);
    if (strstr(fault.sentence, field) == NULL || strstr(fault.sentence, allowed) == NULL) {
        fail_msg("\"%s\" names neither \"%s\" nor \"%s\"", fault.sentence, field, allowed);
    }
    assert_status(sotto_plan_make(match, &plan), SOTTO_E_FAULT);
}

TEST(what_cannot_be_predicted_is_refused)
{
    const sotto_match good = shared(5, 3, 1, 1000);
    sotto_match bad;
    const sotto_player_table player = {.name = "mine"};
    const sotto_environment_table environment = {.name = "mine"};
    bad = good;
    bad.custom = &player;
    assert_refused(&bad, "custom", "only method sotto on a sphere is predicted");
    bad = good;
    bad.environment.custom = &environment;
    assert_refused(&bad, "custom", "only method sotto on a sphere is predicted");
    assert_ok(sotto_plan_fault(&good, NULL));
#define BAD(field, value, words, allowed)                                                          \
    bad = good, bad.field = (value);                                                               \
    assert_refused(&bad, words, allowed)
    BAD(player, SOTTO_PLAYER_OLS, "method = ols", "only sotto");
    BAD(player, (sotto_player)99, "player = 99", "not known");
    BAD(spec.score, SOTTO_SCORE_HUBER, "score = huber", "sign, self and centred");
    BAD(spec.score, SOTTO_SCORE_MOMENTS, "score = moments", "allows sign, self");
    BAD(environment.kind, SOTTO_ENVIRONMENT_BALL, "environment = ball", "only sphere");
    BAD(spec.window_reports, 30000, "window_reports = 30000", "only 0");
    BAD(spec.context_norm_max, 0.5, "context_norm_max = 0.5", "only 1");
    BAD(environment.theta_norm, 0.5, "theta_norm = 0.5", "theta_norm_max, 1");
    BAD(environment.noise, -1, "noise = -1", "allowed");
    BAD(environment.noise, NAN, "noise = nan", "allowed");
    BAD(spec.dim, 0, "dim = 0", "allowed 1");
    BAD(spec.epsilon, 9, "epsilon = 9", "8");
    BAD(spec.reward_hi, 0.5, "reward_hi = -1, 0.5", "wider");
    BAD(horizon, 0, "horizon = 0", "allowed");
    BAD(horizon, SOTTO_HORIZON_MAX + 1, "horizon", "1000000000000");
#undef BAD
    bad = match_of(5, 3, SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY, 1, 1000);
    bad.player = SOTTO_PLAYER_LDP_SGD;
    assert_refused(&bad, "method = ldp-sgd", "simulate plays all");
}

/* Links that level off are predicted as long as the slope at the best arm shows what a bad arm
 * costs. */
TEST(rewards_that_level_off_are_refused)
{
    for (uint32_t per_arm = 0; per_arm < 2; per_arm++) {
        sotto_match match = match_of(10, 5, (sotto_parameters)per_arm, SOTTO_LINK_LOGIT, 1, 100000);
        match.spec.theta_norm_max = match.environment.theta_norm = 3;
        assert_ok(sotto_plan_fault(&match, NULL));
        match.spec.theta_norm_max = match.environment.theta_norm = 10;
        assert_refused(&match, "theta_norm_max = 10", "link logit");
    }
    /* 0/1 rewards under the identity link: where the best arm has chance 1, nothing is left of the slope. */
    sotto_match match = chances(2, 10, SOTTO_PARAMETERS_SHARED, 1, 100000);
    assert_ok(sotto_plan_fault(&match, NULL));
    match.spec.theta_norm_max = match.environment.theta_norm = 1.2; /* M = 0.94 */
    assert_refused(&match, "theta_norm_max = 1.2", "link identity");
}

/* M D mu'(M D) over best less chance, which at the limit is three quarters. */
TEST(the_limit_is_where_the_slope_tells_three_quarters)
{
    const uint32_t dims[] = {2, 10};
    for (uint32_t at = 0; at < 4; at++) {
        sotto_match match =
            match_of(dims[at / 2], 5, (sotto_parameters)(at % 2), SOTTO_LINK_LOGIT, 1, 100000);
        double allowed = 1, refused = 20;
        for (int i = 0; i < 40; i++) {
            double middle = (allowed + refused) / 2;
            match.spec.theta_norm_max = match.environment.theta_norm = middle;
            *(sotto_plan_fault(&match, NULL) == SOTTO_OK ? &allowed : &refused) = middle;
        }
        assert_true(allowed > 1 && refused < 20);
        match.spec.theta_norm_max = match.environment.theta_norm = allowed;
        sotto_plan plan = plan_of(&match);
        double slope = sotto__link_slope(SOTTO_LINK_LOGIT, plan.level * allowed);
        double told = plan.reach * allowed * slope;
        assert_near(told / (plan.best_reward - plan.chance_reward), 0.75, 1e-6);
    }
}

/* ---- the recursion ------------------------------------------------------------------------ */

static void assert_like_the_twin(const sotto_match *match)
{
    sotto_plan plan = plan_of(match);
    const uint64_t people[] = {1, 2, 50, 100, 1000, 5000, match->horizon};
    sotto_plan_point point[7];
    for (int i = 0; i < 7; i++) {
        point[i].people = people[i];
    }
    sotto_plan_predict(&plan, point, 7);
    for (int i = 0; i < 7; i++) {
        double tolerance = people[i] <= 100 ? 1e-9 : 1e-4; /* strides of one report are exact */
        double wanted = plan_twin_regret(&plan, true, people[i]);
        assert_near(point[i].regret / wanted, 1, tolerance);
        wanted = plan_twin_regret(&plan, false, people[i]);
        assert_near(point[i].open_regret / wanted, 1, tolerance);
        double next = plan_twin_regret(&plan, false, people[i] + 1) - wanted;
        assert_near(point[i].open_regret_next / next, 1, 100 * tolerance);
    }
}

TEST(every_form_follows_the_recursion)
{
    const sotto_parameters both[] = {SOTTO_PARAMETERS_SHARED, SOTTO_PARAMETERS_PER_ARM};
    const uint32_t dims[] = {2, 4, 5, 20}, arms[] = {2, 7};
    const double epsilons[] = {0.5, 5}; /* 5: tags with per-arm parameters */
    const uint32_t step = LOADS_ARE_CHECKED ? 5 : 1;
    for (uint32_t i = 0; i < 2 * 4 * 4 * 2 * 2; i += step) {
        sotto_match match = match_of(dims[i / 8 % 4], arms[i % 2], both[i / 2 % 2],
                                     (sotto_link)(i / 32), epsilons[i / 4 % 2], 6000);
        assert_like_the_twin(&match);
    }
    sotto_match match = match_of(5, 3, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT, 5, 3000);
    match.horizon = 9000;
    assert_like_the_twin(&match);
    match = shared(5, 3, 1, 9000);
    match.spec.score = SOTTO_SCORE_SELF; /* continuous rewards without the sign */
    assert_like_the_twin(&match);
    match.environment.noise = 2, match.spec.reward_lo = -6, match.spec.reward_hi = 3;
    assert_like_the_twin(&match);
    for (uint32_t i = 0; i < 8; i++) { /* 0/1 rewards under the identity link */
        match = chances(dims[i / 2], 4, both[i % 2], epsilons[i / 4], 9000);
        assert_like_the_twin(&match);
    }
}

/* M, H and the rewards of d = 3, where a projection is uniform: M = (K-1)/(K+1), and with K = 2, by
 * Simpson's rule over density (1 + u)/2, H = 1.5 E[(1 - c^2)/sqrt(1 - 0.91 c^2)], w = 0.3. */
TEST(constants_of_three_dimensions_are_right)
{
    sotto_match match = shared(3, 2, 1, 1000);
    sotto_plan plan = plan_of(&match);
    enum { STEPS = 2000 };
    double across = 0;
    for (int i = 0; i <= STEPS; i++) {
        double u = -1 + 2.0 * i / STEPS, weight = i == 0 || i == STEPS ? 1 : i % 2 == 1 ? 4 : 2;
        double f = (1 - u * u) / sqrt(1 - (1 - 0.3 * 0.3) * u * u) * (1 + u) / 2;
        across += weight * f * (2.0 / STEPS) / 3;
    }
    assert_near(plan.across, 1.5 * across, 1e-6);
    assert_nears(1e-9, plan.reach, 1.0 / 3, plan.best_reward, 1.0 / 3);
    assert_near(plan.chance_reward, 0, 1e-12);

    match = match_of(3, 2, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOG, 1, 1000);
    plan = plan_of(&match);
    assert_near(plan.reach, 1 / sqrt(3 * 4 * atan(1)), 1e-9); /* c_2/sqrt d */
    assert_near(plan.chance_reward, sinh(1), 1e-9);           /* E e^U, U uniform */
    assert_near(plan.best_reward, cosh(1), 1e-9);             /* E e^c, density (1 + c)/2 */
}

/* Lengths of scores of d = 3, where a projection c is uniform on [-1, 1] and the larger of two has density
 * (1 + c)/2. Chances max(0, c/2) have scores of 2 min(c/2, 1 - c/2) = c where c > 0. */
TEST(scores_of_chances_have_their_own_length)
{
    sotto_match match = chances(3, 2, SOTTO_PARAMETERS_PER_ARM, 1, 1000);
    match.spec.theta_norm_max = match.environment.theta_norm = 0.5;
    assert_ok(sotto_match_set_learning(&match));
    sotto_plan plan = plan_of(&match);
    assert_near(plan.score_size[SOTTO_PHASE_WARM_UP], 1.0 / 4, 1e-6); /* bent at 0 */
    assert_near(plan.score_size[SOTTO_PHASE_MAIN], 5.0 / 12, 1e-6);
    match = match_of(3, 8, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 1, 1000);
    match.spec.score = SOTTO_SCORE_SELF;
    assert_ok(sotto_match_set_learning(&match));
    plan = plan_of(&match);
    assert_near(plan.score_size[SOTTO_PHASE_WARM_UP], 1.0 / 4,
                0); /* continuous: as the terms expect, 2/K */
    assert_near(plan.score_size[SOTTO_PHASE_MAIN], 0.3, 0);
}

/* However large C is, nobody loses more than with a random arm. */
TEST(nothing_is_worse_than_chance)
{
    for (uint32_t i = 0; i < 4; i++) {
        sotto_match match = match_of(50, 5, SOTTO_PARAMETERS_SHARED, (sotto_link)i, 0.01, 100000);
        sotto_plan plan = plan_of(&match);
        double chance = 100000 * (plan.best_reward - plan.chance_reward);
        assert_true(regret_of(&match) <= chance * (1 + 1e-9) && regret_of(&match) > 0.8 * chance);
    }
}

/* d = 1: what is left is the chance of the wrong sign; half before the first report. */
TEST(a_line_has_only_the_sign_to_learn)
{
    sotto_match match = shared(1, 2, 1, 1000);
    sotto_plan plan = plan_of(&match);
    double first = point_at(&plan, 1).regret;
    assert_near(first, 0.5, 1e-12); /* 2 M/2, M = 1/2 */
    double B = plan.terms.codebook[SOTTO_PHASE_MAIN].scale;
    double precision = 1 + 0.64 / (0.01 + 1) / (B * B);
    double wanted = 0.5 * erfc(sqrt(precision - 1) / sqrt(2));
    assert_near(point_at(&plan, 1).regret_next, wanted, 1e-12);
    assert_true(point_at(&plan, 1000000000).regret < 50);
}

/* Without privacy a report of score S adds S^2 to 1/P, 1 at first, and the next person loses 2 Phi(-S) of what a random
 * arm does. S of the estimate 0 does not depend on the arms: tanh(1/2), erf(1/sqrt 2), and of counts what Poisson(e)
 * and Poisson(1/e) score where Poisson(1) scores 0: 1, -1, and e - 3 of the other sign where it is 1. */
TEST(on_a_line_signs_are_learned_from_the_middle)
{
    const sotto_link links[] = {SOTTO_LINK_LOGIT, SOTTO_LINK_PROBIT, SOTTO_LINK_LOG};
    double e = exp(1), up = exp(-e), down = exp(-1 / e);
    double high = 1 - up - up * e - up + (3 - e) * up * e;
    double low = 1 - down - down / e - down + (3 - e) * down / e;
    const double slopes[] = {tanh(0.5), erf(sqrt(0.5)), (high - low) / 2};
    for (uint32_t i = 0; i < 9; i++) {
        sotto_match match =
            match_of(1, 2 + 3 * (i / 3), SOTTO_PARAMETERS_SHARED, links[i % 3], 1, 1000);
        sotto_plan plan = plan_of(&match);
        double most = plan.best_reward - plan.chance_reward;
        assert_near(point_at(&plan, 1).open_regret_next / most, erfc(slopes[i % 3] / sqrt(2)),
                    1e-12);
    }
    sotto_match match = match_of(1, 3, SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT, 1, 1000);
    match.spec.theta_norm_max = match.environment.theta_norm = 3; /* 1/P is 1/9 at first */
    sotto_plan plan = plan_of(&match);
    double most = plan.best_reward - plan.chance_reward;
    assert_near(point_at(&plan, 1).open_regret_next / most, erfc(tanh(1.5) / sqrt(2)), 1e-12);
}

/* Rewards in other units: doubling everything doubles the regret. */
TEST(regret_has_the_units_of_rewards)
{
    sotto_match one = shared(6, 4, 1, 50000), two = one;
    two.spec.theta_norm_max = two.environment.theta_norm = 2;
    two.environment.noise *= 2, two.spec.reward_lo = -2, two.spec.reward_hi = 2;
    assert_near(regret_of(&two) / regret_of(&one), 2, 1e-9);
}

TEST(more_privacy_noise_or_people_cost_more)
{
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT};
    for (uint32_t i = 0; i < 4; i++) {
        double before = INFINITY;
        for (double epsilon = 0.01; epsilon <= 8; epsilon *= LOADS_ARE_CHECKED ? 3 : 1.3) {
            sotto_match match =
                match_of(8, 4, (sotto_parameters)(i % 2), links[i / 2], epsilon, 1000000);
            double regret = regret_of(&match);
            assert_true(regret < before && regret > 0);
            before = regret;
        }
    }
    sotto_match match = shared(8, 4, 1, SOTTO_HORIZON_MAX);
    sotto_plan plan = plan_of(&match);
    sotto_plan_point before = point_at(&plan, 1);
    for (uint64_t people = 3; people < SOTTO_HORIZON_MAX; people *= 3) {
        sotto_plan_point now = point_at(&plan, people);
        assert_true(now.regret > before.regret && now.regret_next <= before.regret_next);
        assert_true(now.open_regret <= now.regret && now.open_regret_next < now.regret_next);
        before = now;
    }
    double quiet = regret_of(&match);
    match.environment.noise = 0.2;
    assert_true(regret_of(&match) > 1.5 * quiet);
}

/* Nothing overflows or stalls: no noise, where 1/P grows exponentially, the largest problem, the
 * longest horizon. */
TEST(extremes_have_finite_predictions)
{
    sotto_match match = shared(5, 3, 8, SOTTO_HORIZON_MAX);
    match.environment.noise = 0;
    double regret = regret_of(&match);
    assert_true(regret > 0.1 && regret < 100);
    match.environment.law = SOTTO_LAW_NONE, match.environment.noise = 0.5; /* which no law uses */
    assert_true(regret_of(&match) == regret);
    const uint32_t dims[] = {1, 2, 64, 1024}, arms[] = {2, 1024, 1024, 64};
    for (uint32_t i = 0; i < 4 * 2 * 2; i++) {
        match = match_of(dims[i % 4], arms[i % 4], (sotto_parameters)(i / 4 % 2),
                         SOTTO_LINK_IDENTITY, i < 8 ? 0.01 : 8, SOTTO_HORIZON_MAX);
        regret = regret_of(&match);
        assert_true(isfinite(regret) && regret > 0);
    }
}

/* Settings from a small generator: whatever simulate plays is predicted, finite, no more than
 * random arms lose, not below the proved bound of all methods, and grows with people. */
TEST(settings_that_nobody_lists_are_predicted)
{
    const uint32_t dims[] = {1, 2, 3, 4, 5, 9, 24}, arms[] = {2, 3, 5, 10, 15, 100};
    const double epsilons[] = {0.01, 0.1, 0.5, 1, 3, 8};
    const sotto_link links[] = {SOTTO_LINK_IDENTITY, SOTTO_LINK_LOGIT, SOTTO_LINK_LOG};
    uint32_t draw = 1;
#define ONE_OF(list)                                                                               \
    (list)[(draw = draw * 1664525u + 1013904223u, draw >> 16) % (sizeof(list) / sizeof(list)[0])]
    for (uint32_t i = 0; i < (LOADS_ARE_CHECKED ? 34 : 120); i++) {
        sotto_parameters parameters = (sotto_parameters)(i % 2);
        uint32_t dim = ONE_OF(dims), k = ONE_OF(arms);
        double epsilon = ONE_OF(epsilons);
        sotto_match match = i / 2 % 4 == 3
                                ? chances(dim, k, parameters, epsilon, 30000)
                                : match_of(dim, k, parameters, links[i / 2 % 4], epsilon, 30000);
        sotto_fault fault;
        if (sotto_plan_fault(&match, &fault) != SOTTO_OK)
            fail_msg("dim %u, arms %u: %s", dim, k, fault.sentence);
        sotto_plan plan = plan_of(&match);
        double most = plan.best_reward - plan.chance_reward, before = 0;
        for (uint64_t people = 1; people <= 30000; people *= 5) {
            sotto_plan_point now = point_at(&plan, people);
            assert_true(isfinite(now.regret) && isfinite(now.open_regret) && now.regret_next >= 0);
            assert_true(now.regret >= before && now.regret <= most * (double)people * (1 + 1e-9));
            before = now.regret;
        }
        if (i % 16 != 0)
            continue; /* shared, link identity: the only ones with a proof, which takes time */
        for (uint64_t people = 1; people <= 2500; people *= 50) {
            sotto_floor floor;
            match.horizon = people;
            assert_ok(sotto_floor_of(&match, &floor));
            if (dim == 1) continue;
            assert_true(regret_of(&match) >= floor.proved * (1 - 1e-9));
        }
    }
#undef ONE_OF
}

/* Where nothing is learned everyone loses what a random arm does: few dimensions, small epsilon,
 * few people. */
TEST(few_dimensions_begin_with_random_arms)
{
    for (uint32_t dim = 1; dim <= 6; dim++) {
        for (uint32_t i = 0; i < 4; i++) {
            sotto_match match =
                match_of(dim, 10, (sotto_parameters)(i % 2), (sotto_link)(i / 2), 0.01, 100);
            sotto_plan plan = plan_of(&match);
            assert_near(regret_of(&match) / (100 * (plan.best_reward - plan.chance_reward)), 1,
                        0.03);
        }
    }
}

/* Per-arm, on a line: after warm-up the signs are known, so the whole loss is in warm-up. */
TEST(on_a_line_arms_cost_their_warm_up)
{
    const uint32_t arms[] = {2, 3, 5};
    for (int i = 0; i < 3; i++) {
        sotto_match match =
            match_of(1, arms[i], SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY, 1, 100000);
        double warm_up = (double)match.learning.warm_up, lost = 1 - ldexp(1, 1 - (int)arms[i]);
        assert_true(warm_up > 40);
        assert_near(regret_of(&match) / (warm_up * lost), 1, 0.05);
        sotto_plan plan = plan_of(&match);
        assert_true(point_at(&plan, 100000).cost > 1);
    }
}

/* ---- answers ------------------------------------------------------------------------------ */

static bool is_within(const sotto_plan *plan, uint64_t people, double share)
{
    sotto_plan_point at = point_at(plan, people);
    double reward = plan->best_reward - at.regret_next;
    return reward >= (1 - share) * (plan->best_reward - at.open_regret_next);
}

TEST(within_holds_from_there_on)
{
    for (uint32_t i = 0; i < 4; i++) {
        sotto_match match =
            match_of(7, 3, (sotto_parameters)(i % 2), (sotto_link)(i / 2), 1, 200000);
        sotto_plan plan = plan_of(&match);
        uint64_t before = UINT64_MAX;
        for (double share = 0.001; share < 0.06; share *= 3) {
            uint64_t people = sotto_plan_within(&plan, share);
            assert_true(people > 100 && people < before);
            assert_false(is_within(&plan, people - people / 100, share));
            for (uint64_t t = people; t < 1000 * people; t += t / 3) {
                assert_true(is_within(&plan, t, share));
            }
            before = people;
        }
        assert_int_equal(sotto_plan_within(&plan, 1e-14), 0);
    }
}

/* Lifetime epsilon 8, at most 2 a report. */
TEST(a_person_has_a_budget)
{
    const double epsilon[] = {0.01, 0.5, 1, 2, 2.1, 8};
    const uint64_t wanted[] = {800, 16, 8, 4, 0, 0};
    for (int i = 0; i < 6; i++) {
        sotto_match match = shared(3, 2, epsilon[i], 10);
        assert_int_equal(plan_of(&match).reports_per_person, wanted[i]);
    }
}

/* n = max(1, floor(min(0.2 t, 0.25 B sqrt t))). */
TEST(epochs_grow_by_the_rule)
{
    sotto_match match = shared(10, 5, 1, 100000);
    match.learning.epoch = 7; /* the match's own way to learn is not used */
    sotto_plan plan = plan_of(&match);
    double B = plan.terms.codebook[SOTTO_PHASE_MAIN].scale;
    assert_ints(point_at(&plan, 1).epoch_reports, 1, point_at(&plan, 10).epoch_reports, 2);
    assert_int_equal(point_at(&plan, 100000).epoch_reports, (uint64_t)(0.25 * B * sqrt(100000)));
}

/* No epoch extends beyond the phase in which it begins. */
TEST(epochs_end_with_their_phase)
{
    sotto_match match = match_of(5, 4, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT, 1, 100000);
    sotto_plan plan = plan_of(&match);
    uint64_t mean = match.learning.mean_phase, end = mean + match.learning.warm_up;
    assert_true(mean > 100 && match.learning.warm_up > 100);
    assert_true(point_at(&plan, mean).epoch_reports > 3 && point_at(&plan, end).epoch_reports > 3);
    for (uint64_t left = 1; left <= 3; left++) {
        assert_int_equal(point_at(&plan, mean - left).epoch_reports, left);
        assert_int_equal(point_at(&plan, end - left).epoch_reports, left);
    }
}
