/* Laws of rewards: edges of the luck, and each law over many people (false alarms 1e-6 each). */
#include "lab/environment/reward_law.h"
#include "stats.h"
#include "test.h"

#include <math.h>

#define PEOPLE 200000
#define ALMOST_ONE (1 - 0x1p-53) /* the largest luck */

static void poisson_ends_at_every_edge(void **state)
{
    (void)state;
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 0, 0, ALMOST_ONE) == 0);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 1e-300, 0, 0x1p-53) == 0);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 1e-300, 0, ALMOST_ONE) <= 2);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 1, 0, ALMOST_ONE) >= 17);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 1, 0, ALMOST_ONE) <= 25);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 20, 0, ALMOST_ONE) <= 80);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 699, 0, 0x1p-53) > 400);
    assert_near(sotto__reward(SOTTO_LAW_POISSON, 699, 0, 0.5), 699, 1);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 699, 0, ALMOST_ONE) < 1000);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 701, 0, 0x1p-53) == 1000);
    assert_true(sotto__reward(SOTTO_LAW_POISSON, INFINITY, 0, 0.5) == 1000);
}

/* F(0), F(1), ... of Poisson(2): e^-2 (1, 3, 5, ...). */
static void poisson_inverts_its_distribution_function(void **state)
{
    (void)state;
    const double below[] = {exp(-2), 3 * exp(-2), 5 * exp(-2), 19.0 / 3 * exp(-2)};
    for (int k = 0; k < 4; k++) {
        assert_true(sotto__reward(SOTTO_LAW_POISSON, 2, 0, below[k] - 1e-12) == k);
        assert_true(sotto__reward(SOTTO_LAW_POISSON, 2, 0, below[k] + 1e-12) == k + 1);
    }
    assert_true(sotto__reward(SOTTO_LAW_POISSON, 2, 0, below[0]) == 1); /* not below F(0) */
}

static void bernoulli_is_one_where_luck_is_below_the_mean(void **state)
{
    (void)state;
    assert_true(sotto__reward(SOTTO_LAW_BERNOULLI, 0.3, 9, 0.299) == 1);
    assert_true(sotto__reward(SOTTO_LAW_BERNOULLI, 0.3, 9, 0.3) == 0);
    assert_true(sotto__reward(SOTTO_LAW_BERNOULLI, 0, 9, 0x1p-53) == 0);
    assert_true(sotto__reward(SOTTO_LAW_BERNOULLI, 1, 9, ALMOST_ONE) == 1);
}

static void gaussian_and_none_shift_by_the_noise(void **state)
{
    (void)state;
    assert_true(sotto__reward(SOTTO_LAW_GAUSSIAN, 0.5, 2, -1.5) == -2.5);
    assert_true(sotto__reward(SOTTO_LAW_GAUSSIAN, 0.5, 0, -1.5) == 0.5);
    assert_true(sotto__reward(SOTTO_LAW_NONE, 0.5, 2, 0.25) == 0.5);
}

static void rewards_have_the_mean_and_variance_of_their_law(void **state)
{
    (void)state;
    const struct {
        sotto_reward_law law;
        double mean, noise, variance;
    } rows[] = {
        {SOTTO_LAW_GAUSSIAN, -0.2, 0.5, 0.25}, {SOTTO_LAW_NONE, 0.7, 0.5, 0},
        {SOTTO_LAW_BERNOULLI, 0.3, 0.5, 0.21}, {SOTTO_LAW_POISSON, 2.5, 0.5, 2.5},
        {SOTTO_LAW_POISSON, 40, 0.5, 40},
    };
    sotto__ziggurat ziggurat;
    sotto__ziggurat_begin(&ziggurat);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        running reward = {0, 0, 0}, square = {0, 0, 0};
        sotto__seeded stream;
        sotto__stream_begin(&stream, 31, SOTTO__PURPOSE_REWARDS);
        for (int i = 0; i < PEOPLE; i++) {
            double luck = sotto__draw_luck(rows[r].law, &ziggurat, &stream);
            double off =
                sotto__reward(rows[r].law, rows[r].mean, rows[r].noise, luck) - rows[r].mean;
            running_add(&reward, off);
            running_add(&square, off * off);
        }
        assert_near(reward.mean, 0, Z_FALSE_ALARM * running_standard_error(&reward));
        assert_near(square.mean, rows[r].variance, Z_FALSE_ALARM * running_standard_error(&square));
    }
}

/* Even where nothing is random, a person takes a number from the stream. */
static void every_law_draws_once_a_person(void **state)
{
    (void)state;
    sotto__ziggurat ziggurat;
    sotto__ziggurat_begin(&ziggurat);
    const sotto_reward_law uniform[] = {SOTTO_LAW_NONE, SOTTO_LAW_BERNOULLI, SOTTO_LAW_POISSON};
    for (size_t i = 0; i < 3; i++) {
        sotto__seeded stream, twin;
        sotto__stream_begin(&stream, 3, SOTTO__PURPOSE_REWARDS);
        sotto__stream_begin(&twin, 3, SOTTO__PURPOSE_REWARDS);
        for (int t = 0; t < 10; t++) {
            double luck = sotto__draw_luck(uniform[i], &ziggurat, &stream);
            assert_true(luck == sotto__uniform(sotto__seeded_next(&twin)));
        }
    }
    sotto__seeded stream, twin;
    sotto__stream_begin(&stream, 3, SOTTO__PURPOSE_REWARDS);
    sotto__stream_begin(&twin, 3, SOTTO__PURPOSE_REWARDS);
    for (int t = 0; t < 10; t++) {
        double luck = sotto__draw_luck(SOTTO_LAW_GAUSSIAN, &ziggurat, &stream);
        assert_true(luck == sotto__normal(&ziggurat, &twin));
    }
}

/* Chances from 0 to 1 where rewards are 0 or 1; other means as the link has them. */
static void binary_means_are_cut_to_chances(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    assert_near(sotto__mean_reward(&spec, 2), 1 / (1 + exp(-2)), 1e-15);
    spec.link = SOTTO_LINK_IDENTITY;
    assert_true(sotto__mean_reward(&spec, 0.25) == 0.25);
    assert_true(sotto__mean_reward(&spec, -0.25) == 0);
    assert_true(sotto__mean_reward(&spec, 1.25) == 1);
    spec.reward_kind = SOTTO_REWARD_CONTINUOUS;
    assert_true(sotto__mean_reward(&spec, -0.25) == -0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson_ends_at_every_edge),
        cmocka_unit_test(poisson_inverts_its_distribution_function),
        cmocka_unit_test(bernoulli_is_one_where_luck_is_below_the_mean),
        cmocka_unit_test(gaussian_and_none_shift_by_the_noise),
        cmocka_unit_test(rewards_have_the_mean_and_variance_of_their_law),
        cmocka_unit_test(every_law_draws_once_a_person),
        cmocka_unit_test(binary_means_are_cut_to_chances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
