/* Summaries: mean, spread and cost over the finished seeds. */
#include "comparisons.h"
#include "lab/run/run.h"
#include "test.h"

static sotto__comparison comparison;
static sotto__results results;
static sotto_comparison_line line[SMALL_MATCHES];

FIXTURE(set_up)
{
    small_comparison_new(&comparison);
    assert_ok(sotto__results_new(&comparison, &results));
}

FIXTURE(tear_down)
{
    sotto__results_free(&results);
    sotto__comparison_free(&comparison);
}

static void take_all(void)
{
    for (uint64_t run = 0; run < SMALL_RUNS; run++) {
        small_take(&results, &comparison, run);
    }
}

TEST_WITH(without_runs_no_number_exists, set_up, tear_down)
{
    assert_ok(sotto__summary_of(&comparison, &results, line));
    for (uint32_t i = 0; i < SMALL_MATCHES; i++) {
        assert_int_equal(line[i].seeds, 0);
        assert_true(isnan(line[i].regret_mean) && isnan(line[i].cost));
        assert_true(isnan(line[i].rounds_per_second));
    }
}

TEST_WITH(one_seed_has_no_standard_error, set_up, tear_down)
{
    small_take(&results, &comparison, 4);
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_int_equal(line[1].seeds, 1);
    assert_true(line[1].regret_mean == 2000 && isnan(line[1].regret_se));
    assert_int_equal(line[0].seeds, 0);
}

TEST_WITH(a_line_is_of_the_last_round_over_all_seeds, set_up, tear_down)
{
    take_all();
    assert_ok(sotto__summary_of(&comparison, &results, line));
    /* Runs 3, 4, 5: regrets 1600, 2000, 2400; errors 1/4, 1/5, 1/6. */
    assert_string_equal(line[1].method, "sotto");
    assert_true(line[1].epsilon == 2);
    assert_ints(line[1].t, 400, line[1].seeds, 3);
    assert_true(line[1].regret_mean == 2000 && fabs(line[1].regret_se - 400 / sqrt(3)) < 1e-9);
    assert_true(line[1].regret_median == 2000);
    assert_true(line[1].regret_p10 >= 1600 && line[1].regret_p10 < 2000);
    assert_true(line[1].regret_p90 > 2000 && line[1].regret_p90 <= 2400);
    assert_true(fabs(line[1].error_mean - (1 / 4.0 + 1 / 5.0 + 1 / 6.0) / 3) < 1e-15);
    assert_true(line[1].rounds_per_second == 3 * 400 / 6.0);
    assert_int_equal(line[1].repairs, 3 + 4 + 5);
}

TEST_WITH(seeds_count_by_their_regret_and_not_by_their_order, set_up, tear_down)
{
    take_all();
    sotto__results_points(&results, 3)[1].regret = 2400; /* of 1600, 2000, 2400 */
    sotto__results_points(&results, 4)[1].regret = 1600;
    sotto__results_points(&results, 5)[1].regret = 2000;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[1].regret_median == 2000);
    assert_true(line[1].regret_p10 >= 1600 && line[1].regret_p10 < 2000);
    assert_true(line[1].regret_p90 > 2000 && line[1].regret_p90 <= 2400);
}

TEST_WITH(a_private_line_has_the_floor_of_its_match, set_up, tear_down)
{
    take_all();
    assert_ok(sotto__summary_of(&comparison, &results, line));
    for (uint32_t i = 0; i < SMALL_MATCHES; i++) {
        sotto_floor floor;
        assert_ok(sotto_floor_of(&comparison.match[i], &floor));
        bool private = sotto_player_is_private(comparison.match[i].player);
        bool none = isnan(line[i].floor.proved) && isnan(line[i].floor.start);
        assert_true(none == !(private && floor.local > 0));
        assert_true(none || line[i].floor.proved == floor.proved);
    }
    comparison.match[1].liars = 0.1;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(isnan(line[1].floor.start));
}

/* Of three seeds at 0.9, 1 and 1.1 of a regret the standard error is 0.0577 of it. */
TEST_WITH(the_heuristic_is_left_out_where_a_method_lost_less, set_up, tear_down)
{
    take_all();
    sotto_floor floor;
    assert_ok(sotto_floor_of(&comparison.match[1], &floor));
    assert_true(floor.start > 0);
    const double share[] = {0.84, 0.86}; /* with 3 standard errors 0.985 and 1.009 */
    for (int i = 0; i < 2; i++) {
        for (int seed = 0; seed < 3; seed++) {
            sotto__results_points(&results, 3 + (uint64_t)seed)[1].regret =
                share[i] * floor.start * (0.9 + 0.1 * seed);
        }
        assert_ok(sotto__summary_of(&comparison, &results, line));
        assert_true(i == 0 ? isnan(line[1].floor.start) : line[1].floor.start == floor.start);
        assert_true(line[1].floor.proved == floor.proved);
    }
}

