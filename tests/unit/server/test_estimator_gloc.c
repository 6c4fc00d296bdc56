/* LDP-GLOC: the online estimate, the sums of its predictions, and least squares on them. */
#include "batches.h"
#include "client/inner.h"
#include "core/core.h"
#include "server/server.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define D 3
#define K 3
#define BLOCK 9
#define SUMS_MAX 27
#define THETAS_MAX 9

static sotto_spec spec_of(sotto_parameters parameters)
{
    return learner_spec(SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, parameters);
}

/* As the learner does it: predictions by the theta_h of the model, then the batch. */
static void absorb_sum(subject *s, const double *sum, uint64_t n)
{
    double predicted[THETAS_MAX] = {0};
    const uint64_t counts[K] = {n, n, n};
    sotto__gloc_predicted(&s->terms, sum, s->model->theta_h, predicted);
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN,
                          .count = n,
                          .arm_count = counts,
                          .sum = sum,
                          .predicted = predicted};
    subject_absorb(s, &batch);
}

TEST(no_sum_makes_an_estimate_that_is_not_finite)
{
    static const double sizes[] = {1, 1e300, -1e300, DBL_MAX, DBL_MAX, -DBL_MAX, 1e-310};
    for (int m = 0; m < 4; m++) {
        sotto_spec spec = spec_of(m % 2 ? SOTTO_PARAMETERS_PER_ARM : SOTTO_PARAMETERS_SHARED);
        spec.link = m < 2 ? SOTTO_LINK_IDENTITY : SOTTO_LINK_PROBIT;
        spec.theta_norm_max = m < 2 ? 1 : 1e6; /* where a probit's slope rounds to 0 */
        subject *s = subject_new(&spec, NULL);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            double sum[SUMS_MAX];
            uint8_t bytes[2048];
            for (int j = 0; j < SUMS_MAX; j++) {
                sum[j] = j % 5 == 3 ? -sizes[i] : sizes[i];
            }
            absorb_sum(s, sum, 1);
            assert_ok(sotto_model_encode(&s->terms, s->model, bytes, sizeof bytes));
        }
    }
}

/* M = [[1, 2], [2, 3]] theta (10, 100) = (210, 320), twice over another number. */
TEST(predictions_by_hand)
{
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_PER_ARM);
    spec.dim = 2, spec.arms = 2;
    sotto_terms terms = resolved(&spec);
    const double sum[10] = {1, sqrt(2) * 2, 3, 77, 78, 10, sqrt(2) * 20, 30, 79, 80};
    const double theta_h[4] = {10, 100, 1, -1};
    double out[4] = {1000, 0, 0, 0};
    sotto__gloc_predicted(&terms, sum, theta_h, out);
    const double wanted[4] = {1210, 320, -10, -10};
    assert_all_near(out, wanted, 4, 1e-14);

    spec.noise_law = SOTTO_NOISE_LAPLACE, spec.delta = 0, spec.parameters = SOTTO_PARAMETERS_SHARED;
    assert_ok(sotto_spec_resolve(&spec, &terms));
    const double plain[5] = {1, 2, 3, 77, 78};
    double shared[3] = {0, 0, 5};
    sotto__gloc_predicted(&terms, plain, theta_h, shared);
    assert_true(shared[0] == 210 && shared[1] == 320 && shared[2] == 5);
}

/* d = 1, C_B = 2, D = 0.5, V = 5, sum of e x = 3, 4 reports, sigma 2, T = 100: theta_h = 0.5 - 3/10;
 * upsilon = 2 x 2 (4 + 2 ln 2000) = 76.80721968; theta = 7/(5 + 2 upsilon);
 * beta = sqrt((2/zeta) 2), zeta = 1 or, for the logit at 1, 0.19661193. */
TEST(one_coordinate_by_hand)
{
    sotto_learning learning = plain_learning();
    learning.horizon = 100;
    for (int link = 0; link < 2; link++) {
        sotto_spec spec = spec_of(SOTTO_PARAMETERS_SHARED);
        spec.dim = 1, spec.context_norm_max = 2, spec.theta_norm_max = 0.5;
        spec.link = (sotto_link)link;
        subject *s = subject_new(&spec, &learning);
        s->estimator->noise.matrix = 2;
        s->model->theta_h[0] = 0.5;
        const double sum[2] = {5, 3}, predicted = 7;
        sotto__batch batch = {
            .phase = SOTTO_PHASE_MAIN, .count = 4, .sum = sum, .predicted = &predicted};
        subject_absorb(s, &batch);
        assert_near(s->model->theta_h[0], 0.2, 1e-15);
        assert_near(s->model->theta[0], 7 / (5 + 2 * 76.80721967633666), 1e-14);
        assert_near(s->model->beta, link == 0 ? 2 : 4.510503860825523, 1e-13);
    }
}

