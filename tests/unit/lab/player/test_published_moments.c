/* Noisy moments: their sums, their noise, their solution. */
#include "lab/player/published.h"
#include "lab/player/published_moments.h"
#include "published_twin.h"
#include "stats.h"

static void too_many_rows_are_refused(void **state)
{
    (void)state;
    sotto__noisy_moments moments;
    assert_status(sotto__noisy_moments_new(SOTTO__DENSE_MAX + 1, 1, &moments), SOTTO_E_LENGTH);
    sotto__noisy_moments_free(&moments);
}

static sotto__published *source(const sotto_match *match)
{
    return (sotto__published *)published_player(match, 11);
}

static void a_singular_matrix_changes_nothing(void **state)
{
    (void)state;
    sotto__noisy_moments moments;
    double theta[2] = {7, 8};
    assert_ok(sotto__noisy_moments_new(2, 1, &moments));
    sotto__noisy_moments_solve(&moments, 0, 0, theta);
    assert_true(theta[0] == 7 && theta[1] == 8);
    sotto__noisy_moments_free(&moments);
}

/* Without noise: x = (1, 2), weight 3: gram (1; 2, 4), cross (3, 6), in the second of two blocks.
 * (gram + I) theta = cross: theta = (3, 6)/6. */
static void moments_by_hand(void **state)
{
    (void)state;
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, true, false);
    sotto__published *self = source(&match);
    sotto__noisy_moments moments;
    double theta[2];
    self->sigma = 0;
    assert_ok(sotto__noisy_moments_new(2, 2, &moments));
    sotto__noisy_moments_add(&moments, self, 1, (double[]){1, 2}, 3);
    sotto__noisy_moments_add(&moments, self, 1, NULL, 3);
    const double gram[] = {0, 0, 0, 1, 2, 4}, cross[] = {0, 0, 3, 6};
    assert_memory_equal(moments.gram, gram, sizeof gram);
    assert_memory_equal(moments.cross, cross, sizeof cross);
    sotto__noisy_moments_solve(&moments, 1, 1, theta);
    assert_near(theta[0], 0.5, 1e-15);
    assert_near(theta[1], 1, 1e-15);
    sotto__noisy_moments_free(&moments);
    self->player.free(&self->player);
}

/* N(0, sigma^2) on all 9 numbers of d = 3, and no two alike: 9 means, 9 variances and 36
 * correlations within 6 sd each, a false alarm in 1e7. */
static void noise_has_its_law(void **state)
{
    (void)state;
    enum { NUMBERS = 9, DRAWS = 20000 };
    sotto_match match = published_match(SOTTO_PLAYER_LDP_OLS, true, false);
    sotto__published *self = source(&match);
    sotto__noisy_moments moments;
    double before[NUMBERS] = {0}, product[NUMBERS][NUMBERS] = {{0}};
    running noise[NUMBERS] = {{0, 0, 0}};
    assert_ok(sotto__noisy_moments_new(3, 1, &moments));
    for (int t = 0; t < DRAWS; t++) {
        double z[NUMBERS];
        sotto__noisy_moments_add(&moments, self, 0, NULL, 0);
        for (int i = 0; i < NUMBERS; i++) {
            double now = i < 6 ? moments.gram[i] : moments.cross[i - 6];
            z[i] = (now - before[i]) / twin_sigma(2.5);
            before[i] = now;
            running_add(&noise[i], z[i]);
        }
        for (int i = 0; i < NUMBERS * NUMBERS; i++) {
            product[i / NUMBERS][i % NUMBERS] += z[i / NUMBERS] * z[i % NUMBERS];
        }
    }
    for (int i = 0; i < NUMBERS; i++) {
        assert_near(noise[i].mean, 0, 6 / sqrt(DRAWS));
        for (int j = 0; j < NUMBERS; j++) {
            double sd = i == j ? sqrt(2.0 / DRAWS) : sqrt(1.0 / DRAWS);
            assert_near(product[i][j] / DRAWS, i == j ? 1 : 0, 6 * sd);
        }
    }
    sotto__noisy_moments_free(&moments);
    self->player.free(&self->player);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_many_rows_are_refused),
        cmocka_unit_test(a_singular_matrix_changes_nothing),
        cmocka_unit_test(moments_by_hand),
        cmocka_unit_test(noise_has_its_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
