/* Gradient descent of the paper: steps by hand, epochs against their definition, and descent. */
#include "batches.h"
#include "client/inner.h"
#include "core/core.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define D 3
#define K 3

static sotto_spec spec_of(sotto_parameters parameters)
{
    return learner_spec(SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, parameters);
}

TEST(no_sum_makes_an_estimate_that_is_not_finite)
{
    static const double sizes[] = {1e300, -1e300, DBL_MAX, DBL_MAX, -DBL_MAX, 1e-310, 1};
    const uint64_t counts[K] = {1, 0, 2};
    sotto_learning learning = plain_learning();
    for (int m = 0; m < 4; m++) {
        sotto_spec spec = spec_of(SOTTO_PARAMETERS_PER_ARM);
        learning.project = m % 2, learning.step = m / 2 ? SOTTO_STEP_SQRT : SOTTO_STEP_INVERSE;
        subject *s = subject_new(&spec, &learning);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            double sum[K * D];
            uint8_t bytes[1024];
            for (int j = 0; j < K * D; j++) {
                sum[j] = j % 2 ? -sizes[i] : sizes[i];
            }
            sotto__batch batch = {
                .phase = (sotto_phase)(i % 2), .count = 3, .arm_count = counts, .sum = sum};
            subject_absorb(s, &batch);
            assert_ok(sotto_model_encode(&s->terms, s->model, bytes, sizeof bytes));
        }
    }
}

/* eta0 = 0.01, c_r = 5, C_B = 2: R = 20; z = (0.6, 0, -0.8); step R B eta0/f(t). */
TEST(single_steps_by_hand)
{
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_SHARED);
    sotto_learning learning = plain_learning();
    spec.reward_lo = -5, spec.reward_hi = 3, spec.context_norm_max = 2;
    learning.eta0 = 0.01;
    learning.project = false;
    const double sum[D] = {0.6, 0, -0.8};
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 1, .sum = sum};
    for (int step = 0; step < 2; step++) {
        learning.step = (sotto_step)step;
        subject *s = subject_new(&spec, &learning);
        double b = s->terms.codebook[SOTTO_PHASE_MAIN].scale;
        subject_absorb(s, &batch);
        assert_near(s->model->theta[0], -0.12 * b, 1e-14); /* 20 x 0.01 x 0.6 */
        assert_near(s->model->theta[2], 0.16 * b, 1e-14);
        s->model->reports = 3;
        subject_absorb(s, &batch); /* the fourth: a quarter, or a half */
        assert_near(s->model->theta[0], -0.12 * b * (step == 0 ? 1.25 : 1.5), 1e-14);
        assert_true(s->model->theta[1] == 0);
    }
}

TEST(estimates_are_projected_only_if_asked)
{
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_PER_ARM);
    sotto_learning learning = plain_learning();
    const double sum[K * D] = {-3, 0, 4, 0, 1e-6, 0, 0, 0, 9};
    const uint64_t counts[K] = {1, 1, 1};
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 1, .arm_count = counts, .sum = sum};
    for (int project = 0; project < 2; project++) {
        learning.project = project;
        subject *s = subject_new(&spec, &learning);
        subject_absorb(s, &batch);
        double norm = sotto__norm(s->model->theta, D);
        assert_near(s->model->theta[0] / norm, 0.6, 1e-14);
        assert_true(project ? fabs(norm - 1) < 1e-14 : norm > 5);
        double last = -s->model->theta[2 * D + 2];
        assert_true(project ? fabs(last - 1) < 1e-14 : last > 9);
        assert_true(s->model->theta[4] < 0 && s->model->theta[4] > -1e-3); /* each arm by itself */
    }
}

/* The mean of eta over the reports of an epoch, written out. */
static double plain_mean(const sotto_learning *learning, double window, double clock_scale,
                         double first, double stride, uint64_t n)
{
    long double sum = 0;
    for (uint64_t u = 0; u < n; u++) {
        double s = first + stride * (double)u;
        if (s < 1 / clock_scale) s = 1 / clock_scale;
        if (window > 0 && s > window / clock_scale) s = window / clock_scale;
        sum += learning->eta0 / (learning->step == SOTTO_STEP_INVERSE ? s : sqrt(s));
    }
    return (double)(sum / n);
}

