/* Matches: misfits are named with the nearest value that fits, and the defaults fit together. */
#include "checked.h"
#include "lab/environment/environment.h"
#include "scenes.h"
#include "test.h"

static sotto_scene scene_of(sotto_parameters parameters, sotto_link link)
{
    return (sotto_scene){
        .dim = 4,
        .arms = 3,
        .parameters = parameters,
        .link = link,
        .reward_kind = sotto_link_reward_kind(link),
        .environment = SOTTO_ENVIRONMENT_SPHERE,
        .horizon = 1000,
    };
}

static sotto_match match_of(sotto_player player, sotto_calibration calibration,
                            sotto_parameters parameters, sotto_link link)
{
    sotto_scene scene = scene_of(parameters, link);
    sotto_match match = sotto_match_default(player, calibration, &scene, 1, 1e-6);
    sotto_status ignored = sotto_match_set_learning(&match);
    (void)ignored; /* a misfit has none, and its fault says why */
    return match;
}

static void assert_fault(const sotto_match *match, const char *field, const char *nearest)
{
    sotto_fault fault;
    assert_status(sotto_match_fault(match, &fault), SOTTO_E_FAULT);
    if (strstr(fault.sentence, field) == NULL || strstr(fault.sentence, nearest) == NULL) {
        fail_msg("\"%s\" names neither \"%s\" nor \"%s\"", fault.sentence, field, nearest);
    }
}

TEST(misfits_of_method_and_link_name_the_nearest)
{
    const sotto_player linear[] = {SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_LDP_UCB,
                                   SOTTO_PLAYER_SOTTO_OLS, SOTTO_PLAYER_OLS, SOTTO_PLAYER_LINUCB};
    const sotto_link links[] = {SOTTO_LINK_LOGIT, SOTTO_LINK_PROBIT, SOTTO_LINK_LOG};
    for (int p = 0; p < 5; p++) {
        for (int l = 0; l < 3; l++) {
            sotto_match match =
                match_of(linear[p], SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED, links[l]);
            assert_fault(&match, "link = ", p < 3 ? "sotto takes" : "glm-ucb takes");
        }
    }
    sotto_match match = match_of(SOTTO_PLAYER_SOTTO_OLS, SOTTO_CALIBRATION_EXACT,
                                 SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY);
    assert_fault(&match, "parameters = per-arm", "ldp-ols have both");
}

TEST(misfits_of_calibration_name_the_nearest)
{
    const sotto_calibration others[] = {SOTTO_CALIBRATION_PAPER, SOTTO_CALIBRATION_PUBLISHED};
    for (int c = 0; c < 2; c++) {
        sotto_match match =
            match_of(SOTTO_PLAYER_SOTTO, others[c], SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
        assert_fault(&match, "not in the paper", "exact");
        match =
            match_of(SOTTO_PLAYER_LDP_OLS, others[c], SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
        match.spec.noise_law = SOTTO_NOISE_LAPLACE, match.spec.delta = 0;
        assert_fault(&match, "noise_law = laplace", "exact");
        match =
            match_of(SOTTO_PLAYER_LDP_OLS, others[c], SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
        match.learning.epoch = 10;
        assert_fault(&match, "epoch", "exact");
        match.learning.epoch = 1, match.spec.epoch_lag_max = 1;
        assert_fault(&match, "lag", "exact");
        match.spec.epoch_lag_max = 0, match.spec.window_reports = 10;
        assert_fault(&match, "window", "exact");
        match.spec.window_reports = 0, match.growth = 0.5;
        assert_fault(&match, "epoch", "exact");
        match.growth = 0, match.liars = 0.01;
        assert_fault(&match, "liars = 0.01", "exact");
    }
    sotto_match match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PUBLISHED,
                                 SOTTO_PARAMETERS_SHARED, SOTTO_LINK_PROBIT);
    assert_fault(&match, "link = probit", "exact");
    match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PUBLISHED, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_LOGIT);
    assert_fault(&match, "link = logit", "exact");
    match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_IDENTITY);
    match.split_paper = true;
    assert_fault(&match, "split = paper", "joint");
    match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PAPER, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_IDENTITY);
    match.split_paper = true;
    assert_fault(&match, "split = paper", "per-arm");
    match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PAPER, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_IDENTITY);
    match.spec.epsilon = 0.015;
    assert_fault(&match, "epsilon = 0.015", "0.02");
    match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PUBLISHED, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_IDENTITY);
    match.delta = 0;
    assert_fault(&match, "delta = 0", "above 0");
    match = match_of(SOTTO_PLAYER_LDP_UCB, SOTTO_CALIBRATION_PUBLISHED, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_IDENTITY);
    match.spec.dim = 128, match.spec.arms = 33;
    assert_fault(&match, "arms = 33", "4096");
}

