/* The averaged estimator: steps by hand, epochs against their definition, drift, and descent. */
#include "batches.h"
#include "client/inner.h"
#include "core/core.h"
#include "server/inner.h"
#include "server/server.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define D 3

static sotto_spec sign_spec(void)
{
    return learner_spec(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED);
}

static void absorb_sum(subject *s, const double *sum, uint64_t n)
{
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = n, .sum = sum};
    subject_absorb(s, &batch);
}

TEST(no_sum_makes_an_estimate_that_is_not_finite)
{
    static const double sizes[] = {1e300, -1e300, DBL_MAX, DBL_MAX, -DBL_MAX, 1e-310, 1};
    sotto_spec spec = sign_spec();
    subject *s = subject_new(&spec, NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const double sum[D] = {sizes[i], -sizes[i], sizes[i] / 2};
        uint8_t bytes[256];
        absorb_sum(s, sum, 1);
        assert_ok(sotto_model_encode(&s->terms, s->model, bytes, sizeof bytes));
        assert_true(sotto__norm(s->model->theta, D) <= 1 + 1e-15);
    }
}

/* B = 1, so that the offset is 1, D = 2, z = (0.6, 0, 0.8) each time. t = 1: theta = -(1/sqrt 2) z,
 * weight 4/4; t = 2: theta = -(1/sqrt 2 + 1/sqrt 3) z, weight 4/5; t = 3: 1/sqrt 4 more, weight 4/6. */
TEST(single_steps_by_hand)
{
    sotto_spec spec = sign_spec();
    spec.theta_norm_max = 2;
    subject *s = subject_new(&spec, NULL);
    s->terms.codebook[SOTTO_PHASE_MAIN].scale = 1;
    const double z[D] = {0.6, 0, 0.8};
    absorb_sum(s, z, 1);
    assert_near(s->model->theta[0], -0.6 * 0.70710678118654752, 1e-15);
    assert_near(s->model->tbar[0], -0.6 * 0.70710678118654752, 1e-15);
    absorb_sum(s, z, 1);
    assert_near(s->model->theta[2], -0.8 * 1.2844570503761732, 1e-15);
    /* 0.2 x 0.70710678 + 0.8 x 1.28445705 */
    assert_near(s->model->tbar[2], -0.8 * 1.1689869965382481, 1e-15);
    absorb_sum(s, z, 1);
    assert_near(s->model->theta[2], -0.8 * 1.7844570503761732, 1e-15);
    /* 1.16898700/3 + 1.78445705 x 2/3 */
    assert_near(s->model->tbar[2], -0.8 * 1.5793003657635315, 1e-15);
    assert_true(s->model->theta[1] == 0 && s->model->tbar[1] == 0);
}

TEST(the_average_is_of_projected_estimates)
{
    sotto_spec spec = sign_spec();
    sotto_learning learning = plain_learning();
    learning.project = false; /* is of ldp-sgd */
    subject *s = subject_new(&spec, &learning);
    const double sum[D] = {-600, 0, -800};
    absorb_sum(s, sum, 1);
    const double wanted[D] = {0.6, 0, 0.8};
    assert_all_near(s->model->theta, wanted, D, 1e-15);
    assert_all_near(s->model->tbar, wanted, D, 1e-15);
}

TEST(the_step_follows_the_score_and_the_link)
{
    static const struct {
        sotto_reward_kind kind;
        sotto_score score;
        sotto_link link;
        double c;
    } rows[] = {
        {SOTTO_REWARD_CONTINUOUS, SOTTO_SCORE_SIGN, SOTTO_LINK_IDENTITY, 0.5},
        {SOTTO_REWARD_CONTINUOUS, SOTTO_SCORE_HUBER, SOTTO_LINK_IDENTITY, 0.5},
        {SOTTO_REWARD_CONTINUOUS, SOTTO_SCORE_SELF, SOTTO_LINK_IDENTITY, 1},
        {SOTTO_REWARD_BINARY, SOTTO_SCORE_SELF, SOTTO_LINK_LOGIT, 0.5},
        {SOTTO_REWARD_BINARY, SOTTO_SCORE_SELF, SOTTO_LINK_PROBIT, 0.5},
        {SOTTO_REWARD_COUNT, SOTTO_SCORE_SELF, SOTTO_LINK_LOG, 0.5},
    };
    const double sum[D] = {0.1, 0, 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_spec spec = sotto_spec_default(rows[i].kind);
        spec.dim = D, spec.score = rows[i].score, spec.link = rows[i].link;
        subject *s = subject_new(&spec, NULL);
        s->terms.codebook[SOTTO_PHASE_MAIN].scale = 4; /* 1 + 0.4 x 3 x 15 = 19, and t = 1 */
        absorb_sum(s, sum, 1);
        assert_near(s->model->theta[0], -0.1 * rows[i].c / sqrt(20), 1e-16);
    }
}

