/* An experiment in progress: how it begins, its phases, and many reports at once. test_plan.c
 * compares all of it with a twin that takes the reports one by one. */
#include "lab/plan/inner.h"
#include "scenes.h"
#include "test.h"

static sotto_plan plan_of(uint32_t dim, sotto_parameters parameters, sotto_link link)
{
    sotto_match match = sphere_match(parameters, link, dim, 4, 1, 20000);
    sotto_plan plan;
    assert_ok(sotto_match_set_learning(&match));
    match.learning.epoch = 0;
    assert_ok(sotto_plan_make(&match, &plan));
    return plan;
}

/* The first person, of whom nothing is known, loses as much as with a random arm. */
TEST(it_begins_with_nothing_known)
{
    const uint32_t dims[] = {1, 2, 3, 4, 5, 20};
    for (uint32_t i = 0; i < 6 * 2 * 4; i++) {
        sotto_plan plan = plan_of(dims[i % 6], (sotto_parameters)(i / 6 % 2), (sotto_link)(i / 12));
        double most = plan.best_reward - plan.chance_reward;
        sotto__course c = sotto__course_begin(&plan, 20000, true);
        assert_true(c.t == 0 && c.regret == 0);
        assert_near(sotto__course_next(&c) / most, 1, 1e-12);
        sotto__course_advance(&c, 1);
        assert_near(c.regret / most, 1, 1e-12);
    }
}

TEST(it_can_be_walked_in_steps)
{
    sotto_plan plan = plan_of(5, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT);
    sotto__course at_once = sotto__course_begin(&plan, 20000, true), slowly = at_once;
    sotto__course_advance(&at_once, 20000);
    for (uint64_t t = 1; t <= 20000; t += 7) {
        sotto__course_advance(&slowly, t);
    }
    sotto__course_advance(&slowly, 20000);
    assert_int_equal(slowly.t, 20000);
    assert_near(slowly.regret / at_once.regret, 1, 1e-4);
}

TEST(phases_end_where_learning_says)
{
    sotto_plan plan = plan_of(5, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_LOGIT);
    sotto__course c = sotto__course_begin(&plan, 20000, true);
    assert_true(c.mean_phase > 10 && c.warm_up > 10);
    assert_int_equal(sotto__course_phase_end(&c, 5), 5);
    assert_int_equal(sotto__course_phase_end(&c, 20000), c.mean_phase);
    sotto__course_advance(&c, c.mean_phase);
    assert_int_equal(sotto__course_phase_end(&c, 20000), c.mean_phase + c.warm_up);
    sotto__course_advance(&c, c.mean_phase + c.warm_up);
    assert_int_equal(sotto__course_phase_end(&c, 20000), 20000);
    sotto__course open = sotto__course_begin(&plan, 20000, false);
    assert_int_equal(open.mean_phase, 0); /* without privacy there is no mean phase */
}

/* On a line, an arm that hides behind another is not better than it. */
TEST(nothing_hides_on_a_line)
{
    sotto_plan line = plan_of(1, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY);
    sotto_plan plane = plan_of(2, SOTTO_PARAMETERS_PER_ARM, SOTTO_LINK_IDENTITY);
    sotto__course c = sotto__course_begin(&line, 20000, true);
    sotto__course_advance(&c, 20000);
    assert_true(c.hidden == 0);
    c = sotto__course_begin(&plane, 20000, true);
    sotto__course_advance(&c, 20000);
    assert_true(c.hidden > 0);
}

/* The cost of delay: nothing without a clock; otherwise people get random arms and old models,
 * computed by hand. */

static sotto_plan plan_of_delayed(sotto_parameters parameters, uint32_t dim, uint32_t window_s,
                                  uint32_t spread_s, double rate)
{
    sotto_match match = sphere_match(parameters, SOTTO_LINK_IDENTITY, dim, 5, 1, 100000);
    sotto_match_set_clock(&match, window_s, spread_s, rate);
    sotto_plan plan;
    assert_ok(sotto_match_set_learning(&match));
    assert_ok(sotto_plan_make(&match, &plan));
    return plan;
}

static double regret_at(const sotto_plan *plan, uint64_t people)
{
    sotto__delayed d = sotto__delayed_begin(plan, people, true);
    sotto__delayed_advance(&d, people);
    return d.regret;
}

TEST(without_a_clock_it_is_the_course)
{
    sotto_plan plan = plan_of_delayed(SOTTO_PARAMETERS_PER_ARM, 5, 0, 0, 0);
    sotto__course c = sotto__course_begin(&plan, 100000, true);
    sotto__delayed d = sotto__delayed_begin(&plan, 100000, true);
    for (uint64_t people = 1; people < 100000; people *= 3) {
        sotto__course_advance(&c, people);
        sotto__delayed_advance(&d, people);
        assert_true(d.regret == c.regret);
        assert_int_equal(sotto__delayed_behind(&d), 0);
        assert_true(sotto__delayed_next(&d) == sotto__course_next(&c));
    }
}