TEST(rewards_that_cannot_hold_the_means_are_refused)
{
    sotto_scene scene = scene_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    scene.reward_kind = SOTTO_REWARD_BINARY;
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    assert_ok(sotto_match_set_learning(&match));
    assert_ok(sotto_match_fault(&match, NULL)); /* its means are cut to chances */
    match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_LOG);
    match.spec.reward_hi = 2;
    assert_fault(&match, "reward_hi = 0, 2", "wider");
    match = match_of(SOTTO_PLAYER_LDP_OLS, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_IDENTITY);
    match.spec.reward_hi = 1 - 1e-6;
    assert_fault(&match, "reward_hi = -1, 0.999999", "wider");
    match = match_of(SOTTO_PLAYER_LDP_OLS, SOTTO_CALIBRATION_PUBLISHED, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_IDENTITY);
    match.spec.reward_hi = 0.5; /* the authors do not clip */
    assert_ok(sotto_match_fault(&match, NULL));
}

TEST(worlds_that_cannot_be_are_refused)
{
    const sotto_match good = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                      SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    sotto_match bad;
    assert_ok(sotto_match_fault(&good, NULL));
#define BAD(field, value, words)                                                                   \
    bad = good, bad.field = (value);                                                               \
    assert_fault(&bad, words, "")
    BAD(player, SOTTO_PLAYERS, "player");
    BAD(calibration, (sotto_calibration)3, "calibration");
    BAD(spec.method, SOTTO_METHOD_LDP_SGD, "method");
    BAD(spec.method, (sotto_method)77, "method");
    BAD(spec.dim, 0, "dim");
    BAD(spec.epsilon, 9, "epsilon");
    BAD(learning.alpha, 0, "alpha");
    BAD(horizon, 0, "horizon");
    BAD(horizon, SOTTO_HORIZON_MAX + 1, "horizon");
    BAD(environment.kind, (sotto_environment_kind)99, "environment");
    BAD(environment.law, (sotto_reward_law)99, "law");
    BAD(environment.noise, -1, "noise");
    BAD(environment.noise, NAN, "noise");
    BAD(environment.theta_norm, 0, "theta_norm");
    BAD(environment.theta_norm, 1.001, "theta_norm");
    BAD(environment.kind, SOTTO_ENVIRONMENT_MARGIN, "arms"); /* it has two, this has three */
#undef BAD
    bad = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_PER_ARM,
                   SOTTO_LINK_IDENTITY);
    bad.environment.kind = SOTTO_ENVIRONMENT_MARGIN;
    assert_fault(&bad, "parameters = per-arm", "sphere");
}

/* A trillion rounds are too many for epochs of one report, but not for a baseline or for auto. */
TEST(a_horizon_must_have_enough_epochs)
{
    sotto_match match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                 SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    match.horizon = SOTTO_HORIZON_MAX;
    assert_fault(&match, "horizon = 1000000000000", "epoch auto");
    match.horizon = UINT32_MAX;
    assert_fault(&match, "horizon = 4294967295", "epoch auto");
    match.horizon--;
    assert_ok(sotto_match_fault(&match, NULL));
    match.horizon = SOTTO_HORIZON_MAX;
    match.learning.epoch = 0;
    assert_ok(sotto_match_fault(&match, NULL));
    match.learning.epoch = 1000;
    assert_ok(sotto_match_fault(&match, NULL));
    match.spec.epoch_lag_max = 4;
    match.horizon = 5001;
    assert_ok(sotto_match_fault(&match, NULL));
    match.horizon = 5000; /* no one would get a model that has learned anything */
    assert_fault(&match, "epoch_lag_max = 4: the first epoch has 1000 reports",
                 "less than the horizon, 5000");
    match.learning.epoch = SOTTO_REPORTS_MAX;
    assert_fault(&match, "epoch_lag_max = 4", "less than the horizon, 5000");
    match.learning.epoch = 0;
    assert_ok(sotto_match_fault(&match, NULL));
    match = match_of(SOTTO_PLAYER_OLS, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_IDENTITY);
    match.horizon = SOTTO_HORIZON_MAX;
    assert_ok(sotto_match_fault(&match, NULL));
}

