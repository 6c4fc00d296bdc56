/* Learners whose parts contradict each other, made by hand, and learners that have learnt. */
#include "learners.h"
#include "server/learner_fault.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Cases of learners.c: version 2 with measure rounds where there are such, late reports, drift. */
#define LATE(method) (LEARNER_METHODS * (2 + 3 + 6) + (method))
#define LATE_PLAIN(method) (LEARNER_METHODS * (1 + 3 + 6) + (method))
#define SIGNS 6
#define GLOC 19

static sotto_learner *after(uint32_t number, int publishes)
{
    tape random = tape_seeded(5);
    sotto_learner *one = learner_of_case(number), *other = learner_of_case(number);
    while (one->model->epoch < (uint32_t)publishes || one->model->phase != SOTTO_PHASE_MAIN) {
        learners_step(one, other, &random);
    }
    sotto_learner_free(other);
    return one;
}

static void assert_fault(const sotto_learner *learner, const char *words)
{
    char text[SOTTO_FAULT_BYTES];
    const char *fault = sotto__learner_fault(learner, text);
    assert_non_null(fault);
    if (strstr(fault, words) == NULL) fail_msg("\"%s\", not \"%s\"", fault, words);
}

static sotto_tally *tally_at(sotto_learner *learner, uint32_t back)
{
    return learner->open[(learner->model->epoch - back) % learner->open_count].tally;
}

static void phases_go_from_warm_up_to_main(void **state)
{
    (void)state;
    sotto_learner *learner = after(LATE(SIGNS), 10);
    learner->model->phase = SOTTO_PHASE_MEAN;
    assert_fault(learner, "the model's phase is mean");
    learner->model->phase = SOTTO_PHASE_WARM_UP;
    assert_fault(learner, "the model's phase is warm-up");
    learner->model->phase = SOTTO_PHASE_MAIN;
    tally_at(learner, 0)->phase = SOTTO_PHASE_WARM_UP;
    assert_fault(learner, "the current tally is of phase warm-up, its model of main");
    tally_at(learner, 0)->phase = SOTTO_PHASE_MAIN;
    tally_at(learner, 1)->phase = SOTTO_PHASE_WARM_UP;
    tally_at(learner, 2)->phase = SOTTO_PHASE_MAIN;
    assert_fault(learner, "is of phase main, the next one of warm-up");
    tally_at(learner, 2)->phase = SOTTO_PHASE_MEAN;
    assert_fault(learner, "is of phase mean, the next one of warm-up");
    sotto_learner_free(learner);
}

/* A learner of version 2, self, per-arm, with 20 reports of the mean phase before the others. */
static void the_mean_phase_comes_first(void **state)
{
    (void)state;
    const uint32_t number = LEARNER_METHODS * (1 + 3 + 6) + 8;
    char text[SOTTO_FAULT_BYTES];
    sotto_learner *learner = after(number, 10);
    assert_int_equal(learner->learning.mean_phase, 20);
    assert_null(sotto__learner_fault(learner, text));
    tally_at(learner, 2)->phase = SOTTO_PHASE_MEAN;
    tally_at(learner, 1)->phase = SOTTO_PHASE_WARM_UP;
    assert_null(sotto__learner_fault(learner, text));
    tally_at(learner, 2)->phase = SOTTO_PHASE_WARM_UP;
    tally_at(learner, 1)->phase = SOTTO_PHASE_MEAN;
    assert_fault(learner, "is of phase warm-up, the next one of mean");
    sotto_learner_free(learner);

    learner = learner_of_case(number);
    assert_null(sotto__learner_fault(learner, text));
    assert_int_equal(learner->model->phase, SOTTO_PHASE_MEAN);
    learner->model->g[0] = 0.5;
    assert_fault(learner, "g has norm 0.5: allowed 0 in phase mean");
    learner->model->g[0] = NAN;
    assert_fault(learner, "g has norm nan");
    learner->model->g[0] = 0;
    learner->model->phase = SOTTO_PHASE_WARM_UP;
    assert_fault(learner, "the model's phase is warm-up");
    sotto_learner_free(learner);
}

