/* The constants of the environments. */
#include "paper/inner.h"
#include "reproductions.h"
#include "test.h"
#include "why.h"

OWNED(sotto__reproduction, sotto__reproduction_free)

#define COLUMNS 9u

static sotto__reproduction *made(const char *only)
{
    sotto__reproduction_settings settings = settings_made(only, 2, 100);
    sotto__reproduction *r;
    if (WHY(sotto__reproduction_new, &settings, &r) != NULL) fail_msg("%s", why_fault.sentence);
    return r;
}

TEST(without_customers_there_is_no_table)
{
    sotto__section s;
    OWN(sotto__reproduction) r = made("shared-d2");
    assert_true(sotto__section_begin(&s, r, experiment_named("constants")));
    assert_false(sotto__constants_fill(&s));
    assert_int_equal(s.html.tables_count, 0);
}

static const char *const *line_of(const sotto__html_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->rows_count; i++) {
        if (strcmp(table->cell[(size_t)COLUMNS * i], name) == 0) return &table->cell[COLUMNS * i];
    }
    fail_msg("no line %s", name);
    return NULL;
}

/* On the unit circle the covariance is I/2, so that kappa_u = 1; the link's slope is 1; a random arm
 * costs what the best of ten has above the mean, nearly 0.93. Tolerances are ten standard errors of
 * 20,000 draws and more. */
TEST(environments_have_their_constants)
{
    sotto__section s;
    uint32_t stages = 0;
    OWN(sotto__reproduction) r = made("constants");
    assert_true(sotto__section_begin(&s, r, experiment_named("constants")));
    assert_true(sotto__constants_fill(&s));
    for (uint32_t i = 0; i < sotto__experiments_count; i++) {
        const sotto__experiment *e = &sotto__experiments[i];
        stages += e->kind == SOTTO__EXPERIMENT_AGREEMENT ? 0 : e->stages_count;
    }
    const sotto__html_table *table = &s.html.table[0];
    assert_ints(table->columns_count, COLUMNS, table->rows_count, stages);
    const char *const *sphere =
        line_of(table, "One parameter for all arms, 2 dimensions, 10 arms, exact");
    assert_near(atof(sphere[1]), 1, 0.1);
    assert_string_equal(sphere[5], "1");
    assert_near(atof(sphere[6]), 0.93, 0.05);
    assert_string_equal(line_of(table, "How regret grows, margin-1")[8], "log T");
    assert_string_equal(line_of(table, "One parameter per arm, 10 dimensions, 10 arms, exact")[8],
                        "(log T)^2");
    /* The prices of one customer are not diverse. */
    assert_string_equal(
        line_of(table, "Auto loans: which price earns most, 18 dimensions, 25 arms, exact")[3],
        "0");
    assert_string_equal(
        line_of(table, "Auto loans: which price earns most, 18 dimensions, 25 arms, exact")[7],
        "-");
    assert_string_equal(
        line_of(table, "Auto loans: which price earns most, 18 dimensions, 25 arms, exact")[8],
        "no bound");
    assert_near(atof(line_of(table, "How regret grows, margin-0.5")[4]), 0.5, 0.1);
    const char *growth = line_of(table, "How regret grows, margin-0.5")[8];
    assert_int_equal(strncmp(growth, "T^", 2), 0);
    assert_near(atof(growth + 2), 0.25, 0.06);
}
