/* Shifted least squares against dense algebra, by hand, and from moments without noise. */
#include "batches.h"
#include "client/client.h"
#include "client/inner.h"
#include "core/core.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

OWNED(sotto__estimator, sotto__estimator_free)

#define D 3
#define K 3
#define BLOCK 9      /* svec and vector of one block */
#define SUMS_MAX 27  /* K blocks */
#define THETAS_MAX 9 /* K x D */

static const uint64_t all_counts[K] = {1, 1, 1};

static sotto_spec spec_of(sotto_method method, sotto_parameters parameters)
{
    return learner_spec(method, SOTTO_SCORE_MOMENTS, parameters);
}

static uint32_t blocks_of(const sotto_spec *spec)
{
    return spec->parameters == SOTTO_PARAMETERS_PER_ARM ? K : 1;
}

static void assert_model_can_be_published(const subject *s)
{
    uint8_t bytes[2048];
    assert_true(sotto_model_bytes(&s->terms) <= sizeof bytes);
    assert_ok(sotto_model_encode(&s->terms, s->model, bytes, sizeof bytes));
}

TEST(no_sum_makes_an_estimate_that_is_not_finite)
{
    static const double sizes[] = {1e300, -1e300, DBL_MAX, DBL_MAX, -DBL_MAX, 1e-310, 1};
    sotto_learning learning = plain_learning();
    for (int m = 0; m < 4; m++) {
        sotto_method method = m == 3 ? SOTTO_METHOD_SOTTO_OLS : SOTTO_METHOD_LDP_UCB;
        sotto_spec spec = spec_of(method, m == 1 ? SOTTO_PARAMETERS_PER_ARM : 0);
        learning.shift_scale = m == 2 ? 0 : 1;
        subject *s = subject_new(&spec, &learning);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            double sum[SUMS_MAX];
            for (int j = 0; j < SUMS_MAX; j++) {
                sum[j] = j % 5 == 3 ? -sizes[i] : sizes[i];
            }
            sotto__batch batch = {
                .phase = SOTTO_PHASE_MAIN, .count = 1, .arm_count = all_counts, .sum = sum};
            subject_absorb(s, &batch);
            assert_model_can_be_published(s);
        }
    }
}

/* diag(-5, 1, 1) with no shift: 5e-12 2^k is above 5 from k = 40 on; the 41st try after the first.
 */
TEST(repairs_are_counted)
{
    sotto_spec spec = spec_of(SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_SHARED);
    sotto_learning learning = plain_learning();
    learning.shift_scale = 0;
    subject *s = subject_new(&spec, &learning);
    const double sum[BLOCK] = {-5, 0, 1, 0, 0, 1, 1, 2, 3};
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 1, .sum = sum};
    subject_absorb(s, &batch);
    assert_int_equal(s->estimator->repairs, 41);
    double c = 5e-12 * 0x1p40;
    const double wanted[D] = {1 / (c - 5), 2 / (1 + c), 3 / (1 + c)};
    assert_all_near(s->model->theta, wanted, D, 1e-11);
    subject_absorb(s, &batch); /* -10: the same tries again */
    assert_int_equal(s->estimator->repairs, 82);
}

/* d = 1, V = 5, b = 3, 4 reports, sigma = 2, T = 1000, alpha = 0.1:
 * upsilon = 2 x 2 (4 + 2 ln 20000) = 95.22790042, theta = 3/(5 + 2 upsilon),
 * beta = 4 sqrt(ln 1000) + (sqrt(3 upsilon) + 2 sqrt(4/upsilon)) ln 1000. */