/* Clocks that stop, run backwards, or end before any report comes. */
TEST(clocks_that_nobody_learns_by_are_refused)
{
    sotto_match good = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    good.horizon = 1000;
    sotto_match_set_clock(&good, 8, 1, 100);
    assert_ok(sotto_match_fault(&good, NULL));
    assert_int_equal(good.spec.epoch_lag_max, 8);
    assert_int_equal(good.epoch_seconds_min, 5); /* half of 9, though 8 epochs of it may be late */
    good.epoch_seconds_min = 2;
    sotto_match bad;
#define BAD(field, value, words, allowed)                                                          \
    bad = good, bad.field = (value);                                                               \
    assert_fault(&bad, words, allowed)
    BAD(people_per_second, NAN, "people_per_second = nan", "0, or 1e-06 to 1e+09");
    BAD(people_per_second, -1, "people_per_second = -1", "0, or 1e-06 to 1e+09");
    BAD(people_per_second, INFINITY, "people_per_second = inf", "0, or 1e-06 to 1e+09");
    BAD(people_per_second, 9e-7, "people_per_second = 9e-07", "0, or 1e-06 to 1e+09");
    BAD(people_per_second, 0, "epoch_seconds_min = 2", "0 without a delay");
    BAD(spec.reward_window_s, 9, "delay = 9,1,100", "less than 10 s");
    BAD(spec.send_spread_s, UINT32_MAX, "send_spread_s = 4294967295", "31536000");
    BAD(spec.epoch_lag_max, 17, "epoch_lag_max = 17", "0 to 16");
    BAD(epoch_seconds_min, 10, "epoch_seconds_min = 10", "less than 10 s");
    BAD(epoch_seconds_min, 31536001, "epoch_seconds_min = 31536001", "0 to 31536000");
    BAD(calibration, SOTTO_CALIBRATION_PAPER, "calibration = paper", "");
#undef BAD
    good.spec.reward_window_s = 0, good.spec.send_spread_s = 0, good.epoch_seconds_min = 0;
    good.people_per_second = 1e9; /* all at once, and epochs by size */
    assert_ok(sotto_match_fault(&good, NULL));
    sotto_match_set_clock(&good, 0, 0, 0);
    assert_ok(sotto_match_fault(&good, NULL));
    good = match_of(SOTTO_PLAYER_OLS, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                    SOTTO_LINK_IDENTITY);
    sotto_match_set_clock(&good, 1, 1, 1);
    assert_int_equal(good.epoch_seconds_min, 0); /* it has no epochs */
    assert_int_equal(good.spec.epoch_lag_max, 0);
    sotto_match_set_clock(NULL, 0, 0, 0);
}

static bool linear_only(sotto_player player)
{
    return player == SOTTO_PLAYER_SOTTO_OLS || player == SOTTO_PLAYER_LDP_OLS ||
           player == SOTTO_PLAYER_LDP_UCB || player == SOTTO_PLAYER_OLS ||
           player == SOTTO_PLAYER_LINUCB || player == SOTTO_PLAYER_SHUFFLE_UCB;
}

/* Every method, both kinds of parameters, every link, every environment: a fault exactly where the
 * method's table has a hole. */
