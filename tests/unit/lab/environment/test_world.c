/* Worlds: who comes, how they respond, and that all methods meet the same people. */
#include "core/core.h"
#include "stats.h"
#include "test.h"
#include "worlds.h"

OWNED(sotto__world, sotto__world_free)

#define DRAWN (SOTTO_ENVIRONMENT_PUBLISHED + 1) /* kinds that need no data */

static sotto_match plain(void)
{
    return match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_SHARED, 3, 4);
}

TEST(parameters_have_the_length_of_the_match)
{
    sotto_match shared = plain();
    sotto_match per_arm = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_PER_ARM, 3, 4);
    OWN(sotto__world) one = world_of(&shared, 1), *four = world_of(&per_arm, 1);
    assert_ints(one->theta_count, 3, one->context_count, 12, four->theta_count, 12);
    assert_int_equal(four->context_count, 3);
    assert_near(sotto__norm(one->theta, 3), 0.8, 1e-14);
    for (int a = 0; a < 4; a++) {
        assert_near(sotto__norm(four->theta + 3 * a, 3), 0.8, 1e-14);
        for (int b = 0; b < a; b++) {
            assert_true(four->theta[3 * a] != four->theta[3 * b]);
        }
    }
}

/* mu(x_a . theta), or mu(x . theta_a), under each link. */
TEST(means_come_from_context_parameter_and_link)
{
    for (uint32_t i = 0; i < 8; i++) {
        sotto_match match = match_of(SOTTO_ENVIRONMENT_SPHERE, (sotto_parameters)(i % 2), 3, 4);
        match.spec.link = (sotto_link)(i / 2);
        bool per_arm = match.spec.parameters == SOTTO_PARAMETERS_PER_ARM;
        OWN(sotto__world) world = world_of(&match, 2);
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
    }
}

/* Also under the identity link, the mean of a 0/1 reward is a chance. */
TEST(means_of_binary_rewards_are_chances)
{
    sotto_match match = plain();
    match.spec.reward_kind = SOTTO_REWARD_BINARY;
    match.environment.law = SOTTO_LAW_BERNOULLI;
    OWN(sotto__world) world = world_of(&match, 2);
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
}

/* One draw for all arms: the same noise, or one threshold. */
TEST(arms_share_the_draw_of_a_person)
{
    sotto_match match = plain();
    sotto__world *world = world_of(&match, 3);
    for (int t = 0; t < 50; t++) {
        sotto__world_next(world);
        for (uint32_t a = 0; a < 4; a++) {
            double off = sotto__world_reward(world, a) - world->mean[a];
            assert_near(off, 0.1 * world->draw, 1e-14);
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
            assert_true(reward == (world->draw < world->mean[a] ? 1 : 0));
            ones += reward == 1;
        }
    }
    assert_in_range(ones, 300, 500); /* half of 800; draw is shared, so 5 sd are 141 */
    sotto__world_free(world);
}

/* The world does not depend on player, calibration, privacy or learning. */
TEST(methods_meet_the_same_people)
{
    for (uint32_t k = 0; k < DRAWN; k++) {
        sotto_match first = match_of((sotto_environment_kind)k, SOTTO_PARAMETERS_SHARED, 3, 2);
        sotto_match second = first;
        second.player = SOTTO_PLAYER_LINUCB;
        second.calibration = SOTTO_CALIBRATION_PUBLISHED;
        second.spec.method = SOTTO_METHOD_LDP_OLS;
        second.spec.epsilon = 5;
        OWN(sotto__world) one = world_of(&first, 77), *two = world_of(&second, 77);
        for (int t = 0; t < 30; t++) {
            sotto__world_next(one);
            sotto__world_next(two);
            assert_memory_equal(one->theta, two->theta, 3 * sizeof(double));
            assert_memory_equal(one->context, two->context, 6 * sizeof(double));
            assert_true(one->draw == two->draw);
            for (uint32_t a = 0; a < 2; a++) {
                assert_true(sotto__world_reward(one, a) == sotto__world_reward(two, a));
            }
        }
    }
}

