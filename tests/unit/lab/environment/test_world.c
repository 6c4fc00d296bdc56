/* Worlds: who is met, what they answer, and that methods meet the same people. */
#include "core/linalg.h"
#include "core/link.h"
#include "stats.h"
#include "test.h"
#include "worlds.h"

#include <math.h>
#include <string.h>

#define DRAWN (SOTTO_ENVIRONMENT_PUBLISHED + 1) /* kinds that need no data */

static sotto_match plain(void)
{
    return match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 4);
}

static void parameters_have_the_length_of_the_match(void **state)
{
    (void)state;
    sotto_match shared = plain();
    sotto_match per_arm = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_PER_ARM, 3, 4);
    sotto__world *one = world_of(&shared, 1), *four = world_of(&per_arm, 1);
    assert_int_equal(one->theta_count, 3);
    assert_int_equal(one->context_count, 12);
    assert_int_equal(four->theta_count, 12);
    assert_int_equal(four->context_count, 3);
    assert_near(sotto__norm(one->theta, 3), 0.8, 1e-14);
    for (int a = 0; a < 4; a++) {
        assert_near(sotto__norm(four->theta + 3 * a, 3), 0.8, 1e-14);
        for (int b = 0; b < a; b++) {
            assert_true(four->theta[3 * a] != four->theta[3 * b]);
        }
    }
    sotto__world_free(one);
    sotto__world_free(four);
}

/* mu(x_a . theta), or mu(x . theta_a), under each link. */
static void means_come_from_context_parameter_and_link(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, (sotto_parameters)(i % 2), 3, 4);
        match.spec.link = (sotto_link)(i / 2);
        bool per_arm = match.spec.parameters == SOTTO_PARAMETERS_PER_ARM;
        sotto__world *world = world_of(&match, 2);
        for (uint64_t t = 1; t <= 20; t++) {
            sotto__world_next(world);
            assert_int_equal(world->t, t);
            double best = world->mean[0];
            for (uint32_t a = 0; a < 4; a++) {
                const double *x = world->context + (per_arm ? 0 : 3 * a);
                const double *theta = world->theta + (per_arm ? 3 * a : 0);
                double v = x[0] * theta[0] + x[1] * theta[1] + x[2] * theta[2];
                assert_near(world->mean[a], sotto__link_mean(match.spec.link, v), 1e-14);
                best = fmax(best, world->mean[a]);
            }
            assert_true(world->value_best == best);
        }
        sotto__world_free(world);
    }
}

/* Under the identity link too the mean of a 0/1 reward is a chance. */
static void means_of_binary_rewards_are_chances(void **state)
{
    (void)state;
    sotto_match match = plain();
    match.spec.reward_kind = SOTTO_REWARD_BINARY;
    match.environment.law = SOTTO_LAW_BERNOULLI;
    sotto__world *world = world_of(&match, 2);
    int below = 0, within = 0;
    for (int t = 0; t < 50; t++) {
        sotto__world_next(world);
        for (uint32_t a = 0; a < 4; a++) {
            double v = sotto__dot(world->context + 3 * a, world->theta, 3);
            assert_near(world->mean[a], fmax(0, v), 1e-14);
            below += v<0, within += v> 0;
        }
    }
    assert_true(below > 0 && within > 0);
    sotto__world_free(world);
}

/* One luck for all arms: the same noise, or one threshold. */
static void arms_share_the_luck_of_a_person(void **state)
{
    (void)state;
    sotto_match match = plain();
    sotto__world *world = world_of(&match, 3);
    for (int t = 0; t < 50; t++) {
        sotto__world_next(world);
        for (uint32_t a = 0; a < 4; a++) {
            double off = sotto__world_reward(world, a) - world->mean[a];
            assert_near(off, 0.1 * world->luck, 1e-14);
        }
    }
    sotto__world_free(world);

    match.spec.link = SOTTO_LINK_LOGIT;
    match.environment.law = SOTTO_LAW_BERNOULLI;
    world = world_of(&match, 3);
    int ones = 0;
    for (int t = 0; t < 200; t++) {
        sotto__world_next(world);
        for (uint32_t a = 0; a < 4; a++) {
            double reward = sotto__world_reward(world, a);
            assert_true(reward == (world->luck < world->mean[a] ? 1 : 0));
            ones += reward == 1;
        }
    }
    assert_in_range(ones, 300, 500); /* half of 800; luck is shared, so 5 sd are 141 */
    sotto__world_free(world);
}

