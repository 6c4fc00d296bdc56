/* Which of two methods has less regret, and whether so few runs can tell. */
#include "lab/paper/claim.h"
#include "methods_made.h"
#include "test.h"

#include <string.h>

/* The earlier methods have 30 and 50 by seed, the paper's own 45, sotto 44. */
static double noisy(const sotto__part *part, uint32_t match, uint32_t seed, uint64_t t)
{
    sotto_player player = part->comparison.match[match].player;
    (void)t;
    if (player == SOTTO_PLAYER_SOTTO) return 44;
    if (player == SOTTO_PLAYER_LDP_SGD || player == SOTTO_PLAYER_LDP_OLS) return 45;
    return seed == 0 ? 30 : 50;
}

static void three_standard_errors_make_a_verdict(void **state)
{
    (void)state;
    assert_int_equal(sotto__verdict_of(0, 0), SOTTO__VERDICT_CANNOT_TELL);
    assert_int_equal(sotto__verdict_of(3, 1), SOTTO__VERDICT_CANNOT_TELL);
    assert_int_equal(sotto__verdict_of(-3, 1), SOTTO__VERDICT_CANNOT_TELL);
    assert_int_equal(sotto__verdict_of(3.1, 1), SOTTO__VERDICT_YES);
    assert_int_equal(sotto__verdict_of(-3.1, 1), SOTTO__VERDICT_NO);
}

static void what_was_not_played_is_not_judged(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__claim claim = sotto__claim_of_sotto(&r->part[0], 1); /* the authors' code */
    assert_int_equal(claim.verdict, SOTTO__VERDICT_NOT_PLAYED);
    assert_string_equal(sotto__claim_text(&claim, &r->pool), "-");
    assert_int_equal(sotto__claim_of_paper(&r->part[0], 7).verdict, SOTTO__VERDICT_NOT_PLAYED);
    assert_int_equal(sotto__claim_of_paper(NULL, 1).verdict, SOTTO__VERDICT_NOT_PLAYED);
    sotto__reproduction_free(r);
}

/* The worse of its own methods against the better of the others. */
static void the_claim_of_the_paper_is_judged(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__claim claim = sotto__claim_of_paper(&r->part[1], 5);
    assert_int_equal(claim.verdict, SOTTO__VERDICT_YES);
    assert_int_equal(claim.one, SOTTO_PLAYER_LDP_SGD);
    assert_int_equal(claim.other, SOTTO_PLAYER_LDP_UCB);
    assert_near(claim.less, 25, 1e-12);
    assert_near(claim.error, 0, 1e-12);
    claim = sotto__claim_of_paper(&r->part[0], 5);
    assert_int_equal(claim.verdict, SOTTO__VERDICT_NO);
    assert_near(claim.less, -40, 1e-12);
    sotto__reproduction_free(r);
}

static void sotto_is_held_against_the_best_of_the_paper(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, regret_by_method);
    sotto__claim claim = sotto__claim_of_sotto(&r->part[1], 1);
    assert_int_equal(claim.verdict, SOTTO__VERDICT_YES);
    assert_int_equal(claim.other, SOTTO_PLAYER_LDP_OLS);
    assert_near(claim.less, 24, 1e-12);
    sotto__reproduction_free(r);
}

/* A difference is never negative: it is more, or it is less. */
static void words_say_less_or_more(void **state)
{
    (void)state;
    sotto__reproduction_settings settings = settings_made("shared-d2", 2, 100);
    sotto__reproduction *r = reproduction_made(&settings, noisy);
    sotto__claim claim = sotto__claim_of_paper(&r->part[1], 1);
    assert_int_equal(claim.verdict, SOTTO__VERDICT_CANNOT_TELL);
    assert_string_equal(sotto__claim_text(&claim, &r->pool),
                        "cannot tell: ldp-sgd has 5 ± 10 more than ldp-ucb");
    claim =
        (sotto__claim){SOTTO__VERDICT_NO, SOTTO_PLAYER_SOTTO, SOTTO_PLAYER_LDP_OLS, -5310, 1234.5};
    assert_string_equal(sotto__claim_text(&claim, &r->pool),
                        "no: sotto has 5,310 ± 1,234 more than ldp-ols");
    claim.less = 5310;
    claim.verdict = SOTTO__VERDICT_YES;
    assert_string_equal(sotto__claim_text(&claim, &r->pool),
                        "yes: sotto has 5,310 ± 1,234 less than ldp-ols");
    sotto__reproduction_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_standard_errors_make_a_verdict),
        cmocka_unit_test(what_was_not_played_is_not_judged),
        cmocka_unit_test(the_claim_of_the_paper_is_judged),
        cmocka_unit_test(sotto_is_held_against_the_best_of_the_paper),
        cmocka_unit_test(words_say_less_or_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