/* Parameters, contexts and draw each come from the stream of their purpose. */
TEST(every_purpose_has_its_stream)
{
    sotto_match match = plain();
    match.environment.law = SOTTO_LAW_NONE;
    sotto__ziggurat ziggurat;
    sotto__seeded parameters, contexts, rewards;
    sotto__ziggurat_begin(&ziggurat);
    sotto__stream_begin(&parameters, 5, SOTTO__PURPOSE_PARAMETERS);
    sotto__stream_begin(&contexts, 5, SOTTO__PURPOSE_CONTEXTS);
    sotto__stream_begin(&rewards, 5, SOTTO__PURPOSE_REWARDS);
    OWN(sotto__world) world = world_of(&match, 5);
    double drawn[3];
    sotto__draw_sphere(&ziggurat, &parameters, 3, match.environment.theta_norm, drawn);
    assert_memory_equal(world->theta, drawn, sizeof drawn);
    for (int t = 0; t < 10; t++) {
        sotto__world_next(world);
        for (uint32_t a = 0; a < 4; a++) {
            sotto__draw_sphere(&ziggurat, &contexts, 3, 1, drawn);
            assert_memory_equal(world->context + 3 * a, drawn, sizeof drawn);
        }
        assert_true(world->draw == sotto__uniform(sotto__seeded_next(&rewards)));
    }
}

/* People drawn together equal those drawn one by one, in every environment: with 4 numbers per
 * person, 6, and so many that a second person does not fit. */
TEST(people_drawn_together_are_those_of_one_by_one)
{
    const uint32_t dims[] = {2, 3, 700};
    static double alone[1400];
    int worlds = 0;
    for (uint32_t i = 0; i < 3 * 2 * DRAWN; i++) {
        sotto_parameters parameters = (sotto_parameters)(i / 3 % 2);
        sotto_match match = match_of((sotto_environment_kind)(i / 6), parameters, dims[i % 3], 2);
        if (sotto__environment_fault(&match, NULL) != SOTTO_OK) continue;
        OWN(sotto__world) one = world_of(&match, 6), *two = world_of(&match, 6);
        worlds++;
        for (int t = 0; t < 200; t++) {
            sotto__world_next(one);
            two->environment->draw(two, 1, alone);
            assert_memory_equal(one->context, alone, one->context_count * sizeof alone[0]);
            assert_true(one->draw == sotto__normal(&two->ziggurat, &two->rewards));
        }
    }
    assert_int_equal(worlds, 3 * (2 * DRAWN - 1)); /* margin has no per-arm parameters */
}

/* The law of rewards changes neither contexts nor parameters; the contexts' law not the draw. */
TEST(streams_do_not_disturb_each_other)
{
    sotto_match gaussian = plain(), none = plain();
    sotto_match wide = match_of(SOTTO_ENVIRONMENT_BALL, SOTTO_PARAMETERS_PER_ARM, 7, 9);
    none.environment.law = SOTTO_LAW_NONE;
    OWN(sotto__world) one = world_of(&gaussian, 5), *two = world_of(&none, 5);
    OWN(sotto__world) three = world_of(&wide, 5);
    for (int t = 0; t < 300; t++) {
        sotto__world_next(one);
        sotto__world_next(two);
        sotto__world_next(three);
        assert_memory_equal(one->context, two->context, 12 * sizeof(double));
        assert_memory_equal(one->theta, two->theta, 3 * sizeof(double));
        assert_true(one->draw == three->draw);
    }
}

