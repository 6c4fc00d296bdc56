/* A population as a world: refusals, who comes, and what the arms are. */
#include "core/linalg.h"
#include "core/link.h"
#include "test.h"
#include "worlds.h"

#include <math.h>
#include <string.h>

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

static void other_shapes_are_refused(void **state)
{
    (void)state;
    char text[SOTTO_FAULT_BYTES];
    customers c;
    customers_begin(&c);
    sotto_match match = loan_match(&c);
    assert_null(sotto__environment_fault(&match, text));
    match.environment.population = NULL;
    assert_string_equal(sotto__environment_fault(&match, text),
                        "loan: environment loan needs customers, a file or the stand-in");
    match = loan_match(&c);
    c.population.rows = 0;
    assert_non_null(sotto__environment_fault(&match, text));
    c.population.rows = CUSTOMERS, c.population.theta = NULL;
    assert_string_equal(sotto__environment_fault(&match, text),
                        "loan: the demand of these customers was not found");
    c.population.theta = c.theta;
    match.spec.dim = 9;
    assert_string_equal(sotto__environment_fault(&match, text), "dim = 9: environment loan has 4");
    match = loan_match(&c), match.spec.arms = 12;
    assert_string_equal(sotto__environment_fault(&match, text),
                        "arms = 12: environment loan has 13 prices");
    match = loan_match(&c), match.spec.link = SOTTO_LINK_PROBIT;
    assert_string_equal(sotto__environment_fault(&match, text),
                        "link = probit: the demand of environment loan is logit");
    match = loan_match(&c), match.spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    assert_non_null(strstr(sotto__environment_fault(&match, text), "shared parameters only"));
}

/* theta* has the population's direction and the match's length. */
static void the_parameter_is_the_demand(void **state)
{
    (void)state;
    customers c;
    customers_begin(&c);
    sotto_match match = loan_match(&c);
    for (uint64_t seed = 1; seed < 3; seed++) {
        sotto__world *world = world_of(&match, seed);
        assert_memory_equal(world->theta, c.theta, sizeof c.theta);
        sotto__world_free(world);
    }
    match.environment.theta_norm = 2.5;
    sotto__world *world = world_of(&match, 1);
    assert_true(world->theta[0] == 1.5 && world->theta[FEATURES + 1] == -2);
    sotto__world_free(world);
}

/* Every customer as often as the others: 4 cells at 6 sd, a false alarm in 1e8. */
static void customers_come_uniformly_with_a_context_a_price(void **state)
{
    (void)state;
    customers c;
    customers_begin(&c);
    sotto_match match = loan_match(&c);
    sotto__world *world = world_of(&match, 9);
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
    sotto__world_free(world);
}

/* By acceptance the cheapest is best; by revenue price 0 never is. */
static void revenue_has_another_best_arm(void **state)
{
    (void)state;
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
    assert_true(world->value[0] == 0);
    assert_true(world->value[12] == world->mean[12]);
    assert_true(world->value_best >= world->value[12] && world->value_best > 0);
    sotto__world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_shapes_are_refused),
        cmocka_unit_test(the_parameter_is_the_demand),
        cmocka_unit_test(customers_come_uniformly_with_a_context_a_price),
        cmocka_unit_test(revenue_has_another_best_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
