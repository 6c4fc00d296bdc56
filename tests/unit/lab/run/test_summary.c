/* Summaries: mean, spread and cost over the seeds that are finished. */
#include "comparisons.h"
#include "lab/run/summary.h"
#include "test.h"

#include <math.h>

static sotto__comparison comparison;
static sotto__results results;
static sotto_comparison_line line[SMALL_MATCHES];

static int set_up(void **state)
{
    (void)state;
    small_comparison_new(&comparison);
    assert_ok(sotto__results_new(&comparison, &results));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sotto__results_free(&results);
    sotto__comparison_free(&comparison);
    return 0;
}

static void take_all(void)
{
    for (uint64_t run = 0; run < SMALL_RUNS; run++) {
        small_take(&results, &comparison, run);
    }
}

static void without_runs_no_number_exists(void **state)
{
    (void)state;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    for (uint32_t i = 0; i < SMALL_MATCHES; i++) {
        assert_int_equal(line[i].seeds, 0);
        assert_true(isnan(line[i].regret_mean));
        assert_true(isnan(line[i].cost));
        assert_true(isnan(line[i].rounds_per_second));
    }
}

static void one_seed_has_no_standard_error(void **state)
{
    (void)state;
    small_take(&results, &comparison, 4);
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_int_equal(line[1].seeds, 1);
    assert_true(line[1].regret_mean == 2000);
    assert_true(isnan(line[1].regret_se));
    assert_int_equal(line[0].seeds, 0);
}

static void a_line_is_of_the_last_round_over_all_seeds(void **state)
{
    (void)state;
    take_all();
    assert_ok(sotto__summary_of(&comparison, &results, line));
    /* Runs 3, 4, 5: regrets 1600, 2000, 2400; errors 1/4, 1/5, 1/6. */
    assert_string_equal(line[1].method, "sotto");
    assert_true(line[1].epsilon == 2);
    assert_int_equal(line[1].t, 400);
    assert_int_equal(line[1].seeds, 3);
    assert_true(line[1].regret_mean == 2000);
    assert_true(fabs(line[1].regret_se - 400 / sqrt(3)) < 1e-9);
    assert_true(line[1].regret_median == 2000);
    assert_true(line[1].regret_p10 >= 1600 && line[1].regret_p10 < 2000);
    assert_true(line[1].regret_p90 > 2000 && line[1].regret_p90 <= 2400);
    assert_true(fabs(line[1].error_mean - (1 / 4.0 + 1 / 5.0 + 1 / 6.0) / 3) < 1e-15);
    assert_true(line[1].rounds_per_second == 3 * 400 / 6.0);
    assert_int_equal(line[1].repairs, 3 + 4 + 5);
}

static void seeds_count_by_their_regret_and_not_by_their_order(void **state)
{
    (void)state;
    take_all();
    sotto__results_points(&results, 3)[1].regret = 2400; /* of 1600, 2000, 2400 */
    sotto__results_points(&results, 4)[1].regret = 1600;
    sotto__results_points(&results, 5)[1].regret = 2000;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[1].regret_median == 2000);
    assert_true(line[1].regret_p10 >= 1600 && line[1].regret_p10 < 2000);
    assert_true(line[1].regret_p90 > 2000 && line[1].regret_p90 <= 2400);
}

static void a_private_line_has_the_floor_of_its_match(void **state)
{
    (void)state;
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
static void the_heuristic_is_left_out_where_a_method_lost_less(void **state)
{
    (void)state;
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
static void the_share_of_nulls_is_over_all_reports(void **state)
{
    (void)state;
    take_all();
    results.run[3].learn_reports = 100;
    results.run[3].null_reports = 90;
    results.run[4].learn_reports = 300;
    results.run[5].learn_reports = 1000;
    results.run[5].null_reports = 1000;
    results.run[5].played = false;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[1].null_share == 90 / 400.0);
    assert_true(isnan(line[0].null_share));
}

static void late_reports_and_ages_are_over_all_reports(void **state)
{
    (void)state;
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

static void over_no_regret_there_is_no_cost(void **state)
{
    (void)state;
    take_all();
    for (uint64_t run = 6; run < 9; run++) { /* ols at 0.5 */
        sotto__results_points(&results, run)[1].regret = 0;
    }
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(isnan(line[0].cost));
    assert_true(isnan(line[2].cost));
    assert_true(line[1].cost == 2000 / 4400.0);
}

static void the_cost_is_over_least_squares_at_the_same_epsilon(void **state)
{
    (void)state;
    take_all();
    assert_ok(sotto__summary_of(&comparison, &results, line));
    /* Means 800, 2000 of sotto and 3200, 4400 of ols. */
    assert_true(line[0].cost == 800 / 3200.0);
    assert_true(line[1].cost == 2000 / 4400.0);
    assert_true(line[2].cost == 1);
    assert_true(line[3].cost == 1);
}

static void under_another_link_the_cost_is_over_glm_ucb(void **state)
{
    (void)state;
    take_all();
    for (uint32_t i = 0; i < SMALL_MATCHES; i++) {
        comparison.match[i].spec.link = SOTTO_LINK_LOGIT;
    }
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(isnan(line[0].cost));
    comparison.match[2].player = SOTTO_PLAYER_GLM_UCB;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[0].cost == 800 / 3200.0);
    assert_true(isnan(line[1].cost));
    comparison.match[0].player = SOTTO_PLAYER_GLM; /* the better choice, where both are played */
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[0].cost == 1);
    assert_true(line[2].cost == 3200 / 800.0);
}