TEST(shared_epochs_make_the_mean_of_their_steps)
{
    tape random = tape_seeded(101);
    for (int c = 0; c < 4; c++) {
        sotto_spec spec = spec_of(SOTTO_PARAMETERS_SHARED);
        sotto_learning learning = plain_learning();
        spec.window_reports = c / 2 ? 100 : 0;
        learning.step = (sotto_step)(c % 2), learning.project = false;
        subject *s = subject_new(&spec, &learning);
        double theta[D] = {0}, t = 0, b = s->terms.codebook[SOTTO_PHASE_MAIN].scale;
        for (int epoch = 0; epoch < 30; epoch++) {
            double sum[D];
            uint64_t n = epoch < 5 ? 1 : 1 + sotto__seeded_next(&random.seeded) % 30;
            fill_normals(&random, 0.5, sum, D);
            sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = n, .sum = sum};
            subject_absorb(s, &batch);
            double eta = plain_mean(&learning, (double)spec.window_reports, 1, t + 1, 1, n);
            for (int i = 0; i < D; i++) {
                theta[i] -= eta * 2 * b * sum[i];
            }
            t += (double)n;
            assert_all_near(s->model->theta, theta, D, 1e-12);
        }
    }
}

/* Warm-up of 90 in unequal shares, then the main phase, under both splits. */
TEST(arms_have_their_own_clocks)
{
    tape random = tape_seeded(102);
    for (int c = 0; c < 8; c++) {
        sotto_spec spec = spec_of(SOTTO_PARAMETERS_PER_ARM);
        sotto_learning learning = plain_learning();
        spec.split = c % 2 ? SOTTO_SPLIT_PER_ARM : SOTTO_SPLIT_JOINT;
        spec.window_reports = c / 4 ? 60 : 0;
        learning.step = (sotto_step)(c / 2 % 2), learning.project = false, learning.warm_up = 90;
        subject *s = subject_new(&spec, &learning);
        double theta[K * D] = {0}, t = 0, own[K] = {0}, window = (double)spec.window_reports;
        for (int epoch = 0; epoch < 12; epoch++) {
            bool warm = epoch < 6;
            sotto_phase phase = warm ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN;
            const uint64_t counts[K] = {9, 6, epoch == 0 ? 0 : 3};
            uint64_t n = counts[0] + counts[1] + counts[2];
            double sum[K * D], b = s->terms.codebook[phase].scale;
            fill_normals(&random, 0.5, sum, K * D);
            for (int k = 0; k < K; k++) {
                double first = warm ? own[k] + 1 : (t + 1 - 2 * 30) / 3;
                double stride = warm ? 1 : 1.0 / 3;
                uint64_t updates = warm ? counts[k] : n;
                if (updates == 0) continue;
                double eta = plain_mean(&learning, window, 3, first, stride, updates);
                for (int i = 0; i < D; i++) {
                    theta[D * k + i] -= eta * 2 * b * sum[D * k + i];
                }
                own[k] += warm ? (double)updates : 0;
            }
            if (epoch == 0) memset(sum + 2 * D, 0, D * sizeof *sum); /* nothing was assigned */
            t += (double)n;
            sotto__batch batch = {.phase = phase, .count = n, .arm_count = counts, .sum = sum};
            subject_absorb(s, &batch);
            assert_all_near(s->model->theta, theta, K * D, 1e-12);
        }
    }
}

/* Epochs that are no longer gone through one by one: shared, and per-arm in both phases. */
TEST(long_epochs_are_what_the_loop_makes_of_them)
{
    const uint64_t counts[K] = {200000, 4096, 5000};
    const uint64_t n = counts[0] + counts[1] + counts[2];
    for (int c = 0; c < 12; c++) {
        bool shared = c % 3 == 0, warm = c % 3 == 1;
        sotto_spec spec = spec_of(shared ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM);
        sotto_learning learning = plain_learning();
        spec.window_reports = c / 6 ? 30000 : 0;
        learning.step = (sotto_step)(c / 3 % 2), learning.project = false;
        learning.warm_up = shared ? 0 : 900;
        subject *s = subject_new(&spec, &learning);
        s->model->reports = warm ? 0 : 500;
        sotto_phase phase = warm ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN;
        double b = s->terms.codebook[phase].scale, sum[K * D] = {1, 0, 0, 1, 0, 0, 1};
        sotto__batch batch = {
            .phase = phase, .count = n, .arm_count = shared ? NULL : counts, .sum = sum};
        subject_absorb(s, &batch);
        for (int k = 0; k < (shared ? 1 : K); k++) {
            double first = shared ? 501 : warm ? 1 : (501 - 2 * 300) / 3.0;
            double stride = shared || warm ? 1 : 1.0 / 3;
            double eta = plain_mean(&learning, (double)spec.window_reports, shared ? 1 : K, first,
                                    stride, warm ? counts[k] : n);
            assert_near(s->model->theta[D * k] / (-eta * 2 * b), 1, 1e-12);
        }
    }
}

