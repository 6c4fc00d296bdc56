/* The table of estimators. */
#include "batches.h"
#include "core/method.h"
#include "server/estimator_rows.h"
#include "server/estimator_table.h"
#include "test.h"

/* The estimator of a spec is the one that `maker` makes. */
static void assert_made_by(const sotto_spec *spec, sotto__estimator_maker *maker)
{
    sotto_learning learning = plain_learning();
    sotto_terms terms;
    assert_ok(sotto_spec_resolve(spec, &terms));
    sotto__estimator *got, *wanted;
    assert_ok(sotto__estimator_new(&terms, &learning, &got));
    assert_ok(maker(&terms, &learning, &wanted));
    assert_ptr_equal(got->absorb, wanted->absorb);
    assert_ptr_equal(got->terms, &terms);
    assert_ptr_equal(got->learning, &learning);
    assert_int_equal(got->repairs, 0);
    bool eliminates =
        sotto__method_of(spec)->eliminates && spec->parameters == SOTTO_PARAMETERS_PER_ARM;
    assert_int_equal(got->predict_error != NULL, eliminates);
    sotto__estimator_free(got);
    sotto__estimator_free(wanted);
}

static void every_method_has_its_estimator(void **state)
{
    (void)state;
    static const struct {
        sotto_method method;
        sotto_score score;
        uint32_t dim;
        sotto__estimator_maker *shared, *per_arm;
    } rows[] = {
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 9, sotto__averaged_new, sotto__tracked_new},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_HUBER, 9, sotto__averaged_new, sotto__tracked_new},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, 4, sotto__averaged_new, sotto__tracked_new},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, 5, sotto__tracked_new, sotto__tracked_new},
        {SOTTO_METHOD_SOTTO_OLS, SOTTO_SCORE_MOMENTS, 3, sotto__least_squares_new, NULL},
        {SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, 3, sotto__sgd_new, sotto__sgd_new},
        {SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 3, sotto__least_squares_new,
         sotto__least_squares_new},
        {SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, 3, sotto__least_squares_new,
         sotto__least_squares_new},
        {SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, 3, sotto__gloc_new, sotto__gloc_new},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sotto_spec spec = learner_spec(rows[i].method, rows[i].score, SOTTO_PARAMETERS_SHARED);
        spec.dim = rows[i].dim;
        assert_made_by(&spec, rows[i].shared);
        if (rows[i].per_arm == NULL) continue;
        spec.parameters = SOTTO_PARAMETERS_PER_ARM;
        assert_made_by(&spec, rows[i].per_arm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_has_its_estimator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