/* Over all reports of runs that were played here. */
TEST_WITH(the_share_of_nulls_is_over_all_reports, set_up, tear_down)
{
    take_all();
    results.run[3].learn_reports = 100;
    results.run[3].null_reports = 90;
    results.run[4].learn_reports = 300;
    results.run[5].learn_reports = 1000;
    results.run[5].null_reports = 1000;
    results.run[5].played = false;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[1].null_share == 90 / 400.0 && isnan(line[0].null_share));
}

TEST_WITH(late_reports_and_ages_are_over_all_reports, set_up, tear_down)
{
    take_all();
    results.run[3].delay = (sotto_run_delay){
        .there = true, .arrived = 80, .late = 20, .learnt = 50, .epochs_late = 100};
    results.run[4].delay = (sotto_run_delay){.there = true, .arrived = 300, .learnt = 150};
    results.run[5].delay = (sotto_run_delay){.there = true, .arrived = 1, .late = 99};
    results.run[5].played = false;
    results.run[0].delay = (sotto_run_delay){.there = true, .arrived = 1};
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[1].late_share == 20 / 400.0 && line[1].age == 100 / 200.0);
    assert_true(line[0].late_share == 0 && isnan(line[0].age));
    assert_true(isnan(line[2].late_share) && isnan(line[2].age));
}

TEST_WITH(over_no_regret_there_is_no_cost, set_up, tear_down)
{
    take_all();
    for (uint64_t run = 6; run < 9; run++) { /* ols at 0.5 */
        sotto__results_points(&results, run)[1].regret = 0;
    }
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(isnan(line[0].cost) && isnan(line[2].cost) && line[1].cost == 2000 / 4400.0);
}

TEST_WITH(the_cost_is_over_least_squares_at_the_same_epsilon, set_up, tear_down)
{
    take_all();
    assert_ok(sotto__summary_of(&comparison, &results, line));
    /* Means 800, 2000 of sotto and 3200, 4400 of ols. */
    assert_true(line[0].cost == 800 / 3200.0 && line[1].cost == 2000 / 4400.0 && line[2].cost == 1);
    assert_true(line[3].cost == 1);
}

TEST_WITH(under_another_link_the_cost_is_over_glm_ucb, set_up, tear_down)
{
    take_all();
    for (uint32_t i = 0; i < SMALL_MATCHES; i++) {
        comparison.match[i].spec.link = SOTTO_LINK_LOGIT;
    }
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(isnan(line[0].cost));
    comparison.match[2].player = SOTTO_PLAYER_GLM_UCB;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[0].cost == 800 / 3200.0 && isnan(line[1].cost));
    comparison.match[0].player = SOTTO_PLAYER_GLM; /* the better choice, where both are played */
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[0].cost == 1 && line[2].cost == 3200 / 800.0);
}

TEST_WITH(runs_of_a_resume_file_count_but_for_their_time, set_up, tear_down)
{
    take_all();
    results.run[3].played = results.run[4].played = false;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_int_equal(line[1].seeds, 3);
    assert_true(line[1].regret_mean == 2000);
    assert_int_equal(line[1].repairs, 5);
    assert_true(line[1].rounds_per_second == 400 / 2.0);
}

/* Copies the end of the runs of ols at 0.5 to those at 2. */
static void repeat_ols(void)
{
    for (uint64_t run = 9; run < 12; run++) {
        sotto__results_points(&results, run)[1] = sotto__results_points(&results, run - 3)[1];
    }
}

TEST_WITH(a_method_without_privacy_has_no_epsilon_and_one_line, set_up, tear_down)
{
    take_all();
    repeat_ols();
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[0].epsilon == 0.5 && !line[0].repeated);
    assert_true(line[1].epsilon == 2 && !line[1].repeated);
    assert_true(isinf(line[2].epsilon) && !line[2].repeated);
    assert_true(isinf(line[3].epsilon) && line[3].repeated);
    assert_true(line[1].cost == 2000 / 3200.0); /* costs are still by epsilon */
}

TEST_WITH(a_private_method_keeps_its_epsilons_even_if_its_runs_are_the_same, set_up, tear_down)
{
    take_all();
    for (uint64_t run = 3; run < 6; run++) {
        sotto__results_points(&results, run)[1] = sotto__results_points(&results, run - 3)[1];
    }
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[0].epsilon == 0.5 && line[1].epsilon == 2 && !line[1].repeated);
}

TEST_WITH(where_the_world_depends_on_epsilon_lines_keep_it, set_up, tear_down)
{
    take_all();
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[2].epsilon == 0.5 && line[3].epsilon == 2 && !line[3].repeated);
    repeat_ols();
    sotto__results_points(&results, 11)[1].estimation_error = NAN; /* one differs, in one number */
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[2].epsilon == 0.5 && line[3].epsilon == 2 && !line[3].repeated);
    sotto__results_points(&results, 8)[1].estimation_error = NAN; /* a number that neither has */
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(isinf(line[2].epsilon) && line[3].repeated);
}

