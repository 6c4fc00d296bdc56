/* What the methods of the authors' code have in common. */
#include "lab/player/published.h"
#include "published_twin.h"

/* As printed by their code at delta = 0.01 and 0.1, epsilon = 0.5, 1, 5. */
static void noise_is_as_large_as_theirs(void **state)
{
    (void)state;
    const double epsilon[] = {0.5, 1, 5};
    const double loose[] = {30.447, 15.224, 3.045}, tight[] = {39.877, 19.939, 3.988};
    for (int i = 0; i < 3; i++) {
        sotto_match match = {.spec.epsilon = epsilon[i], .delta = 0.01};
        assert_near(sotto__published_sigma(&match, 2.5), tight[i], 5e-4);
        match.delta = 0.1;
        assert_near(sotto__published_sigma(&match, 2.5), loose[i], 5e-4);
    }
}

static double sigma_in_use(sotto_player player, double epsilon, uint32_t corrections)
{
    sotto_match match = published_match(player, true, false);
    match.spec.epsilon = epsilon;
    match.corrections = corrections;
    sotto__player *one = published_player(&match, 0);
    double sigma = ((const sotto__published *)one)->sigma;
    one->free(one);
    return sigma;
}

/* The smallest sigma for (epsilon, 0.01) and the diameter sqrt 4.5, by another program. */
static void noise_can_be_what_the_claim_needs(void **state)
{
    (void)state;
    const double epsilon[] = {0.5, 1, 5}, wanted[] = {6.68, 3.98, 1.21};
    for (int i = 0; i < 3; i++) {
        const sotto_player kinds[] = {SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_LDP_UCB};
        for (int k = 0; k < 2; k++) {
            uint32_t noise = 1u << SOTTO_CORRECTION_NOISE;
            assert_near(sigma_in_use(kinds[k], epsilon[i], noise), wanted[i], 5e-3);
            assert_near(sigma_in_use(kinds[k], epsilon[i], 0), twin_sigma(2.5) / epsilon[i], 1e-9);
        }
    }
}

/* The estimate after a round with this reward. */
static double learned(const sotto_match *match, double reward)
{
    static crowd people;
    uint32_t arm;
    sotto__player *player = published_player(match, 7);
    crowd_begin(&people, true);
    crowd_next(&people);
    assert_ok(player->decide(player, people.context, &arm));
    assert_ok(player->learn(player, reward));
    double theta = player->estimate(player)[0];
    player->free(player);
    return theta;
}

/* Exact noise covers rewards within [-1, 1] alone; as published all count in full. */
static void exact_noise_clamps_rewards(void **state)
{
    (void)state;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, true, false);
    assert_true(learned(&match, 1) != learned(&match, 9));
    match.corrections = 1u << SOTTO_CORRECTION_NOISE;
    assert_near(learned(&match, 1), learned(&match, 9), 0);
    assert_near(learned(&match, -1), learned(&match, -1.5), 0);
    assert_true(learned(&match, -1) != learned(&match, 1));
    assert_true(learned(&match, 0.5) != learned(&match, 1));
}

/* d = 3, T = 1000, alpha = 0.1, sigma = 6 sqrt(2 ln 250) = 19.9385:
 *   upsilon_4 = 19.9385 x 2 x (6.9282 + 19.8070) = 1066.12
 *   beta_4 = 39.8771 sqrt(20.7233) + (sqrt(3198.36) + 19.9385 sqrt(12/1066.12)) 20.7233
 *          = 181.532 + (56.5541 + 2.11534) 20.7233 = 1397.35 */
static void widths_by_hand(void **state)
{
    (void)state;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, true, false);
    sotto__player *player = published_player(&match, 0);
    const sotto__published *self = (const sotto__published *)player;
    assert_near(self->sigma, 19.9385, 5e-5);
    assert_near(sotto__published_upsilon(self, self->sigma, 4), 1066.12, 1e-2);
    assert_near(sotto__published_beta(self, 4), 1397.35, 1e-2);
    player->free(player);
}

static void the_first_nan_is_the_largest(void **state)
{
    (void)state;
    assert_int_equal(sotto__published_argmax((double[]){1, 3, 3, 2}, 4), 1);
    assert_int_equal(sotto__published_argmax((double[]){9, NAN, 10, NAN}, 4), 1);
    assert_int_equal(sotto__published_argmax((double[]){1, 2, NAN}, 3), 2);
    assert_int_equal(sotto__published_argmax((double[]){-INFINITY, -INFINITY}, 2), 0);
    assert_int_equal(sotto__published_argmax((double[]){NAN, INFINITY}, 2), 0);
}

static void plays_alike(const sotto_match *match, uint64_t seed, uint64_t other, bool wanted)
{
    static crowd people;
    sotto__player *one = published_player(match, seed), *two = published_player(match, other);
    bool alike = true;
    crowd_begin(&people, match->spec.parameters == SOTTO_PARAMETERS_SHARED);
    uint32_t count = people.shared ? TWIN_DIM : TWIN_CELLS;
    for (int t = 0; t < 100; t++) {
        uint32_t arm, same;
        crowd_next(&people);
        assert_ok(one->decide(one, people.context, &arm));
        assert_ok(two->decide(two, people.context, &same));
        assert_ok(one->learn(one, people.reward[arm]));
        assert_ok(two->learn(two, people.reward[same]));
        size_t bytes = count * sizeof(double);
        alike = alike && arm == same;
        alike = alike && memcmp(one->estimate(one), two->estimate(two), bytes) == 0;
    }
    assert_int_equal(alike, wanted);
    one->free(one);
    two->free(two);
}

static void the_seed_alone_decides(void **state)
{
    (void)state;
    const sotto_player kinds[] = {SOTTO_PLAYER_LDP_SGD, SOTTO_PLAYER_LDP_OLS, SOTTO_PLAYER_LDP_UCB,
                                  SOTTO_PLAYER_LDP_GLOC};
    for (int i = 0; i < 16; i++) {
        sotto_match match = published_match(kinds[i / 4], i % 2 == 0, i / 2 % 2 == 0);
        plays_alike(&match, 5, 5, true);
        plays_alike(&match, 5, 6, false);
    }
}

/* T and alpha count where they stand in a formula. */
static void horizon_and_alpha_are_those_of_the_match(void **state)
{
    (void)state;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_UCB, true, false);
    match.horizon = 2000;
    match.learning.horizon = 0; /* their code always knows it */
    match.learning.alpha = 0.2;
    sotto__player *player = published_player(&match, 0);
    const sotto__published *self = (const sotto__published *)player;
    assert_near(sotto__published_upsilon(self, 1, 1), 4 * sqrt(3) + 2 * log(20000), 1e-12);
    assert_near(self->horizon, 2000, 0);
    player->free(player);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_as_large_as_theirs),
        cmocka_unit_test(noise_can_be_what_the_claim_needs),
        cmocka_unit_test(exact_noise_clamps_rewards),
        cmocka_unit_test(widths_by_hand),
        cmocka_unit_test(the_first_nan_is_the_largest),
        cmocka_unit_test(the_seed_alone_decides),
        cmocka_unit_test(horizon_and_alpha_are_those_of_the_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