/* Epochs of one second: 100 reports, each in the model that follows it. */
TEST(epochs_of_a_second_by_hand)
{
    sotto_plan plan = plan_of_delayed(SOTTO_PARAMETERS_SHARED, 5, 0, 0, 100);
    double most = plan.best_reward - plan.chance_reward;
    sotto__course c = sotto__course_begin(&plan, 100000, true);
    double sum = 100 * most;
    assert_nears(1e-9, regret_at(&plan, 50), 50 * most, regret_at(&plan, 100), sum);
    for (uint64_t known = 100; known < 1000; known += 100) {
        sotto__course_advance(&c, known);
        sum += 100 * sotto__course_next(&c);
        assert_near(regret_at(&plan, known + 100), sum, 1e-9 * sum);
    }
}

/* Nothing is known before the first report comes, nor before 20 reports have come. */
TEST(the_window_is_at_random_arms)
{
    sotto_plan plan = plan_of_delayed(SOTTO_PARAMETERS_SHARED, 2, 60, 0, 10);
    double most = plan.best_reward - plan.chance_reward;
    assert_near(regret_at(&plan, 620), 620 * most, 1e-6);
    assert_true(regret_at(&plan, 700) < 700 * most - 1);
    sotto__delayed d = sotto__delayed_begin(&plan, 100000, true);
    sotto__delayed_advance(&d, 100000);
    assert_int_equal(sotto__delayed_behind(&d), 750); /* the window, and half of an epoch of 300 */
    assert_int_equal(sotto__delayed_epoch(&d), 300);
}

/* A spread counts half on average, once it has passed. */
TEST(a_spread_counts_half)
{
    sotto_plan plan = plan_of_delayed(SOTTO_PARAMETERS_SHARED, 2, 0, 80, 10);
    sotto__delayed d = sotto__delayed_begin(&plan, 100000, true);
    sotto__delayed_advance(&d, 100000);
    assert_int_equal(sotto__delayed_behind(&d), 600); /* epochs of 400 */
}

/* The longer the delay, the more it costs; far from the start one step covers many epochs. */
TEST(more_delay_costs_more)
{
    double before = 0;
    for (uint32_t window_s = 0; window_s < 4000; window_s = 2 * window_s + 10) {
        sotto_plan plan = plan_of_delayed(SOTTO_PARAMETERS_PER_ARM, 3, window_s, 0, 10);
        double regret = regret_at(&plan, 100000);
        assert_true(regret > before);
        before = regret;
        sotto__delayed open = sotto__delayed_begin(&plan, 100000, false);
        sotto__delayed_advance(&open, 100000);
        assert_true(open.regret < regret);
    }
}

/* A trillion people take no longer to compute. */
TEST(a_long_horizon_is_no_long_loop)
{
    sotto_plan plan = plan_of_delayed(SOTTO_PARAMETERS_SHARED, 5, 1, 1, 30);
    double regret = regret_at(&plan, SOTTO_HORIZON_MAX);
    assert_true(isfinite(regret) && regret > regret_at(&plan, 1000));
}

/* The loss on a line, compared with sums over the number of good arms. */

