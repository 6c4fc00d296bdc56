/* What scores share: the table, a finite prediction, and a direction that never leaves the ball. */
#include "client/client.h"
#include "client/inner.h"
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

TEST(predictions_are_finite_for_every_model)
{
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

TEST(no_model_and_no_context_leads_out_of_the_unit_ball)
{
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

TEST(zero_context_gives_zero)
{
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

TEST(denormal_contexts_have_a_direction_like_any_other)
{
    const sotto_spec spec = spec_of_dim(DIM);
    const double scales[] = {0x1p-1074, 0x1p-1060, 0x1p-1030, 0x1p-1026, 0x1p-1022, 0x1p-540, 1};
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
        const double x[] = {2 * scales[s], -1 * scales[s], 2 * scales[s]};
        const sotto__scored scored = {.spec = &spec, .along_weight = 1, .x = x};
        double v[DIM];
        sotto__score_along(&scored, -0.5, v);
        assert_nears(1e-13, v[0], -1.0 / 3, v[1], 0.5 / 3, v[2], -1.0 / 3);
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

TEST(the_deciding_direction_keeps_its_weight)
{
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

TEST(without_a_usable_direction_the_context_stays_whole)
{
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

/* The table of scores. */

TEST(each_score_has_its_own_function)
{
    const struct {
        sotto_method method;
        sotto_score score;
        sotto__score_function *function;
    } rows[] = {
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, sotto__score_sign},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, sotto__score_self},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_HUBER, sotto__score_huber},
        {SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, sotto__score_gradient},
        {SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, sotto__score_moments},
        {SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, sotto__score_moments},
        {SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, sotto__score_gloc_pair},
        {SOTTO_METHOD_SOTTO_OLS, SOTTO_SCORE_MOMENTS, sotto__score_lifted},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
        spec.method = rows[i].method, spec.score = rows[i].score;
        assert_true(sotto__score_of(&spec) == rows[i].function);
    }
}

/* The score of the mean phase: the direction of the context, whatever else the round knows. */

TEST(the_mean_of_a_zero_context_is_zero)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    const double x[] = {0, 0}, theta[] = {1, 1};
    spec.dim = 2;
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 1, .x = x, .reward = 1, .theta = theta};
    double v[] = {7, 7};
    sotto__score_mean(&scored, v);
    assert_true(v[0] == 0 && v[1] == 0);
}

TEST(neither_reward_nor_a_hostile_parameter_is_in_it)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    const double x[] = {-3e-200, 4e-200};
    const double theta[][2] = {{NAN, 0}, {INFINITY, 0}, {1e308, 0}, {0, 0}};
    spec.dim = 2;
    for (size_t i = 0; i < 8; i++) {
        const sotto__scored scored = {.spec = &spec,
                                      .along_weight = 1,
                                      .x = x,
                                      .reward = (double)(i / 4),
                                      .theta = theta[i % 4]};
        double v[2];
        sotto__score_mean(&scored, v);
        assert_nears(1e-15, v[0], -0.6, v[1], 0.8);
    }
}

/* The score of one arm for all: the reward on the scale -1 to 1, and nothing else. */

TEST(the_range_becomes_minus_one_to_one)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_COUNT); /* 0 to 10 */
    const double reward[] = {0, 10, 5, 2.5}, wanted[] = {-1, 1, 0, -0.5};
    for (int i = 0; i < 4; i++) {
        const sotto__scored scored = {.spec = &spec, .reward = reward[i]};
        double v[1];
        sotto__score_reward(&scored, v);
        assert_true(v[0] == wanted[i]);
    }
}

/* The sign score: one bit of the residual, always of the true context. */

static sotto_spec sign_spec(void)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2;
    return spec;
}

TEST(hostile_parameters_count_as_a_prediction_of_zero)
{
    const sotto_spec spec = sign_spec();
    const double x[] = {0.6, 0.8}, hostile[][2] = {{NAN, 1}, {INFINITY, 0}, {1e308, 1e308}};
    for (size_t i = 0; i < 3; i++) {
        sotto__scored scored = {.spec = &spec, .along_weight = 1, .x = x, .theta = hostile[i]};
        double v[2];
        scored.reward = i < 2 ? -0.5 : 0.5; /* 0 > -0.5; 1.4e308 is finite and large */
        sotto__score_sign(&scored, v);
        assert_nears(1e-15, v[0], 0.6, v[1], 0.8);
    }
}

TEST(the_sign_of_a_zero_context_is_zero)
{
    const sotto_spec spec = sign_spec();
    const double x[] = {0, 0}, theta[] = {1, 1};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 1, .theta = theta, .decide = theta};
    double v[] = {7, 7};
    sotto__score_sign(&scored, v);
    assert_true(v[0] == 0 && v[1] == 0);
}