TEST(reports_that_cannot_be_forged_or_held_back_are_refused)
{
    sotto_match match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                 SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    const double growths[] = {-0.1, 1.01, NAN}, liars[] = {-0.1, 0.51, NAN};
    for (int i = 0; i < 3; i++) {
        match.growth = growths[i];
        assert_fault(&match, "growth = ", "0 to 1");
        match.growth = 0, match.liars = liars[i];
        assert_fault(&match, "liars = ", "0 to 0.5");
        match.liars = 0;
    }
    match.grind = 0;
    assert_fault(&match, "grind = 0", "1 to 10000");
    match.grind = SOTTO_GRIND_MAX + 1;
    assert_fault(&match, "grind = 10001", "1 to 10000");
    match.growth = 1, match.liars = 0.5, match.grind = SOTTO_GRIND_MAX;
    assert_ok(sotto_match_fault(&match, NULL));

    match = match_of(SOTTO_PLAYER_OLS, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_IDENTITY);
    match.growth = 0.5;
    assert_fault(&match, "growth = 0.5", "method ols has no epochs");
    match.growth = 0, match.liars = 0.1;
    assert_fault(&match, "liars = 0.1", "methods that ship");

    match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_IDENTITY);
    match.learning.mean_phase = 1;
    assert_fault(&match, "mean_phase = 1", "only method sotto with score self");
    match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_LOGIT);
    match.learning.mean_phase = 1;
    assert_ok(sotto_match_fault(&match, NULL));
    match.liars = 0.1;
    assert_fault(&match, "liars = 0.1", "the lab has no liars for it");
}

TEST(measure_rounds_are_for_methods_with_a_codebook)
{
    const sotto_player lattice[] = {SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_LDP_UCB,
                                    SOTTO_PLAYER_LDP_GLOC};
    double worth[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        sotto_match bad = match_of(lattice[i], SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                                   SOTTO_LINK_IDENTITY);
        bad.spec.measure = 1u << 30;
        assert_fault(&bad, "measure = 0.25: method ldp-", "sotto, sotto-ols and ldp-sgd have");
    }
    sotto_match match = match_of(SOTTO_PLAYER_OLS, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                                 SOTTO_LINK_IDENTITY);
    match.spec.measure = 1u << 30;
    assert_fault(&match, "method ols sends no reports", "sotto, sotto-ols and ldp-sgd have");
    for (uint32_t c = 1; c < 3; c++) {
        match = match_of(SOTTO_PLAYER_LDP_SGD, (sotto_calibration)c, SOTTO_PARAMETERS_SHARED,
                         SOTTO_LINK_IDENTITY);
        match.spec.measure = 1u << 30;
        assert_fault(&match, "measure = 0.25: calibration p", "exact has them");
    }
    match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_IDENTITY);
    match.spec.measure = 1;
    assert_fault(&match, "measure = 2.32830644e-10", "0.001 to 0.5");
    match.spec.measure = 1u << 30;
    match.worth = worth;
    assert_fault(&match, "measure = 0.25", "not with worths");
    match.worth = NULL, match.liars = 0.1;
    assert_fault(&match, "measure = 0.25", "not with liars");
    match.liars = 0;
    assert_ok(sotto_match_fault(&match, NULL));
}

/* Of 1,000 people a quarter does not send a report to learn from. */
TEST(learning_is_planned_for_learn_rounds)
{
    sotto_match match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                 SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    assert_int_equal(match.learning.horizon, 1000);
    match.spec.measure = 1u << 30;
    assert_ok(sotto_match_set_learning(&match));
    assert_int_equal(match.learning.horizon, 750);
}

TEST(a_match_with_liars_has_no_mean_phase)
{
    sotto_match match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                 SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT);
    match.horizon = 100000;
    assert_ok(sotto_match_set_learning(&match));
    assert_true(match.learning.mean_phase > 0);
    match.liars = 0.1;
    assert_ok(sotto_match_set_learning(&match));
    assert_int_equal(match.learning.mean_phase, 0);
    assert_ok(sotto_match_fault(&match, NULL));
}

