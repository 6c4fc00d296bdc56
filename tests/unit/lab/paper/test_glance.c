/* Every figure of the paper in one table. */
#include "lab/paper/glance.h"
#include "methods_made.h"
#include "test.h"

#include <string.h>

/* All figures have a row, those of other experiments an empty one. */
static void what_was_not_played_is_a_dash(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__section s;
    uint32_t figures = 0;
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        figures += sotto__experiments[i].kind == SOTTO__EXPERIMENT_CURVES;
    }
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    assert_int_equal(s.html.tables_count, 1);
    assert_int_equal(s.html.table[0].rows_count, 3 * figures);
    assert_row(&s.html.table[0], 3, "shared-d20|0.5|-|-|-|-|-|-|-|-");
    sotto__reproduction_free(r);
}

static void a_line_has_the_best_of_each_kind(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__section s;
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    assert_row(&s.html.table[0], 1,
               "shared-d2|1|6|1.56 / 21.4|0.2|30 (ldp-ols, exact)|10 (ldp-gloc)|3 (ols)|0|90");
    assert_string_equal(s.html.id, "glance");
    sotto__reproduction_free(r);
}

/* As `sotto plan` says: nothing is proved of per-arm parameters, nothing known of other links. */
static void a_floor_is_there_where_it_exists(void **state)
{
    (void)state;
    const struct {
        const char *experiment;
        uint32_t row;
        const char *floor;
    } of[] = {{"shared-d20", 3, "28.7 / 39"}, {"per-arm-d20", 7, "- / 18"}, {"logistic", 12, "-"}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        sotto__reproduction_settings settings = settings_made(of[i].experiment, 2, 100);
        sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
        sotto__section s;
        assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
        const char *const *cell = &s.html.table[0].cell[10 * of[i].row];
        assert_string_equal(cell[0], of[i].experiment);
        assert_string_equal(cell[3], of[i].floor);
        sotto__reproduction_free(r);
    }
}

/* As published ldp-sgd has 5, and keeps its claim. */
static double behind(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    bool theirs = part->stage->calibration == SOTTO_CALIBRATION_PUBLISHED;
    if (theirs && part->comparison.match[match].player == SOTTO_PLAYER_LDP_SGD) return 5;
    return regret_by_method(part, match, seed, t);
}

static void where_sotto_is_behind_is_said(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__section s;
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    assert_int_equal(s.html.notes_count, 0);
    sotto__reproduction_free(r);
    r = reproduction_made(&settings, behind);
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    assert_int_equal(s.html.notes_count, 1);
    assert_non_null(strstr(s.html.note[0], "In 3 of 3 settings the best of the paper's methods"));
    sotto__reproduction_free(r);
}

/* Its first stage is not the authors' code. */
static void revenue_has_nothing_published(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("loan-revenue", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__section s;
    uint32_t row = 0;
    assert_true(sotto__section_begin(&s, r, &sotto__glance) && sotto__glance_fill(&s));
    const sotto__html_table *table = &s.html.table[0];
    while (row < table->rows_count && strcmp(table->cell[10 * row], "loan-revenue") != 0) {
        row++;
    }
    assert_row(table, row, "loan-revenue|1|6|-|0.171|35 (ldp-sgd, exact)|-|0 (glm)|-|90");
    sotto__reproduction_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_not_played_is_a_dash),
        cmocka_unit_test(a_line_has_the_best_of_each_kind),
        cmocka_unit_test(a_floor_is_there_where_it_exists),
        cmocka_unit_test(where_sotto_is_behind_is_said),
        cmocka_unit_test(revenue_has_nothing_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