TEST(a_prediction_above_the_reward_is_plus_one_and_a_tie_is_minus_one)
{
    const sotto_spec spec = sign_spec();
    const double x[] = {0.5, 0}, theta[] = {0.5, 9};
    const double rewards[] = {-1, 0.2499, 0.25, 0.2501, 1}, signs[] = {1, 1, -1, -1, -1};
    for (size_t i = 0; i < 5; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = rewards[i], .theta = theta};
        double v[2];
        sotto__score_sign(&scored, v);
        assert_true(v[0] == signs[i]);
        assert_true(v[1] == 0);
    }
}

/* x . theta = 0.3 > 0, but y = (0.27, 0.3) and y . theta = -0.33: the sign must not be y's. */
TEST(the_sign_is_of_the_true_context_not_of_what_is_kept_of_it)
{
    const sotto_spec spec = sign_spec();
    const double x[] = {0.9, 0.3}, theta[] = {1, -2}, decide[] = {5, 0};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 0, .theta = theta, .decide = decide};
    double v[2];
    sotto__score_sign(&scored, v);
    double norm = hypot(0.27, 0.3);
    assert_nears(1e-14, v[0], 0.27 / norm, v[1], 0.3 / norm);
}

TEST(per_arm_scores_are_the_whole_context_direction)
{
    sotto_spec spec = sign_spec();
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    const double x[] = {-0.3, 0.4}, theta[] = {1, 1};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 0.5, .theta = theta};
    double v[2];
    sotto__score_sign(&scored, v);
    assert_nears(1e-15, v[0], 0.6, v[1], -0.8);
}

/* The Huber score: the residual over tau, clipped to [-1, 1]. */

static sotto_spec huber_spec(double tau)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2, spec.score = SOTTO_SCORE_HUBER, spec.huber_tau = tau;
    return spec;
}

TEST(huge_residuals_and_tiny_taus_are_clipped)
{
    const sotto_spec spec = huber_spec(1e-6);
    const double x[] = {0.6, 0.8}, theta[][2] = {{1e308, 0}, {-1e308, 0}, {INFINITY, 0}, {NAN, 0}};
    const double signs[] = {1, -1, -1, -1}; /* what is not finite predicts 0, below the reward */
    for (size_t i = 0; i < 4; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = 0.5, .theta = theta[i]};
        double v[2];
        sotto__score_huber(&scored, v);
        assert_nears(1e-15, v[0], 0.6 * signs[i], v[1], 0.8 * signs[i]);
    }
}

TEST(huber_of_a_zero_context_is_zero)
{
    const sotto_spec spec = huber_spec(0.5);
    const double x[] = {0, 0}, theta[] = {1, 1};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 1, .theta = theta, .decide = theta};
    double v[] = {7, 7};
    sotto__score_huber(&scored, v);
    assert_true(v[0] == 0 && v[1] == 0);
}

TEST(inside_tau_the_length_is_the_residual_over_tau)
{
    const double taus[] = {0.25, 0.5, 2};
    const double x[] = {0.3, -0.4}, theta[] = {1, 0.5}; /* predicts 0.1 */
    for (size_t t = 0; t < 3; t++) {
        for (int r = -10; r <= 10; r++) {
            const sotto_spec spec = huber_spec(taus[t]);
            const sotto__scored scored = {
                .spec = &spec, .along_weight = 1, .x = x, .reward = r / 10.0, .theta = theta};
            double v[2], psi = (0.1 - r / 10.0) / taus[t];
            if (psi > 1) psi = 1;
            if (psi < -1) psi = -1;
            sotto__score_huber(&scored, v);
            assert_nears(1e-14, v[0], psi * 0.6, v[1], psi * -0.8);
        }
    }
}

TEST(the_residual_is_of_the_true_context)
{
    const sotto_spec spec = huber_spec(0.6);
    const double x[] = {0.9, 0.3}, theta[] = {1, -2}, decide[] = {0.1, 0};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.3, .x = x, .reward = 0, .theta = theta, .decide = decide};
    double v[2], norm = hypot(0.27, 0.3); /* y = x - 0.7 (x . u) u */
    sotto__score_huber(&scored, v);
    assert_near(v[0], 0.5 * 0.27 / norm, 1e-14); /* x . theta / tau = 0.3 / 0.6 */
    assert_near(v[1], 0.5 * 0.3 / norm, 1e-14);
}

/* The self-normalised score: the residual over the largest that its mean allows, for every link. */

static sotto_spec self_spec(sotto_reward_kind kind, sotto_link link)
{
    sotto_spec spec = sotto_spec_default(kind);
    spec.dim = 2, spec.score = SOTTO_SCORE_SELF, spec.link = link;
    return spec;
}

