/* Each method's row: what it may report, what its model holds, how long its statistic is. */
#include "test.h"

#include "core/core.h"

static sotto_spec of(sotto_method method, sotto_score score, sotto_parameters parameters,
                     uint32_t dim)
{
    sotto_spec spec = sotto_spec_default(SOTTO_REWARD_CONTINUOUS);
    spec.method = method, spec.score = score, spec.parameters = parameters, spec.dim = dim;
    spec.arms = 3;
    return spec;
}

TEST(an_unknown_score_has_no_coordinates)
{
    sotto_spec spec = of(SOTTO_METHOD_SOTTO, (sotto_score)99, SOTTO_PARAMETERS_SHARED, 5);
    assert_int_equal(sotto__statistic_dim(&spec), 0);
}

/* One row per method. */
TEST(rows_are_those_of_the_spec)
{
    static const struct {
        sotto_method method;
        uint32_t scores;
        bool lattice, identity_only, shared_only, confidence, eliminates, online_estimate;
        double moment_weight;
    } wanted[] = {
        {SOTTO_METHOD_SOTTO, 1u << 0 | 1u << 1 | 1u << 2 | 1u << 6, 0, 0, 0, 0, 0, 0, 0},
        {SOTTO_METHOD_SOTTO_OLS, 1u << 4, 0, 1, 1, 0, 0, 0, 1.1},
        {SOTTO_METHOD_LDP_SGD, 1u << 3, 0, 0, 0, 0, 1, 0, 0},
        {SOTTO_METHOD_LDP_OLS, 1u << 4, 1, 1, 0, 0, 1, 0, 1},
        {SOTTO_METHOD_LDP_UCB, 1u << 4, 1, 1, 0, 1, 0, 0, 1},
        {SOTTO_METHOD_LDP_GLOC, 1u << 5, 1, 0, 0, 1, 0, 1, 1},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const sotto_spec spec = {.method = wanted[i].method};
        const sotto__method *row = sotto__method_of(&spec);
        assert_ints(row->scores, wanted[i].scores, row->lattice, wanted[i].lattice,
                    row->identity_only, wanted[i].identity_only, row->shared_only,
                    wanted[i].shared_only, row->confidence, wanted[i].confidence, row->eliminates,
                    wanted[i].eliminates);
        assert_int_equal(row->online_estimate, wanted[i].online_estimate);
        assert_true(row->moment_weight == wanted[i].moment_weight);
    }
}

/* Shared sign and huber average at any dim, shared self below five. */
TEST(only_sotto_with_shared_parameters_averages)
{
    static const struct {
        sotto_method method;
        sotto_score score;
        sotto_parameters parameters;
        uint32_t dim;
        bool averages;
    } wanted[] = {
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED, 1, true},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED, 1024, true},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_HUBER, SOTTO_PARAMETERS_SHARED, 5, true},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, SOTTO_PARAMETERS_SHARED, 4, true},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, SOTTO_PARAMETERS_SHARED, 5, false},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_CENTRED, SOTTO_PARAMETERS_SHARED, 4, true},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_CENTRED, SOTTO_PARAMETERS_SHARED, 5, false},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_PER_ARM, 2, false},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, SOTTO_PARAMETERS_PER_ARM, 2, false},
        {SOTTO_METHOD_SOTTO_OLS, SOTTO_SCORE_MOMENTS, SOTTO_PARAMETERS_SHARED, 2, false},
        {SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, SOTTO_PARAMETERS_SHARED, 2, false},
        {SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, SOTTO_PARAMETERS_SHARED, 2, false},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto_spec spec =
            of(wanted[i].method, wanted[i].score, wanted[i].parameters, wanted[i].dim);
        assert_int_equal(sotto__method_averages(&spec), wanted[i].averages);
    }
}

TEST(per_arm_parameters_are_one_row_an_arm)
{
    sotto_spec spec = of(SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, SOTTO_PARAMETERS_SHARED, 7);
    assert_int_equal(sotto__parameter_count(&spec), 7);
    spec.parameters = SOTTO_PARAMETERS_PER_ARM;
    assert_int_equal(sotto__parameter_count(&spec), 21);
}

/* d for scores, d(d+1)/2 + d for moments, one more on the lifted sphere of sotto-ols. */
TEST(statistics_have_the_dimension_of_the_spec)
{
    static const struct {
        sotto_method method;
        sotto_score score;
        uint32_t one, five, largest;
    } wanted[] = {
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SIGN, 1, 5, 1024},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_SELF, 1, 5, 1024},
        {SOTTO_METHOD_SOTTO, SOTTO_SCORE_HUBER, 1, 5, 1024},
        {SOTTO_METHOD_LDP_SGD, SOTTO_SCORE_GRADIENT, 1, 5, 1024},
        {SOTTO_METHOD_LDP_OLS, SOTTO_SCORE_MOMENTS, 2, 20, 525824},
        {SOTTO_METHOD_LDP_UCB, SOTTO_SCORE_MOMENTS, 2, 20, 525824},
        {SOTTO_METHOD_LDP_GLOC, SOTTO_SCORE_GLOC_PAIR, 2, 20, 525824},
        {SOTTO_METHOD_SOTTO_OLS, SOTTO_SCORE_MOMENTS, 3, 21, 525825},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        sotto_spec spec = of(wanted[i].method, wanted[i].score, SOTTO_PARAMETERS_SHARED, 1);
        assert_int_equal(sotto__statistic_dim(&spec), wanted[i].one);
        spec.dim = 5;
        assert_int_equal(sotto__statistic_dim(&spec), wanted[i].five);
        spec.parameters = SOTTO_PARAMETERS_PER_ARM; /* before any split over arms */
        assert_int_equal(sotto__statistic_dim(&spec), wanted[i].five);
        spec.dim = SOTTO_DIM_MAX;
        assert_int_equal(sotto__statistic_dim(&spec), wanted[i].largest);
    }
}

TEST(no_reward_is_larger_than_its_bound)
{
    sotto_spec spec = {.reward_lo = -3, .reward_hi = 2};
    assert_true(sotto__reward_bound(&spec) == 3);
    spec.reward_lo = 1, spec.reward_hi = 4;
    assert_true(sotto__reward_bound(&spec) == 4);
}