TEST(the_online_estimate_is_projected_and_its_step_follows_the_horizon)
{
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_SHARED);
    sotto_learning learning = plain_learning();
    learning.horizon = 0;
    subject *s = subject_new(&spec, &learning);
    double sum[BLOCK] = {0};
    sum[6] = 16;
    s->model->reports = 1022;
    absorb_sum(s, sum, 1);
    assert_near(s->model->theta_h[0], -0.5, 1e-15); /* T = 1024: 16/32 */
    sum[6] = 0;
    sum[7] = sqrt(2048) / 4;
    absorb_sum(s, sum, 1); /* the 1024th report: T = 2048 */
    assert_near(s->model->theta_h[1], -0.25, 1e-15);
    sum[6] = 1000;
    sum[7] = 0;
    absorb_sum(s, sum, 1);
    assert_near(sotto__norm(s->model->theta_h, D), 1, 1e-15);
    assert_true(s->model->theta_h[0] < -0.99);
}

/* T = 100: a step of 1/10 up to 10 reports, of 1/n beyond. */
TEST(an_epoch_beyond_the_root_of_the_horizon_makes_a_shorter_step)
{
    static const uint64_t counts[] = {1, 2, 10, 11, 40};
    static const double wanted[] = {0.1, 0.1, 0.1, 1.0 / 11, 0.025};
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_SHARED);
    sotto_learning learning = plain_learning();
    learning.horizon = 100;
    for (int i = 0; i < 5; i++) {
        subject *s = subject_new(&spec, &learning);
        const double sum[BLOCK] = {[6] = 2};
        absorb_sum(s, sum, counts[i]);
        assert_near(s->model->theta_h[0], -2 * wanted[i], 1e-15);
    }
}

typedef struct reference {
    double v[K * D * D], b[K * D], theta_h[K * D], theta[K * D];
    double t, noise_terms;
} reference;

static void reference_forget(reference *r, double w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < K * D * D; j++) {
            r->v[j] *= 1 - 1 / w;
        }
        for (uint32_t j = 0; j < K * D; j++) {
            r->b[j] *= 1 - 1 / w;
        }
        r->noise_terms *= (1 - 1 / w) * (1 - 1 / w);
    }
}

static void reference_absorb(reference *r, const subject *s, const double *sum, uint64_t n)
{
    const sotto_spec *spec = &s->terms.spec;
    if (spec->window_reports > 0) reference_forget(r, (double)spec->window_reports, n);
    r->t += (double)n;
    r->noise_terms += (double)n;
    double root = sqrt(2), big_t = (double)s->learning.horizon;
    double upsilon = s->estimator->noise.matrix * sqrt(r->noise_terms) *
                     (4 * sqrt(D) + 2 * log(2 * big_t / s->learning.alpha));
    uint32_t blocks = spec->parameters == SOTTO_PARAMETERS_PER_ARM ? K : 1;
    for (uint32_t k = 0; k < blocks; k++, sum += BLOCK) {
        const double m[D * D] = {sum[0],        sum[1] / root, sum[3] / root, sum[1] / root, sum[2],
                                 sum[4] / root, sum[3] / root, sum[4] / root, sum[5]};
        double *v = r->v + D * D * k, *b = r->b + D * k, *theta_h = r->theta_h + D * k, a[D * D];
        for (uint32_t i = 0; i < D * D; i++) {
            v[i] += m[i];
            b[i / D] += m[i] * theta_h[i % D];
            a[i] = v[i] + (i % (D + 1) == 0 ? s->learning.shift_scale * 2 * upsilon : 0);
        }
        dense_solve(a, b, r->theta + D * k, D);
        double norm = 0;
        for (uint32_t i = 0; i < D; i++) {
            theta_h[i] -= sum[6 + i] / fmax(sqrt(big_t), (double)n);
            norm += theta_h[i] * theta_h[i];
        }
        for (uint32_t i = 0; norm > 1 && i < D; i++) {
            theta_h[i] /= sqrt(norm);
        }
    }
}