TEST(one_coordinate_by_hand)
{
    sotto_learning learning = plain_learning();
    const double sum[6] = {5, 3, 0, 0, 5, 3};
    const uint64_t counts[K] = {4, 4, 4};
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 4, .arm_count = counts, .sum = sum};
    static const struct {
        sotto_method method;
        sotto_parameters parameters;
        double scale, theta, beta;
    } rows[] = {
        {SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_SHARED, 1, 0.015348738625807918, 0},
        {SOTTO_METHOD_LDP_UCB, SOTTO_PARAMETERS_SHARED, 1, 0.015348738625807918, 130.1006578999851},
        {SOTTO_METHOD_LDP_UCB, SOTTO_PARAMETERS_SHARED, 0, 0.6, 130.1006578999851},
        {SOTTO_METHOD_LDP_UCB, SOTTO_PARAMETERS_PER_ARM, 1, 0.015348738625807918,
         130.1006578999851},
        {SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_PER_ARM, 1, 0.014082285779235372, 0}, /* ln 60000 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_spec spec = spec_of(rows[i].method, rows[i].parameters);
        spec.dim = 1;
        learning.shift_scale = rows[i].scale;
        subject *s = subject_new(&spec, &learning);
        s->estimator->noise.matrix = 2;
        subject_absorb(s, &batch);
        assert_near(s->model->theta[0], rows[i].theta, 1e-13);
        assert_near(s->model->beta, rows[i].beta, 1e-11);
    }
}

/* d = 1: D + 1 = 3, B = 4, sqrt(1 + lambda^2) = 1.48660687473: V = B 1.4866 x 0.9,
 * b = B 1.4866 x 0.6/1.1, shift = 2 x 2 x 1.4866 B/sqrt 6 x sqrt 4, theta = (5/2) b/(V + shift). */
TEST(lifted_moments_by_hand)
{
    sotto_spec spec = spec_of(SOTTO_METHOD_SOTTO_OLS, SOTTO_PARAMETERS_SHARED);
    sotto_learning learning = plain_learning();
    spec.dim = 1, spec.reward_lo = -5, spec.reward_hi = 3, spec.context_norm_max = 2;
    sotto_terms terms = resolved(&spec);
    terms.codebook[SOTTO_PHASE_MAIN].scale = 4;
    OWN(sotto__estimator) estimator = NULL;
    assert_ok(sotto__estimator_new(&terms, &learning, &estimator));
    double theta = 0;
    sotto_model model = {.theta = &theta};
    const double sum[3] = {0.9, 0.6, 0.1};
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 4, .sum = sum};
    estimator->absorb(estimator, &batch, &model);
    assert_near(theta, 2.5 * 0.13093046953852572, 1e-13);
}

/* kappa stops at 10: d = 24 would have 11.8. D + 1 = 325 and B cancels: x1 x1 = 0.9, r x1 = 0.6/1.1,
 * shift = 10 x 2 sqrt(24)/sqrt(2 x 325). */
TEST(the_lifted_shift_does_not_grow_without_end)
{
    enum { DIM = 24, MATRIX = DIM * (DIM + 1) / 2 };
    sotto_spec spec = spec_of(SOTTO_METHOD_SOTTO_OLS, SOTTO_PARAMETERS_SHARED);
    spec.dim = DIM;
    subject *s = subject_new(&spec, NULL);
    double sum[MATRIX + DIM + 1] = {[0] = 0.9, [MATRIX] = 0.6};
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 1, .sum = sum};
    subject_absorb(s, &batch);
    assert_near(s->model->theta[0], 0.6 / 1.1 / (0.9 + 20 * sqrt(24 / 650.0)), 1e-13);
}

/* The slow way: dense sums, and every formula written out once more. */
typedef struct reference {
    double v[K * D * D], b[K * D];
    double t, noise_terms;
    double theta[THETAS_MAX], beta;
} reference;

static double reference_shift(const subject *s, const reference *r)
{
    const sotto_spec *spec = &s->terms.spec;
    double big_t = s->learning.horizon > 0 ? (double)s->learning.horizon
                   : r->t < 1024           ? 1024
                                           : 2048;
    if (spec->method == SOTTO_METHOD_SOTTO_OLS) {
        double sd = sqrt(1 + 1.21) * s->terms.codebook[SOTTO_PHASE_MAIN].scale / sqrt(20);
        return s->learning.shift_scale * (2 + 8.0 / 18) * 2 * sd * sqrt(D * r->noise_terms);
    }
    double sigma = s->estimator->noise.matrix;
    double k = spec->method == SOTTO_METHOD_LDP_OLS ? blocks_of(spec) : 1;
    double c = 2 * sigma * (4 * sqrt(D) + 2 * log(2 * big_t * k / 0.1));
    return s->learning.shift_scale * c * sqrt(r->noise_terms);
}

