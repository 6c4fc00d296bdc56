/* The tracked estimator: steps by hand in every mode, epochs against their definition, drift. */
#include "batches.h"
#include "client/inner.h"
#include "core/core.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIM_MAX 5
#define ARMS_MAX 3
#define THETAS_MAX (DIM_MAX * ARMS_MAX)

typedef enum mode {
    SHARED_LOGIT,
    SHARED_IDENTITY,
    SIGNS,
    TAGS,
    HUBER_SIGNS,
    HUBER_TAGS,
    MODES
} mode;

static bool is_shared(mode m)
{
    return m == SHARED_LOGIT || m == SHARED_IDENTITY;
}

static sotto_spec spec_of(mode m, uint32_t dim, uint32_t arms)
{
    bool binary = m == SHARED_LOGIT;
    sotto_spec spec = sotto_spec_default(binary ? SOTTO_REWARD_BINARY : SOTTO_REWARD_CONTINUOUS);
    spec.dim = dim, spec.arms = arms;
    spec.parameters = is_shared(m) ? SOTTO_PARAMETERS_SHARED : SOTTO_PARAMETERS_PER_ARM;
    if (is_shared(m)) spec.score = SOTTO_SCORE_SELF;
    if (m == HUBER_SIGNS || m == HUBER_TAGS) spec.score = SOTTO_SCORE_HUBER;
    spec.epsilon = m == TAGS || m == HUBER_TAGS ? 5 : 1;
    return spec;
}

/* With lengths B = 2 in every phase. */
static subject *subject_of_scale_two(const sotto_spec *spec)
{
    subject *s = subject_new(spec, NULL);
    s->terms.codebook[SOTTO_PHASE_WARM_UP].scale = 2;
    s->terms.codebook[SOTTO_PHASE_MAIN].scale = 2;
    return s;
}

TEST(no_sum_makes_an_estimate_that_is_not_finite)
{
    static const double sizes[] = {1e300, -1e300, DBL_MAX, DBL_MAX, -DBL_MAX, 1e-310, 1};
    const uint64_t counts[ARMS_MAX] = {2, 0, 1};
    for (int m = 0; m < MODES; m++) {
        sotto_spec spec = spec_of((mode)m, 5, 3);
        subject *s = subject_of_scale_two(&spec);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            double sum[THETAS_MAX];
            uint8_t bytes[1024];
            for (int j = 0; j < THETAS_MAX; j++) {
                sum[j] = j % 2 ? sizes[i] : -sizes[i];
            }
            sotto_phase phase = is_shared((mode)m) ? SOTTO_PHASE_MAIN : (sotto_phase)(i % 2);
            sotto__batch batch = {.phase = phase, .count = 3, .arm_count = counts, .sum = sum};
            subject_absorb(s, &batch);
            assert_ok(sotto_model_encode(&s->terms, s->model, bytes, sizeof bytes));
        }
    }
}

/* D = 1, B = 2, h = 0.7. Shared, d = 5, 1/P = 5: logit S = 0.5, 1/P = 5 + 0.35^2/20, step 0.175 P;
 * identity S = 0.8, 1/P = 5 + 0.56^2/20, step 0.28 P. */
TEST(shared_steps_by_hand)
{
    static const double wanted[] = {0.03495717745761442, 0.05582493301008039};
    const double z[5] = {1, 0, 0, 0, 0};
    for (int m = SHARED_LOGIT; m <= SHARED_IDENTITY; m++) {
        sotto_spec spec = spec_of((mode)m, 5, 3);
        subject *s = subject_of_scale_two(&spec);
        sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 1, .sum = z};
        subject_absorb(s, &batch);
        assert_near(s->model->theta[0], -wanted[m], 1e-15);
        assert_true(s->model->theta[1] == 0);
    }
}

/* Sign, d = 2, K = 2, D = 1, B = 2: 1/P = 2, s0 = 0.3, S = 0.8/sqrt(0.09 + 0.5) = 1.04151.
 * Warm-up: 1/P = 2 + S^2/8, step P S/2; then S from that P, and so on.
 * Signs: 1/P = 2 + (0.7 S)^2/32, step 0.7 P S/4. Tags: 1/P = 2 + (0.7 S)^2/16, step 0.7 P S/2. */