TEST(seeds_give_other_worlds)
{
    const uint64_t seeds[] = {0, 1, UINT64_MAX};
    sotto_match match = plain();
    sotto__world *world[3];
    for (int i = 0; i < 3; i++) {
        world[i] = world_of(&match, seeds[i]);
        sotto__world_next(world[i]);
        for (int j = 0; j < i; j++) {
            assert_true(world[i]->theta[0] != world[j]->theta[0]);
            assert_true(world[i]->context[0] != world[j]->context[0]);
            assert_true(world[i]->draw != world[j]->draw);
        }
    }
    for (int i = 0; i < 3; i++) {
        sotto__world_free(world[i]);
    }
}

TEST(errors_are_distances_summed_over_arms)
{
    sotto_match shared = plain();
    sotto_match per_arm = match_of(SOTTO_ENVIRONMENT_SPHERE, SOTTO_PARAMETERS_PER_ARM, 3, 2);
    OWN(sotto__world) one = world_of(&shared, 1), *two = world_of(&per_arm, 1);
    double estimate[6];
    memcpy(estimate, one->theta, 3 * sizeof *estimate);
    assert_true(sotto__world_error(one, estimate) == 0);
    estimate[0] += 3, estimate[2] -= 4;
    assert_near(sotto__world_error(one, estimate), 5, 1e-14);
    memcpy(estimate, two->theta, 6 * sizeof *estimate);
    estimate[1] += 3, estimate[5] -= 4;
    assert_near(sotto__world_error(two, estimate), 7, 1e-14);
}

/* State words 0 and 3 make the first draw. If both are 0 so is the draw, which has no direction,
 * and on the line no other draw gives one. */