static double reference_beta(const subject *s, const reference *r)
{
    double big_t = s->learning.horizon > 0 ? (double)s->learning.horizon
                   : r->t < 1024           ? 1024
                                           : 2048;
    double sigma = s->estimator->noise.matrix, t = r->noise_terms;
    double upsilon = sigma * sqrt(t) * (4 * sqrt(D) + 2 * log(2 * big_t / 0.1));
    return 2 * sigma * sqrt(D * log(big_t)) +
           (sqrt(3 * upsilon) + sigma * sqrt(D * t / upsilon)) * D * log(big_t);
}

static void reference_absorb(reference *r, const subject *s, const double *sum, uint64_t n)
{
    const sotto_spec *spec = &s->terms.spec;
    bool lifted = spec->method == SOTTO_METHOD_SOTTO_OLS;
    double b_scale = lifted ? s->terms.codebook[SOTTO_PHASE_MAIN].scale * sqrt(2.21) : 1;
    double lambda = lifted ? 1.1 : 1;
    double root = spec->noise_law == SOTTO_NOISE_LAPLACE ? 1 : sqrt(2);
    double w = (double)spec->window_reports;
    for (uint64_t i = 0; w > 0 && i < n; i++) { /* one report at a time */
        for (int j = 0; j < K * D * D; j++) {
            r->v[j] *= 1 - 1 / w;
        }
        for (int j = 0; j < K * D; j++) {
            r->b[j] *= 1 - 1 / w;
        }
        r->noise_terms *= (1 - 1 / w) * (1 - 1 / w);
    }
    r->t += (double)n;
    r->noise_terms += (double)n;
    for (uint32_t k = 0; k < blocks_of(spec); k++, sum += BLOCK) {
        const double m[D * D] = {sum[0],        sum[1] / root, sum[3] / root, sum[1] / root, sum[2],
                                 sum[4] / root, sum[3] / root, sum[4] / root, sum[5]};
        for (uint32_t j = 0; j < D * D; j++) {
            r->v[D * D * k + j] += b_scale * m[j];
        }
        for (uint32_t j = 0; j < D; j++) {
            r->b[D * k + j] += b_scale * sum[6 + j] / lambda;
        }
        double a[D * D];
        memcpy(a, r->v + D * D * k, sizeof a);
        for (uint32_t j = 0; j < D; j++) {
            a[4 * j] += reference_shift(s, r);
        }
        dense_solve(a, r->b + D * k, r->theta + D * k, D);
    }
    r->beta = spec->method == SOTTO_METHOD_LDP_UCB ? reference_beta(s, r) : 0;
}

static void assert_as_reference(const sotto_spec *spec, const sotto_learning *learning,
                                tape *random)
{
    subject *s = subject_new(spec, learning);
    reference r = {0};
    double level = spec->method == SOTTO_METHOD_SOTTO_OLS ? 0.1 : s->estimator->noise.matrix;
    for (int i = 0; i < 40; i++) {
        double sum[SUMS_MAX];
        uint64_t n = i < 10 ? 1 : 1 + sotto__seeded_next(&random->seeded) % 60;
        const uint64_t counts[K] = {n, n, n};
        fill_normals(random, level * sqrt((double)n), sum, SUMS_MAX);
        sotto__batch batch = {
            .phase = SOTTO_PHASE_MAIN, .count = n, .arm_count = counts, .sum = sum};
        subject_absorb(s, &batch);
        reference_absorb(&r, s, sum, n);
        assert_all_near(s->model->theta, r.theta, D * blocks_of(spec), 1e-12);
        assert_near(s->model->beta, r.beta, 1e-12 * r.beta);
    }
    assert_int_equal(s->estimator->repairs, 0);
    for (uint32_t k = 0; s->model->factor != NULL && k < blocks_of(spec); k++) {
        const double *l = s->model->factor + 6 * k; /* its last row squared is A_33 */
        double a = r.v[D * D * k + 8] + reference_shift(s, &r);
        assert_near(l[3] * l[3] + l[4] * l[4] + l[5] * l[5], a, 1e-12 * a);
    }
}

