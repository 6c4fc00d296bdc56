/* The averaged estimator: steps by hand, epochs against their definition, drift, and descent. */
#include "batches.h"
#include "client/score_rows.h"
#include "core/linalg.h"
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

static void no_sum_makes_an_estimate_that_is_not_finite(void **state)
{
    (void)state;
    static const double sizes[] = {1e300, -1e300, DBL_MAX, DBL_MAX, -DBL_MAX, 1e-310, 1};
    sotto_spec spec = sign_spec();
    sotto_learning learning = plain_learning();
    subject *s = subject_new(&spec, &learning);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const double sum[D] = {sizes[i], -sizes[i], sizes[i] / 2};
        uint8_t bytes[256];
        absorb_sum(s, sum, 1);
        assert_ok(sotto_model_encode(&s->terms, s->model, bytes, sizeof bytes));
        assert_true(sotto__norm(s->model->theta, D) <= 1 + 1e-15);
    }
    subject_free(s);
}

/* D = 2, z = (0.6, 0, 0.8) each time. t = 1: theta = -(1/sqrt 2) z, weight 4/4;
 * t = 2: theta = -(1/sqrt 2 + 1/sqrt 3) z, weight 4/5; t = 3: 1/sqrt 4 more, weight 4/6. */
static void single_steps_by_hand(void **state)
{
    (void)state;
    sotto_spec spec = sign_spec();
    sotto_learning learning = plain_learning();
    spec.theta_norm_max = 2;
    subject *s = subject_new(&spec, &learning);
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
    subject_free(s);
}

static void the_average_is_of_projected_estimates(void **state)
{
    (void)state;
    sotto_spec spec = sign_spec();
    sotto_learning learning = plain_learning();
    learning.project = false; /* is of ldp-sgd */
    subject *s = subject_new(&spec, &learning);
    const double sum[D] = {-600, 0, -800};
    absorb_sum(s, sum, 1);
    const double wanted[D] = {0.6, 0, 0.8};
    assert_all_near(s->model->theta, wanted, D, 1e-15);
    assert_all_near(s->model->tbar, wanted, D, 1e-15);
    subject_free(s);
}

static void the_step_follows_the_score_and_the_link(void **state)
{
    (void)state;
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
    sotto_learning learning = plain_learning();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_spec spec = sotto_spec_default(rows[i].kind);
        spec.dim = D;
        spec.score = rows[i].score;
        spec.link = rows[i].link;
        subject *s = subject_new(&spec, &learning);
        absorb_sum(s, sum, 1);
        assert_near(s->model->theta[0], -0.1 * rows[i].c / sqrt(2), 1e-16);
        subject_free(s);
    }
}

typedef struct reference {
    double theta[D], tbar[D];
    double t;
} reference;

/* The definition of an epoch, each sum by itself. */
static void reference_absorb(reference *r, double window, const double *sum, uint64_t n)
{
    double eta = 0, kept = 1;
    for (uint64_t u = 0; u < n; u++) {
        r->t += 1;
        double t = window > 0 && r->t > window ? window : r->t;
        eta += 0.5 / sqrt(t + 1) / (double)n;
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

static void epochs_are_what_their_definition_says(void **state)
{
    (void)state;
    tape random = tape_seeded(111);
    for (int c = 0; c < 2; c++) {
        sotto_spec spec = sign_spec();
        sotto_learning learning = plain_learning();
        spec.window_reports = c ? 80 : 0;
        subject *s = subject_new(&spec, &learning);
        reference r = {0};
        for (int epoch = 0; epoch < 50; epoch++) {
            double sum[D];
            uint64_t n = epoch < 20 ? 1 : 1 + sotto__seeded_next(&random.seeded) % 20;
            fill_normals(&random, 0.6 * sqrt((double)n), sum, D);
            absorb_sum(s, sum, n);
            reference_absorb(&r, (double)spec.window_reports, sum, n);
            assert_all_near(s->model->theta, r.theta, D, 1e-13);
            assert_all_near(s->model->tbar, r.tbar, D, 1e-13);
        }
        subject_free(s);
    }
}

static void scaling_all_lengths_scales_the_estimates(void **state)
{
    (void)state;
    tape random = tape_seeded(112);
    sotto_spec spec = sign_spec();
    sotto_learning learning = plain_learning();
    subject *s = subject_new(&spec, &learning);
    spec.theta_norm_max = 4;
    spec.reward_hi = 4;
    spec.reward_lo = -4;
    subject *scaled = subject_new(&spec, &learning);
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
    subject_free(s);
    subject_free(scaled);
}

/* Scores without noise of privacy lead to theta*. */
static void exact_scores_lead_to_the_truth(void **state)
{
    (void)state;
    tape random = tape_seeded(113);
    const double truth[D] = {0.5, -0.3, 0.4};
    sotto_spec spec = sign_spec();
    sotto_learning learning = plain_learning();
    subject *s = subject_new(&spec, &learning);
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
    subject_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_sum_makes_an_estimate_that_is_not_finite),
        cmocka_unit_test(single_steps_by_hand),
        cmocka_unit_test(the_average_is_of_projected_estimates),
        cmocka_unit_test(the_step_follows_the_score_and_the_link),
        cmocka_unit_test(epochs_are_what_their_definition_says),
        cmocka_unit_test(scaling_all_lengths_scales_the_estimates),
        cmocka_unit_test(exact_scores_lead_to_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