TEST(a_zero_is_drawn_again)
{
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
TEST(orthogonal_draws_go_round_the_axis)
{
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

/* A population as a world: what is refused, who comes, and what the arms are. */

#define CUSTOMERS 4
#define FEATURES 2
#define DIM (2 * FEATURES)
#define PRICES 13
#define PEOPLE 20000

/* Four customers that differ in their first number. */
typedef struct customers {
    double x[CUSTOMERS][FEATURES];
    double theta[DIM], worth[PRICES];
    sotto_population population;
} customers;

/* (x, p x) for the prices 0, 1/6, ..., 2. */
static void contexts_of(const void *data, uint64_t row, double *context)
{
    const customers *c = data;
    for (uint32_t a = 0; a < PRICES; a++) {
        for (uint32_t j = 0; j < FEATURES; j++) {
            context[a * DIM + j] = c->x[row][j];
            context[a * DIM + FEATURES + j] = a / 6.0 * c->x[row][j];
        }
    }
}

static void customers_begin(customers *c)
{
    *c = (customers){.theta = {3, 0, 0, -4}};
    c->population = (sotto_population){.rows = CUSTOMERS,
                                       .dim = DIM,
                                       .arms = PRICES,
                                       .link = SOTTO_LINK_LOGIT,
                                       .theta = c->theta,
                                       .theta_norm_max = 5,
                                       .worth = c->worth,
                                       .contexts = contexts_of,
                                       .data = c};
    for (uint32_t i = 0; i < CUSTOMERS; i++) {
        for (uint32_t j = 0; j < FEATURES; j++) {
            c->x[i][j] = 0.1 + 0.02 * i + 0.001 * j;
        }
    }
    for (uint32_t a = 0; a < PRICES; a++) {
        c->worth[a] = a / 12.0;
    }
}

static sotto_match loan_match(const customers *c)
{
    sotto_match match = match_of(SOTTO_ENVIRONMENT_LOAN, SOTTO_PARAMETERS_SHARED, DIM, PRICES);
    match.spec.link = SOTTO_LINK_LOGIT;
    match.environment.law = SOTTO_LAW_BERNOULLI;
    match.environment.theta_norm = match.spec.theta_norm_max = 5;
    match.environment.population = &c->population;
    return match;
}

TEST(other_shapes_are_refused)
{
    sotto_fault fault;
    customers c;
    customers_begin(&c);
    sotto_match match = loan_match(&c);
    assert_ok(sotto__environment_fault(&match, &fault));
    match.environment.population = NULL;
    assert_fault_says(sotto__environment_fault(&match, &fault), fault,
                      "loan: environment loan needs customers, a file or the stand-in");
    match = loan_match(&c);
    c.population.rows = 0;
    assert_status(sotto__environment_fault(&match, &fault), SOTTO_E_FAULT);
    c.population.rows = CUSTOMERS, c.population.theta = NULL;
    assert_fault_says(sotto__environment_fault(&match, &fault), fault,
                      "loan: the demand of these customers was not found");
    c.population.theta = c.theta;
    match.spec.dim = 9;
    assert_fault_says(sotto__environment_fault(&match, &fault), fault,
                      "dim = 9: environment loan has 4");
    match = loan_match(&c), match.spec.arms = 12;
    assert_fault_says(sotto__environment_fault(&match, &fault), fault,
                      "arms = 12: environment loan has 13 prices");
    match = loan_match(&c), match.spec.link = SOTTO_LINK_PROBIT;
    assert_fault_says(sotto__environment_fault(&match, &fault), fault,
                      "link = probit: the demand of environment loan is logit");
    match = loan_match(&c), match.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    assert_status(sotto__environment_fault(&match, &fault), SOTTO_E_FAULT);
    assert_non_null(strstr(fault.sentence, "shared parameters only"));
}

/* theta* has the population's direction and the match's length. */
TEST(the_parameter_is_the_demand)
{
    customers c;
    customers_begin(&c);
    sotto_match match = loan_match(&c);
    for (uint64_t seed = 1; seed < 3; seed++) {
        OWN(sotto__world) world = world_of(&match, seed);
        assert_memory_equal(world->theta, c.theta, sizeof c.theta);
    }
    match.environment.theta_norm = 2.5;
    OWN(sotto__world) world = world_of(&match, 1);
    assert_true(world->theta[0] == 1.5 && world->theta[FEATURES + 1] == -2);
}

/* Every customer as often as the others: 4 cells at 6 sd, a false alarm in 1e8. */
TEST(customers_come_uniformly_with_a_context_a_price)
{
    customers c;
    customers_begin(&c);
    sotto_match match = loan_match(&c);
    OWN(sotto__world) world = world_of(&match, 9);
    uint32_t came[CUSTOMERS] = {0};
    for (uint32_t t = 0; t < PEOPLE; t++) {
        sotto__world_next(world);
        uint32_t who = (uint32_t)lround((world->context[0] - 0.1) / 0.02);
        assert_true(who < CUSTOMERS);
        came[who]++;
        for (uint32_t a = 0; a < PRICES; a++) {
            const double *x = world->context + a * DIM;
            assert_memory_equal(x, c.x[who], sizeof c.x[who]);
            for (uint32_t j = 0; j < FEATURES; j++) {
                assert_near(x[FEATURES + j], a / 6.0 * c.x[who][j], 1e-15);
            }
            double v = 3 * c.x[who][0] - 4 * a / 6.0 * c.x[who][1];
            assert_near(world->mean[a], sotto__link_mean(SOTTO_LINK_LOGIT, v), 1e-14);
        }
    }
    for (uint32_t i = 0; i < CUSTOMERS; i++) {
        assert_near(came[i], PEOPLE / 4.0, 6 * sqrt(PEOPLE * 0.25 * 0.75));
    }
}

/* By acceptance the cheapest is best; by revenue price 0 never is. */
TEST(revenue_has_another_best_arm)
{
    customers c;
    customers_begin(&c);
    sotto_match match = loan_match(&c);
    sotto__world *world = world_of(&match, 9);
    sotto__world_next(world);
    assert_true(world->value_best == world->mean[0]);
    sotto__world_free(world);
    match.worth = c.population.worth;
    world = world_of(&match, 9);
    sotto__world_next(world);
    assert_true(world->value[0] == 0 && world->value[12] == world->mean[12]);
    assert_true(world->value_best >= world->value[12] && world->value_best > 0);
    sotto__world_free(world);
}