TEST(worths_are_finite_and_for_what_ships)
{
    double worth[3] = {0, 1e6, 1};
    sotto_match match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_EXACT,
                                 SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT);
    match.worth = worth;
    assert_ok(sotto_match_fault(&match, NULL));
    const double bad[] = {-1e-9, 1.1e6, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        worth[2] = bad[i];
        assert_fault(&match, " of arm 2: ", "allowed 0 to 1000000");
    }
    worth[2] = 1;
    const sotto_calibration others[] = {SOTTO_CALIBRATION_PAPER, SOTTO_CALIBRATION_PUBLISHED};
    for (int i = 0; i < 2; i++) {
        match =
            match_of(SOTTO_PLAYER_LDP_SGD, others[i], SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT);
        assert_ok(sotto_match_fault(&match, NULL));
        match.worth = worth;
        assert_fault(&match, "worth: calibration p", "exact has worths");
        match =
            match_of(SOTTO_PLAYER_GLM_UCB, others[i], SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT);
        match.worth = worth;
        assert_ok(sotto_match_fault(&match, NULL)); /* a baseline has no calibration */
    }
}

/* A population brings its bound and the length of its parameter. */
TEST(a_population_brings_its_bounds)
{
    double theta[3] = {3, 0, -4};
    sotto_population people = {.rows = 1,
                               .dim = 3,
                               .arms = 2,
                               .link = SOTTO_LINK_LOGIT,
                               .theta = theta,
                               .theta_norm_max = 40};
    sotto_scene scene = scene_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOGIT);
    scene.environment = SOTTO_ENVIRONMENT_LOAN;
    scene.dim = 3, scene.arms = 2;
    for (int with = 0; with < 2; with++) {
        scene.population = with ? &people : NULL;
        sotto_match match =
            sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
        assert_ok(sotto_match_set_learning(&match));
        assert_true(match.spec.theta_norm_max == (with ? 40 : 1));
        assert_true(match.environment.law == SOTTO_LAW_BERNOULLI);
        assert_ptr_equal(match.environment.population, scene.population);
        assert_true(match.environment.theta_norm == (with ? 5 : 1));
        if (with) {
            assert_ok(sotto_match_fault(&match, NULL));
        } else {
            assert_fault(&match, "environment loan needs customers", "stand-in");
        }
    }
    theta[0] = 1e3;
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    assert_ok(sotto_match_set_learning(&match));
    assert_fault(&match, "theta_norm = 1000", "theta_norm_max");
    people.theta = NULL;
    match = sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    assert_ok(sotto_match_set_learning(&match));
    assert_fault(&match, "was not found", "customers");
}

