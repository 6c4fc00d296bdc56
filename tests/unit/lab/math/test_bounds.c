/* Bounds against known answers (SciPy), and the choice of an event. */
#include "lab/math/math.h"
#include "lab/random/random.h"
#include "seeds.h"
#include "test.h"

TEST(bounds_are_the_formula_s)
{
    sotto__hits hits = {.trials = {10000, 10000}, .hits = {7310, 2690}};
    assert_near(sotto__epsilon_lower(&hits, 0, 0, 0.01), 0.9415821331611515, 1e-9);
    assert_near(sotto__epsilon_lower(&hits, 1, 0, 0.01), 0, 0);
    hits = (sotto__hits){.trials = {100, 100}, .hits = {0, 50}};
    assert_near(sotto__epsilon_lower(&hits, 1, 1e-6, 0.01), 1.966818591029588, 1e-9);
    hits = (sotto__hits){.trials = {1000, 1000}, .hits = {900, 5}};
    assert_near(sotto__epsilon_lower(&hits, 0, 0.1, 0.05), 4.205382260315848, 1e-9);
    assert_near(sotto__epsilon_lower(&hits, 0, 0.95, 0.05), 0, 0); /* delta alone explains it */
}

TEST(nothing_is_shown_by_no_trials)
{
    sotto__hits none = {.trials = {0, 0}, .hits = {0, 0}};
    assert_near(sotto__epsilon_lower(&none, 0, 0, 0.01), 0, 0);
    assert_near(sotto__epsilon_p(&none, 0, 1, 0), 1, 0);
}

TEST(p_is_the_alpha_at_which_the_bound_meets_the_claim)
{
    sotto__hits hits = {.trials = {10000, 10000}, .hits = {7500, 2500}};
    double p = sotto__epsilon_p(&hits, 0, 1, 0);
    assert_true(p > 1e-6 && p < 0.2);
    assert_near(sotto__epsilon_lower(&hits, 0, 0, p), 1, 1e-3);
    assert_true(sotto__epsilon_lower(&hits, 0, 0, p) > 1); /* rounded to the safe side */
    assert_near(sotto__epsilon_p(&hits, 0, 2, 0), 1, 0);
}

TEST(reach_grows_with_trials)
{
    assert_true(sotto__epsilon_reach(10, 0, 0.01) < 1 && sotto__epsilon_reach(1000, 0, 0.01) > 4);
    assert_true(sotto__epsilon_reach(100000, 0, 0.01) > 9);
}

/* A thousand normals of each secret, two deviations apart. */
static void fill(sotto__witnessed_trial *sample, uint64_t count, double gap)
{
    sotto__seeded random = seeded_of(5);
    for (uint64_t i = 0; i < count; i++) {
        double normal[2];
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        uint32_t secret = i % 2;
        sample[i] = (sotto__witnessed_trial){normal[0] - gap * secret, secret};
    }
}

TEST(the_event_separates_the_secrets)
{
    static sotto__witnessed_trial sample[2000];
    fill(sample, 2000, 2);
    sotto__audit_event event = sotto__choose_event(sample, 2000, 8000, 0, 0.01);
    assert_true(event.promise > 2);
    assert_int_equal(event.secret, event.above ? 0 : 1);
    assert_true(sotto__event_holds(&event, event.threshold));
    assert_true(sotto__event_holds(&event, event.threshold + (event.above ? 1 : -1)));
    assert_false(sotto__event_holds(&event, event.threshold - (event.above ? 1 : -1)));
    /* With the sign reversed, the witness indicates the other secret. */
    fill(sample, 2000, -2);
    event = sotto__choose_event(sample, 2000, 8000, 0, 0.01);
    assert_true(event.promise > 2);
    assert_int_equal(event.secret, event.above ? 1 : 0);
}

TEST(equal_scores_stay_together)
{
    sotto__witnessed_trial sample[400];
    for (uint32_t i = 0; i < 400; i++) {
        sample[i] = (sotto__witnessed_trial){i % 4 == 0 ? 1 : 0, i % 2};
    }
    /* Secret 0 has witness 1 in half of its trials, secret 1 never. */
    sotto__audit_event event = sotto__choose_event(sample, 400, 1600, 0, 0.01);
    assert_near(event.threshold, 1, 0);
    assert_true(event.above);
    assert_int_equal(event.secret, 0);
}

