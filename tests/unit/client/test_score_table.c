/* The table of scores. */
#include "client/score_rows.h"
#include "client/score_table.h"
#include "test.h"

static void each_score_has_its_own_function(void **state)
{
    (void)state;
    const struct {
        sotto_method method;
        sotto_score score;
        sotto__score_function *function;
    } rows[] = {
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, sotto__score_sign},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, sotto__score_self},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_HUBER, sotto__score_huber},
        {SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, sotto__score_gradient},
        {SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, sotto__score_moments},
        {SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, sotto__score_moments},
        {SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, sotto__score_gloc_pair},
        {SOTTO_METHOD_SOTTO_OLS, SOTTO_SCORE_MOMENTS, sotto__score_lifted},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
        spec.method = rows[i].method, spec.score = rows[i].score;
        assert_true(sotto__score_of(&spec) == rows[i].function);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_score_has_its_own_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