typedef struct reference {
    double theta[D], tbar[D];
    double t;
    double scale; /* B */
} reference;

/* Of t under the root of a step. */
static double offset_of(const reference *r)
{
    return 1 + 0.4 * D * (r->scale * r->scale - 1);
}

/* The definition of an epoch, each sum by itself. */
static void reference_absorb(reference *r, double window, const double *sum, uint64_t n)
{
    double eta = 0, kept = 1;
    for (uint64_t u = 0; u < n; u++) {
        r->t += 1;
        double t = window > 0 && r->t > window ? window : r->t;
        eta += 0.5 / sqrt(t + offset_of(r)) / (double)n;
        kept *= t <= 1 ? 0 : 1 - 4 / (t + 3);
    }
    double norm = 0;
    for (int i = 0; i < D; i++) {
        r->theta[i] -= eta * sum[i];
        norm += r->theta[i] * r->theta[i];
    }
    for (int i = 0; i < D; i++) {
        if (norm > 1) r->theta[i] /= sqrt(norm);
        r->tbar[i] = kept * r->tbar[i] + (1 - kept) * r->theta[i];
    }
}

TEST(epochs_are_what_their_definition_says)
{
    tape random = tape_seeded(111);
    for (int c = 0; c < 2; c++) {
        sotto_spec spec = sign_spec();
        spec.window_reports = c ? 80 : 0;
        subject *s = subject_new(&spec, NULL);
        reference r = {.scale = s->terms.codebook[SOTTO_PHASE_MAIN].scale};
        for (int epoch = 0; epoch < 50; epoch++) {
            double sum[D];
            uint64_t n = epoch < 20 ? 1 : 1 + sotto__seeded_next(&random.seeded) % 20;
            fill_normals(&random, 0.6 * sqrt((double)n), sum, D);
            absorb_sum(s, sum, n);
            reference_absorb(&r, (double)spec.window_reports, sum, n);
            assert_all_near(s->model->theta, r.theta, D, 1e-13);
            assert_all_near(s->model->tbar, r.tbar, D, 1e-13);
        }
    }
}

/* An epoch of n reports as a loop goes through them, its step shortened only if `part` is below 1;
 * the estimate is shorter than D throughout. */
static void loop_absorb(reference *r, double window, double sum, double n, double part)
{
    double steps = 0, kept = 1;
    for (double u = 0; u < n; u++) {
        r->t += 1;
        double t = window > 0 ? fmin(r->t, window) : r->t;
        steps += 1 / sqrt(t + offset_of(r));
        kept *= 1 - 4 / (t + 3);
    }
    double step = 0.5 * 1 * steps / n;
    if (part < 1) step *= part;
    r->theta[0] -= step * sum;
    r->tbar[0] += (1 - kept) * (r->theta[0] - r->tbar[0]);
}

/* Epochs of the rule, lags and windows included, for all lengths of reports: equal to the bit to
 * steps that know no bound. */
TEST(epochs_within_the_rule_are_not_shortened)
{
    static const double epsilons[] = {0.05, 0.5, 2, 8};
    static const uint32_t lags[] = {0, 1, 2, 8};
    for (int c = 0; c < 4 * 4 * 2; c++) {
        sotto_spec spec = sign_spec();
        spec.epsilon = epsilons[c % 4], spec.epoch_lag_max = lags[c / 4 % 4];
        spec.window_reports = c / 16 ? 900 : 0;
        sotto_learning learning = plain_learning();
        learning.epoch = 0;
        subject *s = subject_new(&spec, &learning);
        reference r = {.scale = s->terms.codebook[SOTTO_PHASE_MAIN].scale};
        while (s->model->reports < 20000) {
            uint64_t n = sotto__epoch_reports(&s->terms, &learning, s->model->reports, 0);
            const double sum[D] = {s->model->epoch++ % 2 ? 0.01 : -0.01, 0, 0};
            if (n > SOTTO__LOOP_REPORTS_MAX) break;
            absorb_sum(s, sum, n);
            loop_absorb(&r, (double)spec.window_reports, sum[0], (double)n, 1);
            assert_true(s->model->theta[0] == r.theta[0]);
            assert_true(s->model->tbar[0] == r.tbar[0]);
        }
        assert_true(s->model->reports >= 8000);
    }
}

