/* What an estimate with a given cosine costs, against integrals over the sphere of R^3. */
#include "lab/plan/loss.h"
#include "scenes.h"
#include "test.h"

#include <math.h>

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
static void chances_that_are_cut_lose_what_the_sphere_says(void **state)
{
    (void)state;
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
static void losses_go_from_a_random_arm_to_nothing(void **state)
{
    (void)state;
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
static void chances_lie_where_there_are_any(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chances_that_are_cut_lose_what_the_sphere_says),
        cmocka_unit_test(losses_go_from_a_random_arm_to_nothing),
        cmocka_unit_test(chances_lie_where_there_are_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