TEST(per_arm_steps_by_hand)
{
    static const struct {
        mode m;
        sotto_phase phase;
        double step;
    } rows[] = {
        {SIGNS, SOTTO_PHASE_WARM_UP, 0.24384589675773358},
        {TAGS, SOTTO_PHASE_WARM_UP, 0.24384589675773358},
        {SIGNS, SOTTO_PHASE_MAIN, 0.09038161074984073},
        {TAGS, SOTTO_PHASE_MAIN, 0.1792864962823616},
        {HUBER_TAGS, SOTTO_PHASE_MAIN, 0.1792864962823616},
    };
    const double sum[4] = {0, 0, 1, 0};
    const uint64_t counts[2] = {0, 1};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_spec spec = spec_of(rows[i].m, 2, 2);
        subject *s = subject_of_scale_two(&spec);
        sotto__batch batch = {.phase = rows[i].phase, .count = 1, .arm_count = counts, .sum = sum};
        subject_absorb(s, &batch);
        assert_true(s->model->theta[0] == 0 && s->model->theta[1] == 0);
        assert_near(s->model->theta[2], -rows[i].step, 1e-15);
        if (rows[i].phase == SOTTO_PHASE_WARM_UP) {
            subject_absorb(s, &batch);
            assert_near(s->model->theta[2], -rows[i].step - 0.2349196538925455, 1e-15);
        }
    }
}

/* Score self, per-arm, identity link; codebooks of B = 2 without nulls. */
static subject *real_data_subject(double context_norm_max)
{
    sotto_spec spec = spec_of(SIGNS, 2, 2);
    spec.score = SOTTO_SCORE_SELF, spec.context_norm_max = context_norm_max;
    spec.reward_hi = 2; /* R = 3 */
    sotto_learning learning = plain_learning();
    learning.prior_variance = 4.5;
    subject *s = subject_new(&spec, &learning);
    for (int phase = 0; phase < SOTTO_PHASE_MEAN; phase++) {
        s->terms.codebook[phase].scale = 2;
        s->terms.codebook[phase].groups = 1;
        s->terms.codebook[phase].nulls = 0;
    }
    return s;
}

/* R = 3, P_0 = R^2/2 = 4.5, S = 1.2/R = 0.4, B = 2, d = K = 2, contexts x/C_B.
 * Warm-up: 1/P = 1/4.5 + 0.4^2/8, step P 0.4/2/C_B. Then signs: (0.7 0.4)^2/32 = 0.00245 is added over
 * 1 + 9 0.02/6 = 1.03, step P 0.7 0.4/4/C_B. */
TEST(real_data_steps_by_hand)
{
    static const double bounds[] = {1, 4, 0.5};
    const double sum[4] = {0, 0, 1, 0};
    const uint64_t counts[2] = {0, 1};
    for (int i = 0; i < 3; i++) {
        subject *s = real_data_subject(bounds[i]);
        sotto__batch batch = {
            .phase = SOTTO_PHASE_WARM_UP, .count = 1, .arm_count = counts, .sum = sum};
        double precision = 1 / 4.5 + 0.02, wanted = -0.2 / precision / bounds[i];
        subject_absorb(s, &batch);
        assert_near(s->model->theta[2], wanted, 1e-14);
        batch.phase = SOTTO_PHASE_MAIN;
        precision += 0.00245 / 1.03;
        wanted -= 0.07 / precision / bounds[i];
        subject_absorb(s, &batch);
        assert_near(s->model->theta[2], wanted, 1e-14);
        assert_true(s->model->theta[0] == 0 && s->model->theta[3] == 0);
    }
}

/* A million reports of warm-up add 0.02 each: 1/P = 40,000 for their step, where the recursion has about 163. */
TEST(a_long_epoch_of_real_data_does_not_leap_over_the_truth)
{
    const double sum[4] = {0, 0, 1e5, 0};
    const uint64_t counts[2] = {0, 1000000};
    subject *s = real_data_subject(1);
    sotto__batch batch = {
        .phase = SOTTO_PHASE_WARM_UP, .count = 1000000, .arm_count = counts, .sum = sum};
    subject_absorb(s, &batch);
    assert_near(s->model->theta[2], -0.2 / 40000 * 1e5, 1e-12);
}