TEST(a_sample_of_one_secret_shows_nothing)
{
    sotto__witnessed_trial sample[3] = {{1, 0}, {2, 0}, {3, 0}};
    assert_true(sotto__choose_event(sample, 3, 12, 0, 0.01).promise < 0);
    assert_true(sotto__choose_event(sample, 0, 1, 0, 0.01).promise < 0);
}

/* Secret 0 has witness 1 in 7 of 10 trials, secret 1 in 2 of 10; and 40 of secret 0 have witness 2. By
 * the sample alone the rare event shows nothing; by a hundred times as many trials it shows more. */
TEST(the_event_is_the_best_for_as_many_trials_as_will_judge_it)
{
    enum { COUNT = 20000 };
    static sotto__witnessed_trial sample[COUNT];
    for (int few = 0; few < 2; few++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t secret = i % 2, place = i / 2 % 10;
            double witness = place < (secret == 0 ? 7 : 2) ? 1 : 0;
            sample[i] = (sotto__witnessed_trial){secret == 0 && i < 80 ? 2 : witness, secret};
        }
        uint64_t fresh = few ? COUNT : 100 * COUNT;
        sotto__audit_event event = sotto__choose_event(sample, COUNT, fresh, 0, 0.001);
        assert_near(event.threshold, few ? 1 : 2, 0);
        assert_true(event.above);
        assert_int_equal(event.secret, 0);
        assert_true(few ? event.promise < log(3.5) : event.promise > 2);
    }
}

/* Accuracy, Delta/sigma and epsilon against known answers (SciPy), and the check that
 * noise is normal. */

TEST(accuracy_bounds_the_ratio)
{
    assert_near(sotto__gaussian_lower(55000, 100000, 0.001), 0.22673389605506272, 1e-9);
    assert_near(sotto__gaussian_lower(500, 1000, 0.01), 0, 0);
    assert_near(sotto__gaussian_lower(1000, 1000, 0.01), 5.209870283623136, 1e-8);
    assert_near(sotto__gaussian_p(55000, 100000, 0.2) / 5.4316804620487005e-11, 1, 1e-6);
}

/* sigma^2 = 55.670 at epsilon 1, delta 1e-5, diameter 2. */
TEST(ratio_and_epsilon_are_each_other_s_inverse)
{
    assert_near(sotto__gaussian_allowed(1, 1e-5), 2 / sqrt(55.670), 1e-5);
    assert_near(sotto__audit_gaussian_epsilon(2 / sqrt(55.670), 1e-5), 1, 1e-4);
    assert_near(sotto__audit_gaussian_epsilon(2 / sqrt(1.4411), 1e-5), 8, 1e-3);
    assert_near(sotto__audit_gaussian_epsilon(1e-6, 1e-5), 0, 0);
    assert_near(sotto__audit_gaussian_epsilon(1000, 1e-5), 50, 1e-6);
}

#define TRIALS 20000u

typedef double noise_function(double normal, double uniform);

static double normal_noise(double normal, double uniform)
{
    (void)uniform;
    return 3 * normal;
}

static double laplace_noise(double normal, double uniform)
{
    (void)normal;
    return uniform < 0.5 ? log(2 * uniform) : -log(2 * (1 - uniform));
}

static double no_noise(double normal, double uniform)
{
    (void)normal, (void)uniform;
    return 0;
}

static bool normality_of(noise_function *noise, uint32_t trials, double ratio)
{
    sotto__seeded random;
    sotto__shape shape = {{0, 0}, {{0}}};
    sotto__seeded_begin(&random, 9);
    for (uint32_t i = 0; i < trials; i++) {
        double normal[2];
        sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random), normal);
        double uniform = sotto__uniform(sotto__seeded_next(&random));
        sotto__shape_add(&shape, i % 2, noise(normal[0], uniform) + 7 * (i % 2));
    }
    return sotto__shape_normal(&shape, ratio);
}

TEST(normal_noise_is_told_from_other_noise)
{
    assert_true(normality_of(normal_noise, TRIALS, 0.5));
    assert_false(normality_of(laplace_noise, TRIALS, 0.5) || normality_of(no_noise, TRIALS, 0.5));
    assert_false(normality_of(normal_noise, TRIALS, 0.1)); /* too few for so small a ratio */
    assert_false(normality_of(normal_noise, 0, 0.5));
}