TEST_WITH(of_a_stopped_sweep_only_lines_that_tell_nothing_new_are_dropped, set_up, tear_down)
{
    for (uint64_t run = 6; run < 8; run++) { /* two of three, and none at 2 */
        small_take(&results, &comparison, run);
    }
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(isinf(line[2].epsilon) && line[2].seeds == 2 && line[3].repeated);
    small_take(&results, &comparison, 11); /* a seed that is not finished at 0.5 */
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[2].epsilon == 0.5 && line[3].epsilon == 2 && !line[3].repeated);
}

/* Measure rounds over the runs of a match: numbers by hand. */

static void take(uint64_t run, sotto_interval uplift, double truth)
{
    small_take(&results, &comparison, run);
    results.measured[run] =
        (sotto_run_measurement){.there = true, .seen = {.uplift = uplift}, .uplift = truth};
}

TEST_WITH(without_measure_rounds_there_is_no_line, set_up, tear_down)
{
    assert_null(results.measured);
    sotto__measured_line m = sotto__measured_of(&comparison, &results, 0);
    assert_int_equal(m.runs, 0);
    assert_true(isnan(m.uplift) && isnan(m.truth));
}

TEST_WITH(runs_are_counted_by_match, set_up, tear_down)
{
    sotto__results_free(&results);
    comparison.match[1].spec.measure = 1u << 30;
    assert_ok(sotto__results_new(&comparison, &results));
    assert_non_null(results.measured);
    /* Match 1: a run without reports of both roles, one that holds and is told, one that fails. */
    take(3, (sotto_interval){NAN, -2, 2}, NAN);
    take(4, (sotto_interval){0.5, 0.25, 0.75}, 0.25);
    take(5, (sotto_interval){0.25, 0, 0.5}, 0.75);
    sotto__measured_line m = sotto__measured_of(&comparison, &results, 1);
    assert_ints(m.runs, 2, m.first, 4, m.held, 1, m.above, 1);
    assert_true(m.uplift == 0.375 && m.truth == 0.5);
    assert_int_equal(sotto__measured_of(&comparison, &results, 0).runs, 0);
}

TEST(devices_allow_a_tenth_by_themselves)
{
    assert_true(sotto__measure_share_usual() == 0.1);
}

/* The true promises of methods. */

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

TEST(baselines_promise_nothing)
{
    for (sotto_player p = SOTTO_PLAYER_OLS; p <= SOTTO_PLAYER_ORACLE; p++) {
        assert_true(isinf(truth(p, SOTTO_CALIBRATION_EXACT, SHARED, 1, 1e-6).epsilon));
        assert_true(isinf(truth(p, PUBLISHED, SHARED, 1, 0.01).epsilon));
    }
}

TEST(what_people_bring_promises_nothing_that_is_proved)
{
    const sotto_player_table table = {.claims_privacy = true};
    sotto_match match = match_of(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, SHARED, 1, 1e-6);
    match.custom = &table;
    assert_true(isinf(sotto__true_privacy_of(&match).epsilon));
}

TEST(exact_promises_what_it_claims)
{
    for (sotto_player p = SOTTO_PLAYER_SOTTO; p <= SOTTO_PLAYER_LDP_GLOC; p++) {
        sotto__true_privacy found = truth(p, SOTTO_CALIBRATION_EXACT, SHARED, 2, 1e-6);
        bool pure = p <= SOTTO_PLAYER_LDP_SGD;
        assert_nears(0, found.epsilon, 2, found.delta, pure ? 0 : 1e-6);
    }
}

/* Unbounded values are not private: contexts of per-arm parameters, the reports of ldp-gloc. */
TEST(published_without_a_bound_promises_nothing)
{
    for (sotto_player p = SOTTO_PLAYER_LDP_SGD; p <= SOTTO_PLAYER_LDP_GLOC; p++) {
        assert_true(isinf(truth(p, PUBLISHED, PER_ARM, 1, 0.1).epsilon));
    }
    assert_true(isinf(truth(SOTTO_PLAYER_LDP_GLOC, PUBLISHED, SHARED, 1, 0.01).epsilon));
    assert_near(truth(SOTTO_PLAYER_LDP_SGD, PUBLISHED, SHARED, 1, 0.01).epsilon, 1, 0);
    assert_near(truth(SOTTO_PLAYER_LDP_SGD, PUBLISHED, SHARED, 1, 0.01).delta, 0, 0);
}

/* delta = 0.01: the claim would need sd 6.68, 3.98, 1.21 at epsilon 0.5, 1, 5, and has 6.0, 5.0,
 * 3.3 times as much. So the true epsilon e has the exact sd of the published one at epsilon. */
TEST(published_moments_are_too_careful)
{
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

TEST(the_papers_constants_promise_less_at_large_epsilon)
{
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