/* To 10 R/C_B, and never to D = 1. */
TEST(real_data_are_projected_to_ten_ranges)
{
    const double sum[4] = {-3000, 4000, 1, 0};
    const uint64_t counts[2] = {1, 1};
    for (int i = 0; i < 2; i++) {
        double bound = i == 0 ? 1 : 4;
        subject *s = real_data_subject(bound);
        sotto__batch batch = {
            .phase = SOTTO_PHASE_WARM_UP, .count = 2, .arm_count = counts, .sum = sum};
        subject_absorb(s, &batch);
        assert_near(s->model->theta[0], 0.6 * 30 / bound, 1e-12);
        assert_near(s->model->theta[1], -0.8 * 30 / bound, 1e-12);
    }
}

/* Other links keep D, and know nothing of C_B. */
TEST(real_data_of_other_links_keep_their_bound)
{
    const double sum[4] = {-3000, 4000, 1, 0};
    const uint64_t counts[2] = {1, 1};
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.dim = spec.arms = 2, spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    spec.theta_norm_max = 3, spec.context_norm_max = 4;
    sotto_learning learning = plain_learning();
    learning.prior_variance = 4.5; /* D^2/d */
    subject *s = subject_new(&spec, &learning);
    double b = s->terms.codebook[SOTTO_PHASE_WARM_UP].scale; /* K = 2: without nulls */
    assert_int_equal(s->terms.codebook[SOTTO_PHASE_WARM_UP].nulls, 0);
    sotto__batch batch = {
        .phase = SOTTO_PHASE_WARM_UP, .count = 2, .arm_count = counts, .sum = sum};
    subject_absorb(s, &batch);
    assert_nears(1e-13, s->model->theta[0], 1.8, s->model->theta[1], -2.4, s->model->theta[2],
                 -0.5 / b / (1 / 4.5 + 0.125 / b / b));
}

/* In warm-up an arm learns from its own reports only; with signs and tags from all. */
TEST(who_a_report_counts_for)
{
    const double zero[4] = {0}, first[4] = {1, 0, 0, 0};
    const uint64_t others[2] = {0, 50}, own[2] = {1, 0};
    for (int m = SIGNS; m <= TAGS; m++) {
        for (int phase = 0; phase < 2; phase++) {
            sotto_spec spec = spec_of((mode)m, 2, 2);
            subject *fresh = subject_of_scale_two(&spec), *late = subject_of_scale_two(&spec);
            sotto__batch before = {
                .phase = (sotto_phase)phase, .count = 50, .arm_count = others, .sum = zero};
            sotto__batch batch = {
                .phase = (sotto_phase)phase, .count = 1, .arm_count = own, .sum = first};
            subject_absorb(late, &before);
            subject_absorb(late, &batch);
            subject_absorb(fresh, &batch);
            double ratio = late->model->theta[0] / fresh->model->theta[0];
            if (phase == SOTTO_PHASE_WARM_UP) {
                assert_true(ratio == 1);
            } else {
                assert_true(ratio < 0.99);
            }
        }
    }
}

typedef struct reference {
    double theta[THETAS_MAX];
    double p[ARMS_MAX];
} reference;

