/* Comparisons: their memory, and the usual checkpoints. */
#include "comparisons.h"
#include "guests.h"
#include "lab/run/run.h"
#include "scarce.h"
#include "test.h"

static sotto__comparison comparison;

FIXTURE(set_up)
{
    small_comparison_new(&comparison);
}

FIXTURE(tear_down)
{
    sotto__comparison_free(&comparison);
}

TEST(without_memory_nothing_is_left)
{
    for (uint32_t calls = 0; calls < 3; calls++) {
        sotto__comparison made;
        calls_left = calls;
        assert_status(sotto__comparison_new(2, &made), SOTTO_E_MEMORY);
        calls_left = UINT32_MAX;
        assert_true(made.match == NULL && made.epsilon == NULL);
        assert_null(made.at);
    }
}

TEST_WITH(freeing_twice_is_freeing_once, set_up, tear_down)
{
    sotto__comparison_free(&comparison);
    sotto__comparison_free(&comparison);
    assert_null(comparison.sweep.match);
}

TEST_WITH(the_sweep_borrows_the_arrays, set_up, tear_down)
{
    assert_ptr_equal(comparison.sweep.match, comparison.match);
    assert_ptr_equal(comparison.sweep.at, comparison.at);
}

TEST_WITH(a_run_plays_the_match_of_its_block_of_seeds, set_up, tear_down)
{
    for (uint64_t run = 0; run < SMALL_RUNS; run++) {
        assert_ptr_equal(sotto__comparison_match(&comparison, run),
                         comparison.match + run / SMALL_SEEDS);
    }
}

TEST_WITH(usual_points_are_1_2_5_10_below_the_horizon, set_up, tear_down)
{
    uint64_t at[SOTTO_POINTS_MAX];
    const uint64_t wanted[] = {1, 2, 5, 10, 20, 50};
    assert_ints(sotto__usual_points(1, at), 0, sotto__usual_points(2, at), 1);
    assert_int_equal(sotto__usual_points(51, at), 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(at[i], wanted[i]);
    }
    assert_ints(sotto__usual_points(50, at), 5, sotto__usual_points(SOTTO_HORIZON_MAX, at), 36);
}

/* The id of a comparison changes with everything that determines results, and with nothing else. */

static double theta[3] = {1, 2, 3}, worth[4] = {1, 2, 3, 4};
static sotto_population population = {.rows = 5, .dim = 3, .theta = theta};

static void id_of(char hex[SOTTO__COMPARISON_ID_BYTES])
{
    sotto__comparison_id(&comparison, hex);
    assert_ints(strlen(hex), 64, strspn(hex, "0123456789abcdef"), 64);
}