/* Player, calibration, privacy and what is learnt do not reach the world. */
static void methods_meet_the_same_people(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < DRAWN; k++) {
        sotto_match first = match_of((sotto_environment_kind)k, SOTTO_PARAMETERS_SHARED, 3, 2);
        sotto_match second = first;
        second.player = SOTTO_PLAYER_LINUCB;
        second.calibration = SOTTO_CALIBRATION_PUBLISHED;
        second.spec.method = SOTTO_METHOD_LDP_OLS;
        second.spec.epsilon = 5;
        sotto__world *one = world_of(&first, 77), *two = world_of(&second, 77);
        for (int t = 0; t < 30; t++) {
            sotto__world_next(one);
            sotto__world_next(two);
            assert_memory_equal(one->theta, two->theta, 3 * sizeof(double));
            assert_memory_equal(one->context, two->context, 6 * sizeof(double));
            assert_true(one->luck == two->luck);
            for (uint32_t a = 0; a < 2; a++) {
                assert_true(sotto__world_reward(one, a) == sotto__world_reward(two, a));
            }
        }
        sotto__world_free(one);
        sotto__world_free(two);
    }
}

/* Parameters, contexts and luck each come from the stream of their purpose. */
static void every_purpose_has_its_stream(void **state)
{
    (void)state;
    sotto_match match = plain();
    match.environment.law = SOTTO_LAW_NONE;
    sotto__ziggurat ziggurat;
    sotto__seeded parameters, contexts, rewards;
    sotto__ziggurat_begin(&ziggurat);
    sotto__stream_begin(&parameters, 5, SOTTO__PURPOSE_PARAMETERS);
    sotto__stream_begin(&contexts, 5, SOTTO__PURPOSE_CONTEXTS);
    sotto__stream_begin(&rewards, 5, SOTTO__PURPOSE_REWARDS);
    sotto__world *world = world_of(&match, 5);
    double drawn[3];
    sotto__draw_sphere(&ziggurat, &parameters, 3, match.environment.theta_norm, drawn);
    assert_memory_equal(world->theta, drawn, sizeof drawn);
    for (int t = 0; t < 10; t++) {
        sotto__world_next(world);
        for (uint32_t a = 0; a < 4; a++) {
            sotto__draw_sphere(&ziggurat, &contexts, 3, 1, drawn);
            assert_memory_equal(world->context + 3 * a, drawn, sizeof drawn);
        }
        assert_true(world->luck == sotto__uniform(sotto__seeded_next(&rewards)));
    }
    sotto__world_free(world);
}

/* Whoever is drawn with others is who would come alone, in every environment: 4 numbers per person,
 * 6, and so many that there is no room for a second. */
static void people_drawn_together_are_those_of_one_by_one(void **state)
{
    (void)state;
    const uint32_t dims[] = {2, 3, 700};
    static double alone[1400];
    int worlds = 0;
    for (uint32_t i = 0; i < 3 * 2 * DRAWN; i++) {
        sotto_parameters parameters = (sotto_parameters)(i / 3 % 2);
        sotto_match match = match_of((sotto_environment_kind)(i / 6), parameters, dims[i % 3], 2);
        char text[SOTTO_FAULT_BYTES];
        if (sotto__environment_fault(&match, text) != NULL) continue;
        sotto__world *one = world_of(&match, 6), *two = world_of(&match, 6);
        worlds++;
        for (int t = 0; t < 200; t++) {
            sotto__world_next(one);
            two->environment->draw(two, 1, alone);
            assert_memory_equal(one->context, alone, one->context_count * sizeof alone[0]);
            assert_true(one->luck == sotto__normal(&two->ziggurat, &two->rewards));
        }
        sotto__world_free(one);
        sotto__world_free(two);
    }
    assert_int_equal(worlds, 3 * (2 * DRAWN - 1)); /* margin has no per-arm parameters */
}

/* The law of rewards changes neither contexts nor parameters; the contexts' law not the luck. */
static void streams_do_not_disturb_each_other(void **state)
{
    (void)state;
    sotto_match gaussian = plain(), none = plain();
    sotto_match wide = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_PER_ARM, 7, 9);
    none.environment.law = SOTTO_LAW_NONE;
    sotto__world *one = world_of(&gaussian, 5), *two = world_of(&none, 5);
    sotto__world *three = world_of(&wide, 5);
    for (int t = 0; t < 300; t++) {
        sotto__world_next(one);
        sotto__world_next(two);
        sotto__world_next(three);
        assert_memory_equal(one->context, two->context, 12 * sizeof(double));
        assert_memory_equal(one->theta, two->theta, 3 * sizeof(double));
        assert_true(one->luck == three->luck);
    }
    sotto__world_free(one);
    sotto__world_free(two);
    sotto__world_free(three);
}

