/* What methods truly promise. */
#include "lab/run/true_privacy.h"
#include "test.h"

#include <math.h>

static sotto_match match_of(sotto_player player, sotto_calibration calibration,
                            sotto_parameters parameters, double epsilon, double delta)
{
    const sotto_scene scene = {.dim = 3,
                               .arms = 4,
                               .parameters = parameters,
                               .environment = calibration == SOTTO_CALIBRATION_PUBLISHED
                                                  ? SOTTO_ENVIRONMENT_PUBLISHED
                                                  : SOTTO_ENVIRONMENT_SPHERE,
                               .horizon = 1000};
    sotto_match match = sotto_match_default(player, calibration, &scene, epsilon, delta);
    assert_int_equal(sotto_match_set_learning(&match), SOTTO_OK);
    return match;
}

static sotto__true_privacy truth(sotto_player player, sotto_calibration calibration,
                                 sotto_parameters parameters, double epsilon, double delta)
{
    sotto_match match = match_of(player, calibration, parameters, epsilon, delta);
    return sotto__true_privacy_of(&match);
}

#define SHARED SOTTO_PARAMETERS_SHARED
#define PER_ARM SOTTO_PARAMETERS_PER_ARM
#define PUBLISHED SOTTO_CALIBRATION_PUBLISHED

static void baselines_promise_nothing(void **state)
{
    (void)state;
    for (sotto_player p = SOTTO_PLAYER_OLS; p < SOTTO_PLAYERS; p++) {
        assert_true(isinf(truth(p, SOTTO_CALIBRATION_EXACT, SHARED, 1, 1e-6).epsilon));
        assert_true(isinf(truth(p, PUBLISHED, SHARED, 1, 0.01).epsilon));
    }
}

static void what_people_bring_promises_nothing_that_is_proved(void **state)
{
    (void)state;
    const sotto_player_table table = {.claims_privacy = true};
    sotto_match match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SHARED, 1, 1e-6);
    match.brought = &table;
    assert_true(isinf(sotto__true_privacy_of(&match).epsilon));
}

static void exact_promises_what_it_claims(void **state)
{
    (void)state;
    for (sotto_player p = SOTTO_PLAYER_SOTTO; p <= SOTTO_PLAYER_LDP_GLOC; p++) {
        sotto__true_privacy found = truth(p, SOTTO_CALIBRATION_EXACT, SHARED, 2, 1e-6);
        bool pure = p <= SOTTO_PLAYER_LDP_SGD;
        assert_near(found.epsilon, 2, 0);
        assert_near(found.delta, pure ? 0 : 1e-6, 0);
    }
}

/* What is not bounded is not private: contexts of per-arm parameters, the reports of ldp-gloc. */
static void published_without_a_bound_promises_nothing(void **state)
{
    (void)state;
    for (sotto_player p = SOTTO_PLAYER_LDP_SGD; p <= SOTTO_PLAYER_LDP_GLOC; p++) {
        assert_true(isinf(truth(p, PUBLISHED, PER_ARM, 1, 0.1).epsilon));
    }
    assert_true(isinf(truth(SOTTO_PLAYER_LDP_GLOC, PUBLISHED, SHARED, 1, 0.01).epsilon));
    assert_near(truth(SOTTO_PLAYER_LDP_SGD, PUBLISHED, SHARED, 1, 0.01).epsilon, 1, 0);
    assert_near(truth(SOTTO_PLAYER_LDP_SGD, PUBLISHED, SHARED, 1, 0.01).delta, 0, 0);
}

/* delta = 0.01: the claim would need sd 6.68, 3.98, 1.21 at epsilon 0.5, 1, 5, and has 6.0, 5.0,
 * 3.3 times as much. So the true epsilon e has the exact sd of the published one at epsilon. */
static void published_moments_are_too_careful(void **state)
{
    (void)state;
    const double rows[][3] = {{0.5, 6.68, 5.97}, {1, 3.98, 5.01}, {5, 1.21, 3.30}};
    for (int i = 0; i < 3; i++) {
        double epsilon = rows[i][0], sigma = 6 * sqrt(2 * log(250)) / epsilon;
        assert_near(sigma / rows[i][1], rows[i][2], 0.01);
        double found = truth(SOTTO_PLAYER_LDP_OLS, PUBLISHED, SHARED, epsilon, 0.01).epsilon;
        assert_true(found < epsilon);
        assert_near(sotto_gaussian_delta(found, sqrt(4.5) / sigma), 0.01, 1e-9);
        assert_near(truth(SOTTO_PLAYER_LDP_UCB, PUBLISHED, SHARED, epsilon, 0.01).epsilon, found,
                    0);
    }
}

static void the_papers_constants_promise_less_at_large_epsilon(void **state)
{
    (void)state;
    sotto_calibration paper = SOTTO_CALIBRATION_PAPER;
    assert_true(truth(SOTTO_PLAYER_LDP_OLS, paper, SHARED, 10, 0.01).epsilon > 10);
    assert_true(truth(SOTTO_PLAYER_LDP_OLS, paper, SHARED, 1, 0.01).epsilon < 1);
    assert_near(truth(SOTTO_PLAYER_LDP_SGD, paper, SHARED, 1, 0.01).epsilon, 1, 0);
    /* Per-arm without warm-up: both halves are spent on each block. */
    sotto_match match = match_of(SOTTO_PLAYER_LDP_OLS, paper, PER_ARM, 1, 0.01);
    match.learning.warm_up = 0;
    double halves = sotto__paper_whitened(&match);
    match.learning.warm_up = 100;
    assert_true(sotto__paper_whitened(&match) > 1.9 * halves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(baselines_promise_nothing),
        cmocka_unit_test(what_people_bring_promises_nothing_that_is_proved),
        cmocka_unit_test(exact_promises_what_it_claims),
        cmocka_unit_test(published_without_a_bound_promises_nothing),
        cmocka_unit_test(published_moments_are_too_careful),
        cmocka_unit_test(the_papers_constants_promise_less_at_large_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