/* The table at the head of estimator_tracked.c, one report at a time; returns the last step. */
static double reference_step(const sotto_terms *terms, sotto_phase phase, uint64_t n, double *p)
{
    const sotto_spec *spec = &terms->spec;
    double d = spec->dim, k = spec->arms, b = terms->codebook[phase].scale;
    double range = spec->reward_hi - spec->reward_lo, h = 0.7, step = 0;
    double start = d / (spec->theta_norm_max * spec->theta_norm_max);
    for (uint64_t u = 0; u < n; u++) {
        double s = 0.8 / sqrt(0.0225 * range * range + *p);
        if (spec->score == SOTTO_SCORE_SELF) {
            s = spec->link == SOTTO_LINK_IDENTITY ? 1.6 / range : 0.5;
        }
        double more, gain;
        if (spec->parameters == SOTTO_PARAMETERS_SHARED) {
            more = pow(h * s, 2) / (d * b * b);
            gain = h * s / b;
        } else if (phase == SOTTO_PHASE_WARM_UP) {
            more = s * s / (d * b * b);
            gain = s / b;
        } else if (terms->codebook[phase].groups == 1) {
            more = pow(h * s, 2) / (k * k * d * b * b);
            gain = h * s / (k * b);
        } else {
            more = pow(h * s, 2) / (k * d * b * b);
            gain = h * s / b;
        }
        double precision = 1 / *p + more, w = (double)spec->window_reports;
        if (w > 0 && precision > start + w * more) precision = start + w * more;
        *p = 1 / precision;
        step = *p * gain;
    }
    return step;
}

static void reference_absorb(reference *r, const sotto_terms *terms, const sotto__batch *batch)
{
    const sotto_spec *spec = &terms->spec;
    uint32_t rows = spec->parameters == SOTTO_PARAMETERS_SHARED ? 1 : spec->arms;
    for (uint32_t k = 0; k < rows; k++) {
        bool warm = batch->phase == SOTTO_PHASE_WARM_UP;
        uint64_t n = warm ? batch->arm_count[k] : batch->count;
        double step = reference_step(terms, batch->phase, n, &r->p[k]), norm = 0;
        double *theta = r->theta + spec->dim * k;
        for (uint32_t i = 0; i < spec->dim; i++) {
            theta[i] -= step * batch->sum[spec->dim * k + i];
            norm += theta[i] * theta[i];
        }
        for (uint32_t i = 0; sqrt(norm) > spec->theta_norm_max && i < spec->dim; i++) {
            theta[i] *= spec->theta_norm_max / sqrt(norm);
        }
    }
}

static void assert_as_reference(mode m, uint64_t window, double norm_max, tape *random)
{
    sotto_spec spec = spec_of(m, 5, 3);
    spec.window_reports = window, spec.theta_norm_max = norm_max;
    subject *s = subject_new(&spec, NULL);
    reference r = {
        .p = {norm_max * norm_max / 5, norm_max * norm_max / 5, norm_max * norm_max / 5}};
    for (int epoch = 0; epoch < 60; epoch++) {
        double sum[THETAS_MAX];
        uint64_t each = epoch % 20 < 5 ? 1 : 1 + sotto__seeded_next(&random->seeded) % 25;
        const uint64_t counts[ARMS_MAX] = {2 * each, epoch % 2 ? 1 : 0, each};
        bool warm = !is_shared(m) && epoch < 30;
        uint64_t n = !warm && epoch % 20 < 5 ? 1 : counts[0] + counts[1] + counts[2];
        fill_normals(random, sqrt((double)n), sum, THETAS_MAX);
        sotto__batch batch = {.phase = warm ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN,
                              .count = n,
                              .arm_count = counts,
                              .sum = sum};
        subject_absorb(s, &batch);
        reference_absorb(&r, &s->terms, &batch);
        assert_all_near(s->model->theta, r.theta, is_shared(m) ? 5 : 15, 1e-12);
    }
}

TEST(epochs_are_what_their_definition_says)
{
    tape random = tape_seeded(121);
    for (int m = 0; m < MODES; m++) {
        assert_as_reference((mode)m, 0, 1, &random);
        assert_as_reference((mode)m, 30, 1, &random);
        assert_as_reference((mode)m, 0, 3, &random);
    }
}