/* s = (t - (K-1) s_0)/K is below 0 if the main phase opens early; eta is then eta0 K, not more. */
TEST(a_clock_never_runs_below_its_first_tick)
{
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_PER_ARM);
    sotto_learning learning = plain_learning();
    learning.warm_up = 3000, learning.project = false;
    subject *s = subject_new(&spec, &learning);
    double b = s->terms.codebook[SOTTO_PHASE_MAIN].scale;
    const double sum[K * D] = {1};
    const uint64_t counts[K] = {1, 1, 1};
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 1, .arm_count = counts, .sum = sum};
    subject_absorb(s, &batch);
    assert_near(s->model->theta[0], -5 * 3 * 2 * b, 1e-11);
}

/* Exact scores lead to theta*: v/B is what a codeword is in the mean. */
TEST(exact_gradients_lead_to_the_truth)
{
    tape random = tape_seeded(103);
    const double truth[D] = {0.6, -0.3, 0.5};
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_SHARED);
    sotto_learning learning = plain_learning();
    learning.eta0 = 20;
    subject *s = subject_new(&spec, &learning);
    double b = s->terms.codebook[SOTTO_PHASE_MAIN].scale;
    for (int n = 0; n < 3000; n++) {
        double x[D], v[D];
        fill_normals(&random, 0.4, x, D);
        double length = fmax(1, sotto__norm(x, D));
        for (int i = 0; i < D; i++) {
            x[i] /= length;
        }
        sotto__scored scored = {.spec = &spec,
                                .along_weight = 1,
                                .x = x,
                                .reward = sotto__dot(x, truth, D),
                                .theta = s->model->theta};
        sotto__score_gradient(&scored, v);
        for (int i = 0; i < D; i++) {
            v[i] /= b;
        }
        sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 1, .sum = v};
        subject_absorb(s, &batch);
    }
    assert_all_near(s->model->theta, truth, D, 0.01);
}

TEST(permuting_arms_permutes_rows_and_scaling_lengths_scales_them)
{
    tape random = tape_seeded(104);
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_PER_ARM);
    sotto_learning learning = plain_learning();
    learning.eta0 = 0.05;
    subject *s = subject_new(&spec, &learning);
    spec.reward_lo = -4, spec.reward_hi = 4, spec.theta_norm_max = 4;
    subject *other = subject_new(&spec, &learning);
    for (int epoch = 0; epoch < 6; epoch++) {
        double sum[K * D], moved[K * D];
        const uint64_t counts[K] = {1, 2, 3}, moved_counts[K] = {3, 1, 2};
        fill_normals(&random, 1, sum, K * D);
        for (int i = 0; i < K * D; i++) {
            moved[(i + D) % (K * D)] = sum[i];
        }
        sotto__batch batch = {
            .phase = (sotto_phase)(epoch / 3), .count = 6, .arm_count = counts, .sum = sum};
        subject_absorb(s, &batch);
        batch.sum = moved;
        batch.arm_count = moved_counts;
        subject_absorb(other, &batch);
    }
    for (int i = 0; i < K * D; i++) {
        assert_true(s->model->theta[i] != 0);
        assert_near(other->model->theta[(i + D) % (K * D)], 4 * s->model->theta[i], 1e-13);
    }
}

/* sqrt(3) B/sqrt(s_0), s_0 = warm_up/3, at least 1, and not more than D. */
TEST(the_predicted_error_falls_with_the_warm_up)
{
    sotto_spec spec = spec_of(SOTTO_PARAMETERS_PER_ARM);
    sotto_learning learning = plain_learning();
    static const uint64_t warm_up[] = {0, 2, 3, 3000000};
    spec.theta_norm_max = 100;
    for (int i = 0; i < 4; i++) {
        learning.warm_up = warm_up[i];
        subject *s = subject_new(&spec, &learning);
        double b = s->terms.codebook[SOTTO_PHASE_WARM_UP].scale;
        assert_true(b != s->terms.codebook[SOTTO_PHASE_MAIN].scale); /* joint */
        double wanted = sqrt(3) * b / (i == 3 ? 1000 : 1);
        assert_near(s->estimator->predict_error(s->estimator), wanted, 1e-12);
    }
    spec.theta_norm_max = 0.5;
    learning.warm_up = 3;
    subject *s = subject_new(&spec, &learning);
    assert_true(s->estimator->predict_error(s->estimator) == 0.5);
}
