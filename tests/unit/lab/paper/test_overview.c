/* The paper's own figure, with sotto in it. */
#include "lab/paper/overview.h"
#include "methods_made.h"
#include "test.h"

static void what_was_not_played_has_no_panel(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("logistic", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__figure figure;
    const char *alt;
    assert_true(sotto__overview_figure(r, &figure, &alt));
    assert_int_equal(figure.panels_count, 0);
    sotto__reproduction_free(r);
    settings = settings_made("shared-d2", 2, 100);
    r = reproduction_made(&settings, regret_by_method);
    assert_true(sotto__overview_figure(r, &figure, &alt));
    assert_int_equal(figure.panels_count, 2); /* the left column */
    sotto__reproduction_free(r);
}

/* Rows are epsilons, columns the kinds of parameters, as in the paper. */
static void it_is_two_by_two(void **state)
{
    (void)state;
    static const char *const title[] = {
        "epsilon 1, one parameter, dim 2, 10 arms", "epsilon 1, one per arm, dim 20, 3 arms",
        "epsilon 5, one parameter, dim 2, 10 arms", "epsilon 5, one per arm, dim 20, 3 arms"};
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    settings.only = NULL;
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__figure figure;
    const char *alt;
    assert_true(sotto__overview_figure(r, &figure, &alt));
    assert_string_equal(figure.name, "paper-figure");
    assert_string_equal(alt, "Regret over that of random arms against people, one line per method");
    assert_int_equal(figure.panels_count, 4);
    for (uint32_t p = 0; p < 4; p++) {
        assert_string_equal(figure.panel[p].title, title[p]);
        assert_string_equal(figure.panel[p].y_label, "regret over that of random arms");
        assert_int_equal(figure.panel[p].curves_count, 8);
        assert_int_equal(figure.panel[p].curve[0].player, SOTTO_PLAYER_SOTTO);
        assert_null(figure.panel[p].curve[0].label);
        assert_near(figure.panel[p].curve[0].y[6], 6.0 / 90, 1e-12);
        assert_string_equal(figure.panel[p].curve[6].label, "ols (no privacy)");
    }
    assert_string_equal(
        figure.band,
        "Lower is better; the private ones at the same epsilon. Mean ± half a standard "
        "deviation, runs: 2");
    sotto__reproduction_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_played_has_no_panel),
        cmocka_unit_test(it_is_two_by_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