static double plain_mean(sotto_link link, double z)
{
    switch (link) {
    case SOTTO_LINK_IDENTITY: return z;
    case SOTTO_LINK_LOGIT: return exp(z) / (1 + exp(z));
    case SOTTO_LINK_PROBIT: return (1 + erf(z / sqrt(2))) / 2;
    case SOTTO_LINK_LOG: return pow(2.718281828459045, z);
    }
    return NAN;
}

static double plain_psi(const sotto_spec *spec, double z, double reward)
{
    double mean = plain_mean(spec->link, z);
    if (mean < spec->reward_lo) mean = spec->reward_lo;
    if (mean > spec->reward_hi) mean = spec->reward_hi;
    double down = mean - spec->reward_lo, up = spec->reward_hi - mean;
    return (mean - reward) / (down > up ? down : up);
}

TEST(hostile_parameters_still_score_within_one)
{
    const double x[] = {0.6, 0.8};
    const double theta[][2] = {{NAN, 0}, {INFINITY, 0}, {1e308, 0}, {-1e308, 0}, {1e300, -1e300}};
    for (int link = 0; link < 4; link++) {
        for (size_t i = 0; i < 10; i++) {
            const sotto_spec spec = self_spec(SOTTO_REWARD_COUNT, (sotto_link)link);
            const sotto__scored scored = {.spec = &spec,
                                          .along_weight = 1,
                                          .x = x,
                                          .reward = i < 5 ? 0 : 10,
                                          .theta = theta[i % 5]};
            double v[2];
            sotto__score_self(&scored, v);
            assert_true(hypot(v[0], v[1]) <= 1 + 1e-12);
        }
    }
}

TEST(a_mean_beyond_the_range_counts_as_its_end)
{
    const sotto_spec spec = self_spec(SOTTO_REWARD_COUNT, SOTTO_LINK_LOG);
    const double x[] = {1, 0}, theta[] = {600, 0}, rewards[] = {0, 5, 10}, psis[] = {1, 0.5, 0};
    for (size_t i = 0; i < 3; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = rewards[i], .theta = theta};
        double v[2];
        sotto__score_self(&scored, v);
        assert_near(v[0], psis[i], 1e-15);
    }
}

TEST(the_self_normalised_score_of_a_zero_context_is_zero)
{
    const sotto_spec spec = self_spec(SOTTO_REWARD_BINARY, SOTTO_LINK_LOGIT);
    const double x[] = {0, 0}, theta[] = {1, 1};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.5, .x = x, .reward = 1, .theta = theta, .decide = theta};
    double v[] = {7, 7};
    sotto__score_self(&scored, v);
    assert_true(v[0] == 0 && v[1] == 0);
}

TEST(every_link_and_kind_follows_the_formula)
{
    const double x[] = {-0.36, 0.48};
    for (int at = 0; at < 3 * 4 * 9 * 5; at++) {
        const sotto_spec spec = self_spec((sotto_reward_kind)(at % 3), (sotto_link)(at / 3 % 4));
        const double theta[] = {(at / 12 % 9 - 4) / 2.0, (at / 12 % 9 - 3) / 3.0};
        double part = at / 108 / 4.0; /* 0, 1/4, ..., 1 of the range */
        double reward = spec.reward_lo + part * (spec.reward_hi - spec.reward_lo);
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = reward, .theta = theta};
        double v[2], psi = plain_psi(&spec, x[0] * theta[0] + x[1] * theta[1], reward);
        sotto__score_self(&scored, v);
        assert_nears(1e-13, v[0], psi * -0.6, v[1], psi * 0.8);
    }
}

/* mu = 1/2: rewards 0 and 1 are as far as they can be. */
TEST(an_even_guess_scores_plus_or_minus_one)
{
    const sotto_spec spec = self_spec(SOTTO_REWARD_BINARY, SOTTO_LINK_LOGIT);
    const double x[] = {0, 1}, theta[] = {3, 0};
    sotto__scored scored = {.spec = &spec, .along_weight = 1, .x = x, .theta = theta};
    double v[2];
    scored.reward = 0;
    sotto__score_self(&scored, v);
    assert_true(v[1] == 1);
    scored.reward = 1;
    sotto__score_self(&scored, v);
    assert_true(v[1] == -1);
}