TEST(every_method_is_what_dense_algebra_makes_of_it)
{
    tape random = tape_seeded(81);
    for (int i = 0; i < 2 * 2 * 2 * 6; i++) {
        static const sotto_method methods[] = {SOTTO_METHOD_LDP_OLS, SOTTO_METHOD_LDP_UCB,
                                               SOTTO_METHOD_SOTTO_OLS};
        sotto_method method = methods[i % 3];
        sotto_spec spec = spec_of(method, i % 2 ? SOTTO_PARAMETERS_PER_ARM : 0);
        if (method == SOTTO_METHOD_SOTTO_OLS) spec.parameters = SOTTO_PARAMETERS_SHARED;
        spec.window_reports = i / 6 % 2 ? 50 : 0;
        if (method != SOTTO_METHOD_SOTTO_OLS && i / 12 % 2) {
            spec.noise_law = SOTTO_NOISE_LAPLACE, spec.delta = 0;
        }
        sotto_learning learning = plain_learning();
        learning.horizon = i / 24 ? 0 : 1000, learning.shift_scale = i / 24 ? 0.75 : 1;
        assert_as_reference(&spec, &learning, &random);
    }
}

/* Moments as devices score them, without noise, and rewards without noise, give back theta*. */
TEST(exact_moments_give_back_the_truth)
{
    tape random = tape_seeded(82);
    static const sotto_method methods[] = {SOTTO_METHOD_LDP_OLS, SOTTO_METHOD_LDP_OLS,
                                           SOTTO_METHOD_SOTTO_OLS};
    sotto_learning learning = plain_learning();
    learning.shift_scale = 0;
    for (int i = 0; i < 3; i++) {
        sotto_spec spec = spec_of(methods[i], SOTTO_PARAMETERS_SHARED);
        spec.noise_law = i == 1 ? SOTTO_NOISE_LAPLACE : SOTTO_NOISE_GAUSSIAN;
        if (i == 1) spec.delta = 0;
        spec.context_norm_max = 2, spec.reward_lo = -3;
        const double truth[D] = {0.7, -0.2, 0.4};
        subject *s = subject_new(&spec, &learning);
        double sum[BLOCK + 1] = {0};
        for (int n = 0; n < 30; n++) {
            double x[D], v[BLOCK + 1];
            fill_normals(&random, 0.4, x, D);
            sotto__scored scored = {.spec = &spec, .x = x, .reward = sotto__dot(x, truth, D)};
            sotto__score_of (&spec)(&scored, v);
            double b = i == 2 ? s->terms.codebook[SOTTO_PHASE_MAIN].scale : 1;
            for (uint32_t j = 0; j < sotto__statistic_dim(&spec); j++) {
                sum[j] += v[j] / b; /* E[codeword] = v/B */
            }
        }
        sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 30, .sum = sum};
        subject_absorb(s, &batch);
        assert_all_near(s->model->theta, truth, D, 1e-12);
    }
}

TEST(an_epoch_may_be_split)
{
    tape random = tape_seeded(83);
    sotto_spec spec = spec_of(SOTTO_METHOD_LDP_UCB, SOTTO_PARAMETERS_SHARED);
    subject *whole = subject_new(&spec, NULL), *split = subject_new(&spec, NULL);
    double first[BLOCK], second[BLOCK], both[BLOCK];
    fill_normals(&random, 10, first, BLOCK);
    fill_normals(&random, 30, second, BLOCK);
    for (int i = 0; i < BLOCK; i++) {
        both[i] = first[i] + second[i];
    }
    sotto__batch a = {.phase = SOTTO_PHASE_MAIN, .count = 10, .sum = first};
    sotto__batch b = {.phase = SOTTO_PHASE_MAIN, .count = 90, .sum = second};
    sotto__batch ab = {.phase = SOTTO_PHASE_MAIN, .count = 100, .sum = both};
    subject_absorb(whole, &ab);
    subject_absorb(split, &b);
    subject_absorb(split, &a);
    assert_all_near(split->model->theta, whole->model->theta, D, 1e-12);
    assert_true(split->model->beta == whole->model->beta);
}