TEST(all_other_combinations_have_defaults_that_fit)
{
    for (uint32_t p = 0; p < SOTTO_PLAYERS; p++) {
        for (uint32_t at = 0; at < 2 * 4 * 7; at += LOADS_ARE_CHECKED ? 5 : 1) {
            sotto_scene scene = scene_of((sotto_parameters)(at % 2), (sotto_link)(at / 2 % 4));
            scene.environment = (sotto_environment_kind)(at / 8);
            bool margin = scene.environment == SOTTO_ENVIRONMENT_MARGIN;
            if (margin) scene.arms = 2;
            sotto_match match =
                sotto_match_default((sotto_player)p, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
            bool per_arm = scene.parameters == SOTTO_PARAMETERS_PER_ARM;
            bool hole = (linear_only((sotto_player)p) && scene.link != SOTTO_LINK_IDENTITY) ||
                        !has_parameters((sotto_player)p, scene.parameters);
            assert_int_equal(sotto_match_set_learning(&match) != SOTTO_OK,
                             hole && sotto_player_is_private((sotto_player)p));
            sotto_fault fault;
            bool faulty = sotto_match_fault(&match, &fault) != SOTTO_OK;
            if (faulty != (hole || (margin && per_arm))) {
                fail_msg("%s, %s, %s, %s: %s", sotto_player_name(p),
                         sotto_parameters_name(scene.parameters), sotto_link_name(scene.link),
                         sotto_environment_kind_name(scene.environment),
                         faulty ? fault.sentence : "no fault");
            }
        }
    }
}

TEST(defaults_follow_reward_and_link)
{
    sotto_match match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT,
                                 SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    assert_ints(match.spec.score, SOTTO_SCORE_SIGN, match.environment.law, SOTTO_LAW_GAUSSIAN);
    assert_true(match.environment.noise == 0.1 && match.environment.drift == 1.0 / 30000);
    assert_true(match.spec.delta == 0);
    assert_int_equal(match.learning.horizon, 1000);
    match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_LOGIT);
    assert_ints(match.spec.score, SOTTO_SCORE_SELF, match.environment.law, SOTTO_LAW_BERNOULLI);
    match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_LOG);
    assert_int_equal(match.spec.score, SOTTO_SCORE_CENTRED);
    match = match_of(SOTTO_PLAYER_LDP_GLOC, SOTTO_CALIBRATION_EXACT, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_LOG);
    assert_int_equal(match.environment.law, SOTTO_LAW_POISSON);
    assert_true(match.spec.delta == 1e-6);
    assert_false(match.spec.allow_weak_delta);
    match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PAPER, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_IDENTITY);
    assert_true(match.split_paper);
    assert_int_equal(match.learning.warm_up, 120); /* K 10 d */
    match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PAPER, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_IDENTITY);
    assert_false(match.split_paper);
    match = match_of(SOTTO_PLAYER_LDP_OLS, SOTTO_CALIBRATION_PAPER, SOTTO_PARAMETERS_SHARED,
                     SOTTO_LINK_IDENTITY);
    assert_false(match.spec.allow_weak_delta); /* 1e-6 needs no consent */
    sotto_scene scene = scene_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_LOG);
    scene.reward_kind = SOTTO_REWARD_CONTINUOUS; /* centred is for counts alone */
    match = sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 0);
    assert_int_equal(match.spec.score, SOTTO_SCORE_SELF);
    scene = scene_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    scene.reward_kind = SOTTO_REWARD_COUNT; /* and for the log link alone */
    match = sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 0);
    assert_int_equal(match.spec.score, SOTTO_SCORE_SELF);
    scene = scene_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    match = sotto_match_default(SOTTO_PLAYER_LDP_OLS, SOTTO_CALIBRATION_PAPER, &scene, 1, 0.01);
    assert_true(match.spec.allow_weak_delta);
    match = sotto_match_default(SOTTO_PLAYER_LDP_OLS, SOTTO_CALIBRATION_EXACT, &scene, 1, 0.01);
    assert_false(match.spec.allow_weak_delta);
    match = match_of(SOTTO_PLAYER_LDP_SGD, SOTTO_CALIBRATION_PUBLISHED, SOTTO_PARAMETERS_PER_ARM,
                     SOTTO_LINK_IDENTITY);
    assert_int_equal(match.learning.warm_up, 3000);
    assert_true(match.environment.noise == 0.05);
}

/* C_B = sqrt 5 + 4 = 6.24, and so are the means. */
TEST(ranges_hold_the_means_and_end_at_whole_numbers)
{
    sotto_scene scene = scene_of(SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY);
    scene.environment = SOTTO_ENVIRONMENT_PUBLISHED;
    scene.dim = 5;
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 0);
    assert_true(match.spec.reward_lo == -7 && match.spec.reward_hi == 7);
}

/* The lower bound's instance: rewards of sd 1 in [-6, 6], C_B = 1 + 6/sqrt d,
 * ||theta*|| = min(1, d/((e^eps - 1) sqrt T)) = 4/(1.71828 x 31.6228) at d = 4, T = 1000. */
TEST(the_lower_bound_s_instance_has_its_own_constants)
{
    sotto_scene scene = scene_of(SOTTO_PARAMETERS_SHARED, SOTTO_LINK_IDENTITY);
    scene.environment = SOTTO_ENVIRONMENT_GAUSSIAN;
    sotto_match match =
        sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 0);
    assert_near(match.environment.theta_norm, 0.0736152, 1e-6);
    assert_true(match.environment.noise == 1 && match.spec.context_norm_max == 4);
    assert_true(match.spec.reward_lo == -6 && match.spec.reward_hi == 6);
}

TEST(kinds_of_reward_go_with_links)
{
    assert_int_equal(sotto_link_reward_kind(SOTTO_LINK_IDENTITY), SOTTO_REWARD_CONTINUOUS);
    assert_int_equal(sotto_link_reward_kind(SOTTO_LINK_LOGIT), SOTTO_REWARD_BINARY);
    assert_int_equal(sotto_link_reward_kind(SOTTO_LINK_PROBIT), SOTTO_REWARD_BINARY);
    assert_int_equal(sotto_link_reward_kind(SOTTO_LINK_LOG), SOTTO_REWARD_COUNT);
}