/* min(1, 2 B sqrt(t + o)/n) of the step: 3,000 reports after 1,000, B = 1.5, o = 1 + 1.2 x 1.25 = 2.5. */
TEST(a_larger_epoch_makes_a_shorter_step)
{
    const double sum[D] = {0.5, 0, 0};
    for (int c = 0; c < 2; c++) {
        sotto_spec spec = sign_spec();
        spec.window_reports = c ? 2022 : 0; /* then sqrt(2024.5) */
        subject *s = subject_new(&spec, NULL);
        s->terms.codebook[SOTTO_PHASE_MAIN].scale = 1.5;
        s->model->reports = 1000;
        reference r = {.t = 1000, .scale = 1.5};
        loop_absorb(&r, (double)spec.window_reports, sum[0], 3000,
                    sqrt(c ? 2024.5 : 4002.5) / 1000);
        absorb_sum(s, sum, 3000);
        assert_nears(1e-15, s->model->theta[0], r.theta[0], s->model->tbar[0], r.tbar[0]);
    }
}

/* From where the loop ends; sums so small, and B so large, that nothing is shortened. */
TEST(long_epochs_are_what_the_loop_makes_of_them)
{
    static const uint64_t counts[] = {SOTTO__LOOP_REPORTS_MAX, SOTTO__LOOP_REPORTS_MAX + 1, 200000};
    static const uint64_t befores[] = {0, 3, 5000, 700000};
    static const uint64_t windows[] = {0, 2000, 30000};
    static const double scales[] = {1e6, 3000};
    const double sum[D] = {0.5, 0, 0};
    for (size_t c = 0; c < 3 * 4 * 3; c++) {
        sotto_spec spec = sign_spec();
        spec.window_reports = windows[c / 12];
        subject *s = subject_new(&spec, NULL);
        s->terms.codebook[SOTTO_PHASE_MAIN].scale = scales[c % 2];
        s->model->reports = befores[c % 4];
        s->model->tbar[0] = 0.25;
        reference r = {.t = (double)befores[c % 4], .tbar = {0.25}, .scale = scales[c % 2]};
        loop_absorb(&r, (double)spec.window_reports, sum[0], (double)counts[c / 4 % 3], 1);
        absorb_sum(s, sum, counts[c / 4 % 3]);
        assert_near(s->model->theta[0] / r.theta[0], 1, 1e-10);
        assert_near(s->model->tbar[0], r.tbar[0], 1e-12);
        if (c / 4 % 3 == 0) assert_true(s->model->theta[0] == r.theta[0]);
    }
}

/* One step of an epoch that is far too large does not leap over the truth: the score of all reports
 * says "up" until theta is past 0.3. With the whole step theta would swing from bound to bound. */
TEST(epochs_that_are_too_large_still_lead_to_the_truth)
{
    sotto_spec spec = sign_spec();
    subject *s = subject_new(&spec, NULL);
    double b = s->terms.codebook[SOTTO_PHASE_MAIN].scale, n = 10000;
    for (int epoch = 0; epoch < 60; epoch++) {
        double off = s->model->theta[0] - 0.3; /* the mean score, slope 1, codeword score/B */
        const double sum[D] = {n / b * fmax(-1, fmin(1, off)), 0, 0};
        absorb_sum(s, sum, (uint64_t)n);
    }
    assert_near(s->model->tbar[0], 0.3, 1e-3);
}

TEST(scaling_all_lengths_scales_the_estimates)
{
    tape random = tape_seeded(112);
    sotto_spec spec = sign_spec();
    subject *s = subject_new(&spec, NULL);
    spec.theta_norm_max = 4, spec.reward_hi = 4, spec.reward_lo = -4;
    subject *scaled = subject_new(&spec, NULL);
    for (int epoch = 0; epoch < 20; epoch++) {
        double sum[D];
        fill_normals(&random, 1, sum, D);
        absorb_sum(s, sum, 2);
        absorb_sum(scaled, sum, 2);
    }
    for (int i = 0; i < D; i++) {
        assert_true(scaled->model->theta[i] == 4 * s->model->theta[i]);
        assert_true(scaled->model->tbar[i] == 4 * s->model->tbar[i]);
    }
}

/* Scores without noise of privacy lead to theta*. */
TEST(exact_scores_lead_to_the_truth)
{
    tape random = tape_seeded(113);
    const double truth[D] = {0.5, -0.3, 0.4};
    sotto_spec spec = sign_spec();
    subject *s = subject_new(&spec, NULL);
    for (int n = 0; n < 20000; n++) {
        double x[D], v[D], noise;
        fill_normals(&random, 1, x, D);
        fill_normals(&random, 0.2, &noise, 1);
        double length = sotto__norm(x, D);
        for (int i = 0; i < D; i++) {
            x[i] /= length;
        }
        sotto__scored scored = {.spec = &spec,
                                .along_weight = s->terms.along_weight,
                                .x = x,
                                .reward = sotto__dot(x, truth, D) + noise,
                                .theta = s->model->theta,
                                .decide = s->model->tbar};
        sotto__score_sign(&scored, v);
        absorb_sum(s, v, 1);
    }
    assert_all_near(s->model->tbar, truth, D, 0.02);
}