TEST(every_batch_is_what_dense_algebra_makes_of_it)
{
    tape random = tape_seeded(91);
    for (int c = 0; c < 4; c++) {
        sotto_spec spec = spec_of(c % 2 ? SOTTO_PARAMETERS_PER_ARM : SOTTO_PARAMETERS_SHARED);
        spec.window_reports = c / 2 ? 40 : 0;
        sotto_learning learning = plain_learning();
        learning.shift_scale = c == 3 ? 0.8 : 1;
        subject *s = subject_new(&spec, &learning);
        reference r = {0};
        for (int i = 0; i < 40; i++) {
            double sum[SUMS_MAX];
            uint64_t n = i < 10 ? 1 : 1 + sotto__seeded_next(&random.seeded) % 60;
            fill_normals(&random, s->estimator->noise.matrix, sum, SUMS_MAX);
            absorb_sum(s, sum, n);
            reference_absorb(&r, s, sum, n);
            uint32_t count = c % 2 ? K * D : D;
            assert_all_near(s->model->theta, r.theta, count, 1e-12);
            assert_all_near(s->model->theta_h, r.theta_h, count, 1e-12);
            double beta = sqrt(s->estimator->noise.matrix * sqrt(D * r.noise_terms));
            assert_near(s->model->beta, beta, 1e-12 * beta);
        }
        assert_int_equal(s->estimator->repairs, 0);
    }
}

/* If theta_h stands still at theta*, least squares without a shift gives theta* back: the pair of
 * exact scores has e = 0 there. */
TEST(exact_scores_at_the_truth_stay_at_the_truth)
{
    tape random = tape_seeded(92);
    const double truth[D] = {0.6, -0.3, 0.5};
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_SHARED);
    spec.link = SOTTO_LINK_LOGIT;
    sotto_learning learning = plain_learning();
    learning.shift_scale = 0;
    subject *s = subject_new(&spec, &learning);
    memcpy(s->model->theta_h, truth, sizeof truth);
    for (int epoch = 0; epoch < 5; epoch++) {
        double sum[BLOCK] = {0};
        for (int n = 0; n < 10; n++) {
            double x[D], v[BLOCK];
            fill_normals(&random, 0.5, x, D);
            double mean = sotto__link_mean(spec.link, sotto__dot(x, truth, D));
            sotto__scored scored = {
                .spec = &spec, .x = x, .reward = mean, .online = s->model->theta_h};
            sotto__score_gloc_pair(&scored, v);
            for (int j = 0; j < BLOCK; j++) {
                sum[j] += v[j];
            }
        }
        absorb_sum(s, sum, 10);
        assert_all_near(s->model->theta_h, truth, D, 1e-12);
        assert_all_near(s->model->theta, truth, D, 1e-11);
    }
}

TEST(repairs_are_counted)
{
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_SHARED);
    sotto_learning learning = plain_learning();
    learning.shift_scale = 0;
    subject *s = subject_new(&spec, &learning);
    const double sum[BLOCK] = {-5, 0, 1, 0, 0, 1, 0, 0, 0};
    absorb_sum(s, sum, 1);
    assert_int_equal(s->estimator->repairs, 41); /* 5e-12 2^40 is above 5 */
    absorb_sum(s, sum, 1);                       /* -10: the same tries again */
    assert_int_equal(s->estimator->repairs, 82);
}

TEST(permuting_arms_permutes_rows)
{
    tape random = tape_seeded(93);
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_PER_ARM);
    subject *s = subject_new(&spec, NULL), *other = subject_new(&spec, NULL);
    for (int epoch = 0; epoch < 2; epoch++) {
        double sum[SUMS_MAX], moved[SUMS_MAX];
        fill_normals(&random, 5, sum, SUMS_MAX);
        for (int i = 0; i < SUMS_MAX; i++) {
            moved[(i + BLOCK) % SUMS_MAX] = sum[i];
        }
        absorb_sum(s, sum, 3);
        absorb_sum(other, moved, 3);
    }
    for (int i = 0; i < K * D; i++) {
        assert_true(s->model->theta[i] != 0);
        assert_true(other->model->theta[(i + D) % (K * D)] == s->model->theta[i]);
        assert_true(other->model->theta_h[(i + D) % (K * D)] == s->model->theta_h[i]);
    }
}