/* The projection of PrivUnit in many dimensions: a normal, its sign turned towards the secret with
 * some chance. Never taken for normal, however few or many the trials. */
TEST(a_bounded_likelihood_ratio_is_never_taken_for_normal)
{
    uint32_t taken = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        for (uint32_t trials = 1000; trials <= 16000; trials *= 4) {
            sotto__seeded random;
            sotto__shape shape = {{0, 0}, {{0}}};
            sotto__seeded_begin(&random, seed);
            for (uint32_t i = 0; i < trials; i++) {
                double normal[2];
                sotto__normal_pair(sotto__seeded_next(&random), sotto__seeded_next(&random),
                                   normal);
                bool kept = sotto__uniform(sotto__seeded_next(&random)) < 0.6;
                double side = (i % 2 == 0) == kept ? 1 : -1;
                sotto__shape_add(&shape, i % 2, side * fabs(normal[0]));
            }
            taken += sotto__shape_normal(&shape, 0.33); /* its ratio: 1.6 (2 x 0.6 - 1) */
        }
    }
    assert_true(taken <= 3);
}

/* Sure guesses: bounds against known answers (sums of binomial chances), levels, and how often a
 * mechanism that is just private is accused. */

static sotto__sure guessed(uint32_t level, uint64_t trials, uint64_t right, uint64_t wrong)
{
    sotto__sure sure = {.trials = trials};
    sure.right[level] = right;
    sure.wrong[level] = wrong;
    return sure;
}

TEST(nothing_is_shown_by_no_guesses)
{
    sotto__sure none = guessed(0, 1000, 0, 0), even = guessed(0, 1000, 500, 500);
    assert_near(sotto__sure_lower(&none, 1, 0, 0.01), 0, 0);
    assert_nears(0, sotto__sure_lower(&none, 1, 0.1, 0.01), 0, sotto__sure_p(&none, 1, 1, 0), 1);
    assert_nears(0, sotto__sure_lower(&even, 1, 0, 0.01), 0, sotto__sure_p(&even, 1, 1, 0), 1);
}

/* BetaInv(0.01/13 - 1e-9; right - b, wrong + 1); b = 34 for 1,000 trials and delta 0.01. */
TEST(bounds_from_sure_guesses_are_the_formula_s)
{
    for (uint32_t level = 0; level < SOTTO__SURE_LEVELS; level++) {
        sotto__sure many = guessed(level, 2000, 900, 100), few = guessed(level, 2000, 40, 0);
        assert_near(sotto__sure_lower(&many, 1, 0, 0.01), 1.8712651919003078, 1e-8);
        assert_near(sotto__sure_lower(&few, 1, 0, 0.01), 1.627991974802527, 1e-8);
        assert_near(sotto__sure_p(&few, 1, 1, 0), 4.700570677630292e-05, 1e-10);
        sotto__sure excused = guessed(level, 1000, 200, 20);
        assert_near(sotto__sure_lower(&excused, 1, 0.01, 0.01), 1.4047671761947575, 1e-8);
    }
}

TEST(p_of_sure_guesses_is_the_alpha_at_which_their_bound_meets_the_claim)
{
    const double delta[] = {0, 0.001};
    for (int i = 0; i < 2; i++) {
        sotto__sure two[2] = {guessed(3, 5000, 420, 100), guessed(0, 5000, 2500, 2500)};
        double p = sotto__sure_p(two, 2, 1, delta[i]);
        assert_true(p > 1e-7 && p < 0.1);
        assert_near(sotto__sure_lower(two, 2, delta[i], p), 1, 1e-6);
        assert_true(sotto__sure_lower(two, 2, delta[i], 1.01 * p) > 1);
    }
}

TEST(what_delta_excuses_shows_nothing)
{
    sotto__sure rare = guessed(12, 1000, 34, 0);
    assert_near(sotto__sure_lower(&rare, 1, 0.01, 0.5), 0, 0);
    assert_true(sotto__sure_lower(&rare, 1, 0, 0.5) > 1);
}