/* Epochs that are no longer gone through one by one, each arm with its own share of them. */
TEST(long_epochs_are_what_their_definition_says)
{
    const uint64_t counts[ARMS_MAX] = {20000, 4096, 5000};
    double sum[THETAS_MAX];
    for (int i = 0; i < THETAS_MAX; i++) {
        sum[i] = i % 2 ? 3 : -2;
    }
    for (int c = 0; c < 2 * MODES; c++) {
        mode m = (mode)(c / 2);
        sotto_spec spec = spec_of(m, 5, 3);
        spec.window_reports = c % 2 ? 7000 : 0;
        subject *s = subject_new(&spec, NULL);
        reference r = {.p = {0.2, 0.2, 0.2}};
        for (int epoch = 0; epoch < 4; epoch++) {
            bool warm = !is_shared(m) && epoch < 2;
            sotto__batch batch = {.phase = warm ? SOTTO_PHASE_WARM_UP : SOTTO_PHASE_MAIN,
                                  .count = counts[0] + counts[1] + counts[2],
                                  .arm_count = counts,
                                  .sum = sum};
            subject_absorb(s, &batch);
            reference_absorb(&r, &s->terms, &batch);
            assert_all_near(s->model->theta, r.theta, is_shared(m) ? 5 : 15, 1e-12);
        }
    }
}

/* Steps go to 0 in a stationary world; with a window of 100 they stop at 0.175 P,
 * 1/P = 5 + 100 x 0.35^2/20. */
TEST(a_window_keeps_the_step_long)
{
    sotto_spec spec = spec_of(SHARED_LOGIT, 5, 3);
    spec.window_reports = 100;
    subject *s = subject_of_scale_two(&spec);
    const double zero[5] = {0}, z[5] = {1, 0, 0, 0, 0};
    sotto__batch many = {.phase = SOTTO_PHASE_MAIN, .count = 100000, .sum = zero};
    sotto__batch one = {.phase = SOTTO_PHASE_MAIN, .count = 1, .sum = z};
    subject_absorb(s, &many);
    subject_absorb(s, &one);
    assert_near(s->model->theta[0], -0.175 / 5.6125, 1e-14);
}

TEST(permuting_arms_permutes_rows_and_scaling_lengths_scales_them)
{
    tape random = tape_seeded(122);
    for (int m = SIGNS; m < MODES; m++) {
        sotto_spec spec = spec_of((mode)m, 3, 3);
        subject *s = subject_new(&spec, NULL);
        spec.reward_lo = -4, spec.reward_hi = 4, spec.theta_norm_max = 4;
        subject *other = subject_new(&spec, NULL);
        for (int epoch = 0; epoch < 6; epoch++) {
            double sum[9], moved[9];
            const uint64_t counts[3] = {1, 2, 3}, moved_counts[3] = {3, 1, 2};
            fill_normals(&random, 1, sum, 9);
            for (int i = 0; i < 9; i++) {
                moved[(i + 3) % 9] = sum[i];
            }
            sotto__batch batch = {
                .phase = (sotto_phase)(epoch / 3), .count = 6, .arm_count = counts, .sum = sum};
            subject_absorb(s, &batch);
            batch.sum = moved;
            batch.arm_count = moved_counts;
            subject_absorb(other, &batch);
        }
        for (int i = 0; i < 9; i++) {
            assert_true(s->model->theta[i] != 0);
            assert_near(other->model->theta[(i + 3) % 9], 4 * s->model->theta[i], 1e-13);
        }
    }
}

/* Mean scores (v/B is what a codeword is in the mean) lead to theta*. */
TEST(exact_scores_lead_to_the_truth)
{
    tape random = tape_seeded(123);
    const double truth[5] = {0.5, -0.3, 0.4, 0, 0.2};
    sotto_spec spec = spec_of(SHARED_IDENTITY, 5, 3);
    spec.epsilon = 5;
    subject *s = subject_new(&spec, NULL);
    double b = s->terms.codebook[SOTTO_PHASE_MAIN].scale;
    for (int n = 0; n < 20000; n++) {
        double x[5], v[5];
        fill_normals(&random, 1, x, 5);
        double length = sotto__norm(x, 5);
        for (int i = 0; i < 5; i++) {
            x[i] /= length;
        }
        sotto__scored scored = {.spec = &spec,
                                .along_weight = s->terms.along_weight,
                                .x = x,
                                .reward = sotto__dot(x, truth, 5),
                                .theta = s->model->theta,
                                .decide = s->model->theta};
        sotto__score_self(&scored, v);
        for (int i = 0; i < 5; i++) {
            v[i] /= b;
        }
        sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .count = 1, .sum = v};
        subject_absorb(s, &batch);
    }
    assert_all_near(s->model->theta, truth, 5, 0.02);
}
