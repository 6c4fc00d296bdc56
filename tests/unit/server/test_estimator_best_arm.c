/* One arm for all: the posterior by hand, drift, and shares that are always whole. */
#include "batches.h"
#include "core/erfc.h"
#include "core/shares.h"
#include "test.h"

#include <math.h>

#define K 3

static sotto_spec arms_spec(void)
{
    sotto_spec spec =
        learner_spec(SOTTO_METHOD_BEST_ARM, SOTTO_SCORE_REWARD, SOTTO_PARAMETERS_SHARED);
    spec.arms = K;
    return spec;
}

static void absorb_arms(subject *s, const uint64_t *count, const double *sum)
{
    sotto__batch batch = {.phase = SOTTO_PHASE_MAIN, .arm_count = count, .sum = sum};
    for (uint32_t k = 0; k < s->terms.spec.arms; k++) {
        batch.count += count[k];
    }
    batch.heard = batch.count;
    subject_absorb(s, &batch);
}

static void shares_are_whole_whatever_was_reported(void **state)
{
    (void)state;
    static const uint64_t count[][K] = {
        {1, 0, 0}, {0, 1, 1}, {1000000, 0, 0}, {1u << 30, 1u << 30, 1}, {5, 5, 5}};
    static const double sum[][K] = {
        {1, 0, 0}, {0, -1, 1}, {1000000, 0, 0}, {-0x1p30, 0x1p30, 1}, {5, 5, 5}};
    for (double epsilon = 0.01; epsilon <= 8; epsilon *= 2) {
        sotto_spec spec = arms_spec();
        sotto_learning learning = plain_learning();
        spec.epsilon = epsilon;
        subject *s = subject_new(&spec, &learning);
        for (size_t i = 0; i < sizeof count / sizeof count[0]; i++) {
            absorb_arms(s, count[i], sum[i]);
            assert_true(sotto__shares_are_whole(s->model->shares, K));
            for (uint32_t k = 0; k < K; k++) {
                assert_true(s->model->shares[k] >= 1);
            }
        }
        subject_free(s);
    }
}

/* Two arms: n = 8, s = 4 and n = 2, s = 0, B = 2: v = 1/3 and 2/3, m = 2/3 and 0. */
static void the_posterior_by_hand(void **state)
{
    (void)state;
    sotto_spec spec = arms_spec();
    sotto_learning learning = plain_learning();
    spec.arms = 2;
    subject *s = subject_new(&spec, &learning);
    s->terms.codebook[SOTTO_PHASE_MAIN].scale = 2;
    const uint64_t first[] = {3, 2}, second[] = {5, 0};
    const double sums[] = {3, 0}, more[] = {1, 0};
    absorb_arms(s, first, sums);
    absorb_arms(s, second, more);
    double wanted = 0.5 * sotto__erfc(-2.0 / 3 * sqrt(0.5));
    assert_near(s->model->shares[0] * 0x1p-32, wanted, 1e-4);
    subject_free(s);
}

/* W = 10, epochs of 4: what was before counts (1 - 0.4) of it; an epoch of 10 or more leaves nothing. */
static void drift_forgets(void **state)
{
    (void)state;
    sotto_spec spec = arms_spec();
    sotto_learning learning = plain_learning();
    sotto__kept kept[SOTTO__KEPT_MAX];
    spec.window_reports = 10;
    subject *s = subject_new(&spec, &learning);
    const uint64_t four[] = {2, 1, 1}, many[] = {0, 11, 0};
    const double sum[] = {2, -1, 1}, sums[] = {0, 3, 0};
    absorb_arms(s, four, sum);
    absorb_arms(s, four, sum);
    assert_int_equal(s->estimator->kept(s->estimator, kept), 2);
    assert_near(kept[0].number[0], 3.2, 1e-15);
    assert_near(kept[1].number[1], -1.6, 1e-15);
    absorb_arms(s, many, sums);
    assert_true(kept[0].number[0] == 0 && kept[0].number[1] == 11 && kept[1].number[1] == 3);
    subject_free(s);
}

/* Arm 0 pays 1, the others -1, at B = 2.16: after 300 reports each nearly everybody gets it. */
static void the_best_arm_is_found(void **state)
{
    (void)state;
    sotto_spec spec = arms_spec();
    sotto_learning learning = plain_learning();
    subject *s = subject_new(&spec, &learning);
    double scale = s->terms.codebook[SOTTO_PHASE_MAIN].scale;
    assert_near(scale, 2.1639534137386525, 1e-11);
    const uint64_t count[] = {300, 300, 300};
    const double sum[] = {rint(300 / scale), -rint(300 / scale), -rint(300 / scale)};
    absorb_arms(s, count, sum);
    assert_true(s->model->shares[0] > 0.999 * 0x1p32);
    subject_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_whole_whatever_was_reported),
        cmocka_unit_test(the_posterior_by_hand),
        cmocka_unit_test(drift_forgets),
        cmocka_unit_test(the_best_arm_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