static void runs_of_a_resume_file_count_but_for_their_time(void **state)
{
    (void)state;
    take_all();
    results.run[3].played = results.run[4].played = false;
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_int_equal(line[1].seeds, 3);
    assert_true(line[1].regret_mean == 2000);
    assert_int_equal(line[1].repairs, 5);
    assert_true(line[1].rounds_per_second == 400 / 2.0);
}

/* Gives the runs of ols at 2 the ends of those at 0.5. */
static void repeat_ols(void)
{
    for (uint64_t run = 9; run < 12; run++) {
        sotto__results_points(&results, run)[1] = sotto__results_points(&results, run - 3)[1];
    }
}

static void a_method_without_privacy_has_no_epsilon_and_one_line(void **state)
{
    (void)state;
    take_all();
    repeat_ols();
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[0].epsilon == 0.5 && !line[0].repeated);
    assert_true(line[1].epsilon == 2 && !line[1].repeated);
    assert_true(isinf(line[2].epsilon) && !line[2].repeated);
    assert_true(isinf(line[3].epsilon) && line[3].repeated);
    assert_true(line[1].cost == 2000 / 3200.0); /* costs are still by epsilon */
}

static void a_private_method_keeps_its_epsilons_even_if_its_runs_are_the_same(void **state)
{
    (void)state;
    take_all();
    for (uint64_t run = 3; run < 6; run++) {
        sotto__results_points(&results, run)[1] = sotto__results_points(&results, run - 3)[1];
    }
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[0].epsilon == 0.5 && line[1].epsilon == 2 && !line[1].repeated);
}

static void where_the_world_depends_on_epsilon_lines_keep_it(void **state)
{
    (void)state;
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

static void of_a_stopped_sweep_only_lines_that_tell_nothing_new_are_dropped(void **state)
{
    (void)state;
    for (uint64_t run = 6; run < 8; run++) { /* two of three, and none at 2 */
        small_take(&results, &comparison, run);
    }
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(isinf(line[2].epsilon) && line[2].seeds == 2 && line[3].repeated);
    small_take(&results, &comparison, 11); /* a seed that is not finished at 0.5 */
    assert_ok(sotto__summary_of(&comparison, &results, line));
    assert_true(line[2].epsilon == 0.5 && line[3].epsilon == 2 && !line[3].repeated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_runs_no_number_exists, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_seed_has_no_standard_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_is_of_the_last_round_over_all_seeds, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(seeds_count_by_their_regret_and_not_by_their_order, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_heuristic_is_left_out_where_a_method_lost_less, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_private_line_has_the_floor_of_its_match, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_share_of_nulls_is_over_all_reports, set_up, tear_down),
        cmocka_unit_test_setup_teardown(late_reports_and_ages_are_over_all_reports, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(over_no_regret_there_is_no_cost, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_cost_is_over_least_squares_at_the_same_epsilon, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(under_another_link_the_cost_is_over_glm_ucb, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(runs_of_a_resume_file_count_but_for_their_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_method_without_privacy_has_no_epsilon_and_one_line,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_private_method_keeps_its_epsilons_even_if_its_runs_are_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(where_the_world_depends_on_epsilon_lines_keep_it, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            of_a_stopped_sweep_only_lines_that_tell_nothing_new_are_dropped, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