static void a_tally_follows_the_model_of_its_epoch(void **state)
{
    (void)state;
    sotto_learner *learner = after(LATE(SIGNS), 10), *plain = after(LATE_PLAIN(SIGNS), 10);
    tally_at(learner, 0)->decides = false;
    assert_fault(learner, "the current tally says that its model does not decide");
    tally_at(plain, 0)->decides = true;
    assert_fault(plain, "the current tally says that its model decides");
    tally_at(plain, 0)->decides = false;
    tally_at(plain, 1)->decides = true;
    assert_fault(plain, "says that its model decides, without measure rounds");
    sotto_learner_free(learner);
    sotto_learner_free(plain);
}

static void old_estimates_are_finite_and_the_current_one_is_the_model_s(void **state)
{
    (void)state;
    sotto_learner *learner = after(LATE_PLAIN(GLOC), 10);
    char text[SOTTO_FAULT_BYTES];
    double *old = learner->open[(learner->model->epoch - 2) % learner->open_count].theta_h;
    old[1] = 0.5;
    assert_null(sotto__learner_fault(learner, text));
    old[1] = NAN;
    assert_fault(learner, " is not finite");
    old[1] = 0;
    learner->open[learner->model->epoch % learner->open_count].theta_h[0] += 1;
    assert_fault(learner, "theta_h of the current epoch is not that of the model");
    sotto_learner_free(learner);
}

static void reports_are_counted_exactly(void **state)
{
    (void)state;
    sotto_learner *learner = after(LATE(SIGNS), 10);
    char text[SOTTO_FAULT_BYTES];
    learner->model->reports = UINT64_C(1) << 53;
    assert_null(sotto__learner_fault(learner, text));
    learner->model->reports++;
    assert_fault(learner, "allowed 0 to 2^53");
    sotto_learner_free(learner);
}

static void measure_rounds_add_up(void **state)
{
    (void)state;
    sotto_learner *learner = after(LATE(SIGNS), 10);
    char text[SOTTO_FAULT_BYTES];
    sotto__measures *m = &learner->measures;
    *m = (sotto__measures){.control_arm = m->control_arm};
    m->control_arm[0] = m->control_arm[1] = m->control_arm[2] = (sotto__measured){0};
    sotto__harm_derive(m, &learner->harm);
    assert_null(sotto__learner_fault(learner, text));
    m->follow = (sotto__measured){10, 4};
    m->recent_follow = (sotto__measured){4, -2};
    assert_fault(learner, "the sums of harm are not those of measure rounds");
    sotto__harm_derive(m, &learner->harm);
    assert_null(sotto__learner_fault(learner, text)); /* the other 6 are all +1 */
    m->recent_follow = (sotto__measured){4, -4};
    assert_fault(learner, "the recent measure rounds are not among all of them");
    m->recent_follow = (sotto__measured){12, 4};
    assert_fault(learner, "the recent measure rounds are not among all of them");
    m->recent_follow = (sotto__measured){4, 3};
    assert_fault(learner, "pair 1 of measure rounds: 4 reports of +1 or -1 cannot have the sum 3");
    m->recent_follow = (sotto__measured){0};
    m->control_arm[2] = (sotto__measured){UINT64_C(1) << 62, 0};
    assert_fault(learner, "pair 5 of measure rounds");
    sotto_learner_free(learner);
}

static void no_learner_that_has_learnt_has_a_fault(void **state)
{
    (void)state;
    for (uint32_t method = 0; method < LEARNER_METHODS; method++) {
        char text[SOTTO_FAULT_BYTES];
        sotto_learner *learner = after(LATE_PLAIN(method), 20);
        const char *fault = sotto__learner_fault(learner, text);
        if (fault != NULL) fail_msg("method %u: %s", method, fault);
        sotto_learner_free(learner);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_go_from_warm_up_to_main),
        cmocka_unit_test(the_mean_phase_comes_first),
        cmocka_unit_test(a_tally_follows_the_model_of_its_epoch),
        cmocka_unit_test(old_estimates_are_finite_and_the_current_one_is_the_model_s),
        cmocka_unit_test(reports_are_counted_exactly),
        cmocka_unit_test(measure_rounds_add_up),
        cmocka_unit_test(no_learner_that_has_learnt_has_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
