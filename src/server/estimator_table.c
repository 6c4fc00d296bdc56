/* The table of estimators. */
#include "estimator_table.h"
#include "core/method.h"
#include "estimator_rows.h"

static sotto_status averaged_or_tracked_new(const sotto_terms *terms,
                                            const sotto_learning *learning, sotto__estimator **out)
{
    bool averages = sotto__method_averages(&terms->spec);
    return averages ? sotto__averaged_new(terms, learning, out)
                    : sotto__tracked_new(terms, learning, out);
}

static sotto__estimator_maker *const makers[] = {
    [SOTTO_METHOD_SOTTO] = averaged_or_tracked_new,
    [SOTTO_METHOD_SOTTO_OLS] = sotto__least_squares_new,
    [SOTTO_METHOD_LDP_SGD] = sotto__sgd_new,
    [SOTTO_METHOD_LDP_OLS] = sotto__least_squares_new,
    [SOTTO_METHOD_LDP_UCB] = sotto__least_squares_new,
    [SOTTO_METHOD_LDP_GLOC] = sotto__gloc_new,
    [SOTTO_METHOD_BEST_ARM] = sotto__best_arm_new,
};

sotto_status sotto__estimator_new(const sotto_terms *terms, const sotto_learning *learning,
                                  sotto__estimator **out)
{
    *out = NULL;
    return makers[terms->spec.method](terms, learning, out);
}