TEST(permuting_arms_permutes_rows_and_scaling_rewards_scales_them)
{
    tape random = tape_seeded(84);
    sotto_spec spec = spec_of(SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_PER_ARM);
    subject *s = subject_new(&spec, NULL), *other = subject_new(&spec, NULL);
    double sum[SUMS_MAX], moved[SUMS_MAX];
    fill_normals(&random, s->estimator->noise.matrix, sum, SUMS_MAX);
    for (int i = 0; i < SUMS_MAX; i++) { /* arm k to k + 1, r to 4 r */
        moved[(i + BLOCK) % SUMS_MAX] = sum[i] * (i % BLOCK >= 6 ? 4 : 1);
    }
    sotto__batch batch = {
        .phase = SOTTO_PHASE_WARM_UP, .count = 1, .arm_count = all_counts, .sum = sum};
    subject_absorb(s, &batch);
    batch.sum = moved;
    subject_absorb(other, &batch);
    for (int i = 0; i < K * D; i++) {
        assert_true(s->model->theta[i] != 0);
        assert_true(other->model->theta[(i + D) % (K * D)] == 4 * s->model->theta[i]);
    }
}

/* theta is in units of c_r/C_B: the same codewords mean 3 times as much with rewards up to 3, and
 * half as much with contexts up to 2. */
TEST(lifted_estimates_scale_with_the_bounds)
{
    tape random = tape_seeded(85);
    double sum[BLOCK + 1];
    fill_normals(&random, 3, sum, BLOCK + 1);
    sotto_spec spec = spec_of(SOTTO_METHOD_SOTTO_OLS, SOTTO_PARAMETERS_SHARED);
    subject *unit = subject_new(&spec, NULL);
    spec.reward_hi = 3;
    subject *rewards = subject_new(&spec, NULL);
    spec.context_norm_max = 2;
    subject *both = subject_new(&spec, NULL);
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 20, .sum = sum};
    subject_absorb(unit, &batch);
    subject_absorb(rewards, &batch);
    subject_absorb(both, &batch);
    for (int i = 0; i < D; i++) {
        assert_near(rewards->model->theta[i], 3 * unit->model->theta[i], 1e-12);
        assert_near(both->model->theta[i], 1.5 * unit->model->theta[i], 1e-12);
    }
}

TEST(an_arm_without_reports_keeps_zero_and_predicts_the_worst)
{
    sotto_spec spec = spec_of(SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_PER_ARM);
    sotto_learning learning = plain_learning();
    learning.shift_scale = 0;
    spec.theta_norm_max = 2;
    subject *s = subject_new(&spec, &learning);
    s->estimator->noise = (sotto__noise_level){0.1, 0.2};
    double sum[SUMS_MAX] = {0};
    for (int k = 0; k < K; k++) {
        sum[BLOCK * k] = sum[BLOCK * k + 2] = sum[BLOCK * k + 5] = 10;
        sum[BLOCK * k + 6] = 5;
    }
    const uint64_t some[K] = {16, 0, 9};
    sotto__batch batch = {.phase = SOTTO_PHASE_WARM_UP, .count = 25, .arm_count = some, .sum = sum};
    assert_true(s->estimator->predict_error(s->estimator) == 2);
    subject_absorb(s, &batch);
    assert_nears(1e-15, s->model->theta[0], 0.5, s->model->theta[6], 0.5);
    assert_true(s->model->theta[3] == 0);
    assert_true(s->estimator->predict_error(s->estimator) == 2);
    const uint64_t rest[K] = {0, 4, 0};
    batch.arm_count = rest;
    batch.count = 4;
    memset(sum, 0, sizeof sum);
    sum[BLOCK] = sum[BLOCK + 2] = sum[BLOCK + 5] = 10;
    subject_absorb(s, &batch); /* V = 10, 20, 10 I; 16, 4, 9 reports; no shift */
    /* Worst is arm 0: tr A^-2 = 3/100, 16 (0.2^2 + 0.1^2 2^2) = 1.28: sqrt 0.0384. */
    assert_near(s->estimator->predict_error(s->estimator), 0.19595917942265426, 1e-14);
}

