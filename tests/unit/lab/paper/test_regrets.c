/* Regret at the last round: every method, what it promises, and who has less. */
#include "lab/paper/regrets.h"
#include "methods_made.h"
#include "test.h"

#include <string.h>

static sotto__reproduction *filled(sotto__section *s, const char *name, made_regret *regret)
{
    sotto__reproduction_settings settings = settings_made(name, 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret);
    assert_true(sotto__section_begin(s, r, settings.only) && sotto__regrets_fill(s));
    return r;
}

static void a_stage_that_is_not_played_has_no_line(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__section s;
    assert_true(sotto__section_begin(&s, r, experiment_named("logistic")));
    assert_true(sotto__regrets_fill(&s));
    assert_int_equal(s.html.tables_count, 1); /* and nothing to judge */
    assert_int_equal(s.html.table[0].rows_count, 0);
    sotto__reproduction_free(r);
}

static void every_method_has_its_line(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, "shared-d2", regret_by_method);
    const sotto__html_table *table = &s.html.table[1];
    assert_int_equal(s.html.tables_count, 2);
    assert_true(table->folded);
    assert_int_equal(table->rows_count, 3 * (5 + 8));
    assert_row(table, 13,
               "1|published|ldp-sgd|50|1|50|1.67|1|0|as claimed: the gradient is clipped");
    assert_row(table, 16,
               "1|published|ldp-gloc|10|1|10|0.333|none|-|what is reported is not bounded: its "
               "estimate is not kept in a ball");
    assert_row(table, 18, "1|exact|sotto|6|1|6|0.2|1|0|as claimed");
    assert_row(table, 24, "1|exact|ols|3|1|3|0.1|none|-|no privacy: for comparison");
    for (uint32_t i = 0; i < table->rows_count; i++) {
        bool sotto = strcmp(table->cell[10 * i + 2], "sotto") == 0;
        assert_true(table->strong[i] == sotto);
    }
    sotto__reproduction_free(r);
}

/* A small table instead of paragraphs: sotto, the paper's own methods, and the same as published. */
static void claims_are_judged_in_both_parts(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, "shared-d2", regret_by_method);
    const sotto__html_table *table = &s.html.table[0];
    assert_int_equal(s.html.paragraphs_count, 0);
    assert_non_null(strstr(table->caption, "after 100 people"));
    assert_false(table->folded);
    assert_int_equal(table->rows_count, 3);
    assert_row(table, 1,
               "1|yes: sotto has 24 ± 0 less than ldp-ols|yes: ldp-sgd has 25 ± 0 less than "
               "ldp-ucb|no: ldp-sgd has 40 ± 0 more than ldp-gloc");
    sotto__reproduction_free(r);
    r = filled(&s, "loan-revenue", regret_by_method);
    assert_int_equal(s.html.table[0].columns_count, 3); /* nothing is published */
    sotto__reproduction_free(r);
    r = filled(&s, "rates-epsilon", regret_by_method);
    assert_int_equal(s.html.tables_count, 1); /* one figure over all epsilons: nothing to judge */
    sotto__reproduction_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_that_is_not_played_has_no_line),
        cmocka_unit_test(every_method_has_its_line),
        cmocka_unit_test(claims_are_judged_in_both_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
