/* What a part gave, in numbers. */
#include "lab/paper/numbers.h"
#include "reproductions.h"
#include "test.h"

#include <math.h>

/* A part of its own with one method at two epsilons. */
typedef struct small {
    sotto__experiment experiment;
    sotto__stage stage;
    sotto__part part;
} small;

static void begin_kind(small *s, sotto__experiment_kind kind, uint32_t seeds, uint64_t horizon,
                       made_regret *regret)
{
    char fault[SOTTO_FAULT_BYTES];
    const sotto__part_runs runs = {.first_seed = 1, .seeds_count = seeds, .threads = 1};
    s->experiment = (sotto__experiment){.name = "small", .kind = kind};
    s->stage = experiment_named("shared-d2")->stage[1];
    s->stage.players = 1u << SOTTO_PLAYER_RANDOM;
    s->stage.epsilon[1] = 2;
    s->stage.epsilon[2] = 0;
    s->part = (sotto__part){.experiment = &s->experiment, .stage = &s->stage, .horizon = horizon};
    if (sotto__part_fill(&s->part, &runs, fault) != NULL) fail_msg("%s", fault);
    part_made(&s->part, regret);
}

static void begin(small *s, uint32_t seeds, uint64_t horizon, made_regret *regret)
{
    begin_kind(s, SOTTO__EXPERIMENT_HORIZONS, seeds, horizon, regret);
}

/* 10, 60, 20 of the second match; ten times less of the first. */
static double by_seed(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    static const double regret[] = {1, 6, 2};
    (void)part;
    (void)t;
    return regret[seed] * (match == 1 ? 10 : 1);
}

static void what_is_not_played_has_no_match(void **state)
{
    (void)state;
    small s;
    begin(&s, 3, 100, by_seed);
    assert_int_equal(sotto__part_match(&s.part, SOTTO_PLAYER_SOTTO, 2), UINT32_MAX);
    assert_int_equal(sotto__part_match(&s.part, SOTTO_PLAYER_RANDOM, 3), UINT32_MAX);
    assert_int_equal(sotto__part_match(&s.part, SOTTO_PLAYER_RANDOM, 0.5), 0);
    assert_int_equal(sotto__part_match(&s.part, SOTTO_PLAYER_RANDOM, 2), 1);
    sotto__part_free(&s.part);
}

static void a_spread_is_that_of_the_seeds(void **state)
{
    (void)state;
    small s;
    begin(&s, 3, 100, by_seed);
    assert_int_equal(sotto__part_last_point(&s.part), 0);
    double regret[3];
    sotto__part_regrets(&s.part, 1, 0, regret);
    assert_near(regret[0], 10, 0);
    assert_near(regret[1], 60, 0);
    assert_near(regret[2], 20, 0);
    sotto__spread spread = sotto__part_spread(&s.part, 1, 0);
    assert_near(spread.mean, 30, 1e-12);
    assert_near(spread.deviation, 10 * sqrt(7), 1e-12);
    assert_near(spread.error, 10 * sqrt(7 / 3.0), 1e-12);
    assert_near(spread.median, 20, 1e-12);
    assert_near(sotto__part_spread(&s.part, 0, 0).mean, 3, 1e-12);
    sotto__part_free(&s.part);
}

/* Seed 1 of round t has t + 1. */
static double by_round(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match;
    return (double)(t + seed);
}

static void every_check_point_has_its_own_regrets(void **state)
{
    (void)state;
    small s;
    double regret[2];
    begin_kind(&s, SOTTO__EXPERIMENT_CURVES, 2, 10, by_round);
    assert_int_equal(sotto__part_last_point(&s.part), 3); /* 1, 2, 5, 10 */
    for (uint32_t point = 0; point < 4; point++) {
        sotto__part_regrets(&s.part, 0, point, regret);
        assert_near(regret[1], (double)s.part.comparison.at[point] + 1, 0);
    }
    sotto__part_free(&s.part);
}

static void the_bound_is_the_formula(void **state)
{
    (void)state;
    small s;
    begin(&s, 3, 200, by_seed);
    assert_near(sotto__part_bound(&s.part, 1), 20 / (exp(1) - 1), 1e-12); /* sqrt(200 x 2) = 20 */
    sotto__part_free(&s.part);
}

/* e^T of the first seed, e^(2 T) of the second. */
static double exponential(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part;
    (void)match;
    return exp((double)(t - 10) * (1 + seed));
}

/* Without the first seed the slope is 2, without the second 1: their squares about the mean add up
 * to 1/2, times (n - 1)/n is 1/4. */
static void the_error_of_an_exponent_is_that_of_the_jackknife(void **state)
{
    (void)state;
    small s[2];
    const sotto__part *part[2] = {&s[0].part, &s[1].part};
    const uint32_t match[2] = {1, 1};
    const double log_x[2] = {0, 1};
    for (uint32_t i = 0; i < 2; i++) {
        begin(&s[i], 2, 10 + i, exponential);
    }
    sotto__exponent exponent = sotto__exponent_of(part, match, log_x, 2);
    assert_near(exponent.slope, log((exp(1) + exp(2)) / 2), 1e-12);
    assert_near(exponent.error, 0.5, 1e-12);
    for (uint32_t i = 0; i < 2; i++) {
        sotto__part_free(&s[i].part);
        begin(&s[i], 1, 10 + i, exponential);
    }
    exponent = sotto__exponent_of(part, match, log_x, 2);
    assert_near(exponent.slope, 1, 1e-12);
    assert_true(isnan(exponent.error)); /* one seed has none */
    for (uint32_t i = 0; i < 2; i++) {
        sotto__part_free(&s[i].part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_played_has_no_match),
        cmocka_unit_test(a_spread_is_that_of_the_seeds),
        cmocka_unit_test(every_check_point_has_its_own_regrets),
        cmocka_unit_test(the_bound_is_the_formula),
        cmocka_unit_test(the_error_of_an_exponent_is_that_of_the_jackknife),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
