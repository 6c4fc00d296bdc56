/* Late reports: the limit of a stable step against the recursion itself, steps by hand, and estimators that go
 * by reports in flight beside ones that are not told of them. */
#include "batches.h"
#include "core/linalg.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAG_MAX 16
#define DIM_MAX 20

/* The largest |theta| of the last tenth of so many steps of theta' = theta - a theta(L steps ago), from 1. */
static double left_of(double a, uint32_t lag, uint32_t steps)
{
    double past[LAG_MAX + 1], largest = 0;
    for (uint32_t l = 0; l <= lag; l++) {
        past[l] = 1;
    }
    for (uint32_t s = 0; s < steps; s++) {
        double now = past[s % (lag + 1)], before = past[(s + 1) % (lag + 1)];
        double next = now - a * before;
        past[(s + 1) % (lag + 1)] = next;
        if (s >= steps / 10 * 9) largest = fmax(largest, fabs(next));
        if (fabs(next) > 1e6) return fabs(next);
    }
    return largest;
}

/* a < 2 sin(pi/(2 (2 L + 1))). (L + 1) a is nearly the same for all L: so N = (L + 1) n is what counts. */
static void the_limit_is_that_of_the_recursion(void **state)
{
    (void)state;
    for (uint32_t lag = 0; lag <= LAG_MAX; lag++) {
        double limit = 2 * sin(acos(-1) / (2 * (2 * lag + 1)));
        assert_true(left_of(0.99 * limit, lag, 40000) < 1e-3);
        assert_true(left_of(1.01 * limit, lag, 40000) > 1e3);
        assert_true((lag + 1) * limit > 1.57 && (lag + 1) * limit <= 2 + 1e-12);
    }
}

/* Averaged, D = 1, B = 1, so that o = 1: after t reports 100 come of which the sum is (1, 0, ...), late by so many epochs
 * altogether. The mean of the steps is 0.5/100 times the sum of 1/sqrt(t + u + 1), and this part of it is taken, times
 * sqrt(t + 101). */
static void averaged_steps_by_hand(void **state)
{
    (void)state;
    static const struct {
        uint32_t dim;
        uint64_t before, late;
        double part;
    } rows[] = {
        {2, 0, 0, 2.0 / 100},         /* by its size alone */
        {2, 0, 100, 2.0 / 200},       /* N = 200 */
        {8, 0, 100, 2.0 / 100},       /* sqrt(2 d)/N = 4/200: no less than by its size */
        {8, 0, 300, 4.0 / 400},       /* N = 400 */
        {1, 0, 300, 2.0 / 400},       /* at least 2 in one dimension */
        {2, 300, 100, 2 * 0.5 / 200}, /* N/t = 200/400 */
        {2, 900, 100, 2 * 0.3 / 200}, /* N/t = 0.2: 0.3 */
        {2, 900, 0, 2.0 / 100},       /* not without late reports */
        {8, 900, 100, 4 * 0.3 / 200},
    };
    sotto_spec spec = learner_spec(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED);
    sotto_learning learning = plain_learning();
    const double sum[DIM_MAX] = {1};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        spec.dim = rows[i].dim;
        subject *s = subject_new(&spec, &learning);
        s->terms.codebook[SOTTO_PHASE_MAIN].scale = 1;
        s->model->reports = rows[i].before;
        double steps = 0, t = (double)rows[i].before;
        for (int u = 1; u <= 100; u++) {
            steps += 0.5 / 100 / sqrt(t + u + 1);
        }
        sotto__batch batch = {
            .phase = SOTTO_PHASE_MAIN, .count = 100, .late = rows[i].late, .sum = sum};
        subject_absorb(s, &batch);
        assert_near(s->model->theta[0], -steps * fmin(1, rows[i].part * sqrt(t + 101)), 1e-15);
        subject_free(s);
    }
}

/* Tracked, B = 2. Shared logit, d = 5: 1/P = 5, S = 0.5, a report adds (0.35)^2/20. 1,000 of them, each 4 epochs
 * late: the step has 1/P = 4 x 5 x 1,000 x 0.006125. What P itself is shows in a report on time. */
static void tracked_steps_by_hand(void **state)
{
    (void)state;
    sotto_learning learning = plain_learning();
    const double sum[5] = {1};
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_BINARY);
    spec.link = SOTTO_LINK_LOGIT, spec.dim = 5, spec.arms = 3;
    for (int told = 0; told < 2; told++) {
        subject *s = subject_new(&spec, &learning);
        s->terms.codebook[SOTTO_PHASE_MAIN].scale = 2;
        sotto__batch batch = {
            .phase = SOTTO_PHASE_MAIN, .count = 1000, .late = told ? 4000 : 0, .sum = sum};
        subject_absorb(s, &batch);
        assert_near(s->model->theta[0], -0.175 / (told ? 122.5 : 11.125), 1e-14);
        double before = s->model->theta[0];
        sotto__batch one = {.phase = SOTTO_PHASE_MAIN, .count = 1, .sum = sum};
        subject_absorb(s, &one);
        assert_near(s->model->theta[0], before - 0.175 / 11.131125, 1e-14);
        subject_free(s);
    }
}

/* Sign, per arm, d = 2, K = 2, D = 1, B = 2: warm-up adds S^2/8, signs (0.7 S)^2/32, with S from the P before; the step
 * of n reports, each 3 epochs late, has 1/P = kappa 4 n times that with the last S, kappa 2 and 4. */
