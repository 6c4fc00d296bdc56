/* Layer 3: bounds against known answers (SciPy), and the choice of an event. */
#include "lab/audit/event.h"
#include "lab/random/random.h"
#include "test.h"

#include <math.h>

static void bounds_are_the_formula_s(void **state)
{
    (void)state;
    sotto__hits hits = {.trials = {10000, 10000}, .hits = {7310, 2690}};
    assert_near(sotto__epsilon_lower(&hits, 0, 0, 0.01), 0.9415821331611515, 1e-9);
    assert_near(sotto__epsilon_lower(&hits, 1, 0, 0.01), 0, 0);
    hits = (sotto__hits){.trials = {100, 100}, .hits = {0, 50}};
    assert_near(sotto__epsilon_lower(&hits, 1, 1e-6, 0.01), 1.966818591029588, 1e-9);
    hits = (sotto__hits){.trials = {1000, 1000}, .hits = {900, 5}};
    assert_near(sotto__epsilon_lower(&hits, 0, 0.1, 0.05), 4.205382260315848, 1e-9);
    assert_near(sotto__epsilon_lower(&hits, 0, 0.95, 0.05), 0, 0); /* delta explains it all */
}

static void nothing_is_shown_by_no_trials(void **state)
{
    (void)state;
    sotto__hits none = {.trials = {0, 0}, .hits = {0, 0}};
    assert_near(sotto__epsilon_lower(&none, 0, 0, 0.01), 0, 0);
    assert_near(sotto__epsilon_p(&none, 0, 1, 0), 1, 0);
}

static void p_is_the_alpha_at_which_the_bound_meets_the_claim(void **state)
{
    (void)state;
    sotto__hits hits = {.trials = {10000, 10000}, .hits = {7500, 2500}};
    double p = sotto__epsilon_p(&hits, 0, 1, 0);
    assert_true(p > 1e-6 && p < 0.2);
    assert_near(sotto__epsilon_lower(&hits, 0, 0, p), 1, 1e-3);
    assert_true(sotto__epsilon_lower(&hits, 0, 0, p) > 1); /* rounded to the safe side */
    assert_near(sotto__epsilon_p(&hits, 0, 2, 0), 1, 0);
}

static void reach_grows_with_trials(void **state)
{
    (void)state;
    assert_true(sotto__epsilon_reach(10, 0, 0.01) < 1);
    assert_true(sotto__epsilon_reach(1000, 0, 0.01) > 4);
    assert_true(sotto__epsilon_reach(100000, 0, 0.01) > 9);
}

/* A thousand normals of each secret, two deviations apart. */
static void fill(sotto__witnessed_trial *sample, uint64_t count, double gap)
{
    sotto__seeded random;
    sotto__seeded_begin(&random, 5);
    for (uint64_t i = 0; i < count; i++) {
        double normal[2];
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        uint32_t secret = i % 2;
        sample[i] = (sotto__witnessed_trial){normal[0] - gap * secret, secret};
    }
}

static void the_event_separates_the_secrets(void **state)
{
    (void)state;
    static sotto__witnessed_trial sample[2000];
    fill(sample, 2000, 2);
    sotto__event event = sotto__choose_event(sample, 2000, 8000, 0, 0.01);
    assert_true(event.promise > 2);
    assert_int_equal(event.secret, event.above ? 0 : 1);
    assert_true(sotto__event_holds(&event, event.threshold));
    assert_true(sotto__event_holds(&event, event.threshold + (event.above ? 1 : -1)));
    assert_false(sotto__event_holds(&event, event.threshold - (event.above ? 1 : -1)));
    /* Turned round, the witness speaks for the other secret. */
    fill(sample, 2000, -2);
    event = sotto__choose_event(sample, 2000, 8000, 0, 0.01);
    assert_true(event.promise > 2);
    assert_int_equal(event.secret, event.above ? 1 : 0);
}

static void equal_scores_stay_together(void **state)
{
    (void)state;
    sotto__witnessed_trial sample[400];
    for (uint32_t i = 0; i < 400; i++) {
        sample[i] = (sotto__witnessed_trial){i % 4 == 0 ? 1 : 0, i % 2};
    }
    /* Secret 0 has witness 1 in half of its trials, secret 1 never. */
    sotto__event event = sotto__choose_event(sample, 400, 1600, 0, 0.01);
    assert_near(event.threshold, 1, 0);
    assert_true(event.above);
    assert_int_equal(event.secret, 0);
}

static void a_sample_of_one_secret_shows_nothing(void **state)
{
    (void)state;
    sotto__witnessed_trial sample[3] = {{1, 0}, {2, 0}, {3, 0}};
    assert_true(sotto__choose_event(sample, 3, 12, 0, 0.01).promise < 0);
    assert_true(sotto__choose_event(sample, 0, 1, 0, 0.01).promise < 0);
}

/* Secret 0 has witness 1 in 7 of 10 trials, secret 1 in 2 of 10; and 40 of secret 0 have witness 2. By
 * the sample alone the rare event shows nothing; by a hundred times as many trials it shows more. */
static void the_event_is_the_best_for_as_many_trials_as_will_judge_it(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static sotto__witnessed_trial sample[COUNT];
    for (int few = 0; few < 2; few++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t secret = i % 2, place = i / 2 % 10;
            double witness = place < (secret == 0 ? 7 : 2) ? 1 : 0;
            sample[i] = (sotto__witnessed_trial){secret == 0 && i < 80 ? 2 : witness, secret};
        }
        uint64_t fresh = few ? COUNT : 100 * COUNT;
        sotto__event event = sotto__choose_event(sample, COUNT, fresh, 0, 0.001);
        assert_near(event.threshold, few ? 1 : 2, 0);
        assert_true(event.above);
        assert_int_equal(event.secret, 0);
        assert_true(few ? event.promise < log(3.5) : event.promise > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_shown_by_no_trials),
        cmocka_unit_test(a_sample_of_one_secret_shows_nothing),
        cmocka_unit_test(bounds_are_the_formula_s),
        cmocka_unit_test(p_is_the_alpha_at_which_the_bound_meets_the_claim),
        cmocka_unit_test(reach_grows_with_trials),
        cmocka_unit_test(the_event_separates_the_secrets),
        cmocka_unit_test(equal_scores_stay_together),
        cmocka_unit_test(the_event_is_the_best_for_as_many_trials_as_will_judge_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
