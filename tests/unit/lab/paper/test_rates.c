/* How regret grows with T and with 1/epsilon, beside theory. */
#include "lab/paper/numbers.h"
#include "lab/paper/rates.h"
#include "reproductions.h"
#include "test.h"

#include <math.h>

typedef bool filler(sotto__section *section);

static sotto__reproduction *filled(sotto__section *s, const char *name, made_regret *regret,
                                   filler *fill)
{
    sotto__reproduction_settings settings = settings_made(name, 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret);
    assert_true(sotto__section_begin(s, r, settings.only) && fill(s));
    return r;
}

static double one(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match, (void)seed, (void)t;
    return 1;
}

static void what_was_not_played_says_nothing(void **state)
{
    (void)state;
    static const char *const name[] = {"rates-epsilon", "rates-horizon", "lower-bound"};
    static filler *const fill[] = {sotto__epsilons_fill, sotto__growth_fill, sotto__bound_fill};
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, one);
    for (uint32_t i = 0; i < 3; i++) {
        sotto__section s;
        assert_true(sotto__section_begin(&s, r, experiment_named(name[i])) && fill[i](&s));
        assert_int_equal(s.html.checks_count, 0);
        for (uint32_t t = 0; t < s.html.tables_count; t++) {
            assert_int_equal(s.html.table[t].rows_count, 0);
        }
    }
    sotto__reproduction_free(r);
}

/* epsilon^-1.5 of sotto, epsilon^-2 of ldp-sgd, a jump at 1 of ldp-ols, the same for all of ols;
 * beyond 1 anything. */
static double by_epsilon(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    double epsilon = part->comparison.epsilon[match];
    (void)seed, (void)t;
    if (epsilon > 1) return 1e6;
    switch (part->comparison.match[match].player) {
    case SOTTO_PLAYER_SOTTO: return pow(epsilon, -1.5);
    case SOTTO_PLAYER_LDP_SGD: return pow(epsilon, -2);
    case SOTTO_PLAYER_LDP_OLS: return epsilon < 1 ? 1 : 2;
    default: return 7;
    }
}

static void exponents_of_epsilon_are_fitted_up_to_1(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, "rates-epsilon", by_epsilon, sotto__epsilons_fill);
    const sotto__html_table *table = &s.html.table[0];
    assert_int_equal(table->rows_count, 6);
    assert_row(table, 0, "sotto|-1.50|0.00|-");
    assert_row(table, 1, "ldp-sgd|-2.00|0.00|-2");
    assert_row(table, 2, "ldp-ols|0.26|0.00|-2");
    assert_row(table, 3, "ldp-ucb|0.00|0.00|-1");
    assert_row(table, 5, "ols|0.00|0.00|0");
    assert_true(table->strong[0] && !table->strong[1]);
    sotto__reproduction_free(r);
}

/* sqrt T of the first seed, 3 sqrt T of the second: the exponent has no error. */
static double root(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match;
    return (1 + 2 * seed) * sqrt((double)t);
}

static void exponents_of_t_stand_beside_theory(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, "rates-horizon", root, sotto__growth_fill);
    const sotto__html_table *table = &s.html.table[0];
    assert_int_equal(table->rows_count, 4 * 3);
    assert_string_equal(table->head[2], "T = 1,000");
    assert_string_equal(table->head[6], "T = 100,000");
    assert_row(
        table, 1,
        "margin 1, on the sphere: epsilon 5, dim 2, 10 arms|ldp-sgd|63.2|110|200|346|632|0.500|"
        "0.000|log T");
    assert_row(table, 6,
               "margin 0.5: epsilon 5, dim 2, 2 arms|sotto|63.2|110|200|346|632|0.500|0.000|-");
    assert_row(
        table, 7,
        "margin 0.5: epsilon 5, dim 2, 2 arms|ldp-sgd|63.2|110|200|346|632|0.500|0.000|0.25");
    sotto__reproduction_free(r);
}

/* By hand: 4 x 16/pi^2 x 5/6 = 5.4038 and e^0.5 x 16/pi^2 x 5/6 = 2.22736. */
static void the_least_ratio_is_that_of_the_proof(void **state)
{
    (void)state;
    assert_near(sotto__least_ratio(5, 1), 0.0519681, 1e-6);
    assert_near(sotto__least_ratio(5, 0.25), 0.1129955, 1e-6);
    assert_true(sotto__least_ratio(5, 1) < sotto__least_ratio(2, 1));
}

/* Regret that is twice the bound, but that of ldp-sgd, 0.05 of it at epsilon 1 and the first T. */
static double over_bound(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    double epsilon = part->comparison.epsilon[match];
    bool low =
        part->comparison.match[match].player == SOTTO_PLAYER_LDP_SGD && epsilon == 1 && t <= 1000;
    (void)seed;
    return (low ? 0.05 : 2) * sotto__part_bound(part, epsilon);
}

static void a_private_method_below_the_bound_fails(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, "lower-bound", over_bound, sotto__bound_fill);
    assert_int_equal(s.html.table[0].rows_count, 9);
    assert_row(&s.html.table[0], 0, "sotto|0.25|0.113|2|2|2|2|2");
    assert_row(&s.html.table[0], 5, "ldp-sgd|1|0.052|0.05|2|2|2|2");
    assert_int_equal(s.html.checks_count, 6); /* random arms promise nothing */
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(s.html.check[i].passed == (i != 5));
    }
    assert_string_equal(s.html.check[5].text,
                        "ldp-sgd, epsilon 1: regret over the bound is 0.05 at least; the theorem "
                        "leaves none below 0.052");
    sotto__reproduction_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_played_says_nothing),
        cmocka_unit_test(exponents_of_epsilon_are_fitted_up_to_1),
        cmocka_unit_test(exponents_of_t_stand_beside_theory),
        cmocka_unit_test(the_least_ratio_is_that_of_the_proof),
        cmocka_unit_test(a_private_method_below_the_bound_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
