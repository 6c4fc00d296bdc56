/* Lifted moments: always on the unit sphere, by hand, and whatever the bounds. */
#include "client/clip.h"
#include "client/score_rows.h"
#include "core/method.h"
#include "tape.h"
#include "test.h"

#include <math.h>

#define COUNT_MAX 66

static sotto_spec spec_of(uint32_t dim)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = SOTTO_METHOD_SOTTO_OLS;
    spec.score = SOTTO_SCORE_MOMENTS;
    spec.dim = dim;
    return spec;
}

static double squares_of(const double *v, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += v[i] * v[i];
    }
    return sum;
}

static void tiny_and_zero_contexts_are_lifted_to_the_pole(void **state)
{
    (void)state;
    const double tiny[][2] = {{0, -0.0}, {0x1p-1074, 0}, {1e-310, -1e-160}};
    const sotto_spec spec = spec_of(2);
    for (size_t i = 0; i < 3; i++) {
        const sotto__scored scored = {.spec = &spec, .x = tiny[i], .reward = 1};
        double v[6];
        sotto__score_lifted(&scored, v);
        assert_true(v[5] == 1);
        assert_true(squares_of(v, 5) <= 1e-300);
    }
}

/* Whatever enters, clipped as a round clips it: a unit vector, its last number not negative. */
static void every_secret_lands_on_the_unit_sphere(void **state)
{
    (void)state;
    const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e-310, 0, -0.0, 1, -1e-6};
    const double bounds[] = {1e-6, 0.5, 1, 1e6};
    tape random = tape_seeded(8);
    for (uint32_t trial = 0; trial < 20000; trial++) {
        sotto_spec spec = spec_of(1 + trial % 10);
        spec.context_norm_max = bounds[trial / 10 % 4];
        spec.reward_hi = bounds[trial / 40 % 4];
        spec.reward_lo = trial % 3 == 0 ? 0 : -spec.reward_hi * (trial % 3);
        double given[10], x[10], v[COUNT_MAX + 1];
        for (uint32_t i = 0; i < spec.dim; i++) {
            uint64_t word = sotto__seeded_next(&random.seeded);
            given[i] = trial % 2 == 0 ? odd[word % 10] : 2e6 * sotto__uniform(word) - 1e6;
        }
        sotto__clip_vector(given, spec.dim, spec.context_norm_max, x);
        double reward = sotto__clip_reward(&spec, odd[trial / 7 % 10]);
        const sotto__scored scored = {.spec = &spec, .x = x, .reward = reward};
        uint32_t count = sotto__statistic_dim(&spec);
        v[count] = 7;
        sotto__score_lifted(&scored, v);
        assert_near(squares_of(v, count), 1, 1e-14);
        assert_true(v[count - 1] >= 0);
        assert_true(v[count] == 7);
    }
}

/* C = 2, rewards in [-1, 4], x = (1.2, 0), r = 2: x/C = (0.6, 0), r/c = 0.5, lambda = 1.1:
 * m = (0.36, 0, 0, 0.33, 0), ||m||^2 = 0.2385, lift^2 = 2.21 - 0.2385. */
static void a_secret_by_hand(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(2);
    spec.context_norm_max = 2;
    spec.reward_hi = 4;
    const double x[] = {1.2, 0}, radius = sqrt(2.21);
    const double wanted[] = {0.36, 0, 0, 0.33, 0, sqrt(2.21 - 0.2385)};
    const sotto__scored scored = {.spec = &spec, .x = x, .reward = 2};
    double v[6];
    sotto__score_lifted(&scored, v);
    for (int i = 0; i < 6; i++) {
        assert_near(v[i], wanted[i] / radius, 1e-15);
    }
}

/* Off-diagonal entries carry sqrt 2, and the reward's larger end is the scale, low or high. */
static void order_and_weights_are_those_of_the_moments(void **state)
{
    (void)state;
    sotto_spec spec = spec_of(2);
    spec.reward_lo = -8, spec.reward_hi = 2;
    const double x[] = {0.6, -0.8}, radius = sqrt(2.21);
    const double wanted[] = {
        0.36, -0.48 * sqrt(2), 0.64, -1.1 * 0.5 * 0.6, 1.1 * 0.5 * 0.8, 1.1 * sqrt(0.75)};
    const sotto__scored scored = {.spec = &spec, .x = x, .reward = -4};
    double v[6];
    sotto__score_lifted(&scored, v);
    for (int i = 0; i < 6; i++) {
        assert_near(v[i], wanted[i] / radius, 1e-14);
    }
}

static void the_longest_secret_needs_no_lift(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of(3);
    const double x[] = {2.0 / 7, 3.0 / 7, -6.0 / 7};
    const sotto__scored scored = {.spec = &spec, .x = x, .reward = -1};
    double v[10];
    sotto__score_lifted(&scored, v);
    assert_near(v[9], 0, 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_and_zero_contexts_are_lifted_to_the_pole),
        cmocka_unit_test(every_secret_lands_on_the_unit_sphere),
        cmocka_unit_test(a_secret_by_hand),
        cmocka_unit_test(order_and_weights_are_those_of_the_moments),
        cmocka_unit_test(the_longest_secret_needs_no_lift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