static void per_arm_steps_by_hand(void **state)
{
    (void)state;
    sotto_learning learning = plain_learning();
    sotto_spec spec = learner_spec(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_PER_ARM);
    spec.dim = 2, spec.arms = 2;
    const double sum[4] = {0, 0, 1, 0};
    const uint64_t counts[2] = {0, 500};
    for (int main_phase = 0; main_phase < 2; main_phase++) {
        subject *s = subject_new(&spec, &learning);
        s->terms.codebook[SOTTO_PHASE_WARM_UP].scale = 2;
        s->terms.codebook[SOTTO_PHASE_MAIN].scale = 2;
        double information = main_phase ? 0.49 / 32 : 1.0 / 8, gain = main_phase ? 0.7 / 4 : 0.5;
        double precision = 2, slope = 0;
        for (int u = 0; u < 500; u++) {
            slope = 0.8 / sqrt(0.09 + 1 / precision);
            precision += information * slope * slope;
        }
        double least = (main_phase ? 4 : 2) * 4 * 500 * information * slope * slope;
        assert_true(least > precision);
        sotto__batch batch = {.phase = main_phase ? SOTTO_PHASE_MAIN : SOTTO_PHASE_WARM_UP,
                              .count = 500,
                              .late = 1500,
                              .arm_count = counts,
                              .sum = sum};
        subject_absorb(s, &batch);
        assert_near(s->model->theta[2], -gain * slope / least, 1e-12);
        subject_free(s);
    }
}

typedef struct loop {
    subject *s;
    uint32_t lag;
    uint64_t n;
    bool told; /* the estimator hears how late reports are */
    const double *truth;
    double past[LAG_MAX + 1][DIM_MAX];
} loop;

/* The mean of n sign scores by the theta of L epochs ago, for contexts on a sphere and noise of 0.1:
 * sqrt(2/(pi d)) Delta/sqrt(|Delta|^2 + 0.01 d), over B; one publish. */
static void publish_late(loop *l, uint32_t epoch)
{
    uint32_t dim = l->s->terms.spec.dim;
    double delta[DIM_MAX], sum[DIM_MAX], *scored = l->past[(epoch + 1) % (l->lag + 1)];
    for (uint32_t i = 0; i < dim; i++) {
        delta[i] = scored[i] - l->truth[i];
    }
    double size = sqrt(sotto__dot(delta, delta, dim) + 0.01 * dim);
    double slope = sqrt(2 / (acos(-1) * dim)) / size;
    for (uint32_t i = 0; i < dim; i++) {
        sum[i] = (double)l->n * slope * delta[i] / l->s->terms.codebook[SOTTO_PHASE_MAIN].scale;
    }
    sotto__batch batch = {
        .phase = SOTTO_PHASE_MAIN, .count = l->n, .late = l->told ? l->lag * l->n : 0, .sum = sum};
    subject_absorb(l->s, &batch);
    memcpy(scored, l->s->model->theta, dim * sizeof scored[0]);
}

/* How far theta is from the truth, at most, from publish 20 to 40. It starts off the line to the truth, on which
 * steps without noise would stay. */
static double swing_of(uint32_t dim, double epsilon, uint64_t n, uint32_t lag, bool told)
{
    sotto_spec spec = learner_spec(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED);
    sotto_learning learning = plain_learning();
    const double truth[DIM_MAX] = {0.3, -0.4};
    spec.dim = dim, spec.epsilon = epsilon;
    loop l = {.s = subject_new(&spec, &learning), .lag = lag, .n = n, .told = told, .truth = truth};
    l.s->model->theta[0] = -0.5;
    double worst = 0;
    for (uint32_t epoch = 0; epoch < 40; epoch++) {
        publish_late(&l, epoch);
        double away = 0;
        for (uint32_t i = 0; i < dim; i++) {
            double difference = l.s->model->theta[i] - truth[i];
            away += difference * difference;
        }
        if (epoch >= 20) worst = fmax(worst, sqrt(away));
    }
    subject_free(l.s);
    return worst;
}

/* By docs/methods.md, "Delay", theta swings by D/3 at first and then by D/10 at the least, whatever n, L, d and epsilon
 * are. The twin is not told how late reports are. */
static void late_epochs_do_not_swing(void **state)
{
    (void)state;
    static const struct {
        uint32_t dim;
        double epsilon;
        uint64_t n;
        uint32_t lag;
    } rows[] = {
        {2, 1, 700, 4},   {2, 2, 700, 4}, {2, 5, 2000, 4}, {2, 2, 200, 16},
        {2, 2, 10000, 2}, {5, 2, 700, 4}, {5, 5, 2000, 8}, {20, 5, 2000, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double told = swing_of(rows[i].dim, rows[i].epsilon, rows[i].n, rows[i].lag, true);
        double untold = swing_of(rows[i].dim, rows[i].epsilon, rows[i].n, rows[i].lag, false);
        double allowed = 0.1 + 0.35 * (rows[i].lag + 1) / 20; /* N/t at publish 20 */
        if (told > allowed || untold < 0.5) fail_msg("row %zu: %g, untold %g", i, told, untold);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_is_that_of_the_recursion),
        cmocka_unit_test(averaged_steps_by_hand),
        cmocka_unit_test(tracked_steps_by_hand),
        cmocka_unit_test(per_arm_steps_by_hand),
        cmocka_unit_test(late_epochs_do_not_swing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
