/* The id of a comparison: everything that determines results changes it, and nothing else. */
#include "comparisons.h"
#include "guests.h"
#include "lab/run/comparison_id.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static sotto__comparison comparison;
static double theta[3] = {1, 2, 3}, worth[4] = {1, 2, 3, 4};
static sotto_population population = {.rows = 5, .dim = 3, .theta = theta};

static void id_of(char hex[SOTTO__COMPARISON_ID_BYTES])
{
    sotto__comparison_id(&comparison, hex);
    assert_int_equal(strlen(hex), 64);
    assert_int_equal(strspn(hex, "0123456789abcdef"), 64);
}

/* Makes a change, and undoes it. */
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

static void what_was_brought_counts_by_its_name_and_its_build(void **state)
{
    (void)state;
    guest user = {0};
    sotto_player_table player = guest_player(&user);
    sotto_environment_table environment = guest_environment(&user);
    sotto_match *match = &comparison.match[2];
    assert_changes(match->brought, &player);
    assert_changes(match->environment.brought, &environment);
    match->brought = &player;
    match->environment.brought = &environment;
    assert_changes(player.name, "other");
    assert_changes(player.version, "2");
    assert_changes(player.version, NULL);
    assert_changes(environment.name, "other");
    assert_changes(environment.version, "2");
    match->brought = NULL;
    match->environment.brought = NULL;
}

static void every_term_of_a_match_counts(void **state)
{
    (void)state;
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

static void people_and_worths_count_by_what_is_in_them(void **state)
{
    (void)state;
    comparison.match[0].environment.population = &population;
    comparison.match[0].worth = worth;
    assert_changes(population.rows, 6);
    assert_changes(theta[2], 4);
    assert_changes(worth[3], 5);
    comparison.match[0].environment.population = NULL;
    comparison.match[0].worth = NULL;
}

static void epsilons_check_points_and_the_first_seed_count(void **state)
{
    (void)state;
    assert_changes(comparison.epsilon[1], 2.5);
    assert_changes(comparison.at[0], 11);
    assert_changes(comparison.at[SMALL_POINTS - 1], 399);
    assert_changes(comparison.sweep.first_seed, 8);
    assert_changes(comparison.sweep.matches_count, 3);
}

static void more_seeds_and_other_threads_are_the_same_comparison(void **state)
{
    (void)state;
    char before[SOTTO__COMPARISON_ID_BYTES], after[SOTTO__COMPARISON_ID_BYTES];
    id_of(before);
    comparison.sweep.seeds_count++;
    comparison.sweep.threads++;
    id_of(after);
    comparison.sweep.seeds_count--;
    assert_string_equal(before, after);
}

static void the_words_name_methods_epsilons_and_the_scene(void **state)
{
    (void)state;
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

static void the_words_of_a_hundred_matches_are_cut_before_the_scene(void **state)
{
    (void)state;
    sotto__comparison many;
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
    sotto__comparison_free(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_brought_counts_by_its_name_and_its_build),
        cmocka_unit_test(every_term_of_a_match_counts),
        cmocka_unit_test(people_and_worths_count_by_what_is_in_them),
        cmocka_unit_test(epsilons_check_points_and_the_first_seed_count),
        cmocka_unit_test(more_seeds_and_other_threads_are_the_same_comparison),
        cmocka_unit_test(the_words_name_methods_epsilons_and_the_scene),
        cmocka_unit_test(the_words_of_a_hundred_matches_are_cut_before_the_scene),
    };
    small_comparison_new(&comparison);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sotto__comparison_free(&comparison);
    return failed;
}