/* V = 10 I, 25 reports, sigma = 0.1, D = 2: c = 2 x 0.1 x 5 (4 sqrt 3 + 2 ln(6000/0.1)); error^2 =
 * (3/(10 + c)^2) (c^2 4/3 + 25 (0.2^2 + 0.1^2 4)). */
TEST(the_shift_is_part_of_the_predicted_error)
{
    sotto_spec spec = spec_of(SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_PER_ARM);
    spec.theta_norm_max = 2;
    subject *s = subject_new(&spec, NULL);
    s->estimator->noise = (sotto__noise_level){0.1, 0.2};
    double sum[SUMS_MAX] = {0};
    for (int k = 0; k < K; k++) {
        sum[BLOCK * k] = sum[BLOCK * k + 2] = sum[BLOCK * k + 5] = 10;
    }
    const uint64_t counts[K] = {25, 25, 25};
    sotto__batch batch = {
        .phase = SOTTO_PHASE_WARM_UP, .count = 25, .arm_count = counts, .sum = sum};
    subject_absorb(s, &batch);
    double c = 4 * sqrt(3) + 2 * log(60000);
    double wanted = sqrt(3 / pow(10 + c, 2) * (c * c * 4 / 3 + 2));
    assert_near(s->estimator->predict_error(s->estimator), wanted, 1e-13);
    s->estimator->noise.vector = 100; /* no more than D */
    assert_true(s->estimator->predict_error(s->estimator) == 2);
    s->estimator->noise.vector = NAN;
    assert_true(s->estimator->predict_error(s->estimator) == 2);
}

/* Reports of one arm, as released: x x' and r x with gaussian noise. */
static void simulate_sum(tape *random, const double *truth, int n, double sigma, double *sum)
{
    fill_normals(random, sigma * sqrt(n), sum, BLOCK);
    for (int i = 0; i < n; i++) {
        double x[D];
        fill_normals(random, 0.5, x, D);
        double r = sotto__dot(x, truth, D);
        const double root = sqrt(2);
        const double v[BLOCK] = {x[0] * x[0],        root * x[1] * x[0], x[1] * x[1],
                                 root * x[2] * x[0], root * x[2] * x[1], x[2] * x[2],
                                 r * x[0],           r * x[1],           r * x[2]};
        for (int j = 0; j < BLOCK; j++) {
            sum[j] += v[j];
        }
    }
}

/* Over 300 runs the mean square of the error and of its prediction agree within a factor 1.5; a run
 * has a relative sd below 1, so the ratio has 0.06 and misses by less than 1e-6 of chance. */
TEST(the_predicted_error_is_the_error)
{
    tape random = tape_seeded(86);
    sotto_learning learning = plain_learning();
    learning.shift_scale = 0.02;
    double squares = 0, predicted = 0;
    for (int run = 0; run < 300; run++) {
        sotto_spec spec = spec_of(SOTTO_METHOD_LDP_OLS, SOTTO_PARAMETERS_PER_ARM);
        spec.theta_norm_max = 1.5;
        subject *s = subject_new(&spec, &learning);
        s->estimator->noise = (sotto__noise_level){0.5 / sqrt(2), 0.5};
        double truth[D], sum[SUMS_MAX];
        fill_normals(&random, 1, truth, D);
        double norm = sotto__norm(truth, D);
        for (int i = 0; i < D; i++) {
            truth[i] *= 1.5 / norm;
        }
        simulate_sum(&random, truth, 4000, 0.5, sum);
        memcpy(sum + BLOCK, sum, BLOCK * sizeof *sum);
        memcpy(sum + 2 * BLOCK, sum, BLOCK * sizeof *sum);
        const uint64_t counts[K] = {4000, 4000, 4000};
        sotto__batch batch = {
            .phase = SOTTO_PHASE_WARM_UP, .count = 4000, .arm_count = counts, .sum = sum};
        subject_absorb(s, &batch);
        double error = s->estimator->predict_error(s->estimator);
        assert_true(error < 1.5);
        predicted += error * error;
        for (int i = 0; i < D; i++) {
            squares += pow(s->model->theta[i] - truth[i], 2);
        }
    }
    assert_true(predicted > squares / 1.5 && predicted < squares * 1.5);
}