/* Checks that a change changes the id, and undoes it. */
#define assert_changes(field, value)                                                               \
    do {                                                                                           \
        char before_[SOTTO__COMPARISON_ID_BYTES], after_[SOTTO__COMPARISON_ID_BYTES];              \
        id_of(before_);                                                                            \
        __typeof__(field) kept_ = (field);                                                         \
        (field) = (value);                                                                         \
        id_of(after_);                                                                             \
        (field) = kept_;                                                                           \
        if (strcmp(before_, after_) == 0) fail_msg("%s does not count", #field);                   \
    } while (0)

TEST_WITH(custom_code_counts_by_its_name_and_its_build, set_up, tear_down)
{
    guest user = {0};
    sotto_player_table player = guest_player(&user);
    sotto_environment_table environment = guest_environment(&user);
    sotto_match *match = &comparison.match[2];
    assert_changes(match->custom, &player);
    assert_changes(match->environment.custom, &environment);
    match->custom = &player;
    match->environment.custom = &environment;
    assert_changes(player.name, "other");
    assert_changes(player.version, "2");
    assert_changes(player.version, NULL);
    assert_changes(environment.name, "other");
    assert_changes(environment.version, "2");
    match->custom = NULL;
    match->environment.custom = NULL;
}

TEST_WITH(every_term_of_a_match_counts, set_up, tear_down)
{
    sotto_match *match = &comparison.match[2];
    assert_changes(match->player, SOTTO_PLAYER_RANDOM);
    assert_changes(match->calibration, SOTTO_CALIBRATION_PAPER);
    assert_changes(match->corrections, 1);
    assert_changes(match->horizon, 401);
    assert_changes(match->delta, 1e-7);
    assert_changes(match->split_paper, true);
    assert_changes(match->exact_noise, true);
    assert_changes(match->growth, 0.1);
    assert_changes(match->people_per_second, 2);
    match->people_per_second = 3;
    assert_changes(match->people_per_second, 2);
    assert_changes(match->epoch_seconds_min, 1);
    assert_changes(match->spec.reward_window_s, 1);
    assert_changes(match->spec.send_spread_s, 1);
    match->people_per_second = 0;
    assert_changes(match->liars, 0.1);
    assert_changes(match->grind, 2);
    assert_changes(match->spec.dim, 2);
    assert_changes(match->spec.epsilon, 1);
    assert_changes(match->spec.link, SOTTO_LINK_LOGIT);
    assert_changes(match->spec.allow_weak_delta, true);
    assert_changes(match->spec.window_reports, 9);
    assert_changes(match->learning.horizon, 1);
    assert_changes(match->learning.warm_up, 1);
    assert_changes(match->learning.mean_phase, 1);
    assert_changes(match->learning.prior_variance, 0.2);
    assert_changes(match->learning.epoch, 7);
    assert_changes(match->learning.alpha, 0.2);
    assert_changes(match->learning.step, SOTTO_STEP_SQRT);
    assert_changes(match->learning.eta0, 1.5);
    assert_changes(match->learning.project, !match->learning.project);
    assert_changes(match->learning.shift_scale, 0.5);
    assert_changes(match->learning.elimination_scale, 0.5);
    assert_changes(match->environment.kind, SOTTO_ENVIRONMENT_BALL);
    assert_changes(match->environment.law, SOTTO_LAW_NONE);
    assert_changes(match->environment.noise, 0.3);
    assert_changes(match->environment.theta_norm, 0.5);
    assert_changes(match->environment.margin, 0.5);
    assert_changes(match->environment.drift, 0.5);
    assert_changes(match->environment.population, &population);
    assert_changes(match->worth, worth);
}

TEST_WITH(people_and_worths_count_by_what_is_in_them, set_up, tear_down)
{
    comparison.match[0].environment.population = &population;
    comparison.match[0].worth = worth;
    assert_changes(population.rows, 6);
    assert_changes(theta[2], 4);
    assert_changes(worth[3], 5);
    comparison.match[0].environment.population = NULL;
    comparison.match[0].worth = NULL;
}

TEST_WITH(epsilons_check_points_and_the_first_seed_count, set_up, tear_down)
{
    assert_changes(comparison.epsilon[1], 2.5);
    assert_changes(comparison.at[0], 11);
    assert_changes(comparison.at[SMALL_POINTS - 1], 399);
    assert_changes(comparison.sweep.first_seed, 8);
    assert_changes(comparison.sweep.matches_count, 3);
}

TEST_WITH(more_seeds_and_other_threads_are_the_same_comparison, set_up, tear_down)
{
    char before[SOTTO__COMPARISON_ID_BYTES], after[SOTTO__COMPARISON_ID_BYTES];
    id_of(before);
    comparison.sweep.seeds_count++;
    comparison.sweep.threads++;
    id_of(after);
    comparison.sweep.seeds_count--;
    assert_string_equal(before, after);
}

TEST_WITH(the_words_name_methods_epsilons_and_the_scene, set_up, tear_down)
{
    char about[SOTTO__COMPARISON_ABOUT_BYTES], wanted[256];
    comparison.match[0].liars = 0.125;
    comparison.match[0].growth = 0.5;
    sotto__comparison_about(&comparison, about);
    comparison.match[0].liars = comparison.match[0].growth = 0;
    snprintf(wanted, sizeof wanted,
             "sotto at 0.5, sotto at 2, ols at 0.5, ols at 2; shared, identity, sphere, exact, dim "
             "3, arms 4, horizon 400, first seed 7, liars 0.125, tries %u, growth 0.5, version %s",
             comparison.match[0].grind, sotto_version());
    assert_string_equal(about, wanted);
}

TEST_WITH(the_words_of_a_hundred_matches_are_cut_before_the_scene, set_up, tear_down)
{
    HELD(sotto__comparison) many;
    char about[SOTTO__COMPARISON_ABOUT_BYTES];
    assert_ok(sotto__comparison_new(100, &many));
    for (uint32_t i = 0; i < 100; i++) {
        many.match[i] = comparison.match[0];
        many.epsilon[i] = 0.123456789012345;
    }
    many.sweep.matches_count = 100;
    sotto__comparison_about(&many, about);
    assert_true(strlen(about) < SOTTO__COMPARISON_ABOUT_BYTES);
    assert_non_null(strstr(about, "horizon 400"));
    assert_non_null(strstr(about, sotto_version()));
}

/* Results: what is known of each run. */

TEST_WITH(results_without_memory_leave_nothing, set_up, tear_down)
{
    sotto__results results;
    comparison.match[3].spec.measure = 1u << 30; /* one more to allocate */
    for (uint32_t calls = 0; calls < 3; calls++) {
        calls_left = calls;
        assert_status(sotto__results_new(&comparison, &results), SOTTO_E_MEMORY);
        calls_left = UINT32_MAX;
        assert_true(results.run == NULL && results.point == NULL);
        assert_null(results.measured);
    }
}

TEST_WITH(nothing_is_done_before_a_run_is_taken, set_up, tear_down)
{
    HELD(sotto__results) results;
    assert_ok(sotto__results_new(&comparison, &results));
    assert_int_equal(results.done_count, 0);
    for (uint64_t run = 0; run < SMALL_RUNS; run++) {
        assert_false(results.run[run].done);
    }
}

TEST_WITH(a_run_that_was_taken_is_where_it_belongs_and_nowhere_else, set_up, tear_down)
{
    HELD(sotto__results) results;
    assert_ok(sotto__results_new(&comparison, &results));
    small_take(&results, &comparison, 5);
    small_take(&results, &comparison, 11);
    assert_int_equal(results.done_count, 2);
    for (uint64_t run = 0; run < SMALL_RUNS; run++) {
        bool taken = run == 5 || run == 11;
        const sotto_point *point = sotto__results_points(&results, run);
        assert_ints(results.run[run].done, taken, results.run[run].played, taken);
        assert_int_equal(results.run[run].repairs, taken ? run : 0);
        assert_true(point[1].regret == (taken ? (double)(run + 1) * 400 : 0));
        assert_int_equal(point[0].t, taken ? 10 : 0);
    }
}
