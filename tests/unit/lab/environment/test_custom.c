/* Environments that users bring: every misdeed has its sentence, and their people are the same
 * whatever happens to the methods. */
#include "guests.h"
#include "lab/environment/environment.h"
#include "scenes.h"
#include "test.h"

OWNED(sotto__world, sotto__world_free)

enum { DIM = 3, ARMS = 4 };

static guest user;
static sotto_environment_table table;
static sotto_match match;

FIXTURE(set_up)
{
    memset(&user, 0, sizeof user);
    user.round = 5;
    table = guest_environment(&user);
    const sotto_scene scene = {.dim = DIM, .arms = ARMS, .horizon = 1000, .custom = &table};
    match = sotto_match_default(SOTTO_PLAYER_RANDOM, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    assert_ok(sotto_match_set_learning(&match));
}

/* ---- bad ones ----------------------------------------------------------------------------- */

TEST_WITH(a_match_that_does_not_fit_is_refused, set_up, NULL)
{
    sotto_fault fault;
    assert_ok(sotto_match_fault(&match, &fault));
    table.dim = 7;
    assert_fault_says(sotto_match_fault(&match, &fault), fault,
                      "dim = 3: environment garden has 7");
    table.dim = DIM;
    table.arms = 2;
    assert_fault_says(sotto_match_fault(&match, &fault), fault,
                      "arms = 4: environment garden has 2");
    table.arms = 0;
    match.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    match.learning.warm_up = 10;
    match.learning.prior_variance = 1;
    assert_fault_says(sotto_match_fault(&match, &fault), fault,
                      "parameters = per-arm: environment garden has shared parameters only");
    set_up(NULL);
    table.name = "sphere";
    assert_fault_says(sotto_match_fault(&match, &fault), fault,
                      "environment: its name \"sphere\" is that of a built-in one");
    table.abi = 9;
    assert_fault_says(sotto_match_fault(&match, &fault), fault,
                      "environment: its ABI version is 9; allowed 1");
    sotto__world *world;
    assert_status(sotto__world_new(&match, 1, &world), SOTTO_E_FAULT);
}

/* The fault of the first 20 people, each asked for arm 1. */
static const char *fault_of(misdeed what)
{
    static char fault[SOTTO_FAULT_BYTES];
    sotto__world *world;
    set_up(NULL);
    user.misdeed = what;
    assert_ok(sotto__world_new(&match, 1, &world));
    for (int t = 0; t < 20 && world->fault.sentence[0] == '\0'; t++) {
        sotto__world_next(world);
        if (world->fault.sentence[0] == '\0') (void)sotto__world_reward(world, 1);
    }
    strcpy(fault, world->fault.sentence);
    sotto__world_free(world);
    assert_int_equal(user.made, user.freed);
    return fault;
}

TEST_WITH(every_misdeed_is_told_with_its_round_its_value_and_its_bound, set_up, NULL)
{
    assert_string_equal(fault_of(MISDEED_NONE), "");
    assert_string_equal(fault_of(MISDEED_MAKE_FAILS), "environment garden: no chair is free");
    assert_string_equal(fault_of(MISDEED_CONTEXT_FAILS),
                        "environment garden, round 5: nobody came");
    assert_string_equal(fault_of(MISDEED_CONTEXT_IS_NAN),
                        "environment garden, round 5: number 1 of the context is nan: only finite "
                        "ones can be used");
    assert_string_equal(fault_of(MISDEED_CONTEXT_LEFT_OUT),
                        "environment garden, round 5: number 11 of the context is nan: only finite "
                        "ones can be used");
    assert_non_null(strstr(fault_of(MISDEED_CONTEXT_TOO_LONG),
                           "environment garden, round 5: row 0 of the context has length 1.5"));
    assert_non_null(
        strstr(fault_of(MISDEED_CONTEXT_TOO_LONG), ": at most its own context_norm_max = 1"));
    assert_string_equal(fault_of(MISDEED_CONTEXT_OVERFLOWS),
                        "environment garden, round 5: the context has more than 12 numbers");
    assert_string_equal(fault_of(MISDEED_MEANS_FAIL), "environment garden, round 5: who can tell");
    assert_string_equal(fault_of(MISDEED_MEAN_IS_NAN),
                        "environment garden, round 5: the mean of arm 1 is nan: allowed -2 to 2");
    assert_string_equal(fault_of(MISDEED_MEAN_TOO_LARGE),
                        "environment garden, round 5: the mean of arm 0 is 2.5: allowed -2 to 2");
    assert_string_equal(
        fault_of(MISDEED_MEANS_OVERFLOW),
        "environment garden, round 5: means wrote more than 4 numbers, one per arm");
    assert_string_equal(fault_of(MISDEED_REWARD_FAILS), "environment garden, round 5: no answer");
    assert_string_equal(fault_of(MISDEED_REWARD_IS_NAN),
                        "environment garden, round 5: the reward of arm 1 is nan: allowed -2 to 2");
    assert_string_equal(fault_of(MISDEED_REWARD_TOO_LARGE),
                        "environment garden, round 5: the reward of arm 1 is -3: allowed -2 to 2");
    assert_string_equal(fault_of(MISDEED_THETA_IS_NAN),
                        "environment garden, round 5: number 0 of theta is nan: only finite ones "
                        "can be used");
}

TEST_WITH(constants_are_of_our_own_environments_only, set_up, NULL)
{
    sotto_assumptions out;
    assert_status(sotto_assumptions_estimate(&match, 1, 1000, &out), SOTTO_E_FAULT);
}

/* ---- good ones ---------------------------------------------------------------------------- */

TEST_WITH(the_match_takes_the_bounds_of_the_table, set_up, NULL)
{
    table.context_norm_max = 0.75;
    table.theta_norm_max = 3;
    table.reward_lo = 1;
    const sotto_scene scene = {.dim = DIM, .arms = ARMS, .horizon = 1000, .custom = &table};
    match = sotto_match_default(SOTTO_PLAYER_SOTTO, SOTTO_CALIBRATION_EXACT, &scene, 1, 1e-6);
    assert_ok(sotto_match_set_learning(&match));
    assert_nears(0, match.spec.context_norm_max, 0.75, match.spec.theta_norm_max, 3);
    assert_nears(0, match.spec.reward_lo, 1, match.spec.reward_hi, 2, match.spec.reward_default, 1);
    assert_ok(sotto_match_fault(&match, NULL));
    assert_string_equal(sotto__environment_name(&match.environment), "garden");
    match.environment.custom = NULL;
    assert_string_equal(sotto__environment_name(&match.environment), "sphere");
}

/* Rewards of 50 people who all get `arm`; 4 numbers of each context. */
static void meet(uint32_t arm, double *reward, double *context)
{
    OWN(sotto__world) world;
    assert_ok(sotto__world_new(&match, 3, &world));
    for (int t = 0; t < 50; t++) {
        sotto__world_next(world);
        assert_string_equal(world->fault.sentence, "");
        reward[t] = sotto__world_reward(world, arm) - world->mean[arm];
        memcpy(context + 4 * t, world->context, 4 * sizeof(double));
    }
}

TEST_WITH(the_same_people_come_whichever_arm_they_get, set_up, NULL)
{
    double draw[3][50], context[3][200];
    meet(0, draw[0], context[0]);
    meet(3, draw[1], context[1]); /* its reward draws three numbers more */
    user.extra_draws = 5;         /* its contexts too */
    meet(0, draw[2], context[2]);
    assert_memory_equal(context[0], context[1], sizeof context[0]);
    assert_memory_equal(context[0], context[2], sizeof context[0]);
    for (int t = 0; t < 50; t++) {
        assert_nears(1e-12, draw[0][t], draw[1][t], draw[0][t], draw[2][t]);
    }
    assert_true(draw[0][0] != draw[0][1] && context[0][0] != context[0][4]);
}

/* Methods may get narrower bounds than the rewards that come. */
TEST_WITH(it_is_held_to_its_own_bounds, set_up, NULL)
{
    double draw[50], context[200];
    match.spec.context_norm_max = 0.01;
    match.spec.reward_lo = -0.01;
    match.spec.reward_hi = 0.01;
    meet(1, draw, context);
    table.reward_hi = 0.01;
    table.reward_lo = -0.01;
    OWN(sotto__world) world;
    assert_ok(sotto__world_new(&match, 3, &world));
    sotto__world_next(world);
    assert_non_null(strstr(world->fault.sentence, ": allowed -0.01 to 0.01"));
}

TEST_WITH(without_a_reward_function_the_law_of_the_match_holds, set_up, NULL)
{
    double draw[50], context[200];
    table.reward = NULL;
    match.environment.law = SOTTO_LAW_NONE;
    meet(2, draw, context);
    for (int t = 0; t < 50; t++) {
        assert_near(draw[t], 0, 0);
    }
    match.environment.law = SOTTO_LAW_GAUSSIAN;
    match.environment.noise = 10; /* out of range: the device clips, as with ours */
    meet(2, draw, context);
    double largest = 0;
    for (int t = 0; t < 50; t++) {
        largest = fmax(largest, fabs(draw[t]));
    }
    assert_true(largest > 5);
}

TEST_WITH(the_distance_to_theta_is_known_where_theta_is, set_up, NULL)
{
    const double off[DIM] = {1, 0, 2};
    sotto__world *world;
    assert_ok(sotto__world_new(&match, 3, &world));
    assert_true(isnan(sotto__world_error(world, off))); /* no one has come yet */
    sotto__world_next(world);
    assert_near(sotto__world_error(world, off), 2, 0);
    assert_true(isnan(sotto__world_error(world, NULL)));
    sotto__world_free(world);
    table.theta = NULL;
    assert_ok(sotto__world_new(&match, 3, &world));
    sotto__world_next(world);
    assert_true(isnan(sotto__world_error(world, off)));
    sotto__world_free(world);
}

/* One context for all arms, a parameter for each: mean_a = a/10, theta_a = (a, 0, 0). */
static const char *make_plain(void *owner, const sotto_problem *problem, sotto_stream *stream,
                              void **out, char *text)
{
    (void)stream;
    (void)text;
    *out = owner;
    bool per_arm = problem->context_count == DIM && problem->theta_count == ARMS * DIM;
    return per_arm ? NULL : "not per-arm";
}

static const char *draw_plain(void *owner, sotto_stream *stream, double *context, char *text)
{
    (void)owner;
    (void)stream;
    (void)text;
    for (int i = 0; i < DIM; i++) {
        context[i] = 0.5;
    }
    return NULL;
}

static const char *means_plain(void *owner, const double *context, double *mean, char *text)
{
    (void)owner;
    (void)context;
    (void)text;
    for (int a = 0; a < ARMS; a++) {
        mean[a] = 0.1 * a;
    }
    return NULL;
}

static const double *theta_plain(const void *owner)
{
    (void)owner;
    static const double all[ARMS * DIM] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    return all;
}

TEST_WITH(a_rounding_that_it_leaves_behind_changes_no_number, set_up, NULL)
{
    match.player = SOTTO_PLAYER_OLS;
    sotto_point honest = play_match(&match, 2);
    user.misdeed = MISDEED_ROUNDS_UP;
    sotto_point careless = play_match(&match, 2);
    assert_memory_equal(&careless, &honest, sizeof honest);
}

TEST_WITH(per_arm_parameters_have_one_context_and_many_thetas, set_up, NULL)
{
    const double zero[ARMS * DIM] = {0};
    table.per_arm = true;
    table.make = make_plain;
    table.context = draw_plain;
    table.means = means_plain;
    table.theta = theta_plain;
    table.reward = NULL;
    table.free = NULL;
    match.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    match.environment.law = SOTTO_LAW_NONE;
    assert_ok(sotto_match_set_learning(&match));
    OWN(sotto__world) world;
    assert_ok(sotto__world_new(&match, 3, &world));
    sotto__world_next(world);
    assert_string_equal(world->fault.sentence, "");
    assert_nears(1e-15, world->value_best, 0.3, sotto__world_reward(world, 2), 0.2);
    assert_near(sotto__world_error(world, zero), 0 + 1 + 2 + 3, 1e-15);
}