TEST(the_mean_is_of_the_true_context)
{
    const sotto_spec spec = self_spec(SOTTO_REWARD_BINARY, SOTTO_LINK_LOGIT);
    const double x[] = {0.9, 0.3}, theta[] = {1, -2}, decide[] = {2, 0};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 0.5, .x = x, .reward = 0, .theta = theta, .decide = decide};
    double v[2], norm = hypot(0.45, 0.3), psi = plain_psi(&spec, 0.3, 0);
    sotto__score_self(&scored, v);
    assert_nears(1e-14, v[0], psi * 0.45 / norm, v[1], psi * 0.3 / norm);
}

/* The gradient (mu(x . theta) - r) x over R = 2 c_r C_B, clipped to the unit ball, for every link.
 */

static sotto_spec gradient_spec(sotto_link link)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.dim = 2, spec.method = SOTTO_METHOD_LDP_SGD, spec.score = SOTTO_SCORE_GRADIENT;
    spec.link = link;
    return spec;
}

TEST(gradients_longer_than_the_bound_are_clipped_to_it)
{
    const double x[] = {0.6, -0.8};
    const double theta[][2] = {{1e308, 0}, {-1e308, 0}, {1e5, 0}, {6, 0}, {-6, 0}};
    const double signs[] = {1, -1, 1, 1, -1};
    for (size_t i = 0; i < 5; i++) {
        const sotto_spec spec = gradient_spec(SOTTO_LINK_IDENTITY);
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = 0.5, .theta = theta[i]};
        double v[2];
        sotto__score_gradient(&scored, v);
        assert_nears(1e-15, v[0], 0.6 * signs[i], v[1], -0.8 * signs[i]);
    }
}

TEST(an_exploding_mean_is_clipped_even_where_its_product_overflows)
{
    sotto_spec spec = gradient_spec(SOTTO_LINK_LOG);
    spec.reward_lo = 0, spec.reward_hi = 1e-6;
    const double x[] = {0, 1}, theta[] = {0, 1e9};
    const sotto__scored scored = {
        .spec = &spec, .along_weight = 1, .x = x, .reward = 0, .theta = theta};
    double v[2];
    sotto__score_gradient(&scored, v);
    assert_true(v[0] == 0 && v[1] == 1);
}

TEST(what_is_not_finite_predicts_zero)
{
    const sotto_spec spec = gradient_spec(SOTTO_LINK_IDENTITY);
    const double x[] = {0, 1}, theta[][2] = {{NAN, 0}, {0, INFINITY}, {0, -INFINITY}};
    for (size_t i = 0; i < 3; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = 0.5, .theta = theta[i]};
        double v[2];
        sotto__score_gradient(&scored, v);
        assert_near(v[1], -0.25, 1e-15); /* (0 - 0.5) 1 / (2 1 1) */
    }
}

TEST(zero_and_denormal_contexts_give_nearly_nothing)
{
    const sotto_spec spec = gradient_spec(SOTTO_LINK_LOGIT);
    const double x[][2] = {{0, 0}, {5e-324, 0}, {1e-310, -1e-309}}, theta[] = {1, 1};
    for (size_t i = 0; i < 3; i++) {
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x[i], .reward = 1, .theta = theta};
        double v[] = {7, 7};
        sotto__score_gradient(&scored, v);
        assert_true(hypot(v[0], v[1]) <= 1e-308);
    }
}

TEST(every_link_and_bound_follows_the_formula)
{
    const double ranges[][2] = {{-1, 1}, {0, 10}, {-3, 0.5}}, norms[] = {0.5, 1, 20};
    for (int at = 0; at < 4 * 3 * 3 * 5 * 3; at++) {
        sotto_spec spec = gradient_spec((sotto_link)(at % 4));
        spec.reward_lo = ranges[at / 4 % 3][0], spec.reward_hi = ranges[at / 4 % 3][1];
        spec.context_norm_max = norms[at / 12 % 3];
        const double x[] = {0.3 * spec.context_norm_max, -0.4 * spec.context_norm_max};
        const double theta[] = {at / 36 % 5 - 2.0, 0.25};
        double reward = spec.reward_lo + at / 180 / 2.0 * (spec.reward_hi - spec.reward_lo);
        const sotto__scored scored = {
            .spec = &spec, .along_weight = 1, .x = x, .reward = reward, .theta = theta};
        double residual = plain_mean(spec.link, x[0] * theta[0] + x[1] * theta[1]) - reward;
        double reward_max = fabs(spec.reward_lo) > fabs(spec.reward_hi) ? fabs(spec.reward_lo)
                                                                        : fabs(spec.reward_hi);
        double radius = 2 * reward_max * spec.context_norm_max;
        double g[] = {residual * x[0], residual * x[1]};
        double shrink = fmax(radius, hypot(g[0], g[1]));
        double v[2];
        sotto__score_gradient(&scored, v);
        assert_nears(1e-12, v[0], g[0] / shrink, v[1], g[1] / shrink);
    }
}