static void seeds_give_other_worlds(void **state)
{
    (void)state;
    const uint64_t seeds[] = {0, 1, UINT64_MAX};
    sotto_match match = plain();
    sotto__world *world[3];
    for (int i = 0; i < 3; i++) {
        world[i] = world_of(&match, seeds[i]);
        sotto__world_next(world[i]);
        for (int j = 0; j < i; j++) {
            assert_true(world[i]->theta[0] != world[j]->theta[0]);
            assert_true(world[i]->context[0] != world[j]->context[0]);
            assert_true(world[i]->luck != world[j]->luck);
        }
    }
    for (int i = 0; i < 3; i++) {
        sotto__world_free(world[i]);
    }
}

static void errors_are_distances_summed_over_arms(void **state)
{
    (void)state;
    sotto_match shared = plain();
    sotto_match per_arm = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_PER_ARM, 3, 2);
    sotto__world *one = world_of(&shared, 1), *two = world_of(&per_arm, 1);
    double estimate[6];
    memcpy(estimate, one->theta, 3 * sizeof *estimate);
    assert_true(sotto__world_error(one, estimate) == 0);
    estimate[0] += 3, estimate[2] -= 4;
    assert_near(sotto__world_error(one, estimate), 5, 1e-14);
    memcpy(estimate, two->theta, 6 * sizeof *estimate);
    estimate[1] += 3, estimate[5] -= 4;
    assert_near(sotto__world_error(two, estimate), 7, 1e-14);
    sotto__world_free(one);
    sotto__world_free(two);
}

/* State words 0 and 3 make the first draw, which is a zero if both are: it has no direction, and on
 * the line nothing else gives one. */
static void a_zero_is_drawn_again(void **state)
{
    (void)state;
    sotto__ziggurat ziggurat;
    sotto__seeded stream;
    sotto__ziggurat_begin(&ziggurat);
    sotto__stream_begin(&stream, 6, SOTTO__PURPOSE_CONTEXTS);
    stream.state[0] = stream.state[3] = 0;
    sotto__seeded twin = stream;
    assert_true(sotto__normal(&ziggurat, &twin) == 0);
    double x;
    sotto__draw_sphere(&ziggurat, &stream, 1, 2.5, &x);
    assert_near(fabs(x), 2.5, 1e-15);
}

/* Orthogonal, of its length, and in every direction around: for three numbers, a uniform angle. */
static void orthogonal_draws_go_round_the_axis(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    static double angle[DRAWS];
    const double axis[3] = {0.6, 0, 0.8}, e[3] = {0, 1, 0}, f[3] = {-0.8, 0, 0.6};
    sotto__ziggurat ziggurat;
    sotto__seeded stream;
    sotto__ziggurat_begin(&ziggurat);
    sotto__stream_begin(&stream, 6, SOTTO__PURPOSE_CONTEXTS);
    for (int i = 0; i < DRAWS; i++) {
        double x[3];
        sotto__draw_orthogonal(&ziggurat, &stream, axis, 3, 2.5, x);
        assert_near(sotto__norm(x, 3), 2.5, 1e-14);
        assert_near(sotto__dot(x, axis, 3), 0, 1e-12);
        angle[i] = atan2(sotto__dot(x, e, 3), sotto__dot(x, f, 3)) / (2 * M_PI) + 0.5;
    }
    assert_uniform(angle, DRAWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_have_the_length_of_the_match),
        cmocka_unit_test(means_come_from_context_parameter_and_link),
        cmocka_unit_test(means_of_binary_rewards_are_chances),
        cmocka_unit_test(arms_share_the_luck_of_a_person),
        cmocka_unit_test(methods_meet_the_same_people),
        cmocka_unit_test(every_purpose_has_its_stream),
        cmocka_unit_test(people_drawn_together_are_those_of_one_by_one),
        cmocka_unit_test(streams_do_not_disturb_each_other),
        cmocka_unit_test(seeds_give_other_worlds),
        cmocka_unit_test(errors_are_distances_summed_over_arms),
        cmocka_unit_test(a_zero_is_drawn_again),
        cmocka_unit_test(orthogonal_draws_go_round_the_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
