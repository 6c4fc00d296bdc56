/* What an experiment gave, as figures. */
#include "lab/paper/figures.h"
#include "lab/paper/glance.h"
#include "methods_made.h"
#include "test.h"

#include <string.h>

static void what_was_not_played_is_not_drawn(void **state)
{
    (void)state;
    static const char *const name[] = {"rates-epsilon", "rates-horizon", "lower-bound", "agreement",
                                       "constants"};
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__figures figures;
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(sotto__figures_of(r, experiment_named(name[i]), &figures));
        assert_int_equal(figures.count, 0);
    }
    assert_true(sotto__figures_of(r, &sotto__glance, &figures));
    assert_int_equal(figures.count, 0);
    sotto__reproduction_free(r);
}

static void curves_have_a_figure_for_each_epsilon_and_two_panels_for_each_stage(void **state)
{
    (void)state;
    static const char *const name[] = {"shared-d2-epsilon-0.5", "shared-d2-epsilon-1",
                                       "shared-d2-epsilon-5"};
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__figures figures;
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_int_equal(figures.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const sotto__figure *figure = &figures.figure[i];
        assert_string_equal(figure->name, name[i]);
        assert_int_equal(figure->panels_count, 4);
        /* Exact first: sotto is there. */
        assert_string_equal(figure->panel[0].title, "exact: over random arms");
        assert_string_equal(figure->panel[1].title, "exact: the claim kept");
        assert_string_equal(figure->panel[2].title, "published: over random arms");
        assert_string_equal(figure->panel[3].title, "as published: the authors' code");
        assert_true(!figure->panel[0].y_log && figure->panel[1].y_log);
        assert_int_equal(figure->panel[0].curves_count, 8);
        assert_int_equal(figure->panel[1].curves_count, 8);
        assert_int_equal(figure->panel[3].curves_count, 5);
        assert_int_equal(figure->panel[0].curve[0].player, SOTTO_PLAYER_SOTTO);
        assert_near(figure->panel[0].curve[0].y[6], 6.0 / 90, 1e-12);
        assert_near(figure->panel[1].curve[0].y[6], 6, 1e-12);
        assert_string_equal(figure->band,
                            "mean ± half a standard deviation of 2 runs, as in the paper");
    }
    assert_string_equal(figures.figure[1].title,
                        "One parameter for all arms, 2 dimensions, 10 arms, epsilon 1");
    assert_string_equal(figures.figure[1].caption, "Epsilon 1.");
    assert_string_equal(figures.alt[1], "Regret against people at epsilon 1, one line per method");
    sotto__reproduction_free(r);
}

static void synthetic_customers_are_said_to_be(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("loan-revenue", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__figures figures;
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_non_null(strstr(figures.figure[0].title, ", epsilon 1 (SYNTHETIC)"));
    assert_string_equal(figures.figure[0].caption, "Epsilon 1 (SYNTHETIC).");
    assert_int_equal(figures.figure[0].panels_count, 2);
    r->customers.synthetic = false;
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_null(strstr(figures.figure[0].title, "SYNTHETIC"));
    sotto__reproduction_free(r);
}

static void rates_have_a_line_for_each_method_and_epsilon(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("lower-bound", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__figures figures;
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_int_equal(figures.count, 1);
    assert_string_equal(figures.figure[0].name, "lower-bound-gaussian");
    assert_string_equal(figures.figure[0].panel[0].y_label,
                        "regret over sqrt(T d)/(e^epsilon - 1)");
    const sotto__panel *panel = &figures.figure[0].panel[0];
    assert_int_equal(panel->curves_count, 9);
    assert_string_equal(panel->curve[4].label, "ldp-sgd, epsilon 0.5");
    assert_int_equal(panel->curve[4].dash, 1);
    assert_int_equal(panel->curve[4].count, 5);
    sotto__reproduction_free(r);

    settings = settings_made("rates-horizon", 2, 100);
    r = reproduction_made(&settings, regret_by_method);
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_int_equal(figures.count, 4);
    assert_string_equal(figures.figure[3].name, "rates-horizon-margin-0");
    assert_null(figures.figure[3].panel[0].curve[0].label); /* one epsilon: the name is enough */
    sotto__reproduction_free(r);

    settings = settings_made("rates-epsilon", 2, 100);
    r = reproduction_made(&settings, regret_by_method);
    assert_true(sotto__figures_of(r, settings.only, &figures));
    assert_int_equal(figures.count, 1);
    assert_string_equal(figures.figure[0].title,
                        "What an epsilon costs: regret of 100 people, dim 2, 10 arms");
    assert_int_equal(figures.figure[0].panel[0].curves_count, 6);
    assert_int_equal(figures.figure[0].panel[0].curve[1].player, SOTTO_PLAYER_LDP_SGD);
    assert_near(figures.figure[0].panel[0].curve[1].y[0], 35, 1e-12);
    sotto__reproduction_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_played_is_not_drawn),
        cmocka_unit_test(curves_have_a_figure_for_each_epsilon_and_two_panels_for_each_stage),
        cmocka_unit_test(synthetic_customers_are_said_to_be),
        cmocka_unit_test(rates_have_a_line_for_each_method_and_epsilon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
