/* Our runs beside those of the authors' own code. */
#include "lab/math/rank_test.h"
#include "lab/paper/agreement.h"
#include "lab/paper/reference_regret.h"
#include "reproductions.h"
#include "test.h"

#include <string.h>

static sotto__reproduction *filled(sotto__section *s, uint32_t seeds, made_regret *regret)
{
    sotto__reproduction_settings settings = settings_made("agreement", seeds, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret);
    assert_true(sotto__section_begin(s, r, settings.only) && sotto__agreement_fill(s));
    return r;
}

/* Above all of theirs. */
static double far_above(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    (void)part, (void)match, (void)t;
    return 1e6 + seed;
}

/* Theirs, a little more: no value is on both sides. */
static double theirs(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    const sotto__reference *reference = sotto__reference_of(&part->comparison.match[match]);
    (void)t;
    return reference->regret[seed % reference->seeds] + 1e-6 * (seed + 1);
}

/* With two seeds against ten the smallest p is 2/66. */
static void too_few_seeds_cannot_tell(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, 2, far_above);
    assert_int_equal(s.html.checks_count, 0);
    assert_row(
        &s.html.table[0], 0,
        "shared, linear, d = 2, K = 10|0.5|ldp-sgd|1,000,000 (1,000,000 to 1,000,001)|2,387 (634 "
        "to 15,539)|2, 10|0.03: too few seeds to tell");
    sotto__reproduction_free(r);
}

/* 2/C(17, 7) = 1.0e-4 and 2/C(18, 8) = 4.6e-5, of which only the second is below 1e-3/12. */
static void eight_seeds_are_the_fewest_that_tell(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, 7, far_above);
    assert_int_equal(s.html.checks_count, 0);
    sotto__reproduction_free(r);
    r = filled(&s, 8, far_above);
    assert_int_equal(s.html.checks_count, 12);
    assert_false(s.html.check[0].passed);
    sotto__reproduction_free(r);
}

/* 2/C(40, 10) = 2.4e-9; a cell of 12 may reject below 1e-3/12. */
static void regrets_of_another_law_fail(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, 30, far_above);
    assert_int_equal(s.html.table[0].rows_count, 12);
    assert_int_equal(s.html.checks_count, 12);
    assert_row(
        &s.html.table[0], 0,
        "shared, linear, d = 2, K = 10|0.5|ldp-sgd|1,000,014 (1,000,000 to 1,000,029)|2,387 (634 "
        "to 15,539)|30, 10|2.4e-09");
    for (uint32_t i = 0; i < 12; i++) {
        assert_false(s.html.check[i].passed);
    }
    assert_string_equal(s.html.check[0].text,
                        "shared, linear, d = 2, K = 10, epsilon 0.5, ldp-sgd: p = 2.4e-09, at "
                        "least 8.3e-05 wanted");
    sotto__reproduction_free(r);
}

static void more_seeds_than_can_be_ranked_still_tell(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, SOTTO__RANK_TEST_MAX + 1, theirs);
    assert_int_equal(s.html.checks_count, 12);
    for (uint32_t i = 0; i < 12; i++) {
        assert_true(s.html.check[i].passed);
    }
    sotto__reproduction_free(r);
}

static void regrets_of_their_law_pass(void **state)
{
    (void)state;
    sotto__section s;
    sotto__reproduction *r = filled(&s, 30, theirs);
    assert_int_equal(s.html.checks_count, 12);
    for (uint32_t i = 0; i < 12; i++) {
        assert_true(s.html.check[i].passed);
    }
    assert_int_equal(s.html.paragraphs_count, 1);
    assert_non_null(strstr(s.html.paragraph[0], "d = 2 only"));
    sotto__reproduction_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_few_seeds_cannot_tell),
        cmocka_unit_test(eight_seeds_are_the_fewest_that_tell),
        cmocka_unit_test(more_seeds_than_can_be_ranked_still_tell),
        cmocka_unit_test(regrets_of_another_law_fail),
        cmocka_unit_test(regrets_of_their_law_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