static double cdf(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* By Simpson's rule, for each number of good arms: a bad arm has the largest estimate, and the person loses 2; a
 * random arm loses 2 (1 - good/K) where an arm is good. */
static double slow_part(double z, uint32_t arms)
{
    enum { STEPS = 4000 };
    double lost = 0, random = 0, ways = ldexp(1, -(int)arms);
    for (uint32_t good = 0; good <= arms; good++) {
        double bad = arms - (double)good, chance = 0;
        for (int i = 0; i <= STEPS && bad > 0 && good > 0; i++) {
            double t = -9 + 18.0 * i / STEPS, weight = i % STEPS == 0 ? 1 : i % 2 == 1 ? 4 : 2;
            double density = bad * pow(cdf(t), bad - 1) * exp(-t * t / 2) / sqrt(8 * atan(1));
            chance += weight * density * pow(cdf(t - 2 * z), good) * (18.0 / STEPS) / 3;
        }
        lost += ways * 2 * chance;
        if (good > 0) random += ways * 2 * bad / arms;
        ways *= bad / (good + 1);
    }
    return lost / random;
}

TEST(arms_are_counted_one_by_one)
{
    const uint32_t arms[] = {2, 3, 5, 20};
    const double z[] = {0, 0.1, 0.5, 1, 2, 3};
    for (int i = 0; i < 24; i++) {
        assert_near(sotto__line_part_of_arms(z[i / 4], arms[i % 4]),
                    slow_part(z[i / 4], arms[i % 4]), 1e-6);
    }
}

TEST(closed_forms_hold)
{
    for (double z = 0; z < 9; z += 0.3) {
        assert_near(sotto__line_part(z), erfc(z / sqrt(2)), 1e-14);
        assert_near(sotto__line_part_of_arms(z, 2), erfc(z), 1e-6); /* 2 Phi(-z sqrt 2) */
    }
}

/* From what a random arm loses to nothing, with any number of arms. */
TEST(less_is_lost_the_more_is_known)
{
    for (uint32_t arms = 2; arms <= 1024; arms *= 2) {
        double before = sotto__line_part_of_arms(0, arms);
        assert_near(before, 1, 1e-5);
        for (double z = 0.05; z < 10; z += 0.05) {
            double now = sotto__line_part_of_arms(z, arms);
            assert_true(now >= 0 && now <= before);
            before = now;
        }
        assert_true(before == 0);
    }
}

/* The cost of an estimate with a given cosine, compared with integrals over the sphere of R^3. */

static sotto_match chances(uint32_t dim, uint32_t arms, sotto_parameters parameters)
{
    sotto_match match = sphere_match(parameters, SOTTO_LINK_IDENTITY, dim, arms, 1, 1000);
    match.spec.reward_kind = SOTTO_REWARD_BINARY, match.spec.score = SOTTO_SCORE_SELF;
    match.spec.reward_lo = 0, match.environment.law = SOTTO_LAW_BERNOULLI;
    return match;
}

static sotto_plan rewards_of(const sotto_match *match)
{
    sotto_plan plan = {.match = *match};
    sotto__plan_set_rewards(&match->spec, &plan);
    return plan;
}

/* E max(0, a c + s y), d = 3: c the largest of K numbers uniform on [-1, 1], y = sqrt(1 - c^2) cos(phi). */
static double slow_chance(double a, double arms)
{
    enum { STEPS = 3000, ANGLES = 200 };
    double s = sqrt(1 - a * a), sum = 0;
    for (int i = 0; i < STEPS; i++) {
        double c = -1 + 2 * (i + 0.5) / STEPS;
        double density = arms * pow((1 + c) / 2, arms - 1) / STEPS, inner = 0;
        for (int j = 0; j < ANGLES; j++) {
            double phi = 4 * atan(1) * (j + 0.5) / ANGLES;
            inner += fmax(0, a * c + s * sqrt(1 - c * c) * cos(phi)) / ANGLES;
        }
        sum += density * inner;
    }
    return sum;
}

/* Chances that are cut at 0: near theta* to 3 %, and in between to 15 % of what a random arm loses. */
TEST(chances_that_are_cut_lose_what_the_sphere_says)
{
    const uint32_t arms[] = {2, 3, 5, 10, 20};
    for (int i = 0; i < 5; i++) {
        sotto_match match = chances(3, arms[i], SOTTO_PARAMETERS_SHARED);
        sotto_plan plan = rewards_of(&match);
        double best = slow_chance(1, arms[i]), most = plan.best_reward - plan.chance_reward;
        assert_near(plan.best_reward, best, 1e-5);
        assert_near(plan.near_loss / ((best - slow_chance(0.99, arms[i])) / 0.01), 1, 0.03);
        for (double a = 0; a < 1; a += 0.1) {
            double loss = sotto__plan_loss(&plan, 1 - a), worse = 1.2;
            double wanted = fmin(most, worse * (best - slow_chance(a, arms[i])));
            assert_near(loss / most, wanted / most, 0.15);
        }
    }
}

/* Where nothing is known a person gets a random arm, in every form and dimension; the less is missed, the less is
 * lost, and nothing in the end. */
TEST(losses_go_from_a_random_arm_to_nothing)
{
    const uint32_t dims[] = {1, 2, 3, 4, 5, 20}, arms[] = {2, 3, 20};
    for (uint32_t i = 0; i < 6 * 3 * 2 * 5; i++) {
        sotto_parameters parameters = (sotto_parameters)(i / 18 % 2);
        uint32_t dim = dims[i % 6], k = arms[i / 6 % 3];
        sotto_match match = i / 36 == 4
                                ? chances(dim, k, parameters)
                                : sphere_match(parameters, (sotto_link)(i / 36), dim, k, 1, 1000);
        sotto_plan plan = rewards_of(&match);
        double most = plan.best_reward - plan.chance_reward, before = most;
        assert_near(sotto__plan_loss(&plan, 1) / most, 1, 1e-6);
        for (double missed = 1; missed > 1e-9; missed *= 0.9) {
            double loss = sotto__plan_loss(&plan, missed);
            assert_true(loss >= 0 && loss <= before);
            before = loss;
        }
        assert_true(sotto__plan_loss(&plan, 0) == 0);
    }
}

/* c_K/sqrt d is above 1 with many arms in few dimensions, and no chance is. */
TEST(chances_lie_where_there_are_any)
{
    const uint32_t dims[] = {1, 2, 3, 5}, arms[] = {5, 10, 20, 100};
    for (int i = 0; i < 4; i++) {
        sotto_match match = chances(dims[i], arms[i], SOTTO_PARAMETERS_PER_ARM);
        sotto_plan plan = rewards_of(&match);
        assert_true(plan.reach > 1 && plan.level < 1);
        assert_true(sotto__mean_slope(&match.spec, plan.level) == 1);
    }
    sotto_match match = chances(1, 100, SOTTO_PARAMETERS_PER_ARM); /* 1 - 2^-99 is 1 */
    assert_true(sotto__mean_slope(&match.spec, rewards_of(&match).level) == 1);
    assert_true(sotto__mean_slope(&match.spec, 1.01) == 0);
}