/* Levels add up from the surest down: 20 wrong ones below do not hide 40 right ones above. */
TEST(the_surest_guesses_count_for_themselves)
{
    sotto__sure sure = guessed(5, 1000, 40, 0);
    sure.right[0] = sure.wrong[0] = 200;
    assert_near(sotto__sure_lower(&sure, 1, 0, 0.01), 1.627991974802527, 1e-8);
    sure.right[5] = 10;
    sure.right[9] = 30;
    assert_near(sotto__sure_lower(&sure, 1, 0, 0.01), 1.627991974802527, 1e-8);
    sotto__sure other[2] = {sure, guessed(0, 1000, 10, 10)};
    double shared = sotto__sure_lower(other, 2, 0, 0.01);
    assert_true(shared > 1 && shared < 1.627); /* two witnesses share alpha */
}

TEST(each_level_is_half_of_the_one_before)
{
    enum { COUNT = 8192 };
    static sotto__witnessed_trial sample[2 * COUNT];
    sotto__sure sure = {.trials = 0};
    for (uint32_t i = 0; i < 2 * COUNT; i++) { /* half of them carry no information */
        double witness = i < COUNT ? (double)(i + 1) * (i % 2 == 0 ? 1 : -1) : 0;
        sample[i] = (sotto__witnessed_trial){witness, 0};
    }
    sotto__sure_aim(&sure, sample, 2 * COUNT);
    for (uint32_t i = 1; i <= COUNT; i++) {
        sotto__sure_take(&sure, 0, i);
        sotto__sure_take(&sure, 1, i);
        sotto__sure_take(&sure, 1, -(double)i);
        sotto__sure_take(&sure, 0, 0);
    }
    assert_int_equal(sure.trials, 4 * COUNT);
    for (uint32_t k = 0; k < SOTTO__SURE_LEVELS; k++) {
        uint64_t count = COUNT, share = count >> (k + 1 < SOTTO__SURE_LEVELS ? k + 1 : k);
        assert_ints(sure.right[k], 2 * share, sure.wrong[k], share);
    }
}

TEST(with_nothing_to_aim_by_every_guess_counts)
{
    sotto__witnessed_trial sample[3] = {{0, 0}, {0, 1}, {NAN, 0}};
    sotto__sure sure = {.trials = 5, .right = {1}};
    sotto__sure_aim(&sure, sample, 3);
    sotto__sure_take(&sure, 0, 1e-300);
    sotto__sure_take(&sure, 0, -2);
    sotto__sure_take(&sure, 0, NAN);
    uint64_t right = 0, wrong = 0;
    for (uint32_t k = 0; k < SOTTO__SURE_LEVELS; k++) {
        right += sure.right[k];
        wrong += sure.wrong[k];
    }
    assert_int_equal(right, 2); /* what was counted before stays */
    assert_ints(wrong, 1, sure.trials, 8);
}

/* Randomised response of epsilon 1 that publishes its secret with chance delta: as much as the claim
 * allows. 2,000 audits of 1,000 trials at alpha 0.05: at most 100 alarms are expected, and more than
 * 150 have a chance below 1e-6. The twin publishes ten times as often. */
static uint32_t alarms(double published, double delta)
{
    sotto__seeded random = seeded_of(21);
    uint32_t found = 0;
    for (uint32_t audit = 0; audit < 2000; audit++) {
        sotto__sure sure = {.trials = 0};
        for (uint32_t i = 0; i < 1000; i++) {
            uint32_t secret = sotto__seeded_next(&random) & 1;
            bool open = sotto__uniform(sotto__seeded_next(&random)) < published;
            bool honest = sotto__uniform(sotto__seeded_next(&random)) < 1 / (1 + exp(-1));
            double side = (secret == 0) == (open || honest) ? 1 : -1;
            sure.threshold[1] = 2; /* level 1: published openly */
            for (uint32_t k = 2; k < SOTTO__SURE_LEVELS; k++) {
                sure.threshold[k] = INFINITY;
            }
            sotto__sure_take(&sure, secret, open ? 2 * side : side);
        }
        found += sotto__sure_lower(&sure, 1, delta, 0.05) > 1;
    }
    return found;
}

TEST(a_mechanism_that_is_just_private_is_hardly_ever_accused)
{
    assert_true(alarms(0, 0) <= 150 && alarms(0.01, 0.01) <= 150);
    assert_int_equal(alarms(0.1, 0.01), 2000);
}
