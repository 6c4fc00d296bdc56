/* The small rules that estimators share. */
#include "batches.h"
#include "client/lattice_noise.h"
#include "core/linalg.h"
#include "server/estimator.h"
#include "server/shifted_solve.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void freeing_nothing_is_harmless(void **state)
{
    (void)state;
    sotto__estimator_free(NULL);
}

static void the_noise_level_of_a_codebook_is_nothing(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    sotto__noise_level level = sotto__noise_level_of(&terms);
    assert_true(level.matrix == 0 && level.vector == 0);
}

/* sigma or b = 3000 ticks of 2^-8 = 11.71875. */
static void the_noise_level_by_hand(void **state)
{
    (void)state;
    sotto_terms terms = {.lattice = {.dim = 9, .grid_log2 = -8, .scale_ticks = 3000}};
    terms.spec = learner_spec(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, SOTTO_PARAMETERS_SHARED);
    sotto__noise_level level = sotto__noise_level_of(&terms);
    assert_near(level.matrix, 8.286407592029, 1e-11); /* /sqrt 2 */
    assert_near(level.vector, 11.71875, 1e-12);
    terms.spec.noise_law = SOTTO_NOISE_LAPLACE;
    level = sotto__noise_level_of(&terms);
    assert_near(level.matrix, 16.572815184059, 1e-11); /* sqrt 2 b */
    assert_near(level.vector, 16.572815184059, 1e-11);
}

/* The sample sd of n draws has relative sd sqrt((kurtosis - 1)/(4 n)), 0.0079 at most (laplace: 6)
 * for n = 20000: 5.5 of them are 4.4 %, passed by chance less than 1e-7 times per row. */
static void the_noise_level_is_what_devices_add(void **state)
{
    (void)state;
    tape random = tape_seeded(71);
    for (int law = 0; law < 2; law++) {
        sotto_spec spec =
            learner_spec(SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, SOTTO_PARAMETERS_SHARED);
        spec.dim = 2;
        spec.noise_law = (sotto_noise_law)law;
        if (law == SOTTO_NOISE_LAPLACE) spec.delta = 0;
        sotto_terms terms;
        assert_ok(sotto_spec_resolve(&spec, &terms));
        sotto__noise_level level = sotto__noise_level_of(&terms);
        double grid = ldexp(1, terms.lattice.grid_log2), matrix = 0, vector = 0;
        double off_diagonal = sotto__off_diagonal(&spec);
        for (int i = 0; i < 20000; i++) {
            int64_t ticks[5]; /* x1 x1, x2 x1, x2 x2, r x1, r x2 */
            assert_ok(sotto__lattice_noise(&terms.lattice, spec.noise_law, &random.rng, ticks));
            double off = off_diagonal * grid * (double)ticks[1], last = grid * (double)ticks[4];
            matrix += off * off;
            vector += last * last;
        }
        assert_near(sqrt(matrix / 20000) / level.matrix, 1, 0.044);
        assert_near(sqrt(vector / 20000) / level.vector, 1, 0.044);
    }
}

static void descending_moves_against_the_sum_and_stays_finite(void **state)
{
    (void)state;
    double theta[4] = {1, -2, 3, DBL_MAX};
    const double sum[4] = {10, -20, INFINITY, -DBL_MAX};
    sotto__descend(theta, sum, 0.25, 4);
    assert_true(theta[0] == -1.5 && theta[1] == 3 && theta[2] == 3 && theta[3] == DBL_MAX);
    const double nan_sum[1] = {NAN};
    sotto__descend(theta, nan_sum, 1, 1);
    assert_true(theta[0] == -1.5);
}

static void projection_shortens_what_is_too_long_and_nothing_else(void **state)
{
    (void)state;
    double theta[3] = {3, 0, -4};
    sotto__project(theta, 3, 5);
    assert_true(theta[0] == 3 && theta[1] == 0 && theta[2] == -4);
    sotto__project(theta, 3, 2); /* norm 5: times 0.4 */
    assert_near(theta[0], 1.2, 1e-15);
    assert_near(theta[2], -1.6, 1e-15);
    assert_true(theta[1] == 0);
    double a_little[2] = {0, 1.001};
    sotto__project(a_little, 2, 1);
    assert_near(a_little[1], 1, 1e-15);
    double huge[2] = {3e300, 4e300};
    sotto__project(huge, 2, 1);
    assert_near(huge[0], 0.6, 1e-15);
    assert_near(huge[1], 0.8, 1e-15);
    double largest[2] = {DBL_MAX, DBL_MAX};
    sotto__project(largest, 2, 1);
    assert_true(isfinite(largest[0]) && fabs(largest[0]) <= 1);
    double zero[2] = {0, 0};
    sotto__project(zero, 2, 1);
    assert_true(zero[0] == 0 && zero[1] == 0);
}

/* Lengths within some roundings of the bound, on either side of it. */
static void at_the_bound_projection_goes_by_the_rounded_norm(void **state)
{
    (void)state;
    int within = 0;
    for (int i = 0; i < 1000; i++) {
        double bound = 0.001 + i * 0.37, turn = 0.1 + i * 0.001;
        double theta[2] = {bound * cos(turn), bound * sin(turn)}, kept = theta[0];
        double norm = sotto__norm(theta, 2);
        sotto__project(theta, 2, bound);
        assert_true(theta[0] == (norm <= bound ? kept : kept * (bound / norm)));
        within += norm <= bound;
    }
    assert_in_range(within, 10, 990); /* both happen */
}

static void an_unknown_horizon_doubles(void **state)
{
    (void)state;
    sotto_learning learning = plain_learning();
    learning.horizon = 77;
    assert_true(sotto__horizon(&learning, 0) == 77);
    assert_true(sotto__horizon(&learning, 1000000) == 77);
    learning.horizon = 0;
    static const uint64_t t[] = {0, 1, 1023, 1024, 2047, 2048, 1000000, UINT64_C(1) << 40};
    static const double wanted[] = {1024, 1024, 1024, 2048, 2048, 4096, 1048576, 0x1p41};
    for (int i = 0; i < 8; i++) {
        assert_true(sotto__horizon(&learning, t[i]) == wanted[i]);
    }
}

static void drift_leaves_a_window(void **state)
{
    (void)state;
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    assert_true(sotto__remembered(&spec, 1e12) == 1e12);
    spec.window_reports = 500;
    assert_true(sotto__remembered(&spec, 499.5) == 499.5);
    assert_true(sotto__remembered(&spec, 501) == 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freeing_nothing_is_harmless),
        cmocka_unit_test(the_noise_level_of_a_codebook_is_nothing),
        cmocka_unit_test(the_noise_level_by_hand),
        cmocka_unit_test(the_noise_level_is_what_devices_add),
        cmocka_unit_test(descending_moves_against_the_sum_and_stays_finite),
        cmocka_unit_test(projection_shortens_what_is_too_long_and_nothing_else),
        cmocka_unit_test(at_the_bound_projection_goes_by_the_rounded_norm),
        cmocka_unit_test(an_unknown_horizon_doubles),
        cmocka_unit_test(drift_leaves_a_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
