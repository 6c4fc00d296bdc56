/* What scores share: the table, a finite prediction, and a direction that never leaves the ball. */
#include "client/score_rows.h"
#include "tape.h"
#include "test.h"

#include <float.h>
#include <math.h>

#define DIM 3

static double norm_of(const double *v)
{
    double norm = 0;
    for (int i = 0; i < DIM; i++) {
        norm = hypot(norm, v[i]);
    }
    return norm;
}

static sotto_spec spec_of_dim(uint32_t dim)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = dim;
    return spec;
}

/* A number that a hostile model may hold, or an ordinary one. */
static double any_number(tape *random)
{
    const double odd[] = {NAN,   INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 1e300,
                          1e154, 5e-324,   -1e-310,   0,       -0.0,     1e-160};
    uint64_t bits = sotto__seeded_next(&random->seeded);
    if (bits % 2 == 0) return odd[(bits >> 1) % (sizeof odd / sizeof odd[0])];
    return 4 * sotto__uniform(bits) - 2;
}

static void predictions_are_finite_for_every_model(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of_dim(2);
    const double x[] = {1, -0.5};
    const double hostile[][2] = {
        {NAN, 0}, {INFINITY, 1}, {-INFINITY, 1}, {INFINITY, INFINITY}, {DBL_MAX, -DBL_MAX}};
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        const sotto__scored scored = {.spec = &spec, .x = x, .theta = hostile[i]};
        assert_true(sotto__score_prediction(&scored) == 0);
    }
    const double theta[] = {0.25, 0.75};
    const sotto__scored scored = {.spec = &spec, .x = x, .theta = theta};
    assert_near(sotto__score_prediction(&scored), 0.25 - 0.375, 1e-15);
}

static void no_model_and_no_context_leads_out_of_the_unit_ball(void **state)
{
    (void)state;
    static sotto__score_function *const functions[] = {sotto__score_sign, sotto__score_self,
                                                       sotto__score_huber, sotto__score_gradient};
    const double weights[] = {0, 0.3, 0.5, 1};
    tape random = tape_seeded(11);
    for (uint32_t trial = 0; trial < 100000; trial++) {
        double x[DIM], theta[DIM], decide[DIM], v[DIM];
        for (int i = 0; i < DIM; i++) {
            double coordinate = any_number(&random);
            x[i] = fabs(coordinate) <= 1 ? coordinate / 2 : 0; /* clipped before it is scored */
            theta[i] = any_number(&random);
            decide[i] = any_number(&random);
        }
        sotto_spec spec = spec_of_dim(DIM);
        spec.link = (sotto_link)(trial / 4 % 4);
        const sotto__scored scored = {
            .spec = &spec,
            .along_weight = weights[trial / 16 % 4],
            .x = x,
            .reward = trial / 64 % 3 - 1.0,
            .theta = theta,
            .decide = trial / 192 % 2 == 0 ? decide : NULL,
        };
        functions[trial % 4](&scored, v);
        assert_true(norm_of(v) <= 1 + 1e-12);
    }
}

static void zero_context_gives_zero(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of_dim(DIM);
    const double zeros[] = {0, -0.0, 0}, decide[] = {1, 2, 3};
    sotto__scored scored = {.spec = &spec, .along_weight = 0.3, .x = zeros, .decide = decide};
    double v[] = {7, 7, 7};
    sotto__score_along(&scored, 1, v);
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0);
    scored.decide = NULL;
    sotto__score_along(&scored, -1, v);
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0);
}

static void denormal_contexts_have_a_direction_like_any_other(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of_dim(DIM);
    const double scales[] = {0x1p-1074, 0x1p-1060, 0x1p-1030, 0x1p-1026, 0x1p-1022, 0x1p-540, 1};
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
        const double x[] = {2 * scales[s], -1 * scales[s], 2 * scales[s]};
        const sotto__scored scored = {.spec = &spec, .along_weight = 1, .x = x};
        double v[DIM];
        sotto__score_along(&scored, -0.5, v);
        assert_near(v[0], -1.0 / 3, 1e-13);
        assert_near(v[1], 0.5 / 3, 1e-13);
        assert_near(v[2], -1.0 / 3, 1e-13);
    }
}

/* v = psi y/||y||, y = x - (1 - w)(x . u) u, in long double. */
static void plain_along(const double *x, const double *decide, double weight, double psi, double *v)
{
    long double length = 0, along = 0, norm = 0, y[DIM];
    for (int i = 0; i < DIM; i++) {
        length += (long double)decide[i] * decide[i];
        along += (long double)x[i] * decide[i];
    }
    for (int i = 0; i < DIM; i++) {
        y[i] = x[i] - (1 - weight) * along / length * decide[i];
        norm += y[i] * y[i];
    }
    for (int i = 0; i < DIM; i++) {
        v[i] = (double)(psi * y[i] / sqrtl(norm));
    }
}

static void the_deciding_direction_keeps_its_weight(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of_dim(DIM);
    const double lengths[] = {1, 1e-3, 1e150, 1e-150}; /* only the direction of `decide` counts */
    tape random = tape_seeded(12);
    for (uint32_t trial = 0; trial < 2000; trial++) {
        double x[DIM], direction[DIM], decide[DIM], v[DIM], wanted[DIM];
        for (int i = 0; i < DIM; i++) {
            x[i] = sotto__uniform(sotto__seeded_next(&random.seeded)) - 0.5;
            direction[i] = sotto__uniform(sotto__seeded_next(&random.seeded)) - 0.5;
            decide[i] = direction[i] * lengths[trial % 4];
        }
        double weight = trial % 11 / 10.0, psi = trial % 7 / 3.0 - 1;
        const sotto__scored scored = {
            .spec = &spec, .along_weight = weight, .x = x, .decide = decide};
        sotto__score_along(&scored, psi, v);
        plain_along(x, direction, weight, psi, wanted);
        for (int i = 0; i < DIM; i++) {
            assert_near(v[i], wanted[i], 1e-10); /* weight 0 may leave little of x */
        }
    }
}

static void without_a_usable_direction_the_context_stays_whole(void **state)
{
    (void)state;
    const sotto_spec spec = spec_of_dim(DIM);
    const double x[] = {2.0 / 7, 3.0 / 7, -6.0 / 7};
    const double zero[DIM] = {0}, nan[] = {NAN, 1, 0}, infinite[] = {1, INFINITY, 0};
    const double *useless[] = {NULL, zero, nan, infinite};
    for (size_t i = 0; i < 4; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 0.3, .x = x, .decide = useless[i]};
        double v[DIM];
        sotto__score_along(&scored, 1, v);
        for (int j = 0; j < DIM; j++) {
            assert_near(v[j], x[j], 1e-15);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_are_finite_for_every_model),
        cmocka_unit_test(no_model_and_no_context_leads_out_of_the_unit_ball),
        cmocka_unit_test(zero_context_gives_zero),
        cmocka_unit_test(denormal_contexts_have_a_direction_like_any_other),
        cmocka_unit_test(the_deciding_direction_keeps_its_weight),
        cmocka_unit_test(without_a_usable_direction_the_context_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
